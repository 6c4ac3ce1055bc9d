-- data.lua: tables of numbers from files, and measured data as functions in formulas.
local core = require "hamel.core"
local files = require "hamel.base.files"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local fail = object.fail
local Data = object.class "Data"
local data = {}

-- ---- files

-- Fields of one line of CSV; a field may be in quotes, with quotes inside doubled
local function fields(line, separator)
  local list, at = {}, 1
  while true do
    if line:sub(at, at) == '"' then
      local text, from = {}, at + 1
      while true do
        local quote = line:find('"', from, true)
        if not quote then return nil end
        text[#text + 1] = line:sub(from, quote - 1)
        from = quote + 1
        if line:sub(from, from) ~= '"' then break end
        text[#text + 1], from = '"', from + 1
      end
      list[#list + 1] = table.concat(text)
      at = from
    else
      local stop = line:find(separator, at, true) or #line + 1
      list[#list + 1] = line:sub(at, stop - 1):match "^%s*(.-)%s*$"
      at = stop
    end
    if at > #line then return list end
    if line:sub(at, at) ~= separator then return nil end
    at = at + 1
  end
end

-- Adds a list under its name to columns, or under the next free one, as "x (2)"; "names" is the list of the names
local function add_column(columns, name, list)
  if name == "names" then name = "column names" end
  local free, k = name, 1
  while columns[free] do
    k = k + 1
    free = ("%s (%d)"):format(name, k)
  end
  columns[free] = list
  columns.names[#columns.names + 1] = free
end

local function lines_of(text)
  local at = 1
  return function()
    if at > #text then return nil end
    local stop = text:find("\n", at, true) or #text + 1
    local line = text:sub(at, stop - 1)
    at = stop + 1
    return line
  end
end

-- A decimal number; nil for a text. What Lua reads besides, hexadecimal digits, is a text of the file
local function number_of(path, line, field)
  local value = field:find "^[%s%d%.eE+-]+$" and tonumber(field)
  if value and math.abs(value) == math.huge then fail("hm.read: %s, line %d: %s is beyond the range of numbers", path, line, field) end
  return value or nil
end

-- Files that are no lines of fields
local function check_lines(path, text)
  if text:find "\r[^\n]" and not text:find("\n", 1, true) then
    fail("hm.read: %s: its lines end with carriage returns alone; write it with line feeds (in a shell: tr '\\r' '\\n')", path)
  end
end

local function check_separated(path, number, line, row)
  if #row == 1 and line:find "^%s*[%d%.+-][%d%.eE+-]*%s+[%d%.+-][%d%.eE+-]*" then
    fail("hm.read: %s, line %d: its numbers are parted by spaces; part them by commas, semicolons or tabs", path, number)
  end
end

local function read_csv(path, text)
  check_lines(path, text)
  local columns, lists, number, separator = { names = {} }, nil, 0, nil
  for line in lines_of(text) do
    number = number + 1
    if number % 1000 == 0 and core.host.interrupted() then fail("interrupted") end
    line = line:gsub("\r$", ""):gsub("^\u{feff}", "")
    if line:find "%S" and not line:find "^%s*#" then
      separator = separator or (line:find(",", 1, true) and "," or line:find(";", 1, true) and ";" or line:find("\t", 1, true) and "\t" or ",")
      local row = fields(line, separator)
      if not row then fail("hm.read: %s, line %d: a quote is not closed, or text follows it", path, number) end
      check_separated(path, number, line, row)
      if not lists then
        lists = {}
        local header = not number_of(path, number, row[1])
        for i, field in ipairs(row) do
          lists[i] = {}
          add_column(columns, header and field or "column " .. i, lists[i])
        end
        if header then row = nil end
      end
      if row and #row ~= #lists then fail("hm.read: %s, line %d has %d fields, the first one %d", path, number, #row, #lists) end
      for i, field in ipairs(row or {}) do
        local list = lists[i]
        list[#list + 1] = number_of(path, number, field) or (field == "" and 0/0) or field
      end
    end
  end
  if not lists then fail("hm.read: %s is empty", path) end
  return columns
end

local function read_npz(path, bytes)
  local columns = { names = {} }
  for _, array in ipairs(core.npz_read(bytes, "hm.read: " .. path)) do add_column(columns, array[1], array[2]) end
  if #columns.names == 0 then fail("hm.read: %s holds no arrays", path) end
  return columns
end

--- A table of numbers from a file: hm.read "drive.csv" or hm.read "drive.npz" gives a table of lists by column, and their names in order:
--- d.names, d.t, d["x'"]. CSV: fields parted by commas, semicolons or tabs, lines with # skipped, names in the first line (else "column 1", ...),
--- empty fields nan, what is no number stays text. NumPy: one list for each array, a list of rows for two dimensions, an empty list where there
--- are no numbers. A name that occurs again becomes "x (2)", and a column called "names" is d["column names"]. Files of up to 1 GB.
--- Errors name the line, or the damaged array.
function data.read(path)
  if type(path) ~= "string" then fail("hm.read takes the name of a file") end
  local bytes, problem = files.read(path)
  if not bytes then fail("hm.read: %s: %s", path, problem) end
  return (path:find "%.npz$" and read_npz or read_csv)(path, bytes)
end

-- ---- functions

local schema = {
  name = { default = "data", type = "string", doc = "name in formulas" },
  kind = { default = "cubic", type = "string",
           doc = "the curve: cubic (natural spline), periodic (smooth where its ends meet), akima, steffen (without overshoot), linear" },
  x = { type = "table", list = true, doc = "arguments, growing" },
  y = { type = "table", list = true, doc = "values" },
  file = { type = "string", doc = "a file for hm.read in place of x and y" },
  column = { type = "string", doc = "the column of the file with the values; the second when not given" },
  argument = { type = "string", doc = "the column of the file with the arguments; the first when not given" },
}

local function column(path, columns, name)
  local list = columns[name]
  if not list then fail("data: %s has no column '%s'%s", path, name, object.hint(name, columns.names)) end
  for i, value in ipairs(list) do if type(value) ~= "number" then fail("data: %s, column '%s': entry %d is no number", path, name, i) end end
  return list
end

-- Checksums of the points by name, of all tables; two tables may have the same name
local points_of = {}

--- The checksums of measured data whose names occur in the text of expressions.
function data.fingerprints(text)
  local parts = {}
  for _, name in ipairs(object.keys(points_of)) do
    if text:find(name .. "(", 1, true) or text:find(name .. "'", 1, true) then parts[#parts + 1] = "\n" .. name .. " " .. points_of[name] end
  end
  return table.concat(parts)
end

local function remember(name, kind, x, y)
  local parts = { kind }
  for i = 1, #x do parts[#parts + 1] = ("%a %a"):format(x[i], y[i]) end
  local sum = core.checksum(table.concat(parts, "\n"))
  local known = points_of[name]
  if not known then points_of[name] = sum
  elseif not known:find(sum, 1, true) then points_of[name] = known .. sum end
end

--- Measured data as a function: u = hm.data{ x = {0, 1, 2}, y = {0, 0.5, 0.2}, name = "u" } or hm.data{ file = "drive.csv", column = "F" }.
--- u(hm.t) is an expression like any other, with derivatives (u'(t) by hm.dt), for forces, moving supports, parameters that change with time or
--- place; u(0.7) is a number. kind: "cubic" (natural spline), "periodic" (slope and curvature agree at both ends), "akima", "steffen" (without
--- overshoot), "linear". u.from and u.to are the ends; beyond them there is no value, of "periodic" neither: numbers are nan, and a run stops there
--- with the name. The steps of a run end at the points of the curve, where
--- its derivatives may jump.
function data.new(given)
  local o = options.check("data", schema, given)
  local x, y, name = o.x, o.y, o.name
  if o.file then
    if x or y then fail("data: a file, or x and y, not both") end
    local columns = data.read(o.file)
    local of, values = o.argument or columns.names[1], o.column or columns.names[2]
    if not values then fail("data: %s has one column only", o.file) end
    x, y = column(o.file, columns, of), column(o.file, columns, values)
    if not given.name then name = values end
  end
  if not x or not y then fail("data: x = {...} and y = {...}, or file = \"drive.csv\"") end
  local id = core.data_new(name, o.kind, x, y)
  remember(name, o.kind, x, y)
  return setmetatable({ name = name, kind = o.kind, from = x[1], to = x[#x], points = #x, _id = id }, Data.meta)
end

function Data.meta.__call(self, x)
  if type(x) == "number" then return core.data_value(self._id, x) end
  return core.data(self._id, x)
end

--- The k-th derivative at the number x, k = 0 to 3.
function Data:derivative(x, k)
  if type(x) ~= "number" or math.type(k) ~= "integer" or k < 0 or k > 3 then fail("derivative(x, k): a number and 0 to 3") end
  return core.data_value(self._id, x, k)
end

function Data.meta.__tostring(self)
  return ("%s: %s curve through %d points from %g to %g"):format(self.name, self.kind, self.points, self.from, self.to)
end

options.declare("data", schema)

return data
