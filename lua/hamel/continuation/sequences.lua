-- sequences.lua: periodic motions with impacts and switches as points of a curve: the instants of the events are unknowns.
--
-- Each segment is flown under the equations of its mode, without guards, for its duration; the guard of the event that ends it must vanish there. So
-- nothing is divided by the velocity of an impact, and a branch runs smoothly through grazing. Unknowns: the start right after an event, the
-- parameter, the durations, of driven systems the time of the start, and of motions that are cut into arcs the starts of these (arcs.lua).
local admissible = require "hamel.continuation.admissible"
local arc_cuts = require "hamel.continuation.arc_cuts"
local arcs = require "hamel.continuation.arcs"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local floquet = require "hamel.continuation.floquet"
local guards = require "hamel.analysis.nonsmooth.guards"
local held_places = require "hamel.continuation.held_places"
local instants = require "hamel.continuation.instants"
local integrals = require "hamel.continuation.integrals"
local moduli = require "hamel.analysis.moduli"
local object = require "hamel.base.object"
local orbit_corners = require "hamel.continuation.orbit_corners"
local periodic_units = require "hamel.continuation.periodic_units"
local run_errors = require "hamel.continuation.run_errors"
local segments = require "hamel.continuation.segments"
local sequence_ends = require "hamel.continuation.sequence_ends"
local states = require "hamel.continuation.states"
local switching = require "hamel.continuation.switching"
local symbols = require "hamel.algebra.symbols"
local tangent = require "hamel.analysis.tangent"
local tracks = require "hamel.continuation.tracks"
local transitions = require "hamel.continuation.transitions"
local whole_records = require "hamel.continuation.whole_records"

local fail = object.fail
local Sequence = {}
Sequence.__index = Sequence

-- ---- the points

--- Sets the places of the unknowns: the kept states, the durations of the segments, and of driven systems the time of the start; the points of each mode.
function Sequence:lay_out()
  self.count, self.first = #self.segments, self.kept_count + 1
  self.time_place = self.timed and self.kept_count + self.count + 1 or nil
  local extra, of_flow = self.count + (self.timed and 1 or 0), {}
  self.space, self.spaces = states.new(self.flow, extra), {}
  self.places, self.observed = states.watched(self.space, self.names)
  of_flow[self.flow] = self.space
  for i, segment in ipairs(self.segments) do
    local space = of_flow[segment.flow] or states.new(segment.flow, extra)
    space.scale, of_flow[segment.flow] = self.space.scale, space
    self.spaces[i] = space
  end
  self.limits = sequence_ends.limits(self)
end

function Sequence:period(y)
  local sum = 0
  for i = 1, self.count do sum = sum + y[self.first + i - 1] end
  return sum
end

function Sequence:time(y) return self.driven and y[self.time_place] or self.begun end

function Sequence:node_moved(y, i, node, part)
  local space = self.spaces[arcs.start(self, y, i)]
  local moved = table.move(node, 1, #node, 1, {})
  for k = self.first, #node do moved[k] = node[k] + space.scale[k]*part[k] end
  moved.cuts = y.cuts
  space.flow.t = arcs.time(self, moved, i)
  return space.moved(node, part)
end

-- Constraints that move with time: their derivatives by the times that precede the node
local function add_drift(self, y, i, rows)
  local k, part = arcs.start(self, y, i)
  local space, list = self.spaces[k], {}
  local flow = space.flow
  for _, p in ipairs(flow.E.positions) do list[#list + 1] = core.diff(p.f, symbols.t) end
  for _, v in ipairs(flow.E.velocities) do list[#list + 1] = core.diff(v.f, symbols.t) end
  if #list == 0 then return end
  local values = flow.observer:evaluate(flow.observer:program(list), flow.w, flow.t, space.state(segments.node(self, y, i)))
  for a, row in ipairs(rows) do
    row[self.time_place] = values[a]*space.scale[self.time_place]
    for j = 1, k do row[self.first + j - 1] = (j < k and 1 or part)*values[a]*space.scale[self.first + j - 1] end
  end
end

function Sequence:node_rows(y, i)
  local space = self.spaces[arcs.start(self, y, i)]
  space.flow.t = arcs.time(self, y, i)
  local rows = space.constraints(segments.node(self, y, i))
  if self.driven then add_drift(self, y, i, rows) end
  return rows
end

function Sequence:moved(y, d)
  if y.cuts then return segments.moved(self, y, d) end
  return self:node_moved(y, 1, y, d)
end

function Sequence:difference(to, from) return segments.difference(self, to, from) end

--- See arclength.lua. Motions of which one starts whole periods of the drive later, in the same state, are one.
function Sequence:image(y, near)
  if not self.driven then return y end
  local drive = self.driven(y)/(self.repetitions or 1)
  local count = math.floor((near[self.time_place] - y[self.time_place])/drive + 0.5)
  if count == 0 then return y end
  local image = table.move(y, 1, #y, 1, {})
  image.cuts, image[self.time_place] = y.cuts, y[self.time_place] + count*drive
  return image
end

function Sequence:refitted(point) return arc_cuts.refitted(self, point) end

function Sequence:value(y) return (self.free and self.free.at or self.observed[1])(y) end

function Sequence:directions(y, before)
  local space = self.space
  local rows = self:node_rows(y, 1)
  local held = table.move(rows, 1, #rows, 1, {})
  for i = #space.kept + 1, space.n do held[#held + 1] = states.axis(i, space.n) end
  for _, place in ipairs(self.places) do held[#held + 1] = states.axis(place, space.n) end
  local base = states.directions(rows, space.n, before and before.base)
  local gradients = integrals.gradients(self, y)
  table.move(gradients, 1, #gradients, #held + 1, held)
  base.closing = states.directions(held, space.n, before and before.closing)
  return segments.directions(self, y, base, before)
end

--- Flies all arcs: their ends as directions, how these change, what the guards miss, and the time at the end.
function Sequence:flown(y, directions, visit)
  local lasts, all_changes, all_met, time = {}, {}, {}, nil
  for a = 1, segments.count(y) do
    local last, t, changes, met = arcs.flown(self, y, a, directions, visit)
    lasts[a], all_changes[a], time = self.space.part(last), changes, t
    for i, guard in pairs(met) do all_met[i] = guard end
  end
  return lasts, all_changes, all_met, time
end

-- What watches a flight for the condition of a kind of special points at an instant: { visit = (arcs.lua), condition = function of the number of directions
-- to the value and its derivatives }. Of a grazing: the velocity of the impact number k
local function of_speed(k)
  local count, speed, speeds = 0, nil, nil
  return {
    visit = function(_, _, _, now, changes)
      if now then count = count + 1 end
      if now and count == k then speed, speeds = now, changes end
    end,
    condition = function(n)
      local row = {}
      for i = 1, n do row[i] = speeds[i] or 0.0 end
      return speed, row
    end,
  }
end

-- How fast the guard of a segment changes along it where it ends, as an instant: zero where the event comes to be none
local function tangency(segment, whole)
  local flow, t = segment.flow, whole:time(whole:points())
  local function speed(at, x)
    local _, gradient, slope = segment.guard(at, x)
    local rate = guards.rate(flow, at, x)
    for i, value in ipairs(gradient) do slope = slope + value*rate[i] end
    return slope
  end
  return { value = speed(t, whole:at(t)), t = t, side = "ended", whole = whole, slopes = instants.differences(flow, speed) }
end

-- What is watched in a segment of a motion, as an instant; nil: it is not there any more
local function watched_in(segment, whole, key)
  if key:match "^tangent " then return tangency(segment, whole) end
  return admissible.instant(segment, whole, key)
end

-- Of a touch the extreme value self.watched_test in its segment, of a corner over all segments
local function watcher(self, kind)
  if kind == "grazing" then return of_speed(self.grazes) end
  local number, parts, found = kind == "touch" and admissible.segment_of(self.watched_test), {}, {}
  return {
    visit = function(piece)
      local i, segment = piece.segment, self.segments[piece.segment]
      parts[#parts + 1] = piece
      if piece.to < 1 then return end
      local whole = whole_records.joined(parts)
      parts = {}
      if i == number then found[self.watched_test] = watched_in(segment, whole, self.watched_test) end
      if not number then orbit_corners.add(found, segment.corners, segment.flow, whole, self.watched_test) end
    end,
    condition = function(n)
      local instant = found[self.watched_test] or fail("the motion has no extreme value there any more")
      return instant.value, instants.row(instant, n)
    end,
  }
end

--- See arclength.lua. kind: of special points with a condition at an instant, which follows with its derivatives as the fourth and the fifth result.
function Sequence:equations(y, directions, kind)
  local space, watch = self.space, kind and watcher(self, kind)
  local lasts, all_changes, met, t = self:flown(y, directions, watch and watch.visit)
  local last, changes, start = lasts[#lasts], all_changes[#lasts], space.part(space.state(y))
  local F, rows, gap = {}, {}, {}
  for i = 1, space.n do gap[i] = last[i] - start[i] end
  for _, u in ipairs(directions.closing) do
    local row = {}
    for k, d in ipairs(directions) do row[k] = (changes[k] and tangent.dot(u, changes[k]) or 0.0) - (d.node and 0.0 or tangent.dot(u, d)) end
    F[#F + 1], rows[#rows + 1] = tangent.dot(u, gap), row
  end
  for i = 1, self.count do
    local row = {}
    local unit = self.segments[i].guard_unit
    for k in ipairs(directions) do row[k] = (met[i].changes[k] or 0.0)/unit end
    F[#F + 1], rows[#rows + 1] = met[i].value/unit, row
  end
  if self.driven then
    local period, slopes = self.driven(y)
    local row, unit = {}, space.scale[self.first]
    for k, u in ipairs(directions) do
      row[k] = 0.0
      if not u.node then
        for i = 1, self.count do row[k] = row[k] + u[self.first + i - 1]*space.scale[self.first + i - 1] end
        for i, place in ipairs(self.places) do row[k] = row[k] - slopes[i]*u[place]*space.scale[place] end
      end
      row[k] = row[k]/unit
    end
    F[#F + 1], rows[#rows + 1] = (t - self:time(y) - period)/unit, row
  end
  for _, integral in ipairs(self.integrals) do
    local value, gradient = integral.at(y)
    local row = {}
    for k, u in ipairs(directions) do row[k] = u.node and 0.0 or tangent.dot(gradient, u) end
    -- along a family one of them changes
    for k in ipairs(row) do row[k] = row[k]/integral.unit end
    if integral ~= self.free then F[#F + 1], rows[#rows + 1] = (value - integral.fixed)/integral.unit, row end
  end
  segments.add_joints(self, y, directions, lasts, all_changes, F, rows)
  local off, slopes = nil, nil
  if watch then off, slopes = watch.condition(#directions) end
  return F, rows, { all_changes = all_changes }, off, slopes
end

-- ---- along a motion

local modulus, multipliers_at = states.modulus, transitions.multipliers

local GRAZES = 1e-8                    -- velocity of approach that counts as zero

local REVERSED = 1e-11                  -- of the period: time between impacts at once that is none

-- Is the segment i of a point the one between two impacts at once (events.lua), which takes no time?
local function is_instant(self, y, i)
  return self.segments[i].event.joined and math.abs(y[self.first + i - 1]) <= REVERSED*self:period(y)
end

function Sequence:visited(point)
  if point.visited then return point.visited end
  local seen = { impacts = {}, speeds = {}, offenders = {}, least = {}, places = {}, corners = {}, watched = self.watched_test }
  point.visited = seen
  local parts = {}
  self:flown(point.y, {}, function(piece, t, last, speed)
    local i, segment = piece.segment, self.segments[piece.segment]
    parts[#parts + 1] = piece
    if speed then
      seen.impacts[#seen.impacts + 1] = { name = segment.event.name, t = t, velocity = speed }
      -- tests count in units of the motion, so that what is small does not depend on the user's units
      seen.speeds[#seen.speeds + 1] = speed/segment.speed_unit
      -- a law has coefficients from 0 to 1
      if speed < -GRAZES*segment.speed_unit or segment.is_law and not segment.is_law(t, last) then seen.offenders[#seen.offenders + 1] = segment.event.name end
    end
    if piece.to == 1 then
      local whole = whole_records.joined(parts)
      if not is_instant(self, point.y, i) then admissible.check(i, segment, whole, t, seen) end
      orbit_corners.add(seen.corners, segment.corners, segment.flow, whole)
      parts = {}
    end
  end)
  return seen
end

--- The first contact or friction that a motion violates, by name; nil: the motion is admissible.
function Sequence:offender(point) return self:visited(point).offenders[1] end

--- How far beyond a limit of contact or friction a motion is, in units of its values; nil: it is beyond none.
function Sequence:depth(point) return self:visited(point).depth end

local OPPOSITE = -0.5                    -- cosine of the angle between rates on both sides of rest
local RESTS, LIMIT = 1e-6, 1e-2         -- speed of a motion at rest, and of one so near to it that its limit is taken, of that at the start of the branch

-- The speed at the start, of that on the first point of the branch, with the sign in which it continues that of the point before: it passes zero where motions
-- without a drive shrink to rest. There all durations solve the equations, and beyond it gaps are violated. A large change of direction alone is no passing
local function speed_of(self, point)
  local before, rate = point.before, self.space.part(guards.rate(self.flow, self:time(point.y), self.space.state(point.y)))
  for i = self.kept_count + 1, #rate do rate[i] = 0.0 end
  for _, place in ipairs(self.places) do rate[place] = 0.0 end
  local speed = math.sqrt(tangent.dot(rate, rate))
  local size = before and before.rate and speed*math.sqrt(tangent.dot(before.rate, before.rate))
  local turned_round = size and tangent.dot(before.rate, rate) < OPPOSITE*size
  point.rate, point.facing = rate, (before and before.facing or 1)*(turned_round and -1 or 1)
  self.first_speed = self.first_speed or speed > 0 and speed or nil
  return point.facing*speed/(self.first_speed or 1)
end

-- Is the motion at a point one at rest, but for a part of the first speed? Then it meets no wall, whatever its equations tell
local function is_at_rest(self, point, part) return not self.timed and math.abs(speed_of(self, point)) <= part end

--- A motion of the simple period lies on two branches. At rest all durations solve the equations; its amplitude passes zero with the distance of the walls.
Sequence.undetermined = { halving = true, rest = "slopes" }

--- Multipliers come from flights of their own: they need no derivatives of the equations.
Sequence.spectrum_alone = true

--- What to do where motions come in families.
function Sequence:in_families()
  return held_places.advice(self.system, self.modes, self.places_kept)
    or "with impacts and switches a parameter changes, and the energy and momenta that all of them keep stay; others are not known"
end

function Sequence:tests(point)
  local tests, seen = floquet.symmetric_tests(self, point, multipliers_at(self, point)), self:visited(point)
  tests.halving = switching.halving(self, point)
  tests.rest = not self.timed and speed_of(self, point) or nil
  for k, speed in ipairs(seen.speeds) do tests["grazing" .. k] = speed end
  for key, value in pairs(seen.least) do tests[key] = value end
  orbit_corners.add_tests(tests, seen.corners)
  return tests
end

--- A point costs runs with their variations.
Sequence.sparing = true

--- Functions of the states count in units of what they change by with these.
Sequence.unit_of_function = periodic_units.of_function

--- Curves count their parameters in units of what these change (curve_units.lua).
Sequence.counts_in_units = true

--- The multipliers m of a point to be followed, see tracks.lua; where they come with their inverses, m + 1/m.
function Sequence:followed(point)
  local multipliers = multipliers_at(self, point)
  return floquet.followed(self, point, multipliers, point.turned)
end

--- See floquet.has_quartets.
function Sequence:has_quartets(point) return floquet.has_quartets(self, point, multipliers_at(self, point)) end

--- The multipliers of a point with such a spectrum, to be followed each by itself.
function Sequence:each(point) return tracks.of_multipliers(multipliers_at(self, point), self.tolerance, point.turned) end

--- Details of the special point at which a multiplier is on the unit circle; nil where it is 1.
function Sequence:passed(point, m, at) return floquet.passed(m, self:period(point.y), at) end

local COARSER = 10                      -- times the tolerances: those of runs to compare with

--- What is followed at a point by coarser runs; nil: not told.
function Sequence:coarser(point)
  local flows, known = {}, {}
  for _, segment in ipairs(self.segments) do
    local flow = segment.flow
    if not flow.options then return nil end
    if not known[flow] then known[flow], flows[#flows + 1] = true, flow end
  end
  return point.directions and run_errors.followed(self, point, flows, COARSER) or nil
end

--- The condition of a kind of special points as a number. Where an event comes to have no velocity the multipliers have a pole, which is taken away, so that
--- the condition is smooth there.
function Sequence:condition(kind, point)
  local list = multipliers_at(self, point)
  return floquet.condition(self, kind, list)*point.crossing^floquet.pole_order(self, kind, #list)
end

--- The largest absolute values of the kept states along the motion at y; those of parameters are 0.
function Sequence:sizes(y)
  local wholes = {}
  self:flown(y, {}, function(piece) wholes[#wholes + 1] = whole_records.joined{ piece } end)
  return whole_records.sizes(self, wholes)
end

--- Why a point is none of a curve of special points of a kind, in words; nil: it is one.
function Sequence:missed(kind, point) return floquet.missed(self, kind, multipliers_at(self, point)) end

--- Notes how the condition of a curve of special points is taken; point: one near the curve.
function Sequence:prepare(kind, point) floquet.prepare(self, kind, point, multipliers_at(self, point)) end

--- Details of a point where a second condition holds, by the name of its kind.
function Sequence:second_met(kind, name, point) return floquet.second_met(kind, name, multipliers_at(self, point)) end

local TANGENT, AT_ONE = 1e-3, 1e-2     -- relative velocity with which a guard passes zero; distance of a multiplier from 1

-- The value turns back at a fold, where a multiplier is 1; or where an event comes to be none, as its guard only touches zero: there no motions branch off
local function turn_of(self, kind, point)
  local multipliers = multipliers_at(self, point)
  for _, m in ipairs(multipliers) do if modulus{ re = m.re - 1, im = m.im } <= AT_ONE then return {} end end
  if not (point.slowest.part < TANGENT) then return {} end
  return kind == "fold" and { kind = "touch", name = point.slowest.name, watched = ("tangent %d %s"):format(point.slowest.number, point.slowest.name) } or nil
end

local SAME = 1e-9

--- Symmetric motions reach a limit of friction in several segments at once: one touch. Where a gap is touched, each place leads to other motions.
function Sequence:is_same(one, other)
  local unit = corrector.unit(self)
  if orbit_corners.is_same(one, other, unit) then return true end
  return one.kind == "touch" and other.kind == "touch" and one.name == other.name and one.place ~= nil and other.place ~= nil
    and not one.place.gap and not other.place.gap and math.abs(one.value - other.value) <= SAME*(unit + math.abs(one.value))
    and one.behind == other.behind
end

--- What a test is called by whose zero is not found; see test_zeros.lua.
function Sequence.called(_, name) return admissible.called(name) end

function Sequence:confirmed(kind, point)
  if kind == "rest" then return point and is_at_rest(self, point, LIMIT) and { ends = "the motions shrink to rest" } or nil end
  if is_at_rest(self, point, RESTS) then return nil end
  local k = kind:match "^grazing(%d+)$"
  local touched = admissible.touched(kind)
  if touched then return { kind = "touch", name = touched, place = self:visited(point).places[kind], test = kind } end
  if kind == "halving" then return { ends = switching.HALVED } end
  if kind == "meeting" then return floquet.met(multipliers_at(self, point), self:period(point.y)) end
  if kind == "fold" or kind == "branch" then return turn_of(self, kind, point) end
  if k then return { kind = "grazing", impact = tonumber(k), name = self:visited(point).impacts[tonumber(k)].name } end
  return orbit_corners.met(kind) or {}
end

--- Why a solution is no motion with this sequence; nil: it is one. Impacts at once may come apart in their own order alone.
function Sequence:refused(point)
  for i, segment in ipairs(self.segments) do
    if segment.event.joined and point.y[self.first + i - 1] < 0 and not is_instant(self, point.y, i) then
      local before = self.segments[(i - 2) % self.count + 1].event
      return ("the impacts at '%s' and '%s', which were at once, come apart in the other order: start there from a motion beside"):format(before.name,
        segment.event.name)
    end
  end
  return nil
end

local BRIEF, SLOW = 1e-8, 1e-6         -- of the period: a duration that counts as none; relative velocity of a guard that counts as none

-- Where no time is left between two events their sequence says nothing of motions nearby if its multipliers have no value, or only by rounding
local function says_nothing(self, point)
  local y, multipliers, brief = point.y, multipliers_at(self, point), false
  for i = 1, self.count do brief = brief or y[self.first + i - 1] <= BRIEF*self:period(y) end
  for _, m in ipairs(multipliers) do if brief and not (modulus(m) < math.huge) then return true end end
  return brief and point.slowest.part < SLOW
end

local function is_stable(self, point)
  if says_nothing(self, point) then return nil end
  return states.is_stable(multipliers_at(self, point))
end

--- See floquet.stable_at.
function Sequence:stable_at(kind, record, point)
  if says_nothing(self, point) then return nil end
  return floquet.stable_at(self, kind, record, point)
end

function Sequence:record(point)
  local y, t = point.y, self:time(point.y)
  self.flow.t = t
  local record, seen = states.record(self.space, y, t, self.parameters_at(y)), self:visited(point)
  record.period, record.value, record.multipliers = self:period(y), (self:value(y)), multipliers_at(self, point)
  record.stable = is_stable(self, point)
  -- beside an impact that grazes one of them is infinite, and the others have no digits
  record.undetermined = point.slowest.part >= SLOW and moduli.undetermined(record.multipliers) or nil
  local energy = integrals.named(self.integrals, "energy")
  record.drive, record.energy = self.drive, energy and (energy.at(y)) or nil
  record.keep = self.places_kept
  record.admissible, record.offender, record.impacts, record.sequence = #seen.offenders == 0, seen.offenders[1], seen.impacts, {}
  for i, segment in ipairs(self.segments) do
    local event = segment.event
    record.sequence[i] = { name = event.name, kind = event.kind == "impact" and "impact" or event.word, duration = y[self.first + i - 1] }
  end
  if y.cuts then record.segments = self:nodes_at(y) end
  return record
end

local WANES = 0.02                     -- of the period

--- Which duration comes to zero on the way to a point, in words; nil: none.
function Sequence:waning(point)
  local period = self:period(point.y)
  for _, limit in ipairs(self.limits) do
    local now = limit.name == "duration" and limit.at(point.y)
    if now and now <= WANES*period and point.before and now < limit.at(point.before.y) then
      return ("a duration comes to zero, %.3g here, where %s"):format(now, limit.ends)
    end
  end
  return nil
end

-- ---- read off

--- The states at which the arcs behind the first start.
function Sequence:nodes_at(y)
  local list, parameters = {}, self.parameters_at(y)
  for a = 2, segments.count(y) do
    list[a - 1] = states.named(self.spaces[arcs.start(self, y, a)].flow, arcs.state(self, y, a), arcs.time(self, y, a), parameters)
  end
  return list
end

--- The sequence at a point, as it is read off a run (events.lua): modes, events, durations, and the states after the events.
function Sequence:read_at(y)
  local first = self.segments[1].flow
  local read = { t = self:time(y), modes = {}, events = {}, durations = table.move(y, self.first, self.first + self.count - 1, 1, {}), states = {} }
  local parameters = self.parameters_at(y)
  read.states[1] = states.named(first, self.space.state(y), read.t, parameters)
  self:flown(y, {}, function(piece, t, last)
    local i, segment = piece.segment, self.segments[piece.segment]
    if piece.to < 1 then return end
    read.modes[i], read.events[i] = segment.mode, segment.event
    if i < self.count then read.states[i + 1] = states.named(self.segments[i + 1].flow, (segment.reset(t, last)), t, parameters) end
  end)
  read.nodes = self:nodes_at(y)
  return read
end

--- The state at a time within the segment i of a point.
function Sequence:state_at(y, i, at)
  local flow, state, found = self.segments[i].flow, nil, false
  self:flown(y, {}, function(piece, t)
    if piece.segment ~= i or found then return end
    found = t >= at
    state = states.named(flow, whole_records.joined{ piece }:at(math.min(at, t)), at, self.parameters_at(y))
  end)
  return state
end

--- What passes zero on a curve of special points where a second condition holds; of motions that graze multipliers are infinite.
function Sequence:second(kind, point)
  if kind == "grazing" or kind == "touch" or kind == "corner" then return {} end
  return floquet.resonances(self, kind, point, multipliers_at(self, point))
end

--- What passes zero on a curve of special points where contacts reach a limit, by the names of the tests: the velocities of approach of the impacts, but for
--- that which is zero along the whole curve; the least values of gaps and forces, where the curve is not itself one of touches.
function Sequence:limits_met(kind, point)
  local tests, seen = {}, self:visited(point)
  for k, speed in ipairs(seen.speeds) do
    if not (kind == "grazing" and k == self.grazes) then tests["grazing" .. k] = speed end
  end
  if admissible.on_curves[kind] then for key, value in pairs(seen.least) do tests[key] = value end end
  return tests
end

local NEAR, FALL = 1e-3, 4               -- of the unit of a velocity: less is near grazing; by what a step may divide it farther away

--- Does a step on a curve of a kind of special points come so much nearer to a motion that grazes, or go so much farther from it, that what lies between may
--- be missed? There multipliers change with the logarithm of the velocity of approach; the equations and conditions at an instant run through smoothly.
function Sequence:leaps(kind, from, to)
  if kind ~= "flip" and kind ~= "torus" then return false end
  local before, number = self:visited(from).impacts, 0
  for k, impact in ipairs(self:visited(to).impacts) do
    repeat number = number + 1 until self.segments[number].event.kind == "impact"
    local one, other = before[k].velocity, impact.velocity
    local large, small = math.max(math.abs(one), math.abs(other)), math.min(math.abs(one), math.abs(other))
    if large > NEAR*self.segments[number].speed_unit and (one*other < 0 or large > FALL*small) then return true end
  end
  return false
end

--- The velocity of approach of the impact number k at a point, with its gradient as a direction.
function Sequence:speed(y, k)
  local directions, gradient = self:directions(y), {}
  local watch = of_speed(k)
  self:flown(y, directions, watch.visit)
  local speed, row = watch.condition(#directions)
  for i = 1, #y do gradient[i] = 0.0 end
  for a, u in ipairs(directions) do for i, part in ipairs(u) do gradient[i] = gradient[i] + row[a]*part end end
  return speed, gradient
end

return Sequence
