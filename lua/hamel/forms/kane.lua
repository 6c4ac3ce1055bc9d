-- Kane's equations: F_s + F_s* = 0, generalised active and inertia forces by partial velocities dq_r'/du_s, of quasi-velocities and
-- constraints linear in the velocities or not (Jourdain's principle)
local base = require "hamel.equations.base"
local base_reduced = require "hamel.forms.shared.base_reduced"
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local quasi_form = require "hamel.forms.shared.quasi_form"
local reduced = require "hamel.forms.shared.reduced"

local dot = kinematics.dot

return {
  name = "kane",
  title = "Kane equations",
  source = "Kane 1961",
  rotations = true,
  own_states = true,
  takes = { dependent = true },
  derive = function(system, options, form)
    if base.reduces(system) then return base_reduced(system, options, form) end
    local F = reduced.in_quasi(system, options.dependent, form.name)
    local I, K, Q = F.inertia, F.K, system:generalised_forces()
    local left, right = {}, {}
    for s = 1, K.h do
      local partial, inertia, active = {}, {}, {}
      for r = 1, K.n do
        partial[r] = F.implicit and K.B[r][s] or core.diff(F.v[r], F.dyn[s])
        inertia[r] = dot(I.M[r], F.a) + core.substitute(I.bias[r], I.v, F.v)
        active[r] = core.substitute(Q[r], I.v, F.v)
      end
      left[s], right[s] = dot(partial, inertia), dot(partial, active)
    end
    return quasi_form(system, F, left, right)
  end,
}
