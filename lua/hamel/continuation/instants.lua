-- instants.lua: values at one instant of a motion, and how they change with the motion.
--
-- An instant is { value, t, side (nil: within a segment, "begun", "ended": at its start or its end), whole = the record (whole_records.lua), slopes = function
-- of (t, x) to a function of the changes of state and time }. A least or largest value within a segment is stationary in time: it changes as the value at
-- this time does (the envelope theorem).
local guards = require "hamel.analysis.nonsmooth.guards"
local tangent = require "hamel.analysis.tangent"

local instants = {}

--- The slopes of an expression over the states of a flow.
function instants.slopes(flow, e)
  local f
  return function(t, x)
    f = f or guards.function_of(flow, e)
    local _, gradient, slope = f(t, x)
    return function(d, dt) return tangent.dot(gradient, d) + slope*dt end
  end
end

local STEP = 1e-6

--- The slopes of a function of (t, x) along a flow, by central differences.
function instants.differences(flow, f)
  return function(t, x)
    return function(d, dt)
      local size = guards.size_of_change(flow, d, dt)
      if size == 0 then return 0.0 end
      local h, ahead, back = STEP/size, table.move(x, 1, #x, 1, {}), table.move(x, 1, #x, 1, {})
      for i, value in ipairs(d) do ahead[i], back[i] = x[i] + h*value, x[i] - h*value end
      return (f(t + h*dt, ahead) - f(t - h*dt, back))/(2*h)
    end
  end
end

--- How the value at an instant changes with each of `count` directions.
function instants.row(instant, count)
  local slopes, moved, row = instant.slopes(instant.t, instant.whole:at(instant.t)), instant.whole:moved(instant.t, instant.side), {}
  for k = 1, count do row[k] = moved[k] and slopes(moved[k].d, moved[k].dt) or 0.0 end
  return row
end

return instants
