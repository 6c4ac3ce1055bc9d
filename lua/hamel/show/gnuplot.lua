-- gnuplot.lua: pictures by gnuplot, run as a program: scripts without text of the user's outside of quotes, terminals by the file's ending.
local core = require "hamel.core"
local object = require "hamel.base.object"

local fail = object.fail
local gnuplot = {}

local SECONDS = 60
local MOST_WORDS = 300                 -- characters of what gnuplot says in a message

--- A text as gnuplot takes it literally: in single quotes nothing is executed and nothing substituted. A quote inside becomes a prime, since
--- a doubled one is not understood everywhere.
function gnuplot.quote(text)
  return "'" .. tostring(text):gsub("%c", " "):gsub("'", "\u{2032}") .. "'"
end

-- colours that colour-blind readers can distinguish (Okabe and Ito)
local colours = { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000" }

local terminals = {
  png = "pngcairo noenhanced font 'Sans,11' size %d,%d", svg = "svg noenhanced font 'Sans,14' size %d,%d background '#ffffff'",
  pdf = "pdfcairo noenhanced font 'Sans,11' size %gin,%gin",
}

-- On the screen: characters, pictures in terminals that can, windows
local screens = {
  dumb = "dumb noenhanced size %d,%d mono", sixel = "sixelgd noenhanced font 'Sans,11' size 900,600", kitty = "kittycairo noenhanced size 900,600",
  qt = "qt noenhanced size 900,600 persist", x11 = "x11 noenhanced size 900,600 persist",
}

--- Does a name end like a picture's?
function gnuplot.is_picture(name)
  local ending = name:match "%.(%a+)$"
  return ending ~= nil and terminals[ending:lower()] ~= nil
end

-- The last lines of a complete script, with further text
local ends = { png = "IEND....$", svg = "</svg>%s*$", pdf = "%%%%EOF%s*$" }

--- Is this the whole of a picture for a file of that name?
function gnuplot.is_whole(file, bytes) return bytes:find(ends[file:match "%.(%a+)$":lower()], -40) ~= nil end

--- Terminal and output of a picture: to a file by its ending, else characters of `width` columns.
function gnuplot.target(file, size, width, screen)
  if not file then
    screen = screen or "dumb"
    if (screen == "qt" or screen == "x11") and not os.getenv "DISPLAY" and not os.getenv "WAYLAND_DISPLAY" then
      fail("plot: screen = '%s' opens a window, and there is no display here; give a file instead", screen)
    end
    return { "set terminal " .. screens[screen]:format(width or 100, math.max(16, (width or 100)*26//100)) }
  end
  if type(file) ~= "string" or file == "" then fail("plot: file is a name that ends in .png, .svg or .pdf") end
  if file:find "['%c]" then fail("plot: a file name has no quotes and no control characters") end
  if file:find "^[<|%-]" then fail("plot: a file name does not begin with '%s'", file:sub(1, 1)) end
  local ending = file:match "%.(%a+)$"
  local terminal = ending and terminals[ending:lower()]
  if not terminal then fail("plot: '%s' ends neither in .png nor .svg nor .pdf", file) end
  local wide, high = size and size[1] or 900, size and size[2] or 600
  if ending:lower() == "pdf" then wide, high = wide/100, high/100 end
  return { "set terminal " .. terminal:format(wide, high), "set output " .. gnuplot.quote(file) }
end

--- The lines that every picture begins with. Numbers at the axes have up to ten digits: those that gnuplot chooses are too few for the steps of some axes.
function gnuplot.style()
  local lines = { "set encoding utf8", "set format '% .10h'", "set border 3", "set tics nomirror out",
                  "set grid dt 1 lc rgb '#dddddd' lw 1", "set key tmargin center horizontal" }
  for i, colour in ipairs(colours) do lines[#lines + 1] = ("set linetype %d lc rgb '%s' lw 2"):format(i, colour) end
  return lines
end

--- A block of numbers under a name; a row `false` breaks the curve.
function gnuplot.data(name, rows)
  local lines = { ("$%s << EOD"):format(name) }
  for _, row in ipairs(rows) do
    if row then
      local words = {}
      for i, value in ipairs(row) do words[i] = (value ~= value or value == math.huge or value == -math.huge) and "NaN" or ("%.15g"):format(value) end
      lines[#lines + 1] = table.concat(words, " ")
    else
      lines[#lines + 1] = ""
    end
  end
  lines[#lines + 1] = "EOD"
  return table.concat(lines, "\n")
end

--- Runs a script, for at most `seconds` (60 when not given); returns what it printed. Raises with gnuplot's own words where it fails, and says
--- what to install where it is missing.
function gnuplot.run(script, seconds)
  local status, output, errors = core.host.spawn({ "gnuplot", "-d", "-" }, script, seconds or SECONDS)
  if not status then
    if output:find("No such file", 1, true) then
      fail("plot: gnuplot is not installed; install it (Debian: gnuplot-nox), or save the numbers with run:save \"file.csv\"")
    end
    fail("plot: %s", output)
  end
  if status ~= 0 then fail("plot: gnuplot failed: %s", (errors:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""):sub(1, MOST_WORDS))) end
  return output
end

--- The picture as SVG text, for pages that hold it.
function gnuplot.picture(script, plots)
  return gnuplot.run("set terminal svg noenhanced font 'Sans,14' size 800,500 background '#ffffff'\n" .. table.concat(script, "\n") .. "\nplot "
    .. table.concat(plots, ", \\\n     ") .. "\n")
end

--- The bytes of a PNG by the script of a picture.
function gnuplot.png(script)
  local body = script:gsub("^set terminal [^\n]*\n", "", 1):gsub("^set output [^\n]*\n", "", 1)
  return gnuplot.run("set terminal " .. terminals.png:format(800, 500) .. "\n" .. body)
end

return gnuplot
