-- fingerprint.lua: what determines numbers, as short texts that files keep: a file is not continued, joined or read with something else.
local core = require "hamel.core"
local data = require "hamel.data"
local object = require "hamel.object"

local fingerprint = {}

local describe

-- A function by its code and what it holds; the same text in another process of the same program
local function describe_function(f, seen)
  local parts, k = {}, 1
  local dumped, code = pcall(string.dump, f, true)
  parts[1] = dumped and core.checksum(code) or "a C function"
  while dumped do
    local name, value = debug.getupvalue(f, k)
    if not name then break end
    if name ~= "_ENV" then parts[#parts + 1] = describe(value, seen) end
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
  if seen[value] or kind == "table" and object.is_a(value, "System") then return "seen" end
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

--- The text of what equations say, measured data in them included.
function fingerprint.equations_text(E)
  local parts = {}
  for _, list in ipairs{ E.kin, E.dyn, E.k, E.r, E.b } do for _, e in ipairs(list) do parts[#parts + 1] = core.text(e) end end
  for _, rows in ipairs{ E.M, E.A } do for _, row in ipairs(rows) do for _, e in ipairs(row) do parts[#parts + 1] = core.text(e) end end end
  local text = table.concat(parts, "\n")
  return text .. data.fingerprints(text)
end

function fingerprint.equations(E) return core.checksum(fingerprint.equations_text(E)) end

return fingerprint
