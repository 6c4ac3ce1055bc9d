-- A block on a moving belt, held by a spring: it sticks, is torn off, slides back and sticks again.
local hm = require "hamel"

local S = hm.system "block on a belt"
local x = S:coordinates "x"
S:kinetic_energy(x.dot^2/2)
S:potential_energy(x^2/2)
S:friction("belt", { slip = x.dot - hm.rational(1, 5), normal = 1, coefficient = 0.3, static = 0.5 })

local run = S:simulate{ q = { x = 0 }, v = { x = 0.2 }, t = 20, rtol = 1e-12, atol = 1e-13 }
for _, switch in ipairs(run.switches) do print(("%.17g %s to %s"):format(switch.t, switch.from, switch.to)) end
