-- enclosures.lua: enclosures and proved digits of the pendulum, the sleigh and the disc: time beside a run in doubles, radii beside the growth of small
-- errors, digits proved beside the evidence in quadruple precision, many digits beside 50.
local certified = require "tests.support.certified"
local clock = os.clock                 -- processor time

if not require "hamel.core".has_arb then print "this build has no ball arithmetic" os.exit(77) end

local with = certified.with
local function timed(f)
  local before = clock()
  local result = f()
  return clock() - before, result
end

local cases = { { "pendulum", 10, certified.pendulum }, { "sleigh", 20, certified.sleigh }, { "disc", 5, certified.disc } }
for _, case in ipairs(cases) do
  local S, start = case[3]()
  local t = case[2]
  local run = timed(function() return S:simulate(with(start, { t = t, rtol = 1e-12, atol = 1e-12 })) end)
  for _, bits in ipairs{ 64, 128, 256 } do
    local seconds, e = timed(function() return S:enclosure(with(start, { t = t, bits = bits })) end)
    print(("%-9s %4d bits  %6.2f s, %5.0f runs in doubles  %s"):format(case[1], bits, seconds, seconds/run, tostring(e)))
  end
end

-- The largest row-sum norm of the linear flow from one of ten times to the end
local function growth_of(S, start, t)
  local run, most = S:simulate(with(start, { t = t, rtol = 1e-11, atol = 1e-11 })), 0
  for k = 0, 9 do
    local s = run:at(t*k/10)
    local V = S:variations{ q = s.q, v = s.v, t = { s.t, t }, rtol = 1e-9, atol = 1e-9 }
    for _, row in ipairs(V:matrix(t)) do
      local sum = 0
      for _, x in ipairs(row) do sum = sum + math.abs(x) end
      most = math.max(most, sum)
    end
  end
  return most
end

for _, case in ipairs(cases) do
  local S, start = case[3]()
  local growth = growth_of(S, start, case[2])
  for _, bits in ipairs{ 64, 128, 256 } do
    local e = S:enclosure(with(start, { t = case[2], bits = bits }))
    local most = 0
    for _, x in pairs(e.x) do most = math.max(most, x.radius/(1 + math.max(math.abs(x.lower), math.abs(x.upper)))) end
    local ratio = most/(2.0^-bits*growth)
    print(("%-9s %4d bits  largest radius / (1 + size), over 2^-bits times the growth %.2g of errors: %.2g, a step %.2g"):format(case[1], bits, growth, ratio,
      ratio/e.steps))
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
