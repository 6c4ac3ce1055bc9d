-- rolling.lua: S:rolls, S:contact, S:gap, S:slip: geometry of contact as constraints, one-sided constraints and frictions.
local Body = require "hamel.bodies.body"
local core = require "hamel.core"
local given_surface = require "hamel.bodies.given_surface"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local Surface = require "hamel.bodies.surface"
local System = require "hamel.system"
local touching = require "hamel.bodies.touching"
local Vector = require "hamel.bodies.vector"
require "hamel.system.classify"
require "hamel.system.contact"

local fail = object.fail

local roll_schema = { rubber = { default = false, type = "boolean", doc = "true: no turning about the normal either" } }

local function demand_body(body, system, what)
  if getmetatable(body) ~= Body.meta then fail("%s: the first thing is a body, as S:body returns it; not %s", what, Vector._words(body)) end
  if body.system ~= system then fail("%s: body '%s' belongs to another system, %s", what, body.name, body.system.name) end
  return body
end

local function demand_other(body, surface, what)
  if surface == body then fail("%s: body '%s' cannot touch itself; give a surface or another body", what, body.name) end
end

-- Refuses options in the place of the surface
local function demand_order(surface, given, what, example)
  if given ~= nil or type(surface) ~= "table" or core.is_expression(surface) or getmetatable(surface) then return end
  fail("%s: the surface is missing before the options: %s", what, example)
end

local function touch_of(system, body, surface, what, name)
  demand_body(body, system, what)
  demand_other(body, surface, what)
  return touching.at(body, Surface._demand(surface, system, what), what, name)
end

local function same_surface(a, b)
  if a == b or a.body and a.body == b.body then return true end
  local form = a.form and b.form and a.form.f == b.form.f or not a.form
  return a.kind == b.kind and a.frame == b.frame and a.at.place == b.at.place and form and a.radius == b.radius and a.inside == b.inside
end

-- The contact that is declared for a pair; nil where there is none
local function declared(system, body, surface)
  for _, touch in ipairs(system:_contacts_of_bodies()) do
    if touch.body == body and same_surface(touch.surface, surface) then return touch end
  end
end

-- One pair rolls, or touches, once, and under a name of its own; checked before anything is declared
local function demand_new(system, name, body, surface, what)
  demand_body(body, system, what)
  demand_other(body, surface, what)
  for _, touch in ipairs(system:_contacts_of_bodies()) do
    if touch.name == name then fail("%s: body '%s' has a contact of this name already; take another name", what, touch.body.name) end
  end
  local other = declared(system, body, Surface._demand(surface, system, what))
  if other then fail("%s: body '%s' and this surface have '%s' already; one of S:rolls and S:contact", what, body.name, other.name) end
end

local function register(system, touch, name)
  touch.name = name
  rawset(system, "_touches", system:_contacts_of_bodies())
  table.insert(system._touches, touch)
end

-- A sphere on a surface given by a function, whose contact point is declared with the contact
local function needs_declaration(body, surface) return body.shape and body.shape.kind == "sphere" and surface.kind == "surface" end

-- The contact of a pair for its distance and its sliding velocity
local function asked(system, body, surface, what)
  demand_body(body, system, what)
  surface = Surface._demand(surface, system, what)
  local known = declared(system, body, surface)
  if known then return known end
  if needs_declaration(body, surface) then
    fail("%s: where the sphere '%s' touches a surface given by a function has no formula; S:contact or S:rolls of the two declares coordinates for it: "
      .. "call it first", what, body.name)
  end
  return touching.at(body, surface, what)
end

local Rolling = object.class "Rolling"

--- The contact point, where the body's material point has the velocity of the surface's.
function Rolling.get.point(roll) return roll._touch.point end
--- The unit normal of the surface, towards the body.
function Rolling.get.normal(roll) return roll._touch.normal end
--- The signed distance, an expression; zero while it rolls.
function Rolling.get.gap(roll) return roll._touch.gap end
function Rolling.meta.__tostring(roll)
  return ("'%s': body '%s' rolls on the %s"):format(roll.name, roll._touch.body.name, tostring(roll._touch.surface))
end

--- A body rolls without slipping on a surface: S:rolls("roll", ball, N:plane()). The contact point is found from the shape; the constraints are roll.x,
--- roll.y, roll.z: the material points that touch have one velocity, along the axes of the surface's frame (on a plane roll.z keeps the distance at
--- zero). lambda["roll.x"], lambda["roll.y"], lambda["roll.z"] is the force on the body in that frame. { rubber = true } adds roll.spin: no turning about
--- the normal; its multiplier is the torque along it. Returns the contact: roll.point, roll.normal, roll.gap.
--- Shapes: sphere, disc, torus, ellipsoid on planes; sphere on spheres, cylinders and surfaces given by a function. On the last the place of the
--- contact point in the surface's frame is given by coordinates roll_u, roll_v (with an equation roll_w), computed in starts, with the conditions roll.u,
--- roll.v, whose multipliers vanish; that the sphere fits into the surface elsewhere is not checked.
function System:rolls(name, body, surface, given)
  if type(name) ~= "string" or name == "" then fail("S:rolls takes a name first: S:rolls(\"roll\", ball, N:plane())") end
  local what = ("S:rolls \"%s\""):format(name)
  demand_order(surface, given, what, "S:rolls(name, body, N:plane(), { rubber = true })")
  local o = options.check("rolls", roll_schema, given)
  demand_new(self, name, body, surface, what)
  if body.shape and body.shape.kind == "point" then fail("%s: body '%s' is a point, which does not roll; S:contact takes it", what, body.name) end
  local touch = touch_of(self, body, surface, what, name)
  register(self, touch, name)
  touch.rolls = true
  local frame, plane = touch.surface.frame, not touch.curved
  for _, axis in ipairs{ "x", "y", "z" } do
    self:constraint(("%s.%s"):format(name, axis), plane and axis == "z" and touch.gap or touching.sliding(touch, frame[axis]))
  end
  -- on a curved surface the three velocities keep the distance, which has no multiplier of its own
  if not plane then self:_invariant(name .. " (distance)", touch.gap) end
  if o.rubber then
    self:constraint(name .. ".spin", (body.frame:angular_velocity() - touch.surface:angular_velocity()):dot(touch.normal))
  end
  return setmetatable({ name = name, _touch = touch }, Rolling.meta)
end

--- The signed distance between a body and a surface, an expression: S:gap(ball, N:plane()). To a surface given by a function it is the distance to first
--- order, exactly zero at a contact; that of a sphere is known where S:contact or S:rolls declared its contact point.
function System:gap(body, surface) return asked(self, body, surface, "S:gap").gap end

-- Components of the sliding velocity: along the axes of a plane, or across the normal of a curved surface
local function slips(touch)
  local frame = touch.surface.frame
  if not touch.curved then return { touching.sliding(touch, frame.x), touching.sliding(touch, frame.y) } end
  if touch.surface.kind == "cylinder" then return { touching.sliding(touch, frame.z), touching.sliding(touch, frame.z:cross(touch.normal)) } end
  local first, second = given_surface.directions(touch.surface, touch.normal)
  return { touching.sliding(touch, first), touching.sliding(touch, second) }
end

--- The sliding velocity of a body on a surface: two expressions along the axes of a plane's frame; three, along all axes, on a curved surface.
function System:slip(body, surface)
  local touch = asked(self, body, surface, "S:slip")
  local frame = touch.surface.frame
  local x, y = touching.sliding(touch, frame.x), touching.sliding(touch, frame.y)
  if not touch.curved then return x, y end
  return x, y, touching.sliding(touch, frame.z)
end

local contact_schema = {
  law = { doc = "law of impact, as in S:unilateral: hm.newton(e)" },
  friction = { doc = "coefficient of friction, or a table of options of S:friction; none when not given" },
  static = { doc = "coefficient in stick" },
  capture = { type = "number", doc = "as in S:unilateral" },
}

local function demand_directions(surface, what)
  if surface:has_directions() then return end
  fail("%s: friction on %s has no two directions without a singular place; take a plane, a cylinder or a surface with a height", what, surface:article())
end

-- The options of S:friction
local function friction_of(touch, name, o)
  local friction = { slip = slips(touch), normal = name, static = o.static }
  if type(o.friction) == "table" and not core.is_expression(o.friction) then
    for key, value in pairs(o.friction) do friction[key] = value end
  else friction.coefficient = o.friction end
  return friction
end

--- A body that may touch a surface and leave it: S:contact("floor", ball, N:plane(), { law = hm.newton(0.5), friction = mu, static = mu_s }). It
--- declares S:unilateral "floor" with the distance as its gap, and S:friction "floor.slip" in the two directions of the surface.
--- For a sphere on a surface given by a function it also declares the contact point, as S:rolls does: coordinates floor_u, floor_v (with an equation
--- floor_w), computed in starts. The gap is the distance to first order there, exactly zero at a contact.
function System:contact(name, body, surface, given)
  if type(name) ~= "string" or name == "" then fail("S:contact takes a name first: S:contact(\"floor\", ball, N:plane(), { law = hm.newton(0.5) })") end
  local what = ("S:contact \"%s\""):format(name)
  demand_order(surface, given, what, "S:contact(name, body, N:plane(), { law = hm.newton(0.5) }); for a gap that is an expression, S:unilateral(name, gap, "
    .. "{ law = ... })")
  local o = options.check("contact", contact_schema, given)
  if o.law == nil then fail("%s: the law of impact is missing: law = hm.newton(0.5)", what) end
  if o.static ~= nil and o.friction == nil then fail("%s: static belongs to friction = mu, which is missing", what) end
  demand_new(self, name, body, surface, what)
  if o.friction ~= nil then demand_directions(Surface._demand(surface, self, what), what) end
  local touch = touch_of(self, body, surface, what, name)
  local friction = o.friction ~= nil and friction_of(touch, name, o)
  self:unilateral(name, touch.gap, { law = o.law, capture = o.capture })
  register(self, touch, name)
  if friction then self:friction(name .. ".slip", friction) end
  return self
end

options.declare("rolls", roll_schema)
options.declare("contact", contact_schema)
object.seal(Rolling)

return Rolling
