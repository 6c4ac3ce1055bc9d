-- json.lua: values as JSON (RFC 8259) and back: numbers with 17 digits, so that they read back as the same doubles; other values become null.
local object = require "hamel.base.object"

local json = {}

local short = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ['"'] = '\\"', ["\\"] = "\\\\" }

-- JSON is UTF-8: other bytes become U+FFFD
local function repaired(value)
  local out, at = {}, 1
  while at <= #value do
    local _, wrong = utf8.len(value, at)
    out[#out + 1] = value:sub(at, (wrong or #value + 1) - 1)
    if not wrong then break end
    out[#out + 1], at = "\u{FFFD}", wrong + 1
  end
  return table.concat(out)
end

local function text(value)
  if not utf8.len(value) then value = repaired(value) end
  return '"' .. value:gsub('[%c"\\]', function(c) return short[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function number(value) return value - value == 0 and object.number(value) or "null" end

-- The names of a table that has some
local function names_of(value)
  local names = {}
  for key in next, value do if type(key) == "string" then names[#names + 1] = key end end
  table.sort(names)
  return names
end

--- An object without members; {} is an empty list.
json.empty = setmetatable({}, { __name = "JSON object" })

--- The text of a number, string, boolean, list, or table with names, whose members come in the order of their names.
function json.text(value)
  if type(value) == "number" then return number(value) end
  if type(value) == "string" then return text(value) end
  if type(value) == "boolean" then return tostring(value) end
  if type(value) ~= "table" then return "null" end
  local names, out = names_of(value), {}
  if #names > 0 or value == json.empty then
    for i, name in ipairs(names) do out[i] = text(name) .. ":" .. json.text(value[name]) end
    return "{" .. table.concat(out, ",") .. "}"
  end
  for i, item in ipairs(value) do out[i] = json.text(item) end
  return "[" .. table.concat(out, ",") .. "]"
end

--- The text of an object with the pairs { name, value } in their order; values are texts of JSON.
function json.object(pairs_in_order)
  local out = {}
  for i, pair in ipairs(pairs_in_order) do out[i] = text(pair[1]) .. ": " .. pair[2] end
  return "{" .. table.concat(out, ",\n") .. "}"
end

-- ---- reading

local DEPTH = 200                      -- of lists in lists, which use the stack
local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }
local words = { ["true"] = true, ["false"] = false }

--- Lines "key: value" as an object; keys that occur again become lists.
function json.of_lines(lines)
  local order, values = {}, {}
  for _, line in ipairs(lines) do
    local key, value = line:match "^(.-): (.*)$"
    if not values[key] then order[#order + 1], values[key] = key, {} end
    table.insert(values[key], value)
  end
  local list = {}
  for i, key in ipairs(order) do list[i] = { key, json.text(#values[key] > 1 and values[key] or values[key][1]) } end
  return json.object(list)
end

--- A table of columns { name, list } with lines on it, { "about": {...}, "columns": {...} }.
function json.table_text(columns, about)
  local list = {}
  for i, column in ipairs(columns) do list[i] = { column[1], json.text(column[2]) } end
  return json.object{ { "about", json.of_lines(about) }, { "columns", json.object(list) } } .. "\n"
end

local function fail(at, what) object.fail("JSON: %s at byte %d", what, at) end

local function blanks(source, at) return source:match("^[ \t\r\n]*()", at) end

-- \uXXXX, or two of them for one character; half of such a pair alone is no character
local function unit(source, at)
  local code = tonumber(source:match("^\\u(%x%x%x%x)", at) or fail(at, "a wrong escape"), 16)
  local low = code >= 0xD800 and code < 0xDC00 and tonumber(source:match("^\\u([dD][c-fC-F]%x%x)", at + 6) or "", 16)
  if low then return utf8.char(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), at + 12 end
  return utf8.char(code >= 0xD800 and code < 0xE000 and 0xFFFD or code), at + 6
end

local function string_at(source, at)
  local out = {}
  while true do
    local plain, stop = source:match('^([^"\\]*)()', at)
    out[#out + 1] = plain
    local sign = source:sub(stop, stop)
    if sign == '"' then return table.concat(out), stop + 1 end
    if sign == "" then fail(at, "a string does not end") end
    local simple = escapes[source:sub(stop + 1, stop + 1)]
    if simple then out[#out + 1], at = simple, stop + 2 else out[#out + 1], at = unit(source, stop) end
  end
end

local value_at

-- The next place behind a comma; nil and the place behind the end of the list
local function go_on(source, at, close)
  at = blanks(source, at)
  local sign = source:sub(at, at)
  if sign == close then return nil, at + 1 end
  if sign ~= "," then fail(at, "a comma or '" .. close .. "' is missing") end
  return at + 1
end

local function list_at(source, at, depth)
  local list, n = {}, 0
  local first = blanks(source, at)
  if source:sub(first, first) == "]" then return list, first + 1 end
  while true do
    local stop
    n = n + 1
    list[n], stop = value_at(source, at, depth)
    local more, behind = go_on(source, stop, "]")
    if not more then return list, behind end
    at = more
  end
end

local function object_at(source, at, depth)
  local members = {}
  local first = blanks(source, at)
  if source:sub(first, first) == "}" then return members, first + 1 end
  while true do
    local key = source:match('^[ \t\r\n]*"()', at) or fail(at, "a name in quotes is missing")
    local name, stop = string_at(source, key)
    stop = source:match("^[ \t\r\n]*:()", stop) or fail(stop, "a colon is missing")
    members[name], stop = value_at(source, stop, depth)
    local more, behind = go_on(source, stop, "}")
    if not more then return members, behind end
    at = more
  end
end

local function number_at(source, at)
  local word, stop = source:match("^(-?%d[%d.eE+-]*)()", at)
  local value = word and tonumber(word)
  if not value then fail(at, "no value") end
  return value, stop
end

function value_at(source, at, depth)
  if depth > DEPTH then fail(at, "lists too deep") end
  at = blanks(source, at)
  local sign = source:sub(at, at)
  if sign == '"' then return string_at(source, at + 1) end
  if sign == "{" then return object_at(source, at + 1, depth + 1) end
  if sign == "[" then return list_at(source, at + 1, depth + 1) end
  local word, stop = source:match("^(%l+)()", at)
  if word == "null" then return nil, stop end
  if words[word] ~= nil then return words[word], stop end
  return number_at(source, at)
end

--- The value of a text of JSON: tables for lists and objects, nil for null; raises where the text is none.
function json.read(source)
  local value, stop = value_at(source, 1, 0)
  stop = blanks(source, stop)
  if stop <= #source then fail(stop, "more text after the value") end
  return value
end

return json
