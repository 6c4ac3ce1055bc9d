-- A rolling disc whose constraints are put into the Lagrangian first, as if it were holonomic: which accelerations come out wrong,
-- which right, and why. Chaplygin's equations are the same insertion with the terms that it loses.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local S = hm.system "rolling disc"
local x, y, phi, theta, psi = S:coordinates "x y phi theta psi"        -- contact point, heading, tilt, spin
local m, r, A, C, g = S:positive "m=1 r=1/2 A=1/16 C=1/8 g=9.81"
local cx, cy, cz = hm.dt(x - r*sin(theta)*sin(phi)), hm.dt(y + r*sin(theta)*cos(phi)), hm.dt(r*cos(theta))
S:kinetic_energy(m/2*(cx^2 + cy^2 + cz^2) + A/2*(theta.dot^2 + (phi.dot*cos(theta))^2) + C/2*(psi.dot + phi.dot*sin(theta))^2)
S:potential_energy(m*g*r*cos(theta))
S:constraint("roll x", x.dot + r*psi.dot*cos(phi))
S:constraint("roll y", y.dot + r*psi.dot*sin(phi))

-- 1. The same equations up to one term each: the lost terms are what Chaplygin's equations have and the insertion has not
local dependent = { "x", "y" }
local right, wrong = S:equations("chaplygin", { dependent = dependent }), S:equations("lindelof", { dependent = dependent })
print "terms lost by the insertion:"
local N = m*r^2*theta.dot*cos(theta)
local lost = {}
for i, name in ipairs{ "phi", "theta", "psi" } do
  lost[i] = (right[i] - wrong[i]):simplify()
  print(("  %-6s %s"):format(name, lost[i]))
end
assert(lost[2]:is_zero() and (lost[1] + N*psi.dot):is_zero() and (lost[3] - N*phi.dot):is_zero())
-- they are gyroscopic: no work, so that the energy does not betray the error
assert((lost[1]*phi.dot + lost[2]*theta.dot + lost[3]*psi.dot):is_zero())

-- 2. At one state
local state = { q = { x = 0, y = 0, phi = 0.2, theta = 0.3, psi = 0 }, v = { phi = 0.5, theta = 0.4, psi = 3 }, dependent = dependent }
local function at(form)
  state.form = form
  return S:accelerations(state).a
end
local truth, inserted = at "lagrange", at "lindelof"
print "\nat one state:     multipliers     inserted"
for _, name in ipairs{ "phi", "theta", "psi" } do print(("  %-8s %18.9f %12.9f"):format(name .. "''", truth[name], inserted[name])) end
-- the tilt is not coupled to heading and spin by the masses, and its own equation lost nothing
assert(math.abs(truth.theta - inserted.theta) < 1e-12)
assert(math.abs(truth.phi - inserted.phi) > 0.1 and math.abs(truth.psi - inserted.psi) > 0.1)

-- 3. Where the tilt does not change nothing is lost: all steady motions come out right, and a check on them finds no fault
state.v.theta = 0
truth, inserted = at "lagrange", at "lindelof"
for _, name in ipairs{ "phi", "theta", "psi" } do assert(math.abs(truth[name] - inserted[name]) < 1e-12) end
print "\nwith theta' = 0 all accelerations agree: steady motions show nothing"

-- 4. But their stability does. About upright rolling at spin w the heading obeys A phi'' = -C w theta', inserted -(C + m r^2) w theta':
-- true limit w^2 = A m g r/(C (C + m r^2)), inserted A m g r/(C + m r^2)^2, too low. Between the two the disc falls and the inserted
-- equations roll on.
local limit = math.sqrt(1/16*9.81/2/((1/8 + 1/4)*1/8))
local inserted_limit = math.sqrt(1/16*9.81/2)/(1/8 + 1/4)
local start = { q = { x = 0, y = 0, phi = 0, theta = 1e-5, psi = 0 }, v = { phi = 0, theta = 0 }, t = 4, rtol = 1e-10, atol = 1e-12,
                dependent = dependent }
local function largest_tilt(form, spin)
  start.form, start.v.psi = form, spin
  local run = S:simulate(start)
  assert(run.status == "OK" and run.energy_drift < 1e-6)
  local _, tilt = run:series(theta, { n = 400 })
  local largest = 0
  for _, angle in ipairs(tilt) do largest = math.max(largest, math.abs(angle)) end
  return largest
end
print(("\nlimit of the spin: %.4f rad/s; inserted: %.4f"):format(limit, inserted_limit))
for _, row in ipairs{ { "lagrange", 1.2*limit, true }, { "lagrange", 0.8*limit, false }, { "lindelof", 0.8*limit, true },
                      { "lindelof", 0.8*inserted_limit, false } } do
  local tilt = largest_tilt(row[1], row[2])
  print(("  %-9s at %.4f rad/s: tilt up to %.1e, its energy kept"):format(row[1], row[2], tilt))
  assert((tilt < 1e-3) == row[3])
end
