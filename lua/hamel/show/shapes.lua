-- shapes.lua: the shapes of animations and films as their user gives them: what each needs, checked; how each is placed at an instant.
local bodies = require "hamel.show.bodies"
local core = require "hamel.core"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"
local stl = require "hamel.show.stl"

local fail = object.fail
local shapes = {}

-- What a shape needs: points (three expressions; two lie in the plane z = 0), directions, scalars, numbers, files. place: what its body moves with:
-- "span" between two points, "axle" about an axis, "frame" with two directions. turned: a direction across the axis, in place of the angle.
local kinds = {
  ball = { points = { "at" }, numbers = { radius = 0.1 } },
  trace = { points = { "of" } },
  bar = { place = "span", points = { "from", "to" }, numbers = { width = 0.04 } },
  spring = { place = "span", points = { "from", "to" }, numbers = { radius = 0.08, turns = 8 } },
  cylinder = { place = "span", points = { "from", "to" }, numbers = { radius = 0.1 } },
  cone = { place = "span", points = { "from", "to" }, numbers = { radius = 0.1 } },
  arrow = { place = "span", points = { "at" }, directions = { "along" }, scalars = { "force" }, numbers = { scale = false } },
  disc = { place = "axle", points = { "at" }, directions = { "axis" }, scalars = { "spin" }, turned = "mark", numbers = { radius = 0.5 } },
  wheel = { place = "axle", points = { "at" }, directions = { "axis" }, scalars = { "spin" }, turned = "mark",
            numbers = { radius = 0.3, width = 0.08 } },
  blade = { place = "frame", points = { "at" }, directions = { "along" }, numbers = { length = 0.3 } },
  box = { place = "frame", points = { "at" }, directions = { "along", "up" }, numbers = { length = 0.4, width = 0.2, height = 0.1 } },
  ellipsoid = { place = "frame", points = { "at" }, directions = { "along", "up" }, numbers = { a = 0.4, b = 0.25, c = 0.2 } },
  mesh = { place = "frame", points = { "at" }, directions = { "along", "up" }, numbers = { scale = 1 }, texts = { "file" } },
  graph = { place = "frame", points = { "at" }, directions = { "along", "up" }, numbers = { size = 0 }, functions = { "height" } },
  globe = { place = "frame", points = { "at" }, directions = { "along", "up" }, numbers = { radius = 1 } },
  tube = { place = "frame", points = { "at" }, directions = { "along", "up" }, numbers = { radius = 1, length = 0 } },
  plane = { place = "world", fixed = { at = { 0, 0, 0 }, normal = { 0, 0, 1 } }, numbers = { size = 0 } },
}
-- Directions of bodies that do not turn
local level = { box = { along = { 1, 0, 0 }, up = { 0, 0, 1 } } }
for _, kind in ipairs{ "ellipsoid", "mesh", "graph", "globe", "tube" } do level[kind] = level.box end

local MOST_TURNS = 200                 -- of a spring

local colours = { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9" }

local function vector(shape, key, what)
  local given = shape[key]
  if given == nil and level[shape[1]] then given = level[shape[1]][key] end
  if given == nil then fail("animation: %s: %s is missing, a list of two or three expressions: %s = {x, y}", what, key, key) end
  if type(given) ~= "table" or core.is_expression(given) or (#given ~= 2 and #given ~= 3) then
    fail("animation: %s: %s is a list of two or three expressions", what, key)
  end
  return { given[1], given[2], given[3] or 0 }
end

-- A number of a shape: a number, or an expression of parameters, which have the values of the run
local function constant(run, given, what)
  if not core.is_expression(given) then return type(given) == "number" and given or fail("animation: %s is a number or an expression of parameters", what) end
  local parameters, values = run.observer.parameters, run.observer.values
  run.observer:expression(given)
  for _, s in ipairs(core.symbols{ given }) do
    if not object.contains(parameters, s) then fail("animation: %s contains %s; it is a number or an expression of parameters", what, core.text(s)) end
  end
  return core.value(given, parameters, values)
end

local function size(run, given, what)
  local value = constant(run, given, what)
  if value - value ~= 0 or value < 0 then fail("animation: %s is %s; it is a finite number and not negative", what, object.number(value)) end
  if what:find ": turns$" and value > MOST_TURNS then fail("animation: %s is %s; %d are the most", what, object.number(value), MOST_TURNS) end
  return value
end

-- A function of x, y from one that returns an expression of them and of parameters, with the values of the run
local function of_two(run, given, what)
  if type(given) ~= "function" then fail("animation: %s is a function: height = function(x, y) return x^2 - y^2 end", what) end
  local inputs = { core.symbol("surface_x", symbols.EXTERNAL), core.symbol("surface_y", symbols.EXTERNAL) }
  local e = given(inputs[1], inputs[2])
  if type(e) == "number" then e = core.number(e) end
  if not core.is_expression(e) then fail("animation: %s returns an expression in x, y, not a %s", what, type(e)) end
  table.move(run.observer.parameters, 1, #run.observer.parameters, 3, inputs)
  for _, s in ipairs(core.symbols{ e }) do
    if not object.contains(inputs, s) then fail("animation: %s contains %s; it depends on x, y and parameters", what, core.text(s)) end
  end
  local p = core.program(inputs, { e })
  return function(x, y) return p:eval(table.move(run.observer.values, 1, #run.observer.values, 3, { x, y }))[1] end
end

local function check_keys(shape, kind, what)
  local known = { colour = true, label = true, [kind.turned or "label"] = true }
  for _, group in ipairs{ kind.points or {}, kind.directions or {}, kind.scalars or {}, kind.texts or {}, kind.functions or {} } do
    for _, key in ipairs(group) do known[key] = true end
  end
  for _, group in ipairs{ kind.numbers or {}, kind.fixed or {} } do for key in pairs(group) do known[key] = true end end
  local unknown = {}
  for key in pairs(shape) do
    if math.type(key) == "integer" and key > 1 then
      fail("animation: %s: value %d has no name; write {\"ball\", at = {x, y}} (known: %s)", what, key, table.concat(object.keys(known), ", "))
    end
    if key ~= 1 and not known[key] then unknown[#unknown + 1] = tostring(key) end
  end
  table.sort(unknown)
  local names = object.keys(known)
  if #unknown == 1 then fail("animation: %s has no '%s'%s", what, unknown[1], object.hint(unknown[1], names)) end
  if #unknown > 1 then fail("animation: %s has no %s (known: %s)", what, object.either(unknown), table.concat(names, ", ")) end
end

-- Other words for shapes
local OTHERWISE = { line = "bar", rod = "bar", link = "bar", segment = "bar", sphere = "ball", point = "ball", mass = "ball", particle = "ball",
                    circle = "disc", path = "trace", trail = "trace", cube = "box", block = "box", rectangle = "box", floor = "plane", ground = "plane",
                    vector = "arrow" }

local function refuse_kind(i, shape, name)
  if type(shape) ~= "table" then
    fail("animation: the shapes are a list of tables: { {\"ball\", at = {x, y}}, {\"trace\", of = {x, y}} }; number %d is %s", i, tostring(shape))
  end
  local known = object.keys(kinds)
  local near = OTHERWISE[name] or object.nearest(tostring(name), known)
  fail("animation: shape %d is {\"ball\", ...}: one of %s, not '%s'%s", i, table.concat(known, ", "), tostring(name),
    near and (" (did you mean '%s'?)"):format(near) or "")
end

-- A disc whose mark on the rim is given by a direction is placed like a body with two directions
local function turned(shape, entry, what, place)
  if shape.spin ~= nil then fail("animation: %s: spin and mark both say how it turns; give one of them", what) end
  local v = vector(shape, "mark", what)
  entry.place, entry.along, entry.up = "frame", { place(v[1], what, "mark"), place(v[2], what, "mark"), place(v[3], what, "mark") }, entry.axis
end

-- One shape as a plain table
local function read_shape(run, shape, i, place)
  local name = type(shape) == "table" and shape[1]
  local what = ("shape %d (%s)"):format(i, tostring(name))
  local kind = kinds[name] or refuse_kind(i, shape, name)
  check_keys(shape, kind, what)
  local entry = { kind = name, place = kind.place, colour = shape.colour or colours[(i - 1) % #colours + 1], label = shape.label }
  if not tostring(entry.colour):find "^#%x%x%x%x%x%x$" then fail("animation: %s: colour is '#rrggbb', not '%s'", what, tostring(entry.colour)) end
  if entry.label ~= nil and type(entry.label) ~= "string" then fail("animation: %s: label is a text", what) end
  for _, group in ipairs{ kind.points or {}, kind.directions or {} } do
    for _, key in ipairs(group) do
      local v = vector(shape, key, what)
      entry[key] = { place(v[1], what, key), place(v[2], what, key), place(v[3], what, key) }
    end
  end
  local by_mark = kind.turned and shape[kind.turned] ~= nil
  if by_mark then turned(shape, entry, what, place) end
  for _, key in ipairs(not by_mark and kind.scalars or {}) do
    if shape[key] ~= nil or key == "spin" then entry[key] = place(shape[key] or 0, what, key) end
  end
  for key, default in pairs(kind.numbers or {}) do
    local given = shape[key]
    if given == nil then given = default end
    entry[key] = given and size(run, given, what .. ": " .. key)
  end
  for key, default in pairs(kind.fixed or {}) do
    local list = shape[key] ~= nil and vector(shape, key, what) or default
    entry[key] = {}
    for k, value in ipairs(list) do entry[key][k] = constant(run, value, ("%s: %s[%d]"):format(what, key, k)) end
  end
  local n = entry.normal
  if n and n[1] == 0 and n[2] == 0 and n[3] == 0 then fail("animation: %s: normal is zero: it is a direction", what) end
  for _, key in ipairs(kind.texts or {}) do
    if type(shape[key]) ~= "string" then fail("animation: %s: %s is the name of a file: {\"mesh\", at = {x, y, z}, file = \"part.stl\"}", what, key) end
    entry.surface = stl.read(shape[key])
  end
  for _, key in ipairs(kind.functions or {}) do entry[key] = of_two(run, shape[key], ("%s: %s"):format(what, key)) end
  return entry
end

--- The shapes as plain tables with places of their expressions (from 0) in a list: entries, expressions, and what each expression is, in words.
function shapes.read(run, given)
  local list, wanted, words = {}, {}, {}
  local function place(e, what, key)
    wanted[#wanted + 1], words[#words + 1] = e, what .. ": " .. key
    return #wanted - 1
  end
  if type(given) ~= "table" then fail("animation: shapes are a list: { {\"ball\", at = {x, y}} }") end
  for i, shape in ipairs(given) do list[i] = read_shape(run, shape, i, place) end
  if #list == 0 then fail("animation: shapes are missing: run:animate(\"a.html\", { {\"ball\", at = {x, y}}, {\"trace\", of = {x, y}} })") end
  return list, wanted, words
end

-- ---- places

local function unit(a)
  local l = math.sqrt(a[1]^2 + a[2]^2 + a[3]^2)
  if l == 0 then l = 1 end
  return { a[1]/l, a[2]/l, a[3]/l }
end
local function cross(a, b) return { a[2]*b[3] - a[3]*b[2], a[3]*b[1] - a[1]*b[3], a[1]*b[2] - a[2]*b[1] } end
local function along(p, s, d) return { p[1] + s*d[1], p[2] + s*d[2], p[3] + s*d[3] } end
local function dot(a, b) return a[1]*b[1] + a[2]*b[2] + a[3]*b[3] end

--- The vector at three places (from 0) of a list of values.
function shapes.pick(v, places) return { v[places[1] + 1], v[places[2] + 1], v[places[3] + 1] } end
local pick = shapes.pick

--- Two directions across an axis, right-handed with it; the first is level.
function shapes.across(axis)
  local n = unit(axis)
  local first = math.sqrt(n[1]^2 + n[2]^2) < 1e-9 and { 1, 0, 0 } or unit(cross({ 0, 0, 1 }, n))
  return first, cross(n, first)
end

-- The ends of what lies between two points; an arrow has one end and a vector
local function ends(s, v)
  if s.kind ~= "arrow" then return pick(v, s.from), pick(v, s.to) end
  local from, d = pick(v, s.at), pick(v, s.along)
  return from, along(from, s.scale*(s.force and v[s.force + 1] or 1), d)
end

local placed = {}

function placed.world() return function(p) return p end end

function placed.span(s, v)
  local from, to = ends(s, v)
  local d = along(to, -1, from)
  local length, n = math.sqrt(dot(d, d)), unit(d)
  if length == 0 then return nil end
  local u, w = shapes.across(d)
  local k = s.body.head and math.min(1, length/s.body.head) or 1
  return function(p) return along(along(along(along(from, k*p[1], u), k*p[2], w), p[3], d), k*(p[4] or 0), n) end
end

function placed.axle(s, v)
  local at, n, spin = pick(v, s.at), unit(pick(v, s.axis)), v[s.spin + 1]
  local u, w = shapes.across(n)
  local c, r = math.cos(spin), math.sin(spin)
  local e = { along({ c*u[1], c*u[2], c*u[3] }, r, w), along({ -r*u[1], -r*u[2], -r*u[3] }, c, w) }
  return function(p) return along(along(along(at, p[1], e[1]), p[2], e[2]), p[3], n) end
end

function placed.frame(s, v)
  local at, e = pick(v, s.at), unit(pick(v, s.along))
  local up = s.up and pick(v, s.up) or { 0, 0, 1 }
  local g = along(up, -dot(up, e), e)
  if dot(g, g) < 1e-18 then g = shapes.across(e) end
  g = unit(g)
  local f = cross(g, e)
  return function(p) return along(along(along(at, p[1], e), p[2], f), p[3], g) end
end

--- The function from points of a shape's body to the world at the values v; nil where the shape has no extent there.
function shapes.placed(s, v) return placed[s.place](s, v) end

--- Gives every shape its body. extent: the size of what moves, by which arrows and planes without a size are drawn.
function shapes.embody(list, extent)
  for _, s in ipairs(list) do
    if s.kind == "plane" then
      local u, w = shapes.across(s.normal)
      s.body = bodies.plane(s, s.size > 0 and s.size or extent, u, w)
    elseif s.kind == "graph" then
      s.body = bodies.graph(s.height, s.size > 0 and s.size or extent/2)
    elseif s.kind == "tube" then s.body = bodies.tube(s, (s.length > 0 and s.length or extent)/2)
    elseif s.place then
      s.body = bodies[s.kind](s, 0.05*extent)
    end
    s.surface, s.height = nil, s.kind ~= "graph" and s.height or nil
  end
end

return shapes
