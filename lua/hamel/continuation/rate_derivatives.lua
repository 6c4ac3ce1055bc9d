-- rate_derivatives.lua: derivatives of the second and the third order of the rates along lines at a state of rest.
--
-- The equations x_kin' = k, M x_dyn' = r + A^T lambda, A x_dyn' + b = 0 and the constraints are one program. Its tangent, taken three times, has the
-- derivatives of all of them along a curve of states, exact but for rounding. Those of the rates follow order by order from the same matrix. Constraints
-- bend the curve: its places along the directions at the state of rest are multiples of one vector, and what is across these follows from the constraints.
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local data = require "hamel.algebra.data"
local pieces = require "hamel.algebra.pieces"
local tangent = require "hamel.analysis.tangent"

local rate_derivatives = {}

local ORDER = 3
local BINOMIAL = { [0] = { [0] = 1 }, { [0] = 1, 1 }, { [0] = 1, 2, 1 }, { [0] = 1, 3, 3, 1 } }
local DEPENDENT = 1e-12                 -- of rows that are scaled: what is left of one that depends on the others
local NEAR = 1e-8                       -- of the units of the states: how near a corner counts as one that is touched

local function range(first, count)
  local list = {}
  for i = 1, count do list[i] = first + i - 1 end
  return list
end

local function appended(list, more) return table.move(more, 1, #more, #list + 1, list) end

-- The expressions of the equations, and the places of their parts in the list
local function expressions(E)
  local list, places = {}, {}
  local function put(name, more)
    places[name] = #list
    appended(list, more)
  end
  put("k", E.k)
  places.M = #list
  for _, row in ipairs(E.M) do table.move(row, 1, #E.dyn, #list + 1, list) end
  places.A = #list
  for _, row in ipairs(E.A) do table.move(row, 1, #E.dyn, #list + 1, list) end
  put("r", E.r)
  put("b", E.b)
  places.constraints = #list
  for _, part in ipairs{ E.positions, E.velocities } do for _, c in ipairs(part) do list[#list + 1] = c.f end end
  return list, places
end

-- Calls of measured data in expressions: { argument, number of the curve }, each argument of each curve once
local function tables(list)
  local found, seen = {}, {}
  local function visit(e)
    if seen[e] then return end
    seen[e] = true
    local operands = core.operands(e)
    if core.kind(e) == "call" and core.name(e):find "^tabled" then
      found[#found + 1] = { operands[2], core.number_value(operands[1]) }
    end
    for _, operand in ipairs(operands) do visit(operand) end
  end
  for _, e in ipairs(list) do visit(e) end
  return found
end

-- The arguments of corners and of measured data, and their gradients, as a program; nil: there are none
local function of_corners(flow, list)
  local arguments, curves, all, states = pieces.arguments(list), {}, {}, table.move(flow.E.kin, 1, #flow.E.kin, 1, {})
  for _, call in ipairs(tables(list)) do
    arguments[#arguments + 1] = call[1]
    curves[#arguments] = call[2]
  end
  appended(states, flow.E.dyn)
  for _, g in ipairs(arguments) do
    all[#all + 1] = g
    appended(all, core.gradient(g, states))
  end
  return #all > 0 and { count = #arguments, curves = curves, program = flow.observer:program(all) } or nil
end

-- The program of the equations and its derivatives along a curve, made once; nil: there are none, where a form folds its states
local function prepared(flow)
  if flow.rate_derivatives == nil then
    local E = flow.E
    local list, places = expressions(E)
    if E.whole_course or #core.opaque_calls(list) > 0 then
      flow.rate_derivatives = false
      return nil
    end
    local base = flow.observer:program(list)
    local n, program, active, count = flow.size, base.program, range(2, flow.size), #base.inputs
    for _ = 1, ORDER do
      program = program:tangent(active)
      local seeds = #active
      appended(active, range(count + 1, seeds))
      count = count + seeds
    end
    flow.rate_derivatives = { program = program, places = places, outputs = #list, corners = of_corners(flow, list), n = n }
  end
  return flow.rate_derivatives or nil
end

-- The state x touches a corner, or a point of measured data, where derivatives of the curve through them jump
local function is_at_corner(problem, corners, x)
  local flow, space, at = problem.flow, problem.space, 0
  local values = flow.observer:evaluate(corners.program, flow.w, flow.t, x)
  for k = 1, corners.count do
    local value, reach, curve = values[at + 1], 0.0, corners.curves[k]
    for i, place in ipairs(flow.kept) do reach = reach + math.abs(values[at + 1 + place])*space.scale[i] end
    if curve then
      if data.is_near_point(curve, value, NEAR*math.max(reach, math.abs(value))) then return true end
    elseif not (math.abs(value) > NEAR*reach) then return true end
    at = at + 1 + flow.size
  end
  return false
end

-- Places among the outputs of a program whose tangent is taken three times, of the derivatives of each order
local PLACE = { [0] = 0, 1, 3, 7 }

-- The derivatives 0 to 3 of the expressions along a curve through x, whose own derivatives are x1, x2, x3: a function of the order and the place
local function along(flow, made, x, x1, x2, x3)
  local input, _, values = { flow.t }, flow.observer:inputs()
  table.move(x, 1, flow.size, 2, input)
  appended(input, values)
  for _, seeds in ipairs{ x1, x1, x2, x1, x2, x2, x3 } do appended(input, seeds) end
  local out = made.program:eval(input)
  return function(order, place) return out[PLACE[order]*made.outputs + place] end
end

-- ---- the curve

-- A function that gives the change across the directions for which the rows of the constraints, on the changes of unit directions, are numbers given
local function across(problem, point)
  local space, rows, sizes = problem.space, problem.space.constraints(point.y), {}
  for a, row in ipairs(rows) do
    for _, place in ipairs(problem.places) do row[place] = 0.0 end
    sizes[a] = math.sqrt(tangent.dot(row, row))
  end
  local flat = {}
  for a, row in ipairs(rows) do for _, value in ipairs(row) do flat[#flat + 1] = sizes[a] > 0 and value/sizes[a] or 0.0 end end
  return function(wanted)
    local side = {}
    for a, value in ipairs(wanted) do side[a] = sizes[a] > 0 and value/sizes[a] or 0.0 end
    return (core.least_squares(#rows, space.n, flat, side, DEPENDENT))
  end
end

-- ---- the rates

-- A function that solves M R - A^T L = f, A R = g in the units of the states
local function solver(problem, E, value, places)
  local flow, space, n, m, unit = problem.flow, problem.space, #E.dyn, #E.A, {}
  for i, place in ipairs(flow.kept) do if place > #E.kin then unit[place - #E.kin] = space.scale[i] end end
  local most, sizes, flat = 0.0, {}, {}
  for i = 1, n do for k = 1, n do most = math.max(most, math.abs(value(0, places.M + (i - 1)*n + k))*unit[i]*unit[k]) end end
  for a = 1, m do
    sizes[a] = 0.0
    for k = 1, n do sizes[a] = math.max(sizes[a], math.abs(value(0, places.A + (a - 1)*n + k))*unit[k]) end
    if sizes[a] == 0 then sizes[a] = 1.0 end
  end
  for i = 1, n do
    for k = 1, n do flat[#flat + 1] = value(0, places.M + (i - 1)*n + k)*unit[i]*unit[k]/most end
    for a = 1, m do flat[#flat + 1] = -value(0, places.A + (a - 1)*n + i)*unit[i]/sizes[a] end
  end
  for a = 1, m do
    for k = 1, n do flat[#flat + 1] = value(0, places.A + (a - 1)*n + k)*unit[k]/sizes[a] end
    for _ = 1, m do flat[#flat + 1] = 0.0 end
  end
  return function(f, g)
    local side, R, L = {}, {}, {}
    for i = 1, n do side[i] = f[i]*unit[i]/most end
    for a = 1, m do side[n + a] = g[a]/sizes[a] end
    -- constraints that others imply leave the multipliers open, not the rates
    local z = core.solve(n + m, flat, side) or core.least_squares(n + m, n + m, flat, side, DEPENDENT)
    for i = 1, n do R[i] = z[i]*unit[i] end
    for a = 1, m do L[a] = z[n + a]*most/sizes[a] end
    return R, L
  end
end

-- The derivatives 0 to 3 of the rates of all states along a curve
local function of_rates(problem, made, value)
  local E, places, rates, reactions, whole = problem.flow.E, made.places, {}, {}, {}
  local n, m, solve = #E.dyn, #E.A, solver(problem, E, value, places)
  for order = 0, ORDER do
    local f, g = {}, {}
    for i = 1, n do
      f[i] = value(order, places.r + i)
      for j = 1, order do
        local times = BINOMIAL[order][j]
        for k = 1, n do f[i] = f[i] - times*value(j, places.M + (i - 1)*n + k)*rates[order - j][k] end
        for a = 1, m do f[i] = f[i] + times*value(j, places.A + (a - 1)*n + i)*reactions[order - j][a] end
      end
    end
    for a = 1, m do
      g[a] = -value(order, places.b + a)
      for j = 1, order do
        for k = 1, n do g[a] = g[a] - BINOMIAL[order][j]*value(j, places.A + (a - 1)*n + k)*rates[order - j][k] end
      end
    end
    rates[order], reactions[order] = solve(f, g)
    whole[order] = {}
    for j = 1, #E.kin do whole[order][j] = value(order, places.k + j) end
    appended(whole[order], rates[order])
  end
  return whole
end

--- A function of a vector over the directions of a point, a state of rest: the derivatives of the second and of the third order of the rates along it, over
--- the same directions. nil: they are not known, as on a corner of a force or on a point of measured data.
function rate_derivatives.at(problem, point)
  local flow, space, fixed = problem.flow, problem.space, point.directions.fixed
  local made, x = prepared(flow), space.state(point.y)
  if not made or made.corners and is_at_corner(problem, made.corners, x) then return nil end
  local constraints = #flow.E.positions + #flow.E.velocities
  local bent = constraints > 0 and across(problem, point)
  local zeros = space.whole(tangent.scaled(fixed[1], 0.0))
  local function part(rate)
    local whole, list = space.part(rate), {}
    for a, u in ipairs(fixed) do list[a] = tangent.dot(u, whole) end
    return list
  end
  return function(d)
    local x1, x2, x3 = space.whole(corrector.combined(fixed, d)), zeros, zeros
    local value = along(flow, made, x, x1, x2, x3)
    local function correction(order)
      local wanted = {}
      for c = 1, constraints do wanted[c] = -value(order, made.places.constraints + c) end
      return space.whole(bent(wanted))
    end
    if bent then
      x2 = correction(2)
      value = along(flow, made, x, x1, x2, x3)
      x3 = correction(3)
      value = along(flow, made, x, x1, x2, x3)
    end
    local rates = of_rates(problem, made, value)
    return part(rates[2]), part(rates[3])
  end
end

return rate_derivatives
