-- compile.lua: equations to a model of the core.
local branches = require "hamel.model.branches"
local contact = require "hamel.system.contact"
local contact_rows = require "hamel.model.contact_rows"
local core = require "hamel.core"
local coupling = require "hamel.equations.coupling"
local foreign = require "hamel.model.foreign"
local gradients = require "hamel.algebra.gradients"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local regularity = require "hamel.model.regularity"
local symbols = require "hamel.algebra.symbols"

local compile = {}

--- The entries of rows, one row after the other.
function compile.flat(rows)
  local list = {}
  for _, row in ipairs(rows) do table.move(row, 1, #row, #list + 1, list) end
  return list
end

--- One field of each item of a list.
function compile.field(list, key)
  local out = {}
  for i, item in ipairs(list) do out[i] = item[key] end
  return out
end

local flat, field = compile.flat, compile.field

--- The value of a parameter by name, that of `override` (by name) before the declared one; nil: it has none. All values a parameter takes come through
--- here and through compile.parameter_values: symbols of S:positive must have positive values.
function compile.parameter_value(system, name, override)
  if override and override[name] ~= nil then return system:parameter_value(name, override[name], "parameters") end
  return system._values[name]
end

--- The same of a parameter that a study needs: raises where it has none. what: the study.
function compile.demand_value(system, name, override, what)
  return compile.parameter_value(system, name, override)
    or object.fail("%s: the parameter '%s' has no value; add it to parameters = { %s = ... }", what, name, name)
end

--- Every parameter of the system with its value; `override` is a table by name or symbol.
function compile.parameter_values(system, override)
  local list, values = {}, {}
  if type(override) == "table" and next(override) == nil then override = nil end
  override = override and system:by_name(override, "parameters")
  for name in pairs(override or {}) do
    if not system._parameter[name] then
      object.fail("parameters: %s has no parameter '%s'%s", system.name, tostring(name), object.hint(name, system.parameter_names))
    end
  end
  for _, name in ipairs(system.parameter_names) do
    local value = compile.parameter_value(system, name, override)
    if value then list[#list + 1], values[#values + 1] = system._parameter[name], value end
  end
  return list, values
end

--- Those parameters, with their values, that the equations do not hold among their states (see parametric.lua).
function compile.parameters_of(equations, override)
  local all, given = compile.parameter_values(equations.system, override)
  if not equations.held then return all, given end
  local list, values = {}, {}
  for i, symbol in ipairs(all) do
    if not object.contains(equations.held, symbol) then list[#list + 1], values[#values + 1] = symbol, given[i] end
  end
  return list, values
end

-- What a model has as parameters behind those of the system: the signs of the whole-course description, then the constants that replace numbers
local function own_parameters(equations)
  local list, values = {}, {}
  for i, switch in ipairs(equations.whole_course and equations.whole_course.switches or {}) do list[i], values[i] = switch.symbol, 1.0 end
  for i, symbol in ipairs(equations.constants and equations.constants.symbols or {}) do
    list[#list + 1], values[#values + 1] = symbol, equations.constants.values[i]
  end
  return list, values
end

-- The parameters in the order of a model, and their values
local function model_parameters(equations, override)
  local parameters, values = compile.parameters_of(equations, override)
  local more, theirs = own_parameters(equations)
  return table.move(more, 1, #more, #parameters + 1, parameters), table.move(theirs, 1, #theirs, #values + 1, values)
end

--- Has the model of these equations parameters besides those of its system?
function compile.has_own_parameters(equations) return (equations.whole_course or equations.constants) and true or false end

--- The values of a model's parameters, from those of its system. The same list where the model has no others.
function compile.model_values(equations, values)
  if not compile.has_own_parameters(equations) then return values end
  local _, theirs = own_parameters(equations)
  return table.move(theirs, 1, #theirs, #values + 1, table.move(values, 1, #values, 1, {}))
end

-- A parameter that occurs in the equations, or in the energies that they come from, but has no value
local function demand_values(system, spec, equations)
  local have = {}
  for _, list in ipairs{ spec.parameters, spec.kin } do for _, s in ipairs(list) do have[s] = true end end
  local all = { spec.energy or core.rational(0), equations.lagrangian or nil }
  local made_of = equations.lagrangian and equations.forces or compile.flat{ spec.mass, spec.r }
  for _, list in ipairs{ spec.k, made_of, spec.b or {}, spec.rows or {}, spec.position_residuals, spec.velocity_residuals } do
    table.move(list, 1, #list, #all + 1, all)
  end
  local missing = {}
  for _, s in ipairs(core.symbols(all)) do
    local name, _, flags = core.name(s)
    if flags & ~symbols.POSITIVE == 0 and not have[s] then missing[#missing + 1] = name end
  end
  if #missing > 0 then
    object.fail("%s: parameter%s %s without value; give it with S:parameters \"%s=...\" or the option parameters = {%s = ...}",
      system.name, #missing > 1 and "s" or "", table.concat(missing, ", "), missing[1], missing[1])
  end
end

local executors = { fastest = 0, interpreter = 1, native = 2, cc = 1 }     -- hml_executor; cc: replaced afterwards

local eliminations = { dense = 0, graph = 1, cheapest = 2, refined = 3 }                -- hml_elimination

-- Which of the names are implied
local function marks(names, implied)
  local list = {}
  for i, name in ipairs(names) do list[i] = object.contains(implied, name) end
  return list
end

--- Are the states of the equations the velocities in which the rows of contacts are written?
function compile.takes_contacts(equations) return not (equations.v and not equations.base or equations.mu) end

-- L and the forces that the elimination on the graph of velocities is made from. Potentials with corners become forces, which branches.hold holds on
-- their sides; nil: the kinetic energy has corners. held: those in time and place are held, too
local function smooth_energies(equations, held)
  local L, Q = equations.lagrangian, equations.forces
  if not branches.any{ L } then return L, Q end
  local smooth, moved, v = {}, {}, equations.dyn
  for _, term in ipairs(core.kind(L) == "sum" and core.operands(L) or { L }) do
    local kinetic = #gradients.variables(term, v) > 0
    if kinetic and branches.has_corners{ term } and not (held and branches.in_place(term, v)) then return nil
    elseif kinetic or not branches.any{ term } then smooth[#smooth + 1] = term
    else moved[#moved + 1] = term end
  end
  local forces = {}
  -- parameters that are held among the states stand behind the coordinates
  for s, slope in ipairs(core.gradient(core.sum(moved), table.move(equations.kin, 1, #Q, 1, {}))) do forces[s] = Q[s] + slope end
  return core.sum(smooth), forces, #moved > 0 and moved or nil
end

-- The constraints as functions of velocities
local function row_functions(equations) return field(table.move(equations.velocities, 1, #equations.A, 1, {}), "f") end

-- Why the elimination on the graph of velocities cannot solve the equations, in words; nil: it may, or their form has no energies in such states
local function obstacle(equations, held)
  if not equations.lagrangian then return nil end
  if not smooth_energies(equations, held) then
    return held and "kinetic energies with corners in velocities" or "kinetic energies with corners"
  end
  if branches.has_corners(row_functions(equations)) then return "constraints with corners" end
  return coupling.any(equations.system) and "forces that depend on reactions" or nil
end

local function refuse_graph(equations, why)
  local system = equations.system
  if not equations.lagrangian and #system._rotations > 0 then
    object.fail("elimination = 'graph' does not take rotations by unit quaternions, which %s has; remove elimination", system.name)
  end
  if not equations.lagrangian then
    object.fail("elimination = 'graph' starts from the energies in coordinates and velocities, as the forms 'lagrange' and 'nielsen' have them; remove "
      .. "elimination, or take form = \"lagrange\"")
  end
  -- forces that depend on reactions are refused by the core
  if why and not coupling.any(system) then object.fail("elimination = 'graph' does not take %s; remove elimination", why) end
end

-- The energies of a specification; with potentials moved to the forces they are not those of the system, whose energy is written out
local function add_energies(spec, equations, held)
  local moved
  spec.lagrangian, spec.forces, moved = smooth_energies(equations, held)
  spec.row_functions = row_functions(equations)
  if moved then spec.energy, spec.kinetic = equations.energy, spec.kinetic or equations.kinetic end
end

local MANY = 15                        -- coordinates beyond which M is written out only where it is needed

-- Do the energies say everything that a run needs? Contacts need M at every impact
local function by_energies(equations, extra, elimination, why)
  if not equations.lagrangian or #equations.dyn <= MANY or equations.held or equations.whole_course or extra then return false end
  if elimination == "dense" or elimination == "refined" then return false end
  return not why and not contact.any(equations.system)
end

-- M, r, A, b and the energies as expressions
local function write_out(spec, equations)
  spec.mass, spec.rows, spec.r, spec.b = flat(equations.M), flat(equations.A), equations.r, equations.b
  spec.energy, spec.kinetic = equations.energy or nil, equations.kinetic or nil
end

-- How momenta and energy may jump at each branch; without branches nothing moves to where they jump
local function add_normals(spec)
  local list = {}
  for _, branch in ipairs(spec.branches or {}) do list[#list + 1] = require "hamel.model.impulses".normal(branch.argument, spec) end
  spec.impulse.normals = flat(list)
  if #list == 0 then spec.impulse = nil end
end

--- The elimination of a model that is made before it is known which constraints the others imply: "graph" may need these left out.
function compile.before_implied(equations, elimination)
  return elimination == "graph" and #equations.A > 1 and "cheapest" or elimination
end

local obstacles = setmetatable({}, { __mode = "k" })

--- Has this build numbers of quadruple precision?
function compile.has_quadruple() return core.has_quadruple() end

--- What keeps a model from the elimination on the graph of velocities, for print(run); nil: nothing, or it was not asked for.
function compile.obstacle(model) return obstacles[model] end

--- Model of the core for equations; extra velocity conditions { name=, f=, row= } may be added for completing a start. implied: names of
--- constraints that hold wherever the others do. for_runs: the model holds the corners of its forces between their places.
--- elimination: "dense", "graph", "refined" or "cheapest"; nil: the cheapest.
function compile.model(equations, override, extra, executor, implied, for_runs, elimination)
  local system = equations.system
  local velocities = table.move(equations.velocities, 1, #equations.velocities, 1, {})
  if extra then table.move(extra, 1, #extra, #velocities + 1, velocities) end
  local parameters, values = model_parameters(equations, override)
  local externals = field(system:_external_forces(), "expression")
  local spec = {
    name = system.name, time = symbols.t, kin = equations.kin, dyn = equations.dyn, k = equations.k,
    parameters = parameters, parameter_values = values, externals = externals,
    dyn_names = equations.dyn_names, multiplier_names = #equations.A > 0 and (equations.row_names or equations.names) or {},
    position_names = field(equations.positions, "name"), velocity_names = field(velocities, "name"),
    position_residuals = field(equations.positions, "f"), position_jacobian = flat(field(equations.positions, "row")),
    velocity_residuals = field(velocities, "f"), velocity_jacobian = flat(field(velocities, "row")),
    power = equations.power or nil,
    multipliers = #equations.A > 0 and #equations.multipliers > 0 and equations.multipliers or nil,
    multiplier_power = equations.multiplier_power or nil, executor = executors[executor or "fastest"],
  }
  spec.counts_work = contact.any(system)
  if implied then
    spec.redundant = implied
    spec.implied, spec.implied_positions = marks(spec.multiplier_names, implied), marks(spec.position_names, implied)
    spec.implied_velocities = marks(spec.velocity_names, implied)
  end
  -- conditions for completing a start are no rows of the equations
  spec.momenta_kept = equations.mu_of and equations.form == "vakonomic" and not extra
  elimination = elimination or "cheapest"
  spec.elimination = eliminations[elimination]
  local held = for_runs and elimination == "graph"
  local why = obstacle(equations, held)
  if elimination == "graph" then refuse_graph(equations, why) end
  local impulse = for_runs and require "hamel.model.impulses".of(equations) or nil
  local lean = not impulse and by_energies(equations, extra, elimination, why)
  local energies = lean or elimination == "graph" or elimination == "cheapest" and equations.lagrangian and not why and not impulse
  local bare = {}
  for key, value in pairs(spec) do bare[key] = value end
  local function complete(alone)
    for key in pairs(spec) do spec[key] = bare[key] end
    if alone then spec.kinetic = system._T or nil else write_out(spec, equations) end
    demand_values(system, spec, equations)
    if energies then add_energies(spec, equations, held) end
    if for_runs and not equations.whole_course then
      spec.contacts = contact.any(system) and compile.takes_contacts(equations) and contact_rows.spec(system) or nil
      spec.impulse = impulse
      spec.passed_corners = regularity.passed(equations)
      branches.hold(spec)
      if impulse then add_normals(spec) end
    end
    spec.unwatched = equations.whole_course and impulse or nil
    return core.model(spec)
  end
  -- the energies alone may not suffice, or M be the shorter way
  local model = lean and complete(true) or complete(false)
  if elimination == "cheapest" then obstacles[model] = why end
  if executor == "cc" then foreign.compile(model, system.name) end
  return model, spec
end

-- Velocities at (t, x): the states themselves, or a program of the form
local function velocity_function(equations, parameters, values)
  local n = #equations.kin
  if not equations.v then return function(_, x) return table.move(x, n + 1, 2*n, 1, {}) end end
  local inputs = { symbols.t }
  for _, list in ipairs{ equations.kin, equations.dyn, parameters } do table.move(list, 1, #list, #inputs + 1, inputs) end
  local program, states = core.program(inputs, equations.v), n + #equations.dyn
  return function(t, x)
    local input = table.move(x, 1, states, 2, { t })
    return program:eval(table.move(values, 1, #values, #input + 1, input))
  end
end

-- The user's functions f(t, q, v) as one function of the core: (t, x) -> values of the externals
local function force_function(system, equations, override)
  local forces, names = system:_external_forces(), system.coordinate_names
  local velocities = velocity_function(equations, compile.parameter_values(system, override))
  return function(t, x)
    local q, v, rates, values = {}, {}, velocities(t, x), {}
    for i, name in ipairs(names) do q[name], v[name] = x[i], rates[i] end
    for i, item in ipairs(forces) do
      local Q, more = item.call(t, q, v)
      local value = options.returned(Q)
      if not value or value ~= value then
        object.fail("the force on '%s' returned %s at t = %g: a number is needed", core.text(item.coordinate), tostring(Q), t)
      end
      if more ~= nil then object.fail("the force on '%s' returned several values at t = %g: one number is needed", core.text(item.coordinate), t) end
      values[i] = value
    end
    return values
  end
end

--- Workspace for a model, with the system's Lua forces and the values of its parameters; `override`: by name, in place of the declared ones.
function compile.workspace(equations, model, override)
  local w = core.workspace(model)
  local _, values = model_parameters(equations, override)
  if #values > 0 then w:set_parameters(values) end
  if #equations.system:_external_forces() > 0 then w:set_force(force_function(equations.system, equations, override)) end
  return w
end

return compile
