-- inserted.lua: T after insertion of the constraints q_k' = phi_k, as Chaplygin and Lindelof write it.
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

--- The equations of a form that inserts the constraints: all terms, or those that insertion alone leaves where the form is another motion.
return function(system, options, form)
  local F = reduced.in_velocities(system, options.dependent, form.name)
  demand_chaplygin(system, F, form.name)
  local S, I, Q = F.solved, F.inertia, system:generalised_forces()
  local L = core.substitute(I.L, I.v, F.v)
  local left, right = {}, {}
  for j, index in ipairs(S.independent) do
    local terms = { reduced.rate(F, core.diff(L, F.dyn[j])), -core.diff(L, F.q[index]) }
    local force = { Q[index] }
    for _, lost in ipairs(form.another_motion and {} or reduced.lost_terms(F, j)) do terms[#terms + 1] = -lost end
    for _, dependent in ipairs(S.dependent) do force[#force + 1] = core.diff(F.v[dependent], F.dyn[j])*(Q[dependent] + core.diff(I.L, F.q[dependent])) end
    left[j], right[j] = core.sum(terms), core.substitute(core.sum(force), I.v, F.v)
  end
  return reduced.equations{
    system = system, kin = F.q, dyn = F.dyn, rates = F.rates, k = F.v, left = left, right = right, v = F.v,
    a = F.a, lambda = reduced.reactions(system, S, I, F.v, F.a), from_velocities = F.dyn, solved = S, regularity = F.regularity, inertia = I,
    kinematic = reduced.kinematic_rows(F), another_motion = form.another_motion, nonlinear = F.nonlinear,
  }
end
