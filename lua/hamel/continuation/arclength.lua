-- arclength.lua: follows a curve of solutions by its length: Newton's method beside a step along the tangent.
--
-- A problem has points y (lists of numbers) under conditions that it keeps by itself, and equations F(y) = 0, one fewer than the directions that the
-- conditions leave. It gives
--   problem:directions(y, before)      orthonormal directions along the conditions, near those at a point before (nil: any)
--   problem:moved(y, d)                y changed by the direction d and brought back onto the conditions
--   problem:equations(y, directions)   F, rows of its derivatives by the directions, whatever problem:tests needs
--   problem:value(y)                   what is printed along the branch and its gradient, as a direction
--   problem.undetermined               (optional) names of tests at whose zeros the equations hold for any value
--   problem.singular                   (optional) places where the equations have no value: see ends.lua
--   problem.edges                      { name, at = such a function of y, from, to, ends }: the branch ends where one is left; ends: why, where it cannot
--                                      go on
--   problem:tests(point)               name -> a number that changes its sign at a special point
--   problem:confirmed(kind, point)     details of a special point; nil: none of its kind; details.ends: why the branch ends there
--   problem:refitted(point)            (optional) the same solution in other unknowns, of which the first entries of y are those of before; nil: none
--   problem:refused(point)             (optional) why a solution of the equations is none
--   problem:growth(point), problem:several(point)    nil, or: a function of points that counts unstable eigenvalues, with a margin where those of
--                                      the point are on the border; what passes at a point
--   problem.tolerance                  largest F that counts as zero
-- Source: Keller, in: Applications of bifurcation theory (1977); Doedel, Keller and Kernevez, Int. J. Bifurcation Chaos 1 (1991).
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local ends = require "hamel.continuation.ends"
local tangent = require "hamel.analysis.tangent"

local arclength = {}

local ROUNDS, LAST_STEP = 8, 1e-8
local ANGLE, GOOD, FAIR = math.cos(0.3), 3, 5
local LOCATING, NOTHING, TINY = 60, 1e-9, 1e-300

local function norm(list) return math.sqrt(tangent.dot(list, list)) end

local function largest(list)
  local most = 0
  for _, value in ipairs(list) do
    if not (math.abs(value) <= most) then most = math.abs(value) end
  end
  return most
end

--- The direction with the parts s along the directions.
function arclength.combined(directions, s)
  local sum = {}
  for i = 1, #directions[1] do
    sum[i] = 0.0
    for k, u in ipairs(directions) do sum[i] = sum[i] + s[k]*u[i] end
  end
  return sum
end

local function parts_of(direction, directions)
  local list = {}
  for k, u in ipairs(directions) do list[k] = tangent.dot(direction, u) end
  return list
end

local function bordered(rows, border)
  local flat = {}
  for _, row in ipairs(rows) do table.move(row, 1, #row, #flat + 1, flat) end
  return table.move(border, 1, #border, #flat + 1, flat)
end

-- The point, unless the problem has conditions besides that it does not meet
local function accepted(problem, point)
  local why = problem.refused and problem:refused(point)
  if why then return nil, why end
  return point
end

-- Newton's method from y; border: { row = a direction, or a function of y that returns one, off = function of y: what it misses (nil: nothing) }.
-- The point { y, directions, rows, F, extra, rounds }, or nil and why there is none
local function newton(problem, y, before, border)
  local step, size = math.huge, math.huge
  for round = 0, ROUNDS do
    local fine, directions = attempt(problem.directions, problem, y, before)
    if not fine then return nil, directions end
    local F, rows, extra
    fine, F, rows, extra = attempt(problem.equations, problem, y, directions)
    if not fine then return nil, F end
    local off = border.off and border.off(y) or 0.0
    local now = math.max(largest(F), math.abs(off))
    if round > 0 and now <= problem.tolerance and step <= LAST_STEP then
      return accepted(problem, { y = y, directions = directions, rows = rows, F = F, extra = extra, rounds = round })
    end
    if round > 2 and not (now <= size) and not (now <= problem.tolerance) then return nil, ("Newton's method misses by %.2g"):format(now) end
    size = now
    local row = type(border.row) == "function" and border.row(y) or border.row
    local side = {}
    for i, value in ipairs(F) do side[i] = -value end
    side[#side + 1] = -off
    local s = core.solve(#side, bordered(rows, parts_of(row, directions)), side)
    if not s then
      -- a solution at which another branch crosses
      if now <= problem.tolerance then
        return accepted(problem, { y = y, directions = directions, rows = rows, F = F, extra = extra, rounds = round })
      end
      return nil, "the equations are singular"
    end
    step = norm(s)
    local moved
    fine, moved = attempt(problem.moved, problem, y, arclength.combined(directions, s))
    if not fine then return nil, moved end
    y = moved
  end
  return nil, ("Newton's method misses by %.2g"):format(size)
end

-- Tangent of the curve at a point, along `forward`; the sign and size of the determinant beside it
local function add_tangent(problem, point, forward)
  local side = {}
  for i = 1, #point.rows do side[i] = 0.0 end
  side[#side + 1] = 1.0
  local s, sign, size = core.solve(#side, bordered(point.rows, parts_of(forward, point.directions)), side)
  if not s then
    point.tangent, point.sign, point.size = forward, 0, 0.0
  else
    local length = norm(s)
    for i, value in ipairs(s) do s[i] = value/length end
    point.tangent, point.sign, point.size = arclength.combined(point.directions, s), sign, size + math.log(length)
  end
  local slope
  point.value, slope = problem:value(point.y)
  point.slope = tangent.dot(slope, point.tangent)
  return point
end

-- A zero has the sign of the point before, so that a special point that is met exactly lies on the next step
local function signed(tests, before)
  for name, value in pairs(tests) do
    local old = before and before[name]
    if value == 0 and old then tests[name] = old > 0 and TINY or old < 0 and -TINY or 0 end
  end
  return tests
end

-- Values that change their sign at special points
local function tests_of(problem, point, origin, before)
  local tests = problem:tests(point)
  tests.fold = point.slope
  tests.branch = origin.sign*point.sign*math.exp(math.max(-600, math.min(600, point.size - origin.size)))
  return signed(tests, before)
end

local function negative(list)
  local out = {}
  for i, value in ipairs(list) do out[i] = -value end
  return out
end

--- The solution near y at which f, a function of the point with its gradient, has the value `wanted`, with the tangent along which what is printed
--- grows.
function arclength.at_value(problem, y, f, wanted, before)
  local border = { row = function(at) return select(2, f(at)) end, off = function(at) return f(at) - wanted end }
  local point, why = newton(problem, y, before, border)
  if not point then return nil, why end
  add_tangent(problem, point, select(2, problem:value(point.y)))
  if point.slope < 0 then point.tangent, point.slope, point.sign = negative(point.tangent), -point.slope, -point.sign end
  return point
end

--- The solution near y + a d whose change from y has the part a along d, with the tangent away from y.
function arclength.beside(problem, y, d, a, before)
  local scaled = {}
  for i, value in ipairs(d) do scaled[i] = a*value end
  local border = { row = d, off = function(at) return tangent.dot(problem:difference(at, y), d) - a end }
  local point, why = newton(problem, problem:moved(y, scaled), before, border)
  if not point then return nil, why end
  return add_tangent(problem, point, a > 0 and d or negative(d))
end

--- Directions in which the equations at a point have no derivative, and the singular values, least last.
function arclength.null_directions(point, count)
  local n = #point.directions
  local flat = bordered(point.rows, {})
  for _ = 1, n - #point.rows do for _ = 1, n do flat[#flat + 1] = 0.0 end end
  local values, vectors = core.singular(n, n, flat)
  local list = {}
  for k = 1, count do
    local s = {}
    for i = 1, n do s[i] = vectors[(i - 1)*n + n - k + 1] end
    list[k] = arclength.combined(point.directions, s)
  end
  return list, values
end

local FREE = 1e-7                       -- singular values below, relative to the largest, that count as zero

--- How many directions of solutions there are at y beyond that of the curve; nil where y is no solution.
function arclength.excess(problem, y)
  local directions = problem:directions(y)
  local fine, F, rows = attempt(problem.equations, problem, y, directions)
  if not fine or #directions < 2 or largest(F) > 1e3*problem.tolerance then return nil end
  local _, values = arclength.null_directions({ directions = directions, rows = rows }, 1)
  local count = -1
  for _, value in ipairs(values) do if not (value > FREE*values[1]) then count = count + 1 end end
  return count
end

-- The solution beside a step of the length h along the tangent at `from`
local function stepped(problem, from, h)
  local d = {}
  for i, value in ipairs(from.tangent) do d[i] = h*value end
  local fine, y = attempt(problem.moved, problem, from.y, d)
  if not fine then return nil, y end
  local point, why = newton(problem, y, from.directions, { row = from.tangent })
  if not point then return nil, why end
  point.before, point.length = from, h
  return add_tangent(problem, point, from.tangent)
end

local NODES, CLOSER, NEAREST, SETTLED = 6, 4, 12, 1e-3

-- The value at 0 of the polynomial through values at the places x (Neville)
local function extrapolated(x, values)
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
    return extrapolated(x, values)
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
      sum[e] = extrapolated(x, values)
    end
  end
  local size = norm(sums[2])
  for e, value in ipairs(sums[2]) do sums[2][e] = value/size end
  local fine, y = attempt(problem.moved, problem, base.y, sums[1])
  return fine and y or nil, sums[2]
end

-- Adds the point at a length to a list where Newton's method converges fast, and so to the curve of the others
local function add_point(list, problem, from, length, f)
  local y = between(problem, list, length)
  local point = y and newton(problem, y, from.directions, { row = from.tangent })
  if not point or point.rounds > FAIR then return end
  point.before, point.length = from, length
  list[#list + 1] = { length = length, value = f(add_tangent(problem, point, from.tangent)), point = point }
end

-- The point at a length from polynomials alone, as the equations are singular there; nil where it misses them
local function point_between(problem, from, list, length)
  local y, along = between(problem, list, length)
  local point = { y = y, before = from, length = length, rounds = 0 }
  local fine = y and attempt(function()
    point.directions = problem:directions(y, from.directions)
    point.F, point.rows, point.extra = problem:equations(y, point.directions)
  end)
  if not fine or not (largest(point.F) <= problem.tolerance) then return nil end
  add_tangent(problem, point, along)
  point.tangent, point.slope = along, tangent.dot(select(2, problem:value(y)), along)
  return accepted(problem, point)
end

-- Where another branch crosses, the equations are singular, and beside the zero of f rounding moves the points of Newton's method along that branch, by as
-- much as it is near. So the zero is interpolated from points on both sides, which come nearer as long as the zero still settles.
-- The arguments and results are those of zero_between.
local function zero_beside(problem, from, a, one, b, other, f, locate)
  local low, high = { length = a, value = f(one), point = one }, { length = b, value = f(other), point = other }
  local zero, list = a + (b - a)*low.value/(low.value - high.value), { low, high }
  local off, change = (b - a)/CLOSER, math.huge
  for _ = 1, NEAREST do
    local count = #list
    for side = -1, 1, 2 do
      local length = zero + side*off
      -- the ends are points already
      if length > a + off/10 and length < b - off/10 then add_point(list, problem, from, length, f) end
    end
    if #list == count and count > 2 then break end
    local again = #list > count and interpolated_zero(list, low, high) or zero
    local now = #list > count and math.abs(again - zero)*math.abs(from.slope) or change
    if #list >= NODES and now >= change then break end
    zero, change, off = again, now, off/CLOSER
    if #list >= NODES and change <= SETTLED*locate*(1 + math.abs(from.value)) then break end
  end
  local point = point_between(problem, from, list, zero)
  if not point then return nil end
  return point, change > locate*(1 + math.abs(point.value)) and change + problem.tolerance or nil
end

-- Where f, a function of the point, vanishes between two points at the lengths a and b along the tangent at `from`: the point, and its accuracy where this
-- is worse than asked for; nil where Newton's method fails on the way
local function zero_between(problem, from, a, one, b, other, f, locate)
  local start, width_at_start = a, b - a
  local fa, fb, point, kept = f(one), f(other), other, 0
  local steepness = math.abs(fb - fa)/width_at_start
  for _ = 1, LOCATING do
    local width = math.abs(b - a)*math.abs(from.slope)
    if width <= locate*(1 + math.abs(point.value)) and b - a <= 1e-6*width_at_start or b - a <= 1e-14*(start + width_at_start) then break end
    local middle = (a*fb - b*fa)/(fb - fa)
    if not (middle > a and middle < b) then middle = (a + b)/2 end
    local found = stepped(problem, from, middle)
    if not found or found.rounds > FAIR then return zero_beside(problem, from, start, one, start + width_at_start, other, f, locate) end
    local value = f(found)
    local step, near = math.abs(found.value - point.value), locate*(1 + math.abs(found.value))
    point = found
    if value == 0 or step <= near and math.abs(value) <= steepness*math.min(near, 1e-6*width_at_start) then break end
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

-- A test as a function of the point
local function test_at(problem, name, origin)
  return function(p)
    p.tests = p.tests or tests_of(problem, p, origin)
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
    points[k] = zero_between(problem, from, 0, from, other.length, other, function(p) return f(p) - sign*size/k end, o.locate)
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
  local zero = name == "branch" and zero_beside or zero_between
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
      point = stepped(problem, from, a)
      if not point then return nil end
      fa = f(point)
      if fa < 0 then return point end
    end
    if not fb then
      point = stepped(problem, from, b)
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

local function is_closed(problem, start, point)
  local away = problem:difference(point.y, start.y)
  if not (norm(away) < 0.7*point.length) then return false end
  -- points that are cut into other segments are compared by their starts
  local one, other = table.move(start.tangent, 1, #away, 1, {}), table.move(point.tangent, 1, #away, 1, {})
  return tangent.dot(one, other) > ANGLE*norm(one)*norm(other)
end

-- The edge that a point is beyond, and its value there
local function edge_of(problem, point)
  for _, edge in ipairs(problem.edges) do
    local value = edge.at(point.y)
    if edge.to and value > edge.to then return edge, edge.to end
    if edge.from and value < edge.from then return edge, edge.from end
  end
  return nil
end

-- The point at the edge, between `from` and the point beyond; nil: the start is at the edge, or, with the reason, Newton's method fails there
local function point_at_edge(problem, from, beyond, edge, wanted)
  if (edge.at(from.y) - wanted)*(edge.at(beyond.y) - wanted) >= 0 then return nil end
  local near = zero_between(problem, from, 0, from, beyond.length, beyond, function(p) return edge.at(p.y) - wanted end, 1e-8) or beyond
  local last, why = arclength.at_value(problem, near.y, edge.at, wanted, from.directions)
  if not last then return nil, ("stopped at %s = %.9g: %s"):format(problem.name, from.value, why) end
  last.before, last.length = from, near.length
  if tangent.dot(last.tangent, from.tangent) < 0 then last.tangent, last.slope, last.sign = negative(last.tangent), -last.slope, -last.sign end
  return last
end

-- The last point before the end of the branch, as one behind a step
local function before_end(from, last)
  local point = last.point
  point.before, point.length = from, last.length
  if tangent.dot(point.tangent, from.tangent) < 0 then point.tangent, point.slope, point.sign = negative(point.tangent), -point.slope, -point.sign end
  return point
end

-- A step that holds: the point; nil and the reason where the shortest one fails; as a third value the end of the branch, where one lies ahead
local function next_point(problem, from, h, o)
  local why
  while h >= o.least do
    local point
    point, why = stepped(problem, from, h)
    local holds = point and tangent.dot(point.tangent, from.tangent) > ANGLE and point.rounds <= FAIR
    local fine, last = attempt(ends.ahead, problem, arclength.at_value, from, h, holds and point or nil)
    if fine and last then return not last.doubtful and before_end(from, last) or nil, nil, last end
    if holds then return point end
    if point then why = "the curve turns too fast" end
    h = h/2
  end
  return nil, ("step below %.3g: %s"):format(o.least, why or "")
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
    local middle = stepped(problem, from, (low + high)/2)
    if not middle then break end
    if growth(middle) == before then low = middle.length else high, point = middle.length, middle end
  end
  local details = problem:several(point)
  details.point, details.value, details.length, details.behind = point, point.value, point.length, passed
  details.several = math.abs(growth(to) - before)
  return details
end

local function stopped_at(problem, point, why) return ("stopped at %s = %.9g: %s"):format(problem.name, point.value, why) end

-- The branch ends at a place where the equations have no value
local function ended_at(problem, points, special, last)
  last.behind = #points
  special[#special + 1] = last
  return ("%s, at %s = %.9g"):format(last.ends, problem.name, last.value)
end

-- The point in other unknowns, where the problem chooses these anew; its determinant goes on
local function refitted(problem, point, origin)
  local y = problem.refitted and problem:refitted(point)
  if not y then return point end
  local forward = {}
  for i = 1, #y do forward[i] = i <= #problem:difference(y, point.y) and point.tangent[i] or 0.0 end
  local again = newton(problem, y, nil, { row = forward })
  if not again then return point end
  again.before = point
  add_tangent(problem, again, forward)
  origin.size, origin.sign = origin.size + again.size - point.size, origin.sign*again.sign*point.sign
  again.tests = tests_of(problem, again, origin, point.tests)
  again.before, again.length = point.before, point.length
  return again
end

-- Adds the points that follow the first, and the special points, to the lists: why it ended
local function followed(problem, start, o, points, special)
  local origin = { size = start.size, sign = 1 }
  -- the caller records the start, too
  for key, value in pairs(refitted(problem, start, origin)) do start[key] = value end
  start.tests = tests_of(problem, start, origin)
  local from, h = start, o.step
  for i = 1, o.points do
    local point, why, singular = next_point(problem, from, h, o)
    if not point and singular then return ended_at(problem, points, special, singular) end
    if not point then return stopped_at(problem, from, why) end
    local edge, wanted = edge_of(problem, point)
    local reached = edge and ("%s reaches %.9g"):format(edge.name, wanted)
    if edge then
      local failed
      point, failed = point_at_edge(problem, from, point, edge, wanted)
      if not point then return failed or reached end
    end
    point.tests = tests_of(problem, point, origin, from.tests)
    local found, last = up_to_end(special_between(problem, from, point, o, origin, #points))
    local new = new_ones(special, found, from)
    table.move(new, 1, #new, #special + 1, special)
    if last then return ("%s at %s = %.9g"):format(last.ends, problem.name, last.value) end
    local pairs_found = special_pairs(problem, point, o, origin, #points)
    table.move(pairs_found, 1, #pairs_found, #special + 1, special)
    if #found + #pairs_found == 0 and not is_special(special, from) then special[#special + 1] = several_between(problem, from, point, o, #points) end
    table.sort(special, in_order)
    points[#points + 1] = point
    if o.visit and o.visit(point, special) then return "as asked" end
    if edge and edge.ends then
      return ended_at(problem, points, special, { kind = "end", name = edge.ends, ends = edge.ends, value = point.value, point = point, length = point.length })
    end
    if edge then return reached end
    if singular then return ended_at(problem, points, special, singular) end
    if i > 5 and is_closed(problem, start, point) then return "the curve is closed" end
    h = point.rounds <= GOOD and 1.5*point.length or point.rounds >= FAIR and 0.7*point.length or point.length
    h, from = math.min(h, o.largest), refitted(problem, point, origin)
  end
  return ("%d points"):format(o.points)
end

--- Follows the curve from a point with a tangent. o: step, least, largest, points, locate, visit (called with each point).
--- Returns the points that follow the first, the special points (behind: how many of these points come before), and why it ended; an error on the way ends
--- it, too.
function arclength.follow(problem, start, o)
  local points, special = {}, {}
  local fine, ended = attempt(followed, problem, start, o, points, special)
  if not fine then ended = stopped_at(problem, points[#points] or start, ended) end
  return points, special, ended
end

return arclength
