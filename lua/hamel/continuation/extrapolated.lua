-- extrapolated.lua: zeros of tests at which the equations hold for any value, as where motions shrink to rest: from points beside them.
local core = require "hamel.core"
local zeros = require "hamel.continuation.zeros"

local extrapolated = {}

-- Values of the test, each half of the one before; the first, where the next is tried if the place is known less exactly than asked for
local SIZES, RANGES = 6, { 256e-3, 64e-3, 16e-3, 4e-3 }

-- The value at zero of the polynomial through the values at x with the numbers from ... to; without a linear term unless it slopes
local function at_zero(x, values, from, to, slopes)
  local n, flat, side = to - from + 1, {}, {}
  for i = from, to do
    for power = 0, n - 1 do flat[#flat + 1] = power == 0 and 1.0 or (x[i]/x[from])^(power + (slopes and 0 or 1)) end
    side[#side + 1] = values[i] - values[to]
  end
  return values[to] + core.solve(n, flat, side)[1]
end

-- The value of a test whose zero the equations do not determine, extrapolated from points where the test has the given sizes. The last of the points, { value,
-- accuracy = how well it is known, of curves beside and accuracy_beside }, the first of the points, and the larger accuracy in units of what is asked for
local function from_sizes(problem, name, f, from, other, sizes, o)
  local x, values, others, point, first = {}, {}, {}, nil, nil
  local sign = f(from) > 0 and 1 or -1
  for k, size in ipairs(sizes) do
    local one, next_one = from, other
    while math.abs(f(one)) < size or not next_one do one, next_one = one.before, one end
    point = zeros.between(problem, one, 0, one, next_one.length, next_one, function(p) return f(p) - sign*size end, o.locate)
    if not point then return nil end
    first = first or point
    x[k], values[k], others[k] = f(point), point.value, problem.beside and problem:beside(point.y) or nil
  end
  local slopes = problem.undetermined[name] == "slopes"
  local function limit(list)
    if not list[1] then return nil end
    local value = at_zero(x, list, 1, SIZES, slopes)
    -- one polynomial may agree by chance where values are known badly
    return value, 8*math.max(math.abs(value - at_zero(x, list, 2, SIZES, slopes)), math.abs(value - at_zero(x, list, 1, SIZES - 1, slopes)))
  end
  local value, off = limit(values)
  local beside, off_beside = limit(others)
  local asked, asked_beside = o.locate*(o.unit + math.abs(value)), beside and o.locate*((problem.units and problem.units[2] or 1) + math.abs(beside))
  -- points hold the equations to the tolerance alone
  local found = { value = value, accuracy = off > asked and off + asked or nil, beside = beside,
                  accuracy_beside = beside and off_beside > asked_beside and off_beside + asked_beside or nil }
  return point, found, first, math.max(off/asked, beside and off_beside/asked_beside or 0)
end

-- The largest size of a test at a point of the branch and those before it, up to which the test falls on the way to it, and at most `most`
local function falls_from(f, from, most)
  local point, size = from, math.abs(f(from))
  while size < most and point.before and point.before.tests and math.abs(f(point.before)) > size do
    point = point.before
    size = math.abs(f(point))
  end
  return math.min(size, most)
end

--- The zero of a test f(point) of that name between two points: it is extrapolated from where the test is small. The test is stationary at the zero where the
--- branch runs through the same motions again beyond it, and slopes there where problem.undetermined says so. Returns the last of the points used, the place
--- { value, accuracy, beside, accuracy_beside }, and the first of the points; nil: it is not known.
function extrapolated.between(problem, name, f, from, other, o)
  local best
  for _, most in ipairs(RANGES) do
    local size, sizes = falls_from(f, from, 2*most)/2, {}
    for k = 1, SIZES do sizes[k] = size/2^(k - 1) end
    local point, found, first, off = from_sizes(problem, name, f, from, other, sizes, o)
    if point and not (best and best[4] <= off) then best = { point, found, first, off } end
    if best and best[4] <= 1 then break end
  end
  if best then return best[1], best[2], best[3] end
  return nil
end

local NEAR, FARTHER, ENOUGH = 0.1, 4, 1e5              -- size of a test beside its zero; how far the first point is at least; times what is asked for

--- The end of a branch ahead of a point, where such a test comes to zero and a step over the place fails: a special point from points before it. nil: it is not
--- known.
function extrapolated.ahead(problem, name, f, from, o)
  local sizes, least, most = {}, math.abs(f(from)), falls_from(f, from, RANGES[1])
  if not (least <= NEAR and most >= FARTHER*least) then return nil end
  for k = 1, SIZES do sizes[k] = most*(least/most)^((k - 1)/(SIZES - 1)) end
  -- the nearest point is there
  sizes[SIZES] = least
  local point, found, _, off = from_sizes(problem, name, f, from, nil, sizes, o)
  local details = point and off <= ENOUGH and problem:confirmed(name, point)
  if not details or not details.ends then return nil end
  details.kind, details.point, details.length = details.kind or name, from, 0.0
  for key, value in pairs(found) do details[key] = value end
  return details
end

return extrapolated
