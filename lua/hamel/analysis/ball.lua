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

local SMALL = -300                     -- decimal exponent: below, doubles end

--- The largest radius of a table of balls as a text: two digits, below the range of doubles a power of ten above it.
function ball.radius_text(balls)
  local log, most = -math.huge, 0.0
  for _, x in pairs(balls) do log, most = math.max(log, x:log_size(true)), math.max(most, x.radius) end
  if log == -math.huge then return "0" end
  return log < SMALL and ("1e%d"):format(math.ceil(log)) or ("%.2g"):format(most)
end

--- How far a proof excludes others, "" where that is below the range of doubles.
function ball.apart_text(tried)
  return tried > 10.0^SMALL and ("; no other one within %.2g"):format(tried) or ""
end

if core.has_arb then core.ball_methods.contains = contains end

return ball
