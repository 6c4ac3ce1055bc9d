-- contacts, impacts and friction against reference values of which each test names the source: closed solutions, quadratures and
-- integrations of other equations (hodographs, logarithms of the slip) to 13 digits and more
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near, sin, cos = check.near, hm.sin, hm.cos

local METHODS = { "dop853", "radau5", "auto", "rkf45" }

-- A run at rtol 1e-11; dop853 unless a method is given
local function run_of(S, o, method)
  o.rtol, o.atol, o.method = 1e-11, 1e-12, method or "dop853"
  local run = S:simulate(o)
  assert.are.equal("OK", run.status, run.reason)
  return run
end

local function all_near(state, want, tolerance, what)
  for name, value in pairs(want) do near(state[name], value, tolerance, (what or "") .. " " .. name) end
end

local function switch_to(run, name, to)
  for _, s in ipairs(run.switches) do if s.name == name and s.to == to then return s end end
  error(("no switch of '%s' to %s"):format(name, to), 2)
end

local function has_note(run, text)
  for _, note in ipairs(run.notes) do if note.text:find(text, 1, true) then return note end end
  error(("no note says '%s'"):format(text), 2)
end

-- ---- slip in two directions

local function puck(F, G, friction)
  local S, x, y = mechanics.body("puck", "x y")
  S:force(x, F)
  S:force(y, G)
  friction.slip, friction.normal = { x.dot, y.dot }, 1
  S:friction("rub", friction)
  return S
end

describe("a puck on a slope", function()
  -- unit mass, mu N = 0.5, force along x; t = (m |s| + g s_x)/(m^2 - g^2), places by integrals over tan(phi/2)
  it("stops after it has turned, thrown down and up the slope", function()
    for _, method in ipairs(METHODS) do
      local run = run_of(puck(0.3, 0, { coefficient = 0.5 }), { q = { x = 0, y = 0 }, v = { x = 1, y = 0.5 }, t = 6 }, method)
      near(switch_to(run, "rub", "stick").t, 5.368856214843, 1e-9, method)
      all_near(run:at(6), { x = 2.801615607422, y = 0.7791395542582 }, 1e-9, method)
      run = run_of(puck(0.45, 0, { coefficient = 0.5 }), { q = { x = 0, y = 0 }, v = { x = -1, y = 0.7 }, t = 5 }, method)
      near(switch_to(run, "rub", "stick").t, 3.375321700772, 1e-9, method)
      all_near(run:at(5), { x = -0.5271345345967, y = 0.6764374835127 }, 1e-9, method)
      all_near(run:at(5).v, { x = 0, y = 0 }, 1e-13, method)
      near(run:at(5).friction.rub[1], -0.45, 1e-9, "friction at rest carries the force")
    end
  end)

  -- integrated in (phi, log|s|) to 26 digits; it stops along the root of d_perp.f(d)
  it("stops with other friction along than across", function()
    for _, method in ipairs(METHODS) do
      local run = run_of(puck(0.1, 0.05, { coefficient = { 0.3, 0.5 } }), { q = { x = 0, y = 0 }, v = { x = 0.8, y = 0.9 }, t = 6 }, method)
      local stop = switch_to(run, "rub", "stick")
      near(stop.t, 5.27718267598, 1e-9, method)
      all_near(run:at(6), { x = 2.493481880682, y = 1.31086482893 }, 1e-9, method)
      -- on the way, integrated with 30 digits
      all_near(run:at(5).v, { x = 0.05471490189289545, y = 0.004359733185733403 }, 1e-9, method)
      -- the direction is read where the slip is 1000 atol: it nears its limit like the power 3.14 of the slip
      local S = puck(0.1, 0.05, { coefficient = { 0.3, 0.5 } })
      local fine = S:simulate{ q = { x = 0, y = 0 }, v = { x = 0.8, y = 0.9 }, t = 6, rtol = 1e-11, atol = 1e-20, method = method }
      local from = switch_to(fine, "rub", "stick").directions.from
      near(math.atan(from[2], from[1]), 0.0793609921742931, 1e-9, method)
    end
  end)

  -- static room is gone where (0.2 t)^2 + 0.01 = 0.25: t = sqrt 6; a power series there, then an integration to 26 digits
  it("breaks away along the growing force", function()
    for _, method in ipairs(METHODS) do
      local run = run_of(puck(0.2*hm.t, 0.1, { coefficient = 0.4, static = 0.5 }), { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, t = 4 }, method)
      local slip = switch_to(run, "rub", "slip")
      near(slip.t, 2.449489742783, 1e-9, method)
      near(slip.directions.to[1], 0.9797958971133, 1e-9, method)
      near(slip.directions.to[2], 0.2, 1e-9, method)
      all_near(run:at(4), { x = 0.2397019020847, y = 0.03659749529999 }, 1e-9, method)
      all_near(run:at(4).v, { x = 0.3882548533614, y = 0.0535949684459 }, 1e-9, method)
    end
  end)
end)

-- a solid sphere of mass 1 and radius 1 on a floor, pressed by 10; its angular velocities are rates of coordinates (isotropic inertia)
local function sphere()
  local S, x, y, z, a, b, c = mechanics.body("sphere", "x y z a b c", { a = "2/5", b = "2/5", c = "2/5" })
  S:force(z, -10)
  S:unilateral("floor", z, { law = hm.plastic() })
  return S, { x.dot - b.dot, y.dot + a.dot }, b.dot, c.dot
end
local sphere_at_rest = { x = 0, y = 0, z = 0, a = 0, b = 0, c = 0 }

describe("a sphere", function()
  -- the slip keeps its direction and falls at 7/2 mu g
  it("slides until it rolls, and spins on", function()
    for _, method in ipairs(METHODS) do
      local S, slip = sphere()
      S:friction("rub", { slip = slip, normal = "floor", coefficient = 0.2 })
      local run = run_of(S, { q = sphere_at_rest, v = { x = 0.8, y = 0.6, z = 0, a = 0.5, b = 0, c = 3 }, t = 0.5 }, method)
      near(switch_to(run, "rub", "stick").t, 0.1943067215534, 1e-9, method)
      all_near(run:at(0.5).v, { x = 0.5714285714286, y = 0.2857142857143, c = 3 }, 1e-9, method)
    end
  end)

  -- 2/5 w' = -0.03 N, 7/5 v' = -0.02 N
  it("is braked by pivoting and rolling friction of one gap", function()
    for _, method in ipairs(METHODS) do
      local S, slip, roll, pivot = sphere()
      S:friction("rub", { slip = slip, normal = "floor", coefficient = 0.5 })
      S:friction("pivot", { slip = pivot, normal = "floor", coefficient = 0.03 })
      S:friction("roll", { slip = roll, normal = "floor", coefficient = 0.02 })
      local run = run_of(S, { q = sphere_at_rest, v = { x = 1.4, y = 0, z = 0, a = 0, b = 1.4, c = 2 }, t = 11 }, method)
      near(switch_to(run, "pivot", "stick").t, 2.666666666667, 1e-9, method)
      near(switch_to(run, "roll", "stick").t, 9.8, 1e-9, method)
      near(run:at(11).x, 6.86, 1e-9, method)
    end
  end)

  -- integrated in logarithms of slip and spin with the closed law of the spot; slip decays like a high power of the time left, so that
  -- only a method for stiff problems reaches the end
  it("with a spot after Hertz slides, spins and stops by both at once", function()
    local S, x, b, c = mechanics.body("ball on a spot", "x b c", { b = "2/5", c = "2/5" })
    S:friction("rub", { slip = x.dot - b.dot, spin = c.dot, radius = 0.4, pressure = "hertz", normal = 1, coefficient = 0.3 })
    local start = { q = { x = 0, b = 0, c = 0 }, v = { x = 1, b = 0, c = 4 } }
    for _, method in ipairs(METHODS) do
      start.t = 0.6
      local s = run_of(S, start, method):at(0.6)
      near(s.v.x - s.v.b, 0.6457771958, 1e-9, method)
      near(s.v.c, 3.919224572, 1e-9, method)
      near(s.x - s.b, 0.4874166289, 1e-9, method)
      near(s.c, 2.376692462, 1e-9, method)
    end
    start.t = 24
    local run = run_of(S, start, "radau5")
    near(switch_to(run, "rub", "stick").t, 22.88753543, 1e-9, "the end")
    near(run:at(24).x - run:at(24).b, 1.275544294, 1e-9, "way")
    near(run:at(24).c, 46.2541966, 1e-9, "angle")
  end)
end)

describe("a flat disc", function()
  -- elliptic integrals; integrated in log v, log w at rtol 1e-12. v/(R w) tends to 0.653001789 (Goyal, Ruina, Papadopoulos 1991)
  it("slides and spins, and both end together", function()
    local S, s, phi = mechanics.body("disc", "s phi", { phi = "1/2" })
    S:friction("rub", { slip = s.dot, spin = phi.dot, radius = 1, pressure = "uniform", normal = 1, coefficient = 0.3 })
    for _, method in ipairs(METHODS) do
      local run = run_of(S, { q = { s = 0, phi = 0 }, v = { s = 0.5, phi = 0.8 }, t = 3 }, method)
      all_near(run:at(0.8), { s = 0.3429652708, phi = 0.546742236 }, 1e-9, method)
      all_near(run:at(0.8).v, { s = 0.3572461615, phi = 0.5670651797 }, 1e-9, method)
      local stop = switch_to(run, "rub", "stick")
      near(stop.t, 2.771379621, 1e-9, method)
      all_near(run:at(3), { s = 0.6967046159, phi = 1.103639761 }, 1e-9, method)
      -- on the way, integrated with 22 digits
      all_near(run:at(2).v, { s = 0.1409771626473168, phi = 0.2203630510192966 }, 1e-9, method)
      -- the ratio nears its limit only like the power 0.615 of the spin
      local fine = S:simulate{ q = { s = 0, phi = 0 }, v = { s = 0.5, phi = 0.8 }, t = 3, rtol = 1e-11, atol = 1e-20, method = method }
      local from = switch_to(fine, "rub", "stick").directions.from
      near(from[1]/from[2], 0.6530017892055976, 1e-8, method)
    end
  end)
end)

-- ---- blows

-- velocity of the end at -e of a rod along e, in the order z, x, y
local function end_velocity(s)
  local st, ct, sp, cp, v = math.sin(s.theta), math.cos(s.theta), math.sin(s.psi), math.cos(s.psi), s.v
  return { v.z + st*v.theta, v.x - ct*cp*v.theta + st*sp*v.psi, v.y - ct*sp*v.theta - st*cp*v.psi }
end

-- The blow of the end of a slender rod (mass 1, half length 1) on a rough floor; u: velocity of the end before, without spin
local function rod(theta0, psi0, u, mu, law, method)
  local S = hm.system "rod"
  local x, y, z, theta, psi = S:coordinates "x y z theta psi"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2 + (theta.dot^2 + sin(theta)^2*psi.dot^2)/6)
  S:unilateral("floor", z - cos(theta), { law = law })
  S:friction("rub", { slip = { hm.dt(x - sin(theta)*cos(psi)), hm.dt(y - sin(theta)*sin(psi)) }, normal = "floor", coefficient = mu })
  return run_of(S, { q = { x = 0, y = 0, z = math.cos(theta0), theta = theta0, psi = psi0 },
                     v = { x = u[2], y = u[3], z = u[1], theta = 0, psi = 0 }, t = 0.01 }, method).impacts[1]
end

local function check_rod(impact, velocity, impulse, what)
  local after = end_velocity(impact.after)
  for i = 1, 3 do near(after[i], velocity[i], 1e-11, what .. " velocity") end
  near(impact.impulse, impulse[1], 1e-11, what .. " normal impulse")
  for i = 1, 2 do near(impact.impulses.rub[i], impulse[i + 1], 1e-11, what .. " friction impulse") end
end

describe("a rod that strikes the floor in space", function()
  -- hodograph in (phi, log|s|) at rtol 1e-13; checked with 24 digits and against regularised friction
  local sticks = {
    newton = { { 0.5, 0, 0 }, { 0.8197482751292, 0.220035255065, 0.07087856606705 } },
    poisson = { { 0.3451092125599, 0, 0 }, { 0.7130691537532, 0.1673147307203, 0.04858868588581 } },
    stronge = { { 0.3741336163331, 0, 0 }, { 0.7330593542303, 0.17719383206, 0.05276550293947 } },
  }
  local turns = {
    newton = { { 0.5, -0.3667793474846, -0.2981577408894 }, { 0.564278643461, 0.0176270666902, 0.1148136418721 } },
    poisson = { { 0.4536540124158, -0.3498419215321, -0.292916256542 }, { 0.5456070323602, 0.01402604584689, 0.1118435268139 } },
    stronge = { { 0.4678606714237, -0.3550493395411, -0.2944991822067 }, { 0.5513297235131, 0.01512511397709, 0.1127594254097 } },
  }

  it("slips, then sticks, with each restitution and by every method", function()
    for law, want in pairs(sticks) do
      for _, method in ipairs(METHODS) do
        check_rod(rod(0.7, 0.4, { -1, 0.5, 0.3 }, 0.6, hm[law](0.5), method), want[1], want[2], law .. ", " .. method)
      end
    end
  end)

  it("slips all the time while the slip turns", function()
    for law, want in pairs(turns) do
      for _, method in ipairs(METHODS) do
        check_rod(rod(0.9, 0.5, { -1, 0.4, -0.3 }, 0.25, hm[law](0.5), method), want[1], want[2], law .. ", " .. method)
      end
    end
  end)
end)

describe("a ball at a wall that rolls on the floor", function()
  -- velocities of the gap and of both slips, after; G = diag(1, 45/14, 5/2)
  local function blow(mu, method)
    local S, x, y, a, b, c = mechanics.body("ball at a wall", "x y a b c", { a = "2/5", b = "2/5", c = "2/5" })
    S:constraint("floor", y.dot + a.dot)
    S:unilateral("wall", x, { law = hm.newton(0.7) })
    S:friction("rub", { slip = { y.dot - c.dot, b.dot }, normal = "wall", coefficient = mu })
    local impact = run_of(S, { q = { x = 0.5, y = 0, a = 0, b = 0, c = 0 }, v = { x = -1, y = 0.2, a = -0.2, b = -0.8, c = -0.3 }, t = 1 },
                          method).impacts[1]
    local v = impact.after.v
    return impact, { v.x, v.y - v.c, v.b }
  end
  local function compare(impact, after, velocity, impulse)
    for i = 1, 3 do near(after[i], velocity[i], 1e-11, "velocity") end
    near(impact.impulse, impulse[1], 1e-11, "wall")
    for i = 1, 2 do near(impact.impulses.rub[i], impulse[i + 1], 1e-11, "friction") end
  end

  -- hodograph as for the rod
  it("slips to the end of the blow where friction is small", function()
    for _, method in ipairs(METHODS) do
      local impact, after = blow(0.12, method)
      compare(impact, after, { 0.7, 0.1768437062211, -0.3564645493774 }, { 1.7, -0.1005375136201, 0.177414180249 })
    end
  end)

  -- G is diagonal: the impulses of stick are -u/G
  it("sticks where friction is large", function()
    for _, method in ipairs(METHODS) do
      local impact, after = blow(0.35, method)
      compare(impact, after, { 0.7, 0, 0 }, { 1.7, -0.5*14/45, 0.8*2/5 })
    end
  end)
end)

describe("impulses of two-sided constraints", function()
  -- both masses take 1.5 each unit: P = 1.5 (1 + 2), of which the second mass gets its share through the constraint
  it("are part of an impact", function()
    local S, x, y = mechanics.body("tied", "x y", { y = 2 })
    S:constraint("ramp", y - x)
    S:unilateral("wall", x, { law = hm.newton(0.5) })
    for _, method in ipairs(METHODS) do
      local impact = run_of(S, { q = { x = 0.5, y = 0.5 }, v = { x = -1, y = -1 }, t = 1 }, method).impacts[1]
      near(impact.impulses.wall, 4.5, 1e-11, method)
      near(impact.impulses.ramp, 3, 1e-11, method)
    end
  end)

  local function coned(M, e, mu, vx, method)
    local S = hm.system "cone"
    local x, y, z = S:coordinates "x y z"
    local v, T = { x.dot, y.dot, z.dot }, {}
    for i = 1, 3 do for j = 1, 3 do T[#T + 1] = M[i][j]*v[i]*v[j]/2 end end
    S:kinetic_energy(T[1] + T[2] + T[3] + T[4] + T[5] + T[6] + T[7] + T[8] + T[9])
    S:constraint("plane", z)
    S:constraint("side", y.dot)
    S:unilateral("wall", x + z/2, { law = hm.newton(e) })
    S:friction("rub", { slip = x.dot, normal = "plane", coefficient = mu, cone = { "side" } })
    return run_of(S, { q = { x = 0.4, y = 0, z = 0 }, v = { x = vx, y = 0, z = 0 }, t = 0.4 }, method).impacts[1].impulses
  end
  local r = hm.rational

  -- the other reaction takes more than the whole cone has: nothing is left for the friction
  it("may leave nothing of the cone of a friction", function()
    for _, method in ipairs(METHODS) do
      local M = { { 1, r(1, 5), r(1, 3) }, { r(1, 5), 1, r(1, 4) }, { r(1, 3), r(1, 4), 1 } }
      all_near(coned(M, 0.5, 0.9, -4, method), { rub = 0, wall = 6, plane = -1, side = 1.2 }, 1e-11, method)
    end
  end)

  -- the quadratic equation of the cone, solved with 22 digits
  it("take a part of the cone of a friction", function()
    for _, method in ipairs(METHODS) do
      local M = { { 1, r(1, 20), r(1, 3) }, { r(1, 20), 1, r(1, 50) }, { r(1, 3), r(1, 50), 1 } }
      all_near(coned(M, 0.6, 0.3, -2, method), { rub = -0.04910485933504, wall = 3.249104859335, plane = -0.5578857630008, side = 0.16 }, 1e-11, method)
    end
  end)
end)

-- ---- rough walls and bounds

-- homogeneous ball, a^2 = 2/5, that rolls or slides along a wall; slip y' + phi'
local function ball_at_rough_wall(Fx, Fy, law)
  local S, x, y, phi = mechanics.body("ball at a rough wall", "x y phi", { phi = "2/5" })
  S:force(x, Fx)
  S:force(y, Fy)
  S:unilateral("wall", x, { law = law, rough = { y.dot + phi.dot } })
  return S
end

describe("an absolutely rough wall", function()
  -- closed: pressed by 1 - t/2, 7/5 y'' = 0.7 + reaction/... while it rolls; free from t = 2 on
  it("holds its slip at zero while it presses", function()
    for _, method in ipairs(METHODS) do
      local S = ball_at_rough_wall(-1 + hm.t/2, 0.7, hm.plastic())
      local run = run_of(S, { q = { x = 0, y = 0, phi = 0 }, v = { x = -0.5, y = 1, phi = 0.4 }, t = 3 }, method)
      near(run.impacts[1].t, 0, 0, "at once")
      near(run.impacts[1].impulses.rough.wall[1], -0.4, 1e-11, method)
      all_near(run.impacts[1].after.v, { x = 0, y = 0.6, phi = -0.6 }, 1e-11, method)
      near(run:at(1).rough.wall[1], -0.2, 1e-10, method)
      near(switch_to(run, "wall", "open").t, 2, 1e-9, method)
      all_near(run:at(3).v, { y = 2.3, phi = -1.6 }, 1e-9, method)
      near(run:at(3).x, 1/12, 1e-9, method)
    end
  end)

  -- sums of geometric series, 26 digits
  it("holds it from the limit of its impacts on", function()
    for _, method in ipairs(METHODS) do
      local S = ball_at_rough_wall(-2, 0.3, hm.newton(0.6, { tangential = 0.5 }))
      local run = run_of(S, { q = { x = 0.5, y = 0, phi = 0 }, v = { x = 0, y = 1, phi = 0.4 }, t = 4 }, method)
      near(run.impacts[1].t, 0.7071067811865, 1e-10, method)
      near(run.accumulations[1].t, 2.828427124746, 1e-9, method)
      local s = run:at(4)
      near(s.v.y + s.v.phi, 0, 1e-12, "slip")
      all_near(s.v, { y = 1.457142857143, phi = -1.457142857143 }, 1e-9, method)
      near(s.y, 4.294195526497, 1e-9, method)
      near(s.rough.wall[1], -0.08571428571429, 1e-9, method)
    end
  end)
end)

describe("a bound on velocities", function()
  -- x'' = 2 - t/2 + reaction, x' <= 3
  it("holds a governor's speed while it is pressed", function()
    for _, method in ipairs(METHODS) do
      local S, x = mechanics.body("governor", "x")
      S:force(x, 2 - hm.t/2)
      S:unilateral("governor", 3 - x.dot)
      local run = run_of(S, { q = { x = 0 }, v = { x = 0 }, t = 6 }, method)
      near(run.switches[1].t, 2, 1e-10, method)
      near(run:at(3).lambda.governor, 0.5, 1e-10, method)
      near(run.switches[2].t, 4, 1e-10, method)
      near(run:at(6).v.x, 2, 1e-10, method)
      near(run:at(6).x, 44/3, 1e-10, method)
      assert.are.equal(0, #run.impacts)
    end
  end)

  -- on the bound the velocity turns: sin psi = tanh
  it("that is not linear holds the size of a velocity", function()
    for _, method in ipairs(METHODS) do
      local S, x, y = mechanics.body("speed limit", "x y")
      S:force(y, 10)
      S:unilateral("limit", 25 - x.dot^2 - y.dot^2)
      local run = run_of(S, { q = { x = 0, y = 0 }, v = { x = 3, y = 0 }, t = 1 }, method)
      near(run.switches[1].t, 0.4, 1e-10, method)
      local s = run:at(1)
      all_near(s.v, { x = 0.9939617974944, y = 4.900208153244 }, 1e-9, method)
      all_near(s, { x = 2.308438940576, y = 3.561671987091 }, 1e-9, method)
      near(s.lambda.limit, 0.9800416306489, 1e-9, method)
    end
  end)

  -- both rows at once: P - R = 1.2, P = 2 + 0.8
  it("takes part in an impact", function()
    for _, method in ipairs(METHODS) do
      local S, a, b = mechanics.body("pushed", "a b")
      S:unilateral("push", a - b, { law = hm.newton(1) })
      S:unilateral("governor", hm.rational(6, 5) - a.dot)
      local impact = run_of(S, { q = { a = 0, b = -1 }, v = { a = 0, b = 2 }, t = 1 }, method).impacts[1]
      all_near(impact.after.v, { a = 1.2, b = -0.8 }, 1e-11, method)
      near(impact.impulse, 2.8, 1e-11, method)
      near(impact.impulses.governor, 1.6, 1e-11, method)
      near(impact.energy_change, -0.96, 1e-11, method)
    end
  end)
end)

-- ---- several contacts, accumulation, the whole course

describe("a stack pulled askew by a growing force", function()
  -- the table gives way at 2 t = 6, the block on top at 2 t - 6 = 3 a, a = 3
  it("gives way below, then above", function()
    local S, x1, y1, x2, y2 = mechanics.body("stack", "x1 y1 x2 y2", { x1 = 2, y1 = 2 })
    S:force(x1, hm.rational(6, 5)*hm.t)
    S:force(y1, hm.rational(8, 5)*hm.t)
    S:friction("table", { slip = { x1.dot, y1.dot }, normal = 30, coefficient = 0.2 })
    S:friction("upper", { slip = { x2.dot - x1.dot, y2.dot - y1.dot }, normal = 10, coefficient = 0.3 })
    local zero = { x1 = 0, y1 = 0, x2 = 0, y2 = 0 }
    for _, method in ipairs(METHODS) do
      local run = run_of(S, { q = zero, v = zero, t = 9 }, method)
      near(switch_to(run, "table", "slip").t, 3, 1e-9, method)
      near(switch_to(run, "upper", "slip").t, 7.5, 1e-9, method)
      all_near(run:at(9).v, { x1 = 0.6*12.375, y1 = 0.8*12.375, x2 = 0.6*11.25, y2 = 0.8*11.25 }, 1e-9, method)
    end
  end)
end)

describe("impacts that accumulate", function()
  -- h'' = -10 from 0.3: sqrt(0.06) (1 + e)/(1 - e)
  it("end at the sum of all flights of a ball, within the error that is reported", function()
    for _, case in ipairs{ { 0.9, 4.654030511288 }, { 0.95, 9.553009996854 } } do
      for _, method in ipairs(METHODS) do
        local S, h = mechanics.body("ball", "h")
        S:force(h, -10)
        S:unilateral("floor", h, { law = hm.newton(case[1]) })
        local run = run_of(S, { q = { h = 0.3 }, v = { h = 0 }, t = case[2] + 1 }, method)
        local limit, exact = run.accumulations[1], math.sqrt(0.06)*(1 + case[1])/(1 - case[1])
        assert.are.equal("floor", limit.name)
        near(limit.t, case[2], 1e-9, method)
        near(limit.ratio, case[1], 1e-6, method)
        assert(math.abs(limit.t - exact) <= 10*limit.error + 1e-14, "the error is not bounded by its estimate")
        near(switch_to(run, "floor", "contact").t, case[2], 1e-9, "contact begins at the limit")
        near(run:at(case[2] + 0.5).lambda.floor, 10, 1e-9, "rest")
      end
    end
  end)

  -- flights by quadrature, tail by its expansion, 22 digits
  it("end at the sum of all flights of a pendulum", function()
    local S, th = mechanics.body("pendulum at a wall", "th")
    S:potential_energy(-4*cos(th))
    S:unilateral("wall", th - hm.rational(3, 10), { law = hm.newton(0.7) })
    for _, method in ipairs(METHODS) do
      local run = run_of(S, { q = { th = 1 }, v = { th = 0 }, t = 7 }, method)
      near(run.impacts[1].t, 0.6784007834935, 1e-9, method)
      near(run.accumulations[1].t, 6.001727120566, 1e-9, method)
      assert(math.abs(run.accumulations[1].t - 6.001727120566) <= 10*run.accumulations[1].error + 1e-12)
    end
  end)
end)

describe("the whole-course description", function()
  -- closed: the slip turns at the wall, friction 0.2 brakes it on both sides until it ends at 7.5
  it("turns the sense of friction at the wall", function()
    local S, x, s = mechanics.body("whole course with friction", "x s")
    S:unilateral("wall", x, { law = hm.newton(1), rough = { s.dot } })
    S:friction("rub", { slip = s.dot, normal = 1, coefficient = 0.2 })
    for _, method in ipairs{ "dop853", "radau5", "auto", "rkf45", "whole course" } do
      local run = run_of(S, { q = { x = 0.8, s = 0 }, v = { x = -1, s = 1.5 }, t = 9 }, method)
      near(run:at(3).v.s, -0.9, 1e-9, method)
      near(switch_to(run, "rub", "stick").t, 7.5, 1e-9, method)
      near(run:at(9).v.s, 0, 1e-9, method)
    end
  end)
end)

describe("contacts that touch", function()
  -- the far coordinate stops at 0.9995, half a millimetre before the ball strikes at 1
  it("are not judged by the size of another coordinate", function()
    local S, h, far = mechanics.body("far", "h far")
    S:unilateral("floor", h, { law = hm.newton(1) })
    S:friction("rub", { slip = far.dot, normal = 1, coefficient = 0.1 })
    for _, method in ipairs(METHODS) do
      local run = run_of(S, { q = { h = 1, far = 1e7 }, v = { h = -1, far = 0.09995 }, t = 1.5 }, method)
      near(switch_to(run, "rub", "stick").t, 0.9995, 1e-9, method)
      assert.are.equal(1, #run.impacts)
      near(run.impacts[1].t, 1, 1e-12, method)
    end
  end)

  -- Moreau's law with e = 1, by hand
  it("are struck together, whatever the start of the ball that strikes", function()
    local S, a, b, c = mechanics.body("cradle", "a b c")
    S:unilateral("ab", b - a, { law = hm.newton(1) })
    S:unilateral("bc", c - b, { law = hm.newton(1) })
    for i = 1, 100 do
      local v = run_of(S, { q = { a = -0.02*i, b = 0, c = 0 }, v = { a = 1, b = 0, c = 0 }, t = 3 }, METHODS[i%4 + 1]).impacts[1].after.v
      all_near(v, { a = -1/3, b = 2/3, c = 2/3 }, 1e-9, "cradle")
    end
  end)
end)

describe("a rod that slides on its end", function()
  -- G = 1 + 3 cos^2 - 3 mu sin cos at angle 1; without contact the end has the acceleration -10 + omega^2 sin 1
  local function tip(mu, omega, t)
    local S, x, y, phi = mechanics.body("Painleve", "x y phi", { phi = "1/3" })
    S:force(y, -10)
    S:unilateral("far wall", x + 100, { law = hm.newton(0) })
    S:unilateral("end", y - sin(phi), { law = hm.newton(0) })
    S:friction("rub", { slip = hm.dt(x - cos(phi)), normal = "end", coefficient = mu })
    local fine, run = pcall(S.simulate, S, { q = { x = 0, y = math.sin(1), phi = 1 }, v = { x = -3 - math.sin(1)*omega, y = math.cos(1)*omega, phi = omega },
                                             t = t or 1e-6, rtol = 1e-11, atol = 1e-12 })
    return fine and run, fine and run.reason or run
  end

  it("jams above the critical friction, and names its contact", function()
    local run, reason = tip(2, 0)
    assert(not run or run.status ~= "OK")
    for _, word in ipairs{ "'end'", "'rub'", "Painleve" } do assert.truthy(reason:find(word, 1, true), reason) end
    assert.falsy(reason:find("far wall", 1, true), reason)
    -- critical: (1 + 3 cos^2)/(3 sin cos); closer to it N = 10/G turns the rod at once, and G with it
    local critical = 1.375259396130742
    assert.are.equal("OK", tip(critical*(1 - 1e-6), 0, 1e-9).status)
    run = tip(critical*(1 + 1e-9), 0, 1e-9)
    assert(not run or run.status ~= "OK")
    -- 1/N falls in proportion to mu and vanishes there
    local low, high = 1/tip(1, 0)[1].lambda["end"], 1/tip(1.3, 0)[1].lambda["end"]
    near(1 + 0.3*low/(low - high), critical, 1e-9, "critical")
    -- below it N = 10/G
    near(tip(1, 0)[1].lambda["end"], 10/(1 + 3*math.cos(1)^2 - 3*math.sin(1)*math.cos(1)), 1e-9, "pressed")
  end)

  it("may slide or fly where both are possible, and says so", function()
    local run = tip(2, 4)
    assert.are.equal("OK", run.status)
    local note = has_note(run, "two motions are possible")
    for _, word in ipairs{ "'end'", "closed", "open" } do assert.truthy(note.text:find(word, 1, true), note.text) end
    assert.falsy(note.text:find("far wall", 1, true), note.text)
    -- of N = 0 and N = 3.463535756926344/0.8521125352977583 the one in contact is taken
    near(run[1].lambda["end"], 4.064645939888752, 1e-9, "pressed")
  end)
end)

describe("a particle in a groove with friction on both sides", function()
  -- four reactions, two equations
  it("rests, with reactions that are not determined", function()
    local S, x, y = mechanics.body("groove", "x y")
    S:force(y, -10)
    S:unilateral("left", y - x, { law = hm.plastic() })
    S:unilateral("right", y + x, { law = hm.plastic() })
    S:friction("rub left", { slip = x.dot + y.dot, normal = "left", coefficient = 0.5 })
    S:friction("rub right", { slip = x.dot - y.dot, normal = "right", coefficient = 0.5 })
    for _, method in ipairs(METHODS) do
      local run = run_of(S, { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, t = 1 }, method)
      has_note(run, "not determined by the model")
      local s = run:at(1)
      all_near(s, { x = 0, y = 0 }, 1e-13, method)
      all_near(s.a, { x = 0, y = 0 }, 1e-12, method)
      -- the reactions balance the weight: gradients (-1, 1), (1, 1), slips (1, 1), (1, -1)
      local l, f = s.lambda, s.friction
      near(-l.left + l.right + f["rub left"] + f["rub right"], 0, 1e-11, "across")
      near(l.left + l.right + f["rub left"] - f["rub right"], 10, 1e-11, "down")
    end
  end)
end)
