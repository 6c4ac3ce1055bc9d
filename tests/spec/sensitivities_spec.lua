-- variational equations and what rests on them: transition matrices, Lyapunov exponents, periodic motions, steady motions
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near
local sin, cos = hm.sin, hm.cos

local function oscillator(c, k)
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  local d, s = S:parameters "c k"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(s*x^2/2)
  S:force(x, -d*x.dot)
  return S, { c = c, k = k }
end

describe("S:variations", function()
  it("gives the matrix of a linear system", function()
    local S, p = oscillator(0.2, 4)
    local V = S:variations{ q = { x = 1 }, v = { x = 0 }, t = 3, parameters = p, rtol = 1e-12, atol = 1e-12 }
    local w = math.sqrt(4 - 0.01)
    for _, t in ipairs{ 0, 1.3, 3 } do
      local e, c, s = math.exp(-0.1*t), math.cos(w*t), math.sin(w*t)
      local wanted = { { e*(c + 0.1/w*s), e*s/w }, { -e*4/w*s, e*(c - 0.1/w*s) } }
      local M = V:matrix(t)
      for i = 1, 2 do for j = 1, 2 do near(M[i][j], wanted[i][j], 1e-10) end end
    end
    assert.truthy(tostring(V):find("state transition matrix", 1, true))
  end)

  it("is what differences of runs tend to, with constraints and quasi-velocities", function()
    local S = hm.system "sleigh"
    local x, y, theta = S:coordinates "x y theta"
    S:kinetic_energy(((x.dot - theta.dot*sin(theta)/3)^2 + (y.dot + theta.dot*cos(theta)/3)^2)/2 + theta.dot^2/4)
    S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
    S:quasi_velocities("u w", { x.dot*cos(theta) + y.dot*sin(theta), theta.dot })
    local q0 = { x = 0, y = 0, theta = 0.3 }
    local function start(u, w) return { x = u*math.cos(0.3), y = u*math.sin(0.3), theta = w } end
    local o = { form = "hamel", q = q0, v = start(1, 0.5), t = 4, rtol = 1e-12, atol = 1e-12 }
    local M, h = S:variations(o):matrix(4), 1e-5
    local plus, minus = S:simulate{ form = "hamel", q = q0, v = start(1, 0.5 + h), t = 4, rtol = 1e-13, atol = 1e-13 },
      S:simulate{ form = "hamel", q = q0, v = start(1, 0.5 - h), t = 4, rtol = 1e-13, atol = 1e-13 }
    for i, name in ipairs{ "x", "y", "theta" } do near(M[i][5], (plus:at(4)[name] - minus:at(4)[name])/(2*h), 1e-7) end
    -- also through the Jacobian where the solve is not in the program: the form of Lagrange with multipliers, same change of the motion
    local L = S:variations{ q = q0, v = start(1, 0.5), t = 4, rtol = 1e-12, atol = 1e-12 }:matrix(4)
    for i = 1, 3 do near(L[i][6], M[i][5], 1e-8) end
  end)

  it("refuses what has no derivatives", function()
    local S = oscillator(0, 1)
    S:force((hm.functions_of_time "x"), function() return 0 end)
    check.raises({ "Lua functions", "expressions" }, S.variations, S, { q = { x = 0 }, v = { x = 0 }, t = 1, parameters = { c = 0, k = 1 } })
  end)
end)

describe("S:lyapunov", function()
  it("finds the decay of linear systems", function()
    local S, p = oscillator(5, 4)                                         -- roots -1 and -4
    local l = S:lyapunov{ q = { x = 1 }, v = { x = 0 }, t = 60, skip = 10, every = 0.5, parameters = p }
    near(l.exponents[1], -1, 1e-8)
    near(l.exponents[2], -4, 1e-8)
    near(l.dimension, 0, 0)
  end)

  it("adds up to the contraction of volumes, and finds chaos where it is known", function()
    local S, phi = mechanics.body("driven pendulum", "phi")
    S:potential_energy(-cos(phi))
    S:force(phi, -phi.dot/2 + hm.number "1.5"*cos(2*hm.t/3))
    local l = S:lyapunov{ q = { phi = 0.2 }, v = { phi = 0 }, t = 400, skip = 50, rtol = 1e-9, atol = 1e-9 }
    near(l.exponents[1] + l.exponents[2], -0.5, 1e-7)
    assert.truthy(l.exponents[1] > 0.05)
    assert.truthy(tostring(l):find("Lyapunov exponents", 1, true))
    -- Henon and Heiles at E = 1/6: exponents of a conservative system come in pairs
    local H = mechanics.henon_heiles()
    local e = H:lyapunov{ q = { x = 0, y = -0.1 }, v = { x = math.sqrt(2/6 - 0.01 - 0.002/3 - 0.01), y = 0.1 }, t = 2000, rtol = 1e-9, atol = 1e-9 }.exponents
    near(e[1] + e[4], 0, 1e-3)
    near(e[2] + e[3], 0, 1e-3)
    assert.truthy(e[1] > 0.08 and e[1] < 0.18)                            -- E = 1/6: 0.13 in the literature
  end)
end)

describe("S:periodic", function()
  it("finds the cycle of van der Pol and its multipliers", function()
    local S = mechanics.van_der_pol()
    local orbit = S:periodic{ q = { x = 2 }, v = { x = 0.1 }, period = 6.5 }
    near(orbit.period, 6.663286859323130, 1e-9)
    near(orbit.multipliers[1].re, 1, 1e-7)
    -- the other one from the mean of the divergence along the cycle
    local run = S:simulate{ q = orbit.q, v = orbit.v, t = orbit.period, rtol = 1e-12, atol = 1e-12 }
    local sum, n = 0, 20000
    for i = 1, n do sum = sum + (1 - run:at((i - 0.5)/n*orbit.period).x^2) end
    near(orbit.multipliers[2].re, math.exp(sum/n*orbit.period), 1e-7)
    assert.equal("stable in the first approximation", orbit.stability)
    assert.truthy(tostring(orbit):find("period 6.66328685932", 1, true))
  end)

  it("finds motions of conservative systems near the guess, and one of a given period", function()
    local S, phi = mechanics.body("pendulum", "phi")
    S:potential_energy(-cos(phi))
    local function period(amplitude)                                       -- by the arithmetic-geometric mean
      local a, b = 1, math.cos(amplitude/2)
      for _ = 1, 30 do a, b = (a + b)/2, math.sqrt(a*b) end
      return 2*math.pi/a
    end
    local free = S:periodic{ q = { phi = 1.5 }, v = { phi = 0 }, period = 7 }
    near(free.period, period(math.acos(math.cos(free.q.phi) - free.v.phi^2/2)), 1e-8)
    local given = S:periodic{ q = { phi = 1 }, v = { phi = 0 }, period = 7.5, fixed_period = true }
    near(given.period, 7.5, 0)
    near(period(math.acos(math.cos(given.q.phi) - given.v.phi^2/2)), 7.5, 1e-8)
    near(given.multipliers[1].re*given.multipliers[2].re - given.multipliers[1].im*given.multipliers[2].im, 1, 1e-6)
    -- in Cartesian coordinates with a constraint: the period of IFToMM's benchmark A01
    local C = hm.system "Cartesian pendulum"
    local x, y = C:coordinates "x y"
    C:kinetic_energy((x.dot^2 + y.dot^2)/2)
    C:potential_energy(hm.number "9.81"*y)
    C:constraint("rod", x^2 + y^2 - 1)
    local orbit = C:periodic{ q = { x = -1, y = 0 }, v = { x = 0, y = 0 }, period = 2.3 }
    near(orbit.q.x^2 + orbit.q.y^2, 1, 1e-11)
    assert.equal(2, #orbit.multipliers)
    near(C:periodic{ q = { x = -1, y = 0 }, v = { x = 0, y = 0 }, period = 2.3678419475762374, fixed_period = true }.period, 2.3678419475762374, 1e-9)
  end)

  it("finds forced oscillations and rotations", function()
    local S, x = mechanics.body("forced", "x")
    S:potential_energy(2*x^2)
    S:force(x, -x.dot/5 + cos(3*hm.t))
    local T = 2*math.pi/3
    local orbit = S:periodic{ q = { x = 0 }, v = { x = 0 }, period = T }
    local d = 25 + 0.36                                                   -- (4 - 9)^2 + (0.2*3)^2
    near(orbit.q.x, -5/d, 1e-9)
    near(orbit.v.x, 0.6*3/d, 1e-9)
    local w = math.sqrt(4 - 0.01)
    for _, m in ipairs(orbit.multipliers) do
      near(m.re, math.exp(-0.1*T)*math.cos(w*T), 1e-8)
      near(math.abs(m.im), math.abs(math.exp(-0.1*T)*math.sin(w*T)), 1e-8)
    end
    assert.equal("stable in the first approximation", orbit.stability)
    local R, phi = mechanics.body("turning", "phi")
    R:potential_energy(-cos(phi))
    R:force(phi, 2 - phi.dot)
    local turn = R:periodic{ q = { phi = 0 }, v = { phi = 2 }, period = 3, advance = { phi = 2*math.pi } }
    -- after a period the energy is the same: the work of the torque 2*2 pi is what the damper took
    local run = R:simulate{ q = turn.q, v = turn.v, t = turn.period, rtol = 1e-12, atol = 1e-12 }
    near(run:at(turn.period).phi - turn.q.phi, 2*math.pi, 1e-9)
    near(run:at(turn.period).v.phi, turn.v.phi, 1e-9)
    near(turn.multipliers[2].re, math.exp(-turn.period), 1e-8)
  end)

  it("says where there is none", function()
    local S, p = oscillator(1, 1)
    check.raises({ "periodic" }, S.periodic, S, { q = { x = 1 }, v = { x = 0 }, period = 6, parameters = p })
    check.raises({ "guess of the period" }, S.periodic, S, { q = { x = 1 }, v = { x = 0 }, parameters = p })
    check.raises({ "not a coordinate", "z" }, S.periodic, S, { q = { x = 1 }, v = { x = 0 }, period = 6, parameters = p, advance = { z = 1 } })
  end)
end)

describe("what S:periodic returns", function()
  local function pendulum(damping)
    local S, phi = mechanics.body("pendulum", "phi")
    S:potential_energy(-cos(phi))
    if damping then S:force(phi, -damping*phi.dot) end
    return S
  end

  it("is no state of rest, however slowly it is approached", function()
    for _, amplitude in ipairs{ 0.3, 1e-3, 1e-7 } do
      local damped = pendulum(hm.rational(1, 10))
      check.raises({ "periodic" }, damped.periodic, damped, { q = { phi = amplitude }, v = { phi = 0 }, period = 6.3 })
    end
    local S = pendulum()
    check.raises({ "state of rest" }, S.periodic, S, { q = { phi = 0 }, v = { phi = 0 }, period = 2*math.pi })
    -- small swings are motions, as they are in units in which they are large
    near(S:periodic{ q = { phi = 1e-9 }, v = { phi = 0 }, period = 2*math.pi }.period, 2*math.pi, 1e-9)
    -- a driven system at rest: the parametric pendulum hangs still
    local P, a = mechanics.body("parametric", "a")
    P:potential_energy(-(1 + cos(hm.t)/5)*cos(a))
    check.raises({ "state of rest" }, P.periodic, P, { q = { a = 0 }, v = { a = 0 }, period = 2*math.pi })
  end)

  it("closes in a run of its own, and names repetitions", function()
    local S = pendulum()
    local single = S:periodic{ q = { phi = 1.5 }, v = { phi = 0 }, period = 7.3 }
    assert.equal(1, single.repeats)
    local triple = S:periodic{ q = { phi = 1.5 }, v = { phi = 0 }, period = 21.9 }
    assert.equal(3, triple.repeats)
    assert.truthy(tostring(triple):find("3 times the shortest period", 1, true))
    for _, orbit in ipairs{ single, triple } do
      local run = S:simulate{ q = orbit.q, v = orbit.v, t = orbit.period, rtol = 1e-13, atol = 1e-13, method = "rk8pd" }
      near(run:at(orbit.period).phi, orbit.q.phi, 1e-8)
      near(run:at(orbit.period).v.phi, orbit.v.phi, 1e-8)
    end
  end)

  it("has a verdict only where the multipliers are resolved", function()
    -- x'' = -x - c (x^2 + x'^2 - 1) x': the circle, multipliers 1 and exp(-2 pi c), by the mean of the divergence
    local S = hm.system "weak cycle"
    local x = S:coordinates "x"
    local c = S:parameters "c"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -c*(x^2 + x.dot^2 - 1)*x.dot)
    for _, value in ipairs{ 1e-2, -1e-2, 1e-3 } do
      local orbit = S:periodic{ q = { x = 1.001 }, v = { x = 0 }, period = 6.28, parameters = { c = value } }
      near(orbit.multipliers[value > 0 and 2 or 1].re, math.exp(-2*math.pi*value), 1e-7)
      assert.equal(value > 0 and "stable in the first approximation" or "unstable", orbit.stability)
    end
    local weak = S:periodic{ q = { x = 1 }, v = { x = 0 }, period = 2*math.pi, parameters = { c = 1e-6 }, rtol = 1e-5, atol = 1e-5, tolerance = 1e-4 }
    assert.truthy(weak.stability:find "^not decided", weak.stability)
  end)
end)

describe("S:steady", function()
  it("finds the conical pendulum and hands it to S:linearize", function()
    local S = hm.system "spherical pendulum"
    local theta, phi = S:coordinates "theta phi"
    S:kinetic_energy((theta.dot^2 + phi.dot^2*sin(theta)^2)/2)
    S:potential_energy(-cos(theta))
    local s = S:steady{ q = { theta = 1, phi = 0 }, v = { theta = 0.1, phi = 1.5 }, keep = { "phi'" } }
    near(math.cos(s.q.theta), 1/1.5^2, 1e-10)
    near(s.v.theta, 0, 1e-12)
    local l = S:linearize{ q = s.q, v = s.v, tolerance = 1e-7 }
    -- published: frequency^2 = phi'^2 (1 + 3 cos^2 theta)
    local w = 0
    for _, e in ipairs(l.eigenvalues) do w = math.max(w, math.abs(e.im)) end
    near(w^2, 1.5^2*(1 + 3/1.5^4), 1e-8)
    -- without `keep` the nearest of the family
    local free = S:steady{ q = { theta = 1, phi = 0 }, v = { theta = 0, phi = 1.4 } }
    near(math.cos(free.q.theta)*free.v.phi^2, 1, 1e-9)
  end)

  it("works with nonholonomic constraints", function()
    local S = hm.system "disc"
    local x, y, q1, q2, q3 = S:coordinates "x y q1 q2 q3"
    local cx, cy, cz = hm.dt(x + sin(q1)*sin(q2)), hm.dt(y - cos(q1)*sin(q2)), hm.dt(cos(q2))
    S:kinetic_energy((cx^2 + cy^2 + cz^2)/2 + (q2.dot^2 + (q1.dot*cos(q2))^2)/8 + (q3.dot + q1.dot*sin(q2))^2/4)
    S:potential_energy(hm.number "9.81"*cos(q2))
    S:constraint("roll x", x.dot - q3.dot*cos(q1))
    S:constraint("roll y", y.dot - q3.dot*sin(q1))
    local s = S:steady{ q = { x = 0, y = 0, q1 = 0, q2 = 0.3, q3 = 0 }, v = { q1 = 2, q2 = 0, q3 = -3 }, keep = { "q2", "q1'" } }
    near(s.q.q2, 0.3, 1e-12)
    local a = S:accelerations{ q = s.q, v = s.v }.a
    for _, name in ipairs{ "q1", "q2", "q3" } do near(a[name], 0, 1e-9) end
    -- closed form of the circle: (C + m r^2) spin W cos q2 + m g r sin q2 - A W^2 sin q2 cos q2 = 0 with A = 1/4, C = 1/2, m = r = 1
    local spin = s.v.q3 + s.v.q1*math.sin(0.3)
    near(1.5*spin*2*math.cos(0.3) + 9.81*math.sin(0.3) - math.sin(0.3)*math.cos(0.3), 0, 1e-9)
    -- in Lagrange's form x', y' turn, and the motion is the same
    local turned = S:steady{ form = "lagrange", q = { x = 0, y = 0, q1 = 0, q2 = 0.3, q3 = 0 }, v = { q1 = 2, q2 = 0, q3 = -3 }, keep = { "q2", "q1'" } }
    assert.are.same({ "q1", "x'", "y'" }, turned.turning)
    for _, name in ipairs{ "x", "y", "q1", "q2", "q3" } do near(turned.v[name], s.v[name], 1e-8) end
  end)

  it("finds motions that are steady but for turning", function()
    -- a boat with thrust 1 - u, drag 3 v and a rudder: in the turning frame u' = 1 - u + w v, v' = -3 v - w u, w = 1/3 at rest
    local B = hm.system "boat"
    local x, y, h = B:coordinates "x y h"
    local u, v = x.dot*cos(h) + y.dot*sin(h), y.dot*cos(h) - x.dot*sin(h)
    B:kinetic_energy((x.dot^2 + y.dot^2)/2 + h.dot^2/4)
    B:force(x, (1 - u)*cos(h) + 3*v*sin(h))
    B:force(y, (1 - u)*sin(h) - 3*v*cos(h))
    B:force(h, hm.rational(1, 3) - h.dot)
    local s = B:steady{ q = { x = 0, y = 0, h = 0.3 }, v = { x = 1, y = 0, h = 0.5 } }
    near(s.v.h, 1/3, 1e-9)
    local ahead = s.v.x*math.cos(s.q.h) + s.v.y*math.sin(s.q.h)
    near(ahead, 1/(1 + 1/27), 1e-9)                         -- v = -w u/3
    assert.are.same({ "h", "x'", "y'" }, s.turning)
    assert.is_truthy(tostring(s):find("steady but for turning: h, x', y'", 1, true))
    -- arbiter: a run, whose speed ahead stays
    local run = B:simulate{ q = s.q, v = s.v, t = 5 }
    local e = run:at(5)
    near(e.v.x*math.cos(e.h) + e.v.y*math.sin(e.h), ahead, 1e-7)
  end)

  it("finds circular orbits in Cartesian coordinates", function()
    local K = hm.system "orbit"
    local x, y, z = K:coordinates "x y z"
    K:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    K:potential_energy(-1/hm.sqrt(x^2 + y^2 + z^2))
    local s = K:steady{ q = { x = 2, y = 0.1, z = 0 }, v = { x = 0, y = 0.8, z = 0.05 } }
    local r2, v2 = s.q.x^2 + s.q.y^2 + s.q.z^2, s.v.x^2 + s.v.y^2 + s.v.z^2
    near(v2*math.sqrt(r2), 1, 1e-9)
    near(s.q.x*s.v.x + s.q.y*s.v.y + s.q.z*s.v.z, 0, 1e-9)
  end)

  it("finds the circling sleigh, whichever velocities are eliminated", function()
    local C = hm.system "sleigh"
    local x, y, theta = C:coordinates "x y theta"
    C:kinetic_energy((x.dot^2 + y.dot^2 + theta.dot^2)/2)
    C:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
    local s = C:steady{ q = { x = 0, y = 0, theta = 0.2 }, v = { x = 1, theta = 0.5 } }
    near(s.v.x*math.sin(s.q.theta), s.v.y*math.cos(s.q.theta), 1e-9)
    assert.is_true(math.abs(s.v.theta) > 0.3 and math.abs(s.v.x) > 0.5, tostring(s))
  end)

  it("says when it fails", function()
    local S, x = mechanics.body("slope", "x")
    S:potential_energy(x + hm.exp(x)*hm.number "0.001")
    check.raises({ "steady", "x' still changes at the rate", "S:quasi_velocities" }, S.steady, S, { q = { x = 0 }, v = { x = 0 } })
    check.raises({ "z" }, S.steady, S, { q = { x = 0 }, v = { x = 0 }, keep = { "z" } })
  end)
end)
