-- run:animate: pages that move
local hm, check = require "hamel", require "check"
local near = check.near

local function sleigh_run()
  local S = check.sleigh(hm)
  local run = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 4 }
  return run, S:symbol "x", S:symbol "y", S:symbol "theta"
end

local function page(run, shapes, given)
  local path = os.tmpname() .. ".html"
  local size = run:animate(path, shapes, given)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  assert.equal(size.bytes, #text)
  return text, path
end

describe("run:animate", function()
  it("keeps the motion it shows", function()
    local run, x, y, theta = sleigh_run()
    local text, path = page(run, { { "blade", at = { x, y }, along = { hm.cos(theta), hm.sin(theta) } }, { "trace", of = { x, y } }, { "plane" } },
      { n = 5, title = "a <sleigh> & co" })
    os.remove(path)
    assert.truthy(text:find("<title>a &lt;sleigh&gt; &amp; co</title>", 1, true))
    assert.is_nil(text:find("src=", 1, true))
    assert.is_nil(text:find("http", 1, true))
    local frames, k = text:match '"frames":%[(%b[].-)%],"high"', 0
    for frame in frames:gmatch "%[(.-)%]" do
      local values = {}
      for value in frame:gmatch "[^,]+" do values[#values + 1] = tonumber(value) end
      local s = run:at(k)
      near(values[1], s.x, 1e-5)
      near(values[2], s.y, 1e-5)
      near(values[4], math.cos(s.theta), 1e-5)
      near(values[10], s.energy, 1e-6)                                    -- shown as a number
      assert.equal(10, #values)
      k = k + 1
    end
    assert.equal(5, k)
    assert.truthy(text:find('"pitch":90', 1, true))                       -- a plane motion is seen from above
  end)

  it("takes sizes from parameters of the run", function()
    local S = hm.system "disc"
    local x = S:coordinates "x"
    local r, g = S:positive "r=1/2 g=9.81"
    S:kinetic_energy(r*x.dot^2)
    local run = S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 1, parameters = { r = 2 } }
    local text, path = page(run, { { "disc", at = { x, r }, radius = r, axis = { 0, 0, 1 } }, { "plane", at = { 0, 0, -3*r }, size = 10*r } }, { n = 3 })
    os.remove(path)
    assert.truthy(text:find('"radius":2', 1, true))
    assert.truthy(text:find('"size":20', 1, true))
    assert.truthy(text:find('"at":[0,0,-6', 1, true))
    check.raises({ "radius contains x", "parameters" }, run.animate, run, "/tmp/a.html", { { "ball", at = { x, 0 }, radius = x } })
    check.raises({ "radius is -19.6", "not negative" }, run.animate, run, "/tmp/a.html", { { "ball", at = { x, 0 }, radius = -2*g } })
    check.raises({ "radius is a number or an expression" }, run.animate, run, "/tmp/a.html", { { "ball", at = { x, 0 }, radius = {} } })
  end)

  it("draws discs whose axis is vertical, by a mark on the rim", function()
    local S = hm.system "turntable"
    local N, phi = S:frame(), S:coordinates "phi"
    S:body("table", { at = S.origin, frame = N:rotate("z", phi), mass = 2, inertia = { 1, 1, 2 }, shape = { "disc", radius = 0.5, axis = "z" } })
    local run = S:simulate{ q = { phi = 0 }, v = { phi = 1 }, t = 2 }
    local drawn = run:animate().page
    assert.truthy(drawn:find('"kind":"disc"', 1, true))
    -- the same disc by angle and by mark, upright: both turn alike
    local U = hm.system "upright"
    local x, th = U:coordinates "x theta"
    U:kinetic_energy((x.dot^2 + th.dot^2)/2)
    local motion_of = U:simulate{ q = { x = 0, theta = 0.4 }, v = { x = 1, theta = 2 }, t = 1 }
    local read = require "hamel.show.shapes"
    local function corner(shape)
      local list, wanted = read.read(motion_of, { shape })
      read.embody(list, 1)
      local v = {}
      for k, e in ipairs(wanted) do v[k] = motion_of:at(0.7, e) end
      return read.placed(list[1], v){ 0.3, 0.1, 0, 0 }
    end
    local by_angle = corner{ "disc", at = { x, 0, 1 }, axis = { 0, 1, 0 }, spin = th }
    local by_mark = corner{ "disc", at = { x, 0, 1 }, axis = { 0, 1, 0 }, mark = { -hm.cos(th), 0, hm.sin(th) } }
    for k = 1, 3 do check.near(by_mark[k], by_angle[k], 1e-12) end
    check.raises({ "spin and mark" }, motion_of.animate, motion_of, { { "disc", at = { x, 0 }, axis = { 0, 0, 1 }, spin = th, mark = { 1, 0 } } })
  end)

  it("answers mistakes", function()
    local run, x, y = sleigh_run()
    check.raises({ ".html" }, run.animate, run, "a.gif", {})
    check.raises({ "shapes are missing" }, run.animate, run, "/tmp/a.html", {})
    check.raises({ "shape 1", "'bal'", "ball" }, run.animate, run, "/tmp/a.html", { { "bal", at = { x, y } } })
    check.raises({ "(cone) has no 'along', 'at' or 'length' (known: colour, from, label, radius, to)" }, run.animate, run, "/tmp/a.html",
      { { "cone", at = { x, y }, along = { 1, 0 }, length = 1 } })
    check.raises({ "ball", "at", "two or three" }, run.animate, run, "/tmp/a.html", { { "ball", at = x } })
    check.raises({ "no 'radios'", "radius" }, run.animate, run, "/tmp/a.html", { { "ball", at = { x, y }, radios = 1 } })
    check.raises({ "colour" }, run.animate, run, "/tmp/a.html", { { "ball", at = { x, y }, colour = "red" } })
    check.raises({ "unknown option 'sped'" }, run.animate, run, "/tmp/a.html", { { "ball", at = { x, y } } }, { sped = 1 })
    check.raises({ "cannot write" }, run.animate, run, "/nonexistent/a.html", { { "ball", at = { x, y } } })
  end)
end)
