-- picture.lua: shared parts of all pictures: options, the file or the terminal, the returned object.
local core = require "hamel.core"
local files = require "hamel.base.files"
local gnuplot = require "hamel.show.gnuplot"
local listeners = require "hamel.base.listeners"
local object = require "hamel.base.object"

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
  screen = { type = "string", doc = "where no file is given: 'dumb' (characters), 'sixel' or 'kitty' (terminals with pictures), 'qt' or 'x11' (a window)" },
  units = { type = "table", doc = "units by name, for the labels, in place of the declared ones: { x = \"m\", [\"theta'\"] = \"rad/s\" }" },
}

--- Draws. script: a list of lines; plots: the arguments of the command `plot`; o: the options.
function picture.make(script, plots, o)
  -- a report wants the picture itself
  local drawn = listeners.any "picture" and gnuplot.picture(script, plots)
  local target = gnuplot.target(o.file, o.size, core.host.width(), o.screen)
  local body = "\n" .. table.concat(script, "\n") .. "\nplot " .. table.concat(plots, ", \\\n     ") .. "\nunset output\n"
  local text = table.concat(target, "\n") .. body
  if o.script then files.write("plot", o.script, text) end
  -- the picture comes to us, since gnuplot does not notice that a disk is full
  local output = gnuplot.run(o.file and target[1] .. body or text)
  if o.file then
    if not gnuplot.is_whole(o.file, output) then fail("plot: gnuplot made no whole picture for %s: %d bytes came", o.file, #output) end
    files.write("plot", o.file, output)
    output = ""
  end
  local result = setmetatable({ file = o.file or false, screen = o.screen or "dumb", text = output, script = text }, Picture.meta)
  listeners.call("picture", result, drawn)
  return result
end

--- The label of an axis: a name with its unit, if it has one.
function picture.label(o, name)
  local unit = o.units and o.units[name]
  return unit and ("%s [%s]"):format(name, unit) or name
end

--- The lines every picture begins with, with its title and labels.
function picture.head(o, title, xlabel, ylabel)
  local script = gnuplot.style()
  script[#script + 1] = "set title " .. gnuplot.quote(o.title or title)
  script[#script + 1] = "set xlabel " .. gnuplot.quote(o.xlabel or picture.label(o, xlabel))
  script[#script + 1] = "set ylabel " .. gnuplot.quote(o.ylabel or picture.label(o, ylabel))
  return script
end

function Picture.meta.__tostring(self)
  if self.screen == "qt" or self.screen == "x11" then return "in a window" end
  if self.screen ~= "dumb" and not self.file then return self.text end
  return self.file and "wrote " .. self.file or (self.text:gsub("\f", ""):gsub("^[ \n]*\n", ""):gsub("%s+$", ""))
end

return picture
