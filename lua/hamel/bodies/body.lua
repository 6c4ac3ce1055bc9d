-- body.lua: S:body, S:gravity, forces and torques on bodies; momenta and energies.
local constant = require "hamel.bodies.constant"
local core = require "hamel.core"
require "hamel.bodies.frame"
local inertia = require "hamel.bodies.inertia"
local loads = require "hamel.bodies.loads"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local Point = require "hamel.bodies.point"
local recursion = require "hamel.bodies.recursion"
local shape = require "hamel.bodies.shape"
local System = require "hamel.system"
local Vector = require "hamel.bodies.vector"

local fail = object.fail

local Body = object.class "Body"

local schema = {
  at = { type = "table", doc = "its mass centre: a point, or a vector from the origin; S.origin when not given" },
  frame = { type = "table", doc = "the frame fixed in it; the inertial one when not given" },
  mass = { default = 0, doc = "number or expression" },
  inertia = { doc = "{A, B, C, xy =, xz =, yz =} (entries of the matrix), three rows, \"solid\" or \"shell\"" },
  about = { type = "table", doc = "the point, fixed in the body, about which the inertia is given; the mass centre when not given" },
  shape = { type = "table", doc = "{\"sphere\", radius = r}, \"point\", \"disc\", \"torus\", \"ellipsoid\", \"box\", \"cylinder\", for contacts and pictures" },
}

-- The components of a vector in the frame of the body; raises where they change
local function fixed_in(body, v, words)
  local c = v:_in_frame(body.frame)
  for i = 1, 3 do
    c[i] = core.simplify(c[i])
    if motion.dt(body.system, c[i]):is_zero() ~= true then fail("body '%s': %s", body.name, words:format(tostring(v))) end
  end
  return c
end

-- Where the mass centre lies from the point `about`
local function arm(body, about)
  local c = fixed_in(body, about - body.at, "the point of 'about' is not fixed in the body: it lies at %s from its mass centre")
  return { -c[1], -c[2], -c[3] }
end

local function at_rest(point)
  for _, term in ipairs(point:velocity()._terms) do
    for i = 1, 3 do if term[i]:is_zero() ~= true then return false end end
  end
  return true
end

-- Masses and inertias whose sum is the kinetic energy: { mass, point }, { J, frame, turning }. J: as given, about a point of the body
local function inertial_parts(body, J, about)
  local parts, with_mass = {}, core.number_value(body.mass) ~= 0
  -- about a point at rest the inertia is all of it
  if J and with_mass and about and at_rest(about) then with_mass = false else J = body._J end
  if with_mass then parts[1] = { mass = body.mass, point = body.at } end
  if not J then return parts end
  local frame = body.frame
  -- the spin about an axis of symmetry does not turn the matrix
  local still = frame._axis and inertia.symmetric_about(J, frame._axis)
  parts[#parts + 1] = { J = J, frame = still and frame._parent or frame, turning = frame }
  return parts
end

-- Angular velocity of a part, by components in the frame in which its matrix is constant.
function Body._turning(part) return part.turning:angular_velocity():_in_frame(part.frame) end

-- Kinetic energy in base velocities and direction cosines, by products of vectors term by term
local function by_terms(body)
  local sum = {}
  for i, part in ipairs(body._parts) do
    if part.point then
      local v = part.point:velocity()
      sum[i] = part.mass/2*v:dot(v)
    else
      local w = Body._turning(part)
      local h = inertia.times(part.J, w)
      sum[i] = (h[1]*w[1] + h[2]*w[2] + h[3]*w[3])/2
    end
  end
  return core.sum(sum)
end

-- The same by recursion from frame to frame
local function by_recursion(body)
  local sum = {}
  for i, part in ipairs(body._parts) do
    if part.point then
      local v = recursion.velocity(part.point.place, body.frame)
      sum[i] = part.mass/2*(v[1]^2 + v[2]^2 + v[3]^2)
    else
      local axes = part.frame == part.turning and recursion.turning or recursion.turning_in_parent
      sum[i] = inertia.energy(part.J, axes(part.turning))
    end
  end
  return core.sum(sum)
end

-- From this number of frames on that move one body, the recursion takes fewer operations for arms in space and in the plane; below it the products
-- of vectors do, and are shorter in print
local MANY_FRAMES = 4

-- Are the energies of the system formed by recursion? All of them, so that bodies share what they have in common
local function recursive(system)
  if not rawget(system, "_many_frames") then
    local last = system._bodies[#system._bodies]
    if not last or recursion.frames(last.at.place, last.frame) < MANY_FRAMES then return false end
    rawset(system, "_many_frames", true)
  end
  return true
end

-- -g.r. Along an axis the strength of g stands outside, so that every frame turns a direction without a factor; others are not divided by what may be zero
local function weight(g, r)
  local strength
  for _, term in ipairs(g._terms) do
    for _, c in ipairs(term) do
      if core.number_value(c) ~= 0 then
        if strength then return -g:dot(r) end
        strength = c
      end
    end
  end
  return -strength*(g/strength):dot(r)
end

-- Potential energies of bodies in the field of gravity
local function heights(system)
  local V, g = {}, rawget(system, "_gravity")
  if not g then return V end
  if rawget(system, "_many_frames") then
    -- one term for each frame, by the sum of what is fixed in it
    local moment = rawget(system, "_moment") or { count = 0, sum = Vector.new(system, {}) }
    rawset(system, "_moment", moment)
    for i = moment.count + 1, #system._bodies do
      local body = system._bodies[i]
      if core.number_value(body.mass) ~= 0 then moment.sum = moment.sum + body.mass*body.at.place end
    end
    moment.count = #system._bodies
    if #g._terms > 0 then V[1] = weight(g, moment.sum) end
    return V
  end
  for _, body in ipairs(system._bodies) do
    if core.number_value(body.mass) ~= 0 then V[#V + 1] = -body.mass*g:dot(body.at.place) end
  end
  return V
end

-- All energies of the bodies, declared anew
local function declare_energies(system)
  local many, T = recursive(system), {}
  local field, form = many and "_recursive_T" or "_T", many and by_recursion or by_terms
  for i, body in ipairs(system._bodies) do
    if not rawget(body, field) then rawset(body, field, form(body)) end
    T[i] = body[field]
  end
  local V = heights(system)
  T, V = #T > 0 and core.sum(T) or nil, #V > 0 and core.sum(V) or nil
  system:_energies_of_bodies(T and system:plain(T), V and system:plain(V), { T, V })
end

-- The values of the parameters in the moments, the mass and the lengths of a body as a text; nil where there are none, and the declaration has
-- checked these
local function key_of_values(body, symbols_of, values)
  if not body._parameters then
    local list = { body.mass, table.unpack((shape.lengths(body.shape))) }
    for i = 1, body._J and 3 or 0 do table.move(body._J[i], 1, 3, #list + 1, list) end
    body._parameters = core.symbols(list)
  end
  if #body._parameters == 0 then return nil end
  local parts = {}
  for i, s in ipairs(symbols_of) do
    if object.contains(body._parameters, s) then parts[#parts + 1] = ("%a"):format(values[i]) end
  end
  return table.concat(parts, " ")
end

local function check_values(body, symbols_of, values)
  if body._J then inertia.check(body._J, body.name, symbols_of, values) end
  shape.check(body.shape, body.name, symbols_of, values)
  local mass = core.program(symbols_of, { body.mass }):eval(values)[1]
  if mass < 0 then fail("body '%s': the mass is %s at the values of the parameters; it is negative", body.name, object.number(mass)) end
end

-- Raises where the moments of a body belong to no mass distribution, or a length or the mass is impossible, at these values of the parameters.
-- Values that were right are not computed again: rows of a sweep seldom change them.
function Body._check_values(system, symbols_of, values)
  for _, body in ipairs(system._bodies) do
    local key = key_of_values(body, symbols_of, values)
    if key and key ~= body._values_right then
      check_values(body, symbols_of, values)
      body._values_right = key
    end
  end
end

local function demand_frame(frame, system, name)
  if not object.is_a(frame, "Frame") then fail("body '%s': frame is a frame, as in frame = N:rotate(\"z\", phi) or S:rotation \"R\"", name) end
  if frame.system ~= system then fail("body '%s': frame '%s' belongs to another system, %s", name, frame.name, frame.system.name) end
  return frame
end

--- A rigid body, which adds its kinetic energy to the system: S:body("disc", { at = G, frame = B, mass = m, inertia = {A, A, C}, shape = {"disc",
--- radius = r} }). `at` is its mass centre, `frame` turns with it. The inertia is about the mass centre, or about the point `about`, which is
--- fixed in the body (a top: about = S.origin). Products of inertia are entries of the matrix: xy = - integral of x y dm. A point mass needs
--- no frame. Raises for moments that no mass distribution has. Where four or more frames move a body, energies are formed by recursion from frame to frame:
--- a run then takes the same number of operations for every further joint of an arm whose frames are turned from each other (F:rotate).
function System:body(name, given)
  if type(name) ~= "string" or name == "" then fail("S:body takes the body's name first: S:body(\"disc\", { at = G, frame = B, mass = m })") end
  for _, other in ipairs(self._bodies) do if other.name == name then fail("S:body: %s has a body '%s' already", self.name, name) end end
  local o = options.check("body", schema, given)
  local frame = o.frame and demand_frame(o.frame, self, name) or self:frame()
  local body = { system = self, name = name, frame = frame, at = o.at and Point._at(o.at, self, ("body '%s': at"):format(name)) or self.origin }
  body.mass = constant(self, o.mass, ("body '%s': mass"):format(name))
  local number = options.number(body.mass)
  if number and number < 0 then fail("body '%s': the mass %s is negative", name, core.text(body.mass)) end
  body.shape = o.shape and shape.read(self, o.shape, name) or false
  if body.shape and body.shape.centre then fixed_in(body, body.shape.centre, "the centre of its shape is not fixed in the body: it lies at %s") end
  local J = inertia.read(self, o.inertia, name, body.mass, body.shape)
  if not J and number == 0 then fail("body '%s' has neither mass nor inertia", name) end
  if o.about and not J then fail("body '%s': about belongs to inertia = {A, B, C}, which is missing", name) end
  local about = o.about and Point._at(o.about, self, ("body '%s': about"):format(name))
  body._J = J and about and core.number_value(body.mass) ~= 0 and inertia.to_mass_centre(J, body.mass, arm(body, about)) or J or false
  if body._J then inertia.check(body._J, name, {}, {}) end
  body._parts = inertial_parts(body, J, about)
  body._parameters, body._values_right = false, false
  setmetatable(body, Body.meta)
  table.insert(self._bodies, body)
  declare_energies(self)
  return body
end

--- Gravity for all bodies, also those declared later: S:gravity(-g*N.z), an acceleration that is constant in the inertial frame. Declared once.
function System:gravity(g)
  if rawget(self, "_gravity") then fail("S:gravity: %s has gravity already, %s", self.name, tostring(self._gravity)) end
  Vector._demand_free(g, self, "S:gravity: the acceleration")
  for _, term in ipairs(g:dt()._terms) do
    for i = 1, 3 do
      if term[i]:is_zero() ~= true then fail("S:gravity: %s is not constant in the inertial frame; S:force(body, F) takes any force", tostring(g)) end
    end
  end
  rawset(self, "_gravity", g)
  declare_energies(self)
  return self
end

-- ---- forces

-- Adds generalised forces by the derivatives of a velocity (or an angular velocity) by the base velocities
local function add_generalised(system, F, v, what)
  local M = motion.of(system)
  for s, w in ipairs(M.base) do
    local along = v:_map(function(c) return core.diff(c, w) end)
    system:_add_force(w, s, system:admit(F:dot(along), what, 1, true))
  end
  system:changed()
  return system
end

-- S:force(body, F, P): Body's part of System:force
function Body.meta.__force(system, body, F, P)
  if getmetatable(body) ~= Body.meta then fail("S:force(b, F, P) takes a body, a vector and a point") end
  if body.system ~= system then fail("S:force: body '%s' belongs to another system, %s", body.name, body.system.name) end
  Vector._demand(F, system, ("S:force on body '%s': the force"):format(body.name))
  P = P and Point._at(P, system, ("S:force on body '%s': the place"):format(body.name)) or body.at
  -- the material point of the body that is there
  if rawget(system, "_many_frames") then
    local v = loads.velocity(body.at.place, body.frame) + loads.turning(body.frame):cross(P - body.at)
    return loads.add(system, F, v, ("force on body '%s'"):format(body.name))
  end
  local v = body.at:velocity() + body.frame:angular_velocity():cross(P - body.at)
  return add_generalised(system, F, v, ("force on body '%s'"):format(body.name))
end

--- A torque on a body, a vector: S:torque(b, -k*N:rotate("z", phi).z). A force at a point of it is S:force(b, F, P), P its mass centre when not given.
function System:torque(body, M)
  if not object.is_a(body, "Body") or body.system ~= self then fail("S:torque(b, M) takes a body of %s first", self.name) end
  Vector._demand(M, self, ("S:torque on body '%s': the torque"):format(body.name))
  if body.frame == self:frame() then
    fail("S:torque: body '%s' has no frame that turns, so that a torque does nothing; give it one, as in frame = S:rotation \"R\"", body.name)
  end
  if rawget(self, "_many_frames") then return loads.add(self, M, loads.turning(body.frame), ("torque on body '%s'"):format(body.name)) end
  return add_generalised(self, M, body.frame:angular_velocity(), ("torque on body '%s'"):format(body.name))
end

-- ---- what can be asked of a body

--- The point of the body with these coordinates from its mass centre, along the axes of its frame.
function Body:point(x, y, z)
  return self.at + self.frame:vector(x or 0, y or 0, z or 0)
end

--- Velocity of the mass centre, a vector. Where four or more frames move the bodies it has its components in the frame of the body, by recursion.
function Body:velocity()
  if rawget(self.system, "_many_frames") then return loads.velocity(self.at.place, self.frame) end
  return self.at:velocity()
end

--- Angular velocity with respect to a frame, the inertial one when none is given: a vector. Its components in the body: b:angular_velocity():dot(b.frame.z).
function Body:angular_velocity(from)
  if rawget(self.system, "_many_frames") and (from == nil or from == self.system:frame()) then return loads.turning(self.frame) end
  return self.frame:angular_velocity(from)
end

--- Linear momentum, a vector.
function Body:momentum() return self.mass*self:velocity() end

--- Angular momentum about a point, the origin when none is given: a vector.
function Body:angular_momentum(P)
  P = P and Point._at(P, self.system, "angular_momentum: the point") or self.system.origin
  local sum = Vector.new(self.system, {})
  if core.number_value(self.mass) ~= 0 then sum = (self.at - P):cross(self:momentum()) end
  if not self._J then return sum end
  return sum + Vector.new(self.system, { [self.frame] = inertia.times(self._J, self.frame:angular_velocity():_in_frame(self.frame)) })
end

--- Kinetic energy, an expression.
function Body:kinetic_energy() return rawget(self, "_recursive_T") or rawget(self, "_T") end

local function sum_over(self, f)
  local sum = Vector.new(self, {})
  for _, body in ipairs(self._bodies) do sum = sum + f(body) end
  return sum
end

--- Linear momentum of all bodies, a vector.
function System:momentum() return sum_over(self, function(body) return body:momentum() end) end

--- Angular momentum of all bodies about a point, the origin when none is given: a vector.
function System:angular_momentum(P) return sum_over(self, function(body) return body:angular_momentum(P) end) end

-- Contacts of bodies, for other rooms: records as touching.at gives them, with name, and rolls = true where they roll.
function System:_contacts_of_bodies() return rawget(self, "_touches") or {} end

-- Joints of bodies, for other rooms: { name, kind, point, sides = { { expression, words } } of which each expression is positive in a start,
-- frames: those that it keeps parallel }.
function System:_joints_of_bodies() return rawget(self, "_joints") or {} end

function Body.meta.__tostring(b)
  return ("body '%s': mass %s, at %s, frame '%s'%s"):format(b.name, core.text(b.mass), tostring(b.at.place), b.frame.name,
    b.shape and ", " .. b.shape.kind or "")
end

options.declare("body", schema)
object.seal(Body)

return Body
