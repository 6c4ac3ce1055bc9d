-- Cost of events and impacts: a run with one event function that never fires against the plain run; time per impact.
--   build/hamel tests/bench/events.lua [ROUNDS, 30 when not given; 0: impacts alone and once, for counting instructions]
local hm = require "hamel"
local rounds = math.tointeger(tonumber(arg and arg[1] or 30)) or 30

local S = hm.system "sleigh"
local x, y, theta = S:coordinates "x y theta"
S:kinetic_energy((x.dot^2 + y.dot^2)/2 + theta.dot^2/4)
S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
local start = { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 2000, rtol = 1e-9 }
local watched_start = { events = { { name = "far", when = x - 1e6 } } }
for key, value in pairs(start) do watched_start[key] = value end
local plain, watched = math.huge, math.huge
for _ = 1, rounds do
  plain = math.min(plain, S:simulate(start).outcome.seconds)
  watched = math.min(watched, S:simulate(watched_start).outcome.seconds)
end
if rounds > 0 then print(("one event function, not met: %.1f %% of a run"):format(100*(watched/plain - 1))) end

local B = hm.system "ball"
local h = B:coordinates "h"
B:kinetic_energy(h.dot^2/2)
B:force(h, -10)
local F = hm.system "flight"
local f = F:coordinates "h"
F:kinetic_energy(f.dot^2/2)
F:force(f, -10)
B:unilateral("floor", h, { law = hm.newton(1) })
local free, bounced, impacts = math.huge, math.huge, 0
for _ = 1, math.max(rounds, 1) do
  free = math.min(free, F:simulate{ q = { h = 5 }, v = { h = 0 }, t = 2000, max_step = 1 }.outcome.seconds/2000)
  local run = B:simulate{ q = { h = 5 }, v = { h = 0 }, t = 2000 }
  bounced, impacts = math.min(bounced, run.outcome.seconds), #run.impacts
end
print(("one impact, its location and the steps it costs: %.2f us = %.1f plain steps of the ball of %.2f us"):format(
  1e6*bounced/impacts, bounced/impacts/free, 1e6*free))
