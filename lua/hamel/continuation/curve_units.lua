-- curve_units.lua: the units in which the two parameters of a curve of periodic motions are counted.
--
-- Steps along a curve, the steps of differences, and tangents mix parameters with states. So a parameter is counted in units in which both are alike: in a
-- change of it by one unit the end of a period, or the multipliers, would change by about 1 if they went on as at the start. A curve is then the same
-- in whatever units the parameters are given.
local attempt = require "hamel.base.attempt"
local object = require "hamel.base.object"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail

local curve_units = {}

-- How much a number changes with the states, from its derivatives along directions; at least 1
local function steepness(base, row, directions)
  local gradient = {}
  for i = 1, #directions[1] do gradient[i] = 0.0 end
  for k, u in ipairs(directions) do for i, value in ipairs(u) do gradient[i] = gradient[i] + row[k]*value end end
  for _, place in ipairs(base.places) do gradient[place] = 0.0 end
  return math.max(1, math.sqrt(tangent.dot(gradient, gradient)))
end

-- The numbers of a point that change with a parameter: how it misses the equations, as a distance, the condition, and sums of powers of the multipliers,
-- which are smooth where multipliers meet
local function numbers_at(base, special, y, directions, at_instant)
  local F, rows, extra, off, row = base:equations(y, directions, at_instant and special or nil)
  local list = {}
  for i, value in ipairs(F) do list[i] = value/steepness(base, rows[i], directions) end
  list[#list + 1] = off and off/steepness(base, row, directions)
  if at_instant then return list end
  local point = { y = y, directions = directions, rows = rows, extra = extra }
  list[#list + 1] = base:condition(special, point)
  local one, two = 0.0, 0.0
  for _, m in ipairs(point.multipliers) do one, two = one + m.re, two + m.re^2 - m.im^2 end
  list[#list + 1], list[#list + 2] = one, two
  return list
end

-- The largest change between two lists of numbers; of large ones relative to them
local function change_of(one, other)
  local most = 0.0
  for i, value in ipairs(one) do
    local change = math.abs(other[i] - value)/math.max(1, math.abs(value))
    if not (change <= most) then most = change end
  end
  return most
end

local PART, AGAIN = 1e-3, 30            -- of the span, or of the value: the first change that is tried; changes
local LEAST, MOST = 1e-4, 1e-1         -- changes of the numbers from which the unit is read
local SHORTER, LONGER = 16, 1e3

-- The change of the parameter number k by which the numbers change by 1; no larger than the span, where there is one. The second result: do they change?
local function unit_of(base, special, y, directions, at_instant, k, span)
  local place, at_start = base.places[k], numbers_at(base, special, y, directions, at_instant)
  local d = span and PART*span or PART*math.abs(y[place])
  if not (d > 0) then d = PART end
  for _ = 1, AGAIN do
    local step = {}
    for i = 1, #directions[1] do step[i] = i == place and d/base.space.scale[place] or 0.0 end
    local change = math.huge
    for _, way in ipairs{ 1, -1 } do
      local fine, list = attempt(function()
        local ahead = {}
        for i, value in ipairs(step) do ahead[i] = way*value end
        return numbers_at(base, special, base:moved(y, ahead), directions, at_instant)
      end)
      local now = fine and #list == #at_start and change_of(at_start, list) or math.huge
      if now < math.huge then
        change = now
        break
      end
    end
    if change > MOST then
      d = d/math.min(math.max(SHORTER, SHORTER*change), 1e6)
    elseif change >= LEAST then
      return span and math.min(span, d/change) or d/change, true
    elseif span and d >= span/2 then
      return span, false
    else
      d = d*math.min(LONGER, MOST/10/math.max(change, 1e-300))
      if span then d = math.min(d, span) end
    end
  end
  return span or math.max(1, math.abs(y[place])), false
end

local SMALL, REST = 1e6, 10            -- times a tolerance: the size of motions that are known too badly, and of states of rest

-- Is a size so small beside a tolerance that it is known too badly, and no rest?
local function is_small(size, tolerance) return size > REST*tolerance and size < SMALL*tolerance end

--- Raises where the motion at y is as small as what its equations are solved to, in the units of branches (see periodic_units.count_states), or as an
--- absolute tolerance that was given for its runs.
function curve_units.demand_size(base, y)
  local most, largest, scale, atol = 0.0, 0.0, base.space.scale, base.atol_given
  for i, size in ipairs(base:sizes(y)) do most, largest = math.max(most, size/(scale[i] or 1)), math.max(largest, size) end
  if atol and is_small(largest, atol) then
    fail("continue: the motion has the size %.2g, and its runs the absolute tolerance %.2g, which is too little for a curve: give smaller atol =, or leave "
      .. "it out", largest, atol)
  end
  if is_small(most, base.tolerance) then
    fail("continue: the motion is %.2g times as large as the one from which its branch was followed, and its equations hold to %.2g of that one's size, which "
      .. "is too little for a curve: follow the branch from a motion nearer to this special point, or give smaller tolerance = and atol =", most,
      base.tolerance)
  end
end

--- The units of both parameters of a curve of special points of a kind on a base problem, near the point y. spans: between the ends of the parameters, or nil;
--- at_instant: is the condition of the kind one at an instant of the motion? Raises where the motions depend on neither.
function curve_units.of(base, special, y, spans, at_instant, names)
  local directions, units, depend = base:directions(y), {}, false
  for k in ipairs(base.places) do
    local unit, changes = unit_of(base, special, y, directions, at_instant, k, spans and spans[k])
    units[k], depend = unit, depend or changes
  end
  if not depend then
    fail("continue: neither '%s' nor '%s' changes the motion at this %s or its multipliers, so that it is one for all their values; take a parameter on which "
      .. "they depend", names[1], names[2], special)
  end
  return units
end

return curve_units
