-- trajectory.lua: a finished run: values of any expression at any time, drift, tables, CSV.
local core = require "hamel.core"
local object = require "hamel.object"
local options = require "hamel.options"
local symbols = require "hamel.symbols"

local fail = object.fail

local Trajectory = object.class "Trajectory"

--- Used by S:simulate: the record exists before the run, so that an interrupted run keeps what it has.
function Trajectory.new(fields)
  -- what the system is called now: it may be changed after the run
  fields.names = table.move(fields.system.coordinate_names, 1, #fields.system.coordinate_names, 1, {})
  return setmetatable(fields, Trajectory.meta)
end

-- ---- one state

local State = object.class "State"

local function by_name(names, values, offset)
  local t = {}
  for i, name in ipairs(names) do t[name] = values[(offset or 0) + i] end
  return t
end

-- The workspace at this state; stages are computed on demand
local function workspace_at(s)
  local run = rawget(s, "_run")
  run.workspace:set_state(s.t, rawget(s, "_x"))
  return run.workspace
end

-- What the observer of the run says about this state, by name
local function observed(method, names_of)
  return function(s)
    local run = rawget(s, "_run")
    return by_name(names_of(run), run.observer[method](run.observer, run.workspace, s.t, rawget(s, "_x")))
  end
end
local function coordinate_names(run) return run.names end
local function constraint_names(run) return run.equations.names end

local fields = {
  q = function(s) return by_name(rawget(s, "_run").names, rawget(s, "_x")) end,
  v = observed("velocities", coordinate_names),
  a = observed("accelerations", coordinate_names),
  lambda = observed("multipliers", constraint_names),
  energy = function(s) return (workspace_at(s):energies()) end,
}

-- Multipliers of the vakonomic model: the last of the states
function fields.mu(s)
  local run, x = rawget(s, "_run"), rawget(s, "_x")
  if not run.equations.mu then fail("mu belongs to the form 'vakonomic'; this run is '%s'", run.equations.form) end
  return by_name(run.equations.names, x, 2*#run.equations.kin)
end

for name, f in pairs(fields) do
  State.get[name] = function(s)
    local value = f(s)
    rawset(s, name, value)
    return value
  end
end

function State.meta.__tostring(s)
  local run, parts = rawget(s, "_run"), { "t = " .. object.number(s.t) }
  local x, names = rawget(s, "_x"), run.names
  for i, name in ipairs(names) do parts[#parts + 1] = ("%s = %.9g"):format(name, x[i]) end
  local v = fields.v(s)
  for _, name in ipairs(names) do parts[#parts + 1] = ("%s' = %.9g"):format(name, v[name]) end
  return table.concat(parts, "  ")
end

local function state(run, t, x)
  local s = { t = t, _run = run, _x = x }
  for i, name in ipairs(run.names) do s[name] = x[i] end
  return setmetatable(s, State.meta)
end

-- ---- expressions along a run

-- What a text or expression stands for
local function expression_of(run, what)
  if type(what) == "string" then
    local names = run.system:coordinate_list()
    for _, name in ipairs(run.system.parameter_names) do names[#names + 1] = run.system._parameter[name] end
    names[#names + 1] = symbols.t
    local constraint = what:match("^lambda%.(.+)$")
    if constraint then
      for i, name in ipairs(run.equations.names) do if name == constraint then return run.observer:multiplier(i) end end
      fail("there is no constraint '%s'%s", constraint, object.hint(constraint, run.equations.names))
    end
    if what == "energy" then return run.equations.energy or fail("the form '%s' keeps no account of the energy here", run.equations.form) end
    return core.parse(what, names)
  end
  return run.system:check_expression(what, "the expression asked for", 2)
end

local function program_of(run, list) return run.observer:program(list) end
local function evaluate(run, p, t, x) return run.observer:evaluate(p, run.workspace, t, x) end

local function raw(run)
  return rawget(run, "raw") or fail("the run has no states: it never started")
end

local function state_at(run, t)
  if type(t) ~= "number" then fail("run:at(t) takes a time, not %s", type(t)) end
  local last = raw(run):time(raw(run):points())
  local beyond = (run.span[2] - run.span[1])*(t - last) > 0
  if beyond and run.outcome.status ~= "OK" then
    fail("the run stopped at t = %.9g, before t = %g: %s", last, t, run.outcome.message)
  end
  return raw(run):at(t)
end

--- State at time t (dense output): s.x, s.v.x, s.a.x, s.lambda.name, s.energy; or the values of the expressions given:
--- run:at(2, x.dot^2, "lambda.blade").
function Trajectory:at(t, ...)
  local x = state_at(self, t)
  if select("#", ...) == 0 then return state(self, t, x) end
  local list = {}
  for i, what in ipairs{ ... } do list[i] = expression_of(self, what) end
  return table.unpack(evaluate(self, program_of(self, list), t, x))
end

--- Number of stored states: accepted steps + 1.
function Trajectory.meta.__len(self) return raw(self):points() end

--- run[i]: the i-th stored state.
function Trajectory.item(self, i)
  if math.type(i) ~= "integer" or i < 1 or i > raw(self):points() then return nil end
  return state(self, raw(self):time(i), raw(self):state(i))
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
  times = { type = "table", doc = "the times asked for" },
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

--- Values of expressions (or texts: "x", "x'", "lambda.blade", "energy") over the run: a list of times, then one list each.
--- The last argument may be { n = 200 } for equally spaced times or { times = {...} }.
function Trajectory:series(...)
  local wanted = { ... }
  local o = {}
  if type(wanted[#wanted]) == "table" then o = options.check("series", series_schema, table.remove(wanted)) end
  if #wanted == 0 then fail("run:series needs at least one expression") end
  local list, columns = {}, {}
  for i, what in ipairs(wanted) do list[i], columns[i] = expression_of(self, what), {} end
  local p, times = program_of(self, list), times_of(self, o)
  for k, t in ipairs(times) do
    local values = evaluate(self, p, t, state_at(self, t))
    for i = 1, #columns do columns[i][k] = values[i] end
  end
  return times, table.unpack(columns)
end

-- ---- drift

-- Largest residual of a constraint and largest error of the energy balance over the stored states
local function drift(run)
  local r, w = raw(run), run.workspace
  local has_work, size = run.model:has_work(), run.model:state_size()
  local worst, error_, scale, first = 0, 0, 0, nil
  for i = 1, r:points() do
    local x = r:state(i)
    w:set_state(r:time(i), x)
    for _, list in ipairs{ w:residuals() } do
      for _, value in ipairs(list) do worst = math.max(worst, math.abs(value)) end
    end
    local energy, kinetic = 0, 0
    if run.equations.energy then energy, kinetic = w:energies() end
    local work = has_work and x[size] or 0
    first = first or energy
    error_ = math.max(error_, math.abs(energy - first - work))
    scale = math.max(scale, math.abs(kinetic), math.abs(energy), math.abs(work))
  end
  rawset(run, "constraint_drift", worst)
  rawset(run, "energy_drift", not run.equations.energy and 0/0 or scale > 0 and error_/scale or error_)
end

--- Largest |E - E(0) - work| over the stored states, relative to the largest energy met; work of forces, of rheonomic
--- constraints and of explicit time dependence is balanced. E = sum q' dL/dq' - L. nan where a form without multipliers cannot
--- know the work of its reactions.
function Trajectory.get.energy_drift(self)
  drift(self)
  return self.energy_drift
end

--- Largest residual of any constraint (holonomic ones on both levels) over the stored states, in the constraint's own unit.
function Trajectory.get.constraint_drift(self)
  drift(self)
  return self.constraint_drift
end

--- "OK" when the run reached its end, else the reason's name.
function Trajectory.get.status(self) return self.outcome.status end
--- What stopped the run, when and where; nil when it reached its end.
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
  local q = self.equations.kin
  return series_table(self, "run.q", self.names, function(i) return q[i] end)
end
function Trajectory.get.v(self)
  local q = self.equations.kin
  return series_table(self, "run.v", self.names, function(i) return q[i].dot end)
end
function Trajectory.get.lambda(self)
  return series_table(self, "run.lambda", self.equations.names, function(i) return "lambda." .. self.equations.names[i] end)
end

-- ---- printing and saving

function Trajectory.meta.__tostring(self)
  local o = self.outcome
  if not o or not rawget(self, "raw") then return "a run of " .. self.system.name .. " that never started" end
  local lines = {
    ("%s, %s, %s"):format(self.system.name, self.equations.form, self.options.method),
    ("  t = %g to %.9g in %d steps (%d rejected), %d evaluations, %.3g s"):format(self.span[1], o.t, o.steps, o.rejected, o.evaluations, o.seconds),
    (self.equations.energy and ("  energy balance within %.2g (relative), "):format(self.energy_drift) or "  ")
      .. ("constraints within %.2g"):format(self.constraint_drift),
  }
  if o.status ~= "OK" then lines[#lines + 1] = ("  stopped before t = %g: %s"):format(self.span[2], o.message) end
  return table.concat(lines, "\n")
end

local function header(self)
  local parameters = {}
  for i, symbol in ipairs(self.observer.parameters) do
    parameters[i] = core.name(symbol) .. " = " .. object.number(self.observer.values[i])
  end
  local o = self.options
  local lines = {
    "program: hamel " .. core.version, "system: " .. self.system.name, "parameters: " .. table.concat(parameters, ", "),
    "form: " .. self.equations.form, "method: " .. o.method,
    ("tolerances: rtol = %s, atol = %s"):format(object.number(o.rtol), object.number(o.atol)),
    "projection: " .. (o.project and "on" or "off"), "outcome: " .. (self.reason or "reached the end"),
  }
  for _, c in ipairs(self.system.constraints) do lines[#lines + 1] = "constraint: " .. c.name .. ": " .. core.text(c.f) .. " = 0" end
  for i, line in ipairs(lines) do lines[i] = "# " .. line:gsub("[\r\n]+", " ") end
  return lines
end

local function quoted(name)
  return name:find('[",\r\n]') and '"' .. name:gsub('"', '""') .. '"' or name
end

--- Saves t, coordinates, velocities and multipliers as CSV: header lines "# key: value", a line of names, 17 digits.
--- Options: { n = 500 } equally spaced times, { times = {...} }; the steps of the run otherwise. Returns the number of rows.
function Trajectory:save(path, given)
  local o = options.check("save", series_schema, given)
  if type(path) ~= "string" then fail("run:save takes a file name") end
  if not path:find("%.csv$") then fail("run:save writes CSV: '%s' should end in .csv", path) end
  local names, wanted = { "t" }, {}
  local q = self.equations.kin
  for i, name in ipairs(self.names) do names[#names + 1], wanted[i] = name, q[i] end
  for i, name in ipairs(self.names) do names[#names + 1], wanted[#wanted + 1] = name .. "'", q[i].dot end
  for i, name in ipairs(self.equations.names) do
    names[#names + 1], wanted[#wanted + 1] = "lambda." .. name, self.observer:multiplier(i)
  end
  local lines = header(self)
  for i, name in ipairs(names) do names[i] = quoted(name) end
  lines[#lines + 1] = table.concat(names, ",")
  local p, times = program_of(self, wanted), times_of(self, o)
  for _, t in ipairs(times) do
    local row = evaluate(self, p, t, state_at(self, t))
    for i = 1, #row do row[i] = object.number(row[i]) end
    table.insert(row, 1, object.number(t))
    lines[#lines + 1] = table.concat(row, ",")
  end
  local file, message = io.open(path, "w")
  if not file then fail("run:save: cannot write: %s", message) end
  local written, problem = file:write(table.concat(lines, "\n"), "\n")
  local closed, close_problem = file:close()
  if not written or not closed then fail("run:save: cannot write %s: %s", path, problem or close_problem) end
  return #times
end

return Trajectory
