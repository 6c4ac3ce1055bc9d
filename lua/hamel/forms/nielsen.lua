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
    local q, accelerations, zeros, sides = I.q, {}, {}, nil
    for s = 1, #q do accelerations[s], zeros[s] = q[s].ddot, 0 end
    local function left()
      if sides then return sides end
      local rate = core.gradient(core.dt(I.L), I.v)                         -- dT'/dq'
      sides = {}
      for s = 1, #q do sides[s] = rate[s] - 2*I.force[s] end
      return sides
    end
    local function M()
      local rows = {}
      for s, side in ipairs(left()) do rows[s] = core.gradient(side, accelerations) end
      return rows
    end
    local function bias()
      local list = {}
      for s, side in ipairs(left()) do list[s] = core.substitute(side, accelerations, zeros) end
      return list
    end
    return multiplier_form{ system = system, inertia = I, M = M, bias = bias, sides = function(Q) return left(), Q end }
  end,
}
