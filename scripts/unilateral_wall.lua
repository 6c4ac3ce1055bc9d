-- One-sided holonomic and nonholonomic constraints together (text on one-sided constraints, section 4): a ball between a plane on which
-- it slips and rolls, and an absolutely rough elastic wall. Piecewise and whole-course description. One line per numbered equation.
--
--   hamel scripts/unilateral_wall.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local csv
for i = 1, #arg do
  if arg[i] == "--csv" then csv = arg[i + 1] or error("--csv needs a folder", 0) end
end

local P = hm.paper{ title = "One-sided holonomic and nonholonomic constraints together: the ball between plane and rough wall" }

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
P:agrees("(4.17)", "reaction of the rolling constraint, a^2/(1 + a^2) cos beta", s.lambda["roll y"] - Ry, "run against the formula")
P:agrees("(4.15)", "Coulomb's law: Rx^2 + Ry^2 = f^2 cos^2 gamma", s.friction["slip x"]^2 + s.lambda["roll y"]^2 - (values.f*values.cg)^2,
  "run", "remark: the scan has lost the root of the printed left side")
P:agrees("(4.18)", "Rx against the slip", s.friction["slip x"] - reaction, "run against the formula")

-- accelerations of the quasi-velocities along the run: differences of runs at two times on one stretch
local function rate(e) return (piece:at(1.0, e) - piece:at(0.5, e))/0.5 end
local P2 = (1 + 2*a^2)*q2.dot - a^2*f1 - a^2*P5
local k3 = -values.cb/(1 + A2)
P:agrees("(4.16)", "accelerations in quasi-velocities", {
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
P:agrees("(4.27)", "T** on both sides of the wall", on_sides(Tss - printed_whole), "algebra",
  "remark: at q1* = 0 it jumps; with pi5' = 0 by the change of energy above")
P:agrees("(4.27), jump", "what the jump of T** is", Tss:subs{ [sg] = 1 } - Tss:subs{ [sg] = -1 } + 2*a^2*p1*p4 + 2*a^4*p3*p5/(1 + 2*a^2), "algebra")
local off, off_rate = 0, 0
for t = 0.25, 9.9, 0.55 do
  for _, name in ipairs{ "q1", "q2" } do
    off = math.max(off, math.abs(whole:at(t)[name] - piece:at(t)[name]))
    off_rate = math.max(off_rate, math.abs(whole:at(t).v[name] - piece:at(t).v[name]))
  end
end
P:agrees("(3.2), (3.3)", "the whole course is the piecewise motion, without impacts", { off, off_rate },
  "two runs", ("%d impacts piecewise, %d in the whole course"):format(#piece.impacts, #whole.impacts))
for _, note in ipairs(whole.notes) do print("  note of the run: " .. note.text) end

if csv then
  piece:save(csv .. "/wall_piecewise.csv", { n = 501 })
  whole:save(csv .. "/wall_whole_course.csv", { n = 501 })
end
P:definition("not covered", "(2.2)-(2.8) in general nonlinear quasi-velocities, (4.12), (4.13) for the ball released from both "
  .. "constraints, the closed forms (4.28)-(4.31)")
os.exit(P:finish())
