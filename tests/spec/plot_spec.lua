-- pictures: what is in them, what may not be executed, what is said where they cannot be made
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local core = require "hamel.core"

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))

local content = check.content

local function has_gnuplot() return core.host.spawn({ "gnuplot", "--version" }, "", 10) ~= nil end

local function sleigh_run()
  return check.sleigh(hm):simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.5 }, t = 6, rtol = 1e-10 }
end

-- Points of the k-th curve of an SVG picture, in pixels
local function curve(svg, k)
  local found = 0
  for path in svg:gmatch "<path stroke='rgb%([^']+'%s+d='([^']+)'" do
    if select(2, path:gsub("L", "")) > 50 or path:find "L.*L.*L.*L.*L" then
      found = found + 1
      if found == k then
        local points = {}
        for x, y in path:gmatch "([%d%.]+),([%d%.]+)" do points[#points + 1] = { tonumber(x), tonumber(y) } end
        return points, select(2, path:gsub("M", ""))
      end
    end
  end
end

describe("a picture", function()
  if not has_gnuplot() then
    return pending "gnuplot is missing"
  end

  it("has axes, labels and the curve: y against x, a circle on equal scales", function()
    local run, file = sleigh_run(), folder .. "/circle.svg"
    local picture = run:plot("x", "y", file)
    assert.are.equal("wrote " .. file, tostring(picture))
    local svg = content(file)
    for _, words in ipairs{ ">Chaplygin sleigh<", ">x<", ">y<", "> 0<" } do assert.truthy(svg:find(words, 1, true), words) end
    -- radius 2: from (0, 0) up to (2, 2) and on; the pixels are a circle as well
    local points = curve(svg, 1)
    assert(#points > 100)
    local highest, lowest, right = math.huge, -math.huge, -math.huge
    for _, p in ipairs(points) do highest, lowest, right = math.min(highest, p[2]), math.max(lowest, p[2]), math.max(right, p[1]) end
    -- 6 time units are half a turn: it ends at (2 sin 3, 2 - 2 cos 3)
    check.near((right - points[1][1])/(lowest - highest), 2/(2 - 2*math.cos(3)), 0.02)
  end)

  it("shows several curves over the time with their names", function()
    local run, file = sleigh_run(), folder .. "/three.svg"
    run:plot("t", "theta'", "lambda.blade", hm.sin(hm.t), { file = file, title = "three" })
    local svg = content(file)
    for _, words in ipairs{ ">three<", ">t<", ">θ\u{307}<", ">λ (blade)<", ">sin(t)<" } do assert.truthy(svg:find(words, 1, true), words) end
    assert.truthy(curve(svg, 3))
  end)

  it("does not join the two sides of a jump", function()
    local B, h = mechanics.body("ball", "h")
    B:force(h, -9.81)
    B:unilateral("floor", h, { law = hm.newton(0.8) })
    local run = B:simulate{ q = { h = 1 }, v = { h = 0 }, t = 1 }
    local picture = run:plot("t", "h'", { file = folder .. "/ball.svg", script = folder .. "/ball.gp" })
    local breaks = select(2, picture.script:match("%$d1 << EOD\n(.-)EOD"):gsub("\n\n", ""))
    assert.are.equal(#run.impacts, breaks)
    assert.are.equal(picture.script, content(folder .. "/ball.gp"))
  end)

  it("puts several runs side by side", function()
    local S = check.sleigh(hm)
    local function with(rate) return S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = rate }, t = 3 } end
    local file = folder .. "/runs.svg"
    hm.plot({ slow = with(0.3), fast = with(1) }, "x", "y", file)
    local svg = content(file)
    assert.truthy(svg:find(">slow<", 1, true) and svg:find(">fast<", 1, true))
    check.raises({ "'a' is no run and no section, but a number" }, hm.plot, { a = 3 }, "x")
    check.raises({ "there are no runs" }, hm.plot, {}, "x")
  end)

  it("has units where they are given, and says what a screen needs", function()
    local run, file = sleigh_run(), folder .. "/u.svg"
    run:plot("t", "x", "theta'", { file = file, units = { t = "s", x = "m", ["theta'"] = "rad/s" } })
    local svg = content(file)
    assert.truthy(svg:find(">t [s]<", 1, true) and svg:find(">x [m]<", 1, true) and svg:find("rad/s]", 1, true))
    check.raises({ "'dumb', 'sixel'", "x12" }, run.plot, run, "x", { screen = "x12" })
    if not os.getenv "DISPLAY" and not os.getenv "WAYLAND_DISPLAY" then check.raises({ "no display" }, run.plot, run, "x", { screen = "qt" }) end
    assert.truthy(tostring(run:plot("x", { screen = "sixel" })):find("\27P", 1, true))
  end)

  it("of drift, of forms compared, of a section, of a sweep", function()
    local S, file = check.sleigh(hm), folder .. "/r.svg"
    local start = { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 4, rtol = 1e-10 }
    local function shows(picture, ...)
      assert.are.equal("wrote " .. file, tostring(picture))
      local svg = content(file)
      for _, words in ipairs{ ... } do assert.truthy(svg:find(words, 1, true), words) end
      return svg
    end
    shows(S:simulate(start):plot_drift(file), ">energy<", ">blade<", ">Chaplygin sleigh: drift<")
    start.forms = { "lagrange", "canonical" }
    local C = S:compare(start)
    shows(C:plot("x", file), ">lagrange<", ">canonical<", ">x<")
    shows(C:plot(file), ">canonical<", ">largest difference from lagrange<")
    check.raises({ "plot takes one name here" }, C.plot, C, "x", "y")
    start.forms = nil
    start.over = { { "v.theta", { 0.1, 0.2, 0.3 } } }
    local W = S:sweep(start)
    shows(W:plot("x", file), ">θ\u{307}(0)<", ">x<")
    check.raises({ "a map needs two things that vary" }, W.plot, W, "x", { file = file, map = true })
    check.raises({ "there is no column" }, W.plot, W, "speed", file)
    start.over = { { "v.x", hm.range(0.5, 1, 9) }, { "v.theta", hm.range(0.1, 0.3, 8) } }
    local svg = shows(S:sweep(start):plot("y", file), ">θ\u{307}(0)<", ">x\u{307}(0)<", ">y<", "<image")
    assert(#svg > 1000)
    local P, q = mechanics.body("swing", "q")
    P:potential_energy(q^2/2)
    local section = P:section{ when = q, of = { q.dot, "t" }, q = { q = 0.5 }, v = { q = 0 }, t = 40 }
    shows(section:plot(file), ">t<", "swing: section")
    check.raises({ "one column" }, function()
      P:section{ when = q, of = { q.dot }, q = { q = 0.5 }, v = { q = 0 }, t = 40 }:plot(file)
    end)
  end)

  it("is made of characters where no file is asked for", function()
    local text = tostring(sleigh_run():plot("x", "y"))
    assert.truthy(text:find("Chaplygin sleigh", 1, true) and text:find("*", 1, true))
    assert.is_nil(text:find("\27", 1, true))
    for line in text:gmatch "[^\n]+" do assert(utf8.len(line) <= (core.host.width() or 100)) end
  end)

  it("comes as PNG and PDF", function()
    local run = sleigh_run()
    run:plot("theta", { file = folder .. "/a.png", size = { 400, 300 } })
    run:plot("theta", folder .. "/a.pdf")
    local png = content(folder .. "/a.png")
    assert.are.equal("\137PNG", png:sub(1, 4))
    local wide, high = string.unpack(">I4I4", png, 17)
    assert.are.same({ 400, 300 }, { wide, high })
    assert.are.equal("%PDF", content(folder .. "/a.pdf"):sub(1, 4))
  end)

  it("executes nothing of what the user wrote", function()
    local trap = folder .. "/trap"
    local tricks = { "`touch " .. trap .. "`", "'; system('touch " .. trap .. "'); '", "\" . system(\"touch " .. trap .. "\") . \"", "$(touch " .. trap .. ")",
                     "a\n!touch " .. trap .. "\n", "@x {/Symbol w}" }
    local run = sleigh_run()
    for k, trick in ipairs(tricks) do
      run:plot("t", "x", { file = folder .. "/trick.svg", title = trick, xlabel = trick, ylabel = trick })
      assert.is_nil(io.open(trap), k)
    end
    check.raises({ "does not begin with '|'" }, run.plot, run, "x", { file = "|touch " .. trap .. ".png" })
    assert.is_nil(io.open(trap))
  end)

  it("says what is wrong", function()
    local run = sleigh_run()
    check.raises({ "the quantities to plot are missing" }, run.plot, run)
    check.raises({ "neither in .png nor .svg nor .pdf" }, run.plot, run, "x", { file = "a.bmp" })
    check.raises({ "unknown option 'titel'", "did you mean 'title'" }, run.plot, run, "x", { titel = "a" })
    check.raises({ "cannot write", "No such file" }, run.plot, run, "x", { file = folder .. "/none/a.png" })
    check.raises({ "'nothing'" }, run.plot, run, "nothing")
    check.raises({ "no states between" }, run.plot, run, "x", { from = 100, to = 200 })
  end)
end)

describe("another program", function()
  it("gets text, gives output and status, and is ended in time", function()
    local text = ("line\n"):rep(200000)
    local status, output = core.host.spawn({ "cat" }, text, 120)
    assert.are.equal(0, status)
    assert.are.equal(text, output)
    local _, _, errors = core.host.spawn({ "sh", "-c", "echo trouble >&2; exit 3" }, "", 120)
    assert.are.equal("trouble\n", errors)
    assert.are.equal(3, (core.host.spawn({ "sh", "-c", "exit 3" }, "", 120)))
    local none, reason = core.host.spawn({ "no-such-program" }, "", 120)
    assert.is_nil(none)
    assert.truthy(reason:find("no-such-program: No such file", 1, true))
    none, reason = core.host.spawn({ "sleep", "600" }, "", 0.2)
    assert.is_nil(none)
    assert.truthy(reason:find("did not end in time", 1, true))
    -- one that does not read what it is fed
    assert.are.equal(0, (core.host.spawn({ "true" }, text, 120)))
  end)
end)

describe("a picture without a single point", function()
  it("is refused in one sentence", function()
    local S = hm.system "empty"
    local x, a = S:coordinates "x", S:parameters "a=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(a*x^2/2)
    local function none() return 0/0 end
    local o = { over = { { "a", { 1, 2, 3 } } }, q = { x = 1 }, v = { x = 0 }, t = 1, of = none, progress = false }
    local line = S:chart(o)
    o.over[2] = { "v.x", { 1, 2, 3 } }
    o.v = nil
    local map = S:chart(o)
    local file = os.tmpname() .. ".svg"
    for _, draw in ipairs{ function() line:plot() end, function() line:plot(file) end, function() map:plot(file) end } do
      check.raises({ "there is nothing to draw: no point has finite values" }, draw)
    end
    assert.is_nil(io.open(file))
    check.raises({ "has no finite value in what is drawn" }, function() S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 1 }:plot("t", hm.log(x - 5)) end)
    -- one value is enough
    o.over[2], o.v = nil, { x = 0 }
    local once = 0
    o.of = function() once = once + 1 return once == 1 and 1 or 0/0 end
    if has_gnuplot() then assert.has_no.errors(function() S:chart(o):plot() end) end
  end)
end)
