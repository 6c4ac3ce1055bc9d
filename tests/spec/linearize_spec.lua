-- first approximations, stability, equilibria: against closed forms and runs
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local core = require "hamel.core"
local sin, cos = hm.sin, hm.cos

local function sorted(L)
  local list = {}
  for i, e in ipairs(L.eigenvalues) do list[i] = e end
  table.sort(list, function(a, b) if math.abs(a.re - b.re) > 1e-9 then return a.re < b.re end return a.im < b.im end)
  return list
end

describe("the first approximation", function()
  it("of a pendulum with friction", function()
    local P = hm.system "pendulum"
    local phi = P:coordinates "phi"
    P:positive "m=1 l=2 g=9.81"
    local m, l, g = P:symbol "m", P:symbol "l", P:symbol "g"
    P:kinetic_energy(m/2*l^2*phi.dot^2)
    P:potential_energy(-m*g*l*cos(phi))
    P:force(phi, -phi.dot/10)
    local below = P:linearize{ q = { phi = 0 }, v = { phi = 0 } }
    local w = math.sqrt(9.81/2 - (0.1/8)^2)
    for i, sign in ipairs{ -1, 1 } do
      check.near(sorted(below)[i].re, -0.1/8, 1e-12)
      check.near(sorted(below)[i].im, sign*w, 1e-12)
    end
    assert.are.equal("asymptotically stable", below.verdict)
    assert.are.equal("unstable", P:linearize{ q = { phi = math.pi }, v = { phi = 0 } }.verdict)
    -- other values of the parameters
    check.near(P:linearize{ q = { phi = 0 }, v = { phi = 0 }, parameters = { g = 4 } }.eigenvalues[1].im, math.sqrt(2 - (0.1/8)^2), 1e-12)
    check.raises({ "not steady", "the rate of phi'" }, P.linearize, P, { q = { phi = 0.1 }, v = { phi = 0 } })
  end)

  it("keeps to holonomic constraints: the same pendulum in Cartesian coordinates, found at rest", function()
    local C = check.pendulum(hm)
    local rest = C:equilibrium{ q = { x = 0.3, y = -0.7 } }
    check.near(rest.q.x, 0, 1e-12)
    check.near(rest.q.y, -1, 1e-12)
    local L = C:linearize{ q = rest.q, v = { x = 0, y = 0 } }
    assert.are.equal(2, #L.eigenvalues)
    check.near(sorted(L)[2].re, 0, 1e-10)
    local frequency = math.abs(sorted(L)[2].im)
    -- against a run of small amplitude
    local angle = 1e-4
    local run = C:simulate{ q = { x = math.sin(angle), y = -math.cos(angle) }, v = { x = 0, y = 0 }, t = 3, rtol = 1e-12, atol = 1e-14 }
    check.near(run:at(3).x/angle, math.cos(3*frequency), 1e-6)
    -- eigenvectors lie in the tangent plane: delta y = 0 at the lowest point
    for _, vector in ipairs(L.vectors) do
      check.near(vector[2].re, 0, 1e-12)
      check.near(vector[2].im, 0, 1e-12)
    end
  end)

  it("of the rolling disc: the limit of the spin, upright", function()
    local D = mechanics.disc()
    local limit = math.sqrt(1/16*9.81*0.5/((1/8 + 1/4)*1/8))
    local function at(rate)
      return D:linearize{ q = { x = 1, y = 2, phi = 0.3, theta = 0, psi = 0.4 }, v = { phi = 0, theta = 0, psi = rate*limit } }
    end
    assert.are.same({ "x", "y", "phi", "psi" }, at(1.2).ignorable)
    for _, rate in ipairs{ 0.5, 0.99, 1.01, 2 } do
      -- (A + m r^2) s^2 = m g r - C (C + m r^2) w^2/A
      local square = (9.81/2 - 1/8*(1/8 + 1/4)*(rate*limit)^2*16)/(1/16 + 1/4)
      local L = sorted(at(rate))
      if square > 0 then check.near(L[#L].re, math.sqrt(square), 1e-7)
      else check.near(math.max(math.abs(L[1].im), math.abs(L[#L].im), math.abs(L[2].im)), math.sqrt(-square), 1e-7) end
      assert.are.equal(rate < 1, at(rate).verdict == "unstable")
    end
  end)

  it("of a steady motion that is no equilibrium: the sleigh, forward and backward", function()
    local S = hm.system "sleigh"
    local x, y, theta = S:coordinates "x y theta"
    S:positive "m=1 J=1/2 a=1/4"
    local m, J, a = S:symbol "m", S:symbol "J", S:symbol "a"
    local gx, gy = hm.dt(x + a*cos(theta)), hm.dt(y + a*sin(theta))
    S:kinetic_energy(m/2*(gx^2 + gy^2) + J/2*theta.dot^2)
    S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
    for _, u in ipairs{ 2, -3 } do
      local L = S:linearize{ q = { x = 0, y = 0, theta = 0 }, v = { x = u, theta = 0 } }
      local want, found = -0.25*u/(0.5 + 1/16), false
      for _, e in ipairs(L.eigenvalues) do found = found or math.abs(e.re - want) < 1e-10 end
      assert.is_true(found, tostring(L))
      assert.are.equal(u < 0, L.verdict == "unstable")
    end
  end)

  it("stands on equilibria of systems with cyclic coordinates, and of families held by a blade", function()
    local C = hm.system "cart"
    local x, phi = C:coordinates "x phi"
    C:kinetic_energy(x.dot^2 + phi.dot^2/2 + x.dot*phi.dot*cos(phi))
    C:potential_energy(-9.81*cos(phi))
    local rest = C:equilibrium{ q = { x = 3, phi = 0.4 } }
    check.near(rest.q.phi, 0, 1e-12)
    assert.are.equal(3, rest.q.x)
    assert.are.same({ "x" }, rest.free)
    assert.are.equal("cart: at rest at x = 3, phi = 0\n  free, since nothing depends on them: x", tostring(rest))
    C:force(x, 2)
    check.raises({ "there is none", "along 'x' is 2" }, C.equilibrium, C, { q = { x = 3, phi = 0.4 } })
    -- the same cart with a rod as a constraint: a family of equilibria that no single coordinate runs along
    local R = hm.system "rod"
    local a, b, h = R:coordinates "a b h"
    R:kinetic_energy((a.dot^2 + b.dot^2 + h.dot^2)/2)
    R:potential_energy(9.81*h)
    R:constraint("rod", (b - a)^2 + h^2 - 1)
    local hangs = R:equilibrium{ q = { a = 2, b = 2.3, h = -0.8 } }
    check.near(hangs.q.a, hangs.q.b, 1e-9)
    check.near(hangs.q.h, -1, 1e-9)
    -- a sledge across the slope is held by its blade: lambda = g sin(slope)
    local S = hm.system "sledge"
    local u, v, theta = S:coordinates "u v theta"
    S:kinetic_energy((u.dot^2 + v.dot^2 + theta.dot^2)/2)
    S:potential_energy(2*v)
    local blade = u.dot*sin(theta) - v.dot*cos(theta)
    S:constraint("blade", blade)
    local held = S:equilibrium{ q = { u = 1, v = 1, theta = 0.1 } }
    check.near(math.sin(held.q.theta), 0, 1e-9)
    check.near(math.abs(held.lambda.blade), 2, 1e-9)
    -- one-sided constraints are left out, not violated
    local W, z = mechanics.body("wall", "z")
    W:potential_energy((z + 1)^2)
    W:unilateral("wall", z - 1, { law = hm.plastic() })
    check.raises({ "'wall' is violated, by 2" }, W.equilibrium, W, { q = { z = 1 } })
    -- on a belt that moves no blade rests
    local M, p = mechanics.body("belt", "p")
    M:constraint("belt", p.dot - 1)
    check.raises({ "there is none", "'belt' at rest is -1" }, M.equilibrium, M, { q = { p = 0 } })
  end)

  it("is decided by the energy where that has a minimum", function()
    local function verdict(S, q, given)
      local o, v = given or {}, {}
      for name in pairs(q) do v[name] = 0 end
      o.q, o.v = q, v
      return S:linearize(o).verdict:match "^%a+"
    end
    local function bead(force)
      local B = hm.system "bead on a hoop that turns"
      local phi = B:coordinates "phi"
      B:positive "W=5"
      B:kinetic_energy((phi.dot^2 + B:symbol "W"^2*sin(phi)^2)/2)
      B:potential_energy(-9.81*cos(phi))
      if force then B:force(phi, force(phi)) end
      return B
    end
    -- the energy of relative motion counts, V - W^2 sin(phi)^2/2: arbiter W^2 > g
    local side = bead():equilibrium{ q = { phi = 1 } }.q
    check.near(side.phi, math.acos(9.81/25), 1e-12)
    assert.are.equal("stable", verdict(bead(), side))
    assert.are.equal("unstable", verdict(bead(), { phi = 0 }))
    assert.are.equal("stable", verdict(bead(), { phi = 0 }, { parameters = { W = 3 } }))
    -- where g = W^2 the minimum is not strict to second order; forces that do work have no energy to judge by
    assert.are.equal("not", verdict(bead(), { phi = 0 }, { parameters = { W = math.sqrt(9.81) } }))
    assert.are.equal("not", verdict(bead(function(phi) return -phi*phi.dot^2 end), { phi = 0 }, { parameters = { W = 3 } }))
    assert.are.equal("not", verdict(bead(function(phi) return phi.dot^3 end), { phi = 0 }, { parameters = { W = 3 } }))
    -- constraints: the minimum counts on them; the same pendulum upright has none
    assert.are.equal("stable", verdict(check.pendulum(hm), { x = 0, y = -1 }))
    assert.are.equal("unstable", verdict(check.pendulum(hm), { x = 0, y = 1 }))
    -- a cyclic coordinate runs on
    local C = hm.system "cart"
    local x, phi = C:coordinates "x phi"
    C:kinetic_energy(x.dot^2 + phi.dot^2/2 + x.dot*phi.dot*cos(phi))
    C:potential_energy(-9.81*cos(phi))
    assert.are.equal("stable", verdict(C, { x = 3, phi = 0 }))
    -- gyroscopic stabilization of a maximum is no minimum
    local G = hm.system "gyroscopic"
    local a, b = G:coordinates "a b"
    G:kinetic_energy((a.dot^2 + b.dot^2)/2)
    G:potential_energy(-(a^2 + b^2)/2)
    G:force(a, 5*b.dot)
    G:force(b, -5*a.dot)
    assert.are.equal("not", verdict(G, { a = 0, b = 0 }))
    G:potential_energy((a^2 + b^2)/2, { replace = true })
    assert.are.equal("stable", verdict(G, { a = 0, b = 0 }))
  end)

  it("says what is wrong", function()
    local C = check.pendulum(hm)
    check.raises({ "a guess is missing" }, C.equilibrium, C, {})
    check.raises({ "'z' is not a coordinate" }, C.equilibrium, C, { q = { z = 1 } })
    local F, q = mechanics.body("free", "q")
    F:force(q, 1)
    check.raises({ "there is none", "the force along 'q' is 1 everywhere" }, F.equilibrium, F, { q = { q = 0 } })
    local G, p = mechanics.body("no rest", "p")
    G:force(p, 1 + p^2)
    check.raises({ "equilibrium" }, G.equilibrium, G, { q = { p = 0.3 } })
    G:force(p, function() return 0 end)
    check.raises({ "Lua functions" }, G.equilibrium, G, { q = { p = 0.3 } })
  end)
end)

describe("the first approximation in symbols", function()
  local function same(a, b) assert.is_true((a - b):is_zero() == true, tostring(a) .. " is not " .. tostring(b)) end
  -- value of a polynomial at the numeric eigenvalues, relative to its terms
  local function demand_roots(symbolic, numeric, values)
    for _, e in ipairs(numeric.eigenvalues) do
      local re, im, pr, pi, size = 1, 0, 0, 0, 0
      for _, c in ipairs(symbolic.polynomial) do
        local a = hm.number(c:subs(values)):eval()
        pr, pi, size = pr + a*re, pi + a*im, size + math.abs(a)*math.max(math.abs(re), math.abs(im))
        re, im = re*e.re - im*e.im, re*e.im + im*e.re
      end
      if math.abs(e.re) + math.abs(e.im) > 1e-6 then
        check.near(pr/size, 0, 1e-8)
        check.near(pi/size, 0, 1e-8)
      end
    end
  end

  it("gives matrices, polynomial and conditions of Hurwitz", function()
    local P = hm.system "pendulum"
    local phi = P:coordinates "phi"
    local m, l, g, c = P:positive "m=1 l=2 g=9.81 c=1/10"
    P:kinetic_energy(m/2*l^2*phi.dot^2)
    P:potential_energy(-m*g*l*cos(phi))
    P:force(phi, -c*phi.dot)
    local L = P:linearize{ q = { phi = 0 }, symbolic = true }
    same(L.M[1][1], m*l^2)
    same(L.D[1][1], c)
    same(L.K[1][1], m*g*l)
    same(L.polynomial[1], m*g*l)
    same(L.polynomial[2], c)
    assert.are.equal(3, #L.hurwitz)
    assert.is_truthy(tostring(L):find("characteristic polynomial: c*s + g*l*m + l^2*m*s^2", 1, true))
    demand_roots(L, P:linearize{ q = { phi = 0 }, v = { phi = 0 } }, { [m] = 1, [l] = 2, [g] = hm.number "9.81", [c] = hm.rational(1, 10) })
    check.raises({ "not steady", "phi'" }, P.linearize, P, { q = { phi = hm.pi/2 }, symbolic = true, parameters = {} })
    check.raises({ "q.psi", "did you mean 'phi'" }, P.linearize, P, { q = { psi = 0 }, symbolic = true })
    P:force(phi, hm.sin(hm.t))
    check.raises({ "depend on time" }, P.linearize, P, { q = { phi = 0 }, symbolic = true })
  end)

  it("separates damping, gyroscopic, stiffness and circulatory forces; arbiter: written by hand", function()
    local S = hm.system "rotor"
    local x, y = S:coordinates "x y"
    local d, w, k = S:positive "d w k"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(k/2*(x^2 + y^2))
    S:force(x, -d*x.dot + 2*w*y.dot - d*w*y)
    S:force(y, -d*y.dot - 2*w*x.dot + d*w*x)
    local L = S:linearize{ q = { x = 0, y = 0 }, symbolic = true }
    same(L.D[1][1], d) same(L.D[1][2], 0*d)
    same(L.G[1][2], -2*w) same(L.G[2][1], 2*w)
    same(L.K[1][1], k) same(L.K[1][2], 0*d)
    same(L.N[1][2], d*w) same(L.N[2][1], -d*w)
    assert.are.equal(5, #L.polynomial)
  end)

  it("of the steady precession of a heavy top", function()
    local T = hm.system "top"
    local theta, psi, phi = T:coordinates "theta psi phi"
    local A, C, h = T:positive "A=1 C=1/2 h=1"                     -- h: weight times distance
    T:kinetic_energy(A/2*(theta.dot^2 + psi.dot^2*sin(theta)^2) + C/2*(phi.dot + psi.dot*cos(theta))^2)
    T:potential_energy(h*cos(theta))
    local a, P, n = T:parameters "a P n"
    local L = T:linearize{ q = { theta = a }, v = { psi = P, phi = n - P*cos(a) }, symbolic = true }
    -- h - C n P + A P^2 cos(a) = 0, times sin(a): Routh, Advanced Rigid Dynamics, 206
    assert.are.equal(1, #L.steady_if)
    same(L.steady_if[1]*L.steady_if[1], (sin(a)*(h - C*n*P + A*P^2*cos(a)))^2)
    assert.are.same({ "psi", "phi" }, L.ignorable)
    assert.are.equal(2, L.zero_roots)
    -- A^2 P^2 s^2 + A^2 P^4 - 2 A P^2 h cos(a) + h^2 = 0 on that condition
    local on = { [n] = (h + A*P^2*cos(a))/(C*P) }
    same((L.polynomial[1]*A^2*P^2 - L.polynomial[3]*(A^2*P^4 - 2*A*P^2*h*cos(a) + h^2)):subs(on), 0*h)
    assert.is_true(L.even)
    -- the numeric motion, found without choosing the states
    local s = T:steady{ q = { theta = 0.6, psi = 0, phi = 0 }, v = { theta = 0, psi = 1, phi = 3 }, keep = { "theta", "psi'" } }
    local spin = s.v.phi + s.v.psi*math.cos(s.q.theta)
    check.near(1 - spin*s.v.psi/2 + s.v.psi^2*math.cos(s.q.theta), 0, 1e-9)
    local most, p2, co = 0, s.v.psi^2, math.cos(s.q.theta)
    for _, e in ipairs(T:linearize{ q = s.q, v = s.v }.eigenvalues) do most = math.max(most, math.abs(e.im)) end
    check.near(most^2, (p2^2 - 2*p2*co + 1)/p2, 1e-8)
  end)

  it("of nonholonomic systems, by dependent velocities eliminated: the limit of the rolling disc", function()
    local D = hm.system "disc"
    local x, y, heading, tilt, spin = D:coordinates "x y heading tilt spin"
    local m, r, A, C, g, w = D:positive "m=1 r=1/2 A=1/16 C=1/8 g=9.81 w=5"
    local cx, cy, cz = hm.dt(x - r*sin(tilt)*sin(heading)), hm.dt(y + r*sin(tilt)*cos(heading)), hm.dt(r*cos(tilt))
    D:kinetic_energy(m/2*(cx^2 + cy^2 + cz^2) + A/2*(tilt.dot^2 + (heading.dot*cos(tilt))^2) + C/2*(spin.dot + heading.dot*sin(tilt))^2)
    D:potential_energy(m*g*r*cos(tilt))
    D:constraint("roll x", x.dot + r*spin.dot*cos(heading))
    D:constraint("roll y", y.dot + r*spin.dot*sin(heading))
    local L = D:linearize{ q = { tilt = 0 }, v = { spin = w, x = -r*w*cos(heading), y = -r*w*sin(heading) }, symbolic = true }
    assert.are.equal(0, #L.steady_if)
    -- (A + m r^2) s^2 = m g r - C (C + m r^2) w^2/A
    same(L.polynomial[1]*(A + m*r^2), L.polynomial[3]*(C*(C + m*r^2)*w^2/A - m*g*r))
    check.raises({ "without multipliers" }, D.linearize, D, { form = "lagrange", symbolic = true })
  end)
end)

describe("velocities given in symbols", function()
  local function sleigh()
    local S = hm.system "sleigh"
    local x, y, th = S:coordinates "x y th"
    local m, J, u, k = S:positive "m J u k"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*th.dot^2)
    S:constraint("blade", x.dot*hm.sin(th) - y.dot*hm.cos(th))
    return S, u, k
  end

  it("keep the constraints", function()
    local S, u = sleigh()
    assert.are.equal(0, #S:linearize{ q = { x = 0, y = 0, th = 0 }, v = { x = u }, symbolic = true }.steady_if)
    for _, y in ipairs{ 7*u, -u, hm.rational(1) } do
      check.raises({ "violates the constraint 'blade'" }, S.linearize, S,
        { q = { x = 0, y = 0, th = 0 }, v = { x = u, y = y, th = 0 }, symbolic = true })
    end
  end)

  it("or say where they do", function()
    local S, u, k = sleigh()
    local L = S:linearize{ q = { x = 0, y = 0, th = 0 }, v = { x = u, y = u - k }, symbolic = true }
    assert.are.equal(1, #L.steady_if)
    assert.is_true((L.steady_if[1] - (k - u)):is_zero() == true or (L.steady_if[1] + (k - u)):is_zero() == true)
  end)
end)

describe("inputs", function()
  local function cart()
    local C = hm.system "cart"
    local x, phi = C:coordinates "x phi"
    C:kinetic_energy(x.dot^2 + phi.dot^2/2 + x.dot*phi.dot*cos(phi))
    C:potential_energy(-hm.number "9.81"*cos(phi))
    local u = C:input "u"
    C:force(x, u)
    return C, x, phi, u
  end

  it("give the matrix B, in numbers and symbols", function()
    local C = cart()
    local L = C:linearize{ q = { x = 0, phi = 0 }, v = { x = 0, phi = 0 } }
    -- M = [2 1; 1 1]: accelerations by a unit force 1, -1
    assert.are.same({ "u" }, L.inputs)
    local by_state = {}
    for k, name in ipairs(L.names) do
      by_state[name] = 0
      for a, direction in ipairs(L.basis) do by_state[name] = by_state[name] + direction[k]*L.B[a][1] end
    end
    check.near(by_state["x'"], 1, 1e-12)
    check.near(by_state["phi'"], -1, 1e-12)
    check.near(by_state.phi, 0, 1e-12)
    assert.are.equal("stable", L.verdict:match "^%a+")
    local symbolic = C:linearize{ q = { phi = 0 }, symbolic = true }
    local B = symbolic.B
    assert.are.equal(0, #symbolic.steady_if)
    assert.are.equal("1 0", tostring(B[1][1]) .. " " .. tostring(B[2][1]))
    check.raises({ "contains the input 'u'", "S:force and S:torque only" }, C.potential_energy, C, C:symbol "u"*C:symbol "x", { replace = true })
    check.raises({ "one name" }, C.input, C, "u v")
    C:force(C:symbol "phi", C:symbol "u"^2)
    check.raises({ "does not enter linearly" }, C.linearize, C, { q = { x = 0, phi = 0 }, v = { x = 0, phi = 0 } })
  end)

  it("are given in chosen states", function()
    local C, x, phi = cart()
    local rest = { q = { x = 0, phi = 0 }, v = { x = 0, phi = 0 } }
    local function chosen(states)
      local o = { states = states }
      for key, value in pairs(rest) do o[key] = value end
      return C:linearize(o)
    end
    -- 2 x'' + phi'' = u, x'' + phi'' = -9.81 phi: x'' = 9.81 phi + u, phi'' = -2*9.81 phi - u
    local L = chosen{ "phi", "phi'" }
    assert.are.same({ "phi", "phi'" }, L.names)
    for i, row in ipairs{ { 0, 1 }, { -2*9.81, 0 } } do for j, want in ipairs(row) do check.near(L.A[i][j], want, 1e-11) end end
    check.near(L.B[1][1], 0, 1e-12)
    check.near(L.B[2][1], -1, 1e-12)
    check.near(math.abs(L.eigenvalues[1].im), math.sqrt(2*9.81), 1e-11)
    local combined = chosen{ 3*phi, phi.dot + x.dot, "x'" }
    for i, row in ipairs{ { 0, 3, -3 }, { -9.81/3, 0, 0 }, { 9.81/3, 0, 0 } } do
      for j, want in ipairs(row) do check.near(combined.A[i][j], want, 1e-11) end
    end
    assert.is_truthy(tostring(L):find("all motions: stable", 1, true))
    check.raises({ "the rate of 'phi' depends on more than the states named" }, chosen, { "phi" })
    check.raises({ "'x'", "left out" }, chosen, { "x", "phi", "phi'" })
    check.raises({ "'2*phi' is constant, or follows from those before it" }, chosen, { "phi", 2*phi, "phi'" })
    check.raises({ "accelerations" }, chosen, { "phi''" })
    check.raises({ "states is empty" }, chosen, {})
    check.raises({ "there is no 'psi'" }, chosen, { "psi" })
    check.raises({ "symbolic" }, C.linearize, C, { q = rest.q, symbolic = true, states = { "phi" } })
  end)

  it("are zero or given functions in runs", function()
    local C, x, phi = cart()
    local o = { q = { x = 0, phi = 0.1 }, v = { x = 0, phi = 0 } }
    local free = C:accelerations(o).a
    C:input("u", 3*sin(2*hm.t) + 1 - x.dot)
    local pushed = C:accelerations(o).a
    -- arbiter: M (a - a0) = (1, 0)
    local c = math.cos(0.1)
    check.near(2*(pushed.x - free.x) + c*(pushed.phi - free.phi), 1, 1e-12)
    check.near(c*(pushed.x - free.x) + (pushed.phi - free.phi), 0, 1e-12)
    local F = cart()
    F:force(F:symbol "x", 3*sin(2*hm.t) + 1 - F:symbol "x".dot)
    o.t = 2
    check.near(C:simulate(o):at(2).x, F:simulate(o):at(2).x, 1e-8)
    -- a controller that damps the pendulum: the closed loop
    C:input("u", phi.dot - x.dot)
    assert.is_truthy(tostring(C):find("input +u about phi' %- x'\n"), tostring(C))
    local L = C:linearize{ q = { x = 0, phi = 0 }, v = { x = 0, phi = 0 } }
    assert.are.equal("asymptotically stable", L.verdict)
    C:input("u", 0)
    assert.are.equal("stable", C:linearize{ q = { x = 0, phi = 0 }, v = { x = 0, phi = 0 } }.verdict:match "^%a+")
  end)
end)

describe("eigenvalues", function()
  it("are those of the matrix, vectors too", function()
    local random = check.generator(5)
    for n = 1, 7 do
      local a = {}
      for i = 1, n*n do a[i] = random(-1, 1) end
      local values, vectors = core.eigen(n, a)
      local trace, sum = 0, 0
      for i = 1, n do
        trace, sum = trace + a[(i - 1)*n + i], sum + values[2*i - 1]
        -- a v = lambda v
        for row = 1, n do
          local re, im = 0, 0
          for j = 1, n do
            local place = 2*((i - 1)*n + j)
            re, im = re + a[(row - 1)*n + j]*vectors[place - 1], im + a[(row - 1)*n + j]*vectors[place]
          end
          local place = 2*((i - 1)*n + row)
          local vr, vi, lr, li = vectors[place - 1], vectors[place], values[2*i - 1], values[2*i]
          check.near(re, lr*vr - li*vi, 1e-12)
          check.near(im, lr*vi + li*vr, 1e-12)
        end
      end
      check.near(sum, trace, 1e-12)
    end
    check.raises({ "4 entries for a matrix of 3 rows" }, core.eigen, 3, { 1, 2, 3, 4 })
    check.raises({ "not finite" }, core.eigen, 1, { 0/0 })
  end)
end)

describe("the printed eigenvalues", function()
  it("have no digits of rounding: parts that vanish are 0", function()
    local S = hm.system "cart"
    local x, a, b = S:coordinates "x a b"
    local ax, ay = x + hm.sin(a), -hm.cos(a)
    local bx, by = ax + hm.sin(b), ay - hm.cos(b)
    S:kinetic_energy(x.dot^2 + (ax.dot^2 + ay.dot^2 + bx.dot^2 + by.dot^2)/2)
    S:potential_energy(9.81*(ay + by))
    local text = tostring(S:linearize{ q = { x = 0, a = 0, b = 0 } })
    assert.truthy(text:find("\n  0 + 3.13209195 i\n  0 - 3.13209195 i\n", 1, true), text)
    assert.truthy(text:find("\n  0\n", 1, true))
    assert.is_nil(text:find("e-1", 1, true))
    -- small eigenvalues of a slow system are no rounding
    local slow = hm.system "slow"
    local q = slow:coordinates "q"
    slow:kinetic_energy(q.dot^2/2)
    slow:potential_energy(1e-30*q^2/2)
    assert.truthy(tostring(slow:linearize{ q = { q = 0 } }):find("0 + 1e-15 i", 1, true))
  end)
end)

describe("the text of a symbolic linearization", function()
  local function crane(angle)
    local S = hm.system "crane"
    local x, phi = S:coordinates "x phi"
    local M, m, l, g = S:positive "M m l g"
    local px, pz = x + l*hm.sin(phi), -l*hm.cos(phi)
    S:kinetic_energy(M*x.dot^2/2 + m*(px.dot^2 + pz.dot^2)/2)
    S:potential_energy(m*g*pz)
    return S, tostring(S:linearize{ q = { x = 0, phi = angle }, symbolic = true })
  end

  it("lists conditions only that the parameters leave open", function()
    local _, hanging = crane(0)
    assert.truthy(hanging:find("oscillates for all values of the parameters", 1, true), hanging)
    local _, inverted = crane(hm.pi)
    assert.truthy(inverted:find("for no values of the parameters: oscillates", 1, true), inverted)
  end)

  it("keeps the pairs of eigenvalues together", function()
    local S = crane(0)
    local L = S:linearize{ q = { x = 0, phi = 0 }, parameters = { M = 100, m = 50, l = 3, g = 9.81 } }
    assert.are.equal(L.eigenvalues[1].im, -L.eigenvalues[2].im)
    check.near(L.eigenvalues[1].im, math.sqrt(9.81/3*1.5), 1e-12)
    -- the vectors go with their values: A v = lambda v
    for k, e in ipairs(L.eigenvalues) do
      for i = 1, 3 do
        local re, im = 0, 0
        for j = 1, 3 do re, im = re + L.A[i][j]*L.vectors[k][j].re, im + L.A[i][j]*L.vectors[k][j].im end
        local v = L.vectors[k][i]
        check.near(re, e.re*v.re - e.im*v.im, 1e-12)
        check.near(im, e.re*v.im + e.im*v.re, 1e-12)
      end
    end
  end)
end)

describe("a state of rest or a steady motion that was found", function()
  it("is linearised as it stands, with the values of the parameters it was found for", function()
    local S = hm.system "bead on a turning hoop"
    local theta = S:coordinates "theta"
    local W = S:parameters "W=1"
    S:kinetic_energy(theta.dot^2/2 + W^2*hm.sin(theta)^2/2)
    S:potential_energy(-9.81*hm.cos(theta))
    local guess = { q = { theta = 1 }, parameters = { W = 5 } }
    local rest = S:equilibrium(guess)
    -- arbiter: cos(theta) = g/W^2 by hand, frequency W*sin(theta)
    local frequency = 5*math.sqrt(1 - (9.81/25)^2)
    assert.equal(5, rest.parameters.W)
    check.near(S:linearize(rest).eigenvalues[1].im, frequency, 1e-9)
    guess.v = { theta = 0 }
    check.near(S:linearize(S:steady(guess)).eigenvalues[1].im, frequency, 1e-9)
  end)

  it("has zero velocities on constraints, too", function()
    local P = hm.system "pendulum"
    local x, y = P:coordinates "x y"
    P:kinetic_energy((x.dot^2 + y.dot^2)/2)
    P:potential_energy(9.81*y)
    P:constraint("rod", x^2 + y^2 - 1)
    check.near(P:linearize(P:equilibrium{ q = { x = 0.1, y = -1 } }).eigenvalues[1].im, math.sqrt(9.81), 1e-9)
  end)

  it("needs no positions on which nothing depends", function()
    local T = hm.system "top"
    local psi, theta, phi = T:coordinates "psi theta phi"
    T:kinetic_energy((theta.dot^2 + psi.dot^2*hm.sin(theta)^2)/2 + (phi.dot + psi.dot*hm.cos(theta))^2/4)
    T:potential_energy(hm.cos(theta))
    local st = T:steady{ q = { theta = 0.5 }, v = { psi = 0.3, theta = 0, phi = 8 } }
    -- arbiter: A psi'^2 cos(theta) - C (phi' + psi' cos(theta)) psi' + m g l = 0 with A = 1, C = 1/2, m g l = 1
    local rate, c = st.v.psi, math.cos(st.q.theta)
    check.near(rate^2*c - (st.v.phi + rate*c)*rate/2 + 1, 0, 1e-9)
    assert.equal(0, st.q.psi)
    local one = T:linearize{ q = { theta = st.q.theta }, v = st.v }
    assert.same(T:linearize(st).eigenvalues[1].im, one.eigenvalues[1].im)
    check.raises({ "q is missing for theta" }, T.steady, T, { q = { psi = 0 }, v = { psi = 0.3, theta = 0, phi = 8 } })
    check.raises({ "q is missing for theta" }, T.linearize, T, { v = st.v })
  end)
end)

describe("digits of eigenvalues", function()
  -- arbiter: mpmath with 60 digits, from M and K
  local exact = { 5787351.2980404966, 4429446.9180736191, 2397199.39786675737, 1.56604597633707192 }

  local function chain(tip)
    local S = hm.system "chain"
    local vx, vy, y, T, V, q = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0), {}
    for i, a in ipairs{ S:coordinates "q1 q2 q3 q4" } do
      local m = i == 4 and tip or 1
      vx, vy, y = vx + cos(a)*a.dot, vy + sin(a)*a.dot, y - cos(a)
      T, V, q["q" .. i] = T + m*(vx^2 + vy^2)/2, V + m*9.81*y, 0
    end
    S:kinetic_energy(T)
    S:potential_energy(V)
    return S:linearize{ q = q }
  end

  it("are known under a heavy tip", function()
    local L = chain(1e12)
    for i, e in ipairs(L.eigenvalues) do
      local w = exact[(i + 1)//2]
      assert.is_true(math.abs(math.abs(e.im) - w) <= e.uncertainty and math.abs(e.re) <= e.uncertainty)
    end
    if not core.has_arb then return end                                    -- the digits of the slow one come from ball arithmetic
    assert.is_true(L.eigenvalues[7].uncertainty < 1e-7)
    assert.truthy(tostring(L):find(("%.9g i"):format(exact[4]), 1, true))
  end)

  it("are all shown where rounding leaves them", function()
    local L = chain(1)
    for _, e in ipairs(L.eigenvalues) do assert.is_true(e.uncertainty < 1e-12) end
    assert.falsy(tostring(L):find("known to", 1, true))
  end)

  -- arbiter: the roots of e^2 + c e + k = 0, the small one -2k/(c + sqrt(c^2 - 4k))
  it("are kept by slow motions beside strong damping, and decide the verdict", function()
    if not core.has_arb then return end
    for _, c in ipairs{ 1e6, 1e7, 1e9 } do
      for _, k in ipairs{ 1, -1, 0 } do
        local S = hm.system "slow"
        local x, z = S:coordinates "x z"
        S:kinetic_energy((x.dot^2 + z.dot^2)/2)
        S:potential_energy(hm.rational(k, 1)*x^2/2 + z^2/2)
        S:force(x, -hm.number(("%.17g"):format(c))*x.dot - x^3)
        S:force(z, -z.dot)
        local L = S:linearize{ q = { x = 0, z = 0 } }
        local slow = -2*k/(c + math.sqrt(c^2 - 4*k))
        assert.equal(k > 0 and "asymptotically stable" or k < 0 and "unstable" or "not decided by the first approximation", L.verdict)
        assert.near(slow, L.largest, 1e-9*math.abs(slow))
        assert.truthy(tostring(L):find(("\n  %.9g\n"):format(slow == 0 and 0 or slow), 1, true), tostring(L))
      end
    end
  end)

  -- arbiter: by hand. The constraint is z = a x + b y for small motions, the potential ((p.q)^2 + k (r.q)^2)/2, the damping c times the inertia. So each mode
  -- has e^2 + c e + w^2 = 0, with w1^2 w2^2 = k (P x R)^2/det M in x and y, and w1^2 + w2^2 = trace of K/M
  it("are kept by slow motions on constraints, at rest and in steady motion", function()
    if not core.has_arb then return end
    local a, b, c, p, r = 1/3, 3/7, 2, { 1, 2, -1 }, { 1/5, -1, 3 }
    local P, R = { p[1] + a*p[3], p[2] + b*p[3] }, { r[1] + a*r[3], r[2] + b*r[3] }
    local M11, M12, M22 = 1 + a^2, a*b, 1 + b^2
    local function slow_of(k)
      local det = M11*M22 - M12^2
      local trace = 0
      for _, item in ipairs{ { P, 1 }, { R, k } } do
        local u, factor = item[1], item[2]
        trace = trace + factor*(M22*u[1]^2 - 2*M12*u[1]*u[2] + M11*u[2]^2)/det
      end
      local product = k*(P[1]*R[2] - P[2]*R[1])^2/det
      local w = 2*product/(trace + math.sqrt(trace^2 - 4*product))
      return -2*w/(c + math.sqrt(c^2 - 4*w))
    end
    local function system(kind, k, runs)
      local S = hm.system "slow on a constraint"
      local x, y, z, s = S:coordinates(runs and "x y z s" or "x y z")
      S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2 + (s and s.dot^2 or 0))/2)
      local one, other = x + 2*y - z, x/5 - y + 3*z
      S:potential_energy(one^2/2 + hm.number(k)*other^2/2)
      for _, q in ipairs{ x, y, z } do S:force(q, -2*q.dot) end
      if kind == "holonomic" then S:constraint("c", z - x/3 - 3*y/7 - x*y)
      else S:constraint("c", z.dot - x.dot/3 - 3*y.dot/7 - y*x.dot) end
      local at = { q = { x = 0, y = 0, z = 0 }, v = { x = 0, y = 0, z = 0 } }
      if s then at.q.s, at.v.s = 1, 2 end
      if kind == "lagrange" then at.form = "lagrange" end
      return S:linearize(at)
    end
    for _, kind in ipairs{ "holonomic", "maggi", "lagrange" } do
      for _, k in ipairs{ "1e-9", "1e-12", "1e-20", "-1e-15" } do
        for _, runs in ipairs{ false, true } do
          local L, wanted = system(kind, k, runs), slow_of(tonumber(k))
          local found
          for _, e in ipairs(L.eigenvalues) do if e.im == 0 and math.abs(e.re - wanted) <= 1e-9*math.abs(wanted) then found = e end end
          assert.truthy(found, kind .. tostring(L))
          assert.truthy(tostring(L):find(("\n  %.9g\n"):format(found.re), 1, true), tostring(L))
          if kind == "holonomic" and not runs then
            assert.equal(wanted < 0 and "asymptotically stable" or "unstable", L.verdict)
            assert.falsy(tostring(L):find("\n  0\n", 1, true), tostring(L))
          end
        end
      end
    end
  end)

  it("of a zero that rounding of a parameter hides decide nothing", function()
    local S = hm.system "bead and spring"
    local a, z = S:coordinates "a z"
    S:positive "W"
    S:kinetic_energy((a.dot^2 + S:symbol "W"^2*hm.sin(a)^2 + z.dot^2)/2)
    S:potential_energy(-9.81*hm.cos(a) + z^2)
    S:force(a, -a.dot)
    S:force(z, -z.dot)
    assert.equal("not decided by the first approximation", S:linearize{ q = { a = 0, z = 0 }, parameters = { W = math.sqrt(9.81) } }.verdict)
  end)

  it("of a double eigenvalue are half of them", function()
    local P = hm.system "critical"
    local x = P:coordinates "x"
    P:kinetic_energy(x.dot^2/2)
    P:potential_energy(hm.rational(9, 8)*x^2)
    P:force(x, -3*x.dot)
    for _, e in ipairs(P:linearize{ q = { x = 0 } }.eigenvalues) do
      assert.is_true(math.abs(e.re + 1.5) + math.abs(e.im) <= e.uncertainty and e.uncertainty < 1e-6)
    end
  end)

  it("are known with constraints that depend on each other", function()
    local P = hm.system "twice"
    local x, y, z = P:coordinates "x y z"
    P:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    P:potential_energy(x^2/2 + 2*y^2 + z)
    P:constraint("surface", z - x^2/2)
    P:constraint("again", 2*z - x^2)
    -- x'' = -2x, y'' = -4y
    for i, w in ipairs{ 2, 2, math.sqrt(2), math.sqrt(2) } do
      local e = P:linearize{ q = { x = 0, y = 0, z = 0 }, v = { x = 0, y = 0, z = 0 } }.eigenvalues[i]
      assert.is_true(math.abs(math.abs(e.im) - w) + math.abs(e.re) <= 1e-12 and e.uncertainty < 1e-12)
    end
  end)
end)
