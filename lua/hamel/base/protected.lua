-- protected.lua: pcall for the library. In stock Lua an interrupt is an error like others, "interrupted!", raised once wherever Lua stands: a step
-- that may fail must not take it for its own failure, or the interrupt is lost.
local function passed_on(fine, ...)
  if not fine and tostring((...)):find("interrupted!", 1, true) then error((...), 0) end
  return fine, ...
end

--- What pcall(f, ...) returns; the interrupt of a host is raised again.
return function(f, ...)
  return passed_on(pcall(f, ...))
end
