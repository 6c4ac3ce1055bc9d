-- endless_states.lua: branches of states of rest that run to infinity while the parameter comes to a value, as beside a pole of the coordinate.
local rest_units = require "hamel.continuation.rest_units"
local states = require "hamel.continuation.states"

local endless_states = {}

local LARGE = 1e6                       -- times the units of the states: their size from which on the parameter is looked at
local SETTLED, FALLS = 1e-10, 0.9       -- change of the parameter, in its unit, while the size doubles; of that of the doubling before

-- The largest size of the states of a point in their units, and the place of that state
local function size_of(problem, point)
  local most, at = 0, nil
  for i in ipairs(problem.space.kept) do
    local size = math.abs(point.y[i])/problem.space.scale[i]
    if i ~= problem.places[1] and size > most then most, at = size, i end
  end
  return most, at
end

-- The last point before one at which the states are at most half as large; nil: there is none
local function at_half(problem, point)
  local half = size_of(problem, point)/2
  local before = point.before
  while before and before.value and size_of(problem, before) > half do before = before.before end
  return before and before.value and before or nil
end

-- The coordinate, or velocity, that is the state at a place, by name, as it grows
local function name_of(problem, point)
  local now, name, most = states.record(problem.space, point.y, problem.flow.t), nil, 0
  local before = states.record(problem.space, at_half(problem, point).y, problem.flow.t)
  for key, value in pairs(now.q) do
    local growth = math.abs(value - before.q[key])
    if growth > most then name, most = key, growth end
  end
  return name
end

--- Why the branch goes no farther than a point: the parameter has come to a value, as exactly as places are known, where the states grow on; nil: it does.
function endless_states.over(problem, point)
  if #problem.places ~= 1 or size_of(problem, point) < LARGE then return nil end
  local half = at_half(problem, point)
  local quarter = half and at_half(problem, half)
  if not quarter then return nil end
  local change, before = math.abs(point.value - half.value), math.abs(half.value - quarter.value)
  local unit = math.max(rest_units.of(problem, 1), math.abs(point.value))
  if change > SETTLED*unit or change > FALLS*before and before > 0 then return nil end
  local name = name_of(problem, point)
  return name and ("%s grows without bound"):format(name) or nil
end

return endless_states
