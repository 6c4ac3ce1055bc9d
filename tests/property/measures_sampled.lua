-- Largest, least and mean values, first roots and numbers of roots of random functions with divisors, tangents, logarithms, narrow peaks and corners,
-- against samples of the dense output at very many times. A measure that is not refused agrees with the samples; where the samples show no pole and no
-- missing value, few are refused.
--   lua tests/property/measures_sampled.lua [seed] [runs]
local hm, check = require "hamel", require "check"
local sin, cos, exp, abs = hm.sin, hm.cos, hm.exp, hm.abs

local seed = math.tointeger(tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or 20261127)
local runs = math.floor(tonumber(arg and arg[2]) or 12*(tonumber(os.getenv "HML_SCALE") or 1))
local SAMPLES = 100000
math.randomseed(seed, 1)
local function number(a, b) return a + (b - a)*math.random() end
local function any(list) return list[1 + math.floor(number(0, #list - 1e-9))] end

local function pendulum()
  local S = hm.system "pendulum"
  local theta = S:coordinates "theta"
  S:kinetic_energy(theta.dot^2/2)
  S:potential_energy(-cos(theta))
  return S, { theta, theta.dot, sin(theta) }, { theta = number(-2, 2) }, { theta = number(-1, 1) }
end

local function oscillator()
  local S = hm.system "driven oscillator"
  local x, z = S:coordinates "x z"
  S:kinetic_energy((x.dot^2 + 2*z.dot^2)/2)
  S:potential_energy((x - z)^2/2 + x^4/4)
  S:force(x, cos(hm.t) - x.dot/5)
  return S, { x, z, x.dot, z.dot, x*z, z - x }, { x = number(-1, 1), z = number(-1, 1) }, { x = number(-1, 1), z = number(-1, 1) }
end

local function sleigh()
  local S = check.offset_sleigh(hm)
  local x, y, theta = table.unpack(S:coordinate_list())
  return S, { x, y, theta, theta.dot, sin(theta) }, { x = 0, y = 0, theta = number(-1, 1) }, { x = 1, theta = number(-1, 1) }
end

-- A function of the motion; a, b: random quantities
local function drawn(symbols)
  local a, b, level = any(symbols), any(symbols), number(-0.8, 0.8)
  local d = a - level
  return any{
    1/d, b/d, 1/d^2, -1/abs(d), 1/(d*(b + level)), b/(a^2 + b^2 + number(1e-6, 1)), 1/(number(1e-7, 1e-2) + d^2), hm.tan(3*a), hm.log(d^2 + 1e-4),
    hm.log(abs(d)), hm.atan(1/d), sin(d)/d, d/abs(d), abs(d)^(1/2), 1/abs(d)^(1/3), (1 + number(-3, 3)*d)/(2 + sin(5*b)), exp(-number(1, 1e5)*d^2) + b,
    d + number(1e-3, 1)*exp(-number(1e2, 1e6)*(b - level)^2), sin(number(1, 60)*a) + b, hm.max(d, b), abs(d)*b, hm.sign(d)*b, 1/(1 + 1/d), d/(1e-3 + abs(b)),
    hm.acos(d/3), hm.where(d:gt(0), 1/(1 + abs(d)), b), exp(1/(1 + d^2)), hm.atan2(a, b), hm.tanh(number(1, 300)*d), 1/(exp(d) - 1), hm.sqrt(d^2 + b^2),
  }
end

-- What samples show: largest and least values with how much they change there; mean and how far it is known; changes of sign, and the time of the first one
local function sampled(t, v)
  local s = { top = -math.huge, low = math.huge, size = 0, jumps = 0, poles = false, changes = 0 }
  local sum, coarse = 0, 0
  for i = 1, #v do
    if v[i] ~= v[i] then s.poles = true return s end
    if v[i] > s.top then s.top, s.at_top = v[i], i end
    if v[i] < s.low then s.low, s.at_low = v[i], i end
    s.size = math.max(s.size, math.abs(v[i]))
    local weight = (i == 1 or i == #v) and 0.5 or 1
    sum = sum + weight*v[i]
    if i % 2 == 1 then coarse = coarse + 2*weight*v[i] end
    if i > 1 then s.jumps = math.max(s.jumps, math.abs(v[i] - v[i - 1])) end
    if i > 2 and i < #v and v[i - 1]*v[i] < 0 then
      -- a sign that changes between values that grow towards the change is that of a pole
      local steep = math.abs(v[i - 1]) > math.abs(v[i - 2]) or math.abs(v[i]) > math.abs(v[i + 1])
      if steep then s.steep = true else s.changes, s.first = s.changes + 1, s.first or t[i] end
    end
  end
  local function near(i) return math.max(math.abs(v[i] - (v[i - 1] or v[i])), math.abs(v[i] - (v[i + 1] or v[i]))) end
  s.by_top, s.by_low = near(s.at_top), near(s.at_low)
  s.mean, s.off = sum/(#v - 1), math.abs(sum - coarse)/(#v - 1)
  return s
end

local compared, refused, needless, worst = 0, 0, 0, 0
for round = 1, runs do
  local make = any{ pendulum, oscillator, sleigh }
  local S, symbols, q, v = make()
  -- samples of a motion with constraints are moved onto these
  local length, tolerance, slack = number(3, 12), make == sleigh and 1e-11 or any{ 1e-7, 1e-9, 1e-11 }, make == sleigh and 1e-7 or 1e-8
  local run = S:simulate{ q = q, v = v, t = length, rtol = tolerance, atol = tolerance }
  for _ = 1, 6 do
    local e = drawn(symbols)
    local begun = os.clock()
    local kept = run:keep{ top = hm.highest(e), low = hm.lowest(e), mean = hm.mean(e), first = hm.first(e), count = hm.count(e) }
    local seconds = os.clock() - begun
    assert(seconds < 120, ("%s takes %.3g s"):format(e, seconds))
    local t, values = run:series(e, { n = SAMPLES + 1 })
    local s = sampled(t, values)
    local why = ("%s, seed %d, run %d: "):format(tostring(e), seed, round)
    local function value(name)
      local fine, found = pcall(function() return kept[name] end)
      compared, refused = compared + (fine and 1 or 0), refused + (fine and 0 or 1)
      if not fine and not s.poles and s.size < 1e3 and s.jumps < 0.01*s.size then needless = needless + 1 end
      return fine and found or nil
    end
    local top, low, mean, first, count = value "top", value "low", value "mean", value "first", value "count"
    local small = slack*(1 + s.size)
    if s.poles then
      assert(not top and not low and not mean, why .. "has a value where the samples have none")
    else
      if top then
        assert(top >= s.top - small and top <= s.top + 2*s.by_top + small, ("%slargest value %.15g, of the samples %.15g"):format(why, top, s.top))
        worst = math.max(worst, (s.top - top)/(1 + s.size))
      end
      if low then
        assert(low <= s.low + small and low >= s.low - 2*s.by_low - small, ("%sleast value %.15g, of the samples %.15g"):format(why, low, s.low))
      end
      if mean then
        assert(math.abs(mean - s.mean) <= 8*s.off + 4*s.jumps/SAMPLES + small, ("%smean %.15g, of the samples %.15g"):format(why, mean, s.mean))
      end
      if count and not s.steep then assert(count >= s.changes, ("%s%d roots, of the samples %d"):format(why, count, s.changes)) end
      if first and s.first then assert(first <= s.first + 1e-9, ("%sfirst root %.15g, of the samples %.15g"):format(why, first, s.first)) end
    end
  end
end
print(("%d measures agree with samples; %d refused, %d of them of functions without poles; largest values are at most %.2g below samples"):format(compared,
  refused, needless, worst))
assert(compared > 15*runs and needless < 0.1*compared)
