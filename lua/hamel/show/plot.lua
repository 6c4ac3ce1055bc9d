-- plot.lua: run:plot and hm.plot: curves of runs, over time or against each other; points of sections; several of them in one picture.
local axes = require "hamel.show.axes"
local core = require "hamel.core"
local gnuplot = require "hamel.show.gnuplot"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local picture = require "hamel.show.picture"
local quantity = require "hamel.show.quantity"
local spatial = require "hamel.bodies.spatial"
local Section = require "hamel.analysis.section"
local thinned = require "hamel.show.thinned"
local Trajectory = require "hamel.run.trajectory"

local fail = object.fail

local schema = {
  n = { default = 1000, from = 2, to = 1000000, whole = true, type = "number", doc = "points in the part of the run that is drawn, besides stored states" },
  from = { type = "number", doc = "time at which the curves begin" },
  to = { type = "number", doc = "time at which they end" },
  equal = { type = "boolean", doc = "one scale on both axes; when not given, for two lengths whose ranges differ by a factor of 3 at most" },
  points = { type = "boolean", doc = "points instead of lines; true for sections when not given" },
  colour = { doc = "a name or an expression that colours the curves of runs; colours of an angle close after a turn" },
  over = { type = "string", doc = "in hm.plot of sections with numbers as keys: the name of that number, which is drawn horizontally (a bifurcation diagram)" },
}
for name, row in pairs(picture.schema) do schema[name] = row end

local function label_of(what) return type(what) == "string" and what or core.text(core.number(what)) end

local OTHER_PICTURES = { jpg = true, jpeg = true, eps = true, ps = true, gif = true, bmp = true, tif = true, tiff = true, webp = true }

-- ---- points along a run; a jump breaks the curve

-- At the pace of the observer, where the core cannot compute the values by itself
local function points_one_by_one(run, list, from, to, step)
  local times, rows = run.t, {}
  local function add(t, values)
    if t < from or t > to then return end
    rows[#rows + 1] = values
  end
  for i = 1, #times do
    local t = times[i]
    if i > 1 then
      local before = times[i - 1]
      if t == before then
        if #rows > 0 then rows[#rows + 1] = false end
      elseif run.options.dense then
        -- the part of the step that is drawn, from end to end
        local a, b = math.max(from, math.min(to, before)), math.max(from, math.min(to, t))
        local inner = a ~= b and thinned.between(a, b, #times, step) or 0
        for k = 0, a ~= b and inner + 1 or -1 do
          local at = a + (b - a)*k/(inner + 1)
          if at ~= before and at ~= t then add(at, run:values_at(at, list)) end
        end
      end
    end
    add(t, run[i]:values(list))
  end
  return rows
end

local function points_of(run, list, o)
  local times = run.t
  local from, to = o.from or times[1], o.to or times[#times]
  if from > to then from, to = to, from end
  local first, last = math.min(times[1], times[#times]), math.max(times[1], times[#times])
  local step = math.max(0, math.min(to, last) - math.max(from, first))/o.n
  local rows = thinned.points(run, list, from, to, step) or points_one_by_one(run, list, from, to, step)
  if #rows == 0 then fail("plot: the run has no states between t = %g and t = %g", from, to) end
  return rows
end

-- ---- reading the arguments

-- Lists of numbers and files of other kinds, which are neither curves nor options
local function refuse_odd(wanted)
  for i, what in ipairs(wanted) do
    if type(what) == "table" and not core.is_expression(what) and type(what[1]) == "number" then
      fail("plot: argument %d is a list of numbers: plot takes names and expressions, such as \"x\", \"lambda.rod\", x.dot^2", i)
    end
    local ending = type(what) == "string" and what:match "%.(%a+)$"
    if ending and OTHER_PICTURES[ending:lower()] then fail("plot: '%s': pictures end in .svg, .png or .pdf", what) end
  end
end

-- The arguments with the integrals of S:conserved in the place of a list of them, and their names
local function with_integrals(given)
  local list, names = {}, {}
  for _, what in ipairs(given) do
    if object.is_a(what, "Conserved") then
      for _, record in ipairs(what) do
        if record.kind ~= "by a linear equation" then list[#list + 1], names[record.of] = record.of, record.name end
      end
      if #list == 0 then fail "plot: there are no integrals with a formula in the list" end
    else list[#list + 1] = what end
  end
  return list, names
end

-- What is plotted against what, and the options
local function read(given, of_sections)
  local wanted = table.move(given, 1, #given, 1, {})
  local o = {}
  refuse_odd(wanted)
  local last = wanted[#wanted]
  if type(last) == "table" and not core.is_expression(last) and not spatial.is(last) and not object.is_a(last, "Frame") then o = table.remove(wanted) end
  last = wanted[#wanted]
  if type(last) == "string" and gnuplot.is_picture(last) then o.file = table.remove(wanted) end
  -- run:plot{ "x", "y", file = "a.png" }
  if #wanted == 0 then
    for i, what in ipairs(o) do wanted[i] = what end
    local rest = {}
    for key, value in pairs(o) do if type(key) ~= "number" then rest[key] = value end end
    o = rest
  end
  o = options.check("plot", schema, o)
  if of_sections then return wanted, o end
  if #wanted == 0 then fail("plot: the quantities to plot are missing: run:plot(\"x\", \"y\"), or run:plot \"x\" over time") end
  if #wanted == 1 then table.insert(wanted, 1, "t") end
  return wanted, o
end

-- Vectors and points by their three components in the inertial frame; the first thing is the horizontal axis
local function by_components(system, wanted)
  local list = {}
  if wanted[1] ~= nil and spatial.components(system, wanted[1]) then
    fail("plot: what is named first is the horizontal axis, and a vector or a point has three components; name one of them, as in v:dot(N.x), "
      .. "or put \"t\" first")
  end
  for _, what in ipairs(wanted) do
    for _, e in ipairs(spatial.components(system, what) or { what }) do list[#list + 1] = e end
  end
  return list
end

-- ---- the picture

local MOST_NAMES = 12                  -- curves up to which each has its name in the legend

-- A column that is nowhere finite is no curve
local function demand_points(curves, quantities)
  for i, q in ipairs(quantities) do
    local columns = {}
    for c, curve in ipairs(curves) do columns[c] = { curve.rows, i } end
    local span = axes.span(columns)
    if span.count == 0 then fail("plot: '%s' has no finite value in what is drawn", q.name) end
  end
  for _, curve in ipairs(curves) do
    if not curve.points and #curve.rows < 2 then
      fail("plot: '%s' has one state only, and a curve needs two; give the run a length, or draw it with points = true", curve.name)
    end
  end
end

local function spans(curves, quantities)
  local x, y = {}, {}
  for _, curve in ipairs(curves) do
    x[#x + 1] = { curve.rows, 1 }
    for i = 2, #quantities do y[#y + 1] = { curve.rows, i } end
  end
  return axes.span(x), axes.span(y)
end

local function all_angles(quantities)
  for i = 2, #quantities do if quantities[i].kind ~= "angle" then return false end end
  return true
end

-- One quantity has its label at the axis; several have their unit there, where it is the same
local function upright_label(o, quantities)
  if #quantities == 2 then return quantities[2] end
  local unit = quantities[2].unit
  for i = 3, #quantities do if quantities[i].unit ~= unit then return "" end end
  return unit and not o.units and ("[%s]"):format(unit) or ""
end

local function plot_lines(curves, quantities, o)
  local plots, labels, colour = {}, {}, quantities.colour
  for i = 2, #quantities do labels[i] = picture.label(o, quantities[i]) end
  local count = #curves*(#quantities - 1)
  for c, curve in ipairs(curves) do
    for i = 2, #quantities do
      local name = #curves > 1 and (#quantities > 2 and curve.name .. ": " .. labels[i] or curve.name) or labels[i]
      local style = curve.points and "points pt 7 ps " .. (curve.small or "0.4") or "lines"
      plots[#plots + 1] = ("$d%d using 1:%d%s with %s %s title %s"):format(c, i, colour and ":" .. #quantities + 1 or "", style,
        colour and "lw 2 lc palette" or "lt " .. (curve.small and 1 or #plots % 7 + 1),
        count > 1 and count <= MOST_NAMES and not curve.small and gnuplot.quote(name) or "''")
    end
  end
  return plots
end

-- curves: { name =, rows =, points = }; a row has the values of the quantities, and that of the colour behind them
local function draw(curves, quantities, o, title)
  demand_points(curves, quantities)
  local plain = picture.is_plain(o)
  local script = picture.head(o, title, quantities[1], upright_label(o, quantities))
  local function add(lines) table.move(lines, 1, #lines, #script + 1, script) end
  local x, y = spans(curves, quantities)
  local equal = o.equal
  if equal == nil then equal = not plain and #quantities == 2 and axes.share_scale(quantities[1], quantities[2], x, y) end
  add(axes.lines(x, y, { x = quantities[1].kind == "angle", y = all_angles(quantities) }, equal, o.size, plain))
  if quantities.colour then add(picture.colours(o, quantities.colour)) end
  for c, curve in ipairs(curves) do script[#script + 1] = gnuplot.data("d" .. c, curve.rows) end
  return picture.make(script, plot_lines(curves, quantities, o), o)
end

-- ---- runs

local function quantity_of_run(run, what) return quantity.of(run.system, what, run.observer:expression(what)) end

local function quantities_of_run(run, wanted, o)
  local list = {}
  for i, what in ipairs(wanted) do list[i] = quantity_of_run(run, what) end
  list.colour = o.colour and quantity_of_run(run, o.colour)
  return list
end

local function curve_of_run(run, name, wanted, o)
  if not o.colour then return { name = name, rows = points_of(run, wanted, o), points = o.points } end
  local list = table.move(wanted, 1, #wanted, 1, {})
  list[#list + 1] = o.colour
  local rows, q = points_of(run, list, o), quantity_of_run(run, o.colour)
  for _, row in ipairs(rows) do if row then row[#list] = picture.coloured(q, row[#list]) end end
  return { name = name, rows = rows, points = o.points }
end

--- A picture of the run by gnuplot: run:plot("x", "y") draws y against x, run:plot "theta" over time, run:plot("t", "x", x.dot^2) several curves over
--- the time. Names and expressions as in run:at; a vector or a point gives three curves, its components in the inertial frame. A last argument
--- "sleigh.svg" (.png, .pdf) or { file = } writes a file; else the picture is made of characters, shown at the prompt and by print. Further
--- options: title, xlabel, ylabel, from, to, n, equal, points, colour, size = {w, h}, units, script = "a.gp". Jumps are not joined.
--- In files, names become signs (theta1' is a theta with a dot and the index 1), and units stand behind them where the system declares units.
--- Both axes have one scale if both show lengths and the ranges differ by a factor of 3 at most.
--- A coordinate is a length or an angle by its unit. Without a unit it is an angle if the system takes its sine, cosine or tangent, or if its
--- name is a Greek letter; otherwise a length. So is an expression such as x + a*cos(theta). An angle that turns once or more has ticks in multiples of pi.
--- run:plot("t", C) with C = S:conserved() draws its integrals under their names, run:plot("t", C:only("energy", "I2")) some of them.
function Trajectory:plot(...)
  local given, names = with_integrals{ ... }
  local wanted, o = read(given)
  wanted = by_components(self.system, wanted)
  local quantities = quantities_of_run(self, wanted, o)
  for i, what in ipairs(wanted) do if names[what] then quantities[i].name = names[what] end end
  return draw({ curve_of_run(self, self.system.name, wanted, o) }, quantities, o, self.system.name)
end

-- ---- sections

local function quantity_of_section(section, name)
  return quantity.of(section._system, name)
end

-- The two columns: those named, else the first two
local function columns_of_section(section, wanted, o)
  local names = {}
  for i, what in ipairs(wanted) do names[i] = label_of(what) end
  if o.over then
    if #names > 1 then fail("plot: over = '%s' takes the horizontal axis; name one column to draw against it", o.over) end
    return { names[1] or section.names[1] }
  end
  if #names == 0 then names = { section.names[1], section.names[2] } end
  if #names == 1 then
    local other = section.names[1] ~= names[1] and section.names[1] or section.names[2]
    if other then table.insert(names, 1, other) end
  end
  if #names > 2 then fail("plot: a section is drawn by two of its columns, not by %d", #names) end
  if #names < 2 then fail("plot: the section has one column; ask for two by of = {...}") end
  return names
end

local TINY_POINT = "0.15"              -- of a bifurcation diagram

local function curve_of_section(section, key, name, wanted, o)
  local names, rows = columns_of_section(section, wanted, o), {}
  local x, y = not o.over and section:column(names[1]), section:column(names[#names])
  for i = 1, #section do rows[i] = { x and x[i] or key, y[i] } end
  return { name = name, rows = rows, points = o.points ~= false, small = o.over and TINY_POINT }
end

local function quantities_of_section(section, wanted, o)
  local names, list = columns_of_section(section, wanted, o), {}
  for i, name in ipairs(names) do list[i] = quantity_of_section(section, name) end
  if o.over then
    table.insert(list, 1, quantity.of(section._system, o.over, section._system._parameter[o.over]))
  end
  return list
end

-- ---- several in one picture

local function sorted_keys(runs)
  local names = {}
  for name in pairs(runs) do names[#names + 1] = name end
  table.sort(names, function(a, b) if type(a) == type(b) then return a < b end return type(a) == "number" end)
  return names
end

local function name_of_curve(key, kind, is_list)
  if type(key) ~= "number" then return tostring(key) end
  return is_list and kind .. " " .. key or ("%.6g"):format(key)
end

local function demand_over(runs, o)
  if not o.over then return end
  for key, item in pairs(runs) do
    if type(key) ~= "number" or getmetatable(item) ~= Section.meta then
      fail("plot: over = '%s' needs sections whose keys are its values: hm.plot({ [0.9] = section1, [1.0] = section2 }, \"x\", { over = \"%s\" })",
        o.over, o.over)
    end
  end
end

local function curve_of(item, key, is_list, wanted, o)
  if getmetatable(item) == Section.meta then return curve_of_section(item, key, name_of_curve(key, "section", is_list), wanted, o) end
  if getmetatable(item) ~= Trajectory.meta then
    local kind = core.is_expression(item) and "formula" or (getmetatable(item) or {}).__name or type(item)
    fail("plot: '%s' is no run and no section, but a %s%s", tostring(key), kind,
      object.is_a(item, "Recording") and "; hm.load(file, S) with the system S gives the run" or "")
  end
  return curve_of_run(item, name_of_curve(key, "run", is_list), wanted, o)
end

-- Branches in one picture: names and options as in B:plot
local function branches(list, keys, ...)
  local given = { ... }
  local last = given[#given]
  local o = type(last) == "table" and not getmetatable(last) and object.copied(table.remove(given)) or {}
  o.with = {}
  for i, key in ipairs(keys) do
    if not object.is_a(list[key], "Branch") then
      fail("plot: '%s' is no branch, and another item is one; options stand in a table of their own: hm.plot({ B, B2 }, { file = \"branches.png\" })",
        tostring(key))
    end
    o.with[i - 1] = i > 1 and list[key] or nil
  end
  given[#given + 1] = o
  return list[keys[1]]:plot(table.unpack(given))
end

--- Several runs or sections in one picture: hm.plot({ first = run1, second = run2 }, "x", "y", { file = "both.png" }); keys are the names in the
--- legend, a list is numbered. hm.plot({ [0.1] = section1, [0.2] = section2 }, "y", "y'", "sections.png") lays sections over each other, points in
--- one colour each; a run and its section may share a picture. With over = "F" the keys of the sections are the values of F, drawn
--- horizontally: a bifurcation diagram, hm.plot(sections, "theta'", { over = "F", file = "doubling.png" }). Branches share a picture too:
--- hm.plot({ B, B2 }, "mu", "top", { file = "branches.png" }), names as in B:plot. Otherwise as run:plot.
local function plot(runs, ...)
  if type(runs) ~= "table" or core.is_expression(runs) or getmetatable(runs) then
    fail("plot: the first argument is a table of runs or sections: hm.plot({ a = run1, b = run2 }, \"x\")")
  end
  local keys = sorted_keys(runs)
  if #keys == 0 then fail("plot: there are no runs in the table") end
  if object.is_a(runs[keys[1]], "Branch") then return branches(runs, keys, ...) end
  local first_run
  for _, key in ipairs(keys) do
    if getmetatable(runs[key]) ~= Section.meta then first_run = first_run or runs[key] end
  end
  local first, all_sections = first_run or runs[keys[1]], not first_run
  local wanted, o = read({ ... }, all_sections)
  if getmetatable(first_run) == Trajectory.meta then wanted = by_components(first_run.system, wanted) end
  demand_over(runs, o)
  local curves = {}
  for _, key in ipairs(keys) do
    local curve = curve_of(runs[key], key, #keys == #runs, wanted, o)
    if #curve.rows > 0 then curves[#curves + 1] = curve end
  end
  if #curves == 0 then fail("plot: none of the sections has a point") end
  local quantities = (all_sections and quantities_of_section or quantities_of_run)(first, wanted, o)
  return draw(curves, quantities, o, first_run and first_run.system.name or first._title)
end

options.declare("plot", schema)

return { plot = plot, draw = draw }
