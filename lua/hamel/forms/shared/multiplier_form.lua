-- multiplier_form.lua: shared parts of the forms with multipliers (Lagrange, Nielsen): constraint rows, reactions, energy.
local core = require "hamel.core"
local coupling = require "hamel.equations.coupling"
local Equations = require "hamel.equations"
local kinematics = require "hamel.equations.kinematics"
local symbols = require "hamel.algebra.symbols"

local dot = kinematics.dot

-- Power of a multiplier: df/dq' . q', which is f itself for a linear catastatic constraint, hence zero
local function multiplier_power(level, v)
  local c = level.constraint
  if c.catastatic and c.linear then return core.rational(0) end
  return dot(level.velocity.row, v)
end

-- The printed equations: sides(Q) has their left and right sides without reactions
local function printed(q, sides, Q, lambda, A)
  local rows, left, right = {}, sides(Q)
  for s = 1, #q do
    local terms = { right[s] }
    for i = 1, #lambda do terms[#terms + 1] = lambda[i]*A[i][s] end
    rows[s] = { name = core.text(q[s]), left = left[s], right = core.sum(terms) }
  end
  return rows
end

--- M q'' + bias = Q + J^T lambda; fields: system, inertia, M(), bias(), sides(Q): left and right sides without reactions, for printing.
return function(f)
  local system, I = f.system, f.inertia
  local q, v = I.q, I.v
  local lambda, names, A, b = kinematics.multiplier_symbols(system), {}, {}, {}
  local positions, velocities, powers = {}, {}, {}
  local Q = coupling.inserted(system, system:generalised_forces(true), lambda)
  for i, c in ipairs(system.constraints) do
    local level = kinematics.levels(c, q, v)
    A[i], b[i], names[i] = level.velocity.row, level.b, level.name
    if level.position then positions[#positions + 1] = { name = level.name, f = level.position.f, row = level.position.row } end
    velocities[i] = { name = level.name, f = level.velocity.f, row = level.velocity.row }
    powers[i] = multiplier_power(level, v)
  end
  local function r()
    local list, bias = {}, f.bias()
    for s = 1, #q do list[s] = Q[s] - bias[s] end
    return list
  end
  local function energy() return dot(I.p, v) - I.L end
  local function kinetic() return dot(I.p, v)/2 end
  return Equations.new{
    system = system, kin = q, dyn = v, k = v, M = f.M, r = r, A = A, b = b, multipliers = lambda,
    names = names, dyn_names = system.coordinate_names, positions = positions, velocities = velocities,
    lagrangian = I.L, forces = Q, energy = energy, kinetic = system._T or kinetic, power = dot(Q, v) - core.diff(I.L, symbols.t), multiplier_power = powers,
    rows = function() return printed(q, f.sides, Q, lambda, A) end,
  }
end
