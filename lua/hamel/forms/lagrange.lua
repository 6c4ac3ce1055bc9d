-- Lagrange's equations with multipliers (Routh): d/dt dT/dq_s' - dT/dq_s = Q_s + sum_b lambda_b df_b/dq_s'
-- Chetaev's rule gives the reactions of nonlinear constraints; holonomic constraints are differentiated twice.
local core = require "hamel.core"
local Equations = require "hamel.equations"
local kinematics = require "hamel.kinematics"
local symbols = require "hamel.symbols"

local dot = kinematics.dot

-- M = d2L/dq'dq', by one forward sweep of the momenta per coordinate
local function mass_matrix(p, v)
  local M = {}
  for i = 1, #v do M[i] = {} end
  for j = 1, #v do
    for i, entry in ipairs(core.directional(p, { v[j] }, { 1 })) do M[i][j] = entry end
  end
  return M
end

-- Power of a multiplier: df/dq' . q', which is f itself for a linear catastatic constraint, hence zero
local function multiplier_power(level, v)
  local c = level.constraint
  if c.catastatic and c.kind ~= "nonlinear nonholonomic" then return core.rational(0) end
  return dot(level.velocity.row, v)
end

return {
  name = "lagrange",
  title = "Lagrange equations with multipliers",
  source = "Routh 1877; Mei 1994 (2)",
  derive = function(system)
    local q, v, L = system:coordinate_list(), system:velocity_list(), system:lagrangian()
    local p, force = core.gradient(L, v), core.gradient(L, q)             -- momenta, dL/dq
    local bias, Q = kinematics.drift(p, q, v), system:generalised_forces()
    local M = mass_matrix(p, v)
    local levels, A, b, r = {}, {}, {}, {}
    for i, c in ipairs(system.constraints) do
      levels[i] = kinematics.levels(c, q, v)
      A[i], b[i] = levels[i].velocity.row, levels[i].b
    end
    for s = 1, #q do r[s] = Q[s] + force[s] - bias[s] end

    -- what is printed: inertia on the left, forces and reactions on the right
    local lambda, rows = kinematics.multiplier_symbols(system.constraints), {}
    local V_force = system._V and core.gradient(system._V, q)
    for s = 1, #q do
      local left = { bias[s], -force[s] }
      for j = 1, #q do left[#left + 1] = M[s][j]*q[j].ddot end
      local right = { Q[s] }
      if V_force then
        right[#right + 1] = -V_force[s]
        left[#left + 1] = -V_force[s]                                     -- dL/dq holds -dV/dq: moved to the right
      end
      for i = 1, #lambda do right[#right + 1] = lambda[i]*A[i][s] end
      rows[s] = { name = core.text(q[s]), left = core.sum(left), right = core.sum(right) }
    end

    local positions, velocities, powers, names = {}, {}, {}, {}
    for i, level in ipairs(levels) do
      names[i] = level.name
      if level.position then positions[#positions + 1] = { name = level.name, f = level.position.f, row = level.position.row } end
      velocities[i] = { name = level.name, f = level.velocity.f, row = level.velocity.row }
      powers[i] = multiplier_power(level, v)
    end
    local pv = dot(p, v)
    return Equations.new{
      form = "lagrange", title = "Lagrange equations with multipliers", system = system,
      kin = q, dyn = v, k = v, M = M, r = r, A = A, b = b, multipliers = lambda, names = names,
      dyn_names = system.coordinate_names, rows = rows, positions = positions, velocities = velocities,
      energy = pv - L, kinetic = system._T or pv/2, power = dot(Q, v) - core.diff(L, symbols.t), multiplier_power = powers,
    }
  end,
}
