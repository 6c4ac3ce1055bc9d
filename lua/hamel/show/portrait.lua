-- portrait.lua: S:portrait: the phase portrait of many starts in one picture; with one coordinate also its field, equilibria and separatrices.
local axes = require "hamel.show.axes"
local core = require "hamel.core"
local gnuplot = require "hamel.show.gnuplot"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local picture = require "hamel.show.picture"
local quantity = require "hamel.show.quantity"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local protected = require "hamel.base.protected"

local fail = object.fail

local schema = {
  starts = { type = "table", list = true, doc = "starts { q = {...}, v = {...} }; with one coordinate also pairs {x, x'}; chosen over the box when not given" },
  n = { default = 24, type = "number", from = 4, to = 1000, whole = true, doc = "number of starts, where they are chosen" },
  t = { default = 20, type = "number", above = 0, doc = "how long each motion is followed; chosen starts are followed backwards as well" },
  box = { type = "table", list = true, doc = "ranges of both axes: { {-2, 2}, {-3, 3} }" },
  field = { type = "boolean", doc = "arrows of the field; true with one coordinate when not given" },
  equilibria = { type = "boolean", doc = "equilibria, and the separatrices of saddles; true with one coordinate when not given" },
  parameters = { type = "table", doc = "values by name in place of the declared ones" },
}
for name, row in pairs(picture.schema) do schema[name] = row end

local POINTS = 800                     -- of a curve
local CELLS = 400                      -- in which equilibria are sought
local NEAR = 1e-5                      -- of the box: how far from the saddle its separatrices start
local STEP = 1e-5                      -- of the box, in differences

-- ---- what the equations say

-- One coordinate, no constraint, nothing that depends on time or is a Lua function: the plane of x and x' is the state space
local function planar_obstacle(system)
  if #system.coordinate_names ~= 1 then return ("%s has %d coordinates"):format(system.name, #system.coordinate_names) end
  if #system.constraints > 0 then return system.name .. " has constraints" end
  if #system.gaps + #system.frictions > 0 then return system.name .. " has contacts" end
  for _, e in ipairs(quantity.declared(system)) do
    for _, s in ipairs(core.is_expression(e) and core.symbols{ e } or {}) do
      if s == symbols.t then return ("%s depends on t"):format(system.name) end
    end
  end
  for _, item in ipairs(system.force_list) do if item.call then return system.name .. " has forces in Lua, which may depend on t" end end
end

local function acceleration(system, o)
  local name = system.coordinate_names[1]
  return function(x, v)
    local fine, a = protected(function() return system:accelerations{ q = { [name] = x }, v = { [name] = v }, parameters = o.parameters }.a[name] end)
    return fine and type(a) == "number" and a - a == 0 and a or nil
  end
end

local function bisect(f, a, b)
  local fa = f(a)
  for _ = 1, 80 do
    local c = (a + b)/2
    local fc = f(c)
    if not fc or fc == 0 or c == a or c == b then return c end
    if (fc > 0) == (fa > 0) then a, fa = c, fc else b = c end
  end
  return (a + b)/2
end

-- Zeros of f(x, 0) in the range: changes of sign that are no poles, and zeros at the ends of cells
local function zeros(f, low, high)
  local values, largest, finite, list = {}, 0, false, {}
  local function rest(x) return f(x, 0) end
  for k = 0, CELLS do
    values[k] = rest(low + (high - low)*k/CELLS) or 0/0
    finite = finite or values[k] == values[k]
    if values[k] == values[k] then largest = math.max(largest, math.abs(values[k])) end
  end
  if not finite then fail("portrait: the acceleration has no value anywhere between %g and %g at rest", low, high) end
  if largest == 0 then return list, largest end
  local function is_zero(k) return math.abs(values[k]) <= 1e-12*largest end
  for k = 0, CELLS do
    local x = low + (high - low)*k/CELLS
    if is_zero(k) then list[#list + 1] = x
    elseif k > 0 and not is_zero(k - 1) and values[k]*values[k - 1] < 0 then
      local root = bisect(rest, x - (high - low)/CELLS, x)
      local there = rest(root)
      if there and math.abs(there) <= 1e-6*math.max(math.abs(values[k]), math.abs(values[k - 1])) then list[#list + 1] = root end
    end
  end
  return list, largest
end

local SYMMETRIC = 1e-10                -- relative to the largest acceleration at rest

-- Does the acceleration stay the same when the velocity is reversed? Then a centre of the linear equations is one (Devaney 1976)
local function is_reversible(f, x, range, largest)
  for k = 1, 8 do
    local at, v = x + range*(k % 4 - 1.5)/50, math.sqrt(range*largest)*k/40
    local forwards, backwards = f(at, v), f(at, -v)
    if not forwards or not backwards or math.abs(forwards - backwards) > SYMMETRIC*largest then return false end
  end
  return true
end

local FLAT = 1e-6                      -- of the mean slope over the box: a slope that differences do not tell from zero

-- Kind of an equilibrium by the eigenvalues of x'' = f_x x + f_v x'; "equilibrium" where these do not decide
local function classify(f, x, range, largest)
  local h = STEP*range
  local right, left, up, down = f(x + h, 0), f(x - h, 0), f(x, h), f(x, -h)
  if not (right and left and up and down) then return { x = x, kind = "equilibrium" } end
  local fx, fv = (right - left)/(2*h), (up - down)/(2*h)
  local small = 1e-6*math.sqrt(math.abs(fx))
  if math.abs(fx) <= FLAT*largest/range then return { x = x, kind = "equilibrium" } end
  if fx > 0 then
    local root = math.sqrt(fv*fv/4 + fx)
    return { x = x, kind = "saddle", unstable = fv/2 + root, stable = fv/2 - root }
  end
  if math.abs(fv) <= small then return { x = x, kind = is_reversible(f, x, range, largest) and "centre" or "equilibrium" } end
  return { x = x, kind = fv < 0 and "stable" or "unstable" }
end

-- ---- the curves

local function values_of(run, wanted)
  local first, last, rows = run.t[1], run.t[#run.t], {}
  if first == last then return { run:values_at(first, wanted) } end
  for k = 0, POINTS do rows[#rows + 1] = run:values_at(k == POINTS and last or first + (last - first)*k/POINTS, wanted) end
  return rows
end

-- The motion from a start; a run that stops early is drawn as far as it goes
local function motion(system, start, span, o, wanted)
  return values_of(system:simulate{ q = start.q, v = start.v, t = span, parameters = o.parameters }, wanted)
end

-- Angles come back at the edge of the box: the curve is cut there and continues at the other edge
local function wrapped(rows, low)
  local turn, out, before = 2*math.pi, {}, nil
  for _, row in ipairs(rows) do
    local k = math.floor((row[1] - low)/turn)
    if before and k ~= before.k and math.abs(k - before.k) == 1 then
      local edge = low + turn*math.max(k, before.k)
      local y = before.y + (row[2] - before.y)*(edge - before.x)/(row[1] - before.x)
      local leaving = k > before.k
      table.move({ { leaving and low + turn or low, y }, false, { leaving and low or low + turn, y } }, 1, 3, #out + 1, out)
    elseif before and k ~= before.k then
      out[#out + 1] = false
    end
    out[#out + 1] = { row[1] - turn*k, row[2] }
    before = { k = k, x = row[1], y = row[2] }
  end
  return out
end

local function at(system, x, v)
  local name = system.coordinate_names[1]
  return { q = { [name] = x }, v = { [name] = v } }
end

local function given_starts(system, o)
  local list = {}
  for i, start in ipairs(o.starts) do
    if type(start) ~= "table" then fail("portrait: start %d is { q = {...}, v = {...} }, not a %s", i, type(start)) end
    if start.q or start.v then list[i] = start
    elseif #system.coordinate_names == 1 and type(start[1]) == "number" and type(start[2]) == "number" then list[i] = at(system, start[1], start[2])
    else fail("portrait: start %d is { q = {...}, v = {...} }%s", i, #system.coordinate_names == 1 and " or a pair of numbers {x, x'}" or "") end
  end
  if #list == 0 then fail("portrait: starts is an empty list; leave it out, or give starts = { { q = {...}, v = {...} } }") end
  return list
end

-- At rest along the box, and at its left and right edges in motion
local function chosen_starts(system, o, box)
  local list, half = {}, o.n//2
  local function place(range, k, n) return range[1] + (range[2] - range[1])*k/n end
  for k = 1, half do list[#list + 1] = at(system, place(box[1], k - 0.5, half), 0) end
  for k = 1, (o.n - half)//2 do
    local part = k/((o.n - half)//2 + 0.5)
    list[#list + 1] = at(system, box[1][1], box[2][2]*part)
    list[#list + 1] = at(system, box[1][2], box[2][1]*part)
  end
  return list
end

-- Curves of starts, those without a motion counted
local function curves_of(system, starts, spans, o, wanted)
  local curves, failed, why = {}, 0, nil
  for _, start in ipairs(starts) do
    for _, span in ipairs(spans) do
      local fine, rows = protected(motion, system, start, span, o, wanted)
      if core.host.interrupted() then error(rows, 0) end
      if fine then curves[#curves + 1] = rows else failed, why = failed + 1, rows end
    end
  end
  if #curves == 0 then error(why, 0) end
  return curves, failed > 0 and ("%d of %d motions could not be computed: %s"):format(failed, #starts*#spans, tostring(why):match "[^\n]*")
end

-- The four branches of each saddle, until they have left it and may have come back
local function separatrices(system, equilibria, range, o, wanted)
  local curves = {}
  for _, e in ipairs(equilibria) do
    for _, rate in ipairs(e.kind == "saddle" and { e.unstable, e.stable } or {}) do
      local time = -1.9*math.log(NEAR)/rate
      for _, side in ipairs{ -1, 1 } do
        local d = side*NEAR*range
        local fine, rows = protected(motion, system, at(system, e.x + d, rate*d), { 0, time }, o, wanted)
        if fine then curves[#curves + 1] = rows end
      end
    end
  end
  return curves
end

-- ---- the box

local function read_box(o)
  if not o.box then return nil end
  for i = 1, 2 do
    local range = o.box[i]
    local low, high = type(range) == "table" and options.number(range[1]), type(range) == "table" and options.number(range[2])
    if not low or not high or not (low < high) or high - low == math.huge then
      fail("portrait: box is the ranges of both axes, { {-2, 2}, {-3, 3} }: the lower end first")
    end
    o.box[i] = { low, high }
  end
  return o.box
end

-- An angle is drawn over one turn, at speeds somewhat beyond those that the forces along the turn give
local function box_of_angle(f)
  local work, lowest, highest = 0, 0, 0
  for k = 0, CELLS - 1 do
    work = work + (f(-math.pi + 2*math.pi*(k + 0.5)/CELLS, 0) or 0)*2*math.pi/CELLS
    lowest, highest = math.min(lowest, work), math.max(highest, work)
  end
  local speed = highest > lowest and 1.6*math.sqrt(2*(highest - lowest)) or 1
  return { { -math.pi, math.pi }, { -speed, speed } }
end

local function box_of_curves(curves)
  local box = {}
  for i = 1, 2 do
    local columns = {}
    for k, rows in ipairs(curves) do columns[k] = { rows, i } end
    local span = axes.span(columns)
    if span.count == 0 then fail("portrait: the motions have no finite values") end
    local room = span.size > 0 and span.size/12 or 1
    box[i] = { span.low - room, span.high + room }
  end
  return box
end

-- ---- the picture

local ACROSS, UP = 21, 15              -- arrows of the field

local function field_rows(f, box)
  local rows, wide, high = {}, box[1][2] - box[1][1], box[2][2] - box[2][1]
  for i = 1, ACROSS do
    for j = 1, UP do
      local x, v = box[1][1] + wide*(i - 0.5)/ACROSS, box[2][1] + high*(j - 0.5)/UP
      local a = f(x, v)
      local length = a and math.sqrt((v/wide*ACROSS)^2 + (a/high*UP)^2) or 0
      if length > 0 then
        local s = 0.7/length
        rows[#rows + 1] = { x - s*v/2, v - s*a/2, s*v, s*a }
      end
    end
  end
  return rows
end

local marks = {
  saddle = "pt 2 ps 1.4 lw 2 lc rgb '#D55E00'", centre = "pt 7 ps 1.1 lc rgb '#000000'", stable = "pt 7 ps 1.1 lc rgb '#009E73'",
  unstable = "pt 6 ps 1.1 lw 2 lc rgb '#CC79A7'", equilibrium = "pt 4 ps 1.1 lw 2 lc rgb '#000000'",
}

local function joined(curves)
  local rows = {}
  for k, curve in ipairs(curves) do
    if k > 1 then rows[#rows + 1] = false end
    table.move(curve, 1, #curve, #rows + 1, rows)
  end
  return rows
end

-- One entry of the script for all of a kind
local function add(script, plots, rows, style, title)
  if #rows == 0 then return end
  script[#script + 1] = gnuplot.data("d" .. #plots + 1, rows)
  plots[#plots + 1] = ("$d%d %s title %s"):format(#plots + 1, style, gnuplot.quote(title or ""))
end

local function add_equilibria(script, plots, equilibria)
  for _, kind in ipairs{ "centre", "saddle", "stable", "unstable", "equilibrium" } do
    local rows = {}
    for _, e in ipairs(equilibria) do if e.kind == kind then rows[#rows + 1] = { e.x, 0.0 } end end
    add(script, plots, rows, "using 1:2 with points " .. marks[kind], kind)
  end
end

local function read(system, given)
  local wanted, o = {}, {}
  if #system.coordinate_names == 0 then fail("portrait: %s has no coordinates yet: x = S:coordinates \"x\"", system.name) end
  if type(given) ~= "table" then fail("portrait takes a table: S:portrait{ \"theta\", \"theta'\", n = 24, t = 20 }") end
  for key, value in pairs(given) do if math.type(key) == "integer" then wanted[key] = value else o[key] = value end end
  if #wanted > 2 and gnuplot.is_picture(tostring(wanted[3])) then o.file = table.remove(wanted, 3) end
  o = options.check("portrait", schema, o)
  if #wanted == 0 then wanted = { system.coordinate_names[1], system.coordinate_names[1] .. "'" } end
  if #wanted ~= 2 then fail("portrait draws one quantity against another: S:portrait{ \"theta\", \"theta'\" }; %d are given", #wanted) end
  return wanted, o
end

-- Is the picture the plane of the coordinate and its velocity?
local function is_state_plane(system, wanted)
  local q = system:coordinate_list()[1]
  local function is(what, name, e) return what == name or core.is_expression(what) and what == e end
  local name = system.coordinate_names[1]
  return is(wanted[1], name, q) and is(wanted[2], name .. "'", q.dot)
end

--- A phase portrait, the curves of many starts in one picture: S:portrait{ "theta", "theta'", n = 24, t = 20, file = "portrait.svg" }. With one
--- coordinate and equations that do not depend on t, starts are chosen over the box, motions are followed forwards and backwards, and the field,
--- the equilibria and the separatrices of the saddles are drawn. Equilibria are found where the force changes its sign between 400 cells of the
--- box; they are called centre, saddle, stable or unstable, or just equilibrium where the linear equations do not decide. field = false and
--- equilibria = false leave them out. An angle is drawn over one turn; otherwise give box = { {-2, 2}, {-3, 3} }, the
--- ranges of both axes, or starts. starts = { { q = {...}, v = {...} }, ... } are followed forwards; they are required with several coordinates,
--- where any two quantities may be drawn. Further options: t, parameters, and those of run:plot on title, labels and size. The picture has the
--- list `equilibria` with x and kind, and prints how many motions could not be computed.
function System:portrait(given)
  local wanted, o = read(self, given)
  local obstacle = planar_obstacle(self) or not is_state_plane(self, wanted) and "the picture does not show the coordinate and its velocity"
  if obstacle then
    if o.field or o.equilibria then fail("portrait: no field and no equilibria here: %s; leave field and equilibria out", obstacle) end
    if not o.starts then fail("portrait: starts are missing: starts = { { q = {...}, v = {...} }, ... } (they are not chosen here: %s)", obstacle) end
  end
  local x, y = quantity.of(self, wanted[1]), quantity.of(self, wanted[2])
  local f, box, turning = acceleration(self, o), read_box(o), x.kind == "angle"
  if not obstacle and not box and not o.starts then
    box = turning and box_of_angle(f) or fail("portrait: the box is missing: box = { {-2, 2}, {-3, 3} }, the ranges of %s and %s", x.name, y.name)
  end
  local spans = o.starts and { { 0, o.t } } or { { 0, o.t }, { 0, -o.t } }
  local curves, note = curves_of(self, o.starts and given_starts(self, o) or chosen_starts(self, o, box), spans, o, wanted)
  local one_turn = turning and box and math.abs(box[1][2] - box[1][1] - 2*math.pi) < 1e-6
  local equilibria, branches = {}, {}
  box = box or box_of_curves(curves)
  if not obstacle and o.equilibria ~= false then
    local roots, largest = zeros(f, box[1][1], box[1][2])
    for i, root in ipairs(roots) do equilibria[i] = classify(f, root, box[1][2] - box[1][1], largest) end
    branches = separatrices(self, equilibria, box[1][2] - box[1][1], o, wanted)
  end
  if one_turn then
    for _, list in ipairs{ curves, branches } do for k, rows in ipairs(list) do list[k] = wrapped(rows, box[1][1]) end end
  end
  local script, plots = picture.head(o, self.name .. ": phase portrait", x, y), {}
  local function span(range) return { low = range[1], high = range[2], size = range[2] - range[1] } end
  local lines = axes.lines(span(box[1]), span(box[2]), { x = turning, y = y.kind == "angle" }, false, o.size, picture.is_plain(o))
  table.move(lines, 1, #lines, #script + 1, script)
  for i, name in ipairs{ "x", "y" } do script[#script + 1] = ("set %srange [%.17g:%.17g]"):format(name, box[i][1], box[i][2]) end
  if not obstacle and o.field ~= false and not picture.is_plain(o) then
    add(script, plots, field_rows(f, box), "using 1:2:3:4 with vectors head size graph 0.006,25 filled lw 1 lc rgb '#b0b0b0'")
  end
  add(script, plots, joined(curves), "using 1:2 with lines lw 1.3 lc rgb '#0072B2'")
  add(script, plots, joined(branches), "using 1:2 with lines lw 2.2 lc rgb '#D55E00'", "separatrix")
  add_equilibria(script, plots, equilibria)
  local result = picture.make(script, plots, o)
  result.equilibria, result.note = equilibria, note or false
  return result
end

options.declare("portrait", schema)

return System
