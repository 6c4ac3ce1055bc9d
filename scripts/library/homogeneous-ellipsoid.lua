-- A homogeneous ellipsoid rolls without slip on a plane, without gravity: no smooth invariant measure, but for a body of revolution.
-- Source: Garcia-Naranjo, Marrero, arXiv 1306.4237 (S1 to S3; the abstract was read). S4 is derived here.
-- w is the angular velocity, gamma the vertical in body axes; r = -B gamma/sqrt(gamma, B gamma), B = diag(a^2, b^2, c^2), leads from the centre to the
-- contact; M = I w + m r x (w x r), M' = M x w + m r' x (w x r), gamma' = gamma x w.
--
--   hamel scripts/library/homogeneous-ellipsoid.lua      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, sqrt = hm.sin, hm.cos, hm.sqrt

local P = hm.paper{ title = "Garcia-Naranjo, Marrero 2013: a homogeneous ellipsoid that rolls has no invariant measure", tolerance = 1e-13 }
local function proved(answer) return answer == true and hm.number(0) or math.huge end
local function dot(u, v) return u[1]*v[1] + u[2]*v[2] + u[3]*v[3] end
local function cross(u, v) return { u[2]*v[3] - u[3]*v[2], u[3]*v[1] - u[1]*v[3], u[1]*v[2] - u[2]*v[1] } end

-- ---- the reduced equations by hand: A(gamma) w' = right(w, gamma), mass 1

local function reduced(axes, w, g)
  local B = { axes[1]^2, axes[2]^2, axes[3]^2 }
  local I = { (B[2] + B[3])/5, (B[3] + B[1])/5, (B[1] + B[2])/5 }
  local turn, square, slope = cross(g, w), hm.number(0), hm.number(0)
  for i = 1, 3 do square, slope = square + B[i]*g[i]^2, slope + B[i]*g[i]*turn[i] end
  local r, rate = {}, {}
  for i = 1, 3 do
    r[i] = -B[i]*g[i]/sqrt(square)
    rate[i] = -B[i]*turn[i]/sqrt(square) + B[i]*g[i]*slope/square^hm.rational(3, 2)
  end
  local A, M, rr = {}, cross(r, cross(w, r)), dot(r, r)
  for i = 1, 3 do
    M[i], A[i] = M[i] + I[i]*w[i], {}
    for j = 1, 3 do A[i][j] = (i == j and I[i] + rr or 0) - r[i]*r[j] end
  end
  local left, right = cross(M, w), cross(r, cross(w, rate))
  for i = 1, 3 do right[i] = left[i] - right[i] end
  return A, right, r, turn
end

-- The divergence of the field in (w, gamma) times det A, and det A; gamma x w has no divergence
local function divergence(axes, w, g)
  local A, right = reduced(axes, w, g)
  local function cofactor(i, j)
    local p, q, s, t = i % 3 + 1, (i + 1) % 3 + 1, j % 3 + 1, (j + 1) % 3 + 1
    return A[p][s]*A[q][t] - A[p][t]*A[q][s]
  end
  local sum = hm.number(0)
  for i = 1, 3 do
    for j = 1, 3 do sum = sum + cofactor(j, i)*right[j]:diff(w[i]) end
  end
  return sum, A[1][1]*cofactor(1, 1) + A[1][2]*cofactor(1, 2) + A[1][3]*cofactor(1, 3)
end

local w, g = { hm.symbols "w1 w2 w3" }, { hm.symbols "g1 g2 g3" }
local a, b, c = hm.symbols "a b c"
local function theta_gamma(axes, n)
  local sum, det = divergence(axes, w, n)
  return dot({ sum:diff(w[1]), sum:diff(w[2]), sum:diff(w[3]) }, n), det
end

P:definition("system", "half axes 2, 3/2, 1, m = 1, I = diag(13/20, 1, 5/4); 4 s from yaw = 0, roll = 1/2, pitch = 1/4, yaw' = 1, roll' = 1/2, pitch' = -1/4")

-- S1
do
  local div = divergence({ a, b, c }, w, g)
  local rest = div - dot({ div:diff(w[1]), div:diff(w[2]), div:diff(w[3]) }, w)
  P:agrees("S1", "the divergence of the field in (w, gamma) is (Theta(gamma), w), linear in w", { rest, div:diff(w[1], w[1]), div:diff(w[1], w[2]) })
  local F, Theta = { hm.symbols "F1 F2 F3" }, { hm.symbols "T1 T2 T3" }
  -- Liouville: (Theta, w) + (grad F, gamma x w) = 0 for every w
  local liouville = dot(Theta, w) + dot(F, cross(g, w))
  local turned, coefficients = cross(g, F), {}
  for i = 1, 3 do coefficients[i] = liouville:diff(w[i]) - (Theta[i] - turned[i]) end
  P:agrees("S1", "a density exp F needs Theta = gamma x grad F, hence (Theta, gamma) = 0 on the whole sphere",
    { coefficients[1], coefficients[2], coefficients[3], dot(turned, g) }, nil,
    "the factors of w1, w2, w3 in Liouville's equation, which has to hold for every w")
end

-- S2, S3, S4: the closed form, for all axes and all gamma
local numerator, det = theta_gamma({ a, b, c }, g)
local square = a^2*g[1]^2 + b^2*g[2]^2 + c^2*g[3]^2
local sides = a^2*b^2*(g[1]^2 + g[2]^2) + a^2*c^2*(g[1]^2 + g[3]^2) + b^2*c^2*(g[2]^2 + g[3]^2)
local factors = (a^2 - b^2)*(b^2 - c^2)*(c^2 - a^2)*g[1]*g[2]*g[3]
P:agrees("S4", "(Theta, gamma) is (a^2 - b^2)(b^2 - c^2)(c^2 - a^2) gamma1 gamma2 gamma3 times a positive function",
  numerator - factors*6*sides/(25*square^2), nil,
  "the function is 6 (a^2 b^2 (gamma1^2 + gamma2^2) + a^2 c^2 (gamma1^2 + gamma3^2) + b^2 c^2 (gamma2^2 + gamma3^2))/(25 (gamma, B gamma)^2 det A),",
  "A = I + (r, r) - r r^T the inertia about the contact, mass 1")
local function at(axes, n)
  local put = { [a] = axes[1], [b] = axes[2], [c] = axes[3] }
  for i = 1, 3 do put[g[i]] = hm.rational(n[i], 7) end
  return (numerator/det):subs(put):simplify(), factors:subs(put)
end
local generic = { hm.number(2), hm.rational(3, 2), hm.number(1) }
local value, product = at(generic, { 2, 3, 6 })
P:agrees("S2", "three different axes: (Theta, gamma) = -19224/262657 at gamma = (2, 3, 6)/7 for the axes 2, 3/2, 1, so there is no smooth measure",
  { value + hm.rational(19224, 262657), proved(value:is_zero() == false) })
P:digits("S2", "(Theta, gamma) = -0.07319051081829153611 there", { value }, "exact fraction")
P:agrees("S3", "a body of revolution: (Theta, gamma) = 0 for the axes (a, a, c), (a, b, b), (a, b, a)",
  { theta_gamma({ a, a, c }, g), theta_gamma({ a, b, b }, g), (theta_gamma({ a, b, a }, g)) })
local v2, p2 = at(generic, { 3, 2, 6 })
local v3, p3 = at({ hm.number(3), hm.number(2), hm.number(1) }, { 2, 3, 6 })
P:digits("S4", "the quotient Q is not constant: Q1 = 0.10626177866951956354, Q2 = 0.071863741979493082646, Q3 = 0.016474543707973102786",
  { value/product, v2/p2, v3/p3 }, "exact fractions for the axes (2, 3/2, 1) at (2, 3, 6)/7 and (3, 2, 6)/7, the axes (3, 2, 1) at (2, 3, 6)/7")

-- ---- the same by the program: a body with a shape that rolls

local function ellipsoid(axes)
  local S = hm.system "homogeneous ellipsoid"
  local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
  local l = { S:positive(("a=%s b=%s c=%s"):format(table.unpack(axes))) }
  local B = { l[1]^2, l[2]^2, l[3]^2 }
  local body = S:body("body", { at = S:point "x y z", frame = R, mass = 1, inertia = { (B[2] + B[3])/5, (B[3] + B[1])/5, (B[1] + B[2])/5 },
    shape = {"ellipsoid", l[1], l[2], l[3]} })
  S:rolls("roll", body, N:plane())
  return S, N, R
end
local S, N, R = ellipsoid{ "2", "3/2", "1" }
local none = S:invariant_measure{ parameters = "declared" }
P:proves("S2", "the search finds that there is no measure with a density of the attitude, nor one smooth near rest",
  none.exists == false and none.proof == true, none.why)
local measure = ellipsoid{ "2", "2", "1" }:invariant_measure{ parameters = "declared" }
P:proves("S3", "for the axes 2, 2, 1 it finds one", measure.exists and measure.proof == true, "Liouville's equation by exact algebra",
  "density " .. tostring(measure.density))

-- the run: yaw about z, roll about x, pitch about y
local roll, pitch = hm.rational(1, 2), hm.rational(1, 4)
local w0 = { cos(pitch)/2 - cos(roll)*sin(pitch), sin(roll) - hm.rational(1, 4), sin(pitch)/2 + cos(roll)*cos(pitch) }
local function tight(q, v) return { q = q, v = v, t = 4, method = "taylor", rtol = 1e-14, atol = 1e-15 } end
local run = S:simulate(tight({ x = 0, y = 0, R = {"zxy", 0, roll, pitch} }, { R = w0 }))

-- e is the x axis of space in body axes, v = r x w the velocity of the centre
local F = hm.system "reduced equations"
local W, G, E, path = { F:coordinates "w1 w2 w3" }, { F:coordinates "g1 g2 g3" }, { F:coordinates "e1 e2 e3" }, { F:coordinates "x y" }
local A, right, r, turn = reduced(generic, W, G)
local swing, v = cross(E, W), cross(r, W)
local energy = (path[1].dot^2 + path[2].dot^2)/2
for i = 1, 3 do
  energy = energy + (W[i].dot^2 + G[i].dot^2 + E[i].dot^2)/2
  F:constraint("w" .. i, A[i][1]*W[1].dot + A[i][2]*W[2].dot + A[i][3]*W[3].dot - right[i])
  F:constraint("g" .. i, G[i].dot - turn[i]); F:constraint("e" .. i, E[i].dot - swing[i])
end
F:kinetic_energy(energy)
F:constraint("x", path[1].dot - dot(E, v)); F:constraint("y", path[2].dot - dot(cross(G, E), v))
local g0, e0 = { -sin(pitch)*cos(roll), sin(roll), cos(pitch)*cos(roll) }, { cos(pitch), 0, sin(pitch) }
local start = { x = 0, y = 0 }
for i = 1, 3 do start["w" .. i], start["g" .. i], start["e" .. i] = w0[i], g0[i], e0[i] end
local second = F:simulate(tight(start))
assert(run.status == "OK" and second.status == "OK")

local there, by = run:at(4), second:at(4)
local Rzx, Rzy, Rzz = N.z:components(R)
local _, Rxy = N.x:components(R)
local _, Ryy = N.y:components(R)
local exact = S:reference{ q = { x = 0, y = 0, R = {"zxy", 0, roll, pitch} }, v = { R = w0 }, t = 4, digits = 25 }
local last = P:exactly(S, exact)
P:digits("run", "x(4) = -1.9599453789934050724, y(4) = -4.0031483398207419748", { exact.q.x, exact.q.y }, "reference solution")
P:digits("run", "roll(4) = -0.14995842992005841003, pitch(4) = 0.35066116999936854652, yaw(4) = 4.1974335054436693785",
  { last(hm.asin(Rzy)), last(hm.atan2(-Rzx, Rzz)), last(hm.atan2(-Rxy, Ryy)) + 2*hm.pi }, "reference solution")
P:agrees("run", "the run of the body is the reference solution", { there.x - tonumber(exact.q.x), there.y - tonumber(exact.q.y),
  run:at(4, Rzy) - last(Rzy):eval(), run:at(4, Rxy) - last(Rxy):eval() }, "two solutions")
local off = { there.x - by.x, there.y - by.y, run:at(4, Rzx) - by.g1, run:at(4, Rzy) - by.g2, run:at(4, Rzz) - by.g3 }
for i, e in ipairs{ R:rates() } do off[5 + i] = run:at(4, e) - by["w" .. i] end
P:agrees("run", "the body with its quaternion and the reduced equations move alike", off, "two runs")

P:show(S)
P:show(function() return run:plot("x", "y", { title = "path of the centre" }) end)
P:show(function() return run:animate{} end)
os.exit(P:finish())
