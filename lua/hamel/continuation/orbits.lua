-- orbits.lua: periodic motions as points of a curve, by shooting and multiple shooting with the exact variational equations.
--
-- Unknowns: the start over the kept states, the parameter, the period (of autonomous systems), the turn about each symmetry that is given; of motions
-- that are cut into segments also the starts of these (segments.lua).
-- The motion closes in the directions across the gradients of the integrals alone, along these it closes by itself; each integral gives a condition in
-- return: it keeps its value, but for the one along which a family is followed. So the matrix is square and regular at ordinary points, and no
-- tolerance decides its rank.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local ends = require "hamel.continuation.ends"
local failure = require "hamel.base.failure"
local floquet = require "hamel.continuation.floquet"
local guards = require "hamel.analysis.nonsmooth.guards"
local hopf_starts = require "hamel.continuation.hopf_starts"
local hopf_units = require "hamel.continuation.hopf_units"
local idle = require "hamel.analysis.idle"
local instants = require "hamel.continuation.instants"
local integrals = require "hamel.continuation.integrals"
local mirrors = require "hamel.continuation.mirrors"
local moduli = require "hamel.analysis.moduli"
local motion_units = require "hamel.analysis.motion_units"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local orbit_corners = require "hamel.continuation.orbit_corners"
local orbit_families = require "hamel.continuation.orbit_families"
local periodic_units = require "hamel.continuation.periodic_units"
local periods = require "hamel.continuation.periods"
local rest_units = require "hamel.continuation.rest_units"
local run_errors = require "hamel.continuation.run_errors"
local phases = require "hamel.continuation.phases"
local reciprocity = require "hamel.continuation.reciprocity"
local segments = require "hamel.continuation.segments"
local signs = require "hamel.analysis.signs"
local states = require "hamel.continuation.states"
local switching = require "hamel.continuation.switching"
local tangent = require "hamel.analysis.tangent"
local tracks = require "hamel.continuation.tracks"
local turns = require "hamel.continuation.turns"
local variations = require "hamel.analysis.variations"
local whole_records = require "hamel.continuation.whole_records"
require "hamel.analysis.periodic"

local fail = object.fail
local orbits = {}

local Orbits = {}
Orbits.__index = Orbits

-- ---- the unknowns

-- The period at a point; of driven systems its derivatives by the parameters that change
function Orbits:period(y)
  if self.period_place then return y[self.period_place] end
  return self.driven(y)
end

function Orbits:moved(y, d) return segments.moved(self, y, d) end

function Orbits:difference(to, from) return segments.difference(self, to, from) end

function Orbits:node_moved(y, i, node, part) return segments.at_time(self, y, i, self.space.moved, node, part) end

function Orbits:node_rows(y, i) return segments.at_time(self, y, i, self.space.constraints, segments.node(self, y, i)) end

function Orbits:refitted(point) return not self.keep and segments.refitted(self, point) or nil end

function Orbits:value(y) return (self.along or self.observed[1])(y) end

--- Rows that hold a node, a point of one segment, on the constraints, and those of what else is no part of a change of it.
function Orbits:held_rows(node)
  local rows, n = self.space.constraints(node), self.space.n
  local held = table.move(rows, 1, #rows, 1, {})
  for i = #self.space.kept + 1, n do held[#held + 1] = states.axis(i, n) end
  for _, place in ipairs(self.places) do held[#held + 1] = states.axis(place, n) end
  return rows, held
end

function Orbits:directions(y, before)
  local rows, held = self:held_rows(y)
  local base = states.directions(rows, self.space.n, before and before.base)
  base.across = integrals.across(self, y, held, before and before.base and before.base.across)
  table.move(base.across, 1, #base.across, #held + 1, held)
  base.closing = states.directions(held, self.space.n, before and before.closing)
  local list = segments.directions(self, y, base, before)
  list.closed_before = self.keep and orbit_families.handed_on(before)
  return list
end

-- ---- the equations

local MOVING = 1e-3                     -- of the speed of a guess: a slower motion is one at rest

local function rate_at(self, t, x) return self.space.part(segments.rate(self.flow, t, x)) end

-- By how much the period grows with each direction
local function longer_by(self, y, directions)
  local list, _, slopes = {}, self:period(y)
  for k, u in ipairs(directions) do
    list[k] = not u.node and self.period_place and u[self.period_place]*self.space.scale[self.period_place] or 0
    for i, place in ipairs(slopes and self.places or {}) do list[k] = list[k] + slopes[i]*u[place]*self.space.scale[place] end
  end
  return list
end

-- The end of each segment as a direction, and how the ends change with the directions, by their numbers. parts: a list to which the segments are added as
-- parts of a record (whole_records.lua); nil: not asked for
local function shot(self, y, directions, parts)
  local flow, space = self.flow, self.space
  local longer, lasts, all_changes = longer_by(self, y, directions), {}, {}
  local N = segments.count(y)
  for i = 1, N do
    local last, carried, record, times = segments.flown(self, y, i, directions, longer, parts ~= nil)
    if parts then parts[i] = { flow = flow, raw = record.raw, numbers = times.numbers } end
    -- the rate of a state whose quaternions have the other sign has it, too
    local places = i == N and signs.turned_over(flow, space.state(y), last) or {}
    signs.over(last, places)
    local at_end, changes = rate_at(self, times.to, last), {}
    for k, d in pairs(carried) do
      changes[k] = space.part(signs.over(d, places))
      local later = longer[k]*times.longer
      if later ~= 0 then for e = 1, #flow.kept do changes[k][e] = changes[k][e] + later*at_end[e] end end
    end
    lasts[i], all_changes[i] = space.part(last), changes
  end
  return lasts, all_changes
end

local FAR = 10

-- Where Newton's method goes astray its runs would be long
local function demand_period(self, y)
  local now, last = y[self.period_place], self.last_period
  if last and not (now < FAR*last and now > last/FAR) then fail("Newton's method leads from the period %.3g to %.3g", last, now) end
end

--- The instant (instants.lua) on a whole record at which the condition of a kind of special points is taken: of a corner that of the extreme value
--- self.watched_test.
function Orbits:instant(_, whole)
  return orbit_corners.add({}, self.corners, self.flow, whole, self.watched_test)[self.watched_test]
end

-- The direction along which the start of an autonomous motion does not move
local function along_motion(self, y)
  local function rate(at) return rate_at(self, self.flow.t, self.space.state(at)) end
  if #self.turns.list > 0 then return states.unit(rate(y)) end
  return phases.direction(rate(y), rate, self.space.moved, y, self:period(y))
end

--- See arclength.lua. kind: of special points with a condition at an instant, which follows with its derivatives as the fourth and the fifth result.
function Orbits:equations(y, directions, kind)
  local flow, space = self.flow, self.space
  if self.period_place then demand_period(self, y) end
  local parts = kind and {} or nil
  local lasts, all_changes = shot(self, y, directions, parts)
  local last, changes = lasts[#lasts], all_changes[#lasts]
  local turned, turnings = self.turns:applied(y, directions.base)
  local F, rows, gap = {}, {}, {}
  for i = 1, space.n do gap[i] = i <= #flow.kept and last[i] - turned[i] - self.gain[i] or 0.0 end
  for a, u in ipairs(directions.closing) do
    F[a], rows[a] = tangent.dot(u, gap), {}
    for k in ipairs(directions) do
      rows[a][k] = (changes[k] and tangent.dot(u, changes[k]) or 0.0) - (turnings[k] and tangent.dot(u, turnings[k]) or 0.0)
    end
  end
  if self.keep then F, rows = orbit_families.independent(self, directions, F, rows) end
  local function add(value, gradient)
    local row = {}
    for k, d in ipairs(directions) do row[k] = d.node and 0.0 or tangent.dot(gradient, d) end
    F[#F + 1], rows[#rows + 1] = value, row
  end
  -- along the motion, and along the symmetries, the start does not move
  local across = {}
  if self.period_place then across[1] = along_motion(self, y) end
  for _, field in ipairs(self.turns:fields(y)) do across[#across + 1] = field end
  for _, field in ipairs(across) do add(0.0, field) end
  for _, integral in ipairs(self.integrals) do
    if integral.fixed then
      local value, gradient = integral.at(y)
      add((value - integral.fixed)/integral.unit, tangent.scaled(gradient, 1/integral.unit))
    end
  end
  if self.keep then orbit_families.add(self, y, directions, rows, add) end
  segments.add_joints(self, y, directions, lasts, all_changes, F, rows)
  local instant = kind and self:instant(kind, whole_records.periodic(self, y, parts))
  return F, rows, { changes = changes, all_changes = all_changes }, instant and instant.value, instant and instants.row(instant, #directions)
end

--- Why a solution is none; nil: it is one.
function Orbits:refused(point) return self.keep and orbit_families.refused(self, point) or nil end

--- What to do where motions come in families; y: one of them.
function Orbits:in_families(y)
  local names = orbit_families.names(self, y)
  if self.keep then
    return "the values kept do not decide which motion it is: " .. (names and ("keep = { \"%s\" } does"):format(names) or "give others in keep")
  end
  local advice = "name the integrals, what is fixed, or the symmetry along which they move: symmetry = { { x = -y, y = x } }"
  return names and ("%s; or, where integrals are not known, values at the start that are kept: periodic = { ..., keep = { \"%s\" } }"):format(advice, names)
    or advice
end

-- ---- multipliers

local multipliers_at = floquet.multipliers

local modulus = states.modulus

local function length(d) return math.sqrt(tangent.dot(d, d)) end

-- The rate at the start without what symmetries do: zero at rest, and at a motion along a symmetry, as a circular one
local function rate_across(self, y)
  local rate, fields = rate_at(self, self.flow.t, self.space.state(y)), {}
  for _, field in ipairs(self.turns:fields(y)) do
    if tangent.orthogonal(field, fields) > 0 then fields[#fields + 1] = states.unit(field) end
  end
  tangent.orthogonal(rate, fields)
  return rate
end

-- Is the motion at y one along a symmetry? Such a motion closes up to it after any time
local function is_along_symmetry(self, y)
  return #self.turns.list > 0 and length(rate_across(self, y)) <= MOVING*length(rate_at(self, self.flow.t, self.space.state(y)))
end

local FARTHER, HELD = 4, 0.5            -- times the part across symmetries at a point before; the part of its speed there that a motion has near rest at most

-- Do the motions of a family that ends beside a point shrink to one along a symmetry? Then the part of the speed across it vanishes, and the whole does not
local function shrinks_to_symmetry(self, point)
  if #self.turns.list == 0 then return false end
  if is_along_symmetry(self, point.y) then return true end
  local across, before = length(rate_across(self, point.y)), point.before
  while before and length(rate_across(self, before.y)) < FARTHER*across do before = before.before end
  local function speed(y) return length(rate_at(self, self.flow.t, self.space.state(y))) end
  return before ~= nil and speed(point.y) > HELD*speed(before.y)
end

-- The speed at the start, as the way in the time of a radian of the period, with the sign in which it continues that of the point before: it passes zero where
-- the motion shrinks to rest, or to one along a symmetry
local function speed_of(self, point)
  local before = point.before
  local rate = rate_across(self, point.y)
  local turned_round = before and before.rate and tangent.dot(before.rate, rate) < 0
  point.rate, point.facing = rate, (before and before.facing or 1)*(turned_round and -1 or 1)
  return point.facing*length(rate)*self:period(point.y)/(2*math.pi)
end

--- What passes zero where motions come to one beyond which the same motions follow again, from another phase on: to rest, and to the simple period; on
--- curves of special points also where they come to their own mirror images.
function Orbits:images(point)
  local tests = { rest = self.period_place and speed_of(self, point) or nil, halving = switching.halving(self, point) }
  mirrors.add(self, point, tests)
  return tests
end

function Orbits:tests(point)
  local tests = floquet.symmetric_tests(self, point, multipliers_at(self, point))
  self.last_period = self:period(point.y)
  if self.keep then tests.zero = orbit_families.product(multipliers_at(self, point)) end
  for name, value in pairs(self:images(point)) do tests[name] = value end
  if #self.corners > 0 then
    orbit_corners.add_tests(tests, orbit_corners.add({}, self.corners, self.flow, whole_records.of(self, point.y)))
  end
  return tests
end

--- A point costs runs with their variations.
Orbits.sparing = true

--- Functions of the states count in units of what they change by with these.
Orbits.unit_of_function = periodic_units.of_function

--- Curves count their parameters in units of what these change (curve_units.lua).
Orbits.counts_in_units = true

--- The multipliers m of a point to be followed, see tracks.lua; where they come with their inverses, m + 1/m.
function Orbits:followed(point) return floquet.followed(self, point, multipliers_at(self, point)) end

--- See floquet.has_quartets.
function Orbits:has_quartets(point) return floquet.has_quartets(self, point, multipliers_at(self, point)) end

--- The multipliers of a point with such a spectrum, to be followed each by itself.
function Orbits:each(point) return tracks.of_multipliers(multipliers_at(self, point), self.tolerance) end

--- Details of the special point at which a multiplier is on the unit circle; nil where it is 1: folds and branch points have tests of their own.
function Orbits:passed(point, m, at) return floquet.passed(m, self:period(point.y), at) end

--- At rest a motion has any period; a motion of the simple period lies on two branches.
Orbits.undetermined = { rest = true, halving = true }

local DRIFTS = 100                      -- times the rates of coordinates that come to rest

-- Do coordinates on which nothing depends run on where the others come to rest, as those of a disc that stops wobbling and rolls on?
local function drifts_on(self, point)
  local flow, swings, runs = self.flow, 0, 0
  local rate = segments.rate(flow, flow.t, self.space.state(point.y))
  for i = 1, #flow.E.kin do
    if object.contains(flow.kept, i) then swings = math.max(swings, math.abs(rate[i])) else runs = math.max(runs, math.abs(rate[i])) end
  end
  return runs > DRIFTS*swings
end

function Orbits:confirmed(kind, point)
  if kind == "rest" then
    local along = point and shrinks_to_symmetry(self, point)
    if along then return { ends = "the motions shrink to one along the symmetry, as a circular one" } end
    local of_curve = self.special and point and floquet.at_rest_of_curve(self.special, multipliers_at(self, point))
    local what = point and drifts_on(self, point) and "a steady motion" or "rest"
    return { ends = "the motions shrink to " .. what .. (of_curve and (" (%s point)"):format(of_curve) or "") }
  elseif kind == "halving" then
    return { ends = switching.HALVED }
  elseif mirrors.is_test(kind) then
    local name = floquet.at_image_of_curve(self.special, point and multipliers_at(self, point))
    local words = ("the motions come to a symmetric one%s, and beyond it the curve runs through their images"):format(name and (" (%s)"):format(name) or "")
    return { kind = "end", name = words, ends = words }
  elseif kind == "zero" then
    return not orbit_families.is_fold_or_branch(self, point) and { kind = "neutral" } or nil
  elseif kind == "meeting" then
    return floquet.met(multipliers_at(self, point), self:period(point.y))
  end
  return orbit_corners.met(kind) or {}
end

local COARSER = { 10 }                  -- times the tolerances: those of runs to compare with

--- How exactly errors of runs leave the value at a fold known; nil: not told.
function Orbits:value_error(point)
  if not point.rows or not self.flow.options then return nil end
  local off = run_errors.of_value(self, point, point.tangent, COARSER)
  return off < math.huge and off or nil
end

--- What is followed at a point by coarser runs; nil: not told.
function Orbits:coarser(point) return point.directions and self.flow.options and run_errors.followed(self, point, { self.flow }, COARSER[1]) or nil end

--- Are two special points of different tests one?
function Orbits:is_same(one, other) return orbit_corners.is_same(one, other, corrector.unit(self)) end

--- What passes zero on a curve of special points where a second condition holds: by names of kinds.
function Orbits:second(kind, point)
  if kind == "corner" then return {} end
  return floquet.resonances(self, kind, point, multipliers_at(self, point))
end

--- Details of a point where a second condition holds, by the name of its kind.
function Orbits:second_met(kind, name, point) return floquet.second_met(kind, name, multipliers_at(self, point)) end

--- The condition of a kind of special points as a number.
function Orbits:condition(kind, point) return floquet.condition(self, kind, multipliers_at(self, point)) end

--- The largest absolute values of the kept states along the motion at y; those of parameters are 0.
function Orbits:sizes(y) return whole_records.sizes(self, { whole_records.of(self, y) }) end

--- Why a point is none of a curve of special points of a kind, in words; nil: it is one.
function Orbits:missed(kind, point) return floquet.missed(self, kind, multipliers_at(self, point)) end

--- Directions at a point that give multipliers 1, beside those of integrals and symmetries that are known.
function Orbits:ones(point)
  if not self.keep then return {} end
  local list
  list, point.inside = orbit_families.of_ones(self, point)
  return list
end

--- Notes how the condition of a curve of special points is taken; point: one near the curve.
function Orbits:prepare(kind, point)
  if self.keep then
    fail("continue: curves of special points need the integrals of the periodic motions, and these keep values at the start in their place: continue branches "
      .. "along one parameter at several values of the other")
  end
  floquet.prepare(self, kind, point, multipliers_at(self, point))
  self.mirrors, self.undetermined = mirrors.of(self, point.y), object.copied(Orbits.undetermined)
  for _, mirror in ipairs(self.mirrors) do self.undetermined[mirror.name] = true end
end

local function growing(m) return modulus(m) - 1 end

-- Do multipliers of a point come with their inverses? Those on the unit circle are known to be on it
local function is_symmetric(self, point) return floquet.is_symmetric(self, point, multipliers_at(self, point)) end

--- See arclength.lua.
function Orbits:growth(point)
  local counted = states.counted(multipliers_at(self, point), moduli.off_circle)
  return function(p)
    local count, within, hidden = counted(multipliers_at(self, p))
    return count, is_symmetric(self, p) and 0 or within + hidden
  end
end

--- How many multipliers of a point there are of which errors hide on which side of the unit circle they are, beside those that are on it along a curve of
--- special points of a kind (nil: on a branch); nil: none.
function Orbits:unsided_at(kind, point)
  if is_symmetric(self, point) then return nil end
  return floquet.unsided(kind, multipliers_at(self, point))
end

function Orbits:several(point)
  local m = states.nearest(multipliers_at(self, point), growing)
  if math.abs(m.im) > 1e-3 then return { kind = "torus", frequency = math.atan(math.abs(m.im), m.re)/(self:period(point.y)) } end
  return { kind = m.re < 0 and "flip" or "branch" }
end

--- See floquet.stable_at.
function Orbits:stable_at(kind, record, point) return floquet.stable_at(self, kind, record, point) end

local ALONG = 0.999                     -- of a change of the start: its part along the motion

--- Is a change d of a motion with the period of a drive one of its start alone, along the motion?
function Orbits:slides(y, d)
  if self.period_place then return false end
  local part = table.move(d, 1, self.space.n, 1, {})
  return math.abs(tangent.dot(states.unit(part), states.unit(rate_at(self, self.flow.t, self.space.state(y))))) > ALONG
end

local STILL, STRETCHED, MOST = 1e-8, 1.5, 100      -- change of the motion that counts as none; growth of its period; points that are compared

--- Why a branch ends: towards a homoclinic orbit the period grows without bound, and nothing else changes. The start may slide along the motion from point
--- to point, as the period does with it.
function Orbits:over(point)
  if not self.period_place or self.along then return nil end
  local period, before = self:period(point.y), point.before
  for _ = 1, MOST do
    local away = before and self:difference(point.y, before.y)
    if not away then return nil end
    local along = states.unit(rate_at(self, self.flow.t, self.space.state(before.y)))
    away = table.move(away, 1, self.space.n, 1, {})
    away[self.period_place] = 0.0
    local slid = tangent.dot(along, away)
    for i = 1, self.space.n do away[i] = away[i] - slid*along[i] end
    for i = 1, self.space.n do if math.abs(away[i]) > STILL then return nil end end
    if period > STRETCHED*self:period(before.y) then return "the period grows without bound, as near a homoclinic orbit" end
    before = before.before
  end
  return nil
end

--- The state of the model x as q, v, t by name.
function Orbits:named(x, t, parameters) return states.named(self.flow, x, t, parameters) end

function Orbits:record(point)
  local y = point.y
  local record = states.record(self.space, y, self.flow.t, self.parameters_at(y))
  record.period, record.value, record.multipliers, record.admissible = (self:period(y)), (self:value(y)), multipliers_at(self, point), true
  record.stable, record.undetermined = states.is_stable(record.multipliers), moduli.undetermined(record.multipliers)
  -- beside a family along which integrals stay, others change, and motions beside it drift along it
  if record.stable and (point.inside or 0) > 0 then record.stable = nil end
  record.unsided = self:unsided_at(nil, point)
  if self.energy then record.energy = (self.energy(y)) end
  record.keep = self.keep
  record.drive, record.drift, record.advance = self.drive, self.turns:values(y), self.advance
  for i = 2, segments.count(y) do
    record.segments = record.segments or {}
    local t = self.flow.t + segments.span(y, i)*record.period
    record.segments[i - 1] = states.named(self.flow, self.space.state(segments.node(self, y, i)), t, record.parameters)
  end
  return record
end

-- ---- the start

local CLOSE_ENOUGH = 1e-8               -- how well a motion closes from which a branch starts

local function found(system, o, guess, period)
  if guess.orbit then return guess.orbit end
  local given = { q = guess.q, v = guess.v, t = guess.t, period = period, advance = guess.advance, parameters = guess.parameters, form = o.form,
    elsewhere = false }
  local fine, orbit, kind = attempt(system.periodic, system, given)
  -- beside strong instability one shot closes no better: the branch itself holds its tolerance, in segments
  if not fine and kind == "at best" then
    given.tolerance = CLOSE_ENOUGH
    fine, orbit, kind = attempt(system.periodic, system, given)
  end
  if fine then return object.copied(orbit) end
  given.form, given.elsewhere, given.tolerance = o.form or system:default_form(), nil, nil
  -- under a drive that leaves it at rest a state of rest is a motion with the period of the drive
  given.resting = kind == "at rest"
  -- one shot along a motion that is very unstable misses its end: it is cut into segments
  given.unfound = kind == "no motion" and orbit or nil
  return (given.resting or given.unfound) and given or fail("continue: %s", orbit)
end

local function flow_of(system, o, orbit, guess, held)
  local given = { q = orbit.q, v = orbit.v, t = orbit.t, parameters = guess.parameters, form = o.form or (o.symmetry and "lagrange") or orbit.form }
  for _, option in ipairs(variations.run_names) do given[option] = o[option] end
  return variations.flow(system, "continue", given, (orbit.t or 0) + 0.0, held)
end

-- What the kept coordinates gain over a period, as a direction
local function gains(space, advance)
  local system, list = space.flow.system, {}
  for i = 1, space.n do list[i] = 0.0 end
  for name, value in pairs(system:by_name(advance or {}, "advance")) do
    if not system._coordinate[name] then
      fail("continue: advance: '%s' is not a coordinate of %s%s", tostring(name), system.name, object.hint(tostring(name), system.coordinate_names))
    end
    for i, place in ipairs(space.kept) do
      if core.text(space.flow.E.kin[place] or 0) == name then list[i] = options.number(value)/space.scale[i] end
    end
  end
  return list
end

-- Does a name stand for a parameter that changes? An integral keeps all parameters
local function held_by(system, names)
  return system._parameter[names[1]] and states.parameters(system, names) or {}
end

-- Are all parameters that change among the kept states?
local function are_kept(flow, held)
  local names = {}
  for _, place in ipairs(flow.kept) do names[core.text(flow.E.kin[place] or 0)] = true end
  for _, s in ipairs(held) do if not names[core.text(s)] then return false end end
  return true
end

-- Symbols that integrals, which keep their values along the branch, and measures contain
local function symbols_of_values(flow, o, held)
  local list, read = {}, idle.read_by(flow.system, { o.keep or {} })
  local timed = #tangent.timed(tangent.expressions(flow.E, flow.ignorable)) > 0
  for i, integral in ipairs(integrals.known(flow, o, timed)) do list[i] = flow.observer:expression(integral.e) end
  list = core.symbols(list)
  for _, s in ipairs(held) do if read[core.text(s)] or read.all then list[#list + 1] = s end end
  return list
end

-- Keeps the parameters among some symbols, though the rates do not depend on them
local function keep_parameters(flow, symbols)
  local held = {}
  for _, s in ipairs(symbols) do if object.contains(flow.E.held or {}, s) then held[#held + 1] = s end end
  flow.kept = guards.kept({ flow }, held)
end

-- The ends between which parameters change, as far as they are given
local function ends_of_values(o, held)
  local list = {}
  for k in ipairs(held) do
    local from, to = o.from, o.to
    list[k] = { from = type(from) == "table" and from[k] or type(from) == "number" and from or nil,
                to = type(to) == "table" and to[k] or type(to) == "number" and to or nil }
  end
  return list
end

-- The problem with its unknowns and integrals; y: its start
local function problem_of(system, o, guess, orbit, names, symbols)
  local held = held_by(system, names)
  orbit.t = periods.early(orbit.t or 0.0, options.number(orbit.period))
  held = #held > 0 and held or nil
  local flow = flow_of(system, o, orbit, guess, held)
  if symbols then keep_parameters(flow, symbols) end
  if held and not are_kept(flow, held) then keep_parameters(flow, symbols_of_values(flow, o, held)) end
  flow.signless = signs.signless(flow)
  local timed_list = tangent.timed(tangent.expressions(flow.E, flow.ignorable))
  local timed = #timed_list > 0
  local count = #(o.symmetry or {})
  local space = states.new(flow, count + (timed and 0 or 1))
  local self = setmetatable({ flow = flow, space = space, name = names[1], tolerance = o.tolerance, kind = "periodic motions",
    period_place = not timed and #flow.kept + 1 or nil, held = held }, Orbits)
  self.places, self.observed = states.watched(space, held and names or {})
  periodic_units.count_parameter(self, o)
  self.parameters_at = states.parameters_at(self, held and names or {}, guess)
  local behind, period_of = {}, periods.driven(system, guess, held or {})
  local places, values = periods.places(self)
  periods.bind(self, guess, period_of, o, values)
  if timed then
    periods.demand_repeating(flow, timed_list, period_of, places, names, values)
  end
  if not timed then behind[1], space.scale[self.period_place] = orbit.period, motion_units.of_time(options.number(orbit.period)) end
  for k = 1, count do behind[#behind + 1] = (orbit.drift or {})[k] or 0.0 end
  local y = space.point(flow.x, behind)
  self.unfound, self.resting = orbit.unfound, orbit.resting and not timed
  periodic_units.count_states(self, y, o, { flow }, periodic_units.of_names(flow, o.sizes),
    periodic_units.of_names(flow, o.units_of_branch))
  self.turns = turns.new(space, o.symmetry or {}, #flow.kept + (timed and 1 or 2))
  self.ends_of_held = ends_of_values(o, held or {})
  -- beside a steady motion at which all that swings is zero any field may look like a symmetry
  if not guess.swings then self.turns:demand(flow.x, options.number(orbit.period), held, self.ends_of_held) end
  self.advance, self.gain = guess.advance, gains(space, guess.advance)
  self.integrals = integrals.of(self, o)
  if names[1] == "period" then
    integrals.along_period(self, system)
  elseif not held and not orbit_families.place(guess.keep, names[1]) then
    self.free = integrals.named(self.integrals, names[1]) or fail("continue: '%s' is neither a parameter nor an integral of %s%s", names[1], system.name,
      object.hint(names[1], system.parameter_names))
    self.along = self.free.at
  end
  orbit_families.observe(self, guess.keep, y)
  self.corners = orbit_corners.of(flow)
  self.hamiltonian = reciprocity.of(system, guess.parameters, held)
  self.energy = flow.E.energy and states.observed(space, "energy") or nil
  self.last_period = options.number(orbit.period)
  self.singular = held and ends.of_parameters(space, y, held) or nil
  ends.bound(self, system, held and names or {}, y)
  -- the same problem, whose units may become others
  function self.anew() return (problem_of(system, o, guess, orbit, names, symbols)) end
  return self, y
end

-- Gives the integrals their values and units
local function settle(self, o, y)
  integrals.demand_independent(self, y)
  integrals.fix(self, o, y)
  periodic_units.count_integrals(self, y, o)
end

-- Where the motion from y ends, but for its gain, as a direction over the kept states
local function last_of(self, y)
  local last = self.space.part((self.flow:run(self.flow.t, self.flow.t + self:period(y), self.space.state(y), {})))
  for i = 1, #self.space.kept do last[i] = last[i] - self.gain[i] end
  return last
end

local CLOSED = 1e-6                     -- of the state: how far from its start a motion that closes may end

-- Does the motion from y end where it starts, up to the symmetries? The equations leave out the gradients of the integrals, along which it closes by itself
-- only where it ends nearby: with the same energy and momentum it may end at another distance from a centre
local function closes(self, y)
  local turned, last = self.turns:applied(y, {}), last_of(self, y)
  local off, size = 0, 0
  for i = 1, #self.space.kept do off, size = off + (last[i] - turned[i])^2, size + turned[i]^2 end
  return off <= CLOSED^2*(1 + size)
end

-- A start at which the integrals have the values of the guess; nil where none is near. S:periodic knows neither symmetries up to which motions close, nor
-- values that they keep, so that it may end elsewhere, as at rest.
local function near_guess(self, y)
  local function speed(at) return length(rate_across(self, at)) end
  if #self.integrals == 0 and #self.turns.list == 0 then return nil end
  if #self.turns.list > 0 then
    self.turns:come_near(y, last_of(self, y))
  end
  local point = corrector.at_value(self, y, function(at) return self:value(at) end, (self:value(y)))
  if not point or not (speed(point.y) > MOVING*speed(y)) then return nil end
  self.open = not closes(self, point.y)
  return point.y
end

-- The problem and its start by the guess as it is given, which closes up to symmetries or has values that are kept; nil where it leads to no motion
local function by_guess(system, o, guess, names, symbols, period)
  local form = o.form or o.symmetry and "lagrange" or system:default_form()
  local given = { q = guess.q, v = guess.v, t = guess.t, period = period, parameters = guess.parameters, form = form }
  local self, y = problem_of(system, o, guess, given, names, symbols)
  settle(self, o, y)
  local fine, start = attempt(near_guess, self, y)
  if not (fine and start) then return nil end
  if self.open then
    fail("continue: from this guess with the period %.6g the search ended at a motion that keeps the integrals and does not close: give a better period, "
      .. "as a run of S:simulate shows it", options.number(period))
  end
  return self, start
end

-- The same motions with half the period of the drive that the guess gives
local function halved(self)
  local half = setmetatable({}, getmetatable(self))
  for key, value in pairs(self) do half[key] = value end
  half.simple, half.gain, half.advance = nil, {}, nil
  for i, value in ipairs(self.gain) do half.gain[i] = value/2 end
  function half.driven(y) return periods.half(self.driven(y)) end
  return half
end

local APART = 1e-3                      -- how far a motion of twice the period is from one of the simple period

-- Notes the motions of the simple period, where the equations repeat after half the period of the guess and the motion at y does not: as one that is followed
-- from a flip the branch ends where it comes to them
local function note_simple(self, o, y)
  if y.cuts or self.period_place and not o.doubled then return end
  local list = tangent.timed(tangent.expressions(self.flow.E, self.flow.ignorable))
  local places, values = periods.places(self)
  if not self.period_place and not periods.repeats(self.flow, list, self:period(y)/2, places, values) then return end
  local simple = halved(self)
  local start = simple:half(y)
  local fine, gap = attempt(function() return (simple:equations(start, simple:directions(start))) end)
  if fine and corrector.largest(gap) > APART then self.simple = simple end
end

-- The start cut as the guess is: guess.segments = { { t =, q =, v = }, ... }, the states along the motion from which further segments begin
local function cut_as_given(self, o, guess, y)
  local nodes, cuts, period = { y }, {}, self:period(y)
  local starts = segments.given(guess, period)
  for i = 2, #starts do
    local at = starts[i]
    cuts[i - 1] = (at.t - starts[1].t)/period
    local flow = flow_of(self.flow.system, o, { q = at.q, v = at.v, t = at.t, form = self.flow.E.form }, guess, self.held)
    nodes[i] = self.space.point(flow.x, table.move(y, #self.space.kept + 1, self.space.n, 1, {}))
  end
  cuts[#cuts + 1] = 1.0
  return segments.joined(self, nodes, cuts)
end

-- The start cut into segments where one shot would miss; a guess far from the motion may leave it on the way
local function cut_start(self, o, guess, y)
  if type(guess.segments or {}) ~= "table" or #(guess.segments or {}) > 0 then return cut_as_given(self, o, guess, y) end
  local fine, cut = attempt(segments.cut, self, y)
  if not fine and self.unfound then failure.raise("no motion", "continue: %s", self.unfound) end
  return fine and cut or y
end

-- The state of a guess as a point, with the other unknowns of y
local function point_of(self, o, guess, y)
  local flow = flow_of(self.flow.system, o, { q = guess.q, v = guess.v, t = guess.t, form = self.flow.E.form }, guess, self.held)
  return self.space.point(flow.x, table.move(y, #self.space.kept + 1, self.space.n, 1, {}))
end

--- The problem of periodic motions near a guess, along parameters or an integral, by name, and its start. symbols: what conditions on the motions depend
--- on, beside the equations; nil: there are none.
function orbits.new(system, o, guess, names, symbols)
  local name = names[1]
  local is_known = system._parameter[name] or (o.integrals or {})[name] or orbit_families.place(guess.keep, name)
  if not is_known and name ~= "energy" and name ~= "period" and not name:match "^p_" then
    fail("continue: '%s' is neither a parameter nor an integral of %s%s", name, system.name,
      system._coordinate[(name:gsub("'$", ""))] and ("; in families of motions it is followed where it is one of the values that the guess keeps at the start: "
        .. "periodic = { ..., keep = { \"%s\", ... } }"):format(name) or #system.parameter_names == 0
        and "; a number of the model that changes is declared as a parameter: S:parameters \"g=1\"" or object.hint(name, system.parameter_names))
  end
  if not guess.period then fail("continue: a guess of the period is missing: periodic = { q =, v =, period = }") end
  local drift = #(guess.orbit and guess.orbit.drift or {})
  if drift > #(o.symmetry or {}) then
    fail("continue: the motion closes up to %d symmetr%s, and symmetry names %d; give symmetry = as for the branch that it comes from", drift,
      drift == 1 and "y" or "ies", #(o.symmetry or {}))
  end
  local held = held_by(system, names)
  local period = periods.at_guess(system, guess, #held > 0 and names or {}, periods.driven(system, guess, held))
  local self, y
  if (o.symmetry or guess.keep) and not guess.orbit and not guess.segments then self, y = by_guess(system, o, guess, names, symbols, period) end
  if not self then
    local orbit = found(system, o, guess, period)
    self, y = problem_of(system, o, guess, orbit, names, symbols)
    if self.resting then
      -- at rest integrals may depend on each other
      local fine, moving = attempt(function()
        settle(self, o, y)
        return near_guess(self, y)
      end)
      y = fine and moving or failure.raise("at rest", "continue: from this guess with the period %.6g the search ended at a state of rest, not a periodic "
        .. "one: give a better period, as a run of S:simulate shows it, or take equilibrium =", options.number(orbit.period))
    else
      settle(self, o, y)
    end
  end
  if self.period_place and is_along_symmetry(self, y) then
    fail("continue: from this guess with the period %.6g the search ended at a motion along the symmetry, as a circular one, which closes up to it after any "
      .. "time: give a better period and a guess farther from it, or leave the symmetry out and give the time of a whole turn", options.number(period))
  end
  self.drive = core.is_expression(guess.period) and core.text(guess.period) or nil
  y = cut_start(self, o, guess, y)
  if self.keep then y = orbit_families.start(self, y, not guess.orbit and point_of(self, o, guess, y) or nil) end
  if #held > 0 then note_simple(self, o, y) end
  return self, y
end

-- ---- from flips and Hopf points

local function copied(list) return table.move(list, 1, #list, 1, {}) end

-- The same motions with twice the period
local function doubled(self)
  local twice = setmetatable({}, getmetatable(self))
  for key, value in pairs(self) do twice[key] = value end
  twice.simple, twice.last_period = self, 2*self.last_period
  twice.gain, twice.advance = {}, self.advance and {}
  for i, value in ipairs(self.gain) do twice.gain[i] = 2*value end
  for name, value in pairs(self.advance or {}) do twice.advance[name] = 2*options.number(value) end
  if self.period_place then
    twice.space = setmetatable({ scale = copied(self.space.scale) }, { __index = self.space })
  else
    function twice.driven(y) return periods.twice(self.driven(y)) end
    twice.drive = self.drive and ("2*(%s)"):format(self.drive)
  end
  return twice
end

local GROWS = 100                      -- growth over the simple period from which a doubled motion is cut in its middle

local OTHER = 10                        -- sizes that differ by this factor have other units

--- The same problem and its flip `at` in units of the swings that leave it, where the motion there is one at rest under the drive, whose states are zero.
function Orbits:in_units_of_swings(at, o)
  if self.period_place or self.keep or not self.anew then return self, at end
  local fine, fresh, point = attempt(function()
    local fresh = self.anew()
    local before = copied(fresh.space.scale)
    hopf_units.count_states(fresh, at.y, self.space.whole(floquet.reversed(at)[1]), math.pi/self:period(at.y), o)
    for i, value in ipairs(before) do
      local factor = fresh.space.scale[i]/value
      if factor > OTHER or factor < 1/OTHER then
        return fresh, corrector.at_value(fresh, at.y, function(y) return fresh:value(y) end, (self:value(at.y)))
      end
    end
  end)
  if fine and point then return fresh, point end
  return self, at
end

--- The same motions with twice the period, the point there, and the direction in which motions of twice the period leave it.
function Orbits:doubled(at)
  if self.keep then
    fail("switch: motions of twice the period need the integrals of these, which keep values at the start in their place: find one by S:periodic{ q =, v =, "
      .. "period = }, and follow it with what is kept: S:continue{ periodic = { q =, v =, period =, keep = } }")
  end
  local twice, nodes, cuts, d = doubled(self), {}, {}, {}
  local largest, N = 0, segments.count(at.y)
  for _, m in ipairs(multipliers_at(self, at)) do largest = math.max(largest, modulus(m)) end
  local reversed = floquet.reversed(at)
  for half = 0, 1 do
    for i = 1, N do
      local _, to = segments.span(at.y, i)
      nodes[#nodes + 1], cuts[#cuts + 1] = segments.node(self, at.y, i), (half + to)/2
    end
  end
  if N == 1 and largest < GROWS then nodes[2] = nil end
  for i = 1, #nodes do
    for _, value in ipairs(reversed[(i - 1) % N + 1]) do d[#d + 1] = i == 1 and value or (i > N and -1 or 1)*value/math.sqrt(#nodes) end
  end
  if self.period_place then nodes[1][self.period_place] = 2*nodes[1][self.period_place] end
  return twice, segments.joined(twice, nodes, cuts), states.unit(d)
end

--- The first half of a point of doubled motions as a point of these.
function Orbits:half(y)
  local nodes, cuts = {}, {}
  for i = 1, math.max(1, segments.count(y)//2) do
    local _, to = segments.span(y, i)
    nodes[i], cuts[i] = segments.node(self, y, i), 2*to
  end
  if self.period_place then nodes[1][self.period_place] = nodes[1][self.period_place]/2 end
  return segments.joined(self, nodes, cuts)
end

-- The eigenvector of the pair on the axis: its real part over the states
local function swinging_direction(rest, at, frequency)
  local directions, n = at.directions.fixed, #at.directions.fixed
  local A = rest:whole_matrix(at)
  -- A^2 + w^2 is singular in the plane of the pair
  local flat = {}
  for a = 1, n do
    for b = 1, n do
      local sum = a == b and frequency^2 or 0.0
      for c = 1, n do sum = sum + A[a][c]*A[c][b] end
      flat[#flat + 1] = sum
    end
  end
  local _, vectors = core.singular(n, n, flat)
  local s = {}
  for i = 1, n do s[i] = vectors[(i - 1)*n + n] end
  return rest.space.whole(corrector.combined(directions, s))
end

-- What periodic motions are followed along beside steady motions that are followed along a parameter or a value of keep, by name: they keep only integrals.
-- Where the value is none, the energy, which has other ends and steps: those of the call, given. Puts the integral into o
local function along_integral(system, rest, o, given)
  local name = rest.name
  if system._parameter[name] or (o.integrals or {})[name] then return name end
  local what
  for _, each in ipairs(rest.keep) do if core.text(rest.flow.observer:expression(each)) == name or each == name then what = each end end
  local e = rest.flow.observer:expression(what)
  local fine, conserved = attempt(system.is_conserved, system, e)
  if fine and conserved == true then
    o.integrals = object.copied(o.integrals or {})
    o.integrals[name] = e
    return name
  end
  if not integrals.named(integrals.known(rest.flow, o, #tangent.timed(tangent.expressions(rest.flow.E, rest.flow.ignorable)) > 0), "energy") then
    fail("switch: the steady motions are followed along %s, which is not conserved, so that it has no value on a periodic motion; continue the steady "
      .. "motions along a parameter to this Hopf point, and switch there", name)
  end
  for _, key in ipairs{ "from", "to", "step", "least", "largest" } do o[key] = given[key] end
  return "energy"
end

local PARALLEL = 1e-9

-- Is an integral a function of another one? Then their gradients are parallel, also at points beside y along u
local function is_function_of(self, one, other, y, u)
  for _, part in ipairs{ 0.0, 0.1, -0.2 } do
    local d = {}
    for i, value in ipairs(u) do d[i] = part*value end
    local at = self.space.moved(y, d)
    local a, b = states.unit(select(2, one.at(at))), states.unit(select(2, other.at(at)))
    if math.abs(tangent.dot(a, b)) < 1 - PARALLEL then return false end
  end
  return true
end

-- Periodic motions at a Hopf point of steady motions keep integrals, as many as values are kept there, at their values at this point; a symmetry up to which
-- they close stands for one of the values. u: the direction in which they leave it
local function keep_integrals(self, rest, o, y, u)
  local known, wanted, list = {}, #rest.keep, {}
  for _, integral in ipairs(self.integrals) do
    local is_other = integral == self.free or not self.free or not is_function_of(self, integral, self.free, y, u)
    if is_other and not integral.of_symmetry then list[#list + 1] = integral end
  end
  self.integrals = list
  for i, integral in ipairs(self.integrals) do known[i] = integral.name end
  if #known ~= wanted and #known + #self.turns.list ~= wanted then
    fail("switch: the steady motions keep %d value%s, so that periodic motions beside them need as many integrals, and %s; if there are %s, name them: "
      .. "B:switch(B.special[1], { integrals = { I = ... } }); a value that only tells motions apart which a symmetry leads into each other, as the direction "
      .. "in which something rolls, needs the symmetry in place of an integral: symmetry = { { x = -y, y = x, yaw = 1 } }; without either, motions beside this "
      .. "point shift along the family of steady motions, and in general no branch of periodic ones begins here: S:simulate shows where they go", wanted,
      wanted == 1 and "" or "s", #known == 0 and "none is known" or ("known are: %s"):format(table.concat(known, ", ")), #known == 0 and "some" or "others")
  end
  settle(self, o, y)
end

local SWING = 0.1                       -- of the sizes of the motions beside a Hopf point: where symmetries are checked

local function at_hopf(branch, special, o, given)
  local rest, at, system = branch._problem, special._at, branch._system
  local record = special.point
  local turning = rawget(record, "turning")
  if turning and #turning > 0 then
    fail("switch: %s turn along with the steady motions, so that the motions beside them close up to a turn alone, and no branch of these starts here: give "
      .. "one of them with the symmetry along which it closes, S:continue{ periodic = { q =, v =, period = }, symmetry = { { x = -y, y = x } } }",
      table.concat(turning, ", "))
  end
  local guess = { q = record.q, v = record.v, t = record.t, parameters = record.parameters, period = 2*math.pi/special.frequency, form = rest.flow.E.form,
    swings = true }
  local name = rest.keep and along_integral(system, rest, o, given) or rest.name
  o = object.copied(o)
  o.sizes = rest_units.sizes(rest)
  local self, y = problem_of(system, o, guess, guess, { name })
  local swinging = swinging_direction(rest, at, special.frequency)
  -- the direction in which the motions leave, where they become as large as a part of their size at which the equations are no longer linear
  local function leaving(part)
    hopf_units.count_states(self, y, swinging, special.frequency, o, part)
    periodic_units.count_integrals(self, y, o)
    return states.unit(self.space.part(swinging))
  end
  local u = leaving(1)
  if #self.turns.list > 0 then
    self.turns:demand(self.space.state(self.space.moved(y, tangent.scaled(u, SWING))), guess.period, self.held, self.ends_of_held)
  end
  if rest.keep then keep_integrals(self, rest, o, y, u) else self.integrals = {} end
  return self, hopf_starts.find(self, o, y, leaving, special.accuracy)
end

switching.add("hopf", at_hopf)

orbits.Orbits = Orbits

return orbits
