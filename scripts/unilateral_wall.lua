-- One-sided holonomic and nonholonomic constraints together (text on one-sided constraints, section 4): a ball between a plane on which
-- it slips and rolls, and an absolutely rough elastic wall. Piecewise and whole-course description. One line per numbered equation.
--
--   hamel scripts/unilateral_wall.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

math.randomseed(2007)

local P = hm.paper{ title = "One-sided holonomic and nonholonomic constraints together: the ball between plane and rough wall" }

-- ---- section 2: nonlinear quasi-velocities in general, on a particle with a slipping constraint that is not linear: the third w is it
do
  local C = hm.system "particle with a nonlinear constraint"
  local x, y, z = C:coordinates "x y z"
  C:kinetic_energy((x.dot^2*(1 + y^2) + y.dot^2 + z.dot^2)/2)
  C:potential_energy(x*z)
  C:force(y, -hm.t)
  -- without the constraint: the corresponding holonomic system, all three quasi-velocities free
  C:quasi_velocities("u w s", { x.dot*(2 + sin(y)), y.dot + hm.t*x, z.dot - x*x.dot^2 - y.dot })
  local E = C:equations "hamel"
  local function velocities(e)
    local map = {}
    for i, name in ipairs{ "x", "y", "z" } do map[C:symbol(name).dot] = E.k[i] end
    return e:subs(map)
  end
  P:agrees("(2.2), (2.3)", "the inverse of nonlinear quasi-velocities, by elimination", {
    velocities(x.dot*(2 + sin(y))) - E.dyn[1], velocities(y.dot + hm.t*x) - E.dyn[2], velocities(z.dot - x*x.dot^2 - y.dot) - E.dyn[3] })
  local verdict = hm.agree(E, C:equations())
  P:agrees("(2.4)-(2.7)", "Boltzmann-Hamel equations of the corresponding holonomic system: Lagrange's motion", hm.number(verdict.equal and 0 or 1),
    "both sets solved for the accelerations: " .. verdict.verdict)
  -- (2.6): the general bracket is Hamel's for linear quasi-velocities; here it holds d/dt of dw/dq'
  local bracket = C:transposition().bracket
  P:agrees("(2.6)", "sum_r (d/dt dw_3/dq_r' - dw_3/dq_r) dq_r'/dw_1, by hand -2 x x''/(2 + sin y) - ...", bracket[3][1]
    - velocities(-x.dot^2 - 2*x*x.ddot):subs{ [x.ddot] = E.a[1] }/(2 + sin(y)))
  -- with the constraint w_3 = 0: (2.7) is the motion, (2.8) the reaction
  C:constraint("slip", z.dot - x*x.dot^2 - y.dot)
  C:quasi_velocities("u w", { x.dot*(2 + sin(y)), y.dot + hm.t*x })
  local worst = 0
  for k = 1, 5 do
    local state = { q = { x = 0.3*k, y = 0.4 - 0.1*k, z = 0.2 }, v = { x = 0.5 - 0.2*k, y = 0.3 }, t = 0.2*k }
    local want = C:accelerations(state)
    state.form = "hamel"
    local got = C:accelerations(state)
    for name, value in pairs(want.a) do worst = math.max(worst, math.abs(got.a[name] - value)) end
    worst = math.max(worst, math.abs(got.lambda.slip - want.lambda.slip))
  end
  P:agrees("(2.7), (2.8)", "constraint put in afterwards: motion and reaction", worst, "against Lagrange's multiplier at five states")
end

-- ---- the ball: mass and radius 1, radius of inertia a; Euler angles z-x-z; plane z = 0, wall x = 0
local values = { a = math.sqrt(0.4), ca = 0.5, cb = 0.3, cg = math.sqrt(1 - 0.25 - 0.09), f = 0.25 }
local S = hm.system "ball, plane and wall"
local q1, q2, theta, psi, phi = S:coordinates "q1 q2 theta psi phi"
local a, ca, cb, cg, f = S:positive(("a=%.17g ca=%.17g cb=%.17g cg=%.17g f=%.17g"):format(values.a, values.ca, values.cb, values.cg, values.f))

-- (4.2) by the rotation matrix: R' R^T is the matrix of the angular velocity in space
local function Rz(x) return hm.matrix{ { cos(x), -sin(x), 0 }, { sin(x), cos(x), 0 }, { 0, 0, 1 } } end
local function Rx(x) return hm.matrix{ { 1, 0, 0 }, { 0, cos(x), -sin(x) }, { 0, sin(x), cos(x) } } end
local R = Rz(psi)*Rx(theta)*Rz(phi)
local spin = {}
for i = 1, 3 do
  spin[i] = {}
  for j = 1, 3 do
    local terms = 0
    for k = 1, 3 do terms = terms + hm.dt(R[i][k])*R[j][k] end
    spin[i][j] = terms
  end
end
local wx = theta.dot*cos(psi) + phi.dot*sin(theta)*sin(psi)
local wy = theta.dot*sin(psi) - phi.dot*sin(theta)*cos(psi)
local wz = psi.dot + phi.dot*cos(theta)
local T = (q1.dot^2 + q2.dot^2)/2 + a^2/2*(wx^2 + wy^2 + wz^2)
P:definition("(1.1)-(1.4)", "the problem: q1 >= 0, first-kind constraints on the wall, second-kind constraints everywhere")
P:definition("(4.1)", "kinetic energy of the ball", tostring(T))
P:agrees("(4.2)", "angular velocity in space axes, from R' R^T", { spin[3][2] - wx, spin[1][3] - wy, spin[2][1] - wz }, "algebra")

S:kinetic_energy(T)
S:force(q1, -ca); S:force(q2, -cb)
P:definition("(4.3), (4.4)", "weight along the plane; q1 >= 0 at the wall")

-- velocities of the contact points v + omega x r
local function contact(r)
  return { q1.dot + wy*r[3] - wz*r[2], q2.dot + wz*r[1] - wx*r[3], wx*r[2] - wy*r[1] }
end
local wall, plane = contact{ -1, 0, 0 }, contact{ 0, 0, -1 }
local f1, P4, P5 = q2.dot - wz, q1.dot - wy, q2.dot + wx
P:agrees("(4.5)", "slip along the wall, by v + omega x r", f1 - wall[2], "algebra",
  "remark: the wall has a second slip, " .. tostring(wall[3]:simplify()) .. " across the plane; an absolutely rough wall would reverse it too")
P:agrees("(4.6)", "slips on the plane, by v + omega x r", { P4 - plane[1], P5 - plane[2] }, "algebra")

-- ---- quasi-velocities
local p1, p2, p3, p4, p5 = hm.symbols "p1 p2 p3 p4 p5"
-- T~ with the second and third groups put in: omega in q', p3, p4, p5
local Tt = (q1.dot^2 + q2.dot^2)/2 + a^2/2*((p5 - q2.dot)^2 + (q1.dot - p4)^2 + (q2.dot - p3)^2)
P:agrees("(2.10), (4.7)", "pi2' = dT~/dq2'", hm.diff(Tt, q2.dot) - ((1 + 2*a^2)*q2.dot - a^2*p3 - a^2*p5), "algebra")
local q2dot = (p2 + a^2*(p3 + p5))/(1 + 2*a^2)
local ox, oy, oz = p5 - q2dot, p1 - p4, q2dot - p3
P:agrees("(4.8)", "velocities in the quasi-velocities", {
  hm.solve({ (1 + 2*a^2)*q2.dot - a^2*p3 - a^2*p5 - p2 }, { q2.dot })[1] - q2dot,
  ox - (-p2 - a^2*p3 + (1 + a^2)*p5)/(1 + 2*a^2), oz - (p2 - (1 + a^2)*p3 + a^2*p5)/(1 + 2*a^2) }, "algebra")
local Ts = (p1^2 + q2dot^2)/2 + a^2/2*(ox^2 + oy^2 + oz^2)
local printed = (1 + a^2)/2*p1^2 + a^2/2*p4^2 - a^2*p1*p4 + (p2^2 + a^2*(p3^2 + p5^2) + a^4*(p3 - p5)^2)/(2*(1 + 2*a^2))
P:agrees("(4.9)", "T* in quasi-velocities", Ts - printed, "algebra")

-- (4.10): the printed rates put into the definitions (4.2) must give (4.8)
local theta1 = cos(psi)/(1 + 2*a^2)*(-p2 - a^2*p3 + (1 + a^2)*p5) + (p1 - p4)*sin(psi)
local cot = cos(theta)/sin(theta)
local psi1 = ((1 + cot*sin(psi))*p2 + (a^2*cot*sin(psi) - (1 + a^2))*p3 + (a^2 - (1 + a^2)*cot*sin(psi))*p5)/(1 + 2*a^2) + cot*cos(psi)*(p1 - p4)
local phi1 = sin(psi)/((1 + 2*a^2)*sin(theta))*(-p2 - a^2*p3 + (1 + a^2)*p5) - cos(psi)/sin(theta)*(p1 - p4)
local function rates(e) return e:subs{ [q1.dot] = p1, [q2.dot] = q2dot, [theta.dot] = theta1, [psi.dot] = psi1, [phi.dot] = phi1 } end
P:agrees("(4.10)", "rates of the Euler angles", { rates(wx) - ox, rates(wy) - oy, rates(wz) - oz }, "algebra")
P:agrees("(4.11)", "the inverse: quasi-velocities in the velocities", {
  rates(q2.dot - a^2*cos(psi)*theta.dot + a^2*psi.dot + a^2*(cos(theta) - sin(theta)*sin(psi))*phi.dot) - p2,
  rates(f1) - p3, rates(P4) - p4, rates(P5) - p5 }, "algebra")

-- ---- the ball released from both constraints of the second kind, under contact forces Rx, Ry
local Rx0, Ry0 = hm.symbols "Rx Ry"
local work = -ca*p1 - cb*q2dot + Rx0*p4 + Ry0*p5
P:agrees("(4.12)", "generalised forces in quasi-coordinates", {
  hm.diff(work, p1) + ca, hm.diff(work, p2) + cb/(1 + 2*a^2), hm.diff(work, p3) + cb*a^2/(1 + 2*a^2), hm.diff(work, p4) - Rx0,
  hm.diff(work, p5) + cb*a^2/(1 + 2*a^2) - Ry0 }, "derivatives of the virtual power")
local free = hm.system "released ball"
free:coordinates "q1 q2 theta psi phi"
free:positive "a ca cb"
free:parameters "Rx Ry"
free:kinetic_energy(T)
for _, x in ipairs{ q1, q2, theta, psi, phi } do
  free:force(x, Rx0*hm.diff(P4, x.dot) + Ry0*hm.diff(P5, x.dot) - (x == q1 and ca or x == q2 and cb or 0))
end
local all5 = { q1.dot, (1 + 2*a^2)*q2.dot - a^2*f1 - a^2*P5, f1, P4, P5 }
free:quasi_velocities("w1 w2 w3 w4 w5", all5)
local released = free:equations "hamel"
local rate_of = hm.solve({ released[1], released[2], released[3], released[4], released[5] }, released.rates)
local share = a^2/(1 + a^2)
local printed13 = {
  rate_of[1] - share*rate_of[4] + ca/(1 + a^2), rate_of[2] + cb, rate_of[3] - share*rate_of[5] + cb/(1 + a^2), rate_of[4] - rate_of[1] - Rx0/a^2,
  rate_of[5] - share*rate_of[3] + cb/(1 + a^2) - (1 + 2*a^2)/(a^2*(1 + a^2))*Ry0 }
P:agrees("(4.13)", "equations of the corresponding holonomic system", printed13, "the form 'hamel' in all five quasi-velocities")
-- pi5'' = 0 gives Ry; (4.13) solved for the rates with it
local by_rolling = hm.solve({ rate_of[5] }, { Ry0 })[1]
local rolling_rates = {}
for i = 1, 4 do rolling_rates[i] = rate_of[i]:subs{ [Ry0] = by_rolling } end
P:agrees("(4.16)", "equations with pi5' = 0", { rolling_rates[1] - (Rx0 - ca), rolling_rates[2] + cb, rolling_rates[3] + cb/(1 + a^2),
  rolling_rates[4] + ca - (1 + a^2)/a^2*Rx0, -share*rolling_rates[3] + cb/(1 + a^2) - (1 + 2*a^2)/(a^2*(1 + a^2))*by_rolling }, "from (4.13)")
P:agrees("(4.17)", "Ry = a^2/(1 + a^2) cos beta", by_rolling - share*cb, "from (4.13) with pi5'' = 0")
do
  local root = hm.sqrt(f^2*cg^2 - share^2*cb^2)
  local sgn = hm.symbols "sgn"                                     -- sgn pi4', 1 or -1
  local against = -root*sgn
  local written = Rx0^2 + by_rolling^2
  local squares, power, speed = {}, {}, hm.positive "speed"          -- |pi4'|
  for _, side in ipairs{ 1, -1 } do
    local force = against:subs{ [sgn] = side }
    squares[#squares + 1] = (written - f^2*cg^2):subs{ [Rx0] = force }
    power[#power + 1] = force*(side*speed) + root*speed
  end
  local bare = hm.symbols "Ry"
  local as_printed = P:printed("Rx^2 + Ry^2 = f*cg", Rx0^2 + bare^2 - f*cg)
  P:misprint("(4.15)", "Coulomb's law, with (4.17) and (4.18)", as_printed:subs{ [bare] = by_rolling, [Rx0] = -root }, squares, "algebra",
    "scan or print: the root of the left side is lost, as in (4.18) and (4.31): (Rx^2 + Ry^2)^(1/2) = f cos gamma")
  P:quote "Rx = - f^2 cos^2 gamma - (a^2/(1 + a^2))^2 cos^2 beta sgn(pi4')"
  P:agrees("(4.18)", "Rx from (4.15) and (4.17), against the slip: Rx = - (...)^(1/2) sgn pi4'", { squares[1], squares[2], power[1], power[2] },
    "put into (4.15) with its root; its power Rx pi4' is -(...)^(1/2) |pi4'| for slip either way",
    "damage of the scan: bracket and root are lost; as it stands Rx would be a force squared",
    "it needs f cos gamma > a^2/(1 + a^2) cos beta, which the text does not say")
end

-- ---- motion away from the wall: one constraint slipping, one two-sided, by the equations of the workbench
S:constraint("roll y", P5)
S:friction("slip x", { slip = P4, cone = { "roll y" }, normal = cg, coefficient = f })
S:unilateral("wall", q1, { law = hm.newton(1), rough = { f1 }, continuous = { P4 } })
P:definition("(2.9), (4.14)", "pi5' = 0 two-sided, pi4' = c1 slipping")

local q = { q1 = 1, q2 = 0, theta = 1.2, psi = 0.3, phi = 0 }
local v = S:velocities{ q = q, v = { q1 = 0.2, q2 = 0.1 }, where = { { P4, -40 }, { f1, -0.6 } } }
local piece = S:simulate{ q = q, v = v, t = 10, rtol = 1e-11, atol = 1e-12 }
local whole = S:simulate{ q = q, v = v, t = 10, rtol = 1e-11, atol = 1e-12, method = "whole course" }
local A2 = values.a^2
local Ry = A2/(1 + A2)*values.cb
local reaction = math.sqrt((values.f*values.cg)^2 - Ry^2)
local s = piece:at(0.5)
-- the same start with the slip the other way
local other_way = S:simulate{ q = q, v = S:velocities{ q = q, v = { q1 = 0.2, q2 = 0.1 }, where = { { P4, 40 }, { f1, -0.6 } } }, t = 0.5,
  rtol = 1e-11, atol = 1e-12 }
local function sign_of(run) return run:at(0.5, P4) > 0 and 1 or -1 end
P:agrees("run", "(4.17) and (4.18) away from the wall: Ry = a^2/(1 + a^2) cos beta, and Rx against the slip, from pi4' = -40 and from pi4' = 40", {
  s.lambda["roll y"] - Ry, s.friction["slip x"] + sign_of(piece)*reaction, sign_of(piece) + 1,
  other_way:at(0.5).lambda["roll y"] - Ry, other_way:at(0.5).friction["slip x"] + sign_of(other_way)*reaction, sign_of(other_way) - 1 },
  "runs against the formulas")

-- friction that depends on the direction: (4.15) lets a force with a part across the slip keep the rolling. Coulomb's isotropic law has the force
-- against the slip alone: then Ry = 0 at pi5' = 0, and (4.13) gives pi5'' = -cos beta.
do
  local I = hm.system "the same plane, friction the same in all directions"
  I:coordinates "q1 q2 theta psi phi"
  I:positive(("a=%.17g ca=%.17g cb=%.17g cg=%.17g f=%.17g"):format(values.a, values.ca, values.cb, values.cg, values.f))
  I:kinetic_energy(T)
  I:force(q1, -ca); I:force(q2, -cb)
  I:friction("slip", { slip = { P4, P5 }, normal = cg, coefficient = f })
  local state, here = I:accelerations{ q = q, v = v }, {}
  for _, x in ipairs{ q1, q2, theta, psi, phi } do
    local name = tostring(x)
    here[x], here[x.dot], here[x.ddot] = state.q[name], state.v[name], state.a[name]
  end
  P:agrees("text", "friction not isotropic: by Coulomb's law against the slip pi5' = 0 does not last, pi5'' = -cos beta", {
    rate_of[5]:subs{ [Ry0] = 0 } + cb, hm.dt(P5):subs(here):eval{} + values.cb, P5:subs(here):eval{} },
    "(4.13) with Ry = 0, and the accelerations under isotropic friction at the start of the run",
    "(4.14) and (4.15) keep pi5' = 0 by a force that has a part across the slip: the law is that of a rolling constraint which shares the friction")
end

-- accelerations of the quasi-velocities along the run: differences of runs at two times on one stretch
local function rate(e) return (piece:at(1.0, e) - piece:at(0.5, e))/0.5 end
local P2 = (1 + 2*a^2)*q2.dot - a^2*f1 - a^2*P5
local k3 = -values.cb/(1 + A2)
P:agrees("run", "(4.16) along the run: accelerations in quasi-velocities", {
  rate(q1.dot) - (reaction - values.ca), rate(P2) + values.cb, rate(f1) - k3, rate(P4) - (-values.ca + (1 + A2)/A2*reaction) }, "run against the formula")
local A = values.ca - reaction
P:agrees("(4.19)", "flight: q1, pi2', pi3', pi4' in time", {
  piece:at(1.3).q1 - (1 + 0.2*1.3 - A/2*1.69), piece:at(1.3, P2) - (piece:at(0, P2) - values.cb*1.3), piece:at(1.3, f1) - (-0.6 + k3*1.3),
  piece:at(1.3, P4) - (-40 + (-values.ca + (1 + A2)/A2*reaction)*1.3) }, "run against the closed solution")

-- ---- the impact
local hit = piece.impacts[1]
local t1 = (0.2 + math.sqrt(0.04 + 2*A))/A
P:agrees("(4.21)", "instant of the first impact", hit.t - t1, "run against the root")
P:agrees("(4.22)", "speeds before and after", { hit.before.v.q1 - (0.2 - A*t1), hit.after.v.q1 + 0.2 - A*t1 }, "run against the formula")
local function jump(e) return piece:at(hit.t + 1e-9, e) - piece:at(hit.t - 1e-9, e) end
P:agrees("(2.1), (4.20)", "q1' and f1 reverse, pi2', pi4', pi5' stay", {
  hit.after.v.q1 + hit.before.v.q1, piece:at(hit.t + 1e-9, f1) + piece:at(hit.t - 1e-9, f1), jump(P2), jump(P4), jump(P5) }, "run",
  ("remark: with pi4' continuous the kinetic energy changes by 2 a^2 q1'(t* - 0) pi4' = %.6f; the text does not say so"):format(hit.energy_change))
P:agrees("energy", "that change", hit.energy_change - 2*A2*hit.before.v.q1*piece:at(hit.t - 1e-9, P4), "run against T* of (4.9)")
local t2 = (hit.t + piece.impacts[2].t)/2
local u1 = A*t1 - 0.2
P:agrees("(4.23)", "q1 after the first impact", {
  piece:at(t2).q1 - (u1*(t2 - t1) - A/2*(t2 - t1)^2), -A/2*t2^2 + (2*A*t1 - 0.2)*(t2 - t1) + A/2*t1^2 - piece:at(t2).q1 },
  "run against the derived and the printed form")
P:agrees("(4.24)", "pi3' after the first impact", piece:at(t2, f1) - (k3*t2 - 2*k3*t1 + 0.6), "run against the formula")
local h = 1 + 0.04/(2*A)
P:agrees("period", "2 (2 h/(cos alpha - Rx))^(1/2), with cos alpha > Rx and pi4' < 0", piece.impacts[2].t - hit.t - 2*math.sqrt(2*h/A), "run")

-- ---- the whole course
local sg = hm.symbols "sigma"          -- sgn q1*, sigma^2 = 1
local Tss = Ts:subs{ [p1] = p1*sg, [p3] = p3*sg }
local printed_whole = (1 + a^2)/2*p1^2 + a^2/2*p4^2 - a^2*p1*p4*sg + (p2^2 + a^2*(p3^2 + p5^2) + a^4*(p3*sg - p5)^2)/(2*(1 + 2*a^2))
local function on_sides(e) return { e:subs{ [sg] = 1 }, e:subs{ [sg] = -1 } } end
P:definition("(3.1), (4.25), (4.26)", "q1 = |q1*|, pi1' and pi3' with sgn q1*, the others as they are")
-- (3.2), (3.3) from T** on each side: a system with q1 = sigma q1*, its own quasi-velocities pi*', and the form 'hamel'
local star_rates = {}
do
  local star = hm.functions_of_time "q1s"
  for _, side in ipairs{ 1, -1 } do
    local M = hm.system("auxiliary system, sgn q1* = " .. side)
    M:coordinates "q1s q2 theta psi phi"
    M:positive "a ca cb"
    M:parameters "Rx Ry"
    local here = { [q1.dot] = side*star.dot }
    local function on_side(e) return e:subs(here) end
    M:kinetic_energy(on_side(T))
    local power = on_side(-ca*q1.dot - cb*q2.dot + Rx0*P4 + Ry0*P5)
    for _, x in ipairs{ star, q2, theta, psi, phi } do M:force(x, hm.diff(power, x.dot)) end
    M:quasi_velocities("s1 s2 s3 s4 s5", { star.dot, on_side(all5[2]), side*on_side(all5[3]), on_side(all5[4]), on_side(all5[5]) })
    local e = M:equations "hamel"
    star_rates[side] = hm.solve({ e[1], e[2], e[3], e[4], e[5] }, e.rates)
  end
  local list = {}
  for _, side in ipairs{ 1, -1 } do
    local mu = { side, 1, side, 1, 1 }                             -- (sgn q1*)^mu_i
    for i = 1, 5 do list[#list + 1] = star_rates[side][i] - mu[i]*rate_of[i] end
  end
  P:agrees("(3.2), (3.3)", "Boltzmann-Hamel equations in pi*', on both sides of the wall: (2.7) and (2.8) follow, pi_i'' = (sgn q1*)^mu_i pi_i*''", list,
    "two systems of their own, q1 = q1* and q1 = -q1*, by the form 'hamel'",
    "in (3.3) the print has rho = 1 ... g for beta = 1 ... g, and P* for P**, which is the same there (mu_i = 0)")
end
P:agrees("(4.27)", "T** on both sides of the wall", on_sides(Tss - printed_whole), "algebra",
  "remark: at q1* = 0 it jumps; with pi5' = 0 by the change of energy above")
P:agrees("(4.27), jump", "what the jump of T** is", Tss:subs{ [sg] = 1 } - Tss:subs{ [sg] = -1 } + 2*a^2*p1*p4 + 2*a^4*p3*p5/(1 + 2*a^2), "algebra")
-- (4.28) to (4.30): the same with p1 = sigma p1*, p3 = sigma p3* on each side, where sigma' = 0
local starred = work:subs{ [p1] = p1*sg, [p3] = p3*sg }
local forces = {}
for i, pair in ipairs{ { p1, -ca*sg }, { p2, -cb/(1 + 2*a^2) }, { p3, -cb*a^2/(1 + 2*a^2)*sg }, { p5, Ry0 - cb*a^2/(1 + 2*a^2) }, { p4, Rx0 } } do
  forces[i] = hm.diff(starred, pair[1]) - pair[2]
end
P:agrees("(4.28)", "generalised forces of the auxiliary system", forces, "derivatives of the virtual power")
local sides = {}
for _, side in ipairs{ 1, -1 } do
  local r = star_rates[side]
  for _, e in ipairs{ r[1] - share*r[4]*side + ca/(1 + a^2)*side, r[2] + cb, r[3] - share*r[5]*side + cb/(1 + a^2)*side, r[4] - r[1]*side - Rx0/a^2,
                      r[5] - share*r[3]*side + cb/(1 + a^2) - (1 + 2*a^2)/(a^2*(1 + a^2))*Ry0 } do
    sides[#sides + 1] = e
  end
end
P:agrees("(4.29)", "equations of the auxiliary system, on both sides", sides, "from (3.2), (3.3)")
sides = {}
for _, side in ipairs{ 1, -1 } do
  local rolling = hm.solve({ star_rates[side][5] }, { Ry0 })[1]
  local r = {}
  for i = 1, 4 do r[i] = star_rates[side][i]:subs{ [Ry0] = rolling } end
  for _, e in ipairs{ rolling - share*cb, r[1] - (Rx0 - ca)*side, r[2] + cb, r[3] + cb/(1 + a^2)*side, r[4] + ca - (1 + a^2)/a^2*Rx0,
                      -share*r[3]*side + cb/(1 + a^2) - (1 + 2*a^2)/(a^2*(1 + a^2))*rolling } do
    sides[#sides + 1] = e
  end
end
P:agrees("(4.30)", "with pi5' = 0, and Ry of (4.17) again", sides, "from (4.29)")
-- (4.31) over its whole range -tau <= t <= tau, ends included, where q1* < 0 for t < 0
local tau = 2*math.sqrt(2*h/A)
do
  local size, length, time = hm.positive "A", hm.positive "tau", hm.symbols "time"
  local above, below = -size/2*time*(time - length), -size/2*time*(-time - length)
  local function at(e, value) return e:subs{ [time] = value } end
  local function rate_at(e, value) return hm.diff(e, time):subs{ [time] = value } end
  local rise = cb/(1 + a^2)
  local third_above, third_below = -time*rise, time*rise
  P:agrees("(4.31)", "q1* = -(cos alpha - Rx) t (|t| - tau)/2: (4.30) on both halves, q1* and q1*' continuous at 0, and the same at both ends", {
    hm.diff(above, time, time) + size, hm.diff(below, time, time) - size, at(above, 0), at(below, 0), rate_at(above, 0) - rate_at(below, 0),
    at(above, length), at(below, -length), rate_at(above, length) - rate_at(below, -length),
    hm.diff(third_above, time) + rise, hm.diff(third_below, time) - rise, at(third_above, length) - at(third_below, -length) }, "algebra",
    "so q1* and pi3*' have the period 2 tau, and (4.31) is to be continued with it: beyond +-tau the formulas do not hold",
    "damage of the scan: brackets and roots are lost in all of its formulas")
end
local long_course = S:simulate{ q = q, v = v, t = hit.t + 2*tau + 0.05, rtol = 1e-11, atol = 1e-12, method = "whole course" }
do
  local middle, off, off_rate, second, third, fourth = hit.t + tau, 0, 0, 0, 0, 0
  local count = 40
  -- the constants from a state just before the passage
  local function near(e, time) return long_course:at(time, e) end
  local growth = -values.ca + (1 + A2)/A2*reaction
  local A1, A3 = near(P2, middle - 1e-3) - values.cb*1e-3, near(P4, middle - 1e-3) + growth*1e-3
  local third0 = -near(f1, middle - 1e-3) + values.cb/(1 + A2)*1e-3          -- A2 of the text: pi3*' at t = 0
  for i = -count, count do
    local at = tau*i/count
    local sign = i < 0 and -1 or 1
    local state = long_course:at(middle + at)
    off = math.max(off, math.abs(sign*state.q1 + A/2*at*(math.abs(at) - tau)))
    if math.abs(i) < count and i ~= 0 then
      off_rate = math.max(off_rate, math.abs(sign*state.v.q1 + A/2*(2*math.abs(at) - tau)))
      third = math.max(third, math.abs(sign*near(f1, middle + at) - (-math.abs(at)*values.cb/(1 + A2) + third0)))
    end
    second = math.max(second, math.abs(near(P2, middle + at) - (-at*values.cb + A1)))
    fourth = math.max(fourth, math.abs(near(P4, middle + at) - (growth*at + A3)))
  end
  P:agrees("(4.31)", "q1*, q1*', pi2*, pi3*, pi4* in time, -tau <= t <= tau about a passage from below", { off, off_rate, second, third, fourth },
    "whole-course run against the closed forms at 81 places, both ends included for q1*, pi2*, pi4*")
end

-- how long does pi4' keep its sign, and what comes then?
do
  local slow = S:velocities{ q = q, v = { q1 = 0.2, q2 = 0.1 }, where = { { P4, -1 }, { f1, -0.6 } } }
  local long = S:simulate{ q = q, v = slow, t = 40, rtol = 1e-11, atol = 1e-12 }
  local growth, switch = -values.ca + (1 + A2)/A2*reaction, nil
  for _, item in ipairs(long.switches) do if item.name == "slip x" and not switch then switch = item end end
  P:agrees("(4.19), end", "pi4' reaches zero", switch.t - 1/growth, "located switch against the closed form",
    ("with pi4' = -1 at the start: at t = %.6f; the period of the text holds until then"):format(switch.t))
  local needed, given = A2/(1 + A2)*math.sqrt(values.ca^2 + values.cb^2), values.f*values.cg
  P:agrees("then", "the ball rolls in both directions if f cos gamma >= a^2/(1 + a^2) (cos^2 alpha + cos^2 beta)^(1/2)",
    (switch.to == "stick") == (given >= needed) and 0 or 1, "run", ("here %.6f >= %.6f: from %s to %s"):format(given, needed, switch.from, switch.to))
  local after = {}
  for _, impact in ipairs(long.impacts) do if impact.t > switch.t then after[#after + 1] = impact end end
  -- rolling: q1'' = -cos alpha/(1 + a^2); no energy is exchanged at the wall any more
  local fall = values.ca/(1 + A2)
  P:agrees("then", "the motion is periodic with q1'' = -cos alpha/(1 + a^2), and the wall changes no energy", {
    after[2].t - after[1].t - 2*after[1].after.v.q1/fall, after[3].t - after[2].t - (after[2].t - after[1].t), after[2].energy_change },
    "run against the closed form", ("period %.6f instead of %.6f"):format(after[2].t - after[1].t, tau))
end

local off, off_rate = 0, 0
for t = 0.25, 9.9, 0.55 do
  for _, name in ipairs{ "q1", "q2" } do
    off = math.max(off, math.abs(whole:at(t)[name] - piece:at(t)[name]))
    off_rate = math.max(off_rate, math.abs(whole:at(t).v[name] - piece:at(t).v[name]))
  end
end
P:agrees("run", "by (3.2), (3.3) the whole course is the piecewise motion, without impacts", { off, off_rate },
  "two runs", ("%d impacts piecewise, %d in the whole course"):format(#piece.impacts, #whole.impacts))
for _, note in ipairs(whole.notes) do print("  note of the run: " .. note.text) end

P:show(S)
P:show(function() return piece:plot("q1", "q2", { title = "the centre of the ball, piecewise" }) end)
P:show(function() return whole:plot("t", "q1", "theta'", { title = "the whole course" }) end)
P:save(piece, "wall_piecewise", { n = 501 })
P:save(whole, "wall_whole_course", { n = 501 })
os.exit(P:finish())
