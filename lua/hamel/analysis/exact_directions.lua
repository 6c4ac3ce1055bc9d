-- exact_directions.lua: the directions that constraints leave free, with more digits than doubles have: states that are free, and how the others follow.
--
-- A first approximation along constraints is J on the directions u with R u = 0, which J maps to each other. In doubles these directions are rounded, so that
-- the largest entries of J hide eigenvalues that are 1e-16 times as large. Here R and its elimination are in double-double arithmetic: the states
-- that follow are u_P = C u_N, and the first approximation of the free ones is J_NN + J_NP C.
local double_double = require "hamel.analysis.double_double"
local tangent = require "hamel.analysis.tangent"

local exact_directions = {}

local DEPENDENT = 1e-10                 -- of a row: what is left of one that depends on the others

local sum, product = double_double.sum, double_double.product

-- The largest entry of the rows from `first` on in the columns that no pivot has, beside the size of its row
local function pivot_of(rows, sizes, first, taken)
  local best, at, column = DEPENDENT, nil, nil
  for a = first, #rows do
    for i, entry in ipairs(rows[a]) do
      if not taken[i] and math.abs(entry[1]) > best*sizes[a] then best, at, column = math.abs(entry[1])/sizes[a], a, i end
    end
  end
  return at, column
end

local function size_of(row)
  local size = 0
  for _, entry in ipairs(row) do size = math.max(size, math.abs(entry[1])) end
  return size
end

-- Rows with independent ones first, a unit entry in the column of each and zeros there in the others; the columns of the pivots, a list and a set
local function eliminated(rows)
  local sizes, columns, taken = {}, {}, {}
  for a, row in ipairs(rows) do sizes[a] = size_of(row) end
  for k = 1, #rows do
    local at, column = pivot_of(rows, sizes, k, taken)
    if not at then break end
    rows[k], rows[at], sizes[k], sizes[at] = rows[at], rows[k], sizes[at], sizes[k]
    columns[k], taken[column] = column, true
    local pivot = rows[k][column]
    for i, entry in ipairs(rows[k]) do rows[k][i] = double_double.quotient(entry, pivot) end
    for a, row in ipairs(rows) do
      local factor = a ~= k and double_double.negative(row[column])
      for i, entry in ipairs(factor and factor[1] ~= 0 and row or {}) do row[i] = sum(entry, product(factor, rows[k][i])) end
    end
  end
  return columns, taken
end

-- Rows of the constraints at a state
local function rows_at(E, observer, w, t, x, kept)
  local rows = {}
  for a, row in ipairs(tangent.constraint_rows(E, observer, w, t, x, kept, function(p, ...)
    return double_double.of_texts(observer:evaluate_quad(p, ...))
  end)) do
    for i, entry in ipairs(row) do row[i] = type(entry) == "table" and entry or double_double.of(entry) end
    rows[a] = row
  end
  return rows
end

--- The directions of the states at `kept` along the constraints of equations, as a function of a workspace, a time and a state: { free = places in the list
--- `kept`, bound = { { place, factors by free states }, ... } }; nil: there are no constraints.
function exact_directions.of(E, observer, kept)
  if #E.positions + #E.velocities == 0 then return nil end
  return function(w, t, x)
    local rows = rows_at(E, observer, w, t, x, kept)
    local columns, taken = eliminated(rows)
    local free, bound = {}, {}
    for i in ipairs(kept) do if not taken[i] then free[#free + 1] = i end end
    for k, column in ipairs(columns) do
      local factors = {}
      for a, i in ipairs(free) do factors[a] = double_double.negative(rows[k][i]) end
      bound[k] = { place = column, factors = factors }
    end
    return { free = free, bound = bound }
  end
end

--- The matrix of the free states, as two lists with its entries row by row: numbers are the sums of both. high, low: that of all n of them.
function exact_directions.reduced(directions, n, high, low)
  local a, b = {}, {}
  for _, i in ipairs(directions.free) do
    for k, j in ipairs(directions.free) do
      local place = (i - 1)*n + j
      local entry = double_double.of(high[place], low[place])
      for _, other in ipairs(directions.bound) do
        place = (i - 1)*n + other.place
        entry = sum(entry, product(double_double.of(high[place], low[place]), other.factors[k]))
      end
      a[#a + 1], b[#b + 1] = entry[1], entry[2]
    end
  end
  return a, b
end

--- A list { re, im } over the free states as one over all n.
function exact_directions.whole(directions, n, vector)
  local list = {}
  for i = 1, n do list[i] = { re = 0.0, im = 0.0 } end
  for a, i in ipairs(directions.free) do list[i] = { re = vector[a].re, im = vector[a].im } end
  for _, other in ipairs(directions.bound) do
    local e = list[other.place]
    for a, factor in ipairs(other.factors) do e.re, e.im = e.re + factor[1]*vector[a].re, e.im + factor[1]*vector[a].im end
  end
  return list
end

return exact_directions
