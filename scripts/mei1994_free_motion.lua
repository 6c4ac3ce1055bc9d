-- Mei Fengxiang 1994: the free motion of nonholonomic systems and the disappearance of the nonholonomic property.
-- One line per numbered equation: what it is, how it was checked, and the verdict. Then the three problems as runs.
--
--   hamel scripts/mei1994_free_motion.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, sqrt, diff = hm.sin, hm.cos, hm.sqrt, hm.partial

local csv
for i = 1, #arg do
  if arg[i] == "--csv" then csv = arg[i + 1] or error("--csv needs a folder", 0) end
end

math.randomseed(1994)
local function random(from, to) return from + (to - from)*math.random() end

local P = hm.paper{ title = "Mei 1994: free motion of nonholonomic systems (Appell-Hamel problem, Chaplygin sleigh, rolling ball)" }

local function save(run, name)
  if csv then run:save(csv .. "/" .. name .. ".csv", { n = 501 }) end
end

-- The derived formula in its short form, for the line below a verdict
local function formula(e, by) return "derived: " .. tostring((e:simplify{ form = by and "collected" or "auto", by = by })) .. " = 0" end

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
  local equations = S:equations()

  P:definition("(1)", "g ideal constraints of Chetaev's type, linear or nonlinear in the velocities, rheonomic too")

  -- (2): along a run the equations hold with accelerations taken from differences of the velocities
  local t, at_q, at_v = admissible(S)
  local run = S:simulate{ q = at_q, v = at_v, t = { t, t + 0.5 }, rtol = 1e-12, atol = 1e-13 }
  local worst, worst_reaction = 0, 0
  for i = 1, 9 do
    local time, h = t + 0.05*i, 1e-3
    local s = run:at(time)
    local point = point_of(q, time, s.q, s.v, S)
    local sum_v = {}
    for _, x in ipairs(q) do
      local name = tostring(x)
      local function v(k) return run:at(time + k*h).v[name] end
      sum_v[name] = (-v(2) + 8*v(1) - 8*v(-1) + v(-2))/(12*h)
      point[x.ddot] = sum_v[name]
    end
    for k, symbol in ipairs(equations.multipliers) do point[symbol] = s.lambda[equations.names[k]] end
    for k = 1, #q do worst = math.max(worst, math.abs(value(equations[k], point))) end
    for k, x in ipairs(q) do
      local reaction = s.lambda.blade*value(diff(f[1], x.dot), point) + s.lambda.speed*value(diff(f[2], x.dot), point)
      local needed = value(equations[k] - Q[k]*0, point) + reaction
      worst_reaction = math.max(worst_reaction, math.abs(needed - reaction))
    end
  end
  P:agrees("(2)", "Lagrange's equations with multipliers, reactions by Chetaev's rule", worst,
    "a run with two constraints, accelerations from differences of its velocities")
  P:definition("(3)", "generalised reactions Lambda_s = sum lambda_b df_b/dq_s'", "stands on the right of every printed equation with + A^T lambda")

  -- (4): with lambda of the core's own linear solve
  local derived, printed = 0, 0
  for _ = 1, 10 do
    local time, qs, vs = admissible(S)
    local point, state = point_of(q, time, qs, vs, S), S:accelerations{ q = qs, v = vs, t = time }
    local lambda = { state.lambda.blade, state.lambda.speed }
    for g = 1, 2 do
      local rest = value(condition(f[g], A, B, T0, Q, q), point)
      local right, wrong = rest, rest
      for b = 1, 2 do
        right = right + lambda[b]*value(before_lambda(f[g], f[b], A, q, function(x) return x.dot end), point)
        wrong = wrong + lambda[b]*value(before_lambda(f[g], f[b], A, q, function(x) return x end), point)
      end
      derived, printed = math.max(derived, math.abs(right)), math.max(printed, math.abs(wrong))
    end
  end
  P:misprint("(4)", "linear equations for the multipliers, before any integration", printed, derived,
    "multipliers of the numerical solve at 10 random admissible states, two constraints, all terms present",
    "the print has df_c/dq_l in the first sum; it is the velocity derivative:",
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
  local residual = S:free_motion()[1]*m
  P:misprint("(10)", "condition in the applied forces", residual - (-(x.dot*Q1 + y.dot*Q2)/sqrt(x^2 + y^2) + Q3 - m*g),
    residual - (-(x.dot*Q1 + y.dot*Q2)/s + Q3 - m*g), nil,
    "the print has (q1^2 + q2^2)^(-1/2); the dots are missing:",
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
  P:agrees("run", "the run stops at the apex x' = y' = 0, where the constraint has no derivative",
    apex.status ~= "OK" and math.max(0, math.abs(apex.outcome.t - t_apex) - 1e-5) or 1,
    "t = 2 v0/g, to 1e-5", apex.reason)
  save(fall, "appell_hamel_weight")
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
  local eq13 = (y.dot*sin(theta) + x.dot*cos(theta))*theta.dot + (Q1*sin(theta) - Q2*cos(theta))/m
  P:agrees("(13)", "condition of free motion", c - eq13, nil, formula(c))
  local eq14 = m*x.dot*theta.dot/cos(theta) + Q1*sin(theta) - Q2*cos(theta)
  P:agrees("(14)", "the same on the constraint", (m*eq13):subs{ [y.dot] = x.dot*sin(theta)/cos(theta) } - eq14, nil,
    "holds where cos q3 ~= 0: it divides by cos q3", formula(S:free_motion{ reduce = true, dependent = { "y" } }[1]*m))
  local eq15 = eq14:subs{ [Q1] = 0, [Q2] = 0 }*cos(theta)/m
  P:agrees("(15)", "without forces: q1' q3' = 0", eq15 - x.dot*theta.dot)
  -- where cos q3 = 0 the constraint makes q1' zero, (15) holds, and yet there is a reaction
  local across = S:accelerations{ q = { x = 0, y = 0, theta = math.pi/2 }, v = { y = 0.7, theta = 0.3, x = 0 } }
  P:misprint("(15)", "as a condition at one state it is not sufficient where cos q3 = 0: there q1' = 0 by the constraint, but lambda = -m q2' q3'",
    across.lambda.blade, across.lambda.blade + 2*0.7*0.3, "reaction at q3 = pi/2, q2' = 0.7, q3' = 0.3",
    "use (13): (q1' cos q3 + q2' sin q3) q3' = 0, which needs no division")

  -- the families (18) to (21), each as a run: no reaction, constant velocities
  local function family(v, theta0)
    local run = S:simulate{ q = { x = 0, y = 0, theta = theta0 }, v = v, t = 5, rtol = 1e-11, atol = 1e-12 }
    local worst = 0
    for t = 0, 5, 0.5 do
      local s = run:at(t)
      worst = math.max(worst, math.abs(s.lambda.blade), math.abs(s.v.x - v.x), math.abs(s.v.y - v.y), math.abs(s.v.theta - v.theta))
    end
    return worst, run
  end
  local turning = family({ x = 0, y = 0, theta = 1.5 }, 0.4)
  local straight, straight_run = family({ x = math.cos(0.4), y = math.sin(0.4), theta = 0 }, 0.4)
  local rest = family({ x = 0, y = 0, theta = 0 }, 0.4)
  local along_x = family({ x = 1, y = 0, theta = 0 }, 0)
  P:agrees("(16)", "in free motion all velocities are constant", { turning, straight, rest }, "runs from (18), (20), (21)")
  P:agrees("(17)", "(15) at the start decides, since the velocities stay constant", { turning, straight, rest }, "runs from (18), (20), (21)")
  P:agrees("(18)", "turning on the spot, q1' = 0, q3' ~= 0", turning, "run: reaction and change of velocities")
  P:agrees("(19)", "(18) and the constraint give q2' = 0 (where cos q3 ~= 0)", S.constraints.blade.f:subs{ [x.dot] = 0 } + y.dot*cos(theta))
  P:agrees("(20)", "uniform straight motion without turning", straight, "run: reaction and change of velocities",
    "q2' ~= 0 is not needed: along q3 = 0 the sleigh runs with q2' = 0, the same family")
  P:agrees("(20)", "the motion along q3 = 0 with q2' = 0", along_x, "run: reaction and change of velocities")
  P:agrees("(21)", "rest", rest, "run: reaction and change of velocities")
  -- a general motion: a circle with lambda = -m u w
  local u, w = 1, 0.3
  local run, worst = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = u, theta = w }, t = 20, rtol = 1e-12, atol = 1e-12 }, 0
  for t = 0, 20, 0.5 do
    local s = run:at(t)
    worst = math.max(worst, math.abs(s.x - u/w*math.sin(w*t)), math.abs(s.y - u/w*(1 - math.cos(w*t))), math.abs(s.lambda.blade + 2*u*w))
  end
  P:agrees("run", "a start that breaks (17): a circle of radius u/w, lambda = -m u w", worst, "run against the closed solution")
  save(run, "sleigh_circle")
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
  P:agrees("(22)", "kinetic energy", T - (m/2*(q4.dot^2 + q5.dot^2) + I/2*(wx^2 + wy^2 + wz^2)), nil,
    "independent: m v^2/2 + I w^2/2 with w in space axes",
    "in the unnumbered line before it the dots on x, y are missing")
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
  P:misprint("(24)", "first equation", e[1] - (I*(q1.ddot + q3.ddot*cos(q2) - q3.ddot*q2.dot*sin(q2)) - Q[1]),
    e[1] - (I*(q1.ddot + q3.ddot*cos(q2) - q3.dot*q2.dot*sin(q2)) - Q[1]), nil,
    "the print has q3'' q2' sin q2; it is (2/5) m a^2 (q1'' + q3'' cos q2 - q3' q2' sin q2) = Q1", formula(e[1]))
  P:agrees("(24)", "second, fourth and fifth equation", {
    e[2] - (I*(q2.ddot + q1.dot*q3.dot*sin(q2)) - right2), e[4] - (m*q4.ddot - Q[4] - l1), e[5] - (m*q5.ddot - Q[5] - l2) })
  P:misprint("(24)", "third equation", e[3] - (I*(q3.ddot + q1.dot*cos(q2) - q1.dot*q2.dot*sin(q2)) - right3),
    e[3] - (I*(q3.ddot + q1.ddot*cos(q2) - q1.dot*q2.dot*sin(q2)) - right3), nil,
    "the print has q1' cos q2; it is (2/5) m a^2 (q3'' + q1'' cos q2 - q1' q2' sin q2) = ...", formula(e[3]))

  -- the tables before (25)
  local A, B, T0 = parts_of(T, q)
  local D, delta = cofactors(A), determinant(A)
  P:agrees("table", "A_ks: 2/5 m a^2 on the first three places, A13 = 2/5 m a^2 cos q2, m on the last two", {
    A[1][1] - I, A[2][2] - I, A[3][3] - I, A[1][3] - I*cos(q2), A[3][1] - I*cos(q2), A[4][4] - m, A[5][5] - m, A[1][2], A[2][3], A[1][4] })
  P:agrees("table", "Delta and its cofactors", {
    delta - m^2*I^3*sin(q2)^2, D[1][1] - m^2*I^2, D[1][3] + m^2*I^2*cos(q2), D[2][2] - m^2*I^2*sin(q2)^2, D[3][1] - D[1][3],
    D[3][3] - m^2*I^2, D[4][4] - m*I^3*sin(q2)^2, D[5][5] - m*I^3*sin(q2)^2, D[1][2], D[1][4], D[2][3], D[4][5] })
  P:agrees("table", "derivatives of the constraints", {
    diff(f1, q2.dot) + a*sin(q1), diff(f1, q3.dot) - a*cos(q1)*sin(q2), diff(f2, q2.dot) - a*cos(q1), diff(f2, q3.dot) - a*sin(q1)*sin(q2),
    diff(f1, q4.dot) - 1, diff(f2, q5.dot) - 1, diff(f1, q5.dot), diff(f2, q4.dot), diff(f1, q1.dot), diff(f2, q1.dot),
    diff(f1, q1) + a*(q2.dot*cos(q1) + q3.dot*sin(q1)*sin(q2)), diff(f1, q2) - a*q3.dot*cos(q1)*cos(q2),
    diff(f2, q1) - a*(q3.dot*cos(q1)*sin(q2) - q2.dot*sin(q1)), diff(f2, q2) - a*q3.dot*sin(q1)*cos(q2) })
  local C = S:christoffel()
  P:agrees("table", "Christoffel symbols [1,2;3], [3,1;2], [2,3;1]", {
    C[1][2][3] + m*a^2*sin(q2)/5, C[2][1][3] + m*a^2*sin(q2)/5, C[3][1][2] - m*a^2*sin(q2)/5, C[1][3][2] - m*a^2*sin(q2)/5,
    C[2][3][1] + m*a^2*sin(q2)/5, C[3][2][1] + m*a^2*sin(q2)/5, C[1][1][2], C[2][2][3] })

  -- the two long displays before (25): the first is garbled, the second stands
  local c = S:free_motion()
  local long1 = -a*(q2.dot*cos(q1) + q3.dot*sin(q1)*sin(q2))*q1.dot + a*q3.dot*q2.dot*cos(q1)*cos(q2)
    - a*sin(q1)/I*(-I*q1.dot*q3.dot*sin(q2) + Q[2])
    + a*cos(q1)*sin(q2)*(-cos(q2)/(I*sin(q2)^2)*(I*q2.dot*q3.dot*sin(q2) + Q[1]) + (I*q1.dot*q2.dot*sin(q2) + Q[3])/(I*sin(q2)^2)) + Q[4]/m
  local printed1 = -a*(q2.dot*cos(q1) + q3.dot*sin(q1)*sin(q2))*q1.dot + a*q3.dot*q2.dot*cos(q1)*cos(q2)
    - a*sin(q1)*(m*a^2/10*q1.dot*q3.dot*sin(q2) + Q[2])
    + a*cos(q1)*sin(q2)*((-cos(q2)*m*a^2/10*q2.dot*q3.dot*sin(q2) + Q[1]) + (m*a^2/10*q1.dot*q2.dot*sin(q2) + Q[3])) + Q[4]/m
  P:misprint("display", "condition (6) for f1 written out: the factors 1/(2/5 m a^2) and 1/(2/5 m a^2 sin^2 q2) are lost in the print",
    c[1] - printed1, c[1] - long1, nil,
    "second line: (-a sin q1)/(2/5 m a^2) (-2/5 m a^2 q1' q3' sin q2 + Q2); third line as in the display for f2, with cos q1")
  local long2 = a*(q3.dot*cos(q1)*sin(q2) - q2.dot*sin(q1))*q1.dot + a*q3.dot*q2.dot*sin(q1)*cos(q2)
    + a*cos(q1)/I*(-I*q1.dot*q3.dot*sin(q2) + Q[2])
    + a*sin(q1)*sin(q2)*(-cos(q2)/(I*sin(q2)^2)*(I*q2.dot*q3.dot*sin(q2) + Q[1]) + (I*q1.dot*q2.dot*sin(q2) + Q[3])/(I*sin(q2)^2)) + Q[5]/m
  P:agrees("display", "condition (6) for f2 written out (reading 1/(2/5 m a^2) for the garbled fractions)", c[2] - long2)
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
end

os.exit(P:finish())
