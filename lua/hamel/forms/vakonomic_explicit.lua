-- Vakonomic equations with the constraints solved for dependent velocities, q_d' = phi_d: the functional of L + sum mu_d (phi_d - q_d').
--   d/dt [dL/dq_j' + sum mu_d dphi_d/dq_j'] = dL/dq_j + sum mu_d dphi_d/dq_j          independent j
--   d/dt [dL/dq_e' - mu_e]                  = dL/dq_e + sum mu_d dphi_d/dq_e          dependent e
-- The states are q, the independent velocities and p_e = dL/dq_e' - mu_e, so that constraints and cyclic momenta hold by themselves.
local core = require "hamel.core"
local Equations = require "hamel.equations"
local explicit = require "hamel.equations.explicit"
local kinematics = require "hamel.equations.kinematics"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local dot = kinematics.dot

-- Symbols mu_d and the conjugate momenta p_d, by dependent coordinate
local function multipliers(system, X)
  local mu, conjugate, names = {}, {}, {}
  for d, j in ipairs(X.dependent) do
    names[d] = system.coordinate_names[j]
    mu[d] = core.symbol(naming.free(system, { "mu_", "eta_" }, { names[d] })[1], symbols.DYNAMIC)
    conjugate[d] = core.symbol(naming.free(system, { "p_", "P_", "momentum_" }, { names[d] })[1], symbols.DYNAMIC)
  end
  return mu, conjugate, names
end

-- dL/dq_j' + sum mu_d dphi_d/dq_j' and dL/dq_e' - mu_e; dL/dq_s + sum mu_d dphi_d/dq_s
local function momenta_and_forces(X, L, v, mu)
  local p, force = core.gradient(L, v), core.gradient(L, X.q)
  for s = 1, #X.q do
    p[s], force[s] = core.substitute(p[s], v, X.v), core.substitute(force[s], v, X.v)
    for d, phi in ipairs(X.phi) do
      p[s] = p[s] + mu[d]*core.diff(phi, v[s])
      force[s] = force[s] + mu[d]*core.diff(phi, X.q[s])
    end
  end
  for d, j in ipairs(X.dependent) do p[j] = p[j] - mu[d] end
  return p, force
end

-- Total time derivative with the rates of mu
local function rate(X, e, mu)
  local terms = { explicit.rate(X, e) }
  for _, m in ipairs(mu) do terms[#terms + 1] = core.diff(e, m)*m.dot end
  return core.sum(terms)
end

-- Mass matrix and right-hand side of the independent accelerations: the rows of the independent coordinates plus dphi_d/dq_j' times
-- those of the dependent ones, where mu' drops out; unit rows for p_d' = force_d
local function reduced_system(X, left, force, v, mu)
  local h, g, M, r, zeros, accelerations = #X.independent, #X.dependent, {}, {}, {}, {}
  for l, j in ipairs(X.independent) do accelerations[l], zeros[l] = X.q[j].ddot, 0 end
  for s = 1, h + g do M[s] = {} end
  for l, j in ipairs(X.independent) do
    local row = { left[j] }
    for d, e in ipairs(X.dependent) do row[#row + 1] = core.diff(X.phi[d], v[j])*left[e] end
    local sum = core.sum(row)
    for _, m in ipairs(mu) do sum = core.substitute(sum, { m.dot }, { 0 }) end
    M[l] = core.gradient(sum, accelerations)
    r[l] = -core.substitute(sum, accelerations, zeros)
  end
  for s = 1, h + g do
    for c = 1, h + g do if s > h or c > h then M[s][c] = core.rational(s == c and 1 or 0) end end
  end
  for d, j in ipairs(X.dependent) do r[h + d] = force[j] end
  return M, r
end

-- Accelerations of all coordinates in the independent ones
local function accelerations(X)
  local a = {}
  for s = 1, #X.q do a[s] = X.v[s] == X.q[s].dot and X.q[s].ddot or explicit.rate(X, X.v[s]) end
  return a
end

local function printed_rows(system, X, left)
  local rows, kinematic = {}, {}
  for s = 1, #X.q do rows[s] = { name = system.coordinate_names[s], left = left[s], right = core.rational(0) } end
  for d, j in ipairs(X.dependent) do kinematic[d] = { left = X.q[j].dot, right = X.phi[d] } end
  return rows, kinematic
end

local function derive(system, options, form)
  if #system.force_list > 0 then
    object.fail("the vakonomic model has no place for forces without potential: %s has a force on '%s'", system.name,
      core.text(system.force_list[1].coordinate))
  end
  local X = explicit.solve(system, options.dependent, form.name)
  local v, L, mu, conjugate, names = system:velocity_list(), system:lagrangian(), multipliers(system, X)
  local p, force = momenta_and_forces(X, L, v, mu)
  local left, mu_of = {}, {}
  for s = 1, #X.q do left[s] = rate(X, p[s], mu) - force[s] end
  for d, j in ipairs(X.dependent) do mu_of[d] = p[j] + mu[d] - conjugate[d] end       -- dL/dq_d' - p_d
  local function in_states(list)
    local out = {}
    for i, e in ipairs(list) do out[i] = core.substitute(e, mu, mu_of) end
    return out
  end
  local M, r = reduced_system(X, left, force, v, mu)
  for s, row in ipairs(M) do M[s] = in_states(row) end
  r = in_states(r)
  local dyn, rates, dyn_names, from, lambda, positions = {}, {}, {}, {}, {}, {}
  for l, j in ipairs(X.independent) do
    dyn[l], rates[l], dyn_names[l], from[l] = v[j], X.q[j].ddot, system.coordinate_names[j], v[j]
  end
  local h = #dyn
  for d, j in ipairs(X.dependent) do
    dyn[h + d], rates[h + d], dyn_names[h + d], from[h + d] = conjugate[d], conjugate[d].dot, core.text(conjugate[d]), p[j]
    lambda[d] = conjugate[d].dot - explicit.rate(X, mu_of[d] + conjugate[d])             -- -mu'
  end
  for _, c in ipairs(system.constraints) do
    local position = kinematics.levels(c, X.q, v).position
    if position then positions[#positions + 1] = { name = c.name, f = position.f, row = position.row } end
  end
  local rows, kinematic = printed_rows(system, X, left)
  local L_star = core.substitute(L, v, X.v)
  local rheonomic = { core.diff(L, symbols.t) }
  rheonomic[1] = core.substitute(rheonomic[1], v, X.v)
  for d, phi in ipairs(X.phi) do rheonomic[#rheonomic + 1] = mu[d]*core.diff(phi, symbols.t) end
  local pv, momenta = dot(p, X.v), in_states(p)
  return Equations.new{
    system = system, kin = X.q, dyn = dyn, rates = rates, k = X.v, M = M, r = r, A = {}, b = {},
    multipliers = {}, names = names, dyn_names = dyn_names, rows = rows, positions = positions, velocities = {},
    energy = in_states{ pv - L_star }[1], kinetic = core.substitute(system._T or dot(core.gradient(L, v), v)/2, v, X.v),
    power = -in_states{ core.sum(rheonomic) }[1], v = X.v, a = accelerations(X), lambda = lambda,
    from_velocities = from, mu = mu, mu_of = mu_of, momenta = momenta, kinematic = kinematic, condition = X.slopes,
  }
end

return {
  name = "vakonomic_explicit",
  title = "vakonomic equations, explicit constraints",
  source = "Liang 1999 (6)-(9), (23)-(26)",
  takes = { dependent = true },
  another_motion = true,
  derive = derive,
}
