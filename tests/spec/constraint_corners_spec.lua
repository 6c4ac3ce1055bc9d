-- corners of constraints on velocities that a motion passes: the same verdict and the same motion in the forms with multipliers as in those without
local hm, check = require "hamel", require "check"

local abs, max, min, step, t, where = hm.abs, hm.max, hm.min, hm.step, hm.t, hm.where

local FORMS = { "lagrange", "nielsen", "kane", "chaplygin", "maggi", "hamel" }

-- The constraint has a mass of 2 in y; forces on x and z
local function system(f, forces)
  local S = hm.system "corner"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + 2*y.dot^2 + z.dot^2)/2)
  for name, force in pairs(forces) do S:force(name, force) end
  S:constraint("c", f(x, y, z))
  return S
end

local function run(case, form, more)
  local o = { q = { x = 0, y = 0, z = 0 }, v = case.v or { x = 1, z = 0.5 }, t = case.t or 2, form = form, progress = false }
  for key, value in pairs(more or {}) do o[key] = value end
  return system(case[1], case.forces or { x = -1 }):simulate(o)
end

describe("a corner of a constraint on velocities", function()
  -- Arbiter: the constraint inserted by hand. With y' = k x' + z' + c and the force F on x, x'' = F/(1 + 2 k^2/3) and z'' = -2 k x''/3
  it("is passed where one branch leads on", function()
    local cases = {
      { function(x, y, z) return y.dot - abs(x.dot) - z.dot end, x = -0.2, z = 0.5 + 0.4*(5/3 - 1/3) },
      { function(x, y, z) return y.dot - min(x.dot, 2*x.dot - hm.rational(1, 2)) - z.dot end, forces = { x = -0.7 }, x = 19/55 },
      { function(x, y) return y.dot - max(0, x.dot) end, t = 4, x = -1, z = 0.5 },
    }
    for _, case in ipairs(cases) do
      for _, form in ipairs(FORMS) do
        for _, method in ipairs{ "dop853", "radau5", "auto" } do
          local r = run(case, form, { method = method })
          assert.equal("OK", r.status, form)
          check.near(r:at(case.t or 2).v.x, case.x, 1e-8)
          if case.z then check.near(r:at(case.t or 2).v.z, case.z, 1e-8) end
        end
      end
    end
  end)

  -- Arbiter: with y' = k x', x'' = F/(1 + 2 k^2)
  it("is passed where what jumps has no effect at that moment", function()
    local inert = { forces = { x = -0.7 }, x = 1 - 1.4/3 }
    local cases = {
      { function(x, y) return y.dot - step(t - 1)*x.dot end, x = -1/3 },
      { function(x, y) return y.dot - where(x:lt(-5) & t:gt(1), 2, 1)*x.dot end, forces = inert.forces, x = inert.x },
      { function(x, y) return y.dot - where((t:gt(1) & x:lt(-5)) | (y:lt(-9) & t:gt(0.5)), 3, 1)*x.dot end, forces = inert.forces, x = inert.x },
      { function(x, y, z) return y.dot - where(z:lt(-5) & x:gt(1), 2, 1)*x.dot end, forces = inert.forces, x = inert.x },
      { function(x, y) return y.dot - where(x:gt(-5) | t:gt(1), 2, 1)*x.dot end, forces = inert.forces, x = 1 - 1.4/9 },
    }
    for _, case in ipairs(cases) do
      for _, form in ipairs(FORMS) do
        local r = run(case, form)
        assert.equal("OK", r.status, form)
        check.near(r:at(2).v.x, case.x, 1e-8)
        case.place = r:at(2).x
      end
      local S = system(case[1], case.forces or { x = -1 })
      local W = S:sweep{ over = { { "v.x", { 1 } } }, q = { x = 0, y = 0, z = 0 }, v = { z = 0.5 }, t = 2, progress = false }
      assert.equal("OK", W[1].status)
      check.near(W[1].x, case.place, 1e-8)
    end
  end)

  -- Arbiter: the form 'kane', which has the constraint inserted
  it("is passed inside of quotients, roots and conditions in conditions", function()
    local cases = {
      function(x, y, z) return y.dot - z.dot/(1 + abs(x.dot)) end,
      function(x, y, z) return y.dot - z.dot*hm.sqrt(1 + abs(x.dot)) end,
      function(x, y, z) return y.dot - hm.exp(abs(x.dot)) - z.dot end,
      function(x, y, z) return y.dot - where((x.dot:gt(0.4) & x:gt(-5)) | z:lt(-9), 2*x.dot - 0.4, x.dot) - z.dot end,
      function(x, y, z) return y.dot - abs(x.dot)*abs(z.dot) - max(x.dot, 0) end,
    }
    for _, f in ipairs(cases) do
      local case = { f, forces = { x = -0.7 }, t = 2.5 }
      local one, other = run(case, "lagrange"), run(case, "kane")
      assert.equal("OK", one.status)
      assert.equal("OK", other.status)
      for _, name in ipairs{ "x", "y", "z" } do check.near(one:at(2.5).v[name], other:at(2.5).v[name], 1e-7) end
    end
  end)

  -- With s the sign of x' z', x'' = (3 X + 2 s Z)/5 and z'' = (3 Z + 2 s X)/5: here both x' and z' come to zero at t = 1, from where z' may rise or fall
  it("stops the run in every form where more than one branch leads on", function()
    local case = { function(x, y, z) return y.dot - abs(x.dot) + abs(z.dot) end, forces = { x = -0.7, z = 0.1 }, v = { x = 0.38, z = 0.22 } }
    for _, form in ipairs(FORMS) do
      local r = run(case, form)
      assert.equal("SINGULAR", r.status, form)
      check.near(r.t[#r.t], 1, 1e-6)
      assert.truthy(r.reason:find("more than one of its branches leads on", 1, true), r.reason)
    end
    local W = system(case[1], case.forces):sweep{ over = { { "v.x", { 0.38 } } }, q = { x = 0, y = 0, z = 0 }, v = { z = 0.22 }, t = 2, progress = false }
    assert.equal("SINGULAR", W[1].status)
  end)

  it("is passed where two are met together and one combination of branches leads on", function()
    local case = { function(x, y, z) return y.dot - abs(x.dot) - abs(z.dot) end, forces = { x = -0.7, z = -0.7 }, v = { x = 0.14, z = 0.14 } }
    for _, form in ipairs(FORMS) do
      local r = run(case, form)
      assert.equal("OK", r.status, form)
      check.near(r:at(2).v.x, -0.14, 1e-8)
      check.near(r:at(2).v.z, -0.14, 1e-8)
    end
  end)

  -- With x'' = z'' = -3/5 from 1/2 on both come to zero together, and the force against y' holds them there
  it("keeps a motion at rest that the corners hold", function()
    local case = { function(x, y, z) return y.dot - abs(x.dot) - abs(z.dot) end, forces = { y = -3 }, v = { x = 0.5, z = 0.5 } }
    for _, form in ipairs(FORMS) do
      local r = run(case, form)
      assert.equal("OK", r.status, form)
      check.near(r:at(2).v.x, 0, 1e-8)
      check.near(r:at(2).x, 0.5^2/(2*0.6), 1e-8)
    end
  end)

  it("stops the run in every form where no branch leads on", function()
    local case = { function(x, y) return y.dot - abs(x.dot) end, forces = { x = -0.7, y = -3 } }
    for _, form in ipairs(FORMS) do
      local r = run(case, form)
      assert.equal("SINGULAR", r.status, form)
      assert.truthy(r.reason:find("so that none goes on", 1, true), r.reason)
    end
  end)

  it("stops a vakonomic run, whose momenta jump with the constraint, unless nothing jumps", function()
    local function vakonomic(f)
      local S = hm.system "vakonomic"
      local x, y, z = S:coordinates "x y z"
      S:kinetic_energy((x.dot^2 + 2*y.dot^2 + z.dot^2)/2)
      S:potential_energy(0.7*x)
      S:constraint("c", f(x, y, z))
      return S:simulate{ q = { x = 0, y = 0, z = 0 }, v = { x = 1, z = 0.5 }, t = 2.5, form = "vakonomic", mu = { c = 0.1 }, progress = false }
    end
    assert.equal("SINGULAR", vakonomic(function(x, y, z) return y.dot - abs(x.dot) - z.dot end).status)
    local r = vakonomic(function(x, y, z) return y.dot - where(x:lt(-5) & t:gt(1), 2, 1)*x.dot - z.dot end)
    assert.equal("OK", r.status)
    check.near(r:at(2.5).v.x, 1 - 0.7*2.5*3/5, 1e-8)
  end)
end)

describe("a velocity that constraints with corners or data prescribe up to a branch", function()
  local IMPLICIT = { "lagrange", "nielsen", "maggi", "hamel", "kane", "appell", "volterra" }

  local function level_set(f, forces, v, form, duration)
    v.z = v.z or 0
    return system(f, forces):simulate{ q = { x = 0, y = 0, z = 0 }, v = v, t = duration, form = form, progress = false }
  end

  -- Arbiter: the branches by hand. On x' + y' = 1 and on -x' + y' = 1 x'' = F/3; on a branch y' = 1 x'' = F, on x' = 1 y'' = G/2; with y' = x' x'' = F/3
  it("is followed along the branch of the start and through its corners", function()
    local F = -0.7
    local cases = {
      { function(x, y) return abs(x.dot) + abs(y.dot) - 1 end, { x = F }, { x = 0.5, y = 0.5 }, 5, x = 0.5 + 5*F/3, y = 1 + (0.5 + 5*F/3) },
      { function(x, y) return max(abs(x.dot), abs(y.dot)) - 1 end, { x = F }, { x = 0.5, y = 1 }, 2, x = 0.5 + 2*F, y = 1 },
      { function(x, y) return abs(x.dot) - abs(y.dot) end, { x = F }, { x = -0.6, y = 0.6 }, 2, x = -0.6 + 2*F/3, y = 0.6 - 2*F/3 },
      { function(_, y) return abs(y.dot) - 1 end, { x = F }, { x = 0.5, y = -1 }, 2, x = 0.5 + 2*F, y = -1 },
    }
    for i, case in ipairs(cases) do
      for _, form in ipairs(IMPLICIT) do
        local r = level_set(case[1], case[2], case[3], form, case[4])
        assert.equal("OK", r.status, i .. form)
        check.near(r:at(case[4]).v.x, case.x, 1e-8, form)
        check.near(r:at(case[4]).v.y, case.y, 1e-8, form)
      end
    end
    -- from the branch y' = 1 onto x' = 1, where another velocity depends
    local r = level_set(function(x, y) return max(x.dot, y.dot) - 1 end, { x = 0.5, y = -0.5 }, { x = 0.5, y = 1 }, "lagrange", 2)
    assert.equal("OK", r.status)
    check.near(r:at(2).v.x, 1, 1e-9)
    check.near(r:at(2).v.y, 1 - 0.25, 1e-8)
  end)

  it("is refused with true words", function()
    check.raises({ "the constraints leave a choice, y' = 0.5 or -0.5", "give v.y" }, level_set,
      function(x, y) return abs(x.dot) + abs(y.dot) - 1 end, {}, { x = 0.5 }, "lagrange", 1)
    for _, form in ipairs{ "lagrange", "kane" } do
      check.raises({ "y' = 0.666666666666667 or -2" }, level_set, function(_, y) return abs(y.dot) + y.dot/2 - 1 end, {}, { x = 0.5 }, form, 1)
    end
    check.raises({ "nothing satisfies" }, level_set, function(x, y) return abs(x.dot) + abs(y.dot) + 1 end, {}, { x = 0.5 }, "lagrange", 1)
    check.raises({ "is not linear in any velocity" }, level_set,
      function(x, y) return abs(x.dot) + abs(y.dot) - 1 end, {}, { x = 0.5, y = 0.5 }, "chaplygin", 1)
  end)

  -- Arbiter: y' = -D(x') with the slope -2 there: x'' = F/(1 + 2 2^2)
  it("by data is the same in every form", function()
    for _, kind in ipairs{ "linear", "akima" } do
      local D = hm.data{ x = { -3, -2, -1, 1, 2, 3 }, y = { 4, 2, 0, 0, 2, 4 }, kind = kind, name = "slope_" .. kind }
      assert.is_false(system(function(x, y) return D(x.dot) + y.dot end, {}).constraints.c.linear)
      for _, form in ipairs{ "lagrange", "nielsen", "chaplygin", "voronets", "maggi", "hamel", "kane", "appell", "volterra" } do
        local r = level_set(function(x, y) return D(x.dot) + y.dot end, { x = -0.7 }, { x = 2.9, y = -3.8 }, form, 2)
        assert.equal("OK", r.status, form)
        check.near(r:at(2).v.x, 2.9 - 2*0.7/9, 1e-8, form)
      end
    end
  end)
end)

describe("a corner of a constraint on velocities, beside contacts,", function()
  local extras = {
    wall = function(S, _, z) S:unilateral("wall", z + hm.rational(1, 5), { law = hm.newton(0.5) }) end,
    floor = function(S, _, z) S:unilateral("floor", z, { law = hm.newton(0.5) }) end,
    stop = function(S, x) S:unilateral("stop", hm.rational(4, 5) - x, { law = hm.newton(0.5) }) end,
    rub = function(S, _, z) S:friction("rub", { slip = z.dot, normal = 1, coefficient = 0.05 }) end,
    drag = function(S, x) S:friction("drag", { slip = x.dot, normal = 1, coefficient = 0.5 }) end,
  }

  local function bent(kind, forces)
    local S = system(function(x, y, z) return y.dot - abs(x.dot) - z.dot/2 end, forces)
    local q = S:coordinate_list()
    extras[kind](S, q[1], q[3])
    return S
  end

  local function go(kind, forces, more)
    local o = { q = { x = 0, y = 0, z = 0 }, v = { x = 1, z = 0 }, t = 8, progress = false }
    for key, value in pairs(more or {}) do o[key] = value end
    return bent(kind, forces):simulate(o)
  end

  -- One branch by itself, y' = s x' + z'/2, is integrable: it leaves x and z free
  local function branch(s, kind, forces, q, v, span, turn)
    local S = hm.system "branch"
    local x, z = S:coordinates "x z"
    S:kinetic_energy((x.dot^2 + 2*(s*x.dot + z.dot/2)^2 + z.dot^2)/2)
    for name, force in pairs(forces) do S:force(name, force) end
    extras[kind](S, x, z)
    return S:simulate{ q = q, v = v, t = span, rtol = 1e-11, atol = 1e-12, progress = false,
                       events = turn and { { name = "turn", when = x.dot, terminal = true } } or nil }
  end

  -- Arbiter: both branches by hand, without a constraint, the second from where x' = 0
  it("is passed as by the branches one after the other", function()
    local cases = { { "wall", { x = -0.7, z = -0.8 } }, { "floor", { x = -0.7, z = -0.1 } }, { "floor", { x = -0.7, z = -0.8 } },
                    { "rub", { x = -0.7, z = -0.1 } }, { "rub", { x = -0.7, z = 0.3 } }, { "drag", { x = -0.7, z = -0.8 } } }
    for _, case in ipairs(cases) do
      local kind, forces = table.unpack(case)
      local first = branch(1, kind, forces, { x = 0, z = 0 }, { x = 1, z = 0 }, 8, true)
      assert.equal("EVENT", first.status, kind)
      local T = first.outcome.t
      local s = first:at(T)
      local second = branch(-1, kind, forces, { x = s.x, z = s.z }, { x = -1e-13, z = s.v.z }, { T, 8 })
      for _, method in ipairs{ "dop853", "radau5" } do
        local r = go(kind, forces, { method = method })
        assert.equal("OK", r.status, kind .. tostring(r.reason))
        check.near(r:at(8).x, second:at(8).x, 1e-8, kind)
        check.near(r:at(8).z, second:at(8).z, 1e-8, kind)
      end
    end
  end)

  it("stops the run where an impact leads beyond it", function()
    local r = go("stop", { x = -0.7, z = -0.1 })
    assert.equal("SINGULAR", r.status)
    assert.truthy(r.reason:find("an impact leads the velocities beyond it", 1, true), r.reason)
    check.raises({ "corner where x' = 0", "does not locate where the motion passes it" }, go, "wall", {}, { method = "moreau", step = 0.01 })
  end)
end)
