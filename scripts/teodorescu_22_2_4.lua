-- Teodorescu, Mechanical Systems, 22.2.4: other equations of motion of nonholonomic systems: Chaplygin, Voronets, Volterra, Maggi,
-- canonical equations in quasi-coordinates; skate, circular disc, two-wheeled carriage. One line per formula or form.
--
--   hamel scripts/teodorescu_22_2_4.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, diff = hm.sin, hm.cos, hm.diff

local csv
for i = 1, #arg do
  if arg[i] == "--csv" then csv = arg[i + 1] or error("--csv needs a folder", 0) end
end
math.randomseed(22)
local function random(from, to) return from + (to - from)*math.random() end

local P = hm.paper{ title = "Teodorescu 22.2.4: Chaplygin, Voronets, Volterra, Maggi and canonical equations" }

-- ---- the three systems of the text, and a ball on a turntable for constraints that are not catastatic

local function skate()
  local S = hm.system "skate on an inclined plane"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, G = S:positive "m=2 J=3/4 G=3"                                -- G: g sin(inclination), along x
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
  S:force(x, m*G)
  S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
  return S, { "y" }, { "x", "theta" }
end

local function disc()
  local S = hm.system "circular disc"
  local x, y, phi, theta, psi = S:coordinates "x y phi theta psi"
  local m, r, A, C, g = S:positive "m=1 r=1/2 A=1/16 C=1/8 g=9.81"
  local cx, cy, cz = hm.dt(x - r*sin(theta)*sin(phi)), hm.dt(y + r*sin(theta)*cos(phi)), hm.dt(r*cos(theta))
  S:kinetic_energy(m/2*(cx^2 + cy^2 + cz^2) + A/2*(theta.dot^2 + (phi.dot*cos(theta))^2) + C/2*(psi.dot + phi.dot*sin(theta))^2)
  S:potential_energy(m*g*r*cos(theta))
  S:constraint("roll x", x.dot + r*psi.dot*cos(phi))
  S:constraint("roll y", y.dot + r*psi.dot*sin(phi))
  return S, { "x", "y" }, { "phi", "theta", "psi" }
end

local function carriage()
  local S = hm.system "two-wheeled carriage"
  local x, y, theta, p1, p2 = S:coordinates "x y theta p1 p2"
  local M, J, I, r, b, a = S:positive "M=4 J=1 I=1/10 r=1/5 b=1/2 a=1/10"
  local vx, vy = hm.dt(x + a*cos(theta)), hm.dt(y + a*sin(theta))
  S:kinetic_energy(M/2*(vx^2 + vy^2) + J/2*theta.dot^2 + I/2*(p1.dot^2 + p2.dot^2))
  S:force(p1, S:parameters "torque=1/5")
  S:constraint("no skid", x.dot*sin(theta) - y.dot*cos(theta))
  S:constraint("wheel 1", x.dot*cos(theta) + y.dot*sin(theta) - b*theta.dot - r*p1.dot)
  S:constraint("wheel 2", x.dot*cos(theta) + y.dot*sin(theta) + b*theta.dot - r*p2.dot)
  return S, { "x", "y", "p1" }, { "theta", "p2" }
end

local function turntable()
  local S = hm.system "ball on a turntable"
  local x, y, a1, a2, a3 = S:coordinates "x y a1 a2 a3"
  local m, a, W = S:positive "m=1 a=1/10 W=2"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + m*a^2/5*(a1.dot^2 + a2.dot^2 + a3.dot^2))
  S:constraint("x", x.dot - a*a2.dot + W*y)
  S:constraint("y", y.dot + a*a1.dot - W*x)
  return S, { "a1", "a2" }, { "x", "y", "a3" }
end

local cases = { skate, disc, carriage, turntable }

-- A state with the independent velocities drawn at random
local function state(S, independent)
  local q, v = {}, {}
  for _, name in ipairs(S.coordinate_names) do q[name] = random(-0.6, 0.6) end
  for _, name in ipairs(independent) do v[name] = random(-1, 1) end
  return q, v
end

-- Largest difference of accelerations and of reactions from the multiplier form, ten states of every system the form takes
local function against_multipliers(form, builders)
  local off, off_lambda = 0, 0
  for _, build in ipairs(builders) do
    local S, dependent, independent = build()
    for _ = 1, 10 do
      local q, v = state(S, independent)
      local want, got = S:accelerations{ q = q, v = v }, S:accelerations{ q = q, v = v, form = form, dependent = dependent }
      for name, a in pairs(want.a) do off = math.max(off, math.abs(got.a[name] - a)/(1 + math.abs(a))) end
      for name, l in pairs(want.lambda) do off_lambda = math.max(off_lambda, math.abs(got.lambda[name] - l)/(1 + math.abs(l))) end
    end
  end
  return { off, off_lambda }
end

-- ---- (22.2.88): the solved form, and that the three systems are Chaplygin's

do
  local kinematics = require "hamel.kinematics"
  local list, ranks = {}, 0
  for _, build in ipairs{ skate, disc, carriage } do
    local S, dependent = build()
    local solved = kinematics.solved(S, dependent, "solved")
    -- put into the constraints, the solved velocities make them vanish
    for _, c in ipairs(S.constraints) do list[#list + 1] = c.f:subs((function()
      local map = {}
      for i, v in ipairs(S:velocity_list()) do map[v] = solved.v[i] end
      return map
    end)()) end
    ranks = math.max(ranks, math.abs(#solved.dependent - #S.constraints))
  end
  P:agrees("(22.2.88)", "dependent velocities q'_(h+k) = sum c_(h+k,j) q'_j", list)
  local D = disc()
  P:misprint("(22.2.88)", "rank of the matrix of the constraints", (#D.coordinate_names - #D.constraints) - #D.constraints + 0.0, ranks + 0.0,
    "number of dependent velocities found for skate, disc, carriage",
    "the print says rank h; with h independent velocities there are s - h constraints, and the rank is s - h (disc: s = 5, h = 3, rank 2)")
  local fine = 0
  for _, build in ipairs{ skate, disc, carriage } do
    local S, dependent = build()
    if not pcall(S.equations, S, "chaplygin", { dependent = dependent }) then fine = fine + 1 end
  end
  P:agrees("Chaplygin", "skate, disc and carriage are Chaplygin systems", fine + 0.0, "T, forces and coefficients free of the dependent coordinates")
  local S, dependent = turntable()
  local ok, message = pcall(S.equations, S, "chaplygin", { dependent = { "x", "y" } })
  P:agrees("Chaplygin", "one that is not: the turntable solved for x', y'", ok and 1.0 or 0.0, "refused", (tostring(message):gsub("^.-: ", "", 1)))
  assert(#dependent == 2)
end

-- (22.2.88'): virtual displacements leave the velocity-free part out: their work through the reactions is zero, that of q' is not
do
  local S, _, independent = turntable()
  local work, power = 0, 0
  for _ = 1, 10 do
    local q, v = state(S, independent)
    local at = S:accelerations{ q = q, v = v }
    -- reactions lambda_k a_kr on a virtual displacement (da1 = -dy/a, da2 = dx/a)
    local a, dx, dy = 0.1, random(-1, 1), random(-1, 1)
    local R = { x = at.lambda.x, y = at.lambda.y, a1 = a*at.lambda.y, a2 = -a*at.lambda.x }
    work = math.max(work, math.abs(R.x*dx + R.y*dy + R.a1*(-dy/a) + R.a2*(dx/a)))
    -- and their power: - sum lambda_k a_k0
    local P_real = R.x*at.v.x + R.y*at.v.y + R.a1*at.v.a1 + R.a2*at.v.a2
    power = math.max(power, math.abs(P_real + at.lambda.x*2*q.y - at.lambda.y*2*q.x))
  end
  P:agrees("(22.2.88')", "virtual displacements: delta q_(h+k) = sum c delta q_j, without c_k0; reactions do no work on them", work, "turntable, 10 states")
  P:agrees("power", "power of the reactions of non-catastatic constraints: -sum lambda_k a_k0", power, "turntable, 10 states")
end

-- the last display: sum over j with d/dt dT/dq'_(h+k) alone, since dT/dq_(h+k) = Q_(h+k) = 0 in Chaplygin systems
do
  local S = disc()
  local x, y, phi, psi = S:symbol "x", S:symbol "y", S:symbol "phi", S:symbol "psi"
  local T, r = S:kinetic_energy(), S:symbol "r"
  local e = S:equations()
  local dependent = { [x] = -r*cos(phi), [y] = -r*sin(phi) }               -- coefficients of psi'
  local sum = hm.dt(diff(T, psi.dot)) - diff(T, psi)
  for q, c in pairs(dependent) do sum = sum + c*hm.dt(diff(T, q.dot)) end
  local maggi = e[5] + dependent[x]*e[1] + dependent[y]*e[2]
  local none = {}
  for _, l in ipairs(e.multipliers) do none[l] = l end
  P:agrees("display", "d'Alembert-Lagrange on the independent displacements (disc, psi)", (sum - maggi):subs(none), nil, "the reactions cancel by themselves")
end

-- ---- the forms

local forms = {
  { "chaplygin", "Chaplygin's equations, with the terms of non-catastatic and rheonomic constraints", { skate, disc, carriage } },
  { "voronets", "Voronets' equations", cases }, { "volterra", "Volterra's equations in kinematic characteristics", cases },
  { "maggi", "Maggi's equations; reactions from the complementary directions", cases },
  { "hamel", "Boltzmann-Hamel equations; reactions from the equations of the constraints", cases },
  { "appell", "Appell's equations", cases }, { "kane", "Kane's equations", cases },
  { "canonical", "canonical equations in quasi-coordinates; momenta of the constraints from 0 = dH*/dp", cases },
  { "nielsen", "Nielsen's equations", cases },
}
for _, row in ipairs(forms) do
  local S, dependent = skate()
  local lines = {}
  for line in tostring(S:equations(row[1], row[1] ~= "nielsen" and { dependent = dependent } or nil)):gmatch("[^\n]+") do lines[#lines + 1] = line end
  table.remove(lines, 1)
  P:agrees(row[1], row[2], against_multipliers(row[1], row[3]), "accelerations and reactions against the multiplier form, 10 states of each system",
    "skate:", table.unpack(lines))
end

-- Hamel's symbols: body axes +1, space axes -1
do
  local function top(axes)
    local S = hm.system("rigid body, " .. axes)
    local psi, theta, phi = S:coordinates "psi theta phi"
    local I = S:positive "I=1"
    S:kinetic_energy(I/2*(psi.dot^2 + theta.dot^2 + phi.dot^2 + 2*psi.dot*phi.dot*cos(theta)))
    local w = axes == "space" and { theta.dot*cos(psi) + phi.dot*sin(theta)*sin(psi),
      theta.dot*sin(psi) - phi.dot*sin(theta)*cos(psi), psi.dot + phi.dot*cos(theta) }
      or { theta.dot*cos(phi) + psi.dot*sin(theta)*sin(phi), -theta.dot*sin(phi) + psi.dot*sin(theta)*cos(phi), phi.dot + psi.dot*cos(theta) }
    S:quasi_velocities("w1 w2 w3", w)
    return S:transposition().gamma
  end
  local body, space = top "body", top "space"
  P:agrees("symbols", "Hamel's symbols of a rigid body: gamma^3_12 = +1 in body axes, -1 in space axes, and cyclic", {
    body[3][1][2] - 1, body[1][2][3] - 1, body[2][3][1] - 1, body[3][2][1] + 1, body[1][1][2], space[3][1][2] + 1, space[1][2][3] + 1, space[2][3][1] + 1 })
end

-- ---- closed solutions

do
  local S = skate()
  local w, G = 0.8, 3
  local x, y, theta = S:symbol "x", S:symbol "y", S:symbol "theta"
  S:quasi_velocities("u w", { x.dot*cos(theta) + y.dot*sin(theta), theta.dot })
  local worst = 0
  for _, form in ipairs{ "lagrange", "hamel", "appell", "canonical" } do
    local run = S:simulate{ form = form, q = { x = 0, y = 0, theta = 0 }, v = { x = 0, theta = w }, t = 8, rtol = 1e-11, atol = 1e-12 }
    for time = 0, 8, 0.5 do
      local s = run:at(time)
      worst = math.max(worst, math.abs(s.x - G/(2*w^2)*math.sin(w*time)^2), math.abs(s.y - G/(2*w^2)*(w*time - math.sin(2*w*time)/2)))
    end
    if csv and form == "hamel" then run:save(csv .. "/skate_cycloid.csv", { n = 401 }) end
  end
  P:agrees("skate", "on the inclined plane the contact point runs along a cycloid, sideways", worst,
    "four forms against the closed solution, through theta = pi/2")

  local T = turntable()
  local run = T:simulate{ q = { x = 1, y = 0, a1 = 0, a2 = 0, a3 = 0 }, v = { x = 0, y = 0.3, a3 = 0 }, t = 7*math.pi/2, rtol = 1e-11, atol = 1e-12 }
  local s, balance = run:at(7*math.pi/2), run.energy_drift
  P:agrees("turntable", "the ball's centre returns after 2 pi/(2 W/7); the energy changes by the work of the reactions alone",
    { math.abs(s.x - 1), math.abs(s.y), balance }, "run against the closed solution")
  if csv then run:save(csv .. "/turntable.csv", { n = 401 }) end
end

os.exit(P:finish())
