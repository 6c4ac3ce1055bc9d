-- section.lua: Poincare sections: S:section{...} and run:section(...): where a motion crosses a surface, as a table.
local core = require "hamel.core"
local object = require "hamel.object"
local options = require "hamel.options"
local System = require "hamel.system"
local Trajectory = require "hamel.trajectory"

local fail = object.fail
local Section = object.class "Section"

local directions = { rising = 1, falling = -1, both = 0 }

local schema = {
  direction = { default = "rising", type = "string", doc = "'rising', 'falling' or 'both'" },
  of = { type = "table", doc = "what is asked for at each crossing: names and expressions; all coordinates and velocities when not given" },
}

-- Names and expressions of the columns
local function columns_of(system, of)
  local names, list = {}, {}
  if not of then
    for _, order in ipairs{ 0, 1 } do
      for i, q in ipairs(system:coordinate_list()) do
        list[#list + 1] = order == 0 and q or q.dot
        names[#names + 1] = system.coordinate_names[i] .. (order == 1 and "'" or "")
      end
    end
    return names, list
  end
  if #of == 0 then fail("section: of is a list of names and expressions: of = {\"x\", x.dot}") end
  for i, what in ipairs(of) do names[i], list[i] = type(what) == "string" and what or core.text(core.number(what)), what end
  return names, list
end

local function new(system, names, when, direction)
  local surface = type(when) == "string" and when or core.text(core.number(when))
  return setmetatable({ names = names, _title = ("%s: section at %s = 0, %s"):format(system.name, surface, direction) }, Section.meta)
end

local function demand_direction(direction)
  return directions[direction] or fail("section: the direction is 'rising', 'falling' or 'both', not '%s'", direction)
end

--- Crossings of the surface `when` = 0 by a finished run: run:section(y, { direction = "rising", of = {"x", x.dot} }). Finds every crossing
--- on the dense output, and is as exact as that between the steps (S:section locates crossings to the last digits). A surface that contains
--- accelerations or reactions is sampled at intervals that follow its changes. Returns a list of rows { t =, [1..n] = values } with `names`;
--- prints as a table.
function Trajectory:section(when, given)
  local o = options.check("section", schema, given)
  local wanted = demand_direction(o.direction)
  if not self.options.dense then fail("section: this run kept no dense output (dense = false)") end
  local names, list = columns_of(self.system, o.of)
  local section = new(self.system, names, when, o.direction)
  for i, t in ipairs(self:roots(when, wanted)) do
    local row = table.pack(self:at(t, table.unpack(list)))
    row.n, row.t = nil, t
    section[i] = row
  end
  return section
end

--- The section of a run made for it: S:section{ when = y, direction = "rising", of = {"x", x.dot}, q =, v =, t =, ... }: options of S:simulate
--- besides. Crossings are located to the last digits, only they are kept. Returns the section and the run.
function System:section(given)
  if type(given) ~= "table" or given.when == nil then fail("section: the surface is missing: S:section{ when = expression, q = ..., v = ..., t = ... }") end
  local direction = given.direction or "rising"
  demand_direction(direction)
  local names, list = columns_of(self, given.of)
  local run_options = {}
  for key, item in pairs(given) do run_options[key] = item end
  run_options.when, run_options.direction, run_options.of = nil, nil, nil
  if run_options.events then fail("section: events belong to S:simulate; run:section reads a section off a run that has some") end
  run_options.events = { { name = "section", when = given.when, direction = direction ~= "both" and direction or nil } }
  run_options.record = run_options.record or "impacts"
  local run = self:simulate(run_options)
  local section = new(self, names, given.when, direction)
  for i, event in ipairs(run.events) do
    local row = event.state:values(list)
    row.t = event.t
    section[i] = row
  end
  return section, run
end

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
  if #self > SHOWN then out[#out + 1] = ("  ... %d more"):format(#self - SHOWN) end
  return table.concat(out, "\n")
end

options.declare("section", schema)

object.later(Section, "hamel.show.results", { "plot" })

return Section
