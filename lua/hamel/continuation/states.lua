-- states.lua: the points of a curve of motions: kept states and a parameter under constraints, in units in which all are of the size 1.
local attitude = require "hamel.bodies.attitude"
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local idle = require "hamel.analysis.idle"
local motion_units = require "hamel.analysis.motion_units"
local object = require "hamel.base.object"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local states = {}

-- ---- directions along constraints

local function copied(list) return table.move(list, 1, #list, 1, {}) end

local function unit(d, others, least)
  local length = tangent.orthogonal(d, others)
  if not (length > least) then return nil end
  for i = 1, #d do d[i] = d[i]/length end
  return d
end

local function normals_of(rows)
  local normals = {}
  for _, row in ipairs(rows) do
    normals[#normals + 1] = unit(copied(row), normals, 1e-10*math.sqrt(tangent.dot(row, row)))
  end
  return normals
end

--- Orthonormal directions that the rows annihilate in n entries. before: those at a point near by, whose order and orientation they keep.
function states.directions(rows, n, before)
  if not before then return tangent.basis(rows, n) end
  local all, list = normals_of(rows), {}
  if #before ~= n - #all then return tangent.basis(rows, n) end
  for _, d in ipairs(before) do
    local u = unit(copied(d), all, 0.1)
    if not u then return tangent.basis(rows, n) end
    all[#all + 1], list[#list + 1] = u, u
  end
  return list
end

--- A direction of length 1; a zero one stays.
function states.unit(d)
  local length, out = math.sqrt(tangent.dot(d, d)), {}
  for i, value in ipairs(d) do out[i] = length > 0 and value/length or value end
  return out
end

--- The i-th unit direction of n.
function states.axis(i, n)
  local e = {}
  for k = 1, n do e[k] = k == i and 1.0 or 0.0 end
  return e
end

-- ---- points

--- Points over the kept states of a flow (see variations.flow), `extra` entries behind them.
function states.new(flow, extra)
  local space = { flow = flow, kept = flow.kept, n = #flow.kept + extra, scale = {} }
  for i, place in ipairs(flow.kept) do space.scale[i] = math.max(1, math.abs(flow.x[place])) end
  for i = 1, extra do space.scale[#flow.kept + i] = 1 end
  --- The state of the model at a point.
  function space.state(y)
    local x = copied(flow.x)
    for i, place in ipairs(flow.kept) do x[place] = y[i] end
    return x
  end
  --- The point at a state of the model, with what stands behind.
  function space.point(x, behind)
    local y = {}
    for i, place in ipairs(flow.kept) do y[i] = x[place] end
    return table.move(behind or {}, 1, extra, #y + 1, y)
  end
  --- Rows of the constraints at a point, for directions.
  function space.constraints(y)
    local rows = tangent.constraint_rows(flow.E, flow.observer, flow.w, flow.t, space.state(y), flow.kept)
    for _, row in ipairs(rows) do
      for i in ipairs(flow.kept) do row[i] = row[i]*space.scale[i] end
      for i = #flow.kept + 1, space.n do row[i] = 0.0 end
    end
    return rows
  end
  --- y changed by a direction, back on the constraints.
  function space.moved(y, d)
    local next_y = {}
    for i = 1, space.n do next_y[i] = y[i] + space.scale[i]*d[i] end
    if #flow.E.positions + #flow.E.velocities == 0 then return next_y end
    local x = motion_units.projected(flow, flow.t, space.state(next_y), math.min(math.huge, table.unpack(space.scale, 1, #flow.kept)))
    return space.point(x, table.move(next_y, #flow.kept + 1, space.n, 1, {}))
  end
  --- The direction from one point to another.
  function space.difference(to, from)
    local d = {}
    for i = 1, space.n do d[i] = (to[i] - from[i])/space.scale[i] end
    return d
  end
  --- A direction as one over all states of the model.
  function space.whole(d)
    local list = {}
    for i in ipairs(flow.kept) do list[i] = d[i]*space.scale[i] end
    return flow:whole(list)
  end
  --- A list over all states of the model as a direction.
  function space.part(list)
    local d = {}
    for i, place in ipairs(flow.kept) do d[i] = list[place]/space.scale[i] end
    for i = #flow.kept + 1, space.n do d[i] = 0.0 end
    return d
  end
  --- Derivatives by all states of the model as those along the unit directions.
  function space.gradient(list)
    local g = {}
    for i, place in ipairs(flow.kept) do g[i] = list[place]*space.scale[i] end
    for i = #flow.kept + 1, space.n do g[i] = 0.0 end
    return g
  end
  return space
end

--- Symbols of the parameters that change.
function states.parameters(system, names)
  local list = {}
  for i, name in ipairs(names) do
    list[i] = system._parameter[name] or fail("continue: '%s' is neither a parameter nor an integral of %s%s", tostring(name), system.name,
      object.hint(tostring(name), system.parameter_names))
  end
  return list
end

-- The place of a parameter among the kept states
local function place_of(flow, name)
  for i, place in ipairs(flow.kept) do if flow.E.held and core.text(flow.E.kin[place] or 0) == name then return i end end
  fail("continue: nothing depends on '%s': the motions do not change with it%s", name,
    idle.read_by(flow.system, { "energy" })[name] and ", only the energy and momenta contain it" or "")
end

--- Places of the parameters, by names, and functions of the point that return each with its gradient.
function states.watched(space, names)
  local places, observed = {}, {}
  for k, name in ipairs(names) do
    local i = place_of(space.flow, name)
    places[k], space.scale[i] = i, 1
    -- curves choose another scale, see curves.lua
    observed[k] = function(y)
      local gradient = states.axis(i, space.n)
      gradient[i] = space.scale[i]
      return y[i], gradient
    end
  end
  return places, observed
end

--- Values of the parameters at a point, of all that have one: what the system declares may be another value where the point is read.
function states.parameters_at(problem, names, guess)
  local system, fixed = problem.flow.system, {}
  for _, name in ipairs(system.parameter_names) do fixed[name] = compile.parameter_value(system, name, guess.parameters) end
  return function(y)
    local values = object.copied(fixed)
    for k, name in ipairs(names) do values[name] = y[problem.places[k]] end
    return values
  end
end

--- Coordinates and velocities by name at a state of a flow: { q, v, t }.
function states.named(flow, x, t, parameters)
  local q, v, velocities = {}, {}, flow.observer:velocities(flow.w, t, x)
  for i, name in ipairs(flow.system.coordinate_names) do q[name], v[name] = x[i], velocities[i] end
  return { q = q, v = attitude.velocities(flow.system, v, q, t, parameters), t = t }
end

--- What all records of points have: q, v, t, parameters, form.
function states.record(space, y, t, parameters)
  local record = states.named(space.flow, space.state(y), t, parameters)
  record.parameters, record.form = parameters, space.flow.E.form
  return record
end

-- The value of an expression along a flow and its gradient, as a direction, as a function of the point
local function valued(space, e)
  local flow = space.flow
  local symbols = table.move(flow.E.dyn, 1, #flow.E.dyn, #flow.E.kin + 1, copied(flow.E.kin))
  local list = { e }
  local program = flow.observer:program{ flow.observer:translate(e) }
  if program.needs_dynamics then fail("continue: '%s' contains accelerations or reactions", core.text(e)) end
  table.move(core.gradient(flow.observer:translate(e), symbols), 1, #symbols, 2, list)
  program = flow.observer:program(list)
  return function(y)
    local values = flow.observer:evaluate(program, flow.w, flow.t, space.state(y))
    return values[1], space.gradient(table.move(values, 2, #values, 1, {}))
  end
end

--- A function of the states (name or expression of a user) along a flow: value and gradient, as a direction, at a point.
function states.observed(space, what) return valued(space, space.flow.observer:expression(what)) end

--- The same of a part of the equations, which is made of the states of their form: of velocities of its own, where constraints or the form replace those of
--- the coordinates.
function states.part(space, e) return valued(space, e) end

--- The text of a part of the equations in what a user has declared: their own velocities or momenta as what they are of the velocities.
function states.text(E, e) return core.text(E.from_velocities and core.substitute(e, E.dyn, E.from_velocities) or e) end

-- ---- eigenvalues

--- The absolute value of { re, im }.
function states.modulus(a) return math.sqrt(a.re*a.re + a.im*a.im) end

local CLEAR, BORDER = 1e-5, 1e-7

--- A function of lists of eigenvalues: how many of them have f(e) > 0, or > a margin where one of the first list is on the border, or all of a
--- symmetric spectrum come to it; how many have it within the margin; and for how many f is 0, since errors hide it or since it always is.
function states.counted(first, f, symmetric)
  local margin = symmetric and BORDER or 0
  for _, e in ipairs(first) do if math.abs(f(e)) < CLEAR then margin = BORDER end end
  return function(list)
    local count, within, hidden = 0, 0, 0
    for _, e in ipairs(list) do
      local value = f(e)
      if value > margin then count = count + 1 elseif value > 0 then within = within + 1 elseif value == 0 then hidden = hidden + 1 end
    end
    return count, within, hidden
  end
end

--- How many eigenvalues of a list have f(e) clearly above 0, and which of them has the least; nil where one is neither on the border nor clear of it.
function states.beyond(list, f)
  local count, nearest = 0, nil
  for _, e in ipairs(list) do
    local value = f(e)
    if value > CLEAR then
      count = count + 1
      if not nearest or value < f(nearest) then nearest = e end
    elseif value > BORDER then
      return nil
    end
  end
  return count, nearest
end

--- The eigenvalue of a list for which |f| is least.
function states.nearest(list, f)
  local best
  for _, e in ipairs(list) do if not best or math.abs(f(e)) < math.abs(f(best)) then best = e end end
  return best
end

--- A list of eigenvalues without the one for which |f| is least.
function states.without_nearest(list, f)
  local nearest, rest = states.nearest(list, f), {}
  for _, e in ipairs(list) do if e ~= nearest then rest[#rest + 1] = e end end
  return rest
end

local MARGIN, ROUNDING = 1e-6, 2^-52

--- From Floquet's multipliers: true, false, or nil where the first approximation, or what is known of them, does not decide. Where there are none, true: as
--- many integrals and symmetries as there are directions across the motion make all motions nearby periodic, and each stays on a closed curve beside it.
function states.is_stable(multipliers)
  local stable = true
  for _, m in ipairs(multipliers) do
    local size, margin = states.modulus(m), math.max(MARGIN, m.uncertainty or 0)
    if size - margin > 1 or size == math.huge then return false end
    if not (size + margin < 1) then stable = nil end
  end
  return stable
end

--- Eigenvalues { re, im, uncertainty (by the rounding of the entries and of the iteration) } of a matrix given by rows. errors: of the entries besides, see
--- core.eigen.
function states.known_eigenvalues(rows, errors)
  local flat, list = {}, {}
  for _, row in ipairs(rows) do table.move(row, 1, #row, #flat + 1, flat) end
  local values, _, uncertainty = core.eigen(#rows, flat, table.unpack(errors or { 0, {}, {} }))
  for k = 1, #rows do list[k] = { re = values[2*k - 1], im = values[2*k], uncertainty = uncertainty[k] } end
  return list
end

-- By how much eigenvalues move at most where the entries of a matrix of n rows of the size `size` change by `error` (Elsner 1985)
local function farthest(n, size, error) return (2*n*size + n*error)^(1 - 1/n)*(n*error)^(1/n) end

--- The same of a matrix whose entries are known to `error`; nil: exactly but for rounding. noise: what the errors are made of, see core.eigen; nil: each entry
--- has its own.
function states.bounded_eigenvalues(rows, error, noise)
  local n, flat, list, size, left, right = #rows, {}, {}, 0, {}, {}
  for _, row in ipairs(rows) do table.move(row, 1, n, #flat + 1, flat) end
  for _, value in ipairs(flat) do size = math.max(size, math.abs(value)) end
  for i = 1, error and not noise and n or 0 do
    for k = 1, n do left[#left + 1], right[#right + 1] = i == k and 1.0 or 0.0, error/ROUNDING end
  end
  noise = noise or { error and n or 0, left, right }
  local values, _, uncertainty = core.eigen(n, flat, table.unpack(noise))
  for k = 1, n do
    -- beside a multiple eigenvalue the estimate of first order has no bound
    local most = error and farthest(n, size, error) or math.huge
    list[k] = { re = values[2*k - 1], im = values[2*k], uncertainty = size > 0 and math.min(uncertainty[k], most) or error and most or uncertainty[k] }
  end
  return list
end

--- Eigenvalues { re, im } of a matrix given by rows.
function states.eigenvalues(rows)
  local list = states.known_eigenvalues(rows)
  for _, e in ipairs(list) do e.uncertainty = nil end
  return list
end

-- The product of complex numbers, which is real
local function product(list)
  local re, im = 1, 0
  for _, value in ipairs(list) do re, im = re*value.re - im*value.im, re*value.im + im*value.re end
  return re
end

-- f(a, b) of all pairs of eigenvalues, the smallest first
local function of_pairs(list, f)
  local all = {}
  for i, a in ipairs(list) do
    for j = 1, i - 1 do
      local value = f(a, list[j])
      value.modulus = states.modulus(value)
      all[#all + 1] = value
    end
  end
  table.sort(all, function(one, other) return one.modulus < other.modulus end)
  return all
end

--- The product of f(a, b) over all pairs of eigenvalues but the `without` (nil: 0) with the least values; see states.product.
function states.pairs_product(list, f, without)
  local all = of_pairs(list, f)
  return product(table.move(all, 1 + (without or 0), #all, 1, {}))
end

local VANISHED = 1e-8

--- How many pairs of eigenvalues have f(a, b) = 0, beside one. Where pairs stay on the border along a whole curve, as those of undamped motions beside
--- damped ones, the product over all pairs says nothing of the one that passes.
function states.further_pairs(list, f, size)
  local count = 0
  for _, value in ipairs(of_pairs(list, f)) do if value.modulus <= VANISHED*size then count = count + 1 end end
  return math.max(0, count - 1)
end

--- The product of f(a), a complex number { re, im }, over all eigenvalues, which is real for f with real coefficients.
function states.product(list, f)
  local all = {}
  for i, a in ipairs(list) do all[i] = f(a) end
  return product(all)
end

return states
