-- charts and diagrams of motions that one weakly damped mode, or none, keeps from settling
local hm, check = require "hamel", require "check"
local cos = hm.cos
local T = 2*math.pi

-- Two driven oscillators with hard springs b, coupled by e. Free swings of y alone shrink like exp(-c2 t/2)
local function pair(potential)
  local S = hm.system "pair"
  local x, y = S:coordinates "x y"
  local c1, c2, e, b, g, f = S:parameters "c1=1 c2=1e-4 e=0 b=0 g=1 f=1"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy((potential and potential(x) or x^2/2 + b*x^4/4) + y^2 + b*y^4/4 + e*(x - y)^2/2)
  S:force(x, -c1*x.dot + g*cos(hm.t))
  S:force(y, -c2*y.dot + f*cos(hm.t))
  return function(values, count)
    return S:chart{ over = { { "x", { 1 } } }, q = { y = 0.3 }, v = { x = 0, y = 0 }, parameters = values, of = "period", stroboscope = T, t = count*T,
                    skip = (count - 100)*T, rtol = 1e-10, atol = 1e-12, progress = false }[1]
  end
end

describe("periods beside uneven damping", function()
  it("are not decided before the slowest swings had the time to shrink, and are right behind it", function()
    local row = pair()
    -- 2 ln(10/1e-6)/c2 is 3.2e5 at c2 = 1e-4
    local r = row({ b = 0.1, g = 0.2, f = 0.2 }, 400)
    assert(r.status == "UNDECIDED" and r.reason:find("a time of about 3.2e+05", 1, true), tostring(r.reason))
    for _, values in ipairs{ {}, { e = 0.1 }, { b = 0.1, g = 0.2, f = 0.2, e = 0.1 }, { c2 = 0 }, { c2 = 1e-3 } } do
      assert.equal("UNDECIDED", row(values, 400).status)
    end
    for _, e in ipairs{ 0, 0.1 } do
      local late = row({ c2 = 1e-3, e = e }, 5700)
      assert(late.status == "OK" and late.period == 1, tostring(late.reason))
    end
  end)

  it("are 0 for chaos, whatever is beside it", function()
    -- Ueda's oscillator, x'' + x'/20 + x^3 = 7.5 cos t, is chaotic
    local row = pair(function(x) return x^4/4 end)
    for _, c2 in ipairs{ 0.05, 1e-4, 0 } do
      for _, e in ipairs{ 0, 0.05 } do
        local r = row({ c1 = 0.05, c2 = c2, e = e, g = 7.5, f = 0 }, 400)
        assert(r.status == "OK" and r.period == 0, tostring(r.reason))
      end
    end
  end)

  it("are 0 on tori of motions that excite themselves, and of two drives", function()
    local S = hm.system "two oscillators of van der Pol"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(x^2/2 + y^2 + (x - y)^2/40)
    S:force(x, -0.3*(x^2 - 1)*x.dot)
    S:force(y, -0.3*(y^2 - 1)*y.dot)
    local r = S:chart{ over = { { "x", { 1 } } }, q = { y = 0.1 }, v = { x = 0, y = 0 }, of = "period", section = { when = x }, t = 1000, skip = 300 }[1]
    assert(r.status == "OK" and r.period == 0, tostring(r.reason))
    local D = hm.system "two drives, one damper"
    x, y = D:coordinates "x y"
    D:kinetic_energy((x.dot^2 + y.dot^2)/2)
    D:potential_energy(x^2/2 + y^2 + (x - y)^2/4)
    D:force(x, -x.dot/2 + cos(hm.t) + cos(hm.sqrt(2)*hm.t))
    r = D:chart{ over = { { "x", { 1 } } }, q = { y = 0.1 }, v = { x = 0, y = 0 }, of = "period", stroboscope = T, t = 200*T, skip = 30*T }[1]
    assert(r.status == "OK" and r.period == 0, tostring(r.reason))
  end)

  -- x'' + x = cos t from x(0) = X: x = X cos t + t sin t/2; its points go on by pi in x' from each to the next
  it("are 0 for a resonance without damping, which does not come back, and not decided where it grows", function()
    local S = hm.system "resonance"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, cos(hm.t))
    local C = S:chart{ over = { { "x", { 0, 1000 } } }, v = { x = 0 }, of = "period", stroboscope = T, t = 400 }
    assert.equal("UNDECIDED", C[1].status)
    assert(C[2].status == "OK" and C[2].period == 0, tostring(C[2].reason))
  end)
end)

describe("a drive of the amplitude zero", function()
  it("leaves a system that does not depend on the time", function()
    local unstable, timed = require "hamel.chart.unstable", require "hamel.chart.timed"
    local S = hm.system "pendulum"
    local a = S:coordinates "a"
    local g, w = S:parameters "g=0 w=1"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(-cos(a))
    S:force(a, g*cos(w*hm.t))
    local judge, depends = unstable.judge(S, { "a", "a'" }), timed.of(S, S:equations "lagrange")
    local function unstable_at(angle, g_value) return judge({ angle, 0.0 }, { 1.0, 1.0 }, 1e-5, { g = g_value, w = 1.0 }) end
    assert(unstable_at(math.pi, 0.0) and not unstable_at(0.0, 0.0) and not unstable_at(math.pi, 0.5))
    assert(not depends{ g = 0.0, w = 1.0 } and depends{ g = 0.5, w = 1.0 } and not depends{ g = 0.5, w = 0.0 })
    -- on the separatrix a direction grows, and none is known to be that along the motion
    local C = S:chart{ over = { { "g", { 0 } } }, q = { a = 0 }, v = { a = 2 }, of = "exponents", t = 300, skip = 20 }
    assert(not tostring(C):find("chaos", 1, true), tostring(C))
  end)
end)

describe("diagrams", function()
  it("say of each value whether its points have settled", function()
    local S = hm.system "Duffing"
    local x = S:coordinates "x"
    local g, c = S:parameters "g=0.3 c=0.3"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^4/4 - x^2/2)
    S:force(x, -c*x.dot + g*cos(1.2*hm.t))
    local function settled(skip, damping, values, follow)
      local D = S:diagram{ along = { "g", values }, of = "x", stroboscope = T/1.2, skip = skip, n = 60, q = { x = 1 }, v = { x = 0 },
                           parameters = { c = damping }, follow = follow }
      return D[1].settled, D
    end
    -- at c = 0.3, g = 0.5 the motion is chaotic: chart_spec and the textbooks
    for _, follow in ipairs{ true, false } do
      assert.is_true(settled(200, 0.3, { 0.2 }, follow))
      assert.is_nil(settled(200, 0.3, { 0.5 }, follow))
      local done, D = settled(0, 0.3, { 0.2 }, follow)
      assert(done == false and D[1].reason:find("larger skip", 1, true) and tostring(D):find("1 value with points that have not settled", 1, true), tostring(D))
      -- swings shrink by exp(-c t/2): by 1e5 in 440 periods
      assert.is_false(settled(100, 0.01, { 0.01 }, follow))
      assert.is_true(settled(700, 0.01, { 0.01 }, follow))
    end
  end)
end)

describe("rotation numbers", function()
  -- a'' = -c a': a' falls like exp(-c t)
  it("of motions that drift or grow are not decided", function()
    local S = hm.system "rotor"
    local a = S:coordinates "a"
    local c, M = S:parameters "c=0.01 M=0"
    S:kinetic_energy(a.dot^2/2)
    S:force(a, M - c*a.dot)
    local function row(values, t, skip)
      return S:chart{ over = { { "a'", { 1 } } }, q = { a = 0 }, of = "rotation", angle = "a", t = t, skip = skip, parameters = values }[1]
    end
    local r = row({}, 400, 0)
    assert(r.status == "UNDECIDED" and r.rotation == nil and r.reason:find("only falls", 1, true), tostring(r.reason))
    assert.equal("UNDECIDED", row({ c = 0, M = 0.1 }, 400, 0).status)
    r = row({ M = 0.05 }, 5000, 3000)
    assert.equal("OK", r.status)
    check.near(r.rotation, 5, 1e-9)
  end)
end)
