-- elimination.lua: velocities that a form eliminates where the constraints do not determine them: better ones, for messages.
local dependents = require "hamel.model.dependents"
local object = require "hamel.base.object"
local reading = require "hamel.run.reading"
local Observer = require "hamel.model.observe"
local protected = require "hamel.base.protected"

local elimination = {}

--- Names of dependent velocities that the constraints determine better at (t, x) than the given columns; nil: the given ones are good.
--- base: the Lagrange equations, x their state.
function elimination.better(base, parameters, columns, t, x)
  local n, m, observer = #base.dyn, #base.A, Observer.new(base, parameters)
  local rows, diagonal, units, names = {}, {}, {}, {}
  for k = 1, m do table.move(base.A[k], 1, n, #rows + 1, rows) end
  for i = 1, n do diagonal[i] = base.M[i][i] end
  local inertia = observer:evaluate(observer:program(diagonal, "inertia"), nil, t, x)
  for i = 1, n do units[i] = math.sqrt(math.max(inertia[i], 0)) end
  local better = dependents.better(observer:evaluate(observer:program(rows, "rows"), nil, t, x), n, m, units, columns)
  for i, j in ipairs(better or {}) do names[i] = base.dyn_names[j] end
  return better and names
end

--- The columns of the velocities that a run eliminates: those its user named, else those the form chose.
function elimination.columns(base, dependent, chosen)
  if not dependent then return chosen or {} end
  local columns = {}
  for i, name in ipairs(base.dyn_names) do if object.contains(dependent, name) then columns[#columns + 1] = i end end
  return columns
end

local STOPS = { SINGULAR = true, STEP_COLLAPSED = true, NOT_FINITE = true, SINGULAR_MASS = true }

-- The last state of a run, with its positions carried on to the instant that the stop names: a run ends shortly before a singular place
local function place_of_stop(run)
  local raw, kinematic = run.raw, #run.equations.kin
  local t, x = raw:time(raw:points()), raw:state(raw:points())
  local back = 0.01*(run.outcome.t - t)
  local before = back ~= 0 and raw:points() > 1 and raw:at(t - back)
  for i = 1, before and kinematic or 0 do x[i] = x[i] + 100*(x[i] - before[i]) end
  return t + 100*back, x
end

-- Names that serve better where a run stopped
local function better_at_the_end(run)
  local E, system, raw = run.equations, run.system, rawget(run, "raw")
  if #system.constraints == 0 or not E.from_velocities or not raw or raw:points() == 0 then return nil end
  local base = system:equations "lagrange"
  local columns = elimination.columns(base, E.eliminated or run.options.dependent, E.chosen_columns)
  if #columns == 0 then return nil end
  local t, x = place_of_stop(run)
  local list = {}
  for i, w in ipairs(system:base_velocity_list()) do list[i] = run.observer:expression(w) end
  local at = table.move(x, 1, #E.kin, 1, {})
  table.move(reading.evaluate(run, run.observer:program(list), t, x), 1, #list, #at + 1, at)
  return elimination.better(base, run.options.parameters, columns, t, at)
end

--- A run that stopped where the velocities that its form eliminates are not determined says so, and names those that are.
function elimination.explain(run)
  local outcome = run.outcome
  if not STOPS[outcome.status] then return end
  local fine, names = protected(better_at_the_end, run)
  if not fine or not names then return end
  local list = ("dependent = {\"%s\"}"):format(table.concat(names, "\", \""))
  local message, places = outcome.message:gsub("dependent = {%.%.%.}", list)
  if places == 0 then
    message = ("stopped at t = %.15g: the velocities that the form '%s' eliminates are not determined there%s; choose others by %s, or 'lagrange'"):format(
      outcome.t, run.equations.form, outcome.message:match "; values are kept[^;]*" or "", list)
  end
  outcome.status, outcome.message, outcome.advice = "SINGULAR", message, ""
end

return elimination
