-- shooting.lua: a closed motion near a guess by Newton's method: the start and, where it is free, the period vary until the end of a run is its start.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local failure = require "hamel.base.failure"
local moduli = require "hamel.analysis.moduli"
local motion_units = require "hamel.analysis.motion_units"
local signs = require "hamel.analysis.signs"
local tangent = require "hamel.analysis.tangent"

local shooting = {}

--- Absolute tolerance of runs, of the size of the smallest state, where none is given.
shooting.ATOL = 1e-11

--- The smallest tolerance of closing, relative to the sizes of the states: doubles have about 16 digits.
shooting.LEAST_TOLERANCE = 1e-14

local ITERATIONS = 40
local LOOK, PROGRESS = 8, 0.5           -- iterations, and the part of the miss before them that is left after them where the search goes on

-- ---- the states in units of their sizes along the motion (motion_units.lua)

local FIRST = 1e-4                      -- of the period: the first step of runs, which is then the same in all units of time

--- Counts the kept states, and the time, in units: flow.units, flow.time_unit; runs have an absolute tolerance and a first step to match, where the user gave
--- none.
function shooting.count_in(flow, sizes, period, o)
  local units, least = motion_units.of_states(flow, sizes, period, nil, true)
  flow.units, flow.time_unit = units, period
  flow.options.first_step = o.first_step > 0 and o.first_step or FIRST*period
  if not o.atol_given then motion_units.set_tolerances(flow, flow.kept, units, least, shooting.ATOL, period, true) end
end

local OTHER = 10                       -- sizes differ by this factor: they have other units

--- Does a list of sizes of the kept states have units that are not those of the flow?
function shooting.has_other_units(flow, sizes, period)
  for i, unit in ipairs((motion_units.of_states(flow, sizes, period, nil, true))) do
    if unit > OTHER*flow.units[i] or flow.units[i] > OTHER*unit then return true end
  end
  return false
end

local NONE = 10                         -- times the tolerance, of the size on the run from the guess: a smaller one is that of errors

--- The same sizes, and the unit of the flow for states that are at rest on a motion found from a guess: their sizes are those of errors.
function shooting.known_sizes(flow, sizes, o)
  local list = {}
  for i, size in ipairs(sizes) do list[i] = size < NONE*o.tolerance*flow.sizes_at_guess[i] and flow.units[i] or size end
  return list
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

--- Unit directions tangent to the constraints at the state x at the start.
function shooting.tangents_at(flow, x)
  local rows = tangent.constraint_rows(flow.E, flow.observer, flow.w, flow.t, x, flow.kept)
  for _, row in ipairs(rows) do for i, unit in ipairs(flow.units) do row[i] = row[i]*unit end end
  return tangent.basis(rows, #flow.kept)
end

--- The rate at the state x at the start, by the unit of the time.
function shooting.rate_at(flow, x)
  flow.w:set_state(flow.t, x)
  local rate = part_of(flow, flow.w:rate())
  for i, value in ipairs(rate) do rate[i] = value*flow.time_unit end
  return rate
end

--- How far the motion is from closing, in units of the kept states; the directions of the basis after a period; the end, and the record.
function shooting.shoot(flow, x, period, basis, gain, dense)
  local whole = {}
  for k, u in ipairs(basis) do whole[k] = whole_of(flow, u) end
  local last, carried, record = flow:run(flow.t, flow.t + period, x, whole, dense)
  local places, gap = signs.turned_over(flow, x, last), {}
  signs.over(last, places)
  for i, place in ipairs(flow.kept) do gap[i] = (last[place] - x[place] - gain[place])/flow.units[i] end
  for k, d in ipairs(carried) do carried[k] = part_of(flow, signs.over(d, places)) end
  return gap, carried, last, record
end

local SAMPLES, SPIKE = 128, 2           -- instants of a run at which sizes are read; by how much a step between two of them has to show a larger one

--- The largest sizes of the kept states on a record of a run over a span of time. They are read at instants that are the same in all units of the user: the
--- steps of a run are not, and count where a state has a spike between the instants.
function shooting.sizes_on(flow, record, span)
  local sizes, at_steps = {}, {}
  for k = 0, SAMPLES do motion_units.enlarge(sizes, flow, record.raw:at(k < SAMPLES and flow.t + span*k/SAMPLES or flow.t + span)) end
  for k = 1, record.raw:points() do motion_units.enlarge(at_steps, flow, record.raw:state(k)) end
  for i, size in ipairs(at_steps) do if not (size <= SPIKE*sizes[i]) then sizes[i] = size end end
  return sizes
end

-- A state on the constraints
local function projected(flow, x) return motion_units.projected(flow, flow.t, x, math.min(1, table.unpack(flow.units))) end

-- The derivatives of the gap by directions of the basis and, where it is free, the period in its unit, row by row, with a last row: along the motion the start
-- does not move. Returns also the numbers of rows and of columns
local function derivatives(flow, x, basis, carried, free_period)
  local n, d, rows = #flow.kept, #basis, {}
  local rate = free_period and shooting.rate_at(flow, x)
  for i = 1, n do
    for k = 1, d do rows[#rows + 1] = carried[k][i] - basis[k][i] end
    if free_period then rows[#rows + 1] = rate[i] end
  end
  if not free_period then return rows, n, d end
  for k = 1, d do rows[#rows + 1] = tangent.dot(rate, basis[k]) end
  rows[#rows + 1] = 0.0
  return rows, n + 1, d + 1
end

local ROUNDED = 1e-14                    -- of the largest singular value: rounding
local RANK = 1e-7                        -- of the largest singular value: smaller ones are none

-- The start and the period changed by a step over directions of the basis and, where it is free, the period
local function moved(flow, x, period, basis, step)
  local next_x = table.move(x, 1, #x, 1, {})
  for k, u in ipairs(basis) do for i, place in ipairs(flow.kept) do next_x[place] = next_x[place] + step[k]*u[i]*flow.units[i] end end
  return projected(flow, next_x), period + (step[#basis + 1] or 0.0)*flow.time_unit
end

-- One Newton step: directions of the basis and the period; the shortest one where there is a family
local function correction(flow, x, period, basis, gap, carried, free_period)
  local rows, count, columns = derivatives(flow, x, basis, carried, free_period)
  local side = {}
  for i = 1, count do side[i] = -(gap[i] or 0.0) end
  return moved(flow, x, period, basis, core.least_squares(#side, columns, rows, side, RANK))
end

--- The largest size of a number in a list.
function shooting.largest(list)
  local most = 0
  for _, value in ipairs(list) do most = math.max(most, math.abs(value)) end
  return most
end

-- What a start and a period lead to: { x, period, basis, gap, carried }
local function tried(flow, x, period, gain)
  local basis = shooting.tangents_at(flow, x)
  local gap, carried = shooting.shoot(flow, x, period, basis, gain)
  return { x = x, period = period, basis = basis, gap = gap, carried = carried }
end

local SHORTEST, MOST_LONGER = 1e-3, 3    -- part of a Newton step; factor of the period in one step

-- The first motion along a Newton step, from its end back to its start, that closes better; nil: there is none. Where a run fails, a shorter step may not
local function nearer(flow, x, period, basis, gap, carried, gain, free_period)
  local miss = shooting.largest(gap)
  local function at(next_x, next_period, less)
    if not (next_period > period/MOST_LONGER and next_period < MOST_LONGER*period) then return nil end
    local fine, next = attempt(function() return tried(flow, next_x(), next_period, gain) end)
    return fine and shooting.largest(next.gap) < less and next or nil
  end
  local full_x, full_period = correction(flow, x, period, basis, gap, carried, free_period)
  local length = 1
  repeat
    local next = at(function()
      if length == 1 then return full_x end
      local next_x = {}
      for i = 1, #x do next_x[i] = x[i] + length*(full_x[i] - x[i]) end
      return projected(flow, next_x)
    end, period + length*(full_period - period), miss)
    if next then return next end
    length = length/2
  until length < SHORTEST
end

local LEAST = 1e-300                     -- of a modulus: below is no logarithm

--- The multipliers, largest first, in the basis of the start: a direction after the period is again tangent to the constraints there.
function shooting.multipliers(basis, carried)
  local flat, d = {}, #basis
  for a = 1, d do for b = 1, d do flat[#flat + 1] = tangent.dot(basis[a], carried[b]) end end
  local values, list = core.eigen(d, flat), {}
  for k = 1, d do list[k] = { re = values[2*k - 1], im = values[2*k] } end
  return moduli.sort(list)
end

local BY_RUNS = 1e-9                     -- of the sizes of the states: what errors of runs may leave

-- A motion that closes but for the errors of runs closes no better from other starts
local function demand_possible(gap, o)
  local miss = shooting.largest(gap)
  if miss > BY_RUNS then return end
  failure.raise("at best",
    "periodic: the motion closes to %.2g at best, and tolerance = %.2g asks for more: give tolerance = %.0e, or a smaller rtol (it is %.2g) and atol", miss,
    o.tolerance, math.max(10*miss, shooting.LEAST_TOLERANCE), o.rtol)
end

-- Raises where the search has come to its end, after `count` iterations or since no step closes better
local function refuse(gap, o, count)
  demand_possible(gap, o)
  failure.raise("no motion", "periodic: no periodic motion was found from this guess (it still misses by %.2g%s)", shooting.largest(gap),
    count and (" after %d iterations"):format(count) or "")
end

--- The motion in the units of the flow from a start and a period: { x, period, gap, basis, carried, count = of iterations }
function shooting.closed(flow, o, x, period, gain, driven)
  local count = 0
  local basis = shooting.tangents_at(flow, x)
  local gap, carried = shooting.shoot(flow, x, period, basis, gain)
  local before = shooting.largest(gap)
  while shooting.largest(gap) > o.tolerance do
    count = count + 1
    if count > ITERATIONS then
      refuse(gap, o, ITERATIONS)
    end
    if count % LOOK == 0 then
      if not (shooting.largest(gap) < PROGRESS*before) then
        refuse(gap, o, count)
      end
      before = shooting.largest(gap)
    end
    local next = nearer(flow, x, period, basis, gap, carried, gain, not driven and not o.fixed_period)
    if not next then
      refuse(gap, o)
    end
    x, period, gap, carried, basis = next.x, next.period, next.gap, next.carried, next.basis
  end
  return { x = x, period = period, gap = gap, basis = basis, carried = carried, count = count }
end

-- The sizes of the kept states along the run from a guess over its period; where that fails those of its start
local function sizes_at_guess(flow, o, x, period)
  local sizes = motion_units.sizes_at_start(flow, x, period)
  shooting.count_in(flow, sizes, period, o)
  local fine, _, _, record = attempt(flow.run, flow, flow.t, flow.t + period, x, {}, true)
  local along = fine and shooting.sizes_on(flow, record, period)
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

local ROUNDS, SHIFT, HALVED = 12, 1e-6, 3 -- of the way to the nearest one; the least step on it, in units of the motion; how often one is halved

-- Of a family of motions the one that is nearest to the guess (x, period), in units of the motion: steps along the family from one that was found, as long as
-- they come nearer
local function nearest(flow, o, found, x, period, gain, driven)
  local free_period = not driven and not o.fixed_period
  -- from a motion to the guess, along the basis and in the period; its length
  local function way_from(one)
    local away, way, sum = {}, {}, 0
    for i, place in ipairs(flow.kept) do away[i] = (x[place] - one.x[place])/flow.units[i] end
    for k, u in ipairs(one.basis) do way[k] = tangent.dot(away, u) end
    if free_period then way[#way + 1] = (period - one.period)/flow.time_unit end
    for _, value in ipairs(way) do sum = sum + value^2 end
    return way, math.sqrt(sum)
  end
  for _ = 1, ROUNDS do
    local way, far = way_from(found)
    if far < SHIFT then break end
    local rows, count, columns = derivatives(flow, found.x, found.basis, found.carried, free_period)
    local side = {}
    for i = 1, count do
      side[i] = 0.0
      for k = 1, columns do side[i] = side[i] + rows[(i - 1)*columns + k]*way[k] end
    end
    -- what the gap does not tell is the way along the family
    local across, step, size = core.least_squares(count, columns, rows, side, RANK), {}, 0
    for k = 1, columns do
      step[k] = way[k] - across[k]
      size = size + step[k]^2
    end
    local next
    for half = 0, size > SHIFT^2 and HALVED or -1 do
      local fine, one = attempt(function()
        local next_x, next_period = moved(flow, found.x, found.period, found.basis, tangent.scaled(step, 1/2^half))
        return shooting.closed(flow, o, next_x, next_period, gain, driven)
      end)
      local _, now = way_from(fine and one or found)
      if fine and now < far then
        next = one
        break
      end
    end
    if not next then break end
    next.count = next.count + found.count
    found = next
  end
  return found
end

--- The closed motion from a guess, in units of the sizes along its run. In units of a disturbance of what is at rest rounding is no small error: where they
--- fail, others are tried. driven: the period stays.
function shooting.closed_near(flow, o, x, period, gain, driven)
  local sizes = sizes_at_guess(flow, o, x, period)
  flow.sizes_at_guess = sizes
  shooting.count_in(flow, sizes, period, o)
  local others = without_doubtful(flow, sizes)
  local function found()
    return nearest(flow, o, shooting.closed(flow, o, x, period, gain, driven), x, period, gain, driven)
  end
  if not others then return found() end
  local fine, one, kind = attempt(found)
  if fine then return one end
  shooting.count_in(flow, others, period, o)
  local good, other = attempt(found)
  -- lengths that are small beside angles are not at rest: the first failure counts
  if not good then failure.raise(kind, "%s", one) end
  return other
end

local TOLD = 100                         -- times the error of the derivatives: singular values that are told from zero

--- The change of the start and the period of a closed motion { x, period, basis, carried } that a gap and directions carried by a run of the relative
--- tolerance rtol ask for, over the basis and in the unit of the time; its length; and how far the motion may be from the one that closes: this length and what
--- errors of that run make. Directions in which motions close as far as these runs tell, those of a family, have no part in it.
function shooting.doubt(flow, found, gap, carried, rtol, free_period)
  local rows, count, columns = derivatives(flow, found.x, found.basis, carried, free_period)
  -- a motion that constraints hold altogether, as of what rests on a moving wall
  if columns == 0 then return {}, 0, 0 end
  local side, sum, noise, told = {}, 0, 0, nil
  for i = 1, count do side[i] = -(gap[i] or 0.0) end
  for k, d in ipairs(carried) do for i, value in ipairs(d) do noise = noise + (value - found.carried[k][i])^2 end end
  local values = core.singular(count, columns, rows)
  if not (values[1] and values[1] > 0) then return {}, 0, 0 end
  local zero = math.max(ROUNDED*values[1], TOLD*math.sqrt(noise))
  for _, value in ipairs(values) do told = value > zero and value or told end
  if not told then return {}, 0, 0 end
  local step = core.least_squares(count, columns, rows, side, zero/values[1])
  for _, value in ipairs(step) do sum = sum + value^2 end
  return step, math.sqrt(sum), math.sqrt(sum) + rtol/told
end

local POLISHED, NEAR = 4, 1e-2          -- how often a motion is brought nearer to the one that closes; the largest change

--- A closed motion that is known less well than it closes, since motions beside it close nearly as well, nearer to the one that closes; again(one) is what a
--- run with smaller steps finds of it: gap, carried and more, as a list. Returns it, how far it may be from that one, and the list.
function shooting.polished(flow, o, found, gain, free_period, again)
  local seen = again(found)
  local step, doubt, accuracy = shooting.doubt(flow, found, seen.gap, seen.carried, seen.rtol, free_period)
  for _ = 1, POLISHED do
    if not (doubt > TOLD*o.tolerance and doubt < NEAR) then break end
    local fine, one = attempt(function()
      local x, period = moved(flow, found.x, found.period, found.basis, step)
      return tried(flow, x, period, gain)
    end)
    if not fine or not (shooting.largest(one.gap) <= o.tolerance) then break end
    local good, next_seen = attempt(again, one)
    if not good then break end
    local next_step, less, next_accuracy = shooting.doubt(flow, one, next_seen.gap, next_seen.carried, next_seen.rtol, free_period)
    if not (less < doubt) then break end
    one.count = found.count + 1
    found, seen, step, doubt, accuracy = one, next_seen, next_step, less, next_accuracy
  end
  return found, accuracy, seen
end

--- The logarithm of how a volume spanned by directions changes where these are carried along.
function shooting.logarithm_of_volume(basis, carried)
  local sum = 0
  for _, m in ipairs(shooting.multipliers(basis, carried)) do sum = sum + math.log(math.max(moduli.of(m), LEAST)) end
  return sum
end

return shooting
