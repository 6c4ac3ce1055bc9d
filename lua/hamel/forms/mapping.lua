-- Equations on the space-time of a linear mapping x' = b pi' (Wang 2019 (15)-(20)): for the spatial pi
--   g_ab pi_b'' + g_as Gamma^s_(mu nu) pi_mu' pi_nu' = P_a,   pi_time' = 1,
-- free of the reaction; the multiplier follows from the time equation.
local core = require "hamel.core"
local object = require "hamel.object"
local reduced = require "hamel.forms.reduced"
local kinematics = require "hamel.kinematics"
local symbols = require "hamel.symbols"

local dot = kinematics.dot

-- What a mapping could be made of
local function demand_moving_surface(system)
  for _, c in ipairs(system.constraints) do if c.holonomic and not c.catastatic then return end end
  object.fail("the form 'mapping' needs a rheonomic holonomic constraint f(q, t) = 0, and %s has none", system.name)
end

return {
  name = "mapping",
  title = "covariant equations of a linear mapping",
  source = "Wang 2019 (15)-(20)",
  needs_mapping = true,
  derive = function(system, options)
    local map = options.mapping
    if not map then demand_moving_surface(system) end
    if not map or map.system ~= system then object.fail("the form 'mapping' needs mapping = S:linear_mapping{...} of this system") end
    if map.changes ~= system._changes then object.fail("%s was changed after its linear mapping was made: call S:linear_mapping again", system.name) end
    local I, Q = kinematics.inertia(system), system:generalised_forces()
    local q, n, b = I.q, #I.q, map.b
    -- pi' of all: the spatial ones are states, that of time is one
    local pi, dyn, rates, all, all_rates = {}, {}, {}, {}, {}
    for mu = 1, n do
      pi[mu] = core.symbol(map.names[mu], symbols.DYNAMIC)
      all[mu], all_rates[mu] = pi[mu].dot, pi[mu].ddot
      if mu == map.time then
        all[mu], all_rates[mu] = core.rational(1), core.rational(0)
      else
        dyn[#dyn + 1], rates[#rates + 1] = pi[mu].dot, pi[mu].ddot
      end
    end
    local v, a, from = {}, {}, {}
    for j = 1, n do v[j] = dot(b[j], all) end
    -- pi'' + Gamma pi' pi', the image of the acceleration
    local image = {}
    for s = 1, n do
      local terms = { all_rates[s] }
      for mu = 1, n do
        for nu = 1, n do terms[#terms + 1] = map.connection[s][mu][nu]*all[mu]*all[nu] end
      end
      image[s] = core.sum(terms)
    end
    for j = 1, n do a[j] = dot(b[j], image) end
    local left, right, residual = {}, {}, nil
    for mu = 1, n do
      local force = {}
      for j = 1, n do force[j] = b[j][mu]*core.substitute(Q[j] - I.bias[j], I.v, v) end
      if mu == map.time then
        residual = dot(map.metric[mu], image) - core.sum(force)
      else
        left[#left + 1], right[#right + 1] = dot(map.metric[mu], image), core.sum(force)
        from[#from + 1] = dot(map.inverse[mu], I.v)
      end
    end
    local slope, normal = core.gradient(map.constraint.f, q), {}
    for j = 1, n do normal[j] = slope[j]*b[j][map.time] end
    local F = { q = q, v = v }
    local levels = { kinematics.levels(map.constraint, q, I.v) }
    return reduced.equations{
      form = "mapping", title = "covariant equations of a linear mapping", system = system, kin = q, dyn = dyn, rates = rates, k = v,
      left = left, right = right, v = v, a = a, lambda = { residual/core.sum(normal) }, from_velocities = from,
      solved = { levels = levels, pivots = { map.determinant } }, inertia = I, kinematic = reduced.kinematic_rows(F),
    }
  end,
}
