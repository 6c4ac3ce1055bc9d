-- completion.lua: the columns of a linear mapping from the constraints alone: Gram-Schmidt in the mass metric.
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local linear = require "hamel.algebra.linear"
local object = require "hamel.base.object"
local surface = require "hamel.geometry.surface"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local completion = {}

local function dot(a, b)
  local terms = {}
  for i = 1, #a do terms[i] = a[i]*b[i] end
  return core.sum(terms)
end

local function free_of_time(e) return core.diff(e, symbols.t):is_zero() == true end

--- The time as a function of the coordinates on a rheonomic constraint, t = f(x) (Wang 2019 (3)): the given expression when it is that,
--- else by solving a constraint that is linear in the time.
function completion.time_of(system, c, given, is_coordinate)
  if given then
    local e = system:check_expression(given, "linear_mapping: solved", 0)
    if not free_of_time(e) then
      fail("linear_mapping: solved = %s contains the time: it is t as a function of the coordinates", core.text(e))
    end
    if (e - symbols.t):is_zero() ~= true and surface.vanishes({ c.f }, e - symbols.t, is_coordinate) ~= true then
      fail("linear_mapping: t = %s does not hold on the constraint '%s'", core.text(e), c.name)
    end
    return e
  end
  local rate = core.diff(c.f, symbols.t)
  if not free_of_time(rate) or gradients.jump(c.f, { symbols.t }) then
    fail("linear_mapping: '%s' is not linear in t: give it solved for the time, solved = f(x)", c.name)
  end
  return (symbols.t - c.f/rate):simplify()
end

-- A column without common denominators and factors: its ratios to the first entry that is not zero, times their denominators
local function primitive(column)
  local first
  for _, e in ipairs(column) do if not first and e:is_zero() ~= true then first = e end end
  local scale, ratios = core.rational(1), {}
  for i, e in ipairs(column) do
    ratios[i] = (e/first):simplify()
    scale = scale*(ratios[i]*scale):denominator()
  end
  for i, e in ipairs(ratios) do column[i] = (e*scale):simplify() end
  return column
end

local function unit_list(n, k)
  local list = {}
  for i = 1, n do list[i] = core.rational(i == k and 1 or 0) end
  return list
end

-- Components of M^-1 e
local function raised(M, e) return linear.solve(M, { e })[1] end

local function pivots_of(M, columns) return linear.solve(M, columns, "linear_mapping: the constraints depend on each other") end

-- sum_k weights_k normals_k
local function combined(weights, normals, n)
  local column = {}
  for i = 1, n do
    local terms = {}
    for k = 1, #normals do terms[k] = weights[k]*normals[k][i] end
    column[i] = core.sum(terms):simplify()
  end
  return column
end

-- Gram-Schmidt over e_1, e_2, ...: n - m columns orthogonal to the rows (to M^-1 row in the metric) and to each other, and M column
local function free_columns(M, rows, normals, inverse_gram)
  local n, m, free, lowered = #M, #rows, {}, {}
  for j = 1, n do
    if #free == n - m then break end
    local column, vanishes = unit_list(n, j), true
    for k = 1, m do
      local weight = {}
      for l = 1, m do weight[l] = inverse_gram[k][l]*rows[l][j] end
      weight = core.sum(weight)
      for i = 1, n do column[i] = column[i] - weight*normals[k][i] end
    end
    for f, found in ipairs(free) do
      local part = lowered[f][j]/dot(lowered[f], found)
      for i = 1, n do column[i] = column[i] - part*found[i] end
    end
    for i = 1, n do
      column[i] = column[i]:simplify()
      vanishes = vanishes and column[i]:is_zero() == true
    end
    if not vanishes then
      free[#free + 1] = primitive(column)
      lowered[#free] = {}
      for i = 1, n do lowered[#free][i] = dot(M[i], column):simplify() end
    end
  end
  return free, lowered
end

--- b and its inverse from the rows of all constraints (gradients of functions of the coordinates) in the mass metric M: first the free
--- columns, orthogonal to each other and to the rest, then one for every constraint but that of the time, last the time's, along
--- which the function of row `clock` (nil: none) grows by 1 and no other changes. unit: the free columns get length 1. The third
--- result must not vanish.
function completion.columns(M, rows, clock, unit)
  local n, m, normals, gram, units = #M, #rows, {}, {}, {}
  for k = 1, m do normals[k] = raised(M, rows[k]) end
  for k = 1, m do
    gram[k], units[k] = {}, unit_list(m, k)
    for l = 1, m do gram[k][l] = dot(rows[k], normals[l]) end
  end
  local inverse_gram, pivots = pivots_of(gram, units)
  local columns, lowered = free_columns(M, rows, normals, inverse_gram)
  local inverse, condition = {}, core.rational(1)
  for _, pivot in ipairs(pivots) do condition = condition*pivot end
  for f, column in ipairs(columns) do
    local square = dot(lowered[f], column):simplify()
    condition = condition*square
    if unit then
      local length = core.sqrt(square)
      for i = 1, n do column[i], lowered[f][i] = (column[i]/length):simplify(), (lowered[f][i]/length):simplify() end
      square = core.rational(1)
    end
    inverse[f] = {}
    for i = 1, n do inverse[f][i] = (lowered[f][i]/square):simplify() end
  end
  -- the normals' part: rows[l] . (sum_k G^-1_ck N_k) = 1 for l = c, else 0
  local function add(c)
    columns[#columns + 1], inverse[#inverse + 1] = combined(inverse_gram[c], normals, n), rows[c]
  end
  for k = 1, m do if k ~= clock then add(k) end end
  if clock then add(clock) end
  local b = {}
  for i = 1, n do
    b[i] = {}
    for mu = 1, n do b[i][mu] = columns[mu][i] end
  end
  return b, inverse, condition
end

return completion
