-- guards.lua: the ends of smooth segments of a motion with contacts: what vanishes there, what happens to state and directions.
--
-- S = reset' + (f+ - reset' f-) h' / (h_t + h' f-), h the guard. Source: Leine and Nijmeijer, Dynamics and bifurcations of non-smooth mechanical systems
-- (2004), 7.
local core = require "hamel.core"
local impacts = require "hamel.analysis.nonsmooth.impacts"
local motion_units = require "hamel.analysis.motion_units"
local symbols = require "hamel.algebra.symbols"
local tangent = require "hamel.analysis.tangent"

local guards = {}

local STEP = 1e-6

--- An expression in states, time and multipliers as a function of (t, x): value, gradient over all states, derivative by time.
function guards.function_of(flow, e)
  local E, list = flow.E, { e }
  local program = flow.observer:program{ e }
  if not program.needs_dynamics then
    local known = { symbols.t }
    for _, part in ipairs{ E.kin, E.dyn } do table.move(part, 1, #part, #known + 1, known) end
    table.move(core.gradient(e, known), 1, #known, 2, list)
    program = flow.observer:program(list)
    return function(t, x)
      local values = flow.observer:evaluate(program, flow.w, t, x)
      return values[1], table.move(values, 3, #values, 1, {}), values[2]
    end
  end
  -- multipliers: by differences
  local function at(t, x) return flow.observer:evaluate(program, flow.w, t, x)[1] end
  return function(t, x)
    local gradient, y = {}, table.move(x, 1, #x, 1, {})
    for i = 1, flow.size do
      local h = STEP*math.max(flow.state_units and flow.state_units[i] or 1, math.abs(x[i]))
      y[i] = x[i] + h
      local ahead = at(t, y)
      y[i] = x[i] - h
      gradient[i] = (ahead - at(t, y))/(2*h)
      y[i] = x[i]
    end
    local h = STEP*math.max(flow.time_unit or 1, math.abs(t))
    return at(t, x), gradient, (at(t + h, x) - at(t - h, x))/(2*h)
  end
end

--- The reaction of a constraint or contact by name.
function guards.reaction(flow, name) return flow.observer:expression("lambda." .. name) end

--- The largest reaction of a friction at rest.
function guards.limit(flow, item)
  local normal = type(item.normal) == "string" and core.functions.abs(guards.reaction(flow, item.normal)) or item.normal
  return item.static[1]*normal
end

--- What vanishes at the event that ends a segment: a function of (t, x) to the value, its gradient over the states, its derivative by time.
function guards.of(system, flow, event)
  local gap, friction = system.gaps[event.name], system.frictions[event.name]
  if gap then
    if event.kind == "impact" then return guards.function_of(flow, gap.gap) end
    if event.to == "open" then return guards.function_of(flow, guards.reaction(flow, gap.name)) end
    return guards.function_of(flow, gap.gap)
  end
  if event.from == "stick" then
    -- the reaction opposes the slip that begins
    return guards.function_of(flow, guards.reaction(flow, friction.name) + event.to*guards.limit(flow, friction))
  end
  return guards.function_of(flow, friction.slips[1])
end

-- ---- from one segment to the next

--- The size of a change d of the states and dt of the time, in the units of the flow, where it has some: flow.state_units, by places, and flow.time_unit.
function guards.size_of_change(flow, d, dt)
  local units, size = flow.state_units, math.abs(dt)/(flow.time_unit or 1)
  for i, value in ipairs(d) do size = math.max(size, math.abs(value)/(units and units[i] or 1)) end
  return size
end

local function least_of(units)
  local least = math.huge
  for _, unit in pairs(units) do least = math.min(least, unit) end
  return least
end

-- The state on the constraints of the next mode; directions follow by differences
local function projection(flow)
  if #flow.E.positions + #flow.E.velocities == 0 then return nil end
  local function on(t, x) return motion_units.projected(flow, t, x, flow.state_units and least_of(flow.state_units)) end
  return function(t, x)
    local function carried(d, dt)
      local size = guards.size_of_change(flow, d, dt)
      if size == 0 then return d end
      local h, ahead, back, out = STEP/size, table.move(x, 1, #x, 1, {}), table.move(x, 1, #x, 1, {}), {}
      for i, value in ipairs(d) do ahead[i], back[i] = x[i] + h*value, x[i] - h*value end
      ahead, back = on(t + h*dt, ahead), on(t - h*dt, back)
      for i = 1, #d do out[i] = (ahead[i] - back[i])/(2*h) end
      return out
    end
    return on(t, x), carried
  end
end

--- A state as one of the model of a flow: modes differ in the integrals that they carry behind the velocities.
function guards.state_for(flow, x)
  local out = table.move(x, 1, flow.size, 1, {})
  for i = flow.size + 1, flow.model:state_size() do out[i] = 0.0 end
  return out
end

-- The gap that is struck; the last of impacts that accumulate has no restitution
local function gap_at(system, event)
  local gap = system.gaps[event.name]
  return event.accumulated and setmetatable({ law = { restitution = 0 } }, { __index = gap }) or gap
end

--- The state behind the last of impacts that accumulate.
function guards.closed(system, flow, event, x) return (impacts.new(flow, gap_at(system, event))(event.t, guards.state_for(flow, x))) end

--- What happens to state and directions at an event: a function of (t, x) to the state after, what carries a direction and a change of time, of an impact
--- the velocity of approach, and what this changes by with a direction and a change of time.
function guards.reset(system, flow, next_flow, event)
  local impact = event.kind == "impact" and impacts.new(flow, gap_at(system, event))
  local project = projection(next_flow)
  return function(t, x)
    local after, carry, speed, quicker = x, nil, nil, nil
    if impact then after, carry, speed, quicker = impact(t, x) end
    local onto
    after = guards.state_for(next_flow, after)
    if project then after, onto = project(t, after) end
    return after, function(d, dt)
      if carry then d = carry(d, dt) end
      return onto and onto(d, dt) or d
    end, speed, quicker
  end
end

--- The rate of the states at (t, x).
function guards.rate(flow, t, x)
  flow.w:set_state(t, x)
  return flow.w:rate()
end

--- d + amount*rate.
function guards.added(d, rate, amount, size)
  local out = {}
  for i = 1, size do out[i] = d[i] + amount*rate[i] end
  return out
end

local GRAZING = 1e-13                   -- of the rate of the states: velocity that stands for 0, at which the derivative is infinite

--- The event at (t, x), the end of a segment { flow, guard, reset }: { speed = with which the guard passes zero, size = the largest that it could have at
--- this rate, gradient = of the guard }, the state after it, and a function that carries a direction over it at a fixed time, by the saltation matrix.
function guards.across(segment, next_flow, t, x)
  local flow = segment.flow
  local before = guards.rate(flow, t, x)
  local _, gradient, slope = segment.guard(t, x)
  local whole = table.move(before, 1, flow.size, 1, {})
  local speed = slope + tangent.dot(gradient, whole)
  local size = math.abs(slope) + math.sqrt(tangent.dot(gradient, gradient)*tangent.dot(whole, whole))
  local divisor = speed ~= 0 and speed or GRAZING*size
  local after, carry = segment.reset(t, x)
  local rate = guards.rate(next_flow, t, after)
  return { speed = speed, size = size, gradient = gradient }, after, function(d)
    local dt = -tangent.dot(gradient, d)/divisor
    return guards.added(carry(guards.added(d, before, dt, flow.size), dt), rate, -dt, flow.size)
  end
end

--- Expressions of the contacts.
function guards.expressions(system)
  local list = {}
  for _, gap in ipairs(system.gaps) do
    list[#list + 1] = gap.gap
    list[#list + 1] = core.number(gap.law.restitution or 0)
  end
  for _, item in ipairs(system.frictions) do
    for _, e in ipairs{ item.slips[1], item.static[1], item.coefficient[1], core.is_expression(item.normal) and item.normal or nil } do list[#list + 1] = e end
  end
  return list
end

--- Places of the states that any of the modes or a contact depends on.
function guards.kept(flows, expressions)
  local kept, seen = {}, {}
  for _, flow in ipairs(flows) do for _, place in ipairs(flow.kept) do seen[place] = true end end
  for _, s in ipairs(core.symbols(expressions)) do
    for place, q in ipairs(flows[1].E.kin) do if q == s then seen[place] = true end end
  end
  for place = 1, flows[1].size do if seen[place] then kept[#kept + 1] = place end end
  return kept
end

return guards
