-- chart/merge.lua: hamel merge: the parts of a sweep or a chart as one table. What a chart finds among all runs is found again.
local basins = require "hamel.chart.basins"
local files = require "hamel.base.files"
local object = require "hamel.base.object"
local shards = require "hamel.analysis.shards"

local fail = object.fail
local merge = {}

local judges = { basin = basins.judge }
-- the numbers of the first line of a file, which may be damaged
local settings = { "radius", "least" }

local function settings_of(header)
  for _, name in ipairs(settings) do
    local value = header.chart[name]
    if value ~= nil and not (type(value) == "number" and value > 0 and value < math.huge) then fail("merge: the first line is damaged: '%s'", name) end
  end
  return header.chart
end

local function csv(rows)
  local heads, seen = { "index", "status", "t", "steps" }, { index = true, status = true, t = true, steps = true, reason = true, series = true, inputs = true,
    points = true, spread = true, approached = true, exponents = true }
  for _, row in ipairs(rows) do
    for _, key in ipairs(object.keys(row)) do if not seen[key] then heads[#heads + 1], seen[key] = key, true end end
  end
  heads[#heads + 1] = "reason"
  local lines, numbers = { table.concat(heads, ",") }, {}
  for _, row in ipairs(rows) do for key, value in pairs(row) do numbers[key] = numbers[key] or type(value) == "number" end end
  for _, row in ipairs(rows) do
    local words = {}
    for i, head in ipairs(heads) do
      local value = row[head]
      words[i] = files.field(value == nil and (numbers[head] and "nan" or "") or math.type(value) == "float" and object.number(value)
        or type(value) == "table" and shards.encode(value) or tostring(value))
    end
    lines[#lines + 1] = table.concat(words, ",")
  end
  return table.concat(lines, "\n") .. "\n"
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
    text = csv(rows)
  else
    text = shards.text_of(header, rows)
  end
  files.write("merge", out, text)
  print(("%s: %d runs, %d missing, %d failed%s"):format(out, #rows, missing, failed, dropped > 0 and (", %d damaged lines dropped"):format(dropped) or ""))
  for _, note in ipairs(notes) do print("  " .. note) end
  return missing == 0 and failed == 0
end

return merge
