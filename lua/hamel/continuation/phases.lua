-- phases.lua: the condition that settles at which phase of a periodic motion its start is: a direction along which the start does not move.
--
-- Far from rest it is the rate at the start. Motions that shrink to rest are ellipses in the units of the states, of which only circles are left at right
-- angles in a straight line: the start would move along a power of the distance to rest, by a tangent that turns without end. Where motions are small, the
-- direction is therefore the part of the rate across the acceleration, which leads to rest beside it, so that the start moves along a straight line.
local attempt = require "hamel.base.attempt"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"

local phases = {}

local SMALL, LARGE = 0.3, 0.6           -- sizes of motions, in the units of the states, up to which it is that part, and from which on the rate
local PART = 1e-4                       -- of a radian of the period: the time of the difference that gives the acceleration
local ACROSS = 0.2                      -- sine of the angle between rate and acceleration, from which on the part is taken: beside a saddle they are parallel

--- The direction at a start y with the rate `rate`, both as directions. rate_at: function of a start; moved: see arclength.lua; period: of the motion.
function phases.direction(rate, rate_at, moved, y, period)
  local speed, radian = math.sqrt(tangent.dot(rate, rate)), period/(2*math.pi)
  local weight = math.min(1, (LARGE - speed*radian)/(LARGE - SMALL))
  if not (weight > 0 and speed > 0) then return states.unit(rate) end
  local fine, later = attempt(function() return rate_at(moved(y, tangent.scaled(rate, PART*radian))) end)
  if not fine then return states.unit(rate) end
  local change = {}
  for i, value in ipairs(rate) do change[i] = later[i] - value end
  local square = tangent.dot(change, change)
  if not (square > 0) then return states.unit(rate) end
  local along = tangent.dot(rate, change)/square
  local sine = math.sqrt(math.max(0, 1 - along^2*square/speed^2))
  weight = weight*math.min(1, sine/ACROSS)
  local list = {}
  for i, value in ipairs(rate) do list[i] = value - weight*along*change[i] end
  return states.unit(list)
end

return phases
