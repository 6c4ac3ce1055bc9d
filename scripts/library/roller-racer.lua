-- The roller racer: two bodies joined by a pivot, each on an axle that cannot slip sideways; free, and driven by its rider.
-- Sources: Krishnaprasad, Tsakiris, Dynamical Systems 16 (2001) 347-397; Bizyaev, Regular and Chaotic Dynamics 22 (2017) 239-247; Bizyaev,
-- Borisov, Mamaev, ibid. 23 (2018) 983-994. The statements are derived here.
-- u is the speed of the rear axle, theta the heading, phi the angle of the front body against the rear one, D = a cos(phi) + b.
--
--   hamel scripts/library/roller-racer.lua      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local P = hm.paper{ title = "Krishnaprasad, Tsakiris 2001; Bizyaev 2017: the roller racer", tolerance = 1e-13 }

-- phi is a coordinate, or a given function of time
local function racer(given)
  local S = hm.system "roller racer"
  local x, y, theta = S:coordinates "x y theta"
  local phi = given or S:coordinates "phi"
  local m, I, K, a, b = S:positive "m=1 I=1/2 K=1/4 a=1 b=1/4"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + I/2*theta.dot^2 + K/2*(theta.dot + hm.dt(phi))^2)
  local fx, fy = hm.dt(x + a*cos(theta) + b*cos(theta + phi)), hm.dt(y + a*sin(theta) + b*sin(theta + phi))
  S:constraint("rear", y.dot*cos(theta) - x.dot*sin(theta))
  S:constraint("front", fy*cos(theta + phi) - fx*sin(theta + phi))
  return S, x.dot*cos(theta) + y.dot*sin(theta), phi, theta
end
local function tight(q, v, t) return { q = q, v = v, t = t, method = "taylor", rtol = 1e-14, atol = 1e-16 } end

P:definition("system", "m = 1, I = 1/2, K = 1/4, a = 1, b = 1/4; free from phi = 1/4, u = 1/2, phi' = 1/8; driven by phi = sin(2 t)/2")

local S, u, phi, theta = racer()
local m, I, K, a, b = S:symbol "m", S:symbol "I", S:symbol "K", S:symbol "a", S:symbol "b"
local D = a*cos(phi) + b

-- S1: rates on the constraints, in the speed and phi'
local speed = hm.symbols "u"
local x, y = S:symbol "x", S:symbol "y"
local rolled = hm.solve({ S.constraints.rear.f, S.constraints.front.f, u - speed }, { x.dot, y.dot, theta.dot })
local on = { [x.dot] = rolled[1], [y.dot] = rolled[2], [theta.dot] = rolled[3] }
local function rate(e) return select(2, S:is_conserved(e)):subs(on) end
P:agrees("system", "rolling: theta' D = u sin(phi) - b phi'", rolled[3]*D - (speed*sin(phi) - b*phi.dot))
local du, turn, swing = rate(u), rate(theta.dot), rate(phi.dot)
local both = I*turn + K*(turn + swing)
P:agrees("S1", "free: m D u' + sin(phi) (I theta'' + K (theta'' + phi'')) = 0 and K (theta'' + phi'') = (b/D)(I theta'' + K (theta'' + phi''))",
  { m*D*du + sin(phi)*both, K*(turn + swing) - b/D*both })

-- S2
local still = { [phi.dot] = 0 }
P:agrees("S2", "every phi = const, u = const is a steady motion", { du:subs(still), swing:subs(still) })
local at = a + b
local alpha = K - b*(I + K)/at
local root = -speed*alpha/(at*K*(1 - b/at) - alpha*b)
local slope = swing:diff(phi.dot):subs(still):subs{ [phi] = 0 }
P:agrees("S2", "straight on: one eigenvalue -u alpha/(D K (1 - b/D) - alpha b), alpha = K - b (I + K)/D, D = a + b", slope - root, nil,
  "the others are zero: phi and u are constants of the family")
P:agrees("S2", "it changes its sign where a K = b I: alpha = (a K - b I)/(a + b), and the divisor is positive",
  { alpha - (a*K - b*I)/at, at*K*(1 - b/at) - alpha*b - (K*a^2 + I*b^2)/at })
local function fastest(forwards)
  local eigenvalues, found = S:linearize{ q = { x = 0, y = 0, theta = 0, phi = 0 }, v = { x = forwards, phi = 0 } }.eigenvalues, 0
  for _, e in ipairs(eigenvalues) do if math.abs(e.re) > math.abs(found) then found = e.re end end
  return found
end
P:agrees("S2", "here -4/9 at u = 1, stable forwards, and 4/9 at u = -1, unstable backwards",
  { fastest(1) + 4/9, fastest(-1) - 4/9 }, "eigenvalues of the linearised equations")
local declared = { [m] = 1, [I] = hm.rational(1, 2), [K] = hm.rational(1, 4), [a] = 1, [b] = hm.rational(1, 4) }
P:digits("S2", "eigenvalue = -0.44444444444444444444 at u = 1", { root:subs(declared):subs{ [speed] = 1 } }, "the formula, a fraction")

-- the free run, and the equations S1 by hand in u and c = phi'
do
  local run = S:simulate(tight({ x = 0, y = 0, theta = 0, phi = 0.25 }, { x = 0.5, phi = 0.125 }, 10))
  local F = hm.system "reduced equations"
  local X, Y, th, f, U, c = F:coordinates "X Y th f U c"
  F:kinetic_energy((X.dot^2 + Y.dot^2 + th.dot^2 + f.dot^2 + U.dot^2 + c.dot^2)/2)
  local d = cos(f) + hm.rational(1, 4)
  local w = (U*sin(f) - c/4)/d
  local bend = w:diff(U)*U.dot + w:diff(c)*c.dot + w:diff(f)*c
  local sum = bend/2 + (bend + c.dot)/4
  F:constraint("X", X.dot - U*cos(th)); F:constraint("Y", Y.dot - U*sin(th)); F:constraint("th", th.dot - w); F:constraint("f", f.dot - c)
  F:constraint("U", d*U.dot + sin(f)*sum); F:constraint("c", (bend + c.dot)/4 - sum/(4*d))
  local second = F:simulate(tight({ X = 0, Y = 0, th = 0, f = 0.25, U = 0.5, c = 0.125 }, nil, 10))
  assert(run.status == "OK" and second.status == "OK")
  local s, by = run:at(10), second:at(10)
  local exact = S:reference{ q = { x = 0, y = 0, theta = 0, phi = "1/4" }, v = { x = "1/2", phi = "1/8" }, t = 10, digits = 25 }.q
  P:digits("S1", "free: x(10) = 2.1566019743875912584, y(10) = 2.8327116866920346979", { exact.x, exact.y }, "reference solution")
  P:digits("S1", "free: theta(10) = 2.3428299766546569301, phi(10) = 0.81468733056286790214", { exact.theta, exact.phi }, "reference solution")
  P:agrees("S1", "the run with multipliers is the reference solution", { s.x - tonumber(exact.x), s.phi - tonumber(exact.phi) }, "two solutions")
  P:agrees("S1", "the run with multipliers and the equations in u and phi' move alike", { s.x - by.X, s.y - by.Y, s.theta - by.th, s.phi - by.f }, "two runs")
end

-- S3: driven. With theta' from rolling, the first equation of S1 holds for every phi(t); here for any phi, phi', phi''
do
  local U, dU, c, dc = hm.symbols "u du c dc"
  local inertia = 1 + (I + K)*sin(phi)^2/(m*D^2)
  local ratio, lever = sin(phi)/D, b*c/D
  local dlever = lever:diff(phi)*c + b*dc/D
  local law = m*D*dU + sin(phi)*((I + K)*(dU*ratio + U*ratio:diff(phi)*c - dlever) + K*dc)
  P:agrees("S3", "g = 1 + (I + K) sin^2 phi/(m D^2): (g^(1/2) u)' = -sin(phi)/(m D g^(1/2)) (K phi'' - (I + K)(b phi'/D)')",
    law - m*D*(inertia*dU + U*inertia:diff(phi)*c/2) - sin(phi)*(K*dc - (I + K)*dlever), nil,
    "so every period of phi adds the same to g^(1/2) u")
  -- quadrature over a period: equal steps are exact to rounding for a smooth periodic function
  local n, gain = 200, 0
  for i = 0, n - 1 do
    local t = math.pi*i/n
    local p, dp, ddp = math.sin(2*t)/2, math.cos(2*t), -2*math.sin(2*t)
    local d, s = math.cos(p) + 0.25, math.sin(p)
    local change = 0.25*(ddp/d + dp^2*s/d^2)
    gain = gain - s/(d*math.sqrt(1 + 0.75*s^2/d^2))*(0.25*ddp - 0.75*change)*math.pi/n
  end
  local R, v, _, heading = racer(sin(2*hm.t)/2)
  local exact = R:reference{ q = { x = 0, y = 0, theta = 0 }, v = { x = 0 }, times = { hm.pi, 10*hm.pi }, digits = 22 }
  P:digits("S3", "gain per stroke u(pi) = 0.12055049856605042312, u(10 pi) = 1.2055049856605042312",
    { P:exactly(R, exact[1])(v), P:exactly(R, exact[2])(v) }, "reference solution with phi = sin(2 t)/2, from rest")
  P:agrees("S3", "the gain by quadrature", gain - P:exactly(R, exact[1])(v):eval(), "sum over a period against the reference solution")
  local run = R:simulate(tight({ x = 0, y = 0, theta = 0 }, { x = 0 }, 10*math.pi))
  assert(run.status == "OK")
  local off = {}
  for k = 1, 10 do off[k] = run:at(k*math.pi, v) - k*gain end
  P:agrees("S3", "u(n T) = n u(T), n = 1 to 10", off, "run against the quadrature")
  P:show(S)
  P:show(function() return run:plot("x", "y", { title = "path of the rear axle, driven" }) end)
  local q = { R:symbol "x", R:symbol "y" }
  local front = { q[1] + cos(heading) + cos(heading + sin(2*hm.t)/2)/4, q[2] + sin(heading) + sin(heading + sin(2*hm.t)/2)/4 }
  local pivot = { q[1] + cos(heading), q[2] + sin(heading) }
  P:show(function() return run:animate({ { "bar", from = q, to = pivot }, { "bar", from = pivot, to = front }, { "trace", of = q } }, { view = {0, 90} }) end)
end

-- S4
do
  local quick = tight({ x = 0, y = 0, theta = 0, phi = 0.25 }, { x = 0.5, phi = 1 }, 10)
  local run = S:simulate(quick)
  local past = run:keep{ "max phi" }["max phi"]
  S:quasi_velocities("u c", { u, phi.dot })
  quick.form = "hamel"
  local chart = S:simulate(quick)
  local place = run:at(chart.outcome.t).phi              -- the chart keeps no values where it is singular
  P:holds("S4", "the equations in u and phi' are singular where cos(phi) = -b/a, phi = 1.8235: a run of them stops there",
    chart.status == "SINGULAR" and { math.abs(place - math.acos(-0.25)), "<", 1e-7 },
    ("status %s at phi = %.9f, off by"):format(chart.status, place), chart.reason)
  P:holds("S4", ("the motion is not singular there: the run with multipliers passes the place, up to phi = %.4f"):format(past),
    run.status == "OK" and { past, ">", 1.83 }, "largest phi of the run",
    ("its energy is constant within %.1e"):format(run.energy_drift))
end

os.exit(P:finish())
