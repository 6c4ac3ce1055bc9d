-- chart/exponents.lua: what each motion of a grid does, named by the signs of its Lyapunov exponents (exponent_runs.lua) and by what is seen of it.
local core = require "hamel.core"
local ending = require "hamel.chart.ending"
local growth = require "hamel.chart.growth"
local idle = require "hamel.analysis.idle"
local keeping = require "hamel.chart.keeping"
local Lyapunov = require "hamel.analysis.lyapunov"
local points = require "hamel.chart.points"
local protected = require "hamel.base.protected"
local Runs = require "hamel.chart.exponent_runs"
local shards = require "hamel.analysis.shards"
local tangent = require "hamel.analysis.tangent"
local timed = require "hamel.chart.timed"
local turns = require "hamel.chart.turns"
local volumes = require "hamel.chart.volumes"

local exponents = {}

local LITTLE = 2                        -- growth, in powers of e, that is no evidence of an exponent
local SURE, FAINT = 3, 1e-2             -- times the change of the sum over the second half; of volumes: growth, in powers of e, that may be errors
local MUCH = 1                          -- growth of volumes, in powers of e, of a motion of which it is not known whether it goes on growing
local SAME = 1e-6                       -- of the sum: a rate that changes by less is constant
local ERRORS = 10                       -- times rtol, for each step: growth, in powers of e, that may be errors
local SWINGS = 2.5                      -- growth, in powers of e, by which directions of regular motions swing: less in 998 of 1000 near separatrices
local FEWEST_STEPS = 100                -- what steps of a run count as at least

-- The growth, in powers of e, that a regular motion may leave: directions grow as its time there, counted in steps, which are as long as what it does asks
-- for, so that the units of time do not matter. Where a direction grows as the square of the time it is twice that
local function regular_growth(row) return 2*math.log(math.max(row.steps or 0, FEWEST_STEPS)) end

-- The growth up to which a motion counts as regular where the rate still changes: regular motions shear, so that directions grow as the time does. On tori
-- they make less than a tenth of it; what makes more may be weak chaos, which keeps near to a torus for a while. Directions that have sheared for the time
-- before counting begins grow by no more than the whole time over that, and swing
local function sheared_growth(row, span, e)
  local by_steps = math.log(math.max(row.steps or 0, FEWEST_STEPS))
  return e > 0 and span.stretch and math.min(by_steps, math.log(span.stretch) + SWINGS) or by_steps
end

-- Does an exponent count as zero? span: { counted = the time over which directions grew, stretch = the whole time over that before, or nil, rtol = of the
-- run }. Errors of steps, too, make directions grow: by about rtol in each, which counts in long and loose runs only. No rate is small by itself: that
-- depends on the units of time
local function is_near(row, e, span)
  return math.abs(e) < 3*row.settled or math.abs(e)*span.counted < math.max(LITTLE, ERRORS*span.rtol*(row.steps or 0))
end

-- The signs of the exponents of a row, how many are positive and zero, and whether some are not told. Growth by a power of the time changes little over the
-- second half where `skip` is a large part of it: t grows by t_end/skip, so that a factor below e^2 over the whole time says nothing. "?": it still changes,
-- and is more than shear leaves, or it is positive and no more than a regular motion leaves, or negative where volumes of states stay and no direction makes up
local function signs_of(row, span)
  local counted = span.counted
  local signs, plus, zero, open = {}, 0, 0, false
  local regular = regular_growth(row)
  -- directions of a regular motion swing: between two times their growth may by chance be that of a constant rate
  local sure = row.course == "grows" or row.course == "rests" or row.course == "stops"
  for k, e in ipairs(row.exponents) do
    local made = math.abs(e)*counted
    local more = made > regular
    if is_near(row, e, span) then signs[k] = made > (plus > 0 and regular or sheared_growth(row, span, e)) and "?" or "0"
    elseif e > 0 then signs[k] = (sure or more) and "+" or "?"
    else signs[k] = (row.course ~= "kept" or plus > 0) and "-" or "?" end
    if signs[k] == "+" then plus = plus + 1 elseif signs[k] == "0" then zero = zero + 1 elseif signs[k] == "?" then open = true end
  end
  return signs, plus, zero, open
end

-- The name of a motion at rest, where only ignorable coordinates may go on
local RESTS = { rest = "rest", steady = "steady motion" }

-- The name of a bounded motion without growth that does not rest. free: does nothing depend on the time? Then one exponent, that along it, is zero. driven:
-- does anything? Then the time is no state, a cycle has the period of the drive, or a multiple of it, and no exponent that is zero, and one such exponent
-- tells of a second frequency. periodic: has the drive a period? A zero tells of a direction only, which a family of cycles may have: that the motion does
-- not return was seen
local function regular(row, signs, zero, free, driven, periodic)
  if driven and not periodic then return "driven" end
  if row.ending == "returns" then return driven and "driven cycle" or "cycle" end
  -- exponents that were not asked for may be zero, too
  if zero > (driven and 0 or 1) or not row.dimension and signs[#signs] == "0" then return "torus" end
  if zero == 1 then return "cycle" end
  return driven and row.ending ~= "wanes" and "driven cycle" or free and "rest" or "rest or driven cycle"
end

-- Does an exponent count as zero though directions have grown or shrunk by as much as tells of an exponent? On a torus they change little for ever. Where
-- others shrink nothing shears, so that the growth of both halves of the time differs little, too: along a chaotic transient only their sum may be small
local function is_doubtful(row, signs, span)
  local counted = span.counted
  for k, e in ipairs(row.exponents) do
    if math.abs(e)*counted > LITTLE and is_near(row, e, span) then return true end
    if signs[k] == "0" and signs[#signs] == "-" and row.changes and row.changes[k]*counted > LITTLE then return true end
  end
  return false
end

-- Does the angle, if the first of the states is one, go on over the last half of the time? turn: a whole turn of it; 0: it is none
local function is_winding(looks, turn)
  local low, high = math.huge, -math.huge
  for k = #looks.times//2, #looks.times do
    local value = looks.flat[(k - 1)*looks.size + 1]
    low, high = math.min(low, value), math.max(high, value)
  end
  return turn > 0 and high - low >= turn
end

-- Signs of the exponents, as "chaos (+ 0 -)". A motion that grows is not bounded, and one that rests does nothing irregular: + is no chaos there. Where a
-- swing grows that may be part of a beat nothing is told, nor where a motion still settles
local function regime(row, span, free, driven, periodic)
  if not row.exponents then return nil end
  local signs, plus, zero, open = signs_of(row, span)
  local course, ends = row.course, row.ending
  local word
  if (course == "stops" or course == "rests") and plus > 0 then word = "unstable rest"
  elseif course == "stops" or course == "rests" then word = RESTS[ends] or "rest"
  elseif course == "grows" then word = "growing"
  elseif RESTS[ends] then word = plus == 0 and RESTS[ends] or "undecided"
  elseif open or course == "wider" or ends == "settles" or free and plus > 0 and zero == 0 and row.dimension then word = "undecided"
  elseif plus > 0 then word = plus > 1 and "hyperchaos" or "chaos"
  elseif ends == "unknown" then word = "undecided"
  else word = regular(row, signs, zero, free, driven, periodic and periodic()) end
  return ("%s (%s)"):format(word, table.concat(signs, " "))
end

-- What volumes of states do: they surely "grow", or "stay", or they "may grow"; nil: they shrink. Second result: do they grow at one rate, and so for ever?
-- V: see volumes.of; in coordinates and momenta it tells more than the sum of the exponents, which is of velocities
local function volumes_of(row, counted, V, looks, parameters)
  if V and V.kept then return "stay" end
  if V and V.uniform then
    local anywhere = points.of_flat(looks, 1)
    anywhere.t = looks.times[1]
    local mean = volumes.mean(V, { anywhere }, parameters)
    if mean then return mean == 0 and "stay" or mean > 0 and "grow" or nil, mean > 0 end
  end
  if not row.dimension then return "may grow" end
  local change, sum = row.change or #row.exponents*row.settled, row.sum
  if sum < -SURE*change then return nil end
  if (math.abs(sum) + change)*counted < FAINT then return "stay" end
  -- where the rate depends on states, as of what excites itself, it is another one where the motion goes
  local grow = sum > SURE*change and sum*counted > FAINT and V and V.anywhere and volumes.grow_for_ever(V, points.listed(looks), parameters)
  return grow and "grow" or "may grow", grow and change < SAME*sum
end

-- Does a motion along which volumes grow leave any bounds? Then they grow by much, and so do directions
local function is_left(row, span)
  local counted = span.counted
  for _, e in ipairs(row.exponents) do
    if e > 0 and not is_near(row, e, span) then return row.sum*counted > math.max(LITTLE, 3*#row.exponents*row.settled*counted) end
  end
  return false
end

-- Places of n coordinates and, behind them, of their velocities
local function all_pairs(n)
  local list = {}
  for i = 1, n do list[i] = { i, n + i } end
  return list
end

-- What a motion does: it "rests", or contacts or friction have stopped it ("stops"), it "grows", it swings "wider", or volumes grow, which may be part of a
-- beat, or volumes are "kept"; nil: none of these. A factor beyond what directions of a regular motion grow by is no beat
local function course_of(row, span, looks, volume, steady, pairs_of, t0, t1, touching)
  if touching and growth.stops(looks) then return "stops" end
  if growth.rests(looks) then return "rests" end
  if steady or volume == "grow" and is_left(row, span) then return "grows" end
  local wider, factor = growth.grows(looks, pairs_of, t0, t1, volume)
  if wider then return (volume == "grow" or math.log(factor) > regular_growth(row)) and "grows" or "wider" end
  -- where directions separate it is no beat; a flight may be longer than the time between two looks, and impacts are its fastest states
  if row.swings and growth.grows(row.swings, all_pairs(row.swings.size//2), t0, t1) then return "wider" end
  if (volume == "grow" or volume == "may grow") and row.dimension and row.sum*span.counted > MUCH then return "wider" end
  return volume == "stay" and "kept" or nil
end

-- Does what touches, or rubs, depend on the time? A wall may be called "t"
local function contacts_are_timed(system)
  if idle.names_in{ system.gaps, system.frictions }.all then return true end
  return #tangent.timed(idle.expressions_in{ system.gaps, system.frictions }) > 0
end

-- Contacts depend on coordinates that free motion may not contain: with them the number of directions is that of the courses
local function most_directions(rows, formal)
  local most = 0
  for _, row in ipairs(rows) do most = math.max(most, row.exponents and #row.exponents or 0) end
  return most > 0 and most or formal
end

-- What the functions below know of all motions of a chart
local function study_of(system, o, settings, t0, t1, columns, samples)
  local states, list, left = points.states(system)
  local E = system:equations(o.form, { dependent = o.dependent, mapping = o.mapping, reactions = o.reactions })
  local about = { system = system, o = o, names = states, list = list, t0 = t0, t1 = t1 }
  local V = volumes.of(system)
  local runs = Runs.of(system, o, settings, t0, t1, columns, samples, { names = states, E = E, V = V })
  about.timed = timed.of(system, E)
  return { system = system, o = o, t0 = t0, t1 = t1, about = about, states = states, left = left, pairs_of = growth.pairs_of(states), E = E, V = V, runs = runs,
           depends = about.timed, falls = ending.falling(system, list, o.rtol), moved = runs.touching and contacts_are_timed(system) }
end

-- The time over which directions grew, see signs_of. New directions that a contact gives back have not sheared before
local function span_of(study, row)
  local whole, skip = study.t1 - study.t0, study.o.skip
  return { counted = row.counted or whole - skip, stretch = not study.runs.touching and skip > 0 and whole/skip or nil, rtol = study.o.rtol or 0 }
end

-- A whole turn of the first state, where it is an angle; else 0
local function turn_of(study, parameters)
  study.turns = study.turns or turns.of(study.system, study.states)
  local whole = study.turns.at(parameters)
  return whole and whole.angles[1] or 0
end

-- Has the drive a period?
local function periodic_of(study, parameters)
  local system = study.system
  study.periodic = study.periodic or timed.periodic(system, study.E, study.runs.touching and idle.expressions_in{ system.gaps, system.frictions } or {})
  return study.periodic(parameters)
end

-- Are volumes of states kept, as those of many nonholonomic systems are? Then a motion comes to no other one, and directions grow by shear alone
local function is_kept(study, row, looks, parameters)
  row.late = points.listed(points.part(looks, #looks.times//2 + 1, #looks.times))
  local kept = keeping.by_measure(row, study.about, parameters) or keeping.by_mean(row, study.o, study.about, parameters)
  row.late, row.kept = nil, nil
  return kept
end

-- What a motion comes to that has to be followed for it. known: { signs = of its exponents, seen = see ending.seen, mean = the rate at which volumes grow, or
-- nil }
local function followed_ending(study, row, span, looks, parameters, form, known)
  local V, about, course, mean = study.V, study.about, row.course, known.mean
  local found, pace = ending.of(about, row, looks, study.runs:start_of(row), parameters, form)
  -- numbers say that volumes are kept: nothing settles. What is not known may be a cycle where
  -- constraints make whole families of these, as of a disc that rolls on a circle
  if course == "kept" then return (found == "returns" or found == "unknown" and not V) and found or nil end
  -- of two states with a drive the curve of a torus would bound an area that stays, unless it winds round an angle
  local shrinks = found == "neither" and mean and mean < 0 and #study.states == 2 and study.runs.kept == 2
  if shrinks and not is_winding(looks, turn_of(study, parameters)) then return "settles" end
  -- a slow beat looks as if it settled
  if found == "settles" and not V and is_kept(study, row, looks, parameters) then return "neither" end
  if found ~= "neither" then return found end
  local nearly = not known.seen and not is_doubtful(row, known.signs, span)
    and ending.is_of_several_frequencies(about, row, looks, parameters, form, pace)
  return (nearly or is_kept(study, row, looks, parameters)) and found or "settles"
end

-- What a motion does at the end, where its name depends on it; nil: it does not
local function ending_of(study, row, span, looks, parameters, form)
  if not shards.ended(row) or row.status == "EVENT" then return nil end
  local V, o, course = study.V, study.o, row.course
  local function at_rest() return ending.goes_on(looks, study.left.places, o.atol) and "steady" or "rest" end
  if course == "rests" or course == "stops" then return at_rest() end
  if course and course ~= "kept" or V and V.kept then return nil end
  local seen = ending.seen(looks, study.t0, study.t1, o.atol)
  if seen == "rest" then return at_rest() end
  local signs, plus, zero, open = signs_of(row, span)
  local driven = study.moved or study.depends(parameters)
  if zero > 0 and not driven and study.falls(looks, parameters) then return "settles" end
  if plus > 0 or open or course and driven then return nil end
  if row.open then return "settles" end
  -- exponents that were not asked for may be zero, too
  if zero <= (driven and 0 or 1) and (row.dimension or signs[#signs] == "-") and not (zero > 0 and seen) then return seen end
  local mean = V and V.uniform and volumes.mean(V, { points.listed(looks)[1] }, parameters)
  -- volumes shrink, though no direction is seen to
  if mean and mean < 0 and signs[#signs] == "0" and row.dimension then return "settles" end
  return followed_ending(study, row, span, looks, parameters, form, { signs = signs, seen = seen, mean = mean })
end

-- Puts into a row that has exponents what the motion does
local function judge(study, row, looks, form)
  local parameters, span = points.parameters_of(study.system, study.o, row), span_of(study, row)
  local volume, steady = volumes_of(row, span.counted, study.V, looks, parameters)
  row.course = course_of(row, span, looks, volume, steady, study.pairs_of, study.t0, study.t1, study.runs.touching)
  -- a drive without a period may grow for ever
  if not row.course and (study.moved or study.depends(parameters)) and not periodic_of(study, parameters)
    and growth.widens(looks, study.pairs_of, study.t0, study.t1) then row.course = "wider" end
  row.ending = ending_of(study, row, span, looks, parameters, form)
end

local NOTE = "an exponent counts as 0 where it is below three times its change over the second half, or where it makes less than a factor e^2 in "
  .. "the whole time; ? where a regular motion could make as much: take a longer t. Undecided without ?: a swing "
  .. "or volumes of states grow, which may go on, or be part of a beat, or the motion still settles, or turns too few times "
  .. "to tell: take a longer t, too. Each integral of a "
  .. "conservative motion adds a 0, so that its cycles are \"torus\", too: (0 0) is one degree of freedom"

--- samples(): some motions of the chart, see jobs.samples
function exponents.chart(system, o, settings, t0, t1, columns, samples)
  Runs.demand_formulas(system, o)
  o.skip = Lyapunov.skipped("chart", o, t1 - t0)
  local chosen = not o.form
  o.form = o.form or system:default_form()
  settings.form = o.form
  local looked = points.at_times(system, settings, growth.times(t0, t1), columns, true)
  local study = study_of(system, o, settings, t0, t1, columns, samples)
  -- Is the row complete? An interrupt may also raise
  local function completed(row, again)
    -- a form that we chose may be singular where lagrange's is not; what a motion does is read off the run in that one, too
    local form = row.status == "SINGULAR" and chosen and o.form ~= "lagrange" and "lagrange" or nil
    if form then again(row, form) end
    looked(row)
    local looks = row.points
    row.points = nil
    study.runs:advise(row, looks)
    local complete = study.runs:finish(row, form)
    if row.exponents then judge(study, row, looks, form) end
    row.growth, row.change, row.changes, row.open, row.swings = nil, nil, nil, nil, nil
    return complete
  end
  function columns.finish(rows, again)
    local done, begun = {}, not core.host.interrupted()
    for _, row in ipairs(rows) do
      local fine, complete = protected(completed, row, again)
      -- the row in hand is lost, those before it are not
      if begun and core.host.interrupted() then break end
      if not fine then error(complete, 0) end
      if complete then done[#done + 1] = row end
    end
    return done
  end
  local function regime_of(row)
    local parameters = points.parameters_of(system, o, row)
    local driven = study.depends(parameters)
    return regime(row, span_of(study, row), not study.runs.touching and not driven, study.moved or driven, function() return periodic_of(study, parameters) end)
  end
  local count = study.runs.count
  return Runs.columns(count), { shown = Runs.shown(), names = function(rows) return Runs.columns(most_directions(rows, count)) end, regime = regime_of,
                                note = NOTE }
end

return exponents

