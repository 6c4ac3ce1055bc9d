-- compare.lua: several forms or models of one system from one start: largest differences over time.
local object = require "hamel.base.object"
local System = require "hamel.system"

local fail = object.fail
local Comparison = object.class "Comparison"

-- Label of a run in the table: its form, and a number where the form occurs again
local function label(entry, seen)
  local name = entry.name or entry.form or "lagrange"
  seen[name] = (seen[name] or 0) + 1
  return seen[name] > 1 and ("%s (%d)"):format(name, seen[name]) or name
end

--- Simulates the system in several forms from the same start and compares the motions:
--- S:compare{ forms = {"lagrange", "hamel", {form = "vakonomic", mu = {f = 0}}}, q =, v =, t =, ... }, with the options of S:simulate.
--- The first form is the reference. The result prints a table. It has runs (by label), difference[label][coordinate] (largest over n times,
--- default 201) and at[label] (time of the largest one).
function System:compare(given, ...)
  if type(given) ~= "table" or select("#", ...) > 0 or type(given.forms) ~= "table" or #given.forms == 0 then
    fail("compare: forms = {...} is missing: S:compare{ forms = {\"lagrange\", \"hamel\"}, q = {...}, v = {...}, t = 10 }")
  end
  local common, n = object.copied(given), given.n or 201
  common.forms, common.n = nil, nil
  if math.type(n) ~= "integer" or n < 2 or n > 10000000 then fail("compare: n is a whole number of times, from 2 to 10000000") end
  local result, seen = { system = self, labels = {}, runs = {}, difference = {}, at = {} }, {}
  for i, entry in ipairs(given.forms) do
    if type(entry) == "string" then entry = { form = entry } end
    if type(entry) ~= "table" then fail("compare: forms[%d] is a name or a table of options", i) end
    local o, name = object.copied(common), label(entry, seen)
    for k, value in pairs(entry) do if k ~= "name" then o[k] = value end end
    result.labels[i], result.runs[name] = name, self:simulate(o)
  end
  local coordinates = self:coordinate_list()
  local first = result.runs[result.labels[1]]
  local function values(run, at)
    local arguments = table.move(coordinates, 1, #coordinates, 1, {})
    arguments[#arguments + 1] = at
    return table.pack(run:series(table.unpack(arguments)))
  end
  local reference = values(first, { n = n })
  local times = reference[1]
  for i = 2, #result.labels do
    local name = result.labels[i]
    local series = values(result.runs[name], { times = times })
    local worst, at, largest = {}, times[1], 0
    for c, coordinate in ipairs(self.coordinate_names) do
      worst[coordinate] = 0
      for k = 1, #times do
        local off = math.abs(series[c + 1][k] - reference[c + 1][k])
        worst[coordinate] = math.max(worst[coordinate], off)
        if off > largest then largest, at = off, times[k] end
      end
    end
    result.difference[name], result.at[name] = worst, at
  end
  return setmetatable(result, Comparison.meta)
end

function Comparison.meta.__tostring(self)
  local lines = { ("%s: largest differences from '%s'"):format(self.system.name, self.labels[1]) }
  local header = { ("  %-14s"):format("form") }
  for _, name in ipairs(self.system.coordinate_names) do header[#header + 1] = ("%12s"):format(name) end
  lines[#lines + 1] = table.concat(header) .. "        at t"
  for i = 2, #self.labels do
    local label_ = self.labels[i]
    local row = { ("  %-14s"):format(label_) }
    for _, name in ipairs(self.system.coordinate_names) do row[#row + 1] = ("%12.2e"):format(self.difference[label_][name]) end
    lines[#lines + 1] = table.concat(row) .. ("%12.4g"):format(self.at[label_])
  end
  for _, name in ipairs(self.labels) do
    local run = self.runs[name]
    if run.status ~= "OK" then lines[#lines + 1] = ("  '%s', %s: %s"):format(name, run.status, run.reason) end
  end
  return table.concat(lines, "\n")
end

--- Largest difference over all coordinates for a label.
function Comparison:largest(name)
  local row = self.difference[name] or fail("there is no run '%s'%s", tostring(name), object.hint(tostring(name), self.labels))
  local largest = 0
  for _, value in pairs(row) do largest = math.max(largest, value) end
  return largest
end

return Comparison
