-- corners.lua: corners of the equations along a run or at a state, and the values that jump there.
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local protected = require "hamel.base.protected"

local fail = object.fail
local corners = {}

local WITHIN, HALVINGS, JUMP, IMPULSE = 4, 60, 1e-3, 1e-9

-- ---- cuts of atan2(y, x), which jumps by 2 pi where y changes its sign and x is negative

local function replaced(e, node, by, known)
  if e == node then return by end
  if known[e] then return known[e] end
  local list, changed = core.operands(e), false
  for i, operand in ipairs(list) do
    list[i] = replaced(operand, node, by, known)
    changed = changed or list[i] ~= operand
  end
  known[e] = changed and pieces.rebuilt(e, list) or e
  return known[e]
end

local function arcs(list)
  local stack, met, found = table.move(list, 1, #list, 1, {}), {}, {}
  while #stack > 0 do
    local e = table.remove(stack)
    if not met[e] then
      met[e] = true
      local operands = core.operands(e)
      if core.kind(e) == "call" and core.name(e) == "atan2" then found[#found + 1] = e end
      table.move(operands, 1, #operands, #stack + 1, stack)
    end
  end
  return found
end

-- The arc on a side of y = 0: atan2(y sign x, |x|), which is smooth there, and the half turn where x is negative
local function arc_on_side(y, x, side)
  local sign = core.functions.sign(x)
  return core.functions.atan2(y*sign, x*sign) + side*math.pi*(1 - sign)/2
end

local function cuts(list)
  local result = {}
  for _, arc in ipairs(arcs(list)) do
    local operands = core.operands(arc)
    local corner = { g = operands[1], above = {}, below = {} }
    for _, e in ipairs(list) do
      local above = replaced(e, arc, arc_on_side(operands[1], operands[2], 1), {})
      if above ~= e then
        table.insert(corner.above, above)
        table.insert(corner.below, replaced(e, arc, arc_on_side(operands[1], operands[2], -1), {}))
      end
    end
    result[#result + 1] = corner
  end
  return result
end

--- What corners.demand_none looks at: the corners in a list of expressions across which they may jump, as pieces.of, and the cuts of their arcs. The second
--- result: does the list have corners or cuts of any kind?
function corners.of(list)
  local all, result, further = pieces.of(list), {}, cuts(list)
  for _, corner in ipairs(all) do if not pieces.is_continuous(corner) then result[#result + 1] = corner end end
  return table.move(further, 1, #further, #result + 1, result), #all + #further > 0
end

--- Adds the corners across which momenta, the energy or constraints may jump (impulses.of), however little: an impulse acts there. Across a switch in time the
--- energy may jump without one: with the momenta as states nothing is to jump where a mass does.
function corners.add_impulses(list, found, states)
  if not found then return end
  local set, values = gradients.set(states), table.move(found.values, 1, #found.values, 1, {})
  -- velocities of one side that satisfy the conditions of both do not jump
  local function put_velocities(side)
    for i, e in ipairs(#found.kept > 0 and side or {}) do side[i] = core.substitute(e, found.kept, found.velocities) end
  end
  local function add(wanted)
    for _, corner in ipairs((corners.of(values))) do
      if gradients.contains(corner.g, set) == wanted then
        corner.jump = IMPULSE
        put_velocities(corner.above)
        put_velocities(corner.below)
        list[#list + 1] = corner
      end
    end
  end
  add(true)
  if found.free > 0 then table.remove(values, found.free) end
  add(false)
end

--- The corners that the states move, with those where momenta jump, which changes velocities; and the switches in time, if the instant of one depends on
--- parameters that are states (held). Any other switch in time comes at the same instant for all motions beside this one, whose differences pass it.
function corners.by_what_moves(list, states, held)
  local among_held, among_states, moved, timed, any = gradients.set(held), gradients.set(states), {}, {}, false
  for _, s in ipairs(held) do among_states[s] = nil end
  for _, corner in ipairs(list) do
    if corner.jump or gradients.contains(corner.g, among_states) then moved[#moved + 1] = corner
    else
      timed[#timed + 1] = corner
      any = any or gradients.contains(corner.g, among_held)
    end
  end
  return moved, any and timed or {}
end

-- ---- along a run

-- Size of the expressions on both sides, and by how much they differ there, as a list
local function both_sides(flow, corner, t, x)
  local n, list = #corner.above, table.move(corner.below, 1, #corner.below, #corner.above + 1, table.move(corner.above, 1, #corner.above, 1, {}))
  local values, size, jump = flow.observer:evaluate(flow.observer:program(list), flow.w, t, x), {}, {}
  for i = 1, n do size[i], jump[i] = math.max(math.abs(values[i]), math.abs(values[n + i])), math.abs(values[i] - values[n + i]) end
  return size, jump
end

-- Is the right-hand side another on the other side of the zero of g between two times of a run?
local function jumps_between(flow, corner, state_at, from, to, g_at)
  local left, right = from, to
  if g_at(from) == 0 then right = from
  elseif g_at(to) == 0 then left = to end
  for _ = 1, HALVINGS do
    local middle = (left + right)/2
    if middle == left or middle == right then break end
    if (g_at(middle) > 0) == (g_at(from) > 0) then left = middle else right = middle end
  end
  local _, jump = both_sides(flow, corner, right, state_at(right))
  local one, two = both_sides(flow, corner, from, state_at(from)), both_sides(flow, corner, to, state_at(to))
  -- a value that vanishes at the corner has no jump there: it is compared with its values beside it
  for i, change in ipairs(jump) do if not (change <= (corner.jump or JUMP)*math.max(one[i], two[i])) then return right end end
  return nil
end

--- Calls visit(corner, t) where the right-hand side jumps across one of the corners along a run with values between the steps and with `count` directions.
--- values_of: of a corner, its argument as a function of the time; nil: it depends on the states.
function corners.visit_jumps(flow, list, raw, count, visit, values_of)
  local function state_at(t) return flow:split(raw:at(t), count) end
  local function along(corner)
    local program = flow.observer:program{ corner.g }
    return function(t) return flow.observer:evaluate(program, flow.w, t, state_at(t))[1] end
  end
  for _, corner in ipairs(list) do
    local g_at = (values_of or along)(corner)
    local last, before = raw:time(1), g_at(raw:time(1))
    for i = 2, raw:points() do
      local start, stop = raw:time(i - 1), raw:time(i)
      for k = 1, WITHIN do
        local t = k == WITHIN and stop or start + (stop - start)*k/WITHIN
        local value = g_at(t)
        local place = (before == 0 or value == 0 or (before > 0) ~= (value > 0)) and jumps_between(flow, corner, state_at, last, t, g_at)
        if place then visit(corner, place) end
        last, before = t, value
      end
    end
  end
end

local function refuse(what, corner, place)
  fail("%s: %s at t = %.10g, where %s changes its sign, and variational equations do not hold across a jump; "
    .. "a smooth law in its place, such as tanh for sign, has them", what,
    corner.jump and "momenta, the energy or constraints jump" or "the right-hand side jumps", place, core.text(corner.g))
end

--- Raises where the right-hand side jumps along such a run: variational equations do not hold across a jump.
function corners.demand_none(flow, raw, what, count)
  corners.visit_jumps(flow, flow.corners, raw, count, function(corner, place) refuse(what, corner, place) end)
end

--- Raises where a run that failed stopped at most `ahead` before a place where momenta, the energy or constraints jump: steps onto constraints fail beyond it.
function corners.demand_none_ahead(flow, raw, what, count, ahead)
  if #flow.corners == 0 or raw:points() == 0 then return end
  local t = raw:time(raw:points())
  local x, further = flow:split(raw:state(raw:points()), count), {}
  flow.w:set_state(t, x)
  local rate = flow.w:rate()
  for i, value in ipairs(x) do further[i] = value + ahead*(rate[i] or 0) end
  for _, corner in ipairs(flow.corners) do
    local program = corner.jump and flow.observer:program{ corner.g }
    local function g_at(...) return flow.observer:evaluate(program, flow.w, ...)[1] end
    if program and g_at(t, x)*g_at(t + ahead, further) <= 0 then
      local size, jump = both_sides(flow, corner, t + ahead, further)
      for i, change in ipairs(jump) do if change > IMPULSE*size[i] then refuse(what, corner, t) end end
    end
  end
end

-- ---- at a state

local AT, SMOOTH = 1e-8, 1e-7

--- Raises where the equations or their derivatives by the states (symbols) are not the same on both sides of a corner at (t, x).
function corners.demand_smooth(list, states, observer, w, t, x, what)
  local size = 1
  for _, value in ipairs(x) do size = math.max(size, math.abs(value)) end
  for _, corner in ipairs(pieces.of(list)) do
    if math.abs(observer:evaluate(observer:program{ corner.g }, w, t, x)[1]) <= AT*size then
      local all = {}
      for _, side in ipairs{ corner.above, corner.below } do
        for _, e in ipairs(side) do
          all[#all + 1] = e
          table.move(core.gradient(e, states), 1, #states, #all + 1, all)
        end
      end
      local values, largest, n = observer:evaluate(observer:program(all), w, t, x), 0, #all//2
      for _, value in ipairs(values) do largest = math.max(largest, math.abs(value)) end
      for i = 1, n do
        if not (math.abs(values[i] - values[n + i]) <= SMOOTH*largest) then
          fail("%s: the equations are not smooth at this state, where %s is zero: they have no first approximation there", what, core.text(corner.g))
        end
      end
    end
  end
end

-- Bases of powers that are no whole powers, each once
local function bases(list)
  local stack, met, found = table.move(list, 1, #list, 1, {}), {}, {}
  while #stack > 0 do
    local e = table.remove(stack)
    local operands = core.operands(e)
    local n = not met[e] and core.kind(e) == "power" and core.number_value(operands[2])
    if n and (n % 1 ~= 0 or n < 0) then found[#found + 1] = operands[1] end
    if not met[e] then table.move(operands, 1, #operands, #stack + 1, stack) end
    met[e] = true
  end
  return found
end

--- The Jacobian of a workspace at (t, x), whose expressions these are. Raises where it has no value, with the root that vanishes there.
function corners.jacobian(list, observer, w, t, x, what)
  local fine, flat = protected(w.jacobian, w)
  if fine then return flat end
  local size = 1
  for _, value in ipairs(x) do size = math.max(size, math.abs(value)) end
  for _, base in ipairs(bases(list)) do
    if math.abs(observer:evaluate(observer:program{ base }, w, t, x)[1]) <= AT*size then
      fail("%s: a root or power of %s, which is zero at this state, has no derivative there that can be evaluated; take a state beside it", what,
        core.text(base))
    end
  end
  error(flat, 0)
end

return corners
