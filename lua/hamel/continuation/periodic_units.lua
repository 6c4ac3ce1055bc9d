-- periodic_units.lua: units for the states, times, parameters and integrals of periodic motions, so that branches and their special points do not depend on
-- those in which a user writes lengths, times and masses.
--
-- Steps, tolerances and differences are numbers for points whose entries are of the size 1. So a state is measured by its largest size along the motion at
-- the start of the branch (motion_units.lua), a time by the period, a parameter by the span that is asked for, or by its value, an integral by how far it
-- changes with the states. Sizes from 0.1 to 10 keep the unit 1.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local motion_units = require "hamel.analysis.motion_units"
local tangent = require "hamel.analysis.tangent"

local periodic_units = {}

local LEAST, MOST, PARTS = 1, 10, 4      -- spans between the first two keep the unit 1; others are so many units long

--- The unit of a parameter from the span along which it is followed (nil or 0: none is given) and its value.
function periodic_units.of_parameter(span, value)
  if span and span > 0 then return (span < LEAST or span > MOST) and span/PARTS or 1 end
  return motion_units.of(math.abs(value))
end

--- The span along which a branch is followed from a value, from the options of S:continue; nil: over several parameters.
function periodic_units.span(o, value)
  if type(o.from) == "table" or type(o.to) == "table" then return nil end
  return math.abs((o.to or value) - (o.from or value))
end

local BY_CHANCE = 1e-6                  -- of the unit of a state along a branch: its size where it is zero at one point alone

local function name_of(flow, place)
  local count = #flow.E.kin
  return core.text(place <= count and flow.E.kin[place] or flow.E.dyn[place - count])
end

--- The units of the states of a problem by their names.
function periodic_units.by_name(problem)
  local list = {}
  for i, place in ipairs(problem.flow.kept) do list[name_of(problem.flow, place)] = problem.space.scale[i] end
  return list
end

--- Units of the kept states of a flow from those by names; nil: of none.
function periodic_units.of_names(flow, units)
  local list = {}
  for i, place in ipairs(flow.kept) do list[i] = units and units[name_of(flow, place)] or 1 end
  return units and list
end

--- Counts the states of a problem in units of their sizes along the motion at y, and gives its runs an absolute tolerance to match. o: the options of
--- S:continue; flows: all that the problem runs; known: units of the kept states where the motion is one at rest, from whose size nothing follows; beside:
--- those of a branch on which the motion lies, where a state is small beside its unit by chance, as at a fold at zero.
function periodic_units.count_states(problem, y, o, flows, known, beside)
  local flow, scale, sizes, held = problem.flow, problem.space.scale, known, {}
  for _, place in ipairs(problem.places) do held[place] = true end
  local period = problem:period(y)
  if not sizes then
    local fine, found
    if not problem.unfound then fine, found = attempt(problem.sizes, problem, y) end
    if not fine or not motion_units.are_finite(found) then fine, found = attempt(motion_units.sizes_at_start, flow, problem.space.state(y), period) end
    sizes = fine and found or {}
    for i, unit in ipairs(beside or {}) do
      if sizes[i] and not (sizes[i] >= BY_CHANCE*unit) and not held[i] then sizes[i] = unit end
    end
  end
  local units, least = motion_units.of_states(flow, sizes, period, held)
  problem.atol_given = o.atol_given and o.atol or nil
  for i, unit in pairs(units) do scale[i] = unit < 1 and unit or math.max(scale[i], unit) end
  if not o.atol_given then
    for _, each in ipairs(flows) do
      local same = each.size == flow.size and #each.E.kin == #flow.E.kin
      motion_units.set_tolerances(each, same and flow.kept or {}, units, least, motion_units.ATOL, period)
    end
  end
end

--- Counts the parameter along which motions are followed by its span or its value.
function periodic_units.count_parameter(problem, o)
  local place = problem.places[1]
  if #problem.places ~= 1 or type(o.from) == "table" or type(o.to) == "table" then return end
  local value = problem.flow.x[problem.flow.kept[place]]
  local unit = periodic_units.of_parameter(periodic_units.span(o, value), value)
  problem.space.scale[place], problem.value_unit = unit, unit
end

local function length(list) return math.sqrt(tangent.dot(list, list)) end

local FINEST = 1e-4                     -- of a value: units in which its rounding would not count

--- The unit of a function of the states with a value and a gradient, as a direction.
function periodic_units.of_function(value, gradient) return math.max(motion_units.of(length(gradient)), FINEST*math.abs(value)) end

-- By how much an integral f changes in a unit of length, on the mean over a span, from y on: from its value and its gradient there and a value beside it. A
-- family that starts near rest has an energy that grows with the square of the length
local function per_length(problem, f, y, span)
  local value, gradient = f(y)
  local slope = length(gradient)
  if not span or not (span > 0) or not (slope > 0) then return slope > 0 and slope or nil end
  local d = {}
  for i, part in ipairs(gradient) do d[i] = part/slope end
  local fine, beside = attempt(function() return (f(problem.space.moved(y, d))) end)
  local bend = fine and 2*(beside - value - slope) or 0
  if not (bend > FINEST*slope and bend < math.huge) then return slope end
  return span*bend/(math.sqrt(slope^2 + 2*bend*span) - slope)
end

--- Gives the integrals of a problem their units, and the one along which it is followed, if one is, that of the span.
function periodic_units.count_integrals(problem, y, o)
  for _, integral in ipairs(problem.integrals) do
    local value, gradient = integral.at(y)
    integral.unit = motion_units.of(length(gradient))
    if integral == problem.free then
      local span = periodic_units.span(o, value)
      problem.value_unit = motion_units.of(span and span > 0 and span or length(gradient))
      problem.value_per_length = per_length(problem, integral.at, y, span)
    end
  end
  if problem.free and problem.along and problem.along ~= problem.free.at then
    local value = problem.along(y)
    local span = periodic_units.span(o, value)
    problem.value_unit = span and span > 0 and periodic_units.of_parameter(span, value) or motion_units.of_time(value)
    problem.value_per_length = problem.value_unit
  end
end

return periodic_units
