-- chart/init.lua: S:chart: a number of each motion over parameters and starts: exponents, period, basin, rotation number, or one's own.
local answer = require "hamel.base.answer"
local basins = require "hamel.chart.basins"
local Chart = require "hamel.chart.table"
local core = require "hamel.core"
local exponents = require "hamel.chart.exponents"
local fingerprint = require "hamel.run.fingerprint"
local jobs = require "hamel.analysis.sweep.jobs"
local measures = require "hamel.run.measures"
local idle = require "hamel.chart.idle"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local periods = require "hamel.chart.periods"
local points = require "hamel.chart.points"
local protected = require "hamel.base.protected"
local quantities = require "hamel.system.quantities"
local rotation = require "hamel.chart.rotation"
local Sweep = require "hamel.analysis.sweep"
local System = require "hamel.system"

local fail = object.fail

local own = {
  of = { doc = "\"exponents\", \"period\", \"basin\", \"rotation\", measures as in keep of S:sweep, or a function(row, run) that returns a number" },
  skip = { default = 0, from = 0, type = "number", doc = "time before counting begins" },
  n = { type = "number", from = 1, whole = true, doc = "exponents: how many; all when not given" },
  section = { type = "table", doc = "{ when = y, direction = \"rising\" }: the points that period and basin look at" },
  stroboscope = { type = "number", or_type = "userdata", above = 0,
                  doc = "time between the points that period and rotation look at; also an expression in parameters, 2*hm.pi/w" },
  most = { type = "number", from = 1, whole = true, default = 16, doc = "longest period that is looked for" },
  close = { type = "number", above = 0, default = 1e-6, doc = "distance of points that count as one, relative to the extent of the points" },
  attractors = { type = "table", doc = "{ name = { x = -1 }, ... }: given attractors of a basin" },
  radius = { type = "number", above = 0, doc = "distance to an attractor that counts as there; without attractors, relative to the extent of all points" },
  angle = { type = "string", or_type = "userdata", doc = "rotation: the angle whose mean rate is asked for" },
  escape = { type = "userdata",
             doc = "the run ends where this becomes positive, with the label \"escaped\"; at the start where it is positive, or zero and growing" },
}
local schema = {}
for name, row in pairs(options.of "sweep") do schema[name] = row end
for name, row in pairs(own) do schema[name] = row end
schema.keep, schema.times, schema.each = nil, nil, nil
schema.form = { type = "string", doc = "formalism; for exponents one without constraints where there is one" }

local kinds = { exponents = exponents, period = periods, basin = basins, rotation = rotation }

-- The options of the sweep behind a chart
local function sweep_options(o)
  local given = {}
  for name, value in pairs(o) do if not own[name] then given[name] = value end end
  if o.escape then
    given.events = object.copied(o.events)
    given.events.escaped = { when = o.escape, direction = "rising", terminal = true }
  end
  return given
end

-- Measures, or a function of the run: a sweep that keeps them
local function measured(_, o, given)
  if o.skip > 0 then fail("chart: measures and functions read the run from its start: leave skip out") end
  local of = o.of
  given.keep = type(of) == "function" and { value = measures.own(function(run) return of(run.options.parameters or {}, run) end) } or of
  return (measures.listed(given.keep, "chart")), {}
end

-- What the columns are computed from, for the first line of files
local function about_of(o)
  local list = {}
  for name in pairs(own) do list[name] = o[name] end
  list.of = nil
  return { of = type(o.of) == "string" and o.of or "measures", digest = fingerprint.of(list) }
end

local function span_of(o)
  local t0, t1 = 0, o.t
  if type(o.t) == "table" then t0, t1 = options.number(o.t[1]), options.number(o.t[2]) end
  t1 = options.number(t1)
  if not t1 then fail("chart: the end time t is missing") end
  if not (t1 > t0) then fail("chart: the end time %g is not after the start %g", t1, t0) end
  if not (t1 > t0 + o.skip) then fail("chart: the time %g of the runs is not longer than skip = %g", t1 - t0, o.skip) end
  return t0 + 0.0, t1 + 0.0
end

-- Parameters among the axes on which neither the motion nor what is read off it depends; functions may read anything
local function idle_axes(system, o)
  if type(o.of) == "function" then return {} end
  local names = {}
  for i, item in ipairs(o.over) do names[i] = type(item) == "table" and (core.is_expression(item[1]) and core.text(item[1]) or item[1]) or "" end
  return idle.among(system, names, { o.events or {}, o.section or {}, o.where or {}, type(o.of) == "table" and o.of or {}, { o.escape } })
end

-- Is a motion beyond a level at its start, or on it and on the way out? value_of(k): of the expression and its derivatives
local function starts_beyond(value_of)
  for k = 1, 3 do
    local value = value_of(k)
    if not value or value ~= 0 then return value and value > 0 or false end
  end
  return false
end

-- For sweeps: does a run end at its start? value_of(expression)
local function end_at_start(o)
  local list = { o.escape }
  return o.escape and function(value_of)
    return starts_beyond(function(k)
      if not list[k] then
        local fine, rate = protected(core.dt, list[k - 1])
        list[k] = fine and rate or nil
      end
      return list[k] and value_of(list[k])
    end)
  end or nil
end

-- The columns of rows, and the label of those that escaped
local function with_escapes(o, finish)
  if not o.escape then return finish end
  return function(rows)
    for _, row in ipairs(rows) do
      if row.status == "EVENT" and row.events and (row.events.escaped or 0) > 0 then row.label = "escaped" end
    end
    return finish and finish(rows) or rows
  end
end

-- The message of an interrupt, and the chart
local function charted(self, given)
  local o = options.check("chart", schema, quantities.in_seconds(self, "chart", given))
  if o.of == nil then fail("chart: of what? of = \"exponents\", \"period\", \"basin\", \"rotation\", measures, or a function") end
  local kind = type(o.of) == "string" and (kinds[o.of] or fail("chart: of = '%s' is not known%s", o.of, object.hint(o.of, object.keys(kinds)))) or nil
  local t0, t1 = span_of(o)
  local begun, settings, columns = core.host.clock(), sweep_options(o), { what = "chart", about = about_of(o) }
  local make = kind and kind.chart or measured
  local names, how = make(self, o, settings, t0, t1, columns)
  columns.finish, columns.ends_at_start = with_escapes(o, columns.finish), end_at_start(o)
  local W = Sweep.with(self, settings, columns)
  if kind and kind.judge then
    core.host.finish(kind.judge, W, columns.about)
    points.forget(W)
  end
  how.idle, how.unchosen = idle_axes(self, o), jobs.unchosen(self, o)
  local chart = Chart.new(self, o, W, names, how, t1, core.host.clock() - begun)
  return ("interrupted: %d of %d kept"):format(#W, W.total), chart
end

--- Makes a chart: a number of each motion over a grid of parameters and starts.
--- S:chart{ over = { {"mu", hm.range(0, 1, 50)}, {"energy", hm.range(0.05, 0.16, 50)} }, of = "exponents", q =, v =, t = 1000, skip = 100 }.
--- of = "exponents" (Lyapunov's; row.exponents, sum, dimension, settled: their change over the second half; with steps of one size `skip` is rounded up
--- to whole steps), "period" (of the points of a section or a
--- stroboscope; 0: none up to `most`), "basin" (row.label: the given attractor that is reached, or "1", "2", ... for those found), "rotation" (mean rate
--- of an angle; with a stroboscope turns per point), a table of measures as in `keep` of S:sweep, or a function(row, run).
--- Axes are those of S:sweep: parameters, starts, "energy" or another level. All options of S:sweep are accepted.
--- Result C: C[i] (rows), C:at(mu, energy), C:plot(), C:save(); printing tells how the points fall into regimes. Runs that fail stay as rows.
--- Sources: Benettin and others, Meccanica 15 (1980); Das and others, Nonlinearity 30 (2017), for the weights of rotation.
--- Threads, shards, out, mpirun and Ctrl-C are as in S:sweep: rows are appended to the file `out` as they finish, a second call goes on with it, and
--- `hamel merge` joins parts and finds the clusters of basins and the periods over all of them. Ctrl-C keeps the finished rows (C.interrupted).
function System:chart(given) return core.host.hold(answer.dressing(charted), self, given) end

options.declare("chart", schema)

return Chart
