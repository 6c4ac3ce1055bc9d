-- object.lua: classes with printing, errors that point to the user's line, the nearest known name.
local core = require "hamel.core"

local object = {}

--- Raises a message that points to the first line outside the library.
---@param message string what: where: what to do; with further arguments a format
function object.fail(message, ...)
  if select("#", ...) > 0 then message = message:format(...) end
  error(core.where() .. message, 0)
end

-- Edit distance with transpositions (optimal string alignment)
local function distance(a, b)
  local before, row = nil, {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local new = { [0] = i }
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      new[j] = math.min(row[j] + 1, new[j - 1] + 1, row[j - 1] + cost)
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        new[j] = math.min(new[j], before[j - 2] + 1)
      end
    end
    before, row = row, new
  end
  return row[#b]
end

local MOST = 3                         -- differences up to which a name is near

--- The known name nearest to `name`, or nil when none is near.
---@param names string[]
function object.nearest(name, names)
  local best, least
  for _, known in ipairs(names) do
    -- names of other lengths are no slips of the pen
    if math.abs(#name - #known) <= MOST then
      local d = distance(name:lower(), known:lower())
      if not least or d < least then best, least = known, d end
    end
  end
  local one_longer = best and least == 1 and (name:find(best, 1, true) == 1 or best:find(name, 1, true) == 1)
  if best and (one_longer or least <= MOST and 2*least < math.max(#name, #best)) then return best end
end

--- " (did you mean 'x'?)", or " (known: a, b, c)", or "".
function object.hint(name, names)
  local near = object.nearest(tostring(name), names)
  if near then return (" (did you mean '%s'?)"):format(near) end
  if #names > 0 and #names <= 12 then return " (known: " .. table.concat(names, ", ") .. ")" end
  return ""
end

--- Is the table an object of the class with this name?
function object.is_a(t, name)
  local meta = getmetatable(t)
  return type(meta) == "table" and meta.__name == name
end

--- Sorted keys of a table.
function object.keys(t)
  local names = {}
  for k in pairs(t) do names[#names + 1] = tostring(k) end
  table.sort(names)
  return names
end

--- Does the list hold the value?
function object.contains(list, value)
  for _, item in ipairs(list) do if item == value then return true end end
  return false
end

-- The functions behind methods, by what stands in the class
local behind = setmetatable({}, { __mode = "k" })

--- The function as it was written, where a method of a class is given.
function object.written(f) return behind[f] or f end

-- A method that says what is wrong when it is called with a dot
local function method_of(meta, name, f)
  local function method(self, ...)
    if getmetatable(self) ~= meta then
      object.fail("%s belongs to a %s: write object:%s(...) with a colon", name, meta.__name, name)
    end
    return f(self, ...)
  end
  behind[method] = f
  return method
end

-- Methods by class, and the modules that define them: read when first asked for
local waiting = {}

--- Methods of a class that stand in a module which is loaded when one of them is first asked for: the start is quick, and nobody notices.
function object.later(class, module, names)
  waiting[class] = waiting[class] or {}
  for _, name in ipairs(names) do if rawget(class, name) == nil then waiting[class][name] = module end end
end

--- Loads what waits under a name, in every class; all of it without one.
function object.load(name)
  for class, names in pairs(waiting) do
    for _, key in ipairs(object.keys(names)) do if not name or key == name then local _ = class[key] end end
  end
end

--- Names of methods that are not there yet.
function object.awaited(class) return object.keys(waiting[class] or {}) end

--- A class: methods in the returned table, computed fields in its `get` table, fields that only this object has by its metatable's
--- `__own` (nil: not one of them), numbered entries by its function `item`. Unknown fields are errors with the nearest name.
function object.class(name)
  local class = { get = {}, class_name = name }
  local meta = { __name = name }
  function meta.__index(self, key)
    local method = class[key]
    if method ~= nil and key ~= "get" and key ~= "class_name" then return method end
    local getter = class.get[key]
    if getter then return getter(self) end
    if type(key) == "string" and key:sub(1, 1) == "_" then return nil end      -- private and unset
    local own = meta.__own and meta.__own(self, key)
    if own ~= nil then return own end
    if type(key) ~= "string" then return class.item and class.item(self, key) end
    local known = object.keys(class.get)
    for k in pairs(waiting[class] or {}) do known[#known + 1] = k end
    for k in pairs(class) do if k ~= "get" and k ~= "class_name" and k ~= "item" and k ~= "meta" and k ~= "new" then known[#known + 1] = k end end
    for k in pairs(self) do if type(k) == "string" and k:sub(1, 1) ~= "_" then known[#known + 1] = k end end
    object.fail("%s has no field '%s'%s", name, key, object.hint(key, known))
  end
  class.meta = meta
  --- Fields and methods, for completion at the prompt.
  function meta.__names()
    local names = object.keys(class.get)
    for k, value in pairs(class) do if type(value) == "function" and k ~= "item" and k ~= "new" then names[#names + 1] = k end end
    return table.move(object.awaited(class), 1, #object.awaited(class), #names + 1, names)
  end
  -- methods whose file has not been read yet
  local function awaited(_, key)
    local module = waiting[class] and waiting[class][key]
    if not module then return nil end
    waiting[class][key] = nil
    require(module)
    return rawget(class, key)
  end
  return setmetatable(class, { __index = awaited, __newindex = function(_, key, value)
    local is_method = type(value) == "function" and key ~= "item" and debug.getlocal(value, 1) == "self"
    rawset(class, key, is_method and method_of(meta, key, value) or value)
  end })
end

--- A number as text: the shortest that reads back as the same double.
function object.number(x)
  if x ~= x then return "nan" end
  if x == math.huge then return "inf" elseif x == -math.huge then return "-inf" end
  for digits = 15, 17 do
    local text = ("%." .. digits .. "g"):format(x)
    if tonumber(text) == x or digits == 17 then return text end
  end
end

return object
