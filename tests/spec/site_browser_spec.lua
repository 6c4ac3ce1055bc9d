-- hamel manual -o site/ and hamel report in a browser: no errors, no scroll bars, the search finds
require "hamel"
local check = require "check"
check.needs("command -v chromium || command -v chromium-browser || command -v google-chrome", "a browser (chromium)")
local browser, core = require "browser", require "hamel.core"
local report, Site = require "hamel.show.report", require "hamel.book.site"

local folder = os.tmpname()
os.remove(folder)
folder = folder .. "_pages/"
Site.write(folder, { seconds = 0 })

describe("the site in a browser", function()
  it("has no errors and no scroll bars at 1200 and 800 pixels", function()
    local pages = {}
    for _, name in ipairs(core.host.list(folder)) do if name:find "%.html$" then pages[#pages + 1] = name end end
    table.sort(pages)
    local wrong, seen = browser.look(folder, pages, { 1200, 800 })
    assert.are.same({}, wrong)
    assert.equal(2*#pages, seen)
  end)

  it("finds by words, synonyms and without accents", function()
    local wanted = {
      ["poincare section"] = "section", ["Poincaré"] = "section", python = "python", chaos = "lyapunov", quaternion = "rotation", bifurcation = "bifurcation",
      sinulate = false, simulate = "S:simulate", rtol = "rtol", ["knife edge slope"] = "slope", solver = "method",
    }
    local parts = {}
    for text, title in pairs(wanted) do
      parts[#parts + 1] = ([[{ const hits = view.look(%q); const titles = hits.slice(0, 8).map(h => (h[2] + " " + h[4]).toLowerCase());
        if (%s !== titles.some(t => t.includes(%q))) found.push("search for %s: " + titles.map(t => t.slice(0, 40)).join(" | ")); }]])
        :format(text, title and "true" or "false", (title or text):lower(), text)
    end
    local wrong, seen = browser.look(folder, { "index.html" }, { 1200 }, table.concat(parts, "\n"))
    assert.are.same({}, wrong)
    assert.equal(1, seen)
  end)
end)

describe("a report in a browser", function()
  it("has long formulas, an animation and a picture, no errors and no scroll bars", function()
    local script = folder .. "disc.lua"
    local file = assert(io.open(script, "w"))
    file:write(([[
      local hm = require "hamel"
      local sin, cos = hm.sin, hm.cos
      local S = hm.system "rolling disc"
      local x, y, phi, theta, psi = S:coordinates "x y phi theta psi"
      local m, r, g = S:positive "m=1 r=1 g=9.81"
      local X, Y, Z = x - r*sin(theta)*sin(phi), y + r*sin(theta)*cos(phi), r*cos(theta)
      local w1, w2, w3 = theta.dot, psi.dot + phi.dot*sin(theta), phi.dot*cos(theta)
      S:kinetic_energy(m/2*(hm.dt(X)^2 + hm.dt(Y)^2 + hm.dt(Z)^2) + m*r^2/8*(w1^2 + w3^2) + m*r^2/4*w2^2)
      S:potential_energy(m*g*Z)
      S:constraint("roll x", x.dot - r*psi.dot*cos(phi))
      S:constraint("roll y", y.dot - r*psi.dot*sin(phi))
      print(S)
      for _, form in ipairs{ "lagrange", "hamel", "voronets", "canonical" } do print(S:equations(form)) end
      print(S:derivation "appell")
      print(S:forms())
      local run = S:simulate{ q = { x = 0, y = 0, phi = 0, theta = 0.3, psi = 0 }, v = { phi = 1.0, theta = 0, psi = 1.6 }, t = 3 }
      print(run)
      run:animate("%sdisc_film.html", { { "ball", at = { X, Y, Z }, radius = r/10 }, { "trace", of = { x, y } } })
    ]]):format(folder))
    file:close()
    assert.truthy((report.write(script, folder .. "disc.html")))
    local wrong, seen = browser.look(folder, { "disc.html" }, { 1200, 800 })
    assert.are.same({}, wrong)
    assert.equal(2, seen)
  end)

  it("is printed as PDF", function()
    local script = folder .. "short.lua"
    local file = assert(io.open(script, "w"))
    file:write 'print "hello"'
    file:close()
    local fine, size = report.write(script, folder .. "short.pdf")
    assert.truthy(fine and size > 2000)
    local written = assert(io.open(folder .. "short.pdf", "rb"))
    assert.equal("%PDF", written:read(4))
    written:close()
  end)
end)

teardown(function() os.execute("rm -r '" .. folder .. "'") end)
