-- orbit_corners.lua: corners of the equations, as of abs(x - 1), which the motions of a branch begin to reach.
--
-- Where motions pass a corner their equations are continuous, and so are the branch and its multipliers. Where the extreme value of the corner's argument
-- over a period passes zero, motions begin to pass it: there the branch has no second derivative.
local core = require "hamel.core"
local instants = require "hamel.continuation.instants"
local minima = require "hamel.continuation.minima"
local motion_units = require "hamel.analysis.motion_units"
local pieces = require "hamel.algebra.pieces"
local tangent = require "hamel.analysis.tangent"

local orbit_corners = {}

local WITHIN = 3                       -- times in a step that are looked at

--- The corners of the equations of a flow: { { name = of the argument, program, slopes (instants.lua) }, ... }.
function orbit_corners.of(flow)
  local list = {}
  for i, corner in ipairs(pieces.of(tangent.expressions(flow.E, {}))) do
    local g = flow.observer:translate(corner.g)
    list[i] = { name = core.text(corner.g), program = flow.observer:program{ g }, slopes = instants.slopes(flow, g) }
  end
  return list
end

-- The largest value of sign*f, and its time; values: of f at the times. The third result: at which end it is
local function largest(f, times, values, sign)
  local best = 1
  for k, value in ipairs(values) do if sign*value > sign*values[best] then best = k end end
  if best == 1 or best == #times then return sign*values[best], times[best], best == 1 and "begun" or "ended" end
  local least, t = minima.between(function(at) return -sign*f(at) end, times[best - 1], times[best + 1])
  if -least >= sign*values[best] then return -least, t end
  return sign*values[best], times[best]
end

-- The unit of an argument, from its values along the first motion that is looked at
local function unit_of(values)
  local size = 0.0
  for _, value in ipairs(values) do if math.abs(value) < math.huge then size = math.max(size, math.abs(value)) end end
  return motion_units.of(size)
end

local signs = { highest = 1, lowest = -1 }

-- The extreme instants of a corner's argument along a record: "highest", "lowest" -> instant; only: one of these words
local function extremes(flow, corner, whole, times, only)
  local values, list = {}, {}
  local function f(t) return flow.observer:evaluate(corner.program, flow.w, t, whole:at(t))[1] end
  for k, t in ipairs(times) do values[k] = f(t) end
  corner.unit = corner.unit or unit_of(values)
  for word, sign in pairs(signs) do
    if not only or only == word then
      local value, t, side = largest(f, times, values, sign)
      list[word] = { value = sign*value, unit = corner.unit, t = t, side = side, whole = whole, slopes = corner.slopes }
    end
  end
  return list
end

--- Adds the extreme values of the corners' arguments along a record (whole_records.lua) to a list: "highest NAME", "lowest NAME" -> instant
--- (instants.lua); over several records the extreme ones. only: the one name of a value that is added; nil: all.
function orbit_corners.add(list, corners, flow, whole, only)
  local times = #corners > 0 and minima.times(whole, WITHIN)
  local word, name = (only or ""):match "^(%a+) (.*)$"
  for _, corner in ipairs(corners) do
    for key, instant in pairs((not only or corner.name == name) and extremes(flow, corner, whole, times, word) or {}) do
      local known = list[key .. " " .. corner.name]
      if not known or signs[key]*instant.value > signs[key]*known.value then list[key .. " " .. corner.name] = instant end
    end
  end
  return list
end

--- Adds the tests of corners to others: the extreme values of their arguments, in units of these.
function orbit_corners.add_tests(tests, instants_of)
  for key, instant in pairs(instants_of) do tests[key] = instant.value/instant.unit end
end

--- Details of the special point at which the test of a name passes zero; nil: it is none of these tests.
function orbit_corners.met(test)
  local name = test:match "^highest (.*)$" or test:match "^lowest (.*)$"
  return name and { kind = "corner", name = name, test = test } or nil
end

local SAME = 1e-9

--- Are two special points one? Where a parameter alone reaches a corner, both extreme values of the argument do. unit: of the value that is followed.
function orbit_corners.is_same(one, other, unit)
  return one.kind == "corner" and other.kind == "corner" and one.name == other.name and math.abs(one.value - other.value) <= SAME*(unit + math.abs(one.value))
end

return orbit_corners
