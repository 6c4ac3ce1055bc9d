-- benchmarks.lua: published reference problems of nonholonomic mechanics; every number and formula is typed in with its source.
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local sin, cos, tan, near = hm.sin, hm.cos, hm.tan, check.near

local function zero(e, what)
  assert(hm.number(e):is_zero() == true, what .. " is not zero: " .. tostring(e))
end

local function done(name, text) print(("  %-26s %s"):format(name, text)) end

-- rates u' of the quasi-velocities, solved from the equations of a form
local function rates(S, form, u)
  local e, list, unknowns = S:equations(form), {}, {}
  for i = 1, #u do list[i], unknowns[i] = e[i], u[i].dot end
  return hm.solve(list, unknowns)
end

local reduced_forms = { "hamel", "maggi", "appell", "kane", "volterra" }

-- ---- rolling disc: SymPy test_kane.py and test_linearize.py; Routh; Neimark and Fufaev; Moffatt 2000

-- yaw q1 about z, lean q2 about x, spin q3 about y; A about a diameter, C about the axis
local function disc(inertia)
  local S = hm.system "rolling disc"
  local x, y, q1, q2, q3 = S:coordinates "x y q1 q2 q3"
  local m, r, g = S:positive "m=1 r=1 g=1"
  local A, C = inertia(S, m, r)
  local cx, cy, cz = hm.dt(x + r*sin(q1)*sin(q2)), hm.dt(y - r*cos(q1)*sin(q2)), hm.dt(r*cos(q2))
  S:kinetic_energy(m/2*(cx^2 + cy^2 + cz^2) + A/2*(q2.dot^2 + (q1.dot*cos(q2))^2) + C/2*(q3.dot + q1.dot*sin(q2))^2)
  S:potential_energy(m*g*r*cos(q2))
  S:constraint("roll x", x.dot - r*q3.dot*cos(q1))
  S:constraint("roll y", y.dot - r*q3.dot*sin(q1))
  S:quasi_velocities("u1 u2 u3", { q2.dot, q3.dot + q1.dot*sin(q2), q1.dot*cos(q2) })
  return S
end
local function thin(_, m, r) return m*r^2/4, m*r^2/2 end
local function hoop(_, m, r) return m*r^2/2, m*r^2 end
local function general(S) return S:positive "A=1/4 C=1/2" end

do
  local u1, u2, u3 = hm.functions_of_time "u1 u2 u3"
  local u = { u1, u2, u3 }
  local S = disc(thin)
  local q2, r, g = S:symbol "q2", S:symbol "r", S:symbol "g"
  local published = {
    (6*u2*u3*r - u3^2*r*tan(q2) + 4*g*sin(q2))/(5*r),
    -2*u1*u3/3,
    u1*(u3*tan(q2) - 2*u2),
  }
  for _, form in ipairs(reduced_forms) do
    local found = rates(S, form, u)
    for i = 1, 3 do zero(found[i] - published[i], ("rolling disc, %s, u%d'"):format(form, i)) end
  end
  done("rolling-disc", "equations of the thin disc, exactly, in " .. #reduced_forms .. " forms")

  -- linearised: for q2, u1, u2, u3 about q2 = u1 = 0 the only eigenvalues besides zero are +-sqrt(square)
  local function square(T, at)
    local f, lean = rates(T, "maggi", u), T:symbol "q2"
    at[lean], at[u1] = 0, 0
    local function d(i, s) return f[i]:diff(s):subs(at) end
    -- the rest of the Jacobian is zero, so that the characteristic polynomial is s^2 (s^2 - square)
    zero(d(1, u1), "damping")
    for i = 2, 3 do for _, s in ipairs{ lean, u2, u3 } do zero(d(i, s), "coupling") end end
    return d(1, lean) + d(1, u2)*d(2, u1) + d(1, u3)*d(3, u1)
  end
  local G = disc(general)
  local m, A, C = G:symbol "m", G:symbol "A", G:symbol "C"
  local w = G:positive "w=1"
  local function rolling(T) return square(T, { [u2] = w, [u3] = 0 }) end
  local function spinning(T) return square(T, { [u2] = 0, [u3] = w }) end
  local function limit(expression, w2, what) zero(expression:subs{ [w] = hm.sqrt(w2) }, what) end
  limit(rolling(G), A*m*g*r/(C*(C + m*r^2)), "upright rolling, general disc")
  limit(spinning(G), m*g*r/(A + m*r^2), "spinning upright, general disc")
  limit(rolling(S), g/(3*r), "upright rolling, thin disc")
  limit(spinning(S), 4*g/(5*r), "spinning upright, thin disc")
  local H = disc(hoop)
  limit(rolling(H), g/(4*r), "upright rolling, hoop")
  limit(spinning(H), 2*g/(3*r), "spinning upright, hoop")
  -- faster is stable, slower is not
  for _, e in ipairs{ rolling(S), spinning(S) } do
    local unit = { [r] = 1, [g] = 1 }
    local list = {}
    for _, s in ipairs(e:symbols()) do list[s] = unit[s] end
    local function at(value)
      local given = { [w] = value }
      for s, one in pairs(list) do given[s] = one end
      return e:eval(given)
    end
    assert(at(2) < 0 and at(0.2) > 0)
  end
  done("rolling-disc", "stability limits: upright rolling and spinning, thin disc, hoop, general (A, C), exactly")

  -- a run on both sides of the limit of spinning, r = g = 1
  local function largest_tilt(rate)
    local run = S:simulate{ q = { x = 0, y = 0, q1 = 0, q2 = 1e-6, q3 = 0 }, v = { q1 = rate, q2 = 0, q3 = 0 }, t = 20, rtol = 1e-11, atol = 1e-13 }
    local _, tilt = run:series("q2", { n = 200 })
    local largest = 0
    for _, value in ipairs(tilt) do largest = math.max(largest, math.abs(value)) end
    return largest
  end
  local rate = math.sqrt(4/5)
  local above, below = largest_tilt(1.1*rate), largest_tilt(0.9*rate)
  assert(above < 1e-4 and below > 1e-3, ("spinning upright: %.1e above the limit, %.1e below"):format(above, below))

  -- steady turns: 6 u2 u3 r - u3^2 r tan q2 + 4 g sin q2 = 0 with u1 = 0, as runs
  local random, worst = check.generator(7), 0
  for _ = 1, 3 do random(0, 1) end
  for _ = 1, 4 do
    local lean, turn = random(0.1, 0.6), random(2, 3)
    local U3 = turn*math.cos(lean)
    local U2 = (U3^2*math.tan(lean) - 4*math.sin(lean))/(6*U3)
    local run = S:simulate{ q = { x = 0, y = 0, q1 = 0, q2 = lean, q3 = 0 }, v = { q1 = turn, q2 = 0, q3 = U2 - U3*math.tan(lean) }, t = 2,
      rtol = 1e-12, atol = 1e-13 }
    for t = 0, 2, 0.25 do
      local s = run:at(t)
      worst = math.max(worst, math.abs(s.q2 - lean), math.abs(s.v.q1 - turn), math.abs(s.v.q2))
    end
  end
  assert(worst < 1e-9, worst)
  -- centre at rest: precession^2 = 4 g/(r sin alpha), alpha the angle of the disc plane to the ground
  local alpha = 0.4
  local lean, turn = math.pi/2 - alpha, math.sqrt(4/math.sin(alpha))
  local run = S:simulate{ q = { x = 0, y = 0, q1 = 0, q2 = lean, q3 = 0 }, v = { q1 = turn, q2 = 0, q3 = -turn*math.sin(lean) }, t = 1,
    rtol = 1e-12, atol = 1e-13 }
  local centre = S:symbol "x" + r*sin(S:symbol "q1")*sin(q2)
  for t = 0, 1, 0.1 do
    near(run:at(t, centre), 0, 1e-9, "centre of the spinning disc")
    near(run:at(t).q2, lean, 1e-9, "lean of the spinning disc")
  end
  done("rolling-disc", ("steady turns kept within %.0e; centre at rest while the disc precesses"):format(worst))
end

-- ---- ball on a turntable: Weltner 1979, Burns 1981, Lewis and Murray 1995

local function turntable(inertia)
  local S = hm.system "ball on a turntable"
  local x, y, a1, a2, a3 = S:coordinates "x y a1 a2 a3"              -- a' stands for the angular velocity
  local m, r, W = S:positive "m=1 r=1/10 W=2"
  local I = inertia*m*r^2
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + I/2*(a1.dot^2 + a2.dot^2 + a3.dot^2))
  S:constraint("x", x.dot - r*a2.dot + W*y)
  S:constraint("y", y.dot + r*a1.dot - W*x)
  return S, I
end

do
  local solid, hollow = hm.rational(2, 5), hm.rational(2, 3)
  for _, case in ipairs{ { solid, 2/7, "solid" }, { hollow, 2/5, "hollow" }, { hm.rational(9, 10), 9/19, "I = 9/10 m r^2" } } do
    local S, I = turntable(case[1])
    local rate = 2*case[2]
    for _, form in ipairs{ "lagrange", "hamel", "voronets", "canonical" } do
      local run = S:simulate{ form = form, q = { x = 0.3, y = 0.1, a1 = 0, a2 = 0, a3 = 0 }, v = { x = 0.2, y = -0.1, a3 = 3 }, t = 10,
        rtol = 1e-12, atol = 1e-14 }
      local m, W = S:symbol "m", S:symbol "W"
      local x, y, a3 = S:symbol "x", S:symbol "y", S:symbol "a3"
      local turning = (m*(x.dot^2 + y.dot^2) + I*(S:symbol "a1".dot^2 + S:symbol "a2".dot^2 + a3.dot^2))/2
        - W*(m*(x*y.dot - y*x.dot) + I*a3.dot)
      local first = run:at(0, turning)
      for t = 0, 10, 0.5 do
        local s, c, d = run:at(t), math.cos(rate*t), math.sin(rate*t)
        local what = case[3] .. " ball, " .. form
        near(s.v.x, 0.2*c + 0.1*d, 1e-10, what)
        near(s.v.y, 0.2*d - 0.1*c, 1e-10, what)
        near(s.x, 0.3 + (0.2*d + 0.1*(1 - c))/rate, 1e-9, what)
        near(s.v.a3, 3, 1e-11, what .. ", spin")
        near(run:at(t, turning), first, 1e-10, what .. ", energy in the turning frame")
      end
      -- the reactions do work here; the multiplier form keeps account of it
      if form == "lagrange" then assert(run.energy_drift < 1e-9, case[3]) end
    end
  end
  done("ball-on-turntable", "V turns at 2/7 and 2/5 of the table's rate, I W/(I + m r^2) in general; energy of the turning frame")
end

-- ---- Chaplygin sleigh with offset mass centre: Chaplygin 1911, Caratheodory 1933

do
  local S = hm.system "sleigh with offset"
  local x, y, theta = S:coordinates "x y theta"
  local m, I, a = S:positive "m=1.2 I=0.5 a=0.3"
  S:kinetic_energy(m/2*(hm.dt(x + a*cos(theta))^2 + hm.dt(y + a*sin(theta))^2) + I/2*theta.dot^2)
  S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
  S:quasi_velocities("v w", { x.dot*cos(theta) + y.dot*sin(theta), theta.dot })
  local v, w = hm.functions_of_time "v w"
  for _, form in ipairs(reduced_forms) do
    local found = rates(S, form, { v, w })
    zero(found[1] - a*w^2, "v', " .. form)
    zero(found[2] + m*a*v*w/(I + m*a^2), "w', " .. form)
  end
  local along = x.dot*cos(theta) + y.dot*sin(theta)
  local K = 0.5 + 1.2*0.09
  local V = math.sqrt(0.16 + K*4/1.2)
  local l, t0 = 1.2*0.3*V/K, 0.5*math.log((V + 0.4)/(V - 0.4))
  for _, form in ipairs{ "lagrange", "nielsen", "hamel", "volterra", "maggi", "kane", "appell", "canonical" } do
    local run = S:simulate{ form = form, q = { x = 0, y = 0, theta = 0 }, v = { x = 0.4, theta = 2 }, t = 5, rtol = 1e-13, atol = 1e-14 }
    near(run:at(5, along), 1.478470662922565, 1e-11, form .. ", v at 5")
    near(run:at(5).v.theta, 0.03951595806837822, 1e-11, form .. ", w at 5")
    for t = 0, 5, 0.5 do
      local e = math.exp(l*t + t0)
      near(run:at(t, along), V*(e - 1/e)/(e + 1/e), 1e-10, form .. ", v")
      near(run:at(t).v.theta, V*math.sqrt(1.2/K)*2/(e + 1/e), 1e-10, form .. ", w")
    end
  end
  done("chaplygin-sleigh-offset", "equations exactly; tanh and sech along 8 forms, the published values at t = 5 within 1e-11")
end

-- ---- nonholonomic free particle: Rosenberg 1977, Bates and Sniatycki 1993, Cardin and Favretti 1996

do
  local S = hm.system "nonholonomic particle"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:constraint("f", z.dot - y*x.dot)
  local start = { q = { x = 0, y = 0, z = 0 }, v = { x = 1, y = 1.5 }, t = 2, rtol = 1e-13, atol = 1e-14 }
  local forms = { "lagrange", "nielsen", "chaplygin", "voronets", "hamel", "volterra", "maggi", "kane", "appell", "canonical" }
  for _, form in ipairs(forms) do
    start.form, start.dependent = form, form ~= "lagrange" and form ~= "nielsen" and { "z" } or nil
    local s = S:simulate(start):at(2)
    near(s.x, 1.2122976394880445, 1e-12, form)
    near(s.y, 3, 1e-12, form)
    near(s.z, 1.441518440112253, 1e-12, form)
    near(s.v.x, 0.31622776601683794, 1e-12, form)
    -- the only reaction that gives these accelerations: z'' = lambda
    near(s.lambda.f, s.a.z, 1e-10, form .. ", reaction")
  end
  start.form, start.dependent, start.mu = "vakonomic", nil, { f = 0.5 }
  assert(math.abs(S:simulate(start):at(2).x - 1.2122976394880445) > 1e-2, "the vakonomic model is another motion")
  done("nonholonomic-particle", "published values at t = 2 in " .. #forms .. " forms within 1e-12; the vakonomic motion is another one")
end

-- ---- two-wheeled cart: Kane and Levinson 1985, SymPy test_kane2.py

do
  local S = hm.system "two-wheeled cart"
  local x, y, theta, p1, p2 = S:coordinates "x y theta p1 p2"
  local mA, mB, IA, a, R, J, K, b = S:positive "mA mB IA a R J K b"
  local function speed2(ahead, aside)
    return hm.dt(x + ahead*cos(theta) - aside*sin(theta))^2 + hm.dt(y + ahead*sin(theta) + aside*cos(theta))^2
  end
  S:kinetic_energy(mA/2*speed2(a, 0) + IA/2*theta.dot^2 + mB/2*(speed2(0, b) + speed2(0, -b)) + K*theta.dot^2 + J/2*(p1.dot^2 + p2.dot^2))
  local along = x.dot*cos(theta) + y.dot*sin(theta)
  S:constraint("no skid", x.dot*sin(theta) - y.dot*cos(theta))
  S:constraint("left", along - b*theta.dot - R*p1.dot)
  S:constraint("right", along + b*theta.dot - R*p2.dot)
  S:quasi_velocities("u1 u2", { theta.dot, along })
  local u1, u2 = hm.functions_of_time "u1 u2"
  for _, form in ipairs(reduced_forms) do
    local found = rates(S, form, { u1, u2 })
    zero((IA + 2*J*b^2/R^2 + 2*K + mA*a^2 + 2*mB*b^2)*found[1] + mA*a*u1*u2, "u1', " .. form)
    zero((mA + 2*mB + 2*J/R^2)*found[2] - mA*a*u1^2, "u2', " .. form)
  end
  done("two-wheeled-cart", "both equations exactly in " .. #reduced_forms .. " forms")
end

-- ---- vakonomic particle on the Heisenberg group: Gaveau 1977, Brockett 1982

do
  local S = hm.system "Heisenberg group"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)                               -- z has no mass
  S:constraint("f", z.dot - (x*y.dot - y*x.dot)/2)
  local v0, lam = 0.7, 1.3
  local start = { q = { x = 0, y = 0, z = 0 }, v = { x = v0, y = 0 }, t = 2*math.pi/lam, rtol = 1e-12, atol = 1e-13 }
  start.form, start.mu = "vakonomic", { f = lam }
  local run = S:simulate(start)
  for i = 0, 10 do
    local t = i/10*2*math.pi/lam
    local s = run:at(t)
    near(s.x, v0/lam*math.sin(lam*t), 1e-10, "x")
    near(s.y, v0/lam*(1 - math.cos(lam*t)), 1e-10, "y")
    near(s.z, v0^2/(2*lam^2)*(lam*t - math.sin(lam*t)), 1e-10, "z")
  end
  -- one full circle is the shortest way to (0, 0, z): its length is sqrt(4 pi z)
  near(v0*2*math.pi/lam, math.sqrt(4*math.pi*run:at(2*math.pi/lam).z), 1e-10, "length")
  start.form, start.mu = nil, nil
  local s = S:simulate(start):at(3)
  near(s.x, v0*3, 1e-10, "nonholonomic x")
  near(s.y, 0, 1e-12, "nonholonomic y")
  near(s.z, 0, 1e-12, "nonholonomic z")
  done("heisenberg-vakonomic", "circles and their area; the nonholonomic motion is straight; a coordinate without mass")
end

-- ---- plate on a rod: SymPy test_chaos_pendulum; PyDy; Mitiguy

do
  local S = hm.system "plate on a rod"
  local theta, phi = S:coordinates "theta phi"
  local mA, mB, lA, lB, IA, I1, I2, I3, g = S:positive "mA=0.01 mB=0.1 lA=0.075 lB=0.2 IA=5e-5 I1=2.5e-4 I2=5e-5 I3=2e-4 g=9.81"
  -- angular velocities from the rotation matrices themselves: w = the vector of R^T R'
  local function rotation(axis, angle)
    local c, s = cos(angle), sin(angle)
    if axis == "y" then return { { c, 0, s }, { 0, 1, 0 }, { -s, 0, c } } end
    return { { c, -s, 0 }, { s, c, 0 }, { 0, 0, 1 } }
  end
  local function product(A, B)
    local P = {}
    for i = 1, 3 do
      P[i] = {}
      for j = 1, 3 do P[i][j] = A[i][1]*B[1][j] + A[i][2]*B[2][j] + A[i][3]*B[3][j] end
    end
    return P
  end
  local function spin(R)
    local function entry(i, j)
      local sum = hm.number(0)
      for k = 1, 3 do sum = sum + R[k][i]*hm.dt(hm.number(R[k][j])) end
      return sum
    end
    return entry(3, 2), entry(1, 3), entry(2, 1)
  end
  local A = rotation("y", theta)
  local B = product(A, rotation("z", phi))
  local _, hinge = spin(A)
  local w1, w2, w3 = spin(B)
  local function height(l) return -l*A[3][3] end
  local function speed2(l) return hm.dt(-l*A[1][3])^2 + hm.dt(-l*A[3][3])^2 end
  S:kinetic_energy(mA/2*speed2(lA) + IA/2*hinge^2 + mB/2*speed2(lB) + I1/2*w1^2 + I2/2*w2^2 + I3/2*w3^2)
  S:potential_energy(g*(mA*height(lA) + mB*height(lB)))
  local e = S:equations()
  local found = hm.solve({ e[1], e[2] }, { theta.ddot, phi.ddot })
  local omega, alpha = theta.dot, phi.dot
  zero(found[1] - (2*(I2 - I1)*alpha*omega*sin(phi)*cos(phi) - g*(lA*mA + lB*mB)*sin(theta))
    /(IA + I1*sin(phi)^2 + I2*cos(phi)^2 + lA^2*mA + lB^2*mB), "omega'")
  zero(found[2] - (I1 - I2)*omega^2*sin(phi)*cos(phi)/I3, "alpha'")
  local run = S:simulate{ q = { theta = 1.57, phi = 0.01 }, v = { theta = 0, phi = 0 }, t = 5, rtol = 1e-11, atol = 1e-12 }
  assert(run.energy_drift < 1e-9)
  done("chaos-pendulum", "both equations exactly, from rotation matrices; energy along a run")
end


-- ---- bouncing ball with a Zeno point: exact; Siconos BouncingBallED with its event-driven reference

do
  local S, y = mechanics.body("bouncing ball", "y")
  S:force(y, -hm.number "9.81")
  S:unilateral("floor", y, { law = hm.newton(0.9) })
  local run = S:simulate{ q = { y = 1 }, v = { y = 0 }, t = 9, rtol = 1e-12, atol = 1e-13 }
  for k, t in ipairs{ 0.45152364098573094, 1.26426619476004679, 1.99573449315693048 } do near(run.impacts[k].t, t, 1e-12) end
  near(run.impacts[44].t, 8.491374025647698, 1e-11)
  local before = 0
  for _, impact in ipairs(run.impacts) do if impact.t < 8.5 then before = before + 1 end end
  assert(before == 44)
  near(run.impacts[44].after.v.y, 4.295561258407163e-2, 1e-9)
  -- contact begins where what is left of flying is below what the tolerance sees
  near(run.notes[1].t, 8.578949178728888, 1e-6)
  local s = run:at(9)
  assert(s.y == 0 and s.v.y == 0)
  done("bouncing-ball-zeno", ("impacts to 1e-12, the 44th to 1e-11; rest from %.9f, Zeno time 8.578949179"):format(run.notes[1].t))
end

-- ---- rocking block: Housner 1963

do
  local alpha, theta0 = 0.05, 0.02
  local function block(potential)
    local S = hm.system "rocking block"
    local theta = S:coordinates "theta"
    S:kinetic_energy(hm.rational(2, 3)*theta.dot^2)                       -- m = R = 1
    S:potential_energy(potential(theta))
    return S
  end
  -- slender, linearised, without loss: a full period is (4/p) acosh(1/(1 - theta0/alpha)), p^2 = 3 g/(4 R)
  local S = block(function(theta) return hm.number "9.81"*(alpha*theta - theta^2/2) end)
  S:unilateral("corner", S:symbol "theta", { law = hm.newton(1) })
  local run = S:simulate{ q = { theta = theta0 }, v = { theta = 0 }, t = 3, rtol = 1e-12, atol = 1e-14 }
  local p = math.sqrt(3*9.81/4)
  local function acosh(x) return math.log(x + math.sqrt(x*x - 1)) end
  near(4*run.impacts[1].t, 4/p*acosh(1/(1 - theta0/alpha)), 1e-11)
  near(run.impacts[2].t - run.impacts[1].t, 2*run.impacts[1].t, 1e-11)
  -- with the impact of Housner: rates in the ratio 1 - 3/2 sin^2 alpha, energies in its square
  local ratio = 1 - 1.5*math.sin(0.3)^2
  local H = block(function(theta) return hm.number "9.81"*hm.cos(hm.number "0.3" - theta) end)
  H:unilateral("corner", H:symbol "theta", { law = hm.newton(ratio) })
  run = H:simulate{ q = { theta = 0.2 }, v = { theta = 0 }, t = 4, rtol = 1e-12, atol = 1e-14 }
  for k = 1, 3 do
    local impact = run.impacts[k]
    near(-impact.after.v.theta/impact.before.v.theta, ratio, 1e-12)
    local rest = 9.81*math.cos(0.3)
    near((impact.after.energy - rest)/(impact.before.energy - rest), ratio^2, 1e-11)
  end
  done("rocking-block", "slender period (4/p) acosh(1/(1 - theta0/alpha)); rates in the ratio 1 - 3/2 sin^2 alpha")
end

-- ---- bowling ball: Coriolis 1835: slip keeps its direction, S = S0 (1 - 7 mu g t/(2 |S0|)), rolling from t* on

do
  local mu, g = 0.2, 9.81
  local S = hm.system "bowling ball"
  local x, y, a, b = S:coordinates "x y a b"                              -- a: turning that carries it along x, b: along y; radius one
  S:kinetic_energy((x.dot^2 + y.dot^2)/2 + (a.dot^2 + b.dot^2)/5)
  S:friction("lane", { slip = { x.dot - a.dot, y.dot - b.dot }, normal = hm.number "9.81", coefficient = hm.number "0.2" })
  local function roll(V, S0)
    local start = { x = V[1], y = V[2], a = V[1] - S0[1], b = V[2] - S0[2] }
    local run = S:simulate{ q = { x = 0, y = 0, a = 0, b = 0 }, v = start, t = 4, rtol = 1e-12, atol = 1e-13 }
    local size = math.sqrt(S0[1]^2 + S0[2]^2)
    local stop = 2*size/(7*mu*g)
    local switch
    for _, item in ipairs(run.switches) do if item.to == "stick" and not switch then switch = item end end
    near(switch.t, stop, 1e-11)
    for i, name in ipairs{ "x", "y" } do near(run:at(4).v[name], V[i] - 2/7*S0[i], 1e-11) end
    -- a parabola until then, with the slip in its first direction
    local s, t = run:at(stop/2), stop/2
    for i, name in ipairs{ "x", "y" } do near(s[name], V[i]*t - mu*g*S0[i]/size*t^2/2, 1e-11) end
    near((s.v.x - s.v.a)*S0[2], (s.v.y - s.v.b)*S0[1], 1e-10)
    return run, stop
  end
  local run, stop = roll({ 3, 0 }, { 3, 0 })                              -- without spin
  near(run:at(4).v.x, 15/7, 1e-11)
  near(run:at(stop).x, 12*9/(49*mu*g), 1e-11)
  near((run:at(0).energy - run:at(4).energy)/run:at(0).energy, 2/7, 1e-11)
  roll({ 3, 1 }, { 5, -2 })                                               -- backspin and sidespin
  roll({ 1, 0 }, { -4, 3 })
  done("bowling-ball", "t* = 2 |S0|/(7 mu g), V* = V0 - 2/7 S0, parabola before; without spin 5/7, 12 v^2/(49 mu g), 2/7 of the energy")
end

print "ok"
