-- eliminations.lua: random trees of bodies in a plane, some of them with joints that are closed, blades, rheonomic supports, masses that differ by up to
-- 1e12 or are zero, hand-expanded energies and stretched loops: the elimination on the graph of velocities and the chosen one give the motion of the dense
-- one, or the run is refused or stops as that does. Arbiter: elimination = "dense" (entries of the mass matrix, pivots compared in size).
local hm, check = require "hamel", require "check"
local sin, cos = hm.sin, hm.cos

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local draws = check.draws(60)
print(("eliminations: seed %d, %d systems"):format(seed, draws))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end
local function chance(p) return random(0, 1) < p end
local function decimal(from, to) return hm.rational(whole(from*100, to*100), 100) end

-- A weight of a body: usual, or far from it
local function mass(extreme)
  if not extreme then return decimal(0.5, 2) end
  local power = whole(-6, 6)
  return power < 0 and hm.rational(1, math.tointeger(10^-power)) or hm.number(math.tointeger(10^power))
end

-- Links on earlier ones or on a support that may move; angles are those in the plane or, where `relative`, those between links
local function tree(number)
  local S = hm.system("tree " .. number)
  local n, extreme, relative, massless = whole(1, 9), chance(0.3), chance(0.3), chance(0.1)
  local names, q, v = {}, {}, {}
  for i = 1, n do names[i] = "q" .. i end
  local coordinates, links = { S:coordinates(table.concat(names, " ")) }, {}
  local support = chance(0.3) and { vx = decimal(0, 1)*cos(2*hm.t), vy = hm.number(0), x = nil } or { vx = hm.number(0), vy = hm.number(0) }
  support.y, support.w, support.angle = hm.number(0), hm.number(0), hm.number(0)
  local T, V = hm.number(0), hm.number(0)
  for i, a in ipairs(coordinates) do
    local from = chance(0.75) and links[i - 1] or links[whole(0, i - 1)] or support
    local angle, w = relative and from.angle + a or a, relative and from.w + a.dot or a.dot
    local l, m = decimal(0.3, 1.5), massless and i == n and n > 1 and hm.number(0) or mass(extreme)
    local link = { angle = angle, w = w, vx = from.vx + l*cos(angle)*w, vy = from.vy + l*sin(angle)*w, y = from.y - l*cos(angle) }
    links[i] = link
    T, V = T + m*(link.vx^2 + link.vy^2)/2, V + m*link.y
    if chance(0.3) then T = T + decimal(0.1, 1)*w^2/2 end
    if chance(0.3) then S:force(a, -a.dot*decimal(0, 1)) end
    q[names[i]], v[names[i]] = random(-1.5, 1.5), random(-1, 1)
  end
  if chance(0.2) then T = T:expand() end                                  -- no tree is left in it
  S:kinetic_energy(T)
  S:potential_energy(V)
  -- the end of a branch is held, or a blade is fixed to it
  local last = links[n]
  if n > 2 and chance(0.5) then
    local rows = chance(0.5) and 2 or 1
    if rows == 2 then
      S:constraint("end x", last.vx)
      S:constraint("end y", last.vy)
    else
      S:constraint("blade", last.vy*cos(last.angle) - last.vx*sin(last.angle) + last.w/3)
    end
    for i = 1, rows do v[names[i]] = nil end
    if rows == 2 and chance(0.3) then                                     -- stretched: both rows nearly depend on each other
      for i = 1, n do q[names[i]] = (relative and i > 1 and 0 or 0.4) + random(-1, 1)*10^random(-9, -1) end
    end
  end
  return S, { q = q, v = v, t = 0.3, rtol = 1e-10, atol = 1e-10, max_steps = 1000, progress = false }
end

local function run_of(S, o, elimination)
  o.elimination = elimination
  local fine, run = pcall(S.simulate, S, o)
  if fine then return run, run.status end
  return nil, tostring(run)
end

-- Largest difference of the ends, beside what the motion itself makes of the last digits of the start
local function apart(a, b, names)
  local largest = 0
  local one, other = a:at(a.span[2]), b:at(b.span[2])
  for _, name in ipairs(names) do
    largest = math.max(largest, math.abs(one.q[name] - other.q[name])/(1 + math.abs(one.q[name])),
      math.abs(one.v[name] - other.v[name])/(1 + math.abs(one.v[name])))
  end
  return largest
end

-- The dense run with a start that is off by 1e-10: what errors of that size grow to
local function sensitivity(S, o, dense)
  local moved = { t = o.t, rtol = o.rtol, atol = o.atol, max_steps = o.max_steps, v = o.v, q = {} }
  for name, value in pairs(o.q) do moved.q[name] = value + 1e-10 end
  local run = run_of(S, moved, "dense")
  return run and run.status == "OK" and apart(dense, run, dense.names) or 1
end

local counts = { compared = 0, stopped = 0, refused = 0, chosen = 0, handed = 0 }
for number = 1, draws do
  local S, o = tree(number)
  local dense, said = run_of(S, o, "dense")
  for _, way in ipairs{ "graph", "cheapest" } do
    local run, other = run_of(S, o, way)
    if run and dense and run.status == "OK" and dense.status == "OK" then
      local difference = apart(dense, run, dense.names)
      local allowed = difference > 1e-7 and 1e-7 + 100*sensitivity(S, o, dense) or 1e-7
      if difference > allowed then
        error(("system %d, %s: the ends differ by %.3g, allowed are %.3g\n%s"):format(number, way, difference, allowed, tostring(S)))
      end
      counts.compared = counts.compared + 1
      counts.handed = counts.handed + (run.outcome.handed_over > 0 and 1 or 0)
    elseif run and run.status == "OK" then
      -- the dense one stopped or refused: the other one may only know better where its energy balance shows it
      if math.abs(run.energy_drift) > 1e-6 then
        error(("system %d, %s: OK with a drift of %.3g where the dense one says %s"):format(number, way, run.energy_drift, said))
      end
      counts.stopped = counts.stopped + 1
    elseif run or other then
      if dense and dense.status == "OK" and way == "cheapest" and not (run and run.status == "TOO_MANY_STEPS") then
        error(("system %d: the chosen way says '%s', the dense one OK\n%s"):format(number, other or run.status, tostring(S)))
      end
      counts.refused = counts.refused + 1
    end
    if way == "cheapest" and run and run.model:by_graph() then counts.chosen = counts.chosen + 1 end
  end
end
print(("%d runs compared (%d with states handed over), %d OK where the dense one is not, %d refused or stopped; the graph was chosen %d times"):format(
  counts.compared, counts.handed, counts.stopped, counts.refused, counts.chosen))
assert(counts.compared > draws, "too few comparisons")
