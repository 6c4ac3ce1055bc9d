-- attempt.lua: a step that may fail without harm: exact algebra gives up, a function has no values modulo a prime. Interrupts and a lack of
-- memory are passed on.
local failure = require "hamel.base.failure"

--- true and the results of f(...), or false, the message without its place, and the kind of the failure, where it has one (failure.lua).
return function(f, ...)
  local results = table.pack(pcall(f, ...))
  if results[1] then return table.unpack(results, 1, results.n) end
  local message = tostring(results[2])
  if message:find("interrupted", 1, true) or message:find("not enough memory", 1, true) then error(results[2], 0) end
  return false, message:gsub("^[^\n]-:%d+: ", ""), failure.kind(message)
end
