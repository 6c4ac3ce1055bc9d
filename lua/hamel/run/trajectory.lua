-- trajectory.lua: a finished run: values of any expression at any time, drift, tables, CSV.
local core = require "hamel.core"
local contact_rows = require "hamel.model.contact_rows"
local files = require "hamel.base.files"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local redundant = require "hamel.model.redundant"
local start = require "hamel.model.start"

local fail = object.fail

local Trajectory = object.class "Trajectory"

--- Used by S:simulate: the record exists before the run, so that an interrupted run keeps what it has.
function Trajectory.new(fields)
  -- what the system is called now: it may be changed after the run
  fields.names = table.move(fields.system.coordinate_names, 1, #fields.system.coordinate_names, 1, {})
  return setmetatable(fields, Trajectory.meta)
end

-- ---- one state

-- States handed out are on the constraints to a tenth of what a start must satisfy; larger corrections than this part of the state are
-- not trusted: near a singular place the projection may go anywhere
local RTOL, ATOL, FAR = 1e-8, 1e-13, 1e-3

local CREATED = 1e-9                   -- of the kinetic energy at an impact: a gain below it is rounding
local TINY = 1e-300                    -- beside the wall of a whole course

--- For sweeps: these tolerances.
Trajectory.tidy = { rtol = RTOL, atol = ATOL }

-- The state on the constraints of the run: the dense output, and steps at loose tolerances, leave them by about the tolerance
local function on_constraints(run, t, x)
  local E = run.equations
  if not run.options.project or E.watched or #E.positions + #E.velocities == 0 then return x end
  local w = run.hybrid and run.workspace.workspace or run.workspace
  local fine, y = pcall(w.project, w, t, x, RTOL, ATOL)
  if not fine then return x end
  local size, moved = 0, 0
  for i = 1, #x do
    size = math.max(size, math.abs(x[i]))
    moved = math.max(moved, math.abs(y[i] - x[i]))
  end
  return moved <= FAR*size and y or x
end

local State = object.class "State"

local function by_name(what, names, values, offset)
  local t = {}
  for i, name in ipairs(names) do t[name] = values[(offset or 0) + i] end
  return object.named(what, t)
end

-- The workspace at this state; stages are computed on demand
local function workspace_at(s)
  local run = rawget(s, "_run")
  if run.hybrid then run.workspace.point = rawget(s, "_point") end
  run.workspace:set_state(s.t, rawget(s, "_x"))
  return run.workspace
end

-- What the observer of the run says about this state, by name
local function observed(what, method, names_of)
  return function(s)
    local run = rawget(s, "_run")
    if run.hybrid then run.workspace.point = rawget(s, "_point") end
    return by_name(what, names_of(run), run.observer[method](run.observer, run.workspace, s.t, rawget(s, "_x")))
  end
end
local function coordinate_names(run) return run.names end
local function constraint_names(run) return run.equations.names end

-- Reactions of gaps and slips at this state
local function reactions_of(s)
  local run = rawget(s, "_run")
  local all = workspace_at(s):multipliers()
  return table.move(all, #run.equations.names + 1, #all, 1, {})
end

-- The i-th coordinate; in a whole-course description the side of the wall is no part of it
local function coordinate(s, i)
  local run, x = rawget(s, "_run"), rawget(s, "_x")
  local whole = run.equations.whole_course
  return whole and whole.index == i and math.abs(x[i]) or x[i]
end

-- A table of values that S:simulate accepts as a start however far the run is off its constraints here
local function as_start(s, values)
  local run = rawget(s, "_run")
  local w = run.hybrid and run.workspace.workspace or run.workspace
  local fine, off = pcall(w.inconsistency, w, s.t, rawget(s, "_x"))
  if fine then start.allow(values, 2*off) end
  return values
end

-- Energy and kinetic energy at (t, x). Of the whole course by the signs of the state: those in the workspace belong to the end of the run
local function energies_of(run)
  local whole = run.equations.whole_course
  if not whole then
    return function(t, x)
      run.workspace:set_state(t, x)
      return run.workspace:energies()
    end
  end
  local plain = run.system:equations "lagrange"
  local p = run.observer:program({ plain.energy, plain.kinetic }, "energies")
  return function(t, x)
    local values = run.observer:evaluate(p, nil, t, x)
    return values[1], values[2]
  end
end

local observed_velocities = observed("v", "velocities", coordinate_names)

local fields = {
  q = function(s)
    local q = {}
    for i, name in ipairs(rawget(s, "_run").names) do q[name] = coordinate(s, i) end
    return object.named("q", as_start(s, q))
  end,
  v = function(s) return as_start(s, observed_velocities(s)) end,
  a = observed("a", "accelerations", coordinate_names),
  lambda = function(s)
    local run = rawget(s, "_run")
    local values = observed("lambda", "multipliers", constraint_names)(s)
    for i, name in ipairs(run.observer.gap_names or {}) do values[name] = reactions_of(s)[i] end
    return values
  end,
  friction = function(s)
    local run = rawget(s, "_run")
    if not run.observer.frictions then fail("%s has no friction", run.system.name) end
    local _, values = contact_rows.by_name(run.system, run.observer.contacts, reactions_of(s))
    return object.named("friction", values)
  end,
  rough = function(s)
    local run = rawget(s, "_run")
    if not run.observer.contacts then fail("%s has no rough wall", run.system.name) end
    local _, _, values = contact_rows.by_name(run.system, run.observer.contacts, reactions_of(s))
    return object.named("rough", values)
  end,
  energy = function(s) return (energies_of(rawget(s, "_run"))(s.t, rawget(s, "_x"))) end,
}

local function kept_steps(run) return (run.options.record or "steps") == "steps" end

-- Forces hold in a mode, and modes are kept with the steps
for _, name in ipairs{ "a", "lambda", "friction", "rough" } do
  local value = fields[name]
  fields[name] = function(s)
    local run = rawget(s, "_run")
    if run.hybrid and not kept_steps(run) then
      fail("'%s' needs the steps of the run, which kept only its %s (record = \"%s\")", name, run.options.record,
        run.options.record)
    end
    return value(s)
  end
end

-- Multipliers and momenta dL*/dq' of the vakonomic models, L* = L + mu f
local function of_vakonomic(field, names_of)
  return function(s)
    local run = rawget(s, "_run")
    local list = run.equations[field] or fail("this belongs to the form 'vakonomic'; this run is '%s'", run.equations.form)
    local values = run.observer:evaluate(run.observer:program(list, field), run.workspace, s.t, rawget(s, "_x"))
    return by_name(field == "mu_of" and "mu" or "p", names_of(run), values)
  end
end
fields.mu, fields.p = of_vakonomic("mu_of", constraint_names), of_vakonomic("momenta", coordinate_names)

-- ---- coordinates that are called as a field

local number_of = setmetatable({}, { __mode = "k" })
local function plain(value) return number_of[value] or value end

local arithmetic = {
  __add = function(a, b) return plain(a) + plain(b) end, __sub = function(a, b) return plain(a) - plain(b) end,
  __mul = function(a, b) return plain(a)*plain(b) end, __div = function(a, b) return plain(a)/plain(b) end,
  __pow = function(a, b) return plain(a)^plain(b) end, __unm = function(a) return -plain(a) end,
  __lt = function(a, b) return plain(a) < plain(b) end, __le = function(a, b) return plain(a) <= plain(b) end,
  __eq = function(a, b) return plain(a) == plain(b) end,
}

-- The field is what it always is; where one computes with it, or compares it, it stands for the coordinate of its name
local function standing_for(values, x)
  number_of[values] = x
  for name, f in pairs(arithmetic) do getmetatable(values)[name] = f end
  return values
end

-- Fields that a state of every run has, and those that belong to some runs
local always, some = { "q", "v", "a", "lambda" }, { mu = "mu_of", p = "momenta" }

-- Is the field, or a method, there, so that it hides a coordinate of its name?
local function hides(run, name)
  if object.contains(always, name) or type(State[name]) == "function" then return true end
  if name == "friction" then return run.observer.frictions and true or false end
  return some[name] and run.equations[some[name]] and true or false
end

for name, f in pairs(fields) do
  State.get[name] = function(s)
    local value = f(s)
    for i, coordinate_name in ipairs(rawget(s, "_run").names) do if coordinate_name == name then standing_for(value, coordinate(s, i)) end end
    rawset(s, name, value)
    return value
  end
end

--- Values of expressions and names at this state, as a list: s:values{ "lambda.blade", x.dot^2 }.
function State:values(list)
  if type(list) ~= "table" then fail("values takes a list: s:values{ \"x\", x.dot^2 }") end
  local run, found = rawget(self, "_run"), {}
  for i, what in ipairs(list) do found[i] = run.observer:expression(what) end
  if run.hybrid then run.workspace.point = rawget(self, "_point") end
  return run.observer:evaluate(run.observer:program(found), run.workspace, self.t, rawget(self, "_x"))
end

-- Quasi-velocities by the names they have in the system
function State.meta.__own(s, key)
  local quasi = rawget(s, "_run").system._quasi
  if not quasi or not object.contains(quasi.names, key) then return nil end
  local value = s:values{ key }[1]
  rawset(s, key, value)
  return value
end

function State.meta.__tostring(s)
  local run, parts = rawget(s, "_run"), { "t = " .. object.number(s.t) }
  local names = run.names
  for i, name in ipairs(names) do parts[#parts + 1] = ("%s = %.9g"):format(name, coordinate(s, i)) end
  local v = fields.v(s)
  for _, name in ipairs(names) do parts[#parts + 1] = ("%s' = %.9g"):format(name, v[name]) end
  return table.concat(parts, "  ")
end

local function state(run, t, x, point)
  local s = { t = t, _run = run, _x = x, _point = point or false }
  for i, name in ipairs(run.names) do if not hides(run, name) then s[name] = coordinate(s, i) end end
  local whole = run.equations.whole_course
  if whole then s[core.text(whole.star)] = x[whole.index] end
  return setmetatable(s, State.meta)
end

-- ---- expressions along a run

local function expression_of(run, what) return run.observer:expression(what) end

local function program_of(run, list) return run.observer:program(list) end

-- point: number of the stored state, where a time is stored twice
local function evaluate(run, p, t, x, point)
  if run.hybrid then run.workspace.point = point or false end
  return run.observer:evaluate(p, run.workspace, t, x)
end

local function raw(run)
  return rawget(run, "raw") or fail("the run has no states: it never started")
end

local function state_at(run, t)
  if type(t) ~= "number" then fail("run:at(t) takes a time, not %s", type(t)) end
  if not kept_steps(run) and t ~= run.span[1] and t ~= raw(run):time(raw(run):points()) then
    fail("this run kept only its %s (record = \"%s\"): there is nothing at t = %g", run.options.record, run.options.record, t)
  end
  local last = raw(run):time(raw(run):points())
  local beyond = (run.span[2] - run.span[1])*(t - last) > 0
  if beyond and run.outcome.status ~= "OK" then
    fail("the run stopped at t = %.9g, before t = %g: %s", run.outcome.t, t, run.outcome.message)
  end
  return on_constraints(run, t, raw(run):at(t))
end

-- The i-th stored state, on the constraints
local function stored_state(run, i)
  local r = raw(run)
  return on_constraints(run, r:time(i), r:state(i))
end

--- State at time t (dense output): s.x, s.q.x, s.v.x, s.a.x, s.lambda.name, s.energy. A coordinate that is called q, v, a or lambda is s.q.a: s.a are
--- the accelerations (in sums and comparisons s.a still counts as that coordinate). Or the values of the expressions given:
--- run:at(2, x.dot^2, "lambda.blade").
function Trajectory:at(t, ...)
  local x = state_at(self, t)
  if select("#", ...) == 0 then return state(self, t, x) end
  local list = {}
  for i, what in ipairs{ ... } do list[i] = expression_of(self, what) end
  return table.unpack(evaluate(self, program_of(self, list), t, x))
end

--- Times at which an expression crosses zero: a list; direction 1 (rising), -1 (falling) or 0 (both).
function Trajectory:roots(what, direction)
  if direction ~= nil and direction ~= 1 and direction ~= -1 and direction ~= 0 then
    fail("roots: direction is 1 (rising), -1 (falling) or 0 (both), not %s", tostring(direction))
  end
  local p = program_of(self, { expression_of(self, what) })
  if not kept_steps(self) then fail("this run kept only its %s (record = \"%s\")", self.options.record, self.options.record) end
  local function value(t) return (self:at(t, what)) end
  local states, constants = self.observer:inputs()
  return raw(self):roots(p.needs_dynamics and value or p.program, states, constants, direction or 0)
end

--- Number of stored states: accepted steps + 1.
function Trajectory.meta.__len(self) return raw(self):points() end

--- run[i]: the i-th stored state.
function Trajectory.item(self, i)
  if math.type(i) ~= "integer" or i < 1 or i > raw(self):points() then return nil end
  return state(self, raw(self):time(i), stored_state(self, i), i)
end

--- Iterates over the stored states: for t, s in run:steps() do ... end
function Trajectory:steps()
  local i, n = 0, raw(self):points()
  return function()
    i = i + 1
    if i <= n then
      local s = self[i]
      return s.t, s
    end
  end
end

local series_schema = {
  n = { type = "number", from = 2, to = 10000000, whole = true, doc = "number of equally spaced times; none: the steps of the run" },
  times = { type = "table", list = true, doc = "the times asked for" },
}

local function times_of(run, o)
  if o.times then return o.times end
  local list, r = {}, raw(run)
  local points = r:points()
  if not o.n then
    for i = 1, points do list[i] = r:time(i) end
    return list
  end
  local first, last = r:time(1), r:time(points)
  for i = 0, o.n - 1 do list[i + 1] = first + (last - first)*i/(o.n - 1) end
  list[#list] = last
  return list
end

-- Calls visit(k, t, values) over the stored states, or over the times asked for
local function visit(run, o, p, call)
  local stored = not o.times and not o.n
  for k, t in ipairs(times_of(run, o)) do
    if stored then call(k, t, evaluate(run, p, t, stored_state(run, k), k))
    else call(k, t, evaluate(run, p, t, state_at(run, t))) end
  end
end

--- Values of expressions (or texts: "x", "x'", "lambda.blade", "energy") over the run: a list of times, then one list each.
--- The last argument may be { n = 200 } for equally spaced times or { times = {...} }.
function Trajectory:series(...)
  local wanted = { ... }
  local o = {}
  if type(wanted[#wanted]) == "table" then o = options.check("series", series_schema, table.remove(wanted)) end
  if #wanted == 0 then fail("run:series needs at least one expression") end
  local list, columns = {}, {}
  for i, what in ipairs(wanted) do list[i], columns[i] = expression_of(self, what), {} end
  local times = {}
  visit(self, o, program_of(self, list), function(k, t, values)
    times[k] = t
    for i = 1, #columns do columns[i][k] = values[i] end
  end)
  return times, table.unpack(columns)
end

-- ---- drift

-- What the passages of a whole course through its wall change in the energy: list of { t, change }
local function losses(run, energies)
  local whole, list = run.equations.whole_course, {}
  if not whole or not run.hybrid then return list end
  local function beside(record, side)
    local x = table.move(record.state, 1, #record.state, 1, {})
    x[whole.index] = side
    return (energies(record.t, x))
  end
  for _, r in ipairs(run.hybrid.core:records()) do
    local event = r.kind == "event" and run.hybrid.events[r.which]
    if event and event.passage then
      local velocity = r.state[#run.names + 1]         -- w1 = q1*' up to a positive factor
      local side = velocity < 0 and -TINY or TINY
      list[#list + 1] = { t = r.t, change = beside(r, side) - beside(r, -side), side = side }
    end
  end
  return list
end

-- Calls each(t, error of the energy balance, residuals on both levels) for every stored state; the largest energy met
local function follow_balance(run, each)
  local r, w, energies = raw(run), run.workspace, energies_of(run)
  local lost, k = losses(run, energies), 1
  local has_work, size = run.model:has_work(), run.model:state_size()
  local scale, passed, first, offset = 0, 0, nil, nil
  local carried = run.equations.carried and run.observer:program({ run.equations.carried }, "carried")
  for i = 1, r:points() do
    local x = r:state(i)
    w:set_state(r:time(i), x)
    local energy, kinetic = 0, 0
    while k <= #lost and lost[k].t <= r:time(i) do
      passed = passed + lost[k].change
      k = k + 1
    end
    if k > 1 and lost[k - 1].t == r:time(i) then x[run.equations.whole_course.index] = lost[k - 1].side end
    if run.equations.energy then energy, kinetic = energies(r:time(i), x) end
    local work = (has_work and x[size] or 0) + passed
    if carried then
      local value = run.observer:evaluate(carried, w, r:time(i), x)[1]
      offset = offset or value
      work = work + value - offset
    end
    first = first or energy - work       -- an impact at the start has done work
    scale = math.max(scale, math.abs(kinetic), math.abs(energy), math.abs(work), math.abs(first))
    each(r:time(i), energy - first - work, w:residuals())
  end
  return scale
end

-- Largest residual of a constraint and largest error of the energy balance over the stored states
local function drift(run)
  local worst, error_ = 0, 0
  local scale = follow_balance(run, function(_, off, ...)
    error_ = math.max(error_, math.abs(off))
    for _, list in ipairs{ ... } do
      for _, value in ipairs(list) do worst = math.max(worst, math.abs(value)) end
    end
  end)
  rawset(run, "constraint_drift", worst)
  rawset(run, "energy_drift", not run.equations.energy and 0/0 or scale > 0 and error_/scale or error_)
end

--- What run:plot_drift draws: names, and a row { t, ... } for every stored state: the error of the energy balance relative to the largest energy met,
--- then the residual of every constraint in its own unit; those of holonomic ones on the level of velocities are called "name'".
function Trajectory:drift()
  local names, rows, E = {}, {}, self.equations
  if E.energy then names[1] = "energy" end
  for _, c in ipairs(E.positions) do names[#names + 1] = c.name end
  local holonomic = {}
  for _, c in ipairs(E.positions) do holonomic[c.name] = true end
  for _, c in ipairs(E.velocities) do names[#names + 1] = holonomic[c.name] and c.name .. "'" or c.name end
  local scale = follow_balance(self, function(t, off, positions, velocities)
    local row = { t }
    if E.energy then row[2] = off end
    for _, list in ipairs{ positions or {}, velocities or {} } do table.move(list, 1, #list, #row + 1, row) end
    rows[#rows + 1] = row
  end)
  for _, row in ipairs(rows) do if E.energy and scale > 0 then row[2] = row[2]/scale end end
  return names, rows
end

--- Largest |E - E(0) - work| over the stored states, relative to the largest energy met; work of forces, of rheonomic
--- constraints and of explicit time dependence is balanced. E = sum q' dL/dq' - L. nan for models that are not the motion of the system
--- and whose constraints do work (Lindelof's with acatastatic ones).
function Trajectory.get.energy_drift(self)
  drift(self)
  return self.energy_drift
end

--- Largest residual of any constraint (holonomic ones on both levels) over the stored states, in the constraint's own unit.
function Trajectory.get.constraint_drift(self)
  drift(self)
  return self.constraint_drift
end

--- Largest residual by constraint over the stored states, on the level of velocities too for holonomic ones, in the constraint's own
--- unit. In the form 'newtonian', whose law of reactions need not keep the constraints, it is the result.
function Trajectory.get.constraint_residual(self)
  local names, list, result = {}, {}, {}
  for _, c in ipairs(self.system.constraints) do
    names[#names + 1], list[#list + 1] = c.name, c.f
    if c.holonomic then names[#names + 1], list[#list + 1] = c.name, core.dt(c.f) end
    result[c.name] = 0
  end
  local p, r = self.observer:program(list), raw(self)
  for i = 1, #list > 0 and r:points() or 0 do
    for k, value in ipairs(self.observer:evaluate(p, self.workspace, r:time(i), r:state(i))) do
      result[names[k]] = math.max(result[names[k]], math.abs(value))
    end
  end
  rawset(self, "constraint_residual", result)
  return result
end

--- "OK" when the run reached its end, "INACCURATE" when it did with its energy balance or a constraint off by far more than the tolerances explain,
--- or by half the energy or a hundredth of the constraint's terms, whatever explains it (with project = false, too);
--- "PENETRATION" when a one-sided constraint is violated inside the run by far more than the tolerances explain; else the name of what stopped it.
function Trajectory.get.status(self) return self.outcome.status end
--- What stopped the run or is wrong with it, when and where; nil when the status is "OK".
function Trajectory.get.reason(self) return self.outcome.status ~= "OK" and self.outcome.message or nil end

--- Times of the stored states.
function Trajectory.get.t(self)
  local list = times_of(self, {})
  rawset(self, "t", list)
  return list
end

-- Series by name over the stored states, made when asked for
local function series_table(self, what, names, pick)
  return setmetatable({}, { __name = what, __index = function(t, name)
    for i, known in ipairs(names) do
      if known == name then
        local _, values = self:series(pick(i))
        rawset(t, name, values)
        return values
      end
    end
    fail("%s has no series '%s'%s", what, tostring(name), object.hint(tostring(name), names))
  end })
end

--- run.q.x, run.v.x, run.lambda.blade: values at the stored states, as lists beside run.t.
function Trajectory.get.q(self)
  local q = self.observer.coordinates
  return series_table(self, "run.q", self.names, function(i) return q[i] end)
end
--- Velocities at the stored states, as lists beside run.t: run.v.x.
function Trajectory.get.v(self)
  local q = self.observer.coordinates
  return series_table(self, "run.v", self.names, function(i) return q[i].dot end)
end
--- Reactions + A^T lambda at the stored states, as lists beside run.t: run.lambda.blade, also of gaps.
function Trajectory.get.lambda(self)
  local names = table.move(self.equations.names, 1, #self.equations.names, 1, {})
  table.move(self.observer.gap_names or {}, 1, #(self.observer.gap_names or {}), #names + 1, names)
  return series_table(self, "run.lambda", names, function(i) return "lambda." .. names[i] end)
end
--- run.friction["slip x"]: reactions of friction at the stored states; "slip[2]" for the second direction, "slip.spin" for the moment of a spot.
function Trajectory.get.friction(self)
  local names = {}
  for _, item in ipairs(self.observer.frictions or {}) do
    for a, suffix in ipairs(item.suffixes) do names[#names + 1] = item.name .. (a > 1 and suffix or "") end
  end
  return series_table(self, "run.friction", names, function(i) return "friction." .. names[i] end)
end
--- run.rough["wall[1]"]: reactions of the rows of a rough wall while contact lasts, at the stored states.
function Trajectory.get.rough(self)
  local names = {}
  for wall, list in pairs(self.observer.rough or {}) do
    for a = 1, #list do names[#names + 1] = ("%s[%d]"):format(wall, a) end
  end
  table.sort(names)
  return series_table(self, "run.rough", names, function(i) return "rough." .. names[i] end)
end

-- ---- what happened on the way

-- Numbers of the stored states at a time: the first and the last
local function points_at(run, t)
  local r = raw(run)
  local first = r:point_at(t)
  local last = first
  while last < r:points() and r:time(last + 1) == r:time(first) do last = last + 1 end
  return first, last
end

-- Impulses of an impact by name: gaps, frictions, two-sided constraints, and rough and continuous rows in tables of their own
local Impulses = object.class "Impulses"

local function impulses_of(run, values)
  local spec, names = run.observer.contacts, run.equations.names
  local gaps, frictions, rough, held = contact_rows.by_name(run.system, spec, values)
  local list, order = { rough = rough, continuous = held }, {}
  local function take(name, value)
    list[name] = value
    order[#order + 1] = name
  end
  for _, gap in ipairs(spec.gaps) do take(gap.name, gaps[gap.name]) end
  for _, item in ipairs(spec.frictions) do take(item.name, frictions[item.name]) end
  for i, name in ipairs(names) do take(name, values[#values - #names + i]) end
  return setmetatable(list, { __tostring = function(all) return Impulses.text(all, order) end })
end

local function value_text(value)
  if type(value) == "number" then return object.number(value) end
  local parts = {}
  for i, v in ipairs(value) do parts[i] = object.number(v) end
  if value.spin then parts[#parts + 1] = "moment " .. object.number(value.spin) end
  return table.concat(parts, ", ")
end

--- One line for each name, in the order of declaration.
function Impulses.text(list, order)
  local lines = {}
  for i, name in ipairs(order) do lines[i] = name .. "  " .. value_text(list[name]) end
  for _, kind in ipairs{ "rough", "continuous" } do
    for _, wall in ipairs(object.keys(list[kind])) do lines[#lines + 1] = ("%s.%s  %s"):format(kind, wall, value_text(list[kind][wall])) end
  end
  return table.concat(lines, "\n")
end

local Impact = object.class "Impact"
function Impact.meta.__tostring(i)
  return ("t = %.9g: impact at '%s', impulse %.6g, change of energy %.6g"):format(i.t, i.name, i.impulse, i.energy_change)
end
local Switch = object.class "Switch"
function Switch.meta.__tostring(s) return ("t = %.9g: '%s' from %s to %s"):format(s.t, s.name, s.from, s.to) end
local Accumulation = object.class "Accumulation"
function Accumulation.meta.__tostring(a)
  return ("t = %.15g +- %.1g: the impacts at '%s' accumulate after %d, each flight %.4g times the one before"):format(a.t, a.error, a.name, a.impacts, a.ratio)
end
local Event = object.class "Event"
local Note = object.class "Note"
function Note.meta.__tostring(n) return ("t = %.9g: %s"):format(n.t, n.text) end
function Event.meta.__tostring(e) return ("t = %.9g: event '%s'"):format(e.t, e.name) end

local words = { open = "open", closed = "contact", free = "free", stick = "stick", slip = "slip" }

-- Unit vectors of the slip that ends and of the one that begins; nil where there is none
local function directions_of(r)
  local function vector(d) return (d[1] ~= 0 or d[2] ~= 0 or (d[3] or 0) ~= 0) and d or nil end
  return { from = vector(r.leaves), to = vector(r.takes) }
end

local function read_records(run)
  local events, impacts, switches, accumulations, notes = {}, {}, {}, {}, {}
  if run.hybrid and rawget(run, "raw") then
    for _, r in ipairs(run.hybrid.core:records()) do
      if r.kind == "note" then
        notes[#notes + 1] = setmetatable({ t = r.t, text = r.text }, Note.meta)
      elseif r.kind == "event" then
        local event = run.hybrid.events[r.which]
        if not event.hidden then
          events[#events + 1] = setmetatable({ t = r.t, name = event.name, state = state(run, r.t, on_constraints(run, r.t, r.state)) }, Event.meta)
        end
      elseif r.kind == "accumulation" then
        accumulations[#accumulations + 1] = setmetatable({ t = r.t, name = run.observer.gap_names[r.which], error = r.error, ratio = r.ratio,
          impacts = r.impacts }, Accumulation.meta)
      elseif r.kind == "impact" then
        local first, last = points_at(run, r.t)
        local impulses = impulses_of(run, r.impulses)
        local name = run.observer.gap_names[r.which]
        impacts[#impacts + 1] = setmetatable({ t = r.t, name = name, before = state(run, r.t, on_constraints(run, r.t, r.state), first),
          after = state(run, r.t, on_constraints(run, r.t, r.after), last),
          impulse = impulses[name], impulses = impulses, energy_change = r.energy_change }, Impact.meta)
      else
        local gaps = run.observer.gap_names
        local name = gaps[r.which] or run.observer.frictions[r.which - #gaps].name
        switches[#switches + 1] = setmetatable({ t = r.t, name = name, from = words[r.from], to = words[r.to], directions = directions_of(r) }, Switch.meta)
      end
    end
  end
  if rawget(run, "redundant") then
    notes[#notes + 1] = setmetatable({ t = run.span[1], text = redundant.note(run.redundant) }, Note.meta)
  end
  if rawget(run, "assembly") then notes[#notes + 1] = setmetatable({ t = run.span[1], text = run.assembly }, Note.meta) end
  local whole = run.equations.whole_course
  if whole and whole.discontinuity then
    notes[#notes + 1] = setmetatable({ t = run.span[1], text = "the kinetic energy is not continuous across the wall: it jumps by "
      .. core.text(whole.discontinuity) .. ", so that this law does not conserve energy" }, Note.meta)
  end
  rawset(run, "events", events)
  rawset(run, "impacts", impacts)
  rawset(run, "switches", switches)
  rawset(run, "accumulations", accumulations)
  if run.outcome.rejected > 0 and run.model:jumps() then
    notes[#notes + 1] = setmetatable({ t = run.span[1], text = "the right-hand side contains a sign and jumps: its steps there are found by "
      .. "trying, and cost accuracy; friction between bodies is S:friction, other jumps end at an event" }, Note.meta)
  end
  rawset(run, "notes", notes)
end

--- Events met: list of { t, name, state }.
function Trajectory.get.events(self) read_records(self) return self.events end
--- Impacts: list of { t, name, before, after (states), impulse, impulses, energy_change }. impulses by name: of gaps, bounds, frictions (a list in
--- two directions), two-sided constraints; impulses.rough.wall and impulses.continuous.wall are lists. print(impact.impulses) shows them.
function Trajectory.get.impacts(self) read_records(self) return self.impacts end
--- Switches of contact and friction: list of { t, name, from, to, directions } with "open", "contact", "free", "stick", "slip";
--- directions.from and directions.to are unit vectors of the slip that ends and of the one that begins.
function Trajectory.get.switches(self) read_records(self) return self.switches end
--- Instants at which impacts accumulate: list of { t, name, error, impacts, ratio }: the limit, the error that its extrapolation adds to those of the
--- impacts (infinite: no limit was found, t is the last impact), how many impacts were followed, and the ratio of successive flights.
function Trajectory.get.accumulations(self) read_records(self) return self.accumulations end
--- Remarks of the run: list of { t, text }: accumulating impacts, undetermined contact forces.
function Trajectory.get.notes(self) read_records(self) return self.notes end

--- State before the k-th impact, and after it.
function Trajectory:before(k) return (self.impacts[k] or fail("there is no impact %s", tostring(k))).before end
function Trajectory:after(k) return (self.impacts[k] or fail("there is no impact %s", tostring(k))).after end

-- ---- printing and saving

-- What evaluates the equations, and why it is not machine code
local function executor_words(self)
  if self.options.executor == "cc" then return "compiled by cc" end
  if self.model:is_native() then return "native code" end
  local why = self.options.executor ~= "interpreter" and core.native_refusal()
  return why and "interpreted: " .. why or "interpreted"
end

-- More than rounding of the kinetic energy at the impact; a step of method 'moreau' holds the work of its forces besides
local function creates_energy(run, impact)
  if not methods.locates_impacts(run.options.method) then return false end
  local _, kinetic = energies_of(run)(impact.t, rawget(impact.before, "_x"))
  return impact.energy_change > CREATED*kinetic
end

function Trajectory.meta.__tostring(self)
  local o = self.outcome
  if not o or not rawget(self, "raw") then return "a run of " .. self.system.name .. " that never started" end
  local lines = {
    ("%s, %s, %s%s, %s"):format(self.system.name, self.equations.form, self.options.method,
      o.stiff_steps > 0 and (" (%d of %d steps stiff)"):format(o.stiff_steps, o.steps) or "", executor_words(self)),
    ("  t = %g to %.9g in %d steps (%d rejected), %d evaluations, %.3g s"):format(self.span[1], o.t, o.steps, o.rejected, o.evaluations, o.seconds),
    (self.equations.energy and ("  energy balance within %.2g (relative), "):format(self.energy_drift) or "  ")
      .. (self.equations.watched and "constraints watched" or ("constraints within %.2g"):format(self.constraint_drift)),
  }
  local counts = {}
  for _, pair in ipairs{ { "event", "events" }, { "impact", "impacts" }, { "switch", "switches" } } do
    local singular, what = pair[1], pair[2]
    local n = what == "impacts" and math.max(#self.impacts, o.impacts or 0) or #self[what]
    if n > 0 then counts[#counts + 1] = ("%d %s"):format(n, n == 1 and singular or what) end
  end
  if #counts > 0 then lines[#lines + 1] = "  " .. table.concat(counts, ", ") end
  local gained = 0
  for _, i in ipairs(self.impacts) do if creates_energy(self, i) then gained = gained + 1 end end
  if gained > 0 then lines[#lines + 1] = ("  energy is created by %d impact%s: check the law"):format(gained, gained > 1 and "s" or "") end
  for _, n in ipairs(self.notes) do lines[#lines + 1] = "  note: " .. n.text end
  for _, c in ipairs(self.equations.watched and self.system.constraints or {}) do
    lines[#lines + 1] = ("  '%s' is left by %.2g at most, with reactions by law"):format(c.name, self.constraint_residual[c.name])
  end
  if o.status == "INACCURATE" then lines[#lines + 1] = "  inaccurate: " .. o.message
  elseif o.status ~= "OK" then lines[#lines + 1] = ("  stopped before t = %g: %s"):format(self.span[2], o.message) end
  return table.concat(lines, "\n")
end

local function header(self)
  local parameters = {}
  for i, symbol in ipairs(self.observer.parameters) do
    parameters[i] = core.name(symbol) .. " = " .. object.number(self.observer.values[i])
  end
  local o = self.options
  local lines = {
    "program: " .. files.program(), "system: " .. self.system.name, "parameters: " .. table.concat(parameters, ", "),
    "form: " .. self.equations.form, "method: " .. o.method,
    ("tolerances: rtol = %s, atol = %s"):format(object.number(o.rtol), object.number(o.atol)),
    "projection: " .. (o.project and "on" or "off"), "outcome: " .. (self.reason or "reached the end"),
  }
  for _, c in ipairs(self.system.constraints) do lines[#lines + 1] = "constraint: " .. c.name .. ": " .. core.text(c.f) .. " = 0" end
  return files.header(lines)
end

local function save_npz(run, path, o, names, program)
  local arrays, count = {}, 0
  for i, name in ipairs(names) do arrays[i] = { name, {} } end
  visit(run, o, program, function(k, t, row)
    count = k
    arrays[1][2][k] = t
    for i = 1, #row do arrays[i + 1][2][k] = row[i] end
  end)
  files.write("run:save", path, core.npz(arrays))
  return count
end

--- Saves t, coordinates, velocities and multipliers as CSV: header lines "# key: value", a line of names, 17 digits; a name that ends in .npz
--- gives the same columns as NumPy arrays: numpy.load("run.npz")["x'"].
--- Options: { n = 500 } equally spaced times, { times = {...} }; the steps of the run otherwise. Returns the number of rows.
--- A name that ends in .hamel keeps the whole run, dense output included, for hm.load.
function Trajectory:save(path, given)
  local o = options.check("save", series_schema, given)
  if type(path) ~= "string" then fail("run:save takes a file name") end
  if path:find "%.hamel$" then
    if given then fail("run:save: a .hamel file keeps the whole run; it takes no options") end
    return files.writers.hamel(self, path)
  end
  if not path:find "%.csv$" and not path:find "%.npz$" then fail("run:save: '%s' should end in .csv, .npz (NumPy) or .hamel (the whole run)", path) end
  local names, wanted = { "t" }, {}
  local q = self.observer.coordinates
  for i, name in ipairs(self.names) do names[#names + 1], wanted[i] = name, q[i] end
  for i, name in ipairs(self.names) do names[#names + 1], wanted[#wanted + 1] = name .. "'", q[i].dot end
  for i, name in ipairs(self.equations.names) do
    names[#names + 1], wanted[#wanted + 1] = "lambda." .. name, self.observer:multiplier(i)
  end
  for i, name in ipairs(self.observer.gap_names or {}) do names[#names + 1], wanted[#wanted + 1] = "lambda." .. name, self.observer.reactions[i] end
  for _, item in ipairs(self.observer.frictions or {}) do
    for a, symbol in ipairs(item) do names[#names + 1], wanted[#wanted + 1] = "friction." .. item.name .. item.suffixes[a], symbol end
  end
  for _, wall in ipairs(object.keys(self.observer.rough or {})) do
    for a, symbol in ipairs(self.observer.rough[wall]) do names[#names + 1], wanted[#wanted + 1] = ("rough.%s[%d]"):format(wall, a), symbol end
  end
  if path:find "%.npz$" then return save_npz(self, path, o, names, program_of(self, wanted)) end
  local lines = header(self)
  for i, name in ipairs(names) do names[i] = files.field(name) end
  lines[#lines + 1] = table.concat(names, ",")
  local count = 0
  visit(self, o, program_of(self, wanted), function(k, t, row)
    count = k
    for i = 1, #row do row[i] = object.number(row[i]) end
    table.insert(row, 1, object.number(t))
    lines[#lines + 1] = table.concat(row, ",")
  end)
  files.write("run:save", path, table.concat(lines, "\n") .. "\n")
  return count
end

options.declare("series", series_schema)
options.declare("save", series_schema)

return Trajectory
