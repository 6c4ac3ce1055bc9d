-- limit_points.lua: the special points of a branch where motions become inadmissible within a step, or cease to be, and no test shows it.
local corrector = require "hamel.continuation.corrector"
local limit_places = require "hamel.continuation.limit_places"
local tangent = require "hamel.analysis.tangent"
local test_zeros = require "hamel.continuation.test_zeros"

local limit_points = {}

local LOCATING = 60                    -- halvings of a step

local is_of_contact = { touch = true, grazing = true, ["end"] = true }

--- Those of contacts that are found, but for doubtful ones.
function limit_points.of_contact(list)
  local kept = {}
  for _, item in ipairs(list) do
    if is_of_contact[item.kind] and (item.kind == "end" or not item.doubtful) then kept[#kept + 1] = item end
  end
  return kept
end

--- Without the doubtful ones that another list shows at their place.
function limit_points.without_doubtful(list, others)
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

--- Where motions become inadmissible within a step, or cease to be, and no test shows it: a limit is reached at an instant that is none on the other side, as
--- where a second minimum begins. The step is halved until the tests show it, or it is as exact as asked for.
function limit_points.between(problem, from, to, o, origin, passed)
  if not problem.offender or (problem:offender(from) == nil) == (problem:offender(to) == nil) or starts_at_limit(problem, from) then return {} end
  local low, high, fine = { length = 0, point = from }, { length = to.length, point = to }, problem:offender(from) == nil
  for _ = 1, LOCATING do
    local list = limit_points.of_contact(test_zeros.between(problem, from, low, high, o, origin, passed))
    if #list > 0 then return list end
    if (high.length - low.length)*math.abs(from.slope) <= o.locate*(o.unit + math.abs(high.point.value)) then break end
    local middle = corrector.within(problem, from, to, (low.length + high.length)/2)
    if not middle then break end
    middle.tests = test_zeros.tests(problem, middle, origin, from.tests)
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

return limit_points
