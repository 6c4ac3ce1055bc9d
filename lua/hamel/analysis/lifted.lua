-- lifted.lua: the whole motion to a run of a system without its cyclic coordinates, which follow by quadrature.
local along = require "hamel.run.along"
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local object = require "hamel.base.object"
local reading = require "hamel.run.reading"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail

local Lifted = object.class "Lifted"

local function integral(value, from, to, size)
  local part, where = along.integral(value, from, to, size)
  return part or fail("R:lift: the integral of the cyclic velocity does not settle near t = %.9g", where)
end

-- The integral of a velocity along the run: { points = { t, value }, sums, size, value(t) }
local function quadrature(run, velocity, start)
  local value, _, p, turns = along.expression(run, velocity)
  local points, size = along.points(run, value, p, turns), { 0 }
  for _, point in ipairs(points) do size[1] = math.max(size[1], math.abs(point[2])) end
  local sums = { start }
  for k = 2, #points do sums[k] = sums[k - 1] + integral(value, points[k - 1], points[k], size) end
  return { points = points, sums = sums, size = size[1], value = value }
end

-- The cyclic coordinate at time t
local function position(Q, t)
  local points = Q.points
  local direction, low, high = points[#points][1] < points[1][1] and -1 or 1, 1, #points
  while low < high do
    local middle = (low + high + 1)//2
    if direction*points[middle][1] <= direction*t then low = middle else high = middle - 1 end
  end
  if t == points[low][1] then return Q.sums[low] end
  return Q.sums[low] + integral(Q.value, points[low], { t, Q.value(t) }, { Q.size })
end

--- Used by R:lift. found: what S:routh kept; start: values of cyclic coordinates by name.
function Lifted.new(found, run, start)
  local self = setmetatable({ run = run, system = found.whole, _found = found, _quadratures = {} }, Lifted.meta)
  for a, q in ipairs(found.cyclic) do self._quadratures[a] = quadrature(run, found.velocities[a], start[core.name(q)] or 0.0) end
  return self
end

-- Values of the coordinates, then of the velocities of the whole system
local function state_at(self, t)
  local found, q, place, wanted = self._found, {}, {}, {}
  for a, c in ipairs(found.cyclic) do place[c] = a end
  local all = self.system:coordinate_list()
  for _, c in ipairs(all) do
    wanted[#wanted + 1] = place[c] and core.rational(0) or c
    q[#q + 1] = c
  end
  for _, c in ipairs(all) do wanted[#wanted + 1] = place[c] and found.velocities[place[c]] or c.dot end
  local values = reading.values_at(self.run, t, wanted)
  for i, c in ipairs(q) do if place[c] then values[i] = position(self._quadratures[place[c]], t) end end
  return values
end

-- The program of expressions in the coordinates and velocities of the whole system, with values of time and parameters in front
local function program_of(self, list)
  local inputs, override = { symbols.t }, self.run.options.parameters
  local parameters, numbers = compile.parameter_values(self.run.system, override)
  for _, q in ipairs(self.system:coordinate_list()) do inputs[#inputs + 1] = q end
  for _, q in ipairs(self.system:coordinate_list()) do inputs[#inputs + 1] = q.dot end
  table.move(parameters, 1, #parameters, #inputs + 1, inputs)
  local expressions = {}
  for i, e in ipairs(list) do expressions[i] = self.system:check_expression(e, "the expression", 1) end
  return core.program(inputs, expressions), numbers
end

local function evaluate(self, p, numbers, t)
  local values = { t }
  table.move(state_at(self, t), 1, 2*#self.system.coordinate_names, 2, values)
  table.move(numbers, 1, #numbers, #values + 1, values)
  return p:eval(values)
end

--- The state of the whole system at time t: s.q.phi, s.v.phi and, where the name is free, s.phi; or the values of expressions in its
--- coordinates, velocities and time: W:at(2, x, x.dot).
function Lifted:at(t, ...)
  if type(t) ~= "number" then fail("at takes a time of the run, not %s", type(t)) end
  if select("#", ...) > 0 then
    local p, numbers = program_of(self, { ... })
    return table.unpack(evaluate(self, p, numbers, t))
  end
  local values, names = state_at(self, t), self.system.coordinate_names
  local q, v, s = {}, {}, { t = t }
  for i, name in ipairs(names) do q[name], v[name] = values[i], values[#names + i] end
  s.q, s.v = object.named("q", q), object.named("v", v)
  for name, value in pairs(q) do if s[name] == nil then s[name] = value end end
  return object.named("the state", s)
end

--- Times of the stored states of the run, then a list of values for each expression in coordinates, velocities and time of the whole system.
function Lifted:series(...)
  if select("#", ...) == 0 then fail("series needs at least one expression, as in W:series(\"phi\")") end
  local p, numbers = program_of(self, { ... })
  local columns, times = {}, reading.times(self.run, {})
  for i = 1, select("#", ...) do columns[i] = {} end
  for k, t in ipairs(times) do
    for i, value in ipairs(evaluate(self, p, numbers, t)) do columns[i][k] = value end
  end
  return times, table.unpack(columns)
end

function Lifted.meta.__tostring(self)
  local names = {}
  for a, q in ipairs(self._found.cyclic) do names[a] = core.text(q) end
  return ("%s from a run of %s, with %s by quadrature, t = %.9g to %.9g"):format(self.system.name, self.run.system.name, table.concat(names, ", "),
    self.run.span[1], self.run.outcome.t)
end

return Lifted
