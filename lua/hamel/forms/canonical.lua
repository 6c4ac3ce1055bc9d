-- Canonical equations in quasi-coordinates, p_s = dT*/dw_s, H* = sum p_s w_s - T* + V:
--   q_r' = sum_s B_rs dH*/dp_s + B_r0
--   p_s' = - sum_r B_rs dH*/dq_r - sum_k ( sum_l gamma^k_sl dH*/dp_l + gamma^k_s0 ) p_k + P_s        s = 1..h
--   0 = dH*/dp_(h+b), which gives the momenta of the constraints
-- dH*/dp_l = w_l and, at fixed p, dH*/dq_r = -dL*/dq_r at fixed w (Legendre).
local affine = require "hamel.algebra.affine"
local base_canonical = require "hamel.forms.shared.base_canonical"
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local linear = require "hamel.algebra.linear"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local reduced = require "hamel.forms.shared.reduced"
local symbols = require "hamel.algebra.symbols"

local LARGE = 400                      -- nodes of an entry that stays as it is

local function short(e)
  if core.tree_size(e) > LARGE then return e end
  return (core.simplify(e, "auto", nil, { effort = 1 }))
end

return {
  name = "canonical",
  title = "canonical equations in quasi-coordinates",
  source = "Poincare 1901; Teodorescu 22.2.4",
  rotations = true,
  own_states = true,
  takes = { dependent = true },
  derive = function(system, options, form)
    if #system._rotations > 0 then return base_canonical(system, options, form) end
    local F = reduced.in_quasi(system, options.dependent, form.name)
    if F.nonlinear then
      object.fail("the form 'canonical' needs constraints and quasi-velocities linear in the velocities: %s has others, whose momenta cannot be "
        .. "solved for the velocities in general; take 'hamel' or 'lagrange'", system.name)
    end
    local I, K, Q = F.inertia, F.K, system:generalised_forces()
    local L = core.substitute(I.L, I.v, kinematics.velocities(K, false))
    local gamma, gamma0 = kinematics.transposition(K)
    local constrained, zeros = {}, {}
    for k = 1, K.m do constrained[k], zeros[k] = K.u[K.h + k], 0 end
    local momenta, dq = core.gradient(L, K.u), core.gradient(L, K.q)
    for s = 1, K.n do
      momenta[s] = core.substitute(momenta[s], constrained, zeros)
      dq[s] = core.substitute(dq[s], constrained, zeros)
    end
    -- the free quasi-velocities by the free momenta
    local p, p_rates, free, rest = {}, {}, {}, {}
    local numbered = naming.free(system, { "p", "P", "momentum" }, naming.numbers(K.h))
    for s = 1, K.h do
      p[s] = core.symbol(numbered[s], symbols.DYNAMIC)
      p_rates[s] = p[s].dot
      free[s] = momenta[s]
    end
    -- momenta p = M u + b are solved for u where M is free of u, so for kinetic energies of second degree in the velocities
    local M, b = affine.of(free, F.dyn)
    if not M then
      object.fail("the form 'canonical' needs momenta linear in the velocities, and those of %s are not: its kinetic energy is of higher degree; "
        .. "take 'hamel' or 'lagrange'", system.name)
    end
    -- short entries, sin^2 + cos^2 gone, before the elimination multiplies them
    for s = 1, K.h do
      for l = 1, K.h do M[s][l] = short(M[s][l]) end
      rest[s] = p[s] - b[s]
    end
    local w = K.h > 0 and linear.solve(M, { rest })[1] or {}
    local function by_momenta(e) return core.substitute(e, F.dyn, w) end
    local v, all = {}, {}
    for r = 1, K.n do v[r] = by_momenta(F.v[r]) end
    for k = 1, K.n do all[k] = k <= K.h and p[k] or by_momenta(momenta[k]) end
    local G = { q = F.q, v = v, dyn = p, rates = p_rates }
    local left, right, lambda = {}, {}, {}
    for s = 1, K.n do
      local terms = {}
      for r = 1, K.n do
        terms[#terms + 1] = K.B[r][s]*by_momenta(dq[r] + core.substitute(Q[r], I.v, F.v))
      end
      for k = 1, K.n do
        local sum = { gamma0[k][s] }
        for l = 1, K.h do sum[#sum + 1] = gamma[k][s][l]*w[l] end
        terms[#terms + 1] = -core.sum(sum)*all[k]
      end
      if s <= K.h then left[s], right[s] = p_rates[s], core.sum(terms)
      else lambda[s - K.h] = reduced.rate(G, all[s]) - core.sum(terms) end
    end
    local a, from = {}, {}
    for r = 1, K.n do a[r] = reduced.rate(G, v[r]) end
    for s = 1, K.h do from[s] = core.substitute(momenta[s], F.dyn, F.from_velocities) end
    return reduced.equations{
      system = system, kin = F.q, dyn = p, rates = p_rates, k = v,
      left = left, right = right, v = v, a = a, lambda = lambda, from_velocities = from, solved = F.solved, regularity = F.regularity, inertia = I,
      kinematic = reduced.kinematic_rows(G),
    }
  end,
}
