-- Equations with the Christoffel symbols of the metric that a linear mapping induces, in place of its connection: Lagrange's equations
-- of T* = g_(mu nu) pi_mu' pi_nu'/2 as if the pi were coordinates. They are the motion exactly when the mapping is integrable
-- (Wang 2019, remark 4) and are here to be compared.
local covariant_form = require "hamel.forms.shared.covariant_form"

return {
  name = "geodesic",
  title = "geodesic equations of the induced metric (not the motion of the system when the mapping is not integrable)",
  source = "Wang 2019, remark 4",
  takes = { mapping = true },
  another_motion = true,
  derive = function(system, options, form)
    covariant_form.demand_mapping(system, options.mapping, form.name)
    return covariant_form.equations(system, options.mapping, form, options.mapping:levi_civita())
  end,
}
