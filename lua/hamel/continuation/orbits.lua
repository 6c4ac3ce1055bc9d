-- orbits.lua: periodic motions as points of a curve, by shooting with the exact variational equations.
--
-- Unknowns: the start over the kept states, the parameter, the period (of autonomous systems), the turn about each symmetry that is given.
-- The motion closes in the directions across the gradients of the integrals alone, along these it closes by itself; each integral gives a condition in
-- return: it keeps its value, but for the one along which a family is followed. So the matrix is square and regular at ordinary points, and no
-- tolerance decides its rank.
local arclength = require "hamel.continuation.arclength"
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local periods = require "hamel.continuation.periods"
local signs = require "hamel.analysis.signs"
local spectrum = require "hamel.continuation.spectrum"
local states = require "hamel.continuation.states"
local switching = require "hamel.continuation.switching"
local symbols = require "hamel.algebra.symbols"
local tangent = require "hamel.analysis.tangent"
local turns = require "hamel.continuation.turns"
local variations = require "hamel.analysis.variations"
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

function Orbits:moved(y, d) return self.space.moved(y, d) end

function Orbits:difference(to, from) return self.space.difference(to, from) end

function Orbits:value(y) return (self.along or self.observed[1])(y) end

-- Rows that hold the start on the constraints, and those of what else is no part of a change of the start
local function rows_at(self, y)
  local rows, n = self.space.constraints(y), self.space.n
  local held = table.move(rows, 1, #rows, 1, {})
  for i = #self.space.kept + 1, n do held[#held + 1] = states.axis(i, n) end
  for _, place in ipairs(self.places) do held[#held + 1] = states.axis(place, n) end
  return rows, held
end

-- Gradients of the integrals at a point
local function gradients_at(self, y)
  local list = {}
  for k, integral in ipairs(self.integrals) do list[k] = select(2, integral.at(y)) end
  return list
end

function Orbits:directions(y, before)
  local rows, held = rows_at(self, y)
  local list = states.directions(rows, self.space.n, before)
  table.move(gradients_at(self, y), 1, #self.integrals, #held + 1, held)
  list.closing = states.directions(held, self.space.n, before and before.closing)
  return list
end

-- ---- the equations

local function rate_at(self, t, x)
  self.flow.w:set_state(t, x)
  return self.space.part(self.flow.w:rate())
end

-- The start, the end, and how the end changes with the directions
local function shot(self, y, directions)
  local flow, space = self.flow, self.space
  local x, period, slopes = space.state(y), self:period(y)
  local whole, changes = {}, {}
  for k, u in ipairs(directions) do whole[k] = space.whole(u) end
  local last, carried = flow:run(flow.t, flow.t + period, x, whole)
  -- the rate of a state whose quaternions have the other sign has it, too
  local places = signs.turned_over(flow, x, last)
  signs.over(last, places)
  local rate = rate_at(self, flow.t + period, last)
  for k, u in ipairs(directions) do
    changes[k] = space.part(signs.over(carried[k], places))
    local longer = self.period_place and u[self.period_place]*space.scale[self.period_place] or 0
    for i, place in ipairs(slopes and self.places or {}) do longer = longer + slopes[i]*u[place]*space.scale[place] end
    if longer ~= 0 then for i = 1, #flow.kept do changes[k][i] = changes[k][i] + longer*rate[i] end end
  end
  return x, space.part(last), changes
end

function Orbits:equations(y, directions)
  local flow, space = self.flow, self.space
  local x, last, changes = shot(self, y, directions)
  local turned, turnings = self.turns:applied(y, directions)
  local F, rows, gap = {}, {}, {}
  for i = 1, space.n do gap[i] = i <= #flow.kept and last[i] - turned[i] - self.gain[i] or 0.0 end
  for a, u in ipairs(directions.closing) do
    F[a], rows[a] = tangent.dot(u, gap), {}
    for k in ipairs(directions) do rows[a][k] = tangent.dot(u, changes[k]) - tangent.dot(u, turnings[k]) end
  end
  local function add(value, gradient)
    local row = {}
    for k, d in ipairs(directions) do row[k] = tangent.dot(gradient, d) end
    F[#F + 1], rows[#rows + 1] = value, row
  end
  -- along the motion, and along the symmetries, the start does not move
  local across = {}
  if self.period_place then across[1] = states.unit(rate_at(self, flow.t, x)) end
  for _, field in ipairs(self.turns:fields(y)) do across[#across + 1] = field end
  for _, field in ipairs(across) do add(0.0, field) end
  for _, integral in ipairs(self.integrals) do
    if integral.fixed then
      local value, gradient = integral.at(y)
      add(value - integral.fixed, gradient)
    end
  end
  return F, rows, { changes = changes, gap = gap, across = across }
end

-- ---- multipliers

-- Those of the motions beside this one, without those that are 1 by themselves
local function multipliers_at(self, point)
  if point.multipliers then return point.multipliers end
  local _, held = rows_at(self, point.y)
  table.move(gradients_at(self, point.y), 1, #self.integrals, #held + 1, held)
  table.move(point.extra.across, 1, #point.extra.across, #held + 1, held)
  local beside, M, changes = states.directions(held, self.space.n), {}, self.turns:undone(point.y, point.extra.changes)
  for a, u in ipairs(beside) do
    M[a] = {}
    for b, v in ipairs(beside) do
      local sum = 0.0
      for k, d in ipairs(point.directions) do
        local part = tangent.dot(d, v)
        if part ~= 0 then sum = sum + part*tangent.dot(u, changes[k]) end
      end
      M[a][b] = sum
    end
  end
  point.multipliers, point.beside, point.matrix = states.eigenvalues(M), beside, M
  return point.multipliers
end

local modulus = states.modulus

local function product_less_one(a, b) return (a.re*b.re - a.im*b.im - 1)/(modulus(a)*modulus(b) + 1) end

local function plus_one(a) return { re = (a.re + 1)/(modulus(a) + 1), im = a.im/(modulus(a) + 1) } end

-- The speed at the start, with the sign in which it continues that of the point before: it passes zero where the motion shrinks to rest
local function speed_of(self, point)
  local before = point.before
  local rate = rate_at(self, self.flow.t, self.space.state(point.y))
  local turned_round = before and before.rate and tangent.dot(before.rate, rate) < 0
  point.rate, point.facing = rate, (before and before.facing or 1)*(turned_round and -1 or 1)
  return point.facing*math.sqrt(tangent.dot(rate, rate))
end

-- Where multipliers come with their inverses they leave the unit circle by meeting on it
function Orbits:tests(point)
  local list = multipliers_at(self, point)
  local tests = { flip = states.product(list, plus_one), rest = self.period_place and speed_of(self, point) or nil }
  if spectrum.stays(point, spectrum.is_reciprocal(list)) then
    tests.torus, tests.meeting = 0.0, spectrum.meeting_of_multipliers(list)
  else
    tests.torus = states.pairs_test(list, product_less_one)
  end
  return tests
end

--- At rest a motion has any period.
Orbits.undetermined = { rest = true }

function Orbits:confirmed(kind, point)
  local list = multipliers_at(self, point)
  if kind == "rest" then
    return { ends = "the motions shrink to rest" }
  elseif kind == "meeting" then
    local angle = spectrum.meeting_angle(list)
    return angle and { kind = "torus", frequency = angle/self:period(point.y) } or nil
  end
  if kind == "torus" then
    local best
    for _, m in ipairs(list) do if m.im > 0 and (not best or math.abs(modulus(m) - 1) < math.abs(modulus(best) - 1)) then best = m end end
    if not best or math.abs(modulus(best) - 1) > 1e-6 then return nil end
    return { frequency = math.atan(best.im, best.re)/(self:period(point.y)) }
  elseif kind == "flip" then
    -- two that meet there are known to the root of the rounding
    for _, m in ipairs(list) do if math.abs(m.im) < 1e-5 and math.abs(m.re + 1) < 1e-5 then return {} end end
    return nil
  end
  return {}
end

-- What vanishes on curves of special points
Orbits.conditions = {
  fold = function(list) return states.product(list, function(a) return { re = a.re - 1, im = a.im } end) end,
  flip = function(list) return states.product(list, function(a) return { re = a.re + 1, im = a.im } end) end,
  torus = function(list)
    return states.pairs_product(list, function(a, b) return { re = a.re*b.re - a.im*b.im - 1, im = a.re*b.im + a.im*b.re } end)
  end,
}

--- The condition of a kind of special points as a number.
function Orbits:condition(kind, point) return self.conditions[kind](multipliers_at(self, point)) end

local function growing(m) return modulus(m) - 1 end

function Orbits:growth(point)
  local counted = states.counted(multipliers_at(self, point), growing)
  return function(p) return counted(multipliers_at(self, p)) end
end

function Orbits:several(point)
  local m = states.nearest(multipliers_at(self, point), growing)
  if math.abs(m.im) > 1e-3 then return { kind = "torus", frequency = math.atan(math.abs(m.im), m.re)/(self:period(point.y)) } end
  return { kind = m.re < 0 and "flip" or "branch" }
end

function Orbits:record(point)
  local y = point.y
  local record = states.record(self.space, y, self.flow.t, self.parameters_at(y))
  record.period, record.value, record.multipliers, record.admissible = (self:period(y)), (self:value(y)), multipliers_at(self, point), true
  record.stable = states.is_stable(record.multipliers)
  if self.energy then record.energy = (self.energy(y)) end
  record.drive, record.drift, record.advance = self.drive, self.turns:values(y), self.advance
  return record
end

-- ---- integrals

local function conserved(system, e)
  local fine, answer = attempt(system.is_conserved, system, e)
  return fine and answer == true
end

-- The sum of p q' less L: the energy, or Jacobi's integral
local function jacobi(system)
  local L, sum = system:lagrangian(), {}
  for i, q in ipairs(system:coordinate_list()) do sum[i] = core.diff(L, q.dot)*q.dot end
  return core.sum(sum) - L
end

-- Integrals of the kept states: { name =, at = function of the point }; those that the theorems give and those that the user names
local function integrals_of(self, o)
  local flow, list = self.flow, {}
  local system, timed = flow.system, not self.period_place
  local function add(name, what)
    list[#list + 1] = { name = name, at = states.observed(self.space, what) }
  end
  local energy = jacobi(system)
  if not timed and conserved(system, energy) then add("energy", energy) end
  for i, q in ipairs(flow.E.kin) do
    if flow.ignorable[i] and system._coordinate[core.text(q)] then
      local p = core.diff(system:lagrangian(), q.dot)
      if conserved(system, p) then add("p_" .. core.text(q), p) end
    end
  end
  for _, name in ipairs(object.keys(o.integrals or {})) do
    local e = o.integrals[name]
    if not conserved(system, e) then fail("continue: integrals.%s is not conserved, or this cannot be told", name) end
    add(name, e)
  end
  return list
end

local function named(list, name)
  for _, integral in ipairs(list) do if integral.name == name then return integral end end
  return nil
end

-- A family over its period: the first integral changes, too
local function along_period(self, system)
  if not self.period_place then fail("continue: along = \"period\": the period of %s is that of the drive; take a parameter", system.name) end
  self.free = self.integrals[1] or fail("continue: along = \"period\": %s has no known integral, so that its periodic motions form no families; "
    .. "take a parameter, or name integrals", system.name)
  local gradient = states.axis(self.period_place, self.space.n)
  for i, value in ipairs(gradient) do gradient[i] = value*self.space.scale[i] end
  self.along = function(y) return y[self.period_place], gradient end
end

-- Gradients must be independent at the start
local function demand_independent(self, y)
  local units = {}
  for k, gradient in ipairs(gradients_at(self, y)) do
    local size = math.sqrt(tangent.dot(gradient, gradient))
    local rest = table.move(gradient, 1, #gradient, 1, {})
    local length = tangent.orthogonal(rest, units)
    if not (length > 1e-8*size) then fail("continue: the integral '%s' depends on the others at the start", self.integrals[k].name) end
    for i = 1, #rest do rest[i] = rest[i]/length end
    units[#units + 1] = rest
  end
end

local function fix(self, o, y)
  for _, integral in ipairs(self.integrals) do
    local given = (o.fixed or {})[integral.name]
    if integral == self.free then
      if given then fail("continue: %s changes along the branch and cannot be fixed", integral.name) end
    else
      integral.fixed = given and options.number(given) or (integral.at(y))
    end
  end
  for name in pairs(o.fixed or {}) do
    if not named(self.integrals, name) then fail("continue: fixed: '%s' is no integral of %s", tostring(name), self.flow.system.name) end
  end
end

-- ---- the start

local function found(system, o, guess, period)
  if guess.orbit then return guess.orbit end
  local given = { q = guess.q, v = guess.v, t = guess.t, period = period, advance = guess.advance, parameters = guess.parameters, form = o.form }
  local fine, orbit = attempt(system.periodic, system, given)
  if fine then return object.copied(orbit) end
  if not orbit:find("state of rest", 1, true) then fail("continue: %s", orbit) end
  -- under a drive that leaves it at rest a state of rest is a motion with the period of the drive
  given.resting, given.form = true, o.form or system:default_form()
  return given
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

-- The problem with its unknowns and integrals; y: its start
local function problem_of(system, o, guess, orbit, names)
  local held = held_by(system, names)
  orbit.t = periods.early(orbit.t or 0.0, options.number(orbit.period))
  local flow = flow_of(system, o, orbit, guess, #held > 0 and held or nil)
  flow.signless = signs.signless(flow)
  local timed_list = tangent.timed(tangent.expressions(flow.E, flow.ignorable))
  local timed = #timed_list > 0
  if orbit.resting and not timed then fail("continue: this is a state of rest, not a periodic one: start farther from it, or take equilibrium =") end
  local count = #(o.symmetry or {})
  local space = states.new(flow, count + (timed and 0 or 1))
  local self = setmetatable({ flow = flow, space = space, name = names[1], tolerance = o.tolerance, kind = "periodic motions",
    period_place = not timed and #flow.kept + 1 or nil }, Orbits)
  self.places, self.observed = states.watched(space, #held > 0 and names or {})
  self.parameters_at = states.parameters_at(self, #held > 0 and names or {}, guess)
  local behind, period_of = {}, periods.driven(system, guess, held)
  function self.driven(y)
    local p = {}
    for i, place in ipairs(self.places) do p[i] = y[place] end
    return period_of(p)
  end
  if timed then
    local places, values = periods.places(self)
    periods.demand_repeating(flow, timed_list, period_of, places, names, values)
  end
  if not timed then behind[1], space.scale[self.period_place] = orbit.period, math.max(1, orbit.period) end
  for k = 1, count do behind[#behind + 1] = (orbit.drift or {})[k] or 0.0 end
  local y = space.point(flow.x, behind)
  self.turns = turns.new(space, o.symmetry or {}, #flow.kept + (timed and 1 or 2))
  self.advance, self.gain = guess.advance, gains(space, guess.advance)
  self.integrals = integrals_of(self, o)
  if names[1] == "period" then
    along_period(self, system)
  elseif #held == 0 then
    self.free = named(self.integrals, names[1]) or fail("continue: '%s' is neither a parameter nor an integral of %s%s", names[1], system.name,
      object.hint(names[1], system.parameter_names))
    self.along = self.free.at
  end
  self.energy = flow.E.energy and states.observed(space, "energy") or nil
  return self, y
end

--- The problem of periodic motions near a guess, along parameters or an integral, by name, and its start.
function orbits.new(system, o, guess, names)
  local name = names[1]
  if not system._parameter[name] and name ~= "energy" and name ~= "period" and not (o.integrals or {})[name] and not name:match "^p_" then
    fail("continue: '%s' is neither a parameter nor an integral of %s%s", name, system.name, object.hint(name, system.parameter_names))
  end
  if not guess.period then fail("continue: a guess of the period is missing: periodic = { q =, v =, period = }") end
  local held = held_by(system, names)
  local period = periods.at_guess(system, guess, #held > 0 and names or {}, periods.driven(system, guess, held))
  local orbit = found(system, o, guess, period)
  local self, y = problem_of(system, o, guess, orbit, names)
  self.drive = core.is_expression(guess.period) and core.text(guess.period) or nil
  demand_independent(self, y)
  fix(self, o, y)
  return self, y
end

-- ---- from flips and Hopf points

local function copied(list) return table.move(list, 1, #list, 1, {}) end

-- The same motions with twice the period
local function doubled(self)
  local twice = setmetatable({}, Orbits)
  for key, value in pairs(self) do twice[key] = value end
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

-- The direction that comes back reversed
local function reversed_direction(self, point)
  multipliers_at(self, point)
  local flat, n = {}, #point.beside
  for a = 1, n do for b = 1, n do flat[#flat + 1] = point.matrix[a][b] + (a == b and 1 or 0) end end
  local _, vectors = core.singular(n, n, flat)
  local s = {}
  for i = 1, n do s[i] = vectors[(i - 1)*n + n] end
  return arclength.combined(point.beside, s)
end

--- The same motions with twice the period, the point there, and the direction in which motions of twice the period leave it.
function Orbits:doubled(at)
  local y = copied(at.y)
  if self.period_place then y[self.period_place] = 2*y[self.period_place] end
  return doubled(self), y, reversed_direction(self, at)
end

--- A point of doubled motions as one of these.
function Orbits:half(y)
  y = copied(y)
  if self.period_place then y[self.period_place] = y[self.period_place]/2 end
  return y
end

-- The eigenvector of the pair on the axis: its real part over the states
local function swinging_direction(rest, at, frequency)
  local directions, n = at.directions.fixed, #at.directions.fixed
  local A = rest:matrix(at)
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
  return rest.space.whole(arclength.combined(directions, s))
end

local function at_hopf(branch, special, o)
  local rest, at, system = branch._problem, special._at, branch._system
  local record = special.point
  local guess = { q = record.q, v = record.v, t = record.t, parameters = record.parameters, period = 2*math.pi/special.frequency, form = rest.flow.E.form }
  local self, y = problem_of(system, o, guess, guess, { rest.name })
  self.integrals = {}
  local whole = swinging_direction(rest, at, special.frequency)
  local u = self.space.part(whole)
  local length = math.sqrt(tangent.dot(u, u))
  for i = 1, #u do u[i] = u[i]/length end
  for _, a in ipairs(switching.AMPLITUDES) do
    local start = arclength.beside(self, y, u, a)
    if start then return self, start end
  end
  fail("switch: no periodic motion within amplitude %g of the Hopf point", switching.AMPLITUDES[4])
end

switching.add("hopf", at_hopf)

orbits.t, orbits.conditions = symbols.t, Orbits.conditions

return orbits
