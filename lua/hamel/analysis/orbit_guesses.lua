-- orbit_guesses.lua: other guesses of a periodic motion where Newton's method fails from the one given: a period after which the run from it returns, and the
-- motion on which the run settles.
local attempt = require "hamel.base.attempt"
local object = require "hamel.base.object"
local shooting = require "hamel.analysis.shooting"
local signs = require "hamel.analysis.signs"

local fail = object.fail

-- ---- times of return

local SPAN, SAMPLES = 3, 600            -- of the guess of the period
local AWAY = 0.3                        -- of the farthest distance on the way: nearer states have not left yet
local OTHER_PERIOD = 0.1                -- what a period that is e times as long counts, in distances
local RETURNS = 3                       -- are tried

-- Distances from the start along a record, at SAMPLES times; each state counts in the range that it goes through
local function distances(flow, x, span, gain, record)
  local states, low, high, list = {}, {}, {}, {}
  for k = 0, SAMPLES do
    local state = record.raw:at(k < SAMPLES and flow.t + span*k/SAMPLES or flow.t + span)
    states[k] = signs.over(state, signs.turned_over(flow, x, state))
    for i, place in ipairs(flow.kept) do
      low[i], high[i] = math.min(low[i] or state[place], state[place]), math.max(high[i] or state[place], state[place])
    end
  end
  for k = 0, SAMPLES do
    local sum = 0
    for i, place in ipairs(flow.kept) do
      local range = high[i] - low[i]
      if range > 0 then sum = sum + ((states[k][place] - x[place] - gain[place])/range)^2 end
    end
    list[k] = math.sqrt(sum)
  end
  return list
end

-- Times after which the run from x is nearest to it again, the best one first
local function returns(flow, x, period, gain)
  local span = SPAN*period
  local fine, _, _, record = attempt(flow.run, flow, flow.t, flow.t + span, x, {}, true)
  if not fine then return {} end
  local d = distances(flow, x, span, gain, record)
  local farthest, away, list = 0, false, {}
  for k = 0, SAMPLES do farthest = math.max(farthest, d[k]) end
  for k = 1, SAMPLES - 1 do
    away = away or d[k] > AWAY*farthest
    if away and d[k] <= d[k - 1] and d[k] < d[k + 1] then
      local bend = d[k - 1] - 2*d[k] + d[k + 1]
      local time = span*(k + (bend > 0 and (d[k - 1] - d[k + 1])/(2*bend) or 0))/SAMPLES
      list[#list + 1] = { time = time, cost = d[k]/farthest + OTHER_PERIOD*math.abs(math.log(time/period)) }
    end
  end
  table.sort(list, function(a, b) return a.cost < b.cost end)
  local times = {}
  for k = 1, math.min(RETURNS, #list) do times[k] = list[k].time end
  return times
end

-- ---- the motion on which the run settles

local CONSERVED = 1e-3                  -- a logarithm of how volumes change in a period: less is no decay that a search can wait for
local DECADE = math.log(10)
local LEAST_PERIODS, MOST_PERIODS = 4, 100
local STAGES = { 1, 1, 2, 4 }           -- parts of the way, in times that a disturbance takes to fall by a decade

-- After how many periods disturbances are smaller by a decade, as far as the change of volumes from the guess on tells; nil: volumes are kept
local function periods_per_decade(flow, x, period, gain)
  local fine, basis = attempt(shooting.tangents_at, flow, x)
  if not fine or #basis == 0 then return nil end
  local shot, _, carried = attempt(shooting.shoot, flow, x, period, basis, gain)
  if not shot then return nil end
  local rate = math.abs(shooting.logarithm_of_volume(basis, carried))
  if not (rate > CONSERVED) then return nil end
  return math.max(LEAST_PERIODS, math.min(MOST_PERIODS, math.ceil(DECADE*#basis/rate)))
end

-- The state after a number of periods; nil where a run fails. Coordinates that gain something in each period begin anew
local function after(flow, x, period, gain, count)
  for _ = 1, count do
    local fine, last = attempt(flow.run, flow, flow.t, flow.t + period, x, {})
    if not fine then return nil end
    for _, place in ipairs(flow.kept) do last[place] = last[place] - gain[place] end
    x = last
  end
  return x
end

local MULTIPLES, NEAR = 6, 0.05         -- of the period of a drive that are looked for; of the size of a state: what is near

-- The number of periods after which the motion from x repeats, as a run and the search find; nil: there is none
local function multiple_of(found, flow, x, period, gain)
  local state = x
  for count = 1, MULTIPLES do
    state = after(flow, state, period, gain, 1)
    if not state then return nil end
    local off, gained = 0, {}
    for i, place in ipairs(flow.kept) do off = math.max(off, math.abs(state[place] - x[place])/flow.units[i]) end
    for i, value in ipairs(gain) do gained[i] = count*value end
    if count > 1 and off < NEAR and attempt(found, x, count*period, gained) then return count end
  end
end

-- ---- the search

--- What found(x, period, gain) returns for the guess of a flow or, where that fails, for other guesses that follow from it; raises the first failure and
--- what to do, where all fail.
return function(found, flow, o, gain, driven)
  local fine, result = attempt(found, flow.x, o.period, gain)
  if fine then return result end
  if not o.elsewhere or result:find("at best", 1, true) then fail("%s", result) end
  local failure, free, walked = result, not driven and not o.fixed_period, 0
  local function tried(x, period)
    local good, orbit = attempt(found, x, period, gain)
    if not good then return nil end
    orbit.settled = walked
    return orbit
  end
  -- by the times of return where the period is free
  local function from(x, period)
    for _, time in ipairs(free and returns(flow, x, period, gain) or {}) do
      local orbit = tried(x, time)
      if orbit then return orbit end
    end
    return (not free or x ~= flow.x) and tried(x, period) or nil
  end
  local orbit = free and from(flow.x, o.period)
  if orbit then return orbit end
  local x, decade = flow.x, periods_per_decade(flow, flow.x, o.period, gain)
  for _, part in ipairs(decade and STAGES or {}) do
    x = after(flow, x, o.period, gain, part*decade)
    if not x then break end
    walked = walked + part*decade
    orbit = from(x, o.period)
    if orbit then return orbit end
  end
  local multiple = x and walked > 0 and driven and multiple_of(found, flow, x, o.period, gain)
  if multiple then
    fail("%s; after %d periods the run from it repeats after %d of them: give period = %.15g", failure, walked, multiple, multiple*o.period)
  end
  if not failure:find("no periodic motion was found", 1, true) then fail("%s", failure) end
  local along = walked > 0 and (", nor from the run from it after %d periods"):format(walked) or ""
  fail("%s%s; take a start nearer to the motion%s", failure, along, free and ", or a better period" or "")
end
