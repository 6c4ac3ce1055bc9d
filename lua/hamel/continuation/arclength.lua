-- arclength.lua: follows a curve of solutions by its length: Newton's method beside a step along the tangent.
--
-- A problem has points y (lists of numbers) under conditions that it keeps by itself, and equations F(y) = 0, one fewer than the directions that the
-- conditions leave. It gives
--   problem:directions(y, before)      orthonormal directions along the conditions, near those at a point before (nil: any)
--   problem:moved(y, d)                y changed by the direction d and brought back onto the conditions
--   problem:equations(y, directions)   F, rows of its derivatives by the directions, whatever problem:tests needs
--   problem:value(y)                   what is printed along the branch and its gradient, as a direction
--   problem:image(y, near)             (optional) the same solution in other unknowns, as near as may be to those of another point
--   problem.undetermined               (optional) names of tests at whose zeros the equations hold for any value; "slopes": the value is not
--                                      stationary there
--   problem.singular                   (optional) places where the equations have no value: see ends.lua
--   problem.edges                      { name, at = such a function of y, from, to, ends }: the branch ends where one is left; ends: why, where it cannot
--                                      go on
--   problem:tests(point)               name -> a number that changes its sign at a special point
--   problem:confirmed(kind, point)     details of a special point; nil: none of its kind; details.ends: why the branch ends there
--   problem.unbranched                 (optional) tests of its own say where it turns, and other branches are not looked for
--   problem:leaps(from, point)         (optional) does a step lead so far that it may come to another piece of the curve?
--   problem:waning(point)              (optional) what comes to zero on the way to a point, in words
--   problem:is_same(one, other)        (optional) are two special points of different tests one?
--   problem:refitted(point)            (optional) the same solution in other unknowns, of which the first entries of y are those of before; nil: none
--   problem:refused(point)             (optional) why a solution of the equations is none
--   problem:over(point)                (optional) why the branch goes no farther than a point; nil: it does
--   problem:followed(point)            (optional) the eigenvalues that are followed from point to point, see tracks.lua; nil: none
--   problem:has_quartets(point), problem:each(point)    (optional) are some of a symmetric spectrum off the border, and may meet on it; the eigenvalues,
--                                      to be followed each by itself
--   problem.has_determinants, problem:has_wide_spectrum(point)       (optional) real eigenvalues pass zero with determinants, which are followed within steps
--   problem:passed(point, e, at)       details of the special point at which the eigenvalue e is on the border (at: which of two, see tracks.of_sums);
--                                      nil: a fold or a branch point
--   problem:offender(point)            (optional) what makes a solution no motion, by name; nil: nothing
--   problem.sparing                    (optional) points are dear: a step is halved only where the one before lets expect it
--   problem:growth(point), problem:several(point)    nil, or: a function of points that counts unstable eigenvalues, with a margin where those of
--                                      the point are on the border, and those that may be unstable (nil: none); what passes at a point
--   problem:count_beyond(point), problem:met_beside(point)    (optional) of symmetric spectra: how many eigenvalues are beyond the border, nil where one is
--                                      not clear of it; what passes beside a point at which some have just left it
--   problem:value_error(point)         (optional) how exactly errors leave the value at a fold known
--   problem.value_unit                 (optional) in what unit the value counts where places are located; nil: 1
--   problem.unit_of_function(value, gradient)   (optional) the unit in which a function of the unknowns is solved for; nil: 1
--   problem.counts_in_units            (optional) parameters and states are counted in units of what they change; steps grow with large states,
--   problem.steps_grow                 (optional) as they do alone with this
--   problem.tolerance                  largest F that counts as zero
-- Source: Keller, in: Applications of bifurcation theory (1977); Doedel, Keller and Kernevez, Int. J. Bifurcation Chaos 1 (1991).
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local corrector = require "hamel.continuation.corrector"
local edges = require "hamel.continuation.edges"
local end_points = require "hamel.continuation.end_points"
local ends = require "hamel.continuation.ends"
local known_digits = require "hamel.continuation.known_digits"
local protected = require "hamel.base.protected"
local object = require "hamel.base.object"
local special_points = require "hamel.continuation.special_points"
local steps_over = require "hamel.continuation.steps_over"
local tangent = require "hamel.analysis.tangent"
local test_zeros = require "hamel.continuation.test_zeros"

local arclength = {}

local ANGLE, LEVEL, GOOD, FAIR = math.cos(0.3), math.cos(0.03), 3, 5

local PAST = 1.2                       -- of the distance to the start: the last step of a closed curve

-- A point as it is seen from the start, of a driven motion at the nearest of the times that whole periods of the drive are apart: these are one motion
local function away_from(problem, start, point)
  return problem:difference(problem.image and problem:image(point.y, start.y) or point.y, start.y)
end

-- Is the curve closed at a point? closing: the step was to lead past the start. The second result: the length to the start, where this is still ahead
local function is_closed(problem, start, point, closing)
  local away = away_from(problem, start, point)
  -- the last step may be shortened
  if not closing and not (corrector.norm(away) < 0.7*point.length) then return false end
  -- points that are cut into other segments are compared by their starts
  local one, other = table.move(start.tangent, 1, #away, 1, {}), table.move(point.tangent, 1, #away, 1, {})
  if not (tangent.dot(one, other) > ANGLE*corrector.norm(one)*corrector.norm(other)) then return false end
  return true, tangent.dot(away, one) < 0 and corrector.norm(away) or nil
end

-- Removes special points behind the start of a closed curve, where it has been before, from those of its last step, behind the point number k
local function up_to_start(problem, start, special, k)
  for i = #special, 1, -1 do
    local item = special[i]
    local away = item.behind >= k and away_from(problem, start, item.point)
    if away and tangent.dot(away, table.move(start.tangent, 1, #away, 1, {})) > 0 then table.remove(special, i) end
  end
end

-- The last point before the end of the branch, as one behind a step; nil: the point `from` is nearer to the end
local function before_end(problem, from, last)
  local point, length = last.point, tangent.dot(problem:difference(last.point.y, from.y), from.tangent)
  if not (length > 0) then return nil end
  -- the end itself is farther
  point.before, point.length = from, length
  return point
end

-- Does the tangent turn within a step so far that it may lead to another branch?
local function turns(from, point) return tangent.dot(point.tangent, from.tangent) < LEVEL end

local NEARER, SHORTER = 0.2, 0.6        -- fall of the determinant within a step that leads close to where another branch crosses; the step in place of it

-- The point behind a shorter step, where that at the length h is close to another branch: rounding moves it along that branch, by as much as it is near
local function clear_of_crossing(problem, from, point, h)
  -- where a duration comes to zero the branch ends, and its equations are singular there: steps go on towards it
  if problem.unbranched or problem.waning or not (point.size - from.size < math.log(NEARER)) then return point end
  local shorter = corrector.stepped(problem, from, SHORTER*h)
  local holds = shorter and tangent.dot(shorter.tangent, from.tangent) > ANGLE and shorter.rounds <= FAIR and shorter.size > point.size
  return holds and shorter or point
end

-- A step that holds: the point; nil and the reason where the shortest one fails; as a third value the end of the branch, where one lies ahead
local function next_point(problem, from, h, o, origin)
  local why, near
  while h >= o.least do
    local point
    h, near = steps_over.length(problem, from, h, near)
    point, why = corrector.stepped(problem, from, h)
    local holds = point and tangent.dot(point.tangent, from.tangent) > ANGLE and point.rounds <= FAIR
    local fine, last = attempt(ends.ahead, problem, corrector.at_value, from, h, holds and point or nil)
    if fine and last then return not last.doubtful and before_end(problem, from, last) or nil, nil, last end
    local leaps = holds and problem.leaps and problem:leaps(from, point)
    local returns = holds and not leaps and (not turns(from, point) or corrector.returns(problem, from, point))
    if returns then return clear_of_crossing(problem, from, point, h) end
    local known, place = false, nil
    -- beside a place at which the equations hold for any value Newton's method may not settle
    if near and not point then known, place = attempt(test_zeros.end_ahead, problem, near, from, o, origin) end
    if known and place then return nil, nil, place end
    if point then why = leaps and "an impact comes to graze" or holds and "another branch is near" or "the curve turns too fast" end
    h = h/2
  end
  return nil, ("step below %.3g: %s"):format(o.least, why or "")
end

-- The point before the end of the branch, where that is behind the last one of the branch
local function behind(from, last) return last.point ~= from and last.point or nil end

local DIGITS = 9                       -- of the value at the end of a branch

-- The branch ends at a place where the equations have no value
local function ended_at(problem, points, special, last)
  last.behind = #points
  special[#special + 1] = last
  return ("%s, at %s = %s"):format(last.ends, problem.name, known_digits(last.value, last.accuracy, DIGITS))
end

-- The point in other unknowns, where the problem chooses these anew; its determinant goes on
local function refitted(problem, point, origin)
  local y = problem.refitted and problem:refitted(point)
  if not y then return point end
  local forward = {}
  for i = 1, #y do forward[i] = i <= #problem:difference(y, point.y) and point.tangent[i] or 0.0 end
  local again = corrector.newton(problem, y, nil, { row = forward })
  if not again then return point end
  again.before = point
  corrector.add_tangent(problem, again, forward)
  origin.size, origin.sign = origin.size + again.size - point.size, origin.sign*again.sign*point.sign
  again.tests = test_zeros.tests(problem, again, origin, point.tests)
  again.before, again.length, again.track = point.before, point.length, point.track
  return again
end

local GROWN = 10                       -- times the size of the states at the start: motions from which on steps grow with them

-- The largest size of the states at a point in their units, without the values that are followed, and how fast they change along the curve
local function size_of_states(problem, point)
  local y, space, is_value, size, speed = point.y, problem.space, {}, 0, 0
  for _, place in ipairs(problem.places) do is_value[place] = true end
  for i in ipairs(space.kept) do
    if not is_value[i] then size, speed = math.max(size, math.abs(y[i])/space.scale[i]), speed + (point.tangent[i] or 0)^2 end
  end
  return size, math.sqrt(speed)
end

local PART = 1/20                      -- of the states: how far a step may change them

-- The longest step from a point: where none was asked for it grows with large states of a motion. At rest it changes neither a parameter by more than its part
-- of the range, nor the states by more than that of their size at the start, in whatever units they are large numbers
local function longest(problem, start, point, o)
  if not o.grows or not (problem.counts_in_units or problem.steps_grow) then return o.largest end
  local size, speed = size_of_states(problem, point)
  if size > GROWN then return o.largest*size end
  if not problem.at_rest or #problem.places ~= 1 then return o.largest end
  local at_start = size_of_states(problem, start)
  return math.max(o.largest, math.min(o.largest/math.abs(corrector.slope(problem, point)), PART*at_start/speed))
end

local SHORTENED, FEWER = 4, 4           -- how often a step is made again, and of its length, where a branch point on it is doubtful

-- Is a branch point in a list doubtful that another list has not?
local function has_doubtful_branch(list, known)
  for _, item in ipairs(list) do
    if item.kind == "branch" and item.doubtful and not object.contains(known, item) then return true end
  end
  return false
end

local HUGE = 1e4                       -- times the largest coordinate or velocity at the start: one that is larger leaves all bounds, as beside a pole

-- What has grown beyond all bounds between the first and the last point; nil: nothing. A periodic motion may begin with velocities that are rounding
local function what_grew(problem, start, last)
  local first, now = problem:record(start), problem:record(last)
  if first.period and not (size_of_states(problem, last) > HUGE) then return nil end
  for _, kind in ipairs{ "q", "v" } do
    local size, name, most = 0, nil, 0
    for _, value in pairs(first[kind] or {}) do size = math.max(size, math.abs(value)) end
    for key, value in pairs(now[kind] or {}) do if math.abs(value) > most then name, most = key, math.abs(value) end end
    if size > 0 and most > HUGE*size then
      return ("%s%s has grown to %.2g at %s = %.9g"):format(name, kind == "v" and "'" or "", now[kind][name], problem.name, last.value)
    end
  end
end

local AT_LIMIT = 0.99                  -- of the longest step that was asked for

-- The end of a branch whose points are used up, and why it did not come farther
local function used_up(problem, start, last, o)
  local words, grown = ("%d point%s"):format(o.points, o.points == 1 and "" or "s"), what_grew(problem, start, last)
  if grown then return words .. "; " .. grown end
  local held = not o.grows and last.length and last.length > AT_LIMIT*o.largest
  return held and words .. ", in steps as long as `largest` allows" or words
end

-- Adds the points that follow the first, and the special points, to the lists: why it ended
local function followed(problem, start, o, points, special)
  local origin = { size = start.size, sign = 1 }
  -- the caller records the start, too
  for key, value in pairs(refitted(problem, start, origin)) do start[key] = value end
  start.tests = test_zeros.tests(problem, start, origin)
  local from, h, closing, shortened = start, o.step, false, 0
  for i = 1, o.points do
    if core.host.interrupted() then return "interrupted" end
    local point, why, singular = next_point(problem, from, h, o, origin)
    if not point and not singular then
      singular = edges.ahead(problem, from, o)
      point = singular and behind(from, singular)
      if not singular then return edges.stopped(problem, from, why) end
    end
    if not point then return ended_at(problem, points, special, singular) end
    local crossed = edges.crossed(problem, from, point, o)
    local edge = crossed and crossed.edge
    if crossed then
      singular = crossed.last
      point = crossed.point or singular and behind(from, singular)
      if not point and singular then return ended_at(problem, points, special, singular) end
      if not point and not crossed.failed then end_points.add(problem, from, crossed.wanted, o, origin, special, #points) end
      if not point then return crossed.failed or crossed.reached end
    end
    point.tests = test_zeros.tests(problem, point, origin, from.tests)
    local known = table.move(special, 1, #special, 1, {})
    local last = special_points.add(problem, from, point, o, origin, special, #points)
    -- a step over the place where motions shrink to rest ends at the image of a point inside the range, and may pass its edge twice
    local passed = last and not crossed and edges.passed(problem, from, last, o)
    if passed then
      crossed, edge, point = passed, passed.edge, passed.point
      for k = #special, 1, -1 do special[k] = known[k] end
      if not point then return passed.reached end
      point.tests = test_zeros.tests(problem, point, origin, from.tests)
      last = special_points.add(problem, from, point, o, origin, special, #points)
    end
    -- a step may lead past a curve that turns sharply onto another one: a shorter one follows it
    shortened = problem.at_rest and has_doubtful_branch(special, known) and point.length > FEWER*o.least and shortened + 1 or 0
    if shortened > 0 and shortened <= SHORTENED then
      h = point.length/FEWER
      for k = #special, 1, -1 do special[k] = known[k] end
      goto again
    end
    if last then return ("%s at %s = %s"):format(last.ends, problem.name, known_digits(last.value, last.accuracy, DIGITS)) end
    points[#points + 1] = point
    if o.visit and o.visit(point, special) then return "as asked" end
    local over = problem.over and problem:over(point)
    if singular then
      if singular.edge then edges.without_others(special, singular, #points - 1) end
      return ended_at(problem, points, special, singular)
    end
    if edge and edge.ends or over then
      local name = over or edge.ends
      if not over then edges.without_others(special, point, #points - 1) end
      return ended_at(problem, points, special, { kind = "end", name = name, ends = name, value = point.value, point = point, length = point.length })
    end
    if edge then
      end_points.add(problem, point, crossed.wanted, o, origin, special, #points)
      return crossed.reached
    end
    local closed, ahead = false, nil
    if i > 5 then closed, ahead = is_closed(problem, start, point, closing) end
    if closing then up_to_start(problem, start, special, #points - 1) end
    if (closing or closed) and not ahead then return "the curve is closed" end
    closing = ahead ~= nil
    h = point.rounds <= GOOD and 1.5*point.length or point.rounds >= FAIR and 0.7*point.length or point.length
    h = ahead and PAST*ahead or h
    h, from = math.min(h, longest(problem, start, point, o)), refitted(problem, point, origin)
    ::again::
  end
  return used_up(problem, start, from, o)
end

-- A point between two special points of one step, so that what is between them shows; nil where Newton's method fails, or they are too near each other
local function point_between(problem, from, to, one, other)
  local point = corrector.within(problem, from, to, (one.length + other.length)/2)
  local low, high = math.min(one.value, other.value), math.max(one.value, other.value)
  return point and (point.value > low and point.value < high or one.kind == "fold" or other.kind == "fold") and point or nil
end

--- The points of a branch with others between special points that share a step.
function arclength.with_points_between(problem, start, points, special)
  local all, next_item = {}, 1
  for k = 0, #points do
    local from, last = k == 0 and start or points[k], nil
    if k > 0 then all[#all + 1] = from end
    while special[next_item] and special[next_item].behind == k do
      local item = special[next_item]
      if last and item.value ~= last.value and points[k + 1] then
        -- the step may start from the point in other unknowns
        local fine, point = attempt(point_between, problem, points[k + 1].before, points[k + 1], last, item)
        if fine and point then all[#all + 1] = point end
      end
      item.behind, last, next_item = #all, item, next_item + 1
    end
  end
  return all
end

-- Removes the special points of a step that was not finished
local function up_to_last(points, special)
  for i = #special, 1, -1 do if special[i].behind >= #points then table.remove(special, i) end end
end

--- Follows the curve from a point with a tangent. o: step, least, largest, points, locate, visit (called with each point).
--- Returns the points that follow the first, the special points (behind: how many of these points come before), and why it ended; an error on the way ends
--- it, too, and so does an interrupt, with what was found before.
function arclength.follow(problem, start, o)
  local points, special = {}, {}
  local whole, fine, ended = protected(attempt, followed, problem, start, o, points, special)
  if core.host.interrupted() then
    up_to_last(points, special)
    return points, special, "interrupted"
  end
  if not whole then error(fine, 0) end
  if not fine then ended = edges.stopped(problem, points[#points] or start, ended) end
  return points, special, ended
end

return arclength
