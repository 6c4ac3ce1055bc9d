-- picture.lua: shared parts of all pictures: options, the file or the terminal, the returned object.
local core = require "hamel.core"
local files = require "hamel.base.files"
local gnuplot = require "hamel.show.gnuplot"
local listeners = require "hamel.base.listeners"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local quantity = require "hamel.show.quantity"

local fail = object.fail
local Picture = object.class "Picture"
Picture.meta.__plain = true            -- the prompt shows it as it is
local picture = {}

--- Options of every picture.
picture.schema = {
  file = { type = "string", doc = "where the picture goes: .png, .svg or .pdf; characters for the terminal when not given" },
  title = { type = "string", doc = "above the picture; the system's name when not given" },
  xlabel = { type = "string", doc = "label of the horizontal axis" },
  ylabel = { type = "string", doc = "label of the vertical axis" },
  size = { type = "table", list = true, doc = "width and height in pixels: {900, 600}" },
  script = { type = "string", doc = "a file that gets the script for gnuplot" },
  screen = { type = "string", choices = { "dumb", "sixel", "kitty", "qt", "x11" },
    doc = "where no file is given: 'dumb' (characters), 'sixel' or 'kitty' (terminals with pictures), 'qt' or 'x11' (a window)" },
  units = { type = "table", doc = "units by name, for the labels, in place of the declared ones: { x = \"m\", [\"theta'\"] = \"rad/s\" }" },
}

local SMALLEST, LARGEST = 64, 8192     -- pixels

--- Width and height in pixels, {900, 600} or what is given instead; raises for what is no size.
function picture.size(what, given, usual)
  local wide, high = usual[1], usual[2]
  if given then wide, high = options.number(given[1]), options.number(given[2]) end
  wide, high = math.tointeger(wide), math.tointeger(high)
  if not wide or not high or math.min(wide, high) < SMALLEST or math.max(wide, high) > LARGEST then
    fail("%s: size is a width and a height in pixels, whole numbers from %d to %d: {%d, %d}", what, SMALLEST, LARGEST, usual[1], usual[2])
  end
  return wide, high
end

-- The title stands above the legend, which gnuplot would put on top
local function title_above_legend(script, plots)
  local has_legend = false
  for _, text in ipairs(plots) do has_legend = has_legend or text:find " title [\"\'][^\"\']" ~= nil end
  for i, line in ipairs(has_legend and script or {}) do
    local title = line:match "^set title (.+)$"
    if title then script[i] = "set key spacing 1.5 title " .. title end
  end
end

-- Has a row of a block of data, behind its first line, numbers in these columns?
local function has_point(block, columns)
  for line in block:gmatch "\n([^\n]*)" do
    local words, whole = {}, line ~= "EOD"
    for word in line:gmatch "%S+" do words[#words + 1] = word end
    for _, c in ipairs(columns) do whole = whole and words[c] ~= nil and words[c] ~= "NaN" end
    if whole then return true end
  end
  return false
end

-- Data without a single point, at which gnuplot fails in words of its own
local function demand_points(script, plots)
  local blocks = {}
  for _, line in ipairs(script) do
    local name = line:match "^%$([%w_]+) << EOD\n"
    if name then blocks[name] = line end
  end
  for _, text in ipairs(plots) do
    local name, using = text:match "^%$([%w_]+) using ([%d:]+) "
    local columns = {}
    for c in (using or ""):gmatch "%d+" do columns[#columns + 1] = tonumber(c) end
    if not name or not blocks[name] or has_point(blocks[name], columns) then return end
  end
  fail("plot: there is nothing to draw: no point has finite values of all quantities of the picture")
end

-- Draws to a file. The picture comes to us, since gnuplot does not notice that a disk is full
local function write(what, file, target, body)
  local output = gnuplot.run(target[1] .. body)
  if not gnuplot.is_whole(file, output) then fail("%s: gnuplot made no whole picture for %s: %d bytes came", what, file, #output) end
  files.write(what, file, output)
end

--- Draws: script is a list of lines, plots the text behind `plot`, o the options.
function picture.make(script, plots, o)
  demand_points(script, plots)
  title_above_legend(script, plots)
  -- a report wants the picture itself
  local drawn = listeners.any "picture" and gnuplot.picture(script, plots)
  local target = gnuplot.target(o.file, o.size, core.host.width(), o.screen)
  local body = "\n" .. table.concat(script, "\n") .. "\nplot " .. table.concat(plots, ", \\\n     ") .. "\nunset output\n"
  local text = table.concat(target, "\n") .. body
  if o.script then files.write("plot", o.script, text) end
  if o.file then write("plot", o.file, target, body) end
  local result = setmetatable({ file = o.file or false, screen = o.screen or "dumb", text = o.file and "" or gnuplot.run(text), script = text,
                                _body = body, _size = o.size }, Picture.meta)
  listeners.call("picture", result, drawn)
  return result
end

--- Writes the picture to a file, also one that was drawn in characters: p = run:plot("x", "y"), p:save "orbit.png". That one keeps its plain names, as
--- "theta", and a portrait has no field of arrows; a picture that is drawn with file = has Greek letters and arrows.
---@param file string .png, .svg or .pdf; no other file raises an error
---@return Picture the same picture
function Picture:save(file)
  if type(file) ~= "string" then fail("Picture:save takes the name of a file: p:save \"orbit.png\" (.png, .svg or .pdf)") end
  write("save", file, gnuplot.target(file, self._size), self._body)
  return self
end

--- Is the picture made of characters alone, not for a page too? Names stay as they are typed then.
function picture.is_plain(o) return not o.file and (o.screen or "dumb") == "dumb" and not listeners.any "picture" end

--- The words at an axis: text as it is; of a quantity the label with its unit, or with the one given for this picture.
function picture.label(o, what) return type(what) == "string" and what or quantity.text(what, o.units, picture.is_plain(o)) end

--- The lines every picture begins with, with its title and labels: texts or quantities.
function picture.head(o, title, across, upright)
  o.size = { picture.size("plot", o.size, { 900, 600 }) }
  local script = gnuplot.style()
  script[#script + 1] = "set title " .. gnuplot.quote(o.title or title)
  script[#script + 1] = "set xlabel " .. gnuplot.quote(o.xlabel or picture.label(o, across))
  script[#script + 1] = "set ylabel " .. gnuplot.quote(o.ylabel or picture.label(o, upright))
  return script
end

local SEQUENTIAL = "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')"
-- the same colour at both ends, all of one lightness
local CYCLIC = "set palette defined (0 '#a8780d', 1 '#d5523f', 2 '#d93a9f', 3 '#9d65e5', 4 '#3b8bc6', 5 '#0e9a83', 6 '#5f9217', 7 '#a8780d')"

local function is_angle(q) return type(q) == "table" and q.kind == "angle" end

--- The lines for a quantity, or a text, shown by colour: an angle has colours that close, from -pi to pi.
function picture.colours(o, q)
  local lines = { "set cblabel " .. gnuplot.quote(picture.label(o, q)), is_angle(q) and CYCLIC or SEQUENTIAL }
  if is_angle(q) then
    lines[3] = "set cbrange [-pi:pi]"
    lines[4] = "set cbtics ('-π' -pi, '-π/2' -pi/2, '0' 0, 'π/2' pi/2, 'π' pi)"
  end
  return lines
end

--- The value that is coloured: an angle between -pi and pi.
function picture.coloured(q, value)
  if not is_angle(q) or value - value ~= 0 then return value end
  return value - 2*math.pi*math.floor(value/(2*math.pi) + 0.5)
end

function Picture.meta.__tostring(self)
  if self.screen == "qt" or self.screen == "x11" then return "in a window" end
  if self.screen ~= "dumb" and not self.file then return self.text end
  local note = rawget(self, "note") and "\n  note: " .. self.note or ""
  return (self.file and "wrote " .. self.file or (self.text:gsub("\f", ""):gsub("^[ \n]*\n", ""):gsub("%s+$", ""))) .. note
end

return picture
