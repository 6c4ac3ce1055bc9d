-- A ball on a turntable: rheonomic in disguise. The table turns at W, its surface moves, the constraints are acatastatic; on a table that
-- stands still the ball runs straight on, on one that turns its contact runs in circles at 2/7 of the table's speed, whatever its start.
-- Neimark and Fufaev, Dynamics of Nonholonomic Systems, III.1; a table whose speed changes is solved in closed form, too.
local hm = require "hamel"

local function turntable(speed)
  local S = hm.system "ball on a turntable"
  local x, y, a1, a2, a3 = S:coordinates "x y a1 a2 a3"                -- a1', a2', a3' stand for the angular velocity
  local m, a = S:positive "m=1 a=1/10"
  local W = speed and speed(S) or S:parameters "W=2"
  local T = m/2*(x.dot^2 + y.dot^2) + m*a^2/5*(a1.dot^2 + a2.dot^2 + a3.dot^2)
  S:kinetic_energy(T)
  S:constraint("x", x.dot - a*a2.dot + W*y)
  S:constraint("y", y.dot + a*a1.dot - W*x)
  return S, x, y, W, T
end

-- 1. The equations of the contact: x'' = -(2/7) W y', y'' = (2/7) W x'
local S, x, y, W, T = turntable()
print(S)
local E = S:equations("maggi", { dependent = { "a1", "a2" } })
print(E)
local rates = hm.solve({ E[1], E[2], E[3] }, E:rates_of())
for i, wanted in ipairs{ -W*y.dot*2/7, W*x.dot*2/7 } do
  local found = rates[i]
  for k, u in ipairs(E.dyn) do found = found:subs{ [u] = S:velocity_list()[k] } end
  assert((found - wanted):is_zero())
end

-- 2. One circle in 7/2 turns of the table, round a centre that the start decides
local start = { q = { x = 1, y = 0, a1 = 0, a2 = 0, a3 = 0 }, v = { x = 0, y = 0.3, a3 = 0 }, t = 7*math.pi/2, rtol = 1e-11, atol = 1e-12 }
local run = S:simulate(start)
local radius = 0.3/(2/7*2)
local worst = 0
for t = 0, 7*math.pi/2, 0.05 do
  local at = run:at(t)
  worst = math.max(worst, math.abs(math.sqrt((at.x - (1 - radius))^2 + at.y^2) - radius))
end
print(("circle of radius %.4f within %.1e, closed within %.1e"):format(radius, worst, math.abs(run:at(7*math.pi/2).x - 1)))
assert(worst < 1e-9 and math.abs(run:at(7*math.pi/2).x - 1) < 1e-8)
-- the energy is not kept: the table works on the ball
local least, most = math.huge, 0
for t = 0, 7*math.pi/2, 0.05 do
  local energy = run:at(t, T)
  least, most = math.min(least, energy), math.max(most, energy)
end
print(("kinetic energy between %.4f and %.4f"):format(least, most))
assert(most > 2*least)

-- 3. All forms that apply agree on the accelerations and reactions
local reference = S:accelerations{ q = start.q, v = start.v }
for _, form in ipairs{ "hamel", "voronets", "volterra", "maggi", "appell", "canonical", "kane" } do
  local got = S:accelerations{ q = start.q, v = start.v, form = form, dependent = { "a1", "a2" } }
  for name, value in pairs(reference.a) do assert(math.abs(got.a[name] - value) < 1e-9, form .. " " .. name) end
  for name, value in pairs(reference.lambda) do assert(math.abs(got.lambda[name] - value) < 1e-9, form .. " " .. name) end
end
print "multipliers, Boltzmann-Hamel, Voronets, Volterra, Maggi, Appell, canonical, Kane: the same"

-- 4. A table that starts from rest, W = k t. With z = x + i y the contact obeys z'' = (2/7)(W i z' + W' i z) = (2/7) i (W z)', so that
-- z' - (2/7) i W z stays: from z' = 0 it is zero, and z = z(0) exp(i k t^2/7)
local R = turntable(function(system) local k = system:parameters "k=1/2" return k*hm.t end)
local spun = R:simulate{ q = { x = 1, y = 0, a1 = 0, a2 = 0, a3 = 0 }, v = { x = 0, y = 0, a3 = 0 }, t = 6, rtol = 1e-11, atol = 1e-12 }
worst = 0
for t = 0, 6, 0.1 do worst = math.max(worst, math.abs(spun:at(t).x - math.cos(t*t/14)), math.abs(spun:at(t).y - math.sin(t*t/14))) end
print(("a table that speeds up carries the ball on a circle about its own centre, within %.1e"):format(worst))
assert(worst < 1e-9)
