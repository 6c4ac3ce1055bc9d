-- Highest, lowest and mean values of random functions with corners, jumps and powers, of two oscillations with known solutions: abs, min, max and sign in each
-- other, differences that vanish all the time since a parameter is 1, branches that are equal, zeros that are touched at the start and at turning points.
-- Each is compared with the closed solution on a fine grid, closed in on around its highest points. Values must be right, and few may be refused but for signs
-- and roots of what is zero for a while, which its errors decide.
--   lua tests/property/measures_cornered.lua [seed] [rounds]
local hm = require "hamel"
local sin, cos, abs, min, max = math.sin, math.cos, math.abs, math.min, math.max

local seed = math.tointeger(tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 20261128)
local rounds = math.floor(tonumber(arg and arg[2]) or 40*(tonumber(os.getenv "HML_SCALE") or 1))
math.randomseed(seed, 1)
local function any(list) return list[math.random(#list)] end

local S = hm.system "two oscillators"
local x, y = S:coordinates "x y"
local a = S:parameters "a=1"
S:kinetic_energy(x.dot^2/2 + y.dot^2/2)
S:potential_energy(x^2/2 + 2*y^2)

-- An expression, the same as a function of { x, y, x', y', a }, and whether it may jump
local leaves = {
  { x, function(s) return s[1] end }, { y, function(s) return s[2] end }, { x.dot, function(s) return s[3] end }, { y.dot, function(s) return s[4] end },
  { x, function(s) return s[1] end }, { x.dot, function(s) return s[3] end }, { a*x, function(s) return s[5]*s[1] end },
  { a*y, function(s) return s[5]*s[2] end }, { a*x - x, function(s) return s[5]*s[1] - s[1] end },
  { x - a, function(s) return s[1] - s[5] end }, { a*x^2 + x.dot^2 - 1, function(s) return s[5]*s[1]^2 + s[3]^2 - 1 end },
}

local delicate                         -- functions whose signs or roots are taken

local function power(e, f, n, d)
  table.insert(delicate, f)
  return hm.abs(e)^hm.rational(n, d), function(s) return abs(f(s))^(n/d) end
end

local drawn
local function of_one(depth)
  local e, f, jumps = drawn(depth - 1)
  local kind = math.random(8)
  if kind <= 3 then return hm.abs(e), function(s) return abs(f(s)) end, jumps end
  if kind == 4 then return e^2, function(s) return f(s)^2 end, jumps end
  if kind == 5 then return e^3, function(s) return f(s)^3 end, jumps end
  if kind == 6 then return hm.sin(e), function(s) return sin(f(s)) end, jumps end
  if kind == 7 then
    local n, d = table.unpack(any{ { 3, 2 }, { 4, 3 }, { 5, 2 }, { 2, 3 } })
    local p, q = power(e, f, n, d)
    return p, q, jumps
  end
  table.insert(delicate, f)
  return hm.sign(e), function(s) local v = f(s) return v > 0 and 1 or v < 0 and -1 or 0 end, true
end

local function of_two(depth)
  local e, f, j = drawn(depth - 1)
  local g, h, k = drawn(depth - 1)
  local kind, jumps = math.random(6), j or k
  if kind == 1 then return hm.max(e, g), function(s) return max(f(s), h(s)) end, jumps end
  if kind == 2 then return hm.min(e, g), function(s) return min(f(s), h(s)) end, jumps end
  if kind == 3 then return e + g, function(s) return f(s) + h(s) end, jumps end
  if kind == 4 then return e - g, function(s) return f(s) - h(s) end, jumps end
  if kind == 5 then return e*g, function(s) return f(s)*h(s) end, jumps end
  return e + hm.abs(e), function(s) local v = f(s) return v + abs(v) end, j
end

function drawn(depth)
  if depth == 0 or math.random() < 0.1 then
    local leaf = any(leaves)
    return leaf[1], leaf[2], false
  end
  return any{ of_one, of_two }(depth)
end

local GRID = 4000

-- The highest, lowest and mean values of a function of time from 0 to t1
local function by_grid(f, t1)
  local v, sum, high, low = {}, 0, -math.huge, math.huge
  for i = 0, GRID do
    v[i] = f(t1*i/GRID)
    sum = sum + v[i]*(i % GRID == 0 and 0.5 or 1)
    high, low = max(high, v[i]), min(low, v[i])
  end
  local wide = high - low
  local function close_in(sign, from, to, take)
    for _ = 1, 60 do
      local c, d = from + (to - from)*0.381966, from + (to - from)*0.618034
      local p, q = sign*f(c), sign*f(d)
      take(p) take(q)
      if p >= q then to = d else from = c end
    end
  end
  local top, bottom = high, low
  for i = 0, GRID do
    local from, to = t1*max(i - 1, 0)/GRID, t1*min(i + 1, GRID)/GRID
    if v[i] > top - 0.02*wide and v[i] >= (v[i - 1] or v[i]) and v[i] >= (v[i + 1] or v[i]) then
      close_in(1, from, to, function(p) high = max(high, p) end)
    end
    if v[i] < bottom + 0.02*wide and v[i] <= (v[i - 1] or v[i]) and v[i] <= (v[i + 1] or v[i]) then
      close_in(-1, from, to, function(p) low = min(low, -p) end)
    end
  end
  return high, low, sum/GRID
end

-- Is one of the delicate functions zero at two times next to each other?
local function lingers(state_at, t1)
  for _, f in ipairs(delicate) do
    local before = math.huge
    for i = 0, 400 do
      local value = abs(f(state_at(t1*i/400)))
      if value < 1e-5 and before < 1e-5 then return true end
      before = value
    end
  end
  return false
end

local checked, refused, undecided, wrong = 0, 0, 0, {}
for round = 1, rounds do
  delicate = {}
  local e, f, jumps = drawn(math.random(2, 4))
  local A, B, phase = any{ 1, 1, 0.7 }, any{ 1, 0.5 }, any{ 0, 0, 1.3 }
  local value_of_a, t1, tolerance = any{ 1, 1, 0.9 }, any{ 3, 7.5, 20 }, any{ 1e-8, 1e-10, 1e-12 }
  local function state_at(t) return { A*cos(t - phase), B*cos(2*t), -A*sin(t - phase), -2*B*sin(2*t), value_of_a } end
  local function at(t) return f(state_at(t)) end
  local high, low, mean = by_grid(at, t1)
  local size = max(1, abs(high), abs(low))
  local rows = S:sweep{ over = { { a, { value_of_a, value_of_a } } }, q = { x = A*cos(phase), y = B }, v = { x = A*sin(phase), y = 0 }, t = t1,
                        rtol = tolerance, atol = tolerance, threads = 1, lanes = any{ 1, 4 }, progress = false,
                        keep = { high = hm.highest(e), low = hm.lowest(e), mean = hm.mean(e) } }
  local row, may_refuse = rows[1], lingers(state_at, t1)
  -- powers of 2/3 turn errors of the states into their roots; a grid misses that much of a jump
  local off = size*(1e-6 + 50*tolerance + (200*tolerance)^(2/3))
  for _, one in ipairs{ { "high", high, jumps and math.huge or off }, { "low", low, jumps and math.huge or off },
                        { "mean", mean, jumps and 0.02*size or off + 2e-4*size } } do
    local name, expected, allowed = table.unpack(one)
    local got = row[name]
    checked = checked + 1
    if not got then
      local decides = row.status == "UNDECIDED" or may_refuse
      refused, undecided = refused + (decides and 0 or 1), undecided + (decides and 1 or 0)
      if not decides and os.getenv "HML_SHOW" then print(round, name, tostring(e), value_of_a, A, phase, row.reason) end
    elseif allowed < math.huge and abs(got - expected) > allowed
      or allowed == math.huge and (got - expected)*(name == "high" and 1 or -1) < -off then
      wrong[#wrong + 1] = ("seed %d, round %d: %s of %s is %.12g, of the solution %.12g; a = %g, A = %g, B = %g, phase %g, t = %g, tolerance %g"):format(
        seed, round, name, tostring(e), got, expected, value_of_a, A, B, phase, t1, tolerance)
    end
  end
end
print(("%d measures with corners: %d refused, %d undecided, %d wrong"):format(checked, refused, undecided, #wrong))
for i = 1, min(#wrong, 10) do print(wrong[i]) end
assert(#wrong == 0 and refused <= 0.02*checked)
