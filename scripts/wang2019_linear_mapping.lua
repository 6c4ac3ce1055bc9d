-- Wang Yong, Wu Xingda, Cao Huiying 2019: linear mapping method for holonomic rheonomic systems.
-- One line per numbered equation: what it is, how it was checked, and the verdict; both examples are run in every form.
--
--   hamel scripts/wang2019_linear_mapping.lua [--csv DIR]      exit status 1 when a check fails
local hm = require "hamel"
local sin, cos, sqrt, exp, diff = hm.sin, hm.cos, hm.sqrt, hm.exp, hm.diff
local t = hm.t

math.randomseed(2019)
local P = hm.paper{ title = "Wang 2019: linear mapping of rheonomic holonomic systems into a Riemann-Cartan space-time" }
local function save(run, name) P:save(run, name, { n = 301 }) end

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
local tau = hm.positive "tau"                                    -- t + 1, positive from the start on
local integrable = S:linear_mapping{ names = "p1 p2 p3", time = 3, b = { { -x2, 0, x1/rho }, { x1, 0, x2/rho }, { 0, 1, 0 } } }
local quasi = S:linear_mapping{ names = "u1 u2 u3", time = 3, b = { { -x2/rho, 0, x1/rho }, { x1/rho, 0, x2/rho }, { 0, 1, 0 } } }

P:quote "g_ij = delta_ij m_im [(i - 1)/3] + 1"
P:definition("(1)", "Euclidean configuration space with the masses as metric, no connection", "the index of m is garbled, by the scan: m_([(i-1)/3]+1)")
P:definition("(2)", "one rheonomic holonomic constraint f(x, t) = 0")
do
  local completed = S:linear_mapping{ names = "p1 p2 p3", solved = rho - 1 }
  local other = pcall(S.linear_mapping, S, { names = "p1 p2 p3", solved = -rho - 1 })
  local angle = hm.symbols "angle"
  P:agrees("(3)", "the constraint solved for the time, t = f(x) = rho - 1", {
      (rho - 1 - t):subs{ [x1] = tau*cos(angle), [x2] = tau*sin(angle), [t] = tau - 1 }, completed.inverse[3][1] - x1/rho,
      completed.inverse[3][2] - x2/rho, hm.number(other and 1 or 0) }, nil,
    "the other branch, t = -rho - 1, is refused for t > -1")
end

-- f(x) = rho - 1 here; along any motion on the constraint f' = 1
local f = rho - 1
local gradient = hm.gradient(f, x)
local a, b = quasi.inverse, quasi.b
local last = sum(3, function(i) return a[3][i]*x[i].dot end)
-- a motion on the constraint: radius tau, angle turn(t)
local turn = hm.functions_of_time "turn"
local on_motion = { [x1] = tau*cos(turn), [x2] = tau*sin(turn), [x1.dot] = cos(turn) - tau*sin(turn)*turn.dot, [x2.dot] = sin(turn) + tau*cos(turn)*turn.dot }
local moving = last:subs(on_motion)
local printed4 = (function()
  local p1, p2 = hm.functions_of_time "p1 p2"
  local pi, typed = { p1, p2, t }, {}                            -- the last pi is the time, by (5)
  for mu = 1, 3 do typed[mu] = pi[mu] - sum(3, function(i) return a[mu][i]*x[i].dot end) end
  return P:printed("pi^mu = a^mu_i x_i'", typed, { a = a, x = x, pi = pi, ranges = { mu = 3, i = 3 }, each = "mu", repeated = true })
end)()
P:misprint("(4)", "the mapping of velocities", printed4[3]:subs(on_motion):subs{ [t] = tau - 1 }, moving - 1,
  "last row along every motion on the constraint, where it must give t' = 1",
  "scan or print: a dot is lost, pi^mu' = a^mu_i x_i'; as printed the last row says t = 1, by (5)",
  "from here to (20) all pi have a dot too few, or, if pi stands for the velocity, only the last pi' of (11), (12), (14), (20) has one too many")
P:definition("(5)", "the last pi is the time")
do
  local list = {}
  for _, M in ipairs{ quasi, integrable } do for i = 1, 3 do list[#list + 1] = M.inverse[3][i] - gradient[i] end end
  P:agrees("(6)", "last row of a: df/dx, both mappings", list)
end
local w = hm.matrix{ { hm.symbols "w1" }, { hm.symbols "w2" }, { hm.symbols "w3" } }
local inverse = (a*(b*w)):simplify()
do
  -- of the integrable mapping the pi themselves are known: angle, height, time
  local pi, rate, wrong, right = { turn, x3, tau - 1 }, { turn.dot, x3.dot, hm.number(1) }, {}, {}
  for i = 1, 3 do
    wrong[i] = x[i].dot - sum(3, function(mu) return integrable.b[i][mu]*pi[mu] end)
    right[i] = (x[i].dot - sum(3, function(mu) return integrable.b[i][mu]*rate[mu] end)):subs(on_motion)
    right[3 + i] = inverse[i][1] - w[i][1]
  end
  P:printed("x_i' = b^i_mu pi^mu", wrong, { b = integrable.b, x = x, pi = pi, ranges = { mu = 3, i = 3 }, each = "i", repeated = true })
  for i = 1, 3 do wrong[i] = wrong[i]:subs(on_motion) end
  P:misprint("(7)", "the inverse mapping", wrong, right, "along every motion on the constraint; b is the inverse of a",
    "scan or print: a dot is lost, x' = b pi'")
end
local list = {}
for _, M in ipairs{ quasi, integrable } do
  for mu = 1, 3 do for nu = 1, 3 do list[#list + 1] = M.metric[mu][nu] - sum(3, function(i) return M.b[i][mu]*M.b[i][nu] end) end end
end
P:agrees("(8)", "induced metric, both mappings", list)
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
local function second(nu_rates, columns)
  local out = {}
  columns = columns or b
  for j = 1, 3 do
    out[j] = sum(3, function(mu) return columns[j][mu]*rates[mu][1] end)
    for mu = 1, 3 do
      for nu = 1, 3 do
        local slope = sum(3, function(k) return columns[k][nu]*diff(columns[j][mu], x[k]) end)
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
-- with w for the printed pi, and its rate
local function component(column) return function(mu) return column[mu][1] end end
local names = { x = x, b = function(i, mu, nu)
  return nu and sum(3, function(k) return b[k][nu]*diff(b[i][mu], x[k]) end) or b[i][mu]
end, pi = component(w), ["pi'"] = component(rates), Gamma = function(s, mu, nu) return quasi.connection[s][mu][nu] end,
  ranges = { i = 3, mu = 3, nu = 3, s = 3 }, each = "i", repeated = true }
P:printed("x_i'' = b^i_mu pi^mu' + b^i_(mu,nu) pi^mu pi^nu'", function(i) return x[i].ddot - wrong[i] end, names)
P:misprint("(11)", "accelerations by the mapping", { curve[1] - wrong[1], curve[2] - wrong[2] }, { curve[1] - right[1],
    curve[2] - right[2], curve[3] - right[3] }, nil,
  "scan or print: the dots do not match, pi stands beside pi' in the last term; with w = pi': x'' = b_mu w_mu' + b_(mu,nu) w_mu w_nu")
local covariant, printed14 = {}, {}
for s = 1, 3 do
  local image = sum(3, function(j) return a[s][j]*curve[j] end)
  covariant[s] = image - rates[s][1] - sum(3, function(mu) return sum(3, function(nu) return quasi.connection[s][mu][nu]*w[mu][1]*w[nu][1] end) end)
  printed14[s] = image - rates[s][1] - sum(3, function(mu) return sum(3, function(nu) return quasi.connection[s][mu][nu]*w[mu][1]*rates[nu][1] end) end)
end
-- (13) whole: w' from (11) with the x'' of (10), so that D w/dt = w' + Gamma w w is known; F_mu = b^i_mu F_i
local function image_of_motion(M)
  local lambda, out = hm.symbols "lambda", {}
  local F = { hm.symbols "F1 F2 F3" }
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

-- (12) and (13) along a motion: a run in x by multipliers, w = a x' by the inverse of b in numbers, w' by differences of w
local start = { q = { x1 = 1, x2 = 0, x3 = 0 }, v = { x2 = 0.5, x3 = 0 }, t = 3, rtol = 1e-11, atol = 1e-12 }
local reference = S:simulate(start)
local finer = S:simulate{ q = start.q, v = start.v, t = 3, rtol = 1e-13, atol = 1e-14 }
local function by_components(expressions)                        -- the numbers of a table of expressions in x1, x2 at a state
  return function(state)
    local out = {}
    for key, e in pairs(expressions) do out[key] = hm.number(e):subs{ [x1] = state.x1, [x2] = state.x2 }:eval{} end
    return out
  end
end
local function along_run(M)
  local entries, slopes, symbols = {}, {}, {}
  for i = 1, 3 do
    for mu = 1, 3 do
      entries[i .. mu] = M.b[i][mu]
      for nu = 1, 3 do
        slopes[i .. mu .. nu] = sum(3, function(k) return M.b[k][nu]*diff(M.b[i][mu], x[k]) end)
        symbols[i .. mu .. nu] = M.connection[i][mu][nu]
      end
    end
  end
  local b_at, slope_at, connection_at = by_components(entries), by_components(slopes), by_components(symbols)
  local function quasi_velocities(time)                          -- by Cramer's rule
    local state = finer:at(time)
    local B, v = b_at(state), { state.v.x1, state.v.x2, state.v.x3 }
    local function det(column)
      local function m(i, mu) return mu == column and v[i] or B[i .. mu] end
      return m(1, 1)*(m(2, 2)*m(3, 3) - m(2, 3)*m(3, 2)) - m(1, 2)*(m(2, 1)*m(3, 3) - m(2, 3)*m(3, 1)) + m(1, 3)*(m(2, 1)*m(3, 2) - m(2, 2)*m(3, 1))
    end
    local all = det(0)
    return { det(1)/all, det(2)/all, det(3)/all }, state, B
  end
  local off, printed12 = { right12 = 0, wrong12 = 0, off13 = 0 }, second(true, M.b)
  for time = 0.2, 2.8, 0.2 do
    local now, state, B = quasi_velocities(time)
    local slope, gamma, rate, h = slope_at(state), connection_at(state), {}, 1.5e-2
    local near = {}
    for k = -3, 3 do near[k] = quasi_velocities(time + k*h) end
    for mu = 1, 3 do
      rate[mu] = (45*(near[1][mu] - near[-1][mu]) - 9*(near[2][mu] - near[-2][mu]) + near[3][mu] - near[-3][mu])/(60*h)
    end
    local radius = math.sqrt(state.x1^2 + state.x2^2)
    local lambda = 2*radius*state.lambda.cylinder                -- of rho - 1 - t
    local force, direction = { -state.x2/(time + 1), state.x1/(time + 1), -9.81 }, { state.x1/radius, state.x2/radius, 0 }
    -- the metric g_mn = b_m b_n in numbers; both mappings have it diagonal
    for i = 1, 3 do
      local plain, turned, image = 0, rate[i], 0
      local length = B["1" .. i]^2 + B["2" .. i]^2 + B["3" .. i]^2
      for mu = 1, 3 do
        plain = plain + B[i .. mu]*rate[mu]
        image = image + B[mu .. i]*(force[mu] + lambda*direction[mu])/length
        for nu = 1, 3 do
          plain = plain + slope[i .. mu .. nu]*now[mu]*now[nu]
          turned = turned + gamma[i .. mu .. nu]*now[mu]*now[nu]
        end
      end
      local active, at = force[i] + lambda*direction[i], { [x1] = state.x1, [x2] = state.x2 }
      for mu = 1, 3 do at[w[mu][1]], at[rates[mu][1]] = now[mu], rate[mu] end
      local mixed = printed12[i]:subs(at):eval{}
      off.right12, off.wrong12 = math.max(off.right12, math.abs(plain - active)), math.max(off.wrong12, math.abs(mixed - active))
      off.off13 = math.max(off.off13, math.abs(turned - image))
    end
  end
  return off
end
local of_quasi, of_integrable = along_run(quasi), along_run(integrable)
do
  -- the masses are 1: g^ik F_k is the force itself
  local lambda, F = hm.symbols "lambda", { hm.symbols "F1 F2 F3" }
  names.lambda, names.F, names.f, names.g, names.ranges.k = lambda, F, f, function(i, k) return i == k and 1 or 0 end, 3
  P:printed("b^i_mu pi^mu' + b^i_(mu,nu) pi^mu pi^nu' = g^ik (F_k + lambda df/dx^k)",
    function(i) return wrong[i] - F[i] - lambda*gradient[i] end, names)
end
P:misprint("(12)", "(11) in (10)", math.min(of_quasi.wrong12, of_integrable.wrong12), { of_quasi.right12, of_integrable.right12 },
  "both mappings along a run by multipliers, w = a x' and w' in numbers", "scan or print: as (11)")
P:agrees("(13)", "image of (10): D w^s/dt = g^ms F_m + lambda g^ms b^k_m df/dx^k, all three components, both mappings", images, nil,
  "by algebra for any force and any lambda, w' from (12);",
  "the print writes D pi/dt and, below, (g^nu sigma) = (g_mu sigma)^-1, where both indices are to be the same")
P:agrees("(13)", "the same along a motion", { of_quasi.off13, of_integrable.off13 },
  "a run by multipliers, w = a x' and w' in numbers, force and reaction of the run")
P:quote "D pi^s/dt ="
names.each = "s"
P:printed("pi^s' + Gamma^s_(mu nu) pi^mu pi^nu'", function(s)
  return sum(3, function(j) return a[s][j]*curve[j] end) - printed14[s]
end, names)
P:misprint("(14)", "covariant derivative", { printed14[1], printed14[3] }, covariant, nil,
    "D w^s/dt = w^s' + Gamma^s_(mu nu) w^mu w^nu; the print has w^mu w^nu' (scan or print, as (11))")
P:definition("(15)", "(13) for the spatial indices")
P:definition("(16)", "(13) for the time")
list = {}
for _, M in ipairs{ integrable, quasi } do
  for alpha = 1, 2 do
    list[#list + 1] = sum(3, function(i) return M.b[i][alpha]*M.b[i][3] end)     -- g_(alpha n) of (8)
    list[#list + 1] = M.metric[alpha][3]
  end
end
P:agrees("(17)", "block form of the metric, both mappings: the columns of b for space and time are orthogonal", list)
list = {}
for _, M in ipairs{ integrable, quasi } do
  local inverse_metric = M.metric:inverse()
  for alpha = 1, 2 do
    list[#list + 1] = sum(3, function(m) return inverse_metric[m][alpha]*sum(3, function(k) return M.b[k][m]*gradient[k] end) end)
  end
end
P:agrees("(18)", "the reaction drops out of the spatial equations", list)

local function run_of(system, from, more)
  local o = {}
  for k, v in pairs(from) do o[k] = v end
  for k, v in pairs(more or {}) do o[k] = v end
  return system:simulate(o)
end
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
-- (20) solved for lambda, against the multiplier of the form: lambda of rho - 1 - t is 2 rho times that of rho^2 - (t + 1)^2; under any force, for that
-- of the example has no part along the radius
local any = hm.system "the same cylinder, any force"
any:coordinates "x1 x2 x3"
local F1, F2, F3 = any:parameters "F1 F2 F3"
any:kinetic_energy(S:kinetic_energy())
any:force(x1, F1); any:force(x2, F2); any:force(x3, F3)
any:constraint("cylinder", x1^2 + x2^2 - (t + 1)^2)
local from_time = {}
for i, M in ipairs{ any:linear_mapping{ names = "p1 p2 p3", time = 3, b = { { -x2, 0, x1/rho }, { x1, 0, x2/rho }, { 0, 1, 0 } } },
  any:linear_mapping{ names = "u1 u2 u3", time = 3, b = { { -x2/rho, 0, x1/rho }, { x1/rho, 0, x2/rho }, { 0, 1, 0 } } } } do
  local v1, v2 = hm.functions_of_time(i == 1 and "p1 p2" or "u1 u2")
  local velocity, force = { v1.dot, v2.dot, hm.number(1) }, { F1, F2, F3 }
  local inverse_metric = M.metric:inverse()
  local left = sum(3, function(mu) return sum(3, function(nu) return M.connection[3][mu][nu]*velocity[mu]*velocity[nu] end) end)
  local active = sum(3, function(m) return inverse_metric[m][3]*sum(3, function(k) return M.b[k][m]*force[k] end) end)
  local reaction = sum(3, function(m) return inverse_metric[m][3]*sum(3, function(k) return M.b[k][m]*gradient[k] end) end)
  from_time[i] = (left - active)/reaction - 2*rho*any:equations("mapping", { mapping = M }).lambda[1]
end
local function left20(second_factor)
  return sum(3, function(mu) return sum(3, function(nu) return quasi.connection[3][mu][nu]*w[mu][1]*second_factor[nu][1] end) end)
end
names.each, names.ranges.n = "n", { 3, 3 }                         -- the time is the last component
P:quote "... = g^mu n F_mu + lambda g^mu n b^k_mu df/dx^k, on the left"
P:printed("Gamma^n_(mu nu) pi^mu pi^nu'", { [3] = left20(rates) }, names)
P:misprint("(20)", "the multiplier from the time equation", left20(w) - left20(rates), { from_time[1], from_time[2], worst_lambda },
  "lambda of the form under any force, both mappings; runs to t = 3 against the multiplier form",
  "Gamma^n_(mu nu) w^mu w^nu stands on the left; the print has w^mu w^nu', as in (14) (scan or print)")
save(reference, "cylinder")
P:show(S)
P:show(function() return reference:animate({ { "ball", at = { x1, x2, x3 }, radius = 0.1 }, { "trace", of = { x1, x2, x3 } } }) end)

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
  local y1, y2 = hm.functions_of_time "x1 x2"
  P:printed("x2/x1 - tan(theta)", y2/y1 - hm.tan(theta))
  P:misprint("(21)", "the plane", place[2]/place[1] - hm.tan(theta), place[2]/place[1] - hm.tan(t), nil,
    "scan or print: theta for t, as in (37) and (38); theta is the inclination of the axis; the plane turns with w = 1: x2/x1 = tan t")
  -- along a run in Cartesian coordinates that goes through the axis; its signed radius is (29) with c1 + c2 = 1 + G/2, c2 - c1 = -4
  E:constraint("plane", X2*cos(t) - X1*sin(t))
  local through = E:simulate{ q = { x1 = 1, x2 = 0, x3 = 0 }, v = { x1 = -4, x3 = 0 }, t = 1.5, rtol = 1e-12, atol = 1e-13 }
  local before, beyond, sign_changes = 0, 0, 0
  for time = 0.03, 1.47, 0.06 do
    local at = through:at(time)
    local r = 3.5*math.exp(-time) - 0.5*math.exp(time) - 2*math.cos(time)
    sign_changes = r < 0 and 1 or sign_changes
    before = math.max(before, math.abs(math.atan(at.x2/at.x1) - time))
    beyond = math.max(beyond, math.abs(math.sqrt(at.x1^2 + at.x2^2) - math.abs(r)), math.abs(at.x1 - r*math.cos(time)), math.abs(at.x2 - r*math.sin(time)))
  end
  local late = E:simulate{ q = { x1 = 1, x2 = 0, x3 = 0 }, v = { x1 = 0.2, x3 = 0.5 }, t = 2, rtol = 1e-12, atol = 1e-13 }:at(2)
  P:agrees("(22)", "the constraint solved for the time, t = arctan(x2/x1)", { before, math.atan(late.x2/late.x1) + math.pi - 2 },
    "runs on the constraint", "up to t = pi/2, on either side of the axis; beyond, it is t = arctan(x2/x1) + pi")
  P:definition("(23)", "weight: F1 = g sin(theta), F2 = 0, F3 = -g cos(theta)")
  P:agrees("(24)", "generalised coordinates: the root is |q1|", { beyond, sign_changes - 1 },
    "a run through the axis, where q1 of (29) changes its sign",
    "(25) to (29) hold for both signs of q1, the root of (24) only for q1 > 0; arctan(x2/x1) has no gradient on the axis")
  local length = hm.positive "r"
  local back = { length*cos(t), length*sin(t) }
  P:agrees("(25)", "and back: (24) for q1 > 0, and the constraint", { sqrt(back[1]^2 + back[2]^2) - length, back[2]/back[1] - hm.tan(t), place[3] - q2 })
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
  P:agrees("(29)", "their general solution", { diff(s1, t, t) - s1 - G*cos(t), diff(s2, t, t) + Gc,
    hm.jacobian({ s1, diff(s1, t) }, { c1, c2 }):determinant() - 2, hm.jacobian({ s2, diff(s2, t) }, { c3, c4 }):determinant() + 1 }, nil,
    "the constants reach every start")
  local r2 = X1^2 + X2^2
  local angle = hm.atan(X2/X1)
  -- a system of its own with the constraint as (22) writes it
  local O = hm.system "the plane by its angle"
  O:coordinates "x1 x2 x3"
  O:positive "G=4 Gc=8.9"
  O:kinetic_energy((X1.dot^2 + X2.dot^2 + X3.dot^2)/2)
  O:force(X1, G); O:force(X3, -Gc)
  O:constraint("angle", angle - t)
  local o = O:equations()
  local of_angle = o.multipliers[1]
  P:agrees("(30)", "multiplier equations", { o[1] - (X1.ddot - G + of_angle*X2/r2), o[2] - (X2.ddot - of_angle*X1/r2), o[3] - (X3.ddot + Gc) })
  local lambda31 = (2*X1.dot*X2.dot*(X1^2 - X2^2) - 2*X1*X2*(X1.dot^2 - X2.dot^2))/r2 + G*X2
  local on_plane = { [X1] = place[1], [X2] = place[2], [X1.dot] = hm.dt(place[1]), [X2.dot] = hm.dt(place[2]) }
  local twice = hm.dt(hm.dt(angle)):subs{ [X1.ddot] = G - of_angle*X2/r2, [X2.ddot] = of_angle*X1/r2 }
  local derived = 2*q1*q1.dot + G*sin(t)*q1
  P:agrees("(31)", "the multiplier in the coordinates", { hm.solve({ twice }, { of_angle })[1] - lambda31, lambda31:subs(on_plane) - derived }, nil,
      "from (30) and the second derivative of (22)", "on the constraint: lambda = " .. tostring(derived))
  local lambda32 = 2*c2^2*exp(2*t) - c2*G*(cos(t) - 2*sin(t))*exp(t) - G^2*cos(t)*sin(t) + c1*G*(cos(t) + 2*sin(t))*exp(-t) - 2*c1^2*exp(-2*t)
  P:agrees("(32)", "the multiplier in time", derived:subs{ [q1] = s1, [q1.dot] = diff(s1, t) } - lambda32)
  -- the run in Cartesian coordinates against (29) and (32)
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
  P:show(function() return run:plot("x1", "x2", { title = "in the plane that turns" }) end)
  P:definition("(33)", "the mapping of example 1: polar radius, height, angle")
  local R = sqrt(r2)
  local q3 = hm.functions_of_time "q3"
  local polar = { q1*cos(q3), q1*sin(q3) }
  local function in_polar(ex) return ex:subs{ [X1] = polar[1], [X2] = polar[2] } end
  local radial = q1.dot*in_polar(X1)/q1
  local radial2 = q1.dot*in_polar(X2)/q1
  local angle_rate, x_over = q3.dot, { X1/R*q1.dot, X2/R*q1.dot }
  P:printed("x1/sqrt(x1^2 + x2^2)*q1' + x2*q3'", x_over[1] + X2*angle_rate)
  P:printed("x2/sqrt(x1^2 + x2^2)*q1' - x1*q3'", x_over[2] - X1*angle_rate)
  P:misprint("(34)", "its velocities", { hm.dt(polar[1]) - (radial + in_polar(X2)*q3.dot), hm.dt(polar[2]) - (radial2 - in_polar(X1)*q3.dot) },
    { hm.dt(polar[1]) - (radial - in_polar(X2)*q3.dot), hm.dt(polar[2]) - (radial2 + in_polar(X1)*q3.dot) }, nil,
    "the signs of the terms in q3' are turned in the print: x1' = x1/rho q1' - x2 q3', x2' = x2/rho q1' + x1 q3'")
  local M = E:linear_mapping{ names = "q1 q2 q3", time = 3, b = { { X1/R, 0, -X2 }, { X2/R, 0, X1 }, { 0, 1, 0 } } }
  P:agrees("(35)", "metric", { M.metric[1][1] - 1, M.metric[2][2] - 1, M.metric[3][3] - r2, M.metric[1][3], M.metric[1][2], M.metric[2][3] })
  P:printed("-sqrt(x1^2 + x2^2)", -R)
  P:printed("-1/sqrt(x1^2 + x2^2)", -1/R)
  P:misprint("(36)", "connection, all 27 coefficients", { M.connection[3][1][3] + 1/R, M.connection[3][3][1] + 1/R },
    all_coefficients(M, { ["1 3 3"] = -R, ["3 1 3"] = 1/R, ["3 3 1"] = 1/R }), nil,
    "the print has -1/rho in its second line; it is Gamma^3_13 = Gamma^3_31 = +1/rho")
  -- the form's equations on the plane, with a radius that does not vanish
  local of_mapping = E:equations("mapping", { mapping = M })
  local radius = hm.positive "r"
  local function on_plane_of(ex) return ex:subs{ [X1] = radius*cos(t), [X2] = radius*sin(t) } end
  local inclination = { [G] = g*sin(theta) }                          -- G is g sin(theta)
  local printed37, printed38 = q1.ddot - q1.dot - G*cos(theta), 2*q1.dot*q1.dot + G*sin(theta)*q1.dot
  P:printed("q1'' - q1' - g*sin(theta)*cos(theta)", printed37:subs(inclination))
  P:misprint("(37)", "equations on the space-time, from the mapping", { on_plane_of(of_mapping[1]) - printed37 },
    { on_plane_of(of_mapping[1]) - (q1.ddot - radius - G*cos(t)), on_plane_of(of_mapping[2]) - (q2.ddot + Gc),
      e[1] - (q1.ddot - q1 - G*cos(t)), e[2] - (q2.ddot + Gc) }, nil,
    "scan or print: a dot too many, and theta for t; it is q1'' - q1 = g sin(theta) cos t, as (28)")
  -- lambda of the form, for x2 cos t - x1 sin t; times the radius it is that of arctan(x2/x1) - t
  local on_radius = { [X1] = place[1], [X2] = place[2], [hm.functions_of_time "q1".dot] = q1.dot }
  local of_form = E:equations("mapping", { mapping = M }).lambda[1]:subs(on_radius)*q1
  local positive = hm.positive "r"                                   -- the radius does not vanish
  local function at_radius(ex) return ex:subs{ [q1] = positive } end
  -- by hand: (20) with the metric of the columns of b and the three coefficients of (36), corrected
  local hand = (function()
    local column, gradient38, F = { -X2, X1 }, { -X2/r2, X1/r2 }, { G, 0 }
    local square = column[1]^2 + column[2]^2
    local force = (column[1]*F[1] + column[2]*F[2])/square
    local reaction_of_one = (column[1]*gradient38[1] + column[2]*gradient38[2])/square
    return on_plane_of((2*q1.dot/R - force)/reaction_of_one)
  end)()
  local along = 0
  for time = 0, 2, 0.2 do
    local at = run:at(time)
    local r, rate = at.x1*math.cos(time) + at.x2*math.sin(time), at.v.x1*math.cos(time) + at.v.x2*math.sin(time)
    along = math.max(along, math.abs(at.lambda.plane*r - 2*r*rate - 4*math.sin(time)*r)/(1 + r^2))
  end
  P:printed("2*q1'*q1' + g*sin(theta)*sin(theta)*q1'", printed38:subs(inclination))
  P:misprint("(38)", "the multiplier, from the time equation", at_radius(of_form - printed38),
    { at_radius(of_form - (2*q1*q1.dot + G*sin(t)*q1)), hand - (2*radius*q1.dot + G*sin(t)*radius), along },
    "(20) by hand and by the form 'mapping', run by multipliers",
    "scan or print: two dots too many, and theta for t; it is lambda = 2 q1 q1' + g sin(theta) sin(t) q1")
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
  P:agrees("(40)", "and back: on the constraint, with the angle (39)", { place[1]^2 + place[2]^2 - (t + 1)^2, place[2]/place[1] - hm.tan(q1) }, nil,
    "the arctan of (39) is an angle up to a multiple of pi")
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
  P:agrees("(44)", "their general solution", { (t + 1)*diff(s1, t, t) + 2*diff(s1, t) - 1, diff(s2, t, t) + g,
    hm.jacobian({ s1, diff(s1, t) }, { c1, c2 }):determinant()*(t + 1)^2 + 1, hm.jacobian({ s2, diff(s2, t) }, { c3, c4 }):determinant() + 1 })
  P:definition("(45)", "the integrable mapping: angle, height, radius - 1 (the text refers to it as (33))")
  P:agrees("(46)", "its velocities: columns of b are the derivatives of (x1, x2) by angle and radius", (function()
    local angle, radius = hm.functions_of_time "alpha r"
    local polar = { radius*cos(angle), radius*sin(angle) }
    local out = {}
    for mu = 1, 3 do out[#out + 1] = integrable.b[3][mu] - (mu == 2 and 1 or 0) end
    for i = 1, 2 do
      out[#out + 1] = integrable.b[i][2]
      out[#out + 1] = diff(polar[i], angle) - integrable.b[i][1]:subs{ [x1] = polar[1], [x2] = polar[2] }
      out[#out + 1] = radius*diff(polar[i], radius) - (integrable.b[i][3]*rho):subs{ [x1] = polar[1], [x2] = polar[2] }
    end
    return out
  end)())
  P:agrees("(47)", "metric", { integrable.metric[1][1] - rho^2, integrable.metric[2][2] - 1, integrable.metric[3][3] - 1, integrable.metric[1][3],
    integrable.metric[1][2], integrable.metric[2][3] })
  P:agrees("(48)", "connection, all 27 coefficients", all_coefficients(integrable, { ["1 1 3"] = 1/rho, ["1 3 1"] = 1/rho, ["3 1 1"] = -rho }))
  -- on the constraint: rho = t + 1
  local E = S:equations("mapping", { mapping = integrable })
  local p1 = hm.functions_of_time "p1"
  -- t + 1 > 0 from the start on: the positive tau stands for it
  local function on_cylinder(ex) return ex:subs{ [x1] = tau*cos(q1), [x2] = tau*sin(q1), [t] = tau - 1 } end
  local p2 = hm.functions_of_time "p2"
  P:agrees("(49)", "equations on the space-time are (43)", { on_cylinder(E[1])/tau - (tau*p1.ddot + 2*p1.dot - 1), on_cylinder(E[2]) - (p2.ddot + g) },
    "on the constraint, tau = t + 1", "derived before the constraint is put in: " .. tostring(((E[1])/rho):simplify()) .. " = 0")
  P:definition("(50)", "the nonintegrable mapping: unit vectors")
  P:agrees("(51)", "metric", { quasi.metric[1][1] - 1, quasi.metric[2][2] - 1, quasi.metric[3][3] - 1, quasi.metric[1][3],
    quasi.metric[1][2], quasi.metric[2][3] })
  P:agrees("(52)", "connection with torsion, all 27 coefficients", all_coefficients(quasi, { ["1 3 1"] = 1/rho, ["3 1 1"] = -1/rho }))
  local N = S:equations("mapping", { mapping = quasi })
  local u1 = hm.functions_of_time "u1"
  local spatial = on_cylinder(N[1])*tau
  local u2 = hm.functions_of_time "u2"
  P:printed("(t + 1)*u1' + u1' - (t + 1)", (tau*u1.dot + u1.dot - tau):subs{ [tau] = t + 1 })
  P:misprint("(53)", "equations on the space-time", spatial - (tau*u1.dot + u1.dot - tau), { spatial - (tau*u1.ddot + u1.dot - tau),
    on_cylinder(N[2]) - (u2.ddot + g) }, "on the constraint, tau = t + 1",
    "scan or print: a dot too few (u1, u2 are the q1, q2 of the text); it is (t + 1) q1'' + q1' = t + 1")
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
  local function residual(A, B) return { diff(A, t) - (-B*v1/(t + 1) + A/(t + 1)), diff(B, t) - (A*v1/(t + 1) + B/(t + 1)) } end
  local corrected = residual(X1, Y2)
  corrected[3] = diff(X3, t) - v2
  -- the general solution: the constants c1, c2 reach every place
  corrected[4] = hm.jacobian({ X1, Y2 }, { c1, c2 }):determinant() - (t + 1)^2
  P:printed("(t + 1)*(c1*sin(1/2 + (t^2 - 2*c4)/(2*(t + 1))) + c2*cos(1/2 + (t^2 - 2*c4)/(2*(t + 1))))", X1)
  P:printed("(t + 1)*(c1*cos(1/2 + (t^2 - 2*c4)/(2*(t + 1))) + c2*sin(1/2 + (t^2 - 2*c4)/(2*(t + 1))))", X2)
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
