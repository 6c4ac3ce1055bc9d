-- Surfaces given by a function: rolling spheres and points on them.
local hm, check = require "hamel", require "check"
local near, raises = check.near, check.raises

-- ---- a ball on z = h(x, y) by numbers alone: Newton and Euler for the ball, the contact point by its parameters u, v. The surface may turn at the
-- rate W about the z axis if it is one of revolution.

local function cross(a, b) return { a[2]*b[3] - a[3]*b[2], a[3]*b[1] - a[1]*b[3], a[1]*b[2] - a[2]*b[1] } end
local function dot(a, b) return a[1]*b[1] + a[2]*b[2] + a[3]*b[3] end
local function sum(a, b, k) return { a[1] + k*b[1], a[2] + k*b[2], a[3] + k*b[3] } end

-- Normal and its derivatives by u and v
local function normal_of(surface, u, v)
  local hx, hy, hxx, hxy, hyy = surface.slopes(u, v)
  local m = { -hx, -hy, 1 }
  local size = math.sqrt(dot(m, m))
  local function derived(d) return sum({ d[1]/size, d[2]/size, d[3]/size }, m, -dot(m, d)/size^3) end
  return { m[1]/size, m[2]/size, m[3]/size }, derived{ -hxx, -hxy, 0 }, derived{ -hxy, -hyy, 0 }, { 1, 0, hx }, { 0, 1, hy }
end

-- y = (u, v, omega): v_G = W x s + omega x (r n) = s' + r n', k r^2 omega' = - r n x (v_G' - g)
local function rates(surface, y)
  local u, v, w, r, g = y[1], y[2], { y[3], y[4], y[5] }, surface.r, { 0, 0, -surface.g }
  local n, nu, nv, tu, tv = normal_of(surface, u, v)
  local W = { 0, 0, surface.W or 0 }
  local vG = sum(cross(W, { u, v, 0 }), cross(w, n), r)
  local a, b = sum(tu, nu, r), sum(tv, nv, r)
  local aa, ab, ba, bb, ra, rb = dot(a, tu), dot(b, tu), dot(a, tv), dot(b, tv), dot(vG, tu), dot(vG, tv)
  local det = aa*bb - ab*ba
  local du, dv = (ra*bb - rb*ab)/det, (aa*rb - ba*ra)/det
  local ds, dn = { du*tu[1] + dv*tv[1], du*tu[2] + dv*tv[2], du*tu[3] + dv*tv[3] }, { du*nu[1] + dv*nv[1], du*nu[2] + dv*nv[2], du*nu[3] + dv*nv[3] }
  local known = sum(sum(cross(W, ds), cross(w, dn), r), g, -1)
  local moment = cross(n, known)
  local f = -r/((0.4 + 1)*r^2)
  return { du, dv, f*moment[1], f*moment[2], f*moment[3] }
end

local function by_hand(surface, y, t, n)
  local h = t/n
  local function moved(k, s)
    local z = {}
    for i = 1, 5 do z[i] = y[i] + s*k[i] end
    return z
  end
  for _ = 1, n do
    local a = rates(surface, y)
    local b = rates(surface, moved(a, h/2))
    local c = rates(surface, moved(b, h/2))
    local d = rates(surface, moved(c, h))
    for i = 1, 5 do y[i] = y[i] + h/6*(a[i] + 2*b[i] + 2*c[i] + d[i]) end
  end
  return y
end

-- The system of a ball on a surface of a frame
local function ball_on(make)
  local S = hm.system "ball"
  local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
  local G = S:point "x y z"
  local ball = S:body("ball", { at = G, frame = R, mass = 2, inertia = "solid", shape = {"sphere", radius = 0.1} })
  local roll = S:rolls("roll", ball, make(N, S))
  S:gravity(-9.81*N.z)
  return S, roll, R, G, ball
end

-- Starts at a place of the surface with a spin, where omega is given in the inertial frame
local function compare(S, R, roll, surface, forms, tolerance)
  local u, v, w = 0.3, -0.1, { 3, 2, -4 }
  local n = normal_of(surface, u, v)
  local N = S:frame()
  local q = { x = u + 0.1*n[1], y = v + 0.1*n[2], R = { axis = {1, 2, 3}, angle = 0.7 } }
  local y = by_hand(surface, { u, v, w[1], w[2], w[3] }, 1.5, 4000)
  for _, form in ipairs(forms) do
    local run = S:simulate{ form = form, q = q, v = { R = N:vector(w[1], w[2], w[3]) }, t = 1.5, rtol = 1e-11, atol = 1e-12 }
    assert.are.equal("OK", run.status)
    local s, omega = run:at(1.5), run:at(1.5, R:angular_velocity())
    local contact = run:at(1.5, roll.point)
    near(contact[1], y[1], tolerance, form .. ": u") near(contact[2], y[2], tolerance, form .. ": v")
    for i = 1, 3 do near(omega[i], y[2 + i], tolerance, form .. ": omega") end
    near(s.roll_u, contact[1], 1e-9, "the contact point") near(run:at(1.5, roll.gap), 0, 1e-9, "distance")
    for _, name in ipairs{ "roll.u", "roll.v" } do near(s.lambda[name], 0, 1e-9, "no force keeps the contact point") end
  end
end

local elliptic = { r = 0.1, g = 9.81, slopes = function(u, v) return u, v/0.6, 1, 0, 1/0.6 end }
local round = { r = 0.1, g = 9.81, W = 2, slopes = function(u, v) return u, v, 1, 0, 1 end }

describe("a ball on a surface given by a function", function()
  it("rolls in an elliptic paraboloid as by Newton and Euler", function()
    local S, roll, R = ball_on(function(N) return N:surface{ height = function(x, y) return x^2/2 + y^2/1.2 end } end)
    assert.are.equal(3, S.degrees_of_freedom)
    compare(S, R, roll, elliptic, { "lagrange", "hamel", "kane" }, 1e-8)
  end)
  it("the same by an equation", function()
    local S, roll, R = ball_on(function(N) return N:surface{ equation = function(x, y, z) return 3*(z - x^2/2 - y^2/1.2) end } end)
    compare(S, R, roll, elliptic, { "lagrange", "hamel" }, 1e-8)
  end)
  it("rolls in a bowl that turns", function()
    local S, roll, R = ball_on(function(N) return N:rotate("z", 2*hm.t):surface{ height = function(x, y) return (x^2 + y^2)/2 end } end)
    local u, v, w = 0.3, -0.1, { 3, 2, -4 }
    local n, N = normal_of(round, u, v), S:frame()
    local run = S:simulate{ q = { x = u + 0.1*n[1], y = v + 0.1*n[2], R = {1, 0, 0, 0} }, v = { R = N:vector(w[1], w[2], w[3]) }, t = 1.5,
      rtol = 1e-11, atol = 1e-12 }
    local y, contact, omega = by_hand(round, { u, v, w[1], w[2], w[3] }, 1.5, 4000), run:at(1.5, roll.point), run:at(1.5, R:angular_velocity())
    near(contact[1], y[1], 1e-8, "u") near(contact[2], y[2], 1e-8, "v")
    for i = 1, 3 do near(omega[i], y[2 + i], 1e-8, "omega") end
  end)
  it("rolls in a sphere as in F:sphere, with the same force", function()
    local start = { q = { x = 0.5, y = 0.1, R = {1, 0, 0, 0} }, v = { R = {4, -3, 2} }, t = 2, rtol = 1e-11, atol = 1e-12 }
    local S = ball_on(function(N) return N:sphere{ radius = 1, inside = true } end)
    start.q.z = -math.sqrt(0.9^2 - 0.26)
    local want = S:simulate(start):at(2)
    local T = { ball_on(function(N) return N:surface{ equation = function(x, y, z) return 1 - x^2 - y^2 - z^2 end } end) }
    local U = { ball_on(function(N) return N:surface{ height = function(x, y) return -hm.sqrt(1 - x^2 - y^2) end } end) }
    for _, other in ipairs{ T, U } do
      local system, roll, R, _, ball = table.unpack(other)
      local run = system:simulate(start)
      -- Routh's integrals: the spin about the normal stays, and the vertical angular momentum about the contact point
      local spin, vertical = R:angular_velocity():dot(roll.normal), ball:angular_momentum(roll.point):dot(system:frame().z)
      near(run:at(2, spin), run:at(0, spin), 1e-9, "spin") near(run:at(2, vertical), run:at(0, vertical), 1e-9, "vertical momentum")
      local got = run:at(2)
      for _, name in ipairs{ "x", "y", "z" } do
        near(got[name], want[name], 1e-8, name)
        near(got.lambda["roll." .. name], want.lambda["roll." .. name], 1e-7, "force " .. name)
      end
    end
  end)
  it("keeps its energy, and on an axis of symmetry the moment about it grows by the force alone", function()
    local S, roll, _, G, ball = ball_on(function(N) return N:surface{ height = function(x, y) return -(x^2 + y^2)/4 end } end)
    local run = S:simulate{ q = { x = 0.01, y = 0, R = {1, 0, 0, 0} }, v = { R = {0.2, 0.1, 6} }, t = 2, rtol = 1e-11, atol = 1e-12 }
    assert.are.equal("OK", run.status)
    assert.is_true(run.energy_drift < 1e-9)
    -- about the contact point neither force nor moment of contact acts: d/dt of the momentum about G is the moment of the force there
    local force = function(t) local l = run:at(t).lambda return { l["roll.x"], l["roll.y"], l["roll.z"] } end
    local L = ball:angular_momentum(G)
    local h = 1e-3
    local before, after = run:at(1 - h, L), run:at(1 + h, L)
    local arm = run:at(1, roll.point - G)
    local moment = cross(arm, force(1))
    for i = 1, 3 do near((after[i] - before[i])/(2*h), moment[i], 1e-5, "moment") end
  end)
  it("rolls with an eccentric mass, turned by angles, on a surface of a free cart", function()
    local S = hm.system "cart"
    local N = S:frame "N"
    local X, a, b, c = S:coordinates "X a b c"
    local R = N:rotate("z", a):rotate("x", b):rotate("y", c)
    local cart = S:body("cart", { at = S:point(X*N.x), mass = 3 })
    local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = 2, inertia = {0.01, 0.012, 0.009},
      shape = {"sphere", radius = 0.1, centre = 0.02*R.x - 0.03*R.z} })
    S:rolls("roll", ball, N:surface{ at = cart.at, height = function(x, y) return (x^2 + y^2)/2 end })
    S:gravity(-9.81*N.z)
    local start, ends = { q = { X = 0, x = 0.4, y = 0.05, a = 0, b = 0.1, c = 0 }, v = { X = 0.1, a = 0.3, b = 1, c = -2 }, t = 1.5 }, {}
    start.rtol, start.atol = 1e-11, 1e-12
    for i, form in ipairs{ "lagrange", "hamel" } do
      start.form = form
      local run = S:simulate(start)
      assert.are.equal("OK", run.status)
      near(run:at(1.5, S:momentum():dot(N.x)), run:at(0, S:momentum():dot(N.x)), 1e-9, "momentum of cart and ball")
      assert.is_true(run.energy_drift < 1e-9)
      ends[i] = run:at(1.5)
    end
    for _, name in ipairs{ "X", "x", "y", "z", "b" } do near(ends[2][name], ends[1][name], 1e-8, name) end
  end)
  it("that does not fit is refused, at the start and where it gets there", function()
    local S = ball_on(function(N) return N:surface{ height = function(x, y) return 20*(x^2 + y^2) end } end)
    raises({ "start is singular", "'ball' does not fit" }, S.simulate, S, { q = { x = 0, y = 0, R = {1, 0, 0, 0} }, v = { R = {1, 2, 3} }, t = 1 })
    -- hm.exp: flat far away, a narrow hole in the middle
    local T = ball_on(function(N) return N:surface{ height = function(x, y) return -hm.exp(-50*(x^2 + y^2))/3 end } end)
    local run = T:simulate{ q = { x = 0.6, y = 0.001, R = {1, 0, 0, 0} }, v = { R = {0, -5, 0} }, t = 3 }
    assert.is_true(run.status ~= "OK")
    assert.is_truthy(run.reason:find("does not fit", 1, true))
  end)
end)

describe("a point on a surface given by a function", function()
  local function thrown(e, friction)
    local S = hm.system "point"
    local N = S:frame "N"
    local G = S:point "x y z"
    local body = S:body("stone", { at = G, mass = 2, shape = {"point"} })
    S:contact("ground", body, N:surface{ height = function(x, _) return x/2 end }, { law = hm.newton(e), friction = friction })
    S:gravity(-9.81*N.z)
    return S, body, N
  end
  it("bounces as on the inclined plane", function()
    local S = thrown(0.6, 0.2)
    local P = hm.system "plane"
    local N = P:frame "N"
    local body = P:body("stone", { at = P:point "x y z", mass = 2, shape = {"point"} })
    P:contact("ground", body, N:rotate("y", -math.atan(0.5)):plane(), { law = hm.newton(0.6), friction = 0.2 })
    P:gravity(-9.81*N.z)
    local start = { q = { x = 0, y = 0, z = 1 }, v = { x = 1, y = 0.5, z = 0 }, t = 1.2, rtol = 1e-11, atol = 1e-12 }
    local one, other = S:simulate(start), P:simulate(start)
    assert.are.equal(#other.impacts, #one.impacts)
    assert.is_true(#one.impacts > 1)
    for _, name in ipairs{ "x", "y", "z" } do near(one:at(1.2)[name], other:at(1.2)[name], 1e-8, name) end
    near(one.impacts[1].impulse, other.impacts[1].impulse, 1e-9, "impulse in newton seconds")
  end)
  it("slides in a bowl with the force of the hand-written constraint", function()
    local S = hm.system "bead"
    local N = S:frame "N"
    local body = S:body("bead", { at = S:point "x y z", mass = 2, shape = {"point"} })
    S:contact("bowl", body, N:surface{ height = function(x, y) return x^2/2 + y^2 end }, { law = hm.newton(0) })
    S:gravity(-9.81*N.z)
    local run = S:simulate{ q = { x = 0.3, y = 0.1, z = 0.3^2/2 + 0.1^2 }, v = { x = 0.4, y = -0.3, z = 0.3*0.4 - 2*0.1*0.3 }, t = 1,
      rtol = 1e-11, atol = 1e-12 }
    local T = hm.system "by hand"
    local x, y, z = T:coordinates "x y z"
    T:kinetic_energy(x.dot^2 + y.dot^2 + z.dot^2)
    T:potential_energy(2*9.81*z)
    T:constraint("bowl", z - x^2/2 - y^2)
    local hand = T:simulate{ q = { x = 0.3, y = 0.1 }, v = { x = 0.4, y = -0.3 }, t = 1, rtol = 1e-11, atol = 1e-12 }
    local s, h = run:at(1), hand:at(1)
    for _, name in ipairs{ "x", "y", "z" } do near(s[name], h[name], 1e-8, name) end
    near(s.lambda.bowl, h.lambda.bowl*math.sqrt(1 + h.x^2 + 4*h.y^2), 1e-7, "force")
  end)
end)

describe("a sphere that meets a surface given by a function", function()
  -- Thrown on a surface, and what is compared
  local function thrown(make, law, friction)
    local S = hm.system "ball"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = 2, inertia = "solid", shape = {"sphere", radius = 0.1} })
    local surface = make(N)
    S:contact("ground", ball, surface, { law = law, friction = friction })
    S:gravity(-9.81*N.z)
    return S, S:gap(ball, surface), R
  end
  local function compare_runs(one, other, t)
    assert.are.equal("OK", one.status)
    assert.is_true(#one.impacts > 1)
    near(one.impacts[1].t, other.impacts[1].t, 1e-11, "first touch")
    near(one.impacts[1].impulse, other.impacts[1].impulse, 1e-9, "impulse")
    local s, want = one:at(t), other:at(t)
    for _, name in ipairs{ "x", "y", "z", "R1" } do near(s[name], want[name], 1e-9, name) end
    for _, name in ipairs{ "x", "y", "z", "p", "q", "r" } do near(s.v[name], want.v[name], 1e-9, name .. "'") end
    near(s.lambda.ground, want.lambda.ground, 1e-7, "force")
  end
  local start = { q = { x = 0, y = 0, z = 1, R = {"zxz", 0.1, 0.2, 0.3} }, v = { x = 1, y = 0.5, z = 0, p = 1, q = 2, r = 3 }, t = 1.5,
    rtol = 1e-11, atol = 1e-12 }
  it("bounces, slides and sticks on z = x/2 as on the inclined plane", function()
    for _, mu in ipairs{ 0, 0.2, 2 } do
      local friction = mu > 0 and mu or nil
      local plane = thrown(function(N) return N:rotate("y", -math.atan(0.5)):plane() end, hm.newton(0.6), friction)
      local graph = thrown(function(N) return N:surface{ height = function(x, _) return x/2 end } end, hm.newton(0.6), friction)
      compare_runs(graph:simulate(start), plane:simulate(start), 1.5)
      if mu == 0 then
        local form = thrown(function(N) return N:surface{ equation = function(x, _, z) return 3*(z - x/2) end } end, hm.newton(0.6))
        compare_runs(form:simulate(start), plane:simulate(start), 1.5)
      end
    end
  end)
  it("comes to rest in a bowl as in F:sphere, also in one that turns and moves", function()
    for _, moving in ipairs{ false, true } do
      local function with(make)
        return thrown(function(N)
          local F, at = moving and N:rotate("x", hm.sin(hm.t)/5) or N, moving and N.system.origin + 0.1*hm.t*N.x or N.system.origin
          return make(F, at)
        end, hm.newton(0.5))
      end
      local sphere = with(function(F, at) return F:sphere{ radius = 1, inside = true, at = at } end)
      local graph = with(function(F, at) return F:surface{ at = at, height = function(x, y) return -hm.sqrt(1 - x^2 - y^2) end } end)
      local form = with(function(F, at) return F:surface{ at = at, equation = function(x, y, z) return 1 - x^2 - y^2 - z^2 end } end)
      local dropped = { q = { x = 0.3, y = 0.1, z = 0.2, R = {1, 0, 0, 0} }, v = { x = 0, y = 0.5, z = 0, p = 1, q = 2, r = 3 }, t = 2, rtol = 1e-11,
        atol = 1e-12 }
      local want = sphere:simulate(dropped)
      compare_runs(graph:simulate(dropped), want, 2)
      compare_runs(form:simulate(dropped), want, 2)
    end
  end)
  it("is thrown back by the law of impact: the drop in closed form, from beyond the centre of curvature", function()
    local S, gap = thrown(function(N) return N:surface{ height = function(x, y) return x^2/2 + y^2 end } end, hm.newton(0.5))
    -- touches at (0.4, 0.3): n along (-0.4, -0.6, 1), the centre at s + n/10, dropped from 2 m above that
    local size = math.sqrt(1.52)
    local n = { -0.4/size, -0.6/size, 1/size }
    local x, y, z = 0.4 + 0.1*n[1], 0.3 + 0.1*n[2], 0.17 + 0.1*n[3]
    local run = S:simulate{ q = { x = x, y = y, z = z + 2, R = {1, 0, 0, 0} }, v = { x = 0, y = 0, z = 0, p = 0, q = 0, r = 0 }, t = 0.7,
      rtol = 1e-11, atol = 1e-12 }
    local t, v = run.impacts[1].t, math.sqrt(2*9.81*2)
    near(t, math.sqrt(4/9.81), 1e-11, "time of the drop")
    near(run.impacts[1].impulse, 2*1.5*v*n[3], 1e-9, "impulse")
    local after = run:at(0.7).v
    local flight = 0.7 - t
    for i, name in ipairs{ "x", "y", "z" } do
      near(after[name], (i == 3 and -v - 9.81*flight or 0) + 1.5*v*n[3]*n[i], 1e-9, name .. "'")
    end
    near(run:at(0.2, gap), (2 - 9.81/2*0.2^2)*n[3], 1e-9, "the gap is the height over the level surface, along n")
  end)
  it("rolls after sliding as S:rolls does, and leaves the contact point without force", function()
    local bowl = function(N) return N:surface{ height = function(x, y) return x^2/2 + y^2/1.2 end } end
    local S, roll, R = ball_on(bowl)
    local u, v, w = 0.3, -0.1, { 3, 2, -4 }
    local n = normal_of(elliptic, u, v)
    local N = S:frame()
    local q = { x = u + 0.1*n[1], y = v + 0.1*n[2], R = { axis = {1, 2, 3}, angle = 0.7 } }
    local want = S:simulate{ q = q, v = { R = N:vector(table.unpack(w)) }, t = 0.6, rtol = 1e-11, atol = 1e-12 }
    assert.is_truthy(R and roll)
    local first = want:at(0)
    local T = thrown(bowl, hm.newton(0), 3)
    q.z = first.z
    local run = T:simulate{ q = q, v = { x = first.v.x, y = first.v.y, z = first.v.z, p = first.v.p, q = first.v.q, r = first.v.r }, t = 0.6, rtol = 1e-11,
      atol = 1e-12 }
    assert.are.equal("OK", run.status)
    local s, there = run:at(0.6), want:at(0.6)
    for _, name in ipairs{ "x", "y", "z", "p", "q", "r" } do near(s.v[name], there.v[name], 1e-7, name .. "'") end
    local l = there.lambda
    near(s.lambda.ground^2 + s.friction["ground.slip"][1]^2 + s.friction["ground.slip"][2]^2, l["roll.x"]^2 + l["roll.y"]^2 + l["roll.z"]^2, 1e-5, "force")
    near(s.lambda["ground.u"], 0, 1e-8, "no force on the contact point")
  end)
end)

describe("F:surface", function()
  it("refuses what is no surface, in one line", function()
    local S = hm.system "refused"
    local N, x = S:frame "N", S:coordinates "x"
    local a = hm.system("another"):parameters "a"
    raises({ "one of height", "equation" }, N.surface, N, {})
    raises({ "returns an expression", "not a nil" }, N.surface, N, { height = function() end })
    raises({ "hm.sin" }, N.surface, N, { height = function(u) return math.sin(u) end })
    raises({ "contains x", "keeps its form" }, N.surface, N, { height = function(u) return u*x end })
    raises({ "contains t", "frame that moves" }, N.surface, N, { height = function(u) return u*hm.t end })
    raises({ "'a' is no parameter" }, N.surface, N, { height = function(u) return u*a end })
    raises({ "none of its arguments" }, N.surface, N, { equation = function() return 1 end })
    raises({ "function, not number" }, N.surface, N, { height = 2 })
  end)
  it("says what cannot touch it", function()
    local S = hm.system "cannot"
    local N, R = S:frame "N", S:rotation "R"
    local bowl = N:surface{ height = function(x, y) return x^2 + y^2 end }
    local disc = S:body("disc", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"disc", radius = 1} })
    local ball = S:body("ball", { at = S:point "a b c", frame = R, mass = 1, inertia = "solid", shape = {"sphere", radius = 0.1} })
    local stone = S:body("stone", { at = S:point "d e f", mass = 1, shape = {"point"} })
    raises({ "disc on a surface given by a function", "planes" }, S.rolls, S, "roll", disc, bowl)
    raises({ "'ball' touches", "S:contact or S:rolls" }, S.gap, S, ball, bowl)
    raises({ "is a point", "S:contact" }, S.rolls, S, "roll", stone, bowl)
    raises({ "friction on a surface given by an equation" }, S.contact, S, "g", stone, N:surface{ equation = function(x, y, z) return 1 - x^2 - y^2 - z^2 end },
      { law = hm.newton(0), friction = 0.1 })
    raises({ 'S:contact "floor": the surface is missing before the options', "S:unilateral(name, gap" }, S.contact, S, "floor", ball, { law = hm.newton(0) })
    raises({ 'S:rolls "floor": the surface is missing before the options' }, S.rolls, S, "floor", ball, { rubber = true })
    local roll = S:rolls("roll", ball, bowl)
    assert.is_true(S:gap(ball, bowl) == roll.gap)
    raises({ "have 'roll' already" }, S.contact, S, "c", ball, N:surface{ height = function(x, y) return x^2 + y^2 end }, { law = hm.newton(0.5) })
  end)
end)

describe("places without a single contact point", function()
  it("are named in the rows of a sweep, too", function()
    local S = hm.system "disc"
    local N, R = S:frame "N", S:rotation "R"
    local disc = S:body("disc", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"disc", radius = 0.5} })
    S:rolls("roll", disc, N:plane())
    S:gravity(-9.81*N.z)
    local sweep = S:sweep{ over = { { "v.omega1", { 0, 0.1 } } }, q = { x = 0, y = 0, R = {1, 0, 0, 0} }, v = { omega2 = 0, omega3 = 6 }, t = 1 }
    for i = 1, 2 do
      assert.are.equal("START", sweep[i].status)
      assert.is_truthy(sweep[i].reason:find("'disc' lies flat", 1, true))
    end
  end)
end)

describe("pictures of bodies", function()
  local motion, options = require "hamel.show.motion", require "hamel.base.options"
  local function kinds_of(S, start)
    local data = motion.read(S:simulate(start), nil, options.check("animate", motion.schema, {}), 3)
    local kinds = {}
    for i, shape in ipairs(data.shapes) do kinds[i] = shape.kind end
    return table.concat(kinds, " "), data
  end
  it("show the surfaces that bodies touch, each once", function()
    local S = hm.system "drawn"
    local N, R = S:frame "N", S:rotation "R"
    local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"sphere", radius = 0.1} })
    local stone = S:body("stone", { at = S:point "u v w", mass = 1, shape = {"point"} })
    for i, surface in ipairs{ N:plane(), N:sphere{ radius = 5, inside = true }, N:cylinder{ radius = 4, inside = true },
                              N:rotate("z", hm.t):plane{ at = S.origin - N.z }, N:surface{ height = function(x, y) return x^2 + y^2 - 3 end } } do
      S:contact("a" .. i, i == 5 and stone or ball, surface, { law = hm.newton(0) })
    end
    S:contact("b", stone, N:plane(), { law = hm.newton(0) })
    local kinds, data = kinds_of(S, { q = { x = 1, y = 0, z = 1, u = 1, v = 0.1, w = 2, R = {1, 0, 0, 0} },
      v = { x = 0, y = 0, z = 0, u = 0, v = 0, w = 0, R = {0, 0, 0} }, t = 0.1 })
    assert.are.equal("ellipsoid ball plane globe tube graph graph trace trace", kinds)
    -- the net of the graph lies on it
    local net = data.shapes[7].body
    for _, p in ipairs(net.points) do near(p[3], p[1]^2 + p[2]^2 - 3, 1e-12, "height") end
  end)
  it("show bodies without a shape as the box with their moments, rods and plates with a thickness", function()
    local S = hm.system "boxes"
    local N, R = S:frame "N", S:rotation "R"
    local a, b, c, m = 0.3, 0.2, 0.4, 2
    S:body("brick", { at = N.x, frame = R, mass = m, inertia = { m*(b^2 + c^2)/12, m*(a^2 + c^2)/12, m*(a^2 + b^2)/12 } })
    S:body("rod", { at = 2*N.x, frame = R, mass = m, inertia = {0, m/12, m/12} })
    local kinds, data = kinds_of(S, { q = { R = {1, 0, 0, 0} }, v = { R = {0.1, 0.2, 0.3} }, t = 1 })
    assert.are.equal("box box trace trace", kinds)
    local brick, rod = data.shapes[1], data.shapes[2]
    near(brick.length, a, 1e-12, "length") near(brick.width, b, 1e-12, "width") near(brick.height, c, 1e-12, "height")
    near(rod.length, 1, 1e-12, "rod") near(rod.width, 0.06, 1e-12, "thickness")
  end)
end)
