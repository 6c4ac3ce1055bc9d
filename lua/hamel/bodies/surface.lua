-- surface.lua: surfaces that belong to a frame, and move with it: planes, spheres, cylinders.
local core = require "hamel.core"
local Frame = require "hamel.bodies.frame"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local Point = require "hamel.bodies.point"

local fail = object.fail

local Surface = object.class "Surface"

local at = { type = "table", doc = "a point of the plane, the centre, or a point of the axis; S.origin when not given" }
local radius = { doc = "number or expression" }
local inside = { default = false, type = "boolean", doc = "true: bodies are inside" }

local schemas = { plane = { at = at }, sphere = { radius = radius, at = at, inside = inside }, cylinder = { radius = radius, at = at, inside = inside } }

local function new(frame, kind, given)
  local what = "F:" .. kind
  local o = options.check(what, schemas[kind], given)
  local surface = { system = frame.system, kind = kind, frame = frame, body = false, inside = o.inside or false,
    at = o.at and Point._at(o.at, frame.system, what .. ": at") or frame.system.origin }
  if kind ~= "plane" then
    if o.radius == nil then fail("%s: radius is missing: F:%s{ radius = r }", what, kind) end
    surface.radius = frame.system:admit(o.radius, what .. ": radius", 0)
    local number = core.number_value(surface.radius)
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

-- The surface itself, or that of a body that is a sphere; raised for anything else.
function Surface._demand(s, system, what)
  if object.is_a(s, "Body") then
    if not s.shape or s.shape.kind ~= "sphere" then fail("%s: body '%s' is no surface: only a sphere is one", what, s.name) end
    s = setmetatable({ system = s.system, kind = "sphere", frame = s.frame, body = s, inside = false, radius = s.shape.radius,
      at = s.shape.centre and s.at + s.shape.centre or s.at }, Surface.meta)
  end
  if getmetatable(s) ~= Surface.meta then fail("%s: the second thing is a surface, as in N:plane(), or a body that is a sphere; not a %s", what, type(s)) end
  if s.system ~= system then fail("%s: a surface of another system, %s", what, s.system.name) end
  return s
end

--- The angular velocity of the surface.
function Surface.angular_velocity(self) return self.frame:angular_velocity() end

function Surface.meta.__tostring(s) return ("%s of frame '%s'%s"):format(s.kind, s.frame.name, s.inside and ", inside" or "") end

for _, kind in ipairs{ "plane", "sphere", "cylinder" } do options.declare(kind, schemas[kind]) end
object.seal(Surface)

return Surface
