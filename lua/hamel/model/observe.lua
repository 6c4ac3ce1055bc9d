-- observe.lua: values of expressions in coordinates, velocities, accelerations and multipliers at a state of any form.
local ahead = require "hamel.model.ahead"
local core = require "hamel.core"
local compile = require "hamel.model.compile"
local contact_rows = require "hamel.model.contact_rows"
local Equations = require "hamel.equations"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local Observer = object.class "Observer"

local TINY = 1e-300                    -- beside the wall of a whole course

-- Programs by their outputs, kept with the equations for all observers whose parameters are the same
local function shared_programs(equations, parameters)
  local all = rawget(equations, "_programs")
  if not all then
    all = {}
    rawset(equations, "_programs", all)
  end
  local key = Observer.identity(parameters)
  all[key] = all[key] or {}
  return all[key]
end

--- A text that is the same for the same expressions only, for as long as they are kept. (Different symbols may print alike.)
function Observer.identity(list)
  local parts = {}
  for i, e in ipairs(list) do parts[i] = core.is_expression(e) and ("%p"):format(e) or tostring(e) end
  return table.concat(parts, " ")
end

--- For equations and parameter values given by name (nil: the declared ones).
function Observer.new(equations, override)
  local self = { equations = equations, system = equations.system,
    coordinates = motion.of(equations.system).q, heading = false, reactions = false, gap_names = false, frictions = false, rough = false }
  self.parameters, self.values = compile.parameters_of(equations, override)
  self._programs = shared_programs(equations, self.parameters)
  return setmetatable(self, Observer.meta)
end

--- Symbols of the states that are solved for.
function Observer:rates() return Equations.rates_of(self.equations) end

--- Makes reactions of contacts known: lambda.gap, friction.slip (friction.slip[2] the second direction, friction.slip.spin the
--- moment of a spot), rough.wall[1].
function Observer:add_contacts(contacts)
  self.contacts = contacts
  if not contacts then return end
  self.reactions, self.gap_names, self.frictions = contacts.reactions, {}, {}
  self._programs = {}                  -- reactions are inputs of these
  local n_gaps = #contacts.gaps
  for i, gap in ipairs(contacts.gaps) do self.gap_names[i] = gap.name end
  for j, item in ipairs(contacts.frictions) do
    local first = n_gaps + item.first + 1
    self.frictions[j] = { name = item.name, suffixes = contact_rows.suffixes(item), table.unpack(contacts.reactions, first, first + item.count - 1) }
  end
  self.rough = select(3, contact_rows.by_name(self.system, contacts, contacts.reactions))
end

-- One of the quantities by name that only the vakonomic models have
local function entry(equations, field, name, names)
  local list = equations[field] or fail("mu and p belong to the form 'vakonomic'; this run is '%s'", equations.form)
  for i, known in ipairs(names) do if known == name then return list[i] end end
  fail("there is no '%s'%s", name, object.hint(name, names))
end

-- A rotation or a body of this name, in words, and a vector of it; nil where there is none
local function spatial_owner(system, name)
  for _, R in ipairs(system._rotations) do if R.name == name then return { "a rotation", name .. ".z" } end end
  for _, body in ipairs(system._bodies) do if body.name == name then return { "a body", "b:velocity()" } end end
end

--- What a text or an expression stands for: "x'", "V(r)" of hm.func, "u" of S:quasi_velocities, "mu.f", "p.x", "lambda.blade", "friction.slip x",
--- "energy", x.dot^2.
function Observer:expression(what)
  local system, equations = self.system, self.equations
  if type(what) ~= "string" then return system:check_expression(what, "what is asked for", 2) end
  local constraint, friction, wall = what:match("^lambda%.(.+)$"), what:match("^friction%.(.+)$"), what:match("^rough%.(.+)$")
  if constraint then
    local names = table.move(equations.names, 1, #equations.names, 1, {})
    for i, name in ipairs(equations.names) do if name == constraint then return self:multiplier(i) end end
    for i, name in ipairs(self.gap_names or {}) do
      names[#names + 1] = name
      if name == constraint then return self.reactions[i] end
    end
    fail("there is no constraint '%s'%s", constraint, object.hint(constraint, names))
  elseif friction then
    local names = {}
    for _, item in ipairs(self.frictions or {}) do
      for a, suffix in ipairs(item.suffixes) do
        names[#names + 1] = item.name .. suffix
        if friction == names[#names] or (a == 1 and friction == item.name) then return item[a] end
      end
    end
    fail("there is no friction '%s'%s", friction, object.hint(friction, names))
  elseif wall then
    local name, row = wall:match("^(.-)%[(%d+)%]$")
    local symbol = self.rough and self.rough[name or wall] and self.rough[name or wall][tonumber(row or 1)]
    return symbol or fail("there is no rough row '%s'%s", wall, object.hint(name or wall, object.keys(self.rough or {})))
  end
  local multiplier, momentum = what:match("^mu%.(.+)$"), what:match("^p%.(.+)$")
  if multiplier then return entry(equations, "mu_of", multiplier, equations.names) end
  if momentum then return entry(equations, "momenta", momentum, system.coordinate_names) end
  if what == "energy" then
    return equations.energy or fail("the form '%s' keeps no account of the energy here", equations.form)
  end
  local names, from, to = system:coordinate_list(), {}, {}
  for _, name in ipairs(system.parameter_names) do names[#names + 1] = system._parameter[name] end
  names[#names + 1] = symbols.t
  table.move(system._functions, 1, #system._functions, #names + 1, names)
  if equations.whole_course then names[#names + 1] = equations.whole_course.star end
  for _, name in ipairs(object.keys(system._defined)) do names[#names + 1] = system._defined[name].symbol end
  for i, name in ipairs(system._quasi and system._quasi.names or {}) do
    if not system._coordinate[name] and not system._parameter[name] then
      local u = core.symbol(name, symbols.DYNAMIC)
      names[#names + 1] = u
      from[#from + 1], to[#to + 1] = u, system._quasi.functions[i]
      from[#from + 1], to[#to + 1] = u.dot, core.dt(system._quasi.functions[i])
    end
  end
  local fine, result = protected(core.parse, what, names)
  if fine then return system:defined(system:plain(#from > 0 and core.substitute(result, from, to) or result)) end
  local unknown = tostring(result):match "'([%w_]+)'+ is not a known symbol"
  if not unknown then error(result, 0) end
  local known = table.move(system.parameter_names, 1, #system.parameter_names, 1, { "energy", "t" })
  known = table.move(system.coordinate_names, 1, #system.coordinate_names, #known + 1, known)
  known = table.move(object.keys(system._defined), 1, #object.keys(system._defined), #known + 1, known)
  if equations.whole_course then known[#known + 1] = core.text(equations.whole_course.star) end
  local owner = spatial_owner(system, unknown)
  if owner then
    fail("'%s': '%s' is %s; a vector or a point of it is given itself, not by a text: %s:dot(N.x), b.at", what, unknown, owner[1], owner[2])
  end
  fail("'%s': there is no '%s' here%s; known are coordinates and their derivatives (x, x', x''), quasi-velocities, parameters, t, "
    .. "\"lambda.name\", \"friction.name\", \"energy\"", what, unknown, object.hint(unknown, known))
end

--- The expression in states, rates and multipliers of the form.
function Observer:translate(e)
  local equations = self.equations
  if not equations.v then return e end
  local from, to, folded = {}, {}, equations.whole_course
  for i, q in ipairs(self.coordinates) do
    from[#from + 1], to[#to + 1] = q.dot, equations.v[i]
    from[#from + 1], to[#to + 1] = q.ddot, equations.a[i]
    if folded and folded.index == i then from[#from + 1], to[#to + 1] = q, core.functions.abs(equations.kin[i]) end
  end
  if folded then from[#from + 1], to[#to + 1] = folded.star.dot, equations.kinematic[folded.index].right end
  for _, switch in ipairs(folded and folded.switches or {}) do from[#from + 1], to[#to + 1] = switch.symbol, core.functions.sign(switch.expression) end
  return core.substitute(e, from, to)
end

--- Multiplier of the i-th constraint as an expression for this observer.
function Observer:multiplier(i)
  return self.equations.lambda and self.equations.lambda[i] or self.equations.multipliers[i]
end

--- A program for a list of expressions, made once. `key`: a name for it that no other list has
function Observer:program(list, key)
  key = key or Observer.identity(list)
  local found = self._programs[key]
  if found then return found end
  local e = self.equations
  local outputs, inputs, dynamic = {}, { symbols.t }, {}
  for i, item in ipairs(list) do outputs[i] = self:translate(item) end
  local function add(more) table.move(more, 1, #more, #inputs + 1, inputs) end
  add(e.kin)
  add(e.dyn)
  for _, s in ipairs(Equations.rates_of(e)) do dynamic[s] = true end
  for _, s in ipairs(e.multipliers) do dynamic[s] = true end
  for _, s in ipairs(self.reactions or {}) do dynamic[s] = true end
  add(Equations.rates_of(e))
  add(e.multipliers)
  add(self.reactions or {})
  add(self.parameters)
  local needs_dynamics = false
  for _, s in ipairs(core.symbols(outputs)) do needs_dynamics = needs_dynamics or dynamic[s] or false end
  -- the list keeps its expressions, and with them the key
  found = { program = core.program(inputs, outputs), needs_dynamics = needs_dynamics, list = table.move(list, 1, #list, 1, {}),
            inputs = inputs, outputs = outputs }
  self._programs[key] = found
  return found
end

--- The program of a list of expressions as one that needs no dynamics: accelerations are those of the model at the time and state. nil: these are not all
--- that it needs, or the model has no program for them.
function Observer:program_of_state(list, model)
  local p, e = self:program(list), self.equations
  if not p.needs_dynamics then return p end
  if not model or e.whole_course or self.reactions or self:corners(p) then return nil end
  p.of_state = p.of_state or setmetatable({}, { __mode = "k" })
  if p.of_state[model] == nil then
    local reacts = {}
    for _, s in ipairs(e.multipliers) do reacts[s] = true end
    local reads = false
    for _, s in ipairs(core.symbols(p.outputs)) do reads = reads or reacts[s] or false end
    local program = not reads and model:of_state(p.program, #e.multipliers + #(self.reactions or {})) or nil
    p.of_state[model] = program and { program = program, needs_dynamics = false, list = p.list, inputs = p.inputs, outputs = p.outputs } or false
  end
  return p.of_state[model] or nil
end

--- What the inputs of a program that needs no dynamics are after t: the number of states, and the values behind them.
function Observer:inputs()
  local e, values = self.equations, {}
  for i = 1, #e.dyn + #e.multipliers + #(self.reactions or {}) do values[i] = 0.0 end
  return #e.kin + #e.dyn, table.move(self.values, 1, #self.values, #values + 1, values)
end

-- What a program takes at (t, x)
local function input_of(self, p, workspace, t, x)
  local n, m, l = #self.equations.kin, #self.equations.dyn, #self.equations.multipliers + #(self.reactions or {})
  local input, whole = { t }, self.equations.whole_course
  table.move(x, 1, n + m, 2, input)
  -- on the wall of a whole course: the side to which it passes
  if whole and x[whole.index] == 0 then input[1 + whole.index] = x[n + 1] < 0 and -TINY or TINY end
  local rates, lambda
  if p.needs_dynamics then
    workspace:set_state(t, x)
    rates, lambda = workspace:acceleration(), workspace:multipliers()
  end
  for i = 1, m do input[#input + 1] = rates and rates[i] or 0.0 end
  for i = 1, l do input[#input + 1] = lambda and lambda[i] or 0.0 end
  return table.move(self.values, 1, #self.values, #input + 1, input)
end

--- The corners of velocities by states in what a program evaluates along a run; false: it has none.
function Observer:corners(p)
  local e = self.equations
  if not self.heading then return false end
  if p.corners == nil then p.corners = e.v and not e.whole_course and ahead.corners(e.v, e, p.inputs) and ahead.corners(p.outputs, e, p.inputs) or false end
  return p.corners
end

--- Values of a program's expressions at (t, x); the workspace is used where accelerations or multipliers are needed. In a run (self.heading: its direction
--- of time) velocities that jump on a corner are those behind it.
function Observer:evaluate(p, workspace, t, x)
  local input = input_of(self, p, workspace, t, x)
  local corners = self:corners(p)
  local list = corners and ahead.of(corners, input, self.heading)
  return (list and list ~= corners.list and core.program(p.inputs, list) or p.program):eval(input)
end

--- The same in quadruple precision, as texts; states and parameters are doubles.
function Observer:evaluate_quad(p, workspace, t, x)
  local input = input_of(self, p, workspace, t, x)
  for i, value in ipairs(input) do input[i] = ("%a"):format(value) end
  return p.program:eval_quad(input)
end

--- Outputs of a program at many times and states, a flat list with `size` numbers each, as a flat list; nil: it takes accelerations or reactions as well.
function Observer:evaluate_all(p, times, list, size)
  local e = self.equations
  if p.needs_dynamics or e.whole_course or self:corners(p) then return nil end
  return p.program:eval_runs(times, nil, #times, list, size, #e.kin + #e.dyn, #e.dyn + #e.multipliers + #(self.reactions or {}), self.values)
end

--- A sentence on the first of these values that is none: which expression, which part of it, where; nil where all are finite. pick: of that value only
function Observer:missing(p, values, workspace, t, x, pick)
  for i = pick or 1, pick or #values do
    if values[i] - values[i] ~= 0 then
      return ("'%s' has no value at t = %.10g: %s"):format(core.text(p.list[i]), t,
        symbols.why_no_value(p.outputs[i], p.inputs, input_of(self, p, workspace, t, x)))
    end
  end
end

-- Coordinates, velocities, accelerations, multipliers at (t, x), as lists
local function symbols_of(self, order)
  local list = {}
  for i, q in ipairs(self.coordinates) do list[i] = core.undot(q, order) end
  return list
end

function Observer:velocities(workspace, t, x)
  if not self.equations.v then return table.move(x, #self.equations.kin + 1, 2*#self.equations.kin, 1, {}) end
  return self:evaluate(self:program(symbols_of(self, 1), "velocities"), workspace, t, x)
end

function Observer:accelerations(workspace, t, x)
  return self:evaluate(self:program(symbols_of(self, 2), "accelerations"), workspace, t, x)
end

function Observer:multipliers(workspace, t, x)
  local list = {}
  for i = 1, #self.equations.names do list[i] = self:multiplier(i) end
  return self:evaluate(self:program(list, "multipliers"), workspace, t, x)
end

return Observer
