-- chart/keeping.lua: are volumes of states kept along a motion where volumes.of does not tell, as with nonholonomic constraints and with body rates?
--
-- A motion that settles shrinks the volumes around it. Two things tell that it does not. An invariant measure that is proved, if its density has no trend
-- along the motion: where only the time, or a coordinate that is not compared, makes the measure invariant, as exp(2 c t) with a damping c, states do settle.
-- Or, of forces that do no work, the mean of the divergence along the motion: its average with a weight that vanishes with all its derivatives at both
-- ends differs on a torus from the true one by less than any power of the time. Along a chaotic motion it does not, and tells nothing.
local compile = require "hamel.model.compile"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local jobs = require "hamel.analysis.sweep.jobs"
local linear = require "hamel.algebra.linear"
local points = require "hamel.chart.points"
local protected = require "hamel.base.protected"

local keeping = {}

local WINDOWS, LITTLE = 4, 1e-6         -- of the late states; by how much the logarithm of a density changes where it does not
local TIMES = { 1, 4, 16 }              -- of the time of the run: over which the divergence is averaged
local FALLS = 0.05                      -- from one of these times to the next: an average that falls by less is that of chaos, or does not vanish
local FEWEST, MOST, CHUNK = 1000, 40000, 1000 -- values of the divergence; of which so many are read at once
local DEARER = 10                       -- times the steps of the run: those in the same time at most
local PARTS = { { 0, 1 }, { 0, 0.75 }, { 0.25, 1 } } -- of these: each of their averages must vanish
local KEPT, ROUNDING = 1e-8, 1e-13      -- of the mean size of the divergence: its mean where it vanishes; of its terms: its size where it is rounding
local SHRINKS = 0.1                     -- of the mean size: its mean where it surely does not vanish
local MOST_ROWS = 10                    -- of the equations of which it is decided by formulas whether the divergence is zero
local TIGHT, TIGHTER = 1e-11, 1e-2      -- rtol of the run at most; atol over rtol

-- ---- a measure

-- The density of an invariant measure that is proved, in states that are compared and parameters; false: there is none
local function density_of(system, list)
  local fine, M = protected(system.invariant_measure, system)
  if core.host.interrupted() then error(M, 0) end
  if not fine or not (M.exists and M.proof == true and M.single_valued == true) then return false end
  local known = gradients.set(list)
  for _, name in ipairs(system.parameter_names) do known[system._parameter[name]] = true end
  for _, s in ipairs(core.symbols{ M.density }) do if not known[s] then return false end end
  return M.density
end

-- Do the values go one way, from each window to the next?
local function has_trend(values)
  local low, high = {}, {}
  for k, value in ipairs(values) do
    local w = 1 + (k - 1)*WINDOWS//#values
    low[w], high[w] = math.min(low[w] or value, value), math.max(high[w] or value, value)
  end
  local up, down = true, true
  for w = 2, #low do
    up = up and high[w] > high[w - 1] + LITTLE
    down = down and low[w] < low[w - 1] - LITTLE
  end
  return up or down
end

-- Does the density stay between bounds along the late states, as far as they tell?
local function is_bounded(about, density, states, parameters)
  local list, values = compile.parameter_values(about.system, parameters)
  local program, logs = core.program(compile.flat{ about.list, list }, { density }), {}
  for k, state in ipairs(states) do
    local arguments = table.move(state, 1, #about.list, 1, {})
    local value = program:eval(table.move(values, 1, #values, #arguments + 1, arguments))[1]
    if not (value ~= 0 and value - value == 0) then return false end
    logs[k] = math.log(math.abs(value))
  end
  return #logs >= WINDOWS and not has_trend(logs)
end

-- ---- the divergence along the motion

-- Expressions of which the divergence is made, in one list: of M w' = r + A^T lambda and A w' + b = 0 the entries of M and A, and of the derivatives of r and
-- of b by w; the trace of those of q' by q. nil: M or A depends on velocities
local function parts_of(E)
  local w = gradients.set(E.dyn)
  local flat = compile.flat{ compile.flat(E.M), compile.flat(E.A) }
  for _, e in ipairs(flat) do if gradients.contains(e, w) then return nil end end
  local trace = core.rational(0)
  for i, q in ipairs(E.kin) do trace = trace + core.diff(E.k[i], q) end
  for _, list in ipairs{ E.r, E.b } do
    for _, e in ipairs(list) do table.move(core.gradient(e, E.dyn), 1, #E.dyn, #flat + 1, flat) end
  end
  flat[#flat + 1] = trace
  return flat
end

-- The divergence from these values, and the sum of the sizes of its terms: the trace of dw'/dw, with M dw' - A^T dlambda = dr and A dw' = -db
local function divergence_of(flat, n, m)
  local size, matrix, sum, terms = n + m, {}, flat[#flat], math.abs(flat[#flat])
  local slopes = n*n + m*n
  for i = 1, size do
    for j = 1, size do
      matrix[(i - 1)*size + j] = i <= n and j <= n and flat[(i - 1)*n + j] or i > n and j <= n and flat[n*n + (i - n - 1)*n + j]
        or j > n and i <= n and -flat[n*n + (j - n - 1)*n + i] or 0.0
    end
  end
  for j = 1, n do
    local column, any = {}, false
    for i = 1, size do
      local value = flat[slopes + (i - 1)*n + j]
      column[i] = i <= n and value or -value
      any = any or value ~= 0
    end
    local a = any and core.solve(size, matrix, column)
    if any and not a then return nil end
    sum, terms = sum + (any and a[j] or 0), terms + math.abs(any and a[j] or 0)
  end
  return sum, terms
end

-- Is the divergence proved to be zero in all states, where parameters that vanish are left out?
local function is_zero(about, E, parts, parameters)
  local n, m = #E.dyn, #E.A
  if n + m > MOST_ROWS then return false end
  local list, values = compile.parameter_values(about.system, parameters)
  local from, to, here = {}, {}, {}
  for i, value in ipairs(values) do if value == 0 then from[#from + 1], to[#to + 1] = list[i], core.rational(0) end end
  for i, e in ipairs(parts) do here[i] = #from > 0 and core.substitute(e, from, to) or e end
  local rows, columns, zero = {}, {}, core.rational(0)
  for i = 1, n + m do
    rows[i] = {}
    for j = 1, n + m do
      rows[i][j] = i <= n and j <= n and here[(i - 1)*n + j] or i > n and j <= n and here[n*n + (i - n - 1)*n + j]
        or j > n and i <= n and -here[n*n + (j - n - 1)*n + i] or zero
    end
  end
  for j = 1, n do
    columns[j] = {}
    for i = 1, n + m do
      local e = here[n*n + m*n + (i - 1)*n + j]
      columns[j][i] = i <= n and e or -e
    end
  end
  local fine, solved = protected(linear.solve_exactly, rows, columns)
  if core.host.interrupted() then error(solved, 0) end
  local sum = here[#here]
  for j = 1, fine and n or 0 do sum = sum + solved[j][j] end
  return fine and sum:is_zero() == true
end

-- The average of values from one to another, with weights that vanish with all their derivatives at both
local function average(values, from, to)
  local sum, weights = 0, 0
  for k = from + 1, to - 1 do
    local s = (k - from)/(to - from)
    local weight = math.exp(-1/(s*(1 - s)))
    sum, weights = sum + weight*values[k], weights + weight
  end
  return sum/weights
end

-- The largest average of parts of the values, over what counts as zero
local function mean_of(values)
  local size, most = 0, 0
  for _, value in ipairs(values) do size = size + math.abs(value)/#values end
  for _, part in ipairs(PARTS) do most = math.max(most, math.abs(average(values, 1 + part[1]*(#values - 1)//1, 1 + part[2]*(#values - 1)//1))) end
  return most/(KEPT*size), size
end

-- The run from a state on; nil: there is none
local function run_from(row, about, o, state, parameters, times)
  local time, rtol = times*(about.t1 - about.t0), math.min(o.rtol or TIGHT, TIGHT)
  local given = { t = { state.t, state.t + time }, parameters = parameters, rtol = rtol, atol = math.min(o.atol, TIGHTER*rtol),
                  max_steps = math.ceil(DEARER*times*math.max(row.steps or 0, FEWEST)) }
  given.q, given.v = points.start(about.names, state, about.system)
  local fine, run = protected(about.system.simulate, about.system, given)
  if core.host.interrupted() then error(run, 0) end
  jobs.rethrow_interrupt(fine, run)
  return fine and run.status == "OK" and run or nil
end

-- The values of the divergence along a run, in equal times, and the mean size of their terms; nil: there are none
local function values_along(run, E, parts, from, time)
  local count = math.min(math.max(run.outcome.steps, FEWEST), MOST)
  local values, size, asked = {}, 0, table.move(parts, 1, #parts, 1, {})
  for first = 1, count, CHUNK do
    local times = {}
    for k = first, math.min(first + CHUNK - 1, count) do times[#times + 1] = from + (k - 1)/(count - 1)*time end
    asked[#parts + 1] = { times = times }
    local columns = table.pack(run:series(table.unpack(asked)))
    for k = 1, #times do
      local here = {}
      for i = 1, #parts do here[i] = columns[i + 1][k] end
      local value, terms = divergence_of(here, #E.dyn, #E.A)
      if not value or value - value ~= 0 then return nil end
      values[first + k - 1], size = value, size + terms/count
    end
  end
  return values, size
end

-- Do the forces do no work at these parameters?
local function keeps_energy(about, E, parameters)
  if E.power == false then return false end
  local list, values = compile.parameter_values(about.system, parameters)
  local numbers = {}
  for i, value in ipairs(values) do numbers[i] = core.number(value) end
  return core.substitute(E.power, list, numbers):is_zero() == true and not about.timed(parameters)
end

local function mean_vanishes(row, o, about, parameters)
  local E = about.system:equations "lagrange"
  if about.parts == nil then about.parts = parts_of(E) or false end
  if not about.parts or not keeps_energy(about, E, parameters) then return false end
  local state, before = row.late[#row.late], math.huge
  for _, times in ipairs(TIMES) do
    local run, time = run_from(row, about, o, state, parameters, times), times*(about.t1 - about.t0)
    local values, terms = nil, nil
    if run then values, terms = values_along(run, E, about.parts, state.t, time) end
    if not values then return false end
    local mean, size = mean_of(values)
    if size <= ROUNDING*terms then return is_zero(about, E, about.parts, parameters) end
    if mean <= 1 then return true end
    if mean > FALLS*before or KEPT*mean > SHRINKS then return false end
    before = mean
  end
  return false
end

-- Is the motion one that these ways tell of?
local function is_smooth(system) return not contact.any(system) and not system:external_forces()[1] and #system:forces_on_rates() == 0 end

--- Is there surely an invariant measure of the states that are compared, with a density that has no trend along the motion? row: with `late`, a list of
--- states; about: { system =, names and list = of the states, t0 =, t1 =, timed = see timed.of }. everywhere: only where the density is known to be finite
--- and positive in all states, so that no slow trend to a place where it is not can be missed.
function keeping.by_measure(row, about, parameters, everywhere)
  if #row.late == 0 or not is_smooth(about.system) then return false end
  if about.density == nil then about.density = density_of(about.system, about.list) end
  local density = about.density
  return density and (core.known_positive(density) or not everywhere) and is_bounded(about, density, row.late, parameters)
end

--- Is the mean of the divergence along the motion of a row zero, as far as numbers tell, where forces do no work?
function keeping.by_mean(row, o, about, parameters)
  if row.kept == nil then row.kept = #row.late > 0 and is_smooth(about.system) and mean_vanishes(row, o, about, parameters) end
  return row.kept
end

return keeping
