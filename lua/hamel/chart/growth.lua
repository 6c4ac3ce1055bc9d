-- chart/growth.lua: does a motion grow, or rest? Read off states that were looked at over the whole run.
local points = require "hamel.chart.points"

local growth = {}

local WINDOWS, FEW = 8, 4               -- of the whole time; states in each at least
local LOOKS = 40                        -- states over the whole time
local GROWS = 1.5                       -- from the first window to the last one it grows by more
local RESTS = 1e-9                      -- of its largest value: what a state at rest changes by

--- Times at which states are looked at, growth.count in number, the first right after the start.
function growth.times(t0, t1)
  local times = { t0 + 1e-9*(t1 - t0) }
  return table.move(points.times_within(t0 + 1e-3*(t1 - t0), t1, LOOKS), 1, LOOKS, 2, times)
end

-- The largest radius in each window: of a coordinate from the middle of its range and of its velocity, each over its largest value, which swings hardly change
local function sizes_of(windows, states, q, v)
  local low, high, all = math.huge, -math.huge, {}
  for _, state in ipairs(q and states or {}) do low, high = math.min(low, state[q]), math.max(high, state[q]) end
  local _, largest = points.extent(states)
  local middle, width, speed = (low + high)/2, (high - low)/2, largest[v]
  for w, window in ipairs(windows) do
    all[w] = 0
    for _, state in ipairs(window) do
      local off = q and width > 0 and (state[q] - middle)/width or 0
      all[w] = math.max(all[w], math.sqrt(off*off + (speed > 0 and (state[v]/speed)^2 or 0)))
    end
  end
  return all
end

growth.count = LOOKS + 1

--- The place of a velocity that grows, together with the swing of its coordinate, from each eighth of the time to the next; nil: none. pairs_of: places of
--- coordinates, or false, and of their velocities; states: with their times, over the time from t0 to t1
function growth.grows(states, pairs_of, t0, t1)
  local windows = {}
  for w = 1, WINDOWS do windows[w] = {} end
  for _, state in ipairs(states) do
    table.insert(windows[math.max(1, math.min(WINDOWS, 1 + math.floor(WINDOWS*(state.t - t0)/(t1 - t0))))], state)
  end
  for _, window in ipairs(windows) do if #window < FEW then return nil end end
  for _, pair in ipairs(pairs_of) do
    -- what goes off to one side starts far from the middle of its range: its speed tells
    for _, q in ipairs{ pair[1], false } do
      local sizes, on = sizes_of(windows, states, q, pair[2]), true
      for w = 2, WINDOWS do on = on and sizes[w] > sizes[w - 1] end
      if on and sizes[WINDOWS] > GROWS*sizes[1] then return pair[2] end
    end
  end
  return nil
end

--- Is the motion at rest all the time?
function growth.rests(states)
  local extent, size = points.extent(states)
  for i, width in ipairs(extent) do if width > RESTS*size[i] then return false end end
  return #states > 1
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
