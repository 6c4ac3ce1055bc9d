-- The Veselova system: a body about a fixed point that may not turn about a line fixed in space.
-- Sources: Veselov, Veselova, Math. Notes 44 (1988) 810-819; Fedorov, Jovanovic, J. Nonlinear Sci. 14 (2004) 341-381; Bolsinov, Borisov, Mamaev,
-- arXiv 1405.5843. S1 and S2 are theirs; S3 and S4 are derived here.
-- w is the angular velocity and gamma the vertical, both in body axes; I = diag(1, 3/2, 2); (w, gamma) = 0.
--
--   hamel scripts/library/veselova.lua      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, sqrt = hm.sin, hm.cos, hm.sqrt

local P = hm.paper{ title = "Veselov, Veselova 1988: a body that may not turn about the vertical", tolerance = 1e-13 }
local function proved(answer) return answer == true and hm.number(0) or math.huge end

local S = hm.system "Veselova system"
local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
local A, B, C = S:positive "A=1 B=3/2 C=2"
local body = S:body("body", { frame = R, inertia = {A, B, C} })
S:constraint("no turning about the vertical", R:angular_velocity():dot(N.z))
local K, T = body:angular_momentum(S.origin), S:kinetic_energy()
local Kx, Ky, Kz = K:components(N)
local Rzx, Rzy, Rzz = N.z:components(R)

P:definition("system", "I w' = I w x w + lambda gamma, gamma' = gamma x w; 10 s from psi = 0, theta = 1, phi = 3/8, theta' = 7/8, phi' = 9/8")

-- The field written by hand, on and off (w, gamma) = 0: lambda = -(gamma, I^-1 (I w x w))/(gamma, I^-1 gamma)
local F = hm.system "reduced equations"
local w, g, I = { F:coordinates "w1 w2 w3" }, { F:coordinates "g1 g2 g3" }, { hm.number(1), hm.rational(3, 2), hm.number(2) }
local function dot(u, v) return u[1]*v[1] + u[2]*v[2] + u[3]*v[3] end
local function cross(u, v) return { u[2]*v[3] - u[3]*v[2], u[3]*v[1] - u[1]*v[3], u[1]*v[2] - u[2]*v[1] } end
local function over(u) return { u[1]/I[1], u[2]/I[2], u[3]/I[3] } end
local torque, bracket = cross({ I[1]*w[1], I[2]*w[2], I[3]*w[3] }, w), dot(g, over(g))
local lambda = -dot(g, over(torque))/bracket
local turn, energy = cross(g, w), hm.number(0)
local spin = over{ torque[1] + lambda*g[1], torque[2] + lambda*g[2], torque[3] + lambda*g[3] }
for i = 1, 3 do
  energy = energy + w[i].dot^2/2 + g[i].dot^2/2
  F:constraint("w" .. i, w[i].dot - spin[i]); F:constraint("g" .. i, g[i].dot - turn[i])
end
local th = F:coordinates "th"
F:constraint("th", th.dot - (w[1]*g[2] - w[2]*g[1])/sqrt(g[1]^2 + g[2]^2))
F:kinetic_energy(energy + th.dot^2/2)

-- S1
local function divergence(rho)
  local sum = hm.number(0)
  for i = 1, 3 do sum = sum + (rho*spin[i]):diff(w[i]) + (rho*turn[i]):diff(g[i]) end
  return sum
end
P:agrees("S1", "(gamma, I^-1 gamma)^(1/2) dw dgamma is an invariant measure, also where (w, gamma) is not 0", divergence(sqrt(bracket)))
local others = {}
for _, power in ipairs{ hm.number(0), hm.number(1), hm.rational(-1, 2) } do others[#others + 1] = divergence(bracket^power):is_zero() == false end
P:proves("S1", "the powers 0, 1, -1/2 of the same bracket are no densities of an invariant measure", others[1] and others[2] and others[3],
  "Liouville's equation by exact algebra")
local measure = S:invariant_measure()
-- (w, gamma) = 0 leaves p and q: dw = dp dq d(w, gamma)/Rzz
P:agrees("S1", "on the constraint the search finds the same measure in p and q, for all moments of inertia",
  { proved(measure.proof), ((measure.density*Rzz)^2 - (B*C*Rzx^2 + A*C*Rzy^2 + A*B*Rzz^2)):subs{ [Rzx] = sqrt(1 - Rzy^2 - Rzz^2) } })

-- S2, S3, S4
P:proves("S2", "(I w, w) is constant", S:is_conserved(T) == true,
  "its rate of change by exact algebra")
P:proves("S2", "(I w, I w) - (I w, gamma)^2 is constant", S:is_conserved(K:dot(K) - Kz^2) == true,
  "its rate of change by exact algebra")
P:agrees("S3", "the two horizontal components of I w in space are constant", { proved(S:is_conserved(Kx)), proved(S:is_conserved(Ky)) })
P:proves("S4", "the vertical component of I w is not", S:is_conserved(Kz) == false,
  "its rate of change by exact algebra")

-- the run, and the reduced equations beside it
local theta, phi, dtheta, dphi = hm.number(1), hm.rational(3, 8), hm.rational(7, 8), hm.rational(9, 8)
local dpsi = -dphi*cos(theta)
local w0 = { dtheta*cos(phi) + dpsi*sin(theta)*sin(phi), -dtheta*sin(phi) + dpsi*sin(theta)*cos(phi), dphi + dpsi*cos(theta) }
local g0 = { sin(theta)*sin(phi), sin(theta)*cos(phi), cos(theta) }
local tight = { t = 10, method = "taylor", rtol = 1e-14, atol = 1e-15 }
local function start(q, v) return { q = q, v = v, t = tight.t, method = tight.method, rtol = tight.rtol, atol = tight.atol } end
local run = S:simulate(start({ R = {"zxz", 0, theta, phi} }, { R = w0 }))
local second = F:simulate(start{ w1 = w0[1], w2 = w0[2], w3 = w0[3], g1 = g0[1], g2 = g0[2], g3 = g0[3], th = theta })
assert(run.status == "OK" and second.status == "OK")
local _, _, Rxz = N.x:components(R)
local _, _, Ryz = N.y:components(R)
local point = { q = { R = {"zxz", 0, theta, phi} }, v = { R = w0 }, times = { 0, 10 }, digits = 25 }
local exact = S:reference(point)
local first, last = P:exactly(S, exact[1]), P:exactly(S, exact[2])
-- the angle with the sine e and the cosine f, between 0 and 2 pi
local function angle(e, f)
  local a = last(hm.atan2(e, f))
  return a:eval() < 0 and a + 2*hm.pi or a
end
P:digits("S4", "K_z(0) = 0.1185972181723, K_z(10) = -0.22478726292322", { first(Kz), last(Kz) }, "reference solution")
P:digits("run", "theta(10) = 2.4043030515946731991, phi(10) = 5.7561032661612633625, psi(10) = 0.034218434950413442602 (mod 2 pi)",
  { last(hm.acos(Rzz)), angle(Rzx, Rzy), angle(Rxz, -Ryz) }, "reference solution")
P:digits("S2", "(M, M) - (M, gamma)^2 = 4.3442112317886474399, 2 T = 2.6134700984711253244", { last(K:dot(K) - Kz^2), last(2*T) },
  "reference solution at t = 10")
P:agrees("S2", "the same along the run", { run:at(5, K:dot(K) - Kz^2) - last(K:dot(K) - Kz^2):eval(), run:at(10, 2*T) - last(2*T):eval() },
  "run against the reference solution")
local apart = F:reference{ q = { w1 = w0[1], w2 = w0[2], w3 = w0[3], g1 = g0[1], g2 = g0[2], g3 = g0[3], th = theta }, t = 10, digits = 25 }
P:digits("run", "theta(10) = 2.4043030515946731991", { apart.q.th }, "reference solution of the reduced equations")
local at, off = second:at(10), {}
for i, e in ipairs{ Rzx, Rzy, Rzz } do off[i] = run:at(10, e) - at["g" .. i] end
for i, e in ipairs{ R:rates() } do off[3 + i] = run:at(10, e) - at["w" .. i] end
P:agrees("run", "the body with its quaternion and the reduced equations move alike", off, "two runs")

P:show(S)
P:show(S:equations "hamel")
P:show(function() return run:plot(Rzx, Rzy, { title = "the vertical in the body" }) end)
P:show(function() return run:animate{} end)
os.exit(P:finish())
