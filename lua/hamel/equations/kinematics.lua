-- kinematics.lua: constraints on every level, dependent velocities, quasi-velocities with their inverse and transposition symbols.
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local linear = require "hamel.algebra.linear"
local motion = require "hamel.bodies.motion"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local vanishing = require "hamel.algebra.vanishing"

local fail = object.fail
local kinematics = {}

--- Inner product of two lists.
function kinematics.dot(a, b)
  local terms = {}
  for i = 1, #a do terms[i] = a[i]*b[i] end
  return core.sum(terms)
end
local dot = kinematics.dot

--- lambda for one constraint, lambda1, lambda2, ... for several; with another letter where the system has such a name.
function kinematics.multiplier_symbols(system)
  local list = naming.free(system, { "lambda", "Lambda", "ell", "multiplier" }, naming.numbers(#system.constraints, true))
  for i, name in ipairs(list) do list[i] = core.symbol(name, symbols.EXTERNAL) end
  return list
end

--- d/dt of each expression with the accelerations left out: sum (de/dq) q' + de/dt. `rates` stands for q' (the velocities
--- themselves when not given).
function kinematics.drift(list, q, rates)
  local from, along = table.move(q, 1, #q, 1, {}), table.move(rates, 1, #rates, 1, {})
  from[#from + 1], along[#along + 1] = symbols.t, 1
  return core.directional(list, from, along)
end

--- A constraint on the level of positions (holonomic ones), velocities and accelerations:
--- { name, position = { f, row }?, velocity = { f, row }, b }: row . q'' + b = 0.
function kinematics.levels(constraint, q, v)
  local result = { name = constraint.name, constraint = constraint }
  local f = constraint.f
  if constraint.holonomic then
    local row = core.gradient(f, q)
    result.position = { f = f, row = row }
    f = kinematics.drift({ f }, q, v)[1]
    result.velocity = { f = f, row = row }
  else
    result.velocity = { f = f, row = core.gradient(f, v) }
  end
  result.b = kinematics.drift({ f }, q, v)[1]
  return result
end

-- How the parts of an inertia follow from L
local parts = {
  p = function(I) return core.gradient(I.L, I.v) end,
  force = function(I) return core.gradient(I.L, I.q) end,
  M = function(I) return core.hessian(I.p, I.v) end,
  bias = function(I)
    local bias = kinematics.drift(I.p, I.q, I.v)
    for i = 1, #I.v do bias[i] = bias[i] - I.force[i] end
    return bias
  end,
}

local function part(I, name)
  local value = parts[name] and parts[name](I)
  rawset(I, name, value)
  return value
end

--- Coordinates q, velocities v and L of the unconstrained system; momenta p, `force` dL/dq, mass matrix M and bias, d/dt dL/dq' - dL/dq = M q'' + bias, are
--- derived when they are read first: a run on the graph of velocities needs none of them.
function kinematics.inertia(system)
  return setmetatable({ q = system:coordinate_list(), v = system:velocity_list(), L = system:lagrangian() }, { __index = part })
end

-- ---- linear constraints, solved for dependent velocities

--- Rows a_kr and rests a_k0 of constraints linear in the velocities, and their levels: on the level of velocities a_kr q_r' + a_k0 = 0.
function kinematics.velocity_rows(system)
  local q, v, rows, rest, levels = system:coordinate_list(), system:velocity_list(), {}, {}, {}
  for k, c in ipairs(system.constraints) do
    levels[k] = kinematics.levels(c, q, v)
    local f = levels[k].velocity.f
    rows[k], rest[k] = core.gradient(f, v), vanishing.without(f, v)
    for i, entry in ipairs(rows[k]) do rows[k][i] = vanishing.without(entry, v) end
  end
  return rows, rest, levels
end

-- Rows a_kr and a_k0 of all constraints on the level of velocities; refuses nonlinear ones
local function linear_rows(system, form)
  for _, c in ipairs(system.constraints) do
    if not c.linear then
      if form == "reduce" then
        fail("reduce = true puts in dependent velocities, which needs constraints linear in the velocities: '%s' is not; without reduce the "
          .. "expressions contain all velocities", c.name)
      end
      fail("the form '%s' needs constraints linear in the velocities: '%s' is not (its multiplier form is 'lagrange')", form, c.name)
    end
  end
  return kinematics.velocity_rows(system)
end

local function choose_dependent(rows, n, system)
  return linear.choose_columns(rows, n)
    or fail("the constraints of %s depend on each other: no velocity is left to solve for", system.name)
end

--- The indices of m dependent coordinates given by name.
function kinematics.named_columns(system, names, m, form)
  if #names ~= m then
    fail("%s: %d constraint%s, but %d dependent velocit%s", form, m, m == 1 and "" or "s", #names, #names == 1 and "y" or "ies")
  end
  local columns, index = {}, {}
  for i, name in ipairs(system.coordinate_names) do index[name] = i end
  for _, name in ipairs(names) do
    if not index[name] then
      fail("dependent: '%s' is not a coordinate of %s%s", tostring(name), system.name, object.hint(tostring(name), system.coordinate_names))
    end
    columns[#columns + 1] = index[name]
  end
  table.sort(columns)
  for i = 2, #columns do if columns[i] == columns[i - 1] then fail("dependent: '%s' occurs twice", system.coordinate_names[columns[i]]) end end
  return columns
end

--- The constraints solved for m dependent velocities: q_k' = sum c[k][j] q_j' + c0[k].
--- { independent, dependent = lists of coordinate indices, c, c0, A, a0, levels, pivots (must not vanish), v = all velocities
--- in the independent ones }
function kinematics.solved(system, names, form)
  local A, a0, levels = linear_rows(system, form)
  local n, m = #system.coordinate_names, #A
  local v = system:velocity_list()
  local dependent = names and kinematics.named_columns(system, names, m, form) or choose_dependent(A, n, system)
  local is_dependent, independent = {}, {}
  for _, j in ipairs(dependent) do is_dependent[j] = true end
  for j = 1, n do if not is_dependent[j] then independent[#independent + 1] = j end end
  -- A_D q_D' = -A_I q_I' - a_0
  local square, columns = {}, {}
  for k = 1, m do
    square[k] = {}
    for i, j in ipairs(dependent) do square[k][i] = A[k][j] end
  end
  for l, j in ipairs(independent) do
    columns[l] = {}
    for k = 1, m do columns[l][k] = -A[k][j] end
  end
  columns[#columns + 1] = {}
  for k = 1, m do columns[#columns][k] = -a0[k] end
  local X, pivots = {}, {}
  if m > 0 then X, pivots = linear.solve_exactly(square, columns) end
  local c, c0, all = {}, {}, {}
  for k = 1, m do
    c[k] = {}
    for l = 1, #independent do c[k][l] = X[l][k] end
    c0[k] = X[#columns][k]
  end
  for j = 1, n do all[j] = v[j] end
  for k, j in ipairs(dependent) do
    local terms = { c0[k] }
    for l, i in ipairs(independent) do terms[#terms + 1] = c[k][l]*v[i] end
    all[j] = core.sum(terms)
  end
  return { independent = independent, dependent = dependent, c = c, c0 = c0, A = A, a0 = a0, levels = levels, pivots = pivots,
           square = square, v = all }
end

-- ---- quasi-velocities

-- Coefficients and rest of functions linear in the velocities; nil where one is not
local function linear_parts(list, v)
  local rows, rest, zeros, is_velocity = {}, {}, {}, {}
  for i = 1, #v do zeros[i], is_velocity[v[i]] = 0, true end
  for i, e in ipairs(list) do
    if gradients.jump(e, v) then return nil end
    rows[i] = core.gradient(e, v)
    for j, entry in ipairs(rows[i]) do
      if gradients.jump(entry, v) then return nil end
      for _, s in ipairs(core.symbols{ entry }) do
        if is_velocity[s] and entry:diff(s):is_zero() ~= true then return nil end
      end
      rows[i][j] = core.substitute(entry, v, zeros)
    end
    rest[i] = core.substitute(e, v, zeros)
  end
  return rows, rest
end

--- An expression in the base velocities: velocities of quaternions and of cosines are replaced by what the body rates make of them.
function kinematics.in_base(system, e)
  local known = {}
  for _, w in ipairs(system:base_velocity_list()) do known[w] = true end
  for _, s in ipairs(core.symbols{ e }) do
    local _, order = core.name(s)
    if order > 0 and not known[s] then return (motion.in_base(system, system:plain(e)):simplify()) end
  end
  return e
end

--- Chooses quasi-velocities for the forms that use them: S:quasi_velocities("u1 u2", { x.dot*cos(theta) + y.dot*sin(theta), theta.dot }),
--- one per degree of freedom, functions of coordinates, velocities and time, linear in the velocities or not; the constraints complete the
--- set, and all together must determine the velocities. Of rotations the body rates count as velocities; the functions are linear there.
--- Without a choice the independent velocities serve. The names stand for them in starts of S:simulate and S:accelerations, v = { u1 = 1 }, and
--- in what is asked of a run: run:at(3).u1, run:plot("t", "u1").
function System:quasi_velocities(names, list, ...)
  if core.is_expression(list) or select("#", ...) > 0 then
    fail("quasi_velocities takes all names in one text and all functions in one list: S:quasi_velocities(\"u omega\", {expression, expression})")
  end
  if type(names) ~= "string" then fail("quasi_velocities: names in one text, then what they are: S:quasi_velocities(\"u w\", {expression, expression})") end
  local items = symbols.split(names, "quasi_velocities")
  if type(list) ~= "table" or #list ~= #items then
    fail("quasi_velocities: %d name%s a list of as many expressions: S:quasi_velocities(\"u w\", {expression, expression})", #items,
      #items == 1 and " needs" or "s need")
  end
  local free = self.degrees_of_freedom
  if #items ~= free then
    fail("quasi_velocities: %d for %d degrees of freedom of %s: one for each; constraints are declared before quasi-velocities", #items, free, self.name)
  end
  local quasi, v, given = { names = {}, functions = {} }, self:base_velocity_list(), {}
  for i, item in ipairs(items) do
    self:demand_free(item.name)
    given[i] = self:admit(list[i], ("quasi-velocity '%s'"):format(item.name), 1)
    quasi.names[i], quasi.functions[i] = item.name, kinematics.in_base(self, given[i])
  end
  quasi.rows, quasi.rest = linear_parts(quasi.functions, v)
  if #self._rotations > 0 and not quasi.rows then
    fail("quasi_velocities: beside rotations by unit quaternions they are linear in the velocities and body rates; the forms 'lagrange' and 'hamel' need none")
  end
  self._quasi = quasi
  self:changed()
  return table.unpack(given)
end

--- Symbols of n quasi-velocities: u1, u2, ..., with another letter where the system has such a name. `chosen`: names of the first ones;
--- then those of the constraints are u_3, u_4, ...
function kinematics.quasi_symbols(system, n, chosen)
  local suffixes, list = {}, {}
  for s = chosen and #chosen + 1 or 1, n do suffixes[#suffixes + 1] = tostring(s) end
  local made = naming.free(system, chosen and { "u_", "w_", "quasi_" } or { "u", "w", "omega", "quasi" }, suffixes)
  for s = 1, n do list[s] = core.symbol(chosen and chosen[s] or table.remove(made, 1), symbols.DYNAMIC) end
  return list
end

--- Quasi-velocities w_s = sum a[s][r] q_r' + a0[s], s = 1..n, the last m of them the constraint functions, and the inverse
--- q_r' = sum B[r][s] w_s + B0[r]. u: symbols of all n; h of them are free. pivots must not vanish.
function kinematics.quasi(system, names, form)
  local solved = kinematics.solved(system, names, form)
  local n, m = #system.coordinate_names, #solved.A
  local h = n - m
  local a, a0 = {}, {}
  local quasi = not names and system._quasi
  if quasi and #quasi.names ~= h then fail("%s: %d quasi-velocities for %d degrees of freedom", form, #quasi.names, h) end
  if quasi and not quasi.rows then fail("%s is for quasi-velocities linear in the velocities", form) end
  local u = kinematics.quasi_symbols(system, n, quasi and quasi.names)
  for s = 1, h do
    a[s], a0[s] = {}, core.rational(0)
    for r = 1, n do a[s][r] = core.rational(r == solved.independent[s] and 1 or 0) end
    if quasi then a[s], a0[s] = quasi.rows[s], quasi.rest[s] end
  end
  for k = 1, m do
    a[h + k], a0[h + k] = solved.A[k], solved.a0[k]
  end
  local unit = {}
  for s = 1, n do
    unit[s] = {}
    for r = 1, n do unit[s][r] = core.rational(r == s and 1 or 0) end
  end
  local columns, pivots = linear.solve_exactly(a, unit)
  local B, B0 = {}, {}
  for r = 1, n do
    B[r] = {}
    for s = 1, n do B[r][s] = columns[s][r] end
    B0[r] = -dot(B[r], a0)
  end
  return { a = a, a0 = a0, B = B, B0 = B0, u = u, h = h, n = n, m = m, solved = solved, pivots = pivots,
           q = system:coordinate_list(), v = system:velocity_list() }
end

--- Velocities in the quasi-velocities; with `constrained` the last m are zero.
function kinematics.velocities(K, constrained)
  local v = {}
  for r = 1, K.n do
    local terms = { K.B0[r] }
    for s = 1, constrained and K.h or K.n do terms[#terms + 1] = K.B[r][s]*K.u[s] end
    v[r] = core.sum(terms)
  end
  return v
end

local function vanishes(list)
  for _, e in ipairs(list) do
    if core.number_value(e) ~= 0 then return false end
  end
  return true
end

--- Hamel's symbols: gamma[k][s][l] = sum (da_kr/dq_m - da_km/dq_r) B_rs B_ml and gamma0[k][s], the rheonomic ones:
--- sum_r [ sum_m (da_kr/dq_m - da_km/dq_r) B_m0 + da_kr/dt - da_k0/dq_r ] B_rs.
function kinematics.transposition(K)
  local gamma, gamma0 = {}, {}
  for k = 1, K.n do
    local D, rate = {}, {}
    for r = 1, K.n do D[r] = core.gradient(K.a[k][r], K.q) end
    local grad0 = core.gradient(K.a0[k], K.q)
    for r = 1, K.n do rate[r] = core.diff(K.a[k][r], symbols.t) - grad0[r] end
    local curl = {}
    for r = 1, K.n do
      curl[r] = {}
      for m = 1, K.n do curl[r][m] = D[r][m] - D[m][r] end
      rate[r] = rate[r] + dot(curl[r], K.B0)
    end
    gamma[k], gamma0[k] = {}, {}
    local column, turning = {}, {}                                        -- rows of the curl that are not zero: none where a_k is constant
    for r = 1, K.n do
      if not vanishes(curl[r]) then turning[#turning + 1] = r end
    end
    for s = 1, K.n do
      column[s] = {}
      for r = 1, K.n do column[s][r] = K.B[r][s] end
    end
    for s = 1, K.n do
      gamma[k][s], gamma0[k][s] = {}, dot(rate, column[s])
      for l = 1, K.n do
        local terms = {}
        for i, r in ipairs(turning) do terms[i] = column[s][r]*dot(curl[r], column[l]) end
        gamma[k][s][l] = core.sum(terms)
      end
    end
  end
  return gamma, gamma0
end

return kinematics
