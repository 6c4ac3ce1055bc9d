-- base_form.lua: equations with multipliers in base velocities: M w' = r + A^T lambda, A w' + b = 0.
local base = require "hamel.equations.base"
local core = require "hamel.core"
local Equations = require "hamel.equations"
local kinematics = require "hamel.equations.kinematics"
local motion = require "hamel.bodies.motion"
local symbols = require "hamel.algebra.symbols"

local dot = kinematics.dot

-- Power of a multiplier: (dC/dw).w, which vanishes for a linear catastatic constraint
local function multiplier_power(level, F)
  local c = level.constraint
  if c.catastatic and c.linear then return core.rational(0) end
  return dot(level.velocity.row, F.base)
end

-- Conditions on positions without multipliers: e.e = 1 of each rotation, distances of curved contacts
local function unit_positions(system)
  local list = {}
  for _, R in ipairs(system._rotations) do
    list[#list + 1] = { name = R.name, f = R.unit, row = core.gradient(R.unit, system:coordinate_list()) }
  end
  for _, condition in ipairs(system:_kept_conditions()) do
    list[#list + 1] = { name = condition.name, f = condition.f, row = core.gradient(condition.f, system:coordinate_list()) }
  end
  return list
end

local base_form = { unit_positions = unit_positions }

local function numbers(system, list)
  for i, e in ipairs(list) do list[i] = type(e) == "table" and numbers(system, e) or motion.numbers(system, e) end
  return list
end

base_form.numbers = numbers

-- A row or a list, to be changed
local function copy(row) return table.move(row, 1, #row, 1, {}) end

--- A level of base.level with the direction cosines as polynomials of the quaternions.
function base_form.numeric_level(system, level)
  return { name = level.name, position = level.position, b = motion.numbers(system, level.b),
    velocity = { f = motion.numbers(system, level.velocity.f), row = numbers(system, copy(level.velocity.row)) } }
end

local function copied(rows)
  local list = {}
  for i, row in ipairs(rows) do list[i] = copy(row) end
  return list
end

-- M, r and the printed equations, which are derived when they are read first: a run on the graph of velocities needs none of them.
-- A and Q: rows of the constraints and forces in base velocities
local function derived_rows(system, F, A, Q, lambda)
  local declared, rows = base.declared(system), nil
  local function known()
    rows = rows or base.rows(declared, F)
    return rows
  end
  local function M() return numbers(system, copied(known().M)) end
  local function r()
    local list = {}
    for s = 1, #F.base do list[s] = known().active[s] + Q[s] - known().bias[s] end
    return numbers(system, list)
  end
  local function printed()
    local list = {}
    for s = 1, #F.base do
      local right = { known().active[s], Q[s] }
      for i = 1, #lambda do right[#right + 1] = lambda[i]*A[i][s] end
      list[s] = { name = F.names[s], left = dot(known().M[s], F.rates) + known().bias[s], right = core.sum(right) }
    end
    return list
  end
  return M, r, printed
end

--- The equations of a system with bodies or rotations.
function base_form.equations(system)
  local F, turns = motion.of(system), #system._rotations > 0
  local lambda = kinematics.multiplier_symbols(system)
  local Q = base.forces(system, F, lambda)
  local T, V = base.energies(system)
  local A, b, names, positions, velocities, powers = {}, {}, {}, unit_positions(system), {}, {}
  for i, c in ipairs(system.constraints) do
    local level = base.level(system, F, c)
    A[i], b[i], names[i] = level.velocity.row, level.b, c.name
    local numeric = base_form.numeric_level(system, level)
    if numeric.position then positions[#positions + 1] = { name = c.name, f = numeric.position.f, row = numeric.position.row } end
    velocities[i] = { name = c.name, f = numeric.velocity.f, row = numeric.velocity.row }
    powers[i] = motion.numbers(system, multiplier_power(level, F))
  end
  local M, r, printed = derived_rows(system, F, A, Q, lambda)
  local E = Equations.new{
    system = system, title = turns and "Equations with multipliers in body rates" or nil,
    kin = F.q, dyn = F.base, k = numbers(system, copy(F.k)), M = M, r = r,
    A = numbers(system, copied(A)), b = numbers(system, b), multipliers = lambda, names = names, dyn_names = F.names, rows = printed,
    positions = positions, velocities = velocities, kinetic = motion.numbers(system, T),
    energy = function() return motion.numbers(system, dot(core.gradient(T, F.base), F.base) - (T - V)) end,
    lagrangian = not turns and T - V or nil, forces = not turns and Q or nil,
    power = motion.numbers(system, dot(Q, F.base) - core.diff(T - V, symbols.t)), multiplier_power = powers,
  }
  if turns then
    E.base = true
    E.rates, E.v, E.a = F.rates, E.k, motion.directional(F, E.k)
  end
  return E
end

return base_form
