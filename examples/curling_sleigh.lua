-- A sleigh whose blade is pressed on the ice by its weight and gives way sideways when pushed harder: a one-sided brake. It turns on a circle
-- while the blade holds, and skids when the speed asks for more than friction gives.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local function sleigh(coefficient)
  local S = hm.system "curling sleigh"
  local x, y, theta = S:coordinates "x y theta"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2 + theta.dot^2/4)
  S:friction("blade", { slip = y.dot*cos(theta) - x.dot*sin(theta), normal = 9.81, coefficient = coefficient })
  return S, x, y, theta
end
local start = { q = { x = 0, y = 0, theta = 0 }, v = { x = 2, y = 0, theta = 1 }, t = 6, rtol = 1e-11, atol = 1e-12 }

-- 1. The circle needs u w = 2 < mu N: the blade holds, as the constraint would
local S = sleigh(0.3)
local held = S:simulate(start)
local worst = 0
for t = 0, 6, 0.25 do
  local s = held:at(t)
  worst = math.max(worst, math.abs(s.x - 2*math.sin(t)), math.abs(s.y - 2*(1 - math.cos(t))))
end
print(("held by friction 2.943 > 2: on the circle within %.1e, side force %.6f"):format(worst, held:at(3).friction.blade))
assert(worst < 1e-9 and #held.switches == 0 and math.abs(math.abs(held:at(3).friction.blade) - 2) < 1e-9)

-- 2. With mu N = 1.5 it skids at once. What it loses is the work of the side force along the slip, and the turning goes on undisturbed
local K, x, y, theta = sleigh(1.5/9.81)
local skid = K:simulate(start)
print(skid)
local slip = y.dot*cos(theta) - x.dot*sin(theta)
assert(math.abs(skid:at(6).v.theta - 1) < 1e-10)
local work, n = 0, 4000
for i = 0, n do
  local factor = (i == 0 or i == n) and 1 or i % 2 == 1 and 4 or 2
  work = work + factor*math.abs(skid:at(6*i/n, slip))*1.5
end
work = work*6/(3*n)
local lost = skid:at(0).energy - skid:at(6).energy
print(("skidding: energy lost %.8f, work of friction %.8f"):format(lost, work))
assert(math.abs(lost - work) < 1e-5 and skid.energy_drift < 1e-8)

-- 3. The slower it gets the less it needs: it bites where u w = mu N, and stays
local bite
for _, switch in ipairs(skid.switches) do if switch.to == "stick" then bite = switch end end
if bite then
  local s = skid:at(bite.t)
  print(("bites at t = %.6f with u w = %.6f"):format(bite.t, (s.v.x*math.cos(s.theta) + s.v.y*math.sin(s.theta))*s.v.theta))
  assert(math.abs(s.v.x*math.cos(s.theta) + s.v.y*math.sin(s.theta))*s.v.theta <= 1.5 + 1e-9)
end
