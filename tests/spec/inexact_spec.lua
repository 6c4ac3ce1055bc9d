-- Inexact numbers: sums of two doubles with a bound of their errors. What is computed with them is right to that bound, undecided, or refused.
local hm = require "hamel"
local check = require "check"
local raises = check.raises

local x, y = hm.symbols "x y"

-- A number that is no short decimal: inexact
local function inexact(text)
  local e = hm.parse(text, {})
  assert.truthy(tostring(e):find "^%-?%d+%.%d+", text)
  return e
end

local a, b, c = inexact "0.3456789012345678", inexact "1.2345678901234567", inexact "-2.718281828459045"

describe("an inexact number out of the range of doubles", function()
  local small, large = inexact "1.234567890123456e-200", inexact "1.234567890123456e200"

  it("is refused whatever the order, and never zero", function()
    raises({ "falls below the range of doubles, but it is not zero", "in other units" }, function() return small*small*1e300 end)
    raises("falls below the range of doubles", function() return (small*x)*small end)
    raises("falls below the range of doubles", function() return small^2 end)
    raises("falls below the range of doubles", function() return large^-2 end)
    raises("falls below the range of doubles", function() return small/large end)
    raises("falls below the range of doubles", function() return small^hm.rational(5, 2) end)
    raises("falls below the range of doubles", function() return small*hm.number "1e-400" end)
    raises({ "grows beyond the range of doubles", "in other units" }, function() return large*large end)
    raises("grows beyond the range of doubles", function() return large^2 end)
    raises("grows beyond the range of doubles", function() return small^-2 end)
    raises("grows beyond the range of doubles", function() return large^hm.rational(5, 2) end)
    assert.near(1.5241578753238818e-100, (small*(small*1e300)):eval(), 1e-114)
    assert.near(1.5241578753238818, (small*large*b/b):eval(), 1e-14)
  end)

  it("is read exactly, and added to others as the little that it is", function()
    local tiny = hm.parse("1.234567890123456e-400", {})
    assert.is_false(tiny:is_zero())
    assert.equal(hm.number "1.234567890123456e-320", hm.parse("1.234567890123456e-320", {}))
    assert.equal(tostring(a), tostring(a + tiny))
  end)

  it("is passed on the way to a value of parameters", function()
    check.near((x*x*y):eval{ x = 1e-200, y = 1e300 }, 1e-100, 1e-114)
    check.near((x^2*hm.sqrt(y)*y + x^3):eval{ x = 1e-200, y = 1e200 }, 1e-100, 1e-114)
    check.near((1 + x^2*y):eval{ x = 1e-200, y = 2 }, 1, 0)
  end)

  it("is left to functions as their argument", function()
    for _, e in ipairs{ hm.exp(-1000*b), hm.exp(1000*b), hm.cosh(1000*b), hm.sinh(-1000*b) } do
      assert.is_true(e ~= 0)
      assert.truthy(tostring(e):find("1234.56789012345", 1, true))
    end
    raises({ "exp(1234.56789012345", "beyond the range of doubles" }, function() return hm.exp(1000*b):eval() end)
  end)
end)

describe("a function of inexact numbers near the end of its domain", function()
  -- arbiter: the leading terms, as 1e-20 and 1e-40 are small
  for _, size in ipairs{ 1e-20, 1e-40, 1e-200 } do
    it("sees both parts of them, 1 and " .. size, function()
      local d = a*hm.number(("%g"):format(size))
      local v, root = 0.3456789012345678*size, math.sqrt(2*0.3456789012345678)*math.sqrt(size)
      local function near(expected, e) assert.near(1, e:eval()/expected, 1e-14) end
      near(-v, hm.log(1 - d))
      near(v, hm.log(1 + d))
      near(root, hm.acos(1 - d))
      near(math.pi - root, hm.acos(d - 1))
      near(math.pi/2 - root, hm.asin(1 - d))
      near(root, hm.acosh(1 + d))
      near(math.log(2)/2 - math.log(v)/2, hm.atanh(1 - d))
      near(-math.log(2)/2 + math.log(v)/2, hm.atanh(d - 1))
      for _, name in ipairs{ "acos", "asin", "atanh" } do
        raises({ "is not a real number", "the argument differs from 1 by 3.46e-" }, hm[name], 1 + d)
        raises("is not a real number", hm[name], -1 - d)
      end
      raises("is not a real number", hm.acosh, 1 - d)
      raises("is not a real number", hm.log, -d)
      raises("is not a real number", hm.sqrt, -d)
      raises("is not a real number", hm.log, 1 - d - 1)
    end)
  end

  it("takes what rounding has moved beyond the end for the end", function()
    local one = hm.sin(a)^2 + hm.cos(a)^2
    assert.near(0, hm.acos(one):eval(), 1e-15)
    assert.near(0, hm.acosh(one):eval(), 1e-15)
    assert.is_nil(hm.acos(one):is_zero())
    raises("may be zero", function() return 1/(one - 1) end)
  end)
end)

describe("the zero test of inexact numbers", function()
  it("is never wrong: identities of rounded values are undecided", function()
    for _, k in ipairs{ a, b, -c, 40*a, a*1e-9 } do
      for i, e in ipairs{
        hm.sin(k)^2 + hm.cos(k)^2 - 1, hm.cosh(k)^2 - hm.sinh(k)^2 - 1, hm.exp(hm.log(k)) - k, hm.sqrt(k)^2 - k, hm.tan(k) - hm.sin(k)/hm.cos(k),
        hm.sin(2*k) - 2*hm.sin(k)*hm.cos(k), k/3*3 - k, (k^hm.rational(1, 3))^3 - k, hm.sin(k + b) - hm.sin(k)*hm.cos(b) - hm.cos(k)*hm.sin(b),
        1/k - b/k/b, hm.exp(k)*hm.exp(-k) - 1, (hm.sin(k)^2 + hm.cos(k)^2 - 1)*1e30, (hm.sin(k)^2 + hm.cos(k)^2 - 1 + 1e-25) - hm.number "1e-25",
      } do
        assert.is_true(e:is_zero() ~= false, i .. ": " .. tostring(e))
        assert.is_true((e*x + e*y):is_zero() ~= false, i .. ": " .. tostring(e))
      end
    end
  end)

  it("proves what sums and products of doubles hold without rounding", function()
    for i, e in ipairs{ (a + b)^2 - a^2 - 2*a*b - b^2, (a + b) + c - (c + a) - b, a*x + b*x - (a + b)*x, a*(x + y)^2 - a*x^2 - 2*a*x*y - a*y^2,
                        a*hm.sin(x)^2 + a*hm.cos(x)^2 - a, a*x - a*x, (a*x + b)*(a*x - b) - a^2*x^2 + b^2 } do
      assert.is_true(e:is_zero() ~= false, i .. ": " .. tostring(e))
    end
    assert.is_true((a*(x + y)^2 - a*x^2 - 2*a*x*y - a*y^2):is_zero())
    assert.is_true((a*hm.sin(x)^2 + a*hm.cos(x)^2 - a):is_zero())
    assert.equal("0", tostring(a*x + b*x - (a + b)*x))
    assert.equal("0", tostring((a + b) + c - (c + a) - b))
    assert.equal("equal", tostring(hm.agree(a*(x + 1)^2, a*x^2 + 2*a*x + a)))
  end)

  it("says so in a comparison", function()
    assert.equal("undecided: no difference beyond rounding at random points, not proved", tostring(hm.agree(hm.tan(a)*x, hm.sin(a)/hm.cos(a)*x)))
  end)

  it("still finds what is not zero", function()
    local d = hm.number "1e-25"
    for _, e in ipairs{ 1 + a*d - 1, hm.sin(a)^2 + hm.cos(a)^2 - 1 + d, hm.exp(hm.log(a)) - a - d, a - 0.3456789012345677, a*x - b*x } do
      assert.is_false(e:is_zero(), tostring(e))
    end
  end)
end)

describe("forms of expressions with inexact numbers", function()
  it("are those with symbols in their places", function()
    local k = "0.3456789012345678"
    for form, cases in pairs{
      simplify = { [k .. "*(x + y)"] = a*x + a*y, [k] = a*hm.sin(x)^2 + a*hm.cos(x)^2, ["-" .. k .. "*(x + y)"] = -a*(x^2 - y^2)/(x - y),
                   [k .. "*y + 1"] = a*y + hm.sin(x)^2 + hm.cos(x)^2, ["sin(" .. k .. "*x + y)"] = hm.sin(a*x)*hm.cos(y) + hm.cos(a*x)*hm.sin(y),
                   ["0"] = hm.number(0.1)*x + 0.2*x - 0.3*x },
      expand = { [k .. "*x + " .. k .. "*y"] = a*(x + y) },
      factor = { [k .. "*(x + y)*(x - y)"] = a*x^2 - a*y^2 },
    } do
      for text, e in pairs(cases) do
        local result, reason = e[form](e)
        assert.equal(text, tostring(result))
        assert.is_nil(reason)
        local function at(f) return (f + 0*a):subs{ [x] = 1.3, [y] = -0.4 }:eval() end
        check.near(at(result), at(e), 1e-14)
      end
    end
  end)

  it("come back unchanged where a number would leave the range of doubles", function()
    local large = inexact "1.234567890123456e200"
    local e = (large*x + 1)*(large*y + 1)
    local same, reason = e:expand()
    assert.equal(e, same)
    assert.truthy(reason:find("beyond the range of doubles", 1, true))
  end)
end)

describe("print of an inexact number", function()
  it("never shows another, exact one", function()
    local near_one, near_half = 1 + a*hm.number "1e-17", hm.rational(1, 2) - a*hm.number "1e-18"
    assert.equal("1.000000000000000", tostring(near_one))
    assert.equal("1.000000000000000", near_one:latex())
    assert.equal("0.5000000000000000", near_half:latex())
    assert.equal("1.0", (a*2/a/2*1 + 0):latex():sub(1, 3))
    assert.equal("0.3456789012345678 x", (a*x):latex())
  end)
end)

describe("a large double", function()
  it("is no fraction that lies near it by chance", function()
    -- 292417162933/8249 has this nearest double; a fraction with such a denominator is near every double of this size
    local v = math.exp(17.3836)
    assert.equal("35448801.422354221", ("%.17g"):format(v))
    assert.is_nil(tostring(hm.number(v)):find("/", 1, true))
    assert.is_true((hm.number(v) - 2*hm.number(v/2)):is_zero())
    assert.equal("equal", tostring(hm.agree(v*x, 2*((v/2)*x))):match "equal")
  end)

  it("is a fraction that is meant", function()
    for _, q in ipairs{ 3, 7, 12, 90 } do
      assert.equal(hm.rational(1, q), hm.number(1/q))
      assert.equal(hm.rational(100001, q), hm.number(100001/q))
    end
    assert.equal(hm.rational(1000000001, 4), hm.number(1000000001/4))
    assert.equal(hm.rational(1000000001, 3), hm.number(1000000001/3))
  end)
end)

describe("equations with inexact coefficients", function()
  -- x' free, y' = k x z'
  local function rolling(k)
    local S = hm.system "s"
    local q, r, s = S:coordinates "q r s"
    S:kinetic_energy((math.exp(1)*q.dot^2 + r.dot^2 + s.dot^2)/2)
    S:constraint("c", r.dot - k*q*s.dot)
    return S
  end

  it("are compared, never proved wrong", function()
    local S = rolling(math.sin(0.3))
    for _, form in ipairs{ "kane", "nielsen", "maggi" } do
      assert.equal(nil, tostring(hm.agree(S:equations(), S:equations(form))):match "different")
    end
    assert.equal("equal", tostring(hm.agree(S:equations(), S:equations())))
    assert.equal("different", tostring(hm.agree(S:equations(), rolling(math.sin(0.31)):equations())):match "^different")
  end)
end)
