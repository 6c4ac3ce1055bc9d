-- chart/attractors.lua: which settled motions end on one attractor, and which attractors of other parameters it continues.
--
-- Motions with the same parameters are compared in the order of how exactly they have settled: the first of several that agree stands for all. One that is
-- near two that differ belongs to the one from which it does not differ, else to the nearer; where it has not settled exactly enough to tell, to none.
-- With parameters the attractors move. One continues that of the next values of a parameter if it is near it, or somewhat farther from it while all others are
-- much farther away; else one with any parameters that is near. The nearest are joined first, over all values of the parameters, and no two attractors with the
-- same parameters are one: around a cusp the label changes where the attractor moves fastest.
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
local function extent_of(rows, least, part)
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
  return points.scale(extent, size, least, part)
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

-- The sets with the values before those of a set, of one parameter each
local function before(set, by_place)
  local list, at = {}, table.move(set.at, 1, #set.at, 1, {})
  for k, place in ipairs(set.at) do
    at[k] = place - 1
    list[#list + 1] = by_place[table.concat(at, " ")]
    at[k] = place
  end
  return list
end

-- Is every other group of two sets much farther away than the two are from each other?
local function are_alone(one, other, away, set, next_set, extent)
  for _, each in ipairs(set.groups) do if each ~= one and distance(each[1], other[1], extent) < FARTHER*away then return false end end
  for _, each in ipairs(next_set.groups) do if each ~= other and distance(each[1], one[1], extent) < FARTHER*away then return false end end
  return true
end

-- Adds to links the pairs of groups of two sets of which one may continue the other: near ones, and those somewhat farther away while no other may be meant
local function add_links(links, set, next_set, extent, width)
  local wider = tangent.scaled(width, MOVES)
  for _, one in ipairs(set.groups) do
    for _, other in ipairs(next_set.groups) do
      if agree(one[1], other[1], wider) then
        local away, near = distance(one[1], other[1], extent), agree(one[1], other[1], width)
        if near or are_alone(one, other, away, set, next_set, extent) then
          links[#links + 1] = { one = one, other = other, away = away, tier = near and 1 or 2, number = #links }
        end
      end
    end
  end
end

-- The attractor of a group, of which others may have become a part
local function attractor_of(group)
  local at = group.attractor
  while at.into do at = at.into end
  group.attractor = at
  return at
end

-- Makes two attractors one, if no set has both; true: they are
local function join(one, other)
  if one == other then return true end
  if #one.groups < #other.groups then one, other = other, one end
  for set in pairs(other.sets) do if one.sets[set] then return false end end
  for set in pairs(other.sets) do one.sets[set] = true end
  table.move(other.groups, 1, #other.groups, #one.groups + 1, one.groups)
  if other.first.least < one.first.least then one.first = other.first end
  other.into = one
  return true
end

local function in_order_of_links(a, b)
  if a.tier ~= b.tier then return a.tier < b.tier end
  if a.away ~= b.away then return a.away < b.away end
  return a.number < b.number
end

-- The attractors that are left, in the order of their first rows
local function remaining(sets)
  local list, seen = {}, {}
  for _, set in ipairs(sets) do
    for _, group in ipairs(set.groups) do
      local attractor = attractor_of(group)
      if not seen[attractor] then list[#list + 1], seen[attractor] = attractor, true end
    end
  end
  table.sort(list, function(a, b) return a.first.least < b.first.least end)
  return list
end

-- Joins the groups of all sets to attractors: along the parameters the nearest first, then those with any parameters whose first groups are near
local function join_all(sets, by_place, extent, width)
  local links = {}
  for _, set in ipairs(sets) do
    for _, group in ipairs(set.groups) do group.attractor = { groups = { group }, sets = { [set] = true }, first = group } end
    for _, next_set in ipairs(before(set, by_place)) do add_links(links, set, next_set, extent, width) end
  end
  table.sort(links, in_order_of_links)
  for _, link in ipairs(links) do join(attractor_of(link.one), attractor_of(link.other)) end
  local kept = {}
  for _, attractor in ipairs(remaining(sets)) do
    local first, near = attractor.first, {}
    for i, other in ipairs(kept) do
      if agree(first[1], other[1], width) then
        near[#near + 1] = { one = first, other = other, away = distance(first[1], other[1], extent), tier = 1, number = i }
      end
    end
    table.sort(near, in_order_of_links)
    local joined = false
    for _, link in ipairs(near) do joined = joined or join(attractor_of(link.one), attractor_of(link.other)) end
    if not joined then kept[#kept + 1] = first end
  end
end

-- Between how many neighbouring sets an attractor ends where another one begins: whether this continues it is not decided there
local function count_breaks(sets, by_place)
  local count = 0
  local function is_any_alone(set, next_set)
    for _, group in ipairs(set.groups) do if group.approached and not attractor_of(group).sets[next_set] then return true end end
    return false
  end
  for _, set in ipairs(sets) do
    for _, next_set in ipairs(before(set, by_place)) do
      if is_any_alone(set, next_set) and is_any_alone(next_set, set) then count = count + 1 end
    end
  end
  return count
end

local function put_into(attractor, group)
  for _, row in ipairs(group) do attractor[#attractor + 1] = row end
  attractor.approached, attractor.wide = attractor.approached or group.approached, attractor.wide or group.wide
end

--- Attractors of settled rows: lists of rows with approached: a motion is seen to come from elsewhere; wide: motions with the same parameters end apart
--- from each other, within the radius; in the order of their first rows. A row that belongs to none gets the label "unsettled" and a reason.
--- about: { radius =, least =, parameters = names of those that may vary }, see basins.lua. The second result: between how many neighbouring values of the
--- parameters one ends and another one begins, so that it is not decided whether they are one.
function attractors.of(rows, about)
  if not rows[1] then return {}, 0 end
  local extent = extent_of(rows, about.least, about.part)
  local width, close = tangent.scaled(extent, about.radius), tangent.scaled(extent, math.min(about.radius, APART))
  local sets, by_place = sets_of(rows, about.parameters or {})
  for _, set in ipairs(sets) do set.groups = grouped(set, extent, width, close) end
  join_all(sets, by_place, extent, width)
  local all = {}
  for i, attractor in ipairs(remaining(sets)) do
    all[i] = {}
    table.sort(attractor.groups, function(a, b) return a.least < b.least end)
    for _, group in ipairs(attractor.groups) do put_into(all[i], group) end
  end
  return all, count_breaks(sets, by_place)
end

return attractors
