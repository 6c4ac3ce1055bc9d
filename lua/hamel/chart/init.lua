-- chart/init.lua: S:chart: a number of each motion over parameters and starts: exponents, period, basin, rotation number, or one's own.
local answer = require "hamel.base.answer"
local basins = require "hamel.chart.basins"
local Chart = require "hamel.chart.table"
local core = require "hamel.core"
local exponents = require "hamel.chart.exponents"
local fields = require "hamel.chart.fields"
local fingerprint = require "hamel.run.fingerprint"
local jobs = require "hamel.analysis.sweep.jobs"
local measures = require "hamel.run.measures"
local idle = require "hamel.analysis.idle"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local periods = require "hamel.chart.periods"
local points = require "hamel.chart.points"
local protected = require "hamel.base.protected"
local remarks = require "hamel.base.remarks"
local quantities = require "hamel.system.quantities"
local rotation = require "hamel.chart.rotation"
local simulate = require "hamel.run.simulate"
local Sweep = require "hamel.analysis.sweep"
local sweep_rows = require "hamel.analysis.sweep.rows"
local System = require "hamel.system"
local tolerance = require "hamel.analysis.tolerance"

local fail = object.fail

local own = {
  of = { doc = "\"exponents\", \"period\", \"basin\", \"rotation\", measures as in keep of S:sweep, or a function(row, run) that returns a number" },
  skip = { default = 0, from = 0, finite = true, type = "number", doc = "time before counting begins; of basins, at least half of the time is not counted" },
  n = { type = "number", from = 1, whole = true, doc = "exponents: how many; all when not given" },
  section = { type = "table", doc = "period, basin: their points, { when = y, direction = \"rising\" }; rising unless \"falling\" or \"both\"" },
  stroboscope = { type = "number", or_type = "userdata", above = 0, finite = true,
                  doc = "period, basin: time between their points; rotation: the unit of time. A number or an expression in parameters, 2*hm.pi/w" },
  most = { type = "number", from = 1, to = 10000, whole = true, default = 16, doc = "period: the longest one that is looked for" },
  close = { type = "number", above = 0, below = 1, default = 1e-6,
            doc = "period: distance of points that count as one, relative to the extent of the same motion, or to a thousandth of its size where it rests" },
  attractors = { type = "table", doc = "basin: given attractors, { name = { x = -1, [x^2 + y.dot] = 0 }, ... }; without them they are found" },
  radius = { type = "number", above = 0, finite = true,
             doc = "basin: distance to a given attractor that counts as there, 0.1; of attractors that are found, relative to their extent, 0.02" },
  angle = { type = "string", or_type = "userdata", doc = "rotation: the coordinate whose mean rate is wanted" },
  escape = { type = "userdata",
             doc = "the run ends where this becomes positive, with the label \"escaped\"; at the start where it is positive, or zero and growing" },
}
local schema = {}
for name, row in pairs(options.of "sweep") do schema[name] = row end
for name, row in pairs(own) do schema[name] = row end
schema.keep, schema.times, schema.each = nil, nil, nil
schema.atol = object.copied(schema.atol)
schema.atol.doc = "absolute tolerance of each step; when not given, less where coordinates or velocities are smaller than 0.01, but for measures and functions"
schema.form = { type = "string", doc = "formalism; for exponents one without constraints where there is one" }

local kinds = { exponents = exponents, period = periods, basin = basins, rotation = rotation }

-- The options that each kind reads; measures and functions read none of these
local read_by = { exponents = { "skip", "n" }, period = { "skip", "section", "stroboscope", "most", "close" },
  basin = { "skip", "section", "stroboscope", "attractors", "radius" }, rotation = { "skip", "stroboscope", "angle" } }
local by_all = { "of", "escape" }

local function demand_effect(given, kind)
  for _, name in ipairs(object.keys(own)) do
    if given[name] ~= nil and not object.contains(by_all, name) and not (kind and object.contains(read_by[kind], name)) then
      local readers = {}
      for _, other in ipairs(object.keys(read_by)) do
        if object.contains(read_by[other], name) then readers[#readers + 1] = ("\"%s\""):format(other) end
      end
      fail("chart: '%s' has no effect with of = %s: %s", name, kind and ("\"%s\""):format(kind) or "measures or a function",
        name == "skip" and not kind and "these read the run from its start; leave it out" or "it belongs to of = " .. table.concat(readers, ", "))
    end
  end
end

local WANTED = "of is \"exponents\", \"period\", \"basin\", \"rotation\", measures, or a function"

-- The kind by its name; nil: measures or a function
local function kind_of(of)
  if of == nil then fail("chart: of what? %s", WANTED) end
  if type(of) == "string" then
    return kinds[of] and of or fail("chart: of = '%s' is not known%s: %s; a measure is given in a list: of = { \"max x\" }", of,
      object.hint(of, object.keys(kinds)), WANTED)
  end
  if measures.of(of) or core.is_expression(of) then fail("chart: of = { name = %s }: measures are given in a list, by name", tostring(of)) end
  if type(of) ~= "table" and type(of) ~= "function" then fail("chart: %s, not a %s", WANTED, type(of)) end
  if type(of) == "table" and next(of) == nil then fail("chart: of = {} asks for nothing: %s", WANTED) end
  return nil
end

local function demand_escape(escape)
  if escape == nil then return end
  if #core.symbols{ escape } == 0 then
    fail("chart: escape = %s is a constant; it is an expression that becomes positive where a motion escapes, such as x^2 - 100", core.text(escape))
  end
end

-- The options of the sweep behind a chart
local function sweep_options(o, asked)
  local given = {}
  for name, value in pairs(o) do if not own[name] then given[name] = value end end
  given.max_steps, given.atol = asked.max_steps, asked.atol      -- where there is none, S:simulate chooses it
  if o.escape then
    given.events = object.copied(o.events)
    given.events.escaped = { when = o.escape, direction = "rising", terminal = true }
  end
  return given
end

-- A function of the run as a measure: a row for which it raises an error, or returns nil, has no value. Second result: raises the first error where all
-- of a number of rows have one
local function own_measure(of)
  local raised, first = 0, nil
  local function number_of(run, row)
    -- the parameters that were given to the chart are no fields of the row
    local filled = object.copied(run.options.parameters or {})
    for name, field in pairs(row) do filled[name] = field end
    local fine, value = protected(of, filled, run)
    jobs.rethrow_interrupt(fine, value)
    if not fine then
      raised, first = raised + 1, first or value
      return nil, { status = "NO_VALUE", reason = "the function raised an error: " .. sweep_rows.without_place(value) }
    end
    if not value then return nil, { status = "NO_VALUE", reason = "the function returned " .. tostring(value) } end
    return options.returned(value) or fail("chart: of: the function returns a number, or nil where there is none, not %s", type(value) == "string"
      and ("the text \"%s\""):format(value) or "a " .. type(value))
  end
  return measures.own(number_of), function(count) if raised > 0 and raised == count then error(first, 0) end end
end

-- Measures, or a function of the run: a sweep that keeps them
local function measured(_, o, given)
  local how = {}
  given.keep = o.of
  if type(o.of) == "function" then
    local measure
    measure, how.demand = own_measure(o.of)
    given.keep = { value = measure }
  end
  return (measures.listed(given.keep, "chart", "of")), how
end

-- What the columns are computed from, for the first line of files
local function about_of(o)
  local list = {}
  for name in pairs(own) do list[name] = o[name] end
  -- names and measures are columns of the file
  if type(o.of) ~= "function" then list.of = nil end
  return { of = type(o.of) == "string" and o.of or "measures", digest = fingerprint.of(list) }
end

local function span_of(o)
  local t0, t1 = 0, o.t
  if type(o.t) == "table" then t0, t1 = options.number(o.t[1]), options.number(o.t[2]) end
  t1 = options.number(t1)
  if not t0 or not t1 or type(o.t) == "table" and #o.t ~= 2 then fail("chart: t is the end time, or { start, end }") end
  if t0 - t0 ~= 0 or t1 - t1 ~= 0 then fail("chart: t = %g to %g: both ends must be finite", t0, t1) end
  if not (t1 > t0) then fail("chart: the end time %g is not after the start %g", t1, t0) end
  if not (t1 > t0 + o.skip) then fail("chart: the time %g of the runs is not longer than skip = %g", t1 - t0, o.skip) end
  return t0 + 0.0, t1 + 0.0
end

-- Sentences on parameters among the axes on which neither the motion nor what is read off it depends, or only some of it; functions may read anything
local function idle_axes(system, o)
  if type(o.of) == "function" then return {} end
  local names, levels = {}, {}
  for i, item in ipairs(o.over) do
    local what = type(item) == "table" and item[1] or ""
    names[i] = core.is_expression(what) and core.text(what) or what
    -- starts on levels
    levels[i] = not system._parameter[names[i]] and what or ""
  end
  local columns = type(o.of) == "table" and o.of or {}
  return idle.words(system, names, columns, { levels, o.q or {}, o.v or {}, o.events or {}, o.section or {}, o.where or {}, { o.escape } })
end

-- Notes on axes with values that are given twice: such motions are made twice, and lie at one place of the chart
local function repeated(o, varied)
  local list = {}
  for k, item in ipairs(o.over or {}) do
    local seen, count = {}, 0
    for _, value in ipairs(item[2]) do
      value = options.number(value) or value
      if not seen[value] then seen[value], count = true, count + 1 end
    end
    if count < #item[2] then list[#list + 1] = ("of the %d values of '%s' only %d are different"):format(#item[2], varied[k], count) end
  end
  return list
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
  return function(rows, again)
    if finish then rows = finish(rows, again) end
    for _, row in ipairs(rows) do
      if row.status == "EVENT" and row.events and (row.events.escaped or 0) > 0 then row.label = "escaped" end
    end
    return rows
  end
end

local SAMPLES = 3                       -- motions of a chart that are looked at before all others

-- The message of an interrupt, and the chart
local function charted(self, given)
  simulate.demand_no_checkpoint("chart", given, "out = \"rows.jsonl\" keeps the rows that are finished, and the same call goes on")
  local o = options.check("chart", schema, quantities.in_seconds(self, "chart", given))
  local name = kind_of(o.of)
  demand_effect(given, name)
  demand_escape(o.escape)
  local kind = kinds[name]
  local t0, t1 = span_of(o)
  local begun, settings, columns = core.host.clock(), sweep_options(o, given), { what = "chart", about = about_of(o) }
  local looked_at
  local function samples()
    looked_at = looked_at or jobs.samples(self, settings, SAMPLES)
    return looked_at
  end
  if kind and given.atol == nil then
    settings.atol, columns.chose_atol = o.atol, true
    local states, list = points.states(self)
    settings.atol = tolerance.of(self, settings, samples(), states, list, t0, t1)
    o.atol = settings.atol
  end
  local make = kind and kind.chart or measured
  columns.reserved = fields.reserved(name or type(o.of))
  local names, how = make(self, o, settings, t0, t1, columns, samples)
  columns.names = how.shown or names
  columns.finish, columns.ends_at_start = with_escapes(o, columns.finish), end_at_start(o)
  local W = Sweep.with(self, settings, columns)
  if kind and kind.judge then
    how.notes = core.host.finish(kind.judge, W, columns.about)
    kind.forget(W)
  end
  if how.demand and not W.interrupted then how.demand(#W) end
  names = how.names and how.names(W) or names
  how.twice = table.move(repeated(o, W.varied), 1, #(o.over or {}), #(W._notes or {}) + 1, table.move(W._notes or {}, 1, #(W._notes or {}), 1, {}))
  how.idle, how.unchosen = remarks(idle_axes, self, o), remarks(jobs.unchosen, self, o)
  local chart = Chart.new(self, o, W, names, how, t1, core.host.clock() - begun)
  return ("interrupted: %d of %d kept"):format(#W, W.total), chart
end

--- Computes one number of each motion over a grid of parameters and starts.
--- S:chart{ over = { {"mu", hm.range(0, 1, 50)}, {"energy", hm.range(0.05, 0.16, 50)} }, of = "exponents", q =, v =, t = 1000, skip = 100 }.
---
--- Axes are those of S:sweep: parameters, starts, "energy" or another level. All options of S:simulate and S:sweep are accepted; an option that `of` does
--- not read is refused.
---
--- of = "exponents": Lyapunov exponents, in row.exponents (the largest first; also row.exponent1, ...), row.sum, row.dimension (Kaplan and Yorke) and
--- row.settled (the largest change of an exponent over the second half of the time). Printed are regimes by the signs of the exponents, such as
--- "chaos (+ 0 -)", "cycle (0 -)", "torus (0 0 -)"; "undecided" where the run is too short to tell.
---
--- of = "period": row.period, the number of points of a `section` or a `stroboscope` after which the motion repeats. 0: it does not repeat after any number
--- up to `most`. Points that differ by less than `close` count as one. Angles are compared up to whole turns, ignorable coordinates not at all.
---
--- of = "basin": row.label, the name of the attractor that the motion has reached: one of `attractors`, or "1", "2", ... in the order of the rows. "none":
--- it has reached none of those given, or has settled where no other motion of the chart arrives, or nothing attracts, as without damping. "unsettled": it
--- still changes, or does not repeat.
---
--- of = "rotation": row.rotation, the mean rate of the coordinate `angle`, with a stroboscope in turns per point; row.settled is how far the mean rates of
--- the two halves of the time are from it.
---
--- of = { top = hm.highest(x), "max phi" }: measures as in `keep` of S:sweep, in row[name].
---
--- of = function(row, run) ... end: the number that it returns is row.value; row also has the values of `parameters`. Where the function returns nil or
--- raises an error, the status is "NO_VALUE"; an error in all rows is raised.
---
--- Each row has index, the values on the axes (row.k of a parameter, row["q.x"] and row["v.x"] of starts), t, steps, reason, and status: "OK"; "EVENT" where
--- an event or `escape` ended the run; "NO_POINTS" where there are too few points; "UNDECIDED" where the motion does not tell the number, with the reason;
--- else that of the run, as "INACCURATE". Runs that fail stay as rows without numbers.
---
--- Result C: C[i] (rows), C:at(mu, energy), C:plot "map.png", C:save(); printing shows how the rows fall into regimes. The theory page Charts of regimes of
--- the manual says how regimes, periods and basins are decided, and when a row is undecided.
---
--- Threads, shards, `out`, mpirun and Ctrl-C are as in S:sweep: rows are appended to the file `out` as they finish, a second call goes on with it, and
--- `hamel merge` joins parts and finds the attractors over all of them. Ctrl-C keeps the finished rows (C.interrupted).
--- Sources: Benettin and others, Meccanica 15 (1980); Das and others, Nonlinearity 30 (2017), for the weights of rotation.
function System:chart(given) return core.host.hold(answer.dressing(charted), self, given) end

options.declare("chart", schema)

return Chart
