-- hamel report: scripts as pages; MathML of our LaTeX
local hm, check = require "hamel", require "check"
local mathml, report = require "hamel.show.mathml", require "hamel.show.report"

local function page_of(text, arguments)
  local script, out = os.tmpname(), os.tmpname()
  check.write(script, text)
  local fine = report.write(script, out, arguments)
  local written = assert(io.open(out))
  local html = written:read "a"
  written:close()
  os.remove(script)
  os.remove(out)
  return html, fine
end

-- every element that is opened is closed, in order
local function check_balance(html)
  local open = {}
  for closing, name, rest in html:gsub("<!doctype.->", ""):gsub("<%?.-%?>", ""):gsub("<!%-%-.-%-%->", ""):gmatch "<(/?)([%a][%w]*)(.-)>" do
    local void = rest:sub(-1) == "/" or name == "meta" or name == "br" or name == "link"
    if closing == "/" then
      assert.equal(open[#open], name)
      open[#open] = nil
    elseif not void then
      open[#open + 1] = name
    end
  end
  assert.equal(0, #open)
end

describe("a page of a script", function()
  it("folds long outputs and cuts very long ones", function()
    local html = page_of 'for i = 1, 6000 do print("line " .. i) end print(("x"):rep(10000))'
    check_balance(html)
    assert.truthy(html:find("line 200</pre><details><summary>4800 lines more</summary><pre>line 201\n", 1, true))
    assert.truthy(html:find("line 5000</pre></details><p>1001 further lines are left out", 1, true))
    html = page_of 'print(("ä"):rep(5000))'
    assert.truthy(html:find("<pre>" .. ("ä"):rep(999) .. "[ä]* %.%.%.</pre>"), "a long line ends between letters")
    assert.is_nil(page_of 'for i = 1, 200 do print(i) end':find("lines more", 1, true))
  end)
  it("shows the statements of the text above their lines, and no path", function()
    local html = page_of [[
      local P = require "hamel".paper{ title = "t", statements = { S2 = "the <second>", S10 = "the tenth" } }
      P:agrees("S2", "first", 0)
      P:agrees("S2", "once more", 0)
      P:finish()
    ]]
    local _, count = html:gsub('<tr class="statement"><td>S2</td><td colspan="2">the &lt;second&gt;</td></tr>', "")
    assert.equal(1, count)
    assert.truthy(html:find("no line checks this statement: the tenth", 1, true))
    assert.truthy(html:find "<td>script</td><td>[^/<]+</td>")
  end)
end)

describe("MathML", function()
  it("keeps words in products apart", function()
    local words = mathml.of((hm.symbols "square"*hm.symbols "th"*hm.symbols "x"):latex())
    local _, count = words:gsub('</mtext><mspace width="0.3em"/>', "")
    assert.equal(2, count, words)
  end)
  it("has the structure of the formula", function()
    local S = hm.system "s"
    local x, theta_1 = S:coordinates "x theta_1"
    local m = S:positive "m_A"
    local function of(e) return mathml.of(e:latex()) end
    assert.truthy(of(x.ddot):find('<mover><mi>x</mi><mo stretchy="false">¨</mo></mover>', 1, true))
    assert.truthy(of(hm.sqrt(1 + x^2)):find("<msqrt>", 1, true))
    assert.truthy(of(x.dot^2/(2*m)):find("<mfrac>", 1, true))
    assert.truthy(of(theta_1):find("<msub><mi>θ</mi><mn>1</mn></msub>", 1, true))
    assert.truthy(of(hm.sin(theta_1)^2):find("<mi>sin</mi>", 1, true))
    for _, e in ipairs{ x.ddot*hm.sin(theta_1)/(1 + hm.exp(-x^2)), hm.atan2(x, 1 + x), (x + 1)^3, m^hm.rational(3, 2) } do check_balance(of(e)) end
    assert.equal("&lt;b&gt; &amp; &quot;", mathml.escape '<b> & "')
  end)
end)

describe("a report", function()
  it("holds equations, text, verdicts, pictures and provenance, and nothing from outside", function()
    local html, fine = page_of([[
      local hm = require "hamel"
      local S = hm.system "sleigh & co <1>"
      local x, y, theta = S:coordinates "x y theta"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2 + theta.dot^2/4)
      S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
      print(S:equations())
      print("plain", 17)
      local run = S:simulate{ q = {x=0, y=0, theta=0}, v = {x=1, theta=0.3}, t = 2, rtol = 1e-8 }
      local P = hm.paper{ title = "A test" }
      P:agrees("(1)", "energy", run.energy_drift)
      P:misprint("(2)", "a sign", x.dot - P:printed("-x'", -x.dot), hm.number(0), nil, x.dot^17)
      P:show(S)
      P:show(function() return run:animate({ { "blade", at = {x, y}, along = {hm.cos(theta), hm.sin(theta)} } }, { title = "shown alone" }) end)
      P:show(function() return run:plot("t", "x") end)
      os.exit(P:finish())
    ]])
    assert.truthy(fine)
    for _, part in ipairs{ "<mn>17</mn>", "sleigh &amp; co &lt;1&gt;: as declared</h2>", "shown alone", "<figure><svg" } do
      assert(html:find(part, 1, true), part)
    end
    for _, part in ipairs{ "<!doctype html>", "sleigh &amp; co &lt;1&gt;", "<math", "plain\t17", "<td class=\"computed\">", "<td class=\"misprint\">",
      "hamel " .. hm.version, "rtol = 1e-08", "<h1>A test</h1>" } do assert.truthy(html:find(part, 1, true)) end
    assert.is_nil(html:find("src=", 1, true))
    assert.is_nil(html:find("<script", 1, true))
    check_balance((html:gsub('srcdoc="[^"]*"', "")))
  end)

  it("has contents, the declaration typeset, tables in words, animations inside, and the script itself", function()
    local folder = os.tmpname()
    os.remove(folder)
    local html = page_of(([[
      local hm = require "hamel"                               -- <a comment>
      local S = hm.system "pendulum"
      local phi = S:coordinates "phi"
      local m, l, g = S:positive "m=1 l=2 g=9.81"
      S:kinetic_energy(m/2*l^2*phi.dot^2)
      S:potential_energy(-m*g*l*hm.cos(phi))
      S:constraint("driven", phi.dot - 1)
      print(S:derivation "hamel")
      S:unilateral("stop", phi, { law = hm.newton(1) })
      print(S)
      print({ 1, 2, { energy = "kept" } })
      local run = S:simulate{ q = { phi = 1 }, v = { phi = 1 }, t = 0.1 }
      run:animate("%s.html", { { "ball", at = { l*hm.sin(phi), -l*hm.cos(phi) } } }, { title = "swing & stop" })
    ]]):format(folder))
    os.remove(folder .. ".html")
    for target in html:gmatch 'href="#([^"]+)"' do assert.truthy(html:find('id="' .. target .. '"', 1, true), target) end
    for _, part in ipairs{ '<ol class="contents">', ">pendulum: as declared</a>", "<td>kinetic energy</td><td><math", "<mo>≥</mo><mn>0</mn>",
      "energy = &quot;kept&quot;",
      'srcdoc="&lt;!doctype html', "swing &amp; stop: animation", '<span class="c">-- &lt;a comment&gt;</span>', ">Source</a>", ">Provenance</a>",
      "<mo>∑</mo>" } do assert(html:find(part, 1, true), part) end
    assert.is_nil(html:find("0x", 1, true))
    check_balance(html)
  end)

  it("is a LaTeX document, which pdflatex takes where no browser is installed", function()
    local script, out = os.tmpname(), os.tmpname() .. ".tex"
    local file = assert(io.open(script, "w"))
    file:write [[
      local hm = require "hamel"
      local S = hm.system "50% & more_ {of} it"
      local x, theta = S:coordinates "x theta"
      local m, l = S:positive "m l"
      S:kinetic_energy(m/2*(hm.dt(x + l*hm.sin(theta))^2 + hm.dt(l*hm.cos(theta))^2))
      S:constraint("drive", x.dot - theta.dot*hm.sin(theta))
      print(S)
      print(S:equations())
      print(S:derivation "chaplygin")
      print(S:equations()[1])
      print("θ ≠ 3 \\end{verbatim}", ("long "):rep(60))
    ]]
    file:close()
    assert.truthy((report.write(script, out)))
    local written = assert(io.open(out))
    local text = written:read "a"
    written:close()
    for _, part in ipairs{ "\\section{50\\% \\& more\\_ \\{of\\} it: as declared}", "\\begin{align}", "\\begin{enumerate}", "theta ? 3 \\end {verbatim}",
      "\\section{Source}", "\\sum_k p_k", "\\end{document}" } do assert(text:find(part, 1, true), part) end
    assert.equal(select(2, text:gsub("\\begin{verbatim}", "")), select(2, text:gsub("\n\\end{verbatim}", "")))
    if os.execute "pdflatex --version > /dev/null 2>&1" then
      local core = require "hamel.core"
      local spawn = core.host.spawn
      core.host.spawn = function(words, ...)
        if words[2] == "--version" and words[1] ~= "pdflatex" then return nil, "not found" end
        return spawn(words, ...)
      end
      local pdf = out:gsub("tex$", "pdf")
      local fine = report.write(script, pdf)
      core.host.spawn = spawn
      local made = assert(io.open(pdf, "rb"))
      assert.truthy(fine and made:read(4) == "%PDF")
      made:close()
      os.remove(pdf)
    end
    os.remove(script)
    os.remove(out)
  end)

  it("is refused as PDF where neither a browser nor LaTeX is installed, before the script runs", function()
    local status, output = check.script [[
      require "hamel"
      local core = require "hamel.core"
      local spawn = core.host.spawn
      core.host.spawn = function(words, ...) if words[2] == "--version" then return nil, "not found" end return spawn(words, ...) end
      local fine, message = pcall(require "hamel.show.report".write, "/nowhere.lua", "/nowhere.pdf")
      print(fine, message)
    ]]
    assert.equal(0, status)
    assert.truthy(output:find("neither is installed (Debian: chromium, or texlive-latex-base); -o page.html makes a page", 1, true), output)
  end)

  it("breaks long equations into lines, each a formula of its own", function()
    local html = page_of [[
      local hm = require "hamel"
      local S = hm.system "chain"
      local q = { S:coordinates "q1 q2 q3 q4" }
      local m, l = S:positive "m l"
      local x, y, T = 0, 0, 0
      for i = 1, 4 do
        x, y = x + l*hm.sin(q[i]), y - l*hm.cos(q[i])
        T = T + m/2*(hm.dt(x)^2 + hm.dt(y)^2)
      end
      S:kinetic_energy(T)
      print(S:equations())
    ]]
    assert.is_true(select(2, html:gsub('<div class="continued"><math', "")) >= 4)
    assert.is_nil(html:find("notag", 1, true))
    assert.is_nil(html:find("qquad", 1, true))
    check_balance(html)
    check_balance(mathml.of "a \\bigl( b + c")
  end)

  it("is written when a check fails or the script breaks, and says so", function()
    local html, fine = page_of [[
      local P = require "hamel".paper{ title = "Wrong" }
      P:agrees("(1)", "one and two", 1.0)
      P:finish()
    ]]
    assert.falsy(fine)
    assert.truthy(html:find('class="FAILED"', 1, true))
    local broken, well = page_of "print 'before'\nerror 'it broke'"
    assert.falsy(well)
    assert.truthy(broken:find("before", 1, true) and broken:find("it broke", 1, true) and broken:find("The script failed", 1, true))
    -- the lines of the script, none of the library
    local deep = page_of "local function f() require 'hamel'.system 'p':simulate{ tt = 3 } end\nf()"
    assert.truthy(deep:find("unknown option 'tt'", 1, true) and deep:find(":1: in function 'f'", 1, true) and deep:find(":2: in main chunk", 1, true))
    assert.falsy(deep:find("options.lua", 1, true) or deep:find("xpcall", 1, true) or deep:find("[C]", 1, true))
    -- the world is as it was
    assert.equal("OK", check.sleigh(hm):simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0 }, t = 1 }.status)
    check.raises({ "report" }, report.write, "/nonexistent.lua", "/tmp/x.html")
  end)

  it("of a script that os.exit cuts says so and is no success", function()
    local function of(text)
      local script, out = os.tmpname(), os.tmpname()
      check.write(script, text)
      local fine, _, problem, cut = report.write(script, out)
      local written = assert(io.open(out))
      local html = written:read "a"
      written:close()
      os.remove(script)
      os.remove(out)
      assert.is_nil(problem)
      return fine, cut, html
    end
    for text, line in pairs{ ["print 'one'\nos.exit(0)\nprint 'never'"] = 3, ["#!hamel\nlocal function main()\n  os.exit(true)\nend\nmain()\n\nerror()"] = 6,
      ["if print then\n  os.exit(\n    0\n  )\nend\n--[[ a\ntext ]] local x = 1"] = 6 } do
      local fine, cut, html = of(text)
      assert.is_false(fine, text)
      assert.truthy(cut:find("from line " .. line .. " on", 1, true), cut)
      assert.truthy(html:find(cut, 1, true))
    end
    for _, text in ipairs{ "os.exit(\n  0\n)\n-- the end\n--[==[ of\n it ]==]\n", "if print then\n  os.exit(0)\nelse\n  os.exit(1)\nend\n",
      "local function main()\n  os.exit(0)\nend\nmain{\n  1,\n}" } do
      local fine, cut = of(text)
      assert.is_true(fine, text)
      assert.is_nil(cut)
    end
  end)

  it("holds what modules of the script print, and leaves print and os.exit of everybody alone", function()
    local folder = os.tmpname()
    os.remove(folder)
    local file = assert(io.open(folder .. "_helper.lua", "w"))
    file:write "print 'told by a helper'\nreturn 3"
    file:close()
    local name = folder:match "[^/]*$" .. "_helper"
    local html, fine = page_of(([[
      package.path = "%s/?.lua;" .. package.path
      assert(require "%s" == 3)
      local everybody = debug.getregistry()[2]
      assert(("%%p %%p"):format(everybody.print, everybody.os.exit) == "%s")
    ]]):format(folder:match "^(.*)/", name, ("%p %p"):format(print, os.exit)))
    os.remove(folder .. "_helper.lua")
    assert.truthy(fine)
    assert.truthy(html:find("told by a helper", 1, true))
  end)

  it("shows pictures inline where gnuplot is installed", function()
    if not os.execute "gnuplot --version > /dev/null 2>&1" then return pending "gnuplot is missing" end
    local html = page_of [[
      local hm = require "hamel"
      local S = hm.system "line"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      local run = S:simulate{ q = {x=0}, v = {x=1}, t = 2 }
      print(run:plot "x")
    ]]
    assert.truthy(html:find("<figure><svg", 1, true) and html:find("</svg>", 1, true))
    -- the picture stands once, not also in characters
    assert.is_nil(html:find("+----", 1, true))
  end)
end)

describe("the manual", function()
  it("holds the tutorials and a page for every name, and is well formed", function()
    local path = os.tmpname()
    require "hamel.book.manual".write(path)
    local file = assert(io.open(path))
    local html = file:read "a"
    file:close()
    os.remove(path)
    check_balance(html)
    for _, part in ipairs{ '<section id="accuracy-and-speed">', '<section id="coulomb">', "S:simulate(given)", "hm.range(a, b, n)", "S:periodic(given)",
      "run:animate(path, shapes, given)", '<pre class="out">' } do assert.truthy(html:find(part, 1, true)) end
    -- links inside the page lead somewhere
    for target in html:gmatch 'href="#([^"]+)"' do assert.truthy(html:find('id="' .. target .. '"', 1, true)) end
  end)
end)
