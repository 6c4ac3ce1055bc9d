-- progress.lua: a line for work of more than a second, on the terminal or below a cell of a notebook: done, failures, time to go; none in a pipe.
local core = require "hamel.core"

local progress = {}

local Line = {}
Line.__index = Line

-- Where lines are written: shows() decides; erase: what follows the return of the carriage; seconds between two of them; clear(bytes): what follows
-- the bytes of a line
local terminal = { shows = function() return core.host.is_terminal "stderr" end, erase = function() return "\27[K" end, seconds = 0.1,
                   clear = function() end }
-- a notebook has no sign that erases: blanks as many as were written
local notebook = { shows = function() return true end, erase = function(width) return (" "):rep(width) .. "\r" end, seconds = 0.25,
                   clear = function() end }
local place = terminal

--- From here on lines are for a notebook.
---@param clear function? takes away the output of the cell if it is these bytes alone
function progress.in_notebook(clear)
  place = notebook
  notebook.clear = clear or notebook.clear
end

local function time_text(seconds)
  if seconds < 100 then return ("%.0f s"):format(seconds) end
  if seconds < 6000 then return ("%.0f min"):format(seconds/60) end
  return ("%.1f h"):format(seconds/3600)
end

-- Is it time for a line?
function Line:is_due(now)
  if not self.shows or now - self.begun < 1 or now - self.told < place.seconds then return false end
  self.told = now
  return true
end

function Line:put(text)
  io.stderr:write(text)
  io.stderr:flush()
  self.bytes = self.bytes + #text
end

function Line:write(text)
  -- a shorter line covers a longer one
  local rest = math.max(0, self.width - #text)
  self.width = #text
  self:put("\r" .. text .. (" "):rep(rest))
end

function Line:update(done, failed)
  local now = core.host.clock()
  if done == 0 or not self:is_due(now) then return end
  local left = (now - self.begun)*(self.total - done)/done
  local failures = failed > 0 and (", %d failed"):format(failed) or ""
  self:write(("%s: %d of %d%s, %s to go "):format(self.what, done, self.total, failures, time_text(left)))
end

function Line:update_time(t)
  local now = core.host.clock()
  local part = (t - self.from)/(self.to - self.from)
  if part <= 0 or not self:is_due(now) then return end
  self:write(("%s: t = %.4g of %.4g, %s to go "):format(self.what, t, self.to, time_text((now - self.begun)*(1 - part)/part)))
end

--- Erases the line, for other output; the next update writes it again.
function Line:clear()
  if self.width == 0 then return end
  self:put("\r" .. place.erase(self.width))
  place.clear(self.bytes)
  self.width, self.bytes, self.told = 0, 0, self.begun
end

Line.__close = Line.clear

--- A line to be declared <close>, which erases it; wanted = false: it stays silent.
function progress.line(what, total, wanted)
  local now = core.host.clock()
  return setmetatable({ what = what, total = total, begun = now, told = now, width = 0, bytes = 0, shows = wanted and place.shows() }, Line)
end

--- The same for a run from one time to another.
function progress.run(what, from, to, wanted)
  local line = progress.line(what, 1, wanted)
  line.from, line.to = from, to
  return line
end

return progress
