-- loop.lua: the prompt: reads whole chunks, keeps locals from line to line, prints values.
local complete = require "hamel.repl.complete"
local core = require "hamel.core"
local files = require "hamel.base.files"
local history = require "hamel.repl.history"
local messages = require "hamel.repl.message"
local object = require "hamel.base.object"
local parts = require "hamel.repl.parts"
local printer = require "hamel.repl.print"
local protected = require "hamel.base.protected"
local sessions = require "hamel.repl.session"
local wrap = require "hamel.repl.wrap"

local compile, split_last = sessions.compile, sessions.split_last

-- Colour on a terminal that has some, unless the user wants none (NO_COLOR)
local function coloured()
  local terminal, refused = os.getenv "TERM", os.getenv "NO_COLOR"
  return core.host.is_terminal "stderr" and terminal ~= nil and terminal ~= "dumb" and (refused == nil or refused == "")
end

local function say(text, code)
  io.stderr:write(coloured() and ("\27[%sm%s\27[0m"):format(code, text) or text, "\n")
end

-- A message in lines that fit into the terminal
local function fitted(text) return core.host.width() and wrap.prose(text, core.host.width()) or text end

local FAULT, QUIET = "31", "2"         -- red, faint

-- The last ones of several results may be nil: nothing to print
local function show(results)
  local last = results.n
  while last > 2 and results[last] == nil do last = last - 1 end
  for i = 2, last do print(printer.text(results[i])) end
end

-- Calls f; its results behind true, or nil after the message was printed, and what an interrupt said where the call kept its part. The part of
-- an interrupted run or sweep becomes `ans`, what the block assigned to its locals is kept
local function attempt(editor, f, inputs, session)
  local results = table.pack(editor.call(f, session))
  local part = core.host.part()
  if results[1] then return results end
  io.stdout:flush()
  if session and part ~= nil then rawset(session, "ans", part) end
  local holding = session and part ~= nil and sessions.holders(session, part) or ""
  say(results[3] and sessions.interrupted_words(results[2]) .. holding or fitted(messages.readable(tostring(results[2]), inputs)), FAULT)
  return nil, results[3] and part ~= nil and sessions.interrupted_words(results[2]), part
end

-- ---- the session as a script

local function is_expression(text) return load("return " .. text, "=input", "t") ~= nil end

-- A file may have 200 locals: later ones become globals of the script
local MOST_LOCALS = 150

-- Adds the lines of an input that ran; returns how many locals the script has then
local function add_input(lines, text, locals)
  text = text:match "^%s*return%f[%W](.*)$" or text
  local before, last = split_last(text)
  if before and not is_expression(text) then
    lines[#lines + 1] = ("%s\nans =%s\nif ans ~= nil then print(ans) end"):format(before, last)
  elseif not is_expression(text) then
    locals = locals + select(2, text:gsub("%f[%w_]local%f[^%w_]", ""))
    lines[#lines + 1] = locals > MOST_LOCALS and text:gsub("^%s*local%s+([%a_][%w_, ]*=)", "%1") or text
  elseif not text:find "^%s*save_session" then
    lines[#lines + 1] = "ans = " .. text .. "\nif ans ~= nil then print(ans) end"
  end
  return locals
end

--- Writes what succeeded in this session as a script that runs again with the same numbers: save_session "work.lua". Values that were shown are printed;
--- a line that failed is left out, unless statements before its failure may have had effects: then it stands in a pcall. The kept parts of interrupted
--- runs and branches are written to files beside the script, which reads them; an interrupted sweep stands there with a comment, and runs whole.
--- Returns a sentence.
local function saver(done)
  return function(path)
    if type(path) ~= "string" or not path:find "%.lua$" then object.fail("save_session takes the name of a file that ends in .lua") end
    if core.host.exists(path) then object.fail("save_session: %s exists already; choose another name", path) end
    local lines, locals = { "-- A session at the prompt of Hamel " .. core.version .. ".", "local hm = require \"hamel\"",
                            "hm.use()", "local help, apropos, examples, show = hm.help, hm.apropos, hm.examples, hm.show",
                            "local ans" }, 0
    local held = 0
    for _, input in ipairs(done) do
      if type(input) == "table" then
        if held == 0 then lines[#lines + 1] = parts.folder end
        held = held + 1
        lines[#lines + 1] = parts.write(input, path, held)
      else
        locals = add_input(lines, input, locals)
      end
    end
    files.write("save_session", path, table.concat(lines, "\n") .. "\n")
    return ("%s: a script of %d inputs, which gives the same numbers; hamel %s runs it"):format(path, #done, path)
  end
end

-- Operators that do not ask what they seem to where a side is an expression: { the sides of a line, the words }
local odd_operators = {
  { "^([^=~<>]+)==([^=]+)$", "== asks whether both are the same expression; hm.agree(a, b) decides whether they are equal" },
  { "^([^=~<>]+)~=([^=]+)$", "~= asks whether both are the same expression; hm.agree(a, b) decides whether they are equal" },
  { "^(.-)%f[%w_]and%f[^%w_]", "'and' gives its second side where the first is an expression; conditions are joined by &: x:gt(0) & x:lt(1)" },
  { "^(.-)%f[%w_]or%f[^%w_]", "'or' gives its first side where that is an expression; conditions are joined by |: x:lt(0) | x:gt(1)" },
  { "^%s*not%f[^%w_](.+)$", "'not' of an expression is false; the opposite of a condition is ~x:lt(0)" },
}

-- The sides are names and formulas without calls, which a second look would repeat
local function is_formula(session, side)
  local f = not side:find "[({\"\']" and load("return " .. side, "=side", "t", session)
  local fine, value = protected(f or error)
  return fine and core.is_expression(value)
end

local function hint_at_operators(session, text)
  for _, row in ipairs(odd_operators) do
    local left, right = text:match(row[1])
    if left and (is_formula(session, left) or right and is_formula(session, right)) then
      print("  (" .. row[2] .. ")")
      return
    end
  end
end

local function run_line(editor, session, text, inputs, done)
  local silent = text:match(";%s*$") ~= nil
  local body = text:gsub(";%s*$", ""):gsub("^%s*=", "")
  inputs[#inputs + 1] = body
  local f, message = compile(body, session, "=input " .. #inputs)
  if not f then
    say(fitted(messages.readable(message, inputs)), FAULT)
    return
  end
  local before = core.host.clock()
  local results, kept, part = attempt(editor, f, inputs, session)
  local took = core.host.clock() - before
  if results then done[#done + 1] = body end
  -- the session contains its assignments, so the script must too
  if kept then done[#done + 1] = parts.of(session, body, kept, part) or ("-- in the session: %s\n%s"):format(kept, body) end
  -- several statements may have had effects before one failed
  if not results and not kept and body:find "[;\n]" then done[#done + 1] = ("-- this failed at the prompt\ndo pcall(function()\n%s\nend) end"):format(body) end
  if results and results.n > 1 then rawset(session, "ans", results[2]) end
  if took > 1 then say(("(%.3g s)"):format(took), QUIET) end
  if not results or results.n == 1 then return end
  if silent then return end
  attempt(editor, function() show(results) end, inputs)
  hint_at_operators(session, body)
end

local function start_up(editor, session)
  local config, home = os.getenv "XDG_CONFIG_HOME", os.getenv "HOME"
  local folder = config and config ~= "" and config or home and home .. "/.config"
  if not folder or debug.getregistry()["hamel.no_environment"] then return end
  local path = folder .. "/hamel/init.lua"
  local file = io.open(path)
  if not file then return end
  file:close()
  local f, message = loadfile(path, "t", session)
  local fine, problem, stopped = false, message, false
  if f then fine, problem, stopped = editor.call(f) end
  if not fine then io.stderr:write("start-up file: ", stopped and "interrupted" or tostring(problem), "\n") end
end

return function(editor)
  local session = sessions.new()
  start_up(editor, session)
  local inputs, done = {}, {}
  session.save_session = saver(done)
  local remember = history.keeper(editor, function(message) io.stderr:write(message, "\n") end)
  local callbacks = {
    incomplete = sessions.is_incomplete,
    complete = function(word, line, start)
      local keys = complete.keys(word, line:sub(1, start))
      return #keys > 0 and keys or complete.candidates(word, { session, _G, session.hm }, line:sub(1, start))
    end,
  }
  history.load(editor)
  if core.host.is_terminal "stdin" then
    print("Hamel " .. core.version .. ", analytical dynamics in Lua 5.4. hm is the library; help() helps, Ctrl-D leaves.")
  end
  while true do
    local text = editor.read(callbacks, "> ")
    if not text then break end
    if text:match("%S") then
      remember(text)
      run_line(editor, session, text, inputs, done)
    end
  end
  print()
end
