-- The roller racer (Tsakiris 1995; Krishnaprasad and Tsakiris 2001): two bodies joined by a pivot, each on an axle that cannot slip
-- sideways. Nothing pushes it, yet swinging the front drives it on. Its nonholonomic momentum obeys a law of its own.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local S = hm.system "roller racer"
local x, y, theta, phi = S:coordinates "x y theta phi"                 -- rear axle, heading, angle of the front body
local m, I, K, a, b = S:positive "m=1 I=1 K=1/100 a=1 b=1/5"           -- front: inertia K, no mass; pivot a ahead, front axle b further
S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + I/2*theta.dot^2 + K/2*(theta.dot + phi.dot)^2)
local fx, fy = hm.dt(x + a*cos(theta) + b*cos(theta + phi)), hm.dt(y + a*sin(theta) + b*sin(theta + phi))
S:constraint("rear", y.dot*cos(theta) - x.dot*sin(theta))
S:constraint("front", fy*cos(theta + phi) - fx*sin(theta + phi))

-- 1. What rolling means: theta' (a cos phi + b) = u sin phi - b phi'
local u = x.dot*cos(theta) + y.dot*sin(theta)
local solved = hm.solve({ S.constraints.rear.f, S.constraints.front.f, u - hm.symbols "u" }, { x.dot, y.dot, theta.dot })
local speed = hm.symbols "u"
assert((solved[3]*(a*cos(phi) + b) - speed*sin(phi) + b*phi.dot):is_zero())
print "rolling: theta' (a cos phi + b) = u sin phi - b phi', proved"
print(S:derived_flag())

-- 2. The momentum along the admissible direction that moves the whole as one body, xi = (u, theta') = (a cos phi + b, sin phi), phi fixed.
--    p = m u (a cos phi + b) + (I theta' + K (theta' + phi')) sin phi obeys p' = (m u) (a cos phi + b)' + (I theta' + K (theta' + phi')) (sin phi)'
local spin = I*theta.dot + K*(theta.dot + phi.dot)
local p = m*u*(a*cos(phi) + b) + spin*sin(phi)
local rate = m*u*hm.dt(a*cos(phi) + b) + spin*hm.dt(sin(phi))
local function torque_free(v, t) return { q = { x = 0, y = 0, theta = 0, phi = 0.3 }, v = v, t = t, rtol = 1e-11, atol = 1e-12 } end
local run = S:simulate(torque_free({ x = 0.5, phi = 1 }, 20))
print(run)
assert(run.status == "OK" and run.energy_drift < 1e-9)
local worst, h = 0, 1e-3
for t = 1, 19 do
  -- five points, error h^4
  local slope = (8*(run:at(t + h, p) - run:at(t - h, p)) - run:at(t + 2*h, p) + run:at(t - 2*h, p))/(12*h)
  worst = math.max(worst, math.abs(slope - run:at(t, rate)))
end
print(("momentum law p' = p_a xi_a': within %.1e"):format(worst))
assert(worst < 1e-7)

-- 3. Driven: phi = 0.5 sin 2 t by the hands of the rider. From rest it moves on, and faster with every stroke
local D = hm.system "driven roller racer"
local X, Y, Theta, Phi = D:coordinates "x y theta phi"
local mass, inertia, small = D:positive "m=1 I=1 K=1/100"
D:kinetic_energy(mass/2*(X.dot^2 + Y.dot^2) + inertia/2*Theta.dot^2 + small/2*(Theta.dot + Phi.dot)^2)
local gx, gy = hm.dt(X + cos(Theta) + cos(Theta + Phi)/5), hm.dt(Y + sin(Theta) + sin(Theta + Phi)/5)
D:constraint("rear", Y.dot*cos(Theta) - X.dot*sin(Theta))
D:constraint("front", gy*cos(Theta + Phi) - gx*sin(Theta + Phi))
D:constraint("rider", Phi.dot - cos(2*hm.t))
local ride = D:simulate{ q = { x = 0, y = 0, theta = 0, phi = 0 }, v = { x = 0 }, t = 60, rtol = 1e-10, atol = 1e-12 }
local along = X.dot*cos(Theta) + Y.dot*sin(Theta)
local strokes = {}
for k = 1, 4 do strokes[k] = ride:at(15*k, along) end
print(("speed at t = 15, 30, 45, 60: %.4f %.4f %.4f %.4f"):format(table.unpack(strokes)))
for k = 2, 4 do assert(math.abs(strokes[k]) > math.abs(strokes[k - 1])) end
