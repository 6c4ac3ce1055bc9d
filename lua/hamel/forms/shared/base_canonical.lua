-- base_canonical.lua: canonical equations of systems with rotations: the momenta p = dT*/du of the free base velocities, or quasi-velocities, u are
-- the states. From M u' = r in these velocities: p' = r + dp/dt at fixed u, u = G^-1 (p - g) where p = G u + g.
local affine = require "hamel.algebra.affine"
local base = require "hamel.equations.base"
local base_reduced = require "hamel.forms.shared.base_reduced"
local core = require "hamel.core"
local Equations = require "hamel.equations"
local linear = require "hamel.algebra.linear"
local motion = require "hamel.bodies.motion"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"
local vanishing = require "hamel.algebra.vanishing"

-- The free velocities in symbols of their momenta; raised where these are not linear in the velocities
local function solved(system, momenta, u, p)
  local G, right = affine.of(momenta, u)
  if not G then
    object.fail("the form 'canonical' needs momenta linear in the velocities, and those of %s are not; take 'hamel' or 'lagrange'", system.name)
  end
  for l, e in ipairs(right) do right[l] = p[l] - e end
  return #u > 0 and linear.solve(G, { right })[1] or {}
end

local function each(list, f)
  local result = {}
  for i, e in ipairs(list) do result[i] = f(e) end
  return result
end

-- Momenta of the free velocities u of E, their symbols, the velocities in them, and d/dt of the momenta at fixed u
local function momenta_of(system, E)
  local from, to, p = {}, {}, {}
  for i, row in ipairs(E.kinematic) do from[i], to[i] = row.left, row.right end
  local C = motion.constrained(motion.of(system), E.dyn, from, to)
  local momenta = core.gradient(C.on((base.energies(system))), E.dyn)
  for l, name in ipairs(naming.free(system, { "P", "momentum", "Pi" }, naming.numbers(#E.dyn))) do p[l] = core.symbol(name, symbols.DYNAMIC) end
  return momenta, p, solved(system, momenta, E.dyn, p), motion.directional(C, momenta, true)
end

-- The rates of expressions in coordinates and momenta along the motion
local function along_motion(E, k, p, p_rates, list)
  local place, along = table.move(E.kin, 1, #E.kin, 2, { symbols.t }), table.move(k, 1, #k, 2, { core.rational(1) })
  table.move(p, 1, #p, #place + 1, place)
  table.move(p_rates, 1, #p, #along + 1, along)
  return core.directional(list, place, along)
end

-- The rows p' = ..., with rates and cosines by their names
local function printed_rows(E, p, still, by_momenta)
  local rows, rest = {}, vanishing.zeros(#E.dyn)
  for l, row in ipairs(E.rows) do
    rows[l] = { name = core.name(p[l]), left = p[l].dot, right = by_momenta(row.right - core.substitute(row.left, E.rates, rest) + still[l]) }
  end
  return rows
end

local function kinematic_rows(E, velocities, by_momenta)
  local rows = {}
  for l, u in ipairs(E.dyn) do rows[l] = { left = u, right = velocities[l] } end
  for _, row in ipairs(E.kinematic) do rows[#rows + 1] = { left = row.left, right = by_momenta(row.right) } end
  return rows
end

local function identity(n)
  local M = {}
  for l = 1, n do
    M[l] = {}
    for j = 1, n do M[l][j] = core.rational(l == j and 1 or 0) end
  end
  return M
end

--- The equations of the form in as many momenta as there are freedoms.
return function(system, options, form)
  local E = base_reduced(system, options, form)
  local momenta, p, velocities, still = momenta_of(system, E)
  local u, n = E.dyn, #E.dyn
  local function numbers(e) return motion.numbers(system, e) end
  local numeric = each(velocities, numbers)
  local function by_momenta(e) return core.substitute(e, u, velocities) end
  local function in_momenta(e) return core.substitute(e, u, numeric) end
  local p_rates, k = each(p, function(s) return s.dot end), each(E.k, in_momenta)
  local states, values = table.move(E.rates, 1, n, n + 1, table.move(u, 1, n, 1, {})), table.move(numeric, 1, n, 1, {})
  table.move(along_motion(E, k, p, p_rates, numeric), 1, n, n + 1, values)
  local function with_rates(e) return core.substitute(e, states, values) end
  local rows = printed_rows(E, p, still, by_momenta)
  return Equations.new{
    system = system, kin = E.kin, dyn = p, rates = p_rates, k = k, M = identity(n), r = each(rows, function(row) return numbers(row.right) end),
    A = {}, b = {}, multipliers = {}, names = E.names, dyn_names = each(p, function(s) return (core.name(s)) end), rows = rows,
    positions = E.positions, velocities = {}, energy = in_momenta(E.energy), kinetic = in_momenta(E.kinetic), power = in_momenta(E.power),
    carried = E.carried and in_momenta(E.carried), v = k, a = each(E.a, with_rates), lambda = each(E.lambda, with_rates),
    from_velocities = each(momenta, function(e) return numbers(core.substitute(e, u, E.from_velocities)) end),
    kinematic = kinematic_rows(E, velocities, by_momenta), condition = E.condition, condition_rows = E.condition_rows,
    chosen_columns = E.chosen_columns,
  }
end
