-- sweep.lua: S:sweep: many runs of one system over parameters and starts; a table whose rows are runs.
local answer = require "hamel.base.answer"
local contact = require "hamel.system.contact"
local contact_rows = require "hamel.model.contact_rows"
local core = require "hamel.core"
local files = require "hamel.base.files"
local idle = require "hamel.analysis.idle"
local in_threads = require "hamel.analysis.sweep.threads"
local jobs = require "hamel.analysis.sweep.jobs"
local measures = require "hamel.run.measures"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local parts = require "hamel.analysis.sweep.parts"
local preparation = require "hamel.run.preparation"
local quantities = require "hamel.system.quantities"
local readings = require "hamel.analysis.sweep.readings"
local rows = require "hamel.analysis.sweep.rows"
local shards = require "hamel.analysis.shards"
local simulate = require "hamel.run.simulate"
local single = require "hamel.analysis.sweep.single"
local starts = require "hamel.analysis.sweep.starts"
local Sweep = require "hamel.analysis.sweep.table"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local protected = require "hamel.base.protected"
local remarks = require "hamel.base.remarks"

local fail = object.fail

local own = {
  over = { type = "table", list = true,
           doc = "{ {name or symbol, values}, ... }: parameters, starts 'x' or 'q.x', velocities \"x'\" or 'v.x'; the last varies fastest" },
  where = { type = "table", list = true, doc = "conditions on starts, { {expression, value}, ... }, from which missing velocities are found" },
  branch = { type = "table", doc = "of two velocities found from a level such as the energy: { x = -1 } takes the smaller one; default: the larger one" },
  n = { type = "number", from = 1, whole = true, doc = "number of runs, with each" },
  each = { type = "function", doc = "each(i) -> { q =, v =, parameters =, label = } of run i, in place of over" },
  times = { type = "table", list = true, doc = "times at which the values of `keep` are stored; the last one replaces t" },
  keep = { type = "table", doc = "values to keep of each run, names or expressions: { 'x', energy = 'energy', speed = hm.sqrt(...) }, and measures: "
    .. "{ 'max x', 'mean energy', 'first event', top = hm.highest(y) }; default: the coordinates" },
  threads = { default = 0, from = 0, to = 256, type = "number", whole = true, doc = "0: as many as the machine has" },
  lanes = { default = 0, from = 0, to = 8, type = "number", whole = true, doc = "runs side by side in one thread: 1, 4, 8; 0: the widest" },
  shard = { type = "string", doc = "a part of the runs: 'i/n' or 'auto' (Slurm arrays); --shard of the command line when not given" },
  out = { type = "string", doc = "a file (.jsonl) to which rows are appended as they finish; a second call continues it; default: --out of the command line" },
}
local schema = {}
for name, row in pairs(simulate.run_schema) do schema[name] = row end
for name, row in pairs(own) do schema[name] = row end
schema.record, schema.dense, schema.checkpoint, schema.every = nil, nil, nil, nil

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

-- The lines of the header of a file: all that the runs have in common
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

-- The runs with the columns computed from their rows; columns.finish(rows, again) returns the rows that are complete
local function finishing(sweep, run, system, o, job_of)
  local finish = sweep._columns.finish
  local function again(row, form)
    local given = object.copied(o)
    given.form, row.reason, row.series, row.flat = form, nil, nil, nil
    single.again(sweep, system, given, job_of, row)
  end
  return finish and function(indices, tell) return finish(run(indices, tell), again) end or run
end

-- Runs whose times depend on their parameters, those with the same times together. The rows in the order of their indices. A run that has no times does
-- not start
local function with_own_times(sweep, job_of, run)
  local own_times = sweep._columns.times_of
  if not own_times then return run end
  return function(indices, tell)
    local groups, order, all, failed = {}, {}, {}, 0
    for _, i in ipairs(indices) do
      local _, _, parameters, row = job_of(i)
      local fine, times = protected(own_times, parameters)
      jobs.rethrow_interrupt(fine, times)
      if not fine then
        sweep._faults, sweep._fault = sweep._faults + 1, sweep._fault or times
        all[#all + 1], failed = rows.did_not_start(sweep, row, i, times), failed + 1
      else
        if not groups[times] then groups[times], order[#order + 1] = {}, times end
        table.insert(groups[times], i)
      end
    end
    local before = sweep.times
    for _, times in ipairs(order) do
      sweep.times = times
      local done = #all
      for _, row in ipairs(run(groups[times], function(more, wrong) tell(done + more, failed + wrong) end)) do
        all[#all + 1] = row
        if not shards.ended(row) then failed = failed + 1 end
      end
      if core.host.interrupted() then break end
    end
    sweep.times = before
    table.sort(all, function(a, b) return a.index < b.index end)
    return all
  end
end

-- The preparation of runs in threads; without it, why the runs are made one after the other
local function prepared(sweep, self, o)
  local why, measured = single.because(self, o), readings.any(sweep._items)
  local function whole(item) return nil, ("'%s' is read off the whole run"):format(tostring(item)) end
  if why then return nil, why end
  if measured and (contact.any(self) or self:equations(o.form, { dependent = o.dependent, mapping = o.mapping, reactions = o.reactions }).mu) then
    for _, item in ipairs(sweep._items) do if measures.of(item) then return whole(item) end end
  end
  local p = starts.prepare(self, o, preparation.direction({ t = sweep.times[#sweep.times] }, sweep.t0))
  if not measured then return p end
  local plan, item = readings.plan(self, p, sweep._items, sweep.t0, sweep.times[#sweep.times], o)
  if not plan then return whole(item) end
  p.readings = plan
  return p
end

local function all_runs(sweep, self, o, job_of, ours, out)
  local p, why = prepared(sweep, self, o)
  sweep._alone = why
  if why then
    local function alone(indices, tell) return single.run(sweep, self, o, job_of, indices, tell) end
    parts.in_portions(sweep, o, ours, out, finishing(sweep, with_own_times(sweep, job_of, alone), self, o, job_of))
    return
  end
  -- over a grid all runs have values of the same parameters
  if o.over and ours[1] then starts.values_for(self, p, select(3, job_of(ours[1]))) end
  if contact.any(self) then p.observer:add_contacts(contact_rows.spec(self, p.E.whole_course or nil)) end
  sweep._list = p.readings and readings.without_measures(p.readings, sweep._items) or sweep._list
  for i, item in ipairs(sweep._list) do sweep._list[i] = p.observer:expression(item) end
  local function together(indices, tell) return in_threads(sweep, self, o, job_of, indices, tell, p) end
  parts.in_portions(sweep, o, ours, out, finishing(sweep, with_own_times(sweep, job_of, together), self, o, job_of))
end

-- over = { mu = {0, 0.1} } as a list; several names need an order, since the last one varies fastest
local function with_listed_axes(given)
  local over = type(given) == "table" and given.over
  if type(over) ~= "table" or getmetatable(over) or #over > 0 or next(over) == nil then return given end
  local name, values = next(over)
  if next(over, name) ~= nil then
    fail("sweep: over by several names needs their order: over = { {\"m\", {1, 2}}, {\"k\", {3, 4}} }; the last one varies fastest")
  end
  local o = object.copied(given)
  o.over = { { name, values } }
  return o
end

-- Times a few runs instead, and ends the script (hamel submit)
local function on_trial(sweep, self, o, job_of, total)
  o.threads, o.progress = 1, false
  shards.trial(total, function(indices)
    all_runs(sweep, self, o, job_of, indices)
    if core.host.interrupted() then error("interrupted", 0) end
    if #sweep:failed() == #sweep then fail("%s: all runs that were timed failed: %s", sweep._columns.what, tostring(sweep[1].reason)) end
  end, function() return sweep._alone or sweep._columns.alone end)
end

-- Adds to the notes the varied parameters that change nothing. Other forms do not have Lagrange's equations at hand
local function note_idle(self, o, varied, notes)
  if not o.over or o.form ~= "lagrange" or not self._T then return end
  local axes = {}
  for i, item in ipairs(o.over) do if core.is_expression(item[1]) and core.kind(item[1]) ~= "symbol" then axes[i] = item[1] else axes[i] = 0 end end
  local things = { axes, { self._T, self._V or 0 }, self._defined, o.where or {}, o.events or {}, o.keep or {} }
  for _, name in ipairs(idle.among(self, varied, things)) do notes[#notes + 1] = ("nothing depends on '%s'"):format(name) end
end

-- Raises for the options of S:simulate by which a run stores states, of which rows have none
local function demand_no_states(what, given)
  for _, name in ipairs(type(given) == "table" and { "dense", "record" } or {}) do
    if given[name] ~= nil then
      fail("%s: '%s' is for a single run: rows store no states between their ends, only the values of keep = {...} at t, or at each of times = {...}; leave it "
        .. "out. S:simulate{ dense = false } makes the steps of a row that keeps values at t alone", what, name)
    end
  end
end

-- The message of an interrupt, and the sweep. columns: see Sweep.with
local function swept(self, given, columns)
  columns = columns or { what = "sweep" }
  simulate.demand_no_checkpoint(columns.what, given, "out = \"rows.jsonl\" keeps the rows that are finished, and the same call goes on")
  demand_no_states(columns.what, given)
  local o = options.check("sweep", schema, quantities.in_seconds(self, "sweep", with_listed_axes(given)), self)
  methods.expand(o)
  simulate.check_method(self, o)
  o = jobs.by_name(self, o)
  local names, list = rows.kept(self, o)
  local job_of, total, varied, notes = jobs.of(self, o, names, columns.reserved)
  rows.check_names(names, varied)
  local t0, times = times_of(o)
  if o.lanes ~= 0 and o.lanes ~= 1 and o.lanes ~= 4 and o.lanes ~= 8 then fail("sweep: lanes = %d: there are 1, 4 or 8 (0: the widest)", o.lanes) end
  local lines = about(self, o, t0, times)
  local ours, out, ready = parts.own_runs(columns.what, o, total, job_of, function()
    return parts.identity(self, o, total, names, list, t0, times, columns.about, { varied = varied, names = columns.names or names },
      lines)
  end)
  local sweep = setmetatable({ system = self.name, names = names, varied = varied, t0 = t0 + 0.0, times = times, run_seconds = 0.0, total = #ours + #ready,
                               interrupted = false, _columns = columns, _faults = 0, _fault = false, _list = list, _items = list, _declared = self,
                               _keep = o.keep or false, _limits_steps = given.max_steps ~= nil, _given_atol = given.atol ~= nil, _notes = notes,
                               _about = lines }, Sweep.meta)
  if shards.trial then on_trial(sweep, self, o, job_of, total) end
  local begun = core.host.clock()
  local fine, problem = protected(all_runs, sweep, self, o, job_of, ours, out)
  sweep.interrupted = core.host.interrupted()
  if #ready > 0 then
    table.move(ready, 1, #ready, #sweep + 1, sweep)
    table.sort(sweep, function(a, b) return a.index < b.index end)
  end
  if not fine and not sweep.interrupted then error(problem, 0) end
  -- every run failed in `each`, or has no times
  if sweep._faults > 0 and sweep._faults == sweep.total then error(sweep._fault, 0) end
  local _, processes = shards.process()
  if processes > 1 then
    local all = shards.share(sweep)
    for k = #sweep, 1, -1 do sweep[k] = nil end
    table.move(all, 1, #all, 1, sweep)
  end
  sweep.seconds = core.host.clock() - begun
  -- forces in Lua, with which runs are made one after the other, may read any parameter
  if columns.what == "sweep" and not sweep._alone then remarks(note_idle, self, o, varied, notes) end
  return ("interrupted: %d of %d runs are finished"):format(#sweep, sweep.total), sweep
end

--- Runs the system many times over parameters and initial values, and returns a table whose rows are runs.
---   S:sweep{ over = { {"m", {1, 2, 3}}, {"v.theta", hm.range(0, 1, 11)} }, q =, v =, t =, rtol =, ... }       a grid; the last name varies fastest
---   S:sweep{ over = { m = {1, 2, 3} }, ... }                                                                  over one name
---   S:sweep{ n = 1000, each = function(i) return { q =, v =, parameters = } end, t =, ... }                   by a function
--- All options of S:simulate are accepted but those by which a single run stores its states: record, dense, checkpoint and every.
---
--- Levels: "energy", or an expression in velocities, varies the start on levels: the velocity that is not given is found; where = { {expression, value} }
--- gives further conditions. Of a level that is quadratic in the velocities, with others linear in them, there are two such velocities, and
--- branch = { x = -1 } takes the smaller one. Of rotations the velocities are the body rates.
---
--- Kept values: keep = { "x", energy = "energy", ... } names the values to keep at the end, or at each of times = {...} (row.series). At the instant of an
--- impact there are two values of a velocity, and errors of the run decide which is kept; S:diagram with `stroboscope` takes the one after it.
---
--- Measures: "max x", "min x", "mean x", "first event", "count wall", hm.highest(x), ... are measures of the whole run, as in run:keep. Roots, largest and
--- mean values of expressions of the state are read off the runs on their way; with expressions that contain accelerations, and measures of runs with
--- contacts, the runs are made one after the other. A measure without a value, such as the largest one of 1/x where x becomes zero, is nil; the status of its
--- row is "NOT_FINITE", "LIMIT" where none is found, or "UNDECIDED" where roots are within the error of the run (hm.first), and the reason names the time.
--- The other values are kept.
---
--- A row: sweep[i] = { index =, <varied names: m, ["q.x"], ["v.x"]>, status =, reason =, t =, steps =, <kept values> }. status is that of S:simulate. A
--- terminal event gives the status "EVENT", its time in row.t, and the kept values at the event. A kept value that is not finite is nil, and the status of
--- its row is "NOT_FINITE". A parameter with the name of a field of the row is called "parameters.steps" there. Runs that fail, or cannot start, are rows
--- too. So are runs for which `each` raises an error; if it does so for all runs, the sweep raises it. Where masses differ by many orders of magnitude, digits
--- may be lost for a moment only; this is looked for at states along the way, and the row is "INACCURATE" as the run would be.
---
--- Threads and lanes: runs are made in threads, and with dop853, taylor, rk4 and the methods of Gauss in vector lanes too. The results do not depend on the
--- number of threads, and those of lanes differ from the same steps in a single run by rounding, with taylor within the tolerances.
---
--- Steps: a row that keeps values at t alone takes the steps of S:simulate{ dense = false }. dop853 and "auto" take others with dense output, the default of
--- S:simulate, and at rtol = 1e-2 or 1e-3 the values of such a run, and its status, may then be others than those of the row. With times = {...} steps of
--- lanes end at these times, too. Rows with measures take the steps of runs with dense output. With contacts, friction and events
--- the numbers are those of S:simulate, and rows count the impacts, switches, and events by name (row.events.top) that were met. With forces, laws or events in
--- Lua the runs are made one after the other; print(sweep) shows this. So are runs that S:simulate would correct in quadruple precision (elimination =
--- "refined"), from the start or since rounding stopped them, and runs whose steps it limits since rounding would take them all.
---
--- Ctrl-C stops the sweep: the table of the finished runs is returned and assigned (sweep.interrupted, sweep.total: the number of all runs), then
--- "interrupted" is raised.
---
--- Several machines: `hamel sweep.lua --shard 3/64 --out part3.jsonl` makes every 64th run and appends its row to the file (--shard auto with Slurm
--- arrays; also the options shard and out). Both words and their values are in arg.shard and arg.out; arg[1], arg[2], ... are the script's own words.
--- Started again it reads the rows of the file, drops damaged lines, repeats failed runs and makes the missing ones. The file of a different sweep is
--- refused. `hamel merge` joins the parts. A script may make several sweeps: the rows of the second go to part3.2.jsonl.
---
--- MPI: with -DHAMEL_MPI=ON, `mpirun -n 8 hamel sweep.lua` distributes the runs to the processes. Every process gets the whole table; only the first one
--- prints and saves. Without MPI sweeps and charts are refused under mpirun, as each process would make all of them: start the program once, or give
--- each process its part by --shard; shard = "1/1" makes all runs all the same.
function System:sweep(given) return core.host.hold(answer.dressing(swept), self, given) end

--- The sweep with other columns: { what = its name in the line of progress, about = what the columns are computed from, for the first line of files,
--- names = of the columns, for the same line, portion = runs between two looks at the result, times_of(parameters) = the times of a run with these values,
--- alone = why these are made one after the other, finish(rows, again) = the rows with their columns; again(row, form) makes the run of a row
--- once more in another form. carried(E, at_starts) = { first = flat list, ignored =, skip =, weights = flat list or nil }: directions carried along in
--- lanes, for the equations of the form, with weights of the states in their lengths, for each run; at_starts(visit) calls visit(workspace, state) for
--- each }. Rows have `growth` then: the mean rates of growth of the directions over the whole
--- time, then over its first half; not numbers, or none, where lanes cannot carry them. ends_at_start(value_of): does a run end at its start, where
--- value_of(e) is that of an expression? reserved = patterns of further names of fields, for rows.is_field. chose_atol: was the tolerance chosen, so that runs
--- of far smaller motions have their own?
function Sweep.with(system, given, columns) return core.host.hold(swept, system, given, columns) end

options.declare("sweep", schema)

return Sweep
