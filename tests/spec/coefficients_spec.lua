-- Coefficients and collecting by functions: the coefficients of a polynomial in a function are those it was built from, for every
-- function of one argument, and together they give the polynomial again.
local check = require "check"
local hm = require "hamel"

local a, b, u = hm.symbols "a b u"

local functions = { "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "log", "abs", "sign" }

local function sum_of(list, x)
  local sum = hm.rational(0)
  for n = 0, #list do sum = sum + list[n]*x^n end
  return sum
end

describe("coefficients in a function", function()
  it("are those of the polynomial, multiplied out or not", function()
    for _, name in ipairs(functions) do
      local f = hm[name](u)
      -- the partner of a sine or cosine is no power of it
      local rest = name == "sin" and hm.cos(u) or name == "cos" and hm.sin(u) or name == "cosh" and hm.sinh(u) or b
      local wanted = { [0] = a + 1, rest, a*rest^2, hm.rational(2) }
      local e = sum_of(wanted, f)
      for n = 0, 4 do
        local found = e:coefficient(f, n)
        -- abs(u)^2 is u^2 before any coefficient is asked for
        if name ~= "abs" then assert.is_true((found - (wanted[n] or 0)):is_zero(), ("%s^%d: %s"):format(name, n, tostring(found))) end
        assert.equal(tostring(math.tointeger(n <= 3 and ({ [0] = 1, 3, 3, 1 })[n] or 0)), tostring(((f + 1)^3):coefficient(f, n)), name)
      end
    end
  end)

  it("give the expression again", function()
    for _, name in ipairs{ "sin", "cos", "sinh", "cosh", "tan", "abs", "exp" } do
      local f = hm[name](u)
      local e, list = (f + hm.cos(u)*a)^3 - (f - b)^2*hm.cosh(2*b), {}
      if name == "tan" then e = (f + a)^3 - (f - b)^2 end
      if name == "cos" then e = (f + hm.sin(u))^4 end
      for n = 0, 4 do
        list[n] = e:coefficient(f, n)
        assert.is_nil(tostring(list[n]):find(name .. "(u)", 1, true), tostring(list[n]))
      end
      assert.is_true((sum_of(list, f) - e):is_zero(), name)
    end
  end)

  it("are refused where the function hides in others", function()
    local cases = { { hm.sin(2*u), hm.sin(u) }, { hm.cos(2*u), hm.cos(u) }, { hm.tan(u), hm.sin(u) }, { hm.sin(u), hm.tan(u) },
                    { hm.exp(u), hm.sinh(u) }, { hm.sinh(u), hm.exp(u) }, { hm.exp(-u), hm.exp(u) }, { hm.sin(u + a), hm.sin(u) },
                    { hm.exp(hm.sin(u)), hm.sin(u) }, { 1/(1 + hm.sin(u)), hm.sin(u) }, { hm.sign(u) + a, hm.abs(u) } }
    for _, case in ipairs(cases) do
      check.raises({ "coefficient", "not polynomial" }, function() return case[1]:coefficient(case[2], 1) end)
    end
    assert.equal("1", tostring((hm.exp(2*u) + 1):coefficient(hm.exp(u), 2)))
  end)
end)

describe("collecting by a function", function()
  it("leaves none of its powers inside the coefficients", function()
    local s, c = hm.sin(u), hm.cos(u)
    assert.equal("b*cos(u) + (b + 1)*sin(u)^2", tostring((s^2*b + s^2 + c*b):collect{ s }))
    for _, name in ipairs{ "sin", "cos", "tan", "sinh", "cosh", "tanh", "abs", "exp" } do
      local f = hm[name](u)
      local collected = (b*f^2 + f^2 + b*f + f*a + a):collect{ f }
      assert.is_true((collected - ((b + 1)*f^2 + (a + b)*f + a)):is_zero())
      if name ~= "abs" and name ~= "exp" then
        assert.equal(1, select(2, tostring(collected):gsub(name .. "%(u%)%^2", "")), tostring(collected))
        assert.equal(1, select(2, (tostring(collected) .. " "):gsub(name .. "%(u%)[^^]", "")), tostring(collected))
      end
    end
  end)
end)

describe("a form beyond its limits", function()
  it("comes back unchanged with the reason", function()
    local e = (a + b + hm.sin(u) + hm.cos(b) + 1)^60
    for _, form in ipairs{ "expand", "factor" } do
      local other, why = e[form](e)
      assert.equal(e, other)
      assert.is_truthy(why:find "terms")
    end
    local _, reason = e:collect{ a }
    assert.is_truthy(reason:find "terms")
  end)
end)

describe("an expression that is real nowhere", function()
  it("is refused with that reason, not as a question of limits", function()
    local cases = { { a/hm.log(1 - hm.pi), "the logarithm of 1 - pi" }, { a/(b + 1/hm.asin(-hm.pi)), "asin(pi) is not a real number" },
                    { a/hm.acos(b^2 + 2), "acos(b^2 + 2) is not a real number" }, { a/(b + hm.log(-1 - u^2)), "the logarithm of" },
                    { b/hm.acosh(-u^2), "acosh(-u^2) is not a real number" } }
    for _, case in ipairs(cases) do
      for _, method in ipairs{ "numerator", "denominator", "coefficient", "assumed_nonzero" } do
        check.raises({ case[2], "no real value anywhere" }, function() return case[1][method](case[1], method == "coefficient" and a or nil) end)
      end
    end
  end)
end)
