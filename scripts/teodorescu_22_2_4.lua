-- Teodorescu, Mechanical Systems, 22.2.4: other equations of motion of nonholonomic systems: Chaplygin, Voronets, Volterra, Maggi,
-- canonical equations in quasi-coordinates; skate, circular disc, two-wheeled carriage. One line per formula or form.
--
--   hamel scripts/teodorescu_22_2_4.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, diff = hm.sin, hm.cos, hm.partial
local t = hm.t

math.randomseed(22)
local function random(from, to) return from + (to - from)*math.random() end

local P = hm.paper{ title = "Teodorescu 22.2.4: Chaplygin, Voronets, Volterra, Maggi and canonical equations" }

-- ---- the three systems of the text, each also on a belt that moves (non-catastatic, rheonomic) and with forces without potential, and
-- a ball on a turntable. A builder returns the system, its dependent and its independent coordinates.

-- Speed of the belt along x: 0 for the systems of the text, given ones for their variants
local function skate(belt, rough)
  local S = hm.system("skate on an inclined plane" .. (belt and ", moving" or ""))
  local x, y, theta = S:coordinates "x y theta"
  local m, J, G = S:positive "m=2 J=3/4 G=3"                                -- G: g sin(inclination), along x
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
  S:potential_energy(-m*G*x)
  if rough then S:force(x, -x.dot/3); S:force(y, -y.dot/3); S:force(theta, sin(t)/2 - theta.dot/5) end
  S:constraint("blade", (x.dot - (belt or 0))*sin(theta) - y.dot*cos(theta))
  return S, { "y" }, { "x", "theta" }
end

local function disc(belt, rough)
  local S = hm.system("circular disc" .. (belt and ", moving plane" or ""))
  local x, y, phi, theta, psi = S:coordinates "x y phi theta psi"
  local m, r, A, C, g = S:positive "m=1 r=1/2 A=1/16 C=1/8 g=9.81"
  local cx, cy, cz = hm.dt(x - r*sin(theta)*sin(phi)), hm.dt(y + r*sin(theta)*cos(phi)), hm.dt(r*cos(theta))
  S:kinetic_energy(m/2*(cx^2 + cy^2 + cz^2) + A/2*(theta.dot^2 + (phi.dot*cos(theta))^2) + C/2*(psi.dot + phi.dot*sin(theta))^2)
  S:potential_energy(m*g*r*cos(theta))
  if rough then S:force(psi, cos(t)/10 - psi.dot/20); S:force(phi, -phi.dot/30); S:force(x, -x.dot/7) end
  S:constraint("roll x", x.dot - (belt or 0) + r*psi.dot*cos(phi))
  S:constraint("roll y", y.dot + r*psi.dot*sin(phi))
  return S, { "x", "y" }, { "phi", "theta", "psi" }
end

-- No Chaplygin system: the velocities of the table at the contact depend on the dependent coordinates
local function disc_on_turntable()
  local S, D = hm.system "disc on a turntable", disc()
  local x, y, phi, _, psi = S:coordinates "x y phi theta psi"
  local _, r = S:positive "m=1 r=1/2 A=1/16 C=1/8 g=9.81"
  S:kinetic_energy(D:kinetic_energy()); S:potential_energy(D:potential_energy())
  S:constraint("roll x", x.dot + r*psi.dot*cos(phi) + 2*y)
  S:constraint("roll y", y.dot + r*psi.dot*sin(phi) - 2*x)
  return S
end

local function carriage(belt, rough)
  local S = hm.system("two-wheeled carriage" .. (belt and ", moving plane" or ""))
  local x, y, theta, p1, p2 = S:coordinates "x y theta p1 p2"
  local M, J, I, r, b, a = S:positive "M=4 J=1 I=1/10 r=1/5 b=1/2 a=1/10"
  local vx, vy = hm.dt(x + a*cos(theta)), hm.dt(y + a*sin(theta))
  S:kinetic_energy(M/2*(vx^2 + vy^2) + J/2*theta.dot^2 + I/2*(p1.dot^2 + p2.dot^2))
  if rough then S:force(p1, S:parameters "torque=1/5"); S:force(p2, -p2.dot/9); S:force(x, -x.dot/3) end
  local u = x.dot - (belt or 0)
  S:constraint("no skid", u*sin(theta) - y.dot*cos(theta))
  S:constraint("wheel 1", u*cos(theta) + y.dot*sin(theta) - b*theta.dot - r*p1.dot)
  S:constraint("wheel 2", u*cos(theta) + y.dot*sin(theta) + b*theta.dot - r*p2.dot)
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

local function variant(build, belt, rough) return function() return build(belt, rough) end end
local unsteady = hm.rational(1, 2) + sin(t)/3
local plain = { skate, disc, carriage }
local moving, rough = {}, {}
for i, build in ipairs(plain) do moving[i], rough[i] = variant(build, unsteady), variant(build, unsteady, true) end
local cases = {}                                                          -- all of them Chaplygin's, built once
for _, list in ipairs{ { turntable }, plain, moving, rough } do
  for _, build in ipairs(list) do
    local built = table.pack(build())
    cases[#cases + 1] = function() return table.unpack(built) end
  end
end

-- Dependent velocities by the independent ones, and the coefficients c[k][j], c0[k] of (22.2.88)
local function solved_form(S, dependent)
  local solved = require "hamel.kinematics".solved(S, dependent, "(22.2.88)")
  local map = {}
  for i, v in ipairs(S:velocity_list()) do map[v] = solved.v[i] end
  return solved, map
end

-- sum_l (dc_kl/dq_j - dc_kj/dq_l) q_l' + dc_k0/dq_j - dc_kj/dt, the bracket beside p_(h+k) in Chaplygin's j-th equation
local function chaplygin_bracket(solved, q, k, j)
  local index = solved.independent[j]
  local sum = diff(solved.c0[k], q[index]) - diff(solved.c[k][j], t)
  for l, other in ipairs(solved.independent) do
    sum = sum + (diff(solved.c[k][l], q[index]) - diff(solved.c[k][j], q[other]))*q[other].dot
  end
  return sum
end

-- A state with the independent velocities drawn at random
local function state(S, independent)
  local q, v = {}, {}
  for _, name in ipairs(S.coordinate_names) do q[name] = random(-0.6, 0.6) end
  for _, name in ipairs(independent) do v[name] = random(-1, 1) end
  return q, v
end

-- Ten states of a system with their reactions in the multiplier form, the same for every form that is compared with it
local drawn = {}
local function states_of(S, independent)
  if drawn[S] then return drawn[S] end
  local list = {}
  for i = 1, 10 do
    local q, v = state(S, independent)
    local time = random(0, 2)
    list[i] = { q = q, v = v, t = time, reactions = S:reactions{ q = q, v = v, t = time } }
  end
  drawn[S] = list
  return list
end

-- Largest difference of the reactions R_r, by the multipliers of the form, from those of the multiplier form; ten states of each system
local function reactions_of(form, builders)
  local off = 0
  for _, build in ipairs(builders) do
    local S, dependent, independent = build()
    for _, at in ipairs(states_of(S, independent)) do
      local got = S:reactions{ q = at.q, v = at.v, t = at.t, form = form, dependent = dependent }
      for name, R in pairs(at.reactions) do off = math.max(off, math.abs(got[name] - R)/(1 + math.abs(R))) end
    end
  end
  return off
end

-- Number of systems whose accelerations by the form are not proved to be those of the multiplier form
local function not_proved(form, builders)
  local count = 0
  for _, build in ipairs(builders) do
    local S, dependent = build()
    local a = hm.agree(S:equations(), S:equations(form, form ~= "nielsen" and { dependent = dependent } or nil))
    if not a.equal then count = count + 1 end
  end
  return count + 0.0
end

-- ---- (22.2.88): the solved form, and that the three systems are Chaplygin's

do
  local list = {}
  for _, build in ipairs(cases) do
    local S, dependent = build()
    local _, map = solved_form(S, dependent)
    -- put into the constraints, the solved velocities make them vanish
    for _, c in ipairs(S.constraints) do list[#list + 1] = c.f:subs(map) end
  end
  P:agrees("(22.2.88)", "dependent velocities q'_(h+k) = sum c_(h+k,j) q'_j, and + c_k0 for the moving plane", list)
  -- the rank by the algebra: the minor of the dependent velocities does not vanish, and there are no more rows than that
  local ranks, counts, apart, off, words = {}, {}, {}, {}, {}
  for _, build in ipairs(cases) do
    local S, dependent = build()
    local f, of = {}, {}
    for i, c in ipairs(S.constraints) do f[i] = c.f end
    for i, name in ipairs(dependent) do of[i] = S:symbol(name).dot end
    local minor = hm.jacobian(f, of):determinant()
    local rank = minor:is_zero() == false and #f or 0
    local s, h = #S.coordinate_names, #S.coordinate_names - #f
    ranks[#ranks + 1], counts[#counts + 1], off[#off + 1] = rank, h, hm.number(rank - (s - h))
    -- where half of the velocities are independent the two agree
    if s ~= 2*h then apart[#apart + 1] = hm.number(rank - h) end
    words[#words + 1] = ("%s: s = %d, h = %d, rank %d"):format(S.name, s, h, rank)
  end
  P:quote "the matrix of the constraints a is of rank h, here for the systems n:"
  P:printed("rank_n = h_n", function(n) return hm.number(ranks[n] - counts[n]) end, { rank = ranks, h = counts, ranges = { n = #ranks }, each = "n" })
  P:misprint("(22.2.88)", "rank of the matrix of the constraints", apart, off, "a minor of all rows that does not vanish, by the algebra",
    "h is the number of independent velocities; there are s - h constraints, and the rank is s - h", table.concat(words, "; "))
  -- conditions by their definition: T - V, Q and c free of the dependent coordinates
  list = {}
  for _, build in ipairs(cases) do
    local S, dependent = build()
    local solved = solved_form(S, dependent)
    for _, name in ipairs(dependent) do
      local q = S:symbol(name)
      list[#list + 1] = diff(S:lagrangian(), q)
      for _, Q in ipairs(S:generalised_forces()) do list[#list + 1] = diff(Q, q) end
      for k, row in ipairs(solved.c) do
        list[#list + 1] = diff(solved.c0[k], q)
        for _, c in ipairs(row) do list[#list + 1] = diff(c, q) end
      end
    end
  end
  P:agrees("Chaplygin", "skate, disc and carriage are Chaplygin systems, at rest, on a moving plane, with friction and torques", list, nil,
    "T - V, forces and coefficients free of the dependent coordinates; so is the ball on the turntable, solved for its spin")
  local S = turntable()
  S:force(S:symbol "x", -S:symbol "x")
  local ok, message = pcall(S.equations, S, "chaplygin", { dependent = { "x", "y" } })
  P:proves("Chaplygin", "one that is not: the turntable with a spring, solved for x', y'",
    not ok and tostring(message):find("the force on 'x' depends on 'x'", 1, true) ~= nil, "refused: "
    .. tostring(message):gsub("^.-: ", "", 1))
end

-- The text asks for forces and coefficients c_kj free of the dependent coordinates and says nothing of c_k0. On a turntable c_k0
-- depends on them: what Voronets' equations have besides cancels, but the equations contain the dependent coordinates.
do
  local S = disc_on_turntable()
  local solved, map = solved_form(S, { "x", "y" })
  local list, coupled = {}, 0
  local q, T = S:coordinate_list(), S:lagrangian()
  local from = {}
  for _, d in ipairs(solved.dependent) do from[q[d].ddot] = hm.dt(map[q[d].dot]) end
  local voronets, reduced = S:equations("voronets", { dependent = { "x", "y" } }), T:subs(map)
  for j, index in ipairs(solved.independent) do
    local left = hm.dt(diff(reduced, q[index].dot)):subs(from):subs(map) - diff(reduced, q[index])
    for k, d in ipairs(solved.dependent) do left = left + diff(T, q[d].dot):subs(map)*chaplygin_bracket(solved, q, k, j) end
    list[j] = left - voronets[j]
    for _, d in ipairs(solved.dependent) do if diff(left, q[d]):is_zero() == false then coupled = coupled + 1 end end
  end
  P:proves("text", "with c_k0 that depend on dependent coordinates (disc on a turntable) they do not separate", coupled > 0,
    ("%d derivatives by x, y that do not vanish"):format(coupled))
  P:agrees("text", "Chaplygin's equations hold there all the same: those of Voronets", list, nil,
    "sum c_kj dT/dq_(h+k) = sum p_i c_kj dc_i0/dq_(h+k) cancels against the brackets; "
      .. "to separate the motion, c_k0 must be free of q_(h+1), ..., q_s, too")
end

-- (22.2.88'): virtual displacements leave the velocity-free part out
do
  local list, wrong = {}, {}
  for _, build in ipairs(cases) do
    local S, dependent = build()
    local solved = solved_form(S, dependent)
    for k, row in ipairs(solved.A) do
      local rest = hm.number(0)
      for j, l in ipairs(solved.independent) do
        -- a_kl + sum a_ki c_ij: work of the k-th reaction on delta q_l = 1
        local work = row[l]
        for i, d in ipairs(solved.dependent) do work = work + row[d]*solved.c[i][j] end
        list[#list + 1] = work
      end
      for i, d in ipairs(solved.dependent) do rest = rest + row[d]*solved.c0[i] end
      wrong[#wrong + 1] = rest + solved.a0[k]                             -- c_k0 as a displacement works against a_k0
    end
  end
  P:agrees("(22.2.88')", "virtual displacements delta q_(h+k) = sum c delta q_j: no reaction works on them", list)
  P:agrees("(22.2.88')", "c_k0 is no part of them: reactions work on it at -lambda_k a_k0", wrong)
  local S, _, independent = turntable()
  local power = 0
  for _ = 1, 10 do
    local q, v = state(S, independent)
    local at, R, real = S:accelerations{ q = q, v = v }, S:reactions{ q = q, v = v }, 0
    for name, force in pairs(R) do real = real + force*at.v[name] end
    power = math.max(power, math.abs(real + at.lambda.x*2*q.y - at.lambda.y*2*q.x))
  end
  P:agrees("power", "power of the reactions of non-catastatic constraints: -sum lambda_k a_k0", power, "turntable, 10 states")
end

-- the last displays: d'Alembert-Lagrange with (22.2.88'), and dT/dq_(h+k) = Q_(h+k) = 0 in Chaplygin systems
do
  -- coefficient of delta q_j as the text leaves it; with_forces: less the forces on the dependent coordinates
  local function displayed(S, dependent, with_forces)
    local list, solved, e = {}, solved_form(S, dependent), S:equations()
    local L, q, Q = S:lagrangian(), S:coordinate_list(), S:generalised_forces()
    for j, index in ipairs(solved.independent) do
      local sum = hm.dt(diff(L, q[index].dot)) - diff(L, q[index]) - Q[index]
      local maggi = e[index]
      for k, d in ipairs(solved.dependent) do
        sum = sum + solved.c[k][j]*(hm.dt(diff(L, q[d].dot)) - (with_forces and Q[d] or 0))
        maggi = maggi + solved.c[k][j]*e[d]
      end
      list[j] = sum - maggi                                               -- the reactions cancel by themselves
    end
    return list
  end
  -- the same as the text prints it, compared with the typed one
  local function read(S, dependent)
    local solved, e = solved_form(S, dependent), S:equations()
    local q, n_j, n_k = S:coordinate_list(), #solved.independent, #solved.dependent
    local function at(i) return i <= n_j and solved.independent[i] or solved.dependent[i - n_j] end
    local typed, T, V = displayed(S, dependent), S:kinetic_energy(), S:kinetic_energy() - S:lagrangian()
    for j = 1, n_j do
      typed[j] = typed[j] + e[at(j)]                                      -- without the part of maggi
      for k = 1, n_k do typed[j] = typed[j] + solved.c[k][j]*e[at(n_j + k)] end
    end
    P:printed("d/dt dT/dq_j' - dT/dq_j - Q_j + sum_k c_(h+k,j) d/dt dT/dq_(h+k)'", typed, { T = T,
      q = function(i) return q[at(i)] end, Q = function(j) return S:generalised_forces()[at(j)] - diff(V, q[at(j)]) end,
      c = function(k, j) return solved.c[k - n_j][j] end, h = n_j, ranges = { j = n_j, k = n_k }, each = "j" })
  end
  local list, without, with = {}, {}, {}
  for _, build in ipairs{ skate, disc, carriage, turntable, table.unpack(moving) } do
    local S, dependent = build()
    for _, e in ipairs(displayed(S, dependent)) do list[#list + 1] = e end
  end
  P:agrees("display", "d'Alembert-Lagrange on the independent displacements, every j: skate, disc, carriage, at rest and on a moving plane",
    list, nil, "d/dt dT/dq_j' - dT/dq_j - Q_j + sum c_(h+k,j) d/dt dT/dq_(h+k)'")
  for _, build in ipairs(rough) do
    local S, dependent = build()
    for _, e in ipairs(displayed(S, dependent)) do if e:is_zero() ~= true then without[#without + 1] = e end end
    for _, e in ipairs(displayed(S, dependent, true)) do with[#with + 1] = e end
  end
  for _, build in ipairs(rough) do read(build()) end
  P:misprint("display", "the same where forces act on the dependent coordinates (friction)", without, with, nil,
    "non-conservative systems are admitted by the text, but Q_(h+k) = 0 is kept: the term - sum c_(h+k,j) Q_(h+k) is missing")
end

-- ---- the forms

local forms = {
  { "chaplygin", "Chaplygin's equations, with the terms of non-catastatic and rheonomic constraints" },
  { "voronets", "Voronets' equations" }, { "volterra", "Volterra's equations in kinematic characteristics" },
  { "maggi", "Maggi's equations; reactions from the complementary directions" },
  { "hamel", "Boltzmann-Hamel equations; reactions from the equations of the constraints" },
  { "appell", "Appell's equations" }, { "kane", "Kane's equations" },
  { "canonical", "canonical equations in quasi-coordinates; momenta of the constraints from 0 = dH*/dp" },
  { "nielsen", "Nielsen's equations" },
}
for _, row in ipairs(forms) do
  local S, dependent = skate()
  local lines = {}
  for line in tostring(S:equations(row[1], row[1] ~= "nielsen" and { dependent = dependent } or nil)):gmatch("[^\n]+") do lines[#lines + 1] = line end
  table.remove(lines, 1)
  P:proves(row[1], row[2], not_proved(row[1], cases) == 0, ("their accelerations are those of the multiplier form, for all of %d systems"):format(#cases),
    "skate:", table.unpack(lines))
  P:agrees(row[1], "the reactions are the multipliers", reactions_of(row[1], cases), ("10 states of each of %d systems"):format(#cases))
end

-- what distinguishes the forms
do
  local chaplygin_voronets, lost = {}, {}
  for _, build in ipairs(cases) do
    local S, dependent = build()
    local one, two = S:equations("chaplygin", { dependent = dependent }), S:equations("voronets", { dependent = dependent })
    for i = 1, #one do chaplygin_voronets[#chaplygin_voronets + 1] = one[i] - two[i] end
    -- Lindelof's error is exactly the terms with the brackets: sum p_k [...]
    local wrong = S:equations("lindelof", { dependent = dependent })
    local solved, map = solved_form(S, dependent)
    local q, T = S:coordinate_list(), S:lagrangian()
    for j in ipairs(solved.independent) do
      local terms = hm.number(0)
      for k, d in ipairs(solved.dependent) do
        terms = terms + diff(T, q[d].dot):subs(map)*chaplygin_bracket(solved, q, k, j)
      end
      lost[#lost + 1] = one[j] - wrong[j] - terms
    end
  end
  P:agrees("voronets", "Voronets' equations of Chaplygin systems are Chaplygin's", chaplygin_voronets)
  P:agrees("chaplygin", "the terms added to Lagrange's equations of the reduced T: p_(h+k) [ ... ], all systems", lost)
  local S = disc_on_turntable()
  P:proves("voronets", "a system that is not Chaplygin's: the disc on a turntable", hm.agree(S:equations(), S:equations("voronets",
    { dependent = { "x", "y" } })).equal == true, "accelerations of both forms", "forms that apply:",
    table.unpack((function()
      local lines = {}
      for line in tostring(S:forms()):gmatch("[^\n]+") do
        if line:find("^  chaplygin") or line:find("^  voronets") then lines[#lines + 1] = line end
      end
      return lines
    end)()))
end

-- Volterra's own form, for constant masses: d/dt dT/du_k = sum b^(k)_ij u_i u_j + P_k, b^(k)_ij = sum M_rm B_ri (dB_mk/dq_u) B_uj.
-- The disc needs the second group, (1/2) sum (dM_rm/dq_u) B_ri B_mj B_uk.
do
  local kinematics = require "hamel.kinematics"
  local function residual(build, second)
    local S, dependent = build()
    local K, M, list = kinematics.quasi(S, dependent, "volterra"), S:mass_matrix(), {}
    local v, V, Q, L = kinematics.velocities(K, true), S:potential_energy(), S:generalised_forces(), S:lagrangian()
    local velocities, e = {}, S:equations("volterra", { dependent = dependent })
    for r = 1, K.n do velocities[K.v[r]] = v[r] end
    local reduced = L:subs(velocities)
    for k = 1, K.h do
      local right = hm.number(0)
      for r = 1, K.n do right = right + K.B[r][k]*(Q[r] - diff(V, K.q[r])) end
      for r = 1, K.n do
        for m = 1, K.n do
          for u = 1, K.n do
            right = right + M[r][m]*v[r]*diff(K.B[m][k], K.q[u])*v[u]
            if second then right = right + diff(M[r][m], K.q[u])*v[r]*v[m]*K.B[u][k]/2 end
          end
        end
      end
      -- d/dt dT/du_k with q' = B u
      local p, rate = diff(reduced, K.u[k]), hm.number(0)
      for r = 1, K.n do rate = rate + diff(p, K.q[r])*v[r] end
      for s = 1, K.h do rate = rate + diff(p, K.u[s])*K.u[s].dot end
      list[k] = e[k] - (rate - right)
    end
    return list
  end
  P:agrees("volterra", "with coefficients b^(k)_ij, masses constant: skate", residual(skate, false))
  local first = residual(disc, false)
  local differs = 0
  for _, e in ipairs(first) do if e:is_zero() == false then differs = differs + 1 end end
  local both = residual(disc, true)
  P:agrees("volterra", "with both groups of b^(k)_ij: disc", both)
  P:proves("volterra", "the first group alone is not enough", differs > 0, "the disc's equations differ from those with it")
end

-- Canonical equations of the disc from H*(q, p), all momenta kept until it is differentiated
do
  local kinematics = require "hamel.kinematics"
  local S, dependent = disc()
  local phi, theta, psi = S:symbol "phi", S:symbol "theta", S:symbol "psi"
  S:quasi_velocities("u1 u2 u3", { theta.dot, phi.dot*cos(theta), psi.dot + phi.dot*sin(theta) })
  local K, gamma = kinematics.quasi(S, nil, "canonical"), S:transposition()
  local v, velocities = kinematics.velocities(K, false), {}
  for r = 1, K.n do velocities[K.v[r]] = v[r] end
  local T = S:kinetic_energy():subs(velocities)
  local M = hm.hessian(T, K.u):simplify()
  local p = { hm.functions_of_time "p1 p2 p3" }
  p[4], p[5] = hm.symbols "p4 p5"
  local rows = {}
  for i = 1, K.n do rows[i] = { p[i] } end
  local w = (M:inverse()*hm.matrix(rows)):simplify()
  local H = S:potential_energy()
  for s = 1, K.n do H = H + p[s]*w[s][1]/2 end
  -- 0 = dH*/dp_4 = dH*/dp_5 gives the momenta of the constraints
  local momenta = hm.solve({ diff(H, p[4]), diff(H, p[5]) }, { p[4], p[5] })
  local on = { [p[4]] = momenta[1], [p[5]] = momenta[2] }
  local e, list, balance = S:equations "canonical", {}, hm.number(0)
  for s = 1, K.h do
    local right = hm.number(0)
    for r = 1, K.n do right = right - K.B[r][s]*diff(H, K.q[r]) end
    for k = 1, K.n do
      local sum = gamma.gamma0[k][s]
      for l = 1, K.n do sum = sum + gamma.gamma[k][s][l]*diff(H, p[l]) end
      right = right - sum*p[k]
    end
    right = right:subs(on):simplify()
    list[s] = e[s] - (p[s].dot - right)
    balance = balance + diff(H:subs(on), p[s])*right
  end
  for r = 1, K.n do
    local rate = hm.number(0)
    for s = 1, K.n do rate = rate + K.B[r][s]*diff(H, p[s]) end
    rate = rate:subs(on)
    list[#list + 1] = e.v[r] - rate
    balance = balance + diff(H:subs(on), K.q[r])*rate
  end
  local lines = {}
  for line in tostring(e):gmatch("[^\n]+") do lines[#lines + 1] = line end
  table.remove(lines, 1)
  P:agrees("canonical", "circular disc: q_r' = sum B_rs dH*/dp_s, p_s' = -X_s H* - sum gamma^k_sl p_k dH*/dp_l, H* of all five momenta", list, nil,
    table.unpack(lines))
  P:agrees("canonical", "circular disc: the equations conserve H*", balance)
  assert(#dependent == 2)
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
    if form == "hamel" then P:save(run, "skate_cycloid", { n = 401 }) end
  end
  P:agrees("skate", "on the inclined plane the contact point runs along a cycloid, sideways", worst,
    "four forms against the closed solution, through theta = pi/2")

  -- a steady belt: the motions at rest, carried along (Galileo); every form against the run at rest, with the balance of energy
  local U, gap, drift = 0.5, 0, 0
  local all = { "lagrange", "chaplygin", "voronets", "volterra", "maggi", "hamel", "canonical" }
  local starts = { { theta = 0.1, x = 0.4, w = { theta = 0.6 } }, { theta = 0.2, phi = 0.1, w = { phi = 0.5, theta = 0.2, psi = 2 } },
    { theta = 0.1, w = { theta = 0.4, p2 = 3 } } }
  for i, build in ipairs(plain) do
    local at_rest, dependent = build()
    local on_belt = build(hm.rational(1, 2))
    local q, v = {}, starts[i].w
    for _, name in ipairs(at_rest.coordinate_names) do q[name] = starts[i][name] or 0 end
    -- the skate's own velocity along the blade: x' is U more on the belt
    local moved = {}
    for name, value in pairs(v) do moved[name] = value end
    if i == 1 then v.x, moved.x = 0.7, 0.7 + U end
    local options = { q = q, v = v, t = 1, rtol = 1e-11, atol = 1e-12 }
    local want = at_rest:simulate(options)
    for _, form in ipairs(all) do
      local got = on_belt:simulate{ form = form, dependent = form ~= "lagrange" and dependent or nil, q = q, v = moved, t = 1, rtol = 1e-11, atol = 1e-12 }
      drift = math.max(drift, got.energy_drift)
      for time = 0, 1, 0.1 do
        local one, two = want:at(time), got:at(time)
        for name, value in pairs(one.q) do gap = math.max(gap, math.abs(two[name] - value - (name == "x" and U*time or 0))) end
        for name, value in pairs(one.lambda) do gap = math.max(gap, math.abs(two.lambda[name] - value)) end
      end
    end
  end
  P:agrees("belt", "skate, disc, carriage on a steady belt move as at rest, carried along; the reactions are the same", gap,
    "seven forms to t = 1 against the runs at rest")
  P:agrees("belt", "the energy changes by the work of forces and reactions, -sum lambda_k a_k0", drift, "seven forms")

  local T = turntable()
  local run = T:simulate{ q = { x = 1, y = 0, a1 = 0, a2 = 0, a3 = 0 }, v = { x = 0, y = 0.3, a3 = 0 }, t = 7*math.pi/2, rtol = 1e-11, atol = 1e-12 }
  local s, balance = run:at(7*math.pi/2), run.energy_drift
  P:agrees("turntable", "the ball's centre returns after 2 pi/(2 W/7); the energy changes by the work of the reactions alone",
    { math.abs(s.x - 1), math.abs(s.y), balance }, "run against the closed solution")
  P:save(run, "turntable", { n = 401 })
end

os.exit(P:finish())
