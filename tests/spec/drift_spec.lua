-- The status of runs without projection: one threshold, whatever the method and the length of the run.
local mechanics = require "mechanics"

local pendulum = mechanics.rod

local function run(o)
  o.q, o.v, o.progress = { x = 1, y = 0 }, { y = 0 }, false
  return pendulum():simulate(o)
end

describe("constraints that drift without projection", function()
  it("make a run inaccurate where they are broken, and only there", function()
    for _, method in ipairs{ "dop853", "radau5", "rkf45" } do
      for _, tolerance in ipairs{ 1e-4, 1e-5, 1e-6, 1e-8 } do
        for _, t in ipairs{ 10, 60, 150 } do
          local free = run{ t = t, rtol = tolerance, atol = tolerance, method = method, project = false }
          local what = ("%s, %g, t = %g: drift %.2g, %s"):format(method, tolerance, t, free.constraint_drift, free.status)
          -- the terms of the constraint, 2 x^2 + 2 y^2, are 2; and no drift within 100 tolerances is a fault
          if free.constraint_drift > 0.03 then assert.not_equal("OK", free.status, what) end
          local blamed = free.status == "INACCURATE" and free.reason:find("a constraint is off", 1, true)
          if free.constraint_drift < 100*tolerance then assert.falsy(blamed, what) end
          if blamed then
            assert.truthy(free.reason:find("remove project = false", 1, true), free.reason)
            -- the advice works
            local kept = run{ t = t, rtol = tolerance, atol = tolerance, method = method }
            if kept.energy_drift < 1e-2 then assert.equal("OK", kept.status, what) end
          end
        end
      end
    end
  end)

  it("over a long run, too", function()
    local free = run{ t = 1000, rtol = 1e-6, atol = 1e-6, project = false }
    assert.is_true(free.constraint_drift > 0.1)
    assert.equal("INACCURATE", free.status)
  end)
end)

describe("an energy balance", function()
  it("that is off by more than a hundredth of the energy and 20 rtol is explained by no number of steps", function()
    local S, x = mechanics.body("oscillator", "x")
    S:potential_energy(x^2/2)
    for _, tolerance in ipairs{ 1e-2, 1e-3, 1e-4 } do
      local slow = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 2000, rtol = tolerance, atol = tolerance, method = "rkf45", progress = false }
      local off = slow.energy_drift > 1.1*math.max(1e-2, 20*tolerance)
      assert.equal(off and "INACCURATE" or slow.status, slow.status, tostring(slow.energy_drift))
      if off then assert.truthy(slow.reason:find("too loose", 1, true) or slow.reason:find("far more", 1, true), slow.reason) end
    end
  end)

  -- nothing moves: the rounding of the velocities is no energy
  it("of a body at rest is measured by the energy of velocities of atol", function()
    local S, x, y = mechanics.body("corner", "x y")
    S:force(x, -7.6 + x/3)
    S:force(y, -1.2)
    S:unilateral("floor", x + 0.275*y - 0.799, { law = require("hamel").plastic() })
    S:unilateral("wall", 0.249*x - 0.377*y - 0.208, { law = require("hamel").plastic() })
    local falls = S:simulate{ q = { x = 0.81, y = -0.0202 }, v = { x = 0, y = 0 }, t = 2 }
    local rest = S:simulate{ q = { x = falls:at(2).x, y = falls:at(2).y }, v = { x = 0, y = 0 }, t = 2, first_step = 0.1 }
    assert.equal("OK", rest.status)
    assert.is_true(falls.energy_drift < 1e-8 and rest.energy_drift < 1e-9, rest.energy_drift)
  end)
end)
