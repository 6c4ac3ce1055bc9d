-- Motions so simple that one step may lead far beyond a singular place: free parallelograms through their flat position, free tops through the
-- lock of their angles, and constraints whose whole row vanishes where the motion comes to rest or meets another branch. Every method, sweeps
-- and S:reference stop there, with the same status, at the time known in closed form, wherever the end lies. A run that comes to its end beyond
-- the place and says INACCURATE is a refusal too, since nothing of it is called OK; only few may end so.
--   build/hamel tests/property/huge_steps.lua [SEED [ROUNDS]]
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

local seed = math.tointeger(tonumber(arg and arg[1] or os.getenv "HML_SEED" or os.time()))
local rounds = check.draws(2)
math.randomseed(seed)
print(("seed %d"):format(seed))
local function between(a, b) return a + (b - a)*math.random() end
local function sign() return math.random(0, 1) == 0 and -1 or 1 end

local cases = {}

function cases.parallelogram()
  local S = mechanics.parallelogram(between(0.5, 2), between(0.5, 2.5), between(0.2, 2))
  local start, rate = between(0.2, 2.9), sign()*between(0.5, 2)
  return S, { a = start, b = 0, c = start }, { a = rate }, rate < 0 and -start/rate or (math.pi - start)/rate, "DEPENDENT_CONSTRAINTS"
end

function cases.lock()
  local S = mechanics.top(between(0.2, 2))
  local start, rate = between(0.2, 2.9), sign()*between(0.5, 1.5)
  return S, { phi = 0, theta = start, psi = 0 }, { phi = 0, theta = rate, psi = 0 }, rate < 0 and -start/rate or (math.pi - start)/rate, "SINGULAR_MASS"
end

-- up a generator of the cone of velocities: z'' = -g/2
function cases.cone()
  local S, m, g = hm.system "cone", between(0.5, 2), between(0.5, 10)
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2 + z.dot^2))
  S:potential_energy(m*g*z)
  S:constraint("cone", x.dot^2 + y.dot^2 - z.dot^2)
  local vx, vy = between(-5, 5), between(1, 5)
  local vz = math.sqrt(vx^2 + vy^2)
  return S, { x = 0, y = 0, z = 0 }, { x = vx, y = vy, z = vz }, 2*vz/g, "DEPENDENT_CONSTRAINTS"
end

-- x' = k y' against a force -g on x: y'' = -g k/(1 + k^2)
function cases.two_lines()
  local S, k, g = hm.system "lines", between(0.5, 2), between(0.5, 5)
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(x, -g)
  S:constraint("lines", x.dot^2 - k^2*y.dot^2)
  local v = between(0.5, 3)
  return S, { x = 0, y = 0 }, { x = k*v, y = v }, v*(1 + k^2)/(g*k), "DEPENDENT_CONSTRAINTS"
end

-- a speed prescribed, which goes through zero
function cases.prescribed_speed()
  local S, at = hm.system "speed", between(0.5, 3)
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:constraint("speed", x.dot^2 + y.dot^2 - (1 - hm.t/at)^2)
  local angle = between(0, 6)
  return S, { x = 0, y = 0 }, { x = math.cos(angle), y = math.sin(angle) }, at, "DEPENDENT_CONSTRAINTS"
end

-- positions on two planes that cross; along one of them
function cases.branches()
  local S, k = hm.system "branches", between(0.5, 2)
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:constraint("planes", x^2 - hm.number(k)^2*y^2)
  local start, v = between(0.3, 2), between(0.5, 2)
  return S, { x = -k*start, y = -start, z = 0 }, { x = k*v, y = v, z = between(-1, 1) }, start/v, "DEPENDENT_CONSTRAINTS"
end

function cases.row()
  local S, level, rate = hm.system "row", between(0.3, 2), between(0.5, 1.5)
  local x, y = S:coordinates "x y"
  S:kinetic_energy(between(0.5, 2)*x.dot^2 + between(0.5, 2)*y.dot^2)
  S:constraint("row", x.dot*(y - level))
  return S, { x = 0, y = 0 }, { x = 0, y = rate }, level/rate, "DEPENDENT_CONSTRAINTS"
end

local names = { "parallelogram", "lock", "cone", "two_lines", "prescribed_speed", "branches", "row" }
local methods = { "dop853", "taylor", "auto", "radau5", "rk8pd", "rkf45", "msadams", "msbdf" }
local ends = { 1.05, 1.4, 2, math.pi, 4*math.pi, 20 }
local runs, refused, wrong = 0, 0, {}

local function demand(right, what, ...)
  runs = runs + 1
  if not right then wrong[#wrong + 1] = what:format(...) end
end

local function texts(list)
  local out = {}
  for name, value in pairs(list) do out[name] = ("%.17g"):format(value) end
  return out
end

for _ = 1, rounds do
  for _, kind in ipairs(names) do
    local S, q, v, time, status = cases[kind]()
    for _, part in ipairs(ends) do
      for k, method in ipairs(methods) do
        local tolerance = 10.0^-math.random(3, 11)
        local run = S:simulate{ q = q, v = v, t = part*time, method = method, rtol = tolerance, atol = tolerance, progress = false }
        local there = math.abs(run.outcome.t - time) < 1e-5*math.max(1, time)
        refused = refused + (run.status == "INACCURATE" and 1 or 0)
        demand(run.status == status and there or run.status == "INACCURATE", "%s by %s at %g to %g: %s at %.12g for %s at %.12g", kind, method,
          tolerance, part, run.status, run.outcome.t, status, time)
        if k <= 2 then
          local name = kind == "row" and "q.x" or kind == "parallelogram" and "q.a" or kind == "lock" and "q.phi" or "q.x"
          local first = q[name:sub(3)]
          local over = kind == "branches" and { "q.z", hm.range(-1, 1, 9) } or kind == "parallelogram" and { "v.a", hm.range(v.a, 1.2*v.a, 9) }
            or { name, hm.range(first, first + 1, 9) }
          local W = S:sweep{ over = { over }, q = q, v = v, t = part*time, method = method, rtol = tolerance, atol = tolerance, progress = false }
          for _, row in ipairs(W) do
            refused = refused + (row.status == "INACCURATE" and 1 or 0)
            demand(row.status == status or row.status == "INACCURATE", "%s in a sweep by %s at %g to %g: %s for %s, %s", kind, method,
              tolerance, part, row.status, status, tostring(row.reason))
          end
        end
      end
    end
    local fine, why = pcall(S.reference, S, { q = texts(q), v = texts(v), t = ("%.17g"):format(1.4*time) })
    local said = false
    for _, words in ipairs{ "restrains no acceleration", "depend on each other", "no inertia" } do said = said or not fine and why:find(words, 1, true) end
    demand(said, "%s by S:reference: %s", kind, tostring(why))
  end
end
demand(refused <= 3 + runs/100, "%d of %d say INACCURATE, which is more than few", refused, runs)
if #wrong > 0 then error(("seed %d, %d of %d:\n%s"):format(seed, #wrong, runs, table.concat(wrong, "\n", 1, math.min(#wrong, 20))), 0) end
print(("%d runs stop where they must, %d of them say INACCURATE"):format(runs, refused))
