-- frame.lua: frames of reference as a tree below the inertial one: S:frame, N:rotate, angular velocities.
local core = require "hamel.core"
local Matrix = require "hamel.algebra.matrix"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local System = require "hamel.system"
local Vector = require "hamel.bodies.vector"

local fail = object.fail

local Frame = object.class "Frame"

local ZERO, ONE = core.rational(0), core.rational(1)

--- A frame below `parent` (nil: the inertial one); fields: matrix (columns: its axes in the parent), rates (components of its angular
--- velocity with respect to the parent), own_rates (true: these are components in the frame itself, else in the parent).
function Frame.new(system, name, parent, fields)
  system._frames = (system._frames or 0) + 1
  local frame = { system = system, name = name or ("frame%d"):format(system._frames), _index = system._frames, _parent = parent or false,
    _depth = parent and parent._depth + 1 or 0 }
  for key, value in pairs(fields or {}) do frame["_" .. key] = value end
  return setmetatable(frame, Frame.meta)
end

--- The inertial frame of the system, made by the first call: local N = S:frame "N". Its axes N.x, N.y, N.z are right-handed; S.origin is its origin.
function System:frame(name)
  if name ~= nil and type(name) ~= "string" then fail("S:frame takes the name of the inertial frame, as in S:frame \"N\"") end
  local N = rawget(self, "_inertial")
  if not N then
    N = Frame.new(self, name or "N")
    rawset(self, "_inertial", N)
  elseif name and name ~= N.name then
    fail("S:frame: %s has its inertial frame '%s' already; further frames are turned from it: %s:rotate(\"z\", phi)", self.name, N.name, N.name)
  end
  return N
end

-- ---- axes and vectors

local function axis(frame, i)
  local c = { ZERO, ZERO, ZERO }
  c[i] = ONE
  return Vector.new(frame.system, { [frame] = c })
end

--- The first axis, a vector of length one.
function Frame.get.x(frame) return axis(frame, 1) end
--- The second axis, a vector of length one.
function Frame.get.y(frame) return axis(frame, 2) end
--- The third axis, a vector of length one.
function Frame.get.z(frame) return axis(frame, 3) end

--- The vector with these components in the frame: B:vector(a, b, c).
function Frame:vector(a, b, c)
  local terms, names = { a, b, c }, { "first", "second", "third" }
  for i = 1, 3 do
    if terms[i] == nil then fail("B:vector takes three components, as in B:vector(1, 0, 0)") end
    terms[i] = self.system:admit(terms[i], ("the %s component of a vector"):format(names[i]), 2, true)
  end
  return Vector.new(self.system, { [self] = terms })
end

-- ---- simple rotations

-- Rotation by the angle about an axis of the frame
local function about_axis(i, c, s)
  local C = { { ONE, ZERO, ZERO }, { ZERO, ONE, ZERO }, { ZERO, ZERO, ONE } }
  local j, k = i % 3 + 1, (i + 1) % 3 + 1
  C[j][j], C[j][k], C[k][j], C[k][k] = c, -s, s, c
  return C
end

-- Rotation by the angle about a unit vector u: cos I + (1 - cos) u u^T + sin [u]x (Rodrigues 1840)
local function about_vector(u, c, s)
  local C = {}
  for i = 1, 3 do
    C[i] = {}
    for j = 1, 3 do C[i][j] = (1 - c)*u[i]*u[j] + (i == j and c or ZERO) end
  end
  C[1][2], C[2][1] = C[1][2] - s*u[3], C[2][1] + s*u[3]
  C[2][3], C[3][2] = C[2][3] - s*u[1], C[3][2] + s*u[1]
  C[3][1], C[1][3] = C[3][1] - s*u[2], C[1][3] + s*u[2]
  return C
end

local axes = { x = 1, y = 2, z = 3 }

-- Components of a unit vector along u in the frame, in which it must be constant
local function direction(frame, u)
  Vector._demand_free(u, frame.system, "rotate: the axis")
  local c, size = u:_in_frame(frame), {}
  for i = 1, 3 do
    c[i] = core.simplify(c[i])
    if motion.dt(frame.system, c[i]):is_zero() ~= true then
      fail("rotate: the axis %s is not constant in the frame '%s'; turn from a frame in which it is", tostring(u), frame.name)
    end
    size[i] = c[i]^2
  end
  local length = core.simplify(core.sqrt(core.sum(size)))
  if length:is_zero() ~= false then fail("rotate: the axis %s has no direction", tostring(u)) end
  for i = 1, 3 do c[i] = core.simplify(c[i]/length) end
  return c
end

--- A frame turned from this one about one of its axes, "x", "y", "z", or about a vector u that is constant in it: N:rotate("z", phi),
--- N:rotate(u, angle, "B"). The angle is any expression of coordinates, parameters and time, in radians, positive by the right-hand rule.
---@param name string? for messages and for vectors in print
function Frame:rotate(about, angle, name)
  local system = self.system
  local index = type(about) == "string" and axes[about]
  if not index and not Vector._is_vector(about) then
    fail("rotate: the axis is 'x', 'y', 'z' or a vector, not %s", type(about) == "string" and ("%q"):format(about) or tostring(about))
  end
  if name ~= nil and type(name) ~= "string" then fail("rotate: the name of the frame is a text, not a %s", type(name)) end
  angle = system:admit(angle, "rotate: the angle", 0)
  local u = not index and direction(self, about)
  local c, s, rate = core.functions.cos(angle), core.functions.sin(angle), motion.dt(system, angle)
  local matrix, rates = index and about_axis(index, c, s) or about_vector(u, c, s), { ZERO, ZERO, ZERO }
  if index then rates[index] = rate else for i = 1, 3 do rates[i] = u[i]*rate end end
  return Frame.new(system, name, self, { matrix = matrix, rates = rates, own_rates = false, axis = index or false })
end

-- ---- angular velocities

-- Of a frame with respect to its parent; that of a simple rotation has its components in the parent
local function step(frame)
  return Vector.new(frame.system, { [frame._own_rates and frame or frame._parent] = frame._rates })
end

local function angular_velocity(self, from)
  local a, b, sum = self, from, Vector.new(self.system, {})
  while a ~= b do
    if a._depth >= b._depth then
      sum = sum + step(a)
      a = a._parent
    else
      sum = sum - step(b)
      b = b._parent
    end
  end
  return sum
end

--- Angular velocity with respect to another frame, the inertial one when none is given, as a vector.
function Frame:angular_velocity(from)
  local system = self.system
  local N = system:frame()
  from = from and Vector._demand_frame(from, system, "B:angular_velocity") or N
  if from ~= N then return angular_velocity(self, from) end
  local known = rawget(self, "_omega")
  if not known then
    known = angular_velocity(self, N)
    rawset(self, "_omega", known)
  end
  return known
end

--- Angular acceleration with respect to another frame, the inertial one when none is given: the derivative of the angular velocity there.
function Frame:angular_acceleration(from)
  return self:angular_velocity(from):dt(from)
end

--- The matrix C of the frame with respect to another one, the inertial one when none is given, as hm.matrix: v_N = C v_B; its columns are
--- B.x, B.y, B.z.
function Frame:matrix(from)
  from = from and Vector._demand_frame(from, self.system, "B:matrix") or self.system:frame()
  local rows = { {}, {}, {} }
  for j, v in ipairs{ self.x, self.y, self.z } do
    for i, c in ipairs(v:_in_frame(from)) do rows[i][j] = c end
  end
  return Matrix.new(rows)
end

function Frame.meta.__tostring(frame)
  if not frame._parent then return ("the inertial frame '%s' of %s"):format(frame.name, frame.system.name) end
  return ("frame '%s' of %s, turned from '%s'"):format(frame.name, frame.system.name, frame._parent.name)
end

Frame.meta.__kind, Frame.meta.__words = "a frame", "its axes are R.x, R.y, R.z; R:rates() returns the body rates of a rotation"

object.seal(Frame)

return Frame
