-- fingerprint.lua: the data that determine a result, as short texts in files: a file is continued, joined or read only with the same data.
local contact = require "hamel.system.contact"
local contact_rows = require "hamel.model.contact_rows"
local core = require "hamel.core"
local data = require "hamel.algebra.data"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local fingerprint = {}

local describe

-- A module is the same object for all its users, and some modules have data that change with every run
local function is_module(value)
  for _, module in pairs(package.loaded) do if rawequal(module, value) then return true end end
  return false
end

local function is_of_library(f)
  local here, source = debug.getinfo(1, "S").source:match "^(.*)run/fingerprint%.lua$", debug.getinfo(f, "S").source
  return here ~= nil and source:sub(1, #here) == here
end

-- Words that the code of a function has as string constants: a kind, the length in one byte, the text
local function words_of(code)
  local words = {}
  for at, size in code:gmatch "\4()([\x82-\xff])" do
    local word = code:sub(at + 1, at + size:byte() - 0x81)
    if word:find "^[%a_][%w_]*$" then words[word] = true end
  end
  return object.keys(words)
end

-- Global numbers, texts, functions and plain tables that the code names
local function add_globals(parts, code, environment, seen)
  for _, word in ipairs(words_of(code)) do
    local known, value = protected(function() return environment[word] end)
    local kind = type(value)
    local plain = kind == "table" and not getmetatable(value) and not is_module(value) or kind == "function" and not is_of_library(value)
    if known and (plain or kind == "number" or kind == "string" or kind == "boolean") then parts[#parts + 1] = word .. "=" .. describe(value, seen) end
  end
end

-- A function by its code, its upvalues and the globals it names; the same text in another process of the same program
local function describe_function(f, seen)
  local parts, k = {}, 1
  local dumped, code = protected(string.dump, f, true)
  parts[1] = dumped and core.checksum(code) or "a C function"
  while dumped and not is_of_library(f) do
    local name, value = debug.getupvalue(f, k)
    if not name then break end
    if name ~= "_ENV" then parts[#parts + 1] = describe(value, seen)
    elseif type(value) == "table" then add_globals(parts, code, value, seen) end
    k = k + 1
  end
  return "function(" .. table.concat(parts, ",") .. ")"
end

function describe(value, seen)
  local kind = math.type(value) or type(value)
  if kind == "integer" then value, kind = value + 0.0, "float" end
  if kind == "float" then return ("%a"):format(value) end
  if kind == "string" then return ("%q"):format(value) end
  if kind == "userdata" then return core.is_expression(value) and core.text(value) or "userdata" end
  if kind ~= "table" and kind ~= "function" then return tostring(value) end
  -- one description for each object; systems are described by their parts
  if seen[value] or kind == "table" and (object.is_a(value, "System") or is_module(value)) then return "seen" end
  if object.is_a(value, "Data") then return "data " .. value.name .. data.fingerprints(value.name .. "(") end
  seen[value] = true
  if kind == "function" then return describe_function(value, seen) end
  local keys, entries, parts = {}, {}, {}
  for key, entry in next, value do
    keys[#keys + 1] = describe(key, seen)
    entries[keys[#keys]] = entry
  end
  table.sort(keys)
  for i, key in ipairs(keys) do parts[i] = key .. "=" .. describe(entries[key], seen) end
  return "{" .. table.concat(parts, ",") .. "}"
end

--- A text that is the same for the same numbers, names, expressions and functions, tables of them included.
function fingerprint.text(value) return describe(value, {}) end

--- 16 digits in its place.
function fingerprint.of(value) return core.checksum(describe(value, {})) end

--- The text of equations, measured data in them included.
function fingerprint.equations_text(E)
  local parts = {}
  for _, list in ipairs{ E.kin, E.dyn, E.k, E.r, E.b } do for _, e in ipairs(list) do parts[#parts + 1] = core.text(e) end end
  for _, rows in ipairs{ E.M, E.A } do for _, row in ipairs(rows) do for _, e in ipairs(row) do parts[#parts + 1] = core.text(e) end end end
  local text = table.concat(parts, "\n")
  return text .. data.fingerprints(text)
end

function fingerprint.equations(E) return core.checksum(fingerprint.equations_text(E)) end

--- What the forces in Lua of a system are, which its equations have as unknown numbers; nil where there are none.
function fingerprint.forces(system)
  local list = system:_external_forces()
  return #list > 0 and fingerprint.of(list) or nil
end

--- What the contacts of a system are: gaps, frictions and their laws; nil where there are none.
function fingerprint.contacts(system)
  if not contact.any(system) then return nil end
  local laws = {}
  for i, gap in ipairs(system.gaps) do laws[i] = type(gap.law) == "function" and gap.law or false end
  local text = describe({ contact_rows.spec(system), laws }, {})
  return core.checksum(text .. data.fingerprints(text))
end

return fingerprint
