-- chart/points.lua: the points of motions that charts look at: states at the times of a stroboscope, or on a section.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local measures = require "hamel.run.measures"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local points = {}

--- Names and expressions of the states that something depends on: coordinates and velocities without ignorable coordinates. but: the text of a
--- state that is left out, since it vanishes at all points.
function points.states(system, but)
  local E, names, list = system:equations "lagrange", {}, {}
  local ignorable = tangent.ignorable_coordinates(E)
  local known = system:coordinate_list()
  for i, q in ipairs(known) do
    local left_out = false
    for k, s in ipairs(E.kin) do left_out = left_out or s == q and ignorable[k] end
    if not left_out and core.text(q) ~= but then names[#names + 1], list[#list + 1] = system.coordinate_names[i], q end
  end
  for i, q in ipairs(known) do
    if core.text(q.dot) ~= but then names[#names + 1], list[#list + 1] = system.coordinate_names[i] .. "'", q.dot end
  end
  return names, list
end

local function kept_of(names, list)
  local keep = {}
  for i, name in ipairs(names) do keep["_" .. i .. name] = list[i] end
  local order = object.keys(keep)
  return keep, order
end

--- Settings of a sweep that keeps the states at the given times; a function that replaces the kept values of a row by its points in order; the names of
--- the states.
function points.at_times(system, settings, times)
  local names, list = points.states(system)
  local keep, order = kept_of(names, list)
  settings.keep, settings.times = keep, times
  return function(row)
    local all = {}
    for _, at in ipairs(row.series or {}) do
      local point = {}
      for i, name in ipairs(order) do point[i] = at[name] end
      if #point == #order then all[#all + 1] = point end
    end
    row.series, row.points = nil, all
    for _, name in ipairs(order) do row[name] = nil end
  end, names
end

--- The option `stroboscope` of a study: a number, or an expression in parameters such as 2*hm.pi/w. A function that takes values of parameters by
--- name, those that differ from the declared ones, and returns the time between points; and whether it depends on them.
function points.stroboscope(what, system, given)
  local number = options.number(given)
  if number then
    if not (number > 0 and number < math.huge) then fail("%s: stroboscope = %g must be above 0", what, number) end
    return function() return number end, false
  end
  for _, s in ipairs(core.symbols{ given }) do
    if system._parameter[core.text(s)] ~= s then
      fail("%s: stroboscope = %s depends on %s: it is a number or an expression in parameters, such as 2*hm.pi/w", what, core.text(given), core.text(s))
    end
  end
  local program
  return function(parameters)
    local list, values = compile.parameter_values(system, parameters)
    program = program or core.program(list, { given })
    local period = program:eval(values)[1]
    if not (period > 0 and period < math.huge) then
      local words = {}
      for i, s in ipairs(list) do words[i] = ("%s = %g"):format(core.text(s), values[i]) end
      fail("%s: stroboscope = %s is %g where %s; it must be above 0", what, core.text(given), period, table.concat(words, ", "))
    end
    return period
  end, true
end

--- Raises where a study is given both a section and a stroboscope.
function points.demand_one(what, o)
  if o.section and o.stroboscope then fail("%s: section and stroboscope are two ways to choose the points: give one of them", what) end
end

--- The values of parameters of a row: those given to the study, and those of its axes.
function points.parameters_of(system, o, row)
  local values = object.copied(system:by_name(o.parameters, "parameters"))
  for _, name in ipairs(system.parameter_names) do
    local value = row["parameters." .. name]
    if value == nil then value = row[name] end
    if type(value) == "number" then values[name] = value end
  end
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

--- The same for the points of a section after t0 + skip.
function points.on_section(system, settings, section, from)
  local given = points.checked_section("chart", section)
  local names, list = points.states(system, type(given.when) == "string" and given.when or core.text(given.when))
  settings.keep = { points = measures.points(given.when, given.direction, list, from) }
  return function(row) row.points = row.points or {} end, names
end

--- Largest difference of two points over the extents.
function points.distance(a, b, extent)
  local most = 0
  for i, value in ipairs(a) do most = math.max(most, math.abs(value - b[i])/extent[i]) end
  return most
end

--- The extent of the points of all rows in each entry; what does not extend counts by its size. least: differences below it come from the tolerances.
function points.extent(rows, least)
  local low, high, size, extent = {}, {}, {}, {}
  for _, row in ipairs(rows) do
    for _, point in ipairs(row.points or {}) do
      for i, value in ipairs(point) do
        low[i], high[i] = math.min(low[i] or value, value), math.max(high[i] or value, value)
        size[i] = math.max(size[i] or 0, math.abs(value))
      end
    end
  end
  for i in ipairs(low) do extent[i] = math.max(high[i] - low[i], 1e-3*size[i], least) end
  return extent
end

--- The least extent that counts: points that differ by the absolute tolerance are within `close` times it.
function points.least(o, close) return math.max(10*o.atol/close, 1e-300) end

--- Removes the points.
function points.forget(rows)
  for _, row in ipairs(rows) do row.points = nil end
end

return points
