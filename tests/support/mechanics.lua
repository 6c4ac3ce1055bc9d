-- mechanics.lua: the small systems that specs and properties build again and again.
local hm = require "hamel"

local mechanics = {}

--- A system whose kinetic energy is half a sum of squares of velocities: pucks and blocks ("x y"), cradles ("a b c"), and, with inertias other
--- than 1 by coordinate, rods ("x y phi", { phi = "1/3" }), discs ("1/2"), balls ("2/5"). Returns the system and its coordinates.
function mechanics.body(name, coordinates, inertias)
  local S = hm.system(name)
  local q, T = table.pack(S:coordinates(coordinates)), hm.number(0)
  for _, x in ipairs(q) do T = T + hm.number(inertias and inertias[tostring(x)] or 1)*x.dot^2/2 end
  S:kinetic_energy(T)
  return S, table.unpack(q, 1, q.n)
end

--- One coordinate x of inertia 1 under a force: an expression, or a function of x. Returns the system and x.
function mechanics.driven(force)
  local S, x = mechanics.body("body", "x")
  S:force(x, type(force) == "function" and force(x) or force)
  return S, x
end

--- The potential of Henon and Heiles: motions are regular at low energies, chaotic near 1/6. Returns the system and x, y.
function mechanics.henon_heiles()
  local S, x, y = mechanics.body("Henon-Heiles", "x y")
  S:potential_energy((x^2 + y^2)/2 + x^2*y - y^3/3)
  return S, x, y
end

--- Complete elliptic integral of the first kind of the modulus k, by the arithmetic-geometric mean: a pendulum of length and gravity 1 that swings up to
--- the angle a has the period 4 K(sin(a/2)).
function mechanics.K(k)
  local a, b = 1, math.sqrt(1 - k*k)
  for _ = 1, 30 do a, b = (a + b)/2, math.sqrt(a*b) end
  return math.pi/(2*a)
end

--- Duffing's oscillator with two wells, the damping 3/10 and the drive g cos(6t/5); g = 1/5.
function mechanics.duffing()
  local S, x = mechanics.body("Duffing", "x")
  local g = S:parameters "g=1/5"
  S:potential_energy(x^4/4 - x^2/2)
  S:force(x, -hm.rational(3, 10)*x.dot + g*hm.cos(hm.rational(6, 5)*hm.t))
  return S
end

--- Van der Pol's oscillator, x'' = mu (1 - x^2) x' - x; mu = 1. Returns the system and x.
function mechanics.van_der_pol()
  local S, x = mechanics.body("van der Pol", "x")
  local mu = S:parameters "mu=1"
  S:potential_energy(x^2/2)
  S:force(x, mu*(1 - x^2)*x.dot)
  return S, x
end

--- The same in another scale, x'' = (m - x^2) x' - x: the cycle grows out of the rest at m = 0; m = 1.
function mechanics.growing_cycle()
  local S, x = mechanics.body("van der Pol", "x")
  local m = S:parameters "m=1"
  S:potential_energy(x^2/2)
  S:force(x, (m - x^2)*x.dot)
  return S
end

--- A unit mass on a rod of length 1 in Cartesian coordinates, with g = 9.81.
function mechanics.rod()
  local S, x, y = mechanics.body("rod", "x y")
  S:potential_energy(hm.number "9.81"*y)
  S:constraint("rod", x^2 + y^2 - 1)
  return S
end

--- A four-bar linkage of three moving links, with q1, q2, q3 as their angles: lengths of these, and of the base, as exact numbers.
function mechanics.linkage(name, lengths)
  local S = hm.system(name)
  local x, y, vx, vy, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
  for i, a in ipairs{ S:coordinates "q1 q2 q3" } do
    local l = hm.number(lengths[i])
    x, y = x + l*hm.cos(a), y + l*hm.sin(a)
    vx, vy = vx - l*hm.sin(a)*a.dot, vy + l*hm.cos(a)*a.dot
    T, V = T + (vx^2 + vy^2)/2 + a.dot^2/10, V + y
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  S:constraint("end x", x - hm.number(lengths[4]))
  S:constraint("end y", y)
  return S
end

--- A unit mass at (x, y) under the attraction of a unit mass at the origin.
function mechanics.kepler()
  local S, x, y = mechanics.body("kepler", "x y")
  S:potential_energy(-1/hm.sqrt(x^2 + y^2))
  return S, x, y
end

--- Thin disc of mass 1 and radius 1/2 that rolls on the plane without sliding: point of contact (x, y), heading phi, tilt theta, spin psi.
--- Moments of inertia A = 1/16 about a diameter, C = 1/8 about the axis.
function mechanics.disc()
  local S, sin, cos = hm.system "rolling disc", hm.sin, hm.cos
  local x, y, phi, theta, psi = S:coordinates "x y phi theta psi"
  local m, r, A, C, g = S:positive "m=1 r=1/2 A=1/16 C=1/8 g=9.81"
  local cx, cy, cz = hm.dt(x - r*sin(theta)*sin(phi)), hm.dt(y + r*sin(theta)*cos(phi)), hm.dt(r*cos(theta))
  S:kinetic_energy(m/2*(cx^2 + cy^2 + cz^2) + A/2*(theta.dot^2 + (phi.dot*cos(theta))^2) + C/2*(psi.dot + phi.dot*sin(theta))^2)
  S:potential_energy(m*g*r*cos(theta))
  S:constraint("roll x", x.dot + r*psi.dot*cos(phi))
  S:constraint("roll y", y.dot + r*psi.dot*sin(phi))
  return S, x, y, phi, theta, psi
end

--- Crank a and rocker c of length r and inertia 1, coupler b parallel to the base of length l: flat where a is a multiple of pi; without forces
--- a' and c' are constant as long as b = 0. coupler: its inertia, halved.
function mechanics.parallelogram(r, l, coupler)
  local S = hm.system "parallelogram"
  local a, b, c = S:coordinates "a b c"
  S:kinetic_energy((a.dot^2 + c.dot^2)/2 + coupler*b.dot^2)
  S:constraint("along", r*hm.cos(a) + l*hm.cos(b) - r*hm.cos(c) - l)
  S:constraint("across", r*hm.sin(a) + l*hm.sin(b) - r*hm.sin(c))
  return S, a, b, c
end

--- Free symmetric top in Euler's angles, moments of inertia 1, 1, C: they lock where theta is a multiple of pi.
function mechanics.top(C)
  local S = hm.system "top"
  local phi, theta, psi = S:coordinates "phi theta psi"
  S:kinetic_energy((theta.dot^2 + phi.dot^2*hm.sin(theta)^2)/2 + C/2*(psi.dot + phi.dot*hm.cos(theta))^2)
  return S, phi, theta, psi
end

return mechanics
