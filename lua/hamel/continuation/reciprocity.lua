-- reciprocity.lua: do the equations say that Floquet's multipliers come with their inverses?
--
-- The map of a period of a Hamiltonian system is symplectic: with every multiplier goes its inverse. A system is Hamiltonian where all forces are derived from
-- a potential, which may depend on the time and be linear in the velocities, and all constraints are holonomic. Multipliers alone do not tell this from weak
-- damping.
-- Source: Arnold, Mathematical methods of classical mechanics (1989), 38 and 42; Santilli, Foundations of theoretical mechanics I (1978), on Helmholtz's
-- conditions.
local compile = require "hamel.model.compile"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local reciprocity = {}

local function are_holonomic(constraints)
  for _, c in ipairs(constraints) do if rawget(c, "kind") ~= "holonomic" then return false end end
  return true
end

-- The parameters that are zero and stay so, and as many zeros
local function vanishing(system, given, held)
  local list, zeros = {}, {}
  for _, name in ipairs(system.parameter_names) do
    local s = system._parameter[name]
    if compile.parameter_value(system, name, given) == 0 and not object.contains(held, s) then
      list[#list + 1], zeros[#zeros + 1] = s, core.rational(0)
    end
  end
  return list, zeros
end

local function vanishes(e) return e:is_zero() == true end

local function all_vanish(list)
  for _, e in ipairs(list) do if not vanishes(e) then return false end end
  return true
end

-- Helmholtz's conditions for forces whose derivatives by the velocities are constant: dQ_i/dv_j = - dQ_j/dv_i and dQ_i/dq_j = dQ_j/dq_i
local function are_potential(forces, q, v)
  local moving, by_q, by_v = table.move(v, 1, #v, #q + 1, table.move(q, 1, #q, 1, {})), {}, {}
  local changing = gradients.set(moving)
  changing[symbols.t] = true
  for i, Q in ipairs(forces) do
    if gradients.jump(Q, moving) then return false end
    by_q[i], by_v[i] = core.gradient(Q, q), core.gradient(Q, v)
  end
  for i = 1, #forces do
    for j = 1, i do
      if not vanishes(by_v[i][j] + by_v[j][i]) or not vanishes(by_q[i][j] - by_q[j][i]) then return false end
      if not vanishes(by_v[i][j]) and gradients.contains(by_v[i][j], changing) then return false end
    end
  end
  return true
end

--- Is a system Hamiltonian by its forces and constraints, at all values of the parameters that change? given: values of parameters by name; held: symbols of
--- those that change. false: it is not known to be.
function reciprocity.of(system, given, held)
  if contact.any(system) or system:external_forces()[1] or #system:forces_on_rates() > 0 or rawget(system, "_lambda") then return false end
  if not are_holonomic(system.constraints) then return false end
  local list, zeros = vanishing(system, given, held or {})
  local forces = {}
  for i, Q in ipairs(system:generalised_forces(true)) do forces[i] = #list > 0 and core.substitute(Q, list, zeros) or Q end
  -- the components of a unit quaternion are not free, so that conditions on their derivatives tell nothing: there forces must vanish
  if system._rotations[1] then return all_vanish(forces) end
  return are_potential(forces, system:coordinate_list(), system:velocity_list())
end

return reciprocity
