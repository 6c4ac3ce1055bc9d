-- modes.lua: a system as it is between two events: closed gaps and frictions that stick as constraints, sliding friction as a force of one sign.
local answer = require "hamel.base.answer"
local core = require "hamel.core"
local object = require "hamel.base.object"

local fail = object.fail
local modes = {}

--- Raises where the contacts of the system have no derivatives. what: the study, for messages.
function modes.check(system, what)
  for _, gap in ipairs(system.gaps) do
    if type(gap.law) == "function" then fail("%s: the law of '%s' is a Lua function and has no derivatives", what, gap.name) end
    if gap.bound then fail("%s: '%s' bounds a velocity: only gaps and frictions have derivatives here", what, gap.name) end
    if #gap.rough + #gap.held > 0 then fail("%s: '%s' has rough or continuous velocities: only smooth walls have derivatives here", what, gap.name) end
    if gap.law.law ~= "newton" and gap.law.law ~= "plastic" and gap.law.law ~= "moreau" and gap.law.law ~= "poisson" then
      fail("%s: the law '%s' of '%s' is not known here: newton, poisson, moreau, plastic", what, gap.law.law, gap.name)
    end
    for _, item in ipairs(system.frictions) do
      if item.normal == gap.name then fail("%s: friction '%s' takes part in the impacts at '%s': these have no derivatives here", what, item.name, gap.name) end
    end
  end
  if #system._rotations > 0 and #system.frictions > 0 then
    fail("%s: friction '%s' beside the rotation '%s' by a unit quaternion has no derivatives here: turn its frame by three angles (N:rotate)", what,
      system.frictions[1].name, system._rotations[1].name)
  end
  for _, item in ipairs(system.frictions) do
    if #item.slips > 1 or #item.cone > 0 or item.law ~= "coulomb" then
      fail("%s: friction '%s' has more than one direction or a law of its own: only Coulomb's friction in one direction has derivatives here", what, item.name)
    end
  end
end

-- The system with lists of its own
local function copy_of(system)
  local copy = {}
  for name, value in pairs(system) do
    if type(value) == "table" and getmetatable(value) == nil then value = object.copied(value)
    elseif type(value) == "table" and (name == "constraints" or name == "_force_list") then value = answer.shown(object.copied(value)) end
    copy[name] = value
  end
  copy.gaps, copy.frictions, copy._lambda = answer.shown{}, answer.shown{}, false
  for _, cache in ipairs{ "_models", "_redundant", "_equations", "_flow" } do copy[cache] = nil end
  return setmetatable(copy, getmetatable(system))
end

--- A text that is the same for the same modes.
function modes.key(mode)
  local list = {}
  for _, name in ipairs(object.keys(mode)) do list[#list + 1] = name .. "=" .. tostring(mode[name]) end
  return table.concat(list, " ")
end

--- The expression of the force that presses a friction, in a mode system: an expression, or the multiplier of a constraint.
function modes.pressing(system, item, what)
  if type(item.normal) ~= "string" then return item.normal end
  if not system.constraints[item.normal] then fail("%s: friction '%s' is pressed by '%s', which is no two-sided constraint", what, item.name, item.normal) end
  return core.functions.abs(system.lambda[item.normal])
end

--- The system in a mode, { name = "closed" | "open" (gaps), "stick" | 1 | -1 (frictions: the sign of the slip) }. places: (optional) by the name of a friction
--- what is zero where it holds, in place of its slip.
function modes.system(system, mode, what, places)
  local copy = copy_of(system)
  copy:changed()
  for _, gap in ipairs(system.gaps) do
    if mode[gap.name] == "closed" then copy:constraint(gap.name, gap.gap) end
  end
  for _, item in ipairs(system.frictions) do
    if mode[item.name] == "stick" then copy:constraint(item.name, places and places[item.name] or item.slips[1]) end
  end
  for _, item in ipairs(system.frictions) do
    if type(mode[item.name]) == "number" then
      local size = -mode[item.name]*item.coefficient[1]*modes.pressing(copy, item, what)
      for _, q in ipairs(system:coordinate_list()) do
        local slope = core.diff(item.slips[1], q.dot)
        if core.number_value(slope) ~= 0 then copy:force(q, size*slope) end
      end
    end
  end
  return copy
end

return modes
