-- covariant_form.lua: equations on the space-time of a linear mapping x' = b pi', with its connection or another one.
local core = require "hamel.core"
local linear = require "hamel.algebra.linear"
local object = require "hamel.base.object"
local reduced = require "hamel.forms.shared.reduced"
local kinematics = require "hamel.equations.kinematics"
local symbols = require "hamel.algebra.symbols"

local dot = kinematics.dot
local covariant_form = {}

-- What a mapping could be made of
local function demand_constraints(system, form)
  if #system.constraints == 0 then object.fail("the form '%s' needs constraints, and %s has none", form, system.name) end
  for _, c in ipairs(system.constraints) do
    if not c.linear or (not c.holonomic and not (c.catastatic and c.scleronomic)) then
      object.fail("the form '%s' takes holonomic constraints, and linear ones without the time: '%s' is %s", form, c.name, c.kind)
    end
  end
end

--- Raises where the mapping is missing, or that of another system, or older than the system.
function covariant_form.demand_mapping(system, map, form)
  if not map then demand_constraints(system, form) end
  if not map or map.system ~= system then object.fail("the form '%s' needs mapping = S:linear_mapping{...} of this system", form) end
  if map.changes ~= system._changes then
    object.fail("%s was changed after its linear mapping was made: call S:linear_mapping again", system.name)
  end
end

-- pi' and pi'' of all columns: those of the free ones are states
local function rates_of(map)
  local F = { dyn = {}, rates = {}, first = {}, second = {} }
  for mu, name in ipairs(map.names) do
    F.first[mu], F.second[mu] = core.rational(mu == map.time and 1 or 0), core.rational(0)
    if object.contains(map.free, mu) then
      local pi = core.symbol(name, symbols.DYNAMIC)
      F.first[mu], F.second[mu] = pi.dot, pi.ddot
      F.dyn[#F.dyn + 1], F.rates[#F.rates + 1] = pi.dot, pi.ddot
    end
  end
  return F
end

-- pi_s'' + gamma^s_(mu nu) pi_mu' pi_nu'
local function covariant(F, gamma)
  local n, image = #F.first, {}
  for s = 1, n do
    local terms = { F.second[s] }
    for mu = 1, n do
      for nu = 1, n do terms[#terms + 1] = gamma[s][mu][nu]*F.first[mu]*F.first[nu] end
    end
    image[s] = core.sum(terms)
  end
  return image
end

-- lambda from (df_k/dq' . b_s) lambda_k = g_s . image - P_s for the columns s that are not free
local function multipliers(map, image, force)
  local left, right, lambda = {}, {}, {}
  for i, pair in ipairs(map.pairs) do
    local s, column = pair.column, map.b:column(pair.column)
    left[i], right[i] = {}, dot(map.metric[s], image) - force[s]
    for j, other in ipairs(map.pairs) do left[i][j] = dot(map.levels[other.constraint].velocity.row, column) end
  end
  local X = linear.solve(left, { right })[1]
  for i, pair in ipairs(map.pairs) do lambda[pair.constraint] = X[i] end
  return lambda
end

--- The equations of a form; gamma: coefficients in place of the mapping's connection.
function covariant_form.equations(system, map, form, gamma)
  local I, Q, F = kinematics.inertia(system), system:generalised_forces(), rates_of(map)
  local n, b = #I.q, map.b
  local v, a, from, force = {}, {}, {}, {}
  for j = 1, n do v[j] = dot(b[j], F.first) end
  local image = covariant(F, map.connection)                 -- of the acceleration, whatever the equations are
  for j = 1, n do
    a[j] = dot(b[j], image)
    force[j] = core.substitute(Q[j] - I.bias[j], I.v, v)
  end
  for mu = 1, n do force[n + mu] = dot(b:column(mu), table.move(force, 1, n, 1, {})) end
  force = table.move(force, n + 1, 2*n, 1, {})
  local curved = gamma and covariant(F, gamma) or image
  local left, right = {}, {}
  for i, mu in ipairs(map.free) do
    left[i], right[i], from[i] = dot(map.metric[mu], curved), force[mu], dot(map.inverse[mu], I.v)
  end
  return reduced.equations{
    system = system, kin = I.q, dyn = F.dyn, rates = F.rates, k = v, left = left, right = right,
    v = v, a = a, lambda = multipliers(map, image, force), from_velocities = from,
    solved = { levels = map.levels }, regularity = { pivots = { map.determinant } }, inertia = I,
    kinematic = reduced.kinematic_rows{ q = I.q, v = v },
    another_motion = form.another_motion,
  }
end

return covariant_form
