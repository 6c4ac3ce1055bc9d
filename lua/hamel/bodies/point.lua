-- point.lua: points: S:point, S.origin, sums with vectors, velocities and accelerations.
local object = require "hamel.base.object"
local System = require "hamel.system"
local symbols = require "hamel.algebra.symbols"
local Vector = require "hamel.bodies.vector"

local fail = object.fail

local Point = object.class "Point"

--- The point at this place from the origin.
function Point.new(system, place)
  return setmetatable({ system = system, _place = Vector._demand_free(place, system, "the place of a point") }, Point.meta)
end

function Point._is_point(p) return getmetatable(p) == Point.meta end

-- The point itself; raised where it is something else, or of another system.
function Point._demand(p, system, what)
  if not Point._is_point(p) then
    fail("%s is a point, as made by S:point or S.origin + v; not %s", what, Vector._words(p))
  end
  if p.system ~= system then fail("%s: a point of another system, %s", what, p.system.name) end
  return p
end

-- A place given as a point, or as a vector from the origin.
function Point._at(p, system, what)
  if Vector._is_vector(p) then return Point.new(system, Vector._demand(p, system, what)) end
  return Point._demand(p, system, what)
end

--- The origin of the inertial frame.
function System.get.origin(self) return Point.new(self, Vector.new(self, {})) end

--- A free point, which declares its three coordinates along the axes of the inertial frame: S:point "x y z"; or the point at the end of
--- a vector from the origin: S:point(x*N.x + r*B.z).
function System:point(what, given)
  if type(what) == "string" then
    local items = symbols.split(what, "S:point")
    if #items ~= 3 then fail("S:point \"x y z\" declares three coordinates, not %d; a point on a line or in a plane is S:point(x*N.x + y*N.y)", #items) end
    local x, y, z = self:coordinates(what, given)
    return Point.new(self, Vector.new(self, { [self:frame()] = { x, y, z } }))
  end
  if given ~= nil then fail "S:point of a vector takes no options" end
  if not Vector._is_vector(what) then fail("S:point takes the names of three coordinates, S:point \"x y z\", or a vector from the origin") end
  return Point.new(self, Vector._demand(what, self, "S:point: the vector"))
end

function Point.meta.__add(p, v)
  if Vector._is_vector(p) then p, v = v, p end
  if not Vector._is_vector(v) then fail("a point and %s: a vector is added to a point, as in P + 2*N.x", Vector._words(v)) end
  return Point.new(p.system, p._place + v)
end

function Point.meta.__sub(p, v)
  if Point._is_point(v) and Point._is_point(p) then return p._place - v._place end
  if not Point._is_point(p) or not Vector._is_vector(v) then
    fail("P - v is a point, P - Q the vector from Q to P; there is no difference of %s and %s", Vector._words(p), Vector._words(v))
  end
  return Point.new(p.system, p._place - v)
end

-- A vector met a point on its right side
function Point.meta.__plus_vector(p, v, operator)
  if operator == "-" then fail("v - P is no point and no vector: P - v is a point, P - Q a vector") end
  return Point.new(p.system, v + p._place)
end

--- Velocity as seen in a frame, the inertial one when none is given: a vector.
function Point:velocity(frame)
  if frame then return self._place:dt(frame) end
  -- asked for by every contact, body and form
  local known = rawget(self, "_velocity")
  if not known then
    known = self._place:dt()
    rawset(self, "_velocity", known)
  end
  return known
end

--- Acceleration as seen in a frame, the inertial one when none is given: a vector.
function Point:acceleration(frame) return self._place:dt(frame):dt(frame) end

--- The vector from the origin to the point.
function Point.get.place(self) return self._place end

-- Where an expression is taken
Point.meta.__kind, Point.meta.__words = "a point", "P.place:components(N) returns its three coordinates"

function Point.meta.__tostring(p) return ("the point at %s of %s"):format(tostring(p._place), p.system.name) end

object.seal(Point)

return Point
