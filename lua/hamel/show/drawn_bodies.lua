-- drawn_bodies.lua: the bodies of a system as shapes of animations: each by its shape, joints as dots, fixed planes, traces of mass centres.
local core = require "hamel.core"

local drawn_bodies = {}

local POINT_MASS, DOT = 0.04, 0.02     -- radii of what has no size, of the length 1

-- Components of a vector in the inertial frame
local function components(system, v)
  local a, b, c = v:components(system:frame())
  return { system:plain(a), system:plain(b), system:plain(c) }
end

local function place(system, point) return components(system, point.place) end

-- The angle of the body's direction `mark` about the axis, from the level direction in the plane across it
local function spin_of(axis, mark, N)
  local level = N.z:cross(axis)
  local across = axis:cross(level)
  return core.functions.atan2(mark:dot(across), mark:dot(level))
end

local axes = { "x", "y", "z" }

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
    local axis, mark = frame[axes[s.axis]], frame[axes[s.axis % 3 + 1]]
    return { "disc", at = at, axis = components(system, axis), spin = system:plain(spin_of(axis, mark, system:frame())), radius = s.radius }
  end,
  torus = function(system, s, frame, at)
    local axis, mark = frame[axes[s.axis]], frame[axes[s.axis % 3 + 1]]
    return { "wheel", at = at, axis = components(system, axis), spin = system:plain(spin_of(axis, mark, system:frame())), radius = s.radius + s.tube,
      width = 2*s.tube }
  end,
  cylinder = function(system, s, frame, _, centre)
    local half = s.length/2*frame[axes[s.axis]]
    return { "cylinder", from = place(system, centre - half), to = place(system, centre + half), radius = s.radius }
  end,
}

local function shape_of(system, body)
  local s = body.shape
  if not s then return { "ball", at = place(system, body.at), radius = POINT_MASS, label = body.name } end
  local centre = s.centre and body.at + s.centre or body.at
  local shape = shapes_of[s.kind](system, s, body.frame, place(system, centre), centre)
  shape.label = body.name
  return shape
end

-- A plane of a frame that does not move
local function plane_of(system, surface)
  if surface.kind ~= "plane" or surface.frame ~= system:frame() then return nil end
  local at = place(system, surface.at)
  for i = 1, 3 do if not core.number_value(at[i]) then return nil end end
  return { "plane", at = { core.number_value(at[1]), core.number_value(at[2]), core.number_value(at[3]) }, normal = { 0, 0, 1 } }
end

-- A surface given by its height
local function graph_of(system, surface)
  if not surface.form or not surface.form.height then return nil end
  local frame = surface.frame
  return { "graph", at = place(system, surface.at), along = components(system, frame.x), up = components(system, frame.z), height = surface.form.of,
    colour = "#888888" }
end

--- The shapes of all bodies of a system, joints, fixed planes and surfaces given by a height; an empty list where it has no bodies.
function drawn_bodies.list(system)
  local list, planes = {}, 0
  for _, body in ipairs(system._bodies) do list[#list + 1] = shape_of(system, body) end
  for _, joint in ipairs(system:_joints_of_bodies()) do list[#list + 1] = { "ball", at = place(system, joint.point), radius = DOT, colour = "#222222" } end
  for _, touch in ipairs(system:_contacts_of_bodies()) do
    local plane = planes == 0 and plane_of(system, touch.surface)
    if plane then list[#list + 1], planes = plane, 1 end
    list[#list + 1] = graph_of(system, touch.surface)
  end
  for _, body in ipairs(system._bodies) do
    if #body.at.place._terms > 0 then list[#list + 1] = { "trace", of = place(system, body.at) } end
  end
  return list
end

return drawn_bodies
