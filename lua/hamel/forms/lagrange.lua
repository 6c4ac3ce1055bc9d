-- Lagrange's equations with multipliers (Routh): d/dt dT/dq_s' - dT/dq_s = Q_s + sum_b lambda_b df_b/dq_s'
-- Chetaev's rule gives the reactions of nonlinear constraints; holonomic constraints are differentiated twice.
-- Systems with bodies or rotations: the same motion in base velocities, with the body rates of rotations.
local base = require "hamel.equations.base"
local base_form = require "hamel.forms.shared.base_form"
local lagrange_form = require "hamel.forms.shared.lagrange_form"

return {
  name = "lagrange",
  title = "Lagrange equations with multipliers",
  source = "Routh 1877; Mei 1994 (2)",
  rotations = true,
  derive = function(system) return (base.applies(system) and base_form.equations or lagrange_form)(system) end,
}
