-- orbit_guesses.lua: other guesses of a periodic motion where Newton's method fails from the one given: a period after which the run from it returns, and the
-- motion on which the run settles.
local attempt = require "hamel.base.attempt"
local balance = require "hamel.analysis.balance"
local failure = require "hamel.base.failure"
local shooting = require "hamel.analysis.shooting"
local signs = require "hamel.analysis.signs"


-- ---- times of return

local SPAN, LONG_SPAN, SAMPLES = 3, 30, 200  -- of the guess of the period; in each
local AWAY = 0.3                        -- of the farthest distance on the way: nearer states have not left yet
local OTHER_PERIOD = 0.1                -- what a period that is e times as long counts, in distances
local RETURNS = 3                       -- are tried

-- The distance from the start x along a record, as a function of the time since then; each state counts in the range that it goes through
local function distance_on(flow, x, span, gain, record, count)
  local low, high = {}, {}
  local function state_at(time)
    local state = record.raw:at(time < span and flow.t + time or flow.t + span)
    return signs.over(state, signs.turned_over(flow, x, state))
  end
  for k = 0, count do
    local state = state_at(span*k/count)
    for i, place in ipairs(flow.kept) do
      low[i], high[i] = math.min(low[i] or state[place], state[place]), math.max(high[i] or state[place], state[place])
    end
  end
  return function(time)
    local state, sum = state_at(time), 0
    for i, place in ipairs(flow.kept) do
      local range = high[i] - low[i]
      if range > 0 then sum = sum + ((state[place] - x[place] - gain[place])/range)^2 end
    end
    return math.sqrt(sum)
  end
end

local GOLDEN, SHARPER = (math.sqrt(5) - 1)/2, 30

-- The place of the minimum of a function between two others. Where periodic motions have one period whatever their size, Newton's method takes an error of the
-- period for one of the size, and goes to rest
local function least(f, from, to)
  local one, other = to - GOLDEN*(to - from), from + GOLDEN*(to - from)
  local at_one, at_other = f(one), f(other)
  for _ = 1, SHARPER do
    if at_one < at_other then
      to, other, at_other = other, one, at_one
      one = to - GOLDEN*(to - from)
      at_one = f(one)
    else
      from, one, at_one = one, other, at_other
      other = from + GOLDEN*(to - from)
      at_other = f(other)
    end
  end
  return (from + to)/2
end

-- Times after which the run from x is nearest to it again, the best one first; within so many periods
local function returns(flow, x, period, gain, periods)
  local span, count = periods*period, periods*SAMPLES
  local fine, _, _, record = attempt(flow.run, flow, flow.t, flow.t + span, x, {}, true)
  if not fine then return {} end
  local distance = distance_on(flow, x, span, gain, record, count)
  local d, farthest, away, list = {}, 0, false, {}
  for k = 0, count do
    d[k] = distance(span*k/count)
    farthest = math.max(farthest, d[k])
  end
  for k = 1, count - 1 do
    away = away or d[k] > AWAY*farthest
    if away and d[k] <= d[k - 1] and d[k] < d[k + 1] then
      local time = span*k/count
      list[#list + 1] = { from = span*(k - 1)/count, to = span*(k + 1)/count,
        cost = d[k]/farthest + OTHER_PERIOD*math.abs(math.log(time/period)) }
    end
  end
  table.sort(list, function(a, b) return a.cost < b.cost end)
  local times = {}
  for k = 1, math.min(RETURNS, #list) do times[k] = least(distance, list[k].from, list[k].to) end
  return times
end

-- ---- the motion on which the run settles

local CONSERVED = 1e-3                  -- a logarithm of how volumes change in a period: less is no decay that a search can wait for
local DECADE = math.log(10)
local LEAST_PERIODS, MOST_PERIODS = 4, 100
local STAGES = { 1, 1, 2, 4, 8, 16 }    -- parts of the way, in times that a disturbance takes to fall by a decade
local MOST = 800                        -- periods of the whole way

local KEPT = 1e-7                       -- of the changes of the energy and of its parts: what is none

-- Does the run from x keep the energy, as far as numbers tell?
local function keeps_energy(flow, x, period)
  local fine, kept = attempt(function()
    local observer, w = flow.observer, flow.w
    local energy = observer:program{ observer:expression "energy", balance.sizes_of(observer:expression "energy") }
    local last = flow:run(flow.t, flow.t + period/math.sqrt(2), x, {})
    local one, other = observer:evaluate(energy, w, flow.t, x), observer:evaluate(energy, w, flow.t + period/math.sqrt(2), last)
    return math.abs(one[1] - other[1]) <= KEPT*math.max(one[2], other[2])
  end)
  return fine and kept
end

-- After how many periods disturbances are smaller by a decade, as far as the change of volumes from the guess on tells; nil: volumes or the energy are kept
local function periods_per_decade(flow, x, period, gain)
  if keeps_energy(flow, x, period) then return nil end
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
  local fine, result, kind = attempt(found, flow.x, o.period, gain)
  if fine then return result end
  if not o.elsewhere or kind == "at best" then failure.raise(kind, "%s", result) end
  local free, walked = not driven and not o.fixed_period, 0
  local function tried(x, period)
    local good, orbit = attempt(found, x, period, gain)
    if not good then return nil end
    orbit.settled = walked
    return orbit
  end
  -- by the times of return where the period is free
  local function from(x, period, periods)
    for _, time in ipairs(free and returns(flow, x, period, gain, periods) or {}) do
      local orbit = tried(x, time)
      if orbit then return orbit end
    end
    return (not free or x ~= flow.x) and tried(x, period) or nil
  end
  local orbit = free and from(flow.x, o.period, SPAN)
  if orbit then return orbit end
  local x, decade = flow.x, periods_per_decade(flow, flow.x, o.period, gain)
  for _, part in ipairs(decade and STAGES or {}) do
    if walked + part*decade > MOST then break end
    local last = after(flow, x, o.period, gain, part*decade)
    if not last then break end
    x, walked = last, walked + part*decade
    orbit = from(x, o.period, SPAN)
    if orbit then return orbit end
  end
  -- the guess of the period may be a small part of it
  orbit = free and from(x, o.period, LONG_SPAN)
  if orbit then return orbit end
  local multiple = walked > 0 and driven and multiple_of(found, flow, x, o.period, gain)
  if multiple then
    failure.raise(kind, "%s; after %d periods the run from it repeats after %d of them: give period = %.15g", result, walked, multiple, multiple*o.period)
  end
  if kind ~= "no motion" then failure.raise(kind, "%s", result) end
  local along = walked > 0 and (", nor from the run from it after %d periods"):format(walked) or ""
  failure.raise(kind, "%s%s; take a start nearer to the motion%s", result, along, free and ", or a better period" or "")
end
