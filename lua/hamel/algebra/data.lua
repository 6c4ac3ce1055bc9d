-- data.lua: tables of numbers from files, and measured data as functions in formulas.
local core = require "hamel.core"
local files = require "hamel.base.files"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local fail = object.fail
local Data = object.class "Data"
local data = {}

-- ---- files

-- Fields of one line of CSV, and which of them stood in quotes, which are doubled inside
local function fields(line, separator)
  local list, quoted, at = {}, {}, 1
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
      quoted[#list] = true
      at = from
    else
      local stop = line:find(separator, at, true) or #line + 1
      list[#list + 1] = line:sub(at, stop - 1):match "^%s*(.-)%s*$"
      at = stop
    end
    if at > #line then return list, quoted end
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
  return free
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

-- A decimal number or nan, or nil
local function number_of(field)
  if field:lower():find "^[+-]?nan$" then return 0/0 end
  return field:find "^[%d%.eE+-]+$" and tonumber(field) or nil
end

-- Digits in groups of three, as 1 000 or 1'000.5
local function has_groups(field)
  local first, rest = field:match "^[+-]?(%d%d?%d?)(.*)$"
  local count = 0
  while first and rest:find "^[ '_]%d%d%d" do rest, count = rest:sub(5), count + 1 end
  return count > 0 and rest:find "^%.?%d*$" ~= nil
end

local NUMBER = "[+-]?%d*%.?%d+[eE]?[+-]?%d*"

-- What is a number to other programs: what is wrong with it here
local function misread(field, quoted)
  if field:find "^[+-]?%d*,%d+$" or field:find "^[+-]?%d*,%d+[eE][+-]?%d+$" then return "has a decimal comma: write decimal points" end
  if has_groups(field:gsub("\u{a0}", " "):gsub("\u{202f}", " ")) then return "has its digits in groups: write it without gaps" end
  if field:find "^\u{2212}[%d.]" then return "has a minus sign of typography: write -" end
  if field:find "^[+-]?[%d.]+[dD][+-]?%d+$" then return "has an exponent of Fortran: write e in place of d" end
  if quoted then return nil end
  if field:find "^[+-]?0[xX]%x+$" then return "is hexadecimal: write it in decimals, or put it in quotes as a text" end
  if field:find("^" .. NUMBER .. "%s+" .. NUMBER) then return "is several numbers parted by spaces: part them by commas, semicolons or tabs" end
  if field:find("^" .. NUMBER .. "[;,]" .. NUMBER) then return "is several numbers: part all fields, those of the first line too, by one sign" end
end

-- Files that are no lines of fields
local function check_lines(path, text)
  if text:find "^hamel run" then fail("hm.read: %s is a whole run: hm.load reads it", path) end
  if text:find "^%s*[{%[]" then fail("hm.read: %s is no table of fields, but JSON; hm.read takes .csv and .npz", path) end
  if text:find("\0", 1, true) then
    fail("hm.read: %s is no text of UTF-8: it has zero bytes; hm.read takes .csv in UTF-8 and .npz", path)
  end
  if text:find "\r[^\n]" and not text:find("\n", 1, true) then
    fail("hm.read: %s: its lines end with carriage returns alone; write it with line feeds (in a shell: tr '\\r' '\\n')", path)
  end
end

-- The sign between the fields of a line; with semicolons, commas belong to names
local function separator_of(line)
  line = line:gsub('"[^"]*"', "")
  return line:find("\t", 1, true) and "\t" or line:find(";", 1, true) and ";" or ","
end

-- A column as it grows: all numbers, or all texts; empty fields count when it is known which
local function new_column(columns, name) return { list = {}, name = add_column(columns, name, {}), gaps = {} } end

-- Enters a field; `refuse` takes what is wrong with it
local function enter(column, field, quoted, line, refuse)
  local list, value = column.list, number_of(field)
  if value and math.abs(value) == math.huge then refuse(column, line, ("%s is beyond the range of numbers"):format(field)) end
  if field == "" then
    column.gaps[#column.gaps + 1] = { #list + 1, line }
    list[#list + 1] = false
    return
  end
  local wrong = not value and misread(field, quoted)
  if wrong then refuse(column, line, ("'%s' %s"):format(field, wrong)) end
  column.kind = column.kind or (value and "numbers" or "texts")
  if column.kind == "numbers" and not value then refuse(column, line, ("'%s' is no number, as the fields above are"):format(field)) end
  if column.kind == "texts" and value == value and value and not quoted then
    refuse(column, line, ("%s is a number, and the fields above are texts: put texts in quotes"):format(field))
  end
  list[#list + 1] = column.kind == "numbers" and value or field
end

-- Gives the empty fields their value
local function close(column, empty, refuse)
  for _, gap in ipairs(column.gaps) do
    if column.kind == "numbers" and empty ~= "nan" then
      refuse(column, gap[2], "the field is empty: give its number, or nan; hm.read(file, { empty = \"nan\" }) reads empty fields as nan")
    end
    column.list[gap[1]] = column.kind == "numbers" and 0/0 or ""
  end
end

local function read_csv(path, text, empty)
  check_lines(path, text)
  local columns, lists, number, separator = { names = {} }, nil, 0, nil
  local function refuse(column, line, why) fail("hm.read: %s, line %d, column '%s': %s", path, line, column.name, why) end
  for line in lines_of(text) do
    number = number + 1
    if number % 1000 == 0 and core.host.interrupted() then fail("interrupted") end
    line = line:gsub("\r$", ""):gsub("^\u{feff}", "")
    if line:find "%S" and not line:find "^%s*#" then
      separator = separator or separator_of(line)
      local row, quoted = fields(line, separator)
      if not row then fail("hm.read: %s, line %d: a quote is not closed, or text follows it", path, number) end
      local header = not lists and not number_of(row[1])
      local wrong = header and misread(row[1], quoted[1])
      if wrong then fail("hm.read: %s, line %d: '%s' %s", path, number, row[1], wrong) end
      if not lists then
        lists = {}
        for i, field in ipairs(row) do lists[i] = new_column(columns, header and field or "column " .. i) end
      end
      if #row ~= #lists then fail("hm.read: %s, line %d has %d fields, the first one %d", path, number, #row, #lists) end
      for i, field in ipairs(header and {} or row) do enter(lists[i], field, quoted[i], number, refuse) end
    end
  end
  if not lists then fail("hm.read: %s is empty", path) end
  for _, column in ipairs(lists) do
    close(column, empty, refuse)
    columns[column.name] = column.list
  end
  return columns
end

local function read_npz(path, bytes)
  local columns = { names = {} }
  for _, array in ipairs(core.npz_read(bytes, "hm.read: " .. path)) do add_column(columns, array[1], array[2]) end
  if #columns.names == 0 then fail("hm.read: %s holds no arrays", path) end
  return columns
end

local read_schema = {
  empty = { type = "string", doc = "\"nan\": an empty field among numbers is nan; when not given, it is an error" },
}

--- hm.read.
function data.read(path, given)
  if type(path) ~= "string" then fail("hm.read takes the name of a file") end
  local o = options.check("read", read_schema, given)
  if o.empty and o.empty ~= "nan" then fail("hm.read: empty = \"nan\" is the only choice, not '%s'", o.empty) end
  local bytes, problem = files.read(path)
  if not bytes then fail("hm.read: %s: %s", path, problem) end
  return (path:find "%.npz$" and read_npz or read_csv)(path, bytes, o.empty)
end

options.declare("read", read_schema)

-- ---- functions

local schema = {
  name = { default = "data", type = "string", doc = "name in formulas" },
  kind = { default = "cubic", type = "string", choices = { "cubic", "periodic", "akima", "steffen", "linear" },
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
  for i, value in ipairs(list) do
    if type(value) ~= "number" or value ~= value then fail("data: %s, column '%s': entry %d is no number", path, name, i) end
  end
  return list
end

-- The values of a list, whose entries may be exact numbers
local function numbers(list, what)
  local values = {}
  for i, entry in ipairs(list) do values[i] = options.returned(entry) or fail("data: entry %d of %s is %s, not a number", i, what, tostring(entry)) end
  return values
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

local kinds, places = {}, {}           -- by the number of the curve: its kind, the arguments of its points
local smooth = { linear = 0, akima = 1, steffen = 1, cubic = 2, periodic = 2 }     -- derivatives that are continuous

--- May the derivative of that order jump at the points of the data of curve `id`?
function data.jumps(id, order) return order > (smooth[kinds[id]] or 0) end

--- Is the argument x within `reach` of a point of the data of curve `id`?
function data.is_near_point(id, x, reach)
  for _, place in ipairs(places[id] or {}) do if math.abs(x - place) <= reach then return true end end
  return false
end

--- hm.data.
function data.new(given)
  local o = options.check("data", schema, given)
  local x, y, name = o.x, o.y, o.name
  if o.file then
    if x or y then fail("data: a file, or x and y, not both") end
    local columns = data.read(o.file, { empty = "nan" })
    local of, values = o.argument or columns.names[1], o.column or columns.names[2]
    if not values then fail("data: %s has one column only", o.file) end
    x, y = column(o.file, columns, of), column(o.file, columns, values)
    if not given.name then name = values end
  end
  if not x or not y then fail("data: x = {...} and y = {...}, or file = \"drive.csv\"") end
  x, y = numbers(x, "x"), numbers(y, "y")
  local id = core.data_new(name, o.kind, x, y)
  kinds[id], places[id] = o.kind, table.move(x, 1, #x, 1, {})
  remember(name, o.kind, x, y)
  return setmetatable({ name = name, kind = o.kind, from = x[1], to = x[#x], points = #x, _id = id }, Data.meta)
end

function Data.meta.__call(self, x)
  if type(x) == "number" then return core.data_value(self._id, x) end
  return core.data(self._id, x)
end

--- The k-th derivative at the number x, k = 0 to 3.
function Data:derivative(x, k)
  x = options.returned(x)
  if not x or math.type(k) ~= "integer" or k < 0 or k > 3 then fail("derivative(x, k): a number and 0 to 3") end
  return core.data_value(self._id, x, k)
end

function Data.meta.__tostring(self)
  return ("%s: %s curve through %d points from %g to %g"):format(self.name, self.kind, self.points, self.from, self.to)
end

options.declare("data", schema)

return data
