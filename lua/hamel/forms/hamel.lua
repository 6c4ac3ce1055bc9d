-- Boltzmann-Hamel equations in quasi-velocities w_s = sum a_sr q_r' + a_s0, the last m of them the constraints:
--   d/dt dT*/dw_s - dT*/dpi_s + sum_k ( sum_l gamma^k_sl w_l + gamma^k_s0 ) dT*/dw_k = P_s (+ lambda_s for the constraints),
--   dT*/dpi_s = sum_r B_rs dT*/dq_r. T* keeps all w until it is differentiated; then those of the constraints are zero.
local core = require "hamel.core"
local kinematics = require "hamel.kinematics"
local quasi_form = require "hamel.forms.quasi_form"
local reduced = require "hamel.forms.reduced"

return {
  name = "hamel",
  title = "Boltzmann-Hamel equations",
  source = "Boltzmann 1902, Hamel 1904; Teodorescu 22.2.4",
  options = { dependent = true },
  derive = function(system, options)
    local F = reduced.in_quasi(system, options.dependent, "hamel")
    local I, K, Q = F.inertia, F.K, system:generalised_forces()
    local L = core.substitute(I.L, I.v, kinematics.velocities(K, false))    -- of all n quasi-velocities
    local gamma, gamma0 = kinematics.transposition(K)
    local constrained, zeros = {}, {}
    for k = 1, K.m do constrained[k], zeros[k] = K.u[K.h + k], 0 end
    local function on_constraints(e) return core.substitute(e, constrained, zeros) end
    local p, dq = core.gradient(L, K.u), core.gradient(L, K.q)
    for s = 1, K.n do p[s], dq[s] = on_constraints(p[s]), on_constraints(dq[s]) end
    local left, right, lambda = {}, {}, {}
    for s = 1, K.n do
      local terms, force = { reduced.rate(F, p[s]) }, {}
      for r = 1, K.n do
        terms[#terms + 1] = -K.B[r][s]*dq[r]
        force[r] = K.B[r][s]*core.substitute(Q[r], I.v, F.v)
      end
      for k = 1, K.n do
        local sum = { gamma0[k][s] }
        for l = 1, K.h do sum[#sum + 1] = gamma[k][s][l]*K.u[l] end
        terms[#terms + 1] = core.sum(sum)*p[k]
      end
      if s <= K.h then left[s], right[s] = core.sum(terms), core.sum(force)
      else lambda[s - K.h] = core.sum(terms) - core.sum(force) end
    end
    return quasi_form("hamel", "Boltzmann-Hamel equations", system, F, left, right, lambda)
  end,
}
