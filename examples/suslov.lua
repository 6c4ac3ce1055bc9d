-- Suslov's problem: a body about a fixed point that may not turn about one of its own axes. In body axes it goes from turning one way
-- to turning the other way about the same line, in closed form, and the energy is all it keeps.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local S = hm.system "Suslov's problem"
local psi, theta, phi = S:coordinates "psi theta phi"                  -- Euler angles z-x-z
local I1, I2, I3, I13 = S:positive "I1=2 I2=3 I3=4 I13=1"              -- I12 = I23 = 0
local w1 = theta.dot*cos(phi) + psi.dot*sin(theta)*sin(phi)
local w2 = -theta.dot*sin(phi) + psi.dot*sin(theta)*cos(phi)
local w3 = phi.dot + psi.dot*cos(theta)
S:kinetic_energy((I1*w1^2 + I2*w2^2 + I3*w3^2)/2 + I13*w1*w3)
S:constraint("no turning about the third axis", w3)
S:quasi_velocities("a b", { w1, w2 })

-- 1. Suslov's equations: I1 a' = -I13 a b, I2 b' = I13 a^2
local a, b = hm.functions_of_time "a b"
local E = S:equations "hamel"
print(E)
local rates = hm.solve({ E[1], E[2] }, { a.dot, b.dot })
assert((rates[1] + I13*a*b/I1):is_zero() and (rates[2] - I13*a^2/I2):is_zero())

-- 2. b = B tanh(k t + c), a = B sqrt(I2/I1) sech(k t + c), k = I13 B/I1
local start = { q = { psi = 0, theta = 1.2, phi = 2.4 }, t = 6, rtol = 1e-12, atol = 1e-13, form = "hamel" }
start.v = S:velocities{ q = start.q, where = { { w1, 0.5 }, { w2, -0.8 } } }
local run = S:simulate(start)
local B = math.sqrt(0.64 + 2/3*0.25)
local c, k, worst = 0.5*math.log((B - 0.8)/(B + 0.8)), B/2, 0
for t = 0, 6, 0.25 do
  local e = math.exp(k*t + c)
  worst = math.max(worst, math.abs(run:at(t, w2) - B*(e - 1/e)/(e + 1/e)), math.abs(run:at(t, w1) - B*math.sqrt(3/2)*2/(e + 1/e)))
end
print(("\nthe second component of the angular velocity goes from %.4f to %.4f, at most %.4f"):format(run:at(0, w2), run:at(6, w2), B))
print(("closed solution within %.1e, energy within %.1e"):format(worst, run.energy_drift))
assert(worst < 1e-9 and run.energy_drift < 1e-10 and run.constraint_drift < 1e-10)
