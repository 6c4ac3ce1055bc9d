-- viewer.lua: the page of an animation: what lua/hamel/show/scene.lua paints, in JavaScript, with a camera that is turned by hand, time slider and speed.
return [==[<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>@TITLE@</title>
<style>
html, body { margin: 0; height: 100%; font: 15px system-ui, sans-serif; background: #fff; color: #222; }
body { display: flex; flex-direction: column; } header { padding: .4rem .8rem; font-weight: 600; }
canvas { flex: 1; min-height: 0; width: 100%; touch-action: none; cursor: grab; }
footer { display: flex; gap: .6rem; align-items: center; padding: .5rem .8rem; }
footer input[type=range] { flex: 1; } output { min-width: 6.5em; text-align: right; }
button, select { font: inherit; }
#sliders { display: none; flex-wrap: wrap; gap: .3rem 1.6rem; padding: .5rem .8rem 0; }
#sliders label { display: flex; gap: .5rem; align-items: center; } #sliders output { min-width: 7em; text-align: left; }
#sliders .wrong { color: #b3261e; }
</style></head><body>
<header>@TITLE@</header><canvas id="picture"></canvas>
<div id="sliders"></div><footer><button id="play" aria-label="play or pause">pause</button><input id="time" type="range" min="0" step="any" aria-label="time">
<output id="clock"></output><select id="speed" aria-label="speed"></select><button id="home">view</button></footer>
<script>
"use strict";
const data = @DATA@;
@CODE@
const live = data.live;
// ---- scene: one instant as things to paint, the farthest first
const last = data.times.length - 1, begin = data.times[0], end = data.times[last], forward = end >= begin ? 1 : -1;
const INK = "#222222", GREY = "#777777";
// values at the time, linear between frames, and the number of the nearest frame
function values(t) {
  const at = (t - begin) / (end - begin) * last, i = Math.max(0, Math.min(last - 1, Math.floor(at))), part = Math.max(0, Math.min(1, at - i));
  return [data.frames[i].map((a, k) => a + part * (data.frames[i + 1][k] - a)), i + (at - i < 0.5 ? 0 : 1)];
}
const pick = (v, places) => places.map(k => v[k]);
const add = (p, s, d) => p.map((a, k) => a + s * d[k]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const l = Math.hypot(...a) || 1; return a.map(c => c / l); };
// two directions across an axis, right-handed with it: the first is level
function across(axis) {
  const n = unit(axis), level = Math.hypot(n[0], n[1]) < 1e-9 ? [1, 0, 0] : unit(cross([0, 0, 1], n));
  return [level, cross(n, level)];
}
// functions from points of a body to the world; null where the shape has no extent
const placed = {
  world: () => p => p,
  span(s, v) {
    const from = pick(v, s.kind === "arrow" ? s.at : s.from);
    const to = s.kind === "arrow" ? add(from, s.scale * (s.force === undefined ? 1 : v[s.force]), pick(v, s.along)) : pick(v, s.to);
    const d = add(to, -1, from), length = Math.hypot(...d), n = unit(d), [u, w] = across(d);
    if (length === 0) return null;
    const k = s.body.head ? Math.min(1, length / s.body.head) : 1;
    return p => add(add(add(add(from, k * p[0], u), k * p[1], w), p[2], d), k * (p[3] || 0), n);
  },
  axle(s, v) {
    const at = pick(v, s.at), n = unit(pick(v, s.axis)), spin = v[s.spin], [u, w] = across(n), c = Math.cos(spin), r = Math.sin(spin);
    const e = add(u.map(x => c * x), r, w), f = add(u.map(x => -r * x), c, w);
    return p => add(add(add(at, p[0], e), p[1], f), p[2], n);
  },
  frame(s, v) {
    const at = pick(v, s.at), e = unit(pick(v, s.along)), up = s.up ? pick(v, s.up) : [0, 0, 1];
    let g = add(up, -dot(up, e), e);
    if (dot(g, g) < 1e-18) g = across(e)[0];
    g = unit(g);
    const f = cross(g, e);
    return p => add(add(add(at, p[0], e), p[1], f), p[2], g);
  },
};
// x to the right, y away, z up at yaw 0; orthographic
function cameraOf(v, look, width, height) {
  const a = look.yaw * Math.PI / 180, b = look.pitch * Math.PI / 180, sa = Math.sin(a), ca = Math.cos(a), sb = Math.sin(b), cb = Math.cos(b);
  const c = data.follow ? add(data.centre, 1, pick(v, data.follow)) : data.centre, scale = 0.8 * look.zoom * Math.min(width / data.wide, height / data.high);
  const away = [-sa * cb, ca * cb, -sb];
  return {
    scale, away, right: [ca, sa, 0], up: [-sa * sb, ca * sb, cb], light: unit([-away[0], -away[1], -away[2] + 0.8]),
    project(p) {
      const x = p[0] - c[0], y = p[1] - c[1], z = p[2] - c[2], far = -x * sa + y * ca;
      return [width / 2 + scale * (x * ca + y * sa), height / 2 - scale * (far * sb + z * cb), far * cb - z * sb];
    },
  };
}
function lit(colour, b) {
  const channel = i => Math.floor(Math.min(255, parseInt(colour.slice(i, i + 2), 16) * (0.45 + 0.55 * b) + 50 * b * b) + 0.5).toString(16).padStart(2, "0");
  return "#" + channel(1) + channel(3) + channel(5);
}
function normal(points, face) {
  const n = [0, 0, 0];
  face.forEach((k, i) => {
    const p = points[k], q = points[face[(i + 1) % face.length]];
    n[0] += (p[1] - q[1]) * (p[2] + q[2]); n[1] += (p[2] - q[2]) * (p[0] + q[0]); n[2] += (p[0] - q[0]) * (p[1] + q[1]);
  });
  const l = Math.hypot(...n);
  return l > 0 ? n.map(x => x / l) : null;
}
const meanDepth = list => list.reduce((sum, q) => sum + q[2], 0) / list.length, flat = list => list.map(q => [q[0], q[1]]);
function addBody(out, s, v, camera) {
  const place = placed[s.place](s, v);
  if (!place) return;
  const world = s.body.points.map(place), screen = world.map(camera.project);
  for (const face of s.body.faces) {
    let n = normal(world, face);
    const facing = n ? -dot(n, camera.away) : 0;
    if (!n || (facing <= 0 && s.body.closed)) continue;
    if (facing < 0) n = n.map(x => -x);
    const corners = face.map(k => screen[k]), fill = lit(s.colour, Math.max(0, dot(n, camera.light)));
    out.push({ kind: "face", points: flat(corners), fill, edge: s.body.edges ? INK : fill, alpha: s.body.opacity || 1, depth: meanDepth(corners) });
  }
  for (const row of s.body.lines) {
    const list = row.at.map(k => screen[k]);
    out.push({ kind: "line", points: flat(list), colour: s.body.behind ? "#bbbbbb" : row.colour || s.colour, alpha: 1,
      width: Math.max(row.px, (row.wide || 0) * camera.scale), depth: s.body.behind ? 1e30 : meanDepth(list) - 1e-4 * data.size });
  }
  for (const k of s.body.dots || [])
    out.push({ kind: "ball", x: screen[k][0], y: screen[k][1], radius: 3, colour: INK, depth: screen[k][2] - 2e-4 * data.size });
}
// the trace up to now, farther than what leaves it
function addTrace(out, s, v, t, camera) {
  let chunk = [];
  const flush = () => {
    if (chunk.length > 1) out.push({ kind: "line", points: flat(chunk), colour: s.colour, width: 1.5, alpha: 0.8, depth: meanDepth(chunk) + 1e-3 * data.size });
    chunk = chunk.slice(-1);
  };
  for (const row of s.track) {
    if (row[0] * forward > t * forward) break;
    chunk.push(camera.project(row.slice(1)));
    if (chunk.length > 16) flush();
  }
  chunk.push(camera.project(pick(v, s.of))); flush();
}
function text(out, x, y, words, colour, align) { out.push({ kind: "text", x, y, text: words, colour, align: align || "left" }); }
function stroke(out, x1, y1, x2, y2, colour) { out.push({ kind: "line", points: [[x1, y1], [x2, y2]], colour, width: 2, alpha: 1 }); }
function addArrow(out, x, y, d, camera, name, colour, length) {
  const dx = length * dot(d, camera.right), dy = -length * dot(d, camera.up), l = Math.sqrt(dx * dx + dy * dy);
  stroke(out, x, y, x + dx, y + dy, colour);
  if (l < 6) return;
  const ex = dx / l, ey = dy / l;
  out.push({ kind: "face", fill: colour, edge: colour, alpha: 1, points: [[x + dx + 4 * ex, y + dy + 4 * ey],
    [x + dx - 4 * ex - 3 * ey, y + dy - 4 * ey + 3 * ex], [x + dx - 4 * ex + 3 * ey, y + dy - 4 * ey - 3 * ex]] });
  text(out, x + dx + 12 * ex, y + dy + 12 * ey + 4, name, colour, "center");
}
function addAxes(out, camera, height) {
  const x = 55, y = height - 45;
  [["x", "#cc3333"], ["y", "#338833"], ["z", "#3333cc"]].forEach(([name, colour], k) => {
    const e = [0, 0, 0]; e[k] = 1; addArrow(out, x, y, e, camera, name, colour, 32);
  });
  if (data.gravity) addArrow(out, x + 80, y - 16, data.gravity, camera, "g", "#444444", 32);
}
function addScale(out, camera, width, height) {
  const wanted = width / 5 / camera.scale, power = Math.pow(10, Math.floor(Math.log10(wanted)));
  const length = wanted >= 5 * power ? 5 * power : wanted >= 2 * power ? 2 * power : power, pixels = length * camera.scale, x = width - 25, y = height - 25;
  stroke(out, x - pixels, y, x, y, "#444444"); stroke(out, x - pixels, y - 4, x - pixels, y + 4, "#444444"); stroke(out, x, y - 4, x, y + 4, "#444444");
  text(out, x - pixels / 2, y - 8, String(+length.toPrecision(3)) + (data.unit ? " " + data.unit : ""), "#444444", "center");
}
// time and values of a frame, not between two: the numbers are those of the run
function addWords(out, frame) {
  const v = data.frames[frame], readable = x => String(+x.toPrecision(5));
  let y = 20;
  for (const words of data.parameters) { text(out, 12, y, words, GREY); y += 17; }
  text(out, 12, y, "t = " + readable(data.times[frame]), INK);
  for (const row of data.readouts) { y += 17; text(out, 12, y, row.label + " = " + readable(v[row.place]) + (row.unit ? " " + row.unit : ""), INK); }
}
function addLegend(out, width) {
  let y = 20;
  for (const s of data.shapes) if (s.label) {
    out.push({ kind: "ball", x: width - 18, y: y - 5, radius: 5, colour: s.colour }); text(out, width - 30, y, s.label, INK, "right"); y += 17;
  }
}
function paint(t, look, width, height) {
  const [v, frame] = values(t);
  const camera = cameraOf(v, look, width, height), out = [], grain = 1e-9 * data.size;
  for (const s of data.shapes)
    if (s.track) addTrace(out, s, v, t, camera);
    else if (s.kind === "ball") {
      const q = camera.project(pick(v, s.at));
      out.push({ kind: "ball", x: q[0], y: q[1], radius: Math.max(2, s.radius * camera.scale), colour: s.colour, shine: true, depth: q[2] - s.radius });
    } else addBody(out, s, v, camera);
  for (const item of out) if (item.depth < 1e29) item.depth = Math.floor(item.depth / grain + 0.5) * grain;
  out.sort((a, b) => b.depth - a.depth);
  addAxes(out, camera, height); addScale(out, camera, width, height); addWords(out, frame); addLegend(out, width);
  return out;
}
// ---- page
const canvas = document.getElementById("picture"), pen = canvas.getContext("2d"), slider = document.getElementById("time");
const clock = document.getElementById("clock"), play = document.getElementById("play"), speed = document.getElementById("speed");
let now = begin, playing = true, before = null, yaw = data.yaw, pitch = data.pitch, zoom = 1;
slider.min = Math.min(begin, end); slider.max = Math.max(begin, end);
for (const s of [0.1, 0.25, 0.5, 1, 2, 5, 10]) speed.add(new Option(s + " x", s * data.speed, s === 1, s === 1));
const brushes = {
  path(points) { pen.beginPath(); points.forEach((p, i) => { if (i) pen.lineTo(p[0], p[1]); else pen.moveTo(p[0], p[1]); }); },
  face(item) {
    brushes.path(item.points); pen.closePath(); pen.fillStyle = item.fill; pen.fill(); pen.strokeStyle = item.edge; pen.lineWidth = 0.7; pen.lineJoin = "round";
    pen.stroke();
  },
  line(item) { brushes.path(item.points); pen.strokeStyle = item.colour; pen.lineWidth = item.width; pen.lineJoin = pen.lineCap = "round"; pen.stroke(); },
  ball(item) {
    pen.fillStyle = item.colour;
    if (item.shine) {
      const r = item.radius, shade = pen.createRadialGradient(item.x - r / 3, item.y - r / 3, r / 8, item.x, item.y, r);
      shade.addColorStop(0, "#fff"); shade.addColorStop(0.35, item.colour); shade.addColorStop(1, item.colour); pen.fillStyle = shade;
    }
    pen.beginPath(); pen.arc(item.x, item.y, item.radius, 0, 7); pen.fill();
  },
  text(item) { pen.fillStyle = item.colour; pen.font = "13px sans-serif"; pen.textAlign = item.align; pen.fillText(item.text, item.x, item.y); },
};
function draw() {
  const ratio = devicePixelRatio, wide = canvas.clientWidth, high = canvas.clientHeight;
  if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high * ratio)) { canvas.width = wide * ratio; canvas.height = high * ratio; }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.clearRect(0, 0, wide, high);
  for (const item of paint(now, { yaw, pitch, zoom }, wide, high)) {
    pen.globalAlpha = item.alpha === undefined ? 1 : item.alpha; brushes[item.kind](item);
  }
  pen.globalAlpha = 1; slider.value = now; clock.value = "t = " + now.toFixed(2);
}
function frame(stamp) {
  if (playing && before !== null) {
    now += forward * (stamp - before) / 1000 * speed.value;
    if ((end - now) * forward <= 0) now = begin;
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
if (live) attachSliders();
// a picture of one moment: page.html#t=3.5
const moment = /#t=(-?[0-9.eE+-]+)/.exec(location.hash);
if (moment) {
  now = Math.max(Math.min(+moment[1], Math.max(begin, end)), Math.min(begin, end)); playing = false; play.textContent = "play";
}
requestAnimationFrame(frame);
</script></body></html>
]==]
