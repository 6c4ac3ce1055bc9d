-- linearize.lua: S:linearize: the first approximation about an equilibrium or a steady motion, with constraints; eigenvalues and stability.
local attempt = require "hamel.base.attempt"
local balance = require "hamel.analysis.balance"
local characteristic = require "hamel.analysis.characteristic"
local chosen_states = require "hamel.analysis.chosen_states"
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local corners = require "hamel.analysis.corners"
local dirichlet = require "hamel.analysis.dirichlet"
local exact_directions = require "hamel.analysis.exact_directions"
local in_default_form = require "hamel.analysis.default_form"
local body_motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local pieces = require "hamel.algebra.pieces"
local preparation = require "hamel.run.preparation"
local rest_family = require "hamel.analysis.rest_family"
local steadiness = require "hamel.analysis.steadiness"
local symmetry = require "hamel.analysis.symmetry"
local System = require "hamel.system"
local tangent = require "hamel.analysis.tangent"
local wide_spectrum = require "hamel.analysis.wide_spectrum"

local fail = object.fail
local Linearization = object.class "Linearization"

local schema = setmetatable({
  symbolic = { default = false, type = "boolean", doc = "true: matrices, characteristic polynomial and conditions of stability in symbols" },
  states = { type = "table", list = true, doc = "the states, names or functions of coordinates and velocities, that A, B and the eigenvalues belong to" },
  tolerance = { above = 0, type = "number",
    doc = "rates up to this, times the largest state if that is above 1, count as zero; without it, what is rounding in any units does" },
}, { __index = preparation.schema })
for name, row in pairs(preparation.schema) do schema[name] = row end

-- The directions a constraint leaves free turn with time: they are not mapped on themselves
local function demand_standing(E)
  for _, part in ipairs{ E.positions, E.velocities } do
    for _, c in ipairs(part) do
      if #tangent.timed(c.row) > 0 then
        fail("linearize: the constraint '%s' turns with time, so that the first approximation is not constant; take coordinates in which it does not turn, "
          .. "or S:variations", c.name)
      end
    end
  end
end

-- Nothing but q is given of a state at rest; where constraints have conditions on velocities, the start computes them
local function velocities_at_rest(system)
  local v = {}
  for _, name in ipairs(body_motion.of(system).names) do v[name] = 0 end
  return v
end

-- At rest, if no velocities are given and the constraints allow it; else constraints give velocities
local function prepared(system, o)
  o.q = tangent.completed(system, o)
  if o.v == nil then
    o.v = velocities_at_rest(system)
    local fine, E, model, w, x, observer = attempt(preparation.prepare, system, o, o.t)
    if fine then return E, w, x, observer, model end
    if #system.constraints > 0 then o.v = nil end
  end
  local E, model, w, x, observer = preparation.prepare(system, o, o.t)
  return E, w, x, observer, model
end

local DIGITS = 1e-13                   -- of the velocities that swings of the size of the coordinates have

-- The state with zeros for velocities that are rounding beside those of swings; nil: they are not, or the constraints do not allow it. flat: the Jacobian
local function without_rounding(E, w, t, x, kept, flat)
  local first, n, coordinates, velocities = #E.kin, #x, 0, 0
  local by_velocities, by_coordinates = 0, 0
  for _, i in ipairs(kept) do
    if i <= first then coordinates = math.max(coordinates, math.abs(x[i])) else velocities = math.max(velocities, math.abs(x[i])) end
    for _, j in ipairs(kept) do
      local entry = math.abs(flat[(i - 1)*n + j])
      if i <= first and j > first then by_velocities = math.max(by_velocities, entry)
      elseif i > first and j <= first then by_coordinates = math.max(by_coordinates, entry) end
    end
  end
  if velocities == 0 or by_velocities == 0 or not (velocities <= DIGITS*coordinates*math.sqrt(by_coordinates/by_velocities)) then return nil end
  local rest = table.move(x, 1, n, 1, {})
  for i = first + 1, first + #E.dyn do rest[i] = 0.0 end
  local fine, on = attempt(w.project, w, t, rest, 1e-13)
  for i = first + 1, fine and first + #E.dyn or first do if on[i] ~= 0 then return nil end end
  return fine and on or nil
end

-- Do all velocities vanish?
local function is_at_rest(E, x)
  for i = #E.kin + 1, #E.kin + #E.dyn do if x[i] ~= 0 then return false end end
  return true
end

-- Equations without multipliers, for derivations in symbols
local function symbolic_equations(system, form)
  return system:equations(form or #system.constraints > 0 and "maggi" or "lagrange")
end

-- Is the state an equilibrium where the energy of the system has a minimum?
local function minimum_of_energy(system, o, E, observer, w, x, ignorable)
  if #system.gaps + #system.frictions > 0 then return false end
  local base = system:equations "lagrange"
  local state = table.move(x, 1, #E.kin, 1, {})
  for i, value in ipairs(observer:velocities(w, o.t, x)) do state[#E.kin + i] = value end
  local parameters, values = compile.parameter_values(system, o.parameters)
  return dirichlet.proves(system, base, parameters, values, o.t + 0.0, state, ignorable)
end

-- What a unit of each input adds to the rates, in the tangent directions: the inputs enter linearly
local function input_matrix(system, o, E, w, x, kept, basis)
  local B, parameters, values = {}, compile.parameter_values(system, o.parameters)
  local value_of = {}
  for i, symbol in ipairs(parameters) do value_of[symbol] = values[i] end
  for a in ipairs(basis) do B[a] = {} end
  w:set_state(o.t, x)
  local rate = w:rate()
  for i, name in ipairs(system._inputs) do
    local symbol = system:symbol(name)
    for _, r in ipairs(E.r) do
      local slope = core.diff(r, symbol)
      if object.contains(core.symbols{ slope }, symbol) and core.diff(slope, symbol):is_zero() ~= true or system._lambda and #core.symbols{ slope } > 0 then
        fail("linearize: the input '%s' does not enter linearly: symbolic = true gives derivatives", name)
      end
    end
    local other = system:by_name(o.parameters or {}, "parameters")
    other[name] = value_of[symbol] + 1
    local changed = setmetatable({ parameters = other }, { __index = o })
    local _, _, pushed = preparation.prepare(system, changed, o.t)
    pushed:set_state(o.t, x)
    local more = pushed:rate()
    for a, u in ipairs(basis) do
      local sum = 0.0
      for k, place in ipairs(kept) do sum = sum + u[k]*(more[place] - rate[place]) end
      B[a][i] = sum
    end
  end
  return B
end

local ROUNDING = 1e-13                 -- relative to the largest eigenvalue: smaller parts are 0 where they are printed or compared

local SHOWN = 1e-8                     -- of an eigenvalue: an error that shows in its nine digits

-- Up to which size a part of an eigenvalue { re, im, uncertainty, exact = does it come from quadruple precision? } is 0 where it is printed or compared.
-- size: of the largest one
local function nothing_of(e, size) return e.exact and e.uncertainty < math.huge and e.uncertainty or ROUNDING*size end

local function size_of(eigenvalues)
  local size = 0
  for _, e in ipairs(eigenvalues) do size = math.max(size, math.abs(e.re), math.abs(e.im)) end
  return size
end

local function largest_of(eigenvalues)
  local largest = -math.huge
  for _, e in ipairs(eigenvalues) do largest = math.max(largest, e.re) end
  return largest
end

-- By falling real parts, then faster oscillations first, pairs together. list: { e, v }
local function sort_by_growth(list, size)
  local function real(e) return math.abs(e.re) > nothing_of(e, size) and e.re or 0 end
  table.sort(list, function(a, b)
    local p, q = a.e, b.e
    if real(p) ~= real(q) then return real(p) > real(q) end
    if math.abs(p.im) ~= math.abs(q.im) then return math.abs(p.im) > math.abs(q.im) end
    return p.im > q.im
  end)
end

-- What the errors of A are made of, for core.eigen: count, left (#A rows), right (`count` rows). The entries are rounded; those of the rates of velocities come
-- from a solve with the inertia (beside it the constraints with multipliers), which is exact for a matrix M + dM, |dM| of the size of roundings of M: these
-- are -M^-1 dM A. flat: the Jacobian; size: its rows
local function errors_of(E, observer, w, t, x, kept, basis, flat, size, A)
  local n, m, first = #E.dyn, #E.A, #E.kin
  local place_of = {}
  for i, place in ipairs(kept) do place_of[place] = i end
  local list = {}
  for s = 1, n do
    for k = 1, n do list[#list + 1] = E.M[s][k] end
  end
  for s = 1, n do
    for k = 1, n do list[#list + 1] = balance.sizes_of(E.M[s][k]) end
  end
  for _, row in ipairs(E.A) do table.move(row, 1, n, #list + 1, list) end
  local values, saddle, whole = observer:evaluate(observer:program(list), w, t, x), {}, n + m
  for i = 1, whole*whole do saddle[i] = 0.0 end
  for s = 1, n do
    for k = 1, n do saddle[(s - 1)*whole + k] = values[(k - 1)*n + s] end
    for c = 1, m do
      local entry = values[(2*n + c - 1)*n + s]
      saddle[(s - 1)*whole + n + c], saddle[(n + c - 1)*whole + s] = entry, entry
    end
  end
  local count, left, right = #A + n, {}, {}
  for a, u in ipairs(basis) do
    local b = {}
    for s = 1, whole do b[s] = s <= n and place_of[first + s] and u[place_of[first + s]] or 0.0 end
    -- constraints that depend on each other leave their multipliers open, and determine the accelerations
    local z = whole > 0 and (core.solve(whole, saddle, b) or core.least_squares(whole, whole, saddle, b, 1e-12)) or {}
    for c = 1, #A do left[#left + 1] = c == a and 1.0 or 0.0 end
    table.move(z, 1, n, #left + 1, left)
  end
  for _, row in ipairs(A) do
    for _, entry in ipairs(row) do right[#right + 1] = math.abs(entry) end
  end
  local moved = {}                     -- |J U| of the rates of velocities
  for s = 1, n do
    moved[s] = {}
    for b, v in ipairs(basis) do
      local sum = 0.0
      for j, column in ipairs(kept) do sum = sum + flat[(first + s - 1)*size + column]*v[j] end
      moved[s][b] = math.abs(sum)
    end
  end
  for s = 1, n do
    for b in ipairs(basis) do
      local sum = 0.0
      for k = 1, n do sum = sum + values[(n + s - 1)*n + k]*moved[k][b] end
      right[#right + 1] = sum
    end
  end
  return { count, left, right }
end

-- Eigenvalues of A as { re, im, uncertainty }, and their vectors in n states: directions, the rows of `basis`, weighted. errors: of A, see errors_of
local function spectrum(A, basis, n, errors)
  local flat, list, all = {}, {}, {}
  for _, row in ipairs(A) do table.move(row, 1, #row, #flat + 1, flat) end
  local values, vectors, uncertainty = core.eigen(#A, flat, errors[1], errors[2], errors[3])
  for k = 1, #A do
    list[k], all[k] = { re = values[2*k - 1], im = values[2*k], uncertainty = uncertainty[k] }, {}
    for i = 1, n do
      local re, im = 0.0, 0.0
      for a, u in ipairs(basis) do
        local place = 2*((k - 1)*#A + a)
        re, im = re + u[i]*vectors[place - 1], im + u[i]*vectors[place]
      end
      all[k][i] = { re = re, im = im }
    end
  end
  local pairs_of = {}
  for k, e in ipairs(list) do pairs_of[k] = { e = e, v = all[k] } end
  sort_by_growth(pairs_of, size_of(list))
  for k, pair in ipairs(pairs_of) do list[k], all[k] = pair.e, pair.v end
  return list, all
end

local CLEAR, KNOWN = 1e-7, 10           -- of the largest eigenvalue; times its uncertainty: a real part that is not zero
local UNIT, NONE = 2^-52, {}            -- a rounding in the last place; where there are no changes to compare
local DOUBTED = 1e-11                  -- of an eigenvalue: a larger uncertainty by doubles is worth quadruple precision

-- The result with eigenvalues from quadruple precision, where doubles leave one in doubt, and with their matrix, where constraints leave all states free.
-- along: of constraints, see exact_directions.of
local function refine(result, w, t, x, kept, along)
  local doubted, size = false, size_of(result.eigenvalues)
  for _, e in ipairs(size > 0 and result.eigenvalues or {}) do
    local modulus = math.max(math.abs(e.re), math.abs(e.im))
    -- the uncertainty of a multiple eigenvalue is not known
    doubted = doubted or modulus <= ROUNDING*size or e.uncertainty > DOUBTED*modulus and e.uncertainty < math.huge
  end
  if not doubted then return end
  local list, A = wide_spectrum.of(w, t, x, kept, result.eigenvalues, false, along)
  if not list then return end
  if not along then
    for a in ipairs(kept) do result.A[a] = table.move(A, (a - 1)*#kept + 1, a*#kept, 1, {}) end
    result.basis = tangent.unit_vectors(#kept)
  end
  for k, e in ipairs(list) do
    result.eigenvalues[k], result.vectors[k] = { re = e.re, im = e.im, uncertainty = e.uncertainty, exact = true,
      first_order = e.first_order }, e.whole
  end
  local sorted = {}
  for k, e in ipairs(result.eigenvalues) do sorted[k] = { e = e, v = result.vectors[k] } end
  sort_by_growth(sorted, size_of(result.eigenvalues))
  for k, item in ipairs(sorted) do result.eigenvalues[k], result.vectors[k] = item.e, item.v end
end

-- How far each of the eigenvalues from quadruple precision at a state is from the one at the steady state beside it, to which a step of Newton's method
-- leads; nil: there is none
local function changes_to_steady(result, w, t, x, kept, along)
  local n, flat, side = #result.A, {}, {}
  w:set_state(t, x)
  local rate, rests = w:rate(), true
  for _, place in ipairs(kept) do rests = rests and rate[place] == 0 end
  for a, u in ipairs(result.basis) do
    table.move(result.A[a], 1, n, #flat + 1, flat)
    side[a] = 0.0
    for i, place in ipairs(kept) do side[a] = side[a] - u[i]*rate[place] end
  end
  local changes = {}
  if rests then
    for k in ipairs(result.eigenvalues) do changes[k] = 0.0 end
    return changes
  end
  local d, moved = core.solve(n, flat, side), table.move(x, 1, #x, 1, {})
  for a, u in ipairs(d and result.basis or {}) do
    for i, place in ipairs(kept) do moved[place] = moved[place] + u[i]*d[a] end
  end
  local list = d and wide_spectrum.of(w, t, moved, kept, result.eigenvalues, true, along)
  w:set_state(t, x)
  for k, e in ipairs(list or {}) do changes[k] = math.abs(e.re - result.eigenvalues[k].re) end
  return list and changes
end

-- How far each of them is from the one at the state where the parameters have a rounding in the last place; nil: there is none
local function changes_by_parameters(result, system, o, x, kept)
  local parameters, values = compile.parameter_values(system, o.parameters)
  local moved = system:by_name(o.parameters or {}, "parameters")
  for i, symbol in ipairs(parameters) do moved[core.text(symbol)] = values[i]*(1 + (i % 2 == 0 and UNIT or -UNIT)) end
  local E, _, w, _, observer = preparation.prepare(system, setmetatable({ parameters = moved }, { __index = o }), o.t)
  local changes, list = {}, wide_spectrum.of(w, o.t, x, kept, result.eigenvalues, true, exact_directions.of(E, observer, kept))
  for k, e in ipairs(list or {}) do changes[k] = math.abs(e.re - result.eigenvalues[k].re) end
  return list and changes
end

-- "unstable", "asymptotically stable" from the real parts; nil: they do not decide
local function verdict_of(result, system, o, w, x, kept, along)
  -- a multiple eigenvalue is exact to the root of the rounding only
  local margin = CLEAR*size_of(result.eigenvalues)
  if result.largest > margin then return "unstable" elseif result.largest < -margin then return "asymptotically stable" end
  local stable = true
  for _, e in ipairs(result.eigenvalues) do
    if math.abs(e.re) <= margin and not (e.exact and math.abs(e.re) > KNOWN*math.max(e.uncertainty, e.first_order)) then return nil end
    stable = stable and e.re < 0
  end
  for _, changes in ipairs{ changes_to_steady(result, w, o.t, x, kept, along) or NONE, changes_by_parameters(result, system, o, x, kept) or NONE } do
    for k, e in ipairs(result.eigenvalues) do
      if math.abs(e.re) <= margin and not (math.abs(e.re) > KNOWN*(changes[k] or math.huge)) then return nil end
    end
  end
  return stable and "asymptotically stable" or "unstable"
end

-- Stable as one of a family of states of rest, or of steady motions; nil: the first approximation does not tell. flat: the Jacobian at x
local function family_verdict(result, E, ignorable, kept, x, flat)
  local margin, resting = CLEAR*size_of(result.eigenvalues), is_at_rest(E, x)
  local dimension = resting and rest_family.dimension(E, ignorable)
  local verdict = dimension and rest_family.verdict(result.eigenvalues, dimension, margin, true)
  if verdict then return verdict end
  dimension = rest_family.steady_dimension(E, ignorable, kept, x, flat)
  return dimension and rest_family.verdict(result.eigenvalues, dimension, margin, false) or nil
end

-- ---- steady but for turning

-- The steady motion on which x lies: { flat (the Jacobian beside the motion), columns (of the symmetries), names (states that turn) }; raises where there
-- is none
local function steady_motion(flow, x, flat, rows, tolerance)
  if steadiness.holds(flow.E, flow.observer, flow.w, flow.t, x, flow.kept, flat, rows, tolerance) then
    return { flat = flat, columns = {}, names = {} }
  end
  local turning = symmetry.turning(flow, x)
  if #turning.fields > 0 then
    local beside = { rate = flow:whole(symmetry.rates_beside(flow, x, turning)), flat = symmetry.jacobian_beside(flow, x, turning, flat),
      noise = symmetry.noise(flow, x, turning) }
    if steadiness.holds(flow.E, flow.observer, flow.w, flow.t, x, flow.kept, flat, rows, tolerance, beside) then
      return { flat = beside.flat, columns = turning.columns, names = symmetry.turning_names(flow, x, turning) }
    end
  end
  steadiness.refuse(flow.E, flow.w, flow.t, x, flow.kept, flow.names, symmetry.is_for(flow.E, flow.system),
    #tangent.timed(tangent.expressions(flow.E, tangent.ignorable_coordinates(flow.E))) > 0)
end

-- The result in chosen states; the verdict is on all motions
local function in_states(result, chosen)
  local whole = result.eigenvalues
  result.names, result.A, result.B, result.basis = chosen.names, chosen.A, chosen.B, tangent.unit_vectors(#chosen.names)
  result.eigenvalues, result.vectors = spectrum(chosen.A, result.basis, #chosen.names, { 0, {}, {} })
  -- no eigenvalue is known better than the one of all motions that it is
  for _, e in ipairs(result.eigenvalues) do
    local nearest, least
    for _, other in ipairs(whole) do
      local distance = math.abs(e.re - other.re) + math.abs(e.im - other.im)
      if not least or distance < least then nearest, least = other, distance end
    end
    e.uncertainty = math.max(e.uncertainty, nearest.uncertainty)
  end
  result.largest = largest_of(result.eigenvalues)
  result._all = true
end

--- Computes the first approximation d(delta x)/dt = A delta x about an equilibrium or a steady motion, with exact derivatives.
---   S:linearize{ q =, v =, t =, form =, ... }      options of S:accelerations
---   S:linearize(S:equilibrium{ ... })              or a result of S:steady
---
--- State: without v all velocities are zero, where the constraints allow it. Coordinates on which nothing else depends are left out, q need not have them
--- (they may run on: a steady motion). Constraints are taken into account: without a form given, "lagrange" for holonomic systems, "maggi" (dependent
--- velocities eliminated) for others where it applies, else "lagrange". A motion may be steady but for turns and shifts that map motions to motions, as of
--- a spinning top or a disc that rolls on a circle (see S:steady): then `turning` names the states that turn, A is for the deviations from the turning
--- motion, in axes that turn as little as possible, and deviations along the symmetries are left out.
---
--- Result:
---   names         of the kept states
---   A             rows by tangent directions
---   basis         these directions in the kept states
---   eigenvalues   list of { re, im, uncertainty }; uncertainty: an estimate of the errors by rounding of the inertia, the matrix and the iteration
---   vectors       by eigenvalue, list of { re, im } in the kept states
---   ignorable     names of the coordinates that are left out
---   B             rows by tangent directions of what a unit of each of `inputs` (see S:input) adds
---   largest       the largest real part
---   verdict       see below
---
--- Verdicts: "asymptotically stable"; "unstable"; "stable: ..." where the energy is constant and has a strict minimum at rest (theorem of Lagrange and
--- Dirichlet), or where the state is one of a family of states of rest, as of systems with rolling, in which motions beside it come to rest, or of steady
--- motions, to which they tend (theorem of Lyapunov and Malkin: as many eigenvalues are zero as the family has dimensions); "not decided by the first
--- approximation"; where the equations depend on time and are frozen at t, "no verdict ...".
---
--- states = { "lean", "lean'", x.dot - y.dot } gives A, B, eigenvalues and vectors in the states named, as many as there are or fewer, if their rates depend
--- on them alone; the verdict is on all motions.
---
--- symbolic = true: values of q and v may be expressions, coordinates not given stay symbols, velocities not given are zero. Result:
---   M, D, G, K, N   inertia; damping and gyroscopic, stiffness and circulatory forces on the left side; without constraints
---   polynomial      coefficients of the characteristic polynomial divided by the roots at zero, the constant one first
---   zero_roots      how many roots are zero
---   hurwitz         what is positive exactly where the other roots have negative real parts, or, with even = true, where they are imaginary and simple
---   steady_if       what must vanish, with the constraints that v keeps for some values of the symbols only
---
--- Raises an error where the state is not steady (one that differs from a steady state by rounding is, in any units, and velocities that are rounding count
--- as zero), where v violates a constraint, where a constraint turns with time, and where the equations are not smooth at the state.
function System:linearize(given)
  local found = object.is_a(given, "Steady") and given.v or object.is_a(given, "Equilibrium") and velocities_at_rest(self)
  if found then given = { q = given.q, v = found, t = given.t, parameters = rawget(given, "parameters") } end
  local positions = given and type(given) == "table" and rawget(given, "q")
  if object.is_a(positions, "Equilibrium") or object.is_a(positions, "Steady") then
    fail("linearize: q holds positions by name, and this is a result as a whole: S:linearize(result), or q = result.q")
  end
  local form = given and type(given) == "table" and not getmetatable(given) and given.form
  local o = options.check("linearize", schema, given, self)
  if o.symbolic and o.states then fail("linearize: states goes with numbers; leave it out, or symbolic = true") end
  if o.symbolic then return characteristic.new(self, symbolic_equations(self, form), o) end
  local prepare_form = form and prepared or function(...) return in_default_form(prepared, ...) end
  local E, w, x, observer, model = prepare_form(self, o)
  w:set_state(o.t, x)
  local ignorable = tangent.ignorable_coordinates(E)
  local kept, names = tangent.kept(E, ignorable)
  demand_standing(E)
  local states = table.move(E.dyn, 1, #E.dyn, #E.kin + 1, table.move(E.kin, 1, #E.kin, 1, {}))
  local expressions = tangent.expressions(E, ignorable)
  corners.demand_smooth(expressions, states, observer, w, o.t, x, "linearize")
  w:set_state(o.t, x)
  local size, flat = #x, corners.jacobian(expressions, observer, w, o.t, x, "linearize")
  local rest = not o.tolerance and without_rounding(E, w, o.t, x, kept, flat)
  if rest then
    x = rest
    w:set_state(o.t, x)
    flat = corners.jacobian(expressions, observer, w, o.t, x, "linearize")
  end
  local rows = tangent.constraint_rows(E, observer, w, o.t, x, kept)
  local flow = tangent.over_kept{ system = self, E = E, model = model, w = w, t = o.t, observer = observer, kept = kept, names = names,
    corners = pieces.of(tangent.expressions(E, {})) }
  local motion = steady_motion(flow, x, flat, rows, o.tolerance)
  if o.states and #motion.names > 0 then
    fail("linearize: states is for motions whose kept states rest; here %s turn along: leave states out", table.concat(motion.names, ", "))
  end
  flat = motion.flat
  local basis = tangent.basis(rows, #kept)
  if #motion.columns > 0 then basis = tangent.beside(basis, motion.columns) end
  -- A in the tangent directions: the constraints are kept by the motion, so that these directions are mapped on themselves
  local A = {}
  for a, u in ipairs(basis) do
    A[a] = {}
    for b, v in ipairs(basis) do
      local sum = 0.0
      for i, row in ipairs(kept) do
        if u[i] ~= 0 then for j, column in ipairs(kept) do sum = sum + u[i]*flat[(row - 1)*size + column]*v[j] end end
      end
      A[a][b] = sum
    end
  end
  local result = { names = names, A = A, basis = basis, ignorable = {}, turning = motion.names, _title = self.name, _form = o.form }
  if #self._inputs > 0 then
    result.B, result.inputs = input_matrix(self, o, E, w, x, kept, basis), table.move(self._inputs, 1, #self._inputs, 1, {})
  end
  result.eigenvalues, result.vectors = spectrum(A, basis, #kept, errors_of(E, observer, w, o.t, x, kept, basis, flat, size, A))
  local along = exact_directions.of(E, observer, kept)
  if #motion.columns == 0 then refine(result, w, o.t, x, kept, along) end
  for j, q in ipairs(E.kin) do if ignorable[j] then table.insert(result.ignorable, core.text(q)) end end
  result.largest = largest_of(result.eigenvalues)
  local driven = #tangent.timed(tangent.expressions(E, ignorable)) > 0
  result.verdict = driven and ("no verdict: the equations depend on time, and are frozen at t = %.10g; S:periodic gives Floquet multipliers"):format(o.t)
    or verdict_of(result, self, o, w, x, kept, along)
    or #motion.columns == 0 and family_verdict(result, E, ignorable, kept, x, flat)
    or minimum_of_energy(self, o, E, observer, w, x, ignorable) and "stable: the energy has a strict minimum (Lagrange and Dirichlet)"
    or "not decided by the first approximation"
  if o.states then in_states(result, chosen_states.matrices(o.states, E, observer, w, o.t, x, kept, result)) end
  return setmetatable(result, Linearization.meta)
end

local function title_of(self) return ("%s, %s: first approximation in %s"):format(self._title, self._form, table.concat(self.names, ", ")) end

-- Parts within the error of the eigenvalue are 0 where these digits are shown: a part of an imaginary one is no growth
local function eigenvalue_text(e, size)
  local modulus, zero = math.max(math.abs(e.re), math.abs(e.im)), nothing_of(e, size)
  local known = modulus <= zero and "" or not (e.uncertainty < modulus) and "   (not determined: not known to one digit)"
    or e.uncertainty > SHOWN*modulus and ("   (known to %.1g)"):format(e.uncertainty) or ""
  if known ~= "" and e.uncertainty < modulus then zero = math.max(zero, e.uncertainty) end
  local re = math.abs(e.re) > zero and e.re or 0
  local digits = known ~= "" and math.max(1, math.min(9, math.floor(math.log(modulus/e.uncertainty, 10)) + 1)) or 9
  local number = ("%%.%dg"):format(digits)
  if math.abs(e.im) <= zero then return number:format(re) .. known end
  return (number .. " %s " .. number .. " i"):format(re, e.im < 0 and "-" or "+", math.abs(e.im)) .. known
end

local function eigenvalue_texts(self)
  local size, texts = size_of(self.eigenvalues), {}
  for i, e in ipairs(self.eigenvalues) do texts[i] = eigenvalue_text(e, size) end
  return texts
end

-- What was left out, and the verdict
local function notes_of(self)
  local notes = {}
  if #self.ignorable > 0 then notes[1] = "left out, since nothing depends on them: " .. table.concat(self.ignorable, ", ") end
  if #self.turning > 0 then notes[#notes + 1] = "beside the steady motion, in which these turn: " .. table.concat(self.turning, ", ") end
  for _, e in ipairs(self.eigenvalues) do
    local modulus = math.max(math.abs(e.re), math.abs(e.im))
    if modulus > nothing_of(e, size_of(self.eigenvalues)) and e.uncertainty > SHOWN*modulus then
      notes[#notes + 1] = "rounding leaves the eigenvalues marked with fewer digits: where masses or stiffnesses of very different size are the cause, "
        .. "replace the fast motions by constraints"
      break
    end
  end
  notes[#notes + 1] = (rawget(self, "_all") and "all motions: " or "") .. self.verdict
  return notes
end

function Linearization.meta.__tostring(self)
  local out = { title_of(self) }
  for _, text in ipairs(eigenvalue_texts(self)) do out[#out + 1] = "  " .. text end
  for _, note in ipairs(notes_of(self)) do out[#out + 1] = "  " .. note end
  return table.concat(out, "\n")
end

function Linearization.meta.__blocks(self)
  local rows = {}
  for i, text in ipairs(eigenvalue_texts(self)) do rows[i] = { ("%d"):format(i), text } end
  return { title = title_of(self), head = { "", "eigenvalue" }, rows = rows, notes = notes_of(self) }
end

options.declare("linearize", schema)

return Linearization
