-- loads.lua: forces and torques on the bodies of long trees. The power of all of them is one function of the base velocities, formed by the recursion
-- of recursion.lua, and the generalised forces are its derivatives by these:
--   P = sum F_i.v_i + M_i.w_i,   Q_s = dP/dw_s   with F_i, M_i held still.
-- One sweep back gives all of them. It carries the force and the moment of everything behind a joint, so that each further joint takes the same number of
-- operations; a sum for each body of its own takes as many as there are joints between the body and the inertial frame. A load given in a frame far above
-- its body, as one along a wind, is a number times a direction: all loads share the direction in the axes of each frame, and none carries its number there.
local core = require "hamel.core"
local motion = require "hamel.bodies.motion"
local recursion = require "hamel.bodies.recursion"
local symbols = require "hamel.algebra.symbols"
local Vector = require "hamel.bodies.vector"

local loads = {}

local ZERO = core.rational(0)

-- The load with a symbol in place of each component that contains velocities, which the derivatives must not see; the symbols and what they stand for are
-- added to the lists
local function held_still(load, velocities, held, values)
  return load:_map(function(c)
    for _, s in ipairs(core.symbols{ c }) do
      if velocities[s] then
        held[#held + 1], values[#values + 1] = core.symbol(("_load%d"):format(#held + 1), symbols.EXTERNAL), c
        return held[#held]
      end
    end
    return c
  end)
end

-- c of a frame as numbers times directions: { number, direction }; numbers of one ratio to each other have one direction
local function directions_of(c)
  local list, first = {}, nil
  for i = 1, 3 do
    local value = core.number_value(c[i])
    first = first or value and value ~= 0 and c[i]
    if not value then
      local axis = { ZERO, ZERO, ZERO }
      axis[i] = core.rational(1)
      list[#list + 1] = { c[i], axis }
    end
  end
  if first then
    local direction = {}
    for i = 1, 3 do direction[i] = core.number_value(c[i]) and c[i]/first or ZERO end
    list[#list + 1] = { first, direction }
  end
  return list
end

-- The power of a load. known: directions by frame and components, each converted to other frames once
local function power_of(load, velocity, known)
  local terms, at = {}, velocity._terms[1] and velocity._terms[1].frame
  for _, term in ipairs(at and load._terms or {}) do
    local frame = term.frame
    if frame == at or frame == at._parent or frame._parent == at then
      terms[#terms + 1] = Vector.new(load.system, { [frame] = term }):dot(velocity)
    else
      for _, part in ipairs(directions_of(term)) do
        local c = part[2]
        local key = ("%d %s %s %s"):format(frame._index, core.text(c[1]), core.text(c[2]), core.text(c[3]))
        known[key] = known[key] or Vector.new(load.system, { [frame] = c })
        terms[#terms + 1] = part[1]*known[key]:dot(velocity)
      end
    end
  end
  return core.sum(terms)
end

-- Adds the generalised forces of all loads declared since the last time
local function settle(system)
  local list, base = system._loads, motion.of(system).base
  rawset(system, "_loads", nil)
  rawset(system, "_unsettled", nil)
  local velocities, power, held, values, directions = {}, {}, {}, {}, {}
  for _, w in ipairs(base) do velocities[w] = true end
  for i, item in ipairs(list) do power[i] = power_of(held_still(item.load, velocities, held, values), item.velocity, directions) end
  local forces = core.gradient(core.sum(power), base)
  if #held > 0 then forces = core.substitute_all(forces, held, values) end
  for s, Q in ipairs(forces) do system:_add_force(base[s], s, Q) end
end

--- Adds a force with the velocity of its place, or a torque with the angular velocity, both vectors of a system whose energies are formed by recursion.
--- The generalised forces are formed when they are asked for. what: the load in words, for messages.
function loads.add(system, load, velocity, what)
  load = load:_map(function(c) return system:admit(c, what, 1, true) end)
  local list = rawget(system, "_loads")
  if not list then
    list = {}
    rawset(system, "_loads", list)
    rawset(system, "_unsettled", settle)
  end
  list[#list + 1] = { load = load, velocity = velocity }
  system:changed()
  return system
end

--- The angular velocity of a frame by the recursion, a vector.
function loads.turning(frame) return Vector.new(frame.system, { [frame] = recursion.turning(frame) }) end

--- The velocity by the recursion of a place given by a vector from the origin, a vector. Where ways to its terms part, that to `frame` is followed.
function loads.velocity(place, frame)
  local c, at = recursion.velocity(place, frame)
  return Vector.new(place.system, { [at] = c })
end

return loads
