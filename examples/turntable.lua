-- A ball on a turntable: rheonomic in disguise. The table turns at W, its surface moves, the constraints are acatastatic; on a table that
-- stands still the ball runs straight on, on one that turns its contact runs in circles at 2/7 of the table's speed, whatever its start.
-- Neimark and Fufaev, Dynamics of Nonholonomic Systems, III.1; a table whose speed changes is solved in closed form, too.
local hm = require "hamel"

-- The ball, with the table turned by an angle
local function turntable(angle)
  local S = hm.system "ball on a turntable"
  local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
  local m, a = S:positive "m=1 a=1/10"
  local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = m, inertia = "solid", shape = {"sphere", radius = a} })
  S:rolls("roll", ball, N:rotate("z", angle(S)):plane())
  return S, N, ball
end

-- 1. One circle in 7/2 turns of the table, round a centre that the start decides
local S, N, ball = turntable(function(system) return system:parameters "W=2"*hm.t end)
print(S)
local start = { q = { x = 1, y = 0, R = {1, 0, 0, 0} }, v = { x = 0, y = 0.3, r = 0 }, t = 7*math.pi/2, rtol = 1e-11, atol = 1e-12 }
local run = S:simulate(start)
local radius = 0.3/(2/7*2)
local worst = 0
for t = 0, 7*math.pi/2, 0.05 do
  local at = run:at(t)
  worst = math.max(worst, math.abs(math.sqrt((at.x - (1 - radius))^2 + at.y^2) - radius))
end
print(("circle of radius %.4f within %.1e, closed within %.1e"):format(radius, worst, math.abs(run:at(7*math.pi/2).x - 1)))
assert(worst < 1e-9 and math.abs(run:at(7*math.pi/2).x - 1) < 1e-8)
-- x'' = -(2/7) W y', y'' = (2/7) W x', and the spin about the vertical stays
for t = 0, 10, 2.5 do
  local s, spin = run:at(t), run:at(t, ball.frame:angular_velocity():dot(N.z))
  assert(math.abs(s.a.x + 4/7*s.v.y) < 1e-9 and math.abs(s.a.y - 4/7*s.v.x) < 1e-9 and math.abs(spin) < 1e-9)
end
-- the energy is not kept: the table works on the ball
local kept = run:keep{ low = hm.lowest(ball:kinetic_energy()), high = hm.highest(ball:kinetic_energy()) }
print(("kinetic energy between %.4f and %.4f"):format(kept.low, kept.high))
assert(kept.high > 2*kept.low)

-- 2. All forms that apply agree on the accelerations and reactions
local reference = S:accelerations{ q = start.q, v = start.v }
for _, form in ipairs{ "hamel", "maggi", "appell", "kane" } do
  local got = S:accelerations{ q = start.q, v = start.v, form = form }
  for name, value in pairs(reference.a) do assert(math.abs(got.a[name] - value) < 1e-9, form .. " " .. name) end
  for name, value in pairs(reference.lambda) do assert(math.abs(got.lambda[name] - value) < 1e-9, form .. " " .. name) end
end
print "multipliers, Boltzmann-Hamel, Maggi, Appell, Kane: the same"

-- 3. A table that starts from rest, W = k t. With z = x + i y the contact obeys z'' = (2/7)(W i z' + W' i z) = (2/7) i (W z)', so that
-- z' - (2/7) i W z stays: from z' = 0 it is zero, and z = z(0) exp(i k t^2/7)
local T = turntable(function(system) return system:parameters "k=1/2"*hm.t^2/2 end)
local spun = T:simulate{ q = { x = 1, y = 0, R = {1, 0, 0, 0} }, v = { x = 0, y = 0, r = 0 }, t = 6, rtol = 1e-11, atol = 1e-12 }
worst = 0
for t = 0, 6, 0.1 do worst = math.max(worst, math.abs(spun:at(t).x - math.cos(t*t/14)), math.abs(spun:at(t).y - math.sin(t*t/14))) end
print(("a table that speeds up carries the ball on a circle about its own centre, within %.1e"):format(worst))
assert(worst < 1e-9)
