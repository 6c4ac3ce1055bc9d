-- periodic.lua: S:periodic: periodic motions by shooting, their stability by Floquet multipliers.
local attitude = require "hamel.bodies.attitude"
local compile = require "hamel.model.compile"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local durations = require "hamel.model.durations"
local failure = require "hamel.base.failure"
local in_default_form = require "hamel.analysis.default_form"
local launched = require "hamel.base.launched"
local moduli = require "hamel.analysis.moduli"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local near_guesses = require "hamel.analysis.orbit_guesses"
local repetition = require "hamel.analysis.repetition"
local shooting = require "hamel.analysis.shooting"
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
  tolerance = { default = 1e-10, from = shooting.LEAST_TOLERANCE, below = 0.01, type = "number",
                doc = "how well the motion closes, relative to the sizes of the states along it" },
  elsewhere = { type = "boolean", default = true,
                doc = "false: search from the guess alone, not from other periods, nor from states that the run from it reaches" },
  fixed_period = { type = "boolean", doc = "true: the period is given, a start is sought for it" },
}
for name, row in pairs(variations.schema) do schema[name] = row end
schema.t = { default = 0, type = "number", doc = "time of the start" }
schema.rtol = { default = 1e-11, from = 0, type = "number", doc = "relative tolerance per step" }
schema.atol = { default = shooting.ATOL, from = 0, type = "number", doc = "absolute tolerance per step; when not given so much of the smallest state's size" }

-- ---- driven equations

local function demand_repetition(flow, timed, period)
  local off = repetition.mismatch(flow, timed, period)
  if off > repetition.TO then
    fail("periodic: the equations depend on time and do not repeat after period = %.12g (they differ by %.2g of their change with time), so that no "
      .. "motion has this period; give the period of the driving terms, or a whole multiple of it, with all its digits or as an expression: 2*hm.pi/w",
      period, off)
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

-- A second run with smaller steps: how the motion misses, its directions, and its states along the way
local function looked_at_again(flow, x, period, basis, gain)
  local control, rtol, atol = flow.options, flow.options.rtol, flow.options.atol
  local tighter = math.max(TIGHTER*rtol, 1e-14)
  control.rtol, control.atol = tighter, TIGHTER*atol
  -- where such a run fails, the search goes on with the steps of the user
  local _ <close> = setmetatable({}, { __close = function() control.rtol, control.atol = rtol, atol end })
  local gap, carried = shooting.shoot(flow, x, period, basis, gain)
  local last, _, record = flow:run(flow.t, flow.t + period, x, {}, true)
  return { gap = gap, carried = carried, record = record, last = last, rtol = tighter }
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

local ALIKE = 1e-3                     -- of the excursion: places of the motion that differ by more are not the same, however large the tolerance is

-- How many times the motion from x repeats itself within the period
local function repetitions(flow, x, period, gain, record, closes)
  closes = math.min(closes, ALIKE*excursion(flow, x, period, record))
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

local ROUNDS = 3                       -- of units: those of the guess, and of the motions found

-- A size of coordinates along the motion: of one that it moves most, or of what velocities make in its time
local function coordinate_unit(flow)
  local most = 0
  for i, place in ipairs(flow.kept) do most = math.max(most, place <= #flow.E.kin and flow.units[i] or flow.units[i]*flow.time_unit) end
  return most
end

local WIDE = 1000                      -- times the tolerance: accuracies of motions that are said

-- The motion found from a start and a period, with its checks
local function orbit_near(self, o, flow, driven, x, period, gain)
  local found, count = shooting.closed_near(flow, o, x, period, gain, driven), 0
  local at_rest = math.max(math.min(1e4*o.tolerance, 1e-2), 10*o.tolerance, 1e-6)
  local free_period, accuracy, seen, record = not driven and not o.fixed_period, nil, nil, nil
  local function again(one) return looked_at_again(flow, one.x, one.period, one.basis, gain) end
  for round = 1, ROUNDS do
    found, accuracy, seen = shooting.polished(flow, o, found, gain, free_period, again)
    x, period, count, record = found.x, found.period, count + found.count, seen.record
    if not driven and shooting.largest(shooting.rate_at(flow, x)) < 1e-8
      or shooting.largest(gain) == 0 and excursion(flow, x, period, record) < at_rest then
      failure.raise("at rest", "periodic: the guess leads to a state of rest; start farther from it, or give %s", not driven and "a better period"
        or "a multiple of the period of the drive: swings beside a state of rest that a drive shakes may have twice its period")
    end
    -- a guess may be far from the motion, and its sizes say nothing about this one
    local sizes = shooting.known_sizes(flow, shooting.sizes_on(flow, record, period), o)
    if round == ROUNDS or not shooting.has_other_units(flow, sizes, period) then break end
    shooting.count_in(flow, sizes, period, o)
    found = shooting.closed(flow, o, x, period, gain, driven)
  end
  local list, miss, growth = shooting.multipliers(found.basis, found.carried), shooting.largest(seen.gap), 1
  for _, m in ipairs(list) do growth = math.max(growth, modulus(m)) end
  local closes = 100*o.tolerance*growth
  if not (miss <= closes) then
    fail("periodic: the motion found does not close: a run with smaller steps misses the start by %.2g, where tolerance = %.2g asks for %.2g; give a "
      .. "smaller rtol (it is %.2g) and atol, or a larger tolerance, or another guess", miss, o.tolerance, closes, o.rtol)
  end
  demand_advance(flow, x, seen.last, gain, o.advance, closes, coordinate_unit(flow))
  local names = self.coordinate_names
  local observer = flow.observer
  local q, v = by_name(names, x), by_name(names, observer:velocities(flow.w, flow.t, x))
  local result = {
    period = period, q = q, v = attitude.velocities(self, v, q, o.t, o.parameters), multipliers = list, gap = shooting.largest(found.gap),
    iterations = count, names = flow.names, t = flow.t, repeats = repetitions(flow, x, period, gain, record, closes),
    uncertainty = distance(list, shooting.multipliers(found.basis, seen.carried)) + growth*(miss + ROUNDING), form = o.form, accuracy = accuracy,
    parameters = object.copied(self:by_name(o.parameters or {}, "parameters")), _title = self.name,
    drive = driven and o.drive or nil, settled = 0, doubtful = accuracy > WIDE*o.tolerance,
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

-- The search in one form
local function search(self, o)
  if contact.any(self) then
    local _, values = compile.parameter_values(self, o.parameters)
    fail("periodic: %s has %s; the motion and its multipliers are the first point of S:continue{ periodic = { q =, v =, period = }, along = \"%s\", "
      .. "from = %s, points = 1 }, along any parameter from its value on", self.name, contact.described(self), self.parameter_names[1] or "w",
      values[1] and ("%.15g"):format(values[1]) or "its value")
  end
  o = object.copied(o)
  o.q = tangent.completed(self, o)
  local flow = variations.flow(self, "periodic", o, o.t + 0.0)
  flow.signless = signs.signless(flow)
  local gain = gains(self, flow, o.advance)
  local timed = tangent.timed(tangent.expressions(flow.E, flow.ignorable))
  local driven = #timed > 0
  if driven then demand_repetition(flow, timed, o.period) end
  return near_guesses(function(...) return orbit_near(self, o, flow, driven, ...) end, flow, o, gain, driven)
end
--- Finds a periodic motion near a guess: S:periodic{ q =, v =, period = 6, advance = { phi = 2*math.pi }, form =, ... }, by shooting with the exact
--- variational equations.
--- The start and the period are varied; the period is fixed if the equations depend on time, or with fixed_period. Where periodic motions form a
--- family, as in conservative systems, one is found that is nearer to the guess than those beside it, but for shifts along the motion: each state counts
--- relative to its largest size on the run from the guess, the period relative to the guess. Coordinates on which nothing depends need not close; `advance`
--- gives their increase over a period. A quaternion closes up to its sign: e and -e are the same attitude.
--- Where Newton's method fails from the guess, it begins again with the periods after which the run from the guess comes near its start (where the period is
--- free) and, if motions decay, from the states that this run reaches after some periods, at most 800;
--- elsewhere = false leaves that out.
--- Result: period, q, v (the start; of rotations the body rates), multipliers (Floquet multipliers { re, im }, largest first), stability
--- ("stable in the first approximation", "unstable", "not decided ..."), gap (by how much the motion does not close: the largest over the states, each
--- relative to its size along the motion), iterations, repeats (number of shorter periods within the period),
--- accuracy (how far the start and the period may be from those of the motion that closes, relative to the sizes of the states and the period; large beside
--- `gap` where motions beside it close nearly as well, as with weak damping at a resonance; in a family, and where runs do not tell motions from one, as
--- with a damping of 1e-12, from the nearest motion of it),
--- uncertainty (of every multiplier, as large as the change in a second run with smaller steps: smaller multipliers are not determined),
--- parameters (as given), drive (the period of a driven motion as the expression that was given, by which S:continue follows it along the frequency),
--- form (S:default_form(), or "lagrange" where the search fails in that form), settled (after how many periods of the run from the guess it was found, 0:
--- from the guess itself).
--- Raises an error if the search does not converge, if the equations depend on time and do not repeat after the period, if the right-hand side
--- jumps on the way where the states say so (switches in time, as of a square wave, are fine), if a run with smaller steps does not close, if the motion does
--- not advance as given, and at a state of rest.
function System:periodic(given)
  launched.demand_alone "periodic"
  local form = type(given) == "table" and not getmetatable(given) and given.form
  local o = options.check("periodic", schema, quantities.in_seconds(self, "periodic", given), self)
  o.atol_given = given ~= nil and given.atol ~= nil
  if not o.period then
    fail("periodic: a guess of the period is missing: add period = ...; small swings beside a state of rest have 2 pi/w, where S:linearize gives the "
      .. "eigenvalues +-w i, and S:simulate shows others")
  end
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
  if self.settled > 0 then
    lines[#lines + 1] = ("  found on the run from the guess, %d periods later: another motion may be nearer to the guess"):format(self.settled)
  end
  if self.doubtful then
    lines[#lines + 1] = ("  known to %.1g of its size: motions beside it close nearly as well"):format(self.accuracy)
  end
  lines[#lines + 1] = "  " .. self.stability
  return table.concat(lines, "\n")
end

options.declare("periodic", schema)

return Orbit
