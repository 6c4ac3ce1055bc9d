-- chart/exponents.lua: Lyapunov exponents of each motion of a grid: in lanes where these carry directions, else one motion after the other.
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local ending = require "hamel.chart.ending"
local growth = require "hamel.chart.growth"
local idle = require "hamel.analysis.idle"
local jobs = require "hamel.analysis.sweep.jobs"
local keeping = require "hamel.chart.keeping"
local Lyapunov = require "hamel.analysis.lyapunov"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local points = require "hamel.chart.points"
local protected = require "hamel.base.protected"
local shards = require "hamel.analysis.shards"
local sweep_rows = require "hamel.analysis.sweep.rows"
local tangent = require "hamel.analysis.tangent"
local timed = require "hamel.chart.timed"
local turns = require "hamel.chart.turns"
local volumes = require "hamel.chart.volumes"

local fail = object.fail
local exponents = {}

local PORTION = 16                      -- runs one after the other between two looks at an interrupt
local LITTLE = 2                        -- growth, in powers of e, that is no evidence of an exponent
local SURE, FAINT = 3, 1e-2             -- times the change of the sum over the second half; of volumes: growth, in powers of e, that may be errors
local MUCH = 1                          -- growth of volumes, in powers of e, of a motion of which it is not known whether it goes on growing
local SAME = 1e-6                       -- of the sum: a rate that changes by less is constant
local HUGE, SHORTER = 1e30, 0.9         -- a state that has left all bounds; of the time after which a run has ended: what still is well within it
local ERRORS = 10                       -- times rtol, for each step: growth, in powers of e, that may be errors
local FEWEST_STEPS = 100                -- what steps of a run count as at least
local names_of = { "rtol", "atol", "method", "step", "max_step", "first_step", "max_steps", "project", "form" }

-- The growth, in powers of e, that a regular motion may leave: directions grow as its time there, counted in steps, which are as long as what it does asks
-- for, so that the units of time do not matter. Where a direction grows as the square of the time it is twice that
local function regular_growth(row) return 2*math.log(math.max(row.steps or 0, FEWEST_STEPS)) end

-- The growth up to which a motion counts as regular where the rate still changes: regular motions shear, so that directions grow as the time does. On tori
-- they make less than a tenth of it; what makes more may be weak chaos, which keeps near to a torus for a while
local function sheared_growth(row) return math.log(math.max(row.steps or 0, FEWEST_STEPS)) end

-- Does an exponent count as zero? span: { counted = the time over which directions grew, rtol = of the run }. Errors of steps, too, make directions grow: by
-- about rtol in each, which counts in long and loose runs only. No rate is small by itself: that depends on the units of time
local function is_near(row, e, span)
  return math.abs(e) < 3*row.settled or math.abs(e)*span.counted < math.max(LITTLE, ERRORS*span.rtol*(row.steps or 0))
end

-- The signs of the exponents of a row, how many are positive and zero, and whether some are not told. Growth by a power of the time changes little over the
-- second half where `skip` is a large part of it: t grows by t_end/skip, so that a factor below e^2 over the whole time says nothing. "?": it still changes,
-- and is more than shear leaves, or it is positive and no more than a regular motion leaves, or negative where volumes of states stay and no direction makes up
local function signs_of(row, span)
  local counted = span.counted
  local signs, plus, zero, open = {}, 0, 0, false
  local regular, sheared = regular_growth(row), sheared_growth(row)
  -- directions of a regular motion swing: between two times their growth may by chance be that of a constant rate
  local sure = row.course == "grows" or row.course == "rests" or row.course == "stops"
  for k, e in ipairs(row.exponents) do
    local made = math.abs(e)*counted
    local more = made > regular
    if is_near(row, e, span) then signs[k] = made > (plus > 0 and regular or sheared) and "?" or "0"
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

-- "exponent1", ...
local names = setmetatable({}, { __index = function(list, k)
  list[k] = "exponent" .. k
  return list[k]
end })

local function fill(row, list, settled, whole)
  local sum = 0
  for k = 1, #list do
    row[names[k]] = list[k]
    sum = sum + list[k]
  end
  row.exponents, row.sum, row.settled = list, sum, settled
  row.dimension = whole and Lyapunov.dimension(list) or nil
end

-- From the growth of directions in lanes; false: there is none. rate: at which volumes grow, where the last direction was left out
local function from_growth(row, n, whole, rate)
  local lengths = row.growth
  row.growth = nil
  if not lengths then return false end
  local list, changes, settled, change, carried = {}, {}, 0, 0, #lengths//2
  if carried < n and not rate then return false end
  local rest, rest_before = rate, rate
  for k = 1, n do
    local e, before = lengths[k], lengths[carried + k]
    if k > carried then e, before = rest, rest_before end
    if e ~= e or before ~= before then return false end
    if rate then rest, rest_before = rest - e, rest_before - before end
    -- the largest first: there are few
    local place = k
    while place > 1 and list[place - 1] < e do
      list[place], changes[place] = list[place - 1], changes[place - 1]
      place = place - 1
    end
    list[place], changes[place] = e, math.abs(e - before)
    settled, change = math.max(settled, math.abs(e - before)), change + e - before
  end
  fill(row, list, settled, whole)
  row.change, row.changes = math.abs(change), changes
  return true
end

-- The first directions for the lanes: over the kept states, none special; marks of the other states; places of the kept ones
local function directions_of(E, n)
  local ignorable, size = tangent.ignorable_coordinates(E), #E.kin + #E.dyn
  local kept = tangent.kept(E, ignorable)
  if #E.positions + #E.velocities > 0 then return nil, nil, kept end
  n = math.min(n or #kept, #kept)
  local flat, ignored = {}, {}
  for k, d in ipairs(Lyapunov.first_directions(tangent.unit_vectors(#kept), n, #kept)) do
    for i = 1, size do flat[(k - 1)*size + i] = 0.0 end
    for i, place in ipairs(kept) do flat[(k - 1)*size + place] = d[i] end
  end
  for i = 1, size do ignored[i] = true end
  for _, place in ipairs(kept) do ignored[place] = false end
  return flat, ignored, kept
end

-- Weights of the states in lengths of directions, for each run: a time of its motion for velocities. nil: all are 1
local function weights_of(E, kept, t0, at_starts)
  local list, any = {}, false
  at_starts(function(w, x)
    local time = Lyapunov.time_of(w, kept, t0, x)
    any = any or time ~= nil
    for i = 1, #E.kin + #E.dyn do list[#list + 1] = i > #E.kin and time or 1.0 end
  end)
  return any and list or nil
end

-- The exponents and how settled they are, with the last one, which volumes tell, where it was left out. rate: at which these grow
local function with_last(L, rate)
  local list, settled = L.exponents, Lyapunov.settled(L)
  if not rate then return list, settled, L.dimension end
  local half, last, change = L.history[math.max(1, #L.history//2)], rate, 0
  list = table.move(list, 1, #list, 1, {})
  for k, e in ipairs(list) do last, change = last - e, change + half[k] - e end
  list[#list + 1] = last
  table.sort(list, function(a, b) return a > b end)
  return list, math.max(settled, math.abs(change)), true
end

-- By how much the second half of the time changed the sum of the exponents; nil: it is not known, as where one is minus infinity
local function change_of_sum(L, rate)
  local half, change = L.history[math.max(1, #L.history//2)], 0
  for k, e in ipairs(L.exponents) do change = change + half[k] - e end
  return rate and 0 or change - change == 0 and math.abs(change) or nil
end

-- One motion by itself; false: interrupted. n: exponents that are carried; rate: at which volumes grow, where they tell one more
local function alone(system, o, row, q, v, parameters, t0, t1, form, n, rate)
  local given = { q = q, v = v, t = { t0, t1 }, skip = o.skip, n = n, parameters = parameters }
  for _, name in ipairs(names_of) do given[name] = o[name] end
  given.form = form or o.form
  local fine, L = protected(system.lyapunov, system, given)
  if core.host.interrupted() then return false end
  jobs.rethrow_interrupt(fine, L)
  if not fine then
    row.status, row.reason = "NO_EXPONENTS", sweep_rows.without_place(L)
  else
    fill(row, with_last(L, rate))
    row.change = change_of_sum(L, rate)
    row.status, row.reason, row.t = "OK", nil, t1
    row.open, row.counted = L.open > 0 or nil, L.began > t0 + o.skip and t1 - L.began or nil
    if contact.any(system) and L.exponents[1] > 0 then row.swings = L._path:looks() end
  end
  return true
end

-- Is the time of some of these motions so far from its unit that S:lyapunov weighs velocities?
local function is_weighed(system, o, samples, t0)
  for _, job in ipairs(samples) do
    local given = { q = job.q, v = job.v, t = { t0, t0 + 1 }, parameters = job.parameters, form = o.form, rtol = o.rtol, atol = o.atol }
    if Lyapunov.is_weighed(system, given, t0) then return true end
  end
  return false
end

local function check(system, o)
  methods.demand_directions("chart", o.method, o.step)
  local force = system:external_forces()[1]
  if force then
    fail("chart: directions need formulas; the force on %s is a Lua function", core.text(force.coordinate))
  end
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

local ALWAYS = { "exponents", "sum", "dimension", "settled" }

-- Names of the columns
local function columns_of(count)
  local list = table.move(ALWAYS, 1, #ALWAYS, 1, {})
  for k = 1, count do list[#list + 1] = names[k] end
  return list
end

--- samples(): some motions of the chart, see jobs.samples
function exponents.chart(system, o, settings, t0, t1, columns, samples)
  check(system, o)
  o.skip = Lyapunov.skipped("chart", o, t1 - t0)
  local chosen = not o.form
  o.form = o.form or system:default_form()
  settings.form = o.form
  local looked = points.at_times(system, settings, growth.times(t0, t1), columns, true)
  local states, list, left = points.states(system)
  local pairs_of = growth.pairs_of(states)
  local about = { system = system, o = o, names = states, list = list, t0 = t0, t1 = t1 }
  local E = system:equations(o.form, { dependent = o.dependent, mapping = o.mapping, reactions = o.reactions })
  local V = volumes.of(system)
  local first, ignored, places = directions_of(E, o.n)
  local kept, weighed = #places, first and is_weighed(system, o, samples(), t0)
  -- volumes tell the last exponent: a direction that damping shrinks fast takes a step for each part of its own time
  local function rate_of_volumes(row)
    local anywhere = { t = t0 }
    for i = 1, #states do anywhere[i] = 0.0 end
    return volumes.constant_rate(V, anywhere, points.parameters_of(system, o, row or {}))
  end
  local touching = contact.any(system)
  local told = first and not touching and kept > 1 and (o.n or kept) == kept and E.form == "lagrange" and not methods.is_fixed(o.method) and V and V.constant
    and (V.kept or V.uniform)
  if told then first = directions_of(E, kept - 1) end
  if touching then first = nil end
  if o.n and o.n > kept and not touching then fail("chart: n = %d, but the motion has %d independent directions", o.n, kept) end
  local count, job_of = math.min(o.n or kept, kept), nil
  if first then
    function columns.carried(_, at_starts)
      return { first = first, ignored = ignored, skip = o.skip + 0.0, weights = weighed and weights_of(E, places, t0, at_starts) or nil }
    end
  else
    columns.portion, columns.alone = PORTION, "the directions are not carried in lanes"
  end
  -- steps of one size are judged as S:lyapunov judges them: no run follows a chaotic motion to its end
  local function excuse(row)
    if row.status == "INACCURATE" and methods.is_fixed(o.method) then row.status, row.reason = "OK", nil end
  end
  local function start_of(row)
    job_of = job_of or jobs.of(system, jobs.by_name(system, settings), {})
    local q, v, parameters, _, late = job_of(row.index)
    return { q = q, v = late and late() or v, parameters = parameters }
  end
  -- what to do about a motion that grows beyond what numbers hold: its exponents are known before
  local function advise(row, looks)
    if row.status ~= "NOT_FINITE" or not row.t or #looks.flat == 0 then return end
    local most = 0
    for k = #looks.flat - looks.size + 1, #looks.flat do most = math.max(most, math.abs(looks.flat[k])) end
    if most < HUGE then return end
    local t = t0 + SHORTER*(row.t - t0)
    row.reason = ("%s: the motion grows beyond what numbers hold; take t = %.4g or less%s, or escape = ..., an expression that becomes positive where it has "
      .. "left, to end its run"):format(row.reason, t, t - t0 <= o.skip and " and a smaller skip" or "")
  end
  -- form: in which the run was made once more; nil: in the usual one. false: interrupted
  local function finished(row, form)
    excuse(row)
    local rate = told and rate_of_volumes(row) or nil
    if not shards.ended(row) or from_growth(row, count, count == kept, rate) or row.status == "EVENT" then return true end
    if core.host.interrupted() then return false end
    local start = start_of(row)
    return alone(system, o, row, start.q, start.v, start.parameters, t0, t1, form or touching and "lagrange" or nil, rate and kept - 1 or o.n, rate)
  end
  -- the time over which directions grew, see signs_of
  local function span_of(row) return { counted = row.counted or t1 - t0 - o.skip, rtol = o.rtol or 0 } end
  about.timed = timed.of(system, E)
  local depends, falls = about.timed, ending.falling(system, list, o.rtol)
  local moved = touching and contacts_are_timed(system)
  local T
  -- a whole turn of the first state, where it is an angle
  local function turn_of(parameters)
    T = T or turns.of(system, states)
    local whole = T.at(parameters)
    return whole and whole.angles[1] or 0
  end
  -- Are volumes of states kept, as those of many nonholonomic systems are? Then a motion comes to no other one, and directions grow by shear alone
  local function is_kept(row, looks, parameters)
    row.late = points.listed(points.part(looks, #looks.times//2 + 1, #looks.times))
    local kept_there = keeping.by_measure(row, about, parameters) or keeping.by_mean(row, o, about, parameters)
    row.late, row.kept = nil, nil
    return kept_there
  end
  -- what a motion does at the end, where its name depends on it; nil: it does not
  local function ending_of(row, span, looks, parameters, form)
    if not shards.ended(row) or row.status == "EVENT" then return nil end
    local course = row.course
    if course == "rests" or course == "stops" then return ending.goes_on(looks, left.places, o.atol) and "steady" or "rest" end
    if course and course ~= "kept" or V and V.kept then return nil end
    local seen = ending.seen(looks, t0, t1, o.atol)
    if seen == "rest" then return ending.goes_on(looks, left.places, o.atol) and "steady" or "rest" end
    local signs, plus, zero, open = signs_of(row, span)
    local driven = moved or depends(parameters)
    if zero > 0 and not driven and falls(looks, parameters) then return "settles" end
    if plus > 0 or open or course and driven then return nil end
    if row.open then return "settles" end
    -- exponents that were not asked for may be zero, too
    if zero <= (driven and 0 or 1) and (row.dimension or signs[#signs] == "-") and not (zero > 0 and seen) then return seen end
    local mean = V and V.uniform and volumes.mean(V, { points.listed(looks)[1] }, parameters)
    -- volumes shrink, though no direction is seen to
    if mean and mean < 0 and signs[#signs] == "0" and row.dimension then return "settles" end
    local found, pace = ending.of(about, row, looks, start_of(row), parameters, form)
    -- numbers say that volumes are kept: nothing settles. What is not known may be a cycle where
    -- constraints make whole families of these, as of a disc that rolls on a circle
    if course == "kept" then return (found == "returns" or found == "unknown" and not V) and found or nil end
    -- of two states with a drive the curve of a torus would bound an area that stays, unless it winds round an angle
    if found == "neither" and mean and mean < 0 and #states == 2 and kept == 2 and not is_winding(looks, turn_of(parameters)) then return "settles" end
    -- a slow beat looks as if it settled
    if found == "settles" and not V and is_kept(row, looks, parameters) then return "neither" end
    if found ~= "neither" then return found end
    local nearly = not seen and not is_doubtful(row, signs, span) and ending.is_of_several_frequencies(about, row, looks, parameters, form, pace)
    return (nearly or is_kept(row, looks, parameters)) and found or "settles"
  end
  local periodic
  local function periodic_of(parameters)
    periodic = periodic or timed.periodic(system, E, touching and idle.expressions_in{ system.gaps, system.frictions } or {})
    return periodic(parameters)
  end
  -- Is the row complete? An interrupt may also raise
  local function completed(row, again)
    -- a form that we chose may be singular where lagrange's is not; what a motion does is read off the run in that one, too
    local form = row.status == "SINGULAR" and chosen and o.form ~= "lagrange" and "lagrange" or nil
    if form then again(row, form) end
    looked(row)
    local looks = row.points
    row.points = nil
    advise(row, looks)
    local complete = finished(row, form)
    if row.exponents then
      local parameters = points.parameters_of(system, o, row)
      local span = span_of(row)
      local volume, steady = volumes_of(row, span.counted, V, looks, parameters)
      row.course = course_of(row, span, looks, volume, steady, pairs_of, t0, t1, touching)
      -- a drive without a period may grow for ever
      if not row.course and (moved or depends(parameters)) and not periodic_of(parameters) and growth.widens(looks, pairs_of, t0, t1) then
        row.course = "wider"
      end
      row.ending = ending_of(row, span, looks, parameters, form)
    end
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
  return columns_of(count), { shown = table.move(ALWAYS, 2, #ALWAYS, 1, {}), names = function(rows) return columns_of(most_directions(rows, count)) end,
                  regime = function(row)
                    local parameters = points.parameters_of(system, o, row)
                    local driven = depends(parameters)
                    return regime(row, span_of(row), not touching and not driven, moved or driven, function() return periodic_of(parameters) end)
                  end,
                  note = "an exponent counts as 0 where it is below three times its change over the second half, or where it makes less than a factor e^2 in "
                         .. "the whole time; ? where a regular motion could make as much: take a longer t. Undecided without ?: a swing "
                         .. "or volumes of states grow, which may go on, or be part of a beat, or the motion still settles, or turns too few times "
                         .. "to tell: take a longer t, too. Each integral of a "
                         .. "conservative motion adds a 0, so that its cycles are \"torus\", too: (0 0) is one degree of freedom" }
end

return exponents

