-- answer.lua: results that are plain tables print their contents, at the prompt and in scripts: lists, records, labelled lines.
local core = require "hamel.core"
local protected = require "hamel.base.protected"

local answer = {}

local DEPTH, DRESSED, ITEMS, WIDTH = 3, 4, 60, 100
local LONG, UNREAD = 4000, 1e6         -- characters of a formula that is printed; nodes of one whose text is not even made

-- ---- the text of a table

-- The shortest decimal that reads back as the same double
local function number_text(x)
  if math.type(x) == "integer" then return tostring(x) end
  if x ~= x then return "nan" end
  if x == math.huge then return "inf" elseif x == -math.huge then return "-inf" end
  local text
  for digits = 15, 17 do
    text = ("%." .. digits .. "g"):format(x)
    if tonumber(text) == x then break end
  end
  return text
end

answer.number_text = number_text

local table_text

-- how: { width =, dress = function(text) that makes the text of a formula fit for a terminal }
local function format(v, depth, seen, how)
  local kind = type(v)
  if kind == "number" then return number_text(v) end
  if kind == "string" then return depth == 0 and v or ("%q"):format(v):gsub("\\\n", "\\n") end
  if kind == "function" and depth > 0 then return "function" end
  local meta = debug.getmetatable(v)
  meta = type(meta) == "table" and meta or {}
  if depth == 0 and kind == "table" and rawget(meta, "__empty") and next(v) == nil then return rawget(meta, "__empty") end
  local prints_itself = rawget(meta, "__tostring") and not (rawget(meta, "__answer") and (depth > 0 or rawget(meta, "__answer") == "plain"))
  if kind == "table" and not prints_itself then return table_text(v, depth, seen, how) end
  local fine, text = protected(tostring, v)
  if not fine then return "(printing failed: " .. tostring(text) .. ")" end
  local formula = how.dress and not rawget(meta, "__plain") and (kind == "userdata" or kind == "table")
  return formula and how.dress(text) or text
end

local function key_text(k, how)
  if type(k) == "string" and k:match("^[%a_][%w_]*$") then return k end
  return "[" .. format(k, 1, {}, how) .. "]"
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
function table_text(t, depth, seen, how)
  if seen[t] then return "{cycle}" end
  if depth >= DEPTH then return next(t) == nil and "{}" or "{...}" end
  seen[t] = true
  local parts, n = {}, #t
  for i = 1, math.min(n, ITEMS) do parts[i] = format(rawget(t, i), depth + 1, seen, how) end
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
    parts[#parts + 1] = key_text(k, how) .. " = " .. format(rawget(t, k), depth + 1, seen, how)
  end
  local more = math.max(0, n - ITEMS) + math.max(0, #keys - ITEMS)
  if more > 0 then parts[#parts + 1] = ("... %d more"):format(more) end
  seen[t] = nil
  local line = "{" .. table.concat(parts, ", ") .. "}"
  if #line + 2*depth <= how.width and not line:find("\n") then return line end
  local indent = ("  "):rep(depth + 1)
  return "{\n" .. indent .. table.concat(lines_of(parts, how.width - #indent), "\n" .. indent) .. "\n" .. ("  "):rep(depth) .. "}"
end

--- The text of any value: own printing first, tables to a limited depth, numbers that read back.
---@param how table? { width = columns, dress = function(text) for formulas }
function answer.text(v, how) return (format(v, 0, {}, how or { width = WIDTH })) end

--- The text of a table, also of one that prints as something else.
function answer.text_of_table(t) return table_text(t, 0, {}, { width = WIDTH }) end

-- ---- tables that print so

-- "plain": at the prompt, too, it is shown as a table, at the terminal's width
local function refuse_call() error(core.where() .. "a list or table of results is no function: write list[1] or list.name, without parentheses", 0) end

local plain = { __answer = "plain", __tostring = function(t) return answer.text(t) end, __call = refuse_call }

local dress

-- The plain tables among the fields of an object
local function dress_fields(object)
  for key, item in next, object do
    if type(item) == "table" and getmetatable(item) == nil and not (type(key) == "string" and key:byte() == 95) then dress(item, 2) end
  end
  return object
end

-- Tables inside a result print in the same way: print(M[1]). Entries of a list are alike, so the first one decides
function dress(v, depth)
  if type(v) ~= "table" then return v end
  local meta = getmetatable(v)
  if meta == nil then setmetatable(v, plain)
  elseif type(meta) ~= "table" then return v
  elseif rawget(meta, "__answer") ~= "described" then return depth == 1 and rawget(meta, "__names") and not rawget(meta, "__flat") and dress_fields(v) or v end
  if depth < DRESSED then
    local first = rawget(v, 1)
    if first ~= nil and type(first) ~= "table" and next(v, #v) == nil then return v end
    for _, item in next, v do if type(item) == "table" then dress(item, depth + 1) end end
  end
  return v
end

--- The same values; tables without a metatable among them print their contents from now on.
function answer.dressed(...)
  local first = ...
  if type(first) == "table" then dress(first, 1) end
  for i = 2, select("#", ...) do dress((select(i, ...)), 1) end
  return ...
end

--- The table of options, which prints its contents from now on: among its entries, only those that `given` has may be tables.
function answer.shown_options(o, given)
  for key in next, given do if type(o[key]) == "table" then dress(o[key], 3) end end
  return answer.shown(o)
end

--- f with its results dressed.
function answer.dressing(f) return function(...) return answer.dressed(f(...)) end end

--- The value; a table without a metatable prints its contents from now on, tables inside it as before.
function answer.shown(v)
  if type(v) == "table" and getmetatable(v) == nil then setmetatable(v, plain) end
  return v
end

--- The table, which prints as text(t); inside other tables as a list.
function answer.described(t, text)
  return setmetatable(t, { __answer = "described", __tostring = text, __call = refuse_call })
end

--- The list, which prints as a list, and as a sentence where it has no entries.
---@param empty string such as "no events"
function answer.or_none(list, empty)
  return setmetatable(list, { __answer = "plain", __empty = empty, __tostring = plain.__tostring, __call = refuse_call })
end

-- A text stands without quotation marks
local function value_text(v) return (format(v, type(v) == "string" and 0 or 1, {}, { width = WIDTH })) end

-- What is printed in place of a formula that is too long to be read; nil for others
local function abridged(v, advice)
  if not core.is_expression(v) then return nil end
  local nodes = core.tree_size(v)
  if nodes > UNREAD then return ("(too long to be printed: %.3g symbols, numbers and operations%s)"):format(nodes, advice or "") end
  local length = #tostring(v)
  return length > LONG and ("(too long to be printed: %d characters; tostring of the entry returns them%s)"):format(length, advice or "") or nil
end

--- The table, which prints as lines "label  value" below a heading where there is one.
---@param rows function(t) -> list of { label, value }
---@param empty string? the text where there are no rows
---@param advice string? what to do where a formula is too long to be printed
function answer.entries(t, rows, heading, empty, advice)
  advice = advice and "; " .. advice
  local described = answer.described(t, function()
    local list, out, width = rows(t), { heading }, 0
    if #list == 0 and empty then return empty end
    for _, row in ipairs(list) do width = math.max(width, #row[1]) end
    for _, row in ipairs(list) do
      out[#out + 1] = ("%s%-" .. width .. "s  %s"):format(heading and "  " or "", row[1], abridged(row[2], advice) or value_text(row[2]))
    end
    return table.concat(out, "\n")
  end)
  getmetatable(described).__blocks = function()
    local list = rows(t)
    for i, row in ipairs(list) do list[i] = { { name = row[1] }, abridged(row[2], advice) or core.is_expression(row[2]) and row[2] or value_text(row[2]) } end
    return { title = #list == 0 and empty or heading, rows = list, notes = {} }
  end
  return described
end

--- The list, which prints as a line "label  value" for each entry, below a heading where there is one; `empty` where it has no entries.
---@param labels string[]
function answer.labelled(list, labels, heading, empty, advice)
  return answer.entries(list, function(t)
    local rows = {}
    for i = 1, #t do rows[i] = { labels[i] or tostring(i), t[i] } end
    return rows
  end, heading, empty, advice)
end

return answer
