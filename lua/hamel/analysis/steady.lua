-- steady.lua: S:steady: steady motions: all rates vanish except those of coordinates on which nothing depends.
local attitude = require "hamel.bodies.attitude"
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local preparation = require "hamel.run.preparation"
local protected = require "hamel.base.protected"
local state_units = require "hamel.analysis.state_units"
local symmetry = require "hamel.analysis.symmetry"
local System = require "hamel.system"
local tangent = require "hamel.analysis.tangent"
local variations = require "hamel.analysis.variations"

local fail = object.fail
local Steady = object.class "Steady"

local schema = {
  keep = { type = "table", list = true, doc = "names or expressions that keep their value: { 'theta', \"phi'\", x.dot^2 }" },
  tolerance = { default = 1e-10, above = 0, type = "number", doc = "rates up to this count as zero" },
}
for name, row in pairs(preparation.schema) do schema[name] = row end
local run_schema = variations.schema

local ITERATIONS = 60

local function largest(list)
  local most = 0
  for _, value in ipairs(list) do most = math.max(most, math.abs(value)) end
  return most
end

-- What is to keep its value: the expressions and their gradients by the kept states, as one program
local function keeper(flow, keep)
  local list, n = {}, #(keep or {})
  if n == 0 then return function() return {}, {} end, 0 end
  for i, what in ipairs(keep) do list[i] = flow.observer:expression(what) end
  local states = table.move(flow.E.dyn, 1, #flow.E.dyn, #flow.E.kin + 1, table.move(flow.E.kin, 1, #flow.E.kin, 1, {}))
  for i = 1, n do
    local translated = flow.observer:translate(list[i])
    for _, place in ipairs(flow.kept) do list[#list + 1] = core.diff(translated, states[place]) end
  end
  local program, columns = flow.observer:program(list), #flow.kept
  return function(x)
    local values, rows = flow.observer:evaluate(program, flow.w, flow.t, x), {}
    for i = 1, n do rows[i] = table.move(values, n + (i - 1)*columns + 1, n + i*columns, 1, {}) end
    return table.move(values, 1, n, 1, {}), rows
  end, n
end

-- Units of the kept states, of rates and of kept values near the guess; plain: those of the user
local function units_of(flow, kept_at, plain)
  if plain then
    local list = { states = {}, rate = 1, values = {} }
    for i in ipairs(flow.kept) do list.states[i] = 1 end
    for k in ipairs((kept_at(flow.x))) do list.values[k] = 1 end
    return list
  end
  local units, rate = state_units.at(flow, flow.x)
  local list = { states = units, rate = rate, values = {} }
  for k, gradient in ipairs(select(2, kept_at(flow.x))) do
    local sum = 0
    for i, slope in ipairs(gradient) do sum = sum + (slope*units[i])^2 end
    list.values[k] = state_units.of(math.sqrt(sum))
  end
  return list
end

-- Rates of the kept states without the turning, then the errors of the kept values, in their units
local function residual(flow, x, turning, kept_at, wanted, units)
  local list = symmetry.rates_beside(flow, x, turning)
  for i, unit in ipairs(units.states) do list[i] = list[i]/(unit*units.rate) end
  for i, value in ipairs((kept_at(x))) do list[#list + 1] = (value - wanted[i])/units.values[i] end
  return list
end

-- The same in those of the user
local function in_units_of_user(rates, units)
  local list = {}
  for i, value in ipairs(rates) do
    local unit = units.states[i]
    list[i] = value*(unit and unit*units.rate or units.values[i - #units.states])
  end
  return list
end

-- The state that still changes, or the kept value that is off
local function what_is_left(flow, o, rate, units)
  local states, worst = table.move(flow.E.dyn, 1, #flow.E.dyn, #flow.E.kin + 1, table.move(flow.E.kin, 1, #flow.E.kin, 1, {})), 1
  for i, value in ipairs(rate) do if math.abs(value) > math.abs(rate[worst]) then worst = i end end
  local size = math.abs(in_units_of_user(rate, units)[worst])
  if worst <= #flow.kept then return ("%s still changes at the rate %.2g"):format(core.text(states[flow.kept[worst]]), size) end
  local what = o.keep[worst - #flow.kept]
  return ("%s, a value of `keep`, is off by %.2g"):format(type(what) == "string" and what or core.text(what), size)
end

-- The shortest step in the kept states and in the speeds of turning
local function step_from(flow, x, turning, side, kept_at, units)
  local n, size = #flow.kept, flow.model:state_size()
  local constraints, basis = tangent.constraint_rows(flow.E, flow.observer, flow.w, flow.t, x, flow.kept), {}
  for _, row in ipairs(constraints) do for i, unit in ipairs(units.states) do row[i] = row[i]*unit end end
  for k, u in ipairs(tangent.basis(constraints, n)) do
    basis[k] = {}
    for i, unit in ipairs(units.states) do basis[k][i] = u[i]*unit end
  end
  flow.w:set_state(flow.t, x)
  local flat, rows, right = flow.w:jacobian(), {}, {}
  local turned, fields = symmetry.turned(flow, x, turning, basis), {}
  for k, field in ipairs(turning.fields) do fields[k] = flow:part(field:at(x)) end
  for i, row in ipairs(flow.kept) do
    local unit = units.states[i]*units.rate
    for k, u in ipairs(basis) do
      local sum = -turned[k][i]
      for j, column in ipairs(flow.kept) do sum = sum + flat[(row - 1)*size + column]*u[j] end
      rows[#rows + 1] = sum/unit
    end
    -- speeds of turning count in the unit of rates
    for k = 1, #fields do rows[#rows + 1] = -fields[k][i]/units.states[i] end
  end
  local _, gradients = kept_at(x)
  for k, gradient in ipairs(gradients) do
    for _, u in ipairs(basis) do rows[#rows + 1] = tangent.dot(gradient, u)/units.values[k] end
    for _ = 1, #fields do rows[#rows + 1] = 0.0 end
  end
  for i, value in ipairs(side) do right[i] = -value end
  local step, change = core.least_squares(#right, #basis + #fields, rows, right, 1e-9), {}
  for i = 1, n do
    change[i] = 0.0
    for k, u in ipairs(basis) do change[i] = change[i] + step[k]*u[i] end
  end
  local faster = {}
  for k in ipairs(fields) do faster[k] = step[#basis + k]*units.rate end
  return change, faster
end

local function moved(flow, x, change, length)
  local next_x = table.move(x, 1, #x, 1, {})
  for i, place in ipairs(flow.kept) do next_x[place] = next_x[place] + length*change[i] end
  return flow.w:project(flow.t, next_x, 1e-13)
end

local function turned_faster(turning, faster, length)
  local speed = {}
  for k, value in ipairs(turning.speed) do speed[k] = value + length*faster[k] end
  return { fields = turning.fields, speed = speed }
end

-- How far a step takes the kept states, each against its unit and its guess: where the Jacobian nearly vanishes a whole step leads anywhere
local function reach_of(flow, change, units)
  local most = 0
  for i, place in ipairs(flow.kept) do most = math.max(most, math.abs(change[i])/(units.states[i] + math.abs(flow.x[place]))) end
  return most
end

-- A symmetry that was found near the guess must be one at the answer
local function demand_symmetry(flow, x, turning)
  for k, field in ipairs(turning.fields) do
    if turning.speed[k] ~= 0 and not field:holds(x) then
      fail("steady: the motion found turns in a way that is no symmetry of %s there; take another guess", flow.system.name)
    end
  end
end

-- Newton's method from the guess: state, turning, what is left of the rates and of the kept values, and their units
local function search_in(plain, flow, turning, keep, tolerance)
  local x = flow.x
  local kept_at = keeper(flow, keep)
  local wanted, units = (kept_at(x)), units_of(flow, kept_at, plain)
  local rate, radius = residual(flow, x, turning, kept_at, wanted, units), 1.0
  for _ = 1, ITERATIONS do
    -- near the answer full steps go on while they halve the rates: what is left then is rounding
    local near = largest(rate) <= 0.01*tolerance
    local wanted_rate, shortest = near and 0.5*largest(rate) or largest(rate), near and 1 or 1e-6
    local change, faster = step_from(flow, x, turning, rate, kept_at, units)
    local reach = reach_of(flow, change, units)
    local whole = reach > radius and radius/reach or 1
    local length, next_x, next_turning, next_rate = whole
    repeat
      next_x = moved(flow, x, change, length)
      next_turning = turned_faster(turning, faster, length)
      next_rate = residual(flow, next_x, next_turning, kept_at, wanted, units)
      length = length/2
    until largest(next_rate) < wanted_rate or not (length >= shortest*whole and length > 0)
    if whole < 1 and length == whole/2 then radius = 2*radius end
    if largest(next_rate) >= wanted_rate then break end
    x, turning, rate = next_x, next_turning, next_rate
  end
  return x, turning, rate, units
end

local function found(flow, x, rate, tolerance, units)
  local size = 0
  for i, place in ipairs(flow.kept) do size = math.max(size, math.abs(x[place])/units.states[i]) end
  return largest(rate) <= tolerance*(1 + size)
end

-- The same, once more in the units of the user where those near the guess lead nowhere: they measure how far a step may go
local function search(flow, turning, keep, tolerance)
  local x, turned, rate, units = search_in(false, flow, turning, keep, tolerance)
  if found(flow, x, rate, tolerance, units) then return x, turned, rate, units end
  local fine, other_x, other_turned, other_rate, other_units = protected(search_in, true, flow, turning, keep, tolerance)
  if fine and found(flow, other_x, other_rate, tolerance, other_units) then return other_x, other_turned, other_rate, other_units end
  return x, turned, rate, units
end

-- No steady motion with these values of `keep`; one without them tells that there are too many
local function refuse(flow, o, guessed, rate, units)
  local left = what_is_left(flow, o, rate, units)
  if #(o.keep or {}) > 0 then
    local fine, x, _, other, others = protected(search, flow, guessed, nil, o.tolerance)
    if fine and found(flow, x, other, o.tolerance, others) then
      local list, values = {}, (keeper(flow, o.keep)(x))
      for i, what in ipairs(o.keep) do
        list[i] = ("%s = %.6g"):format(type(what) == "string" and what or core.text(what), values[i])
      end
      fail("steady: no steady motion with these values of `keep` was found: %s; without `keep` there is one, with %s: keep fewer values, or take another "
        .. "guess", left, table.concat(list, ", "))
    end
  end
  fail("steady: no steady motion was found from this guess: %s; take another guess, or keep fewer states; where states turn along with the motion, as "
    .. "x' and y' do in a circle, take velocities that do not, by S:quasi_velocities and form = \"kane\"%s", left,
    symmetry.is_searched(flow) and "" or "; symmetries were not looked for: " .. flow.system.name .. " has too many coordinates")
end

--- Finds a steady motion near a guess: S:steady{ q =, v =, keep = {"theta", "phi'"}, form =, ... }. All rates vanish except those of coordinates on
--- which nothing depends; their positions may be left out of the guess.
--- Turns and shifts of the coordinates that map motions to motions may go on, too (a boat that circles). These symmetries are found from the
--- rates, for up to 20 coordinates.
--- Newton's method with the exact Jacobian on the constraints; where steady motions form a family, the shortest step is taken. `keep` lists names
--- or expressions whose values remain those of the guess.
--- Result: q, v, t, rates, turning (names of the states that turn), keep, form, parameters. S:linearize(st) accepts it,
--- S:simulate{ q = st.q, v = st.v, t = 10 } starts from it. Of rotations, v has the body rates.
--- Raises an error if the method does not converge.
function System:steady(given)
  local form = type(given) == "table" and given.form
  local o = options.check("steady", schema, given, self)
  if not form then o.form = self:default_form() end
  for _, name in ipairs(variations.run_names) do o[name] = run_schema[name].default end
  o.q = tangent.completed(self, o)
  local flow = variations.flow(self, "steady", o, o.t + 0.0)
  local guessed = symmetry.turning(flow, flow.x)
  local x, turning, rate, units = search(flow, guessed, o.keep, o.tolerance)
  if not found(flow, x, rate, o.tolerance, units) then refuse(flow, o, guessed, rate, units) end
  demand_symmetry(flow, x, turning)
  local q, v = {}, {}
  local velocities = flow.observer:velocities(flow.w, flow.t, x)
  for i, name in ipairs(self.coordinate_names) do q[name], v[name] = x[i], velocities[i] end
  v = attitude.velocities(self, v, q, o.t, o.parameters)
  return setmetatable({ q = q, v = v, t = o.t,
    rates = largest(in_units_of_user(rate, units)), turning = symmetry.turning_names(flow, x, turning), keep = o.keep, form = o.form,
    parameters = object.copied(self:by_name(o.parameters or {}, "parameters")), _system = self }, Steady.meta)
end

function Steady.meta.__tostring(self)
  local out = { ("%s: steady motion, rates vanish up to %.1g"):format(self._system.name, self.rates) }
  local of_rotation = {}
  for _, R in ipairs(self._system._rotations) do
    local e, w = {}, {}
    for i, q in ipairs(R.quaternion) do
      local name = core.name(q)
      of_rotation[name], e[i] = true, ("%s = %.9g"):format(name, self.q[name])
    end
    for i, name in ipairs(R.rate_names) do w[i] = ("%s = %.9g"):format(name, self.v[name]) end
    out[#out + 1] = "  " .. table.concat(e, ", ")
    out[#out + 1] = "  " .. table.concat(w, ", ")
  end
  for _, name in ipairs(self._system.coordinate_names) do
    if not of_rotation[name] then out[#out + 1] = ("  %s = %.9g, %s' = %.9g"):format(name, self.q[name], name, self.v[name]) end
  end
  if #self.turning > 0 then out[#out + 1] = "  steady but for turning: " .. table.concat(self.turning, ", ") end
  return table.concat(out, "\n")
end

options.declare("steady", schema)

return System
