-- motion.lua: what a page and a film show of a run: frames of the shapes' expressions, traces, the camera, read-outs.
local core = require "hamel.core"
local drawn_bodies = require "hamel.show.drawn_bodies"
local dress = require "hamel.algebra.dress"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local shapes = require "hamel.show.shapes"

local fail = object.fail
local motion = {}

--- Options of pages and films.
motion.schema = {
  title = { type = "string", doc = "above the picture; the system's name when not given" },
  speed = { default = 1, above = 0, type = "number", doc = "seconds of the motion in a second of the clock" },
  view = { type = "table", list = true, doc = "{ yaw, pitch } of the camera in degrees; pitch 90 looks down the z axis" },
  follow = { type = "table", list = true, doc = "the point that stays in the middle: two or three expressions" },
  gravity = { type = "table", list = true, doc = "direction of gravity, shown as an arrow beside the axes: {0, 0, -1}" },
  show = { type = "table", list = true, doc = "quantities shown as numbers, such as {\"energy\", \"lambda.blade\"}; the energy when not given" },
  parameters = { default = true, type = "boolean", doc = "show the values of the parameters" },
  bodies = { default = true, type = "boolean", doc = "draw the bodies of the system by their shapes, beside the shapes given" },
}

local MOST_POINTS = 5000               -- of a trace
local SMOOTH = 1/2000                  -- of the size of what moves: how far a trace may bend away from its chords

local function is_finite(x) return x - x == 0 end

-- Values at a time; what has none is named, where it has words
local function values_at(run, t, wanted, words)
  local values = run:values_at(t, wanted)
  for k = 1, #wanted do
    if not is_finite(values[k]) and words[k] then fail("animation: %s has no value at t = %.6g", words[k], t) end
  end
  return values
end

-- ---- the box of what moves

local function widen(box, p, r)
  for k = 1, 3 do
    box.low[k], box.high[k] = math.min(box.low[k], p[k] - r), math.max(box.high[k], p[k] + r)
  end
end

-- How far a shape reaches around its points
local function reach(s)
  local sizes = math.max(s.radius or 0, s.a or 0, s.b or 0, s.c or 0)
  if s.kind == "box" then return math.sqrt(s.length^2 + s.width^2 + s.height^2)/2 end
  if s.kind == "blade" then return s.length/2 end
  if s.kind == "mesh" then
    local most = 0
    for _, p in ipairs(s.surface.points) do most = math.max(most, p[1]^2 + p[2]^2 + p[3]^2) end
    return s.scale*math.sqrt(most)
  end
  return sizes
end

-- Centre, half the edges and size; a followed point is the origin, and traces, which it leaves behind, do not count then
local function extent_of(list, frames, follow)
  local box = { low = { math.huge, math.huge, math.huge }, high = { -math.huge, -math.huge, -math.huge } }
  for _, s in ipairs(list) do
    local r = reach(s)
    for _, key in ipairs{ "at", "from", "to", "of" } do
      if s[key] and s.kind ~= "plane" and not (follow and key == "of") then
        for _, v in ipairs(frames) do
          local p, origin = shapes.pick(v, s[key]), follow and shapes.pick(v, follow) or { 0, 0, 0 }
          widen(box, { p[1] - origin[1], p[2] - origin[2], p[3] - origin[3] }, r)
        end
      end
    end
  end
  if box.low[1] == math.huge then box = { low = { -1, -1, -1 }, high = { 1, 1, 1 } } end
  local centre, half, size = {}, {}, 0
  for k = 1, 3 do
    centre[k] = follow and 0 or (box.low[k] + box.high[k])/2
    half[k] = math.max(box.high[k] - centre[k], centre[k] - box.low[k])
    size = size + 4*half[k]^2
  end
  return centre, half, size > 0 and math.sqrt(size) or 1
end

local solids = { "mesh", "graph", "globe", "tube", "box", "ellipsoid", "wheel", "cone", "cylinder" }

-- Is all of it in the plane z = 0, all the time?
local function is_plane(list, frames)
  for _, s in ipairs(list) do
    if object.contains(solids, s.kind) then return false end
    for _, key in ipairs{ "at", "from", "to", "of", "along" } do
      local places = s.kind ~= "plane" and s[key]
      if places then for _, v in ipairs(frames) do if v[places[3] + 1] ~= 0 then return false end end end
    end
  end
  return true
end

-- Axes and directions of bodies; an arrow may vanish
local function demand_directions(list, times, frames)
  for i, s in ipairs(list) do
    for _, key in ipairs{ "axis", "along" } do
      for k, v in ipairs(s[key] and s.kind ~= "arrow" and frames or {}) do
        local d = shapes.pick(v, s[key])
        if d[1] == 0 and d[2] == 0 and d[3] == 0 then
          fail("animation: shape %d (%s): %s is zero at t = %.6g: it is a direction", i, s.kind, key, times[k])
        end
      end
    end
  end
end

local function read_view(view)
  local yaw, pitch = options.number(view[1]), options.number(view[2])
  if not yaw or not pitch or not is_finite(yaw) or not is_finite(pitch) then fail("animation: view is two angles in degrees, { yaw, pitch }: {-30, 25}") end
  return yaw, pitch
end

-- ---- traces

-- Where a curve bends away from the chord by more than `off`, the middle is added
local function refined(curve, rows, off)
  local out, count = { rows[1] }, #rows
  local function between(a, b, depth)
    local t = (a[1] + b[1])/2
    if depth > 0 and count < MOST_POINTS and t ~= a[1] and t ~= b[1] then
      local m = curve(t)
      local d = 0
      for k = 2, 4 do d = math.max(d, math.abs(m[k] - (a[k] + b[k])/2)) end
      if d > off then
        count = count + 1
        between(a, m, depth - 1)
        out[#out + 1] = m
        between(m, b, depth - 1)
      end
    end
  end
  for i = 2, #rows do
    between(rows[i - 1], rows[i], 6)
    out[#out + 1] = rows[i]
  end
  return out
end

local function add_traces(run, list, wanted, words, size, n)
  local from, to = run.t[1], run.t[#run.t]
  for _, s in ipairs(list) do
    if s.kind == "trace" then
      local three, names = {}, {}
      for k, place in ipairs(s.of) do three[k], names[k] = wanted[place + 1], words[place + 1] end
      local function curve(t)
        local p = values_at(run, t, three, names)
        return { t, p[1], p[2], p[3] }
      end
      local rows, count = {}, math.min(n, MOST_POINTS//4)
      for k = 1, count do rows[k] = curve(k == count and to or from + (to - from)*((k - 1)/(count - 1))) end
      s.track = refined(curve, rows, SMOOTH*size)
    end
  end
end

-- ---- what is written beside the picture

-- Those with sliders show their values there
local function parameter_lines(run, o)
  local lines, slides = {}, run.system:by_name(o.sliders or {}, "sliders")
  if not o.parameters then return lines end
  for i, s in ipairs(run.observer.parameters) do
    local name = core.text(s)
    local unit = run.system._unit[name]
    local behind = unit and unit.label ~= "" and " " .. dress.formula(unit.label) or ""
    if slides[name] == nil then lines[#lines + 1] = ("%s = %.6g%s"):format(dress.label(name), run.observer.values[i], behind) end
  end
  return lines
end

-- Quantities that are shown live: { label, unit, place }
local function readouts(run, o, wanted, words)
  local list = o.show
  if not list then list = run.equations.energy and { "energy" } or {} end
  local out = {}
  for i, what in ipairs(list) do
    local name = type(what) == "string" and what or core.text(core.number(what))
    local unit = run.system:unit_labels()[name] or run.system:unit_of(type(what) == "string" and what or run.observer:expression(what))
    wanted[#wanted + 1] = what
    words[#wanted] = o.show and ("show[%d] (%s)"):format(i, name) or false
    out[i] = { label = dress.label(name), unit = unit and unit ~= "1" and dress.formula(unit) or "", place = #wanted - 1 }
  end
  return out
end

-- The energy, which nobody asked for, is left out where it has no value
local function with_values(list, frames)
  local out = {}
  for _, row in ipairs(list) do
    local finite = true
    for _, v in ipairs(frames) do finite = finite and is_finite(v[row.place + 1]) end
    if finite then out[#out + 1] = row end
  end
  return out
end

local function three(given, what)
  if #given ~= 2 and #given ~= 3 then fail("animation: %s is a list of two or three expressions", what) end
  return { given[1], given[2], given[3] or 0 }
end

local function places_of(given, what, wanted, words)
  local places = {}
  for k, e in ipairs(three(given, what)) do
    wanted[#wanted + 1], words[#words + 1] = e, what
    places[k] = #wanted - 1
  end
  return places
end

local function gravity_of(o)
  if not o.gravity then return nil end
  local g, size = {}, 0
  for k, value in ipairs(three(o.gravity, "gravity")) do
    g[k] = options.number(value) or fail("animation: gravity is a direction, a list of numbers: {0, 0, -1}")
    size = size + g[k]^2
  end
  if not (size > 0) or size == math.huge then fail("animation: gravity is a direction and not zero: {0, 0, -1}") end
  return { g[1]/math.sqrt(size), g[2]/math.sqrt(size), g[3]/math.sqrt(size) }
end

-- Arrows without a scale: the longest is a quarter of what moves
local function scale_arrows(list, frames, size)
  for _, s in ipairs(list) do
    if s.kind == "arrow" and not s.scale then
      local most = 0
      for _, v in ipairs(frames) do
        local d = shapes.pick(v, s.along)
        most = math.max(most, math.abs(s.force and v[s.force + 1] or 1)*math.sqrt(d[1]^2 + d[2]^2 + d[3]^2))
      end
      s.scale = most > 0 and size/4/most or 1
    end
  end
end

-- The unit of the scale: that of a coordinate that is a length
local function length_unit(system)
  for _, name in ipairs(system.coordinate_names) do
    local unit = system._unit[name]
    if unit and unit.label == "m" then return "m" end
  end
  return ""
end

-- Width and height of the box as the camera sees it at first
local function seen(box, yaw, pitch, size)
  local a, b, wide, high = math.rad(yaw), math.rad(pitch), 0, 0
  for corner = 0, 7 do
    local p = {}
    for k = 1, 3 do p[k] = box[k]*(corner >> (k - 1) & 1 == 1 and 1 or -1) end
    local away = -p[1]*math.sin(a) + p[2]*math.cos(a)
    wide = math.max(wide, math.abs(p[1]*math.cos(a) + p[2]*math.sin(a)))
    high = math.max(high, math.abs(away*math.sin(b) + p[3]*math.cos(b)))
  end
  return math.max(wide, size/10), math.max(high, size/10)
end

-- The bodies of the system and the shapes given
local function with_bodies(run, given, o)
  local list = o.bodies and drawn_bodies.list(run.system) or {}
  if #list == 0 or (given ~= nil and type(given) ~= "table") then return given or list end
  return table.move(given or {}, 1, #(given or {}), #list + 1, list)
end

--- All of it as plain tables: shapes with bodies, times, frames (values of the shapes' expressions, a list for each time), centre and size of what
--- moves, its width and height as it is seen at first, yaw and pitch, follow, gravity, lines of parameters, readouts, unit of lengths, title.
--- Then the expressions of the frames, and the shapes as they were given.
function motion.read(run, given, o, n)
  if not run.options.dense then fail("animation: this run kept no dense output (dense = false)") end
  local as_given = with_bodies(run, given, o)
  local list, wanted, words = shapes.read(run, as_given)
  local follow = o.follow and places_of(o.follow, "follow", wanted, words)
  local shown = readouts(run, o, wanted, words)
  local times, frames, from, to = {}, {}, run.t[1], run.t[#run.t]
  if from == to then fail("animation: the run has no length") end
  for k = 1, n do
    times[k] = k == n and to or from + (to - from)*((k - 1)/(n - 1))
    frames[k] = values_at(run, times[k], wanted, words)
  end
  demand_directions(list, times, frames)
  local centre, half, size = extent_of(list, frames, follow)
  scale_arrows(list, frames, size)
  add_traces(run, list, wanted, words, size, n)
  local view = o.view or (is_plane(list, frames) and { 0, 90 } or { -30, 25 })
  local yaw, pitch = read_view(view)
  local wide, high = seen(half, yaw, pitch, size)
  shapes.embody(list, size)
  return {
    shapes = list, times = times, frames = frames, speed = o.speed, yaw = yaw, pitch = pitch, centre = centre, size = size,
    follow = follow, wide = 2*wide, high = 2*high, gravity = gravity_of(o), parameters = parameter_lines(run, o), readouts = with_values(shown, frames),
    unit = length_unit(run.system), title = o.title or run.system.name,
  }, wanted, as_given
end

return motion
