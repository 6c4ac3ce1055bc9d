-- equilibria.lua: states of rest as points of a curve: their rates vanish on the constraints.
local ends = require "hamel.continuation.ends"
local object = require "hamel.base.object"
local spectrum = require "hamel.continuation.spectrum"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"
local tracks = require "hamel.continuation.tracks"
local variations = require "hamel.analysis.variations"
local wide_spectrum = require "hamel.analysis.wide_spectrum"

local fail = object.fail
local equilibria = {}

local Rest = {}
Rest.__index = Rest
equilibria.Rest = Rest

-- Directions along the constraints: with the parameters, and (fixed) without them
function Rest:directions(y, before)
  local rows = self.space.constraints(y)
  local list = states.directions(rows, self.space.n, before)
  for _, place in ipairs(self.places) do rows[#rows + 1] = states.axis(place, self.space.n) end
  list.fixed = states.directions(rows, self.space.n, before and before.fixed)
  return list
end

function Rest:moved(y, d) return self.space.moved(y, d) end

function Rest:difference(to, from) return self.space.difference(to, from) end

-- Rates and their derivatives along the directions, in the directions without the parameters
function Rest:equations(y, directions)
  local flow, space = self.flow, self.space
  local x, size = space.state(y), flow.model:state_size()
  flow.w:set_state(flow.t, x)
  local rate, flat, F, rows = space.part(flow.w:rate()), flow.w:jacobian(), {}, {}
  local changes = {}
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
    F[a], rows[a] = tangent.dot(u, rate), {}
    for k = 1, #directions do rows[a][k] = tangent.dot(u, changes[k]) end
  end
  return F, rows
end

function Rest:value(y) return self.observed[1](y) end

--- The matrix of rows over the directions, at fixed parameters, in the directions `fixed`.
function Rest.full_matrix(_, directions, rows)
  local A = {}
  for a in ipairs(directions.fixed) do
    A[a] = {}
    for b, v in ipairs(directions.fixed) do
      local sum = 0.0
      for k, u in ipairs(directions) do sum = sum + rows[a][k]*tangent.dot(u, v) end
      A[a][b] = sum
    end
  end
  return A
end

--- The matrix of the first approximation.
function Rest:matrix(point) return self:full_matrix(point.directions, point.rows) end

--- The same over all states at fixed parameters, of steady motions with the eigenvalues zero of their family.
function Rest:whole_matrix(point) return self:matrix(point) end

local modulus = states.modulus

-- The states among the kept ones, where constraints leave all of them free; nil: they do not, or there are further unknowns
local function free_states(self, point)
  local kept, held = self.flow.kept, {}
  if #point.directions.fixed ~= #kept - #self.places or self.space.n ~= #kept then return nil end
  for _, place in ipairs(self.places) do held[place] = true end
  local list = {}
  for i, place in ipairs(kept) do if not held[i] then list[#list + 1] = place end end
  return list
end

-- The eigenvalues by doubles, and where these leave some in doubt those from quadruple precision
local function both_eigenvalues(self, point)
  local list = states.known_eigenvalues(self:matrix(point))
  local flow, free = self.flow, self.of_all_states and wide_spectrum.is_doubted(list) and free_states(self, point)
  for _, e in ipairs(list) do e.uncertainty = nil end
  return list, free and wide_spectrum.alone(flow.w, flow.t, self.space.state(point.y), free) or nil
end

--- Its eigenvalues; where they span many orders of magnitude, from quadruple precision.
function Rest:eigenvalues(point)
  if not point.eigenvalues then
    local list, exact = both_eigenvalues(self, point)
    point.eigenvalues = exact or list
  end
  return point.eigenvalues
end

local NONZERO = 1e-7                    -- of the largest eigenvalue: a smaller one may be the rounding of the state, under a root

--- By how many orders of magnitude the eigenvalues at y differ, where doubles take the least of them for zero and it is not; nil: so it is not.
function Rest:orders_lost(y)
  local list = self:directions(y)
  local _, rows = self:equations(y, list)
  local _, exact = both_eigenvalues(self, { y = y, directions = list, rows = rows })
  local least, most = math.huge, 0
  for _, e in ipairs(exact or {}) do least, most = math.min(least, modulus(e)), math.max(most, modulus(e)) end
  return exact and least > NONZERO*most and math.log(most/least, 10) or nil
end

--- The unknowns are states and parameters at one time.
Rest.at_rest = true

--- Are the eigenvalues those of the derivatives of the rates of all free states?
Rest.of_all_states = true

--- What to do where states of rest come in families.
Rest.in_families = "states of rest are not isolated, as those on a circle; a constraint that crosses the family, S:constraint(name, f), leaves single ones"

-- Where the spectrum is symmetric no eigenvalue passes the axis by itself: imaginary pairs meet
local function is_symmetric(self, point)
  if point.symmetric == nil then spectrum.stays(point, spectrum.is_even(self:eigenvalues(point))) end
  return point.symmetric
end

function Rest:tests(point)
  return { meeting = is_symmetric(self, point) and spectrum.meeting(self:eigenvalues(point)) or nil }
end

--- The eigenvalues of a point to be followed, see tracks.lua; where the spectrum is symmetric, their squares.
function Rest:followed(point)
  if is_symmetric(self, point) then return tracks.of_squares(spectrum.squares(self:eigenvalues(point))) end
  return tracks.of_eigenvalues(self:eigenvalues(point))
end

--- Details of the special point at which an eigenvalue is on the axis; nil where it is real: folds and branch points have tests of their own.
function Rest.passed(_, _, e)
  if e.im == 0 then return nil end
  return { kind = "hopf", frequency = math.abs(e.im) }
end

function Rest:confirmed(kind, point)
  if kind ~= "meeting" then return {} end
  local frequency = spectrum.meeting_frequency(self:eigenvalues(point))
  return frequency and { kind = "neutral", frequency = frequency } or nil
end

local MARGIN = 1e-7

-- true where all eigenvalues of a list are left of the axis, false where one is right of it; nil: neither
local function is_stable(list)
  local most, scale = -math.huge, 0
  for _, e in ipairs(list) do most, scale = math.max(most, e.re), math.max(scale, modulus(e)) end
  if most > MARGIN*scale then return false elseif most < -MARGIN*scale then return true end
  return nil
end

equilibria.is_stable = is_stable

-- The part of growth in an eigenvalue
local function growing(e) return e.re/(modulus(e) + 1e-300) end

function Rest:growth(point)
  local counted = states.counted(self:eigenvalues(point), growing)
  return function(p) return counted(self:eigenvalues(p)) end
end

function Rest:several(point)
  local e = states.nearest(self:eigenvalues(point), function(a) return a.re end)
  if math.abs(e.im) > 1e-4*modulus(e) and e.im ~= 0 then return { kind = "hopf", frequency = math.abs(e.im) } end
  return { kind = "branch" }
end

function Rest:record(point)
  local record = states.record(self.space, point.y, self.flow.t, self.parameters_at(point.y))
  local list = self:eigenvalues(point)
  record.stable = is_stable(list)
  record.value, record.eigenvalues, record.admissible = (self:value(point.y)), list, true
  return record
end

local function added(a, b) return { re = a.re + b.re, im = a.im + b.im } end

-- What vanishes on curves of special points
Rest.conditions = {
  fold = function(list) return states.product(list, function(a) return a end) end,
  hopf = function(list, without) return states.pairs_product(list, added, without) end,
}

--- Notes how the condition of a curve of special points is taken; point: one near the curve.
function Rest:prepare(kind, point)
  local list, size = self:eigenvalues(point), 0
  for _, e in ipairs(list) do size = math.max(size, modulus(e)) end
  self.without = kind == "hopf" and states.further_pairs(list, added, size) or 0
end

-- The list without the two with the least sum beside their size, of which none is zero: a pair on the axis
local function without_pair(list)
  local best, one, other = math.huge, nil, nil
  for i, a in ipairs(list) do
    for j = 1, i - 1 do
      local b = list[j]
      local off = modulus{ re = a.re + b.re, im = a.im + b.im }/(modulus(a) + modulus(b) + 1e-300) + ((a.im == 0 or b.im == 0) and 2 or 0)
      if off < best then best, one, other = off, a, b end
    end
  end
  local rest = {}
  for _, e in ipairs(list) do if e ~= one and e ~= other then rest[#rest + 1] = e end end
  return rest
end

--- Is a motion at a special point of a kind stable, by its record? At a fold or a branch point one eigenvalue is zero, or of a symmetric spectrum two, and at a
--- Hopf point a pair is on the axis: there false where another one is right of the axis, otherwise nil. A double zero is computed as two numbers of the size
--- of the root of the rounding, whose signs say nothing.
function Rest.stable_at(_, kind, record)
  local rest = record.eigenvalues
  if kind == "hopf" then
    rest = without_pair(rest)
  elseif kind == "fold" or kind == "branch" then
    for _ = 1, spectrum.is_even(rest) and 2 or 1 do rest = states.without_nearest(rest, modulus) end
  else
    return record.stable
  end
  if #rest > 0 and is_stable(rest) == false then return false end
  return nil
end

--- The condition of a kind of special points as a number.
function Rest:condition(kind, point) return self.conditions[kind](self:eigenvalues(point), self.without) end

--- What passes zero on a curve of special points where a second condition holds: by names of kinds.
function Rest:second(kind, point)
  local list = self:eigenvalues(point)
  if kind == "hopf" then return { ["double-zero"] = self.conditions.fold(list)/(1 + self.conditions.fold(list)^2)^0.5 } end
  -- of a fold: beside the eigenvalue zero another one
  local rest, least = {}, states.nearest(list, modulus)
  for _, e in ipairs(list) do if e ~= least then rest[#rest + 1] = { re = e.re/(1 + modulus(e)), im = e.im/(1 + modulus(e)) } end end
  return { ["double-zero"] = #rest > 0 and states.product(rest, function(e) return e end) or nil }
end

-- The product of the two eigenvalues with the least sum: of a Hopf pair the square of the frequency
local function square_of_pair(list)
  local best, square = math.huge, nil
  for i, a in ipairs(list) do
    for j = 1, i - 1 do
      local b = list[j]
      local sum = modulus{ re = a.re + b.re, im = a.im + b.im }
      if sum < best then best, square = sum, a.re*b.re - a.im*b.im end
    end
  end
  return square
end

local VANISHES = 1e-3                  -- of the square of the frequency at the point before

--- Details of a point where a second condition holds: where the pair itself comes to zero the curve of Hopf points ends. Beyond, two real eigenvalues are
--- opposite, which makes no oscillations.
function Rest:second_met(kind, _, point)
  if kind ~= "hopf" or not point.before then return {} end
  local here, before = square_of_pair(self:eigenvalues(point)), square_of_pair(self:eigenvalues(point.before))
  if not (math.abs(here) <= VANISHES*math.abs(before)) then return {} end
  return { ends = "the frequency comes to zero, and beyond are saddles with opposite eigenvalues" }
end

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
  self.parameters_at = states.parameters_at(self, names, guess)
  local y = space.point(flow.x)
  self.singular = ends.of(space, y)
  ends.bound(self, system, names, y)
  return self, y
end

return equilibria
