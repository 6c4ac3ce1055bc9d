-- chart/points.lua: the points of motions that charts look at: states at the times of a stroboscope, or on a section.
local measures = require "hamel.run.measures"
local object = require "hamel.base.object"
local tangent = require "hamel.analysis.tangent"

local points = {}

--- Names and expressions of the states that something depends on: coordinates and velocities without ignorable coordinates.
function points.states(system)
  local E, names, list = system:equations "lagrange", {}, {}
  local ignorable = tangent.ignorable_coordinates(E)
  local known = system:coordinate_list()
  for i, q in ipairs(known) do
    local left_out = false
    for k, s in ipairs(E.kin) do left_out = left_out or s == q and ignorable[k] end
    if not left_out then names[#names + 1], list[#list + 1] = system.coordinate_names[i], q end
  end
  for i, q in ipairs(known) do names[#names + 1], list[#list + 1] = system.coordinate_names[i] .. "'", q.dot end
  return names, list
end

local function kept_of(names, list)
  local keep = {}
  for i, name in ipairs(names) do keep["_" .. i .. name] = list[i] end
  local order = object.keys(keep)
  return keep, order
end

--- A sweep that keeps the states at the given times: the table, and a function of a row that returns its points in order.
function points.at_times(system, settings, times)
  local names, list = points.states(system)
  local keep, order = kept_of(names, list)
  settings.keep, settings.times = keep, times
  local W = system:sweep(settings)
  return W, function(row)
    local all = {}
    for _, at in ipairs(row.series or {}) do
      local point = {}
      for i, name in ipairs(order) do point[i] = at[name] end
      if #point == #order then all[#all + 1] = point end
    end
    return all
  end, names
end

--- A sweep of runs whose points are those of a section after t0 + skip.
function points.on_section(system, settings, section, from)
  local names, list = points.states(system)
  local given = object.copied(section)
  settings.keep = { points = measures.own(function(run)
    local all = {}
    for _, item in ipairs(run:section(given)) do
      if item.t >= from then all[#all + 1] = run:values_at(item.t, list) end
    end
    return all
  end) }
  local W = system:sweep(settings)
  return W, function(row) return row.points or {} end, names
end

--- Largest difference of two points over the extents.
function points.distance(a, b, extent)
  local most = 0
  for i, value in ipairs(a) do most = math.max(most, math.abs(value - b[i])/extent[i]) end
  return most
end

--- The extent of points in each entry; what does not extend counts by its size.
function points.extent(all)
  local low, high, size, extent = {}, {}, {}, {}
  for _, list in ipairs(all) do
    for _, point in ipairs(list) do
      for i, value in ipairs(point) do
        low[i], high[i] = math.min(low[i] or value, value), math.max(high[i] or value, value)
        size[i] = math.max(size[i] or 0, math.abs(value))
      end
    end
  end
  for i in ipairs(low) do extent[i] = math.max(high[i] - low[i], 1e-3*size[i], 1e-12) end
  return extent
end

--- Removes the columns that only served the points.
function points.forget(W)
  for _, row in ipairs(W) do
    row.series, row.points = nil, nil
    for key in pairs(row) do if type(key) == "string" and key:match "^_%d" then row[key] = nil end end
  end
end

return points
