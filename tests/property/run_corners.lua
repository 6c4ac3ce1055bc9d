-- Random forces with switches, windows, hills and measured data in time, and with corners in place: every method is right to the tolerance.
-- Arbiters: the integral of sin(T - s) F(s), piece by piece between the exact corners; parabolas from corner to corner.
--   build/hamel tests/property/run_corners.lua [SEED [FORCES]]; HML_SEED, and HML_SCALE, which multiplies the forces
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local seed = math.tointeger(tonumber(arg[1] or os.getenv "HML_SEED" or os.time()))
local count = math.tointeger(tonumber(arg[2] or 6*(tonumber(os.getenv "HML_SCALE") or 1)))
print(("run_corners: seed %d, %d forces of a kind"):format(seed, count))
local between = check.generator(seed)
local END = 12

local methods = { "dop853", "rkf45", "rk8pd", "msadams", "msbdf", "radau5", "auto", "taylor", "gauss8" }
local loose = { msadams = 1e-4, msbdf = 1e-4, rkf45 = 1e-6, radau5 = 1e-6 }   -- what their errors per step may add up to

-- ---- forces of time: an expression, its value, its corners

local function comb(w, phase, list)                                      -- roots of sin(w t + phase)
  for k = math.ceil(phase/math.pi), math.floor((w*END + phase)/math.pi) do list[#list + 1] = (k*math.pi - phase)/w end
end

local function sign(x) return x > 0 and 1 or x < 0 and -1 or 0 end

local terms = {
  function()                                                             -- a square wave
    local a, w, phase, list = between(-2, 2), between(1, 40), between(0, 3), {}
    comb(w, phase, list)
    return a*hm.sign(hm.sin(w*hm.t + phase)), function(s) return a*sign(math.sin(w*s + phase)) end, list
  end,
  function()                                                             -- a window, down to very narrow ones
    local at, half, height = between(1, END - 1), 10^between(-4, 0), between(-5, 5)
    return hm.max(0, height*(1 - ((hm.t - at)/half)^2)) + hm.min(0, height*(1 - ((hm.t - at)/half)^2)*hm.sign(half - hm.abs(hm.t - at))/2),
      function(s)
        local hill = height*(1 - ((s - at)/half)^2)
        return math.max(0, hill) + math.min(0, hill*sign(half - math.abs(s - at))/2)
      end, { at - half, at, at + half }
  end,
  function()                                                             -- a force that acts for a while
    local from, length, a = between(0, END), 10^between(-3, 0.5), between(-3, 3)
    return a*(hm.sign(hm.t - from) - hm.sign(hm.t - from - length))/2, function(s) return a*(sign(s - from) - sign(s - from - length))/2 end,
      { from, from + length }
  end,
  function()                                                             -- a clipped sine
    local w, level, list = between(1, 12), between(-0.9, 0.9), {}
    for k = -1, math.ceil(w*END/(2*math.pi)) do
      for _, angle in ipairs{ math.asin(level), math.pi - math.asin(level) } do list[#list + 1] = (angle + 2*math.pi*k)/w end
    end
    return hm.max(0, hm.sin(w*hm.t) - level), function(s) return math.max(0, math.sin(w*s) - level) end, list
  end,
  function()                                                             -- measured data
    local x, y, kinds = { 0 }, { 0 }, { "linear", "akima", "steffen", "cubic" }
    while x[#x] < END do x[#x + 1], y[#y + 1] = x[#x] + 10^between(-3, 0.3), between(-2, 2) end
    while #x < 5 do x[#x + 1], y[#y + 1] = x[#x] + 1, 0 end
    local kind = kinds[math.floor(between(1, 5))]
    local u = hm.data{ x = x, y = y, kind = kind, name = "u" .. math.floor(between(0, 1e9)) }
    return u(hm.t), function(s) return u(s) end, x
  end,
}

local NODES = { 0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845, 0.9739065285171717 }
local WEIGHTS = { 0.2955242247147529, 0.2692667193099963, 0.2190863625159820, 0.1494513491505806, 0.0666713443086881 }

-- Integral of sin(T - s) F(s) over a piece, in parts short enough for ten points
local function integral(f, a, b, T)
  local parts, sum = math.ceil((b - a)/0.1), 0
  for k = 0, parts - 1 do
    local half = (b - a)/(2*parts)
    local middle = a + (2*k + 1)*half
    for i, node in ipairs(NODES) do
      for _, s in ipairs{ middle - node*half, middle + node*half } do sum = sum + WEIGHTS[i]*half*math.sin(T - s)*f(s) end
    end
  end
  return sum
end

local function response(f, corners, T)
  local list, sum = { 0, T }, 0
  for _, s in ipairs(corners) do if s > 0 and s < T then list[#list + 1] = s end end
  table.sort(list)
  for i = 2, #list do if list[i] > list[i - 1] then sum = sum + integral(f, list[i - 1], list[i], T) end end
  return sum
end

local function oscillator(force)
  local S, x = mechanics.body("oscillator", "x")
  S:potential_energy(x^2/2)
  S:force(x, force)
  return S
end

local function compare(S, start, wanted, what)
  for _, method in ipairs(methods) do
    local step = method == "gauss8" and 0.01 or nil
    local run = S:simulate{ q = { x = start[1] }, v = { x = start[2] }, t = start[3], method = method, rtol = 1e-10, atol = 1e-10, step = step }
    local fine = run.status == "OK" or run.status == "INACCURATE"         -- the work of multistep methods is coarser than the motion
    if not fine then error(("%s by %s: %s: %s"):format(what, method, run.status, run.reason)) end
    check.near(run:at(start[3]).x, wanted, loose[method] or 3e-8, ("%s by %s"):format(what, method))
  end
end

for k = 1, count do
  local force, values, corners = 0, {}, {}
  local which = {}
  for _ = 1, math.floor(between(1, 4)) do
    local n = math.floor(between(1, #terms + 1))
    local e, f, list = terms[n]()
    force, values[#values + 1], which[#which + 1] = force + e, f, n
    table.move(list, 1, #list, #corners + 1, corners)
  end
  local function total(s)
    local sum = 0
    for _, f in ipairs(values) do sum = sum + f(s) end
    return sum
  end
  compare(oscillator(force), { 0, 0, END }, response(total, corners, END), ("force %d of seed %d (%s)"):format(k, seed, table.concat(which, " ")))
end

-- ---- forces of place: potentials k |x - a|, whose motion is made of parabolas

local function walls(n)
  local list = {}
  for i = 1, n do list[i] = { k = between(0.3, 2), a = between(-2, 2) } end
  return list, function(x)
    local sum = 0
    for _, wall in ipairs(list) do sum = sum + wall.k*hm.abs(x - wall.a) end
    return sum
  end
end

local function first_root(a, v, c)                                       -- of c + v t + a t^2/2, the least above rounding
  local d = v*v - 2*a*c
  if a == 0 or d < 0 then return a == 0 and v ~= 0 and -c/v > 1e-9 and -c/v or math.huge end
  local best, q = math.huge, -(v + (v < 0 and -1 or 1)*math.sqrt(d))
  for _, s in ipairs{ q/a, q ~= 0 and 2*c/q or 0 } do if s > 1e-9 and s < best then best = s end end
  return best
end

local function parabolas(list, x, v, T)
  local t = 0
  while true do
    local a, ahead, at = 0, math.huge, nil
    for _, wall in ipairs(list) do
      local side = x ~= wall.a and sign(x - wall.a) or sign(v)
      a = a - wall.k*side
    end
    for _, wall in ipairs(list) do
      local s = first_root(a, v, x - wall.a)
      if s < ahead then ahead, at = s, wall.a end
    end
    local s = math.min(ahead, T - t)
    x, v, t = x + v*s + a*s*s/2, v + a*s, t + s
    if t >= T then return x end
    x = at
  end
end

for k = 1, count do
  local list, potential = walls(math.floor(between(1, 5)))
  local S, x = mechanics.body("walls", "x")
  S:potential_energy(potential(x))
  local x0, v0 = between(-3, 3), between(-2, 2)
  compare(S, { x0, v0, END }, parabolas(list, x0, v0, END), ("walls %d of seed %d"):format(k, seed))
end
