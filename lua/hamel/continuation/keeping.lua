-- keeping.lua: measures of the motion over a period at each point of a branch: keep = { top = hm.highest(x) }.
local object = require "hamel.base.object"

local fail = object.fail
local keeping = {}

local own = { "q", "v", "t", "value", "period", "energy", "parameters", "multipliers", "eigenvalues", "stable", "admissible", "offender", "sequence", "impacts",
              "form", "keep", "drift", "drive", "advance", "kept" }

--- Adds the measures o.keep to the record of a point: record[name] and record.kept; false where the point is no motion.
function keeping.add(system, o, record)
  if not o.keep then return record end
  if not record.period then fail("continue: keep takes measures over a period: it is for periodic motions") end
  local run = record.admissible and system:simulate{ q = record.q, v = record.v, t = { record.t, record.t + record.period }, parameters = record.parameters,
    form = record.form, rtol = o.rtol, atol = o.atol } or nil
  local values = {}
  for key, item in pairs(o.keep) do
    local name = type(key) == "string" and key or type(item) == "string" and item or fail("continue: keep takes names: keep = { top = hm.highest(x) }")
    if object.contains(own, name) then fail("continue: keep: the points have a '%s' of their own: take another name", name) end
    values[name] = run and run.status == "OK" and run:keep{ [key] = item }[name] or false
  end
  for name, value in pairs(values) do record[name] = value end
  record.kept = values
  return record
end

return keeping
