-- routh.lua: S:routh: cyclic coordinates are eliminated by their momenta, which leaves a system in the others (Routh 1877).
--
-- p_a = dL/dq_a' are constant. Solved for q_a' and put into R = L - sum p_a q_a', they leave Lagrange's equations for the others with R for L.
-- The part of -R without velocities is the potential energy changed by the momenta (the amended potential).
local affine = require "hamel.algebra.affine"
local core = require "hamel.core"
local Lifted = require "hamel.analysis.lifted"
local linear = require "hamel.algebra.linear"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local smoothness = require "hamel.geometry.smoothness"
local System = require "hamel.system"
local vanishing = require "hamel.algebra.vanishing"

local fail = object.fail

local vanishes = vanishing.proved

local function names_of(list)
  local names = {}
  for i, q in ipairs(list) do names[i] = core.name(q) end
  return names
end

-- What Routh's method does not cover
local function demand_plain(system)
  if #system._rotations > 0 then
    fail("routh: %s has the rotation '%s' by a unit quaternion, whose entries are not free coordinates: only systems in free coordinates are reduced; "
      .. "describe the rotation by angles", system.name, system._rotations[1].name)
  end
  local names = {}
  for i, c in ipairs(system.constraints) do names[i] = c.name end
  if #names > 0 then
    fail("routh: %s has constraints, %s: only systems without constraints are reduced; take coordinates that satisfy them", system.name,
      object.quoted(names))
  end
  if #system.gaps + #system.frictions > 0 then
    fail("routh: %s has one-sided constraints or friction, whose reactions may change the momenta: run the whole system", system.name)
  end
  for _, force in ipairs(system:external_forces()) do
    fail("routh: the force on '%s' is a Lua function of all coordinates, from which nothing can be eliminated; give an expression",
      core.name(force.coordinate))
  end
end

-- Why a coordinate is not cyclic; nil where it is
local function dependence(system, q, forces)
  local L = system:lagrangian()
  if smoothness.depends(L, q) then return "L depends on it" end
  for i, other in ipairs(system:coordinate_list()) do
    if other == q and not vanishes(forces[i]) then return ("the force on it is %s"):format(core.text(forces[i])) end
    if smoothness.depends(forces[i], q) then return ("the force on '%s' depends on it"):format(core.name(other)) end
  end
  if vanishes(core.diff(L, q.dot)) then return ("L does not depend on %s"):format(core.text(q.dot)) end
end

local function all_cyclic(system, forces)
  local list = {}
  for _, q in ipairs(system:coordinate_list()) do if not dependence(system, q, forces) then list[#list + 1] = q end end
  if #list == 0 then fail("routh: %s has no cyclic coordinate", system.name) end
  return list
end

-- The coordinates to eliminate, in the order of declaration
local function chosen(system, given, forces)
  if given == nil then return all_cyclic(system, forces) end
  if type(given) ~= "table" then fail("routh takes the names of cyclic coordinates in a list: S:routh{ \"phi\" }") end
  local wanted = {}
  for key, item in pairs(given) do
    if math.type(key) ~= "integer" then fail("routh takes a list of names, S:routh{ \"phi\" }; it has no option '%s'", tostring(key)) end
    local name = core.is_expression(item) and core.kind(item) == "symbol" and core.name(item) or item
    local q = system._coordinate[name]
    if not q then fail("routh: '%s' is not a coordinate of %s%s", tostring(item), system.name, object.hint(tostring(item), system.coordinate_names)) end
    local why = dependence(system, q, forces)
    if why then fail("routh: '%s' is not cyclic: %s", name, why) end
    wanted[q] = true
  end
  local list = {}
  for _, q in ipairs(system:coordinate_list()) do if wanted[q] then list[#list + 1] = q end end
  if #list == 0 then fail("routh: the list is empty; without a list all cyclic coordinates are eliminated") end
  return list
end

-- The velocities v of the cyclic coordinates by the values p of their momenta
local function solved(cyclic, v, momenta, p)
  local M, rest = affine.of(momenta, v)
  if not M then
    fail("routh: the momentum of '%s' is not linear in the velocities of the cyclic coordinates: %s", core.name(cyclic[rest]), core.text(momenta[rest]))
  end
  local flat = {}
  for a, row in ipairs(M) do
    table.move(row, 1, #v, #flat + 1, flat)
    rest[a] = p[a] - rest[a]
  end
  if vanishes(core.determinant(#v, flat)) then
    fail("routh: the momenta do not determine the velocities of %s: some combination of these has no inertia; leave one out",
      object.quoted(names_of(cyclic)))
  end
  return linear.solve_exactly(M, { rest })[1]
end

-- Declares R = L - sum p q' with its part without velocities as potential energy
local function declare_energies(reduced, R, rest)
  local v = {}
  for i, q in ipairs(rest) do v[i] = q.dot end
  local V = -vanishing.without(R, v)
  reduced:kinetic_energy((R + V):simplify())
  reduced:potential_energy((V:simplify()))
end

--- Eliminates cyclic coordinates by their momenta: R = S:routh{ "phi" } is a system in the other coordinates, with all that systems have.
--- A coordinate is cyclic where neither the Lagrangian nor a force depends on it, and no force acts on it; inputs of
--- S:input are forces, and those on other coordinates stay in R. Without a list all of them are eliminated.
--- The momenta p = dL/dq' are parameters of R, "p_phi", without values: R:simulate{ parameters = { p_phi = 2 }, ... } gives them.
--- R.eliminated.momenta.phi is the momentum in the velocities of S, R.eliminated.velocities.phi the velocity by the momenta, and
--- R:lift(run, { phi = 0 }) the whole motion.
--- The kinetic energy of R is what depends on the velocities that are left (terms linear in them are gyroscopic); its potential energy contains
--- the momenta (the amended potential), so that S:equilibrium and S:linearize of R treat the steady motions of S.
--- Raises an error for coordinates that are not cyclic, and where there are constraints, rotations by unit quaternions,
--- contacts or friction.
--- Source: Routh 1877.
---@param names string[]?
---@return any system
function System:routh(names)
  demand_plain(self)
  local forces, L, v, gone = self:generalised_forces(), self:lagrangian(), {}, {}
  local cyclic = chosen(self, names, forces)
  for a, q in ipairs(cyclic) do v[a], gone[q] = q.dot, true end
  local rest, kept = {}, {}
  for _, q in ipairs(self:coordinate_list()) do
    if not gone[q] then rest[#rest + 1], kept[#kept + 1] = q, core.name(q) end
  end
  if #rest == 0 then fail("routh: all coordinates of %s are cyclic: all velocities are constant, or functions of time, and nothing is left", self.name) end
  local reduced = self:_over(self.name .. " (reduced)", kept)
  local p = table.pack(reduced:parameters(table.concat(naming.free(reduced, { "p_", "P_", "momentum_" }, names_of(cyclic)), " ")))
  local momenta = core.gradient(L, v)
  local velocities, work = solved(cyclic, v, momenta, p), { L }
  for a, velocity in ipairs(velocities) do work[#work + 1] = -p[a]*velocity end
  work[1] = core.substitute(L, v, velocities)
  declare_energies(reduced, core.sum(work), rest)
  for i, q in ipairs(self:coordinate_list()) do
    if not gone[q] and not vanishes(forces[i]) then reduced:force(q, core.substitute(forces[i], v, velocities)) end
  end
  reduced._routh = { whole = self, cyclic = cyclic, velocities = velocities, momenta = momenta }
  return reduced
end

local function reduction_of(system, what)
  return system._routh or fail("%s belongs to systems that S:routh reduced; %s is not one of them", what, system.name)
end

local function by_name(cyclic, list, what)
  local result = {}
  for a, q in ipairs(cyclic) do result[core.name(q)] = list[a] end
  return object.named(what, result)
end

--- Of a system that S:routh reduced: R.eliminated.velocities.phi is the velocity of a cyclic coordinate by the momenta and what is left,
--- R.eliminated.momenta.phi its momentum in the velocities of the whole system.
function System.get.eliminated(self)
  local found = reduction_of(self, "eliminated")
  return { velocities = by_name(found.cyclic, found.velocities, "velocities"), momenta = by_name(found.cyclic, found.momenta, "momenta") }
end

--- The whole motion to a run of a system that S:routh reduced: W = R:lift(run, { phi = 0 }), by quadrature of the velocities of the cyclic
--- coordinates along the run. Their values at the start of the run are 0 where they are not given. W:at(2) has the coordinates and velocities
--- of the whole system, W:at(2, e) the value of an expression in them, W:series(e, ...) the times and values over the stored states.
--- Raises an error for a run that did not keep its steps.
---@param run any
---@param start table? values by name
function System:lift(run, start)
  local found = reduction_of(self, "lift")
  if not object.is_a(run, "Trajectory") or run.system ~= self then fail("lift takes a run of %s: run = R:simulate{...}, R:lift(run)", self.name) end
  local values = {}
  for name, value in pairs(self._routh.whole:by_name(start or {}, "q")) do
    if not object.contains(names_of(found.cyclic), name) then
      fail("lift: '%s' is not one of the coordinates that were eliminated%s", tostring(name), object.hint(tostring(name), names_of(found.cyclic)))
    end
    values[name] = options.number(value) or fail("lift: the start of '%s' is a number, not %s", name, tostring(value))
  end
  return Lifted.new(found, run, values)
end

return System
