-- The benchmark bicycle: four bodies, two discs that roll on the plane, no velocity typed by hand. The eigenvalues of its upright motion agree with table 2
-- of Meijaard, Papadopoulos, Ruina and Schwab, Proceedings of the Royal Society A 463 (2007) 1955-1982.
local hm = require "hamel"

local S = hm.system "bicycle"
local N = S:frame "N"
local x, y, z, yaw, lean, pitch, steer, rear, front = S:coordinates "x y z yaw lean pitch steer rear front"
local tilt = hm.pi/10
local F = N:rotate("z", yaw):rotate("x", lean):rotate("y", pitch)                   -- x ahead, y to the left, z up
local H = F:rotate("y", -tilt):rotate("z", steer):rotate("y", tilt)
local hub = S:point(x*N.x + y*N.y + z*N.z)
local axis = hub + F:vector(1.1, 0, -0.3)                                           -- where the steering axis meets the ground
local wheel = S:body("rear wheel", { at = hub, frame = F:rotate("y", rear), mass = 2, inertia = {0.0603, 0.12, 0.0603},
  shape = {"disc", radius = 0.3, axis = "y"} })
S:body("frame and rider", { at = hub + F:vector(0.3, 0, 0.6), frame = F, mass = 85, inertia = {9.2, 11, 2.8, xz = -2.4} })
S:body("fork", { at = axis + H:vector(-0.2, 0, 0.7), frame = H, mass = 4, inertia = {0.05892, 0.06, 0.00708, xz = 0.00756} })
local other = S:body("front wheel", { at = axis + H:vector(-0.08, 0, 0.35), frame = H:rotate("y", front), mass = 3, inertia = {0.1405, 0.28, 0.1405},
  shape = {"disc", radius = 0.35, axis = "y"} })
S:rolls("rear", wheel, N:plane())
S:rolls("front", other, N:plane())
S:gravity(-9.81*N.z)

-- at 5 m/s: weave and capsize decay, the bicycle is stable
local q = { x = 0, y = 0, z = 0.3, yaw = 0, lean = 0, pitch = 0, steer = 0, rear = 0, front = 0 }
local function upright(v)
  return S:linearize{ q = q, v = { x = v, y = 0, z = 0, yaw = 0, lean = 0, pitch = 0, steer = 0, rear = v/0.3, front = v/0.35 } }
end
local mode = upright(5)
print(mode)
for _, want in ipairs{ { -14.078389692798, 0 }, { -0.322866429004, 0 }, { -0.775341882196, 4.464867713788 } } do
  local best = math.huge
  for _, e in ipairs(mode.eigenvalues) do best = math.min(best, math.abs(e.re - want[1]) + math.abs(math.abs(e.im) - want[2])) end
  assert(best < 1e-7)
end
-- the table at 0 and 10 m/s
for _, row in ipairs{ { 0, 5.530943717654 }, { 10, 0.161053386532 } } do
  local e = upright(row[1]).eigenvalues[1].re
  print(("%4.1f m/s: largest real part %.12f, printed %.12f"):format(row[1], e, row[2]))
  assert(math.abs(e - row[2]) < 1e-7)
end

-- pushed at 5 m/s it comes upright again
local run = S:simulate{ q = { x = 0, y = 0, yaw = 0, lean = 0, steer = 0, rear = 0, front = 0 }, v = { lean = 0.3, steer = 0, rear = 5/0.3 },
  t = 5, rtol = 1e-10 }
print(run)
print(("pushed by 0.3 rad/s: lean up to %.3f rad, %.5f rad after 5 s"):format(run:keep{ "max lean" }["max lean"], run:at(5).lean))
assert(run.status == "OK" and run.energy_drift < 1e-8 and math.abs(run:at(5).lean) < 0.02)
