-- ball.lua: balls: numbers known within bounds, and what users ask of them.
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local exact = require "hamel.analysis.exact"
local object = require "hamel.base.object"

local fail = object.fail

local ball = {}

local BITS, MOST_BITS = 128, 65536

--- hm.ball.
function ball.new(mid, radius)
  enclosed.demand_balls "ball"
  local x = exact.ball(mid, "ball: the midpoint", BITS)
  if radius == nil then return x end
  local wide = exact.ball(radius, "ball: the radius", BITS)
  if wide.lower + wide.upper < 0 then fail("ball: the radius %s is negative; give its size", tostring(radius)) end
  return core.ball_around(x, wide)
end

-- Is the exact number in the ball? nil: not decided, as it lies at the rim
local function contains(b, x)
  local bits = BITS
  while true do
    local inside = b:holds((exact.ball(x, "contains", bits)))
    if inside ~= nil or bits >= MOST_BITS then return inside end
    bits = 2*bits
  end
end

if core.has_arb then core.ball_methods.contains = contains end

return ball
