-- end_points.lua: special points at the very ends of a branch: where it reaches the end of its range, and at a start from which it goes to one side alone.
--
-- What passes zero there changes its sign only beyond the end. So where a test or the side of an eigenvalue is nearly zero at the end, a point a little beyond
-- it is looked at, too; the range counts for what is listed alone.
local corrector = require "hamel.continuation.corrector"
local passing_points = require "hamel.continuation.passing_points"
local special_points = require "hamel.continuation.special_points"
local tangent = require "hamel.analysis.tangent"
local test_zeros = require "hamel.continuation.test_zeros"

local end_points = {}

local NEARLY = 1e-4                     -- of its value at the point beside: a test that may be zero at an end
local CLEAR = 1e-3                      -- of the first step: how far from the end the point is at least from which the step beyond it starts
local SHORTER, TRIES = 4, 6             -- times shorter steps beyond the end, where the branch goes no farther
local ANGLE, FAIR = math.cos(0.3), 5    -- between the tangents at both ends of such a step; rounds of Newton's method

-- May an eigenvalue or a multiplier be on the border at an end? What stays on it says nothing
local function is_on_border(list, beside)
  for i, item in ipairs(list or {}) do
    local other = beside and beside[i]
    local moves = not other or math.abs(other.side) > other.coarse
    if moves and math.abs(item.side) <= math.max(item.coarse, other and NEARLY*math.abs(other.side) or 0) then return true end
  end
  return false
end

-- May a special point be at an end? list: what is followed there; beside: the point of the branch beside it
local function may_be_special(problem, point, list, beside)
  for name, value in pairs(point.tests or {}) do
    local other = not (problem.undetermined or {})[name] and beside.tests and beside.tests[name]
    if other and other ~= 0 and math.abs(value) <= NEARLY*math.abs(other) then return true end
  end
  return is_on_border(list, beside.track)
end

-- The point behind a step of the length h from a point and as far beyond as the branch goes; nil: it does not go on
local function beyond(problem, from, h, more)
  for _ = 1, TRIES do
    local point = corrector.stepped(problem, from, h + more)
    local holds = point and tangent.dot(point.tangent, from.tangent) > ANGLE and point.rounds <= FAIR
    if holds and corrector.returns(problem, from, point) then return point end
    more = more/SHORTER
  end
  return nil
end

-- Special points on the step from a point to the one beyond an end, those at the end alone. edge: the value there, which they have where they are as near to
-- it as places are located; point: of the branch at the end, a step of the length `length` behind the one before
local function at_end(problem, from, to, o, origin, edge, point, length)
  to.tests = test_zeros.tests(problem, to, origin, from.tests)
  local found, list = {}, {}
  special_points.add(problem, from, to, o, origin, found, 0)
  for _, item in ipairs(found) do
    local off = math.abs(item.value - edge)
    if not item.ends and off <= passing_points.known_to(item, o) then
      item.length, list[#list + 1] = length, item
      if off <= o.locate*(o.unit + math.abs(edge)) then item.value, item.point = edge, point end
    end
  end
  return list
end

--- Adds the special points at the end of the range to those of a branch that reaches it. point: the last one of the branch; edge: the value of the end;
--- count: of its points.
function end_points.add(problem, point, edge, o, origin, special, count)
  local from, length = point.before, point.length
  if problem.bounds or not from then return end
  -- a step may have come to the end but for rounding
  while length < CLEAR*o.step and from.before do from, length = from.before, length + from.length end
  if not may_be_special(problem, point, point.track, from) then return end
  local to = beyond(problem, from, length, o.step)
  local list = to and at_end(problem, from, to, o, origin, edge, point, point.length) or {}
  if #list == 0 then return end
  for k = #special, 1, -1 do
    local item = special[k]
    if item.behind >= count - 1 and math.abs(item.value - edge) <= passing_points.known_to(item, o) then table.remove(special, k) end
  end
  for _, item in ipairs(list) do item.behind, special[#special + 1] = count - 1, item end
end

--- Where a special point may be at the start of a branch that goes to one side alone, the first point on the other side, and the special points found on the
--- step to it that are at the start. first: the first point of the branch; back: the start with its tangent turned back.
function end_points.behind_start(problem, start, first, back, o)
  local list = not problem.bounds and problem.followed and problem:followed(start)
  if problem.bounds or not first.tests or not may_be_special(problem, start, list, first) then return nil end
  local origin = { size = start.size, sign = 1 }
  back.tests = test_zeros.tests(problem, back, origin)
  local to = beyond(problem, back, 0.0, math.min(o.step, first.length))
  if not to then return nil end
  return to, at_end(problem, back, to, o, origin, start.value, start, 0.0)
end

return end_points
