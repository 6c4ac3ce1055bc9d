-- special_points.lua: special points on the steps of a branch: where tests change their signs, once or twice, or several eigenvalues pass at once.
-- What a problem and its tests are: arclength.lua.
local corrector = require "hamel.continuation.corrector"
local zeros = require "hamel.continuation.zeros"

local special_points = {}

local LOCATING, NOTHING, TINY = 60, 1e-9, 1e-300

-- A zero has the sign of the point before, so that a special point that is met exactly lies on the next step
local function signed(tests, before)
  for name, value in pairs(tests) do
    local old = before and before[name]
    if value == 0 and old then tests[name] = old > 0 and TINY or old < 0 and -TINY or 0 end
  end
  return tests
end

--- Values that change their sign at special points. origin: size and sign of the determinant at the start; before: the values at the point before.
function special_points.tests(problem, point, origin, before)
  local tests = problem:tests(point)
  tests.fold = point.slope
  tests.branch = origin.sign*point.sign*math.exp(math.max(-600, math.min(600, point.size - origin.size)))
  return signed(tests, before)
end

-- A test as a function of the point
local function test_at(problem, name, origin)
  return function(p)
    p.tests = p.tests or special_points.tests(problem, p, origin)
    return p.tests[name] or 0
  end
end

local SMALL = 4e-3

-- A test whose zero the equations do not determine, since they hold there for any value: the value is extrapolated from where the test is small, as an
-- even function of it
local function beside_zero(problem, name, from, other, o, origin)
  local f, points = test_at(problem, name, origin), {}
  local sign = f(from) > 0 and 1 or -1
  local size = math.min(SMALL, math.abs(f(from))/2)
  for k = 1, 2 do
    points[k] = zeros.between(problem, from, 0, from, other.length, other, function(p) return f(p) - sign*size/k end, o.locate)
    if not points[k] then return nil end
  end
  return points[2], (4*points[2].value - points[1].value)/3
end

-- The special point of a test between two points at lengths along the tangent at `from`; nil: there is none of its kind
local function special_at(problem, name, from, a, one, b, other, o, origin)
  if (problem.undetermined or {})[name] then
    local point, value = beside_zero(problem, name, from, other, o, origin)
    local details = problem:confirmed(name, point)
    if not details then return nil end
    details.kind, details.point, details.length, details.doubtful = name, point or other, (point or other).length, not point or nil
    details.value = value or other.value
    return details
  end
  local zero = name == "branch" and zeros.beside or zeros.between
  local point, accuracy = zero(problem, from, a, one, b, other, test_at(problem, name, origin), o.locate)
  local details = not point and {} or problem:confirmed(name, point)
  if not details then return nil end
  details.kind, details.point, details.length = details.kind or name, point or other, point and point.length or b
  details.doubtful, details.accuracy = not point or nil, accuracy
  details.value = details.point.value
  return details
end

local function in_order(one, other)
  if one.behind ~= other.behind then return one.behind < other.behind end
  if one.length ~= other.length then return one.length < other.length end
  return one.kind < other.kind
end

-- A number that is rounding on both sides vanishes along the whole branch
local function is_number(one, other) return one and other and one ~= 0 and other ~= 0 and math.max(math.abs(one), math.abs(other)) > NOTHING end

-- Special points on a step; passed: the number of points before it
local function special_between(problem, from, to, o, origin, passed)
  local found = {}
  for name, value in pairs(to.tests) do
    local old = from.tests[name]
    if is_number(old, value) and (old > 0) ~= (value > 0) then
      local item = special_at(problem, name, from, 0, from, to.length, to, o, origin)
      if item then item.behind, found[#found + 1] = passed, item end
    end
  end
  return found
end

-- Special points of a step up to one at which the branch ends, and this; the value turns back there, which is no fold
local function up_to_end(list)
  local last
  for _, item in ipairs(list) do if item.ends and not (last and last.length < item.length) then last = item end end
  if not last then return list end
  local kept = {}
  for _, item in ipairs(list) do
    if item == last or item.length < last.length and item.kind ~= "fold" and item.kind ~= "branch" then kept[#kept + 1] = item end
  end
  return kept, last
end

-- ---- two special points within one step

local SEARCHED = 16

local LOWER, DEEP = 0.7, 0.5

-- Does the parabola through the values at -a, 0 and b come much nearer to zero than `middle`, the least of the three, or are the others much larger?
local function comes_near(before, middle, after, a, b)
  if middle < DEEP*math.min(before, after) then return true end
  local curvature = ((before - middle)/a + (after - middle)/b)/(a + b)
  local slope = (after - middle)/b - curvature*b
  return curvature > 0 and middle - slope^2/(4*curvature) < LOWER*middle
end

-- The point of a step at which f, positive at both ends, is negative; nil where its least value is not
local function negative_within(problem, from, length, f)
  local golden = (3 - math.sqrt(5))/2
  local low, high = 0, length
  local a, b = low + golden*(high - low), high - golden*(high - low)
  local fa, fb, point
  for _ = 1, SEARCHED do
    if not fa then
      point = corrector.stepped(problem, from, a)
      if not point then return nil end
      fa = f(point)
      if fa < 0 then return point end
    end
    if not fb then
      point = corrector.stepped(problem, from, b)
      if not point then return nil end
      fb = f(point)
      if fb < 0 then return point end
    end
    if fa < fb then
      high, b, fb = b, a, fa
      a, fa = low + golden*(high - low), nil
    else
      low, a, fa = a, b, fb
      b, fb = high - golden*(high - low), nil
    end
  end
  return nil
end

-- Where a test comes nearer to zero at a point than at those before and after, it may pass zero twice beside the point: both special points
local function special_pairs(problem, point, o, origin, passed)
  local middle, found = point.before, {}
  local first = middle.before
  if not first or not first.tests then return found end
  for name, value in pairs(middle.tests) do
    local old, new = first.tests[name], point.tests[name]
    local sign = value > 0 and 1 or -1
    if is_number(old, value) and is_number(value, new) and sign*old >= sign*value and sign*new >= sign*value
      and comes_near(sign*old, sign*value, sign*new, middle.length, point.length) then
      local f = test_at(problem, name, origin)
      for k, step in ipairs{ { first, middle }, { middle, point } } do
        local from, to = step[1], step[2]
        local within = negative_within(problem, from, to.length, function(p) return sign*f(p) end)
        for _, part in ipairs(within and { { 0, from, within.length, within }, { within.length, within, to.length, to } } or {}) do
          local item = special_at(problem, name, from, part[1], part[2], part[3], part[4], o, origin)
          if item then item.behind, found[#found + 1] = passed - 2 + k, item end
        end
      end
    end
  end
  return found
end

-- Has a special point (of that kind) been found at this point of the curve?
local function is_special(special, point, kind)
  for _, item in ipairs(special) do
    local near = math.abs(item.value - point.value) <= 1e-9*(1 + math.abs(point.value))
    if near and (not kind or item.kind == kind and item.name == point.name) then return true end
  end
  return false
end

-- Special points that are new: one at the end of a step is met again by the next one
local function new_ones(special, found, from)
  local list = {}
  for _, item in ipairs(found) do
    local again = math.abs(item.value - from.value) <= 1e-9*(1 + math.abs(from.value)) and item.length <= 1e-6*(1 + math.abs(from.value))
    if not (again and is_special(special, item, item.kind)) then list[#list + 1] = item end
  end
  return list
end

-- Several eigenvalues that pass at once change no sign of a test. Where the number of those that are unstable changes within a step
local function several_between(problem, from, to, o, passed)
  local growth = problem.growth and problem:growth(from)
  if not growth or growth(from) == growth(to) then return nil end
  local low, high, point, before = 0, to.length, to, growth(from)
  for _ = 1, LOCATING do
    if (high - low)*math.abs(from.slope) <= o.locate*(1 + math.abs(point.value)) then break end
    local middle = corrector.stepped(problem, from, (low + high)/2)
    if not middle then break end
    if growth(middle) == before then low = middle.length else high, point = middle.length, middle end
  end
  local details = problem:several(point)
  details.point, details.value, details.length, details.behind = point, point.value, point.length, passed
  details.several = math.abs(growth(to) - before)
  return details
end

--- Adds the special points on the step from one point to the next to a list, in order; those of the step before, too, where only the next point shows
--- them. passed: the number of points before the step. Returns the special point at which the branch ends, if it does.
function special_points.add(problem, from, point, o, origin, special, passed)
  local found, last = up_to_end(special_between(problem, from, point, o, origin, passed))
  local new = new_ones(special, found, from)
  table.move(new, 1, #new, #special + 1, special)
  if last then return last end
  local twice = special_pairs(problem, point, o, origin, passed)
  table.move(twice, 1, #twice, #special + 1, special)
  if #found + #twice == 0 and not is_special(special, from) then special[#special + 1] = several_between(problem, from, point, o, passed) end
  table.sort(special, in_order)
  return nil
end

return special_points
