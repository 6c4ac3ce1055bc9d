-- admissible.lua: is a solution of the equations of a mode a motion? Gaps must be open, contacts pressed, friction within its limits, slip of its sign.
local core = require "hamel.core"
local guards = require "hamel.analysis.nonsmooth.guards"
local instants = require "hamel.continuation.instants"
local minima = require "hamel.continuation.minima"
local motion_units = require "hamel.analysis.motion_units"

local admissible = {}

-- Where a slip has just passed zero it must go on: its rate in the direction of the mode, as a function of the time and the state. Its sign alone would show
-- the limit late, by a dip that grows with the square of the distance. nil: it has not
local function rate_behind(system, flow, item, state, event)
  if not event or event.name ~= item.name or event.kind == "impact" or event.from == "stick" then return nil end
  local slip = guards.of(system, flow, event)
  return function(t, x)
    local _, gradient, slope = slip(t, x)
    local rate = guards.rate(flow, t, x)
    for i, value in ipairs(gradient) do slope = slope + value*rate[i] end
    return state*slope
  end
end

--- Conditions on a mode: { program, slopes (instants.lua), name, gap = whether it is that of an open gap, force = whether it is one on a reaction, rate = of a
--- slip that passes zero at the start }, and list.program of all of them. event: the one before the segment; nil: none.
function admissible.demands(system, flow, mode, event)
  local list, expressions = {}, {}
  local function add(name, e, gap, force)
    list[#list + 1] = { name = name, program = flow.observer:program{ e }, slopes = instants.slopes(flow, e), gap = gap, force = force }
    expressions[#expressions + 1] = e
  end
  for _, gap in ipairs(system.gaps) do
    if mode[gap.name] == "closed" then add(gap.name, guards.reaction(flow, gap.name), nil, true) else add(gap.name, gap.gap, true) end
  end
  for _, item in ipairs(system.frictions) do
    local state = mode[item.name]
    if state == "stick" then
      add(item.name, guards.limit(flow, item) - core.functions.abs(guards.reaction(flow, item.name)), nil, true)
    else
      add(item.name, state*item.slips[1])
      list[#list].rate = rate_behind(system, flow, item, state, event)
    end
  end
  list.program = flow.observer:program(expressions)
  return list
end

--- Symbols of the conditions on a mode. Those of reactions are the symbols of the equations.
function admissible.symbols(system, mode)
  local list = {}
  for _, gap in ipairs(system.gaps) do if mode[gap.name] ~= "closed" then list[#list + 1] = gap.gap end end
  for _, item in ipairs(system.frictions) do
    local sticks = mode[item.name] == "stick"
    list[#list + 1] = sticks and item.static[1] or item.slips[1]
    if sticks and core.is_expression(item.normal) then list[#list + 1] = item.normal end
  end
  return core.symbols(list)
end

-- ---- along a motion

local WITHIN = 8                       -- times within a step

--- What is rounding below zero, of the unit of a demand.
admissible.ROUNDING = 1e-9

local AT_LIMIT = 1e-7                  -- the same of a demand that is at its limit along a whole curve: as exactly as the equations of the curve are solved

-- Is a value of a demand, named by a word of its key, the one that is zero along a curve, or its partner in another segment of a symmetric motion?
local function is_watched(watched, word, name)
  return watched ~= nil and (watched:match("^" .. word .. " %d+ (.*)$") == name or watched:match "^tangent %d+ (.*)$" == name)
end

local ROUNDED = 1e-9                   -- of the largest demand: values that may be rounding, and say nothing of a unit

-- Gives the demands of a segment their units, the sizes of their values along it. values: at each time, those of all demands
local function count_in_units(demands, values)
  local sizes, largest = {}, 0.0
  for number in ipairs(demands) do
    local size = 0.0
    for _, list in ipairs(values) do if math.abs(list[number]) < math.huge then size = math.max(size, math.abs(list[number])) end end
    sizes[number], largest = size, math.max(largest, size)
  end
  for number, demand in ipairs(demands) do demand.unit = motion_units.of(math.max(sizes[number], ROUNDED*largest)) end
end

-- Does the event that ends a segment come where a demand is zero? Then it is zero there on every motion
local function ends_by(segment, demand)
  local event = segment.event
  return event and event.name == demand.name and demand.force and (event.from == "stick" or event.to == "open")
end

--- Checks a segment { flow =, demands =, endless = (a whole period: it goes on as it began) } with the number i on its record (whole_records.lua) until t.
--- Adds to seen:
--- offenders (names), depth (how far beyond its limit the worst of them is), and for each demand that has a minimum within the segment its least value
--- (least[key]) and where (places[key]): where it is zero, a limit is touched. A reaction may also pass its limit at the start or the end of the segment,
--- where no minimum is, unless the segment is endless, and the rate of a slip zero at the start: these values are there under keys of their own. All of them
--- are in units of the values of the demand, since what is small must not depend on the user's units. seen.watched: (optional) the key of a value that is
--- zero along a curve.
function admissible.check(i, segment, whole, t, seen)
  local flow, times, all = segment.flow, minima.times(whole, WITHIN), {}
  for k, at in ipairs(#segment.demands > 0 and times or {}) do
    all[k] = flow.observer:evaluate(segment.demands.program, flow.w, at, whole:at(at))
  end
  if all[1] and not segment.demands.counted then
    count_in_units(segment.demands, all)
    segment.demands.counted = true
  end
  for number, demand in ipairs(segment.demands) do
    local unit = demand.unit or 1
    local function limit(word) return -(is_watched(seen.watched, word, demand.name) and AT_LIMIT or admissible.ROUNDING) end
    local below = limit "touch"
    local function value_at(at) return flow.observer:evaluate(demand.program, flow.w, at, whole:at(at))[1]/unit end
    local values, key = {}, ("touch %d %s"):format(i, demand.name)
    local function offend(depth)
      seen.offenders[#seen.offenders + 1] = demand.name
      seen.depth = math.max(seen.depth or 0, depth)
    end
    for k, list in ipairs(all) do values[k] = list[number]/unit end
    for word, k in pairs(demand.force and not segment.endless and { start = 1, finish = #times } or {}) do
      local end_key = ("%s %d %s"):format(word, i, demand.name)
      if word == "start" or not ends_by(segment, demand) then
        seen.least[end_key], seen.places[end_key] = values[k], { segment = i, t = times[k], name = demand.name }
      end
    end
    if demand.rate then
      local start_key, at = ("start %d %s"):format(i, demand.name), times[1]
      local rate = demand.rate(at, whole:at(at))/(unit*(segment.rate_unit or 1))
      seen.least[start_key], seen.places[start_key] = rate, { segment = i, t = at, name = demand.name }
      if rate < limit "start" then offend(-rate) end
    end
    for k = 2, #times - 1 do
      if minima.is_at(values, k, 1) then
        local least, where = minima.between(value_at, times[k - 1], times[k + 1])
        if least < (seen.least[key] or math.huge) then
          seen.least[key], seen.places[key] = least, { segment = i, t = where, name = demand.name, gap = demand.gap }
        end
      end
      if values[k] < below and times[k] < t then offend(-values[k]) end
    end
    if (seen.least[key] or 0) < below then offend(-seen.least[key]) end
  end
end

local COARSE = 2                       -- times in a step that are looked at for one least value

-- The least of the minima of f, with values in a unit, at times of a record, and its time; nil: it has none
local function least_minimum(f, whole, unit)
  local times, values, least, where = minima.times(whole, COARSE), {}, math.huge, nil
  for k, at in ipairs(times) do values[k] = f(at) end
  for k = 2, #times - 1 do
    if minima.is_at(values, k, unit) then
      local value, at = minima.between(f, times[k - 1], times[k + 1])
      if value < least then least, where = value, at end
    end
  end
  return where and least, where
end

-- The instant at which a demand has the value of seen.least["WORD i NAME"]; nil: there is none
local function instant_of(flow, demand, whole, word)
  local function value_at(at) return flow.observer:evaluate(demand.program, flow.w, at, whole:at(at))[1] end
  if word == "touch" then
    local value, t = least_minimum(value_at, whole, demand.unit or 1)
    return t and { value = value, t = t, whole = whole, slopes = demand.slopes }
  end
  local t, side = whole:time(word == "finish" and whole:points() or 1), word == "finish" and "ended" or "begun"
  if demand.rate then
    return { value = demand.rate(t, whole:at(t)), t = t, side = side, whole = whole, slopes = instants.differences(flow, demand.rate) }
  end
  return demand.force and { value = value_at(t), t = t, side = side, whole = whole, slopes = demand.slopes }
end

--- Kinds of special points whose curves pass the limits of contacts and friction by least values.
admissible.on_curves = { fold = true, flip = true, torus = true }

--- The number of the segment to which a key of seen.least belongs.
function admissible.segment_of(key) return tonumber(key:match "^%a+ (%d+) ") end

--- The instant (instants.lua) of the value seen.least[key] of a segment with its record, without the others; nil: there is none any more.
function admissible.instant(segment, whole, key)
  local word, name, found = key:match "^(%a+) %d+ (.*)$"
  for _, demand in ipairs(segment.demands) do
    local instant = demand.name == name and instant_of(segment.flow, demand, whole, word)
    if instant and not (found and found.value <= instant.value) then found = instant end
  end
  return found
end

--- The name of what is touched, of a key of seen.least; nil of other keys.
function admissible.touched(key) return key:match "^touch %d+ (.*)$" or key:match "^start %d+ (.*)$" or key:match "^finish %d+ (.*)$" end

--- What a key of seen.least is called whose zero is not found; see test_zeros.lua.
function admissible.called(key)
  local name = admissible.touched(key)
  return name and { kind = "touch", name = name } or {}
end

return admissible
