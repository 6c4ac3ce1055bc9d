-- Numbers that users write keep their exact values: roots, sines, exponentials of whole numbers, and square roots by 2^0.5 or math.sqrt.
local hm = require "hamel"
local check = require "check"

local x = hm.symbols "x"
local raises = check.raises

describe("functions of whole numbers", function()
  it("are exact, and plain numbers where these hold the value", function()
    for e, text in pairs{ [hm.sqrt(3)] = "sqrt(3)", [hm.sqrt(8)] = "2*sqrt(2)", [hm.exp(1)] = "exp(1)", [hm.log(2)] = "log(2)", [hm.atan(1)] = "pi/4",
                          [hm.atan(1, -1)] = "3*pi/4", [hm.cos(3)] = "cos(3)", [hm.asin(1)] = "pi/2" } do
      assert.equal(text, tostring(e))
    end
    for _, pair in ipairs{ { 2, hm.sqrt(4) }, { 0, hm.sin(0) }, { 1, hm.exp(0) }, { 3, hm.abs(-3) }, { 2, hm.max(1, 2) }, { -1, hm.sign(-5) } } do
      assert.equal(pair[1], pair[2])
    end
    assert.equal("sqrt(3)", tostring(hm.sqrt(hm.sqrt(9))))
  end)

  it("prove identities", function()
    assert.equal("0", tostring(hm.sqrt(3)*hm.sqrt(3) - 3))
    assert.is_true((x*hm.exp(1)*hm.exp(-1) - x):is_zero())
    assert.is_true((hm.log(6) - hm.log(2) - hm.log(3)):is_zero())
    assert.is_true((hm.sin(1)^2 + hm.cos(1)^2 - 1):is_zero())
    assert.is_true((2^(1/2)*x*math.sqrt(3) - hm.sqrt(6)*x):is_zero())
    assert.is_true((hm.sqrt(0.5)*(hm.sqrt(1/3)*x) - x/hm.sqrt(6)):is_zero())
  end)

  it("keep constraints integrable", function()
    for _, root in ipairs{ hm.sqrt(3), 3^0.5, math.sqrt(3) } do
      local S = hm.system "s"
      local u, v, w = S:coordinates "u v w"
      S:kinetic_energy((u.dot^2 + v.dot^2 + w.dot^2)/2)
      S:constraint("a", root*(root*v*u.dot) + 3*u*v.dot - w.dot)
      assert.is_true(S:holonomic())
    end
  end)

  it("of floats are floats, and neighbours of fractions stay themselves", function()
    assert.equal(math.sin(0.3), hm.sin(0.3))
    assert.equal(math.sqrt(3), hm.sqrt(3.0))
    assert.equal("0.30000000000000004*x", tostring((0.1 + 0.2)*x))
    assert.equal("1.2345678901234567*x", tostring(1.2345678901234567*x))
    assert.equal("float", (2^0.5*(1 + 1e-12) + x - x):kind())
    assert.equal("float", hm.number(2^0.5):kind())                       -- a value, not a formula
  end)

  it("have values where numbers are expected", function()
    local S = hm.system "s"
    local q = S:coordinates "q"
    local m = S:positive "m"
    S:kinetic_energy(m*q.dot^2/2)
    local root = hm.sqrt(2)
    local run = S:simulate{ q = { q = root }, v = { q = hm.exp(1) }, t = hm.sqrt(3), parameters = { m = hm.log(2) } }
    check.near(run:at(hm.sqrt(3)).q, math.sqrt(2) + math.exp(1)*math.sqrt(3), 1e-9)
    check.near((x^2):eval{ x = hm.sqrt(5) }, 5, 1e-12)
    check.near(hm.range(0, hm.sqrt(2), 3)[2], math.sqrt(0.5), 1e-12)
    local fixed = S:simulate{ q = { q = 0 }, v = { q = 1 }, t = 1, parameters = { m = 1 }, method = "rk4", step = hm.sqrt(2)/100 }
    check.near(fixed:at(1).q, 1, 1e-9)
    raises({ "restitution is 1.73" }, hm.newton, hm.sqrt(3))
    raises({ "is not below" }, hm.ramp, x, hm.sqrt(3), 1)
    raises({ "eval: the value of x is the expression x, not a number" }, (x^2).eval, x^2, { x = x })
    raises({ "m is positive and cannot be -sqrt(2)" }, m.subs, m, { [m] = -hm.sqrt(2) })
  end)

  it("are accepted from functions that runs call", function()
    local S = hm.system "s"
    local q = S:coordinates "q"
    S:kinetic_energy(q.dot^2/2)
    S:force(q, function() return hm.sqrt(2) end)
    local run = S:simulate{ q = { q = 0 }, v = { q = 0 }, t = 1, events = { { name = "e", when = function(_, state) return state.q - hm.sqrt(2)/4 end } } }
    check.near(run:at(1).q, math.sqrt(2)/2, 1e-9)
    assert.equal(1, #run.events)
    check.near(run.events[1].t, math.sqrt(0.5), 1e-8)
    local B = hm.system "b"
    local y, z = B:coordinates "y z"
    B:kinetic_energy((y.dot^2 + z.dot^2)/2)
    local half, third = hm.sqrt(1)/hm.sqrt(4), hm.sqrt(3)/3
    B:unilateral("wall", y, { law = function(c) return { normal = -half*c.normal, rough = { third } } end, rough = { z.dot } })
    local s = B:simulate{ q = { y = 1, z = 0 }, v = { y = -1, z = 0 }, t = 2 }:at(2)
    check.near(s.y, 0.5, 1e-9)
    check.near(s.v.z, 1/math.sqrt(3), 1e-9)
    local u = hm.data{ x = { 0, hm.sqrt(2), 2 }, y = { 0, hm.pi, 1 }, kind = "linear" }
    check.near(u(math.sqrt(2)), math.pi, 1e-12)
  end)

  it("have an order", function()
    assert.is_true(hm.sqrt(3) < 2 and hm.sqrt(2)*hm.sqrt(3) <= hm.sqrt(6) and 3 < hm.pi and not (hm.sqrt(6) < hm.sqrt(2)*hm.sqrt(3)))
    assert.is_true(hm.pi < math.huge and hm.pi > -math.huge and not (hm.pi < 0/0) and not (hm.pi >= 0/0))
    raises({ "expressions have no order" }, function() return x < 3 end)
  end)
end)

describe("functions outside their domain", function()
  it("refuse numbers as they refuse expressions", function()
    raises({ "(-1)^(1/2) is not a real number" }, hm.sqrt, -1)
    raises({ "log(-1) is not a real number" }, hm.log, -1)
    raises({ "log(0) is not a real number" }, hm.log, 0.0)
    raises({ "asin(2) is not a real number" }, hm.asin, 2)
    raises({ "asin(3/2) is not a real number" }, hm.asin, 1.5)
    raises({ "atan2(0, 0) has no value" }, hm.atan2, 0, 0)
    assert.is_true(hm.sqrt(0/0) ~= hm.sqrt(0/0))
    assert.equal(math.huge, hm.exp(1e5))
  end)
end)
