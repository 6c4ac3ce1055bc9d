-- parts.lua: the runs of a sweep that this process makes, in portions after which the file and the table grow.
local core = require "hamel.core"
local fingerprint = require "hamel.run.fingerprint"
local jobs = require "hamel.analysis.sweep.jobs"
local launched = require "hamel.base.launched"
local object = require "hamel.base.object"
local progress = require "hamel.base.progress"
local shards = require "hamel.analysis.shards"

local fail = object.fail

local parts = {}

-- All that determines the rows, for the first line of a file. chart: of a chart, what its columns are computed from; shown: names of the columns; about: lines
-- for people
function parts.identity(system, o, total, names, list, t0, times, chart, shown, about)
  local method = {}
  for _, name in ipairs{ "method", "form", "dependent", "step", "max_step", "first_step", "max_steps", "project" } do method[name] = o[name] end
  local E = system:equations(o.form == "whole course" and "lagrange" or o.form, { dependent = o.dependent, mapping = o.mapping, reactions = o.reactions })
  return shards.header({
    equations = fingerprint.equations_text(E) .. fingerprint.text{ system.gaps, system.frictions, system.force_list, o.reactions },
    values = fingerprint.text{ system._values, o.parameters }, start = fingerprint.text{ q = o.q, v = o.v, mu = o.mu }, method = fingerprint.text(method),
    tolerances = fingerprint.text{ o.rtol, o.atol }, grid = fingerprint.text{ o.over or "each", total }, times = fingerprint.text{ t0, times },
    keep = fingerprint.text{ names, list, o.events },
  }, total, chart, shown, about)
end

local function check_inputs(row, path, job_of)
  if core.host.interrupted() then fail("interrupted") end
  local q, v, parameters = job_of(row.index)
  if row.inputs ~= jobs.inputs(q, v, parameters) then
    fail("sweep: %s holds another run %d than each(%d) gives now: remove it, or take another name for out; each(i) must depend on i alone",
      path, row.index, row.index)
  end
end

-- what: the study whose runs they are. The indices of the runs to make, the name of the file, the rows that the file holds already
function parts.own_runs(what, o, total, job_of, identity)
  if shards.trial then
    if o.shard or o.out then fail("sweep: hamel submit gives each task its part and its file: leave out shard and out") end
    return {}, nil, {}
  end
  local from_line, out_line = shards.from_command_line(rawget(_G, "arg"))
  local i, n = shards.read(o.shard or from_line)
  local process, processes = shards.process()
  if i then launched.has_part() else shards.demand_alone(what) end
  if processes > 1 then
    if i or o.out or out_line then fail("sweep: under mpirun the processes share the runs; shard and out are for runs without it") end
    i, n = process + 1, processes
  end
  local out, list, rows = o.out or out_line, {}, {}
  if out and not out:find "%.jsonl$" then fail("sweep: out is the name of a file that ends in .jsonl") end
  local header, number = out and identity(), 1
  if out and not o.out then out, number = shards.file_of(out, header) end
  if number > 1 then print(("sweep %d of the script: its rows go to %s"):format(number, out)) end
  local done = out and shards.begin(out, header) or {}
  for index = i or 1, total, n or 1 do
    local row = done[index]
    if row and o.each then check_inputs(row, out, job_of) end
    if row then rows[#rows + 1] = row else list[#list + 1] = index end
  end
  return list, out, rows
end

-- Runs whose rows enter the table together. Ctrl-C is answered when the finished ones of the portion stand there: ROWS seconds, or what FEWEST take
local PORTION, FEWEST, ROWS = 2048, 128, 0.01

-- The size of the next portion: the rows of the last one took that many seconds
local function next_size(size, rows, seconds)
  if rows == 0 then return size end
  return math.max(FEWEST, math.min(PORTION, math.floor(ROWS/(seconds/rows + 1e-9))))
end

--- Makes the runs of the list, and puts their rows into the sweep. run(indices, tell) returns the rows and the moment the last run ended (nil: not known).
function parts.in_portions(self, o, list, out, run)
  local line <close> = progress.line(self._columns.what, #list, o.progress)
  local fixed = self._columns.portion or out and math.max(64, math.min(PORTION, #list//20))
  local size, first, failed_before = fixed or 2*FEWEST, 1, 0
  while first <= #list do
    local ended, since = run(table.move(list, first, math.min(first + size - 1, #list), 1, {}),
      function(done, failed) line:update(first - 1 + done, failed_before + failed) end)
    if out and #ended > 0 then shards.append(out, ended) end
    local count = #self
    for k, row in ipairs(ended) do rawset(self, count + k, row) end        -- an assignment would ask who makes it
    for _, row in ipairs(ended) do if not shards.ended(row) then failed_before = failed_before + 1 end end
    if core.host.interrupted() then return end
    first = first + size
    if not fixed and since then size = next_size(size, #ended, core.host.clock() - since) end
  end
end

return parts
