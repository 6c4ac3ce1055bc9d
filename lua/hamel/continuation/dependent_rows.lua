-- dependent_rows.lua: equations that depend on each other along a family, as many as values are kept that choose one of its members. As many combinations of
-- the rows are left out, those whose derivatives vanish; that they vanish with the others is for the caller to check at every point.
local core = require "hamel.core"
local states = require "hamel.continuation.states"

local dependent_rows = {}

--- Unit combinations of the rows of a matrix that vanish nearly, as many as asked for, and all singular values, and the combinations that belong to them.
function dependent_rows.vanishing(rows, columns, count)
  local m, n, flat = math.max(#rows, columns), #rows, {}
  for i = 1, m do for k = 1, n do flat[#flat + 1] = i <= columns and rows[k][i] or 0.0 end end
  local values, vectors = core.singular(m, n, flat)
  local all, list = {}, {}
  for c = 1, n do
    all[c] = {}
    for i = 1, n do all[c][i] = vectors[(i - 1)*n + c] end
  end
  for c = 1, count do list[c] = all[n - c + 1] end
  return list, values, all
end

--- Combinations of the rows that count, all but `count` of them. before: { rows =, counted = the combinations } at a point near by, whose order they keep.
function dependent_rows.counted(rows, columns, count, before)
  local old = before or {}
  local left_out = dependent_rows.vanishing(old.rows or rows, columns, count)
  return states.directions(left_out, #rows, old.counted)
end

--- The sum of values times factors.
function dependent_rows.combined(list, values)
  local sum = 0.0
  for i, factor in ipairs(list) do sum = sum + factor*values[i] end
  return sum
end

--- Equations and their rows as those combinations of them.
function dependent_rows.applied(counted, values, rows, columns)
  local F, out = {}, {}
  for a, list in ipairs(counted) do
    F[a], out[a] = dependent_rows.combined(list, values), {}
    for k = 1, columns do
      out[a][k] = 0.0
      for i, factor in ipairs(list) do out[a][k] = out[a][k] + factor*rows[i][k] end
    end
  end
  return F, out
end

return dependent_rows
