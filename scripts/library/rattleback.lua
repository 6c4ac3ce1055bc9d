-- Rattleback: an ellipsoid whose axes of inertia are turned against its axes of shape. Stability of the rotation about the vertical, by the
-- characteristic polynomial in symbols.
-- Sources: Walker, Quart. J. Pure Appl. Math. 28 (1896) 175-184; Bondi, Proc. R. Soc. A 405 (1986) 265-274; Garcia, Hubbard, Proc. R. Soc. A 418
-- (1988) 165-197; Borisov, Mamaev, Physics-Uspekhi 46 (2003) 393-403 and RCD 17 (2012) 512-532. S2 is derived here.
--
--   hamel scripts/library/rattleback.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"

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

local spectra = {}
local function spectrum(n)
  spectra[n] = spectra[n] or S:linearize{ q = { R = {1, 0, 0, 0}, x = 0, y = 0 }, v = { R = n*N.z } }.eigenvalues
  return spectra[n]
end
local function nearest(list, re, im)
  local best = math.huge
  for _, e in ipairs(list) do best = math.min(best, math.abs(e.re - re) + math.abs(e.im - im)) end
  return best
end
local n = V:parameters "n=1"
local poly = V:linearize{ form = "maggi", q = { x = 0, y = 0, yaw = 0, roll = 0, pitch = 0 }, v = { yaw = n, roll = 0, pitch = 0 }, symbolic = true }.polynomial
local declared = { [p.D] = hm.rational(-1, 50), [p.m] = 1, [p.g] = 1, [p.a] = 2, [p.b] = hm.rational(3, 2), [p.c] = 1, [p.A] = hm.rational(13, 20), [p.B] = 1,
  [p.C] = hm.rational(5, 4) }
-- The roots with positive imaginary part, the slow mode first, from the polynomial in fractions
local function modes(speed)
  local list, found = {}, {}
  for i = 1, 5 do list[i] = poly[i]:subs(declared):subs{ [n] = speed } end
  for _, e in ipairs(spectrum(speed)) do
    if e.im > 0.1 then found[#found + 1] = { P:root(list, e.re, e.im) } end
  end
  assert(#found == 2)
  if found[1][2]:eval() > found[2][2]:eval() then found[1], found[2] = found[2], found[1] end
  return found[1], found[2]
end
for _, row in ipairs{
  { 1, "slow re = 0.0028407103847906, im = 1.3222972866813, fast re = -0.0081443835572964, im = 1.7736511058695" },
  { 4, "slow re = 0.0014305864217059, im = 4.0913620307233, fast re = -0.022645279111729, im = 5.2631999192443" } } do
  local speed = row[1]
  local slow, fast = modes(speed)
  P:digits("S1", ("eigenvalues about the vertical rotation, n = %d: "):format(speed) .. row[2], { slow[1], slow[2], fast[1], fast[2] },
    "roots of the characteristic polynomial in fractions")
  local K_spectrum, off = K:linearize{ q = { w1 = 0, w2 = 0, w3 = speed, g1 = 0, g2 = 0, g3 = 1 } }.eigenvalues, {}
  for _, mode in ipairs{ slow, fast } do
    local re, im = mode[1]:eval(), mode[2]:eval()
    off[#off + 1], off[#off + 2] = nearest(spectrum(speed), re, im), nearest(K_spectrum, re, im)
    off[#off + 1] = nearest(spectrum(-speed), -re, im)
  end
  P:agrees("S1", ("the same of the body with its shape and of the vector equations for w and the vertical; with the other sign of the real parts at n = -%d")
    :format(speed), off, "eigenvalues of three linearised systems")
end
local parity = {}
for i = 1, 5 do parity[i] = poly[i]:subs{ [n] = -n } - (-1)^(i - 1)*poly[i] end
P:agrees("S1", "n -> -n changes the sign of every real part", parity, nil, "the characteristic polynomial of degree 4 in symbols: P(-s, -n) = P(s, n)")

-- ---- S2, S3: the coefficients of s^3 and s^4

local trace = -poly[4]/poly[5]
local expected = p.D*p.m*n*(p.a^2 - p.b^2)/((p.A + p.m*p.c^2)*(p.B + p.m*p.c^2) - p.D^2)
P:agrees("S2", "the sum of the four eigenvalues is n D m (a^2 - b^2)/((A + m c^2)(B + m c^2) - D^2): exactly proportional to n", trace - expected)
local half = (expected/2):subs(declared)
P:digits("S2", "the sum of the real parts of the two modes is sigma n with sigma = -0.00530367317251", { half/n }, "half of the trace, a fraction",
  "the trace over 2: " .. tostring(half))
do
  local list = {}
  for _, speed in ipairs{ 1, 4, -1, -4 } do
    local slow, fast = modes(speed)
    list[#list + 1] = (slow[1] + fast[1] - half:subs{ [n] = speed }):eval()
  end
  P:agrees("S2", "the same sum from the eigenvalues", list, "roots at n = 1, 4, -1, -4")
end
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
-- Is the even polynomial in n of the declared values positive for every n: are all coefficients fractions above zero?
local function positive(e)
  local values, sum = e:subs(declared):simplify():expand(), hm.number(0)
  for power = 0, 8, 2 do
    local coefficient = values:coefficient(n, power)
    if coefficient:eval() < 0 then return false end
    sum = sum + coefficient*n^power
  end
  return (values - sum):is_zero() == true and values:coefficient(n, 0):eval() > 0
end
P:proves("S4", "spun either way one mode grows, for every n ~= 0", positive(even) and positive(poly[1]) and (poly[4]/n):subs(declared):is_zero() == false,
  "the even part is positive for every n at the declared values: " .. tostring(even:subs(declared):simplify():expand()) .. "; the determinant is negative",
  "by S2 the other mode decays faster for n > 0, more slowly for n < 0")
-- With the odd part times k, 0 <= k <= 1, the roots leave the imaginary axis at k = 0 and never cross it: s = i v needs v = 0 or v^2 = n^2, where the even
-- part is positive. They leave it at the rate ds/dk = -p3 (n^2 - v^2)/(2 (p2 - 2 p4 v^2)), v^2 one of v1^2 < v2^2, p2 = p4 (v1^2 + v2^2)
local discriminant, vertex = poly[3]^2 - 4*poly[5]*poly[1], poly[3] - 2*poly[5]*n^2
P:proves("S4", "the slow mode grows for n > 0 (weak), the fast one for n < 0 (strong), for every n", positive(discriminant) and positive(vertex)
  and positive(even) and (poly[4]/n):subs(declared):eval() > 0,
  "n^2 < v1^2 < v2^2 for the frequencies without the odd part: it is positive at s^2 = -n^2, and n^2 lies below the vertex;",
  "so Re ds/dk = p3 (v^2 - n^2)/(2 (p2 - 2 p4 v^2)) has the sign of n for v1 and the other for v2, and no root crosses the axis later")
do
  local fine = true
  for _, speed in ipairs{ 1, 4, -1, -4 } do
    local slow, fast = modes(speed)
    fine = fine and (slow[1]:eval() > 0) == (speed > 0) and (fast[1]:eval() > 0) == (speed < 0) and slow[2]:eval() < fast[2]:eval()
  end
  P:holds("S4", "the signs of the real parts are these at n = 1, 4, -1, -4", fine, "roots of the characteristic polynomial to thirty digits")
end
local spin = R:angular_velocity():dot(N.z)
local function spun(rate, t)
  return S:simulate{ form = "hamel", q = { x = 0, y = 0, R = {"zxy", 0, 0.05, 0.05} }, v = { R = rate*N.z }, t = t, rtol = 1e-10, atol = 1e-12 }
end
local fast, slow = spun(-0.5, 1000), spun(0.5, 1000)
local highest, lowest = -math.huge, math.huge
for t = 0, 1000, 0.5 do highest, lowest = math.max(highest, fast:at(t, spin)), math.min(lowest, slow:at(t, spin)) end
P:holds("run", "tilted by 0.05 twice and spun by -0.5 the stone turns back, spun by 0.5 it does not within t = 1000",
  { { highest, ">", 0.3 }, { lowest, ">", 0.2 }, { math.max(fast.energy_drift, slow.energy_drift), "<", 1e-8 } },
  "runs; the highest spin from -0.5, the lowest from 0.5, the drift of the energy")

P:show(function() return fast:plot("t", spin) end)
P:show(function() return S:simulate{ form = "hamel", q = { x = 0, y = 0, R = {"zxy", 0, 0.2, 0.2} }, v = { R = -N.z }, t = 30, rtol = 1e-9 }:animate{} end)
P:save(fast, "rattleback", { n = 4001 })

os.exit(P:finish())
