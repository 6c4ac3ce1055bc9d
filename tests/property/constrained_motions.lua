-- Random systems with holonomic, moving, linear and nonlinear constraints, wells, walls, pulses and stiff partners: a run with the status OK is
-- right to a multiple of its tolerance, and so is what a run that stops keeps. What arbitrates: DOP853 at 1e-13 with short steps, and beside it
-- Radau IIA. Errors count in tolerances times what the motion makes of a small change of its start; at a spike, where time and state trade
-- places, per size of the acceleration.
--   build/hamel tests/property/constrained_motions.lua [SEED [SYSTEMS]]; HML_SEED, and HML_SCALE, which multiplies the systems
local check, hm = require "check", require "hamel"

local seed = math.tointeger(tonumber(arg and arg[1] or os.getenv "HML_SEED" or os.time()))
local systems = check.draws(4)
print(("seed %d"):format(seed))
local function between(a, b) return a + (b - a)*math.random() end
local function chance(p) return math.random() < p end
local function one_of(list) return list[math.random(#list)] end

local SAMPLES, ASIDE, EPS = 200, 1e-7, 1e-6
local MOST = { dop853 = 1000, taylor = 1000, auto = 1000, radau5 = 1000, rk8pd = 1000, rkf45 = 2000, msadams = 5000, msbdf = 5000 }     -- tolerances
local methods = {}
for name in pairs(MOST) do methods[#methods + 1] = name end
table.sort(methods)

-- ---- systems

local shapes = {
  function(s) return hm.exp(-s^2) end, function(s) return 1/(1 + s^2) end, hm.tanh, hm.atan, function(s) return 1/hm.cosh(s)^2 end,
  function(s) return (1 + s^2)^-2 end,
}
local curves = {
  function(x) return between(-1, 1)*hm.sin(between(0.5, 2)*x + between(0, 3)) end, function(x) return between(-0.6, 0.6)*x^2 end,
  function(x) return between(-0.3, 0.3)*x^3 end, function(x) return between(0.2, 1)*hm.exp(-x^2/2) end, function(x) return between(-1, 1)*x end,
}

-- Constraints that hold at the start: a, b, e are coordinates, two or three of them different; at(f) is the value of f there
local kinds = {
  curve = function(a, b, _, at)
    local f = b - one_of(curves)(a)
    return f - at(f)
  end,
  steep = function(a, b, _, at)
    local f = b - between(0.1, 0.6)*one_of(shapes)((a - between(-0.5, 0.5))/10^between(-2, -0.3))
    return f - at(f)
  end,
  circle = function(a, b, _, at) return a^2 + b^2 - at(a^2 + b^2) end,
  moving = function(a, b, _, at) return a^2 + b^2 - at(a^2 + b^2)*(1 + between(0, 0.4)*hm.sin(between(0.5, 4)*hm.t)) end,
  blade = function(a, b, e) return a.dot*hm.sin(e) - b.dot*hm.cos(e) end,
  heisenberg = function(a, b, e) return e.dot - a*b.dot + between(0, 1)*b*a.dot end,
  roll = function(a, b, e) return a.dot - between(0.5, 1.5)*hm.cos(e)*b.dot end,
  row = function(a, b) return (a.dot - between(0.2, 1)*b.dot)*(b - between(-0.5, 0.5)) end,
  speed = function(a, b) return a.dot^2 + b.dot^2 - between(0.3, 2) end,
  cone = function(a, b, e) return e.dot - hm.sqrt(a.dot^2 + b.dot^2 + between(0, 0.2)) end,
}
local kind_names = {}
for name in pairs(kinds) do kind_names[#kind_names + 1] = name end
table.sort(kind_names)

local function add_forces(S, q, n, words)
  local V, rate = 0, 1
  for i = 1, n do V = V + between(0.1, 1.5)*q[i]^2/2 end
  for _ = 1, math.random(0, 2) do
    local width, j = 10^between(-3.5, -0.3), math.random(n)
    local s = chance(0.7) and (q[j] - between(-0.5, 0.5))/width or (q[1]^2 + q[2]^2 - between(0.2, 1))/width
    V = V + 10^between(-1.5, 0.5)*one_of{ -1, 1 }*one_of(shapes)(s)
    words[#words + 1] = ("width %.2g"):format(width)
  end
  if chance(0.3) then
    rate = 10^between(1, 3)
    V = V + rate^2*q[n]^2/2
    S:force(q[n], -2*rate*10^between(-1, 0.7)*q[n].dot)
    words[#words + 1] = ("stiffness %.3g"):format(rate)
  end
  if chance(0.2) then S:force(q[1], between(-2, 2)*hm.exp(-((hm.t - between(0.5, 3))/10^between(-3, -0.5))^2)) end
  if chance(0.2) then S:force(q[1], -between(0.1, 1)*hm.tanh(q[1].dot/10^between(-3, -0.5))) end
  if chance(0.15) then S:force(q[2], -between(0.1, 1)*hm.abs(q[1])) end
  S:potential_energy(V)
  return rate
end

-- System, options of a run, words, rate of its stiffest spring
local function draw()
  local S, n, words = hm.system "random", math.random(2, 4), {}
  local q = { S:coordinates(("x y z w"):sub(1, 2*n - 1)) }
  local T, start, values, v = 0, {}, {}, {}
  for i = 1, n do
    T = T + between(0.5, 2)*q[i].dot^2/2
    local j = math.random(n)
    if chance(0.3) then T = T + between(0, 0.8)*(q[i].dot*hm.sin(q[j]) + q[j].dot*hm.cos(q[i]))^2/2 end
    start[tostring(q[i])], v[tostring(q[i])] = between(-1, 1), between(-1.5, 1.5)
    values[q[i]] = hm.number(start[tostring(q[i])])
  end
  S:kinetic_energy(T)
  local rate = add_forces(S, q, n, words)
  for c = 1, math.random(0, n - 1) do
    local kind = one_of(kind_names)
    words[#words + 1] = kind
    S:constraint("c" .. c, kinds[kind](q[(c - 1) % n + 1], q[c % n + 1], q[(c + 1) % n + 1], function(f) return f:subs(values) end))
  end
  return S, { q = start, v = v, t = between(2, 5), progress = false }, table.concat(words, ", "), rate
end

local function run_of(S, o, method, tolerance, with)
  local all = { method = method, rtol = tolerance, atol = tolerance, max_steps = 100000 }
  for _, list in ipairs{ o, with or {} } do for k, value in pairs(list) do all[k] = value end end
  local fine, run = pcall(S.simulate, S, all)
  return fine and run or nil
end

-- Options with as many of the velocities as the constraints leave open, nil: no start was found
local function consistent(S, o)
  local names, masks = S.coordinate_names, {}
  for mask = 0, (1 << #names) - 1 do masks[#masks + 1] = mask end
  local function count(mask) return mask == 0 and 0 or (mask & 1) + count(mask >> 1) end
  table.sort(masks, function(a, b) return count(a) ~= count(b) and count(a) > count(b) or count(a) == count(b) and a < b end)
  for _, mask in ipairs(masks) do
    local v = {}
    for i, name in ipairs(names) do if mask >> (i - 1) & 1 == 1 then v[name] = o.v[name] end end
    local run = run_of(S, { q = o.q, v = v, t = 1e-9, progress = false }, "dop853", 1e-9)
    if run and run.status == "OK" then return { q = o.q, v = v, t = o.t, progress = false } end
  end
end

-- ---- comparison

-- Accelerations of the reference about t, which may be an end of it
local function accelerations(reference, t, t_end)
  local a, b = math.max(0, t - EPS), math.min(t_end, t + EPS)
  local one, other, list = reference:at(a), reference:at(b), {}
  for name, value in pairs(one.v) do list[name] = math.abs(other.v[name] - value)/(b - a) end
  return list
end

-- The largest difference of two runs, in sizes of the states and of their rates
local function difference(run, reference, times, t_end)
  local worst, at = 0, 0
  for _, t in ipairs(times) do
    if t <= t_end then
      local s, u, a = run:at(t), reference:at(t), accelerations(reference, t, t_end)
      for name, value in pairs(u.q) do
        local off = math.max(math.abs(s.q[name] - value)/(1 + math.abs(value) + math.abs(u.v[name])),
          math.abs(s.v[name] - u.v[name])/(1 + math.abs(u.v[name]) + a[name]))
        if not (off <= worst) then worst, at = off, t end
      end
    end
  end
  return worst, at
end

local function times_of(t_end)
  local times = {}
  for k = 0, SAMPLES do times[k + 1] = k == SAMPLES and t_end or t_end*k/SAMPLES end
  return times
end

local function growth(S, o, reference, times, t_end, fine)
  local most = 1
  for name in pairs(o.v) do
    local v = {}
    for other, value in pairs(o.v) do v[other] = value + (other == name and ASIDE or 0) end
    local run = run_of(S, { q = o.q, v = v, t = o.t, progress = false }, "dop853", 1e-12, fine)
    if run and #run > 1 then most = math.max(most, difference(run, reference, times, math.min(t_end, run[#run].t))/ASIDE) end
  end
  return most
end

local wrong, runs, refused, drawn = {}, 0, 0, 0
local function compare(S, o, what, rate)
  local fine = { max_step = o.t/300 }
  local reference, other = run_of(S, o, "dop853", 1e-13, fine), run_of(S, o, "radau5", 1e-12, fine)
  if not reference or #reference < 2 or not other or #other < 2 then return end
  local t_end = reference[#reference].t
  local times = times_of(t_end)
  local grows = rate*growth(S, o, reference, times, t_end, fine)
  -- where the two part, neither arbitrates
  if difference(other, reference, times, math.min(t_end, other[#other].t)) > 1e-8*grows then return end
  drawn = drawn + 1
  for _, method in ipairs(methods) do
    for _, tolerance in ipairs{ 1e-4, 1e-6, 1e-9 } do
      local run = run_of(S, o, method, tolerance)
      runs, refused = runs + 1, refused + ((not run or run.status ~= "OK") and 1 or 0)
      if run and #run > 1 then
        local off, at = difference(run, reference, times, math.min(t_end, run[#run].t))
        if run.status ~= "INACCURATE" and not (off <= MOST[method]*grows*tolerance) then
          wrong[#wrong + 1] = ("%s by %s at %g, %s: off by %.3g at t = %.6g, %.3g tolerances, errors grow %.3g times"):format(what, method, tolerance,
            run.status, off, at, off/tolerance, grows)
        end
      end
    end
  end
end

for k = 1, systems do
  math.randomseed(seed*1000 + k)
  local S, o, what, rate = draw()
  local start = consistent(S, o)
  if start then compare(S, start, ("system %d: %s"):format(k, what), rate) end
end
if #wrong > 0 then error(("seed %d, %d of %d:\n%s"):format(seed, #wrong, runs, table.concat(wrong, "\n", 1, math.min(#wrong, 20))), 0) end
if drawn >= 20 and refused > 0.3*runs then error(("seed %d: %d of %d runs are refused, which is more than few"):format(seed, refused, runs), 0) end
print(("seed %d: %d runs of %d random constrained systems, %d refused"):format(seed, runs, drawn, refused))
