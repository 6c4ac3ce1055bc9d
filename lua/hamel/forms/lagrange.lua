-- Lagrange's equations with multipliers (Routh): d/dt dT/dq_s' - dT/dq_s = Q_s + sum_b lambda_b df_b/dq_s'
-- Chetaev's rule gives the reactions of nonlinear constraints; holonomic constraints are differentiated twice.
-- Systems with bodies or rotations: the same motion in base velocities, with the body rates of rotations.
local base = require "hamel.equations.base"
local base_form = require "hamel.forms.shared.base_form"
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local multiplier_form = require "hamel.forms.shared.multiplier_form"

return {
  name = "lagrange",
  title = "Lagrange equations with multipliers",
  source = "Routh 1877; Mei 1994 (2)",
  rotations = true,
  derive = function(system)
    if base.applies(system) then return base_form.equations(system) end
    local I = kinematics.inertia(system)
    local q, V_force, left, right, Q = I.q, nil, {}, {}, system:generalised_forces(true)
    if system._V then V_force = core.gradient(system._V, q) end
    for s = 1, #q do
      -- the printed equations: inertia on the left, forces and reactions on the right; dL/dq contains -dV/dq
      local terms = { I.bias[s] }
      for j = 1, #q do terms[#terms + 1] = I.M[s][j]*q[j].ddot end
      if V_force then terms[#terms + 1] = -V_force[s] end
      left[s], right[s] = core.sum(terms), V_force and Q[s] - V_force[s] or Q[s]
    end
    return multiplier_form{ system = system, inertia = I, M = I.M, bias = I.bias, left = left, right = right }
  end,
}
