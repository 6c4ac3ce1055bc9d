-- charts and branches: what a reader sees at their axes, words on what they take; curves of errors without gaps
local hm, check = require "hamel", require "check"

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))

local function script_of(draw)
  local path = folder .. "/script.gp"
  draw(folder .. "/picture.svg", path)
  return check.content(path)
end

local function pendulum()
  local S = hm.system "pendulum"
  local theta = S:coordinates "theta"
  local omega = S:positive "omega=1"
  S:kinetic_energy(theta.dot^2/2)
  S:potential_energy(-omega^2*hm.cos(theta))
  S:force(theta, -theta.dot/10)
  return S
end

describe("labels", function()
  it("of body rates have no dot: they are velocities themselves; with their units where the system has units", function()
    local S = hm.system "top"
    local R = S:rotation "R"
    local m = S:positive "m=1"
    S:body("top", { at = S:point "x y z", frame = R, mass = m, inertia = { 1, 2, 3 } })
    local C = S:chart{ over = { { "omega3", { 1, 2 } }, { "omega1", { 0, 1 } } }, q = { x = 0, y = 0, z = 0, R = { "zxy", 0, 0, 0 } },
                       v = { x = 0, y = 0, z = 0, omega2 = 0 }, t = 0.1,
                       of = { e = "energy" } }
    local text = script_of(function(file, script) C:plot{ file = file, script = script } end)
    assert(text:find("set xlabel 'ω₃(0)", 1, true) and text:find("set ylabel 'ω₁(0)", 1, true), text:match "set xlabel[^\n]*")
  end)

  it("at ticks are numbers that differ, also of small negative and of large values beside each other", function()
    local S = pendulum()
    for _, range in ipairs{ { -4e-5, -1e-5 }, { 1e-9, 3e-9 }, { 1000005, 1000045 } } do
      local C = S:chart{ over = { { "v.theta", hm.range(range[1], range[2], 4) }, { "omega", { 1, 2 } } }, q = { theta = 0 }, t = 0.01,
                         of = { top = "max theta" } }
      local file = folder .. "/ticks.svg"
      C:plot{ file = file }
      local seen, count, half = {}, 0, (range[2] - range[1])/6
      for words in check.content(file):gmatch "<text>(.-)</text>" do
        local text = words:gsub("<[^>]*>", ""):gsub("%s", "")
        local value = tonumber(text)
        if value and value >= range[1] - half and value <= range[2] + half then
          assert(not seen[text], text .. " stands at two ticks")
          seen[text], count = true, count + 1
        end
      end
      assert(count >= 3, "numbers are not found")
    end
  end)

  it("of charts are signs, and words for numbers of motions", function()
    local C = pendulum():chart{ over = { { "q.theta", { 0.1, 0.2 } }, { "v.theta", { 0, 0.1 } } }, of = "exponents", t = 10 }
    local text = script_of(function(file, script) C:plot{ file = file, script = script } end)
    for _, words in ipairs{ "set xlabel 'θ(0)'", "set ylabel 'θ\u{307}(0)'", "set cblabel 'Lyapunov exponent 1'" } do
      assert(text:find(words, 1, true), words .. " is not in " .. text)
    end
  end)

  it("of classes have room beside their bar of colours, and the label stands behind the longest one", function()
    local S = hm.system "two wells"
    local x = S:coordinates "x"
    local c = S:positive "c=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^4/4 - x^2/2)
    S:force(x, -c*x.dot)
    local o = { over = { { "x", { -1, 1 } }, { "c", { 1, 2 } } }, v = { x = 0 }, of = "basin", t = 5 }
    for _, name in ipairs{ "r", "righthand", "beside the right wall, behind the hill" } do
      o.attractors = { [name] = { x = 1 }, l = { x = -1 } }
      local file = folder .. "/classes.svg"
      S:chart(o):plot(file)
      local text = check.content(file)
      local function right_of(words) return tonumber(text:match("translate%(([%d.]+),[%d.]+%)[^\n]*\n%s*<text>" .. words .. "</text>")) end
      local label = tonumber(text:match "translate%(([%d.]+),[%d.]+%) rotate%(270%)[^\n]*\n%s*<text>attractor</text>")
      local place = right_of(name)
      -- half a letter beside the label, which is turned; letters of this size are 6 pixels wide at least
      assert(place + 6*#name + 10 < label, name .. " runs into the label")
      assert(label + 10 < 900, "the label is cut")
    end
    o.attractors = { [("a name without an end "):rep(20)] = { x = 1 } }
    local script = script_of(function(file, path) S:chart(o):plot{ file = file, script = path } end)
    assert(script:find("'a name without an end a[^']*\u{2026}' 1"), script)
  end)

  it("and colours of an angle are those of a sweep; a name of the user's own means no angle", function()
    local S = pendulum()
    local o = { over = { { "q.theta", { 0.1, 2, 3 } }, { "v.theta", { 0, 4, 8 } } }, t = 10 }
    local function colours(table_, column)
      local text = script_of(function(file, script)
        if column then table_:plot{ file = file, script = script, column = column } else table_:plot("theta", { file = file, script = script, map = true }) end
      end)
      local data = text:match "%$d << EOD\n(.-)EOD"
      local most = 0
      for value in data:gmatch "%S+ %S+ (%S+)\n" do most = math.max(most, math.abs(tonumber(value))) end
      return text:match "set palette[^\n]*", text:match "set cbrange[^\n]*", text:match "set cblabel[^\n]*", data, most
    end
    o.keep = { "theta" }
    local swept = { colours(S:sweep(o)) }
    o.keep, o.of = nil, { "theta" }
    local charted = { colours(S:chart(o), "theta") }
    assert.same(swept, charted)
    assert.equal("set cbrange [-pi:pi]", charted[2])
    assert(charted[5] <= math.pi)
    o.of = { theta = "max theta" }
    local palette, range, _, _, most = colours(S:chart(o), "theta")
    assert(range == nil and palette ~= charted[1] and most > math.pi, palette)
    o.of, o.keep = nil, { theta = "max theta" }
    palette, range, _, _, most = colours(S:sweep(o))
    assert(range == nil and palette ~= charted[1] and most > math.pi, palette)
  end)

  it("of diagrams and sweeps have units, also of starts and measures", function()
    local S = hm.system "driven"
    local phi = S:coordinates("phi", { unit = "rad" })
    S:kinetic_energy(phi.dot^2/2)
    local f = S:parameters "f=1"
    S:force(phi, -hm.sin(phi) - phi.dot/2 + f*hm.cos(hm.t))
    local q, v = { phi = 0 }, { phi = 0 }
    local D = S:diagram{ along = { "f", { 1, 1.1 } }, of = "phi'", stroboscope = 2*math.pi, q = q, v = v, skip = 2, n = 2 }
    local text = script_of(function(file, script) D:plot{ file = file, script = script } end)
    assert.truthy(text:find("set title 'driven: ϕ̇'", 1, true), text)
    assert.truthy(text:find("set ylabel 'ϕ̇ [rad/s]'", 1, true), text)
    local W = S:sweep{ over = { { "q.phi", { 0, 1 } } }, v = v, t = 1, keep = { "max phi'" } }
    text = script_of(function(file, script) W:plot("max phi'", { file = file, script = script }) end)
    assert.truthy(text:find("set xlabel 'ϕ(0) [rad]'", 1, true), text)
    assert.truthy(text:find("set ylabel 'max ϕ̇ [rad/s]'", 1, true), text)
  end)

  it("of branches are signs, also where several branches are drawn together", function()
    local S = pendulum()
    local B = S:continue{ equilibrium = { q = { theta = 0 } }, along = "omega", from = 1, to = 2 }
    local text = script_of(function(file, script) B:plot{ file = file, script = script } end)
    assert(text:find("set xlabel 'ω'", 1, true) and text:find("set ylabel 'θ'", 1, true), text)
    local both = script_of(function(file, script) hm.plot({ B, B }, { file = file, script = script }) end)
    assert(both:find("set xlabel 'ω'", 1, true) and both:find("set ylabel 'θ'", 1, true), both)
  end)
end)

describe("a curve of errors", function()
  it("has no gap where a constraint is kept exactly", function()
    local run = check.sleigh(hm):simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.5 }, t = 6 }
    local text = script_of(function(file, script) run:plot_drift{ file = file, script = script } end)
    local rows = text:match "%$d << %S+\n(.-)\n%u"
    assert(rows and not rows:lower():find "nan" and rows:find "1e%-17", rows or text:sub(1, 600))
  end)
end)

describe("branches and diagrams", function()
  it("name the form of a guess, of the parameter, and the way to branches", function()
    local S = pendulum()
    check.raises({ "the guess has its coordinates in q: { q = { theta = 0.1 } }" }, S.continue, S, { equilibrium = { theta = 0.1 }, along = "omega", to = 2 })
    check.raises({ 'along = "omega", from = 1, to = 2' }, S.continue, S, { equilibrium = { q = { theta = 0 } }, along = { "omega", 1, 2 } })
    check.raises({ "stroboscope =", "S:continue follows equilibria" }, S.diagram, S, { along = { "omega", { 1, 2 } }, of = "theta" })
  end)
end)
