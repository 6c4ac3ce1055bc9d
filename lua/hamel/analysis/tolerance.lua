-- tolerance.lua: the absolute tolerance of runs by the size of the motion where none is given, so that results do not depend on the units of lengths and times.
--
-- Motions of the size 0.01 and more keep the usual one. Of smaller ones, as of lengths in kilometres or times in microseconds, it is the same part of the
-- size: else errors as large as the motion make it, and points that all lie within the tolerance repeat.
local core = require "hamel.core"
local jobs = require "hamel.analysis.sweep.jobs"
local protected = require "hamel.base.protected"

local tolerance = {}

local USUAL = 0.01                      -- states of this size keep the usual tolerance
local NOTHING = 1e-6                    -- of the largest coordinate, or velocity: a smaller one does not count
local STILL = 1e-9                      -- of the size of a coordinate: an extent in which it rests
local RTOL, STEPS, LOOKS = 1e-6, 100, 50 -- of the look at a motion
local FINE, TRIALS = 1e-4, 8            -- atol of the look is less than this part of the sizes; looks at a motion at most

-- The least size of a coordinate or velocity that counts among the states of a run. What rounding of a coordinate makes of a velocity does not: a motion
-- that rests has no size
local function least_size(run, names, list)
  local low, high, most, largest = {}, {}, {}, { [true] = 0, [false] = 0 }
  local t0, t1, times = run.span[1], run.outcome.t, {}
  for k = 0, LOOKS do times[k + 1] = t0 + (t1 - t0)*k/LOOKS end
  local asked = table.move(list, 1, #list, 1, {})
  asked[#list + 1] = { times = times }
  local columns = table.pack(run:series(table.unpack(asked)))
  for i in ipairs(list) do low[i], high[i] = math.min(table.unpack(columns[i + 1])), math.max(table.unpack(columns[i + 1])) end
  local function is_rate(i) return names[i]:find "'$" ~= nil end
  local rests, any = {}, false
  for i, name in ipairs(names) do
    most[i] = math.max(math.abs(low[i]), math.abs(high[i]))
    if not is_rate(i) then
      rests[name .. "'"] = not (high[i] - low[i] > STILL*most[i])
      any = any or not rests[name .. "'"]
    end
  end
  if next(rests) and not any then return math.huge end
  local least = math.huge
  for i, size in ipairs(most) do if not rests[names[i]] then largest[is_rate(i)] = math.max(largest[is_rate(i)], size) end end
  for i, size in ipairs(most) do
    if not rests[names[i]] and size > NOTHING*largest[is_rate(i)] then least = math.min(least, size) end
  end
  return least
end

-- The same of the motion of a job over some steps, at a tolerance that is fine enough for it; math.huge: it is not known
local function size_of(system, o, job, names, list, t0, t1)
  local atol = o.atol
  for _ = 1, TRIALS do
    local fine, run = protected(system.simulate, system, { q = job.q, v = job.v, parameters = job.parameters, t = { t0, t1 }, rtol = RTOL, atol = atol,
                                                           max_steps = STEPS })
    if core.host.interrupted() then error(run, 0) end
    jobs.rethrow_interrupt(fine, run)
    if not fine or not (run.outcome.t > t0) then return math.huge end
    local read, least = protected(least_size, run, names, list)
    if not read or least ~= least then return math.huge end
    if atol <= FINE*least then return least end
    atol = FINE*FINE*least
  end
  return math.huge
end

--- The absolute tolerance for runs from t0 to t1, by the largest of the motions that are looked at: a small one among them, as from a start that is zero but
--- for rounding, asks for none that rounding of the others hides. settings: options of the runs, whose `atol` is the usual one; samples: { q =, v =,
--- parameters = }, see jobs.samples; names, list: those of the states that count, and their expressions.
function tolerance.of(system, settings, samples, names, list, t0, t1)
  local size = 0
  for _, job in ipairs(samples) do
    local own = size_of(system, settings, job, names, list, t0, t1)
    if own < math.huge then size = math.max(size, own) end
  end
  return size > 0 and size < USUAL and settings.atol*size/USUAL or settings.atol
end

return tolerance
