-- Steps of one size have no absolute tolerance: their verdict is the same in every unit of length and time. Arbiter: A cos t in closed form.
local hm = require "hamel"

local function oscillator(length, time, options)
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2/time^2)
  local o = { q = { x = length }, v = { x = 0 }, t = 100*time, method = options.method, step = options.step*time, progress = false }
  local run, off = S:simulate(o), 0
  for i = 1, 400 do off = math.max(off, math.abs(run:at(o.t*i/400).x/length - math.cos(i/4))) end
  o.over, o.q = { x = { length, length } }, nil
  return run, off, S:sweep(o)[2]
end

local units = { { 1, 1 }, { 1e-6, 1 }, { 1e-9, 1 }, { 1e-14, 1 }, { 1e6, 1 }, { 1, 1e4 }, { 1, 1e-4 }, { 1e-9, 1e4 }, { 1e-9, 1e-4 } }

describe("the verdict of steps of one size", function()
  it("does not depend on the units of length and time", function()
    for _, options in ipairs{ { method = "gauss4", step = 1 }, { method = "gauss4", step = 0.6 }, { method = "gauss4", step = 0.2 },
                              { method = "gauss6", step = 1.5 }, { method = "rk4", step = 0.05 }, { method = "rk4", step = 0.3 } } do
      local first
      for _, unit in ipairs(units) do
        local run, off, row = oscillator(unit[1], unit[2], options)
        local what = ("%s, step %g, units %g and %g: %s"):format(options.method, options.step, unit[1], unit[2], tostring(run.reason))
        assert.equal(off > 0.01 and "INACCURATE" or "OK", run.status, what)
        assert.equal(run.status, row.status, what)
        first = first or run.outcome.step_errors
        assert.near(1, run.outcome.step_errors/first, 0.02, what)
      end
    end
  end)

  it("is no noise at rest", function()
    local S = hm.system "rest"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-hm.cos(x) + (y - 1)^2/2 + (x - y + 1)^2/2)
    for _, start in ipairs{ { x = 0, y = 1 }, { x = 1e-300, y = 1 }, { x = 0, y = 1 + 1e-15 } } do
      for _, method in ipairs{ "gauss4", "rk4" } do
        local run = S:simulate{ q = start, v = { x = 0, y = 0 }, t = 20, method = method, step = 0.7, progress = false }
        assert.equal("OK", run.status, run.reason)
      end
    end
  end)
end)
