-- equilibria.lua: states of rest as points of a curve: their rates vanish on the constraints.
local attempt = require "hamel.base.attempt"
local endless_states = require "hamel.continuation.endless_states"
local ends = require "hamel.continuation.ends"
local lyapunov_coefficients = require "hamel.continuation.lyapunov_coefficients"
local object = require "hamel.base.object"
local rest_curves = require "hamel.continuation.rest_curves"
local rest_families = require "hamel.continuation.rest_families"
local rest_spectrum = require "hamel.continuation.rest_spectrum"
local rest_units = require "hamel.continuation.rest_units"
local rest_verdicts = require "hamel.continuation.rest_verdicts"
local spectrum = require "hamel.continuation.spectrum"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"
local tracks = require "hamel.continuation.tracks"
local variations = require "hamel.analysis.variations"

local fail = object.fail
local equilibria = {}

local Rest = {}
Rest.__index = Rest
equilibria.Rest = Rest

-- Which of some directions change velocities alone; nil: some change velocities and other states
local function moving(flow, directions)
  local list = {}
  for k, u in ipairs(directions) do
    local velocities, others = false, false
    for i, value in ipairs(u) do
      if value ~= 0 and (flow.kept[i] or 0) > #flow.E.kin then velocities = true elseif value ~= 0 then others = true end
    end
    if velocities and others then return nil end
    list[k] = velocities
  end
  return list
end

-- Which equations are those of dq/dt = 0, and which directions change velocities; nil: they are not apart
local function stillness(flow, list)
  local rows, columns = moving(flow, list.fixed), moving(flow, list)
  if not (rows and columns) then return nil end
  for a, moves in ipairs(rows) do rows[a] = not moves end
  return { rows = rows, columns = columns }
end

-- Directions along the constraints: with the parameters, and (fixed) without them
function Rest:directions(y, before)
  local rows = self.space.constraints(y)
  local list = states.directions(rows, self.space.n, before)
  for _, place in ipairs(self.places) do rows[#rows + 1] = states.axis(place, self.space.n) end
  list.fixed = states.directions(rows, self.space.n, before and before.fixed)
  -- of a pair that a curve follows
  list.square, list.square_before = before and before.square, before and before.square
  if self.of_all_states then list.still = stillness(self.flow, list) end
  return list
end

function Rest:moved(y, d) return self.space.moved(y, d) end

function Rest:difference(to, from) return self.space.difference(to, from) end

--- Derivatives of the rates at a state x, row by row: from quadruple precision where those that runs take lose digits.
function equilibria.jacobian_at(flow, x)
  flow.w:set_state(flow.t, x)
  if flow.w:lost_derivatives(flow.t, x) > 0 then return (flow.w:exact_jacobian()) end
  return flow.w:jacobian()
end

--- What the rates are measured in: see rest_units.lua.
Rest.rate_unit = 1

-- Rates and their derivatives along the directions, in the directions without the parameters. known: the derivatives by the states, row by row; nil: those of
-- jacobian_at
function Rest:equations(y, directions, known)
  local flow, space = self.flow, self.space
  local x = space.state(y)
  flow.w:set_state(flow.t, x)
  local rate, flat, F, rows = space.part(flow.w:rate()), known or equilibria.jacobian_at(flow, x), {}, {}
  local changes, size = {}, math.floor(math.sqrt(#flat) + 0.5)
  for k, u in ipairs(directions) do
    local d, change = space.whole(u), {}
    for i = 1, flow.size do
      local sum = 0.0
      for j = 1, flow.size do if d[j] ~= 0 then sum = sum + flat[(i - 1)*size + j]*d[j] end end
      change[i] = sum
    end
    changes[k] = space.part(change)
  end
  for a, u in ipairs(directions.fixed) do
    F[a], rows[a] = tangent.dot(u, rate)/self.rate_unit, {}
    for k = 1, #directions do rows[a][k] = tangent.dot(u, changes[k])/self.rate_unit end
  end
  return F, rows
end

function Rest:value(y) return self.observed[1](y) end

--- The matrix of rows over the directions, at fixed parameters, in the directions `fixed`.
function Rest:full_matrix(directions, rows)
  local A = {}
  for a in ipairs(directions.fixed) do
    A[a] = {}
    for b, v in ipairs(directions.fixed) do
      local sum = 0.0
      for k, u in ipairs(directions) do sum = sum + rows[a][k]*tangent.dot(u, v) end
      A[a][b] = sum*self.rate_unit
    end
  end
  return A
end

--- The matrix of the first approximation.
function Rest:matrix(point) return self:full_matrix(point.directions, point.rows) end

--- The directions of the matrix of the first approximation. A second result: further errors of its entries, { left, right } by rows, see core.eigen.
function Rest.basis(_, point) return point.directions.fixed end

--- The same over all states at fixed parameters, of steady motions with the eigenvalues zero of their family.
function Rest:whole_matrix(point) return self:matrix(point) end

--- Its eigenvalues { re, im, uncertainty, exact }; where they span many orders of magnitude, from quadruple precision. See rest_spectrum.of.
function Rest:known(point)
  if not point.known then point.known, point.open = rest_spectrum.of(self, point) end
  return point.known, point.open
end

--- The same as they are printed: { re, im }.
function Rest:eigenvalues(point)
  if not point.eigenvalues then
    point.eigenvalues = {}
    for k, e in ipairs(self:known(point)) do point.eigenvalues[k] = { re = e.re, im = e.im } end
  end
  return point.eigenvalues
end

local modulus = states.modulus
local KNOWN = 10                        -- how many times as large as its uncertainty an eigenvalue is that is no zero
local NONZERO = 1e-7                    -- of the largest eigenvalue: a smaller one may be the rounding of the state, under a root
local MANY = 3                          -- orders of magnitude from which doubles may take an eigenvalue for zero

--- By how many orders of magnitude the eigenvalues at y differ, where doubles take the least of them for zero and it is not; nil: so it is not. The second
--- result: does this build not decide it?
function Rest:orders_lost(y)
  local list = self:directions(y)
  local _, rows = self:equations(y, list)
  local known, open = self:known{ y = y, directions = list, rows = rows }
  local least, most = math.huge, 0
  for _, e in ipairs(known) do
    -- an eigenvalue that is not known to one digit may be zero
    least, most = math.min(least, modulus(e) > KNOWN*e.uncertainty and modulus(e) or 0), math.max(most, modulus(e))
  end
  local orders = math.log(most/least, 10)
  return least > NONZERO*most and orders > MANY and orders or nil, open
end

--- Do eigenvalues from quadruple precision tell that the state at y is one of no family? Along one an eigenvalue is zero.
function Rest:is_alone(y)
  local list = self:directions(y)
  local _, rows = self:equations(y, list)
  local known = self:known{ y = y, directions = list, rows = rows }
  for _, e in ipairs(known) do if not e.exact or modulus(e) <= KNOWN*e.uncertainty then return false end end
  return #known > 0
end

--- Steps grow with the states: see arclength.lua.
Rest.steps_grow = true

--- The unknowns are states and parameters at one time.
Rest.at_rest = true

--- Are the eigenvalues those of the derivatives of the rates of all free states?
Rest.of_all_states = true

--- What to do where states of rest come in families; y: one of them.
function Rest:in_families(y)
  local names = rest_families.names(self, y)
  if not names then
    return "states of rest are not isolated, as those on a circle; a constraint that crosses the family, S:constraint(name, f), leaves single ones"
  end
  return ("states of rest are not isolated, as those on a circle or of a system with rolling; values that are kept tell them apart: "
    .. "equilibrium = { q = { ... }, keep = { \"%s\" } }"):format(table.concat(names, "\", \""))
end

-- Where the spectrum is symmetric no eigenvalue passes the axis by itself: imaginary pairs meet
local function is_symmetric(self, point)
  if point.symmetric == nil then spectrum.stays(point, spectrum.is_even((self:known(point)))) end
  return point.symmetric
end

function Rest:tests(point)
  if not is_symmetric(self, point) then return {} end
  local value, nearest = spectrum.meeting(self:eigenvalues(point))
  point.test_sizes = { meeting = nearest }
  return { meeting = value }
end

--- The eigenvalues of a point to be followed, see tracks.lua; where the spectrum is symmetric, their squares.
function Rest:followed(point)
  if is_symmetric(self, point) then return tracks.of_squares(spectrum.squares((self:known(point)))) end
  return tracks.of_eigenvalues((self:known(point)))
end

--- Determinants show where real eigenvalues pass zero, unless these span too many orders of magnitude: see determinants.lua.
Rest.has_determinants = true

--- Do the eigenvalues at a point span many orders of magnitude?
function Rest:has_wide_spectrum(point) return self:known(point).wide or false end

--- Are there complex eigenvalues off the axis in a symmetric spectrum? They come by fours, of which two pairs may pass the axis in opposite directions.
function Rest:has_quartets(point) return is_symmetric(self, point) and spectrum.has_quartets((self:known(point))) end

--- The eigenvalues of a point with such a spectrum, to be followed each by itself.
function Rest:each(point) return tracks.of_eigenvalues((self:known(point))) end

--- Details of the special point at which an eigenvalue is on the axis; nil where it is real: folds and branch points have tests of their own.
function Rest.passed(_, _, e)
  if e.im == 0 then return nil end
  -- what is left of the real part is rounding, and moves the imaginary part, while the product of both stays
  return { kind = "hopf", frequency = modulus(e) }
end

local PART = 0.1                       -- of an eigenvalue at the start of a step: a larger one has not come to zero
local FROM_IT = 1e-9                    -- length of a step from whose start nothing is known, which may be at the zero itself

-- The moduli of the eigenvalues, the least first, and whether none of them may be zero; nil where they do not come from quadruple precision
local function exact_moduli(list)
  local sizes, known = {}, true
  for i, e in ipairs(list) do
    if not e.exact then return nil end
    sizes[i], known = modulus(e), known and modulus(e) > KNOWN*e.uncertainty
  end
  table.sort(sizes)
  return sizes, known
end

-- Are all eigenvalues at a point clearly not zero? Where stiffnesses span many orders of magnitude, the sign of a determinant may be rounding. Beside strong
-- damping the least one need not be that which comes to zero
local function is_regular(self, point)
  local now, known = exact_moduli((self:known(point)))
  local before = known and point.before and exact_moduli((self:known(point.before)))
  if not before or #before ~= #now or #now == 0 or not (point.length > FROM_IT) then return false end
  for i, size in ipairs(now) do if not (size > PART*before[i]) then return false end end
  return true
end

function Rest:confirmed(kind, point)
  if kind == "fold" or kind == "branch" then return not is_regular(self, point) and {} or nil end
  if kind ~= "meeting" then return {} end
  local frequency = spectrum.meeting_frequency(self:eigenvalues(point))
  return frequency and { kind = "neutral", frequency = frequency } or nil
end

-- The part of growth in an eigenvalue
local function growing(e) return e.re/(modulus(e) + 1e-300) end

-- The same of one that is known to be off the axis, otherwise zero: where one stays zero along a branch, its sign is rounding
local function grows_surely(e)
  local off = e.uncertainty and e.uncertainty < math.huge and KNOWN*e.uncertainty or 0
  return math.abs(e.re) > off and growing(e) or 0
end

local BESIDE = 1e-3                     -- of the modulus: how far from the axis eigenvalues are where they have just left it

function Rest:growth(point)
  local counted = states.counted(self:known(point), grows_surely, is_symmetric(self, point))
  return function(p)
    local count, within = counted((self:known(p)))
    return count, is_symmetric(self, p) and 0 or within
  end
end

-- The eigenvalue right of the axis that is nearest to it, of those of a symmetric spectrum; nil: there is none
local function nearest_growing(list)
  local best
  for _, e in ipairs(list) do if e.re > 0 and e.im > 0 and (not best or growing(e) < growing(best)) then best = e end end
  return best
end

--- Details of a special point at which several eigenvalues pass; point: beside it, where more of them are unstable.
function Rest:several(point)
  local meeting = is_symmetric(self, point) and nearest_growing(self:eigenvalues(point))
  if meeting and growing(meeting) < BESIDE then return { kind = "neutral", frequency = meeting.im } end
  local e = states.nearest(self:eigenvalues(point), function(a) return a.re end)
  if math.abs(e.im) > 1e-4*modulus(e) and e.im ~= 0 then return { kind = "hopf", frequency = math.abs(e.im) } end
  return { kind = "branch" }
end

--- How many eigenvalues of a point with a symmetric spectrum are right of the axis; nil: it is not clear of one.
function Rest:count_beyond(point) return (states.beyond((self:known(point)), grows_surely)) end

--- Details of the special point beside a point at which eigenvalues have just left the axis; alone: how many are right of it where one group does so.
function Rest:met_beside(point)
  local _, e = states.beyond((self:known(point)), grows_surely)
  if e.im ~= 0 then return { kind = "neutral", frequency = modulus(e), alone = 2 } end
  -- determinants show real ones that pass zero: without them rounding may have moved the place
  return { kind = "branch", alone = 1, doubtful = true, reason = "counts" }
end

function Rest:record(point)
  local record = states.record(self.space, point.y, self.flow.t, self.parameters_at(point.y))
  local list = self:eigenvalues(point)
  record.stable = rest_verdicts.of(self, point, (self:known(point)))
  record.value, record.eigenvalues, record.admissible = (self:value(point.y)), list, true
  return record
end

--- Why a branch ends at a point: a coordinate grows without bound.
function Rest:over(point) return not self.keep and endless_states.over(self, point) or nil end

--- Notes how the condition of a curve of special points is taken; point: one near the curve.
function Rest:prepare(kind, point) rest_curves.prepare(self, kind, self:eigenvalues(point)) end

--- Is a motion at a special point of a kind stable, by its record? At a fold or a branch point one eigenvalue is zero, or of a symmetric spectrum two, and at a
--- Hopf point a pair is on the axis: there false where another one is right of the axis, otherwise nil. A double zero is computed as two numbers of the size
--- of the root of the rounding, whose signs say nothing.
function Rest:stable_at(kind, record, point)
  local rest = self:known(point)
  if kind == "hopf" then
    rest = rest_curves.without_pair(rest)
  elseif kind == "fold" or kind == "branch" then
    for _ = 1, is_symmetric(self, point) and 2 or 1 do rest = states.without_nearest(rest, modulus) end
  else
    return record.stable
  end
  if rest_verdicts.of(self, point, rest) == false then return false end
  return nil
end

--- The condition of a kind of special points as a number.
function Rest:condition(kind, point) return rest_curves.condition(self, kind, point.directions, self:eigenvalues(point)) end

--- Why a solution belongs to no curve of special points, or to another one; nil: it does.
function Rest:refused(point) return self.special and rest_curves.refused(self, self.special, point.directions) or nil end

-- The first Lyapunov coefficient at a point of a curve of Hopf points; nil: it is not known
local function coefficient(self, point)
  local w = rest_curves.frequency(self, point.directions, self:eigenvalues(point))
  return w and lyapunov_coefficients.of(self, point, w) or nil
end

-- A second test of a generalised Hopf point: the first Lyapunov coefficient has a pole where another eigenvalue is zero, so that both change their signs there
local ACROSS_POLE = "generalised Hopf beside a zero-Hopf point"

--- What passes zero on a curve of special points where a second condition holds: by names of kinds. The first Lyapunov coefficient counts in units of the sum
--- of its parts at the start; it is zero where rounding hides it.
function Rest:second(kind, point)
  local tests = rest_curves.second(self, kind, point.directions, self:eigenvalues(point))
  local found = kind == "hopf" and coefficient(self, point)
  if found then
    -- smooth through zero, so that its place is found, but for what rounding of the matrix hides
    self.lyapunov_size = self.lyapunov_size or found.size
    local value = math.abs(found.value) > found.change and found.value/self.lyapunov_size or 0.0
    tests["generalised Hopf"] = value
    tests[ACROSS_POLE] = tests["zero-Hopf"] and value*tests["zero-Hopf"]
  end
  return tests
end

local ZERO = 1e-2                      -- of the values beside it: a first Lyapunov coefficient at its zero, not at a pole

-- Is the first Lyapunov coefficient zero at a point, beside values of at most `largest`?
local function is_zero_at(self, point, largest)
  local found = coefficient(self, point)
  return found ~= nil and math.abs(found.value/self.lyapunov_size) <= ZERO*largest
end

--- Does what changes the sign of a test between two points vanish at a point between them? It may have a pole there.
function Rest:vanishes(name, point, from, to)
  if name ~= "generalised Hopf" and name ~= ACROSS_POLE then return true end
  local one, other = from.tests["generalised Hopf"] or 0, to.tests["generalised Hopf"] or 0
  return is_zero_at(self, point, math.max(math.abs(one), math.abs(other)))
end

--- Of a Hopf point of a branch: are the motions that leave it "supercritical" or "subcritical"? nil: of other points, and where it is not known.
function Rest:criticality(details)
  if details.kind ~= "hopf" or details.several or details.doubtful or details.apart then return nil end
  local fine, found = attempt(lyapunov_coefficients.of, self, details.point, details.frequency)
  return fine and lyapunov_coefficients.word(found) or nil
end

--- Details of a point where a second condition holds, by the name of its kind; nil: it does not.
function Rest:second_met(kind, name, point)
  local details = rest_curves.second_met(self, kind, name, point.directions, self:eigenvalues(point))
  if name ~= "generalised Hopf" and name ~= ACROSS_POLE then return details end
  if not is_zero_at(self, point, 1) then return nil end
  details.kind = "generalised Hopf"
  return details
end

--- The sizes of the states where the equations are no longer linear along a direction d from y, by names; nil: they are linear.
function Rest:sizes_along(y, d) return rest_units.sizes_along(self, y, d) end

--- The problem of states of rest near a guess { q =, t =, parameters = }, with parameters that change, by name.
function equilibria.new(system, o, guess, names)
  local held = states.parameters(system, names)
  local form = o.form or system:default_form()
  -- a point of a branch is a solution; at a fold or a branch point another search would stall
  local rest = guess.eigenvalues and guess or system:equilibrium{ q = guess.q, t = guess.t, parameters = guess.parameters }
  local given = { q = rest.q, v = {}, t = guess.t or 0, parameters = guess.parameters, form = form }
  for _, coordinate in ipairs(system.coordinate_names) do given.v[coordinate] = 0 end
  for _, option in ipairs(variations.run_names) do given[option] = o[option] end
  local flow = variations.flow(system, "continue", given, (guess.t or 0) + 0.0, held)
  if #tangent.timed(tangent.expressions(flow.E, flow.ignorable)) > 0 then
    fail("continue: the equations depend on time, so that there are no equilibria; periodic = follows periodic motions")
  end
  local space = states.new(flow, 0)
  local self = setmetatable({ flow = flow, space = space, name = names[1], tolerance = o.tolerance, kind = "equilibria" }, Rest)
  self.places, self.observed = states.watched(space, names)
  self.places_of = self.places
  self.parameters_at = states.parameters_at(self, names, guess)
  local y = space.point(flow.x)
  self.singular = ends.of(space, y)
  ends.bound(self, system, names, y)
  rest_units.choose(self, y, o.spans, o.sizes)
  -- the same problem at one of its points, whose states have other sizes
  function self.anew(at, sizes)
    local settings = object.copied(o)
    settings.sizes = sizes
    return equilibria.new(system, settings, at, names)
  end
  return self, y
end

return equilibria
