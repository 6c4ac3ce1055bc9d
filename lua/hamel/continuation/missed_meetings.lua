-- missed_meetings.lua: where pairs of a symmetric spectrum meet and leave the border of stability, found by how many eigenvalues are beyond it.
--
-- This number changes at special points alone. Where no test shows a meeting, as where two numbers of the spectrum are equal along the whole branch and every
-- product of differences vanishes, it is halved until it changes within a part as short as places are known, or as it is known itself.
local corrector = require "hamel.continuation.corrector"
local passing_points = require "hamel.continuation.passing_points"

local missed_meetings = {}

local BESIDE = 0.01                     -- of the part between two special points: so far from them the numbers are compared
local HALVINGS, MOST = 60, 8            -- of a part; meetings in it
local PARTS = { 0.5, 0.4375 }           -- of a part, where it is divided; where the number is not known there

local function sample_at(problem, from, to, length)
  local point = length == 0 and from or length == to.length and to or corrector.within(problem, from, to, length)
  local count = point and point.symmetric ~= false and problem:count_beyond(point)
  return count and { length = length, point = point, count = count } or nil
end

-- Parts of a step between its special points, somewhat away from them: { low, high = lengths }. A special point at the start of the branch is not known yet
local function parts_of(problem, from, to, places, o)
  local list, low, away = {}, 0, (not from.before or places.at_start) and BESIDE or 0
  local function add(high, known, is_last)
    local width = high - low
    local a, b = low + away*width + (places.known or 0), high - (is_last and 0 or BESIDE*width + known)
    if b > a then list[#list + 1] = { low = a, high = b } end
    low, away, places.known = high, BESIDE, known
  end
  for _, item in ipairs(places) do
    if item.length > low and item.length < to.length then add(item.length, passing_points.known_to(item, o)/corrector.per_length(problem), false) end
  end
  add(to.length, 0, true)
  return list
end

-- The first place between two samples at which the number changes: the samples beside it, as near to each other as the number is known
local function first_change(problem, from, to, low, high, o)
  local before = low.count
  for _ = 1, HALVINGS do
    local within = (high.length - low.length)*math.abs(from.slope)
    if within <= o.locate*(o.unit + math.abs(high.point.value)) then break end
    local middle
    for _, part in ipairs(PARTS) do middle = middle or sample_at(problem, from, to, low.length + part*(high.length - low.length)) end
    if not middle then break end
    if middle.count == before then low = middle else high = middle end
  end
  return low, high
end

-- The special point between two samples with different numbers
local function special_between(problem, from, low, high, o, passed)
  local grows = high.count > low.count
  local details, count = problem:met_beside((grows and high or low).point), math.abs(high.count - low.count)
  local place = grows and low or high
  details.point, details.length, details.value, details.behind = place.point, place.length, place.point.value, passed
  details.several = count > details.alone and count or nil
  details.alone = nil
  local within = (high.length - low.length)*math.max(math.abs(from.slope), math.abs(place.point.slope))
  if within > o.locate*(o.unit + math.abs(details.value)) then details.accuracy = within end
  return details
end

-- Samples of a part at its ends and at places between, in order
local function samples_of(problem, from, to, part, between)
  local lengths, list = { part.low, part.high }, {}
  for _, length in ipairs(between or {}) do if length > part.low and length < part.high then lengths[#lengths + 1] = length end end
  table.sort(lengths)
  for _, length in ipairs(lengths) do list[#list + 1] = sample_at(problem, from, to, length) end
  return list
end

--- Special points on a step from one point to the next that explain how the number of eigenvalues beyond the border changes between those that are known:
--- places, in order, with at_start = is there one at the start of the step, between = further lengths at which the numbers are compared.
--- passed: the number of points before the step.
function missed_meetings.on(problem, from, to, places, o, passed)
  local found = {}
  if not (problem.count_beyond and from.symmetric and to.symmetric) then return found end
  for _, part in ipairs(parts_of(problem, from, to, places, o)) do
    local samples = samples_of(problem, from, to, part, places.between)
    for k = 2, #samples do
      local low, last = samples[k - 1], samples[k]
      for _ = 1, MOST do
        if low.count == last.count then break end
        local one, other = first_change(problem, from, to, low, last, o)
        found[#found + 1] = special_between(problem, from, one, other, o, passed)
        low = other
      end
    end
  end
  return found
end

return missed_meetings
