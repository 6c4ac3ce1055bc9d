-- A disc rolls on a plane without slip: the integrals of Appell and Korteweg in hypergeometric functions, and the motion by one quadrature.
-- Sources: Appell, Rend. Circ. Mat. Palermo 14 (1900) 1-6; Korteweg, ibid. 7-8; Borisov, Mamaev, Kilin, Regular and Chaotic Dynamics 8 (2003)
-- 201-212; O'Reilly, Nonlinear Dynamics 10 (1996) 287-305.
-- theta is the angle of the axis from the vertical, p = psi' sin(theta), r = phi' + psi' cos(theta) the spin; A about a diameter, C about the axis.
--
--   hamel scripts/library/rolling-disc.lua      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local P = hm.paper{ title = "Appell, Korteweg 1900: the rolling disc", tolerance = 1e-13 }
local function proved(answer) return answer == true and hm.number(0) or math.huge end

local S = hm.system "rolling disc"
local N = S:frame "N"
local psi, theta, phi = S:coordinates "psi theta phi"
local m, a, g, A, C = S:positive "m=1 a=1 g=1 A=1/4 C=1/2"
local B = N:rotate("z", psi):rotate("x", theta):rotate("z", phi, "disc")
local disc = S:body("disc", { at = S:point "x y z", frame = B, mass = m, inertia = {A, A, C}, shape = {"disc", radius = a} })
S:rolls("roll", disc, N:plane())
S:gravity(-g*N.z)
local p, r = psi.dot*sin(theta), phi.dot + psi.dot*cos(theta)
local function rate(e) return select(2, S:is_conserved(e)) end

P:definition("system", "m = a = g = 1, A = 1/4, C = 1/2; 10 s from x = y = psi = phi = 0, theta = 1, psi' = 1/2, theta' = -1/4, phi' = 2")

-- S1, S4
local I = C + m*a^2
P:agrees("S1", "dr/dtheta = m a^2/(C + m a^2) p, dp/dtheta = -p cot(theta) + (C/A) r, whatever the motion of theta",
  { rate(r) - m*a^2/I*p*theta.dot, rate(p) - (-p*cos(theta)/sin(theta) + C/A*r)*theta.dot })
local energy = (A + m*a^2)*theta.dot^2 + A*p^2 + I*r^2 + 2*m*g*a*sin(theta)
P:agrees("S4", "(A + m a^2) theta'^2 + A p^2 + (C + m a^2) r^2 + 2 m g a sin(theta) is constant",
  rate(energy):subs{ [hm.abs(sin(theta))] = sin(theta) }, nil, "for 0 < theta < pi: the height is a |sin(theta)|")
local linear = S:conserved{ along = "theta", search = false }:of_kind "by a linear equation"
P:agrees("S2", "two integrals linear in the velocities, with functions of theta that solve a linear equation, are found",
  { proved(#linear == 2), proved(linear[1].proof), proved(linear[2].proof) }, nil, tostring(linear[1].of))

-- S2: with z = sin(theta/2)^2 the equation of r becomes Gauss' equation of F(1/2 + i s, 1/2 - i s; 1; z), s^2 = 13/12
do
  local angle, r0, r1, F0, F1, F2 = hm.symbols "u r0 r1 F0 F1 F2"
  local k, p0 = hm.rational(2, 3), 3*r1/2
  P:agrees("S2", "thin disc, C = 2 A = m a^2/2: r'' + cot(theta) r' - 4/3 r = 0, dashes for d/dtheta",
    k*(-p0*cos(angle)/sin(angle) + 2*r0) - (-cos(angle)/sin(angle)*r1 + hm.rational(4, 3)*r0))
  local z = (1 - cos(angle))/2
  local slope, bend = z:diff(angle), z:diff(angle):diff(angle)
  local gauss = z*(1 - z)*F2 + (1 - 2*z)*F1 - (hm.rational(1, 4) + hm.rational(13, 12))*F0
  P:agrees("S2", "this is Gauss' equation, z (1 - z) F'' + (1 - 2 z) F' - (1/4 + s^2) F = 0, s^2 = 13/12: r = c1 F(z) + c2 F(1 - z)",
    F2*slope^2 + F1*bend + cos(angle)/sin(angle)*F1*slope - hm.rational(4, 3)*F0 - gauss)
end

-- F and dF/dz by the series; the coefficients have the ratio ((n + 1/2)^2 + s^2)/(n + 1)^2
local function hypergeometric(z)
  local term, value, slope, n = 1, 1, 0, 0
  repeat
    term = term*((n + 0.5)^2 + 13/12)/(n + 1)^2
    slope, n = slope + (n + 1)*term*z^n, n + 1
    value = value + term*z^n
  until n*term*z^n < 1e-18 and n > 10
  return value, slope
end
-- The four functions r1, r2 of theta and their p = (3/2) dr/dtheta
local function basis(angle)
  local z, s = math.sin(angle/2)^2, math.sin(angle)/2
  local F1, D1 = hypergeometric(z)
  local F2, D2 = hypergeometric(1 - z)
  return F1, F2, 1.5*D1*s, -1.5*D2*s
end
local function constants(angle, spin, turn)
  local r1, r2, p1, p2 = basis(angle)
  local det = r1*p2 - r2*p1
  return (spin*p2 - turn*r2)/det, (turn*r1 - spin*p1)/det
end

local start = { q = { x = 0, y = 0, psi = 0, phi = 0, theta = 1 }, v = { psi = 0.5, theta = -0.25, phi = 2 }, t = 10, method = "taylor",
  rtol = 1e-14, atol = 1e-15, events = { { name = "top", when = theta.dot, direction = "falling" } } }
local run = S:simulate(start)
assert(run.status == "OK")
local c1, c2 = constants(1, run:at(0, r), run:at(0, p))
-- the same to 20 digits: fractions at z = 1/2, where the series is short, carried on to theta = 1 by the linear equation, theta in place of the time
do
  local term, F, slope = hm.number(1), hm.number(1), hm.number(0)
  for n = 0, 110 do
    term = term*(hm.rational(2*n + 1, 2)^2 + hm.rational(13, 12))/(2*(n + 1)^2)
    F, slope = F + term, slope + 2*(n + 1)*term
  end
  local L = hm.system "the linear equation"
  local r1, r2, s1, s2 = L:coordinates "r1 r2 s1 s2"
  L:kinetic_energy((r1.dot^2 + r2.dot^2 + s1.dot^2 + s2.dot^2)/2)
  for i, pair in ipairs{ { r1, s1 }, { r2, s2 } } do
    L:constraint("slope " .. i, pair[1].dot - pair[2])
    L:constraint("bend " .. i, pair[2].dot + cos(hm.t)/sin(hm.t)*pair[2] - hm.rational(4, 3)*pair[1])
  end
  local at = L:reference{ q = { r1 = F, r2 = F, s1 = slope/2, s2 = -slope/2 }, t = { hm.pi/2, 1 }, digits = 25 }.q
  local R1, R2, P1, P2 = hm.number(at.r1), hm.number(at.r2), hm.number(at.s1)*3/2, hm.number(at.s2)*3/2
  local spin, turn, det = 2 + cos(hm.number(1))/2, sin(hm.number(1))/2, R1*P2 - R2*P1
  P:digits("S2", "c1 = 1.2015261753792418806, c2 = 0.15632649351367836584", { (spin*P2 - turn*R2)/det, (turn*R1 - spin*P1)/det },
    "series at z = 1/2 and reference solution of the linear equation")
  P:agrees("S2", "c1 and c2 by the series at theta = 1", { c1 - ((spin*P2 - turn*R2)/det):eval(), c2 - ((turn*R1 - spin*P1)/det):eval() }, "series")
end
local off = {}
for t = 1, 10 do
  local r1, r2, p1, p2 = basis(run:at(t, theta))
  off[#off + 1], off[#off + 2] = c1*r1 + c2*r2 - run:at(t, r), c1*p1 + c2*p2 - run:at(t, p)
end
P:agrees("S2", "c1 F(z) + c2 F(1 - z) and its slope are r and p of the run", off, "series against the run, at 10 times")

-- S3: the Wronskian z (1 - z) (F(z) F'(1-z) + F(1-z) F'(z)) is constant; where it is not zero, F is logarithmic at z = 1
do
  local K = (math.exp(math.pi*math.sqrt(13/12)) + math.exp(-math.pi*math.sqrt(13/12)))/(2*math.pi)
  local list = {}
  for i, z in ipairs{ 0.25, 0.5, 0.625 } do
    local F, D = hypergeometric(z)
    local G, E = hypergeometric(1 - z)
    list[i] = (z*(1 - z)*(F*E + G*D) - K)/K
  end
  P:agrees("S3", "z (1 - z) (F(z) F'(1-z) + F(1-z) F'(z)) = cosh(pi s)/pi: F(1 - z) ~ -cosh(pi s)/pi log z at z = 0",
    list, "series at three places, relative",
    "so r would grow without bound as theta goes to 0 with c2 not zero, or to pi with c1 not zero; the energy bounds r:",
    "the disc falls flat on a set of measure zero only, and not in this run, with c1 and c2 as above")
end

-- S4: theta(t) by one quadrature; the period of nutation between the two roots of the energy
do
  local E = run:at(0, energy)
  local function left(angle)                                              -- (A + m a^2) theta'^2
    local r1, r2, p1, p2 = basis(angle)
    return E - (c1*p1 + c2*p2)^2/4 - 1.5*(c1*r1 + c2*r2)^2 - 2*math.sin(angle)
  end
  local function root(inside, outside)
    for _ = 1, 60 do
      local middle = (inside + outside)/2
      if left(middle) > 0 then inside = middle else outside = middle end
    end
    return (inside + outside)/2
  end
  local low, high = root(1, 0.3), root(1, 2.8)
  local half, middle, n, sum = (high - low)/2, (high + low)/2, 16, 0
  for k = 1, n do
    local u = math.pi*(k - 0.5)/n
    sum = sum + half*math.sin(u)/math.sqrt(left(middle - half*math.cos(u))/1.25)
  end
  local period = 2*sum*math.pi/n
  local tops = {}
  for i, event in ipairs(run.events) do tops[i] = event.t end
  P:agrees("S4", ("theta swings between %.6f and %.6f in the period %.6f: quadrature and run"):format(low, high, period),
    { (tops[#tops] - tops[1])/(#tops - 1) - period, run:at(tops[1], theta) - high }, "times and height of the tops of the run", ("%d tops"):format(#tops))
end

-- the values, and the reduced equations by hand: theta'' from S4 and S1
local F = hm.system "reduced equations"
local th, u, spin, turn, ps, ph, X, Y = F:coordinates "th u r p psi phi x y"
local rates = { { th, u }, { u, (turn^2*cos(th)/sin(th)/4 - 3*turn*spin/2 - cos(th))*hm.rational(4, 5) }, { spin, 2*turn*u/3 },
  { turn, u*(2*spin - turn*cos(th)/sin(th)) }, { ps, turn/sin(th) }, { ph, spin - turn*cos(th)/sin(th) },
  { X, u*sin(th)*sin(ps) - spin*cos(ps) }, { Y, -u*sin(th)*cos(ps) - spin*sin(ps) } }
local sum = hm.number(0)
for i, row in ipairs(rates) do
  sum = sum + row[1].dot^2/2
  F:constraint("c" .. i, row[1].dot - row[2])
end
F:kinetic_energy(sum)
local second = F:simulate{ q = { th = 1, u = -0.25, r = 2 + cos(1)/2, p = sin(1)/2, psi = 0, phi = 0, x = 0, y = 0 }, t = 10, method = "taylor",
  rtol = 1e-14, atol = 1e-15 }
assert(second.status == "OK")
local at, by = run:at(10), second:at(10)
local exact = S:reference{ q = { x = 0, y = 0, psi = 0, phi = 0, theta = 1 }, v = { psi = "1/2", theta = "-1/4", phi = 2 }, t = 10, digits = 25 }
P:digits("run", "theta(10) = 0.89922427193903973853, psi(10) = -3.1562871141455201117, phi(10) = 25.327454611171645317",
  { exact.q.theta, exact.q.psi, exact.q.phi }, "reference solution")
P:digits("run", "x(10) = -0.99429772184869717746, y(10) = 16.135227559081309973, spin r(10) = 2.2565747377330635564",
  { exact.q.x, exact.q.y, P:exactly(S, exact)(r) }, "reference solution")
P:agrees("run", "the body and the reduced equations move alike",
  { at.theta - by.th, at.psi - by.psi, at.phi - by.phi, at.x - by.x, at.y - by.y, run:at(10, r) - by.r, at.y - tonumber(exact.q.y) },
  "two runs, and the reference solution")

P:show(S)
P:show(S:equations "hamel")
P:show(function() return run:plot("x", "y", { title = "path of the centre" }) end)
P:show(function() return run:animate{} end)
os.exit(P:finish())
