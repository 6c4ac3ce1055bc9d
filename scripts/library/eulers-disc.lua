-- Euler's disc: a disc that rolls on its edge and settles. Steady motions with the centre at rest, the exponents of the last seconds for four
-- laws of dissipation, and a run with a viscous couple against the pivoting.
-- Sources: Moffatt, Nature 404 (2000) 833-834, (1), (2), as quoted in secondary texts; Kilty (2000), reply to it; Bildsten, Phys. Rev. E 66 (2002)
-- 056309; Le Saux, Leine, Glocker, J. Nonlinear Sci. 15 (2005) 27-61. S3 is derived here.
--
--   hamel scripts/library/eulers-disc.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local P = hm.paper{ title = "Euler's disc: laws of the last seconds (Moffatt 2000; Bildsten 2002; Le Saux, Leine and Glocker 2005)", tolerance = 1e-13 }

-- theta: angle of the plane of the disc with the table, that of its axis with the vertical; psi: pivoting, phi: turning about the axis
local function declare(resist)
  local S = hm.system "Euler's disc"
  local x, y, psi, theta, phi = S:coordinates "x y psi theta phi"
  local m, a, g, A, C = S:positive "m=1 a=1 g=1 A=1/4 C=1/2"
  local p, r = psi.dot*sin(theta), phi.dot + psi.dot*cos(theta)
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2 + a^2*cos(theta)^2*theta.dot^2) + A/2*(theta.dot^2 + p^2) + C/2*r^2)
  S:potential_energy(m*g*a*sin(theta))
  S:constraint("roll x", x.dot - a*(theta.dot*sin(theta)*sin(psi) - r*cos(psi)))
  S:constraint("roll y", y.dot + a*(theta.dot*sin(theta)*cos(psi) + r*sin(psi)))
  resist(S, psi, theta)
  return S, x, y, psi, theta, phi, m, a, g, A, C
end
local c
local S, x, y, psi, theta, phi, m, a, g, A, C = declare(function(system, turn)
  c = system:parameters "c=1/4096"
  system:dissipation(c/2*turn.dot^2)
end)

-- The same typed as a body: the rolling by the shape alone
do
  local B = hm.system "disc as a body"
  local N = B:frame "N"
  local X, Y, Z, Psi, Theta, Phi = B:coordinates "x y z psi theta phi"
  local M, R, G, J, K, f = B:positive "m=1 a=1 g=1 A=1/4 C=1/2 c=1/4096"
  local centre = B:point(X*N.x + Y*N.y + Z*N.z)
  local disc = B:body("disc", { at = centre, frame = N:rotate("z", Psi):rotate("x", Theta):rotate("z", Phi), mass = M, inertia = {J, J, K},
    shape = {"disc", radius = R} })
  B:rolls("roll", disc, N:plane())
  B:gravity(-G*N.z)
  B:dissipation(f/2*Psi.dot^2)
  local state = { q = { x = 0, y = 0, psi = 0.3, theta = 0.7, phi = 0.2 }, v = { psi = 1.1, theta = -0.4, phi = 0.9 } }
  local worst = 0
  for _, given in ipairs{ {}, { m = 1.3, a = 0.7, g = 2.1, A = 0.5, C = 0.9, c = 0.1 } } do          -- other sizes show slips that hide in factors 1
    state.parameters, state.q.z = given, nil
    local one = S:accelerations(state)
    state.q.z = (given.a or 1)*math.sin(0.7)
    local two = B:accelerations(state)
    for name, value in pairs(one.a) do worst = math.max(worst, math.abs(value - two.a[name])) end
  end
  P:agrees("system", "energy and rolling as typed are those of a body with the shape of a disc", worst, "accelerations at a state, for two sets of parameters")
end

-- ---- S1: exact at every inclination

local E = S:equations("chaplygin", { dependent = { "x", "y" } })
local rest = { [x.ddot] = 0, [y.ddot] = 0, [psi.ddot] = 0, [theta.ddot] = 0, [phi.ddot] = 0, [x.dot] = 0, [y.dot] = 0, [theta.dot] = 0,
  [c] = 0, [A] = m*a^2/4, [C] = m*a^2/2 }
local pivoting = hm.sqrt(4*g/(a*sin(theta)))
local function steady(e) return e:subs{ [phi.dot] = -psi.dot*cos(theta) }:subs(rest):subs{ [psi.dot] = pivoting } end
local residuals = {}
for i = 1, 3 do residuals[i] = steady(E[i]) end
P:agrees("S1", "centre at rest: Omega^2 sin theta = 4 g/a (Moffatt (1), there for small theta)", residuals, nil,
  "steady for every theta, with x' = y' = 0 and r = 0")
P:agrees("S1", "E = (3/2) m g a sin theta", steady(S:kinetic_energy() + S:potential_energy()) - 3*m*g*a*sin(theta)/2)

-- ---- S2: the power of each law; then E' = -power with E = (3/2) m g a theta and Omega^2 = 4 g/(a theta)

local omega, small, mu, nu, kappa, base = hm.positive "Omega theta mu nu kappa base"      -- base = kappa (t0 - t)/n
local layer = hm.sqrt(nu/omega)                                                           -- its thickness
local laws = {
  -- rate of shear squared, times the volume of the gap a theta below the disc
  { "viscous air between the surfaces (Moffatt (2)): 1/3", hm.rational(1, 3), mu*(omega*a/(a*small))^2*a^2*(a*small) },
  { "boundary layers (Bildsten): 4/9", hm.rational(4, 9), mu*(omega*a/layer)^2*a^2*layer },
  -- a constant force, or one proportional to the speed, at the contact, which runs along the edge at Omega a
  { "dry friction along the contact (Kilty): 2/3", hm.rational(2, 3), mu*m*g*(omega*a) },
  { "viscous friction along the contact: 1/2", hm.rational(1, 2), mu*(omega*a)^2 },
}
-- From the steady motion at theta0 down to theta0/8 under a couple about the vertical of the law's power. With theta^(1/n) = const (t0 - t) the times from
-- theta0/2 to theta0/4 and from there to theta0/8 have the ratio 2^(1/n)
local function settle(power, first, seconds)
  local strength
  local D, _, _, _, tilt = declare(function(system, turn, inclination)
    strength = system:parameters "strength=1"
    local law = power:subs{ [mu] = strength, [nu] = 1, [m] = 1, [a] = 1, [g] = 1, [omega] = turn.dot, [small] = inclination }
    system:force(turn, -law/turn.dot)
  end)
  local spin = 2/math.sqrt(math.sin(first))
  local here = power:subs{ [nu] = 1, [m] = 1, [a] = 1, [g] = 1, [omega] = spin, [small] = first, [mu] = 1 }:eval()
  local events = {}
  for i, part in ipairs{ 2, 4, 8 } do events[i] = { name = "theta0/" .. part, when = tilt - first/part, terminal = part == 8 } end
  local run = D:simulate{ form = "maggi", q = { x = 0, y = 0, psi = 0, theta = first, phi = 0 },
    v = { psi = spin, theta = 0, phi = -spin*math.cos(first) }, parameters = { strength = 1.5*first/(here*seconds) },
    t = 2*seconds, rtol = 1e-11, atol = 1e-12, events = events }
  local t = {}
  for i, event in ipairs(run.events) do t[i] = event.t end
  return math.log(2)/math.log((t[2] - t[1])/(t[3] - t[2])), run, D, 1.5*first/(here*seconds)
end
for _, law in ipairs(laws) do
  local what, n, power = law[1], law[2], law[3]
  local fall = power:subs{ [omega] = hm.sqrt(4*g/(a*small)) }/(hm.rational(3, 2)*m*g*a)   -- -theta'
  local s = (-small*fall:diff(small)/fall):simplify()
  P:agrees("S2", "theta' = -kappa theta^-s gives theta ~ (t0 - t)^(1/(1 + s)), " .. what, {
    n - 1/(1 + s), (fall*small^s):diff(small), (base^n):diff(base)*kappa/n - kappa*(base^n)^(-s) }, nil,
    ("power %s, s = %s"):format(tostring(power:simplify()), tostring(s)))
  local found = settle(power, 1/16, 800)
  local off = math.abs(found/n:eval() - 1)
  P:holds("S2", "the same exponent from a run of the disc, to 0.2 %: " .. what, { off, "<", 0.002 },
    ("times between theta0/2, theta0/4 and theta0/8 from theta0 = 1/16 give %.5f, relative error"):format(found))
end

-- ---- S3: the run of the library, by a second way: moments about the contact in axes that turn with the line of nodes

local start = { form = "maggi", q = { x = 0, y = 0, psi = 0, theta = "1/4", phi = 0 }, v = { psi = 4, theta = 0, phi = "-31/8" }, t = 10 }
local function run_of(given, t)
  local o = { t = t, rtol = 1e-13, atol = 1e-14 }
  for name, value in pairs(given) do o[name] = o[name] or value end
  return S:simulate(o)
end

-- First-order equations as constraints: states theta, u = theta', p, r and the angles; m = a = g = 1
local function reduced(t)
  local V = hm.system "moments about the contact"
  local q = { V:coordinates "theta u p r psi phi" }
  local th, u, p1, r1 = q[1], q[2], q[3], q[4]
  local cot, damping, T = cos(th)/sin(th), hm.number(1)/4096, 0
  local rates = {
    u, (p1^2*cot/4 - 3*p1*r1/2 - cos(th))/(1 + hm.number(1)/4),
    4*(u*r1/2 - u*p1*cot/4 - damping*p1/sin(th)^2), u*p1/(1 + hm.number(1)/2),
    p1/sin(th), r1 - p1*cot }
  for i, s in ipairs(q) do
    T = T + s.dot^2/2
    V:constraint("rate " .. i, s.dot - rates[i])
  end
  V:kinetic_energy(T)
  local quarter = hm.number(1)/4
  return V:simulate{ q = { theta = quarter, u = 0, p = 4*sin(quarter), r = 4*cos(quarter) - hm.rational(31, 8), psi = 0, phi = 0 }, t = t,
    rtol = 1e-13, atol = 1e-14 }
end

local run, other, worst = run_of(start, 10), reduced(10), 0
for t = 0.25, 10, 0.25 do
  for _, name in ipairs{ "theta", "psi", "phi" } do worst = math.max(worst, math.abs(run:at(t)[name]/other:at(t)[name] - 1)) end
end
P:agrees("S3", "theta, psi, phi up to t = 10", worst, "run of Maggi's equations against a run of the balance of moments about the contact, relative")
local reference = S:reference(start)
P:digits("S3", "theta(10) = 0.22355558000119453403, psi(10) = 41.1035001959187907, phi(10) = -40.046435592959875452",
  { reference.q.theta, reference.q.psi, reference.q.phi }, "reference solution")

-- with sin theta in place of theta the law holds at every inclination: (3/2) m g a (sin theta)' = -c Omega^2
local adiabatic = math.sqrt(0.25^2 - 16*10/4096/3)
P:holds("S3", "viscous pivoting: theta^2 = theta0^2 - 16 c t/(3 m a^2), to 0.6 % from a start that is not steady",
  { math.abs(tonumber(reference.q.theta)/adiabatic - 1), "<", 0.006 },
  ("%.5f against %.5f at t = 10, relative difference"):format(tonumber(reference.q.theta), adiabatic))
local function straight(first)
  local _, settling, _, damping = settle(laws[4][3], first, 96)
  local off, last = 0, settling.events[3].t
  for i = 0, 99 do
    local t = last*i/100
    off = math.max(off, math.abs((settling:at(t).theta/first)^2 - 1 + 16*t*damping/(3*first^2)))
  end
  return off, settling
end
local wide, settling = straight(1/4)
local narrow = straight(1/16)
P:holds("S3", "the same law from the steady motion at theta0 down to theta0/8; the disc gains r = (2/3) times the integral of p d theta",
  { { wide, "<", 0.025 }, { narrow, "<", 0.004 } }, "largest difference of theta^2/theta0^2 for theta0 = 1/4 and 1/16")
P:show(S)
P:show(E)
P:show(function() return settling:plot("t", "theta") end)
local drawn = { { "disc", at = { x, y, a*sin(theta) }, spin = phi, radius = a,
  axis = { sin(theta)*sin(psi), -sin(theta)*cos(psi), cos(theta) } }, { "plane" } }
P:show(function() return settling:animate(drawn) end)
P:save(settling, "eulers_disc", { n = 2001 })

os.exit(P:finish())
