-- special_pairs.lua: two special points within one step of a branch, where a test passes zero twice.
local corrector = require "hamel.continuation.corrector"
local curve_places = require "hamel.continuation.curve_places"
local dips = require "hamel.continuation.dips"
local passing_points = require "hamel.continuation.passing_points"
local test_zeros = require "hamel.continuation.test_zeros"

local special_pairs = {}

--- Is a special point that is found from three points known from one step already?
function special_pairs.is_found(problem, special, item, o)
  local function beside(one) return problem.beside and problem:beside(one.point.y) or 0.0 end
  for _, other in ipairs(special) do
    local near = math.max(passing_points.known_to(item, o), passing_points.known_to(other, o))
    -- at two places of a curve one parameter may have the same value
    local other_place = math.abs(beside(item) - beside(other)) > math.max(near, item.accuracy_beside or 0, other.accuracy_beside or 0)
    if other.kind == item.kind and other.name == item.name and math.abs(other.value - item.value) <= near and not other_place then return true end
  end
  return false
end

local ROUNDINGS, DEEPER = 1e-15, 0.05  -- of a value; what a least value of a test is that may be zero

-- A special point where a test reaches zero and goes back, as far as it is known: two of them, as near to each other as is said, or none
local function touching(problem, name, place)
  local details = problem:second_met_at(name, place.point)
  if not details then return nil end
  details.kind, details.point, details.length, details.value, details.beside = details.kind or name, place.point, place.point.length, place.value, place.beside
  details.apart, details.ends = math.max(place.apart, ROUNDINGS), nil
  return details
end

-- May a test only touch zero? Of states of rest, whose tests are known to rounding, any; along torus points the pair goes round the circle through 1 or -1
local function touches_are_told(problem, name)
  if problem.at_rest then return not problem:is_odd(name) end
  return problem.special == "torus" and name:find "^strong resonance 1:[12]$" ~= nil
end

--- Both special points where a test, of one sign at both ends of a step, passes zero twice within it; largest: value of the test nearby.
function special_pairs.within(problem, name, from, to, largest, o, origin)
  local f, sign, list = test_zeros.test_at(problem, name, origin), from.tests[name] > 0 and 1 or -1, {}
  -- the value changes by less than the slope times the length between two folds
  local told = name == "fold" and o.locate*(o.unit + math.abs(from.value))/corrector.per_length(problem)/to.length or 0
  local within, near = dips.negative_within(problem, from, to.length, function(p) return sign*f(p) end, -math.max(test_zeros.NOTHING*largest, told),
    sign*from.tests[name], sign*to.tests[name])
  if not within and near and problem.second_met_at and touches_are_told(problem, name) and sign*f(near) < DEEPER*largest then
    local place = curve_places.least(problem, from, to, function(p) return sign*f(p) end, largest, near)
    if place and place.least < -place.known and sign*f(place.point) < 0 then within = place.point
    elseif place and place.least <= place.known then return { touching(problem, name, place) } end
  end
  for _, part in ipairs(within and { { 0, from, within.length, within }, { within.length, within, to.length, to } } or {}) do
    list[#list + 1] = test_zeros.at(problem, name, from, part[1], part[2], part[3], part[4], o, origin)
  end
  return list
end

--- May a test pass zero twice beside the middle one of three points? far: its value before them. See dips.may_pass_twice.
function special_pairs.may_pass_twice(name, far, first, middle, last, a, b, c)
  return test_zeros.has_signs(name, first, middle) and test_zeros.has_signs(name, middle, last)
    and dips.may_pass_twice(far, first.tests[name], middle.tests[name], last.tests[name], a, b, c)
end

--- Where a test comes nearer to zero at a point than at those before and after, it may pass zero twice beside the point: both special points.
function special_pairs.beside(problem, point, o, origin, special, passed)
  local middle, found = point.before, {}
  local first = middle.before
  if not first or not first.tests then return found end
  for name in pairs(middle.tests) do
    local old, new = first.tests[name], point.tests[name]
    local far = first.before and first.before.tests and first.before.tests[name]
    local is_seen = problem.has_determinants and (name == "fold" or name == "branch")
    if not is_seen and special_pairs.may_pass_twice(name, far, first, middle, point, middle.length, point.length, middle.length + (first.length or 0)) then
      for k, step in ipairs{ { first, middle }, { middle, point } } do
        for _, item in ipairs(special_pairs.within(problem, name, step[1], step[2], math.max(math.abs(old), math.abs(new)), o, origin)) do
          if not special_pairs.is_found(problem, special, item, o) then item.behind, found[#found + 1] = passed - 2 + k, item end
        end
      end
    end
  end
  return found
end

return special_pairs
