-- base_reduced.lua: equations in free base velocities: the others are put into the vectors of all bodies, the reactions follow afterwards.
local base = require "hamel.equations.base"
local base_form = require "hamel.forms.shared.base_form"
local core = require "hamel.core"
local Equations = require "hamel.equations"
local kinematics = require "hamel.equations.kinematics"
local linear = require "hamel.algebra.linear"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"
local touching = require "hamel.bodies.touching"

local fail = object.fail
local dot = kinematics.dot

local ZERO = core.rational(0)

-- Rows and rests of the constraints on the level of base velocities
local function constraint_rows(system, F, form)
  local A, rest, levels, zeros = {}, {}, {}, {}
  for s = 1, #F.base do zeros[s] = 0 end
  for k, c in ipairs(system.constraints) do
    if not c.linear then
      fail("the form '%s' needs constraints linear in the velocities: '%s' is not (its multiplier form is 'lagrange')", form, c.name)
    end
    levels[k] = base.level(system, F, c)
    A[k], rest[k] = levels[k].velocity.row, core.substitute(levels[k].velocity.f, F.base, zeros)
  end
  return A, rest, levels
end

-- Free velocities are those of rotations first, then of the coordinates in their order: columns to solve for, from the last such one on
local function preferred(F)
  local order, of_rotation = {}, {}
  for _, triple in ipairs(F.triples) do for i = 1, 3 do of_rotation[triple[i]] = true end end
  for s = #F.base, 1, -1 do if not of_rotation[s] then order[#order + 1] = s end end
  for s = #F.base, 1, -1 do if of_rotation[s] then order[#order + 1] = s end end
  return order
end

-- The entry is a number other than zero: the best pivot there is
local function constant(e)
  local n = core.number_value(e)
  return n and n ~= 0
end

-- Columns and rows of the points of surfaces that the spheres on them touch: their own conditions determine them, whatever the motion
local function add_feet(system, F, columns, rows_left)
  local conditions, index = {}, {}
  for s, name in ipairs(F.names) do index[name] = s end
  for _, touch in ipairs(system:_contacts_of_bodies()) do
    for _, part in ipairs(touch.foot or {}) do
      columns[#columns + 1], conditions[part.constraint] = index[part.coordinate], true
    end
  end
  for k = #rows_left, 1, -1 do
    if conditions[system.constraints[k].name] then table.remove(rows_left, k) end
  end
end

-- Dependent columns: first those that stand alone, with a constant factor, in one row (the velocity of a point that rolls); the rest by shortness
local function choose(system, A, F)
  local m, order, rows_left, columns = #A, preferred(F), {}, {}
  for k = 1, m do rows_left[k] = k end
  add_feet(system, F, columns, rows_left)
  for _, s in ipairs(order) do
    local row, count = nil, 0
    for _, k in ipairs(rows_left) do
      if core.number_value(A[k][s]) ~= 0 then
        row, count = k, count + 1
      end
    end
    if count == 1 and constant(A[row][s]) then
      columns[#columns + 1] = s
      for i, k in ipairs(rows_left) do if k == row then table.remove(rows_left, i) break end end
    end
  end
  if #rows_left == 0 then
    table.sort(columns)
    return columns
  end
  columns = linear.choose_columns(A, #F.base)
  return columns or fail("the constraints of %s depend on each other: no velocity is left to solve for", system.name)
end

local function named(system, F, names, m, form)
  local index, columns = {}, {}
  for s, name in ipairs(F.names) do index[name] = s end
  if #names ~= m then
    fail("%s: %d constraint%s, but %d dependent velocit%s", form, m, m == 1 and "" or "s", #names, #names == 1 and "y" or "ies")
  end
  for i, name in ipairs(names) do
    columns[i] = index[name] or fail("dependent: '%s' is not a velocity of %s%s", tostring(name), system.name, object.hint(tostring(name), F.names))
  end
  table.sort(columns)
  for i = 2, m do if columns[i] == columns[i - 1] then fail("dependent: '%s' occurs twice", F.names[columns[i]]) end end
  return columns
end

-- The dependent base velocities in the free ones
local function solved(A, rest, dependent, F)
  local m, is_dependent, free, square, columns = #A, {}, {}, {}, {}
  for _, s in ipairs(dependent) do is_dependent[s] = true end
  for s = 1, #F.base do if not is_dependent[s] then free[#free + 1] = s end end
  for k = 1, m do
    square[k] = {}
    for i, s in ipairs(dependent) do square[k][i] = A[k][s] end
  end
  for l, s in ipairs(free) do
    columns[l] = {}
    for k = 1, m do columns[l][k] = -A[k][s] end
  end
  columns[#columns + 1] = {}
  for k = 1, m do columns[#columns][k] = -rest[k] end
  local X, pivots = {}, {}
  if m > 0 then X, pivots = linear.solve_exactly(square, columns) end
  local values = {}
  for k = 1, m do
    local terms = { X[#columns][k] }
    for l, s in ipairs(free) do terms[#terms + 1] = X[l][k]*F.base[s] end
    values[k] = core.sum(terms)
  end
  local symbols_of, from = {}, {}
  for l, s in ipairs(free) do symbols_of[l] = F.base[s] end
  for i, s in ipairs(dependent) do from[i] = F.base[s] end
  return { free = symbols_of, dependent = dependent, from = from, values = values, pivots = pivots, rows = A, functions = symbols_of }
end

-- All base velocities in the quasi-velocities that the user chose: w of (a w + a0 = u, A w + rest = 0). `dependent`: columns for the reactions
local function solved_for_quasi(system, A, rest, dependent, F)
  local quasi, n, rows, columns, values = system._quasi, #F.base, {}, {}, {}
  local h = #quasi.names
  if h ~= n - #A then fail("%d quasi-velocities for %d degrees of freedom of %s", h, n - #A, system.name) end
  for s = 1, h do rows[s] = quasi.rows[s] end
  for k = 1, #A do rows[h + k] = A[k] end
  for l = 1, h + 1 do
    columns[l] = {}
    for s = 1, n do columns[l][s] = core.rational(l == s and 1 or 0) end
  end
  for s = 1, n do columns[h + 1][s] = s <= h and -quasi.rest[s] or -rest[s - h] end
  local X, pivots = linear.solve_exactly(rows, columns)
  local u, functions = kinematics.quasi_symbols(system, h, quasi.names), {}
  for s = 1, n do
    local terms = { X[h + 1][s] }
    for l = 1, h do terms[#terms + 1] = X[l][s]*u[l] end
    values[s] = core.sum(terms)
  end
  for s = 1, h do functions[s] = dot(quasi.rows[s], F.base) + quasi.rest[s] end
  return { free = u, dependent = dependent, from = F.base, values = values, pivots = pivots, rows = rows, functions = functions }
end

-- All base velocities, and those that the constraints prescribe while the free ones are at rest
local function velocities_in(F, S, C)
  local w, prescribed, zeros = {}, {}, {}
  for l in ipairs(S.free) do zeros[l] = 0 end
  for s, v in ipairs(F.base) do
    w[s] = C.on(v)
    prescribed[s] = core.substitute(w[s], C.base, zeros)
  end
  return w, prescribed
end

-- Rows in all base velocities w as those of the free ones u: (dw/du)^T (M w' + bias), where w' = (dw/du) u' + still
local function projected(rows, C, w, still)
  local n, h, K, result = #w, #C.base, {}, { M = {}, bias = {}, active = {} }
  for s = 1, n do K[s] = core.gradient(w[s], C.base) end
  for l = 1, h do
    local bias, active = {}, {}
    result.M[l] = {}
    for k = 1, h do result.M[l][k] = ZERO end
    for s = 1, n do
      if core.number_value(K[s][l]) ~= 0 then
        for k = 1, h do
          local terms = { result.M[l][k] }
          for j = 1, n do terms[#terms + 1] = K[s][l]*C.on(rows.M[s][j])*K[j][k] end
          result.M[l][k] = core.sum(terms)
        end
        local row = {}
        for j = 1, n do row[j] = C.on(rows.M[s][j]) end
        bias[#bias + 1] = K[s][l]*(C.on(rows.bias[s]) + dot(row, still))
        active[#active + 1] = K[s][l]*C.on(rows.active[s])
      end
    end
    result.bias[l], result.active[l] = core.sum(bias), core.sum(active)
  end
  return result
end

-- Energy and what changes it, without the reactions: their power on the prescribed part w0 of the velocities is that of the rate of p.w0
-- less p.w0' - (omega x p).w0 + X_w0 (T - V) + Q.w0
local function energy_balance(system, F, C, Q, prescribed)
  local T, V = base.energies(system)
  local L, p = T - V, core.gradient(T, F.base)
  local power, carried = dot(Q, F.base) - core.diff(L, symbols.t), nil
  local moves = false
  for _, e in ipairs(prescribed) do moves = moves or core.number_value(e) ~= 0 end
  if moves then
    carried = dot(p, prescribed)
    local turning = base.gyroscopic(F, p)
    local terms = { power, -dot(Q, prescribed), -dot(p, motion.directional(F, prescribed, true)), dot(turning, prescribed) }
    for s, w in ipairs(F.base) do
      if core.number_value(prescribed[s]) ~= 0 then terms[#terms + 1] = -prescribed[s]*motion.along(F, { L }, w)[1] end
    end
    power = core.sum(terms)
  end
  return C.on(dot(p, F.base) - L), C.on(T), C.on(power), carried and C.on(carried)
end

-- Multipliers from the rows of the dependent velocities: A_D^T lambda = (M w' - r)_D
local function reactions(system, S, A, rows, Q, C, accelerations)
  local m, transposed, right = #A, {}, {}
  if m == 0 then return {} end
  for i, s in ipairs(S.dependent) do
    transposed[i] = {}
    for k = 1, m do transposed[i][k] = A[k][s] end
    right[i] = dot(rows.M[s], accelerations) + C.on(rows.bias[s] - rows.active[s] - Q[s])
  end
  return base_form.numbers(system, linear.solve_exactly(transposed, { right })[1])
end

-- ---- points that roll, eliminated as vectors: their velocity is that of the surface less omega x arm, which is shorter than its components

-- The coordinates of a free point, in order; nil for any other
local function free_coordinates(system, point)
  local terms = point.place._terms
  if #terms ~= 1 or terms[1].frame ~= system:frame() then return nil end
  for i = 1, 3 do
    local e = terms[1][i]
    local name = core.kind(e) == "symbol" and core.name(e)
    if not name or system._coordinate[name] ~= e then return nil end
  end
  return terms[1]
end

-- { velocities (x', y', z'), vector } of each body that rolls with a free point whose three velocities are eliminated
local function rolling_points(system, F, S)
  local eliminated, list = {}, {}
  for _, v in ipairs(#S.from < #F.base and S.from or {}) do eliminated[v] = true end
  for _, touch in ipairs(system:_contacts_of_bodies()) do
    local q = touch.rolls and free_coordinates(system, touch.body.at)
    if q and eliminated[q[1].dot] and eliminated[q[2].dot] and eliminated[q[3].dot] then
      list[#list + 1] = { velocities = { q[1].dot, q[2].dot, q[3].dot }, vector = touching.carried(touch) }
      for i = 1, 3 do eliminated[q[i].dot] = nil end
    end
  end
  return list
end

-- A velocity of which x' N.x + y' N.y + z' N.z is a part, with the vector of the rolling point in its place; others as they are
local function with_vector(system, v, point)
  local term
  for _, one in ipairs(v._terms) do if one.frame == system:frame() then term = one end end
  if not term then return v end
  local rest = {}
  for i = 1, 3 do
    if core.number_value(core.diff(term[i], point.velocities[i])) ~= 1 then return v end
    rest[i] = term[i] - point.velocities[i]
  end
  return v - system:frame():vector(term[1] - rest[1], term[2] - rest[2], term[3] - rest[3]) + point.vector
end

--- The equations of the form in as many base velocities as there are freedoms.
return function(system, options, form)
  local F = motion.of(system)
  local A, rest, levels = constraint_rows(system, F, form.name)
  local dependent = options.dependent and named(system, F, options.dependent, #A, form.name) or choose(system, A, F)
  local chosen = not options.dependent and system._quasi
  local S = chosen and solved_for_quasi(system, A, rest, dependent, F) or solved(A, rest, dependent, F)
  local C = motion.constrained(F, S.free, S.from, S.values)
  local points = rolling_points(system, F, S)
  function C.vector(v)
    for _, point in ipairs(points) do v = with_vector(system, v, point) end
    return v:_map(C.on)
  end
  local w, prescribed = velocities_in(F, S, C)
  local still = motion.directional(C, w, true)
  local by_hand, Q = base.hand_rows(system), base.forces(system, F)
  local rows = base.add(base.body_rows(system, C), projected(by_hand, C, w, still))
  local all = base.rows(base.declared(system), motion.of(system))
  local left, right, M, r, printed = {}, {}, rows.M, {}, {}
  for l, u in ipairs(C.base) do
    local force = {}
    for s in ipairs(F.base) do force[s] = core.diff(w[s], u)*Q[s] end
    left[l], right[l] = dot(M[l], C.rates) + rows.bias[l], rows.active[l] + C.on(core.sum(force))
    r[l] = right[l] - rows.bias[l]
    printed[l] = { name = C.names[l], left = left[l], right = right[l] }
  end
  local accelerations, positions, names = motion.directional(C, w), base_form.unit_positions(system), {}
  for k, level in ipairs(levels) do
    names[k] = level.name
    if level.position then positions[#positions + 1] = { name = level.name, f = level.position.f, row = level.position.row } end
  end
  local energy, kinetic, power, carried = energy_balance(system, F, C, Q, prescribed)
  local function numbers(list) return base_form.numbers(system, list) end
  local kinematic = {}
  for i, v in ipairs(S.from) do kinematic[i] = { left = v, right = S.values[i] } end
  local k = numbers(table.move(C.k, 1, #C.k, 1, {}))
  local matrix, condition_rows = {}, {}
  for l, row in ipairs(M) do matrix[l] = numbers(table.move(row, 1, #row, 1, {})) end
  for i, row in ipairs(S.rows) do condition_rows[i] = numbers(table.move(row, 1, #row, 1, {})) end
  return Equations.new{
    system = system, kin = F.q, dyn = C.base, rates = C.rates, k = k, M = matrix, r = numbers(r), A = {}, b = {}, multipliers = {}, names = names,
    dyn_names = C.names, rows = printed, positions = positions, velocities = {}, energy = motion.numbers(system, energy),
    kinetic = motion.numbers(system, kinetic), power = motion.numbers(system, power), carried = carried and motion.numbers(system, carried),
    v = k, a = numbers(motion.directional(C, C.k)), lambda = reactions(system, S, A, all, Q, C, accelerations),
    from_velocities = numbers(table.move(S.functions, 1, #S.functions, 1, {})), kinematic = kinematic,
    condition = numbers(table.move(S.pivots, 1, #S.pivots, 1, {})), condition_rows = condition_rows,
    chosen_columns = not options.dependent and not chosen and S.dependent,
  }
end
