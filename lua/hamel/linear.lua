-- linear.lua: linear systems with symbolic coefficients by elimination; structural zeros are skipped, nothing is simplified.
local core = require "hamel.core"
local object = require "hamel.object"

local linear = {}

local function zero(e) return core.number_value(e) == 0 end

--- Solves A X = B for a square list of rows A and a list of right-hand columns B; every pivot taken is assumed not to vanish.
--- The pivot is the first entry of its column that is not the number 0.
---@return table X one list per column of B
---@return table pivots
function linear.solve(A, B)
  local n, pivots = #A, {}
  local rows = {}
  for i = 1, n do
    rows[i] = table.move(A[i], 1, n, 1, {})
    for k, column in ipairs(B) do rows[i][n + k] = column[i] end
    for j = 1, n + #B do rows[i][j] = type(rows[i][j]) == "number" and core.number(rows[i][j]) or rows[i][j] end
  end
  for k = 1, n do
    local p = k
    while p <= n and zero(rows[p][k]) do p = p + 1 end
    if p > n then object.fail("the linear system is singular: column %d has no pivot", k) end
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

return linear
