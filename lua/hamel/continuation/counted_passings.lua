-- counted_passings.lua: where multipliers of periodic motions pass the border of stability between two samples of a step (tracks.lua), found by how many are
-- beyond it.
--
-- This number needs no matching. Members that come near to each other near the border may be taken for each other, so that passings are lost or misplaced:
-- then the number beyond the border is another one at points between than the places say.
local corrector = require "hamel.continuation.corrector"
local ranks = require "hamel.continuation.ranks"
local side_zeros = require "hamel.continuation.side_zeros"

local counted_passings = {}

local LEVEL = 1e-3                      -- the least slope of the value that counts

--- How many members are beyond the border at a sample; nil: errors hide the side of one, as far as is known beside a place (noise)
function counted_passings.at(sample, noise)
  local count = 0
  for _, item in ipairs(sample.list) do
    if math.abs(item.side) <= math.max(item.fine, noise) then return nil end
    if item.side > 0 then count = count + 1 end
  end
  return count
end

-- By how much the number of members beyond the border changes at a place
local function change_at(passing) return passing.way*(passing.e.im ~= 0 and 2 or 1) end

--- Are as many members beyond the border at all points that were looked at between two samples as the places found there say?
function counted_passings.are_right(seen, low, high, list, noise)
  local function expected_at(length)
    local count = low.count
    for _, passing in ipairs(list) do if passing.length < length then count = count + change_at(passing) end end
    return count
  end
  if expected_at(math.huge) ~= high.count then return false end
  for _, sample in ipairs(seen) do
    local count = sample.length > low.length and sample.length < high.length and counted_passings.at(sample, noise)
    if count and count ~= expected_at(sample.length) then return false end
  end
  return true
end

local COUNTED = 24                      -- places of a part that are looked for by counts

-- Points between two samples at which it is known how many members are beyond the border, in order, with both
local function counted_points(seen, low, high, noise)
  local list = { low, high }
  for _, sample in ipairs(seen) do
    sample.count = counted_passings.at(sample, noise)
    if sample.count and sample.length > low.length and sample.length < high.length then list[#list + 1] = sample end
  end
  table.sort(list, function(one, other) return one.length < other.length end)
  return list
end

local FARTHER = 4

-- The nearest point beside a place between two samples, at the distance d or farther, at which it is known how many members are beyond the border
local function beside(problem, chain, low, high, place, d, noise)
  local limit = d < 0 and low or high
  while math.abs(d) < math.abs(limit.length - place.length) do
    local point = corrector.within(problem, chain[1].point, high.point, place.length + d)
    local list = point and side_zeros.followed_at(problem, chain, point)
    local sample = list and { length = point.length, point = point, list = list }
    if sample then sample.count = counted_passings.at(sample, noise) end
    if sample and sample.count then return sample end
    d = FARTHER*d
  end
  return limit
end

-- Is the passing of a member found already within a distance of a place? Nothing passes there twice in one direction: what a part leaves open leads there again
local function is_listed(list, place, member, way, distance)
  for _, item in ipairs(list) do
    if item.member == member and item.way == way and math.abs(item.length - place.length) <= distance then return true end
  end
  return false
end

-- Adds the members that pass between two points at one place, from the most stable one on. slope: of the value; d: how well the place is known
local function add_members(list, low, high, place, passing, slope, d)
  local least, change, own = math.min(low.count, high.count), math.abs(high.count - low.count), 0
  local far, first = math.max(place.length - low.length, high.length - place.length)*slope, #list + 1
  local order, way, known = side_zeros.ranked(place.list), high.count > low.count and 1 or -1, table.move(list, 1, #list, 1, {})
  for rank = least + 1, least + change do
    local e = order[rank].e
    if e.im >= 0 or rank == least + 1 and change == 1 then
      if e.im < 0 then e = { re = e.re, im = -e.im, uncertainty = e.uncertainty } end
      list[#list + 1] = { length = place.length, point = place.point, e = e, accuracy = passing.accuracy, steepness = passing.steepness, noise = passing.noise,
        way = way, member = -rank, low = low.length, high = high.length, again = is_listed(known, place, -rank, way, d) }
      own = own + (e.im ~= 0 and 2 or 1)
    end
  end
  for k = #list, 1, -1 do
    if list[k].length ~= place.length then break end
    -- of several it is known only that they pass between both points
    if #list > first then list[k].accuracy = math.max(list[k].accuracy or 0, far) end
    list[k].doubtful, list[k].reason = passing.doubtful or own ~= change or nil, passing.reason or own ~= change and "counts" or nil
  end
  for k = #list, first, -1 do if list[k].again then table.remove(list, k) end end
end

--- Where members pass the border between two samples, by how many are beyond it: the part is divided at the place of a rank, and beside it, until the number
-- changes within parts alone that are as short as places are known
function counted_passings.between(problem, chain, low, high, locate, noise)
  local from, list, settled = chain[1].point, {}, {}
  local slope, unit = math.max(math.abs(from.slope), LEVEL*corrector.unit(problem)), corrector.unit(problem)
  -- do the places found between two points account for the change from one to the other?
  local function is_settled(one, other)
    local sum = 0
    for _, place in ipairs(settled) do if place.length > one.length and place.length < other.length then sum = sum + place.change end end
    return sum == other.count - one.count
  end
  local function next_part()
    local points = counted_points(chain.seen, low, high, noise)
    for k = 2, #points do
      if not is_settled(points[k - 1], points[k]) then return points[k - 1], points[k] end
    end
    return nil
  end
  for _ = 1, COUNTED do
    local one, other = next_part()
    if not one or one.count == other.count then break end
    local rank = math.min(one.count, other.count) + 1
    local function followed() return ranks.side(problem, chain, one, other, rank) end
    local member, again = side_zeros.ranked(one.list)[rank], side_zeros.ranked(other.list)[rank]
    -- where one is not finite at an end, as beside rest, its side has no value there
    if not member or not again then break end
    local passing = side_zeros.between(problem, chain, one, other, member, again, followed, locate, true)
    noise = math.max(noise, passing.noise or 0)
    local d = math.max(passing.accuracy or 0, 10*locate*(unit + math.abs(passing.point.value)))/slope
    local place = { length = passing.length, point = passing.point, list = chain.followed(problem, passing.point) }
    local before = beside(problem, chain, one, other, place, -d, noise)
    local after = beside(problem, chain, one, other, place, d, noise)
    settled[#settled + 1] = { length = place.length, change = after.count - before.count }
    if before.count ~= after.count then add_members(list, before, after, place, passing, slope, d) end
  end
  if next_part() then
    for _, passing in ipairs(list) do passing.doubtful, passing.reason = true, passing.reason or "counts" end
  end
  return list
end

return counted_passings
