-- chart/rotation.lua: the mean rate of an angle, by a weighted average that converges faster than any power of the time on tori.
--
-- Weight exp(-1/(s (1 - s))) over the part s of the time. Source: Das, Saiki, Sander and Yorke, Nonlinearity 30 (2017).
local core = require "hamel.core"
local object = require "hamel.base.object"
local shards = require "hamel.analysis.shards"

local fail = object.fail

local SAMPLES, MOST = 2048, 1 << 17
local SETTLED = 1e-10

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

return function(system, o, settings, t0, t1)
  local angle = core.is_expression(o.angle) and core.text(o.angle) or o.angle
  if not angle then fail("chart: of = \"rotation\" needs angle = \"%s\"", system.coordinate_names[1]) end
  local q = system._coordinate[angle] or fail("chart: angle: '%s' is not a coordinate of %s%s", tostring(angle), system.name,
    object.hint(tostring(angle), system.coordinate_names))
  local from, count = t0 + o.skip, SAMPLES
  local W
  -- as many samples as the fastest of the motions needs
  repeat
    local times = {}
    for k = 1, count do times[k] = from + (t1 - from)*k/count end
    settings.keep, settings.times = { rate = q.dot }, times
    W = system:sweep(settings)
    local worst = 0
    for _, row in ipairs(W) do
      if shards.ended(row) and row.series and #row.series == count then
        local values = {}
        for k, at in ipairs(row.series) do values[k] = at.rate end
        local rate, coarse = mean(values, 1), mean(values, 2)
        row.rotation, row.settled = rate, math.abs(rate - coarse)
        worst = math.max(worst, row.settled/(1 + math.abs(rate)))
      end
      row.series, row.rate = nil, nil
    end
    count = 4*count
  until worst <= SETTLED or count > MOST or W.interrupted or #W*count > 1e8
  for _, row in ipairs(W) do
    if row.rotation and o.stroboscope then row.rotation = row.rotation*o.stroboscope/(2*math.pi) end
  end
  return W, { "rotation", "settled" }, {}
end
