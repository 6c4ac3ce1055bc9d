-- dips.lua: where a function along a step comes near zero and turns back, so that it may pass zero twice within the step.
local corrector = require "hamel.continuation.corrector"

local dips = {}

local SEARCHED = 16

local LOWER, DEEP, FLAT = 0.7, 0.5, 2

-- The parabola through the values at -a, 0 and b: its least value, its curvature and its slope at 0
local function parabola(before, middle, after, a, b)
  local curvature = ((before - middle)/a + (after - middle)/b)/(a + b)
  local slope = (after - middle)/b - curvature*b
  return curvature > 0 and middle - slope^2/(4*curvature) or middle, curvature, slope
end

-- By how much a cubic through a fourth value, at -c, differs at most from the parabola between -a and b
local function cubic_part(far, before, middle, after, a, b, c)
  local _, curvature, slope = parabola(before, middle, after, a, b)
  local third = (far - (middle - slope*c + curvature*c^2))/((a - c)*c*(b + c))
  local most = 0
  for k = 1, 7 do
    local x = -a + (a + b)*k/8
    most = math.max(most, math.abs((x + a)*x*(x - b)))
  end
  return math.abs(third)*most
end

-- May a test with the values at -a, 0 and b, of which that at 0 is the least, pass zero twice between them? So may one that falls deep, or that comes much
-- nearer to zero on a parabola, as far as a cubic through the value at -c bears this out. far: that value; nil: there is none, and nothing is known
local function comes_near(far, before, middle, after, a, b, c)
  if middle < DEEP*math.min(before, after) or not far then return true end
  return parabola(before, middle, after, a, b) - 2*cubic_part(far, before, middle, after, a, b, c) < LOWER*middle
end

-- Is a least value in the middle of three at the lengths of a list known to stay away from zero, as it changes little beside it?
local function is_flat(list)
  local best = 1
  for k, item in ipairs(list) do if item.value < list[best].value then best = k end end
  local before, middle, after = list[best - 1], list[best], list[best + 1]
  if #list < 4 or not before or not after then return false end
  local least = parabola(before.value, middle.value, after.value, middle.length - before.length, after.length - middle.length)
  return math.max(before.value, after.value) < FLAT*middle.value and least > LOWER*middle.value
end

local function insert_ordered(list, item)
  local k = #list + 1
  while k > 1 and list[k - 1].length > item.length do k = k - 1 end
  table.insert(list, k, item)
end

--- The point of a step at which f, positive at both ends, is less than `below`, a negative number; nil where its least value is not, or it changes so
--- little that it cannot be. The second result: the point with the least value. one, other: the values at the ends
function dips.negative_within(problem, from, length, f, below, one, other)
  local golden = (3 - math.sqrt(5))/2
  local low, high = 0, length
  local a, b = low + golden*(high - low), high - golden*(high - low)
  local fa, fb, point, best
  local known = { { length = 0, value = one }, { length = length, value = other } }
  for _ = 1, SEARCHED do
    if not fa then
      point = corrector.stepped(problem, from, a)
      if not point then return nil end
      fa = f(point)
      if fa < below then return point end
      if not best or fa < f(best) then best = point end
      insert_ordered(known, { length = a, value = fa })
    end
    if not fb then
      point = corrector.stepped(problem, from, b)
      if not point then return nil end
      fb = f(point)
      if fb < below then return point end
      if not best or fb < f(best) then best = point end
      insert_ordered(known, { length = b, value = fb })
    end
    if is_flat(known) then return nil end
    if fa < fb then
      high, b, fb = b, a, fa
      a, fa = low + golden*(high - low), nil
    else
      low, a, fa = a, b, fb
      b, fb = high - golden*(high - low), nil
    end
  end
  return nil, best
end

--- May a test pass zero twice beside the middle one of three points, where it is nearest to zero? far: its value at the point before them, or nil; a, b, c:
--- lengths from the middle one to the first, the last and the point before.
function dips.may_pass_twice(far, old, value, new, a, b, c)
  local sign = value > 0 and 1 or -1
  return sign*old >= sign*value and sign*new >= sign*value
    and comes_near(far and sign*far, sign*old, sign*value, sign*new, a, b, c)
end

return dips
