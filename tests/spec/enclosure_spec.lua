-- S:enclosure and S:reference with proved digits. Arbiters: closed solutions, runs with other bits and orders, the quadruple-precision reference
local hm, check, mechanics, core = require "hamel", require "check", require "mechanics", require "hamel.core"
local certified = require "certified"

if not core.has_arb then
  describe("a build without ball arithmetic", function()
    it("says what is missing", function()
      local S, x = mechanics.body("body", "x")
      S:force(x, -x)
      check.raises({ "no ball arithmetic", "libflint-arb-dev" }, S.enclosure, S, { q = { x = 1 }, v = { x = 0 }, t = 1 })
      check.raises({ "no ball arithmetic" }, S.reference, S, { q = { x = 1 }, v = { x = 0 }, t = 1, digits = 40 })
      check.raises({ "no ball arithmetic" }, S.prove_periodic, S, { section = x, v = { x = 1 }, period = 6, energy = 1 })
      check.raises({ "no ball arithmetic" }, S.prove_equilibrium, S, { q = { x = 0 } })
      check.raises({ "no ball arithmetic" }, hm.prove_fixed_point, { map = function(u) return u/2 end, at = { 0 } })
      check.raises({ "no ball arithmetic" }, hm.check_certificate, S, "orbit.cert")
      assert.matches("^0%.5403023058681397", S:reference{ q = { x = 1 }, v = { x = 0 }, t = 1 }.q.x)         -- cos 1
    end)
  end)
  return
end

describe("a thousand digits", function()
  local S, x = mechanics.body("body", "x")
  S:force(x, -x)
  local function reference(more) return S:reference{ q = { x = 1 }, v = { x = 0 }, t = 1, digits = 1000, seconds = more } end
  it("are refused with an estimate where they would take too long", function()
    check.raises({ "1000 digits at t = 1 would take about", "steps of", "give seconds = " }, reference, 1e-3)
    check.raises({ "200 digits at t = 1 would take about", "steps of" }, S.reference, S, { q = { x = 1 }, v = { x = 0 }, t = 1, digits = 200, seconds = 1e-6 })
    local text = reference().q.x
    assert.is_true(S:reference{ q = { x = 1 }, v = { x = 0 }, t = 1, digits = 700 }.q.x:sub(1, 690) == text:sub(1, 690))
    assert.is_true(#text >= 1001 and hm.ball(text, "1e-990"):contains(hm.cos(hm.number(1))))
  end)
end)

-- x'' = -c x
local function line(c)
  local S = hm.system "line"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(c*x^2/2)
  return S, x
end

-- The centre of mass lies a ahead of the blade
local function sleigh()
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, a = S:positive "m=1 J=1/2 a=3/10"
  local X, Y = x + a*hm.cos(theta), y + a*hm.sin(theta)
  S:kinetic_energy(m/2*(hm.dt(X)^2 + hm.dt(Y)^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
  return S
end

local on_blade = { q = { x = 0, y = 0, theta = "1/5" }, v = { theta = "1/2", x = 1 } }

local function with(o, more)
  local result = {}
  for _, list in ipairs{ o, more } do for name, value in pairs(list) do result[name] = value end end
  return result
end

describe("units of any size", function()
  it("do not change the relative radius, nor the number of steps", function()
    local one = hm.number(1)
    for _, n in ipairs{ -120, -30, -9, 9, 30, 120 } do
      local scale = n > 0 and hm.number(10)^n or hm.rational(1, 10)^-n
      local function relative(e, value, unit)
        assert.equal("OK", e.status, e.reason)
        assert.is_true(e.q.x:contains(value), tostring(e.q.x))
        assert.is_true(e.q.x:log_size() > -math.huge and e.q.x:accuracy() > 55 and e.steps < 8, unit .. " " .. tostring(e.q.x))
      end
      local S = line(1)
      relative(S:enclosure{ q = { x = scale }, v = { x = 0 }, t = 1 }, hm.cos(one)*scale, "length")
      relative(line(1/scale^2):enclosure{ q = { x = 1 }, v = { x = 0 }, t = scale }, hm.cos(one), "time")
      local M = hm.system "heavy"
      local x = M:coordinates "x"
      M:kinetic_energy(scale*x.dot^2/2)
      M:potential_energy(scale*x^2/2)
      relative(M:enclosure{ q = { x = 1 }, v = { x = 0 }, t = 1 }, hm.cos(one), "mass")
    end
  end)
end)

describe("a form that is singular on the way", function()
  it("is named where the motion is lost, with what to do", function()
    local S = sleigh()
    local o = { q = { x = 0, y = 0, theta = "1/5" }, v = { theta = 2, x = 1 }, t = 2, digits = 40 }
    local words = { "close to it the form '", "is singular, where cos(theta) = 0; choose other velocities to eliminate" }
    for _, form in ipairs{ "hamel", "maggi", "kane", "appell", "canonical" } do
      o.form = form
      check.raises({ words[1] .. form, words[2] }, S.reference, S, o)
    end
    local e = S:enclosure{ form = "hamel", q = o.q, v = o.v, t = 2 }
    assert.equal("LOST", e.status)
    for _, word in ipairs(words) do assert.is_truthy(e.reason:find(word, 1, true), e.reason) end
    o.form = "lagrange"
    assert.matches("^%-0%.15582119", S:reference(o).q.x)
    -- a pole of the motion itself, in a form that has such places elsewhere
    local P = hm.system "pole"
    local x, y = P:coordinates "x y"
    P:kinetic_energy((x.dot^2 + y.dot^2)/2)
    P:constraint("c", hm.cos(y)*y.dot - x.dot)
    P:force(x, x.dot^3)
    P:force(y, y.dot^3)
    local lost = P:enclosure{ form = "hamel", q = { x = 0, y = 0 }, v = { x = 1, y = 1 }, t = 2 }
    assert.equal("LOST", lost.status)
    assert.is_nil(lost.reason:find("close to it the form", 1, true), lost.reason)
  end)
end)

describe("a run of the core", function()
  it("reaches times in whatever order they come", function()
    local m = require "hamel.analysis.enclosed".new(line(1), { q = { x = 0 }, v = { x = 1 } }, "enclosure", 0.0)
    for _, times in ipairs{ { "1", "0" }, { "1", "2", "-1" }, { "0", "0" }, { "-1", "0", "0" }, { "10", "-10", "3" } } do
      local e, balls = m:open(core.ball("0", 64), { bits = 64 }), {}
      for i, t in ipairs(times) do balls[i] = core.ball(t, 64) end
      local found = e:run(balls)
      assert.equal(#times, #found)
      for i, one in ipairs(found) do assert.is_true(one[1]:contains(hm.sin(hm.number(times[i]))) and one[1].radius < 1e-17) end
    end
  end)
end)

describe("a ball", function()
  it("holds the numbers within its radius", function()
    local b = hm.ball("1/3", "1e-6")
    assert.is_true(b:contains "0.3333333")
    assert.is_true(b:contains(hm.rational(1, 3)))
    assert.is_false(b:contains "0.33334")
    assert.is_true(b:meets(hm.ball("0.333335", "1e-6")))
    assert.is_false(b:meets(hm.ball("0.333336", "1e-6")))
    assert.is_true(b.lower <= 1/3 - 1e-6 and b.upper >= 1/3 + 1e-6 and b.radius >= 1e-6 and b.radius < 1.001e-6)
    assert.is_true(hm.ball(1):positive())
    assert.is_false(hm.ball(-1):positive())
    assert.is_nil(hm.ball(0, 1):positive())
    assert.equal("0.1666666667", hm.ball("1/6"):text(10))
    assert.matches("^%[1%.0+ %+/%- 1%.0%d*e%-6%]$", tostring(hm.ball(1, "1e-6")))
    check.raises({ "radius", "not a number" }, hm.ball, 1, "wide")
    check.raises({ "the radius -0.001 is negative" }, hm.ball, 1, "-0.001")
    assert.equal(0, hm.ball(1, 0).radius)
  end)
end)

describe("an enclosure", function()
  it("holds the closed solution, of constants that are no doubles", function()
    local S = line(hm.rational(1, 3))
    for _, bits in ipairs{ 40, 64, 200 } do                                -- an order so low that the remainder counts, and a high one
      for _, order in ipairs{ bits//6, bits//2 } do
        local e = S:enclosure{ q = { x = 1 }, v = { x = 0 }, t = 3, bits = bits, order = order }
        assert.is_true(e.q.x:contains(hm.cos(hm.sqrt(3))), ("%d bits, order %d: %s"):format(bits, order, tostring(e.q.x)))
        assert.is_true(e.v.x:contains(-hm.sin(hm.sqrt(3))/hm.sqrt(3)))
        assert.is_true(e.energy:contains(hm.rational(1, 6)))
        assert.is_true(e.q.x.radius < 2.0^(12 - bits))
      end
    end
  end)

  it("prints radii below the range of doubles", function()
    local S = line(1)
    local function radius(bits) return tostring(S:enclosure{ q = { x = 1 }, v = { x = 0 }, t = "1/10", bits = bits }):match "radius (%S+)," end
    assert.matches("^%d%.?%d*e%-2%d$", radius(80))
    local exponent = tonumber(radius(1400):match "^1e%-(%d+)$")
    assert.is_true(exponent > 415 and exponent < 428)                       -- 1400 bits are 421 digits
    local proof = tostring(S:prove_equilibrium{ q = { x = 0 }, v = { x = 0 }, bits = 1400 })
    assert.matches("  radius ", proof, 1, true)
    assert.is_nil(proof:find("no other one", 1, true))
  end)

  it("has the radius that small errors grow to, of the precision asked for", function()
    for _, case in ipairs{ { certified.pendulum, 5 }, { certified.sleigh, 20 }, { certified.disc, 5 } } do
      local M, start = case[1]()
      local run = M:simulate(with(start, { t = case[2], rtol = 1e-9, atol = 1e-9 })):at(0)
      local growth = 0
      for _, row in ipairs(M:variations{ q = run.q, v = run.v, t = case[2], rtol = 1e-9, atol = 1e-9 }:matrix(case[2])) do
        local sum = 0
        for _, x in ipairs(row) do sum = sum + math.abs(x) end
        growth = math.max(growth, sum)
      end
      local e = M:enclosure(with(start, { t = case[2], bits = 64 }))
      for name, x in pairs(e.x) do
        assert.is_true(x.radius <= 100*2.0^-64*growth*(1 + math.max(math.abs(x.lower), math.abs(x.upper))), ("%s: %g"):format(name, x.radius/2.0^-64/growth))
      end
    end
  end)

  it("goes backward, to times that are no doubles, and to several of them", function()
    local S = line(1)
    local list = S:enclosure{ q = { x = 1 }, v = { x = 0 }, times = { -0.1, "-1/3", "-0.33334", -hm.pi }, bits = 100 }
    for i, t in ipairs{ hm.rational(1, 10), hm.rational(1, 3), hm.number "0.33334", hm.pi } do
      assert.is_true(list[i].q.x:contains(hm.cos(t)), tostring(list[i].q.x))
      assert.is_true(list[i].v.x:contains(hm.sin(t)) and list[i].q.x.radius < 1e-27)
    end
    local onward = S:enclosure{ q = { x = list[4].q.x }, v = { x = list[4].v.x }, t = { "-3.14", 0 }, bits = 100 }
    assert.is_true(onward.q.x:contains(-hm.cos(hm.number "3.14")))
  end)

  it("holds forces with functions and time, and says where they end", function()
    local S, x = mechanics.body("body", "x")
    S:force(x, hm.t - x)                                                  -- x = t where it starts so
    assert.is_true(S:enclosure{ q = { x = 0 }, v = { x = 1 }, t = 5 }.q.x:contains(5))
    local root, s = mechanics.body("root", "s")
    root:force(s, hm.sqrt(1 - s))
    local lost = root:enclosure{ q = { s = 0 }, v = { s = 1 }, t = 5 }
    assert.equal("LOST", lost.status)
    assert.matches("singular", lost.reason)
    assert.is_true(lost.t < 1 and lost.q.s.upper <= 1)
    local corner, y = mechanics.body("corner", "y")
    corner:force(y, -hm.abs(y))
    local stopped = corner:enclosure{ q = { y = 1 }, v = { y = -2 }, t = 5 }
    assert.equal("LOST", stopped.status)
    assert.is_true(stopped.t < 1)
  end)

  it("completes the start on the constraints, and keeps to them", function()
    local S = sleigh()
    local e = S:enclosure(with(on_blade, { t = 4, bits = 128 }))
    local r = S:reference(with(on_blade, { t = 4, prove = false }))
    for name, text in pairs(r.q) do assert.is_true(e.q[name]:meets(hm.ball(text, "1e-28")), name) end
    assert.is_true(e.constraint_width < 1e-33 and e.q.x.radius < 1e-33)
    local run = S:simulate{ q = { x = 0, y = 0, theta = 0.2 }, v = { theta = 0.5, x = 1 }, t = 4, rtol = 1e-12, atol = 1e-14 }
    check.near((e.lambda.blade.lower + e.lambda.blade.upper)/2, run:at(4).lambda.blade, 1e-9)
    check.raises({ "blade" }, S.enclosure, S, { q = on_blade.q, v = { x = 1, y = "1/10", theta = 0 }, t = 1 })
  end)

  it("holds accelerations, multipliers and reactions, in every form", function()
    local rod = hm.system "rod"
    local x, y = rod:coordinates "x y"
    local g = rod:positive "g=9.81"
    rod:kinetic_energy((x.dot^2 + y.dot^2)/2)
    rod:potential_energy(g*y)
    rod:constraint("rod", (x^2 + y^2 - 1)/2)
    local e = rod:enclosure{ q = { x = "3/5", y = "-4/5" }, v = { x = "4/5", y = "3/5" }, t = "1/3", bits = 120 }
    -- lambda = g y - v^2, from x'' = lambda x, y'' = lambda y - g and the constraint derived twice
    local lambda, tension, outward = table.unpack(e:values{ "lambda.rod", g*y - x.dot^2 - y.dot^2, x.ddot*x + (y.ddot + g)*y })
    for _, other in ipairs{ tension, outward, e.lambda.rod } do
      assert.is_true(lambda:meets(other))
      assert.is_true(other.radius < 1e-30)
    end
    assert.is_true(e.reactions.x:meets(e:values{ x.ddot }[1]) and e.reactions.y:meets(e:values{ y.ddot + g }[1]))
    assert.is_true(e.a.x:meets(e.reactions.x) and not e.a.y:meets(e.reactions.y))
    local S = sleigh()
    local one = S:enclosure(with(on_blade, { t = 2, bits = 100 }))
    local at = S:simulate{ q = { x = 0, y = 0, theta = 0.2 }, v = { theta = 0.5, x = 1 }, t = 2, rtol = 1e-12, atol = 1e-14 }:at(2)
    local plain = S:reactions{ q = at.q, v = at.v }
    for _, form in ipairs{ "maggi", "hamel" } do
      local other = S:enclosure(with(on_blade, { t = 2, bits = 80, form = form }))
      assert.is_true(one.lambda.blade:meets(other.lambda.blade) and other.lambda.blade.radius < 1e-15, form)
      for name, ball in pairs(one.reactions) do
        assert.is_true(ball:meets(other.reactions[name]) and other.a[name]:meets(one.a[name]), form .. ": " .. name)
        check.near(other.reactions[name].lower, plain[name], 1e-9)
      end
    end
    check.raises({ "blade", "did you mean" }, one.values, one, { "lambda.blad" })
    check.raises({ "list" }, one.values, one, "x")
  end)

  it("moves values onto the constraints that are off by little", function()
    local S = check.sleigh(hm)
    local function given(slip) return { q = { x = 0, y = 0, theta = "1/2" }, v = { x = 1, y = slip, theta = 1 }, t = { 0, "1/10" }, complete = true } end
    -- tan(1/2) = 0.5463
    local e = S:enclosure(given(0.56))
    assert.equal("OK", e.status)
    assert.is_true(e.constraint_width < 1e-16)
    check.raises({ "'blade' is violated", "at most 0.1 of the size of the terms" }, S.enclosure, S, given(0.8))
  end)

  it("is the same motion in every form", function()
    local S = sleigh()
    local e = S:enclosure(with(on_blade, { t = 2, bits = 100 }))
    for _, form in ipairs{ "maggi", "hamel", "chaplygin", "voronets", "kane" } do
      local other = S:enclosure(with(on_blade, { t = 2, bits = 80, form = form }))
      for name, x in pairs(e.q) do assert.is_true(x:meets(other.q[name]), form .. ": " .. name) end
      for name, x in pairs(e.v) do assert.is_true(x:meets(other.v[name]) and other.v[name].radius < 1e-20, form .. ": " .. name .. "'") end
    end
  end)

  it("holds every motion from a box", function()
    local S = sleigh()
    local box = S:enclosure{ q = { x = 0, y = 0, theta = hm.ball("0.2", "1e-3") }, v = { theta = { "0.499", "0.501" }, x = 1 }, t = 3,
      parameters = { a = { "0.299", "0.301" } } }
    for _, k in ipairs{ -1, -0.5, 0, 0.7, 1 } do
      local run = S:simulate{ q = { x = 0, y = 0, theta = 0.2 + k*0.999e-3 }, v = { theta = 0.5 - k*0.999e-3, x = 1 }, t = 3, rtol = 1e-12, atol = 1e-14,
                              parameters = { a = 0.3 + k*k*0.999e-3 } }
      for name, x in pairs(box.q) do assert.is_true(x.lower <= run:at(3)[name] and run:at(3)[name] <= x.upper, name) end
    end
    assert.is_true(box.radius < 0.03)
  end)

  it("is lost, with the last good set, where a box is too wide", function()
    local S, x = mechanics.body("body", "x")
    S:force(x, x^3)
    local lost = S:enclosure{ q = { x = hm.ball(1, 0.3) }, v = { x = 0 }, t = 10 }
    assert.equal("LOST", lost.status)
    assert.matches("lost", lost.reason)
    assert.is_true(lost.t > 0 and lost.t < 10 and lost.q.x.upper > 1.3)
    assert.matches("lost", tostring(lost))
  end)

  it("refuses what is no formula, and wrong values", function()
    local S, x = mechanics.body("body", "x")
    S:force(x, hm.data{ x = { 0, 1, 2 }, y = { 0, 1, 0 } }(hm.t))
    check.raises({ "measured data" }, S.enclosure, S, { q = { x = 0 }, v = { x = 0 }, t = 1 })
    local L = line(1)
    check.raises({ "goes from the larger to the smaller" }, L.enclosure, L, { q = { x = { 2, 1 } }, v = { x = 0 }, t = 1 })
    check.raises({ "end time t is missing" }, L.enclosure, L, { q = { x = 2 }, v = { x = 0 } })
    for _, t in ipairs{ 2, { 0, 2 } } do
      check.raises({ "either the end time t or times" }, L.enclosure, L, { q = { x = 2 }, v = { x = 0 }, t = t, times = { 1 } })
    end
    check.raises({ "either the end time t or times" }, L.reference, L, { q = { x = 2 }, v = { x = 0 }, t = 2, times = { 1 } })
    -- also where the last time is the start, and where doubles do not tell them apart
    for _, times in ipairs{ { 1, 0 }, { 1, 1, 0 }, { -1, 0 }, { "1e-400", 0 } } do
      local message = ("times[%d] = 0: times are numbers that go one way"):format(#times)
      for _, f in ipairs{ "enclosure", "reference" } do check.raises({ message }, L[f], L, { q = { x = 2 }, v = { x = 0 }, times = times }) end
    end
    check.raises({ "times[2] = 1:" }, L.enclosure, L, { q = { x = 2 }, v = { x = 0 }, t = { 1 }, times = { "1.0000000000000000000001", 1 } })
    check.raises({ "times[2] = 1:" }, L.enclosure, L, { q = { x = 2 }, v = { x = 0 }, t = { "3/2" }, times = { 2, 1 } })
    local late = L:enclosure{ q = { x = 1 }, v = { x = 0 }, t = { "1/4" }, times = { 1 } }
    assert.is_true(late[1].q.x:contains(hm.cos(hm.rational(3, 4))))
  end)
end)

describe("digits", function()
  it("are proved beyond 32, from exact numbers", function()
    local r = line(hm.rational(1, 3)):reference{ q = { x = 1 }, v = { x = 0 }, t = 3, digits = 60 }
    assert.equal("-0.160556538574690627402747929079680481541644337729381562", r.q.x:sub(1, 57))
    assert.is_true(r.proved and r.digits == 60 and r.radius < 1e-60)
    local few = line(hm.rational(1, 3)):reference{ q = { x = 1 }, v = { x = 0 }, times = { 0, 3 }, digits = 20, prove = true }
    assert.equal("-0.1605565385746906274", few[2].q.x:sub(1, 22))
    assert.equal("0", few[1].v.x)
    assert.is_false(line(1):reference{ q = { x = 1 }, v = { x = 0 }, t = 1, prove = false }.proved)
  end)

  it("are refused with advice that can be taken", function()
    local L = line(1)
    for _, given in ipairs{ { q = { x = hm.ball(1, 1e-3) }, v = { x = 0 } }, { q = { x = 1 }, v = { x = { "0", "0.1" } } } } do
      given.t = 1
      check.raises({ "is a box of values", "S:enclosure" }, L.reference, L, given)
    end
    for _, name in ipairs{ "abs", "sign" } do
      local S, x = mechanics.body("body", "x")
      S:force(x, -hm[name](x))
      check.raises({ "not smooth", "S:simulate" }, S.reference, S, { q = { x = 1 }, v = { x = 0 }, t = 5 })
    end
    -- x = 1/(1 - t)^2
    local S, x = mechanics.body("body", "x")
    S:force(x, 6*x^2)
    for _, prove in ipairs{ true, false } do
      local fine, message = pcall(S.reference, S, { q = { x = 1 }, v = { x = 2 }, t = 2, prove = prove })
      assert.is_false(fine)
      assert.matches("before a pole", message)
      assert.is_nil(message:find("tolerance", 1, true))
    end
  end)

  it("are the same with more of them", function()
    local S = sleigh()
    local long, short = S:reference(with(on_blade, { t = 3, digits = 120 })), S:reference(with(on_blade, { t = 3, digits = 40 }))
    for name, text in pairs(short.q) do assert.equal(text:sub(1, 38), long.q[name]:sub(1, 38)) end
  end)

  it("of the vakonomic form take boxes of multipliers", function()
    local S, start = certified.sleigh()
    local function at(mu) return S:enclosure(with(start, { t = 0.5, form = "vakonomic", mu = { blade = mu } })) end
    local wide = at{ "0.1", "0.12" }
    assert.truthy(wide.radius > 1e-3 and wide.radius < 0.1, wide.radius)
    for _, mu in ipairs{ "1/10", "0.107", "12/100" } do
      for name, x in pairs(at(mu).x) do assert.truthy(wide.x[name]:holds(x), name) end
    end
    local outside = at "0.3"
    assert.falsy(wide.x.theta:meets(outside.x.theta))
    check.raises({ "reference: mu.blade is a box of values" }, S.reference, S, with(start, { t = 0.5, form = "vakonomic", mu = { blade = { "0.1", "0.2" } } }))
    check.raises({ "mu.blade is a table, not a number" }, S.simulate, S, with(start, { t = 0.5, form = "vakonomic", mu = { blade = { 0.1, 0.2 } } }))
    check.raises({ "prove_equilibrium: mu.blade is a box" }, S.prove_equilibrium, S, { q = start.q, v = { x = 0, y = 0, theta = 0 }, form = "vakonomic",
      mu = { blade = hm.ball("0.1", "1e-3") } })
  end)

  it("of the vakonomic form are proved, too", function()
    local S = sleigh()
    local o = with(on_blade, { t = 1, form = "vakonomic", mu = { blade = "1/10" } })
    local r, few = S:reference(with(o, { digits = 50 })), S:reference(with(o, { prove = false }))
    for name, text in pairs(few.q) do assert.equal(text:sub(1, 24), r.q[name]:sub(1, 24)) end
  end)

  it("end at singular places", function()
    local S, s = mechanics.body("root", "s")
    S:force(s, hm.sqrt(1 - s))
    check.raises({ "singular" }, S.reference, S, { q = { s = 0 }, v = { s = 1 }, t = 5, digits = 60 })
  end)
end)

describe("steps that become short and stay so", function()
  it("end where only the form is singular, with the forms that go on", function()
    local S = hm.system "pendulum of a length that changes"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(hm.number "9.81"*y)
    S:constraint("rod", x^2 + y^2 - 1 - hm.sin(hm.t)/10)
    local function swing(form) return S:enclosure{ q = { x = "3/10" }, v = { x = "1/4" }, t = 1, form = form } end
    local e = swing "maggi"
    assert.equal("LOST", e.status)
    assert(e.reason:find "the step fell to" and e.reason:find "the form 'maggi' is singular" and e.reason:find "or 'lagrange'", e.reason)
    assert(e.steps < 3000, e.steps)
    assert.equal("OK", swing("lagrange").status)
  end)

  it("go on past a collision that is only near", function()
    local S = hm.system "comet"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-1/hm.sqrt(x^2 + y^2))
    local e = S:enclosure{ q = { x = 1, y = 0 }, v = { x = 0, y = "1/1000" }, t = 2, bits = 128 }
    assert(e.status == "OK", e.reason)
    assert.is_true(e.energy:contains(hm.rational(1, 2000000) - 1))
  end)
end)
