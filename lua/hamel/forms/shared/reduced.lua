-- reduced.lua: shared parts of the forms without multipliers: the record of their equations, reactions afterwards, checks.
local affine = require "hamel.algebra.affine"
local core = require "hamel.core"
local Equations = require "hamel.equations"
local kinematics = require "hamel.equations.kinematics"
local linear = require "hamel.algebra.linear"
local nonlinear = require "hamel.equations.nonlinear"
local naming = require "hamel.algebra.naming"
local symbols = require "hamel.algebra.symbols"

local dot = kinematics.dot
local reduced = {}

--- Splits expressions that are linear in the rates `accelerations` (symbols): rows of coefficients and the rest.
reduced.split = affine.split

--- d/dt dL/dq_r' - dL/dq_r along the motions that the constraints allow, without the applied forces
function reduced.inertia_terms(F)
  local I, E = F.inertia, {}
  for r = 1, #F.q do E[r] = dot(I.M[r], F.a) + core.substitute(I.bias[r], I.v, F.v) end
  return E
end

--- The energy of accelerations q''.M q''/2 + q''.bias, apart from terms without accelerations
function reduced.acceleration_energy(F)
  local I, Ma, bias = F.inertia, {}, {}
  for r = 1, #F.q do Ma[r], bias[r] = dot(I.M[r], F.a), core.substitute(I.bias[r], I.v, F.v) end
  return core.substitute(dot(F.a, Ma)/2 + dot(F.a, bias), I.v, F.v)
end

--- What the insertion of the constraints q_k' = phi_k loses in the equation of the l-th independent coordinate, a term for each:
--- p_k (d/dt dphi_k/dq_l' - dphi_k/dq_l), p_k the momenta of the full L. F: reduced.in_velocities(...)
function reduced.lost_terms(F, l)
  local S, I, terms = F.solved, F.inertia, {}
  for k, dependent in ipairs(S.dependent) do
    local phi = F.v[dependent]
    terms[k] = core.substitute(I.p[dependent], I.v, F.v)*(reduced.rate(F, core.diff(phi, F.dyn[l])) - core.diff(phi, F.q[S.independent[l]]))
  end
  return terms
end

--- Multipliers of the declared constraints from the dependent equations: A_D^T lambda = (M q'' + bias - Q)_D.
--- v, a: velocities and accelerations in the states of the form and their rates.
function reduced.reactions(system, solved, inertia, v, a)
  local Q, m = system:generalised_forces(), #solved.dependent
  if m == 0 then return {} end
  local transposed, right = {}, {}
  for i, j in ipairs(solved.dependent) do
    transposed[i] = {}
    for k = 1, m do transposed[i][k] = solved.A[k][j] end
    right[i] = dot(inertia.M[j], a) + core.substitute(inertia.bias[j] - Q[j], inertia.v, v)
  end
  return linear.solve_exactly(transposed, { right })[1]
end

--- Multipliers in quasi-velocities, along the directions dual to the constraints: lambda_k = sum_r B_r,h+k (M q'' + bias - Q)_r.
--- They exist wherever the quasi-velocities do. v, a: velocities and accelerations in the states of the form and their rates.
function reduced.dual_reactions(system, K, inertia, v, a)
  local Q, E, lambda = system:generalised_forces(), {}, {}
  if K.m == 0 then return lambda end
  for r = 1, K.n do E[r] = dot(inertia.M[r], a) + core.substitute(inertia.bias[r] - Q[r], inertia.v, v) end
  for k = 1, K.m do
    local terms = {}
    for r = 1, K.n do terms[r] = K.B[r][K.h + k]*E[r] end
    lambda[k] = core.sum(terms)
  end
  return lambda
end

local function catastatic(system)
  for _, c in ipairs(system.constraints) do if not c.catastatic then return false end end
  return true
end

-- Reactions of nonlinear constraints: R.q' = sum lambda_k (df_k/dq').q', which is zero on the constraints where f_k is homogeneous in the
-- velocities
local function homogeneous(system, v)
  local V = system:velocity_list()
  for _, c in ipairs(system.constraints) do
    local f = kinematics.levels(c, system:coordinate_list(), V).velocity
    if core.substitute(dot(f.row, V), V, v):is_zero() ~= true then return false end
  end
  return true
end

-- That power otherwise, with lambda_k at the rates that solve M rates + rest = 0
local function power_of_reactions(f, M, rest, inserted)
  local V, right, terms = f.inertia.v, {}, {}
  for s = 1, #rest do right[s] = -rest[s] end
  local rates = linear.solve_exactly(M, { right })[1]
  for k, level in ipairs(f.solved.levels) do
    terms[k] = core.substitute(inserted(f.lambda[k]), f.rates, rates)*inserted(dot(level.velocity.row, V))
  end
  return core.sum(terms)
end

local function nonlinear_balance(f, M, rest)
  local system, I = f.system, f.inertia
  local function inserted(e) return core.substitute(e, I.v, f.v) end
  local Q, pv = system:generalised_forces(), dot(I.p, I.v)
  local power = inserted(dot(Q, I.v) - core.diff(I.L, symbols.t))
  if not homogeneous(system, f.v) then power = power + power_of_reactions(f, M, rest, inserted) end
  return { energy = inserted(pv - I.L), kinetic = inserted(system._T or pv/2), power = power }
end

-- Energy and what changes it. The reactions R work on the part w of the velocities that the constraints prescribe (q' at zero states of
-- dyn; q' - w is a virtual displacement): R.q' = R.w = d(p.w)/dt - p.w' - (dL/dq + Q).w, so that E - p.w has a rate free of reactions,
-- Q.(q' - w) - dL/dt - p.w' - (dL/dq).w. carried: p.w.
local function energy_balance(f)
  local system, I, zeros = f.system, f.inertia, {}
  local function inserted(e) return core.substitute(e, I.v, f.v) end
  local Q, pv = system:generalised_forces(), dot(I.p, I.v)
  local rate, carried = dot(Q, I.v) - core.diff(I.L, symbols.t), nil
  if not catastatic(system) then
    for s = 1, #f.dyn do zeros[s] = 0 end
    local w = {}
    for r = 1, #f.v do w[r] = core.substitute(f.v[r], f.dyn, zeros) end
    carried = dot(I.p, w)
    rate = rate - dot(Q, w) - dot(I.p, kinematics.drift(w, I.q, I.v)) - dot(I.force, w)
  end
  return { energy = inserted(pv - I.L), kinetic = inserted(system._T or pv/2), power = inserted(rate),
           carried = carried and inserted(carried) }
end

--- The Equations record: expressions `left` and `right` per independent quantity, linear in the rates of `dyn`.
--- regularity: { pivots =, rows =, chosen = columns of the dependent velocities where the form chose them } of the elimination behind the form
--- fields: system, kin, dyn, rates (symbols of dyn'), k, left, right, names, v, a, lambda, from_velocities, solved, inertia;
--- another_motion: the reactions are not those of the system; row_names: of the rows, where they are not those of dyn; nonlinear: the
--- constraints or quasi-velocities are; implicit: dyn and rates are all velocities and accelerations, velocities the constraints on them
function reduced.equations(f)
  local system, differences, rows = f.system, {}, {}
  for s = 1, #f.left do
    differences[s] = f.left[s] - f.right[s]
    rows[s] = { name = f.row_names and f.row_names[s] or core.text(f.dyn[s]), left = f.left[s], right = f.right[s] }
  end
  local M, rest = reduced.split(differences, f.rates)
  local r, positions, constraint_names = {}, {}, {}
  for s = 1, #rest do r[s] = -rest[s] end
  for k, level in ipairs(f.solved.levels) do
    constraint_names[k] = level.name
    if level.position then positions[#positions + 1] = { name = level.name, f = level.position.f, row = level.position.row } end
  end
  local balance
  if f.nonlinear then balance = f.another_motion and {} or nonlinear_balance(f, M, rest)
  else balance = f.another_motion and not catastatic(system) and {} or energy_balance(f) end
  local dyn_names = {}
  for s = 1, #f.dyn do dyn_names[s] = core.text(f.dyn[s]) end
  local A, b, multipliers = {}, {}, {}
  if f.implicit then
    M, r, A, b = f.inertia.M, {}, M, rest
    -- as many rows as accelerations, and not symmetric: M q'' = A^T kappa, A q'' + b = 0 determines q'' by the rows alone
    local numbered = naming.free(system, { "kappa", "multiplier" }, naming.numbers(#rest))
    for s = 1, #rest do r[s], multipliers[s] = core.rational(0), core.symbol(numbered[s], symbols.EXTERNAL) end
  end
  return Equations.new{
    system = system, kin = f.kin, dyn = f.dyn, rates = f.rates, k = f.k, M = M, r = r, A = A, b = b,
    multipliers = multipliers, row_names = f.implicit and f.row_names or nil, names = constraint_names, dyn_names = dyn_names, rows = rows,
    positions = positions, velocities = f.velocities or {},
    energy = balance.energy, kinetic = balance.kinetic, power = balance.power, carried = balance.carried,
    v = f.v, a = f.a, lambda = f.lambda, from_velocities = f.from_velocities,
    condition = f.regularity.pivots, condition_rows = f.regularity.rows, kinematic = f.kinematic,
    chosen_columns = f.regularity.chosen,
  }
end

--- States, velocities and accelerations of forms in the independent velocities themselves (Chaplygin, Voronets).
function reduced.in_velocities(system, names, form)
  local bent = nonlinear.constrained(system)
  local solved = bent and nonlinear.solved(system, names, form) or kinematics.solved(system, names, form)
  local inertia = kinematics.inertia(system)
  local q, v = inertia.q, inertia.v
  local independent, rates = {}, {}
  for l, j in ipairs(solved.independent) do independent[l], rates[l] = v[j], q[j].ddot end
  local a = kinematics.drift(solved.v, q, solved.v)
  local sweep = {}
  for l = 1, #independent do sweep[l] = core.directional(solved.v, { independent[l] }, { rates[l] }) end
  for r = 1, #q do
    for l = 1, #independent do a[r] = a[r] + sweep[l][r] end
  end
  return { solved = solved, inertia = inertia, q = q, dyn = independent, rates = rates, v = solved.v, a = a,
           regularity = { pivots = solved.pivots, rows = solved.A, chosen = not names and solved.dependent }, nonlinear = bent }
end

-- The states and rates are the velocities and accelerations themselves: the constraints become the last rows of the equations
local function implicit_frame(K, inertia)
  local constraint_rows, velocities, names = {}, {}, {}
  for s = 1, K.h do names[s] = core.text(K.u[s]) end
  for k, level in ipairs(K.levels) do
    names[K.h + k] = level.name
    constraint_rows[k] = dot(level.velocity.row, K.rates) + level.b
    velocities[k] = { name = level.name, f = level.velocity.f, row = level.velocity.row }
  end
  return { K = K, solved = K, inertia = inertia, q = K.q, dyn = K.states, rates = K.rates, v = K.v, a = K.rates, from_velocities = K.v,
           regularity = { pivots = K.pivots, rows = K.a, chosen = K.chosen }, nonlinear = true, implicit = true, constraint_rows = constraint_rows,
           velocities = velocities, row_names = names }
end

local function nonlinear_frame(system, names, form)
  local K, inertia = nonlinear.frame(system, names, form), kinematics.inertia(system)
  if K.implicit then return implicit_frame(K, inertia) end
  local a, from = kinematics.drift(K.v_of_u, K.q, K.v_of_u), {}
  for s = 1, K.h do
    for r, entry in ipairs(core.directional(K.v_of_u, { K.states[s] }, { K.rates[s] })) do a[r] = a[r] + entry end
    from[s] = K.w[s]
  end
  return { K = K, solved = K, inertia = inertia, q = K.q, dyn = K.states, rates = K.rates, v = K.v_of_u, a = a, from_velocities = from,
           regularity = { pivots = K.pivots, rows = K.a, chosen = K.chosen }, nonlinear = true }
end

--- The same in quasi-velocities.
function reduced.in_quasi(system, names, form)
  if nonlinear.needed(system, names) then return nonlinear_frame(system, names, form) end
  local K = kinematics.quasi(system, names, form)
  local inertia = kinematics.inertia(system)
  local v = kinematics.velocities(K, true)
  local dyn, rates = {}, {}
  for s = 1, K.h do dyn[s], rates[s] = K.u[s], K.u[s].dot end
  local a = kinematics.drift(v, K.q, v)
  for s = 1, K.h do
    for r = 1, K.n do a[r] = a[r] + K.B[r][s]*rates[s] end
  end
  local from = {}
  for s = 1, K.h do from[s] = dot(K.a[s], K.v) + K.a0[s] end
  return { K = K, solved = K.solved, inertia = inertia, q = K.q, dyn = dyn, rates = rates, v = v, a = a, from_velocities = from,
           regularity = { pivots = K.pivots, rows = K.a, chosen = not names and not system._quasi and K.solved.dependent } }
end

--- Total time derivative of e(q, dyn, t) along the form's kinematics, with the rates of dyn.
function reduced.rate(F, e)
  local from, along = table.move(F.q, 1, #F.q, 1, {}), table.move(F.v, 1, #F.v, 1, {})
  for s = 1, #F.dyn do from[#from + 1], along[#along + 1] = F.dyn[s], F.rates[s] end
  from[#from + 1], along[#along + 1] = symbols.t, 1
  return core.directional({ e }, from, along)[1]
end

--- Kinematic equations as printed: the dependent velocities, or all of them in quasi-velocities.
function reduced.kinematic_rows(F)
  local rows = {}
  for r = 1, #F.q do
    if F.v[r] ~= F.q[r].dot then rows[#rows + 1] = { left = F.q[r].dot, right = F.v[r] } end
  end
  return rows
end

return reduced
