-- animate.lua: run:animate: a motion as one HTML page that needs nothing from outside: shapes, orbit control, time slider, speed.
local core = require "hamel.core"
local files = require "hamel.base.files"
local mathml = require "hamel.show.mathml"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local Trajectory = require "hamel.run.trajectory"

local fail = object.fail

local schema = {
  title = { type = "string", doc = "above the picture; the system's name when not given" },
  n = { default = 600, from = 2, to = 100000, whole = true, type = "number", doc = "frames, equally spaced in time" },
  speed = { default = 1, above = 0, type = "number", doc = "seconds of the motion in a second of the clock" },
  view = { type = "table", list = true, doc = "{ yaw, pitch } of the camera in degrees; pitch 90 looks down the z axis" },
}

-- What a shape needs: points (three expressions; two lie in the plane z = 0), directions, numbers
local kinds = {
  ball = { points = { "at" }, numbers = { radius = 0.1 } },
  disc = { points = { "at" }, directions = { "axis" }, scalars = { "spin" }, numbers = { radius = 0.5 } },
  bar = { points = { "from", "to" }, numbers = { width = 0.04 } },
  blade = { points = { "at" }, directions = { "along" }, numbers = { length = 0.3 } },
  trace = { points = { "of" }, numbers = {} },
  plane = { points = {}, fixed = { at = { 0, 0, 0 }, normal = { 0, 0, 1 } }, numbers = { size = 0 } },
}
local colours = { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9" }

local function vector(shape, key, what)
  local given = shape[key]
  if type(given) ~= "table" or core.is_expression(given) or (#given ~= 2 and #given ~= 3) then
    fail("animate: %s: %s is a list of two or three expressions", what, key)
  end
  return { given[1], given[2], given[3] or 0 }
end

-- A number of a shape: a number, or an expression of parameters, which have the values of the run
local function constant(run, given, what)
  if not core.is_expression(given) then return type(given) == "number" and given or fail("animate: %s is a number or an expression of parameters", what) end
  local parameters, values = run.observer.parameters, run.observer.values
  run.observer:expression(given)
  for _, s in ipairs(core.symbols{ given }) do
    if not object.contains(parameters, s) then fail("animate: %s contains %s; it is a number or an expression of parameters", what, core.text(s)) end
  end
  return core.value(given, parameters, values)
end

local function size(run, given, what)
  local value = constant(run, given, what)
  if value ~= value or value < 0 then fail("animate: %s is %s; it is not negative", what, object.number(value)) end
  return value
end

-- The shapes as plain tables with places of their expressions in the list of evaluated ones
local function read(run, shapes)
  local list, wanted = {}, {}
  local function place(e)
    wanted[#wanted + 1] = e
    return #wanted - 1
  end
  for i, shape in ipairs(shapes) do
    local name = type(shape) == "table" and shape[1]
    local what = ("shape %d (%s)"):format(i, tostring(name))
    local kind = kinds[name] or fail("animate: shape %d is {\"ball\", ...}: ball, disc, bar, blade, trace, plane, not '%s'%s", i, tostring(name),
      object.hint(tostring(name), object.keys(kinds)))
    local known = { colour = true, label = true }
    for _, group in ipairs{ kind.points or {}, kind.directions or {}, kind.scalars or {} } do for _, key in ipairs(group) do known[key] = true end end
    for key in pairs(kind.numbers) do known[key] = true end
    for key in pairs(kind.fixed or {}) do known[key] = true end
    for key in pairs(shape) do
      if key ~= 1 and not known[key] then fail("animate: %s has no '%s'%s", what, tostring(key), object.hint(tostring(key), object.keys(known))) end
    end
    local entry = { kind = name, colour = shape.colour or colours[(i - 1) % #colours + 1], label = shape.label }
    if not tostring(entry.colour):find "^#%x%x%x%x%x%x$" then fail("animate: %s: colour is '#rrggbb', not '%s'", what, tostring(entry.colour)) end
    for _, group in ipairs{ kind.points or {}, kind.directions or {} } do
      for _, key in ipairs(group) do
        local v = vector(shape, key, what)
        entry[key] = { place(v[1]), place(v[2]), place(v[3]) }
      end
    end
    for _, key in ipairs(kind.scalars or {}) do entry[key] = place(shape[key] or 0) end
    for key, default in pairs(kind.numbers) do
      entry[key] = size(run, shape[key] == nil and default or shape[key], what .. ": " .. key)
    end
    for key, default in pairs(kind.fixed or {}) do
      entry[key] = {}
      for k, value in ipairs(shape[key] or default) do entry[key][k] = constant(run, value, ("%s: %s[%d]"):format(what, key, k)) end
    end
    list[i] = entry
  end
  if #list == 0 then fail("animate: shapes are missing: run:animate(\"a.html\", { {\"ball\", at = {x, y}}, {\"trace\", of = {x, y}} })") end
  return list, wanted
end

local function json(value)
  if type(value) == "number" then
    if value ~= value or value == math.huge or value == -math.huge then return "null" end
    return math.type(value) == "integer" and tostring(value) or ("%.6g"):format(value)
  elseif type(value) == "string" then
    return '"' .. value:gsub('[%c"\\<>&]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
  elseif type(value) == "boolean" then
    return tostring(value)
  end
  local out = {}
  if #value > 0 or next(value) == nil then
    for i, item in ipairs(value) do out[i] = json(item) end
    return "[" .. table.concat(out, ",") .. "]"
  end
  for _, key in ipairs(object.keys(value)) do out[#out + 1] = json(key) .. ":" .. json(value[key]) end
  return "{" .. table.concat(out, ",") .. "}"
end

local template = [==[<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>@TITLE@</title>
<style>
html, body { margin: 0; height: 100%; font: 15px system-ui, sans-serif; background: #fff; color: #222; }
body { display: flex; flex-direction: column; } header { padding: .4rem .8rem; font-weight: 600; }
canvas { flex: 1; min-height: 0; width: 100%; touch-action: none; cursor: grab; }
footer { display: flex; gap: .6rem; align-items: center; padding: .5rem .8rem; }
footer input[type=range] { flex: 1; } output { min-width: 6.5em; text-align: right; }
button, select { font: inherit; }
</style></head><body>
<header>@TITLE@</header><canvas id="picture"></canvas>
<footer><button id="play" aria-label="play or pause">pause</button><input id="time" type="range" min="0" step="any" aria-label="time">
<output id="clock"></output><select id="speed" aria-label="speed"></select><button id="home">view</button></footer>
<script>
"use strict";
const data = @DATA@;
const canvas = document.getElementById("picture"), pen = canvas.getContext("2d"), slider = document.getElementById("time");
const clock = document.getElementById("clock"), play = document.getElementById("play"), speed = document.getElementById("speed");
const last = data.times.length - 1, begin = data.times[0], end = data.times[last];
let now = begin, playing = true, before = null, yaw = data.yaw, pitch = data.pitch, zoom = 1;
slider.min = begin; slider.max = end;
for (const s of [0.1, 0.25, 0.5, 1, 2, 5, 10]) speed.add(new Option(s + " x", s * data.speed, s === 1, s === 1));

// values at the time: linear between frames
function values(t) {
  const at = (t - begin) / (end - begin) * last, i = Math.max(0, Math.min(last - 1, Math.floor(at))), part = Math.min(1, at - i);
  return data.frames[i].map((a, k) => a + part * (data.frames[i + 1][k] - a));
}
const pick = (v, places) => places.map(k => v[k]);
// the box of everything that moves
const box = { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
function widen(p, r) {
  for (let k = 0; k < 3; k++) { box.low[k] = Math.min(box.low[k], p[k] - r); box.high[k] = Math.max(box.high[k], p[k] + r); }
}
for (const f of data.frames) for (const s of data.shapes)
  for (const key of ["at", "from", "to", "of"]) if (Array.isArray(s[key]) && s.kind !== "plane") widen(pick(f, s[key]), s.radius || 0);
if (!(box.low[0] < Infinity)) { box.low = [-1, -1, -1]; box.high = [1, 1, 1]; }
const centre = box.low.map((a, k) => (a + box.high[k]) / 2), size = Math.max(1e-9, Math.hypot(...box.low.map((a, k) => box.high[k] - a)));

// x to the right, y away, z up at yaw 0; orthographic
function project(p) {
  const x = p[0] - centre[0], y = p[1] - centre[1], z = p[2] - centre[2], a = yaw * Math.PI / 180, b = pitch * Math.PI / 180;
  const right = x * Math.cos(a) + y * Math.sin(a), away = -x * Math.sin(a) + y * Math.cos(a);
  const scale = 0.9 * zoom * Math.min(canvas.width, canvas.height) / size;
  const up = away * Math.sin(b) + z * Math.cos(b), depth = away * Math.cos(b) - z * Math.sin(b);
  return { x: canvas.width / 2 + scale * right, y: canvas.height / 2 - scale * up, depth, scale };
}
const add = (p, s, d) => p.map((a, k) => a + s * d[k]);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const l = Math.hypot(...a) || 1; return a.map(c => c / l); };
function line(points, colour, width, alpha) {
  pen.globalAlpha = alpha || 1; pen.strokeStyle = colour; pen.lineWidth = width; pen.lineJoin = pen.lineCap = "round"; pen.beginPath();
  points.forEach((p, i) => { const q = project(p); if (i) pen.lineTo(q.x, q.y); else pen.moveTo(q.x, q.y); });
  pen.stroke(); pen.globalAlpha = 1;
}
// two directions across an axis: the first is level
function across(axis) {
  const n = unit(axis), level = Math.hypot(n[0], n[1]) < 1e-9 ? [1, 0, 0] : unit(cross([0, 0, 1], n));
  return [level, cross(n, level)];
}
const drawers = {
  plane(s) {
    const half = s.size || size, step = Math.pow(10, Math.floor(Math.log10(half / 2))), [u, w] = across(s.normal), n = Math.min(40, Math.round(half / step));
    for (let i = -n; i <= n; i++) {
      line([add(add(s.at, i * step, u), -n * step, w), add(add(s.at, i * step, u), n * step, w)], "#999", 1, 0.35);
      line([add(add(s.at, i * step, w), -n * step, u), add(add(s.at, i * step, w), n * step, u)], "#999", 1, 0.35);
    }
  },
  trace(s) {
    const points = [];
    for (let i = 0; i <= last && data.times[i] * Math.sign(end - begin) <= now * Math.sign(end - begin); i++) points.push(pick(data.frames[i], s.of));
    points.push(pick(values(now), s.of));
    line(points, s.colour, 1.5 * devicePixelRatio, 0.8);
  },
  ball(s, v) {
    const q = project(pick(v, s.at)), r = Math.max(2, s.radius * q.scale), shade = pen.createRadialGradient(q.x - r / 3, q.y - r / 3, r / 8, q.x, q.y, r);
    shade.addColorStop(0, "#fff"); shade.addColorStop(0.35, s.colour); shade.addColorStop(1, s.colour);
    pen.fillStyle = shade; pen.beginPath(); pen.arc(q.x, q.y, r, 0, 7); pen.fill();
  },
  disc(s, v) {
    const at = pick(v, s.at), [u, w] = across(pick(v, s.axis)), spin = v[s.spin], rim = [];
    for (let i = 0; i <= 48; i++) rim.push(add(add(at, s.radius * Math.cos(i * Math.PI / 24), u), s.radius * Math.sin(i * Math.PI / 24), w));
    pen.fillStyle = s.colour; pen.globalAlpha = 0.25; pen.beginPath();
    rim.forEach((p, i) => { const q = project(p); if (i) pen.lineTo(q.x, q.y); else pen.moveTo(q.x, q.y); }); pen.fill();
    line(rim, s.colour, 2 * devicePixelRatio);
    for (let k = 0; k < 4; k++) {
      const a = spin + k * Math.PI / 2;
      line([at, add(add(at, s.radius * Math.cos(a), u), s.radius * Math.sin(a), w)], s.colour, (k ? 1 : 3) * devicePixelRatio, 0.7);
    }
  },
  bar(s, v) { const a = pick(v, s.from), q = project(a); line([a, pick(v, s.to)], s.colour, Math.max(2 * devicePixelRatio, s.width * q.scale)); },
  blade(s, v) {
    const at = pick(v, s.at), d = unit(pick(v, s.along));
    line([add(at, -s.length / 2, d), add(at, s.length / 2, d)], s.colour, 5 * devicePixelRatio);
    const q = project(at); pen.fillStyle = "#222"; pen.beginPath(); pen.arc(q.x, q.y, 3 * devicePixelRatio, 0, 7); pen.fill();
  },
};
function depth(s, v) {
  const key = s.at || s.from;
  return s.kind === "plane" ? 1e30 : s.kind === "trace" ? 1e29 : project(pick(v, key)).depth;
}
function draw() {
  const wide = canvas.clientWidth * devicePixelRatio, high = canvas.clientHeight * devicePixelRatio;
  if (canvas.width !== Math.round(wide) || canvas.height !== Math.round(high)) {
    canvas.width = wide; canvas.height = high;
  }
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const v = values(now);
  for (const s of [...data.shapes].sort((a, b) => depth(b, v) - depth(a, v))) {
    drawers[s.kind](s, v);
    if (!s.label || !s.at) continue;
    const q = project(pick(v, s.at));
    pen.fillStyle = "#222"; pen.font = 14 * devicePixelRatio + "px sans-serif"; pen.fillText(s.label, q.x + 8, q.y - 8);
  }
  slider.value = now; clock.value = "t = " + now.toFixed(2);
}
function frame(stamp) {
  if (playing && before !== null) {
    now += Math.sign(end - begin) * (stamp - before) / 1000 * speed.value;
    if ((end - now) * Math.sign(end - begin) <= 0) now = begin;
  }
  before = stamp; draw(); requestAnimationFrame(frame);
}
play.onclick = () => { playing = !playing; play.textContent = playing ? "pause" : "play"; };
slider.oninput = () => { now = +slider.value; if (playing) play.onclick(); draw(); };
document.getElementById("home").onclick = () => { yaw = data.yaw; pitch = data.pitch; zoom = 1; };
canvas.onpointerdown = e => canvas.setPointerCapture(e.pointerId);
canvas.onpointermove = e => {
  if (e.buttons) { yaw += e.movementX * 0.4; pitch = Math.max(-90, Math.min(90, pitch + e.movementY * 0.4)); }
};
canvas.onwheel = e => { e.preventDefault(); zoom *= Math.exp(-e.deltaY * 0.001); };
document.onkeydown = e => { if (e.key === " ") { e.preventDefault(); play.onclick(); } };
// a picture of one moment: page.html#t=3.5
const moment = /#t=(-?[0-9.eE+-]+)/.exec(location.hash);
if (moment) {
  now = Math.max(Math.min(+moment[1], Math.max(begin, end)), Math.min(begin, end)); playing = false; play.textContent = "play";
}
requestAnimationFrame(frame);
</script></body></html>
]==]

local function is_plane(shapes, frames)
  for _, shape in ipairs(shapes) do
    for _, key in ipairs{ "at", "from", "to", "of" } do
      local places = shape.kind ~= "plane" and shape[key]
      if places then for _, frame in ipairs(frames) do if frame[places[3] + 1] ~= 0 then return false end end end
    end
  end
  return true
end

--- Writes the motion as an HTML page that needs no network: run:animate("sleigh.html", { {"blade", at = {x, y}, along = {hm.cos(theta),
--- hm.sin(theta)}}, {"trace", of = {x, y}}, {"plane"} }, { speed = 2 }). Returns the number of bytes.
--- Shapes: {"ball", at, radius}, {"disc", at, axis, spin, radius} (spin counts from the level direction in its plane), {"bar", from, to, width},
--- {"blade", at, along, length}, {"trace", of}, {"plane", at, normal, size}. Points have two or three entries, expressions in coordinates,
--- velocities and t. radius, width, length and size are numbers or expressions of parameters, with their values in the run. Each shape may have
--- colour = "#rrggbb" and label.
--- In the page: drag to turn, wheel to zoom, space to pause; page.html#t=3.5 shows that moment. Options: title, n (frames), speed,
--- view = {yaw, pitch}.
function Trajectory:animate(path, shapes, given)
  local o = options.check("animate", schema, given or {})
  if type(path) ~= "string" or not path:find "%.html$" then fail("animate takes the name of a file that ends in .html, then the shapes") end
  if type(shapes) ~= "table" then fail("animate: shapes are a list: { {\"ball\", at = {x, y}} }") end
  if not self.options.dense then fail("animate: this run kept no dense output (dense = false)") end
  local list, wanted = read(self, shapes)
  local times, frames = {}, {}
  local from, to = self.t[1], self.t[#self.t]
  if from == to then fail("animate: the run has no length") end
  for k = 1, o.n do
    times[k] = k == o.n and to or from + (to - from)*((k - 1)/(o.n - 1))
    frames[k] = self:values_at(times[k], wanted)
  end
  local flat = is_plane(list, frames)
  local view = o.view or (flat and { 0, 90 } or { -30, 25 })
  local text = template:gsub("@TITLE@", function() return mathml.escape(o.title or self.system.name) end):gsub("@DATA@", function()
    return json{ shapes = list, times = times, frames = frames, speed = o.speed, yaw = view[1] or 0, pitch = view[2] or 90 }
  end)
  files.write("animate", path, text)
  return #text
end

options.declare("animate", schema)

return Trajectory
