-- preparation.lua: from what a user gives of a state to the equations of a form, a model and a workspace at the completed state.
local ahead = require "hamel.model.ahead"
local attitude = require "hamel.bodies.attitude"
local Body = require "hamel.bodies.body"
local compile = require "hamel.model.compile"
local contact_places = require "hamel.run.contact_places"
local core = require "hamel.core"
local elimination = require "hamel.run.elimination"
local hybrid = require "hamel.run.hybrid"
local impulses = require "hamel.model.impulses"
local lost_digits = require "hamel.run.lost_digits"
local object = require "hamel.base.object"
local Observer = require "hamel.model.observe"
local redundant = require "hamel.model.redundant"
local regularity = require "hamel.model.regularity"
local slips = require "hamel.model.slips"
local start = require "hamel.model.start"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local preparation = {}

--- Absolute tolerance of a run, and of a start, whose user gave none.
preparation.ATOL = 1e-9

--- Options of a state.
preparation.schema = {
  q = { type = "table", doc = "coordinates by name" },
  v = { type = "table", doc = "velocities by name, of coordinates or quasi-velocities; those missing are solved from the constraints" },
  t = { default = 0, type = "number", doc = "time of the state" },
  form = { default = "lagrange", type = "string", doc = "formalism" },
  dependent = { type = "table", list = true, doc = "coordinates whose velocities are eliminated" },
  mu = { type = "table", doc = "starts of the vakonomic multipliers, by constraint" },
  mapping = { type = "table", doc = "S:linear_mapping{...}, for the form 'mapping'" },
  reactions = { type = "table", doc = "law of the reactions by coordinate, for the form 'newtonian'" },
  parameters = { type = "table", doc = "values by name in place of the declared ones" },
}

--- Model and specification of a form (without implied constraints), compiled once while the system stays as it is. A workspace sets the
--- values of its parameters, so that they share the model wherever the same parameters have values. purpose: for other uses than single runs, whose
--- first parameters are others, the models are apart: what the elimination is chosen by does not depend on what was run before
local function model_of(system, equations, parameters, executor, implied, for_runs, way, purpose)
  if not equations.key then return compile.model(equations, parameters, nil, executor, implied, for_runs, way) end
  local cache = rawget(system, "_models")
  if not cache or cache.changes ~= system._changes then
    cache = { changes = system._changes }
    system._models = cache
  end
  local key = { purpose or "", executor or "fastest", for_runs and "runs" or "states", way or "cheapest", equations.key }
  for _, symbol in ipairs((compile.parameter_values(system, parameters))) do key[#key + 1] = core.text(symbol) end
  for _, name in ipairs(implied or {}) do key[#key + 1] = "|" .. name end
  key = table.concat(key, " ")
  cache[key] = cache[key] or table.pack(compile.model(equations, parameters, nil, executor, implied, for_runs, way))
  return table.unpack(cache[key])
end

preparation.model_of = model_of

-- Starts of the vakonomic multipliers: every one must be given, there is no neutral choice
local function multiplier_starts(system, equations, mu)
  if not equations.mu then
    if mu then fail("mu belongs to the form 'vakonomic', not to '%s'", equations.form) end
    return {}
  end
  for name in pairs(mu or {}) do
    if not object.contains(equations.names, name) and system.constraints[name] then
      fail("mu: the form '%s' has a multiplier for each velocity the constraints are solved for: mu = {%s = 0}, of %s' - phi with the sign of "
        .. "phi - %s'; '%s' is a constraint", equations.form, equations.names[1], equations.names[1], equations.names[1], tostring(name))
    elseif not object.contains(equations.names, name) then
      fail("mu: there is no constraint '%s'%s", tostring(name), object.hint(tostring(name), equations.names))
    end
  end
  local list = {}
  for k, name in ipairs(equations.names) do
    local given = mu and mu[name]
    local value = symbols.number(given)
    if given ~= nil and not value then
      fail("mu.%s is a %s, not a number", name, core.is_ball(given) and "ball" or type(given))
    elseif not value or value ~= value then
      fail("the vakonomic form needs a start for each multiplier: mu = {%s = 0} starts like Chetaev's model and leaves it", name)
    end
    list[k] = value
  end
  return list
end

--- The direction of time of a run from t on: 1, or -1 where its end lies before.
function preparation.direction(o, t)
  local to = symbols.number(type(o.t) == "table" and o.t[2] or o.t)
  return to and to < t and -1 or 1
end

-- Values of the form's own states at a consistent (q, v)
local function states_from(equations, observer, base, t, x, mu, direction)
  local inputs = { symbols.t }
  for _, list in ipairs{ base.kin, base.dyn, equations.mu or {}, observer.parameters } do table.move(list, 1, #list, #inputs + 1, inputs) end
  local input = table.move(x, 1, #base.kin + #base.dyn, 2, { t })
  for _, list in ipairs{ mu, observer.values } do table.move(list, 1, #list, #input + 1, input) end
  return ahead.carrier(equations, base, inputs)(input, direction)
end

--- Velocities given by coordinate or by the names of quasi-velocities, { {function, value}, ... }; nil where all are by coordinate
function preparation.given_velocities(system, v, q, t, parameters)
  local quasi, where, seen = system._quasi, {}, false
  if not quasi or type(v) ~= "table" then return nil end
  local functions, known = {}, table.move(system.coordinate_names, 1, #system.coordinate_names, 1, {})
  local given = attitude.velocities(system, system:by_name(v, "v"), attitude.positions(system, q), t, parameters)
  for _, w in ipairs(system:base_velocity_list()) do
    local name, order = core.name(w)
    if order == 0 then functions[name], known[#known + 1] = w, name end
  end
  for i, name in ipairs(quasi.names) do functions[name], known[#known + 1] = quasi.functions[i], name end
  for name, value in pairs(given) do
    local coordinate = system._coordinate[name]
    local f = coordinate and coordinate.dot or functions[name]
      or fail("v.%s: '%s' is neither a coordinate nor a quasi-velocity of %s%s", tostring(name), tostring(name), system.name, object.hint(name, known))
    if not symbols.number(value) then fail("v.%s is a %s, not a number", name, type(value)) end
    where[#where + 1], seen = { f, value }, seen or object.contains(quasi.names, name)
  end
  return seen and where or nil
end

--- The velocities by coordinate, where some are given by quasi-velocities.
function preparation.by_coordinate(system, o, t)
  local where = preparation.given_velocities(system, o.v, o.q, t, o.parameters)
  return where and system:velocities{ q = o.q, t = t, parameters = o.parameters, where = where } or o.v
end

-- S:equations as it was written: each run asks for them, and they are no answer to a user here
local function equations_of(system, form, options)
  return object.written(system.equations)(system, form, options)
end

local function derive(system, o, dependent)
  return equations_of(system, o.form, { dependent = dependent, mapping = o.mapping, reactions = o.reactions })
end

-- The equations of the form; where the velocities it would eliminate are badly determined at the start, those with better ones
local function equations_at(system, o, equations, base, t, x)
  local columns = equations.chosen_columns
  if not columns or #columns == 0 then return equations end
  local names = elimination.better(base, o.parameters, columns, t, x)
  if not names then return equations end
  local other = derive(system, o, names)
  other.eliminated = names
  return other
end

-- Names proposed in place of o.dependent
local function serving_choice(o, base, t, x)
  return elimination.better(base, o.parameters, elimination.columns(base, o.dependent), t, x)
end

-- Does an entry change by a share of itself between two points?
local function changes(here, there, share)
  for i, value in ipairs(here) do if value ~= 0 and math.abs(there[i] - value) > math.abs(value)*share then return i end end
end

-- All coordinates off by a few units in the last place, twice by different numbers of units, so that no two changes cancel in both
local function is_sensitive(value_at, here, x, n)
  for factor = 1, 2 do
    local point = table.move(x, 1, #x, 1, {})
    for j = 1, n do point[j] = x[j]*(1 + (1 + factor*j*0.618 % 1)*2^-50) end
    if changes(here, value_at(point), 0.01) then return true end
  end
end

local still = setmetatable({}, { __mode = "k" })        -- by equations: does no diagonal entry of M contain a coordinate?

local function is_still(base, diagonal)
  if still[base] == nil then
    local moving = {}
    for _, q in ipairs(base.kin) do moving[q] = true end
    still[base] = true
    for _, s in ipairs(core.symbols(diagonal)) do if moving[s] then still[base] = false end end
  end
  return still[base]
end

--- A moment of inertia that a few units in the last place of a coordinate change by its own size is rounding: sin(theta)^2 at the double
-- nearest to pi. base: the Lagrange equations, w a workspace of their model, x their state
function preparation.demand_inertia(system, base, parameters, w, t, x)
  local function value_at(point) return w:inertia(t, point) end
  if not value_at(x) then              -- a model with M written out
    local diagonal = {}
    for i = 1, #base.dyn do diagonal[i] = base.M[i][i] end
    if is_still(base, diagonal) then return end
    local observer = Observer.new(base, parameters)
    local program = observer:program(diagonal, "inertia")
    function value_at(point) return observer:evaluate(program, nil, t, point) end
  end
  local here, point = value_at(x), table.move(x, 1, #x, 1, {})
  if not is_sensitive(value_at, here, x, #base.kin) then return end
  for j = 1, #base.kin do
    point[j] = x[j]*(1 + 2^-50)
    local i = point[j] ~= x[j] and changes(here, value_at(point), 0.5)
    if i then
      fail("the start is singular: the inertia along '%s' is rounding at %s = %.17g; choose other coordinates, or start beside it",
        base.dyn_names[i], system.coordinate_names[j], x[j])
    end
    point[j] = x[j]
  end
end

--- Raises where a run of the whole course starts behind its wall, or with a restitution that has no value there.
function preparation.demand_wall(equations, observer, atol, t, x)
  local whole = equations.whole_course
  if not whole then return end
  local q1, name = x[whole.index], whole.gap.name
  if q1 < -10*(atol or preparation.ATOL) then
    fail("start is inconsistent: '%s' is %.6g at t = %.10g; a gap must not be negative; change q.%s", name, q1, t,
      equations.system.coordinate_names[whole.index])
  end
  local e = observer:evaluate(observer:program({ core.number(whole.gap.law.restitution) }, "restitution"), nil, t, x)[1]
  if not (e > 0 and e <= 1) then
    fail("'%s': the coefficient of restitution is %.6g; the whole-course description needs one above 0, up to 1", name, e)
  end
end

-- The model, specification and workspace; where rounding costs accelerations their digits at the start of a run, these of another elimination
local function with_digits(system, equations, o, t, x, for_runs, implied, model, spec, w)
  if not for_runs then return model, spec, w end
  local to = type(o.t) == "table" and o.t[2] or o.t
  if not lost_digits.at_start(system, w, t, x, o, math.abs((symbols.number(to) or t) - t)) then return model, spec, w end
  o.elimination = "refined"
  model, spec = model_of(system, equations, o.parameters, o.executor, implied, for_runs, o.elimination)
  return model, spec, compile.workspace(equations, model, o.parameters)
end

-- As preparation.prepare; direction: of time
local function prepared(system, o, t, for_runs, direction)
  if #system._bodies > 0 then Body._check_values(system, compile.parameter_values(system, o.parameters)) end
  local v = preparation.by_coordinate(system, o, t)
  local equations = derive(system, o, o.dependent)
  if not equations.from_velocities then
    multiplier_starts(system, equations, o.mu)
    local first = compile.before_implied(equations, o.elimination)
    local model, spec = model_of(system, equations, o.parameters, o.executor, nil, for_runs, first)
    local w, observer = compile.workspace(equations, model, o.parameters), Observer.new(equations, o.parameters)
    contact_places.check_given(system, observer, attitude.positions(system, o.q), t)
    local x, known = start.complete(system, w, model:state_size(), t, o.q, v, #equations.velocities, o.parameters, direction)
    contact_places.check_state(system, observer, t, x)
    if for_runs then slips.check_angles(system, observer, t, x) end
    local note = start.other_assembly(system, w, t, x, known, function(other) return contact_places.joints_hold(system, observer, t, other) end)
    if o.form == "lagrange" then preparation.demand_inertia(system, equations, o.parameters, w, t, x) end
    local implied, open = redundant.near(equations, w, t, x)
    if implied then redundant.check(system, implied, open) end
    if implied or first ~= o.elimination then
      model, spec = model_of(system, equations, o.parameters, o.executor, implied, for_runs, o.elimination)
      w = compile.workspace(equations, model, o.parameters)
      if for_runs and o.project == false and model:needs_projection() then
        fail("%s %s redundant only where the other constraints hold, and without projection a run leaves these places; remove project = false, or leave %s out",
          redundant.text(implied), #implied == 1 and "is" or "are", #implied == 1 and "it" or "them")
      end
    end
    model, spec, w = with_digits(system, equations, o, t, x, for_runs, implied, model, spec, w)
    return equations, model, w, x, observer, spec, note
  end
  -- the start is completed in the velocities, then carried over to the states of the form
  local base = equations_of(system, "lagrange")
  local base_model = model_of(system, base, o.parameters, nil, nil, for_runs and impulses.of_system(system) ~= nil)
  local base_workspace = compile.workspace(base, base_model, o.parameters)
  local base_observer = Observer.new(base, o.parameters)
  contact_places.check_given(system, base_observer, attitude.positions(system, o.q), t)
  local given, known = start.complete(system, base_workspace, base_model:state_size(), t, o.q, v, #base.velocities, o.parameters, direction)
  contact_places.check_state(system, base_observer, t, given)
  if for_runs then slips.check_angles(system, base_observer, t, given) end
  local function allowed(other) return contact_places.joints_hold(system, base_observer, t, other) end
  local note = start.other_assembly(system, base_workspace, t, given, known, allowed)
  preparation.demand_inertia(system, base, o.parameters, base_workspace, t, given)
  redundant.demand(equations, base, base_workspace, t, given)
  equations = equations_at(system, o, equations, base, t, given)
  local model, spec = model_of(system, equations, o.parameters, o.executor, nil, for_runs, o.elimination)
  local w, observer = compile.workspace(equations, model, o.parameters), Observer.new(equations, o.parameters)
  local mu = multiplier_starts(system, equations, o.mu)
  local x = table.move(given, 1, #base.kin, 1, {})
  for _, value in ipairs(states_from(equations, observer, base, t, given, mu, direction)) do
    if value ~= value then
      local names = serving_choice(o, base, t, given)
      fail("the form '%s' is singular at the start: a velocity it eliminates is not determined there; choose others by dependent = {%s}", o.form,
        names and '"' .. table.concat(names, '", "') .. '"' or "...")
    end
    x[#x + 1] = value
  end
  for i = #x + 1, model:state_size() do x[i] = 0.0 end
  hybrid.check_regular(equations, observer, t, x, serving_choice(o, base, t, given))
  regularity.demand(equations, observer, w, t, x)
  preparation.demand_wall(equations, observer, o.atol, t, x)
  model, spec, w = with_digits(system, equations, o, t, x, for_runs, nil, model, spec, w)
  return equations, model, w, x, observer, spec, note
end

--- Equations, model, workspace, states, observer and specification at a completed start; the last result is a note on another assembly.
--- for_runs: corners of the forces are held.
function preparation.prepare(system, o, t, for_runs)
  local list = table.pack(prepared(system, o, t, for_runs, preparation.direction(o, t)))
  if for_runs then
    list[3]:head(preparation.direction(o, t))
    list[5].heading = preparation.direction(o, t)
  end
  return table.unpack(list, 1, list.n)
end

return preparation
