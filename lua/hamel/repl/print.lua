-- print.lua: values as the prompt shows them: own printing first, long texts from their beginning.
local answer = require "hamel.base.answer"
local core = require "hamel.core"
local help = require "hamel.book.help"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local unicode = require "hamel.repl.unicode"
local wrap = require "hamel.repl.wrap"

local printer = {}

local LINES, BYTES = 60, 20000                                            -- of a text by itself

-- The text up to a number of bytes, not ending inside a character
local function cut(text)
  local most = BYTES
  while most > BYTES - 4 and text:find("^[\128-\191]", most + 1) do most = most - 1 end
  return ("%s\n... %d bytes more; print(ans) shows them all"):format(text:sub(1, most), #text - most)
end

-- A long text from its beginning
local function brief(text)
  if #text > BYTES then return cut(text) end
  local _, lines = text:gsub("\n", "\n")
  if lines <= LINES then return text end
  local at = 0
  for _ = 1, LINES - 10 do at = text:find("\n", at + 1, true) end
  return ("%s\n... %d lines more; print(ans) shows them all"):format(text:sub(1, at - 1), lines - LINES + 11)
end

-- help, examples: what they print when they are called; other functions of the library by their page
local function text_of_function(f)
  if f == help.help or f == help.examples then return tostring(f()) end
  local fine, page = protected(help.help, f)
  if not fine then return "a function" end
  local width = core.host.width()
  return brief(width and wrap.prose(tostring(page), width) or tostring(page))
end

--- Text of a value at the prompt: its own printing; of a function its page.
function printer.text(v)
  if type(v) == "function" then return text_of_function(object.written(v)) end
  local meta = debug.getmetatable(v)
  local dress = unicode.wanted() and unicode.dress or nil
  if type(v) == "string" then return brief(v) end
  local text = answer.text(v, { width = core.host.width() or 100, dress = dress })
  if type(v) == "table" and type(meta) == "table" and rawget(meta, "__prose") and core.host.width() then return wrap.prose(text, core.host.width()) end
  local formula = meta and not (type(meta) == "table" and rawget(meta, "__plain")) and (type(v) == "userdata" or type(v) == "table")
  return formula and core.host.width() and wrap.text(text, core.host.width()) or text
end

return printer
