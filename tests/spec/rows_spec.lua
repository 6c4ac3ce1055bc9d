-- Lists that are written once: options and counters of runs, what is kept, methods with what they take, records of forms
local hm, check, core = require "hamel", require "check", require "hamel.core"
local Equations, methods = require "hamel.equations", require "hamel.run.methods"

local function block()
  local S = hm.system "block"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:unilateral("floor", y, { law = hm.moreau(0) })
  return S, { q = { x = 0, y = 1 }, v = { x = 1, y = 0 }, t = 0.1 }
end

describe("the lists of the core", function()
  it("are those of outcomes and options", function()
    local S = check.sleigh(hm)
    local run = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0 }, t = 1 }
    for _, name in ipairs(core.rows.counters) do assert.equal("integer", math.type(run.outcome[name]), name) end
    for _, name in ipairs(core.rows.run_options) do
      if name ~= "refuse_several" then assert.truthy(require "hamel.run.simulate".run_schema[name], name) end
    end
    for _, record in ipairs(core.rows.keepings) do
      assert.equal("OK", S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0 }, t = 1, record = record }.status)
    end
  end)
end)

describe("a method", function()
  it("is a row that says what it takes", function()
    for name, row in pairs(methods.rows) do assert.equal("string", type(row.title), name) end
    for name in pairs(core.steppers()) do assert.truthy(methods.rows[name], name) end
    local S, o = block()
    o.method = "moreau"
    check.raises({ "'moreau'", "step = 0.001" }, S.simulate, S, o)
    o.step, o.events = 1e-3, { { name = "e", when = hm.t - 1 } }
    check.raises({ "'moreau'", "locates no events" }, S.simulate, S, o)
    o.events, o.several = nil, "refuse"
    check.raises({ "'moreau'", "several motions" }, S.simulate, S, o)
    o.several, o.method = nil, "dop853"
    check.raises({ "rk4", "gauss4", "dla", "moreau", "'dop853' chooses its steps" }, S.simulate, S, o)
    o.step, o.method, o.form = nil, "whole course", "nielsen"
    check.raises({ "whole course", "remove form = 'nielsen'" }, S.simulate, S, o)
    o.form, o.method = nil, "morau"
    check.raises({ "did you mean 'moreau'" }, S.simulate, S, o)
  end)

  it("that runs by itself keeps no checkpoints, and says so", function()
    local S = check.oscillator(hm, function(x) return x^2/2 end)
    check.raises({ "checkpoints are for runs" }, S.simulate, S, { q = { x = 1 }, v = { x = 0 }, t = 1, method = "dla", step = 0.1, checkpoint = "x.hamel" })
  end)
end)

describe("the record of a form", function()
  local function derive(system) return system:equations "lagrange" end

  it("is checked when it is declared", function()
    check.raises({ "form", "'title' is missing" }, hm.form, { name = "own", derive = derive })
    check.raises({ "form 'own'", "takes has no 'dependant'", "did you mean 'dependent'" }, hm.form,
      { name = "own", title = "Own equations", derive = derive, options = { dependant = true } })
    check.raises({ "'maggi' already" }, hm.form, { name = "maggi", title = "Own equations", derive = derive })
  end)

  it("gives its name and title to equations that have none, which know their fields", function()
    local S = check.sleigh(hm)
    for name, form in pairs(require "hamel.forms") do
      local fine, E = pcall(S.equations, S, name)
      if fine then
        assert.equal(name, E.form)
        if name ~= "whole course" then assert.equal(form.title, E.title) end
      end
    end
    check.raises({ "Equations.new", "'powr'", "did you mean 'power'" }, Equations.new, { powr = 1 })
  end)
end)
