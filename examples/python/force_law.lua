-- A mass on a spring with a force of one's own: a function of time, coordinates and velocities.
local hm = require "hamel"

local S = hm.system "oscillator"
local x = S:coordinates "x"
local m, k = S:positive "m=1 k=4"
S:kinetic_energy(m*x.dot^2/2)
S:potential_energy(k*x^2/2)
S:force(x, function(t, q, v) return math.sin(t) - 0.1*v.x*math.abs(v.x) - 0.5*q.x^3 end)

local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 20 }
print(("x(20) = %.17g, x'(20) = %.17g"):format(run:at(20, "x", "x'")))
