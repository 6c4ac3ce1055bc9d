-- Two theorems, proved by the computer in balls: a rattleback turns back, and the nutation of a rolling disc is periodic.
-- The proofs are about the equations as Hamel derives them, with the numbers written here; rounding and the error of the integration are in the balls.
-- Source of the rattleback: Garcia and Hubbard, Proceedings of the Royal Society A 418 (1988) 165-197.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos
if not require("hamel.core").has_arb then
  print "this build has no ball arithmetic; install libflint-arb-dev (Debian 12) or FLINT 3 and build again"
  return
end

-- 1. The rattleback of examples/rattleback.lua, with little spin and tilted by two degrees about each horizontal axis. The rate about its own
-- vertical axis has one sign at the start and the other one at the end; the sign is the theorem.
local S = hm.system "rattleback"
local N = S:frame "N"
local m, g, a, b, c, h = S:positive "m=1 g=9.81 a=0.2 b=0.03 c=0.02 h=0.01"
local A, B, C = S:positive "A=2e-4 B=1.6e-3 C=1.7e-3"
local D = S:parameters "D=-2e-5"
local R = S:rotation("R", { rates = "p q r" })
local stone = S:body("stone", { at = S:point "x y z", frame = R, mass = m, inertia = {A, B, C, xy = D}, shape = {"ellipsoid", a, b, c, centre = h*R.z} })
S:rolls("roll", stone, N:plane())
S:gravity(-g*N.z)
local tilt = hm.pi/90
local list = S:enclosure{ form = "hamel", q = { x = 0, y = 0, R = {"zxy", 0, tilt, tilt} }, v = { R = -N.z/2 }, times = { "1/1000", "45/100" }, bits = 64 }
local early, late = list[1], list[2]
assert(late.status == "OK", late.reason)
print(("rattleback: the spin is below %.6f after 0.001 s and above %.2f after 0.45 s"):format(early.x.r.upper, late.x.r.lower))
assert(early.x.r.upper < 0 and late.x.r.lower > 0)

-- 2. A disc rolls on its edge and nods. In quasi-velocities nothing depends on its place, its heading and its own turn; with time reversed it runs through the
-- same inclinations. So half a period is enough: from a turning point of the inclination to the next one.
local W = hm.system "rolling disc"
local x, y, psi, theta, phi = W:coordinates "x y psi theta phi"       -- contact point, heading, inclination (pi/2 upright), own turn
local X, Y, z = x - cos(theta)*sin(psi), y + cos(theta)*cos(psi), sin(theta)
W:kinetic_energy((hm.dt(X)^2 + hm.dt(Y)^2 + hm.dt(z)^2)/2 + (theta.dot^2 + (psi.dot*sin(theta))^2)/8 + (phi.dot + psi.dot*cos(theta))^2/4)
W:potential_energy(hm.number "9.81"*z)
W:constraint("roll x", x.dot + phi.dot*cos(psi))
W:constraint("roll y", y.dot + phi.dot*sin(psi))
local p = W:prove_periodic{ form = "hamel", reversal = { "x", "psi", "phi", "u2" }, advance = { "x", "y", "psi", "phi" },
  q = { x = 0, y = 0, psi = 0, theta = "6/5", phi = 0 }, v = { psi = "1/2", theta = 0, phi = 5 }, keep = { "theta", "psi'", "phi'" }, period = 0.8, bits = 100 }
print(p)
assert(p.proved and p.period:meets(hm.ball("0.80084292364820749", "1e-16")))
print(("the heading turns by %s in a period, the disc by %s"):format(p.advance.psi:text(12), p.advance.phi:text(12)))

-- The same in doubles
local T = (p.period.lower + p.period.upper)/2
local run = W:simulate{ q = { x = 0, y = 0, psi = 0, theta = 1.2, phi = 0 }, v = { psi = 0.5, theta = 0, phi = 5 }, t = T, rtol = 1e-12, atol = 1e-13 }
local off = math.max(math.abs(run:at(T).q.theta - 1.2), math.abs(run:at(T).v.theta), math.abs(run:at(T).q.psi - p.advance.psi.lower))
print(("in doubles it comes back within %.1e"):format(off))
assert(off < 1e-8)
