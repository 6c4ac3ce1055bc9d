-- Chaplygin's sleigh: a blade that does not slip sideways, the force on it, and what is conserved.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local S = hm.system "Chaplygin sleigh"
local x, y, theta = S:coordinates "x y theta"
local m, J, a = S:positive "m=1 J=1/2 a=1/5"
local cx, cy = hm.dt(x + a*cos(theta)), hm.dt(y + a*sin(theta))
S:kinetic_energy(m/2*(cx^2 + cy^2) + J/2*theta.dot^2)
S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))

local run = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 3 }, t = 20 }
print(("x(20) = %.17g"):format(run:at(20).x))
print(("blade = %.17g"):format(run:at(2).lambda.blade))
print(("steps = %d"):format(#run))
