-- ahead.lua: expressions at a state on their corners, on the sides to which its motion leads. Beside the state they are continuous in time; on the corner
-- itself a sign has the value zero, which no moment of the motion has.
local branches = require "hamel.model.branches"
local core = require "hamel.core"
local data = require "hamel.algebra.data"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local rebuild = require "hamel.algebra.rebuild"

local ahead = {}

local ROUNDING = 16*2^-52              -- of the terms of an argument: it is zero
local CLEAR = 1e-10                    -- of the terms of its rate: this is not zero
local SAME = 1e-12                     -- of a value: both sides agree
local rates = { tabled_rate = 1, tabled_curve = 2, tabled_jerk = 3 }

-- Derivatives of measured data that may jump at their points: calls
local function jumping_rates(list)
  local found, seen = {}, {}
  local function visit(e)
    if seen[e] then return end
    seen[e] = true
    local order, operands = core.kind(e) == "call" and rates[core.name(e)], core.operands(e)
    if order and data.jumps(core.number_value(operands[1]), order) then found[#found + 1] = e end
    for _, operand in ipairs(operands) do visit(operand) end
  end
  for _, e in ipairs(list) do visit(e) end
  return found
end

--- The corners of expressions in time and place; nil: there are none. E: equations whose states and their rates k are time, kin and dyn among the inputs.
--- Corners in velocities are those of friction, where the motion may stay.
function ahead.corners(list, E, inputs)
  if not branches.any(list) then return nil end
  local of_velocities, found, outputs = {}, {}, table.move(E.k, 1, #E.k, 1, {})
  for _, s in ipairs(E.dyn) do of_velocities[s] = true end
  local function add(g, call)
    for _, s in ipairs(core.symbols{ g }) do if of_velocities[s] then return end end
    found[#found + 1] = { argument = g, call = call }
    outputs[#outputs + 1] = g
    table.move(core.gradient(g, { inputs[1], table.unpack(E.kin) }), 1, 1 + #E.kin, #outputs + 1, outputs)
  end
  for _, g in ipairs(pieces.arguments(list)) do add(g) end
  for _, e in ipairs(jumping_rates(list)) do add(core.operands(e)[2], e) end
  if #found == 0 then return nil end
  return { list = list, found = found, count = #E.kin, inputs = inputs, program = core.program(inputs, outputs) }
end

-- What rounding may make of an argument, and the side to which it moves: 1, -1, or 0 where its rate shows none. slopes: by time and coordinates, with their
-- values and rates
local function course_of(slopes, values, speeds)
  local size, rate, terms = 0, 0, 0
  for i, slope in ipairs(slopes) do
    if slope ~= 0 then size, rate, terms = size + math.abs(slope*values[i]), rate + slope*speeds[i], terms + math.abs(slope*speeds[i]) end
  end
  return ROUNDING*size, math.abs(rate) > CLEAR*terms and (rate > 0 and 1 or -1) or 0
end

-- Derivatives of data where their argument u is a point of them: the value on that side; nil: it is none
local function value_beside(e, u, noise, side)
  local id, order = core.number_value(core.operands(e)[1]), rates[core.name(e)]
  local before, behind = core.data_value(id, u - noise, order), core.data_value(id, u + noise, order)
  if not (math.abs(behind - before) > SAME*(math.abs(behind) + math.abs(before))) then return nil end
  return core.number(side < 0 and before or behind)
end

local function with_value(list, call, value)
  local out, rewritten = {}, rebuild.by(function(_, e) return e == call and value or nil end)
  for i, e in ipairs(list) do out[i] = rewritten(e) end
  return out
end

local function on_side(list, g, side)
  local out = {}
  for i, e in ipairs(list) do out[i] = pieces.on_side(e, g, side) end
  return out
end

local function differs(one, other, inputs, values)
  local a, b = core.program(inputs, one):eval(values), core.program(inputs, other):eval(values)
  for i, x in ipairs(a) do
    if not (math.abs(x - b[i]) <= SAME*(math.abs(x) + math.abs(b[i]))) then return true end
  end
  return false
end

--- The expressions at values of the inputs, on the sides that their motion takes in a direction of time, 1 or -1; the same list where they are on no corner.
--- demand: where the rates do not show the side and both have other values, an error
function ahead.of(corners, values, direction, demand)
  local at, n, list = corners.program:eval(values), corners.count, corners.list
  local speeds = { direction }
  for i = 1, n do speeds[1 + i] = direction*at[i] end
  for i, corner in ipairs(corners.found) do
    local first, g = n + (i - 1)*(2 + n) + 1, corner.argument
    local noise, side = course_of({ table.unpack(at, first + 1, first + 1 + n) }, values, speeds)
    if corner.call then
      local value = side ~= 0 and value_beside(corner.call, at[first], noise, side)
      if value then list = with_value(list, corner.call, value) end
    elseif math.abs(at[first]) <= noise then
      if side ~= 0 then list = on_side(list, g, side)
      elseif demand and differs(on_side(list, g, 1), on_side(list, g, -1), corners.inputs, values) then
        object.fail("the start is on the corner %s = 0, where momenta jump, and its velocities do not show to which side the motion goes; start beside it",
          core.text(g))
      end
    end
  end
  return list
end

--- A function of values of the inputs, and the direction of time, to the other states of a form that it takes from the velocities: those of the side to which
--- the motion goes. base: the equations whose states are among the inputs.
function ahead.carrier(equations, base, inputs)
  local list, plain = equations.from_velocities, nil
  local corners = not equations.whole_course and ahead.corners(list, base, inputs)
  return function(values, direction)
    local here = corners and ahead.of(corners, values, direction, true) or list
    if here ~= list then return core.program(inputs, here):eval(values) end
    plain = plain or core.program(inputs, list)
    return plain:eval(values)
  end
end

return ahead
