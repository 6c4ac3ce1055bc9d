-- products.lua: eigenvalues of a product of matrices without the product, in which small ones would drown beside large ones.
--
-- Sweeps of QR decompositions: A_i Q_i = Q_(i+1) R_i from one matrix to the next, again and again. In the basis Q_1 the product is S R_N ... R_1 with
-- S = Q_1^T Q_(N+1), which becomes block diagonal: a block for each group of eigenvalues of nearly one modulus. Within a block the product is formed, as
-- soon as its singular values are of similar size.
-- Matrices may lead through spaces of several dimensions. The sweeps start in the smallest one; all further eigenvalues are zero.
-- Sources: Bojanczyk, Golub and Van Dooren, SPIE 1770 (1992), on periodic Schur forms; Stewart, Numer. Math. 25 (1976), on orthogonal iteration.
local core = require "hamel.core"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"

local products = {}

local MOST, SPLIT = 120, 1e-15         -- sweeps; what counts as zero in S
local SPREAD = 1e6                     -- of the singular values of a matrix, up to which its least eigenvalues are known to ten digits

--- The matrix of changes along unit directions: a row for each direction, a column for each change.
function products.between(basis, changes)
  local A = {}
  for a, u in ipairs(basis) do
    A[a] = {}
    for b, d in ipairs(changes) do A[a][b] = tangent.dot(u, d) end
  end
  return A
end

--- The lengths of changes, each at least that of the direction it comes from: what runs miss of a change is relative to it.
function products.lengths(changes)
  local list = {}
  for k, d in ipairs(changes) do list[k] = math.max(1, math.sqrt(tangent.dot(d, d))) end
  return list
end

--- The length of the longest of the changes of these lengths: small ones beside it are errors of the run.
function products.longest(lengths) return math.max(1, table.unpack(lengths)) end

--- Do the singular values of a matrix differ so much that the least are rounding? size: of what the matrix was taken from, where that is larger, as
--- directions that shrink along a run, or turn towards the motion, leave less than the errors of the run.
function products.is_spread(A, size)
  local n, m, flat = #A, #(A[1] or {}), {}
  if n == 0 or m == 0 then return false end
  if n ~= m then return true end
  for _, row in ipairs(A) do
    for _, value in ipairs(row) do if not (math.abs(value) < math.huge) then return true end end
    table.move(row, 1, n, #flat + 1, flat)
  end
  local values = core.singular(n, n, flat)
  return math.max(values[1], size or 0) > SPREAD*values[n]
end

-- A times the columns of Q, each a list
local function applied(A, Q)
  local list = {}
  for k, q in ipairs(Q) do
    list[k] = {}
    for i, row in ipairs(A) do list[k][i] = tangent.dot(row, q) end
  end
  return list
end

-- Columns as orthonormal columns Q times an upper triangular R (rows). A column that vanishes beside the others is replaced by another direction
local function decomposed(columns)
  local n, Q, R = #columns[1], {}, {}
  for k = 1, #columns do
    R[k] = {}
    for j = 1, #columns do R[k][j] = 0.0 end
  end
  for k, column in ipairs(columns) do
    local size = math.sqrt(tangent.dot(column, column))
    for _ = 1, 2 do
      for j, q in ipairs(Q) do
        local part = tangent.dot(q, column)
        R[j][k] = R[j][k] + part
        for i = 1, n do column[i] = column[i] - part*q[i] end
      end
    end
    local length = math.sqrt(tangent.dot(column, column))
    if length > 1e-300 and length > 1e-15*size then
      R[k][k] = length
      for i = 1, n do column[i] = column[i]/length end
      Q[k] = column
    else
      Q[k] = tangent.basis(Q, n)[1]
    end
  end
  return Q, R
end

local function product_of(rows, next_rows)
  local list = {}
  for i, row in ipairs(rows) do
    list[i] = {}
    for k = 1, #rows do
      list[i][k] = 0.0
      for j, value in ipairs(row) do if value ~= 0 then list[i][k] = list[i][k] + value*next_rows[j][k] end end
    end
  end
  return list
end

-- The block of a matrix between two places
local function block(rows, from, to)
  local list = {}
  for i = from, to do list[i - from + 1] = table.move(rows[i], from, to, 1, {}) end
  return list
end

-- Where S may be cut: the last places of its blocks
local function cuts_of(S)
  local n, list = #S, {}
  for k = 1, n - 1 do
    local most = 0
    for i = k + 1, n do for j = 1, k do most = math.max(most, math.abs(S[i][j]), math.abs(S[j][i])) end end
    if most <= SPLIT*n then list[#list + 1] = k end
  end
  list[#list + 1] = n
  return list
end

-- How exactly the product within a block is known, relative to it: errors of the entries of each matrix beside the least diagonal entry of its triangle, as
-- those of runs that follow one another
local function relative_error(triangles, errors, from, to)
  local sum = 0
  for i, R in ipairs(triangles) do
    local least = math.huge
    for k = from, to do least = math.min(least, math.abs(R[k][k])) end
    sum = sum + (errors[i] > 0 and errors[i]/least or 0)^2
  end
  return math.sqrt(sum)
end

-- What an eigenvalue may be at most whose product is zero, as its entries in the triangles are or underflow: with the errors in place of smaller entries
local function least_of(triangles, errors, k)
  local logarithm = 0
  for i, R in ipairs(triangles) do logarithm = logarithm + math.log(math.max(math.abs(R[k][k]), errors[i], 1e-300)) end
  return math.exp(logarithm)
end

-- The products within the blocks of S, { matrix, error = of its entries }; as a second result, whether one of them is spread
local function blocks_of(S, triangles, errors)
  local list, from, spread = {}, 1, false
  for k, to in ipairs(cuts_of(S)) do
    local M, largest = block(S, from, to), 0
    for i = #triangles, 1, -1 do M = product_of(M, block(triangles[i], from, to)) end
    for _, row in ipairs(M) do for _, value in ipairs(row) do largest = math.max(largest, math.abs(value)) end end
    list[k] = { matrix = M, error = largest > 0 and relative_error(triangles, errors, from, to)*largest or least_of(triangles, errors, from) }
    from, spread = to + 1, spread or to > from and products.is_spread(M)
  end
  return list, spread
end

-- First directions, none special
local function first(n)
  local columns = {}
  for k = 1, n do
    columns[k] = {}
    for i = 1, n do columns[k][i] = math.sin(1 + 0.7*i*k + 0.3*k*k) + (i == k and 1 or 0) end
  end
  return (decomposed(columns))
end

-- The matrices in turn from the one that starts in the smallest space, with their errors, and its dimension; the last of them ends there
local function from_smallest(list, errors)
  local sizes, best = {}, 1
  for i = 1, #list do
    -- columns of a matrix are rows of the one before
    sizes[i] = #list[(i - 2) % #list + 1]
    if sizes[i] < sizes[best] then best = i end
  end
  local turned, turned_errors = {}, {}
  for i = 1, #list do
    local k = (best + i - 2) % #list + 1
    turned[i], turned_errors[i] = list[k], errors[k] or 0.0
  end
  return turned, turned_errors, sizes[best], sizes[1]
end

-- A B by rows
local function multiplied(A, B)
  local rows = {}
  for a, row in ipairs(A) do
    rows[a] = {}
    for k = 1, #(B[1] or {}) do
      local sum = 0.0
      for j, value in ipairs(row) do sum = sum + value*B[j][k] end
      rows[a][k] = sum
    end
  end
  return rows
end

-- Lists of the products of all matrices before each one, and of all behind it
local function beside_each(list)
  local before, behind = { tangent.unit_vectors(#(list[1][1] or {})) }, {}
  for i = 2, #list do before[i] = multiplied(list[i - 1], before[i - 1]) end
  behind[#list] = tangent.unit_vectors(#list[#list])
  for i = #list - 1, 1, -1 do behind[i] = multiplied(behind[i + 1], list[i + 1]) end
  return before, behind
end

local ROUNDING = 2^-52

-- The errors of the product A_N ... A_1 where each entry of a matrix has its own, as large as those of its column (errors[i], a list): as those of core.eigen,
-- and the largest of an entry
local function noise_of(list, errors)
  local before, behind = beside_each(list)
  local m, n, left, right, count, most = #list[#list], #(list[1][1] or {}), {}, {}, 0, 0
  local sums = {}
  for a = 1, m do left[a] = {} end
  for i, A in ipairs(list) do
    local passed, size = {}, 0
    for k = 1, n do
      passed[k] = 0.0
      for b, error in ipairs(errors[i]) do passed[k] = passed[k] + error*math.abs(before[i][b][k]) end
      size = math.max(size, passed[k])
      passed[k] = passed[k]/ROUNDING
    end
    for a = 1, m do
      for l = 1, #A do
        left[a][count + l] = behind[i][a][l]
        sums[a] = (sums[a] or 0) + math.abs(behind[i][a][l])*size
      end
      most = math.max(most, sums[a])
    end
    for _ = 1, #A do table.move(passed, 1, n, #right + 1, right) end
    count = count + #A
  end
  local flat = {}
  for _, row in ipairs(left) do table.move(row, 1, count, #flat + 1, flat) end
  return { count, flat, right }, most
end

--- The eigenvalues { re, im, uncertainty } of A_N ... A_1 from the product, where this does not hide the small ones; nil: it does. errors: of the entries of
--- each column of each matrix.
function products.eigenvalues_of_whole(list, errors)
  local whole = list[1]
  for i = 1, #list do
    if #list[i] == 0 then return nil end
    whole = i == 1 and whole or multiplied(list[i], whole)
  end
  if products.is_spread(whole) then return nil end
  local noise, most = noise_of(list, errors)
  return states.bounded_eigenvalues(whole, most, noise)
end

--- The eigenvalues { re, im, uncertainty } of A_N ... A_1. list: A_1, ..., A_N, each by rows; A_N ends in the space in which A_1 starts. errors: of the entries
--- of each (nil: none). One whose absolute value is no larger than its uncertainty is not determined.
function products.eigenvalues(list, errors)
  local n, whole
  list, errors, n, whole = from_smallest(list, errors or {})
  local values = {}
  for k = 1, whole - n do values[k] = { re = 0.0, im = 0.0, uncertainty = 0.0 } end
  if n == 0 then return values end
  local Q, triangles, blocks = first(n), {}, nil
  for _ = 1, MOST do
    local start, S = Q, {}
    for i, A in ipairs(list) do Q, triangles[i] = decomposed(applied(A, Q)) end
    for i, q in ipairs(start) do
      S[i] = {}
      for k, p in ipairs(Q) do S[i][k] = tangent.dot(q, p) end
    end
    local spread
    blocks, spread = blocks_of(S, triangles, errors)
    if not spread then break end
  end
  for _, item in ipairs(blocks) do
    for _, value in ipairs(states.bounded_eigenvalues(item.matrix, item.error)) do values[#values + 1] = value end
  end
  return values
end

return products
