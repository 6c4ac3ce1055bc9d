-- abbreviate.lua: rows of equations with names for the parts that they share: D1 = ..., so that long equations can be read.
local core = require "hamel.core"
local naming = require "hamel.algebra.naming"
local rebuild = require "hamel.algebra.rebuild"

local abbreviate = {}

local SHORT, SAVING = 12, 20           -- characters of a part that stays where it is; characters that a name must save

local function sides_of(rows)
  local list = {}
  for i, row in ipairs(rows) do list[2*i - 1], list[2*i] = row.left, row.right end
  return list
end

-- Number of places in the rows and in other parts where each part occurs
local function count_uses(roots)
  local uses, stack = {}, table.move(roots, 1, #roots, 1, {})
  while #stack > 0 do
    local e = table.remove(stack)
    uses[e] = (uses[e] or 0) + 1
    if uses[e] == 1 then table.move(core.operands(e), 1, #core.operands(e), #stack + 1, stack) end
  end
  return uses
end

local function is_worth(e, uses)
  local kind = core.kind(e)
  if (kind ~= "sum" and kind ~= "call" and kind ~= "power") or uses < 2 then return false end
  local length = #core.text(e)
  return length > SHORT and (uses - 1)*(length - 3) > SAVING
end

local function total_of(rows, parts)
  local total = 0
  for _, side in ipairs(sides_of(rows)) do total = total + #core.text(side) end
  for _, part in ipairs(parts) do total = total + #core.text(part.value) + #core.text(part.symbol) + 3 end
  return total
end

-- Parts that get a name, in an order in which each is made of earlier ones, and the rewritten rows; names: those given to the parts
local function named(rows, uses, names)
  local parts, known = {}, {}
  local rewritten = rebuild.by(function(e, original)
    if known[e] then return known[e] end
    if not is_worth(e, uses[original] or 1) then return nil end
    local symbol = core.symbol(names and names[#parts + 1] or ("D%d"):format(#parts + 1), 0)
    parts[#parts + 1], known[e] = { symbol = symbol, value = e }, symbol
    return symbol
  end)
  local short = {}
  for i, row in ipairs(rows) do short[i] = { name = row.name, of = row.of, left = rewritten(row.left), right = rewritten(row.right) } end
  return short, parts
end

--- Rows { name=, left=, right=, of= } with the parts that they share by names: the rows, a list of { symbol=, value= } whose values are made of
--- earlier symbols, and the numbers of characters of all before and after. Parts are named where that makes the text shorter.
function abbreviate.rows(system, rows)
  local before = total_of(rows, {})
  local uses = count_uses(sides_of(rows))
  local _, parts = named(rows, uses)
  local names = naming.free(system, { "D", "U", "W" }, naming.numbers(#parts))
  local short
  short, parts = named(rows, uses, names)
  local after = total_of(short, parts)
  if #parts == 0 or after >= before then return rows, {}, before, before end
  return short, parts, before, after
end

return abbreviate
