-- basins and periods of charts: one label for one attractor, none for motions that reach none; a row depends on its own run
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local cos, duffing, near = hm.cos, mechanics.duffing, check.near

local function counts(C)
  local list = {}
  for _, row in ipairs(C) do list[row.label or row.status] = (list[row.label or row.status] or 0) + 1 end
  return list
end

local function oscillator(damping)
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  local c = S:parameters "c=0"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  S:force(x, -c*x.dot)
  return function(o)
    o.of, o.over, o.v, o.parameters = o.of or "basin", o.over or { { "x", hm.range(0.1, 1, 10) } }, { x = 0 }, { c = damping }
    return S:chart(o)
  end, S, x
end

describe("basins", function()
  it("of a limit cycle have one label, whatever the time, the section and the shape of the cycle", function()
    local S, x = mechanics.van_der_pol()
    local over = { { "x", hm.range(-3, 3, 9) }, { "x'", hm.range(-3, 3, 9) } }
    for _, o in ipairs{ { t = 30 }, { t = 100 }, { t = 100, parameters = { mu = 5 } }, { t = 100, section = { when = x } }, { t = 100, skip = 80 } } do
      o.over, o.of = over, "basin"
      local C = S:chart(o)
      local found = counts(C)
      -- the start at rest stays there, and no other motion comes to it
      assert(found["1"] == 80 and found.none == 1 and C:at(0, 0).label == "none", tostring(C))
    end
    -- a window shorter than the period does not show the cycle
    local C = S:chart{ over = over, of = "basin", t = 12 }
    assert(counts(C).unsettled == 80 and tostring(C):find("unsettled: ", 1, true), tostring(C))
  end)

  it("of a cycle that is reached before the first point of a section have its label, and starts on the cycle have none", function()
    local S, x = mechanics.van_der_pol()
    local over = { { "x", { 0.5, 1, 3 } }, { "x'", { 0.1, -0.1, 2 } } }
    for _, section in ipairs{ { when = x }, { when = x.dot, direction = "falling" }, { when = x - 1, direction = "both" } } do
      for _, mu in ipairs{ 0.3, 1, 2, 5 } do
        local C = S:chart{ over = over, of = "basin", t = 200, section = section, parameters = { mu = mu } }
        assert.same({ ["1"] = 9 }, counts(C), ("mu = %g: %s"):format(mu, tostring(C)))
      end
      -- states of one period of a run that has long been on the cycle: nothing arrives there
      for _, mu in ipairs{ 1, 5 } do
        local run = S:simulate{ q = { x = 2 }, v = { x = 0 }, t = 120, parameters = { mu = mu }, rtol = 1e-11, atol = 1e-12 }
        for k = 1, 7 do
          local start = run:at(100 + 1.7*k)
          local row = S:chart{ over = { { "x", { start.x } } }, v = { x = start.v.x }, of = "basin", t = 200, section = section, parameters = { mu = mu } }[1]
          assert.equal("none", row.label)
        end
      end
    end
  end)

  it("of two mirrored cycles are told apart by a section on which the motions start", function()
    local S = hm.system "mirrored"
    local u, v = S:coordinates "u v"
    S:kinetic_energy((u.dot^2 + v.dot^2)/2)
    S:potential_energy((u^2 + v^2)/2)
    -- the speed on the circle comes to 1, and u^2 + v^2 to 1: the sense of the turn is that of the start
    local rest, growth = 1 - u.dot^2 - v.dot^2, (u.dot*u + v.dot*v)/2
    S:force(u, u.dot*rest - growth*u)
    S:force(v, v.dot*rest - growth*v)
    for _, section in ipairs{ { when = v }, { when = v, direction = "falling" }, { when = v, direction = "both" }, { when = v - 0.1 } } do
      local C = S:chart{ over = { { "u", { 0.5, 1, 1.5 } }, { "v'", { -1, -0.5, 0.5, 1 } } }, q = { v = 0 }, v = { u = 0.1 }, of = "basin", t = 400,
        section = section }
      for _, row in ipairs(C) do assert.equal(row["v.v"] < 0 and "1" or "2", row.label) end
    end
    -- motions of a conservative system arrive nowhere, whatever the section
    local P = hm.system "pendulum"
    local p = P:coordinates "p"
    P:kinetic_energy(p.dot^2/2)
    P:potential_energy(-cos(p))
    for _, section in ipairs{ { when = p }, { when = p - 0.1, direction = "both" }, { when = p.dot - p } } do
      local C = P:chart{ over = { { "p", hm.range(0.12, 2.9, 15) } }, v = { p = 0.05 }, of = "basin", t = 400, section = section }
      for _, row in ipairs(C) do assert.truthy(row.label == "none" or row.label == "unsettled", tostring(C)) end
      assert.truthy(counts(C).none > 12, tostring(C))
    end
    -- tori of Henon and Heiles, whose points are close together after a long time
    local H = hm.system "two frequencies"
    local a, b = H:coordinates "a b"
    H:kinetic_energy((a.dot^2 + b.dot^2)/2)
    H:potential_energy((a^2 + b^2)/2 + a^2*b - b^3/3)
    for _, section in ipairs{ { when = a }, { when = b.dot } } do
      local C = H:chart{ over = { { "energy", { 0.02, 0.08 } }, { "b", hm.range(-0.1, 0.2, 7) } }, q = { a = 0 }, v = { b = 0.05 }, of = "basin", t = 5000,
        section = section, radius = 0.1 }
      for _, row in ipairs(C) do assert.truthy(row.label == "none" or row.label == "unsettled", tostring(C)) end
      assert.truthy(counts(C).none > 2, tostring(C))
    end
  end)

  it("of rest within a cycle, and of oscillators in phase and against each other, are told apart", function()
    for _, mu in ipairs{ 0.3, 2 } do
      local S = hm.system "rest and cycle"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(x^2/2)
      S:force(x, -mu*x.dot*(1 - hm.rational(7, 4)*x^2 + hm.rational(3, 8)*x^4))
      -- the unstable cycle between both lies at about 2: with a small mu its amplitude is the root of 1 - 7/16 a^2 + 3/64 a^4
      local C = S:chart{ over = { { "x", hm.range(0.1, 4, 20) } }, v = { x = 0 }, of = "basin", t = 200 }
      for i, row in ipairs(C) do assert(row.label == (i <= 10 and "1" or "2"), tostring(C)) end
    end
    local P = hm.system "two clocks"
    local a, b = P:coordinates "a b"
    P:kinetic_energy((a.dot^2 + b.dot^2)/2)
    P:potential_energy((a^2 + b^2)/2 + (a - b)^2/4)
    P:force(a, (1 - a^2)*a.dot)
    P:force(b, (1 - b^2)*b.dot)
    local C = P:chart{ over = { { "b", { -1.5, -1, 1, 1.5 } } }, q = { a = 1 }, v = { a = 0, b = 0 }, of = "basin", t = 400 }
    for i, label in ipairs{ "1", "1", "2", "2" } do assert(C[i].label == label, tostring(C)) end
  end)

  it("of two driven cycles are the same by turning points and by the stroboscope", function()
    local S = duffing()
    local over = { { "x", hm.range(-1.5, 1.5, 7) }, { "x'", hm.range(-1, 1, 6) } }
    local free = S:chart{ over = over, of = "basin", t = 300 }
    local strobe = S:chart{ over = over, of = "basin", t = 300, stroboscope = 2*hm.pi/hm.rational(6, 5) }
    local given = S:chart{ over = over, of = "basin", t = 300, attractors = { left = { x = -1 }, right = { x = 1 } }, radius = 0.7 }
    local found = counts(free)
    assert(found["1"] and found["2"] and found["1"] + found["2"] == 42, tostring(free))
    for i, row in ipairs(free) do
      assert(strobe[i].label == row.label)
      assert((given[i].label == given[1].label) == (row.label == free[1].label))
    end
  end)

  it("have no label for motions that reach nothing", function()
    local F = hm.system "free particle"
    local u = F:coordinates "u"
    F:kinetic_energy(u.dot^2/2)
    local C = F:chart{ over = { { "u'", { -1, 0, 0.5, 1 } } }, q = { u = 0 }, of = "basin", t = 100 }
    assert(counts(C).none == 4, tostring(C))
    -- circles about a centre; a slow spiral; one that has come to rest; one that grows
    assert(counts(oscillator(0){ t = 100 }).none == 10)
    for _, damping in ipairs{ 3e-3, 1e-2, 5e-2, -1e-2 } do assert(counts(oscillator(damping){ t = 100 }).unsettled == 10, damping) end
    for _, damping in ipairs{ 0.3, 1, 3 } do assert(counts(oscillator(damping){ t = 100 })["1"] == 10, damping) end
  end)

  it("and periods with impacts depend on what gaps depend on", function()
    -- of a falling ball the height is in no equation but that of the gap
    local function ball(amplitude)
      local S = hm.system "ball"
      local h = S:coordinates "h"
      S:kinetic_energy(h.dot^2/2)
      S:force(h, -1)
      S:unilateral("table", h - amplitude*hm.sin(hm.t), { law = hm.newton(1/2) })
      return S, { over = { { "h", { 2, 2.5, 3 } } }, v = { h = 0 }, of = "basin", t = 200 }
    end
    local rest, o = ball(0)
    assert(counts(rest:chart(o))["1"] == 3)
    local shaken, p = ball(hm.rational(13, 10))
    assert(counts(shaken:chart(p))["1"] == 3, "one impact in a period: the ball turns on one side only")
    p.stroboscope = 2*hm.pi
    assert(counts(shaken:chart(p))["1"] == 3)
    p.of, p.most = "period", 4
    for _, row in ipairs(shaken:chart(p)) do assert(row.period == 1) end
  end)

  it("are none of conservative motions, and not those of a saddle that motions come near", function()
    local S = hm.system "two wells"
    local x = S:coordinates "x"
    local c = S:parameters "c=0"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^4/4 - x^2/2)
    S:force(x, -c*x.dot)
    assert.equal("none", S:chart{ over = { { "x", { 1.2 } } }, v = { x = 0 }, of = "basin", t = 200 }[1].label)
    -- which comes back to the saddle, and leaves it by errors
    local at_saddle = S:chart{ over = { { "x", { math.sqrt(2), 1e-9, 1e-5 } } }, v = { x = 0 }, of = "basin", t = 200 }
    for _, row in ipairs(at_saddle) do
      assert(row.status == "INACCURATE" and row.reason:find("errors of the run decide", 1, true), tostring(row.reason))
    end
    -- towards the saddle along its stable direction, s^2 - c s - 1 = 0
    local s = (0.1 + math.sqrt(4.01))/2
    local row = S:chart{ over = { { "x", { 1e-3 } } }, v = { x = -s*1e-3 }, parameters = { c = 0.1 }, of = "basin", t = 8 }[1]
    assert(row.label == "unsettled" and row.reason:find("unstable state of rest", 1, true), tostring(row.reason))
  end)

  it("stay undecided where nothing turns", function()
    local S = hm.system "driven cart"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, cos(hm.t) - x.dot/4)
    local o = { over = { { "x'", { -1, 1 } } }, q = { x = 0 }, of = "basin", t = 100 }
    local C = S:chart(o)
    assert(counts(C).unsettled == 2 and C[1].reason:find("no coordinate turns", 1, true))
    o.stroboscope = 2*hm.pi
    assert(counts(S:chart(o))["1"] == 2)
  end)

  -- closed form: a linear damped driven oscillator has one attractor at each w, from which all motions are e^-20 at the end of the time
  it("of one attractor that a parameter moves have one label, near others or not", function()
    local O = hm.system "oscillator"
    local s, w = O:coordinates "s", O:parameters "w=2"
    O:kinetic_energy(s.dot^2/2)
    O:potential_energy(s^2/2)
    O:force(s, -s.dot/5 + hm.cos(w*hm.t))
    local C = O:chart{ over = { { "w", hm.range(2.5, 3.2, 29) }, { "s'", { -1, 1 } } }, q = { s = 0 }, of = "basin", t = 200, stroboscope = 2*hm.pi/w }
    for i, row in ipairs(C) do assert.equal("1", row.label, ("row %d, w = %g: %s"):format(i, row.w, row.reason)) end
  end)

  -- x = -sqrt mu, 0 and sqrt mu: the two wells keep their labels where mu grows, and from four starts none is undecided
  it("of two attractors that part along a parameter are those of their sides", function()
    local P = hm.system "pitchfork"
    local x, mu = P:coordinates "x", P:parameters "mu=1"
    P:kinetic_energy(x.dot^2/2)
    P:potential_energy(x^4/4 - mu*x^2/2)
    P:force(x, -x.dot)
    local C = P:chart{ over = { { "mu", hm.range(0.5, 1.5, 33) }, { "x", { -1.2, -0.6, 0.6, 1.2 } } }, v = { x = 0 }, of = "basin", t = 150 }
    local of = {}
    for _, row in ipairs(C) do
      local run = P:simulate{ q = { x = row["q.x"] }, v = { x = 0 }, parameters = { mu = row.mu }, t = 150 }
      local side = run:at(150).x > 0 and "right" or "left"
      of[side] = of[side] or row.label
      assert.equal(of[side], row.label, ("mu = %g, x = %g"):format(row.mu, row["q.x"]))
    end
    assert.same({ "1", "2" }, { of.left, of.right })
  end)

  -- x'' = a + b x - x^3 - x': motions come to rest at a root, whose sign a run tells. The two sheets of roots are one beyond the cusp at a = b = 0; there
  -- the label changes where the root moves fastest, at a = 0
  it("of the two sheets of a cusp are two, over coarse and over fine grids, and a note tells where it is not decided", function()
    local P = hm.system "cusp"
    local x = P:coordinates "x"
    local a, b = P:parameters "a=0 b=0"
    P:kinetic_energy(x.dot^2/2)
    P:force(x, a + b*x - x^3 - x.dot)
    local function is_negative(row)
      return P:simulate{ q = { x = row["q.x"] }, v = { x = 0 }, parameters = { a = row.a, b = row.b }, t = 150 }:at(150).x < 0
    end
    for _, n in ipairs{ 10, 16 } do
      local C = P:chart{ over = { { "a", hm.range(-1, 1, n) }, { "b", hm.range(-1, 1.5, n) }, { "x", { -1.5, 1.5 } } }, v = { x = 0 }, of = "basin", t = 150,
        progress = false }
      for _, row in ipairs(C) do assert.equal(is_negative(row) and "1" or "2", row.label, ("a = %g, b = %g"):format(row.a, row.b)) end
      assert(tostring(C):find("whether they are one is not decided there", 1, true), tostring(C))
    end
  end)

  -- dry friction: every state of rest with |x| below 1 stays for ever
  it("of motions that end at rest in a whole band are each near one of them", function()
    local O = hm.system "block"
    local x = O:coordinates "x"
    O:kinetic_energy(x.dot^2/2)
    O:potential_energy(x^2/2)
    O:friction("dry", { slip = x.dot, normal = 1, coefficient = 1 })
    local C = O:chart{ over = { { "x", hm.range(-5, 5, 101) } }, v = { x = 0 }, of = "basin", t = 60 }
    for _, row in ipairs(C) do assert.not_equal("unsettled", row.label, tostring(row.reason)) end
  end)

  it("do not depend on threads, and tell motions that end apart from one attractor", function()
    local S = duffing()
    local o = { over = { { "x", hm.range(-1.5, 1.5, 5) }, { "x'", hm.range(-1, 1, 4) } }, of = "basin", t = 200 }
    local all = {}
    for threads = 1, 2 do
      o.threads = threads
      all[threads] = S:chart(o)
    end
    for i, row in ipairs(all[1]) do assert(row.label == all[2][i].label and row.points == nil and row.spread == nil) end
    -- two bodies with a spring between them and with friction: every place is an end
    local L = hm.system "line of rest"
    local x, y = L:coordinates "x y"
    L:kinetic_energy((x.dot^2 + y.dot^2)/2)
    L:potential_energy((x - y)^2/2)
    L:force(x, -x.dot)
    L:force(y, -y.dot)
    local function ends(count)
      return tostring(L:chart{ over = { { "x", hm.range(0, 1, count) } }, q = { y = 0 }, v = { x = 0, y = 0 }, of = "basin", t = 100 })
    end
    assert(ends(90):find("end apart", 1, true), ends(90))
    assert(ends(20):find("19 of 19 motions end where no other one does", 1, true), ends(20))
  end)

  it("in files are read with line ends of another kind, and another file is left alone", function()
    local chart = oscillator(0.3)
    local path = os.tmpname() .. ".jsonl"
    local function written(text)
      local file = assert(io.open(path, "wb"))
      file:write(text)
      file:close()
    end
    local C = chart{ t = 50, out = path }
    local file = assert(io.open(path, "rb"))
    local text = file:read "a"
    file:close()
    written((text:gsub("\n", "\r\n")))
    local again = chart{ t = 50, out = path }
    for i, row in ipairs(again) do assert(row.label == C[i].label and row.steps == C[i].steps) end
    file = assert(io.open(path, "rb"))
    assert.equal(#text + 11, #file:read "a")
    file:close()
    written "x, y\n1, 2\n"
    check.raises({ "is no file of a sweep" }, chart, { t = 50, out = path })
    os.remove(path)
  end)

  it("by given attractors that cannot be told apart, or of no use, are refused", function()
    local chart = oscillator(0.3)
    check.raises({ "attractors = {} names none" }, chart, { t = 100, attractors = {} })
    check.raises({ "'a' and 'b' are not apart" }, chart, { t = 100, attractors = { a = { x = 0 }, b = { x = 0.1 } } })
    check.raises({ "'a' and 'b' are not apart" }, chart, { t = 100, attractors = { a = { x = 0 }, b = { ["x'"] = 1 } } })
    check.raises({ "'unsettled' is the label" }, chart, { t = 100, attractors = { unsettled = { x = 0 } } })
    check.raises({ "attractors.a is a table of values" }, chart, { t = 100, attractors = { a = {} } })
    check.raises({ "radius = 2 is relative", "below 1" }, chart, { t = 100, radius = 2 })
    assert(counts(chart{ t = 100, attractors = { rest = { x = 0 }, far = { x = 5 } } }).rest == 10)
  end)
end)

describe("periods", function()
  it("of a row depend on its own run alone", function()
    local S = duffing()
    local drive = 2*math.pi/1.2
    local function period_of(list)
      local C = S:chart{ over = { { "g", list } }, q = { x = 0.43 }, v = { x = 0.33 }, of = "period", stroboscope = drive, t = 800*drive, skip = 700*drive,
                         rtol = 1e-10, most = 8 }
      local by = {}
      for _, row in ipairs(C) do by[row.g] = row.period end
      return by
    end
    -- far motions beside it made the extent larger, and the last doublings were not seen
    local alone, together = period_of{ 0.2915 }, period_of{ 0.28, 0.2915, 40 }
    assert(alone[0.2915] == 8 and together[0.2915] == 8 and together[0.28] == 2)
    local chart, _, x = oscillator(0)
    local function swing(list, close)
      return chart{ of = "period", over = { { "x", list } }, section = { when = x.dot, direction = "falling" }, t = 60, most = 4, close = close, rtol = 1e-11 }
    end
    assert(swing({ 1 })[1].period == 1 and swing({ 1, 1e6 })[1].period == 1)
    -- a spiral does not return, also beside a start that is far away: it comes to rest
    local spiral = oscillator(0.01)
    local C = spiral{ of = "period", over = { { "x", { 1, 1e4 } } }, section = { when = x.dot, direction = "falling" }, t = 60, most = 4 }
    for k = 1, 2 do assert(C[k].period == nil and C[k].status == "UNDECIDED" and C[k].reason:find("has not settled", 1, true), tostring(C)) end
  end)

  it("are none where only ignorable coordinates move, and 1 at rest", function()
    local F = hm.system "free particle"
    local u = F:coordinates "u"
    F:kinetic_energy(u.dot^2/2)
    local C = F:chart{ over = { { "u'", { 0, 1 } } }, q = { u = 0 }, of = "period", stroboscope = 1, t = 40 }
    assert(C[1].period == 1 and C[2].period == 0 and C[2].reason:find("steady motion: only u", 1, true))
    assert(tostring(C):find("steady", 1, true), tostring(C))
  end)

  it("of motions with two frequencies that come back by chance are none", function()
    -- the two swings come back within 1 % of their extent after 7 and 5 of their periods
    local S = hm.system "two oscillators"
    local x, y = S:coordinates "x y"
    local w = S:parameters "w=1"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy((x^2 + w^2*y^2)/2)
    local o = { over = { { "w", { 7/5, 7/5 + 1e-3, math.sqrt(2) } } }, q = { x = 1, y = 1 }, v = { x = 0, y = 0 }, of = "period", stroboscope = 2*hm.pi,
                t = 700, rtol = 1e-11, close = 0.01 }
    local C = S:chart(o)
    assert(C[1].period == 5 and C[2].period == 0 and C[3].period == 0, tostring(C))
    o.over[1][2], o.close = { 7/5, 7/5 + 1e-9 }, 1e-4
    C = S:chart(o)
    -- a drift that stays within `close` over all points is not seen
    assert(C[1].period == 5 and C[2].period == 5)
  end)

  it("are not decided where the motion still settles and has come near a multiple", function()
    -- a forced motion that repeats after 3 points, and a free swing beside it that turns by a third in 3 points and hardly decays: 9 points are closer
    local S, c = hm.system "forced", 0.002
    local x = S:coordinates "x"
    local square = (4/3)^2 + c^2
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(square*x^2/2)
    S:force(x, cos(hm.t) - 2*c*x.dot)
    local D = (square - 1)^2 + 4*c^2
    local start, size = { (square - 1)/D, 2*c/D }, 2/math.sqrt(D)
    local C = S:chart{ over = { { "x", { start[1], start[1] + 2e-6*size, start[1] + 1e-3*size } } }, v = { x = start[2] }, of = "period", most = 12,
                       stroboscope = 2*hm.pi/3, t = 100, rtol = 1e-12, atol = 1e-13 }
    assert(C[1].period == 3 and C[1].status == "OK")
    assert(C[2].period == nil and C[2].status == "UNDECIDED" and C[2].reason:find("after 9 points, and after 3 to", 1, true), C[2].reason)
    assert(C[3].period == nil and C[3].status == "UNDECIDED")
    assert(C[3].reason:find("after 9 points it is .- off, .* more than close = 1e%-06.*where it still settles"), C[3].reason)
  end)

  it("are not none where the motion is still on its way", function()
    -- near its doublings a driven pendulum settles slowly, at g = 1.46 by 0.2 % in a period; arbiter: the same runs, much longer
    local S = hm.system "driven pendulum"
    local theta, g = S:coordinates "theta", S:parameters "g=1"
    S:kinetic_energy(theta.dot^2/2)
    S:potential_energy(-cos(theta))
    S:force(theta, g*cos(2*hm.t/3) - theta.dot/2)
    local T = 3*math.pi
    local function chart(skip, count, values)
      return S:chart{ over = { { "g", values } }, q = { theta = 0.2 }, v = { theta = 0 }, of = "period", stroboscope = T, skip = skip*T, t = count*T }
    end
    local slow = { 1.4075, 1.42, 1.4275, 1.46 }
    local long = chart(1400, 1450, slow)
    assert.same({ 1, 1, 2, 4 }, { long[1].period, long[2].period, long[3].period, long[4].period })
    for _, row in ipairs(chart(20, 80, slow)) do assert.same("UNDECIDED", row.status, tostring(row.g)) end
    local last = chart(340, 400, { 1.46, 1.5 })
    assert(last[1].status == "UNDECIDED" and last[1].reason:find("after 4 points", 1, true), last[1].reason)
    assert.same({ "OK", 0 }, { last[2].status, last[2].period })                -- chaos
  end)

  -- x'' + c x' + 17/10 x = cos(w t): what is left of the start beats with the drive and shrinks by e^(-c T/2) from point to point, however slowly
  it("are not none where the distances beat while they shrink, and none where they only beat", function()
    local S = hm.system "driven"
    local x = S:coordinates "x"
    local w, c = S:parameters "w=1 c=0"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2*17/20)
    S:force(x, -c*x.dot + cos(w*hm.t))
    local C = S:chart{ over = { { "c", { 0, 1e-5, 1e-4, 3e-4, 1e-3, 1.5e-3, 3e-3, 1e-1 } }, { "w", { 1, 2/3, 0.5 } } }, q = { x = 0 }, v = { x = 0 },
      of = "period", stroboscope = 2*hm.pi/w, t = 2000*math.pi, skip = 1800*math.pi }
    for _, row in ipairs(C) do
      assert.equal(row.c == 0 and "OK 0" or row.c == 0.1 and "OK 1" or "UNDECIDED nil", ("%s %s"):format(row.status, row.period), tostring(row.reason))
    end
    -- tori of a conservative system and of driven self-excited motions are no such beats
    local P = hm.system "shaken"
    local p = P:coordinates "p"
    P:kinetic_energy(p.dot^2/2)
    P:potential_energy(-cos(p)*(1 + cos(hm.t)/100))
    for _, row in ipairs(P:chart{ over = { { "p", hm.range(0.1, 2.4, 10) } }, v = { p = 0 }, t = 1000, of = "period", stroboscope = 2*hm.pi }) do
      assert.equal("OK 0", ("%s %s"):format(row.status, row.period), tostring(row.reason))
    end
  end)

  -- x'' + c x' + x + x^3 = g cos t at c = 1/1000 has settled after 31/c: a run so long has the period 1, and one of 6 000 must not deny it
  it("are not decided where damping has had no time to settle the motion, or where it grows", function()
    local S = hm.system "hard spring"
    local x = S:coordinates "x"
    local c, b, g = S:parameters "c=0 b=1 g=0"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2 + b*x^4/4)
    S:force(x, -c*x.dot + g*cos(hm.t))
    local T = 2*math.pi
    local function row(values, start, count)
      return S:chart{ over = { { "x", { start } } }, v = { x = 0 }, parameters = values, of = "period", stroboscope = T, t = count*T,
                      skip = (count - 100)*T, rtol = 1e-10 }[1]
    end
    for _, damping in ipairs{ 1e-5, 1e-4, 1e-3 } do
      local r = row({ c = damping, g = 0.1 }, 0.2, 1000)
      assert(r.status == "UNDECIDED" and r.reason:find("damping is weak", 1, true), tostring(r.reason))
    end
    assert.same({ "OK", 1 }, { row({ c = 1e-3, g = 0.1 }, 1, 5600).status, row({ c = 1e-3, g = 0.1 }, 1, 5600).period })
    assert.equal(0, row({ c = 0, g = 0.1 }, 1, 1000).period)                     -- nothing settles there
    -- x'' + x = cos t: x = cos t + t sin t/2
    local r = row({ c = 0, b = 0, g = 1 }, 1, 110)
    assert(r.status == "UNDECIDED" and r.reason:find("x' grows all the time", 1, true), tostring(r.reason))
    assert.equal("UNDECIDED", row({ c = -1e-3, b = 0 }, 1, 1000).status)
  end)

  -- a pendulum with the energy of its upright rest comes there once and for all; beside it, it swings or turns
  it("are not decided where errors choose what follows a passage near rest", function()
    local S = hm.system "pendulum"
    local phi = S:coordinates "phi"
    S:kinetic_energy(phi.dot^2/2)
    S:potential_energy(-cos(phi))
    local C = S:chart{ over = { { "phi'", { 1, 2, 2.1 } } }, q = { phi = 0 }, of = "period", most = 4, t = 2000, section = { when = hm.sin(phi) } }
    assert.same({ 1, 1 }, { C[1].period, C[3].period })
    assert(C[2].status == "INACCURATE" and C[2].reason:find("errors of the run decide", 1, true), tostring(C[2].reason))
  end)

  it("that cannot be read off so few points are refused", function()
    local chart, _, x = oscillator(0.01)
    local C = chart{ of = "period", section = { when = x.dot, direction = "falling" }, t = 60 }
    assert(C[1].status == "NO_POINTS" and C[1].period == nil and C[1].reason:find("most = 16 takes 32 points", 1, true), C[1].reason)
    C = chart{ of = "period", section = { when = x.dot, direction = "falling" }, t = 10 }
    assert(C[1].reason:find("1 point; a period is read off 4", 1, true), C[1].reason)
    check.raises({ "points of the stroboscope 20", "longer t" }, chart, { of = "period", stroboscope = 20, t = 60 })
  end)
end)

describe("options of charts and diagrams", function()
  it("without effect, or of another kind, are named", function()
    local chart, S, x = oscillator(0.1)
    local values, others = { most = 3, n = 1, close = 0.5, radius = 0.5 }, { exponents = { "most", "close", "radius" }, period = { "radius", "n" },
      basin = { "most", "close", "n" }, rotation = { "most", "radius" } }
    for kind, refused in pairs(others) do
      for _, name in ipairs(refused) do
        check.raises({ ("'%s' has no effect with of = \"%s\""):format(name, kind) }, chart, { of = kind, t = 50, [name] = values[name] })
      end
    end
    check.raises({ "'angle' has no effect", "\"rotation\"" }, chart, { of = "exponents", t = 50, angle = "x" })
    check.raises({ "'stroboscope' has no effect with of = measures" }, chart, { of = { "max x" }, t = 50, stroboscope = 3 })
    check.raises({ "measures, or a function, not a number" }, chart, { of = 3, t = 50 })
    check.raises({ "of = {} asks for nothing" }, chart, { of = {}, t = 50 })
    check.raises({ "of[1] is an expression or a name, not a number" }, chart, { of = { 1 }, t = 50 })
    check.raises({ "measures are given in a list" }, chart, { of = hm.highest(x), t = 50 })
    check.raises({ "the function returns a number", "the text \"big\"" }, chart, { of = function() return "big" end, t = 5 })
    check.raises({ "escape' is an expression, not number" }, chart, { of = "exponents", t = 50, escape = 1 })
    check.raises({ "escape = 1/2 is a constant" }, chart, { of = "exponents", t = 50, escape = hm.rational(1, 2) })
    check.raises({ "both ends must be finite" }, chart, { of = "exponents", t = math.huge })
    check.raises({ "t is the end time, or { start, end }" }, chart, { of = "exponents", t = {} })
    check.raises({ "'n' = inf is not a whole number" }, chart, { of = "exponents", t = 50, n = math.huge })
    check.raises({ "'n' = 1e+300 is too large" }, chart, { of = "exponents", t = 50, n = 1e300 })
    check.raises({ "'rtol' = inf is not finite" }, chart, { of = "exponents", t = 50, rtol = math.huge })
    check.raises({ "branch: 'y' is not a coordinate" }, chart, { of = "exponents", t = 50, branch = { y = 1 } })
    check.raises({ "branch.x is the sign" }, chart, { of = "exponents", t = 50, branch = { x = "up" } })
    local function diagram(o)
      o.along, o.of, o.q, o.v, o.skip, o.n = o.along or { "c", { 0, 0.1 } }, o.of or "x", { x = 1 }, { x = 0 }, 0, 4
      return S:diagram(o)
    end
    check.raises({ "leave t out" }, diagram, { stroboscope = 1, t = 5 })
    check.raises({ "the end time t is missing", "such as t = 1000" }, diagram, { section = { when = x } })
    check.raises({ "the end is finite and after the start" }, diagram, { section = { when = x }, t = -5 })
    check.raises({ "back has no effect with follow = false" }, diagram, { stroboscope = 1, back = true, follow = false })
    check.raises({ "'of' is a string or an expression, not number" }, diagram, { stroboscope = 1, of = 3 })
    check.raises({ "value 1 of 'c' is nan" }, diagram, { stroboscope = 1, along = { "c", { 0/0 } } })
    near(diagram{ stroboscope = math.pi, t = { math.pi } }[1].values[1], -1, 1e-8)
    -- a value at a pole is none: cos t at (k - 1/2) pi
    for _, follow in ipairs{ true, false } do
      local D = diagram{ along = { "c", { 0 } }, of = 1/x, stroboscope = hm.pi/2, follow = follow }
      assert(D[1].status == "NOT_FINITE" and #D[1].values == 2 and D[1].reason:find("x is zero there", 1, true), tostring(D))
      for _, value in ipairs(D[1].values) do near(math.abs(value), 1, 1e-8) end
      assert(#diagram{ along = { "c", { 0 } }, of = 1/x, section = { when = x }, t = 30, follow = follow }[1].values == 0)
    end
  end)

  -- x'' = -x'/2 + u h - u^3 h with u = (x - p)/h: the same motion whatever p and h; the left two motions come to p - h, the right two to p + h
  it("are the same however far from zero, and however small, a motion is, or are not told", function()
    local S = hm.system "two wells"
    local x = S:coordinates "x"
    local p, h = S:parameters "p=0 h=1"
    local u = (x - p)/h
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(h^2*(u^4/4 - u^2/2))
    S:force(x, -x.dot/2)
    local function labels(at, size, atol)
      local starts = {}
      for i, part in ipairs{ -1.5, -0.6, 0.6, 1.5 } do starts[i] = at + part*size end
      local C = S:chart{ over = { { "x", starts } }, v = { x = 0 }, parameters = { p = at, h = size }, of = "basin", t = 200,
        atol = atol }
      local list = {}
      for i = 1, #C do
        list[i] = C[i].label
        -- below atol the energy of a run is lost, so that there is no motion to label
        if C[i].status ~= "OK" then
          assert.truthy(C[i].reason:find("smaller atol", 1, true), C[i].reason)
          list[i] = "refused"
        end
        if C[i].label == "unsettled" then assert.truthy(C[i].reason:find("tolerances", 1, true), C[i].reason) end
      end
      return table.concat(list, " ")
    end
    for _, case in ipairs{ { 0, 1 }, { 0, 0.01 }, { 1000, 0.01 }, { 1e6, 1 }, { 1e6, 10 }, { -1e6, 1000 } } do
      assert.equal("1 1 2 2", labels(case[1], case[2]), ("at %g, size %g"):format(case[1], case[2]))
    end
    assert.equal("unsettled unsettled unsettled unsettled", labels(1e6, 0.01))
    assert.equal("1 1 2 2", labels(0, 1e-13))
    assert.equal("refused refused refused refused", labels(0, 1e-13, 1e-12))
  end)
end)
