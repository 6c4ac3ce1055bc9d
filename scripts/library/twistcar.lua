-- The twistcar: a roller racer whose mass centre lies ahead of the rear axle; which way it goes when the rider swings the front body.
-- Sources: Chakon, Or, J. Nonlinear Sci. 27 (2017), doi 10.1007/s00332-016-9357-y (the reversal of the drive); arXiv 2506.19112 (dissipation,
-- measured runs). S1 to S4 are derived here.
-- u is the speed of the rear axle, theta the heading, phi = eps sin(w t) the angle of the front body, h the lead of the mass centre, D = a cos(phi) + b.
--
--   hamel scripts/library/twistcar.lua      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local P = hm.paper{ title = "Chakon, Or 2017: the twistcar, its net drive and the reversal", tolerance = 1e-13 }

local function car(given)
  local S = hm.system "twistcar"
  local x, y, theta = S:coordinates "x y theta"
  local phi = given or S:coordinates "phi"
  local m, I, K, a, b, h = S:positive "m=1 I=1/2 K=1/4 a=1 b=1/4 h=1/4"
  S:kinetic_energy(m/2*(hm.dt(x + h*cos(theta))^2 + hm.dt(y + h*sin(theta))^2) + I/2*theta.dot^2 + K/2*(theta.dot + hm.dt(phi))^2)
  local fx, fy = hm.dt(x + a*cos(theta) + b*cos(theta + phi)), hm.dt(y + a*sin(theta) + b*sin(theta + phi))
  S:constraint("rear", y.dot*cos(theta) - x.dot*sin(theta))
  S:constraint("front", fy*cos(theta + phi) - fx*sin(theta + phi))
  return S, x.dot*cos(theta) + y.dot*sin(theta), phi
end

P:definition("system", "m = 1, I = 1/2, K = 1/4, a = 1, b = h = 1/4: theta' D = u sin(phi) - b phi'; from rest, phi = eps sin(t)")

-- the equation of the speed, which holds for every phi(t): virtual displacements leave phi alone
local S, u, phi = car()
local m, I, K, a, b, h = S:symbol "m", S:symbol "I", S:symbol "K", S:symbol "a", S:symbol "b", S:symbol "h"
local D = a*cos(phi) + b
S:quasi_velocities("u c", { u, phi.dot })
local E = S:equations "hamel"
local U, c, dU, dc = E.dyn[1], E.dyn[2], E.rates[1], E.rates[2]
local turn = (U*sin(phi) - b*c)/D                                       -- theta'
local bend = turn:diff(U)*dU + turn:diff(c)*dc + turn:diff(phi)*c       -- theta''
local law = D*(dU - h*turn^2)*m + sin(phi)*(m*h*U*turn + (I + m*h^2)*bend + K*(bend + dc))
P:agrees("system", "D (u' - h theta'^2) m + sin(phi) (m h u theta' + (I + m h^2) theta'' + K (theta'' + phi'')) = 0 for every phi(t)", E[1]*D - law)

-- S1
local mass = law:diff(dU)
local rest = law - mass*dU
local factor = rest:diff(U)
P:agrees("S1", "the law is linear in u' and u, the factor of u' is a function of phi, that of u is phi' times one: so u(2 pi n) = n u(2 pi) from rest",
  { mass:diff(U), mass:diff(c), mass:diff(dc), mass:diff(dU), rest:diff(dU), factor:diff(U), factor:diff(dc), factor - c*factor:diff(c),
    factor:diff(c, c) }, nil,
  "with u' = -phi' f(phi) u + r(t) the product u exp(integral of f dphi) grows by the same amount in every period")

-- S2, S4: u is of second order in eps
local leading = m*h*b^2 + K*a - (I + m*h^2)*b
do
  local eps, w, s, co, acceleration, v = hm.symbols "eps w s co acc v" -- s, co: sine and cosine of w t
  local small = law:subs{ [phi] = eps*s, [c] = eps*w*co, [dc] = -eps*w^2*s, [U] = eps^2*v, [dU] = eps^2*acceleration }
  local second = small:series(eps, 2)
  local solved = hm.solve({ second/eps^2 }, { acceleration })[1]
  local mean = (solved:subs{ [s] = 0, [co] = 1 } + solved:subs{ [s] = 1, [co] = 0 })/2
  P:agrees("S2", "mean acceleration = eps^2 w^2/(2 m (a + b)^2) (m h b^2 + K a - (I + m h^2) b) + O(eps^4)",
    { second:diff(v), mean - w^2/(2*m*(a + b)^2)*leading, law - law:subs{ [phi] = -phi, [c] = -c, [dc] = -dc } }, nil,
    "terms of second order in eps; their mean over a period is that of two times a quarter of a period apart",
    "the law is the same for -phi: u is even in eps, so that the next terms are of the fourth order")
  local scaled = law:subs{ [U] = w*v, [dU] = w^2*acceleration, [c] = w*co, [dc] = w^2*s }
  P:agrees("S4", "another frequency w is another time: u, phi' times w and u', phi'' times w^2 leave the law as it is",
    scaled - w^2*law:subs{ [U] = v, [dU] = acceleration, [c] = co, [dc] = s }, nil,
    "so the direction of the net motion depends on geometry and masses only")
end
P:agrees("S3", "the drive reverses at K a = b (I + m h^2 - m h b)", (leading - (K*a - b*(I + m*h^2 - m*h*b))), nil,
  "the reversal is the published claim; here K = 1/8")

-- ---- values: the bodies, and the law in u alone beside them, both to 20 digits

local function gains(eps, inertia, n)
  local times = {}
  for i = 1, n do times[i] = 2*i*hm.pi end
  local R, v = car(eps*sin(hm.t))
  local bodies = R:reference{ q = { x = 0, y = 0, theta = 0 }, v = { x = 0 }, times = times, parameters = { K = inertia }, digits = 28 }
  -- u' (m D + (I + K + m h^2) sin^2 phi/D) = -sin(phi) ((I + K + m h^2) (rest of theta'') + K phi'') - m h b phi' theta'
  local F = hm.system "the law in u"
  local f = F:coordinates "u"
  F:kinetic_energy(f.dot^2/2)
  local quarter, p = hm.rational(1, 4), eps*sin(hm.t)
  local dp, d, sp = eps*cos(hm.t), cos(p) + quarter, sin(p)
  local J = hm.rational(9, 16) + inertia
  local w = (f*sp - dp*quarter)/d
  local others = (f*cos(p)*dp + p*quarter)/d + w*sp*dp/d                -- theta'' less u' sin(phi)/D
  F:constraint("u", f.dot*(d + J*sp^2/d) + sp*(J*others - inertia*p) + dp*w/16)
  local alone, of_bodies, of_law = F:reference{ q = { u = 0 }, times = times, digits = 28 }, {}, {}
  for i = 1, n do of_bodies[i], of_law[i] = P:exactly(R, bodies[i])(v), hm.number(alone[i].q.u) end
  return of_bodies, of_law
end
local K0, K1 = hm.rational(1, 4), hm.rational(1, 8)
local e4, e5, e6 = hm.rational(1, 16), hm.rational(1, 32), hm.rational(1, 64)
local function both(equation, what, one, two)
  P:digits(equation, what, one, "reference solution of the bodies")
  P:digits(equation, what .. ", by the law in u alone", two, "reference solution of the law in u")
end
local bodies, alone = gains(e4, K0, 2)
both("S1", "eps = 1/16: u(2 pi) = 0.00098117444940837570119, u(4 pi) = 0.0019623488988167514024", bodies, alone)
P:agrees("S1", "u(4 pi) = 2 u(2 pi)", { bodies[2]:eval()/bodies[1]:eval() - 2, alone[2]:eval()/alone[1]:eval() - 2 },
  "reference solutions of the bodies and of the law in u, relative")
local function means(eps, inertia)
  local one, two = gains(eps, inertia, 1)
  return one[1]/(2*hm.pi*eps^2), two[1]/(2*hm.pi*eps^2)
end
local a4, b4 = means(e4, K0)
local a5, b5 = means(e5, K0)
local a6, b6 = means(e6, K0)
both("S2", "mean acceleration/eps^2 = 0.039976643496655814124, 0.039994163998024886013, 0.039998541194703697248 at eps = 1/16, 1/32, 1/64",
  { a4, a5, a6 }, { b4, b5, b6 })
local limit = hm.number "0.04"
P:agrees("S2", "the limit is 0.04", (leading/(2*m*(a + b)^2)):subs{ [m] = 1, [I] = hm.rational(1, 2), [K] = K0, [a] = 1, [b] = K0, [h] = K0 } - limit)
P:digits("S2", "the distance from it falls with eps^2: factors = 4.0021, 4.0005 from one eps to the next",
  { (limit - a4)/(limit - a5), (limit - a5)/(limit - a6) }, "quotients of these values")
local r4, s4 = means(e4, K1)
local r5, s5 = means(e5, K1)
both("S3", "K = 1/8: mean acceleration/eps^2 = -0.000019057842142601780352 at eps = 1/16", { r4 }, { s4 })
P:digits("S3", "at eps = 1/32 it is smaller by the factor = 4.0023: the mean is of the order eps^4", { r4/r5 }, "reference solutions of the bodies")
P:digits("S3", "and by the law in u by the factor = 4.0023", { s4/s5 }, "reference solutions of the law in u")

P:show(S)
local R = car(e4*sin(hm.t))
local swung = R:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 0 }, t = 100, rtol = 1e-9 }
P:show(function() return swung:plot("t", "x'", { title = "speed" }) end)
local heading, swing = R:symbol "theta", e4*sin(hm.t)
local rear = { R:symbol "x", R:symbol "y" }
local pivot = { rear[1] + cos(heading), rear[2] + sin(heading) }
local front = { pivot[1] + cos(heading + swing)/4, pivot[2] + sin(heading + swing)/4 }
P:show(function() return swung:animate({ { "bar", from = rear, to = pivot }, { "bar", from = pivot, to = front } }, { view = {0, 90} }) end)
os.exit(P:finish())
