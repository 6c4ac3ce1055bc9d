-- matrix.lua: matrices of expressions: product, transpose, determinant, inverse, printing; Jacobian and Hessian.
local core = require "hamel.core"
local object = require "hamel.object"
local algebra = require "hamel.algebra"

local fail = object.fail
local Matrix = object.class "Matrix"

local function entry(e, i, j)
  if type(e) == "number" then return core.number(e) end
  if not core.is_expression(e) then fail("matrix: entry (%d, %d) is a %s, not an expression", i, j, type(e)) end
  return e
end

--- A matrix from rows: hm.matrix{ {a, b}, {c, d} }. M[i][j] is an entry, #M the number of rows; + - * work.
function Matrix.new(rows)
  if type(rows) ~= "table" or type(rows[1]) ~= "table" then fail("hm.matrix takes a list of rows, as in hm.matrix{ {a, b}, {c, d} }") end
  local result = { columns = #rows[1] }
  for i, row in ipairs(rows) do
    if #row ~= result.columns then fail("matrix: row %d has %d entries, row 1 has %d", i, #row, result.columns) end
    result[i] = {}
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

function Matrix.meta.__mul(a, b)
  if not is_matrix(a) then return b:map(function(e) return a*e end) end
  if not is_matrix(b) then return a:map(function(e) return e*b end) end
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

--- Determinant of a square matrix, in short form.
function Matrix:determinant()
  return core.determinant(square(self, "the determinant"), flat(self))
end

--- Solution X of self X = B (a matrix), and the determinant that must not vanish; a third result when that could not be decided.
function Matrix:solve(B)
  local n = square(self, "a solution")
  if not is_matrix(B) or #B ~= n then fail("matrix: the right side of a solution needs %d rows", n) end
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
function Matrix:diff(x) return self:map(function(e) return core.diff(e, x) end) end

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
