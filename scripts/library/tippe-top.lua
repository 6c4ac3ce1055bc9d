-- Tippe top: a sphere with its mass centre off its middle, which slides with viscous friction on a table and turns over when it spins fast.
-- Jellett's integral, the stability of the upright and of the inverted spin, and the three groups of tops.
-- Sources: Cohen, Am. J. Phys. 45 (1977) 12-17; Ebenfeld, Scheck, Ann. Phys. 243 (1995) 195-217; Ciocci, Malengier, Langerock, Grimonprez,
-- J. Appl. Mech. 79 (2012) 041005 and SIGMA 8 (2012) 019. Formulas as quoted there; numbers of equations not compared.
--
--   hamel scripts/library/tippe-top.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local quotient = hm.rational

local csv
for i = 1, #arg do
  if arg[i] == "--csv" then csv = arg[i + 1] or error("--csv needs a folder", 0) end
end

local P = hm.paper{ title = "Tippe top with viscous sliding (Cohen 1977; Ebenfeld and Scheck 1995; Ciocci and others 2012)", tolerance = 1e-13 }

-- The mass centre is e below the middle while the axis B.z points up; x, y belong to the mass centre; force(slip) acts at the contact
local function declare(S, frame, at, force)
  local m, g, r, e, A, C = S:positive "m=1 g=1 r=1 e=1/4 A=2/5 C=3/8"
  local N, centre = S:frame "N", at(r, e)
  local top = S:body("top", { at = centre, frame = frame, mass = m, inertia = {A, A, C}, shape = {"sphere", radius = r, centre = e*frame.z} })
  local contact = centre + e*frame.z - r*N.z
  S:gravity(-g*N.z)
  S:force(top, force((centre + e*frame.z):velocity() - r*frame:angular_velocity():cross(N.z), N), contact)
  local L = top:angular_momentum(centre)
  return top, L:dot(centre - contact), { m = m, g = g, r = r, e = e, A = A, C = C }
end

-- Any attitude, by a unit quaternion
local function free_top(force)
  local S = hm.system "tippe top"
  local N, R = S:frame "N", S:rotation("R", { rates = "p q n" })
  local x, y = S:coordinates "x y"
  local top, jellett = declare(S, R, function(r, e) return S:point(x*N.x + y*N.y + (r - e*R.z:dot(N.z))*N.z) end, force(S))
  return S, R, jellett, top
end

-- Roll about x, pitch about y, spin about the axis: regular beside both vertical positions
local function angles()
  local S = hm.system "tippe top near the vertical"
  local N = S:frame "N"
  local x, y, roll, pitch, spin = S:coordinates "x y roll pitch spin"
  local B = N:rotate("x", roll):rotate("y", pitch):rotate("z", spin)
  local c = S:positive "c=1/2"
  local _, _, p = declare(S, B, function(r, e) return S:point(x*N.x + y*N.y + (r - e*B.z:dot(N.z))*N.z) end,
    function(slip) return -c*slip end)
  return S, p
end

-- ---- S1: any force in the plane of the table, as two parameters without values

local A1, _, J1 = free_top(function(S)
  local fx, fy = S:parameters "fx fy"
  return function(_, N) return fx*N.x + fy*N.y end
end)
local proved, rate = A1:is_conserved(J1)
P:agrees("S1", "Jellett's integral -(L, r) is constant for every sliding friction: L about the mass centre, r from it to the contact",
  proved and hm.number(0) or rate, nil, "the friction is any force in the plane of the contact, the normal force that of the table")

local S, R, J = free_top(function(S)
  local c = S:positive "c=1/2"
  return function(slip) return -c*slip end
end)
local N = S:frame "N"
local run = S:simulate{ form = "hamel", method = "taylor", q = { x = 0, y = 0, R = { axis = N.x, angle = "1/8" } }, v = { x = 0, y = 0, n = 4, p = 0, q = 0 },
  t = 10, rtol = 1e-14, atol = 1e-15 }
local drift = 0
for t = 0, 10, 0.25 do drift = math.max(drift, math.abs(run:at(t, J) - 1.1132965008439935797)) end
P:agrees("S1", "the integral along a run with the friction -c v, c = 1/2", drift, "run to t = 10 against 1.1132965008439935797")

-- ---- the same motion by vectors: momentum L about the mass centre, axis e3, velocity v; first-order equations as constraints

local function vector_run()
  local V = hm.system "tippe top by vectors"
  local q = { V:coordinates "x y Lx Ly Lz ex ey ez vx vy" }
  local _, _, Lx, Ly, Lz, ex, ey, ez, vx, vy = table.unpack(q)
  local e, A, C, c, n = quotient(1, 4), quotient(2, 5), quotient(3, 8), quotient(1, 2), hm.symbols "normal"
  local extra = (Lx*ex + Ly*ey + Lz*ez)*(1/C - 1/A)
  local wx, wy, wz = Lx/A + extra*ex, Ly/A + extra*ey, Lz/A + extra*ez
  local rx, ry, rz = e*ex, e*ey, e*ez - 1
  local fx, fy = -c*(vx + wy*rz - wz*ry), -c*(vy + wz*rx - wx*rz)
  local Mx, My, Mz = ry*n - rz*fy, rz*fx - rx*n, rx*fy - ry*fx
  local dx, dy, dz = (Ly*ez - Lz*ey)/A, (Lz*ex - Lx*ez)/A, (Lx*ey - Ly*ex)/A
  -- the height of the mass centre is 1 - e ez: n = g - e ez''
  local normal = hm.solve({ n - 1 + e/A*(Mx*ey - My*ex + Lx*dy - Ly*dx) }, { n })[1]
  local rates, T = { vx, vy, Mx, My, Mz, dx, dy, dz, fx, fy }, 0
  for i, s in ipairs(q) do
    T = T + s.dot^2/2
    V:constraint("rate " .. i, s.dot - rates[i]:subs{ [n] = normal })
  end
  V:kinetic_energy(T)
  local s, k = hm.sin(hm.number(1)/8), hm.cos(hm.number(1)/8)
  return V:simulate{ method = "taylor", t = 10, rtol = 1e-14, atol = 1e-15,
    q = { x = 0, y = 0, Lx = 0, Ly = -4*C*s, Lz = 4*C*k, ex = 0, ey = -s, ez = k, vx = 0, vy = 0 } }
end
local other, worst = vector_run(), 0
for t = 0, 10, 0.25 do
  local a, s, o = run:at(t, R.z), run:at(t), other:at(t)
  worst = math.max(worst, math.abs(a[1] - o.ex), math.abs(a[2] - o.ey), math.abs(a[3] - o.ez), math.abs(s.x - o.x), math.abs(s.y - o.y))
end
P:agrees("run", "place and axis of the top", worst, "run of the bodies against a run of the vector equations (L, e3, v)")
local axis = run:at(10, R.z)
P:agrees("values", "x(10), pitch(10), roll(10)", { run:at(10).x + 1.4549781353666822631, math.asin(axis[1]) - 0.12750973951170050741,
  math.atan(-axis[2], axis[3]) - 0.19851920794564104087 }, "run against values with 20 digits")
-- entries of the quaternion by name are exact; an axis and an angle are rounded to doubles
local sixteenth = quotient(1, 16)
local reference = S:reference{ form = "hamel", q = { x = 0, y = 0, R0 = hm.cos(sixteenth), R1 = hm.sin(sixteenth), R2 = 0, R3 = 0 },
  v = { x = 0, y = 0, n = 4, p = 0, q = 0 }, t = 10, digits = 20 }
P:agrees("values", "x(10)", (hm.number(reference.q.x) - hm.number "-1.4549781353666822631"):eval(), "reference solution against a value with 20 digits",
  "x = " .. reference.q.x)

-- ---- S2, S3: the first approximation in symbols. Eigenvalues reach the imaginary axis only where the last of Hurwitz' determinants vanishes
-- (Orlando's formula; the constant coefficient is positive), so that this one decides

local U, p = angles()
local m, g, r, e, A, C, n = p.m, p.g, p.r, p.e, p.A, p.C, U:parameters "n=0"
local declared = { [m] = 1, [g] = 1, [r] = 1, [e] = quotient(1, 4), [A] = quotient(2, 5), [C] = quotient(3, 8), [U:symbol "c"] = quotient(1, 2) }
local function start(roll, spin)
  return { q = { x = 0, y = 0, roll = roll, pitch = 0, spin = 0 }, v = { x = 0, y = 0, roll = 0, pitch = 0, spin = spin } }
end
-- alpha is negative for the inverted spin: the mass centre is above the middle
local function condition(equation, what, roll, sign, critical)
  local alpha = sign*e/r
  local given = start(roll, n)
  given.symbolic = true
  local H = U:linearize(given).hurwitz
  local last = H[#H - 1]
  P:agrees(equation, what .. ": the limit", last:subs{ [A] = C*(1 - alpha) + m*g*r*alpha*(1 - alpha)^2/n^2 }, nil,
    "the last of Hurwitz' determinants vanishes there")
  -- its other factor is a polynomial in n^2 with coefficients of one sign: no other limit
  local limit = (m*g*r*alpha*(1 - alpha)^2 - n^2*(A - C*(1 - alpha))):subs(declared)
  local rest, signs = (last:subs(declared)/limit):simplify():expand(), {}
  for k = 0, 4, 2 do signs[#signs + 1] = rest:coefficient(n, k):eval() > 0 and 1 or -1 end
  local even = (rest - rest:coefficient(n, 4)*n^4 - rest:coefficient(n, 2)*n^2 - rest:coefficient(n, 0)):is_zero()
  P:proves(equation, "it is the only limit at the declared values", even == true and math.abs(signs[1] + signs[2] + signs[3]) == 3,
    "the determinant is this limit times a polynomial in n^2 with coefficients of one sign")
  local below, above = U:linearize(start(roll, 0.999*critical)).largest, U:linearize(start(roll, 1.001*critical)).largest
  local stable, unstable = below, above
  if sign < 0 then stable, unstable = above, below end
  P:holds(equation, ("largest real parts beside the limit n = %.15f: %.2g and %.2g"):format(critical, below, above),
    stable < 1e-12 and unstable > 1e-4 and math.abs(limit:subs{ [n] = critical }:eval()) < 1e-14, "eigenvalues at 0.999 n and 1.001 n; the limit is zero at n")
end
condition("S2", "upright spin n is stable iff n^2 (A - C (1 - alpha)) < m g r alpha (1 - alpha)^2, alpha = e/r", 0, 1, 1.088214375165017508)
condition("S3", "inverted spin is stable iff A < C (1 + alpha), n^2 > m g r alpha (1 + alpha)^2/(C (1 + alpha) - A)", hm.pi, -1, 2.3836564731139807886)

-- ---- S4: signs of the coefficients in S2 and S3, and eigenvalues at slow and fast spins

local function largest(roll, ratio, spin)
  local given = start(roll, spin)
  given.parameters = { A = 3*ratio/8 }
  return U:linearize(given).largest
end
local wrong = 0
for _, spin in ipairs{ 1, 10, 100 } do
  if largest(0, 0.7, spin) > 1e-12 then wrong = wrong + 1 end                                              -- never leaves the upright spin
  if largest(math.pi, 1.3, spin) < 1e-6 then wrong = wrong + 1 end                                         -- never reaches the inverted spin
end
if largest(0, 1, 10) < 1e-6 or largest(math.pi, 1, 10) > 1e-12 or largest(math.pi, 1, 1) < 1e-6 then wrong = wrong + 1 end
if largest(0, 1.3, 10) < 1e-6 or largest(0, 1.3, 0.5) > 1e-12 then wrong = wrong + 1 end
P:holds("S4", "A/C < 1 - alpha never turns over; between 1 - alpha and 1 + alpha it inverts when fast; above 1 + alpha it stops short", wrong == 0,
  "eigenvalues at A/C = 0.7, 1, 1.3 and n = 1/2, 1, 10, 100, beside the signs in S2 and S3")

-- a fast one turns over
local fast = S:simulate{ form = "hamel", q = { x = 0, y = 0, R = { axis = N.x, angle = "1/8" } }, v = { x = 0, y = 0, n = 8, p = 0, q = 0 },
  t = 200, rtol = 1e-11, atol = 1e-12 }
P:holds("run", "spun by 8 the top turns over: within 3 degrees of the inverted spin", fast:at(200, R.z)[3] < -math.cos(math.pi/60),
  ("cosine of the tilt %.7f at t = 200"):format(fast:at(200, R.z)[3]))
P:show(S)
P:show(function() return fast:plot("t", R.z:dot(N.z)) end)
P:show(function() return fast:animate({ { "plane" } }, { follow = { S:symbol "x", S:symbol "y", 1 } }) end)
if csv then
  fast:save(csv .. "/tippe_top_turns_over.csv", { n = 1201 })
  run:save(csv .. "/tippe_top.csv", { n = 501 })
end

os.exit(P:finish())
