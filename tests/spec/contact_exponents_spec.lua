-- Lyapunov exponents of motions with impacts, contact, stick and slip, against closed forms
local hm, check = require "hamel", require "check"
local near = check.near

-- A ball on a table that moves as A sin t: an impact per period at A cos(phi) = pi/3 with the velocity pi after it; restitution 1/2
local function ball()
  local S = hm.system "ball"
  local z = S:coordinates "z"
  local A = S:parameters "A=1.07"
  S:kinetic_energy(z.dot^2/2)
  S:potential_energy(z)
  S:unilateral("table", z - A*hm.sin(hm.t), { law = hm.newton(hm.rational(1, 2)) })
  return S
end

local function oscillator(e)
  local S = hm.system "impact oscillator"
  local x = S:coordinates "x"
  local w = S:parameters "w=1.5"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  S:force(x, -x.dot/5 + hm.cos(w*hm.t))
  S:unilateral("wall", 1 - x, { law = hm.newton(e) })
  return S
end

describe("Lyapunov exponents with contacts", function()
  it("of a ball on a table: logarithms of the multipliers over the period", function()
    local S = ball()
    for _, A in ipairs{ 1.07, 1.2 } do
      local phi = math.acos(math.pi/3/A)
      local trace = 1.25 - 2.25*A*math.sin(phi)
      local q, v, periods = { z = A*math.sin(phi) + 1e-12 }, { z = math.pi }, 100
      local L = S:lyapunov{ q = q, v = v, t = { phi, phi + 2*math.pi*periods }, skip = 20*math.pi, every = 2*math.pi, parameters = { A = A }, rtol = 1e-11,
                            atol = 1e-12 }
      near(L.exponents[1] + L.exponents[2], math.log(1/4)/(2*math.pi), 1e-9)
      -- real multipliers, else a complex pair of the modulus 1/2
      local root = trace^2 - 1
      local largest = root > 0 and math.log((math.abs(trace) + math.sqrt(root))/2) or math.log(1/2)
      near(L.exponents[1], largest/(2*math.pi), root > 0 and 1e-6 or 2e-3)
    end
  end)

  it("have the sum of the divergence and of log e^2 for each impact", function()
    for _, e in ipairs{ hm.rational(4, 5), hm.rational(1, 3) } do
      local S = oscillator(e)
      local given = { q = { x = 0.3 }, v = { x = 0.1 }, t = 60, rtol = 1e-10 }
      local run, L = S:simulate(given), S:lyapunov(given)
      local restitution = e == hm.rational(4, 5) and 0.8 or 1/3
      assert(#run.impacts > 5)
      near(L.exponents[1] + L.exponents[2], -1/5 + 2*#run.impacts*math.log(restitution)/60, 1e-7)
    end
  end)

  it("count an impact at the end as the run does, and settle like 1/t", function()
    -- the motion with one impact in a period, whose multipliers are a complex pair: both exponents are -1/10 + log(4/5)/T
    local S, T = oscillator(hm.rational(4, 5)), 2*math.pi/1.5
    local settled = S:simulate{ q = { x = 0.9 }, v = { x = -1 }, t = 200*T, rtol = 1e-12, atol = 1e-12 }
    local struck, exact = settled.impacts[#settled.impacts].t, -0.1 + math.log(0.8)/T
    local before = settled:at(199*T)
    local phase = (struck - 199*T) % T
    for _, beside in ipairs{ -1e-6, -1e-10, 1e-10, 1e-6 } do
      local given = { q = { x = before.q.x }, v = { x = before.v.x }, t = 20*T + phase + beside, rtol = 1e-11, atol = 1e-12 }
      local L, count = S:lyapunov(given), beside < 0 and 20 or 21
      assert.equal(count, #S:simulate(given).impacts)
      near(L.exponents[1] + L.exponents[2], -0.2 + 2*count*math.log(0.8)/given.t, 1e-9)
    end
    -- over whole periods that start and end between impacts the sum is exact, and each exponent misses by a bounded amount over t
    for _, n in ipairs{ 10, 40, 160 } do
      local e = S:lyapunov{ q = { x = before.q.x }, v = { x = before.v.x }, t = n*T, rtol = 1e-11, atol = 1e-12 }.exponents
      near((e[1] + e[2])/2, exact, 1e-9)
      assert(math.abs(e[1] - exact) <= 0.2/(n*T), e[1])
    end
  end)

  it("do not depend on the units of time and length", function()
    for _, e in ipairs{ 0.5, 0.8 } do
      local first
      for _, unit in ipairs{ { 1, 1 }, { 1e-5, 1 }, { 1e-5, 1e-8 }, { 1e5, 1e3 } } do
        local T, length = unit[1], unit[2]
        local S = hm.system "impact oscillator"
        local x = S:coordinates "x"
        S:kinetic_energy(x.dot^2/2)
        S:potential_energy(x^2/2/T^2)
        S:force(x, -x.dot/10/T + length/T^2*hm.cos(2.75/T*hm.t))
        S:unilateral("wall", -x, { law = hm.newton(e) })
        local L = S:lyapunov{ q = { x = -0.3*length }, v = { x = 0 }, t = 450*T, skip = 300*T, atol = 1e-12*length }
        first = first or L.exponents[1]
        near(L.exponents[1]*T, first, e == 0.5 and 5e-3 or 0.03)
        -- flight in which nothing holds a time: the wall's does
        local B = hm.system "ball"
        local h = B:coordinates "h"
        B:kinetic_energy(h.dot^2/2)
        B:force(h, -length/T^2)
        B:unilateral("table", h - 2*length*hm.sin(hm.t/T), { law = hm.newton(hm.rational(4, 5)) })
        L = B:lyapunov{ q = { h = length }, v = { h = 2*length/T }, t = 200*T, skip = 20*T, atol = 1e-12*length }
        assert(#L.exponents == 2 and L.exponents[2] > -math.huge)
      end
    end
  end)

  it("call no motion chaos that impacts make faster in each eighth of the time", function()
    -- largest velocities by eighths, at the impacts: 34.6 47.1 60.2 69.3 72.2 79.7 81.3 83.9
    local S = hm.system "ball"
    local h = S:coordinates "h"
    local A = S:parameters "A=2"
    S:kinetic_energy(h.dot^2/2)
    S:force(h, -1)
    S:unilateral("table", h - A*hm.sin(hm.t), { law = hm.newton(1) })
    local phi = math.acos(math.pi/4)
    local given = { over = { { "A", { 2 } } }, of = "exponents", q = { h = 2*math.sin(phi) }, v = { h = math.pi + 1e-7 }, rtol = 1e-10, atol = 1e-10 }
    given.t = { phi, phi + 3000 }
    local C = S:chart(given)
    assert.truthy(tostring(C):find("undecided (+ -)", 1, true), tostring(C))
    -- a stronger drive: they also become smaller, 28.9 36.3 37.7 48.7 43.7 35.9 40.3 37.8
    phi = math.acos(math.pi/6)
    C = S:chart{ over = { { "A", { 3 } } }, of = "exponents", q = { h = 3*math.sin(phi) }, v = { h = math.pi + 1e-7 }, rtol = 1e-10, atol = 1e-10,
                 t = { phi, phi + 3000 } }
    assert.truthy(tostring(C):find("chaos (+ -)", 1, true), tostring(C))
  end)

  it("do not depend on the unit of time where contact lasts and holds a curved surface", function()
    local first
    for _, T in ipairs{ 1, 1e-5, 1e5 } do
      local S = hm.system "beam and wall"
      local a, y = S:coordinates "a y"
      S:kinetic_energy(a.dot^2/2 + y.dot^2/2 + 0.3*a.dot*y.dot*hm.cos(a))
      S:potential_energy((y^2/2 - hm.cos(a))/T^2)
      S:force(y, hm.cos(1.3*hm.t/T)/T^2 - y.dot/10/T)
      S:force(a, -a.dot/10/T)
      S:unilateral("wall", y + 0.5 + hm.sin(a)/4, { law = hm.newton(0) })
      local e = S:lyapunov{ q = { a = 0.3, y = 0.1 }, v = { a = 0, y = 0 }, t = 60*T, skip = 20*T }.exponents
      assert(e[3] == -math.huge and e[4] == -math.huge)
      first = first or e[1] + e[2]
      near((e[1] + e[2])*T, first, 1e-2)
    end
    -- the slip that turns is zero there, and errors count in the unit of the other velocities
    for _, T in ipairs{ 1, 1e-5 } do
      local S = hm.system "beam that rubs"
      local a, y = S:coordinates "a y"
      S:kinetic_energy(a.dot^2/2 + y.dot^2/2 + 0.3*a.dot*y.dot*hm.cos(a))
      S:potential_energy((y^2/2 - hm.cos(a))/T^2)
      S:force(y, hm.cos(1.3*hm.t/T)/T^2 - y.dot/10/T)
      S:force(a, -a.dot/10/T)
      S:friction("rub", { slip = y.dot, normal = (1 + a^2)/T^2, coefficient = 0.3 })
      local e = S:lyapunov{ q = { a = 0.3, y = 0.1 }, v = { a = 0, y = 0 }, t = 60*T, skip = 20*T }.exponents
      local sum = e[1] + e[2] + e[3] + e[4]
      first = T == 1 and sum or first
      near(sum*T, first, 1e-2)
    end
  end)

  it("exist where impacts at once do not act on each other", function()
    local function two(spring, damper)
      local S = hm.system "two oscillators"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:potential_energy((x^2 + y^2)/2 + spring*(x - y)^2/2)
      S:force(x, hm.cos(2*hm.t) - x.dot/10 - damper*(x.dot - y.dot))
      S:force(y, hm.cos(2*hm.t) - y.dot/10 - damper*(y.dot - x.dot))
      S:unilateral("left", hm.rational(1, 10) - x, { law = hm.newton(0.6) })
      S:unilateral("right", hm.rational(1, 10) - y, { law = hm.newton(0.6) })
      return S
    end
    local given = { q = { x = -0.3, y = -0.3 }, v = { x = 0, y = 0 }, t = 40*math.pi }
    -- each exponent of one oscillator, twice; with a spring between them the sum is the same
    local one = hm.system "one"
    local z = one:coordinates "z"
    one:kinetic_energy(z.dot^2/2)
    one:potential_energy(z^2/2)
    one:force(z, hm.cos(2*hm.t) - z.dot/10)
    one:unilateral("left", hm.rational(1, 10) - z, { law = hm.newton(0.6) })
    local single = one:lyapunov{ q = { z = -0.3 }, v = { z = 0 }, t = given.t }
    local sum = single.exponents[1] + single.exponents[2]
    for _, spring in ipairs{ 0, 0.3 } do
      local e = two(spring, 0):lyapunov(given).exponents
      near(e[1] + e[2] + e[3] + e[4], 2*sum, 1e-6)
      if spring == 0 then near(e[1] + e[2], 2*single.exponents[1], 0.02) end
    end
    -- what strikes first pushes the other by the damper before it strikes
    check.raises({ "change at once" }, two(0, 0.3).lyapunov, two(0, 0.3), given)
  end)

  it("come in pairs without damping: a ball in a wedge", function()
    local S = hm.system "wedge"
    local a, b = S:coordinates "a b"
    S:kinetic_energy((a.dot^2 + b.dot^2)/2)
    S:potential_energy(a + b)
    S:unilateral("left", a - b/3, { law = hm.newton(1) })
    S:unilateral("right", b - a/3, { law = hm.newton(1) })
    local e = S:lyapunov{ q = { a = 1, b = 1.2 }, v = { a = 0.1, b = 0 }, t = 100, rtol = 1e-11, atol = 1e-12 }.exponents
    near(e[1] + e[2] + e[3] + e[4], 0, 1e-6)
    assert(e[1] > 0.15 and math.abs(e[1] + e[4]) < 0.1)
    -- one chart of such motions, the same numbers
    local C = S:chart{ over = { { "a'", { 0.1, 0.2 } } }, q = { a = 1, b = 1.2 }, v = { b = 0 }, t = 100, rtol = 1e-11, atol = 1e-12, of = "exponents",
                       progress = false }
    for k = 1, 4 do assert(C[1].exponents[k] == e[k]) end
  end)

  it("are minus infinity where stick or contact takes a direction away", function()
    local S = hm.system "block on a belt"
    local r = S:coordinates "r"
    local V = S:parameters "V=1/5"
    S:kinetic_energy(r.dot^2/2)
    S:potential_energy(r^2/2)
    S:friction("belt", { slip = r.dot - V, normal = 1, coefficient = 0.3, static = 0.5 })
    local given = { q = { r = 1.5 }, v = { r = 0 }, t = 600, skip = 20, rtol = 1e-10 }
    local L = S:lyapunov(given)
    near(L.exponents[1], 0, 2e-3)
    assert(L.exponents[2] == -math.huge and tostring(L):find "-inf" and not tostring(L):find "nan")
    given.of, given.over, given.v, given.progress = "exponents", { { "V", { 0.2 } } }, { r = 0 }, false
    local path = os.tmpname() .. ".jsonl"
    given.out = path
    for _ = 1, 2 do
      local C = S:chart(given)
      assert(C[1].exponents[2] == -math.huge and C[1].exponent1 == L.exponents[1])
      assert(tostring(C):find("cycle (0 -)", 1, true), tostring(C))
    end
    os.remove(path)
    -- closed from the first impact on, or all the time: what is left is the other coordinate, s^2 + s/5 + 1 = 0
    local P = hm.system "mass beside a pendulum"
    local x, y = P:coordinates "x y"
    P:kinetic_energy((x.dot^2 + y.dot^2)/2)
    P:potential_energy(x + y^2/2)
    P:force(y, -y.dot/5)
    P:unilateral("floor", x, { law = hm.plastic() })
    local e = P:lyapunov{ q = { x = 1, y = 1 }, v = { x = 0, y = 0 }, t = 60, rtol = 1e-10 }.exponents
    near(e[1] + e[2], -0.2, 0.1)
    assert(e[3] == -math.huge and e[4] == -math.huge)
    e = P:lyapunov{ q = { x = 0, y = 1 }, v = { x = 0, y = 0 }, t = 60, rtol = 1e-10 }.exponents
    assert(#e == 4 and e[3] == -math.huge and e[4] == -math.huge)
    near(e[1] + e[2], -0.2, 1e-8)
  end)

  it("hold from a start at rest that slips at once, or sticks", function()
    local P = hm.system "pressed block"
    local x = P:coordinates "x"
    P:kinetic_energy(x.dot^2/2)
    P:potential_energy(x^2/2)
    P:friction("rub", { normal = 1, slip = x.dot, coefficient = 0.1 })
    -- slipping under a constant force: the area is kept
    local e = P:lyapunov{ q = { x = 1 }, v = { x = 0 }, t = 2, rtol = 1e-10 }.exponents
    near(e[1] + e[2], 0, 1e-8)
    -- at rest anywhere in the band: the neighbours are at rest as well
    e = P:lyapunov{ q = { x = 0.05 }, v = { x = 0 }, t = 10 }.exponents
    assert(#e == 2 and e[1] == 0 and e[2] == -math.huge)
  end)

  it("are as many, and the same, from a start in stick as from one that slips", function()
    local S = hm.system "driven block on a belt"
    local x = S:coordinates "x"
    local A = S:parameters "A=1/5"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -x.dot/20 + A*hm.cos(hm.rational(13, 10)*hm.t))
    S:friction("belt", { slip = x.dot - hm.rational(1, 5), normal = 1, coefficient = 0.3, static = 0.5 })
    local o = { of = "exponents", over = { { "x'", { 0.2, 0 } } }, q = { x = 0 }, t = 600, skip = 200, progress = false }
    local C = S:chart(o)
    for _, row in ipairs(C) do
      assert(#row.exponents == 2 and row.exponent2 == -math.huge and row.sum == -math.huge, "two directions, one of them taken by stick")
      near(row.exponent1, -0.0532, 1e-3)
    end
    near(C[1].exponent1, C[2].exponent1, 1e-6)
    o.n = 1
    C = S:chart(o)
    for _, row in ipairs(C) do assert(#row.exponents == 1 and row.sum == row.exponent1 and row.dimension == nil) end
    assert(#S:lyapunov{ q = { x = 0 }, v = { x = 0.2 }, t = 20, n = 2 }.exponents == 2)
    check.raises({ "n = 3, but the motion has 2 independent directions" }, S.lyapunov, S, { q = { x = 0 }, v = { x = 0.2 }, t = 20, n = 3 })
  end)

  it("have a column each in a chart of a system whose free motion does not depend on the height, whatever becomes of other rows", function()
    local S, file = ball(), os.tmpname() .. ".csv"
    S:set_law("table", hm.newton(hm.rational(4, 5)))
    for _, amplitudes in ipairs{ { 6, 0.5 }, { 0.5, 6 }, { 6 } } do
      local C = S:chart{ over = { { "A", amplitudes } }, of = "exponents", q = { z = 2 }, v = { z = 2 }, t = 200, skip = 50, progress = false }
      assert.truthy(tostring(C):find("exponents 1..2", 1, true))
      C:save(file)
      local text = io.open(file):read "a"
      assert.truthy(text:find("exponent1,exponent2,reason", 1, true), text)
      assert.truthy(pcall(C.plot, C, { column = "exponent2" }))
      -- an impact multiplies areas by the square of the restitution
      local row = C:at(6)
      local count = 0
      for _, impact in ipairs(S:simulate{ q = { z = 2 }, v = { z = 2 }, t = 200, parameters = { A = 6 } }.impacts) do
        if impact.t > 50 then count = count + 1 end
      end
      near(row.sum, 2*count*math.log(0.8)/150, 1e-9)
      near(row.exponent1 + row.exponent2, row.sum, 1e-12)
      if #amplitudes > 1 then
        local other = C:at(0.5)
        assert(other.status == "OK" and other.exponent1 == -math.huge, other.reason)
      end
    end
    -- of two directions one or both may be asked for
    local C = S:chart{ over = { { "A", { 6 } } }, of = "exponents", n = 2, q = { z = 2 }, v = { z = 2 }, t = 60, progress = false }
    assert(C[1].exponent2 and C[1].dimension)
    os.remove(file)
  end)

  it("have columns for the directions that constraints leave", function()
    local S = hm.system "rod"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(y)
    S:constraint("rod", x^2 + y^2 - 1)
    local C = S:chart{ over = { { "x", { 0.1 } } }, of = "exponents", form = "lagrange", q = { y = -math.sqrt(0.99) }, v = { x = 0, y = 0 }, t = 20,
                       progress = false }
    assert(#C[1].exponents == 2, tostring(C))
    assert.truthy(tostring(C):find("exponents 1..2", 1, true), tostring(C))
    assert(not pcall(C.plot, C, { column = "exponent3" }))
  end)

  -- every |s| below mu is a state of rest: one exponent is 0, and no motion goes on
  it("are those of rest where dry friction holds a body, driven weakly or not", function()
    for _, force in ipairs{ 0, 0.01 } do
      local O = hm.system "block"
      local s, mu = O:coordinates "s", O:parameters "mu=1"
      O:kinetic_energy(s.dot^2/2)
      O:potential_energy(s^2/2)
      O:force(s, force*hm.cos(2*hm.t) - s.dot/20)
      O:friction("dry", { slip = s.dot, normal = 1, coefficient = mu })
      for _, start in ipairs{ 0.3, 3 } do
        local C = O:chart{ over = { { "mu", { 1, 2 } } }, of = "exponents", t = 100, q = { s = start }, v = { s = 0 } }
        assert.truthy(tostring(C):find("rest %(0 %-%) +2 "), tostring(C))
      end
    end
  end)

  it("are the same in any unit of length, where no tolerance is given", function()
    local function of(L)
      local S = hm.system "belt"
      local y = S:coordinates "y"
      S:kinetic_energy(y.dot^2/2)
      S:potential_energy(y^2/2)
      S:force(y, -y.dot/20 + L/5*hm.cos(hm.rational(13, 10)*hm.t))
      S:friction("belt", { slip = y.dot - L/5, normal = L, coefficient = 0.3, static = 0.5 })
      return S:lyapunov{ q = { y = 0 }, v = { y = 0 }, t = 300, skip = 100 }.exponents
    end
    local usual, small = of(1), of(1e-8)
    near(small[1], usual[1], 1e-6)
    assert.equal(-math.huge, small[2])
  end)

  it("are refused in a sentence where there is no derivative", function()
    local S = oscillator(hm.rational(4, 5))
    local o = { q = { x = 0.3 }, v = { x = 0.1 }, t = 10 }
    check.raises({ "S:continue{ periodic", '"w"' }, S.periodic, S, { q = { x = 0.3 }, v = { x = 0.1 }, period = 4 })
    S:set_law("wall", function(c) return c end)
    check.raises({ "lyapunov: the law of 'wall' is a Lua function" }, S.lyapunov, S, o)
    local B = hm.system "bouncing ball"
    local z = B:coordinates "z"
    B:kinetic_energy(z.dot^2/2)
    B:potential_energy(z)
    B:unilateral("floor", z, { law = hm.newton(hm.rational(1, 2)) })
    local fall = { q = { z = 1 }, v = { z = 0 }, t = 10 }
    -- it comes to rest at t = 3*sqrt(2): nothing of the start is left
    assert.equal(-math.huge, B:lyapunov(fall).exponents[1])
    fall.t = 4.2
    assert.equal(2, #B:lyapunov(fall).exponents)
    B:set_law("floor", hm.newton(0))
    fall.t = 10
    assert.equal(-math.huge, B:lyapunov(fall).exponents[2])
    check.raises({ "'moreau' are not defined" }, B.lyapunov, B, { q = { z = 1 }, v = { z = 0 }, t = 10, method = "moreau" })
    check.raises({ "'moreau' are not defined" }, B.chart, B, { over = { { "z", { 1, 2 } } }, v = { z = 0 }, t = 10, of = "exponents", method = "moreau" })
    local G = hm.system "three walls"
    local a, b = G:coordinates "a b"
    G:kinetic_energy((a.dot^2 + b.dot^2)/2 + a.dot*b.dot/4)
    G:unilateral("left", a, { law = hm.newton(1) })
    G:unilateral("right", b, { law = hm.newton(1) })
    check.raises({ "'left' and 'right' change at once" }, G.lyapunov, G, { q = { a = 1, b = 1 }, v = { a = -1, b = -1 }, t = 3 })
  end)

  -- arbiter: finite differences of fine runs, which come to rest on the wall, and leave it, a little earlier or later
  it("pass impacts that accumulate", function()
    local d = { { 1.0, 0.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0, 0.0 }, { 0.0, 0.0, 1.0, 0.0 }, { 0.0, 0.0, 0.0, 1.0 } }
    d = require "hamel.analysis.lyapunov".first_directions(d, 1, 4)[1]
    for _, given in ipairs{ { 0.4, 1.1, 0.7, 9 }, { 0.6, 0.8, 1.2, 11 }, { 0.75, 1.3, 0.9, 10 } } do
      local S = hm.system "beam on a support"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2 + 0.2*x.dot*y.dot)
      S:potential_energy(x^2/2 + given[2]*(x - y)^2/2 + x^4/10 + 0.8*y)
      S:force(x, 0.6*hm.cos(given[3]*hm.t) - x.dot/10)
      S:force(y, -y.dot/10)
      S:unilateral("support", y + 0.3 + 0.1*hm.sin(x), { law = hm.newton(given[1]) })
      local function finish(h)
        local run = S:simulate{ q = { x = 0.4 + h*d[1], y = 0.5 + h*d[2] }, v = { x = 0.3 + h*d[3], y = h*d[4] }, t = given[4], rtol = 1e-12, atol = 1e-14 }
        assert(#run.accumulations > 0)
        return run.raw:state(run.raw:points())
      end
      local ahead, back, sum = finish(1e-5), finish(-1e-5), 0
      for i = 1, 4 do sum = sum + ((ahead[i] - back[i])/2e-5)^2 end
      local L = S:lyapunov{ q = { x = 0.4, y = 0.5 }, v = { x = 0.3, y = 0 }, t = given[4], n = 1, rtol = 1e-11, atol = 1e-13 }
      near(L.exponents[1]*given[4], math.log(sum)/2, 1e-4)
    end
  end)

  -- a ball on a table that shakes comes to rest on it, and is thrown up in the same way in each period: both multipliers are zero. With restitution 0 what
  -- differences leave of a direction that the contact takes away counted as one
  it("are minus infinity where impacts accumulate in each period", function()
    local S = hm.system "ball on a table"
    local y = S:coordinates "y"
    local A, w = S:parameters "A=10/11 w=1"
    S:kinetic_energy(y.dot^2/2)
    S:potential_energy(y)
    S:unilateral("table", y - A*hm.sin(w*hm.t), { law = hm.newton(0.5) })
    local given = { over = { { "w", { 1.2, 1.5 } } }, q = { y = 6 }, v = { y = 0 }, of = "exponents", t = 200, skip = 50, progress = false }
    for _, e in ipairs{ 0.5, 0 } do
      S:set_law("table", hm.newton(e))
      local C = S:chart(given)
      for _, row in ipairs(C) do
        assert(row.status == "OK", row.reason)
        assert.equal("driven cycle (- -)", C._about.regime(row))
        assert.equal(-math.huge, row.exponents[1])
      end
    end
  end)
end)
