-- functions.lua: functions in Lua that take part in a run. They may count their calls or write a file, so that a run that has some is not made again unasked.
local core = require "hamel.core"

local functions = {}

local function of_events(events)
  for key, event in pairs(events or {}) do
    local is_table = type(event) == "table"
    if type(event) == "function" or is_table and type(event.when) == "function" then return is_table and event.name or tostring(key) end
  end
end

--- The first function in Lua that runs of the system with these events call, in words; nil: none.
function functions.of_run(system, events)
  local force, event = system:external_forces()[1], of_events(events)
  if force then return ("the force on '%s' is a Lua function"):format(core.text(force.coordinate)) end
  if event then return ("the event '%s' is a Lua function"):format(event) end
  for _, gap in ipairs(system.gaps) do
    if type(gap.law) == "function" then return ("the law of '%s' is a Lua function"):format(gap.name) end
  end
end

return functions
