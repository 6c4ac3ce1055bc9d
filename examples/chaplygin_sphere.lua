-- Chaplygin's sphere: a ball with three different moments of inertia, balanced, that rolls without slip on a plane. Its angular
-- momentum about the point of contact keeps all three components in space, though the contact moves: that is why it is integrable.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local S = hm.system "Chaplygin sphere"
local x, y, psi, theta, phi = S:coordinates "x y psi theta phi"        -- Euler angles z-x-z
local m, a, I1, I2, I3 = S:positive "m=2 a=1/2 I1=1/10 I2=3/20 I3=1/5"
-- angular velocity in body axes and in space axes
local w1 = theta.dot*cos(phi) + psi.dot*sin(theta)*sin(phi)
local w2 = -theta.dot*sin(phi) + psi.dot*sin(theta)*cos(phi)
local w3 = phi.dot + psi.dot*cos(theta)
local wx = theta.dot*cos(psi) + phi.dot*sin(theta)*sin(psi)
local wy = theta.dot*sin(psi) - phi.dot*sin(theta)*cos(psi)
S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + (I1*w1^2 + I2*w2^2 + I3*w3^2)/2)
S:constraint("roll x", x.dot - a*wy)
S:constraint("roll y", y.dot + a*wx)

-- momentum about the contact point in space axes: R (I w) + r x m v, r = (0, 0, a)
local L = { I1*w1, I2*w2, I3*w3 }
local R = {
  { cos(psi)*cos(phi) - sin(psi)*cos(theta)*sin(phi), -cos(psi)*sin(phi) - sin(psi)*cos(theta)*cos(phi), sin(psi)*sin(theta) },
  { sin(psi)*cos(phi) + cos(psi)*cos(theta)*sin(phi), -sin(psi)*sin(phi) + cos(psi)*cos(theta)*cos(phi), -cos(psi)*sin(theta) },
  { sin(theta)*sin(phi), sin(theta)*cos(phi), cos(theta) },
}
local K = {}
for i = 1, 3 do K[i] = R[i][1]*L[1] + R[i][2]*L[2] + R[i][3]*L[3] end
K[1], K[2] = K[1] - m*a*y.dot, K[2] + m*a*x.dot

local start = { q = { x = 0, y = 0, psi = 0, theta = 1, phi = 0.4 }, v = { psi = 0.7, theta = 0.9, phi = 1.1 }, t = 10, rtol = 1e-12, atol = 1e-13 }
for _, form in ipairs{ "lagrange", "appell" } do
  start.form = form
  local run, worst = S:simulate(start), 0
  for i = 1, 3 do
    local first = run:at(0, K[i])
    for t = 0, 10, 0.5 do worst = math.max(worst, math.abs(run:at(t, K[i]) - first)) end
  end
  local s = run:at(10)
  print(("%-9s after 10 s at (%.6f, %.6f); momentum about the contact (%.4f, %.4f, %.4f) kept within %.1e, energy within %.1e"):format(form,
    s.x, s.y, run:at(0, K[1]), run:at(0, K[2]), run:at(0, K[3]), worst, run.energy_drift))
  assert(run.status == "OK" and worst < 1e-9 and run.energy_drift < 1e-9)
end

-- equal moments: an ordinary ball, which rolls straight on at constant speed
local ball = S:simulate{ q = start.q, v = start.v, t = 5, parameters = { I1 = 0.2, I2 = 0.2, I3 = 0.2 }, rtol = 1e-12, atol = 1e-13 }
local first = ball:at(0)
for t = 0, 5, 0.5 do
  local s = ball:at(t)
  assert(math.abs(s.x - first.v.x*t) < 1e-9 and math.abs(s.y - first.v.y*t) < 1e-9)
end
print(("equal moments: straight on with (%.6f, %.6f)"):format(first.v.x, first.v.y))
