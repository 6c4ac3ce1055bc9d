-- elementary_spec.lua: elementary identities are proved wherever both sides are defined; what differs somewhere, if only on one branch, is not.
local hm = require "hamel"
local sin, cos, tan, sqrt, log, exp, abs, sign = hm.sin, hm.cos, hm.tan, hm.sqrt, hm.log, hm.exp, hm.abs, hm.sign
local asin, acos, atan, atan2, pi = hm.asin, hm.acos, hm.atan, hm.atan2, hm.pi
local N, r = hm.number, hm.rational

local x, y, z = hm.functions_of_time "x y z"
local p, q = hm.positive "p q"
local unit = sin(x)^2 + cos(x)^2

local function proves(list)
  for k, e in ipairs(list) do
    local verdict, evidence = e:is_zero()
    assert(verdict == true, ("%d: %s: %s, %s"):format(k, e, verdict, evidence))
  end
end

local function never_proves(list)
  for k, e in ipairs(list) do assert(e:is_zero() ~= true, ("%d: %s is not zero everywhere"):format(k, e)) end
end

describe("arguments", function()
  it("are equal when they are equal as functions", function()
    local a, b = (x + 1)^2, x^2 + 2*x + 1
    local list = {}
    for _, f in ipairs{ sin, cos, tan, asin, acos, atan, hm.sinh, hm.cosh, hm.tanh, hm.asinh, exp, log, abs, sign, sqrt } do
      list[#list + 1] = f(a) - f(b)
      list[#list + 1] = f(y*unit) - f(y)
      list[#list + 1] = f(sin(2*x)/cos(x)) - f(2*sin(x))
      list[#list + 1] = f(1/(x + y) + 1) - f((x + y + 1)/(x + y))
      list[#list + 1] = f(f(a)) - f(f(b))
    end
    for _, f in ipairs{ atan2, hm.min, hm.max } do
      list[#list + 1] = f(a, y*unit) - f(b, y)
      list[#list + 1] = f(y, exp(x)^2) - f(y*unit, exp(2*x))
    end
    proves(list)
    proves{ sqrt((y + 1)^2 + x^2) - sqrt(y^2 + 2*y + 1 + x^2), abs(sin(x)^2 - 1) - cos(x)^2, sign(-sin(x)^2 - cos(x)^2) + 1,
      p^(2*unit) - p^2, x^(y*unit) - x^y, sqrt((1 - cos(x))/2) - abs(sin(x/2)),
      sin(y + z*(x + 1)) - sin(y + z*x)*cos(z) - cos(y + z*x)*sin(z) }
  end)
  it("differ when they differ", function()
    never_proves{ sin((x + 1)^2) - sin(x^2 + 2*x), sqrt((y + 1)^2 + x^2) - sqrt(y^2 + 2*y + x^2), sin(sin(x)) - sin(x), log(log(p)) - log(p),
      sin(x + N "1e-15") - sin(x), abs(x + N "1e-14") - abs(x), p^(2 + N "1e-13") - p^2 }
  end)
  it("are shortened by simplify, equal or not", function()
    assert.equal("0", tostring((sin((x + 1)^2) - sin(x^2 + 2*x + 1)):simplify()))
    assert.equal("sin(y)", tostring(sin(y*unit):simplify()))
    assert.equal("0", tostring((asin(x) + acos(x) - pi/2):simplify()))
    -- nested arguments cost no more than their number
    local e = x
    for _ = 1, 60 do e = sin(1 + e + e^2) end
    assert.is_string(tostring(e:simplify{ seconds = 2 }))
  end)
end)

describe("elementary functions", function()
  it("obey the rules of logarithms and exponentials", function()
    proves{ log(p*q) - log(p) - log(q), exp(2*log(p)) - p^2, exp(y*log(p)) - p^y, log(p^3/q) - 3*log(p) + log(q), log(1/x) + log(x),
      log(x^2) - 2*log(abs(x)),
      log(sqrt(x)) - log(x)/2, log(exp(x)*p) - x - log(p), exp(log(p)/2 + x) - sqrt(p)*exp(x), log(N(6)) - log(N(2)) - log(N(3)),
      log(N(8)/27) - 3*log(N(2)/3), log(x^2 - y^2) - log(x - y) - log(x + y), p^x*p^y - p^(x + y), p^x*q^x - (p*q)^x, log(p^y) - y*log(p),
      hm.cosh(log(p)) - (p + 1/p)/2, hm.sinh(hm.asinh(x)) - x, hm.cosh(hm.acosh(x)) - x, hm.tanh(hm.atanh(x)) - x,
      hm.asinh(x) - log(x + sqrt(x^2 + 1)),
      hm.cosh(hm.asinh(x)) - sqrt(1 + x^2), exp(hm.acosh(x)) - x - sqrt(x^2 - 1) }
    never_proves{ log(p + q) - log(p) - log(q), log(x^2) - 2*log(abs(x) + 1), exp(x*log(p)) - p^(2*x), log(abs(x)) - log(x + y) }
  end)
  it("undo each other", function()
    proves{ sin(asin(x)) - x, cos(acos(x)) - x, tan(atan(x)) - x, cos(asin(x)) - sqrt(1 - x^2), sin(acos(x)) - sqrt(1 - x^2),
      sin(atan(x)) - x/sqrt(1 + x^2),
      tan(atan2(y, x)) - y/x, cos(atan2(y, x)) - x/sqrt(x^2 + y^2), sin(atan2(y, x)) - y/sqrt(x^2 + y^2), asin(x) + acos(x) - pi/2,
      acos(-x) + acos(x) - pi,
      atan(p) + atan(1/p) - pi/2, atan(x) + atan(1/x) - sign(x)*pi/2, atan(x) - asin(x/sqrt(1 + x^2)), atan2(y, p) - atan(y/p),
      atan2(p*y, p*x) - atan2(y, x),
      sin(2*asin(x)) - 2*x*sqrt(1 - x^2), cos(2*atan(x)) - (1 - x^2)/(1 + x^2), sin(y + atan(x)) - (sin(y) + x*cos(y))/sqrt(1 + x^2),
      tan(2*atan(x)) - 2*x/(1 - x^2) }
  end)
  it("keep their branches", function()
    never_proves{ asin(sin(x)) - x, acos(cos(x)) - x, acos(cos(x)) - abs(x), atan(tan(x)) - x, atan(x) + atan(1/x) - pi/2, atan2(y, x) - atan(y/x),
      atan2(-y, -x) - atan2(y, x), sqrt(x^2) - x, acos(x) - asin(sqrt(1 - x^2)), 2*atan(x) - atan(2*x/(1 - x^2)), asin(x) - acos(sqrt(1 - x^2)),
      atan(x) + atan(y) - atan((x + y)/(1 - x*y)), abs(x + y) - abs(x) - abs(y), sqrt(x^2*y^2) - x*y,
      log(x^2)/2 - log(x) + sign(x) - abs(sign(x)) + abs(x) - x*sign(y),
      abs(sin(x)) - sin(abs(x)), hm.acosh(hm.cosh(x)) - x, sign(x)*x - x, hm.max(x, y) - x, (x^2)^r(1, 6) - x^r(1, 3) + abs(y) - y }
  end)
  it("of absolute values, signs, minima and maxima", function()
    proves{ abs(x*y) - abs(x)*abs(y), sign(x*y) - sign(x)*sign(y), sign(x/y) - sign(x)*sign(y), abs(x) - x*sign(x),
      hm.max(x, y) + hm.min(x, y) - x - y,
      hm.max(x, y)*hm.min(x, y) - x*y, hm.max(x, y) + hm.max(-x, -y) - abs(x - y), abs(abs(x)) - abs(x), hm.max(x, x*unit) - x, hm.min(p, -q) + q,
      abs((x + y)^2*z) - (x + y)^2*abs(z), x*sqrt(x) - abs(x)*sqrt(x),
      sqrt(x*y)*x*y - abs(x)*abs(y)*sqrt(x*y), log(x*y)*abs(x)*abs(y) - x*y*log(x*y) }
  end)
end)

describe("exact values", function()
  it("of inverse functions", function()
    proves{ 4*atan(N(1)) - pi, acos(N(0)) - pi/2, asin(r(1, 2)) - pi/6, acos(r(-1, 2)) - 2*pi/3, asin(sqrt(N(3))/2) - pi/3, atan(sqrt(N(3))) - pi/3,
      atan(-1/sqrt(N(3))) + pi/6, acos(-sqrt(N(2))/2) - 3*pi/4, atan2(N(1), N(-1)) - 3*pi/4, atan2(N(0), N(-2)) - pi, atan2(N(-3), N(0)) + pi/2 }
  end)
  it("of sines and cosines of parts of pi", function()
    proves{ cos(pi/5) - (1 + sqrt(N(5)))/4, sin(pi/8)^2 - (2 - sqrt(N(2)))/4, cos(pi/8) - sqrt(2 + sqrt(N(2)))/2,
      tan(pi/8) - sqrt(N(2)) + 1, cos(2*pi/5) - (sqrt(N(5)) - 1)/4,
      cos(pi/24)^2 - (1 + cos(pi/12))/2, sin(pi/10) - (sqrt(N(5)) - 1)/4, cos(y + pi/4) - 1 + 2*sin(y/2 + pi/8)^2,
      sin(x + pi/5) - sin(x)*cos(pi/5) - cos(x)*sin(pi/5),
      sin(N(10)^17*pi + x) - sin(x), cos(N(10)^30*pi - x) - cos(x), sin((N(10)^20 + 1)*pi + x) + sin(x),
      cos(pi/16)*cos(3*pi/16) - (cos(pi/8) + cos(pi/4))/2 }
    for n = -30, 30 do
      for _, d in ipairs{ 5, 8, 10, 15, 16, 20, 24, 30, 40, 60 } do
        local a = r(n, d)*pi
        proves{ sin(2*a) - 2*sin(a)*cos(a), sin(a + x) - sin(a)*cos(x) - cos(a)*sin(x) }
      end
    end
  end)
  it("of roots", function()
    local s = function(n) return sqrt(N(n)) end
    proves{ sqrt(3 + 2*s(2)) - 1 - s(2), sqrt(3 - 2*s(2)) - s(2) + 1, sqrt(5 + 2*s(6)) - s(2) - s(3), sqrt(11 - 6*s(2)) - 3 + s(2),
      sqrt(1/x) - 1/sqrt(x), sqrt(x/y)*sqrt(y) - sqrt(x),
      N(2)^r(1, 3)*N(4)^r(1, 3) - 2, sqrt(x*y)*sqrt(x) - x*sqrt(y), sqrt(x^2*y) - abs(x)*sqrt(y), p^r(1, 3)*p^r(2, 3) - p,
      (p^3)^r(1, 3) - p, (p*q)^r(1, 3) - p^r(1, 3)*q^r(1, 3),
      (s(1009) + s(1013))^2 - 2022 - 2*s(1022117), sqrt(x^2 + 2*x*y + y^2) - abs(x + y), sqrt(sqrt(p)) - p^r(1, 4) }
    never_proves{ sqrt(3 + 2*s(2)) - 1 - s(3), sqrt(x*y) - sqrt(x)*sqrt(y) + abs(x) - x + z - abs(z), sqrt(7 + 2*s(6)) - 1 - s(6) + N "1e-12" }
  end)
end)

describe("a normal form that is not zero", function()
  it("is a proof", function()
    for _, e in ipairs{ (x + N "1e-30")^2 - x^2, (1 + N "1e-25")*cos(x)^2 + sin(x)^2 - 1, x/(1 + N "1e-40") - x,
      exp(x + y)*(1 + N "1e-20") - exp(x)*exp(y),
        sqrt(N(2))*x - (sqrt(N(2)) + N "1e-50")*x, sin(x + y) - sin(x)*cos(y)*(1 + N "1e-22") - cos(x)*sin(y) } do
      assert.is_false(e:is_zero())
    end
  end)
end)
