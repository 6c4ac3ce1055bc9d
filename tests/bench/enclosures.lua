-- enclosures.lua: enclosures and proved digits of the pendulum, the sleigh and the disc: time beside a run in doubles, radius beside what the precision
-- and the growth of errors allow, digits proved beside the evidence in quadruple precision, many digits beside 50.
local hm = require "hamel"
local certified = require "tests.support.certified"
local clock = require "hamel.core".host.clock

if not require "hamel.core".has_arb then print "this build has no ball arithmetic" os.exit(77) end

local with = certified.with
local function timed(f)
  local before = clock()
  local result = f()
  return clock() - before, result
end

-- By how much the linear flow enlarges errors of the start: a run beside another, 1e-6 away
local function growth(S, start, t)
  local moved = with(start, { q = with(start.q, {}) })
  local name = S.coordinate_names[#S.coordinate_names]
  local value = hm.number(start.q[name])
  local ends = {}
  for i, off in ipairs{ 0, "1/1000000" } do
    moved.q[name] = value + hm.number(off)
    ends[i] = S:simulate(with(moved, { t = t, rtol = 1e-12, atol = 1e-12 })):at(t)
  end
  local most = 0
  for _, part in ipairs{ "q", "v" } do
    for key, x in pairs(ends[1][part]) do most = math.max(most, math.abs(x - ends[2][part][key])*1e6) end
  end
  return most
end

local cases = { { "pendulum", 10, certified.pendulum }, { "sleigh", 20, certified.sleigh }, { "disc", 5, certified.disc } }
for _, case in ipairs(cases) do
  local S, start = case[3]()
  local t, grown = case[2], growth(S, start, case[2])
  local run = timed(function() return S:simulate(with(start, { t = t, rtol = 1e-12, atol = 1e-12 })) end)
  for _, bits in ipairs{ 64, 128, 256 } do
    local seconds, e = timed(function() return S:enclosure(with(start, { t = t, bits = bits })) end)
    print(("%-9s %4d bits  %6.2f s, %5.0f runs in doubles; radius / 2^-bits / growth %4.0f  %s"):format(case[1], bits, seconds, seconds/run,
      e.radius*2.0^bits/grown, tostring(e)))
  end
end
for _, case in ipairs(cases) do
  local S, start = case[3]()
  local function digits(proved) return timed(function() return S:reference(with(start, { t = case[2], digits = 30, prove = proved })) end) end
  local evidence, proved = digits(false), digits(true)
  print(("%-9s 30 digits: evidence %.2f s, proved %.2f s: ratio %.2f"):format(case[1], evidence, proved, proved/evidence))
end
local S, start = certified.sleigh()
local function many(digits) return timed(function() return S:reference(with(start, { t = 20, digits = digits })) end) end
local fifty = many(50)
for _, digits in ipairs{ 60, 200, 500 } do
  local seconds = many(digits)
  print(("sleigh, 50 digits %.2f s, %d digits %.2f s: ratio %.1f"):format(fifty, digits, seconds, seconds/fifty))
end
