-- enclosed.lua: motions in ball arithmetic: the equations of a form as programs of exact numbers, the start completed on the constraints in
-- balls. S:enclosure, S:reference beyond 32 digits and S:prove_periodic are built on it.
local asked = require "hamel.run.asked"
local compile = require "hamel.model.compile"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local coupling = require "hamel.equations.coupling"
local exact = require "hamel.analysis.exact"
local forms = require "hamel.forms"
local exact_start = require "hamel.analysis.exact_start"
local hybrid = require "hamel.run.hybrid"
local impulses = require "hamel.model.impulses"
local kinematics = require "hamel.equations.kinematics"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local orbit_integrals = require "hamel.analysis.orbit_integrals"
local preparation = require "hamel.run.preparation"
local protected = require "hamel.base.protected"
local start = require "hamel.model.start"
local symbols = require "hamel.algebra.symbols"
local tangent = require "hamel.analysis.tangent"
local timeless = require "hamel.analysis.timeless"

local fail = object.fail
local enclosed = {}

--- Refuses builds without ball arithmetic.
function enclosed.demand_balls(what)
  if core.has_arb then return end
  fail("%s: this build has no ball arithmetic; install libflint-arb-dev (Debian 12) or FLINT 3 and build again", what)
end

-- A value that runs in doubles take
local function nearest(value)
  if core.is_ball(value) then return (value.lower + value.upper)/2 end
  if type(value) == "table" and #value == 2 and type(value[1]) ~= "table" then
    local low, high = symbols.number(value[1]), symbols.number(value[2])
    if low and high then return (low + high)/2 end
  end
  return value
end

-- Of the values by name, those of boxes replaced
local function nearest_of(record)
  if type(record) ~= "table" then return record end
  local result = {}
  for name, value in pairs(record) do result[name] = type(name) == "string" and nearest(value) or value end
  return result
end

-- Why the formulas of the motion may lack an impulse; nil: they do not
local function hidden_impulse(system)
  if not impulses.of_system(system) then return nil end
  local E = system:equations "lagrange"
  return impulses.hidden(system, tangent.expressions(E, {}))
end

--- Refuses systems whose motion is no formula.
function enclosed.demand_formula(system, what)
  if contact.any(system) then fail("%s: %s has %s, whose motion is no single formula", what, system.name, contact.described(system)) end
  local external = system:external_forces()[1]
  if external then fail("%s: the force on '%s' is a Lua function and no formula; give it as an expression", what, core.text(external.coordinate)) end
  local coupled = coupling.any(system)
  if coupled then fail("%s: a force depends on the multiplier of '%s', so that the accelerations are no formula; S:simulate runs it", what, coupled) end
  local hidden = hidden_impulse(system)
  if hidden then fail("%s: %s; S:simulate looks whether a motion gets there; or let the jump be a smooth change over a short time or way", what, hidden) end
end

--- Options of exact starts.
enclosed.schema = {
  complete = { type = "boolean", doc = "given values that violate a constraint by at most a tenth of the size of its terms are moved onto it, in balls; "
    .. "without it they are an error" },
}

local COMPLETED = 0.1                  -- how far given values may be off the constraints then, relative to the size of the terms

-- What `prepare` returned; where values to be moved are further off, its error says how far they may be
local function or_too_far(fine, first, ...)
  if fine then return first, ... end
  if type(first) == "string" and first:find("is violated by", 1, true) then
    first = ("%s (complete = true moves what is off by at most %g of the size of the terms of the constraint)"):format(first, COMPLETED)
  end
  error(first, 0)
end

local MORE_BITS, FROM = 24, 64

--- Bits of starts and parameters, whose errors would otherwise add one of the precision to each step. With few bits, a start may be off the constraints by
--- their precision.
function enclosed.bits_of_numbers(bits) return bits < FROM and bits or bits + MORE_BITS end

local Motion = {}
Motion.__index = Motion

local function append(list, more)
  return table.move(more, 1, #more, #list + 1, list)
end

-- Rows of the constraints whose multipliers the others determine are left out
local function kept_rows(E, implied)
  local A, b, names = {}, {}, {}
  for k, row in ipairs(E.A) do
    local name = (E.row_names or E.names)[k]
    if not object.contains(implied or {}, name) then A[#A + 1], b[#b + 1], names[#names + 1] = row, E.b[k], name end
  end
  return A, b, names
end

local function vanishes(e) return not e or core.number_value(e) == 0 or core.is_expression(e) and e:is_zero() == true end

-- Is the energy of the equations an integral of the motion?
local function keeps_energy(E)
  if not E.energy or E.carried or not vanishes(E.power) then return false end
  for _, power in ipairs(E.multiplier_power or {}) do if not vanishes(power) then return false end end
  return true
end

-- Starts are completed in doubles first
local function demand_doubles(o, what)
  for _, part in ipairs{ "q", "v", "mu", "parameters" } do
    for name, value in pairs(o[part] or {}) do
      local near = type(value) == "string" and symbols.number(value)
      if near and math.abs(near) == math.huge then
        fail("%s: %s.%s = %s is beyond the range of doubles, 1.8e308, in which a start is sought; choose other units", what, part, tostring(name), value)
      end
    end
  end
end

--- The motion of a system with checked options { q, v, form, parameters, ... } at the time t0 (a double); what: the function, for messages.
--- further: expressions in coordinates and velocities to be enclosed besides. autonomous: write equations in which the time cancels without it.
function enclosed.new(system, o, what, t0, further, autonomous)
  demand_doubles(o, what)
  local rough = {}
  for name, value in pairs(o) do rough[name] = value end
  rough.q, rough.v, rough.mu, rough.parameters = nearest_of(o.q or o.complete and {}), nearest_of(o.v), nearest_of(o.mu), nearest_of(o.parameters)
  local prepared, observer, spec, _
  if o.complete then
    start.allow(rough.q, COMPLETED)
    prepared, _, _, _, observer, spec = or_too_far(protected(preparation.prepare, system, rough, t0))
  else
    prepared, _, _, _, observer, spec = preparation.prepare(system, rough, t0)
  end
  local lagrange = system:equations "lagrange"
  local lifter = exact.lifter_of(system, lagrange, prepared)
  local base = lifter:equations(lagrange)
  local E = lifter:equations(autonomous and timeless.equations(prepared) or prepared, { "energy" })
  local self = setmetatable({ system = system, o = o, rough = rough, what = what, t0 = t0, lifter = lifter, base = base, E = E, prepared = prepared,
    form = E.form, conservative = keeps_energy(prepared), observer = observer }, Motion)
  self.further = {}
  for i, e in ipairs(further or {}) do self.further[i] = self:expression(e) end
  self:_sort_parameters()
  self:_compile(spec and spec.redundant)
  return self
end

-- Body rates w of which a form has no states: e' = B(e) w with B^T B = 1/4, so that w = 4 B^T e'
local function put_rates(system, E, from, to)
  local velocity = {}
  for i, q in ipairs(E.kin) do velocity[q] = E.v[i] end
  for _, R in ipairs(system._rotations) do
    for _, w in ipairs(R.rates) do
      local terms = {}
      for i, k in ipairs(R.quaternion_rates) do terms[i] = 4*core.diff(k, w)*velocity[R.quaternion[i]] end
      if not object.contains(E.dyn, w) then from[#from + 1], to[#to + 1] = w, core.sum(terms) end
    end
  end
end

--- An expression of the user in the states of the form: velocities by these, direction cosines by quaternions.
function Motion:expression(e)
  local E, from, to = self.E, {}, {}
  e = motion.numbers(self.system, kinematics.in_base(self.system, e))
  if E.v then
    for i, q in ipairs(E.kin) do from[i], to[i] = q.dot, E.v[i] end
    put_rates(self.system, E, from, to)
  end
  return self.lifter:expression(#from > 0 and core.substitute(e, from, to) or e)
end

-- Parameters given as boxes are states at rest, so that what depends on them stays together
function Motion:_sort_parameters()
  local override, system = self.o.parameters, self.system
  self.held, self.fixed, self.held_values, self.fixed_values = {}, {}, {}, {}
  for _, s in ipairs((compile.parameter_values(system, self.rough.parameters))) do
    local name = core.name(s)
    local value = override and override[name]
    if type(value) == "table" then
      value = { system:value_in_si(name, value[1], "parameters"), system:value_in_si(name, value[2], "parameters") }
    elseif value ~= nil then
      value = system:value_in_si(name, value, "parameters")
    else
      value = system._exact[name] or system._values[name]
    end
    local box = type(value) == "table" or core.is_ball(value)
    -- algebra takes the root of the square of a positive symbol for the symbol
    if box and core.known_positive(s) and exact.ball(value, "parameters." .. name, 64):positive() ~= true then
      fail("%s: parameters.%s: the box %s holds numbers that are not positive, but %s is declared by S:positive", self.what, name,
        tostring(exact.ball(value, "parameters." .. name, 64)), name)
    end
    table.insert(box and self.held or self.fixed, s)
    table.insert(box and self.held_values or self.fixed_values, { name = "parameters." .. name, value = value })
  end
end

-- Inputs: t, states, held parameters, parameters, constants in place of numbers
function Motion:_inputs(...)
  local inputs = { symbols.t }
  for _, list in ipairs{ ... } do append(inputs, list) end
  return append(append(append(inputs, self.held), self.fixed), self.lifter.symbols)
end

-- Expressions in sines and cosines alone, up to LARGEST nodes, in their shortest equal form: fewer operations are fewer products of series. Polynomials
-- of more terms are left alone, whose factors may take minutes. The limits are those of size, not of time, so that the same job gives the same balls
local LARGEST, LIMITS = 400, { terms = 60, seconds = 7200 }

local function circular(e)
  if not core.is_expression(e) or core.tree_size(e) > LARGEST then return false end
  local functions = core.functions_in{ e }
  for name in pairs(functions) do if name ~= "sin" and name ~= "cos" then return false end end
  return next(functions) ~= nil
end

-- The numbers that come up are lifted as the others are: a program rounds those that are no doubles
function Motion:_shortest(list)
  local short = {}
  for i, e in ipairs(list) do short[i] = circular(e) and self.lifter:expression((core.simplify(e, "auto", nil, LIMITS))) or e end
  local inputs = self:_inputs(self.E.kin, self.E.dyn)
  return core.program(inputs, short):operations() < core.program(inputs, list):operations() and short or list
end

function Motion:_compile(implied)
  local E = self.E
  local A, b, names = kept_rows(E, implied)
  self.rows, self.drift = A, b
  local equations = append({}, E.k)
  for i = 1, #E.dyn do for j = 1, i do equations[#equations + 1] = E.M[i][j] end end
  append(append(append(equations, compile.flat(A)), E.r), b)
  equations = self:_shortest(equations)
  local rates = E.v
  if not rates then
    rates = {}
    for i, s in ipairs(E.kin) do rates[i] = s.dot end
  end
  local shown = append({}, rates)
  append(append(shown, compile.field(E.positions, "f")), compile.field(E.velocities, "f"))
  if E.energy then shown[#shown + 1] = E.energy end
  append(shown, self.further)
  self.shown = #shown
  self.rates, self.residuals, self.multiplier_names = #rates, #E.positions + #E.velocities, names
  local inputs = self:_inputs(E.kin, E.dyn)
  self.dynamics = core.program(inputs, equations)
  self.values = core.program(inputs, append(append({}, equations), shown))
end

--- The parameters as statements hold them: { symbol, exact value [, the other end of a box] }, boxes first; a ball is itself. Then the constants.
function Motion:parameters()
  local list = {}
  local function add(s, item)
    local value = item.value
    if type(value) == "table" and not core.is_ball(value) then
      list[#list + 1] = { s, exact.number(value[1], item.name), exact.number(value[2], item.name) }
      exact.ball(value, item.name, 64)
    elseif core.is_ball(value) then list[#list + 1] = { s, value }
    else list[#list + 1] = { s, exact.number(value, item.name) } end
  end
  for i, s in ipairs(self.held) do add(s, self.held_values[i]) end
  for i, s in ipairs(self.fixed) do add(s, self.fixed_values[i]) end
  for i, s in ipairs(self.lifter.symbols) do list[#list + 1] = { s, self.lifter.exact[i] } end
  return list
end

--- Is an expression in the states of the form shown to keep a value along the motions that have it?
function Motion:keeps(f, value)
  local E, lower = self.E, {}
  for i = 1, #E.dyn do for j = 1, i do lower[#lower + 1] = E.M[i][j] end end
  local conditions = { { name = "value", f = f, target = value, integral = true } }
  for _, level in ipairs{ E.positions, E.velocities } do
    for _, c in ipairs(level) do conditions[#conditions + 1] = { name = c.name, f = c.f, target = core.rational(0), integral = true } end
  end
  return not orbit_integrals.refuted{ kin = E.kin, dyn = E.dyn, k = E.k, M = lower, A = compile.flat(self.rows), r = E.r, b = self.drift,
    parameters = self:parameters(), conditions = conditions }
end

--- Is the start, or a parameter, a box?
function Motion:is_box()
  local box = #self.held > 0
  for _, record in ipairs{ self.o.q or {}, self.o.v or {}, self.o.mu or {} } do
    for _, value in pairs(record) do box = box or core.is_ball(value) or type(value) == "table" and #value == 2 end
  end
  return box
end

--- How many states, with parameters given as boxes, the rates depend on.
function Motion:moving()
  local count = 0
  for i = 1, #self.E.kin + #self.E.dyn + #self.held do
    if core.program_uses(self.dynamics, 1 + i) then count = count + 1 end
  end
  return count
end

local function numbers(values, bits)
  local list = {}
  for i, item in ipairs(values) do list[i] = exact.ball(item.value, item.name, bits) end
  return list
end

--- An expression of the observer of runs, such as it makes of "x''" and "lambda.blade", in the states, their rates and the multipliers of the form.
function Motion:observed(e)
  e = self.observer:translate(e)
  local from, to = {}, {}
  if self.E.v then put_rates(self.system, self.E, from, to) end
  e = motion.numbers(self.system, e)
  return self.lifter:expression(#from > 0 and core.substitute(e, from, to) or e)
end

--- Balls of such expressions where Motion:read found these states, rates and multipliers: for all of them, whatever they have to do with each other.
function Motion:evaluate(list, read, t, bits)
  local E, outputs, values = self.E, {}, {}
  for i, e in ipairs(list) do outputs[i] = self:observed(e) end
  local function add(found) append(values, found) end
  local inputs = append(append(append({ symbols.t }, E.kin), E.dyn), self.observer:rates())
  for _, s in ipairs(E.kin) do add{ read.x[core.text(s)] } end
  for _, s in ipairs(E.dyn) do add{ read.x[core.text(s)] } end
  add(read.rates)
  for i, name in ipairs(E.names) do
    local found = read.lambda[name]
    if found and E.multipliers[i] then
      inputs[#inputs + 1] = E.multipliers[i]
      add{ found }
    end
  end
  append(append(append(inputs, self.held), self.fixed), self.lifter.symbols)
  add(read.held)
  add(numbers(self.fixed_values, bits))
  add(self.lifter:balls(bits))
  return core.ball_values(core.program(inputs, outputs), t, values, bits)
end

--- The multiplier of a constraint in the observer's terms; nil where the form has none.
function Motion:multiplier(name)
  for i, other in ipairs(self.observer.equations.names) do if other == name then return self.observer:multiplier(i) end end
end

--- Names and expressions of the generalised reactions sum_k lambda_k df_k/dq_s', of rotations by their body rates.
function Motion:reactions()
  local E = self.system:equations "lagrange"
  if forms[self.form].another_motion then
    fail("%s: the form '%s' is another motion, whose multipliers give no reactions of %s", self.what, self.form, self.system.name)
  end
  local names, list = motion.of(self.system).names, {}
  for s = 1, #names do
    local terms = { core.rational(0) }
    for k, row in ipairs(E.A) do
      local name = (E.row_names or E.names)[k]
      local lambda = self:multiplier(name) or fail("%s: the form '%s' has no multiplier of '%s'; the form 'lagrange' has", self.what, self.form, name)
      terms[#terms + 1] = lambda*row[s]
    end
    list[s] = core.sum(terms)
  end
  return names, list
end

-- ---- starts

-- Which entries of the state are given by name
local function given_in(record, names)
  local list = {}
  for i, name in ipairs(names) do list[i] = record and record[name] ~= nil and record[name] or nil end
  return list
end

-- Solves the conditions { name, f, row } for the unknown ones among the inputs behind t that the columns of the rows belong to, from column
-- `first` on. x: balls. Where one is violated: nil, its name and the residual
local function solved(conditions, x, unknown, first, inputs, t, bits)
  if #conditions == 0 then return x end
  local outputs = compile.field(conditions, "f")
  for _, condition in ipairs(conditions) do
    for _, i in ipairs(unknown) do outputs[#outputs + 1] = condition.row[i - first + 1] end
  end
  local found, violated, residual = core.ball_root(core.program(inputs, outputs), t, x, unknown, #conditions, bits)
  if found then return found end
  return nil, conditions[violated].name, residual
end

-- What the start gives, and a start near it in doubles
function Motion:_given()
  if self.given then return self.given end
  local system, o, base, lifter = self.system, self.o, self.base, self.lifter
  local where = preparation.given_velocities(system, self.rough.v, self.rough.q, self.t0, self.rough.parameters)
  local extra = where and asked.conditions(system, where) or {}
  for i, condition in ipairs(extra) do extra[i] = { name = condition.name, f = lifter:expression(condition.f), row = lifter:all(condition.row) } end
  local model = compile.model(base, self.rough.parameters, extra)
  local w = compile.workspace(base, model, self.rough.parameters)
  local rough_v = self.rough.v
  if where then rough_v = nil end
  local near, known = start.complete(system, w, model:state_size(), self.t0, self.rough.q, rough_v, #base.velocities + #extra, self.rough.parameters)
  local rates = motion.of(system).names
  local places = exact_start.positions(system, o.q)
  local turning = exact_start.rates(system, not where and o.v or nil, o.q, places, self.t0, self.rough.parameters)
  local q, v = given_in(o.q, system.coordinate_names), given_in(not where and o.v or nil, rates)
  for i, name in ipairs(system.coordinate_names) do if places[name] then q[i] = places[name] end end
  for i, name in ipairs(rates) do if turning[name] then v[i] = turning[name] end end
  self.given = { near = near, known = known, q = q, v = v, rates = rates, positions = base.positions, velocities = append(append({}, base.velocities), extra) }
  return self.given
end

-- Coordinates and velocities on the constraints, as balls, held and fixed parameters behind them; nil, the constraint that is violated, and its residual.
-- pick: chooses a value from a given one of "start" or "parameters"; nil: takes all of it
function Motion:_completed(t, bits, pick)
  local system, base, complete = self.system, self.base, self.o.complete
  local given = self:_given()
  local n, q, v = #base.kin, given.q, given.v
  local x, unknown_q, unknown_v = {}, {}, {}
  local function ball_of(value, name) return exact.ball(pick and pick(value, "start") or value, name, bits) end
  for i, name in ipairs(system.coordinate_names) do
    x[i] = q[i] ~= nil and ball_of(q[i], "q." .. name) or core.ball(("%a"):format(given.near[i]), bits)
    if q[i] == nil or complete then unknown_q[#unknown_q + 1] = i end
  end
  for i, name in ipairs(given.rates) do
    x[n + i] = v[i] ~= nil and ball_of(v[i], "v." .. name) or core.ball(("%a"):format(given.near[n + i]), bits)
    if v[i] == nil or not given.known[n + i] or complete then unknown_v[#unknown_v + 1] = n + i end
  end
  local states = #x
  for _, item in ipairs(self.held_values) do
    x[#x + 1] = exact.ball(pick and pick(item.value, "parameters") or item.value, item.name, bits)
  end
  append(append(x, numbers(self.fixed_values, bits)), self.lifter:balls(bits))
  local inputs = self:_inputs(base.kin, base.dyn)
  local name, residual
  x, name, residual = solved(given.positions, x, unknown_q, 1, inputs, t, bits)
  if x then x, name, residual = solved(given.velocities, x, unknown_v, n + 1, inputs, t, bits) end
  if not x then return nil, name, residual end
  return x, states
end

-- A value inside a box, another part of the way for each number of the box, so that no relation between boxes is met by chance; nil: no box. Not an
-- end, which may lie outside by rounding
local function value_within(value, try, number)
  local low, high
  if core.is_ball(value) then low, high = value.lower, value.upper
  elseif type(value) == "table" and #value == 2 then low, high = symbols.number(value[1]), symbols.number(value[2]) end
  return low and high and low + (0.05 + 0.9*((0.29*try + 0.618*number) % 1))*(high - low)
end

-- A constraint that some value in the boxes of "start" or "parameters" violates, its residual, and the values in these boxes
function Motion:_violated_within(part, t, bits)
  for try = 1, 3 do
    local values = {}
    local x, name, residual = self:_completed(t, bits, function(value, of)
      local inside = of == part and value_within(value, try, #values)
      if inside then values[#values + 1] = inside end
      return inside or nil
    end)
    if not x then return name, residual, values end
  end
end

--- Refuses boxes of parameters with values that contradict the start: a statement about the box is one about each of its values. Returns the name of a
--- constraint that not all starts in the box of the start satisfy, or nil. A few values are tried: a constraint that holds at these alone is not found.
function Motion:demand_every_parameter(t, bits)
  local given = self:_given()
  if #given.positions + #given.velocities == 0 then return nil end
  bits = enclosed.bits_of_numbers(bits)
  if #self.held > 0 then
    local name, residual, values = self:_violated_within("parameters", t, bits)
    for i, s in ipairs(name and self.held or {}) do values[i] = ("%s = %.10g"):format(core.name(s), values[i]) end
    if name then
      fail("%s: for %s, in the box of the parameters, the start violates '%s': residual %s; leave out a value that the constraints determine, or give \z
        complete = true: the start then follows the parameters", self.what, table.concat(values, ", "), name, tostring(residual))
    end
  end
  return (self:_violated_within("start", t, bits))
end

--- The start in the states of the form, as balls: states, then held parameters; and the values of the other parameters.
function Motion:start(t, bits)
  local E, base = self.E, self.base
  local x, states, residual = self:_completed(t, bits)
  if not x then
    fail("%s: the start violates '%s': residual %s; leave out a value that the constraints determine, or give complete = true", self.what, states,
      tostring(residual))
  end
  local rest = table.move(x, states + 1, #x, 1, {})
  local held = table.move(rest, 1, #self.held, 1, {})
  local parameters = table.move(rest, #self.held + 1, #rest, 1, {})
  local own = table.move(x, 1, states, 1, {})
  if E.from_velocities then
    local mu = {}
    for k, name in ipairs(E.mu and E.names or {}) do mu[k] = exact.ball(self.o.mu[name], "mu." .. name, bits) end
    local program = core.program(self:_inputs(base.kin, base.dyn, E.mu or {}), E.from_velocities)
    local given = append(append(table.move(x, 1, states, 1, {}), mu), rest)
    own = append(table.move(x, 1, #base.kin, 1, {}), core.ball_values(program, t, given, bits))
  end
  return append(own, held), parameters
end

-- ---- runs

--- An enclosure that starts at t: core object, ready to run. o: { bits, order, limit, tangents, most_steps, slack }, the last for tests
function Motion:open(t, o)
  local x, parameters = self:start(t, enclosed.bits_of_numbers(o.bits))
  local e = core.enclosure{ dynamics = self.dynamics, values = self.values, kin = #self.E.kin, dyn = #self.E.dyn, multipliers = #self.multiplier_names,
    held = #self.held, parameters = parameters, bits = o.bits, order = o.order or 0, limit = o.limit or 1, tangents = o.tangents,
    slack = o.slack or 0, most_steps = o.most_steps or 0 }
  e:start(t, x)
  return e
end

--- The message of a motion that was lost; where the form is singular close to the last set of the run e, with what to do about that.
function Motion:advised(e, message)
  if not message:find("singular", 1, true) then return message end
  local x = {}
  for i, ball in ipairs(e:states()) do x[i] = (ball.lower + ball.upper)/2 end
  for i = #x, #self.E.kin + #self.E.dyn + 1, -1 do x[i] = nil end
  local fine, near = protected(hybrid.singular_nearby, self.prepared, self.observer, (e:progress()), x)
  return fine and near and ("%s; %s"):format(message, near) or message
end

-- The velocities of coordinates that the states alone determine, where the accelerations have no value; one that depends on the time is left out
function Motion:_put_velocities(result)
  local E, bits, values = self.E, self.o.bits or 64, {}
  for _, list in ipairs{ E.kin, E.dyn } do
    for _, s in ipairs(list) do values[#values + 1] = result.x[core.text(s)] end
  end
  append(append(append(values, result.held), numbers(self.fixed_values, bits)), self.lifter:balls(bits))
  for i, name in ipairs(self.system.coordinate_names) do
    local rate = E.v and E.v[i] or E.kin[i].dot
    if not timeless.has_time(rate) then
      local fine, found = protected(core.ball_values, core.program(self:_inputs(E.kin, E.dyn), { rate }), core.ball("0", 2), values, bits)
      result.v[name] = fine and found[1] or nil
    end
  end
end

--- What a list of balls of the core means: { q, v, x, lambda, rates, held, energy, constraint_width, further }; of states alone { q, v, x, lambda, held }.
--- rates: of the states behind the coordinates, in their order.
function Motion:read(balls)
  local E, at = self.E, 0
  local function take()
    at = at + 1
    return balls[at]
  end
  local result = { q = {}, v = {}, x = {}, lambda = {}, rates = {}, held = {}, further = {} }
  for i, s in ipairs(E.kin) do
    local x = take()
    result.x[core.text(s)], result.q[self.system.coordinate_names[i]] = x, x
  end
  for _, s in ipairs(E.dyn) do result.x[core.text(s)] = take() end
  for i = 1, #self.held do result.held[i] = take() end
  if at == #balls and self.rates > 0 then
    self:_put_velocities(result)
    return result
  end
  for i = 1, #E.dyn do result.rates[i] = take() end
  for _, name in ipairs(self.multiplier_names) do result.lambda[name] = take() end
  for i = 1, self.rates do
    local name = self.system.coordinate_names[i]
    result.v[name] = take()
  end
  local width, names = 0.0, append(compile.field(E.positions, "name"), compile.field(E.velocities, "name"))
  for i = 1, self.residuals do
    local residual = take()
    if residual:holds(core.ball("0", 2)) == false then
      fail("%s: the enclosure left the constraint '%s': residual %s; please report this", self.what, names[i], tostring(residual))
    end
    width = math.max(width, residual.upper - residual.lower)
  end
  result.constraint_width = width
  if E.energy then result.energy = take() end
  for i = 1, #self.further do result.further[i] = take() end
  return result
end

return enclosed
