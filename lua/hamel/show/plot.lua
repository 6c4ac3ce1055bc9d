-- plot.lua: run:plot and hm.plot: curves of runs, over time or against each other.
local core = require "hamel.core"
local gnuplot = require "hamel.show.gnuplot"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local picture = require "hamel.show.picture"
local Trajectory = require "hamel.run.trajectory"

local fail = object.fail

local schema = {
  n = { default = 1000, from = 2, to = 1000000, whole = true, type = "number", doc = "points along the run, besides the stored states" },
  from = { type = "number", doc = "time at which the curves begin" },
  to = { type = "number", doc = "time at which they end" },
  equal = { type = "boolean", doc = "one scale on both axes; true for one coordinate against another when not given" },
  points = { default = false, type = "boolean", doc = "points instead of lines" },
}
for name, row in pairs(picture.schema) do schema[name] = row end

local function label_of(what) return type(what) == "string" and what or core.text(core.number(what)) end

local OTHER_PICTURES = { jpg = true, jpeg = true, eps = true, ps = true, gif = true, bmp = true, tif = true, tiff = true, webp = true }

-- ---- points along a run; a jump breaks the curve

local function points_of(run, list, o)
  local times, rows = run.t, {}
  local from, to = o.from or times[1], o.to or times[#times]
  if from > to then from, to = to, from end
  local step = math.abs(times[#times] - times[1])/o.n
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
        local inner = math.floor(math.abs(t - before)/step)
        for k = 1, inner do
          local at = before + (t - before)*k/(inner + 1)
          add(at, run:values_at(at, list))
        end
      end
    end
    add(t, run[i]:values(list))
  end
  if #rows == 0 then fail("plot: the run has no states between t = %g and t = %g", from, to) end
  return rows
end

-- ---- the picture

local function is_coordinate(system, what)
  for i, q in ipairs(system:coordinate_list()) do
    if what == system.coordinate_names[i] or core.is_expression(what) and what == q then return true end
  end
  return false
end

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

-- The plotted quantities, and the options
local function read(given)
  local wanted = table.move(given, 1, #given, 1, {})
  local o = {}
  refuse_odd(wanted)
  local last = wanted[#wanted]
  if type(last) == "table" and not core.is_expression(last) then o = table.remove(wanted) end
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
  if #wanted == 0 then fail("plot: the quantities to plot are missing: run:plot(\"x\", \"y\"), or run:plot \"x\" over time") end
  if #wanted == 1 then table.insert(wanted, 1, "t") end
  return wanted, o
end

-- The units of the system, and those given for this picture in place of them
local function labelled(system, o)
  local labels = system:unit_labels()
  for name, unit in pairs(o.units or {}) do labels[name] = unit end
  o.units = labels
  return o
end

local function draw(curves, wanted, o, title)
  local across = label_of(wanted[1])
  local upright = {}
  for i = 2, #wanted do upright[i - 1] = picture.label(o, label_of(wanted[i])) end
  local script = picture.head(o, title, across, #wanted == 2 and upright[1] or "")
  local function line(text) script[#script + 1] = text end
  if o.equal then line "set size ratio -1" end
  local plots = {}
  for c, curve in ipairs(curves) do
    line(gnuplot.data("d" .. c, curve.rows))
    for i = 2, #wanted do
      local name = #curves > 1 and (#wanted > 2 and curve.name .. ": " .. upright[i - 1] or curve.name) or upright[i - 1]
      plots[#plots + 1] = ("$d%d using 1:%d with %s lt %d title %s"):format(c, i, o.points and "points pt 7 ps 0.4" or "lines", (#plots % 7) + 1,
        #curves*(#wanted - 1) > 1 and gnuplot.quote(name) or "''")
    end
  end
  return picture.make(script, plots, o)
end

--- Draws a run by gnuplot: run:plot("x", "y") draws y against x, run:plot "theta" over time, run:plot("t", "x", x.dot^2) several curves over time.
--- Names and expressions as in run:at. A last argument "sleigh.svg" (.png, .pdf) or { file = } writes a file. Without it the picture consists of
--- characters, shown at the prompt and by print. Jumps are not joined.
--- Further options: title, xlabel, ylabel, from, to, n, equal, points, size = {w, h}, script = "a.gp".
function Trajectory:plot(...)
  local wanted, o = read{ ... }
  if o.equal == nil then o.equal = #wanted == 2 and is_coordinate(self.system, wanted[1]) and is_coordinate(self.system, wanted[2]) and o.file ~= nil end
  return draw({ { name = self.system.name, rows = points_of(self, wanted, o) } }, wanted, labelled(self.system, o), self.system.name)
end

--- Several runs in one picture: hm.plot({ first = run1, second = run2 }, "x", "y", { file = "both.png" }); a list of runs is numbered. Otherwise as
--- run:plot.
local function plot(runs, ...)
  if type(runs) ~= "table" or core.is_expression(runs) then fail("plot: the first argument is a table of runs: hm.plot({ a = run1, b = run2 }, \"x\")") end
  local wanted, o = read{ ... }
  local curves, names = {}, {}
  for name in pairs(runs) do names[#names + 1] = name end
  table.sort(names, function(a, b) if type(a) == type(b) then return a < b end return type(a) == "number" end)
  for _, name in ipairs(names) do
    local run = runs[name]
    if getmetatable(run) ~= Trajectory.meta then fail("plot: '%s' is no run, but a %s", tostring(name), type(run)) end
    curves[#curves + 1] = { name = type(name) == "number" and "run " .. name or name, rows = points_of(run, wanted, o) }
  end
  if #curves == 0 then fail("plot: there are no runs in the table") end
  local first = runs[names[1]].system
  return draw(curves, wanted, labelled(first, o), first.name)
end

options.declare("plot", schema)

return plot
