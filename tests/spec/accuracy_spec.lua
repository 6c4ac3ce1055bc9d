-- run:accuracy(): the same motion by another method at tighter tolerances
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

local function double_pendulum()
  local S = hm.system "double pendulum"
  local a, b = S:coordinates "a b"
  S:kinetic_energy(a.dot^2 + b.dot^2/2 + a.dot*b.dot*hm.cos(a - b))
  S:potential_energy(-2*9.81*hm.cos(a) - 9.81*hm.cos(b))
  return S
end

describe("the accuracy of a run", function()
  it("is the true error of a regular motion", function()
    local S = check.oscillator(hm, function(x) return x^2/2 end)
    for _, o in ipairs{ { method = "dop853", rtol = 1e-6, atol = 1e-6 }, { method = "auto" }, { method = "taylor" }, { method = "radau5" },
      { method = "rk4", step = 0.05 } } do
      o.q, o.v, o.t, o.progress = { x = 1 }, { x = 0 }, 30, false
      local run = S:simulate(o)
      local c, worst = run:accuracy(), 0
      for k = 0, 400 do worst = math.max(worst, math.abs(run:at(30*k/400).x - math.cos(30*k/400))) end
      assert.truthy(math.abs(c.difference.x - worst) <= 0.1*worst + 1e-9, o.method)
      assert.equal(c.run, run)
      assert.not_equal(o.method, c.other.options.method)
      assert.equal(run, hm.last_run())
      assert.truthy(c.digits.x <= -math.log(worst, 10) + 1)
    end
  end)

  it("shows from when on the digits of a chaotic motion are lost", function()
    local run = double_pendulum():simulate{ q = { a = 2, b = 2.5 }, v = { a = 0, b = 0 }, t = 20, progress = false }
    assert.equal("OK", run.status)
    local c = run:accuracy()
    for _, name in ipairs{ "a", "b" } do
      assert.equal(0, c.digits[name])
      assert.truthy(c.difference[name] > 1 and c.lost[name] > 2 and c.lost[name] < 10)
    end
    assert.truthy(tostring(c):find("1000 tolerances from t", 1, true))
    local mild = double_pendulum():simulate{ q = { a = 0.1, b = 0 }, v = { a = 0, b = 0 }, t = 20, progress = false }:accuracy()
    assert.truthy(mild.digits.a >= 6 and not mild.lost.a and not mild.lost.b)
  end)

  it("is found with contacts, over runs that stop, and where few points are kept", function()
    local B, h = mechanics.body("ball", "h")
    B:force(h, -9.81)
    B:unilateral("floor", h, { law = hm.newton(0.8) })
    local run = B:simulate{ q = { h = 1 }, v = { h = 0 }, t = 2, progress = false }
    assert.truthy(run:accuracy().difference.h < 1e-6)
    local S = check.oscillator(hm, function(x) return x^2/2 end, function(x) return 1/(2 - x) end)
    local stopped = S:simulate{ q = { x = 0 }, v = { x = 3 }, t = 5, progress = false }
    assert.not_equal("OK", stopped.status)
    local c = stopped:accuracy()
    assert.truthy(c.difference.x < 1e-3 and tostring(c):find("singular", 1, true))
    local ends = check.oscillator(hm, function(x) return x^2/2 end):simulate{ q = { x = 1 }, v = { x = 0 }, t = 5, record = "ends", progress = false }
    assert.truthy(ends:accuracy().difference.x < 1e-6)
  end)

  it("takes another method by name, and says what it does not take", function()
    local run = check.oscillator(hm, function(x) return x^2/2 end):simulate{ q = { x = 1 }, v = { x = 0 }, t = 5, progress = false }
    assert.equal("rk8pd", run:accuracy{ method = "rk8pd", rtol = 1e-12 }.other.options.method)
    check.raises({ "accuracy", "metod" }, run.accuracy, run, { metod = "rk8pd" })
    check.raises({ "accuracy", "no method" }, run.accuracy, run, { method = "rk9" })
    assert.truthy(tostring(run):find("each step to 1e-09", 1, true))
  end)
end)
