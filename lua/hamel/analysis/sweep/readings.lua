-- readings.lua: measures of a sweep that the core reads off the runs on their way, in threads and lanes: which they are, and their values in a row.
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local measures = require "hamel.run.measures"
local of_runs = require "hamel.run.readings"
local states = require "hamel.run.state"

local readings = {}

local NONE = 0                          -- of the roots of an event, none are kept with their states

--- Do measures occur in the list?
function readings.any(list)
  for _, item in ipairs(list) do if measures.of(item) then return true end end
  return false
end

--- What the core reads off the runs for the measures of a list; nil, and the measure that needs the whole run. p: of starts.prepare, from t0 to t1;
--- o: the options of the runs
function readings.plan(system, p, list, t0, t1, o)
  local plan = of_runs.new(t0, t1, o)
  for c, item in ipairs(list) do
    local m = measures.of(item)
    plan.take[c] = m and not contact.any(system) and of_runs.take(plan, p, m) or false
    if m and not plan.take[c] then return nil, item end
  end
  return plan
end

--- The plan with the terminal events of the runs, which lanes look for; as it is (nil: none) where one of the events is of another kind.
function readings.with_ends(system, plan, p, events, t0)
  if contact.any(system) then return plan end
  local more = { roots = {}, peaks = plan and plan.peaks or {}, means = plan and plan.means or {}, take = plan and plan.take or {} }
  for k, item in ipairs(plan and plan.roots or {}) do more.roots[k] = item end
  for _, event in ipairs(events) do
    if not event.terminal or event.hidden or not event.expression or p.observer:program{ event.expression }.needs_dynamics then return plan end
    of_runs.root(more, event.expression, event.direction, t0, NONE, true)
  end
  return more
end

readings.for_core, readings.has_programs = of_runs.for_core, of_runs.has_programs

--- The values of the measures of a run, by their places in the list, from what the core has read, and the refusals. The reader of p has its parameters;
--- projects: states handed out are on the constraints
function readings.values(plan, p, read, size, projects)
  local function evaluate(program, t, x) return p.observer:evaluate(program, p.reader, t, projects and states.tidied(p.reader, t, x) or x) end
  local function evaluate_all(program, times, list, n) return p.observer:evaluate_all(program, times, list, n) end
  return of_runs.values(plan, p, read, size, evaluate, not projects and evaluate_all or nil)
end

--- The list of what is kept without its measures.
function readings.without_measures(plan, list)
  local out = {}
  for c, item in ipairs(list) do out[c] = plan.take[c] and core.number(0) or item end
  return out
end

return readings
