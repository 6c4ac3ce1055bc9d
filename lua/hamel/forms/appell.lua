-- Appell's equations: dS/du_s' = Q*_s, S the energy of accelerations as a function of the free quasi-accelerations
local base = require "hamel.equations.base"
local base_reduced = require "hamel.forms.shared.base_reduced"
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local quasi_form = require "hamel.forms.shared.quasi_form"
local reduced = require "hamel.forms.shared.reduced"

local dot = kinematics.dot

return {
  name = "appell",
  title = "Appell equations",
  source = "Appell 1899; Gibbs 1879",
  rotations = true,
  own_states = true,
  takes = { dependent = true },
  derive = function(system, options, form)
    if base.reduces(system) then return base_reduced(system, options, form) end
    local F = reduced.in_quasi(system, options.dependent, form.name)
    local I, K, Q = F.inertia, F.K, system:generalised_forces()
    local S_rates, left, right = core.gradient(reduced.acceleration_energy(F), F.rates), {}, {}
    for s = 1, K.h do
      left[s] = S_rates[s]
      if F.implicit then
        -- dq_r''/du_s' = dq_r'/du_s
        local column = {}
        for r = 1, K.n do column[r] = K.B[r][s] end
        left[s] = dot(S_rates, column)
      end
      local terms = {}
      for r = 1, K.n do terms[r] = K.B[r][s]*core.substitute(Q[r], I.v, F.v) end
      right[s] = core.sum(terms)
    end
    return quasi_form(system, F, left, right)
  end,
}
