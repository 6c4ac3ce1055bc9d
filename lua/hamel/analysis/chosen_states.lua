-- chosen_states.lua: a linearization in the states, or functions of the states, that its user names.
--
-- y = C dx with the directions dx = U z that the constraints leave free: z' = A z becomes y' = A_y y with A_y (C U) = (C U) A. There is such an A_y
-- where the rates of y depend on y alone.
local core = require "hamel.core"
local object = require "hamel.base.object"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local chosen = {}

local SMALL = 1e-9                     -- of the size of a row: what is below it is rounding

-- Names and expressions of the option `states`
local function listed(observer, given)
  local names, list = {}, {}
  for i, item in ipairs(given) do
    list[i] = observer:expression(item)
    names[i] = type(item) == "string" and item or core.text(list[i])
  end
  if #list == 0 then fail("linearize: states is empty: states = {\"x\", \"x'\"}") end
  return names, list
end

-- Derivatives of the chosen functions by the kept states, at the point
local function gradients(E, observer, w, t, x, kept, names, list)
  local states, place, rows = {}, {}, {}
  for _, part in ipairs{ E.kin, E.dyn } do table.move(part, 1, #part, #states + 1, states) end
  for i, at in ipairs(kept) do place[at] = i end
  for a, e in ipairs(list) do
    local p = observer:program{ observer:translate(e) }
    if p.needs_dynamics then fail("linearize: states: '%s' contains accelerations or reactions", names[a]) end
    local slopes = observer:evaluate(observer:program(core.gradient(observer:translate(e), states)), w, t, x)
    rows[a] = {}
    for at, slope in ipairs(slopes) do
      if place[at] then rows[a][place[at]] = slope
      elseif slope ~= 0 then fail("linearize: states: '%s' depends on '%s', on which nothing else depends: it is left out", names[a], core.text(states[at])) end
    end
  end
  return rows
end

local function times(rows, columns)
  local out = {}
  for a, row in ipairs(rows) do
    out[a] = {}
    for b, column in ipairs(columns) do out[a][b] = tangent.dot(row, column) end
  end
  return out
end

local function transposed(rows, n)
  local out = {}
  for i = 1, n do
    out[i] = {}
    for a, row in ipairs(rows) do out[i][a] = row[i] end
  end
  return out
end

-- The unit vectors of the rows, and the rows in them: rows = lower * units; raises where one row follows from those before it
local function orthonormal(rows, names)
  local units, lower = {}, {}
  for a, row in ipairs(rows) do
    local rest, size = table.move(row, 1, #row, 1, {}), math.sqrt(tangent.dot(row, row))
    local length = tangent.orthogonal(rest, units)
    if length <= SMALL*size or size == 0 then
      fail("linearize: states: '%s' is constant, or follows from those before it and from the constraints; leave it out", names[a])
    end
    for i = 1, #rest do rest[i] = rest[i]/length end
    units[a] = rest
    lower[a] = {}
    for b = 1, a do lower[a][b] = tangent.dot(row, units[b]) end
  end
  return units, lower
end

-- x of x * lower = row
local function over_lower(row, lower)
  local x = {}
  for b = #lower, 1, -1 do
    local sum = row[b]
    for c = b + 1, #lower do sum = sum - x[c]*lower[c][b] end
    x[b] = sum/lower[b][b]
  end
  return x
end

-- A_y by rows; raises where a rate depends on something else
local function closed_matrix(rows, A, names)
  local units, lower = orthonormal(rows, names)
  local rates, result = times(rows, transposed(A, #A)), {}
  for a, rate in ipairs(rates) do
    local rest, parts = table.move(rate, 1, #rate, 1, {}), {}
    for b, u in ipairs(units) do parts[b] = tangent.dot(rate, u) end
    if tangent.orthogonal(rest, units) > SMALL*math.sqrt(tangent.dot(rate, rate)) then
      fail("linearize: states: the rate of '%s' depends on more than the states named; add the others", names[a])
    end
    result[a] = over_lower(parts, lower)
  end
  return result
end

--- What S:linearize returns in the chosen states: { names, A, B }. given: the option; linear: { A, B, basis } in tangent directions.
function chosen.matrices(given, E, observer, w, t, x, kept, linear)
  local names, list = listed(observer, given)
  local C = gradients(E, observer, w, t, x, kept, names, list)
  local rows = times(C, linear.basis)                                       -- C U
  return { names = names, A = closed_matrix(rows, linear.A, names),
           B = linear.B and times(rows, transposed(linear.B, #(linear.B[1] or {}))) or nil }
end

return chosen
