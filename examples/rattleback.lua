-- Rattleback: an ellipsoid whose axes of inertia are turned against its axes of shape rolls without slip. Spun one way it soon rattles
-- and turns back; spun the other way it lasts far longer. It keeps its energy and runs the same path back when all velocities are reversed.
-- Source: Garcia and Hubbard, Proceedings of the Royal Society A 418 (1988) 165-197.
local hm = require "hamel"

local S = hm.system "rattleback"
local N = S:frame "N"
local m, g, a, b, c, h = S:positive "m=1 g=9.81 a=0.2 b=0.03 c=0.02 h=0.01"   -- half axes, mass centre h below the middle
local A, B, C = S:positive "A=2e-4 B=1.6e-3 C=1.7e-3"
local D = S:parameters "D=-2e-5"                                       -- product of inertia about the vertical plane of the axes
local R = S:rotation "R"
local stone = S:body("stone", { at = S:point "x y z", frame = R, mass = m, inertia = {A, B, C, xy = D}, shape = {"ellipsoid", a, b, c, centre = h*R.z} })
S:rolls("roll", stone, N:plane())
S:gravity(-g*N.z)

local spin = R:angular_velocity():dot(N.z)
local tilt = 0.5*math.pi/180
local function spun(rate, t)
  return S:simulate{ form = "hamel", q = { x = 0, y = 0, R = {"zxy", 0, tilt, tilt} }, v = { R = rate*N.z }, t = t, rtol = 1e-11, atol = 1e-13 }
end
-- First time at which the spin has the other sign, and the largest spin that way
local function report(rate)
  local run = spun(rate, 12)
  assert(run.status == "OK" and run.energy_drift < 1e-8, run.reason)
  local times, values = run:series(spin, { n = 1201 })
  local first, other = math.huge, 0
  for i, value in ipairs(values) do
    if value*rate < 0 then first, other = math.min(first, times[i]), math.max(other, math.abs(value)) end
  end
  print(("spun at %+.1f rad/s: turns back first at %5.2f s, then up to %.3f rad/s; energy within %.1e"):format(rate, first, other, run.energy_drift))
  return first, other
end
local soon, fast = report(-5)
local late, slow = report(5)
-- one way it turns back within seconds and at full speed; the other way slowly and late: without friction no sense of spin lasts
assert(soon < 4 and fast > 5 and late > 10 and slow < 1)

-- back again
local run = spun(-5, 3)
local there, w = run:at(3), { run:at(3, R:rates()) }
local home = S:simulate{ form = "hamel", q = there.q, v = { R = { -w[1], -w[2], -w[3] } }, t = 3, rtol = 1e-11, atol = 1e-13 }:at(3)
local off = math.max(math.abs(home.x), math.abs(home.y))
print(("velocities reversed after 3 s: back at the start within %.1e"):format(off))
assert(off < 1e-6)
