-- sequence_read.lua: the sequence of events of a period, read off runs from a guess: one run, or one from each of several states along the motion.
local attempt = require "hamel.base.attempt"
local events = require "hamel.analysis.nonsmooth.events"
local independent = require "hamel.analysis.nonsmooth.independent"
local modes = require "hamel.analysis.nonsmooth.modes"
local motion_units = require "hamel.analysis.motion_units"
local object = require "hamel.base.object"
local periods = require "hamel.continuation.periods"
local segments = require "hamel.continuation.segments"
local variations = require "hamel.analysis.variations"

local fail = object.fail
local sequence_read = {}

local PERIODS = 2.3                    -- so that one period lies behind the first event
local BEYOND = 1e-6                    -- of the period: how much longer the last of several runs is, as an event at its end may come late by rounding

local TO = 1e-11                        -- relative tolerance of these runs, and absolute in units of the motion
local NOTHING, OTHER, ROUNDS = 1e-12, 10, 3   -- of a size: less is rounding; sizes that differ by this factor are others; runs until the sizes are found

-- The size in which a run over a time counts its absolute tolerance, at most 1, from the sizes of coordinates and velocities
local function least_of(places, speeds, time)
  if not (places > NOTHING*speeds*time) then places = math.huge end
  if not (speeds*time > NOTHING*places) and places < math.huge then speeds = math.huge end
  return math.min(1, motion_units.of(math.min(places, speeds)))
end

local function largest_of(list)
  local most = 0
  for _, value in pairs(list or {}) do if type(value) == "number" then most = math.max(most, math.abs(value)) end end
  return most
end

-- The same of a run, from its stored states
local function least_along(run, count, time)
  local raw, places, speeds = run.raw, 0, 0
  for k = 1, raw:points() do
    local x = raw:state(k)
    for i = 1, count do places, speeds = math.max(places, math.abs(x[i])), math.max(speeds, math.abs(x[count + i])) end
  end
  return least_of(places, speeds, time)
end

-- A run with tolerances in units of the motion, so that what it meets does not depend on the units of length and time; of a state near zero the size is
-- found by the run itself
local function run_of(system, o, given, time)
  given.rtol = math.max(o.rtol, TO)
  if o.atol_given then
    given.atol = math.max(o.atol, TO)
    return system:simulate(given)
  end
  local least, run = least_of(largest_of(given.q), largest_of(given.v), time), nil
  for _ = 1, ROUNDS do
    given.atol = math.max(o.atol, TO)*least
    run = system:simulate(given)
    local found = least_along(run, #system.coordinate_names, time)
    if found*OTHER >= least then break end
    least = found
  end
  return run
end

local function run_between(system, o, guess, state, from, to, number)
  local given = { q = state.q, v = state.v, t = { from, to }, parameters = guess.parameters }
  local fine, run = attempt(run_of, system, o, given, to - from)
  local where = number > 1 and ("segments, number %d"):format(number - 1) or "the guess"
  if not fine then fail("continue: the run from %s fails: %s", where, run) end
  if run.status ~= "OK" and run.outcome.status ~= "OK" then fail("continue: the run from %s ends: %s", where, run.outcome.message) end
  return run
end

-- An impact or a switch of a run, later by whole periods
local function later(item, by)
  local list = {}
  for _, key in ipairs{ "name", "impulses", "from", "to", "directions" } do list[key] = rawget(item, key) end
  list.t = item.t + by
  return list
end

-- Runs from several states as one run over more than two periods, which repeats itself
local function repeated(runs, starts, period)
  local t, stop = starts[1].t, starts[1].t + PERIODS*period
  local whole = { span = { t, stop }, impacts = {}, switches = {}, accumulations = {} }
  for i, run in ipairs(runs) do
    for _, key in ipairs{ "impacts", "switches" } do
      for _, item in ipairs(run[key]) do
        local again = false
        if i == #runs and item.t > t + period then
          for _, other in ipairs(runs[1][key]) do again = again or other.name == item.name and other.t + period < item.t + BEYOND*period end
        end
        for k = 0, again and -1 or 2 do
          if item.t + k*period < stop then table.insert(whole[key], later(item, k*period)) end
        end
      end
    end
    if #run.accumulations > 0 then table.insert(whole.accumulations, run.accumulations[1]) end
  end
  local function run_at(at)
    at = at - period*math.floor((at - t)/period)
    local found = 1
    for i, start in ipairs(starts) do if start.t <= at then found = i end end
    return runs[found], at
  end
  function whole.at(_, at, ...)
    local run, within = run_at(at)
    return run:at(within, ...)
  end
  function whole._contact_mode(_, at)
    local run, within = run_at(at)
    return run:_contact_mode(within)
  end
  return whole
end

-- The states at which arcs start, in the period that follows the time t, in order
local function nodes_behind(starts, t, late, period)
  local list = {}
  for i, start in ipairs(starts) do
    local at = start.t - late
    while at <= t do at = at + period end
    list[i] = { q = start.q, v = start.v, t = at }
  end
  table.sort(list, function(a, b) return a.t < b.t end)
  return list
end

-- Do open contacts not act on each other in a mode, where others that are closed may carry an impact from one to the other?
local function are_separate(system, o, guess, names, mode)
  local gaps = {}
  if #system.frictions > 0 then return false end
  for i, name in ipairs(names) do gaps[i] = system.gaps[name] or nil end
  local given = { q = guess.q, v = guess.v, t = guess.t, parameters = guess.parameters, form = "lagrange" }
  for _, option in ipairs(variations.run_names) do given[option] = o[option] end
  local fine, flow = attempt(variations.flow, modes.system(system, mode, "continue", {}), "continue", given, (guess.t or 0) + 0.0)
  return fine and independent(flow.E, gaps)
end

--- The sequence of one period near a guess: see events.read; with the states after the events, and nodes, the states along the motion at which arcs start.
--- Without events, the mode.
function sequence_read.from(system, o, guess, period)
  local starts, runs = segments.given(guess, period), {}
  if #starts == 1 then
    runs[1] = run_between(system, o, guess, guess, starts[1].t, starts[1].t + PERIODS*period, 1)
  else
    for i, start in ipairs(starts) do
      runs[i] = run_between(system, o, guess, start, start.t, starts[i + 1] and starts[i + 1].t or starts[1].t + (1 + BEYOND)*period, i)
    end
  end
  local run = #starts == 1 and runs[1] or repeated(runs, starts, period)
  local read = events.read(system, run, period, function(...) return are_separate(system, o, guess, ...) end)
  if #read.events == 0 then return read end
  read.states = {}
  local at, late = read.t, read.t - periods.early(read.t, period)
  for i = 1, #read.modes do
    local state = run:at(at + 1e-7*period)
    read.states[i] = { q = state.q, v = state.v, t = state.t - late }
    -- of a run that repeats itself the state is one of the first period
    if #starts > 1 then read.states[i].t = at + 1e-7*period - late end
    at = at + read.durations[i]
  end
  read.nodes = #starts > 1 and nodes_behind(starts, read.t - late, late, period) or {}
  return read
end

local BESIDE = 1e-7                     -- of the period: a state so near to an event is the one behind it

--- The states of a sequence at which arcs start, in order, each with the mode and the part of its duration that is over: { segment, part, state }.
function sequence_read.placed(read)
  local ends, t, period = {}, read.states[1].t, 0
  for i, duration in ipairs(read.durations) do
    period = period + duration
    ends[i] = t + period
  end
  local list = {}
  for _, node in ipairs(read.nodes or {}) do
    local at = node.t - period*math.floor((node.t - t)/period)
    local i = 1
    while i < #ends and at >= ends[i] - BESIDE*period do i = i + 1 end
    local start = ends[i] - read.durations[i]
    local part = math.abs(at - start) <= BESIDE*period and 0.0 or (at - start)/read.durations[i]
    if i > 1 and part == 0 then
      list[#list + 1] = { at = at, segment = i - 1, part = 1.0, state = node }
    elseif part > 0 and at < ends[#ends] - BESIDE*period then
      list[#list + 1] = { at = at, segment = i, part = part, state = node }
    end
  end
  table.sort(list, function(a, b) return a.at < b.at end)
  return list
end

return sequence_read
