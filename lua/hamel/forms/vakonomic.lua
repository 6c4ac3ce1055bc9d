-- Vakonomic equations (Kozlov): stationary value of the integral of L + mu f. The multipliers mu are states with starts of their own:
--   d/dt dL*/dq' - dL*/dq = 0, L* = L + sum mu_k f_k, f_k = 0. Liang 1999 (4), (7), (22).
local core = require "hamel.core"
local Equations = require "hamel.equations"
local kinematics = require "hamel.equations.kinematics"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

return {
  name = "vakonomic",
  title = "vakonomic equations",
  source = "Kozlov 1982; Liang 1999 (22)",
  another_motion = true,
  derive = function(system)
    if #system.force_list > 0 then
      object.fail("the vakonomic model has no place for forces without potential: %s has a force on '%s'", system.name,
        core.text(system.force_list[1].coordinate))
    end
    local q, v, L = system:coordinate_list(), system:velocity_list(), system:lagrangian()
    local n, m = #q, #system.constraints
    local mu, names, levels = {}, {}, {}
    local letters = naming.free(system, { "mu", "eta", "multiplier" }, naming.numbers(m, true))
    for k, c in ipairs(system.constraints) do
      mu[k] = core.symbol(letters[k], symbols.DYNAMIC)
      levels[k], names[k] = kinematics.levels(c, q, v), c.name
      L = L + mu[k]*levels[k].velocity.f
    end
    local p, force = core.gradient(L, v), core.gradient(L, q)
    local bias = kinematics.drift(p, q, v)
    local M, r, rows = core.hessian(p, v), {}, {}
    for k = 1, m do
      M[n + k] = {}
      for s = 1, n do M[s][n + k], M[n + k][s] = levels[k].velocity.row[s], levels[k].velocity.row[s] end
      for l = 1, m do M[n + k][n + l] = core.rational(0) end
      r[n + k] = -levels[k].b
    end
    for s = 1, n do
      r[s] = force[s] - bias[s]
      local left = { -r[s] }
      for j = 1, n do left[#left + 1] = M[s][j]*q[j].ddot end
      for k = 1, m do left[#left + 1] = M[s][n + k]*mu[k].dot end
      rows[s] = { name = core.text(q[s]), left = core.sum(left), right = core.rational(0) }
    end
    local dyn, rates, dyn_names, positions, velocities, a, lambda = {}, {}, {}, {}, {}, {}, {}
    for s = 1, n do dyn[s], rates[s], dyn_names[s], a[s] = v[s], q[s].ddot, system.coordinate_names[s], q[s].ddot end
    for k = 1, m do
      dyn[n + k], rates[n + k], dyn_names[n + k] = mu[k], mu[k].dot, names[k]
      lambda[k] = -mu[k].dot                                                 -- the lambda of Chetaev's rule, apart from the term in mu
      if levels[k].position then positions[#positions + 1] = { name = names[k], f = levels[k].position.f, row = levels[k].position.row } end
      local row = table.move(levels[k].velocity.row, 1, n, 1, {})
      for l = 1, m do row[n + l] = core.rational(0) end
      velocities[k] = { name = names[k], f = levels[k].velocity.f, row = row }
    end
    return Equations.new{
      system = system, kin = q, dyn = dyn, rates = rates, k = v, M = M, r = r, A = {},
      b = {}, multipliers = {}, names = names, dyn_names = dyn_names, rows = rows, positions = positions, velocities = velocities,
      energy = kinematics.dot(p, v) - L, kinetic = system._T or kinematics.dot(p, v)/2, power = -core.diff(L, symbols.t),
      v = v, a = a, lambda = lambda, from_velocities = table.move(mu, 1, m, n + 1, table.move(v, 1, n, 1, {})), mu = mu, mu_of = mu, momenta = p,
    }
  end,
}
