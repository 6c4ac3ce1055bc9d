-- A disc that rolls without slipping on a plane: the equations of Boltzmann and Hamel in its own rates, and the forces at the contact.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local S = hm.system "rolling disc"
local x, y, phi, theta, psi = S:coordinates "x y phi theta psi"        -- contact point, heading, tilt, spin
local m, r, A, C, g = S:positive "m=1 r=1/2 A=1/16 C=1/8 g=9.81"
local cx, cy, cz = hm.dt(x - r*sin(theta)*sin(phi)), hm.dt(y + r*sin(theta)*cos(phi)), hm.dt(r*cos(theta))
S:kinetic_energy(m/2*(cx^2 + cy^2 + cz^2) + A/2*(theta.dot^2 + (phi.dot*cos(theta))^2) + C/2*(psi.dot + phi.dot*sin(theta))^2)
S:potential_energy(m*g*r*cos(theta))
S:constraint("roll x", x.dot + r*psi.dot*cos(phi))
S:constraint("roll y", y.dot + r*psi.dot*sin(phi))

local run = S:simulate{ q = { x = 0, y = 0, phi = 0, theta = 0.2, psi = 0 }, v = { phi = 0.5, theta = 0, psi = 6 }, t = 5 }
print(("theta(5) = %.17g"):format(run:at(5).theta))
print(("roll x = %.17g"):format(run:at(5).lambda["roll x"]))
for _, theta_k in ipairs(select(2, run:series("theta", { n = 5 }))) do print(("%.17g"):format(theta_k)) end
