-- The rubber ball: a ball with three different moments of inertia rolls on a plane without slip and without turning about the vertical.
-- Sources: Ehlers, Koiller, Montgomery, Rios, in The Breadth of Symplectic and Poisson Geometry (2005); Borisov, Mamaev, Bizyaev, Regular and
-- Chaotic Dynamics 18 (2013) 277-328; Bolsinov, Borisov, Mamaev, Nonlinear Dynamics (Russian) 8 (2012) 605-616. S1 and S2 are theirs; S3 and S4 are
-- derived here. I is the inertia about the centre, D = m a^2; the companion is scripts/library/veselova.lua with the inertia I + D.
--
--   hamel scripts/library/rubber-ball.lua      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, sqrt = hm.sin, hm.cos, hm.sqrt

local P = hm.paper{ title = "Ehlers, Koiller, Montgomery, Rios 2005: the rubber ball is a Veselova system", tolerance = 1e-13 }
local function proved(answer) return answer == true and hm.number(0) or math.huge end

local S = hm.system "rubber ball"
local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
local m, a, A, B, C = S:positive "m=2 a=1/2 A=1/2 B=1 C=3/2"
local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = m, inertia = {A, B, C}, shape = {"sphere", radius = a} })
local roll = S:rolls("roll", ball, N:plane(), { rubber = true })

local K = ball:angular_momentum(roll.point)
local Kx, Ky, Kz = K:components(N)
local Rzx, Rzy, Rzz = N.z:components(R)

local V = hm.system "Veselova system"
local M, Q = V:frame "N", V:rotation("R", { rates = "p q r" })
local J1, J2, J3 = V:positive "J1=1 J2=3/2 J3=2"
V:body("body", { frame = Q, inertia = {J1, J2, J3} })
V:constraint("no turning about the vertical", Q:angular_velocity():dot(M.z))

P:definition("system", "m = 2, a = 1/2, I = diag(1/2, 1, 3/2), so I + D = diag(1, 3/2, 2); 10 s from theta = 1, phi = 3/8, theta' = 7/8, phi' = 9/8")

-- S1: the same two equations in p and q, for all values of the parameters
local rolling, turning, D = S:equations "hamel", V:equations "hamel", m*a^2
local of_ball = { [J1] = A + D, [J2] = B + D, [J3] = C + D }
local unit = { [Rzx] = sqrt(1 - Rzy^2 - Rzz^2) }
P:agrees("S1", "the attitude moves as in the Veselova system with the inertia I + D: the equations of p and q are the same",
  { (rolling[1] - turning[1]:subs(of_ball)):subs(unit), (rolling[2] - turning[2]:subs(of_ball)):subs(unit) })

-- S2: (w, gamma) = 0 leaves p and q, dw = dp dq d(w, gamma)/Rzz. The rates of x and y do not contain them: S1 carries the measure over
local measure = V:invariant_measure()
P:agrees("S2", "(gamma, (I+D)^-1 gamma)^(1/2) dw dgamma is an invariant measure",
  { proved(measure.proof), ((measure.density*Rzz)^2 - (J2*J3*Rzx^2 + J1*J3*Rzy^2 + J1*J2*Rzz^2)):subs(unit) }, nil, "through S1")

-- S3
P:agrees("S3", "the two horizontal components of the momentum about the contact are constant in space", { proved(S:is_conserved(Kx)),
  proved(S:is_conserved(Ky)) })
P:proves("S3", "the vertical component is not constant", S:is_conserved(Kz) == false,
  "its rate of change by exact algebra")

local theta, phi, dtheta, dphi = hm.number(1), hm.rational(3, 8), hm.rational(7, 8), hm.rational(9, 8)
local dpsi = -dphi*cos(theta)
local w0 = { dtheta*cos(phi) + dpsi*sin(theta)*sin(phi), -dtheta*sin(phi) + dpsi*sin(theta)*cos(phi), dphi + dpsi*cos(theta) }
local function tight(q, rates) return { q = q, v = rates, t = 10, method = "taylor", rtol = 1e-14, atol = 1e-15 } end
local run = S:simulate(tight({ x = 0, y = 0, R = {"zxz", 0, theta, phi} }, { R = w0 }))
local other = V:simulate(tight({ R = {"zxz", 0, theta, phi} }, { R = w0 }))
assert(run.status == "OK" and other.status == "OK")
local off = {}
for i = 0, 3 do off[i + 1] = run:at(10, S:symbol("R" .. i)) - other:at(10, V:symbol("R" .. i)) end
P:agrees("S1", "the two systems after 10 s have the same attitude", off, "two runs")
local exact = S:reference{ q = { x = 0, y = 0, R = {"zxz", 0, theta, phi} }, v = { R = w0 }, t = 10, digits = 25 }
local companion = V:reference{ q = { R = {"zxz", 0, theta, phi} }, v = { R = w0 }, t = 10, digits = 25 }
local _, _, Qzz = M.z:components(Q)
P:digits("S1", "theta(10) = 2.4043030515946731991 for the ball, theta(10) = 2.4043030515946731991 for the Veselova system",
  { P:exactly(S, exact)(hm.acos(Rzz)), P:exactly(V, companion)(hm.acos(Qzz)) }, "reference solutions")

-- the path by hand: X' = a (w x gamma) . M/|K| along K's horizontal part, Y' = 2 T a/|K| across it; M = (I + D) w
local F = hm.system "reduced equations"
local w, g, X = { F:coordinates "w1 w2 w3" }, { F:coordinates "g1 g2 g3" }, F:coordinates "X"
local J = { hm.number(1), hm.rational(3, 2), hm.number(2) }
local function dot(b, c) return b[1]*c[1] + b[2]*c[2] + b[3]*c[3] end
local function cross(b, c) return { b[2]*c[3] - b[3]*c[2], b[3]*c[1] - b[1]*c[3], b[1]*c[2] - b[2]*c[1] } end
local function over(b) return { b[1]/J[1], b[2]/J[2], b[3]/J[3] } end
local L = { J[1]*w[1], J[2]*w[2], J[3]*w[3] }
local torque, turn = cross(L, w), cross(g, w)
local lambda = -dot(g, over(torque))/dot(g, over(g))
local energy = X.dot^2/2
for i = 1, 3 do
  energy = energy + (w[i].dot^2 + g[i].dot^2)/2
  F:constraint("w" .. i, w[i].dot - (torque[i] + lambda*g[i])/J[i]); F:constraint("g" .. i, g[i].dot - turn[i])
end
F:kinetic_energy(energy)
F:constraint("X", X.dot - dot(cross(w, g), L)/sqrt(dot(L, L) - dot(L, g)^2)/2)
local second = F:simulate(tight{ w1 = w0[1], w2 = w0[2], w3 = w0[3], g1 = sin(theta)*sin(phi), g2 = sin(theta)*cos(phi), g3 = cos(theta), X = 0 })
assert(second.status == "OK")

-- S4: v = a w x e_z, so v . (K x e_z) = a (2 T - K_z w_z), and w_z = 0
local on = { [g[3]] = sqrt(1 - g[1]^2 - g[2]^2), [w[3]] = -(w[1]*g[1] + w[2]*g[2])/sqrt(1 - g[1]^2 - g[2]^2) }
P:agrees("S4", "across K's horizontal part the ball advances at the constant speed 2 T a/|K|",
  { (dot(cross(w, g), cross(L, g)) - dot(L, w)):subs(on), proved(S:is_conserved(S:kinetic_energy())) }, nil,
  "derived here: v . (K x e_z) = 2 a T where w_z = 0")
local at, k = run:at(10), { run:at(0, Kx), run:at(0, Ky) }
local size = math.sqrt(k[1]^2 + k[2]^2)
P:digits("S4", "x(10) = -5.4370584257080624586, y(10) = -3.1222374285971892219", { exact.q.x, exact.q.y }, "reference solution")
P:agrees("S4", "the path along K and across it",
  { (at.x*k[1] + at.y*k[2])/size - second:at(10).X, (at.x*k[2] - at.y*k[1])/size - run:at(0, S:kinetic_energy())*10/size },
  "run against the reduced equations, and against the constant speed")

P:show(S)
P:show(rolling)
P:show(function() return run:plot("x", "y", { title = "path of the centre" }) end)
P:show(function() return run:animate{} end)
os.exit(P:finish())
