-- Newton's cradle with gaps of a hundredth: the speeds after the strokes.
local hm = require "hamel"

local S = hm.system "cradle"
local names = { "a", "b", "c", "d", "f" }
local q = { S:coordinates(table.concat(names, " ")) }
local T = hm.number(0)
for _, one in ipairs(q) do T = T + one.dot^2/2 end
S:kinetic_energy(T)
for i = 1, 4 do S:unilateral("pair" .. i, q[i + 1] - q[i] - 1, { law = hm.newton(0.95) }) end

local places, speeds = {}, {}
for i, name in ipairs(names) do places[name], speeds[name] = (i - 1)*1.01, 0 end
places.a, speeds.a = -1, 1
local run = S:simulate{ q = places, v = speeds, t = 3 }
for _, name in ipairs(names) do print(("%s %.17g"):format(name, run:at(3).v[name])) end
