-- show/charts.lua: pictures of charts, bifurcation diagrams and branches.
local Branch = require "hamel.continuation.branch"
local branch_words = require "hamel.continuation.branch_words"
local Chart = require "hamel.chart.table"
local contours = require "hamel.show.contours"
local Diagram = require "hamel.chart.diagram"
local gnuplot = require "hamel.show.gnuplot"
local maps = require "hamel.show.maps"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local picture = require "hamel.show.picture"
local quantity = require "hamel.show.quantity"

local fail = object.fail

-- Names before the options; a file name may stand in their place
local function read(what, given, more)
  local schema, wanted, o = {}, table.move(given, 1, #given, 1, {}), {}
  for _, part in ipairs{ picture.schema, more } do for name, row in pairs(part) do schema[name] = row end end
  local last = wanted[#wanted]
  if type(last) == "table" and not getmetatable(last) then o = object.copied(table.remove(wanted)) end
  last = wanted[#wanted]
  if type(last) == "string" and gnuplot.is_picture(last) then o.file = table.remove(wanted) end
  return wanted, options.check(what, schema, o)
end

-- ---- charts

-- Texts as numbers in the order of the alphabet, and the texts
local function numbered(list)
  local names, place, numbers = {}, {}, {}
  for _, value in ipairs(list) do
    if type(value) == "string" and not place[value] then place[value], names[#names + 1] = true, value end
  end
  table.sort(names)
  for i, name in ipairs(names) do place[name] = i end
  for i, value in ipairs(list) do numbers[i] = type(value) == "string" and place[value] or value end
  return numbers, names
end

-- The texts or periods in a list, ascending, where they are what a column holds: each has a colour and a name of its own
local function classes_of(list, name)
  local seen, classes, has_text = {}, {}, name == "period"
  for _, value in ipairs(list) do
    has_text = has_text or type(value) == "string"
    if value == value and not seen[value] then seen[value], classes[#classes + 1] = true, value end
  end
  table.sort(classes, function(a, b)
    local one, other = tonumber(a), tonumber(b)
    if one and other and one ~= other then return one < other end
    if (one == nil) ~= (other == nil) then return one ~= nil end
    return tostring(a) < tostring(b)
  end)
  return has_text and #classes > 0 and classes or nil
end

local COLOURS = { { 0x44, 0x77, 0xaa }, { 0x66, 0xcc, 0xee }, { 0x22, 0x88, 0x33 }, { 0xcc, 0xbb, 0x44 }, { 0xee, 0x66, 0x77 }, { 0xaa, 0x33, 0x77 } }
local MOST_NAMES = 30                  -- beside a bar of colours; of more classes some are named
local LETTER, BAR = 8.5, 110           -- pixels: of a letter; of the bar of colours with its ticks and its label, without the names
local UNIT = 11.3                      -- pixels of a unit of margins and offsets
local AWAY, EXCESS = 2, 0.15           -- of these units: from a short name to the label; by how much gnuplot takes a letter too wide

-- The colour of class i of n: one of the list, or between two where there are more classes than colours
local function colour_of(i, n)
  local at = n <= #COLOURS and i or 1 + (i - 1)*(#COLOURS - 1)/(n - 1)
  local k = math.min(math.floor(at), #COLOURS - 1)
  local parts = {}
  for c = 1, 3 do parts[c] = math.floor(COLOURS[k][c] + (at - k)*(COLOURS[k + 1][c] - COLOURS[k][c]) + 0.5) end
  return ("#%02x%02x%02x"):format(table.unpack(parts))
end

-- A text of at most that many letters
local function shortened(text, most)
  local length = utf8.len(text)
  if not length or length <= most then return text, length or #text end
  return text:sub(1, utf8.offset(text, most) - 1) .. "…", most
end

-- The palette of n classes, numbered from 1: steps between the colours, and a name in the middle of each. gnuplot leaves no room for long names, and
-- places the label of the bar next to short ones
local function of_classes(classes, lines, label, width)
  local steps, ticks, n, longest = {}, {}, #classes, 1
  local most = math.max(6, (width//2 - BAR)//LETTER)
  for i, value in ipairs(classes) do
    steps[2*i - 1], steps[2*i] = ("%d '%s'"):format(i - 1, colour_of(i, n)), ("%d '%s'"):format(i, colour_of(i, n))
    if (i - 1) % math.ceil(n/MOST_NAMES) == 0 then
      local text, length = shortened(tostring(value), most)
      ticks[#ticks + 1], longest = ("%s %d"):format(gnuplot.quote(text), i), math.max(longest, length)
    end
  end
  lines[#lines + 1] = ("set palette defined (%s)"):format(table.concat(steps, ", "))
  lines[#lines + 1] = ("set cbrange [0.5:%d.5]"):format(n)
  lines[#lines + 1] = ("set cbtics (%s)"):format(table.concat(ticks, ", "))
  lines[#lines + 1] = ("set cblabel %s offset %.3g"):format(label, AWAY - EXCESS*longest)
  lines[#lines + 1] = ("set rmargin %.3g"):format((BAR + LETTER*longest)/UNIT)
end

local NOTHING = "#bbbbbb"              -- the colour of points without a value

-- What the legend says of points without a value; nil: there are none, or no others
local function of_nothing(values)
  local some, none = false, false
  for _, value in ipairs(values) do
    if value == value then some = true else none = true end
  end
  return some and none and ("NaN with points pt 5 ps 2 lc rgb '%s' title 'not decided, or failed'"):format(NOTHING) or nil
end

-- Lines that set the colours: diverging about zero, one for each class, and else those of the quantity
local function palette(values, classes, name, q, o)
  local lines = { "unset grid", "set autoscale noextend",
    "set object 99 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '" .. NOTHING .. "' fillstyle solid noborder" }
  if classes then
    of_classes(classes, lines, gnuplot.quote(picture.label(o, q)), o.size[1])
  elseif name:match "^exponent" or name == "sum" then
    local most = 0
    for _, v in ipairs(values) do if v == v then most = math.max(most, math.abs(v)) end end
    if most == 0 then most = 1 end
    lines[#lines + 1] = "set palette defined (-1 '#2166ac', 0 '#f7f7f7', 1 '#b2182b')"
    lines[#lines + 1] = ("set cbrange [%.17g:%.17g]"):format(-most, most)
    lines[#lines + 1] = "set cblabel " .. gnuplot.quote(picture.label(o, q))
  else
    table.move(picture.colours(o, q), 1, 4, #lines + 1, lines)
  end
  return lines
end

-- Infinite values drawn as the largest finite ones: exponents of directions that contacts take away
local function bounded(list)
  local most, out = 0, {}
  for _, value in ipairs(list) do if value == value and math.abs(value) < math.huge then most = math.max(most, math.abs(value)) end end
  for i, value in ipairs(list) do out[i] = value ~= value and value or math.max(-most, math.min(most, value)) end
  return out
end

local WORDS = { label = "attractor", sum = "sum of the exponents" }

-- What an axis of a picture shows, by the name in the chart: q.x is x(0), signs stand for Greek names; with units where the system is known. keep: the
-- measures that were asked for
local function shown(name, system, keep)
  local number = name:match "^exponent(%d+)$"
  if WORDS[name] or number then return WORDS[name] or "Lyapunov exponent " .. number end
  return system and quantity.of_column(system, name, keep) or { name = name }
end

-- The same for a column of a chart, which is a quantity of the system where measures were asked for
local function of_chart(self, name) return shown(name, self.of == "measures" and self._declared, self._sweep._keep) end

-- Lines of the levels over a map: what is plotted
local function lines_of_levels(levels, grid, script)
  local list = {}
  for i, given in ipairs(levels) do
    local level = options.number(given) or fail("plot: levels: value %d is no number", i)
    table.move(contours.lines(grid.columns, grid.rows, grid.value, level), 1, #grid.columns*#grid.rows*6, #list + 1, list)
  end
  if #list == 0 then return nil end
  script[#script + 1] = gnuplot.data("l", list)
  return ("$l using 1:2 with lines lw 1.5 dt 1 lc rgb '#000000' title ''")
end

local function map_of(self, name, script, o)
  local x, y, z = self:column(self.varied[1]), self:column(self.varied[2]), self:column(name)
  local levels = o.levels
  local classes, names = classes_of(z, name), select(2, numbered(z))
  if levels and #names > 0 then fail("plot: levels are values of a number; '%s' holds names", name) end
  local drawn, place, q = {}, {}, of_chart(self, name)
  if classes then
    for i, value in ipairs(classes) do place[value] = i end
    for i, value in ipairs(z) do drawn[i] = place[value] or 0/0 end
  else
    z = bounded(z)
    for i, value in ipairs(z) do drawn[i] = picture.coloured(q, value) end
  end
  local grid = maps.grid(x, y, drawn, self.varied)
  table.move(palette(drawn, classes, name, q, o), 1, 99, #script + 1, script)
  local plots = { maps.cells(grid, script) }
  plots[2] = levels and lines_of_levels(levels, maps.grid(x, y, z, self.varied), script)
  plots[#plots + 1] = of_nothing(drawn)
  return plots
end

local function curve_of(self, name, script)
  local x, z, rows = self:column(self.varied[1]), bounded((numbered(self:column(name)))), {}
  for i = 1, #self do rows[i] = { x[i], z[i] } end
  table.sort(rows, function(a, b) return a[1] < b[1] end)
  script[#script + 1] = gnuplot.data("d", rows)
  return { "$d using 1:2 with linespoints pt 7 ps 0.3 title ''" }
end

local function nearest(list, wanted)
  local best
  for _, value in ipairs(list) do if not best or math.abs(value - wanted) < math.abs(best - wanted) then best = value end end
  return best
end

-- The rows nearest to the given values of some axes, as a chart over the others
local function sliced(self, fix)
  local left, part = {}, {}
  for name in pairs(fix) do
    if not object.contains(self.varied, name) then
      fail("plot: fix: '%s' is no axis of the chart%s", tostring(name), object.hint(tostring(name), self.varied))
    end
  end
  for _, name in ipairs(self.varied) do if fix[name] == nil then left[#left + 1] = name end end
  local values = {}
  for name, value in pairs(fix) do
    values[name] = nearest(self:column(name), options.number(value) or fail("plot: fix: the value of '%s' is no number", name))
  end
  for _, row in ipairs(self) do
    local inside = true
    for name, value in pairs(values) do inside = inside and row[name] == value end
    if inside then part[#part + 1] = row end
  end
  part.varied, part.names, part.system, part.of, part._declared = left, self.names, self.system, self.of, self._declared
  part._sweep = self._sweep
  return setmetatable(part, Chart.meta)
end

local chart_schema = {
  fix = { type = "table", doc = "values of axes that are not drawn: { k = 1 }; the nearest ones of the grid" },
  levels = { type = "table", list = true, doc = "values at which a map has lines: { 0 }" },
  column = { type = "string", doc = "what is drawn: \"exponent1\", \"period\", ...; the first number of the chart when not given" },
}

--- Draws a chart: C:plot "map.png" colours the plane of two axes; of one axis it draws a curve. Exponents have colours about zero, each period or label that
--- occurs has one colour; runs that failed, or whose value is not decided, are grey. Cells reach midway to the neighbouring values.
--- C:plot{ file = "map.png", column = "exponent2", levels = {0} } chooses the column, by default the first one, and draws lines where it has these values.
--- Of more axes, C:plot{ file = "map.png", fix = { k = 1 } } draws the plane at the value nearest to k = 1. Options as run:plot.
function Chart:plot(...)
  local wanted, o = read("plot", { ... }, chart_schema)
  local first = self.names[1] == "exponents" and "exponent1" or self.names[1]
  local name = o.column or wanted[1] or first
  if #self == 0 then fail("plot: the chart has no rows") end
  if name == "exponents" or not object.contains(self.names, name) then fail("plot: there is no column '%s'%s", name, object.hint(name, self.names)) end
  if o.fix then self = sliced(self, o.fix) end
  if #self.varied > 2 then
    fail("plot: two axes make a map, %d were given; choose values of the others: C:plot{ file = \"map.png\", fix = { %s = ... } }", #self.varied,
      self.varied[3]:match "^[%a_][%w_]*$" or ("[%q]"):format(self.varied[3]))
  end
  if #self.varied == 0 then fail("plot: fix leaves no axis to draw over") end
  if o.levels and #self.varied == 1 then fail("plot: levels are for maps over two axes") end
  local is_map = #self.varied == 2
  if is_map and not o.file then fail("plot: a map needs a file: C:plot \"map.png\"; characters have no colours") end
  local script = picture.head(o, ("%s: %s"):format(self.system, self.of), shown(self.varied[1], self._declared),
    is_map and shown(self.varied[2], self._declared) or of_chart(self, name))
  return picture.make(script, is_map and map_of(self, name, script, o) or curve_of(self, name, script), o)
end

-- ---- branches

-- A number of a point by its name: the parameter, "period", "energy", a coordinate, a velocity with a dash
local function number_of(branch, point, name)
  if name == branch.along then return point.value end
  if name == branch.beside then return point.beside end
  if name == "period" or name == "energy" then return point[name] end
  if (point.kept or {})[name] ~= nil then return point.kept[name] or 0/0 end
  local value = point.parameters[name]
  if value == nil then value = point.q[name] end
  if value == nil and name:sub(-1) == "'" then value = point.v[name:sub(1, -2)] end
  if value == nil then fail("plot: the points of the branch have no '%s'", name) end
  return value
end

-- A number of a special point: an end may be beyond its last point
local function number_at(branch, special, name)
  if name == branch.along then return special.value end
  if name == branch.beside then return special.beside end
  return number_of(branch, special.point, name)
end

-- The special point between a point and the next, where the kind of line changes
local function between(branch, i, x, y)
  local special = branch:special_after(i)
  return special and { number_at(branch, special, x), number_at(branch, special, y) }
end

-- Pieces of a branch over which the kind of line is the same
local function pieces_of(branch, x, y)
  local list, kind = {}, nil
  for i, point in ipairs(branch.points) do
    local now = branch_words.of_point(point)
    local row = { number_of(branch, point, x), number_of(branch, point, y) }
    if now ~= kind then
      local joint = i > 1 and (between(branch, i - 1, x, y) or row)
      if joint then table.insert(list[#list].rows, joint) end
      list[#list + 1], kind = { kind = now, rows = { joint or nil } }, now
    end
    table.insert(list[#list].rows, row)
  end
  return list
end

local looks = { stable = "dt 1 lw 2 lc rgb '#225588'", unstable = "dt 2 lw 1.5 lc rgb '#225588'", ["not admissible"] = "dt 3 lw 1.5 lc rgb '#225588'",
  ["not decided"] = "dt 1 lw 1.5 lc rgb '#888888'" }

-- Lines of one branch: data into the script, what is plotted
local function lines_of(branch, x, y, script, plots, titled, number)
  for i, piece in ipairs(pieces_of(branch, x, y)) do
    local name = ("b%d_%d"):format(number, i)
    script[#script + 1] = gnuplot.data(name, piece.rows)
    plots[#plots + 1] = ("$%s using 1:2 with lines %s title %s"):format(name, looks[piece.kind], titled[piece.kind] and "''" or gnuplot.quote(piece.kind))
    titled[piece.kind] = true
  end
  local marks = {}
  for _, special in ipairs(branch.special) do
    marks[special.kind] = marks[special.kind] or {}
    table.insert(marks[special.kind], { number_at(branch, special, x), number_at(branch, special, y) })
  end
  for k, kind in ipairs(object.keys(marks)) do
    local name = ("s%d_%d"):format(number, k)
    script[#script + 1] = gnuplot.data(name, marks[kind])
    plots[#plots + 1] = ("$%s using 1:2 with points pt %d ps 1.2 lc rgb '#cc3311' title %s"):format(name, 4 + k, titled[kind] and "''" or gnuplot.quote(kind))
    titled[kind] = true
  end
end

local branch_schema = { with = { type = "table", list = true, doc = "other branches in the same picture: { B2, B3 }" } }

--- Draws a branch: B:plot "branch.png" draws the first coordinate over the parameter, and a curve over two parameters in their plane.
--- B:plot("mu", "period", { with = {B2} }) names both axes and draws another branch, too. Lines are solid where motions are stable,
--- dashed where unstable, dotted where not admissible, grey where the first approximation does not decide; special points are marked.
--- Names: the parameter, "period", "energy", coordinates, velocities such as "x'", names in `keep`.
function Branch:plot(...)
  local wanted, o = read("plot", { ... }, branch_schema)
  local x, y = wanted[1] or self.along, wanted[2] or self.beside or self._coordinates[1]
  if wanted[1] and not wanted[2] then x, y = self.along, wanted[1] end
  local script = picture.head(o, ("%s: %s"):format(self._title, self.kind), shown(x, self._system), shown(y, self._system))
  local plots, titled = {}, {}
  for i, branch in ipairs{ self, table.unpack(o.with or {}) } do
    if not object.is_a(branch, "Branch") then fail("plot: with[%d] is no branch", i - 1) end
    lines_of(branch, x, y, script, plots, titled, i)
  end
  return picture.make(script, plots, o)
end

-- ---- bifurcation diagrams

--- Draws a bifurcation diagram as points: D:plot "diagram.png"; D:plot(branch, "diagram.png") lays a branch over it.
function Diagram:plot(...)
  local wanted, o = read("plot", { ... }, {})
  local rows, plots, titled = {}, {}, {}
  for _, item in ipairs(self) do
    for _, value in ipairs(item.values) do rows[#rows + 1] = { item[self.along], value } end
  end
  if #rows == 0 then fail("plot: the diagram has no points") end
  local script = picture.head(o, ("%s: %s"):format(self.system, quantity.name(shown(self.of), picture.is_plain(o))),
    shown(self.along, self._declared), shown(self.of, self._declared))
  script[#script + 1] = gnuplot.data("d", rows)
  plots[1] = "$d using 1:2 with points pt 7 ps 0.2 lc rgb '#333333' title ''"
  for i, branch in ipairs(wanted) do
    if not object.is_a(branch, "Branch") then fail("plot: argument %d is no branch", i) end
    lines_of(branch, self.along, self.of, script, plots, titled, i)
  end
  return picture.make(script, plots, o)
end

for what, more in pairs{ chart = chart_schema, branch = branch_schema, diagram = {} } do
  for _, part in ipairs{ picture.schema, more } do options.declare(what .. ":plot", part) end
end

return picture
