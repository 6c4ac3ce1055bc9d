-- save.lua: run:save: tables of a run as CSV, JSON, NumPy and MATLAB arrays; other formats enter files.writers.
local core = require "hamel.core"
local files = require "hamel.base.files"
local json = require "hamel.base.json"
local matlab = require "hamel.base.matlab"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local reading = require "hamel.run.reading"
local states = require "hamel.run.state"
local Trajectory = require "hamel.run.trajectory"

local fail = object.fail

-- "t [s], x [m]" for the columns that have a unit; nil where none has
local function units_text(system, names)
  local labels, parts = system:unit_labels(), {}
  for _, name in ipairs(names) do if labels[name] then parts[#parts + 1] = ("%s [%s]"):format(name, labels[name]) end end
  return #parts > 0 and table.concat(parts, ", ") or nil
end

-- Lines "key: value" on the run
local function about(self, names)
  local parameters = {}
  for i, symbol in ipairs(self.observer.parameters) do
    local name = core.name(symbol)
    parameters[i] = ("%s = %s"):format(name, self.system:value_text(name, self.observer.values[i]))
  end
  local o = self.options
  local lines = {
    "program: " .. files.program(), "system: " .. self.system.name, "parameters: " .. table.concat(parameters, ", "),
    "form: " .. self.equations.form, "method: " .. o.method,
    ("tolerances: rtol = %s, atol = %s"):format(object.number(o.rtol), object.number(o.atol)),
    "projection: " .. (o.project and "on" or "off"), "outcome: " .. (self.reason or "reached the end"),
  }
  for _, c in ipairs(self.system.constraints) do lines[#lines + 1] = "constraint: " .. c.name .. ": " .. core.text(c.f) .. " = 0" end
  local units = units_text(self.system, names)
  if units then lines[#lines + 1] = "units: " .. units end
  return lines
end

-- All columns at once: { name, list }, and their length
local function columns_of(run, o, names, program)
  local columns, count = {}, 0
  for i, name in ipairs(names) do columns[i] = { name, {} } end
  reading.visit(run, o, program, function(k, t, row)
    count = k
    columns[1][2][k] = t
    for i = 1, #row do columns[i + 1][2][k] = row[i] end
  end)
  return columns, count
end

local bytes_of = {
  npz = function(_, columns) return core.npz(columns) end,
  mat = function(run, columns, names) return matlab.bytes(columns, about(run, names)) end,
  json = function(run, columns, names) return json.table_text(columns, about(run, names)) end,
}

--- Saves t, coordinates, velocities (of a rotation its body rates) and multipliers as CSV: header lines "# key: value", a line of names, 17 digits;
--- a name that ends in .npz gives the same columns as NumPy arrays: numpy.load("run.npz")["x'"], one in .json an object { about, columns } (null where there
--- is no number), one in .mat vectors for MATLAB, x_dot for x', lambda_rod for lambda.rod, and `about`, lines on the run and on the names.
--- Options: { n = 500 } equally spaced times, { times = {...} }; the steps of the run otherwise. Returns { file, rows, ... },
--- which prints as one sentence.
--- A name that ends in .hamel keeps the whole run, dense output included, for hm.load.
function Trajectory:save(path, given)
  local o = options.check("save", reading.schema, given)
  if type(path) ~= "string" then fail("run:save takes a file name") end
  if path:find "%.hamel$" then
    if given then fail("run:save: a .hamel file keeps the whole run; it takes no options") end
    local bytes = files.writers.hamel(self, path)
    return files.written(path, ("the whole run, %s; hm.load(\"%s\", S) reads it"):format(files.size_text(bytes), path), { bytes = bytes })
  end
  local ending = path:match "%.(%w+)$"
  if ending ~= "csv" and not bytes_of[ending] then
    fail("run:save: '%s' should end in .csv, .json, .npz (NumPy), .mat (MATLAB) or .hamel (the whole run)", path)
  end
  local names, wanted = { "t" }, {}
  local q = self.observer.coordinates
  for i, name in ipairs(self.names) do names[#names + 1], wanted[i] = name, q[i] end
  for _, w in ipairs(select(2, states.velocities(self))) do names[#names + 1], wanted[#wanted + 1] = core.text(w), self.observer:expression(w) end
  for i, name in ipairs(self.equations.names) do
    names[#names + 1], wanted[#wanted + 1] = "lambda." .. name, self.observer:multiplier(i)
  end
  for i, name in ipairs(self.observer.gap_names or {}) do names[#names + 1], wanted[#wanted + 1] = "lambda." .. name, self.observer.reactions[i] end
  for _, item in ipairs(self.observer.frictions or {}) do
    for a, symbol in ipairs(item) do names[#names + 1], wanted[#wanted + 1] = "friction." .. item.name .. item.suffixes[a], symbol end
  end
  for _, wall in ipairs(object.keys(self.observer.rough or {})) do
    for a, symbol in ipairs(self.observer.rough[wall]) do names[#names + 1], wanted[#wanted + 1] = ("rough.%s[%d]"):format(wall, a), symbol end
  end
  if bytes_of[ending] then
    local columns, rows = columns_of(self, o, names, self.observer:program(wanted))
    files.write("run:save", path, bytes_of[ending](self, columns, names))
    return files.written(path, files.rows_of(rows, names), { rows = rows })
  end
  local lines = files.header(about(self, names))
  local heads = {}
  for i, name in ipairs(names) do heads[i] = files.field(name) end
  lines[#lines + 1] = table.concat(heads, ",")
  local count = 0
  reading.visit(self, o, self.observer:program(wanted), function(k, t, row)
    count = k
    for i = 1, #row do row[i] = object.number(row[i]) end
    table.insert(row, 1, object.number(t))
    lines[#lines + 1] = table.concat(row, ",")
  end)
  files.write("run:save", path, table.concat(lines, "\n") .. "\n")
  return files.written(path, files.rows_of(count, names), { rows = count })
end

options.declare("save", reading.schema)
