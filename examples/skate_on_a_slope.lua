-- A skate on an inclined plane, turning: it does not slide down but runs along a cycloid across the slope, returning to its height
-- again and again. With friction it drifts down, at a rate that is known too.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local S = hm.system "skate on an inclined plane"
local x, y, theta = S:coordinates "x y theta"                          -- x down the slope
local m, J, G = S:positive "m=2 J=1/2 G=3"                              -- G: g sin(inclination)
local c = S:parameters "c=0"
S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
S:potential_energy(-m*G*x)
S:dissipation(c/2*(x.dot^2 + y.dot^2))
S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
-- forward speed and turning rate: no singular direction
S:quasi_velocities("u w", { x.dot*cos(theta) + y.dot*sin(theta), theta.dot })
print(S:equations "hamel")

-- x = G/(2 w^2) sin^2(w t), y = G/(2 w^2) (w t - sin(2 w t)/2); the reaction is m (G sin(theta) + u w) across the blade
local w = 0.8
local start = { form = "hamel", q = { x = 0, y = 0, theta = 0 }, v = { x = 0, theta = w }, t = 20, rtol = 1e-12, atol = 1e-13 }
local run, worst = S:simulate(start), 0
for t = 0, 20, 0.25 do
  local s, u = run:at(t), 3/w*math.sin(w*t)
  worst = math.max(worst, math.abs(s.x - 3/(2*w^2)*math.sin(w*t)^2), math.abs(s.y - 3/(2*w^2)*(w*t - math.sin(2*w*t)/2)),
    math.abs(s.lambda.blade + 2*(3*math.sin(w*t) + u*w)))
end
print(("\ncycloid and reaction within %.1e over 20 s; lowest point %.6f = G/(2 w^2)"):format(worst, 3/(2*w^2)))
assert(worst < 1e-8 and run.energy_drift < 1e-10)

-- with friction u' = G cos(w t) - k u, k = c/m: it drifts down by k G/(2 (w^2 + k^2)) a second, the average of u cos(w t)
start.parameters, start.t = { c = 0.4 }, 60
local slow = S:simulate(start)
local k, period = 0.2, 2*math.pi/w
local drift = (slow:at(40 + period).x - slow:at(40).x)/period
print(("with friction: drift down the slope %.6f m/s, from the closed solution %.6f"):format(drift, k*3/(2*(w^2 + k^2))))
assert(math.abs(drift - k*3/(2*(w^2 + k^2))) < 1e-3)
