-- Expressions without a value: constants outside the domain of their function, values at poles or beyond the doubles, series at points where there
-- is none. Each is refused with the part that has no value.
local check, core = require "check", require "hamel.core"
local hm = require "hamel"

local x, y = hm.symbols "x y"
local p = hm.positive "p"
local one, two = hm.number(1), hm.number(2)

describe("a constant", function()
  it("outside the domain of its function is refused where it is written", function()
    for text, message in pairs{
      ["acos(2)"] = "acos(2) is not a real number", ["x + asin(-3)"] = "asin(-3) is not a real number", ["log(-1) - log(-1)"] = "log(-1) is not",
      ["0*log(0)"] = "log(0) is not", ["acosh(1/2)"] = "acosh(1/2) is not", ["atanh(1)"] = "atanh(1) is not", ["atanh(-2)"] = "atanh(-2) is not",
      ["atan2(0, 0)"] = "atan2(0, 0) has no value", ["sqrt(-1)"] = "(-1)^(1/2) is not", ["tan(acos(0))"] = "tan(pi/2) is infinite",
      ["1/cos(asin(1))"] = "division by zero",
    } do
      check.raises({ message }, hm.parse, text, { x })
    end
    check.raises({ "acos(", "is not a real number" }, hm.acos, 1 + 1/hm.number(10)^20)
    check.raises({ "log(-1) is not a real number" }, function() return hm.log(x):subs{ [x] = -1 } end)
  end)

  it("of an inverse function is a multiple of pi where there is one", function()
    for text, value in pairs{
      ["acos(0)"] = "pi/2", ["acos(-1/2)"] = "2*pi/3", ["asin(1)"] = "pi/2", ["asin(-1/2)"] = "-pi/6", ["atan(-1)"] = "-pi/4",
      ["atan2(0, -2)"] = "pi", ["atan2(3, 0)"] = "pi/2", ["atan2(-3, 0)"] = "-pi/2", ["acos(1/3)"] = "acos(1/3)",
    } do
      local e = hm.parse(text)
      assert.equal(value, tostring(e))
      assert.equal(value, tostring(hm.parse(value)))
    end
    assert.equal("pi/2", tostring(hm.atan2(p, 0)))
    check.near(2*math.pi/3, hm.acos(-one/2):eval(), 1e-15)
  end)

  it("that is real nowhere is called so by domain and agree", function()
    for _, e in ipairs{ hm.log(1 - hm.sqrt(two)), hm.sqrt(hm.sin(hm.number(4))), hm.acos(hm.exp(one)), hm.asin(hm.pi), (1 - hm.pi)^hm.rational(1, 3) } do
      check.raises({ "no real value anywhere" }, e.domain, e)
      assert.equal("undefined", hm.agree(e*x, e*x).verdict)
      check.raises({ "has no real value" }, e.eval, e)
    end
    assert.equal("everywhere", tostring(hm.sqrt(hm.sin(two)):domain()))
    assert.equal("everywhere", tostring(hm.log(hm.sqrt(two) - 1):domain()))
  end)
end)

describe("the domain of atan2", function()
  it("is the plane without the origin", function()
    assert.equal("x^2 + y^2 ~= 0", tostring(hm.atan2(y, x):domain()))
    assert.equal("x ~= 0", tostring(hm.atan2(0*y, x):domain()))
    for _, e in ipairs{ hm.atan2(y, p), hm.atan2(y, hm.exp(x)), hm.atan2(hm.sin(x), hm.cos(x)), hm.atan2(y, -one) } do
      assert.equal("everywhere", tostring(e:domain()))
    end
    assert.equal("equal where x^2 + y^2 ~= 0", tostring(hm.agree(hm.cos(hm.atan2(y, x)), x/hm.sqrt(x^2 + y^2))))
  end)
end)

describe("the value at a pole", function()
  it("is refused, also where the arithmetic of doubles goes on", function()
    for _, e in ipairs{ hm.exp(-1/x^2), hm.tanh(1/x), 1/(1 + 1/x), hm.atan(1/x), hm.min(1/x, 2), hm.sign(1/x) } do
      check.raises({ "eval: 1/x", "is infinite", "at x = 0" }, e.eval, e, { x = 0 })
      assert.is_true(e:eval{ x = 0.5 } <= 2)
    end
    check.raises({ "eval: log(x) is infinite" }, function() return hm.exp(hm.log(x)):eval{ x = 0 } end)
    check.raises({ "atan2(y, x) has no real value at" }, function() return (1 + hm.atan2(y, x)):eval{ x = 0, y = 0 } end)
  end)
end)

describe("a value that rounding errors hide", function()
  local z = hm.sin(x)^2 + hm.cos(x)^2 - 1

  it("is refused", function()
    for _, case in ipairs{
      { 1/z, { x = 2 }, "1/(sin(x)^2 + cos(x)^2 - 1) at x = 2" }, { hm.log(z), { x = 2 }, "log(" }, { 1/hm.sin(hm.pi*x), { x = 1 }, "1/sin(pi*x) at x = 1" },
      { hm.tan(hm.pi*x), { x = 0.5 }, "tan(pi*x)" }, { 1/(x - y + hm.rational(1, 10)), { x = 0.2, y = 0.3 }, "1/(x - y + 1/10)" },
      { hm.sin(hm.pi*x), { x = 1e16 }, "sin(pi*x)" }, { hm.number(0)^(y^x), { x = 1e6, y = 0.5 }, "0^(y^(x))" },
    } do
      check.raises({ "eval: the rounding errors hide the value of", case[3] }, case[1].eval, case[1], case[2])
    end
  end)

  it("is not a value near a pole, nor a small one", function()
    assert.equal(1e20, (1/x):eval{ x = 1e-20 })
    assert.equal(math.tan(math.pi/2), hm.tan(x):eval{ x = math.pi/2 })
    check.near(1e10, (1/hm.sin(hm.pi*x)):eval{ x = 1e-10/math.pi }, 1)
    assert.is_true(math.abs(z:eval{ x = 2 }) < 1e-15)
    assert.equal(math.sin(1e22), hm.sin(x):eval{ x = 1e22 })
  end)
end)

describe("a series", function()
  local function refused(words, e, order, about)
    table.insert(words, 1, "series: the expression has no Taylor series at x = ")
    check.raises(words, e.series, e, x, order, about)
  end

  it("is refused where the inner value is a pole or a branch point of the function around it", function()
    for _, case in ipairs{
      { hm.tan(hm.acos(x)), 0 }, { hm.tan(hm.acos(x)), 1 }, { hm.tan(hm.asin(x)), 1 }, { hm.acos(x), 1 }, { hm.asin(hm.cos(x)), 0 }, { hm.acosh(1 + x^2), 0 },
      { hm.log(hm.sin(x)), 0 }, { hm.sqrt(hm.sin(x)), 0 }, { hm.tan(2*hm.atan(one) + x), 0 }, { hm.tan(hm.atan2(one, 0) + x), 0 }, { hm.atan2(x, -1), 0 },
      { hm.atan(1/x), 0 }, { hm.exp(-1/x^2), 0 }, { hm.tan(hm.acos(x)), -1 }, { hm.cos(hm.asin(x)), 1 }, { hm.atan2(hm.asin(x), hm.sin(x)), -1 },
    } do
      for order = 0, 2 do refused({}, case[1], order, case[2]) end
    end
    assert.equal("x - x^2", tostring((1/(1 + 1/x)):series(x, 2)))
    local f = hm.func("f", x)
    assert.is_true((1/f):series(x, 1) == 1/f:subs{ [x] = 0 } - x*f:diff(x):subs{ [x] = 0 }/f:subs{ [x] = 0 }^2)
    assert.is_true((hm.sqrt(x + y):series(x, 1) - hm.sqrt(y) - x/(2*hm.sqrt(y))):is_zero())
  end)

  it("of measured data is refused where they end, and at a point beyond the derivatives that are continuous there", function()
    local road = hm.data{ name = "road", x = { 0, 1, 2, 3, 4 }, y = { 0, 1, 0, 2, 1 } }
    local polygon = hm.data{ name = "polygon", x = { 0, 1, 2, 3, 4 }, y = { 0, 1, 0, 2, 1 }, kind = "linear" }
    refused({ "road(x) jumps or ends there" }, road(x), 0, 0)
    refused({ "road(x) jumps or ends there" }, hm.sin(road(x)), 1, 5)
    refused({ "road'''(x) jumps or ends there" }, road(x), 3, 1)
    refused({ "polygon'(x) jumps or ends there" }, x*polygon(x), 1, 2)
    for _, place in ipairs{ 1, 1.5 } do
      local sum, w = road(x):series(x, place == 1 and 2 or 3, place), place + 1e-3
      check.near(road(x):eval{ x = w }, sum:eval{ x = w }, place == 1 and 1e-8 or 1e-13)
    end
  end)

  it("is refused with the part that has no value there", function()
    refused({ "(-1)^(1/2) is not a real number" }, hm.sqrt(-1 - x), 2)
    refused({ "log(-1) is not a real number" }, hm.log(-1 + x), 2)
    refused({ "acos(x + 2) has no value there: acos(2) is not a real number" }, 1 + hm.acos(2 + x), 2)
    refused({ "1/x has no value there: division by zero" }, hm.tanh(1/x), 2)
    refused({ "acos(x) is not smooth there" }, hm.sin(hm.acos(x)), 1, 1)
    refused({ "a root of -p, which is negative" }, hm.sqrt(x), 1, -p)
    refused({ "asin(pi) is not a real number" }, x/hm.asin(hm.pi), 1)
  end)
end)

describe("values beyond the doubles on the way", function()
  local function body(f)
    local S = hm.system "body"
    local q = S:coordinates "x"
    S:kinetic_energy(q.dot^2/2)
    S:potential_energy(f(q/hm.number "0.001"))
    return S
  end
  local function shallow(s) return -1/hm.cosh(s) end
  local function step(s) return 1/(1 + hm.exp(s)) end

  it("stop each method with the function that leaves them", function()
    for words, f in pairs{ ["[cs][oi][sn]h%(1000%*x%)"] = shallow, ["exp%(1000%*x%)"] = step } do
      for _, method in ipairs{ "radau5", "msbdf", "dop853", "taylor" } do
        local run = body(f):simulate{ q = { x = 0.1 }, v = { x = 3 }, t = 1, method = method }
        assert.equal("NOT_FINITE", run.status, method)
        assert.truthy(run.reason:find(words) and run.reason:find(" = %d"), method .. ": " .. run.reason)
      end
      check.raises({ "reference", "1000*x = 7" }, body(f).reference, body(f), { q = { x = 0.1 }, v = { x = 3 }, t = 1, prove = false })
      -- balls have no largest number: the body leaves the well, whose depth here is exp(-100), with 3
      if core.has_arb then
        local proved = body(f):reference{ q = { x = "0.1" }, v = { x = 3 }, t = 1 }
        assert.is_true(proved.proved)
        check.near(tonumber(proved.q.x), 3.1, 1e-15)
      end
    end
  end)
end)
