-- The woodpecker toy (Pfeiffer 1984; Glocker 1995; Glocker and Studer 2005): a sleeve slides down a pole, jams, lets go; the bird on its
-- spring swings and pecks the pole once a cycle. Three contacts with impacts (Newton, Routh) and friction, and a limit cycle they make.
local hm = require "hamel"

local S = hm.system "woodpecker"
local y, M, B = S:coordinates "y M B"                      -- fall of the sleeve, turning of sleeve and bird
local m, J, mB, JB, c, g = S:positive "m=3/10000 J=5e-9 mB=45/10000 JB=7e-7 c=56/10000 g=9.81"
local lM, lG = S:positive "lM=1/100 lG=15/1000"            -- spring ahead of the sleeve, bird ahead of the spring
S:kinetic_energy(m/2*y.dot^2 + J/2*M.dot^2 + mB/2*(y.dot + lM*M.dot + lG*B.dot)^2 + JB/2*B.dot^2)
S:potential_energy((m + mB)*g*y + mB*g*(lM*M + lG*B) + c/2*(M - B)^2)
-- pole 2.5 mm, sleeve 3.1 mm and half its length 5.8 mm; the beak 20 mm up and 20.1 mm ahead of the bird's centre
local r0, rM, hM, hB, lB = 0.0025, 0.0031, 0.0058, 0.02, 0.0201
S:unilateral("beak", hm.number "0.0024" - hB*B, { law = hm.newton(0.5) })           -- lM + lG - lB - r0
S:unilateral("lower edge", hm.number "0.0006" + hM*M, { law = hm.newton(0) })
S:unilateral("upper edge", hm.number "0.0006" - hM*M, { law = hm.newton(0) })
assert(math.abs(0.01 + 0.015 - lB - r0 - 0.0024) < 1e-15 and math.abs(rM - r0 - 0.0006) < 1e-15)
S:friction("beak slip", { slip = y.dot + lM*M.dot + (lG - lB)*B.dot, normal = "beak", coefficient = 0.3 })
S:friction("lower slip", { slip = y.dot + rM*M.dot, normal = "lower edge", coefficient = 0.3 })
S:friction("upper slip", { slip = y.dot + rM*M.dot, normal = "upper edge", coefficient = 0.3 })

local run = S:simulate{ q = { y = 0, M = -0.1034, B = -0.2788 }, v = { y = -0.3411, M = 0, B = -7.4583 }, t = 6, rtol = 1e-9, atol = 1e-11 }
print(run)
assert(run.status == "OK" and run.energy_drift < 1e-6)

-- 1. The bird pecks in a limit cycle: time and fall from peck to peck settle
local pecks = {}
for _, impact in ipairs(run.impacts) do
  if impact.name == "beak" and impact.before.v.B > 1 then pecks[#pecks + 1] = impact end
end
for k = math.max(2, #pecks - 4), #pecks do
  print(("peck %d: %.6f s after the last, %.5f mm lower"):format(k, pecks[k].t - pecks[k - 1].t, 1e3*(pecks[k - 1].before.y - pecks[k].before.y)))
end
local n = #pecks
local period, before = pecks[n].t - pecks[n - 1].t, pecks[n - 1].t - pecks[n - 2].t
local fall, fall_before = pecks[n - 1].before.y - pecks[n].before.y, pecks[n - 2].before.y - pecks[n - 1].before.y
assert(n > 30 and math.abs(period - before) < 1e-4 and math.abs(fall - fall_before) < 1e-5)
print(("limit cycle: %.2f Hz, %.2f mm a peck"):format(1/period, 1e3*fall))

-- 2. What gravity gives over a cycle, friction and impacts take: the energy less that of the fall returns
local weight = (3e-4 + 45e-4)*9.81
local change = pecks[n].before.energy - pecks[n - 1].before.energy
assert(math.abs(change + weight*fall) < 1e-3*weight*fall)
print(("per peck: gravity gives %.3e J, the energy changes by %.3e J"):format(weight*fall, change))

-- 3. Through a cycle the sleeve jams (both slips stick) and falls freely: both happen
local stuck, free = false, false
for _, switch in ipairs(run.switches) do
  if switch.t > pecks[n - 1].t then
    stuck = stuck or switch.to == "stick"
    free = free or switch.to == "open"
  end
end
assert(stuck and free)
