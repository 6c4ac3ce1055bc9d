-- quasi_form.lua: the equations of a form in quasi-velocities, from its two sides.
local core = require "hamel.core"
local reduced = require "hamel.forms.shared.reduced"

--- F: reduced.in_quasi(...); left, right: one per free quasi-velocity; lambda: reactions by the form itself, or nil for the common ones.
return function(system, F, left, right, lambda)
  for k, row in ipairs(F.constraint_rows or {}) do
    left[F.K.h + k], right[F.K.h + k] = row, core.rational(0)
  end
  return reduced.equations{
    system = system, kin = F.q, dyn = F.dyn, rates = F.rates, k = F.v, left = left, right = right, v = F.v,
    a = F.a, lambda = lambda or reduced.dual_reactions(system, F.K, F.inertia, F.v, F.a), from_velocities = F.from_velocities,
    solved = F.solved, regularity = F.regularity, inertia = F.inertia, kinematic = reduced.kinematic_rows(F), row_names = F.row_names,
    velocities = F.velocities, nonlinear = F.nonlinear, implicit = F.implicit,
  }
end
