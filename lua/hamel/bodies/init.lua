-- bodies/init.lua: frames, vectors, rotations, points and bodies, as methods of systems. What few scripts use is loaded at the first use.
local object = require "hamel.base.object"
require "hamel.bodies.frame"
require "hamel.bodies.point"
require "hamel.bodies.body"

object.later("System", "hamel.bodies.rotation", { "rotation" })
object.later("System", "hamel.bodies.rolling", { "rolls", "gap", "slip", "contact" })
object.later("System", "hamel.bodies.joint", { "joint" })
object.later("Frame", "hamel.bodies.rotation", { "rates", "quaternion" })
object.later("Frame", "hamel.bodies.surface", { "plane", "sphere", "cylinder", "surface" })
