-- echelon.lua: reduced row echelon forms and null spaces of rows of expressions, generic in the symbols: pivots are assumed not to vanish.
local core = require "hamel.core"
local linear = require "hamel.algebra.linear"

local echelon = {}

local SECONDS = 1                      -- for one entry to become short

local function short(e) return (core.simplify(e, "auto", nil, { seconds = SECONDS })) end

echelon.short = short

--- Reduced row echelon form of rows; width: columns that may have pivots, which may be fewer than the entries of a row. Pivots: constants first,
--- then short entries, later columns before earlier ones. Rows without a pivot are dropped.
---@return table rows
---@return table pivots the column of each row
function echelon.reduce(rows, width)
  local kept, pivots = {}, {}
  for _, given in ipairs(rows) do
    local row = table.move(given, 1, #given, 1, {})
    for k, other in ipairs(kept) do
      local factor = row[pivots[k]]
      for j = 1, #row do row[j] = short(row[j] - factor*other[j]) end
    end
    local best, best_cost
    for j = width, 1, -1 do
      local value = core.number_value(row[j])
      if value ~= 0 and not linear.vanishes(row[j]) then
        local cost = value and 0 or core.tree_size(row[j])
        if not best or cost < best_cost then best, best_cost = j, cost end
      end
    end
    if best then
      local pivot = row[best]
      for j = 1, #row do row[j] = short(row[j]/pivot) end
      for k, other in ipairs(kept) do
        local factor = other[best]
        for j = 1, #row do kept[k][j] = short(other[j] - factor*row[j]) end
      end
      kept[#kept + 1], pivots[#pivots + 1] = row, best
    end
  end
  return kept, pivots
end

--- A basis of the columns c with rows c = 0.
---@param n integer entries of a row
function echelon.null_space(rows, n)
  local reduced, pivots = echelon.reduce(rows, n)
  local is_pivot, list = {}, {}
  for _, p in ipairs(pivots) do is_pivot[p] = true end
  for j = 1, n do
    if not is_pivot[j] then
      local c = {}
      for i = 1, n do c[i] = core.rational(i == j and 1 or 0) end
      for k, p in ipairs(pivots) do c[p] = -reduced[k][j] end
      list[#list + 1] = c
    end
  end
  return list
end

return echelon
