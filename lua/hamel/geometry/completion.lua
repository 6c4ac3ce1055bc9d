-- completion.lua: the columns of a linear mapping from the constraints alone: Gram-Schmidt in the mass metric.
local core = require "hamel.core"
local linear = require "hamel.linear"
local object = require "hamel.object"
local surface = require "hamel.geometry.surface"
local symbols = require "hamel.symbols"

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
    if not free_of_time(e) then fail("linear_mapping: solved = %s contains the time: it is t as a function of the coordinates", core.text(e)) end
    if (e - symbols.t):is_zero() ~= true and surface.vanishes({ c.f }, e - symbols.t, is_coordinate) ~= true then
      fail("linear_mapping: t = %s does not hold on the constraint '%s'", core.text(e), c.name)
    end
    return e
  end
  local rate = core.diff(c.f, symbols.t)
  if not free_of_time(rate) then
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

--- Columns of b from the rows of all constraints (gradients of functions of the coordinates) in the mass metric M: first the free
--- ones, orthogonal to each other and to the rest, then one for every constraint but that of the time, last the time's, along which
--- the function of row `clock` (nil: none) grows by 1 and no other changes. unit: the free columns get length 1.
function completion.columns(M, rows, clock, unit)
  local n, m = #M, #rows
  local normals, gram = {}, {}
  for k = 1, m do normals[k] = raised(M, rows[k]) end
  for k = 1, m do
    gram[k] = {}
    for l = 1, m do gram[k][l] = dot(rows[k], normals[l]) end
  end
  local function combined(weights)
    local column = {}
    for i = 1, n do
      local terms = {}
      for k = 1, m do terms[k] = weights[k]*normals[k][i] end
      column[i] = core.sum(terms):simplify()
    end
    return column
  end
  local free, lowered = {}, {}
  for j = 1, n do
    if #free == n - m then break end
    -- e_j without its parts along the normals and the columns found
    local right = {}
    for k = 1, m do right[k] = rows[k][j] end
    local column, along = unit_list(n, j), combined(m > 0 and linear.solve(gram, { right })[1] or {})
    for i = 1, n do column[i] = column[i] - along[i] end
    for f, found in ipairs(free) do
      local part = lowered[f][j]/dot(lowered[f], found)
      for i = 1, n do column[i] = column[i] - part*found[i] end
    end
    local vanishes = true
    for i = 1, n do
      column[i] = column[i]:simplify()
      vanishes = vanishes and column[i]:is_zero() == true
    end
    if not vanishes then
      free[#free + 1] = primitive(column)
      lowered[#free] = {}
      for i = 1, n do lowered[#free][i] = dot(M[i], column) end
    end
  end
  if unit then
    for f, column in ipairs(free) do
      local length = core.sqrt(dot(lowered[f], column):simplify())
      for i = 1, n do column[i] = (column[i]/length):simplify() end
    end
  end
  local columns = free
  for k = 1, m do
    if clock ~= k then columns[#columns + 1] = primitive(combined(linear.solve(gram, { unit_list(m, k) })[1])) end
  end
  if clock then columns[#columns + 1] = combined(linear.solve(gram, { unit_list(m, clock) })[1]) end
  local b = {}
  for i = 1, n do
    b[i] = {}
    for mu = 1, n do b[i][mu] = columns[mu][i] end
  end
  return b
end

return completion
