-- chart/points.lua: the points of motions that charts look at: states at the times of a stroboscope, or on a section.
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local idle = require "hamel.analysis.idle"
local measures = require "hamel.run.measures"
local object = require "hamel.base.object"
local rows = require "hamel.analysis.sweep.rows"
local symbols = require "hamel.algebra.symbols"
local tangent = require "hamel.analysis.tangent"
local turns = require "hamel.chart.turns"

local fail = object.fail
local points = {}

local MOST_UNPACKED = 100               -- values at once

-- Contacts and forces in Lua depend on coordinates that the equations of free motion do not contain
local function ignorable_of(system, E)
  local ignorable, used, set = tangent.ignorable_coordinates(E), idle.names_in{ system.gaps, system.frictions }, {}
  if used.all or system:external_forces()[1] then return set end
  for k, q in ipairs(E.kin) do set[q] = ignorable[k] and not used[core.text(q)] or nil end
  return set
end

--- Names and expressions of the states that something depends on: coordinates and velocities without ignorable coordinates; names of these coordinates, and
--- the places of their velocities.
function points.states(system)
  local E, names, list = system:equations "lagrange", {}, {}
  local ignorable, left = ignorable_of(system, E), { names = {}, places = {} }
  local known = system:coordinate_list()
  for i, q in ipairs(known) do
    if not ignorable[q] then names[#names + 1], list[#list + 1] = system.coordinate_names[i], q end
  end
  for i, q in ipairs(known) do
    names[#names + 1], list[#list + 1] = system.coordinate_names[i] .. "'", q.dot
    if ignorable[q] then left.names[#left.names + 1], left.places[#left.places + 1] = system.coordinate_names[i], #names end
  end
  return names, list, left
end

--- The names and expressions of the states, and of further values: { names, expressions }.
function points.with(system, beside)
  local names, list = points.states(system)
  for i, name in ipairs(beside and beside.names or {}) do names[#names + 1], list[#list + 1] = name, beside.expressions[i] end
  return names, list
end

-- Names that sort in the order of the list
local function kept_of(list)
  local keep, order = {}, {}
  for i, e in ipairs(list) do
    order[i] = ("_%04d"):format(i)
    keep[order[i]] = e
  end
  return keep, order
end

-- The points of a row whose values are all there, of the first `count` kept values each, as one flat list with their times
local function flat_of(given, count)
  local flat, all, width = {}, given.flat, given.width
  for k = 1, #given.times do
    local from = given.first + (k - 1)*width
    table.move(all, from + 1, from + count, (k - 1)*count + 1, flat)
  end
  return { flat = flat, size = count, times = given.times }
end

--- Settings of a sweep that keeps the states at the given times; a function that replaces the kept values of a row by its points in order, each with its
--- time t, or by one flat list of them where `flat` is true (see points.flat); the names of the states. columns: of the sweep, whose rows then have the
--- kept values as lists, without a table by names for each time. beside: further values of each point, { names, expressions }.
function points.at_times(system, settings, times, columns, flat, beside)
  local names, list = points.with(system, beside)
  local keep, order = kept_of(list)
  local count = #order
  settings.keep, settings.times = keep, times
  columns.lists, columns.flat = true, true
  local more                            -- measures, whose names come later
  return function(row)
    if row.flat then
      local found = flat_of(row.flat, count)
      row.flat, row.series = nil, nil
      row.points = flat and found or points.listed(found)
      for _, name in ipairs(order) do row[name] = nil end
      return
    end
    local all = {}
    if not more then
      more = -count
      for _ in pairs(keep) do more = more + 1 end
    end
    for _, point in ipairs(row.series or {}) do
      local complete = true
      for i = 1, count do complete = complete and point[i] end
      for i = count + 1, count + more do point[i] = nil end
      if complete then all[#all + 1] = point end
    end
    row.series, row.points = nil, flat and points.flat(all) or all
    for _, name in ipairs(order) do row[name] = nil end
  end, names
end

-- Of the time between points of a stroboscope, and times rtol: how long behind an instant a state is that lies behind an impact at it, for sure
local BEHIND, UNSURE = 1e-8, 10

--- How long behind each instant of a stroboscope of period T the states are read. At an impact there are two, and rounding would choose: with contacts the
--- one behind it counts. rtol: of the run.
function points.behind(system, rtol, T) return contact.any(system) and T*math.max(BEHIND, UNSURE*(rtol or 0)) or 0 end

--- As points.at_times, at the times that times_of returns for the time between points, which is period(parameters) and may vary with the parameters of a
--- row, and behind impacts. t1: the end of the runs.
function points.at_stroboscope(system, settings, columns, t1, period, varies, times_of, flat, beside)
  local lists = {}
  local function list_of(T)
    if lists[T] then return lists[T] end
    local list, later = {}, points.behind(system, settings.rtol, T)
    for k, t in ipairs(times_of(T)) do list[k] = t + later end
    lists[T] = list
    return list
  end
  if varies then function columns.times_of(parameters) return list_of(period(parameters)) end end
  return points.at_times(system, settings, varies and { t1 } or list_of(period()), columns, flat, beside)
end

--- Raises where a study is given both a section and a stroboscope.
function points.demand_one(what, o)
  if o.section and o.stroboscope then fail("%s: section and stroboscope are two ways to choose the points: give one of them", what) end
end

--- The value that a row has of a parameter; nil: it does not vary.
function points.varied(row, name)
  local value = row["parameters." .. name]
  if value == nil and not rows.is_field(name) then value = row[name] end
  return type(value) == "number" and value or nil
end

--- The values of parameters of a row: those given to the study, and those of its axes.
function points.parameters_of(system, o, row)
  local values = object.copied(system:by_name(o.parameters, "parameters"))
  for _, name in ipairs(system.parameter_names) do values[name] = points.varied(row, name) or values[name] end
  return values
end

--- The option `section` of a study: { when = expression or name, direction = "rising" }.
function points.checked_section(what, section)
  for key in pairs(section) do
    if key ~= "when" and key ~= "direction" then fail("%s: section = { when = y, direction = \"rising\" }: '%s' means nothing there", what, tostring(key)) end
  end
  if type(section.when) ~= "string" and not core.is_expression(section.when) then
    fail("%s: section = { when = y, direction = \"rising\" }: `when` is an expression or a name", what)
  end
  local direction = section.direction or "rising"
  if direction ~= "rising" and direction ~= "falling" and direction ~= "both" then
    fail("%s: section: the direction is 'rising', 'falling' or 'both', not '%s'", what, tostring(direction))
  end
  return { when = section.when, direction = direction }
end

-- Of a flat list whose points end with their times: the points, and the times by themselves
local function without_times(list)
  local size, flat, times = list.size - 1, {}, {}
  for k = 1, #list.flat//list.size do
    local from = (k - 1)*list.size
    table.move(list.flat, from + 1, from + size, #flat + 1, flat)
    times[k] = list.flat[from + size + 1]
  end
  return { flat = flat, size = size, times = times }
end

--- Settings of a sweep that keeps the points of a section from a time on, and the states at the given times; a function that replaces the kept values of
--- a row by its points and `looks`, the states at the times; the names of the states of both. flat: both as flat lists with their times, which takes
--- fewer tables.
function points.on_section(system, settings, columns, section, from, times, flat, beside)
  local given = points.checked_section("chart", section)
  local take, names = points.at_times(system, settings, times, columns, flat, beside)
  local _, list = points.with(system, beside)
  local size = #list
  list[size + 1] = symbols.t
  settings.keep._points = measures.points(given.when, given.direction, list, from, flat)
  return function(row)
    local met = row._points or flat and { flat = {}, size = size + 1 } or {}
    if flat then met = without_times(met) else for _, point in ipairs(met) do point.t = table.remove(point) end end
    row._points = nil
    take(row)
    row.looks, row.points = row.points, met
  end, names
end

-- The fractions k*phi mod 1 of the golden ratio fill an interval evenly, and no periodic motion is in step with them
local GOLDEN = (math.sqrt(5) - 1)/2

--- A number between 0 and 1 for each whole number.
function points.spread(k) return k*GOLDEN % 1 end

--- Rising times between two, the last one the end, at distances that differ.
function points.times_within(from, to, count)
  local times = {}
  for k = 1, count - 1 do times[k] = from + (to - from)*(k - 1 + points.spread(k))/count end
  times[count] = to
  return times
end

--- A list of points as { flat = list, size =, times = }.
function points.flat(list)
  local flat, size, times = {}, list[1] and #list[1] or 0, {}
  for k, point in ipairs(list) do
    table.move(point, 1, size, (k - 1)*size + 1, flat)
    times[k] = point.t
  end
  return { flat = flat, size = size, times = times }
end

--- The points of a flat list from number `first` to `last`, every `step`, as a flat list.
function points.part(list, first, last, step)
  local flat, size, times, count = {}, list.size, {}, 0
  for k = first, last, step or 1 do
    table.move(list.flat, (k - 1)*size + 1, k*size, count*size + 1, flat)
    count = count + 1
    times[count] = list.times[k]
  end
  return { flat = flat, size = size, times = times }
end

--- The points of a flat list with their times t, one table each.
function points.listed(list)
  local all, flat, size, unpack = {}, list.flat, list.size, table.unpack
  for k, t in ipairs(list.times) do
    local point = size <= MOST_UNPACKED and { unpack(flat, (k - 1)*size + 1, k*size) } or points.of_flat(list, k)
    point.t = t
    all[k] = point
  end
  return all
end

--- The extent of the states of several lists, flat ones or not: largest less least value of each entry, and the largest absolute value of each.
function points.extent(...)
  local low, high, extent, size = {}, {}, {}, {}
  for _, list in ipairs{ ... } do
    local flat, step = list.flat, list.size
    for i = 1, not flat and list[1] and #list[1] or 0 do
      local least, most = low[i] or list[1][i], high[i] or list[1][i]
      for _, point in ipairs(list) do
        local value = point[i]
        if value < least then least = value elseif value > most then most = value end
      end
      low[i], high[i] = least, most
    end
    for i = 1, flat and flat[1] and step or 0 do
      local least, most = low[i] or flat[i], high[i] or flat[i]
      for k = i, #flat, step do
        local value = flat[k]
        if value < least then least = value elseif value > most then most = value end
      end
      low[i], high[i] = least, most
    end
  end
  for i in ipairs(low) do extent[i], size[i] = high[i] - low[i], math.max(math.abs(low[i]), math.abs(high[i])) end
  return extent, size
end

--- What distances of states are relative to: the extent in each entry; what does not extend counts by a part of its size (nil: a thousandth). least:
--- differences below it come from the tolerances.
function points.scale(extent, size, least, part)
  local scale = {}
  for i, width in ipairs(extent) do scale[i] = math.max(width, (part or 1e-3)*size[i], least) end
  return scale
end

--- The start q, v of a run from a state; coordinates that are not among the states, on which nothing depends, are zero.
function points.start(names, state, system)
  local q, v = {}, {}
  for _, name in ipairs(system.coordinate_names) do q[name] = 0.0 end
  for i, name in ipairs(names) do
    local coordinate = name:match "^(.*)'$"
    if coordinate then v[coordinate] = state[i] else q[name] = state[i] end
  end
  return q, v
end

--- Largest difference of two points over the extents. whole: see turns.lua
function points.distance(a, b, extent, whole)
  local most = 0
  b = turns.near(whole, b, a)
  for i, value in ipairs(a) do most = math.max(most, math.abs(value - b[i])/extent[i]) end
  return most
end

--- The point number k of a flat list.
function points.of_flat(list, k) return table.move(list.flat, (k - 1)*list.size + 1, k*list.size, 1, {}) end

--- The distance of the points number j and k of a flat list.
function points.distance_in(list, j, k, extent, whole)
  if whole then return points.distance(points.of_flat(list, j), points.of_flat(list, k), extent, whole) end
  local flat, size, most = list.flat, list.size, 0
  local a, b = (j - 1)*size, (k - 1)*size
  for i = 1, size do
    local apart = flat[a + i] - flat[b + i]
    if apart < 0 then apart = -apart end
    if apart/extent[i] > most then most = apart/extent[i] end
  end
  return most
end

--- The least extent that counts: points that differ by the absolute tolerance are within `close` times it.
function points.least(o, close) return math.max(10*o.atol/close, 1e-300) end

--- The same by the relative tolerance, as a part of the size, so that it matters little how far from zero a motion is.
function points.least_part(o, close) return math.min(1e-3, 10*(o.rtol or 1e-9)/close) end

--- " after skip" where a time is skipped, for reasons of rows.
function points.after(o) return o.skip > 0 and " after skip" or "" end

--- Why a row has no points: its motion does not cross the section in the direction that counts, which is "rising" where none is given.
function points.none(o, after)
  local direction = o.section and (o.section.direction or "rising") or "both"
  return "the motion never crosses the section" .. after .. (direction ~= "both" and
    ("; only %s crossings count: direction = \"%s\" takes the others"):format(direction, direction == "rising" and "falling" or "rising") or "")
end

return points
