-- impact_branches.lua: random driven oscillators with walls, moving walls and dry friction: points of branches are motions, with their multipliers.
-- Arbiter: runs, whose events are found without the equations of the branch; multipliers by differences of runs.
local hm, check = require "hamel", require "check"
local states = require "hamel.continuation.states"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local count = check.draws(8)
print(("impact branches: seed %d, %d systems"):format(seed, count))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function chance(p) return random(0, 1) < p end

local function draw(number)
  local S = hm.system("system " .. number)
  local n = chance(0.4) and 2 or 1
  local list = { S:coordinates(n == 2 and "x y" or "x") }
  local frequency = random(0.7, 2.5)
  local w, d = S:parameters(("w=%.17g d=%.6f"):format(frequency, random(0.2, 0.8)))
  local energy, potential = hm.number(0), hm.number(0)
  for i, q in ipairs(list) do
    energy, potential = energy + random(0.5, 2)*q.dot^2/2, potential + random(0.5, 2)*q^2/2
    S:force(q, -random(0.1, 0.3)*q.dot + (i == 1 and random(0.8, 1.5)*hm.cos(w*hm.t) or 0))
    if i == 2 then energy, potential = energy + random(-0.2, 0.2)*q.dot*list[1].dot, potential + random(0.2, 0.6)*(q - list[1])^2/2 end
  end
  S:kinetic_energy(energy)
  S:potential_energy(potential)
  local x = list[1]
  S:unilateral("right", d + (chance(0.3) and random(0.02, 0.1)*hm.sin(w*hm.t) or 0) - x, { law = hm.newton(random(0.4, 0.95)) })
  if chance(0.4) then S:unilateral("left", x + d*random(0.8, 1.5), { law = hm.newton(random(0.4, 0.95)) }) end
  if chance(0.3) then S:friction("rub", { slip = (list[2] or x).dot, normal = 1, coefficient = random(0.02, 0.1) }) end
  return S, w, 2*math.pi/frequency
end

local function by_name(S, values)
  local s = { q = {}, v = {} }
  for i, name in ipairs(S.coordinate_names) do s.q[name], s.v[name] = values[i], values[i + #S.coordinate_names] end
  return s
end

local function values_of(S, s)
  local list = {}
  for _, key in ipairs{ "q", "v" } do for _, name in ipairs(S.coordinate_names) do list[#list + 1] = s[key][name] end end
  return list
end

-- The end of a run, and its smallest velocity of approach
local function flown(S, s, from, to, parameters)
  local run = S:simulate{ q = s.q, v = s.v, t = { from, to }, parameters = parameters, rtol = 1e-12, atol = 1e-13 }
  assert(run.status == "OK", run.reason)
  return run:at(to)
end

local H = 1e-6

local function multipliers(S, s, from, to, parameters)
  local base, rows = values_of(S, s), {}
  for j = 1, #base do
    local sides = {}
    for k, h in ipairs{ H, -H } do
      local moved = table.move(base, 1, #base, 1, {})
      moved[j] = moved[j] + h
      sides[k] = values_of(S, flown(S, by_name(S, moved), from, to, parameters))
    end
    for i = 1, #base do
      rows[i] = rows[i] or {}
      rows[i][j] = (sides[1][i] - sides[2][i])/(2*H)
    end
  end
  return states.eigenvalues(rows)
end

-- Every multiplier of the point is one of the list; all others of the list are zero
local function compare(point, list, what)
  local size, rest = 1, table.move(list, 1, #list, 1, {})
  for _, m in ipairs(list) do size = math.max(size, states.modulus(m)) end
  local function off(a, b) return math.sqrt((a.re - b.re)^2 + (a.im - b.im)^2) end
  for _, m in ipairs(point.multipliers) do
    local best = 1
    for i, other in ipairs(rest) do if off(m, other) < off(m, rest[best]) then best = i end end
    -- two that nearly meet are known to the root of the error
    check.near(off(m, rest[best])/size, 0, 2e-4, what)
    table.remove(rest, best)
  end
  for _, m in ipairs(rest) do check.near(states.modulus(m)/size, 0, 2e-4, what) end
end

local BESIDE = 0.02                    -- velocities of approach and durations below: the differences step over the event

local function is_clear(point)
  for _, impact in ipairs(point.impacts) do if impact.velocity < BESIDE then return false end end
  for _, event in ipairs(point.sequence) do if event.duration < BESIDE*point.period then return false end end
  return point.admissible
end

local function judge(S, point, what)
  local from = point.t + 0.4*point.sequence[1].duration
  local start = flown(S, point, point.t, from, point.parameters)
  local last = flown(S, start, from, from + point.period, point.parameters)
  local one, other = values_of(S, start), values_of(S, last)
  local growth = 1
  for _, m in ipairs(point.multipliers) do growth = math.max(growth, states.modulus(m)) end
  for i, value in ipairs(one) do check.near(other[i], value, 1e-8*growth, what) end
  compare(point, multipliers(S, start, from, from + point.period, point.parameters), what)
end

local followed, judged = 0, 0
for number = 1, count do
  local S, w, period = draw(number)
  local rest = {}
  for i = 1, 2*#S.coordinate_names do rest[i] = 0 end
  local state = flown(S, by_name(S, rest), 0, 120.3*period)
  for _, times in ipairs{ 1, 2 } do
    local fine, B = pcall(S.continue, S, { periodic = { q = state.q, v = state.v, t = state.t, period = times*2*hm.pi/w }, along = "d",
      from = 0.1, to = 0.9, points = 12 })
    if fine and #B.points[1].sequence > 0 then
      followed = followed + 1
      for i = 1, #B.points, 6 do
        local point = B.points[i]
        if is_clear(point) then
          judge(S, point, ("system %d (seed %d), d = %.17g"):format(number, seed, point.value))
          judged = judged + 1
        end
      end
      break
    end
  end
end
print(("impact branches: %d branches, %d points"):format(followed, judged))
assert(count < 8 or followed >= count//4, "hardly any system has a periodic motion")
