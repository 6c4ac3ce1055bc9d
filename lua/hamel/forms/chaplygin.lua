-- Chaplygin's equations: T after insertion of the constraints q_k' = phi_k, and the terms that insertion alone would lose
--   d/dt dT/dq_j' - dT/dq_j - sum_k p_k [ d/dt dphi_k/dq_j' - dphi_k/dq_j ] = Q_j + sum_k (dphi_k/dq_j') Q_k
-- with p_k the momenta of the full T, Q with the forces dL/dq_k that depend on time alone, such as a weight along q_k. Otherwise T - V, the
-- forces and dphi_k/dq_j' must not depend on the dependent coordinates; for linear phi the
-- bracket is sum_l (dc_kj/dq_l - dc_kl/dq_j) q_l' + dc_kj/dt - dc_k0/dq_j, and c_k0 may depend on them.
local core = require "hamel.core"
local object = require "hamel.base.object"
local reduced = require "hamel.forms.shared.reduced"

-- The force dL/dq along a dependent coordinate, which is a given function of time; nil where it depends on the state
local function steady_force(F, j)
  local force = core.diff(F.inertia.L, F.q[j])
  for _, list in ipairs{ F.q, F.inertia.v } do
    for _, d in ipairs(core.gradient(force, list)) do if d:is_zero() ~= true then return nil end end
  end
  return force
end

-- Which of T - V, forces, coefficients depends on a dependent coordinate
local function demand_chaplygin(system, F, form)
  local S, Q, names = F.solved, system:generalised_forces(), system.coordinate_names
  local function check(e, what)
    for _, j in ipairs(S.dependent) do
      if core.diff(e, F.q[j]):is_zero() ~= true then
        object.fail("%s is no Chaplygin system, so the form '%s' does not apply: %s depends on '%s'; take 'voronets', or other dependent velocities",
          system.name, form, what, names[j])
      end
    end
  end
  for _, j in ipairs(S.dependent) do
    if not steady_force(F, j) then check(F.inertia.L, system._L and "the Lagrangian" or "T - V") end
  end
  for j, e in ipairs(Q) do check(e, ("the force on '%s'"):format(names[j])) end
  for _, dependent in ipairs(S.dependent) do
    for l, independent in ipairs(S.independent) do
      check(core.diff(F.v[dependent], F.dyn[l]), ("the coefficient of %s' in %s'"):format(names[independent], names[dependent]))
    end
  end
end

-- Both forms that insert the constraints; `with_momenta` distinguishes Chaplygin's from Lindelof's
local function derive(system, options, form, title, with_momenta)
  local F = reduced.in_velocities(system, options.dependent, form)
  demand_chaplygin(system, F, form)
  local S, I, Q = F.solved, F.inertia, system:generalised_forces()
  local L = core.substitute(I.L, I.v, F.v)
  local left, right = {}, {}
  for j, index in ipairs(S.independent) do
    local terms = { reduced.rate(F, core.diff(L, F.dyn[j])), -core.diff(L, F.q[index]) }
    local force = { Q[index] }
    for _, lost in ipairs(with_momenta and reduced.lost_terms(F, j) or {}) do terms[#terms + 1] = -lost end
    for _, dependent in ipairs(S.dependent) do force[#force + 1] = core.diff(F.v[dependent], F.dyn[j])*(Q[dependent] + core.diff(I.L, F.q[dependent])) end
    left[j], right[j] = core.sum(terms), core.substitute(core.sum(force), I.v, F.v)
  end
  return reduced.equations{
    form = form, title = title, system = system, kin = F.q, dyn = F.dyn, rates = F.rates, k = F.v, left = left, right = right, v = F.v,
    a = F.a, lambda = reduced.reactions(system, S, I, F.v, F.a), from_velocities = F.dyn, solved = S, regularity = F.regularity, inertia = I,
    kinematic = reduced.kinematic_rows(F), another_motion = not with_momenta, nonlinear = F.nonlinear,
  }
end

return {
  name = "chaplygin",
  title = "Chaplygin equations",
  source = "Chaplygin 1897; Teodorescu 22.2.4; nonlinear constraints: Novoselov 1957",
  options = { dependent = true },
  insert = derive,
  derive = function(system, options) return derive(system, options, "chaplygin", "Chaplygin equations", true) end,
}
