-- bodies/init.lua: frames, vectors, rotations, points and bodies, as methods of systems, loaded at the first use.
local object = require "hamel.base.object"
local System = require "hamel.system"

object.later("System", "hamel.bodies.frame", { "frame" })
object.later("System", "hamel.bodies.point", { "point" })
object.later_fields(System, "hamel.bodies.point", { "origin" })
object.later("System", "hamel.bodies.body", { "body", "gravity", "torque", "momentum", "angular_momentum", "_contacts_of_bodies", "_joints_of_bodies" })
object.later("System", "hamel.bodies.rotation", { "rotation" })
object.later("System", "hamel.bodies.rolling", { "rolls", "gap", "slip", "contact" })
object.later("System", "hamel.bodies.joint", { "joint" })
object.later("Frame", "hamel.bodies.rotation", { "rates", "quaternion" })
object.later("Frame", "hamel.bodies.surface", { "plane", "sphere", "cylinder", "surface" })
