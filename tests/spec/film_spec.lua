-- animations and films: bodies of the shapes, what is painted, the page and the film alike, STL files, films by gnuplot and ffmpeg
local hm, check = require "hamel", require "check"
local bodies = require "hamel.show.bodies"
local core = require "hamel.core"
local motion = require "hamel.show.motion"
local scene = require "hamel.show.scene"
local shapes = require "hamel.show.shapes"
local stl = require "hamel.show.stl"
local near = check.near

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))

local function write(path, bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
  return path
end

local function content(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "a"
  file:close()
  return bytes
end

local function has(program, argument) return core.host.spawn({ program, argument }, "", 20) == 0 end

-- ---- bodies

local function cross(a, b) return { a[2]*b[3] - a[3]*b[2], a[3]*b[1] - a[1]*b[3], a[1]*b[2] - a[2]*b[1] } end

-- By the divergence theorem: positive only where faces turn counterclockwise seen from outside
local function volume(b)
  local sum = 0
  for _, face in ipairs(b.faces) do
    local p = b.points[face[1] + 1]
    for i = 2, #face - 1 do
      local q, r = b.points[face[i] + 1], b.points[face[i + 1] + 1]
      local n = cross(q, r)
      sum = sum + (p[1]*n[1] + p[2]*n[2] + p[3]*n[3])/6
    end
  end
  return sum
end

-- Every edge belongs to two faces, which pass it in opposite directions
local function open_edges(b)
  local seen, open = {}, 0
  for _, face in ipairs(b.faces) do
    for i = 1, #face do
      local p, q = face[i], face[i % #face + 1]
      seen[p .. " " .. q] = (seen[p .. " " .. q] or 0) + 1
    end
  end
  for edge, count in pairs(seen) do
    local p, q = edge:match "(%d+) (%d+)"
    if count ~= 1 or seen[q .. " " .. p] ~= 1 then open = open + 1 end
  end
  return open
end

describe("bodies", function()
  it("are closed, with their faces outwards and the volume of geometry", function()
    local around = 32
    local polygon = around/2*math.sin(2*math.pi/around)                     -- area of the polygon for a circle of radius 1
    local rows = {
      { bodies.box{ length = 2, width = 3, height = 4 }, 24 }, { bodies.cylinder{ radius = 2 }, 4*polygon }, { bodies.cone{ radius = 2 }, 4*polygon/3 },
      { bodies.wheel{ radius = 1, width = 0.5 }, 0.5*polygon*(1 - 0.84^2) },
    }
    for _, row in ipairs(rows) do
      assert.are.equal(0, open_edges(row[1]))
      near(volume(row[1]), row[2], 1e-12)
    end
    local e = volume(bodies.ellipsoid{ a = 1, b = 2, c = 3 })
    assert(e < 8*math.pi and e > 0.96*8*math.pi)
    assert(volume(bodies.arrow({}, 0.3)) ~= 0)
  end)

  it("are placed without a change of lengths and orientation", function()
    local draw = check.generator(5)
    local entry = { at = { 0, 1, 2 }, along = { 3, 4, 5 }, up = { 6, 7, 8 }, axis = { 3, 4, 5 }, spin = 9 }
    for _ = 1, 20 do
      local v = {}
      for k = 1, 10 do v[k] = draw(-2, 2) end
      for _, kind in ipairs{ "frame", "axle" } do
        entry.place = kind
        local place, e = shapes.placed(entry, v), {}
        local o = place{ 0, 0, 0 }
        for k = 1, 3 do
          local p = place{ k == 1 and 1 or 0, k == 2 and 1 or 0, k == 3 and 1 or 0 }
          e[k] = { p[1] - o[1], p[2] - o[2], p[3] - o[3] }
          near(e[k][1]^2 + e[k][2]^2 + e[k][3]^2, 1, 1e-12)
          near(o[k], v[k], 1e-12)
        end
        local n = cross(e[1], e[2])
        for k = 1, 3 do near(n[k], e[3][k], 1e-12) end
      end
    end
  end)
end)

-- ---- STL

local corners = { { 0, 0, 0, 0, 1, 0, 1, 0, 0 }, { 0, 0, 0, 1, 0, 0, 0, 0, 1 }, { 0, 0, 0, 0, 0, 1, 0, 1, 0 }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 } }

local function stl_text()
  local out = { "solid tetrahedron" }
  for _, p in ipairs(corners) do
    out[#out + 1] = "facet normal 0 0 0\nouter loop"
    for k = 1, 9, 3 do out[#out + 1] = ("vertex %g %g %g"):format(p[k], p[k + 1], p[k + 2]) end
    out[#out + 1] = "endloop\nendfacet"
  end
  return table.concat(out, "\n") .. "\nendsolid\n"
end

-- The head begins with "solid", as some programs write it
local function stl_binary()
  local out = { ("solid"):rep(16), string.pack("<I4", #corners) }
  for _, p in ipairs(corners) do out[#out + 1] = string.pack("<ffffffffffffI2", 0, 0, 0, p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], 0) end
  return table.concat(out)
end

describe("STL", function()
  it("is read as text and as binary", function()
    for _, bytes in ipairs{ stl_text(), stl_binary() } do
      local mesh = stl.read(write(folder .. "/t.stl", bytes))
      assert.are.equal(4, #mesh.points)
      assert.are.equal(4, #mesh.faces)
      near(volume(mesh), 1/6, 1e-12)
    end
  end)

  it("that is none gets one sentence", function()
    local function refused(bytes, ...) check.raises({ ... }, stl.read, write(folder .. "/bad.stl", bytes)) end
    check.raises({ "cannot read", "none.stl" }, stl.read, folder .. "/none.stl")
    refused("hello", "no STL file")
    refused("", "no STL file")
    refused("solid a\nendsolid a\n", "holds no triangle")
    refused(stl_text():sub(1, -60), "cut short", "endsolid")
    refused((stl_text():gsub("vertex 0 0 1\n(.-endsolid)", "%1")), "ends within triangle")
    refused(stl_text():gsub("vertex 1", "vertex x", 1), "triangle 1", "no number")
    refused(stl_binary():sub(1, -2), "cut short")
    refused((stl_binary():gsub("solid", "SOLID")):sub(1, -2), "no STL file")
  end)
end)

-- ---- what is painted

local function cart()
  local S = hm.system "cart and bob"
  local x, th = S:coordinates("x", { unit = "m" }), S:coordinates("theta", { unit = "rad" })
  local m, g, l = S:positive "m=1 kg, g=9.81 m/s^2, l=1 m"
  S:kinetic_energy(m*x.dot^2 + m/2*l^2*th.dot^2 + m*l*hm.cos(th)*x.dot*th.dot)
  S:potential_energy(-m*g*l*hm.cos(th))
  local run = S:simulate{ q = { x = 0, theta = 1 }, v = { x = 0.3, theta = 0 }, t = 3 }
  local s, c = hm.sin(th), hm.cos(th)
  write(folder .. "/part.stl", stl_text())
  return run, {
    { "plane", at = { 0, 0, -1.5 } }, { "box", at = { x, 0, 0 }, length = 0.6, label = "cart" }, { "bar", from = { x, 0, 0 }, to = { x + l*s, 0, -l*c } },
    { "ball", at = { x + l*s, 0, -l*c }, label = "bob" }, { "trace", of = { x + l*s, 0, -l*c } },
    { "wheel", at = { x, -0.2, -0.2 }, axis = { 0, -1, 0 }, spin = -x },
    { "spring", from = { -1.5, 0, 0 }, to = { x, 0, 0 } }, { "arrow", at = { x, 0, 0 }, along = { 1, 0, 0 }, force = x.ddot, label = "acceleration" },
    { "cylinder", from = { -1.5, 0, -1 }, to = { -1.5, 0, 0 } }, { "cone", from = { -1.5, 0, 0 }, to = { -1.5, 0, 0.3 } },
    { "blade", at = { x, 1 }, along = { c, s } },
    { "ellipsoid", at = { 1, 1, 0 }, along = { c, s, 0 } }, { "mesh", at = { 1, -1, 0 }, file = folder .. "/part.stl" },
    { "disc", at = { 0, 1, 0 }, axis = { 0, 1, 0 }, spin = th },
  }, x, th
end

local function read(run, list, given, n)
  local o = { speed = 1, parameters = true }
  for key, value in pairs(given or {}) do o[key] = value end
  return motion.read(run, list, o, n or 31)
end

describe("a scene", function()
  it("shows time, parameters, energy, legend, axes, gravity and scale", function()
    local run, list = cart()
    local data = read(run, list, { gravity = { 0, 0, -2 }, show = { "energy", "theta'" } })
    local words = {}
    for _, item in ipairs(scene.paint(data, 1.5, { yaw = data.yaw, pitch = data.pitch }, 640, 480)) do
      if item.kind == "text" then words[item.text] = item end
    end
    local state = run:at(1.5)
    for _, text in ipairs{ "m = 1 kg", "g = 9.81 m/s²", "l = 1 m", "t = 1.5", ("energy = %.5g J"):format(state.energy),
      ("θ\u{307} = %.5g rad/s"):format(state.v.theta), "cart", "bob", "acceleration", "x", "y", "z", "g", "1 m" } do
      assert.truthy(words[text], text)
    end
    assert(words.g.y > words.z.y)                                           -- gravity points down, z up
  end)

  it("keeps numbers of frames, not numbers between them", function()
    local run, list = cart()
    local data = read(run, list, { show = { "theta'" } }, 4)
    local found
    for _, item in ipairs(scene.paint(data, 1.4, { yaw = 0, pitch = 0 }, 640, 480)) do
      if item.kind == "text" and item.text:find("θ", 1, true) then found = item.text end
    end
    assert.are.equal(("θ\u{307} = %.5g rad/s"):format(run:at(1).v.theta), found)
  end)

  it("follows a point", function()
    local run, list, x = cart()
    local data = read(run, list, { follow = { x, 0, 0 } })
    local function ball_of(t)
      for _, item in ipairs(scene.paint(data, t, { yaw = 0, pitch = 0 }, 640, 480)) do
        if item.shine then return item.x, item.y, item.radius end
      end
    end
    -- the cart, whose faces alone have edges, is in the middle
    local left, right = math.huge, -math.huge
    for _, item in ipairs(scene.paint(data, 2, { yaw = 0, pitch = 0 }, 640, 480)) do
      if item.edge == "#222222" then for _, p in ipairs(item.points) do left, right = math.min(left, p[1]), math.max(right, p[1]) end end
    end
    near((left + right)/2, 320, 1e-9)
    -- the bob is l sin theta to the right of the cart, at the scale of its radius of 0.1
    local x1, _, radius = ball_of(1)
    local x2 = ball_of(2)
    near(x2 - x1, (math.sin(run:at(2).theta) - math.sin(run:at(1).theta))*radius/0.1, 1e-6)
  end)

  it("has traces that bend less than they show", function()
    local run, list = cart()
    local data = read(run, list, {}, 8)
    local track, worst = data.shapes[5].track, 0
    for i = 2, #track do
      local t = (track[i][1] + track[i - 1][1])/2
      local s = run:at(t)
      worst = math.max(worst, math.abs(s.x + math.sin(s.theta) - (track[i][2] + track[i - 1][2])/2))
    end
    assert(worst < data.size/1000, worst)
  end)

  it("scales arrows of forces to a quarter of the picture", function()
    local run, list = cart()
    local data, most = read(run, list), 0
    local arrow = data.shapes[8]
    for _, v in ipairs(data.frames) do most = math.max(most, math.abs(v[arrow.force + 1])*arrow.scale) end
    near(most, data.size/4, 1e-9)
  end)

  it("shows a reaction by its name", function()
    local S, x, y, theta = check.sleigh(hm)
    local run = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 2 }
    local data = read(run, { { "arrow", at = { x, y }, along = { hm.sin(theta), -hm.cos(theta) }, force = "lambda.blade", scale = 2 } })
    local arrow = data.shapes[1]
    near(data.frames[16][arrow.force + 1], run:at(data.times[16]).lambda.blade, 1e-9)
    local place = shapes.placed(arrow, data.frames[16])
    local s = run:at(data.times[16])
    near(place({ 0, 0, 1 })[1], s.x + 2*s.lambda.blade*math.sin(s.theta), 1e-9)
  end)

  it("answers mistakes", function()
    local run, list, x = cart()
    local function refused(list_of_shapes, given, ...) check.raises({ ... }, run.animate, run, folder .. "/a.html", list_of_shapes, given) end
    refused({ { "boxx", at = { x, 0 } } }, nil, "'boxx'", "did you mean 'box'")
    refused({ { "mesh", at = { x, 0 } } }, nil, "shape 1 (mesh)", "name of a file")
    refused({ { "ball", at = { x, hm.log(x - 100) } } }, nil, "shape 1 (ball): at", "no value at t = 0")
    refused({ { "arrow", at = { x, 0 }, along = { 1, 0 }, force = "lambda.blede" } }, nil, "'blede'")
    refused({ { "box", at = { x, 0 }, length = 1/0 } }, nil, "length is", "finite")
    refused(list, { follow = { x } }, "follow", "two or three")
    refused(list, { gravity = { 0, 0, 0 } }, "gravity", "not zero")
    refused(list, { show = { "thata" } }, "'thata'", "theta")
    refused({ { "ball", at = { x, 0 }, label = 3 } }, nil, "label is a text")
    refused({ { "spring", from = { 0, 0 }, to = { x, 0 }, turns = 1e7 } }, nil, "turns is", "200 are the most")
    refused({ { "wheel", at = { x, 0 }, axis = { 0, 0, 0 } } }, nil, "shape 1 (wheel): axis is zero at t = 0")
    refused({ { "plane", normal = { 0, 0, 0 } } }, nil, "normal is zero")
    refused({ { "trace" } }, nil, "of is missing, a list of two or three expressions: of = {x, y}")
    refused({ { "plane", normal = { 1 } } }, nil, "normal is a list of two or three")
    refused(list, { view = { 1/0, 0 } }, "view is two angles")
    refused(list, { view = { "a" } }, "view is two angles")
  end)

  it("is the same on the page", function()
    if not has("node", "--version") then return pending "node is missing" end
    local run, list = cart()
    local options = { gravity = { 0, 0, -1 }, show = { "energy" }, n = 31, follow = { "x", 0, 0 } }
    run:animate(folder .. "/a.html", list, options)
    local program = content(folder .. "/a.html"):match "<script>(.-)// %-%-%-%- page"
    write(folder .. "/a.js", program .. "\nfor (const t of [0, 0.7, 3]) for (const item of paint(t, { yaw: 20, pitch: 35, zoom: 1.5 }, 640, 480))\n"
      .. "console.log([item.kind, item.text || item.fill || item.colour, ...(item.points || [[item.x, item.y]]).flat().map(x => x.toFixed(2))].join(' '));\n")
    local status, output, errors = core.host.spawn({ "node", folder .. "/a.js" }, "", 60)
    assert.are.equal(0, status, errors)
    local data, lines = read(run, list, options), {}
    for line in output:gmatch "[^\n]+" do lines[#lines + 1] = line end
    local k = 0
    for _, t in ipairs{ 0, 0.7, 3 } do
      for _, item in ipairs(scene.paint(data, t, { yaw = 20, pitch = 35, zoom = 1.5 }, 640, 480)) do
        k = k + 1
        local head = item.kind .. " " .. (item.text or item.fill or item.colour)
        assert.are.equal(head, lines[k]:sub(1, #head))
        local numbers = {}
        for number in lines[k]:sub(#head + 1):gmatch "%S+" do numbers[#numbers + 1] = tonumber(number) end
        for i, p in ipairs(item.points or { { item.x, item.y } }) do
          assert(math.abs(p[1] - numbers[2*i - 1]) < 0.02 and math.abs(p[2] - numbers[2*i]) < 0.02, lines[k])
        end
      end
    end
    assert.are.equal(#lines, k)
    assert(k > 1000)
  end)

  it("gives the same page again, with nothing from outside", function()
    local run, list = cart()
    run:animate(folder .. "/one.html", list, { n = 20 })
    run:animate(folder .. "/two.html", list, { n = 20 })
    local page = content(folder .. "/one.html")
    assert.are.equal(page, content(folder .. "/two.html"))
    for _, words in ipairs{ "http", "src=", "import", "fetch" } do assert.is_nil(page:find(words, 1, true), words) end
  end)
end)

-- ---- films

describe("run:film", function()
  if not has("gnuplot", "--version") then
    return pending "gnuplot is missing"
  end

  -- Frames of a GIF: its image descriptors, block by block
  local function gif_frames(bytes)
    local wide, high = string.unpack("<I2I2", bytes, 7)
    local function table_size(flags) return flags & 0x80 ~= 0 and 3*2^((flags & 7) + 1) or 0 end
    local at, count = 14 + math.tointeger(table_size(bytes:byte(11))), 0
    local function skip_blocks(from)
      while bytes:byte(from) ~= 0 do from = from + bytes:byte(from) + 1 end
      return from + 1
    end
    while bytes:byte(at) ~= 0x3B do
      if bytes:byte(at) == 0x21 then at = skip_blocks(at + 2)
      else
        assert.are.equal(0x2C, bytes:byte(at))
        count = count + 1
        at = skip_blocks(at + 11 + math.tointeger(table_size(bytes:byte(at + 9))))
      end
    end
    return count, wide, high
  end

  local function sleigh()
    local S, x, y, theta = check.sleigh(hm)
    return S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 4 },
      { { "blade", at = { x, y }, along = { hm.cos(theta), hm.sin(theta) } }, { "trace", of = { x, y } } }
  end

  it("writes a GIF with its frames", function()
    local run, list = sleigh()
    local path = folder .. "/a.gif"
    local written = run:film(path, list, { fps = 4, seconds = 2, size = { 160, 121 } })
    local bytes = content(path)
    assert.are.equal(written.bytes, #bytes)
    local count, wide, high = gif_frames(bytes)
    assert.are.same({ 9, 160, 122 }, { count, wide, high })
  end)

  it("writes MP4 and WebM where ffmpeg is installed", function()
    if not has("ffmpeg", "-version") then return pending "ffmpeg is missing" end
    local run, list = sleigh()
    run:film(folder .. "/a.mp4", list, { fps = 5, seconds = 1, size = { 160, 120 } })
    assert.are.equal("ftyp", content(folder .. "/a.mp4"):sub(5, 8))
    run:film(folder .. "/a.webm", list, { fps = 5, seconds = 1, size = { 160, 120 } })
    assert.are.equal("\x1A\x45\xDF\xA3", content(folder .. "/a.webm"):sub(1, 4))
  end)

  it("needs no ffmpeg for a GIF, and says so", function()
    local first = 0
    while arg[first - 1] do first = first - 1 end
    local pipe = assert(io.popen "command -v gnuplot")
    local gnuplot = pipe:read "l"
    pipe:close()
    assert(os.execute(("mkdir -p %s/bin && ln -sf '%s' %s/bin/gnuplot"):format(folder, gnuplot, folder)))
    local script = write(folder .. "/film.lua", [[
      local hm = require "hamel"
      local S = hm.system "swing"
      local q = S:coordinates "q"
      S:kinetic_energy(q.dot^2/2)
      S:potential_energy(q^2/2)
      local run = S:simulate{ q = { q = 1 }, v = { q = 0 }, t = 2 }
      local list = { { "ball", at = { q, 0 } } }
      print(pcall(run.film, run, "]] .. folder .. [[/b.mp4", list))
      run:film("]] .. folder .. [[/b.gif", list, { fps = 3, size = { 100, 100 } })
    ]])
    local program = arg[first]:find "/" and arg[first] or assert(io.popen("command -v " .. arg[first])):read "l"
    pipe = assert(io.popen(("PATH=%s/bin '%s' %s 2>&1"):format(folder, program, script)))
    local output = pipe:read "a"
    pipe:close()
    assert.truthy(output:find("ffmpeg is not installed", 1, true) and output:find("or write a .gif", 1, true), output)
    assert.are.equal(7, (gif_frames(content(folder .. "/b.gif"))))
  end)

  it("answers mistakes", function()
    local run, list = sleigh()
    check.raises({ ".gif, .mp4 or .webm" }, run.film, run, "a.avi", list)
    check.raises({ ".gif, .mp4 or .webm" }, run.film, run, nil, list)
    check.raises({ "size is a width and a height" }, run.film, run, folder .. "/c.gif", list, { size = { 10, 10 } })
    check.raises({ "frames, and 3000 are the most" }, run.film, run, folder .. "/c.gif", list, { seconds = 1000 })
    check.raises({ "unknown option 'fsp'" }, run.film, run, folder .. "/c.gif", list, { fsp = 3 })
    check.raises({ "shapes are missing" }, run.film, run, folder .. "/c.gif", {})
    check.raises({ "cannot write" }, run.film, run, folder .. "/none/c.gif", list, { fps = 1, seconds = 1, size = { 64, 64 } })
  end)
end)
