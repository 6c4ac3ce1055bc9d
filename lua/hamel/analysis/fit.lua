-- fit.lua: S:fit: parameters and starts for which a run comes closest to measured data, with their standard errors.
local core = require "hamel.core"
local answer = require "hamel.base.answer"
local launched = require "hamel.base.launched"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local quantities = require "hamel.system.quantities"
local simulate = require "hamel.run.simulate"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local protected = require "hamel.base.protected"

local fail = object.fail
local Fit = object.class "Fit"

local own = {
  data = { type = "table", doc = "columns by name, lists of numbers, as hm.read returns them, or a run" },
  vary = { type = "table", list = true, doc = "what is sought: parameters, and starts 'x' or \"x'\"" },
  time = { type = "string", default = "t", doc = "the column of the times" },
  of = { type = "table", doc = "columns that are compared: { 'x', \"x'\" }, or with their expressions, { tip = x + l*hm.sin(phi) }; "
    .. "all that are named as states when not given" },
  sigma = { type = "number", or_type = "table", above = 0, doc = "standard deviation of the data, or by column; estimated from the residuals when not given" },
  iterations = { type = "number", default = 100, from = 1, whole = true, doc = "at most" },
}
local schema = {}
for name, row in pairs(simulate.run_schema) do schema[name] = row end
for name, row in pairs(own) do schema[name] = row end
schema.t = { type = "number", doc = "time of the start; the first time of the data when not given" }
schema.rtol = { default = 1e-10, from = 0, type = "number", doc = "relative tolerance per step" }
schema.atol = { default = 1e-12, from = 0, type = "number", doc = "absolute tolerance per step" }
schema.keep, schema.record, schema.events, schema.checkpoint, schema.every = nil, nil, nil, nil, nil

local DIFFERENCE = 1e-4                -- of derivatives: errors of a run are far below its effect
local FAR = 1e30                       -- residual of a run that does not get there
local DEPENDENT = 1e-6                 -- ratio of singular values below which the data do not tell values apart
local SETTLED = 1e-3                   -- a last step of this part of the standard error, or
local EXACT = 1e-7                     -- relative to the value

-- ---- the data

-- A run as columns: its states at the times of its steps
local function columns_of_run(system, run)
  local names = {}
  for _, name in ipairs(system.coordinate_names) do names[#names + 1] = name end
  for _, name in ipairs(system.coordinate_names) do names[#names + 1] = name .. "'" end
  local series = table.pack(run:series(table.unpack(names)))
  local columns = { t = series[1] }
  for i, name in ipairs(names) do columns[name] = series[i + 1] end
  return columns
end

local function names_in(data)
  local names = {}
  for name, list in pairs(data) do if type(list) == "table" and name ~= "names" then names[#names + 1] = tostring(name) end end
  table.sort(names)
  return table.concat(names, ", ")
end

local function column(data, name, count)
  local list = data[name]
  if type(list) ~= "table" then fail("fit: the data have no column '%s'; they have %s", tostring(name), names_in(data)) end
  if count and #list ~= count then fail("fit: the column '%s' has %d values for %d times", name, #list, count) end
  for i, value in ipairs(list) do if type(value) ~= "number" then fail("fit: the column '%s': value %d is no number", name, i) end end
  return list
end

-- The columns that are compared: { name =, e =, list = }
local function compared(system, o, data, count)
  local chosen = {}
  if o.of then
    for key, what in pairs(o.of) do
      local name = type(key) == "string" and key or what
      if type(name) ~= "string" then fail("fit: of = { \"x\", \"x'\" } or { column = expression }") end
      chosen[#chosen + 1] = { name = name, e = type(key) == "string" and what or name }
    end
    table.sort(chosen, function(a, b) return a.name < b.name end)
  else
    for _, name in ipairs(system.coordinate_names) do
      for _, state in ipairs{ name, name .. "'" } do
        if data[state] ~= nil then chosen[#chosen + 1] = { name = state, e = state } end
      end
    end
  end
  if #chosen == 0 then fail("fit: no column has the name of a coordinate of %s; name those that are compared: of = { column = expression }", system.name) end
  for _, item in ipairs(chosen) do item.list = column(data, item.name, count) end
  return chosen
end

-- The numbers to be met, in the order of time: { t =, place =, value =, weight = }
local function numbers_of(o, times, chosen)
  local list = {}
  for place, item in ipairs(chosen) do
    local sigma = o.sigma
    if type(sigma) == "table" then sigma = sigma[item.name] end
    if o.sigma and not (type(sigma) == "number" and sigma > 0) then
      fail("fit: sigma of the column '%s' is missing: sigma = { [\"%s\"] = 0.01 }", item.name, item.name)
    end
    for i, t in ipairs(times) do
      local value = item.list[i]
      if value == value and t == t then list[#list + 1] = { t = t, place = place, value = value, weight = 1/(sigma or 1) } end
    end
  end
  table.sort(list, function(a, b) if a.t ~= b.t then return a.t < b.t end return a.place < b.place end)
  return list
end

-- ---- what is sought

-- { name =, put(settings, value), guess =, positive = }
local function unknown(system, o, name)
  if core.is_expression(name) then name = core.text(name) end
  if type(name) ~= "string" then fail("fit: vary = { \"c\", \"x'\" } names parameters and starts") end
  local parameter = system._parameter[name]
  if parameter then
    local guess = o.parameters[name]
    if guess == nil then guess = system._values[name] end
    local number = guess ~= nil and system:parameter_value(name, guess, "fit") or nil
    if not number then fail("fit: a guess of %s is missing: parameters = { %s = 1 }", name, name) end
    local _, _, flags = core.name(parameter)
    return { name = name, guess = number, positive = flags % 2 == 1, put = function(settings, value) settings.parameters[name] = value end }
  end
  local kind, rest = name:match "^([qv])%.(.+)$"
  local coordinate = rest or name:match "^(.-)'?$"
  local letter = (kind == "v" or not kind and name:sub(-1) == "'") and "v" or "q"
  if not system._coordinate[coordinate] then
    local known = table.move(system.parameter_names, 1, #system.parameter_names, 1, {})
    table.move(system.coordinate_names, 1, #system.coordinate_names, #known + 1, known)
    fail("fit: vary: '%s' is neither a parameter nor a coordinate of %s%s", name, system.name, object.hint(name, known))
  end
  local guess = symbols.number(o[letter][coordinate])
  if not guess then fail("fit: a guess of %s is missing: %s = { %s = ... }", name, letter, coordinate) end
  return { name = name, guess = guess, positive = false, put = function(settings, value) settings[letter][coordinate] = value end }
end

-- Positive values are sought by their logarithms
local function value_of(item, x) return item.positive and math.exp(x) or x end

-- ---- the search

local function run_at(system, o, list, x, t0, t1)
  local settings = {}
  for name in pairs(simulate.run_schema) do settings[name] = o[name] end
  settings.q, settings.v, settings.parameters = object.copied(o.q), object.copied(o.v), object.copied(o.parameters)
  settings.t, settings.progress = { t0, t1 }, false
  for i, item in ipairs(list) do item.put(settings, value_of(item, x[i])) end
  return system:simulate(settings)
end

-- Residuals of the run at x; those of a run that does not reach them are large. problem: { reason = of the last run that failed }
local function residuals(system, o, list, numbers, chosen, span, problem)
  local wanted = {}
  for i, item in ipairs(chosen) do wanted[i] = item.e end
  return function(x)
    local fine, run = protected(run_at, system, o, list, x, span[1], span[2])
    if core.host.interrupted() then return nil end
    if not fine then
      problem.reason, problem.first = run, problem.first or run
    elseif run.status ~= "OK" then
      problem.reason = run.reason or run.status
      problem.first = problem.first or problem.reason
    end
    local last, values, at, r = fine and run.outcome.t or -math.huge, nil, nil, {}
    for k, number in ipairs(numbers) do
      if number.t > last then
        r[k] = FAR
      else
        if number.t ~= at then at, values = number.t, run:values_at(number.t, wanted) end
        local value = values[number.place]
        r[k] = value == value and (value - number.value)*number.weight or FAR
      end
    end
    problem.calls = (problem.calls or 0) + 1
    if problem.calls == 1 and problem.first then fail("fit: the run at the guess fails: %s", tostring(problem.first)) end
    return r
  end
end

-- Lengths of the columns of the Jacobian, and the columns with length 1
local function scaled(jacobian, m, n)
  local lengths, list = {}, {}
  for k = 1, n do
    local sum = 0
    for i = 0, m - 1 do sum = sum + jacobian[i*n + k]^2 end
    lengths[k] = math.sqrt(sum)
  end
  for i = 1, m*n do
    local length = lengths[(i - 1) % n + 1]
    list[i] = length > 0 and jacobian[i]/length or 0.0
  end
  return lengths, list
end

-- Why the data do not determine the values, or nil; the singular values and vectors
local function undetermined(list, lengths, s, v)
  local n = #list
  for k, item in ipairs(list) do if not (lengths[k] > 0) then return ("nothing that is compared depends on %s"):format(item.name) end end
  if s[n] >= DEPENDENT*s[1] then return nil end
  local names = {}
  for k, item in ipairs(list) do if math.abs(v[(k - 1)*n + n]) > 0.1 then names[#names + 1] = item.name end end
  return ("the data do not tell %s apart"):format(table.concat(names, " and "))
end

-- Covariance of the unknowns for residuals of variance 1
local function covariance_of(list, lengths, s, v)
  local n, c = #list, {}
  for i = 1, n do
    c[i] = {}
    for j = 1, n do
      local sum = 0
      for k = 1, n do sum = sum + v[(i - 1)*n + k]*v[(j - 1)*n + k]/s[k]^2 end
      c[i][j] = sum/(lengths[i]*lengths[j])
    end
  end
  return c
end

-- The largest part of what is left to go, of the standard error or of the value; the step that would lead there
local function left_to_go(list, x, r, jacobian, errors)
  local right, worst = {}, 0
  for i, value in ipairs(r) do right[i] = -value end
  for k, step in ipairs((core.least_squares(#r, #list, jacobian, right, 1e-12))) do
    local size = list[k].positive and 1 or math.abs(x[k])
    worst = math.max(worst, math.abs(step)/(SETTLED*errors[k] + EXACT*size + 1e-300))
  end
  return worst
end

local function judged(self, o, list, x, r, jacobian)
  local m, n, sum = #r, #list, 0
  for _, value in ipairs(r) do sum = sum + value^2 end
  local lengths, unit = scaled(jacobian, m, n)
  local s, v = core.singular(m, n, unit)
  self.chi2, self.freedom, self.status = sum, m - n, "OK"
  self.values, self.errors, self.covariance = {}, {}, {}
  for k, item in ipairs(list) do self.values[item.name] = value_of(item, x[k]) end
  local why = undetermined(list, lengths, s, v)
  if why then
    self.status, self.reason = "UNDETERMINED", why
    for _, item in ipairs(list) do self.errors[item.name] = math.huge end
    return
  end
  local variance = o.sigma and 1 or m > n and sum/(m - n) or 0/0
  local c, errors = covariance_of(list, lengths, s, v), {}
  for i, item in ipairs(list) do
    errors[i] = math.sqrt(variance*c[i][i])
    self.covariance[item.name] = {}
    local scale = item.positive and self.values[item.name] or 1
    self.errors[item.name] = scale*errors[i]
    for j, other in ipairs(list) do
      self.covariance[item.name][other.name] = variance*c[i][j]*scale*(other.positive and self.values[other.name] or 1)
    end
    if errors[i] ~= errors[i] then errors[i] = 0 end
  end
  if left_to_go(list, x, r, jacobian, errors) > 1 then
    self.status = "NOT_CONVERGED"
    self.reason = ("no minimum was found in %d iterations; begin with better guesses, or fit a shorter part of the data first"):format(self.iterations)
  end
end

--- Finds the values of parameters and starts for which a run comes closest to measured data: S:fit{ data = hm.read "swing.csv", vary = {"c", "phi'"},
--- q = {phi = 0.5}, v = {phi = 0} }. data: lists by column, the times under `time` ("t"), or a run; numbers that are nan are left out. Columns that have
--- the name of a coordinate or a velocity (x, x') are compared, or those of `of`: { tip = x + l*hm.sin(phi) } compares the column tip with an expression.
--- The guesses are the values of the parameters and q, v; parameters declared positive stay positive. All options of S:simulate are accepted.
--- Result F: F.values and F.errors by name (standard errors; from sigma, or from the residuals), F.covariance, F.rms (of the residuals; in units of
--- sigma if given), F.chi2, F.freedom (numbers less unknowns), F.run (at the values found), F.status: "OK", "UNDETERMINED" (the data do not determine
--- the values; F.reason names them), "NOT_CONVERGED". What is found is a minimum near the guesses; there may be others.
--- Method: Levenberg (1944) and Marquardt (1963), by GSL's trust region; derivatives by central differences of runs.
--- Errors: columns that are missing, guesses that are missing, a run that fails at the guess, fewer numbers than unknowns.
function System:fit(given)
  launched.demand_alone "fit"
  simulate.demand_no_checkpoint("fit", given, "leave it out: a fit makes many runs")
  local o = options.check("fit", schema, quantities.in_seconds(self, "fit", given), self)
  if not o.data then fail("fit: the data are missing: data = hm.read \"file.csv\", or { t = {...}, x = {...} }") end
  if not o.vary or #o.vary == 0 then fail("fit: vary what? vary = { \"%s\" }", self.parameter_names[1] or self.coordinate_names[1]) end
  for _, key in ipairs{ "q", "v", "parameters" } do o[key] = object.copied(self:by_name(o[key], key)) end
  local data = object.is_a(o.data, "Trajectory") and columns_of_run(self, o.data) or o.data
  local times = column(data, o.time)
  local chosen = compared(self, o, data, #times)
  local numbers, list, x = numbers_of(o, times, chosen), {}, {}
  for i, name in ipairs(o.vary) do
    list[i] = unknown(self, o, name)
    for k = 1, i - 1 do if list[k].name == list[i].name then fail("fit: vary names '%s' twice", list[i].name) end end
    x[i] = list[i].positive and math.log(list[i].guess) or list[i].guess
  end
  if #numbers < #list then fail("fit: %d numbers cannot determine %d values", #numbers, #list) end
  local t0 = o.t or numbers[1].t
  if numbers[1].t < t0 then fail("fit: the data begin at t = %g, before the start t = %g", numbers[1].t, t0) end
  local t1, problem = numbers[#numbers].t, {}
  if not (t1 > t0) then fail("fit: all data are at the time of the start") end
  local off = residuals(self, o, list, numbers, chosen, { t0, t1 }, problem)
  local found, r, jacobian, iterations = core.fit(#numbers, x, off, DIFFERENCE, 1e-9, o.iterations)
  if not found then error("interrupted", 0) end
  local fit = setmetatable({ system = self.name, names = {}, guesses = {}, columns = {}, iterations = iterations, reason = false }, Fit.meta)
  for i, item in ipairs(list) do fit.names[i], fit.guesses[item.name] = item.name, item.guess end
  for i, item in ipairs(chosen) do fit.columns[i] = item.name end
  judged(fit, o, list, found, r, jacobian)
  fit.rms = math.sqrt(fit.chi2/#r)
  fit.run = run_at(self, o, list, found, t0, t1)
  if fit.run.status ~= "OK" then fit.status, fit.reason = fit.run.status, fit.run.reason end
  return answer.dressed(fit)
end

-- A value with two digits of its error
local function with_error(value, e)
  if not (e > 0 and e < math.huge) then return ("%.10g"):format(value) end
  local places = 1 - math.floor(math.log(e, 10))
  if places < 0 or places > 15 or math.abs(value) >= 1e9 then return ("%.10g +- %.2g"):format(value, e) end
  local number = ("%%.%df"):format(places)
  return number:format(value) .. " +- " .. number:format(e)
end

function Fit.meta.__tostring(self)
  local lines = { ("fit of %s: %d value%s from %d numbers of %s, residuals %.3g (rms), %d iterations"):format(self.system, #self.names,
    #self.names == 1 and "" or "s", self.freedom + #self.names, table.concat(self.columns, ", "), self.rms, self.iterations) }
  for _, name in ipairs(self.names) do
    lines[#lines + 1] = ("  %-12s %s   (guess %.6g)"):format(name, with_error(self.values[name], self.errors[name]), self.guesses[name])
  end
  if self.status ~= "OK" then lines[#lines + 1] = ("  %s: %s"):format(self.status, self.reason) end
  return table.concat(lines, "\n")
end

options.declare("fit", schema)

return Fit
