-- bodies.lua: the surfaces and lines of shapes in axes of their own. Points are { x, y, z }; a body between two places has z from 0 to 1 along
-- the way, and a fourth number is a length in that direction. Faces and lines count points from 0; the corners of a face of a closed body turn
-- counterclockwise seen from outside. Widths of lines are in pixels (`px`) or lengths (`wide`).
local bodies = {}

local AROUND = 32                      -- corners of a circle

local function body() return { points = {}, faces = {}, lines = {} } end

local function add(b, ...)
  b.points[#b.points + 1] = { ... }
  return #b.points - 1
end

local function ring(b, radius, z, dz)
  local list = {}
  for k = 0, AROUND - 1 do
    local a = 2*math.pi*k/AROUND
    list[k + 1] = add(b, radius*math.cos(a), radius*math.sin(a), z, dz)
  end
  return list
end

local function reversed(list)
  local out = {}
  for k = #list, 1, -1 do out[#out + 1] = list[k] end
  return out
end

-- Quadrilaterals between two rings; outside is to the right of the way from the first to the second
local function band(b, low, high)
  for k = 1, #low do
    local next = k % #low + 1
    b.faces[#b.faces + 1] = { low[k], low[next], high[next], high[k] }
  end
end

local function closed(list)
  local out = table.move(list, 1, #list, 1, {})
  out[#out + 1] = list[1]
  return out
end

function bodies.box(s)
  local b = body()
  for k = 0, 7 do add(b, s.length/2*(k & 1 ~= 0 and 1 or -1), s.width/2*(k & 2 ~= 0 and 1 or -1), s.height/2*(k & 4 ~= 0 and 1 or -1)) end
  b.faces = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 }, { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } }
  b.closed, b.edges = true, true
  return b
end

function bodies.cylinder(s)
  local b = body()
  local low, high = ring(b, s.radius, 0), ring(b, s.radius, 1)
  band(b, low, high)
  b.faces[#b.faces + 1], b.faces[#b.faces + 2] = reversed(low), high
  b.closed = true
  return b
end

function bodies.cone(s)
  local b = body()
  local low = ring(b, s.radius, 0)
  local tip = add(b, 0, 0, 1)
  for k = 1, #low do b.faces[#b.faces + 1] = { low[k], low[k % #low + 1], tip } end
  b.faces[#b.faces + 1] = reversed(low)
  b.closed = true
  return b
end

-- A line in pieces of n chords, each of which is nearer or farther than other things by itself
local function add_pieces(b, list, n, px, wide, colour)
  for first = 1, #list - 1, n do
    b.lines[#b.lines + 1] = { at = table.move(list, first, math.min(first + n, #list), 1, {}), px = px, wide = wide, colour = colour }
  end
end

-- Three circles that show how a round body turns, a little outside its facets
local function add_marks(b, s)
  local outside, circles = 1.01, { { s.a, s.b, 0 }, { 0, s.b, s.c }, { s.a, 0, s.c } }
  for i, c in ipairs(circles) do
    local list = {}
    for k = 0, AROUND do
      local x, y = outside*math.cos(2*math.pi*k/AROUND), outside*math.sin(2*math.pi*k/AROUND)
      list[k + 1] = i == 1 and add(b, c[1]*x, c[2]*y, 0) or i == 2 and add(b, 0, c[2]*x, c[3]*y) or add(b, c[1]*x, 0, c[3]*y)
    end
    add_pieces(b, list, 1, 1.2, nil, "#222222")
  end
end

function bodies.ellipsoid(s)
  local b, rows, rings = body(), 12, {}
  for i = 0, rows do
    local latitude, list = math.pi*(i/rows - 0.5), {}
    for k = 0, AROUND - 1 do
      local a = 2*math.pi*k/AROUND
      list[k + 1] = add(b, s.a*math.cos(latitude)*math.cos(a), s.b*math.cos(latitude)*math.sin(a), s.c*math.sin(latitude))
    end
    rings[i] = list
  end
  for i = 1, rows do band(b, rings[i - 1], rings[i]) end
  add_marks(b, s)
  b.closed = true
  return b
end

local SPOKES = 6

function bodies.wheel(s)
  local b, half, inner = body(), s.width/2, 0.84*s.radius
  local low, high, low_inner, high_inner = ring(b, s.radius, -half), ring(b, s.radius, half), ring(b, inner, -half), ring(b, inner, half)
  band(b, low, high)
  band(b, high, high_inner)
  band(b, high_inner, low_inner)
  band(b, low_inner, low)
  b.closed = true
  local hub = add(b, 0, 0, 0)
  for k = 0, SPOKES - 1 do
    local a = 2*math.pi*k/SPOKES
    b.lines[k + 1] = { at = { hub, add(b, inner*math.cos(a), inner*math.sin(a), 0) }, px = k == 0 and 4 or 2.5 }
  end
  return b
end

function bodies.disc(s)
  local b = body()
  local rim = ring(b, s.radius, 0)
  b.faces, b.opacity = { rim }, 0.25
  b.lines[1] = { at = closed(rim), px = 2 }
  local hub = add(b, 0, 0, 0)
  for k = 0, 3 do b.lines[k + 2] = { at = { hub, rim[k*AROUND//4 + 1] }, px = k == 0 and 3 or 1 } end
  return b
end

local PIECES = 12                      -- of a straight line between two points

function bodies.bar(s)
  local b, list = body(), {}
  for k = 0, PIECES do list[k + 1] = add(b, 0, 0, k/PIECES) end
  add_pieces(b, list, 1, 2, s.width)
  return b
end

function bodies.blade(s)
  local b = body()
  b.lines[1] = { at = { add(b, -s.length/2, 0, 0), add(b, s.length/2, 0, 0) }, px = 5 }
  b.dots = { add(b, 0, 0, 0) }
  return b
end

local PER_TURN = 16

function bodies.spring(s)
  local b, list, turns = body(), {}, math.max(1, math.floor(s.turns))
  list[1] = add(b, 0, 0, 0)
  for k = 0, PER_TURN*turns do
    local a = 2*math.pi*k/PER_TURN
    list[#list + 1] = add(b, s.radius*math.cos(a), s.radius*math.sin(a), 0.1 + 0.8*k/(PER_TURN*turns))
  end
  list[#list + 1] = add(b, 0, 0, 1)
  add_pieces(b, list, PER_TURN//2, 1.5)
  return b
end

--- An arrow whose head is as long as `head`.
function bodies.arrow(_, head)
  local b = body()
  local neck = ring(b, head/3, 1, -head)
  local tip = add(b, 0, 0, 1)
  for k = 1, #neck do b.faces[#b.faces + 1] = { neck[k], neck[k % #neck + 1], tip } end
  b.faces[#b.faces + 1] = reversed(neck)
  local shaft = {}
  for k = 0, PIECES do shaft[k + 1] = add(b, 0, 0, k/PIECES, -head*k/PIECES) end
  add_pieces(b, shaft, 1, 3)
  b.closed, b.head = true, head
  return b
end

local MOST_LINES = 40

--- A grid: points are places of the world. u and w: its directions.
function bodies.plane(s, half, u, w)
  local b, step = body(), 10.0^math.floor(math.log(half/2, 10))
  local n = math.min(MOST_LINES, math.floor(half/step + 0.5))
  local function place(i, j)
    local p = {}
    for k = 1, 3 do p[k] = s.at[k] + i*step*u[k] + j*step*w[k] end
    return add(b, table.unpack(p))
  end
  for i = -n, n do
    b.lines[#b.lines + 1] = { at = { place(i, -n), place(i, n) }, px = 1 }
    b.lines[#b.lines + 1] = { at = { place(-n, i), place(n, i) }, px = 1 }
  end
  b.behind = true
  return b
end

local GRAPH = 24                       -- steps of a graph in each direction

--- A graph z = height(x, y) as a grid in the axes of its frame, where it is finite.
function bodies.graph(height, half)
  local b, places = body(), {}
  local function line(i, j, di, dj)
    local run = {}
    for k = 0, GRAPH do
      local place = places[i + k*di][j + k*dj]
      if place then run[#run + 1] = place end
      if #run > 1 and (not place or k == GRAPH) then b.lines[#b.lines + 1] = { at = run, px = 1 } end
      if not place then run = {} end
    end
  end
  for i = 0, GRAPH do
    places[i] = {}
    for j = 0, GRAPH do
      local x, y = half*(2*i/GRAPH - 1), half*(2*j/GRAPH - 1)
      local z = height(x, y)
      places[i][j] = z - z == 0 and add(b, x, y, z) or false
    end
  end
  for i = 0, GRAPH do
    line(i, 0, 0, 1)
    line(0, i, 1, 0)
  end
  b.behind = true
  return b
end

local RINGS = 12                       -- circles of a hollow sphere or tube

local function circle(b, radius, z)
  local list = {}
  for k = 0, AROUND do list[k + 1] = add(b, radius*math.cos(2*math.pi*k/AROUND), radius*math.sin(2*math.pi*k/AROUND), z) end
  b.lines[#b.lines + 1] = { at = list, px = 1 }
end

--- A sphere as a net of circles.
function bodies.globe(s)
  local b = body()
  for i = 1, RINGS - 1 do circle(b, s.radius*math.sin(math.pi*i/RINGS), s.radius*math.cos(math.pi*i/RINGS)) end
  for k = 0, RINGS - 1 do
    local list, a = {}, math.pi*k/RINGS
    for j = 0, AROUND do
      local x, z = s.radius*math.cos(2*math.pi*j/AROUND), s.radius*math.sin(2*math.pi*j/AROUND)
      list[j + 1] = add(b, x*math.cos(a), x*math.sin(a), z)
    end
    b.lines[#b.lines + 1] = { at = list, px = 1 }
  end
  b.behind = true
  return b
end

--- A cylinder about the third axis as a net, `half` of its length up and down.
function bodies.tube(s, half)
  local b = body()
  for i = 0, RINGS do circle(b, s.radius, half*(2*i/RINGS - 1)) end
  for k = 0, AROUND - 1, 2 do
    local x, y = s.radius*math.cos(2*math.pi*k/AROUND), s.radius*math.sin(2*math.pi*k/AROUND)
    b.lines[#b.lines + 1] = { at = { add(b, x, y, -half), add(b, x, y, half) }, px = 1 }
  end
  b.behind = true
  return b
end

function bodies.mesh(s)
  local b = body()
  for i, p in ipairs(s.surface.points) do b.points[i] = { p[1]*s.scale, p[2]*s.scale, p[3]*s.scale } end
  b.faces = s.surface.faces
  return b
end

return bodies
