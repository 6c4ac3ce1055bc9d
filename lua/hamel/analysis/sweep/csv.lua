-- csv.lua: rows of sweeps and charts as lines of CSV, with their columns in one order.
local files = require "hamel.base.files"
local object = require "hamel.base.object"
local shards = require "hamel.analysis.shards"

local csv = {}

--- The columns in their order, by the names of what varies and of what is kept.
function csv.heads(varied, names)
  local list = table.move(varied, 1, #varied, 2, { "index" })
  for _, name in ipairs{ "status", "t", "steps" } do list[#list + 1] = name end
  return table.move(names, 1, #names, #list + 1, list)
end

local function value_of(row, values, head)
  if values[head] ~= nil then return values[head] end
  return row[head]
end

-- The columns that hold numbers: there, what a run has no value of is nan
local function with_numbers(rows, heads)
  local found = {}
  for _, row in ipairs(rows) do
    for _, values in ipairs(row.series or { row }) do
      for _, head in ipairs(heads) do found[head] = found[head] or type(value_of(row, values, head)) == "number" end
    end
  end
  return found
end

local function cell(value)
  if value == nil then return "" end
  if type(value) == "table" then return shards.encode(value) end
  return math.type(value) == "float" and object.number(value) or tostring(value)
end

--- The names of the columns and "reason", then 17 digits; a line for each run, or for each of its times.
function csv.lines(rows, heads)
  local words, numbers = {}, with_numbers(rows, heads)
  for i, head in ipairs(heads) do words[i] = files.field(head) end
  words[#words + 1] = "reason"
  local lines = { table.concat(words, ",") }
  for _, row in ipairs(rows) do
    for _, values in ipairs(row.series or { row }) do
      local out = {}
      for i, head in ipairs(heads) do
        local value = value_of(row, values, head)
        out[i] = value == nil and numbers[head] and "nan" or files.field(cell(value))
      end
      out[#out + 1] = files.field(row.status ~= "OK" and row.reason or "")
      lines[#lines + 1] = table.concat(out, ",")
    end
  end
  return lines
end

return csv
