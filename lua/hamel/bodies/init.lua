-- bodies/init.lua: frames, vectors, rotations, points and bodies, as methods of systems.
require "hamel.bodies.frame"
require "hamel.bodies.rotation"
require "hamel.bodies.point"
require "hamel.bodies.body"
require "hamel.bodies.rolling"
require "hamel.bodies.joint"
