-- holes.lua: lists with a hole, as {1, nil, 2}, of which Lua may drop the rest without a word: looked for in all tables that users hand over.
local core = require "hamel.core"

local holes = {}

local DEEPEST = 6                      -- tables in tables that are looked into: bind_holes.c

local place

-- The hole with the first place by its text among the tables in t, so that the message does not depend on the order of keys
local function inside(t, depth)
  local first
  for key, value in next, t do
    if type(value) == "table" and not getmetatable(value) then
      local found = place(value, depth + 1)
      found = found and (type(key) == "string" and "." .. key or ("[%s]"):format(tostring(key))) .. found
      if found and (not first or found < first) then first = found end
    end
  end
  return first
end

function place(t, depth)
  local count, last, deeper = 0, 0, false
  for key, value in next, t do
    if math.type(key) == "integer" and key > 0 then
      count = count + 1
      if key > last then last = key end
    end
    deeper = deeper or type(value) == "table"
  end
  if count < last then
    local i = 1
    while t[i] ~= nil do i = i + 1 end
    return ("[%d]"):format(i)
  end
  return deeper and depth < DEEPEST and inside(t, depth) or nil
end

--- Where a table, or a table in it, has an entry that is nil before one that is not: "[2]", ".over[1][2]"; nil where none has. Tables with a
--- metatable are objects. Lua does not keep a nil at the end of a list.
function holes.place(t)
  if type(t) ~= "table" or getmetatable(t) then return nil end
  return place(t, 1)
end

--- What is wrong with the first argument that has a hole, in words; nil: none has. first: the number of the first argument in the words.
function holes.words(first, ...)
  if not core.has_hole(...) then return nil end
  for i = 1, select("#", ...) do
    local found = holes.place((select(i, ...)))
    if found then
      local named = found:match "^%.(.*)$"
      return (named or ("entry %s of argument %d"):format(found, first + i - 1))
        .. " is nil, so that the list has a gap; a name without a value is nil, and so is a misspelt one"
    end
  end
end

--- The number of the first argument that is nil; nil: none is.
function holes.argument(...)
  for i = 1, select("#", ...) do if (select(i, ...)) == nil then return i end end
end

return holes
