-- Lagrange's top, started upright: a rotation by a unit quaternion has no singular place there, where Euler's angles have one. Its largest fall and its
-- regular precession have closed forms. Sources: Lagrange 1788; Arnold, Mathematical Methods of Classical Mechanics, section 30.
local hm = require "hamel"

local S = hm.system "heavy top"
local N = S:frame "N"
local A, C, m, g, c = S:positive "A=1 C=1/2 m=1 g=9.81 c=1/2"
local R = S:rotation("R", { rates = "p q r" })
S:body("top", { at = c*R.z, frame = R, mass = m, inertia = {A, A, C}, about = S.origin })
S:gravity(-g*N.z)
print(S:equations "hamel")

-- 1. Upright with spin 12 and a small push w: with s = 1 - cos(theta) at the largest fall, (A w^2/2 + m g c s)(2 - s) = (C r)^2 s/(2 A)
local up, r = R.z:dot(N.z), select(3, R:rates())
local run = S:simulate{ q = { R = {1, 0, 0, 0} }, v = { p = 0.1, q = 0.2, r = 12 }, t = 20, rtol = 1e-12, atol = 1e-13,
  events = { { name = "lowest", when = hm.dt(up), direction = "rising" } } }
local s = 1 - run:at(run.events[1].t, up)
local wanted = (0.05/2 + 9.81*0.5*s)*(2 - s) - (0.5*12)^2*s/2
print(("largest fall: 1 - cos(theta) = %.12f, the closed form is met within %.1e"):format(s, math.abs(wanted)))
assert(math.abs(wanted) < 1e-9 and math.abs(run:at(20, r) - 12) < 1e-10)

-- 2. Regular precession at 2 rad/s, inclined by 0.5 rad: A P^2 cos(theta) - C r P + m g c = 0 gives the spin r
local spin = (4*math.cos(0.5) + 9.81/2)/(0.5*2)
local steady = S:simulate{ q = { R = { axis = {1, 0, 0}, angle = 0.5 } }, v = { R = 2*N.z + (spin - 2*math.cos(0.5))*R.z }, t = 5, rtol = 1e-12, atol = 1e-13 }
local worst = 0
for t = 0, 5, 0.25 do
  local z = steady:at(t, R.z)
  for i, value in ipairs{ math.sin(0.5)*math.sin(2*t), -math.sin(0.5)*math.cos(2*t), math.cos(0.5) } do worst = math.max(worst, math.abs(z[i] - value)) end
end
print(("regular precession: the axis goes round within %.1e"):format(worst))
assert(worst < 1e-9)

-- 3. Without a unit vector of space in it: the momentum along the vertical and along the axis stay
local L = S:angular_momentum()
for t = 0, 20, 2 do assert(math.abs(run:at(t, L:dot(N.z)) - run:at(0, L:dot(N.z))) < 1e-9 and math.abs(run:at(t, L:dot(R.z)) - 6) < 1e-9) end
