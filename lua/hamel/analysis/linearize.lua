-- linearize.lua: S:linearize: the first approximation about an equilibrium or a steady motion, with constraints; eigenvalues and stability.
local characteristic = require "hamel.analysis.characteristic"
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local corners = require "hamel.analysis.corners"
local dirichlet = require "hamel.analysis.dirichlet"
local in_default_form = require "hamel.analysis.default_form"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local preparation = require "hamel.run.preparation"
local System = require "hamel.system"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail
local Linearization = object.class "Linearization"

local schema = setmetatable({
  symbolic = { default = false, type = "boolean", doc = "true: matrices, characteristic polynomial and conditions of stability in symbols" },
  tolerance = { default = 1e-8, above = 0, type = "number", doc = "rates up to this count as zero: the state is steady" },
}, { __index = preparation.schema })
for name, row in pairs(preparation.schema) do schema[name] = row end

local function demand_steady(rate, kept, names, x, tolerance)
  local size = 1
  for _, place in ipairs(kept) do size = math.max(size, math.abs(x[place])) end
  for i, place in ipairs(kept) do
    if not (math.abs(rate[place]) <= tolerance*size) then
      fail("linearize: the state is not steady: the rate of %s is %.6g; S:equilibrium{...} finds a state at rest, S:steady{...} a steady motion near a guess",
        names[i], rate[place])
    end
  end
end

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

local function prepared(system, o)
  local E, _, w, x, observer = preparation.prepare(system, o, o.t)
  return E, w, x, observer
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

--- Computes the first approximation d(delta x)/dt = A delta x about an equilibrium or a steady motion: S:linearize{ q =, v =, t =, form =, ... },
--- with the options of S:accelerations. Derivatives are exact.
--- Coordinates on which nothing depends are ignored, so they may grow in a steady motion. Constraints are respected. Without a form given, the
--- form is S:default_form(), or "lagrange" where that form does not apply.
--- Result: names (of the kept states), A (rows by tangent directions), basis (these directions in the kept states), eigenvalues (list of
--- { re, im }), vectors (by eigenvalue, lists of { re, im } in the kept states), ignorable (names), B (rows by tangent directions, the effect of a
--- unit of each of `inputs`, see S:input), largest (real part), verdict.
--- The verdict is "asymptotically stable", "unstable", "stable: ..." if the energy is constant and has a strict minimum at rest (theorem of Lagrange
--- and Dirichlet), or "not decided by the first approximation". If the equations depend on time they are frozen at t, and it is "no verdict ...".
--- symbolic = true: values of q and v may be expressions. Missing coordinates remain symbols, missing velocities are zero. Result: M, D, G, K, N
--- (inertia; damping and gyroscopic, stiffness and circulatory forces on the left side; without constraints), polynomial (coefficients of the
--- characteristic polynomial divided by its roots at zero, the constant one first), zero_roots, hurwitz and steady_if.
--- hurwitz lists expressions that are all positive exactly if the other roots have negative real parts; with even = true, if these are imaginary
--- and simple. steady_if lists expressions that must vanish for a steady motion.
--- Raises an error if a rate is not zero, if a constraint turns with time, and if the equations are not smooth at the state.
function System:linearize(given)
  local form = given and type(given) == "table" and given.form
  local o = options.check("linearize", schema, given)
  if o.symbolic then return characteristic.new(self, symbolic_equations(self, form), o) end
  local prepare_form = form and prepared or function(...) return in_default_form(prepared, ...) end
  local E, w, x, observer = prepare_form(self, o)
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
  if #self._inputs > 0 then
    result.B, result.inputs = input_matrix(self, o, E, w, x, kept, basis), table.move(self._inputs, 1, #self._inputs, 1, {})
  end
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
    or minimum_of_energy(self, o, E, observer, w, x, ignorable) and "stable: the energy has a strict minimum (Lagrange and Dirichlet)"
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

options.declare("linearize", schema)

return Linearization
