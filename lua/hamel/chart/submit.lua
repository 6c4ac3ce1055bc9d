-- chart/submit.lua: hamel submit: times a few points of the sweep or chart of a script, and writes the jobs for Slurm: an array of parts, the merge.
local core = require "hamel.core"
local files = require "hamel.base.files"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local shards = require "hamel.analysis.shards"

local fail = object.fail
local submit = {}

local SAMPLE, LONG = 16, 60             -- points that are timed; seconds after which one point is enough
local MARGIN = 1.5                      -- of the time asked for over the time expected: points differ
local MOST_TASKS = 1000                 -- Slurm's MaxArraySize is 1001 where it is not set
local MOST_BYTES = 1 << 24              -- of a script
local USAGE = "usage: hamel submit [--hours 1] [--cores 4] [--tasks n] [--dry] script.lua [arguments of the script]; these options may stand behind the "
  .. "script, too; behind -- all words are the script's"

-- ---- the time of a point

-- Points of a grid far from each other
local function spread(total)
  local n, list = math.min(total, SAMPLE), {}
  for k = 1, n do list[k] = n == 1 and 1 or 1 + (k - 1)*(total - 1)//(n - 1) end
  return list
end

-- Seconds of one core for a point of a sweep. The first run prepares what all points share
local function time_of_point(run, total)
  local list = spread(total)
  local begun = core.host.clock()
  run{ list[(#list + 1)//2] }
  local first = core.host.clock() - begun
  if first > LONG then return first end
  begun = core.host.clock()
  run(list)
  return (core.host.clock() - begun)/#list
end

-- Runs the script up to its first sweep or chart: { total, seconds of one core for a point, alone = why one core only }
local function trial(path, arguments)
  local found
  shards.trial = function(total, run, is_alone)
    found = { total = total, seconds = time_of_point(run, total) }
    found.alone = is_alone()
    error(found, 0)                      -- ends the script
  end
  local script, problem = loadfile(path)
  if not script then fail("submit: %s", problem) end
  _G.arg = table.move(arguments, 1, #arguments, 1, { [0] = path })
  local fine, message = protected(script, table.unpack(arguments))
  shards.trial = false
  if core.host.interrupted() then error("interrupted", 0) end
  if not fine and not found then error(message, 0) end
  return found or fail("submit: %s makes no sweep and no chart", path)
end

-- ---- the jobs

local function quoted(word) return word:find "^[%w%._/=:,+-]+$" and word or "'" .. word:gsub("'", "'\\''") .. "'" end

local function words_of(list)
  local out = {}
  for i, word in ipairs(list) do out[i] = quoted(word) end
  return #out > 0 and " " .. table.concat(out, " ") or ""
end

local function clock_time(hours)
  local minutes = math.max(1, math.ceil(hours*60))
  return ("%d:%02d:00"):format(minutes//60, minutes % 60)
end

-- How many tasks end within the hours, with cores each
local function tasks_of(found, o)
  local cores = found.alone and 1 or o.cores
  local needed = math.ceil(found.total*found.seconds*MARGIN/(o.hours*3600*cores))
  if found.seconds*MARGIN > o.hours*3600 then
    fail("submit: one point takes %.3g hours, longer than --hours %g: give more hours", found.seconds/3600, o.hours)
  end
  local tasks = math.min(found.total, o.tasks or math.max(1, needed))
  if not o.tasks and tasks > MOST_TASKS then
    fail("submit: %d tasks of %g hours are needed, and an array has at most %d: give more --hours%s", needed, o.hours, MOST_TASKS,
      found.alone and "" or " or --cores")
  end
  return tasks, cores
end

-- The program that runs now: the jobs run it, too, unless HAMEL names another one. Nodes need not have it on their PATH
local function program() return core.host.real_path "/proc/self/exe" or "hamel" end

local function program_line() return "hamel=${HAMEL:-" .. quoted(program()) .. "}" end

local function array_text(o, tasks, cores)
  return table.concat({ "#!/bin/bash", "#SBATCH --job-name=" .. o.name, ("#SBATCH --array=1-%d"):format(tasks), "#SBATCH --time=" .. clock_time(o.hours),
    ("#SBATCH --cpus-per-task=%d"):format(cores), ("#SBATCH --output=%s-%%a.log"):format(o.name),
    program_line(),
    ('exec "$hamel" %s%s --shard "$SLURM_ARRAY_TASK_ID"/%d --out %s-"$SLURM_ARRAY_TASK_ID".jsonl'):format(quoted(o.script), words_of(o.arguments),
      tasks, quoted(o.name)), "" }, "\n")
end

-- The parts of the first sweep, then those of each further one that the script has made
local function merge_text(o, tasks)
  local function merge(number)
    return ('"$hamel" merge $(printf "%s-%%d%s.jsonl " $(seq %d)) -o %s%s.csv || status=1'):format(o.name, number, tasks, o.name, number)
  end
  return table.concat({ "#!/bin/bash", ("#SBATCH --job-name=%s-merge"):format(o.name), "#SBATCH --time=1:00:00",
    ("#SBATCH --output=%s-merge.log"):format(o.name), program_line(), "status=0", merge "",
    ('for k in $(ls %s-[0-9]*.jsonl | sed -n \'s/.*-[0-9]*\\.\\([0-9]*\\)\\.jsonl$/\\1/p\' | sort -nu); do'):format(o.name), "  " .. merge ".$k", "done",
    ('[ $status = 0 ] || echo "rows are missing or have failed: sbatch %s.slurm makes these again, and only these; then sbatch %s-merge.slurm"')
      :format(o.name, o.name),
    "exit $status", "" }, "\n")
end

local function sbatch(words)
  table.insert(words, 1, "sbatch")
  local status, output, errors = core.host.spawn(words, "", 60)
  if status == nil then return nil end
  if status ~= 0 then fail("submit: %s: %s", table.concat(words, " "), (tostring(errors):gsub("%s+$", ""))) end
  -- "123" or "123;cluster", or with its words, as by a wrapper that drops --parsable: "Submitted batch job 123 on cluster c"
  return output:match "^%s*(%d[%w%._-]*)" or output:match "[Ss]ubmitted batch job%s+(%d[%w%._-]*)"
    or fail("submit: sbatch returned no job number: %s; look for the job in the queue", (output:gsub("%s+$", "")))
end

-- Numbers of both jobs; nil without sbatch
local function sent(array, merge)
  local job = sbatch{ "--parsable", array }
  return job, job and sbatch{ "--parsable", "--dependency=afterany:" .. job, merge }
end

-- ---- the command line

-- At how many places of the text sweeps and charts are made
local function calls_of(text)
  local count = 0
  text = text:gsub("%-%-[^\n]*", "")
  for _, name in ipairs{ "sweep", "chart" } do
    for _ in text:gmatch("[:.]" .. name .. "%s*[{(]") do count = count + 1 end
  end
  return count
end

local function positive(word, value, whole)
  local number = tonumber(value)
  if not number or not (number > 0) or number == math.huge or whole and not math.tointeger(number) then
    object.wrong_usage("submit: %s takes a positive %s, not '%s'", word, whole and "whole number" or "number", tostring(value))
  end
  return whole and math.tointeger(number) or number
end

local OPTIONS = { "--hours", "--cores", "--tasks", "--dry" }

-- A word like an option is one of ours before the script, and behind it the script's own; one that is nearly ours is a misspelt one
local function refuse_unknown(word, behind)
  local near = object.nearest(word, OPTIONS)
  if behind and not near then return end
  object.wrong_usage("submit: unknown option '%s'%s%s", word, near and (" (did you mean '%s'?)"):format(near) or "",
    behind and "; an option of the script stands behind --" or "; " .. USAGE)
end

local function read_arguments(words)
  local o, i, ours = { cores = 4, arguments = {} }, 1, true
  while i <= #words do
    local word = words[i]
    if not ours then o.arguments[#o.arguments + 1] = word
    elseif word == "--" then ours = false
    elseif word == "--dry" then o.dry = true
    elseif object.contains(OPTIONS, word) then
      i = i + 1
      o[word:sub(3)] = positive(word, words[i], word ~= "--hours")
    elseif word:find "^%-." and (not o.script or word:find "^%-%-") then
      refuse_unknown(word, o.script)
      o.arguments[#o.arguments + 1] = word
    elseif not o.script then o.script = word
    else o.arguments[#o.arguments + 1] = word end
    i = i + 1
    -- behind -- the script comes first where it has not come yet
    if not ours and not o.script then o.script = table.remove(o.arguments) end
  end
  if not o.script then object.wrong_usage("submit: which script? %s", USAGE) end
  if not o.hours then object.wrong_usage("submit: --hours is missing, the time that a task may take: %s", USAGE) end
  o.name = o.script:match "([^/]+)$":gsub("%.lua$", ""):gsub("[^%w%._-]", "_")
  return o
end

--- hamel submit chart.lua --hours 1: times a few points of the first sweep or chart of the script, writes chart.slurm (an array of parts that end within
--- the hours) and chart-merge.slurm, and hands both to sbatch, the merge after the array. --dry only writes; so does a machine without sbatch. Further
--- sweeps of the script are made, too, each with files and a table of its own: chart-1.2.jsonl, ..., chart.2.csv. --cores of each task (4), --tasks: how
--- many. Other words behind the script are its arguments, and so are all words behind --. The jobs run the program that wrote them,
--- by its whole path; the variable HAMEL names another one.
function submit.command(words)
  local o = read_arguments(words)
  local found = trial(o.script, o.arguments)
  local tasks, cores = tasks_of(found, o)
  local array, merge = o.name .. ".slurm", o.name .. "-merge.slurm"
  files.write("submit", array, array_text(o, tasks, cores))
  files.write("submit", merge, merge_text(o, tasks))
  print(("%d points, %.3g s of one core each: %d task%s of %g h with %d core%s%s"):format(found.total, found.seconds, tasks, tasks == 1 and "" or "s", o.hours,
    cores, cores == 1 and "" or "s", found.alone and "; one core, since " .. found.alone or ""))
  print(("the tasks run %s, or the program that the variable HAMEL names"):format(program()))
  local calls = calls_of((files.read(o.script, MOST_BYTES)) or "")
  if calls > 1 then
    print(("the script makes sweeps and charts at %d places; the time is that of the first one alone. Rows of the second go to %s-1.2.jsonl, ..., and to "
      .. "%s.2.csv"):format(calls, o.name, o.name))
  end
  local job, after
  if not o.dry then job, after = sent(array, merge) end
  if job then
    print(("submitted: %s (%s), then %s (%s), which writes %s.csv"):format(job, array, after, merge, o.name))
  else
    print(("written: %s, %s; submit them by\n  sbatch --dependency=afterany:$(sbatch --parsable %s) %s"):format(array, merge, array, merge))
  end
  return true
end

return submit
