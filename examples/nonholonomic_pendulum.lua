-- A pendulum that swings below a skate, in the vertical plane of its blade. Swinging drives the skate; the blade turns momentum along it
-- into momentum of turning. On a straight path it is the pendulum on a cart, in closed form for small swings.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local S = hm.system "pendulum on a skate"
local x, y, theta, phi = S:coordinates "x y theta phi"                 -- blade, heading, angle of the rod from the vertical
local M, J, m, l, g = S:positive "M=2 J=1/2 m=1 l=1 g=9.81"
local bx, by, bz = hm.dt(x + l*sin(phi)*cos(theta)), hm.dt(y + l*sin(phi)*sin(theta)), hm.dt(-l*cos(phi))
S:kinetic_energy(M/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2 + m/2*(bx^2 + by^2 + bz^2))
S:potential_energy(-m*g*l*cos(phi))
S:constraint("blade", y.dot*cos(theta) - x.dot*sin(theta))
S:quasi_velocities("u w s", { x.dot*cos(theta) + y.dot*sin(theta), theta.dot, phi.dot })

-- 1. By hand, from the rates of momentum in axes that turn with the skate: n = m l w sin(phi) is the momentum across the blade,
--    ((M + m) u + m l s cos(phi))' = w n,  ((J + m l^2 sin(phi)^2) w)' = -u n,  m l^2 s' + m l u' cos(phi) = m l^2 w^2 sin(phi) cos(phi) - m g l sin(phi)
local E = S:equations "hamel"
print(E)
local u, w, s = table.unpack(E.dyn)
local function rate(e) return hm.diff(e, u)*u.dot + hm.diff(e, w)*w.dot + hm.diff(e, s)*s.dot + hm.diff(e, phi)*s end
local n = m*l*w*sin(phi)
local by_hand = {
  rate((M + m)*u + m*l*s*cos(phi)) - w*n,
  rate((J + m*l^2*sin(phi)^2)*w) + u*n,
  m*l^2*s.dot + m*l*u.dot*cos(phi) - m*l^2*w^2*sin(phi)*cos(phi) + m*g*l*sin(phi),
}
for i = 1, 3 do assert((E[i] - by_hand[i]):is_zero(), "equation " .. i) end
print "equations: those of the momenta in turning axes, proved"

-- 2. Straight on: momentum along the blade is kept, small swings have omega^2 = g (M + m)/(l M)
local omega, amplitude = math.sqrt(9.81*3/2), 1e-4
local straight = S:simulate{ q = { x = 0, y = 0, theta = 0.3, phi = amplitude }, v = { x = 0, y = 0, theta = 0, phi = 0 }, t = 10, rtol = 1e-11, atol = 1e-14 }
local worst = 0
for t = 0, 10, 0.25 do worst = math.max(worst, math.abs(straight:at(t).phi - amplitude*math.cos(omega*t))) end
print(("small swings straight on: within %.1e of the cosine (amplitude %g)"):format(worst, amplitude))
assert(worst < 1e-10)
local momentum = (M + m)*(x.dot*cos(theta) + y.dot*sin(theta)) + m*l*phi.dot*cos(phi)
assert(math.abs(straight:at(10, momentum) - straight:at(0, momentum)) < 1e-11)

-- 3. Turning: only the energy is kept; the skate's own turning comes to the energy of travel and back
local run = S:simulate{ q = { x = 0, y = 0, theta = 0, phi = 1 }, v = { x = 0, y = 0, theta = 2, phi = 0 }, t = 30, rtol = 1e-11, atol = 1e-12 }
print(run)
assert(run.status == "OK" and run.energy_drift < 1e-8 and run.constraint_drift < 1e-9)
local lambda = -run:at(12.3).lambda.blade                              -- force of the blade on the skate, across it to the right
local rate_n = run:at(12.3, m*l*(theta.ddot*sin(phi) + theta.dot*phi.dot*cos(phi))
  + theta.dot*((M + m)*(x.dot*cos(theta) + y.dot*sin(theta)) + m*l*phi.dot*cos(phi)))
print(("blade: %.9f by the multiplier, %.9f by the rate of momentum across it"):format(-lambda, rate_n))
assert(math.abs(-lambda - rate_n) < 1e-8)
