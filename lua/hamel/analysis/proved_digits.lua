-- proved_digits.lua: values of a motion to any number of digits, each of them proved: S:reference in ball arithmetic.
local enclosed = require "hamel.analysis.enclosed"
local exact = require "hamel.analysis.exact"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail

local BITS_A_DIGIT, SPARE, MOST_TRIES = math.log(10, 2), 64, 4

-- Bits by which the ball misses the digits; 0 where it has them
local function missing(x, digits)
  if x:is_exact() or x:log_size() < -digits then return 0 end
  return math.max(0, math.ceil(digits*BITS_A_DIGIT) + 4 - x:accuracy())
end

local function text_of(x, digits)
  if x:log_size() < -digits then return "0" end
  return x:text(digits)
end

-- The digits of one point
local function entry(m, balls, t, digits, bits)
  local read = m:read(balls)
  local result = { t = t, q = {}, v = {}, x = {}, digits = digits, bits = bits, radius = 0.0, proved = true }
  for _, part in ipairs{ "q", "v", "x" } do
    for name, x in pairs(read[part]) do
      result[part][name] = text_of(x, digits)
      result.radius = math.max(result.radius, x.radius)
    end
  end
  return result
end

local function most_missing(results, count, digits)
  local most = 0
  for _, balls in ipairs(results) do
    for i = 1, count do most = math.max(most, missing(balls[i], digits)) end
  end
  return most
end

-- The time of a run is estimated from a rehearsal with fewer bits, over a part of the way: a step costs bits^GROWTH (measured from 512 to 3400 bits; order
-- and length of the numbers grow together), and takes about the same time of the motion
local LONG, REHEARSED, GROWTH, PART = 1400, 512, 3.1, 8

local function in_words(seconds)
  if seconds < 120 then return ("%.0f seconds"):format(seconds) end
  if seconds < 7200 then return ("%.0f minutes"):format(seconds/60) end
  if seconds < 172800 then return ("%.0f hours"):format(seconds/3600) end
  return ("%.0f days"):format(seconds/86400)
end

local function demand_time(m, o, from, times, bits)
  if bits < LONG then return end
  local first, last = symbols.number(from), symbols.number(times[#times])
  local e, before = m:open(exact.ball(from, "t", REHEARSED), { bits = REHEARSED }), os.clock()
  e:run{ (exact.ball(first + (last - first)/PART, "t", REHEARSED)) }
  local used, reached, steps = os.clock() - before, e:progress()
  local part = (reached - first)/(last - first)
  if not (part > 0) then return end
  local whole = used/part*(bits/REHEARSED)^GROWTH
  if whole <= o.seconds then return end
  fail("reference: %d digits at t = %.10g would take about %s: %d steps of %s each; give seconds = %.0f if it shall run, fewer digits or a shorter time",
    o.digits, last, in_words(whole), math.ceil(steps/part), in_words(whole*part/steps), 1.5*whole)
end

--- Values at the times, each { t =, q =, v =, x = texts by name, digits =, radius =, bits =, proved = true }.
return function(system, o, from, times)
  enclosed.demand_balls "reference"
  local m = enclosed.new(system, o, "reference", symbols.number(from) + 0.0)
  local bits = SPARE + math.ceil(BITS_A_DIGIT*o.digits)
  for _ = 1, MOST_TRIES do
    demand_time(m, o, from, times, bits)
    local balls = {}
    for i, time in ipairs(times) do balls[i] = exact.ball(time, "t", bits) end
    local e = m:open(exact.ball(from, "t", bits), { bits = bits })
    local results, status, message = e:run(balls)
    if status and status ~= "LIMIT" then fail("reference: %s", message) end
    local states, more = #m.E.kin + #m.E.dyn, bits
    if not status then more = most_missing(results, states, o.digits) end
    if more == 0 then
      for i, one in ipairs(results) do results[i] = entry(m, one, symbols.number(times[i]), o.digits, bits) end
      return results
    end
    bits = bits + more + 16
  end
  fail("reference: %d digits were not proved with %d bits; take fewer digits or a shorter time", o.digits, bits)
end
