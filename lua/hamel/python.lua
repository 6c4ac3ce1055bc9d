-- python.lua: what the Python package asks of the library: names of fields, lists or tables, states of runs, what a notebook shows.
local core = require "hamel.core"
local display = require "hamel.show.display"
local help = require "hamel.book.help"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local reading = require "hamel.run.reading"
local states = require "hamel.run.state"
local symbols = require "hamel.algebra.symbols"

local python = {}

--- Exact number from a text, for whole numbers beyond 64 bits and fractions.
python.number = core.number

--- "Trajectory", "Sweep", ...; "" for what has no class.
function python.kind(value)
  local meta = debug.getmetatable(value)
  local name = type(meta) == "table" and rawget(meta, "__name")
  return type(name) == "string" and name or ""
end

python.is_expression = core.is_expression

--- The number that an expression or a number is; nil where it is none.
function python.value(value) return symbols.number(value) end

--- Has it numbered entries?
function python.is_list(value)
  if type(value) ~= "table" then return false end
  local fine, n = protected(function() return #value end)
  return fine and n > 0
end

-- Objects have fields and methods, tables have names
local function is_object(value)
  local meta = debug.getmetatable(value)
  return type(meta) == "table" and rawget(meta, "__class") ~= nil
end

--- Names in a table, sorted; of series those that can be computed.
function python.keys(value)
  local meta, names = debug.getmetatable(value), {}
  local listed = type(meta) == "table" and not is_object(value) and rawget(meta, "__names")
  for _, key in ipairs(listed and listed(value) or {}) do names[#names + 1] = key end
  for key in pairs(type(value) == "table" and not listed and value or {}) do
    if type(key) == "string" and key:sub(1, 1) ~= "_" then names[#names + 1] = key end
  end
  table.sort(names)
  return names
end

--- Number of entries, or of names; nil for objects that have neither.
function python.size(value)
  if type(value) ~= "table" then return nil end
  local meta = getmetatable(value)
  local counts = type(meta) == "table" and rawget(meta, "__len")
  if counts or #value > 0 then return #value end
  return not is_object(value) and #python.keys(value) or nil
end

--- Names of fields and methods, without those that are the library's own.
function python.names(value)
  local meta = debug.getmetatable(value)
  local list = type(meta) == "table" and rawget(meta, "__names")
  local names = list and list(value) or object.keys(type(value) == "table" and value or core.methods)
  local hidden, result = help.hidden(python.kind(value)), {}
  for _, name in ipairs(names) do if not name:find "^_" and not hidden[name] then result[#result + 1] = name end end
  return result
end

--- The page of help on a method of a value; nil where there is none.
function python.page(value, name)
  local class = python.kind(value)
  local prefix = core.is_expression(value) and "e" or help.letter(class) or class:lower()
  for _, text in ipairs{ prefix .. ":" .. name, name } do
    local fine, page = protected(help.help, text)
    if fine and page then return tostring(page) end
  end
end

--- The page of help on a function of the library; nil where there is none.
function python.page_of_function(name)
  local fine, page = protected(help.help, "hm." .. name)
  if not fine or not page then fine, page = protected(help.help, name) end
  return fine and page and tostring(page) or nil
end

--- run:series as a block of the core, times and columns; nil where only lists can be had, as of vectors.
function python.series(run, ...)
  local o, p, sizes = reading.request(run, ...)
  for _, size in ipairs(sizes) do if size ~= 1 then return nil end end
  return reading.block(run, o, p)
end

--- The stored states of a run, as run[i] has them: a block of the core with the times before them, or a list of lists.
function python.states(run)
  local block = reading.block(run, {})
  if block then return block end
  local list = {}
  for i = 1, reading.raw(run):points() do list[i] = table.move(reading.stored_state(run, i), 1, #run.equations.kin + #run.equations.dyn, 1, {}) end
  return list
end

--- The coordinates and velocities of a run by name: "x", "x'".
function python.state_names(run)
  local names = table.move(run.names, 1, #run.names, 1, {})
  for _, e in ipairs(select(2, states.velocities(run))) do names[#names + 1] = core.text(e) end
  return names
end

--- The columns of a sweep in order: a list of { name, values }.
function python.columns(sweep)
  local list = {}
  for _, names in ipairs{ { "index" }, sweep.varied, { "status", "t", "steps" }, sweep.names } do
    for _, name in ipairs(names) do list[#list + 1] = { name, sweep:column(name) } end
  end
  return list
end

--- A node of an expression: { kind, key, text, operands } and of symbols { order, is_dynamic, is_positive, is_time }.
function python.part(e)
  local kind = core.kind(e)
  local part = { kind = kind, key = core.text(e), text = core.text(e) }
  if kind == "symbol" then
    local name, order, flags = core.name(e)
    part.text, part.order = name, order
    part.is_dynamic, part.is_time = flags & symbols.DYNAMIC ~= 0, flags & symbols.TIME ~= 0
    part.is_positive = flags & symbols.POSITIVE ~= 0
  elseif kind ~= "number" and kind ~= "float" then
    part.operands = core.operands(e)
    if kind == "call" then part.text = core.name(e) end
  end
  return part
end

--- The symbol of which this one is a derivative.
function python.base(e)
  local name, _, flags = core.name(e)
  return core.symbol(name, flags)
end

--- The function of expressions with a name, nil where there is none.
function python.function_named(name) return core.functions[name] end

--- What a notebook shows: texts by media type.
function python.bundle(value)
  local bundle = display.types(value)
  bundle["text/plain"] = tostring(value)
  return bundle
end

return python
