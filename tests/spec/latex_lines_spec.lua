-- latex_lines.lua: formulas in lines; E:latex{ width =, number =, short_trig = }
local hm, check = require "hamel", require "check"
local lines = require "hamel.algebra.latex_lines"
local sin, cos = hm.sin, hm.cos

-- A rolling disc (Voronets) and a chain whose rows are long
local function disc()
  local S = hm.system "disc"
  local x, y, theta, phi, psi = S:coordinates "x y theta phi psi"
  local m, r, g, C, A = S:positive "m r g C A"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2 + r^2*theta.dot^2*cos(theta)^2) + A/2*(theta.dot^2 + phi.dot^2*sin(theta)^2) + C/2*(psi.dot + phi.dot*cos(theta))^2)
  S:potential_energy(m*g*r*sin(theta))
  S:constraint("along", x.dot + r*psi.dot*cos(phi) + r*phi.dot*cos(theta)*cos(phi) - r*theta.dot*sin(theta)*sin(phi))
  S:constraint("across", y.dot + r*psi.dot*sin(phi) + r*phi.dot*cos(theta)*sin(phi) + r*theta.dot*sin(theta)*cos(phi))
  return S
end

-- Runs pdflatex on formulas; the text it prints, or nil where it is missing
local function typeset(body, width)
  if not os.execute "pdflatex --version > /dev/null 2>&1" then return nil end
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir '" .. folder .. "'"))
  local page = "\\documentclass{article}\\usepackage{amsmath}\\setlength{\\textwidth}{%gem}\n\\begin{document}\n%s\n\\end{document}\n"
  check.write(folder .. "/f.tex", page:format(width, body))
  local pipe = assert(io.popen(("cd '%s' && pdflatex -interaction=nonstopmode f.tex 2>&1"):format(folder)))
  local text = pipe:read "a"
  pipe:close()
  os.execute("rm -r '" .. folder .. "'")
  return text
end

local function without_breaks(tex)
  return (tex:gsub("\\notag", ""):gsub("\\\\\n", ""):gsub("\\qquad", ""):gsub("[{}&%s]", ""):gsub("\\b[i]?g+[lr]", ""):gsub("\\left", ""):gsub("\\right", ""))
end

describe("a formula in lines", function()
  local a, b, c = hm.symbols "a b c"
  local x = hm.functions_of_time "x"

  it("keeps every sign and factor, and every line is within the width", function()
    for form, width in pairs{ voronets = 30, hamel = 26, maggi = 24, lagrange = 20 } do
      local E = disc():equations(form)
      local whole, broken = E:latex(), E:latex{ width = width }
      assert.equal(without_breaks(whole), without_breaks(broken), form)
      for line in broken:gmatch "[^\n]+" do
        local bare = line:gsub("\\[bB]ig+[lr]", ""):gsub("\\\\$", ""):gsub("\\notag", ""):gsub("&\\qquad", "\\qquad\\:")
        if not line:find "align" then assert.is_true(lines.width(bare) <= width + 0.5, line) end
      end
    end
  end)

  it("breaks at = and + before brackets, brackets before factors", function()
    assert.same({ "a + b + c" }, lines.split("a + b + c", 20))
    assert.same({ "a + b", "{}+ c" }, lines.split("a + b + c", 4))
    assert.same({ "a = b + b", "= c + c" }, lines.split("a = b + b = c + c", 8))
    local product = lines.split("\\dot{x} \\left(a + b + c + a + b + c\\right)", 11)
    assert.equal(2, #product)
    assert.truthy(product[1]:find("\\bigl( a", 1, true) and product[2]:find("\\bigr)", 1, true))
    -- a function keeps its argument
    for _, line in ipairs(lines.split("\\sin x \\cos x \\sin x \\cos x \\sin x \\cos x", 9)) do assert.is_nil(line:find "\\%a+$") end
  end)

  it("has no fraction or root wider than a line", function()
    local sum = a
    for i = 1, 30 do sum = sum + b^i*c end
    for _, e in ipairs{ sum/(1 + a), 1/sum, sum/(sum + x), hm.sqrt(sum) } do
      for _, line in ipairs(lines.split(e:latex(), 30)) do
        assert.is_true(lines.width((line:gsub("\\b[i]?g+[lr]", ""))) <= 30.5, line)
      end
    end
    assert.truthy((sum/(1 + a)):latex{ width = 30 }:find "\\frac{1}{a %+ 1} \\[bB]ig+l%(")
    assert.truthy((1/sum):latex{ width = 30 }:find "^\\begin{aligned}\n& \\bigl%(.*\\bigr%)^{%-1}")
    -- the function at the end of a numerator does not take the denominator for its argument
    assert.truthy((a*sin(x)/sum):latex{ width = 30 }:find("\\bigl( a \\sin x \\bigr)", 1, true))
  end)

  it("writes sines and cosines short where their argument is a symbol or a sum", function()
    local theta, phi = hm.functions_of_time "theta phi"
    assert.equal("\\mathrm{s}_{\\theta}^{2} \\mathrm{c}_{\\phi}", (sin(theta)^2*cos(phi)):latex{ short_trig = true })
    assert.equal("\\mathrm{c}_{\\phi + \\theta}", cos(theta + phi):latex{ short_trig = true })
    assert.equal("\\sin \\left(\\frac{a}{b}\\right)", sin(a/b):latex{ short_trig = true })
    assert.equal((a*sin(x)):latex(), (a*sin(x)):latex{})
  end)

  it("has numbers and labels as asked", function()
    local E = disc():equations "voronets"
    assert.truthy(E:latex():find("\\begin{align}", 1, true))
    assert.truthy(E:latex{ number = false }:find("\\begin{align*}", 1, true))
    local tex = E:latex{ width = 24, number = "eq:disc" }
    assert.equal(select(2, tex:gsub("\\label{eq:disc:[%w.-]+}", "")), #E + 2)
    assert.equal(select(2, tex:gsub("\\\\\n", "")) + 1, select(2, tex:gsub("\\notag", "")) + #E + 2)
    check.raises({ "width", "8" }, E.latex, E, { width = 2 })
    check.raises({ "widht", "width" }, E.latex, E, { widht = 20 })
    check.raises({ "widht", "width" }, a.latex, a, { widht = 20 })
  end)

  it("breaks the note on what could not be simplified, too", function()
    local E = disc():equations "lagrange"
    E:unsimplified()
    rawset(E, "_notes", { { reason = "more than 20000 terms in a product", rows = { "x", "y", "theta", "phi_1" } } })
    local tex, notes = E:latex{ width = 20 }, 0
    for words in tex:gmatch "&\\text{([^}]*)}" do
      notes = notes + 1
      assert.is_true(#words <= 40, words)
    end
    assert.equal(2, notes)
  end)

  it("is typeset by LaTeX without an overfull line", function()
    local body = {}
    for _, form in ipairs{ "lagrange", "voronets", "hamel", "maggi" } do
      local E = disc():equations(form)
      body[#body + 1] = E:latex{ width = 29, number = "eq:" .. form }
      body[#body + 1] = E:latex{ width = 34, number = false }
      body[#body + 1] = E:latex{ width = 29, number = false, short_trig = true }
    end
    local log = typeset(table.concat(body, "\n"), 34)
    if not log then return pending "pdflatex is missing" end
    assert.truthy(log:find("Output written", 1, true), log)
    assert.is_nil(log:match "Overfull[^\n]*")
    assert.is_nil(log:match "\n(![^\n]*)")
    -- the check sees what is too wide
    assert.truthy(typeset(disc():equations "voronets":latex(), 24):find("Overfull", 1, true))
  end)
end)
