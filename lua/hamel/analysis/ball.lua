-- ball.lua: balls: numbers known within bounds, and what users ask of them.
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local exact = require "hamel.analysis.exact"

local ball = {}

local BITS, MOST_BITS = 128, 65536

--- hm.ball.
function ball.new(mid, radius)
  enclosed.demand_balls "ball"
  local x = exact.ball(mid, "ball: the midpoint", BITS)
  return radius ~= nil and core.ball_around(x, (exact.ball(radius, "ball: the radius", BITS))) or x
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
