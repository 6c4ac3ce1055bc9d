-- A towed wheel that does not slip: shimmy of a castor whose king pin moves sideways on a spring and a damper.
-- Sources: Stepan, Chaotic motion of wheels, Vehicle System Dynamics 20 (1991) 341-351; Goodwine, Stepan, J. Vib. Control 6 (2000) 127-147.
-- S2 is the published condition; the characteristic equation, the two limits with damping and the run are derived here.
--
--   hamel scripts/library/towed-wheel.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local csv
for i = 1, #arg do
  if arg[i] == "--csv" then csv = arg[i + 1] or error("--csv needs a folder", 0) end
end

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

-- Distance of the nearest eigenvalue
local function off(speed, re, im)
  local best = math.huge
  for _, e in ipairs(S:linearize{ q = { y = 0, theta = 0 }, v = { y = 0, theta = 0 }, parameters = { V = speed } }.eigenvalues) do
    best = math.min(best, math.abs(e.re - re) + math.abs(e.im - im))
  end
  return best
end
P:agrees("S1", "roots at V = 1 and V = 5", {
  off(1, -1.9020134763891235625, 0), off(1, 0.23672102390884749553, 5.476067334770018095), off(1, 0.23672102390884749553, -5.476067334770018095),
  off(5, -7.1722379889521034141, 0), off(5, 0.58611899447605170706, 6.2843142656411528995) }, "eigenvalues against roots of the cubic with 20 digits")

-- ---- S2, S3: Hurwitz

local H = L.hurwitz[3]*l^4                                                 -- the second determinant; the other conditions hold while P V + c l^2 > 0
P:agrees("S2", "without a damper: stable iff J + m b^2 < m b l (the pin beyond the centre of percussion), at every speed V > 0",
  H:subs{ [c] = 0 } + q*k*l*V, nil, "l^4 times Hurwitz' determinant is -Q k l V; Q < 0 asks for b < l, so that P > 0; P l + Q = M l^2 + m (l - b)^2 + J")
P:agrees("S3", "with a damper: unstable exactly for V1 < V < V2, roots of P c V^2 + (c^2 l^2 - Q k) V + c k l^3 = 0",
  H - l*(p*c*V^2 + (c^2*l^2 - q*k)*V + c*k*l^3), nil, "l^3 times Hurwitz' determinant is this polynomial")
local declared = { [M] = 1, [m] = 2, [J] = hm.rational(1, 2), [b] = hm.rational(1, 4), [l] = hm.rational(1, 2), [k] = 100, [c] = 1 }
local A, linear, constant = (p*c):subs(declared), (c^2*l^2 - q*k):subs(declared), (c*k*l^3):subs(declared)
local root = hm.sqrt(linear^2 - 4*A*constant)
local V1, V2 = (-linear - root)/(2*A), (-linear + root)/(2*A)
local v1, v2 = V1:eval(), V2:eval()
P:agrees("S3", ("V1 = %.16g, V2 = %.16g; the eigenvalues there are imaginary"):format(v1, v2), { v1 - 0.33864921587688671739, (v2 - 36.911350784123113283)/v2,
  off(v1, 0, math.sqrt(50*v1/(v1 + 0.25))), off(v2, 0, math.sqrt(50*v2/(v2 + 0.25))) }, "eigenvalues at V1 and V2",
  ("+-%.13f i and +-%.13f i, s^2 = -k l V/(P V + c l^2)"):format(math.sqrt(50*v1/(v1 + 0.25)), math.sqrt(50*v2/(v2 + 0.25))))
local wrong = 0
for i = 1, 60 do
  local speed = v2*1.02*i/60
  local largest = S:linearize{ q = { y = 0, theta = 0 }, v = { y = 0, theta = 0 }, parameters = { V = speed } }.largest
  if (largest > 0) ~= (speed > v1 and speed < v2) then wrong = wrong + 1 end
end
P:holds("S3", "signs of the largest real part at 60 speeds up to 1.02 V2", wrong == 0, "eigenvalues")

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
local function gap(text, other) return (hm.number(text) - hm.number(other)):eval() end
P:agrees("S4", "y(5), theta(5)", { gap(first.q.y, second.q.y), gap(first.q.theta, second.q.theta) },
  "reference solutions of the bodies and of one equation of virtual displacements", "y(5) = " .. first.q.y, "theta(5) = " .. first.q.theta)
P:agrees("S4", "y(5), theta(5)", { gap(first.q.y, "0.19864894178820171689"), gap(first.q.theta, "0.21426689399177009584") }, "against values with 20 digits")

local shimmy = S:simulate{ q = start.q, v = start.v, t = 20, rtol = 1e-11 }
P:show(S)
P:show(S:equations())
P:show(function() return shimmy:plot("t", "theta") end)
local wheel = { V*hm.t - l*cos(theta), y - l*sin(theta) }
P:show(function() return shimmy:animate({ { "blade", at = wheel, along = { cos(theta), sin(theta) } }, { "bar", from = { V*hm.t, y }, to = wheel } },
    { bodies = false, follow = {V*hm.t, y}, view = {0, 60} }) end)
if csv then shimmy:save(csv .. "/towed_wheel.csv", { n = 2001 }) end

os.exit(P:finish())
