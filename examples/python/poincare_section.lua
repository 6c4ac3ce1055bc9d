-- Henon and Heiles: where the motion crosses x = 0 upwards.
local hm = require "hamel"

local S = hm.system "Henon-Heiles"
local x, y = S:coordinates "x y"
S:kinetic_energy((x.dot^2 + y.dot^2)/2)
S:potential_energy((x^2 + y^2)/2 + x^2*y - y^3/3)

local section = S:section{ when = x, direction = "rising", of = { "y", y.dot }, q = { x = 0, y = 0.1 }, v = { x = 0.35, y = 0 }, t = 200 }
print(("%d points"):format(#section))
for i = 1, 3 do print(("%.17g %.17g"):format(section[i][1], section[i][2])) end
