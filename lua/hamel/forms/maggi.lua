-- Maggi's equations: sum_r B_rk (d/dt dT/dq_r' - dT/dq_r - Q_r) = 0, B the admissible directions; the complementary directions
-- give the reactions.
local base = require "hamel.equations.base"
local base_reduced = require "hamel.forms.shared.base_reduced"
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local quasi_form = require "hamel.forms.shared.quasi_form"
local reduced = require "hamel.forms.shared.reduced"

local dot = kinematics.dot

return {
  name = "maggi",
  title = "Maggi equations",
  source = "Maggi 1896; Teodorescu 22.2.4",
  rotations = true,
  own_states = true,
  takes = { dependent = true },
  derive = function(system, options, form)
    if base.reduces(system) then return base_reduced(system, options, form) end
    local F = reduced.in_quasi(system, options.dependent, form.name)
    local I, K, Q = F.inertia, F.K, system:generalised_forces()
    local E, force = reduced.inertia_terms(F), {}
    for r = 1, K.n do force[r] = core.substitute(Q[r], I.v, F.v) end
    local left, right, lambda = {}, {}, {}
    for s = 1, K.n do
      local column = {}
      for r = 1, K.n do column[r] = K.B[r][s] end
      if s <= K.h then left[s], right[s] = dot(column, E), dot(column, force)
      else lambda[s - K.h] = dot(column, E) - dot(column, force) end
    end
    return quasi_form(system, F, left, right, lambda)
  end,
}
