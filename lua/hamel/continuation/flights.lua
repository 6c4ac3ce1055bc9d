-- flights.lua: periodic motions between contacts that change nothing: of a system with gaps and friction, without any event.
--
-- They are the motions of one mode, as smooth as others. Along the branch the conditions of the mode are checked; where one is reached at one instant,
-- as by a motion that grazes a wall, is a special point.
local admissible = require "hamel.continuation.admissible"
local modes = require "hamel.analysis.nonsmooth.modes"
local orbits = require "hamel.continuation.orbits"
local segments = require "hamel.continuation.segments"

local flights = {}

local Orbits = orbits.Orbits
local Flight = setmetatable({}, { __index = Orbits })
Flight.__index = Flight

-- The records of all segments as one, which goes on into the next period: a least value may lie at the start
local function whole_record(self, y)
  local records, times, period, begun = {}, {}, self:period(y), self.flow.t
  for i = 1, segments.count(y) do
    local _, _, record, span = segments.flown(self, y, i, {}, {}, true)
    records[i] = { raw = record.raw, from = span.from }
    for k = i == 1 and 1 or 2, record.raw:points() do times[#times + 1] = record.raw:time(k) end
  end
  for k = 2, math.min(3, records[1].raw:points()) do times[#times + 1] = period + records[1].raw:time(k) end
  local whole = {}
  function whole.points() return #times end
  function whole.time(_, k) return times[k] end
  function whole.at(_, t)
    if t > begun + period then t = t - period end
    local found = records[1]
    for _, each in ipairs(records) do if each.from <= t then found = each end end
    return found.raw:at(t)
  end
  return whole
end

local function visited(self, point)
  if point.visited then return point.visited end
  point.visited = { offenders = {}, least = {}, places = {} }
  admissible.check(1, { flow = self.flow, demands = self.demands }, whole_record(self, point.y), math.huge, point.visited)
  return point.visited
end

--- The first contact or friction that a motion violates, by name; nil: the motion is admissible.
function Flight:offender(point) return visited(self, point).offenders[1] end

function Flight:tests(point)
  local tests = Orbits.tests(self, point)
  for key, value in pairs(visited(self, point).least) do tests[key] = value end
  return tests
end

function Flight:confirmed(kind, point)
  local touched = admissible.touched(kind)
  if touched then return { kind = "touch", name = touched, place = visited(self, point).places[kind] } end
  return Orbits.confirmed(self, kind, point)
end

function Flight:record(point)
  local record, seen = Orbits.record(self, point), visited(self, point)
  record.admissible, record.offender, record.sequence = #seen.offenders == 0, seen.offenders[1], {}
  return record
end

--- The motion at a point as a sequence without events, from the time t on: see Sequence:read_at.
function Flight:read_at(y, t)
  local parameters, nodes = self.parameters_at(y), {}
  for i = 1, y.cuts and segments.count(y) or 0 do
    nodes[i] = self:named(self.space.state(segments.node(self, y, i)), self.flow.t + segments.span(y, i)*self:period(y), parameters)
  end
  local state = whole_record(self, y):at(t)
  return { t = t, modes = { self.mode }, events = {}, durations = { (self:period(y)) }, nodes = nodes,
           states = { self:named(self.flow:split(state, 0), t, parameters) } }
end

--- The problem of periodic motions in a mode near a guess, along parameters or an integral by name, and its start; see orbits.new.
function flights.new(system, o, guess, names, mode)
  local self, y = orbits.new(modes.system(system, mode, "continue"), o, guess, names)
  self.mode, self.demands = mode, admissible.demands(system, self.flow, mode)
  return setmetatable(self, Flight), y
end

return flights
