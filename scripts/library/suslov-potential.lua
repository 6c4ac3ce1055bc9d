-- Suslov's problem in a field of force: a body about a fixed point that may not turn about one of its own axes, in two integrable fields.
-- Sources: Kharlamova-Zabelina, Vestnik MGU (1957) (a linear potential); Okuneva (1986); Kozlov, Symmetries, Topology and Resonances (1996); Hu,
-- Santoprete, arXiv 1708.08429 (the potential of Klebsh and Tisserand). S1 and S2 are theirs; S3 and S4 are derived here.
-- w is the angular velocity and gamma the vertical, both in body axes; w3 = 0.
--
--   hamel scripts/library/suslov-potential.lua      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, sqrt = hm.sin, hm.cos, hm.sqrt

local P = hm.paper{ title = "Suslov's problem in the fields of Kharlamova (1957) and of Klebsh and Tisserand", tolerance = 1e-13 }

-- ---- the body with any of the potentials: V(system, gamma) declares the parameters of the potential and returns it

local function suslov(name, V)
  local S = hm.system(name)
  local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
  local I1, I2, I3 = S:positive "I1=1 I2=2 I3=3"
  S:body("body", { frame = R, inertia = {I1, I2, I3} })
  local g = { N.z:components(R) }
  S:potential_energy(V(S, g))
  S:constraint("no turning about the third axis", R:angular_velocity():dot(R.z))
  local p, q = R:rates()
  return S, g, p, q, I1, I2
end

-- The same by hand: I1 w1' = gamma2 V_3 - gamma3 V_2, I2 w2' = gamma3 V_1 - gamma1 V_3, gamma' = gamma x w
local function reduced(V)
  local F = hm.system "reduced equations"
  local w1, w2, a, b, c = F:coordinates "w1 w2 g1 g2 g3"
  local th, ph = F:coordinates "th ph"
  local V1, V2, V3 = V(a, b, c)
  F:kinetic_energy((w1.dot^2 + w2.dot^2 + a.dot^2 + b.dot^2 + c.dot^2 + th.dot^2 + ph.dot^2)/2)
  F:constraint("w1", w1.dot - (b*V3 - c*V2)); F:constraint("w2", 2*w2.dot - (c*V1 - a*V3))
  F:constraint("g1", a.dot + c*w2); F:constraint("g2", b.dot - c*w1); F:constraint("g3", c.dot - a*w2 + b*w1)
  F:constraint("th", th.dot - (w1*b - w2*a)/sqrt(a^2 + b^2)); F:constraint("ph", ph.dot + (w1*a + w2*b)*c/(a^2 + b^2))
  return F
end

-- psi = 0, theta = 1, phi = 3/8, psi' = 9/8, theta' = 7/8, phi' = -psi' cos(theta), Euler angles z-x-z
local theta, phi, dpsi, dtheta = hm.number(1), hm.rational(3, 8), hm.rational(9, 8), hm.rational(7, 8)
local w0 = { dtheta*cos(phi) + dpsi*sin(theta)*sin(phi), -dtheta*sin(phi) + dpsi*sin(theta)*cos(phi), 0 }
local function tight(q, v) return { q = q, v = v, t = 5, method = "taylor", rtol = 1e-14, atol = 1e-15 } end
local function runs(S, F)
  local run = S:simulate(tight({ R = {"zxz", 0, theta, phi} }, { R = w0 }))
  local second = F:simulate(tight{ w1 = w0[1], w2 = w0[2], g1 = sin(theta)*sin(phi), g2 = sin(theta)*cos(phi), g3 = cos(theta), th = theta, ph = phi })
  assert(run.status == "OK" and second.status == "OK")
  return run, second
end
-- What is asked after 5 s to 25 digits, by the body and by the reduced equations
local function reference(S, F)
  local body = S:reference{ q = { R = {"zxz", 0, theta, phi} }, v = { R = w0 }, t = 5, digits = 25 }
  local q = { w1 = w0[1], w2 = w0[2], g1 = sin(theta)*sin(phi), g2 = sin(theta)*cos(phi), g3 = cos(theta), th = theta, ph = phi }
  return P:exactly(S, body), F:reference{ q = q, t = 5, digits = 25 }.q
end
local function apart(run, second, e)
  local off, at = {}, second:at(5)
  for i, name in ipairs{ "w1", "w2", "g1", "g2", "g3" } do off[i] = run:at(5, e[i]) - at[name] end
  return off
end

P:definition("system", "I = diag(1, 2, 3), w3 = 0; 5 s from psi = 0, theta = 1, phi = 3/8, psi' = 9/8, theta' = 7/8")

-- ---- Kharlamova: V = b1 gamma1 + b2 gamma2

do
  local b1, b2
  local S, g, p, q, I1, I2 = suslov("Kharlamova's case", function(S, g)
    b1, b2 = S:parameters "b1=1/2 b2=1"
    return b1*g[1] + b2*g[2]
  end)
  local I = I1*b1*p + I2*b2*q
  P:proves("S1", "V = b1 gamma1 + b2 gamma2: I1 b1 w1 + I2 b2 w2 is constant, for all moments and all b1, b2", S:is_conserved(I) == true,
    "its rate of change by exact algebra")
  local b
  local tilted, G, u, v, J1, J2 = suslov("tilted field", function(T, n)
    b = { T:parameters "b1=1/2 b2=1 b3=1/3" }
    return b[1]*n[1] + b[2]*n[2] + b[3]*n[3]
  end)
  local _, rate = tilted:is_conserved(J1*b[1]*u + J2*b[2]*v)
  P:agrees("S1", "a third term b3 gamma3 destroys it: the rate is b3 (b1 gamma2 - b2 gamma1)", rate - b[3]*(b[1]*G[2] - b[2]*G[1]), nil,
    "its rate of change by exact algebra")
  local F = reduced(function() return hm.rational(1, 2), hm.number(1), hm.number(0) end)
  local run, second = runs(S, F)
  local last, by_hand = reference(S, F)
  local values = "b1 = 1/2, b2 = 1: theta(5) = 1.6124210019931395095, phi(5) = 0.20310435179395285053"
  P:digits("run", values, { last(hm.acos(g[3])), last(hm.atan2(g[1], g[2])) }, "reference solution of the body")
  P:digits("run", values, { by_hand.th, by_hand.ph }, "reference solution of the reduced equations")
  P:digits("S1", "I1 b1 w1 + I2 b2 w2 = 1.7012261143840642416", { last(I) }, "reference solution at t = 5")
  P:agrees("S1", "the same along the run", { run:at(2, I) - last(I):eval(), run:at(5, I) - last(I):eval() }, "run against the reference solution")
  P:agrees("run", "the body with its quaternion and the reduced equations move alike", apart(run, second, { p, q, g[1], g[2], g[3] }), "two runs")
end

-- ---- Klebsh and Tisserand: V = sum c_i gamma_i^2/2

do
  local c1, c2, c3
  local S, g, p, q, I1, I2 = suslov("Klebsh and Tisserand's case", function(S, n)
    c1, c2, c3 = S:parameters "c1=1/2 c2=1 c3=3/2"
    return (c1*n[1]^2 + c2*n[2]^2 + c3*n[3]^2)/2
  end)
  local F1, F2 = I1*p^2 + (c2 - c3)*g[2]^2, I2*q^2 + (c1 - c3)*g[1]^2
  P:proves("S2", "V = (c1 gamma1^2 + c2 gamma2^2 + c3 gamma3^2)/2: F1 = I1 w1^2 + (c2 - c3) gamma2^2 is constant", S:is_conserved(F1) == true,
    "its rate of change by exact algebra")
  P:proves("S2", "F2 = I2 w2^2 + (c1 - c3) gamma1^2 is constant", S:is_conserved(F2) == true,
    "its rate of change by exact algebra")
  -- rates on the constraint
  local function rate(e) return select(2, S:is_conserved(e)) end
  P:agrees("S3", "in the time dtau = gamma3 dt (w1, gamma2) and (w2, gamma1) obey linear equations with constant coefficients",
    { I1*rate(p) - (c3 - c2)*g[2]*g[3], rate(g[2]) - p*g[3], I2*rate(q) - (c1 - c3)*g[1]*g[3], rate(g[1]) + q*g[3] }, nil,
    "I1 w1' = (c3 - c2) gamma2 gamma3, gamma2' = w1 gamma3, I2 w2' = (c1 - c3) gamma1 gamma3, gamma1' = -w2 gamma3",
    "exponents +-sqrt((c3 - c2)/I1), +-sqrt((c3 - c1)/I2): hyperbolic for c3 the largest, harmonic for c3 the smallest of the three")
  local energy = (I1*p^2 + I2*q^2 + c1*g[1]^2 + c2*g[2]^2 + c3*g[3]^2)/2
  P:agrees("S4", "energy = (F1 + F2 + c3)/2", (energy - (F1 + F2 + c3)/2):subs{ [g[3]] = sqrt(1 - g[1]^2 - g[2]^2) }, nil,
    "so F1 and F2 are the energy and one integral more, not two more")

  local F = reduced(function(a, b, c) return a/2, b, 3*c/2 end)
  local run, second = runs(S, F)
  local last, by_hand = reference(S, F)
  local values = "c = (1/2, 1, 3/2): theta(5) = 1.3983226351725311817, phi(5) = 0.23267817771907269956"
  P:digits("run", values, { last(hm.acos(g[3])), last(hm.atan2(g[1], g[2])) }, "reference solution of the body")
  P:digits("run", values, { by_hand.th, by_hand.ph }, "reference solution of the reduced equations")
  P:digits("S2", "F1 = 1.0412127312018687469, F2 = 0.53306195932766839618", { last(F1), last(F2) }, "reference solution at t = 5")
  P:agrees("S2", "the same along the run", { run:at(2, F1) - last(F1):eval(), run:at(5, F2) - last(F2):eval() }, "run against the reference solution")
  P:agrees("run", "the body with its quaternion and the reduced equations move alike", apart(run, second, { p, q, g[1], g[2], g[3] }), "two runs")

  -- closed form in tau = integral of gamma3 dt, which the run carries as its own coordinate
  local T = reduced(function(a, b, c) return a/2, b, 3*c/2 end)
  local tau = T:coordinates "tau"
  T:kinetic_energy(tau.dot^2/2 + T:kinetic_energy(), { replace = true })
  T:constraint("tau", tau.dot - T:symbol "g3")
  local timed = T:simulate(tight{ w1 = w0[1], w2 = w0[2], g1 = sin(theta)*sin(phi), g2 = sin(theta)*cos(phi), g3 = cos(theta),
    th = theta, ph = phi, tau = 0 })
  local at, s = timed:at(5), math.sqrt(1/2)
  local start = timed:at(0)
  local e = math.exp(s*at.tau)
  local ch, sh = (e + 1/e)/2, (e - 1/e)/2
  P:agrees("S3", "so gamma2, w1, gamma1, w2 are hyperbolic functions of tau", { at.g2 - (start.g2*ch + start.w1*sh/s), at.w1 - (start.w1*ch + s*start.g2*sh),
    at.g1 - (start.g1*ch - start.w2*sh/s), at.w2 - (start.w2*ch - s*start.g1*sh) }, "run against the closed form, both exponents sqrt(1/2)")
  P:show(S)
  P:show(S:equations "hamel")
  P:show(function() return run:plot(g[1], g[2], { title = "the vertical in the body" }) end)
  P:show(function() return run:animate{} end)
end

os.exit(P:finish())
