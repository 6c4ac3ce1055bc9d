-- chart/merge.lua: hamel merge: the parts of a sweep or a chart as one table. What a chart finds among all runs is found again.
local basins = require "hamel.chart.basins"
local csv = require "hamel.analysis.sweep.csv"
local files = require "hamel.base.files"
local object = require "hamel.base.object"
local shards = require "hamel.analysis.shards"

local fail = object.fail
local merge = {}

local judges = { basin = basins.judge }
-- the numbers of the first line of a file, which may be damaged, as may be the names of its parameters
local settings = { "radius", "least" }

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

-- Fields of rows that tables do not show, and what rows of a chart are compared by
local hidden = { evaluations = true, impacts = true, switches = true, events = true, series = true, inputs = true, reason = true, points = true,
  spread = true, approached = true, whole = true, exponents = true, course = true }

-- Names by which "exponent2" comes before "exponent10"
local function in_order(names)
  local function padded(name) return (name:gsub("%d+", function(digits) return ("%012d"):format(digits) end)) end
  table.sort(names, function(a, b) return padded(a) < padded(b) end)
  return names
end

-- The columns as the sweep itself saves them, as far as the first line of the file says; others of the rows behind them
local function heads_of(rows, columns)
  local function listed(name)
    local list = {}
    for i, item in ipairs(type(columns[name]) == "table" and columns[name] or {}) do list[i] = tostring(item) end
    return list
  end
  local heads, seen, others = csv.heads(listed "varied", listed "names"), object.copied(hidden), {}
  for _, name in ipairs(heads) do seen[name] = true end
  for _, row in ipairs(rows) do
    for key in pairs(row) do if not seen[key] then others[#others + 1], seen[key] = key, true end end
  end
  return table.move(in_order(others), 1, #others, #heads + 1, heads)
end

--- hamel merge part1.jsonl part2.jsonl ... -o all.csv (or .jsonl): one table; true when no run is missing and none failed.
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
  local rows, missing, failed, dropped, header = shards.collect(paths)
  if #rows == 0 then fail("merge: there is no row in %s; nothing was written", table.concat(paths, ", ")) end
  local judge = header.chart and judges[header.chart.of]
  local notes = judge and judge(rows, settings_of(header)) or {}
  local text
  if out:find "%.csv$" then
    text = table.concat(csv.lines(rows, heads_of(rows, type(header.columns) == "table" and header.columns or {})), "\n") .. "\n"
  else
    text = shards.text_of(header, rows)
  end
  files.write("merge", out, text)
  print(("%s: %d runs, %d missing, %d failed%s"):format(out, #rows, missing, failed, dropped > 0 and (", %d damaged lines dropped"):format(dropped) or ""))
  for _, note in ipairs(notes) do print("  " .. note) end
  return missing == 0 and failed == 0
end

return merge
