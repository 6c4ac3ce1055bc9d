-- chart/diagram.lua: S:diagram: bifurcation diagrams: the points of a section or a stroboscope over one parameter.
local answer = require "hamel.base.answer"
local core = require "hamel.core"
local durations = require "hamel.model.durations"
local idle = require "hamel.analysis.idle"
local launched = require "hamel.base.launched"
local measures = require "hamel.run.measures"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local periods = require "hamel.chart.periods"
local points = require "hamel.chart.points"
local poles = require "hamel.run.poles"
local quantities = require "hamel.system.quantities"
local rows = require "hamel.analysis.sweep.rows"
local simulate = require "hamel.run.simulate"
local slowest = require "hamel.chart.slowest"
local Sweep = require "hamel.analysis.sweep"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local protected = require "hamel.base.protected"
local remarks = require "hamel.base.remarks"
local volumes = require "hamel.chart.volumes"
require "hamel.analysis.section"

local fail = object.fail

local BLURRED = 100                     -- times the tolerances of a step, which is about what a run is off by

local Diagram = object.class "Diagram"

local schema = {}
for name, row in pairs(simulate.run_schema) do schema[name] = row end
schema.checkpoint, schema.every = nil, nil                               -- a file holds one run
local own = {
  along = { type = "table", list = true, doc = "{ \"g\", values }: the parameter and its values" },
  of = { type = "string", or_type = "userdata", doc = "what is read at the points: a name or an expression" },
  stroboscope = { type = "number", or_type = "userdata", above = 0, finite = true, doc = "time between points; also an expression in parameters, 2*hm.pi/w" },
  section = { type = "table", doc = "{ when = y, direction = \"rising\" }: points where y vanishes, rising unless \"falling\" or \"both\"" },
  skip = { type = "number", from = 0, to = 1e8, whole = true, default = 200, doc = "points that are left out" },
  n = { type = "number", from = 1, to = 1e6, whole = true, default = 60, doc = "points that are kept" },
  t = { type = "number", or_type = "table", finite = true,
        doc = "with a section: the end time of each run, or { start, end }; with a stroboscope only a start, { t0 }: each run lasts skip + n times it" },
  follow = { type = "boolean", default = true, doc = "start each value at the end of the one before; false: all from q, v" },
  back = { type = "boolean", doc = "with follow: forth and back, which shows hysteresis" },
}
for name, row in pairs(own) do schema[name] = row end

local function checked_axis(system, o)
  local name, values = o.along and o.along[1], o.along and o.along[2]
  if core.is_expression(name) then name = core.text(name) end
  if type(name) ~= "string" or type(values) ~= "table" or #values == 0 then fail("diagram: along = { \"g\", {values} }") end
  if not system._parameter[name] then
    fail("diagram: along: '%s' is not a parameter of %s%s", name, system.name, object.hint(name, system.parameter_names))
  end
  local list = {}
  for i, value in ipairs(values) do
    list[i] = symbols.number(value)
    if not list[i] or list[i] - list[i] ~= 0 then fail("diagram: along: value %d of '%s' is %s, no finite number", i, name, tostring(value)) end
  end
  return name, list
end

-- The times of each run: its start and, with a section, its end
local function span_of(o)
  if o.section then
    if not o.t then fail("diagram: the end time t is missing: with a section, give t = the end time of the run for each value, such as t = 1000") end
    local t0, t1 = simulate.span(o.t)
    if t0 - t0 ~= 0 or t1 - t1 ~= 0 or not (t1 > t0) then fail("diagram: t = %g to %g: the end is finite and after the start", t0, t1) end
    return { t0, t1 }
  end
  if o.t == nil then return { 0.0 } end
  local t0 = type(o.t) == "table" and #o.t == 1 and symbols.number(o.t[1])
  if not t0 or t0 - t0 ~= 0 then
    fail("diagram: with a stroboscope each run lasts skip + n times the stroboscope: leave t out, or give the start alone, t = { 0 }")
  end
  return { t0 + 0.0 }
end

-- What must not vanish at a point, for `of` to have a value there: functions whose zeros are poles, less what the tolerances of the run change in them
local function guards_of(system, o)
  local fine, e = protected(function() return core.is_expression(o.of) and o.of or system:check_expression(o.of, "of", 1) end)
  local guards = {}
  for i, g in ipairs(fine and poles.of(e) or {}) do
    local change = core.number(0)
    for _, q in ipairs(system:coordinate_list()) do
      for _, s in ipairs{ q, q.dot } do change = change + core.abs(core.diff(g, s))*(o.rtol*core.abs(s) + o.atol) end
    end
    guards[i] = { g = g, e = core.abs(g) - BLURRED*change }
  end
  return guards
end

local SMOOTH, ROUNDING = 100, 1e-9      -- times the change over the next time of that length; of the size: a larger change is that of an impact

-- The times at which the value at an instant t of a stroboscope is read
local function instants(system, o, t, period)
  local later = points.behind(system, o.rtol, period)
  if later == 0 then return { t } end
  return { t, t + later, t + 2*later }
end

-- The value at an instant, of lists at its times: where it jumps there by an impact, that behind it, continued back to the instant
local function behind_impact(lists)
  local here, one, other = table.unpack(lists)
  if not other or here[1] ~= here[1] or math.abs(one[1] - here[1]) <= SMOOTH*math.abs(other[1] - one[1]) + ROUNDING*math.abs(here[1]) then return here end
  local list = table.move(one, 1, #one, 1, {})
  list[1] = 2*one[1] - other[1]
  return list
end

-- The values at the points, of lists { value, guards }: where a guard is not positive there is none
local function put_values(o, guards, item, lists)
  for _, at in ipairs(lists) do
    local lost
    for i, guard in ipairs(guards) do lost = lost or not (at[i + 1] > 0) and core.text(guard.g) end
    if not lost and at[1] - at[1] == 0 then item.values[#item.values + 1] = at[1]
    elseif item.status == "OK" then
      item.status, item.reason = "NOT_FINITE", ("%s has no value at %s: %s"):format(type(o.of) == "string" and o.of or core.text(o.of),
        #lists == 1 and "the point" or "some of the points", lost and lost .. " is zero there, within the tolerance of the run" or "it is not finite")
    end
  end
  return item
end

local function without_points(o, item, met)
  if item.status ~= "OK" then return item end
  item.status, item.reason = "NO_POINTS", met == 0 and points.none(o, "") or ("the section is met %d times, skip = %d"):format(met, o.skip)
  return item
end

-- One value: its item, the state at the end; with a section, the time of that
local function at_value(system, o, given, item)
  local t0, list, wanted = given.t[1], {}, { o.of }
  for i, guard in ipairs(o.guards) do wanted[i + 1] = guard.e end
  if o.stroboscope then
    local fine, period = protected(o.period, given.parameters)
    if not fine then
      if core.host.interrupted() then error(period, 0) end
      item.status, item.reason = "START", rows.without_place(period)
      return item, nil
    end
    local t1 = t0 + (o.skip + o.n)*period
    local ends = instants(system, o, t1, period)
    given.t = { t0, ends[#ends] }
    local run = system:simulate(given)
    item.status, item.reason = run.status, run.reason
    if item.status ~= "OK" then return item, nil end
    for k = 1, o.n do
      local each = instants(system, o, t0 + (o.skip + k)*period, period)
      for i, t in ipairs(each) do each[i] = run:values_at(t, wanted) end
      list[k] = behind_impact(each)
    end
    return put_values(o, o.guards, item, list), run:at(t1)
  end
  local run = system:simulate(given)
  local crossings = run:section(o.section.when, { direction = o.section.direction })
  item.status, item.reason = run.status, run.reason
  for k = o.skip + 1, math.min(#crossings, o.skip + o.n) do list[#list + 1] = run:values_at(crossings[k].t, wanted) end
  if #list == 0 then return without_points(o, item, #crossings), nil end
  return put_values(o, o.guards, item, list), run:at(run.outcome.t), run.outcome.t
end

-- What a row of a sweep is in a diagram
local function item_of(system, o, row, name, value)
  local item, list = { [name] = value, values = {}, status = row.status, reason = row.reason }, {}
  if o.stroboscope then
    local all, each = {}, #instants(system, o, 0, 1)
    for k, at in ipairs(row.status == "OK" and row.series or {}) do
      all[k] = { at._value }
      for i in ipairs(o.guards) do all[k][i + 1] = at["_guard" .. i] end
    end
    for k = 1, #all//each do list[k] = behind_impact(table.move(all, (k - 1)*each + 1, k*each, 1, {})) end
    return put_values(o, o.guards, item, list)
  end
  local all = row._points or {}
  for k = o.skip + 1, math.min(#all, o.skip + o.n) do list[#list + 1] = all[k] end
  if #list == 0 then return without_points(o, item, #all) end
  return put_values(o, o.guards, item, list)
end

-- All values from the same start, side by side as a sweep
local function side_by_side(self, o, name, order, span, diagram)
  local given, columns = {}, { what = "diagram" }
  for key in pairs(simulate.run_schema) do given[key] = o[key] end
  given.dense, given.record = nil, nil                                   -- a sweep keeps what is asked for
  given.over, given.t, given.progress = { { name, order } }, span, false
  if o.stroboscope then
    function columns.times_of(parameters)
      local period, times = o.period(parameters), {}
      for k = 1, o.n do
        for _, t in ipairs(instants(self, o, span[1] + (o.skip + k)*period, period)) do times[#times + 1] = t end
      end
      return times
    end
    given.keep, given.times, given.t = { _value = o.of }, { span[1] + 1 }, { span[1], span[1] + 1 }
    for i, guard in ipairs(o.guards) do given.keep["_guard" .. i] = guard.e end
  else
    local wanted = { o.of }
    for i, guard in ipairs(o.guards) do wanted[i + 1] = guard.e end
    given.keep = { _points = measures.points(o.section.when, o.section.direction, wanted, span[1]) }
  end
  local W = Sweep.with(self, given, columns)
  for i, row in ipairs(W) do
    if row.status ~= "INTERRUPTED" then diagram[#diagram + 1] = item_of(self, o, row, name, order[row.index or i]) end
  end
  if #W == #order and #W:failed() == #W and W[1].status == "START" then error(W[1].reason, 0) end
end

local MOST, SEEN, FEWEST = 16, 1e-4, 4  -- the longest period; of the height of the diagram: what is seen of it; points at least

-- Puts `settled` into items: do their points repeat, as far as the diagram shows it, or are they seen to settle still?
local function judge_settling(system, o, name, span, diagram)
  local low, high, V, names = math.huge, -math.huge, volumes.of(system), points.states(system)
  for _, item in ipairs(diagram) do
    for _, value in ipairs(item.values) do low, high = math.min(low, value), math.max(high, value) end
  end
  local about = { most = MOST, close = SEEN, rtol = o.rtol, longer = o.stroboscope and "take a larger skip" or nil }
  local wide = { math.max(high - low, 1e-3*math.max(math.abs(low), math.abs(high)), points.least(o, SEEN)) }
  for _, item in ipairs(diagram) do
    if item.status == "OK" and #item.values >= FEWEST then
      local words
      item.settled, words = periods.settled({ flat = item.values, size = 1 }, about, V and V.kept, wide)
      if item.settled == nil then
        local parameters = object.copied(system:by_name(o.parameters or {}, "parameters"))
        parameters[name] = item[name]
        local needed = slowest.time(V, names, parameters, SEEN)
        local period = needed and o.stroboscope and o.period(parameters)
        if needed and (period and (o.skip + o.n)*period or span[2] - span[1]) < needed then
          item.settled, words = false, ("damping is weak: it takes a time of about %.2g for a motion to settle; take %s"):format(needed,
            period and ("skip = %.0f or more"):format(math.ceil(1.1*needed/period)) or ("t = %.2g or more, and a larger skip"):format(1.1*needed))
        end
      end
      item.reason = words or item.reason
    end
  end
end

-- The message of an interrupt, and the diagram
local function drawn(self, given)
  launched.demand_alone "diagram"
  simulate.demand_no_checkpoint("diagram", given, "leave it out: Ctrl-C keeps the values that are finished")
  local o = options.check("diagram", schema, quantities.in_seconds(self, "diagram", given))
  if not given or given.max_steps == nil then o.max_steps = nil end        -- S:simulate chooses it
  local name, values = checked_axis(self, o)
  if o.of == nil then fail("diagram: of what? of = \"%s\"", self.coordinate_names[1]) end
  if not o.stroboscope and not o.section then
    fail("diagram: give stroboscope = the time between points, or section = { when = ... }; S:continue follows equilibria and "
      .. "periodic motions along a parameter")
  end
  points.demand_one("diagram", o)
  if o.section then o.section = points.checked_section("diagram", o.section) end
  if o.stroboscope then o.period = durations.of("diagram", "stroboscope", self, o.stroboscope) end
  if o.back and not o.follow then fail("diagram: back has no effect with follow = false, where all values start from q, v") end
  local span = span_of(o)
  o.guards = guards_of(self, o)
  local order = table.move(values, 1, #values, 1, {})
  if o.back then for i = #values, 1, -1 do order[#order + 1] = values[i] end end
  local q, v, diagram = o.q, o.v, { along = name, of = type(o.of) == "string" and o.of or core.text(o.of), system = self.name,
    _declared = self }
  local together, begun = not o.follow, span[1]
  if together then side_by_side(self, o, name, order, span, diagram) end
  local function begin_at(value, q0, v0, t0)
    local settings = {}
    for key in pairs(simulate.run_schema) do settings[key] = o[key] end
    settings.q, settings.v, settings.t, settings.progress, settings.keep = q0, v0, { t0, span[2] and t0 + (span[2] - span[1]) }, false, nil
    settings.parameters = object.copied(self:by_name(o.parameters or {}, "parameters"))
    settings.parameters[name] = value
    return protected(at_value, self, o, settings, { [name] = value, values = {} })
  end
  for i, value in ipairs(together and {} or order) do
    local fine, item, last, ended = begin_at(value, q, v, begun)
    if not fine and q ~= o.q and not core.host.interrupted() then
      fine, item, last, ended = begin_at(value, o.q, o.v, span[1])
      if fine then item.anew = true end
    end
    if core.host.interrupted() then break end
    if not fine and i == 1 then error(item, 0) end
    diagram[i] = fine and item or { [name] = value, values = {}, status = "START", reason = rows.without_place(item) }
    if o.follow and last then q, v, begun = last.q, last.v, ended or begun end
  end
  remarks(judge_settling, self, o, name, span, diagram)
  local idle_names = remarks(idle.among, self, { name }, { { o.of }, o.q or {}, o.v or {}, o.section or {}, o.events or {}, { o.stroboscope } })
  diagram._idle = idle_names and idle_names[1]
  diagram.interrupted = core.host.interrupted()
  return ("interrupted: %d of %d values kept"):format(#diagram, #order), setmetatable(diagram, Diagram.meta)
end

--- Makes a bifurcation diagram: S:diagram{ along = {"g", hm.range(1, 1.1, 400)}, of = "x", stroboscope = 3*hm.pi, skip = 200, n = 60, q =, v = }.
--- Result D: D[i] = { g =, values = {...}, status =, reason =, settled = } for each value of the parameter. skip and n count points: the first `skip` are
--- left out, the next `n` are kept. With a stroboscope a run lasts skip + n times its period, and t is left out (t = { t0 } sets the start time); with a
--- section t is the end time of each run.
--- follow = true starts each value at the end of the one before: with a stroboscope at the same phase of the drive, with a section at the time at which
--- that one ended; back = true goes forth and back. Where that end is no possible start, since a constraint or a wall moves with the parameter, the value
--- starts from q, v again (D[i].anew = true). follow = false starts all values from q, v: their runs are made side by side, as those of S:sweep.
--- At an instant of the stroboscope that is one of an impact there are two values: that behind the impact is taken.
--- Values are drawn as they are: of an angle that turns on take of = hm.sin(phi), or its rate.
--- status is that of the run; "NO_POINTS" where the section is met no more than `skip` times; "NOT_FINITE" where `of` has no value at some of the points, such
--- as 1/x where x is zero within the tolerances of the run: these points are left out.
--- settled = true where the points repeat, after no more than 16, to 1/10000 of the height of the diagram; false where they are seen to settle still, or where
--- the damping, if it is the same at all states, had no time to settle them: they look like a band, and reason says what to take; nil where neither is
--- known, as of chaos, of several frequencies, and of fewer than 4 points.
--- Ctrl-C keeps the values that are finished (D.interrupted).
function System:diagram(given) return core.host.hold(answer.dressing(drawn), self, given) end

function Diagram.meta.__tostring(self)
  local count = 0
  for _, item in ipairs(self) do count = count + #item.values end
  local lines = { ("diagram of %s: %s over %s, %d values, %d points"):format(self.system, self.of, self.along, #self, count) }
  if self._idle then lines[#lines + 1] = ("  nothing depends on '%s'"):format(self._idle) end
  local first, failed = nil, 0
  for _, item in ipairs(self) do
    if item.status ~= "OK" then first, failed = first or item, failed + 1 end
  end
  if first then
    lines[#lines + 1] = ("  %d value%s without all points; %s = %.9g, %s: %s"):format(failed, failed == 1 and "" or "s", self.along, first[self.along],
      first.status, first.reason or "")
  end
  local anew, count_anew = nil, 0
  for _, item in ipairs(self) do
    if item.anew then anew, count_anew = anew or item, count_anew + 1 end
  end
  if anew then
    lines[#lines + 1] = ("  %d value%s from q, v, where the end of the value before is no possible start: the first is %s = %.9g"):format(count_anew,
      count_anew == 1 and " starts" or "s start", self.along, anew[self.along])
  end
  local moving, count_moving = nil, 0
  for _, item in ipairs(self) do
    if item.settled == false then moving, count_moving = moving or item, count_moving + 1 end
  end
  if moving then
    lines[#lines + 1] = ("  %d value%s with points that have not settled; %s = %.9g: %s"):format(count_moving, count_moving == 1 and "" or "s", self.along,
      moving[self.along], moving.reason)
  end
  return table.concat(lines, "\n")
end

options.declare("diagram", schema)

return Diagram
