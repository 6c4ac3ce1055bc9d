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

--- The equations of a system with bodies or rotations.
function base_form.equations(system)
  local F = motion.of(system)
  local rows, lambda = base.rows(system), kinematics.multiplier_symbols(system)
  local Q = base.forces(system, F, lambda)
  local T, V = base.energies(system)
  local printed, A, b, r, names, positions, velocities, powers = {}, {}, {}, {}, {}, unit_positions(system), {}, {}
  for i, c in ipairs(system.constraints) do
    local level = base.level(system, F, c)
    A[i], b[i], names[i] = level.velocity.row, level.b, c.name
    local numeric = base_form.numeric_level(system, level)
    if numeric.position then positions[#positions + 1] = { name = c.name, f = numeric.position.f, row = numeric.position.row } end
    velocities[i] = { name = c.name, f = numeric.velocity.f, row = numeric.velocity.row }
    powers[i] = motion.numbers(system, multiplier_power(level, F))
  end
  for s = 1, #F.base do
    r[s] = rows.active[s] + Q[s] - rows.bias[s]
    local right = { rows.active[s], Q[s] }
    for i = 1, #lambda do right[#right + 1] = lambda[i]*A[i][s] end
    printed[s] = { name = F.names[s], left = dot(rows.M[s], F.rates) + rows.bias[s], right = core.sum(right) }
  end
  local p = core.gradient(T, F.base)
  local E = Equations.new{
    system = system, title = #system._rotations > 0 and "Equations with multipliers in body rates" or nil,
    kin = F.q, dyn = F.base, k = numbers(system, copy(F.k)), M = numbers(system, copied(rows.M)), r = numbers(system, r),
    A = numbers(system, copied(A)), b = numbers(system, b), multipliers = lambda, names = names, dyn_names = F.names, rows = printed,
    positions = positions, velocities = velocities, energy = motion.numbers(system, dot(p, F.base) - (T - V)), kinetic = motion.numbers(system, T),
    power = motion.numbers(system, dot(Q, F.base) - core.diff(T - V, symbols.t)), multiplier_power = powers,
  }
  if #system._rotations > 0 then
    E.base = true
    E.rates, E.v, E.a = F.rates, E.k, motion.directional(F, E.k)
  end
  return E
end

return base_form
