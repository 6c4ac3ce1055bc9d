-- steady.lua: steady motions as points of a curve: the rates of all states vanish on which something depends, and named values are kept.
--
-- Steady motions come in families: of a straight running wheel the speed is free. So the rates depend on each other, by integrals or otherwise, as often
-- as values must be named to choose one motion. As many combinations of the rates are left out: those whose derivatives vanish. The number is known
-- by counting; that these rates vanish with the others is checked at every point. The eigenvalues that are zero by that never appear.
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local dependent_rows = require "hamel.continuation.dependent_rows"
local ends = require "hamel.continuation.ends"
local equilibria = require "hamel.continuation.equilibria"
local object = require "hamel.base.object"
local rest_units = require "hamel.continuation.rest_units"
local states = require "hamel.continuation.states"
local steady_family = require "hamel.continuation.steady_family"
local steady_turns = require "hamel.continuation.steady_turns"
local tangent = require "hamel.analysis.tangent"
local variations = require "hamel.analysis.variations"
require "hamel.analysis.steady"

local fail = object.fail
local steady = {}

local Rest = equilibria.Rest
local Steady = setmetatable({}, { __index = Rest })
Steady.__index = Steady
Steady.of_all_states = false           -- but of those beside the family

local combined, vanishing = dependent_rows.combined, dependent_rows.vanishing

--- What to do where steady motions come in families at the values kept; steady_family.lua says more where it knows more.
Steady.in_families = "the values kept do not decide which steady motion it is: give others in keep"

function Steady:directions(y, before)
  local list = Rest.directions(self, y, before)
  list.before = before and { rows = before.rate_rows, counted = before.counted }
  return list
end

function Steady:equations(y, directions, flat)
  local rates, rate_rows = (self.turns and steady_turns or Rest).equations(self, y, directions, flat)
  directions.rate_rows = rate_rows
  directions.counted = dependent_rows.counted(rate_rows, #directions, self.dependent, directions.before)
  local F, rows = dependent_rows.applied(directions.counted, rates, rate_rows, #directions)
  for _, value in ipairs(self.fixed) do
    local now, gradient = value.at(y)
    local row = {}
    for k, u in ipairs(directions) do row[k] = tangent.dot(gradient, u) end
    F[#F + 1], rows[#rows + 1] = now - value.wanted, row
  end
  return F, rows, { rates = rates }
end

--- Why a solution is none: a rate that was left out does not vanish; nil where all do.
function Steady:refused(point)
  local why = Rest.refused(self, point)
  if why then return why end
  local most = 0
  for _, rate in ipairs(point.extra.rates) do most = math.max(most, math.abs(rate)) end
  if most > 10*self.tolerance then return ("a rate of %.2g is left: the family of steady motions has fewer members here"):format(most) end
end

-- ---- stability

-- Combinations of the directions `fixed` beside the family at a point
local function beside_family(self, point, left_out) return states.directions(left_out, #point.directions.rate_rows) end

--- The matrix of the first approximation beside the family.
function Steady:matrix(point)
  local rates, A = point.directions.rate_rows, {}
  local whole = Rest.full_matrix(self, point.directions, rates)
  local list = beside_family(self, point, (vanishing(rates, #point.directions, self.dependent)))
  for a, u in ipairs(list) do
    A[a] = {}
    for b, v in ipairs(list) do
      A[a][b] = 0.0
      for i, factor in ipairs(u) do if factor ~= 0 then A[a][b] = A[a][b] + factor*combined(whole[i], v) end end
    end
  end
  return A
end

function Steady:whole_matrix(point) return Rest.full_matrix(self, point.directions, point.directions.rate_rows) end

--- See Rest.basis. The rates N that are left out vanish only as exactly as the singular vectors are known: these turn by roundings of the largest singular
--- value over their own towards each other one, which moves the directions, while N^T W = 0 keeps the rows W as they are.
function Steady:basis(point)
  local fixed, rates, basis = point.directions.fixed, point.directions.rate_rows, {}
  local left_out, values, all = vanishing(rates, #point.directions, self.dependent)
  local list, whole = beside_family(self, point, left_out), Rest.full_matrix(self, point.directions, rates)
  local more = { left = {}, right = {} }
  for a, u in ipairs(list) do
    basis[a], more.left[a] = corrector.combined(fixed, u), {}
    for k, null in ipairs(left_out) do
      local sum = 0.0
      for i, factor in ipairs(u) do sum = sum + factor*combined(whole[i], null) end
      more.left[a][k] = sum
    end
  end
  for k in ipairs(left_out) do
    more.right[k] = {}
    for b, v in ipairs(list) do
      local sum = 0.0
      for i = 1, #rates - #left_out do sum = sum + values[1]/values[i]*math.abs(tangent.dot(all[i], v)) end
      more.right[k][b] = sum
    end
  end
  return basis, more
end

local function rows_with_value(self, point) return corrector.rows_with_value(self, point.y, point.directions, point.rows) end

-- With the value that is followed held, a singular matrix means a fold or a branch point. Each row counts in units of its length, or of that at the point
-- before, where it is longer: it may vanish at a branch point
local SINGULAR = 1e-5

local function is_fold_or_branch(self, point)
  local rows, before = {}, point.before and rows_with_value(self, point.before) or {}
  for i, r in ipairs(rows_with_value(self, point)) do
    local length = math.sqrt(math.max(tangent.dot(r, r), before[i] and tangent.dot(before[i], before[i]) or 0))
    rows[i] = {}
    for k, value in ipairs(r) do rows[i][k] = length > 0 and value/length or value end
  end
  local _, values = vanishing(rows, #point.directions, 0)
  return not (values[#rows] > SINGULAR*values[1])
end

local CERTAIN, VANISHED, SMALL = 10, 1e-12, 1e-3         -- of the uncertainty, and of the largest eigenvalue: what counts as zero, and what may come to it

-- The sum of all products of m numbers of a list, which is smooth also where eigenvalues meet
local function symmetric(list, m)
  local sums = { [0] = { re = 1.0, im = 0.0 } }
  for k, e in ipairs(list) do
    sums[k] = { re = 0.0, im = 0.0 }
    for i = k, 1, -1 do
      local a = sums[i - 1]
      sums[i] = { re = sums[i].re + a.re*e.re - a.im*e.im, im = sums[i].im + a.re*e.im + a.im*e.re }
    end
  end
  return sums[m].re
end

-- How many eigenvalues are zero all along the branch, as far as points show where no other one is near zero
local function always_zero(self, list, size)
  local count, is_clear = 0, true
  for _, e in ipairs(list) do
    local off = e.uncertainty and e.uncertainty < math.huge and CERTAIN*e.uncertainty or 0
    if states.modulus(e) <= math.max(off, VANISHED*size) then count = count + 1
    elseif states.modulus(e) <= SMALL*size then is_clear = false end
  end
  if is_clear or not self.always_zero then self.always_zero = math.min(self.always_zero or count, count) end
  return self.always_zero
end

function Steady:tests(point)
  -- where all eigenvalues pass zero their product does so in fixed units alone
  local tests, size, list, scaled = Rest.tests(self, point), self.frequency or self.rate_unit, self:known(point), {}
  for _, e in ipairs(list) do size = math.max(size, states.modulus(e)) end
  for k, e in ipairs(list) do scaled[k] = { re = e.re/size, im = e.im/size } end
  -- the product of those that are not always zero, where the others are
  tests.zero = size > 0 and #list > 0 and symmetric(scaled, #list - always_zero(self, list, size)) or nil
  return tests
end

function Steady:confirmed(kind, point)
  if kind ~= "zero" then return Rest.confirmed(self, kind, point) end
  -- beside one that is always zero no determinant tells where branches meet
  if self.always_zero > 0 then return { kind = "branch" } end
  if is_fold_or_branch(self, point) then return nil end
  return { kind = "neutral" }
end

-- The determinant of the equations with all values held that change, each row in units of its length
local function determinant(self, point)
  local flat, zeros = {}, {}
  local function add(row)
    local size = math.sqrt(tangent.dot(row, row))
    for _, value in ipairs(row) do flat[#flat + 1] = size > 0 and value/size or value end
    zeros[#zeros + 1] = 0.0
  end
  for _, row in ipairs(point.rows) do add(row) end
  for _, observed in ipairs(self.observed) do
    local _, gradient = observed(point.y)
    local row = {}
    for k, u in ipairs(point.directions) do row[k] = tangent.dot(gradient, u) end
    add(row)
  end
  local _, sign, logarithm = core.solve(#zeros, flat, zeros)
  return sign and sign*math.exp(logarithm) or 0.0
end

--- The condition of a kind of special points as a number. A fold is a fold at kept values, where no eigenvalue beside the family need be zero.
function Steady:condition(kind, point)
  if kind == "fold" then return determinant(self, point) end
  return Rest.condition(self, kind, point)
end

local ZERO = 1e-4                      -- of the largest eigenvalue: a larger one is no zero at a fold

local function has_zero(list)
  local size = 0
  for _, e in ipairs(list) do size = math.max(size, states.modulus(e)) end
  return #list > 0 and states.modulus(states.nearest(list, states.modulus)) <= ZERO*size
end

function Steady:second(kind, point)
  if kind == "fold" and not has_zero(self:eigenvalues(point)) then return {} end
  return Rest.second(self, kind, point)
end

--- As Rest.stable_at: at a fold with kept values no eigenvalue need be zero, and then all of them count.
function Steady:stable_at(kind, record, point)
  if kind == "fold" and not has_zero(record.eigenvalues) then return record.stable end
  return Rest.stable_at(self, kind, record, point)
end

function Steady:record(point)
  local record = Rest.record(self, point)
  record.keep, record.turning = self.keep, self.turns and steady_turns.names(self, point.y) or nil
  return record
end

-- ---- the start

local function text_of(what) return type(what) == "string" and what or core.text(what) end

local function place_in(keep, name)
  for i, what in ipairs(keep) do if text_of(what) == name then return i end end
  return nil
end

-- The steady motion at the start: as given, a point of a branch, or found near the guess
local function found(system, o, guess)
  if object.is_a(guess.given, "Steady") then return guess.given end
  local form = o.form or guess.form
  -- a point of a branch is a solution; at a fold or a branch point another search would stall
  if guess.eigenvalues and guess.v then
    return { q = guess.q, v = guess.v, t = guess.t, form = form or system:default_form(), turning = guess.turning or {},
      along_symmetries = guess.turning ~= nil }
  end
  return system:steady{ q = guess.q, v = guess.v, t = guess.t, keep = guess.keep, parameters = guess.parameters, form = form }
end

-- The parameters among some names; the others are values of keep
local function held_names(system, keep, names)
  local held = {}
  for _, name in ipairs(names) do
    if not place_in(keep, name) then
      if not system._parameter[name] then
        local known = table.move(system.parameter_names, 1, #system.parameter_names, 1, {})
        for _, what in ipairs(keep) do known[#known + 1] = text_of(what) end
        local of_motion = system._coordinate[(tostring(name):gsub("'$", ""))] and ("; add it to keep = { \"%s\" } of the steady motion"):format(name)
        fail("continue: '%s' is neither a parameter of %s nor a value in keep%s", tostring(name), system.name,
          of_motion or object.hint(tostring(name), known))
      end
      held[#held + 1] = name
    end
  end
  return held
end

-- Functions of the point, with their gradients, of what changes, by the order of names; the values of keep that do not change are fixed
local function observe(self, y, names, of_parameters)
  self.observed, self.fixed, self.kept = {}, {}, {}
  for k, name in ipairs(names) do self.observed[k] = of_parameters[name] end
  for i, what in ipairs(self.keep) do
    local at, k = states.observed(self.space, what), place_in(names, text_of(what))
    self.kept[i] = at
    if k then self.observed[k] = at else self.fixed[#self.fixed + 1] = { at = at, wanted = (at(y)) } end
  end
end

--- The problem of steady motions near a guess { q =, v =, t =, keep =, parameters = } or a result of S:steady, along parameters or values of keep, by name.
function steady.new(system, o, guess, names)
  local keep = guess.keep or {}
  local changing = held_names(system, keep, names)
  local held = #changing > 0 and states.parameters(system, changing) or nil
  local start = found(system, o, guess)
  local given = { q = start.q, v = start.v, t = start.t, parameters = guess.parameters, form = o.form or start.form }
  for _, option in ipairs(variations.run_names) do given[option] = o[option] end
  local flow = variations.flow(system, "continue", given, (start.t or 0) + 0.0, held)
  if #tangent.timed(tangent.expressions(flow.E, flow.ignorable)) > 0 then
    fail("continue: the equations depend on time, so that there are no steady motions; periodic = follows periodic motions")
  end
  local space = states.new(flow, 0)
  local self = setmetatable({ flow = flow, space = space, name = names[1], tolerance = o.tolerance, kind = "steady motions", keep = keep }, Steady)
  local y, of_parameters = space.point(flow.x), {}
  local places, observed = states.watched(space, changing)
  for k, name in ipairs(changing) do of_parameters[name] = observed[k] end
  self.places, self.places_of = places, {}
  for k, name in ipairs(names) do
    self.places_of[k] = false
    for i, parameter in ipairs(changing) do if parameter == name then self.places_of[k] = places[i] end end
  end
  self.parameters_at = states.parameters_at(self, changing, guess)
  observe(self, y, names, of_parameters)
  rest_units.choose_first(self, y)
  steady_family.choose(self, y, start, #names, guess.eigenvalues ~= nil)
  self.singular = ends.of(space, y)
  ends.bound(self, system, names, y)
  rest_units.choose(self, y, o.spans, o.sizes)
  return self, y
end

return steady
