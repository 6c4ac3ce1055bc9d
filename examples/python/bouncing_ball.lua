-- A ball that bounces ever lower: infinitely many impacts before a finite time, then rest.
local hm = require "hamel"

local S = hm.system "bouncing ball"
local h = S:coordinates "h"
S:kinetic_energy(h.dot^2/2)
S:force(h, -9.81)
S:unilateral("floor", h, { law = hm.newton(0.9) })

local run = S:simulate{ q = { h = 1 }, v = { h = 0 }, t = 10, rtol = 1e-12, atol = 1e-13 }
for k = 1, 3 do
  local impact = run.impacts[k]
  print(("impact at %.17g: %.17g to %.17g"):format(impact.t, impact.before.v.h, impact.after.v.h))
end
print(("%d impacts, h(9) = %.17g, force of the floor %.17g"):format(#run.impacts, run:at(9).h, run:at(9).lambda.floor))
