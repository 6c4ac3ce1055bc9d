-- test_zeros.lua: the tests of special points, and the special points of a branch where these change their signs.
-- What a problem and its tests are: arclength.lua.
local corrector = require "hamel.continuation.corrector"
local extrapolated = require "hamel.continuation.extrapolated"
local side_zeros = require "hamel.continuation.side_zeros"
local zeros = require "hamel.continuation.zeros"

local test_zeros = {}

--- What is rounding of a test, relative to values of it nearby.
test_zeros.NOTHING = 1e-9

local TINY = 1e-300

-- A zero has the sign of the point before, so that a special point that is met exactly lies on the next step
local function signed(tests, before)
  for name, value in pairs(tests) do
    local old = before and before[name]
    if value == 0 and old then tests[name] = old > 0 and TINY or old < 0 and -TINY or 0 end
  end
  return tests
end

--- Adds the tests of folds and branch points.
function test_zeros.add_determinants(tests, problem, point, origin)
  tests.fold = corrector.slope(problem, point)
  tests.branch = origin.sign*point.sign*math.exp(math.max(-600, math.min(600, point.size - origin.size)))
  return tests
end

--- Values that change their sign at special points. origin: size and sign of the determinant at the start; before: the values at the point before.
function test_zeros.tests(problem, point, origin, before)
  local tests = problem:tests(point)
  if not problem.unbranched then test_zeros.add_determinants(tests, problem, point, origin) end
  return signed(tests, before)
end

--- A test as a function of the point.
function test_zeros.test_at(problem, name, origin)
  return function(p)
    p.tests = p.tests or test_zeros.tests(problem, p, origin)
    return p.tests[name] or 0
  end
end

--- The end of a branch ahead of a point, see extrapolated.ahead.
function test_zeros.end_ahead(problem, name, from, o, origin) return extrapolated.ahead(problem, name, test_zeros.test_at(problem, name, origin), from, o) end

local LITTLE = 1e-2                    -- of the slopes beside it: the slope at a fold

-- Does the value stand still at a point? Where polynomials miss the curve, as beside a root, their tangent is another one
local function stands_still(problem, point, one, other)
  local again = corrector.add_tangent(problem, { y = point.y, rows = point.rows, directions = point.directions }, point.tangent)
  return math.abs(again.slope) <= LITTLE*math.max(math.abs(one.slope), math.abs(other.slope))
end

-- Where pairs meet between two samples at which the test has different signs. Pairs that pass each other beside it lead the test to zero and back, and a search
-- may end there
local function met_between(problem, from, low, high, point, accuracy, test, o)
  local place = { length = point.length, point = point, accuracy = accuracy }
  if side_zeros.is_bracketed(problem, from, low, high, place, test, o.locate) then return point, accuracy end
  local found, off = side_zeros.halved(problem, from, low, high, test)
  return found, off > o.locate*(o.unit + math.abs(found.value)) and off or nil
end

--- The special point of a test between two points at lengths along the tangent at `from`; nil: there is none of its kind. crossing: another branch crosses
--- between them.
function test_zeros.at(problem, name, from, a, one, b, other, o, origin, crossing)
  if (problem.undetermined or {})[name] then
    local point, found, first = extrapolated.between(problem, name, test_zeros.test_at(problem, name, origin), from, other, o)
    local details = problem:confirmed(name, point)
    if not details then return nil end
    details.clear = first and { first, point }
    details.kind, details.point, details.length, details.doubtful = details.kind or name, point or other, (point or other).length, not point or nil
    -- where the test is small on the whole step, all of it is beside the place
    if point and point.before ~= from then details.length = a end
    details.value = other.value
    for key, value in pairs(found or {}) do details[key] = value end
    return details
  end
  local zero, test = (name == "branch" or crossing) and zeros.beside or zeros.between, test_zeros.test_at(problem, name, origin)
  local point, accuracy = zero(problem, from, a, one, b, other, test, o.locate)
  if point and name == "meeting" then point, accuracy = met_between(problem, from, { length = a, point = one }, { length = b, point = other }, point, accuracy,
    test, o) end
  if point and name == "fold" and not crossing and not stands_still(problem, point, one, other) then point = nil end
  local details
  if point and problem.settled then
    details = problem:settled(name, point, { from = from, to = other, length = point.length }, b - a, test, o.locate)
  elseif point then details = problem:confirmed(name, point)
  else details = problem.called and problem:called(name) or {} end
  if not details then return nil end
  details.kind, details.test, details.accuracy = details.kind or name, name, details.accuracy or accuracy
  details.doubtful = details.doubtful or not point or nil
  if details.kind == "branch" and point and problem.at_rest and point.F and corrector.passes_by(problem, point) then
    details.doubtful, details.reason = true, "passing by"
  end
  details.point = details.point or point or other
  details.length, details.value = point and details.point.length or b, details.point.value
  -- beside weak damping the errors of runs move a fold
  local off = details.kind == "fold" and point and problem.value_error and problem:value_error(details.point)
  if off and off > o.locate*(o.unit + math.abs(details.value)) then details.accuracy = math.max(details.accuracy or 0, off) end
  return details
end

--- By which special points are sorted along a branch.
function test_zeros.in_order(one, other)
  if one.behind ~= other.behind then return one.behind < other.behind end
  if one.length ~= other.length then return one.length < other.length end
  return one.kind < other.kind
end

--- Do values of a test at two points have signs? A number that is rounding on both sides vanishes along the whole branch.
function test_zeros.is_number(one, other) return one and other and one ~= 0 and other ~= 0 and math.max(math.abs(one), math.abs(other)) > test_zeros.NOTHING end

-- What is compared with rounding of a test at a point: a product of many small factors vanishes where one of them is rounding
local function size_of(point, name) return (point.test_sizes or {})[name] or math.abs(point.tests[name]) end

--- The same of a test by its name.
function test_zeros.has_signs(name, one, other)
  local a, b = one.tests[name], other.tests[name]
  return a and b and a ~= 0 and b ~= 0 and math.max(size_of(one, name), size_of(other, name)) > test_zeros.NOTHING
end

-- The ends of parts of a step up to an end of the branch that the equations do not determine: between two of its points { length, point }, those that are
-- clear of the end
local function clear_parts(from, low, high, clear)
  local list = { low }
  for _, point in ipairs(clear) do
    if point.before == from and point.length > list[#list].length and point.length < high.length then
      list[#list + 1] = { length = point.length, point = point }
    end
  end
  return list
end

--- Special points between two points of a step, { length, point }, where tests change their signs; passed: the number of points before the step. Where the
--- branch ends between them at a place that the equations do not determine, the signs of other tests beside it are rounding.
function test_zeros.between(problem, from, low, high, o, origin, passed)
  local found, tests, others = {}, low.point.tests, high.point.tests
  local function changes(name) return test_zeros.has_signs(name, low.point, high.point) and (tests[name] > 0) ~= (others[name] > 0) end
  local crossing = changes "branch"
  local function add(name)
    local item = test_zeros.at(problem, name, from, low.length, low.point, high.length, high.point, o, origin, crossing)
    if item then item.behind, found[#found + 1] = passed, item end
    return item
  end
  for name in pairs(problem.undetermined or {}) do
    local last = changes(name) and add(name)
    if last and last.clear then
      local parts = clear_parts(from, low, high, last.clear)
      for k = 2, #parts do
        local list = test_zeros.between(problem, from, parts[k - 1], parts[k], o, origin, passed)
        table.move(list, 1, #list, #found + 1, found)
      end
      return found
    end
  end
  for name in pairs(others) do
    if changes(name) and not (problem.undetermined or {})[name] then add(name) end
  end
  return found
end

return test_zeros
