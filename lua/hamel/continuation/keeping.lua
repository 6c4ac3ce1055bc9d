-- keeping.lua: measures of the motion over a period at each point of a branch: keep = { top = hm.highest(x) }.
local measures = require "hamel.run.measures"
local object = require "hamel.base.object"

local fail = object.fail
local keeping = {}

local own = { "q", "v", "t", "value", "beside", "period", "energy", "parameters", "multipliers", "eigenvalues", "stable", "admissible", "offender", "sequence",
              "impacts", "form", "keep", "drift", "drive", "advance", "kept", "refused", "segments" }

-- The runs over a period, one from the start of each segment; nil where one ends early
local function runs_of(system, o, record)
  local starts, runs = { record }, {}
  table.move(record.segments or {}, 1, #(record.segments or {}), 2, starts)
  for i, from in ipairs(starts) do
    local to = starts[i + 1] and starts[i + 1].t or record.t + record.period
    runs[i] = system:simulate{ q = from.q, v = from.v, t = { from.t, to }, parameters = record.parameters, form = record.form, rtol = o.rtol, atol = o.atol }
    if runs[i].status ~= "OK" then return nil end
  end
  return runs
end

--- Adds the measures o.keep to the record of a point: record[name] and record.kept. A measure that has no value, and all of them where the point is no
--- motion, are false; record.refused has the reasons by name.
function keeping.add(system, o, record)
  if not o.keep then return record end
  if not record.period then fail("continue: keep takes measures over a period: it is for periodic motions") end
  local runs = record.admissible and runs_of(system, o, record) or nil
  local values = {}
  for key, item in pairs(o.keep) do
    local name = type(key) == "string" and key or type(item) == "string" and item or fail("continue: keep takes names: keep = { top = hm.highest(x) }")
    if object.contains(own, name) then fail("continue: keep: the points have a '%s' of their own: take another name", name) end
    local value, refusal
    if runs then value, refusal = measures.over(runs, item) end
    if refusal then
      record.refused = record.refused or {}
      record.refused[name] = refusal.reason
    end
    values[name] = value or false
  end
  for name, value in pairs(values) do record[name] = value end
  record.kept = values
  return record
end

return keeping
