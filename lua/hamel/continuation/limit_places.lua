-- limit_places.lua: where along a step motions come to be beyond a limit, where they are so only by a power of the distance.
--
-- A motion counts as one beyond a limit when it is so by more than rounding. Where it is by the third power of the distance d, as by the least slip behind an
-- instant at which slip, its rate and its second rate vanish, that is at d = 1e-3 for a rounding of 1e-9. The root of this power changes evenly with
-- the length: its zero is extrapolated from motions that are clearly beyond.
local admissible = require "hamel.continuation.admissible"
local corrector = require "hamel.continuation.corrector"
local zeros = require "hamel.continuation.zeros"

local limit_places = {}

local CLEAR, HALVINGS = 10, 30          -- of what counts as rounding: how far beyond a limit motions are compared; of the distance to the first of them
local FARTHER = 4                       -- doublings of the distance behind the step
local STEEP, ENOUGH = 1.5, 3            -- a power below is 1; pairs that say so
local PARTS = { 0.55, 0.7, 0.85, 1 }    -- of that distance
local HIGHEST = 6                       -- power
local SAFETY = 4                        -- times the last change of an extrapolation: how exactly it is known

-- How far a motion at a length is beyond the limit; 0 where it is not, or none is found
local function depth_at(problem, from, to, length)
  local point = corrector.within(problem, from, to, length)
  return point and problem:depth(point) or 0
end

-- The distance from the place `at` to the nearest motion that is clearly beyond, which may be behind the step; nil: there is none, or they are beyond evenly
-- with the distance. The second result: how far motions are known not to be clearly beyond
local function clear_distance(depth, at, far)
  local distance, flat = far.length - at, 0
  local now, known = depth(far.length), distance
  for _ = 1, FARTHER do
    if now >= CLEAR*admissible.ROUNDING then break end
    known, distance = distance, 2*distance
    now = depth(at + distance)
  end
  if now < CLEAR*admissible.ROUNDING then return nil, math.abs(known) end
  for _ = 1, HALVINGS do
    local nearer = depth(at + distance/2)
    flat = nearer > 0 and now < 2^STEEP*nearer and flat + 1 or 0
    if flat >= ENOUGH then return nil end
    if nearer < CLEAR*admissible.ROUNDING then return distance end
    distance, now = distance/2, nearer
  end
  return nil
end

-- The power whose root of some depths changes most evenly with the places x
local function power_of(x, depths)
  local best, least = 1, math.huge
  for power = 1, HIGHEST do
    local roots, off = {}, 0
    for i, depth in ipairs(depths) do roots[i] = depth^(1/power) end
    local n = #x
    local slope = (roots[n] - roots[1])/(x[n] - x[1])
    for i = 2, n - 1 do off = math.max(off, math.abs(roots[i] - roots[1] - slope*(x[i] - x[1]))/math.abs(roots[n] - roots[1])) end
    if off < least then best, least = power, off end
  end
  return best
end

--- Where motions come to be beyond a limit that counts as passed at the length `at`: the point, and how far from it in lengths that may be. far: { length,
--- point } at the end of the step that is beyond. nil: they are beyond evenly with the distance, so that the place is where it counts; where a power is
--- known, but no point, the second result says how far from `at` the place is.
function limit_places.near(problem, from, to, at, far)
  local function depth(length) return depth_at(problem, from, to, length) end
  local distance, vague = clear_distance(depth, at, far)
  if not distance then return nil, vague and SAFETY*vague end
  local x, depths, places = {}, {}, {}
  for i, part in ipairs(PARTS) do
    x[i] = at + part*distance
    depths[i] = depth(x[i])
    if depths[i] <= 0 then return nil end
  end
  local power = power_of(x, depths)
  if power == 1 then return nil end
  local roots = {}
  for i, value in ipairs(depths) do roots[i] = value^(1/power) end
  -- the length as a function of the root, at the root 0
  for count = 2, 3 do
    local some_roots, some_x = table.move(roots, 1, count, 1, {}), table.move(x, 1, count, 1, {})
    places[count] = zeros.extrapolated(some_roots, some_x)
  end
  local place, off = places[3], SAFETY*math.abs(places[3] - places[2])
  -- at the place itself, where several numbers vanish at once, Newton's method may fail
  local point = off < math.abs(place - at) and corrector.within(problem, from, to, place)
  if point then return point, off end
  return nil, math.abs(place - at) + off
end

return limit_places
