-- Lagrange's equations with multipliers in the coordinates of bodies: d/dt dT/dq_s' - dT/dq_s = Q_s + sum_b lambda_b df_b/dq_s'
-- The entries e of a unit quaternion are coordinates like others, and e.e = 1 is a constraint like others. For bodies it is a second way beside
-- "lagrange", which derives the same motion from vectors, in body rates.
--
-- T depends on e' through the body rates alone, so that e is a null vector of its matrix M. With the row a.q'' + b = 0 of a unit length, a = 2 e, and s > 0,
-- M + s a a^T and r - s b a have the same accelerations and multipliers, and the matrix is regular.
local base = require "hamel.equations.base"
local base_form = require "hamel.forms.shared.base_form"
local core = require "hamel.core"
local lagrange_form = require "hamel.forms.shared.lagrange_form"
local motion = require "hamel.bodies.motion"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"

-- The forces with those on body rates as forces on the entries of the quaternions: Q.omega = sum (Q.domega/de_i') e_i'
local function forces_on_entries(system)
  local list, rates = {}, motion.of(system).base
  for _, item in ipairs(system.force_list) do
    list[#list + 1] = item.coordinate and item or nil
    for _, R in ipairs(item.coordinate and {} or system._rotations) do
      for i, w in ipairs(R.rates) do
        for _, e in ipairs(w == rates[item.base] and R.quaternion or {}) do
          list[#list + 1] = { coordinate = e, expression = item.expression*core.diff(R.rates_in_velocities[i], e.dot) }
        end
      end
    end
  end
  return list
end

-- The system with the unit lengths of its quaternions as further constraints, in the order of its rotations
local function with_unit_lengths(system)
  local copy, forces = setmetatable({}, getmetatable(system)), forces_on_entries(system)
  for key, value in pairs(system) do rawset(copy, key, value) end
  for _, key in ipairs{ "_equations", "_models", "_redundant", "_motion" } do rawset(copy, key, nil) end
  copy._force_list, copy.constraints, copy._rotations = forces, {}, {}
  for i, c in ipairs(system.constraints) do copy.constraints[i], copy.constraints[c.name] = c, c end
  for _, R in ipairs(system._rotations) do copy:constraint(naming.free(system, { R.name .. "_unit", R.name .. "_length" }, { "" })[1], R.unit) end
  return copy
end

-- A third of the sum of the moments of inertia at the attitude e = (1, 0, 0, 0), where the trace of the matrix of e' is four times the sum
local function mean_moment(E, first)
  local terms, e = {}, {}
  for i = 1, 4 do terms[i], e[i] = E.M[first + i][first + i], E.kin[first + i] end
  local mean = core.substitute(core.sum(terms), e, { 1, 0, 0, 0 })/12
  return mean:is_zero() == false and mean or core.rational(1)
end

-- Adds s a a^T to M and -s b a to r for the k-th row, whose entries from `first` + 1 on are those of a quaternion
local function regularise(E, k, first)
  local s, a = mean_moment(E, first), E.A[k]
  for i = first + 1, first + 4 do
    for j = first + 1, first + 4 do E.M[i][j] = E.M[i][j] + s*a[i]*a[j] end
    E.r[i] = E.r[i] - s*E.b[k]*a[i]
  end
end

local function index_of(list, symbol)
  for i, other in ipairs(list) do if other == symbol then return i end end
end

return {
  name = "coordinates",
  title = "Lagrange equations with multipliers in coordinates",
  source = "Lagrange 1788; Routh 1877",
  takes = { bodies = true },
  rotations = true,
  derive = function(system)
    if not base.applies(system) then
      object.fail("the form 'coordinates' is for systems with bodies or rotations; the equations of %s in its coordinates are those of 'lagrange'", system.name)
    end
    local E = lagrange_form(with_unit_lengths(system))
    E.system = system
    for i, R in ipairs(system._rotations) do regularise(E, #system.constraints + i, index_of(E.kin, R.quaternion[1]) - 1) end
    for i, condition in ipairs(base_form.unit_positions(system)) do
      if i > #system._rotations then E.positions[#E.positions + 1] = condition end
    end
    if #system._rotations > 0 then
      E.rates, E.v, E.a, E.from_velocities = {}, E.dyn, {}, motion.of(system).k
      for i, q in ipairs(E.kin) do E.rates[i], E.a[i] = q.ddot, q.ddot end
    end
    return E
  end,
}
