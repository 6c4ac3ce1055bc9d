-- matrix.lua: matrices of expressions: product, transpose, determinant, inverse, printing; Jacobian and Hessian.
local answer = require "hamel.base.answer"
local core = require "hamel.core"
local object = require "hamel.base.object"
local algebra = require "hamel.algebra"
local linear = require "hamel.algebra.linear"

local fail = object.fail
local Matrix = object.class "Matrix"

local function entry(e, i, j)
  if type(e) == "number" then return core.number(e) end
  if not core.is_expression(e) then fail("matrix: entry (%d, %d) is a %s, not an expression", i, j, type(e)) end
  return e
end

--- A matrix from rows: hm.matrix{ {a, b}, {c, d} }. M[i][j] is an entry (an expression, numbers too), #M the number of rows. Sums, differences
--- and products of matrices, products with an expression or a number on either side and quotients by one work.
function Matrix.new(rows)
  if type(rows) ~= "table" or type(rows[1]) ~= "table" then fail("hm.matrix takes a list of rows, as in hm.matrix{ {a, b}, {c, d} }") end
  local result = { columns = #rows[1] }
  for i, row in ipairs(rows) do
    if #row ~= result.columns then fail("matrix: row %d has %d entries, row 1 has %d", i, #row, result.columns) end
    result[i] = answer.shown{}
    for j = 1, result.columns do result[i][j] = entry(row[j], i, j) end
  end
  return setmetatable(result, Matrix.meta)
end

local function is_matrix(v) return getmetatable(v) == Matrix.meta end

--- The n x n identity.
function Matrix.identity(n)
  if math.type(n) ~= "integer" or n < 1 or n > 1000 then fail("identity: the size is a whole number from 1 to 1000, not %s", tostring(n)) end
  local rows = {}
  for i = 1, n do
    rows[i] = {}
    for j = 1, n do rows[i][j] = core.rational(i == j and 1 or 0) end
  end
  return Matrix.new(rows)
end

--- Every entry replaced by f(entry, i, j).
function Matrix:map(f)
  if type(f) ~= "function" then fail("map takes a function of an entry, its row and its column, not %s", type(f)) end
  local rows = {}
  for i = 1, #self do
    rows[i] = {}
    for j = 1, self.columns do rows[i][j] = f(self[i][j], i, j) end
  end
  return Matrix.new(rows)
end

local function same_shape(a, b, what)
  if not is_matrix(a) or not is_matrix(b) then fail("matrix: a matrix %s something else", what) end
  if #a ~= #b or a.columns ~= b.columns then fail("matrix: %d x %d %s %d x %d", #a, a.columns, what, #b, b.columns) end
end

function Matrix.meta.__add(a, b)
  same_shape(a, b, "+")
  return a:map(function(e, i, j) return e + b[i][j] end)
end

function Matrix.meta.__sub(a, b)
  same_shape(a, b, "-")
  return a:map(function(e, i, j) return e - b[i][j] end)
end

function Matrix.meta.__unm(a) return a:map(function(e) return -e end) end

local function scalar(v, what)
  if type(v) ~= "number" and not core.is_expression(v) then fail("matrix: a matrix %s a %s; an expression, a number or a matrix is expected", what, type(v)) end
  return v
end

function Matrix.meta.__div(a, b)
  if is_matrix(b) then fail("matrix: there is no quotient by a matrix; B:solve(A) solves B X = A, B:inverse() inverts") end
  scalar(b, "divided by")
  return a:map(function(e) return e/b end)
end

function Matrix.meta.__pow() fail("matrix: there is no power of a matrix; write M*M, or M:inverse()") end

function Matrix.meta.__mul(a, b)
  if not is_matrix(a) then
    scalar(a, "times")
    return b:map(function(e) return a*e end)
  end
  if not is_matrix(b) then
    scalar(b, "times")
    return a:map(function(e) return e*b end)
  end
  if a.columns ~= #b then fail("matrix: %d x %d times %d x %d", #a, a.columns, #b, b.columns) end
  local rows = {}
  for i = 1, #a do
    rows[i] = {}
    for j = 1, b.columns do
      local terms = {}
      for k = 1, a.columns do terms[k] = a[i][k]*b[k][j] end
      rows[i][j] = core.sum(terms)
    end
  end
  return Matrix.new(rows)
end

function Matrix.meta.__eq(a, b)
  if not is_matrix(a) or not is_matrix(b) or #a ~= #b or a.columns ~= b.columns then return false end
  for i = 1, #a do for j = 1, a.columns do if a[i][j] ~= b[i][j] then return false end end end
  return true
end

--- Rows become columns.
function Matrix:transpose()
  local rows = {}
  for j = 1, self.columns do
    rows[j] = {}
    for i = 1, #self do rows[j][i] = self[i][j] end
  end
  return Matrix.new(rows)
end

local function flat(m)
  local list = {}
  for i = 1, #m do table.move(m[i], 1, m.columns, #list + 1, list) end
  return list
end

local function square(m, what)
  if #m ~= m.columns then fail("matrix: %s of a %d x %d matrix", what, #m, m.columns) end
  return #m
end

-- ---- inexact numbers, which exact algebra refuses

-- The inexact numbers in matrices: how many, the smallest and the largest size
local function inexact(...)
  local stack, met, least, most = {}, {}, nil, nil
  for _, m in ipairs{ ... } do table.move(flat(m), 1, #m*m.columns, #stack + 1, stack) end
  while #stack > 0 do
    local e = table.remove(stack)
    if not met[e] then
      met[e] = true
      local size = core.kind(e) == "float" and math.abs(core.number_value(e))
      if size then
        most = math.max(most or 0, size)
        if size > 0 then least = math.min(least or size, size) end
      end
      table.move(core.operands(e), 1, #core.operands(e), #stack + 1, stack)
    end
  end
  return most ~= nil, least or 1, most
end

local RANGE = 1000                     -- powers of two of an inexact number

-- Determinants are sums of products of n entries: refuses those that may leave the range of inexact numbers
local function demand_range(n, ...)
  local _, least, most = inexact(...)
  local far = math.abs(math.log(least, 2)) > math.abs(math.log(most, 2)) and least or most
  if n*math.abs(math.log(far, 2)) > RANGE then
    fail("matrix: products of %d numbers such as %.3g may be out of the range of inexact numbers; take other units, or exact numbers", n, far)
  end
end

-- Rows of numbers; nil where a symbol occurs among them
local function numeric(m)
  local rows = {}
  for i = 1, #m do
    rows[i] = {}
    for j = 1, m.columns do
      rows[i][j] = core.number_value(m[i][j])
      if not rows[i][j] then return nil end
    end
  end
  return rows
end

local ROUNDING = 2.0^-52

-- x 2^e, where 2^e alone may be out of range
local function scaled(x, e)
  local half = e//2
  return x*2.0^half*2.0^(e - half)
end

-- Exponent e with 1/2 <= |x| 2^-e < 1, roughly
local function exponent(x) return math.ceil(math.log(math.abs(x), 2)) end

-- Powers of two that bring the largest entry of each row, then of each column, near one; nil where one is zero
local function equilibrate(A)
  local n, rows, columns = #A, {}, {}
  for i = 1, n do
    local largest = 0
    for j = 1, n do largest = math.max(largest, math.abs(A[i][j])) end
    if largest == 0 then return nil end
    rows[i] = -exponent(largest)
  end
  for j = 1, n do
    local largest
    for i = 1, n do
      local e = A[i][j] ~= 0 and exponent(A[i][j]) + rows[i]
      if e and (not largest or e > largest) then largest = e end
    end
    if not largest then return nil end
    columns[j] = -largest
  end
  return rows, columns
end

-- Scales the rows of right-hand sides, then each of these to a largest entry near one: the powers of two taken out
local function scale_sides(B, rows)
  local sides = {}
  for c = 1, #B[1] do
    local largest
    for i = 1, #B do
      local e = B[i][c] ~= 0 and exponent(B[i][c]) + rows[i]
      if e and (not largest or e > largest) then largest = e end
    end
    sides[c] = largest or 0
    for i = 1, #B do
      local value = scaled(B[i][c], rows[i] - sides[c])
      if value == 0 and B[i][c] ~= 0 then
        fail("matrix: the right-hand side has numbers too far apart in size, as %.3g; take other units, or exact numbers", B[i][c])
      end
      B[i][c] = value
    end
  end
  return sides
end

-- The number m 2^e; nil where it is too large, or too small to have all its digits
local function in_range(m, e)
  local value = scaled(m, e)
  if math.abs(value) == math.huge or (m ~= 0 and math.abs(value) < 0x1p-1022) then return nil end
  return value
end

-- Gauss's elimination of the matrix, brought to entries near one, with pivots compared in size; B is changed into the solution. Mantissa and
-- exponent of the determinant; zero where a pivot vanishes within rounding
local function eliminate(A, B)
  local n, m, e = #A, 1.0, 0
  local rows, columns = equilibrate(A)
  if not rows then return 0.0, 0 end
  for i = 1, n do
    for j = 1, n do A[i][j] = scaled(A[i][j], rows[i] + columns[j]) end
    e = e - rows[i] - columns[i]
  end
  local sides = scale_sides(B, rows)
  for k = 1, n do
    local p = k
    for i = k + 1, n do if math.abs(A[i][k]) > math.abs(A[p][k]) then p = i end end
    if math.abs(A[p][k]) <= n*ROUNDING then return 0.0, 0 end
    if p ~= k then
      A[k], A[p], B[k], B[p] = A[p], A[k], B[p], B[k]
      m = -m
    end
    m = m*A[k][k]
    local by = exponent(m)
    m, e = scaled(m, -by), e + by
    for i = k + 1, n do
      local factor = A[i][k]/A[k][k]
      for j = k, n do A[i][j] = A[i][j] - factor*A[k][j] end
      for j = 1, #B[i] do B[i][j] = B[i][j] - factor*B[k][j] end
    end
  end
  for i = n, 1, -1 do
    for c = 1, #B[i] do
      for j = i + 1, n do B[i][c] = B[i][c] - A[i][j]*B[j][c] end
      B[i][c] = B[i][c]/A[i][i]
    end
  end
  for i = 1, n do
    for c = 1, #B[i] do
      local value = scaled(B[i][c], columns[i] + sides[c])
      if math.abs(value) == math.huge or (value == 0 and B[i][c] ~= 0) then
        fail("matrix: entry (%d, %d) of the solution is out of the range of inexact numbers; take other units, or exact numbers", i, c)
      end
      B[i][c] = value
    end
  end
  return m, e
end

local singular = "matrix: the matrix is singular: its determinant is zero"

-- Numbers by elimination, expressions that hold inexact numbers by determinants
local function solve_inexactly(self, B)
  local numbers, right = numeric(self), numeric(B)
  if numbers and right then
    local m, e = eliminate(numbers, right)
    if m == 0 then fail("%s within rounding", singular) end
    local determinant = in_range(m, e)
    return Matrix.new(right), determinant and core.number(determinant)
  end
  demand_range(#self, self, B)
  local columns = {}
  for j = 1, B.columns do columns[j] = B:column(j) end
  local X, conditions = linear.solve_by_determinants(self, columns)
  if not X then fail("%s, or it is too large for inexact numbers among symbols: give exact ones, as hm.rational(1, 3)", singular) end
  local determinant = conditions[1]
  return Matrix.new(X):transpose(), determinant, not core.known_positive(determinant) and algebra.conditional(determinant) or nil
end

--- Determinant of a square matrix, in short form. Of inexact numbers it is computed in double precision, with pivots.
function Matrix:determinant()
  local n = square(self, "the determinant")
  if not inexact(self) then return core.determinant(n, flat(self)) end
  local numbers, nothing = numeric(self), {}
  for i = 1, n do nothing[i] = {} end
  if numbers then
    local m, e = eliminate(numbers, nothing)
    local determinant = in_range(m, e)
      or fail("matrix: the determinant, %s1e%d about, is out of the range of inexact numbers; take other units, or exact numbers",
        m < 0 and "-" or "", math.floor((e + math.log(math.abs(m), 2))*math.log(2, 10) + 0.5))
    return core.number(determinant)
  end
  demand_range(n, self)
  local _, conditions = linear.solve_by_determinants(self, {})
  return conditions and conditions[1] or core.rational(0)
end

--- Solution X of self X = B (a matrix), and the determinant that must not vanish; a third result when that could not be decided. Inexact
--- numbers are solved in double precision, with pivots compared in size; a matrix that is singular within rounding is an error. The determinant of
--- inexact numbers is nil where it is out of the range of such numbers, as 1e-400.
function Matrix:solve(B)
  local n = square(self, "a solution")
  if not is_matrix(B) or #B ~= n then fail("matrix: the right side of a solution is a matrix of %d rows", n) end
  if inexact(self, B) then return solve_inexactly(self, B) end
  local X, determinant, regular = core.solve_linear(n, flat(self), flat(B))
  local rows = {}
  for i = 1, n do rows[i] = table.move(X, (i - 1)*B.columns + 1, i*B.columns, 1, {}) end
  return Matrix.new(rows), determinant, not regular and algebra.conditional(determinant) or nil
end

--- The inverse, and the determinant that must not vanish; a third result when that could not be decided.
function Matrix:inverse() return self:solve(Matrix.identity(square(self, "the inverse"))) end

--- Every entry simplified, replaced, differentiated, as in e:simplify, e:subs, e:diff.
function Matrix:simplify(given) return self:map(function(e) return (e:simplify(given)) end) end
function Matrix:subs(map) return self:map(function(e) return e:subs(map) end) end
function Matrix:diff(x) return self:map(function(e) return e:diff(x) end) end

--- One column as a list.
function Matrix:column(j)
  local list = {}
  for i = 1, #self do list[i] = self[i][j] end
  return list
end

function Matrix.meta.__tostring(m)
  local text, width = {}, {}
  for i = 1, #m do
    text[i] = {}
    for j = 1, m.columns do
      text[i][j] = core.text(m[i][j])
      width[j] = math.max(width[j] or 0, utf8.len(text[i][j]) or #text[i][j])
    end
  end
  local lines = {}
  for i = 1, #m do
    local cells = {}
    for j = 1, m.columns do cells[j] = text[i][j] .. (" "):rep(width[j] - (utf8.len(text[i][j]) or #text[i][j])) end
    lines[i] = "[ " .. table.concat(cells, "  ") .. " ]"
  end
  return table.concat(lines, "\n")
end

--- The matrix as a pmatrix in LaTeX.
function Matrix:latex()
  local lines = {}
  for i = 1, #self do
    local cells = {}
    for j = 1, self.columns do cells[j] = core.latex(self[i][j]) end
    lines[i] = table.concat(cells, " & ")
  end
  return "\\begin{pmatrix}\n" .. table.concat(lines, " \\\\\n") .. "\n\\end{pmatrix}"
end

--- Jacobian of a list of expressions with respect to a list of symbols: J[i][k] = de_i/dx_k.
function Matrix.jacobian(list, xs)
  if core.is_expression(list) then list = { list } end
  if type(list) ~= "table" then fail("jacobian takes a list of expressions and a list of symbols, not %s", type(list)) end
  local rows = {}
  for i, e in ipairs(list) do rows[i] = core.gradient(e, xs) end
  return Matrix.new(rows)
end

--- Second derivatives of an expression with respect to a list of symbols.
function Matrix.hessian(e, xs) return Matrix.jacobian(core.gradient(e, xs), xs) end

return Matrix
