-- A drive that does far more work than remains in the motion: errors of the work are none of the motion. Arbiter: the solution of x'' + k x = F cos(w t)
-- from rest.
local hm = require "hamel"

local function driven(k, w, F)
  local S = hm.system "driven"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(k*x^2/2)
  S:force(x, F*hm.cos(w*hm.t))
  return S
end

-- The largest errors of the position and the velocity, as parts of their largest values
local function errors(run, k, w, F)
  local K, w0, off, size = F/(k - w*w), math.sqrt(k), { 0, 0 }, { 0, 0 }
  for i = 1, #run do
    local t, s = run[i].t, run[i]
    local X, V = K*(math.cos(w*t) - math.cos(w0*t)), K*(w0*math.sin(w0*t) - w*math.sin(w*t))
    off[1], off[2] = math.max(off[1], math.abs(s.q.x - X)), math.max(off[2], math.abs(s.v.x - V))
    size[1], size[2] = math.max(size[1], math.abs(X)), math.max(size[2], math.abs(V))
  end
  return math.max(off[1]/size[1], off[2]/size[2])
end

describe("the energy balance of a driven motion", function()
  it("does not call a run inaccurate whose states are right", function()
    for _, one in ipairs{ { "radau5", 2.73759, 4.30295, 0.27422, 1e-4 }, { "radau5", 2.73759, 4.30295, 0.27422, 1e-3 },
                          { "dop853", 1.9914904460311, 3.3839806539007, 0.041560513835951, 1e-5 },
                          { "taylor", 3.9039957839996, 4.1240837818012, 0.021131005588958, 1e-4 } } do
      local method, k, w, F, tolerance = table.unpack(one)
      for _, record in ipairs{ "steps", "ends" } do
        local run = driven(k, w, F):simulate{ q = { x = 0 }, v = { x = 0 }, t = 120, rtol = tolerance, atol = tolerance, method = method, record = record,
          progress = false }
        assert.is_true(errors(run, k, w, F) < 0.01)
        assert.equal("OK", run.status, ("%s: %s"):format(method, tostring(run.reason)))
        assert.truthy(record == "ends" or tostring(run):find("the work in the balance is off", 1, true), tostring(run))
      end
    end
  end)

  it("calls those inaccurate that lose their motion", function()
    local lost = 0
    for _, method in ipairs{ "radau5", "msadams", "rkf45", "dop853" } do
      local k, w, F = 2.73759, 4.30295, 0.0027422
      local run = driven(k, w, F):simulate{ q = { x = 0 }, v = { x = 0 }, t = 120, rtol = 1e-3, atol = 1e-3, method = method, progress = false }
      local off = errors(run, k, w, F)
      assert.is_true(run.status ~= "OK" or off < 0.2, ("%s is off by %g"):format(method, off))
      lost = lost + (run.status == "OK" and 0 or 1)
    end
    assert.is_true(lost >= 1)
  end)
end)
