-- chart/periods.lua: after how many points of a section or a stroboscope a motion repeats.
local object = require "hamel.base.object"
local points = require "hamel.chart.points"
local shards = require "hamel.analysis.shards"

local fail = object.fail
local periods = {}

-- The least period of the last points; 0: none up to `most`
local function period_of(list, most, close, extent)
  local last = #list
  for p = 1, math.min(most, last//2) do
    local repeats = true
    for k = last, math.max(p + 1, last - 2*most + 1), -1 do
      if points.distance(list[k], list[k - p], extent) > close then repeats = false break end
    end
    if repeats then return p end
  end
  return 0
end

--- Puts the periods into rows that have their points. about: { most =, close =, least = }.
function periods.judge(rows, about)
  local extent = points.extent(rows, about.least)
  for _, row in ipairs(rows) do
    if shards.ended(row) and row.points then row.period = period_of(row.points, about.most, about.close, extent) end
  end
end

-- Times of the last points of the stroboscope
local function times_of(o, period, t0, t1)
  local count = math.floor((t1 - t0)/period + 1e-9)
  local first, times = math.max(math.ceil(o.skip/period - 1e-9), count - 3*o.most), {}
  if count - first < 2 then fail("chart: fewer than two points of the stroboscope between skip and t: take a longer t") end
  for k = math.max(first, 1), count do times[#times + 1] = t0 + k*period end
  return times
end

-- The points of a stroboscope; where its period depends on parameters, each run has times of its own
local function by_stroboscope(system, o, settings, t0, t1, columns)
  local period, varies = points.stroboscope("chart", system, o.stroboscope)
  if not varies then return (points.at_times(system, settings, times_of(o, period(), t0, t1))) end
  local lists = {}
  function columns.times_of(parameters)
    local T = period(parameters)
    lists[T] = lists[T] or times_of(o, T, t0, t1)
    return lists[T]
  end
  return (points.at_times(system, settings, { t1 }))
end

local function regime(row) return row.period and (row.period == 0 and "no period" or "period " .. row.period) end

function periods.chart(system, o, settings, t0, t1, columns)
  if not o.section and not o.stroboscope then fail("chart: of = \"period\" needs section or stroboscope") end
  points.demand_one("chart", o)
  local take
  if o.section then
    take = points.on_section(system, settings, o.section, t0 + o.skip)
  else
    take = by_stroboscope(system, o, settings, t0, t1, columns)
  end
  columns.about.most, columns.about.close, columns.about.least = o.most, o.close, points.least(o, o.close)
  function columns.finish(rows)
    for _, row in ipairs(rows) do
      take(row)
      if row.status == "EVENT" then row.points = nil
      elseif shards.ended(row) and #row.points < 2 then
        row.status, row.reason = "NO_POINTS", "the motion " .. (#row.points == 0 and "never meets the section" or "meets the section once") .. " after skip"
      end
    end
    return rows
  end
  return { "period" }, { regime = regime }
end

return periods
