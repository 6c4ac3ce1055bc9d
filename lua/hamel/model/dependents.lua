-- dependents.lua: which velocities the constraints determine best at one state, from the values of their rows df_k/dq' there.
local dependents = {}

-- Minors this much smaller than the largest pivots allow are replaced
local POOR = 1e-3

-- Rows of length one in coordinates scaled by `units`, the root of a coordinate's inertia (0: one)
local function scaled(values, n, m, units)
  local rows = {}
  for k = 1, m do
    local row, norm = {}, 0
    for j = 1, n do
      row[j] = values[(k - 1)*n + j]/(units[j] > 0 and units[j] or 1)
      norm = norm + row[j]^2
    end
    if not (norm > 0 and norm < math.huge) then return nil end
    for j = 1, n do row[j] = row[j]/math.sqrt(norm) end
    rows[k] = row
  end
  return rows
end

-- Eliminates with the largest pivot among the allowed columns: these columns and the product of the pivots' sizes
local function eliminate(rows, n, allowed)
  local work, columns, size, taken = {}, {}, 1, {}
  for k, row in ipairs(rows) do work[k] = table.move(row, 1, n, 1, {}) end
  for step = 1, #work do
    local best_k, best_j, best = step, nil, 0
    for k = step, #work do
      for j = 1, n do
        if not taken[j] and (not allowed or allowed[j]) and math.abs(work[k][j]) > best then best_k, best_j, best = k, j, math.abs(work[k][j]) end
      end
    end
    if not best_j then return columns, 0 end
    work[step], work[best_k] = work[best_k], work[step]
    taken[best_j], columns[step], size = true, best_j, size*best
    for k = step + 1, #work do
      local factor = work[k][best_j]/work[step][best_j]
      for j = 1, n do work[k][j] = work[k][j] - factor*work[step][j] end
    end
  end
  table.sort(columns)
  return columns, size
end

local LEAST = 1e-12                    -- rows whose pivots multiply to less depend on each other

--- The columns to solve for where the rows have these values, found by complete pivoting; nil where the given columns serve as well, or where
--- the rows depend on each other.
---@param values number[] the rows, m x n
---@param units number[] root of the inertia of each coordinate
---@param columns integer[] the choice so far
---@return integer[]?
function dependents.better(values, n, m, units, columns)
  local rows, allowed = scaled(values, n, m, units), {}
  if not rows then return nil end
  for _, j in ipairs(columns) do allowed[j] = true end
  local best, largest = eliminate(rows, n)
  if largest < LEAST then return nil end
  local _, size = eliminate(rows, n, allowed)
  return size < POOR*largest and best or nil
end

return dependents
