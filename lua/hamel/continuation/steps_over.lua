-- steps_over.lua: lengths of steps beside a place at which the equations hold for any value, as where motions shrink to rest.
--
-- There a test that the problem lists in problem.undetermined vanishes, and beyond it the curve runs through images of the same motions. Near it the
-- equations are singular by the square of the distance, so that the parameters, and where they turn back, are rounding. So a step leads over the place to the
-- image of the point it starts from, where the equations are as regular as there, or ends clear of the place.
local attempt = require "hamel.base.attempt"
local tangent = require "hamel.analysis.tangent"

local steps_over = {}

local PART = 1e-3                       -- of a step: how far beside a point a test is taken, where no point comes before it

-- How a test changes with the length at a point, from the point before, or from one beside it; nil: not known
local function slope_of(problem, name, from, h)
  local value, before = from.tests[name], from.before
  local old = before and before.tests and before.tests[name]
  if old and (from.length or 0) > 0 then return (value - old)/from.length end
  if not problem.images then return nil end
  local fine, beside = attempt(function()
    return problem:images{ y = problem:moved(from.y, tangent.scaled(from.tangent, PART*h)), before = from }[name]
  end)
  return fine and beside and (beside - value)/(PART*h) or nil
end

local CLEAR = 0.75                     -- of the distance to the place: a longer step leads over it, and one that fails to do so this far

--- The length of a step from a point in place of h, that does not end near such a place; where one is near, the name of the test, too. failed: has a step over
--- the place failed?
function steps_over.length(problem, from, h, failed)
  local near
  for name, how in pairs(problem.undetermined or {}) do
    -- where the test slopes at its zero a branch ends there without images beyond
    local value = how ~= "slopes" and from.tests and from.tests[name]
    local slope = value and value ~= 0 and slope_of(problem, name, from, h)
    local distance = slope and slope*value < 0 and -value/slope or math.huge
    if h > CLEAR*distance then
      h, near = (failed and h < 2*distance and CLEAR or 2)*distance, name
    end
  end
  return h, near
end

return steps_over
