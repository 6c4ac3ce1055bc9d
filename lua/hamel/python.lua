-- python.lua: what the Python package asks of the library: names of fields, lists or tables, states of runs, what a notebook shows.
local core = require "hamel.core"
local object = require "hamel.base.object"

local python = {}

--- Exact number from a text, for whole numbers beyond 64 bits and fractions.
python.number = core.number

--- "Trajectory", "Sweep", ...; "" for what has no class.
function python.kind(value)
  local meta = debug.getmetatable(value)
  local name = type(meta) == "table" and rawget(meta, "__name")
  return type(name) == "string" and name or ""
end

--- Has it numbered entries?
function python.is_list(value)
  if type(value) ~= "table" then return false end
  local fine, n = pcall(function() return #value end)
  return fine and n > 0
end

--- Names in a table, sorted.
function python.keys(value)
  local names = {}
  for key in pairs(type(value) == "table" and value or {}) do
    if type(key) == "string" and key:sub(1, 1) ~= "_" then names[#names + 1] = key end
  end
  table.sort(names)
  return names
end

--- Names of fields and methods.
function python.names(value)
  local meta = debug.getmetatable(value)
  local list = type(meta) == "table" and rawget(meta, "__names")
  local names = list and list(value) or object.keys(type(value) == "table" and value or core.methods)
  local result = {}
  for _, name in ipairs(names) do if not name:find "^_" then result[#result + 1] = name end end
  return result
end

--- The stored states of a run, one after the other.
function python.states(run)
  local list, raw = {}, rawget(run, "raw") or object.fail("the run has no states: it never started")
  for i = 1, raw:points() do
    local state = raw:state(i)
    table.move(state, 1, #state, #list + 1, list)
  end
  return list
end

--- The number of states at one time.
function python.width(run) return #rawget(run, "raw"):state(1) end

--- The columns of a sweep by name.
function python.columns(sweep)
  local result = {}
  for _, name in ipairs(sweep.columns) do result[name] = sweep:column(name) end
  return result
end

--- What a notebook shows: texts by media type.
function python.bundle(value)
  local bundle = { ["text/plain"] = tostring(value) }
  if core.is_expression(value) then bundle["text/latex"] = "$\\displaystyle " .. core.latex(value) .. "$" end
  return bundle
end

return python
