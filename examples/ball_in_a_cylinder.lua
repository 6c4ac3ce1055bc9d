-- A ball that rolls inside a turning vertical cylinder does not fall: it oscillates up and down (Neimark and Fufaev, III.2). One line says that the
-- cylinder turns: the surface belongs to a moving frame.
local hm = require "hamel"

local S = hm.system "ball in a cylinder"
local N = S:frame "N"
local W, g, a, b = S:positive "W=0.8 g=9.81 a=0.2 b=1"
local R = S:rotation "R"
local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = {"sphere", radius = a} })
S:rolls("roll", ball, N:rotate("z", W*hm.t):cylinder{ radius = b, inside = true })
S:gravity(-g*N.z)

-- The centre goes round at n = v/(b - a); about the axis the spin keeps z'' = -(2/7) n^2 z - (2/7) a n w + 5 g/7 ... as an oscillation of
-- frequency n sqrt(2/7), whose constants follow from the start
local run = S:simulate{ q = { x = 0.8, y = 0, z = 0, R = {1, 0, 0, 0} }, v = { R = {1, 1.5, -4} }, t = 8, rtol = 1e-12, atol = 1e-13 }
local n = run:at(0).v.y/0.8
local k, up = n*math.sqrt(2/7), run:at(0).v.z
local c0 = -2/7*n*0.2*1 - 5*9.81/7
local worst = 0
for t = 0, 8, 0.1 do
  worst = math.max(worst, math.abs(run:at(t).z - (up/k*math.sin(k*t) + c0*(1 - math.cos(k*t))/k^2)), math.abs(run:at(t).x - 0.8*math.cos(n*t)))
end
print(run)
print(("round at %.4f rad/s, up and down at %.4f rad/s; closed solution within %.1e"):format(n, k, worst))
assert(worst < 1e-8)
