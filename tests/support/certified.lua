-- certified.lua: the systems and starts of enclosures with known digits: double pendulum, offset sleigh, rolling disc, rattleback.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local certified = {}

--- Two unit masses on unit rods, angles from the downward vertical. Returns the system, its angles and a start.
function certified.pendulum()
  local S = hm.system "double pendulum"
  local a, b = S:coordinates "a b"
  local g = S:positive "g=9.81"
  local x1, y1 = sin(a), -cos(a)
  local x2, y2 = x1 + sin(b), y1 - cos(b)
  S:kinetic_energy((hm.dt(x1)^2 + hm.dt(y1)^2 + hm.dt(x2)^2 + hm.dt(y2)^2)/2)
  S:potential_energy(g*(y1 + y2))
  return S, { q = { a = 2, b = "5/2" }, v = { a = 0, b = 0 } }, a, b
end

--- Sleigh whose mass centre is 3/10 ahead of the blade at (x, y).
function certified.sleigh()
  local S = hm.system "offset sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, a = S:positive "m=1 J=1/2 a=3/10"
  local X, Y = x + a*cos(theta), y + a*sin(theta)
  S:kinetic_energy(m/2*(hm.dt(X)^2 + hm.dt(Y)^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
  return S, { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = "1/2" } }
end

--- Thin disc of mass 1 and radius 1: point of contact (x, y), heading psi, inclination theta (pi/2: upright), own turn phi.
function certified.disc()
  local S = hm.system "disc"
  local x, y, psi, theta, phi = S:coordinates "x y psi theta phi"
  local m, r, g = S:positive "m=1 r=1 g=9.81"
  local cx, cy, cz = x - r*cos(theta)*sin(psi), y + r*cos(theta)*cos(psi), r*sin(theta)
  S:kinetic_energy(m/2*(hm.dt(cx)^2 + hm.dt(cy)^2 + hm.dt(cz)^2) + m*r^2/8*(theta.dot^2 + psi.dot^2*sin(theta)^2)
    + m*r^2/4*(phi.dot + psi.dot*cos(theta))^2)
  S:potential_energy(m*g*cz)
  S:constraint("roll x", x.dot + r*phi.dot*cos(psi))
  S:constraint("roll y", y.dot + r*phi.dot*sin(psi))
  return S, { q = { x = 0, y = 0, psi = 0, theta = "6/5", phi = 0 }, v = { psi = "1/2", theta = 0, phi = 5 } }
end

--- Rattleback of examples/rattleback.lua in turns about the vertical, then x, then y; (x, y) is the mass centre. Reference: Garcia and Hubbard 1988.
function certified.rattleback()
  local S = hm.system "rattleback"
  local x, y, yaw, roll, pitch = S:coordinates "x y yaw roll pitch"
  local m, g, a, b, c, h = S:positive "m=1 g=9.81 a=0.2 b=0.03 c=0.02 h=0.01"
  local A, B, C = S:positive "A=2e-4 B=1.6e-3 C=1.7e-3"
  local D = S:parameters "D=-2e-5"
  local c1, s1, c2, s2 = cos(roll), sin(roll), cos(pitch), sin(pitch)
  -- the vertical and the angular velocity in body axes; the contact point from the mass centre, where the normal points down
  local up = { -c1*s2, s1, c1*c2 }
  local w = { roll.dot*c2 + yaw.dot*up[1], pitch.dot + yaw.dot*up[2], roll.dot*s2 + yaw.dot*up[3] }
  local root = hm.sqrt(a^2*up[1]^2 + b^2*up[2]^2 + c^2*up[3]^2)
  local contact = { -a^2*up[1]/root, -b^2*up[2]/root, h - c^2*up[3]/root }
  local height = root - h*up[3]
  -- the mass centre moves with contact x w, in body axes, then in axes that share the yaw
  local v = { contact[2]*w[3] - contact[3]*w[2], contact[3]*w[1] - contact[1]*w[3], contact[1]*w[2] - contact[2]*w[1] }
  local along, aside = c2*v[1] + s2*v[3], s1*s2*v[1] + c1*v[2] - s1*c2*v[3]
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2 + hm.dt(height)^2) + (A*w[1]^2 + B*w[2]^2 + C*w[3]^2)/2 + D*w[1]*w[2])
  S:potential_energy(m*g*height)
  S:constraint("roll x", x.dot - along*cos(yaw) + aside*sin(yaw))
  S:constraint("roll y", y.dot - along*sin(yaw) - aside*cos(yaw))
  return S, { q = { x = 0, y = 0, yaw = 0, roll = "87/10000", pitch = "87/10000" }, v = { yaw = -5, roll = 0, pitch = 0 }, form = "maggi" }
end

--- The same as a body that rolls on a plane, with a unit quaternion.
function certified.rattleback_body()
  local S = hm.system "rattleback, a body"
  local N = S:frame "N"
  local m, g, a, b, c, h = S:positive "m=1 g=9.81 a=0.2 b=0.03 c=0.02 h=0.01"
  local A, B, C = S:positive "A=2e-4 B=1.6e-3 C=1.7e-3"
  local D = S:parameters "D=-2e-5"
  local R = S:rotation "R"
  local stone = S:body("stone", { at = S:point "x y z", frame = R, mass = m, inertia = {A, B, C, xy = D}, shape = {"ellipsoid", a, b, c, centre = h*R.z} })
  S:rolls("roll", stone, N:plane())
  S:gravity(-g*N.z)
  return S, { q = { x = 0, y = 0, R = {"zxy", 0, "87/10000", "87/10000"} }, v = { R = -5*N.z }, form = "hamel" }
end

--- Options { q, v, ... } with further ones.
function certified.with(start, more)
  local o = {}
  for _, list in ipairs{ start, more } do for name, value in pairs(list) do o[name] = value end end
  return o
end

--- Is a text of digits the wanted one, but for one unit of its last digit?
function certified.agree(text, wanted)
  local decimals = #(wanted:match "%.(%d*)" or "") - (tonumber(wanted:match "e(.*)") or 0)
  return hm.ball(wanted, ("1.01e%d"):format(-decimals)):contains(text)
end

return certified
