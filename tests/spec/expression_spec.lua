-- expressions as a user meets them: operators, exact literals, calculus, substitution, values, messages
local hm, check = require "hamel", require "check"

describe("expressions", function()
  local S = hm.system "s"
  local x, y, theta = S:coordinates "x y theta"
  local m = S:positive "m"

  it("keep literals exact", function()
    assert.equal("x/3", tostring(1/3*x))
    assert.equal("2*x/5", tostring(2/5*x))
    assert.equal("x/10", tostring(0.1*x))
    assert.equal("49*x/5", tostring(9.8*x))
    assert.equal("0.30000000000000004*x", tostring((0.1 + 0.2)*x))           -- not a short decimal: kept inexact
    assert.equal("1/3", tostring(hm.rational(1, 3)))
    assert.equal("1/8", tostring(hm.number "0.125"))
  end)

  it("collect equal terms and respect assumptions", function()
    assert.equal("0", tostring(x + y - x - y))
    assert.equal("m", tostring(hm.sqrt(m^2)))
    assert.equal("abs(x)", tostring(hm.sqrt(x^2)))
    assert.equal("-sin(x)", tostring(hm.sin(-x)))
    assert.equal("cos(x)", tostring(hm.cos(-x)))
  end)

  it("are one value per structure: == and table keys work", function()
    assert.is_true(x + y == y + x)
    assert.is_false(x == y)
    local t = { [x.dot] = "velocity" }
    assert.equal("velocity", t[x.dot])
  end)

  it("have derivatives with respect to time by name", function()
    assert.equal("x'", tostring(x.dot))
    assert.equal("x''", tostring(x.ddot))
    assert.equal("x'''", tostring(x:dot(3)))
    assert.is_true(x.dot.dot == x.ddot)
  end)

  it("are differentiated partially and in time", function()
    assert.equal("2*x*y", tostring(hm.diff(x^2*y, x)))
    assert.equal("2*x", tostring(hm.diff(x^2*y, x, y)))
    assert.equal("x'*y + x*y'", (tostring(hm.dt(x*y)):gsub("x%*y' %+ x'%*y", "x'*y + x*y'")))
    assert.equal("theta'*cos(theta)", tostring(hm.dt(hm.sin(theta))))
    assert.equal("1", tostring(hm.dt(hm.t)))
  end)

  it("substitute simultaneously and exactly", function()
    assert.equal("y - x", tostring((x - y):subs{ [x] = y, [y] = x }):gsub("%-x %+ y", "y - x"), nil)
    assert.is_true((x.dot + x):subs{ [x] = 2 } == x.dot + 2)
  end)

  it("have values", function()
    check.near((x^2 + hm.sin(theta)):eval{ [x] = 3, [theta] = 0.5 }, 9 + math.sin(0.5))
    check.near((x.dot*x):eval{ x = 2, ["x'"] = 3 }, 6)
  end)

  it("print LaTeX", function()
    local text = hm.diff(hm.sin(theta)*x.dot/2, theta):latex()
    assert.truthy(text:find("\\frac", 1, true))
    assert.truthy(text:find("\\dot{x}", 1, true))
    assert.truthy(text:find("\\theta", 1, true))
  end)

  it("are parsed back", function()
    local e = (x.dot^2 + m*hm.cos(theta))/(1 + y^2)
    assert.is_true(hm.parse(tostring(e), { x, y, theta, m }) == e)
  end)

  it("functions work on numbers too", function()
    check.near(hm.sin(0.3), math.sin(0.3))
    check.near(hm.atan(1.0, -1), math.atan(1, -1))
    assert.equal(3, hm.sqrt(9))
  end)

  it("answer is_zero with true, false or nil", function()
    assert.is_true((x - x):is_zero())
    assert.is_false((x - y):is_zero())
  end)

  it("have velocities and accelerations by the chain rule", function()
    local e = x^2*hm.sin(y) + hm.t
    assert.equal(hm.dt(e), e.dot)
    assert.equal(hm.dt(hm.dt(e)), e.ddot)
    assert.equal(e.ddot.dot, e:dot(3))
    assert.equal("0", tostring((m^2).dot))
  end)

  it("say what is wrong", function()
    check.raises({ "expression or a number" }, function() return x + {} end)
    check.raises({ "no order" }, function() return x < y end)
    check.raises({ "division by zero" }, function() return x/0 end)
    check.raises({ "'foo' is not a known symbol" }, hm.parse, "foo + 1", { x })
    check.raises({ "no field 'difff'", "diff" }, function() return x.difff end)
    check.raises({ "has no value" }, function() return (x + y):eval{ [x] = 1 } end)
    check.raises({ "'z' does not occur" }, function() return (x + y):eval{ x = 1, z = 2 } end)
    check.raises({ "not a function" }, function() return x(2) end)
    check.raises({ "nan" }, function() return x*(0/0) end)
    check.raises({ "no derivative" }, function() return m.dot end)
  end)

  it("point to the user's line", function()
    assert.truthy(check.message(function() return x + {} end):find("expression_spec.lua:%d+:"))
  end)

  it("are collected with Lua's garbage", function()
    local core = require "hamel.core"
    core.sweep()
    local before = core.node_count()
    do
      local e = x
      for i = 1, 2000 do e = hm.sin(e + i) end
      assert.is_true(core.node_count() > before + 2000)
    end
    core.sweep()
    assert.is_true(core.node_count() < before + 200)
  end)

  it("of tree size 2^60 and depth 100,000 work", function()
    local e = x
    for _ = 1, 60 do e = e*e + hm.sin(e) end
    assert.is_true(#tostring(hm.diff(e, x)) < 1000000)
    check.near(e:eval{ [x] = 0 }, 0)
    local deep = x
    for _ = 1, 100000 do deep = hm.sin(y*deep) end
    local text = tostring(deep)
    assert.is_true(#text < 720000)
    assert.equal(deep, hm.parse(text, { x, y }))
    assert.truthy(hm.diff(deep, x))
  end)
end)
