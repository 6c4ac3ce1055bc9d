-- Nonholonomic systems whose integrals and invariant measures are in the literature; each function returns the system and a record of its symbols.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local systems = {}

--- Angular velocity of a body in its axes, Euler angles psi, theta, phi (3-1-3).
function systems.body_rates(psi, theta, phi)
  return theta.dot*cos(phi) + psi.dot*sin(theta)*sin(phi), -theta.dot*sin(phi) + psi.dot*sin(theta)*cos(phi), phi.dot + psi.dot*cos(theta)
end

--- z' = y x' (Rosenberg 1977).
function systems.particle()
  local S = hm.system "particle"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:constraint("c", z.dot - y*x.dot)
  return S, { x = x, y = y, z = z }
end

--- Chaplygin's sleigh; offset: the mass centre is not above the blade.
function systems.sleigh(offset)
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J = S:positive "m=2 J=1/3"
  local a = offset and S:positive "a=3/5" or 0
  S:kinetic_energy(m/2*(hm.dt(x + a*cos(theta))^2 + hm.dt(y + a*sin(theta))^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
  local u = x.dot*cos(theta) + y.dot*sin(theta)
  S:quasi_velocities("u omega", { u, theta.dot })
  return S, { x = x, y = y, theta = theta, u = u, m = m, J = J, a = a }
end

--- Suslov's problem with the product of inertia I13.
function systems.suslov(product)
  local S = hm.system "Suslov"
  local psi, theta, phi = S:coordinates "psi theta phi"
  local I1, I2, I3 = S:positive "I1=2 I2=3 I3=4"
  local P = S:parameters("I13=" .. product)
  local w1, w2, w3 = systems.body_rates(psi, theta, phi)
  S:kinetic_energy((I1*w1^2 + I2*w2^2 + I3*w3^2)/2 + P*w1*w3)
  S:constraint("no turn", w3)
  S:quasi_velocities("a b", { w1, w2 })
  return S, { psi = psi, theta = theta, phi = phi, w1 = w1, w2 = w2 }
end

--- A disc that stays upright, x' = r cos(theta) phi'.
function systems.upright_disc()
  local S = hm.system "upright disc"
  local x, y, theta, phi = S:coordinates "x y theta phi"
  local m, J, I, r = S:positive "m=2 J=1/4 I=1/3 r=1/2"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2 + I/2*phi.dot^2)
  S:constraint("along", x.dot - r*cos(theta)*phi.dot)
  S:constraint("across", y.dot - r*sin(theta)*phi.dot)
  return S, { x = x, y = y, theta = theta, phi = phi, r = r }
end

--- A disc that rolls and leans (Chaplygin, Appell, Korteweg).
function systems.rolling_disc()
  local S = hm.system "rolling disc"
  local x, y, psi, theta, phi = S:coordinates "x y psi theta phi"
  local m, A, C, r, g = S:positive "m=1 A=1/4 C=1/2 r=1 g=10"
  local cx, cy, cz = x + r*cos(theta)*sin(psi), y - r*cos(theta)*cos(psi), r*sin(theta)
  S:kinetic_energy(m/2*(hm.dt(cx)^2 + hm.dt(cy)^2 + hm.dt(cz)^2) + A/2*(theta.dot^2 + psi.dot^2*sin(theta)^2) + C/2*(phi.dot - psi.dot*cos(theta))^2)
  S:potential_energy(m*g*cz)
  S:constraint("roll x", x.dot + r*cos(psi)*phi.dot)
  S:constraint("roll y", y.dot + r*sin(psi)*phi.dot)
  return S, { psi = psi, theta = theta, phi = phi, m = m, A = A, C = C, r = r }
end

--- Snakeboard (Lewis, Ostrowski, Murray, Burdick 1994).
function systems.snakeboard()
  local S = hm.system "snakeboard"
  local x, y, theta, psi, phi = S:coordinates "x y theta psi phi"
  local m, l, J, R, W = S:positive "m=6 l=1/5 J=1/50 R=1/10 W=1/100"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2 + R/2*(theta.dot + psi.dot)^2
    + W/2*((theta.dot + phi.dot)^2 + (theta.dot - phi.dot)^2))
  S:constraint("front", y.dot*cos(theta + phi) - x.dot*sin(theta + phi) + l*theta.dot*cos(phi))
  S:constraint("rear", y.dot*cos(theta - phi) - x.dot*sin(theta - phi) - l*theta.dot*cos(phi))
  return S, { x = x, y = y, theta = theta, psi = psi, phi = phi, m = m, l = l, J = J, W = W, u = x.dot*cos(theta) + y.dot*sin(theta) }
end

--- Roller racer (Krishnaprasad, Tsakiris 2001).
function systems.roller_racer()
  local S = hm.system "roller racer"
  local x, y, theta, phi = S:coordinates "x y theta phi"
  local m, I, K, a, b = S:positive "m=1 I=1 K=1/100 a=1 b=1/5"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + I/2*theta.dot^2 + K/2*(theta.dot + phi.dot)^2)
  local fx, fy = hm.dt(x + a*cos(theta) + b*cos(theta + phi)), hm.dt(y + a*sin(theta) + b*sin(theta + phi))
  S:constraint("rear", y.dot*cos(theta) - x.dot*sin(theta))
  S:constraint("front", fy*cos(theta + phi) - fx*sin(theta + phi))
  return S, { phi = phi }
end

--- Veselova's problem: the angular velocity about the vertical is zero.
function systems.veselova()
  local S = hm.system "Veselova"
  local psi, theta, phi = S:coordinates "psi theta phi"
  local I1, I2, I3 = S:positive "I1=1 I2=2 I3=3"
  local w1, w2, w3 = systems.body_rates(psi, theta, phi)
  S:kinetic_energy((I1*w1^2 + I2*w2^2 + I3*w3^2)/2)
  S:constraint("no spin", psi.dot + cos(theta)*phi.dot)
  return S, { theta = theta, gamma = { sin(theta)*sin(phi), sin(theta)*cos(phi), cos(theta) }, w = { w1, w2, w3 }, I = { I1, I2, I3 } }
end

--- Chaplygin's sphere: balanced, three different moments of inertia, rolling on a plane (Chaplygin 1903).
function systems.sphere()
  local S = hm.system "Chaplygin sphere"
  local x, y, psi, theta, phi = S:coordinates "x y psi theta phi"
  local m, a, I1, I2, I3 = S:positive "m=2 a=1/2 I1=1/10 I2=3/20 I3=1/5"
  local w1, w2, w3 = systems.body_rates(psi, theta, phi)
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + (I1*w1^2 + I2*w2^2 + I3*w3^2)/2)
  S:constraint("roll x", x.dot - a*(theta.dot*sin(psi) - phi.dot*sin(theta)*cos(psi)))
  S:constraint("roll y", y.dot + a*(theta.dot*cos(psi) + phi.dot*sin(theta)*sin(psi)))
  S:quasi_velocities("p q r", { w1, w2, w3 })
  return S, { theta = theta, y = y, m = m, a = a, w = { w1, w2, w3 }, I = { I1, I2, I3 },
    gamma = { sin(theta)*sin(phi), sin(theta)*cos(phi), cos(theta) },
    alpha = { cos(psi)*cos(phi) - sin(psi)*cos(theta)*sin(phi), -cos(psi)*sin(phi) - sin(psi)*cos(theta)*cos(phi), sin(psi)*sin(theta) } }
end

--- A homogeneous ball of radius 1 on a turning table; a1, a2, a3 are pseudo-coordinates.
function systems.turntable()
  local S = hm.system "turntable"
  local x, y, a1, a2, a3 = S:coordinates "x y a1 a2 a3"
  local W = S:parameters "W=2"
  local T = (x.dot^2 + y.dot^2)/2 + (a1.dot^2 + a2.dot^2 + a3.dot^2)/5
  S:kinetic_energy(T)
  S:constraint("x", x.dot - a2.dot + W*y)
  S:constraint("y", y.dot + a1.dot - W*x)
  return S, { x = x, y = y, a3 = a3, W = W, T = T }
end

--- A homogeneous ball in an upright cylinder; a1, a2, a3 are pseudo-coordinates, n is the spin about the normal.
function systems.cylinder()
  local S = hm.system "ball in a cylinder"
  local phi, z, a1, a2, a3 = S:coordinates "phi z a1 a2 a3"
  local m, r, a, g = S:positive "m=1 r=2 a=1/2 g=10"
  local k, kappa = hm.rational(2, 5), hm.sqrt(hm.rational(2, 7))
  S:kinetic_energy(m/2*(r^2*phi.dot^2 + z.dot^2) + k*m*a^2/2*(a1.dot^2 + a2.dot^2 + a3.dot^2))
  S:potential_energy(m*g*z)
  S:constraint("around", r*phi.dot + a*a3.dot)
  S:constraint("up", z.dot - a*(a2.dot*cos(phi) - a1.dot*sin(phi)))
  local n = a1.dot*cos(phi) + a2.dot*sin(phi)
  S:quasi_velocities("n w v", { n, phi.dot, z.dot })
  return S, { phi = phi, z = z, n = n, a = a, g = g, k = k, kappa = kappa }
end

-- Third and first two columns of the rotation by Euler angles: the axes of space in those of the body
local function cosines(psi, theta, phi)
  return { cos(psi)*cos(phi) - sin(psi)*cos(theta)*sin(phi), -cos(psi)*sin(phi) - sin(psi)*cos(theta)*cos(phi), sin(psi)*sin(theta) },
    { sin(psi)*cos(phi) + cos(psi)*cos(theta)*sin(phi), -sin(psi)*sin(phi) + cos(psi)*cos(theta)*cos(phi), -cos(psi)*sin(theta) },
    { sin(theta)*sin(phi), sin(theta)*cos(phi), cos(theta) }
end

--- A homogeneous ellipsoid with half axes a, b, c rolling on a plane.
function systems.ellipsoid(a, b, c)
  local S = hm.system "ellipsoid"
  local x, y, psi, theta, phi = S:coordinates "x y psi theta phi"
  local alpha, beta, gamma = cosines(psi, theta, phi)
  local w = { systems.body_rates(psi, theta, phi) }
  local height = hm.sqrt(a^2*gamma[1]^2 + b^2*gamma[2]^2 + c^2*gamma[3]^2)
  local r = { -a^2*gamma[1]/height, -b^2*gamma[2]/height, -c^2*gamma[3]/height }
  local v = { r[2]*w[3] - r[3]*w[2], r[3]*w[1] - r[1]*w[3], r[1]*w[2] - r[2]*w[1] }
  S:kinetic_energy((x.dot^2 + y.dot^2 + hm.dt(height)^2)/2 + ((b^2 + c^2)*w[1]^2 + (a^2 + c^2)*w[2]^2 + (a^2 + b^2)*w[3]^2)/10)
  S:potential_energy(10*height)
  S:constraint("roll x", x.dot - alpha[1]*v[1] - alpha[2]*v[2] - alpha[3]*v[3])
  S:constraint("roll y", y.dot - beta[1]*v[1] - beta[2]*v[2] - beta[3]*v[3])
  S:quasi_velocities("w1 w2 w3", w)
  return S, { theta = theta }
end

return systems
