-- A superball thrown between two parallel walls (Garwin 1969): rough elastic impacts keep energy and reverse the velocity of the
-- contact point. After three bounces it comes back almost on its own track.
local hm = require "hamel"

local S = hm.system "superball"
local x, y, phi = S:coordinates "x y phi"                  -- along the walls, across, spin; radius and mass one
S:kinetic_energy((x.dot^2 + y.dot^2)/2 + phi.dot^2/5)
S:unilateral("floor", y - 1, { law = hm.newton(1), rough = { x.dot + phi.dot } })
S:unilateral("table", 3 - y, { law = hm.newton(1), rough = { x.dot - phi.dot } })
local run = S:simulate{ q = { x = 0, y = 2, phi = 0 }, v = { x = 1, y = -1, phi = 0 }, t = 5.5, rtol = 1e-12, atol = 1e-12 }
for _, impact in ipairs(run.impacts) do print(impact) end

-- By hand: with I = 2/5 an impact below maps (v, w) to v' = (3 v - 4 w)/7, w' = -(10 v + 3 w)/7; above the same with w for -w
local v, w = 1, 0
for k, impact in ipairs(run.impacts) do
  local side = impact.name == "floor" and 1 or -1
  v, w = (3*v - side*4*w)/7, -(side*10*v + 3*w)/7
  print(("after bounce %d: v = %8.5f, w = %8.5f"):format(k, v, w))
  assert(math.abs(impact.after.v.x - v) < 1e-12 and math.abs(impact.after.v.phi - w) < 1e-12)
  assert(math.abs(impact.energy_change) < 1e-12)
end
-- floor, table, floor: 333/343 of the throw comes back
assert(#run.impacts == 3 and math.abs(run:at(5.5).v.x + 333/343) < 1e-12)
print(("thrown with 1, back with %.6f = -333/343"):format(run:at(5.5).v.x))
