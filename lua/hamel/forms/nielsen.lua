-- Nielsen's equations: dT'/dq_s' - 2 dT/dq_s = Q_s + sum_b lambda_b df_b/dq_s', with T' the total time derivative of T
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local multiplier_form = require "hamel.forms.shared.multiplier_form"

return {
  name = "nielsen",
  title = "Nielsen equations with multipliers",
  source = "Nielsen 1935",
  derive = function(system)
    local I = kinematics.inertia(system)
    local q, accelerations, zeros, M, bias, left = I.q, {}, {}, {}, {}, {}
    for s = 1, #q do accelerations[s], zeros[s] = q[s].ddot, 0 end
    local rate = core.gradient(core.dt(I.L), I.v)                           -- dT'/dq'
    for s = 1, #q do
      left[s] = rate[s] - 2*I.force[s]
      M[s] = core.gradient(left[s], accelerations)
      bias[s] = core.substitute(left[s], accelerations, zeros)
    end
    return multiplier_form{ system = system, inertia = I, M = M, bias = bias, sides = function(Q) return left, Q end }
  end,
}
