-- lagrange_form.lua: Lagrange's equations with multipliers in the coordinates of a system.
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local multiplier_form = require "hamel.forms.shared.multiplier_form"

--- d/dt dT/dq_s' - dT/dq_s = Q_s + sum_b lambda_b df_b/dq_s'. The printed equations have inertia on the left, forces and reactions on the right;
--- dL/dq contains -dV/dq.
return function(system)
  local I = kinematics.inertia(system)
  local q, V_force, left, right, Q = I.q, nil, {}, {}, system:generalised_forces(true)
  if system._V then V_force = core.gradient(system._V, q) end
  for s = 1, #q do
    local terms = { I.bias[s] }
    for j = 1, #q do terms[#terms + 1] = I.M[s][j]*q[j].ddot end
    if V_force then terms[#terms + 1] = -V_force[s] end
    left[s], right[s] = core.sum(terms), V_force and Q[s] - V_force[s] or Q[s]
  end
  return multiplier_form{ system = system, inertia = I, M = I.M, bias = I.bias, left = left, right = right }
end
