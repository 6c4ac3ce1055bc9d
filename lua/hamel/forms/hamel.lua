-- Boltzmann-Hamel equations in quasi-velocities w_s(q, q', t), the last m of them the constraints; a_sr = dw_s/dq_r', B_rs = dq_r'/dw_s:
--   d/dt dT*/dw_s - dT*/dpi_s + sum_k G_ks dT*/dw_k = P_s (+ lambda_s for the constraints),  dT*/dpi_s = sum_r B_rs dT*/dq_r,
--   G_ks = sum_r (da_kr/dt - dw_k/dq_r) B_rs,  which is sum_l gamma^k_sl w_l + gamma^k_s0 where the quasi-velocities are linear.
-- T* keeps all w until it is differentiated; then those of the constraints are zero.
local base = require "hamel.equations.base"
local base_reduced = require "hamel.forms.shared.base_reduced"
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local nonlinear = require "hamel.equations.nonlinear"
local quasi_form = require "hamel.forms.shared.quasi_form"
local reduced = require "hamel.forms.shared.reduced"

local dot = kinematics.dot

-- dL*/dw_s, dL*/dq_r at fixed w, and the coefficients G, all on the constraints, in the states of the form
local function linear_terms(F)
  local I, K = F.inertia, F.K
  local L = core.substitute(I.L, I.v, kinematics.velocities(K, false))    -- of all n quasi-velocities
  local gamma, gamma0 = kinematics.transposition(K)
  local constrained, zeros, G = {}, {}, {}
  for k = 1, K.m do constrained[k], zeros[k] = K.u[K.h + k], 0 end
  local function on_constraints(e) return core.substitute(e, constrained, zeros) end
  local p, dq = core.gradient(L, K.u), core.gradient(L, K.q)
  for s = 1, K.n do
    p[s], dq[s], G[s] = on_constraints(p[s]), on_constraints(dq[s]), {}
    for j = 1, K.n do
      local sum = { gamma0[s][j] }
      for l = 1, K.h do sum[#sum + 1] = gamma[s][j][l]*K.u[l] end
      G[s][j] = core.sum(sum)
    end
  end
  return p, dq, G
end

-- The same for nonlinear quasi-velocities; where the velocities are not known as functions of w:
-- dL*/dw_s = sum_r p_r B_rs and dL*/dq_r = dL/dq_r - sum_k (dL*/dw_k) dw_k/dq_r
local function nonlinear_terms(F)
  local I, K = F.inertia, F.K
  local G = nonlinear.transposition(K)
  local p, dq = {}, {}
  if not F.implicit then
    local L = core.substitute(I.L, I.v, K.V)
    local constrained, zeros = {}, {}
    for k = 1, K.m do constrained[k], zeros[k] = K.u[K.h + k], 0 end
    p, dq = core.gradient(L, K.u), core.gradient(L, K.q)
    for s = 1, K.n do p[s], dq[s] = core.substitute(p[s], constrained, zeros), core.substitute(dq[s], constrained, zeros) end
    return p, dq, G
  end
  local columns, rates = {}, {}
  for s = 1, K.n do
    columns[s] = {}
    for r = 1, K.n do columns[s][r] = K.B[r][s] end
    p[s] = dot(I.p, columns[s])
  end
  -- d/dt of p = B^T dL/dq' by dB/dt = -B da/dt B: quotients of B are not differentiated
  for s = 1, K.n do
    local terms = {}
    for r = 1, K.n do
      terms[#terms + 1] = reduced.rate(F, I.p[r])*K.B[r][s]
      for k = 1, K.n do terms[#terms + 1] = -p[k]*reduced.rate(F, K.a[k][r])*K.B[r][s] end
    end
    rates[s] = core.sum(terms)
  end
  for r = 1, K.n do
    local terms = { I.force[r] }
    for k = 1, K.n do terms[#terms + 1] = -p[k]*K.dw_dq[k][r] end
    dq[r] = core.sum(terms)
  end
  return p, dq, G, rates
end

return {
  name = "hamel",
  title = "Boltzmann-Hamel equations",
  source = "Boltzmann 1902, Hamel 1904; Teodorescu 22.2.4; nonlinear quasi-velocities: the paper on one-sided constraints (2.2)-(2.8)",
  rotations = true,
  own_states = true,
  takes = { dependent = true },
  derive = function(system, options, form)
    if base.reduces(system) then return base_reduced(system, options, form) end
    local F = reduced.in_quasi(system, options.dependent, form.name)
    local K, I, Q = F.K, F.inertia, system:generalised_forces()
    local p, dq, G, rates = (F.nonlinear and nonlinear_terms or linear_terms)(F)
    local left, right, lambda = {}, {}, {}
    for s = 1, K.n do
      local terms, force = { rates and rates[s] or reduced.rate(F, p[s]) }, {}
      for r = 1, K.n do
        terms[#terms + 1] = -K.B[r][s]*dq[r]
        force[r] = K.B[r][s]*core.substitute(Q[r], I.v, F.v)
      end
      for k = 1, K.n do terms[#terms + 1] = G[k][s]*p[k] end
      if s <= K.h then left[s], right[s] = core.sum(terms), core.sum(force)
      else lambda[s - K.h] = core.sum(terms) - core.sum(force) end
    end
    return quasi_form(system, F, left, right, lambda)
  end,
}
