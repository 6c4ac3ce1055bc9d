-- pictures: labels, scales, ticks and colours; overlays; phase portraits; sentences on what cannot be drawn
local hm, check = require "hamel", require "check"
local axes = require "hamel.show.axes"
local core = require "hamel.core"
local dress = require "hamel.algebra.dress"

local near = check.near
local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))

local function content(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local function script_of(picture) return picture.script end
local function holds(text, ...)
  for _, words in ipairs{ ... } do if not text:find(words, 1, true) then error(("'%s' is not in it"):format(words), 2) end end
end
local function lacks(text, ...)
  for _, words in ipairs{ ... } do if text:find(words, 1, true) then error(("'%s' is in it"):format(words), 2) end end
end

describe("labels", function()
  it("are signs with dots and indices", function()
    for text, wanted in pairs{
      ["theta1'"] = "θ\u{307}₁", ["phi''"] = "ϕ\u{308}", ["x"] = "x", ["x'"] = "x\u{307}", ["theta_2"] = "θ₂", ["lambda.blade"] = "λ (blade)",
      ["q.x"] = "x(0)", ["v.theta"] = "θ\u{307}(0)", ["speed'"] = "speed′", ["x'^2*sin(theta)"] = "x\u{307}²·sin(θ)", ["energy"] = "energy",
      ["x'''"] = "x′′′", ["atan2(y, x)"] = "atan2(y, x)", ["x^10"] = "x¹⁰", ["alphabet"] = "alphabet",
    } do assert.are.equal(wanted, dress.label(text)) end
  end)
end)

describe("ticks", function()
  it("of an angle are the multiples of pi that they say, at most ten, beyond both ends", function()
    local draw = check.generator(11)
    for _ = 1, 200 do
      local low = draw(-50, 50)
      local high = low + 10^draw(0.8, 4)
      local list = axes.pi_ticks({ low = low, high = high, size = high - low }, "π")
      local count, first, last = 0, nil, nil
      for text, value in list:gmatch "'([^']+)' ([^,)]+)" do
        local number, below = text:match "^(%-?%d*)π?/?(%d*)$"
        local k = text == "0" and 0 or number == "" and 1 or number == "-" and -1 or tonumber(number)
        near(tonumber(value), k*math.pi/(tonumber(below) or 1), 1e-9)
        first, last, count = first or tonumber(value), tonumber(value), count + 1
      end
      assert(count >= 3 and count <= 12, list)
      assert(first <= low + 1e-6 and last >= high - 1e-6, list)
    end
    assert.is_nil(axes.pi_ticks({ low = 0, high = 6.2, size = 6.2 }, "π"))
  end)

  it("on one scale have room for their numbers", function()
    local draw = check.generator(12)
    for _ = 1, 200 do
      local wide = 10^draw(-6, 6)
      local high = wide*draw(1/3, 3)
      local x, y = axes.steps_on_one_scale({ size = wide }, { size = high }, { 900, 600 })
      local pixel = math.max(wide/790, high/470)
      assert(x/pixel >= 75 or x >= wide)
      assert(y/pixel >= 30 or y >= high)
    end
  end)
end)

-- Declared in units: lengths x and y, an angle, a force of reaction
local function skate_run(t)
  local S = hm.system "skate on a slope"
  local x, y = S:coordinates("x y", { unit = "m" })
  local theta = S:coordinates("theta", { unit = "rad" })
  local m, J, g = S:positive "m=1 kg, J=0.5 kg m^2, g=2 m/s^2"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
  S:potential_energy(m*g*x)
  S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
  return S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 1 }, t = t }, S
end

describe("units", function()
  it("of expressions follow from those declared", function()
    local _, S = skate_run(1)
    local x, theta, m = S:symbol "x", S:symbol "theta", S:symbol "m"
    assert.are.equal("m", S:unit_of(2*x + x*hm.sin(theta)))
    assert.are.equal("J", S:unit_of(m*x.dot^2))
    assert.are.equal("N", S:unit_of "lambda.blade")
    assert.are.equal("J", S:unit_of "energy")
    assert.is_nil(S:unit_of(x + m))
    S:unilateral("wall", x, { law = hm.newton(1) })
    S:unilateral("limit", x.dot)
    assert.are.equal("N", S:unit_of "lambda.wall")
    assert.are.equal("N", S:unit_of "lambda.limit")
    assert.is_nil(check.sleigh(hm):unit_of(check.sleigh(hm):symbol "x"))
  end)
end)

describe("a picture", function()
  if not core.host.spawn({ "gnuplot", "--version" }, "", 10) then
    return pending "gnuplot is missing"
  end

  it("has one scale for expressions that are places", function()
    local S = hm.system "pendulum"
    local th = S:coordinates "theta"
    local m, l, g = S:positive "m=1 l=2 g=9.81"
    S:kinetic_energy(m/2*l^2*th.dot^2)
    S:potential_energy(-m*g*l*hm.cos(th))
    local run, file = S:simulate{ q = { theta = 1.4 }, v = { theta = 0 }, t = 10 }, folder .. "/places.svg"
    for _, place in ipairs{ { l*hm.sin(th), -l*hm.cos(th) }, { l*hm.sin(th) + 1, -l*hm.cos(th) } } do
      holds(script_of(run:plot(place[1], place[2], file)), "set size ratio -1")
    end
    for _, other in ipairs{ { l*th, l*hm.cos(th) }, { m*l*hm.cos(th), l*hm.sin(th) }, { "theta", th.dot }, { m*g*l*hm.cos(th), l*hm.sin(th) } } do
      lacks(script_of(run:plot(other[1], other[2], file)), "ratio")
    end
  end)

  it("has n points in the part of the run that it shows", function()
    local run = skate_run(20)
    local script = script_of(run:plot("x", "y", { from = 1, to = 1.5, n = 200, file = folder .. "/part.svg" }))
    local _, rows = script:gsub("\n%-?[%d.]+e?%-?%d* %-?[%d.]+e?%-?%d*", "")
    assert.is_true(rows >= 200 and rows < 300, rows)
  end)

  it("has one scale for lengths whose ranges are similar, and no other", function()
    local short, long = skate_run(4), skate_run(20)
    local file = folder .. "/scale.svg"
    holds(script_of(short:plot("x", "y", file)), "set size ratio -1")
    -- 2 m up the slope, 18 m along it
    lacks(script_of(long:plot("x", "y", file)), "ratio")
    lacks(script_of(short:plot("x", "theta", file)), "ratio")
    lacks(script_of(short:plot("x", "x'", file)), "ratio")
    holds(script_of(long:plot("x", "y", { file = file, equal = true })), "set size ratio -1")
    local S = check.sleigh(hm)
    local run = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.5 }, t = 6 }
    holds(script_of(run:plot("x", "y", file)), "set size ratio -1")
    lacks(script_of(run:plot("theta", "x", file)), "ratio")
  end)

  it("shows units, signs and multiples of pi", function()
    local run, file = skate_run(20), folder .. "/units.svg"
    run:plot("t", "theta", file)
    holds(content(file), ">θ [rad]<", ">t [s]<", "6π<")
    run:plot("t", "theta'", "lambda.blade", "energy", file)
    holds(content(file), ">θ\u{307} [rad/s]<", ">λ (blade) [N]<", ">energy [J]<")
    run:plot("t", "x", "y", file)
    holds(content(file), ">x [m]<", ">y [m]<", ">[m]<")
    run:plot("t", run.system:symbol "x".dot^2, file)
    holds(content(file), ">x\u{307}² [m²/s²]<")
    lacks(script_of(skate_run(3):plot("t", "theta", file)), "π")             -- less than a turn
    local terminal = run:plot "theta"
    holds(terminal.script, "set ylabel 'theta [rad]'", "'6pi'")
  end)

  it("keeps rounding out of a curve that is constant", function()
    local script = script_of(skate_run(5):plot("t", "theta'", folder .. "/constant.svg"))
    local low, high = script:match "set yrange %[([^:]+):([^%]]+)%]"
    check.near(tonumber(low), 0.9)
    check.near(tonumber(high), 1.1)
  end)

  it("draws a reaction that is constant but for the errors of a run flat", function()
    local S = hm.system "sleigh"
    local x, y, theta = S:coordinates "x y theta"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2 + theta.dot^2/4)
    S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
    local run = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 20 }
    local script = script_of(run:plot("t", "lambda.blade", folder .. "/reaction.svg"))
    local low, high = script:match "set yrange %[([^:]+):([^%]]+)%]"
    check.near(tonumber(low), -0.33, 1e-6)
    check.near(tonumber(high), -0.27, 1e-6)
    assert.is_true(axes.span{ { { { -0.3 }, { -0.3 - 3e-10 } }, 1 } }.constant)
    assert.is_false(axes.span{ { { { 1 }, { 1 + 1e-7 } }, 1 } }.constant)
    assert.are.equal(9, axes.digits{ low = 1, high = 1 + 2e-7, size = 2e-7 })
    assert.is_nil(axes.digits{ low = 1, high = 1.5, size = 0.5 })
  end)

  it("colours a curve by an angle with colours that close", function()
    local run, file = skate_run(20), folder .. "/colour.svg"
    local script = script_of(run:plot("x", "y", { colour = "theta", file = file }))
    holds(script, "set cbrange [-pi:pi]", "using 1:2:3 with lines lw 2 lc palette")
    local first, last = script:match "set palette defined %(0 '(#%x+)'.* '(#%x+)'%)"
    assert.are.equal(first, last)
    for row in script:match("%$d1 << EOD\n(.-)EOD"):gmatch "[^\n]+" do assert(math.abs(tonumber(row:match "(%S+)$")) <= math.pi + 1e-9) end
    holds(content(file), ">θ [rad]<")
    lacks(script_of(run:plot("x", "y", { colour = "t", file = file })), "cbrange")
  end)

  local function swing()
    local S = hm.system "swing"
    local q, w = S:coordinates "q w"
    S:kinetic_energy((q.dot^2 + w.dot^2)/2)
    S:potential_energy((q^2 + 2*w^2)/2)
    return S, function(a)
      return (S:section{ when = q, of = { w, w.dot }, q = { q = 0.5, w = a }, v = { q = 0, w = 0 }, t = 60 })
    end
  end

  it("lays sections over each other, and a section over its run", function()
    local S, section = swing()
    local file = folder .. "/overlay.svg"
    local script = script_of(hm.plot({ [0.1] = section(0.1), [0.25] = section(0.25), wide = section(0.5) }, file))
    holds(script, "with points", "title '0.1'", "title '0.25'", "title 'wide'", "set xlabel 'w'", "set ylabel 'w\u{307}'")
    holds(script_of(hm.plot({ section(0.1), section(0.2) }, "w'", "w", file)), "title 'section 1'", "set xlabel 'w\u{307}'")
    local run = S:simulate{ q = { q = 0.5, w = 0.2 }, v = { q = 0, w = 0 }, t = 60 }
    script = script_of(hm.plot({ run = run, section = run:section("q", { of = { "w", "w'" } }) }, "w", "w'", file))
    holds(script, "using 1:2 with lines lt 1 title 'run'", "with points pt 7 ps 0.4 lt 2 title 'section'")
    check.raises({ "no column 'v'", "w" }, hm.plot, { section(0.1) }, "w", "v", file)
    check.raises({ "two of its columns, not by 3" }, hm.plot, { section(0.1) }, "w", "w'", "w", file)
  end)

  it("draws sections over their parameter", function()
    local _, section = swing()
    local sections = { [0.1] = section(0.1), [0.2] = section(0.2) }
    local script = script_of(hm.plot(sections, "w'", { over = "a", file = folder .. "/over.svg" }))
    holds(script, "set xlabel 'a'", "set ylabel 'w\u{307}'")
    local points = 0
    for x, y in script:gmatch "\n(0%.[12]) (%S+)" do
      points = points + 1
      check.near(tonumber(y), sections[tonumber(x)]:column "w'"[(points - 1) % #sections[0.1] + 1], 1e-8)
    end
    assert.are.equal(#sections[0.1] + #sections[0.2], points)
    check.raises({ "over = 'a'", "keys are its values" }, hm.plot, { b = section(0.1) }, "w'", { over = "a" })
    check.raises({ "takes the horizontal axis" }, hm.plot, sections, "w", "w'", { over = "a" })
  end)

  it("says what cannot be drawn", function()
    local run, S = skate_run(1)
    local x = S:symbol "x"
    check.raises({ "'tehta'", "did you mean 'theta'" }, run.plot, run, "t", "tehta")
    check.raises({ "'log(-x^2 - 1)'", "no finite value" }, run.plot, run, "t", hm.log(-1 - x^2))
    local point = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 1 }, t = 0 }
    check.raises({ "one state only", "points = true" }, point.plot, point, "x", "y")
    local wanted = { when = x - 100, q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 1 }, t = 1 }
    local none = S:section(wanted)
    check.raises({ "the section has no points" }, none.plot, none)
    check.raises({ "none of the sections has a point" }, hm.plot, { none, none }, "x", "y")
    for _, size in ipairs{ { 0, 0 }, { "a", 100 }, { 100 }, { 100, 1e9 }, { 100.5, 100 } } do
      check.raises({ "size is a width and a height", "{900, 600}" }, run.plot, run, "x", "y", { file = folder .. "/size.svg", size = size })
    end
    check.raises({ "a table of runs or sections" }, hm.plot, run, "x")
  end)
end)

describe("S:portrait", function()
  if not core.host.spawn({ "gnuplot", "--version" }, "", 10) then
    return pending "gnuplot is missing"
  end

  local function pendulum()
    local S = hm.system "pendulum"
    local theta = S:coordinates "theta"
    S:kinetic_energy(theta.dot^2/2)
    S:potential_energy(-hm.cos(theta))
    return S, theta
  end

  -- Rows of the block of the entry with that title
  local function rows_of(script, title)
    local block, rows = script:match("(%$d%d+) [^\n]* title '" .. title .. "'"), {}
    for row in script:match(block:gsub("%$", "%%$") .. " << EOD\n(.-)EOD"):gmatch "[^\n]+" do
      local a, b = row:match "(%S+) (%S+)"
      rows[#rows + 1] = { tonumber(a), tonumber(b) }
    end
    return rows
  end

  it("finds centres, saddles and separatrices of the pendulum", function()
    local S = pendulum()
    local file = folder .. "/portrait.svg"
    local p = S:portrait{ "theta", "theta'", n = 8, t = 8, file = file }
    assert.are.equal(3, #p.equilibria)
    for i, e in ipairs{ { -math.pi, "saddle" }, { 0, "centre" }, { math.pi, "saddle" } } do
      check.near(p.equilibria[i].x, e[1], 1e-9)
      assert.are.equal(e[2], p.equilibria[i].kind)
    end
    -- arbiter: the energy of the separatrix, theta'^2/2 - cos theta = 1
    local rows = rows_of(p.script, "separatrix")
    assert(#rows > 500)
    for _, row in ipairs(rows) do check.near(row[2]^2/2 - math.cos(row[1]), 1, 1e-6) end
    for _, row in ipairs(rows) do assert(math.abs(row[1]) <= math.pi + 1e-9) end
    holds(content(file), ">centre<", ">saddle<", ">θ<", ">θ\u{307}<", "-π/2<")
  end)

  it("tells stable from unstable, and follows given starts", function()
    local S, theta = pendulum()
    S:force(theta, -theta.dot/5)
    local p = S:portrait{ n = 4, t = 2, file = folder .. "/damped.svg" }
    assert.are.equal("stable", p.equilibria[2].kind)
    p = S:portrait{ starts = { { 1, 0 }, { q = { theta = 2 }, v = { theta = 0 } } }, t = 3, equilibria = false, field = false, file = folder .. "/starts.svg" }
    assert.are.same({}, p.equilibria)
    lacks(p.script, "vectors", "separatrix")
    assert.are.equal(1, select(2, p.script:gsub("%$d%d+ << EOD", "")))
  end)

  it("calls nothing a centre or a saddle that is none", function()
    local function kind(potential, force)
      local S = hm.system "particle"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(potential(x))
      if force then S:force(x, force(x)) end
      return S:portrait{ box = { { -2, 2.1 }, { -1, 1 } }, n = 4, t = 1, field = false, file = folder .. "/kind.svg" }.equilibria[1].kind
    end
    local function spring(x) return x^2/2 end
    assert.are.equal("centre", kind(spring))
    assert.are.equal("saddle", kind(function(x) return -x^2/2 end))
    -- friction of higher order: the linear equations have a centre, the motion decays
    assert.are.equal("equilibrium", kind(spring, function(x) return -x.dot^3 end))
    -- the slope vanishes
    assert.are.equal("equilibrium", kind(function(x) return -x^4/4 end))
    assert.are.equal("unstable", kind(spring, function(x) return x.dot/5 end))
  end)

  it("refuses what it cannot choose", function()
    local S, theta = pendulum()
    check.raises({ "one quantity against another", "1 are given" }, S.portrait, S, { "theta" })
    check.raises({ "box is the ranges", "lower end" }, S.portrait, S, { box = { { 1, 0 }, { 0, 1 } } })
    check.raises({ "starts is an empty list" }, S.portrait, S, { starts = {} })
    check.raises({ "start 1", "pair of numbers" }, S.portrait, S, { starts = { { 1 } } })
    check.raises({ "unknown option 'boxes'" }, S.portrait, S, { boxes = 1 })
    S:force(theta, hm.sin(hm.t))
    check.raises({ "depends on t", "starts are missing" }, S.portrait, S, {})
    check.raises({ "no field and no equilibria", "depends on t" }, S.portrait, S, { field = true, starts = { { 0, 0 } } })
    local D = hm.system "spring"
    local x = D:coordinates "x"
    D:kinetic_energy(x.dot^2/2)
    D:potential_energy(x^2/2)
    check.raises({ "the box is missing", "x and x'" }, D.portrait, D, {})
    local E = hm.system "nothing"
    check.raises({ "nothing has no coordinates yet" }, E.portrait, E, {})
  end)
end)

describe("a picture that is kept", function()
  it("is written to a file later, the same as one that was drawn there", function()
    local S = hm.system "line"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 3 }
    local kept = run:plot("x", { size = { 400, 300 } })
    local text = tostring(kept)
    assert.are.equal(kept, kept:save(folder .. "/later.svg"))
    run:plot("x", { size = { 400, 300 }, file = folder .. "/now.svg" })
    -- axes of a file bear signs where the terminal shows names; all else is the same
    local later, now = content(folder .. "/later.svg"), content(folder .. "/now.svg")
    assert.are.equal(now:match "<path stroke='rgb.-</g>", later:match "<path stroke='rgb.-</g>")
    assert(later:find 'width="400" height="300"', later:sub(1, 300))
    assert.are.equal(text, tostring(kept))
    check.raises({ "neither in .png nor .svg nor .pdf" }, kept.save, kept, "x.gif")
    check.raises({ "takes the name of a file" }, kept.save, kept)
  end)
end)
