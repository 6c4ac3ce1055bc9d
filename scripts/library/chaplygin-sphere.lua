-- Chaplygin's sphere: a balanced ball with three different moments of inertia rolls without slip on a horizontal plane.
-- Sources: Chaplygin, Math. Sb. 24 (1903) 139-168, in English: Regular and Chaotic Dynamics 7 (2002) 131-148; Borisov, Mamaev, Math. Notes 70
-- (2001) 720-723; Duistermaat, arXiv math/0409019. The statements are theirs (S1, S2) or derived here (S3, S4).
-- M is the angular momentum about the point of contact in body axes, K the same vector in space, gamma the vertical in body axes, D = m a^2.
--
--   hamel scripts/library/chaplygin-sphere.lua      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, sqrt = hm.sin, hm.cos, hm.sqrt

local P = hm.paper{ title = "Chaplygin 1903: a ball with three moments of inertia rolls on a plane", tolerance = 1e-13 }
local function proved(answer) return answer == true and hm.number(0) or math.huge end

-- ---- the ball as a body: unit quaternion, body rates, rolling

local S = hm.system "Chaplygin sphere"
local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
local m, a, A, B, C = S:positive "m=1 a=1 A=1/2 B=3/4 C=1"
local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = m, inertia = {A, B, C}, shape = {"sphere", radius = a} })
local roll = S:rolls("roll", ball, N:plane())
local K, T = ball:angular_momentum(roll.point), S:kinetic_energy()
local Kx, Ky, Kz = K:components(N)

-- ---- the reduced equations M' = M x w, gamma' = gamma x w, written by hand; w = (I + D)^-1 (M + D s gamma), s = (w, gamma).
-- X and Y are the path along K's horizontal part and along K x e_z: v = a w x e_z.

local function dot(u, v) return u[1]*v[1] + u[2]*v[2] + u[3]*v[3] end
local function cross(u, v) return { u[2]*v[3] - u[3]*v[2], u[3]*v[1] - u[1]*v[3], u[1]*v[2] - u[2]*v[1] } end

local F = hm.system "reduced equations"
local M, g, path = { F:coordinates "M1 M2 M3" }, { F:coordinates "g1 g2 g3" }, { F:coordinates "X Y" }
local J, D = { hm.rational(3, 2), hm.rational(7, 4), hm.number(2) }, 1
local G = { g[1]/J[1], g[2]/J[2], g[3]/J[3] }
local bracket = 1 - D*dot(g, G)
local s = dot(G, M)/bracket
local w = {}
for i = 1, 3 do w[i] = (M[i] + D*s*g[i])/J[i] end
local field = { cross(M, w), cross(g, w) }
local level = sqrt(dot(M, M) - dot(M, g)^2)
local rates = { dot(cross(w, g), M)/level, (dot(M, w) - dot(M, g)*dot(w, g))/level }
local zero = hm.number(0)
for i = 1, 3 do zero = zero + M[i].dot^2 + g[i].dot^2 end
F:kinetic_energy((zero + path[1].dot^2 + path[2].dot^2)/2)
for i = 1, 3 do
  F:constraint("M" .. i, M[i].dot - field[1][i]); F:constraint("g" .. i, g[i].dot - field[2][i])
end
F:constraint("X", path[1].dot - rates[1]); F:constraint("Y", path[2].dot - rates[2])

-- ---- the run: theta = 1, phi = 3/8, psi' = 3/4, theta' = 7/8, phi' = 9/8 (Euler angles z-x-z)

local theta, phi = hm.number(1), hm.rational(3, 8)
local dpsi, dtheta, dphi = hm.rational(3, 4), hm.rational(7, 8), hm.rational(9, 8)
local w0 = { dtheta*cos(phi) + dpsi*sin(theta)*sin(phi), -dtheta*sin(phi) + dpsi*sin(theta)*cos(phi), dphi + dpsi*cos(theta) }
local g0 = { sin(theta)*sin(phi), sin(theta)*cos(phi), cos(theta) }
local run = S:simulate{ q = { x = 0, y = 0, R = {"zxz", 0, theta, phi} }, v = { R = w0 }, t = 10, method = "taylor", rtol = 1e-14, atol = 1e-15 }
local M0, s0 = {}, dot(w0, g0)
for i = 1, 3 do M0[i] = J[i]*w0[i] - D*s0*g0[i] end
local function reduced(M1, g1, t)
  local q = { X = 0, Y = 0 }
  for i = 1, 3 do q["M" .. i], q["g" .. i] = M1[i], g1[i] end
  return F:simulate{ q = q, t = t, method = "taylor", rtol = 1e-14, atol = 1e-15 }
end
local second = reduced(M0, g0, 10)
assert(run.status == "OK" and second.status == "OK")

P:definition("system", "m = a = 1, I = diag(1/2, 3/4, 1): x' = a wy, y' = -a wx; 10 s from theta = 1, phi = 3/8, psi' = 3/4, theta' = 7/8, phi' = 9/8")

-- S1
local function rate(e)
  local sum = hm.number(0)
  for i = 1, 3 do sum = sum + e:diff(M[i])*field[1][i] + e:diff(g[i])*field[2][i] end
  return sum
end
P:agrees("S1", "K = M in space has three constant components; so (M, M) and (M, gamma) = K_z are constant",
  { proved(S:is_conserved(Kx)), proved(S:is_conserved(Ky)), proved(S:is_conserved(Kz)) })
P:agrees("S1", "(M, w)/2 is the kinetic energy, and constant", { proved(S:is_conserved(T)), rate(dot(M, w)) })
P:agrees("S1", "the reduced equations keep (M, M), (M, gamma), (gamma, gamma)",
  { rate(dot(M, M)), rate(dot(M, g)), rate(dot(g, g)) })
local exact = S:reference{ q = { x = 0, y = 0, R = {"zxz", 0, theta, phi} }, v = { R = w0 }, t = 10, digits = 25 }
local last = P:exactly(S, exact)
P:digits("S1", "energy = 2.3015611790036344903, (M, M) = 7.0910969263523775359, (M, gamma) = 1.1445301008406024076",
  { last(T), last(K:dot(K)), last(Kz) }, "reference solution at t = 10")
P:agrees("S1", "the same along the run", { run:at(10, T) - last(T):eval(), run:at(5, K:dot(K)) - last(K:dot(K)):eval(), run:at(10, Kz) - last(Kz):eval() },
  "run against the reference solution")

-- S2: Liouville's equation of the published density, on all of the six-dimensional space
local function divergence(rho)
  local sum = hm.number(0)
  for i = 1, 3 do sum = sum + (rho*field[1][i]):diff(M[i]) + (rho*field[2][i]):diff(g[i]) end
  return sum
end
P:agrees("S2", "(1 - D (gamma, (I+D)^-1 gamma))^(-1/2) dM dgamma is an invariant measure, also where (gamma, gamma) is not 1",
  divergence(1/sqrt(bracket)))
local others = {}
for _, power in ipairs{ hm.number(-1), hm.number(0), hm.rational(1, 2) } do others[#others + 1] = divergence(bracket^power):is_zero() == false end
P:proves("S2", "the powers -1, 0, 1/2 of the same bracket are no densities of an invariant measure", others[1] and others[2] and others[3],
  "Liouville's equation by exact algebra")
local measure = S:invariant_measure()
-- dM = det (I + D) bracket dw, so the density in the body rates is bracket^(1/2)
local Rzx, Rzy, Rzz = N.z:components(R)
local J1, J2, J3 = A + m*a^2, B + m*a^2, C + m*a^2
local in_rates = J1*J2*J3 - m*a^2*(J2*J3*Rzx^2 + J1*J3*Rzy^2 + J1*J2*Rzz^2)
P:agrees("S2", "the search finds the same density in the body rates, for all values of the parameters",
  { proved(measure.proof), (measure.density^2 - in_rates):subs{ [Rzx] = sqrt(1 - Rzy^2 - Rzz^2) } })

-- S3, S4
do
  local W, gamma = { hm.symbols "w1 w2 w3" }, { hm.symbols "c1 c2 c3" }
  local I, d = { hm.symbols "I1 I2 I3" }, hm.symbols "D"
  local L = {}
  for i = 1, 3 do L[i] = (I[i] + d)*W[i] - d*dot(W, gamma)*gamma[i] end
  local unit = { [gamma[3]] = sqrt(1 - gamma[1]^2 - gamma[2]^2) }
  local left = dot(cross(W, gamma), cross(L, gamma))
  P:agrees("S3", "the velocity v of the centre: v . (K x e_z) = a (2 T - K_z w_z)", (left - (dot(L, W) - dot(L, gamma)*dot(W, gamma))):subs(unit))
end
local v, worst = ball:velocity(), 0
local wz = R:angular_velocity():dot(N.z)
for t = 0, 10 do worst = math.max(worst, math.abs(run:at(t, v:dot(K:cross(N.z)) - a*(2*T - Kz*wz)))) end
P:agrees("S3", "the same along the run", worst, "states of the run, at 11 times")

do
  -- gamma = (3, 0, 4)/5, M = (4/5, 1/2, -3/5), K along x; the rows of the attitude are the space axes in the body
  local g1, M1 = { 0.6, 0, 0.8 }, { 0.8, 0.5, -0.6 }
  local size = math.sqrt(dot(M1, M1))
  local ex = { M1[1]/size, M1[2]/size, M1[3]/size }
  local ey = cross(g1, ex)
  local q0 = math.sqrt(1 + ex[1] + ey[2] + g1[3])/2
  local Q = { q0, (g1[2] - ey[3])/(4*q0), (ex[3] - g1[1])/(4*q0), (ey[1] - ex[2])/(4*q0) }
  local Jn = { 1.5, 1.75, 2 }
  local G1 = { g1[1]/Jn[1], g1[2]/Jn[2], g1[3]/Jn[3] }
  local spin, W = dot(G1, M1)/(1 - dot(G1, g1)), {}
  for i = 1, 3 do W[i] = (M1[i] + spin*g1[i])/Jn[i] end
  local straight = S:simulate{ q = { x = 0, y = 0, R = Q }, v = { R = W }, t = 7, method = "taylor", rtol = 1e-14, atol = 1e-15 }
  local half = dot(M1, W)                                              -- 2 T
  local off, wobble = 0, 0
  for t = 0, 7, 0.5 do
    local at = straight:at(t)
    off, wobble = math.max(off, math.abs(at.y + half*t/size)), math.max(wobble, math.abs(at.x))
  end
  P:agrees("S4", "K_z = 0: the ball advances across K at the constant speed 2 T a/|K|", off, "run against the closed solution; follows from S3")
  local given = { X = 0, Y = 0, M1 = "4/5", M2 = "1/2", M3 = "-3/5", g1 = "3/5", g2 = 0, g3 = "4/5" }
  local wobbled = F:reference{ q = given, t = 7, digits = 25 }
  P:digits("S4", "across K y(7) = -4.7838302791359137141, and along K it wobbles: x(7) = -0.17103510920727454589", { -hm.number(wobbled.q.Y), wobbled.q.X },
    "reference solution of the reduced equations; Y is measured along K x e_z, against y", ("largest |x| on the way: %.4f"):format(wobble))
  local there, by = straight:at(7), reduced(M1, g1, 7):at(7)
  P:agrees("S4", "the ball with its quaternion moves like that", { there.x - by.X, there.y + by.Y, there.y + tonumber(wobbled.q.Y) }, "two runs")
end

-- values, by both ways
local at, by = run:at(10), second:at(10)
local k = { run:at(0, Kx), run:at(0, Ky) }
local length = math.sqrt(k[1]^2 + k[2]^2)
local X, Y = (at.x*k[1] + at.y*k[2])/length, (at.x*k[2] - at.y*k[1])/length
P:digits("run", "x(10) = -10.743282685885128011, y(10) = -6.8364023072455545293, theta(10) = 0.8557041979997210686",
  { exact.q.x, exact.q.y, last(hm.acos(Rzz)) }, "reference solution")
P:agrees("run", "the body with its quaternion and the reduced equations move alike: vertical in the body, path",
  { run:at(10, Rzx) - by.g1, run:at(10, Rzy) - by.g2, run:at(10, Rzz) - by.g3, X - by.X, Y - by.Y }, "two runs")

P:show(S)
P:show(S:equations "hamel")
P:show(function() return run:plot("x", "y", { title = "path of the centre" }) end)
P:show(function() return run:animate{ { "trace", of = { S:symbol "x", S:symbol "y", 0 } } } end)
os.exit(P:finish())
