-- redundant.lua: constraints that hold wherever the others do, along the whole motion: found at generic points of the constraints, left
-- out of the solve and named. Rows that lose their rank at one place of the motion are another matter: that place is singular.
local in_base = require "hamel.equations.base"
local base_form = require "hamel.forms.shared.base_form"
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local coupling = require "hamel.equations.coupling"
local Equations = require "hamel.equations"
local derivation = require "hamel.forms.shared.derivation"
local kinematics = require "hamel.equations.kinematics"
local linear = require "hamel.algebra.linear"
local motion = require "hamel.bodies.motion"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local System = require "hamel.system"
local protected = require "hamel.base.protected"

local redundant = {}

--- Names of those that the others imply near the state x of a workspace of `equations` with all constraints (nil: none), and the set of
--- names of those whose multipliers this leaves open.
--- Raises where the derivative of a constraint vanishes at x though it holds.
function redundant.near(equations, workspace, t, x)
  if #equations.A == 0 or #equations.multipliers == 0 then return nil end
  local _, marks, open = workspace:generic_rank(t, x)
  local names, of = {}, {}
  for k, name in ipairs(equations.names) do
    if marks[k] then names[#names + 1] = name end
    of[name] = open[k]
  end
  if #names > 0 then return names, of end
end

local function refuse(names, what, ...)
  object.fail("%s %s redundant, so that %s is not determined; drop %s", redundant.text(names), #names == 1 and "is" or "are", what:format(...),
    #names == 1 and "it" or "them")
end

--- "'a' and 'b'"
function redundant.text(names)
  local quoted = {}
  for i, name in ipairs(names) do quoted[i] = "'" .. name .. "'" end
  local last = table.remove(quoted)
  return #quoted > 0 and table.concat(quoted, ", ") .. " and " .. last or last
end

--- Refuses a start of equations that eliminate velocities, base: the Lagrange equations with a workspace and the state, where other
--- constraints are redundant than those they were derived without.
function redundant.demand(equations, base, workspace, t, x)
  local near, left_out = redundant.near(base, workspace, t, x) or {}, equations.redundant or {}
  if #near == #left_out then return end
  if equations.mu_of or #left_out == 0 then
    object.fail("the form '%s' needs independent constraints: %s hold%s wherever the others do; drop %s", equations.form, redundant.text(near),
      #near == 1 and "s" or "", #near == 1 and "it" or "them")
  end
  object.fail("%s hold%s wherever the other constraints do, but not near this start; take form = 'lagrange'", redundant.text(left_out),
    #left_out == 1 and "s" or "")
end

--- The note of a run about them.
function redundant.note(names)
  local one = #names == 1
  return ("%s hold%s wherever the other constraints do: redundant; the multipliers are those of least norm"):format(redundant.text(names), one and "s" or "")
end

--- Refuses laws that need a multiplier which redundant constraints leave open; names, open: from redundant.near.
function redundant.check(system, names, open)
  for _, item in ipairs(system.frictions) do
    if type(item.normal) == "string" and open[item.normal] then
      refuse(names, "the reaction of '%s', which presses '%s',", item.normal, item.name)
    end
  end
  for _, item in ipairs(system.force_list) do
    for _, s in ipairs(item.call and {} or core.symbols{ item.expression }) do
      local constraint = coupling.constraint_of(system, s)
      if open[constraint or false] then refuse(names, "the multiplier of '%s', on which a force depends,", constraint) end
    end
  end
end

-- ---- without a start: at generic points wherever the constraints hold

-- Unit masses on the coordinates, the constraints of the system, parameters without a value at some
local function bare_model(system)
  local rotations, F, zero, one = #system._rotations > 0, motion.of(system), core.rational(0), core.rational(1)
  local n, q, v = #F.base, F.q, F.base
  local E = { system = system, kin = q, dyn = v, k = F.k, rates = rotations and F.rates or nil,
    M = {}, A = {}, r = {}, b = {}, names = {}, positions = {}, velocities = {}, rows = {} }
  for i = 1, n do
    E.M[i], E.r[i] = {}, zero
    for j = 1, n do E.M[i][j] = i == j and one or zero end
  end
  for i, condition in ipairs(rotations and base_form.unit_positions(system) or {}) do E.positions[i] = condition end
  for k, c in ipairs(system.constraints) do
    local level = rotations and base_form.numeric_level(system, in_base.level(system, F, c)) or kinematics.levels(c, q, v)
    E.A[k], E.b[k], E.names[k] = level.velocity.row, level.b, c.name
    if level.position then E.positions[#E.positions + 1] = { name = c.name, f = level.position.f, row = level.position.row } end
    E.velocities[k] = { name = c.name, f = level.velocity.f, row = level.velocity.row }
  end
  E.multipliers = kinematics.multiplier_symbols(system)
  E.dyn_names = F.names
  return Equations.new(E)
end

local function values_of(system)
  local override = {}
  for i, name in ipairs(system.parameter_names) do
    if not system._values[name] then override[name] = 0.5 + (i*0.6180339887498949) % 1 end
  end
  return override
end

local TRIES, TOLERANCE = 12, 1e-11

-- A point on all constraints from a guess; nil: none was found
local function point(w, size, states, try)
  local x = {}
  for i = 1, size do x[i] = i <= states and 2*((try*size + i)*0.6180339887498949 % 1) - 1 or 0.0 end
  local fine, found = protected(w.project, w, 0.0, x, TOLERANCE)
  return fine and found or nil
end

-- Appends the names to a list; false: no state on all constraints was found
local function search(system, names)
  local E = bare_model(system)
  local override = values_of(system)
  local model = compile.model(E, override, nil, "interpreter")
  local w = core.workspace(model)
  local values = select(2, compile.parameter_values(system, override))
  if #values > 0 then w:set_parameters(values) end
  local best
  for try = 1, TRIES do
    local x = point(w, model:state_size(), #E.kin + #E.dyn, try)
    local fine, rank, marks = protected(w.generic_rank, w, 0.0, x or {})
    -- more rows than velocities cannot be independent: then nothing was found out
    if x and fine and rank <= #E.dyn and (not best or rank > best.rank) then best = { rank = rank, marks = marks } end
    if best and (best.rank == #system.constraints or try >= 4) then break end
  end
  for k, marked in ipairs(best and best.marks or {}) do if marked then names[#names + 1] = system.constraints[k].name end end
  return best ~= nil
end

--- Names of the constraints that the others imply at generic points of the constraints; an empty list where none is, or none is found.
function redundant.of(system)
  local cache = rawget(system, "_redundant")
  if cache and cache.changes == system._changes then return cache.names end
  local names = {}
  local found = #system.constraints < 2 or search(system, names)
  system._redundant = { changes = system._changes, names = names, found = found }
  return names
end

--- Coordinates minus independent constraints: the rank of the constraints at generic points where they hold, so that those implied by
--- the others are not counted. Constraints on velocities count like those on positions, integrable or not: it is the number of
--- independent velocities.
function System.get.degrees_of_freedom(self)
  local free = #motion.of(self).base - #self.constraints + #redundant.of(self)
  if free < 0 and not self._redundant.found then
    object.fail("%s: %d constraints on %d velocities, and no state that fulfils all of them was found: they contradict each other, or some are redundant; "
      .. "leave out those that the others imply", self.name, #self.constraints, #motion.of(self).base)
  end
  return free
end

--- The names of the constraints that hold wherever the others do: {"h2"}. The list is empty where none is redundant.
function System.get.redundant_constraints(self) return table.move(redundant.of(self), 1, #redundant.of(self), 1, {}) end

-- ---- forms that eliminate velocities

--- The system without these constraints, to derive equations from.
function redundant.without(system, names)
  local copy = setmetatable({}, getmetatable(system))
  for key, value in pairs(system) do rawset(copy, key, value) end
  for _, key in ipairs{ "_equations", "_models", "_redundant" } do rawset(copy, key, nil) end
  copy.constraints = {}
  for _, c in ipairs(system.constraints) do
    if not object.contains(names, c.name) then
      table.insert(copy.constraints, c)
      copy.constraints[c.name] = c
    end
  end
  return copy
end

-- The system with another function for one of its constraints; nil where no motion satisfies it
function System:_replacing(c, f)
  local copy = redundant.without(self, { c.name })
  return protected(copy.constraint, copy, c.name, f) and copy or nil
end

-- The system without its redundant constraints, for the studies of its geometry; itself where there are none
function System:_independent()
  local names = redundant.of(self)
  return #names > 0 and redundant.without(self, names) or self
end

-- The system with the unit lengths of its quaternions as constraints, between coordinates whose velocities are free, for studies of its geometry
function System:_on_spheres()
  local copy = redundant.without(self, {})
  copy._rotations, copy._motion = {}, nil
  for _, R in ipairs(self._rotations) do copy:constraint(naming.free(self, { R.name .. "_unit" }, { "" })[1], R.unit) end
  return copy
end

-- Multipliers of all constraints of least norm from those of the independent ones: with rows J of all and A of these, lambda' = J A^T z has
-- the same reactions where (A J^T)(J A^T) z = A A^T lambda
local function shortest(J, A, lambda)
  local B, left, right = {}, {}, {}
  for i = 1, #J do
    B[i] = {}
    for k = 1, #A do B[i][k] = kinematics.dot(J[i], A[k]) end
  end
  for k = 1, #A do
    local sums = {}
    left[k] = {}
    for l = 1, #A do
      local terms = {}
      for i = 1, #J do terms[i] = B[i][k]*B[i][l] end
      left[k][l], sums[l] = core.sum(terms), kinematics.dot(A[k], A[l])*lambda[l]
    end
    right[k] = core.sum(sums)
  end
  local z, result = linear.solve(left, { right })[1], {}
  for i = 1, #J do result[i] = kinematics.dot(B[i], z) end
  return result
end

--- Equations derived without these constraints, as those of the system: its name, all multipliers.
function redundant.complete(E, system, names)
  local q, v, J, A, all = system:coordinate_list(), system:velocity_list(), {}, {}, {}
  for k, c in ipairs(system.constraints) do
    local row = kinematics.levels(c, q, v).velocity.row
    for s, entry in ipairs(row) do row[s] = E.v and core.substitute(entry, v, E.v) or entry end
    J[k], all[k] = row, c.name
    if not object.contains(names, c.name) then A[#A + 1] = row end
  end
  if E.lambda and #E.lambda == #A and #A > 0 then E.lambda = shortest(J, A, E.lambda) end
  E.system, E.names, E.redundant = system, all, names
  return E
end

-- A form that eliminates velocities is derived without the constraints that the others imply (the vakonomic one has a state for each)
derivation.around(function(derive, system, form, o)
  local names = form.takes.dependent and form.name ~= "vakonomic_explicit" and redundant.of(system) or {}
  if #names == 0 then return derive(system, form, o) end
  return redundant.complete(derive(redundant.without(system, names), form, o), system, names)
end)

return redundant
