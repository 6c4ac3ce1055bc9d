-- Shortest motions of a skate in the plane: sub-Riemannian geodesics on SE(2) as vakonomic motions, and the places where two of them meet.
-- Sources: Moiseev, Sachkov, ESAIM: COCV 16 (2010) 380-399; Sachkov, ESAIM: COCV 16 (2010) 1018-1039 and 17 (2011) 293-321 (cut time); see also
-- Ardentov, Sachkov, arXiv 1408.6651. S3 is derived here; that the cut times of S2 and S4 are optimal is published and not proved here.
--
--   hamel scripts/library/se2-geodesics.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

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
local function principle()
  local V = hm.system "maximum principle"
  local a, h, X, Y, Th = V:coordinates "A h3 x y theta"
  V:kinetic_energy((a.dot^2 + h.dot^2 + X.dot^2 + Y.dot^2 + Th.dot^2)/2)
  for name, row in pairs{ A = a.dot - h, h3 = h.dot - sin(2*a)/2, x = X.dot - cos(a)*cos(Th), y = Y.dot - cos(a)*sin(Th), theta = Th.dot - sin(a) } do
    V:constraint(name, row)
  end
  return V, h
end
local function hamiltonian(A, h3, t)
  local V, h = principle()
  return V:simulate{ q = { A = A, h3 = h3, x = 0, y = 0, theta = 0 }, t = t, rtol = 1e-13, atol = 1e-14, events = { { name = "turn", when = h } } }
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
local swing, drift, worst = {}, 0, 0
for i, event in ipairs(other.events) do swing[i] = math.abs(other:at(event.t).A - math.pi/2) - math.asin(k) end
for t = 0, 12, 0.1 do
  drift = math.max(drift, math.abs(run:at(t, u)^2 + run:at(t).mu.skate^2 - k^2))
  worst = math.max(worst, apart(run, other, t))
end
P:agrees("S1", "k < 1: the pendulum 2 A swings about pi, A - pi/2 between -arcsin k and arcsin k", swing,
  ("run to t = 12: A at %d turning points"):format(#swing))
local exact_A, exact_h = hm.rational(7, 10), hm.rational(2, 5)
local exact_k = hm.sqrt(cos(exact_A)^2 + exact_h^2)
P:digits("S1", "here k = 0.86312430822571581037", { exact_k }, "formula")
P:agrees("S1", "h1^2 + h3^2 along a run", { drift, exact_k:eval() - k }, "vakonomic run to t = 12")
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
-- 2 K = pi/agm(1, sqrt(1 - k^2)), six steps for twenty digits and more
local exact_T
do
  local one, two = hm.number(1), hm.sqrt(1 - exact_k^2)
  for _ = 1, 6 do one, two = (one + two)/2, hm.sqrt(one*two) end
  exact_T = hm.pi/one
end
P:digits("S3", "T = 2 K(k) = 4.2952443788143687689", { exact_T }, "arithmetic-geometric mean")
P:agrees("S3", "at T theta = pi, and -pi for the extremal from (-A, h3)", { T - exact_T:eval(), s.theta - math.pi, m.theta + math.pi },
  "vakonomic runs", "theta' = sin A = dn(t + t0), and am grows by pi over 2 K")
P:agrees("S3", "the extremals from (A, h3) and (-A, h3) meet in x, y there", { s.x - m.x, s.y - m.y }, "vakonomic runs")
for _, start in ipairs{ { exact_A, "theta = 3.1415926535897932385" }, { -exact_A, "theta = -3.1415926535897932385" } } do
  local there = principle():reference{ q = { A = start[1], h3 = exact_h, x = 0, y = 0, theta = 0 }, t = exact_T, digits = 24 }.q
  P:digits("S3", ("from A = %s: x = 1.9165908877640359774, y = -1.0023458013312471889, "):format(tostring(start[1])) .. start[2],
    { there.x, there.y, there.theta }, "reference solution of the maximum principle")
end
P:agrees("S2", "k < 1: two extremals of the same length meet at 2 K(k) (a Maxwell point), so that the cut time is at most 2 K(k)",
  apart(run, mirror, T), "two runs")
P:not_checked("S2", "the cut time is 2 K(k): no shorter motion before it",
  "needs a proof that there is neither a conjugate nor an earlier Maxwell point (Sachkov 2010, 2011)")

-- ---- S4: Jacobi's functions of modulus 1/k from their differential equations

local K2 = math.sqrt(math.cos(A)^2 + 1.2^2)
local p, exact_p
local squared = cos(exact_A)^2 + hm.rational(36, 25)                      -- k^2
do
  local V = hm.system "Jacobi's functions"
  local sn, cn, dn, e = V:coordinates "sn cn dn e"
  local square = V:parameters "square=1/2"
  V:kinetic_energy((sn.dot^2 + cn.dot^2 + dn.dot^2 + e.dot^2)/2)
  local rates = { { sn, cn*dn }, { cn, -sn*dn }, { dn, -square*sn*cn }, { e, dn^2 } }
  for _, row in ipairs(rates) do V:constraint(tostring(row[1]), row[1].dot - row[2]) end
  local function zero_of(time) return cn*(e - time) - dn*sn end
  local start = { sn = 0, cn = 1, dn = 1, e = 0 }
  local zeros = V:simulate{ q = start, t = 2*complete(1/K2), parameters = { square = 1/K2^2 }, rtol = 1e-14, atol = 1e-15,
    events = { { name = "zero", when = zero_of(hm.t) } } }.events
  for _, event in ipairs(zeros) do
    if event.t > 0.1 then p = event.t break end
  end
  -- a step of Newton from twelve digits
  local time, near = hm.symbols "time", hm.number(("%.12f"):format(p))
  local at, values = V:reference{ q = start, t = near, parameters = { square = 1/squared }, digits = 26 }.q, { [time] = near, [square] = 1/squared }
  for _, row in ipairs(rates) do values[row[1]] = hm.number(at[tostring(row[1])]) end
  local slope = zero_of(time):diff(time)
  for _, row in ipairs(rates) do slope = slope + zero_of(time):diff(row[1])*row[2] end
  exact_p = near - (zero_of(time)/slope):subs(values)
end
local T2 = 2*p/K2
P:digits("S4", "k > 1: T = 2 p/k = 3.995049827628415816688 for A = 7/10, h3 = 6/5", { 2*exact_p/hm.sqrt(squared) },
  "p, the first positive zero of cn p (E(p) - p) - dn p sn p, from Jacobi's functions of modulus 1/k as reference solutions")
P:digits("S4", "p/K = 1.53742325828", { p/complete(1/K2) }, "run, and K by the arithmetic-geometric mean")
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
P:save(run, "skate", { n = 1001 })
P:save(mirror, "skate_mirror", { n = 1001 })

os.exit(P:finish())
