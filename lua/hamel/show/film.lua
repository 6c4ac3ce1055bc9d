-- film.lua: run:film: a motion as GIF, MP4 or WebM: frames painted by gnuplot, joined by ffmpeg.
local core = require "hamel.core"
local files = require "hamel.base.files"
local gnuplot = require "hamel.show.gnuplot"
local motion = require "hamel.show.motion"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local picture = require "hamel.show.picture"
local scene = require "hamel.show.scene"
local Trajectory = require "hamel.run.trajectory"

local fail = object.fail

local schema = {
  fps = { default = 25, from = 1, to = 100, whole = true, type = "number", doc = "frames in a second of the film" },
  seconds = { type = "number", above = 0, doc = "how long the film is; when not given, the length of the motion divided by speed" },
  size = { type = "table", list = true, doc = "width and height in pixels, {640, 480} when not given; even numbers" },
  zoom = { default = 1, above = 0, type = "number", doc = "enlarges the picture" },
}
for name, row in pairs(motion.schema) do schema[name] = row end

local MOST_FRAMES = 3000
local BATCH = 40                       -- frames that gnuplot paints in one go
local HALF_LETTER = 4                   -- pixels: gnuplot puts the middle of a text at its place, a page the foot of it
local SECONDS = 600                    -- for joining the frames

-- ---- one frame as a script

local function mixed(colour, alpha)
  local function channel(i) return math.floor(tonumber(colour:sub(i, i + 1), 16)*alpha + 255*(1 - alpha) + 0.5) end
  return ("#%02x%02x%02x"):format(channel(2), channel(4), channel(6))
end

local function polygon(points, fill, edge, alpha)
  local words = {}
  for i, p in ipairs(points) do words[i] = ("%.2f,%.2f"):format(p[1], p[2]) end
  words[#words + 1] = words[1]
  return ("polygon from %s fillcolor rgb '%s' fillstyle %ssolid %.3g %s"):format(table.concat(words, " to "), fill, alpha < 1 and "transparent " or "", alpha,
    edge and ("border linecolor rgb '%s' linewidth 0.7"):format(edge) or "noborder")
end

-- A chord as a strip that overlaps the next one
local function strip(p, q, width)
  local dx, dy = q[1] - p[1], q[2] - p[2]
  local l = math.sqrt(dx*dx + dy*dy)
  if l == 0 then return nil end
  local ex, ey, h = dx/l*width/2, dy/l*width/2, 0.5
  return { { p[1] - h*ex - ey, p[2] - h*ey + ex }, { q[1] + h*ex - ey, q[2] + h*ey + ex }, { q[1] + h*ex + ey, q[2] + h*ey - ex },
           { p[1] - h*ex + ey, p[2] - h*ey - ex } }
end

-- The part of a chord inside the picture (Liang and Barsky 1984); nil where there is none. gnuplot fills polygons wrongly that reach outside
local function clipped(p, q, canvas)
  local from, to, d = 0, 1, { q[1] - p[1], q[2] - p[2] }
  for k = 1, 2 do
    for _, side in ipairs{ { -d[k], p[k] }, { d[k], canvas[k] - p[k] } } do
      local slope, room = side[1], side[2]
      if slope == 0 and room < 0 then return nil end
      if slope < 0 then from = math.max(from, room/slope) elseif slope > 0 then to = math.min(to, room/slope) end
    end
  end
  if from >= to then return nil end
  return { p[1] + from*d[1], p[2] + from*d[2] }, { p[1] + to*d[1], p[2] + to*d[2] }
end

-- The part of a polygon on one side of a line x_k = bound (Sutherland and Hodgman 1974); sign 1: above it
local function cut(points, k, bound, sign)
  local out, n = {}, #points
  for i, p in ipairs(points) do
    local q = points[i % n + 1]
    local a, b = sign*(p[k] - bound), sign*(q[k] - bound)
    if a >= 0 then out[#out + 1] = p end
    if a*b < 0 then
      local s = a/(a - b)
      out[#out + 1] = { p[1] + s*(q[1] - p[1]), p[2] + s*(q[2] - p[2]) }
    end
  end
  return out
end

-- The part of a polygon inside the picture; empty where there is none
local function inside(points, canvas)
  for k = 1, 2 do points = cut(cut(points, k, 0, 1), k, canvas[k], -1) end
  return points
end

local painters = {}

function painters.face(item, add, _, canvas)
  local points = inside(item.points, canvas)
  if #points > 2 then add(polygon(points, item.fill, item.alpha == 1 and item.edge or nil, item.alpha)) end
end

function painters.line(item, add, _, canvas)
  local colour = mixed(item.colour, item.alpha)
  for i = 2, #item.points do
    local p, q = clipped(item.points[i - 1], item.points[i], canvas)
    local corners = inside(p and strip(p, q, item.width) or {}, canvas)
    if #corners > 2 then add(polygon(corners, colour, nil, 1)) end
  end
end

function painters.ball(item, add)
  local function circle(x, y, r, colour)
    add(("circle at %.2f,%.2f size %.2f fillcolor rgb '%s' fillstyle solid 1 noborder"):format(x, y, r, colour))
  end
  circle(item.x, item.y, item.radius, item.colour)
  if not item.shine then return end
  for k = 1, 4 do circle(item.x - item.radius/3, item.y - item.radius/3, item.radius*(0.5 - 0.1*k), mixed(item.colour, 1 - 0.22*k)) end
end

function painters.text(item, _, label)
  label(("%s at %.2f,%.2f %s textcolor rgb '%s' front"):format(gnuplot.quote(item.text), item.x, item.y - HALF_LETTER, item.align, item.colour))
end

-- canvas: width and height
local function frame_script(items, canvas)
  local lines, objects, labels = {}, 0, 0
  local function add(words)
    objects = objects + 1
    lines[#lines + 1] = ("set object %d %s front"):format(objects, words)
  end
  local function label(words)
    labels = labels + 1
    lines[#lines + 1] = ("set label %d %s"):format(labels, words)
  end
  for _, item in ipairs(items) do painters[item.kind](item, add, label, canvas) end
  lines[#lines + 1] = "plot NaN\nunset object\nunset label"
  return table.concat(lines, "\n")
end

-- ---- frames

local function head(terminal, width, height)
  return table.concat({ "set terminal " .. terminal, "set encoding utf8", "unset border", "unset tics", "unset key", "set lmargin 0", "set rmargin 0",
    "set tmargin 0", "set bmargin 0", ("set xrange [0:%d]"):format(width), ("set yrange [%d:0]"):format(height) }, "\n")
end

-- Codecs want even numbers
local function read_size(o)
  local wide, high = picture.size("film", o.size, { 640, 480 })
  return wide + wide % 2, high + high % 2
end

-- Scripts of the frames, one for each instant
local function scripts_of(run, shapes, o, wide, high)
  local from, to = run.t[1], run.t[#run.t]
  local seconds = o.seconds or math.abs(to - from)/o.speed
  local count = math.floor(seconds*o.fps + 0.5) + 1
  if count > MOST_FRAMES then
    fail("film: %.6g seconds at %d frames a second are %d frames, and %d are the most; set seconds, speed or fps", seconds, o.fps, count, MOST_FRAMES)
  end
  count = math.max(count, 2)
  local data = motion.read(run, shapes, o, count)
  local look, scripts = { yaw = data.yaw, pitch = data.pitch, zoom = o.zoom }, {}
  local heading = { kind = "text", x = wide/2, y = 20, text = data.title, colour = "#222222", align = "center" }
  for k = 1, count do
    local items = scene.paint(data, data.times[k], look, wide, high)
    items[#items + 1] = heading
    scripts[k] = frame_script(items, { wide, high })
  end
  return scripts
end

-- All frames as PNG files behind each other
local function painted(scripts, wide, high)
  local out, terminal = {}, ("pngcairo noenhanced font 'Sans,10' size %d,%d"):format(wide, high)
  for first = 1, #scripts, BATCH do
    local body = table.concat(scripts, "\n", first, math.min(first + BATCH - 1, #scripts))
    out[#out + 1] = gnuplot.run(table.concat({ head(terminal, wide, high), body, "" }, "\n"))
  end
  return table.concat(out)
end

-- ---- files

local codecs = {
  gif = { "-filter_complex", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none", "-loop", "0", "-f", "gif" },
  mp4 = { "-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4" },
  webm = { "-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-b:v", "0", "-crf", "32", "-f", "webm" },
}

local function has_ffmpeg() return core.host.spawn({ "ffmpeg", "-version" }, "", 20) == 0 end

local function joined_by_ffmpeg(ending, frames, fps)
  local path = os.tmpname()
  local command = { "ffmpeg", "-hide_banner", "-loglevel", "error", "-y", "-f", "image2pipe", "-c:v", "png", "-framerate", tostring(fps), "-i", "-" }
  table.move(codecs[ending], 1, #codecs[ending], #command + 1, command)
  table.move({ "-fflags", "+bitexact", "-flags:v", "+bitexact", path }, 1, 5, #command + 1, command)
  local status, output, errors = core.host.spawn(command, frames, SECONDS)
  local bytes = status == 0 and files.read(path)
  os.remove(path)
  if not status then fail("film: ffmpeg: %s", output) end
  if not bytes or #bytes == 0 then fail("film: ffmpeg failed: %s", (errors:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))) end
  return bytes
end

-- The fonts of this terminal have no dots that combine with letters
local function with_primes(script) return (script:gsub("\u{307}", "′"):gsub("\u{308}", "″")) end

local function joined_by_gnuplot(scripts, wide, high, fps)
  local terminal = ("gif noenhanced animate delay %d loop 0 size %d,%d"):format(math.max(1, math.floor(100/fps + 0.5)), wide, high)
  local body = with_primes(table.concat(scripts, "\n"))
  return gnuplot.run(head(terminal, wide, high) .. "\n" .. body .. "\nunset output\n", SECONDS)
end

--- The motion as a film: run:film("a.gif", { {"ball", at = {x, y}}, {"trace", of = {x, y}} }, { fps = 20, seconds = 10 }), or "a.mp4", "a.webm". Shapes
--- as in run:animate. gnuplot paints the frames and ffmpeg joins them; without ffmpeg gnuplot makes GIF alone. Options: fps, seconds (how long the
--- film is), speed, size = {640, 480}, zoom, and title, view, follow, gravity, show, parameters as in run:animate.
--- Returns { file, bytes, ... }, which prints as one sentence.
function Trajectory:film(path, shapes, given)
  local o = options.check("film", schema, given or {})
  local ending = type(path) == "string" and path:match "%.(%w+)$"
  ending = ending and ending:lower()
  if not codecs[ending] then fail("film takes the name of a file that ends in .gif, .mp4 or .webm, then the shapes; run:animate writes .html") end
  local with_ffmpeg = has_ffmpeg()
  if not with_ffmpeg and ending ~= "gif" then
    fail("film: ffmpeg is not installed, and .%s needs it; install it (Debian: ffmpeg), or write a .gif", ending)
  end
  local wide, high = read_size(o)
  local scripts = scripts_of(self, shapes, o, wide, high)
  local bytes
  if with_ffmpeg then bytes = joined_by_ffmpeg(ending, painted(scripts, wide, high), o.fps)
  else bytes = joined_by_gnuplot(scripts, wide, high, o.fps) end
  files.write("film", path, bytes)
  local contents = ("%d frames of %d x %d, %s"):format(#scripts, wide, high, files.size_text(#bytes))
  return files.written(path, contents, { bytes = #bytes })
end

options.declare("film", schema)

return Trajectory
