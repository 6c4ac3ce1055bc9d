-- hints.lua: what people type who come from other languages and programs, answered with the words of Lua and of the library: syntax that Lua
-- refuses, names that nothing has. One row, one habit.
local elsewhere = require "hamel.base.elsewhere"
local help = require "hamel.book.help"
local object = require "hamel.base.object"
local synonyms = require "hamel.base.synonyms"

local hints = {}

-- ---- syntax

local SYMBOLS = 'coordinates are x, y = S:coordinates "x y", parameters m, k = S:positive "m k", other symbols a, b = hm.symbols "a b"'
local NO_IMPORT = "nothing is imported: at the prompt the names of the library stand for themselves; a script begins with local hm = require \"hamel\""
local FUNCTION = "a function is written function f(x) return x^2 end"

-- { pattern in the line, pattern in Lua's message or nil, words }; the first row that fits
local syntax_rows = {
  { "^%s*import%f[^%w_]", nil, NO_IMPORT },
  { "^%s*from%s+%S+%s+import", nil, NO_IMPORT },
  { "^%s*using%s+%a", nil, NO_IMPORT },
  { "^%s*syms?%s+%a", nil, SYMBOLS },
  { "^%s*var%s*%b()", nil, SYMBOLS },
  { "^%s*help%s+[%w_]+%s*$", nil, 'a text stands in quotation marks: help "simulate"' },
  { "^%s*examples?%s+[%w_]+%s*$", nil, 'a text stands in quotation marks: examples "suslov"' },
  { "^%s*show%s+[%w_]+%s*$", nil, 'a text stands in quotation marks: show "suslov"' },
  { "^%s*apropos%s+[%w_]+", nil, 'a text stands in quotation marks: apropos "friction"' },
  { "^%s*%?", nil, 'help "simulate" prints a page' },
  { "^%s*[#%%]", nil, "a comment begins with --" },
  { "^%s*//", nil, "a comment begins with --" },
  { "%S%s*#", "near '#'", "a comment begins with --" },
  { "^%s*def%s", nil, FUNCTION },
  { "%f[%w_]lambda%f[^%w_]", nil, "a function without a name is written function(x) return x^2 end" },
  { "@%s*%(", "near '@'", "a function without a name is written function(x) return x^2 end" },
  { "%->", "near '>'", "a function without a name is written function(x) return x^2 end" },
  { "=>", "near '>'", "a function without a name is written function(x) return x^2 end" },
  { "^%s*for%s.*%sin%s", ":", "a loop is written for i = 1, 10 do ... end, over a list for i, value in ipairs(list) do ... end" },
  { "^%s*for%s.*=.*:", nil, "a loop is written for i = 1, 10 do ... end" },
  { "^%s*for%s.*%sin%s.*:%s*$", nil, "a loop is written for i = 1, 10 do ... end, over a list for i, value in ipairs(list) do ... end" },
  { "^%s*while%s.*:", nil, "a loop is written while x < 1 do ... end" },
  { "^%s*e?l?if%s.*:", nil, "a condition is written if x < 1 then ... elseif x < 2 then ... else ... end" },
  { "^%s*elif%s", nil, "a condition is written if x < 1 then ... elseif x < 2 then ... else ... end" },
  { "^%s*print%s+[^%s('\"%[{]", nil, "print takes its arguments in parentheses: print(x)" },
  { "!=", nil, "unequal is written a ~= b" },
  { "<>", "near '>'", "unequal is written a ~= b" },
  { "&&", "near '&'", "a condition is joined by and, or, not" },
  { "||", "near '|'", "a condition is joined by and, or, not" },
  { "%*%*", "near '%*'", "a power is written a^b, not a**b" },
  { "[%w_%]%)]%s*%+%+", nil, "x++ is written x = x + 1" },
  { "[%w_%]%)]%s*[%+%-%*/%^]=", "near '[%+%-%*/%^=]'", "x += 1 is written x = x + 1" },
  { ":=", "near '='", "an assignment is written x = 1" },
  { "%[", "unexpected symbol near '%['", "a list is written {1, 2, 3}" },
  { "^%s*let%s", nil, "a variable is made by x = 1, or local x = 1" },
  { "^%s*var%s", nil, "a variable is made by x = 1, or local x = 1" },
  { "^%s*const%s", nil, "a variable is made by x = 1, or local x = 1" },
  { "^%s*[%a_][%w_]*:[%a_][%w_]*%s*=", "function arguments expected", "a method is called: S:kinetic_energy(T), without =" },
  { "^%s*[%a_][%w_]*:[%a_][%w_]*%s+[%a_]", "function arguments expected", "the argument of a method stands in parentheses: S:kinetic_energy(T)" },
  { "%(%s*[%a_][%w_]*%s*=", "'%)' expected near '='", "options stand in braces: S:simulate{ t = 10 }" },
  { "%(.*=", "'%)' expected near '='", "an equation a = b is written a - b, or hm.eq(a, b)" },
  { "%d%.%.%d", "malformed number", "from 0 to 10 is {0, 10}" },
  { "^%s*int%s+%a", nil, "a variable is made by x = 1, or local x = 1" },
  { "^%s*float%s+%a", nil, "a variable is made by x = 1, or local x = 1" },
  { "^%s*auto%s+%a", nil, "a variable is made by x = 1, or local x = 1" },
  { "^%s*double%s", nil, "a variable is made by x = 1, or local x = 1" },
  { "^%s*hold%s+on", nil, "several curves share a picture by run:plot(\"t\", \"x\", \"y\"), several runs by hm.plot({ a = run1, b = run2 }, \"x\")" },
  { "^%s*clear%s", nil, "x = nil removes a variable" },
  { "[%w_%)]'", "unfinished string", "a derivative is written x.dot, the second one x.dot.dot; x' stands in texts only" },
  { "%d%s*[%a_%(]", "malformed number", "a product is written with *: 2*x" },
  { "%d%s*%(", "near '%('", "a product is written with *: 2*(x + 1)" },
  { "^%s*for%s", "'do' expected", "a loop is written for i = 1, 10 do ... end" },
  { "^%s*for%s", "'=' or 'in' expected", "a loop is written for i = 1, 10 do ... end, over a list for i, value in ipairs(list) do ... end" },
  { "^%s*while%s", "'do' expected", "a loop is written while x < 1 do ... end" },
  { "^%s*if%s", "'then' expected near '='", "equal is written ==: if x == 1 then ... end" },
  { "^%s*if%s", "'then' expected", "a condition is written if x < 1 then ... end" },
  { "{", "'}' expected .*near '[^>]", "the entries in braces are separated by commas: { q = {x = 0}, t = 10 }" },
  { "%(", "'%)' expected .*near '[^>]", "arguments are separated by commas: f(x, y)" },
  { "^[^=~<>{(]*[^=~<>]=[^=]", "expected near '='", "a name stands on the left of =; an equation a = b is written a - b, or hm.eq(a, b)" },
  { "^%s*!", "near '!'", 'a command of the shell is os.execute "ls"' },
  { "^%s*[%w_%.]+%s+[%w_%(]", "near '[%w_]+'$", "a product is written with *, a text in quotation marks" },
}

-- Words behind which two names in a row are Lua
local KEYWORD = { ["local"] = true, ["return"] = true, ["if"] = true, ["while"] = true, ["for"] = true, ["until"] = true, ["goto"] = true,
                  ["function"] = true, ["repeat"] = true, ["end"] = true, ["else"] = true, ["elseif"] = true, ["do"] = true, ["not"] = true }

--- The sentence on a line that Lua refuses with a message, nil where the habit is not known.
---@param line string
---@param message string the message of Lua, "... near 'x'"
function hints.syntax(line, message)
  local letters = line:gsub('"[^"\n]*"', '""')
  for i, row in ipairs(syntax_rows) do
    local last = i == #syntax_rows
    if letters:find(row[1]) and (not row[2] or message:find(row[2])) and not (last and KEYWORD[letters:match "^%s*(%a+)"]) then return row[3] end
  end
end

--- Is the text one that no further line can complete, though Lua waits for more: for i in range(10):
function hints.is_foreign(text) return text:find "^%s*for%s.*%sin%s.*:%s*$" ~= nil or text:find "^%s*from%s+%S+%s+import" ~= nil end

-- ---- names

local NOUN = { S = "a system", run = "a run", e = "an expression", state = "a state", section = "a section", sweep = "a sweep", F = "a frame", v = "a vector",
               P = "a point", b = "a body", matrix = "a matrix", equations = "equations", data = "measured data" }
local ORDER = { "e", "S", "run", "equations", "matrix", "section", "sweep", "v", "F", "P", "b", "data" }

-- The methods and fields of that name, most used ones first: "S:sweep{...} of a system"
local function of_objects(name)
  local found, list = {}, {}
  for _, entry in ipairs(help.entries()) do
    local object_name, separator, own = entry.name:match "^(%a+)([.:])([%w_]+)$"
    if own == name and NOUN[object_name] and not help.is_internal(entry) then
      found[object_name] = separator == "." and ("%s.%s of %s"):format(object_name, name, NOUN[object_name])
        or ("%s:%s(...) of %s"):format(object_name, name, NOUN[object_name])
    end
  end
  for _, object_name in ipairs(ORDER) do list[#list + 1] = found[object_name] end
  return #list > 0 and "; it belongs to an object: " .. table.concat(list, ", ") or nil
end

--- What to write for a name that has no value: the words of another program, a method, else the nearest name; "" where nothing is near.
---@param known string[] names that have a value
function hints.undefined(name, known)
  if elsewhere[name] then return "; " .. elsewhere[name] end
  local words = of_objects(name) or object.advice(name, known)
  if words ~= "" then return words end
  for _, ours in ipairs(synonyms[name] or {}) do
    words = of_objects(ours)
    if words then return words end
  end
  return ""
end

-- ---- messages of Lua in scripts

-- The text behind -e of the command line that Lua refuses
local function refused_text()
  for i, word in pairs(_G.arg or {}) do
    local text = word == "-e" and _G.arg[i + 1]
    if type(text) == "string" and not load(text, "=text", "t") then return text end
  end
end

local function line_of(path, number)
  if path == "(command line)" then return refused_text() end
  local file = io.open(path)
  if not file then return nil end
  local k = 0
  for line in file:lines() do
    k = k + 1
    if k == number then
      file:close()
      return line
    end
  end
  file:close()
end

local function names_of_scripts()
  local known = object.keys(_G)
  for name in next, object.library do known[#known + 1] = name end
  return known
end

-- Names that a script has under hm
local function of_library(name)
  return rawget(object.library, name) ~= nil and ("; it is hm.%s, or %s after hm.use()"):format(name, name) or nil
end

local called = { "attempt to call a nil value %(global '([%w_]+)'%)", "attempt to index a nil value %(global '([%w_]+)'%)",
                 "attempt to perform arithmetic on a nil value %(global '([%w_]+)'%)" }

-- Names that the text of a script makes local
local function locals_of(path)
  local file, names = io.open(path), {}
  if not file then return names end
  for line in file:lines() do
    for list in line:gmatch "%f[%w_]local%s+([%a_][%w_%s,]*)=" do
      for name in list:gmatch "[%a_][%w_]*" do names[#names + 1] = name end
    end
  end
  file:close()
  return names
end

local function on_globals(message, path)
  for _, pattern in ipairs(called) do
    local name = message:match(pattern)
    local near = name and object.nearest(name, locals_of(path))
    if near then return (" (did you mean '%s'?)"):format(near) end
    if name then return of_library(name) or hints.undefined(name, names_of_scripts()) end
  end
end

-- { pattern in Lua's message, words with the name it captures }; the first row that fits
local running_rows = {
  { "attempt to index a function value %(%w+ '([%w_]+)'%)", "the arguments of a function stand in parentheses: %s(x)" },
  { "attempt to index a number value %(%w+ '([%w_]+)'%)", "%s is a number now; the coordinate or parameter of a system is S:symbol \"name\"" },
  { "attempt to call a number value", "a product is written with *" },
  { "attempt to %l+ a 'string' with a '%l+'", "a text is no formula: hm.parse(text, {x, y}) reads one" },
  { "attempt to %l+ a '%l+' with a 'string'", "a text is no formula: hm.parse(text, {x, y}) reads one" },
  { "attempt to perform arithmetic on a nil value %(local '([%w_]+)'%)", "%s has no value: an argument is missing, or an assignment" },
  { "attempt to perform arithmetic on a nil value %(field '([%w_]+)'%)", "there is nothing called %s" },
  { "attempt to index a nil value %(field '([%w_]+)'%)", "there is nothing called %s" },
  { "attempt to index a nil value %(local '([%w_]+)'%)", "%s has no value: an argument is missing, or an assignment" },
  { "attempt to perform arithmetic on a nil value$", "a value is missing" },
  { "attempt to index a nil value$", "what stands before the dot or colon has no value" },
  { "attempt to perform arithmetic on a table value", "a table has no arithmetic: take its entries, list[1] or list.name, or hm.matrix{...}" },
  { "attempt to compare two nil values", "two values are missing" },
  { "attempt to compare nil with", "a value is missing" },
  { "attempt to compare %l+ with nil", "a value is missing" },
}

--- The hint on a message of a running program, "" where there is none.
function hints.running(message)
  local first = message:match "^[^\n]*"
  for _, row in ipairs(running_rows) do
    local from, _, name = first:find(row[1])
    if from then return "; " .. (name and row[2]:format(name) or row[2]) end
  end
  return ""
end

--- The first line of a message with the hint behind it, where a habit is known; the message as it is elsewhere.
function hints.complete(message)
  local first, rest = message:match "^([^\n]*)(.*)$"
  local path, number, what = first:match "^(.-):(%d+): (.*)$"
  if not what then return message end
  local words = on_globals(what, path)
  if words then return first .. words .. rest end
  if not what:find "near ['<]" then return first .. hints.running(what) .. rest end
  local line = line_of(path, tonumber(number))
  words = line and hints.syntax(line, what)
  return words and ("%s; %s%s"):format(first, words, rest) or message
end

return hints
