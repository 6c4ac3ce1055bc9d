-- Shortest motions of a skate in the plane: sub-Riemannian geodesics on SE(2) as vakonomic motions, and the places where two of them meet.
-- Sources: Moiseev, Sachkov, ESAIM: COCV 16 (2010) 380-399; Sachkov, ESAIM: COCV 16 (2010) 1018-1039 and 17 (2011) 293-321 (cut time); see also
-- Ardentov, Sachkov, arXiv 1408.6651. S3 is derived here; that the cut times of S2 and S4 are optimal is published and not proved here.
--
--   hamel scripts/library/se2-geodesics.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local csv
for i = 1, #arg do
  if arg[i] == "--csv" then csv = arg[i + 1] or error("--csv needs a folder", 0) end
end

local P = hm.paper{ title = "Shortest motions of a skate: SE(2) and the cut time (Moiseev and Sachkov 2010; Sachkov 2010, 2011)", tolerance = 1e-12 }

local S = hm.system "skate"
local x, y, theta = S:coordinates "x y theta"
S:kinetic_energy((x.dot^2 + y.dot^2 + theta.dot^2)/2)
S:constraint("skate", x.dot*sin(theta) - y.dot*cos(theta))

-- ---- the extremals: h1 = cos A along the skate, h2 = sin A = theta', h3 = mu

local E = S:equations "vakonomic"
local f, u, mu = S.constraints.skate.f, x.dot*cos(theta) + y.dot*sin(theta), E.mu[1]
P:agrees("system", "h1' = -h3 h2, h2' = h3 h1, h3' = h1 h2 with h1 = x' cos theta + y' sin theta, h2 = theta', h3 = mu", {
  E[1]*cos(theta) + E[2]*sin(theta) - (hm.dt(u) + theta.dot*f + mu*theta.dot), E[3] - (theta.ddot - mu*u),
  E[1]*sin(theta) - E[2]*cos(theta) - (hm.dt(f) - theta.dot*u + mu.dot) }, nil,
  "combinations of the vakonomic equations, f = 0 on the constraint; A' = h3, h3' = sin(2 A)/2 for h1 = cos A, h2 = sin A")

local function extremal(A, h3, t)
  return S:simulate{ form = "vakonomic", q = { x = 0, y = 0, theta = 0 }, v = { x = math.cos(A), y = 0, theta = math.sin(A) }, mu = { skate = h3 }, t = t,
    rtol = 1e-13, atol = 1e-14 }
end
-- The equations of the maximum principle, as constraints of the first order
local function hamiltonian(A, h3, t)
  local V = hm.system "maximum principle"
  local a, h, X, Y, Th = V:coordinates "A h3 x y theta"
  V:kinetic_energy((a.dot^2 + h.dot^2 + X.dot^2 + Y.dot^2 + Th.dot^2)/2)
  for name, row in pairs{ A = a.dot - h, h3 = h.dot - sin(2*a)/2, x = X.dot - cos(a)*cos(Th), y = Y.dot - cos(a)*sin(Th), theta = Th.dot - sin(a) } do
    V:constraint(name, row)
  end
  return V:simulate{ q = { A = A, h3 = h3, x = 0, y = 0, theta = 0 }, t = t, rtol = 1e-13, atol = 1e-14 }
end
local function apart(one, two, t)
  local a, b = one:at(t), two:at(t)
  return math.max(math.abs(a.x - b.x), math.abs(a.y - b.y), math.abs(math.sin((a.theta - b.theta)/2)))
end

-- ---- S1

local a, h = hm.functions_of_time "A h3"
P:agrees("S1", "k^2 = h1^2 + h3^2 is constant", hm.dt(cos(a)^2 + h^2):subs{ [h.dot] = sin(2*a)/2, [a.dot] = h })
local A, h3 = 0.7, 0.4
local k = math.sqrt(math.cos(A)^2 + h3^2)
local run, other = extremal(A, h3, 12), hamiltonian(A, h3, 12)
local swing, drift, worst = 0, 0, 0
for t = 0, 12, 0.1 do
  local s = other:at(t)
  swing = math.max(swing, math.abs(s.A - math.pi/2))
  drift = math.max(drift, math.abs(run:at(t, u)^2 + run:at(t).mu.skate^2 - k^2))
  worst = math.max(worst, apart(run, other, t))
end
P:holds("S1", "k < 1: the pendulum 2 A swings about pi", swing < math.asin(k) + 1e-9, ("|A - pi/2| up to %.6f, arcsin k = %.6f"):format(swing, math.asin(k)))
P:agrees("S1", ("h1^2 + h3^2 along a run, k = %.15f"):format(k), { k - 0.86312430822571581037, drift },
  "vakonomic run to t = 12")
P:agrees("run", "the vakonomic motion is that of the maximum principle", worst, "two runs to t = 12")

-- ---- S2, S3

local function complete(modulus)
  local p, q = 1, math.sqrt(1 - modulus^2)
  while math.abs(p - q) > 1e-15 do p, q = (p + q)/2, math.sqrt(p*q) end
  return math.pi/(p + q)
end
local T = 2*complete(k)
local mirror = extremal(-A, h3, T)
local s, m = run:at(T), mirror:at(T)
P:agrees("S3", ("at T = 2 K(k) = %.15f: theta = pi, and -pi for the extremal from (-A, h3)"):format(T),
  { T - 4.2952443788143687689, s.theta - math.pi, m.theta + math.pi },
  "vakonomic runs, K by the arithmetic-geometric mean", "theta' = sin A = dn(t + t0), and am grows by pi over 2 K")
P:agrees("S3", "the extremals from (A, h3) and (-A, h3) meet in x, y there", { s.x - m.x, s.y - m.y, s.x - 1.9165908877640359774, s.y + 1.0023458013312471889 },
  "vakonomic runs, and against values with 20 digits", ("x = %.15f, y = %.15f"):format(s.x, s.y))
P:agrees("S2", "k < 1: two extremals of the same length meet at 2 K(k) (a Maxwell point), so that the cut time is at most 2 K(k)",
  apart(run, mirror, T), "two runs")
P:not_checked("S2", "the cut time is 2 K(k): no shorter motion before it",
  "needs a proof that there is neither a conjugate nor an earlier Maxwell point (Sachkov 2010, 2011)")

-- ---- S4: Jacobi's functions of modulus 1/k from their differential equations

local K2 = math.sqrt(math.cos(A)^2 + 1.2^2)
local function first_zero(modulus)
  local V = hm.system "Jacobi's functions"
  local sn, cn, dn, e = V:coordinates "sn cn dn e"
  local square = V:parameters("square=" .. ("%.17g"):format(modulus^2))
  V:kinetic_energy((sn.dot^2 + cn.dot^2 + dn.dot^2 + e.dot^2)/2)
  for name, row in pairs{ sn = sn.dot - cn*dn, cn = cn.dot + sn*dn, dn = dn.dot + square*sn*cn, e = e.dot - dn^2 } do V:constraint(name, row) end
  local zeros = V:simulate{ q = { sn = 0, cn = 1, dn = 1, e = 0 }, t = 2*complete(modulus), rtol = 1e-14, atol = 1e-15,
    events = { { name = "zero", when = cn*(e - hm.t) - dn*sn } } }.events
  for _, event in ipairs(zeros) do if event.t > 0.1 then return event.t end end
end
local p = first_zero(1/K2)
local T2 = 2*p/K2
P:agrees("S4", ("k > 1: T = 2 p/k = %.15f for A = 7/10, h3 = 6/5; p/K = %.11f"):format(T2, p/complete(1/K2)),
  T2 - 3.995049827628415816688,
  "p, the first positive zero of cn p (E(p) - p) - dn p sn p, from Jacobi's functions of modulus 1/k as solutions")
local fast, turned = extremal(A, 1.2, T2), hamiltonian(A, 1.2, T2)
local end_state = turned:at(T2)
local partner = extremal(math.pi - end_state.A, end_state.h3, T2)
P:agrees("S4", "the extremals from (A, h3) and (pi - A(T), h3(T)) end in the same place: a Maxwell point", apart(fast, partner, T2), "two vakonomic runs",
  ("at x = %.12f, y = %.12f, theta = %.12f"):format(fast:at(T2).x, fast:at(T2).y, fast:at(T2).theta))
P:not_checked("S4", "the cut time is 2 p/k", "as S2: that no shorter motion leads there is not proved here")

P:show(S)
P:show(E)
P:show(function() return run:plot("x", "y") end)
P:show(function() return mirror:plot("x", "y") end)
P:show(function() return run:animate{ { "blade", at = { x, y }, along = { cos(theta), sin(theta) } }, { "trace", of = { x, y } } } end)
if csv then
  run:save(csv .. "/skate.csv", { n = 1001 })
  mirror:save(csv .. "/skate_mirror.csv", { n = 1001 })
end

os.exit(P:finish())
