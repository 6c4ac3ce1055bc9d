-- object.lua: classes with printing, errors that point to the user's line, the nearest known name.
local answer = require "hamel.base.answer"
local core = require "hamel.core"
local holes = require "hamel.base.holes"
local protected = require "hamel.base.protected"

local object = { library = {} }        -- library: the table users see, set by init.lua

local answered = answer.dressed

-- No addresses, and no sign of nan, which is an accident of the processor
local function in_words(message)
  return (message:gsub("%f[%w](%l+): 0x%x+", "a %1"):gsub("%f[%-%w]%-nan%f[%W]", "nan"))
end

--- The text of an error that points to the first line outside the library.
---@param message string what: where: what to do; with further arguments a format
function object.placed(message, ...)
  if select("#", ...) > 0 then message = message:format(...) end
  return core.where() .. in_words(message)
end

--- Raises such a text.
function object.fail(message, ...) error(object.placed(message, ...), 0) end

--- The same for a command line that cannot be read: the program ends with exit status 2, as its help says.
function object.wrong_usage(message, ...)
  debug.getregistry()["hamel.wrong_usage"] = true
  object.fail(message, ...)
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
local SHORTEST = 3                     -- letters from which a part of a name counts

-- Are the letters of `short` met in `long` in their order, the first one first? "params" in "parameters"
local function abbreviates(short, long)
  if #short < SHORTEST or 2*#short < #long or short:byte(1) ~= long:byte(1) then return false end
  local at = 1
  for i = 1, #short do
    at = long:find(short:sub(i, i), at, true)
    if not at then return false end
    at = at + 1
  end
  return true
end

-- A name cut short, or one that has a known name as one of its words: the shortest that is begun, then any that is abbreviated
local function by_parts(name, names)
  local wanted, best = name:lower()
  for _, known in ipairs(names) do
    local lower = known:lower()
    local begun = #wanted >= SHORTEST and lower:find(wanted, 1, true) == 1
    if begun and (not best or #known < #best) then best = known end
  end
  if best then return best end
  for _, known in ipairs(names) do
    local lower = known:lower()
    if abbreviates(wanted, lower) and (not best or #known < #best) then best = known end
    if #lower > SHORTEST then
      for word in wanted:gmatch "%w+" do if word == lower then return known end end
    end
  end
  return best
end

-- What the thing is called here, where the word is another one for it
local function by_meaning(name, names)
  local synonyms = require "hamel.base.synonyms"
  for _, ours in ipairs(synonyms[name] or synonyms[name:lower()] or {}) do
    for _, known in ipairs(names) do if known == ours or known:match "[.:]([%w_]+)$" == ours then return known end end
  end
end

--- The known name nearest to `name`: another word for the same, else by letters that differ, else one that is cut short or abbreviated; nil
--- when none is near.
---@param names string[]
function object.nearest(name, names)
  local meant = by_meaning(name, names)
  if meant then return meant end
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
  return by_parts(name, names)
end

--- " (did you mean 'x'?)", or " (known: a, b, c)", or "".
function object.hint(name, names)
  local near = object.nearest(tostring(name), names)
  if near then return (" (did you mean '%s'?)"):format(near) end
  if #names > 0 and #names <= 12 then return " (known: " .. table.concat(names, ", ") .. ")" end
  return ""
end

--- A list of texts as one says it: "'a', 'b' or 'c'".
function object.either(names)
  local text = object.quoted(names)
  return (text:gsub(" and ('[^']*')$", " or %1"))
end

--- Behind the name of a thing that does not exist, where there are few: the nearest one and all there are.
function object.known(name, names)
  local near = object.nearest(tostring(name), names)
  return ("%s; there are %s"):format(near and (" (did you mean '%s'?)"):format(near) or "", table.concat(names, ", "))
end

--- Where a thing of that name is, "; it belongs to a system: S:sweep{...}", or as object.hint.
function object.advice(name, names)
  local near, place = object.nearest(tostring(name), names), require "hamel.base.elsewhere"[name]
  -- a name that is merely spelt alike is less useful than the place
  if place and not (near and place:find(near, 1, true)) then return "; " .. place end
  return near and (" (did you mean '%s'?)"):format(near) or ""
end

--- Is the table an object of the class with this name?
function object.is_a(t, name)
  local meta = getmetatable(t)
  return type(meta) == "table" and meta.__name == name
end

--- "'a', 'b' and 'c'" for a list of names.
function object.quoted(names)
  local list = {}
  for i, name in ipairs(names) do list[i] = "'" .. name .. "'" end
  if #list < 2 then return list[1] or "" end
  return table.concat(list, ", ", 1, #list - 1) .. " and " .. list[#list]
end

--- Makes names that a table of results does not have errors with the nearest one.
---@param what string the table's name, for messages
function object.named(what, values)
  local meta = { __answer = "plain", __tostring = function(t) return answer.text(t) end }
  function meta.__index(_, key)
    if type(key) == "string" then object.fail("%s has no '%s'%s", what, key, object.hint(key, object.keys(values))) end
  end
  return setmetatable(values, meta)
end

--- Sorted keys of a table.
function object.keys(t)
  local names = {}
  for k in pairs(t) do names[#names + 1] = tostring(k) end
  table.sort(names)
  return names
end

--- A copy of a table, one level deep; empty for nil.
function object.copied(t)
  local result = {}
  for k, value in pairs(t or {}) do result[k] = value end
  return result
end

--- Does the list hold the value?
function object.contains(list, value)
  for _, item in ipairs(list) do if item == value then return true end end
  return false
end

-- The functions behind methods, by the function in the class
local behind = setmetatable({}, { __mode = "k" })

-- Functions of object.at_first_call, by the one that stands for them: each reads its module and returns the function there
local awaiting = setmetatable({}, { __mode = "k" })

--- The function as it was written, where a method of a class or a function that waits for its module is given.
function object.written(f)
  if awaiting[f] then return awaiting[f]() end
  return behind[f] or f
end

-- Refuses arguments behind the last one that f has a name for: Lua would drop them
local function refuse_surplus(name, f, n, skipped, ...)
  local given = select("#", ...)
  while given > n and (select(given, ...)) == nil do given = given - 1 end
  if given <= n then return end
  local names = {}
  for i = 1, n do names[i] = debug.getlocal(f, i + skipped):gsub("^given$", "{options}") end
  local fine, extra = protected(tostring, (select(n + 1, ...)))
  extra = fine and extra or type((select(n + 1, ...)))
  if #extra > 60 then extra = extra:sub(1, 57):gsub("[\128-\191]*[\194-\244]?$", "") .. "..." end
  object.fail("%s(%s) takes %s; argument %d is %s (put a call that returns several values in parentheses: (f(x)))", name,
    table.concat(names, ", "), n == 0 and "no argument" or n == 1 and "one argument" or n .. " arguments", n + 1, extra)
end

-- Methods that take any number of names: one without a value would end them
local take_names = { at = true, series = true, plot = true, only = true }

local function refuse_nil_name(name, ...)
  local i = holes.argument(...)
  if i then object.fail("%s: argument %d is nil: a name without a value is nil, and so is a misspelt one", name, i) end
end

-- Refuses lists with a hole among the arguments
local function refuse_holes(name, ...)
  local words = holes.words(1, ...)
  if words then object.fail("%s: %s", name, words) end
end

--- The function f with lists refused that have a hole, and more arguments than it has names for; f itself where it is written in C.
---@param first integer number of the first argument that counts in messages: 2 for methods, else 1
function object.strict(name, f, first)
  local about = debug.getinfo(f, "u")
  if awaiting[f] or debug.getinfo(f, "S").what == "C" then return f end
  local most, skipped, names = not about.isvararg and about.nparams, first - 1, about.isvararg and take_names[name:match "[^.]*$"]
  local function strict(...)
    if names then refuse_nil_name(name, ...) end
    refuse_holes(name, select(first, ...))
    if most and select("#", ...) > most then refuse_surplus(name, f, most - skipped, skipped, select(first, ...)) end
    return answered(f(...))
  end
  behind[strict] = f
  return strict
end

--- A function of the library that stands for one of a module, which is read at the first call, so that the program starts quickly.
---@param name string how users call it: "hm.read"
---@param field string its name in the table that the module returns
function object.at_first_call(name, module, field)
  local strict
  local function first_call(...)
    strict = strict or object.strict(name, require(module)[field], 1)
    return strict(...)
  end
  awaiting[first_call] = function() return require(module)[field] end
  return first_call
end

-- Methods that keep their part when they are interrupted dress it themselves: the assignment must follow their return at once (core.host.hold)
local keep_their_part = { simulate = true, section = true, sweep = true, chart = true, diagram = true, continue = true, switch = true }

--- Methods that declare with an argument and read without one: by name a function that refuses an argument that is nil, a name without a value.
object.declare_or_read = {}

-- Classes whose methods take components by their numbers, which are no lists: { [3] = e } is the third one alone
local takes_components = { Paper = true }

-- A method that reports when it is called with a dot, or with more arguments than it takes
local function method_of(meta, name, f)
  local about = debug.getinfo(f, "u")
  local most = not about.isvararg and about.nparams - 1
  local keeps, refuse_nil, names = keep_their_part[name], object.declare_or_read[name], about.isvararg and take_names[name]
  local numbered = takes_components[meta.__name]
  local function method(self, ...)
    if getmetatable(self) ~= meta then
      object.fail("%s belongs to %s %s: write object:%s(...) with a colon", name, meta.__name:find "^[AEIOU]" and "an" or "a", meta.__name, name)
    end
    if most and select("#", ...) > most then refuse_surplus(name, f, most, 1, ...) end
    if refuse_nil and select("#", ...) > 0 and (...) == nil then refuse_nil() end
    if names then refuse_nil_name(name, ...) end
    if not numbered then refuse_holes(name, ...) end
    if keeps then return f(self, ...) end
    return answered(f(self, ...))
  end
  behind[method] = f
  return method
end

-- Methods by name of the class, and the modules that define them: loaded at the first use
local waiting = {}

--- Registers methods of a class that a module defines, which is loaded at the first use, so that the program starts quickly. The class need not
--- exist yet.
function object.later(class_name, module, names)
  waiting[class_name] = waiting[class_name] or {}
  for _, name in ipairs(names) do waiting[class_name][name] = module end
end

--- The same for computed fields of a class that exists.
function object.later_fields(class, module, names)
  for _, name in ipairs(names) do
    -- the module puts its own in this one's place
    class.get[name] = class.get[name] or function(self)
      require(module)
      return class.get[name](self)
    end
  end
end

-- Reads the module that a method of a class waits for; false when there is none
local function fetch(class_name, name)
  local module = waiting[class_name] and waiting[class_name][name]
  if not module then return false end
  waiting[class_name][name] = nil
  require(module)
  return true
end

--- Loads the methods registered under a name, in every class; all of them without a name.
function object.load(name)
  for class, names in pairs(waiting) do
    for _, key in ipairs(object.keys(names)) do if not name or key == name then fetch(class, key) end end
  end
end

--- Names of methods that are not there yet.
function object.awaited(class) return object.keys(waiting[class.class_name] or {}) end

-- Entries of a class that are no fields of its objects
local HIDDEN = { get = true, class_name = true, item = true, meta = true, new = true }

-- Names of the fields and methods that objects of a class answer to
local function known_fields(class, self)
  local known = object.keys(class.get)
  for k in pairs(waiting[class.class_name] or {}) do known[#known + 1] = k end
  for k in pairs(class) do if not HIDDEN[k] then known[#known + 1] = k end end
  for k in pairs(self) do if type(k) == "string" and k:sub(1, 1) ~= "_" then known[#known + 1] = k end end
  return known
end

local library = debug.getinfo(1, "S").source:match "^(.*)base/object%.lua$"

-- Is the code that assigns the library's own, in Lua or in C?
local function is_ours(level)
  local source = debug.getinfo(level + 1, "S").source
  return source == "=[C]" or source:sub(1, #library) == library
end

--- Makes assignments to fields of an object errors where the class has no such field: S.kinetic_energy = T would do nothing. The library itself
--- fills its objects. Private fields begin with "_".
---@param letter string? what an object of the class is called in messages
function object.seal(class, letter)
  class.meta.__newindex = function(self, key, value)
    if type(key) == "string" and key:sub(1, 1) == "_" or is_ours(2) then return rawset(self, key, value) end
    local known = known_fields(class, self)
    if type(key) ~= "string" then
      object.fail("%s: the entry [%s] cannot be replaced: it is computed; keep values of your own in a table", class.class_name, tostring(key))
    end
    if type(class[key]) == "function" and object.contains(known, key) then
      object.fail("'%s' is a method: write %s:%s(...) in place of %s = ...", key, letter or "S", key, (letter or "S") .. "." .. key)
    end
    if object.contains(known, key) then object.fail("%s: '%s' is computed and cannot be set; keep values of your own in variables", class.class_name, key) end
    object.fail("%s has no field '%s' to assign to%s; keep values of your own in variables", class.class_name, tostring(key),
      object.hint(key, known))
  end
end

--- A class: methods in the returned table, computed fields in its `get` table, fields that only this object has by its metatable's
--- `__own` (nil: not one of them), numbered entries by its function `item`. Unknown fields are errors with the nearest name.
function object.class(name)
  local class = { get = {}, class_name = name }
  local meta = { __name = name, __class = class }
  function meta.__index(self, key)
    local method = class[key]
    if method ~= nil and key ~= "get" and key ~= "class_name" then return method end
    local getter = class.get[key]
    if getter then return answered(getter(self)) end
    if type(key) == "string" and key:sub(1, 1) == "_" then return nil end      -- private and unset
    local own = meta.__own and meta.__own(self, key)
    if own ~= nil then return own end
    if type(key) ~= "string" then return class.item and class.item(self, key) end
    local words = meta.__elsewhere and meta.__elsewhere(self, key)
    object.fail("%s has no field '%s'%s", name, key, words or object.advice(key, known_fields(class, self)))
  end
  class.meta = meta
  --- The text of an object whose class does not define one: its fields and methods.
  function meta.__tostring(self)
    local known = known_fields(class, self)
    table.sort(known)
    return ("%s with %s"):format(name, table.concat(known, ", "))
  end
  --- Objects are no functions: run(2), S(2). `__instead`: what to write.
  function meta.__call() object.fail("%s is an object, not a function%s", name, meta.__instead and ": " .. meta.__instead or "; help(it) lists its methods") end
  --- Fields and methods, for completion at the prompt.
  function meta.__names()
    local names = object.keys(class.get)
    for k, value in pairs(class) do if type(value) == "function" and k ~= "item" and k ~= "new" then names[#names + 1] = k end end
    return table.move(object.awaited(class), 1, #object.awaited(class), #names + 1, names)
  end
  -- methods whose file has not been read yet
  local function awaited(_, key) return fetch(name, key) and rawget(class, key) or nil end
  return setmetatable(class, { __index = awaited, __newindex = function(_, key, value)
    -- private ones are called by the library alone
    local is_method = type(value) == "function" and key ~= "item" and key:byte() ~= 95 and debug.getlocal(value, 1) == "self"
    rawset(class, key, is_method and method_of(meta, key, value) or value)
  end })
end

--- A number as text: the shortest that reads back as the same double.
function object.number(x) return x == x and math.abs(x) < math.huge and answer.number_text(x + 0.0) or answer.number_text(x) end

return object
