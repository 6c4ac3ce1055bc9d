-- special_points.lua: special points on the steps of a branch: where tests change their signs, once or twice, or several eigenvalues pass at once.
-- What a problem and its tests are: arclength.lua.
local corrector = require "hamel.continuation.corrector"
local crossings = require "hamel.continuation.crossings"
local curve_places = require "hamel.continuation.curve_places"
local determinants = require "hamel.continuation.determinants"
local dips = require "hamel.continuation.dips"
local extrapolated = require "hamel.continuation.extrapolated"
local limit_places = require "hamel.continuation.limit_places"
local pair_meetings = require "hamel.continuation.pair_meetings"
local real_passings = require "hamel.continuation.real_passings"
local side_zeros = require "hamel.continuation.side_zeros"
local tangent = require "hamel.analysis.tangent"
local tracks = require "hamel.continuation.tracks"
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

-- Adds the tests of folds and branch points
local function add_determinants(tests, problem, point, origin)
  tests.fold = corrector.slope(problem, point)
  tests.branch = origin.sign*point.sign*math.exp(math.max(-600, math.min(600, point.size - origin.size)))
  return tests
end

--- Values that change their sign at special points. origin: size and sign of the determinant at the start; before: the values at the point before.
function special_points.tests(problem, point, origin, before)
  local tests = problem:tests(point)
  if not problem.unbranched then add_determinants(tests, problem, point, origin) end
  return signed(tests, before)
end

-- A test as a function of the point
local function test_at(problem, name, origin)
  return function(p)
    p.tests = p.tests or special_points.tests(problem, p, origin)
    return p.tests[name] or 0
  end
end

--- The end of a branch ahead of a point, see extrapolated.ahead.
function special_points.end_ahead(problem, name, from, o, origin) return extrapolated.ahead(problem, name, test_at(problem, name, origin), from, o) end

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

-- The special point of a test between two points at lengths along the tangent at `from`; nil: there is none of its kind. crossing: another branch crosses
-- between them
local function special_at(problem, name, from, a, one, b, other, o, origin, crossing)
  if (problem.undetermined or {})[name] then
    local point, found, first = extrapolated.between(problem, name, test_at(problem, name, origin), from, other, o)
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
  local zero, test = (name == "branch" or crossing) and zeros.beside or zeros.between, test_at(problem, name, origin)
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

local function in_order(one, other)
  if one.behind ~= other.behind then return one.behind < other.behind end
  if one.length ~= other.length then return one.length < other.length end
  return one.kind < other.kind
end

-- A number that is rounding on both sides vanishes along the whole branch
local function is_number(one, other) return one and other and one ~= 0 and other ~= 0 and math.max(math.abs(one), math.abs(other)) > NOTHING end

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

-- Special points between two points of a step, { length, point }, where tests change their signs; passed: the number of points before the step. Where the
-- branch ends between them at a place that the equations do not determine, the signs of other tests beside it are rounding
local function special_between(problem, from, low, high, o, origin, passed)
  local found, tests, others = {}, low.point.tests, high.point.tests
  local function changes(name) return is_number(tests[name], others[name]) and (tests[name] > 0) ~= (others[name] > 0) end
  local crossing = changes "branch"
  local function add(name)
    local item = special_at(problem, name, from, low.length, low.point, high.length, high.point, o, origin, crossing)
    if item then item.behind, found[#found + 1] = passed, item end
    return item
  end
  for name in pairs(problem.undetermined or {}) do
    local last = changes(name) and add(name)
    if last and last.clear then
      local parts = clear_parts(from, low, high, last.clear)
      for k = 2, #parts do
        local list = special_between(problem, from, parts[k - 1], parts[k], o, origin, passed)
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

-- ---- eigenvalues that pass the border

local TOGETHER, LEVEL = 4, 1e-4        -- in units of how exactly values are known; the slope at which a branch turns back

local function known_to(item, o)
  if item.accuracy then return item.accuracy end
  return TOGETHER*o.locate*(o.unit + math.abs(item.point.value))
end

--- How exactly the value of a special point is known, with some room.
special_points.known_to = known_to

-- Are two passings at one value, as far as their places are known?
local function are_together(one, other, o)
  return math.abs(one.point.value - other.point.value) <= math.max(known_to(one, o), known_to(other, o))
end

-- Are they at one place of the step from a point, too? Where the value stands still, places that are clearly apart have nearly the same one. Of one eigenvalue
-- those are one that lie within what is not told apart
local function are_at_one_place(one, other, from, o)
  local slope, near = math.max(math.abs(from.slope), LEVEL*o.unit), math.max(known_to(one, o), known_to(other, o))
  if one.member ~= nil and one.member == other.member then near = math.max(near, one.apart or 0, other.apart or 0) end
  return math.abs(one.length - other.length) <= near/slope
end

-- A special point where eigenvalues pass the border; count: of all that do so there
local function passing_point(passing, details, count, passed)
  details.point, details.value, details.length, details.behind = passing.point, passing.point.value, passing.length, passed
  details.accuracy, details.apart, details.doubtful = passing.accuracy, passing.apart, passing.doubtful
  details.several, details.first, details.last = count, passing.first, passing.last
  details.exact, details.run_error, details.reason = passing.exact, passing.run_error, passing.reason
  return details
end

local PRESENT = 1e-2                   -- of 1 + its size: how near to an eigenvalue on the border one is that is on the border, too

-- Is the eigenvalue of a passing one of those at a point? At a fold the value stands still, so that places with other eigenvalues have the same one
local function is_present(listed, point, e)
  for _, item in ipairs(listed(point)) do
    local off = math.sqrt((item.e.re - e.re)^2 + (math.abs(item.e.im) - math.abs(e.im))^2)
    if off <= PRESENT*(1 + math.sqrt(e.re^2 + e.im^2)) then return true end
  end
  return false
end

-- Adds a passing to a group. An eigenvalue that comes back counts once
local function add_passing(group, passing, o)
  local again = false
  for _, other in ipairs(group) do again = again or other.member ~= nil and other.member == passing.member end
  group[#group + 1], passing.again = passing, again
  if again then group.apart = math.max(known_to(group[1], o), known_to(passing, o), passing.apart or 0)
  else group.count = group.count + (passing.e.im > 0 and 2 or 1) end
end

-- Up to which distance of the value passings of a group are not told apart; nil: they are
local function apart_of(group)
  local apart = group.apart
  for _, passing in ipairs(group) do
    if passing.apart then apart = math.max(apart or 0, passing.apart) end
  end
  return apart
end

-- Passings of the step from a point in groups that are not told apart: { passings, count = how many eigenvalues, apart = of one that passes more than once,
-- up to which distance of the value its passings are not told apart }. listed: what is followed at a point
local function grouped(listed, passings, from, o)
  local groups = {}
  for _, passing in ipairs(passings) do
    local last = groups[#groups]
    local before = last and last[#last]
    if not last or not are_together(before, passing, o) or not are_at_one_place(before, passing, from, o)
      or not is_present(listed, last[1].point, passing.e) then
      last = { count = 0 }
      groups[#groups + 1] = last
    end
    add_passing(last, passing, o)
  end
  return groups
end

local ALIKE = 1e-6

local function is_listed(list, details)
  for _, item in ipairs(list) do
    if item.kind == details.kind and math.abs((item.frequency or 0) - (details.frequency or 0)) <= ALIKE*(1 + (item.frequency or 0)) then return true end
  end
  return false
end

-- Is a passing that of a pair which reaches the border where a real one of its group passes, of which only the part is known? It is the pair of this one and
-- its partner
local function is_met_by_real(group, passing)
  if not passing.touches or passing.e.im == 0 then return false end
  for _, other in ipairs(group) do if other.within then return true end end
  return false
end

-- Special points where pairs, or multipliers at -1, pass, and the groups where real eigenvalues pass zero (multipliers one), which are folds and branch
-- points
local function passing_pairs(problem, groups, passed)
  local found, real = {}, {}
  for _, group in ipairs(groups) do
    local several, here, rest = group.count, {}, { count = 0, apart = group.apart }
    for _, passing in ipairs(group) do
      local details = problem:passed(passing.point, passing.e, passing.at)
      local own = passing.e.im > 0 and 2 or 1
      if not details then
        rest[#rest + 1], rest.count = passing, rest.count + (passing.again and 0 or own)
      elseif not is_listed(here, details) and not is_met_by_real(group, passing) then
        -- passings that are not told apart share a point, but whether it is a real one that passes is known of each
        local item = passing_point(group[1], details, several > own and several or nil, passed)
        item.apart, item.first, item.last = passing.apart or group.apart, passing.first, passing.last
        item.doubtful, item.reason = passing.doubtful, passing.reason
        here[#here + 1] = item
      end
    end
    table.move(here, 1, #here, #found + 1, found)
    if #rest > 0 then real[#real + 1] = rest end
  end
  return found, real
end

-- Points between groups of passings, so that each lies in a part of its own, and between zeros of tests: { length, point }, with the ends of the step
local function parted(problem, from, to, groups, cuts, origin)
  local points, parts = table.move(cuts, 1, #cuts, 1, {}), { { length = 0, point = from } }
  for k = 2, #groups do
    local before, after = groups[k - 1][#groups[k - 1]].length, groups[k][1].length
    points[#points + 1] = corrector.within(problem, from, to, (before + after)/2)
  end
  table.sort(points, function(one, other) return one.length < other.length end)
  for _, point in ipairs(points) do
    point.tests = special_points.tests(problem, point, origin, from.tests)
    parts[#parts + 1] = { length = point.length, point = point }
  end
  parts[#parts + 1] = { length = to.length, point = to }
  return parts
end

-- See determinants.within: points between zeros of the tests of folds and branch points of states of rest, and where these come to zero and go back
local function of_determinants(problem, from, to, origin)
  local names = {}
  if not determinants.are_clear(problem, from, to) then return {}, {} end
  for _, name in ipairs{ "fold", "branch" } do
    if is_number(from.tests[name], to.tests[name]) then names[#names + 1] = name end
  end
  if #names == 0 then return {}, {} end
  return determinants.within(problem, from, to, names, function(point) return add_determinants({}, problem, point, origin) end)
end

local BETTER = 100                    -- times as exact a place is taken in place of another

local STILL = 1e-2                     -- of the slopes beside it: the slope where the value stands still

local is_real = { fold = true, branch = true, neutral = true }

-- Are two values one, but for rounding?
local function is_near(problem, one, other) return math.abs(one - other) <= 1e-9*(corrector.unit(problem) + math.abs(one)) end

-- Is what lies at a length behind a point at the point itself, but for rounding?
local function is_at(problem, from, length) return length <= 1e-6*(1 + math.abs(from.value)/corrector.per_length(problem)) end

-- Leaves out of a group what reaches the border at a point within its rounding alone and turns back: beside an eigenvalue that passes, and is one with it
-- there, its uncertainty is that of the root of the rounding. As many eigenvalues as the equations are singular are zero
local function without_met(problem, group, point)
  local kept = { count = 0 }
  for _, passing in ipairs(group) do
    if not passing.touches then
      kept[#kept + 1] = passing
      kept.count = kept.count + (passing.again and 0 or passing.e.im > 0 and 2 or 1)
    end
  end
  if #kept == 0 or #kept == #group or not point.rows then return group end
  if #crossings.directions(problem, point) > kept.count then return group end
  kept.apart = group.apart
  return kept
end

-- Where no test shows the passing of one real eigenvalue of a state of rest, or of two: details of the point; nil: it is a fold or a branch point
local function unconfirmed(problem, group, from, part, passed)
  local first = group[1]
  if not (problem.at_rest and first.exact and part.low) or first.touches or group.count > 2 then return nil end
  local kind, frequency, off = real_passings.kind(problem, from, part.high.point, first, part.low.length, part.high.length)
  if kind == "one" or not kind and group.count == 2 then return nil end
  local details = passing_point(first, { kind = frequency and "hopf" or "branch", frequency = frequency }, nil, passed)
  if frequency then details.accuracy = math.max(details.accuracy or 0, off)
  else details.doubtful, details.reason = true, "kind" end
  return details
end

-- Folds and branch points at which no test changes its sign, since an even number of eigenvalues passes; those of a part with a group of passings.
-- part: { turns = does the value turn back in it, slope = the larger of its slopes at both ends, unit = of the value, low, high = its ends { length, point },
-- of a step }
local function complete(problem, group, found, special, from, part, o, passed)
  local here = {}
  for _, item in ipairs(found) do if is_real[item.kind] then here[#here + 1] = item end end
  if #here > 0 then
    local item, passing, passed_by = here[1], group[1], without_met(problem, group, here[1].point)
    if passed_by.count > #here and #here == 1 then item.several = passed_by.count end
    -- determinants show both of two zeros
    if not problem.has_determinants or passed_by.count > 1 then item.apart = apart_of(passed_by) or item.apart end
    -- the eigenvalue may tell more than the test, which is a determinant of derivatives in doubles
    local known = passing.accuracy or o.locate*(o.unit + math.abs(item.value))
    local apart = math.abs(item.value - passing.point.value)
    item.run_error = item.kind ~= "fold" and passing.run_error or nil
    local better = (item.accuracy or 0) > BETTER*known or passing.exact and apart > known
    if #here == 1 and not passing.doubtful and better then
      item.point, item.value, item.length, item.accuracy = passing.point, passing.point.value, passing.length, passing.accuracy
      item.exact = passing.exact
    elseif #here == 1 and not passing.doubtful and passing.accuracy and not passing.within then
      item.accuracy = math.max(item.accuracy or 0, passing.accuracy)
    end
    return nil
  end
  local first = group[1]
  for _, item in ipairs(special) do
    if is_real[item.kind] and is_near(problem, item.value, first.point.value) and is_at(problem, from, first.length) then return nil end
  end
  local slope = math.abs(first.point.slope)/part.unit
  local several, apart = group.count > 1 and group.count or nil, apart_of(group)
  -- where the value stands still and goes on an eigenvalue reaches the border and goes back, as far as it is known: two folds, or none
  if not part.turns and slope <= STILL*part.slope and (apart or group.count == 2) then
    local details = passing_point(first, { kind = "fold" }, nil, passed)
    details.apart = apart or known_to(first, o)
    return details
  end
  local details = unconfirmed(problem, group, from, part, passed)
    or passing_point(first, { kind = part.turns and slope < LEVEL and "fold" or "branch" }, several, passed)
  details.apart = apart
  return details
end

-- The part between two points { length, point }, whose tangents lead away from the first: see complete
local function part_between(problem, low, high)
  local one, other = low.point.tests.fold or 0, high.point.tests.fold or 0
  return { turns = one ~= 0 and other ~= 0 and (one > 0) ~= (other > 0), slope = math.max(math.abs(one), math.abs(other)),
           unit = corrector.per_length(problem), low = low, high = high }
end

local is_of_contact = { touch = true, grazing = true, ["end"] = true }

-- Those of contacts that are found, but for doubtful ones
local function of_contact(list)
  local kept = {}
  for _, item in ipairs(list) do
    if is_of_contact[item.kind] and (item.kind == "end" or not item.doubtful) then kept[#kept + 1] = item end
  end
  return kept
end

-- Without the doubtful ones that another list shows at their place
local function without_doubtful(list, others)
  local kept = {}
  for _, item in ipairs(list) do
    local shown = false
    for _, other in ipairs(item.doubtful and others or {}) do shown = shown or other.kind == item.kind and other.name == item.name end
    if not shown then kept[#kept + 1] = item end
  end
  return kept
end

local AT_LIMIT = 1e-9                  -- of a gap or a force: a motion that close to its limit is admissible

-- Does a step start where a limit is reached? Its test, as small as rounding, has a sign on one side of the point only, where it is found
local function starts_at_limit(problem, from)
  for name, value in pairs(from.tests) do
    local details = value ~= 0 and math.abs(value) <= AT_LIMIT and problem:confirmed(name, from)
    if details and is_of_contact[details.kind] then return true end
  end
  return false
end

-- A special point between two points { length, point } of a step, of which it may be as far as `off` in lengths, with accuracy and accuracy_beside
local function known_within(problem, details, low, high, off, o)
  local function add(key, at, units)
    local slope = tangent.dot(select(2, at(details.point.y)), details.point.tangent)
    local most = math.max(math.abs(at(high.point.y) - at(low.point.y)), off*math.abs(slope))
    if most > o.locate*(units + math.abs(at(details.point.y))) then details[key] = most end
  end
  add("accuracy", function(y) return problem:value(y) end, o.unit)
  local observed = problem.beside and problem.base.observed
  if observed then add("accuracy_beside", observed[2], problem.units and problem.units[2] or 1) end
  return details
end

-- Where motions become inadmissible within a step, or cease to be, and no test shows it: a limit is reached at an instant that is none on the other side, as
-- where a second minimum begins. The step is halved until the tests show it, or it is as exact as asked for
local function admissible_between(problem, from, to, o, origin, passed)
  if not problem.offender or (problem:offender(from) == nil) == (problem:offender(to) == nil) or starts_at_limit(problem, from) then return {} end
  local low, high, fine = { length = 0, point = from }, { length = to.length, point = to }, problem:offender(from) == nil
  for _ = 1, LOCATING do
    local list = of_contact(special_between(problem, from, low, high, o, origin, passed))
    if #list > 0 then return list end
    if (high.length - low.length)*math.abs(from.slope) <= o.locate*(o.unit + math.abs(high.point.value)) then break end
    local middle = corrector.within(problem, from, to, (low.length + high.length)/2)
    if not middle then break end
    middle.tests = special_points.tests(problem, middle, origin, from.tests)
    local part = { length = middle.length, point = middle }
    if (problem:offender(middle) == nil) == fine then low = part else high = part end
  end
  local beyond = fine and high or low
  local point, far = fine and low.point or high.point, fine and { length = to.length, point = to } or { length = 0, point = from }
  local here, off = limit_places.near(problem, from, to, beyond.length, far)
  point = here or point
  local details = { kind = "touch", name = problem:offender(beyond.point), point = point, value = point.value, length = here and here.length or high.length,
                    behind = passed }
  return { known_within(problem, details, low, high, off or 0, o) }
end

local ROUNDED = 1e-8                   -- relative difference of the values of a fold and a branch point that may be rounding: beside a branch point it is large

-- The special point of a real eigenvalue that passes zero, where the passing of a pair is the same one: it meets its partner so near to zero that points within
-- what places are known to show a pair, of which the determinant, that changes its sign, shows nothing. nil: there is none
local function real_one(item, found, o)
  for _, other in ipairs(item.kind == "hopf" and (item.first or item.doubtful) and found or {}) do
    local within = item.first and other.length >= item.first and other.length <= item.last
    if is_real[other.kind] and not other.doubtful and (within or are_together(item, other, o)) then return other end
  end
  return nil
end

-- Takes the place of the passing of an eigenvalue for that of a determinant, which is known less exactly
local function take_place(item, passing)
  local off = math.abs(item.value - passing.value)
  if item.exact then return end
  if passing.doubtful or passing.apart then
    item.accuracy = math.max(item.accuracy or 0, off)
    return
  end
  item.point, item.value, item.length = passing.point, passing.value, passing.length
  item.accuracy = math.max(passing.accuracy or 0, passing.exact and 0 or off)
  if item.accuracy == 0 then item.accuracy = nil end
end

-- A branch that meets another one and turns back there, as at a pitchfork, meets it at a branch point: the fold at the same place is none, and the eigenvalue
-- that reaches zero there goes back. How far the two are apart says how exactly the place is known
local function without_turns(found, o)
  local kept = {}
  for _, item in ipairs(found) do
    local crossing
    -- so is a passing beside which Newton's method fails
    for _, other in ipairs((item.kind == "fold" or item.kind == "branch" and item.doubtful) and found or {}) do
      local near = math.max(known_to(item, o), known_to(other, o), ROUNDED*(o.unit + math.abs(item.value)))
      if other.kind == "branch" and not other.doubtful and math.abs(other.value - item.value) <= near then crossing = other end
    end
    local real = real_one(item, found, o)
    if real then
      take_place(real, item)
    elseif crossing then
      local off = 4*math.abs(crossing.value - item.value)
      crossing.apart = nil
      if off > TOGETHER*o.locate*(o.unit + math.abs(item.value)) then crossing.accuracy = math.max(crossing.accuracy or 0, off) end
    else
      kept[#kept + 1] = item
    end
  end
  return kept
end

-- Is a test of one sign at the ends of a step of the other one at a point, so that it passes zero twice? point: with its tests
local function is_beyond(from, to, point)
  local one, here, other = from.tests.meeting, point.tests.meeting, to.tests.meeting
  return is_number(one, here) and is_number(here, other) and (one > 0) == (other > 0) and (one > 0) ~= (here > 0)
end

-- Where pairs of a symmetric spectrum meet on the border within a step and are off it again at its end: those that pass it there in opposite directions, and
-- where they stay on it for a while, the two places at which they meet
local function meetings_between(problem, from, to, o, origin, passed, known)
  local crossing, found = {}, {}
  for _, passing in ipairs(tracks.passings_of_each(problem, from, to, o, known)) do
    local point = passing.point
    point.tests = point.tests or special_points.tests(problem, point, origin, from.tests)
    if not is_beyond(from, to, point) then
      crossing[#crossing + 1] = passing
    elseif #found == 0 then
      local middle = { length = passing.length, point = point }
      for _, part in ipairs{ { { length = 0, point = from }, middle }, { middle, { length = to.length, point = to } } } do
        for _, item in ipairs(special_between(problem, from, part[1], part[2], o, origin, passed)) do
          if item.test == "meeting" then found[#found + 1] = item end
        end
      end
    end
  end
  local pairs_across = passing_pairs(problem, grouped(function(point) return problem:each(point) end, crossing, from, o), passed)
  return table.move(pairs_across, 1, #pairs_across, #found + 1, found)
end

local ROUNDED_VALUE, CLOSE = 1e-15, 1e-6               -- of a value; of a step: nearer places are one

-- Special points where a real eigenvalue comes to zero and goes back, as far as it is known: two of them, as near to each other as is said, or none
local function touching_at_rest(problem, touches, found, to, passed)
  local list = {}
  for _, touch in ipairs(touches) do
    local place, known = touch.place, false
    local point, unit = place.point, corrector.per_length(problem)
    -- between two folds the value changes by the integral of its slope
    local change = touch.name == "fold" and 2/3*place.bend*place.half^3*unit or 2*place.half*math.abs(point.slope)
    for _, item in ipairs(found) do
      known = known or is_real[item.kind] and math.abs(item.length - point.length) <= math.max(TOGETHER*place.half, CLOSE*to.length)
    end
    if not known then
      list[#list + 1] = { kind = touch.name, test = touch.name, point = point, length = point.length, value = point.value, behind = passed,
        apart = math.max(change, ROUNDED_VALUE*(corrector.unit(problem) + math.abs(point.value))) }
    end
  end
  return list
end

-- Special points on a step; passed: the number of points before it. The second result: are there eigenvalues that are not followed, or leave the
-- border on which they were?
local function special_on(problem, from, to, o, origin, special, passed)
  local passings, leaving = tracks.passings(problem, from, to, o)
  local found, groups = passing_pairs(problem, grouped(function(point) return problem:followed(point) end, passings or {}, from, o), passed)
  local cuts, touches = of_determinants(problem, from, to, origin)
  local between_meetings = pair_meetings.cuts(problem, from, to)
  table.move(between_meetings, 1, #between_meetings, #cuts + 1, cuts)
  local parts = parted(problem, from, to, groups, cuts, origin)
  for k = 2, #parts do
    local low, high = parts[k - 1], parts[k]
    local list = special_between(problem, from, low, high, o, origin, passed)
    for _, group in ipairs(groups) do
      if group[1].length >= low.length and (group[1].length < high.length or high.point == to) then
        list[#list + 1] = complete(problem, group, list, special, from, part_between(problem, low, high), o, passed)
      end
    end
    table.move(list, 1, #list, #found + 1, found)
  end
  local touched = touching_at_rest(problem, touches, found, to, passed)
  table.move(touched, 1, #touched, #found + 1, found)
  local meetings = #between_meetings == 0 and meetings_between(problem, from, to, o, origin, passed, passings or {}) or {}
  table.move(meetings, 1, #meetings, #found + 1, found)
  if #of_contact(found) == 0 then
    local list = admissible_between(problem, from, to, o, origin, passed)
    found = without_doubtful(found, list)
    table.move(list, 1, #list, #found + 1, found)
  end
  found = without_turns(found, o)
  -- errors of runs move places that are told apart alike
  for _, item in ipairs(found) do
    if item.run_error and item.run_error > o.locate*(o.unit + math.abs(item.value)) then item.accuracy = math.max(item.accuracy or 0, item.run_error) end
  end
  return found, not passings or leaving
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

-- Is a special point that is found from three points known from one step already?
local function is_found(problem, special, item, o)
  local function beside(one) return problem.beside and problem:beside(one.point.y) or 0.0 end
  for _, other in ipairs(special) do
    local near = math.max(known_to(item, o), known_to(other, o))
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

-- Both special points where a test, of one sign at both ends of a step, passes zero twice within it; largest: value of the test nearby
local function pair_within(problem, name, from, to, largest, o, origin)
  local f, sign, list = test_at(problem, name, origin), from.tests[name] > 0 and 1 or -1, {}
  -- the value changes by less than the slope times the length between two folds
  local told = name == "fold" and o.locate*(o.unit + math.abs(from.value))/corrector.per_length(problem)/to.length or 0
  local within, near = dips.negative_within(problem, from, to.length, function(p) return sign*f(p) end, -math.max(NOTHING*largest, told), sign*from.tests[name],
    sign*to.tests[name])
  if not within and near and problem.second_met_at and touches_are_told(problem, name) and sign*f(near) < DEEPER*largest then
    local place = curve_places.least(problem, from, to, function(p) return sign*f(p) end, largest, near)
    if place and place.least < -place.known and sign*f(place.point) < 0 then within = place.point
    elseif place and place.least <= place.known then return { touching(problem, name, place) } end
  end
  for _, part in ipairs(within and { { 0, from, within.length, within }, { within.length, within, to.length, to } } or {}) do
    list[#list + 1] = special_at(problem, name, from, part[1], part[2], part[3], part[4], o, origin)
  end
  return list
end

-- May a test with these values pass zero twice beside the middle one? See dips.may_pass_twice
local function may_pass_twice(far, old, value, new, a, b, c)
  return is_number(old, value) and is_number(value, new) and dips.may_pass_twice(far, old, value, new, a, b, c)
end

-- Where a test comes nearer to zero at a point than at those before and after, it may pass zero twice beside the point: both special points
local function special_pairs(problem, point, o, origin, special, passed)
  local middle, found = point.before, {}
  local first = middle.before
  if not first or not first.tests then return found end
  for name, value in pairs(middle.tests) do
    local old, new = first.tests[name], point.tests[name]
    local far = first.before and first.before.tests and first.before.tests[name]
    local is_seen = problem.has_determinants and (name == "fold" or name == "branch")
    if not is_seen and may_pass_twice(far, old, value, new, middle.length, point.length, middle.length + (first.length or 0)) then
      for k, step in ipairs{ { first, middle }, { middle, point } } do
        for _, item in ipairs(pair_within(problem, name, step[1], step[2], math.max(math.abs(old), math.abs(new)), o, origin)) do
          if not is_found(problem, special, item, o) then item.behind, found[#found + 1] = passed - 2 + k, item end
        end
      end
    end
  end
  return found
end

local SETTLED = 1e-6                   -- of the test beside the start: less counts as zero there

--- The special points in the first steps ahead and behind the start of a branch that is followed to both sides, where a test is nearest to zero at the start
--- and passes zero twice beside it: those ahead, and those behind, without those that are known: special, special_behind.
function special_points.pairs_at_start(problem, start, ahead, behind, o, special, special_behind)
  local origin, found = { size = start.size, sign = 1 }, { {}, {} }
  for name, value in pairs(start.tests or {}) do
    local old, new = behind.tests[name], ahead.tests[name]
    -- a start on a special point is one, and folds and branch points are seen by eigenvalues that pass: see at_start
    local clear = math.abs(value) > SETTLED*math.max(math.abs(old or 0), math.abs(new or 0))
    if clear and name ~= "fold" and name ~= "branch" and may_pass_twice(nil, old, value, new, behind.length, ahead.length) then
      for k, to in ipairs{ ahead, behind } do
        for _, item in ipairs(pair_within(problem, name, to.before, to, math.max(math.abs(old), math.abs(new)), o, origin)) do
          if not is_found(problem, k == 1 and special or special_behind, item, o) then item.behind, found[k][#found[k] + 1] = 0, item end
        end
      end
    end
  end
  for _, list in ipairs(found) do table.sort(list, in_order) end
  return found[1], found[2]
end

--- The special points of a curve at its start, where a test vanishes and has different signs on both sides of it. A test that changes its sign with the
--- direction has equal ones, as ahead and behind are looked at from the start.
function special_points.settled_at_start(problem, start, ahead, behind, o)
  local list, origin = {}, { size = start.size, sign = 1 }
  for name, value in pairs(problem.settled and start.tests or {}) do
    local one, other = ahead.tests[name], behind.tests[name]
    if value == 0 and is_number(one, other) and ((one > 0) == (other > 0)) == problem:is_odd(name) then
      local width, step = math.min(ahead.length, behind.length), { from = start, to = ahead, length = 0.0 }
      local details = problem:settled(name, start, step, width, test_at(problem, name, origin), o.locate)
      local known = false
      for _, item in ipairs(list) do known = known or details and problem:is_same(item, details) end
      if details and not known then
        details.kind, details.value, details.length, details.behind = details.kind or name, details.point.value, 0.0, 0
        list[#list + 1] = details
      end
    end
  end
  table.sort(list, in_order)
  return list
end

-- Has a special point (of that kind) been found at this point of the curve?
local function is_special(problem, special, point, kind)
  for _, item in ipairs(special) do
    if is_near(problem, point.value, item.value) and (not kind or item.kind == kind and item.name == point.name) then return true end
  end
  return false
end

-- Special points that are new: one at the end of a step is met again by the next one
local function new_ones(problem, special, found, from)
  local list = {}
  local function is_known(item)
    for _, each in ipairs{ special, list } do
      for _, other in ipairs(each) do if problem:is_same(item, other) then return true end end
    end
    return false
  end
  for _, item in ipairs(found) do
    local again = is_near(problem, from.value, item.value) and is_at(problem, from, item.length)
    local known = again and is_special(problem, special, item, item.kind) or problem.is_same and is_known(item)
    if not known then list[#list + 1] = item end
  end
  return list
end

-- Several eigenvalues that pass at once change no sign of a test, nor do two pairs of a symmetric spectrum that meet where others do so, too. Where the
-- number of those that are unstable changes within a step. Those that may be unstable or not are no change: errors hide their side, or along weak
-- damping they are near the border, and one that is beyond it need not have passed
local function several_between(problem, from, to, o, passed)
  local growth = problem.growth and problem:growth(from)
  if not growth then return nil end
  local before, open = growth(from)
  local after, still_open = growth(to)
  if after <= before + (open or 0) and before <= after + (still_open or 0) then return nil end
  local low, high, point, below, open_at = 0, to.length, to, from, nil
  for _ = 1, LOCATING do
    if (high - low)*math.abs(from.slope) <= o.locate*(o.unit + math.abs(point.value)) then break end
    local middle = corrector.within(problem, from, to, (low + high)/2)
    if not middle then break end
    local count, doubt = growth(middle)
    -- where their sides are not known they pass
    if count ~= before and (doubt or 0) > 0 then open_at = middle break end
    if count == before then low, below = middle.length, middle else high, point = middle.length, middle end
  end
  local details = problem:several(after < before and below or point)
  point = open_at or point
  details.point, details.value, details.length, details.behind = point, point.value, point.length, passed
  local count = math.abs(after - before)
  details.several, details.accuracy = count > 1 and count or nil, open_at and (high - low)*math.abs(from.slope) or nil
  -- complex ones pass in pairs: an odd number of them is rounding of real ones
  details.doubtful = (details.kind == "hopf" or details.kind == "torus") and count % 2 == 1 or nil
  return details
end

local NEARER, HALVINGS = 4, 20          -- parts of a step in which the end of a touch at the start is sought

-- How far from the start towards a point an eigenvalue that is on the border at the start stays there, as far as it is known
local function touched_for(problem, start, to, item)
  local length = to.length
  for _ = 1, HALVINGS do
    local point = corrector.within(problem, start, to, length/NEARER)
    local nearest, best = nil, math.huge
    for _, other in ipairs(point and problem:followed(point) or {}) do
      local off = 0
      for k, place in ipairs(item.place) do off = off + (place - other.place[k])^2 end
      if off < best then nearest, best = other, off end
    end
    if not nearest or math.abs(nearest.side) <= nearest.fine then break end
    length = length/NEARER
  end
  return length
end

-- Are both passings, which a touch at the start may hide, known?
local function are_known(special, start, passing)
  for _, item in ipairs(special) do
    local same = item.kind == "hopf" or item.kind == "torus"
    if same == (passing.e.im ~= 0) and math.abs(item.value - start.value) <= passing.apart then return true end
  end
  return false
end

local ROUNDED_SIDE = 1e-9               -- of the sides beside the start

--- The special points of a branch that goes to both sides of its start without doubtful folds and branch points on the first step that are at the start, but
--- for rounding: special_points.at_start shows what passes there.
function special_points.without_doubtful_at_start(problem, start, list)
  local kept = {}
  for _, item in ipairs(list) do
    local here = item.behind == 0 and item.doubtful and is_real[item.kind] and is_at(problem, start, item.length) and is_near(problem, start.value, item.value)
    if not here then kept[#kept + 1] = item end
  end
  return kept
end

-- Special points at a start without those that are found on the steps from it, as a start differs from the place by rounding
local function without_known_at_start(start, list, special, o)
  local kept, near = {}, {}
  for _, item in ipairs(special) do
    if math.abs(item.value - start.value) <= known_to(item, o) then near[#near + 1] = item end
  end
  for _, item in ipairs(list) do if not is_listed(near, item) then kept[#kept + 1] = item end end
  return kept
end

-- Where a test vanishes at the start and has different signs on both sides of it. Folds and branch points are seen by eigenvalues that pass
local function of_tests_at_start(problem, start, ahead, behind)
  local list = {}
  for name, value in pairs(start.tests or {}) do
    local one, other = ahead.tests[name], behind.tests[name]
    local left_out = name == "fold" or name == "branch" or (problem.undetermined or {})[name] or problem.settled
    if not left_out and is_number(one, other) and (one > 0) ~= (other > 0) and math.abs(value) <= SETTLED*math.max(math.abs(one), math.abs(other)) then
      local item = problem:confirmed(name, start)
      if item then
        item.kind, item.point, item.value, item.length, item.behind = item.kind or name, start, start.value, 0.0, 0
        list[#list + 1] = item
      end
    end
  end
  return list
end

--- The special points at the start of a branch that is followed to both sides: where an eigenvalue that is on the border there is on different sides of it at
--- the first points ahead and behind; where it is on the same side it may pass twice, so near to the start that this is not told apart. special: those on the
--- steps from the start.
function special_points.at_start(problem, start, ahead, behind, o, special)
  local list = problem.followed and ahead.track and behind.track and problem:followed(start)
  local group = { count = 0 }
  for i, item in ipairs(list or {}) do
    local one, other = ahead.track[i], behind.track[i]
    -- exact eigenvalues tell how far a start is from a place where one passes, which is rounding of the start
    local is_zero = item.sign == 0 or one.sign ~= other.sign and math.abs(item.side) <= ROUNDED_SIDE*math.max(math.abs(one.side), math.abs(other.side))
    if is_zero and one.sign*other.sign ~= 0 and item.e.im >= 0 and not (item.at and item.e.im > 0) then
      local passing = { point = start, length = 0, e = item.e, at = item.at }
      local touches = one.sign == other.sign
      if touches then
        local width = touched_for(problem, start, ahead, item) + touched_for(problem, start, behind, item)
        passing.apart = width*math.max(math.abs(ahead.slope), math.abs(behind.slope))
      end
      -- m + 1/m reaches 2 or -2 and turns back wherever a pair goes round the circle through 1 or -1
      local alone = touches and (item.at or 0) == 0 and math.min(math.abs(one.side), math.abs(other.side)) > item.coarse
      if not touches or alone and not are_known(special, start, passing) then
        group[#group + 1] = passing
        group.count = group.count + (item.e.im > 0 and 2 or 1)
      end
    end
  end
  local each = tracks.passings_at_start(problem, start, ahead, behind)
  each.count = 0
  for _, passing in ipairs(each) do each.count = each.count + (passing.e.im > 0 and 2 or 1) end
  local groups = {}
  for _, one in ipairs{ each, group } do if #one > 0 then groups[#groups + 1] = one end end
  local met = of_tests_at_start(problem, start, ahead, behind)
  if #groups == 0 then return without_known_at_start(start, met, special, o) end
  local found, real = passing_pairs(problem, groups, 0)
  table.move(met, 1, #met, #found + 1, found)
  -- where it turns back both first points have values on one side of that at the start
  local turns = (ahead.value - start.value)*(behind.value - start.value) > 0
  local part = { turns = turns, slope = math.max(math.abs(ahead.tests.fold or 0), math.abs(behind.tests.fold or 0)), unit = corrector.per_length(problem) }
  for _, rest in ipairs(real) do found[#found + 1] = complete(problem, rest, {}, {}, start, part, {}, 0) end
  return without_known_at_start(start, found, special, o)
end

--- Adds the special points on the step from one point to the next to a list, in order; those of the step before, too, where only the next point shows
--- them. passed: the number of points before the step. Returns the special point at which the branch ends, if it does.
function special_points.add(problem, from, point, o, origin, special, passed)
  local all, in_doubt = special_on(problem, from, point, o, origin, special, passed)
  local found, last = up_to_end(all)
  local new = new_ones(problem, special, found, from)
  table.move(new, 1, #new, #special + 1, special)
  if last then return last end
  local twice = special_pairs(problem, point, o, origin, special, passed)
  table.move(twice, 1, #twice, #special + 1, special)
  local unseen = (in_doubt or from.symmetric and problem.at_rest) and from.before and #found + #twice == 0 and not is_special(problem, special, from)
  if unseen then special[#special + 1] = several_between(problem, from, point, o, passed) end
  table.sort(special, in_order)
  return nil
end

return special_points
