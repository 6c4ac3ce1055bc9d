-- Voronets' equations: Chaplygin's without their conditions
--   d/dt dT/dq_j' - dT/dq_j - sum_k c_kj dT/dq_k - sum_k p_k [ sum_l beta^k_jl q_l' + beta^k_j0 ] = Q_j + sum_k c_kj Q_k
--   X_l = d/dq_l + sum_i c_il d/dq_i,  X_0 = d/dt + sum_i c_i0 d/dq_i,  beta^k_jl = X_l c_kj - X_j c_kl,  beta^k_j0 = X_0 c_kj - X_j c_k0
local core = require "hamel.core"
local reduced = require "hamel.forms.reduced"
local symbols = require "hamel.symbols"

return {
  name = "voronets",
  title = "Voronets equations",
  source = "Voronets 1901; Teodorescu 22.2.4",
  options = { dependent = true },
  derive = function(system, options)
    local F = reduced.in_velocities(system, options.dependent, "voronets")
    local S, I, Q = F.solved, F.inertia, system:generalised_forces()
    local q = F.q
    local L = core.substitute(I.L, I.v, F.v)
    -- derivatives along the constrained displacements; index 0 is the time
    local function X(l, e)
      local sum = { l == 0 and core.diff(e, symbols.t) or core.diff(e, q[S.independent[l]]) }
      for i, dependent in ipairs(S.dependent) do sum[#sum + 1] = (l == 0 and S.c0[i] or S.c[i][l])*core.diff(e, q[dependent]) end
      return core.sum(sum)
    end
    local left, right = {}, {}
    for j, index in ipairs(S.independent) do
      local terms, force = { reduced.rate(F, core.diff(L, F.dyn[j])), -core.diff(L, q[index]) }, { Q[index] }
      for k, dependent in ipairs(S.dependent) do
        local bracket = { X(0, S.c[k][j]) - X(j, S.c0[k]) }
        for l = 1, #S.independent do bracket[#bracket + 1] = (X(l, S.c[k][j]) - X(j, S.c[k][l]))*F.dyn[l] end
        terms[#terms + 1] = -S.c[k][j]*core.diff(L, q[dependent])
        terms[#terms + 1] = -core.substitute(I.p[dependent], I.v, F.v)*core.sum(bracket)
        force[#force + 1] = S.c[k][j]*Q[dependent]
      end
      left[j], right[j] = core.sum(terms), core.substitute(core.sum(force), I.v, F.v)
    end
    return reduced.equations{
      form = "voronets", title = "Voronets equations", system = system, kin = q, dyn = F.dyn, rates = F.rates, k = F.v, left = left,
      right = right, v = F.v, a = F.a, lambda = reduced.reactions(system, S, I, F.v, F.a), from_velocities = F.dyn, solved = S, regularity = F.regularity,
      inertia = I, kinematic = reduced.kinematic_rows(F),
    }
  end,
}
