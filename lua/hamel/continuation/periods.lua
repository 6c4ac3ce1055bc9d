-- periods.lua: the period of a driven motion as a function of parameters.
local attempt = require "hamel.base.attempt"
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local repetition = require "hamel.analysis.repetition"

local fail = object.fail
local periods = {}

--- A period that depends on the parameters `held`: a function of their values, in this order, to the period and its derivatives
function periods.driven(system, guess, held)
  local given = guess.period
  if not core.is_expression(given) then
    local T, zeros = options.number(given), {}
    for i = 1, #held do zeros[i] = 0.0 end
    return function() return T, zeros end
  end
  local inputs, values = {}, {}
  for _, name in ipairs(system.parameter_names) do
    local p = system._parameter[name]
    if not object.contains(held, p) and object.contains(core.symbols{ given }, p) then
      inputs[#inputs + 1], values[#values + 1] = p, compile.demand_value(system, name, guess.parameters, "continue")
    end
  end
  local first, list = #inputs, { given }
  table.move(held, 1, #held, first + 1, inputs)
  table.move(core.gradient(given, held), 1, #held, 2, list)
  local program = core.program(inputs, list)
  return function(p)
    local out = program:eval(table.move(p, 1, #held, first + 1, table.move(values, 1, first, 1, {})))
    return out[1], table.move(out, 2, #out, 1, {})
  end
end

local LONGEST, SHORTEST = 20, 1e-4     -- periods, in units of that at the start, within which a branch is followed, and farther where its ends ask for it
local BEYOND = 4                       -- a longer period by this factor is not tried

-- The least and the largest period within which a branch is followed from parameters p, whatever its ends o.from and o.to
local function range_of(period_of, o, p)
  local start = period_of(p)
  local shortest, longest = SHORTEST*start, LONGEST*start
  for _, ends in ipairs{ o.from or false, o.to or false } do
    for k, value in ipairs(type(ends) == "table" and ends or { ends or nil }) do
      local there = table.move(p, 1, #p, 1, {})
      there[k] = options.number(value)
      local fine, T = attempt(period_of, there)
      if fine and T > 0 and T < math.huge then shortest, longest = math.min(shortest, T), math.max(longest, T) end
    end
  end
  return shortest, longest
end

--- Gives a driven problem its period at a point, problem.driven, and the edges at which a branch ends since the period grows or shrinks too much: on the
--- way to infinity, or to zero. values: of the parameters at the start.
function periods.bind(problem, guess, period_of, o, values)
  local function period_at(y)
    local p = {}
    for i, place in ipairs(problem.places) do p[i] = y[place] end
    return period_of(p)
  end
  problem.driven = period_at
  if not core.is_expression(guess.period) or #values == 0 then return end
  local shortest, longest = range_of(period_of, o, values)
  local text = core.text(guess.period)
  function problem.driven(y)
    local T, slopes = period_at(y)
    if not (T > 0 and T <= BEYOND*longest) then fail("continue: the period %s would be %.6g", text, T) end
    return T, slopes
  end
  local function at(y)
    local T, slopes = period_at(y)
    local gradient = {}
    for i = 1, #y do gradient[i] = 0.0 end
    for i, place in ipairs(problem.places) do gradient[place] = slopes[i]*problem.space.scale[place] end
    return T, gradient
  end
  problem.period_limits = {
    { name = "period", at = at, to = longest, bound = true, ends = ("the period %s grows beyond %.6g"):format(text, longest) },
    { name = "period", at = at, from = shortest, bound = true, ends = ("the period %s shrinks below %.6g"):format(text, shortest) },
  }
  problem.limits = table.move(problem.period_limits, 1, 2, #(problem.limits or {}) + 1, problem.limits or {})
end

--- A time less whole periods. A branch from a late start would be long: the phase of a drive with the frequency w moves by t with a change of w.
function periods.early(t, period)
  local rest = t - math.floor(t/period)*period
  -- whole periods up to rounding
  return period - rest <= 2^-50*math.abs(t) and 0.0 or rest
end

--- Twice a period, with its derivatives.
function periods.twice(T, slopes)
  local double = {}
  for i, slope in ipairs(slopes) do double[i] = 2*slope end
  return 2*T, double
end

--- Half a period, with its derivatives.
function periods.half(T, slopes)
  local list = {}
  for i, slope in ipairs(slopes) do list[i] = slope/2 end
  return T/2, list
end

--- Do the equations of a flow repeat after a period, at the values of the parameters at these places?
function periods.repeats(flow, list, period, places, values)
  local fixed = {}
  for i, place in ipairs(places) do fixed[place] = values[i] end
  return #list > 0 and repetition.mismatch(flow, list, period, fixed) <= repetition.TO
end

local MOST = 16                         -- periods of the drive in one of a motion that are looked for

--- How many times the equations of some flows repeat within a period, up to 16, at the values of the parameters at these places. lists: of each flow the
--- expressions that depend on time.
function periods.repetitions(flows, lists, period, places, values)
  for k = MOST, 2, -1 do
    local all = true
    for i, flow in ipairs(flows) do all = all and (#lists[i] == 0 or periods.repeats(flow, lists[i], period/k, places, values)) end
    if all then return k end
  end
  return 1
end

--- The period of a guess at its parameters, those that change among them. names: of these; period_of: see periods.driven.
function periods.at_guess(system, guess, names, period_of)
  local values = {}
  for i, name in ipairs(names) do values[i] = compile.demand_value(system, name, guess.parameters, "continue") end
  local T = period_of(values)
  if not (T and T > 0 and T < math.huge) then fail("continue: the period of the guess is %s; it is a positive number", tostring(T or guess.period)) end
  return T
end

--- Places of the parameters of a problem among the states of its flow, and their values at the start.
function periods.places(problem)
  local places, values, flow = {}, {}, problem.flow
  for i, place in ipairs(problem.places) do
    places[i] = flow.kept[place]
    values[i] = flow.x[places[i]]
  end
  return places, values
end

local BESIDE = 0.01

--- Raises where the equations of a flow do not repeat after the period as the parameters change. list: expressions that depend on time; places of the
--- parameters among the states of the flow, their names and values.
function periods.demand_repeating(flow, list, period_of, places, names, values)
  if #list == 0 then return end
  for k = 0, #places do
    local fixed, p = {}, table.move(values, 1, #values, 1, {})
    if k > 0 then p[k] = p[k] + BESIDE*(1 + math.abs(p[k])) end
    for i, place in ipairs(places) do fixed[place] = p[i] end
    local T = period_of(p)
    local off = repetition.mismatch(flow, list, T, fixed)
    if off > repetition.TO and k == 0 then
      fail("continue: the equations do not repeat after the period %.12g (they differ by %.2g of their change with time)", T, off)
    elseif off > repetition.TO then
      fail("continue: at %s = %.6g the equations do not repeat after the period %.12g: give the period as an expression in %s, as in period = 2*hm.pi/%s",
        names[k], p[k], T, names[k], names[k])
    end
  end
end

return periods
