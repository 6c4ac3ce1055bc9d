-- Volterra's equations in kinematic characteristics u_k, B_rk = dq_r'/du_k (q_r' = sum B_rk u_k + B_r0 where they are linear):
--   d/dt dT/du_k = sum_r (dT/dq_r') dB_rk/dt + sum_r B_rk (dT/dq_r + Q_r)
local base_reduced = require "hamel.forms.shared.base_reduced"
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local quasi_form = require "hamel.forms.shared.quasi_form"
local reduced = require "hamel.forms.shared.reduced"

return {
  name = "volterra",
  title = "Volterra equations",
  source = "Volterra 1898; Teodorescu 22.2.4",
  rotations = true,
  own_states = true,
  takes = { dependent = true },
  derive = function(system, options, form)
    if #system._rotations > 0 then return base_reduced(system, options, form) end
    local F = reduced.in_quasi(system, options.dependent, form.name)
    local I, K, Q = F.inertia, F.K, system:generalised_forces()
    local L = core.substitute(I.L, I.v, F.v)
    local left, right = {}, {}
    for k = 1, K.h do
      local terms = {}
      for r = 1, K.n do
        terms[#terms + 1] = core.substitute(I.p[r], I.v, F.v)*reduced.rate(F, K.B[r][k])
        terms[#terms + 1] = K.B[r][k]*core.substitute(I.force[r] + Q[r], I.v, F.v)
      end
      local momentum = core.diff(L, F.dyn[k])
      if F.implicit then
        local column = {}
        for r = 1, K.n do column[r] = K.B[r][k] end
        momentum = kinematics.dot(I.p, column)
      end
      left[k], right[k] = reduced.rate(F, momentum), core.sum(terms)
    end
    return quasi_form(system, F, left, right)
  end,
}
