-- results.lua: pictures of results that are no single run: drift, comparisons, sections, sweeps as curves and maps.
local Comparison = require "hamel.analysis.compare"
local core = require "hamel.core"
local gnuplot = require "hamel.show.gnuplot"
local maps = require "hamel.show.maps"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local picture = require "hamel.show.picture"
local plots_of_runs = require "hamel.show.plot"
local quantity = require "hamel.show.quantity"
local Section = require "hamel.analysis.section"
local Sweep = require "hamel.analysis.sweep"
local Trajectory = require "hamel.run.trajectory"

local fail = object.fail

-- The arguments before the options; the name of a file may replace them
local function read(what, given, schema, most)
  local wanted, o = table.move(given, 1, #given, 1, {}), {}
  local last = wanted[#wanted]
  if type(last) == "table" and not core.is_expression(last) then o = table.remove(wanted) end
  last = wanted[#wanted]
  if type(last) == "string" and gnuplot.is_picture(last) then
    local copy = { file = table.remove(wanted) }
    for key, value in pairs(o) do copy[key] = value end
    o = copy
  end
  o = options.check(what, schema, o)
  if #wanted > most then
    fail(most == 0 and "%s takes no names, only a file and options" or "%s takes one name here, what is drawn; the axes follow from it", what)
  end
  return wanted, o
end

local function with(more)
  local schema = {}
  for name, row in pairs(picture.schema) do schema[name] = row end
  for name, row in pairs(more) do schema[name] = row end
  return schema
end

-- ---- drift

-- Values on a logarithmic axis: zeros are no points
local function positive(x) return x > 0 and x or 0/0 end

local LEAST = 1e-17                    -- of errors that are drawn: what is kept exactly makes no gaps in a curve

-- Names of integrals and rows { t, change of each }, relative to 1 + its largest value
local function drift_of_integrals(run, integrals)
  if #integrals == 0 then fail("plot_drift: there are no integrals") end
  local names, rows, times, list = {}, {}, integrals:series(run)
  for k, t in ipairs(times) do rows[k] = { t } end
  for i, item in ipairs(list) do
    local values, most = item[2], 0
    names[i] = item[1]
    for _, value in ipairs(values) do most = math.max(most, math.abs(value)) end
    for k, value in ipairs(values) do rows[k][i + 1] = (value - values[1])/(1 + most) end
  end
  return names, rows
end

--- Draws the drift off the constraints and the error of the energy over time, on a logarithmic axis: run:plot_drift(), run:plot_drift "drift.svg".
--- The error of the energy is relative to that of the motion; residuals of constraints are absolute. With C = S:conserved(), run:plot_drift(C) draws
--- the changes of its integrals, relative to 1 + the largest value of each. Options as run:plot.
function Trajectory:plot_drift(...)
  local given = { ... }
  local integrals = object.is_a(given[1], "Conserved") and table.remove(given, 1)
  local _, o = read("plot_drift", given, picture.schema, 0)
  local names, rows
  if integrals then names, rows = drift_of_integrals(self, integrals) else names, rows = self:drift() end
  local script = picture.head(o, self.system.name .. ": drift", quantity.of(self.system, "t"),
    integrals and "change of integrals (relative)" or "error of energy (relative), residuals")
  local plots, largest = {}, 0
  for _, row in ipairs(rows) do
    for i = 2, #row do
      row[i] = math.abs(row[i])
      if row[i] == row[i] then largest, row[i] = math.max(largest, row[i]), math.max(LEAST, row[i]) end
    end
  end
  if largest == 0 then fail("plot_drift: %s are kept to the last digit; there is nothing to draw",
    integrals and "the integrals" or "energy and constraints") end
  script[#script + 1] = "set logscale y"
  script[#script + 1] = "set format y '%.0e'"
  script[#script + 1] = gnuplot.data("d", rows)
  for i, name in ipairs(names) do plots[i] = ("$d using 1:%d with lines lt %d title %s"):format(i + 1, (i - 1) % 7 + 1, gnuplot.quote(name)) end
  return picture.make(script, plots, o)
end

-- ---- comparisons

local comparison_schema = with{ n = { default = 400, type = "number", from = 2, to = 1000000, whole = true, doc = "points of each curve" } }

--- One quantity by every form in one picture, or how far apart they are: C:plot "x", C:plot("x", "both.png"); C:plot() draws the largest
--- difference of any coordinate from the first form over the time, on a logarithmic axis. Options as run:plot.
function Comparison:plot(...)
  local wanted, o = read("plot", { ... }, comparison_schema, 1)
  local what = wanted[1]
  local first = self.runs[self.labels[1]]
  local arguments = what and { what } or self.system:coordinate_list()
  local function series(run, at)
    local list = table.move(arguments, 1, #arguments, 1, {})
    list[#list + 1] = at
    return table.pack(run:series(table.unpack(list)))
  end
  local reference = series(first, { n = o.n })
  local label = what and quantity.of(self.system, what, first.observer:expression(what)) or "largest difference from " .. self.labels[1]
  local script = picture.head(o, self.system.name .. ": " .. (what and "forms compared" or "differences"), quantity.of(self.system, "t"), label)
  local plots = {}
  local function curve(name, values, k)
    local rows = {}
    for i, t in ipairs(reference[1]) do rows[i] = { t, values[i] } end
    script[#script + 1] = gnuplot.data("d" .. k, rows)
    plots[#plots + 1] = ("$d%d using 1:2 with lines lt %d title %s"):format(k, (k - 1) % 7 + 1, gnuplot.quote(name))
  end
  for k, name in ipairs(self.labels) do
    local values = k == 1 and reference or series(self.runs[name], { times = reference[1] })
    if what then curve(name, values[2], k)
    elseif k > 1 then
      local worst = {}
      for i = 1, #reference[1] do
        worst[i] = 0
        for c = 2, #arguments + 1 do worst[i] = math.max(worst[i], math.abs(values[c][i] - reference[c][i])) end
        worst[i] = positive(worst[i])
      end
      curve(name, worst, k)
    end
  end
  if not what then
    if #self.labels < 2 then fail("plot: there is one form only; C:plot \"x\" draws a coordinate") end
    script[#script + 1] = "set logscale y"
    script[#script + 1] = "set format y '%.0e'"
  end
  return picture.make(script, plots, o)
end

-- ---- sections

--- The points of a section: sec:plot() draws its second column against its first, sec:plot("theta", "theta'") names them; a last argument
--- "section.png" writes a file. hm.plot lays several sections over each other. Options as run:plot.
function Section:plot(...)
  if #self == 0 then fail("plot: the section has no points") end
  return plots_of_runs.plot({ self }, ...)
end

-- ---- sweeps

local function quantity_of(self, name) return quantity.of_column(self._declared, name, self._keep) end

local function curves_of(self, over, name, script, o)
  local plots, groups, order = {}, {}, {}
  local across, values = self:column(over), self:column(name)
  for i, row in ipairs(self) do
    local words = {}
    for _, other in ipairs(self.varied) do
      if other ~= over then words[#words + 1] = ("%s = %s"):format(quantity.name(quantity_of(self, other), picture.is_plain(o)), object.number(row[other])) end
    end
    local key = table.concat(words, ", ")
    if not groups[key] then
      groups[key] = {}
      order[#order + 1] = key
    end
    table.insert(groups[key], { across[i], values[i] })
  end
  for k, key in ipairs(order) do
    table.sort(groups[key], function(a, b) return a[1] < b[1] end)
    script[#script + 1] = gnuplot.data("d" .. k, groups[key])
    local title = #order > 1 and #order <= 12 and gnuplot.quote(key) or "''"
    plots[k] = ("$d%d using 1:2 with %s lt %d title %s"):format(k, o.points and "points pt 7 ps 0.3" or "linespoints pt 7 ps 0.3", (k - 1) % 7 + 1, title)
  end
  return plots
end

local function map_of(self, first, second, name, script, o)
  local q, values = quantity_of(self, name), {}
  for i, value in ipairs(self:column(name)) do values[i] = picture.coloured(q, value) end
  local grid = maps.grid(self:column(first), self:column(second), values, { first, second })
  table.move(picture.colours(o, q), 1, 4, #script + 1, script)
  script[#script + 1] = "unset grid"
  script[#script + 1] = "set autoscale noextend"
  return { maps.cells(grid, script) }
end

local function demand_values(self, name)
  for _, value in ipairs(self:column(name)) do
    if type(value) ~= "number" then fail("plot: the column '%s' holds no numbers", name) end
    if value - value == 0 then return end
  end
  fail("plot: '%s' has no finite value in any of the %d runs", name, #self)
end

local sweep_schema = with{
  map = { type = "boolean", doc = "a coloured plane; true in a file where two things vary and both take more than seven values" },
  points = { default = false, type = "boolean", doc = "points that are not joined" },
  over = { type = "string", doc = "the quantity along the horizontal axis; the first thing that varies when not given" },
  against = { type = "string", doc = "the quantity along the vertical axis of a map; the second thing that varies when not given" },
}

--- A sweep as a picture: W:plot "x" draws a kept value over what varies, one curve for each value of the others; W:plot("x", { map = true })
--- colours the plane of the first two things that vary by it; W:plot("x", "map.png", ...). over = "m" chooses the horizontal axis, and
--- against = "v.x" the vertical one of a map; points = true does not join the points. Colours of an angle close after a
--- turn. A cell of a map reaches midway to the neighbouring values. Rows of failed runs leave gaps. Options as run:plot.
function Sweep:plot(...)
  local wanted, o = read("plot", { ... }, sweep_schema, 1)
  local name = wanted[1] or self.names[1]
  if #self == 0 then fail("plot: the sweep has no rows") end
  demand_values(self, name)
  local over = o.over or self.varied[1] or "index"
  local against = o.against or (self.varied[1] == over and self.varied[2] or self.varied[1])
  local map = o.map
  local function varies_much(axis) return #maps.distinct(self:column(axis)) > 7 end
  if map == nil then map = o.file ~= nil and against ~= nil and against ~= over and varies_much(over) and varies_much(against) end
  if map and not o.file then fail("plot: a map needs a file: W:plot(\"x\", \"map.png\", { map = true }); characters have no colours") end
  if map and (not against or against == over) then fail("plot: a map needs two things that vary; this sweep has %d", #self.varied) end
  local script = picture.head(o, self.system .. ": sweep", quantity_of(self, over), quantity_of(self, map and against or name))
  local plots = map and map_of(self, over, against, name, script, o) or curves_of(self, over, name, script, o)
  return picture.make(script, plots, o)
end

options.declare("sweep:plot", sweep_schema)
