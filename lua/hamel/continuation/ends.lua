-- ends.lua: places where the equations of a branch have no value: poles, ends of domains, singular inertia. A branch ends there, also where a step would
-- lead over such a place.
--
-- Each place is a function d of the point that vanishes there. The branch is followed towards it by points with given values of d; what is printed is
-- extrapolated from them.
local attempt = require "hamel.base.attempt"
local conditions = require "hamel.algebra.conditions"
local core = require "hamel.core"
local Matrix = require "hamel.algebra.matrix"
local object = require "hamel.base.object"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"

local ends = {}

-- ---- the places

local words = {
  ["~="] = "the equations have no value where %s = 0",
  [">="] = "the equations have no real value beyond %s = 0",
  [">"] = "the equations have no value where %s = 0",
  inertia = "the accelerations are not determined where %s = 0",
}

local LONGEST = 120                    -- characters of a condition that is printed

local function in_words(E, relation, e)
  local text = states.text(E, e)
  local where = (words[relation]):format(#text > LONGEST and ("a determinant of %d characters"):format(#text) or text)
  return E.form == "lagrange" and where or ("%s, in the form '%s' (form = \"lagrange\" may be regular there)"):format(where, E.form)
end

-- The matrix of accelerations and multipliers
local function bordered(E)
  local n, m, rows = #E.dyn, #E.A, {}
  for i = 1, n + m do
    rows[i] = {}
    for k = 1, n + m do
      if i <= n and k <= n then rows[i][k] = E.M[i][k]
      elseif i <= n then rows[i][k] = E.A[k - n][i]
      elseif k <= n then rows[i][k] = E.A[i - n][k]
      else rows[i][k] = core.rational(0) end
    end
  end
  return rows
end

local function is_constant(rows)
  for _, row in ipairs(rows) do if #core.symbols(row) > 0 then return false end end
  return true
end

local SMALL, SHORT = 4, 1000           -- rows and characters up to which the determinant is a formula

local function is_short(rows)
  local length = 0
  for _, row in ipairs(rows) do for _, e in ipairs(row) do length = length + #core.text(e) end end
  return #rows <= SMALL and length <= SHORT
end

-- Conditions on the formulas
local function of_formulas(E)
  local list = {}
  for _, one in ipairs(conditions.of(tangent.expressions(E, {}))) do list[#list + 1] = { one[1], one[2] } end
  return list
end

-- Conditions on the matrix of accelerations and multipliers; nil where its determinant is not found as a formula
local function of_inertia(rows)
  if not is_short(rows) then return nil end
  local fine, found = attempt(function() return conditions.of{ Matrix.new(rows):determinant()^-1 } end)
  local list = {}
  for i, one in ipairs(fine and found or {}) do list[i] = { one[1], "inertia" } end
  return fine and list or nil
end

local DIFFERENCE, REGULAR = 1e-6, 1e-12

local SCALINGS = 10

-- A symmetric matrix in units of its rows and columns in which the largest entry of each is 1 nearly, so that masses of very different size do not make its
-- determinant small (Ruiz, RAL-TR-2001-034, 2001)
local function in_own_units(n, values)
  local scaled = table.move(values, 1, n*n, 1, {})
  for _ = 1, SCALINGS do
    local unit = {}
    for i = 1, n do
      local most = 0
      for k = 1, n do most = math.max(most, math.abs(scaled[(i - 1)*n + k])) end
      unit[i] = most > 0 and math.sqrt(most) or 1
    end
    for i = 1, n do for k = 1, n do scaled[(i - 1)*n + k] = scaled[(i - 1)*n + k]/(unit[i]*unit[k]) end end
  end
  return scaled
end

-- The determinant as a number, in units of its own rows and columns; its gradient by central differences
local function determinant(space, rows)
  local flow, n, flat = space.flow, #rows, {}
  for _, row in ipairs(rows) do table.move(row, 1, n, #flat + 1, flat) end
  local program, zeros = flow.observer:program(flat), {}
  for i = 1, n do zeros[i] = 0.0 end
  local function value(y)
    local values = flow.observer:evaluate(program, flow.w, flow.t, space.state(y))
    local _, sign, logarithm = core.solve(n, in_own_units(n, values), zeros)
    return sign and sign*math.exp(logarithm) or 0.0
  end
  return function(y)
    local gradient = {}
    for i = 1, space.n do
      local ahead, back, h = table.move(y, 1, #y, 1, {}), table.move(y, 1, #y, 1, {}), DIFFERENCE*math.max(space.scale[i], math.abs(y[i]))
      ahead[i], back[i] = y[i] + h, y[i] - h
      gradient[i] = (value(ahead) - value(back))/(2*h)*space.scale[i]
    end
    return value(y), gradient
  end
end

local function depends_only_on(e, known)
  for _, s in ipairs(core.symbols{ e }) do if not object.contains(known, s) then return false end end
  return true
end

local NEAR = 0.05                      -- of the value at the start: motions that grow or decay without bound towards such a place are not found much nearer

--- The places of a problem of periodic motions: those at which a parameter that changes has a value for which there are no equations, or they do not
--- determine the accelerations. Other places are
--- met on the way, at some time, and the run names them.
function ends.of_parameters(space, y, held)
  local list, found, rows = {}, of_formulas(space.flow.E), bordered(space.flow.E)
  for _, one in ipairs(not is_constant(rows) and of_inertia(rows) or {}) do found[#found + 1] = one end
  for _, one in ipairs(found) do
    if #core.symbols{ one[1] } > 0 and depends_only_on(one[1], held) then
      local place = { at = states.part(space, one[1]), relation = one[2], words = in_words(space.flow.E, one[2], one[1]) }
      local size = math.abs((place.at(y)))
      place.size, place.near = size > 0 and size < math.huge and size or 1, NEAR
      list[#list + 1] = place
    end
  end
  return list
end

--- The places of a problem over the states of `space`: { at = function of y to the value and its gradient, relation, words }. y: the start.
function ends.of(space, y)
  local rows, list = bordered(space.flow.E), {}
  local inertia = is_constant(rows) and {} or of_inertia(rows)
  for _, conditions_of in ipairs{ of_formulas(space.flow.E), inertia } do
    for _, one in ipairs(conditions_of) do
      if one[1]:is_zero() ~= true then
        list[#list + 1] = { at = states.part(space, one[1]), relation = one[2], words = in_words(space.flow.E, one[2], one[1]) }
      end
    end
  end
  local at = not inertia and determinant(space, rows)
  if at and math.abs(at(y)) > REGULAR then
    list[#list + 1] = { at = at, relation = "inertia", words = "the accelerations are not determined: a determinant of masses and constraints vanishes" }
  end
  for _, place in ipairs(list) do
    local size = math.abs((place.at(y)))
    place.size = size > 0 and size < math.huge and size or 1
  end
  return list
end

-- ---- parameters declared positive

--- Notes the parameters declared positive among those that change, self.observed[k] by the order of names: the branch ends where one comes to zero, since
--- the equations may hold nothing for others. y: the start.
function ends.bound(self, system, names, y)
  self.positive = {}
  for k, name in ipairs(names) do
    local parameter = system._parameter[name]
    if parameter and core.known_positive(parameter) and self.observed[k] then
      table.insert(self.positive, { k = k, words = ("'%s', declared positive, comes to 0"):format(name), size = math.abs((self.observed[k](y))) })
    end
  end
end

--- Raises for ends from and to (numbers) of a parameter declared positive that it cannot reach. what: the command.
function ends.demand_positive(system, name, from, to, what)
  local parameter = system._parameter[name]
  if not parameter or not core.known_positive(parameter) then return end
  if from and from < 0 then
    object.fail("%s: from = %.9g: '%s' is declared positive: the branch ends at 0, give from = 0 or more; a parameter of any sign is declared by "
      .. "S:parameters, not by S:positive", what, from, name)
  end
  if to and to <= 0 then system:parameter_value(name, to, what .. ": to") end
end

--- The places of a problem at which its branches end.
function ends.places(problem)
  local list = table.move(problem.singular or {}, 1, #(problem.singular or {}), 1, {})
  for _, bound in ipairs(problem.positive or {}) do
    list[#list + 1] = { at = problem.observed[bound.k], relation = "inertia", words = bound.words, size = bound.size }
  end
  return list
end

-- ---- towards a place

-- Values of d from which the limit is taken, in units of the value at the start of the branch; larger ones where the equations cannot be solved so near
local LAST = { ["~="] = { 1e-3, 1e-2 }, inertia = { 1e-3, 1e-2 } }
local LAST_OF_DOMAIN, LAST_OF_TOUCH = { 1e-6, 1e-4, 1e-2 }, { 1e-5 }
local LADDER, CLOSER = 4, 4
-- Near a pole rounding is magnified in the equations, not in their solution
local COARSE = 1e6

local HALVINGS = 4

-- The point with the value `wanted` of d, from a point along its tangent, in more than one step where one is too long; nil: there is none
local function step_towards(problem, at_value, place, from, wanted, halvings)
  local now, gradient = place.at(from.y)
  local slope = tangent.dot(gradient, from.tangent)
  local fine, y = attempt(problem.moved, problem, from.y, tangent.scaled(from.tangent, slope ~= 0 and (wanted - now)/slope or 0))
  local point = fine and at_value(problem, y, place.at, wanted, from.directions)
  -- without a round of Newton's method the equations were singular at once
  if point and point.rounds > 0 then return point end
  if halvings == 0 then return nil end
  local middle = step_towards(problem, at_value, place, from, (now > 0 and 1 or -1)*math.sqrt(now*wanted), halvings - 1)
  return middle and step_towards(problem, at_value, place, middle, wanted, halvings - 1)
end

--- The point of the branch at which the function place.at of the unknowns, with its gradient, has the value `wanted`, from a point near it; nil: none is
--- found.
function ends.towards(problem, at_value, place, from, wanted) return step_towards(problem, at_value, place, from, wanted, HALVINGS) end

-- A point of the branch, this one or one before, that is not too near to the place
local function clear_of(place, from, least)
  while math.abs(place.at(from.y)) < least and from.before do from = from.before end
  return from
end

-- Points with values of d that are each a quarter of the one before, the first at most `last`; nil where there are none
local function ladder(problem, at_value, place, from, last)
  from, problem = clear_of(place, from, last*place.size), setmetatable({ tolerance = COARSE*problem.tolerance }, { __index = problem })
  local wanted, points = place.at(from.y)/CLOSER, {}
  while #points < LADDER do
    from = ends.towards(problem, at_value, place, from, wanted)
    if not from then return nil end
    if math.abs(wanted) <= last*place.size then points[#points + 1] = from end
    wanted = place.at(from.y)/CLOSER
  end
  return points
end

-- The limit of three values at d, d/4 and d/16 with any power of d beside it (Aitken)
local function any_power(a, b, c)
  local one, other = b - a, c - b
  return one ~= other and c - other^2/(other - one) or c
end

-- Distance of a power from a whole one; relative changes of values that are rounding; least accuracy, and how much larger than a change it is
local NEAR_POWER, SETTLED, EXACT, SAFE = 0.02, 1e-12, 1e-10, 4

-- Is what three values leave to the limit a power of d that fits a polynomial in d, or in its root?
local function is_regular(a, b, c, in_root)
  local ratio = (b - a)/(c - b)
  if not (ratio > 0) then return ratio ~= ratio or math.abs(c - b) <= SETTLED*(1 + math.abs(c)) end
  local power = math.log(ratio)/math.log(CLOSER)*(in_root and 2 or 1)
  return power > 0.5 and math.abs(power - math.floor(power + 0.5)) <= NEAR_POWER
end

local function value_of(point) return point.value end

-- The limit of value_at(point) at d, d/4, d/16, ... as a polynomial in d, or in its root; where another power of d rules, with this power. The
-- second result: how well it is known, nil: as well as it is printed
local function limit(points, in_root, value_at)
  local values = {}
  for i, point in ipairs(points) do values[i] = value_at(point) end
  local n = #values
  if not is_regular(values[n - 2], values[n - 1], values[n], in_root) then
    local value, before = any_power(values[n - 2], values[n - 1], values[n]), any_power(values[n - 3], values[n - 2], values[n - 1])
    return value, SAFE*math.abs(value - before) + EXACT*(1 + math.abs(value))
  end
  for k = 1, #values - 1 do
    local factor = (in_root and 2 or CLOSER)^k
    for i = 1, #values - k do values[i] = (factor*values[i + 1] - values[i])/(factor - 1) end
  end
  return values[1]
end

-- Turns the tangent of a point so that it leads towards the place; beside a root that of a point before may be nearly across it
local function turn_towards(place, point)
  local d, gradient = place.at(point.y)
  if d*tangent.dot(gradient, point.tangent) <= 0 then return end
  point.tangent, point.slope, point.sign = tangent.scaled(point.tangent, -1), -point.slope, -point.sign
end

--- The larger one of two accuracies of values at an end; nil: both are as well known as they are printed.
function ends.larger(one, other) return one and other and math.max(one, other) or one or other end

local NEAR_ENOUGH, BISECTIONS = 1e-2, 80        -- of the value of d at the start: motions so near are not followed farther

-- The value of the parameter that is followed at which d, a function of it alone, is zero, between a point and the one behind a step; nil: d depends on more
local function zero_of_parameter(problem, place, from, y)
  local k = problem.sparing and not problem.beside and #problem.places == 1 and problem.places[1]
  if not k or problem:value(from.y) ~= from.y[k] then return nil end
  local now, gradient = place.at(from.y)
  for i, slope in ipairs(gradient) do if i ~= k and slope ~= 0 then return nil end end
  local inside, outside, at = from.y[k], y[k], table.move(from.y, 1, #from.y, 1, {})
  at.cuts = from.y.cuts
  for _ = 1, BISECTIONS do
    at[k] = (inside + outside)/2
    if at[k] == inside or at[k] == outside then break end
    if place.at(at)*now > 0 then inside = at[k] else outside = at[k] end
  end
  -- rounding of the halves; exact where d is linear
  at[k] = outside
  local left, slopes = place.at(at)
  local value = outside - left*problem.space.scale[k]/slopes[k]
  return math.abs(value - outside) <= 2*math.abs(outside - inside) and value or outside, at
end

-- The end of a branch of motions at such a value: a run costs the more the nearer it is, and the value follows without any
local function end_at_value(problem, at_value, place, from, y)
  local fine, value, at = attempt(zero_of_parameter, problem, place, from, y)
  if not fine or not value then return nil end
  local point, coarse = from, setmetatable({ tolerance = COARSE*problem.tolerance }, { __index = problem })
  while point and math.abs(place.at(point.y)) > NEAR_ENOUGH*place.size do
    point = ends.towards(coarse, at_value, place, point, place.at(point.y)/CLOSER)
  end
  if not point then return nil end
  if point ~= from then turn_towards(place, point) end
  return { kind = "end", name = place.words, ends = place.words, value = value, point = point, away = problem:difference(at, from.y) }
end

-- The end of the branch at a place: { kind, value, point, words }; nil: it does not get there
local function end_at(problem, at_value, place, from, touched)
  local in_root = touched or not LAST[place.relation]
  for _, last in ipairs(touched and LAST_OF_TOUCH or LAST[place.relation] or LAST_OF_DOMAIN) do
    local points = ladder(problem, at_value, place, from, last)
    if points then
      local value, accuracy = limit(points, in_root, value_of)
      local beside, known
      if problem.beside then beside, known = limit(points, in_root, function(point) return problem:beside(point.y) end) end
      turn_towards(place, points[1])
      return { kind = "end", name = place.words, ends = place.words, value = value, accuracy = ends.larger(accuracy, known), beside = beside,
               point = points[1], away = problem:difference(points[#points].y, from.y) }
    end
  end
  return nil
end

-- The branch gets there, as a step leads across, but the equations are not solved near enough
local function doubtful_end(problem, place, from, point, part, away)
  local last = { kind = "end", name = place.words, ends = place.words, value = from.value + part*(point.value - from.value), point = from, away = away,
                 doubtful = true }
  if problem.beside then last.beside = problem:beside(from.y) + part*(problem:beside(point.y) - problem:beside(from.y)) end
  return last
end

local function nearest(list, from)
  local best
  for _, item in ipairs(list) do
    item.length = tangent.dot(item.away, from.tangent)
    if item.length >= 0 and (not best or item.length < best.length) then best = item end
  end
  return best
end

-- May a positive function come down to zero within a step, smoothly or in a corner? From where its tangents at both ends meet
local function dips(now, slope, later, later_slope, h)
  if not (slope < 0 and later_slope > 0) then return false end
  local part = (later - now - later_slope*h)/(slope - later_slope)
  return now + slope*part < 0.5*math.min(now, later)
end

-- The point behind a step, on the constraints if this is possible there
local function beyond(problem, from, d)
  local fine, y = attempt(problem.moved, problem, from.y, d)
  if fine then return y end
  y = {}
  for i, value in ipairs(from.y) do y[i] = value + (problem.space.scale[i] or 1)*d[i] end
  return y
end

--- The end of a branch on the step from a point by h along its tangent, or nil: { kind = "end", value =, point = the last point before it, length = of
--- the step to it, ends = why }. point: the one behind the step (nil: there is none); at_value: see corrector.lua.
function ends.ahead(problem, at_value, from, h, point)
  local places, list, d = ends.places(problem), {}, tangent.scaled(from.tangent, h)
  if #places == 0 then return nil end
  local y, along = point and point.y or beyond(problem, from, d), point and point.tangent or from.tangent
  for _, place in ipairs(places) do
    local now, gradient = place.at(from.y)
    local later, later_gradient = place.at(y)
    local sign = now > 0 and 1 or -1
    -- a branch that begins at the place, or lies on it, has values there
    if now ~= 0 and not (sign*later > 0) then
      list[#list + 1] = end_at_value(problem, at_value, place, from, y) or end_at(problem, at_value, place, from)
        or point and doubtful_end(problem, place, from, point, now/(now - later), d) or nil
    elseif now ~= 0 and dips(sign*now, sign*tangent.dot(gradient, from.tangent), sign*later, sign*tangent.dot(later_gradient, along), h) then
      list[#list + 1] = end_at(problem, at_value, place, from, true)
    end
  end
  return nearest(list, from)
end

return ends
