-- time_stepping.lua: random systems with gaps under Moreau's law and friction, by events and by time stepping. Arbiter: each other; the
-- difference shrinks with the step, to first order. HML_SEED, and HML_SCALE, which multiplies the systems.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 1
local systems = math.floor(tonumber(arg and arg[2]) or 20*(tonumber(os.getenv "HML_SCALE") or 1))
print(("time_stepping: seed %d, %d systems"):format(seed, systems))
local random = check.generator(math.floor(seed))
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end

-- A body over a floor that it strikes and rubs on; its coordinates are coupled by the masses
local function random_system(number)
  local n = whole(2, 3)
  local S, names, T = hm.system("random stepping " .. number), {}, hm.number(0)
  for i = 1, n do names[i] = "q" .. i end
  local q = { S:coordinates(table.concat(names, " ")) }
  for i = 1, n do
    T = T + random(1, 3)*q[i].dot^2/2
    for j = 1, i - 1 do T = T + random(-0.3, 0.3)*q[i].dot*q[j].dot end
    S:force(q[i], i == 1 and -random(5, 10) or random(-1, 1) + random(-1, 1)*hm.sin(3*hm.t))
  end
  S:kinetic_energy(T)
  local floor = q[1]
  for i = 2, n do floor = floor + random(-0.2, 0.2)*q[i] end
  S:unilateral("floor", floor, { law = hm.moreau(random(0, 0.6)) })
  local slip = n == 3 and whole(1, 2) == 1 and { q[2].dot, q[3].dot } or q[2].dot
  S:friction("rub", { slip = slip, normal = "floor", coefficient = random(0.1, 0.5) })
  local start = { q = {}, v = {}, t = 1 }
  for i = 1, n do
    start.q["q" .. i], start.v["q" .. i] = i == 1 and random(0.1, 0.5) or 0, random(-1, 1)
  end
  return S, start, names
end

local function with(start, more)
  local o = {}
  for k, v in pairs(start) do o[k] = v end
  for k, v in pairs(more) do o[k] = v end
  return o
end

local STEPS = { 4e-3, 1e-3, 2.5e-4 }
local sums = {}
for number = 1, systems do
  local S, start, names = random_system(number)
  local where = ("seed %d, system %d"):format(seed, number)
  local exact = S:simulate(with(start, { rtol = 1e-10, atol = 1e-11 }))
  assert(exact.status == "OK", where .. ": " .. tostring(exact.reason))
  for k, step in ipairs(STEPS) do
    local run = S:simulate(with(start, { method = "moreau", step = step }))
    assert(run.status == "OK", where .. ": " .. tostring(run.reason))
    local off = 0
    for _, name in ipairs(names) do off = math.max(off, math.abs(run[#run][name] - exact[#exact][name])) end
    if off > 20*step then error(("%s: time stepping by %g is off by %.3g"):format(where, step, off)) end
    sums[k] = (sums[k] or 0) + off
  end
end
local order = math.log(sums[1]/sums[#STEPS])/math.log(STEPS[1]/STEPS[#STEPS])
print(("  order %.3f, errors %.3g, %.3g, %.3g in the mean"):format(order, sums[1]/systems, sums[2]/systems, sums[3]/systems))
assert(order > 0.8)
