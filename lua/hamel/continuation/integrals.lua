-- integrals.lua: integrals of periodic motions: those that hold along a branch, and the one along which a family is followed.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local integrals = {}

local function conserved(system, e)
  local fine, answer = attempt(system.is_conserved, system, e)
  return fine and answer == true
end

-- Have no forces and no reactions power? Then the energy is conserved, also where its rate is too long a formula to decide
local function is_without_power(E) return E.power ~= nil and not E.carried and E.power:is_zero() == true end

-- The sum of p q' less L: the energy, or Jacobi's integral
local function jacobi(system)
  local L, sum = system:lagrangian(), {}
  for i, q in ipairs(system:coordinate_list()) do sum[i] = core.diff(L, q.dot)*q.dot end
  return core.sum(sum) - L
end

-- The integral that S:conserved prints under a name; nil: there is none
local function printed(system, name)
  local fine, list = attempt(system.conserved, system)
  for _, record in ipairs(fine and list or {}) do
    if record.name == name and conserved(system, record.of) then return record.of end
  end
end

-- The momentum along a symmetry { coordinate = rate }
local function momentum(system, rates)
  local L, sum = system:lagrangian(), {}
  for _, name in ipairs(object.keys(rates)) do sum[#sum + 1] = core.diff(L, system._coordinate[name].dot)*rates[name] end
  return core.sum(sum)
end

--- Integrals of the motions of a flow, { name =, e = expression }: those that the theorems give, those that the user names, those that S:conserved prints under
--- the names in o.fixed, and the momenta p_1, p_2, ... along the symmetries in o.symmetry (of_symmetry = true), where they are conserved.
function integrals.known(flow, o, timed)
  local system, list = flow.system, {}
  local function add(name, what) list[#list + 1] = { name = name, e = what } end
  local energy = jacobi(system)
  if not timed and (is_without_power(flow.E) or conserved(system, energy)) then add("energy", energy) end
  for i, q in ipairs(flow.E.kin) do
    if flow.ignorable[i] and system._coordinate[core.text(q)] then
      local p = core.diff(system:lagrangian(), q.dot)
      if conserved(system, p) then add("p_" .. core.text(q), p) end
    end
  end
  for _, name in ipairs(object.keys(o.integrals or {})) do
    local e = o.integrals[name]
    if not conserved(system, e) then fail("continue: integrals.%s is not conserved, or this cannot be told", name) end
    add(name, e)
  end
  for _, name in ipairs(object.keys(o.fixed or {})) do
    local e = not integrals.named(list, name) and printed(system, name)
    if e then add(name, e) end
  end
  for k, item in ipairs(o.symmetry or {}) do
    local fine, p = attempt(momentum, system, system:by_name(item, "symmetry"))
    if fine and conserved(system, p) and not integrals.named(list, "p_" .. k) then
      add("p_" .. k, p)
      list[#list].of_symmetry = true
    end
  end
  return list
end

--- The integrals of a problem, with at = function of the point.
function integrals.of(self, o)
  local list = integrals.known(self.flow, o, not self.period_place)
  for _, integral in ipairs(list) do integral.at = states.observed(self.space, integral.e) end
  return list
end

--- The integral of a list with a name, or nil.
function integrals.named(list, name)
  for _, integral in ipairs(list) do if integral.name == name then return integral end end
  return nil
end

--- Gradients of the integrals of a problem at a point.
function integrals.gradients(self, y)
  local list = {}
  for k, integral in ipairs(self.integrals) do list[k] = select(2, integral.at(y)) end
  return list
end

local LOST = 1e-12                      -- part of a gradient, relative to it, that is rounding

--- Unit directions of the gradients across the rows that are held and across each other. At rest the energy has none, and keeps that of the point before;
--- so does the later one of two integrals whose gradients are parallel at a relative equilibrium.
function integrals.across(self, y, held, before)
  local list, normals = {}, {}
  for _, row in ipairs(held) do
    local normal, size = table.move(row, 1, #row, 1, {}), math.sqrt(tangent.dot(row, row))
    if tangent.orthogonal(normal, normals) > 1e-10*size then normals[#normals + 1] = states.unit(normal) end
  end
  for k, gradient in ipairs(integrals.gradients(self, y)) do
    local across, size = table.move(gradient, 1, #gradient, 1, {}), math.sqrt(tangent.dot(gradient, gradient))
    local length = tangent.orthogonal(across, normals)
    if before and before[k] and not (length > LOST*size) then
      across = table.move(before[k], 1, #before[k], 1, {})
      tangent.orthogonal(across, normals)
    end
    list[k] = states.unit(across)
    normals[#normals + 1] = list[k]
  end
  return list
end

--- Follows a family over its period: the first integral changes, too.
function integrals.along_period(self, system)
  if not self.period_place then fail("continue: along = \"period\": the period of %s is that of the drive; take a parameter", system.name) end
  self.free = self.integrals[1] or fail("continue: along = \"period\": %s has no known integral, so that its periodic motions form no families; "
    .. "take a parameter, or name integrals", system.name)
  local gradient = states.axis(self.period_place, self.space.n)
  for i, value in ipairs(gradient) do gradient[i] = value*self.space.scale[i] end
  self.along = function(y) return y[self.period_place], gradient end
end

--- Raises where the gradients depend on each other at the start. A momentum along a symmetry that depends on the others is left out: they hold it.
function integrals.demand_independent(self, y)
  local units, list = {}, {}
  for k, gradient in ipairs(integrals.gradients(self, y)) do
    local size = math.sqrt(tangent.dot(gradient, gradient))
    local rest = table.move(gradient, 1, #gradient, 1, {})
    local length = tangent.orthogonal(rest, units)
    local integral, independent = self.integrals[k], length > 1e-8*size
    if not independent and (not integral.of_symmetry or integral == self.free) then
      fail("continue: the integral '%s' depends on the others at the start", integral.name)
    end
    if independent then
      for i = 1, #rest do rest[i] = rest[i]/length end
      units[#units + 1], list[#list + 1] = rest, integral
    end
  end
  self.integrals = list
end

--- Gives each integral that does not change along the branch its value: that in o.fixed, or that of the start.
function integrals.fix(self, o, y)
  for _, integral in ipairs(self.integrals) do
    local given = (o.fixed or {})[integral.name]
    if integral == self.free then
      if given then fail("continue: %s changes along the branch and cannot be fixed", integral.name) end
    else
      integral.fixed = given and options.number(given) or (integral.at(y))
    end
  end
  for name in pairs(o.fixed or {}) do
    if not integrals.named(self.integrals, name) then
      local names = {}
      for i, integral in ipairs(self.integrals) do names[i] = integral.name end
      fail("continue: fixed: '%s' is no integral of %s%s; name others: integrals = { I = an expression }", tostring(name), self.flow.system.name,
        object.hint(tostring(name), names))
    end
  end
end

return integrals
