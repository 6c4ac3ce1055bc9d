-- curve_places.lua: where along a curve a number vanishes or stands still, as exactly as points of the curve are known, and how exactly that is.
--
-- Points of a curve are known to the tolerance of Newton's method, but tangents only to that of the differences they are taken from. So a place near by is
-- settled by polynomials through points on both sides of it, which come nearer as long as the place still settles.
local attempt = require "hamel.base.attempt"
local corrector = require "hamel.continuation.corrector"

local curve_places = {}

local FAIR = 5                          -- rounds of Newton's method, on the way to a point that counts
local NODES, LEAST = 8, 5               -- of a polynomial
local ROUNDS, ROUNDS_OF_RUNS = 10, 6    -- pairs of points
local CLOSER = 2                        -- each pair than the one before
local STEPS = 30                        -- of the root of a polynomial

-- The divided differences of values at places x
local function divided(x, values)
  local list = table.move(values, 1, #values, 1, {})
  for k = 1, #list - 1 do
    for i = #list, k + 1, -1 do list[i] = (list[i] - list[i - 1])/(x[i] - x[i - k]) end
  end
  return list
end

-- A polynomial by divided differences and its first two derivatives at a place
local function evaluated(x, list, at)
  local value, slope, bend = list[#list], 0.0, 0.0
  for i = #list - 1, 1, -1 do
    bend = bend*(at - x[i]) + 2*slope
    slope = slope*(at - x[i]) + value
    value = value*(at - x[i]) + list[i]
  end
  return value, slope, bend
end

-- The polynomial through the values of f at the samples nearest to a place: a function of the place
local function through(samples, at, f)
  local near, x, values = table.move(samples, 1, #samples, 1, {}), {}, {}
  table.sort(near, function(p, q) return math.abs(p.at - at) < math.abs(q.at - at) end)
  local base = f(near[1].point)
  for i = 1, math.min(NODES, #near) do x[i], values[i] = near[i].at, f(near[i].point) - base end
  local list = divided(x, values)
  return function(place)
    local value, slope, bend = evaluated(x, list, place)
    return value + base, slope, bend
  end
end

-- The root of the polynomial, or where it stands still, near a place; nil: there is none within a distance
local function root(polynomial, stationary, at, within)
  local start = at
  for _ = 1, STEPS do
    local value, slope, bend = polynomial(at)
    if stationary then value, slope = slope, bend end
    local step = value/slope
    if not (math.abs(at - step - start) <= within) then return nil end
    at = at - step
    if math.abs(step) <= 1e-15*within then break end
  end
  return at
end

-- Adds the points at a distance on both sides
local function add_points(problem, step, samples, distance)
  for side = -1, 1, 2 do
    local point = corrector.within(problem, step.from, step.to, step.length + side*distance)
    if point and point.rounds <= FAIR then samples[#samples + 1] = { at = side*distance, point = point } end
  end
end

--- The place beside a point of a curve at which f, a function of the point, vanishes or (stationary) stands still: { at = length from there along the tangent
--- at the start of the step, off = how far from there it may be, samples, width = of them }; at is nil where none is settled.
--- step: { from, to = the points at both ends, length = of the point along the tangent at `from` }: at the point itself there may be no tangent, where
--- another curve crosses. width: how far from the point others are looked at first; enough: how exactly a place need be known.
function curve_places.settled(problem, step, base, f, stationary, width, enough)
  local samples, last, before, best = { { at = 0.0, point = base } }, nil, nil, nil
  local rounds = problem.sparing and ROUNDS_OF_RUNS or ROUNDS
  local distance = width
  for _ = 1, rounds do
    local count = #samples
    add_points(problem, step, samples, distance)
    -- the same points say the same again
    if #samples >= LEAST and #samples > count then
      local at = root(through(samples, 0.0, f), stationary, last or 0.0, distance*CLOSER)
      if not at then break end
      local change = last and math.abs(at - last)
      -- one change may be small by chance
      local off = change and before and math.max(change, before)
      if off and (not best or off < best.off) then best = { at = at, off = off } end
      if best and best.off <= enough then break end
      last, before = at, change
    end
    distance = distance/CLOSER
  end
  best = best or {}
  best.samples, best.width = samples, width
  return best
end

--- The polynomial through the values of f at the points nearest to a place: a function of the place to value, slope and bend.
function curve_places.along(place, f) return through(place.samples, place.at, f) end

--- By how much f changes at most between the points beside a place and the nearest of them.
function curve_places.range(place, f)
  local base, most = f(place.samples[1].point), 0
  for _, item in ipairs(place.samples) do most = math.max(most, math.abs(f(item.point) - base)) end
  return most
end

local BESIDE, FARTHER, TRIES = 1e-8, 4, 10              -- of a step: how near to a place where the equations are singular a point is sought

local ROUNDINGS, SEARCHED = 1e-15, 16  -- of f beside its least value; of a step: where points are looked for first

-- The point at a length, or the nearest one to it that is found
local function near_length(problem, from, to, at)
  local point, off = corrector.within(problem, from, to, at), BESIDE*to.length
  for _ = 1, TRIES do
    if point then break end
    point, off = corrector.within(problem, from, to, at + off), FARTHER*off
  end
  return point
end

--- The least value of a smooth f within a step by polynomials: { point, least = value there, known = how well that is, bend, half = half the distance of two
--- zeros that this hides, apart = that of the parameters, value and beside = there }; nil: there is none. largest: size of f; near: a point where f is small.
function curve_places.least(problem, from, to, f, largest, near)
  local step = { from = from, to = to, length = near.length }
  local fine, place = attempt(curve_places.settled, problem, step, near, f, true, to.length/SEARCHED, ROUNDINGS*to.length)
  local at = fine and place.at and near.length + place.at
  local point = at and at > 0 and at < to.length and near_length(problem, from, to, at)
  if not point then return nil end
  local least, _, bend = curve_places.along(place, f)(place.at)
  local known = SEARCHED*(math.abs(f(point) - curve_places.along(place, f)(point.length - near.length)) + ROUNDINGS*largest)
  if not (bend > 0) then return nil end
  local found = { point = point, least = least, known = known, value = (curve_places.along(place, function(p) return p.value end)(place.at)) }
  -- half the distance of two zeros that this hides, along the step
  found.half, found.bend = math.sqrt(2*known/bend), bend
  if not problem.beside then return found end
  local _, slope = curve_places.along(place, function(p) return p.value end)(place.at)
  local other, slope_beside = curve_places.along(place, function(p) return problem:beside(p.y) end)(place.at)
  -- either parameter may keep its value along the curve
  found.beside, found.apart = other, 2*found.half*math.max(math.abs(slope), math.abs(slope_beside))
  return found
end

return curve_places
