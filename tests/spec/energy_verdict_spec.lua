-- The verdict on the energy balance of a run: each step that breaks it is found, and accurate runs pass.
local hm = require "hamel"

local function point()
  local S = hm.system "point"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  return S, x
end

describe("a step that passes over a narrow force", function()
  local S, x = point()
  S:potential_energy(-hm.exp(-((x - 4.339)*1e5)^2))

  -- far from the well the speed is that of the start
  local function speed_error(options)
    options.q, options.v, options.t, options.progress, options.atol = { x = 0 }, { x = 1 }, 10, false, options.rtol
    local run = S:simulate(options)
    return math.abs(run:at(10).v.x - 1), run
  end

  it("is found at every tolerance", function()
    local found = 0
    for _, method in ipairs{ "radau5", "auto", "dop853", "rkf45", "taylor" } do
      for power = 6, 11 do
        local off, run = speed_error{ method = method, rtol = 10^-power }
        if run.status == "INACCURATE" then
          found = found + 1
          assert.truthy(run.reason:find("energy balance", 1, true), run.reason)
        elseif run.status == "OK" then
          assert.is_true(off < 1000*run.options.rtol, ("%s at %g: %g"):format(method, run.options.rtol, off))
        end
      end
    end
    assert.is_true(found > 0)
  end)

  it("is mended as the message says", function()
    local off, run = speed_error{ method = "radau5", rtol = 1e-9 }
    assert.is_true(off > 1e-3)
    assert.equal("INACCURATE", run.status)
    assert.equal("OK", select(2, speed_error{ method = "radau5", rtol = 1e-11 }).status)
    assert.equal("OK", select(2, speed_error{ method = "radau5", rtol = 1e-9, max_step = 0.01 }).status)
  end)
end)
