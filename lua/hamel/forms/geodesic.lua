-- Equations with the Christoffel symbols of the metric that a linear mapping induces, in place of its connection: Lagrange's equations
-- of T* = g_(mu nu) pi_mu' pi_nu'/2 as if the pi were coordinates. They are the motion exactly when the mapping is integrable
-- (Wang 2019, remark 4) and are here to be compared.
local mapping = require "hamel.forms.mapping"

local title = "geodesic equations of the induced metric (not the motion of the system when the mapping is not integrable)"

return {
  name = "geodesic",
  title = title,
  source = "Wang 2019, remark 4",
  needs_mapping = true,
  another_motion = true,
  derive = function(system, options)
    local map = options.mapping
    mapping.demand_mapping(system, map, "geodesic")
    return mapping.with(system, map, { form = "geodesic", title = title, gamma = map:levi_civita(), another_motion = true })
  end,
}
