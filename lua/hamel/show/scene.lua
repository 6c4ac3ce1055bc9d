-- scene.lua: one instant of a motion as things to paint, the farthest first: faces, lines, balls, texts in pixels. lua/hamel/show/viewer.lua holds the
-- same in JavaScript for pages; a test compares the two.
local shapes = require "hamel.show.shapes"

local scene = {}

local CHUNK = 16                       -- chords of a trace that are sorted together
local FILL = 0.8                       -- of the picture
local INK, GREY = "#222222", "#777777"

local function channels(colour) return tonumber(colour:sub(2, 3), 16), tonumber(colour:sub(4, 5), 16), tonumber(colour:sub(6, 7), 16) end

-- A colour in the light of b from 0 to 1
local function lit(colour, b)
  local function channel(c) return math.floor(math.min(255, c*(0.45 + 0.55*b) + 50*b*b) + 0.5) end
  local r, g, bl = channels(colour)
  return ("#%02x%02x%02x"):format(channel(r), channel(g), channel(bl))
end

-- The camera: x to the right, y away, z up at yaw 0; orthographic
local function camera_of(data, v, look, width, height)
  local a, b = math.rad(look.yaw), math.rad(look.pitch)
  local centre = data.follow and shapes.pick(v, data.follow) or { 0, 0, 0 }
  local c = { data.centre[1] + centre[1], data.centre[2] + centre[2], data.centre[3] + centre[3] }
  local scale = FILL*(look.zoom or 1)*math.min(width/data.wide, height/data.high)
  local sa, ca, sb, cb = math.sin(a), math.cos(a), math.sin(b), math.cos(b)
  local camera = { scale = scale, away = { -sa*cb, ca*cb, -sb }, right = { ca, sa, 0 }, up = { -sa*sb, ca*sb, cb } }
  function camera.project(p)
    local x, y, z = p[1] - c[1], p[2] - c[2], p[3] - c[3]
    local away = -x*sa + y*ca
    return { width/2 + scale*(x*ca + y*sa), height/2 - scale*(away*sb + z*cb), away*cb - z*sb }
  end
  -- between the eye and straight above
  local l = { -camera.away[1], -camera.away[2], -camera.away[3] + 0.8 }
  local n = math.sqrt(l[1]^2 + l[2]^2 + l[3]^2)
  camera.light = { l[1]/n, l[2]/n, l[3]/n }
  return camera
end

-- Newell's normal of a polygon
local function normal(points, face)
  local n = { 0, 0, 0 }
  for i = 1, #face do
    local p, q = points[face[i] + 1], points[face[i % #face + 1] + 1]
    n[1], n[2], n[3] = n[1] + (p[2] - q[2])*(p[3] + q[3]), n[2] + (p[3] - q[3])*(p[1] + q[1]), n[3] + (p[1] - q[1])*(p[2] + q[2])
  end
  local l = math.sqrt(n[1]^2 + n[2]^2 + n[3]^2)
  return l > 0 and { n[1]/l, n[2]/l, n[3]/l } or nil
end

local function dot(a, b) return a[1]*b[1] + a[2]*b[2] + a[3]*b[3] end

local function mean_depth(list)
  local sum = 0
  for _, q in ipairs(list) do sum = sum + q[3] end
  return sum/#list
end

local function flat(list)
  local out = {}
  for i, q in ipairs(list) do out[i] = { q[1], q[2] } end
  return out
end

local function add_faces(out, s, world, screen, camera)
  for _, face in ipairs(s.body.faces) do
    local n = normal(world, face)
    local facing = n and -dot(n, camera.away) or 0
    if n and (facing > 0 or not s.body.closed) then
      if facing < 0 then n = { -n[1], -n[2], -n[3] } end
      local corners = {}
      for i, k in ipairs(face) do corners[i] = screen[k + 1] end
      local fill = lit(s.colour, math.max(0, dot(n, camera.light)))
      out[#out + 1] = { kind = "face", points = flat(corners), fill = fill, edge = s.body.edges and INK or fill, alpha = s.body.opacity or 1,
                        depth = mean_depth(corners) }
    end
  end
end

local function add_lines(out, s, screen, camera, size)
  for _, row in ipairs(s.body.lines) do
    local list = {}
    for i, k in ipairs(row.at) do list[i] = screen[k + 1] end
    out[#out + 1] = { kind = "line", points = flat(list), colour = s.body.behind and "#bbbbbb" or row.colour or s.colour,
                      width = math.max(row.px, (row.wide or 0)*camera.scale), alpha = 1, depth = s.body.behind and 1e30 or mean_depth(list) - 1e-4*size }
  end
end

local function add_body(out, s, v, camera, size)
  local place = shapes.placed(s, v)
  if not place then return end
  local world, screen = {}, {}
  for i, p in ipairs(s.body.points) do
    world[i] = place(p)
    screen[i] = camera.project(world[i])
  end
  add_faces(out, s, world, screen, camera)
  add_lines(out, s, screen, camera, size)
  for _, k in ipairs(s.body.dots or {}) do
    local q = screen[k + 1]
    out[#out + 1] = { kind = "ball", x = q[1], y = q[2], radius = 3, colour = INK, depth = q[3] - 2e-4*size }
  end
end

-- The trace up to now, farther than what leaves it
local function add_trace(out, s, v, t, forward, camera, size)
  local chunk = {}
  local function flush()
    if #chunk > 1 then
      out[#out + 1] = { kind = "line", points = flat(chunk), colour = s.colour, width = 1.5, alpha = 0.8, depth = mean_depth(chunk) + 1e-3*size }
    end
    chunk = { chunk[#chunk] }
  end
  for _, row in ipairs(s.track) do
    if row[1]*forward > t*forward then break end
    chunk[#chunk + 1] = camera.project{ row[2], row[3], row[4] }
    if #chunk > CHUNK then flush() end
  end
  chunk[#chunk + 1] = camera.project(shapes.pick(v, s.of))
  flush()
end

local function sorted(out, size)
  local grain = 1e-9*size
  for i, item in ipairs(out) do
    item.order = i
    if item.depth < 1e29 then item.depth = math.floor(item.depth/grain + 0.5)*grain end
  end
  table.sort(out, function(a, b)
    if a.depth ~= b.depth then return a.depth > b.depth end
    return a.order < b.order
  end)
  return out
end

-- ---- axes, scale, read-outs

local function text(out, x, y, words, colour, align)
  out[#out + 1] = { kind = "text", x = x, y = y, text = words, colour = colour, align = align or "left" }
end

local function stroke(out, x1, y1, x2, y2, colour)
  out[#out + 1] = { kind = "line", points = { { x1, y1 }, { x2, y2 } }, colour = colour, width = 2, alpha = 1 }
end

local function add_arrow(out, x, y, d, camera, name, colour, length)
  local dx, dy = length*dot(d, camera.right), -length*dot(d, camera.up)
  stroke(out, x, y, x + dx, y + dy, colour)
  local l = math.sqrt(dx*dx + dy*dy)
  if l < 6 then return end
  local ex, ey = dx/l, dy/l
  out[#out + 1] = { kind = "face", fill = colour, edge = colour, alpha = 1,
                    points = { { x + dx + 4*ex, y + dy + 4*ey }, { x + dx - 4*ex - 3*ey, y + dy - 4*ey + 3*ex },
                               { x + dx - 4*ex + 3*ey, y + dy - 4*ey - 3*ex } } }
  text(out, x + dx + 12*ex, y + dy + 12*ey + 4, name, colour, "center")
end

local function add_axes(out, data, camera, height)
  local x, y = 55, height - 45
  for k, row in ipairs{ { "x", "#cc3333" }, { "y", "#338833" }, { "z", "#3333cc" } } do
    local e = { 0, 0, 0 }
    e[k] = 1
    add_arrow(out, x, y, e, camera, row[1], row[2], 32)
  end
  if data.gravity then add_arrow(out, x + 80, y - 16, data.gravity, camera, "g", "#444444", 32) end
end

-- 1, 2 or 5 times a power of ten, about a fifth of the picture
local function add_scale(out, data, camera, width, height)
  local wanted = width/5/camera.scale
  local power = 10.0^math.floor(math.log(wanted, 10))
  local length = wanted >= 5*power and 5*power or wanted >= 2*power and 2*power or power
  local pixels, x, y = length*camera.scale, width - 25, height - 25
  stroke(out, x - pixels, y, x, y, "#444444")
  stroke(out, x - pixels, y - 4, x - pixels, y + 4, "#444444")
  stroke(out, x, y - 4, x, y + 4, "#444444")
  text(out, x - pixels/2, y - 8, ("%g"):format(length) .. (data.unit ~= "" and " " .. data.unit or ""), "#444444", "center")
end

-- Digits as JavaScript's toPrecision(5) without the zeros at the end
local function readable(x) return ("%.5g"):format(x):gsub("e([+-])0*", "e%1") end

-- Time and values of a frame, not between two: the numbers are those of the run
local function add_words(out, data, frame)
  local v, t = data.frames[frame], data.times[frame]
  local y = 20
  for _, words in ipairs(data.parameters) do
    text(out, 12, y, words, GREY)
    y = y + 17
  end
  text(out, 12, y, "t = " .. readable(t), INK)
  for _, row in ipairs(data.readouts) do
    y = y + 17
    text(out, 12, y, ("%s = %s%s"):format(row.label, readable(v[row.place + 1]), row.unit ~= "" and " " .. row.unit or ""), INK)
  end
end

local function add_legend(out, data, width)
  local y = 20
  for _, s in ipairs(data.shapes) do
    if s.label then
      out[#out + 1] = { kind = "ball", x = width - 18, y = y - 5, radius = 5, colour = s.colour }
      text(out, width - 30, y, s.label, INK, "right")
      y = y + 17
    end
  end
end

--- Values at a time, linear between frames, and the number of the nearest frame.
function scene.values(data, t)
  local last = #data.times - 1
  local at = (t - data.times[1])/(data.times[last + 1] - data.times[1])*last
  local i = math.max(0, math.min(last - 1, math.floor(at)))
  local part, v = math.max(0, math.min(1, at - i)), {}
  for k, a in ipairs(data.frames[i + 1]) do v[k] = a + part*(data.frames[i + 2][k] - a) end
  return v, i + (at - i < 0.5 and 1 or 2)
end

--- What is painted at the time t, in the order of painting; look: { yaw =, pitch =, zoom = }.
function scene.paint(data, t, look, width, height)
  local v, frame = scene.values(data, t)
  local camera, out = camera_of(data, v, look, width, height), {}
  local forward = data.times[#data.times] >= data.times[1] and 1 or -1
  for _, s in ipairs(data.shapes) do
    if s.track then add_trace(out, s, v, t, forward, camera, data.size)
    elseif s.kind == "ball" then
      local q = camera.project(shapes.pick(v, s.at))
      out[#out + 1] = { kind = "ball", x = q[1], y = q[2], radius = math.max(2, s.radius*camera.scale), colour = s.colour, shine = true,
                        depth = q[3] - s.radius }
    else add_body(out, s, v, camera, data.size) end
  end
  sorted(out, data.size)
  add_axes(out, data, camera, height)
  add_scale(out, data, camera, width, height)
  add_words(out, data, frame)
  add_legend(out, data, width)
  return out
end

return scene
