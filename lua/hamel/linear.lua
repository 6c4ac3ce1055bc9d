-- linear.lua: linear systems with symbolic coefficients by elimination; structural zeros are skipped, nothing is simplified.
local core = require "hamel.core"
local object = require "hamel.object"

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
    if p > n then object.fail("%s", singular or ("the linear system is singular: column %d has no pivot"):format(k)) end
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

local EXACT, SECONDS = 6, 0.3          -- size and time up to which a system is solved by exact algebra

--- The same by exact algebra: small expressions, one condition, the determinant; beyond its limits by elimination.
---@return table X one list per column of B
---@return table conditions what must not vanish
function linear.solve_exactly(A, B)
  local n = #A
  if n == 0 then return {}, {} end
  if n > EXACT then return linear.solve(A, B) end
  local flat, right = {}, {}
  for i = 1, n do
    for j = 1, n do flat[#flat + 1] = A[i][j] end
    for k, column in ipairs(B) do right[(i - 1)*#B + k] = column[i] end
  end
  local fine, entries, determinant = pcall(core.solve_linear, n, flat, right, { seconds = SECONDS })
  if not fine then return linear.solve(A, B) end
  local X = {}
  for k = 1, #B do
    X[k] = {}
    for i = 1, n do X[k][i] = entries[(i - 1)*#B + k] end
  end
  return X, { determinant }
end

linear.vanishes = vanishes

return linear
