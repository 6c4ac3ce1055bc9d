-- joint.lua: S:joint: two bodies, or a body and the inertial frame, held together by constraints.
local core = require "hamel.core"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local Point = require "hamel.bodies.point"
local System = require "hamel.system"
local Vector = require "hamel.bodies.vector"
require "hamel.system.classify"

local fail = object.fail

local schema = {
  axis = { type = "table", list = true, doc = "two directions {u, v}, fixed in the first and in the second body" },
  frames = { type = "table", list = true, doc = "two frames {A, B}, fixed in the bodies, which the joint keeps parallel" },
}

-- The constraints on directions hold for a body that is turned by half a turn, too (and between frames by a third of one): cosines that are positive, so
-- that it is not
local function sides_of(name, kind, o)
  if kind.directions == "frames" then
    local A, B = o.frames[1], o.frames[2]
    local words = ("joint '%s': at the start the frames '%s' and '%s' are not parallel but turned by half a turn, or by a third of one; turn one of its "
      .. "bodies back, by q"):format(name, A.name, B.name)
    return { { expression = A.x:dot(B.x), words = words }, { expression = A.y:dot(B.y), words = words } }
  elseif kind.directions == "parallel" then
    local words = ("joint '%s': at the start its axes point in opposite directions; turn one of its bodies by half a turn, by q, or give axis = {u, -v}")
    return { { expression = o.axis[1]:dot(o.axis[2]), words = words:format(name) } }
  end
  return {}
end

-- What each kind fixes: the point (along all axes, or across the axis), directions, and what must be given for that
local kinds = {
  spherical = { point = "all" },
  universal = { point = "all", directions = "right angle", needs = "axis" },
  revolute = { point = "all", directions = "parallel", needs = "axis" },
  cylindrical = { point = "across", directions = "parallel", needs = "axis" },
  prismatic = { point = "across", directions = "frames", needs = "axis", also = "frames" },
  fixed = { point = "all", directions = "frames", needs = "frames" },
}

-- The components of a direction in the one frame in which it is constant
local function direction(system, v, what)
  Vector._demand_free(v, system, what)
  if #v._terms == 0 then fail("%s is zero, which is no direction", what) end
  if #v._terms ~= 1 then fail("%s is fixed in one frame, as a.frame.z or a.frame:vector(0, 3, 4)", what) end
  local frame, c = v._terms[1].frame, {}
  for i = 1, 3 do
    c[i] = v._terms[1][i]
    if motion.dt(system, c[i]):is_zero() ~= true then fail("%s moves in the frame '%s'", what, frame.name) end
  end
  return frame, c
end

-- Two directions at right angles to v, fixed in its frame
local function across(system, v, what)
  local frame, c = direction(system, v, what)
  local axes, zero = { frame.x, frame.y, frame.z }, {}
  for i = 1, 3 do if core.number_value(c[i]) == 0 then zero[#zero + 1] = i end end
  if #zero == 2 then return axes[zero[1]], axes[zero[2]] end
  if #zero == 1 then return axes[zero[1]], v:cross(axes[zero[1]]) end
  local first = v:cross(axes[1])
  return first, v:cross(first)
end

local function pair_of(o, key, name)
  local list = o[key]
  if not list or #list ~= 2 then
    fail("S:joint '%s': %s is a list of two, as in %s", name, key, key == "axis" and "axis = {a.frame.y, b.frame.y}" or "frames = {a.frame, b.frame}")
  end
  return list[1], list[2]
end

-- Directions, or frames, that do not move against each other leave the joint nothing to hold; checked before anything is declared
local function demand_two(self, name, kind, o)
  local first, second
  if kind.directions == "frames" then
    first, second = pair_of(o, "frames", name)
    for _, frame in ipairs{ first, second } do Vector._demand_frame(frame, self, "S:joint: frames") end
  elseif kind.directions then
    local u, v = pair_of(o, "axis", name)
    first, second = direction(self, u, ("S:joint '%s': axis[1]"):format(name)), direction(self, v, ("S:joint '%s': axis[2]"):format(name))
  end
  if first and first == second then
    fail("S:joint '%s': both %s belong to the frame '%s'; a joint is between two bodies, or a body and the inertial frame", name,
      kind.directions == "frames" and "frames" or "directions", first.name)
  end
end

-- A condition that holds in every position, as across the plane of plane motion, is no constraint
local function hold(self, name, f)
  if self:plain(f):is_zero() ~= true then self:constraint(name, f) end
end

local function fix_point(self, name, kind, a, b, o)
  local N, gap = self:frame(), b - a
  if kind.point == "all" then
    for i, axis in ipairs{ N.x, N.y, N.z } do hold(self, ("%s.%s"):format(name, ("xyz"):sub(i, i)), gap:dot(axis)) end
    return 0
  end
  local _, v = pair_of(o, "axis", name)
  for i, across_axis in ipairs{ across(self, v, ("S:joint '%s': axis[2]"):format(name)) } do
    hold(self, ("%s.%d"):format(name, i), gap:dot(across_axis))
  end
  return 2
end

local function fix_directions(self, name, kind, o, count)
  local function add(f)
    count = count + 1
    hold(self, ("%s.%d"):format(name, count), f)
  end
  if kind.directions == "frames" then
    local A, B = pair_of(o, "frames", name)
    add(A.x:dot(B.y))
    add(A.y:dot(B.z))
    add(A.z:dot(B.x))
    return
  end
  local u, v = pair_of(o, "axis", name)
  direction(self, u, ("S:joint '%s': axis[1]"):format(name))
  local v1, v2 = across(self, v, ("S:joint '%s': axis[2]"):format(name))
  if kind.directions == "right angle" then return add(u:dot(v)) end
  -- never u.v = 1, whose gradient vanishes where it holds
  add(u:dot(v1))
  add(u:dot(v2))
end

--- Joins two bodies by constraints: S:joint("pin", "revolute", a:point(0, 0, l), b:point(0, 0, 0), { axis = {a.frame.y, b.frame.y} }). The points
--- are those of two bodies, or of the inertial frame. It fixes: "spherical" 3, "universal" 4 (the two directions stay at right angles), "revolute" 5,
--- "cylindrical" 4, "prismatic" 5 and "fixed" 6 (both with frames = {A, B}, which stay parallel). A start with a body turned round, its axis or frame
--- opposite to the other one, is refused; an attitude that the start leaves out is computed with the frames parallel. Constraints pin.x, pin.y, pin.z
--- belong to the point, pin.1, pin.2, ... to directions; those that hold in every position, as pin.z between bodies that move in the plane of x and y, are left
--- out. Joints as relative coordinates need no call: a frame turned from another one,
--- S:rotation("R", { from = A }), and a point.
function System:joint(name, kind, a, b, given)
  if type(name) ~= "string" or name == "" then fail("S:joint takes a name first: S:joint(\"pin\", \"spherical\", P, Q)") end
  local row = type(kind) == "string" and kinds[kind]
  if not row then fail("S:joint '%s': '%s' is no kind of joint%s", name, tostring(kind), object.hint(tostring(kind), object.keys(kinds))) end
  local o = options.check("joint", schema, given)
  for _, key in ipairs{ row.needs or false, row.also or false } do
    if key and not o[key] then
      fail("S:joint '%s': a %s joint needs %s", name, kind, key == "axis" and "axis = {u, v}, directions fixed in the two bodies"
        or "frames = {A, B}, fixed in the two bodies and parallel")
    end
  end
  for _, key in ipairs{ "axis", "frames" } do
    if o[key] and row.needs ~= key and row.also ~= key then fail("S:joint '%s': a %s joint takes no %s", name, kind, key) end
  end
  a, b = Point._at(a, self, ("S:joint '%s': the first point"):format(name)), Point._at(b, self, ("S:joint '%s': the second point"):format(name))
  demand_two(self, name, row, o)
  local before = #self.constraints
  local count = fix_point(self, name, row, a, b, o)
  if row.directions then fix_directions(self, name, row, o, count) end
  if #self.constraints == before then fail("S:joint '%s': what it fixes holds in every position already; leave it out", name) end
  rawset(self, "_joints", self:_joints_of_bodies())
  table.insert(self._joints, { name = name, kind = kind, point = a, sides = sides_of(name, row, o), frames = row.directions == "frames" and o.frames })
  return self
end

options.declare("joint", schema)
