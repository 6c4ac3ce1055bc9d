-- loads.lua: forces and torques on the bodies of long trees. The power of all of them is one function of the base velocities, formed by the recursion
-- of recursion.lua, and the generalised forces are its derivatives by these:
--   P = sum F_i.v_i + M_i.w_i,   Q_s = dP/dw_s   with F_i, M_i held still.
-- One sweep back gives all of them. It carries the force and the moment of everything behind a joint, so that each further joint takes the same number of
-- operations; a sum for each body of its own takes as many as there are joints between the body and the inertial frame.
local core = require "hamel.core"
local motion = require "hamel.bodies.motion"
local recursion = require "hamel.bodies.recursion"
local symbols = require "hamel.algebra.symbols"
local Vector = require "hamel.bodies.vector"

local loads = {}

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

-- Adds the generalised forces of all loads declared since the last time
local function settle(system)
  local list, base = system._loads, motion.of(system).base
  rawset(system, "_loads", nil)
  rawset(system, "_unsettled", nil)
  local velocities, power, held, values = {}, {}, {}, {}
  for _, w in ipairs(base) do velocities[w] = true end
  for i, item in ipairs(list) do power[i] = held_still(item.load, velocities, held, values):dot(item.velocity) end
  for s, Q in ipairs(core.gradient(core.sum(power), base)) do
    system:_add_force(base[s], s, #held > 0 and core.substitute(Q, held, values) or Q)
  end
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
