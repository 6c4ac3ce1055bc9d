-- sweep.lua: S:sweep: many runs of one system over parameters and starts, in threads and vector lanes; a table whose rows are runs.
local answer = require "hamel.base.answer"
local balance = require "hamel.run.balance"
local compile = require "hamel.model.compile"
local contact = require "hamel.system.contact"
local contact_rows = require "hamel.model.contact_rows"
local core = require "hamel.core"
local files = require "hamel.base.files"
local fingerprint = require "hamel.run.fingerprint"
local hybrid = require "hamel.run.hybrid"
local measures = require "hamel.run.measures"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local Observer = require "hamel.model.observe"
local options = require "hamel.base.options"
local progress = require "hamel.base.progress"
local redundant = require "hamel.model.redundant"
local regularity = require "hamel.model.regularity"
local shards = require "hamel.analysis.shards"
local starts = require "hamel.run.preparation"
local simulate = require "hamel.run.simulate"
local start = require "hamel.model.start"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local Trajectory = require "hamel.run.trajectory"

local fail = object.fail
local Sweep = object.class "Sweep"

local own = {
  over = { type = "table", list = true,
           doc = "{ {name or symbol, values}, ... }: parameters, starts 'x' or 'q.x', velocities \"x'\" or 'v.x'; the last varies fastest" },
  n = { type = "number", from = 1, whole = true, doc = "number of runs, with each" },
  each = { type = "function", doc = "each(i) -> { q =, v =, parameters =, label = } of run i, in place of over" },
  times = { type = "table", list = true, doc = "times at which `keep` is kept, the last in place of t" },
  keep = { type = "table", doc = "expressions or names kept of each run: { 'x', energy = 'energy', speed = hm.sqrt(...) }, and numbers of the whole run: "
    .. "{ 'max x', 'mean energy', 'first event', top = hm.highest(y) }; the coordinates when not given" },
  threads = { default = 0, from = 0, to = 256, type = "number", whole = true, doc = "0: as many as the machine has" },
  lanes = { default = 0, from = 0, to = 8, type = "number", whole = true, doc = "runs side by side in one thread: 1, 4, 8; 0: the widest" },
  shard = { type = "string", doc = "a part of the runs: 'i/n' or 'auto' (Slurm arrays); --shard of the command line when not given" },
  out = { type = "string", doc = "a file (.jsonl) that rows are appended to as they finish; a second run goes on; --out of the command line" },
}
local schema = {}
for name, row in pairs(simulate.run_schema) do schema[name] = row end
for name, row in pairs(own) do schema[name] = row end
schema.record, schema.dense = nil, nil

local job_schema = {
  q = simulate.run_schema.q, v = simulate.run_schema.v, parameters = simulate.run_schema.parameters,
  label = { doc = "what the row is called: row.label, or a table of values by name that go into the row" },
}

-- What a row has by itself
local OF_A_ROW = { "index", "status", "reason", "t", "steps", "evaluations", "impacts", "switches", "events", "series", "inputs", "label", "failed",
  "checksum" }

-- ---- what the runs are

-- Where a name of `over` goes: a setter (q, v, parameters, value), and what the rows call it: starts are "q.x", "v.x", "x" is what is kept;
-- a parameter has its name, where a row has that already "parameters.name". The name of the parameter itself
local function target(system, name)
  local kind, rest = name:match "^([qv])%.(.+)$"
  local coordinate, parameter = rest or name:match "^(.-)'?$", name:match "^parameters%.(.+)$" or name
  if not kind and system._parameter[parameter] then
    return function(_, _, parameters, value) parameters[parameter] = value end,
      object.contains(OF_A_ROW, parameter) and "parameters." .. parameter or parameter, parameter
  end
  if system._coordinate[coordinate] then
    local velocity = kind == "v" or (not kind and name:sub(-1) == "'")
    return function(q, v, _, value) (velocity and v or q)[coordinate] = value end, (velocity and "v." or "q.") .. coordinate
  end
  local known = table.move(system.parameter_names, 1, #system.parameter_names, 1, {})
  table.move(system.coordinate_names, 1, #system.coordinate_names, #known + 1, known)
  fail("sweep: over: '%s' is neither a parameter nor a coordinate of %s%s", name, system.name, object.hint(name, known))
end

-- What varies may be a symbol: a parameter, a coordinate or its velocity
local function varied_name(given) return core.is_expression(given) and core.kind(given) == "symbol" and core.text(given) or given end

local function axes_of(system, over)
  local axes, total = {}, 1
  for i, item in ipairs(over) do
    local name = type(item) == "table" and varied_name(item[1])
    if type(name) ~= "string" or type(item[2]) ~= "table" or #item[2] == 0 then
      fail("sweep: over[%d] is {\"name\", {values}}", i)
    end
    for key in pairs(item) do
      if key ~= 1 and key ~= 2 then fail("sweep: over[%d] is {\"name\", {values}}; '%s' means nothing there", i, tostring(key)) end
    end
    local values, set, label, parameter = {}, target(system, name)
    for k, value in ipairs(item[2]) do
      values[k] = symbols.number(parameter and system:value_in_si(parameter, value, "sweep") or value)
      if not values[k] or values[k] ~= values[k] then fail("sweep: over: value %d of '%s' is %s, not a number", k, name, tostring(value)) end
      if parameter then compile.parameter_values(system, { [parameter] = values[k] }) end
    end
    for k = 1, i - 1 do if axes[k].name == label then fail("sweep: over has '%s' twice; give its values in one list", label) end end
    axes[i] = { name = label, values = values, set = set }
    total = total*#values
  end
  if #axes == 0 then fail("sweep: over is empty: over = { {\"m\", {1, 2, 3}} }") end
  if total > 1e8 then fail("sweep: %g runs are too many for one table; take parts of it", total) end
  return axes, total
end

local function copy(t)
  local result = {}
  for k, value in pairs(t or {}) do result[k] = value end
  return result
end

-- In stock Lua an interrupt is an error like others, "interrupted!"; it is not the reason of a failed start
local function rethrow_interrupt(ok, message)
  if ok then return end
  if core.host.interrupted() then error("interrupted", 0) end
  if tostring(message):find("interrupted", 1, true) then error(message, 0) end
end

-- A new row with what each(i) calls it
local function labelled(i, label, kept)
  if type(label) ~= "table" then return { label = label } end
  for name in pairs(label) do
    if object.contains(OF_A_ROW, name) or object.contains(kept, name) then
      fail("sweep: each(%d): label: a row has a '%s' already; choose another name", i, name)
    end
  end
  return copy(label)
end

-- q, v, parameters of run i, and its row
local function job_by_each(system, o, i, kept)
  local fine, job = pcall(o.each, i)
  rethrow_interrupt(fine, job)
  if not fine then fail("sweep: each(%d): %s", i, tostring(job)) end
  if type(job) ~= "table" then fail("sweep: each(%d) returned %s, not a table { q =, v =, parameters = }", i, type(job)) end
  options.check(("sweep: each(%d)"):format(i), job_schema, job)
  local q, v, parameters = copy(o.q), copy(o.v), copy(o.parameters)
  for into, from in pairs{ [q] = system:by_name(job.q, "q") or {}, [v] = system:by_name(job.v, "v") or {},
                           [parameters] = system:by_name(job.parameters, "parameters") or {} } do
    for name, value in pairs(from) do into[name] = value end
  end
  return q, v, parameters, labelled(i, job.label, kept)
end

-- A function i -> q, v, parameters, labels; the number of runs; names of the labels. kept: names of what is kept
local function jobs_of(system, o, kept)
  if o.each then
    if not o.n or o.over then fail("sweep: each goes with n, the number of runs, and without over") end
    return function(i) return job_by_each(system, o, i, kept) end, o.n, {}
  end
  if not o.over or o.n then fail("sweep: what varies is missing: over = { {\"m\", {1, 2, 3}} }, or n = 100 with each = function(i) ... end") end
  local axes, total = axes_of(system, o.over)
  local names = {}
  for i, axis in ipairs(axes) do names[i] = axis.name end
  return function(i)
    local q, v, parameters, labels, rest = copy(o.q), copy(o.v), copy(o.parameters), {}, i - 1
    for k = #axes, 1, -1 do
      local axis = axes[k]
      local value = axis.values[rest % #axis.values + 1]
      axis.set(q, v, parameters, value)
      labels[axis.name] = value
      rest = rest//#axis.values
    end
    return q, v, parameters, labels
  end, total, names
end

-- ---- what is kept

-- A name stands for one thing in a row
local function check_names(names, varied)
  for i, name in ipairs(names) do
    if object.contains(OF_A_ROW, name) or object.contains(varied, name) then
      fail("sweep: keep: a row has a '%s' already; choose another name, as in keep = { my_%s = \"%s\" }", name, (name:gsub("[^%w]", "_")), name)
    end
    for k = 1, i - 1 do if names[k] == name then fail("sweep: keep has '%s' twice", name) end end
  end
end

local function kept_of(system, o)
  local names, list = {}, {}
  if not o.keep then
    for i, q in ipairs(system:coordinate_list()) do names[i], list[i] = system.coordinate_names[i], q end
    return names, list
  end
  return measures.listed(o.keep, "sweep")
end

local function times_of(o)
  if type(o.t) == "table" then simulate.span(o.t) end
  local t0 = type(o.t) == "table" and symbols.number(o.t[1]) or 0
  if o.times then
    if #o.times == 0 then fail("sweep: times is empty") end
    local times = {}
    for i, t in ipairs(o.times) do times[i] = symbols.number(t) or fail("sweep: times[%d] is no number", i) end
    return t0, times
  end
  local t1 = o.t
  if type(t1) == "table" then t1 = symbols.number(t1[2]) end
  if type(t1) ~= "number" then fail("sweep: the end time t is missing, or times = {...}") end
  return t0, { t1 }
end

-- ---- runs in the core

local function add(flat, list) table.move(list, 1, #list, #flat + 1, flat) end

-- One workspace and observer serve all starts; parameters are set anew for each. happens: there are contacts or events
local function preparation(system, o)
  local E = system:equations(o.form, { dependent = o.dependent, mapping = o.mapping, reactions = o.reactions })
  if E.mu then fail("sweep: the form '%s' needs starts of its own multipliers; run it by S:simulate", o.form) end
  local model, spec = compile.model(E, nil, nil, o.executor, nil, true)
  local base = system:equations "lagrange"
  local base_model = E.from_velocities and compile.model(base) or model
  local symbols_of, values_of = compile.parameter_values(system)
  return { E = E, model = model, spec = spec, happens = hybrid.needed(system, {}, o.events), events = o.events, base = base, base_model = base_model,
           w = compile.workspace(base, base_model), reader = compile.workspace(E, model),
           symbols = symbols_of, defaults = values_of, names = system.parameter_names, observer = Observer.new(E), executor = o.executor,
           corners = regularity.has_corners(E) }
end

local function values_for(system, p, parameters)
  local _, values = compile.parameter_values(system, parameters)
  if #values ~= #p.defaults then fail("sweep: a parameter has no value; give it one in S:parameters or in `parameters`") end
  return values
end

-- Constraints that the others imply leave the model at the first start; they are the same at all
local function leave_out(p, names, open)
  local key = table.concat(names or {}, "|")
  if p.left_out and key ~= p.left_out then
    fail("sweep: near this start other constraints are redundant than near the first one (%s); run it by S:simulate", redundant.text(names or { "none" }))
  end
  if p.left_out then return end
  p.left_out = key
  if not names then return end
  redundant.check(p.E.system, names, open)
  p.model, p.spec = compile.model(p.E, nil, nil, p.executor, names, true)
  p.reader = compile.workspace(p.E, p.model)
end

-- The states of the form at a completed start, and the values of the parameters
local function start_of(system, p, t0, q, v, parameters)
  local values = values_for(system, p, parameters)
  if p.happens then v = starts.by_coordinate(system, { q = q, v = v, parameters = parameters }, t0) end
  if #values > 0 then p.w:set_parameters(values) end
  local x = start.complete(system, p.w, p.base_model:state_size(), t0, q, v, #p.base.velocities)
  if p.happens then starts.demand_inertia(system, p.base, parameters, t0, x) end
  if not p.E.from_velocities then
    leave_out(p, redundant.near(p.base, p.w, t0, x))
    return x, values
  end
  redundant.demand(p.E, p.base, p.w, t0, x)
  local inputs, n = { t0 }, #p.base.kin
  table.move(x, 1, 2*n, 2, inputs)
  add(inputs, values)
  p.carry = p.carry or (function()
    local list = { require "hamel.algebra.symbols".t }
    for _, more in ipairs{ p.base.kin, p.base.dyn, p.symbols } do add(list, more) end
    return core.program(list, p.E.from_velocities)
  end)()
  local own_states = table.move(x, 1, n, 1, {})
  for _, value in ipairs(p.carry:eval(inputs)) do
    if value ~= value then fail("the form '%s' is singular at the start", p.E.form) end
    own_states[#own_states + 1] = value
  end
  for i = #own_states + 1, p.model:state_size() do own_states[i] = 0.0 end
  return own_states, values
end

local function kept_values(p, program, values, t, x)
  if x[1] ~= x[1] then return nil end
  if #values > 0 then p.reader:set_parameters(values) end
  p.observer.values = values
  return p.observer:evaluate(program, p.reader, t, x)
end

-- Where `each` gives the runs, every row says where it began
local function inputs_of(q, v, parameters) return fingerprint.of{ q, v, parameters } end

local function did_not_start(self, row, i, reason)
  row.index, row.status, row.reason, row.t, row.steps = i, "START", tostring(reason), self.t0, 0
  return row
end

-- q, v, parameters of run i, and its row; where `each` fails only the row, which says so
local function job_or_row(self, o, job_of, i)
  if not o.each then return job_of(i) end
  local fine, q, v, parameters, row = pcall(job_of, i)
  rethrow_interrupt(fine, q)
  if not fine then
    self._faults, self._fault = self._faults + 1, self._fault or q
    return nil, nil, nil, did_not_start(self, {}, i, q)
  end
  row.index, row.inputs = i, inputs_of(q, v, parameters)
  return q, v, parameters, row
end

-- The starts of the runs, one after the other in flat lists; a run whose start fails has its row already
local function starts_of(self, system, o, job_of, indices, p)
  local s = { states = {}, parameters = {}, rows = {}, place = {}, values = {} }
  for _, i in ipairs(indices) do
    if core.host.interrupted() then return nil end
    local q, v, own_parameters, row = job_or_row(self, o, job_of, i)
    local ok, x, values
    if q then ok, x, values = pcall(start_of, system, p, self.t0, q, v, own_parameters) end
    if core.host.interrupted() then return nil end
    rethrow_interrupt(ok or not q, x)
    row.index = i
    s.rows[#s.rows + 1] = row
    if ok then
      s.place[#s.place + 1] = row
      add(s.states, x)
      add(s.parameters, values)
      s.values[row] = values
    elseif q then did_not_start(self, row, i, x) end
  end
  return s
end

-- Values that are not finite are none, and the row says so
local function finite(self, row, m, kept)
  for c, name in ipairs(kept and self.names or {}) do
    if kept[c] and kept[c] - kept[c] ~= 0 then
      if row.status == "OK" then
        row.status, row.reason = "NOT_FINITE", ("keep: '%s' is %s at t = %.10g"):format(name, kept[c] == kept[c] and "infinite" or "not a real number",
          self.times[m])
      end
      kept[c] = nil
    end
  end
end

-- What is kept goes into the row: with times a series of rows, whose last values stand in the row as well; values at an event only there
local function keep_at(self, o, row, m, kept, at_event)
  local into = row
  finite(self, row, m, kept)
  if o.times and not at_event then
    row.series = row.series or {}
    into = { t = self.times[m] }
    row.series[m] = kept and into or nil
  end
  for c, name in ipairs(self.names) do into[name] = kept and kept[c] or nil end
  if o.times and m == #self.times and kept then for c, name in ipairs(self.names) do row[name] = kept[c] end end
end

-- With contacts: the forces at a kept state are known, in the mode that holds there
local Known = {}
Known.__index = Known
function Known:set_state() return self end
function Known:acceleration() return self.a end
function Known:multipliers() return self.lambda end

local function part(list, n, k) return table.move(list, (k - 1)*n + 1, k*n, 1, {}) end

local function kept_with_contacts(p, program, values, t, x, solution)
  if x[1] ~= x[1] then return nil end
  local n = #p.E.dyn
  p.observer.values = values
  local known = setmetatable({ a = table.move(solution, 1, n, 1, {}), lambda = table.move(solution, n + 1, #solution, 1, {}) }, Known)
  return p.observer:evaluate(program, known, t, x)
end

local function has_fixed_steps(o) return methods.is_fixed(o.method) end

-- The times of the sweep and where they stand among those at which the core gives states: more of them, where a run is judged by what is on the
-- way. Between them lie whole steps of one size, or else (step 0) equal times
local function times_with_looks(self, step)
  local LOOKS, times, places, a = 100, {}, {}, self.t0
  local span = math.abs(self.times[#self.times] - a)
  local each = step > 0 and step*math.max(1, math.ceil(span/step/LOOKS)) or span/LOOKS
  for m, b in ipairs(self.times) do
    local direction = b < a and -1 or 1
    for k = 1, each > 0 and math.ceil(math.abs(b - a)/each - 0.5) - 1 or 0 do times[#times + 1] = a + direction*each*k end
    times[#times + 1], places[m], a = b, #times + 1, b
  end
  return times, places
end

-- A run with contacts or events that could not start has a row as by S:simulate
local function note_start(self, row, from)
  if from.steps > 0 or from.t ~= self.t0 or from.status == "OK" or from.status == "EVENT" or from.status == "MEMORY" then return end
  local advice = from.advice
  row.status, row.reason = "START", from.reason .. ((advice == "" or advice == "see the message") and "" or "; " .. advice)
end

-- Start and kept states of a run, as balance.lua reads them from a run
local Kept = {}
Kept.__index = Kept
function Kept:points() return #self.states + 1 end
function Kept:time(i) return i == 1 and self.t0 or self.times[i - 1] end
function Kept:state(i)
  local x = i == 1 and self.first or self.states[i - 1]
  return table.move(x, 1, #x, 1, {})
end

-- A run that passes a corner of a constraint ends there, as by S:simulate; true where it does
local function ends_at_corner(self, p, row, raw)
  local i, t, message = regularity.corner({ raw = raw, equations = p.E, observer = p.observer, workspace = p.reader }, false)
  if not i then return false end
  row.status, row.reason, row.t = "SINGULAR", ("stopped at t = %.15g: %s"):format(t, message), t
  for _, name in ipairs(self.names) do row[name] = nil end
  for m, time in ipairs(self.times) do
    if row.series and math.abs(time - self.t0) > math.abs(t - self.t0) then row.series[m] = nil end
  end
  return true
end

-- The verdict of S:simulate on the energy balance and the constraints of a run that reached its end; raw: its Kept. The reader has the parameters
local function judge(p, o, row, raw)
  local outcome = { status = row.status, t = row.t, steps = row.steps, doubt = row.reason }
  balance.check({ raw = raw, options = o, workspace = p.reader, model = p.model, equations = p.E, outcome = outcome }, has_fixed_steps(o))
  if outcome.status ~= row.status then row.status, row.reason = outcome.status, outcome.message end
end

-- Contacts as the core runs them, made once: the model they belong to is known when the first start is
local function hybrid_of(system, p)
  if not p.happens then return nil end
  p.hybrid = p.hybrid or hybrid.new(system, p.E, p.spec, p.reader, p.observer, p.events)
  return p.hybrid.core
end

-- given: the times at which the core gave states, and which of these belong to the sweep
local function fill_row(self, o, p, program, row, from, s, k, given)
  local values, size, list, times = s.values[row], p.model:state_size(), {}, given.times
  row.status, row.reason, row.t, row.steps, row.evaluations = from.status, from.reason, from.t, from.steps, from.evaluations
  if from.status == "INTERRUPTED" then return end
  for m = 1, #times do list[m] = part(given.states, size, (k - 1)*#times + m) end
  for m, t in ipairs(self.times) do
    local place = given.places and given.places[m] or m
    if p.happens then
      local at_event = m == #self.times and from.status == "EVENT"
      local solution = part(given.solutions, p.solution, (k - 1)*#times + place)
      keep_at(self, o, row, m, kept_with_contacts(p, program, values, at_event and from.t or t, list[place], solution), at_event)
    else
      keep_at(self, o, row, m, kept_values(p, program, values, t, list[place]))
    end
  end
  if p.happens then
    row.impacts, row.switches, row.events = from.impacts, from.switches, hybrid.counts(p.hybrid.events, from.meetings)
    note_start(self, row, from)
  end
  if row.status ~= "OK" then return end
  if #values > 0 then p.reader:set_parameters(values) end
  local raw = setmetatable({ t0 = self.t0, times = times, first = part(s.states, size, k), states = list }, Kept)
  if not (p.corners and ends_at_corner(self, p, row, raw)) then judge(p, o, row, raw) end
end

-- The rows of the runs that ended
local function in_core(self, system, o, job_of, indices, tell, p)
  local s = starts_of(self, system, o, job_of, indices, p)
  if not s then return {} end
  local contacts, tidy = hybrid_of(system, p), Trajectory.tidy
  local program = p.observer:program(self._list)
  local run_options, ended = {}, {}
  for name in pairs(simulate.run_schema) do run_options[name] = o[name] end
  run_options.keep = nil
  local on_constraints = o.project and not p.E.watched and #p.E.positions + #p.E.velocities > 0
  local given, before = { times = self.times }, core.host.clock()
  -- constraints that nothing holds may be off on the way only, and those with corners turned off their branch
  local drifts = not o.project and not p.E.watched and #p.E.positions + #p.E.velocities > 0
  local looks, fixed = drifts or p.corners, has_fixed_steps(o)
  if fixed or looks then given.times, given.places = times_with_looks(self, fixed and o.step or 0) end
  local rows
  given.states, rows, given.solutions = core.ensemble(p.model, run_options, self.t0, given.times, s.states,
    #s.parameters > 0 and s.parameters or nil, o.threads, o.lanes, tell, contacts, on_constraints and tidy.rtol or 0, on_constraints and tidy.atol or 0,
    looks and not fixed and not p.happens)
  self.run_seconds = self.run_seconds + core.host.clock() - before
  p.solution = #s.place > 0 and #given.solutions//(#s.place*#given.times) or 0
  for k, row in ipairs(s.place) do fill_row(self, o, p, program, row, rows[k], s, k, given) end
  for _, row in ipairs(s.rows) do if row.status ~= "INTERRUPTED" then ended[#ended + 1] = row end end
  return ended
end

-- ---- runs one after the other: functions in Lua

local function event_function(events)
  for key, event in pairs(events or {}) do
    local is_table = type(event) == "table"
    if type(event) == "function" or is_table and type(event.when) == "function" then return is_table and event.name or tostring(key) end
  end
end

-- Why the runs go one after the other; nil: they need not
local function alone_because(system, o, list)
  for _, item in ipairs(list) do if measures.of(item) then return ("'%s' is read off the whole run"):format(tostring(item)) end end
  local force, event = system:external_forces()[1], event_function(o.events)
  if force then return ("the force on '%s' is a Lua function"):format(core.text(force.coordinate)) end
  if event then return ("the event '%s' is a Lua function"):format(event) end
  for _, gap in ipairs(system.gaps) do
    if type(gap.law) == "function" then return ("the law of '%s' is a Lua function"):format(gap.name) end
  end
  if contact.any(system) and o.form == "whole course" then return "the form 'whole course' with contacts" end
end


-- What is kept of a run at time t; what is read off the whole run at the last time only
local function kept_of_run(self, run, t, is_last)
  local kept = {}
  for c, item in ipairs(self._list) do
    local m = measures.of(item)
    if not m then kept[c] = run:values_at(t, { item })[1]
    elseif is_last then kept[c] = measures.value(run, m) end
  end
  return kept
end

local function keeps_whole_runs(self)
  for _, item in ipairs(self._list) do if measures.of(item) then return true end end
  return false
end

local function run_one(self, system, o, q, v, parameters, row)
  local given = {}
  for name in pairs(simulate.run_schema) do given[name] = o[name] end
  given.progress = false               -- the sweep has a line of its own
  given.q, given.v, given.t, given.parameters, given.dense = q, v, { self.t0, self.times[#self.times] }, parameters, o.times ~= nil or keeps_whole_runs(self)
  if next(parameters) == nil then given.parameters = nil end
  if not given.dense then given.record = "ends" end
  local ok, run = pcall(system.simulate, system, given)
  rethrow_interrupt(ok, run)
  if not ok then
    did_not_start(self, row, row.index, run)
    return
  end
  row.status, row.reason, row.t, row.steps = run.outcome.status, run.reason, run.outcome.t, run.outcome.steps
  row.evaluations, row.impacts, row.switches = run.outcome.evaluations, run.outcome.impacts, run.outcome.switches
  row.events = run.hybrid and hybrid.counts(run.hybrid.events, run.hybrid.core:meetings())
  local direction = self.times[#self.times] < self.t0 and -1 or 1
  for m, t in ipairs(self.times) do
    if direction*(run.outcome.t - t) >= 0 then keep_at(self, o, row, m, kept_of_run(self, run, t, m == #self.times)) end
  end
  if row.status == "EVENT" then keep_at(self, o, row, #self.times, kept_of_run(self, run, run.outcome.t, true), true) end
end

local function one_by_one(self, system, o, job_of, indices, tell)
  local failed, ended = 0, {}
  for done, i in ipairs(indices) do
    if core.host.interrupted() then break end
    local q, v, parameters, row = job_or_row(self, o, job_of, i)
    row.index = i
    local fine, problem = true, nil
    if q then fine, problem = pcall(run_one, self, system, o, q, v, parameters, row) end
    -- what an interrupt may have touched is not kept
    if core.host.interrupted() then break end
    if not fine then error(problem, 0) end
    ended[done] = row
    if not shards.ended(row) then failed = failed + 1 end
    tell(done, failed)
  end
  return ended
end

-- ---- parts: the numbers of the runs that are ours and not yet in the file; the size of the portions after which the file and the table grow

-- What determines the rows, for the first line of a file
local function identity_of(system, o, total, names, list, t0, times)
  local method = {}
  for _, name in ipairs{ "method", "form", "dependent", "step", "max_step", "first_step", "max_steps", "project" } do method[name] = o[name] end
  local E = system:equations(o.form == "whole course" and "lagrange" or o.form, { dependent = o.dependent, mapping = o.mapping, reactions = o.reactions })
  return shards.header({
    equations = fingerprint.equations_text(E) .. fingerprint.text{ system.gaps, system.frictions, system.force_list, o.reactions },
    values = fingerprint.text{ system._values, o.parameters }, start = fingerprint.text{ q = o.q, v = o.v, mu = o.mu }, method = fingerprint.text(method),
    tolerances = fingerprint.text{ o.rtol, o.atol }, grid = fingerprint.text{ o.over or "each", total }, times = fingerprint.text{ t0, times },
    keep = fingerprint.text{ names, list, o.events },
  }, total)
end

local function check_inputs(row, path, job_of)
  if core.host.interrupted() then fail("interrupted") end
  local q, v, parameters = job_of(row.index)
  if row.inputs ~= inputs_of(q, v, parameters) then
    fail("sweep: %s holds another run %d than each(%d) gives now: remove it, or take another name for out; each(i) must depend on i alone",
      path, row.index, row.index)
  end
end

-- The indices that are to run, the name of the file, the rows it holds already
local function own_runs(o, total, job_of, identity)
  local from_line, out_line = shards.from_command_line(rawget(_G, "arg"))
  local i, n = shards.read(o.shard or from_line)
  local process, processes = shards.process()
  if processes > 1 then
    if i or o.out or out_line then fail("sweep: under mpirun the processes share the runs; shard and out are for runs without it") end
    i, n = process + 1, processes
  end
  local out, list, rows = o.out or out_line, {}, {}
  if out and not out:find "%.jsonl$" then fail("sweep: out is the name of a file that ends in .jsonl") end
  local done = out and shards.begin(out, identity()) or {}
  for index = i or 1, total, n or 1 do
    local row = done[index]
    if row and o.each then check_inputs(row, out, job_of) end
    if row then rows[#rows + 1] = row else list[#list + 1] = index end
  end
  return list, out, rows
end

local function in_portions(self, o, list, out, run)
  local line <close> = progress.line("sweep", #list, o.progress)
  local size = out and math.max(64, math.min(4096, #list//20)) or math.max(8192, #list//20)
  local failed_before = 0
  for first = 1, #list, size do
    local ended = run(table.move(list, first, math.min(first + size - 1, #list), 1, {}),
      function(done, failed) line:update(first - 1 + done, failed_before + failed) end)
    if out and #ended > 0 then shards.append(out, ended) end
    table.move(ended, 1, #ended, #self + 1, self)
    for _, row in ipairs(ended) do if not shards.ended(row) then failed_before = failed_before + 1 end end
    if core.host.interrupted() then return end
  end
end

-- What the runs have in common
local function about(system, o, t0, times)
  local parameters = {}
  for i, name in ipairs(system.parameter_names) do
    local value = system._values[name]
    parameters[i] = name .. " = " .. (value and system:value_text(name, value) or "(varied)")
  end
  return {
    "program: " .. files.program(), "system: " .. system.name, "parameters unless varied: " .. table.concat(parameters, ", "), "form: " .. o.form,
    "method: " .. o.method, ("tolerances: rtol = %s, atol = %s"):format(object.number(o.rtol), object.number(o.atol)),
    ("time: %s to %s"):format(object.number(t0), object.number(times[#times])),
  }
end

local function all_runs(sweep, self, o, job_of, ours, out)
  sweep._alone = alone_because(self, o, sweep._list)
  if sweep._alone then
    in_portions(sweep, o, ours, out, function(indices, tell) return one_by_one(sweep, self, o, job_of, indices, tell) end)
    return
  end
  local p = preparation(self, o)
  -- over a grid all runs have values of the same parameters
  if o.over and ours[1] then values_for(self, p, select(3, job_of(ours[1]))) end
  if contact.any(self) then p.observer:add_contacts(contact_rows.spec(self)) end
  for i, item in ipairs(sweep._list) do sweep._list[i] = p.observer:expression(item) end
  in_portions(sweep, o, ours, out, function(indices, tell) return in_core(sweep, self, o, job_of, indices, tell, p) end)
end

-- What an interrupt is answered with, and the sweep
local function swept(self, given)
  local o = options.check("sweep", schema, given)
  simulate.check_method(self, o)
  o.q, o.v, o.parameters = self:by_name(o.q, "q"), self:by_name(o.v, "v"), self:by_name(o.parameters, "parameters")
  local names, list = kept_of(self, o)
  local job_of, total, varied = jobs_of(self, o, names)
  check_names(names, varied)
  local t0, times = times_of(o)
  if o.lanes ~= 0 and o.lanes ~= 1 and o.lanes ~= 4 and o.lanes ~= 8 then fail("sweep: lanes = %d: there are 1, 4 or 8 (0: the widest)", o.lanes) end
  local ours, out, rows = own_runs(o, total, job_of, function() return identity_of(self, o, total, names, list, t0, times) end)
  local sweep = setmetatable({ system = self.name, names = names, varied = varied, t0 = t0 + 0.0, times = times, run_seconds = 0.0, total = #ours + #rows,
                               interrupted = false, _faults = 0, _fault = false, _list = list, _about = about(self, o, t0, times) }, Sweep.meta)
  local begun = core.host.clock()
  local fine, problem = pcall(all_runs, sweep, self, o, job_of, ours, out)
  sweep.interrupted = core.host.interrupted()
  if #rows > 0 then
    table.move(rows, 1, #rows, #sweep + 1, sweep)
    table.sort(sweep, function(a, b) return a.index < b.index end)
  end
  if not fine and not sweep.interrupted then error(problem, 0) end
  -- where no run could be made, `each` is what is wrong
  if sweep._faults > 0 and sweep._faults == sweep.total then error(sweep._fault, 0) end
  local _, processes = shards.process()
  if processes > 1 then
    local all = shards.share(sweep)
    for k = #sweep, 1, -1 do sweep[k] = nil end
    table.move(all, 1, #all, 1, sweep)
  end
  sweep.seconds = core.host.clock() - begun
  return ("interrupted: %d of %d runs are finished"):format(#sweep, sweep.total), sweep
end

--- Many runs of the system: S:sweep{ over = { {"m", {1, 2, 3}}, {"v.theta", hm.range(0, 1, 11)} }, q =, v =, t =, rtol =, ... }, a grid whose last
--- name varies fastest; or n = 1000, each = function(i) return { q =, v =, parameters = } end. Options of S:simulate besides. A terminal event
--- ends a run with the status "EVENT" (row.t: when), and the row keeps the values there.
--- keep = { "x", energy = "energy", ... } names what is kept at the end, or at each of times = {...} (row.series). "max x", "min x", "mean x",
--- "first event", "count wall", or hm.highest(x), ... are numbers of the whole run, as by run:keep; such runs go one after the other. Rows are runs:
--- sweep[i] = { index =, <what varies: m, ["q.x"], ["v.x"]>, status =, reason =, t =, steps =, <what is kept> }; a run that fails, or cannot
--- start, stays as a row, and so does one for which `each` raises; where `each` raises for all of them, the sweep does. status is that of
--- S:simulate, so "INACCURATE" where the energy balance or a constraint is off by far more than the tolerances explain. A kept value that is not
--- finite is left out, and the status of its row is "NOT_FINITE". A parameter named like what a row has itself is called "parameters.steps" there.
--- Threads and vector lanes (of dop853 and taylor) do the work where equations are formulas (the same bits for any number of threads; lanes differ from single
--- runs by some units in the last place). Contacts, friction and events run in threads too, to the numbers of S:simulate, and rows count impacts and
--- switches, and events by name (row.events.top). Forces, laws and events in Lua make the runs go one after the other; print(sweep) says so.
--- Ctrl-C stops the sweep: the table with the finished runs is returned and assigned (sweep.interrupted, sweep.total: the number of all runs),
--- then "interrupted" is raised.
--- Beyond one machine: `hamel sweep.lua --shard 3/64 --out part3.jsonl` (or --shard auto under Slurm arrays, or the options shard and out) runs
--- every 64th run and appends rows to the file as they finish; started again it goes on with the rows of the file in its table, failed runs are tried
--- again; a file of another sweep is refused. hamel merge joins the parts.
--- Built with -DHAMEL_MPI=ON, `mpirun -n 8 hamel sweep.lua` deals the runs out to the processes, the first of which works too; every process gets the
--- whole table, the first one alone prints and saves.
function System:sweep(given) return core.host.hold(answer.dressing(swept), self, given) end

-- ---- the table

--- Rows whose run ended neither at the end time nor by an event.
function Sweep:failed()
  local list = {}
  for _, row in ipairs(self) do if not shards.ended(row) then list[#list + 1] = row end end
  return list
end

--- One column as a list; nan where a run has no value.
function Sweep:column(name)
  local known = { "index", "status", "t", "steps" }
  for _, list in ipairs{ self.varied, self.names } do table.move(list, 1, #list, #known + 1, known) end
  if not object.contains(known, name) then fail("sweep: there is no column '%s'%s", tostring(name), object.hint(tostring(name), known)) end
  local list = {}
  for i, row in ipairs(self) do
    list[i] = row[name]
    if list[i] == nil then list[i] = 0/0 end
  end
  return list
end

local function columns(self)
  local list = { "index" }
  table.move(self.varied, 1, #self.varied, 2, list)
  for _, name in ipairs{ "status", "t", "steps" } do list[#list + 1] = name end
  table.move(self.names, 1, #self.names, #list + 1, list)
  return list
end

local function cell(value, exact)
  if value == nil then return "" end
  if math.type(value) == "float" then return exact and object.number(value) or ("%.6g"):format(value) end
  return tostring(value)
end

function Sweep.meta.__tostring(self)
  local failed = #self:failed()
  local events = 0
  for _, row in ipairs(self) do if row.status == "EVENT" then events = events + 1 end end
  local verdict = failed > 0 and failed .. " did not reach the end" or events > 0 and "none failed" or "all reached the end"
  if events > 0 then verdict = verdict .. (", %d ended by an event"):format(events) end
  local count = self.interrupted and ("interrupted, %d of %d runs"):format(#self, self.total) or #self .. " runs"
  local lines = { ("sweep of %s: %s, %s, %.3g s"):format(self.system, count, verdict, self.seconds or 0) }
  local heads, rows, widths = columns(self), {}, {}
  local shown = math.min(#self, 12)
  for c, head in ipairs(heads) do widths[c] = utf8.len(head) or #head end
  for i = 1, shown do
    rows[i] = {}
    for c, head in ipairs(heads) do
      rows[i][c] = cell(self[i][head])
      widths[c] = math.max(widths[c], #rows[i][c])
    end
  end
  local function line(words)
    local out = {}
    for c, word in ipairs(words) do out[c] = (" "):rep(widths[c] - (utf8.len(word) or #word)) .. word end
    return ("  " .. table.concat(out, "  "))
  end
  if rawget(self, "_alone") then lines[#lines + 1] = "  runs one after the other: " .. self._alone end
  lines[#lines + 1] = line(heads)
  for i = 1, shown do lines[#lines + 1] = line(rows[i]) end
  if shown < #self then lines[#lines + 1] = ("  ... %d rows more"):format(#self - shown) end
  -- why the first one with each status has it
  local said = {}
  for _, row in ipairs(self) do
    if row.reason and not said[row.status] and row.status ~= "EVENT" then
      said[row.status] = true
      lines[#lines + 1] = ("  row %d, %s: %s"):format(row.index, row.status, row.reason)
    end
  end
  return table.concat(lines, "\n")
end

local function save_npz(self, path)
  local arrays, count = {}, 0
  for _, name in ipairs(columns(self)) do if name ~= "status" then arrays[#arrays + 1] = { name, {} } end end
  arrays[#arrays + 1] = { "failed", {} }
  for _, row in ipairs(self) do
    for _, values in ipairs(row.series or { row }) do
      count = count + 1
      for _, array in ipairs(arrays) do
        local value = values[array[1]]
        if value == nil then value = row[array[1]] end
        array[2][count] = type(value) == "number" and value or 0/0
      end
      arrays[#arrays][2][count] = shards.ended(row) and 0 or 1
    end
  end
  files.write("sweep:save", path, core.npz(arrays))
  return count
end

-- The columns that hold numbers: there, what a run has no value of is nan
local function with_numbers(self, heads)
  local found = {}
  for _, row in ipairs(self) do
    for _, values in ipairs(row.series or { row }) do
      for _, head in ipairs(heads) do found[head] = found[head] or type(values[head] == nil and row[head] or values[head]) == "number" end
    end
  end
  return found
end

--- Saves the table as CSV: header lines "# key: value", a line of names, 17 digits; reasons of failures in the last column. With times, one
--- line for each run and time. A name that ends in .npz gives NumPy arrays of the columns, and `failed` (0 or 1) for the status.
function Sweep:save(path)
  if shards.process() > 0 then return #self end                        -- the first process writes
  if type(path) == "string" and path:find "%.npz$" then return save_npz(self, path) end
  if type(path) ~= "string" or not path:find "%.csv$" then fail("sweep:save takes the name of a file that ends in .csv or .npz") end
  local heads, lines = columns(self), {}
  local words, numbers = {}, with_numbers(self, heads)
  for i, head in ipairs(heads) do words[i] = files.field(head) end
  words[#words + 1] = "reason"
  lines[1] = table.concat(words, ",")
  local header = files.header(self._about)
  if self.interrupted then header[#header + 1] = ("# interrupted: %d of %d runs"):format(#self, self.total) end
  for _, row in ipairs(self) do
    for _, values in ipairs(row.series or { row }) do
      local out = {}
      for i, head in ipairs(heads) do
        local value = values[head]
        if value == nil then value = row[head] end
        out[i] = value == nil and numbers[head] and "nan" or files.field(cell(value, true))
      end
      out[#out + 1] = files.field(row.status ~= "OK" and row.reason or "")
      lines[#lines + 1] = table.concat(out, ",")
    end
  end
  files.write("sweep:save", path, table.concat(header, "\n") .. "\n" .. table.concat(lines, "\n") .. "\n")
  return #lines - 1
end

options.declare("sweep", schema)

return Sweep
