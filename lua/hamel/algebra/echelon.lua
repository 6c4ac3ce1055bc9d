-- echelon.lua: reduced row echelon forms and null spaces of rows of expressions, generic in the symbols: pivots are assumed not to vanish.
local core = require "hamel.core"
local linear = require "hamel.algebra.linear"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local echelon = {}

local EFFORT = 1                       -- for one entry to become short

local function short(e) return (core.simplify(e, "auto", nil, { effort = EFFORT })) end

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

local MOST = 200                       -- determinants compared to find the shortest

-- Calls visit(columns) for the choices of `count` columns out of n, up to MOST of them
local function each_choice(n, count, visit)
  local left, columns = MOST, {}
  local function extend(from)
    if left <= 0 then return end
    if #columns == count then
      left = left - 1
      return visit(table.move(columns, 1, count, 1, {}))
    end
    for j = from, n do
      columns[#columns + 1] = j
      extend(j + 1)
      columns[#columns] = nil
    end
  end
  extend(1)
end

-- The columns whose determinant is shortest, and that; accept: of a determinant, whether it may be taken
local function best_minor(rows, n, accept)
  local best, chosen, size = nil, nil, math.huge
  each_choice(n, #rows, function(columns)
    local flat = {}
    for _, row in ipairs(rows) do for _, j in ipairs(columns) do flat[#flat + 1] = row[j] end end
    local D = short(core.determinant(#rows, flat))
    if core.tree_size(D) < size and not linear.vanishes(D) and (not accept or accept(D)) then best, chosen, size = D, columns, core.tree_size(D) end
  end)
  return chosen, best
end

-- xi without those factors of D that all entries share
local function primitive(xi, D)
  for _, factor in ipairs(core.kind(D) == "product" and core.operands(D) or { D }) do
    local divided, whole = {}, true
    for a, e in ipairs(xi) do
      divided[a] = short(e/factor)
      local fine, _, below = protected(core.fraction, divided[a])
      whole = whole and fine and core.number_value(below) ~= nil
    end
    if whole then xi = divided end
  end
  return xi
end

--- The same without denominators: one column for each entry beside those of the shortest determinant. Slower, and shorter.
---@param accept? fun(determinant: any): boolean may it be taken? nil is returned where none may
function echelon.short_null_space(rows, n, accept)
  if #rows > 0 and #echelon.reduce(rows, n) < #rows then return echelon.null_space(rows, n) end
  local columns, D = {}, core.rational(1)
  if #rows > 0 then columns, D = best_minor(rows, n, accept) end
  if not columns then return nil end
  local list, square = {}, {}
  for k, row in ipairs(rows) do
    square[k] = {}
    for i, j in ipairs(columns) do square[k][i] = row[j] end
  end
  for j = 1, n do
    if not object.contains(columns, j) then
      local right, xi = {}, {}
      for k, row in ipairs(rows) do right[k] = -row[j]*D end
      for i = 1, n do xi[i] = core.rational(0) end
      for i, value in ipairs(#rows > 0 and linear.solve_exactly(square, { right })[1] or {}) do xi[columns[i]] = short(value) end
      xi[j] = D
      list[#list + 1] = primitive(xi, D)
    end
  end
  return list
end

return echelon
