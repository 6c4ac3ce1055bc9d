-- complete.lua: candidates for a word at the prompt: globals, fields, methods, options; also behind user objects. places.lua: inside calls.
local help = require "hamel.book.help"
local options = require "hamel.base.options"
local places = require "hamel.repl.places"
local protected = require "hamel.base.protected"

local complete = {}

-- Keys of a value without running user code: raw keys and __index tables
local function keys_of(value, into, depth)
  local meta = debug.getmetatable(value)
  local is_object = type(meta) == "table" and rawget(meta, "__names") ~= nil
  local hidden = is_object and help.hidden(rawget(meta, "__name")) or {}
  if type(value) == "table" then
    for k in next, value do
      if type(k) == "string" and k:match("^[%a_][%w_]*$") and k:sub(1, 1) ~= "_" and not hidden[k] then into[k] = true end
    end
  end
  if type(meta) ~= "table" or depth > 4 then return end
  local names = rawget(meta, "__names")
  if type(names) == "function" then
    local fine, list = protected(names, value)
    for _, name in ipairs(fine and list or {}) do if name:sub(1, 1) ~= "_" then into[name] = not hidden[name] or nil end end
  end
  local index = rawget(meta, "__index")
  if type(index) == "table" then keys_of(index, into, depth + 1) end
end

-- Fields that the library computes, whose names complete further: r.lambda.blade
local COMPUTED = { lambda = true, q = true, v = true }

local function field(value, name)
  for _ = 1, 5 do
    if type(value) == "table" then
      local found = rawget(value, name)
      if found ~= nil then return found end
    end
    local meta = debug.getmetatable(value)
    local index = type(meta) == "table" and rawget(meta, "__index")
    if type(index) == "function" and rawget(meta, "__names") and COMPUTED[name] then
      local fine, found = protected(index, value, name)
      return fine and found or nil
    end
    if type(index) ~= "table" then return nil end
    value = index
  end
end

-- The value that a path of names has, "runs.first"; nil where there is none
local function value_at(path, environments)
  local value
  for name in path:gmatch("[^.:]+") do
    if value == nil then
      for _, environment in ipairs(environments) do
        value = rawget(environment, name)
        if value ~= nil then break end
      end
    else
      value = field(value, name)
    end
    if value == nil then return nil end
  end
  return value
end

-- What follows a colon is called: fields that the object has or computes are none of it
local function drop_values(value, found)
  local class = (debug.getmetatable(value) or {}).__class
  for name in pairs(found) do
    local own = nil
    if type(value) == "table" then own = rawget(value, name) end
    if own ~= nil and type(own) ~= "function" or class and rawget(class.get, name) then found[name] = nil end
  end
end

--- Full words that continue `word`; environments are searched in order.
---@param word string "hm.sy", "S:sim", "pri"
---@param environments table[]
---@param before? string the line up to the word: in S:equations "ma the name of a form continues it
function complete.candidates(word, environments, before)
  local at_place = places.candidates(word, before or "", function(path) return value_at(path, environments) end)
  if at_place then return at_place end
  local path, separator, last = word:match("^(.*)([.:])([%w_]*)$")
  local found = {}
  if not path then
    last = word
    for _, environment in ipairs(environments) do keys_of(environment, found, 0) end
  else
    local value = value_at(path, environments)
    if value == nil then return {} end
    keys_of(value, found, 0)
    if separator == ":" then drop_values(value, found) end
  end
  local list = {}
  for name in pairs(found) do
    if name:sub(1, #last) == last then list[#list + 1] = (path and path .. separator or "") .. name end
  end
  table.sort(list)
  return list
end

-- The name of the call whose braces are open at the end of the text, where a key may follow: S:simulate{ q = {x = 0}, |
local function open_call(text)
  local depth, at = 0, #text
  if not text:find "[{,]%s*$" then return nil end
  while at > 0 do
    local sign = text:sub(at, at)
    if sign == "}" or sign == ")" or sign == "]" then depth = depth + 1
    elseif sign == "{" or sign == "(" or sign == "[" then
      if depth == 0 then return sign == "{" and text:sub(1, at - 1):match "([%a_][%w_]*)%s*%(?%s*$" or nil end
      depth = depth - 1
    end
    at = at - 1
  end
end

--- Option names that continue `word` after the text before it, each with " = "; empty where no option may follow.
---@param word string
---@param before string the line up to the word
function complete.keys(word, before)
  local call = open_call(before)
  local schema, list = call and options.of(call), {}
  for name in pairs(schema or {}) do
    if name:sub(1, #word) == word then list[#list + 1] = name .. " = " end
  end
  table.sort(list)
  return list
end

return complete
