-- orbit_reasons.lua: why a closed orbit was not proved, as far as that was computed, and what to do about it, as far as that was tried.
local core = require "hamel.core"
local orbit = require "hamel.analysis.closed_orbit"
local stability = require "hamel.analysis.proved_stability"

local reasons = {}

local AT_REST = 1e-8                   -- no rate is larger there
-- Derivatives have 64 bits: where these decide, in a box so small, more bits of the motion do not help
local TINY = 1e-20
local OTHER_GUESSES = { 1.03, 0.97, 1.1, 0.9 }  -- of the period, in parts of that given
local LARGE_GROWTH = 1e6               -- of errors in a period, from which on these derivatives have few digits

--- Does a proof with more bits promise more? found: what orbit.prove found
function reasons.bits_help(found)
  if found.rows_fail or not found.rate or found.rate < AT_REST or found.family or found.none then return false end
  return found.reason ~= "" or not (found.tried < TINY and found.least >= 1)
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
  for i, s in ipairs(table.move(problem.dyn, 1, #problem.dyn, #problem.kin + 1, table.move(problem.kin, 1, #problem.kin, 1, {}))) do
    if core.ball_sum(found.finish[i], found.y[i], -1):holds(core.ball("0", 2)) == false then
      return ("%s is %s at the start and %s at the end"):format(core.text(s), stability.number(found.y[i]), stability.number(found.finish[i]))
    end
  end
end

local function of_rows(problem, found, o)
  local difference = apart(problem, found)
  if not difference then
    return "the integrals do not determine the rows left out: their derivatives by these states are not proved regular; choose a section where they are "
      .. "larger"
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

-- What was found near the guess, where Newton's method went astray; nil: nothing that explains it
local function of_vicinity(problem, found, start, o)
  if found.none then
    local what = "no start near the guess leads to a closed motion, to first order, with about this period: after the period the motion misses its start in "
      .. "directions in which changes of the start change nothing"
    -- that of a stroboscope is no guess
    local free = #problem.shift == 0 and not o.radius and o.iterations > 0
    local period = free and period_nearby(problem, start, o)
    if period then return ("%s; from this start a closed orbit with another period is proved: give period = %.8g"):format(what, period) end
    return ("%s, as at a resonance%s"):format(what, free and (", or as where the guess of the period is too far off: periods from %g to %g times as long were "
      .. "tried"):format(math.min(table.unpack(OTHER_GUESSES)), math.max(table.unpack(OTHER_GUESSES))) or "")
  end
  if not found.family then return nil end
  local n = found.dependent
  return ("near the guess are closed motions that meet all conditions, of the period %.6g, and they form a family of %d dimension%s; %s"):format(
    (#problem.mirror > 0 and 2 or 1)*found.near_period, n, n == 1 and "" or "s", #problem.mirror > 0 and "choose one by `keep`, or by the energy or a section"
    or n == 1 and "name what else is constant along each, and differs between them, in `integrals`"
    or ("name %d quantities that are constant along each, and differ between them, in `integrals`"):format(n))
end

-- Of one value of each parameter
local function of_values(problem, found, o, start)
  if found.rate and found.rate < AT_REST then
    return ("Newton's method ends at a state of rest%s, which is closed after any time; give a guess nearer to a motion. S:prove_equilibrium proves states "
      .. "of rest"):format(found.rate > 0 and (", where no rate is larger than %.2g"):format(found.rate) or "")
  end
  if found.rows_fail then return of_rows(problem, found, o) end
  local near = of_vicinity(problem, found, start, o)
  if near then return near end
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

local MOST_NARROWINGS = 12

-- How many times narrower boxes of the parameters are proved about their middles; nil: none that were tried
local function narrowing(problem, start, o, contraction)
  local times = 2
  while times < 1.5*contraction and times < 1e6 do times = 2*times end
  for _ = 1, MOST_NARROWINGS do
    local fine = orbit.prove(orbit.narrowed(problem, times), start, { bits = o.bits, order = o.order, iterations = o.iterations })
    if fine.proved then return times end
    times = 4*times
  end
  return nil, times/4
end

--- The reason, without a place. o: { bits, order, radius, iterations }; start: where Newton's method began
function reasons.text(problem, found, start, o)
  local boxes = orbit.boxes(problem)
  if not boxes then return of_values(problem, found, o, start) end
  local cause = found.reason ~= "" and found.reason:gsub("; give .*$", "") or found.rows_fail and "the integrals do not determine the rows left out"
    or not (found.contraction < 1) and ("the contraction is %.2g, not below 1"):format(found.contraction)
    or ("image %.2g exceeds radius %.2g (contraction %.2g)"):format(found.image, found.tried, found.contraction)
  if o.radius then return ("for %s: %s; leave the radius out: it is chosen then"):format(boxes, cause) end
  local middle, finer = orbit.narrowed(problem, math.huge), { bits = 2*o.bits, order = o.order, iterations = o.iterations }
  local one = orbit.prove(middle, start, finer)
  if not one.proved then return ("not even for %s, the middle of the boxes: %s"):format(orbit.values(middle), of_values(middle, one, finer, start)) end
  local times, tried = narrowing(problem, start, o, found.contraction)
  if times then
    return ("for %s: %s; boxes %d times smaller are proved about their middle: several that touch prove the whole"):format(boxes, cause, times)
  end
  return ("for %s: %s; it is proved for %s, the middle, but for no box about it down to one %.2g times smaller"):format(boxes, cause,
    orbit.values(middle), tried)
end

return reasons
