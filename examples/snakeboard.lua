-- Snakeboard: two steerable wheel sets on a board with a rotor. Without torques it keeps three quantities, which give its speed in
-- closed form; with rotor and wheels driven together it gathers speed from none.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local function snakeboard(name)
  local S = hm.system(name)
  local N = S:frame "N"
  local x, y, theta, psi, phi = S:coordinates "x y theta psi phi"       -- board, rotor relative to the board, front wheels; rear: -phi
  local m, l, J, R, W = S:positive "m=6 l=1/5 J=1/50 R=1/10 W=1/100"
  local board, middle = N:rotate("z", theta), S:point(x*N.x + y*N.y)
  S:body("board", { at = middle, frame = board, mass = m, inertia = {0, J, J} })
  S:body("rotor", { at = middle, frame = board:rotate("z", psi), inertia = {0, R, R} })
  -- wheels at l ahead of and behind the middle, with no velocity across them
  for set, side in ipairs{ 1, -1 } do
    local label, axle, wheels = ({ "front", "rear" })[set], middle + side*l*board.x, board:rotate("z", side*phi)
    S:body(label .. " wheels", { at = axle, frame = wheels, inertia = {0, W, W} })
    S:constraint(label, axle:velocity():dot(wheels.y))
  end
  return S
end

-- 1. Coasting: R (theta' + psi'), phi' and m v^2 + (J + 2 W) theta'^2 are constant, theta' = v tan(phi)/l
local S = snakeboard "snakeboard"
local x, y, theta, psi = S:symbol "x", S:symbol "y", S:symbol "theta", S:symbol "psi"
local speed = x.dot*cos(theta) + y.dot*sin(theta)
local spin = S:symbol "R"*(theta.dot + psi.dot)
local run = S:simulate{ q = { x = 0, y = 0, theta = 0, psi = 0, phi = 0.2 }, v = { x = 1, psi = 2, phi = 0.1 }, t = 8, rtol = 1e-12, atol = 1e-13 }
local function inertia(angle) return 6 + (1/50 + 2/100)*(math.tan(angle)/0.2)^2 end
local worst, spin0 = 0, run:at(0, spin)
for t = 0, 8, 0.25 do
  local v = math.sqrt(inertia(0.2)/inertia(0.2 + 0.1*t))
  worst = math.max(worst, math.abs(run:at(t, speed) - v), math.abs(run:at(t, spin) - spin0), math.abs(run:at(t).v.phi - 0.1),
    math.abs(run:at(t).v.theta - v*math.tan(0.2 + 0.1*t)/0.2))
end
print(("coasting: speed %.6f m/s after 8 s, closed solution and invariants within %.1e"):format(run:at(8, speed), worst))
assert(worst < 1e-9 and run.energy_drift < 1e-10)

-- 2. Driven: steering and rotor as rheonomic constraints, one frequency each: the "drive" gait
local D = snakeboard "driven snakeboard"
local rotor, steer = D:symbol "psi", D:symbol "phi"
D:constraint("steering", steer - 0.3*sin(2*hm.t))
D:constraint("rotor", rotor - 1.2*sin(2*hm.t))
local gait = D:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 0 }, t = 10*math.pi, rtol = 1e-10, atol = 1e-11 }
local s = gait:at(10*math.pi)
print(("driven: after ten strokes the board is at (%.4f, %.4f), started without speed"):format(s.x, s.y))
assert(gait.energy_drift < 1e-7 and gait.constraint_drift < 1e-8)
-- the momentum along the wheels obeys one equation: (m l^2 + K tan^2 phi) v' = -K v tan(phi) sec^2(phi) phi' - R l tan(phi) psi'', K = J + R + 2 W
local K, ml2 = 1/50 + 1/10 + 2/100, 6*0.04
local v, n = 0, 200000
local function slope(t, u)
  local p, dp, ddpsi = 0.3*math.sin(2*t), 0.6*math.cos(2*t), -4.8*math.sin(2*t)
  local tan_p = math.tan(p)
  return -(K*u*tan_p/math.cos(p)^2*dp + 0.1*0.2*tan_p*ddpsi)/(ml2 + K*tan_p^2)
end
local h = 10*math.pi/n
for i = 0, n - 1 do
  local t = i*h
  v = v + h*slope(t + h/2, v + h/2*slope(t, v))
end
local found = gait:at(10*math.pi, D:symbol "x".dot*cos(D:symbol "theta") + D:symbol "y".dot*sin(D:symbol "theta"))
print(("  speed %.8f m/s, by the reduced equation %.8f"):format(found, v))
assert(math.abs(found - v) < 1e-6 and math.abs(v) > 0.05)
