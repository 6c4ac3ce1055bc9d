-- rest_balance.lua: units for coordinates that are zero at a state of rest, from the equations alone.
--
-- Nothing says how large such a coordinate becomes. But where lengths and angles are both zero, their ratio follows from the linear equations: the units that
-- balance their matrix (Osborne's iteration), the size of each row off the diagonal that of the column. Where no coordinate has a size, a factor for all of
-- them is left: that up to which the matrix is nearly constant.
-- Source: Osborne, On pre-conditioning of matrices, Journal of the ACM 7 (1960) 338-345.
local attempt = require "hamel.base.attempt"

local rest_balance = {}

local NOTHING = 1e-12                   -- a smaller size is that of the rounding of a zero
local ROUNDING, NONE = 1e-13, 1e-28     -- of the largest entries of its row and of its column, and of all: a smaller entry is what terms leave that cancel
local SWEEPS, SETTLED = 100, 1e-2       -- of the iteration; the largest change of a logarithm in the last one
local ROUGH = 1e3                       -- units between 1/ROUGH and ROUGH count as 1
local FARTHEST, CHANGED = 12, 0.1       -- decades of the factor on both sides; relative change of the matrix

-- Zeros in place of the entries that are rounding
local function without_rounding(A)
  local by_row, by_column, most = {}, {}, 0
  for a, row in ipairs(A) do
    for b, value in ipairs(row) do
      by_row[a], by_column[b] = math.max(by_row[a] or 0, math.abs(value)), math.max(by_column[b] or 0, math.abs(value))
      most = math.max(most, math.abs(value))
    end
  end
  for a, row in ipairs(A) do
    for b, value in ipairs(row) do
      if math.abs(value) < math.max(ROUNDING*math.min(by_row[a], by_column[b]), NONE*most) then row[b] = 0.0 end
    end
  end
  return A
end

-- The derivatives of the rates of the states at these numbers (among those that are kept) by each other
local function matrix_at(self, y, numbers)
  local flow, A = self.flow, {}
  flow.w:set_state(flow.t, self.space.state(y))
  local flat = flow.w:jacobian()
  local size = math.floor(math.sqrt(#flat) + 0.5)
  for a, i in ipairs(numbers) do
    A[a] = {}
    for b, k in ipairs(numbers) do A[a][b] = flat[(flow.kept[i] - 1)*size + flow.kept[k]] end
  end
  return without_rounding(A)
end

-- Logarithms of the units that balance A; fixed: of those that are given, by numbers
local function balanced(A, fixed)
  local n, logs = #A, {}
  for i = 1, n do logs[i] = fixed[i] or 0.0 end
  for _ = 1, SWEEPS do
    local most = 0
    for i = 1, n do
      local row, column = 0.0, 0.0
      for k = 1, fixed[i] and 0 or n do
        if k ~= i then
          row = row + math.abs(A[i][k])*math.exp(logs[k] - logs[i])
          column = column + math.abs(A[k][i])*math.exp(logs[i] - logs[k])
        end
      end
      if row > 0 and column > 0 then
        local change = (math.log(row) - math.log(column))/2
        logs[i], most = logs[i] + change, math.max(most, math.abs(change))
      end
    end
    if most <= SETTLED then break end
  end
  return logs
end

-- The relative change from A to B in these units
local function difference(A, B, logs)
  local sum, all = 0.0, 0.0
  for i, row in ipairs(A) do
    for k, value in ipairs(row) do
      local factor = math.exp(logs[k] - logs[i])
      sum, all = sum + math.abs(B[i][k] - value)*factor, all + math.abs(value)*factor
    end
  end
  return sum/all
end

-- The logarithm of the factor by which the zero coordinates may grow together until the matrix changes; of linear equations that which makes the largest 1
local function common_factor(self, y, numbers, A, logs, zeros)
  local largest = -math.huge
  for a in pairs(zeros) do largest = math.max(largest, logs[a]) end
  for decade = -FARTHEST, FARTHEST do
    local moved, factor = table.move(y, 1, #y, 1, {}), decade*math.log(10) - largest
    for a in pairs(zeros) do moved[numbers[a]] = moved[numbers[a]] + math.exp(logs[a] + factor) end
    local fine, B = attempt(matrix_at, self, moved, numbers)
    if not fine or not (difference(A, B, logs) < CHANGED) then return factor end
  end
  return -largest
end

-- Does a symmetry along which motions turn move a coordinate? Nothing depends on it but by the others that turn, so that no equation says how large it is
local function turns(self, i)
  for _, u in ipairs(self.turns and self.turns.at or {}) do if u[i] ~= 0 then return true end end
  return false
end

--- Units of the coordinates that are zero at y, by their numbers among the kept states, where these are far from 1. known: the size of a state at a place, or
--- nil.
function rest_balance.of_zeros(self, y, known)
  local flow, count, held, numbers = self.flow, #self.flow.E.kin, {}, {}
  for _, place in ipairs(self.places) do held[place] = true end
  local fixed, zeros, any = {}, {}, false
  for i, place in ipairs(flow.kept) do
    if not held[i] and not (place <= count and turns(self, i)) then
      numbers[#numbers + 1] = i
      local size = math.max(math.abs(y[i]), place <= count and known(place) or 0)
      if place <= count and size > NOTHING then fixed[#numbers], any = math.log(size), true end
      if place <= count and not (size > NOTHING) then zeros[#numbers] = true end
    end
  end
  if not next(zeros) then return {} end
  local A = matrix_at(self, y, numbers)
  local logs, least, most = balanced(A, fixed), math.huge, -math.huge
  for a in pairs(zeros) do least, most = math.min(least, logs[a]), math.max(most, logs[a]) end
  local units = {}
  -- coordinates that agree with each other keep the unit 1
  if not any and most - least <= math.log(ROUGH) then return units end
  local factor = any and 0 or common_factor(self, y, numbers, A, logs, zeros)
  for a in pairs(zeros) do
    local unit = math.exp(logs[a] + factor)
    if unit < 1/ROUGH or unit > ROUGH then units[numbers[a]] = unit end
  end
  return units
end

return rest_balance
