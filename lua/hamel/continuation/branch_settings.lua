-- branch_settings.lua: ends, steps and directions of a branch, from the options of S:continue.
local corrector = require "hamel.continuation.corrector"
local object = require "hamel.base.object"

local fail = object.fail
local branch_settings = {}

local START = 0.1                       -- the longest first step, of 1 + the value at the start, however far the ends are

local LEAST = 1e-16                     -- the shortest step, in units of what is followed
local SHORTEST = 1e-9                   -- the same where none is given

local LEVEL = 1e-4                       -- of the largest slope of the value: at a start with a smaller one the branch turns back
local AT_END = 1e-9                     -- of the span, or of the value

--- Is a value that of an end? An integral at a start, as the energy of the last point of another branch, is known to the tolerance of Newton's method.
function branch_settings.is_at_end(o, edge, value)
  return edge ~= nil and math.abs(value - edge) <= AT_END*(o.from and o.to and o.from ~= o.to and math.abs(o.to - o.from) or math.abs(value))
end

local function is_at_one(o, value) return branch_settings.is_at_end(o, o.from, value) or branch_settings.is_at_end(o, o.to, value) end

-- Values given as ends, below and above the start
local function bounds(o, value)
  local from, to
  for _, edge in ipairs{ o.from or false, o.to or false } do
    local away = edge and not branch_settings.is_at_end(o, edge, value)
    if away and edge < value and not (from and from > edge) then from = edge end
    if away and edge > value and not (to and to < edge) then to = edge end
  end
  -- a start at an end: that way there is nothing to follow, and no way back beyond it
  if is_at_one(o, value) then
    if to or not from and branch_settings.is_at_end(o, o.from, value) then from = value else to = value end
  end
  return from, to
end

--- Edges of the problem, and steps, unit and what stops the branch, for arclength.follow. value: that of the start; guess: that of the guess, where the
--- branch starts beside it.
function branch_settings.control(problem, o, value, guess)
  local from, to
  if not problem.bounds then from, to = bounds(o, value) end
  problem.edges = problem.bounds or { { name = problem.name, at = function(y) return problem:value(y) end, from = from, to = to } }
  problem.edges = table.move(problem.limits or {}, 1, #(problem.limits or {}), #problem.edges + 1, object.copied(problem.edges))
  -- along a curve all of these are lengths already
  local unit = o.range and 1 or corrector.per_length(problem)
  local range = o.range or math.abs((o.to or guess or value) - (o.from or guess or value))/unit
  if range == 0 then range = 2 end
  local largest = o.largest and o.largest/unit or range/20
  local step = math.min(o.step and o.step/unit or math.min(range/100, START*(1 + math.abs(value))/unit), largest)
  local least = SHORTEST
  if o.least then least = unit > 1 and math.max(o.least/unit, LEAST) or o.least end
  if not o.least then
    least = math.min(least, step)
  elseif least > step then
    fail("continue: least = %g is the shortest step, and the first one is shorter: %g; give a smaller least, or step and largest", o.least, unit*step)
  end
  return { step = step, largest = largest, least = least, points = o.points, locate = o.locate, unit = corrector.unit(problem), grows = not o.largest,
           visit = o.stop and function(_, special)
             local count = 0
             for _, item in ipairs(special) do if item.kind == o.stop[1] then count = count + 1 end end
             return count >= (o.stop[2] or 1)
           end }
end

--- The point with its tangent turned back.
function branch_settings.turned(point)
  local back = {}
  for key, value in pairs(point) do back[key] = value end
  back.tangent, back.slope, back.sign, back.tests = {}, -point.slope, -point.sign, nil
  for i, value in ipairs(point.tangent) do back.tangent[i] = -value end
  return back
end

--- The starts in the directions asked for, first upwards: towards the ends that are given, to both sides where none is, or where both = true
function branch_settings.directions(problem, start, o)
  local value = start.value
  local from, to = bounds(o, value)
  local up, down = branch_settings.turned(branch_settings.turned(start)), branch_settings.turned(start)
  -- at a fold both directions lead to one side of the value, and from beside a branch point at an end the branch goes there and away
  local is_fold = is_at_one(o, value) and math.abs(corrector.slope(problem, start)) <= LEVEL
  local free = o.both or not (from or to) or is_fold or start.moved_from and is_at_one(o, start.moved_from)
  local upwards, downwards = free or from == value, free or to == value
  if to then upwards = to > value or is_fold end
  if from then downwards = from < value or is_fold end
  if o.both == false and upwards and downwards then downwards = false end
  if not upwards and not downwards then fail("continue: the branch starts at %s = %.9g, the end that is given", start.name or "the value", value) end
  return upwards and up or down, upwards and downwards and down or nil
end

return branch_settings
