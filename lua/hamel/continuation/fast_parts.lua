-- fast_parts.lua: where parts of the equations that depend on the parameter alone change fast within a step, as at a narrow dip of a damping.
--
-- Eigenvalues at the ends of a step and in its middle do not show what lies between them: a dip that is narrower than a hundredth of the range may make a pair
-- pass the axis and come back unseen. Such parts of the equations cost next to nothing to evaluate. So they are looked at in many places of each step, and
-- where straight lines between a few places do not describe them, eigenvalues are looked at, too.
local core = require "hamel.core"
local minima = require "hamel.continuation.minima"
local object = require "hamel.base.object"
local tangent = require "hamel.analysis.tangent"

local fast_parts = {}

local LOOKS = 256                       -- places of a step at which such parts are evaluated
local FIRST, MOST = 2, 16               -- parts of equal length that a step has at first; places that are added to it for each part of the equations
local ROUGH = 0.1                       -- of the change along the step: how well straight lines have to describe a part of the equations
local SLOW = 0.5                        -- change of an argument along a step, below which such a function does not change fast
local SMALL = 1e-6                      -- of the largest change seen, and of the value: a smaller change along a step does not count

-- ---- the parts of the equations

-- Functions that have no narrow dips where their argument is straight, and those that change no faster than it does
local plain = { exp = true, log = true, sqrt = true }
local even = { sin = true, cos = true, sinh = true, cosh = true, tanh = true, atan = true }

-- The slope of a straight formula; nil: it is not straight
local function slope_of(e, p)
  local slope = core.diff(e, p)
  return core.diff(slope, p):is_zero() == true and slope or nil
end

-- May a node of a formula change fast, and back? operands: its own. The second result: the slope of its argument, which says how fast; nil: as fast as may be
local function is_fast(e, operands, p)
  local kind = core.kind(e)
  if kind == "sum" or kind == "product" then return false end
  local slope = slope_of(operands[1], p)
  if kind == "power" then
    local exponent = core.number_value(operands[2])
    return not (exponent and (exponent >= 0 and exponent % 1 == 0 or slope))
  end
  local name = kind == "call" and core.name(e)
  return not (slope and plain[name]), even[name] and slope or nil
end

-- Does a formula of the parameter contain such a node? slopes: a list to which the slopes of their arguments are added; its key `open`: may one be faster?
local function has_fast(e, p, slopes)
  local stack, met, any = { e }, {}, false
  while #stack > 0 do
    local part = table.remove(stack)
    local operands = core.operands(part)
    if not met[part] and #operands > 0 and object.contains(core.symbols{ part }, p) then
      met[part] = true
      local fast, slope = is_fast(part, operands, p)
      if fast then
        any, slopes.open = true, slopes.open or not slope
        slopes[#slopes + 1] = slope
      end
      for _, operand in ipairs(operands) do stack[#stack + 1] = operand end
    end
  end
  return any
end

-- Does a formula depend on the parameter p, and beside it on constants alone?
local function is_of(e, p, constants)
  local any = false
  for _, s in ipairs(core.symbols{ e }) do
    if s == p then any = true elseif not object.contains(constants, s) then return false end
  end
  return any
end

-- The largest parts of the equations that depend on the parameter p alone and may change fast, and slopes: see has_fast
local function found(flow, p)
  local stack, met, list, slopes = tangent.expressions(flow.E, {}), {}, {}, {}
  while #stack > 0 do
    local part = table.remove(stack)
    if not met[part] then
      met[part] = true
      if is_of(part, p, flow.observer.parameters) then
        if has_fast(part, p, slopes) then list[#list + 1] = part end
      else
        for _, operand in ipairs(core.operands(part)) do stack[#stack + 1] = operand end
      end
    end
  end
  return list, slopes
end

-- The largest slope of the arguments; infinite where a part may change faster
local function steepness(flow, slopes, x)
  local most = slopes.open and math.huge or 0
  local values = most == 0 and flow.observer:evaluate(flow.observer:program(slopes), flow.w, flow.t, x) or {}
  for _, value in ipairs(values) do most = math.max(most, math.abs(value)) end
  return most
end

-- The parts of the equations of a problem as a program; false: there are none. y: a point
local function prepared(problem, y)
  if problem.fast_parts == nil then
    local flow = problem.flow
    local k = flow and flow.E.held and #flow.E.held == 1 and #(problem.places or {}) == 1 and not problem.beside and problem.places[1]
    local list, slopes = {}, {}
    if k then list, slopes = found(flow, flow.E.held[1]) end
    problem.fast_parts = #list > 0 and { place = k, count = #list, program = flow.observer:program(list), most = {},
      steepness = steepness(flow, slopes, problem.space.state(y)) } or false
  end
  return problem.fast_parts
end

-- ---- along a step

-- The value along a step, on the cubic with its slopes at both ends
local function value_along(from, to)
  local length, along = to.length, tangent.dot(to.tangent, from.tangent)
  local one, other = from.slope*length, to.slope*length/along
  return function(s)
    return from.value*(1 + 2*s)*(1 - s)^2 + to.value*s^2*(3 - 2*s) + one*s*(1 - s)^2 - other*s^2*(1 - s)
  end
end

-- The number of the place between two knots at which the values are farthest from the straight line between them, and how far
local function farthest(values, a, b)
  local most, at = 0, nil
  for i = a + 1, b - 1 do
    local off = math.abs(values[i] - values[a] - (values[b] - values[a])*(i - a)/(b - a))
    if off > most then most, at = off, i end
  end
  return most, at
end

-- Numbers of places between which straight lines describe values: those that are added to the ones that a step has at first, and these beside them
local function knots_of(values, rough)
  local knots, is_added, count = {}, {}, 0
  for i = 0, FIRST do knots[i + 1] = i*LOOKS//FIRST end
  while count < MOST do
    local most, at, behind = rough, nil, nil
    for k = 2, #knots do
      local off, i = farthest(values, knots[k - 1], knots[k])
      if i and off > most then most, at, behind = off, i, k end
    end
    if not at then break end
    table.insert(knots, behind, at)
    is_added[at], count = true, count + 1
  end
  local list = {}
  for k = 2, #knots - 1 do
    if is_added[knots[k]] or is_added[knots[k - 1]] or is_added[knots[k + 1]] then list[#list + 1] = knots[k] end
  end
  return list
end

-- The place of an extreme value beside the number i, as a part of the step; of others the place of this number
local function refined(f, values, i)
  local before, here, after = values[i - 1], values[i], values[i + 1]
  if (here - before)*(here - after) <= 0 then return i/LOOKS end
  local sign = here < before and 1 or -1
  return (select(2, minima.between(function(s) return sign*f(s) end, (i - 1)/LOOKS, (i + 1)/LOOKS)))
end

--- Lengths within a step from a point at which parts of the equations that depend on the parameter alone change fast, in order.
function fast_parts.within(problem, from, to)
  local parts = prepared(problem, from.y)
  if not parts or #from.y ~= #to.y or not (to.length > 0) then return {} end
  if parts.steepness*math.abs(to.value - from.value) < SLOW then return {} end
  if to.fast_places then return to.fast_places end
  local flow, x, value = problem.flow, problem.space.state(from.y), value_along(from, to)
  local place = flow.kept[parts.place]
  if x[place] ~= from.value then return {} end
  local function at(s)
    x[place] = value(s)
    return flow.observer:evaluate(parts.program, flow.w, flow.t, x)
  end
  local all, places = {}, {}
  for i = 0, LOOKS do all[i] = at(i/LOOKS) end
  for n = 1, parts.count do
    local values, low, high, size = {}, math.huge, -math.huge, 0
    for i = 0, LOOKS do
      values[i] = all[i][n]
      low, high, size = math.min(low, values[i]), math.max(high, values[i]), math.max(size, math.abs(values[i]))
    end
    local change = high - low
    parts.most[n] = math.max(parts.most[n] or 0, change)
    if change > SMALL*math.max(parts.most[n], size) and change < math.huge then
      for _, i in ipairs(knots_of(values, ROUGH*change)) do places[#places + 1] = refined(function(s) return at(s)[n] end, values, i)*to.length end
    end
  end
  table.sort(places)
  to.fast_places = places
  return places
end

return fast_parts
