-- reference.lua: S:reference: values of a motion to thirty digits, the yardstick for runs in doubles.
local core = require "hamel.core"
local coupling = require "hamel.coupling"
local object = require "hamel.object"
local options = require "hamel.options"
local simulate = require "hamel.simulate"
local System = require "hamel.system"

local fail = object.fail

local schema = {
  times = { type = "table", doc = "times, one way from the start, in place of the end time t" },
  digits = { default = 30, from = 1, to = 32, type = "number", whole = true, doc = "digits of the result" },
}
for name, row in pairs(simulate.state_schema) do schema[name] = row end
schema.t = simulate.run_schema.t

--- A reference solution in quadruple precision by Taylor series: S:reference{ q =, v =, t = 10, digits = 30, form =, parameters = } returns
--- { t =, q = texts by coordinate, v = texts by velocity state, x = all states as texts by name } at the end, or a list of these at
--- times = {...}. The start (completed in doubles) and the parameters count as the doubles they are; so do constants in the equations. No
--- projection: with constraints the start has them to 16 digits. Raises where the equations are no formula (forces in Lua, contacts).
function System:reference(given)
  local o = options.check("reference", schema, given)
  if #self.gaps + #self.frictions > 0 or #self:external_forces() > 0 then
    fail("reference: the equations of %s are no formula: contacts, friction or forces in Lua", self.name)
  end
  local t0 = type(o.t) == "table" and o.t[1] or 0.0
  local times = o.times or { type(o.t) == "table" and o.t[2] or o.t }
  if #times == 0 or type(times[1]) ~= "number" then fail("reference: the end time t is missing, or times = {...}") end
  local before = t0
  for i, t in ipairs(times) do
    if type(t) ~= "number" or (t - before)*(times[#times] - t0) < 0 then
      fail("reference: times[%d] = %s: times are numbers that go one way", i, tostring(t))
    end
    before = t
  end
  local coupled = coupling.any(self)
  if coupled then fail("reference: a force depends on the multiplier of '%s', so that the accelerations are no formula; S:simulate runs it", coupled) end
  local E, _, w, x = simulate.prepare(self, o, t0)
  local names = {}
  for i, s in ipairs(E.kin) do names[i] = core.text(s) end
  for _, s in ipairs(E.dyn) do names[#names + 1] = core.text(s) end
  local texts, result = core.reference(w, t0 + 0.0, times, x, o.digits), {}
  for k, t in ipairs(times) do
    local entry = { t = t, q = {}, v = {}, x = {} }
    for i, name in ipairs(names) do
      local text = texts[(k - 1)*#x + i]
      entry.x[name] = text
      if i <= #E.kin then entry.q[name] = text end
    end
    if not E.v then for i, name in ipairs(self.coordinate_names) do entry.v[name] = entry.x[names[#E.kin + i]] end end
    result[k] = entry
  end
  return o.times and result or result[1]
end

options.declare("reference", schema)

return System
