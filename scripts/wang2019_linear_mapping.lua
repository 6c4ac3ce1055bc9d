-- Wang Yong, Wu Xingda, Cao Huiying 2019: linear mapping method for holonomic rheonomic systems.
-- One line per numbered equation: what it is, how it was checked, and the verdict; both examples are run in every form.
--
--   hamel scripts/wang2019_linear_mapping.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, sqrt, exp, diff = hm.sin, hm.cos, hm.sqrt, hm.exp, hm.diff
local t = hm.t

local csv
for i = 1, #arg do
  if arg[i] == "--csv" then csv = arg[i + 1] or error("--csv needs a folder", 0) end
end
local function save(run, name) if csv then run:save(csv .. "/" .. name .. ".csv", { n = 301 }) end end

math.randomseed(2019)
local P = hm.paper{ title = "Wang 2019: linear mapping of rheonomic holonomic systems into a Riemann-Cartan space-time" }

local function sum(n, f)
  local s = hm.number(0)
  for i = 1, n do s = s + f(i) end
  return s
end

-- ---- example 2 first: it serves as the system for the general formulas, with a nonintegrable mapping

local S = hm.system "particle on a growing cylinder"
local x1, x2, x3 = S:coordinates "x1 x2 x3"
local g = S:positive "g=9.81"
local x = { x1, x2, x3 }
S:kinetic_energy((x1.dot^2 + x2.dot^2 + x3.dot^2)/2)
S:force(x1, -x2/(t + 1)); S:force(x2, x1/(t + 1)); S:force(x3, -g)
S:constraint("cylinder", x1^2 + x2^2 - (t + 1)^2)
local rho = sqrt(x1^2 + x2^2)
local integrable = S:linear_mapping{ names = "p1 p2 p3", time = 3, b = { { -x2, 0, x1/rho }, { x1, 0, x2/rho }, { 0, 1, 0 } } }
local quasi = S:linear_mapping{ names = "u1 u2 u3", time = 3, b = { { -x2/rho, 0, x1/rho }, { x1/rho, 0, x2/rho }, { 0, 1, 0 } } }

P:definition("(1)", "Euclidean configuration space with the masses as metric, no connection")
P:definition("(2)", "one rheonomic holonomic constraint f(x, t) = 0")
do
  local completed = S:linear_mapping{ names = "p1 p2 p3", solved = rho - 1 }
  local other = pcall(S.linear_mapping, S, { names = "p1 p2 p3", solved = -rho - 1 })
  P:agrees("(3)", "the constraint solved for the time, t = f(x) = rho - 1", { (rho - 1 - t):subs{ [x1] = (t + 1), [x2] = hm.number(0) }
      :subs{ [sqrt((t + 1)^2)] = t + 1 }, completed.inverse[3][1] - x1/rho, other and 1.0 or 0.0 }, nil,
    "the other branch, t = -rho - 1, is refused for t > -1")
end

-- f(x) = rho - 1 here; along any motion on the constraint f' = 1
local f = rho - 1
local gradient = hm.gradient(f, x)
local a, b = quasi.inverse, quasi.b
local last = sum(3, function(i) return a[3][i]*x[i].dot end)
local on_constraint = { [x1] = (t + 1)*cos(t), [x2] = (t + 1)*sin(t), [x1.dot] = cos(t) - (t + 1)*sin(t), [x2.dot] = sin(t) + (t + 1)*cos(t) }
local moving = last:subs(on_constraint):subs{ [sqrt((t + 1)^2)] = t + 1 }
P:misprint("(4)", "the mapping of velocities", moving - t, { hm.number(0) + P.deviation(moving - 1, { [t] = 0.7 }) },
    "last row along a motion on the constraint",
  "the print has pi^mu = a^mu_i x_i'; it is pi^mu' = a^mu_i x_i' (the last row must give t' = 1)")
P:definition("(5)", "the last pi is the time")
P:agrees("(6)", "last row of a: df/dx", { a[3][1] - gradient[1], a[3][2] - gradient[2], a[3][3] - gradient[3] })
local w = hm.matrix{ { hm.symbols "w1" }, { hm.symbols "w2" }, { hm.symbols "w3" } }
local inverse = (a*(b*w)):simplify()
P:misprint("(7)", "the inverse mapping", b[1][3]*t - b[1][3], { inverse[1][1] - w[1][1],
    inverse[2][1] - w[2][1], inverse[3][1] - w[3][1] }, nil, "the print has x' = b pi; it is x' = b pi' (compared along the time, where pi = t and pi' = 1)")
local metric = (b:transpose()*b):simplify()
local list = {}
for mu = 1, 3 do for nu = 1, 3 do list[#list + 1] = quasi.metric[mu][nu] - metric[mu][nu] end end
P:agrees("(8)", "induced metric", list)
-- (9) with g^(sigma rho) g_ij b^i_rho, the index of differentiation last and taken along b_nu
local function connection_of(M)
  local inverse_metric, out = M.metric:inverse(), {}
  for s = 1, 3 do
    for mu = 1, 3 do
      for nu = 1, 3 do
        local slope = {}
        for j = 1, 3 do slope[j] = sum(3, function(k) return M.b[k][nu]*diff(M.b[j][mu], x[k]) end) end
        out[#out + 1] = M.connection[s][mu][nu]
          - sum(3, function(r) return inverse_metric[s][r]*sum(3, function(i) return M.b[i][r]*slope[i] end) end)
      end
    end
  end
  return out
end
-- All 27 coefficients against those the text lists, { ["1 3 3"] = ... }; the others vanish
local function all_coefficients(M, listed)
  local out = {}
  for s = 1, 3 do
    for mu = 1, 3 do
      for nu = 1, 3 do out[#out + 1] = M.connection[s][mu][nu] - (listed[("%d %d %d"):format(s, mu, nu)] or 0) end
    end
  end
  return out
end
local both = connection_of(quasi)
for _, e in ipairs(connection_of(integrable)) do both[#both + 1] = e end
P:agrees("(9)", "induced connection, both mappings of example 2", both, nil, "the derivative is taken along the columns: b_(mu,nu) = b^k_nu d_k b_mu")

-- (10) to (14) at random: w' and x'' of a curve
local rates = hm.matrix{ { hm.symbols "dw1" }, { hm.symbols "dw2" }, { hm.symbols "dw3" } }
local curve = {}                                                   -- x'' by the chain rule, from x' = b w
for j = 1, 3 do
  local v = sum(3, function(mu) return b[j][mu]*w[mu][1] end)
  curve[j] = sum(3, function(mu) return b[j][mu]*rates[mu][1] end)
    + sum(3, function(k) return diff(v, x[k])*sum(3, function(nu) return b[k][nu]*w[nu][1] end) end)
end
local function second(nu_rates)
  local out = {}
  for j = 1, 3 do
    out[j] = sum(3, function(mu) return b[j][mu]*rates[mu][1] end)
    for mu = 1, 3 do
      for nu = 1, 3 do
        local slope = sum(3, function(k) return b[k][nu]*diff(b[j][mu], x[k]) end)
        out[j] = out[j] + slope*w[mu][1]*(nu_rates and rates or w)[nu][1]
      end
    end
  end
  return out
end
local right, wrong = second(false), second(true)
P:agrees("(10)", "multiplier equations x'' = g^ij (F_j + lambda df/dx^j)", (function()
  local e, out = S:equations(), {}
  local lambda = e.multipliers[1]
  local F = { -x2/(t + 1), x1/(t + 1), -g }
  -- our constraint is rho^2 - (t+1)^2, the paper's rho - 1 - t: the multiplier takes the factor 2 rho
  for i = 1, 3 do out[i] = e[i] - (x[i].ddot - F[i] - 2*rho*lambda*gradient[i]) end
  return out
end)())
P:misprint("(11)", "accelerations by the mapping", { curve[1] - wrong[1], curve[2] - wrong[2] }, { curve[1] - right[1],
    curve[2] - right[2], curve[3] - right[3] }, nil,
  "the print multiplies pi by pi-dot in the last term; with w = pi': x'' = b_mu w_mu' + b_(mu,nu) w_mu w_nu")
P:misprint("(12)", "the same in (10)", { curve[1] - wrong[1], curve[2] - wrong[2] }, { curve[1] - right[1], curve[2] - right[2] }, nil, "as (11)")
local covariant, printed14 = {}, {}
for s = 1, 3 do
  local image = sum(3, function(j) return a[s][j]*curve[j] end)
  covariant[s] = image - rates[s][1] - sum(3, function(mu) return sum(3, function(nu) return quasi.connection[s][mu][nu]*w[mu][1]*w[nu][1] end) end)
  printed14[s] = image - rates[s][1] - sum(3, function(mu) return sum(3, function(nu) return quasi.connection[s][mu][nu]*w[mu][1]*rates[nu][1] end) end)
end
-- (13) whole: w' from (11) with the x'' of (10), so that D w/dt = w' + Gamma w w is known; F_mu = b^i_mu F_i
local function image_of_motion(M)
  local lambda, out = hm.symbols "lambda", {}
  local F = { -x2/(t + 1), x1/(t + 1), -g }
  local inverse_metric = M.metric:inverse()
  local motion = {}
  for j = 1, 3 do
    motion[j] = F[j] + lambda*gradient[j]
    for mu = 1, 3 do
      for nu = 1, 3 do motion[j] = motion[j] - sum(3, function(k) return M.b[k][nu]*diff(M.b[j][mu], x[k]) end)*w[mu][1]*w[nu][1] end
    end
  end
  for s = 1, 3 do
    local D = sum(3, function(j) return M.inverse[s][j]*motion[j] end)
      + sum(3, function(mu) return sum(3, function(nu) return M.connection[s][mu][nu]*w[mu][1]*w[nu][1] end) end)
    local force = sum(3, function(m) return inverse_metric[m][s]*sum(3, function(i) return M.b[i][m]*F[i] end) end)
    local reaction = sum(3, function(m) return inverse_metric[m][s]*sum(3, function(k) return M.b[k][m]*gradient[k] end) end)
    out[s] = D - force - lambda*reaction
  end
  return out
end
local images = image_of_motion(quasi)
for _, e in ipairs(image_of_motion(integrable)) do images[#images + 1] = e end
P:agrees("(13)", "image of (10): D w^s/dt = g^ms F_m + lambda g^ms b^k_m df/dx^k, all three components, both mappings", images)
P:misprint("(14)", "covariant derivative", { printed14[1], printed14[3] }, covariant, nil,
    "D w^s/dt = w^s' + Gamma^s_(mu nu) w^mu w^nu; the print has w^mu w^nu'")
P:definition("(15)", "(13) for the spatial indices")
P:definition("(16)", "(13) for the time")
P:agrees("(17)", "block form of the metric, both mappings", { #integrable:coupling() + 0.0, #quasi:coupling() + 0.0 },
    "number of entries that couple space and time")
list = {}
for _, M in ipairs{ integrable, quasi } do
  local inverse_metric = M.metric:inverse()
  for alpha = 1, 2 do
    list[#list + 1] = sum(3, function(m) return inverse_metric[m][alpha]*sum(3, function(k) return M.b[k][m]*gradient[k] end) end)
  end
end
P:agrees("(18)", "the reaction drops out of the spatial equations", list)

local start = { q = { x1 = 1, x2 = 0, x3 = 0 }, v = { x2 = 0.5, x3 = 0 }, t = 3, rtol = 1e-11, atol = 1e-12 }
local function run_of(system, from, more)
  local o = {}
  for k, v in pairs(from) do o[k] = v end
  for k, v in pairs(more or {}) do o[k] = v end
  return system:simulate(o)
end
local reference = run_of(S, start)
local runs = { run_of(S, start, { form = "mapping", mapping = integrable }), run_of(S, start, { form = "mapping", mapping = quasi }) }
local worst, worst_lambda = 0, 0
for _, run in ipairs(runs) do
  for time = 0, 3, 0.25 do
    local want, got = reference:at(time), run:at(time)
    worst = math.max(worst, math.abs(got.x1 - want.x1), math.abs(got.x2 - want.x2), math.abs(got.x3 - want.x3))
    worst_lambda = math.max(worst_lambda, math.abs(got.lambda.cylinder - want.lambda.cylinder))
  end
end
P:agrees("(19)", "equations free of the reaction: both mappings against the multiplier form", worst, "runs to t = 3")
-- (20) solved for lambda, against the multiplier of the form: lambda of rho - 1 - t is 2 rho times that of rho^2 - (t + 1)^2
local from_time = (function()
  local u1, u2 = hm.functions_of_time "u1 u2"
  local velocity, force = { u1.dot, u2.dot, hm.number(1) }, { -x2/(t + 1), x1/(t + 1), -g }
  local inverse_metric = quasi.metric:inverse()
  local left = sum(3, function(mu) return sum(3, function(nu) return quasi.connection[3][mu][nu]*velocity[mu]*velocity[nu] end) end)
  local active = sum(3, function(m) return inverse_metric[m][3]*sum(3, function(i) return b[i][m]*force[i] end) end)
  local reaction = sum(3, function(m) return inverse_metric[m][3]*sum(3, function(k) return b[k][m]*gradient[k] end) end)
  return (left - active)/reaction - 2*rho*S:equations("mapping", { mapping = quasi }).lambda[1]
end)()
P:misprint("(20)", "the multiplier from the time equation", sum(3, function(mu)
  return sum(3, function(nu) return quasi.connection[3][mu][nu]*w[mu][1]*(w[nu][1] - rates[nu][1]) end) end), { from_time, worst_lambda },
  "lambda of the form; runs to t = 3 against the multiplier form",
  "Gamma^n_(mu nu) w^mu w^nu stands on the left; the print has w^mu w^nu', as in (14)")
save(reference, "cylinder")

-- ---- remarks 4 and 5: integrable or not, geodesics and autoparallels, several constraints, completion

do
  local completed = S:linear_mapping{ names = "u1 u2 u3", solved = rho - 1, unit = true }
  local difference = {}
  for i = 1, 3 do
    for mu = 1, 3 do difference[#difference + 1] = completed.b[i][mu] - (mu == 1 and -1 or 1)*quasi.b[i][mu] end
  end
  P:agrees("remark 2", "the constraint leaves the mapping open: completion by Gram-Schmidt in the mass metric gives (50)", difference, nil,
    "up to the sense of the first pi; the metric is of the form (17)")

  local torsion, symmetric, riemann = {}, {}, {}
  local function flatten(field, into)
    if type(field) ~= "table" then into[#into + 1] = field else for _, part in ipairs(field) do flatten(part, into) end end
    return into
  end
  flatten(integrable.torsion, symmetric)
  for s = 1, 3 do
    for mu = 1, 3 do
      for nu = 1, 3 do symmetric[#symmetric + 1] = integrable.connection[s][mu][nu] - integrable:levi_civita()[s][mu][nu] end
    end
  end
  P:agrees("remark 4", "integrable: no torsion, the connection is that of the metric", symmetric)
  -- [d_mu, d_nu] applied to the coordinates: the pi of the second mapping are no coordinates
  for mu = 1, 3 do
    for nu = 1, 3 do
      for k = 1, 3 do
        local commutator = sum(3, function(l) return quasi.b[l][mu]*diff(quasi.b[k][nu], x[l]) - quasi.b[l][nu]*diff(quasi.b[k][mu], x[l]) end)
        torsion[#torsion + 1] = commutator + sum(3, function(s) return quasi.torsion[s][mu][nu]*quasi.b[k][s] end)
      end
    end
  end
  torsion[#torsion + 1] = quasi.torsion[1][3][1] - 1/rho
  P:agrees("remark 4", "not integrable: torsion T^1_31 = 1/rho, and [d_mu, d_nu] = -T^s_(mu nu) d_s", torsion)
  for _, M in ipairs{ integrable, quasi } do flatten(M:curvature(), riemann) end
  P:agrees("remark 4", "curvature of the induced connection: zero for both mappings, since that of (1) is zero", riemann, nil,
    "with the commutator of the derivatives along the pi in the formula")
  local as_coordinates = {}
  local R = quasi:curvature{ commuting = true }
  for s = 1, 3 do for r = 1, 3 do for mu = 1, 3 do for nu = 1, 3 do
    as_coordinates[#as_coordinates + 1] = R[s][r][mu][nu] + sum(3, function(l) return quasi.torsion[l][mu][nu]*quasi.connection[s][r][l] end)
  end end end end
  as_coordinates[#as_coordinates + 1] = R[3][1][3][1] - 1/rho^2
  P:agrees("remark 4", "the same formula with commuting derivatives is not zero: -T^l_(mu nu) Gamma^s_(r l)", as_coordinates, nil,
    "with the commutator torsion and curvature vanish both: the space is that of (1) in another frame; read as in coordinates, as (9) is, "
      .. "the space-time has this torsion and this curvature")

  local geodesics = {}
  for i, M in ipairs{ integrable, quasi } do geodesics[i] = run_of(S, start, { form = "geodesic", mapping = M }) end
  local off = { 0, 0 }
  local far = 0
  for time = 0, 3, 0.25 do
    local want, plain, twisted = reference:at(time), geodesics[1]:at(time), geodesics[2]:at(time)
    off[1] = math.max(off[1], math.abs(plain.x1 - want.x1), math.abs(plain.x2 - want.x2))
    local phi = time - math.log(time + 1)/2                          -- u' = 1 in place of u' + u/(t + 1) = 1
    off[2] = math.max(off[2], math.abs(twisted.x1 - (time + 1)*math.cos(phi)), math.abs(twisted.x2 - (time + 1)*math.sin(phi)))
    far = math.max(far, math.abs(twisted.x1 - want.x1), math.abs(twisted.x2 - want.x2))
  end
  P:agrees("remark 4", "integrable: geodesics of the metric with the forces, Lagrange's equations of T*, are the motion", off[1], "runs to t = 3",
    tostring(hm.agree(S:equations("mapping", { mapping = integrable }), S:equations("geodesic", { mapping = integrable })))
      .. " to the covariant equations, by algebra")
  P:agrees("remark 4", "not integrable: they are another motion, u' = 1", { off[2], far > 0.1 and 0.0 or 1.0 }, "run against the closed solution",
    ("off the motion by %.2g at most up to t = 3"):format(far), "autoparallels: " .. tostring(quasi:autoparallels()[1]) .. " = 0, geodesics: "
      .. tostring(quasi:geodesics()[1]) .. " = 0")

  local C = hm.system "growing cylinder cut by a plane"
  local y1, y2, y3 = C:coordinates "x1 x2 x3"
  local weight = C:positive "g=9.81"
  C:kinetic_energy((y1.dot^2 + y2.dot^2 + y3.dot^2)/2)
  C:force(y1, -y2/(t + 1)); C:force(y2, y1/(t + 1)); C:force(y3, -weight)
  C:constraint("cylinder", y1^2 + y2^2 - (t + 1)^2)
  C:constraint("plane", y3 - y1/2)
  local radius = sqrt(y1^2 + y2^2)
  local by_hand = C:linear_mapping{ names = "p1 p2 p3", time = 3, fixed = { 2 },
    b = { { -y2, 0, y1/radius }, { y1, 0, y2/radius }, { -y2/2, 1, y1/(2*radius) } } }
  local from = { q = { x1 = 1, x2 = 0, x3 = 0.5 }, v = { x2 = 0.5 }, t = 2, rtol = 1e-11, atol = 1e-12 }
  local want, gap = run_of(C, from), 0
  for _, M in ipairs{ by_hand, C:linear_mapping{ names = "p1 p2 p3", solved = radius - 1 } } do
    local got = run_of(C, from, { form = "mapping", mapping = M })
    for time = 0, 2, 0.25 do
      local one, two = want:at(time), got:at(time)
      for name, value in pairs(one.q) do gap = math.max(gap, math.abs(two[name] - value)) end
      for name, value in pairs(one.lambda) do gap = math.max(gap, math.abs(two.lambda[name] - value)) end
    end
  end
  P:agrees("remark 5", "one rheonomic and one scleronomic constraint: motion and both multipliers", gap,
    "mapping by hand and completed, runs to t = 2 against the multiplier form", "pi' = 0 along the column of the scleronomic constraint")
end

-- ---- example 1: a plane that turns about an axis inclined by theta

do
  local E = hm.system "particle on a turning plane"
  local X1, X2, X3 = E:coordinates "x1 x2 x3"
  local G, Gc = E:positive "G=4 Gc=8.9"                             -- g sin(theta), g cos(theta)
  E:kinetic_energy((X1.dot^2 + X2.dot^2 + X3.dot^2)/2)
  E:force(X1, G); E:force(X3, -Gc)
  local theta, c1, c2, c3, c4 = hm.symbols "theta c1 c2 c3 c4"
  local q1, q2 = hm.functions_of_time "q1 q2"
  local place = { q1*cos(t), q1*sin(t), q2 }
  P:misprint("(21)", "the plane", place[2]/place[1] - hm.tan(theta), place[2]/place[1] - hm.tan(t), nil,
    "the print has tan(theta), but theta is the inclination of the axis; the plane turns with w = 1: x2/x1 = tan t")
  P:agrees("(22)", "the constraint solved for the time", hm.tan(t) - place[2]/place[1], nil, "as t = arctan(x2/x1) on the branch of the start")
  P:definition("(23)", "weight: F1 = g sin(theta), F2 = 0, F3 = -g cos(theta)")
  P:agrees("(24)", "generalised coordinates", { q1^2 - (place[1]^2 + place[2]^2), q2 - place[3] })
  P:agrees("(25)", "and back", { place[1] - q1*cos(t), place[2] - q1*sin(t), place[3] - q2 })
  local T = (hm.dt(place[1])^2 + hm.dt(place[2])^2 + hm.dt(place[3])^2)/2
  P:agrees("(26)", "kinetic energy", T - (q1.dot^2 + q1^2 + q2.dot^2)/2)
  local Q1 = G*diff(place[1], q1)
  P:agrees("(27)", "generalised forces", { Q1 - G*cos(t), -Gc*diff(place[3], q2) + Gc })
  local reduced = hm.system "turning plane, reduced"
  reduced:coordinates "q1 q2"
  reduced:positive "G=4 Gc=8.9"
  reduced:lagrangian((q1.dot^2 + q1^2 + q2.dot^2)/2)
  reduced:force(q1, G*cos(t)); reduced:force(q2, -Gc)
  local e = reduced:equations()
  P:agrees("(28)", "Lagrange's equations", { e[1] - (q1.ddot - q1 - G*cos(t)), e[2] - (q2.ddot + Gc) })
  local s1, s2 = c1*exp(-t) + c2*exp(t) - G*cos(t)/2, -Gc*t^2/2 + c3*t + c4
  P:agrees("(29)", "their solution", { diff(s1, t, t) - s1 - G*cos(t), diff(s2, t, t) + Gc })
  local r2 = X1^2 + X2^2
  local angle = hm.atan(X2/X1)
  P:agrees("(30)", "multiplier equations: reactions lambda df/dx of f = arctan(x2/x1)", { diff(angle, X1) + X2/r2, diff(angle, X2) - X1/r2 })
  -- (31): from x1 x2'' - x2 x1'' = 2 (x1 x1' + x2 x2'), the second derivative of the constraint
  local lambda31 = (2*X1.dot*X2.dot*(X1^2 - X2^2) - 2*X1*X2*(X1.dot^2 - X2.dot^2))/r2 + G*X2
  local on_plane = { [X1] = place[1], [X2] = place[2], [X1.dot] = hm.dt(place[1]), [X2.dot] = hm.dt(place[2]) }
  local derived = 2*q1*q1.dot + G*sin(t)*q1
  P:agrees("(31)", "the multiplier in the coordinates", lambda31:subs(on_plane) - derived, nil,
      "derived: lambda = " .. tostring(derived) .. " on the constraint")
  local lambda32 = 2*c2^2*exp(2*t) - c2*G*(cos(t) - 2*sin(t))*exp(t) - G^2*cos(t)*sin(t) + c1*G*(cos(t) + 2*sin(t))*exp(-t) - 2*c1^2*exp(-2*t)
  P:agrees("(32)", "the multiplier in time", derived:subs{ [q1] = s1, [q1.dot] = diff(s1, t) } - lambda32)
  -- the run in Cartesian coordinates against (29) and (32)
  E:constraint("plane", X2*cos(t) - X1*sin(t))
  local run = E:simulate{ q = { x1 = 1, x2 = 0, x3 = 0 }, v = { x1 = 0.2, x3 = 0.5 }, t = 2, rtol = 1e-12, atol = 1e-13 }
  local k = 1 + 4/2                                                  -- c1 + c2, and c2 - c1 = 0.2
  local C1, C2 = (k - 0.2)/2, (k + 0.2)/2
  local off, off_lambda = 0, 0
  for time = 0, 2, 0.2 do
    local r = C1*math.exp(-time) + C2*math.exp(time) - 2*math.cos(time)
    local at = run:at(time)
    off = math.max(off, math.abs(at.x1 - r*math.cos(time)), math.abs(at.x2 - r*math.sin(time)), math.abs(at.x3 - (0.5*time - 4.45*time^2)))
    -- df/dx of x2 cos t - x1 sin t is df/dx of arctan times the radius
    off_lambda = math.max(off_lambda, math.abs(at.lambda.plane*r - lambda32:eval{ [t] = time, [c1] = C1, [c2] = C2, [G] = 4 })/(1 + r^2))
  end
  P:agrees("run", "multiplier form against (29) and (32)", { off, off_lambda }, "run to t = 2")
  save(run, "turning_plane")
  P:definition("(33)", "the mapping of example 1: polar radius, height, angle")
  local R = sqrt(r2)
  local q3 = hm.functions_of_time "q3"
  local polar = { q1*cos(q3), q1*sin(q3) }
  local function in_polar(ex) return ex:subs{ [X1] = polar[1], [X2] = polar[2] } end
  local radial = q1.dot*in_polar(X1)/q1
  local radial2 = q1.dot*in_polar(X2)/q1
  P:misprint("(34)", "its velocities", { hm.dt(polar[1]) - (radial + in_polar(X2)*q3.dot), hm.dt(polar[2]) - (radial2 - in_polar(X1)*q3.dot) },
    { hm.dt(polar[1]) - (radial - in_polar(X2)*q3.dot), hm.dt(polar[2]) - (radial2 + in_polar(X1)*q3.dot) }, nil,
    "the signs of the terms in q3' are turned in the print: x1' = x1/rho q1' - x2 q3', x2' = x2/rho q1' + x1 q3'")
  local M = E:linear_mapping{ names = "q1 q2 q3", time = 3, b = { { X1/R, 0, -X2 }, { X2/R, 0, X1 }, { 0, 1, 0 } } }
  P:agrees("(35)", "metric", { M.metric[1][1] - 1, M.metric[2][2] - 1, M.metric[3][3] - r2, M.metric[1][3], M.metric[1][2], M.metric[2][3] })
  P:misprint("(36)", "connection, all 27 coefficients", all_coefficients(M, { ["1 3 3"] = -R, ["3 1 3"] = -1/R, ["3 3 1"] = -1/R }),
    all_coefficients(M, { ["1 3 3"] = -R, ["3 1 3"] = 1/R, ["3 3 1"] = 1/R }), nil,
    "the print has -1/rho in its second line; it is Gamma^3_13 = Gamma^3_31 = +1/rho")
  -- the form's equations on the plane, with a radius that does not vanish
  local of_mapping = E:equations("mapping", { mapping = M })
  local radius = hm.positive "r"
  local function on_plane_of(ex) return ex:subs{ [X1] = radius*cos(t), [X2] = radius*sin(t) } end
  P:misprint("(37)", "equations on the space-time, from the mapping", { on_plane_of(of_mapping[1]) - (q1.ddot - q1.dot - G*cos(theta)) },
    { on_plane_of(of_mapping[1]) - (q1.ddot - radius - G*cos(t)), on_plane_of(of_mapping[2]) - (q2.ddot + Gc),
      e[1] - (q1.ddot - q1 - G*cos(t)), e[2] - (q2.ddot + Gc) }, nil,
    "the print has q1'' - q1' = g sin(theta) cos(theta); it is q1'' - q1 = g sin(theta) cos t, as (28)")
  -- lambda of the form, for x2 cos t - x1 sin t; times the radius it is that of arctan(x2/x1) - t
  local on_radius = { [X1] = place[1], [X2] = place[2], [hm.functions_of_time "q1".dot] = q1.dot }
  local of_form = E:equations("mapping", { mapping = M }).lambda[1]:subs(on_radius)*q1
  local positive = hm.positive "r"                                   -- the radius does not vanish
  local function at_radius(ex) return ex:subs{ [q1] = positive } end
  P:misprint("(38)", "the multiplier, from the time equation of the form", at_radius(of_form - (2*q1.dot*q1.dot + G*sin(theta)*q1.dot)),
    at_radius(of_form - (2*q1*q1.dot + G*sin(t)*q1)), nil,
    "the print has dots and theta misplaced; it is lambda = 2 q1 q1' + g sin(theta) sin t q1")
  local mapped = E:simulate{ form = "mapping", mapping = M, q = { x1 = 1, x2 = 0, x3 = 0 }, v = { x1 = 0.2, x3 = 0.5 }, t = 2, rtol = 1e-12, atol = 1e-13 }
  local gap = 0
  for time = 0, 2, 0.2 do
    local got, want = mapped:at(time), run:at(time)
    gap = math.max(gap, math.abs(got.x1 - want.x1), math.abs(got.lambda.plane - want.lambda.plane))
  end
  P:agrees("run", "example 1 by the mapping against the multiplier form", gap, "run to t = 2")
end

-- ---- example 2

do
  local q1, q2 = hm.functions_of_time "q1 q2"
  local c1, c2, c3, c4, c5 = hm.symbols "c1 c2 c3 c4 c5"
  local place = { (t + 1)*cos(q1), (t + 1)*sin(q1), q2 }
  P:definition("(39)", "generalised coordinates: angle and height")
  P:agrees("(40)", "and back: on the constraint", place[1]^2 + place[2]^2 - (t + 1)^2)
  local T = (hm.dt(place[1])^2 + hm.dt(place[2])^2 + hm.dt(place[3])^2)/2
  P:agrees("(41)", "kinetic energy", T - ((t + 1)^2*q1.dot^2 + q2.dot^2 + 1)/2)
  local F = { -place[2]/(t + 1), place[1]/(t + 1), -g }
  local function force(q) return sum(3, function(i) return F[i]*diff(place[i], q) end) end
  P:agrees("(42)", "generalised forces", { force(q1) - (t + 1), force(q2) + g })
  local R = hm.system "growing cylinder, reduced"
  R:coordinates "q1 q2"
  R:positive "g=9.81"
  R:lagrangian(((t + 1)^2*q1.dot^2 + q2.dot^2 + 1)/2)
  R:force(q1, t + 1); R:force(q2, -g)
  local e = R:equations()
  P:agrees("(43)", "Lagrange's equations", { e[1]/(t + 1) - ((t + 1)*q1.ddot + 2*q1.dot - 1), e[2] - (q2.ddot + g) })
  local s1, s2 = (1 + (t^2 - 2*c1)/(t + 1))/2 + c2, -g*t^2/2 + c3*t + c4
  P:agrees("(44)", "their solution", { (t + 1)*diff(s1, t, t) + 2*diff(s1, t) - 1, diff(s2, t, t) + g })
  P:definition("(45)", "the integrable mapping: angle, height, radius - 1 (the text refers to it as (33))")
  P:agrees("(46)", "its velocities: columns of b are the derivatives of (x1, x2) by angle and radius", (function()
    local angle, radius = hm.functions_of_time "alpha r"
    local polar = { radius*cos(angle), radius*sin(angle) }
    local out = {}
    for i = 1, 2 do
      out[#out + 1] = diff(polar[i], angle) - integrable.b[i][1]:subs{ [x1] = polar[1], [x2] = polar[2] }
      out[#out + 1] = radius*diff(polar[i], radius) - (integrable.b[i][3]*rho):subs{ [x1] = polar[1], [x2] = polar[2] }
    end
    return out
  end)())
  P:agrees("(47)", "metric", { integrable.metric[1][1] - rho^2, integrable.metric[2][2] - 1, integrable.metric[3][3] - 1, integrable.metric[1][3] })
  P:agrees("(48)", "connection, all 27 coefficients", all_coefficients(integrable, { ["1 1 3"] = 1/rho, ["1 3 1"] = 1/rho, ["3 1 1"] = -rho }))
  -- on the constraint: rho = t + 1
  local E = S:equations("mapping", { mapping = integrable })
  local p1 = hm.functions_of_time "p1"
  -- t + 1 > 0 from the start on: a positive symbol stands for it
  local tau = hm.positive "tau"
  local function on_cylinder(ex) return ex:subs{ [x1] = tau*cos(q1), [x2] = tau*sin(q1), [t] = tau - 1 } end
  P:agrees("(49)", "equations on the space-time are (43)", on_cylinder(E[1])/tau - (tau*p1.ddot + 2*p1.dot - 1),
    "on the constraint, tau = t + 1", "derived before the constraint is put in: " .. tostring(((E[1])/rho):simplify()) .. " = 0")
  P:definition("(50)", "the nonintegrable mapping: unit vectors")
  P:agrees("(51)", "metric", { quasi.metric[1][1] - 1, quasi.metric[2][2] - 1, quasi.metric[3][3] - 1, quasi.metric[1][3] })
  P:agrees("(52)", "connection with torsion, all 27 coefficients", all_coefficients(quasi, { ["1 3 1"] = 1/rho, ["3 1 1"] = -1/rho }))
  local N = S:equations("mapping", { mapping = quasi })
  local u1 = hm.functions_of_time "u1"
  local spatial = on_cylinder(N[1])*tau
  P:misprint("(53)", "equations on the space-time", spatial - (tau*u1.dot + u1.dot - tau), spatial - (tau*u1.ddot + u1.dot - tau),
    "on the constraint, tau = t + 1", "the print has a dot too few; it is (t + 1) q1'' + q1' = t + 1")
  local v1, v2 = (t + 1)/2 + (2*c4 - 1)/(2*(t + 1)), -g*t + c5
  P:agrees("(54)", "their solution", { (t + 1)*diff(v1, t) + v1 - (t + 1), diff(v2, t) + g })
  local angle = hm.rational(1, 2) + (t^2 - 2*c4)/(2*(t + 1))
  -- (54) in (50), with pi3' = 1 and rho = t + 1 as tau
  local turning = (v1/(t + 1)):subs{ [t] = tau - 1 }
  local printed55 = { -x2*turning + x1/tau, x1*turning + x2/tau, -g*(tau - 1) + c5 }
  local rows = {}
  for i = 1, 3 do
    local image = sum(3, function(mu) return quasi.b[i][mu]*({ v1, v2, hm.number(1) })[mu]:subs{ [t] = tau - 1 } end)
    rows[i] = on_cylinder(image - printed55[i])
  end
  P:agrees("(55)", "(54) in (50): the three velocities", rows)
  local X1, X2 = (t + 1)*(c1*sin(angle) + c2*cos(angle)), (t + 1)*(c1*cos(angle) + c2*sin(angle))
  local Y2 = (t + 1)*(-c1*cos(angle) + c2*sin(angle))
  local X3 = -g*t^2/2 + c5*t + c3
  local function residual(A, B)
    return { diff(A, t) - (-B*v1/(t + 1) + A/(t + 1)), diff(B, t) - (A*v1/(t + 1) + B/(t + 1)), diff(X3, t) - v2 }
  end
  local corrected = residual(X1, Y2)
  -- the general solution: the constants c1, c2 reach every place
  corrected[4] = hm.jacobian({ X1, Y2 }, { c1, c2 }):determinant() - (t + 1)^2
  P:misprint("(56)", "general solution of (55)", residual(X1, X2), corrected, nil,
    "the sign of c1 cos in x2 is wrong in the print: x2 = (t + 1) [-c1 cos(...) + c2 sin(...)]")
  P:agrees("(57)", "c1^2 + c2^2 = 1 puts the motion on the cylinder", X1^2 + Y2^2 - (t + 1)^2*(c1^2 + c2^2), nil,
    "with the corrected (56); with the printed one it does not")
  local delta = hm.symbols "delta"
  local same = { [c1] = -sin(delta), [c2] = cos(delta) }
  local q44 = s1:subs{ [c1] = c4, [c2] = delta }
  P:agrees("text", "(56) with (57) is solution (44) on the cylinder", { X1:subs(same) - (t + 1)*cos(q44), Y2:subs(same) - (t + 1)*sin(q44) }, nil,
    "c1 = -sin(delta), c2 = cos(delta), where delta is the constant c2 of (44)")
  -- closed solution and run: u = (t + 1)/2 at the start of the acceptance run
  local off = 0
  for time = 0, 3, 0.25 do
    local s = runs[2]:at(time)
    off = math.max(off, math.abs(s.x1 - (time + 1)*math.cos(time/2)), math.abs(s.x2 - (time + 1)*math.sin(time/2)), math.abs(s.x3 + 9.81/2*time^2))
  end
  P:agrees("run", "nonintegrable mapping against the closed solution with c4 = 1/2", off, "run to t = 3")
end

os.exit(P:finish())
