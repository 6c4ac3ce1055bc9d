-- Lagrange's top, started upright: a rotation by a unit quaternion, and an event where the axis is lowest.
local hm = require "hamel"

local S = hm.system "heavy top"
local N = S:frame "N"
local A, C, m, g, c = S:positive "A=1 C=1/2 m=1 g=9.81 c=1/2"
local R = S:rotation("R", { rates = "p q r" })
S:body("top", { at = c*R.z, frame = R, mass = m, inertia = { A, A, C }, about = S.origin })
S:gravity(-g*N.z)

local up = R.z:dot(N.z)
local run = S:simulate{ q = { R = { 1, 0, 0, 0 } }, v = { p = 0.1, q = 0.2, r = 12 }, t = 20, rtol = 1e-12, atol = 1e-13,
  events = { { name = "lowest", when = hm.dt(up), direction = "rising" } } }
for i = 1, 3 do print(("lowest at %.17g: %.17g"):format(run.events[i].t, run:at(run.events[i].t, up))) end
