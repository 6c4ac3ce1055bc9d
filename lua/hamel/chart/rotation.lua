-- chart/rotation.lua: the mean rate of an angle, by a weighted average that converges faster than any power of the time on tori.
--
-- Weight exp(-1/(s (1 - s))) over the part s of the time, averaged as an integral (quadrature.c). Source: Das, Saiki, Sander and Yorke, Nonlinearity 30
-- (2017).
local core = require "hamel.core"
local durations = require "hamel.model.durations"
local measures = require "hamel.run.measures"
local object = require "hamel.base.object"
local points = require "hamel.chart.points"
local protected = require "hamel.base.protected"
local shards = require "hamel.analysis.shards"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local rotation = {}

local FLOOR = 1/700                     -- of s (1 - s): the weight is below 1e-304 there, and outside of the window

-- The integral of the weight over 0 < s < 1. All its derivatives vanish at the ends, so that the trapezoidal rule is exact to rounding
local function weight_of_window()
  local sum, n = 0, 400
  for k = 1, n - 1 do sum = sum + math.exp(-n*n/(k*(n - k))) end
  return sum/n
end

-- The rate times the weight of a window as a measure; the mean over the whole run times the last result is the mean rate in the window
local function weighted(rate, from, to, t0, t1)
  local s = (symbols.t - from)/(to - from)
  return measures.mean(core.exp(-1/core.max(s*(1 - s), core.number(FLOOR)))*rate), (t1 - t0)/((to - from)*weight_of_window())
end

-- The result of a row; settled: how far that of either half of the time is from that of the whole
local function judge(row, factors, scale_of)
  local rates = {}
  for i, factor in ipairs(factors) do
    local name = "_rate" .. i
    rates[i], row[name] = row[name] and row[name]*factor, nil
  end
  if not shards.ended(row) or row.status == "EVENT" or #rates < 3 then return end
  local fine, scale = protected(scale_of, row)
  if not fine then
    if core.host.interrupted() then error(scale, 0) end
    row.status, row.reason = "NOT_FINITE", tostring(scale)
    return
  end
  row.rotation = rates[1]*scale
  row.settled = math.max(math.abs(rates[2] - rates[1]), math.abs(rates[3] - rates[1]))*math.abs(scale)
end

function rotation.chart(system, o, settings, t0, t1, columns)
  local angle = core.is_expression(o.angle) and core.text(o.angle) or o.angle
  if not angle then fail("chart: of = \"rotation\" needs angle = \"%s\"", system.coordinate_names[1]) end
  local q = system._coordinate[angle] or fail("chart: angle: '%s' is not a coordinate of %s%s", tostring(angle), system.name,
    object.hint(tostring(angle), system.coordinate_names))
  local from = t0 + o.skip
  local middle, factors = (from + t1)/2, {}
  settings.keep = {}
  for i, window in ipairs{ { from, t1 }, { from, middle }, { middle, t1 } } do
    settings.keep["_rate" .. i], factors[i] = weighted(q.dot, window[1], window[2], t0, t1)
  end
  local period = o.stroboscope and durations.of("chart", "stroboscope", system, o.stroboscope)
  local function scale_of(row) return period and period(points.parameters_of(system, o, row))/(2*math.pi) or 1 end
  function columns.finish(rows)
    for _, row in ipairs(rows) do judge(row, factors, scale_of) end
    return rows
  end
  return { "rotation", "settled" }, {}
end

return rotation
