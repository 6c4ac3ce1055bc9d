-- chart/basins.lua: which attractor a motion reaches: given ones, or clusters of the last points of all motions.
--
-- Clusters by single linkage over all runs, numbered by their first row: the labels depend neither on threads nor on parts.
local object = require "hamel.base.object"
local points = require "hamel.chart.points"
local shards = require "hamel.analysis.shards"

local fail = object.fail
local basins = {}

local LAST, RADIUS = 8, 0.02

-- The attractor whose given values the last points have
local function reached(list, attractors, radius, names)
  for _, name in ipairs(object.keys(attractors)) do
    local near = #list > 0
    for _, point in ipairs(list) do
      local distance = 0
      for i, state in ipairs(names) do
        local value = attractors[name][state]
        if value then distance = math.max(distance, math.abs(point[i] - value)) end
      end
      near = near and distance <= radius
    end
    if near then return name end
  end
  return nil
end

local function check(attractors, names)
  for name, values in pairs(attractors) do
    if type(name) ~= "string" then fail("chart: attractors have names: attractors = { left = { %s = -1 } }", names[1]) end
    if type(values) ~= "table" then fail("chart: attractors.%s is a table of values, { %s = 0 }", name, names[1]) end
    for state, value in pairs(values) do
      if type(value) ~= "number" or value - value ~= 0 then fail("chart: attractors.%s.%s is no finite number", name, tostring(state)) end
      if not object.contains(names, state) then fail("chart: attractors.%s: '%s' is none of %s", name, state, table.concat(names, ", ")) end
    end
  end
end

-- A cell that holds all points within the radius of each other has sides of the radius; neighbours are compared cell by cell
local function cell_of(point, extent, radius)
  local words = {}
  for i, value in ipairs(point) do words[i] = math.floor(value/extent[i]/radius) end
  return words
end

-- Rows whose points are linked, as a union of rows
local function clustered(rows, extent, radius)
  local parent, cells = {}, {}
  local function root(i)
    while parent[i] ~= i do i, parent[i] = parent[i], parent[parent[i]] end
    return i
  end
  local function join(i, j)
    i, j = root(i), root(j)
    if i < j then parent[j] = i elseif j < i then parent[i] = j end
  end
  local function neighbours(cell, visit)
    local n = #cell
    local shift = {}
    local function go(k)
      if k > n then
        local words = {}
        for i = 1, n do words[i] = cell[i] + shift[i] end
        return visit(table.concat(words, " "))
      end
      for d = -1, 1 do
        shift[k] = d
        go(k + 1)
      end
    end
    go(1)
  end
  for i, row in ipairs(rows) do
    parent[i] = i
    for _, point in ipairs(row.points or {}) do
      local cell = cell_of(point, extent, radius)
      neighbours(cell, function(key)
        for _, other in ipairs(cells[key] or {}) do
          if root(other.row) ~= root(i) and points.distance(point, other.point, extent) <= radius then join(i, other.row) end
        end
      end)
      local key = table.concat(cell, " ")
      cells[key] = cells[key] or {}
      -- points that say nothing new are left out
      local known = false
      for _, other in ipairs(cells[key]) do
        known = known or root(other.row) == root(i) and points.distance(point, other.point, extent) <= radius/4
      end
      if not known then table.insert(cells[key], { row = i, point = point }) end
    end
  end
  return root
end

--- Puts labels of clusters into rows that have their last points. about: { radius =, least = }; no radius: the attractors were given.
function basins.judge(rows, about)
  if not about.radius then return end
  local root, numbers, count = clustered(rows, points.extent(rows, about.least), about.radius), {}, 0
  for i, row in ipairs(rows) do
    if row.label ~= "escaped" and row.points and #row.points > 0 then
      local at = root(i)
      if not numbers[at] then
        count = count + 1
        numbers[at] = tostring(count)
      end
      row.label = numbers[at]
    end
  end
end

-- The last points of a complete run; no points where it ended on the way
local function keep_last(row)
  if not shards.ended(row) or row.status == "EVENT" then row.points = nil return end
  row.points = table.move(row.points, math.max(1, #row.points - LAST + 1), #row.points, 1, {})
  if #row.points == 0 then row.status, row.reason = "NO_POINTS", "the motion never meets the section after skip" end
end

function basins.chart(system, o, settings, t0, t1, columns)
  local take, names
  if o.section then
    take, names = points.on_section(system, settings, o.section, t0 + o.skip)
  else
    local times = {}
    for k = 1, LAST do times[k] = t1 - (t1 - t0)/8*(LAST - k)/LAST end
    take, names = points.at_times(system, settings, times)
  end
  if o.attractors then check(o.attractors, names) else
    columns.about.radius = o.radius or RADIUS
    columns.about.least = points.least(o, columns.about.radius)
  end
  function columns.finish(rows)
    for _, row in ipairs(rows) do
      take(row)
      keep_last(row)
      if o.attractors and row.points then
        row.label = reached(row.points, o.attractors, o.radius or 0.1, names) or "none"
        row.points = nil
      end
    end
    return rows
  end
  return { "label" }, { regime = function(row) return row.label end }
end

return basins
