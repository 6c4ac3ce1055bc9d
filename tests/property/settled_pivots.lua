-- Runs look for singular places at no step where ranges over all states show that there are none. Random systems beside their twins, for which that
-- cannot be shown: a coordinate z at rest, with (1 + z^2) L + z'^2/2 in place of L, leaves the motion as it is and the pivots without bounds. Some have
-- inertias that vanish at states or times, others come close to that or stay far from it, some turn at corners. Both must end alike: same status, same
-- time, same state, whichever run of the model it is and whatever its parameters were before.
--   build/hamel tests/property/settled_pivots.lua [SEED [ROUNDS]]
local hm, check = require "hamel", require "check"
local sin, cos = hm.sin, hm.cos

local seed = math.tointeger(tonumber(arg and arg[1] or os.getenv "HML_SEED" or os.time()))
local rounds = check.draws(6)
math.randomseed(seed)
print(("seed %d"):format(seed))
local function between(a, b) return a + (b - a)*math.random() end

-- Inertia a + b w beside m, with w a sine of the state or the time, and a term of coupling c
local kinds = {}
function kinds.wave(q) return sin(q + 0.3) end
function kinds.clock() return sin(hm.t) end
function kinds.corner(q) return (sin(q) + hm.abs(sin(q)))/2 end
function kinds.square(q) return 1 - 2*cos(q)^2 end

local function make(kind, twin)
  local S = hm.system(twin and "twin" or "settled")
  local q, y = S:coordinates "q y"
  local m, a, b, c, g, d = S:parameters "m=1 a=2 b=1 c=0.1 g=1 d=3"
  local T = (m*q.dot^2 + (a - b*kinds[kind](q))*y.dot^2)/2 + c*cos(q - y)*q.dot*y.dot
  local V = g*cos(q) + g/(d + cos(y))
  if twin then
    local z = S:coordinates "z"
    T, V = (1 + z^2)*T + z.dot^2/2, (1 + z^2)*V
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  return S
end

-- far: nothing vanishes; close: the least inertia is a hundredth; through: it vanishes, at states that the motion may reach
local draws = {
  far = function() return { a = between(1.5, 3), b = between(-1, 1), c = between(-0.4, 0.4), d = between(2, 3) } end,
  close = function() return { a = 1, b = 0.99, c = between(-0.02, 0.02), d = 1.05 } end,
  through = function() return { a = between(0.6, 0.9), b = 1, c = 0, d = between(1.5, 3) } end,
}
local sizes = { "far", "close", "through", "far" }
local methods, adaptive = { "rk4", "gauss4", "dop853", "taylor", "auto", "msbdf" }, 3
local steps = { rk4 = 0.01, gauss4 = 0.01 }

local function run_of(S, o, twin)
  local q, v = { q = o.q.q, y = o.q.y }, { q = o.v.q, y = o.v.y }
  if twin then q.z, v.z = 0, 0 end
  local fine, run = pcall(S.simulate, S, { q = q, v = v, t = o.t, parameters = o.parameters, method = o.method, step = steps[o.method], rtol = 1e-10,
                                           atol = 1e-10, progress = false })
  return fine and run or nil, fine and run.status or (run:find("the run cannot start", 1, true) and "REFUSED" or error(run, 0))
end

local ends, settled = {}, 0
local function compare(label, one, other, tolerance)
  local run, status = one()
  local twin, twin_status = other()
  if status ~= twin_status then
    error(("%s: %s, the other %s\n%s\n%s"):format(label, status, twin_status, run and run.reason, twin and twin.reason), 0)
  end
  ends[status] = (ends[status] or 0) + 1
  if not run then return end
  check.near(run.outcome.t, twin.outcome.t, math.max(tolerance, 1e-6), label .. ": end")
  if status ~= "OK" then return end
  for _, name in ipairs{ "q", "y" } do check.near(run.q[name][#run], twin.q[name][#twin], tolerance, label .. ": " .. name) end
  settled = settled + 1
end

for round = 1, rounds do
  for _, kind in ipairs{ "wave", "clock", "corner", "square" } do
    local S, twin = make(kind), make(kind, true)
    for _, size in ipairs(sizes) do
      local method = methods[math.random(size == "through" and adaptive or 1, #methods)]
      local o = { q = { q = between(-0.6, -0.1), y = between(-1, 1) }, v = { q = between(0.8, 1.5), y = size == "through" and 0 or between(-0.3, 0.3) },
                  parameters = draws[size](), t = 3, method = method }
      local label = ("seed %d, round %d, %s, %s, %s"):format(seed, round, kind, size, method)
      compare(label, function() return run_of(S, o) end, function() return run_of(twin, o, true) end, 1e-6)
      compare(label .. ", made anew", function() return run_of(S, o) end, function() return run_of(make(kind), o) end, 0)
    end
  end
end
local words = {}
for status, count in pairs(ends) do words[#words + 1] = ("%s %d"):format(status, count) end
table.sort(words)
print(("%d comparisons of end states; ends: %s"):format(settled, table.concat(words, ", ")))
assert(settled > 0)
