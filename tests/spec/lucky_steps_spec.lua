-- a step whose estimated error is zero by accident: arbiter is each step made again at 1e-14
local hm = require "hamel"

describe("a step of dop853", function()
  it("is not accepted where the estimate of its error passes through zero", function()
    local S = hm.system "driven pendulum"
    local a = S:coordinates "a"
    local torque = S:parameters "torque=8/5"
    S:kinetic_energy(a.dot^2/2)
    S:force(a, -a.dot/2 - hm.sin(a) + torque + hm.cos(hm.rational(2, 3)*hm.t)*hm.rational(6, 5))
    -- with this start a step from the first state to t = 0.696 has an estimated error of 0.001 tolerances, and is off by 1500
    local t0 = 2047.8138093471
    local run = S:simulate{ q = { a = 6475.35821482 }, v = { a = 3.9916854268351 }, t = { t0, t0 + 3 }, first_step = 0.6964186 }
    assert.equal("OK", run.status, run.reason)
    local before = run[1]
    for i = 2, #run do
      local now = run[i]
      local again = S:simulate{ q = before.q, v = before.v, t = { before.t, now.t }, rtol = 1e-14, atol = 1e-14 }
      local off = math.abs(again[#again].v.a - now.v.a)
      assert.truthy(off < 100e-9*(1 + math.abs(now.v.a)), ("the step to t = %.9g is off by %.3g"):format(now.t, off))
      before = now
    end
  end)
end)
