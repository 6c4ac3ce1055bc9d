-- nonlinear.lua: frames of quasi-velocities w_s(q, q', t) that are not linear in the velocities, or belong to nonlinear constraints:
-- their Jacobian a_sr = dw_s/dq_r', its inverse B_rs = dq_r'/dw_s, and the velocities V_r(q, w, t) where elimination finds them.
local answer = require "hamel.base.answer"
local core = require "hamel.core"
local explicit = require "hamel.equations.explicit"
local kinematics = require "hamel.equations.kinematics"
local linear = require "hamel.algebra.linear"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"

local nonlinear = {}

--- Is one of the constraints nonlinear in the velocities?
function nonlinear.constrained(system)
  for _, c in ipairs(system.constraints) do if not c.linear then return true end end
  return false
end

--- Does a frame of this system need this file?
function nonlinear.needed(system, names)
  return nonlinear.constrained(system) or (not names and system._quasi and not system._quasi.rows) or false
end

local function is_zero(e) return core.number_value(e) == 0 end

-- Indices of the coordinates whose velocities become the free quasi-velocities where none are chosen, and of the others
local function independent_columns(system, names, levels, form)
  local n, m = #system.coordinate_names, #levels
  local is_dependent, list, rows = {}, {}, {}
  for k, level in ipairs(levels) do rows[k] = level.velocity.row end
  local columns = names and kinematics.named_columns(system, names, m, form) or linear.choose_columns(rows, n)
    or object.fail("the constraints of %s depend on each other: no velocity is left to solve for", system.name)
  for _, j in ipairs(columns) do is_dependent[j] = true end
  for j = 1, n do if not is_dependent[j] then list[#list + 1] = j end end
  return list, columns
end

-- The functions w_1..w_n and their symbols; the last m are the constraints
local function functions_of(system, names, form)
  local q, v, levels = system:coordinate_list(), system:velocity_list(), {}
  for k, c in ipairs(system.constraints) do levels[k] = kinematics.levels(c, q, v) end
  local n, m = #q, #levels
  local h, w = n - m, {}
  local quasi = not names and system._quasi
  if quasi and #quasi.names ~= h then object.fail("%s: %d quasi-velocities for %d degrees of freedom", form, #quasi.names, h) end
  local independent, dependent
  if not quasi then independent, dependent = independent_columns(system, names, levels, form) end
  local u = kinematics.quasi_symbols(system, n, quasi and quasi.names)
  for s = 1, h do w[s] = quasi and quasi.functions[s] or v[independent[s]] end
  for k = 1, m do w[h + k] = levels[k].velocity.f end
  return { q = q, v = v, levels = levels, n = n, m = m, h = h, w = w, u = u, chosen = not names and dependent }
end

-- V_r(q, u, t) with all n quasi-velocities kept, and the expressions that must not vanish; nil where elimination does not find them
local function velocities_of(K)
  local f, allowed = {}, {}
  for s = 1, K.n do f[s], allowed[s] = K.w[s] - K.u[s], true end
  local solved = explicit.eliminate(f, K.v, allowed)
  return solved and solved.phi, solved and solved.slopes
end

local function inverse(a, n)
  local unit = {}
  for s = 1, n do
    unit[s] = {}
    for r = 1, n do unit[s][r] = core.rational(r == s and 1 or 0) end
  end
  local columns, pivots = linear.solve_exactly(a, unit)
  local B = {}
  for r = 1, n do
    B[r] = {}
    for s = 1, n do B[r][s] = columns[s][r] end
  end
  return B, pivots
end

--- The frame: like `kinematics.quasi`, with a, B, levels and w in the states of the form, which are
--- - the free quasi-velocities u_1..u_h where all velocities are found in closed form: V = velocities in all u, v_of_u = V on the constraints;
--- - the velocities themselves where they are not (`implicit`): nothing has to be inverted, and no branch is to be chosen.
function nonlinear.frame(system, names, form)
  local K = functions_of(system, names, form)
  local V, slopes = velocities_of(K)
  K.implicit = V == nil
  local constrained, zeros = {}, {}
  for k = 1, K.m do constrained[k], zeros[k] = K.u[K.h + k], 0 end
  K.a, K.dw_dq = {}, {}
  for s = 1, K.n do
    K.a[s], K.dw_dq[s] = core.gradient(K.w[s], K.v), core.gradient(K.w[s], K.q)
  end
  if K.implicit then
    K.states, K.rates, K.v_of_u = K.v, {}, K.v
    for r = 1, K.n do K.rates[r] = K.q[r].ddot end
  else
    K.states, K.rates, K.V, K.v_of_u = {}, {}, V, {}
    for r = 1, K.n do K.v_of_u[r] = core.substitute(V[r], constrained, zeros) end
    for s = 1, K.h do K.states[s], K.rates[s] = K.u[s], K.u[s].dot end
    -- everything in the quasi-velocities
    for s = 1, K.n do
      for r = 1, K.n do
        K.a[s][r] = core.substitute(K.a[s][r], K.v, K.v_of_u)
        K.dw_dq[s][r] = core.substitute(K.dw_dq[s][r], K.v, K.v_of_u)
      end
    end
  end
  K.B, K.pivots = inverse(K.a, K.n)
  for _, slope in ipairs(slopes or {}) do
    local e = core.substitute(core.substitute(slope, K.v, K.v_of_u), constrained, zeros)
    if not core.number_value(e) then K.pivots[#K.pivots + 1] = e end
  end
  return K
end

--- Total time derivative of e in the states of the frame, with their rates.
function nonlinear.rate(K, e)
  local from, along = table.move(K.q, 1, K.n, 1, {}), table.move(K.v_of_u, 1, K.n, 1, {})
  for s = 1, #K.states do from[#from + 1], along[#along + 1] = K.states[s], K.rates[s] end
  from[#from + 1], along[#along + 1] = symbols.t, 1
  return core.directional({ e }, from, along)[1]
end

--- General transposition coefficients: bracket[k][s] = sum_r (d/dt dw_k/dq_r' - dw_k/dq_r) dq_r'/dw_s, with the rates of the states.
--- For linear w they are sum_l gamma^k_sl w_l + gamma^k_s0.
function nonlinear.transposition(K)
  local bracket = {}
  for k = 1, K.n do
    bracket[k] = {}
    local defect = {}
    for r = 1, K.n do
      defect[r] = (core.number_value(K.a[k][r]) and core.rational(0) or nonlinear.rate(K, K.a[k][r])) - K.dw_dq[k][r]
    end
    for s = 1, K.n do
      local terms = {}
      for r = 1, K.n do if not is_zero(K.B[r][s]) then terms[#terms + 1] = K.B[r][s]*defect[r] end end
      bracket[k][s] = core.sum(terms)
    end
  end
  return bracket
end

local schema = { dependent = { type = "table", list = true, doc = "names of the coordinates whose velocities are eliminated" } }

-- The list of lists with short forms in place of its expressions
local function simplified(list)
  for i, item in ipairs(list) do
    if core.is_expression(item) then list[i] = item:simplify() else simplified(item) end
  end
end

-- The symbols that are not zero, as rows of a printed answer
local function symbols_left(result)
  local names, rows = result.names, {}
  local function take(e, pattern, ...) if not is_zero(e) then rows[#rows + 1] = { pattern:format(...), e } end end
  for k, name in ipairs(names) do
    for s, along in ipairs(names) do
      if result.bracket then take(result.bracket[k][s], "bracket^%s_%s", name, along)
      else
        for l = s + 1, #names do take(result.gamma[k][s][l], "gamma^%s_%s,%s", name, along, names[l]) end
        take(result.gamma0[k][s], "gamma^%s_%s,0", name, along)
      end
    end
  end
  return rows
end

--- Returns the commutation of d and delta in the system's quasi-velocities w_k, the last of which are the constraints: d(delta pi_k) - delta w_k dt.
--- If w is linear in the velocities: { names, gamma = [k][s][l], gamma0 = [k][s] }, Hamel's three-index symbols, antisymmetric in s, l.
--- Otherwise: { names, bracket = [k][s] }, sum_r (d/dt dw_k/dq_r' - dw_k/dq_r) dq_r'/dw_s on the constraints (the text on one-sided constraints
--- (2.7)). For linear ones bracket = sum_l gamma^k_sl w_l + gamma^k_s0. Option dependent = {"y"}.
function System:transposition(given)
  local o = options.check("transposition", schema, given)
  local bent, result = nonlinear.needed(self, o.dependent), { names = {} }
  local K = bent and nonlinear.frame(self, o.dependent, "transposition") or kinematics.quasi(self, o.dependent, "transposition")
  for s = 1, K.n do result.names[s] = core.text(K.u[s]) end
  if bent then result.bracket = nonlinear.transposition(K)
  else result.gamma, result.gamma0 = kinematics.transposition(K) end
  simplified(result.bracket or result.gamma)
  simplified(result.gamma0 or {})
  local heading = bent and ": transposition coefficients that are not zero"
    or ": Hamel's symbols that are not zero, antisymmetric in the lower indices"
  return answer.entries(result, symbols_left, self.name .. heading, "all symbols vanish: the quasi-velocities are rates of coordinates")
end

--- The constraints solved for dependent velocities, q_k' = phi_k(q, independent velocities, t): as `kinematics.solved`, with phi instead of
--- coefficients; A is the Jacobian of the constraints at these velocities.
function nonlinear.solved(system, names, form)
  local X = explicit.solve(system, names, form)
  local S = { independent = X.independent, dependent = X.dependent, phi = X.phi, v = X.v, A = {}, levels = {}, pivots = {} }
  for k, c in ipairs(system.constraints) do
    S.levels[k] = kinematics.levels(c, X.q, system:velocity_list())
    S.A[k] = {}
    for r, entry in ipairs(S.levels[k].velocity.row) do S.A[k][r] = core.substitute(entry, system:velocity_list(), X.v) end
  end
  for i, slope in ipairs(X.slopes) do S.pivots[i] = core.substitute(slope, system:velocity_list(), X.v) end
  return S
end

options.declare("transposition", schema)

return nonlinear
