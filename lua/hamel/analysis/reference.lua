-- reference.lua: S:reference: values of a motion to thirty digits and more, proved or with evidence, for checking runs in doubles.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local exact = require "hamel.analysis.exact"
local exact_times = require "hamel.analysis.exact_times"
local exact_start = require "hamel.analysis.exact_start"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local asked = require "hamel.run.asked"
local preparation = require "hamel.run.preparation"
local protected = require "hamel.base.protected"
local proved_digits = require "hamel.analysis.proved_digits"
local proved_place = require "hamel.analysis.proved_place"
local quantities = require "hamel.system.quantities"
local simulate = require "hamel.run.simulate"
local start = require "hamel.model.start"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"

local fail = object.fail

local schema = {
  times = { type = "table", list = true, doc = "times, one way from the start, in place of the end time t; t = { start } is then the start" },
  digits = { default = 30, from = 1, to = 30000, type = "number", whole = true, doc = "digits of the result" },
  seconds = { default = 600, above = 0, type = "number", doc = "with hundreds of digits: the longest run that is begun, by an estimate of its time" },
  prove = { type = "boolean", doc = "true: digits are proved in ball arithmetic, or it is an error; false: evidence in quadruple precision; when not given, "
    .. "proved where a number of steps that takes seconds is enough. More than 32 digits and those of completed starts always are" },
}
for _, rows in ipairs{ preparation.schema, enclosed.schema } do
  for name, row in pairs(rows) do schema[name] = row end
end
schema.t = simulate.run_schema.t

-- Values of a model's parameters as texts: those of the system, then the constants
local function parameter_texts(system, override, lifter)
  local texts = {}
  for i, s in ipairs((compile.parameter_values(system, override))) do
    local name = core.name(s)
    local value = override and system:value_in_si(name, override[name], "parameters")
    if value == nil then value = system._exact[name] or system._values[name] end
    texts[i] = exact.text(value, ("parameters.%s"):format(name))
  end
  return table.move(lifter.texts, 1, #lifter.texts, #texts + 1, texts)
end

-- The start in coordinates and velocities, completed in quadruple precision: texts
local function completed(system, o, t0, start_text, base, lifter)
  local where = preparation.given_velocities(system, o.v, o.q, o.t, o.parameters)
  local extra = where and asked.conditions(system, where) or {}
  for i, condition in ipairs(extra) do extra[i] = { name = condition.name, f = lifter:expression(condition.f), row = lifter:all(condition.row) } end
  local v = o.v
  if where then v = nil end
  local model = compile.model(base, o.parameters, extra)
  local w = compile.workspace(base, model, o.parameters)
  local x, known = start.complete(system, w, model:state_size(), t0, o.q, v, #base.velocities + #extra, o.parameters)
  local texts, n = {}, #system.coordinate_names
  local places = exact_start.positions(system, o.q)
  local rates = exact_start.rates(system, v, o.q, places, start_text, o.parameters)
  for i, value in ipairs(x) do texts[i] = ("%a"):format(value) end
  for i, name in ipairs(system.coordinate_names) do
    if places[name] then texts[i] = exact.text(places[name], "q." .. name)
    elseif o.q and o.q[name] ~= nil then texts[i] = exact.text(o.q[name], "q." .. name) end
  end
  for i, name in ipairs(motion.of(system).names) do
    if rates[name] then texts[n + i] = exact.text(rates[name], "v." .. name)
    elseif v and v[name] ~= nil then texts[n + i] = exact.text(v[name], "v." .. name) end
  end
  return core.complete_exactly(w, start_text, texts, parameter_texts(system, o.parameters, lifter), known)
end

-- Values of expressions in the states of a form, as texts
local function evaluate(list, inputs, texts) return core.program(inputs, list):eval_quad(texts) end

local function inputs_of(...)
  local inputs = { symbols.t }
  for _, list in ipairs{ ... } do table.move(list, 1, #list, #inputs + 1, inputs) end
  return inputs
end

local function joined(...)
  local texts = {}
  for _, list in ipairs{ ... } do table.move(list, 1, #list, #texts + 1, texts) end
  return texts
end

-- The start in the states of the form
local function states_of(E, o, t0, base, x, parameters, values)
  if not E.from_velocities then return x end
  local mu = {}
  for k, name in ipairs(E.mu and E.names or {}) do mu[k] = exact.text(o.mu[name], "mu." .. name) end
  local n = #base.kin
  local inputs = inputs_of(base.kin, base.dyn, E.mu or {}, parameters)
  local given = joined({ exact.text(t0, "t") }, table.move(x, 1, n + #base.dyn, 1, {}), mu, values)
  local states = table.move(x, 1, n, 1, {})
  return table.move(evaluate(E.from_velocities, inputs, given), 1, #E.dyn, n + 1, states)
end

local KEPT, FINEST = 33, 31            -- decimal places that are kept of the largest size of a state; up to which a start satisfies constraints

-- The digits that two solutions share; raises where they share none. size: the largest of this state on the way, of which rounding leaves the same places in
-- both solutions
local function agreed(a, b, digits, name, t, size)
  local value = math.abs(tonumber(a))
  local kept = size and value > 0 and math.min(digits, KEPT + math.floor(math.log(value/size, 10))) or digits
  local text, count = "", 0
  if kept > 0 then text, count = core.common_digits(a, b, kept) end
  if count > 0 then return text, count end
  -- zero within the resolution of both
  if math.abs(tonumber(a)) < 10.0^-digits and math.abs(tonumber(b)) < 10.0^-digits then return "0", digits end
  fail("reference: at t = %.10g not one digit of %s is certain (%.6g or %.6g); take a shorter time", t, name, tonumber(a), tonumber(b))
end

-- Raises what stopped the solutions again; its advice is for runs, which have methods and tolerances. Where only the number of steps kept a proof from the
-- end, that is the advice. proof: what one that is asked for does, see proved_digits.readily
local function refuse(message, reason, proof)
  if proof == "decides" then fail("reference: %s; and %s", proved_place.cause(message):gsub("^reference: ", ""), reason) end
  local cause = proved_place.cause(message):gsub("^reference: ", "")
  if cause:find "not smooth" then fail("reference: %s; S:simulate follows such motions in doubles", cause) end
  if cause:find("are singular where", 1, true) then
    fail("reference: %s; whether the motion meets this place or passes close to it is not decided: take a shorter time, or a form or coordinates that are \z
      regular there", cause)
  end
  if cause:find "^no motion was found that leads on" then
    fail("reference: %s; the runs in doubles that look for singular places beside the series found no way on: take a shorter time, or other coordinates", cause)
  end
  if cause:find "^the step fell" then
    -- steps of balls go by the terms of the series alone
    fail("reference: %s, as it does before a pole, the end of a root, or a collision; take a shorter time%s", cause,
      proof and "; or, where states or their rates differ by many orders of magnitude, prove = true" or "")
  end
  error(message, 0)
end

-- Decimal places to which a start satisfies the constraints, and the words for the one that it violates most; nil: all that count
local function places_of_start(base, x, t0, inputs, values)
  local list, names = {}, {}
  for _, level in ipairs{ base.positions, base.velocities } do
    for _, one in ipairs(level) do list[#list + 1], names[#names + 1] = one.f, one.name end
  end
  if #list == 0 then return nil end
  local worst, which = 0, nil
  for i, text in ipairs(evaluate(list, inputs, joined({ t0 }, x, values))) do
    local off = math.abs(tonumber(text))
    if off > worst then worst, which = off, names[i] end
  end
  if not (worst > 10.0^-FINEST) then return nil end
  return math.max(1, math.floor(-math.log(worst, 10))), ("the start violates '%s' by %.2g, so that further digits are those of another motion; complete = true "
    .. "moves it onto the constraint"):format(which, worst)
end

-- Digits are those of one motion
local function demand_values(o)
  for _, what in ipairs{ "q", "v", "mu", "parameters" } do
    for name, value in pairs(o[what] or {}) do
      if core.is_ball(value) or type(value) == "table" and #value == 2 and symbols.number(value[1]) then
        fail("reference: %s.%s is a box of values, which have no common digits; give one value, or enclose the motions by S:enclosure", what, tostring(name))
      end
    end
  end
end

-- Common digits of two solutions in quadruple precision; reason, proof: why they are not proved, and what a proof that is asked for does
local function evidence(self, o, from, times, reason, proof)
  local t0 = symbols.number(from) + 0.0
  local prepared, _, _, _, _, spec = preparation.prepare(self, o, t0)    -- the form at this start, with its errors
  local lagrange = self:equations "lagrange"
  local lifter = exact.lifter_of(self, lagrange, prepared)
  local base, E = lifter:equations(lagrange), lifter:equations(prepared)
  local x = completed(self, o, t0, exact.text(from, "t"), base, lifter)
  local digits, off = o.digits, nil
  local model = compile.model(E, o.parameters, nil, nil, spec and spec.redundant)
  local w = compile.workspace(E, model, o.parameters)
  local parameters, values = (compile.parameter_values(self, o.parameters)), parameter_texts(self, o.parameters, lifter)
  table.move(lifter.symbols, 1, #lifter.symbols, #parameters + 1, parameters)
  local places, words = places_of_start(base, x, exact.text(from, "t"), inputs_of(base.kin, base.dyn, parameters), values)
  if places and places < digits then digits, off = places, words end
  x = states_of(E, o, from, base, x, parameters, values)
  local size, time_texts = #x, {}
  for k, t in ipairs(times) do time_texts[k] = exact.text(t, "t") end
  local fine, one, two, sizes = protected(core.reference, w, exact.text(from, "t"), x, values, time_texts, o.digits)
  if not fine then refuse(one, reason, proof) end
  local names, velocities = {}, {}
  for i, s in ipairs(E.kin) do names[i], velocities[i] = core.text(s), s.dot end
  for _, s in ipairs(E.dyn) do names[#names + 1] = core.text(s) end
  local inputs, result = inputs_of(E.kin, E.dyn, parameters), {}
  for k, t in ipairs(times) do
    t = symbols.number(t)
    local entry = { t = t, q = {}, v = {}, x = {}, digits = digits, proved = false, reason = off or reason }
    local states, others = table.move(one, (k - 1)*size + 1, k*size, 1, {}), table.move(two, (k - 1)*size + 1, k*size, 1, {})
    local size_of = {}
    local function take(a, b, name)
      local text, count = agreed(a, b, digits, name, t, size_of[name])
      entry.digits = math.min(entry.digits, count)
      return text
    end
    for i, name in ipairs(names) do
      size_of[name] = sizes[(k - 1)*size + i]
      entry.x[name] = take(states[i], others[i], name)
    end
    local function velocities_at(x_texts) return evaluate(E.v or velocities, inputs, joined({ time_texts[k] }, x_texts, values)) end
    local rates, other_rates = velocities_at(states), velocities_at(others)
    for i, name in ipairs(self.coordinate_names) do
      entry.q[name], entry.v[name] = entry.x[names[i]], take(rates[i], other_rates[i], name .. "'")
    end
    result[k] = entry
  end
  return result
end

--- Computes a reference solution by Taylor series: S:reference{ q =, v =, t = 10, digits = 30, form =, parameters = }. Returns { t =, q = texts by
--- coordinate, v = texts by velocity, x = all states as texts by name, digits =, proved = } at the end, or a list of these at times = {...}.
--- Digits are proved in ball arithmetic, each up to one unit of the last one: `proved` is true, `radius` the largest radius of the balls, `bits` their
--- precision; a value below 10^-digits in size is "0". Up to 32 digits that are not readily proved (more than 8 states, not analytic, lost, a build
--- without Arb, too many steps) are evidence in quadruple precision: `proved` is false and `reason` says why. The motion is then computed twice, with
--- different series and steps, and only the common digits of both solutions are returned, at most `digits` of them (field `digits`: the least number): as many
--- as rounding leaves beside the largest size of the state on the way, and as the start satisfies the constraints.
--- Without `prove`, a proof takes at most max(300, 150000/((o + 5)(1 + s))) steps, which take a few seconds: o operations of the equations, which depend on
--- s states.
--- prove = true, complete = true and more than 32 digits insist on the proof, which may take long; prove = false takes the evidence.
--- Runs to hundreds of digits whose estimated time is longer than `seconds` are refused with the estimate.
--- Exact input: 1/3 as an expression or text, "9.81", 0.1 and hm.pi/6. A number such as math.sqrt(2) is the double that it is. Missing velocities
--- and positions are computed from the constraints in the same precision; complete = true moves given values that violate a constraint onto it,
--- where they leave at most a tenth of the size of its terms.
--- Raises an error if the equations are not formulas (forces in Lua, contacts), if no digit is certain, or where the motion meets a singular place.
function System:reference(given)
  given = quantities.in_seconds(self, "reference", given)
  local o = options.check("reference", schema, given, self)
  o.q, o.v, o.parameters = self:by_name(o.q, "q"), self:by_name(o.v, "v"), self:by_name(o.parameters, "parameters")
  demand_values(o)
  enclosed.demand_formula(self, "reference")
  local from, times = exact_times("reference", o.times, type(given) == "table" and given.t or nil)
  local results, reason, proof
  if o.digits > 32 or o.prove or o.complete then results = proved_digits.at(self, o, from, times)
  elseif o.prove == nil then results, reason, proof = proved_digits.readily(self, o, from, times)
  else reason, proof = "prove = false", "may decide" end
  results = results or evidence(self, o, from, times, reason, proof)
  return o.times and results or results[1]
end

options.declare("reference", schema)

return System
