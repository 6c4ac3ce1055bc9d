-- Rattleback: an ellipsoid whose axes of inertia are turned against its axes of shape rolls without slip. Spun one way it soon rattles
-- and turns back; spun the other way it lasts far longer. It keeps its energy and runs the same path back when all velocities are reversed.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local S = hm.system "rattleback"
local x, y, yaw, roll, pitch = S:coordinates "x y yaw roll pitch"      -- mass centre; turns about z, then x, then y
local m, g, a, b, c, h = S:positive "m=1 g=9.81 a=0.2 b=0.03 c=0.02 h=0.01"   -- half axes, mass centre h below the middle
local A, B, C = S:positive "A=2e-4 B=1.6e-3 C=1.7e-3"
local D = S:parameters "D=-2e-5"                                       -- product of inertia about the vertical plane of the axes
local c1, s1, c2, s2 = cos(roll), sin(roll), cos(pitch), sin(pitch)
-- the vertical in body axes and the angular velocity in body axes
local up = { -c1*s2, s1, c1*c2 }
local w = { roll.dot*c2 + yaw.dot*up[1], pitch.dot + yaw.dot*up[2], roll.dot*s2 + yaw.dot*up[3] }
-- contact point from the mass centre: where the normal of the ellipsoid points down
local root = hm.sqrt(a^2*up[1]^2 + b^2*up[2]^2 + c^2*up[3]^2)
local contact = { -a^2*up[1]/root, -b^2*up[2]/root, h - c^2*up[3]/root }
local height = root - h*up[3]
-- rolling: the mass centre moves with contact x w, in body axes, then in axes that share the yaw
local v = { contact[2]*w[3] - contact[3]*w[2], contact[3]*w[1] - contact[1]*w[3], contact[1]*w[2] - contact[2]*w[1] }
local along = c2*v[1] + s2*v[3]
local aside = s1*s2*v[1] + c1*v[2] - s1*c2*v[3]
S:kinetic_energy(m/2*(x.dot^2 + y.dot^2 + hm.dt(height)^2) + (A*w[1]^2 + B*w[2]^2 + C*w[3]^2)/2 + D*w[1]*w[2])
S:potential_energy(m*g*height)
S:constraint("roll x", x.dot - along*cos(yaw) + aside*sin(yaw))
S:constraint("roll y", y.dot - along*sin(yaw) - aside*cos(yaw))

-- the height of the mass centre is that of the contact point with the sign changed, and its rate is the vertical part of v
assert(((contact[1]*up[1] + contact[2]*up[2] + contact[3]*up[3]) + height):simplify():is_zero() ~= false)
local point = { [a] = 0.2, [b] = 0.03, [c] = 0.02, [h] = 0.01, [roll] = 0.3, [pitch] = -0.2, [roll.dot] = 0.7, [pitch.dot] = 0.4, [yaw.dot] = 1.1 }
local vertical = hm.dt(height) - (up[1]*v[1] + up[2]*v[2] + up[3]*v[3])
local given = {}
for _, s in ipairs(vertical:symbols()) do given[s] = point[s] end
assert(math.abs(vertical:eval(given)) < 1e-14)

local function spun(rate, t)
  return S:simulate{ form = "maggi", dependent = { "x", "y" }, q = { x = 0, y = 0, yaw = 0, roll = 0.5*math.pi/180, pitch = 0.5*math.pi/180 },
    v = { yaw = rate, roll = 0, pitch = 0 }, t = t, rtol = 1e-11, atol = 1e-13 }
end
-- First time at which the spin has the other sign, and the largest spin that way
local function report(rate)
  local run = spun(rate, 12)
  assert(run.status == "OK" and run.energy_drift < 1e-8, run.reason)
  local times, spin = run:series(yaw.dot, { n = 1201 })
  local first, other = math.huge, 0
  for i, value in ipairs(spin) do
    if value*rate < 0 then first, other = math.min(first, times[i]), math.max(other, math.abs(value)) end
  end
  print(("spun at %+.1f rad/s: turns back first at %5.2f s, then up to %.3f rad/s; energy within %.1e"):format(rate, first, other, run.energy_drift))
  return first, other
end
local soon, fast = report(-5)
local late, slow = report(5)

-- back again
local there = spun(-5, 3):at(3)
local back = { yaw = -there.v.yaw, roll = -there.v.roll, pitch = -there.v.pitch }
local home = S:simulate{ form = "maggi", dependent = { "x", "y" }, q = there.q, v = back, t = 3, rtol = 1e-11, atol = 1e-13 }:at(3)
print(("velocities reversed after 3 s: back at the start within %.1e"):format(math.max(math.abs(home.x), math.abs(home.y), math.abs(home.yaw))))
assert(math.max(math.abs(home.x), math.abs(home.y), math.abs(home.yaw)) < 1e-6)
-- one way it turns back within seconds and at full speed; the other way slowly and late: without friction no sense of spin lasts
assert(soon < 4 and fast > 5 and late > 10 and slow < 1)
