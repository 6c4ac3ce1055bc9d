-- Random trees and closed loops of rods in a plane whose masses differ by up to 1e14, by each elimination: what a run with status OK, or S:accelerations, says
-- of the accelerations is right to ten tolerances, or it is refused. Arbiter: the forces in the rods from the accelerations of the masses in Cartesian
-- coordinates, whose equations have no products of masses, by elimination with pivots.
--   build/hamel tests/property/masses.lua [SEED [COUNT]]
local hm, check = require "hamel", require "check"
local protected = require "hamel.base.protected"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local draws = check.draws(12)
print(("masses: seed %d, %d systems"):format(seed, draws))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end

local G, TOLERANCE, FACTOR, SPAN = 9.81, 1e-9, 10, 0.3

-- Rods of length one from earlier ones; loop: the end of the last rod is held
local function rods()
  local R = { n = whole(2, 6), loop = random(0, 1) < 0.3, parent = {}, power = {}, q = {}, v = {} }
  if R.loop then R.n = math.max(R.n, 3) end
  for i = 1, R.n do
    R.parent[i] = R.loop and i - 1 or random(0, 1) < 0.7 and i - 1 or whole(0, i - 1)
    R.power[i] = whole(0, 1) == 0 and 0 or whole(0, 14)
    R.q[i], R.v[i] = random(-1, 1), R.loop and 0 or random(-1, 1)
  end
  return R
end

local function system(R)
  local S = hm.system "rods"
  local names, place, q, v = {}, { [0] = { hm.number(0), hm.number(0), hm.number(0), hm.number(0) } }, {}, {}
  for i = 1, R.n do names[i] = "q" .. i end
  local angles, T, V = { S:coordinates(table.concat(names, " ")) }, hm.number(0), hm.number(0)
  for i, a in ipairs(angles) do
    local from, m = place[R.parent[i]], hm.number(math.tointeger(10^R.power[i]))
    place[i] = { from[1] + hm.sin(a), from[2] - hm.cos(a), from[3] + hm.cos(a)*a.dot, from[4] + hm.sin(a)*a.dot }
    T, V = T + m*(place[i][3]^2 + place[i][4]^2)/2, V + m*hm.number "9.81"*place[i][2]
    q[names[i]], v[names[i]] = R.q[i], R.v[i]
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  if R.loop then
    local x, y = 0, 0
    for i = 1, R.n do x, y = x + math.sin(R.q[i]), y - math.cos(R.q[i]) end
    S:constraint("x", place[R.n][1] - x)
    S:constraint("y", place[R.n][2] - y)
    v = {}
  end
  return S, q, v
end

-- Solves a x = b by elimination with pivots, a and b are used up
local function solved(a, b)
  local n, x = #b, {}
  for k = 1, n do
    local best = k
    for i = k + 1, n do if math.abs(a[i][k]) > math.abs(a[best][k]) then best = i end end
    a[k], a[best], b[k], b[best] = a[best], a[k], b[best], b[k]
    for i = k + 1, n do
      local f = a[i][k]/a[k][k]
      for j = k, n do a[i][j] = a[i][j] - f*a[k][j] end
      b[i] = b[i] - f*b[k]
    end
  end
  for k = n, 1, -1 do
    local sum = b[k]
    for j = k + 1, n do sum = sum - a[k][j]*x[j] end
    x[k] = sum/a[k][k]
  end
  return x
end

-- Angular accelerations. Unknowns: the tension f_i along rod i, scaled to the weights it carries. The end of rod i has the acceleration
-- (sum of the tensions of its rods)/m_i + gravity, and that of its start differs by -v^2 along the rod
local function right(R, q, v)
  local n, rows, side = R.n, {}, {}
  local function along(i) return math.sin(q[i]), -math.cos(q[i]) end
  -- the acceleration of end p: coefficients of the tensions by component, and its constant part
  local function acceleration(p)
    local x, y = {}, {}
    for i = 1, n do x[i], y[i] = 0, 0 end
    if p == 0 or R.loop and p == n then return x, y, 0 end
    local weight = 10.0^-R.power[p]
    for i = 1, n do
      local sx, sy = along(i)
      local sign = i == p and -1 or R.parent[i] == p and 1 or 0
      x[i], y[i] = sign*weight*sx, sign*weight*sy
    end
    return x, y, -G
  end
  for i = 1, n do
    local sx, sy = along(i)
    local x1, y1, g1 = acceleration(i)
    local x0, y0, g0 = acceleration(R.parent[i])
    rows[i], side[i] = {}, -v[i]^2 - sy*(g1 - g0)
    for j = 1, n do rows[i][j] = sx*(x1[j] - x0[j]) + sy*(y1[j] - y0[j]) end
  end
  local f, a = solved(rows, side), {}
  for i = 1, n do
    local sx, sy = along(i)
    local x1, y1, g1 = acceleration(i)
    local x0, y0, g0 = acceleration(R.parent[i])
    local ax, ay = 0, g1 - g0
    for j = 1, n do ax, ay = ax + f[j]*(x1[j] - x0[j]), ay + f[j]*(y1[j] - y0[j]) end
    a[i] = -sy*ax + sx*ay
  end
  return a
end

-- How far the accelerations are off, relative to the largest; second: what one unit in the last place of the angles does to the right ones
local function off(R, q, v, a)
  local angles, rates, moved = {}, {}, {}
  for i = 1, R.n do
    angles[i], rates[i] = q["q" .. i], v["q" .. i]
    moved[i] = angles[i]*(1 + (i % 2 == 0 and 1 or -1)*2^-52)
  end
  local exact, beside, worst, unit, largest = right(R, angles, rates), right(R, moved, rates), 0, 0, 0
  for i = 1, R.n do
    largest = math.max(largest, math.abs(exact[i]))
    worst, unit = math.max(worst, math.abs(exact[i] - a["q" .. i])), math.max(unit, math.abs(exact[i] - beside[i]))
  end
  return worst/largest, unit/largest, largest
end

local right_ones, refused, refined = 0, 0, 0
local function judge(R, what, q, v, a)
  local part, unit, largest = off(R, q, v, a)
  if part <= FACTOR*math.max(TOLERANCE, TOLERANCE*2/(SPAN*largest), 10*unit) then right_ones = right_ones + 1 return end
  error(("%s is off by %.3g of the largest (a unit in the last place: %.3g) with status OK: masses 10^{%s}, rods on {%s}%s, q = {%s}"):format(what, part, unit,
    table.concat(R.power, ", "), table.concat(R.parent, ", "), R.loop and ", closed" or "", table.concat(R.q, ", ")), 0)
end

for _ = 1, draws do
  local R = rods()
  local S, q, v = system(R)
  for _, elimination in ipairs{ "cheapest", "dense", "graph", "refined" } do
    local fine, run = protected(S.simulate, S, { q = q, v = v, t = SPAN, rtol = TOLERANCE, atol = TOLERANCE, elimination = elimination, max_steps = 1000 })
    if fine and run.status == "OK" then
      for _, s in ipairs{ run:at(0), run[#run] } do judge(R, elimination, s.q, s.v, s.a) end
      if run.model:is_refined() then refined = refined + 1 end
    else
      refused = refused + 1
    end
  end
  local fine, found = protected(S.accelerations, S, { q = q, v = v })
  if fine then judge(R, "S:accelerations", found.q, found.v, found.a) else refused = refused + 1 end
end
print(("masses: %d states are right, %d runs refined, %d runs or states refused"):format(right_ones, refined, refused))
assert(right_ones > draws and refined > 0, "too few systems were solved")
