-- Point-mass bicycle: a mass above a frame whose rear contact does not move sideways and whose steering gives the curvature s of its path.
-- Sources: Getz, Marsden, IEEE ICRA (1995) 1397-1402; Limebeer, Sharp, IEEE Control Systems Magazine 26 (2006) 34-61. S3 and S4 are published,
-- S1 and S2 derived here.
--
--   hamel scripts/library/point-mass-bicycle.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local P = hm.paper{ title = "Point-mass bicycle with given steering (Getz and Marsden 1995; Limebeer and Sharp 2006)", tolerance = 1e-13 }

-- x, y: rear contact; psi: heading, to the left; phi: lean, to the right; the mass is b ahead of the contact, at the height h
local function bicycle(name, curvature)
  local S = hm.system(name)
  local N = S:frame "N"
  local x, y, psi, phi = S:coordinates "x y psi phi"
  local m, b, h, g = S:positive "m=1 b=1/2 h=1 g=10"
  local F = N:rotate("z", psi)
  local contact = S:point(x*N.x + y*N.y)
  S:body("mass", { at = contact + b*F.x + h*F:rotate("x", phi).z, mass = m })
  S:gravity(-g*N.z)
  local u, s = contact:velocity():dot(F.x), curvature(S)
  S:constraint("wheel", contact:velocity():dot(F.y))
  S:constraint("steering", psi.dot - s*u)
  S:quasi_velocities("u w", { u, phi.dot })
  return S, { x = x, y = y, psi = psi, phi = phi, m = m, b = b, h = h, g = g, s = s, u = u }
end

-- ---- S1: the reduced Lagrangian as a system of its own, sigma the way of the contact

local S, c = bicycle("bicycle", function(system) return (system:parameters "s=1/4") end)
local K = hm.system "reduced"
local sigma, phi = K:coordinates "sigma phi"
local m, b, h, g = K:positive "m=1 b=1/2 h=1 g=10"
local s = K:parameters "s=1/4"
local u, A = sigma.dot, 1 + s*h*sin(phi)
K:kinetic_energy(m/2*((u*A)^2 + (s*b*u - h*cos(phi)*phi.dot)^2 + h^2*sin(phi)^2*phi.dot^2))
K:potential_energy(m*g*h*cos(phi))
local E, L = S:equations "hamel", K:equations()
local full = hm.solve({ E[1], E[2] }, { E.rates[1], E.rates[2] })
local reduced = hm.solve({ L[1], L[2] }, { sigma.ddot, phi.ddot })
local names = { [phi] = c.phi, [phi.dot] = E.dyn[2], [u] = E.dyn[1] }
P:agrees("S1", "with constant s the reduced Lagrangian gives the motion without extra terms",
  { full[1] - reduced[1]:subs(names), full[2] - reduced[2]:subs(names) }, nil, "Boltzmann-Hamel equations against Lagrange's equations of the reduced T and V")
local momentum = K:kinetic_energy():diff(u):subs{ [u] = c.u, [phi.dot] = c.phi.dot, [phi] = c.phi }
local answer, rate = S:is_conserved(momentum)
P:agrees("S1", "dT/du is an integral", answer and hm.number(0) or rate)
local start = { form = "hamel", q = { x = 0, y = 0, psi = 0, phi = "-3/4" }, v = { u = 5, phi = 0 }, t = "1/2" }
local one = S:reference(start)
local two = K:reference{ q = { sigma = 0, phi = "-3/4" }, v = { sigma = 5, phi = 0 }, t = "1/2" }
P:digits("S1", "phi(1/2) = -1.2051182684363884105, psi(1/2) = 0.64831323941204741034", { one.q.phi, one.q.psi }, "reference solution of the bodies")
P:digits("S1", "phi(1/2) = -1.2051182684363884105, s sigma(1/2) = 0.64831323941204741034", { two.q.phi, hm.number(two.q.sigma)/4 },
  "reference solution of the reduced equations")

-- ---- S2, S3

local still = { [phi.dot] = 0, [phi.ddot] = 0, [sigma.ddot] = 0 }
P:agrees("S2", "steady turn: tan phi = -(s u^2/g)(1 + s h sin phi)",
  { L[1]:subs(still), L[2]:subs(still) + m*g*h*cos(phi)*(sin(phi)/cos(phi) + s*u^2/g*A) }, nil, "the equations at phi' = phi'' = u' = 0")
local steady = S:steady{ form = "hamel", q = { x = 0, y = 0, psi = 0, phi = -0.5 }, v = { u = 5, w = 0 }, keep = { "u" } }
-- a step of Newton from fifteen digits
local lean, found = hm.symbols "lean", hm.number(("%.15f"):format(steady.q.phi))
local condition = hm.tan(lean) + hm.rational(5, 8)*(1 + sin(lean)/4)
P:digits("S2", "at u = 5: phi = -0.50263490727696608871", { found - (condition/condition:diff(lean)):subs{ [lean] = found } },
  "S:steady, and a step of Newton on the condition")
P:agrees("S3", "straight on, s = 0: phi'' = (g/h) sin phi", reduced[2]:subs{ [s] = 0 } - g/h*sin(phi))
local straight = S:linearize{ form = "hamel", q = { x = 0, y = 0, psi = 0, phi = 0 }, v = { u = 5, w = 0 }, parameters = { s = 0 } }
local worst = {}
for i, exponent in ipairs{ math.sqrt(10), -math.sqrt(10) } do
  worst[i] = math.huge
  for _, e in ipairs(straight.eigenvalues) do worst[i] = math.min(worst[i], math.abs(e.re - exponent) + math.abs(e.im)) end
end
P:agrees("S3", "exponents +-sqrt(g/h)", worst, "eigenvalues at u = 5")

-- ---- S4: s = eps (s0 + s1 t), phi = eps f: what is linear in eps

local V, d = bicycle("bicycle that is steered", function(system)
  local eps, s0, s1 = system:parameters "eps=0 s0=0 s1=1"
  return eps*(s0 + s1*hm.t)
end)
local D = V:equations "hamel"
local solved = hm.solve({ D[1], D[2] }, { D.rates[1], D.rates[2] })
local eps, s0, s1, f, f1 = V:symbol "eps", V:symbol "s0", V:symbol "s1", hm.symbols "f f1"
local function first_order(e) return e:subs{ [d.phi] = eps*f, [D.dyn[2]] = eps*f1 }:diff(eps):subs{ [eps] = 0 } end
P:agrees("S4", "steering rate: linearised h phi'' = g phi + u^2 s + b u s', u' = 0", {
  d.h*first_order(solved[2]) - (d.g*f + D.dyn[1]^2*(s0 + s1*hm.t) + d.b*D.dyn[1]*s1), first_order(solved[1]) }, nil,
  "phi to the right, s to the left: turning the bar left leans the mass right first")
local run = V:simulate{ form = "hamel", q = { x = 0, y = 0, psi = 0, phi = 0 }, v = { u = 5, w = 0 }, parameters = { eps = 1e-5 }, t = 0.5,
  rtol = 1e-13, atol = 1e-18 }
-- h phi'' = g phi + 25 t + 5/2 from rest, in units of eps
local l = math.sqrt(10)
local linear = math.exp(l/2)*(0.125 + 1.25/l) + math.exp(-l/2)*(0.125 - 1.25/l) - 2.5*0.5 - 0.25
P.tolerance = 1e-12                                                        -- the values have 12 digits
P:agrees("S4", ("s = 1e-5 t, u = 5, from rest: phi(1/2) = %.12fe-5, by the linear equation %.12fe-5"):format(run:at(0.5).phi*1e5, linear),
  { linear - 0.973228986896, run:at(0.5).phi*1e5 - 0.973228986878 }, "against values with 12 digits; the two differ by what is cubic in eps")
P.tolerance = 1e-13
local first = V:simulate{ form = "hamel", q = { x = 0, y = 0, psi = 0, phi = 0 }, v = { u = 5, w = 0 }, parameters = { eps = 1e-2 }, t = 0.5, rtol = 1e-12 }

P:show(S)
P:show(L)
P:show(function() return first:plot("t", "phi") end)
local top = { c.x + c.b*cos(c.psi) + c.h*sin(c.phi)*sin(c.psi), c.y + c.b*sin(c.psi) - c.h*sin(c.phi)*cos(c.psi), c.h*cos(c.phi) }
local foot = { c.x + c.b*cos(c.psi), c.y + c.b*sin(c.psi), 0 }
local shapes = { { "plane" }, { "bar", from = { c.x, c.y, 0 }, to = foot }, { "bar", from = foot, to = top }, { "trace", of = { c.x, c.y, 0 } } }
P:show(function() return S:simulate{ form = "hamel", q = start.q, v = start.v, t = 0.5 }:animate(shapes, { speed = 0.1 }) end)
P:save(first, "point_mass_bicycle", { n = 501 })

os.exit(P:finish())
