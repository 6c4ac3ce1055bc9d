-- grazing.lua: from a motion that grazes a wall to the motions with an impact more or fewer there.
--
-- The motion that grazes is one of both kinds. With the instants of impacts as unknowns it is an ordinary point of the branch of either, so that the other
-- branch starts at it: with an impact more at the velocity of approach a, with an impact fewer at the motion itself.
local branch_settings = require "hamel.continuation.branch_settings"
local corrector = require "hamel.continuation.corrector"
local flights = require "hamel.continuation.flights"
local object = require "hamel.base.object"
local sequence_starts = require "hamel.continuation.sequence_starts"
local switching = require "hamel.continuation.switching"

local fail = object.fail

-- The guess at a special point, with its sequence of events
local function guess_at(branch, special, read)
  local record = special.point
  local state = read.states[1]
  return { q = state.q, v = state.v, t = state.t, period = branch._system:check_expression(record.drive or record.period, "period", 0),
           parameters = object.copied(record.parameters), sequence_read = #read.events > 0 and read or nil, form = record.form,
           keep = record.keep, segments = #read.events == 0 and read.nodes or nil }
end

local function rotated(list, first)
  local out = {}
  for i = 1, #list do out[i] = list[(first + i - 2) % #list + 1] end
  return out
end

-- The sequence without the event number k: the segments before and behind it are one
local function without(read, k)
  local event, n = read.events[k], #read.events
  if event.kind ~= "impact" or event.from ~= event.to then fail("switch: after this impact '%s' stays in contact; nothing branches off here", event.name) end
  if n == 1 then
    return { t = read.t, modes = { read.modes[1] }, events = {}, durations = read.durations, states = read.states, nodes = read.nodes }
  end
  -- the segment after the event is the last one: the sequence starts behind the one that follows it
  local first = (k + 1) % n + 1
  local list = { modes = rotated(read.modes, first), events = rotated(read.events, first), durations = rotated(read.durations, first),
                 states = rotated(read.states, first), nodes = read.nodes }
  list.events[n - 1] = list.events[n]
  list.durations[n - 1] = list.durations[n - 1] + list.durations[n]
  for _, part in ipairs{ list.modes, list.events, list.durations, list.states } do part[n] = nil end
  list.t = list.states[1].t
  return list
end

-- Motions with the impact fewer: one at the same value of the parameter, followed to both sides
local function at_grazing(branch, special, o)
  local problem, at = branch._problem, special._at
  if not problem.read_at or not special.impact then fail("switch: nothing branches off here (%s)", special.kind) end
  local k, count = nil, 0
  for i, segment in ipairs(problem.segments) do
    if segment.event.kind == "impact" then count = count + 1 end
    if count == special.impact then k = k or i end
  end
  local read = without(problem:read_at(at.y), k)
  local make = #read.events > 0 and sequence_starts.new or flights.new
  local base, y = make(branch._system, o, guess_at(branch, special, read), { problem.name }, read.modes[1])
  local start, why = corrector.at_value(base, y, function(p) return base:value(p) end, special.value)
  if not start then fail("switch: the motion without this impact was not found: %s", why) end
  return base, start, branch_settings.turned(start)
end

-- The sequence with an impact more at a place { t, name, segment } of it
local function with(read, place)
  local mode = read.modes[place.segment]
  local event = { kind = "impact", name = place.name, from = "open", to = "open", mode = mode }
  if #read.events == 0 then
    return { t = read.t, modes = read.modes, events = { event }, durations = read.durations, states = read.states, nodes = read.nodes }
  end
  local list = { nodes = read.nodes }
  for _, key in ipairs{ "modes", "events", "durations", "states" } do list[key] = table.move(read[key], 1, #read[key], 1, {}) end
  local i, before = place.segment, place.t - read.states[place.segment].t
  table.insert(list.modes, i, mode)
  table.insert(list.events, i, event)
  table.insert(list.durations, i, before)
  list.durations[i + 1] = list.durations[i + 1] - before
  table.insert(list.states, i + 1, place.state)
  list.t = read.t
  return list
end

-- Motions with an impact more, of the velocity a
local function at_touch(branch, special, o)
  local problem, at, place = branch._problem, special._at, special._place
  if not place then fail("switch: nothing branches off here (%s)", special.kind) end
  if not place.gap then
    fail("switch: at '%s' a limit of contact or friction is reached, and no branch starts by itself: run beyond it, S:simulate{ parameters =, t = } over many "
      .. "periods, and continue the motion that the run comes to, S:continue{ periodic = { q =, v =, t =, period = } }", special.name)
  end
  local read = problem:read_at(at.y, place.t)
  place = object.copied(place)
  if #read.events > 0 then place.state = problem:state_at(at.y, place.segment, place.t) end
  local base, y = sequence_starts.new(branch._system, o, guess_at(branch, special, with(read, place)) , { problem.name })
  -- the number of the new impact
  local k = 1
  for i = 1, place.segment - 1 do k = k + (base.segments[i].event.kind == "impact" and 1 or 0) end
  local function speed(point) return base:speed(point, k) end
  -- in the unit of the velocities with which this gap is met
  local unit = base.segments[place.segment].speed_unit
  for _, part in ipairs(switching.AMPLITUDES) do
    local a = part*unit
    local start = corrector.at_value(base, y, speed, a)
    if start then
      local ahead = 0
      local _, gradient = speed(start.y)
      for i, value in ipairs(gradient) do ahead = ahead + value*start.tangent[i] end
      return base, ahead > 0 and start or branch_settings.turned(start)
    end
  end
  fail("switch: no motion with an impact more was found within the velocity %g", switching.AMPLITUDES[4]*unit)
end

switching.add("grazing", at_grazing)
switching.add("touch", at_touch)
