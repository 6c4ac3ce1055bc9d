-- help.lua: help, apropos and examples: the docstrings in the library's own files, found by name, by value and by words.
local answer = require "hamel.base.answer"
local core = require "hamel.core"
local laws = require "hamel.laws"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local protected = require "hamel.base.protected"
local synonyms = require "hamel.base.synonyms"

local fail = object.fail
local help = {}

local folder = debug.getinfo(1, "S").source:match("^@(.*)book/help%.lua$")

-- What an object of a class is called in the texts
local called = { System = "S", Trajectory = "run", State = "state", Matrix = "matrix", Equations = "equations", Section = "section", Paper = "paper",
                 Constraint = "constraint", Sweep = "sweep", Variations = "variations", Recording = "recording", Comparison = "comparison",
                 Data = "data", methods = "e", Library = "hm", Frame = "F", Vector = "v", Point = "P", Body = "b", Rolling = "roll",
                 Branch = "branch", Chart = "chart", Diagram = "diagram", Picture = "picture" }

-- Letters of further objects in the examples, in whose place their names stand
local letters = { B = "branch", C = "chart", D = "diagram", W = "sweep" }

-- What the library itself calls: neither listed nor completed nor in the manual. The equations' are their matrices and programs, under their
-- short names
local internal = {}
for class, names in pairs{
  System = "new changed check_expression demand_free parameter_value by_name coordinate_list velocity_list external_forces get value_in_si "
    .. "unit_label unit_labels value_text admit plain defined every_velocity",
  Trajectory = "new item values_at tidy raw model workspace observer hybrid equations span options outcome reading get printed_drift",
  Equations = "new item rates_of A M r b k dyn kin mu_of rows watched positions velocities accelerations multipliers names get",
  State = "new item get", Matrix = "new item get", Paper = "new get failures kinds",
  Frame = "new get", Vector = "new get", Point = "new get", Body = "new get",
  Rolling = "get", Branch = "follow through start_of special_after", Chart = "new",
} do
  internal[class] = {}
  for name in names:gmatch "%S+" do internal[class][name] = true end
end

--- What an object of a class is called in the texts, "S" for a system; nil where it has no name.
function help.letter(class) return called[class] end

--- The set of names of a class that users do not call.
function help.hidden(class) return internal[class] or {} end

local function is_internal(entry)
  local prefix, name = entry.name:match "^(%a+)[.:]([%w_]+)$"
  for class, called_so in pairs(called) do if called_so == prefix and class ~= "methods" then return help.hidden(class)[name] == true end end
  return false
end

local function bare(name) return name:match "[.:]([%w_]+)$" or name:match "^hamel (%w+)$" or name end

-- ---- the index: entries { name, signature, text, source, line }

local index

local function add(name, signature, text, source, line)
  local entry = { name = name, signature = signature, text = text, source = source, line = line }
  index[#index + 1] = entry
  return entry
end

-- Names a line of code gives to the function or field that a docstring above it is about; `methods` are those of expressions in the algebra,
-- and of integration elsewhere
local function names_of(line, path)
  local class, separator, name, arguments = line:match "^function ([%w_]+)([.:])([%w_]+)(%b())"
  if class == "methods" and not path:find "/algebra/" then return {}, "" end
  if name and name:find "^_" then return {}, "" end
  if class and called[class] then
    if class == "methods" then separator, arguments = ":", arguments:gsub("^%(e,? ?", "(") end
    return { called[class] .. separator .. name }, arguments
  end
  class, name = line:match "^function ([%w_]+)%.get%.([%w_]+)%("
  if class and called[class] then return { called[class] .. "." .. name }, "" end
  name = line:match "^System%.([%w_]+) = [%w_]+$"
  if name then return { "S:" .. name }, "()" end
  name = line:match "^function (hm%.[%w_]+)%("
  if name then return { name }, line:match "%b()" end
  local left = line:match "^(hm%.[%w_, .]+) = "
  if not left then return {}, "" end
  local names = {}
  for item in left:gmatch "hm%.[%w_]+" do names[#names + 1] = item end
  return names, ""
end

-- "hamel merge" of the docstring above the function behind a command of the shell
local function command_of(line, docs) return line:find "^function [%w_]+%.command%(" and docs[1]:match "^`?(hamel %w+)" end

local function read_file(path)
  local docs, number, previous = {}, 0, nil
  for line in io.lines(path) do
    number = number + 1
    local text = line:match "^%-%-%- ?(.*)$"
    if not text and #docs == 0 and previous and line:find "^function" then
      -- one-line functions under one docstring
      docs, previous = previous, nil
    end
    if text and not line:find "^%-%-%-%-" then
      -- types for editors are not for reading here
      if not text:find "^@" then docs[#docs + 1] = text end
    else
      if #docs > 0 then
        local names, arguments = names_of(line, path)
        local command = command_of(line, docs)
        if command then add(command, command, "a command of the shell: " .. table.concat(docs, "\n"), "@" .. path, number) end
        for _, name in ipairs(names) do
          local entry = add(name, name .. arguments, table.concat(docs, "\n"), "@" .. path, number)
          entry.shared = #names > 1
        end
      end
      previous = #docs > 0 and line:find " end$" and docs or nil
      docs = {}
    end
  end
end

local function read_folder(path)
  local list = core.host.list(path) or {}
  table.sort(list)
  for _, name in ipairs(list) do
    if name:find "%.lua$" then read_file(path .. name)
    elseif not name:find("%.", 1) and name ~= "repl" then read_folder(path .. name .. "/") end
  end
end

-- The docstring above a line of a file, and the arguments of the function that the line begins
local function docstring_at(path, line)
  local docs, number = {}, 0
  for text in io.lines(path) do
    number = number + 1
    if number == line then return #docs > 0 and table.concat(docs, "\n"), text:match "^[%a%s]*function[^%(]*(%b())" or "" end
    local words = text:match "^%-%-%- ?(.*)$"
    if not words then docs = {} elseif not words:find "^@" then docs[#docs + 1] = words end
  end
end

-- Names of the library that share a sentence where they are listed have a docstring of their own where the function is defined
local function follow_definitions()
  for _, entry in ipairs(index) do
    local f = entry.shared and rawget(object.library, bare(entry.name))
    local info = type(f) == "function" and debug.getinfo(object.written(f), "S")
    if info and info.source:find("@" .. folder, 1, true) == 1 and info.source ~= entry.source then
      local text, arguments = docstring_at(info.source:sub(2), info.linedefined)
      if text then entry.text, entry.signature, entry.source, entry.line = text, entry.name .. arguments, info.source, info.linedefined end
    end
  end
end

-- Comment lines at the head of a file: the page of a form or a law
local function head_of(path)
  local lines = {}
  local file = io.open(path)
  if not file then return "" end
  for line in file:lines() do
    local text = line:match "^%-%- ?(.*)$"
    if not text then break end
    lines[#lines + 1] = text
  end
  file:close()
  return table.concat(lines, "\n")
end

-- prefix: of the names by which they are called
local function add_registry(items, kind, where, prefix, call)
  for _, name in ipairs(object.keys(items)) do
    local row = items[name]
    local page = head_of(folder .. where .. "/" .. name:gsub("%s", "_") .. ".lua")
    add(prefix .. name, call(name, row), ("%s: %s\n%s%s"):format(kind, row.title, page, row.source and "\nSource: " .. row.source or ""))
  end
end

-- What the core defines has no docstring in a file here
local core_pages = {
  ["e:partial"] = { "(x, ...)", "Partial derivative, by the time too: e:partial(hm.t) is hm.partial(e, hm.t), 0 where the time does not occur." },
  ["e:dt"] = { "()", "Total time derivative: e:dt() is hm.dt(e)." },
  ["e:kind"] = { "()", "What it is: \"number\", \"symbol\", \"sum\", \"product\", \"power\", \"call\"." },
  ["e:operands"] = { "()", "Terms of a sum, factors of a product, base and exponent, arguments, as a list." },
  ["hm.sqrt"] = { "(e)", "Square root of an expression or a number; hm.sqrt(m^2) is m for positive m. Of whole numbers it is exact, as hm.sin(1), hm.exp(1), "
    .. "hm.log(2) are: hm.sqrt(9) is 3, hm.sqrt(3) stays sqrt(3) and has the value hm.sqrt(3):eval(). Of floats, hm.sqrt(3.0), it is a float. "
    .. "Outside the real numbers, hm.sqrt(-1), it is an error." },
  ["hm.t"] = { "", "The time, as a symbol." },
  ["hm.version"] = { "", "The version of the library, as text." },
}

local function build()
  index = {}
  for name, row in pairs(core_pages) do add(name, name .. row[1], row[2]) end
  read_folder(folder)
  follow_definitions()
  add_registry(require "hamel.forms", "form", "forms", "", function(name) return ("S:equations \"%s\""):format(name) end)
  add_registry(laws.list, "law of impact", "laws", "hm.", function(name, row) return ("hm.%s(%s)"):format(name, #row.parameters > 0 and "e" or "") end)
  for _, name in ipairs(object.keys(methods.rows)) do
    local row = methods.rows[name]
    -- one that is short for a form has the page of that
    if not row.stands_for then
      add(name, ("S:simulate{ method = \"%s\"%s }"):format(name, row.fixed and ", step = 0.01" or ""), "method of integration: " .. row.title)
    end
  end
  for _, name in ipairs(object.keys(core.functions)) do
    if not name:find "^tabled" then add("hm." .. name, "hm." .. name, "function: " .. core.function_help(name) .. "; on numbers and expressions") end
  end
  table.sort(index, function(a, b) return a.name < b.name end)
end

local function entries()
  if not index then build() end
  return index
end

-- ---- finding

-- Things of one name: those that are used most come first
local FIRST = { S = 1, run = 2, hm = 3, e = 4, equations = 5 }

local function rank(entry)
  return FIRST[entry.name:match "^(%a+)[.:]"] or (entry.name:find "[.:]" and 9 or 0)
end

local function by_name(name)
  local exact, loose = {}, {}
  for i, entry in ipairs(entries()) do
    if entry.name == name then exact[#exact + 1] = entry
    elseif bare(entry.name) == bare(name) and not name:find "[.:]" then loose[#loose + 1] = { entry = entry, order = 1000*rank(entry) + i } end
  end
  table.sort(loose, function(a, b) return a.order < b.order end)
  for _, item in ipairs(loose) do exact[#exact + 1] = item.entry end
  return exact
end

-- A name as it may be meant: run.at, simulate{...}, System:simulate, quasi-velocities, contacts, Newton
local function by_spelling(name)
  local plain = name:gsub("%s*[%({].*$", ""):gsub("^%s+", ""):gsub("[%s%-]+", "_")
  local own, last = plain:match "^(%a+)[.:]([%w_]+)$"
  for class, prefix in pairs(called) do if own == class then own = prefix end end
  -- P is a table of verdicts in the texts, and a point of a frame in others
  if own == "P" and #by_name("P:" .. last) == 0 and #by_name("paper:" .. last) > 0 then own = "paper" end
  if letters[own] and #by_name(own .. ":" .. last) == 0 and #by_name(letters[own] .. ":" .. last) > 0 then own = letters[own] end
  local tries = own and { own .. ":" .. last, own .. "." .. last, "hm." .. last, last } or { plain }
  for _, word in ipairs{ table.unpack(tries) } do tries[#tries + 1] = word:gsub("s$", "") end
  for _, word in ipairs{ table.unpack(tries) } do tries[#tries + 1] = word:lower() end
  for _, word in ipairs(tries) do
    local found = by_name(word)
    if #found > 0 then return found end
  end
  return {}
end

local function by_function(f)
  local info = debug.getinfo(object.written(f), "S")
  local found = {}
  for _, entry in ipairs(entries()) do
    if entry.source == info.source and entry.line == info.linedefined then found[#found + 1] = entry end
  end
  if #found > 0 then return found end
  -- functions of the core and of other files, by the name under which hm has them
  for name, value in next, object.library do if value == f then return by_name("hm." .. name) end end
  return found
end

local function by_class(value)
  local meta = debug.getmetatable(value)
  local class = type(meta) == "table" and rawget(meta, "__name")
  local prefix = class and called[class] or core.is_expression(value) and "e"
  local found = {}
  for _, entry in ipairs(entries()) do
    if prefix and entry.name:find("^" .. prefix .. "[.:]") then found[#found + 1] = entry end
  end
  return found
end

-- ---- showing

local Text = object.class "Text"
Text.meta.__plain = true               -- the prompt shows it as it is
Text.meta.__prose = true               -- with lines that fit into the terminal
function Text.meta.__tostring(self) return self.text end
local function shown(text) return setmetatable({ text = text }, Text.meta) end

local function first_sentence(entry)
  local line = entry.text:gsub("\n", " ")
  line = line:match "^(.-[^.A-Z]%.)%s" or line
  return #line > 100 and line:sub(1, 97):gsub("[\128-\255]*$", "") .. "..." or line
end

local function listing(found)
  local width, out = 0, {}
  for _, entry in ipairs(found) do width = math.max(width, #entry.name) end
  local row = "  %-" .. math.min(width, 30) .. "s  %s"
  for _, entry in ipairs(found) do
    if not is_internal(entry) then out[#out + 1] = row:format(entry.name, first_sentence(entry)) end
  end
  return table.concat(out, "\n")
end

local called_otherwise                 -- below

--- The options that an entry takes, by name in order: { name, row }. Options are declared by the bare name of a function; its namesakes that
--- take no table (e:series beside run:series) have none.
function help.options_of(entry)
  local takes = entry.signature:find("given", 1, true) or entry.signature:find("...", 1, true) or entry.signature:find "^hm%.[%w_]+$"
  local schema, list = takes and options.of(bare(entry.name)), {}
  schema = schema and options.of(entry.name) or schema
  if not schema then return list end
  local names = object.keys(schema)
  table.sort(names)
  for i, name in ipairs(names) do list[i] = { name = name, row = schema[name] } end
  return list
end

--- The default of an option as one writes it, or nil where it has none: 1e-08, {}, {900, 600}.
function help.default_text(row)
  local value = row.default
  if value == nil then return nil end
  if type(value) ~= "table" then return type(value) == "number" and object.number(value) or tostring(value) end
  local parts = {}
  for i, item in ipairs(value) do parts[i] = tostring(item) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- The options a function declares, a line each
local function option_line(option)
  local text = help.default_text(option.row)
  return ("    %-14s %s%s"):format(option.name, option.row.doc or option.row.type or "", text and (" (%s when not given)"):format(text) or "")
end

local function option_lines(entry)
  local list, out = help.options_of(entry), {}
  if #list == 0 then return "" end
  for i, option in ipairs(list) do out[i] = option_line(option) end
  return "\n  Options:\n" .. table.concat(out, "\n")
end

help.option_lines = option_lines

-- The docstring of an entry under its signature, without spaces in empty lines
local function described(entry) return entry.signature .. "\n" .. ("\n" .. entry.text):gsub("\n([^\n])", "\n  %1"):sub(2) end

local function page(entry) return described(entry) .. option_lines(entry) end

-- Several pages; options that an earlier one has listed have their names alone
local function pages_of(found)
  local pages, told, of = {}, {}, {}
  for i, entry in ipairs(found) do
    local listed, fresh, names, source = option_lines(entry), {}, {}, nil
    for _, option in ipairs(help.options_of(entry)) do
      local line = option_line(option)
      if told[line] then names[#names + 1], source = option.name, source or told[line] else fresh[#fresh + 1], told[line] = line, entry.name end
    end
    pages[i] = page(entry)
    if source then
      pages[i] = ("%s\n  Options: %s"):format(described(entry),
        of[listed] and "as of " .. of[listed] or ("%s as of %s%s"):format(table.concat(names, ", "), source, #fresh > 0 and "; and" or ""))
      if #fresh > 0 then pages[i] = pages[i] .. "\n" .. table.concat(fresh, "\n") end
    end
    of[listed] = of[listed] or entry.name
  end
  return table.concat(pages, "\n\n")
end

local overview = [[
hm is the library. A system is declared, looked at and run:
  S = hm.system "name"; x, y = S:coordinates "x y"; m = S:positive "m=1"; S:kinetic_energy(T); S:constraint("name", f)
At the prompt the library's names stand without hm: system, sin, cos, t, agree. A name of yours replaces one of them; in a script hm.use() does it.
  S, S:equations(), S:equations "maggi", S:forms(), S:multipliers(), S:holonomic()
  run = S:simulate{ q = {x = 0}, v = {x = 1}, t = 10 }; run:at(3); run:plot("x", "y"); run:save "file.csv"
help "simulate", help(S.simulate), help "maggi", help(run): a page, or what an object can do.  apropos "friction": pages with these words.
examples(): systems to start from; ex = examples "suslov" runs one, ex.S is its system, show "suslov" prints it. save_session "work.lua" keeps what was typed.]]

local SHORTEST = 3                     -- letters of a word that may be the beginning of another one

-- Does the list of words have the word, or one that begins so?
local function has_word(list, word)
  if #word < SHORTEST then return (" " .. list .. " "):find(" " .. word .. " ", 1, true) ~= nil end
  word = #word > 3 and word:gsub("s$", "") or word
  return (" " .. list):find(" " .. word, 1, true) ~= nil
end

-- The concepts that have all the words
local function concepts_with(words)
  local list = {}
  for _, row in ipairs(require "hamel.book.concepts") do
    local all = true
    for word in words:lower():gmatch "%S+" do all = all and has_word(row.words, word) end
    if all then list[#list + 1] = row end
  end
  return list
end

-- The pages a concept points to
local function pages_to_see(row)
  local pages = {}
  for _, name in ipairs(row.see) do
    for _, entry in ipairs(entries()) do
      if entry.name == name then
        pages[#pages + 1] = entry
        break
      end
    end
  end
  return pages
end

local function concept_text(row) return row.text .. "\n" .. listing(pages_to_see(row)) end

-- Classes by the names used in the texts, and by their own names
local function by_kind(what)
  local wanted = what:lower()
  for class, prefix in pairs(called) do
    if wanted == prefix:lower() or wanted == class:lower() then
      local found = {}
      for _, entry in ipairs(entries()) do if entry.name:find("^" .. prefix .. "[.:]") then found[#found + 1] = entry end end
      if #found > 0 then return found end
    end
  end
end

-- The functions that take an option of that name, and what it is
local function option_text(name)
  local list, doc = {}, nil
  for _, entry in ipairs(entries()) do
    local row = not is_internal(entry) and (options.of(bare(entry.name)) or {})[name]
    if row and #help.options_of(entry) > 0 then list[#list + 1], doc = entry.name, doc or row.doc end
  end
  if #list == 0 then return nil end
  if #list > 8 then list = table.move(list, 1, 8, 1, {}); list[9] = "..." end
  local values = name == "method" and "\n  methods: " .. table.concat(object.keys(methods.rows), ", ")
    or name == "form" and "\n  forms: " .. table.concat(object.keys(require "hamel.forms"), ", ") or ""
  return ("option %s: %s%s\n  of %s"):format(name, doc or "", values, table.concat(list, ", "))
end

-- Names of the examples about a thing, and their sentences
local function examples_about(what)
  local names, path = help.example_names()
  local found, heads, word = {}, {}, what:lower():gsub("s$", "")
  for _, name in ipairs(names) do
    local head = head_of(path .. name .. ".lua"):gsub("\n", " ")
    if #word > 2 and (name:gsub("_", " ") .. " " .. head):lower():find("%f[%w]" .. word:gsub("%p", "%%%0") .. "s?%f[^%w]") then
      found[#found + 1], heads[#heads + 1] = name, head:match "^(.-%.)%s" or head
    end
  end
  return found, heads
end

local function example_text(what)
  local found, heads = examples_about(what)
  local lines = {}
  for i, name in ipairs(found) do lines[i] = ("  %-22s %s"):format(name, heads[i]) end
  return #lines > 0 and "examples, such as show \"" .. lines[1]:match "%S+" .. "\":\n" .. table.concat(lines, "\n") or nil
end

-- A text about examples alone, after the words that no page has the name
local function only_examples(text, what) return ("nothing is called '%s'; %s"):format(what, text) end

-- The page for a word that is not the name of a page: a kind of object, a status or a message, an option, a synonym, a concept; nil where there
-- is none
function called_otherwise(what)
  local parts, kind = {}, by_kind(what)
  if kind then parts[#parts + 1] = ("%s: fields and methods\n%s"):format(what, listing(kind)) end
  parts[#parts + 1] = require "hamel.book.symptoms".about(help.examples_folder(), what)
  for _, row in ipairs(concepts_with(what)) do parts[#parts + 1] = concept_text(row) end
  local about, plain = #parts, synonyms[what] or synonyms[what:lower()] or {}
  for _, name in ipairs(plain) do
    local found = by_name(name)
    parts[#parts + 1] = #found > 0 and pages_of(found) or option_text(name)
    if #parts > about then break end
  end
  parts[#parts + 1] = option_text(what)
  local about_examples = example_text(what)
  if about_examples then parts[#parts + 1] = #parts > 0 and about_examples or only_examples(about_examples, what) end
  return #parts > 0 and shown(table.concat(parts, "\n\n")) or nil
end

-- Are they fields of objects, such as equations.energy? These do not hide a concept of the same name
local function are_fields(found)
  for _, entry in ipairs(found) do if not entry.name:find "^%l+%.%w+$" or entry.name:find "^hm%." then return false end end
  return true
end

-- The page on a word; raises where nothing has the name and no page contains it
local function by_text(what)
  local found = by_name(what)
  local kind = by_kind(what)
  local concept = #found > 0 and #concepts_with(what) > 0 and are_fields(found) and called_otherwise(what)
  if concept then return shown(tostring(concept) .. "\n\n" .. pages_of(found)) end
  if #found > 0 then
    return shown(pages_of(found) .. (kind and ("\n\n%s: fields and methods\n%s"):format(what, listing(kind)) or ""))
  end
  local spelled, other = by_spelling(what), called_otherwise(what)
  if #spelled > 0 then return shown(pages_of(spelled) .. (other and "\n\n" .. tostring(other) or "")) end
  if other then return other end
  local names = {}
  for i, entry in ipairs(entries()) do names[i] = bare(entry.name) end
  local near = object.nearest(what, names)
  if near then fail("help: nothing is called '%s' (did you mean '%s'?); apropos searches the texts", what, near) end
  local fine, pages = protected(help.apropos, what)
  if not fine then fail("help: nothing is called '%s', and no page contains it; help() is the overview", what) end
  return shown(("nothing is called '%s'; pages with the word:\n%s"):format(what, tostring(pages)))
end

--- Help: hm.help() an overview, help "simulate" or help(S.simulate) a page, help(S) what an object can do, help "maggi" a form, a law, a method.
--- Raises for a name that is not known, with the nearest one.
function help.help(what)
  if what == nil or type(what) == "string" and not what:find "%S" then return shown(overview) end
  if type(what) == "string" then
    return by_text(what)
  end
  if type(what) == "function" then
    local found = by_function(what)
    if #found == 0 then fail("help: this function has no page; it is not one of the library's") end
    return shown(page(found[1]))
  end
  local found = by_class(what)
  if #found == 0 then fail("help: a %s is nothing of the library's; help() is the overview", type(what)) end
  return shown(listing(found))
end

local function has_all(entry, words)
  local text = (entry.name .. " " .. entry.text):lower()
  for word in words:lower():gmatch "%S+" do if not text:find(word, 1, true) then return false end end
  return true
end

--- Pages whose texts contain all the words, those of a concept first: apropos "friction cone".
function help.apropos(words)
  if type(words) ~= "string" or not words:find "%S" then fail("apropos takes words: apropos \"friction\"") end
  local out, found, seen = {}, {}, {}
  local function list_once(entry)
    if not seen[entry] then found[#found + 1], seen[entry] = entry, true end
  end
  for i, row in ipairs(concepts_with(words)) do
    out[i] = row.text
    for _, entry in ipairs(pages_to_see(row)) do list_once(entry) end
  end
  for _, entry in ipairs(entries()) do if has_all(entry, words) then list_once(entry) end end
  local about_examples = example_text(words)
  if #found == 0 and not about_examples then fail("apropos: no page contains '%s'", words) end
  out[#out + 1] = #found > 0 and listing(found) or nil
  out[#out + 1] = about_examples
  return shown(table.concat(out, "\n"))
end

--- Every entry: { name, signature, text }.
function help.entries() return entries() end

--- Is the entry for the library's own use?
help.is_internal = is_internal

--- The comment at the head of a Lua file, as text.
help.head_of = head_of

--- The folder of the library's Lua files, with a slash at its end.
help.folder = folder

-- ---- examples

-- Beside the library in its source tree, or where it was installed
local function examples_folder()
  for _, path in ipairs{ folder .. "../../examples/", folder .. "../../../hamel/examples/", folder .. "../../../../hamel/examples/" } do
    if core.host.list(path) then return path end
  end
end

help.examples_folder = examples_folder

-- Names of the examples and their folder
local function example_names()
  local path = examples_folder() or fail("examples: the folder of the examples is not here")
  local names = {}
  for _, file in ipairs(core.host.list(path)) do names[#names + 1] = file:match "^(.*)%.lua$" end
  table.sort(names)
  return names, path
end

help.example_names = example_names

local same_thing = { sphere = "ball", ball = "sphere", disk = "disc", wheel = "disc", gyro = "gyroscope", bike = "bicycle", celt = "rattleback" }

-- For a name that no example has: those about one of its words, else the nearest one
local function example_hint(name, names)
  local about = {}
  for word in name:lower():gmatch "%a+" do
    for _, meant in ipairs{ word, same_thing[word] } do
      for _, found in ipairs((examples_about(meant))) do if not object.contains(about, found) then about[#about + 1] = found end end
    end
  end
  local near = #about == 0 and object.nearest(name, names)
  if near then return (" (did you mean '%s'?)"):format(near) end
  return (#about > 0 and #about < 8 and "; there are " .. table.concat(about, ", ") or "") .. "; examples() lists all"
end

local function text_of_example(what, name)
  local names, path = example_names()
  if not object.contains(names, name) then fail("%s: there is no '%s'%s", what, tostring(name), example_hint(tostring(name), names)) end
  path = path .. name .. ".lua"
  local file = io.open(path, "rb") or fail("%s: cannot read %s", what, path)
  local text = file:read "a"
  file:close()
  return text, path
end

-- What an example leaves, in words
local function example_words(name, path)
  return function(left)
    local objects, others = {}, {}
    for _, key in ipairs(object.keys(left)) do
      local value = rawget(left, key)
      local kind = ({ System = "the system", Trajectory = "a run", Sweep = "a sweep", Equations = "equations" })[(getmetatable(value) or {}).__name]
      if kind then objects[#objects + 1] = ("%s (%s)"):format(key, kind) else others[#others + 1] = key end
    end
    local list = table.move(others, 1, #others, #objects + 1, objects)
    return ("%s ran in names of its own; ex = examples \"%s\" gives ex.%s; show \"%s\" prints it\n  it holds %s\n  %s"):format(name, name,
      left.S and "S" or (list[1] or "S"):match "^%S+", name, table.concat(list, ", "), path)
  end
end

-- Runs the text in an environment of its own; its locals and globals as one table
local function run_apart(name, text, path)
  local environment = setmetatable({}, { __index = _G })
  local left = {}
  function environment.__keep()
    local i = 1
    while true do
      local key, value = debug.getlocal(2, i)
      if not key then return end
      if key:sub(1, 1) ~= "(" and key ~= "hm" and type(value) ~= "function" then left[key] = value end
      i = i + 1
    end
  end
  local f = load(text .. "\n__keep()", "@" .. path, "t", environment) or load(text, "@" .. path, "t", environment)
  f()
  environment.__keep = nil
  for key, value in next, environment do left[key] = value end
  return answer.described(left, example_words(name, path))
end

--- The classics that come with Hamel: examples() lists them, ex = examples "suslov" runs one. What it declares is in ex: ex.S, ex.run;
--- names of yours stay as they are. show "suslov" prints its text.
function help.examples(name)
  local names, path = example_names()
  if name == nil then
    local out = {}
    for i, item in ipairs(names) do
      local head = head_of(path .. item .. ".lua"):gsub("\n", " ")
      out[i] = ("  %-22s %s"):format(item, head:match "^(.-%.)%s" or head)
    end
    return shown(table.concat(out, "\n"))
  end
  return run_apart(name, text_of_example("examples", name))
end

--- The text of an example: show "suslov".
function help.show(name)
  return shown((text_of_example("show", name):gsub("%s+$", "")))
end

--- `hamel help` prints the overview, `hamel help simulate` a page, `hamel help friction cone` the list of pages with these words. Returns true.
function help.command(arguments)
  local words = table.concat(arguments, " ")
  print(tostring(#arguments > 1 and help.apropos(words) or help.help(words)))
  return true
end

return help
