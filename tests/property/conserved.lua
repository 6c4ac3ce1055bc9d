-- conserved.lua: random systems with planted integrals, on surfaces and with rotations too: each is found, none is claimed where a perturbation destroys
-- it, all that is listed is kept along runs, answers do not depend on the order of coordinates or the choice of velocities, and densities obey
-- Liouville's equation. Arbiters: the plants, runs of the integrator, divergences by differences of its accelerations.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local count = check.draws(12)
print(("conserved: seed %d, %d systems of each kind"):format(seed, count))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end
local function pick(list) return list[whole(1, #list)] end

local function kept_along_a_run(S, C, q, v, what)
  local run = S:simulate{ q = q, v = v, t = 1, rtol = 1e-11, atol = 1e-12 }
  if run.status ~= "OK" then return end
  for name, drift in pairs(C:drift(run)) do assert(drift < 1e-7, ("%s: %s drifts by %g\n%s"):format(what, name, drift, C)) end
end

local function all_proved(C, what)
  for _, I in ipairs(C) do assert(I.proof == true, what .. ": " .. I.name) end
  for _, s in ipairs(C.search) do assert(s.complete, what .. ": " .. tostring(s.reason)) end
end

-- ---- two particles on a line with an interaction: the momentum is kept, unless a spring ties one of them to the line

local function pair(perturbed)
  local S = hm.system "pair"
  S:coordinates(pick{ "x y", "y x" })
  local x, y = S:symbol "x", S:symbol "y"
  local m1, m2, c = S:positive(("m1=%d m2=%d/3 c=%d"):format(whole(1, 5), whole(1, 7), whole(1, 4)))
  local d = x - y
  S:kinetic_energy(m1/2*x.dot^2 + m2/2*y.dot^2)
  S:potential_energy(pick{ c*d^2, c*d^2 + d^4/4, c*d^4 } + (perturbed and x^2/2 or 0))
  return S, m1*x.dot + m2*y.dot
end

local function momenta(i)
  local S, p = pair(false)
  local C, what = S:conserved{ degree = 1, power = 1 }, ("seed %d, pair %d"):format(seed, i)
  all_proved(C, what)
  assert(C:contains(p) and #C == 2, ("%s\n%s"):format(what, C))
  kept_along_a_run(S, C, { x = random(-1, 1), y = random(-1, 1) }, { x = random(-1, 1), y = random(-1, 1) }, what)
  local other, lost = pair(true)
  local D = other:conserved{ degree = 1, power = 1 }
  all_proved(D, what)
  assert(#D == 1 and not D:contains(lost) and other:is_conserved(lost) == false, what)
end

-- ---- a particle with z' = f(y) x': x' sqrt(m1 + m3 f^2) is kept for every potential of y, and so is y' without one

local function particle(order, quasi, f, masses, force)
  local S = hm.system "particle"
  S:coordinates(order)
  local x, y, z = S:symbol "x", S:symbol "y", S:symbol "z"
  S:kinetic_energy((masses[1]*x.dot^2 + masses[2]*y.dot^2 + masses[3]*z.dot^2)/2)
  if force then S:potential_energy(force(x, y)) end
  S:constraint("c", z.dot - f(y)*x.dot)
  if quasi then S:quasi_velocities("u w", { (2 + y^2)*x.dot, y.dot + x.dot }) end
  return S, x, y, z
end

local slopes = {
  function(y) return y end, function(y) return 2*y + 1 end, function(y) return y^2 end, function(y) return hm.sin(y) end,
  function(y) return 3*hm.cos(y) end, function(y) return hm.sin(2*y) + 1 end,
}
local forces = { false, function(_, y) return y^2 end, function(_, y) return y end }

local function plants(i)
  local what, f, masses, force = ("seed %d, particle %d"):format(seed, i), pick(slopes), { whole(1, 4), whole(1, 4), whole(1, 4) }, pick(forces)
  local S, x, y = particle("x y z", false, f, masses, force)
  local C = S:conserved{ power = 1 }
  all_proved(C, what)
  local plant = x.dot*hm.sqrt(masses[1] + masses[3]*f(y)^2)
  assert(C:contains(plant) and C:contains(y.dot) == not force, ("%s\n%s"):format(what, C))
  kept_along_a_run(S, C, { x = 0.1, y = random(-1, 1), z = 0 }, { x = random(0.5, 1), y = random(-1, 1) }, what)
  -- the same motions in other velocities and another order
  local T = particle(pick{ "z y x", "y x z", "x z y" }, true, f, masses, force)
  local D = T:conserved{ power = 1 }
  all_proved(D, what)
  for _, I in ipairs(C) do if I.kind ~= "quadratic" or #C == #D then assert(D:contains(I.of), ("%s: %s\n%s\n%s"):format(what, I.name, C, D)) end end
  -- a force along x destroys the plant
  local P, px, py = particle("x y z", false, f, masses, function(a) return a^2 end)
  local lost = px.dot*hm.sqrt(masses[1] + masses[3]*f(py)^2)
  assert(P:is_conserved(lost) == false and not P:conserved{ power = 1, degree = 1 }:contains(lost), what)
end

-- ---- sleighs with the mass centre a before and b beside the blade: a measure and constant velocities exactly where a = 0, for every choice of
-- quasi-velocities

local function sleighs(i)
  local S, what = hm.system "sleigh", ("seed %d, sleigh %d"):format(seed, i)
  S:coordinates(pick{ "x y theta", "theta y x", "y theta x" })
  local x, y, theta = S:symbol "x", S:symbol "y", S:symbol "theta"
  local before, beside = pick{ 0, 0, 1, hm.rational(2, 3), -1 }, pick{ 0, 1, hm.rational(-1, 2) }
  local m, J = S:positive(("m=%d J=%d/5"):format(whole(1, 4), whole(1, 9)))
  local c, s = hm.cos(theta), hm.sin(theta)
  S:kinetic_energy(m/2*(hm.dt(x + before*c - beside*s)^2 + hm.dt(y + before*s + beside*c)^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*s - y.dot*c)
  local u, k = x.dot*c + y.dot*s, whole(1, 3)
  if random(0, 1) < 0.7 then S:quasi_velocities("v w", { u - k*theta.dot, theta.dot*pick{ hm.number(1), 2 + c } }) end
  local C, M = S:conserved{ angle = 1, degree = 1 }, S:invariant_measure()
  all_proved(C, what)
  assert(M.proof and M.exists == (before == 0), ("%s, a = %s, b = %s\n%s"):format(what, before, beside, M))
  assert(C:contains(u) == (before == 0) and C:contains(theta.dot) == (before == 0), ("%s\n%s"):format(what, C))
  kept_along_a_run(S, C, { x = 0, y = 0, theta = 0.3 }, { x = random(0.5, 1), theta = random(-1, 1) }, what)
end

-- ---- Liouville's equation by differences, in (x, y, z, x', y')

local function divergence(S, f, state)
  local h, sum = 1e-4, 0
  local function rates(q, v)
    local a = S:accelerations{ q = { x = q[1], y = q[2], z = q[3] }, v = { x = v[1], y = v[2] } }.a
    return { v[1], v[2], f(q[2])*v[1], a.x, a.y }
  end
  for k = 1, 5 do
    local function at(step)
      local s = table.move(state, 1, 5, 1, {})
      s[k] = s[k] + step
      return rates({ s[1], s[2], s[3] }, { s[4], s[5] })[k]
    end
    sum = sum + (8*(at(h) - at(-h)) - at(2*h) + at(-2*h))/(12*h)
  end
  return sum
end

local numeric = { function(y) return y end, function(y) return 2*y + 1 end, function(y) return y^2 end, math.sin,
  function(y) return 3*math.cos(y) end, function(y) return math.sin(2*y) + 1 end }

local function measures(i)
  local k, what = whole(1, #slopes), ("seed %d, measure %d"):format(seed, i)
  local S, _, y = particle("x y z", false, slopes[k], { whole(1, 4), whole(1, 4), whole(1, 4) }, pick(forces))
  local M = S:invariant_measure()
  assert(M.exists and M.proof, what .. tostring(M))
  local state = { random(-1, 1), random(-1, 1), 0, random(-1, 1), random(-1, 1) }
  local slope = hm.log(M.density^2):diff(y):eval{ [y] = state[2] }/2
  check.near(slope*state[5], -divergence(S, numeric[k], state), 1e-6, what)
end

-- ---- bodies that turn about a point, with gravity and perhaps without turning about one axis: the momentum about the vertical unless the axis is kept

local function tops(i)
  local S, what = hm.system "top", ("seed %d, top %d"):format(seed, i)
  local R = S:rotation("R", { rates = "p q r" })
  local w, g = { R:rates() }, { S:admit "Rzx", S:admit "Rzy", S:admit "Rzz" }
  local I, h, vertical = { whole(2, 4), whole(2, 4), whole(2, 4) }, { whole(-1, 1), whole(-1, 1), whole(-1, 1) }, 0
  S:kinetic_energy((I[1]*w[1]^2 + I[2]*w[2]^2 + I[3]*w[3]^2)/2)
  S:potential_energy(h[1]*g[1] + h[2]*g[2] + h[3]*g[3])
  for k = 1, 3 do vertical = vertical + I[k]*w[k]*g[k] end
  local axis = pick{ false, { 0, 0, 1 }, { 1, 1, 0 }, { 1, -2, 2 } }
  if axis then S:constraint("no turn", axis[1]*w[1] + axis[2]*w[2] + axis[3]*w[3]) end
  local C = S:conserved{ degree = 1 }
  all_proved(C, what)
  assert(C.energy and (axis or C:contains(vertical)), ("%s\n%s"):format(what, C))
  local rates = { random(-1, 1), random(-1, 1), random(-1, 1) }
  if axis then
    local square, along = axis[1]^2 + axis[2]^2 + axis[3]^2, axis[1]*rates[1] + axis[2]*rates[2] + axis[3]*rates[3]
    for k = 1, 3 do rates[k] = rates[k] - along*axis[k]/square end
  end
  kept_along_a_run(S, C, { R = { axis = { random(-1, 1), random(-1, 1), 1 }, angle = random(-3, 3) } }, { R = rates }, what)
  -- a body without constraints has Liouville's measure
  local M = S:invariant_measure()
  assert(M.proof and (axis or M.exists and M.density == hm.number(1)), what .. tostring(M))
end

-- ---- points on a quadric with a potential that may be symmetric about its axis: the momentum about it exactly where it is

local function quadrics(i)
  local S, what = hm.system "quadric", ("seed %d, quadric %d"):format(seed, i)
  S:coordinates(pick{ "x y z", "z x y", "y z x" })
  local x, y, z = S:symbol "x", S:symbol "y", S:symbol "z"
  local c, tilt = whole(1, 3), pick{ 0, 0, 1, hm.rational(1, 3) }
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:potential_energy(pick{ z, z^2, x^2 + y^2 } + tilt*x)
  local kind = whole(1, 3)
  S:constraint("surface", ({ x^2 + y^2 + c*z^2 - 4, z - (x^2 + y^2)/c, x^2 + y^2 - c^2*(z + 5)^2 })[kind])
  local C = S:conserved{ power = 1, degree = 1 }
  all_proved(C, what)
  assert(C.energy and C:contains(x*y.dot - y*x.dot) == (tilt == 0), ("%s\n%s"):format(what, C))
  local a, u, v = random(-3, 3), random(-1, 1), random(-1, 1)
  local height = ({ math.sqrt(3/c), 1/c, 1/c - 5 })[kind]
  -- a velocity along the surface: (u, v) on the tangent plane over (x, y)
  local px, py = math.cos(a), math.sin(a)
  local slope = ({ -(px*u + py*v)/(c*height), 2*(px*u + py*v)/c, (px*u + py*v)/c })[kind]
  kept_along_a_run(S, C, { x = px, y = py, z = height }, { x = u, y = v, z = slope }, what)
end

for i = 1, count do
  tops(i)
  quadrics(i)
  momenta(i)
  plants(i)
  measures(i)
  sleighs(i)
end
print "ok"
