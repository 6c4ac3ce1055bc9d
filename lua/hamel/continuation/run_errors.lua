-- run_errors.lua: how far errors of runs move what is read off periodic motions. Beside weak damping they count as damping.
local attempt = require "hamel.base.attempt"
local corrector = require "hamel.continuation.corrector"

local run_errors = {}

--- How far the value of a point changes with the tolerances of the runs, where its part along the direction d stays. coarser: the tolerances of the runs
--- that are compared, in units of those of the branch.
function run_errors.of_value(problem, point, d, coarser)
  local run, most = problem.flow.options, 0
  local rtol, atol = run.rtol, run.atol
  for _, times in ipairs(coarser) do
    run.rtol, run.atol = rtol and times*rtol, atol and times*atol
    local fine, F = attempt(problem.equations, problem, point.y, point.directions)
    local change = fine and corrector.value_change(problem, point, d, F)
    most = math.max(most, change and math.abs(change) or math.huge)
  end
  run.rtol, run.atol = rtol, atol
  return most
end

return run_errors
