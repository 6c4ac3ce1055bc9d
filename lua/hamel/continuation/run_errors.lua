-- run_errors.lua: how far errors of runs move what is read off periodic motions. Beside weak damping they count as damping.
local attempt = require "hamel.base.attempt"
local corrector = require "hamel.continuation.corrector"

local run_errors = {}

-- Calls a function with tolerances of the runs of some flows that are `times` coarser: as attempt
local function with_coarser(flows, times, f, ...)
  local before = {}
  for i, flow in ipairs(flows) do
    local run = flow.options
    before[i] = { run = run, rtol = run.rtol, atol = run.atol }
  end
  for _, old in ipairs(before) do old.run.rtol, old.run.atol = old.rtol and times*old.rtol, old.atol and times*old.atol end
  local fine, result = attempt(f, ...)
  for _, old in ipairs(before) do old.run.rtol, old.run.atol = old.rtol, old.atol end
  return fine, result
end

--- How far the value of a point changes with the tolerances of the runs, where its part along the direction d stays. coarser: the tolerances of the runs
--- that are compared, in units of those of the branch.
function run_errors.of_value(problem, point, d, coarser)
  local most = 0
  for _, times in ipairs(coarser) do
    local fine, F = with_coarser({ problem.flow }, times, problem.equations, problem, point.y, point.directions)
    local change = fine and corrector.value_change(problem, point, d, F)
    most = math.max(most, change and math.abs(change) or math.huge)
  end
  return most
end

--- What is followed at a point (problem:followed) on the motion that runs with tolerances that are `times` coarser find; flows: those that run. nil: they fail.
function run_errors.followed(problem, point, flows, times)
  local fine, list = with_coarser(flows, times, function()
    local again = corrector.newton(problem, point.y, point.directions, { row = point.tangent })
    if not again then return nil end
    again.before, again.symmetric, again.length = point.before, point.symmetric, point.length
    return problem:followed(again)
  end)
  return fine and list or nil
end

return run_errors
