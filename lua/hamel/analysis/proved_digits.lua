-- proved_digits.lua: values of a motion to any number of digits, each of them proved: S:reference in ball arithmetic.
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local exact = require "hamel.analysis.exact"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
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
-- and length of the numbers grow together, products go by blocks), and takes about the same time of the motion. The rehearsal ends early where the run
-- would take CLEARLY longer than allowed: it shall not take longer itself. Of fewer than TELLING steps, the last one, which is cut, is too large a part, and
-- the estimate too long: where even that is CLEARLY shorter than allowed, the first part is enough
local LONG, REHEARSED, GROWTH, PARTS, CLEARLY, TELLING = 640, 512, 2.35, { 1024, 128, 8 }, 2, 8

local function in_words(seconds)
  if seconds < 10 then return ("%.2g seconds"):format(seconds) end
  if seconds < 120 then return ("%.0f seconds"):format(seconds) end
  if seconds < 7200 then return ("%.0f minutes"):format(seconds/60) end
  if seconds < 172800 then return ("%.0f hours"):format(seconds/3600) end
  return ("%.0f days"):format(seconds/86400)
end

-- Seconds and steps that the whole way takes with REHEARSED bits; rough: both may be far too large; nil: no part of it is reached. allowed: seconds
local function rehearsal(m, from, times, allowed)
  local first, last = symbols.number(from), symbols.number(times[#times])
  local pace
  for _, divisor in ipairs(PARTS) do
    local e, before = m:open(exact.ball(from, "t", REHEARSED), { bits = REHEARSED }), os.clock()
    e:run{ (exact.ball(first + (last - first)/divisor, "t", REHEARSED)) }
    local reached, steps = e:progress()
    local part = (reached - first)/(last - first)
    if not (part > 0) then return nil end
    pace = { seconds = (os.clock() - before)/part, steps = steps/part, rough = steps < TELLING }
    if pace.rough and pace.seconds < allowed/CLEARLY or not pace.rough and pace.seconds > CLEARLY*allowed then break end
  end
  return pace
end

local function demand_time(m, o, from, times, bits)
  if bits < LONG then return end
  local growth = (bits/REHEARSED)^GROWTH
  if m.pace == nil or m.pace and m.pace.rough and m.pace.seconds > o.seconds/growth/CLEARLY then
    m.pace = rehearsal(m, from, times, o.seconds/growth) or false
  end
  if not m.pace or m.pace.seconds*growth <= o.seconds then return end
  local whole = m.pace.seconds*growth
  fail("reference: %d digits at t = %.10g would take about %s: %d steps of %s each; give seconds = %.0f if it shall run, fewer digits or a shorter time",
    o.digits, symbols.number(times[#times]), in_words(whole), math.ceil(m.pace.steps), in_words(whole/m.pace.steps), 1.5*whole)
end

-- Runs with so many bits: the points, or nil and how many more bits they need, at the status where the motion was lost. most: steps, any number if missing
local function attempt(m, o, from, times, bits, most)
  demand_time(m, o, from, times, bits)
  local balls = {}
  for i, time in ipairs(times) do balls[i] = exact.ball(time, "t", bits) end
  local e = m:open(exact.ball(from, "t", bits), { bits = bits, most_steps = most })
  local results, status, message = e:run(balls)
  local t, steps = e:progress()
  if status and most and steps >= most then
    return nil, 0, "STEPS", ("a proof takes more than %d steps, which end at t = %.10g; prove = true takes as many as there are"):format(steps, t)
  end
  if status then return nil, bits, status, m:advised(e, message) end
  local more = most_missing(results, #m.E.kin + #m.E.dyn, o.digits)
  if more > 0 then return nil, more end
  for i, one in ipairs(results) do results[i] = entry(m, one, symbols.number(times[i]), o.digits, bits) end
  return results
end

-- Many digits take the bits that runs with few bits lose on the way, and a few more: a run with too few bits is made twice
local MANY, FEW, MARGIN, CERTAIN = 100, 64, 20, 8

-- Bits lost up to the last of the times and the steps up to there; nil where runs with much fewer bits do not tell
local function bits_lost(m, from, times, most)
  local bits = FEW
  while bits <= most do
    local e, balls = m:open(exact.ball(from, "t", bits), { bits = bits }), {}
    for i, time in ipairs(times) do balls[i] = exact.ball(time, "t", bits) end
    local results, status = e:run(balls)
    if status and status ~= "LIMIT" then return nil end
    local least = bits
    for _, found in ipairs(results) do
      for i = 1, #m.E.kin + #m.E.dyn do
        if not found[i]:is_exact() then least = math.min(least, found[i]:accuracy()) end
      end
    end
    if not status and least >= CERTAIN then
      local _, steps = e:progress()
      return bits - least, steps
    end
    bits = 2*bits
  end
end

local function first_bits(m, o, from, times)
  local wanted = math.ceil(BITS_A_DIGIT*o.digits)
  -- before runs to the end, which may take longer than `seconds` themselves
  demand_time(m, o, from, times, wanted)
  local lost, steps
  if o.digits >= MANY then lost, steps = bits_lost(m, from, times, wanted/4) end
  -- the order grows with the bits, so that the number of steps hardly changes
  if steps and m.pace and m.pace.rough then m.pace = { seconds = m.pace.seconds/m.pace.steps*steps, steps = steps } end
  return wanted + (lost and math.max(0, lost) + MARGIN or SPARE)
end

local proved_digits = {}

--- Values at the times, each { t =, q =, v =, x = texts by name, digits =, radius =, bits =, proved = true }; raises where they are not proved.
function proved_digits.at(system, o, from, times)
  enclosed.demand_balls "reference"
  local m = enclosed.new(system, o, "reference", symbols.number(from) + 0.0)
  local bits = first_bits(m, o, from, times)
  for _ = 1, MOST_TRIES do
    local results, more, status, message = attempt(m, o, from, times, bits)
    if results then return results end
    if status and status ~= "LIMIT" then fail("reference: %s", message) end
    bits = bits + more + 16
  end
  fail("reference: %d digits were not proved with %d bits; take fewer digits or a shorter time", o.digits, bits)
end

-- Measured on the motions of scripts/library: a proof takes once to twice the time of the evidence with up to so many states that the rates depend on,
-- and four times with 13
local MOST_STATES = 8

-- A step to thirty digits takes about 1.5e-5 s times (operations + 5)(1 + these states), measured from one to ten states: so many steps take a few
-- seconds. Their number does not depend on the machine, so that the same job gives the same result
local WORK, LEAST_STEPS = 150000, 300

local function most_steps(m, states) return math.max(LEAST_STEPS, WORK // ((m.dynamics:operations() + 5)*(1 + states))) end

local function why(message) return (tostring(message):gsub("^.-reference: ", "")) end

--- The same where it takes about the time of the evidence in quadruple precision; else nil, the reason, and what a proof that is asked for does: "decides",
--- where only the number of steps or of bits kept it from the end, "may decide" of what has not been tried, nil: nothing more.
function proved_digits.readily(system, o, from, times)
  if not core.has_arb then return nil, "this build has no ball arithmetic" end
  local fine, m = protected(enclosed.new, system, o, "reference", symbols.number(from) + 0.0)
  if not fine then return nil, why(m) end
  local states = m:moving()
  if states > MOST_STATES then return nil, ("a proof for %d states takes longer than the evidence; prove = true asks for it"):format(states), "may decide" end
  local bits, most = first_bits(m, o, from, times), most_steps(m, states)
  for _ = 1, 2 do
    local before = bits
    local done, results, more, status, message = protected(attempt, m, o, from, times, bits, most)
    if not done then return nil, why(results) end
    if results then return results end
    if status and status ~= "LIMIT" then return nil, why(message), status == "STEPS" and "decides" or nil end
    bits = bits + more + 16
    if bits > 2*before then break end
  end
  return nil, ("%d digits are not proved with %d bits; prove = true takes more"):format(o.digits, bits), "decides"
end

return proved_digits
