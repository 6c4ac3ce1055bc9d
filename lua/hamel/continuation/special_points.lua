-- special_points.lua: all special points on a step of a branch and at its start, each once.
local corrector = require "hamel.continuation.corrector"
local determinants = require "hamel.continuation.determinants"
local limit_points = require "hamel.continuation.limit_points"
local missed_meetings = require "hamel.continuation.missed_meetings"
local pair_meetings = require "hamel.continuation.pair_meetings"
local passing_points = require "hamel.continuation.passing_points"
local special_pairs = require "hamel.continuation.special_pairs"
local test_zeros = require "hamel.continuation.test_zeros"
local tracks = require "hamel.continuation.tracks"

local has_signs, in_order, is_number = test_zeros.has_signs, test_zeros.in_order, test_zeros.is_number
local is_at, is_listed, is_near, is_real = passing_points.is_at, passing_points.is_listed, passing_points.is_near, passing_points.is_real
local known_to = passing_points.known_to
local special_points = {}

local LOCATING = 60                    -- halvings of a step

-- Points between groups of passings, so that each lies in a part of its own, and between zeros of tests: { length, point }, with the ends of the step
local function parted(problem, from, to, groups, cuts, origin)
  local points, parts = table.move(cuts, 1, #cuts, 1, {}), { { length = 0, point = from } }
  for k = 2, #groups do
    local before, after = groups[k - 1][#groups[k - 1]].length, groups[k][1].length
    points[#points + 1] = corrector.within(problem, from, to, (before + after)/2)
  end
  table.sort(points, function(one, other) return one.length < other.length end)
  for _, point in ipairs(points) do
    point.tests = test_zeros.tests(problem, point, origin, from.tests)
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
  return determinants.within(problem, from, to, names, function(point) return test_zeros.add_determinants({}, problem, point, origin) end)
end

local MET = 1e-15                      -- how near to each other pairs are where they meet but for rounding (spectrum.meeting)

-- Is a test of one sign at the ends of a step of the other one at a point, so that it passes zero twice? point: with its tests
local function is_beyond(from, to, point)
  local one, here, other = from.tests.meeting, point.tests.meeting, to.tests.meeting
  if not here or point.test_sizes.meeting <= MET then return false end
  return has_signs("meeting", from, point) and has_signs("meeting", point, to) and (one > 0) == (other > 0) and (one > 0) ~= (here > 0)
end

local BESIDE = 1e-3                     -- of a step: how far beside a passing its eigenvalue is off the border

-- Is the eigenvalue of a passing off the border on both sides of the place? One that has been on it along a part of the branch leaves it where it meets another
-- one, which tests or counts show. The lengths beside the place at which this was looked at are added to a list
local function is_off_beside(problem, from, to, passing, looked_at)
  for _, away in ipairs{ -BESIDE*to.length, BESIDE*to.length } do
    local length, point = passing.length + away, nil
    if length > 0 and length < to.length then
      point = corrector.within(problem, from, to, length)
      looked_at[#looked_at + 1] = point and length
    elseif length <= 0 and from.before and (from.length or 0) + away > 0 then
      point = corrector.within(problem, from.before, from, from.length + away)
    end
    local nearest, best = nil, math.huge
    for _, item in ipairs(point and problem:each(point) or {}) do
      local off = (item.e.re - passing.e.re)^2 + (item.e.im - passing.e.im)^2
      if off < best then nearest, best = item, off end
    end
    if nearest and math.abs(nearest.side) <= nearest.coarse then return false end
  end
  return true
end

-- Where pairs of a symmetric spectrum meet on the border within a step and are off it again at its end: those that pass it there in opposite directions, and
-- where they stay on it for a while, the two places at which they meet.
-- looked_at: a list of lengths, see is_off_beside
local function meetings_between(problem, from, to, o, origin, passed, known, looked_at)
  local crossing, found = {}, {}
  for _, passing in ipairs(tracks.passings_of_each(problem, from, to, o, known)) do
    local point = passing.point
    point.tests = point.tests or test_zeros.tests(problem, point, origin, from.tests)
    if not is_beyond(from, to, point) then
      crossing[#crossing + 1] = is_off_beside(problem, from, to, passing, looked_at) and passing or nil
    elseif #found == 0 then
      local middle = { length = passing.length, point = point }
      for _, part in ipairs{ { { length = 0, point = from }, middle }, { middle, { length = to.length, point = to } } } do
        for _, item in ipairs(test_zeros.between(problem, from, part[1], part[2], o, origin, passed)) do
          if item.test == "meeting" then found[#found + 1] = item end
        end
      end
    end
  end
  local pairs_across = passing_points.of_groups(problem, passing_points.grouped(function(point) return problem:each(point) end, crossing, from, o), passed)
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
      known = known or is_real[item.kind] and math.abs(item.length - point.length) <= math.max(passing_points.TOGETHER*place.half, CLOSE*to.length)
    end
    if not known then
      list[#list + 1] = { kind = touch.name, test = touch.name, point = point, length = point.length, value = point.value, behind = passed,
        apart = math.max(change, ROUNDED_VALUE*(corrector.unit(problem) + math.abs(point.value))) }
    end
  end
  return list
end

-- Special points on a step; passed: the number of points before it. The second result: are there eigenvalues that are not followed, or leave the
-- border on which they were? The third: lengths at which something may have changed.
local function special_on(problem, from, to, o, origin, special, passed)
  local passings, leaving = tracks.passings(problem, from, to, o)
  local grouped = passing_points.grouped(function(point) return problem:followed(point) end, passings or {}, from, o)
  local found, groups = passing_points.of_groups(problem, grouped, passed)
  local cuts, touches = of_determinants(problem, from, to, origin)
  local between_meetings = pair_meetings.cuts(problem, from, to)
  table.move(between_meetings, 1, #between_meetings, #cuts + 1, cuts)
  local parts = parted(problem, from, to, groups, cuts, origin)
  for k = 2, #parts do
    local low, high = parts[k - 1], parts[k]
    local list = test_zeros.between(problem, from, low, high, o, origin, passed)
    for _, group in ipairs(groups) do
      if group[1].length >= low.length and (group[1].length < high.length or high.point == to) then
        list[#list + 1] = passing_points.complete(problem, group, list, special, from, passing_points.part_between(problem, low, high), o, passed)
      end
    end
    table.move(list, 1, #list, #found + 1, found)
  end
  local touched = touching_at_rest(problem, touches, found, to, passed)
  table.move(touched, 1, #touched, #found + 1, found)
  local looked_at = {}
  local meetings = #between_meetings == 0 and meetings_between(problem, from, to, o, origin, passed, passings or {}, looked_at) or {}
  table.move(meetings, 1, #meetings, #found + 1, found)
  if #limit_points.of_contact(found) == 0 then
    local list = limit_points.between(problem, from, to, o, origin, passed)
    found = limit_points.without_doubtful(found, list)
    table.move(list, 1, #list, #found + 1, found)
  end
  found = passing_points.without_turns(found, o)
  -- errors of runs move places that are told apart alike
  for _, item in ipairs(found) do
    if item.run_error and item.run_error > o.locate*(o.unit + math.abs(item.value)) then item.accuracy = math.max(item.accuracy or 0, item.run_error) end
  end
  return found, not passings or leaving, looked_at
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

local SETTLED = 1e-6                   -- of the test beside the start: less counts as zero there

--- The special points in the first steps ahead and behind the start of a branch that is followed to both sides, where a test is nearest to zero at the start
--- and passes zero twice beside it: those ahead, and those behind, without those that are known: special, special_behind.
function special_points.pairs_at_start(problem, start, ahead, behind, o, special, special_behind)
  local origin, found = { size = start.size, sign = 1 }, { {}, {} }
  for name, value in pairs(start.tests or {}) do
    local old, new = behind.tests[name], ahead.tests[name]
    -- a start on a special point is one, and folds and branch points are seen by eigenvalues that pass: see at_start
    local clear = math.abs(value) > SETTLED*math.max(math.abs(old or 0), math.abs(new or 0))
    if clear and name ~= "fold" and name ~= "branch" and special_pairs.may_pass_twice(name, nil, behind, start, ahead, behind.length, ahead.length) then
      for k, to in ipairs{ ahead, behind } do
        for _, item in ipairs(special_pairs.within(problem, name, to.before, to, math.max(math.abs(old), math.abs(new)), o, origin)) do
          if not special_pairs.is_found(problem, k == 1 and special or special_behind, item, o) then item.behind, found[k][#found[k] + 1] = 0, item end
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
      local details = problem:settled(name, start, step, width, test_zeros.test_at(problem, name, origin), o.locate)
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

-- The special points of a step without doubtful ones that say again what another doubtful one says of the same place
local function without_repeated_doubts(list, o)
  local kept = {}
  for _, item in ipairs(list) do
    local again = false
    for _, other in ipairs(item.doubtful and kept or {}) do
      again = again or other.doubtful and other.kind == item.kind and other.name == item.name
        and math.abs(other.value - item.value) <= math.max(known_to(item, o), known_to(other, o))
    end
    if not again then kept[#kept + 1] = item end
  end
  return kept
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
    if not left_out and has_signs(name, ahead, behind) and (one > 0) ~= (other > 0) and math.abs(value) <= SETTLED*math.max(math.abs(one), math.abs(other)) then
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
  local found, real = passing_points.of_groups(problem, groups, 0)
  table.move(met, 1, #met, #found + 1, found)
  -- where it turns back both first points have values on one side of that at the start
  local turns = (ahead.value - start.value)*(behind.value - start.value) > 0
  local part = { turns = turns, slope = math.max(math.abs(ahead.tests.fold or 0), math.abs(behind.tests.fold or 0)), unit = corrector.per_length(problem) }
  for _, rest in ipairs(real) do found[#found + 1] = passing_points.complete(problem, rest, {}, {}, start, part, {}, 0) end
  return without_known_at_start(start, found, special, o)
end

--- Adds the special points on the step from one point to the next to a list, in order; those of the step before, too, where only the next point shows
--- them. passed: the number of points before the step. Returns the special point at which the branch ends, if it does.
function special_points.add(problem, from, point, o, origin, special, passed)
  local all, in_doubt, looked_at = special_on(problem, from, point, o, origin, special, passed)
  local found, last = up_to_end(all)
  local new = without_repeated_doubts(new_ones(problem, special, found, from), o)
  table.move(new, 1, #new, #special + 1, special)
  if last then return last end
  local twice = special_pairs.beside(problem, point, o, origin, special, passed)
  table.move(twice, 1, #twice, #special + 1, special)
  local places = { at_start = is_special(problem, special, from), between = looked_at }
  for _, item in ipairs(special) do if item.behind == passed then places[#places + 1] = item end end
  table.sort(places, in_order)
  local missed = missed_meetings.on(problem, from, point, places, o, passed)
  table.move(missed, 1, #missed, #special + 1, special)
  local unseen = in_doubt and not from.symmetric and from.before and #found + #twice == 0 and not is_special(problem, special, from)
  if unseen then special[#special + 1] = several_between(problem, from, point, o, passed) end
  table.sort(special, in_order)
  return nil
end

return special_points
