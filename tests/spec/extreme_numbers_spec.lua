-- Exact numbers of any size: roots with large prime factors, numbers that no double holds, angles of points near the origin. A proof about them
-- is one, or is none.
local hm = require "hamel"
local check = require "check"

local N, sqrt = hm.number, hm.sqrt
local x, y = hm.symbols "x y"
local p = hm.positive "p"

describe("roots of whole numbers", function()
  it("with squares of large primes are simplified and decided", function()
    for _, prime in ipairs{ 7, 997, 1009, 1013, 10007, 65537 } do
      for _, rest in ipairs{ 2, 3, 1009, 1019 } do
        if rest ~= prime then
          local root = sqrt(N(prime)*prime*rest)
          assert.is_true((root*x - prime*(sqrt(rest)*x)):is_zero())
          assert.is_false((root*x - prime*(sqrt(rest)*x) + x/10^9):is_zero())
          check.near(((root*x):simplify()):eval{ x = 1 }, prime*math.sqrt(rest), 1e-9*prime)
        end
      end
    end
    assert.equal("1009*sqrt(2)*x", tostring((sqrt(N(2036162))*x):simplify()))
  end)

  it("of decimals print", function()
    for _, text in ipairs{ "1.009", "10.13", "0.1009", "1.0007" } do
      local S = hm.system "s"
      local q = S:coordinates "q"
      local a = N(text)
      S:kinetic_energy(q.dot^2/2)
      S:potential_energy(sqrt(a^2 + a^2)*q^2)
      assert.truthy(tostring(S:equations()):find("sqrt(2)*q", 1, true))
    end
  end)
end)

describe("numbers beyond the doubles", function()
  local tiny, huge = N(1)/N(10)^400, N(10)^400

  it("are not zero", function()
    assert.is_false(tiny:is_zero())
    assert.is_false((x + tiny - x):is_zero())
    assert.is_false(((x + tiny)^2 - x^2):is_zero())
    assert.equal("different", hm.agree(tiny, 0).verdict)
    assert.is_true((tiny*huge - 1):is_zero())
    assert.is_true(0 < tiny and -tiny < 0 and tiny < 1/huge + tiny and huge > 1)
    local X = hm.solve({ tiny*x - 1 }, { x })
    assert.is_true((X[1] - huge):is_zero())
  end)

  it("do not refute by underflow", function()
    assert.is_true((sqrt(p/huge)*N(10)^200 - sqrt(p)):is_zero())
    assert.is_true(((x/N(10)^162 + y/N(10)^162)^2 - (x^2 + 2*x*y + y^2)/N(10)^324):is_zero())
    assert.is_true((sqrt(x^2*tiny) - hm.abs(x)/N(10)^200):is_zero())
  end)
end)

describe("proofs near places without a value", function()
  it("take what is zero in disguise for zero", function()
    local zero = hm.sin(x)^2 + hm.cos(x)^2 - 1
    assert.is_true(hm.atan2(zero, N(1)/N(10)^20):is_zero())
    assert.is_not_false(hm.atan2(zero, -N(1)/N(10)^20):is_zero())
  end)

  it("do not find 0/0 equal to anything", function()
    local zero = hm.sin(x)^2 + hm.cos(x)^2 - 1
    for _, other in ipairs{ 0, 1, x } do
      local verdict = hm.agree(zero/zero, other)
      assert.equal("undefined", verdict.verdict)
      assert.is_nil(verdict.equal)
    end
  end)
end)
