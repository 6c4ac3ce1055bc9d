-- chart/rotation.lua: the mean rate of an angle, by a weighted average that converges faster than any power of the time on tori.
--
-- Weight exp(-1/(s (1 - s))) over the part s of the time, averaged as an integral (quadrature.c). Source: Das, Saiki, Sander and Yorke, Nonlinearity 30
-- (2017).
local core = require "hamel.core"
local durations = require "hamel.model.durations"
local growth = require "hamel.chart.growth"
local jobs = require "hamel.analysis.sweep.jobs"
local measures = require "hamel.run.measures"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local points = require "hamel.chart.points"
local protected = require "hamel.base.protected"
local simulate = require "hamel.run.simulate"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local rotation = {}

local FLOOR = 1/700                     -- of s (1 - s): the weight is below 1e-304 there, and outside of the window

-- The integral of the weight over 0 < s < 1. All its derivatives vanish at the ends, so that the trapezoidal rule is exact to rounding
local function weight_of_window()
  local sum, n = 0, 400
  for k = 1, n - 1 do sum = sum + math.exp(-n*n/(k*(n - k))) end
  return sum/n
end

-- The rate times the weight of a window as a measure; the mean over the whole run times the last result is the mean rate in the window
local function weighted(rate, from, to, t0, t1)
  local s = (symbols.t - from)/(to - from)
  return measures.mean(core.exp(-1/core.max(s*(1 - s), core.number(FLOOR)))*rate), (t1 - t0)/((to - from)*weight_of_window())
end

local WINDOWS = 8                       -- of the time after skip
local LOOKS = 160                       -- states over the whole time
local SHARE = 0.2                       -- of that change: by how much the averages of both halves differ at least, which swings hardly change
local CHANGES, NOISE = 1e-6, 100        -- of the largest rate in a window; times rtol, of the angle: a smaller change is none

-- Why a row has no mean rate: a velocity and its coordinate swing wider all the time, or the mean rate rises, or falls, from each window of the time to the
-- next, and so do the averages of both halves. In words; looks: states with their times, and angles at these
local function unsettled(looks, angles, halves, o, about)
  local on = growth.grows(points.flat(looks), about.pairs_of, about.t0, about.t1)
  if on then
    return ("%s grows all the time: the motion has not settled, or never does; take a longer t and a larger skip, or escape = ..., an expression that "
      .. "becomes positive, to end runs that grow"):format(about.names[on])
  end
  local times, values, size = {}, {}, 0
  for k, look in ipairs(looks) do
    if look.t >= about.from then times[#times + 1], values[#values + 1], size = look.t, angles[k], math.max(size, math.abs(angles[k])) end
  end
  if #times <= WINDOWS then return nil end
  local rates, largest, shortest = {}, 0, math.huge
  for w = 1, WINDOWS do
    local i, j = 1 + (w - 1)*(#times - 1)//WINDOWS, 1 + w*(#times - 1)//WINDOWS
    rates[w] = (values[j] - values[i])/(times[j] - times[i])
    largest, shortest = math.max(largest, math.abs(rates[w])), math.min(shortest, times[j] - times[i])
  end
  local sign = rates[WINDOWS] > rates[1] and 1 or -1
  for w = 2, WINDOWS do if not (sign*(rates[w] - rates[w - 1]) > 0) then return nil end end
  local change = math.abs(rates[WINDOWS] - rates[1])
  if sign*(halves[2] - halves[1]) < SHARE*change or change <= CHANGES*largest + NOISE*o.rtol*size/shortest then return nil end
  return ("the mean rate only %s, from %.6g in the first eighth of the time to %.6g in the last one: it has not settled; take a longer t and a larger skip")
    :format(sign > 0 and "rises" or "falls", rates[1], rates[WINDOWS])
end

-- The mean rates of three windows, from the values of their measures
local function rates_of(values, factors)
  local rates = {}
  for i, factor in ipairs(factors) do rates[i] = values["_rate" .. i] and values["_rate" .. i]*factor end
  return rates
end

-- How far the rate of either half of the time is from that of the whole
local function scatter(rates) return math.max(math.abs(rates[2] - rates[1]), math.abs(rates[3] - rates[1])) end

-- No run follows a chaotic motion to its end, and steps of one size are INACCURATE there. Its mean rate is what it is by dop853, too, within what the halves
-- of the time differ by: then it counts, and so does that difference. remade(): the rates by dop853, nil where they are not known
local function confirm(row, rates, remade)
  local other = remade()
  local apart = other and #other == 3 and math.abs(other[1] - rates[1])
  if not apart or not (apart <= math.max(scatter(rates), scatter(other))) then
    row.reason = row.reason .. "; a run by dop853 does not confirm its mean rate"
    return 0
  end
  row.status, row.reason = "OK", nil
  return apart
end

-- The result of a row; settled: how far that of either half of the time is from that of the whole. remade: see confirm; nil: not for steps of one size
local function judge(row, factors, scale_of, why, remade)
  local rates, apart = rates_of(row, factors), 0
  for i in ipairs(factors) do row["_rate" .. i] = nil end
  if #rates < 3 then return end
  if row.status == "INACCURATE" and remade then apart = confirm(row, rates, remade) end
  if row.status ~= "OK" then return end
  local words = why{ rates[2], rates[3] }
  if words then
    row.status, row.reason = "UNDECIDED", words
    return
  end
  local fine, scale = protected(scale_of, row)
  if not fine then
    if core.host.interrupted() then error(scale, 0) end
    row.status, row.reason = "NOT_FINITE", tostring(scale)
    return
  end
  row.rotation = rates[1]*scale
  row.settled = math.max(scatter(rates), apart)*math.abs(scale)
end

-- The mean rates of a row in a run by dop853; nil where it does not get to its end as it should
local function by_dop853(system, settings, job, t0, t1, factors)
  local given, keep = {}, {}
  for name in pairs(simulate.run_schema) do given[name] = settings[name] end
  given.method, given.step, given.keep, given.progress = "dop853", nil, nil, false
  given.q, given.v, given.parameters, given.t = job.q, job.v, job.parameters, { t0, t1 }
  for i in ipairs(factors) do keep["_rate" .. i] = settings.keep["_rate" .. i] end
  local fine, rates = protected(function()
    local run = system:simulate(given)
    return run.status == "OK" and rates_of(run:keep(keep), factors) or nil
  end)
  return fine and rates or nil
end

function rotation.chart(system, o, settings, t0, t1, columns)
  local angle = core.is_expression(o.angle) and core.text(o.angle) or o.angle
  if not angle then fail("chart: of = \"rotation\" needs angle = \"%s\"", system.coordinate_names[1]) end
  local q = system._coordinate[angle] or fail("chart: angle: '%s' is not a coordinate of %s%s", tostring(angle), system.name,
    object.hint(tostring(angle), system.coordinate_names))
  local from = t0 + o.skip
  local middle, factors = (from + t1)/2, {}
  local take, names = points.at_times(system, settings, points.times_within(t0 + 1e-3*(t1 - t0), t1, LOOKS), columns)
  columns.flat = false                  -- the values of the angle stand behind the states
  local about = { t0 = t0, t1 = t1, from = from, names = names, pairs_of = growth.pairs_of(names) }
  settings.keep._angle = q
  for i, window in ipairs{ { from, t1 }, { from, middle }, { middle, t1 } } do
    settings.keep["_rate" .. i], factors[i] = weighted(q.dot, window[1], window[2], t0, t1)
  end
  local period = o.stroboscope and durations.of("chart", "stroboscope", system, o.stroboscope)
  local function scale_of(row) return period and period(points.parameters_of(system, o, row))/(2*math.pi) or 1 end
  local job_of
  local function remade(row)
    if core.host.interrupted() then return nil end
    job_of = job_of or jobs.of(system, jobs.by_name(system, settings), {})
    local place, v, parameters, _, late = job_of(row.index)
    return by_dop853(system, settings, { q = place, v = late and late() or v, parameters = parameters }, t0, t1, factors)
  end
  function columns.finish(rows)
    local done = {}
    for _, row in ipairs(rows) do
      local angles = {}
      -- behind the states, whose names come before "_angle"
      for k, at in ipairs(row.series or {}) do angles[k] = at[#names + 1] end
      take(row)
      local looks = row.points
      row.points, row._angle = nil, nil
      judge(row, factors, scale_of, function(halves) return #angles == #looks and unsettled(looks, angles, halves, o, about) or nil end,
        methods.is_fixed(o.method) and function() return remade(row) end or nil)
      -- an interrupted row is dropped
      if not (core.host.interrupted() and row.status == "INACCURATE" and methods.is_fixed(o.method)) then done[#done + 1] = row end
    end
    return done
  end
  return { "rotation", "settled" }, {}
end

return rotation
