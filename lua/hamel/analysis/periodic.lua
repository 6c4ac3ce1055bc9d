-- periodic.lua: S:periodic: periodic motions by shooting, their stability by Floquet multipliers.
local attempt = require "hamel.base.attempt"
local attitude = require "hamel.bodies.attitude"
local compile = require "hamel.model.compile"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local durations = require "hamel.model.durations"
local in_default_form = require "hamel.analysis.default_form"
local launched = require "hamel.base.launched"
local moduli = require "hamel.analysis.moduli"
local motion_units = require "hamel.analysis.motion_units"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local repetition = require "hamel.analysis.repetition"
local signs = require "hamel.analysis.signs"
local System = require "hamel.system"
local quantities = require "hamel.system.quantities"
local tangent = require "hamel.analysis.tangent"
local variations = require "hamel.analysis.variations"

local fail = object.fail
local Orbit = object.class "Orbit"

local schema = {
  period = { type = "number", or_type = "userdata", above = 0, finite = true,
             doc = "a guess of the period; fixed if the equations depend on time: then also an expression in parameters, 2*hm.pi/w" },
  advance = { type = "table", doc = "increase of coordinates over a period, by name: { phi = 2*math.pi }" },
  tolerance = { default = 1e-10, above = 0, type = "number", doc = "how well the motion closes, relative to the sizes of the states along it" },
  fixed_period = { type = "boolean", doc = "true: the period is given, a start is sought for it" },
}
for name, row in pairs(variations.schema) do schema[name] = row end
schema.t = { default = 0, type = "number", doc = "time of the start" }
schema.rtol = { default = 1e-11, from = 0, type = "number", doc = "relative tolerance per step" }
schema.atol = { default = 1e-11, from = 0, type = "number", doc = "absolute tolerance per step; when not given so much of the smallest state's size" }

local ITERATIONS = 40

-- ---- driven equations

local function demand_repetition(flow, timed, period)
  local off = repetition.mismatch(flow, timed, period)
  if off > repetition.TO then
    fail("periodic: the equations depend on time and do not repeat after period = %.12g (they differ by %.2g of their change with time), so that no "
      .. "motion has this period; give the period of the driving terms, or a whole multiple of it", period, off)
  end
end

local function gains(system, flow, advance)
  local gain = {}
  for i = 1, flow.size do gain[i] = 0.0 end
  for name, value in pairs(system:by_name(advance or {}, "advance")) do
    if not system._coordinate[name] then
      fail("periodic: advance: '%s' is not a coordinate of %s%s", tostring(name), system.name, object.hint(tostring(name), system.coordinate_names))
    end
    local number = options.number(value)
    if not number then fail("periodic: advance.%s is not a number", name) end
    for i, q in ipairs(flow.E.kin) do if core.text(q) == name then gain[i] = number end end
  end
  return gain
end

-- Coordinates on which nothing depends need not close, but must gain the values of `advance`. unit: a size of coordinates along the motion
local function demand_advance(flow, x, last, gain, advance, closes, unit)
  for name in pairs(flow.system:by_name(advance or {}, "advance")) do
    for i, q in ipairs(flow.E.kin) do
      local found = last[i] - x[i]
      local within = closes*math.max(unit, math.abs(gain[i]), math.abs(found))
      if core.text(q) == name and flow.ignorable[i] and not (math.abs(found - gain[i]) <= within) then
        fail("periodic: nothing depends on %s, and the periodic motion found gains %.10g in it, not advance.%s = %.10g; leave that out",
          name, found, name, gain[i])
      end
    end
  end
end

-- ---- the states in units of their sizes along the motion (motion_units.lua)

-- Counts the kept states, and the time, in units: flow.units, flow.time_unit; runs have an absolute tolerance to match, where the user gave none
local function count_in(flow, sizes, period, o)
  local units, least = motion_units.of_states(flow, sizes, period)
  flow.units, flow.time_unit = units, motion_units.of_time(period)
  if not o.atol_given then motion_units.set_tolerances(flow, flow.kept, units, least, schema.atol.default, true) end
end

local OTHER = 10                       -- sizes differ by this factor: they have other units

-- Does a list of sizes of the kept states have units that are not those of the flow?
local function has_other_units(flow, sizes, period)
  for i, unit in ipairs((motion_units.of_states(flow, sizes, period))) do
    if unit > OTHER*flow.units[i] or flow.units[i] > OTHER*unit then return true end
  end
  return false
end

-- A list over all states as a direction over the kept ones in their units, and back
local function part_of(flow, list)
  local d = {}
  for i, place in ipairs(flow.kept) do d[i] = list[place]/flow.units[i] end
  return d
end

local function whole_of(flow, d)
  local list = {}
  for i in ipairs(flow.kept) do list[i] = d[i]*flow.units[i] end
  return flow:whole(list)
end

-- Unit directions tangent to the constraints at the state x at the start
local function tangents_at(flow, x)
  local rows = tangent.constraint_rows(flow.E, flow.observer, flow.w, flow.t, x, flow.kept)
  for _, row in ipairs(rows) do for i, unit in ipairs(flow.units) do row[i] = row[i]*unit end end
  return tangent.basis(rows, #flow.kept)
end

-- The rate at the state x at the start, by the unit of the time
local function rate_at(flow, x)
  flow.w:set_state(flow.t, x)
  local rate = part_of(flow, flow.w:rate())
  for i, value in ipairs(rate) do rate[i] = value*flow.time_unit end
  return rate
end

-- How far the motion is from closing, in units of the kept states; the directions of the basis after a period; the end, and the record
local function shoot(flow, x, period, basis, gain, dense)
  local whole = {}
  for k, u in ipairs(basis) do whole[k] = whole_of(flow, u) end
  local last, carried, record = flow:run(flow.t, flow.t + period, x, whole, dense)
  local places, gap = signs.turned_over(flow, x, last), {}
  signs.over(last, places)
  for i, place in ipairs(flow.kept) do gap[i] = (last[place] - x[place] - gain[place])/flow.units[i] end
  for k, d in ipairs(carried) do carried[k] = part_of(flow, signs.over(d, places)) end
  return gap, carried, last, record
end

-- The largest sizes of the kept states on a record of a run with `count` directions
local function sizes_on(flow, record, count)
  local sizes = {}
  for k = 1, record.raw:points() do motion_units.enlarge(sizes, flow, flow:split(record.raw:state(k), count)) end
  return sizes
end

-- One Newton step: directions of the basis and the period; the shortest one where there is a family
local function correction(flow, x, period, basis, gap, carried, free_period)
  local n, d = #flow.kept, #basis
  local columns = d + (free_period and 1 or 0)
  local rate = rate_at(flow, x)
  local rows, side = {}, {}
  for i = 1, n do
    for k = 1, d do rows[#rows + 1] = carried[k][i] - basis[k][i] end
    if free_period then rows[#rows + 1] = rate[i] end
    side[i] = -gap[i]
  end
  if free_period then
    -- along the motion the start does not move
    for k = 1, d do rows[#rows + 1] = tangent.dot(rate, basis[k]) end
    rows[#rows + 1] = 0.0
    side[n + 1] = 0.0
  end
  local step = core.least_squares(#side, columns, rows, side, 1e-7)
  local next_x = table.move(x, 1, #x, 1, {})
  for k = 1, d do for i, place in ipairs(flow.kept) do next_x[place] = next_x[place] + step[k]*basis[k][i]*flow.units[i] end end
  return flow.w:project(flow.t, next_x, 1e-12), free_period and period + step[d + 1]*flow.time_unit or period
end

local function largest(list)
  local most = 0
  for _, value in ipairs(list) do most = math.max(most, math.abs(value)) end
  return most
end

-- In the basis of the start: a direction after the period is again tangent to the constraints there
local function multipliers_of(basis, carried)
  local flat, d = {}, #basis
  for a = 1, d do for b = 1, d do flat[#flat + 1] = tangent.dot(basis[a], carried[b]) end end
  local values, list = core.eigen(d, flat), {}
  for k = 1, d do list[k] = { re = values[2*k - 1], im = values[2*k] } end
  return moduli.sort(list)
end

local modulus = moduli.of

-- How far two lists of multipliers are apart, each with its nearest
local function distance(one, two)
  local most = 0
  for _, a in ipairs(one) do
    local least = math.huge
    for _, b in ipairs(two) do least = math.min(least, math.sqrt((a.re - b.re)^2 + (a.im - b.im)^2)) end
    most = math.max(most, least)
  end
  return most
end

-- checks of the result by a second run

local TIGHTER, MOST_DIVISOR, SAMPLES = 0.01, 100, 64
local ROUNDING = 1e-15                 -- of the largest multiplier: no other one is known better

-- A second run with smaller steps: how far the motion misses, its multipliers, and its states along the way
local function looked_at_again(flow, x, period, basis, gain)
  local control, rtol, atol = flow.options, flow.options.rtol, flow.options.atol
  control.rtol, control.atol = math.max(TIGHTER*rtol, 1e-14), TIGHTER*atol
  local gap, carried = shoot(flow, x, period, basis, gain)
  local last, _, record = flow:run(flow.t, flow.t + period, x, {}, true)
  control.rtol, control.atol = rtol, atol
  return largest(gap), multipliers_of(basis, carried), record, last
end

-- Largest distance from the start over the kept states, in their units
local function excursion(flow, x, period, record)
  local most = 0
  for i = 1, SAMPLES - 1 do
    local state = record.raw:at(flow.t + period*i/SAMPLES)
    for k, place in ipairs(flow.kept) do most = math.max(most, math.abs(state[place] - x[place])/flow.units[k]) end
  end
  return most
end

-- Is the motion on the record after a k-th of the period what it was before, from each of `samples` places on? Equations that depend on time
-- may lead away from a state that is met again
local function repeats_after(flow, period, k, gain, record, closes, samples)
  for i = 0, samples - 1 do
    local at = period*(1 - 1/k)*i/samples
    local one, other = record.raw:at(flow.t + at), record.raw:at(flow.t + at + period/k)
    signs.over(other, signs.turned_over(flow, one, other))
    for j, place in ipairs(flow.kept) do
      if not (math.abs(other[place] - one[place] - gain[place]/k) <= closes*flow.units[j]) then return false end
    end
  end
  return true
end

-- How many times the motion repeats itself within the period
local function repetitions(flow, period, gain, record, closes)
  for k = MOST_DIVISOR, 2, -1 do
    if repeats_after(flow, period, k, gain, record, closes, 1) and repeats_after(flow, period, k, gain, record, closes, SAMPLES) then return k end
  end
  return 1
end

local function by_name(names, values, offset)
  local result = {}
  for i, name in ipairs(names) do result[name] = values[(offset or 0) + i] end
  return result
end

-- Where to look instead
local function advice(driven)
  return driven and "; a motion that others settle on is found from the end of a long run: as q and v give its last state after a whole number of periods"
    or "; take a start nearer to the motion, or a better period"
end

local ROUNDS = 3                       -- of units: those of the guess, and of the motions found

-- The motion in the units of the flow from a start and a period: { x, period, gap, basis, carried, count = of iterations }
local function closed(flow, o, x, period, gain, driven)
  local count = 0
  local basis = tangents_at(flow, x)
  local gap, carried = shoot(flow, x, period, basis, gain)
  while largest(gap) > o.tolerance do
    count = count + 1
    if count > ITERATIONS then
      fail("periodic: no periodic motion was found from this guess (it still misses by %.2g after %d iterations)%s", largest(gap), ITERATIONS, advice(driven))
    end
    local length, next_x, next_period, next_gap, next_carried, next_basis = 1
    local full_x, full_period = correction(flow, x, period, basis, gap, carried, not driven and not o.fixed_period)
    repeat
      next_x, next_period = {}, period + length*(full_period - period)
      for i = 1, #x do next_x[i] = x[i] + length*(full_x[i] - x[i]) end
      if length < 1 then next_x = flow.w:project(flow.t, next_x, 1e-12) end
      next_basis = tangents_at(flow, next_x)
      if next_period > 0.1*period then next_gap, next_carried = shoot(flow, next_x, next_period, next_basis, gain) end
      length = length/2
    until (next_gap and largest(next_gap) < largest(gap)) or length < 1e-3
    if not next_gap or largest(next_gap) >= largest(gap) then
      if largest(gap) <= 10*o.tolerance then break end
      fail("periodic: no periodic motion was found from this guess (it still misses by %.2g)%s", largest(gap), advice(driven))
    end
    x, period, gap, carried, basis = next_x, next_period, next_gap, next_carried, next_basis
  end
  return { x = x, period = period, gap = gap, basis = basis, carried = carried, count = count }
end

-- The sizes of the kept states along the run from a guess over its period; where that fails those of its start
local function sizes_at_guess(flow, o)
  local sizes = motion_units.sizes_at_start(flow, flow.x, o.period)
  count_in(flow, sizes, o.period, o)
  local fine, _, _, record = attempt(flow.run, flow, flow.t, flow.t + o.period, flow.x, {}, true)
  local along = fine and sizes_on(flow, record, 0)
  return along and motion_units.are_finite(along) and along or sizes
end

local DOUBTFUL = 1e-5                   -- of the largest state of its kind: a smaller one may be at rest, and its size that of a disturbance of the guess

-- The sizes with zero for the kept states that may be at rest in the motion sought; nil: there is none
local function without_doubtful(flow, sizes)
  local most, list, any = { [true] = 0, [false] = 0 }, {}, false
  for i, place in ipairs(flow.kept) do
    local kind = place <= #flow.E.kin
    most[kind] = math.max(most[kind], sizes[i])
  end
  for i, place in ipairs(flow.kept) do
    local doubtful = sizes[i] > 0 and sizes[i] < DOUBTFUL*most[place <= #flow.E.kin]
    list[i], any = doubtful and 0.0 or sizes[i], any or doubtful
  end
  return any and list or nil
end

-- A size of coordinates along the motion: of one that it moves most, or of what velocities make in its time
local function coordinate_unit(flow)
  local most = 0
  for i, place in ipairs(flow.kept) do most = math.max(most, place <= #flow.E.kin and flow.units[i] or flow.units[i]*flow.time_unit) end
  return most
end

-- The same from the guess. In units of a disturbance of what is at rest rounding is no small error: where they fail, others are tried
local function closed_from(flow, o, gain, driven)
  local sizes = sizes_at_guess(flow, o)
  count_in(flow, sizes, o.period, o)
  local others = without_doubtful(flow, sizes)
  if not others then return closed(flow, o, flow.x, o.period, gain, driven) end
  local fine, found = attempt(closed, flow, o, flow.x, o.period, gain, driven)
  if fine then return found end
  count_in(flow, others, o.period, o)
  return closed(flow, o, flow.x, o.period, gain, driven)
end

-- The search in one form
local function search(self, o)
  if contact.any(self) then
    local _, values = compile.parameter_values(self, o.parameters)
    fail("periodic: %s has %s; the motion and its multipliers are the first point of S:continue{ periodic = { q =, v =, period = }, along = \"%s\", "
      .. "from = %s, points = 1 }, along any parameter from its value on", self.name, contact.described(self), self.parameter_names[1] or "w",
      values[1] and ("%.15g"):format(values[1]) or "its value")
  end
  o = object.copied(o)
  local flow = variations.flow(self, "periodic", o, o.t + 0.0)
  flow.signless = signs.signless(flow)
  local gain = gains(self, flow, o.advance)
  local timed = tangent.timed(tangent.expressions(flow.E, flow.ignorable))
  local driven = #timed > 0
  if driven then demand_repetition(flow, timed, o.period) end
  local found, count = closed_from(flow, o, gain, driven), 0
  local x, period, list, miss, again, record, last
  for round = 1, ROUNDS do
    x, period, count = found.x, found.period, count + found.count
    list = multipliers_of(found.basis, found.carried)
    miss, again, record, last = looked_at_again(flow, x, period, found.basis, gain)
    if not driven and largest(rate_at(flow, x)) < 1e-8 or largest(gain) == 0 and excursion(flow, x, period, record) < math.max(1e4*o.tolerance, 1e-6) then
      fail("periodic: the guess leads to a state of rest; start farther from it, or give a better period")
    end
    -- a guess may be far from the motion, and its sizes say nothing about this one
    local sizes = sizes_on(flow, record, 0)
    if round == ROUNDS or not has_other_units(flow, sizes, period) then break end
    count_in(flow, sizes, period, o)
    found = closed(flow, o, x, period, gain, driven)
  end
  local growth = 1
  for _, m in ipairs(list) do growth = math.max(growth, modulus(m)) end
  local closes = 100*o.tolerance*growth
  if not (miss <= closes) then
    fail("periodic: the motion found does not close: a run with smaller steps misses the start by %.2g; take smaller tolerances, or another guess", miss)
  end
  demand_advance(flow, x, last, gain, o.advance, closes, coordinate_unit(flow))
  local names = self.coordinate_names
  local observer = flow.observer
  local q, v = by_name(names, x), by_name(names, observer:velocities(flow.w, flow.t, x))
  local result = {
    period = period, q = q, v = attitude.velocities(self, v, q, o.t, o.parameters), multipliers = list, gap = largest(found.gap),
    iterations = count, names = flow.names, t = flow.t, repeats = repetitions(flow, period, gain, record, closes),
    uncertainty = distance(list, again) + growth*(miss + ROUNDING), form = o.form,
    parameters = object.copied(self:by_name(o.parameters or {}, "parameters")), _title = self.name,
    drive = driven and o.drive or nil,
  }
  -- one multiplier of an autonomous motion is 1, in conservative systems more of them: near 1 counts as 1
  local most, near_one = 0, 0
  for _, m in ipairs(list) do
    if math.sqrt((m.re - 1)^2 + m.im^2) < 1e-4 then near_one = near_one + 1
    else most = math.max(most, modulus(m)) end
  end
  local neutral = driven and 0 or 1
  local margin = math.max(1e-6, 10*result.uncertainty)
  result.stability = most > 1 + margin and "unstable" or near_one <= neutral and most < 1 - margin and "stable in the first approximation"
    or math.abs(most - 1) <= margin and margin > 1e-6 and "not decided: the multipliers are known to " .. ("%.1g"):format(result.uncertainty)
    or "not decided by the first approximation"
  return setmetatable(result, Orbit.meta)
end

--- Finds a periodic motion near a guess: S:periodic{ q =, v =, period = 6, advance = { phi = 2*math.pi }, form =, ... }, by shooting with the exact
--- variational equations.
--- The start and the period are varied; the period is fixed if the equations depend on time, or with fixed_period. Where periodic motions form a
--- family, as in conservative systems, the one nearest to the guess is found. Coordinates on which nothing depends need not close; `advance`
--- gives their increase over a period. A quaternion closes up to its sign: e and -e are the same attitude.
--- Result: period, q, v (the start; of rotations the body rates), multipliers (Floquet multipliers { re, im }, largest first), stability
--- ("stable in the first approximation", "unstable", "not decided ..."), gap (by how much the motion does not close: the largest over the states, each
--- relative to its size along the motion where that is below 0.1 or above 10), iterations, repeats (number of shorter periods within the period),
--- uncertainty (of every multiplier, as large as the change in a second run with smaller steps: smaller multipliers are not determined),
--- parameters (as given), drive (the period of a driven motion as the expression that was given, by which S:continue follows it along the frequency),
--- form (S:default_form(), or "lagrange" where the search fails in that form).
--- Raises an error if the search does not converge, if the equations depend on time and do not repeat after the period, if the right-hand side
--- jumps on the way where the states say so (switches in time, as of a square wave, are fine), if a run with smaller steps does not close, if the motion does
--- not advance as given, and at a state of rest.
function System:periodic(given)
  launched.demand_alone "periodic"
  local form = type(given) == "table" and given.form
  local o = options.check("periodic", schema, quantities.in_seconds(self, "periodic", given), self)
  o.atol_given = given ~= nil and given.atol ~= nil
  if not o.period then fail("periodic: a guess of the period is missing") end
  if core.is_expression(o.period) then
    local period_of, varies = durations.of("periodic", "period", self, o.period)
    o.drive, o.period = varies and core.text(o.period), period_of(o.parameters)
  end
  -- the default form fails where the motion leaves the states at which its dependent velocities can be eliminated
  return form and search(self, o) or in_default_form(search, self, o)
end

-- With the digits that are known
local function worded(m, uncertainty)
  local size = modulus(m)
  local digits = moduli.digits(size, uncertainty, 9)
  if not digits then
    return ("not determined: %.1g or less (the points of S:continue{ periodic = } have small multipliers)"):format(math.max(size, uncertainty))
  end
  local number = "%." .. digits .. "g"
  return m.im == 0 and number:format(m.re)
    or (number .. " %s " .. number .. " i   (modulus " .. number .. ")"):format(m.re, m.im < 0 and "-" or "+", math.abs(m.im), size)
end

function Orbit.meta.__tostring(self)
  local lines = { ("%s, %s: periodic motion, period %.12g, closed to %.1g in %d iterations"):format(self._title, self.form, self.period, self.gap,
    self.iterations) }
  for _, m in ipairs(self.multipliers) do lines[#lines + 1] = "  " .. worded(m, self.uncertainty) end
  if self.repeats > 1 then
    lines[#lines + 1] = ("  %d times the shortest period, which is %.12g"):format(self.repeats, self.period/self.repeats)
  end
  lines[#lines + 1] = "  " .. self.stability
  return table.concat(lines, "\n")
end

options.declare("periodic", schema)

return Orbit
