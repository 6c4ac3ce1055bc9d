-- whole_records.lua: records that follow one another as one, with the changes of the motion along the directions with which it was flown.
--
-- A part is { flow, raw = its record, numbers = of the directions in the record, begun, ended = by these numbers the changes { d = of the state, dt = of the
-- time } at both ends; nil: the ends are no instants that change }. The whole has points, time and at as a record; at(t) is the state of the model, and
-- moved(t, side) the changes there by the numbers of the directions, at the time t (side nil), or of the start and the finish (side = "begun", "ended").
local segments = require "hamel.continuation.segments"

local whole_records = {}

-- The part in which a time lies
local function part_at(parts, t)
  local found = parts[1]
  for _, part in ipairs(parts) do if part.raw:time(1) <= t then found = part end end
  return found, math.min(t, found.raw:time(found.raw:points()))
end

local function state_at(parts, t)
  local part, at = part_at(parts, t)
  return part.flow:split(part.raw:at(at), #part.numbers)
end

local function moved_at(parts, t)
  local part, at = part_at(parts, t)
  local list = {}
  for k, d in ipairs(part.flow:carried(part.raw:at(at), #part.numbers)) do list[part.numbers[k]] = { d = d, dt = 0.0 } end
  return list
end

--- The parts of a segment of a motion with events as one.
function whole_records.joined(parts)
  local whole, times = {}, {}
  for i, part in ipairs(parts) do for k = i == 1 and 1 or 2, part.raw:points() do times[#times + 1] = part.raw:time(k) end end
  function whole.points() return #times end
  function whole.time(_, k) return times[k] end
  function whole.at(_, t) return state_at(parts, t) end
  function whole.moved(_, t, side)
    if side then return (side == "begun" and parts[1] or parts[#parts])[side] end
    return moved_at(parts, t)
  end
  return whole
end

--- The parts of a periodic motion by shooting as one. It goes on into the next period, as a least value may lie at the start.
function whole_records.periodic(problem, y, parts)
  local whole, period, last = whole_records.joined(parts), problem:period(y), problem.flow.t + problem:period(y)
  local count, first = whole:points(), parts[1].raw
  local more = math.min(3, first:points()) - 1
  local function within(t) return t > last and t - period or t end
  local joined = { at = whole.at, moved = whole.moved, time = whole.time }
  function whole.points() return count + more end
  function whole.time(_, k) return k > count and period + first:time(k - count + 1) or joined.time(whole, k) end
  function whole.at(_, t) return joined.at(whole, within(t)) end
  function whole.moved(_, t) return joined.moved(whole, within(t)) end
  return whole
end

--- The record of a periodic motion by shooting, over all its segments.
function whole_records.of(problem, y)
  local parts = {}
  for i = 1, segments.count(y) do
    local _, _, record = segments.flown(problem, y, i, {}, {}, true)
    parts[i] = { flow = problem.flow, raw = record.raw, numbers = {} }
  end
  return whole_records.periodic(problem, y, parts)
end

--- The largest absolute values of the kept states of a problem in a list of wholes; those of its parameters are 0.
function whole_records.sizes(problem, wholes)
  local kept, sizes = problem.space.kept, {}
  for i in ipairs(kept) do sizes[i] = 0.0 end
  for _, whole in ipairs(wholes) do
    for k = 1, whole:points() do
      local x = whole:at(whole:time(k))
      for i, place in ipairs(kept) do sizes[i] = math.max(sizes[i], math.abs(x[place])) end
    end
  end
  for _, place in ipairs(problem.places) do sizes[place] = 0.0 end
  return sizes
end

return whole_records
