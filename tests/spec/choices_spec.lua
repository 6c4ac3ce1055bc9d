-- a wrong value of an option, a form, a method or a law is answered with all that there are
local hm, check = require "hamel", require "check"
local options, object = require "hamel.base.options", require "hamel.base.object"
local forms, methods, places = require "hamel.forms", require "hamel.run.methods", require "hamel.repl.places"

local function oscillator()
  local S = hm.system "oscillator"
  local x, y = S:coordinates "x y"
  local m = S:positive "m=1"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2))
  S:potential_energy(m*(x^2 + 2*y^2)/2)
  return S
end

local START = { q = { x = 1, y = 0 }, v = { x = 0, y = 0 }, t = 1 }

describe("choices", function()
  it("are listed where the value is none of them", function()
    local S, seen = oscillator(), 0
    for _, name in ipairs{ "several", "record", "executor" } do
      local list = assert(options.choices(name, "simulate"))
      local given = { q = START.q, v = START.v, t = 1, [name] = "zzzz" }
      local wanted = { name .. " is ", "not 'zzzz'" }
      for _, choice in ipairs(list) do wanted[#wanted + 1] = "'" .. choice .. "'" end
      check.raises(wanted, S.simulate, S, given)
      seen = seen + #list
    end
    assert.truthy(seen >= 9)
    check.raises({ "'expanded'", "'factored'", "did you mean 'expanded'" }, hm.t.simplify, hm.t + 1, "expand")
    check.raises({ "'any' or 'declared', not 'all'" }, S.invariant_measure, S, { parameters = "all" })
    check.raises({ "'rising', 'falling' or 'both', not 'up'" }, S.section, S, { q = START.q, v = START.v, t = 1, when = "x", direction = "up" })
  end)

  it("of methods and forms are all listed, by the words of other programs too", function()
    local S = oscillator()
    for _, word in ipairs{ "ode45", "zzzz" } do
      local wanted = { "there is no method '" .. word .. "'" }
      for _, name in ipairs(object.keys(methods.rows)) do wanted[#wanted + 1] = name end
      check.raises(wanted, S.simulate, S, { q = START.q, v = START.v, t = 1, method = word })
    end
    check.raises({ "did you mean 'dop853'" }, S.simulate, S, { q = START.q, v = START.v, t = 1, method = "ode45" })
    check.raises({ "did you mean 'radau5'" }, S.simulate, S, { q = START.q, v = START.v, t = 1, method = "ode15s" })
    local wanted = { "there is no form 'zzzz'" }
    for _, name in ipairs(object.keys(forms)) do wanted[#wanted + 1] = name end
    check.raises(wanted, S.equations, S, "zzzz")
    check.raises({ "the name of a form is a text, not a number" }, S.equations, S, 3)
  end)

  it("complete in quotation marks, each in its function", function()
    for before, wanted in pairs{ ['S:simulate{ record = "'] = { "ends", "impacts", "steps" }, ['S:simulate{ several = "'] = { "refuse", "take" },
                                 ['S:conserved{ parameters = "'] = { "any", "declared" }, ['S:section{ direction = "'] = { "both", "falling", "rising" },
                                 ['e:simplify "'] = { "auto", "collected", "expanded", "factored", "fraction", "normal" } } do
      local found = places.candidates("", before, function() return nil end)
      table.sort(found)
      assert.are.same(wanted, found, before)
    end
    assert.are.same({ "SINGULAR", "SINGULAR_MASS" }, places.candidates("SINGULAR", 'help "', function() return nil end))
  end)

  it("of equations may stand in a table", function()
    local S = oscillator()
    assert.equal(S:equations "hamel", S:equations{ form = "hamel" })
    assert.equal(S:equations(), S:equations{})
    check.raises({ "two forms are given" }, S.equations, S, "hamel", { form = "maggi" })
    check.raises({ "unknown option 'from'" }, S.equations, S, { from = "hamel" })
  end)

  it("of values may be exact numbers", function()
    local x = hm.symbols "x"
    assert.equal(math.pi^2, (x^2):eval{ x = hm.pi })
    assert.equal(0.25, (x^2):eval{ [x] = hm.rational(1, 2) })
    check.raises({ "the value of x is the expression" }, x.eval, x, { x = x + 1 })
  end)

  it("of velocities may be left out of a linearization at rest", function()
    local S = oscillator()
    local at_rest, given = S:linearize{ q = { x = 0, y = 0 } }, S:linearize{ q = { x = 0, y = 0 }, v = { x = 0, y = 0 } }
    assert.are.same(given.A, at_rest.A)
    assert.truthy(math.abs(at_rest.eigenvalues[1].im) > 1.41)
    check.raises({ "v is missing for y" }, S.linearize, S, { q = { x = 0, y = 0 }, v = { x = 0 } })
  end)
end)
