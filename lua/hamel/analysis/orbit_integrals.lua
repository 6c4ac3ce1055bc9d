-- orbit_integrals.lua: are the conditions of a closed orbit integrals of its equations? Proved by exact algebra from the equations alone.
--
-- With M a = r + A^T lambda, A a = -b and any w, nu with M w + A^T nu = dF/dv,
--   dF/dt = dF/dq k + dF/dv a = dF/dq k + w r - nu b + lambda (A w).
-- F is an integral where A w and the rest vanish on the conditions with the value zero. These conditions may need each other: where the velocities that they
-- determine have a regular matrix, all rates are smooth combinations of them, and they stay zero together. As the motion is analytic, it is enough that
-- the matrix is regular at one of its states. Where it is singular, they may leave their value: x x' = 0 holds at x = 0 with any velocity.
local core = require "hamel.core"
local linear = require "hamel.algebra.linear"
local protected = require "hamel.base.protected"
local vanishing = require "hamel.algebra.vanishing"

local orbit_integrals = {}

--- The equations with the values of the parameters in them, but those known within bounds, M and A as rows.
function orbit_integrals.at_values(problem)
  local from, to = {}, {}
  for _, item in ipairs(problem.parameters) do
    if not item[3] and not core.is_ball(item[2]) then from[#from + 1], to[#to + 1] = item[1], item[2] end
  end
  local function all(list)
    local out = {}
    for i, e in ipairs(list) do out[i] = core.substitute(type(e) == "number" and core.number(e) or e, from, to) end
    return out
  end
  local n, m, lower, flat = #problem.dyn, #problem.b, all(problem.M), all(problem.A)
  local M, A = {}, {}
  for i = 1, n do M[i] = {} end
  for i = 1, n do
    for j = 1, i do M[i][j] = lower[i*(i - 1)//2 + j] M[j][i] = M[i][j] end
  end
  for k = 1, m do A[k] = table.move(flat, (k - 1)*n + 1, k*n, 1, {}) end
  local conditions = {}
  for i, c in ipairs(problem.conditions) do conditions[i] = { name = c.name, f = all{ c.f }[1], target = c.target, integral = c.integral } end
  return { kin = problem.kin, dyn = problem.dyn, k = all(problem.k), M = M, A = A, r = all(problem.r), b = all(problem.b), conditions = conditions }
end

local function dot(x, y)
  local terms = { core.rational(0) }
  for i = 1, #x do terms[#terms + 1] = x[i]*y[i] end
  return core.sum(terms)
end

local function product(rows, x)
  local out = {}
  for i, row in ipairs(rows) do out[i] = dot(row, x) end
  return out
end

local function differences(x, y)
  local out = {}
  for i = 1, #x do out[i] = x[i] - y[i] end
  return out
end

-- The velocities that the conditions of value zero determine: symbols, their expressions, and the matrix of these equations. Conditions linear in the
-- velocities count
local function determined(P)
  local rows, right = {}, {}
  for _, c in ipairs(P.conditions) do
    local row = c.integral and core.number_value(c.target) == 0 and core.gradient(c.f, P.dyn)
    local fine = row and not vanishing.all(row)
    for _, e in ipairs(row or {}) do fine = fine and vanishing.all(core.gradient(e, P.dyn)) end
    if fine then
      rows[#rows + 1] = row
      right[#right + 1] = -vanishing.without(c.f, P.dyn)
    end
  end
  local columns = #rows > 0 and linear.choose_columns(rows, #P.dyn)
  if not columns then return {}, {} end
  local square, dependent, is_dependent = {}, {}, {}
  for i, j in ipairs(columns) do dependent[i], is_dependent[j] = P.dyn[j], true end
  for i, row in ipairs(rows) do
    square[i] = {}
    for k, j in ipairs(columns) do square[i][k] = row[j] end
    for j, s in ipairs(P.dyn) do if not is_dependent[j] then right[i] = right[i] - row[j]*s end end
  end
  return dependent, (linear.solve_exactly(square, { right }))[1], square
end

-- w and nu with M w + A^T nu = G: the shapes of the usual integrals first
local function weights(P, G)
  local n, m = #P.dyn, #P.b
  local none_w, none_nu = vanishing.zeros(n), vanishing.zeros(m)
  if vanishing.all(G) then return none_w, none_nu end
  for k, row in ipairs(P.A) do
    if vanishing.all(differences(G, row)) then
      none_nu[k] = core.rational(1)
      return none_w, none_nu
    end
  end
  if vanishing.all(differences(product(P.M, P.dyn), G)) then return P.dyn, none_nu end
  local rows, right = {}, {}
  for i = 1, n do
    rows[i], right[i] = table.move(P.M[i], 1, n, 1, {}), G[i]
    for k = 1, m do rows[i][n + k] = P.A[k][i] end
  end
  for k = 1, m do
    rows[n + k], right[n + k] = table.move(P.A[k], 1, n, 1, {}), core.rational(0)
    for l = 1, m do rows[n + k][n + l] = core.rational(0) end
  end
  local x = (linear.solve_exactly(rows, { right }))[1]
  return table.move(x, 1, n, 1, {}), table.move(x, n + 1, n + m, 1, {})
end

local function is_integral(P, f, dependent, values)
  local w, nu = weights(P, core.gradient(f, P.dyn))
  local rest = product(P.A, w)
  rest[#rest + 1] = dot(core.gradient(f, P.kin), P.k) + dot(w, P.r) - dot(nu, P.b)
  for i, e in ipairs(rest) do rest[i] = core.substitute(e, dependent, values) end
  return vanishing.all(rest)
end

--- The name of a condition that is not shown to be an integral of the equations; nil: all are. Then a matrix of expressions, rows, that has to be regular at
--- a state of the motion; nil: none has to be.
function orbit_integrals.refuted(problem)
  local P = orbit_integrals.at_values(problem)
  local dependent, values, square = determined(P)
  local needed
  for _, c in ipairs(P.conditions) do
    if c.integral then
      local fine, shown = protected(is_integral, P, c.f, {}, {})
      if not (fine and shown) then
        fine, shown = protected(is_integral, P, c.f, dependent, values)
        needed = square
      end
      if not (fine and shown) then return c.name end
    end
  end
  return nil, needed
end

--- Is such a matrix proved regular, with values_at(list) -> the values of expressions as balls? nil: none has to be, which is as good.
function orbit_integrals.is_regular(square, values_at, bits)
  if not square then return true end
  local rows, unit = {}, {}
  for i, row in ipairs(square) do rows[i], unit[i] = values_at(row), { core.ball("0", 2) } end
  return core.ball_solve(rows, unit, bits) ~= nil
end

orbit_integrals.SINGULAR = "the conditions of value zero do not determine velocities at the state, so that they are not shown to keep that value"

return orbit_integrals
