-- A ball that bounces ever lower: infinitely many impacts before a finite time, in closed form, then rest.
local hm = require "hamel"

local S = hm.system "bouncing ball"
local h = S:coordinates "h"
S:kinetic_energy(h.dot^2/2)
S:force(h, -9.81)
S:unilateral("floor", h, { law = hm.newton(0.9) })
local run = S:simulate{ q = { h = 1 }, v = { h = 0 }, t = 10, rtol = 1e-12, atol = 1e-13 }
print(run)

-- 1. t_k = t_0 (1 + 2 (e + ... + e^(k-1))), t_0 = sqrt(2 h/g): the first impacts to the last digits
local t0, e = math.sqrt(2/9.81), 0.9
local sum, worst = 1, 0
for k = 1, 60 do
  local impact = run.impacts[k]
  worst = math.max(worst, math.abs(impact.t - t0*sum))
  assert(math.abs(impact.after.v.h + e*impact.before.v.h) < 1e-13)
  sum = sum + 2*e^k
end
print(("60 impacts: times within %.1e"):format(worst))
assert(worst < 1e-11)

-- 2. They accumulate at t_0 (1 + e)/(1 - e), where contact begins: a note says so
local zeno = t0*(1 + e)/(1 - e)
print(("accumulation at %.9f; the run: %s"):format(zeno, run.notes[1]))
assert(math.abs(run.notes[1].t - zeno) < 1e-5 and #run.impacts > 100)
assert(run:at(9).h == 0 and math.abs(run:at(9).lambda.floor - 9.81) < 1e-12)

-- 3. Each impact takes the part 1 - e^2 of what is there
local lost = 0
for _, impact in ipairs(run.impacts) do lost = lost + impact.energy_change end
print(("energy lost in %d impacts: %.12f of %.2f"):format(#run.impacts, -lost, 9.81))
assert(math.abs(lost + 9.81) < 1e-9)
