-- proofs_spec.lua: what is called proved is so at every magnitude; roots of integers end in one form.
local hm, check = require "hamel", require "check"
local N, sqrt, sin, cos = hm.number, hm.sqrt, hm.sin, hm.cos

local x, y = hm.functions_of_time "x y"
local p = hm.positive "p"
local tiny = 1/N(10)^400

describe("magnitudes", function()
  it("distinguishes an exact number below the doubles from zero", function()
    for _, e in ipairs{ tiny, -tiny, tiny*N "1e-4000", tiny + tiny^2 } do
      assert.is_false(e:is_zero())
      assert.equal("different", hm.agree(e, 0).verdict)
    end
    assert.equal("-1", tostring(hm.sign(-tiny)))
    assert.is_true(hm.min(tiny, 2*tiny) == tiny and hm.max(tiny, 2*tiny) == 2*tiny)
    assert.is_true(hm.min(N(1)/3, N(1)/3 - tiny) == N(1)/3 - tiny)
    assert.is_true(hm.sin(-tiny*x) == -hm.sin(tiny*x))
    local solution, determinant = hm.solve({ hm.eq(tiny*x, 1) }, { x })
    assert.is_true(solution[x] == 1/tiny and determinant == tiny)
  end)

  it("never calls a zero nonzero because of underflow, overflow or a small denominator", function()
    local unit = sin(x)^2 + cos(x)^2
    for k, e in ipairs{
      sqrt(p*tiny)/sqrt(tiny) - sqrt(p),
      ((x/N(10)^162 + y/N(10)^162)^2 - (x^2 + 2*x*y + y^2)/N(10)^324)*N(10)^324,
      hm.atan2(unit - 1, 1/N(10)^20), hm.atan2(unit - 1, unit - 1 + 1/N(10)^18), hm.atan2(x*(unit - 1), (unit - 1)*y + tiny),
      hm.asin(unit) - hm.pi/2, hm.acos(unit), hm.acos(unit - N "1e-17" + N "1e-17"), hm.asin(N(1) - N "1e-30") - hm.asin(unit - N "1e-30"),
      hm.acosh(unit), sqrt(unit - 1 + tiny) - sqrt(tiny), (unit - 1 + tiny)^N "0.3" - tiny^N "0.3",
      hm.log(unit - 1 + N "1e-30") - hm.log(N "1e-30"), hm.atanh(unit - N "1e-30") - hm.atanh(1 - N "1e-30"),
      hm.exp(x*N(10)^3)*hm.exp(-x*N(10)^3) - 1, hm.max(unit - 1, 1 - unit), hm.sign(unit - 1),
      hm.tan(hm.pi/2*unit - N "1e-20") - hm.tan(hm.pi/2 - N "1e-20"), (x + tiny)*(x - tiny) - x^2 + tiny^2,
    } do
      assert(e:is_zero() ~= false, ("%d: %s is zero"):format(k, e))
    end
  end)

  it("never calls a small difference zero", function()
    for k, e in ipairs{
      (x + N "1e-30")^2 - x^2, (x + tiny)^2 - x^2, sqrt(p + tiny) - sqrt(p), sin(x + tiny) - sin(x), x/(1 + tiny) - x,
      hm.exp(tiny*x) - 1, hm.exp(hm.pi*sqrt(N(163))) - N(640320)^3 - 744, tiny*sin(x), (1 + tiny)*cos(x)^2 + sin(x)^2 - 1,
    } do
      assert(e:is_zero() ~= true, ("%d: %s is not zero"):format(k, e))
    end
  end)
end)

describe("roots of integers", function()
  local primes = { 2, 3, 7, 997, 1009, 1013, 10007, 99991, 1000003 }

  it("end in one form whatever their prime factors", function()
    for _, a in ipairs(primes) do
      for _, b in ipairs(primes) do
        for _, n in ipairs{ N(a)^2*b, N(a)*b, N(a)^2*b^3, N(a)^2*b^2*6, N(a)^3*b^3 } do
          local root = sqrt(n)
          local s = (root*x):simplify()
          check.near(s:eval{ x = 1 }, math.sqrt(n:eval()), 1e-14, tostring(n))
          assert.is_true((root^2 - n):is_zero())
          assert.is_true((sqrt(n*a)*sqrt(N(a)) - a*root):is_zero())
          assert.is_string(tostring((root/(1 + root)):simplify()))
        end
      end
    end
  end)

  it("of numbers beyond 64 bits too", function()
    assert.equal("1000000000000000000000000000000*sqrt(2)", tostring(sqrt(2*N(10)^60)))
    assert.is_true((sqrt(N(10)^41) - N(10)^20*sqrt(N(10))):is_zero())
    local n = N(2)^89 - 1
    assert.is_true((sqrt(n)*sqrt(3*n) - n*sqrt(N(3))):is_zero())
    assert.is_true((sqrt(n^3*x^2) - n*sqrt(n)*hm.abs(x)):is_zero())
  end)

  it("of every index", function()
    local third, quarter = hm.rational(1, 3), hm.rational(1, 4)
    assert.equal("2", tostring(N(2)^third*N(4)^third))
    assert.equal("2*3^(1/3)", tostring(N(24)^third))
    assert.equal("2^(2/3)/2", tostring(N(2)^-third))
    assert.equal("sqrt(3)", tostring(N(9)^quarter))
    assert.equal("(7/10)^(27/20)", tostring(N "0.7"^N "1.35"))
    for n = 2, 60 do
      for _, k in ipairs{ third, quarter, -third, 3*quarter, 5*third, hm.rational(2, 5) } do
        check.near(((N(n)/49)^k):eval(), (n/49)^k:eval(), 1e-13)
      end
    end
  end)

  it("stand in equations of motion", function()
    local S = hm.system "spring"
    local X = S:coordinates "X"
    local a = N "1.009"
    S:kinetic_energy(X.dot^2/2)
    S:potential_energy(sqrt(a^2 + a^2)*X^2)
    assert.matches("sqrt%(2%)", tostring(S:equations()))
  end)
end)

describe("formulas without a value", function()
  local zero = sin(x)^2 + cos(x)^2 - 1
  it("are equal to nothing", function()
    local hidden = (x + y)^2 - x^2 - 2*x*y - y^2
    for k, pair in ipairs{
      { zero/zero, 1 }, { zero^2/zero, 0 }, { zero/zero, zero/zero }, { 1/zero, 1/zero }, { hidden/hidden, 1 }, { x*hidden/hidden, x },
      { sqrt(zero*x)/sqrt(zero*x), 1 }, { sin(zero)/sin(zero), 1 }, { x/(zero*y)*zero, x/y }, { hm.exp(1/hidden), hm.exp(1/hidden) },
      { hm.log(-1 - x^2), hm.log(-1 - x^2) }, { sqrt(-1 - x^2), sqrt(-1 - x^2) }, { hm.log(zero) + x, hm.log(zero) + x },
      { hm.asin(N(5)), hm.asin(N(5)) }, { hm.atanh(N(2))*x, x*hm.atanh(N(2)) },
    } do
      local answer = hm.agree(pair[1], pair[2])
      assert(answer.verdict == "undefined" and answer.equal == nil, ("%d: %s, %s: %s"):format(k, pair[1], pair[2], answer))
      assert.matches("^undefined: ", tostring(answer))
      assert(hm.agree({ pair[1], x }, { pair[2], x }).equal == nil)
    end
  end)
  it("differ from those that vanish at single points", function()
    assert.equal("1", tostring(sin(x)/sin(x)))
    assert.equal("x + y", tostring((x + y)^2/(x + y)))
    assert.equal("1", tostring(hm.log(x - 10)/hm.log(x - 10)))
    assert.equal("1", tostring((x + tiny)/(x + tiny)))
    assert.equal("equal", hm.agree((x + tiny*y)^2/(x + tiny*y), x + tiny*y).verdict)
    -- below all doubles: no value tells, and none misleads
    assert.equal("undecided", hm.agree((tiny*x + tiny*y)^2/(tiny*x + tiny*y), tiny*x + tiny*y).verdict)
    assert.equal("equal where cos(x) ~= 0", tostring(hm.agree(hm.tan(x), sin(x)/cos(x))))
  end)
end)
