-- json.lua: values as JSON (RFC 8259): numbers with 17 digits, so that they read back as the same doubles; other values become null.
local object = require "hamel.base.object"

local json = {}

local short = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ['"'] = '\\"', ["\\"] = "\\\\" }

local function text(value)
  return '"' .. value:gsub('[%c"\\]', function(c) return short[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function number(value) return value - value == 0 and object.number(value) or "null" end

--- The text of a number, string, boolean, list, or list of pairs in order: json.object.
function json.text(value)
  if type(value) == "number" then return number(value) end
  if type(value) == "string" then return text(value) end
  if type(value) == "boolean" then return tostring(value) end
  local out = {}
  for i, item in ipairs(value) do out[i] = json.text(item) end
  return "[" .. table.concat(out, ",") .. "]"
end

--- The text of an object with the pairs { name, value } in their order; values are texts of JSON.
function json.object(pairs_in_order)
  local out = {}
  for i, pair in ipairs(pairs_in_order) do out[i] = text(pair[1]) .. ": " .. pair[2] end
  return "{" .. table.concat(out, ",\n") .. "}"
end

return json
