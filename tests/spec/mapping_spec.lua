-- linear mappings: geometry, the motion they give, what is refused
local hm, check = require "hamel", require "check"
local connection = require "hamel.geometry.connection"
local sqrt = hm.sqrt

local function cylinder()
  local S = hm.system "particle on a growing cylinder"
  local x, y, z = S:coordinates "x y z"
  local g = S:positive "g=9.81"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:force(z, -g)
  S:constraint("cylinder", x^2 + y^2 - (hm.t + 1)^2)
  return S, x, y, sqrt(x^2 + y^2)
end

describe("a linear mapping", function()
  it("has metric, connection and torsion", function()
    local S, x, y, r = cylinder()
    local M = S:linear_mapping{ names = "p h s", time = 3, b = { { -y, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } } }
    assert.is_true(M.integrable)
    assert.is_true((M.metric[1][1] - r^2):is_zero())
    assert.equal(0, #M:coupling())
    local N = S:linear_mapping{ names = "p h s", time = 3, b = { { -y/r, 0, x/r }, { x/r, 0, y/r }, { 0, 1, 0 } } }
    assert.is_false(N.integrable)
    assert.truthy(tostring(N):find("not integrable", 1, true))
    local start = { q = { x = 1, y = 0, z = 0 }, v = { y = 0.4, z = 0 }, t = 2, rtol = 1e-10, atol = 1e-10 }
    local want = S:simulate(start):at(2)
    start.form = "mapping"
    for _, mapping in ipairs{ M, N } do
      start.mapping = mapping
      local run = S:simulate(start)
      local got = run:at(2)
      assert.is_true(run.energy_drift < 1e-8)
      check.near(got.x, want.x, 1e-8)
      check.near(got.lambda.cylinder, want.lambda.cylinder, 1e-7)
    end
  end)

  it("refuses what would give another motion", function()
    local S, x, y, r = cylinder()
    local function map(b, names) return S.linear_mapping, S, { names = names or "p h s", time = 3, b = b } end
    check.raises({ "does not keep up", "cylinder" }, map{ { -y, 0, 2*x/r }, { x, 0, 2*y/r }, { 0, 1, 0 } })
    check.raises({ "column 1 ('p') leaves the constraint" }, map{ { x, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } })
    check.raises({ "b[1][1] contains the time" }, map{ { -y/(hm.t + 1), 0, x/r }, { x/(hm.t + 1), 0, y/r }, { 0, 1, 0 } })
    check.raises({ "'x' is already a coordinate" }, map({ { -y, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } }, "x h s"))
    check.raises({ "no inverse" }, map{ { -y, -y, x/r }, { x, x, y/r }, { 0, 0, 0 } })
    check.raises({ "b is 2 x 3" }, map{ { -y, 0, x/r }, { x, 0, y/r } })
    check.raises({ "2 names for 3" }, map({ { -y, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } }, "p h"))
    check.raises({ "needs mapping" }, S.equations, S, "mapping")
    local M = S:linear_mapping{ names = "p h s", time = 3, b = { { -y, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } } }
    S:force(x, 1)
    check.raises({ "was changed after" }, S.equations, S, "mapping", { mapping = M })
  end)

  it("is completed from the constraint by Gram-Schmidt in the mass metric", function()
    local S, x, y, r = cylinder()
    local M = S:linear_mapping{ names = "p h s", solved = r - 1 }
    assert.is_true(M.integrable)
    assert.equal(0, #M:coupling())
    assert.equal(3, M.time)
    -- the last row of the inverse is grad f, (6)
    for k, e in ipairs(hm.gradient(r - 1, { x, y, S:symbol "z" })) do assert.is_true((M.inverse[3][k] - e):is_zero()) end
    local N = S:linear_mapping{ names = "p h s", solved = r - 1, unit = true }
    assert.is_false(N.integrable)
    for mu = 1, 3 do for nu = 1, 3 do assert.is_true((N.metric[mu][nu] - (mu == nu and 1 or 0)):is_zero()) end end
    -- unequal masses: orthogonal in the mass metric, not in space
    local P = hm.system "two beads"
    local u, w = P:coordinates "u w"
    local m = P:positive "m=3"
    P:kinetic_energy((m*u.dot^2 + w.dot^2)/2)
    P:constraint("rod", u + w - 2*hm.t)
    local b = P:linear_mapping{ names = "p s" }.b
    assert.is_true((m*b[1][1]*b[1][2] + b[2][1]*b[2][2]):is_zero())
    assert.is_true((b[1][1] + b[2][1]):is_zero())
    assert.is_true((b[1][2] + b[2][2] - 2):is_zero())
  end)

  it("says that constraints depend on each other", function()
    local D = hm.system "twice"
    local a, b = D:coordinates "a b"
    D:kinetic_energy((a.dot^2 + b.dot^2)/2)
    D:constraint("one", a^2 + b^2 - 1)
    D:constraint("two", 2*a^2 + 2*b^2 - 2)
    check.raises({ "the constraints depend on each other" }, D.linear_mapping, D, { names = "p q" })
  end)

  -- arbiter: Lagrange's equations with multipliers
  local function same_motion(S, M, start)
    start.rtol, start.atol = 1e-11, 1e-11
    local want = S:simulate(start)
    start.form, start.mapping = "mapping", M
    local got = S:simulate(start)
    assert.is_true(got.energy_drift < 1e-9)
    assert.is_true(got.constraint_drift < 1e-9)
    local a, b = want:at(start.t), got:at(start.t)
    for name, value in pairs(a.q) do check.near(b[name], value, 1e-8, name) end
    for name, value in pairs(a.lambda) do
      assert.is_true(math.abs(value) > 1e-2)
      check.near(b.lambda[name], value, 1e-7, name)
    end
  end

  local function three_dimensional(name)
    local S = hm.system(name)
    local x, y, z = S:coordinates "x y z"
    local g, m = S:positive "g=9.81 m=2"
    S:kinetic_energy((x.dot^2 + m*y.dot^2 + z.dot^2)/2)
    S:potential_energy(g*z + y^2/2)
    S:force(x, -y.dot/3)
    return S, x, y, z
  end

  it("takes several constraints: one rheonomic and scleronomic ones, or rheonomic ones of one clock", function()
    local S, x, y, z = three_dimensional "cylinder cut by a plane"
    S:constraint("cylinder", x^2 + y^2 - (hm.t + 1)^2)
    S:constraint("plane", z - x)
    local r = sqrt(x^2 + y^2)
    local M = S:linear_mapping{ names = "p f s", solved = r - 1, unit = true }
    assert.are.same({ 1 }, M.free)
    assert.are.same({ 2 }, M.fixed)
    assert.equal(0, #M:coupling())
    same_motion(S, M, { q = { x = 1, y = 0, z = 1 }, v = { y = 0.4 }, t = 1 })
    -- columns by hand: angle, height above the plane, radius
    local N = S:linear_mapping{ names = "p f s", time = 3, fixed = { 2 }, b = { { -y, 0, x/r }, { x, 0, y/r }, { -y, 1, x/r } } }
    assert.is_true(N.integrable)
    same_motion(S, N, { q = { x = 1, y = 0, z = 1 }, v = { y = 0.4 }, t = 1 })
    local R, u, v, w = three_dimensional "cylinder cut by a rising plane"
    R:constraint("cylinder", u^2 + v^2 - (hm.t + 1)^2)
    R:constraint("plane", w - u - hm.t)
    same_motion(R, R:linear_mapping{ names = "p f s", solved = sqrt(u^2 + v^2) - 1 }, { q = { x = 1, y = 0, z = 1 }, v = { y = 0.4 }, t = 1 })
    local K, a, b, c = three_dimensional "rising plane and a knife"
    K:constraint("plane", c - a/2 - 2*hm.t)
    K:constraint("knife", b.dot - a*a.dot)
    local L = K:linear_mapping{ names = "p f s" }
    assert.is_true(hm.agree(K:equations(), K:equations("mapping", { mapping = L })).equal)
    same_motion(K, L, { q = { x = 0.5, y = 0, z = 0.25 }, v = { y = 0.4 }, t = 1 })
  end)

  it("takes two particles of unequal masses: six dimensions", function()
    local S = hm.system "growing rod"
    local x1, y1, z1, x2, y2, z2 = S:coordinates "x1 y1 z1 x2 y2 z2"
    local g, m, M = S:positive "g=9.81 m=1 M=3"
    S:kinetic_energy(m/2*(x1.dot^2 + y1.dot^2 + z1.dot^2) + M/2*(x2.dot^2 + y2.dot^2 + z2.dot^2))
    S:potential_energy(m*g*z1 + M*g*z2)
    local square = (x1 - x2)^2 + (y1 - y2)^2 + (z1 - z2)^2
    S:constraint("rod", square - (1 + hm.t)^2)
    local N = S:linear_mapping{ names = "a b c d e s", solved = sqrt(square) - 1 }
    assert.equal(0, #N:coupling())
    assert.is_true((N.metric[6][6] - m*M/(m + M)):is_zero())                -- the reduced mass along the rod
    same_motion(S, N, { q = { x1 = 0, y1 = 0, z1 = 0, x2 = 0.48, y2 = 0.6, z2 = 0.64 },
      v = { x1 = 0, y1 = 0.3, z1 = 0, y2 = 0, z2 = 0.2 }, t = 1 })
  end)

  it("carries the zero connection over: no curvature, whether there is torsion or not", function()
    local S, x, y, r = cylinder()
    local M = S:linear_mapping{ names = "p h s", solved = r - 1 }
    local N = S:linear_mapping{ names = "p h s", solved = r - 1, unit = true }
    for _, map in ipairs{ M, N } do assert.is_true(connection.vanishes(map:curvature())) end
    assert.is_true(connection.vanishes(M:curvature{ commuting = true }))
    -- as if the pi were coordinates: -T^l_(mu nu) Gamma^s_(r l), by hand for the one torsion Gamma^1_31 = 1/r
    local R = N:curvature{ commuting = true }
    for s = 1, 3 do for p = 1, 3 do for mu = 1, 3 do for nu = 1, 3 do
      local want = hm.number(0)
      for l = 1, 3 do want = want - N.torsion[l][mu][nu]*N.connection[s][p][l] end
      assert.is_true((R[s][p][mu][nu] - want):is_zero())
    end end end end
    assert.is_true((R[3][1][3][1] - 1/(x^2 + y^2)):is_zero())
    -- the metric of both is flat; that of the sphere is not: R^theta_(phi theta phi) = sin^2
    assert.is_true(connection.vanishes(M:curvature{ of = "metric" }))
    local theta, phi = hm.symbols "theta phi"
    local q, one = { theta, phi }, hm.identity(2)
    local g = hm.matrix{ { 1, 0 }, { 0, hm.sin(theta)^2 } }
    local C = connection.levi_civita(g, g:inverse(), one, q)
    assert.is_true((connection.curvature(C, one, q)[1][2][1][2] - hm.sin(theta)^2):is_zero())
    check.raises({ "of is 'connection' or 'metric'" }, M.curvature, M, { of = "torsion" })
  end)

  it("moves on autoparallels, which are geodesics only when it is integrable", function()
    local S, x, y, r = cylinder()
    S:force(x, -y/(hm.t + 1)); S:force(y, x/(hm.t + 1))
    local M = S:linear_mapping{ names = "p h s", solved = r - 1 }
    local N = S:linear_mapping{ names = "p h s", solved = r - 1, unit = true }
    assert.is_true((M:autoparallels()[1] - M:geodesics()[1]):is_zero())
    assert.is_false((N:autoparallels()[1] - N:geodesics()[1]):is_zero())
    assert.truthy(tostring(N:autoparallels()):find("p'' + p'*s'/sqrt(x^2 + y^2) = 0", 1, true))
    assert.truthy(N:geodesics():latex():find("\\ddot{p} &= 0", 1, true))
    assert.truthy(tostring(N:geodesics()):find("s:         s'' = 0", 1, true))
    assert.is_true(hm.agree(S:equations("mapping", { mapping = M }), S:equations("geodesic", { mapping = M })).equal)
    assert.is_false(hm.agree(S:equations("mapping", { mapping = N }), S:equations("geodesic", { mapping = N })).equal)
    local start = { q = { x = 1, y = 0, z = 0 }, v = { y = 0.4, z = 0 }, t = 2, rtol = 1e-11, atol = 1e-11 }
    local want = S:simulate(start)
    start.form = "geodesic"
    local off = {}
    for i, map in ipairs{ M, N } do
      start.mapping = map
      off[i] = math.abs(S:simulate(start):at(2).x - want:at(2).x)
    end
    assert.is_true(off[1] < 1e-8)
    assert.is_true(off[2] > 0.1)
    -- closed form of the unit frame's geodesic: u' = 1 in place of u' + u/(t + 1) = 1, hence the angle t - 0.6 log(t + 1)
    local at = S:simulate(start):at(2)
    check.near(math.atan(at.y, at.x), 2 - 0.6*math.log(3), 1e-8)
  end)

  it("says what is missing for several constraints and for the completion", function()
    local S, x, y, r = cylinder()
    check.raises({ "'cylinder' is not linear in t", "solved = f(x)" }, S.linear_mapping, S, { names = "p h s" })
    check.raises({ "does not hold on the constraint 'cylinder'" }, S.linear_mapping, S, { names = "p h s", solved = r })
    check.raises({ "contains the time" }, S.linear_mapping, S, { names = "p h s", solved = r - 1 + hm.t })
    check.raises({ "names are needed" }, S.linear_mapping, S, { solved = r - 1 })
    check.raises({ "solved and unit are for the completion" }, S.linear_mapping, S,
      { names = "p h s", time = 3, unit = true, b = { { -y, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } } })
    check.raises({ "time = the number of a column is needed", "'cylinder' moves" }, S.linear_mapping, S,
      { names = "p h s", b = { { -y, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } } })
    S:constraint("plane", S:symbol "z" - x)
    check.raises({ "2 constraints, hence 1 fixed column, not 0" }, S.linear_mapping, S,
      { names = "p f s", time = 3, b = { { -y, 0, x/r }, { x, 0, y/r }, { -y, 1, x/r } } })
    check.raises({ "column 3 is named twice" }, S.linear_mapping, S,
      { names = "p f s", time = 3, fixed = { 3 }, b = { { -y, 0, x/r }, { x, 0, y/r }, { -y, 1, x/r } } })
    check.raises({ "column 1 ('p') leaves the constraint 'plane'" }, S.linear_mapping, S,
      { names = "p f s", time = 3, fixed = { 2 }, b = { { -y, 0, x/r }, { x, 0, y/r }, { 0, 1, x/r } } })
    local C = hm.system "cone"
    local u, w = C:coordinates "u w"
    C:kinetic_energy((u.dot^2 + w.dot^2)/2)
    check.raises({ "cone has no constraint" }, C.linear_mapping, C, { names = "p s" })
    C:constraint("speed", u.dot^2 + w.dot^2 - 1)
    check.raises({ "'speed' is nonlinear nonholonomic" }, C.linear_mapping, C, { names = "p s" })
    check.raises({ "'speed' is nonlinear nonholonomic" }, C.equations, C, "mapping")
  end)
end)
