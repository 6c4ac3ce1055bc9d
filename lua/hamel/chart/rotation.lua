-- chart/rotation.lua: the mean rate of an angle, by a weighted average that converges faster than any power of the time on tori.
--
-- Weight exp(-1/(s (1 - s))) over the part s of the time. Source: Das, Saiki, Sander and Yorke, Nonlinearity 30 (2017).
local core = require "hamel.core"
local object = require "hamel.base.object"
local points = require "hamel.chart.points"
local shards = require "hamel.analysis.shards"

local fail = object.fail
local rotation = {}

local SAMPLES, MOST = 2048, 1 << 17
local SETTLED = 1e-10
local AT_ONCE = 1 << 18                 -- samples of runs in memory

-- The weighted mean of values at equal parts of the time, and that of every other one
local function mean(values, step)
  local sum, weights, n = 0, 0, #values
  for k = step, n - 1, step do
    local s = k/n
    local w = math.exp(-1/(s*(1 - s)))
    sum, weights = sum + w*values[k], weights + w
  end
  return sum/weights
end

local function times_of(from, t1, count)
  local times = {}
  for k = 1, count do times[k] = from + (t1 - from)*k/count end
  return times
end

-- The rate from the samples of a row; true where twice as many would not change it. scale_of(row): turns of the result for a radian in a unit of time
local function judged(row, count, scale_of)
  local series = row.series
  row.series, row.rate = nil, nil
  if not (shards.ended(row) and series and #series == count) then return true end
  local values = {}
  for k, at in ipairs(series) do values[k] = at.rate end
  local rate, coarse = mean(values, 1), mean(values, 2)
  local scale = scale_of(row)
  row.rotation, row.settled = rate*scale, math.abs(rate - coarse)*scale
  return math.abs(rate - coarse) <= SETTLED*(1 + math.abs(rate))
end

-- Rows that need more samples, again with four times as many, until they are settled; an interrupted one is dropped
local function refined(open, from, t1, scale_of, again, put)
  local count = 4*SAMPLES
  while #open > 0 and count <= MOST do
    local times, still, size = times_of(from, t1, count), {}, math.max(1, AT_ONCE//count)
    for first = 1, #open, size do
      for _, row in ipairs(again(table.move(open, first, math.min(first + size - 1, #open), 1, {}), times)) do
        if judged(row, count, scale_of) or 4*count > MOST then put(row) else still[#still + 1] = row.index end
      end
      if core.host.interrupted() then return end
    end
    open, count = still, 4*count
  end
end

function rotation.chart(system, o, settings, t0, t1, columns)
  local angle = core.is_expression(o.angle) and core.text(o.angle) or o.angle
  if not angle then fail("chart: of = \"rotation\" needs angle = \"%s\"", system.coordinate_names[1]) end
  local q = system._coordinate[angle] or fail("chart: angle: '%s' is not a coordinate of %s%s", tostring(angle), system.name,
    object.hint(tostring(angle), system.coordinate_names))
  local from = t0 + o.skip
  settings.keep, settings.times = { rate = q.dot }, times_of(from, t1, SAMPLES)
  columns.portion = AT_ONCE//SAMPLES
  local period = o.stroboscope and points.stroboscope("chart", system, o.stroboscope)
  local function scale_of(row) return period and period(points.parameters_of(system, o, row))/(2*math.pi) or 1 end
  function columns.finish(rows, again)
    local done, open = {}, {}
    for _, row in ipairs(rows) do
      if judged(row, SAMPLES, scale_of) then done[#done + 1] = row else open[#open + 1] = row.index end
    end
    refined(open, from, t1, scale_of, again, function(row) done[#done + 1] = row end)
    table.sort(done, function(a, b) return a.index < b.index end)
    return done
  end
  return { "rotation", "settled" }, {}
end

return rotation
