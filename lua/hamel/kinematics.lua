-- kinematics.lua: constraints on every level: rows df/dq', rates, symbols of their multipliers.
local core = require "hamel.core"
local symbols = require "hamel.symbols"

local kinematics = {}

--- lambda for one constraint, lambda1, lambda2, ... for several.
function kinematics.multiplier_symbols(constraints)
  local list = {}
  for i = 1, #constraints do
    list[i] = core.symbol(#constraints == 1 and "lambda" or "lambda" .. i, symbols.EXTERNAL)
  end
  return list
end

-- Coordinates and time with their rates, velocities held: the drift of a function of (q, q', t)
local function drift_directions(q, v)
  local from, along = table.move(q, 1, #q, 1, {}), table.move(v, 1, #v, 1, {})
  from[#from + 1], along[#along + 1] = symbols.t, 1
  return from, along
end

--- d/dt of each expression with the accelerations left out: sum (de/dq) q' + de/dt.
function kinematics.drift(list, q, v)
  local from, along = drift_directions(q, v)
  return core.directional(list, from, along)
end

--- A constraint on the level of positions (holonomic ones), velocities and accelerations:
--- { name, position = { f, row }?, velocity = { f, row }, b }: row . q'' + b = 0.
function kinematics.levels(constraint, q, v)
  local result = { name = constraint.name, constraint = constraint }
  local f = constraint.f
  if constraint.holonomic then
    local row = core.gradient(f, q)
    result.position = { f = f, row = row }
    f = kinematics.drift({ f }, q, v)[1]
    result.velocity = { f = f, row = row }
  else
    result.velocity = { f = f, row = core.gradient(f, v) }
  end
  result.b = kinematics.drift({ f }, q, v)[1]
  return result
end

--- Inner product of two lists.
function kinematics.dot(a, b)
  local terms = {}
  for i = 1, #a do terms[i] = a[i]*b[i] end
  return core.sum(terms)
end

return kinematics
