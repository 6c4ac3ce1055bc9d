-- Cost of impacts beside the steps of the motion: a run with N bounces less as many plain steps, per bounce and as a ratio to a step; and of
-- blows with friction beside blows without.
--   build/hamel tests/bench/impacts.lua [ROUNDS, 30 when not given; 0: the bouncing ball alone, once, for counting instructions] [TIME]
local hm = require "hamel"
local rounds = math.tointeger(tonumber(arg and arg[1] or 30)) or 30
local long = tonumber(arg and arg[2] or 2000)

-- Fastest of all rounds of each variant, the variants taken in turn
local function fastest(variants)
  local best, last = {}, {}
  for _ = 1, math.max(rounds, 1) do
    for name, run in pairs(variants) do
      last[name] = run()
      best[name] = math.min(best[name] or math.huge, last[name].outcome.seconds)
    end
  end
  return best, last
end

local function ball(law)
  local S = hm.system "ball"
  local h = S:coordinates "h"
  S:kinetic_energy(h.dot^2/2)
  S:force(h, -10)
  if law then S:unilateral("floor", h, { law = law }) end
  return S
end

-- The mass matrix couples the directions, so that slips turn in a blow; the belt below keeps them from dying out
local function slider(mu, belt)
  local S = hm.system "slider"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy(x.dot^2/2 + y.dot^2 + z.dot^2/2 + x.dot*z.dot/4)
  S:force(z, -10)
  S:unilateral("floor", z, { law = hm.newton(1) })
  if mu > 0 then
    S:friction("rub", { slip = { x.dot - belt*hm.cos(hm.t), y.dot - belt*hm.sin(2*hm.t) }, coefficient = mu, normal = "floor" })
  end
  return S
end

local bouncing, flying = ball(hm.newton(1)), ball()
local start = { q = { h = 5 }, v = { h = 0 }, t = long }
if rounds == 0 then
  local run = bouncing:simulate(start)
  print(("%d impacts, %d steps"):format(#run.impacts, run.outcome.steps))
  return
end

local function of(S, options)
  return function() return S:simulate(options) end
end
local seconds, run = fastest {
  bouncing = of(bouncing, start),
  flying = of(flying, { q = start.q, v = start.v, t = long, max_step = 2 }),
}
local impacts, step = #run.bouncing.impacts, seconds.flying/run.flying.outcome.steps
local cost = (seconds.bouncing - step*run.bouncing.outcome.steps)/impacts
print(("one impact of a ball, newton's law: %.2f us beside its steps = %.1f plain steps of %.2f us"):format(1e6*cost, cost/step, 1e6*step))

local slow = { q = { x = 0, y = 0, z = 5 }, v = { x = 0, y = 0, z = 0 }, t = long/10 }
local smooth, slips, sticks = slider(0, 0), slider(0.05, 5), slider(1, 1)
seconds, run = fastest { smooth = of(smooth, slow), slips = of(slips, slow), sticks = of(sticks, slow) }
local plain = seconds.smooth/#run.smooth.impacts
for _, kind in ipairs { "slips", "sticks" } do
  local one = seconds[kind]/#run[kind].impacts - plain
  print(("friction in two directions, a blow that %s: %.2f us beside one without friction = %.1f plain steps"):format(kind, 1e6*one, one/step))
end
