-- A ball that rolls on a turning table, tilted or not: it drifts across the slope, not down it, along a cycloid.
-- Sources: Earnshaw, Dynamics (1844); Milne, Vectorial Mechanics (1948); Burns, Am. J. Phys. 49 (1981) 56-58; measured: Lewis, Murray, Int. J.
-- Non-Linear Mechanics 30 (1995) 793-815. S1 and S2 are published, the closed form and the table of variable speed are derived here.
--
--   hamel scripts/library/tilted-turning-table.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"

local P = hm.paper{ title = "Ball on a tilted turning table (Earnshaw 1844; Milne 1948; Burns 1981)", tolerance = 1e-13 }

-- I = k m a^2; the table, turned by `angle`, is the plane z = 0; the weight has the component m G along x
local function table_system(name, angle)
  local S = hm.system(name)
  local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
  local m, a, k, g = S:positive "m=1 a=1/4 k=2/3 g=10"
  local G = S:parameters "G=1/4"
  local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = m, inertia = {k*m*a^2, k*m*a^2, k*m*a^2}, shape = {"sphere", radius = a} })
  S:rolls("roll", ball, N:rotate("z", angle(S)):plane())
  S:gravity(G*N.x - g*N.z)
  return S, k, G, ball
end

local function conserved(S, list)
  local result = {}
  for i, F in ipairs(list) do
    local answer, rate = S:is_conserved(F)
    result[i] = answer and hm.number(0) or rate
  end
  return result
end

-- ---- S1: the equation is the rate of two integrals

local W
local S, k, G, ball = table_system("ball on a tilted turning table", function(system)
  W = system:parameters "W=3/2"
  return W*hm.t
end)
local x, y = S:symbol "x", S:symbol "y"
P:agrees("S1", "z = x + i y: (1 + k) z'' = i k W z' + G", conserved(S, { (1 + k)*x.dot + k*W*y - G*hm.t, (1 + k)*y.dot - k*W*x }), nil,
  "(1 + k) x' + k W y - G t and (1 + k) y' - k W x are integrals")
P:agrees("S1", "the spin about the normal is constant", conserved(S, { ball:angular_velocity():dot(S:frame "N".z) }))

-- ---- S2, S3

local t = hm.t
local X0, Y0, U0, V0 = hm.symbols "x0 y0 u0 v0"
local q, v = k*W/(1 + k), G/(k*W)
local function cs(e) return hm.cos(e), hm.sin(e) end
local c, s = cs(q*t)
-- (z0' - v)(exp(i q t) - 1)/(i q) with v = i G/(k W)
local solution_x = X0 + (U0*s + (V0 - v)*(c - 1))/q
local solution_y = Y0 + v*t + ((V0 - v)*s - U0*(c - 1))/q
local function rate(e) return hm.partial(e, t) end
local at_start = { [t] = 0 }
P:agrees("S3", "z = z0 + v t + (z0' - v)(exp(i q t) - 1)/(i q), q = k W/(1 + k), v = i G/(k W)", {
  (1 + k)*rate(rate(solution_x)) + k*W*rate(solution_y) - G, (1 + k)*rate(rate(solution_y)) - k*W*rate(solution_x),
  solution_x:subs(at_start) - X0, solution_y:subs(at_start) - Y0, rate(solution_x):subs(at_start) - U0, rate(solution_y):subs(at_start) - V0 }, nil,
  "put into S1, with the start")
P:agrees("S2", "mean motion across the slope with G/(k W), (5/2) g sin(alpha)/W for the solid ball; circles at the rate k W/(1 + k)",
  { v:subs{ [k] = hm.rational(2, 5) } - 5*G/(2*W), v:subs{ [G] = hm.rational(1, 4), [k] = hm.rational(2, 3), [W] = hm.rational(3, 2) } - hm.rational(1, 4) },
  nil,
  "S3: the rest is periodic; here 1/4 along +y")
local start = { form = "hamel", q = { x = 1, y = 0, R = {1, 0, 0, 0} }, v = { x = "1/2", y = "1/4", r = 0 }, t = 10 }
local function closed(time)
  local angle = 0.6*time
  return 1 + 0.5*math.sin(angle)/0.6, 0.25*time + 0.5*(1 - math.cos(angle))/0.6
end
local run = S:simulate{ method = "taylor", q = start.q, v = start.v, t = 10, rtol = 1e-14, atol = 1e-15 }
local worst = 0
for time = 0, 10, 0.25 do
  local X, Y = closed(time)
  worst = math.max(worst, math.abs(run:at(time).x - X), math.abs(run:at(time).y - Y))
end
P:agrees("S3", "x, y up to t = 10", worst, "run of the body against the closed form")
start.digits = 24
local reference, values = S:reference(start).q, "x(10) = 0.76715375150089510599, y(10) = 2.5331914277913616495"
P:digits("S3", values, { reference.x, reference.y }, "reference solution")
local at_ten = { [t] = 10, [X0] = 1, [Y0] = 0, [U0] = hm.rational(1, 2), [V0] = hm.rational(1, 4), [k] = hm.rational(2, 3), [W] = hm.rational(3, 2),
  [G] = hm.rational(1, 4) }
P:digits("S3", values, { solution_x:subs(at_ten), solution_y:subs(at_ten) }, "closed form")

-- ---- S4: a table with a coordinate of its own, turned by any torque; whatever W(t) is, some torque gives it

local turn
local V, kv, Gv, ballv = table_system("ball on a table of variable speed", function(system)
  turn = system:coordinates "turn"
  local J = system:positive "J=1"
  system:kinetic_energy(J/2*turn.dot^2)
  system:force(turn, (system:parameters "torque"))
  return turn
end)
local xv, yv = V:symbol "x", V:symbol "y"
V:quasi_velocities("u v s f", { xv.dot, yv.dot, ballv:angular_velocity():dot(V:frame "N".z), turn.dot })
P:agrees("S4", "table of variable speed, no slope: z' - i k/(1 + k) W(t) z is constant", conserved(V, {
  xv.dot + kv/(1 + kv)*turn.dot*yv - Gv*hm.t/(1 + kv), yv.dot - kv/(1 + kv)*turn.dot*xv }), nil,
  "for a table under any torque, hence for every W(t); with a slope G t/(1 + k) is added")
local U = table_system("ball on a table that speeds up", function() return hm.t^2/4 end)
local spun = U:simulate{ method = "taylor", q = { x = 1, y = 0, R = {1, 0, 0, 0} }, v = { x = 0, y = 0, r = 0 }, t = 10, parameters = { G = 0 },
  rtol = 1e-14, atol = 1e-15 }
worst = 0
for time = 0, 10, 0.25 do
  worst = math.max(worst, math.abs(spun:at(time).x - math.cos(0.1*time^2)), math.abs(spun:at(time).y - math.sin(0.1*time^2)))
end
P:agrees("S4", "W = t/2 from rest: z = exp(i k t^2/(4 (1 + k)))", worst, "run against the closed form")

P:show(S)
P:show(function() return S:equations "hamel" end)
local drift = S:simulate{ q = start.q, v = start.v, t = 40, rtol = 1e-10 }
P:show(function() return drift:plot("x", "y") end)
P:show(function() return drift:animate{ { "trace", of = { x, y } } } end)
P:save(run, "tilted_table", { n = 1001 })
P:save(spun, "spun_table", { n = 1001 })

os.exit(P:finish())
