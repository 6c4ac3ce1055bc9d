-- First steps: a pendulum, a rolling disc, a sleigh: declare, look, run, ask. Every number printed is checked at the end of its part.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local function near(got, want, tolerance, what)
  assert(math.abs(got - want) <= tolerance, ("%s: got %.12g, want %.12g"):format(what, got, want))
end

-- 1. One coordinate. L = T - V is all it takes.
local P = hm.system "pendulum"
local phi = P:coordinates "phi"
local m, l, g = P:positive "m=1 l=2 g=9.81"
P:kinetic_energy(m/2*l^2*phi.dot^2)
P:potential_energy(-m*g*l*cos(phi))
print(P:equations())
local swing = P:simulate{ q = { phi = 0.001 }, v = { phi = 0 }, t = 10 }
print(swing)
near(swing:at(10).phi, 0.001*math.cos(math.sqrt(9.81/2)*10), 1e-8, "small swing")      -- linear theory, error O(phi^3)

-- 2. The same pendulum in Cartesian coordinates: a holonomic constraint, its multiplier is the rod's force over 2 l.
local C = hm.system "pendulum in the plane"
local x, y = C:coordinates "x y"
local M, L, G = C:positive "m=1 l=2 g=9.81"
C:kinetic_energy(M/2*(x.dot^2 + y.dot^2))
C:potential_energy(M*G*y)
C:constraint("rod", x^2 + y^2 - L^2)
local run = C:simulate{ q = { x = 2, y = 0 }, v = { x = 0, y = 0 }, t = 10, rtol = 1e-11, atol = 1e-11 }
local s = run:at(10)
near(s.x^2 + s.y^2, 4, 1e-9, "length")
near(-2*s.lambda.rod*2, (s.v.x^2 + s.v.y^2)/2 - 9.81*s.y/2, 1e-8, "tension: centripetal part and weight")
print(("rod force at t = 10: %.6f N, energy balance within %.1e"):format(-4*s.lambda.rod, run.energy_drift))

-- 3. A disc that rolls and tilts: two nonholonomic constraints. Upright it runs straight on; a spin above the limit keeps it so.
local D = hm.system "rolling disc"
local X, Y, heading, tilt, spin = D:coordinates "x y heading tilt spin"
local mass, r, A, I, gravity = D:positive "m=1 r=1/2 A=1/16 C=1/8 g=9.81"
local cx = hm.dt(X - r*sin(tilt)*sin(heading))
local cy = hm.dt(Y + r*sin(tilt)*cos(heading))
local cz = hm.dt(r*cos(tilt))
D:kinetic_energy(mass/2*(cx^2 + cy^2 + cz^2) + A/2*(tilt.dot^2 + (heading.dot*cos(tilt))^2) + I/2*(spin.dot + heading.dot*sin(tilt))^2)
D:potential_energy(mass*gravity*r*cos(tilt))
D:constraint("roll x", X.dot + r*spin.dot*cos(heading))
D:constraint("roll y", Y.dot + r*spin.dot*sin(heading))
-- linearised about rolling straight on: stable when spin^2 > A m g r/((C + m r^2) C)
local limit = math.sqrt(1/16*9.81*0.5/((1/8 + 1/4)*1/8))
local function largest_tilt(rate)
  local roll = D:simulate{ q = { x = 0, y = 0, heading = 0, tilt = 1e-5, spin = 0 }, v = { heading = 0, tilt = 0, spin = rate },
    t = 8, rtol = 1e-10, atol = 1e-12 }
  local _, angles = roll:series(tilt, { n = 400 })
  local largest = 0
  for _, angle in ipairs(angles) do largest = math.max(largest, math.abs(angle)) end
  return largest
end
local above, below = largest_tilt(1.2*limit), largest_tilt(0.8*limit)
print(("disc: limit of the spin %.4f rad/s; tilt stays within %.1e above it, reaches %.1e below"):format(limit, above, below))
assert(above < 1e-3 and below > 1e-2)

-- 4. A start may leave out what the constraints give; a wrong one is refused with the reason.
local fine, message = pcall(D.simulate, D, { q = { x = 0, y = 0, heading = 0, tilt = 0, spin = 0 }, v = { x = 1, heading = 0, tilt = 0, spin = 0 }, t = 1 })
assert(not fine)
print((tostring(message):gsub("^.-: ", "")))
