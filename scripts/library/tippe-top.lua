-- Tippe top: a sphere with its mass centre off its middle, which slides with viscous friction on a table and turns over when it spins fast.
-- Jellett's integral, the stability of the upright and of the inverted spin, and the three groups of tops.
-- Sources: Cohen, Am. J. Phys. 45 (1977) 12-17; Ebenfeld, Scheck, Ann. Phys. 243 (1995) 195-217; Ciocci, Malengier, Langerock, Grimonprez,
-- J. Appl. Mech. 79 (2012) 041005 and SIGMA 8 (2012) 019. Formulas as quoted there; numbers of equations not compared.
--
--   hamel scripts/library/tippe-top.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local quotient = hm.rational

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
-- entries of the quaternion by name are exact; an axis and an angle are rounded to doubles
local sixteenth = quotient(1, 16)
local reference = S:reference{ form = "hamel", q = { x = 0, y = 0, R0 = hm.cos(sixteenth), R1 = hm.sin(sixteenth), R2 = 0, R3 = 0 },
  v = { x = 0, y = 0, n = 4, p = 0, q = 0 }, t = 10, digits = 22 }
local last = P:exactly(S, reference)
P:digits("S1", "with the friction -c v, c = 1/2, at t = 10: J = 1.1132965008439935797", { last(J) }, "reference solution")
local drift = 0
for t = 0, 10, 0.25 do drift = math.max(drift, math.abs(run:at(t, J) - last(J):eval())) end
P:agrees("S1", "the integral along a run", drift, "run to t = 10 against the reference solution")

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
local ex, ey, ez = R.z:components(N)
P:digits("values", "x(10) = -1.4549781353666822631, pitch(10) = 0.12750973951170050741, roll(10) = 0.19851920794564104087",
  { reference.q.x, last(hm.asin(ex)), last(hm.atan2(-ey, ez)) }, "reference solution")

-- ---- S2, S3: the first approximation in symbols. Its characteristic polynomial is C |Z(s)|^2 with a complex cubic Z for real s, as roll and pitch
-- make one complex angle. A root crosses the imaginary axis at one spin only; how many lie right of it is known without spin

local U, p = angles()
local m, g, r, e, A, C, n, c = p.m, p.g, p.r, p.e, p.A, p.C, U:parameters "n=0", U:symbol "c"
local first = {}
-- alpha is negative for the inverted spin: the mass centre is above the middle
local function condition(equation, what, roll, sign)
  local e1 = sign*e
  local alpha, w = e1/r, r - e1
  local L = U:linearize{ q = { x = 0, y = 0, roll = roll, pitch = 0, spin = 0 }, v = { x = 0, y = 0, roll = 0, pitch = 0, spin = n },
    symbolic = true }
  first[sign] = L
  local zero = hm.number(0)
  local re = { c*e1*g*m, e1*g*m^2, c*(A + m*w^2), A*m }                    -- of the coefficients of Z, from s^0 to s^3
  local im = { zero, c*n*(C + m*r*w), C*m*n, zero }
  local differences = {}
  for power = 0, 6 do
    local sum = zero
    for k = math.max(0, power - 3), math.min(3, power) do
      sum = sum + re[k + 1]*re[power - k + 1] + im[k + 1]*im[power - k + 1]
    end
    differences[power + 1] = L.polynomial[power + 1] - C*sum
  end
  P:agrees(equation, "the characteristic polynomial is C |Z(s)|^2, "
    .. "Z = A m s^3 + (c (A + m w^2) + i C m n) s^2 + (m^2 g e + i c n (C + m r w)) s + c m g e", differences, nil,
    sign > 0 and "w = r - e with 0 < e < r; roots of Z and their conjugates are the eigenvalues"
    or "w = r - e; for the inverted spin e and alpha are negative; roots of Z and their conjugates are the eigenvalues")
  -- Z(i v) = X + i v Y
  local v = hm.symbols "v"
  local X, Y = re[1] - im[2]*v - re[3]*v^2, re[2] - im[3]*v - re[4]*v^2
  local limit = m*g*r*alpha*(1 - alpha)^2 - n^2*(A - C*(1 - alpha))
  local there = -n*r/w
  P:agrees(equation, "Z(i v) = X + i v Y with real X, Y is zero only for v = -n r/w and m g r alpha (1 - alpha)^2 = n^2 (A - C (1 - alpha))", {
    m*X - c*Y + c*m^2*w*v*(w*v + n*r), X:subs{ [v] = 0 } - c*m*g*e1, Y:subs{ [v] = there } - m*r^2/w^2*limit }, nil,
    "m X - c Y = -c m^2 w v (w v + n r), X(0) = c m g e is not zero, Y(-n r/w) = m r^2/w^2 times the difference of the two sides")
  -- without spin Z is real: of its roots none or one is on the right, by Routh
  P:agrees(equation, sign > 0 and "without spin no eigenvalue has a positive real part" or "without spin one root of Z is on the right",
    (re[3]*re[2] - re[4]*re[1]) - c*m^3*g*e1*w^2, nil,
    sign > 0 and "all coefficients of Z are positive, and so is the difference of products of Routh, c m^3 g e w^2" or
    "A m > 0, c (A + m w^2) > 0, and m^2 g e, c m g e < 0: one change of sign, with e < 0")
  -- Z' s' = -dZ/dn at the limit, v = -n r/w, A from the limit
  local dn = { re = -c*(C + m*r*w)*v, im = -C*m*v^2 }
  local ds = { re = re[2] - 2*im[3]*v - 3*re[4]*v^2, im = im[2] + 2*re[3]*v }
  local speed = (-(dn.re*ds.re + dn.im*ds.im)):subs{ [v] = there }:subs{ [A] = C*(1 - alpha) + m*g*r*alpha*(1 - alpha)^2/n^2 }
  P:agrees(equation, what, speed - 2*c*m^3*g*e1*r^2*n, nil,
    "with growing n the root crosses with the speed 2 c m^3 g e r^2 n/|dZ/ds|^2, " .. (sign > 0 and "to the right" or "to the left, as e < 0"),
    sign > 0 and "so the spin is stable below the limit and unstable above; with A <= C (1 - alpha) there is no limit, and it is stable at every n" or
    "so the spin is unstable below the limit and stable above; with A >= C (1 + alpha) there is no limit, and it is unstable at every n")
end
condition("S2", "upright spin n is stable iff n^2 (A - C (1 - alpha)) < m g r alpha (1 - alpha)^2, alpha = e/r", 0, 1)
condition("S3", "inverted spin is stable iff A < C (1 + alpha) and n^2 > m g r alpha (1 + alpha)^2/(C (1 + alpha) - A), alpha = e/r", hm.pi, -1)
local declared = { [m] = 1, [g] = 1, [r] = 1, [e] = quotient(1, 4), [A] = quotient(2, 5), [C] = quotient(3, 8), [c] = quotient(1, 2) }
local function critical(sign)
  local alpha = sign*e/r
  return hm.sqrt((m*g*r*alpha*(1 - alpha)^2/(A - C*(1 - alpha))):subs(declared))
end
P:digits("S2", "here n < n1, n1 = 1.088214375165017508", { critical(1) }, "exact root")
P:digits("S3", "here n > n2, n2 = 2.3836564731139807886", { critical(-1) }, "exact root")

-- Hurwitz' determinants in fractions: all positive
local function stable(sign, ratio, spin)
  local values = {}
  for symbol, value in pairs(declared) do values[symbol] = value end
  values[A], values[n] = quotient(3, 8)*ratio, spin
  for _, determinant in ipairs(first[sign].hurwitz) do
    if determinant:subs(values):eval() <= 0 then return false end
  end
  return true
end
local close = true
for _, row in ipairs{ { 1, critical(1) }, { -1, critical(-1) } } do
  local sign, limit = row[1], row[2]:eval()
  local below, above = hm.rational(math.floor(limit*1e6), 1000000), hm.rational(math.ceil(limit*1e6), 1000000)
  local slow, fast = stable(sign, quotient(16, 15), below), stable(sign, quotient(16, 15), above)
  close = close and slow == (sign > 0) and fast == (sign < 0)
end
P:proves("S2, S3", "stable on one side and unstable on the other, within 10^-6 of either limit", close,
  "Hurwitz' determinants in fractions at the declared values")

-- ---- S4: alpha = 1/4

local groups = {}
for i, spin in ipairs{ quotient(1, 2), 1, 10, 100 } do
  local fast = i > 2
  groups[#groups + 1] = stable(1, quotient(7, 10), spin) and not stable(-1, quotient(13, 10), spin)
  if fast then
    groups[#groups + 1] = not stable(1, 1, spin) and stable(-1, 1, spin)
    groups[#groups + 1] = not stable(1, quotient(13, 10), spin)
  end
end
groups[#groups + 1] = stable(1, 1, quotient(1, 2)) and not stable(-1, 1, 1) and stable(1, quotient(13, 10), quotient(1, 2))
local fine = true
for _, answer in ipairs(groups) do fine = fine and answer end
P:proves("S4", "A/C < 1 - alpha: the upright spin is always stable; between 1 - alpha and 1 + alpha: fast upright spins are unstable and inverted ones "
  .. "stable; above 1 + alpha: the inverted spin is never stable", fine,
  "S2: the upright spin has a limit iff A > C (1 - alpha); S3: the inverted one iff A < C (1 + alpha)",
  "Hurwitz' determinants in fractions at A/C = 7/10, 1, 13/10 and n = 1/2, 1, 10, 100 say the same")
P:not_checked("S4", "the second group inverts, the third stops short: motions from one spin to another",
  "a check needs the limits of all motions; the run below shows one that inverts")

-- a fast one turns over
local fast = S:simulate{ form = "hamel", q = { x = 0, y = 0, R = { axis = N.x, angle = "1/8" } }, v = { x = 0, y = 0, n = 8, p = 0, q = 0 },
  t = 200, rtol = 1e-11, atol = 1e-12 }
P:holds("run", "spun by 8 the top turns over: within 3 degrees of the inverted spin", { fast:at(200, R.z)[3], "<", -math.cos(math.pi/60) },
  "cosine of the tilt at t = 200")
P:show(S)
P:show(function() return fast:plot("t", R.z:dot(N.z)) end)
P:show(function() return fast:animate({ { "plane" } }, { follow = { S:symbol "x", S:symbol "y", 1 } }) end)
P:save(fast, "tippe_top_turns_over", { n = 1201 })
P:save(run, "tippe_top", { n = 501 })

os.exit(P:finish())
