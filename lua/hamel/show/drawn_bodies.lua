-- drawn_bodies.lua: the bodies of a system as shapes of animations: each by its shape, or as the box with its moments of inertia, joints as dots, the
-- surfaces they touch, traces of mass centres.
local core = require "hamel.core"

local drawn_bodies = {}

local POINT_MASS, DOT = 0.04, 0.02     -- radii of what has no size, of the length 1
local MASSLESS = 0.2                   -- sizes of bodies without mass
local THIN = 0.06                      -- thickness of rods and plates, of their sizes

-- Components of a vector in the inertial frame
local function components(system, v)
  local a, b, c = v:components(system:frame())
  return { system:plain(a), system:plain(b), system:plain(c) }
end

local function place(system, point) return components(system, point.place) end

local axes = { "x", "y", "z" }

local function round_axle(system, kind, frame, axis, at)
  return { kind, at = at, axis = components(system, frame[axes[axis]]), mark = components(system, frame[axes[axis % 3 + 1]]) }
end

local shapes_of = {
  point = function(_, _, _, at) return { "ball", at = at, radius = POINT_MASS } end,
  sphere = function(system, s, frame, at)
    return { "ellipsoid", at = at, along = components(system, frame.x), up = components(system, frame.z), a = s.radius, b = s.radius, c = s.radius }
  end,
  ellipsoid = function(system, s, frame, at)
    return { "ellipsoid", at = at, along = components(system, frame.x), up = components(system, frame.z), a = s.a, b = s.b, c = s.c }
  end,
  box = function(system, s, frame, at)
    return { "box", at = at, along = components(system, frame.x), up = components(system, frame.z), length = s.a, width = s.b, height = s.c }
  end,
  disc = function(system, s, frame, at)
    local disc = round_axle(system, "disc", frame, s.axis, at)
    disc.radius = s.radius
    return disc
  end,
  torus = function(system, s, frame, at)
    local wheel = round_axle(system, "wheel", frame, s.axis, at)
    wheel.radius, wheel.width = s.radius + s.tube, 2*s.tube
    return wheel
  end,
  cylinder = function(system, s, frame, _, centre)
    local half = s.length/2*frame[axes[s.axis]]
    return { "cylinder", from = place(system, centre - half), to = place(system, centre + half), radius = s.radius }
  end,
}

-- The edges of the homogeneous box with the moments of a body: a^2 = 6 (B + C - A)/m. Without mass its sizes are relative to MASSLESS
local function box_of(system, body)
  local J, edges = body._J, {}
  local sum = J[1][1] + J[2][2] + J[3][3]
  local massless = core.number_value(body.mass) == 0
  for i = 1, 3 do
    local rest = sum - 2*J[i][i]
    rest = (rest + core.functions.abs(rest))/2
    edges[i] = massless and MASSLESS*core.sqrt(rest/sum) or core.sqrt(6*rest/body.mass)
  end
  -- rods and plates need a thickness to be seen
  local thickness = THIN*core.sum(edges)
  for i = 1, 3 do if core.number_value(edges[i]) == 0 then edges[i] = thickness end end
  local frame = body.frame
  return { "box", at = place(system, body.at), along = components(system, frame.x), up = components(system, frame.z), length = edges[1], width = edges[2],
    height = edges[3], label = body.name }
end

local function shape_of(system, body)
  local s = body.shape
  if not s and body._J and body.frame ~= system:frame() then return box_of(system, body) end
  if not s then return { "ball", at = place(system, body.at), radius = POINT_MASS, label = body.name } end
  local centre = s.centre and body.at + s.centre or body.at
  local shape = shapes_of[s.kind](system, s, body.frame, place(system, centre), centre)
  shape.label = body.name
  return shape
end

local function flat() return 0 end

-- A surface that belongs to a frame, as a net; the plane of the inertial frame as the ground; nil for bodies and for equations
local function net_of(system, surface)
  local frame = surface.frame
  local at = place(system, surface.at)
  local net = { at = at, along = components(system, frame.x), up = components(system, frame.z), colour = "#888888" }
  if surface.kind == "plane" and frame == system:frame() and core.number_value(at[1]) and core.number_value(at[2]) and core.number_value(at[3]) then
    return { "plane", at = at, normal = { 0, 0, 1 } }
  end
  if surface.kind == "plane" then net[1], net.height = "graph", flat
  elseif surface.form then net[1], net.height = "graph", surface.form.height and surface.form.of
  else net[1], net.radius = surface.kind == "sphere" and "globe" or "tube", surface.radius end
  if surface.body or net[1] == "graph" and not net.height then return nil end
  return net
end

--- The shapes of all bodies of a system, joints and surfaces; an empty list where it has no bodies.
function drawn_bodies.list(system)
  local list, drawn = {}, {}
  for _, body in ipairs(system._bodies) do list[#list + 1] = shape_of(system, body) end
  for _, joint in ipairs(system:_joints_of_bodies()) do list[#list + 1] = { "ball", at = place(system, joint.point), radius = DOT, colour = "#222222" } end
  for _, touch in ipairs(system:_contacts_of_bodies()) do
    local net = net_of(system, touch.surface)
    local key = net and tostring(touch.surface) .. tostring(touch.surface.at) .. tostring(net.radius) .. tostring(net.height)
    if net and not drawn[key] then list[#list + 1], drawn[key] = net, true end
  end
  for _, body in ipairs(system._bodies) do
    if #body.at.place._terms > 0 then list[#list + 1] = { "trace", of = place(system, body.at) } end
  end
  return list
end

return drawn_bodies
