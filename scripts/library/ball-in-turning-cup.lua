-- A ball rolls without slip in a cup and in a cylinder that turn about the vertical: the moving energy, and a ball that does not fall.
-- Sources: Routh, Advanced Rigid Dynamics (1905); Borisov, Mamaev, Kilin, Regular and Chaotic Dynamics 7 (2002) 201-219, arXiv nlin/0303024;
-- Fasso, Sansonetto, arXiv 1503.06661 (the moving energy). S1 and S3 are theirs; S2 and S4 are derived here.
-- The centre r of the ball lies on z = (x^2 + y^2)/2, n is the normal there, upwards; v its velocity, w the angular velocity, k = I/(m a^2), and
-- u = W e_z x (r - a n) the velocity of the cup at the contact: v = u + a w x n.
--
--   hamel scripts/library/ball-in-turning-cup.lua      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, sqrt = hm.sin, hm.cos, hm.sqrt

local P = hm.paper{ title = "Routh 1905; Fasso, Sansonetto 2015: a ball in a turning cup and in a turning cylinder", tolerance = 1e-13 }
local function proved(answer) return answer == true and hm.number(0) or math.huge end
local function cross(b, c) return { b[2]*c[3] - b[3]*c[2], b[3]*c[1] - b[1]*c[3], b[1]*c[2] - b[2]*c[1] } end
local function dot(b, c) return b[1]*c[1] + b[2]*c[2] + b[3]*c[3] end
local function tight(q, v) return { q = q, v = v, t = 10, method = "taylor", rtol = 1e-14, atol = 1e-15 } end

P:definition("system", "cup: m = g = 1, a = 1/4, k = 2/5, W = 1/2; 10 s from x = 1, y = 0, x' = 0, y' = 1/2, w_z = 3/2")

-- ---- the cup. The components of w in space are rates b1', b2', b3': for a ball they may be, since its energy does not contain its attitude

local C = hm.system "ball in a turning cup"
local x, y, b1, b2, b3 = C:coordinates "x y b1 b2 b3"
local m, g, a, k = C:positive "m=1 g=1 a=1/4 k=2/5"
local W = C:parameters "W=1/2"
local z = (x^2 + y^2)/2
local n, w = { -x/sqrt(1 + x^2 + y^2), -y/sqrt(1 + x^2 + y^2), 1/sqrt(1 + x^2 + y^2) }, { b1.dot, b2.dot, b3.dot }
local v, turn = { x.dot, y.dot, hm.dt(z) }, { hm.dt(n[1]), hm.dt(n[2]), hm.dt(n[3]) }
local u = cross({ 0, 0, W }, { x - a*n[1], y - a*n[2], z - a*n[3] })
local rolling, slip = cross(w, n), {}
for i = 1, 3 do slip[i] = v[i] - u[i] - a*rolling[i] end
C:kinetic_energy(m/2*dot(v, v) + k*m*a^2/2*dot(w, w))
C:potential_energy(m*g*z)
C:constraint("x", slip[1]); C:constraint("y", slip[2])

local energy = C:kinetic_energy() + m*g*z
local moving = energy - W*(m*(x*y.dot - y*x.dot) + k*m*a^2*b3.dot)
P:proves("S1", "the moving energy T + V - W (m (r x v)_z + I w_z) is constant", C:is_conserved(moving) == true,
  "its rate of change by exact algebra")
P:proves("S1", "the energy T + V is not constant", C:is_conserved(energy) == false,
  "its rate of change by exact algebra")

-- identities on the constraints
local rolled = hm.solve({ slip[1], slip[2] }, { b1.dot, b2.dot })
local on = { [b1.dot] = rolled[1], [b2.dot] = rolled[2] }
local function rate(e) return select(2, C:is_conserved(e)) end
local slide = { v[1] - u[1], v[2] - u[2], v[3] - u[3] }
P:agrees("S2", "spin about the normal: (w, n)' = (n x (v - u)) . n'/a, in a turning cup and in one at rest",
  (rate(dot(w, n)) - dot(cross(n, slide), turn)/a):subs(on))
local ax, ay = rate(x.dot), rate(y.dot)
local A, carried = { ax, ay, hm.dt(v[3]):subs{ [x.ddot] = ax, [y.ddot] = ay } }, cross({ 0, 0, W }, { v[1] - a*turn[1], v[2] - a*turn[2], 0 })
local at_rest, whole = {}, {}
for i, t in ipairs{ { 1, 0, x }, { 0, 1, y } } do
  local rest = (1 + k)*dot(A, t) + g*t[3] - k*a*dot(w, n)*dot(cross(n, turn), t)
  at_rest[i], whole[i] = rest:subs(on):subs{ [W] = 0 }, (rest - k*dot(carried, t)):subs(on)
end
P:agrees("S4", "cup at rest: (1 + k) v'_tan = G_tan + k a (w, n) n x n'", at_rest)
P:agrees("S4", "turning cup: k (W e_z x (v - a n'))_tan is added on the right", whole, nil, "derived here")

-- the run: a body with its quaternion
do
  local S = hm.system "ball with its attitude"
  local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
  local M, G, c, K, O = S:positive "m=1 g=1 a=1/4 k=2/5 W=1/2"
  local centre = S:point "X Y Z"
  local X, Y, Z = S:symbol "X", S:symbol "Y", S:symbol "Z"
  local ball = S:body("ball", { at = centre, frame = R, mass = M, inertia = { K*M*c^2, K*M*c^2, K*M*c^2 } })
  S:gravity(-G*N.z)
  local normal = (N.z - X*N.x - Y*N.y)*(1/sqrt(1 + X^2 + Y^2))
  S:constraint("cup", Z - (X^2 + Y^2)/2)
  local touching = X*N.x + Y*N.y + Z*N.z - c*normal
  local s = { (ball:velocity() - O*N.z:cross(touching) - c*R:angular_velocity():cross(normal)):components(N) }
  S:constraint("slip x", s[1]); S:constraint("slip y", s[2])
  local run = S:simulate(tight({ X = 1, Y = 0, R = {1, 0, 0, 0} }, { X = 0, Y = 0.5, r = 1.5 }))

  -- the second way: S2 and S4 as equations in x, y, their velocities and the spin
  local F = hm.system "vector equations"
  local fx, fy, vx, vy, spin = F:coordinates "fx fy vx vy spin"
  F:kinetic_energy((fx.dot^2 + fy.dot^2 + vx.dot^2 + vy.dot^2 + spin.dot^2)/2)
  local root = sqrt(1 + fx^2 + fy^2)
  local nf, lift = { -fx/root, -fy/root, 1/root }, fx*vx + fy*vy
  local vf, nt = { vx, vy, lift }, {}
  for i = 1, 3 do nt[i] = nf[i]:diff(fx)*vx + nf[i]:diff(fy)*vy end
  local uf = { -(fy - nf[2]/4)/2, (fx - nf[1]/4)/2, 0 }
  local Az = vx^2 + fx*vx.dot + vy^2 + fy*vy.dot
  local carry = { -(vf[2] - nt[2]/4)/2, (vf[1] - nt[1]/4)/2, 0 }
  local swing, fifth = cross(nf, nt), hm.rational(1, 5)
  F:constraint("fx", fx.dot - vx); F:constraint("fy", fy.dot - vy)
  for i, t in ipairs{ { 1, 0, fx }, { 0, 1, fy } } do
    F:constraint("v" .. i, 7*fifth*(t[1]*vx.dot + t[2]*vy.dot + t[3]*Az) + t[3] - 2*fifth*dot(carry, t) - fifth/2*spin*dot(swing, t))
  end
  F:constraint("spin", spin.dot - 4*dot(cross(nf, { vf[1] - uf[1], vf[2] - uf[2], vf[3] }), nt))
  local second = F:simulate(tight{ fx = 1, fy = 0, vx = 0, vy = 0.5, spin = run:at(0, R:angular_velocity():dot(normal)) })
  assert(run.status == "OK" and second.status == "OK")

  local at, by = run:at(10), second:at(10)
  local E = S:kinetic_energy() + M*G*Z
  local J = E - O*S:angular_momentum():dot(N.z)
  local exact = S:reference{ q = { X = 1, Y = 0, R = {1, 0, 0, 0} }, v = { X = 0, Y = "1/2", r = "3/2" }, times = { 0, 10 }, digits = 25 }
  local first, last = P:exactly(S, exact[1]), P:exactly(S, exact[2])
  P:digits("run", "x(10) = -0.27832021630643670445, y(10) = 0.93445857518410168237", { last(X), last(Y) }, "reference solution")
  P:agrees("S1", "moving energy 127/320 = 0.396875 and energy 213/320 = 0.665625 at the start",
    { first(J) - hm.rational(127, 320), first(E) - hm.rational(213, 320) })
  P:digits("S1", "after 10 s the moving energy is the same, and energy = 0.6643059581644759171", { last(E) }, "reference solution")
  P:agrees("S1", "moving energy along the run", { run:at(5, J) - 127/320, run:at(10, J) - 127/320, (last(J) - hm.rational(127, 320)):eval() },
    "run and reference solution")
  P:agrees("run", "the run of the body is the reference solution", { at.X - last(X):eval(), at.Y - last(Y):eval() }, "two solutions")
  P:agrees("run", "the body with its quaternion and the vector equations S2, S4 move alike",
    { at.X - by.fx, at.Y - by.fy, at.v.X - by.vx, at.v.Y - by.vy, run:at(10, R:angular_velocity():dot(normal)) - by.spin }, "two runs")
  P:show(C)
  P:show(function() return run:plot("X", "Y", { title = "path of the centre in the cup" }) end)
end

-- ---- the cylinder

P:definition("cylinder", "hollow ball, k = 2/3, m = a = g = 1, radius 3, W = 1/2; from phi = z = 0, phi' = 5/4, z' = 1/2, w_x = 3/4")
do
  local L = hm.system "ball in a turning cylinder"
  local phi, h, c1, c2, c3 = L:coordinates "phi h c1 c2 c3"
  local M, G, r, b, K, O = L:positive "m=1 g=1 a=1 b=3 k=2/3 W=1/2"
  L:kinetic_energy(M/2*((b - r)^2*phi.dot^2 + h.dot^2) + K*M*r^2/2*(c1.dot^2 + c2.dot^2 + c3.dot^2))
  L:potential_energy(M*G*h)
  L:constraint("round", (b - r)*phi.dot - O*b + r*c3.dot)
  L:constraint("up", h.dot - r*(c2.dot*cos(phi) - c1.dot*sin(phi)))
  local up = select(2, L:is_conserved(h.dot))
  P:agrees("S3", "phi' is constant, and so is z'' + k/(1 + k) phi'^2 z: z''' = -k/(1 + k) phi'^2 z', bounded for every W where phi' is not 0",
    { proved(L:is_conserved(phi.dot)), proved(L:is_conserved(up + K/(1 + K)*phi.dot^2*h)) }, nil,
    "frequency sqrt(2/7) phi' for the solid ball, k = 2/5, and sqrt(2/5) phi' for the hollow one, k = 2/3")
end

local function cylinder(speed)
  local S = hm.system "ball rolls in a cylinder"
  local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
  local W1 = S:parameters("W=" .. speed)
  local ball = S:body("ball", { at = S:point "X Y Z", frame = R, mass = 1, inertia = "shell", shape = {"sphere", radius = 1} })
  S:rolls("roll", ball, N:rotate("z", W1*hm.t):cylinder{ radius = 3, inside = true })
  S:gravity(-N.z)
  local start = tight({ X = 2, Y = 0, Z = 0, R = {1, 0, 0, 0} }, { Y = 2.5, Z = 0.5, p = 0.75 })
  start.form = "hamel"
  return S:simulate(start)
end
local function height(t)
  local q = sqrt(hm.rational(2, 5))*5/4
  return sin(q*t)/(2*q) - (hm.rational(3, 5) + hm.rational(2, 5)*hm.rational(15, 16))*(1 - cos(q*t))/q^2
end
for _, speed in ipairs{ "1/2", "0", "2" } do
  local run, off = cylinder(speed), {}
  assert(run.status == "OK")
  for t = 1, 10 do
    local at = run:at(t)
    off[#off + 1], off[#off + 2], off[#off + 3] = at.Z - height(t):eval(), at.X - 2*math.cos(1.25*t), at.Y - 2*math.sin(1.25*t)
  end
  P:agrees("S3", ("W = %s: z = z'(0) sin(q t)/q + z''(0) (1 - cos(q t))/q^2, q = sqrt(2/5) phi', and phi = 5 t/4"):format(speed), off,
    "run against the closed form, at 10 times", "z''(0) = -g/(1 + k) - k/(1 + k) a phi' w_x")
  if speed == "1/2" then
    P:show(function() return run:animate{} end)
    P:digits("S3", "z(10) = -1.0090255062510671241", { height(hm.number(10)) }, "closed form")
    P:agrees("S3", "phi(10) = 12.5", { run:at(10).X - 2*math.cos(12.5), run:at(10).Y - 2*math.sin(12.5) }, "run: place of the centre")
  end
end

os.exit(P:finish())
