-- Voronets' equations, for constraints solved as q_k' = phi_k(q, q_1', ..., q_h', t), linear in the velocities or not:
--   d/dt dL/dq_j' - X_j L - sum_k p_k [ d/dt dphi_k/dq_j' - X_j phi_k ] = Q_j + sum_k (dphi_k/dq_j') Q_k,
--   X_j = d/dq_j + sum_i (dphi_i/dq_j') d/dq_i; L with the constraints inserted, p_k the momenta of the full L.
-- For linear constraints the bracket is sum_l (X_l c_kj - X_j c_kl) q_l' + X_0 c_kj - X_j c_k0.
local core = require "hamel.core"
local reduced = require "hamel.forms.shared.reduced"

return {
  name = "voronets",
  title = "Voronets equations",
  source = "Voronets 1901; Teodorescu 22.2.4; nonlinear constraints: Novoselov 1957",
  takes = { dependent = true },
  derive = function(system, options, form)
    local F = reduced.in_velocities(system, options.dependent, form.name)
    local S, I, Q = F.solved, F.inertia, system:generalised_forces()
    local q = F.q
    local L = core.substitute(I.L, I.v, F.v)
    local left, right = {}, {}
    for j, index in ipairs(S.independent) do
      local slopes = {}
      for k, dependent in ipairs(S.dependent) do slopes[k] = core.diff(F.v[dependent], F.dyn[j]) end
      local function X(e)
        local sum = { core.diff(e, q[index]) }
        for i, dependent in ipairs(S.dependent) do sum[#sum + 1] = slopes[i]*core.diff(e, q[dependent]) end
        return core.sum(sum)
      end
      local terms, force = { reduced.rate(F, core.diff(L, F.dyn[j])), -X(L) }, { Q[index] }
      for k, dependent in ipairs(S.dependent) do
        local bracket = reduced.rate(F, slopes[k]) - X(F.v[dependent])
        terms[#terms + 1] = -core.substitute(I.p[dependent], I.v, F.v)*bracket
        force[#force + 1] = slopes[k]*Q[dependent]
      end
      left[j], right[j] = core.sum(terms), core.substitute(core.sum(force), I.v, F.v)
    end
    return reduced.equations{
      system = system, kin = q, dyn = F.dyn, rates = F.rates, k = F.v, left = left,
      right = right, v = F.v, a = F.a, lambda = reduced.reactions(system, S, I, F.v, F.a), from_velocities = F.dyn, solved = S, regularity = F.regularity,
      inertia = I, kinematic = reduced.kinematic_rows(F), nonlinear = F.nonlinear,
    }
  end,
}
