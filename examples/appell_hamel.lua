-- The Appell-Hamel problem: a point whose vertical speed is (a/b) times its horizontal one, z'^2 = k^2 (x'^2 + y'^2), the classical constraint
-- nonlinear in the velocities. Chetaev's rule gives its reaction; Appell 1911, Hamel 1938, with the masses of the frame neglected.
local hm = require "hamel"

local S = hm.system "Appell-Hamel"
local x, y, z = S:coordinates "x y z"
local m, k, g = S:positive "m=1 k=1/2 g=9.81"
S:kinetic_energy(m/2*(x.dot^2 + y.dot^2 + z.dot^2))
S:potential_energy(m*g*z)
S:constraint("cone", z.dot - k*hm.sqrt(x.dot^2 + y.dot^2))
print(S)
print(S:equations())

-- 1. Along its path the point is decelerated evenly: with the horizontal speed v = sqrt(x'^2 + y'^2), (1 + k^2) v' = -k g, and the direction stays
local a = S:accelerations{ q = { x = 0, y = 0, z = 0 }, v = { x = 3, y = 4 } }.a
local along = (3*a.x + 4*a.y)/5
print(("v' = %.12f, -k g/(1 + k^2) = %.12f, across %.1e"):format(along, -0.5*9.81/1.25, math.abs(4*a.x - 3*a.y)/5))
assert(math.abs(along + 0.5*9.81/1.25) < 1e-12 and math.abs(4*a.x - 3*a.y) < 1e-12)

-- 2. A run against the closed solution s = v0 t - k g t^2/(2 (1 + k^2)), in a straight line up to where it stands still, 1.27 s on
local run = S:simulate{ q = { x = 0, y = 0, z = 0 }, v = { x = 3, y = 4 }, t = 1, rtol = 1e-11, atol = 1e-12 }
local worst = 0
for t = 0, 1, 0.02 do
  local s, at = 5*t - 0.5*9.81/1.25*t*t/2, run:at(t)
  worst = math.max(worst, math.abs(at.x - 0.6*s), math.abs(at.y - 0.8*s), math.abs(at.z - 0.5*s))
end
print(("straight and evenly decelerated within %.1e; energy drift %.1e, constraint %.1e"):format(worst, run.energy_drift, run.constraint_drift))
assert(worst < 1e-9 and run.energy_drift < 1e-9)

-- 3. Where it stands still its direction, and with it the reaction, is not determined: the run stops there and says so
local stopped = S:simulate{ q = { x = 0, y = 0, z = 0 }, v = { x = 3, y = 4 }, t = 2 }
print("further on: " .. stopped.outcome.message)
assert(stopped.status ~= "OK" and math.abs(stopped.outcome.t - 5*1.25/(0.5*9.81)) < 1e-3)

-- 4. The multiplier: lambda = m g/(1 + k^2), the same everywhere; other forms agree where they apply
local lambda = S:multipliers()[1]
assert((lambda - m*g/(1 + k^2)):is_zero())
print("lambda = " .. tostring(lambda:simplify()))
for _, form in ipairs{ "hamel", "maggi", "appell", "nielsen" } do
  local got = S:accelerations{ form = form, q = { x = 0, y = 0, z = 0 }, v = { x = 3, y = 4 } }.a
  for name, value in pairs(a) do assert(math.abs(got[name] - value) < 1e-9, form) end
end

-- 5. The vakonomic model gives the same motion here, whatever its mu: (k + 1/k) v' = -g in both. A force across the path parts them
local start = { forms = { "lagrange", { form = "vakonomic", mu = { cone = 1 } } }, q = { x = 0, y = 0, z = 0 }, v = { x = 3, y = 4 }, t = 0.5 }
assert(S:compare(start).difference.vakonomic.y < 1e-10)
S:potential_energy(m*g*z - 2*x, { replace = true })
local parted = S:compare(start)
print(parted)
assert(parted.difference.vakonomic.x > 1e-3)
