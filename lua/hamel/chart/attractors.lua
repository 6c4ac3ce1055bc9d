-- chart/attractors.lua: which settled motions end on one attractor, and which attractors of other parameters it continues.
--
-- Motions with the same parameters are compared in the order of how exactly they have settled: the first of several that agree stands for all. One that is
-- near two that differ belongs to the one from which it does not differ, else to the nearer; where it has not settled exactly enough to tell, to none.
-- With parameters the attractors move. One continues that of the next values of a parameter if it is near it, the nearest first, or somewhat farther from it
-- while all others are much farther away; else one with any parameters that is near. No two attractors with the same parameters are one.
local points = require "hamel.chart.points"
local tangent = require "hamel.analysis.tangent"
local turns = require "hamel.chart.turns"

local attractors = {}

local NEAR = 8                          -- a settled motion is within so many times its last change of its end (settling.lua)
local APART = 1e-4                      -- of the extent of all attractors: beyond errors of integration
local MOVES = 5                         -- radii: the most by which an attractor moves from a value of a parameter to the next,
local FARTHER = 3                       -- while all others are so many times as far away

-- ---- two motions

local function is_inside(point, at, tolerance)
  for i, width in ipairs(tolerance) do if math.abs(point[i] - at[i]) > width then return false end end
  return true
end

-- Is each point of a motion, of kinds that both have (false: of any kind), near one of the other's? tolerance: in each state
local function is_near(one, other, kinds, tolerance, whole)
  for _, point in ipairs(one) do
    local kind = point[#point]
    local near = kinds and not kinds[kind]
    for _, at in ipairs(near and {} or other) do
      if (not kinds or at[#at] == kind) and is_inside(point, turns.near(whole, at, point), tolerance) then near = true break end
    end
    if not near then return false end
  end
  return true
end

-- The kinds of points that both motions have; false: a motion at rest is compared with any points; nil: none
local function common_kinds(one, other)
  local has, both = {}, {}
  for _, point in ipairs(one) do
    if point[#point] == 0 then return false end
    has[point[#point]] = true
  end
  for _, point in ipairs(other) do
    if point[#point] == 0 then return false end
    if has[point[#point]] then both[point[#point]] = true end
  end
  return next(both) ~= nil and both or nil
end

local function agree(one, other, width)
  local kinds, tolerance = common_kinds(one.points, other.points), {}
  if kinds == nil then return false end
  for i, value in ipairs(width) do tolerance[i] = value + NEAR*(one.spread[i] + other.spread[i]) end
  local whole = turns.common(one.whole, other.whole)
  return is_near(one.points, other.points, kinds, tolerance, whole) and is_near(other.points, one.points, kinds, tolerance, whole)
end

-- The largest distance of a point of a motion from the nearest one of the other's, in extents
local function farthest(one, other, kinds, extent, whole)
  local largest = 0
  for _, point in ipairs(one) do
    local least = math.huge
    for _, at in ipairs(other) do
      if not kinds or at[#at] == point[#point] then
        local distance, image = 0, turns.near(whole, at, point)
        for i, size in ipairs(extent) do distance = math.max(distance, math.abs(point[i] - image[i])/size) end
        least = math.min(least, distance)
      end
    end
    if not kinds or kinds[point[#point]] then largest = math.max(largest, least) end
  end
  return largest
end

local function distance(one, other, extent)
  local kinds, whole = common_kinds(one.points, other.points), turns.common(one.whole, other.whole)
  return math.max(farthest(one.points, other.points, kinds, extent, whole), farthest(other.points, one.points, kinds, extent, whole))
end

-- ---- the extent of all

-- The turn of the angle i, if it is one, and the same, in all rows; else 0
local function common_turn(rows, i)
  local turn = rows[1].whole and rows[1].whole.angles[i] or 0
  for _, row in ipairs(rows) do if (row.whole and row.whole.angles[i] or 0) ~= turn then return 0 end end
  return turn
end

-- The extent of the points of all settled motions, which have the kind behind their states
local function extent_of(rows, least)
  local values = {}
  for _, row in ipairs(rows) do
    for _, point in ipairs(row.points) do
      for i = 1, #point - 1 do
        values[i] = values[i] or {}
        table.insert(values[i], point[i])
      end
    end
  end
  local extent, size = {}, {}
  for i, list in ipairs(values) do
    local low, high, turn = math.huge, -math.huge, common_turn(rows, i)
    for _, value in ipairs(list) do low, high = math.min(low, value), math.max(high, value) end
    extent[i], size[i] = turn > 0 and turns.arc(list, turn) or high - low, math.max(math.abs(low), math.abs(high))
  end
  return points.scale(extent, size, least)
end

-- ---- motions with the same parameters

-- Settled rows, the most exact ones first
local function in_order(rows, extent)
  local worst, order = {}, table.move(rows, 1, #rows, 1, {})
  for _, row in ipairs(rows) do
    worst[row] = 0
    for i, value in ipairs(row.spread) do worst[row] = math.max(worst[row], value/extent[i]) end
  end
  table.sort(order, function(a, b)
    if worst[a] ~= worst[b] then return worst[a] < worst[b] end
    return a.index < b.index
  end)
  return order
end

-- The one of several groups to which a row near all of them belongs; nil: it has not settled exactly enough to tell
local function chosen(row, groups, extent, close)
  local same, nearest, least = {}, nil, math.huge
  for _, group in ipairs(groups) do
    if agree(row, group[1], close) then same[#same + 1] = group end
    local away = distance(row, group[1], extent)
    if away < least then nearest, least = group, away end
  end
  if #same > 1 then return nil end
  return same[1] or nearest
end

-- Groups of rows that agree with the first of each
local function grouped(rows, extent, width, close)
  local groups = {}
  for _, row in ipairs(in_order(rows, extent)) do
    local found = {}
    for _, group in ipairs(groups) do if agree(row, group[1], width) then found[#found + 1] = group end end
    local group = #found > 1 and chosen(row, found, extent, close) or found[1]
    if #found == 0 then groups[#groups + 1] = { row, approached = row.approached, least = row.index }
    elseif not group then row.label, row.reason = "unsettled", "two attractors are as near as it has settled"
    else
      group[#group + 1] = row
      group.approached, group.least = group.approached or row.approached, math.min(group.least, row.index)
      group.wide = group.wide or not agree(row, group[1], close)
    end
  end
  return groups
end

-- ---- other parameters

-- Rows with the same values of the parameters: { rows, at = places of the values among all of each }, in the order of these places; the same by `at` as text
local function sets_of(rows, names)
  local places = {}
  for k, name in ipairs(names) do
    local values, seen = {}, {}
    for _, row in ipairs(rows) do
      local value = points.varied(row, name) or false
      if not seen[value] then values[#values + 1], seen[value] = value, true end
    end
    table.sort(values, function(a, b) return (a or -math.huge) < (b or -math.huge) end)
    places[k] = {}
    for i, value in ipairs(values) do places[k][value] = i end
  end
  local sets, by_place = {}, {}
  for _, row in ipairs(rows) do
    local at = {}
    for k, name in ipairs(names) do at[k] = places[k][points.varied(row, name) or false] end
    local key = table.concat(at, " ")
    if not by_place[key] then
      by_place[key] = { at = at }
      sets[#sets + 1] = by_place[key]
    end
    table.insert(by_place[key], row)
  end
  table.sort(sets, function(a, b)
    for k, place in ipairs(a.at) do if place ~= b.at[k] then return place < b.at[k] end end
    return false
  end)
  return sets, by_place
end

-- Attractors next to a set, of which those of smaller values are known: lists { attractor, row that stands for it there }
local function beside(set, by_place)
  local list, at = {}, table.move(set.at, 1, #set.at, 1, {})
  for k, place in ipairs(set.at) do
    at[k] = place - 1
    local next_set = by_place[table.concat(at, " ")]
    at[k] = place
    for _, group in ipairs(next_set and next_set.groups or {}) do list[#list + 1] = { group.attractor, group[1] } end
  end
  return list
end

-- Is every other group, and every other attractor of the list, much farther away than the two are from each other?
local function are_alone(group, item, away, groups, list, extent)
  for _, other in ipairs(groups) do if other ~= group and distance(other[1], item[2], extent) < FARTHER*away then return false end end
  for _, other in ipairs(list) do if other[1] ~= item[1] and distance(group[1], other[2], extent) < FARTHER*away then return false end end
  return true
end

-- Groups that have no attractor yet continue those of the list that are near, the nearest first. alone: only where no other one may be meant
local function continue(groups, list, taken, extent, width, alone)
  local found = {}
  for g, group in ipairs(groups) do
    for i, item in ipairs(list) do
      if not group.attractor and agree(group[1], item[2], width) then
        local away = distance(group[1], item[2], extent)
        if not alone or are_alone(group, item, away, groups, list, extent) then
          found[#found + 1] = { group = group, attractor = item[1], away = away, g = g, i = i }
        end
      end
    end
  end
  table.sort(found, function(a, b)
    if a.away ~= b.away then return a.away < b.away end
    if a.g ~= b.g then return a.g < b.g end
    return a.i < b.i
  end)
  for _, pair in ipairs(found) do
    if not pair.group.attractor and not taken[pair.attractor] then pair.group.attractor, taken[pair.attractor] = pair.attractor, true end
  end
end

local function put_into(attractor, group)
  for _, row in ipairs(group) do attractor[#attractor + 1] = row end
  attractor.approached, attractor.wide = attractor.approached or group.approached, attractor.wide or group.wide
  attractor.least = math.min(attractor.least or math.huge, group.least)
end

--- Attractors of settled rows: lists of rows with approached: a motion is seen to come from elsewhere; wide: motions with the same parameters end apart
--- from each other, within the radius; in the order of their first rows. A row that belongs to none gets the label "unsettled" and a reason.
--- about: { radius =, least =, parameters = names of those that may vary }, see basins.lua.
function attractors.of(rows, about)
  if not rows[1] then return {} end
  local extent = extent_of(rows, about.least)
  local width, close = tangent.scaled(extent, about.radius), tangent.scaled(extent, math.min(about.radius, APART))
  local sets, by_place = sets_of(rows, about.parameters or {})
  local all, first = {}, {}
  for _, set in ipairs(sets) do
    set.groups = grouped(set, extent, width, close)
    local next_ones, taken = beside(set, by_place), {}
    continue(set.groups, next_ones, taken, extent, width)
    continue(set.groups, next_ones, taken, extent, tangent.scaled(width, MOVES), true)
    continue(set.groups, first, taken, extent, width)
    for _, group in ipairs(set.groups) do
      if not group.attractor then
        group.attractor = {}
        all[#all + 1], first[#first + 1] = group.attractor, { group.attractor, group[1] }
      end
      put_into(group.attractor, group)
    end
  end
  table.sort(all, function(a, b) return a.least < b.least end)
  return all
end

return attractors
