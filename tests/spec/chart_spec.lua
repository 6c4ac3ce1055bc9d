-- charts: numbers of motions over grids, against closed forms and exact relations
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local contours, maps = require "hamel.show.contours", require "hamel.show.maps"
local cos, duffing, near, K = hm.cos, mechanics.duffing, check.near, mechanics.K

local drive = 2*math.pi/1.2

describe("charts", function()
  it("of exponents: their sum is the divergence, -3/10; a complex pair has -3/20", function()
    local o = { over = { { "g", { 0.2, 0.5 } }, { "x", { 0.1, 0.2 } } }, v = { x = 0.2 }, of = "exponents", t = 2000, skip = 100, rtol = 1e-9 }
    local C = duffing():chart(o)
    assert(#C == 4 and C.seconds)
    for _, row in ipairs(C) do
      near(row.exponents[1] + row.exponents[2], -0.3, 1e-6)
      near(row.sum, -0.3, 1e-6)
      if row.g == 0.2 then near(row.exponents[1], -0.15, 0.02) else assert(row.exponents[1] > 0.03, "chaos") end
    end
    assert(tostring(C):find("chaos %(%+ %-%)"))
    o.threads = 1
    for i, row in ipairs(duffing():chart(o)) do assert(row.exponents[1] == C[i].exponents[1], "the same bits for any number of threads") end
  end)

  it("of periods by a stroboscope, and the diagram of the same", function()
    local P = duffing():chart{ over = { { "g", { 0.26, 0.28, 0.29, 0.2915 } } }, q = { x = 0.43 }, v = { x = 0.33 }, of = "period", stroboscope = drive,
                               t = 800*drive, skip = 700*drive, rtol = 1e-10 }
    for i, want in ipairs{ 1, 2, 4, 8 } do assert(P[i].period == want, "period " .. want) end
    local D = duffing():diagram{ along = { "g", { 0.26, 0.28 } }, of = "x", stroboscope = drive, skip = 400, n = 20, q = { x = 0.43 }, v = { x = 0.33 } }
    near(D[1].values[20], D[1].values[19], 1e-6)
    near(D[2].values[20], D[2].values[18], 1e-6)
    assert(math.abs(D[2].values[20] - D[2].values[19]) > 0.05)
  end)

  it("of periods by a stroboscope whose period depends on the parameters of the run", function()
    local S = hm.system "driven"
    local x = S:coordinates "x"
    local w, g = S:positive "w=6/5 g=1/4"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^4/4 - x^2/2)
    S:force(x, -hm.rational(3, 10)*x.dot + g*cos(w*hm.t))
    local values = { g = { 0.26, 0.28, 0.29 }, w = { 1.1, 1.2, 1.21 } }
    local function chart(over, parameters, period, out)
      return S:chart{ over = over, parameters = parameters, q = { x = 0.43 }, v = { x = 0.33 }, of = "period", stroboscope = period, out = out,
                      t = 2000, skip = 1700, rtol = 1e-10 }
    end
    local file = os.tmpname()
    os.remove(file)
    local all = chart({ { "w", values.w }, { "g", values.g } }, nil, 2*hm.pi/w, file .. ".jsonl")
    local again = chart({ { "w", values.w }, { "g", values.g } }, nil, 2*hm.pi/w, file .. ".jsonl")
    check.raises({ "other" }, chart, { { "w", values.w }, { "g", values.g } }, nil, hm.pi/w, file .. ".jsonl")
    os.remove(file .. ".jsonl")
    local met = {}
    for i, value in ipairs(values.w) do
      local one = chart({ { "g", values.g } }, { w = value }, 2*math.pi/value)
      for k, row in ipairs(one) do
        local same = all[3*(i - 1) + k]
        assert(same.w == value and same.g == values.g[k] and same.period == row.period and again[3*(i - 1) + k].period == row.period)
        met[row.period] = true
      end
    end
    assert(met[1] and met[2], "the test tells periods apart")
    local D = S:diagram{ along = { "w", values.w }, of = "x", stroboscope = 2*hm.pi/w, skip = 300, n = 4, q = { x = 0.43 }, v = { x = 0.33 }, follow = false }
    local one = S:diagram{ along = { "g", { 0.25 } }, of = "x", stroboscope = 2*math.pi/1.1, parameters = { w = 1.1 }, skip = 300, n = 4,
                           q = { x = 0.43 }, v = { x = 0.33 }, follow = false }
    near(D[1].values[4], one[1].values[4], 1e-7)
    check.raises({ "stroboscope = x depends on x", "parameters" }, chart, { { "g", values.g } }, nil, x)
    check.raises({ "stroboscope = g - 1/2 is -0.25 where", "g = 0.25", "above 0" }, chart, { { "w", values.w } }, nil, g - hm.rational(1, 2))
    check.raises({ "stroboscope", "above 0" }, chart, { { "w", values.w } }, nil, -1)
    -- a run without a period is a row
    local d = g - hm.rational(27, 100)
    local T = 2*math.pi/1.2*hm.abs(d)/d
    local C = chart({ { "g", { 0.28, 0.26, 0.29 } } }, nil, T)
    assert(C[1].period and C[3].period and C[2].period == nil and C[2].status == "START" and C[2].g == 0.26)
    assert(C[2].reason:find("^chart: stroboscope = ") and C[2].reason:find("where w = 1.2, g = 0.26; it must be above 0", 1, true), C[2].reason)
    for _, follow in ipairs{ true, false } do
      local B = S:diagram{ along = { "g", { 0.28, 0.26, 0.29 } }, of = "x", stroboscope = T, skip = 3, n = 2, follow = follow,
                           q = { x = 0.43 }, v = { x = 0.33 } }
      assert(#B[1].values == 2 and #B[2].values == 0 and #B[3].values == 2 and B[2].status == "START", tostring(B))
      assert(tostring(B):find("it must be above 0", 1, true))
    end
    local both = { section = { when = x }, stroboscope = 2, q = { x = 0.43 }, v = { x = 0.33 }, of = "period", t = 100, over = { { "g", values.g } } }
    check.raises({ "chart: section and stroboscope", "give one of them" }, S.chart, S, both)
    both.over, both.along, both.of = nil, { "g", values.g }, "x"
    check.raises({ "diagram: section and stroboscope", "give one of them" }, S.diagram, S, both)
  end)

  it("of basins: 800 starts to each of two wells, given or found", function()
    local S = hm.system "two wells"
    local z = S:coordinates "z"
    S:kinetic_energy(z.dot^2/2)
    S:potential_energy(z^4/4 - z^2/2)
    S:force(z, -z.dot/5)
    local over = { { "z", hm.range(-1.95, 1.95, 40) }, { "z'", hm.range(-1.95, 1.95, 40) } }
    for _, attractors in ipairs{ { left = { z = -1 }, right = { z = 1 } }, false } do
      local B = S:chart{ over = over, of = "basin", attractors = attractors or nil, t = 100, rtol = 1e-9 }
      local right, count, from_left = B:at(1.95, 0.05).label, 0, 0
      for _, row in ipairs(B) do
        if row.label == right then count, from_left = count + 1, from_left + (row["q.z"] < 0 and 1 or 0) end
      end
      assert(count == 800 and from_left == 312)
    end
  end)

  it("of rotation numbers of a turning pendulum", function()
    local S = hm.system "pendulum"
    local a = S:coordinates "a"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(-cos(a))
    local R = S:chart{ over = { { "a'", { 2.5, 3, 4 } } }, q = { a = 0 }, of = "rotation", angle = "a", t = 400, rtol = 1e-11, atol = 1e-12 }
    for _, row in ipairs(R) do near(row.rotation, 2*math.pi*row["v.a"]/(4*K(2/row["v.a"])), 1e-8) end
    -- on a torus of two frequencies, the isochrone of Henon, whose mean rate is a closed form: the error falls faster than any power of the time, and
    -- `settled` is no smaller
    local I = hm.system "isochrone"
    local r, phi = I:coordinates "r phi"
    I:kinetic_energy((r.dot^2 + r^2*phi.dot^2)/2)
    I:potential_energy(-1/(1 + hm.sqrt(1 + r^2)))
    local function rate(r0, v)
      local L = r0^2*v
      local E = L^2/(2*r0^2) - 1/(1 + math.sqrt(1 + r0^2))
      return (-2*E)^1.5*(1 + L/math.sqrt(L^2 + 4))/2
    end
    for _, case in ipairs{ { 100, 3e-4 }, { 200, 5e-6 }, { 400, 5e-9 }, { 800, 1e-11 } } do
      local C = I:chart{ over = { { "r", { 1.5, 2 } }, { "phi'", { 0.15, 0.2 } } }, q = { phi = 0 }, v = { r = 0 }, of = "rotation", angle = phi, t = case[1],
                         rtol = 1e-12, atol = 1e-13 }
      for _, row in ipairs(C) do
        local off = math.abs(row.rotation - rate(row["q.r"], row["v.phi"]))
        assert(off < case[2] and off < row.settled + 1e-11, ("t = %g: %.3g, %.3g"):format(case[1], off, row.settled))
      end
    end
    local fixed = I:chart{ over = { { "r", { 1.5 } } }, q = { phi = 0 }, v = { r = 0, phi = 0.2 }, of = "rotation", angle = "phi", t = { 5, 205 }, skip = 50,
                           method = "gauss4", step = 0.02 }
    near(fixed[1].rotation, rate(1.5, 0.2), 1e-4)
    assert(math.abs(fixed[1].rotation - rate(1.5, 0.2)) < fixed[1].settled)
    -- starts on levels of the energy; one below the least possible value is a row
    local L = S:sweep{ over = { { "energy", { -2, -0.5, 0.5 } } }, q = { a = 0 }, t = 20, rtol = 1e-10, branch = { a = -1 },
      keep = { top = hm.highest(a), "a" } }
    assert(L[1].status == "START" and L[1].reason:find("least possible %-1"))
    for i = 2, 3 do near(L[i].top, math.acos(-L[i].energy), 1e-8) end
    -- measures, and a function of the run
    local M = S:chart{ over = { { "energy", { -0.5, 0.5 } } }, q = { a = 0 }, t = 20, rtol = 1e-10, of = { quarter = hm.first(a.dot, "falling"),
      there = hm.at(a, a.dot, "falling") } }
    for _, row in ipairs(M) do
      near(row.quarter, K(math.sqrt((row.energy + 1)/2)), 1e-8)
      near(row.there, math.acos(-row.energy), 1e-8)
    end
    local F = S:chart{ over = { { "energy", { 0.5 } } }, q = { a = 0 }, t = 5, of = function(_, run) return run:at(5).q.a end }
    near(F[1].value, S:simulate{ q = { a = 0 }, v = { a = math.sqrt(3) }, t = 5 }:at(5).q.a, 1e-7)
  end)

  it("of a function give it the row, with the values on the axes, its number and the parameters of the chart", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    local k, c = S:parameters "k=1 c=0"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(k*x^2/2)
    S:force(x, -c*x.dot)
    local C = S:chart{ over = { { "x", { 1, 2 } }, { "x'", { 0.5 } }, { "k", { 4, 9 } } }, parameters = { c = 0.25 }, t = 1,
      of = function(row, run) return 1000*row.index + 100*row["q.x"] + 10*row["v.x"] + row.k + row.c + 0*run:at(1).x end }
    for i, row in ipairs(C) do near(row.value, 1000*i + 100*(i > 2 and 2 or 1) + 5 + (i % 2 == 1 and 4 or 9) + 0.25, 1e-12) end
  end)

  -- A ball on a table that moves as A sin(t), restitution 1/2: struck once in a turn at the phase p where the speeds at impact are 2 pi apart,
  -- cos(p) = pi/(3 A), it leaves at pi and arrives at -pi. At an instant that is one of an impact rounding chose between these
  it("read the state behind an impact at the instants of a stroboscope", function()
    local S = hm.system "ball"
    local h = S:coordinates "h"
    local A = S:parameters "A=1.3"
    S:kinetic_energy(h.dot^2/2)
    S:force(h, -1)
    S:unilateral("table", h - A*hm.sin(hm.t), { law = hm.newton(hm.rational(1, 2)) })
    local phase, T = math.acos(math.pi/3/1.3), 2*math.pi
    local start, off = { h = 1.3*math.sin(phase) + 1 }, 0.5
    for _, later in ipairs{ 0, off } do
      local t0 = phase + later
      local o = { over = { { "A", { 1.3 } } }, q = start, v = { h = 3 }, t = { t0, t0 + 400*T + 1 }, of = "period", stroboscope = T, skip = 300*T }
      local row = S:chart(o)[1]
      assert.truthy(row.status == "OK" and row.period == 1, tostring(row.reason))
      for _, follow in ipairs{ true, false } do
        local D = S:diagram{ along = { "A", { 1.3, 1.3 } }, of = h.dot, stroboscope = T, skip = 300, n = 8, q = start, v = { h = 3 }, t = { t0 },
          follow = follow }
        for i = 1, 2 do
          assert.equal(8, #D[i].values)
          for _, value in ipairs(D[i].values) do near(value, math.pi - later, 1e-8) end
        end
      end
      -- without follow the cycle is the attractor with the value that the ball leaves with
      o.of, o.skip, o.attractors = "basin", 300*T, { struck = { ["h'"] = math.pi - later } }
      assert.equal("struck", S:chart(o)[1].label)
    end
  end)

  it("keep the values of parameters that are named as what a chart puts into its rows", function()
    for name, o in pairs{ sum = { of = "exponents" }, settled = { of = "exponents" }, exponent1 = { of = "exponents" },
                          rotation = { of = "rotation", angle = "x" }, period = { of = "period" }, size = { of = "period" }, points = { of = "basin" },
                          value = { of = function() return 7 end } } do
      local S = hm.system "named"
      local x = S:coordinates "x"
      local c = S:parameters(name .. "=1")
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(x^2/2)
      S:force(x, -c*x.dot)
      o.over, o.v, o.t = { { name, { 0.2, 0.3, 0.4 } }, { "x", { 1, 2 } } }, { x = 0 }, 60
      if o.of == "period" then o.stroboscope, o.most = 1, 2 end
      local C = S:chart(o)
      for i, row in ipairs(C) do near(row["parameters." .. name], ({ 0.2, 0.3, 0.4 })[(i + 1)//2], 0) end
      assert.equal(5, C:at(0.4, 1).index)
    end
  end)

  it("of a function that has no value for some rows say so there, and go on", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    local k = S:positive "k=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(k*x^2/2)
    local o = { over = { { "k", { 1, 4, 9 } } }, q = { x = 1 }, v = { x = 0 }, t = 1, progress = false }
    local function chart(of)
      o.of = of
      return S:chart(o)
    end
    local C = chart(function(p, run)
      if p.k == 4 then return nil end
      if p.k == 9 then error "no such motion" end
      return run:at(1).x
    end)
    near(C[1].value, math.cos(1), 1e-7)
    assert.equal("OK", C[1].status)
    for i, reason in ipairs{ "the function returned nil", "the function raised an error: no such motion" } do
      assert(C[i + 1].status == "NO_VALUE" and C[i + 1].value == nil and C[i + 1].reason == "keep: 'value': " .. reason, C[i + 1].reason)
    end
    assert.truthy(tostring(C):find("0 failed, 2 without a value", 1, true), tostring(C))
    -- a mistake in the function is raised
    check.raises({ "no such motion" }, chart, function() error "no such motion" end)
    check.raises({ "returns a number", "not the text" }, chart, function() return "far" end)
  end)

  it("look at sections: a decaying swing repeats once it is small, a diagram has the amplitudes at the turns", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    local c = S:parameters "c=0"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -c*x.dot)
    local section = { when = x.dot, direction = "falling" }
    local P = S:chart{ over = { { "x", { 1, 2 } } }, v = { x = 0 }, of = "period", section = section, t = 60, rtol = 1e-11, close = 1e-5 }
    for _, row in ipairs(P) do assert(row.period == 1 and row.points == nil) end
    local D = S:diagram{ along = { "c", { 0, 0.1 } }, of = "x", section = section, skip = 1, n = 3, q = { x = 1 }, v = { x = 0 }, t = 40, rtol = 1e-10,
      follow = false }
    local rate, w = 0.05, math.sqrt(1 - 0.05^2)
    for k, value in ipairs(D[1].values) do near(value, 1, 1e-8) assert(k <= 3) end
    for k, value in ipairs(D[2].values) do near(value, math.exp(-rate*2*math.pi*(k + 1)/w), 1e-8) end
    -- runs side by side find what single ones find
    local single = S:diagram{ along = { "c", { 0.1 } }, of = "x", section = section, skip = 1, n = 3, q = { x = 1 }, v = { x = 0 }, t = 40, rtol = 1e-10 }
    assert(#D[2].values == 3 and #single[1].values == 3)
    for k, value in ipairs(single[1].values) do near(D[2].values[k], value, 1e-9) end
    -- with follow a value starts at the time at which the one before ended: the phase of a drive goes on
    local clock = hm.system "clock"
    local u = clock:coordinates "u"
    clock:parameters "g=1"
    clock:kinetic_energy(u.dot^2/2)
    local times = clock:diagram{ along = { "g", { 1, 2, 3 } }, of = "t", section = { when = hm.sin(u), direction = "rising" }, q = { u = 0.1 }, v = { u = 1 },
      t = 10, skip = 0, n = 3 }
    near(times[1].values[1], 2*math.pi - 0.1, 1e-8)
    near(times[2].values[1], 4*math.pi - 0.1, 1e-8)
    near(times[3].values[1], 8*math.pi - 0.1, 1e-8)
    -- a motion that never crosses the section is a row, and printed
    local N = S:chart{ over = { { "x", { 1, 2 } } }, v = { x = 0 }, of = "period", section = { when = x - 1.5 }, t = 30 }
    assert(N[1].status == "NO_POINTS" and N[2].period == 1)
    assert(tostring(N):find("row 1, NO_POINTS: the motion never crosses the section", 1, true), tostring(N))
    local over = { { "x", { 1 } } }
    local never = { along = { "c", { 0, 0.1 } }, of = "x", section = { when = x - 1.5 }, skip = 0, n = 3, q = { x = 1 }, v = { x = 0 }, t = 30 }
    local E = S:diagram(never)
    assert(#E == 2 and E[1].status == "NO_POINTS" and #E[2].values == 0)
    assert(tostring(E):find("2 values without all points; c = 0, NO_POINTS: the motion never crosses the section", 1, true), tostring(E))
    -- only one direction counts, and the reason says which
    assert.truthy(N[1].reason:find('only rising crossings count: direction = "falling" takes the others', 1, true), N[1].reason)
    never.section = { when = x - 1.5, direction = "falling" }
    assert.truthy(S:diagram(never)[1].reason:find('only falling crossings count: direction = "rising" takes the others', 1, true))
    never.section = { when = x - 1.5, direction = "both" }
    assert.falsy(S:diagram(never)[1].reason:find("crossings", 1, true))
    assert(not tostring(E):find("nothing depends", 1, true) and not tostring(D):find("without", 1, true))
    local empty = S:section{ when = x - 1.5, q = { x = 1 }, v = { x = 0 }, t = 30 }
    assert(tostring(empty):find("the motion never meets it from t = 0 to 30", 1, true), tostring(empty))
    check.raises({ "'wen' means nothing" }, S.chart, S, { over = over, of = "period", section = { wen = x }, t = 1, v = { x = 0 } })
    check.raises({ "direction" }, S.chart, S, { over = over, of = "period", section = { when = x, direction = "up" }, t = 1, v = { x = 0 } })
    check.raises({ "from its start" }, S.chart, S, { over = over, of = { "max x" }, skip = 1, t = 3, v = { x = 0 } })
  end)

  local function pendulum()
    local S = hm.system "pendulum"
    local a = S:coordinates "a"
    local k, idle = S:parameters "k=1 idle=2"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(-k*cos(a))
    return S, a, k, idle
  end

  it("of any kind end where motions escape", function()
    local S, a = pendulum()
    local o = { over = { { "a'", { 1, 1.9, 2.1, 3 } } }, q = { a = 0 }, t = 40, escape = a^2 - 9 }
    for _, kind in ipairs{ "exponents", "period", "basin", "rotation", { "max a" } } do
      o.of, o.angle, o.stroboscope, o.most = kind, kind == "rotation" and a or nil, (kind == "period" or kind == "basin") and 2 or nil,
        kind == "period" and 8 or nil
      local C = S:chart(o)
      for i, row in ipairs(C) do assert((row.label == "escaped") == (i > 2) and (i <= 2 or row.status == "EVENT" and row.exponents == nil), tostring(kind)) end
      assert(tostring(C):find("2 escaped, 0 failed", 1, true))
    end
  end)

  it("make no run whose start is beyond the level of escape", function()
    local S, a = pendulum()
    local calls = 0
    S:force(a, function() calls = calls + 1 return 0 end)
    local o = { over = { { "a", { 3.5, 4 } } }, v = { a = 0 }, t = 40, of = { "max a" }, escape = a^2 - 9, progress = false }
    local C = S:chart(o)
    for _, row in ipairs(C) do assert(row.label == "escaped" and row.t == 0 and row.steps == 0) end
    local alone = calls
    o.over = { { "a", { 1, 1.1 } } }
    assert(S:chart(o)[2].status == "OK" and alone < 0.1*calls, ("%d calls of the force without a run, %d with runs"):format(alone, calls))
    -- in threads and lanes nothing but the rows that run takes time
    S = pendulum()
    o = { over = { { "a", hm.range(3.2, 6, 50) } }, v = { a = 0 }, t = 1e7, of = { "max a" }, escape = S:coordinate_list()[1]^2 - 9, progress = false }
    for _, row in ipairs(S:chart(o)) do assert(row.label == "escaped" and row.t == 0 and row.steps == 0 and row.evaluations == 0) end
  end)

  it("say what nothing depends on, keep rows that fail, and draw two axes of more", function()
    local S, a, k, idle = pendulum()
    local o = { over = { { "idle", { 1, 2 } } }, q = { a = 0 }, v = { a = 1 }, of = "exponents", t = 20 }
    assert(tostring(S:chart(o)):find("nothing depends on 'idle'", 1, true))
    o.over = { { "k", { 1, 2 } } }
    assert(not tostring(S:chart(o)):find "nothing depends")
    local diagram = { along = { idle, { 1, 2 } }, of = "a", stroboscope = 1, skip = 2, n = 2, q = { a = 0 }, v = { a = 1 } }
    assert(tostring(S:diagram(diagram)):find("nothing depends on 'idle'", 1, true))
    local sweep = { over = { { "idle", { 1, 2 } } }, q = { a = 0 }, v = { a = 1 }, t = 1 }
    assert(tostring(S:sweep(sweep)):find("nothing depends on 'idle'", 1, true))
    sweep.keep = { e = a*idle }
    assert(not tostring(S:sweep(sweep)):find "nothing depends")
    diagram.of = a*idle
    assert(not tostring(S:diagram(diagram)):find "nothing depends")
    o.over, o.of = { { "idle", { 1, 2 } } }, { top = hm.highest(a*idle) }
    assert(not tostring(S:chart(o)):find "nothing depends")
    -- one start in three has no velocity
    local C = S:chart{ over = { { "energy", { -2, 0.5, 1.5 } } }, q = { a = 0 }, of = "exponents", t = 20 }
    assert(C[1].status == "START" and C[1].exponents == nil and C[2].exponents and C[3].exponents)
    assert(tostring(C):find("1 failed", 1, true) and tostring(C):find("row 1, START: no velocity of a gives energy = -2", 1, true))
    -- what over gives too
    local twice = { over = { { "a", { 0.1, 0.2 } } }, q = { a = 0 }, v = { a = 1 }, t = 1 }
    local said = "'q.a' is given twice: the values of over are used, the one of q is not"
    local W = S:sweep(twice)
    assert(tostring(W):find(said, 1, true), tostring(W))
    twice.of = { e = "energy" }
    assert(tostring(S:chart(twice)):find(said, 1, true))
    twice.q = nil
    assert(not tostring(S:chart(twice)):find("given twice", 1, true))
    local D = S:chart{ over = { { k, { 1, 2 } }, { "a", { 0.1, 0.2 } }, { "a'", { 1, 2 } } }, of = "exponents", t = 20 }
    check.raises({ "two axes make a map, 3 were given", 'fix = { ["v.a"]' }, D.plot, D, "map.svg")
    check.raises({ "'q.b' is no axis", "'q.a'" }, D.plot, D, { file = "map.svg", fix = { ["q.b"] = 1 } })
    local script = os.tmpname() .. ".gp"
    local picture = os.tmpname() .. ".svg"
    D:plot{ script = script, file = picture, fix = { ["v.a"] = 2.1 } }
    local text = assert(io.open(script)):read "a"
    for _, row in ipairs(D) do assert((text:find(("%.15g"):format(row.exponent1), 1, true) ~= nil) == (row["v.a"] == 2)) end
    os.remove(script)
    os.remove(picture)
    check.raises({ "n = 3", "2 independent directions" }, S.chart, S, { over = o.over, q = o.q, v = o.v, t = 9, n = 3, of = "exponents" })
    check.raises({ "is not after the start" }, S.chart, S, { over = o.over, q = o.q, v = o.v, t = { 9, 0 }, of = "exponents" })
    S:force(a, function() return 0 end)
    check.raises({ "directions need formulas; the force on a is a Lua function" }, S.chart, S, { over = o.over, q = o.q, v = o.v, t = 9, of = "exponents" })
  end)

  it("name the exponents, and that a level has two velocities", function()
    local S = pendulum()
    local o = { over = { { "energy", { 0.5, 0.6 } } }, q = { a = 0 }, of = "exponents", t = 20 }
    local text = tostring(S:chart(o))
    assert(text:find("exponents 1..2", 1, true), text)
    assert(text:find("of two velocities of a at a level the larger one is taken; branch = { a = -1 } takes the other", 1, true), text)
    o.branch, o.n = { a = -1 }, 1
    text = tostring(S:chart(o))
    assert(text:find("2, exponent 1,", 1, true) and not text:find("two velocities", 1, true), text)
  end)

  -- arbiter: the circle x^2 + y^2 = 1, missed by less than h^2/4 by straight pieces in cells of the width h
  it("have lines of levels in their maps", function()
    local list = hm.range(-1.5, 1.5, 31)
    local rows = contours.lines(list, list, function(x, y) return x^2 + y^2 end, 1)
    assert(#rows > 100)
    for _, row in ipairs(rows) do if row then near(row[1]^2 + row[2]^2, 1, 0.0026) end end
    -- a saddle x y = 1/100: no piece between the two branches
    list = { -1, -0.2, 0.2, 1 }
    for _, row in ipairs(contours.lines(list, list, function(x, y) return x*y end, 0.01)) do
      if row then assert((row[1] > 0) == (row[2] > 0)) end
    end
    local S, a = pendulum()
    local C = S:chart{ over = { { "a", { -1, 0, 1 } }, { "a'", { 0, 1 } } }, of = { top = hm.highest(a) }, t = 5 }
    local script, file = os.tmpname() .. ".gp", os.tmpname() .. ".svg"
    C:plot{ script = script, file = file, levels = { 0.5 } }
    assert((assert(io.open(script)):read "a"):find("$l using 1:2 with lines", 1, true))
    os.remove(script)
    os.remove(file)
    check.raises({ "levels are for maps" }, C.plot, C, { levels = { 0 }, fix = { ["v.a"] = 0 } })
    check.raises({ "levels: value 1 is no number" }, C.plot, C, { file = file, levels = { "zero" } })
  end)

  -- arbiter: edges by hand, midway between 1, 2, 4, 8, 16, 32 and 0.1, 1, 2; a rectangle of the drawing is as wide as its share of 0.5 to 40
  it("have cells whose edges are midway between the values, and colours for the labels that occur only", function()
    local edges = maps.edges{ 1, 2, 4, 8, 16, 32 }
    for i, want in ipairs{ 0.5, 1.5, 3, 6, 12, 24, 40 } do near(edges[i], want, 1e-12) end
    for i, want in ipairs{ -0.35, 0.55, 1.5, 2.5 } do near(maps.edges{ 0.1, 1, 2 }[i], want, 1e-12) end
    local S = pendulum()
    local script, file = os.tmpname() .. ".gp", os.tmpname() .. ".svg"
    local function drawn(C, o)
      o.script, o.file = script, file
      C:plot(o)
      local text, svg = assert(io.open(script)):read "a", assert(io.open(file)):read "a"
      os.remove(script)
      os.remove(file)
      return text, svg
    end
    local o = { over = { { "energy", { 1, 2, 4, 8, 16, 32 } }, { "a", { 0.1, 1, 2 } } }, t = 0.1, of = { e = "energy" } }
    local text, svg = drawn(S:chart(o), { column = "e" })
    assert(text:find("set xrange [0.5:40]", 1, true) and text:find("set yrange [-0.3", 1, true), text)
    local widths, least, most = {}, math.huge, -math.huge
    for points in svg:gmatch "<polygon[^>]-points%s*=%s*'([^']+)'" do
      local low, high = math.huge, -math.huge
      for x in points:gmatch "([%d.]+),[%d.]+" do low, high = math.min(low, tonumber(x)), math.max(high, tonumber(x)) end
      widths[#widths + 1] = high - low
      if #widths <= 19 then least, most = math.min(least, low), math.max(most, high) end
    end
    assert(#widths >= 19)
    -- the first one is the grey ground
    for i = 1, 6 do near(widths[i + 1]/(most - least), (edges[i + 1] - edges[i])/39.5, 3e-3) end
    o.over[1][2], o.over[2][2] = { 1, 2, 3 }, { 0, 0.1, 0.2 }
    assert(drawn(S:chart(o), { column = "e" }):find("with image", 1, true))
    local C = S:chart(o)
    for i, row in ipairs(C) do row.e = i < 5 and "here" or "there" end
    text = drawn(C, { column = "e" })
    assert(text:find("set palette defined (0 '#4477aa', 1 '#4477aa', 1 '#66ccee', 2 '#66ccee')", 1, true), text)
    assert(text:find("set cbrange [0.5:2.5]", 1, true) and text:find("'here' 1, 'there' 2)", 1, true), text)
    assert.falsy(text:find("not decided", 1, true))
    -- grey has a legend where it occurs
    C[2].e = nil
    assert.truthy(drawn(C, { column = "e" }):find("not decided, or failed", 1, true))
  end)

  it("of exponents pass the places where a form without constraints is singular", function()
    local D = hm.system "sleigh"
    local x, y, th = D:coordinates "x y th"
    D:kinetic_energy((x.dot^2 + y.dot^2)/2 + th.dot^2/2)
    D:potential_energy((x^2 + y^2)/2)
    D:constraint("blade", y.dot*cos(th) - x.dot*hm.sin(th))
    local q = { x = 0.1, y = 0.1, th = 0.3 }
    for _, sign in ipairs{ 1, -1 } do
      local C = D:chart{ over = { { "energy", { 0.5, 1, -1 } } }, q = q, v = { x = 0.2 }, branch = { th = sign }, of = "exponents", t = 20, rtol = 1e-9 }
      local speed = math.sqrt(2*(1 - 0.01) - 0.2^2*(1 + math.tan(0.3)^2))
      local L = D:lyapunov{ q = q, v = { x = 0.2, th = sign*speed }, t = 20, rtol = 1e-9, form = "lagrange" }
      for k, e in ipairs(L.exponents) do near(C[2].exponents[k], e, 1e-7) end
      assert(C[1].status == "OK" and C[3].status == "START")
    end
  end)

  it("refuse what has no answer in a sentence", function()
    local S = duffing()
    local over = { { "g", { 0.2 } } }
    check.raises({ "section or stroboscope" }, S.chart, S, { over = over, q = { x = 0 }, v = { x = 0 }, of = "period", t = 10 })
    check.raises({ "of what" }, S.chart, S, { over = over, q = { x = 0 }, v = { x = 0 }, t = 10 })
    check.raises({ "periods", "period" }, S.chart, S, { over = over, q = { x = 0 }, v = { x = 0 }, t = 10, of = "periods" })
    check.raises({ "angle" }, S.chart, S, { over = over, q = { x = 0 }, v = { x = 0 }, t = 10, of = "rotation" })
    check.raises({ "'rk4' makes steps of one size", "give step" }, S.chart, S, { over = over, q = { x = 0 }, v = { x = 0 }, t = 10, of = "exponents",
      method = "rk4" })
    check.raises({ "'rk4' makes steps of one size", "carries no directions" }, S.continue, S, { periodic = { q = { x = 0.4 }, v = { x = 0.3 }, period = drive },
      along = "g", to = 0.3, method = "rk4" })
    for _, study in ipairs{ "lyapunov", "variations" } do
      check.raises({ study, "'taylor' carries no directions", "take dop853" }, S[study], S, { q = { x = 0 }, v = { x = 0 }, t = 10, method = "taylor" })
    end
    check.raises({ "chart", "'taylor' carries no directions" }, S.chart, S, { over = over, q = { x = 0 }, v = { x = 0 }, t = 10, of = "exponents",
      method = "taylor" })
    check.raises({ "continue", "'taylor' carries no directions" }, S.continue, S, { periodic = { q = { x = 0.4 }, v = { x = 0.3 }, period = drive },
      along = "g", to = 0.3, method = "taylor" })
    check.raises({ "'rk4' makes steps of one size" }, S.lyapunov, S, { q = { x = 0 }, v = { x = 0 }, t = 10, method = "rk4" })
    check.raises({ "skip" }, S.chart, S, { over = over, q = { x = 0 }, v = { x = 0 }, t = 10, skip = 10, of = "exponents" })
    check.raises({ "attractors.left", "'y'" }, S.chart, S, { over = over, q = { x = 0 }, v = { x = 0 }, t = 10, of = "basin",
      attractors = { left = { y = 0 } } })
  end)

  it("of another function do not go on with the file of the first", function()
    local S = hm.system "oscillator"
    local a, c = S:coordinates "a", S:parameters "c=1/10"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(c*a^2/2)
    local path = os.tmpname() .. ".jsonl"
    local factor = 1
    local o = { over = { { "c", { 1, 2 } } }, q = { a = 1 }, v = { a = 0 }, t = 1, of = function(row) return factor*row.c end, out = path }
    local function chart() return S:chart(o) end
    assert.same({ 1, 2 }, { chart()[1].value, chart()[2].value })
    factor = 100
    local fine, message = pcall(chart)
    os.remove(path)
    assert.falsy(fine)
    assert.truthy(message:find("rows of another", 1, true), message)
  end)

  -- a pendulum on a rod of length l, at rest below: y = -l; a ball that lies on a plate at height c: s = c
  it("by a diagram that follows begin anew where the parameter moves a constraint or a wall", function()
    local P = hm.system "rod"
    local x, y = P:coordinates "x y"
    local l = P:positive "l=1"
    P:kinetic_energy((x.dot^2 + y.dot^2)/2)
    P:potential_energy(y)
    P:force(x, -x.dot)
    P:force(y, -y.dot)
    P:constraint("rod", x^2 + y^2 - l^2)
    local D = P:diagram{ along = { "l", { 1, 1.1, 1.2 } }, of = "y", stroboscope = 2*math.pi, skip = 30, n = 4, q = { x = 0 }, v = { x = 0.1 } }
    for i, item in ipairs(D) do
      near(item.values[4], -item.l, 1e-6)
      assert.equal(i > 1 or nil, item.anew)
    end
    assert.truthy(tostring(D):find("2 values start from q, v", 1, true), tostring(D))
    local B = hm.system "ball on a plate"
    local s, c = B:coordinates "s", B:parameters "c=0"
    B:kinetic_energy(s.dot^2/2)
    B:force(s, -1)
    B:unilateral("plate", s - c, { law = hm.newton(0.3) })
    local E = B:diagram{ along = { "c", { 0, 0.1, 2 } }, of = "s", stroboscope = 1, skip = 10, n = 4, q = { s = 1 }, v = { s = 0 } }
    assert.same({ "OK", "OK", "START" }, { E[1].status, E[2].status, E[3].status })
    near(E[2].values[4], 0.1, 1e-9)
    assert.truthy(E[3].reason:find("gap must not be negative", 1, true), E[3].reason)
  end)

  it("counts growth from the very time that is skipped, in lanes as in single runs", function()
    -- the divergence -(a + sin t) is the sum of the exponents
    local S = hm.system "damping that comes and goes"
    local x = S:coordinates "x"
    local a = S:parameters "a=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -(a + hm.sin(hm.t))*x.dot)
    for _, lanes in ipairs{ 1, 4, 8 } do
      local C = S:chart{ over = { { "a", { 1, 1.5 } } }, q = { x = 1 }, v = { x = 0 }, of = "exponents", t = 30, skip = 10, lanes = lanes, progress = false }
      for _, row in ipairs(C) do check.near(row.sum, -(row.a + (math.cos(10) - math.cos(30))/20), 1e-8) end
    end
  end)

  it("notes axes with values that are given twice", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    local k = S:parameters "k=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(k*x^2/2)
    local function text(over) return tostring(S:chart{ over = over, v = { x = 0 }, t = 1, of = { "max x" }, progress = false }) end
    local twice = text{ { "x", { 1, 1 } }, { "k", { 1, 2, hm.number "1" } } }
    assert(twice:find("of the 2 values of 'q.x' only 1 are different", 1, true) and twice:find("of the 3 values of 'k' only 2 are", 1, true), twice)
    assert(not text{ { "x", { 1, 2 } } }:find("different", 1, true))
  end)

  -- Henon and Heiles at the energy 0.16, in the chaotic sea: a direction has grown by e^26 at t = 1000, and its mean rate still changes by more than a third
  it("does not call a motion regular whose directions have grown by far more than with the time", function()
    local S = hm.system "two wells"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy((x^2 + y^2)/2 + x^2*y - y^3/3)
    for energy, words in pairs{ [0.16] = { false, false, "chaos (+ 0 0 -)" },
                                [0.03] = { "torus (0 0 0 0)", "torus (0 0 0 0)", "torus (0 0 0 0)" } } do
      for i, t in ipairs{ 1000, 2000, 5000 } do
        local text = tostring(S:chart{ over = { { "energy", { energy } } }, q = { x = 0, y = 0.1 }, v = { y = 0.05 }, of = "exponents", t = t })
        -- when it is seen depends on the errors, which decide on the way in the sea
        if words[i] then assert.truthy(text:find(words[i], 1, true), text)
        else assert.truthy(text:find("undecided (? 0 0 ?)", 1, true) or text:find("chaos (+ 0 0 -)", 1, true), text) end
      end
    end
  end)

  -- the exponents of x'' + c x' + k x = 0 are the real parts of its eigenvalues
  it("does not call chaos what grows, or rests where rest is unstable", function()
    local S = hm.system "linear"
    local x = S:coordinates "x"
    local c, k, f = S:parameters "c=0 k=1 f=0"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(k*x^2/2)
    S:force(x, -c*x.dot + f*hm.cos(hm.t))
    local function text(values, start)
      return tostring(S:chart{ over = { { "x", { start } } }, v = { x = 0 }, parameters = values, of = "exponents", t = 100 })
    end
    for words, given in pairs{ ["growing (+ +)"] = { { c = -0.1 }, 1 }, ["undecided (0 0)"] = { { f = 1 }, 1 }, ["unstable rest (+ -)"] = { { k = -1 }, 0 },
                               ["growing (+ -)"] = { { k = -1 }, 1 }, ["torus (0 0)"] = { {}, 1 } } do
      local found = text(table.unpack(given))
      assert(found:find(words, 1, true), found)
    end
  end)

  -- only x, which no equation contains, moves, at a constant velocity
  it("calls a free motion regular, whose directions grow as the time", function()
    local S = hm.system "rotor"
    local x, y = S:coordinates "x y"
    local a = S:parameters "a=1"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(a*y^2/2)
    local all = {}
    for i, lanes in ipairs{ 1, 8 } do
      all[i] = S:chart{ over = { { "a", { 0, 0 } } }, q = { x = 0, y = 1 }, v = { x = 1, y = 0 }, t = 100, skip = 50, of = "exponents", lanes = lanes,
                        progress = false }
      assert.truthy(tostring(all[i]):find("steady motion (0 0 0)", 1, true), tostring(all[i]))
    end
    check.near(all[2][1].settled, all[1][1].settled, 1e-6)
  end)
end)
