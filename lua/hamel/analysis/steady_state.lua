-- steady_state.lua: the statement that a state of rest or a steady motion exists, as data, and its proof in balls.
--
--   kin, dyn      states, symbols                        parameters   { { symbol, exact expression [, the other end of a box] }, ... }
--   k, M, A, r, b lists of expressions; M its lower triangle, A row by row
--   constraints   { { name, f }, ... }: f = 0 holds along the motions
--   integrals     { { name, f }, ... }: further integrals of the equations; their level does not matter
--   keep          { { name, f, target = exact expression }, ... }: what holds besides
--   rest          are all velocities zero?
--
-- Steady is a state where the rates of all states vanish, except those of coordinates on which nothing depends: with multipliers lambda
--   k = 0,  r + A^T lambda = 0,  b = 0,  f = 0.
-- Rows may depend on each other: along an integral F, and with w, nu such that M w + A^T nu = dF/dv, A w = 0,
--   dF/dq k + w (r + A^T lambda) - nu b = 0
-- holds at all states. So rows that are left out vanish with the others where the matrix of their factors, one line for each integral, is regular.
local core = require "hamel.core"
local degenerate_zero = require "hamel.analysis.degenerate_zero"
local exact = require "hamel.analysis.exact"
local orbit_integrals = require "hamel.analysis.orbit_integrals"
local pivots = require "hamel.analysis.pivots"
local protected = require "hamel.base.protected"
local proved_place = require "hamel.analysis.proved_place"
local symbols = require "hamel.algebra.symbols"
local tangent = require "hamel.analysis.tangent"
local timeless = require "hamel.analysis.timeless"
local vanishing = require "hamel.algebra.vanishing"

local steady_state = {}

local function append(list, more) return table.move(more, 1, #more, #list + 1, list) end

local function row_of(problem, k) return table.move(problem.A, (k - 1)*#problem.dyn + 1, k*#problem.dyn, 1, {}) end

local function functions(list)
  local out = {}
  for i, item in ipairs(list) do out[i] = item.f end
  return out
end

-- ---- what the statement needs

-- As tangent.lua takes equations
local function view_of(problem)
  local positions = {}
  for _, list in ipairs{ problem.constraints, problem.keep } do append(positions, list) end
  return { kin = problem.kin, dyn = problem.dyn, k = problem.k, M = { problem.M }, A = { problem.A }, r = problem.r, b = problem.b, positions = positions,
    velocities = {} }
end

-- The name of a condition that is not shown to be an integral: the constraints at their value zero, then one of any value; the matrix that has to be regular
-- for that
local function refuted(problem, further)
  local parameters, conditions = {}, {}
  for _, item in ipairs(problem.parameters) do if not item[3] and not core.is_ball(item[2]) then parameters[#parameters + 1] = item end end
  for _, c in ipairs(problem.constraints) do conditions[#conditions + 1] = { name = c.name, f = c.f, target = core.rational(0), integral = true } end
  if further then conditions[#conditions + 1] = { name = further.name, f = further.f, target = core.rational(1), integral = true } end
  return orbit_integrals.refuted{ kin = problem.kin, dyn = problem.dyn, k = problem.k, M = problem.M, A = problem.A, r = problem.r, b = problem.b,
    parameters = parameters, conditions = conditions }
end

-- Why the statement would prove nothing; nil: its constraints hold along the motions, and nothing depends on time. Then the matrix that has to be regular for
-- that
local function objection_to(problem)
  local list = tangent.expressions(view_of(problem), {})
  if #tangent.timed(list) > 0 then return "the equations depend on the time" end
  for _, e in ipairs(list) do
    if timeless.has_time(e) then return "the time stands in the equations and cancels, but algebra finds no form without it: write them without the time" end
  end
  local name, square = refuted(problem)
  if not name then return nil, square end
  local several = #problem.constraints > 1 and ", or the constraints depend on each other" or ""
  return ("the constraint '%s' is not shown to hold along the motions%s"):format(name, several)
end

-- ---- rows

-- A symbol that a row says is zero: the row is a number times it
local function zero_symbol(e, unknown)
  if unknown[e] then return e end
  for _, s in ipairs(core.symbols{ e }) do
    local factor = unknown[s] and core.number_value(core.diff(e, s))
    if factor and factor ~= 0 and factor == factor and vanishing.proved(e - core.diff(e, s)*s) then return s end
  end
end

-- Does b follow from the rates of the coordinates, as the rate of a velocity constraint does where the accelerations vanish?
local function follows(b, view, ignorable)
  for _, c in ipairs(view.positions) do
    local terms, fine = { b }, true
    for i, q in ipairs(view.kin) do
      local slope = core.diff(c.f, q)
      fine = fine and (not ignorable[i] or vanishing.proved(slope))
      terms[#terms + 1] = -slope*view.k[i]
    end
    if fine and vanishing.proved(core.sum(terms)) then return true end
  end
  return false
end

-- Rows { f, kind, index } without those that vanish identically, and the symbols that are zero by one of them. Algebra takes the length of a quaternion
-- for 1, so that what it says of the other rows holds on the constraints alone: these stay
local function rows_of(problem, S)
  local list, view = {}, view_of(problem)
  local function add(f, kind, index) list[#list + 1] = { f = f, kind = kind, index = index } end
  for i, e in ipairs(problem.k) do if not S.ignorable[i] then add(e, "k", i) end end
  for s, e in ipairs(problem.r) do
    local terms = { e }
    for k, lambda in ipairs(S.lambda) do terms[#terms + 1] = lambda*row_of(problem, k)[s] end
    add(core.sum(terms), "r", s)
  end
  for j, e in ipairs(problem.b) do if not follows(e, view, S.ignorable) then add(e, "b", j) end end
  for j, c in ipairs(problem.constraints) do add(c.f, "constraint", j) end
  local zero, unknown = {}, {}
  for _, s in ipairs(problem.dyn) do
    if problem.rest then zero[#zero + 1] = s else unknown[s] = true end
  end
  local changed = true
  while changed do
    changed = false
    local left = {}
    for _, row in ipairs(list) do
      row.f = vanishing.without(row.f, zero)
      local s = zero_symbol(row.f, unknown)
      if s then
        zero[#zero + 1], unknown[s], changed = s, nil, true
      elseif core.number_value(row.f) ~= 0 and (row.kind == "constraint" or not vanishing.proved(row.f)) then
        left[#left + 1] = row
      end
    end
    list = left
  end
  for j, c in ipairs(problem.keep) do list[#list + 1] = { f = vanishing.without(c.f, zero) - c.target, kind = "keep", index = j } end
  return list, zero
end

-- ---- the system of equations

-- The inputs of all programs: t, states, multipliers, parameters
local function open(problem, bits)
  local S = { problem = problem, bits = bits, ignorable = tangent.ignorable_coordinates(view_of(problem)), lambda = {}, inputs = { symbols.t }, values = {} }
  S.lambda = proved_place.fresh("multiplier", #problem.b, { problem.kin, problem.dyn, proved_place.symbols(problem.parameters) })
  append(append(append(S.inputs, problem.kin), problem.dyn), S.lambda)
  for i, item in ipairs(problem.parameters) do
    S.inputs[#S.inputs + 1] = item[1]
    local what = "parameter " .. core.text(item[1])
    S.values[i] = exact.ball(item[3] and { item[2], item[3] } or item[2], what, bits)
  end
  S.rows, S.zero = rows_of(problem, S)
  S.known_zero = {}
  for _, s in ipairs(S.zero) do S.known_zero[s] = true end
  -- places of the unknowns among the inputs behind t
  S.unknown = {}
  for i in ipairs(problem.kin) do if not S.ignorable[i] then S.unknown[#S.unknown + 1] = i end end
  for i, s in ipairs(problem.dyn) do if not S.known_zero[s] then S.unknown[#S.unknown + 1] = #problem.kin + i end end
  S.multipliers_from = #S.unknown + 1
  for k = 1, #S.lambda do S.unknown[#S.unknown + 1] = #problem.kin + #problem.dyn + k end
  return S
end

local function symbol_at(S, input) return S.inputs[1 + input] end

local function values_at(S, list, x)
  if #list == 0 then return {} end
  return core.ball_values(core.program(S.inputs, list), core.ball("0", 2), append(table.move(x, 1, #x, 1, {}), S.values), S.bits)
end

-- Is the matrix that integrals need regular at the proved state?
local function keeps(S, square) return orbit_integrals.is_regular(square, function(list) return values_at(S, list, S.at) end, S.bits) end

--- Those of the integrals that are shown to be integrals of the equations.
function steady_state.shown(found)
  local S = found._system
  if S.shown then return S.shown end
  S.shown = {}
  for _, c in ipairs(S.problem.integrals) do
    local name, square = refuted(S.problem, c)
    if not name and keeps(S, square) then table.insert(S.shown, c) end
  end
  return S.shown
end

--- Those that do not depend on coordinates that nothing else depends on.
function steady_state.integrals(found)
  local S = found._system
  if S.integrals then return S.integrals end
  S.integrals = {}
  for _, c in ipairs(steady_state.shown(found)) do
    local fine = true
    for i, q in ipairs(S.problem.kin) do fine = fine and (not S.ignorable[i] or vanishing.proved(core.diff(c.f, q))) end
    if fine then table.insert(S.integrals, c) end
  end
  return S.integrals
end

-- Rows of the derivatives of expressions by symbols, at x
local function slopes_at(S, list, by, x)
  local flat, rows = {}, {}
  for _, e in ipairs(list) do append(flat, core.gradient(e, by)) end
  local values = values_at(S, flat, x)
  for i = 1, #list do rows[i] = table.move(values, (i - 1)*#by + 1, i*#by, 1, {}) end
  return rows
end

-- Near the middle of a ball; 0 where it may be 0: rounding of a zero is no pivot
local function middle(x)
  if x:holds(core.ball("0", 2)) ~= false then return 0.0 end
  local centre = x:midpoint()
  local low, high = centre.lower, centre.upper
  return low == high and low or low + (high - low)/2
end

local function middles(rows)
  local out = {}
  for i, row in ipairs(rows) do
    out[i] = {}
    for j, x in ipairs(row) do out[i][j] = middle(x) end
  end
  return out
end

-- Multipliers that balance the centre best
local function balanced(S, x)
  local m, list, by = #S.lambda, {}, S.lambda
  if m == 0 then return x end
  for _, row in ipairs(S.rows) do if row.kind == "r" then list[#list + 1] = row.f end end
  local first = #x
  for k = 1, m do x[first + k] = core.ball("0", S.bits) end
  if #list == 0 then return x end
  local flat, right = {}, {}
  for i, row in ipairs(middles(slopes_at(S, list, by, x))) do
    append(flat, row)
    right[i] = -middle(values_at(S, { list[i] }, x)[1])
  end
  for k, value in ipairs(core.least_squares(#right, m, flat, right, 1e-12)) do x[first + k] = core.ball(("%a"):format(value), S.bits) end
  return x
end

-- ---- the proof

-- Rows and unknowns of a regular part at x: lists of numbers; then the rows that are left out and the unknowns that are held
local function chosen(S, x)
  local by = {}
  for i, input in ipairs(S.unknown) do by[i] = symbol_at(S, input) end
  local list, first = {}, {}
  for i, row in ipairs(S.rows) do
    list[i] = row.f
    first[i] = row.kind == "keep" and 3 or row.kind == "constraint" and 2 or 1
  end
  local rows, columns = pivots.choose(middles(slopes_at(S, list, by, x)), #by, first)
  local part = { rows = rows, columns = columns, left = pivots.others(rows, #list), held = pivots.others(columns, #by) }
  for _, i in ipairs(part.left) do
    if S.rows[i].kind == "keep" then return nil, ("%s is not free there: leave it out of keep"):format(S.problem.keep[S.rows[i].index].name) end
  end
  for _, j in ipairs(part.held) do
    if j >= S.multipliers_from then return nil, "the multipliers are not determined there: the constraints depend on each other" end
  end
  return part
end

local function program_of(S, part)
  local outputs, by = {}, {}
  for j, column in ipairs(part.columns) do by[j] = symbol_at(S, S.unknown[column]) end
  for i, row in ipairs(part.rows) do outputs[i] = S.rows[row].f end
  for i = 1, #part.rows do append(outputs, core.gradient(outputs[i], by)) end
  return core.program(S.inputs, outputs)
end

-- K = [M A^T; A 0], the last block with the sign of the multipliers
local function saddle(S, x, sign)
  local n, m = #S.problem.dyn, #S.lambda
  local M, A = values_at(S, S.problem.M, x), values_at(S, S.problem.A, x)
  local zero, rows = core.ball("0", 2), {}
  for i = 1, n do
    rows[i] = {}
    for j = 1, n do
      local a, b = math.max(i, j), math.min(i, j)
      rows[i][j] = M[a*(a - 1)//2 + b]
    end
    for k = 1, m do
      local a = A[(k - 1)*n + i]
      rows[i][n + k] = sign > 0 and a or core.ball_sum(zero, a, -1)
    end
  end
  for k = 1, m do
    rows[n + k] = table.move(A, (k - 1)*n + 1, k*n, 1, {})
    for l = 1, m do rows[n + k][n + l] = zero end
  end
  return rows
end

-- Do the rows that were left out vanish with the others? The reason where that is not proved
local function left_rows_fail(S, part, x)
  if #part.left == 0 then return nil end
  local problem, n, zero = S.problem, #S.problem.dyn, core.ball("0", 2)
  local usable = append(functions(problem.constraints), functions(steady_state.integrals{ _system = S }))
  local lack = ("the derivatives of %s depend on each other there: the state is not isolated, or several come together in it"):format(
    problem.rest and "the equations of rest" or "the rates")
  if #problem.keep > 0 then lack = lack .. ", or is determined without keep" end
  if #usable < #part.left then return lack end
  local right = {}
  for i = 1, n + #S.lambda do right[i] = {} end
  for j, row in ipairs(slopes_at(S, usable, problem.dyn, x)) do
    for i = 1, n + #S.lambda do right[i][j] = row[i] or zero end
  end
  local w = core.ball_solve(saddle(S, x, 1), right, S.bits)
  if not w then return "the mass matrix is not proved regular there" end
  local by_q, factors = slopes_at(S, usable, problem.kin, x), {}
  for j in ipairs(usable) do
    factors[j] = {}
    for i, left in ipairs(part.left) do
      local row = S.rows[left]
      if row.kind == "k" then factors[j][i] = by_q[j][row.index]
      elseif row.kind == "r" then factors[j][i] = w[row.index][j]
      elseif row.kind == "b" then factors[j][i] = core.ball_sum(zero, w[n + row.index][j], -1)
      else return lack end
    end
  end
  local lines = pivots.choose(middles(factors), #part.left, nil)
  if #lines < #part.left then return lack end
  local square, unit = {}, {}
  for i, line in ipairs(lines) do square[i], unit[i] = factors[line], { zero } end
  if not core.ball_solve(square, unit, S.bits) then return lack end
end

--- Tries to prove a steady state near `centre`, balls of the states, and of the multipliers where they are known. o: { bits, iterations, radius }.
--- Returns { proved, reason, x = states then multipliers, held = places of the states that keep their values, free = places of coordinates that nothing
--- depends on, family = dimension of the family of steady states, tried, image, contraction, radius_ball, image_ball = the first two where doubles are too
--- coarse }.
function steady_state.prove(problem, centre, o)
  local none = core.ball("0", 2)
  local result = { proved = false, x = centre, tried = 0, image = 0, contraction = 0, radius_ball = none, image_ball = none }
  local objection, square = objection_to(problem)
  if objection then
    result.reason = objection
    return result
  end
  local S = open(problem, o.bits)
  local fine, reason = protected(function()
    local x = table.move(centre, 1, #problem.kin + #problem.dyn, 1, {})
    for i, s in ipairs(problem.dyn) do if S.known_zero[s] then x[#problem.kin + i] = core.ball("0", 2) end end
    -- multipliers of a certificate are part of its centre
    if #centre >= #x + #S.lambda then table.move(centre, #x + 1, #x + #S.lambda, #x + 1, x)
    else x = balanced(S, x) end
    local part, why = chosen(S, x)
    if not part then return why end
    local unknown = {}
    for j, column in ipairs(part.columns) do unknown[j] = S.unknown[column] end
    local found = { proved = true, tried = 0.0, image = 0.0, contraction = 0.0, reason = "", x = append(x, S.values) }
    if #unknown > 0 then
      found = core.ball_zero{ program = program_of(S, part), t = core.ball("0", 2), x = found.x, unknown = unknown, bits = o.bits, iterations = o.iterations,
        radius = o.radius and exact.ball(o.radius, "radius", 64) or nil }
    end
    result.tried, result.image, result.contraction = found.tried, found.image, found.contraction
    result.radius_ball, result.image_ball = found.radius or none, found.images or none
    result.x = table.move(found.x, 1, #problem.kin + #problem.dyn + #S.lambda, 1, {})
    if not found.proved then
      return proved_place.refusal(found, o.bits)
    end
    -- what the rows do not hold, but the rates do: they have values there, and accelerations
    local rates = append(append({}, problem.k), problem.r)
    values_at(S, append(append(rates, problem.b), functions(problem.constraints)), result.x)
    local unit = {}
    for i = 1, #problem.dyn + #S.lambda do unit[i] = { core.ball("0", 2) } end
    if #unit > 0 and not core.ball_solve(saddle(S, result.x, 1), unit, o.bits) then return "the mass matrix is not proved regular there" end
    S.at = result.x
    if not keeps(S, square) then return orbit_integrals.SINGULAR end
    local left = left_rows_fail(S, part, result.x)
    if left then return left end
    result.held, result.free, result.family = {}, {}, #problem.keep + #part.held
    for _, j in ipairs(part.held) do table.insert(result.held, S.unknown[j]) end
    for i in ipairs(problem.kin) do if S.ignorable[i] then table.insert(result.free, i) end end
  end)
  if not fine then reason = proved_place.doubt(reason) end
  result.proved, result.reason, result._system = reason == nil, reason, S
  return result
end

--- A steady state near the middle of `centre` where the derivatives of the rates vanish along some direction, in numbers, as degenerate_zero.lua tells
--- it; nil: none is found.
function steady_state.degenerate(problem, centre, bits)
  local S = open(problem, bits)
  if #S.unknown == 0 or #S.rows == 0 then return nil end
  local whole, x, names, by, list = { 0.0 }, {}, {}, {}, {}
  local given = balanced(S, table.move(centre, 1, #problem.kin + #problem.dyn, 1, {}))
  for i, value in ipairs(given) do whole[i + 1] = middle(value) end
  for i, s in ipairs(problem.dyn) do if S.known_zero[s] then whole[1 + #problem.kin + i] = 0.0 end end
  for i, value in ipairs(S.values) do whole[1 + #given + i] = middle(value) end
  for i, input in ipairs(S.unknown) do
    x[i], by[i] = whole[1 + input], symbol_at(S, input)
    if i < S.multipliers_from then names[i] = core.text(by[i]) end
  end
  for i, row in ipairs(S.rows) do list[i] = row.f end
  local outputs = append({}, list)
  for _, f in ipairs(list) do append(outputs, core.gradient(f, by)) end
  local program = core.program(S.inputs, outputs)
  return degenerate_zero.near(function(point)
    for i, input in ipairs(S.unknown) do whole[1 + input] = point[i] end
    local values = program:eval(whole)
    return table.move(values, 1, #list, 1, {}), table.move(values, #list + 1, #values, 1, {})
  end, x, names)
end

-- ---- the first approximation

-- Derivatives of the rates of the kept states by these. As the accelerations vanish, M da = d(r + A^T lambda) + A^T dlambda and A da = -db
local function jacobian(S, z, kept, x)
  local problem, n, m, zero = S.problem, #S.problem.dyn, #S.lambda, core.ball("0", 2)
  local forces = {}
  for s, e in ipairs(problem.r) do
    local terms = { e }
    for k, lambda in ipairs(S.lambda) do terms[#terms + 1] = lambda*row_of(problem, k)[s] end
    forces[s] = core.sum(terms)
  end
  local right = slopes_at(S, forces, z, x)
  for _, row in ipairs(slopes_at(S, problem.b, z, x)) do
    for j, value in ipairs(row) do row[j] = core.ball_sum(zero, value, -1) end
    right[#right + 1] = row
  end
  local solved = n > 0 and core.ball_solve(saddle(S, x, -1), right, S.bits) or {}
  if not solved then return nil end
  local list = {}
  for _, i in ipairs(kept) do list[#list + 1] = problem.k[i] end
  local J = slopes_at(S, list, z, x)
  for s = 1, n do J[#J + 1] = solved[s] end
  return J, m
end

local function part_of(matrix, rows, columns)
  local out = {}
  for i, row in ipairs(rows) do
    out[i] = {}
    for j, column in ipairs(columns) do out[i][j] = matrix[row][column] end
  end
  return out
end

local function counted(n)
  local all = {}
  for i = 1, n do all[i] = i end
  return all
end

-- The directions that the constraints admit, and that keep further functions: { z, free, dependent = places in z, P = what the dependent ones are of the
-- free ones, negative, rows = derivatives of the constraints and functions }; nil and the reason where they are not known
local function tangents(S, z, x, further)
  local rows = slopes_at(S, append(functions(S.problem.constraints), further or {}), z, x)
  local _, dependent = pivots.choose(middles(rows), #z, nil)
  if #dependent < #rows then return nil, "the constraints depend on each other there" end
  local T = { z = z, dependent = dependent, free = pivots.others(dependent, #z), rows = rows }
  if #rows > 0 and #T.free > 0 then
    local all = counted(#rows)
    T.P = core.ball_solve(part_of(rows, all, dependent), part_of(rows, all, T.free), S.bits)
    if not T.P then return nil, "the constraints are not proved independent there" end
  end
  return T
end

local function difference(a, b)
  local out = {}
  for i, row in ipairs(a) do
    out[i] = {}
    for j, value in ipairs(row) do out[i][j] = core.ball_sum(value, b[i][j], -1) end
  end
  return out
end

-- The free rows of J over the free columns, in these directions
local function restricted(S, J, T)
  local own = part_of(J, T.free, T.free)
  if not T.P then return own end
  return difference(own, core.ball_product(part_of(J, T.free, T.dependent), T.P, S.bits))
end

--- The derivatives of the rates at a proved steady state, on the states that anything depends on and the directions that the constraints admit: rows of
--- balls, and the directions; nil and the reason where they are not enclosed.
function steady_state.approximation(found)
  local S = found._system
  local kept, z = {}, {}
  for i, q in ipairs(S.problem.kin) do if not S.ignorable[i] then kept[#kept + 1], z[#z + 1] = i, q end end
  append(z, S.problem.dyn)
  local J = jacobian(S, z, kept, found.x)
  if not J then return nil, "the mass matrix is not proved regular there" end
  local T, reason = tangents(S, z, found.x)
  if not T then return nil, reason end
  return restricted(S, J, T), T
end

-- B^T H B with B = (1; -P) over the free and the dependent columns
local function congruent(S, H, T)
  if not T.P then return part_of(H, T.free, T.free) end
  local right = difference(part_of(H, counted(#T.z), T.free), core.ball_product(part_of(H, counted(#T.z), T.dependent), T.P, S.bits))
  local turned, left = {}, part_of(right, T.free, counted(#T.free))
  for j in ipairs(T.free) do
    turned[j] = {}
    for i in ipairs(T.dependent) do turned[j][i] = T.P[i][j] end
  end
  return difference(left, core.ball_product(turned, part_of(right, T.dependent, counted(#T.free)), S.bits))
end

--- The second derivatives of an integral on the constraints, in the directions of steady_state.approximation, at a proved state where its first
--- derivatives in these directions vanish: those of F - mu C, dF = mu dC. nil where mu is not enclosed.
--- further: functions whose levels T keeps, besides C.
function steady_state.hessian(found, F, T, further)
  local S, x = found._system, found.x
  local list = append({ F }, functions(S.problem.constraints))
  append(list, further or {})
  local weights = { core.ball("1", 2) }
  if #T.dependent > 0 then
    local slope, left, right = slopes_at(S, { F }, T.z, x)[1], {}, {}
    for i, column in ipairs(T.dependent) do
      left[i], right[i] = {}, { slope[column] }
      for j, row in ipairs(T.rows) do left[i][j] = row[column] end
    end
    local mu = core.ball_solve(left, right, S.bits)
    if not mu then return nil end
    for j, entry in ipairs(mu) do weights[j + 1] = core.ball_sum(core.ball("0", 2), entry[1], -1) end
  end
  local n, H, second = #T.z, {}, {}
  for k, f in ipairs(list) do
    second[k] = {}
    for _, e in ipairs(core.gradient(f, T.z)) do append(second[k], core.gradient(e, T.z)) end
    second[k] = values_at(S, second[k], x)
  end
  local flat = core.ball_product({ weights }, second, S.bits)[1]
  for i = 1, n do H[i] = table.move(flat, (i - 1)*n + 1, i*n, 1, {}) end
  return congruent(S, H, T)
end

-- The size of a regular part of a matrix of balls, proved regular; nil where it is not
local function rank_of(rows, columns, bits)
  local lines, places = pivots.choose(middles(rows), columns, nil)
  local square, unit = part_of(rows, lines, places), {}
  for i in ipairs(lines) do unit[i] = { core.ball("0", 2) } end
  if #lines > 0 and not core.ball_solve(square, unit, bits) then return nil end
  return #lines, lines
end

--- Integrals I at a proved state whose levels make the energy stationary there, with the directions that keep them: names, functions, T; nil where they are
--- not found. Along an integral F of the rates with the derivatives J, dF J = 0 in a steady state. J has n - d independent rows; d integrals with independent
--- dI span its left kernel, so that the derivatives of each integral are sums of these dI, exactly. A: J in the directions T of
--- steady_state.approximation.
function steady_state.levels(found, A, T)
  local S, names, list = found._system, {}, {}
  local rank = rank_of(A, #A, S.bits)
  if not rank then return nil end
  local lack = #A - rank
  for _, c in ipairs(steady_state.integrals(found)) do
    if #list < lack and c.name ~= "energy" then
      list[#list + 1], names[#names + 1] = c.f, c.name
      local further = tangents(S, T.z, found.x, list)
      if not further then list[#list], names[#names] = nil, nil end
    end
  end
  if #list < lack then return nil end
  local further = tangents(S, T.z, found.x, list)
  return further and names, list, further
end

--- The statement; which coordinates are ignorable, and which velocities are proved to vanish.
function steady_state.known(found)
  local S = found._system
  return S.problem, S.ignorable, S.known_zero
end

--- Values of expressions in the states at a proved state.
function steady_state.values(found, list) return values_at(found._system, list, found.x) end

return steady_state
