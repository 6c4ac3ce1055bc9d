-- definite.lua: functions that never change their sign: sums of squares and their kin. Set to zero they are no constraints, for their
-- derivative vanishes wherever they do.
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local protected = require "hamel.base.protected"
local vanishing = require "hamel.algebra.vanishing"

local definite = {}

local function contains(e, list) return #gradients.variables(e, list) > 0 end

local ranges = {
  sin = { -1, 1 }, cos = { -1, 1 }, tanh = { -1, 1 }, sign = { -1, 1 }, atan = { -2, 2 }, asin = { -2, 2 }, acos = { 0, 4 }, atan2 = { -4, 4 },
  abs = { 0, math.huge }, exp = { 0, math.huge }, cosh = { 1, math.huge }, acosh = { 0, math.huge },
}

-- 0 times infinity is 0: no value is infinite
local function times(a, b) return (a == 0 or b == 0) and 0 or a*b end

-- Bounds of e wherever it is real, by its form
local function bounds(e)
  local value = core.number_value(e)
  if value then return value, value end
  if core.known_positive(e) then return 0, math.huge end
  local kind, operands, low, high = core.kind(e), core.operands(e), -math.huge, math.huge
  if kind == "power" then
    local n = core.number_value(operands[2])
    if n and (n % 2 == 0 or (2*n) % 2 == 1 or bounds(operands[1]) >= 0) then low = 0 end
  elseif kind == "call" then
    low, high = table.unpack(ranges[core.name(e)] or { low, high })
  elseif kind == "sum" or kind == "product" then
    low, high = bounds(operands[1])
    for i = 2, #operands do
      local a, b = bounds(operands[i])
      if kind == "sum" then
        low, high = low + a, high + b
      else
        local corner = { times(low, a), times(low, b), times(high, a), times(high, b) }
        low, high = math.min(table.unpack(corner)), math.max(table.unpack(corner))
      end
    end
  end
  return low, high
end

local MARGIN = 1e-9                   -- for the rounding of bounds

local function nonnegative(e) return (bounds(e)) >= 0 end

-- What vanishes where a term does: the root of a power
local function root(e, variables)
  if core.kind(e) == "product" then
    for _, factor in ipairs(core.operands(e)) do if contains(factor, variables) then return root(factor, variables) end end
  end
  local inside = core.kind(e) == "power" or (core.kind(e) == "call" and core.name(e) == "abs")
  return inside and core.operands(e)[1] or e
end

-- For sign*e, a sum of terms none of which is negative: the factors that vanish with each, and whether one never does; nil for others
local function of_sum(e, sign, variables)
  local list, positive = {}, false
  for _, part in ipairs(core.kind(e) == "sum" and core.operands(e) or { e }) do
    local term = sign*part
    if not nonnegative(term) then return nil end
    if core.known_positive(term) then positive = true else list[#list + 1] = root(term, variables) end
  end
  return list, positive
end

local is_zero = vanishing.proved

-- Matrix of e as a quadratic polynomial in the variables and 1; nil where it is none
local function matrix_of(e, variables)
  if gradients.jump(e, variables) then return nil end
  local n, zeros, A = #variables, {}, {}
  for i = 1, n do zeros[i] = 0 end
  local gradient = core.gradient(e, variables)
  -- no sum of squares: the slope of abs(x) has the derivative zero, yet two values
  for i = 1, n do if gradients.jump(gradient[i], variables) then return nil end end
  for i, x in ipairs(variables) do
    -- e is linear in x, and has both signs: so are most constraints in their velocities
    if not contains(gradient[i], { x }) and not is_zero(gradient[i]) then return nil end
  end
  for i = 1, n do
    A[i] = core.gradient(gradient[i], variables)
    for j = 1, n do
      if contains(A[i][j], variables) then return nil end
      A[i][j] = A[i][j]/2
    end
    A[i][n + 1] = core.substitute(gradient[i], variables, zeros)/2
  end
  A[n + 1] = {}
  for i = 1, n do A[n + 1][i] = A[i][n + 1] end
  A[n + 1][n + 1] = core.substitute(e, variables, zeros)
  return A
end

-- sign*e as a sum of squares with factors that are not negative, by completing squares: the linear forms squared, and whether a positive constant
-- is left; nil for others
local function of_squares(e, sign, variables)
  local fine, A = protected(matrix_of, sign*e, variables)
  if not fine or not A then return nil end
  local list, n = {}, #A
  for k = 1, n do
    local pivot = core.simplify(A[k][k], "auto", nil, { effort = 0.2 })
    if is_zero(pivot) then
      for j = k + 1, n do if not is_zero(A[k][j]) then return nil end end
    elseif not nonnegative(pivot) then
      return nil
    elseif k == n then
      return list, core.known_positive(pivot)
    else
      local form = variables[k]
      for j = k + 1, n do form = form + A[k][j]/pivot*(variables[j] or 1) end
      list[#list + 1] = core.simplify(form, "auto", nil, { effort = 0.2 })
      for i = k + 1, n do
        for j = k + 1, n do A[i][j] = core.simplify(A[i][j] - A[i][k]*A[k][j]/pivot, "auto", nil, { effort = 0.2 }) end
      end
    end
  end
  return list, false
end

--- Is e, a function of the variables, never negative or never positive? Returns what vanishes wherever e does, and true where e is never zero;
--- nil where that is not seen.
function definite.parts(e, variables)
  variables = gradients.variables(e, variables)
  for _, finder in ipairs{ of_sum, of_squares } do
    for _, sign in ipairs{ 1, -1 } do
      local list, positive = finder(e, sign, variables)
      if list then return list, positive end
    end
  end
end

--- Is e seen to be never zero?
function definite.never_zero(e, variables)
  local low, high = bounds(e)
  if low > MARGIN or high < -MARGIN or core.known_positive(e) or core.known_positive(0 - e) then return true end
  local list, positive = definite.parts(e, variables)
  return list ~= nil and positive
end

return definite
