-- steady.lua: S:steady: steady motions: all rates vanish except those of coordinates on which nothing depends.
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local preparation = require "hamel.run.preparation"
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

local function rates_at(flow, x)
  flow.w:set_state(flow.t, x)
  return flow:part(flow.w:rate())
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

-- Rates of the kept states without the turning, then the errors of the kept values
local function residual(flow, x, turning, kept_at, wanted)
  local list = rates_at(flow, x)
  for k, field in ipairs(turning.fields) do
    for i, value in ipairs(turning.speed[k] ~= 0 and flow:part(field:at(x)) or {}) do list[i] = list[i] - turning.speed[k]*value end
  end
  for i, value in ipairs((kept_at(x))) do list[#list + 1] = value - wanted[i] end
  return list
end

-- Symmetries of the flow that move kept states, at the speeds that come closest to the rates
local function turning_of(flow, x)
  local fields, columns = {}, {}
  for _, field in ipairs(symmetry.fields(flow, x)) do
    local column = flow:part(field:at(x))
    if largest(column) > 1e-9 then fields[#fields + 1], columns[#columns + 1] = field, column end
  end
  local flat = {}
  for i = 1, #flow.kept do for k = 1, #fields do flat[#flat + 1] = columns[k][i] end end
  local speed = #fields > 0 and core.least_squares(#flow.kept, #fields, flat, rates_at(flow, x), 1e-9) or {}
  return { fields = fields, speed = speed }
end

-- The state that still changes, or the kept value that is off
local function what_is_left(flow, o, rate)
  local states, worst = table.move(flow.E.dyn, 1, #flow.E.dyn, #flow.E.kin + 1, table.move(flow.E.kin, 1, #flow.E.kin, 1, {})), 1
  for i, value in ipairs(rate) do if math.abs(value) > math.abs(rate[worst]) then worst = i end end
  local size = math.abs(rate[worst])
  if worst <= #flow.kept then return ("%s still changes at the rate %.2g"):format(core.text(states[flow.kept[worst]]), size) end
  local what = o.keep[worst - #flow.kept]
  return ("%s, a value of `keep`, is off by %.2g"):format(type(what) == "string" and what or core.text(what), size)
end

-- How the turning changes along each direction
local function turned_directions(flow, x, turning, basis)
  local list = {}
  for k, u in ipairs(basis) do
    local sum = {}
    for i = 1, #flow.kept do sum[i] = 0.0 end
    for f, field in ipairs(turning.fields) do
      local part = turning.speed[f] ~= 0 and flow:part(field:along(x, flow:whole(u))) or {}
      for i, value in ipairs(part) do sum[i] = sum[i] + turning.speed[f]*value end
    end
    list[k] = sum
  end
  return list
end

-- The shortest step in the kept states and in the speeds of turning
local function step_from(flow, x, turning, side, kept_at)
  local basis, n, size = flow:tangents(flow.t, x), #flow.kept, flow.model:state_size()
  flow.w:set_state(flow.t, x)
  local flat, rows, right = flow.w:jacobian(), {}, {}
  local turned, fields = turned_directions(flow, x, turning, basis), {}
  for k, field in ipairs(turning.fields) do fields[k] = flow:part(field:at(x)) end
  for i, row in ipairs(flow.kept) do
    for k, u in ipairs(basis) do
      local sum = -turned[k][i]
      for j, column in ipairs(flow.kept) do sum = sum + flat[(row - 1)*size + column]*u[j] end
      rows[#rows + 1] = sum
    end
    for k = 1, #fields do rows[#rows + 1] = -fields[k][i] end
  end
  local _, gradients = kept_at(x)
  for _, gradient in ipairs(gradients) do
    for _, u in ipairs(basis) do rows[#rows + 1] = tangent.dot(gradient, u) end
    for _ = 1, #fields do rows[#rows + 1] = 0.0 end
  end
  for i, value in ipairs(side) do right[i] = -value end
  local step, change = core.least_squares(#right, #basis + #fields, rows, right, 1e-9), {}
  for i = 1, n do
    change[i] = 0.0
    for k, u in ipairs(basis) do change[i] = change[i] + step[k]*u[i] end
  end
  return change, table.move(step, #basis + 1, #basis + #fields, 1, {})
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

-- A symmetry that was found near the guess must be one at the answer
local function demand_symmetry(flow, x, turning)
  for k, field in ipairs(turning.fields) do
    if turning.speed[k] ~= 0 and not field:holds(x) then
      fail("steady: the motion found turns in a way that is no symmetry of %s there; take another guess", flow.system.name)
    end
  end
end

-- Names of the kept states that turn, now or, by the rate of the turning, in a moment
local function turning_names(flow, x, turning)
  local names, scale, rate = {}, 1e-8*(1 + largest(x)), rates_at(flow, x)
  local rate_of_rate = turned_directions(flow, x, turning, { rate })[1]
  for i, value in ipairs(rate) do
    if math.abs(value) > scale or math.abs(rate_of_rate[i]) > scale then names[#names + 1] = flow.names[i] end
  end
  return names
end

--- Finds a steady motion near a guess: S:steady{ q =, v =, keep = {"theta", "phi'"}, form =, ... }. All rates vanish except those of coordinates on
--- which nothing depends.
--- Turns and shifts of the coordinates that map motions to motions may go on, too (a boat that circles). These symmetries are found from the
--- rates, for up to 8 coordinates.
--- Newton's method with the exact Jacobian on the constraints; where steady motions form a family, the shortest step is taken. `keep` lists names
--- or expressions whose values remain those of the guess.
--- Result: q, v, t, rates, turning (names of the states that turn). It is accepted by S:simulate, and by S:linearize if no state turns.
--- Raises an error if the method does not converge.
function System:steady(given)
  local R = self._rotations[1]
  if R then
    fail("S:steady: '%s' of %s is a rotation by a unit quaternion, which never comes to rest while the body turns: turn its frame by three angles "
      .. "(N:rotate) for steady motions; S:equilibrium finds states of rest", R.name, self.name)
  end
  local form = type(given) == "table" and given.form
  local o = options.check("steady", schema, given)
  if not form then o.form = self:default_form() end
  for _, name in ipairs(variations.run_names) do o[name] = run_schema[name].default end
  local flow = variations.flow(self, "steady", o, o.t + 0.0)
  local x = flow.x
  local kept_at = keeper(flow, o.keep)
  local wanted = (kept_at(x))
  local turning = turning_of(flow, x)
  local rate = residual(flow, x, turning, kept_at, wanted)
  for _ = 1, ITERATIONS do
    if largest(rate) <= 0.01*o.tolerance then break end
    local change, faster = step_from(flow, x, turning, rate, kept_at)
    local length, next_x, next_turning, next_rate = 1
    repeat
      next_x = moved(flow, x, change, length)
      next_turning = turned_faster(turning, faster, length)
      next_rate = residual(flow, next_x, next_turning, kept_at, wanted)
      length = length/2
    until largest(next_rate) < largest(rate) or length < 1e-6
    if largest(next_rate) >= largest(rate) then break end
    x, turning, rate = next_x, next_turning, next_rate
  end
  if not (largest(rate) <= o.tolerance*(1 + largest(x))) then
    fail("steady: no steady motion was found from this guess: %s; take another guess, or keep fewer states; where states turn along with the motion, as "
      .. "x' and y' do in a circle, take velocities that do not, by S:quasi_velocities and form = \"kane\"", what_is_left(flow, o, rate))
  end
  demand_symmetry(flow, x, turning)
  local q, v = {}, {}
  local velocities = flow.observer:velocities(flow.w, flow.t, x)
  for i, name in ipairs(self.coordinate_names) do q[name], v[name] = x[i], velocities[i] end
  return setmetatable({ q = q, v = v, t = o.t, rates = largest(rate), turning = turning_names(flow, x, turning), _system = self },
    Steady.meta)
end

function Steady.meta.__tostring(self)
  local out = { ("%s: steady motion, rates vanish up to %.1g"):format(self._system.name, self.rates) }
  for _, name in ipairs(self._system.coordinate_names) do
    out[#out + 1] = ("  %s = %.9g, %s' = %.9g"):format(name, self.q[name], name, self.v[name])
  end
  if #self.turning > 0 then out[#out + 1] = "  steady but for turning: " .. table.concat(self.turning, ", ") end
  return table.concat(out, "\n")
end

options.declare("steady", schema)

return System
