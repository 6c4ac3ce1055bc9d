-- other_systems.lua: text for SymPy, Mathematica and Maxima
local hm, check = require "hamel", require "check"

local x, y = hm.functions_of_time "x y"
local a, b = hm.symbols "a b"
local r = hm.rational

local function python(text)
  local name = os.tmpname()
  check.write(name, text)
  local pipe = assert(io.popen("python3 '" .. name .. "' 2>&1"))
  local output = pipe:read "a"
  pipe:close()
  os.remove(name)
  return output
end

describe("text for other systems", function()
  for _, case in ipairs{
    { x.ddot/3, "Rational(1, 3)*Derivative(x(t), (t, 2))", "(1/3)*Derivative[2][x][t]", "(1/3)*diff(x(t), t, 2)" },
    { a - 2*b, "a - 2*b", "a - 2*b", "a - 2*b" },
    { -a/b, "-a*b**(-1)", "-a*b^(-1)", "-a*b^(-1)" },
    { hm.sqrt(a)*hm.pi, "pi*sqrt(a)", "Pi*Sqrt[a]", "%pi*sqrt(a)" },
    { hm.atan2(x, y), "atan2(x(t), y(t))", "ArcTan[y[t], x[t]]", "atan2(x(t), y(t))" },
    { hm.exp(hm.abs(a)), "exp(Abs(a))", "Exp[Abs[a]]", "exp(abs(a))" },
    { math.pi*1e-8*a, "3.1415926535897931e-8*a", "3.1415926535897931*^-8*a", "3.1415926535897931e-8*a" },
    { hm.symbols "lambda", "lambda_", "lambda", "lambda_" },
    { hm.symbols "E", "E_", "E$", "E" },
    { hm.symbols "m_A", "m_A", "m$A", "m_A" },
  } do
    it("of " .. tostring(case[1]), function()
      for i, system in ipairs{ "sympy", "mathematica", "maxima" } do
        assert.equal(case[i + 1], case[1]:text(system))
      end
    end)
  end

  it("of equations is a list, for SymPy with its declarations", function()
    local S = check.sleigh(hm)
    assert.truthy(S:equations():text "sympy":find "cls=Function%)\n.*\nequations = %[\n    Eq%(")
    assert.truthy(S:equations():text "mathematica":find "^equations = {\n.* == .*\n}$")
    assert.truthy(S:equations():text "maxima":find "^equations: %[\n.* = .*\n%]%$$")
    assert.equal("Eq(a, b)", hm.eq(a, b):text "sympy")
    assert.equal(tostring(a + b), (a + b):text())
  end)

  it("refuses what cannot be written, in a sentence", function()
    check.raises({ "sympi", "sympy" }, a.text, a, "sympi")
    check.raises({ "name of a system" }, a.text, a, 3)
    check.raises({ "lambda_", "another name" }, function() return (hm.symbols "lambda" + hm.symbols "lambda_"):text "sympy" end)
    check.raises({ "measured data" }, function() return hm.data{ x = { 0, 1, 2, 3 }, y = { 0, 1, 4, 9 } }(x):text "sympy" end)
  end)

  it("is read by SymPy with the same values", function()
    if not os.execute "python3 -c 'import sympy' > /dev/null 2>&1" then return pending "python3 with sympy is missing" end
    local list = {
      x - 2, -x/3, 1/(x + y)^2, -a^r(2, 3)*b, hm.atan2(x, y), hm.number(1e-10)*x, hm.sqrt(x^2 + 1), (-x)^3, hm.pi*x, hm.exp(-x^2), (2 + a)^x, -6*(x - y)*a/b,
      hm.sin(x)^2*hm.cos(y)/hm.tan(a), hm.asin(a/9)*hm.acos(b/9)*hm.atan(x), hm.sinh(a)*hm.cosh(b)*hm.tanh(x), hm.asinh(a) + hm.acosh(2 + b) + hm.atanh(a/7),
      hm.log(a)*hm.abs(x - y), hm.sign(x - y) + hm.min(x, y)*hm.max(a, b), a^(-b), a^(b^x), (a^b)^x, 2^r(1, 2)*a, r(-3, 7)^3*a, 0.1*a + math.pi*b,
      r(2, 3)^x, hm.exp(1)*a,
    }
    local values = { [x] = 1.3, [y] = 0.4, [a] = 1.7, [b] = 0.6 }
    local lines = { "from sympy import *", "t, a, b = symbols('t a b')", "x, y = symbols('x y', cls=Function)",
      "values = {x(t): 1.3, y(t): 0.4, a: 1.7, b: 0.6}" }
    for _, e in ipairs(list) do lines[#lines + 1] = ("print(N((%s).subs(values), 17))"):format(e:text "sympy") end
    lines[#lines + 1] = check.sleigh(hm):equations():text "sympy"
    lines[#lines + 1] = "print(len(equations), equations[0].lhs.has(Derivative))"
    local i = 0
    local output = python(table.concat(lines, "\n") .. "\n")
    for line in output:gmatch "[^\n]+" do
      i = i + 1
      if list[i] then check.near(assert(tonumber(line), output), list[i]:subs(values):eval{}, 1e-14, tostring(list[i])) end
      if i == #list + 1 then assert.equal("4 True", line) end
    end
    assert.equal(#list + 1, i)
  end)
end)
