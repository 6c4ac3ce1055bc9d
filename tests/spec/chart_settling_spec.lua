-- Charts of periods: "no period" is not said of motions that still settle, where it is not known what volumes of states do.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local function chart(S, o)
  o.of, o.progress = "period", false
  return S:chart(o)
end

describe("charts of periods", function()
  -- arbiter: the same motion for long: it settles to the period of the points. Amplitudes shrink at about e/2
  it("leave open whether a nonholonomic motion with weak damping has settled", function()
    local S = hm.system "weakly damped"
    local x, y, th = S:coordinates "x y th"
    local e = S:parameters "e=0.001"
    S:kinetic_energy((x.dot^2 + y.dot^2 + th.dot^2)/2)
    S:potential_energy((th^2 + x^2)/2)
    S:constraint("b", y.dot - th*x.dot)
    S:force(th, -e*th.dot + hm.rational(1, 10)*cos(2*hm.t))
    S:force(x, -e*x.dot)
    local function rows(t, values)
      return chart(S, { over = { { "e", values } }, q = { x = 0.3, y = 0, th = 0.4 }, v = { x = 0.2, th = 0.1 }, stroboscope = hm.pi, t = t, skip = t/2 })
    end
    for _, t in ipairs{ 200, 1000 } do
      for _, row in ipairs(rows(t, { 1e-3, 2e-3, 5e-3 })) do
        assert.equal("UNDECIDED", row.status, ("t = %g, e = %g: %s"):format(t, row.e, tostring(row.period)))
      end
    end
    assert.equal(1, rows(10000, { 5e-3 })[1].period)
  end)

  -- a weak drive moves the motion along the family of states of rest: after 400 periods it still goes on, by a little less in each
  it("leave open where a motion drifts along a family", function()
    local S = hm.system "driven in a family"
    local x, y, z = S:coordinates "x y z"
    local d = S:parameters "d=1"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:potential_energy((x^2 + y^2 + z^2)/2)
    S:constraint("c", z.dot - sin(y)*x.dot - x*y.dot/3)
    S:force(x, -d*x.dot/3 + cos(hm.t)/10)
    S:force(y, -d*y.dot/4)
    S:force(z, -d*z.dot/5)
    for _, row in ipairs(chart(S, { over = { { "d", { 0.1, 0.3, 1 } } }, q = { x = 0.3, y = 0.2, z = 0.3 }, v = { x = 0.1, y = -0.2 }, stroboscope = 2*hm.pi,
                                    t = 200*math.pi, skip = 60*math.pi })) do
      assert.truthy(row.status == "UNDECIDED" or row.period == 1, ("d = %g: %s %s"):format(row.d, row.status, tostring(row.period)))
    end
  end)

  -- a proved invariant measure: nothing settles; chaos and tori of which exponents tell so
  it("still say that there is no period, where this is known", function()
    local D = hm.system "upright disc"
    local x, y, th, ph = D:coordinates "x y th ph"
    local k = D:parameters "k=1"
    D:kinetic_energy((x.dot^2 + y.dot^2 + th.dot^2 + ph.dot^2)/2)
    D:potential_energy(k*x^2/2 + y^2)
    D:constraint("a", x.dot - cos(th)*ph.dot)
    D:constraint("b", y.dot - sin(th)*ph.dot)
    assert.truthy(D:invariant_measure().proof)
    local row = chart(D, { over = { { "k", { 1 } } }, q = { x = 0.3, y = 0.2, th = 0.1, ph = 0 }, v = { th = 0.7, ph = 0.1 }, t = 1000, skip = 100,
                           section = { when = sin(th) } })[1]
    assert.equal(0, row.period, row.reason)
    -- Van der Pol's oscillator and its drive, with a wheel that turns on beside it
    local V = hm.system "driven beside a constraint"
    local a, b, c = V:coordinates "a b c"
    local F = V:parameters "F=1"
    V:kinetic_energy((a.dot^2 + b.dot^2 + c.dot^2)/2)
    V:potential_energy(a^2/2)
    V:constraint("c", c.dot - sin(b)*a.dot/1000)
    V:force(a, hm.rational(3, 10)*(1 - a^2)*a.dot + F*cos(hm.rational(13, 10)*hm.t))
    V:force(b, -b.dot - b)
    row = chart(V, { over = { { "F", { 0.1 } } }, q = { a = 0.4, b = 0, c = 0 }, v = { a = 0.3, b = 0 }, stroboscope = 20*hm.pi/13, t = 1000, skip = 500 })[1]
    assert.equal(0, row.period, row.reason)
    -- Duffing's chaos and Van der Pol's torus, their forces in Lua: two motions that begin near each other separate, or do not
    local function forced(V0, force, T)
      local S = hm.system "forced in Lua"
      local q = S:coordinates "q"
      S:kinetic_energy(q.dot^2/2)
      S:potential_energy(V0(q))
      S:force(q, force)
      return chart(S, { over = { { "q", { 0.43 } } }, v = { q = 0.33 }, stroboscope = T, t = 300*T, skip = 150*T })[1]
    end
    local chaos = forced(function(q) return q^4/4 - q^2/2 end, function(t, _, v) return 0.5*math.cos(1.2*t) - 0.3*v.q end, math.pi/0.6)
    assert.equal(0, chaos.period, chaos.reason)
    local torus = forced(function(q) return q^2/2 end, function(t, q, v) return 0.3*(1 - q.q^2)*v.q + 0.1*math.cos(1.3*t) end, math.pi/0.65)
    assert.equal("UNDECIDED", torus.status)
    assert.truthy(torus.reason:find("write it as an expression", 1, true), torus.reason)
  end)

  -- arbiter: sin(w t) with w = 1/2 + e is off by about pi 2 e of its extent after two periods of the stroboscope
  it("say of a motion that nearly repeats how far it drifts, and the advice helps", function()
    local S = hm.system "two frequencies"
    local x, y = S:coordinates "x y"
    local w = S:parameters "w=1"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(x^2/2 + w^2*y^2/2)
    local function row(e, close, rtol, atol, step)
      return chart(S, { over = { { "w", { 0.5 + e } } }, q = { x = 1, y = 0.7 }, v = { x = 0, y = 0.2 }, stroboscope = 2*math.pi, t = 400*math.pi,
        close = close, rtol = rtol, atol = atol, method = step and "gauss6", step = step })[1]
    end
    for _, e in ipairs{ 1e-8, 1e-7, 1e-6, 5e-6 } do
      local drifts = row(e, 1e-6, 1e-11)
      assert.equal("UNDECIDED", drifts.status)
      local off, larger, smaller, rtol, atol = drifts.reason:match("^after 2 points it is (%S+) off, .*period 2, take close = (%S+); .* take close = (%S+), "
        .. "rtol = (%S+), atol = (%S+)$")
      assert.near(2*math.pi*e, tonumber(off), e)
      assert.equal(2, row(e, tonumber(larger), 1e-11).period)
      assert.equal(0, row(e, tonumber(smaller), tonumber(rtol), tonumber(atol)).period)
    end
    -- steps of one size have no tolerances
    local drifts = row(1e-6, 1e-6, nil, nil, 0.1)
    local larger, smaller = drifts.reason:match("period 2, take close = (%S+); .* take close = (%S+) and a smaller step$")
    assert.equal(2, row(1e-6, tonumber(larger), nil, nil, 0.1).period)
    assert.equal(0, row(1e-6, tonumber(smaller), nil, nil, 0.01).period)
  end)
end)
