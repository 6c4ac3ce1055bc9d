-- lagrange_form.lua: Lagrange's equations with multipliers in the coordinates of a system.
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local multiplier_form = require "hamel.forms.shared.multiplier_form"

--- d/dt dT/dq_s' - dT/dq_s = Q_s + sum_b lambda_b df_b/dq_s'. The printed equations have inertia on the left, forces and reactions on the right;
--- dL/dq contains -dV/dq.
return function(system)
  local I, V = kinematics.inertia(system), system._V
  local q = I.q
  local function sides(Q)
    local V_force, left, right, accelerations = V and core.gradient(V, q), {}, {}, {}
    for j = 1, #q do accelerations[j] = q[j].ddot end
    for s = 1, #q do
      local terms = { I.bias[s] }
      for j = 1, #q do terms[#terms + 1] = I.M[s][j]*accelerations[j] end
      if V_force then terms[#terms + 1] = -V_force[s] end
      left[s], right[s] = core.sum(terms), V_force and Q[s] - V_force[s] or Q[s]
    end
    return left, right
  end
  return multiplier_form{ system = system, inertia = I, M = function() return I.M end, bias = function() return I.bias end, sides = sides }
end
