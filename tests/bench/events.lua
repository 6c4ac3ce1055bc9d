-- Cost of events and impacts: a run with one event function that never fires against the plain run; time per impact.
--   build/hamel tests/bench/events.lua
local hm = require "hamel"

local S = hm.system "sleigh"
local x, y, theta = S:coordinates "x y theta"
S:kinetic_energy((x.dot^2 + y.dot^2)/2 + theta.dot^2/4)
S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
local start = { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 2000, rtol = 1e-9 }
local function least(options, times)
  local best = math.huge
  for _ = 1, times do best = math.min(best, S:simulate(options).outcome.seconds) end
  return best
end
local plain = least(start, 15)
start.events = { { name = "far", when = x - 1e6 } }
local watched = least(start, 15)
print(("one event function, not met: %.1f %% of a run"):format(100*(watched/plain - 1)))

local B = hm.system "ball"
local h = B:coordinates "h"
B:kinetic_energy(h.dot^2/2)
B:force(h, -10)
local free = math.huge
for _ = 1, 10 do free = math.min(free, B:simulate{ q = { h = 5 }, v = { h = 0 }, t = 2000, max_step = 1 }.outcome.seconds/2000) end
B:unilateral("floor", h, { law = hm.newton(1) })
local bounced, impacts = math.huge, 0
for _ = 1, 5 do
  local run = B:simulate{ q = { h = 5 }, v = { h = 0 }, t = 2000 }
  bounced, impacts = math.min(bounced, run.outcome.seconds), #run.impacts
end
print(("one impact, its location and the steps it costs: %.2f us (a plain step of the ball: %.2f us)"):format(1e6*bounced/impacts, 1e6*free))
