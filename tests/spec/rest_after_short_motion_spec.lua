-- Energy balances of long runs that are at rest for most of their time: the largest energy is that of the short motion before, and the work that rounding and
-- tolerances make at rest is compared with it
local hm, check = require "hamel", require "check"

-- A light pendulum in a viscous fluid under a torque; arbiter: it comes to rest at asin g
local function stiff_pendulum()
  local S = hm.system "stiff pendulum"
  local b = S:coordinates "b"
  local g = S:parameters "g=0.9"
  S:kinetic_energy(b.dot^2/200)
  S:force(b, g - hm.sin(b) - b.dot)
  return S
end

-- The same, pushed by a pulse, and an oscillator beside it that nothing damps
local function with_oscillator()
  local S = hm.system "stiff pendulum and oscillator"
  local x, y = S:coordinates "x y"
  local R = hm.rational
  S:kinetic_energy(R(912, 10000)*x.dot^2/2 + y.dot^2/2)
  S:potential_energy(R(3, 2)*y^2/2 + y^4/40)
  S:force(x, R(12, 10) - R(126, 100)*hm.sin(x) + 10*hm.exp(-((hm.t - R(34, 100))/R(11, 100))^2) - R(159, 100)*x.dot + R(28, 1000)*y)
  S:force(y, R(28, 1000)*hm.sin(x))
  return S
end

describe("a long rest after a short motion", function()
  it("makes no run inaccurate, at any tolerance, with a bound of the step or with fixed steps", function()
    local S = stiff_pendulum()
    for _, o in ipairs{ {}, { rtol = 1e-6, atol = 1e-6 }, { max_step = 0.02 }, { method = "rk4", step = 0.005, t = 1000 } } do
      o.q, o.v, o.t = { b = 0 }, { b = 0 }, o.t or 3000
      local run = S:simulate(o)
      assert.equal("OK", run.status, run.reason)
      check.near(run:at(o.t).b, math.asin(0.9), 1e-10)
    end
  end)

  it("makes no row of a sweep or a chart inaccurate", function()
    local S = stiff_pendulum()
    local over = { { "g", { 0.5, 0.9 } } }
    local W = S:sweep{ over = over, q = { b = 0 }, v = { b = 0 }, t = 5000 }
    local C = S:chart{ over = over, q = { b = 0 }, v = { b = 0 }, t = 5000, of = "rotation", angle = "b" }
    for i, g in ipairs{ 0.5, 0.9 } do
      assert.equal("OK", W[i].status, W[i].reason)
      check.near(W[i].b, math.asin(g), 1e-10)
      assert.equal("OK", C[i].status, C[i].reason)
      check.near(C[i].rotation, 0, 1e-9)
    end
  end)

  -- Arbiter: the same run with tolerances of 1e-12
  it("does not hide that a small motion beside it is wrong", function()
    local S = with_oscillator()
    local o = { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, t = 3000, rtol = 1e-4, atol = 1e-4, method = "auto" }
    local loose = S:simulate(o)
    o.rtol, o.atol = 1e-12, 1e-12
    local tight = S:simulate(o)
    assert.equal("OK", tight.status, tight.reason)
    assert.truthy(math.abs(loose:at(3000).y - tight:at(3000).y) > 1e-3)
    assert.equal("INACCURATE", loose.status)
  end)
end)
