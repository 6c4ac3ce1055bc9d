-- loop.lua: the prompt: reads whole chunks, keeps locals from line to line, prints values.
local complete = require "hamel.repl.complete"
local core = require "hamel.core"
local history = require "hamel.repl.history"
local object = require "hamel.object"
local printer = require "hamel.repl.print"

-- What the session defined; everything else comes from the globals. An unknown name is an error with the nearest known one.
local function new_session()
  local session = {}
  local allowed = { ans = true }
  setmetatable(session, { __index = function(_, name)
    local value = _G[name]
    if value ~= nil or type(name) ~= "string" or allowed[name] then return value end
    local known = object.keys(_G)
    for k in pairs(session) do if type(k) == "string" then known[#known + 1] = k end end
    local near = object.nearest(name, known)
    error(("'%s' is not defined%s"):format(name, near and (" (did you mean '%s'?)"):format(near) or ""), 2)
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

-- local x <const> = 5 is folded away by the compiler: the attribute is dropped
local function without_const(text)
  return (text:gsub("(local%s+[%w_]+%s*)<%s*const%s*>", "%1"))
end

local function is_incomplete(text)
  if load("return " .. text, "=stdin", "t") then return false end
  local f, message = load(text, "=stdin", "t")
  return f == nil and message:match("near '?<eof>'?$") ~= nil
end

-- A chunk for the text: an expression whose values are shown, or statements
local function compile(text, session)
  local f = load("return " .. text, "=stdin", "t", session)
  if f then return f, true end
  f = load(without_const(text) .. "\n__keep()", "=stdin", "t", session)
  if f then return f, false end
  local plain, message = load(text, "=stdin", "t", session)
  return plain, plain and false or message
end

local function show(results)
  for i = 2, results.n do print(printer.text(results[i])) end
end

local function run_line(editor, session, text)
  local silent = text:match(";%s*$") ~= nil
  local body = silent and text:gsub(";%s*$", "") or text
  local f, is_value = compile(body, session)
  if not f then
    io.stderr:write(tostring(is_value), "\n")
    return
  end
  local results = table.pack(editor.call(f))
  if not results[1] then
    io.stdout:flush()
    io.stderr:write(results[3] and "interrupted" or tostring(results[2]), "\n")
  elseif is_value then
    if results.n > 1 then rawset(session, "ans", results[2]) end
    if not silent then
      local printed = table.pack(editor.call(function() show(results) end))
      if not printed[1] then io.stderr:write(printed[3] and "interrupted" or tostring(printed[2]), "\n") end
    end
  end
end

local function start_up(session)
  local config, home = os.getenv "XDG_CONFIG_HOME", os.getenv "HOME"
  local folder = config and config ~= "" and config or home and home .. "/.config"
  if not folder or debug.getregistry()["hamel.no_environment"] then return end
  local path = folder .. "/hamel/init.lua"
  local file = io.open(path)
  if not file then return end
  file:close()
  local f, message = loadfile(path, "t", session)
  local fine, problem = pcall(f or error, message)
  if not fine then io.stderr:write("start-up file: ", tostring(problem), "\n") end
end

return function(editor)
  local session = new_session()
  session.hm = require "hamel"
  session.__keep = keeper(session)
  start_up(session)
  local remember = history.keeper(editor, function(message) io.stderr:write(message, "\n") end)
  local callbacks = {
    incomplete = is_incomplete,
    complete = function(word) return complete.candidates(word, { session, _G }) end,
  }
  history.load(editor)
  if core.host.is_terminal "stdin" then
    print("Hamel " .. core.version .. ", analytical dynamics in Lua 5.4. hm is the library; Ctrl-D leaves.")
  end
  while true do
    local text = editor.read(callbacks, "> ")
    if not text then break end
    if text:match("%S") then
      remember(text)
      run_line(editor, session, text)
    end
  end
  print()
end
