-- Rattleback: an ellipsoid whose axes of inertia are turned against its axes of shape. Stability of the rotation about the vertical, by the
-- characteristic polynomial in symbols.
-- Sources: Walker, Quart. J. Pure Appl. Math. 28 (1896) 175-184; Bondi, Proc. R. Soc. A 405 (1986) 265-274; Garcia, Hubbard, Proc. R. Soc. A 418
-- (1988) 165-197; Borisov, Mamaev, Physics-Uspekhi 46 (2003) 393-403 and RCD 17 (2012) 512-532. S2 is derived here.
--
--   hamel scripts/library/rattleback.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"

local csv
for i = 1, #arg do
  if arg[i] == "--csv" then csv = arg[i + 1] or error("--csv needs a folder", 0) end
end

local P = hm.paper{ title = "Rattleback: vertical rotation (Walker 1896; Bondi 1986; Garcia and Hubbard 1988)", tolerance = 2e-13 }

local function masses(S)
  local m, g, a, b, c, A, B, C = S:positive "m=1 g=1 a=2 b=3/2 c=1 A=13/20 B=1 C=5/4"
  return { m = m, g = g, a = a, b = b, c = c, A = A, B = B, C = C, D = (S:parameters "D=-1/50") }
end

-- Any attitude; the contact follows from the shape
local S = hm.system "rattleback"
local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
local k = masses(S)
local stone = S:body("stone", { at = S:point "x y z", frame = R, mass = k.m, inertia = {k.A, k.B, k.C, xy = k.D}, shape = {"ellipsoid", k.a, k.b, k.c} })
S:rolls("roll", stone, N:plane())
S:gravity(-k.g*N.z)

-- The same beside the vertical rotation by yaw, roll and pitch, with the contact typed
local V = hm.system "rattleback by angles"
local M = V:frame "N"
local x, y, yaw, roll, pitch = V:coordinates "x y yaw roll pitch"
local p = masses(V)
local F = M:rotate("z", yaw):rotate("x", roll):rotate("y", pitch)
local g1, g2, g3 = M.z:components(F)
local height = hm.sqrt((p.a*g1)^2 + (p.b*g2)^2 + (p.c*g3)^2)
local centre = V:point(x*M.x + y*M.y + height*M.z)
V:body("stone", { at = centre, frame = F, mass = p.m, inertia = {p.A, p.B, p.C, xy = p.D} })
V:gravity(-p.g*M.z)
local slip = centre:velocity() + F:angular_velocity():cross(F:vector(-p.a^2*g1/height, -p.b^2*g2/height, -p.c^2*g3/height))
V:constraint("x", slip:dot(M.x))
V:constraint("y", slip:dot(M.y))
P:agrees("system", "the contact keeps its height", slip:dot(M.z), nil, "height sqrt(a^2 g1^2 + b^2 g2^2 + c^2 g3^2), g the vertical in the body")

-- The vector equations: M = I w + m r x (w x r), M' = M x w + m r' x (w x r) + m g r x g; states w and g, as constraints of the first order
local function cross(u, v) return { u[2]*v[3] - u[3]*v[2], u[3]*v[1] - u[1]*v[3], u[1]*v[2] - u[2]*v[1] } end
local function vector_equations()
  local K = hm.system "vector equations"
  local q = { K:coordinates "w1 w2 w3 g1 g2 g3" }
  local w, g = { q[1], q[2], q[3] }, { q[4], q[5], q[6] }
  local root = hm.sqrt(4*g[1]^2 + hm.rational(9, 4)*g[2]^2 + g[3]^2)
  local r = { -4*g[1]/root, hm.rational(-9, 4)*g[2]/root, -g[3]/root }
  local rate = cross(g, w)                                                 -- g' = g x w
  local on, T = {}, 0
  for i = 1, 3 do on[g[i].dot] = rate[i] end
  local function dt(list) return { hm.dt(list[1]), hm.dt(list[2]), hm.dt(list[3]) } end
  local rolling = cross(w, r)
  local shift = cross(r, rolling)
  local momentum = { hm.rational(13, 20)*w[1] - w[2]/50 + shift[1], w[2] - w[1]/50 + shift[2], hm.rational(5, 4)*w[3] + shift[3] }
  local change, turn, moving, weight, rows, unknowns = dt(momentum), cross(momentum, w), cross(dt(r), rolling), cross(r, g), {}, {}
  for i = 1, 3 do
    rows[i] = (change[i] - turn[i] - moving[i] - weight[i]):subs(on)
    unknowns[i] = w[i].dot
  end
  local solved = hm.solve(rows, unknowns)
  for i = 1, 3 do
    K:constraint("w" .. i, w[i].dot - solved[i])
    K:constraint("g" .. i, g[i].dot - rate[i])
  end
  for _, s in ipairs(q) do T = T + s.dot^2/2 end
  K:kinetic_energy(T)
  return K
end
local K = vector_equations()

-- ---- S1

local function spectrum(n) return S:linearize{ q = { R = {1, 0, 0, 0}, x = 0, y = 0 }, v = { R = n*N.z } }.eigenvalues end
local function nearest(list, re, im)
  local best = math.huge
  for _, e in ipairs(list) do best = math.min(best, math.abs(e.re - re) + math.abs(e.im - im)) end
  return best
end
local printed = {
  [1] = { { 0.0028407103847906, 1.3222972866813 }, { -0.0081443835572964, 1.7736511058695 } },
  [4] = { { 0.0014305864217059, 4.0913620307233 }, { -0.022645279111729, 5.2631999192443 } } }
local values, vectors, reversed = {}, {}, {}
for n, pairs_of in pairs(printed) do
  local one, back = spectrum(n), spectrum(-n)
  local two = K:linearize{ q = { w1 = 0, w2 = 0, w3 = n, g1 = 0, g2 = 0, g3 = 1 } }.eigenvalues
  for _, e in ipairs(pairs_of) do
    values[#values + 1] = nearest(one, e[1], e[2])
    reversed[#reversed + 1] = nearest(back, -e[1], e[2])
  end
  for _, e in ipairs(one) do vectors[#vectors + 1] = nearest(two, e.re, e.im) end
end
P:agrees("S1", "eigenvalues about the vertical rotation, n = 1 and 4", values, "against values with 14 digits",
  "n = 1: 0.0028407103848 +- 1.3222972866813 i and -0.0081443835573 +- 1.7736511058695 i",
  "n = 4: 0.0014305864217 +- 4.0913620307233 i and -0.0226452791117 +- 5.2631999192443 i")
P:agrees("S1", "the same of the vector equations for w and the vertical in the body", vectors, "eigenvalues of both systems")
local n = V:parameters "n=1"
local poly = V:linearize{ form = "maggi", q = { x = 0, y = 0, yaw = 0, roll = 0, pitch = 0 }, v = { yaw = n, roll = 0, pitch = 0 }, symbolic = true }.polynomial
local parity = {}
for i = 1, 5 do parity[i] = poly[i]:subs{ [n] = -n } - (-1)^(i - 1)*poly[i] end
P:agrees("S1", "n -> -n changes the sign of every real part", parity, nil, "the characteristic polynomial of degree 4 in symbols: P(-s, -n) = P(s, n)")
P:agrees("S1", "and of the eigenvalues in numbers", reversed, "eigenvalues at n = -1 and -4")

-- ---- S2, S3: the coefficients of s^3 and s^4

local trace = -poly[4]/poly[5]
local expected = p.D*p.m*n*(p.a^2 - p.b^2)/((p.A + p.m*p.c^2)*(p.B + p.m*p.c^2) - p.D^2)
P:agrees("S2", "the sum of the four eigenvalues is n D m (a^2 - b^2)/((A + m c^2)(B + m c^2) - D^2): exactly proportional to n", trace - expected)
local declared = { [p.D] = hm.rational(-1, 50), [p.m] = 1, [p.g] = 1, [p.a] = 2, [p.b] = hm.rational(3, 2), [p.c] = 1, [p.A] = hm.rational(13, 20), [p.B] = 1,
  [p.C] = hm.rational(5, 4) }
local half = (expected/2):subs(declared)
local sums = { half:subs{ [n] = 1 }:eval() + 0.00530367317251 }
for speed, e in pairs(printed) do sums[#sums + 1] = e[1][1] + e[2][1] - half:subs{ [n] = speed }:eval() end
P:agrees("S2", "the sum of the real parts of the two modes is -0.00530367317251 n", sums, "values of S1, and half of the trace",
  "the trace over 2: " .. tostring(half))
P:proves("S3", "the trace at a steady state is not zero, so that no smooth positive invariant measure exists near it",
  half:is_zero() == false, "S2, for D ~= 0, a ~= b, n ~= 0")
local measure = S:invariant_measure()
P:proves("S3", "no invariant measure with a density of the attitude", measure.exists == false and measure.proof == true,
  "proved by S:invariant_measure")

-- ---- S4: the odd part is C D m (b^2 - a^2) n s (s^2 + n^2), so that Hurwitz' determinant is -(coefficient of s^3)^2 times the even part at s^2 = -n^2

local even = poly[5]*n^4 - poly[3]*n^2 + poly[1]
local hurwitz = poly[2]*(poly[3]*poly[4] - poly[2]*poly[5]) - poly[1]*poly[4]^2
P:agrees("S4", "Hurwitz' determinant is -(coefficient of s^3)^2 times the even part of the polynomial at s^2 = -n^2",
  { poly[2] - n^2*poly[4], hurwitz + poly[4]^2*even })
local at_values, n2 = even:subs(declared):simplify():expand(), {}
for i = 0, 2, 2 do n2[#n2 + 1] = at_values:coefficient(n, i) end
local all = (at_values - n2[1] - n2[2]*n^2):is_zero() == true and n2[1]:eval() > 0 and n2[2]:eval() > 0
P:proves("S4", "spun either way one mode grows, for every n ~= 0", all,
  "the even part is positive for every n at the declared values: " .. tostring(at_values) .. "; the determinant is negative",
  "by S2 the other mode decays faster for n > 0, more slowly for n < 0")
local order = 0
for speed in pairs(printed) do
  for _, sign in ipairs{ 1, -1 } do
    local grows, decays
    for _, e in ipairs(spectrum(sign*speed)) do
      if e.im > 0.1 then if e.re > 0 then grows = e else decays = e end end
    end
    if not grows or (grows.im < decays.im) ~= (sign > 0) or (grows.re < -decays.re) ~= (sign > 0) then order = order + 1 end
  end
end
P:holds("S4", "the slow mode for n > 0 (weak), the fast mode for n < 0 (strong)", order == 0, "eigenvalues at n = 1, 4, -1, -4")
local spin = R:angular_velocity():dot(N.z)
local function spun(rate, t)
  return S:simulate{ form = "hamel", q = { x = 0, y = 0, R = {"zxy", 0, 0.05, 0.05} }, v = { R = rate*N.z }, t = t, rtol = 1e-10, atol = 1e-12 }
end
local fast, slow = spun(-0.5, 1000), spun(0.5, 1000)
local highest, lowest = -math.huge, math.huge
for t = 0, 1000, 0.5 do highest, lowest = math.max(highest, fast:at(t, spin)), math.min(lowest, slow:at(t, spin)) end
P:holds("run", "tilted by 0.05 twice and spun by -0.5 the stone turns back, spun by 0.5 it does not within t = 1000",
  highest > 0.3 and lowest > 0.2 and math.max(fast.energy_drift, slow.energy_drift) < 1e-8, "runs",
  ("spin from -0.5 up to %.4f; from 0.5 down to %.4f"):format(highest, lowest))

P:show(function() return fast:plot("t", spin) end)
P:show(function() return S:simulate{ form = "hamel", q = { x = 0, y = 0, R = {"zxy", 0, 0.2, 0.2} }, v = { R = -N.z }, t = 30, rtol = 1e-9 }:animate{} end)
if csv then fast:save(csv .. "/rattleback.csv", { n = 4001 }) end

os.exit(P:finish())
