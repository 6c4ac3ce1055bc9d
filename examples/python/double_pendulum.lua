-- The double pendulum: equations of Lagrange, a chaotic motion, its energy.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local S = hm.system "double pendulum"
local a, b = S:coordinates "a b"
local m, l, g = S:positive "m=1 l=1 g=9.81"
local x1, y1 = l*sin(a), -l*cos(a)
local x2, y2 = x1 + l*sin(b), y1 - l*cos(b)
S:kinetic_energy(m/2*(hm.dt(x1)^2 + hm.dt(y1)^2 + hm.dt(x2)^2 + hm.dt(y2)^2))
S:potential_energy(m*g*(y1 + y2))
print(S:equations "lagrange")

local run = S:simulate{ q = { a = 2, b = 1 }, v = { a = 0, b = 0 }, t = 10, rtol = 1e-12, atol = 1e-12 }
local times, angles, energies = run:series("a", "energy", { n = 101 })
print(("a(%g) = %.17g"):format(times[51], angles[51]))
print(("energy = %.17g"):format(energies[101]))
