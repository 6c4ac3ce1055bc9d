-- run_times.lua: times of a run that are one of its ends but for rounding.
local run_times = {}

local ROUNDING = 1e-14                  -- of the ends: how far beyond one a time is that one, as sums of steps come to it

--- The end of a trajectory of the core that t is but for rounding; otherwise t itself.
function run_times.at_end(raw, t)
  local first, last = raw:time(1), raw:time(raw:points())
  if (t - first)*(t - last) <= 0 then return t end
  local known = ROUNDING*math.max(math.abs(first), math.abs(last))
  if math.abs(t - last) <= known then return last end
  return math.abs(t - first) <= known and first or t
end

return run_times
