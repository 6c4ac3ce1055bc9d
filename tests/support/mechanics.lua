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

--- A unit mass at (x, y) under the attraction of a unit mass at the origin.
function mechanics.kepler()
  local S, x, y = mechanics.body("kepler", "x y")
  S:potential_energy(-1/hm.sqrt(x^2 + y^2))
  return S, x, y
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
