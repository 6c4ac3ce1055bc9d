-- records.lua: the records of a run: events, impacts, switches of contacts and frictions, accumulations, notes.
local answer = require "hamel.base.answer"
local beginning = require "hamel.run.beginning"
local contact_rows = require "hamel.model.contact_rows"
local Note = require "hamel.run.note"
local object = require "hamel.base.object"
local reading = require "hamel.run.reading"
local states = require "hamel.run.state"
local Trajectory = require "hamel.run.trajectory"

local fail = object.fail

local NOT_COMPARED = "the errors of the steps were not measured: a second run at tight tolerances would take more than twice as many steps; "
  .. "run:accuracy() compares"

-- Numbers of the stored states at a time: the first and the last
local function points_at(run, t)
  local r = reading.raw(run)
  local first = r:point_at(t)
  local last = first
  while last < r:points() and r:time(last + 1) == r:time(first) do last = last + 1 end
  return first, last
end

-- Impulses of an impact by name: gaps, frictions, two-sided constraints, and rough and continuous rows in tables of their own
local Impulses = object.class "Impulses"

local function impulses_of(run, values)
  local spec, names = run.observer.contacts, run.equations.names
  local gaps, frictions, rough, held = contact_rows.by_name(run.system, spec, values)
  local list, order = { rough = rough, continuous = held }, {}
  local function take(name, value)
    list[name] = value
    order[#order + 1] = name
  end
  for _, gap in ipairs(spec.gaps) do take(gap.name, gaps[gap.name]) end
  for _, item in ipairs(spec.frictions) do take(item.name, frictions[item.name]) end
  for i, name in ipairs(names) do take(name, values[#values - #names + i]) end
  return setmetatable(list, { __tostring = function(all) return Impulses.text(all, order) end })
end

local function value_text(value)
  if type(value) == "number" then return object.number(value) end
  local parts = {}
  for i, v in ipairs(value) do parts[i] = object.number(v) end
  if value.spin then parts[#parts + 1] = "moment " .. object.number(value.spin) end
  return table.concat(parts, ", ")
end

--- One line for each name, in the order of declaration.
function Impulses.text(list, order)
  local lines = {}
  for i, name in ipairs(order) do lines[i] = name .. "  " .. value_text(list[name]) end
  for _, kind in ipairs{ "rough", "continuous" } do
    for _, wall in ipairs(object.keys(list[kind])) do lines[#lines + 1] = ("%s.%s  %s"):format(kind, wall, value_text(list[kind][wall])) end
  end
  return table.concat(lines, "\n")
end

local Impact = object.class "Impact"
function Impact.meta.__tostring(i)
  return ("t = %.9g: impact at '%s', impulse %.6g, change of energy %.6g"):format(i.t, i.name, i.impulse, i.energy_change)
end
local Switch = object.class "Switch"
function Switch.meta.__tostring(s) return ("t = %.9g: '%s' from %s to %s"):format(s.t, s.name, s.from, s.to) end
local Accumulation = object.class "Accumulation"
function Accumulation.meta.__tostring(a)
  return ("t = %.15g +- %.1g: the impacts at '%s' accumulate after %d, each flight %.4g times the one before"):format(a.t, a.error, a.name, a.impacts, a.ratio)
end
local Event = object.class "Event"
function Event.meta.__tostring(e) return ("t = %.9g: event '%s'"):format(e.t, e.name) end

local words = { open = "open", closed = "contact", free = "free", stick = "stick", slip = "slip" }

-- Unit vectors of the slip that ends and of the one that begins; nil where there is none
local function directions_of(r)
  local function vector(d) return (d[1] ~= 0 or d[2] ~= 0 or (d[3] or 0) ~= 0) and d or nil end
  return { from = vector(r.leaves), to = vector(r.takes) }
end

local function read_records(run)
  local events, impacts, switches, accumulations, notes = {}, {}, {}, {}, {}
  if run.hybrid and rawget(run, "raw") then
    for _, r in ipairs(run.hybrid.core:records()) do
      if r.kind == "note" then
        notes[#notes + 1] = setmetatable({ t = r.t, text = r.text }, Note.meta)
      elseif r.kind == "event" then
        local event = run.hybrid.events[r.which]
        if not event.hidden then
          events[#events + 1] = setmetatable({ t = r.t, name = event.name, state = states.new(run, r.t, states.on_constraints(run, r.t, r.state)) }, Event.meta)
        end
      elseif r.kind == "accumulation" then
        accumulations[#accumulations + 1] = setmetatable({ t = r.t, name = run.observer.gap_names[r.which], error = r.error, ratio = r.ratio,
          impacts = r.impacts }, Accumulation.meta)
      elseif r.kind == "impact" then
        local first, last = points_at(run, r.t)
        local impulses = impulses_of(run, r.impulses)
        local name = run.observer.gap_names[r.which]
        impacts[#impacts + 1] = setmetatable({ t = r.t, name = name, before = states.new(run, r.t, states.on_constraints(run, r.t, r.state), first),
          after = states.new(run, r.t, states.on_constraints(run, r.t, r.after), last),
          impulse = impulses[name], impulses = impulses, energy_change = r.energy_change }, Impact.meta)
      else
        local gaps = run.observer.gap_names
        local name = gaps[r.which] or run.observer.frictions[r.which - #gaps].name
        switches[#switches + 1] = setmetatable({ t = r.t, name = name, from = words[r.from], to = words[r.to], directions = directions_of(r) }, Switch.meta)
      end
    end
  end
  rawset(run, "events", events)
  rawset(run, "impacts", impacts)
  rawset(run, "switches", switches)
  rawset(run, "accumulations", accumulations)
  if run.outcome.rejected > 0 and run.model:jumps() then
    notes[#notes + 1] = setmetatable({ t = run.span[1], text = "the right-hand side contains a sign and jumps: its steps there are found by "
      .. "trying, and cost accuracy; friction between bodies is S:friction, other jumps end at an event" }, Note.meta)
  end
  rawset(run, "_recorded", notes)
  answer.or_none(answer.dressed(events), "no events")
  answer.or_none(answer.dressed(impacts), "no impacts")
  answer.or_none(answer.dressed(switches), "no switches of contact or friction")
  answer.or_none(answer.dressed(accumulations), "no accumulating impacts")
end

-- The recorded notes, then those on the start, which take time
local function read_notes(run)
  if not rawget(run, "_recorded") then read_records(run) end
  local notes = run._recorded
  for _, text in ipairs(beginning.remarks(run)) do notes[#notes + 1] = Note.new(run.span[1], text) end
  if run.outcome and run.outcome.not_compared then notes[#notes + 1] = Note.new(run.outcome.t, NOT_COMPARED) end
  rawset(run, "notes", answer.or_none(answer.dressed(notes), "no notes"))
end

--- Events met: list of { t, name, state }.
function Trajectory.get.events(self) read_records(self) return self.events end
--- Impacts: list of { t, name, before, after (states), impulse, impulses, energy_change }. impulses by name: of gaps, bounds, frictions (a list in
--- two directions), two-sided constraints; impulses.rough.wall and impulses.continuous.wall are lists. print(impact.impulses) shows them.
function Trajectory.get.impacts(self) read_records(self) return self.impacts end
--- Switches of contact and friction: list of { t, name, from, to, directions } with "open", "contact", "free", "stick", "slip";
--- directions.from and directions.to are unit vectors of the slip that ends and of the one that begins.
function Trajectory.get.switches(self) read_records(self) return self.switches end
--- Instants at which impacts accumulate (Zeno): list of { t, name, error, impacts, ratio }. t is the extrapolated limit, error its error besides
--- those of the impacts (infinite: no limit was found, and t is the last impact), impacts the number of impacts followed, ratio that of successive
--- flight times.
function Trajectory.get.accumulations(self) read_records(self) return self.accumulations end
--- Remarks of the run: list of { t, text }: accumulating impacts, undetermined contact forces.
function Trajectory.get.notes(self) read_notes(self) return self.notes end

--- The contact mode at a time between impacts and switches: { name = "open" or "closed" of a gap, "free", "stick" or "slip" of a friction }.
function Trajectory:_contact_mode(t)
  local mode, raw = {}, reading.raw(self)
  local closed, frictions = self.hybrid.core:mode(raw:point_at(t))
  for i, name in ipairs(self.observer.gap_names) do mode[name] = closed[i] and "closed" or "open" end
  for j, item in ipairs(self.observer.frictions) do mode[item.name] = frictions[j] end
  return mode
end

--- State before the k-th impact, and after it.
function Trajectory:before(k) return (self.impacts[k] or fail("there is no impact %s", tostring(k))).before end
function Trajectory:after(k) return (self.impacts[k] or fail("there is no impact %s", tostring(k))).after end
