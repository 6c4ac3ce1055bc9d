-- asked.lua: S:accelerations and S:velocities, at one state.
local answer = require "hamel.base.answer"
local attitude = require "hamel.bodies.attitude"
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local impulses = require "hamel.model.impulses"
local kinematics = require "hamel.equations.kinematics"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local lost_digits = require "hamel.run.lost_digits"
local preparation = require "hamel.run.preparation"
local quantities = require "hamel.system.quantities"
local start = require "hamel.model.start"
local states = require "hamel.run.state"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"

local fail = object.fail
local asked = {}

local velocity_schema = setmetatable({
  where = { type = "table", list = true, doc = "further conditions on the velocities: { {expression, value}, ... }" },
}, { __index = preparation.schema })
for name, row in pairs(preparation.schema) do velocity_schema[name] = row end

local function listed(names, values, offset)
  local t = {}
  for i, name in ipairs(names) do t[name] = values[(offset or 0) + i] end
  return t
end

local function by_name(what, names, values, offset) return object.named(what, listed(names, values, offset)) end

-- Values by coordinate, of rotations also those of the body rates
local function with_rates(system, what, q, values)
  for name, value in pairs(attitude.rates(system, q, values)) do values[name] = value end
  return object.named(what, values)
end

-- Rows of the printed answer: rates of body rates have one prime, accelerations of coordinates two
local function rows_of(system, found)
  local rows = {}
  for _, name in ipairs(system.coordinate_names) do rows[#rows + 1] = { name .. "''", found.a[name] } end
  for _, name in ipairs(object.keys(found.a)) do
    if not object.contains(system.coordinate_names, name) then rows[#rows + 1] = { name .. "'", found.a[name] } end
  end
  for _, name in ipairs(object.keys(found.lambda)) do rows[#rows + 1] = { "lambda." .. name, found.lambda[name] } end
  if found.note then rows[#rows + 1] = { "note", found.note } end
  return rows
end

-- A state whose accelerations rounding would leave with too few digits is solved in quadruple precision
local function prepared(self, o)
  local found = table.pack(preparation.prepare(self, o, o.t))
  local part, of_states = lost_digits.at(found[3], o.t, found[4])
  if of_states then
    object.fail("accelerations: the states of the form '%s' hold the velocities to %.2g of the largest only, since masses differ by many orders of magnitude; "
      .. "take form = \"lagrange\"", o.form, part)
  end
  if part and lost_digits.may_refine(self, o) then
    o.elimination = "refined"
    found = table.pack(preparation.prepare(self, o, o.t))
  end
  return table.unpack(found, 1, found.n)
end

--- Accelerations and multipliers at a state: S:accelerations{ q = {...}, v = {...}, t = 0 } returns
--- { a = by coordinate, lambda = by constraint, q =, v = the completed state }; of rotations a and v have the body rates, too, by their names.
--- Missing positions are solved from the holonomic constraints; where these allow another assembly, the field `note` names it. A state of a run is
--- accepted too: S:accelerations(run:at(2)).
function System:accelerations(given)
  local o = options.check("accelerations", preparation.schema, quantities.in_seconds(self, "accelerations", states.as_options(given)), self)
  local equations, _, w, x, observer, _, note = prepared(self, o)
  local names, q = self.coordinate_names, listed(self.coordinate_names, x)
  local found = {
    a = with_rates(self, "a", q, listed(names, observer:accelerations(w, o.t, x))),
    lambda = by_name("lambda", equations.names, observer:multipliers(w, o.t, x)),
    q = object.named("q", q), v = with_rates(self, "v", q, listed(names, observer:velocities(w, o.t, x))), t = o.t,
    note = note,
  }
  local heading = ("%s: accelerations and multipliers at t = %s"):format(self.name, answer.number_text(o.t))
  return answer.entries(found, function(t) return rows_of(self, t) end, heading)
end

--- { {expression, value}, ... } as conditions on the velocities
function asked.conditions(system, where)
  local list = {}
  for i, pair in ipairs(where or {}) do
    local what = ("where[%d]"):format(i)
    if type(pair) ~= "table" or not symbols.number(pair[2] == nil and 0 or pair[2]) then fail("%s is {expression, number}", what) end
    local e = kinematics.in_base(system, system:admit(pair[1], what, 1))
    local f = e - core.number(pair[2] or 0)
    local row = core.gradient(f, system:base_velocity_list())
    for k = 1, #row do row[k] = motion.numbers(system, row[k]) end
    list[i] = { name = ("%s = %s"):format(core.text(e), object.number(symbols.number(pair[2] or 0))),
                f = motion.numbers(system, f), row = row }
  end
  return list
end

--- The velocities and the positions by name of a start that the constraints and the conditions `where` complete, as S:velocities takes it.
function asked.completed(system, given)
  local o = options.check("velocities", velocity_schema, quantities.in_seconds(system, "velocities", states.as_options(given)), system)
  local equations, quasi = system:equations "lagrange", preparation.given_velocities(system, o.v, o.q, o.t, o.parameters)
  local where = table.move(o.where or {}, 1, #(o.where or {}), 1, {})
  if quasi then table.move(quasi, 1, #quasi, #where + 1, where) end
  local extra = asked.conditions(system, where)
  local model = compile.model(equations, o.parameters, extra, nil, nil, impulses.of_system(system) ~= nil)
  local w = compile.workspace(equations, model, o.parameters)
  local x = start.complete(system, w, model:state_size(), o.t, o.q, not quasi and o.v or nil, #equations.velocities + #extra, o.parameters)
  return by_name("v", motion.of(system).names, x, #system.coordinate_names), listed(system.coordinate_names, x)
end

--- Velocities by name that satisfy the constraints, the given v and the conditions `where`:
--- S:velocities{ q = {...}, v = {x = 1}, where = { {x.dot + y.dot, 2} } }; v may name quasi-velocities.
function System:velocities(given) return (asked.completed(self, given)) end

options.declare("accelerations", preparation.schema)
options.declare("velocities", velocity_schema)

return asked
