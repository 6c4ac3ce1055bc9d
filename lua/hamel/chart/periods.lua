-- chart/periods.lua: after how many points of a section or a stroboscope a motion repeats.
local object = require "hamel.base.object"
local points = require "hamel.chart.points"
local shards = require "hamel.analysis.shards"

local fail = object.fail

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

return function(system, o, settings, t0, t1)
  if not o.section and not o.stroboscope then fail("chart: of = \"period\" needs section or stroboscope") end
  local W, points_of
  if o.section then
    W, points_of = points.on_section(system, settings, o.section, t0 + o.skip)
  else
    local count = math.floor((t1 - t0)/o.stroboscope + 1e-9)
    local first = math.max(math.ceil(o.skip/o.stroboscope - 1e-9), count - 3*o.most)
    if count - first < 2 then fail("chart: fewer than two points of the stroboscope between skip and t: take a longer t") end
    local times = {}
    for k = math.max(first, 1), count do times[#times + 1] = t0 + k*o.stroboscope end
    W, points_of = points.at_times(system, settings, times)
  end
  local all = {}
  for i, row in ipairs(W) do all[i] = points_of(row) end
  local extent = points.extent(all)
  for i, row in ipairs(W) do
    if shards.ended(row) and #all[i] >= 2 then
      row.period = period_of(all[i], o.most, o.close, extent)
    elseif shards.ended(row) then
      row.status, row.reason = "NO_POINTS", "the motion does not meet the section"
    end
  end
  points.forget(W)
  return W, { "period" }, { regime = function(row) return row.period and (row.period == 0 and "no period" or "period " .. row.period) end }
end
