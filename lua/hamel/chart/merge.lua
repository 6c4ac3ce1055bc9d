-- chart/merge.lua: hamel merge: the parts of a sweep or a chart as one table. What a chart finds among all runs is found again.
local basins = require "hamel.chart.basins"
local core = require "hamel.core"
local csv = require "hamel.analysis.sweep.csv"
local fields = require "hamel.chart.fields"
local files = require "hamel.base.files"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local shards = require "hamel.analysis.shards"
local sweep_rows = require "hamel.analysis.sweep.rows"

local fail = object.fail
local merge = {}

local judges = { basin = basins.judge }
-- the numbers of the first line of a file, which may be damaged, as may be the names of its parameters
local settings = { "radius", "least", "part" }

local function settings_of(header)
  for _, name in ipairs(settings) do
    local value = header.chart[name]
    if value ~= nil and not (type(value) == "number" and value > 0 and value < math.huge) then fail("merge: the first line is damaged: '%s'", name) end
  end
  local names = header.chart.parameters
  if names ~= nil and type(names) ~= "table" then fail("merge: the first line is damaged: 'parameters'") end
  for _, name in ipairs(names or {}) do if type(name) ~= "string" then fail("merge: the first line is damaged: 'parameters'") end end
  return header.chart
end

-- The set of the fields of rows that are no columns of tables: those of all sweeps, and those by which charts compare rows. kind: of the chart; nil: a sweep
local function fields_beside(kind)
  local set = {}
  for _, list in ipairs{ sweep_rows.BESIDE, fields.beside(kind) } do for _, name in ipairs(list) do set[name] = true end end
  return set
end

-- Names by which "exponent2" comes before "exponent10"
local function in_order(names)
  local function padded(name) return (name:gsub("%d+", function(digits) return ("%012d"):format(digits) end)) end
  table.sort(names, function(a, b) return padded(a) < padded(b) end)
  return names
end

-- The texts of a list in the first line of a file
local function texts(list)
  local out = {}
  for i, item in ipairs(type(list) == "table" and list or {}) do out[i] = tostring(item) end
  return out
end

-- The columns as the sweep itself saves them, as far as the first line of the file says; others of the rows behind them
local function heads_of(rows, columns, kind)
  local heads, seen, others = csv.heads(texts(columns.varied), texts(columns.names)), fields_beside(kind), {}
  for _, name in ipairs(heads) do seen[name] = true end
  for _, row in ipairs(rows) do
    for key in pairs(row) do if not seen[key] then others[#others + 1], seen[key] = key, true end end
  end
  return table.move(in_order(others), 1, #others, #heads + 1, heads)
end

-- The table as the sweep itself saves it
local function table_of(rows, about)
  local header, lines = about.header, texts(about.header.about)
  if about.missing > 0 then lines[#lines + 1] = ("incomplete: %d of %d runs"):format(#rows, header.of) end
  local out = files.header(lines)
  local body = csv.lines(rows, heads_of(rows, type(header.columns) == "table" and header.columns or {}, header.chart and header.chart.of))
  return table.concat(table.move(body, 1, #body, #out + 1, out), "\n") .. "\n"
end

-- Joins the parts: rows, about, as of shards.collect, notes on what is found among all runs
local function joined(paths)
  local rows, about = shards.collect(paths)
  if #rows == 0 then fail("merge: there is no row in %s", table.concat(paths, ", ")) end
  local judge = about.header.chart and judges[about.header.chart.of]
  return rows, about, judge and judge(rows, settings_of(about.header)) or {}
end

--- hamel merge part1.jsonl part2.jsonl ... -o all.csv (or .jsonl): one table; true when no run is missing and none failed. Of parts that are not there
--- or of no use, since their first line is damaged, the rows are missing in the table; they are named. Refused where no part is of use, and where parts are of
--- different sweeps.
function merge.command(arguments)
  local paths, out, i = {}, nil, 1
  while i <= #arguments do
    if arguments[i] == "-o" then
      out = arguments[i + 1] or object.wrong_usage("merge: a file name is missing after -o")
      i = i + 1
    else
      paths[#paths + 1] = arguments[i]
    end
    i = i + 1
  end
  if #paths == 0 or not out or not (out:find "%.csv$" or out:find "%.jsonl$") then
    object.wrong_usage("usage: hamel merge part1.jsonl part2.jsonl ... -o all.csv (or all.jsonl)")
  end
  local fine, rows, about, notes = protected(joined, paths)
  if not fine then
    if core.host.interrupted() then error(rows, 0) end
    error(("%s; nothing was written%s"):format(tostring(rows), core.host.exists(out) and (", and %s is left as it was"):format(out) or ""), 0)
  end
  files.write("merge", out, out:find "%.csv$" and table_of(rows, about) or shards.text_of(about.header, rows))
  print(("%s: %d runs, %d missing, %d failed%s"):format(out, #rows, about.missing, about.failed,
    about.dropped > 0 and (", %d damaged lines dropped"):format(about.dropped) or ""))
  for _, item in ipairs(about.losses) do
    print(("  %s: %d damaged line%s dropped"):format(item.path, item.lines, item.lines == 1 and "" or "s"))
  end
  for _, item in ipairs(about.useless) do print(("  %s %s: %s"):format(item.path, item.why, item.advice)) end
  for _, path in ipairs(about.absent) do print(("  %s is %s"):format(path, core.host.exists(path) and "empty" or "not there")) end
  if about.missing > 0 then print(("  missing: %s; make these parts again, which keeps the rows that they have, and merge again"):format(about.lacking)) end
  for _, note in ipairs(notes) do print("  " .. note) end
  return about.missing == 0 and about.failed == 0
end

return merge
