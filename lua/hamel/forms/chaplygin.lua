-- Chaplygin's equations: T after insertion of the constraints q_k' = phi_k, and the terms that insertion alone would lose
--   d/dt dT/dq_j' - dT/dq_j - sum_k p_k [ d/dt dphi_k/dq_j' - dphi_k/dq_j ] = Q_j + sum_k (dphi_k/dq_j') Q_k
-- with p_k the momenta of the full T, Q with the forces dL/dq_k that depend on time alone, such as a weight along q_k. Otherwise T - V, the
-- forces and dphi_k/dq_j' must not depend on the dependent coordinates; for linear phi the
-- bracket is sum_l (dc_kj/dq_l - dc_kl/dq_j) q_l' + dc_kj/dt - dc_k0/dq_j, and c_k0 may depend on them.
local inserted = require "hamel.forms.shared.inserted"

return {
  name = "chaplygin",
  title = "Chaplygin equations",
  source = "Chaplygin 1897; Teodorescu 22.2.4; nonlinear constraints: Novoselov 1957",
  takes = { dependent = true },
  derive = inserted,
}
