-- A towed wheel that does not slip: shimmy of a castor whose king pin moves sideways on a spring and a damper.
-- Sources: Stepan, Chaotic motion of wheels, Vehicle System Dynamics 20 (1991) 341-351; Goodwine, Stepan, J. Vib. Control 6 (2000) 127-147.
-- S2 is the published condition; the characteristic equation, the two limits with damping and the run are derived here.
--
--   hamel scripts/library/towed-wheel.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local P = hm.paper{ title = "Towed wheel: shimmy without slip (Stepan 1991; Goodwine and Stepan 2000)", tolerance = 1e-12 }

-- The pin is towed along x at V; mass centre b and wheel l behind it
local S = hm.system "towed wheel"
local N = S:frame "N"
local y, theta = S:coordinates "y theta"
local M, m, J, b, l, k = S:positive "M=1 m=2 J=1/2 b=1/4 l=1/2 k=100"
local c, V = S:parameters "c=1 V=1"
local B = N:rotate("z", theta)
local pin = S:point(V*hm.t*N.x + y*N.y)
S:body("pin", { at = pin, mass = M })
S:body("castor", { at = pin - b*B.x, frame = B, mass = m, inertia = {J, J, J} })
S:constraint("wheel", (pin - l*B.x):velocity():dot(B.y))
S:potential_energy(k/2*y^2)
S:dissipation(c/2*y.dot^2)
P:agrees("system", "the wheel does not move sideways: y' cos theta - V sin theta - l theta' = 0",
  S.constraints.wheel.f - (y.dot*cos(theta) - V*sin(theta) - l*theta.dot))

-- ---- S1: the characteristic equation

local p, q = l*(M + m) - m*b, J + m*b^2 - m*b*l
local L = S:linearize{ q = { y = 0, theta = 0 }, v = { y = 0, theta = 0 }, symbolic = true }
local cubic, differences = { k*l*V, k*l^2 + c*l*V, p*V + c*l^2, p*l + q }, {}
for i = 1, 4 do differences[i] = l^2*L.polynomial[i] - cubic[i] end
P:agrees("S1", "(P l + Q) s^3 + (P V + c l^2) s^2 + (k l^2 + c l V) s + k l V = 0 with P = l (M + m) - m b, Q = J + m b^2 - m b l", differences, nil,
  "l^2 times the characteristic polynomial of the straight motion")

local declared = { [M] = 1, [m] = 2, [J] = hm.rational(1, 2), [b] = hm.rational(1, 4), [l] = hm.rational(1, 2), [k] = 100, [c] = 1 }
local function eigenvalues(speed)
  return S:linearize{ q = { y = 0, theta = 0 }, v = { y = 0, theta = 0 }, parameters = { V = speed } }.eigenvalues
end
-- Distance of the nearest eigenvalue
local function off(speed, re, im)
  local best = math.huge
  for _, e in ipairs(eigenvalues(speed)) do best = math.min(best, math.abs(e.re - re) + math.abs(e.im - im)) end
  return best
end
-- The real root of the cubic and the complex one of positive imaginary part
local function roots(speed)
  local list, result = {}, {}
  for i = 1, 4 do list[i] = cubic[i]:subs(declared):subs{ [V] = speed } end
  for _, e in ipairs(eigenvalues(speed)) do
    if e.im >= 0 then result[e.im == 0 and "real" or "complex"] = { P:root(list, e.re, e.im) } end
  end
  return result.real, result.complex
end
for _, row in ipairs{ { 1, "s1 = -1.9020134763891235625, s2 = a + i w with a = 0.23672102390884749553, w = 5.476067334770018095" },
  { 5, "s1 = -7.1722379889521034141, s2 = a + i w with a = 0.58611899447605170706, w = 6.2843142656411528995" } } do
  local real, complex = roots(row[1])
  P:digits("S1", ("V = %d: "):format(row[1]) .. row[2], { real[1], complex[1], complex[2] }, "roots of the cubic in fractions")
  P:agrees("S1", ("V = %d: these are the eigenvalues"):format(row[1]),
    { off(row[1], real[1]:eval(), 0), off(row[1], complex[1]:eval(), complex[2]:eval()), off(row[1], complex[1]:eval(), -complex[2]:eval()) },
    "eigenvalues of the linearised equations")
end

-- ---- S2, S3: Hurwitz: all roots are on the left iff all four coefficients and the second determinant H are positive

local H = L.hurwitz[3]*l^4
P:agrees("S2", "without a damper l^4 H = -Q k l V", { H:subs{ [c] = 0 } + q*k*l*V, (p*l + q) - (M*l^2 + m*(l - b)^2 + J) }, nil,
  "the coefficients P l + Q = M l^2 + m (l - b)^2 + J, k l^2 and k l V are positive: P > 0 and Q < 0 decide")
-- Q = -d < 0 fixes l = b + (J + d)/(m b), b > 0; then P is a sum of positive terms
local d = hm.positive "d"
P:agrees("S2", "without a damper: stable iff J + m b^2 < m b l (the pin beyond the centre of percussion), at every speed V > 0",
  { q:subs{ [l] = b + (J + d)/(m*b) } + d, p:subs{ [l] = b + (J + d)/(m*b) } - (M*b + M*(J + d)/(m*b) + (J + d)/b) }, nil,
  "Q = -d < 0 gives l = b + (J + d)/(m b) and P = M l + (J + d)/b > 0, so that it is stable; for Q > 0 the determinant is negative:",
  "a root is on the right; for Q = 0 two roots are imaginary")
local quadratic = p*c*V^2 + (c^2*l^2 - q*k)*V + c*k*l^3
P:agrees("S3", "l^3 times Hurwitz' determinant is P c V^2 + (c^2 l^2 - Q k) V + c k l^3", H - l*quadratic, nil,
  "with P > 0 and c > 0 all coefficients of the cubic are positive, and this quadratic in V alone decides")
local A, linear, constant = p*c, c^2*l^2 - q*k, c*k*l^3
local root = hm.sqrt(linear^2 - 4*A*constant)
local V1, V2 = (-linear - root)/(2*A), (-linear + root)/(2*A)
P:agrees("S3", "with a damper: unstable exactly for V1 < V < V2, roots of P c V^2 + (c^2 l^2 - Q k) V + c k l^3 = 0",
  quadratic - A*(V - V1)*(V - V2), nil, "negative between the roots, positive outside, as P c > 0")
local numbers = { P = p:subs(declared), linear = linear:subs(declared), inside = (linear^2 - 4*A*constant):subs(declared) }
P:proves("S3", "here P > 0 and both roots are real and positive: discriminant and sum are positive, as is the product k l^3/P",
  { { numbers.P, ">", 0 }, { numbers.inside, ">", 0 }, { numbers.linear, "<", 0 } }, "fractions",
  ("P = %s, c^2 l^2 - Q k = %s, discriminant %s"):format(tostring(numbers.P), tostring(numbers.linear), tostring(numbers.inside)))
V1, V2 = V1:subs(declared), V2:subs(declared)
P:digits("S3", "V1 = 0.33864921587688671739, V2 = 36.911350784123113283", { V1, V2 }, "exact roots")
local v1, v2 = V1:eval(), V2:eval()
local function at_limit(speed) return hm.sqrt((k*l*V/(p*V + c*l^2)):subs(declared):subs{ [V] = speed }) end
P:digits("S3", "eigenvalues at V1 and V2: +-i w1 and +-i w2 with w1 = 5.3632958532112, w2 = 7.0472426536553", { at_limit(V1), at_limit(V2) },
  "exact roots, w^2 = k l V/(P V + c l^2)")
P:agrees("S3", "the same as eigenvalues", { off(v1, 0, at_limit(V1):eval()), off(v2, 0, at_limit(V2):eval()) }, "eigenvalues of the linearised equations")
local wrong = 0
for i = 1, 60 do
  local speed = v2*1.02*i/60
  local largest = -math.huge
  for _, e in ipairs(eigenvalues(speed)) do largest = math.max(largest, e.re) end
  if (largest > 0) ~= (speed > v1 and speed < v2) then wrong = wrong + 1 end
end
P:holds("S3", "signs of the largest real part at 60 speeds up to 1.02 V2", wrong == 0,
  "eigenvalues of the linearised equations: positive between V1 and V2 alone")

-- ---- S4: a motion far from straight, by one equation of virtual displacements: dy = l dtheta/cos theta

local start = { q = { y = 0, theta = "1/8" }, v = { y = "1/2" }, t = 5, digits = 20 }
local K = hm.system "one virtual displacement"
local Y, W, A1 = K:coordinates "y theta w"
K:kinetic_energy((Y.dot^2 + W.dot^2 + A1.dot^2)/2)
local half = hm.rational(1, 2)
local turn = hm.symbols "turn"                                             -- theta''
local rate = (sin(W) + A1*half)/cos(W)
local across = (rate*A1*sin(W) + A1*cos(W) + half*turn)/cos(W)             -- y'' by the constraint
local along_y = 3*across - half*(turn*cos(W) - A1^2*sin(W)) + 100*Y + rate
local along_theta = (half + half/4)*turn - half*across*cos(W)
local solved = hm.solve({ along_y*half/cos(W) + along_theta }, { turn })[1]
K:constraint("y", Y.dot - rate)
K:constraint("theta", W.dot - A1)
K:constraint("w", A1.dot - solved)
local first, given = S:reference(start), { q = { y = 0, theta = "1/8", w = (hm.cos(hm.rational(1, 8))/2 - hm.sin(hm.rational(1, 8)))*2 }, t = 5, digits = 20 }
local second = K:reference(given)
P:digits("S4", "y(5) = 0.19864894178820171689, theta(5) = 0.21426689399177009584", { second.q.y, second.q.theta },
  "reference solution of one equation of virtual displacements")
P:digits("S4", "y(5) = 0.19864894178820171689, theta(5) = 0.21426689399177009584", { first.q.y, first.q.theta }, "reference solution")

local shimmy = S:simulate{ q = start.q, v = start.v, t = 20, rtol = 1e-11 }
P:show(S)
P:show(S:equations())
P:show(function() return shimmy:plot("t", "theta") end)
local wheel = { V*hm.t - l*cos(theta), y - l*sin(theta) }
P:show(function() return shimmy:animate({ { "blade", at = wheel, along = { cos(theta), sin(theta) } }, { "bar", from = { V*hm.t, y }, to = wheel } },
    { bodies = false, follow = {V*hm.t, y}, view = {0, 60} }) end)
P:save(shimmy, "towed_wheel", { n = 2001 })

os.exit(P:finish())
