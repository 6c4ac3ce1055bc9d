-- restored.lua: a special point of a branch that was read from a file, or is needed in another formalism, found again. A file has numbers alone; the equations
-- that hold at the point, and the motion there, come from the branch, which is continued once more from the point beside it.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local object = require "hamel.base.object"

local fail = object.fail
local restored = {}

local SAME = 1e-6                       -- of 1 + the value, besides what it is known to: the point that was found again
local POINTS = 20                       -- to each side
local PARTS = 2                         -- steps to the special point
local AROUND = { 0, 1, -1, 2 }          -- points of the branch beside it, by their order

-- The nearest special point of the kind on a branch; nil: there is none with this value
local function nearest(branch, special)
  local found, least = nil, math.huge
  for _, item in ipairs(branch.special) do
    local off = math.abs(item.value - special.value)
    local known = SAME*(1 + math.abs(special.value)) + (item.accuracy or 0) + (special.accuracy or 0)
    if item.kind == special.kind and item.name == special.name and off <= known and off < least then found, least = item, off end
  end
  return found
end

-- The options with which the branch is continued from one of its points
local function options_from(branch, option, point, away, form)
  local o = object.copied(branch._options)
  o.form = form or o.form
  o[option], o.along, o.both, o.points, o.keep = point, branch.along, true, POINTS, nil
  o.step = math.min(away/PARTS, o.largest or math.huge)
  o.least = o.least and math.min(o.least, o.step)
  if not o.atol_given then o.atol = nil end
  o.atol_given = nil
  for _, edge in ipairs{ "from", "to" } do
    local beyond = o[edge] and (edge == "from" and o.from - point.value or edge == "to" and point.value - o.to)
    if beyond and beyond > 0 then o[edge] = nil end
  end
  return o
end

--- The special point of a branch that was read with its system, on a branch that is continued through it: this branch and the point. what: the call. form:
--- the formalism of the new branch; nil: that of its points.
function restored.special(what, branch, special, start_of, form)
  if not branch._system then
    fail("%s: the branch was read without its system: B = hm.load(\"x.branch\", S) reads it with the system S, and B:switch(B.special[1]) goes on from there",
      what)
  end
  local why
  for _, k in ipairs(AROUND) do
    local point = branch.points[special.after + k]
    local away = point and math.abs(special.value - point.value) or 0
    if away > 0 then
      local option = start_of(branch.kind, point)
      local fine, again = attempt(branch._system.continue, branch._system, options_from(branch, option, point, away, form))
      if core.host.interrupted() then error("interrupted", 0) end
      local found = fine and nearest(again, special)
      if found then return again, found end
      why = why or not fine and again
    end
  end
  local option, guess = start_of(branch.kind, branch.points[1])
  fail("%s: the branch is continued once more from the points beside this %s, and does not have it%s: make the branch again, "
    .. "S:continue{ %s = %s, along = \"%s\"%s } with the options that it had, and take the special point from there", what, special.kind,
    why and (" (%s)"):format(why) or "", option, guess, branch.along, form and (", form = \"%s\""):format(form) or "")
end

return restored
