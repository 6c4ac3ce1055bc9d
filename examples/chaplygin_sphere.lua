-- Chaplygin's sphere: a ball with three different moments of inertia, balanced, that rolls without slip on a plane. Its angular
-- momentum about the point of contact keeps all three components in space, though the contact moves: that is why it is integrable (Chaplygin 1903).
local hm = require "hamel"

local S = hm.system "Chaplygin sphere"
local N = S:frame "N"
local m, a, A, B, C = S:positive "m=2 a=1/2 A=1/10 B=3/20 C=1/5"
local R = S:rotation("R", { rates = "p q r" })
local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = m, inertia = {A, B, C}, shape = {"sphere", radius = a} })
local roll = S:rolls("roll", ball, N:plane())
print(S:equations "hamel")

local L = ball:angular_momentum(roll.point)
local start = { q = { x = 0, y = 0, R = {"zxz", 0, 1, 0.4} }, v = { R = {0.7, 0.9, 1.1} }, t = 10, rtol = 1e-12, atol = 1e-13 }
for _, form in ipairs{ "lagrange", "hamel" } do
  start.form = form
  local run, worst = S:simulate(start), 0
  local first = run:at(0, L)
  for t = 0, 10, 0.5 do
    for i, value in ipairs(run:at(t, L)) do worst = math.max(worst, math.abs(value - first[i])) end
  end
  local s = run:at(10)
  print(("%-9s after 10 s at (%.6f, %.6f); momentum about the contact (%.4f, %.4f, %.4f) kept within %.1e, energy within %.1e"):format(form,
    s.x, s.y, first[1], first[2], first[3], worst, run.energy_drift))
  assert(run.status == "OK" and worst < 1e-9 and run.energy_drift < 1e-9)
end

-- equal moments: an ordinary ball, which rolls straight on at constant speed
start.t, start.parameters = 5, { A = 0.2, B = 0.2, C = 0.2 }
local even = S:simulate(start)
local first = even:at(0)
for t = 0, 5, 0.5 do
  local s = even:at(t)
  assert(math.abs(s.x - first.v.x*t) < 1e-9 and math.abs(s.y - first.v.y*t) < 1e-9)
end
print(("equal moments: straight on with (%.6f, %.6f)"):format(first.v.x, first.v.y))
