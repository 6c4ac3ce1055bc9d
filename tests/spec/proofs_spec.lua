-- What is proved of constraints holds wherever they do: not on one branch of a product, nor on one side of a jump. Integrals that are given
-- are constant along runs; where a proof covers a part of the motions only, the answer is nil with the reason.
local check = require "check"
local hm = require "hamel"
local sign, abs, max, min, sin, cos, exp = hm.sign, hm.abs, hm.max, hm.min, hm.sin, hm.cos, hm.exp

local function system(f)
  local S = hm.system "s"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  for i, e in ipairs{ f(x, y, z) } do S:constraint("c" .. i, e) end
  return S
end

local function refused(f, kind, ...)
  local S = system(f)
  local answer, witnesses, reason = S:holonomic()
  assert.is_nil(answer, tostring(S.constraints.c1))
  assert.are.same({}, witnesses)
  for _, word in ipairs{ ... } do assert.is_truthy(reason:find(word, 1, true), reason) end
  check.raises({ "constraint_integrals", reason }, S.constraint_integrals, S)
  assert.equal(kind, S.constraints.c1.kind)
end

describe("a product of velocities", function()
  local kind = "nonlinear integrable in branches"
  it("holds in branches", function()
    refused(function(x, y) return x.dot*y.dot end, kind, "x' = 0", "y' = 0", "declare the one that is meant")
    refused(function(x, y) return x.dot*(y.dot - x*x.dot) end, kind, "x' = 0", "x*x' - y' = 0")
    refused(function(x, y, z) return x.dot*y.dot*z.dot end, kind, "x' = 0", "y' = 0", "z' = 0")
    refused(function(x, y) return y.dot^2 - x.dot*y.dot end, kind, "y' = 0")
    refused(function(x, y) return sin(x.dot)*y.dot end, kind, "y' = 0")
    refused(function(x, y) return x.dot*y.dot*(1 + x.dot^2)*(2 + cos(y.dot)) end, kind, "branches, y' = 0 or x' = 0;")
  end)

  it("is not integrable where one branch is not", function()
    for _, f in ipairs{ function(x, y, z) return z.dot*(y.dot - z*x.dot) end, function(x, y, z) return (y.dot - z*x.dot)*(x.dot - 1) end,
                        function(x, y, z) return x.dot^2 - y.dot^2*z^2 end } do
      local S = system(f)
      assert.is_false((S:holonomic()), tostring(S.constraints.c1))
      assert.equal("nonlinear nonholonomic", S.constraints.c1.kind)
    end
  end)

  it("that other constraints make one is met when they are put in", function()
    local S = system(function(x, y, z) return z.dot - x.dot*y.dot, z.dot end)
    local answer, _, reason = S:holonomic()
    assert.is_nil(answer)
    assert.is_truthy(reason:find "another way")
  end)

  it("with factors that never vanish is their other factor", function()
    for _, g in ipairs{ function(v) return 1 + v^2 end, function(v) return exp(v) end, function(v) return 2 + cos(v) end } do
      assert.is_true((system(function(x, y) return (y.dot - x*x.dot)*g(x.dot) end):holonomic()))
      assert.is_false((system(function(x, y, z) return (y.dot - z*x.dot)*g(x.dot) end):holonomic()))
    end
  end)

  it("of one factor with itself has no derivative where it holds", function()
    for _, n in ipairs{ 2, 3 } do
      local S = system(function(x, y) return (x.dot - y.dot)^n end)
      local answer, _, reason = S:holonomic()
      assert.is_nil(answer)
      assert.is_truthy(reason:find("declare its root, x' - y'", 1, true))
    end
  end)
end)

describe("a coefficient that jumps", function()
  local kind = "linear integrable in regions"
  it("proves nothing across the jump", function()
    refused(function(x, y, z) return z.dot - sign(y)*x.dot end, kind, "y changes its sign")
    refused(function(x, y, z) return z.dot - sign(y - 2*x)*x.dot + sign(y - 2*x)*y.dot end, kind, "changes its sign")
    refused(function(x, _, z) return z.dot - sign(hm.t - 1)*x.dot end, kind, "changes its sign")
    refused(function(x, y, z) return z.dot - abs(y)/y*x.dot end, kind, "y changes its sign")
    refused(function(x, y) return abs(x.dot) - y.dot end, "nonlinear integrable in regions", "x' changes its sign")
    refused(function(x, y) return max(x.dot, 0) - y.dot end, "nonlinear integrable in regions", "x' changes its sign")
  end)

  it("is none where both sides agree, or where the sign never changes", function()
    assert.is_true((system(function(_, y, z) return z.dot - abs(y)*y.dot end):holonomic()))
    assert.is_true((system(function(_, y, z) return z.dot - max(y, 0)*y.dot - min(y, 1)*z.dot/7*0 end):holonomic()))
    assert.is_true((system(function(x, y, z) return z.dot - sign(1 + y^2)*x.dot end):holonomic()))
    assert.is_false((system(function(x, y, z) return z.dot - abs(y)*x.dot end):holonomic()))
  end)

  it("is not taken for linear in the velocities", function()
    for _, f in ipairs{ function(x, y) return abs(x.dot) - y.dot end, function(x, y) return max(x.dot, y.dot) end,
                        function(x, y) return hm.sqrt((x.dot - y.dot)^2) - y.dot end } do
      assert.is_false(system(f).constraints.c1.linear)
    end
    assert.is_true(system(function(x, y) return abs(x)*x.dot - y.dot end).constraints.c1.linear)
  end)
end)

describe("a constraint that never changes its sign", function()
  it("is refused with what to declare in its place", function()
    local cases = {
      { function(x, y) return x.dot^2 + y.dot^2 end, "x'", "y'" }, { function(x, y) return -x^2 - 3*y^2 end, "x", "y" },
      { function(x, y) return x.dot^2 + x.dot*y.dot + y.dot^2 end, "y'" }, { function(x, y) return x.dot^4 + y.dot^4 end, "x'", "y'" },
      { function(x, y, z) return (x.dot - z*y.dot)^2 + z.dot^2 end, "z'" }, { function(x, y) return abs(x.dot) + abs(y.dot) end, "x'", "y'" },
      { function(x, y) return x^2 + y^2 - 2*x + 1 end, "x - 1", "y" },
    }
    for _, case in ipairs(cases) do
      local words = { "never changes its sign", "as constraints of their own" }
      table.move(case, 2, #case, 3, words)
      check.raises(words, system, case[1])
    end
    -- the advice
    local S = system(function(x, y) return x.dot, y.dot end)
    assert.equal(1, S.degrees_of_freedom)
    assert.is_true((S:holonomic()))
    check.raises({ "nothing satisfies" }, system, function(x, y) return x^2 + y^2 + 1 end)
    check.raises({ "nothing satisfies" }, system, function(x) return exp(x.dot) end)
  end)

  it("is told from one that does", function()
    for _, f in ipairs{ function(x, y) return x^2 + y^2 - 1 end, function(x, y, z) return x.dot^2 + y.dot^2 - z.dot^2 end,
                        function(x, y) return x.dot^2 + 3*x.dot*y.dot + y.dot^2 end, function(x, y) return x^2 + y^2 - 2*x end } do
      assert.has_no.errors(function() system(f) end)
    end
  end)
end)

describe("integrals of constraints of which one implies the other", function()
  it("are those of each", function()
    local function texts(f)
      local I = system(f):constraint_integrals()
      return I.c1.integral, I.c2.integral
    end
    for _, f in ipairs{ function(x, y) return x^2 + y^2 - 1, x*x.dot + y*y.dot end, function(x, y) return x*x.dot + y*y.dot, x^2 + y^2 - 1 end,
                        function(x, y) return x*x.dot + y*y.dot, 3*x*x.dot + 3*y*y.dot end } do
      local x, y = hm.functions_of_time "x y"
      for _, F in ipairs{ texts(f) } do
        -- constant on the circles
        assert.is_true((y*F:diff(x) - x*F:diff(y)):is_zero())
        assert.is_false(F:diff(x):is_zero())
      end
      assert.equal(2, #{ texts(f) })
    end
    -- nothing elementary integrates it, yet it is one
    local S = system(function(x, y) return hm.sin(x*y)*hm.exp(x) - hm.log(2 + y^2*x) end)
    assert.is_truthy(S:constraint_integrals().c1.integral)
  end)
end)

describe("a corner of a constraint", function()
  local function run(f, q, v, o)
    o = o or {}
    o.q, o.v, o.t, o.progress = q, v, 2, false
    return system(f):simulate(o)
  end

  it("stops a run like a branching point of smooth ones", function()
    local cases = {
      { function(x, y) return abs(x) - abs(y) end, { x = -1, y = -1, z = 0 }, { x = 1, y = 1, z = 0 } },
      { function(x, y) return hm.sqrt(x^2) - hm.sqrt(y^2) end, { x = -1, y = 1, z = 0 }, { x = 1, z = 0 } },
      { function(x, y) return y - abs(x) end, { x = -1, y = 1, z = 0 }, { x = 1, z = 0 } },
      { function(x, y) return max(x, y) end, { x = -1, y = 0, z = 0 }, { x = 1, z = 0 } },
      { function(x, y) return min(x, 2*y) end, { x = 0, y = 1, z = 0 }, { y = -1, z = 0 } },
    }
    for _, case in ipairs(cases) do
      for _, method in ipairs{ "dop853", "radau5", "auto", "rk4" } do
        local r = run(case[1], case[2], case[3], { method = method, step = method == "rk4" and 0.01 or nil })
        local S = r.system.constraints.c1
        assert.not_equal("OK", r.status, ("%s: %s"):format(method, tostring(S)))
        assert.is_true(r.t[#r.t] < 1.0000001, ("%s: %s at %.17g"):format(method, tostring(S), r.t[#r.t]))
        assert.is_truthy(r.reason:find("corner", 1, true) or r.reason:find("restrains no", 1, true)
          or r.reason:find("hold the motion so little", 1, true), r.reason)
      end
      assert.not_equal("OK", run(case[1], case[2], case[3], { record = "ends" }).status)
    end
    -- the advice: a branch
    assert.equal("OK", run(function(x, y) return x - y end, { x = -1, y = -1, z = 0 }, { x = 1, z = 0 }).status)
  end)

  it("in the velocities does, too", function()
    local S = system(function(x, y) return abs(x.dot) - abs(y.dot) end)
    S:force(S:coordinate_list()[1], -1)
    local r = S:simulate{ q = { x = 0, y = 0, z = 0 }, v = { x = 1, y = 1, z = 0 }, t = 4, progress = false }
    assert.equal("SINGULAR", r.status)
    check.near(r.t[#r.t], 2, 1e-6)
  end)

  it("that is none stops nothing", function()
    local r = run(function(x, y) return y - abs(x)*x end, { x = -1, y = -1, z = 0 }, { x = 1, z = 0 })
    assert.equal("OK", r.status)
    assert.is_true(r:at(2).x > 0)
    assert.equal("OK", run(function(x, y) return abs(x) - abs(y) end, { x = 1, y = 1, z = 0 }, { x = 1, z = 0 }).status)
  end)
end)
