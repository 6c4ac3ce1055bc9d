-- linearize.lua: S:linearize: the first approximation about an equilibrium or a steady motion, with constraints; eigenvalues and stability.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local corners = require "hamel.analysis.corners"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local preparation = require "hamel.run.preparation"
local System = require "hamel.system"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local Linearization = object.class "Linearization"

local schema = setmetatable({
  tolerance = { default = 1e-8, above = 0, type = "number", doc = "rates up to this count as zero: the state is steady" },
}, { __index = preparation.schema })
for name, row in pairs(preparation.schema) do schema[name] = row end

local function demand_steady(rate, kept, names, x, tolerance)
  local size = 1
  for _, place in ipairs(kept) do size = math.max(size, math.abs(x[place])) end
  for i, place in ipairs(kept) do
    if not (math.abs(rate[place]) <= tolerance*size) then
      fail("linearize: the state is not steady: the rate of %s is %.6g; S:equilibrium{...} finds a state at rest near a guess", names[i], rate[place])
    end
  end
end

-- The directions a constraint leaves free turn with time: they are not mapped on themselves
local function demand_standing(E)
  for _, part in ipairs{ E.positions, E.velocities } do
    for _, c in ipairs(part) do
      if #tangent.timed(c.row) > 0 then
        fail("linearize: the constraint '%s' turns with time, so that no first approximation stands still; take coordinates in which it does not, "
          .. "or S:variations", c.name)
      end
    end
  end
end

-- In Maggi's form where a constraint is nonholonomic and that form applies at the state, else in Lagrange's
local function prepare_in_a_form(system, o)
  local nonholonomic = false
  for _, c in ipairs(system.constraints) do nonholonomic = nonholonomic or not c.holonomic end
  if nonholonomic then
    o.form = "maggi"
    local fine, E, _, w, x, observer = pcall(preparation.prepare, system, o, o.t)
    if fine then return E, w, x, observer end
  end
  o.form = "lagrange"
  local E, _, w, x, observer = preparation.prepare(system, o, o.t)
  return E, w, x, observer
end

--- The first approximation d(delta x)/dt = A delta x about an equilibrium or a steady motion: S:linearize{ q =, v =, t =, form =, ... } with the
--- options of S:accelerations. Coordinates on which nothing else depends are left out (they may run on: a steady motion), constraints are
--- taken into account: without a form given, "lagrange" for holonomic systems, "maggi" (dependent velocities eliminated) for others where it
--- applies, else "lagrange". Exact
--- derivatives. Returns { names (of the kept states), A = rows by tangent directions, basis = these directions in the kept states,
--- eigenvalues = list of { re, im }, vectors = by eigenvalue list of { re, im } in the kept states, ignorable = names, largest = largest real
--- part, verdict = "asymptotically stable", "unstable", "not decided by the first approximation" or, where the equations depend on time and are
--- frozen at t, "no verdict ..." }. Raises where a rate is not zero, where a constraint turns with time, and where the
--- equations are not smooth at the state.
function System:linearize(given)
  local form = given and type(given) == "table" and given.form
  local o = options.check("linearize", schema, given)
  local E, w, x, observer
  local _
  if form then E, _, w, x, observer = preparation.prepare(self, o, o.t)
  else E, w, x, observer = prepare_in_a_form(self, o) end
  w:set_state(o.t, x)
  local ignorable = tangent.ignorable_coordinates(E)
  local kept, names = tangent.kept(E, ignorable)
  demand_steady(w:rate(), kept, names, x, o.tolerance)
  demand_standing(E)
  local states = table.move(E.dyn, 1, #E.dyn, #E.kin + 1, table.move(E.kin, 1, #E.kin, 1, {}))
  local expressions = tangent.expressions(E, ignorable)
  corners.demand_smooth(expressions, states, observer, w, o.t, x, "linearize")
  w:set_state(o.t, x)
  local size, flat = #x, corners.jacobian(expressions, observer, w, o.t, x, "linearize")
  local basis = tangent.basis(tangent.constraint_rows(E, observer, w, o.t, x, kept), #kept)
  -- A in the tangent directions: the constraints are kept by the motion, so that these directions are mapped on themselves
  local A, list = {}, {}
  for a, u in ipairs(basis) do
    A[a] = {}
    for b, v in ipairs(basis) do
      local sum = 0.0
      for i, row in ipairs(kept) do
        if u[i] ~= 0 then for j, column in ipairs(kept) do sum = sum + u[i]*flat[(row - 1)*size + column]*v[j] end end
      end
      A[a][b] = sum
      list[#list + 1] = sum
    end
  end
  local values, vectors = core.eigen(#basis, list)
  local result = { names = names, A = A, basis = basis, eigenvalues = {}, vectors = {}, ignorable = {}, _title = self.name, _form = o.form }
  for k = 1, #basis do
    result.eigenvalues[k] = { re = values[2*k - 1], im = values[2*k] }
    local vector = {}
    for i = 1, #kept do
      local re, im = 0.0, 0.0
      for a, u in ipairs(basis) do
        local place = 2*((k - 1)*#basis + a)
        re, im = re + u[i]*vectors[place - 1], im + u[i]*vectors[place]
      end
      vector[i] = { re = re, im = im }
    end
    result.vectors[k] = vector
  end
  for j, q in ipairs(E.kin) do if ignorable[j] then table.insert(result.ignorable, core.text(q)) end end
  result.largest = #basis > 0 and result.eigenvalues[1].re or -math.huge
  local scale = 0
  for _, e in ipairs(result.eigenvalues) do scale = math.max(scale, math.abs(e.re), math.abs(e.im)) end
  -- a multiple eigenvalue is exact to the root of the rounding only
  local margin = 1e-7*scale
  local driven = #tangent.timed(tangent.expressions(E, ignorable)) > 0
  result.verdict = driven and ("no verdict: the equations depend on time, and are frozen at t = %.10g; S:periodic gives Floquet multipliers"):format(o.t)
    or result.largest > margin and "unstable" or result.largest < -margin and "asymptotically stable"
    or "not decided by the first approximation"
  return setmetatable(result, Linearization.meta)
end

function Linearization.meta.__tostring(self)
  local out = { ("%s, %s: first approximation in %s"):format(self._title, self._form, table.concat(self.names, ", ")) }
  for _, e in ipairs(self.eigenvalues) do
    out[#out + 1] = e.im == 0 and ("  %.9g"):format(e.re) or ("  %.9g %s %.9g i"):format(e.re, e.im < 0 and "-" or "+", math.abs(e.im))
  end
  if #self.ignorable > 0 then out[#out + 1] = "  left out, since nothing depends on them: " .. table.concat(self.ignorable, ", ") end
  out[#out + 1] = "  " .. self.verdict
  return table.concat(out, "\n")
end

-- ---- equilibria

local rest_schema = {
  q = { type = "table", doc = "a guess by coordinate" },
  t = { default = 0, type = "number", doc = "time at which moving constraints and forces are taken" },
  parameters = { type = "table", doc = "values by name in place of the declared ones" },
}

-- a x = b by elimination with row pivoting; nil where it is singular
local function solve(a, b)
  local n = #b
  for k = 1, n do
    local p = k
    for i = k + 1, n do if math.abs(a[i][k]) > math.abs(a[p][k]) then p = i end end
    if not (math.abs(a[p][k]) > 1e-14) then return nil end
    a[k], a[p], b[k], b[p] = a[p], a[k], b[p], b[k]
    for i = k + 1, n do
      local factor = a[i][k]/a[k][k]
      for j = k, n do a[i][j] = a[i][j] - factor*a[k][j] end
      b[i] = b[i] - factor*b[k]
    end
  end
  for i = n, 1, -1 do
    for j = i + 1, n do b[i] = b[i] - a[i][j]*b[j] end
    b[i] = b[i]/a[i][i]
  end
  return b
end

-- x of a x = b in the sense of least squares, for the columns from `first` on; nil where they depend on each other
local function least_squares(a, b, first, last)
  local normal, side = {}, {}
  for i = first, last do
    local row = {}
    for j = first, last do
      local sum = 0
      for k = 1, #b do sum = sum + a[k][i]*a[k][j] end
      row[j - first + 1] = sum
    end
    local sum = 0
    for k = 1, #b do sum = sum + a[k][i]*b[k] end
    normal[#normal + 1], side[#side + 1] = row, sum
  end
  return solve(normal, side)
end

local ITERATIONS = 100

--- A state of rest near a guess: S:equilibrium{ q = {phi = 0.1} } solves r + A^T lambda = 0 at zero velocities with the holonomic constraints
--- by Newton's method, steps halved where they do not help. Returns { q = by name, lambda = by holonomic constraint }. Raises where it does
--- not converge, or where the equilibria are not isolated near the guess (nonholonomic constraints let a system rest in a whole family).
function System:equilibrium(given)
  local o = options.check("equilibrium", rest_schema, given)
  if not o.q then fail("equilibrium: a guess is missing: S:equilibrium{ q = {%s = 0} }", self.coordinate_names[1] or "x") end
  if #self:external_forces() > 0 then fail("equilibrium: forces that are Lua functions have no derivatives here; give them as expressions") end
  local E = self:equations "lagrange"
  local q, v, lambda = E.kin, E.dyn, E.multipliers
  local unknowns, zeros, list = table.move(q, 1, #q, 1, {}), {}, {}
  for s = 1, #v do zeros[s] = 0 end
  local active, names = {}, {}
  for k, c in ipairs(self.constraints) do if c.holonomic then active[#active + 1], names[#names + 1] = k, c.name end end
  for _, k in ipairs(active) do unknowns[#unknowns + 1] = lambda[k] end
  for s = 1, #q do
    local terms = { core.substitute(E.r[s], v, zeros) }
    for _, k in ipairs(active) do terms[#terms + 1] = lambda[k]*core.substitute(E.A[k][s], v, zeros) end
    list[s] = core.sum(terms)
  end
  for _, p in ipairs(E.positions) do list[#list + 1] = p.f end
  local parameters, values = compile.parameter_values(self, o.parameters)
  local inputs = table.move(parameters, 1, #parameters, #unknowns + 1, table.move(unknowns, 1, #unknowns, 1, {}))
  inputs[#inputs + 1] = require "hamel.algebra.symbols".t
  local jacobian = {}
  for i, e in ipairs(list) do table.move(core.gradient(e, unknowns), 1, #unknowns, (i - 1)*#unknowns + 1, jacobian) end
  local f, J = core.program(inputs, list), core.program(inputs, jacobian)
  local x = {}
  o.q = self:by_name(o.q, "q")
  for i, name in ipairs(self.coordinate_names) do
    local value = o.q[name] ~= nil and core.number_value(o.q[name]) or 0.0
    if not value or value ~= value then fail("equilibrium: q.%s is not a number", name) end
    x[i] = value + 0.0
  end
  for name in pairs(o.q) do
    if not self._coordinate[name] then
      fail("equilibrium: '%s' is not a coordinate of %s%s", tostring(name), self.name, object.hint(tostring(name), self.coordinate_names))
    end
  end
  for i = #q + 1, #unknowns do x[i] = 0.0 end
  local function at(program, point)
    local input = table.move(point, 1, #point, 1, {})
    table.move(values, 1, #values, #input + 1, input)
    input[#input + 1] = o.t + 0.0
    return program:eval(input)
  end
  local function matrix(point)
    local flat, rows = at(J, point), {}
    for i = 1, #list do rows[i] = table.move(flat, (i - 1)*#unknowns + 1, i*#unknowns, 1, {}) end
    return rows
  end
  local residual = at(f, x)
  if #active > 0 then
    -- the multipliers that balance the guess best
    local side = {}
    for i = 1, #list do side[i] = -residual[i] end
    for i, value in ipairs(least_squares(matrix(x), side, #q + 1, #unknowns) or {}) do x[#q + i] = value end
    residual = at(f, x)
  end
  local size = math.sqrt(tangent.dot(residual, residual))
  for _ = 1, ITERATIONS do
    local side = {}
    for i = 1, #list do side[i] = -residual[i] end
    local step = solve(matrix(x), side)
    if not step then
      fail("equilibrium: the equations of rest are singular near %s = %.6g: no isolated equilibrium there; take another guess", self.coordinate_names[1], x[1])
    end
    local length, next_x, next_residual, next_size = 1
    repeat
      next_x = {}
      for i = 1, #x do next_x[i] = x[i] + length*step[i] end
      next_residual = at(f, next_x)
      next_size = math.sqrt(tangent.dot(next_residual, next_residual))
      length = length/2
    until next_size < size or next_size == 0 or length < 1e-6
    local moved = 0
    for i = 1, #x do moved = math.max(moved, math.abs(next_x[i] - x[i])/(1 + math.abs(x[i]))) end
    if next_size < size or next_size == 0 then x, residual, size = next_x, next_residual, next_size end
    if moved < 1e-13 or size == 0 then break end
  end
  local scale = 1
  for i = 1, #x do scale = math.max(scale, math.abs(x[i])) end
  if not (size < 1e-9*scale) then
    fail("equilibrium: Newton's method did not converge from this guess (residual %.2g); take another", size)
  end
  local result = { q = {}, lambda = {} }
  for i, name in ipairs(self.coordinate_names) do result.q[name] = x[i] end
  for i, name in ipairs(names) do result.lambda[name] = x[#q + i] end
  return result
end

options.declare("linearize", schema)
options.declare("equilibrium", rest_schema)

return Linearization
