-- orbits.lua: periodic motions as points of a curve, by shooting and multiple shooting with the exact variational equations.
--
-- Unknowns: the start over the kept states, the parameter, the period (of autonomous systems), the turn about each symmetry that is given; of motions
-- that are cut into segments also the starts of these (segments.lua).
-- The motion closes in the directions across the gradients of the integrals alone, along these it closes by itself; each integral gives a condition in
-- return: it keeps its value, but for the one along which a family is followed. So the matrix is square and regular at ordinary points, and no
-- tolerance decides its rank.
local corrector = require "hamel.continuation.corrector"
local floquet = require "hamel.continuation.floquet"
local instants = require "hamel.continuation.instants"
local integrals = require "hamel.continuation.integrals"
local mirrors = require "hamel.continuation.mirrors"
local moduli = require "hamel.analysis.moduli"
local object = require "hamel.base.object"
local orbit_corners = require "hamel.continuation.orbit_corners"
local orbit_families = require "hamel.continuation.orbit_families"
local periodic_units = require "hamel.continuation.periodic_units"
local run_errors = require "hamel.continuation.run_errors"
local phases = require "hamel.continuation.phases"
local segments = require "hamel.continuation.segments"
local signs = require "hamel.analysis.signs"
local states = require "hamel.continuation.states"
local switching = require "hamel.continuation.switching"
local tangent = require "hamel.analysis.tangent"
local tracks = require "hamel.continuation.tracks"
local whole_records = require "hamel.continuation.whole_records"

local fail = object.fail
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

--- Of the speed of a guess: a slower motion is one at rest.
Orbits.MOVING = 1e-3

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

--- The speed at the start without what symmetries do.
function Orbits:speed_across(y) return length(rate_across(self, y)) end

--- Is the motion at y one along a symmetry? Such a motion closes up to it after any time.
function Orbits:is_along_symmetry(y)
  return #self.turns.list > 0 and length(rate_across(self, y)) <= self.MOVING*length(rate_at(self, self.flow.t, self.space.state(y)))
end

local FARTHER, HELD = 4, 0.5            -- times the part across symmetries at a point before; the part of its speed there that a motion has near rest at most

-- Do the motions of a family that ends beside a point shrink to one along a symmetry? Then the part of the speed across it vanishes, and the whole does not
local function shrinks_to_symmetry(self, point)
  if #self.turns.list == 0 then return false end
  if self:is_along_symmetry(point.y) then return true end
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

--- How many multipliers of a point with a symmetric spectrum are outside the unit circle; nil: it is not clear of one.
function Orbits:count_beyond(point) return (states.beyond(multipliers_at(self, point), moduli.off_circle)) end

--- Details of the special point beside a point at which multipliers have just left the unit circle; alone: how many are outside where one group does so.
function Orbits:met_beside(point)
  local _, m = states.beyond(multipliers_at(self, point), moduli.off_circle)
  if m.im ~= 0 then return { kind = "torus", frequency = math.atan(math.abs(m.im), m.re)/(self:period(point.y)), alone = 2 } end
  return { kind = m.re < 0 and "flip" or "branch", alone = 1 }
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

return Orbits
