-- progress.lua: a line on the terminal for work of more than a second: done, failures, time to go; none in a pipe.
local core = require "hamel.core"

local progress = {}

local Line = {}
Line.__index = Line

local function time_text(seconds)
  if seconds < 100 then return ("%.0f s"):format(seconds) end
  if seconds < 6000 then return ("%.0f min"):format(seconds/60) end
  return ("%.1f h"):format(seconds/3600)
end

function Line:update(done, failed)
  local now = core.host.clock()
  if not self.shows or now - self.begun < 1 or now - self.told < 0.1 or done == 0 then return end
  self.told = now
  local left = (now - self.begun)*(self.total - done)/done
  local failures = failed > 0 and (", %d failed"):format(failed) or ""
  io.stderr:write(("\r%s: %d of %d%s, %s to go \27[K"):format(self.what, done, self.total, failures, time_text(left)))
  io.stderr:flush()
  self.written = true
end

function Line:update_time(t)
  local now = core.host.clock()
  local part = (t - self.from)/(self.to - self.from)
  if not self.shows or part <= 0 then return end
  io.stderr:write(("\r%s: t = %.4g of %.4g, %s to go \27[K"):format(self.what, t, self.to, time_text((now - self.begun)*(1 - part)/part)))
  io.stderr:flush()
  self.written = true
end

Line.__close = function(self)
  if self.written then io.stderr:write("\r\27[K") io.stderr:flush() end
end

--- A line to be declared <close>, which erases it; wanted = false: it stays silent.
function progress.line(what, total, wanted)
  local now = core.host.clock()
  return setmetatable({ what = what, total = total, begun = now, told = now, written = false, shows = wanted and core.host.is_terminal "stderr" }, Line)
end

--- The same for a run from one time to another.
function progress.run(what, from, to, wanted)
  local line = progress.line(what, 1, wanted)
  line.from, line.to = from, to
  return line
end

return progress
