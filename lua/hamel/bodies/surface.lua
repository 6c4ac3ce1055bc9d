-- surface.lua: surfaces that belong to a frame, and move with it: planes, spheres, cylinders, and those given by a function.
local constant = require "hamel.bodies.constant"
local Frame = require "hamel.bodies.frame"
local given_surface = require "hamel.bodies.given_surface"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local Point = require "hamel.bodies.point"
local Vector = require "hamel.bodies.vector"

local fail = object.fail

local Surface = object.class "Surface"

local at = { type = "table", doc = "a point of the plane, the centre, or a point of the axis; S.origin when not given" }
local radius = { doc = "number or expression" }
local inside = { default = false, type = "boolean", doc = "true: bodies are inside" }

local schemas = {
  plane = { at = at }, sphere = { radius = radius, at = at, inside = inside }, cylinder = { radius = radius, at = at, inside = inside },
  surface = { at = { type = "table", doc = "the point from which x, y, z count; S.origin when not given" },
    height = { type = "function", doc = "function(x, y) that returns the height z above the plane z = 0 of the frame; bodies are above" },
    equation = { type = "function", doc = "function(x, y, z) that vanishes on the surface; bodies are where it is positive" } },
}

local function new(frame, kind, given)
  local what = "F:" .. kind
  local o = options.check(what, schemas[kind], given)
  local surface = { system = frame.system, kind = kind, frame = frame, body = false, inside = o.inside or false, radius = false, form = false,
    at = o.at and Point._at(o.at, frame.system, what .. ": at") or frame.system.origin }
  if kind == "surface" then surface.form = given_surface.read(frame.system, o)
  elseif kind ~= "plane" then
    if o.radius == nil then fail("%s: radius is missing: F:%s{ radius = r }", what, kind) end
    surface.radius = constant(frame.system, o.radius, what .. ": radius")
    local number = options.number(surface.radius)
    if number and number <= 0 then fail("%s: radius = %g is not positive", what, number) end
  end
  return setmetatable(surface, Surface.meta)
end

--- The plane z = 0 of the frame, through a point: N:plane(), N:rotate("y", alpha):plane{ at = P }. Bodies are on the side of F.z. It moves with the frame.
function Frame:plane(given) return new(self, "plane", given) end

--- A sphere that moves with the frame: F:sphere{ radius = R, at = P, inside = true }; bodies are outside unless inside = true.
function Frame:sphere(given) return new(self, "sphere", given) end

--- A cylinder about an axis along F.z that moves with the frame: F:cylinder{ radius = R, at = P, inside = true }; bodies are outside unless inside = true.
function Frame:cylinder(given) return new(self, "cylinder", given) end

--- A surface given by a function, which moves with the frame: N:surface{ height = function(x, y) return (x^2 + y^2)/(2*p) end }, with bodies above it, or
--- N:surface{ equation = function(x, y, z) return 1 - x^2/a^2 - y^2/b^2 - z^2/c^2 end }, with bodies where it is positive (here inside an
--- ellipsoid). The function is called once, with symbols for the components from `at` in the frame, and may contain parameters. Spheres roll on it
--- (S:rolls) and touch it (S:contact), points touch it.
function Frame:surface(given) return new(self, "surface", given) end

-- The surface itself, or that of a body that is a sphere; raised for anything else.
function Surface._demand(s, system, what)
  if object.is_a(s, "Body") then
    if not s.shape or s.shape.kind ~= "sphere" then fail("%s: body '%s' is no surface: only a sphere is one", what, s.name) end
    s = setmetatable({ system = s.system, kind = "sphere", frame = s.frame, body = s, inside = false, form = false, radius = s.shape.radius,
      at = s.shape.centre and s.at + s.shape.centre or s.at }, Surface.meta)
  end
  if getmetatable(s) ~= Surface.meta then
    fail("%s: the second thing is a surface, as in N:plane(), or a body that is a sphere; not %s", what, Vector._words(s))
  end
  if s.system ~= system then fail("%s: a surface of another system, %s", what, s.system.name) end
  return s
end

--- The angular velocity of the surface.
function Surface.angular_velocity(self) return self.frame:angular_velocity() end

--- Has it two directions along it, at right angles, without a singular place?
function Surface.has_directions(self)
  if self.form then return self.form.height ~= false end
  return self.kind ~= "sphere"
end

--- Its kind in words.
function Surface.article(self) return self.form and "a surface given by an equation" or "a " .. self.kind end

function Surface.meta.__tostring(s) return ("%s of frame '%s'%s"):format(s.kind, s.frame.name, s.inside and ", inside" or "") end

for _, kind in ipairs{ "plane", "sphere", "cylinder", "surface" } do options.declare(kind, schemas[kind]) end
object.seal(Surface)

return Surface
