-- message.lua: errors as the prompt shows them: the user's own line in place of a number, short traces.
local hints = require "hamel.book.hints"

local messages = {}

-- The place in the text of the token named in a syntax error
local function place_of(message, text)
  local token = message:match("near '(.*)'$")
  return token and text:find(token, 1, true) or #text
end

-- The line of the text that a message names
local function line_at(text, message)
  local number, k = tonumber(message:match ":(%d+): ") or 1, 0
  for line in (text .. "\n"):gmatch "(.-)\n" do
    k = k + 1
    if k == number then return line end
  end
  return text
end

-- Lua names a byte where the text has a letter outside ASCII
local function with_letter(message, text)
  local habit = hints.syntax(line_at(text, message), message)
  if habit then return message .. "; " .. habit end
  if not message:find("near '<\\%d+>'$") then return message end
  local word = text:match("[%w_]*[\194-\244][\128-\191]+[%w_\128-\244]*")
  if not word then return message end
  return ("'%s' cannot be a name in Lua: letters of names are ASCII; as a key write [\"%s\"] = ..."):format(word, word)
end

--- The message of the attempt that got further: as an expression, as statements.
function messages.syntax(text, as_value, as_statements)
  return with_letter(place_of(as_value, text) > place_of(as_statements, text) and as_value or as_statements, text)
end

local QUOTED = 70

-- At most n bytes of a text, not ending inside a character
local function utf8_cut(text, n)
  return (text:sub(1, n):gsub("[\194-\244][\128-\191]*$", ""))
end

--- Message and trace of an error. They name blocks "input 3": for a block of one line the place is useless, else its line is quoted.
---@param inputs string[] the blocks entered so far, the current one last
function messages.readable(message, inputs)
  local current = #inputs
  local function quoted(number, line)
    local k = 0
    for source in ((inputs[tonumber(number)] or "") .. "\n"):gmatch("(.-)\n") do
      k = k + 1
      source = source:match("^%s*(.-)%s*$")
      if k == tonumber(line) then return #source <= QUOTED and source or utf8_cut(source, QUOTED) .. " ..." end
    end
    return ""
  end
  -- the block just entered is visible above if it has one line
  local obvious = not inputs[current]:find("\n") and ("input %d:1: "):format(current)
  local what, trace = message:match("^(.-)(\n\tinput %d+:.*)$")
  what, trace = what or message, trace or ""
  local place, innermost, repeats = what:match("^input %d+:%d+: "), true, false
  local out = { "" }
  for level in trace:gmatch("\n\t([^\n]*)") do
    local at, name = level:match("^(input %d+:%d+: )(.*)$")
    if at then level = ("%s: %s"):format(name, quoted(at:match("(%d+):(%d+)"))) end
    -- the innermost level is in the message already
    local said = at and (at == obvious or innermost and at == place)
    innermost = false
    repeats = repeats or level == out[#out]
    if not said and level ~= out[#out] then out[#out + 1] = level end
  end
  if repeats then out[#out + 1] = "(levels that repeat the one above are left out)" end
  what = what:gsub("^input (%d+):(%d+): ", function(number, line)
    return obvious and tonumber(number) == current and "" or ("in '%s': "):format(quoted(number, line))
  end)
  return what .. hints.running(what) .. table.concat(out, "\n\t")
end

return messages
