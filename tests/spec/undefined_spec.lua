-- Expressions without a value: constants outside the domain of their function, values at poles, series at points where there is none. Each is refused
-- with the part that has no value.
local check = require "check"
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
    assert.is_true((hm.sqrt(x + y):series(x, 1) - hm.sqrt(y) - x/(2*hm.sqrt(y))):is_zero())
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
