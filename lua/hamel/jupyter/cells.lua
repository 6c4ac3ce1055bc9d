-- cells.lua: a cell as a chunk: what stands before its last expression runs, the values of that expression are shown.
local object = require "hamel.base.object"
local sessions = require "hamel.repl.session"

local cells = {}

-- Comments alone are none
local function is_expression(text) return load("return __values(nil,\n" .. text .. "\n)", "=cell", "t") ~= nil end

-- Statements, and the expression behind them, whose values are returned. No line is added: messages count lines
local function joined(before, last) return sessions.without_const(before) .. ";__keep() return __values(" .. last .. "\n)" end

-- A semicolon in a comment parts nothing
local function split_at_semicolon(text)
  local before, last = sessions.split_last(text)
  if before and load(joined(before, last), "=cell", "t") then return before, last end
end

-- Line breaks from the bottom, and the last semicolons: what is before is statements, what is behind is an expression, be it a call or not
local function split(text)
  local at = #text + 1
  while true do
    at = text:sub(1, at - 1):find "\n[^\n]*$"
    if not at then return split_at_semicolon(text) end
    local before, last = text:sub(1, at), text:sub(at + 1)
    if is_expression(last) and load(before, "=cell", "t") then return before, last end
  end
end

--- A cell in parts: the statements, "" where there are none, and the expression behind them, nil where there is none; is its value hidden?
function cells.parts(text)
  local hidden = text:find ";%s*$" ~= nil
  local body = text:gsub(";%s*$", "")
  if body:find "%S" and is_expression(body) then return "", body, hidden end
  local before, last = split(body)
  if before then return before, last, hidden end
  return body, nil, hidden
end

--- The function of a cell and whether a final semicolon hides its value; or nil and what is wrong.
---@param name string of the chunk, for messages
function cells.compile(text, session, name)
  local hidden = text:find ";%s*$" ~= nil
  local body = text:gsub(";%s*$", "")
  local chunk = load("return __values(" .. body .. "\n)", name, "t", session)
  if not chunk then
    local before, last = split(body)
    if before then chunk = load(joined(before, last), name, "t", session) end
  end
  if chunk then return chunk, hidden end
  local message
  chunk, message = sessions.compile(body, session, name)
  return chunk, chunk and hidden or message
end

--- Is a value of a cell shown? What io.write returns is no result.
function cells.is_shown(value) return value ~= nil and value ~= io.stdout and value ~= io.stderr and not object.is_a(value, "Output") end

--- "complete", "incomplete" or "invalid".
function cells.state(text)
  local body = text:gsub(";%s*$", "")
  if load("return " .. body, "=cell", "t") or load(body, "=cell", "t") or split(body) then return "complete" end
  return sessions.is_incomplete(text) and "incomplete" or "invalid"
end

return cells
