-- zeros.lua: where a function of the points of a branch vanishes between two of them.
local attempt = require "hamel.base.attempt"
local corrector = require "hamel.continuation.corrector"
local tangent = require "hamel.analysis.tangent"

local zeros = {}

local LOCATING, FAIR = 60, 5            -- rounds of a search; of Newton's method, on the way to a point that counts

local NODES, CLOSER, NEAREST, SETTLED = 6, 4, 12, 1e-3
local ROUNDED = 10                      -- of the root of the tolerance: distance from another branch at which rounding moves points by as much as 1/10 of it

local STRAIGHT = 0.2                    -- bend of a function, relative to its change, up to which it has one zero

--- Has a function with values at both ends of a part, which bends by this much between them, at most one zero, and this where its signs differ?
function zeros.is_simple(one, other, bend)
  if bend <= STRAIGHT*math.abs(other - one) then return true end
  return (one > 0) == (other > 0) and 2*bend < math.min(math.abs(one), math.abs(other))
end

--- Is a function near zero between two values, as far as it changes?
function zeros.is_near(one, other) return (one > 0) ~= (other > 0) or 2*math.min(math.abs(one), math.abs(other)) < math.abs(other - one) end

--- The value at 0 of the polynomial through values at the places x (Neville).
function zeros.extrapolated(x, values)
  local list = table.move(values, 1, #values, 1, {})
  for k = 1, #list - 1 do
    for i = 1, #list - k do list[i] = (x[i]*list[i + 1] - x[i + k]*list[i])/(x[i] - x[i + k]) end
  end
  return list[1]
end

-- The points of a list whose lengths are nearest to `length`, with their lengths, relative to it
local function nearest_points(list, length)
  local near, x = table.move(list, 1, #list, 1, {}), {}
  table.sort(near, function(p, q) return math.abs(p.length - length) < math.abs(q.length - length) end)
  for i = #near, 1, -1 do
    if i > NODES then near[i] = nil else x[i] = near[i].length - length end
  end
  return near, x
end

-- The length between those of two points at which f vanishes, from its values at points { length, value, point }: polynomials through the nearest ones
local function interpolated_zero(list, low, high)
  local function at(length)
    local near, x = nearest_points(list, length)
    local values = {}
    for i, item in ipairs(near) do
      if x[i] == 0 then return item.value end
      values[i] = item.value
    end
    return zeros.extrapolated(x, values)
  end
  local a, b, fa = low.length, high.length, low.value
  for _ = 1, LOCATING do
    local middle = (a + b)/2
    local value = at(middle)
    if middle == a or middle == b or value == 0 then return middle end
    if (value > 0) == (fa > 0) then a = middle else b = middle end
  end
  return (a + b)/2
end

-- What polynomials through points of a list give at a length: a solution but for their error, and the tangent there
local function between(problem, list, length)
  local near, x = nearest_points(list, length)
  local base, parts, sums = near[1].point, {}, { {}, {} }
  for i, item in ipairs(near) do parts[i] = { problem:difference(item.point.y, base.y), item.point.tangent } end
  for k, sum in ipairs(sums) do
    for e = 1, #parts[1][k] do
      local values = {}
      for i in ipairs(near) do values[i] = parts[i][k][e] end
      sum[e] = zeros.extrapolated(x, values)
    end
  end
  local size = corrector.norm(sums[2])
  for e, value in ipairs(sums[2]) do sums[2][e] = value/size end
  local fine, y = attempt(problem.moved, problem, base.y, sums[1])
  return fine and y or nil, sums[2]
end

local FEW = 4                           -- points of a list up to which the cubic through the ends of a step is better than polynomials through their places

-- Adds the point at a length to a list where Newton's method converges fast, and so to the curve of the others; behind: the point behind the step
local function add_point(list, problem, from, behind, length, f)
  local point
  if #list < FEW then
    point = corrector.within(problem, from, behind, length)
  else
    local y = between(problem, list, length)
    point = y and corrector.newton(problem, y, from.directions, { row = from.tangent })
    if point then corrector.add_tangent(problem, point, from.tangent) end
  end
  if not point or point.rounds > FAIR then return end
  point.before, point.length = from, length
  list[#list + 1] = { length = length, value = f(point), point = point }
end

-- The point at a length from polynomials alone, as the equations are singular there; nil where it misses them
local function point_between(problem, from, list, length)
  local y, along = between(problem, list, length)
  local point = { y = y, before = from, length = length, rounds = 0 }
  local fine = y and attempt(function()
    point.directions = problem:directions(y, from.directions)
    point.F, point.rows, point.extra = problem:equations(y, point.directions)
  end)
  if not fine or not (corrector.largest(point.F) <= problem.tolerance) then return nil end
  corrector.add_tangent(problem, point, along)
  point.tangent, point.slope = along, tangent.dot(select(2, problem:value(y)), along)
  return corrector.accepted(problem, point)
end

--- Where another branch crosses, the equations are singular, and beside the zero of f rounding moves the points of Newton's method along that branch, by as
--- much as it is near. So the zero is interpolated from points on both sides, which come nearer as long as the zero still settles.
--- The arguments and results are those of zeros.between.
function zeros.beside(problem, from, a, one, b, other, f, locate)
  local low, high = { length = a, value = f(one), point = one }, { length = b, value = f(other), point = other }
  local zero, list = a + (b - a)*low.value/(low.value - high.value), { low, high }
  local off, change = (b - a)/CLOSER, math.huge
  for _ = 1, NEAREST do
    local count = #list
    for side = -1, 1, 2 do
      local length = zero + side*off
      -- the ends are points already
      if length > a + off/10 and length < b - off/10 then add_point(list, problem, from, other, length, f) end
    end
    if #list == count and count > 2 then break end
    local again = #list > count and interpolated_zero(list, low, high) or zero
    local now = #list > count and math.abs(again - zero)*math.abs(from.slope) or change
    -- what moves the zero again is rounding, or the error of polynomials: it is known no better
    if #list >= NODES and now >= change then
      change = now
      break
    end
    zero, change, off = again, now, off/CLOSER
    local near = SETTLED*locate*(corrector.unit(problem) + math.abs(from.value))
    if #list >= NODES and (change <= near or off < ROUNDED*math.sqrt(problem.tolerance)) then break end
  end
  local point = point_between(problem, from, list, zero)
  if not point then return nil end
  return point, change > locate*(corrector.unit(problem) + math.abs(point.value)) and change + problem.tolerance or nil
end

local LITTLE, ROUNDING, ROUNDING_OF_RUNS = 1e-6, 1e-14, 1e-8

-- Values of f that count as zero between two points with the values fa and fb: of the smaller one, as f is small where another zero lies beside that point
local function least_of(problem, fa, fb)
  local one, other = math.abs(fa), math.abs(fb)
  return math.max(LITTLE*math.min(one, other), (problem.at_rest and ROUNDING or ROUNDING_OF_RUNS)*math.max(one, other))
end

--- Where f, a function of the point, vanishes between two points at the lengths a and b along the tangent at `from`: the point, and its accuracy where
--- this is worse than asked for; nil where Newton's method fails on the way.
function zeros.between(problem, from, a, one, b, other, f, locate)
  local start, width_at_start, behind = a, b - a, other
  local fa, fb, point, kept = f(one), f(other), other, 0
  local steepness = math.abs(fb - fa)/width_at_start
  local near_zero = least_of(problem, fa, fb)
  for _ = 1, LOCATING do
    local width = math.abs(b - a)*math.abs(from.slope)
    local known = locate*(corrector.unit(problem) + math.abs(point.value))
    if width <= known and b - a <= near_zero/steepness or b - a <= 1e-14*(start + width_at_start) then break end
    local middle = (a*fb - b*fa)/(fb - fa)
    if not (middle > a and middle < b) then middle = (a + b)/2 end
    local found = corrector.within(problem, from, behind, middle)
    if not found or found.rounds > FAIR then return zeros.beside(problem, from, start, one, start + width_at_start, other, f, locate) end
    local value = f(found)
    local step, near = math.abs(found.value - point.value), locate*(corrector.unit(problem) + math.abs(found.value))
    point = found
    if value == 0 or step <= near and math.abs(value) <= math.min(steepness*near, near_zero) then break end
    -- regula falsi of Illinois: an end that is kept twice counts half
    if (value > 0) == (fb > 0) then
      if kept > 0 then fa = fa/2 end
      b, fb, kept = middle, value, 1
    else
      if kept < 0 then fb = fb/2 end
      a, fa, kept = middle, value, -1
    end
  end
  return point
end

return zeros
