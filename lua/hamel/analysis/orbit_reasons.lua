-- orbit_reasons.lua: why a closed orbit was not proved, as far as that was computed, and what to do about it, as far as that was tried.
local certificate_text = require "hamel.analysis.certificate_text"
local core = require "hamel.core"
local exact = require "hamel.analysis.exact"
local narrower = require "hamel.analysis.narrower"
local orbit = require "hamel.analysis.closed_orbit"
local orbit_symmetry = require "hamel.analysis.orbit_symmetry"
local protected = require "hamel.base.protected"
local stability = require "hamel.analysis.proved_stability"
local symbols = require "hamel.algebra.symbols"

local reasons = {}

local AT_REST = 1e-8                   -- no rate is larger there
-- Derivatives have 64 bits: where these decide, in a box so small, more bits of the motion do not help
local TINY = 1e-20
local OTHER_GUESSES = { 1.03, 0.97, 1.1, 0.9 }  -- of the period, in parts of that given
-- The motion from the guess is looked at after these multiples of the period. It slows down where its rates are such a part of that at the start, and fall from
-- each look to the next to such a part
local LOOKED_AT, SLOW, FALLING, BITS = { 0.5, 1, 1.5, 2 }, 0.01, 0.3, 256
local TANGENT = 1e-4                   -- a motion runs along a section whose rate is smaller
local LARGE_GROWTH = 1e6               -- of errors in a period, from which on these derivatives have few digits

--- Does a proof with more bits promise more? found: what orbit.prove found
function reasons.bits_help(found)
  if found.rows_fail or not found.rate or found.rate < AT_REST or found.family or found.none or found.open or found.astray then return false end
  return found.reason ~= "" or not (found.tried < TINY and found.least >= 1)
end

local function states_of(problem)
  return table.move(problem.dyn, 1, #problem.dyn, #problem.kin + 1, table.move(problem.kin, 1, #problem.kin, 1, {}))
end

local function period_of(problem, found) return (#problem.mirror > 0 and 2 or 1)*found.y[#found.y].lower end

-- A start with a period that is so many times as long
local function with_period(y, times, bits)
  local start = {}
  for i, x in ipairs(y) do start[i] = x:midpoint() end
  start[#y] = orbit.scaled(start[#y], times, bits)
  return start
end

-- A proved orbit of the part 1/p of the period found, or of p times it: its period, what was proved; nil: none is proved
local function other_period(problem, found, o, times)
  local fine = orbit.prove(problem, with_period(found.y, times, o.bits), { bits = o.bits, order = o.order, iterations = o.iterations })
  if not fine.proved then return nil end
  local period = period_of(problem, fine)
  local wanted = period_of(problem, found)*times
  if math.abs(period - wanted) < 1e-6*wanted then return period, fine end
end

-- The same for an orbit that closes after twice the period found: the shortest period that is proved
local function longer_period(problem, found, o)
  local twice, fine = other_period(problem, found, o, 2)
  local parts = twice and orbit.repeats(problem, fine.y) or 1
  return parts > 1 and other_period(problem, fine, o, 1/parts) or twice
end

-- The states that differ at the end of the motion and at its start
local function apart(problem, found)
  for i, s in ipairs(states_of(problem)) do
    if core.ball_sum(found.finish[i], found.y[i], -1):holds(core.ball("0", 2)) == false then
      return ("%s is %s at the start and %s at the end"):format(core.text(s), stability.number(found.y[i]), stability.number(found.finish[i]))
    end
  end
end

local function of_rows(problem, found, o)
  local difference = apart(problem, found)
  if not difference then
    return orbit.ROWS_FAIL .. ": the derivatives of the integrals by these states are not proved regular; choose a section where they are larger"
  end
  local period, own = longer_period(problem, found, o), period_of(problem, found)
  return ("the motion found, of the period %.6g, does not close: %s, with the same integrals; %s"):format(own, difference, not period
    and "give another guess of the period"
    or ("%s is proved: give period = %.8g"):format(period > own and "a period twice as long" or "a closed orbit with a shorter period", period))
end

local function of_singular(problem, found)
  local period = period_of(problem, found)
  if found.growth > LARGE_GROWTH then
    return ("Newton's method goes to the period %.6g, in which small changes of the start grow by %.1g: a motion too unstable for derivatives of 64 bits "
      .. "(contraction %.2g in a box however small)"):format(period, found.growth, found.least)
  end
  return ("the derivatives of the equations that close the orbit are not proved regular where Newton's method ends (contraction %.2g in a box however small), "
    .. "as where closed orbits form families besides that of the energy; name what else is constant along them in `integrals`"):format(found.least)
end

-- The period of a closed orbit that is proved from the same start with another guess of the period, as near a separatrix, where periods differ much between
-- starts that differ little; nil: none is proved
local function period_nearby(problem, start, o)
  for _, times in ipairs(OTHER_GUESSES) do
    local other = table.move(start, 1, #start, 1, {})
    other[#other] = core.ball(("%a"):format(times*start[#start]:midpoint().lower), 64)
    local fine = orbit.prove(problem, other, { bits = o.bits, order = o.order, iterations = o.iterations })
    if fine.proved then return period_of(problem, fine) end
  end
end

-- Does the motion from y run along all that is given of its start, the section and what is kept?
local function is_tangent(problem, y)
  local states, inputs, list, n = states_of(problem), { symbols.t }, {}, #problem.kin
  local x, at = {}, select(2, orbit.rates(problem, y, {}, BITS))[1]
  for i, s in ipairs(states) do x[i], inputs[i + 1] = at[i]:midpoint(), s end
  for _, item in ipairs(problem.parameters) do
    inputs[#inputs + 1] = item[1]
    x[#x + 1] = exact.ball(item[3] and { item[2], item[3] } or item[2], "parameter", BITS):midpoint()
  end
  for i, e in ipairs(problem.k) do list[i] = e end
  local conditions, advances = 0, {}
  for _, i in ipairs(problem.advance) do advances[states[i]] = true end
  for _, c in ipairs(problem.conditions) do
    if not c.integral and not advances[c.f] then
      conditions = conditions + 1
      table.move(core.gradient(c.f, states), 1, #states, #list + 1, list)
    end
  end
  local values = core.ball_values(core.program(inputs, list), core.ball("0", 2), x, BITS)
  for c = 1, conditions do
    local along, most = 0, 0
    for i = 1, #states do
      local slope = values[n + (c - 1)*#states + i]:midpoint().lower
      local term = slope*(i <= n and values[i] or at[#states + i - n]):midpoint().lower
      along, most = along + term, math.max(most, math.abs(slope))
    end
    if math.abs(along) > TANGENT*most then return false end
  end
  return conditions > 0
end

-- What to do where Newton's method needs a better guess
local function better_guess(problem)
  if orbit.clock(problem) then
    return "the stroboscope stays as given: give a better guess of q and v, such as S:periodic{ fixed_period = true, ... } finds"
  end
  return "give a better guess, such as S:periodic finds"
end

-- Parts of the period after which the section is looked at, and what counts as zero there
local ALONG, ZERO = { 0.13, 0.31, 0.5, 0.77 }, 1e-9

-- The condition at the start that holds all along the closed motion from y, as text; nil: none does, as far as the motion was looked at
local function vanishing_section(problem, y)
  local fine, rates, found = protected(orbit.rates, problem, y, ALONG, BITS)
  if not fine or #rates <= #ALONG then return nil end
  local inputs, parameters, advances = { symbols.t }, {}, {}
  local states = states_of(problem)
  table.move(states, 1, #states, 2, inputs)
  for _, i in ipairs(problem.advance) do advances[states[i]] = true end
  for _, item in ipairs(problem.parameters) do
    inputs[#inputs + 1] = item[1]
    parameters[#parameters + 1] = exact.ball(item[3] and { item[2], item[3] } or item[2], "parameter", BITS):midpoint()
  end
  for _, c in ipairs(problem.conditions) do
    local holds = not c.integral and not advances[c.f]
    local program, target = holds and core.program(inputs, { c.f }), exact.ball(c.target, c.name, BITS):midpoint().lower
    for _, at in ipairs(holds and found or {}) do
      local x = {}
      for i = 1, #states do x[i] = at[i]:midpoint() end
      local value = core.ball_values(program, core.ball("0", 2), table.move(parameters, 1, #parameters, #x + 1, x), BITS)[1]:midpoint().lower
      holds = holds and math.abs(value - target) < ZERO
    end
    if holds then return ("%s = %s"):format(core.text(c.f), core.text(c.target)) end
  end
end

-- What was found near the guess, where Newton's method went astray; nil: nothing that explains it
local function of_vicinity(problem, found, start, o)
  if found.none then
    local what = ("no start near the guess leads to a closed motion, to first order, %s: then the motion misses its start in directions in which changes of "
      .. "the start change nothing"):format(orbit.clock(problem) and "after the time of the stroboscope" or "with about this period")
    -- that of a stroboscope is no guess
    local free = not orbit.clock(problem) and not o.radius and o.iterations > 0
    local period = free and period_nearby(problem, start, o)
    if period then return ("%s; from this start a closed orbit with another period is proved: give period = %.8g"):format(what, period) end
    return ("%s, as at a resonance%s"):format(what, free and (", or as where the guess of the period is too far off: periods from %g to %g times as long were "
      .. "tried"):format(math.min(table.unpack(OTHER_GUESSES)), math.max(table.unpack(OTHER_GUESSES))) or "")
  end
  if found.open then
    local i = found.near_state
    return ("near the guess the search ends at a motion of the period %.6g that does not close, where the derivatives of the equations are dependent: "
      .. "%s is %.6g at the start and %.6g at the end; %s"):format((#problem.mirror > 0 and 2 or 1)*found.near_period, core.text(states_of(problem)[i]),
      found.y[i]:midpoint().lower, found.finish[i]:midpoint().lower, better_guess(problem))
  end
  if not found.family then return nil end
  local section = vanishing_section(problem, found.y)
  if section then
    return ("the section vanishes along the motion near the guess: %s holds all the way, so that it chooses no start; choose another section"):format(section)
  end
  if is_tangent(problem, found.y) then
    return "the motion near the guess only touches the section where it starts, so that the section does not tell this start from those nearby; choose another "
      .. "section"
  end
  local n = found.dependent
  return ("near the guess is a closed motion that meets all conditions (residual %.1g), of the period %.6g, and to first order such motions form a "
    .. "family of %d dimension%s; %s"):format(found.near_residual, (#problem.mirror > 0 and 2 or 1)*found.near_period, n, n == 1 and "" or "s",
    #problem.mirror > 0 and "choose one by `keep`, or by the energy or a section"
    or n == 1 and "name what else is constant along each, and differs between them, in `integrals`"
    or ("name %d quantities that are constant along each, and differ between them, in `integrals`"):format(n))
end

local function has_energy(problem)
  for _, c in ipairs(problem.conditions) do if c.name == "energy" then return true end end
  return false
end

-- A coordinate that gains about a turn in the guess of the period, or some, where the equations do not see a turn: its name and the number; nil: there is none
local function turning_of(problem, start)
  if #problem.mirror + #problem.shift > 0 then return nil end
  local fine, states = protected(function() return select(2, orbit.rates(problem, start, { 1 }, BITS)) end)
  if not fine or not states[2] then return nil end
  for i, q in ipairs(problem.kin) do
    local times = math.floor((states[2][i]:midpoint().lower - states[1][i]:midpoint().lower)/(2*math.pi) + 0.5)
    local turned = setmetatable({ shift = { { i, core.rational(2*times)*core.pi() } } }, { __index = problem })
    if times ~= 0 and math.abs(times) < 1000 and not orbit_symmetry.refuted(turned) then return { name = core.text(q), times = times } end
  end
end

-- Newton's method led to a motion that is lost
local function of_astray(problem, found, start)
  local cause = found.reason:gsub("; give .*$", "")
  if cause:find "^more than" then cause = "Newton's method goes astray, to a motion that takes many times as many steps as that of the guess"
  elseif cause:find "^the period became" then cause = "Newton's method goes astray: " .. cause
  elseif not cause:find "^Newton" then cause = ("Newton's method goes astray, to a motion that is lost (%s)"):format(cause) end
  local words, clock = {}, orbit.clock(problem)
  for i, s in ipairs(states_of(problem)) do
    if i ~= clock then words[#words + 1] = ("%s = %.6g"):format(core.text(s), start[i]:midpoint().lower) end
  end
  local turning = turning_of(problem, start)
  if turning then
    return ("%s, from the guess %s. From it %s gains more than half a turn in the period, and the equations are the same after a turn: give turns = {%s = %d}, "
      .. "if it turns on"):format(cause, table.concat(words, ", "), turning.name, turning.name, turning.times)
  end
  return ("%s, from the guess %s; %s"):format(cause, table.concat(words, ", "), better_guess(problem))
end

-- A start that meets the conditions, nearest to that given; the given one where none is near
local function on_conditions(problem, start)
  local x, inputs, slopes = {}, { symbols.t }, {}
  local states = states_of(problem)
  for i, s in ipairs(states) do x[i], inputs[i + 1] = start[i]:midpoint(), s end
  local values, targets = {}, {}
  for _, item in ipairs(problem.parameters) do
    inputs[#inputs + 1] = item[1]
    values[#values + 1] = exact.ball(item[3] and { item[2], item[3] } or item[2], "parameter", BITS):midpoint()
  end
  local list = {}
  for i, c in ipairs(problem.conditions) do list[i], targets[i] = c.f, exact.ball(c.target, c.name, BITS):midpoint() end
  for _, f in ipairs(list) do slopes[#slopes + 1] = core.gradient(f, states) end
  local outputs = table.move(list, 1, #list, 1, {})
  for _, row in ipairs(slopes) do table.move(row, 1, #row, #outputs + 1, outputs) end
  local program = core.program(inputs, outputs)
  for _ = 1, 30 do
    local at = core.ball_values(program, core.ball("0", 2), table.move(values, 1, #values, #x + 1, table.move(x, 1, #x, 1, {})), BITS)
    local right, flat, moved = {}, {}, 0
    for i = 1, #list do right[i] = core.ball_sum(at[i], targets[i], -1):midpoint().lower end
    for i = #list + 1, #at do flat[#flat + 1] = at[i]:midpoint().lower end
    for i, step in ipairs(core.least_squares(#list, #x, flat, right, 1e-12)) do
      x[i] = core.ball_sum(x[i], core.ball(("%a"):format(step), 64), -1):midpoint()
      moved = math.max(moved, math.abs(step)/(1 + math.abs(x[i].lower)))
    end
    if not (moved < 1e3) then return start end
    if moved < 1e-36 then break end
  end
  x[#x + 1] = start[#start]
  return x
end

-- The motion from the guess slows down without coming back; nil: it does not
local function of_slowing(problem, start)
  local fine, y = protected(on_conditions, problem, start)
  if not fine then return nil end
  local rates, states = orbit.rates(problem, y, LOOKED_AT, BITS)
  if #rates < 3 or not (rates[3] < SLOW*rates[1] and rates[3] < FALLING*rates[2]) then return nil end
  for i = 4, #rates do if not (rates[i] < FALLING*rates[i - 1]) then return nil end end
  local words = {}
  for i, s in ipairs(problem.kin) do words[i] = ("%s = %.6g"):format(core.text(s), states[3][i]:midpoint().lower) end
  return ("the motion from the guess does not come back: after the period %.6g it is almost at rest at %s, where no rate is larger than %.2g, %.2g times that "
    .. "at the start%s. So does a motion that tends to an equilibrium, as on a separatrix, where the period grows without bound, or with "
    .. "damping; give another %s"):format(period_of(problem, { y = y }), table.concat(words, ", "), rates[3], rates[3]/rates[1],
    #rates > 3 and ", and it goes on slowing down" or "",
    has_energy(problem) and "energy and guess" or "guess")
end

-- Of one value of each parameter
local function of_values(problem, found, o, start)
  if found.rate and found.rate < AT_REST then
    return ("Newton's method ends at a state of rest%s, which is closed after any time; give a guess nearer to a motion. S:prove_equilibrium proves states "
      .. "of rest"):format(found.rate > 0 and (", where no rate is larger than %.2g"):format(found.rate) or "")
  end
  if found.rows_fail then return of_rows(problem, found, o) end
  local near = of_slowing(problem, start) or of_vicinity(problem, found, start, o)
  if near then return near end
  if found.astray then return of_astray(problem, found, start) end
  if found.reason ~= "" then return found.reason end
  local parts = not o.radius and o.iterations > 0 and orbit.repeats(problem, found.y) or 1
  local part = parts > 1 and other_period(problem, found, o, 1/parts)
  if part then
    return ("Newton's method goes to the period %.6g, which is %d times that of a closed orbit; give period = %.8g"):format(period_of(problem, found),
      parts, part)
  end
  if found.least >= 1 then return of_singular(problem, found) end
  local image = ("image %.2g exceeds radius %.2g (contraction %.2g)"):format(found.image, found.tried, found.contraction)
  if o.radius then return image .. "; leave the radius out: it is chosen then" end
  if o.iterations == 0 then return image .. "; give iterations, for which Newton's method improves the guess" end
  return ("%s; give a better guess, more bits (%d -> %d) or more iterations"):format(image, o.bits, 2*o.bits)
end

-- A coordinate that has to close though nothing depends on it, as its name; nil: there is none
local function free_coordinate(problem)
  local advances = {}
  for _, i in ipairs(problem.advance) do advances[i] = true end
  for i, q in ipairs(problem.kin) do
    local free = not advances[i] and i ~= orbit.clock(problem)
    for _, word in ipairs(certificate_text.LISTS) do
      for j, e in ipairs(problem[word]) do
        free = free and (word == "k" and j == i or type(e) == "number" or core.diff(e, q):is_zero() == true)
      end
    end
    if free then return core.text(q) end
  end
end

--- The reason, without a place. o: { bits, order, radius, iterations }; start: where Newton's method began
function reasons.text(problem, found, start, o)
  local boxes = certificate_text.boxes(problem)
  if not boxes then
    local free = (found.family or found.reason:find "^singular: the derivatives" or (found.least or 0) >= 1) and free_coordinate(problem)
    local reason = of_values(problem, found, o, start)
    return free and ("%s. Nothing depends on %s, so that it makes such a family: advance = {\"%s\"} leaves it out"):format(reason, free, free) or reason
  end
  local cause = found.reason ~= "" and found.reason:gsub("; give .*$", "") or found.rows_fail and orbit.ROWS_FAIL
    or not (found.contraction < 1) and ("the contraction is %.2g, not below 1"):format(found.contraction)
    or ("image %.2g exceeds radius %.2g (contraction %.2g)"):format(found.image, found.tried, found.contraction)
  if o.radius then return ("for %s: %s; leave the radius out: it is chosen then"):format(boxes, cause) end
  local middle, finer = narrower.problem(problem, math.huge), { bits = 2*o.bits, order = o.order, iterations = o.iterations }
  local one = orbit.prove(middle, start, finer)
  if not one.proved then return ("not even for %s, the middle of the boxes: %s"):format(narrower.values(middle), of_values(middle, one, finer, start)) end
  local times, tried = narrower.times(problem, found.contraction, function(other)
    return orbit.prove(other, start, { bits = o.bits, order = o.order, iterations = o.iterations }).proved
  end)
  return narrower.advice(problem, cause, times, tried)
end

return reasons
