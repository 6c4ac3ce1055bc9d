-- print.lua: values as the prompt shows them: own printing first, tables to a limited depth, numbers that read back.
local core = require "hamel.core"
local object = require "hamel.base.object"
local unicode = require "hamel.repl.unicode"
local wrap = require "hamel.repl.wrap"

local printer = {}

local DEPTH, ITEMS, WIDTH = 3, 60, 100                                   -- WIDTH: where no terminal tells its own
local LINES = 60                                                         -- of a text by itself
local DRESSED = false                                                    -- does the terminal show Unicode?

local format

local function key_text(k)
  if type(k) == "string" and k:match("^[%a_][%w_]*$") then return k end
  return "[" .. format(k, 1, {}) .. "]"
end

-- Entries with commas in between: one per line, or lines filled up where all are short
local function lines_of(parts, width)
  local longest = 0
  for _, part in ipairs(parts) do longest = math.max(longest, part:find("\n") and width or #part) end
  if longest > width//3 then width = 0 end
  local lines = {}
  for i, part in ipairs(parts) do
    if i < #parts then part = part .. "," end
    if #lines > 0 and #lines[#lines] + 1 + #part <= width then lines[#lines] = lines[#lines] .. " " .. part
    else lines[#lines + 1] = part end
  end
  return lines
end

-- Array part first, then the other keys in order of their text
local function table_text(t, depth, seen)
  if seen[t] then return "{cycle}" end
  if depth >= DEPTH then return next(t) == nil and "{}" or "{...}" end
  seen[t] = true
  local parts, n = {}, #t
  for i = 1, math.min(n, ITEMS) do parts[i] = format(rawget(t, i), depth + 1, seen) end
  -- a list whose entries also have names, as S.constraints, is shown as a list
  local keys, listed = {}, {}
  for i = 1, n do
    local item = rawget(t, i)
    if type(item) == "table" then listed[item] = true end
  end
  for k, v in next, t do
    if not (math.type(k) == "integer" and k >= 1 and k <= n) and not listed[v] then keys[#keys + 1] = k end
  end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for i, k in ipairs(keys) do
    if i > ITEMS then break end
    parts[#parts + 1] = key_text(k) .. " = " .. format(rawget(t, k), depth + 1, seen)
  end
  local more = math.max(0, n - ITEMS) + math.max(0, #keys - ITEMS)
  if more > 0 then parts[#parts + 1] = ("... %d more"):format(more) end
  seen[t] = nil
  local line = "{" .. table.concat(parts, ", ") .. "}"
  if #line + 2*depth <= WIDTH and not line:find("\n") then return line end
  local indent = ("  "):rep(depth + 1)
  return "{\n" .. indent .. table.concat(lines_of(parts, WIDTH - #indent), "\n" .. indent) .. "\n" .. ("  "):rep(depth) .. "}"
end

function format(v, depth, seen)
  local kind = type(v)
  if kind == "number" then return math.type(v) == "integer" and tostring(v) or object.number(v) end
  if kind == "string" then return depth == 0 and v or ("%q"):format(v):gsub("\\\n", "\\n") end
  local meta = debug.getmetatable(v)
  if kind == "table" and not (type(meta) == "table" and rawget(meta, "__tostring")) then return table_text(v, depth, seen) end
  if kind == "function" and depth > 0 then return "function" end
  local fine, text = pcall(tostring, v)
  if not fine then return "(printing failed: " .. tostring(text) .. ")" end
  local formula = DRESSED and type(meta) == "table" and not rawget(meta, "__plain") and (kind == "userdata" or kind == "table")
  return formula and unicode.dress(text) or text
end

-- A long text from its beginning
local function brief(text)
  local _, lines = text:gsub("\n", "\n")
  if lines <= LINES then return text end
  local at = 0
  for _ = 1, LINES - 10 do at = text:find("\n", at + 1, true) end
  return ("%s\n... %d lines more; print(ans) shows them all"):format(text:sub(1, at - 1), lines - LINES + 11)
end

--- Text of a value at the prompt: what its metatable's __prompt says, else its own printing.
function printer.text(v)
  local meta = debug.getmetatable(v)
  local own = type(v) == "table" and type(meta) == "table" and rawget(meta, "__prompt")
  WIDTH, DRESSED = core.host.width() or 100, unicode.wanted()
  if own then return DRESSED and unicode.dress(own(v)) or own(v) end
  if type(v) == "string" then return brief(v) end
  local text = format(v, 0, {})
  local formula = meta and not (type(meta) == "table" and rawget(meta, "__plain")) and (type(v) == "userdata" or type(v) == "table")
  return formula and core.host.width() and wrap.text(text, WIDTH) or text
end

return printer
