-- enclosure.lua: S:enclosure: balls that hold a motion, for certain.
local ball = require "hamel.analysis.ball"
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local exact = require "hamel.analysis.exact"
local exact_times = require "hamel.analysis.exact_times"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local preparation = require "hamel.run.preparation"
local quantities = require "hamel.system.quantities"
local simulate = require "hamel.run.simulate"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local protected = require "hamel.base.protected"

local fail = object.fail

local schema = {
  times = { type = "table", list = true, doc = "times, one way from the start, in place of the end time t; t = { start } is then the start" },
  bits = { default = 64, from = 24, to = 100000, type = "number", whole = true, doc = "precision of the computation" },
  order = { from = 2, to = 4000, type = "number", whole = true, doc = "order of the Taylor series; by the bits where it is missing" },
  section = { doc = "where the motion ends: an expression, or { when =, direction = 'rising' (when not given), 'falling' or 'both' }; up to "
    .. "t it must begin to be crossed; motions of a box may cross it a little later, and `time` encloses all of them" },
  at = { doc = "value of the section; 0 where it is missing" },
  crossing = { default = 1, from = 1, to = 1000000, type = "number", whole = true, doc = "which crossing of the section" },
  limit = { default = 1, above = 0, type = "number", doc = "radius, relative to 1 + the size of a state, from which the motion counts as lost" },
}
for _, rows in ipairs{ preparation.schema, enclosed.schema } do
  for name, row in pairs(rows) do schema[name] = row end
end
schema.t = simulate.run_schema.t

local Enclosure = object.class "Enclosure"

function Enclosure.meta.__tostring(self)
  if self.status ~= "OK" then return ("t = %.10g: %s"):format(self.t, self.reason) end
  local only = self.only and (", only of starts in the box that satisfy '%s'"):format(self.only) or ""
  return ("t = %.10g: enclosed, radius %s, %d bits, %d steps of order %d%s"):format(self.t, ball.radius_text(self.x), self.bits, self.steps, self.order, only)
end

-- Fields that not every enclosure has
for _, name in ipairs{ "reason", "energy", "constraint_width", "time", "a", "reactions", "only" } do Enclosure.get[name] = function() return nil end end

--- Balls of expressions and names over the set, as a list: e:values{ "lambda.blade", "x''", x.dot^2 }, all that a state of a run has the values of.
---@param list table
function Enclosure:values(list)
  if type(list) ~= "table" or core.is_expression(list) then fail("values takes a list: e:values{ \"x\", x.dot^2 }") end
  if not self._t then fail("values: of a motion that was lost, or that met no crossing, only the last states are known") end
  local found = {}
  for i, what in ipairs(list) do found[i] = self._motion.observer:expression(what) end
  return self._motion:evaluate(found, self._read, self._t, self.bits)
end

local function named_values(e, names, list)
  local found = {}
  for i, value in ipairs(e._motion:evaluate(list, e._read, e._t, e.bits)) do found[names[i]] = value end
  return found
end

--- Accelerations by coordinate.
function Enclosure.get.a(e)
  if not e._t then return nil end
  local list = {}
  for i, q in ipairs(e._motion.system:coordinate_list()) do list[i] = q.ddot end
  return named_values(e, e._motion.system.coordinate_names, list)
end

--- Generalised reactions by coordinate, of rotations by their body rates, as S:reactions has them.
function Enclosure.get.reactions(e)
  if not e._t then return nil end
  return named_values(e, e._motion:reactions())
end

-- Multipliers that the form computes from its states and their rates
local function put_multipliers(m, result, bits)
  for _, name in ipairs(m.observer.equations.names) do
    local lambda = not result.lambda[name] and m:multiplier(name)
    local fine, found = protected(m.evaluate, m, { lambda or nil }, result._read, result._t, bits)
    if fine then result.lambda[name] = result.lambda[name] or found[1] end
  end
end

-- at: the time as a ball, where it is known exactly
local function entry(m, balls, t, e, o, at)
  local result = m:read(balls)
  result._motion, result._read, result._t = m, { x = result.x, lambda = result.lambda, rates = result.rates, held = result.held }, at
  result.rates, result.held = nil, nil
  if at then put_multipliers(m, result, o.bits) end
  local _, steps, order = e:progress()
  result.t, result.status, result.bits, result.steps, result.order, result.radius = t, "OK", o.bits, steps, order, 0.0
  for _, x in pairs(result.x) do result.radius = math.max(result.radius, x.radius) end
  result.further, result.form, result.only = nil, m.form, m.only
  return setmetatable(result, Enclosure.meta)
end

local directions = { rising = 1, falling = -1, both = 0 }
local counted = { [1] = "rising crossings", [-1] = "falling crossings", [0] = "crossings" }

-- The section of the options: expression, direction; nil where there is none
local function section_of(system, o)
  if o.section == nil then
    if o.at ~= nil then fail("enclosure: at is the value of a section; give section = an expression") end
    return nil
  end
  local when, direction = o.section, "rising"
  if type(when) == "table" and not core.is_expression(when) then
    local given = options.check("section", { when = { doc = "the expression" }, direction = { default = "rising", choices = { "rising", "falling", "both" },
      type = "string", doc = "direction of the crossing" } }, when)
    when, direction = given.when, given.direction
    if when == nil then fail("enclosure: section.when is missing: an expression in coordinates and velocities") end
  end
  if o.times then fail("enclosure: give either a section or times") end
  local e = system:admit(when, "enclosure: section", 1)
  if core.diff(e, symbols.t):is_zero() ~= true then fail("enclosure: the section depends on the time; make the time a coordinate") end
  return e, directions[direction]
end

-- Why the motions of a set were lost. Over a set, a matrix or a root may have no value that each motion has
local function reason_of(m, message)
  if message:find "^lost" then return message end
  local advised = message:find("smaller box", 1, true) or message:find("a later t decides", 1, true)
  return "lost: " .. message .. (m:is_box() and not advised and "; a smaller box goes on where not each motion ends there" or "")
end

-- The balls of the present set: with velocities, multipliers and the energy where these have a value over it
local function last_balls(e)
  local fine, balls = protected(e.values, e)
  return fine and balls or e:states()
end

-- What exact algebra knows of a section that is met and not crossed, in place of the advice of the core
local function of_section(m, section, level, message)
  if not message:find("section: grazing", 1, true) then return message end
  local where = message:match "^(.- at t = [^:]+):"
  if m:keeps(m.further[#m.further], level) then return where .. ": the section is constant along the motions, which never cross it" end
  local base, exponent = table.unpack(core.kind(section) == "power" and core.operands(section) or {})
  if exponent and core.number_value(level) == 0 and (core.number_value(exponent) or 0) > 1 then
    return ("%s: a power of %s has no rate where it vanishes; give section = %s"):format(where, core.text(base), core.text(base))
  end
  return message
end

-- The motion up to its section
local function at_section(m, e, o, t, section, direction)
  local from = (e:progress())
  if symbols.number(t) <= from then fail("enclosure: the section is met forward in time; t must be later than the start") end
  local output = m.shown - #m.further + 1
  local time, found, status, message = e:cross{ output = output, level = exact.ball(o.at or 0, "at", o.bits), finish = exact.ball(t, "t", o.bits),
    direction = direction, count = o.crossing }
  if time then
    local result = entry(m, found, (time.lower + time.upper)/2, e, o, time)
    result.time = time
    return result
  end
  local lost = entry(m, last_balls(e), status and (e:progress()) or symbols.number(t), e, o)
  lost.status = status and "LOST" or "NO_CROSSING"
  lost.reason = ("%d of %d %s up to t = %.10g"):format(found, o.crossing, counted[direction], lost.t)
  if status then lost.reason = reason_of(m, m:advised(e, of_section(m, section, exact.number(o.at or 0, "at"), message))) end
  return lost
end

--- Encloses a motion in balls: S:enclosure{ q =, v =, t = 10, bits = 64, times = nil, order = nil, limit = 1, form =, parameters = }. Returns the
--- balls at the end: fields q, v, a (by coordinate), lambda (by constraint), reactions (generalised, by coordinate), x (states of the form), energy,
--- constraint_width, t, radius, bits, steps, order, status and reason; e:values{"lambda.blade", x.dot^2} gives the balls of anything else; at times = {...} a
--- list of these. The true motion lies in the balls: nothing is estimated, and nothing rounded inward.
--- Numbers are exact: "9.81", "1/3", hm.pi/6. A Lua float that is the double next to a short decimal or fraction, as 0.1 or 1/3, is that number; any
--- other, as 0.1 + 0.2, is the double itself (hm.number shows which). Starts (also `mu`) and parameters may be boxes, hm.ball(2, 1e-6) or {"9.80", "9.82"}:
--- then the balls hold every motion from there. Missing velocities and positions are computed from the constraints, in balls; given values that violate a
--- constraint by more than the precision of the balls are an error, unless complete = true moves them onto it: positions and velocities that leave at most a
--- tenth of the size of the terms of the constraint. With boxes of parameters, the start must satisfy the constraints for each of their values: leave out a
--- coordinate and its velocity, which then follow the parameters, or give complete = true. A box of the start may hold values that violate a constraint; the
--- balls then hold the motions of the others, and `only` names the constraint.
--- section = an expression, or { when =, direction = }, ends the motion where it crosses the section, in the given direction ("rising" when none is
--- given): `time` is then a ball, and all motions of the set cross for the first time within it (crossing = n: for the n-th time). A start on the
--- section leaves it first. Without a crossing in that direction up to t the status is "NO_CROSSING".
--- Where the balls grow beyond `limit`, or no step is proved, the result has status "LOST" and a reason, with the time and the balls of the last good
--- set. The enclosure is of the equations as printed: where these cancelled a factor, of those without it.
--- Method: Taylor series in ball arithmetic with bounds of their tails, sets of Lohner (1987) between the steps.
--- Errors: forces in Lua, contacts and measured data, which are no formulas; a build without Arb.
function System:enclosure(given)
  enclosed.demand_balls "enclosure"
  given = quantities.in_seconds(self, "enclosure", given)
  local o = options.check("enclosure", schema, given, self)
  o.q, o.v, o.parameters = self:by_name(o.q, "q"), self:by_name(o.v, "v"), self:by_name(o.parameters, "parameters")
  enclosed.demand_formula(self, "enclosure")
  local from, times = exact_times("enclosure", o.times, type(given) == "table" and given.t or nil)
  local section, direction = section_of(self, o)
  local m = enclosed.new(self, o, "enclosure", symbols.number(from) + 0.0, section and { section })
  local t, balls = exact.ball(from, "t", o.bits), {}
  for i, time in ipairs(times) do balls[i] = exact.ball(time, "t", o.bits) end
  local e = m:open(t, o)
  m.only = m:is_box() and m:demand_every_parameter(t, o.bits) or nil
  if section then return at_section(m, e, o, times[1], section, direction) end
  local results, status, message = e:run(balls)
  for i, one in ipairs(results) do results[i] = entry(m, one, symbols.number(times[i]), e, o, balls[i]) end
  if status then
    local lost = entry(m, last_balls(e), (e:progress()), e, o)
    lost.status, lost.reason = "LOST", reason_of(m, m:advised(e, message))
    results[#results + 1] = lost
  end
  return o.times and results or results[#results]
end

options.declare("enclosure", schema)

return System
