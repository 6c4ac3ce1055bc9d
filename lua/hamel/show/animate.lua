-- animate.lua: run:animate: a motion as one HTML page that needs nothing from outside: shapes, orbit control, time slider, speed.
local files = require "hamel.base.files"
local json = require "hamel.base.json"
local mathml = require "hamel.show.mathml"
local motion = require "hamel.show.motion"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local Trajectory = require "hamel.run.trajectory"
local slider_script = require "hamel.show.slider_script"
local sliders = require "hamel.show.sliders"
local viewer = require "hamel.show.viewer"

local fail = object.fail

local schema = {
  sliders = { type = "table", doc = "parameters with sliders and their ranges, { a = {0, 1}, m = {1, 3} }: the page integrates the motion anew" },
  n = { default = 600, from = 2, to = 100000, whole = true, type = "number", doc = "frames, equally spaced in time" },
}
for name, row in pairs(motion.schema) do schema[name] = row end

-- Numbers of frames with the digits that a picture shows
local function rounded(value)
  if math.type(value) == "float" then return value - value == 0 and tonumber(("%.8g"):format(value)) or value end
  if type(value) ~= "table" then return value end
  local out = {}
  for key, item in pairs(value) do out[key] = rounded(item) end
  return out
end

-- JSON inside a script element: no text in it ends the element
local function in_script(text) return (text:gsub("[<>&]", { ["<"] = "\\u003c", [">"] = "\\u003e", ["&"] = "\\u0026" })) end

local function page(run, shapes, o)
  local data, wanted, as_given = motion.read(run, shapes, o, o.n)
  local code, times = "", data.times
  data = rounded(data)
  if o.sliders then
    local functions
    data.live, functions = sliders.of(run, o.sliders, times, wanted, as_given)
    code = functions .. "\n" .. slider_script
  end
  return (viewer:gsub("@TITLE@", function() return mathml.escape(data.title) end):gsub("@DATA@", function() return in_script(json.text(data)) end)
    :gsub("@CODE@", function() return code end))
end

local function contents(run, o, text)
  return ("%d frames from t = %g to %g, %s"):format(o.n, run.t[1], run.t[#run.t], files.size_text(#text))
end

local Animation = object.class "Animation"

function Animation.meta.__tostring(a) return ("motion: %s; run:animate(\"motion.html\", shapes) writes it as a page"):format(a.contents) end

local function in_place(run, shapes, o)
  local text = page(run, shapes, o)
  return setmetatable({ page = text, contents = contents(run, o, text) }, Animation.meta)
end

--- The motion as a page that needs no network: run:animate("sleigh.html", { {"blade", at = {x, y}, along = {hm.cos(theta), hm.sin(theta)}},
--- {"trace", of = {x, y}}, {"plane"} }, { speed = 2 }). Bodies of S:body are drawn without a word: by their shapes, or as the
--- homogeneous box with their moments of inertia, with the surfaces that they touch; bodies = false leaves them out.
--- Shapes, with expressions in coordinates, velocities, t; points of two or three entries:
--- {"ball", at, radius}, {"disc", at, axis, spin, radius} and {"wheel", at, axis, spin, radius, width} (spin counts from the level direction in
--- their plane; mark = a direction across the axis, in place of spin, turns with them), {"bar", from, to, width},
--- {"spring", from, to, radius, turns}, {"cylinder", from, to, radius}, {"cone", from, to, radius} (to is the tip),
--- {"box", at, along, up, length, width, height} (length along, height up), {"ellipsoid", at, along, up, a, b, c},
--- {"mesh", file = "part.stl", at, along, up, scale} (STL, text or binary, its x axis along, its z axis up), {"blade", at, along, length},
--- {"arrow", at, along, force, scale} (along times force, such as "lambda.blade"; without a scale the longest is a quarter of the picture),
--- {"trace", of}, {"plane", at, normal, size}, {"graph", at, along, up, height = function(x, y) return x^2 - y^2 end, size} (half of its edge),
--- {"globe", at, along, up, radius} and {"tube", at, along, up, radius, length} (nets of a sphere and of a cylinder about `up`). Sizes
--- are numbers or expressions of parameters, with their values in the run; each shape may have colour = "#rrggbb" and a label for the legend. The
--- page shows axes, a scale, the parameters, the time and the energy. Drag to turn, wheel to zoom, space to pause; page.html#t=3.5 shows that
--- moment. Options: title, n (frames), speed, view = {yaw, pitch}, follow = {x, y} (the point that stays in the middle), gravity = {0, 0, -1} (shown
--- beside the axes), show = {"energy", "lambda.blade"} (quantities shown as numbers), parameters = false. The same run gives the same bytes.
--- sliders = { a = {0, 0.5} } names parameters and their ranges: when one is moved, the page integrates the equations anew from the start of the run,
--- velocities set onto the constraints, and says so where its steps are not accurate. The equations must be smooth, and what is shown free of reactions.
--- Returns { file, bytes, ... }, which prints as one sentence. Without the name of a file, run:animate(shapes, options), a notebook shows the motion
--- in place.
function Trajectory:animate(path, shapes, given)
  if path == nil or type(path) == "table" then return in_place(self, path, options.check("animate", schema, shapes or {})) end
  local o = options.check("animate", schema, given or {})
  if type(path) ~= "string" or not path:find "%.html$" then
    fail("animate takes the name of a file that ends in .html, then the shapes; run:film writes .gif, .mp4 and .webm")
  end
  local text = page(self, shapes, o)
  files.write("animate", path, text)
  return files.written(path, contents(self, o, text) .. "; open it in a browser", { bytes = #text })
end

options.declare("animate", schema)

return Trajectory
