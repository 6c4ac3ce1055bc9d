-- shape.lua: shapes of bodies as they are declared, and the moments of inertia of homogeneous ones.
local constant = require "hamel.bodies.constant"
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local Vector = require "hamel.bodies.vector"

local fail = object.fail
local shape = {}

-- What each shape takes: by place behind its name or by name; optional ones in brackets
local kinds = {
  point = {},
  sphere = { "radius" },
  disc = { "radius", optional = { "thickness", "axis" } },
  torus = { "radius", "tube", optional = { "axis" } },
  ellipsoid = { "a", "b", "c" },
  box = { "a", "b", "c" },
  cylinder = { "radius", "length", optional = { "axis" } },
}

local axes = { x = 1, y = 2, z = 3 }

local function usage(kind)
  local list = {}
  for i, name in ipairs(kinds[kind]) do list[i] = name .. " = ..." end
  return ("{\"%s\", %s}"):format(kind, table.concat(list, ", "))
end

local function length(system, value, what)
  local e = constant(system, value, what)
  local number = options.number(e)
  if number and number <= 0 then fail("%s is %s; a length is positive", what, core.text(e)) end
  return e
end

--- The record of a shape: { kind, its lengths by name, axis = 1, 2 or 3, centre = vector from the mass centre or nil }.
---@param given table as in {"disc", radius = r, axis = "y"}
function shape.read(system, given, body)
  local what = ("body '%s': shape"):format(body)
  if type(given) ~= "table" then fail("%s is a table, as in {\"sphere\", radius = r}; not %s", what, type(given)) end
  local kind = given[1]
  if type(kind) ~= "string" then fail("%s: the first entry is its kind, a text, as in {\"sphere\", radius = r}", what) end
  if not kinds[kind] then fail("%s: '%s' is no kind of shape%s", what, kind, object.hint(kind, object.keys(kinds))) end
  local record, known = { kind = kind, axis = 3 }, { "centre" }
  table.move(kinds[kind], 1, #kinds[kind], #known + 1, known)
  table.move(kinds[kind].optional or {}, 1, #(kinds[kind].optional or {}), #known + 1, known)
  for key in pairs(given) do
    local place = math.tointeger(key)
    if not (place and place <= #kinds[kind] + 1) and not object.contains(known, key) then
      fail("%s: a %s has no '%s'%s", what, kind, tostring(key), object.hint(tostring(key), known))
    end
  end
  for i, name in ipairs(kinds[kind]) do
    local value = given[name]
    if value == nil then value = given[i + 1] end
    if value == nil then fail("%s: '%s' is missing: %s", what, name, usage(kind)) end
    record[name] = length(system, value, ("%s: %s"):format(what, name))
  end
  local tube, radius = record.tube and options.number(record.tube), record.tube and options.number(record.radius)
  if tube and radius and tube > radius then
    fail("%s: the tube, %s, is larger than the radius, %s, of the circle in its middle, so that the torus cuts itself", what, core.text(record.tube),
      core.text(record.radius))
  end
  if given.thickness ~= nil then record.thickness = length(system, given.thickness, what .. ": thickness") end
  if given.axis ~= nil then
    record.axis = axes[given.axis] or fail("%s: the axis is 'x', 'y' or 'z' of the body's frame, not %s", what, tostring(given.axis))
  end
  if given.centre ~= nil then record.centre = Vector._demand_free(given.centre, system, what .. ": centre, from the mass centre,") end
  return record
end

local lengths = { "radius", "tube", "thickness", "a", "b", "c", "length" }

--- The lengths of a shape as expressions, in a fixed order, and their names.
function shape.lengths(record)
  local list, names = {}, {}
  for _, name in ipairs(record and lengths or {}) do if record[name] then list[#list + 1], names[#names + 1] = record[name], name end end
  return list, names
end

--- Raises where the lengths of a shape are impossible at these values of the parameters.
function shape.check(record, body, symbols_of, values)
  local list, names = shape.lengths(record)
  if #list == 0 then return end
  local numbers, by_name = core.program(symbols_of, list):eval(values), {}
  for i, name in ipairs(names) do
    by_name[name] = numbers[i]
    if not (numbers[i] > 0) then
      fail("body '%s': shape: %s is %s at the values of the parameters; a length is positive", body, name, object.number(numbers[i]))
    end
  end
  if by_name.tube and by_name.tube > by_name.radius then
    fail("body '%s': shape: the tube, %s, is larger than the radius, %s, of the circle in its middle, so that the torus cuts itself", body,
      object.number(by_name.tube), object.number(by_name.radius))
  end
end

-- ---- moments of inertia about the centre, with the given mass

local function rational(a, b) return core.rational(a, b) end

-- Moments about the axis of symmetry and about a line at right angles to it
local function about(axis, along, across)
  local list = { across, across, across }
  list[axis] = along
  return list
end

local solid = {
  sphere = function(s) local j = rational(2, 5)*s.radius^2 return { j, j, j } end,
  disc = function(s)
    local across = s.radius^2/4
    if s.thickness then across = across + s.thickness^2/12 end
    return about(s.axis, s.radius^2/2, across)
  end,
  torus = function(s) return about(s.axis, s.radius^2 + rational(3, 4)*s.tube^2, s.radius^2/2 + rational(5, 8)*s.tube^2) end,
  ellipsoid = function(s) return { (s.b^2 + s.c^2)/5, (s.a^2 + s.c^2)/5, (s.a^2 + s.b^2)/5 } end,
  box = function(s) return { (s.b^2 + s.c^2)/12, (s.a^2 + s.c^2)/12, (s.a^2 + s.b^2)/12 } end,
  cylinder = function(s) return about(s.axis, s.radius^2/2, s.radius^2/4 + s.length^2/12) end,
}

local shell = {
  sphere = function(s) local j = rational(2, 3)*s.radius^2 return { j, j, j } end,
  disc = function(s) return about(s.axis, s.radius^2, s.radius^2/2) end,
  torus = function(s) return about(s.axis, s.radius^2 + rational(3, 2)*s.tube^2, s.radius^2/2 + rational(5, 4)*s.tube^2) end,
  cylinder = function(s) return about(s.axis, s.radius^2, s.radius^2/2 + s.length^2/12) end,
}

--- Principal moments of a homogeneous body of a shape: "solid", or "shell" (a disc: a ring; a cylinder: a tube without ends).
function shape.moments(record, mass, filling, body)
  local f = (filling == "solid" and solid or shell)[record.kind]
  if not f then
    fail("body '%s': there is no formula for the %s of a %s; give its moments, inertia = {A, B, C}", body, filling == "shell" and filling or "moments",
      record.kind)
  end
  if record.centre then
    fail("body '%s': inertia = \"%s\" is for a homogeneous body, whose mass centre is the centre of its shape; remove centre, or give the moments",
      body, filling)
  end
  local list = f(record)
  for i = 1, 3 do list[i] = mass*list[i] end
  return list
end

return shape
