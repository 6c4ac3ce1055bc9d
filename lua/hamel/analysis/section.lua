-- section.lua: Poincare sections: S:section{...} and run:section(...): where a motion crosses a surface, as a table.
local answer = require "hamel.base.answer"
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local launched = require "hamel.base.launched"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local states = require "hamel.run.state"
local System = require "hamel.system"
local Trajectory = require "hamel.run.trajectory"

local fail = object.fail
local Section = object.class "Section"

local directions = { rising = 1, falling = -1, both = 0 }

local schema = {
  direction = { default = "rising", type = "string", choices = { "rising", "falling", "both" }, doc = "'rising', 'falling' or 'both'" },
  of = { type = "table", list = true,
    doc = "values at each crossing: names and expressions; default: all coordinates and velocities, of rotations the body rates" },
}

-- Names and expressions of the columns
local function columns_of(system, of)
  local names, list = {}, {}
  if not of then
    for _, q in ipairs(system:coordinate_list()) do list[#list + 1] = q end
    table.move(system:base_velocity_list(), 1, #system:base_velocity_list(), #list + 1, list)
    for i, e in ipairs(list) do names[i] = core.text(e) end
    return names, list
  end
  if #of == 0 then fail("section: of is a list of names and expressions: of = {\"x\", x.dot}") end
  for i, what in ipairs(of) do names[i], list[i] = type(what) == "string" and what or core.text(core.number(what)), what end
  return names, list
end

local function new(system, names, when, direction)
  local surface = type(when) == "string" and when or type(when) == "function" and "f(t, q, v)" or core.text(core.number(when))
  return setmetatable({ names = names, _system = system, _title = ("%s: section at %s = 0, %s"):format(system.name, surface, direction) }, Section.meta)
end

-- How the run ended goes with its crossings
local function end_of(section, run)
  section._stays = false
  section.status, section._reason, section._begin, section._end = run.status, run.reason or false, run.span[1], run.span[2]
end

local FLAT = 100                        -- absolute tolerances up to which a surface and its rate count as zero

-- Does a run that crosses a surface nowhere stay on it? Where it begins and ends the surface and its rate are zero
local function stays_on(run, when)
  if type(when) == "function" then return false end
  local zero = FLAT*(run.options.atol or 1e-9)
  local fine, flat = attempt(function()
    local e = run.observer:expression(when)
    for _, state in ipairs{ run[1], run[#run] } do
      for _, value in ipairs(state:values{ e, core.dt(e) }) do if not (math.abs(value) <= zero) then return false end end
    end
    return true
  end)
  return fine and flat
end

--- Finds the crossings of the surface `when` = 0 by a finished run: run:section(y, { direction = "rising", of = {"x", x.dot} }).
--- All crossings of the dense output are found, with its accuracy; S:section locates crossings to the last digits. A surface that contains
--- accelerations or reactions is sampled at intervals that follow its changes.
--- Returns a list of rows { t =, [1..n] = values } with `names`, and `status` and `reason` of the run; prints as a table.
function Trajectory:section(when, given)
  local o = options.check("section", schema, given)
  local wanted = directions[o.direction]
  if not self.options.dense then fail("section: this run kept no dense output (dense = false)") end
  local names, list = columns_of(self.system, o.of)
  local section = new(self.system, names, when, o.direction)
  for i, t in ipairs(self:roots(when, wanted)) do
    local row = self:values_at(t, list)
    row.t = t
    section[i] = row
  end
  end_of(section, self)
  section._stays = #section == 0 and stays_on(self, when)
  return section
end

-- Names that mean nothing are answered before the run: one without length has them all
local function check_columns(system, run_options, list)
  local o = {}
  for key, item in pairs(run_options) do o[key] = item end
  local from = type(o.t) == "table" and o.t[1] or 0
  o.t = { from, from }
  system:simulate(o)[1]:values(list)
end

local function fill(section, run, list)
  local found = {}
  for i, what in ipairs(list) do found[i] = run.observer:expression(what) end
  local p = run.observer:program(found)
  for i, event in ipairs(run.events) do
    local row = states.evaluated(event.state, p)
    row.t = event.t
    section[i] = row
  end
end

-- What an interrupt is answered with, the section and the run
local function sectioned(self, given)
  launched.demand_alone "section"
  if type(given) ~= "table" or given.when == nil then fail("section: the surface is missing: S:section{ when = expression, q = ..., v = ..., t = ... }") end
  local direction = options.check("section", schema, { direction = given.direction, of = given.of }).direction
  local names, list = columns_of(self, given.of)
  local run_options = {}
  for key, item in pairs(given) do run_options[key] = item end
  run_options.when, run_options.direction, run_options.of = nil, nil, nil
  if run_options.events then fail("section: events belong to S:simulate; run:section reads a section off a run that has some") end
  run_options.events = { { name = "section", when = given.when, direction = direction ~= "both" and direction or nil } }
  run_options.record = run_options.record or "impacts"
  if given.of then check_columns(self, run_options, list) end
  local run = self:simulate(run_options)
  if run.outcome.noise then fail("section: %s", run.reason) end
  local section = new(self, names, given.when, direction)
  end_of(section, run)
  core.host.finish(fill, section, run, list)
  section._stays = #section == 0 and stays_on(run, given.when)
  return ("interrupted at t = %.6g of %g: the section holds %d points"):format(run.outcome.t, run.span[2], #section), section, run
end

--- Runs the system and returns its crossings of a surface: S:section{ when = y, direction = "rising", of = {"x", x.dot}, q =, v =, t =, ... }, with
--- the options of S:simulate. Crossings are located to the last digits, and only they are stored. Returns the section and the run.
--- If the run stops early, the section has the crossings up to there; section.status and section.reason say why it stopped. Ctrl-C: the section
--- so far is returned and assigned, then "interrupted" is raised.
function System:section(given) return core.host.hold(answer.dressing(sectioned), self, given) end

--- What stopped the run, when and where; nil when the status is "OK".
function Section.get.reason(self) return self._reason or nil end

--- One column as a list: by its name or its number.
function Section:column(which)
  local index = which
  for i, name in ipairs(self.names) do if name == which then index = i end end
  if math.type(index) ~= "integer" or not self.names[index] then
    fail("section: there is no column '%s'%s", tostring(which), object.hint(tostring(which), self.names))
  end
  local list = {}
  for i, row in ipairs(self) do list[i] = row[index] end
  return list
end

local SHOWN = 20                       -- rows printed at the beginning

function Section.meta.__tostring(self)
  local out = { ("%s, %d point%s"):format(self._title, #self, #self == 1 and "" or "s") }
  local cells = { ("%14s"):format "t" }
  for _, name in ipairs(self.names) do cells[#cells + 1] = ("%14s"):format(name) end
  out[2] = table.concat(cells, " ")
  for i = 1, math.min(#self, SHOWN) do
    cells = { ("%14.9g"):format(self[i].t) }
    for _, value in ipairs(self[i]) do cells[#cells + 1] = ("%14.9g"):format(value) end
    out[#out + 1] = table.concat(cells, " ")
  end
  if #self == 0 and self.status == "OK" then
    out[2] = ("  the motion %s from t = %g to %g"):format(self._stays and "crosses it nowhere: it stays on it" or "never meets it", self._begin, self._end)
  end
  if #self > SHOWN then out[#out + 1] = ("  ... %d more"):format(#self - SHOWN) end
  if self.status == "INACCURATE" then out[#out + 1] = "  inaccurate: " .. self._reason
  elseif self.status ~= "OK" then out[#out + 1] = ("  the run stopped before t = %g: %s"):format(self._end, self._reason) end
  return table.concat(out, "\n")
end

options.declare("section", schema)

object.seal(Section, "section")

return Section
