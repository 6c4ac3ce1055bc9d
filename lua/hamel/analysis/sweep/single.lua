-- single.lua: the runs of a sweep one after the other, by S:simulate: where functions of Lua take part, or measures of whole runs are kept.
local core = require "hamel.core"
local functions = require "hamel.run.functions"
local hybrid = require "hamel.run.hybrid"
local jobs = require "hamel.analysis.sweep.jobs"
local measures = require "hamel.run.measures"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local rows = require "hamel.analysis.sweep.rows"
local shards = require "hamel.analysis.shards"
local simulate = require "hamel.run.simulate"

local single = {}

-- The reason why the runs cannot use the threads of the core; nil: they can
function single.because(system, o)
  local called = functions.of_run(system, o.events)
  if called then return called end
  if methods.has_own_run(o.method) then return ("the method '%s' makes its steps by equations of its own"):format(o.method) end
end

-- Puts the kept values of a run at time t, number m of the sweep, into the row; measures of the whole run only at the last time. The items as they were
-- asked for: in _list of sweeps in threads measures have but their places
local function keep(self, o, row, run, m, t, is_last, at_event)
  local kept, refusals = {}, {}
  for c, item in ipairs(self._items) do
    local measure = measures.of(item)
    if not measure then kept[c] = run:values_at(t, { item })[1]
    elseif is_last then kept[c], refusals[c] = measures.value(run, measure, row) end
  end
  rows.keep(self, o, row, m, kept, at_event, refusals)
end

local function keeps_whole_runs(self)
  for _, item in ipairs(self._items) do if measures.of(item) then return true end end
  return false
end

-- Does the run end at its start? The start alone is made for that. False where it cannot be made: the run reports that
local function ends_at_start(self, system, given)
  local ends, start = self._columns.ends_at_start, object.copied(given)
  if not ends then return false end
  start.t = { self.t0, self.t0 }
  local fine, run = protected(system.simulate, system, start)
  jobs.rethrow_interrupt(fine, run)
  return fine and ends(function(e) return run:values_at(self.t0, { e })[1] end)
end

local function run_one(self, system, o, q, v, parameters, row)
  local given = {}
  for name in pairs(simulate.run_schema) do given[name] = o[name] end
  given.progress, given.keep = false, nil               -- the sweep has its own line of progress
  if not self._limits_steps then given.max_steps = nil end               -- S:simulate chooses it
  given.q, given.v, given.t, given.parameters, given.dense = q, v, { self.t0, self.times[#self.times] }, parameters, o.times ~= nil or keeps_whole_runs(self)
  if next(parameters) == nil then given.parameters = nil end
  if not given.dense and methods.locates_impacts(o.method) then given.record = "ends" end
  if ends_at_start(self, system, given) then return rows.ended_at_start(self, row) end
  local ok, run = protected(system.simulate, system, given)
  jobs.rethrow_interrupt(ok, run)
  if not ok then
    rows.did_not_start(self, row, row.index, run)
    return
  end
  row.status, row.reason, row.t, row.steps = run.outcome.status, run.reason, run.outcome.t, run.outcome.steps
  row.evaluations, row.impacts, row.switches = run.outcome.evaluations, run.outcome.impacts, run.outcome.switches
  row.events = run.hybrid and hybrid.counts(run.hybrid.events, run.hybrid.core:meetings())
  local direction = self.times[#self.times] < self.t0 and -1 or 1
  for m, t in ipairs(self.times) do
    if direction*(run.outcome.t - t) >= 0 then keep(self, o, row, run, m, t, m == #self.times) end
  end
  if row.status == "EVENT" then keep(self, o, row, run, #self.times, run.outcome.t, true, true) end
end

--- Makes the run of a row anew by S:simulate.
function single.again(self, system, o, job_of, row)
  local q, v, parameters = jobs.made(self, o, job_of, row.index)
  run_one(self, system, o, q, v, parameters, row)
end

function single.run(self, system, o, job_of, indices, tell)
  local failed, ended = 0, {}
  if not self._given_atol then
    o = object.copied(o)
    o.atol = nil                        -- S:simulate chooses it
  end
  for done, i in ipairs(indices) do
    if core.host.interrupted() then break end
    local q, v, parameters, row = jobs.made(self, o, job_of, i)
    row.index = i
    local fine, problem = true, nil
    if q then fine, problem = protected(run_one, self, system, o, q, v, parameters, row) end
    -- an interrupted run is dropped
    if core.host.interrupted() then break end
    if not fine then error(problem, 0) end
    ended[done] = row
    if not shards.ended(row) then failed = failed + 1 end
    tell(done, failed)
  end
  return ended
end

return single
