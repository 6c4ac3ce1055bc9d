-- passing_points.lua: the special points of a branch where eigenvalues pass the border of stability (tracks.lua).
local corrector = require "hamel.continuation.corrector"
local crossings = require "hamel.continuation.crossings"
local real_passings = require "hamel.continuation.real_passings"

local passing_points = {}

--- In units of how exactly values are known: places within are one.
passing_points.TOGETHER = 4

local LEVEL = 1e-4                     -- the slope at which a branch turns back

--- How exactly the value of a special point, or of a passing, is known, with some room.
function passing_points.known_to(item, o)
  if item.accuracy then return item.accuracy end
  return passing_points.TOGETHER*o.locate*(o.unit + math.abs(item.point.value))
end

-- Are two passings at one value, as far as their places are known?
local function are_together(one, other, o)
  return math.abs(one.point.value - other.point.value) <= math.max(passing_points.known_to(one, o), passing_points.known_to(other, o))
end

-- Are they at one place of the step from a point, too? Where the value stands still, places that are clearly apart have nearly the same one. Of one eigenvalue
-- those are one that lie within what is not told apart
local function are_at_one_place(one, other, from, o)
  local slope, near = math.max(math.abs(from.slope), LEVEL*o.unit), math.max(passing_points.known_to(one, o), passing_points.known_to(other, o))
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
  if again then group.apart = math.max(passing_points.known_to(group[1], o), passing_points.known_to(passing, o), passing.apart or 0)
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

--- Passings of the step from a point in groups that are not told apart: { passings, count = how many eigenvalues, apart = of one that passes more than once,
--- up to which distance of the value its passings are not told apart }. listed: what is followed at a point.
function passing_points.grouped(listed, passings, from, o)
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

--- Has a list of special points one of the same kind and frequency?
function passing_points.is_listed(list, details)
  for _, item in ipairs(list) do
    if item.kind == details.kind and math.abs((item.frequency or 0) - (details.frequency or 0)) <= ALIKE*(1 + (item.frequency or 0)) then return true end
  end
  return false
end

-- How exactly a passing is known at the place that it shares with the first one of its group; nil: as exactly as places are located
local function shared_accuracy(first, passing)
  if passing == first or not passing.accuracy then return first.accuracy end
  return math.max(first.accuracy or 0, passing.accuracy, math.abs(passing.point.value - first.point.value))
end

--- Special points where pairs, or multipliers at -1, pass, and the groups where real eigenvalues pass zero (multipliers one), which are folds and branch
--- points.
function passing_points.of_groups(problem, groups, passed)
  local found, real = {}, {}
  for _, group in ipairs(groups) do
    local several, here, rest = group.count, {}, { count = 0, apart = group.apart }
    for _, passing in ipairs(group) do
      local details = problem:passed(passing.point, passing.e, passing.at)
      local own = passing.e.im > 0 and 2 or 1
      if not details then
        rest[#rest + 1], rest.count = passing, rest.count + (passing.again and 0 or own)
      elseif not passing_points.is_listed(here, details) then
        -- passings that are not told apart share a point
        local item = passing_point(group[1], details, several > own and several or nil, passed)
        item.apart, item.first, item.last = passing.apart or group.apart, passing.first, passing.last
        item.accuracy = shared_accuracy(group[1], passing)
        here[#here + 1] = item
      end
    end
    table.move(here, 1, #here, #found + 1, found)
    if #rest > 0 then real[#real + 1] = rest end
  end
  return found, real
end

local BETTER = 100                    -- times as exact a place is taken in place of another

local STILL = 1e-2                     -- of the slopes beside it: the slope where the value stands still

--- Kinds of special points at which real eigenvalues pass zero, or meet there.
passing_points.is_real = { fold = true, branch = true, neutral = true }

--- Are two values one, but for rounding?
function passing_points.is_near(problem, one, other) return math.abs(one - other) <= 1e-9*(corrector.unit(problem) + math.abs(one)) end

--- Is what lies at a length behind a point at the point itself, but for rounding?
function passing_points.is_at(problem, from, length) return length <= 1e-6*(1 + math.abs(from.value)/corrector.per_length(problem)) end

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

--- Folds and branch points at which no test changes its sign, since an even number of eigenvalues passes; those of a part with a group of passings.
--- part: { turns = does the value turn back in it, slope = the larger of its slopes at both ends, unit = of the value, low, high = its ends { length, point },
--- of a step }.
function passing_points.complete(problem, group, found, special, from, part, o, passed)
  local here = {}
  for _, item in ipairs(found) do if passing_points.is_real[item.kind] then here[#here + 1] = item end end
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
    elseif #here == 1 and not passing.doubtful and passing.accuracy then
      item.accuracy = math.max(item.accuracy or 0, passing.accuracy)
    end
    return nil
  end
  local first = group[1]
  for _, item in ipairs(special) do
    local again = passing_points.is_near(problem, item.value, first.point.value) and passing_points.is_at(problem, from, first.length)
    if again and passing_points.is_real[item.kind] then return nil end
  end
  local slope = math.abs(first.point.slope)/part.unit
  local several, apart = group.count > 1 and group.count or nil, apart_of(group)
  -- where the value stands still and goes on an eigenvalue reaches the border and goes back, as far as it is known: two folds, or none
  if not part.turns and slope <= STILL*part.slope and (apart or group.count == 2) then
    local details = passing_point(first, { kind = "fold" }, nil, passed)
    details.apart = apart or passing_points.known_to(first, o)
    return details
  end
  local details = unconfirmed(problem, group, from, part, passed)
    or passing_point(first, { kind = part.turns and slope < LEVEL and "fold" or "branch" }, several, passed)
  details.apart = apart
  return details
end

--- The part between two points { length, point }, whose tangents lead away from the first: see complete.
function passing_points.part_between(problem, low, high)
  local one, other = low.point.tests.fold or 0, high.point.tests.fold or 0
  return { turns = one ~= 0 and other ~= 0 and (one > 0) ~= (other > 0), slope = math.max(math.abs(one), math.abs(other)),
           unit = corrector.per_length(problem), low = low, high = high }
end

local ROUNDED = 1e-8                   -- relative difference of the values of a fold and a branch point that may be rounding: beside a branch point it is large

-- The special point of a real eigenvalue that passes zero, where the passing of a pair is the same one: it meets its partner so near to zero that points within
-- what places are known to show a pair, of which the determinant, that changes its sign, shows nothing. nil: there is none
local function real_one(item, found, o)
  for _, other in ipairs(item.kind == "hopf" and (item.first or item.doubtful) and found or {}) do
    local within = item.first and other.length >= item.first and other.length <= item.last
    if passing_points.is_real[other.kind] and not other.doubtful and (within or are_together(item, other, o)) then return other end
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

--- A branch that meets another one and turns back there, as at a pitchfork, meets it at a branch point: the fold at the same place is none, and the eigenvalue
--- that reaches zero there goes back. How far the two are apart says how exactly the place is known.
function passing_points.without_turns(found, o)
  local kept = {}
  for _, item in ipairs(found) do
    local crossing
    -- so is a passing beside which Newton's method fails
    for _, other in ipairs((item.kind == "fold" or item.kind == "branch" and item.doubtful) and found or {}) do
      local near = math.max(passing_points.known_to(item, o), passing_points.known_to(other, o), ROUNDED*(o.unit + math.abs(item.value)))
      if other.kind == "branch" and not other.doubtful and math.abs(other.value - item.value) <= near then crossing = other end
    end
    local real = real_one(item, found, o)
    if real then
      take_place(real, item)
    elseif crossing then
      local off = 4*math.abs(crossing.value - item.value)
      crossing.apart = nil
      if off > passing_points.TOGETHER*o.locate*(o.unit + math.abs(item.value)) then crossing.accuracy = math.max(crossing.accuracy or 0, off) end
    else
      kept[#kept + 1] = item
    end
  end
  return kept
end

return passing_points
