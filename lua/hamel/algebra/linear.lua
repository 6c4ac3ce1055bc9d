-- linear.lua: linear systems with symbolic coefficients: by exact algebra, by determinants, by elimination. Structural zeros are skipped.
--
-- A pivot of an elimination can vanish where the matrix is regular, and the solution then has a singular place of its own. Exact algebra
-- and determinants divide by the determinant alone, so that the order of the rows decides nothing.
local core = require "hamel.core"
local failure = require "hamel.base.failure"
local protected = require "hamel.base.protected"

local linear = {}

local function zero(e) return core.number_value(e) == 0 end

-- Zero though it does not look like it: a pivot must not be that
local function vanishes(e)
  local value = core.number_value(e)
  if value then return value == 0 end
  return #core.symbols{ e } > 0 and e:is_zero() == true
end

--- Solves A X = B for a square list of rows A and a list of right-hand columns B; every pivot taken is assumed not to vanish.
--- The pivot is the first entry of its column that does not vanish identically.
---@param singular string? said where there is no pivot
---@return table X one list per column of B
---@return table pivots
function linear.solve(A, B, singular)
  local n, pivots = #A, {}
  local rows = {}
  for i = 1, n do
    rows[i] = table.move(A[i], 1, n, 1, {})
    for k, column in ipairs(B) do rows[i][n + k] = column[i] end
    for j = 1, n + #B do rows[i][j] = type(rows[i][j]) == "number" and core.number(rows[i][j]) or rows[i][j] end
  end
  for k = 1, n do
    local p = k
    while p <= n and vanishes(rows[p][k]) do p = p + 1 end
    if p > n then failure.raise("singular", "%s", singular or ("the linear system is singular: column %d has no pivot"):format(k)) end
    rows[k], rows[p] = rows[p], rows[k]
    pivots[k] = rows[k][k]
    for i = k + 1, n do
      if not zero(rows[i][k]) then
        local factor = rows[i][k]/pivots[k]
        for j = k + 1, n + #B do
          if not zero(rows[k][j]) then rows[i][j] = rows[i][j] - factor*rows[k][j] end
        end
      end
    end
  end
  local X = {}
  for c = 1, #B do
    local x = {}
    for i = n, 1, -1 do
      local terms = { rows[i][n + c] }
      for j = i + 1, n do
        if not zero(rows[i][j]) and not zero(x[j]) then terms[#terms + 1] = -rows[i][j]*x[j] end
      end
      x[i] = core.sum(terms)/pivots[i]
    end
    X[c] = x
  end
  return X, pivots
end

-- ---- by determinants

-- Columns with an entry in each row, rows with few entries last; sign: of the permutation
local function sorted_rows(A, B)
  local n, rows = #A, {}
  for i = 1, n do
    local row = { entries = {}, place = i }
    for j = 1, n + #B do
      local e = j <= n and A[i][j] or B[j - n] and B[j - n][i]
      if type(e) == "number" then e = core.number(e) end
      if not zero(e) then row.entries[#row.entries + 1] = { bit = 1 << (j - 1), value = e } end
    end
    rows[i] = row
  end
  table.sort(rows, function(a, b)
    if #a.entries ~= #b.entries then return #a.entries > #b.entries end
    return a.place < b.place
  end)
  local sign = 1
  for i = 1, n do
    for j = i + 1, n do if rows[i].place > rows[j].place then sign = -sign end end
  end
  return rows, sign
end

local function count_bits_above(set, bit)
  local count, rest = 0, set & ~(bit | (bit - 1))
  while rest ~= 0 do count, rest = count + 1, rest & (rest - 1) end
  return count
end

local TOO_LONG = {}                    -- raised where the determinants would take too many products

-- A function (r, set) -> determinant of the first r rows in the columns of the set (a bit each), false where it is structurally zero.
-- Expansion along the last row; every determinant is formed once
local function determinants(rows, most_products)
  local known, products = { [0] = core.rational(1) }, 0
  local function determinant(r, set)
    if known[set] ~= nil then return known[set] end
    local terms = {}
    for _, entry in ipairs(rows[r].entries) do
      local minor = set & entry.bit ~= 0 and determinant(r - 1, set & ~entry.bit)
      if minor then
        products = products + 1
        if products > most_products then error(TOO_LONG, 0) end
        terms[#terms + 1] = count_bits_above(set, entry.bit) % 2 == 0 and entry.value*minor or -(entry.value*minor)
      end
    end
    local sum = #terms > 0 and core.sum(terms) or false
    known[set] = sum and not zero(sum) and sum or false
    return known[set]
  end
  return determinant
end

local MOST_COLUMNS, MOST_PRODUCTS = 62, 3000

--- The same by Cramer's rule; nil where that takes too many products or the matrix has no determinant.
---@return table? X one list per column of B
---@return table? conditions the determinant
function linear.solve_by_determinants(A, B)
  local n = #A
  if n + #B > MOST_COLUMNS then return nil end
  local rows, sign = sorted_rows(A, B)
  local determinant = determinants(rows, MOST_PRODUCTS)
  local all = (1 << n) - 1
  local fine, X, D = protected(function()
    local D = determinant(n, all)
    if not D or vanishes(D) then return nil end
    local X = {}
    for k = 1, #B do
      local bit, x = 1 << (n + k - 1), {}
      for i = 1, n do
        -- column i is replaced by the right-hand side, which is last: n - i exchanges
        local numerator = determinant(n, all & ~(1 << (i - 1)) | bit)
        x[i] = not numerator and core.rational(0) or ((n - i) % 2 == 0 and numerator or -numerator)/D
      end
      X[k] = x
    end
    return X, sign < 0 and -D or D
  end)
  if not fine and X ~= TOO_LONG then error(X, 0) end
  if not fine or not X then return nil end
  return X, { D }
end

-- ---- by exact algebra

local EXACT, EFFORT = 6, 0.3           -- size and effort up to which a system is solved by exact algebra

local function by_algebra(A, B)
  local n = #A
  if n > EXACT then return nil end
  local flat, right = {}, {}
  for i = 1, n do
    for j = 1, n do flat[#flat + 1] = A[i][j] end
    for k, column in ipairs(B) do right[(i - 1)*#B + k] = column[i] end
  end
  local fine, entries, determinant = protected(core.solve_linear, n, flat, right, { effort = EFFORT })
  if not fine then return nil end
  local X = {}
  for k = 1, #B do
    X[k] = {}
    for i = 1, n do X[k][i] = entries[(i - 1)*#B + k] end
  end
  return X, { determinant }
end

--- Solves A X = B in small expressions with one condition, the determinant: by exact algebra, beyond its limits and for inexact numbers
--- by determinants; where these are too long by elimination, whose pivots are conditions each.
---@return table X one list per column of B
---@return table conditions what must not vanish
function linear.solve_exactly(A, B)
  if #A == 0 then return {}, {} end
  local X, conditions = by_algebra(A, B)
  if not X then X, conditions = linear.solve_by_determinants(A, B) end
  if not X then return linear.solve(A, B) end
  return X, conditions
end

linear.vanishes = vanishes

--- Column of each row by elimination: constant pivots first, then the shortest entry; later coordinates before earlier ones;
--- with `latest` the latest coordinate whatever the entry. nil: the rows depend on each other
function linear.choose_columns(rows, n, latest)
  local work, columns = {}, {}
  for k, row in ipairs(rows) do work[k] = table.move(row, 1, n, 1, {}) end
  local taken, done = {}, {}
  for _ = 1, #rows do
    local best_k, best_j, best_cost
    for k = 1, #rows do
      for j = n, 1, -1 do
        local value = core.number_value(work[k][j])
        if not done[k] and not taken[j] and value ~= 0 and not linear.vanishes(work[k][j]) then
          -- a sign does not make an entry longer
          local cost = latest and -j or value and 0 or math.min(core.tree_size(work[k][j]), core.tree_size(-work[k][j]))
          if not best_cost or cost < best_cost then best_k, best_j, best_cost = k, j, cost end
        end
      end
    end
    if not best_k then return nil end
    taken[best_j], done[best_k] = true, true
    columns[#columns + 1] = best_j
    for k = 1, #rows do
      if not done[k] and core.number_value(work[k][best_j]) ~= 0 then
        local factor = work[k][best_j]/work[best_k][best_j]
        for j = 1, n do work[k][j] = work[k][j] - factor*work[best_k][j] end
      end
    end
  end
  table.sort(columns)
  return columns
end

return linear
