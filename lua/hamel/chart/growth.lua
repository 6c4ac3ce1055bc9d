-- chart/growth.lua: does a motion grow, or rest? Read off states that were looked at over the whole run.
local points = require "hamel.chart.points"

local growth = {}

local WINDOWS, FEW = 8, 4               -- of the whole time; states in each at least
local LOOKS = 40                        -- states over the whole time
local GROWS = 1.5                       -- from the first window to the last one it grows by more
local ON = 0.5                          -- of the largest step of the square: what grows makes as much in the last one
local SHRINKS, BEAT = 1.1, 30           -- in a beat one swing shrinks by more, and the other grows by less
local LITTLE = 1 + 1e-6                 -- where volumes grow, or may
local WIDENS = 1.5                      -- from the first half to the second one; what grows as the root of the time widens by more
local RESTS = 1e-9                      -- of its largest value: what a state at rest changes by

--- Times at which states are looked at, growth.count in number, the first right after the start.
function growth.times(t0, t1)
  local times = { t0 + 1e-9*(t1 - t0) }
  return table.move(points.times_within(t0 + 1e-3*(t1 - t0), t1, LOOKS), 1, LOOKS, 2, times)
end

-- The number of the last state before each window of the time, and at the end of the last one: { 0, 5, ... }; nil where a window has too few
local function windows_of(times, t0, t1)
  local ends, count, k = { 0 }, #times, 0
  for w = 1, WINDOWS do
    while k < count and (w == WINDOWS or WINDOWS*(times[k + 1] - t0)/(t1 - t0) < w) do k = k + 1 end
    ends[w + 1] = k
    if k - ends[w] < FEW then return nil end
  end
  return ends
end

-- The range of entry i of the states, a list of them or a flat one, see points.flat
local function range_of(states, i)
  local low, high, flat = math.huge, -math.huge, states.flat
  for k = i, flat and #flat or 0, states.size or 1 do
    local value = flat[k]
    if value < low then low = value end
    if value > high then high = value end
  end
  for _, state in ipairs(flat and {} or states) do
    local value = state[i]
    if value < low then low = value end
    if value > high then high = value end
  end
  return low, high
end

-- The middle of the range of a coordinate, and half of its width
local function swing_of(states, q)
  local low, high = range_of(states, q)
  return (low + high)/2, (high - low)/2
end

-- The largest size of a velocity
local function speed_of(states, v)
  local low, high = range_of(states, v)
  return math.max(math.abs(low), math.abs(high))
end

-- The square of the largest radius among the states after number `from` up to `to`: of a coordinate from the middle of its range and of its velocity, each
-- over its largest value, which swings hardly change
local function square_of(states, from, to, q, v, middle, width, speed)
  local flat, size, most = states.flat, states.size, 0
  for at = from*size, (to - 1)*size, size do
    local off, rate = width > 0 and (flat[at + q] - middle)/width or 0, speed > 0 and flat[at + v]/speed or 0
    local square = off*off + rate*rate
    if square > most then most = square end
  end
  return most
end

-- Does the radius grow from each window to the next? The first that does not settles it. volumes: what volumes do, see growth.grows
local function grows_in_all(states, ends, q, v, middle, width, speed, volumes)
  local first, before
  local step, largest, factor = 0, 0, (volumes == "grow" or volumes == "may grow") and LITTLE or GROWS
  for w = 1, WINDOWS do
    local square = square_of(states, ends[w], ends[w + 1], q, v, middle, width, speed)
    if before and square <= before then return false end
    if before then step = square - before end
    if step > largest then largest = step end
    first, before = first or square, square
  end
  -- a beat slows down
  return before > factor*factor*first and (volumes ~= "stay" or step > ON*largest) and before/first
end

-- Does the swing of another pair get smaller meanwhile, as in a beat, in which one gives to the other?
local function another_shrinks(states, ends, pairs_of, pair)
  for _, other in ipairs(pairs_of) do
    local q, v = other[1], other[2]
    if other ~= pair and q then
      local speed, middle, width = speed_of(states, v), swing_of(states, q)
      local first = square_of(states, ends[1], ends[2], q, v, middle, width, speed)
      local last = square_of(states, ends[WINDOWS], ends[WINDOWS + 1], q, v, middle, width, speed)
      if first > SHRINKS*SHRINKS*last then return true end
    end
  end
  return false
end

growth.count = LOOKS + 1

--- The place of a velocity that grows, together with the swing of its coordinate, from each eighth of the time to the next; nil: none. Second result: the
--- factor from the first eighth to the last one. pairs_of: places of coordinates, or false, and of their velocities; states: a flat list with their times
--- in order, over the time from t0 to t1. volumes: "grow" or "may grow", then any growth counts; "stay", then one that another pair pays for is part of a
--- beat; nil: they shrink, or what they do is not known. A motion may grow so by chance, or in a beat that is longer than the time.
function growth.grows(states, pairs_of, t0, t1, volumes)
  local ends = windows_of(states.times, t0, t1)
  for _, pair in ipairs(ends and pairs_of or {}) do
    local q, v = pair[1], pair[2]
    local speed, middle, width = speed_of(states, v), nil, 0
    if q then middle, width = swing_of(states, q) end
    -- what goes off to one side starts far from the middle of its range: its speed tells
    local swings = q and grows_in_all(states, ends, q, v, middle, width, speed, volumes)
    local speeds = not swings and grows_in_all(states, ends, v, v, 0, 0, speed, volumes)
    local by = swings or speeds
    if by and not (volumes == "stay" and by < BEAT*BEAT and another_shrinks(states, ends, pairs_of, pair)) then
      -- the middle of a range to which the last swing adds most is off the middle of the swings: the speed tells the factor
      speeds = swings and grows_in_all(states, ends, v, v, 0, 0, speed, volumes) or 0
      return v, math.sqrt(math.max(by, speeds))
    end
  end
  return nil
end

-- The mean square of the entry i of the states after number `from` up to `to` from a middle value
local function mean_square(states, from, to, i, middle)
  local sum = 0
  for k = from, to - 1 do sum = sum + (states.flat[k*states.size + i] - middle)^2 end
  return sum/(to - from)
end

--- Do the swings of a coordinate, or a velocity, widen from the first half of the time to the second one, as far as the mean squares of a few states tell? It
--- may be by chance. The largest states of an eighth, of which growth.grows judges, are not met where these are few and a drive is fast. The arguments: as
--- above.
function growth.widens(states, pairs_of, t0, t1)
  local ends = windows_of(states.times, t0, t1)
  local function widens(i, middle)
    local first = mean_square(states, ends[1], ends[WINDOWS//2 + 1], i, middle)
    return mean_square(states, ends[WINDOWS//2 + 1], ends[WINDOWS + 1], i, middle) > WIDENS*WIDENS*first
  end
  for _, pair in ipairs(ends and pairs_of or {}) do
    if pair[1] and widens(pair[1], (swing_of(states, pair[1]))) or widens(pair[2], 0) then return true end
  end
  return false
end

--- Is the motion at rest all the time? states: a list of them, or a flat one.
function growth.rests(states)
  local first = states.flat and points.of_flat(states, 1) or states[1]
  for i in ipairs(first or {}) do
    local low, high = range_of(states, i)
    if high - low > RESTS*math.max(math.abs(low), math.abs(high)) then return false end
  end
  return #(states.times or states) > 1
end

--- Has the motion come to rest by the second half of the states? states: as above.
function growth.stops(states)
  local list = states.flat and points.listed(states) or states
  return growth.rests(table.move(list, #list//2 + 1, #list, 1, {}))
end

--- Places of coordinates, false where it is not among the states, and of their velocities, from the names of states.
function growth.pairs_of(names)
  local at, list = {}, {}
  for i, name in ipairs(names) do at[name] = i end
  for i, name in ipairs(names) do
    local q = name:match "^(.*)'$"
    if q then list[#list + 1] = { at[q] or false, i } end
  end
  return list
end

return growth
