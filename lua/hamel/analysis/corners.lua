-- corners.lua: where equations are not smooth: arguments of signs, absolute values, maxima and minima, and what changes across their zeros.
local core = require "hamel.core"
local exact = require "hamel.analysis.exact"
local object = require "hamel.object"

local fail = object.fail
local corners = {}

-- Values where the argument is on the side 1 or -1 of zero
local sides = {
  sign = function(side) return core.rational(side) end,
  abs = function(side, a) return side*a end,
  max = function(side, a, b) return side > 0 and a or b end,
  min = function(side, a, b) return side > 0 and b or a end,
}

local function is_corner(e) return core.kind(e) == "call" and sides[core.name(e)] ~= nil end

-- What changes its sign there
local function argument(e)
  local list = core.operands(e)
  return list[2] and list[1] - list[2] or list[1]
end

-- Arguments of the corners in the expressions, each once
local function arguments(list)
  local seen, found, known = {}, {}, {}
  local function visit(e)
    if seen[e] then return end
    seen[e] = true
    if is_corner(e) then
      local g = argument(e)
      if not known[g] then found[#found + 1], known[g] = g, true end
    end
    for _, operand in ipairs(core.operands(e)) do visit(operand) end
  end
  for _, e in ipairs(list) do visit(e) end
  return found
end

--- Does the expression contain a corner?
function corners.any(e) return #arguments{ e } > 0 end

-- The expression where the argument g is on a side of zero
local function on_side(e, g, side)
  local known = {}
  local function build(node)
    if known[node] then return known[node] end
    local list, result, changed = core.operands(node), node, false
    local here = is_corner(node) and argument(node) == g
    for i, operand in ipairs(list) do
      list[i] = build(operand)
      changed = changed or list[i] ~= operand
    end
    if here then result = sides[core.name(node)](side, list[1], list[2])
    elseif changed then result = exact.rebuilt(node, list) end
    known[node] = result
    return result
  end
  return build(e)
end

--- The corners in a list of expressions: { { g = argument, above = list, below = list }, ... }, the expressions on either side that differ.
function corners.of(list)
  local result = {}
  for _, g in ipairs(arguments(list)) do
    local corner = { g = g, above = {}, below = {} }
    for _, e in ipairs(list) do
      local above, below = on_side(e, g, 1), on_side(e, g, -1)
      if above ~= below then table.insert(corner.above, above) table.insert(corner.below, below) end
    end
    if #corner.above > 0 then result[#result + 1] = corner end
  end
  return result
end

-- ---- along a run

local WITHIN, HALVINGS, JUMP = 4, 60, 1e-3

-- Size of the expressions on both sides, and by how much they differ there, as a list
local function both_sides(flow, corner, t, x)
  local n, list = #corner.above, table.move(corner.below, 1, #corner.below, #corner.above + 1, table.move(corner.above, 1, #corner.above, 1, {}))
  local values, size, jump = flow.observer:evaluate(flow.observer:program(list), flow.w, t, x), {}, {}
  for i = 1, n do size[i], jump[i] = math.max(math.abs(values[i]), math.abs(values[n + i])), math.abs(values[i] - values[n + i]) end
  return size, jump
end

-- Is the right-hand side another on the other side of the zero of g between two states of a run?
local function jumps_between(flow, corner, raw, from, to, g_at)
  local left, right = from, to
  if g_at(from) == 0 then right = from
  elseif g_at(to) == 0 then left = to end
  for _ = 1, HALVINGS do
    local middle = (left + right)/2
    if middle == left or middle == right then break end
    if (g_at(middle) > 0) == (g_at(from) > 0) then left = middle else right = middle end
  end
  local _, jump = both_sides(flow, corner, right, raw:at(right))
  local one, two = both_sides(flow, corner, from, raw:at(from)), both_sides(flow, corner, to, raw:at(to))
  -- what vanishes at the corner has no jump there: it is compared with what it is beside it
  for i, change in ipairs(jump) do if not (change <= JUMP*math.max(one[i], two[i])) then return right end end
  return nil
end

--- Raises where the right-hand side jumps along a run with values between the steps: variational equations do not hold across a jump.
function corners.demand_none(flow, raw, what)
  for _, corner in ipairs(flow.corners) do
    local program = flow.observer:program{ corner.g }
    local function g_at(t) return flow.observer:evaluate(program, flow.w, t, raw:at(t))[1] end
    local last, before = raw:time(1), g_at(raw:time(1))
    for i = 2, raw:points() do
      local start, stop = raw:time(i - 1), raw:time(i)
      for k = 1, WITHIN do
        local t = k == WITHIN and stop or start + (stop - start)*k/WITHIN
        local value = g_at(t)
        local place = (before == 0 or value == 0 or (before > 0) ~= (value > 0)) and jumps_between(flow, corner, raw, last, t, g_at)
        if place then
          fail("%s: the right-hand side jumps at t = %.10g, where %s changes its sign, and variational equations do not hold across a jump; "
            .. "a smooth law in its place, such as tanh for sign, has them", what, place, core.text(corner.g))
        end
        last, before = t, value
      end
    end
  end
end

-- ---- at a state

local AT, SMOOTH = 1e-8, 1e-7

--- Raises where the equations or their derivatives by the states (symbols) are not the same on both sides of a corner at (t, x).
function corners.demand_smooth(list, states, observer, w, t, x, what)
  local size = 1
  for _, value in ipairs(x) do size = math.max(size, math.abs(value)) end
  for _, corner in ipairs(corners.of(list)) do
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

return corners
