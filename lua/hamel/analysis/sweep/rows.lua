-- rows.lua: the rows of a sweep: which names they have, and how the values kept of a run enter them.
local measures = require "hamel.run.measures"
local object = require "hamel.base.object"

local fail = object.fail

local rows = {}

-- The fields that every row may have, and those of them that are no columns of merged tables
rows.BESIDE = { "reason", "evaluations", "impacts", "switches", "events", "series", "inputs" }
rows.FIELDS = table.move(rows.BESIDE, 1, #rows.BESIDE, 8, { "index", "status", "t", "steps", "label", "failed", "checksum" })

--- Do rows have a field of this name? reserved: patterns of further names.
function rows.is_field(name, reserved)
  for _, pattern in ipairs(reserved or {}) do if name:find("^" .. pattern .. "$") then return true end end
  return object.contains(rows.FIELDS, name)
end

--- Raises an error where a kept value would have the name of another field
function rows.check_names(names, varied)
  for i, name in ipairs(names) do
    if object.contains(rows.FIELDS, name) or object.contains(varied, name) then
      fail("sweep: keep: a row has a '%s' already; choose another name, as in keep = { my_%s = \"%s\" }", name, (name:gsub("[^%w]", "_")), name)
    end
    for k = 1, i - 1 do if names[k] == name then fail("sweep: keep has '%s' twice", name) end end
  end
end

function rows.kept(system, o)
  local names, list = {}, {}
  if not o.keep then
    for i, q in ipairs(system:coordinate_list()) do names[i], list[i] = system.coordinate_names[i], q end
    return names, list
  end
  return measures.listed(o.keep, "sweep")
end

--- A new row, empty. The names here are nil: they give its table room for 16 fields at once, where it would grow four times.
function rows.new()
  return { index = nil, status = nil, reason = nil, t = nil, steps = nil, evaluations = nil, impacts = nil, switches = nil, events = nil }
end

-- A new row with the label of each(i)
function rows.labelled(i, label, kept, reserved)
  if type(label) ~= "table" then return { label = label } end
  for name in pairs(label) do
    if rows.is_field(tostring(name), reserved) or object.contains(kept, name) then
      fail("sweep: each(%d): label: a row has a '%s' already; choose another name", i, name)
    end
  end
  return object.copied(label)
end

--- An error as the reason of a row: the place in the program, which is that of the sweep, is no part of it.
function rows.without_place(reason) return (tostring(reason):gsub("^[^\n]-:%d+: ", "")) end

function rows.did_not_start(self, row, i, reason)
  row.index, row.status, row.reason, row.t, row.steps = i, "START", rows.without_place(reason), self.t0, 0
  return row
end

--- Did the run reach its end, while one of its kept values is missing?
function rows.lacks_value(row)
  return row.status ~= "OK" and row.status ~= "EVENT" and type(row.reason) == "string" and row.reason:find("^keep: '") ~= nil
end

-- A kept value is missing: the first reason stands in the row. A run that an event ended keeps its status
local function note_missing(row, status, reason)
  if row.status == "OK" or (row.status == "EVENT" and not row.reason) then row.reason = reason end
  if row.status == "OK" then row.status = status end
end

-- Removes values that are not finite, and those of measures that were refused, and puts the reason into the row
local function finite(self, row, m, kept, refusals)
  for c, name in ipairs(kept and self.names or {}) do
    local refusal = refusals and refusals[c]
    if refusal then
      note_missing(row, refusal.status, ("keep: '%s': %s"):format(name, refusal.reason))
      kept[c] = nil
    elseif type(kept[c]) == "number" and kept[c] - kept[c] ~= 0 then
      note_missing(row, "NOT_FINITE", ("keep: '%s' is %s at t = %.10g"):format(name, kept[c] == kept[c] and "infinite" or "not a real number",
        self.times[m]))
      kept[c] = nil
    end
  end
end

-- Puts the kept values at time m into the row. With `times` they form a series, and the last ones are in the row too; values at an event are only there.
-- refusals: of measures, by their places. With `lists` among the columns the entries of a series are the lists of values with their time t; with `flat`,
-- too, a run whose values are all there may have row.flat = { flat = a list of the values of many runs, first = before its own ones, width = of them at
-- a time, times = } in their place
function rows.keep(self, o, row, m, kept, at_event, refusals)
  local into = row
  finite(self, row, m, kept, refusals)
  if o.times and not at_event then
    row.series = row.series or {}
    if self._columns.lists then
      if kept then kept.t = self.times[m] end
      row.series[m] = kept or nil
      if m < #self.times or not kept then return end
    end
    into = { t = self.times[m] }
    if not self._columns.lists then row.series[m] = kept and into or nil end
  end
  for c, name in ipairs(self.names) do into[name] = kept and kept[c] or nil end
  if o.times and m == #self.times and kept then for c, name in ipairs(self.names) do row[name] = kept[c] end end
end

--- A run that is beyond a level at its start ends there: see columns.ends_at_start of Sweep.with.
function rows.ended_at_start(self, row)
  for _, name in ipairs(self.names) do row[name] = nil end
  row.status, row.reason, row.t, row.steps, row.series = "EVENT", nil, self.t0, 0, nil
  row.evaluations, row.impacts, row.switches, row.events = 0, 0, 0, { escaped = 1 }
end

--- Run number i of the lists `from`, with contacts or events, that could not start has the status and reason that S:simulate would give.
function rows.note_start(self, row, from, i)
  local status = from.status[i]
  if from.steps[i] > 0 or from.t[i] ~= self.t0 or status == "OK" or status == "EVENT" or status == "MEMORY" then return end
  local advice = from.advice[i]
  row.status, row.reason = "START", from.reason[i] .. ((advice == "" or advice == "see the message") and "" or "; " .. advice)
end

return rows
