-- whole_records.lua: the record of a periodic motion by shooting, over all its segments.
local segments = require "hamel.continuation.segments"

local whole_records = {}

--- The records of all segments of a point y as one, with points, time and at as of a record. It goes on into the next period, as a least value may lie at
--- the start.
function whole_records.of(problem, y)
  local records, times, period, begun = {}, {}, problem:period(y), problem.flow.t
  for i = 1, segments.count(y) do
    local _, _, record, span = segments.flown(problem, y, i, {}, {}, true)
    records[i] = { raw = record.raw, from = span.from }
    for k = i == 1 and 1 or 2, record.raw:points() do times[#times + 1] = record.raw:time(k) end
  end
  for k = 2, math.min(3, records[1].raw:points()) do times[#times + 1] = period + records[1].raw:time(k) end
  local whole = {}
  function whole.points() return #times end
  function whole.time(_, k) return times[k] end
  function whole.at(_, t)
    if t > begun + period then t = t - period end
    local found = records[1]
    for _, each in ipairs(records) do if each.from <= t then found = each end end
    return found.raw:at(t)
  end
  return whole
end

return whole_records
