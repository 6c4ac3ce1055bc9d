-- upright.lua: the sign of a factor that is defined up to its sign.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"

--- The expression or its negative, whichever is positive at one point: at the declared values of the parameters, which have any value otherwise.
return function(flow, g)
  local list, values = core.symbols{ g }, {}
  for i, s in ipairs(list) do values[i] = flow.system._values[(core.name(s))] or 0.7 + 0.1*i end
  local fine, value = attempt(core.value, g, list, values)
  return fine and value < 0 and -g or g
end
