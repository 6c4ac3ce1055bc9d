-- disc_forms.lua: every form of the rolling disc that applies: derived, printed in short form and evaluated at one state.
local hm = require "hamel"
local core = require "hamel.core"
local sin, cos, clock = hm.sin, hm.cos, core.host.clock

local S = hm.system "rolling disc"
local x, y, phi, theta, psi = S:coordinates "x y phi theta psi"
local m, r, A, C, g = S:positive "m=1 r=1/2 A=1/16 C=1/8 g=9.81"
local cx, cy, cz = hm.dt(x - r*sin(theta)*sin(phi)), hm.dt(y + r*sin(theta)*cos(phi)), hm.dt(r*cos(theta))
S:kinetic_energy(m/2*(cx^2 + cy^2 + cz^2) + A/2*(theta.dot^2 + (phi.dot*cos(theta))^2) + C/2*(psi.dot + phi.dot*sin(theta))^2)
S:potential_energy(m*g*r*cos(theta))
S:constraint("roll x", x.dot + r*psi.dot*cos(phi))
S:constraint("roll y", y.dot + r*psi.dot*sin(phi))

local state = { q = { x = 0, y = 0, phi = 0.2, theta = 0.3, psi = 0 }, v = { phi = 0.5, theta = 0.4, psi = 3 } }
local total = 0
for _, row in ipairs(S:forms()) do
  if row.applies then
    S:changed()
    local t0 = clock()
    local E = S:equations(row.name, { dependent = row.dependent })
    local t1 = clock()
    local length = #tostring(E)
    local t2 = clock()
    if not row.another_motion then S:accelerations{ form = row.name, dependent = row.dependent, q = state.q, v = state.v } end
    local t3 = clock()
    total = total + t3 - t0
    print(("  %-20s derived %6.1f ms, printed %7.1f ms (%d characters), solved %6.1f ms"):format(row.name, 1e3*(t1 - t0), 1e3*(t2 - t1), length, 1e3*(t3 - t2)))
  end
end
print(("all forms of the disc: %.2f s"):format(total))
