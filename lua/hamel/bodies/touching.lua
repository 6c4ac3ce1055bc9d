-- touching.lua: where a shape touches a surface: the point of the body nearest to it, the normal, the gap. One entry per pair.
local core = require "hamel.core"
local given_surface = require "hamel.bodies.given_surface"
local object = require "hamel.base.object"

local fail = object.fail
local touching = {}

-- sqrt(e) of a sum of squares in its shortest form
local function root(e) return core.sqrt(core.simplify(e)) end

-- The length of the part of a unit vector across an axis, by its components along and across. Where those across make a square, as in cos(theta)^2, its
-- root would be abs(cos(theta)), whose corner no motion reaches: 1 - along^2 has none
local function length_across(along, one, other)
  local square = core.simplify(one^2 + other^2)
  local size = core.sqrt(square)
  if core.kind(size) ~= "call" then return size end
  return core.sqrt(1 - core.simplify(along)^2)
end

-- Round the axis a: the direction from the centre to the rim point that lies deepest below n, and sqrt(1 - (n.a)^2). That is the length of the
-- part of n across the axis, by components in the body, which keeps its digits where the disc lies nearly flat
local function rim(body, n)
  local i = body.shape.axis
  -- the spin about the axis does not move the rim
  local frame = body.frame._axis == i and body.frame._parent or body.frame
  local c = n:_in_frame(frame)
  local j, k = i % 3 + 1, (i + 1) % 3 + 1
  local size, across = length_across(c[i], c[j], c[k]), { 0, 0, 0 }
  across[j], across[k] = -c[j]/size, -c[k]/size
  return frame:vector(across[1], across[2], across[3]), size
end

-- What vanishes where a shape has no single contact point, with words for it
local function flat(body, size)
  return { expression = size, words = ("the %s '%s' lies flat, with its whole rim on the surface"):format(body.shape.kind, body.name) }
end

-- Functions of (body, height of the centre, normal): arm (a vector from the centre of the shape to the contact point), gap (an expression), and
-- the place to be watched, if there is one
local on_plane = {
  point = function(body, height) return body.frame:vector(0, 0, 0), height end,
  sphere = function(body, height, n) return -body.shape.radius*n, height - body.shape.radius end,
  disc = function(body, height, n)
    local direction, size = rim(body, n)
    return body.shape.radius*direction, height - body.shape.radius*size, flat(body, size)
  end,
  torus = function(body, height, n)
    local direction, size = rim(body, n)
    return body.shape.radius*direction - body.shape.tube*n, height - body.shape.radius*size - body.shape.tube, flat(body, size)
  end,
  ellipsoid = function(body, height, n)
    local s, c = body.shape, n:_in_frame(body.frame)
    local size = root(s.a^2*c[1]^2 + s.b^2*c[2]^2 + s.c^2*c[3]^2)
    return body.frame:vector(-s.a^2*c[1]/size, -s.b^2*c[2]/size, -s.c^2*c[3]/size), height - size
  end,
}

local function plane(body, centre, surface)
  local n = surface.frame.z
  local arm, gap, watch = on_plane[body.shape.kind](body, n:dot(centre - surface.at), n)
  return { arm = arm, normal = n, gap = gap, watch = watch }
end

-- The part of a vector across an axis, by its components in the frame of that axis
local function across(v, frame)
  local c = v:_in_frame(frame)
  return frame:vector(c[1], c[2], 0)
end

-- A sphere on a sphere or a cylinder; d: from the centre, or the axis, to the centre of the first sphere
local function round(body, surface, d)
  local length = root(d:dot(d))
  local n, r = d/length, body.shape.radius or core.rational(0)
  local watch = { expression = length, words = ("the centre of body '%s' is %s"):format(body.name,
    surface.kind == "cylinder" and "on the axis of the cylinder" or "at the centre of the sphere") }
  local room = core.number_value(surface.radius - r)
  if surface.inside and room and room <= 0 then
    fail("body '%s', a sphere of radius %s, does not fit into the %s of radius %s", body.name, core.text(r), surface.kind, core.text(surface.radius))
  end
  if surface.inside then return { arm = r*n, normal = -n, gap = surface.radius - r - length, watch = watch } end
  return { arm = -r*n, normal = n, gap = length - (surface.radius + r), watch = watch }
end

local function on_sphere(body, centre, surface)
  local d = centre - surface.at
  return round(body, surface, surface.body and d or d:expand(surface.frame))
end

local function on_cylinder(body, centre, surface) return round(body, surface, across(centre - surface.at, surface.frame)) end

local function point_on_given(body, centre, surface)
  local touch = given_surface.point(surface, centre)
  touch.arm = body.frame:vector(0, 0, 0)
  return touch
end

local pairs_of = {
  plane = { point = plane, sphere = plane, disc = plane, torus = plane, ellipsoid = plane },
  sphere = { point = on_sphere, sphere = on_sphere },
  cylinder = { point = on_cylinder, sphere = on_cylinder },
  surface = { point = point_on_given, sphere = given_surface.sphere },
}

local touch_something = { "point", "sphere", "disc", "torus", "ellipsoid" }

local reasons = { ellipsoid = "it is solved on planes only", disc = "discs and tori touch planes", torus = "discs and tori touch planes" }

--- Where a body touches a surface: { normal (unit vector towards the body), arm (from the mass centre of the body to the contact point), point,
--- gap (signed distance), curved (no plane), surface, body }. Raises for pairs that have no formula. The contact point of a sphere on a
--- surface given by a function is declared, by the name of the contact.
function touching.at(body, surface, what, name)
  local form = body.shape
  if not form then fail("%s: body '%s' has no shape: shape = {\"sphere\", radius = r}", what, body.name) end
  if not object.contains(touch_something, form.kind) then
    fail("%s: body '%s' is a %s, which has edges; only point, sphere, disc, torus and ellipsoid have a contact point", what, body.name, form.kind)
  end
  local f = pairs_of[surface.kind][form.kind]
  if not f then
    fail("%s: %s on %s has no closed contact point; %s", what, form.kind, surface.kind == "surface" and "a surface given by a function" or surface.kind,
      reasons[form.kind])
  end
  local touch = f(body, form.centre and body.at + form.centre or body.at, surface, name)
  if form.centre then touch.arm = form.centre + touch.arm end
  touch.point, touch.curved, touch.surface, touch.body = body.at + touch.arm, surface.kind ~= "plane", surface, body
  return touch
end

-- (v + omega x arm).e as v.e + omega.(arm x e), which stays in the frames of arm and e
local function along(v, omega, arm, e) return v:dot(e) + omega:dot(arm:cross(e)) end

--- The velocity of the body's material point at the contact relative to that of the surface, along the direction e.
function touching.sliding(touch, e)
  local body, surface = touch.body, touch.surface
  return along(body:velocity(), body.frame:angular_velocity(), touch.arm, e)
    - along(surface.at:velocity(), surface.frame:angular_velocity(), touch.point - surface.at, e)
end

--- The velocity of the mass centre of a body that rolls: that of the surface at the contact less omega x arm, a vector.
function touching.carried(touch)
  local body, surface = touch.body, touch.surface
  return surface.at:velocity() + surface.frame:angular_velocity():cross(touch.point - surface.at) - body.frame:angular_velocity():cross(touch.arm)
end

return touching
