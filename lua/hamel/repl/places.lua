-- places.lua: what may follow at a place inside a call: values of options in quotation marks, names of coordinates and parameters in
-- q = { }, texts of run:plot and run:at. It reads the line up to the word, and looks at objects of the session without changing them.
local core = require "hamel.core"
local forms = require "hamel.forms"
local help = require "hamel.book.help"
local laws = require "hamel.laws"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local places = {}

-- ---- the brackets that are open at the end of a text

-- The text before a string that is open at its end, and the begun string; nil where none is open
local function open_string(text)
  local quote, from
  local i = 1
  while i <= #text do
    local sign = text:sub(i, i)
    if quote then
      if sign == "\\" then i = i + 1 elseif sign == quote then quote = nil end
    elseif sign == '"' or sign == "'" then
      quote, from = sign, i
    end
    i = i + 1
  end
  if quote then return text:sub(1, from - 1), text:sub(from + 1) end
end

-- Open brackets, the innermost one first: { sign, key (name = {), call (name of the function), owner (text before the colon or dot) }
local function open_brackets(text)
  text = text:gsub('"[^"\n]*"', function(s) return ("_"):rep(#s) end):gsub("'[^'\n]*'", function(s) return ("_"):rep(#s) end)
  local list, depth = {}, 0
  for at = #text, 1, -1 do
    local sign = text:sub(at, at)
    if sign:find "[%)%]}]" then depth = depth + 1
    elseif sign:find "[%(%[{]" and depth > 0 then depth = depth - 1
    elseif sign:find "[%(%[{]" then
      local before = text:sub(1, at - 1)
      local key = before:match "%f[%w_]([%a_][%w_]*)%s*=%s*$"
      local owner, call = before:match "([%a_][%w_.]*)[:.]([%a_][%w_]*)%s*%(?%s*$"
      call = call or before:match "%f[%w_]([%a_][%w_]*)%s*%(?%s*$"
      list[#list + 1] = { sign = sign, key = key, call = not key and call or nil, owner = not key and owner or nil }
    end
  end
  return list
end

-- ---- names of objects

-- The system of an object of the session: of a system itself, a run, equations
local function system_of(value)
  local class = type(value) == "table" and (getmetatable(value) or {}).__name
  if class == "System" then return value end
  return (class == "Trajectory" or class == "Equations") and rawget(value, "system") or nil
end

local function copied(list) return table.move(list, 1, #list, 1, {}) end

local function velocities(system)
  local names = copied(system.coordinate_names)
  return system._quasi and table.move(system._quasi.names, 1, #system._quasi.names, #names + 1, names) or names
end

local function constraint_names(system)
  local names = {}
  for i, c in ipairs(system.constraints) do names[i] = c.name end
  return names
end

-- What pictures and tables take as texts
local function quantities(system)
  local names = copied(system.coordinate_names)
  for _, name in ipairs(system.coordinate_names) do names[#names + 1] = name .. "'" end
  for _, name in ipairs(system._quasi and system._quasi.names or {}) do names[#names + 1] = name end
  for _, name in ipairs(constraint_names(system)) do names[#names + 1] = "lambda." .. name end
  names[#names + 1], names[#names + 2] = "energy", "t"
  return names
end

local function measures(system)
  local names = {}
  for _, word in ipairs{ "max", "min", "mean" } do for _, name in ipairs(quantities(system)) do names[#names + 1] = word .. " " .. name end end
  return table.move({ "first event", "first impact", "count event", "count impact" }, 1, 4, #names + 1, names)
end

-- Keys of the tables in these options
local keys_of_table = {
  q = function(system) return system.coordinate_names end,
  v = velocities,
  parameters = function(system) return system.parameter_names end,
  mu = constraint_names,
}

-- Texts in the lists and values of these options
local texts_of_option = {
  method = function() return object.keys(methods.rows) end,
  form = function() return object.keys(forms) end,
  forms = function() return object.keys(forms) end,
  dependent = function(system) return system and system.coordinate_names end,
  keep = function(system) return system and measures(system) end,
}

-- Texts that functions and methods take as arguments
local function names_of_pages()
  local names = {}
  for _, entry in ipairs(help.entries()) do names[#names + 1] = entry.name:match "[.:]([%w_]+)$" or entry.name end
  for status in pairs(core.rows.statuses) do names[#names + 1] = status end
  table.sort(names)
  return names
end

local function of_run(_, system) return system and quantities(system) end

local texts_of_call = {
  equations = function() return object.keys(forms) end, derivation = function() return object.keys(forms) end,
  examples = function() return help.example_names() end, show = function() return help.example_names() end, help = names_of_pages,
  plot = of_run, series = of_run, at = of_run, roots = of_run, values = of_run,
  keep = function(_, system) return system and measures(system) end,
  simplify = function() return options.choices("form", "simplify") end,
}

-- ---- candidates

-- Those that begin like the text, without what the text has before the word
local function continuing(names, begun, word)
  local list, last = {}, nil
  for _, name in ipairs(names) do
    if name ~= last and name:sub(1, #begun + #word) == begun .. word then list[#list + 1] = name:sub(#begun + 1) end
    last = name
  end
  return list
end

-- The system of the innermost call that belongs to an object
local function owner_of(brackets, head, value_of)
  for _, bracket in ipairs(brackets) do if bracket.owner then return system_of(value_of(bracket.owner)) end end
  local owner = head and head:match "([%a_][%w_.]*):[%a_][%w_]*%s*$"
  return owner and system_of(value_of(owner))
end

local function in_quotes(word, head, begun, value_of)
  local brackets = open_brackets(head)
  local system = owner_of(brackets, head, value_of)
  local option = head:match "%f[%w_]([%a_][%w_]*)%s*=%s*$" or brackets[1] and brackets[1].sign == "{" and brackets[1].key
  local call = head:match "([%a_][%w_]*)%s*$" or brackets[1] and brackets[1].call
  local names = option and (options.choices(option, brackets[1] and brackets[1].call) or texts_of_option[option] and texts_of_option[option](system)
    or options.choices(option))
  names = names or not option and texts_of_call[call] and texts_of_call[call](nil, system)
  return names and continuing(names, begun, word)
end

local function in_table(word, before, value_of)
  if before:find "%f[%w_]law%s*=%s*$" then
    local list = {}
    for _, name in ipairs(object.keys(laws.constructors)) do list[#list + 1] = name .. "(" end
    return continuing(list, "", word)
  end
  if not before:find "[{,]%s*$" then return nil end
  local brackets = open_brackets(before)
  local names = brackets[1] and brackets[1].sign == "{" and keys_of_table[brackets[1].key or ""]
  local system = names and owner_of(brackets, nil, value_of)
  if not system then return nil end
  local list = {}
  for _, name in ipairs(names(system)) do if name:find "^[%a_][%w_]*$" then list[#list + 1] = name .. " = " end end
  table.sort(list)
  return continuing(list, "", word)
end

--- What continues `word` behind the text `before`; nil at places that this file knows nothing about.
---@param value_of function the value of a path of names, "runs.first", in the session
function places.candidates(word, before, value_of)
  local head, begun = open_string(before)
  if head then return in_quotes(word, head, begun, value_of) or {} end
  return in_table(word, before, value_of)
end

return places
