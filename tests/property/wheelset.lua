-- wheelset.lua: the wheelset of the test set for IVP solvers: creep forces that depend on the normal forces, so on the multipliers.
-- Simeon, Fuehrer, Rentrop, Surv. Math. Ind. 1 (1991) 1-37; creep law: Jaschinski, DLR-FB 90-06 (1990). Digits at t = 10: the test set.
--
-- Derived here from the geometry: a cone rolls on two rails with circular heads. The contact points, at the angle psi round the axle and xi
-- along it, are coordinates without inertia. Two places of the published equations are kept as printed, since the digits depend on them:
-- the reactions enter the equation of theta as G_theta lambda, where Lagrange's equations give G_theta lambda/cos(phi), and the creep law
-- takes the angle theta/cos(delta) for theta.
local hm = require "hamel"
local sin, cos, sqrt, tanh, abs = hm.sin, hm.cos, hm.sqrt, hm.tanh, hm.abs

local mass, gravity, speed, radius, polar, transverse = hm.number "16.08", hm.number "9.81", 30, hm.number "0.1", hm.number "0.0605", hm.number "0.366"
local mu, arm, stiffness = hm.number "0.12", hm.number "0.19", 6400
local cone, half_gauge, head = hm.number "0.0262", hm.number "0.1506", hm.number "0.06"
local omega = speed/radius
-- of the creep law: half axes of the ellipse of contact, Poisson's number, shear modulus, Kalker's coefficients; pi as printed
local E, G, sigma, shear, pi = hm.number "1.3537956", hm.number "0.7115218", hm.number "0.28", hm.number "7.92e10", hm.number "3.1415926"
local c11, c22, c23 = hm.number "4.72772197", hm.number "4.27526987", hm.number "1.97203505"

local S = hm.system "wheelset"
local x, y, z, theta, phi, chi, psi_l, xi_l, psi_r, xi_r = S:coordinates "x y z theta phi chi psi_l xi_l psi_r xi_r"
local spin = omega + chi.dot
S:kinetic_energy(mass/2*(x.dot^2 + y.dot^2 + z.dot^2) + transverse/2*(theta.dot^2*cos(phi)^2 + phi.dot^2)
  + polar/2*(spin + theta.dot*sin(phi))^2)
S:potential_energy(mass*gravity*y + stiffness*(x^2 + z^2) + stiffness*arm^2*theta^2)
-- the chassis turns the axle about the vertical, which has a part along the axle
S:force(chi, -2*arm^2*stiffness*theta*sin(phi))

-- One side: `side` is 1 on the left (xi > 0), -1 on the right. s, c: sine and cosine of the yaw, that of the creep law being another one
local function point(xi, psi, side, s, c)
  local r = radius + hm.tan(cone)*(half_gauge - side*xi)
  local along, up, ahead = xi*cos(phi) + r*sin(phi)*cos(psi), xi*sin(phi) - r*cos(phi)*cos(psi), -r*sin(psi)
  return { c*along + s*ahead, up, -s*along + c*ahead }, r
end

local u, yaw = hm.symbols "u yaw"
local function contact(name, xi, psi, side)
  local C, r = point(xi, psi, side, sin(theta), cos(theta))
  local across = x + C[1]
  local profile = sqrt(head^2 - (side*u - half_gauge - sin(cone)*head)^2) - radius - cos(cone)*head
  local rail, slope, bend = profile:subs{ [u] = across }, profile:diff(u):subs{ [u] = across }, profile:diff(u, u):subs{ [u] = across }
  local wheel_slope = -side*hm.tan(cone)
  -- normals are parallel
  local side_1 = slope*(wheel_slope*sin(phi) + cos(phi)*cos(psi)) + wheel_slope*cos(theta)*cos(phi) - cos(theta)*sin(phi)*cos(psi) + sin(theta)*sin(psi)
  local side_2 = wheel_slope*sin(theta)*cos(phi) - sin(theta)*sin(phi)*cos(psi) - cos(theta)*sin(psi)
  return { name = name, xi = xi, psi = psi, side = side, C = C, r = r, gap = rail - y - C[2], slope = slope, bend = bend, wheel_slope = wheel_slope,
           normals = { side_1, side_2 } }
end
local left, right = contact("left", xi_l, psi_l, 1), contact("right", xi_r, psi_r, -1)

-- the start of the test set, whose gaps are not quite zero and stay as they are
local q = { x = 0.14941e-2, y = 0.40089e-6, z = 0.11241e-5, theta = -0.28573e-3, phi = 0.26459e-3, chi = 0,
            psi_r = -7.4122380357667139e-6, xi_r = -0.1521364296121248, psi_l = 7.5634406395172940e-6, xi_l = 0.1490635714733819 }
local function at_start(e)
  local values = {}
  for _, s in ipairs{ x, y, z, theta, phi, chi, psi_l, xi_l, psi_r, xi_r } do values[s] = q[tostring(s)] end
  return e:eval(values)
end
for _, c in ipairs{ left, right } do
  S:constraint("gap " .. c.name, c.gap - hm.number(at_start(c.gap)))
  S:constraint("across " .. c.name, c.normals[1])
  S:constraint("ahead " .. c.name, c.normals[2])
end
local lambda_l, lambda_r = S.lambda["gap left"], S.lambda["gap right"]

-- normal forces: the reactions across and up are those of the two contacts
local function plane(c)
  local w1 = (c.wheel_slope*cos(phi) - sin(phi)*cos(c.psi))*cos(theta) + sin(c.psi)*sin(theta)
  local w2 = -c.side*(c.wheel_slope*sin(phi) + cos(c.psi)*cos(phi))
  return hm.atan(w1/w2)
end
left.delta, right.delta = plane(left), plane(right)
local w1, w2 = left.slope*lambda_l + right.slope*lambda_r, -lambda_l - lambda_r
local determinant = -sin(left.delta)*cos(right.delta) - sin(right.delta)*cos(left.delta)
left.normal = (cos(right.delta)*w1 - sin(right.delta)*w2)/determinant
right.normal = (-cos(left.delta)*w1 - sin(left.delta)*w2)/determinant

for _, c in ipairs{ left, right } do
  local sd, cd = c.side*sin(c.delta), cos(c.delta)
  local s, k = sin(theta/cd), cos(theta/cd)
  -- velocity of the wheel's particle at the contact: turned by yaw, roll and spin
  local P, r = point(c.xi, c.psi, c.side, sin(yaw), cos(yaw))
  local v = {}
  for i, base in ipairs{ x.dot, y.dot, speed + z.dot } do
    v[i] = base + (hm.diff(P[i], yaw)*theta.dot + hm.diff(P[i], phi)*phi.dot + hm.diff(P[i], c.psi)*spin):subs{ [yaw] = theta/cd }
  end
  local roll = sqrt((v[1] - 2*x.dot)^2 + (v[2] - 2*y.dot)^2 + (v[3] - 2*z.dot - 2*speed)^2)/2
  local nu_x, nu_y = (s*v[1] + k*v[3])/roll, (k*cd*v[1] + sd*v[2] - s*cd*v[3])/roll
  local turn = (-sd*spin + cd*theta.dot)/roll
  -- half axis of the ellipse of contact
  local bend = -c.bend/(1 + c.slope^2)^hm.rational(3, 2)
  local a_and_b = 1/(2*r*sqrt(1 + c.wheel_slope^2)) + bend/2
  local axis = (3*abs(c.normal)*(1 - sigma)*E/(2*pi*a_and_b*shear*sqrt(G)))^hm.rational(1, 3)
  local limit = mu*c.normal
  local tx = -limit*tanh(shear*axis^2*c11*nu_x/limit)
  local ty = -limit*tanh(shear*axis^2*c22*nu_y/limit + shear*axis^3*c23*turn/limit)
  local part = hm.min(1, abs(limit)/sqrt(tx^2 + ty^2))
  tx, ty = part*tx, part*ty
  local T = { s*tx + k*cd*ty, sd*ty, k*tx - s*cd*ty }
  S:force(x, T[1]); S:force(y, T[2]); S:force(z, T[3])
  for _, pair in ipairs{ { theta, theta }, { phi, phi }, { chi, c.psi } } do
    local Q = hm.number(0)
    for i = 1, 3 do Q = Q + T[i]*hm.diff(c.C[i], pair[2]) end
    S:force(pair[1], Q)
  end
  -- as printed: G_theta lambda in the equation that Lagrange's equations give divided by cos(phi)
  S:force(theta, (cos(phi) - 1)*hm.diff(c.gap, theta)*S.lambda["gap " .. c.name])
end

local still = {}
for _, name in ipairs(S.coordinate_names) do still[name] = 0 end

-- The published initial accelerations belong to multipliers printed with five digits
local state = S:accelerations{ q = q, v = still }
local function within(what, got, want, tolerance)
  assert(math.abs(got - want) <= tolerance*math.abs(want), ("%s: %.10g, published %.10g"):format(what, got, want))
end
within("lambda left", state.lambda["gap left"], -83.593, 3e-5)
within("lambda right", state.lambda["gap right"], -74.144, 3e-5)
within("x''", state.a.x, -1.975258894011285, 1e-5)
within("theta''", state.a.theta, -5.533362821731549, 1e-5)

local run = S:simulate{ q = q, v = still, t = 10, rtol = 1e-8, atol = 1e-10 }
assert(run.status == "OK", run.reason)
local e, worst = run:at(10), 0
local published = {
  { "x", e.x, 0.86355386965811e-2 }, { "y", e.y, 0.13038281022727e-4 }, { "z", e.z, -0.93635784016818e-4 },
  { "theta", e.theta, -0.13642299804033e-1 }, { "phi", e.phi, 0.15292895005422e-2 },
  { "x'", e.v.x, -0.76985374142666e-1 }, { "y'", e.v.y, -0.25151106429207e-3 }, { "z'", e.v.z, 0.20541188079539e-2 },
  { "theta'", e.v.theta, -0.23904837703692 }, { "phi'", e.v.phi, -0.13633468454173e-1 }, { "beta", e.v.chi, -0.24421377661131 },
  { "psi_r", e.psi_r, -0.33666751972196e-3 }, { "xi_r", e.xi_r, -0.15949425684022 },
  { "psi_l", e.psi_l, 0.37839614386969e-3 }, { "xi_l", e.xi_l, 0.14173214964613 },
  { "lambda left", e.lambda["gap left"], -0.10124044903201e3 }, { "lambda right", e.lambda["gap right"], -0.56285630573753e2 },
}
for _, row in ipairs(published) do
  within(row[1], row[2], row[3], 1e-5)
  worst = math.max(worst, math.abs(row[2]/row[3] - 1))
end
print(("wheelset: %d published values at t = 10 within %.1e, in %d steps"):format(#published, worst, run.outcome.steps))
