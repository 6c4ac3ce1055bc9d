-- flights.lua: periodic motions between contacts that change nothing: of a system with gaps and friction, without any event.
--
-- They are the motions of one mode, as smooth as others. Along the branch the conditions of the mode are checked; where one is reached at one instant,
-- as by a motion that grazes a wall, is a special point.
local admissible = require "hamel.continuation.admissible"
local held_places = require "hamel.continuation.held_places"
local modes = require "hamel.analysis.nonsmooth.modes"
local object = require "hamel.base.object"
local Orbits = require "hamel.continuation.orbits"
local orbit_starts = require "hamel.continuation.orbit_starts"
local segments = require "hamel.continuation.segments"
local tangent = require "hamel.analysis.tangent"
local whole_records = require "hamel.continuation.whole_records"

local fail = object.fail
local flights = {}

local Flight = setmetatable({}, { __index = Orbits })
Flight.__index = Flight

local function visited(self, point)
  if point.visited then return point.visited end
  point.visited = { offenders = {}, least = {}, places = {}, watched = self.watched_test }
  admissible.check(1, { flow = self.flow, demands = self.demands, endless = true }, whole_records.of(self, point.y), math.huge, point.visited)
  return point.visited
end

--- The first contact or friction that a motion violates, by name; nil: the motion is admissible.
function Flight:offender(point) return visited(self, point).offenders[1] end

--- How far beyond a limit it is, in units of its values; nil: it is beyond none.
function Flight:depth(point) return visited(self, point).depth end

function Flight:tests(point)
  local tests = Orbits.tests(self, point)
  for key, value in pairs(visited(self, point).least) do tests[key] = value end
  return tests
end

function Flight.called(_, name) return admissible.called(name) end

function Flight:confirmed(kind, point)
  local touched = admissible.touched(kind)
  if touched then return { kind = "touch", name = touched, place = visited(self, point).places[kind], test = kind } end
  return Orbits.confirmed(self, kind, point)
end

function Flight:instant(kind, whole)
  if kind ~= "touch" then return Orbits.instant(self, kind, whole) end
  local segment = { flow = self.flow, demands = self.demands }
  return admissible.instant(segment, whole, self.watched_test) or fail("the motion has no least value there any more")
end

--- See sequences.lua.
function Flight:limits_met(kind, point) return admissible.on_curves[kind] and visited(self, point).least or {} end

function Flight:second(kind, point) return kind ~= "touch" and Orbits.second(self, kind, point) or {} end

function Flight:record(point)
  local record, seen = Orbits.record(self, point), visited(self, point)
  record.keep = self.places_kept
  record.admissible, record.offender, record.sequence = #seen.offenders == 0, seen.offenders[1], {}
  return record
end

--- The motion at a point as a sequence without events, from the time t on: see Sequence:read_at.
function Flight:read_at(y, t)
  local parameters, nodes = self.parameters_at(y), {}
  for i = 1, y.cuts and segments.count(y) or 0 do
    nodes[i] = self:named(self.space.state(segments.node(self, y, i)), self.flow.t + segments.span(y, i)*self:period(y), parameters)
  end
  return { t = t, modes = { self.mode }, events = {}, durations = { (self:period(y)) }, nodes = nodes,
           states = { self:named(whole_records.of(self, y):at(t), t, parameters) } }
end

-- Motions of any period pass a wall that moves with time at another moment of it in each period
local function demand_still(self, system, mode)
  if not self.period_place then return end
  for _, gap in ipairs(system.gaps) do
    if mode[gap.name] ~= "closed" and #tangent.timed{ gap.gap } > 0 then
      fail("continue: '%s' moves with time, and the motions that do not meet it have other periods, so that one period does not tell whether they meet it; "
        .. "runs do, or a branch of the system without it", gap.name)
    end
  end
  for _, item in ipairs(system.frictions) do
    if #tangent.timed{ item.slips[1] } > 0 then
      fail("continue: the slip of '%s' depends on time, and the motions on which it keeps its sign have other periods, so that one period does not tell "
        .. "whether it does; runs do", item.name)
    end
  end
end

--- What to do where motions come in families.
function Flight:in_families()
  return held_places.advice(self.declared, { self.mode }, self.places_kept)
    or "name the integrals, what is fixed, or the symmetry along which they move: symmetry = { { x = -y, y = x } }"
end

--- The problem of periodic motions in a mode near a guess, along parameters or an integral by name, and its start; see orbit_starts.new.
function flights.new(system, o, guess, names, mode)
  local places = held_places.of(system, guess, { mode })
  local without = object.copied(guess)
  without.keep = nil
  local self, y = orbit_starts.new(modes.system(system, mode, "continue", places), o, without, names, admissible.symbols(system, mode))
  demand_still(self, system, mode)
  self.declared, self.places_kept = system, guess.keep
  self.mode, self.demands = mode, admissible.demands(system, self.flow, mode)
  return setmetatable(self, Flight), y
end

return flights
