-- S:prove_periodic, hm.check_certificate, hamel verify. Arbiters: closed solutions; the same orbit with other bits and sections
local hm, check, core = require "hamel", require "check", require "hamel.core"
local certified, forged, mechanics = require "certified", require "forged", require "mechanics"

if not core.has_arb then
  describe("ball arithmetic", function() pending "skipped: this build has none (HAMEL_ARB)" end)
  return
end

-- x'' = -x - c x^3
local function duffing(c)
  local S = hm.system "Duffing"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2 + c*x^4/4)
  return S, x
end

-- The same on the plane z = x, held there by a constraint
local function held()
  local S = hm.system "held"
  local x, z = S:coordinates "x z"
  S:kinetic_energy((x.dot^2 + z.dot^2)/2)
  S:potential_energy(x^2)
  S:constraint("level", z - x)
  return S, x
end

describe("a proof of a closed orbit", function()
  it("holds the period of the closed solution", function()
    local S, x = duffing(0)
    local p = S:prove_periodic{ section = x, energy = "1/2", v = { x = 1.01 }, period = 6.2 }
    assert.is_true(p.proved and p.contraction < 1)
    assert.is_true(p.period:contains(2*hm.pi), tostring(p.period))
    assert.is_true(p.v.x:contains(1) and p.q.x:contains(0) and p.radius < 1e-30)
    assert.matches("^closed orbit proved: radius", tostring(p))
  end)

  it("is one orbit, whatever the section, the bits and the order", function()
    local S, x = duffing(hm.rational(1, 3))
    local one = S:prove_periodic{ section = x, energy = 1, v = { x = 1.4 }, period = 5 }
    local other = S:prove_periodic{ section = x.dot, energy = 1, q = { x = 1.2 }, period = 5, bits = 200, order = 50 }
    local third = S:prove_periodic{ section = x - x.dot, energy = 1, q = { x = 0.9 }, v = { x = 0.9 }, period = 5 }
    assert.is_true(one.proved and other.proved and third.proved)
    assert.is_true(one.period:meets(other.period) and other.period:meets(third.period) and other.period.radius < 1e-50)
    local period = (one.period.lower + one.period.upper)/2
    check.near(S:simulate{ q = { x = 0 }, v = { x = math.sqrt(2) }, t = period, rtol = 1e-12, atol = 1e-13 }:at(period).q.x, 0, 1e-9)
  end)

  it("finds limit cycles without an energy", function()
    local S, x = mechanics.van_der_pol()
    local p = S:prove_periodic{ section = x, q = {}, v = { x = 2.2 }, period = 6.6 }
    assert.is_true(p.proved, p.reason)
    assert.is_true(p.period:meets(hm.ball("6.6632868593231301896996820305", "1e-27")), tostring(p.period))    -- the period in the literature
    check.raises({ "energy", "not constant along its motions" }, S.prove_periodic, S, { section = x, v = { x = 2.2 }, period = 6.6, energy = 1 })
  end)

  it("keeps to constraints", function()
    local S, x = held()
    local p = S:prove_periodic{ section = x, energy = 1, q = { z = 0 }, v = { x = 1, z = 1 }, period = 6.3 }
    assert.is_true(p.proved, p.reason)
    assert.is_true(p.period:contains(2*hm.pi) and p.q.z:contains(0))                        -- 2 x'' = -2 x
  end)

  it("does not take half of a period for a whole one", function()
    -- after pi the velocity has the other sign, and the same energy: the row left out does not follow
    local S, x = duffing(0)
    local p = S:prove_periodic{ section = x, energy = "1/2", v = { x = 1 }, period = 3.1 }
    assert.is_false(p.proved)
    assert.matches("of the period 3.14159, does not close: x' is 1.0* at the start and %-1.0* at the end, with the same integrals; a period twice as long is "
      .. "proved: give period = 6.2831853", p.reason)
  end)

  it("says of no state of rest that it closes so many times", function()
    local S, x = mechanics.body("damped", "x")
    S:force(x, -x - x.dot/5)
    for _, given in ipairs{ { section = x, v = { x = 1 }, period = 6.3 }, { section = x.dot, q = { x = 0 }, period = 31.5 } } do
      local p = S:prove_periodic(given)
      assert.is_false(p.proved)
      assert.matches("ends at a state of rest.*S:prove_equilibrium", p.reason)
      assert.is_nil(p.reason:find("times", 1, true))
    end
    local D, y = duffing(0)
    assert.matches("ends at a state of rest", D:prove_periodic{ section = y, energy = 0, v = { x = 0 }, period = 6 }.reason)
  end)

  it("says where orbits form families, what proves one of them", function()
    local S = hm.system "isotropic"
    local x, y = S:coordinates "x y"
    local k = S:positive "k=1"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(k*(x^2 + y^2)/2)
    local given = { section = x, energy = 1, q = { y = 0.3 }, v = { x = 1.2, y = 0.5 }, period = 6.28, bits = 64 }
    local p = S:prove_periodic(given)
    assert.matches("of the period 6.28319, and to first order such motions form a family of 2 dimensions; name 2 quantities.*`integrals`", p.reason)
    local with_box = certified.with(given, { parameters = { k = {"0.999", "1.001"} } })
    local boxed = S:prove_periodic(with_box)
    assert.matches("not even for k = 1, the middle of the boxes: near the guess is a closed motion", boxed.reason)
    assert.is_nil(boxed.reason:find("smaller", 1, true))
    given.integrals = { { x*y.dot - y*x.dot, "-36/100" }, { (y.dot^2 + k*y^2)/2, "17/100" } }
    assert.is_true(S:prove_periodic(given).proved)
  end)

  it("is none where the box holds no orbit", function()
    local S, x = duffing(0)
    for _, off in ipairs{ { 1, 6.2832 }, { 1.00001, 2*math.pi } } do
      local p = S:prove_periodic{ section = x, energy = "1/2", v = { x = off[1] }, period = off[2], radius = 1e-8, iterations = 0 }
      assert.is_false(p.proved)
      assert.matches("exceeds radius", p.reason)
    end
    -- and one where it does
    assert.is_true(S:prove_periodic{ section = x, energy = "1/2", v = { x = 1 }, period = 2*math.pi + 1e-9, radius = 1e-8, iterations = 0 }.proved)
  end)

  it("does not run after a guess that leads away", function()
    local S, x = duffing(1)
    local p = S:prove_periodic{ section = x, energy = 1, v = { x = 1.4 }, period = 2 }
    assert.is_false(p.proved)
    local period = tonumber(p.reason:match "does not close: .*give period = (%S+)$")
    assert.is_true(S:prove_periodic{ section = x, energy = 1, v = { x = 1.4 }, period = period }.proved)
  end)

  it("knows a period that is wrong by a factor, and derivatives that need more digits", function()
    local V, x = mechanics.van_der_pol()
    local p = V:prove_periodic{ section = x, v = { x = 2.1727 }, period = 53.3, bits = 40 }
    assert.is_false(p.proved)
    local period = tonumber(p.reason:match "which is 4 times that of a closed orbit; give period = (13%.3265%d+)$")
    assert.is_true(V:prove_periodic{ section = x, v = { x = 2.1727 }, period = period }.proved)
    local S, _, a = certified.pendulum()
    local other = S:prove_periodic{ section = a, energy = -20, q = { b = 0 }, v = { a = 0.85020533, b = 3.4085681 }, period = 5.4522287, bits = 80,
      iterations = 4 }
    assert.is_true(other.proved and other.least and other.period:meets(hm.ball("5.45222866677433285229", "1e-20")))
  end)

  it("begins anew at a closed motion near a guess from which Newton's method goes astray", function()
    local V, x = mechanics.van_der_pol()
    local p = V:prove_periodic{ section = x, v = { x = 1 }, period = 5, bits = 64 }
    assert.is_true(p.proved, p.reason)
    assert.is_true(p.period:meets(hm.ball("6.6632868593231301896996820305", "1e-27")), tostring(p.period))
  end)

  it("says why there is none", function()
    local S, x = duffing(1)
    local p = S:prove_periodic{ section = x, energy = 1, v = { x = 1.4 }, period = 2, iterations = 0 }
    assert.is_false(p.proved)
    assert.matches("not proved: ", tostring(p))
    check.raises({ "nothing was proved" }, p.save, p, "orbit.cert")
    check.raises({ "energy is missing" }, S.prove_periodic, S, { section = x, v = { x = 1.4 }, period = 5 })
    check.raises({ "section is missing" }, S.prove_periodic, S, { energy = 1, v = { x = 1.4 }, period = 5 })
    check.raises({ "period is missing" }, S.prove_periodic, S, { section = x, energy = 1, v = { x = 1.4 } })
    local driven, y = duffing(0)
    driven:force(y, hm.cos(hm.t))
    check.raises({ "depend on the time" }, driven.prove_periodic, driven, { section = y, v = { x = 1 }, period = 6 })
  end)
end)

-- A body held at its mass centre, the potential -3 cos of its tilt; the second term keeps its axis y. It swings about this axis as a pendulum,
-- 2 theta'' = -3 sin theta
local function steered()
  local S = hm.system "steered body"
  local N = S:frame "N"
  local R = S:rotation("R", { rates = "p q r" })
  S:body("body", { at = S.origin, frame = R, mass = 1, inertia = { 1, 2, 2.5 }, about = S.origin })
  S:potential_energy(-3*R.z:dot(N.z) + 2*R.y:dot(N.x)^2)
  return S, R.x:dot(N.z)
end

-- Its period with the energy E, by mpmath: 4 sqrt(2/3) K(1/2) of swings to theta = pi/2; the integral of d theta/sqrt(5 + 3 cos theta) of turns
local steered_periods = { [0] = "6.05538253920498858188694502671278312079", [5] = "3.049773676163792164464417953704856856481" }

-- Product of complex balls, in the balls of the library
local function product_of(a, b)
  local u, v, x, y = hm.symbols "u v x y"
  local program = core.program({ hm.t, u, v, x, y }, { u*x - v*y, u*y + v*x })
  local values = core.ball_values(program, core.ball("0", 2), { a.re, a.im, b.re, b.im }, 64)
  return { re = values[1], im = values[2] }
end

local function verified(p, S)
  local path = os.tmpname()
  p:save(path)
  local fine, why = hm.check_certificate(S, path)
  local again, said = require "hamel.analysis.certificate".verify(path)
  os.remove(path)
  assert.is_true(fine, why)
  assert.is_true(again, said)
  return said
end

describe("a body with a rotation", function()
  it("comes back with its attitude; the quaternion may have the other sign", function()
    local S, section = steered()
    for E, period in pairs(steered_periods) do
      local p = S:prove_periodic{ section = section, energy = E, q = { R = { 1, 0, 0, 0 } }, v = { R = { 0, math.sqrt(E + 3), 0 } },
        period = E == 0 and 6 or 3.1 }
      assert.is_true(p.proved, p.reason)
      assert.is_true(p.period:meets(hm.ball(period, "1e-35")), tostring(p.period))
      assert.is_true(p.v.q:contains(hm.sqrt(E + 3)) and p.q.R0:contains(1) and p.least)
      assert.equals(E == 5, verified(p, S):find("R0 comes back with the other sign", 1, true) ~= nil)
      -- the orbit's energy is conserved: the multipliers come in pairs m, 1/m
      local product = { re = hm.ball(1, 0), im = hm.ball(0, 0) }
      for _, m in ipairs(p.multipliers) do product = product_of(product, m) end
      assert.is_true(#p.multipliers == 4 and product.re:contains(1) and product.im:contains(0) and p.stable == false)
    end
  end)

  it("has a least period by its attitude", function()
    local S, section = steered()
    -- two turns: the quaternion comes back with its own sign, the attitude before that
    local p = S:prove_periodic{ section = section, energy = 5, q = { R = { 1, 0, 0, 0 } }, v = { R = { 0, math.sqrt(8), 0 } }, period = 6.1 }
    assert.is_true(p.proved, p.reason)
    assert.is_nil(p.least)
    assert.matches("perhaps a multiple of the least one", verified(p, S))
  end)
end)

describe("the period of a proved orbit", function()
  it("is the shortest one in the advice of a guess that does not close", function()
    local S = hm.system "harmonic"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    local p = S:prove_periodic{ section = x, energy = "1/2", v = { x = 1 }, period = 5 }
    assert.is_false(p.proved)
    assert.matches("of the period 9.42478, does not close: .* a closed orbit with a shorter period is proved: give period = 6.2831853$", p.reason)
  end)

  it("is proved to be the least one, or is said to be perhaps a multiple", function()
    local S, x = duffing(hm.rational(1, 3))
    local p = S:prove_periodic{ section = x, energy = 1, v = { x = 1.4 }, period = 5.3 }
    assert.is_true(p.proved and p.least)
    assert.matches("the least one", tostring(p))
    for _, times in ipairs{ 2, 3, 4 } do
      local more = S:prove_periodic{ section = x, energy = 1, v = { x = 1.4 }, period = 5.327*times }
      assert.is_true(more.proved, more.reason)
      assert.is_true((more.period.lower + more.period.upper)/2 > 5.3*times and more.least == nil)
      assert.matches("perhaps a multiple", tostring(more))
    end
    local half = S:prove_periodic{ reversal = { "x" }, energy = 1, v = { x = 1.4 }, period = 5.3 }
    assert.is_true(half.proved and half.least and half.period:meets(p.period))
    assert.is_true(mechanics.van_der_pol():prove_periodic{ section = S:coordinate_list()[1], v = { x = 2.2 }, period = 6.6 }.least)
  end)
end)

describe("an angle that turns", function()
  it("gains whole turns in a period", function()
    local S = hm.system "pendulum"
    local a = S:coordinates "a"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(-hm.cos(a))
    for turns = 1, 2 do
      local p = S:prove_periodic{ section = a, energy = 2, v = { a = 2.4 }, period = 3.3*turns, turns = { a = turns } }
      assert.is_true(p.proved, p.reason)
      -- 4/sqrt(2 (E + 1)) K(2/(E + 1)), K with the parameter m, by mpmath
      assert.is_true(p.period:meets(hm.ball(turns == 1 and "3.3132763404731883328969367459" or "6.6265526809463766657938734917", "1e-27")), tostring(p.period))
      assert.equals(turns == 1 or nil, p.least)
      assert.matches("a gains " .. 2*turns .. "%*pi", verified(p, S))
    end
    check.raises({ "turns.a", "whole number" }, S.prove_periodic, S, { section = a, energy = 2, v = { a = 2.4 }, period = 3.3, turns = { a = 0.5 } })
    local D, x = duffing(1)
    local p = D:prove_periodic{ section = x, energy = 1, v = { x = 1.4 }, period = 5, turns = { x = 1 } }
    assert.is_false(p.proved)
    assert.matches("not shown to be the same when", p.reason)
  end)
end)

-- Nutation of a rolling disc: in quasi-velocities nothing depends on the place, the heading and the own turn
describe("a nonholonomic system", function()
  it("has a closed motion by a reversal of time, up to coordinates that advance", function()
    local sin, cos = hm.sin, hm.cos
    local S = hm.system "rolling disc"
    local x, y, psi, theta, phi = S:coordinates "x y psi theta phi"
    local g = S:positive "g=9.81"
    local X, Y, z = x - cos(theta)*sin(psi), y + cos(theta)*cos(psi), sin(theta)
    S:kinetic_energy((hm.dt(X)^2 + hm.dt(Y)^2 + hm.dt(z)^2)/2 + (theta.dot^2 + (psi.dot*sin(theta))^2)/8 + (phi.dot + psi.dot*cos(theta))^2/4)
    S:potential_energy(g*z)
    S:constraint("roll x", x.dot + phi.dot*cos(psi))
    S:constraint("roll y", y.dot + phi.dot*sin(psi))
    local start = { q = { x = 0, y = 0, psi = 0, theta = "6/5", phi = 0 }, v = { psi = "1/2", theta = 0, phi = 5 } }
    local given = { form = "hamel", reversal = { "x", "psi", "phi", "u2" }, advance = { "x", "y", "psi", "phi" }, keep = { "theta", "psi'", "phi'" },
      q = start.q, v = start.v, period = 0.8, bits = 80 }
    local p = S:prove_periodic(given)
    assert.is_true(p.proved, p.reason)
    local T = (p.period.lower + p.period.upper)/2
    local run = S:simulate{ form = "lagrange", q = { x = 0, y = 0, psi = 0, theta = 1.2, phi = 0 }, v = { psi = 0.5, theta = 0, phi = 5 }, t = T,
      rtol = 1e-12, atol = 1e-13 }
    local finish = run:at(T)
    check.near(finish.q.theta, 1.2, 1e-8)
    check.near(finish.v.theta, 0, 1e-8)
    check.near(finish.q.psi, p.advance.psi.lower, 1e-8)
    check.near(finish.q.phi, p.advance.phi.lower, 1e-8)
    assert.is_nil(p.advance.x)                                -- it depends on the heading at the start
    verified(p, S)
    given.reversal = { "x", "psi", "u1", "u2", "phi" }
    given.keep = { "theta" }
    assert.matches("not shown to be the same under the reversal", S:prove_periodic(given).reason)
    given.reversal, given.keep = { "x", "psi", "phi", "u2" }, { "theta", "phi'" }
    check.raises({ "9 unknowns", "8 equations", "give 1 more" }, S.prove_periodic, S, given)
  end)
end)

describe("a driven system", function()
  local function driven(c)
    local S = hm.system "driven"
    local x = S:coordinates "x"
    local w = S:positive "w=1.3"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2 + c*x^4/4)
    S:force(x, -x.dot/5 + 3*hm.cos(w*hm.t)/10)
    return S, w
  end

  it("has the orbit and the multipliers of the closed solution", function()
    local S, w = driven(0)
    local p = S:prove_periodic{ stroboscope = 2*hm.pi/w, q = { x = 0.2 }, v = { x = 0.1 } }
    assert.is_true(p.proved, p.reason)
    -- x = re(F exp(i w t)/(1 - w^2 + i w/5))
    local re, im = hm.rational(-69, 100), hm.rational(26, 100)
    local size = re^2 + im^2
    assert.is_true(p.q.x:contains(hm.rational(3, 10)*re/size) and p.v.x:contains(hm.rational(13, 10)*hm.rational(3, 10)*im/size))
    assert.is_true(p.period:contains(20*hm.pi/13) and p.stable and p.least == nil)
    local e = hm.exp(-2*hm.pi/13)                             -- exp(-T/10)
    for _, one in ipairs(p.multipliers) do assert.is_true(one.size:contains(e)) end
    assert.matches("that of the stroboscope", tostring(p))
    assert.matches("time gains 20%*pi/13", verified(p, S))
  end)

  it("has the period of the stroboscope exactly, for boxes of parameters, too", function()
    local S = hm.system "damped within bounds"
    local x, c = S:coordinates "x", S:parameters "c=1/5"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, hm.cos(2*hm.t) - c*x.dot)
    local o = { stroboscope = hm.pi, parameters = { c = { "0.19", "0.21" } }, q = { x = 0.1 }, v = { x = 0 } }
    local p = S:prove_periodic(o)
    assert.is_true(p.proved and p.period:contains(hm.pi) and p.period.radius < 1e-35, p.reason)
    assert.matches("period 3.14159265358979323846264, that of the stroboscope", tostring(p))
    assert.matches("a period is 3.14159265358979323846264, that of the stroboscope\n", verified(p, S))
    -- a double is no part of pi
    for _, pair in ipairs{ { math.pi, "write hm.pi" }, { 2*math.pi/3, "write 2*hm.pi/3" }, { 10*math.pi/11, "write 10*hm.pi/11" } } do
      o.stroboscope = pair[1]
      assert.is_truthy(S:prove_periodic(o).reason:find(pair[2], 1, true))
    end
    o.stroboscope = 3.14
    assert.is_nil(S:prove_periodic(o).reason:find("write", 1, true))
  end)

  it("at rest is a constant solution", function()
    local S = hm.system "pendulum on a shaken pivot"
    local a = S:coordinates "a"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy((1 + 30*hm.cos(10*hm.t))*hm.cos(a))
    S:force(a, -a.dot/5)
    for _, near in ipairs{ 0.001, 3.141 } do
      local p = S:prove_periodic{ stroboscope = hm.pi/5, q = { a = near }, v = { a = 0 } }
      assert.is_true(p.proved and p.rest)
      assert.matches("^constant solution proved, a state of rest: radius", tostring(p))
      assert.matches("have a constant solution, a state of rest; a period is", verified(p, S))
    end
    local free, u = mechanics.body("damped", "u")
    free:force(u, hm.rational(1, 2) - hm.sin(u) - u.dot)
    assert.is_true(free:prove_periodic{ stroboscope = 1, q = { u = 0.5 }, v = { u = 0 } }.rest)     -- sin u = 1/2, which is no number of a list
    local D, w = driven(0)
    assert.is_false(D:prove_periodic{ stroboscope = 2*hm.pi/w, q = { x = 0.2 }, v = { x = 0.1 } }.rest)
    local still, s = mechanics.body("still at an unknown place", "s")
    still:force(s, (hm.rational(1, 3) - hm.sin(s))*(2 + hm.cos(hm.t)) - s.dot)
    local p = still:prove_periodic{ stroboscope = 2*hm.pi, q = { s = 0.34 }, v = { s = 0 } }
    assert.is_true(p.proved and p.rest == nil)
    assert.matches("^closed orbit proved, perhaps a state of rest", tostring(p))
  end)

  it("is compared with S:periodic, and refuses a time that is no period", function()
    local S, w = driven(1)
    local T = 2*math.pi/1.3
    local near = S:simulate{ q = { x = 0.2 }, v = { x = 0.1 }, t = 60*T }:at(60*T)
    local p = S:prove_periodic{ stroboscope = 2*hm.pi/w, q = { x = near.q.x }, v = { x = near.v.x } }
    assert.is_true(p.proved and p.stable, p.reason)
    check.near(S:simulate{ q = { x = p.q.x.lower }, v = { x = p.v.x.lower }, t = T, rtol = 1e-12, atol = 1e-12 }:at(T).q.x, p.q.x.lower, 1e-9)
    verified(p, S)
    local no = S:prove_periodic{ stroboscope = hm.pi/w, q = { x = near.q.x }, v = { x = near.v.x } }
    assert.is_false(no.proved)
    assert.matches("not shown to be the same when", no.reason)
    local far = S:prove_periodic{ stroboscope = 2*hm.pi/w, q = { x = 0.2 }, v = { x = 0.1 } }
    assert.is_false(far.proved)
    assert.matches("comes near no orbit", far.reason)
    check.raises({ "leave section" }, S.prove_periodic, S, { stroboscope = 1, section = S:coordinate_list()[1] })
    check.raises({ "not a positive time" }, S.prove_periodic, S, { stroboscope = -1, q = { x = 0 }, v = { x = 0 } })
  end)
end)

describe("a certificate", function()
  local S, x = duffing(hm.rational(1, 3))
  local path = os.tmpname()
  local p = S:prove_periodic{ section = x, energy = 1, v = { x = 1.4 }, period = 5 }
  p:save(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()

  local function changed(pattern, replacement)
    local out = assert(io.open(path, "w"))
    local other, count = text:gsub(pattern, replacement, 1)
    assert(count == 1, pattern)
    out:write(forged(other))
    out:close()
    return hm.check_certificate(S, path)
  end

  it("is proved again", function()
    assert.is_true(hm.check_certificate(S, path))
    assert.is_true(require "hamel.analysis.certificate".command{ path })
  end)

  it("is proved again for parameters in place of those of the system", function()
    local stiff = hm.system "stiff"
    local u = stiff:coordinates "u"
    local c = stiff:positive "c=1"
    stiff:kinetic_energy(u.dot^2/2)
    stiff:potential_energy(u^2/2 + c*u^4/4)
    local other = os.tmpname()
    stiff:prove_periodic{ section = u, energy = 1, v = { u = 1.4 }, period = 5, parameters = { c = "1/3" } }:save(other)
    assert.is_true(hm.check_certificate(stiff, other))
    local file2 = assert(io.open(other))
    local text2 = file2:read "a"
    file2:close()
    local changes = { { "given c\n", "", "another system" }, { "given c", "given constant1", "not a parameter" } }
    for _, change in ipairs(changes) do
      local out = assert(io.open(other, "w"))
      out:write(forged((text2:gsub(change[1], change[2], 1))))
      out:close()
      local fine, why = hm.check_certificate(stiff, other)
      assert.is_false(fine)
      assert.matches(change[3], why)
    end
    os.remove(other)
  end)

  it("is not, where a number, the equations or the conditions are other", function()
    local fine, why = changed("centre (%-?%d+%.%d%d%d)", "centre %19")
    assert.is_false(fine)
    assert.is_string(why)
    fine, why = changed("= 1/12\n", "= 1/13\n")
    assert.is_false(fine)
    assert.matches("another system", why)
    fine, why = changed("integral energy | .- =", "integral energy | x =")
    assert.is_false(fine)
    assert.matches("condition 'energy", why)
    local other = duffing(1)
    changed("hash", "hash")
    fine, why = hm.check_certificate(other, path)
    assert.is_false(fine)
    assert.matches("another system", why)
    check.raises({ "line 3", "not understood" }, changed, "form", "from")
    check.raises({ "2 radii; the proof has 3" }, changed, "radius [^\n]*\n", "")
    check.raises({ "cannot read" }, hm.check_certificate, S, path .. ".none")
    os.remove(path)
  end)
end)

describe("orbits that are not isolated", function()
  local function kepler()
    local S = hm.system "kepler"
    local x, y = S:coordinates "x y"
    local r = hm.sqrt(x^2 + y^2)
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-1/r)
    local L = x*y.dot - y*x.dot
    -- of the vector of Laplace and Runge, along and across the section
    return S, { section = y, energy = "-1/2", q = { x = 1.2 }, v = { x = 0, y = 0.8 }, period = 6.28 }, L, y.dot*L - x/r, -x.dot*L - y/r
  end

  it("are claimed only where all states close, and sections that vanish along them are named", function()
    local S = hm.system "henon_heiles"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy((x^2 + y^2)/2 + x^2*y - y^3/3)
    local function reason(Y, U, V, T)
      return S:prove_periodic{ section = x, energy = "1/8", q = { x = 0, y = Y }, v = { x = U, y = V }, period = T }.reason
    end
    -- the row of y' is left out for the energy, and its other root is met
    local open = reason(0.05, 0.2, 0.45, 6.3)
    assert.matches("a motion of the period 6.66623 that does not close, .*: y' is 0.261478 at the start and %-0.261478 at the end", open)
    assert.is_nil(open:find("family", 1, true))
    assert.matches("the section vanishes along the motion near the guess: x = 0 holds all the way.*choose another section",
      reason(-0.01445, 0.40861, -0.28779, 6.0295))
  end)

  it("are a family whose dimension is told, and further integrals choose one", function()
    local S, o, L, along, across = kepler()
    assert.matches("of the period 6.28319, and to first order such motions form a family of 2 dimensions; name 2 quantities", S:prove_periodic(o).reason)
    o.integrals = { { L, "96/100" } }
    assert.matches("of the period 6.28319, and to first order such motions form a family of 1 dimension; name what else", S:prove_periodic(o).reason)
    -- at the end of the axis the first depends on the energy and the momentum, the other does not
    o.integrals[2] = { across, 0 }
    local p = S:prove_periodic(o)
    assert.is_true(p.proved and p.period:contains(2*hm.pi) and p.q.x:contains "1.28" and p.v.y:contains "0.75", p.reason)
    o.integrals = { { along, "-28/100" }, { across, 0 } }
    p = S:prove_periodic(o)
    assert.is_true(p.proved and p.q.x:contains "1.28", p.reason)
  end)

  it("do not exist at a resonance", function()
    local S = hm.system "resonant"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, hm.cos(hm.t))
    local p = S:prove_periodic{ stroboscope = 2*hm.pi, q = { x = 0.1 }, v = { x = 0 } }
    assert.matches("no start near the guess leads to a closed motion, .* as at a resonance", p.reason)
  end)

  it("are proved for states of any size", function()
    for _, l in ipairs{ hm.rational(1, 10)^9, hm.number(1), hm.number(10)^9, hm.number(10)^20 } do
      local S = hm.system "spring"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(x^2/2 + x^4/l^2/4)
      local p = S:prove_periodic{ section = x, energy = l^2, v = { x = hm.rational(7, 5)*l }, period = 4.6 }
      assert.is_true(p.proved, p.reason)
      assert.matches("period 4.54833039808216252138536", tostring(p))
    end
  end)
end)

describe("boxes of parameters", function()
  local function spring()
    local S = hm.system "spring"
    local x = S:coordinates "x"
    local k, e = S:positive "k=1 e=1/10"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(k*x^2/2 + e*x^4/4)
    return S, x
  end
  local function proof(given)
    local S, x = spring()
    return S:prove_periodic(certified.with({ section = x, energy = "1/2", q = { x = 0 }, v = { x = 1 }, period = 6, bits = 64 }, given)), S
  end

  it("have an orbit for each of their values", function()
    local p = proof{ parameters = { k = {"0.999", "1.001"}, e = {"0.0999", "0.1001"} } }
    assert.is_true(p.proved and p.least)
    assert.matches("for every k in {999/1000, 1001/1000}, e in", tostring(p))
    for _, k in ipairs{ "0.999", "1", "1.001" } do
      for _, e in ipairs{ "0.0999", "0.1001" } do
        local one = proof{ parameters = { k = k, e = e } }
        assert.is_true(one.proved and p.period:holds(one.period) and p.v.x:contains(1))
      end
    end
    -- they cannot be narrower than the periods: 2 pi/sqrt(k) at small amplitudes changes by half of the change of k
    assert.is_true(p.period.upper - p.period.lower > 0.005)
    assert.is_false(p.period:contains "6.05")
    -- half an orbit, and a ball
    local half = spring():prove_periodic{ reversal = { "x" }, energy = "1/2", v = { x = 1 }, period = 6.07, bits = 64,
      parameters = { e = hm.ball("0.1", "1e-4") } }
    assert.is_true(half.proved and half.period:meets(p.period))
    check.raises({ "parameter e is a ball", "{low, high}" }, half.save, half, "x.cert")
  end)

  it("hold the multipliers of a limit cycle", function()
    local S = hm.system "van der Pol"
    local x = S:coordinates "x"
    local mu = S:positive "mu=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, mu*(1 - x^2)*x.dot)
    local function at(value)
      return S:prove_periodic{ section = x, v = { x = 2.1727 }, period = 6.6633, parameters = { mu = value }, bits = 64 }
    end
    local p, one = at{"0.99999", "1.00001"}, at "1.00001"
    assert.is_true(p.proved and p.stable and p.multipliers[1].re:meets(one.multipliers[1].re) and p.period:holds(one.period))
  end)

  it("are checked in certificates", function()
    local p, S = proof{ parameters = { e = {"0.0999", "0.1001"} } }
    local path = os.tmpname()
    local text = p:save(path).text
    assert.is_true(hm.check_certificate(S, path))
    local plain = proof{ parameters = { e = "0.1" } }
    local function answer(source)
      local file = assert(io.open(path, "w"))
      file:write(source)
      file:close()
      return hm.check_certificate(S, path)
    end
    -- a box of one value claimed for a wider one
    local wider = plain:save(path).text:gsub("(parameter e 0 1 = )1/10", "%1999/10000 to 1001/10000")
    assert.is_false(answer(forged(wider)))
    for _, ends in ipairs{ "9/100 to 11/100", "-1/10 to 1/10", "1001/10000 to 999/10000" } do
      local other, count = text:gsub("999/10000 to 1001/10000", ends)
      assert.equal(1, count)
      local fine, proved = pcall(answer, forged(other))
      assert.is_false(fine and proved, ends)
    end
    os.remove(path)
  end)

  it("too wide say how much smaller they must be", function()
    local p = proof{ parameters = { e = {"1/20", "3/20"} } }
    assert.is_false(p.proved)
    assert.matches("e in {1/20, 3/20}: .*boxes %d+ times smaller are proved about their middle", p.reason)
    local times = hm.number(p.reason:match "boxes (%d+) times")
    assert.is_true(proof{ parameters = { e = { hm.number "1/10" - hm.rational(1, 20)/times, hm.number "1/10" + hm.rational(1, 20)/times } } }.proved)
    local S, x = spring()
    local D = hm.system "driven"
    local y = D:coordinates "y"
    local w = D:positive "w=2"
    D:kinetic_energy(y.dot^2/2)
    D:force(y, -y - y.dot + hm.sin(w*hm.t))
    check.raises({ "stroboscope depends on w", "one value" }, D.prove_periodic, D, { stroboscope = 2*hm.pi/w, q = { y = 0 }, v = { y = 0 },
      parameters = { w = {"1.99", "2.01"} } })
    check.raises({ "not positive", "S:positive" }, S.prove_periodic, S, { section = x, energy = 1, v = { x = 1 }, period = 6, parameters = { e = {-1, 2} } })
  end)
end)

describe("rotations by quaternions", function()
  it("have no angle that an orbit could leave open", function()
    local S = hm.system "top"
    S:frame "N"
    local R = S:rotation "R"
    S:body("top", { at = S:point "X Y Z", frame = R, mass = 1, inertia = {1, 2, 3} })
    for _, name in ipairs{ "R", "R2" } do
      check.raises({ "advance: the rotation 'R'", "N:rotate" }, S.prove_periodic, S, { section = S:symbol "R1", q = { R = {1, 0, 0, 0}, X = 0, Y = 0, Z = 0 },
        v = { R = {0, 0, 1}, X = 0, Y = 0, Z = 0 }, period = 6.28, energy = "3/2", advance = { name } })
    end
  end)

  it("of a body come back up to a turn where its frame is turned by angles, the first about the axis of the turn", function()
    local S = hm.system "top"
    local N = S:frame "N"
    local psi, theta, phi = S:coordinates "psi theta phi"
    local F = N:rotate("z", psi):rotate("x", theta):rotate("z", phi)
    S:body("top", { at = S.origin, frame = F, mass = 1, inertia = {1, 1, 0.5}, about = S.origin })
    S:potential_energy(F.z:dot(N.z))
    local p = S:prove_periodic{ reversal = { "psi", "phi" }, advance = { "psi", "phi" }, q = { psi = 0, theta = "1/2", phi = 0 },
      v = { psi = 0, theta = 0, phi = 4 }, keep = { "theta", "psi'", "phi'" }, period = 5, bits = 64 }
    assert.is_true(p.proved and p.least, p.reason)
    verified(p, S)
    -- the same body by a quaternion, in doubles: at the end it is turned by the gains
    local Q = hm.system "top, by a quaternion"
    local M = Q:frame "M"
    local A = Q:rotation "A"
    Q:body("top", { at = Q.origin, frame = A, mass = 1, inertia = {1, 1, 0.5}, about = Q.origin })
    Q:potential_energy(A.z:dot(M.z))
    local T = (p.period.lower + p.period.upper)/2
    local q = Q:simulate{ q = { A = {"zxz", 0, 0.5, 0} }, v = { A = {0, 0, 4} }, t = T, rtol = 1e-12, atol = 1e-13 }:at(T).q
    local a, b, c, s = p.advance.psi.lower/2, p.advance.phi.lower/2, math.cos(0.25), math.sin(0.25)
    for k, wanted in ipairs{ c*math.cos(a + b), s*math.cos(a - b), s*math.sin(a - b), c*math.sin(a + b) } do check.near(q["A" .. k - 1], wanted, 1e-9) end
  end)
end)
