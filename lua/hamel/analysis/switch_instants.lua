-- switch_instants.lua: derivatives by parameters on which the instant of a switch in time depends, as that of hm.step(hm.t - tau) by tau. Beside the motion x
-- with the rates f- before the switch and f+ after it, a motion whose switch comes later by dt differs by (f- - f+) dt more after it than before it.
local core = require "hamel.core"
local corners = require "hamel.analysis.corners"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local switch_instants = {}

local SAME, BESIDE = 1e-10, 1e-12       -- of the time: switches at one instant; where the rates on the sides of a switch are taken
local APART = 1e-6                      -- relative difference between changes of one instant that is more than rounding

local function rates_at(flow, t, x)
  flow.w:set_state(t, x)
  return table.move(flow.w:rate(), 1, flow.size, 1, {})
end

local function places_of(flow)
  local places = {}
  for i, s in ipairs(flow.E.kin) do places[s] = i end
  return places
end

-- By how much the instant of a switch at (t, x) changes with each direction
local function changes_of(flow, corner, t, x, directions)
  local held, list = flow.E.held, { core.diff(corner.g, symbols.t) }
  table.move(core.gradient(corner.g, held), 1, #held, 2, list)
  local values, changes = flow.observer:evaluate(flow.observer:program(list), flow.w, t, x), {}
  local places = places_of(flow)
  for k, d in ipairs(directions) do
    local change = 0.0
    for i, s in ipairs(held) do change = change + values[i + 1]*d[places[s]] end
    if change ~= 0 and not (math.abs(values[1]) > 0) then
      fail("%s: at t = %.10g, where %s changes its sign, its derivative by the time is zero: the instant of the switch has no derivative by the parameters",
        flow.what, t, core.text(corner.g))
    end
    changes[k] = change == 0 and 0.0 or -change/values[1]
  end
  return changes
end

-- The switches of a run that the directions move, in their order: { t, changes = of the instant with each direction }
local function switches_of(flow, from, to, directions, raw)
  local list, merged, same = {}, {}, SAME*math.max(math.abs(from), math.abs(to))
  -- nothing but the time changes the argument of a switch along a run
  local held, values, places = flow.E.held, {}, places_of(flow)
  local point = flow:split(raw:state(1), #directions)
  local inputs = { symbols.t }
  for i, s in ipairs(held) do inputs[i + 1], values[i + 1] = s, point[places[s]] end
  for i, s in ipairs(flow.observer.parameters) do
    if not places[s] then inputs[#inputs + 1], values[#inputs + 1] = s, flow.observer.values[i] end
  end
  local function values_of(corner)
    corner.program = corner.program or core.program(inputs, { corner.g })
    return function(t)
      values[1] = t
      return corner.program:eval(values)[1]
    end
  end
  corners.visit_jumps(flow, flow.instants, raw, #directions, function(corner, t)
    list[#list + 1] = { t = t, changes = changes_of(flow, corner, t, flow:split(raw:at(t), #directions), directions), g = corner.g }
  end, values_of)
  table.sort(list, function(one, two) if from < to then return one.t < two.t end return one.t > two.t end)
  for _, switch in ipairs(list) do
    local last = merged[#merged]
    if last and math.abs(switch.t - last.t) <= same then
      for k, change in ipairs(switch.changes) do
        if math.abs(change - last.changes[k]) > APART*math.max(math.abs(change), math.abs(last.changes[k])) then
          fail("%s: %s and %s change their signs at one instant, t = %.10g, and the parameters move these switches apart: the motion has no derivative by them",
            flow.what, core.text(last.g), core.text(switch.g), switch.t)
        end
      end
    else merged[#merged + 1] = switch end
  end
  return merged, same
end

-- Adds the jump of the directions where the rates before and after are these
local function jump(directions, switch, before, after)
  local result = {}
  for k, d in ipairs(directions) do
    result[k] = table.move(d, 1, #d, 1, {})
    for i = 1, #before do result[k][i] = d[i] + (before[i] - after[i])*switch.changes[k] end
  end
  return result
end

--- The directions at the end of a run with these directions at its start, whose record is given and has carried them past switches as they are. At an end of
--- the run the switch counts as far as the rates there are those of its other side: whoever moves the end of a run with the switch uses these rates.
function switch_instants.carried(flow, from, to, directions, carried, raw)
  local switches, same = switches_of(flow, from, to, directions, raw)
  local moved = false
  for _, switch in ipairs(switches) do for _, change in ipairs(switch.changes) do moved = moved or change ~= 0 end end
  if not moved then return carried end
  local beside = BESIDE*math.max(math.abs(from), math.abs(to), math.abs(to - from))*(from < to and 1 or -1)
  local t, list = from, directions
  local function state_at(time) return flow:split(raw:at(time), #directions) end
  local function fly(stop)
    local _
    if stop ~= t then _, list = flow:run_past(t, stop, state_at(t), list) end
    t = stop
  end
  for _, switch in ipairs(switches) do
    local at_start, at_end = math.abs(switch.t - from) <= same, math.abs(switch.t - to) <= same
    fly(at_start and from or at_end and to or switch.t)
    local x = state_at(t)
    local before = rates_at(flow, at_start and t or switch.t - beside, x)
    local after = rates_at(flow, at_end and t or switch.t + beside, x)
    list = jump(list, switch, before, after)
  end
  fly(to)
  return list
end

return switch_instants
