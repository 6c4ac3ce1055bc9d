-- Two oscillators coupled by the contact form z' = y x': a test problem of integrators for nonholonomic systems, solved here by an elliptic integral.
-- Sources: McLachlan, Perlmutter, J. Nonlinear Sci. 16 (2006) 283-328; Modin, Verdier, arXiv 1212.6618 and Numer. Math. 145 (2020) 405-435; further
-- arXiv 2201.13162, 1810.10926. S1 and the claim of S4 are published; the closed form is derived here.
--
--   hamel scripts/library/contact-oscillator.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, sqrt = hm.sin, hm.cos, hm.sqrt

local P = hm.paper{ title = "Nonholonomically coupled oscillators (McLachlan and Perlmutter 2006; Modin and Verdier 2020)", tolerance = 1e-13 }

-- tau is a clock that runs at 1/sqrt(1 + y^2); it has a reaction of its own and does not act on the oscillators
local function oscillators(clock)
  local S = hm.system "contact oscillators"
  local x, y, z = S:coordinates "x y z"
  local T, tau = (x.dot^2 + y.dot^2 + z.dot^2)/2, nil
  if clock then
    tau = S:coordinates "tau"
    T = T + tau.dot^2/2
    S:constraint("clock", tau.dot - 1/sqrt(1 + y^2))
  end
  S:kinetic_energy(T)
  S:potential_energy((x^2 + y^2)/2)
  S:constraint("contact", z.dot - y*x.dot)
  return S, x, y, z, tau
end

local function conserved(S, F)
  local answer, rate = S:is_conserved(F)
  return answer and hm.number(0) or rate
end

-- ---- S1

local S, x, y = oscillators(false)
local second = ((1 + y^2)*x.dot^2 + x^2)/2
P:agrees("S1", "(y'^2 + y^2)/2 and ((1 + y^2) x'^2 + x^2)/2 are integrals", { conserved(S, (y.dot^2 + y^2)/2), conserved(S, second) })
local E = S:equations "maggi"
local accelerations, back = hm.solve({ E[1], E[2] }, { E.rates[1], E.rates[2] }), {}
for _, u in ipairs(E.dyn) do back[u] = -u end
local rates = {}
for i = 1, 2 do rates[i] = accelerations[i] - accelerations[i]:subs(back) end
for _, v in ipairs(E.v) do rates[#rates + 1] = v + v:subs(back) end
P:agrees("S1", "reversible: with the velocities reversed the motion runs back", rates, nil,
  "accelerations are even, rates of the coordinates odd in the velocities")
local M = S:invariant_measure()
P:proves("measure", "dx dy dz dx' dy' with the density sqrt(1 + y^2)", M.proof == true and (M.density - sqrt(1 + y^2)):is_zero() == true,
  "found and proved by S:invariant_measure")

-- ---- S2

local C, X, Y, _, tau = oscillators(true)
local momentum = sqrt(1 + Y^2)*X.dot                                       -- dx/dtau
P:agrees("S2", "in the time tau, dtau = dt/sqrt(1 + y^2), x is harmonic: x cos tau - (dx/dtau) sin tau and x sin tau + (dx/dtau) cos tau are constant",
  { conserved(C, X*cos(tau) - momentum*sin(tau)), conserved(C, X*sin(tau) + momentum*cos(tau)) })

-- Carlson's integral R_F by duplication (Numer. Algorithms 10 (1995) 13-26)
local function carlson(a, b, c)
  local mean, spread
  repeat
    local lambda = math.sqrt(a*b) + math.sqrt(b*c) + math.sqrt(c*a)
    a, b, c = (a + lambda)/4, (b + lambda)/4, (c + lambda)/4
    mean = (a + b + c)/3
    spread = math.max(math.abs(a - mean), math.abs(b - mean), math.abs(c - mean))/mean
  until spread < 1e-4
  local u, v = 1 - a/mean, 1 - b/mean
  local w = -u - v
  local e2, e3 = u*v - w^2, u*v*w
  return (1 - e2/10 + e3/14 + e2^2/24 - 3*e2*e3/44)/math.sqrt(mean)
end
local function arithmetic_geometric_mean(a, b)
  while math.abs(a - b) > 1e-15*a do a, b = (a + b)/2, math.sqrt(a*b) end
  return (a + b)/2
end
-- F(t | -Y^2) = integral of dt/sqrt(1 + Y^2 sin^2 t)
local function elliptic(t, amplitude)
  local turns = math.floor(t/math.pi + 0.5)
  local rest = t - turns*math.pi
  local s = math.sin(rest)
  return turns*math.pi/arithmetic_geometric_mean(1, math.sqrt(1 + amplitude^2)) + s*carlson(math.cos(rest)^2, 1 + (amplitude*s)^2, 1)
end
local function closed(t)
  local clock = elliptic(t, 2)
  return math.cos(clock) + math.sin(clock)/2, clock
end
local start = { q = { x = 1, y = 0, z = 0, tau = 0 }, v = { x = "1/2", y = 2 }, t = 20, rtol = 1e-14, atol = 1e-15, method = "taylor" }
local run, worst = C:simulate(start), 0
for t = 0, 20, 0.25 do
  local s, at, clock = run:at(t), closed(t)
  worst = math.max(worst, math.abs(s.x - at), math.abs(s.tau - clock), math.abs(s.y - 2*math.sin(t)))
end
P:agrees("S2", "x = x0 cos tau + x0' sqrt(1 + y0^2) sin tau, y = Y sin t, tau = F(t | -Y^2), elliptic integral of the first kind", worst,
  "run to t = 20 against the closed form, F by Carlson's duplication")
local reference = C:reference{ q = start.q, v = start.v, t = 20, digits = 24 }.q
P:digits("S2", "x(20) = 1.1124847678211519303, z(20) = -0.45294216613698854119, tau(20) = 12.930343899909700381",
  { reference.x, reference.z, reference.tau }, "reference solution")

-- ---- S3

local rate = 1/arithmetic_geometric_mean(1, math.sqrt(5))
local quarter = hm.number(C:reference{ q = start.q, v = start.v, t = hm.pi/2, digits = 24 }.q.tau)
P:digits("S3", "tau(t)/t -> 2 K(-Y^2)/pi = 0.6426376817731244726376 for Y = 2", { quarter/(hm.pi/2) },
  "reference solution: the clock over a quarter of the period of y")
P:agrees("S3", "2 K(-Y^2)/pi = 1/agm(1, sqrt(1 + Y^2))", quarter:eval()/(math.pi/2) - rate, "arithmetic-geometric mean against the clock")

-- ---- S4

for _, row in ipairs{ { "dla", -1.9e-3, 0.05e-3 }, { "gauss4", -5e-7, 0.5e-7 }, { "rk4", -1.2e-4, 0.05e-4 } } do
  local fixed = S:simulate{ q = { x = 1, y = 0, z = 0 }, v = { x = 0.5, y = 2 }, t = 1000, method = row[1], step = 0.1,
    record = "ends", dense = false, progress = false }
  local change = fixed:at(1000, second) - second:eval{ [x] = 1, [x.dot] = 0.5, [y] = 0 }
  P:holds("S4", ("%s with steps of 0.1 to t = 1000 moves the second integral by %.2g"):format(row[1], row[2]),
    { math.abs(change - row[2]), "<", row[3] }, ("%.4g here, the printed digits"):format(change))
end
P:not_checked("S4", "dla owes its good behaviour to reversibility, and loses it on perturbed problems that are not reversible",
  "a check needs the perturbed problems of the source, which were not at hand")

P:show(S)
P:show(S:equations())
P:show(function() return run:plot("x", "y") end)
local place = { X, Y, C:symbol "z" }
P:show(function() return run:animate{ { "bar", from = { X, Y, 0 }, to = place }, { "trace", of = place } } end)
P:save(run, "contact_oscillator", { n = 1001 })

os.exit(P:finish())
