-- remarks.lua: what is looked up to be said of a result that is there already. Ctrl-C costs these words, and not the result.
local core = require "hamel.core"
local protected = require "hamel.base.protected"

local function of_results(fine, ...)
  if fine then return ... end
  if not core.host.interrupted() then error((...), 0) end
end

--- The results of f(...); none when it is interrupted, or was before.
return function(f, ...)
  if core.host.interrupted() then return end
  return of_results(protected(f, ...))
end
