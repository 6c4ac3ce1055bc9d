-- options.lua: declared option tables: unknown names, types and ranges are answered before anything runs.
local core = require "hamel.core"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local options = {}

-- Options by the name of the function or method that takes them, for completion and help
local declared = {}

--- Makes a schema known under a name; several of one name are joined.
function options.declare(what, schema)
  declared[what] = declared[what] or {}
  for name, row in pairs(schema) do declared[what][name] = row end
end

-- Modules that declare the options of functions, loaded when these are called
local waiting = {}

--- Names the module that declares the options of a function.
function options.later(what, module) waiting[what] = module end

--- The options of a function or method by its name: name -> { default=, type=, doc=, ... }; nil where it takes none.
function options.of(what)
  if not declared[what] and waiting[what] then require(waiting[what]) end
  if not declared[what] then object.load(what) end
  return declared[what]
end

--- The double of a number, of a text such as "1/3" or "9.81", or of an expression without symbols such as hm.pi/6; nil where there is none.
function options.number(value)
  if math.type(value) then return value end
  if type(value) == "string" then
    local fine, e = protected(core.number, value)
    value = fine and e or nil
  end
  if core.is_expression(value) and not core.number_value(value) and #core.symbols{ value } == 0 then return core.program({}, { value }):eval{}[1] end
  return core.number_value(value)
end

--- The double of what a function of the user returned: a number, or an expression without symbols such as hm.sqrt(2); nil where it is neither.
function options.returned(value)
  if type(value) == "number" then return value end
  return core.is_expression(value) and options.number(value) or nil
end

-- What a start at the state s consists of, where the schema has it: its time is an option, or the first of two
local function start_from_state(schema)
  if not (schema.q and schema.v) then return "" end
  local t = schema.t
  local time = t and (t.default == 0 and ", t = s.t" or t.or_type == "table" and ", t = { s.t, t1 }") or ""
  return (": give { q = s.q, v = s.v%s } for the state s"):format(time)
end

-- Objects are no tables of options
local function refuse_object(what, schema, given)
  local meta = getmetatable(given)
  if not (meta and meta.__names) then return end
  object.fail("%s takes a table of options, not %s %s%s", what, meta.__name:find "^[AEIOU]" and "an" or "a", meta.__name,
    meta.__name == "State" and start_from_state(schema) or "")
end

-- Entries of a list by name would be dropped
local function check_list(what, name, list, doc)
  for key in pairs(list) do
    if math.type(key) ~= "integer" or key < 1 or key > #list then
      object.fail("%s: option '%s' is a list: '%s' means nothing in it (%s)", what, name, tostring(key), doc)
    end
  end
end

-- The values that a row takes as a list; of those that other rooms know, a function
local function choices_of(row) return type(row.choices) == "function" and row.choices() or row.choices end

--- The texts that an option takes, of one function or of the first one that has it; nil where any text will do.
function options.choices(name, what)
  for _, key in ipairs(what and { what } or object.keys(declared)) do
    local row = (options.of(key) or {})[name]
    if row and row.choices then return choices_of(row) end
  end
end

local function check_choice(what, name, value, row)
  local list = choices_of(row)
  if object.contains(list, value) then return end
  local near = object.nearest(value, list)
  object.fail("%s: %s is %s, not '%s'%s", what, name, object.either(list), value, near and (" (did you mean '%s'?)"):format(near) or "")
end

local MOST_NAMED = 4                   -- unknown options that a message names

-- Where a coordinate or a parameter of the system belongs
local function of_system(system, schema, name)
  if system and schema.q and object.contains(system.coordinate_names, name) then return (" (a coordinate: q = {%s = ...})"):format(name) end
  if system and schema.parameters and object.contains(system.parameter_names, name) then
    return (" (a parameter: parameters = {%s = ...}%s)"):format(name, schema.over and (", or over = {%s = {1, 2, 3}}"):format(name) or "")
  end
end

-- Options of what prints equations, which users give to what derives them
local of_texts = { abbreviate = " (an option of E:text and E:latex)", width = " (an option of E:latex)", short_trig = " (an option of E:latex)" }

-- All names that are no options in one message
local function refuse_unknown(what, schema, given, system)
  local unknown, words = {}, {}
  for name in pairs(given) do if not schema[name] then unknown[#unknown + 1] = tostring(name) end end
  if #unknown == 0 then return end
  local known = object.keys(schema)
  table.sort(unknown)
  for i = 1, math.min(#unknown, MOST_NAMED) do
    local name = unknown[i]
    local both = name == "start" and schema.q and schema.v and " (positions are q = {...}, velocities v = {...})"
    words[i] = ("'%s'%s"):format(name, both or what == "equations" and of_texts[name] or of_system(system, schema, name) or object.hint(name, known))
  end
  if #unknown > MOST_NAMED then words[#words + 1] = ("... (%d more)"):format(#unknown - MOST_NAMED) end
  local listed = unknown[1] == "1" and "; options are written name = value" or ""
  object.fail("%s: unknown option%s %s%s", what, #words > 1 and "s" or "", table.concat(words, ", "), listed)
end

local words_of_types = { userdata = "expression" }

-- "a number or an expression", of a row
local function wanted_type(row)
  local function word(name) return (name == "userdata" and "an " or "a ") .. (words_of_types[name] or name) end
  return word(row.type) .. (row.or_type and " or " .. word(row.or_type) or "")
end

-- What a value is, in the words of users
local function type_of(value) return core.is_expression(value) and "an expression" or words_of_types[type(value)] or type(value) end

local MOST_WHOLE = 2.0^53

local function check_number(what, name, value, row)
  if value ~= value then object.fail("%s: option '%s' is nan", what, name) end
  if row.finite and value - value ~= 0 then object.fail("%s: option '%s' = %g is not finite (%s)", what, name, value, row.doc) end
  if row.whole and math.type(value) ~= "integer" and (value ~= math.floor(value) or math.abs(value) == math.huge) then
    object.fail("%s: option '%s' = %g is not a whole number (%s)", what, name, value, row.doc)
  end
  if row.whole and math.abs(value) > MOST_WHOLE then object.fail("%s: option '%s' = %g is too large to be counted (%s)", what, name, value, row.doc) end
  if row.to and value > row.to then object.fail("%s: option '%s' = %g must be at most %g", what, name, value, row.to) end
  if row.below and value >= row.below then object.fail("%s: option '%s' = %g must be below %g (%s)", what, name, value, row.below, row.doc) end
  if (row.above and value <= row.above) or (row.from and value < row.from) then
    object.fail("%s: option '%s' = %g must be %s %g", what, name, value, row.above and "above" or "at least", row.above or row.from)
  end
end

-- Functions that make a table of all defaults of a schema, with room for every option, by the schema
local makers = setmetatable({}, { __mode = "k" })

-- the file's own name for what it loads: an interrupt waits while the library's code runs
local here = debug.getinfo(1, "S").source

local function maker_of(schema)
  local entries, defaults = {}, {}
  for _, name in ipairs(object.keys(schema)) do
    entries[#entries + 1] = ("[%q] = defaults[%q]"):format(name, name)
    defaults[name] = schema[name].default
  end
  local made, problem = load(("local defaults = ... return function() return { %s } end"):format(table.concat(entries, ", ")), here, "t")
  if not made then error(problem, 0) end
  makers[schema] = made(defaults)
  return makers[schema]
end

--- Checks `given` against `schema`, whose rows stay as they are from the first call on, and fills in the defaults; raises one message for the first mistake.
---@param what string the function, for messages
---@param schema table name -> { default=, type=, list=, choices=, above=, from=, below=, to=, whole=, finite=, doc= }
---@param given table?
---@param system table? whose coordinates and parameters the message on an unknown name knows
---@return table
function options.check(what, schema, given, system)
  given = given == nil and {} or given
  if type(given) ~= "table" then object.fail("%s takes a table of options in braces, %s{ name = value }, not %s", what, what,
    core.is_expression(given) and "an expression" or type(given) == "string" and ("the text \"%s\""):format(given) or "a " .. type(given)) end
  refuse_object(what, schema, given)
  for name in pairs(given) do if not schema[name] then refuse_unknown(what, schema, given, system) end end
  local checked = (makers[schema] or maker_of(schema))()
  for name, value in pairs(given) do
    local row = schema[name]
    local kind, wanted = type(value), row.type
    if wanted == "number" and (kind == "string" or kind == "userdata") and kind ~= row.or_type then
      value = options.number(value) or value               -- "1/3", hm.pi/6
      kind = type(value)
    end
    checked[name] = value
    if wanted and kind ~= wanted and kind ~= row.or_type then
      object.fail("%s: option '%s' is %s, not %s (%s)", what, name, wanted_type(row), type_of(value), row.doc)
    end
    if kind == "number" then check_number(what, name, value, row)
    elseif kind == "table" then if row.list then check_list(what, name, value, row.doc) end
    elseif kind == "string" and row.choices then check_choice(what, name, value, row) end
  end
  return checked
end

return options
