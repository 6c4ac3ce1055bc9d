-- hybrid.lua: runs with contacts, the user's events, and the places where a form or the geometry of a contact becomes singular.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local contact = require "hamel.system.contact"
local contact_rows = require "hamel.model.contact_rows"
local coupling = require "hamel.equations.coupling"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local slips = require "hamel.model.slips"

local fail = object.fail
local hybrid = {}

-- ---- events

local event_schema = {
  name = { type = "string", doc = "name under which it is recorded" },
  when = { doc = "an expression: all roots and touches are met; or a function f(t, q, v): sampled for changes of sign (max_step bounds the interval)" },
  direction = { type = "string", choices = { "rising", "falling" }, doc = "'rising' or 'falling'; both unless given" },
  terminal = { type = "boolean", doc = "ends the run" },
}

local directions = { rising = 1, falling = -1 }

-- One event as given: { name =, when =, direction =, terminal = }, or an expression or function alone
local function one_event(observer, name, given, place)
  if core.is_expression(given) or type(given) == "function" or type(given) == "string" then given = { when = given } end
  local o = options.check(place, event_schema, given)
  o.name = o.name or name
  if not o.name then fail("%s has no name: { name = \"top\", when = y.dot }", place) end
  if o.when == nil then fail("event '%s': when is missing, the expression whose roots are met", o.name) end
  local event = { name = o.name, direction = directions[o.direction] or 0, terminal = o.terminal or false }
  if type(o.when) == "function" then event.call = o.when
  else event.expression = observer:translate(observer:expression(o.when)) end
  if event.expression and event.expression:is_zero() == true then
    fail("event '%s': %s is zero identically, at every time, so that it has no roots", o.name, core.text(event.expression))
  end
  return event
end

-- A list of events, or a table by name (then in the order of the names)
local function read_events(observer, given)
  if type(given) == "table" and given.when ~= nil and (type(given.when) ~= "table" or type(given.name) == "string") then
    fail("events is a list: events = { { name = ..., when = ... } }, with braces around each event")
  end
  local list, seen = {}, {}
  for i, item in ipairs(given or {}) do list[i] = one_event(observer, nil, item, ("events[%d]"):format(i)) end
  local named = {}
  for key in pairs(given or {}) do if type(key) == "string" then named[#named + 1] = key end end
  table.sort(named)
  for _, key in ipairs(named) do list[#list + 1] = one_event(observer, key, given[key], ("events.%s"):format(key)) end
  for _, event in ipairs(list) do
    if seen[event.name] then fail("there are two events '%s'", event.name) end
    seen[event.name] = true
  end
  return list
end

-- ---- where the form is singular

-- Conditions of the form that change along a run
local function moving_conditions(equations)
  local list = {}
  for _, e in ipairs(equations.condition or {}) do
    if not core.number_value(e) and #core.symbols{ e } > 0 then list[#list + 1] = e end
  end
  return list
end

-- What vanishes, short and without a leading minus, and the sign taken for that
local function upright(e)
  local one, other = core.simplify(e, "auto", nil, { effort = 0.2 }), core.simplify(-e, "auto", nil, { effort = 0.2 })
  if core.text(one):sub(1, 1) == "-" and core.text(other):sub(1, 1) ~= "-" then return core.text(other), -1 end
  return core.text(one), 1
end

-- Contacts whose geometry ends where an expression becomes negative, though the equations are regular behind it
local function guarded(system)
  local list = {}
  for _, touch in ipairs(system:_contacts_of_bodies()) do
    if touch.watch and touch.watch.guard then list[#list + 1] = touch end
  end
  return list
end

local LONGEST = 200                    -- characters of a condition that is printed

-- The words for a condition that vanishes
local function vanishing(e)
  local text = upright(e) .. " = 0"
  return #text > LONGEST and ("a determinant of the velocities that it eliminates vanishes (%d characters)"):format(#text) or text
end

local ADVICE = "choose other velocities to eliminate by dependent = {...}, or 'lagrange'"

local function singular_events(system, equations, observer)
  local list = {}
  for i, e in ipairs(moving_conditions(equations)) do
    list[i] = { name = "singular" .. i, direction = 0, terminal = true, expression = e, hidden = true,
                reason = ("the form '%s' is singular where %s; %s"):format(equations.form, vanishing(e), ADVICE) }
  end
  for _, touch in ipairs(guarded(system)) do
    list[#list + 1] = { name = "contact " .. touch.name, direction = -1, terminal = true, hidden = true, reason = touch.watch.words,
                        expression = observer:translate(system:plain(touch.watch.expression)) }
  end
  return list
end

-- A start where a pivot of the form vanishes against the rows it comes from; a state from which such a place is near
local SINGULAR, NEAR = 1e-9, 1e-3

-- The form's conditions that change along a run, their values at (t, x), and the length of the largest of their rows
local function pivots_at(equations, observer, t, x)
  local list = moving_conditions(equations)
  if #list == 0 or not equations.condition_rows then return {} end
  local largest = 0
  for i, row in ipairs(equations.condition_rows) do
    local sum = 0
    for _, value in ipairs(observer:evaluate(observer:program(row, "condition row " .. i), nil, t, x)) do sum = sum + value*value end
    largest = math.max(largest, math.sqrt(sum))
  end
  return list, observer:evaluate(observer:program(list, "conditions"), nil, t, x), largest
end

--- Where the form is singular close to (t, x), and what to do, for messages; nil where it is not.
function hybrid.singular_nearby(equations, observer, t, x)
  local list, pivots, largest = pivots_at(equations, observer, t, x)
  local least, closest = NEAR, nil
  for i, e in ipairs(list) do
    if math.abs(pivots[i]) < least*largest then least, closest = math.abs(pivots[i])/largest, e end
  end
  return closest and ("close to it the form '%s' is singular, where %s; %s"):format(equations.form, vanishing(closest), ADVICE)
end

--- Raises where the form cannot start: a velocity it eliminates is not determined at (t, x).
---@param names string[]? dependent velocities that serve there
function hybrid.check_regular(equations, observer, t, x, names)
  local list, pivots, largest = pivots_at(equations, observer, t, x)
  for i, e in ipairs(list) do
    local value = pivots[i]
    if not (math.abs(value) > SINGULAR*largest) then
      local text, sign = upright(e)
      value = value == 0 and 0 or sign*value
      fail("the form '%s' is singular at the start: %s is %s there, so that a velocity it eliminates is not determined; choose others by dependent = {%s}",
        equations.form, text, value ~= value and "not finite" or object.number(value),
        names and '"' .. table.concat(names, '", "') .. '"' or "...")
    end
  end
end

-- ---- building

local function functions_of(events, system, velocities_of)
  local names, any = system.coordinate_names, false
  for _, event in ipairs(events) do any = any or event.call ~= nil end
  if not any then return nil end
  return function(index, t, x)
    local event, q, v, rates = events[index], {}, {}, velocities_of(t, x)
    for i, name in ipairs(names) do q[name], v[name] = x[i], rates[i] end
    local answer = event.call(t, q, v)
    local value = options.returned(answer)
    if not value then fail("event '%s' returned %s at t = %g: a number is needed", event.name, type(answer), t) end
    return value
  end
end

--- Does a run of these equations need more than the plain loop?
function hybrid.needed(system, equations, events)
  return contact.any(system) or (events and next(events) ~= nil) or #moving_conditions(equations) > 0 or #guarded(system) > 0
end

--- How often the user's events were met, by name; nil where there are none. meetings: of all events.
function hybrid.counts(events, meetings)
  local counts
  for i, event in ipairs(events) do
    if not event.hidden then
      counts = counts or {}
      counts[event.name] = meetings[i]
    end
  end
  return counts
end

-- The contacts of the specification of a model, to be completed for one run, or of the system
local function contacts_of(system, whole, model_spec)
  local spec = {}
  if not contact.any(system) then return nil end
  if not model_spec.contacts then return contact_rows.spec(system, whole) end
  for key, value in pairs(model_spec.contacts) do spec[key] = value end
  return spec
end

--- What runs and what reads the run: { core, events, contacts }.
---@param model_spec table what the model was made of
function hybrid.new(system, equations, model_spec, workspace, observer, given_events)
  local whole = equations.whole_course
  local coupled = contact.any(system) and coupling.any(system)
  if coupled then fail("a force of %s depends on the multiplier of '%s': that does not go with one-sided constraints or friction", system.name, coupled) end
  slips.check(system, observer)
  local contacts = contacts_of(system, whole or nil, model_spec)
  if contacts and not whole and not compile.takes_contacts(equations) then
    fail("simulate: the form '%s' takes no one-sided constraints and no friction; %s has %s; take form = \"lagrange\" or \"nielsen\"", equations.form,
      system.name, contact.described(system))
  end
  observer:add_contacts(contacts)
  local events = read_events(observer, given_events)
  for _, event in ipairs(singular_events(system, equations, observer)) do events[#events + 1] = event end
  for i, switch in ipairs(whole and whole.switches or {}) do
    events[#events + 1] = { name = "side" .. i, direction = 0, terminal = false, expression = switch.expression, hidden = true,
                            reason = i == 1 and ("the impacts at '%s' accumulate, where the whole-course description ends; take a piecewise run, "
                              .. "such as method = \"dop853\""):format(whole.gap.name) or nil,
                            passage = i == 1, flips = #model_spec.parameters - #whole.switches + i }
  end
  local spec = contacts or { reactions = {} }
  spec.symbols, spec.events = model_spec, events
  spec.rates, spec.multipliers = observer:rates(), equations.multipliers
  local function velocities_of(t, x) return observer:velocities(workspace, t, x) end
  spec.event = functions_of(events, system, velocities_of)
  for _, gap in ipairs(whole and {} or system.gaps) do
    if type(gap.law) == "function" then spec.law = contact_rows.law_function(system, function(x) return velocities_of(0, x) end) end
  end
  return { core = core.hybrid(workspace, spec), events = events, contacts = contacts }
end

-- reading a run: a workspace with the contact mode at each time

local Reader = {}
Reader.__index = Reader

--- In place of a workspace: raw is the trajectory; set point before a state that is stored twice.
function hybrid.reader(hybrid_core, workspace, run)
  return setmetatable({ hybrid = hybrid_core, workspace = workspace, run = run }, Reader)
end

function Reader:set_state(t, x)
  self.workspace:set_state(t, x)
  self.t, self.x, self.a = t, x, nil
end

local function solve(self)
  if self.a then return end
  local raw = rawget(self.run, "raw")
  self.a, self.lambda, self.z = self.hybrid:evaluate(self.point or raw:point_at(self.t), self.t, self.x)
  table.move(self.z, 1, #self.z, #self.lambda + 1, self.lambda)
end

function Reader:acceleration() solve(self) return self.a end
--- Multipliers of two-sided constraints, then reactions of gaps and slips.
function Reader:multipliers() solve(self) return self.lambda end
function Reader:energies() self.workspace:set_state(self.t, self.x) return self.workspace:energies() end
function Reader:residuals() self.workspace:set_state(self.t, self.x) return self.workspace:residuals() end
function Reader:lost_digits(...) return self.workspace:lost_digits(...) end

return hybrid
