-- Mei Fengxiang 1994: the free motion of nonholonomic systems and the disappearance of the nonholonomic property.
-- One line per numbered equation: what it is, how it was checked, and the verdict. Then the three problems as runs.
--
--   hamel scripts/mei1994_free_motion.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, sqrt, diff = hm.sin, hm.cos, hm.sqrt, hm.partial

math.randomseed(1994)
local function random(from, to) return from + (to - from)*math.random() end

local P = hm.paper{ title = "Mei 1994: free motion of nonholonomic systems (Appell-Hamel problem, Chaplygin sleigh, rolling ball)" }

local function save(run, name) P:save(run, name, { n = 501 }) end

-- The derived formula in its short form, for the line below a verdict
local function formula(e, by) return "derived: " .. tostring((e:simplify{ form = by and "collected" or "auto", by = by })) .. " = 0" end

-- The same in the letters of the text, where q1, q2, ... are the coordinates
local letters = { hm.functions_of_time "q1 q2 q3 q4 q5" }
local function in_letters(e, q)
  local map = {}
  for i, x in ipairs(q) do map[x], map[x.dot], map[x.ddot] = letters[i], letters[i].dot, letters[i].ddot end
  return e:subs(map)
end

-- The text as printed, compared with the formula typed in the coordinates q, which is returned
local function as_printed(text, typed, q)
  P:printed(text, in_letters(typed, q))
  return typed
end

-- ---- the paper's formulas, written out from T and f alone

-- T = sum A_ks q_k' q_s'/2 + sum B_s q_s' + T_0
local function parts_of(T, q)
  local rest, A, B = {}, {}, {}
  for _, x in ipairs(q) do rest[x.dot] = 0 end
  for k, x in ipairs(q) do
    A[k] = {}
    for s, y in ipairs(q) do A[k][s] = diff(T, x.dot, y.dot) end
    B[k] = diff(T, x.dot):subs(rest)
  end
  return A, B, T:subs(rest)
end

-- [k, m; s] of (5)
local function christoffel(A, q, k, m, s)
  return (diff(A[k][s], q[m]) + diff(A[m][s], q[k]) - diff(A[k][m], q[s]))/2
end

-- The braces of (4) and (6) for index s
local function braces(A, B, T0, Q, q, s)
  local sum = Q[s] + diff(T0, q[s]) - diff(B[s], hm.t)
  for k in ipairs(q) do
    sum = sum + (diff(B[k], q[s]) - diff(B[s], q[k]))*q[k].dot - diff(A[k][s], hm.t)*q[k].dot
    for m in ipairs(q) do sum = sum - christoffel(A, q, k, m, s)*q[k].dot*q[m].dot end
  end
  return sum
end

local function determinant(M)
  local n = #M
  if n == 0 then return hm.number(1) end
  local sum = hm.number(0)
  for j = 1, n do
    local minor = {}
    for i = 2, n do
      local row = table.move(M[i], 1, j - 1, 1, {})
      minor[i - 1] = table.move(M[i], j + 1, n, j, row)
    end
    sum = sum + (-1)^(j + 1)*M[1][j]*determinant(minor)
  end
  return sum
end

-- Delta_sl: cofactors of A
local function cofactors(A)
  local n, D = #A, {}
  for s = 1, n do
    D[s] = {}
    for l = 1, n do
      local minor = {}
      for i = 1, n do
        if i ~= s then
          local row = table.move(A[i], 1, l - 1, 1, {})
          minor[#minor + 1] = table.move(A[i], l + 1, n, l, row)
        end
      end
      D[s][l] = (-1)^(s + l)*determinant(minor)
    end
  end
  return D
end

-- Left side of (6) for one constraint
local function condition(f, A, B, T0, Q, q)
  local D, delta = cofactors(A), determinant(A)
  local sum = diff(f, hm.t)
  for l, x in ipairs(q) do
    sum = sum + diff(f, x)*x.dot
    for s in ipairs(q) do sum = sum + diff(f, x.dot)*D[s][l]/delta*braces(A, B, T0, Q, q, s) end
  end
  return sum
end

-- The matrix before lambda in (4); `by` is df/dq' as derived or df/dq as printed
local function before_lambda(f, g, A, q, by)
  local D, delta, sum = cofactors(A), determinant(A), hm.number(0)
  for l, x in ipairs(q) do
    for s, y in ipairs(q) do sum = sum + D[s][l]/delta*diff(f, by(x))*diff(g, y.dot) end
  end
  return sum
end

-- ---- section 1: a system that exercises every term: a blade on a table that turns and stretches, with a speed law

local function table_system()
  local S = hm.system "blade on a turning and stretching table"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, W = S:positive "m=2 J=3/4 W=7/10"
  local c1, c2 = S:parameters "c1=3/10 c2=-2/5"
  local scale = 1 + sin(hm.t)/3
  local X = scale*(x*cos(W*hm.t) - y*sin(W*hm.t))
  local Y = scale*(x*sin(W*hm.t) + y*cos(W*hm.t))
  S:kinetic_energy(m/2*(hm.dt(X)^2 + hm.dt(Y)^2) + J/2*(theta.dot + W)^2*(1 + x^2/4))
  S:force(x, c1*y.dot - x); S:force(y, c2*sin(theta)); S:force(theta, c1*x*theta.dot)
  S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta) - hm.t/5)
  S:constraint("speed", x.dot^2 + y.dot^2 + theta.dot^2/2 - (1 + hm.t)^2)
  return S, { x, y, theta }
end

-- A random admissible state: theta' gives the speed u along the blade, of which the speed law leaves the sign open; it is positive here
local function admissible(S)
  local t, w = random(0, 1), random(-0.5, 0.5)
  local q = { x = random(-1, 1), y = random(-1, 1), theta = random(-1, 1) }
  local u, across = math.sqrt((1 + t)^2 - t^2/25 - w^2/2), t/5
  local c, s = math.cos(q.theta), math.sin(q.theta)
  return t, q, S:velocities{ q = q, v = { x = u*c + across*s, y = u*s - across*c, theta = w }, t = t }
end

local function point_of(q, t, at_q, at_v, S)
  local point = { [hm.t] = t }
  for _, x in ipairs(q) do point[x], point[x.dot] = at_q[tostring(x)], at_v[tostring(x)] end
  for name, value in pairs{ m = 2, J = 0.75, W = 0.7, c1 = 0.3, c2 = -0.4 } do point[S:symbol(name)] = value end
  return point
end

-- Values only for the symbols that occur
local function value(e, point)
  local given = {}
  for _, s in ipairs(e:symbols()) do given[s] = point[s] end
  return e:eval(given)
end

do
  local S, q = table_system()
  local f = { S.constraints[1].f, S.constraints[2].f }
  local A, B, T0 = parts_of(S:kinetic_energy(), q)
  local Q = S:generalised_forces()
  local free = S:free_motion()

  P:definition("(1)", "g ideal constraints of Chetaev's type, linear or nonlinear in the velocities, rheonomic too")

  -- (2) along a run without any derivation: T, Q and the directions df/dq' as plain functions of numbers, momenta and forces by differences.
  -- T is quadratic in the velocities, so that its central difference is exact for any step.
  local function T_of(at, v, time)
    local c, s, scale, rate = math.cos(0.7*time), math.sin(0.7*time), 1 + math.sin(time)/3, math.cos(time)/3
    local X, Y = at.x*c - at.y*s, at.x*s + at.y*c
    local U, V = v.x*c - v.y*s, v.x*s + v.y*c
    return (rate*X + scale*(U - 0.7*Y))^2 + (rate*Y + scale*(V + 0.7*X))^2 + 3/8*(v.theta + 0.7)^2*(1 + at.x^2/4)
  end
  local forces = {
    x = function(at, v) return 0.3*v.y - at.x end, y = function(at) return -0.4*math.sin(at.theta) end,
    theta = function(at, v) return 0.3*at.x*v.theta end }
  local directions = {
    blade = { x = function(at) return math.sin(at.theta) end, y = function(at) return -math.cos(at.theta) end, theta = function() return 0 end },
    speed = { x = function(_, v) return 2*v.x end, y = function(_, v) return 2*v.y end, theta = function(_, v) return v.theta end } }
  local function shifted(values, name, by)
    local out = {}
    for key, number in pairs(values) do out[key] = number end
    out[name] = out[name] + by
    return out
  end
  local function slope(h, g)                                     -- of sixth order in h
    return (45*(g(h) - g(-h)) - 9*(g(2*h) - g(-2*h)) + g(3*h) - g(-3*h))/(60*h)
  end
  local t, at_q, at_v = admissible(S)
  local run = S:simulate{ q = at_q, v = at_v, t = { t, t + 0.5 }, rtol = 1e-12, atol = 1e-13 }
  local worst = 0
  for i = 1, 7 do
    local time = t + 0.06*i + 0.005
    local now = run:at(time)
    for _, name in ipairs{ "x", "y", "theta" } do
      local function momentum(later)
        local state = run:at(time + later)
        return T_of(state.q, shifted(state.v, name, 0.5), time + later) - T_of(state.q, shifted(state.v, name, -0.5), time + later)
      end
      local left = slope(7e-3, momentum) - slope(7e-3, function(by) return T_of(shifted(now.q, name, by), now.v, time) end)
      local right = forces[name](now.q, now.v)
      for constraint, direction in pairs(directions) do right = right + now.lambda[constraint]*direction[name](now.q, now.v) end
      worst = math.max(worst, math.abs(left - right))
    end
  end
  P:agrees("(2)", "Lagrange's equations with multipliers, reactions by Chetaev's rule", worst,
    "a run with two constraints; momenta and forces by differences of T as a function of numbers")
  P:definition("(3)", "generalised reactions Lambda_s = sum lambda_b df_b/dq_s'", "stands on the right of every printed equation with + A^T lambda")

  -- (4): with lambda of the core's own linear solve
  local lambda = { hm.symbols "lambda1 lambda2" }
  local function rest4(g)
    local e = condition(f[g], A, B, T0, Q, q) - diff(f[g], hm.t)
    for _, x in ipairs(q) do e = e - diff(f[g], x)*x.dot end
    return e
  end
  local function mei4(g, by)
    local e = condition(f[g], A, B, T0, Q, q)
    for b = 1, 2 do e = e + lambda[b]*before_lambda(f[g], f[b], A, q, by) end
    return e
  end
  local derived4, printed4 = {}, {}
  for g = 1, 2 do derived4[g], printed4[g] = mei4(g, function(x) return x.dot end), mei4(g, function(x) return x end) end
  local derived, printed = 0, 0
  for _ = 1, 10 do
    local time, qs, vs = admissible(S)
    local point, state = point_of(q, time, qs, vs, S), S:accelerations{ q = qs, v = vs, t = time }
    point[lambda[1]], point[lambda[2]] = state.lambda.blade, state.lambda.speed
    for g = 1, 2 do
      derived, printed = math.max(derived, math.abs(value(derived4[g], point))), math.max(printed, math.abs(value(printed4[g], point)))
    end
  end
  local D, delta = cofactors(A), determinant(A)
  P:printed("sum_b sum_s sum_l Delta_sl/Delta df_c/dq_l df_b/dq_s' lambda_b + sum_l df_c/dq_l q_l' + df_c/dt + ... = 0", printed4,
    { f = f, q = q, lambda = lambda, Delta = function(s, l) return s and D[s][l] or delta end, ["..."] = function(at) return rest4(at.c) end,
      ranges = { b = 2, c = 2, s = 3, l = 3 }, each = "c" })
  P:misprint("(4)", "linear equations for the multipliers, before any integration", printed, derived,
    "multipliers of the numerical solve at 10 random admissible states, two constraints, all terms present",
    "scan or print: a dot is lost in the first sum; it has df_c/dq_l, and it is the velocity derivative:",
    "sum Delta_sl/Delta df_c/dq_l' df_b/dq_s' lambda_b + df_c/dq_l q_l' + df_c/dt + ... = 0")

  local C, list = S:christoffel(), {}
  for k = 1, 3 do for m = 1, 3 do for s = 1, 3 do list[#list + 1] = C[k][m][s] - christoffel(A, q, k, m, s) end end end
  -- independent: the quadratic part of d/dt dT/dq_s' - dT/dq_s of a form with frozen time is [k, m; s] q_k' q_m'
  local T2 = (T0 - T0)
  for k = 1, 3 do for s = 1, 3 do T2 = T2 + A[k][s]*q[k].dot*q[s].dot/2 end end
  local frozen = T2:subs{ [hm.t] = hm.rational(3, 10) }
  for s = 1, 3 do
    local rest = {}
    for _, x in ipairs(q) do rest[x.ddot] = 0 end
    local left = (hm.dt(diff(frozen, q[s].dot)) - diff(frozen, q[s])):subs(rest)
    for k = 1, 3 do
      for m = 1, 3 do left = left - C[k][m][s]:subs{ [hm.t] = hm.rational(3, 10) }*q[k].dot*q[m].dot end
    end
    list[#list + 1] = left
  end
  P:agrees("(5)", "Christoffel symbols of the first kind of the matrix A_ks", list)

  local difference = {}
  for g = 1, 2 do difference[g] = condition(f[g], A, B, T0, Q, q) - free[g] end
  P:agrees("(6)", "condition of free motion, with gyroscopic terms B_s, T_0 and explicit time", difference)
  -- (6) is df/dt along the motion of (2) without reactions
  local unbound = hm.system "the table without constraints"
  unbound:coordinates "x y theta"
  unbound:positive "m=2 J=3/4 W=7/10"
  unbound:parameters "c1=3/10 c2=-2/5"
  unbound:kinetic_energy(S:kinetic_energy())
  for s = 1, 3 do unbound:force(q[s], Q[s]) end
  local off = 0
  for _ = 1, 10 do
    local time, qs, vs = admissible(S)
    local point, state = point_of(q, time, qs, vs, S), unbound:accelerations{ q = qs, v = vs, t = time }
    for s = 1, 3 do point[q[s].ddot] = state.a[tostring(q[s])] end
    for g = 1, 2 do off = math.max(off, math.abs(value(hm.dt(f[g]), point) - value(condition(f[g], A, B, T0, Q, q), point))) end
  end
  P:agrees("(6)", "its left side is df/dt along the motion of (2) with lambda = 0", off, "accelerations of the system without constraints, 10 random states",
    "so (6) has to hold along this motion: at one state it makes lambda zero there, and no more")

  -- (7): a scleronomic system of the same shape
  local R = hm.system "the same table at rest"
  local x, y, theta = R:coordinates "x y theta"
  local m, J = R:positive "m J"
  R:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2*(1 + x^2/4) + x.dot*theta.dot*sin(y)/5)
  R:force(x, -x); R:force(theta, theta.dot)
  R:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta) - hm.t/5)
  local r = { x, y, theta }
  local A7, B7, T7 = parts_of(R:kinetic_energy(), r)
  local zero = hm.number(0)
  local short = condition(R.constraints[1].f, A7, { zero, zero, zero }, zero, R:generalised_forces(), r)
  P:agrees("(7)", "scleronomic special case: B_s = T_0 = dA_ks/dt = 0", { short - R:free_motion()[1], B7[1], B7[2], B7[3], T7 })
end

-- ---- 2.1 Appell-Hamel

do
  local S = hm.system "Appell-Hamel"
  local x, y, z = S:coordinates "x y z"
  local m, g = S:positive "m=2 g=9.8"
  local Q1, Q2, Q3 = S:parameters "Q1=0 Q2=0 Q3=0"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2 + z.dot^2))
  S:force(x, Q1); S:force(y, Q2); S:force(z, Q3 - m*g)
  local f = z.dot - sqrt(x.dot^2 + y.dot^2)
  S:constraint("cone", f)
  P:definition("(8)", "the constraint z' = (x'^2 + y'^2)^(1/2), " .. S.constraints.cone.kind)

  local s, e = sqrt(x.dot^2 + y.dot^2), S:equations()
  local lambda = e.multipliers[1]
  P:agrees("(9)", "equations of motion", {
    e[1] - (m*x.ddot - Q1 + lambda*x.dot/s), e[2] - (m*y.ddot - Q2 + lambda*y.dot/s), e[3] - (m*z.ddot - Q3 + m*g - lambda) },
    nil, formula(e[1]), formula(e[2]), formula(e[3]))
  do
    local A, B, T0 = parts_of(S:kinetic_energy(), { x, y, z })
    local D, list = cofactors(A), { determinant(A) - m^3, B[1], B[2], B[3], T0 }
    for i = 1, 3 do
      for k = 1, 3 do
        list[#list + 1], list[#list + 2] = A[i][k] - (i == k and m or 0), D[i][k] - (i == k and m^2 or 0)
      end
    end
    P:agrees("table", "A_ks, B_s, T_0, Delta = m^3 and all cofactors", list)
    local Q, sum = { Q1, Q2, Q3 - m*g }, hm.number(0)
    for i, c in ipairs{ x, y, z } do sum = sum + diff(f, c.dot)*(m^2/m^3)*Q[i] end
    P:agrees("display", "(6) written out: sum df/dq_s' Delta_ss/Delta Q_s, with Q3 - m g in place of Q3", S:free_motion()[1] - sum)
  end
  local residual = S:free_motion()[1]*m
  local printed10 = as_printed("-(q1^2 + q2^2)^(-1/2)*(q1'*Q1 + q2'*Q2) + Q3 - m*g", -(x.dot*Q1 + y.dot*Q2)/sqrt(x^2 + y^2) + Q3 - m*g, { x, y, z })
  P:misprint("(10)", "condition in the applied forces", residual - printed10,
    residual - (-(x.dot*Q1 + y.dot*Q2)/s + Q3 - m*g), nil,
    "scan or print: two dots are lost; it is",
    "-(q1'^2 + q2'^2)^(-1/2) (q1' Q1 + q2' Q2) + Q3 - m g = 0, m times (6)", formula(residual))
  P:agrees("example", "Q1 = q1', Q2 = q2', Q3 = q3' + m g fulfils (10) on the constraint",
    residual:subs{ [Q1] = x.dot, [Q2] = y.dot, [Q3] = z.dot + m*g }:subs{ [z.dot] = s })

  -- the example force as a run: m v' = v, so v = v0 exp(t/m)
  local E = hm.system "Appell-Hamel with the example force"
  local X, Y, Z = E:coordinates "x y z"
  local M = E:positive "m=2"
  E:kinetic_energy(M/2*(X.dot^2 + Y.dot^2 + Z.dot^2))
  E:force(X, X.dot); E:force(Y, Y.dot); E:force(Z, Z.dot)
  E:constraint("cone", Z.dot - sqrt(X.dot^2 + Y.dot^2))
  local run = E:simulate{ q = { x = 0, y = 0, z = 0 }, v = { x = 0.3, y = -0.4 }, t = 3, rtol = 1e-12, atol = 1e-13 }
  local worst, reaction = 0, 0
  for t = 0, 3, 0.25 do
    local at, grown = run:at(t), math.exp(t/2)
    worst = math.max(worst, math.abs(at.v.x - 0.3*grown), math.abs(at.v.z - 0.5*grown), math.abs(at.x - 0.6*(grown - 1)))
    reaction = math.max(reaction, math.abs(at.lambda.cone))
  end
  P:agrees("run", "example force: free motion, v = v0 exp(t/m), no reaction", { worst, reaction }, "run against the closed solution")
  save(run, "appell_hamel_example_force")

  -- no forces but weight: lambda = m g/2, z' = v0 - g t/2 on a straight path, until the apex of the cone
  local v0 = 2
  local fall = S:simulate{ q = { x = 0, y = 0, z = 0 }, v = { x = 1.2, y = 1.6 }, t = 0.4, rtol = 1e-12, atol = 1e-13 }
  worst = 0
  for t = 0, 0.4, 0.05 do
    local at = fall:at(t)
    worst = math.max(worst, math.abs(at.lambda.cone - 9.8), math.abs(at.v.z - (v0 - 4.9*t)), math.abs(at.x - 0.6*(v0*t - 2.45*t^2)))
  end
  P:agrees("run", "no forces but weight: (10) reads -m g = 0, no free motion; lambda = m g/2", worst, "run against the closed solution")
  local apex = S:simulate{ q = { x = 0, y = 0, z = 0 }, v = { x = 1.2, y = 1.6 }, t = 1 }
  local t_apex = 2*v0/9.8
  local early = apex.outcome.t - t_apex
  P:holds("run", "the run stops at the apex x' = y' = 0, where the constraint has no derivative, within 1e-5 of t = 2 v0/g",
    apex.status ~= "OK" and { math.abs(early), "<", 1e-5 }, ("a run: it ends at t = %.9f, off by"):format(apex.outcome.t), apex.reason)
  save(fall, "appell_hamel_weight")
  P:show(function() return fall:plot("t", "z'", "lambda.cone") end)
end

-- ---- 2.2 the Chaplygin sleigh

do
  local S = hm.system "Chaplygin sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J = S:positive "m=2 J=3"
  local Q1, Q2, Q3 = S:parameters "Q1=0 Q2=0 Q3=0"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
  S:force(x, Q1); S:force(y, Q2); S:force(theta, Q3)
  S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
  local e, c = S:equations(), S:free_motion()[1]
  local lambda = e.multipliers[1]
  P:definition("(11)", "the blade, " .. tostring(S.constraints.blade))
  P:agrees("(12)", "equations of motion", {
    e[1] - (m*x.ddot - Q1 - lambda*sin(theta)), e[2] - (m*y.ddot - Q2 + lambda*cos(theta)), e[3] - (J*theta.ddot - Q3) },
    nil, formula(e[1]), formula(e[2]), formula(e[3]))
  do
    local A, B, T0 = parts_of(S:kinetic_energy(), { x, y, theta })
    local D, list, diagonal, cofactor = cofactors(A), { determinant(A) - m^2*J, B[1], B[2], B[3], T0 }, { m, m, J }, { m*J, m*J, m^2 }
    for i = 1, 3 do
      for k = 1, 3 do
        list[#list + 1], list[#list + 2] = A[i][k] - (i == k and diagonal[i] or 0), D[i][k] - (i == k and cofactor[i] or 0)
      end
    end
    P:agrees("table", "A_ks, B_s, T_0, Delta = m^2 J and all cofactors", list)
  end
  local eq13 = (y.dot*sin(theta) + x.dot*cos(theta))*theta.dot + (Q1*sin(theta) - Q2*cos(theta))/m
  -- independent: df/dt with the accelerations of (12) for lambda = 0
  local unbound = { [x.ddot] = Q1/m, [y.ddot] = Q2/m, [theta.ddot] = Q3/J }
  P:agrees("(13)", "condition of free motion", { c - eq13, hm.dt(S.constraints.blade.f):subs(unbound) - eq13 }, nil,
    "by (6), and as df/dt along (12) with lambda = 0", formula(c))
  local eq14 = m*x.dot*theta.dot/cos(theta) + Q1*sin(theta) - Q2*cos(theta)
  local reduced = S:free_motion{ reduce = true, dependent = { "y" } }[1]*m
  P:agrees("(14)", "the same on the constraint", { (m*eq13):subs{ [y.dot] = x.dot*sin(theta)/cos(theta) } - eq14, reduced - eq14 }, nil,
    "holds where cos q3 ~= 0: it divides by cos q3", formula(reduced))
  local eq15 = eq14:subs{ [Q1] = 0, [Q2] = 0 }*cos(theta)/m
  P:agrees("(15)", "without forces: q1' q3' = 0", eq15 - x.dot*theta.dot)
  -- without forces: accelerations and multiplier from (12) and the rate of (11)
  local none = { [Q1] = 0, [Q2] = 0, [Q3] = 0 }
  local unknown = { x.ddot, y.ddot, theta.ddot, lambda }
  local motion = hm.solve({ e[1]:subs(none), e[2]:subs(none), e[3]:subs(none), hm.dt(S.constraints.blade.f) }, unknown)
  local function at_start(map)
    local list = {}
    for i = 1, 4 do list[i] = motion[i]:subs(map) end
    return list
  end
  -- where cos q3 = 0 the constraint makes q1' zero, (15) holds, and yet there is a reaction
  local reaction = at_start{ [theta] = hm.pi/2, [x.dot] = 0 }[4]
  P:quote "(15), from (14) and for it:"
  as_printed("q1'*q3' = 0", x.dot*theta.dot, { x, y, theta })
  P:misprint("(15)", "as a condition it is not sufficient where cos q3 = 0: there q1' = 0 by the constraint, but lambda = -m q2' q3'",
    reaction, reaction + m*y.dot*theta.dot, "reaction at q3 = pi/2 for all q2', q3'",
    "no slip of the pen, but the division in (14): use (13), (q1' cos q3 + q2' sin q3) q3' = 0")
  do
    local list, without = hm.solve({ e[1]:subs(none), e[2]:subs(none), e[3]:subs(none) }, { x.ddot, y.ddot, theta.ddot }), {}
    for i = 1, 3 do without[i] = list[i]:subs{ [lambda] = 0 } end
    P:agrees("(16)", "in free motion all velocities are constant: (12) with lambda = 0 and without forces has no accelerations", without)
  end
  local u = hm.symbols "u"                                       -- speed along the blade
  -- the left side of (13) is an integral, that of (15) is not: it changes with cos q3
  do
    local U = hm.system "sleigh without forces"
    U:coordinates "x y theta"
    U:positive "m=2 J=3"
    U:kinetic_energy(S:kinetic_energy())
    U:constraint("blade", S.constraints.blade.f)
    local left = eq13:subs(none)
    local rate = hm.dt(left):subs{ [x.ddot] = motion[1], [y.ddot] = motion[2], [theta.ddot] = motion[3] }
    rate = rate:subs{ [x.dot] = u*cos(theta), [y.dot] = u*sin(theta) }
    P:agrees("(17)", "the start decides: the left side of (13) without forces is an integral of every motion, free or not",
      { rate, hm.number(U:is_conserved(left) == true and 0 or 1), left - x.dot*theta.dot*cos(theta) - y.dot*theta.dot*sin(theta),
        hm.number(U:is_conserved(x.dot*theta.dot) == false and 0 or 1) }, nil,
      "q1' q3' itself is none: along a circle it is u w cos q3, which is zero at single instants")
  end
  P:agrees("(18)", "turning on the spot, q1' = 0, q3' ~= 0: no reaction, no accelerations", at_start{ [x.dot] = 0, [y.dot] = 0 }, nil, "for every q3, q3'")
  P:agrees("(19)", "(18) and the constraint give q2' = 0 (where cos q3 ~= 0)", S.constraints.blade.f:subs{ [x.dot] = 0 } + y.dot*cos(theta))
  P:agrees("(20)", "uniform straight motion without turning: no reaction, no accelerations",
    at_start{ [theta.dot] = 0, [x.dot] = u*cos(theta), [y.dot] = u*sin(theta) }, nil, "for every q3 and every speed u along the blade",
    "q2' ~= 0 is not needed: along q3 = 0 the sleigh runs with q2' = 0, the same family")
  P:agrees("(21)", "rest", at_start{ [x.dot] = 0, [y.dot] = 0, [theta.dot] = 0 })

  -- each family as a run: no reaction, constant velocities
  local function family(v, theta0)
    local run = S:simulate{ q = { x = 0, y = 0, theta = theta0 }, v = v, t = 5, rtol = 1e-11, atol = 1e-12 }
    local worst = 0
    for t = 0, 5, 0.5 do
      local s = run:at(t)
      worst = math.max(worst, math.abs(s.lambda.blade), math.abs(s.v.x - v.x), math.abs(s.v.y - v.y), math.abs(s.v.theta - v.theta),
        math.abs(s.x - v.x*t), math.abs(s.theta - theta0 - v.theta*t))
    end
    return worst, run
  end
  local turning = family({ x = 0, y = 0, theta = 1.5 }, 0.4)
  local straight, straight_run = family({ x = math.cos(0.4), y = math.sin(0.4), theta = 0 }, 0.4)
  local rest = family({ x = 0, y = 0, theta = 0 }, 0.4)
  local along_x = family({ x = 1, y = 0, theta = 0 }, 0)
  P:agrees("run", "(18), (20), (21), and (20) along q3 = 0, as runs to t = 5", { turning, straight, rest, along_x }, "reaction, velocities and places")
  -- along the motion: a moment turns a sleigh that starts straight on; (13) holds at the start and at no later time
  do
    local pushed = S:simulate{ q = { x = 0, y = 0, theta = 0.2 }, v = { x = math.cos(0.2), theta = 0 }, parameters = { Q3 = 0.6 }, t = 2,
      rtol = 1e-12, atol = 1e-13 }
    local worst = math.abs(pushed:at(0).lambda.blade)
    for t = 0, 2, 0.25 do worst = math.max(worst, math.abs(pushed:at(t).lambda.blade + 2*0.2*t)) end
    P:agrees("text", "if (6) holds there is free motion: along the motion, not at one state", worst,
      "run against lambda = -m u Q3 t/J", "a moment Q3 on a sleigh that runs straight on: (13) holds at t = 0, and lambda grows from zero")
  end
  -- a general motion: a circle with lambda = -m u w
  local speed, w = 1, 0.3
  local run, worst = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = speed, theta = w }, t = 20, rtol = 1e-12, atol = 1e-12 }, 0
  for t = 0, 20, 0.5 do
    local s = run:at(t)
    worst = math.max(worst, math.abs(s.x - speed/w*math.sin(w*t)), math.abs(s.y - speed/w*(1 - math.cos(w*t))), math.abs(s.lambda.blade + 2*speed*w))
  end
  P:agrees("run", "a start that breaks (17): a circle of radius u/w, lambda = -m u w", worst, "run against the closed solution")
  save(run, "sleigh_circle")
  P:show(e)
  P:show(function()
    return run:animate({ { "blade", at = { x, y }, along = { cos(theta), sin(theta) } }, { "trace", of = { x, y } },
      { "arrow", at = { x, y }, along = { sin(theta), -cos(theta) }, force = "lambda.blade", label = "reaction" } }, { title = "a start that breaks (17)" })
  end)
  save(straight_run, "sleigh_straight")
end

-- ---- 2.3 the rolling ball

do
  local S = hm.system "rolling ball"
  local q1, q2, q3, q4, q5 = S:coordinates "psi theta phi x y"
  local m, a = S:positive "m=1 a=1/2"
  local Q = { S:parameters "Q1=0 Q2=0 Q3=0 Q4=0 Q5=0" }
  local q, I = { q1, q2, q3, q4, q5 }, 2*m*a^2/5
  -- T from the angular velocity in space axes, Euler angles z-x-z, instead of the printed form
  local wx = q2.dot*cos(q1) + q3.dot*sin(q2)*sin(q1)
  local wy = q2.dot*sin(q1) - q3.dot*sin(q2)*cos(q1)
  local wz = q1.dot + q3.dot*cos(q2)
  local T = m/2*(q4.dot^2 + q5.dot^2) + I/2*(q1.dot^2 + q2.dot^2 + q3.dot^2 + 2*q1.dot*q3.dot*cos(q2))
  do
    local printed = as_printed("1/2*m*(q4^2 + q5^2) + 1/2*2/5*m*a^2*(q1'^2 + q2'^2 + q3'^2 + 2*q3'*q1'*cos(q2))",
      m/2*(q4^2 + q5^2) + I/2*(q1.dot^2 + q2.dot^2 + q3.dot^2 + 2*q3.dot*q1.dot*cos(q2)), q)
    local spatial = m/2*(q4.dot^2 + q5.dot^2) + I/2*(wx^2 + wy^2 + wz^2)
    P:misprint("text", "kinetic energy in x, y, psi, theta, phi", printed - spatial, T - spatial, "m v^2/2 + I w^2/2 with w in space axes",
      "scan or print: in the line before (22) the dots on x and y are lost; (22) has them")
  end
  P:agrees("(22)", "kinetic energy", T - (m/2*(q4.dot^2 + q5.dot^2) + I/2*(wx^2 + wy^2 + wz^2)), nil,
    "independent: m v^2/2 + I w^2/2 with w in space axes")
  -- velocity of the contact point: v + w x (0, 0, -a)
  local f1 = q4.dot + a*(q3.dot*sin(q2)*cos(q1) - q2.dot*sin(q1))
  local f2 = q5.dot + a*(q3.dot*sin(q2)*sin(q1) + q2.dot*cos(q1))
  P:agrees("(23)", "rolling: the contact point is at rest", { f1 - (q4.dot - a*wy), f2 - (q5.dot + a*wx) }, nil, "independent: v + w x (0, 0, -a)")
  S:kinetic_energy(T)
  for i, x in ipairs(q) do S:force(x, Q[i]) end
  S:constraint("roll x", f1)
  S:constraint("roll y", f2)

  local e = S:equations()
  local l1, l2 = e.multipliers[1], e.multipliers[2]
  local right2 = Q[2] + a*(-l1*sin(q1) + l2*cos(q1))
  local right3 = Q[3] + a*sin(q2)*(l1*cos(q1) + l2*sin(q1))
  P:misprint("(24)", "first equation", e[1] - as_printed("2/5*m*a^2*(q1'' + q3''*cos(q2) - q3''*q2'*sin(q2)) - Q1",
      I*(q1.ddot + q3.ddot*cos(q2) - q3.ddot*q2.dot*sin(q2)) - Q[1], q),
    e[1] - (I*(q1.ddot + q3.ddot*cos(q2) - q3.dot*q2.dot*sin(q2)) - Q[1]), nil,
    "scan or print: a dot too many in q3'' q2' sin q2; it is (2/5) m a^2 (q1'' + q3'' cos q2 - q3' q2' sin q2) = Q1", formula(e[1]))
  P:agrees("(24)", "second, fourth and fifth equation", {
    e[2] - (I*(q2.ddot + q1.dot*q3.dot*sin(q2)) - right2), e[4] - (m*q4.ddot - Q[4] - l1), e[5] - (m*q5.ddot - Q[5] - l2) })
  P:misprint("(24)", "third equation", e[3] - as_printed(
      "2/5*m*a^2*(q3'' + q1'*cos(q2) - q1'*q2'*sin(q2)) - Q3 - a*sin(q2)*(lambda1*cos(q1) + lambda2*sin(q1))",
      I*(q3.ddot + q1.dot*cos(q2) - q1.dot*q2.dot*sin(q2)) - right3, q),
    e[3] - (I*(q3.ddot + q1.ddot*cos(q2) - q1.dot*q2.dot*sin(q2)) - right3), nil,
    "scan or print: a dot too few in q1' cos q2; it is (2/5) m a^2 (q3'' + q1'' cos q2 - q1' q2' sin q2) = ...", formula(e[3]))

  -- the tables before (25)
  local A, B, T0 = parts_of(T, q)
  local D, delta = cofactors(A), determinant(A)
  P:agrees("table", "A_ks: 2/5 m a^2 on the first three places, A13 = 2/5 m a^2 cos q2, m on the last two", {
    A[1][1] - I, A[2][2] - I, A[3][3] - I, A[1][3] - I*cos(q2), A[3][1] - I*cos(q2), A[4][4] - m, A[5][5] - m, A[1][2], A[2][3], A[1][4] })
  local listed = { ["1 1"] = m^2*I^2, ["1 3"] = -m^2*I^2*cos(q2), ["3 1"] = -m^2*I^2*cos(q2), ["2 2"] = m^2*I^2*sin(q2)^2, ["3 3"] = m^2*I^2,
    ["4 4"] = m*I^3*sin(q2)^2, ["5 5"] = m*I^3*sin(q2)^2 }
  local of_delta = { delta - m^2*I^3*sin(q2)^2 }
  for s = 1, 5 do for l = 1, 5 do of_delta[#of_delta + 1] = D[s][l] - (listed[("%d %d"):format(s, l)] or 0) end end
  P:agrees("table", "Delta and all 25 cofactors", of_delta)
  P:agrees("table", "derivatives of the constraints", {
    diff(f1, q2.dot) + a*sin(q1), diff(f1, q3.dot) - a*cos(q1)*sin(q2), diff(f2, q2.dot) - a*cos(q1), diff(f2, q3.dot) - a*sin(q1)*sin(q2),
    diff(f1, q4.dot) - 1, diff(f2, q5.dot) - 1, diff(f1, q5.dot), diff(f2, q4.dot), diff(f1, q1.dot), diff(f2, q1.dot),
    diff(f1, q1) + a*(q2.dot*cos(q1) + q3.dot*sin(q1)*sin(q2)), diff(f1, q2) - a*q3.dot*cos(q1)*cos(q2),
    diff(f2, q1) - a*(q3.dot*cos(q1)*sin(q2) - q2.dot*sin(q1)), diff(f2, q2) - a*q3.dot*sin(q1)*cos(q2) })
  local C = S:christoffel()
  local symbols = {}
  local given = { ["1 2 3"] = -m*a^2*sin(q2)/5, ["2 1 3"] = -m*a^2*sin(q2)/5, ["3 1 2"] = m*a^2*sin(q2)/5, ["1 3 2"] = m*a^2*sin(q2)/5,
    ["2 3 1"] = -m*a^2*sin(q2)/5, ["3 2 1"] = -m*a^2*sin(q2)/5 }
  for k = 1, 5 do
    for i = 1, 5 do
      for s = 1, 5 do symbols[#symbols + 1] = C[k][i][s] - (given[("%d %d %d"):format(k, i, s)] or 0) end
    end
  end
  P:agrees("table", "Christoffel symbols [1,2;3], [3,1;2], [2,3;1]; the other 119 vanish", symbols)

  -- the displays before (25): the sums, then both conditions written out, whose fractions the scan garbles
  local c = S:free_motion()
  do
    local list = {}
    for i, f in ipairs{ f1, f2 } do
      list[i] = diff(f, q1)*q1.dot + diff(f, q2)*q2.dot - c[i]
      for s = 1, 5 do
        local direction, force = hm.number(0), Q[s]
        for l = 1, 5 do direction = direction + diff(f, q[l].dot)*D[s][l]/delta end
        for k = 1, 5 do for l = 1, 5 do force = force - C[k][l][s]*q[k].dot*q[l].dot end end
        list[i] = list[i] + direction*force
      end
    end
    P:agrees("display", "condition (6) for f1 and f2 as sums over the tables", list)
  end
  local long1 = -a*(q2.dot*cos(q1) + q3.dot*sin(q1)*sin(q2))*q1.dot + a*q3.dot*q2.dot*cos(q1)*cos(q2)
    - a*sin(q1)/I*(-I*q1.dot*q3.dot*sin(q2) + Q[2])
    + a*cos(q1)*sin(q2)*(-cos(q2)/(I*sin(q2)^2)*(I*q2.dot*q3.dot*sin(q2) + Q[1]) + (I*q1.dot*q2.dot*sin(q2) + Q[3])/(I*sin(q2)^2)) + Q[4]/m
  local printed1 = -a*(q2.dot*cos(q1) + q3.dot*sin(q1)*sin(q2))*q1.dot + a*q3.dot*q2.dot*cos(q1)*cos(q2)
    - a*sin(q1)*(m*a^2/10*q1.dot*q3.dot*sin(q2) + Q[2])
    + a*cos(q1)*sin(q2)*((-cos(q2)*m*a^2/10*q2.dot*q3.dot*sin(q2) + Q[1]) + (m*a^2/10*q1.dot*q2.dot*sin(q2) + Q[3])) + Q[4]/m
  local text1 = "-a*(q2'*cos(q1) + q3'*sin(q1)*sin(q2))*q1' + a*q3'*q2'*cos(q1)*cos(q2) + (-a*sin(q1))*(1/2*1/5*m*a^2*q1'*q3'*sin(q2) + Q2)"
    .. " + (a*cos(q1)*sin(q2))*((-cos(q2)/2*1/5*m*a^2*q2'*q3'*sin(q2) + Q1) + (1/2*1/5*m*a^2*q1'*q2'*sin(q2) + Q3)) + 1/m*Q4"
  P:misprint("display", "condition (6) for f1 written out", c[1] - as_printed(text1, printed1, q), c[1] - long1, nil,
    "scan or print: the factors 1/(2/5 m a^2), 1/(2/5 m a^2 sin^2 q2) have run into the brackets behind them;",
    "second line: (-a sin q1)/(2/5 m a^2) (-2/5 m a^2 q1' q3' sin q2 + Q2); third line as in the display for f2, with cos q1")
  local long2 = a*(q3.dot*cos(q1)*sin(q2) - q2.dot*sin(q1))*q1.dot + a*q3.dot*q2.dot*sin(q1)*cos(q2)
    + a*cos(q1)/I*(-I*q1.dot*q3.dot*sin(q2) + Q[2])
    + a*sin(q1)*sin(q2)*(-cos(q2)/(I*sin(q2)^2)*(I*q2.dot*q3.dot*sin(q2) + Q[1]) + (I*q1.dot*q2.dot*sin(q2) + Q[3])/(I*sin(q2)^2)) + Q[5]/m
  -- as the scan has it: 1/2 1/(m a^2) twice where the calculation gives 1/(2/5 m a^2)
  local printed2 = a*(q3.dot*cos(q1)*sin(q2) - q2.dot*sin(q1))*q1.dot + a*q3.dot*q2.dot*sin(q1)*cos(q2)
    + a*cos(q1)/(2*m*a^2)*(-I*q1.dot*q3.dot*sin(q2) + Q[2])
    + a*sin(q1)*sin(q2)*(-cos(q2)/(I*sin(q2)^2)*(I*q2.dot*q3.dot*sin(q2) + Q[1]) + (I*q1.dot*q2.dot*sin(q2) + Q[3])/(2*m*a^2*sin(q2)^2)) + Q[5]/m
  local text2 = "a*(q3'*cos(q1)*sin(q2) - q2'*sin(q1))*q1' + a*q3'*q2'*sin(q1)*cos(q2) + (a*cos(q1))*(1/2*(1/(m*a^2)))*(-2/5*m*a^2*q1'*q3'*sin(q2) + Q2)"
    .. " + (a*sin(q1)*sin(q2))*((-cos(q2)/(2*(1/5)*m*a^2*sin(q2)^2))*(2/5*m*a^2*q2'*q3'*sin(q2) + Q1)"
    .. " + (1/2*(1/(m*a^2*sin(q2)^2)))*(2/5*m*a^2*q1'*q2'*sin(q2) + Q3)) + 1/m*Q5"
  P:misprint("display", "condition (6) for f2 written out", c[2] - as_printed(text2, printed2, q), c[2] - long2, nil,
    "scan or print, most likely the scan: two fractions are torn apart, 1/2 1/(m a^2) for 1/(2/5 m a^2); the other terms hold")
  local scale = I*sin(q2)/a                                             -- (25)_i = (2/5) m a sin q2 (6)_i
  P:agrees("(25)", "conditions in the applied forces, free of velocities: (2/5) m a sin q2 times (6)", {
    c[1]*scale - (-Q[1]*cos(q1)*cos(q2) - Q[2]*sin(q1)*sin(q2) + Q[3]*cos(q1) + 2*a/5*Q[4]*sin(q2)),
    c[2]*scale - (-Q[1]*sin(q1)*cos(q2) + Q[2]*cos(q1)*sin(q2) + Q[3]*sin(q1) + 2*a/5*Q[5]*sin(q2)) },
    nil, "vector form: the moment M of the forces about the centre and their resultant F obey My = (2a/5) Fx, Mx = -(2a/5) Fy",
    formula(c[1]*scale), formula(c[2]*scale))
  P:agrees("general", "the mass matrix has no gyroscopic parts here", { B[1], B[2], B[3], B[4], B[5], T0 })

  -- without forces: free motion; the centre moves uniformly and w is constant
  local run = S:simulate{ q = { psi = 0.3, theta = 1.1, phi = 0, x = 0, y = 0 }, v = { psi = 0.2, theta = 0.1, phi = 0.7 }, t = 3, rtol = 1e-12, atol = 1e-12 }
  local worst = 0
  local vx, vy, ox, oz = run:at(0, q4.dot, q5.dot, wx, wz)
  for t = 0, 3, 0.25 do
    local s = run:at(t)
    local ux, uy, px, pz = run:at(t, q4.dot, q5.dot, wx, wz)
    worst = math.max(worst, math.abs(s.lambda["roll x"]), math.abs(s.lambda["roll y"]), math.abs(ux - vx), math.abs(uy - vy),
      math.abs(px - ox), math.abs(pz - oz), math.abs(s.x - vx*t))
  end
  P:agrees("run", "no forces: no friction at the contact, uniform motion of the centre, constant angular velocity", worst, "run against the closed solution")
  save(run, "ball_free")

  -- with a force on the centre: friction -2/7 F, so x'' = 5/7 F/m
  local pushed = S:simulate{ q = { psi = 0.3, theta = 1.1, phi = 0, x = 0, y = 0 }, v = { psi = 0.2, theta = 0.1, phi = 0.7 }, t = 2,
    parameters = { Q4 = 0.35 }, rtol = 1e-12, atol = 1e-12 }
  worst = 0
  for t = 0, 2, 0.25 do
    local s = pushed:at(t)
    worst = math.max(worst, math.abs(s.lambda["roll x"] + 2/7*0.35), math.abs(s.lambda["roll y"]), math.abs(s.x - vx*t - 5/7*0.35/2*t^2))
  end
  P:agrees("run", "a force F on the centre: reaction -2/7 F, acceleration 5/7 F/m, no free motion", worst, "run against the closed solution")
  save(pushed, "ball_pushed")
  P:show(e)
end

os.exit(P:finish())
