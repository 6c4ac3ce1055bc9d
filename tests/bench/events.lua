-- Cost of events and impacts: a run with one event function that never fires against the plain run; time per impact.
--   build/hamel tests/bench/events.lua [ROUNDS, 30 when not given; 0: impacts alone and once, for counting instructions]
--   build/hamel tests/bench/events.lua plain|watched TIME   one run without or with the event function, for counting instructions
local hm = require "hamel"
local measure = require "tests.bench.measure"
local rounds = math.tointeger(tonumber(arg and arg[1] or 30)) or 30

local S = hm.system "sleigh"
local x, y, theta = S:coordinates "x y theta"
S:kinetic_energy((x.dot^2 + y.dot^2)/2 + theta.dot^2/4)
S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
local start = { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 2000, rtol = 1e-9 }
local watched_start = { events = { { name = "far", when = x - 1e6 } } }
for key, value in pairs(start) do watched_start[key] = value end
local function run(o) return function() return S:simulate(o).outcome.seconds end end
if arg and (arg[1] == "plain" or arg[1] == "watched") then
  start.t, watched_start.t = tonumber(arg[2]), tonumber(arg[2])
  run(arg[1] == "plain" and start or watched_start)()
  return
end
if rounds > 0 then
  local all, thirds = measure.least(rounds, { plain = run(start), watched = run(watched_start) })
  local share = measure.of_least(all, thirds, function(times) return 100*(times.watched/times.plain - 1) end)
  share.signed = true
  print("one event function, not met: " .. measure.text(share, "%.1f %%") .. " of a run")
end

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
  local jumps = B:simulate{ q = { h = 5 }, v = { h = 0 }, t = 2000 }
  bounced, impacts = math.min(bounced, jumps.outcome.seconds), #jumps.impacts
end
print(("one impact, its location and the steps it costs: %.2f us = %.1f plain steps of the ball of %.2f us"):format(
  1e6*bounced/impacts, bounced/impacts/free, 1e6*free))
