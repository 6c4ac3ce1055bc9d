-- hopf_starts.lua: the first motion of a branch that starts at a Hopf point, so near to it that nothing of the range that is asked for is left out.
--
-- The value changes with the square of the amplitude, so that one motion tells how large the motions are at the end of the range. These set the units of the
-- states. Where the equations become nonlinear says nothing of it: of x'' = -x + e (m - x^2) x' the motions have the amplitude 2 sqrt(m) for any small e, and
-- the nonlinear forces are as large as the linear ones at an amplitude of 1/sqrt(e).
local corrector = require "hamel.continuation.corrector"
local object = require "hamel.base.object"
local run_errors = require "hamel.continuation.run_errors"
local switching = require "hamel.continuation.switching"

local fail = object.fail
local hopf_starts = {}

local LARGE = { 0.1, 0.2, 0.5, 0.9 }    -- amplitudes at which the motions are sought where smaller ones are lost in rounding
local UNBOUNDED = 2                     -- range on a side where no end is given
local STEPS, OF_VALUE = 100, 0.1        -- of the range the first step is one part; the longest one, of 1 + the value
local KNOWN = 10                        -- times what the value is known to: so far from the Hopf point it is told from that
local COARSER = { 10, 100 }             -- times the tolerances: those of runs to compare with

-- How far a branch from a value may go on the side of a sign, positive or negative; not positive: the end lies before its start
local function room_of(o, value, sign)
  local edge = sign > 0 and o.to or sign < 0 and o.from
  return edge and (sign > 0 and edge - value or value - edge) or UNBOUNDED
end

-- How near to the Hopf point a branch has to begin that goes so far
local function first_step(o, value, room)
  return math.min(o.step or math.huge, o.largest or math.huge, room/STEPS, OF_VALUE*(1 + math.abs(value)))
end

-- The motion of an amplitude; nil also where the equations hold within their tolerance alone, and are singular
local function beside(problem, y, u, a)
  local start = corrector.beside(problem, y, u, a)
  return start and start.rounds > 0 and start or nil
end

-- A motion of any amplitude, and this amplitude
local function any_start(problem, y, u)
  for _, a in ipairs(switching.AMPLITUDES) do
    local start = beside(problem, y, u, a)
    if start then return start, a end
  end
  fail("switch: no periodic motion was found at the Hopf point; the amplitudes %s were tried", table.concat(switching.AMPLITUDES, ", "))
end

-- Amplitudes to be tried, of which `largest` is the one at which the branch has to begin
local function amplitudes(largest)
  local list = {}
  if largest < switching.AMPLITUDES[1] then list[1] = largest end
  table.move(switching.AMPLITUDES, 1, #switching.AMPLITUDES, #list + 1, list)
  return table.move(LARGE, 1, #LARGE, #list + 1, list)
end

-- Of the motions with some amplitudes within the range, whose values are told from that at the Hopf point, known to an accuracy, the first that is near it,
-- otherwise the nearest, and is it near; as a third value one outside the range
local function nearest(problem, o, y, u, list, accuracy)
  local value, best, off, outside = problem:value(y), nil, math.huge, nil
  for _, a in ipairs(list) do
    local start = beside(problem, y, u, a)
    local away = start and start.value - value or 0
    local room, far = room_of(o, value, away), math.abs(away)
    if start and not (room > 0) then
      outside = outside or start
    elseif start and far <= room and far < off and far > KNOWN*math.max(accuracy, run_errors.of_value(problem, start, u, COARSER)) then
      best, off = start, far
      if off <= first_step(o, value, room) then return best, true end
    end
  end
  return best, false, outside
end

--- The first motion of the branch that leaves the state of rest y, where a Hopf point is known to an accuracy (nil: as exactly as any). leaving(part): the
--- direction in which the motions leave it, in units of a part of those at which the equations are nonlinear. start.missing: the value at the Hopf point,
--- where the branch begins farther from it than by a step.
function hopf_starts.find(problem, o, y, leaving, accuracy)
  local value, u = problem:value(y), leaving(1)
  accuracy = accuracy or 0
  local first, a = any_start(problem, y, u)
  local away = first.value - value
  local room, far = room_of(o, value, away), math.abs(away)
  local is_near = room > 0 and far <= first_step(o, value, room)
  if is_near and far > KNOWN*math.max(accuracy, run_errors.of_value(problem, first, u, COARSER)) then return first end
  -- it may have passed a fold, and lie on the other side
  if not (room > 0) then room = room_of(o, value, -away) end
  if not (room > 0) then switching.refuse_outside(problem, o, first) end
  local at_end = a*math.sqrt(room/far)
  local part = math.min(at_end, 1)
  local largest = at_end/part*math.sqrt(first_step(o, value, room)/room)
  local start, is_close, outside = nearest(problem, o, y, leaving(part), amplitudes(largest), accuracy)
  if start then
    start.missing = not is_close and value or nil
    return start
  end
  -- all have the value of the Hopf point, as where nothing but the linear forces damps
  if is_near then
    leaving(1)
    return first
  end
  if outside then switching.refuse_outside(problem, o, outside) end
  fail("switch: no periodic motion was found between the Hopf point %s = %.9g and the ends of the range: so near to it the motions are not told from those "
    .. "of other values in doubles; take a wider range", problem.name, value)
end

return hopf_starts
