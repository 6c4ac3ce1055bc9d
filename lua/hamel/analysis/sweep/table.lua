-- table.lua: the table that a sweep returns: failed rows, columns, printing, files.
local core = require "hamel.core"
local csv = require "hamel.analysis.sweep.csv"
local files = require "hamel.base.files"
local json = require "hamel.base.json"
local matlab = require "hamel.base.matlab"
local object = require "hamel.base.object"
local sweep_rows = require "hamel.analysis.sweep.rows"
local shards = require "hamel.analysis.shards"

local fail = object.fail

local Sweep = object.class "Sweep"

--- Rows whose run ended neither at the end time nor by an event, and those that lack a kept value, such as a measure that was refused.
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

local function columns(self) return csv.heads(self.varied, self.names) end

local function cell(value)
  if value == nil then return "" end
  return math.type(value) == "float" and ("%.6g"):format(value) or tostring(value)
end

-- How many runs there are and how they ended
local function title_of(self)
  local failed, events, lacking = #self:failed(), 0, 0
  for _, row in ipairs(self) do
    if row.status == "EVENT" then events = events + 1 end
    if sweep_rows.lacks_value(row) then failed, lacking = failed - 1, lacking + 1 end
  end
  local verdict = failed > 0 and failed .. " did not reach the end" or events > 0 and "none failed" or "all reached the end"
  if lacking > 0 then verdict = verdict .. (", %d without a value of keep"):format(lacking) end
  if events > 0 then verdict = verdict .. (", %d ended by an event"):format(events) end
  local count = self.interrupted and ("interrupted, %d of %d runs"):format(#self, self.total) or #self .. " runs"
  return ("sweep of %s: %s, %s, %.3g s"):format(self.system, count, verdict, self.seconds or 0)
end

-- The rows that are not shown, and why the first one with each status has it
local function notes_of(self, shown)
  local notes, said = table.move(rawget(self, "_notes") or {}, 1, #(rawget(self, "_notes") or {}), 1, {}), {}
  if shown < #self then notes[#notes + 1] = ("... %d rows more"):format(#self - shown) end
  for _, row in ipairs(self) do
    if row.reason and not said[row.status] and row.status ~= "EVENT" then
      said[row.status] = true
      notes[#notes + 1] = ("row %d, %s: %s"):format(row.index, row.status, row.reason)
    end
  end
  return notes
end

local PRINTED, IN_A_TABLE = 12, 20     -- rows

function Sweep.meta.__blocks(self)
  local heads, names, rows = columns(self), {}, {}
  local shown = math.min(#self, IN_A_TABLE)
  for c, head in ipairs(heads) do names[c] = { name = head } end
  for i = 1, shown do
    rows[i] = {}
    for c, head in ipairs(heads) do rows[i][c] = cell(self[i][head]) end
  end
  local notes = notes_of(self, shown)
  if rawget(self, "_alone") then table.insert(notes, 1, "runs one after the other: " .. self._alone) end
  return { title = title_of(self), head = names, rows = rows, notes = notes }
end

function Sweep.meta.__tostring(self)
  local lines = { title_of(self) }
  local heads, rows, widths = columns(self), {}, {}
  local shown = math.min(#self, PRINTED)
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
  for _, note in ipairs(notes_of(self, shown)) do lines[#lines + 1] = "  " .. note end
  return table.concat(lines, "\n")
end

-- Lines "key: value" on the sweep, for all kinds of files
local function about(self)
  local lines = table.move(self._about, 1, #self._about, 1, {})
  if self.interrupted then lines[#lines + 1] = ("interrupted: %d of %d runs"):format(#self, self.total) end
  return lines
end

local bytes_of = {
  npz = function(_, arrays) return core.npz(arrays) end,
  mat = function(self, arrays) return matlab.bytes(arrays, about(self)) end,
  json = function(self, arrays) return json.table_text(arrays, about(self)) end,
}

-- Columns of numbers, with `failed` in place of the texts of the status
local function save_numbers(self, path, bytes)
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
  files.write("sweep:save", path, bytes(self, arrays))
  local names = {}
  for i, array in ipairs(arrays) do names[i] = array[1] end
  return files.written(path, files.rows_of(count, names), { rows = count })
end

--- Saves the table as CSV: header lines "# key: value", a line of names, 17 digits; reasons of failures in the last column. With times, one
--- line for each run and time. A name that ends in .npz gives NumPy arrays of the columns, and `failed` (0 or 1) for the status, one in .json an object
--- { about, columns } (null where there is no number), one in .mat vectors for MATLAB. Returns { file, rows, ... }, which prints as one sentence.
function Sweep:save(path)
  if shards.process() > 0 then return files.written(path, "by the first process", { rows = #self }) end
  local ending = type(path) == "string" and path:match "%.(%w+)$"
  if bytes_of[ending] then return save_numbers(self, path, bytes_of[ending]) end
  if ending ~= "csv" then fail("sweep:save takes the name of a file that ends in .csv, .json, .npz (NumPy) or .mat (MATLAB)") end
  local heads = columns(self)
  local lines, header = csv.lines(self, heads), files.header(about(self))
  files.write("sweep:save", path, table.concat(header, "\n") .. "\n" .. table.concat(lines, "\n") .. "\n")
  return files.written(path, files.rows_of(#lines - 1, heads), { rows = #lines - 1 })
end

object.seal(Sweep, "sweep")

return Sweep
