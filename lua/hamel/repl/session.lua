-- session.lua: the names that blocks of code share, and blocks made into chunks: for the prompt and for cells of a notebook.
local answer = require "hamel.base.answer"
local help = require "hamel.book.help"
local hints = require "hamel.book.hints"
local messages = require "hamel.repl.message"
local object = require "hamel.base.object"

local sessions = {}

local SEMICOLONS = 8                   -- of an expression that has some itself, in tables or functions

-- What the session defined; then the globals, then the library: system, sin and t stand for hm.system, hm.sin and hm.t. A newcomer writes as on
-- paper, a name of the user's replaces the library's. An unknown name is an error with the nearest known one.
local function environment()
  local session = {}
  local allowed = { ans = true }
  setmetatable(session, { __index = function(_, name)
    local value = _G[name]
    if value == nil and type(name) == "string" then value = rawget(session.hm, name) end
    if value ~= nil or type(name) ~= "string" or allowed[name] then return value end
    local known = object.keys(_G)
    for k in next, session.hm do known[#known + 1] = k end
    for k in pairs(session) do if type(k) == "string" then known[#known + 1] = k end end
    error(("'%s' is not defined%s"):format(name, hints.undefined(name, known)), 2)
  end })
  return session
end

-- Locals of the chunk that calls it become names of the session
local function keeper(session)
  return function()
    local i = 1
    while true do
      local name, value = debug.getlocal(2, i)
      if not name then return end
      if name:sub(1, 1) ~= "(" then rawset(session, name, value) end
      i = i + 1
    end
  end
end

--- local x <const> = 5 is folded away by the compiler: the attribute is dropped
function sessions.without_const(text)
  return (text:gsub("(local%s+[%w_]+%s*)<%s*const%s*>", "%1"))
end

--- "x = 1; y = 2; x + y": statements, and an expression behind one of the last semicolons whose value is shown; nil where it is not so
function sessions.split_last(text)
  local at = #text + 1
  for _ = 1, SEMICOLONS do
    at = text:sub(1, at - 1):find ";[^;]*$"
    if not at then return nil end
    local before, last = text:sub(1, at - 1), text:sub(at + 1)
    -- behind a comment anything would load: that semicolon is part of it
    local is_end = load(before, "=input", "t") and not load(before .. " )", "=input", "t")
    if is_end and last:find "%S" and load("return " .. last, "=input", "t") then return before, last end
  end
end

--- Does the text need further lines?
function sessions.is_incomplete(text)
  if hints.is_foreign(text) then return false end
  for _, beginning in ipairs{ "return ", "" } do
    local f, message = load(beginning .. text, "=input", "t")
    if f then return false end
    -- no further line closes a quotation mark, but behind a backslash
    if message:find "unfinished string" and not text:find "\\z?%s*$" then return false end
    if message:find("near '?<eof>'?$") then return not sessions.split_last(text) end
  end
  return false
end

--- A chunk for the text: an expression whose values are shown, or statements; nil and the message that got further if neither
function sessions.compile(text, session, name)
  local value, no_value = load("return " .. text, name, "t", session)
  -- the values pass through a function: the place of the text would be lost in a tail call
  if value then return load("return __values(" .. text .. "\n)", name, "t", session) end
  -- the semicolon ends the text: "x =" would take what follows as its value
  -- S:kinetic_energy(T); S:equations() is a chunk of statements too, whose last one has values to show
  local before, last = sessions.split_last(text)
  if before then return load(("%s\n;__keep(); return __values(%s\n)"):format(sessions.without_const(before), last), name, "t", session) end
  local f = load(sessions.without_const(text) .. "\n;__keep()", name, "t", session)
  if f then return f end
  local plain, message = load(text, name, "t", session)
  if plain then return plain end
  return nil, messages.syntax(text, no_value, message)
end

-- Lua's load reads code; a file of a run would be code with an error in it
local function not_for_runs(session)
  return function(chunk, name, mode, ...)
    if type(chunk) == "string" and chunk:find "^[^\n]*%.hamel$" then
      object.fail("load is Lua's function for code; the run in a file is hm.load(\"%s\", S) with its system S", chunk)
    end
    if select("#", ...) > 0 then return load(chunk, name, mode, (...)) end
    return load(chunk, name, mode or "bt", session)
  end
end

-- Tables by their contents: an address says nothing
local function prints(...)
  local texts = table.pack(...)
  for i = 1, texts.n do
    if type(texts[i]) == "table" and not debug.getmetatable(texts[i]) then texts[i] = answer.text(texts[i]) end
  end
  print(table.unpack(texts, 1, texts.n))
end

--- A new session with the library in it.
function sessions.new()
  local session = environment()
  session.hm = require "hamel"
  session.help, session.apropos, session.examples, session.show = help.help, help.apropos, help.examples, help.show
  session.load, session.print = not_for_runs(session), prints
  session.__keep = keeper(session)
  session.__values = function(...) return ... end
  return session
end

--- The message of an interrupt: the completed part of the run or the sweep, where the call kept it
function sessions.interrupted_words(message) return tostring(message):match "interrupted[^\n]*" or "interrupted" end

--- The variables of the session that hold the part that an interrupted call kept, as words
function sessions.holders(session, part)
  local names = {}
  for name, value in next, session do if rawequal(value, part) and type(name) == "string" then names[#names + 1] = name end end
  table.sort(names, function(a, b) if (a == "ans") ~= (b == "ans") then return b == "ans" end return a < b end)
  return #names > 0 and ("; %s hold%s it"):format(table.concat(names, " and "), #names == 1 and "s" or "") or ""
end

return sessions
