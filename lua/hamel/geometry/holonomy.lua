-- holonomy.lua: integrability of the constraints, and their integrals. Linear constraints: Frobenius' condition in the form of
-- Voronets' brackets; nonlinear ones: Chen's condition that sum (d/dt df/dq' - df/dq) delta q vanishes on every possible motion.
local answers = require "hamel.base.answer"
local branches = require "hamel.geometry.branches"
local core = require "hamel.core"
local explicit = require "hamel.equations.explicit"
local kinematics = require "hamel.equations.kinematics"
local object = require "hamel.base.object"
local one_form = require "hamel.geometry.one_form"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local protected = require "hamel.base.protected"

-- beta^k_jl = X_l c_kj - X_j c_kl and beta^k_j0 = X_0 c_kj - X_j c_k0, which all vanish exactly for integrable constraints
local function brackets(system)
  local S = kinematics.solved(system, nil, "holonomic")
  local q = system:coordinate_list()
  local function X(l, e)
    local sum = { l == 0 and core.diff(e, symbols.t) or core.diff(e, q[S.independent[l]]) }
    for i, dependent in ipairs(S.dependent) do sum[#sum + 1] = (l == 0 and S.c0[i] or S.c[i][l])*core.diff(e, q[dependent]) end
    return core.sum(sum)
  end
  local list = {}
  for k = 1, #S.dependent do
    for j = 1, #S.independent do
      list[#list + 1] = X(0, S.c[k][j]) - X(j, S.c0[k])
      for l = j + 1, #S.independent do list[#list + 1] = X(l, S.c[k][j]) - X(j, S.c[k][l]) end
    end
  end
  return list
end

-- The coefficients of the independent delta q in Chen's condition: those of the defects of d and delta
local function defects(system)
  local list, coefficients = {}, system:commutation()
  for _, c in ipairs(system.constraints) do
    for _, q in ipairs(system:coordinate_list()) do list[#list + 1] = coefficients[c.name][q] end
  end
  return list
end

-- ---- constraints that cannot be solved by algebra: the condition as an identity, then at random possible motions

local MANY = 200                       -- determinants up to which the identity is tried

-- All choices of `count` numbers from 1 to n, in order
local function choices(n, count, visit, list)
  list = list or {}
  if #list == count then return visit(list) end
  for i = (list[#list] or 0) + 1, n do
    list[#list + 1] = i
    if choices(n, count, visit, list) == false then return false end
    list[#list] = nil
  end
end

-- true where the vectors E_k = d/dt df_k/dq' - df_k/dq are combinations of the rows df/dq' for all q, q', q'', t: then E_k . delta q vanishes on
-- every possible motion, whatever branch of f = 0 it is on. All determinants of the rows with E_k below must vanish identically
local function by_identity(system)
  local q, v, rows, vectors = system:coordinate_list(), system:velocity_list(), {}, {}
  for k, c in ipairs(system.constraints) do
    local level = kinematics.levels(c, q, v).velocity
    rows[k], vectors[k] = level.row, {}
    for s = 1, #q do vectors[k][s] = core.dt(level.row[s]) - core.diff(level.f, q[s]) end
  end
  local g, count = #rows, 0
  if g >= #q then return nil end
  for _, E in ipairs(vectors) do
    local fine = choices(#q, g + 1, function(columns)
      local flat = {}
      count = count + 1
      for k = 1, g + 1 do for _, s in ipairs(columns) do flat[#flat + 1] = (rows[k] or E)[s] end end
      return count <= MANY and core.determinant(g + 1, flat):is_zero() == true
    end)
    if fine == false then return nil end
  end
  return true
end

-- x + the shortest d with J d = -residual
local function shortest(J, residual, x)
  local g, square = #J, {}
  for i = 1, g do
    square[i] = {}
    for k = 1, g do
      square[i][k] = 0
      for s = 1, #x do square[i][k] = square[i][k] + J[i][s]*J[k][s] end
    end
    square[i][g + 1] = -residual[i]
  end
  for k = 1, g do
    for i = k + 1, g do
      local factor = square[i][k]/square[k][k]
      for c = k, g + 1 do square[i][c] = square[i][c] - factor*square[k][c] end
    end
  end
  local w, result = {}, {}
  for i = g, 1, -1 do
    w[i] = square[i][g + 1]
    for k = i + 1, g do w[i] = w[i] - square[i][k]*w[k] end
    w[i] = w[i]/square[i][i]
  end
  for s = 1, #x do
    result[s] = x[s]
    for k = 1, g do result[s] = result[s] + J[k][s]*w[k] end
  end
  return result
end

local function generator(state)
  return function(from, to)
    state = (state*1103515245 + 12345) % 2147483648
    return from + (to - from)*state/2147483648
  end
end

-- Programs of f, df/dq', the part of f' without accelerations, and the condition's coefficients E; inputs t, q, q', q'', parameters
local function programs(system, levels)
  local q, v = system:coordinate_list(), system:velocity_list()
  local a, parameters, positive = {}, {}, {}
  for s = 1, #q do a[s] = q[s].ddot end
  for i, name in ipairs(system.parameter_names) do
    parameters[i] = system._parameter[name]
    positive[i] = core.known_positive(parameters[i])
  end
  local inputs = { symbols.t }
  for _, list in ipairs{ q, v, a, parameters } do table.move(list, 1, #list, #inputs + 1, inputs) end
  local f, J, b, E = {}, {}, {}, {}
  for k, level in ipairs(levels) do
    f[k], b[k] = level.velocity.f, level.b
    table.move(level.velocity.row, 1, #q, #J + 1, J)
    for s = 1, #q do E[#E + 1] = core.dt(level.velocity.row[s]) - core.diff(f[k], q[s]) end
  end
  return { n = #q, g = #levels, positive = positive, f = core.program(inputs, f), J = core.program(inputs, J),
           b = core.program(inputs, b), E = core.program(inputs, E) }
end

local function rows(list, g, n)
  local result = {}
  for k = 1, g do result[k] = table.move(list, (k - 1)*n + 1, k*n, 1, {}) end
  return result
end

-- Size of the condition at one random possible motion, relative to its terms; nil where Newton's method finds no possible velocities
local function condition_at(p, random)
  local x, n = { random(0, 1) }, p.n
  for _ = 1, 3*n do x[#x + 1] = random(-1, 1) end
  for _, positive in ipairs(p.positive) do x[#x + 1] = positive and random(0.5, 2) or random(-1, 1) end
  local function block(i) return table.move(x, 2 + i*n, 1 + (i + 1)*n, 1, {}) end
  local function set(i, list) table.move(list, 1, n, 2 + i*n, x) end
  for _ = 1, 40 do set(1, shortest(rows(p.J:eval(x), p.g, n), p.f:eval(x), block(1))) end
  for _, residual in ipairs(p.f:eval(x)) do if not (math.abs(residual) < 1e-12) then return nil end end
  local J, b = rows(p.J:eval(x), p.g, n), p.b:eval(x)
  local a, delta, zeros = block(2), {}, {}
  for k = 1, p.g do
    for s = 1, n do b[k] = b[k] + J[k][s]*a[s] end
    zeros[k] = 0
  end
  set(2, shortest(J, b, a))
  for s = 1, n do delta[s] = random(-1, 1) end
  for k = 1, p.g do for s = 1, n do zeros[k] = zeros[k] + J[k][s]*delta[s] end end
  delta = shortest(J, zeros, delta)
  local worst, E = 0, p.E:eval(x)
  for k = 1, p.g do
    local sum, size = 0, 1
    for s = 1, n do
      local term = E[(k - 1)*n + s]*delta[s]
      sum, size = sum + term, size + math.abs(term)
    end
    worst = math.max(worst, math.abs(sum)/size)
  end
  return worst == worst and worst or nil
end

-- false where a possible motion violates the condition, else nil: points prove nothing
local function sampled(system)
  local q, v, levels = system:coordinate_list(), system:velocity_list(), {}
  for k, c in ipairs(system.constraints) do levels[k] = kinematics.levels(c, q, v) end
  local p, random = programs(system, levels), generator(1993)
  for _ = 1, 60 do
    local size = condition_at(p, random)
    if size and size > 1e-6 then return false end
  end
  return nil
end

local function is_linear(system)
  for _, c in ipairs(system.constraints) do if not c.linear then return false end end
  return true
end

-- The verdict on constraints that are no products
local function undivided(system)
  local list = is_linear(system) and brackets(system)
  if not list then
    local fine, found = protected(defects, system)
    list = fine and found
  end
  if not list then return by_identity(system) or sampled(system), {} end
  local answer, witnesses = true, {}
  for _, e in ipairs(list) do
    local zero = e:is_zero()
    if zero == false then
      answer = false
      witnesses[#witnesses + 1] = (e:simplify())
    elseif zero == nil and answer then
      answer = nil
    end
  end
  local lost = answer and not is_linear(system) and branches.lost(system)
  if lost and not by_identity(system) then return nil, {}, lost end
  return answer, witnesses
end

-- Each factor of c taken as the constraint
local function by_branches(system, c, factors)
  for _, factor in ipairs(factors) do
    local branch = system:_replacing(c, factor.e)
    local answer, witnesses = true, nil
    if branch then answer, witnesses = branch:holonomic() end
    if answer == false then return false, witnesses end
  end
  return nil, {}, ("'%s' is a product and holds in branches, %s; declare the one that is meant"):format(c.name, branches.text(factors)), "branches"
end

-- The verdict on nonlinear constraints one of which is a product or a power; nothing where none is
local function divided(system)
  local v = system:velocity_list()
  for _, c in ipairs(system.constraints) do
    local factors = not c.linear and branches.factors(c.f, v)
    if factors and #factors > 1 then return true, by_branches(system, c, factors) end
    if factors and #factors == 1 and factors[1].n > 1 then
      return true, nil, {}, ("the derivative of '%s' vanishes wherever it holds; declare its root, %s"):format(c.name, core.text(factors[1].e))
    end
    -- the other factors never vanish
    local single = factors and #factors == 1 and factors[1].e ~= c.f and core.tree_size(factors[1].e) < core.tree_size(c.f)
    local branch = single and system:_replacing(c, factors[1].e)
    if branch then return true, branch:holonomic() end
  end
  return false
end

-- The list, which prints as the sentence
local function said(system, verdict, witnesses)
  if not witnesses then return nil end
  return answers.described(witnesses, function(list)
    local about = ("the constraints of %s are "):format(system.name)
    if verdict then return about .. "integrable: every term of the condition vanishes" end
    if verdict == nil then return ("whether the constraints of %s are integrable is not decided"):format(system.name) end
    if #list == 0 then return about .. "not integrable: a possible motion violates the condition" end
    local texts = {}
    for i, e in ipairs(list) do texts[i] = core.text(e) end
    return about .. "not integrable: of the terms of the condition these do not vanish:\n  " .. table.concat(texts, "\n  ")
  end)
end

--- Decides whether the constraints, taken together, are integrable: true, false, or nil if it cannot be decided. The second result lists
--- expressions that do not vanish.
--- Linear constraints: Frobenius' condition on the distribution with time, all other constraints included. Nonlinear ones: Chen's condition,
--- sum (d/dt df/dq_s' - df/dq_s) delta q_s = 0 along every possible motion (Liang 1999 (73)). If the constraints cannot be solved for velocities,
--- the condition is tested as an identity in all variables, then at random possible motions; the answer is then true, false without a list, or nil.
--- Redundant constraints are ignored. A product of velocities is several constraints, one on each of its branches, and a function that jumps is a
--- different constraint on either side. If all of these are integrable, the answer is nil, and the third result is the reason.
--- Quaternions of rotations have unit length; beside nonlinear constraints that is not decided (nil).
function System:holonomic()
  if #self._rotations > 0 then
    if not is_linear(self) then
      return nil, said(self, nil, {}), "nonlinear constraints on rotations by unit quaternions are not decided; turn the frame by three angles (N:rotate)"
    end
    return self:_on_spheres():holonomic()
  end
  local independent = self:_independent()
  if independent ~= self then return independent:holonomic() end
  local found, verdict, witnesses, reason, parts = divided(self)
  if not found then verdict, witnesses, reason = undivided(self) end
  local region = verdict and branches.region(self)
  if region then return nil, said(self, nil, {}), region, "regions" end
  local sentence = said(self, verdict, witnesses)
  -- no trailing nil, which print would show
  if parts then return verdict, sentence, reason, parts end
  if reason then return verdict, sentence, reason end
  return verdict, sentence
end

-- ---- integrals

-- The constraint as one-forms in (q, t): as declared where it is linear, and solved for its velocity
local function forms_of(q, constraint, velocity, phi)
  local v, n, zeros = {}, #q, {}
  for s = 1, n do v[s], zeros[s] = q[s].dot, 0 end
  local function form(f)
    local a = core.gradient(f, v)
    for s = 1, n do a[s] = core.substitute(a[s], v, zeros) end
    a[n + 1] = core.substitute(f, v, zeros)
    return a
  end
  local list = { phi and form(velocity - phi) }
  if constraint.linear then table.insert(list, 1, form(kinematics.levels(constraint, q, v).velocity.f)) end
  return list
end

-- The variables q, t without the coordinates the constraints keep constant, except the one at index `own`; and the places of those kept
local function variables(X, own)
  local constant, z, places = {}, {}, {}
  for k, j in ipairs(X.dependent) do constant[j] = j ~= own and X.phi[k]:is_zero() == true end
  for s = 1, #X.q do
    if not constant[s] then z[#z + 1], places[#places + 1] = X.q[s], s end
  end
  z[#z + 1], places[#places + 1] = symbols.t, #X.q + 1
  return z, places
end

local function record_of(F, factor) return { integral = F, factor = factor, text = core.text(F) .. " is constant" } end

-- A constraint on coordinates is itself an integral
local function not_found(c)
  return c.order == 0 and record_of(c.f, core.rational(1)) or { text = "integrable, integral not found" }
end

-- The first of the one-forms that elementary rules integrate; nil: none
local function searched(forms, z, places)
  for _, form in ipairs(forms) do
    local a = {}
    for i, place in ipairs(places) do a[i] = form[place] end
    local F, factor = one_form.integral(a, z)
    if F then return record_of(F, factor) end
  end
end

--- Returns integrals of integrable constraints: by constraint { integral = F(q, t), factor }. F is constant on every possible motion. factor times
--- the one-form of the constraint is dF, where coordinates that other constraints keep constant count as constants.
--- If elementary rules (integrating factors of one variable, 1/coefficient, 1/(q_i q_j)) find no integral, or if a constraint cannot be solved for
--- a velocity, the entry is { text = "integrable, integral not found" }. A constraint on coordinates is itself an integral.
--- Raises an error if the constraints are not, or not known to be, integrable.
function System:constraint_integrals()
  local answer, _, reason = self:holonomic()
  if reason then object.fail("constraint_integrals: the constraints of %s are not known to be integrable: %s", self.name, reason) end
  if not answer then
    object.fail("constraint_integrals: the constraints of %s are %s (S:derived_flag() finds the integrable part of linear ones)", self.name,
      answer == false and "not integrable" or "not known to be integrable")
  end
  local system, result = self:_independent(), {}
  local solvable, X = protected(explicit.solve, system, nil, "constraint_integrals")
  for k, c in ipairs(solvable and X.constraint or system.constraints) do
    result[c.name] = solvable and searched(forms_of(X.q, c, X.q[X.dependent[k]].dot, X.phi[k]), variables(X, X.dependent[k])) or not_found(c)
  end
  -- those that the others imply, by themselves
  local q = self:coordinate_list()
  for _, c in ipairs(self.constraints) do
    local found = result[c.name]
    if not found and c.linear then result[c.name] = searched(forms_of(q, c), variables({ q = q, dependent = {} })) end
    if not (result[c.name] or {}).integral then result[c.name] = not_found(c) end
  end
  return answers.entries(result, function(t)
    local lines = {}
    for i, c in ipairs(self.constraints) do lines[i] = { c.name, t[c.name].text } end
    return lines
  end)
end

--- The former name of S:constraint_integrals.
function System:integrals()
  object.fail "integrals: S:constraint_integrals() gives the integrals of constraints, S:conserved() those of the motion"
end

return true
