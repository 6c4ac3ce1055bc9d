-- orbit_corners.lua: corners of the equations, as of abs(x - 1), which the motions of a branch begin to reach.
--
-- Where motions pass a corner their equations are continuous, and so are the branch and its multipliers. Where the extreme value of the corner's argument
-- over a period passes zero, motions begin to pass it: there the branch has no second derivative.
local core = require "hamel.core"
local minima = require "hamel.continuation.minima"
local pieces = require "hamel.algebra.pieces"
local tangent = require "hamel.analysis.tangent"

local orbit_corners = {}

local WITHIN = 3                       -- times in a step that are looked at

--- The corners of the equations of a flow: { { name = of the argument, program }, ... }.
function orbit_corners.of(flow)
  local list = {}
  for i, corner in ipairs(pieces.of(tangent.expressions(flow.E, {}))) do
    list[i] = { name = core.text(corner.g), program = flow.observer:program{ flow.observer:translate(corner.g) } }
  end
  return list
end

-- The largest of the values of f at the times, or between them
local function largest(f, times, values)
  local best = 1
  for k, value in ipairs(values) do if value > values[best] then best = k end end
  if best == 1 or best == #times then return values[best] end
  return math.max(values[best], -minima.between(function(t) return -f(t) end, times[best - 1], times[best + 1]))
end

--- Adds the extreme values of the corners' arguments along a record to a list: "highest NAME", "lowest NAME" -> value; over several records the extreme ones.
--- only: the one name of a value that is added; nil: all.
function orbit_corners.add(list, corners, flow, raw, only)
  local times = #corners > 0 and minima.times(raw, WITHIN)
  for _, corner in ipairs(corners) do
    local highest, lowest, values, negative = "highest " .. corner.name, "lowest " .. corner.name, {}, {}
    local function value(t) return flow.observer:evaluate(corner.program, flow.w, t, flow:split(raw:at(t), 0))[1] end
    if not only or only == highest or only == lowest then
      for k, t in ipairs(times) do
        values[k] = value(t)
        negative[k] = -values[k]
      end
    end
    if not only or only == highest then list[highest] = math.max(list[highest] or -math.huge, largest(value, times, values)) end
    if not only or only == lowest then
      list[lowest] = math.min(list[lowest] or math.huge, -largest(function(t) return -value(t) end, times, negative))
    end
  end
  return list
end

--- Details of the special point at which the test of a name passes zero; nil: it is none of these tests.
function orbit_corners.met(test)
  local name = test:match "^highest (.*)$" or test:match "^lowest (.*)$"
  return name and { kind = "corner", name = name, test = test } or nil
end

local SAME = 1e-9

--- Are two special points one? Where a parameter alone reaches a corner, both extreme values of the argument do.
function orbit_corners.is_same(one, other)
  return one.kind == "corner" and other.kind == "corner" and one.name == other.name and math.abs(one.value - other.value) <= SAME*(1 + math.abs(one.value))
end

return orbit_corners
