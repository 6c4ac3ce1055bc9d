-- edges.lua: where a branch leaves its range: the point at an edge, or, where the equations are singular there, the value that it approaches.
--
-- An edge is { name, at = function of the unknowns to a value and its gradient, from, to, ends = why the branch cannot go on (nil: it could), bound = true
-- where it could, but is not followed farther }. Motions with events at which a duration comes to zero often have other solutions there, those with this
-- duration 0 for any value of the parameter, so that the equations are singular at the end. Along the branch the value is a smooth function of the
-- duration: it is extrapolated from points that come nearer, each at half the distance of the one before (Neville's scheme).
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local ends = require "hamel.continuation.ends"
local kinks = require "hamel.continuation.kinks"
local tangent = require "hamel.analysis.tangent"
local zeros = require "hamel.continuation.zeros"

local edges = {}

local CLOSE = 1e-8                     -- how exactly the place of an edge is looked for, before Newton's method takes its value
local SAME = 1e-6                      -- relative difference of two values up to which an edge and an end beside it are one

-- The value of an edge that is left at a point; nil: it is not left
local function left(edge, y)
  local value = edge.at(y)
  if edge.to and value > edge.to then return edge.to end
  if edge.from and value < edge.from then return edge.from end
  return nil
end

local function waning_words(problem, point)
  local waning = problem.waning and problem:waning(point)
  return waning and "; " .. waning or ""
end

local BESIDE = 1e-5                     -- of the value at the start of the branch

-- The place beside a point where the equations have no value, in words; nil: there is none
local function place_beside(problem, point)
  for _, place in ipairs(ends.places(problem)) do
    local value = math.abs((place.at(point.y)))
    if value <= (place.near or BESIDE)*place.size then return ("; %s, and the branch is within %.2g of this"):format(place.words, value) end
  end
  return nil
end

--- Why a branch stops at a point, where no end is found.
function edges.stopped(problem, point, why)
  local fine, corner = attempt(kinks.beside, problem, point)
  local words = fine and corner or why .. (place_beside(problem, point) or "")
  return ("stopped at %s = %.9g: %s%s"):format(problem.name, point.value, words, waning_words(problem, point))
end

-- The point with its tangent in the direction of that at `from`
local function onwards(from, point)
  if tangent.dot(point.tangent, from.tangent) < 0 then
    point.tangent, point.slope, point.sign = corrector.negative(point.tangent), -point.slope, -point.sign
  end
  return point
end

-- The point at an edge between `from` and a point beyond; nil and the reason where Newton's method fails
local function point_at(problem, from, beyond, edge, wanted)
  local near = zeros.between(problem, from, 0, from, beyond.length, beyond, function(p) return edge.at(p.y) - wanted end, CLOSE) or beyond
  local last, why = corrector.at_value(problem, near.y, edge.at, wanted, from.directions)
  if not last then return nil, why end
  last.before, last.length = from, near.length
  return onwards(from, last)
end

-- ---- towards an edge at which the equations are singular

local MOST, NODES, WORSE, FALLS = 24, 8, 100, 0.8      -- points; of a polynomial; growth of the error at which rounding rules; changes from point to point
local FARTHER, NOTHING, USEFUL = 64, 1e-9, 1e-6        -- the first distance, of that at the last point; the least; error up to which a value counts

-- The value at 0 of the polynomial through the last values at the places x
local function limit(x, values)
  local first = math.max(1, #x - NODES + 1)
  local list, places = table.move(values, first, #values, 1, {}), table.move(x, first, #x, 1, {})
  return zeros.extrapolated(places, list)
end

-- The point of the branch, this one or one before, that is farthest from the edge within a range; beside the edge distances may rise by rounding
local function farther(from, distance)
  local point, best, most, cap = from, from, distance(from.y), FARTHER*distance(from.y)
  while point.before and point.before.tangent do
    point = point.before
    local now = distance(point.y)
    if now < most/2 or now > cap then break end
    if now > most then best, most = point, now end
  end
  return best
end

-- The branch towards an edge: { value, beside (of curves, see curves.lua), accuracy, point = the nearest point, distance = of the point to the edge }; nil: it
-- does not get there
local function approached(problem, from, edge, wanted, o)
  local side = edge.at(from.y) > wanted and 1 or -1
  local function distance(y)
    local value, gradient = edge.at(y)
    return side*(value - wanted), gradient
  end
  local place = { at = function(y)
    local value, gradient = edge.at(y)
    return value - wanted, gradient
  end }
  local point = farther(from, distance)
  local function second(at) return problem.beside and problem:beside(at.y) or 0.0 end
  local x, values, others, best, last, size, first = { (distance(point.y)) }, { point.value }, { second(point) }, nil, nil, nil, distance(point.y)
  for _ = 1, MOST do
    local next_point = ends.towards(problem, corrector.at_value, place, point, side*x[#x]/2)
    local change = next_point and corrector.norm(problem:difference(next_point.y, point.y))
    -- a solution of another branch is no neighbour
    if not next_point or size and #x > 2 and not (change <= FALLS*size) then break end
    point, size = next_point, change
    x[#x + 1], values[#values + 1], others[#others + 1] = x[#x]/2, point.value, second(point)
    local value, beside = limit(x, values), limit(x, others)
    local error_now = last and math.max(math.abs(value - last.value), math.abs(beside - last.beside)) or math.huge
    if not best or error_now <= best.accuracy then
      best = { value = value, beside = problem.beside and beside, accuracy = error_now, point = point, distance = x[#x] }
    end
    if best.accuracy < error_now/WORSE or best.accuracy <= o.locate*(o.unit + math.abs(value))/10 or x[#x] <= NOTHING*first then break end
    last = { value = value, beside = beside }
  end
  if not best or not (best.accuracy <= USEFUL*(1 + math.abs(best.value))) then return nil end
  return best
end

-- The end of a branch at an edge, as a special point; nil: it is not found
local function end_at(problem, from, edge, wanted, o)
  local fine, best = attempt(approached, problem, from, edge, wanted, o)
  if not fine or not best then return nil end
  -- the points hold the equations within the tolerance
  local off, point = 4*best.accuracy + problem.tolerance, best.point
  local nearer = best.distance < math.abs(edge.at(from.y) - wanted)
  if nearer then
    point.before, point.length = from, tangent.dot(problem:difference(point.y, from.y), from.tangent)
    onwards(from, point)
  end
  return { kind = "end", name = edge.ends, ends = edge.ends, edge = edge, value = best.value, beside = best.beside or nil,
           point = nearer and point or from,
           length = nearer and point.length or 0.0, accuracy = off > o.locate*(o.unit + math.abs(best.value)) and off or nil }
end

--- The end of a branch ahead of a point from which no step holds, as a special point { kind = "end", point = the last one before it, ... }; nil: none is
--- found.
function edges.ahead(problem, from, o)
  local list = {}
  for _, edge in ipairs(problem.edges) do
    local value, gradient = edge.at(from.y)
    local slope = tangent.dot(gradient, from.tangent)
    local wanted = slope < 0 and edge.from or slope > 0 and edge.to or nil
    if edge.ends and wanted and value ~= wanted then list[#list + 1] = { edge = edge, wanted = wanted, far = (wanted - value)/slope } end
  end
  table.sort(list, function(one, other) return one.far < other.far end)
  for _, item in ipairs(list) do
    local last = item.far > 0 and end_at(problem, from, item.edge, item.wanted, o)
    if last then return last end
  end
  return nil
end

local REGULAR = 1e-4                    -- the least singular value, of the largest, at which a point is as exact as the equations hold

-- Are the equations, with the value of an edge, nearly singular at a point?
local function is_singular(point, edge)
  local flat, _, gradient = {}, edge.at(point.y)
  for _, row in ipairs(point.rows) do table.move(row, 1, #row, #flat + 1, flat) end
  for _, u in ipairs(point.directions) do flat[#flat + 1] = tangent.dot(gradient, u) end
  local n = #point.directions
  local values = core.singular(n, n, flat)
  return not (values[n] > REGULAR*values[1])
end

-- Is the end of a branch before an edge of the value, or at it?
local function is_before(problem, from, last, edge, wanted)
  if edge.name ~= problem.name then return true end
  local near = SAME*(1 + math.abs(wanted)) + (last.accuracy or 0)
  return wanted < from.value and last.value >= wanted - near or wanted > from.value and last.value <= wanted + near
end

-- Of two edges that a step leaves the one that comes first; where both are one, that at which the branch ends, except for a bound
local function is_first(one, other)
  if not other then return true end
  if not one.length or not other.length then return one.length ~= nil end
  local apart = SAME*math.max(one.length, other.length)
  if math.abs(one.length - other.length) > apart then return one.length < other.length end
  return one.edge.ends ~= nil and not one.edge.bound or other.edge.bound
end

--- What happens where a step from a point ends beyond an edge; nil: it is beyond none. { edge, reached = in words } and: point = at the edge, nil where the
--- start is on it; or last = the end of the branch, as edges.ahead returns it; or failed = why neither is found.
function edges.crossed(problem, from, beyond, o)
  local first
  for _, edge in ipairs(problem.edges) do
    local wanted = left(edge, beyond.y)
    if wanted then
      local item = { edge = edge, wanted = wanted, reached = ("%s reaches %.9g"):format(edge.name, wanted), length = 0.0 }
      if (edge.at(from.y) - wanted)*(edge.at(beyond.y) - wanted) < 0 then
        item.point, item.failed = point_at(problem, from, beyond, edge, wanted)
        item.length = item.point and item.point.length
      end
      if is_first(item, first) then first = item end
    end
  end
  if first and first.point and first.edge.ends and not first.edge.bound and is_singular(first.point, first.edge) then
    -- there the equations hold within their tolerance far from the end, too
    first.last = end_at(problem, from, first.edge, first.wanted, o)
    if first.last then first.point = nil end
  end
  if not first or not first.failed then return first end
  local edge = first.edge
  local last = edge.ends and end_at(problem, from, edge, first.wanted, o) or edges.ahead(problem, from, o)
  if last and is_before(problem, from, last, edge, first.wanted) then
    first.last = last
  else
    local place = edge.ends or ("%s is %.9g"):format(edge.name, first.wanted)
    first.failed = ("stopped at %s = %.9g, short of the place where %s: %s%s"):format(problem.name, from.value, place, first.failed,
      edge.ends and "" or waning_words(problem, from))
  end
  return first
end

--- What happens before the special point at which a branch ends on a step from a point, where the step leaves the range before; as of edges.crossed, nil: it
--- does not, or the place is not found.
function edges.passed(problem, from, last, o)
  local beyond = last.point
  if not beyond or beyond.before ~= from or not beyond.length then return nil end
  local crossed = edges.crossed(problem, from, beyond, o)
  return crossed and not crossed.last and not crossed.failed and crossed or nil
end

local is_of_end = { fold = true, branch = true, neutral = true, touch = true, grazing = true }

--- Removes the folds, branch points, touches and grazings at the end of a branch from the special points of its last step, behind the point number k: there
--- the motions meet solutions that are none, and an impact that follows a rest at once has no velocity.
function edges.without_others(special, last, k)
  for i = #special, 1, -1 do
    local item = special[i]
    local near = SAME*(1 + math.abs(last.value)) + (item.accuracy or 0)
    if is_of_end[item.kind] and item.behind >= k and math.abs(item.value - last.value) <= near then table.remove(special, i) end
  end
end

return edges
