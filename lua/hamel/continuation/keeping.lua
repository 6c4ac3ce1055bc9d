-- keeping.lua: measures of the motion over a period at each point of a branch: keep = { top = hm.highest(x) }.
local measures = require "hamel.run.measures"
local object = require "hamel.base.object"

local fail = object.fail
local keeping = {}

local own = { "q", "v", "t", "value", "beside", "period", "energy", "parameters", "multipliers", "eigenvalues", "stable", "admissible", "offender", "sequence",
              "impacts", "form", "keep", "drift", "drive", "advance", "kept", "refused", "segments" }

local BESIDE = 1e-7                     -- of the period: a start so near to an event is the state behind it

-- The times of the start and of the events of a period; nil: it has none
local function event_times(record)
  if not record.sequence or #record.sequence == 0 then return nil end
  local times = { record.t }
  for i, event in ipairs(record.sequence) do times[i + 1] = times[i] + event.duration end
  return times
end

-- Where runs over a period start: at the start of each segment, or, where this is the state behind an event, half the way to what follows. A run that ended
-- where an event is would meet it, or not, by rounding. nil where a run ends early. list.beginning: the run from the state behind an event on, if one is there
local function starts_of(record, run)
  local starts, times, list = { record }, event_times(record), {}
  table.move(record.segments or {}, 1, #(record.segments or {}), 2, starts)
  for k, from in ipairs(starts) do
    list[k] = from
    for i = 1, times and #times - 1 or 0 do
      if math.abs(from.t - times[i]) <= BESIDE*record.period then
        local stop = math.min(times[i + 1], starts[k + 1] and starts[k + 1].t or times[#times])
        local middle = (from.t + stop)/2
        local behind = middle > from.t and run(from, middle)
        if not behind then return nil end
        local state = behind:at(middle)
        list[k] = { q = state.q, v = state.v, t = middle }
        if k == 1 then list.beginning = behind end
      end
    end
  end
  return list
end

-- The runs over exactly one period, one from the start of each segment; nil where one ends early
local function runs_of(system, o, record, least)
  local function run(from, to)
    local result = system:simulate{ q = from.q, v = from.v, t = { from.t, to }, parameters = record.parameters, form = record.form, rtol = o.rtol,
                                    atol = o.atol_given and o.atol or o.atol*least }
    return result.status == "OK" and result or nil
  end
  local starts, runs = starts_of(record, run), {}
  for i, from in ipairs(starts or {}) do
    runs[i] = run(from, starts[i + 1] and starts[i + 1].t or starts[1].t + record.period)
    if not runs[i] then return nil end
  end
  if starts then runs.beginning = starts.beginning end
  return starts and runs
end

-- A measure over the runs of a period, and why it has none; an expression that is no measure has its value at the start
local function value_of(runs, record, item)
  if runs.beginning and not measures.of(item) then return runs.beginning:values_at(record.t, { item })[1] end
  return measures.over(runs, item)
end

-- The least of the units in which a problem counts its states, at most 1
local function least_unit(problem)
  local least = 1
  for i in ipairs(problem.space and problem.space.kept or {}) do
    if not object.contains(problem.places, i) then least = math.min(least, problem.space.scale[i]) end
  end
  return least
end

--- The record of a point of a problem with the measures o.keep: record[name] and record.kept. A measure that has no value, and all of them where the point
--- is no motion, are false; record.refused has the reasons by name.
function keeping.record(system, o, problem, point)
  local record = problem:record(point)
  if not o.keep then return record end
  if not record.period then fail("continue: keep takes measures over a period: it is for periodic motions") end
  local runs = record.admissible and runs_of(system, o, record, least_unit(problem)) or nil
  local values = {}
  for key, item in pairs(o.keep) do
    local name = type(key) == "string" and key or type(item) == "string" and item or fail("continue: keep takes names: keep = { top = hm.highest(x) }")
    if object.contains(own, name) then fail("continue: keep: the points have a '%s' of their own: take another name", name) end
    local value, refusal
    if runs then value, refusal = value_of(runs, record, item) end
    if refusal then
      record.refused = record.refused or {}
      record.refused[name] = refusal.reason
    end
    values[name] = value or false
  end
  for name, value in pairs(values) do record[name] = value end
  record.kept = values
  return record
end

return keeping
