-- equilibrium.lua: S:equilibrium: states of rest near a guess, with the reactions that hold them.
local attitude = require "hamel.bodies.attitude"
local balance = require "hamel.analysis.balance"
local compile = require "hamel.model.compile"
local conditions = require "hamel.algebra.conditions"
local core = require "hamel.core"
local failure = require "hamel.base.failure"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local Equilibrium = object.class "Equilibrium"

local schema = {
  q = { type = "table", doc = "a guess by coordinate" },
  t = { default = 0, type = "number", doc = "time at which moving constraints and forces are taken" },
  parameters = { type = "table", doc = "values by name in place of the declared ones" },
}

local ITERATIONS = 100
local FAR = 1e6                        -- beyond it a change of a coordinate by `close` of it may be no small one
local PROBES = { 1, -0.83, 0.61, -0.37, 0.19 }  -- of that change, without a common period

-- ---- the equations of rest

-- Forces and reactions along every coordinate, the positions, the velocity constraints at rest: { { expression, what }, ... }
local function equations_of_rest(E, names)
  local zeros, list = {}, {}
  for s = 1, #E.dyn do zeros[s] = 0 end
  local function at_rest(e) return core.substitute(e, E.dyn, zeros) end
  for s = 1, #E.dyn do
    local terms = { at_rest(E.r[s]) }
    for k, lambda in ipairs(E.multipliers) do terms[#terms + 1] = lambda*at_rest(E.A[k][s]) end
    list[s] = { core.sum(terms), ("the force along '%s'"):format(names[s]) }
  end
  for _, p in ipairs(E.positions) do list[#list + 1] = { p.f, ("'%s'"):format(p.name) } end
  local holonomic = {}
  for _, p in ipairs(E.positions) do holonomic[p.name] = true end
  for _, c in ipairs(E.velocities) do
    if not holonomic[c.name] then list[#list + 1] = { at_rest(c.f), ("'%s' at rest"):format(c.name) } end
  end
  return list
end

-- Does an expression depend on a symbol? Jumps, sign(x) or x/sqrt(x^2), do, where their derivatives are zero
local function depends(e, s)
  if core.diff(e, s):is_zero() ~= true then return true end
  return object.contains(core.symbols{ e }, s) and object.contains(core.symbols{ (core.simplify(e, "auto", nil, { effort = 0.2 })) }, s)
end

-- Coordinates on which no equation of rest depends keep their guess: { unknowns, places of the free coordinates }
local function unknowns_of(E, list)
  local unknowns, places, free = {}, {}, {}
  for s, q in ipairs(E.kin) do
    local used = false
    for _, row in ipairs(list) do used = used or depends(row[1], q) end
    if used then unknowns[#unknowns + 1], places[#places + 1] = q, s else free[#free + 1] = s end
  end
  for k, lambda in ipairs(E.multipliers) do unknowns[#unknowns + 1], places[#places + 1] = lambda, #E.kin + k end
  return unknowns, places, free
end

-- The equations at a point over coordinates and multipliers: residual, rows of the Jacobian by the unknowns, and the sizes of the terms
local function problem_of(system, o, E, list, unknowns)
  local inputs = table.move(E.multipliers, 1, #E.multipliers, #E.kin + 1, table.move(E.kin, 1, #E.kin, 1, {}))
  local parameters, values = compile.parameter_values(system, o.parameters)
  table.move(parameters, 1, #parameters, #inputs + 1, inputs)
  inputs[#inputs + 1] = symbols.t
  local left, sizes, jacobian = {}, {}, {}
  for i, row in ipairs(list) do
    left[i], sizes[i] = row[1], balance.sizes_of(row[1])
    table.move(core.gradient(row[1], unknowns), 1, #unknowns, #jacobian + 1, jacobian)
  end
  local f, J, S = core.program(inputs, left), core.program(inputs, jacobian), core.program(inputs, sizes)
  local function at(program, point)
    local input = table.move(point, 1, #point, 1, {})
    table.move(values, 1, #values, #input + 1, input)
    input[#input + 1] = o.t + 0.0
    return program:eval(input)
  end
  return function(point) return at(f, point) end, function(point) return at(J, point) end, function(point) return at(S, point) end
end

-- ---- Newton's method

local function norm(list) return math.sqrt(tangent.dot(list, list)) end

-- The shortest step to the solution of the linear equations over the given columns
local function step_over(jacobian, residual, columns, first)
  local flat, right, count = {}, {}, columns - first + 1
  for i, value in ipairs(residual) do
    table.move(jacobian, (i - 1)*columns + first, i*columns, #flat + 1, flat)
    right[i] = -value
  end
  return core.least_squares(#right, count, flat, right, 1e-12)
end

local function moved(x, places, step, length, first)
  local list = table.move(x, 1, #x, 1, {})
  for i, value in ipairs(step) do list[places[first + i - 1]] = list[places[first + i - 1]] + length*value end
  return list
end

-- How far a step takes the coordinates, each against 1 and its guess
local function reach_of(step, places, guess, coordinates)
  local most = 0
  for i, s in ipairs(places) do
    if s <= coordinates then most = math.max(most, math.abs(step[i])/(1 + math.abs(guess[s]))) end
  end
  return most
end

-- Newton's method from x, steps halved where they do not help: the point, its residual, the last relative step. Where the Jacobian nearly vanishes, a
-- whole step leads anywhere: the coordinates go no further at once than a radius that doubles with every step that helps. demand: refuses points at which
-- the equations have no derivatives
local function solve(residual_at, jacobian_at, x, places, coordinates, demand)
  local residual, last, guess, radius = residual_at(x), 0, x, 1.0
  local size = norm(residual)
  for _ = 1, ITERATIONS do
    if #places == 0 then break end
    local jacobian = jacobian_at(x)
    demand(residual, jacobian, x)
    local step = step_over(jacobian, residual, #places, 1)
    local reach = reach_of(step, places, guess, coordinates)
    local whole = reach > radius and radius/reach or 1
    local length, next_x, next_residual, next_size = whole
    repeat
      next_x = moved(x, places, step, length, 1)
      next_residual = residual_at(next_x)
      next_size = norm(next_residual)
      length = length/2
    until next_size < size or next_size == 0 or not (length >= 1e-6*whole and length > 0)
    if whole < 1 and length == whole/2 then radius = 2*radius end
    last = 0
    for i = 1, #x do last = math.max(last, math.abs(next_x[i] - x[i])/(1 + math.abs(x[i]))) end
    if next_size < size or next_size == 0 then x, residual, size = next_x, next_residual, next_size end
    if last < 1e-13 then break end
  end
  return x, residual, last
end

-- ---- the guess and the answer

local function guess_of(system, given)
  local x, q = {}, attitude.positions(system, system:by_name(given, "q"))
  for i, name in ipairs(system.coordinate_names) do
    local value = 0.0
    if q[name] ~= nil then value = symbols.number(q[name]) end
    if not value or value ~= value then fail("equilibrium: q.%s is not a number", name) end
    x[i] = value + 0.0
  end
  for name in pairs(q) do
    if not system._coordinate[name] then
      fail("equilibrium: '%s' is not a coordinate of %s%s", tostring(name), system.name, object.hint(tostring(name), system.coordinate_names))
    end
  end
  return x
end

-- Nothing changes an equation without unknowns
local function demand_balance(system, list, unknowns, residual)
  for i, row in ipairs(list) do
    local varies, jumps = false, nil
    for _, u in ipairs(unknowns) do
      if core.diff(row[1], u):is_zero() ~= true then varies = true elseif depends(row[1], u) then jumps = u end
    end
    if not varies and jumps and not (math.abs(residual[i]) <= 1e-12) then
      fail("equilibrium: %s is %.6g near this guess, and its derivatives are zero: it depends on %s by jumps alone, as the sign of %s does. Whether there is \z
        an equilibrium on the other side of a jump, or at one, is not decided; take another guess", row[2], residual[i], core.text(jumps), core.text(jumps))
    end
    if not varies and not (math.abs(residual[i]) <= 1e-12) then
      fail("equilibrium: there is none: %s is %.6g everywhere%s; S:steady{...} finds steady motions", row[2], residual[i],
        #system.gaps > 0 and " (one-sided constraints are left out)" or "")
    end
  end
end

-- The equations and their derivatives must have values at the guess, or at another place, in words: they have none at a pole
local function demand_values(list, residual, jacobian, columns, place)
  for i, row in ipairs(list) do
    local finite = math.abs(residual[i]) < math.huge
    for k = 1, columns do finite = finite and math.abs(jacobian[(i - 1)*columns + k]) < math.huge end
    if not finite then
      local where = conditions.of{ row[1] }
      fail("equilibrium: %s has %s%s; take another guess", row[2], place or "no value at the guess, or no derivative",
        #where > 0 and ("; it needs %s"):format(tostring(where)) or "")
    end
  end
end

-- Where Newton's method has come to, in words
local function place_of(system, x)
  local words = {}
  for i, name in ipairs(system.coordinate_names) do words[i] = ("%s = %.9g"):format(name, x[i]) end
  return ("no value or no derivative at %s, where Newton's method leads from this guess"):format(table.concat(words, ", "))
end

-- Zero are sums that a change of the unknowns by `close` explains, or the rounding of their terms: where the rows of the Jacobian vanish a small
-- residual does not mean that an equilibrium is near
local function excess_of(residual, jacobian, sizes, x, places)
  local list, columns = {}, #places
  for i, value in ipairs(residual) do
    local explained = balance.roundings*sizes[i]
    for k, s in ipairs(places) do explained = explained + balance.close*math.abs(jacobian[(i - 1)*columns + k])*(1 + math.abs(x[s])) end
    list[i] = value == 0 and 0 or math.abs(value)/explained
  end
  return list
end

-- The coordinate that still moves and has gone furthest, where it is far out; nil where none is
local function runaway(x, guess, coordinates, last)
  local worst, most = nil, FAR
  for s = 1, last >= 1e-6 and coordinates or 0 do
    local way = math.abs(x[s] - guess[s])/(1 + math.abs(guess[s]))
    if way > most then worst, most = s, way end
  end
  return worst
end

local function demand_rest(system, list, residual, excess, last, free, away, x)
  local worst = 1
  for i, value in ipairs(excess) do if not (value <= excess[worst]) then worst = i end end
  if #residual == 0 or excess[worst] <= 1 and last < 1e-6 then return end
  local names = {}
  for i, s in ipairs(free) do names[i] = system.coordinate_names[s] end
  if away then
    local name = system.coordinate_names[away]
    failure.raise("no rest", "equilibrium: Newton's method did not converge from this guess: %s runs off to infinity (it has come to %.3g, \z
      where %s is left as %.2g); if there is an equilibrium, take a guess near it", name, x[away], list[worst][2], residual[worst])
  end
  failure.raise("no rest", "equilibrium: Newton's method did not converge from this guess: %s is left as %.2g; take another guess%s", list[worst][2],
    residual[worst], #free > 0 and (", or S:steady{...}, where %s may run on"):format(table.concat(names, ", ")) or "")
end

-- Far out a change of a coordinate by `close` of it is no small one: where the Jacobian differs over it, no digit of the answer would hold
local function demand_near(system, list, jacobian_at, jacobian, x, places, coordinates)
  local columns = #places
  for k, s in ipairs(places) do
    for _, part in ipairs(s <= coordinates and math.abs(x[s]) > FAR and PROBES or {}) do
      local other = table.move(x, 1, #x, 1, {})
      other[s] = x[s]*(1 + part*balance.close)
      local there = jacobian_at(other)
      for i, row in ipairs(list) do
        local one, two = jacobian[(i - 1)*columns + k], there[(i - 1)*columns + k]
        if not (math.abs(one - two) <= 0.5*math.max(math.abs(one), math.abs(two))) then
          fail("equilibrium: Newton's method went to %s = %.3g, where the last digits of %s decide %s; take another guess, near an equilibrium",
            system.coordinate_names[s], x[s], system.coordinate_names[s], row[2])
        end
      end
    end
  end
end

-- One-sided constraints do not take part, but must not be violated
local function demand_gaps(system, o, E, x)
  local inputs, list, input = table.move(E.kin, 1, #E.kin, 2, { symbols.t }), {}, table.move(x, 1, #E.kin, 2, { o.t + 0.0 })
  local parameters, values = compile.parameter_values(system, o.parameters)
  table.move(parameters, 1, #parameters, #inputs + 1, inputs)
  table.move(values, 1, #values, #input + 1, input)
  for i, gap in ipairs(system.gaps) do list[i] = gap.bound and core.rational(0) or gap.gap end
  for i, value in ipairs(#list > 0 and core.program(inputs, list):eval(input) or {}) do
    if not (value >= -1e-9) then
      fail("equilibrium: '%s' is violated, by %.3g, at the equilibrium near this guess; take another guess", system.gaps[i].name, -value)
    end
  end
end

--- Finds a state of rest near a guess: S:equilibrium{ q = {phi = 0.1} } solves r + A^T lambda = 0 at zero velocities together with the constraints.
--- Newton's method; a step that does not reduce the residual is halved, and none leaves the neighbourhood at once. Coordinates on which nothing
--- depends keep the values of the guess. If
--- equilibria form another family, as with nonholonomic constraints, the result is one near the guess.
--- One-sided constraints and friction do not take part; a result that violates a gap is refused.
--- Result: q by name, lambda by constraint, free (names of the coordinates that may have any value), t, parameters (those that were given).
--- S:linearize(eq) accepts it. Raises an error if the method does not converge.
function System:equilibrium(given)
  local o = options.check("equilibrium", schema, given, self)
  if not o.q then fail("equilibrium: a guess is missing: S:equilibrium{ q = {%s = 0} }", self.coordinate_names[1] or "x") end
  if #self:external_forces() > 0 then fail("equilibrium: forces that are Lua functions have no derivatives here; give them as expressions") end
  local E = self:equations "lagrange"
  local list = equations_of_rest(E, E.dyn_names)
  local unknowns, places, free = unknowns_of(E, list)
  local residual_at, jacobian_at, sizes_at = problem_of(self, o, E, list, unknowns)
  local x, first = guess_of(self, o.q), #unknowns - #E.multipliers + 1
  for k = 1, #E.multipliers do x[#E.kin + k] = 0.0 end
  demand_balance(self, list, unknowns, residual_at(x))
  demand_values(list, residual_at(x), jacobian_at(x), #places)
  -- the multipliers that balance the guess best
  if #E.multipliers > 0 then
    x = moved(x, places, step_over(jacobian_at(x), residual_at(x), #unknowns, first), 1, first)
  end
  local residual, last
  local guess = x
  local function demand(now, derivatives, at) demand_values(list, now, derivatives, #places, place_of(self, at)) end
  x, residual, last = solve(residual_at, jacobian_at, x, places, #E.kin, demand)
  local jacobian, sizes = jacobian_at(x), sizes_at(x)
  demand(residual, jacobian, x)
  demand_near(self, list, jacobian_at, jacobian, x, places, #E.kin)
  demand_rest(self, list, residual, excess_of(residual, jacobian, sizes, x, places), last, free, runaway(x, guess, #E.kin, last), x)
  demand_gaps(self, o, E, x)
  local result = { q = {}, lambda = {}, free = {}, t = o.t, _system = self }
  result.parameters = o.parameters and object.copied(self:by_name(o.parameters, "parameters"))
  for i, name in ipairs(self.coordinate_names) do result.q[name] = x[i] end
  for k, name in ipairs(E.names) do result.lambda[name] = x[#E.kin + k] end
  for i, s in ipairs(free) do result.free[i] = self.coordinate_names[s] end
  return setmetatable(result, Equilibrium.meta)
end

local function values_of(names, values)
  local words = {}
  for i, name in ipairs(names) do words[i] = ("%s = %.9g"):format(name, values[name]) end
  return table.concat(words, ", ")
end

function Equilibrium.meta.__tostring(self)
  local out = { ("%s: at rest at %s"):format(self._system.name, values_of(self._system.coordinate_names, self.q)) }
  if next(self.lambda) then out[#out + 1] = "  multipliers: " .. values_of(object.keys(self.lambda), self.lambda) end
  if #self.free > 0 then out[#out + 1] = "  free, since nothing depends on them: " .. table.concat(self.free, ", ") end
  return table.concat(out, "\n")
end

options.declare("equilibrium", schema)

return Equilibrium
