-- Equations on the space-time of a linear mapping x' = b pi' (Wang 2019 (15)-(20)): for the free pi
--   g_as (pi_s'' + Gamma^s_(mu nu) pi_mu' pi_nu') = P_a,   pi_time' = 1, pi_fixed' = 0,
-- free of the reactions; the multipliers follow from the equations of the time and of the fixed pi.
local covariant_form = require "hamel.forms.shared.covariant_form"

return {
  name = "mapping",
  title = "covariant equations of a linear mapping",
  source = "Wang 2019 (15)-(20)",
  takes = { mapping = true },
  derive = function(system, options, form)
    covariant_form.demand_mapping(system, options.mapping, form.name)
    return covariant_form.equations(system, options.mapping, form)
  end,
}
