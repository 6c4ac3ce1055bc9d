-- rolling_disc.lua: draws the picture of the README: build/hamel docs/pictures/rolling_disc.lua
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos
local S = hm.system "rolling disc"
local x, y, phi, theta, psi = S:coordinates "x y phi theta psi"     -- point of contact, heading, tilt, roll
local m, r, g = S:positive "m=1 r=1 g=9.81"
-- centre: above the contact point, tilted by theta across the heading
local X, Y, Z = x - r*sin(theta)*sin(phi), y + r*sin(theta)*cos(phi), r*cos(theta)
-- body rates: along the heading, about the axle, in the disc's plane upwards
local w1, w2, w3 = theta.dot, psi.dot + phi.dot*sin(theta), phi.dot*cos(theta)
S:kinetic_energy(m/2*(hm.dt(X)^2 + hm.dt(Y)^2 + hm.dt(Z)^2) + m*r^2/8*(w1^2 + w3^2) + m*r^2/4*w2^2)
S:potential_energy(m*g*Z)
S:constraint("roll x", x.dot - r*psi.dot*cos(phi))
S:constraint("roll y", y.dot - r*psi.dot*sin(phi))
local run = S:simulate{ q = { x = 0, y = 0, phi = 0, theta = 0.3, psi = 0 }, v = { phi = 1.0, theta = 0, psi = 1.6 }, t = 38 }
print(run)
run:plot("x", "y", "docs/pictures/rolling_disc.png")
