-- Whole-course description of a one-sided coordinate q1 >= 0 with elastic impacts: q1 = |q1*|, and the quasi-velocities that an impact
-- reverses are pi' = pi'* sgn(q1*), all others stay: (3.1)-(3.3) of the paper on one-sided constraints. The auxiliary system has no impacts.
-- The quasi-velocities are q1', the rough rows, the held rows, the two-sided constraints, and momenta along the directions that all of
-- these leave free, which an impact does not change. With restitution e < 1 Ivanov's factor: q1' = sgn(q1*) (1 - k sgn(q1*) sgn(v)) v,
-- k = (1 - e)/(1 + e). Right for the impact law where the kinetic energy in these variables is continuous, which `discontinuity` shows.
local core = require "hamel.core"
local Equations = require "hamel.equations"
local kinematics = require "hamel.equations.kinematics"
local linear = require "hamel.algebra.linear"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local function inexact(e)
  if core.kind(e) == "float" then return true end
  for _, part in ipairs(core.operands(e)) do if inexact(part) then return true end end
  return false
end

local dot, fail = kinematics.dot, object.fail

-- The one-sided coordinate with its law
local function wall_of(system)
  local gap, count
  for _, item in ipairs(system.gaps) do if not item.bound then gap, count = item, (count or 0) + 1 end end
  if count ~= 1 then
    fail("the whole-course description is for one one-sided constraint, a coordinate q >= 0; %s has %d", system.name, count or 0)
  end
  for i, q in ipairs(system:coordinate_list()) do
    if gap.gap == q then
      if type(gap.law) == "function" then fail("'%s': the whole-course description needs hm.newton(e), not a function", gap.name) end
      local e, tangential = core.number_value(gap.law.restitution), core.number_value(gap.law.tangential)
      if e and e <= 0 then fail("'%s': the whole-course description needs a restitution above 0", gap.name) end
      if #gap.rough > 0 and tangential ~= 1 then
        fail("'%s': the whole course reverses rough rows as they are; give the law tangential = 1: hm.newton(e, { tangential = 1 })", gap.name)
      end
      return gap, i
    end
  end
  fail("'%s': the whole-course description needs a coordinate as its gap, not %s", gap.name, core.text(gap.gap))
end

-- Directions that the rows leave free: columns N with rows . N = 0
local function free_directions(rows, n, name)
  local taken, dependent = {}, {}
  for _, j in ipairs(linear.choose_columns(rows, n, true) or fail("the whole-course description: the rows of '%s' depend on each other", name)) do
    taken[j] = true
    dependent[#dependent + 1] = j
  end
  local square, columns, free = {}, {}, {}
  for j = 1, n do if not taken[j] then free[#free + 1] = j end end
  for k, row in ipairs(rows) do
    square[k] = {}
    for i, j in ipairs(dependent) do square[k][i] = row[j] end
  end
  for l, j in ipairs(free) do
    columns[l] = {}
    for k, row in ipairs(rows) do columns[l][k] = -row[j] end
  end
  local X = #free > 0 and linear.solve_exactly(square, columns) or {}
  local result = {}
  for l, j in ipairs(free) do
    result[l] = {}
    for i = 1, n do result[l][i] = core.rational(i == j and 1 or 0) end
    for i, d in ipairs(dependent) do result[l][d] = X[l][i] end
  end
  return result
end

local function rows_of(system, gap, index, I)
  local q, v, n = I.q, I.v, #I.q
  local rows, levels, zeros = {}, {}, {}
  for i = 1, n do zeros[i] = 0 end
  local function add(f)
    local row = core.gradient(f, v)
    for i = 1, n do row[i] = core.substitute(row[i], v, zeros) end
    if core.substitute(f, v, zeros):is_zero() == false then
      fail("the whole-course description needs velocities without a part of their own: %s", core.text(f))
    end
    rows[#rows + 1] = row
  end
  add(q[index].dot)
  for _, list in ipairs{ gap.rough, gap.held } do for _, f in ipairs(list) do add(f) end end
  for k, c in ipairs(system.constraints) do
    if not c.kind:find("^linear") then fail("the whole-course description needs linear nonholonomic two-sided constraints; '%s' is %s", c.name, c.kind) end
    levels[k] = kinematics.levels(c, q, v)
    add(c.f)
  end
  for _, direction in ipairs(free_directions(rows, n, gap.name)) do
    local row = {}
    for i = 1, n do
      local column = {}
      for j = 1, n do column[j] = I.M[j][i] end
      row[i] = core.simplify(dot(direction, column), "auto", nil, { effort = 1 })
    end
    rows[#rows + 1] = row
  end
  return rows, levels
end

return {
  name = "whole course",
  title = "whole-course description of impacts",
  source = "the paper on one-sided constraints (3.1)-(3.3); Ivanov 1993 for restitution",
  takes = { wall = true },
  derive = function(system)
    local gap, index = wall_of(system)
    local I, Q, n = kinematics.inertia(system), system:generalised_forces(), #system.coordinate_names
    local rows, levels = rows_of(system, gap, index, I)
    local wall = "_" .. system.coordinate_names[index]
    local star = core.symbol(naming.free(system, { system.coordinate_names[index] .. "_star" }, { "" })[1], symbols.DYNAMIC)
    local sigma, tau = core.symbol(naming.free(system, { "sigma", "Sigma" }, { wall })[1], symbols.EXTERNAL), nil
    local restitution = core.number(gap.law.restitution)
    local k = (1 - restitution)/(1 + restitution)
    if core.number_value(restitution) ~= 1 then tau = core.symbol(naming.free(system, { "tau", "Tau" }, { wall })[1], symbols.EXTERNAL) end
    local w, rates, D = {}, {}, {}
    local numbered = naming.free(system, { "w", "omega", "quasi" }, naming.numbers(n))
    for s = 1, n do
      w[s] = core.symbol(numbered[s], symbols.DYNAMIC)
      rates[s] = w[s].dot
      D[s] = s <= 1 + #gap.rough and sigma or core.rational(1)
    end
    if tau then D[1] = sigma*(1 - k*sigma*tau) end
    -- the physical velocities v = B D w*, and their rates without w*'
    local unit = {}
    for s = 1, n do
      unit[s] = {}
      for r = 1, n do unit[s][r] = core.rational(r == s and 1 or 0) end
    end
    local columns, conditions = linear.solve_exactly(rows, unit)
    local q, v, kin = I.q, {}, table.move(I.q, 1, n, 1, {})
    kin[index] = star
    for r = 1, n do
      local terms = {}
      for s = 1, n do terms[s] = columns[s][r]*D[s]*w[s] end
      v[r] = core.sum(terms)
    end
    local drift = kinematics.drift(v, q, v)
    -- everything at q1 = |q1*|, a smooth expression on either side
    local function fold(e) return core.substitute(e, { q[index] }, { sigma*star }) end
    local function inserted(e) return fold(core.substitute(e, I.v, v)) end
    local C = {}                       -- columns of B D
    for s = 1, n do
      C[s] = {}
      for r = 1, n do C[s][r] = fold(columns[s][r]*D[s]) end
    end
    local force, M, r, A, b, lambda, names = {}, {}, {}, {}, {}, kinematics.multiplier_symbols(system), {}
    local mass = {}
    for i = 1, n do
      mass[i] = {}
      for j = 1, n do mass[i][j] = fold(I.M[i][j]) end
      drift[i] = fold(drift[i])
    end
    for i = 1, n do force[i] = inserted(Q[i] - I.bias[i]) - dot(mass[i], drift) end
    for s = 1, n do
      M[s], r[s] = {}, dot(C[s], force)
      for l = 1, n do
        local image = {}
        for i = 1, n do image[i] = dot(mass[i], C[l]) end
        M[s][l] = dot(C[s], image)
      end
    end
    for c, level in ipairs(levels) do
      local row = {}
      for i = 1, n do row[i] = inserted(level.velocity.row[i]) end
      A[c], names[c] = {}, level.name
      for s = 1, n do A[c][s] = dot(row, C[s]) end
      b[c] = inserted(level.b) + dot(row, drift)
    end
    -- the sign functions themselves
    local switches = { { symbol = sigma, expression = star } }
    local from, to = { sigma }, { core.functions.sign(star) }
    if tau then
      switches[2] = { symbol = tau, expression = w[1] }
      from[2], to[2] = tau, core.functions.sign(w[1])
    end
    -- s^2 = 1 for either sign: e(s) = (e(1) + e(-1))/2 + s (e(1) - e(-1))/2; inexact numbers would not cancel
    local function first_order(e, s)
      local plus, minus = core.substitute(e, { s }, { 1 }), core.substitute(e, { s }, { -1 })
      if plus == e or inexact(e) then return e end
      return core.simplify((plus + minus)/2) + s*core.simplify((plus - minus)/2)
    end
    local function seen(e)
      for _, s in ipairs(from) do e = first_order(e, s) end
      return core.substitute(e, from, to)
    end
    local velocities, accelerations, speeds, rows_shown = {}, {}, {}, {}
    for i = 1, n do
      velocities[i] = seen(fold(v[i]))
      local terms = { drift[i] }
      for s = 1, n do terms[#terms + 1] = C[s][i]*rates[s] end
      accelerations[i] = seen(core.sum(terms))
      speeds[i] = fold(v[i])
    end
    speeds[index] = tau and (1 - k*sigma*tau)*w[1] or w[1]
    local start = {}
    for s = 1, n do start[s] = dot(rows[s], I.v) end
    if tau then start[1] = start[1]/(1 - k*core.functions.sign(q[index].dot)) end
    for s = 1, n do
      local right = { r[s] }
      for c = 1, #lambda do right[#right + 1] = lambda[c]*A[c][s] end
      rows_shown[s] = { name = core.text(w[s]), left = seen(dot(M[s], rates)), right = seen(core.sum(right)) }
    end
    local kinematic = {}
    for i = 1, n do kinematic[i] = { left = kin[i].dot, right = seen(speeds[i]) } end
    local pv = dot(I.p, I.v)
    local kinetic = inserted(system._T or pv/2)
    -- the jump of T across q1* = 0
    local vanishing, zeros = { star }, { 0 }           -- with it the quasi-velocities that the constraints hold at zero
    for c = 1, #system.constraints do vanishing[c + 1], zeros[c + 1] = w[1 + #gap.rough + #gap.held + c], 0 end
    local crossing = core.substitute(kinetic, vanishing, zeros)
    local function side(sign) return core.substitute(crossing, { sigma }, { sign }) end
    local jump = tau and core.rational(0) or side(1) - side(-1)
    -- on the two-sided constraints: each gives one velocity by the others, as far as it has no time
    local solved, by = {}, {}
    for c = 1, #A do
      local f = core.substitute(core.substitute(dot(A[c], w), { star, sigma }, { 0, 1 }), solved, by)
      for s = n, 1, -1 do
        local pivot = core.diff(f, w[s])
        if pivot:is_zero() == false then
          local value = core.simplify(w[s] - f/pivot)
          for i = 1, #by do by[i] = core.substitute(by[i], { w[s] }, { value }) end
          solved[#solved + 1], by[#by + 1] = w[s], value
          break
        end
      end
    end
    jump = core.substitute(jump, solved, by)
    local dyn_names = {}
    for s = 1, n do dyn_names[s] = core.text(w[s]) end
    local power = dot(Q, I.v) - core.diff(I.L, symbols.t)
    return Equations.new{
      title = "whole-course description, " .. core.text(q[index]) .. " = |" .. core.text(star) .. "|", system = system,
      kin = kin, dyn = w, rates = rates, k = speeds, M = M, r = r, A = A, b = b, multipliers = lambda, names = names, dyn_names = dyn_names,
      rows = rows_shown, positions = {}, velocities = {}, energy = inserted(pv - I.L), kinetic = kinetic, power = inserted(power),
      v = velocities, a = accelerations, from_velocities = start, kinematic = kinematic, condition = false,
      whole_course = { index = index, gap = gap, star = star, switches = switches, columns = C, drift = drift, insert = inserted, conditions = conditions,
                       discontinuity = jump:is_zero() ~= true and core.simplify(jump, "auto", nil, { effort = 1 }) or false },
    }
  end,
}
