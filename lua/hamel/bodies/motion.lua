-- motion.lua: how the quantities of a system change in time: coordinates, base velocities, direction cosines.
--
-- The base velocities w of a system are the velocities of its coordinates, but for a rotation by a unit quaternion e: there the three body
-- rates take the place of the four e'. e' = e omega/2 is linear in them, so that q' = B(q) w for all coordinates.
local core = require "hamel.core"
local symbols = require "hamel.algebra.symbols"

local motion = {}

local function append(list, more) table.move(more, 1, #more, #list + 1, list) end

-- The rotation to which a coordinate belongs as the first of four; `false` for the other three
local function rotation_by_first(system)
  local first = {}
  for _, R in ipairs(system._rotations) do
    for i, e in ipairs(R.quaternion) do first[e] = i == 1 and R end
  end
  return first
end

-- Coordinates, their rates k, base velocities and their rates, direction cosines and theirs
local function collected(system)
  local F = { q = system:coordinate_list(), k = {}, base = {}, rates = {}, names = {}, cosines = {}, cosine_rates = {}, triples = {} }
  local first, k_of = rotation_by_first(system), {}
  for _, R in ipairs(system._rotations) do
    for i, e in ipairs(R.quaternion) do k_of[e] = R.quaternion_rates[i] end
    append(F.cosines, R.cosine_list)
    append(F.cosine_rates, R.cosine_rate_list)
  end
  for i, q in ipairs(F.q) do
    F.k[i] = k_of[q] or q.dot
    if first[q] then
      F.triples[#F.triples + 1] = { #F.base + 1, #F.base + 2, #F.base + 3, rotation = first[q] }
      append(F.base, first[q].rates)
    elseif first[q] == nil then F.base[#F.base + 1] = q.dot end
  end
  for s, w in ipairs(F.base) do
    F.rates[s] = w.dot
    F.names[s] = (core.name(w))
  end
  return F
end

--- The motion of a system in its base velocities: q, k (the expressions of q'), base (symbols), rates (of base), names (of base), cosines,
--- cosine_rates, triples (indices of the rates of each rotation, with rotation =).
function motion.of(system)
  local known = rawget(system, "_motion")
  if not known or known.count ~= #system.coordinate_names then
    known = { count = #system.coordinate_names, F = collected(system) }
    rawset(system, "_motion", known)
  end
  return known.F
end

--- The same where base velocities are functions of free ones, which may be other symbols: C.on(e) puts them in. C.base and C.rates are the free ones.
---@param free table[] symbols of the free velocities
---@param from table[] base velocities that are functions of these
---@param values table[] these functions
function motion.constrained(F, free, from, values)
  local C = { q = F.q, cosines = F.cosines, names = {}, triples = {}, base = free, rates = {} }
  function C.on(e) return #from > 0 and core.substitute(e, from, values) or e end
  for i, u in ipairs(free) do C.rates[i], C.names[i] = u.dot, (core.name(u)) end
  C.k, C.cosine_rates = {}, {}
  for i, e in ipairs(F.k) do C.k[i] = C.on(e) end
  for i, e in ipairs(F.cosine_rates) do C.cosine_rates[i] = C.on(e) end
  return C
end

--- d/dt of the expressions of a list along the motion F, whose base velocities and cosines they may contain. With still = true the rates
--- of the base velocities are left out.
function motion.directional(F, list, still)
  local from, along = { symbols.t }, { core.rational(1) }
  append(from, F.q)
  append(along, F.k)
  append(from, F.cosines)
  append(along, F.cosine_rates)
  if not still then
    append(from, F.base)
    append(along, F.rates)
  end
  return core.directional(list, from, along)
end

--- The derivative of each expression along the base velocity w alone: X_w f = sum (dq_r'/dw) df/dq_r.
function motion.along(F, list, w)
  local from, along = {}, {}
  append(from, F.q)
  append(from, F.cosines)
  for i, e in ipairs(F.k) do along[i] = core.diff(e, w) end
  for i, e in ipairs(F.cosine_rates) do along[#F.q + i] = core.diff(e, w) end
  return core.directional(list, from, along)
end

--- An expression with the velocities of the quaternions replaced by what the body rates make of them.
function motion.in_base(system, e)
  local from, to = {}, {}
  for _, R in ipairs(system._rotations) do
    for i, q in ipairs(R.quaternion) do from[#from + 1], to[#to + 1] = q.dot, R.quaternion_rates[i] end
  end
  return #from > 0 and core.substitute(e, from, to) or e
end

--- The time derivative of an expression of the system, in base velocities and their rates.
function motion.dt(system, e) return motion.directional(motion.of(system), { motion.in_base(system, e) })[1] end

--- An expression with the direction cosines replaced by their polynomials in the quaternions, as it is computed.
function motion.numbers(system, e)
  local from, to = {}, {}
  for _, R in ipairs(system._rotations) do
    append(from, R.cosine_list)
    append(to, R.polynomials)
  end
  return #from > 0 and core.substitute(e, from, to) or e
end

return motion
