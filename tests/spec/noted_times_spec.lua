-- Rows of sweeps outside the lanes are one run each, which notes the states at several times on its way. Closed solutions arbitrate.
local hm, check = require "hamel", require "check"

local methods = { "dop853", "rk8pd", "taylor", "radau5", "msadams", "msbdf", "auto", "rk4", "gauss6" }
local steps = { rk4 = 0.01, gauss6 = 0.01 }

describe("a row by itself keeps its states", function()
  -- x = x0 cos t
  for _, method in ipairs(methods) do
    it("by " .. method .. ", at its start, twice, close together and in backward time", function()
      local S = hm.system "oscillator"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(x^2/2)
      for _, times in ipairs{ { 0, 1 }, { 0.3, 0.30000001, 1, 1, 2.5 }, { -0.5, -0.7, -2 } } do
        local W = S:sweep{ over = { { "x", { 1, 2 } } }, v = { x = 0 }, times = times, keep = { "x", "x'" }, method = method, step = steps[method], rtol = 1e-9,
                           lanes = 1, progress = false }
        for _, row in ipairs(W) do
          assert.equal("OK", row.status)
          assert.equal(#times, #row.series)
          for k, t in ipairs(times) do
            check.near(row.series[k].x, row.index*math.cos(t), 1e-6)
            check.near(row.series[k]["x'"], -row.index*math.sin(t), 1e-6)
          end
        end
      end
    end)
  end

  -- x'' = 1/(1 - x)^2 falls into x = 1 at t = 1.01843: the states before that stay
  it("up to where it stops, and none behind", function()
    local S = hm.system "fall"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, 1/(1 - x)^2)
    for _, method in ipairs{ "dop853", "rk8pd", "taylor", "radau5", "auto" } do
      local W = S:sweep{ over = { { "x'", { 0.1, 0.2 } } }, q = { x = 0 }, times = { 0.1, 0.5, 1, 2, 5 }, keep = { "x" }, method = method, lanes = 1,
                         progress = false }
      local run = S:simulate{ q = { x = 0 }, v = { x = 0.1 }, t = 1, method = method }
      assert.equal("SINGULAR", W[1].status)
      local kept = {}
      for k, t in ipairs{ 0.1, 0.5, 1 } do
        kept[k] = W[1].series[k].x
        check.near(kept[k], run:at(t).x, 1e-7)
      end
      for k = 4, 5 do
        local value = W[1].series[k] and W[1].series[k].x
        assert(value == nil or value ~= value, method)
      end
    end
  end)
end)
