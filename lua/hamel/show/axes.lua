-- axes.lua: the axes of a picture: ranges, one scale on both axes, ticks in multiples of pi.
local axes = {}

local MOST_UNEQUAL = 3                 -- ratio of ranges up to which lengths are drawn on one scale
local CONSTANT = 1e-8                  -- relative range below which a curve is constant but for the errors of a run
local DIGITS = 6                       -- of labels, by default
local WIDE, HIGH = 110, 130            -- pixels that labels and title take
local TICK_WIDE, TICK_HIGH = 75, 30    -- pixels between ticks, at least
local MOST_TICKS = 9

local function is_finite(x) return x - x == 0 end

--- Lowest and highest finite value of a column and how many there are; rows may be `false`.
function axes.range(low, high, count, rows, column)
  for _, row in ipairs(rows) do
    local value = row and row[column]
    if value and is_finite(value) then low, high, count = math.min(low, value), math.max(high, value), count + 1 end
  end
  return low, high, count
end

--- The range of several columns: { low =, high =, count =, size = }. columns: { { rows, column }, ... }
function axes.span(columns)
  local low, high, count = math.huge, -math.huge, 0
  for _, c in ipairs(columns) do low, high, count = axes.range(low, high, count, c[1], c[2]) end
  local constant = count > 0 and high - low <= CONSTANT*math.max(math.abs(low), math.abs(high))
  return { low = low, high = high, count = count, constant = constant, size = constant and 0 or high - low }
end

--- Lengths whose ranges differ by a factor of 3 at most are drawn on one scale.
function axes.share_scale(across, upright, x, y)
  if across.kind ~= "length" or upright.kind ~= "length" or x.size <= 0 or y.size <= 0 then return false end
  local ratio = x.size/y.size
  return ratio <= MOST_UNEQUAL and ratio >= 1/MOST_UNEQUAL
end

-- 1, 2 or 5 times a power of ten, not less than x
local function nice(x)
  local power = 10.0^math.floor(math.log(x, 10))
  for _, k in ipairs{ 1, 2, 5, 10 } do if k*power >= x*(1 - 1e-9) then return k*power end end
end

--- Steps of the ticks on one scale: as many as there is room for.
function axes.steps_on_one_scale(x, y, size)
  local wide, high = math.max(50, (size and size[1] or 900) - WIDE), math.max(50, (size and size[2] or 600) - HIGH)
  local pixel = math.max(x.size/wide, y.size/high)
  local function step(range, room) return nice(range/math.max(1, math.floor(range/pixel/room))) end
  return step(x.size, TICK_WIDE), step(y.size, TICK_HIGH)
end

local function pi_text(k, below, pi)
  if k == 0 then return "0" end
  if k % below == 0 then k, below = k//below, 1 end
  local number = k == 1 and pi or k == -1 and "-" .. pi or k .. pi
  return below == 1 and number or number .. "/" .. below
end

--- Ticks in multiples of pi for an angle that turns once or more: a list for gnuplot, nil for smaller ranges.
function axes.pi_ticks(span, pi)
  if not is_finite(span.size) or span.size < 2*math.pi*(1 - 1e-6) then return nil end
  local below, step = 2, 1             -- in multiples of pi/2
  while span.size/(step*math.pi/below) > MOST_TICKS do
    if below == 2 then below, step = 1, 1 else step = step == 1 and 2 or nice(step*1.001) end
    step = math.tointeger(step)
  end
  local list, unit = {}, math.pi/below
  local first, last = math.floor(span.low/unit/step)*step, math.ceil(span.high/unit/step)*step
  for k = first, last, step do list[#list + 1] = ("'%s' %.10g"):format(pi_text(k, below, pi), k*unit) end
  return "(" .. table.concat(list, ", ") .. ")"
end

--- Digits that tell the labels of neighbouring ticks apart; nil where the usual ones do.
function axes.digits(span)
  local most = math.max(math.abs(span.low), math.abs(span.high))
  if not (span.size > 0 and is_finite(span.size) and most > 0) then return nil end
  local needed = math.ceil(math.log(most/span.size, 10)) + 2
  return needed > DIGITS and needed or nil
end

local function lines_of_axis(name, span, angle, pi)
  local lines = {}
  if span.constant then
    local room = span.low ~= 0 and math.abs(span.low)/10 or 1
    lines[1] = ("set %srange [%.17g:%.17g]"):format(name, span.low - room, span.high + room)
  end
  local digits = not span.constant and axes.digits(span)
  if digits then lines[#lines + 1] = ("set format %s '%%.%dg'"):format(name, digits) end
  local ticks = angle and axes.pi_ticks(span, pi)
  if ticks then lines[#lines + 1] = ("set %stics %s"):format(name, ticks) end
  return lines
end

--- The lines of a script for both axes: x and y are spans, angles says which are angles, equal: one scale; plain: ASCII only.
function axes.lines(x, y, angles, equal, size, plain)
  local pi = plain and "pi" or "π"
  local lines = lines_of_axis("x", x, angles.x, pi)
  table.move(lines_of_axis("y", y, angles.y, pi), 1, 2, #lines + 1, lines)
  if not equal then return lines end
  lines[#lines + 1] = "set size ratio -1"
  if x.size > 0 and y.size > 0 then
    local across, upright = axes.steps_on_one_scale(x, y, size)
    if not angles.x then lines[#lines + 1] = ("set xtics %.10g"):format(across) end
    if not angles.y then lines[#lines + 1] = ("set ytics %.10g"):format(upright) end
  end
  return lines
end

return axes
