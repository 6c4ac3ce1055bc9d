-- simulate.lua: S:simulate and what is asked at one state: accelerations, velocities, reactions.
local core = require "hamel.core"
local balance = require "hamel.run.balance"
local compile = require "hamel.model.compile"
local dependents = require "hamel.model.dependents"
local fingerprint = require "hamel.run.fingerprint"
local listeners = require "hamel.base.listeners"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local Observer = require "hamel.model.observe"
local options = require "hamel.base.options"
local progress = require "hamel.base.progress"
local redundant = require "hamel.model.redundant"
local regularity = require "hamel.model.regularity"
local start = require "hamel.model.start"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local Trajectory = require "hamel.run.trajectory"
require "hamel.run.drift"
require "hamel.run.records"
require "hamel.run.save"

local hybrid = require "hamel.run.hybrid"

local fail = object.fail
local simulate = {}

local state_schema = {
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

local velocity_schema = setmetatable({
  where = { type = "table", list = true, doc = "further conditions on the velocities: { {expression, value}, ... }" },
}, { __index = state_schema })
for name, row in pairs(state_schema) do velocity_schema[name] = row end

-- kept: written into files, which are continued with the same value only
local run_schema = {
  q = state_schema.q, v = state_schema.v, form = state_schema.form, parameters = state_schema.parameters,
  dependent = state_schema.dependent, mu = state_schema.mu, mapping = state_schema.mapping,
  reactions = state_schema.reactions,
  t = { type = "number", or_type = "table", list = true, doc = "end time, or {start, end}" },
  rtol = { kept = true, default = 1e-9, from = 0, type = "number", doc = "relative tolerance per step" },
  atol = { kept = true, default = 1e-9, from = 0, type = "number", doc = "absolute tolerance per step" },
  method = { kept = true, default = "dop853", type = "string", doc = "stepper" },
  step = { kept = true, default = 0, from = 0, type = "number", doc = "size of the steps of the methods " .. methods.fixed_names() },
  max_step = { kept = true, default = 0, from = 0, type = "number", doc = "largest step; 0: not limited" },
  first_step = { kept = true, default = 0, from = 0, type = "number", doc = "first step tried; 0: chosen" },
  max_steps = { default = 10000000, from = 0, to = 1e15, type = "number", doc = "number of steps at which the run stops; 0: not limited" },
  project = { kept = true, default = true, type = "boolean", doc = "project onto the constraints after each step" },
  events = { type = "table", doc = "list of { name =, when = expression or function, direction = 'rising' or 'falling', terminal = true }" },
  several = { default = "take", type = "string", doc = "where contacts and friction leave several motions possible: 'take' the one that sticks most, "
    .. "with a note; 'refuse' stops the run there" },
  record = { default = "steps", type = "string", doc = "what is kept: 'steps', 'impacts' (start, end, events, impacts), 'ends'" },
  dense = { kept = true, default = true, type = "boolean", doc = "keep what is needed for values between the steps" },
  progress = { default = true, type = "boolean", doc = "a line on the terminal while it lasts longer than a second" },
  checkpoint = { type = "string", doc = "a file (.hamel) that keeps the run from time to time; the same call goes on from it, bit for bit" },
  every = { kept = true, above = 0, type = "number", doc = "time between places where a run may be continued; a twentieth of it when not given" },
  executor = { default = "fastest", type = "string", doc = "of the equations: 'fastest', 'native', 'cc', 'interpreter'; the same bits" },
}

-- Model and specification of a form (without implied constraints), compiled once while the system stays as it is. A workspace sets the
-- values of its parameters, so that they share the model wherever the same parameters have values
local function model_of(system, equations, parameters, executor, implied)
  if not equations.key then return compile.model(equations, parameters, nil, executor, implied) end
  local cache = rawget(system, "_models")
  if not cache or cache.changes ~= system._changes then
    cache = { changes = system._changes }
    system._models = cache
  end
  local key = { executor or "fastest", equations.key }
  for _, symbol in ipairs((compile.parameter_values(system, parameters))) do key[#key + 1] = core.text(symbol) end
  for _, name in ipairs(implied or {}) do key[#key + 1] = "|" .. name end
  key = table.concat(key, " ")
  cache[key] = cache[key] or table.pack(compile.model(equations, parameters, nil, executor, implied))
  return table.unpack(cache[key])
end

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
    local value = mu and symbols.number(mu[name])
    if not value or value ~= value then
      fail("the vakonomic form needs a start for each multiplier: mu = {%s = 0} starts like Chetaev's model and leaves it", name)
    end
    list[k] = value
  end
  return list
end

-- Values of the form's own states at a consistent (q, v)
local function states_from(equations, observer, base, t, x, mu)
  local inputs = { symbols.t }
  for _, list in ipairs{ base.kin, base.dyn, equations.mu or {}, observer.parameters } do table.move(list, 1, #list, #inputs + 1, inputs) end
  local input = table.move(x, 1, 2*#base.kin, 2, { t })
  for _, list in ipairs{ mu, observer.values } do table.move(list, 1, #list, #input + 1, input) end
  return core.program(inputs, equations.from_velocities):eval(input)
end

-- Velocities given by coordinate or by the names of quasi-velocities, { {function, value}, ... }; nil where all are by coordinate
local function given_velocities(system, v)
  local quasi, where, seen = system._quasi, {}, false
  if not quasi or type(v) ~= "table" then return nil end
  local functions, known = {}, table.move(system.coordinate_names, 1, #system.coordinate_names, 1, {})
  local given = system:by_name(v, "v")
  for i, name in ipairs(quasi.names) do functions[name], known[#known + 1] = quasi.functions[i], name end
  for name, value in pairs(given) do
    local coordinate = system._coordinate[name]
    local f = coordinate and coordinate.dot or functions[name]
      or fail("v.%s: '%s' is neither a coordinate nor a quasi-velocity of %s%s", tostring(name), tostring(name), system.name, object.hint(name, known))
    if not symbols.number(value) then fail("v.%s is a %s, not a number", name, type(value)) end
    where[#where + 1], seen = { f, value }, seen or not coordinate
  end
  return seen and where or nil
end

local function by_coordinate(system, o, t)
  local where = given_velocities(system, o.v)
  return where and system:velocities{ q = o.q, t = t, parameters = o.parameters, where = where } or o.v
end

local function derive(system, o, dependent)
  return system:equations(o.form, { dependent = dependent, mapping = o.mapping, reactions = o.reactions })
end

-- Names of dependent velocities that the constraints determine better at (t, x) than the given columns; nil: these serve.
-- base: the Lagrange equations, x their state
local function better_choice(system, base, parameters, columns, t, x)
  local n, m, observer = #base.kin, #base.A, Observer.new(base, parameters)
  local rows, diagonal, units, names = {}, {}, {}, {}
  for k = 1, m do table.move(base.A[k], 1, n, #rows + 1, rows) end
  for i = 1, n do diagonal[i] = base.M[i][i] end
  local inertia = observer:evaluate(observer:program(diagonal, "inertia"), nil, t, x)
  for i = 1, n do units[i] = math.sqrt(math.max(inertia[i], 0)) end
  local better = dependents.better(observer:evaluate(observer:program(rows, "rows"), nil, t, x), n, m, units, columns)
  for i, j in ipairs(better or {}) do names[i] = system.coordinate_names[j] end
  return better and names
end

-- The equations of the form; where the velocities it would eliminate are badly determined at the start, those with better ones
local function equations_at(system, o, equations, base, t, x)
  local columns = equations.chosen_columns
  if not columns or #columns == 0 then return equations end
  local names = better_choice(system, base, o.parameters, columns, t, x)
  return names and derive(system, o, names) or equations
end

-- Names proposed in place of o.dependent
local function serving_choice(system, o, base, t, x)
  local columns = {}
  for i, name in ipairs(system.coordinate_names) do if object.contains(o.dependent or {}, name) then columns[#columns + 1] = i end end
  return better_choice(system, base, o.parameters, columns, t, x)
end

-- A moment of inertia that a few units in the last place of a coordinate change by its own size is rounding: sin(theta)^2 at the double
-- nearest to pi. base: the Lagrange equations, x their state
local function demand_inertia(system, base, parameters, t, x)
  local observer, diagonal = Observer.new(base, parameters), {}
  for i = 1, #base.kin do diagonal[i] = base.M[i][i] end
  local program = observer:program(diagonal, "inertia")
  local here, point = observer:evaluate(program, nil, t, x), table.move(x, 1, #x, 1, {})
  for j = 1, #base.kin do
    point[j] = x[j]*(1 + 2^-50)
    for i, value in ipairs(point[j] ~= x[j] and observer:evaluate(program, nil, t, point) or {}) do
      if here[i] ~= 0 and math.abs(value - here[i]) > math.abs(here[i])/2 then
        fail("the start is singular: the inertia along '%s' is rounding at %s = %.17g; choose other coordinates, or start beside it",
          system.coordinate_names[i], system.coordinate_names[j], x[j])
      end
    end
    point[j] = x[j]
  end
end

-- The whole course starts in front of its wall, with a restitution that has a value there
local function demand_wall(equations, observer, o, t, x)
  local whole = equations.whole_course
  if not whole then return end
  local q1, name = x[whole.index], whole.gap.name
  if q1 < -10*(o.atol or run_schema.atol.default) then
    fail("start is inconsistent: '%s' is %.6g at t = %.10g; a gap must not be negative; change q.%s", name, q1, t,
      equations.system.coordinate_names[whole.index])
  end
  local e = observer:evaluate(observer:program({ core.number(whole.gap.law.restitution) }, "restitution"), nil, t, x)[1]
  if not (e > 0 and e <= 1) then
    fail("'%s': the coefficient of restitution is %.6g; the whole-course description needs one above 0, up to 1", name, e)
  end
end

-- A workspace at a completed start; the last result is a note on another assembly
local function prepare(system, o, t)
  local v = by_coordinate(system, o, t)
  local equations = derive(system, o, o.dependent)
  if not equations.from_velocities then
    multiplier_starts(system, equations, o.mu)
    local model, spec = model_of(system, equations, o.parameters, o.executor)
    local w, observer = compile.workspace(equations, model, o.parameters), Observer.new(equations, o.parameters)
    local x, known = start.complete(system, w, model:state_size(), t, o.q, v, #equations.velocities)
    local note = start.other_assembly(system, w, t, x, known)
    if o.form == "lagrange" then demand_inertia(system, equations, o.parameters, t, x) end
    local implied, open = redundant.near(equations, w, t, x)
    if implied then
      redundant.check(system, implied, open)
      model, spec = model_of(system, equations, o.parameters, o.executor, implied)
      w = compile.workspace(equations, model, o.parameters)
    end
    return equations, model, w, x, observer, spec, note
  end
  -- the start is completed in the velocities, then carried over to the states of the form
  local base = system:equations "lagrange"
  local base_model = model_of(system, base, o.parameters)
  local base_workspace = compile.workspace(base, base_model, o.parameters)
  local given, known = start.complete(system, base_workspace, base_model:state_size(), t, o.q, v, #base.velocities)
  local note = start.other_assembly(system, base_workspace, t, given, known)
  demand_inertia(system, base, o.parameters, t, given)
  redundant.demand(equations, base, base_workspace, t, given)
  equations = equations_at(system, o, equations, base, t, given)
  local model, spec = model_of(system, equations, o.parameters, o.executor)
  local w, observer = compile.workspace(equations, model, o.parameters), Observer.new(equations, o.parameters)
  local mu = multiplier_starts(system, equations, o.mu)
  local x = table.move(given, 1, #base.kin, 1, {})
  for _, value in ipairs(states_from(equations, observer, base, t, given, mu)) do
    if value ~= value then
      fail("the form '%s' is singular at the start: a velocity it eliminates is not determined there; choose others by dependent = {...}", o.form)
    end
    x[#x + 1] = value
  end
  for i = #x + 1, model:state_size() do x[i] = 0.0 end
  hybrid.check_regular(equations, observer, t, x, serving_choice(system, o, base, t, given))
  regularity.demand(equations, observer, w, t, x)
  demand_wall(equations, observer, o, t, x)
  return equations, model, w, x, observer, spec, note
end

--- For sweeps: starts with quasi-velocities, and the refusal of starts whose inertia is rounding.
simulate.by_coordinate, simulate.demand_inertia = by_coordinate, demand_inertia

--- For other studies of a state: the options of S:accelerations and the preparation behind them.
simulate.state_schema, simulate.prepare = state_schema, prepare

local function by_name(what, names, values, offset)
  local t = {}
  for i, name in ipairs(names) do t[name] = values[(offset or 0) + i] end
  return object.named(what, t)
end

--- Accelerations and multipliers at a state: S:accelerations{ q = {...}, v = {...}, t = 0 } returns
--- { a = by coordinate, lambda = by constraint, q =, v = the completed state }. Missing positions are solved from the holonomic constraints;
--- where these allow another assembly, the field `note` names it.
function System:accelerations(given)
  local o = options.check("accelerations", state_schema, given)
  local equations, _, w, x, observer, _, note = prepare(self, o, o.t)
  return {
    a = by_name("a", self.coordinate_names, observer:accelerations(w, o.t, x)),
    lambda = by_name("lambda", equations.names, observer:multipliers(w, o.t, x)),
    q = by_name("q", self.coordinate_names, x), v = by_name("v", self.coordinate_names, observer:velocities(w, o.t, x)), t = o.t,
    note = note,
  }
end

-- { {expression, value}, ... } as conditions on the velocities
local function conditions(system, where)
  local list = {}
  for i, pair in ipairs(where or {}) do
    local what = ("where[%d]"):format(i)
    if type(pair) ~= "table" or not symbols.number(pair[2] == nil and 0 or pair[2]) then fail("%s is {expression, number}", what) end
    local e = system:check_expression(pair[1], what, 1)
    local f = e - core.number(pair[2] or 0)
    list[i] = { name = ("%s = %s"):format(core.text(e), object.number(symbols.number(pair[2] or 0))),
                f = f, row = core.gradient(f, system:velocity_list()) }
  end
  return list
end

--- For reference solutions: velocities given by names of quasi-velocities, { {function, value}, ... }; conditions on velocities.
simulate.given_velocities, simulate.conditions = given_velocities, conditions

--- Velocities by name that satisfy the constraints, the given v and the conditions `where`:
--- S:velocities{ q = {...}, v = {x = 1}, where = { {x.dot + y.dot, 2} } }.
function System:velocities(given)
  local o = options.check("velocities", velocity_schema, given)
  local equations = self:equations "lagrange"
  local extra = conditions(self, o.where)
  local model = compile.model(equations, o.parameters, extra)
  local w = compile.workspace(equations, model, o.parameters)
  local x = start.complete(self, w, model:state_size(), o.t, o.q, o.v, #equations.velocities + #extra)
  return by_name("v", self.coordinate_names, x, #self.coordinate_names)
end

local function span(t)
  local spans = type(t) == "table"
  if spans and #t > 2 then
    fail("simulate: t = {start, end} has two entries, this one %d; for values at given times call run:at(t) or S:sweep{ times = {...} }", #t)
  end
  local from, to = spans and symbols.number(t[1]) or not spans and 0, symbols.number(spans and t[2] or not spans and t)
  if not from or not to then fail("simulate: t is the end time, or {start, end}") end
  return from + 0.0, to + 0.0
end

-- Options that would do nothing are mistakes
local function check_idle(o)
  if o.every and not o.checkpoint then fail("simulate: every is the time between places of a checkpoint; give checkpoint = \"long.hamel\", or leave it out") end
  if o.reactions and o.form ~= "newtonian" then fail("simulate: reactions belong to the form 'newtonian', not to '%s'; leave them out", o.form) end
end

--- For other studies: the span of times that t = gives, checked.
simulate.span = span

local choices = { take = false, refuse = true }          -- of several motions: hml_run_options.refuse_several

-- Sets o.refuse_several
local function check_several(system, o)
  o.refuse_several = choices[o.several]
  if o.refuse_several == nil then fail("simulate: several = '%s' is neither 'take' nor 'refuse'", o.several) end
  if o.refuse_several and #system.gaps + #system.frictions == 0 then
    fail("several = 'refuse' is for one-sided constraints and friction; %s has none; leave it out", system.name)
  end
end

local function check_method(system, o)
  if o.several then check_several(system, o) end
  methods.check(system, o)
end

local counters = { "seconds", table.unpack(core.rows.counters) }

-- simulate.checkpoints: store(run, path) and continued(run, path) -> states, outcome; set by archive.lua, which knows the files

-- In pieces that begin anew at fixed times, so that a run which goes on from a file is the run that was never stopped
local function in_pieces(run, o, t0, t1, x)
  if run.hybrid or methods.find(o.method).run or o.record ~= "steps" then
    fail("simulate: checkpoints are for runs without events and contacts that keep their steps")
  end
  if not o.checkpoint:find "%.hamel$" then fail("simulate: checkpoint = '%s': the file's name ends in .hamel", o.checkpoint) end
  local archive, every = simulate.checkpoints, o.every or math.abs(t1 - t0)/20
  local direction, sum, from, k = t1 < t0 and -1 or 1, {}, t0, 1
  local raw, before = archive.continued(run, o.checkpoint)
  local due = core.host.clock()
  for _, name in ipairs(counters) do sum[name] = before and before[name] or 0 end
  if raw then
    rawset(run, "raw", raw)
    from, x = raw:time(raw:points()), raw:state(raw:points())
    run.outcome = before
    while direction*(t0 + direction*k*every - from) <= 0 do k = k + 1 end
  end
  while from ~= t1 and not (raw and before.status ~= "OK") do
    local to = t0 + direction*k*every
    if direction*(t1 - to) < every*1e-9 then to = t1 end
    core.run(run.workspace, o, from, to, x, run, raw ~= nil)
    for _, name in ipairs(counters) do
      sum[name] = sum[name] + run.outcome[name]
      run.outcome[name] = sum[name]
    end
    raw = run.raw
    if run.outcome.status == "OK" then
      run.outcome.message = ("reached t = %.15g in %d steps"):format(to, sum.steps)
    end
    if run.outcome.status == "INTERRUPTED" or run.outcome.error ~= nil then return end     -- the file stays at the last checkpoint
    -- the whole run is written: not more than a tenth of the time goes there
    local now = core.host.clock()
    if to == t1 or run.outcome.status ~= "OK" or now > due then
      archive.store(run, o.checkpoint)
      local took = core.host.clock() - now
      due = now + took + math.max(0.5, 10*took)
    end
    if run.outcome.status ~= "OK" then return end
    from, x, k, before = to, raw:state(raw:points()), k + 1, run.outcome
  end
end

local running                          -- the line of the run that goes on
core.on_progress(function(t) if running then running:update_time(t) end end)

local function integrate(run, o, t0, t1, x)
  local line <close> = progress.run(run.system.name, t0, t1, o.progress)
  running, o.progress = line, line.shows
  local method = methods.find(o.method)
  if o.checkpoint then in_pieces(run, o, t0, t1, x)
  elseif method.run then method.run(run, o, t0, t1, x)
  elseif run.hybrid then run.hybrid.core:run(o, t0, t1, x, run)
  else core.run(run.workspace, o, t0, t1, x, run) end
end

-- A vakonomic run is kept up to where its equations stop to determine the motion
local function end_of_regularity(run, o, x)
  local stopped = regularity.stopped(run)
  if stopped then
    run.outcome.message, run.outcome.advice = stopped, "start from another mu"
    return
  end
  local last, message = regularity.lost(run, o.dense)
  if not last then return end
  if last > run.span[1] and last ~= run.raw:time(run.raw:points()) then integrate(run, o, run.span[1], last, x) end
  run.outcome.status, run.outcome.message, run.outcome.advice = "SINGULAR_MASS", message, "start from another mu"
end

-- The step to stored state i again without projection, which may pull its end back onto the corner: where it passes that
local function located(run, o, i)
  local raw = run.raw
  local t, state, till = raw:time(i - 1), raw:state(i - 1), raw:time(i)
  o.project = false
  integrate(run, o, t, till, state)
  o.project = true
  local _, last, message = regularity.corner(run, true)
  return last or t, message
end

-- A run is cut before a corner of a constraint; of one that keeps no states between its ends the status says it
local function end_at_corner(run, o, x)
  local i, last, message = regularity.corner(run, o.dense)
  if not i then return end
  local again = o.dense and not o.checkpoint
  if again and o.project then
    local before, nearer = located(run, o, i)
    last, message = before, nearer or message
  end
  if again and last > run.span[1] then integrate(run, o, run.span[1], last, x) end
  if again then message = ("stopped at t = %.15g: %s"):format(run.outcome.t, message) end
  run.outcome.status, run.outcome.message, run.outcome.advice = "SINGULAR", message, "see the message"
end

--- For sweeps: the options of S:simulate and their check.
simulate.run_schema, simulate.check_method = run_schema, check_method

-- An interrupt that reached a force or an event in Lua is one of the run
local function mark_interrupted(run)
  local outcome = run.outcome
  if outcome.error == nil or not core.host.interrupted() or not tostring(outcome.error):find("interrupted", 1, true) then return end
  outcome.status, outcome.error, outcome.message = "INTERRUPTED", nil, ("stopped at t = %.15g: interrupted"):format(outcome.t)
end

local function interrupted_text(run)
  local raw = rawget(run, "raw")
  local events = run.hybrid and #run.events + #run.impacts or 0
  return ("interrupted at t = %.6g of %g: the run holds %d states%s"):format(run.outcome.t, run.span[2], raw and raw:points() or 0,
    events > 0 and (" and %d events"):format(events) or "")
end

-- What an interrupt is answered with, and the run
local function simulated(self, given)
  local o = options.check("simulate", run_schema, given)
  if o.t == nil then fail("simulate: the end time t is missing") end
  local t0, t1 = span(o.t)
  check_idle(o)
  methods.expand(o)
  check_method(self, o)
  if not object.contains(core.rows.keepings, o.record) then fail("simulate: record is 'steps', 'impacts' or 'ends', not '%s'", o.record) end
  if o.max_steps ~= math.floor(o.max_steps) then fail("simulate: max_steps = %g is not a whole number", o.max_steps) end
  local equations, model, w, x, observer, spec, note = prepare(self, o, t0)
  local run = Trajectory.new{ system = self, equations = equations, model = model, workspace = w, observer = observer, options = o,
                              start = x, span = { t0, t1 }, hybrid = false, forces = fingerprint.forces(self) or false,
                              redundant = spec.redundant or equations.redundant, assembly = note or false }
  if hybrid.needed(self, equations, o.events) then
    run.hybrid = hybrid.new(self, equations, spec, w, observer, o.events)
    run.workspace = hybrid.reader(run.hybrid.core, w, run)
  end
  simulate.last_run = run
  integrate(run, o, t0, t1, x)
  mark_interrupted(run)
  listeners.call("run", run)
  if run.outcome.status == "INTERRUPTED" then return core.host.finish(interrupted_text, run), run end
  end_of_regularity(run, o, x)
  end_at_corner(run, o, x)
  balance.check(run, methods.is_fixed(o.method))
  if run.outcome.error ~= nil then
    local message = run.outcome.error
    if type(message) == "string" then
      message = ("%s (in a function that the run called after t = %.9g; hm.last_run() returns the part before)"):format(message, run.outcome.t)
    end
    error(message, 0)
  end
  -- a place that was found ahead, though no whole step leads to it, ends a run of one point
  local nothing = run.outcome.steps == 0 and run.outcome.t == t0
  if nothing and run.outcome.status ~= "OK" and run.outcome.status ~= "EVENT" then
    local advice = run.outcome.advice
    fail("the run cannot start: %s%s", run.outcome.message, (advice == "" or advice == "see the message") and "" or "; " .. advice)
  end
  return core.host.interrupted() and core.host.finish(interrupted_text, run), run
end

--- Runs the system: S:simulate{ q = {...}, v = {...}, t = 10, rtol = 1e-10, method = "dop853", ... } returns a Trajectory.
--- Missing velocities and positions are solved from the constraints; a note names the other assembly where the positions have one. A run
--- that cannot go on returns the steps completed so far: run.status and run.reason say why it stopped. A run that meets a singular place
--- stops there, with every method: dependent constraints, vanishing inertia, a pole or a corner of the equations. A run
--- that reaches its end with its energy balance broken has the status "INACCURATE".
--- A long run with checkpoint = "long.hamel" is kept in that file from time to time (a tenth of the time at most goes there), whole and readable by
--- hm.load; the same call after a kill or Ctrl-C goes on from there to the same numbers, bit for bit: it starts its method anew every `every` of time.
--- Ctrl-C stops it: the run up to there is returned and assigned, with run.status "INTERRUPTED", then "interrupted" is raised.
function System:simulate(given) return core.host.hold(simulated, self, given) end

options.declare("accelerations", state_schema)
options.declare("velocities", velocity_schema)
options.declare("simulate", run_schema)

return simulate
