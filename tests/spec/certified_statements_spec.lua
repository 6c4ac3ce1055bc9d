-- What certificates state: the equations without what cancels in them, with names that tell their symbols apart
local hm, core = require "hamel", require "hamel.core"
local check, mechanics = require "check", require "mechanics"

if not core.has_arb then
  describe("ball arithmetic", function() pending "skipped: this build has none (HAMEL_ARB)" end)
  return
end

local certificate = require "hamel.analysis.certificate"
local sin, cos, t = hm.sin, hm.cos, hm.t

local function body(name, names)
  local S = hm.system(name)
  local list = table.pack(S:coordinates(names))
  local speeds = 0
  for _, x in ipairs(list) do speeds = speeds + x.dot^2/2 end
  S:kinetic_energy(speeds)
  return S, table.unpack(list)
end

-- Saved, compared with the system, and proved again from its text
local function verified(of, proof)
  assert(proof.proved, tostring(proof.reason))
  local path = os.tmpname()
  proof:save(path)
  local own, why = hm.check_certificate(of, path)
  local fine, said = certificate.verify(path)
  os.remove(path)
  assert(own == true, tostring(why))
  assert(fine, said)
  return said
end

describe("a certificate of equations in which the time cancels", function()
  it("is verified: a state of rest and a closed orbit", function()
    local S, x = body("spring", "x")
    S:force(x, -x*(sin(t)^2 + cos(t)^2))
    verified(S, S:prove_equilibrium{ q = { x = 0.1 } })
    local D
    D, x = body("hard spring", "x")
    D:potential_energy((x^2 + x^4)*(sin(3*t/10)^2 + cos(3*t/10)^2))
    verified(D, D:prove_periodic{ section = x, energy = 1, q = { x = 0 }, v = { x = 1.4 }, period = 3.2 })
  end)

  it("is verified: a bead on a hoop that turns with any rate", function()
    for _, rate in ipairs{ "4", "3/10", "37/10" } do
      local w = hm.number(rate)
      local S = hm.system "hoop"
      local a = S:coordinates "a"
      local x, y, z = sin(a)*cos(w*t), sin(a)*sin(w*t), -cos(a)
      S:kinetic_energy((hm.dt(x)^2 + hm.dt(y)^2 + hm.dt(z)^2)/2)
      S:potential_energy(hm.number "9.81"*z)
      local p = S:prove_equilibrium{ q = { a = 0.8 } }
      verified(S, p)
      -- cos a = g/w^2, or the lowest point
      local square = core.number_value(w)^2
      check.near((p.q.a.lower + p.q.a.upper)/2, square > 9.81 and math.acos(9.81/square) or 0, 1e-12)
    end
  end)

  it("is none where the time does not cancel", function()
    for _, force in ipairs{ function(x) return -x*(1 + t) end, function(x) return -x*(t - 1)/hm.sqrt((t - 1)^2) end } do
      local S, x = body("spring", "x")
      S:force(x, force(x))
      local p = S:prove_equilibrium{ q = { x = 0.1 } }
      assert.is_false(p.proved)
      assert(p.reason:find "depend on the time", p.reason)
    end
    local S, x = body("spring", "x y")
    S:potential_energy(x^2)
    check.raises({ "keep[1]", "depends on the time" }, S.prove_equilibrium, S, {
      q = { x = 0, y = 1 }, v = { x = 0, y = 0 }, keep = { S:coordinate_list()[2]*(1 + t) } })
  end)
end)

-- The lines of a certificate with its hash
local function hashed(lines)
  local text = require "hamel.analysis.certificate_text"
  local sum = text.hash(lines)
  table.insert(lines, 5, "hash " .. sum)
  return table.concat(lines, "\n") .. "\n"
end

local function map_of(image, centre)
  local path = os.tmpname()
  local file <close> = assert(io.open(path, "w"))
  file:write(hashed{ "hamel certificate 2", "kind fixed point", "system map", "form map", "kin x1 0 0", "k " .. image, "period 1", "bits 128",
    "centre " .. centre, "radius 1e-30", "image 1e-31", "contraction 1e-5", "stable true" })
  file:close()
  local fine, said = certificate.verify(path)
  os.remove(path)
  return fine, said
end

describe("a certificate written by hand", function()
  it("is not verified where reading its formulas cancels what has no value", function()
    for _, one in ipairs{ { "sqrt(x1)*sqrt(x1)/2 - 1", "-2" }, { "x1^2/x1/2", "0" }, { "log(exp(x1))/2 + 0*log(x1) - 1", "-2" },
                         { "x1/2 - 1 + x1^-1*x1 - 1", "-2" } } do
      local fine, said = map_of(one[1], one[2])
      assert.is_false(fine)
      assert(said:find "is not in its simplified form", said)
    end
  end)

  it("is verified where its terms have another order, and says what it is about", function()
    for _, image in ipairs{ "x1/2 - 1", "-1 + x1/2", "(x1/2) - 1" } do
      local fine, said = map_of(image, "-2")
      assert(fine and said:find "simplified form", said)
    end
    local p = hm.prove_fixed_point{ map = function(x) return hm.sqrt(x)*hm.sqrt(x)/2 - 1 end, at = { -2 } }
    assert.matches("simplified form", tostring(p))
    assert.matches("simplified form", verified(p, p))
  end)
end)

describe("a certificate", function()
  it("tells symbols of the user from those of its numbers", function()
    local S, u = body("spring", "constant1")
    S:potential_energy(u^2/2 + 0.3*u^4)
    verified(S, S:prove_equilibrium{ q = { constant1 = 0.1 } })
    local D, x = body("spring", "x")
    local k, l = D:positive "constant1=2", D:parameters "constant2=1/3"
    D:potential_energy(k*x^2/2 + 0.3*l*x^4 + 0.1*x^6)
    verified(D, D:prove_equilibrium{ q = { x = 0.1 } })
    verified(D, D:prove_periodic{ section = x, energy = "1/2", q = { x = 0 }, v = { x = 1 }, period = 4.3 })
    local c, d = hm.symbols "constant1 constant2"
    local p = hm.prove_fixed_point{ map = { 0.7 - 0.9*d*c^2 }, of = { c }, at = { 0.5 }, parameters = { constant2 = "1.1" } }
    verified(p, p)
  end)
end)

describe("an enclosure that is lost at its start", function()
  it("has the velocities that its states determine", function()
    local S, x = body("well", "x")
    S:force(x, hm.log(x))
    local e = S:enclosure{ q = { x = -1 }, v = { x = "1/3" }, t = 1 }
    assert.equal("LOST", e.status)
    assert(e.q.x:contains(-1) and e.v.x:contains "1/3" and e.x["x'"]:contains "1/3")
  end)

  it("has them in forms with velocities of their own", function()
    for _, form in ipairs{ "lagrange", "maggi" } do
      local S = hm.system "sleigh"
      local x, y, theta = S:coordinates "x y theta"
      S:kinetic_energy((x.dot^2 + y.dot^2 + theta.dot^2)/2)
      S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
      S:force(theta, hm.sqrt(theta + 1))
      local e = S:enclosure{ q = { x = 0, y = 0, theta = hm.ball("-0.9", "0.2") }, v = { x = 1, theta = "1/7" }, t = 1, form = form }
      assert.equal("LOST", e.status)
      assert(e.v.x:contains(1) and e.v.theta:contains "1/7", tostring(e.v.theta))
      for _, angle in ipairs{ -1, -0.9, -0.8 } do assert(e.v.y:contains(math.tan(angle)), tostring(e.v.y)) end
    end
  end)
end)

describe("a start so near a section that its side is not decided", function()
  it("is refused for want of bits, and crosses with them", function()
    local S, x = body("spring", "x")
    S:potential_energy(x^2/2)
    local function crossing(start, bits) return S:enclosure{ q = { x = start }, v = { x = 1 }, section = x, t = 20, bits = bits } end
    for _, start in ipairs{ "-1e-30", -2.0^-100 } do
      local e = crossing(start, 64)
      assert(e.status == "LOST" and e.reason:find "rate differs from zero" and e.reason:find "more bits do" and not e.reason:find "grazing", e.reason)
      assert.equal("OK", crossing(start, 160).status)
    end
  end)
end)

-- arbiter: the complete elliptic integral. x'' = -x + x^3 with the energy E: x = a sn(w t), a^2 = 1 - sqrt(1 - 4 E), w^2 = 1 - a^2/2, modulus^2 = a^2/(2 w^2)
describe("a closed orbit near a separatrix", function()
  it("is found by the advice where the guess of the period was too far off", function()
    local S, x = body("softening spring", "x")
    S:potential_energy(x^2/2 - x^4/4)
    local function tried(period) return S:prove_periodic{ section = x, energy = "0.249999", q = { x = 0 }, v = { x = 0.70710537 }, period = period } end
    local astray = tried(21.4)
    assert.is_false(astray.proved)
    local advice = astray.reason:match "give period = ([%d.]+)"
    assert(advice and not astray.reason:find "resonance", astray.reason)
    local p = tried(tonumber(advice))
    assert.is_true(p.proved)
    local square = 1 - math.sqrt(1 - 4*0.249999)
    local rate = math.sqrt(1 - square/2)
    check.near((p.period.lower + p.period.upper)/2, 4*mechanics.K(math.sqrt(square/2)/rate)/rate, 1e-8)
  end)
end)

describe("digits of a motion that passes a singularity closely", function()
  it("are refused without the claim that it is met", function()
    local S, x, y = body("comet", "x y")
    S:potential_energy(-1/hm.sqrt(x^2 + y^2))
    check.raises({ "singular where", "passes close to it is not decided" }, S.reference, S,
      { q = { x = 1, y = 0 }, v = { x = 0, y = "1e-12" }, t = 3, digits = 25 })
  end)
end)

describe("the symbols of a map", function()
  it("are made as the messages say", function()
    check.raises({ "hm.symbols" }, function() return hm.symbol("x") end)
    local _, x = body("spring", "x")
    check.raises({ "hm.symbols \"x\"" }, hm.prove_fixed_point, { map = { x/2 }, of = { x }, at = { 0.1 } })
    x = hm.symbols "x"
    assert.is_true(hm.prove_fixed_point{ map = { x/2 }, of = { x }, at = { 0.1 } }.proved)
  end)
end)

describe("certificates of constraints", function()
  it("verify for any of their names, and need a path", function()
    for _, name in ipairs{ "a = b", "a|b", "a | b", "x  y" } do
      local S, x, y = body("pendulum", "x y")
      S:potential_energy(hm.rational(981, 100)*y)
      S:constraint(name, x^2 + y^2 - hm.rational(49, 100))
      local p, path = S:prove_equilibrium{ q = { x = 0, y = -0.7 } }, os.tmpname()
      p:save(path)
      assert.is_true(hm.check_certificate(S, path))
      os.remove(path)
      check.raises({ "save: the path of the file is a string, not nil" }, p.save, p)
    end
  end)
end)

-- arbiters: what is free before and after the force goes on with its velocity; closed integrals
describe("steps of an enclosure", function()
  it("follow the motion there, however far the run goes", function()
    local S, x = body("hill", "x")
    S:potential_energy(hm.exp(-1000*x^2))
    local function at(t, o)
      local e = S:enclosure{ q = { x = -5 }, v = { x = 2 }, t = t, bits = o and o.bits }
      assert.equal("OK", e.status, e.reason)
      assert(e.radius < 1e-17*math.max(1, t), e.radius)
      return e.q.x
    end
    local five = at(5)
    for _, t in ipairs{ 6, 8, 10, 20, 1e6 } do assert.is_true(at(t):meets(core.ball_sum(five, hm.ball(2*t - 10), 1))) end
    assert.is_true(at(10, { bits = 256 }):meets(core.ball_sum(five, hm.ball(10), 1)))
    for _, o in ipairs{ {}, { prove = true }, { digits = 40 } } do
      o.q, o.v, o.t = { x = -5 }, { x = 2 }, 10
      local r = S:reference(o)
      assert.is_true(r.proved)
      assert.is_true(hm.ball(r.q.x, "1e-19"):meets(core.ball_sum(five, hm.ball(10), 1)))
    end
  end)

  it("go past pulses and steps of a force in time", function()
    local S, x = body("struck", "x")
    S:force(x, hm.exp(-10000*(t - 50)^2))
    for _, bits in ipairs{ 64, 256 } do
      local e = S:enclosure{ q = { x = 0 }, v = { x = 0 }, t = 100, bits = bits }
      assert.equal("OK", e.status, e.reason)
      assert.is_true(e.v.x:contains(hm.sqrt(hm.pi)/100))
    end
    -- x(10) = -25 + pi^2/(12 k^2), but for exp(-10 k)
    for _, k in ipairs{ 100, 1000000 } do
      local D, y = body("reversed", "y")
      D:force(y, hm.tanh(k*(t - 5)))
      local e = D:enclosure{ q = { y = 0 }, v = { y = 0 }, t = 10 }
      assert.equal("OK", e.status, e.reason)
      assert.is_true(e.q.y:contains(-25 + hm.pi^2/(12*hm.number(k)^2)))
      assert(e.steps < 100, e.steps)
    end
  end)

  it("do not end where the end of the run is far beyond reach", function()
    local S, x = body("spring", "x")
    S:potential_energy(x^2/2)
    local e = S:enclosure{ q = { x = 1 }, v = { x = 0 }, t = 1e20 }
    assert(e.status == "LOST" and e.reason:find "up to the end; take a shorter time" and not e.reason:find "singular", e.reason)
    assert.is_true(e.t > 100)
    e = S:enclosure{ q = { x = 1 }, v = { x = 0 }, t = 1e20, section = { when = x, direction = "both" }, crossing = 3 }
    assert.equal("OK", e.status, e.reason)
    assert.is_true(e.time:contains(5*hm.pi/2))
  end)
end)

describe("a box that contradicts the start", function()
  local function rod()
    local S, x, y = body("rod", "x y")
    local l = S:positive "L=1"
    S:potential_energy(hm.rational(981, 100)*y)
    S:constraint("rod", hm.sqrt(x^2 + y^2) - l)
    return S
  end
  local wide = { L = { "0.99", "1.01" } }

  it("of parameters is refused, with a value that does; the start may follow it", function()
    local S = rod()
    check.raises({ "for L = ", "the start violates 'rod'", "complete = true" }, S.enclosure, S,
      { q = { x = "3/5", y = "-4/5" }, v = { x = 0, y = 0 }, t = "1/10", parameters = wide })
    for _, o in ipairs{ { complete = true, q = { x = "3/5", y = "-4/5" } }, { q = { x = "3/5" } } } do
      o.v, o.t, o.parameters = { x = 0 }, 0, wide
      local e = S:enclosure(o)
      -- y = +-sqrt(L^2 - 9/25) for each L
      for _, l in ipairs{ hm.rational(99, 100), hm.number(1), hm.rational(101, 100) } do
        assert.is_true(e.q.y:contains((o.complete and -1 or 1)*hm.sqrt(l^2 - hm.rational(9, 25))))
      end
      assert.is_nil(e.only)
    end
    local D, x, y = body("coupled", "x y")
    local a, b = D:parameters "a=1 b=1"
    D:constraint("link", a*x - b*y)
    local boxes = { a = { "0.9", "1.1" }, b = { "0.9", "1.1" } }
    check.raises({ "for a = ", "b = ", "violates 'link'" }, D.enclosure, D, { q = { x = 1, y = 1 }, v = { x = 0, y = 0 }, t = 1, parameters = boxes })
    assert.equal("OK", D:enclosure{ q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, t = 1, parameters = boxes }.status)
  end)

  it("of the start names the constraint that its motions satisfy", function()
    local S = rod()
    local e = S:enclosure{ q = { x = "3/5", y = { "-0.81", "-0.79" } }, v = { x = 0, y = 0 }, t = "1/10" }
    assert.equal("rod", e.only)
    assert.matches("only of starts in the box that satisfy 'rod'", tostring(e))
    e = S:enclosure{ q = { x = { "0.59", "0.61" } }, v = { x = 0 }, t = "1/10" }
    assert.is_nil(e.only)
    assert(not tostring(e):find "only", tostring(e))
  end)
end)

-- Bead in a plane that turns about the vertical with the rate w, on a sphere of the radius L, with drag
local function swung()
  local S, x, y, z = body("swung pendulum", "x y z")
  local w, g, L = S:positive "w=4.3 g=9.81 L=1.2"
  S:potential_energy(g*z)
  S:constraint("plane", y*cos(w*t) - x*sin(w*t))
  S:constraint("rod", hm.sqrt(x^2 + y^2 + z^2) - L)
  for _, u in ipairs{ x, y, z } do S:force(u, -0.3*u.dot) end
  return S, w
end

describe("a closed orbit of a stroboscope", function()
  it("that is not near the guess is refused soon, without a word on the period, and with advice that helps", function()
    local S, w = swung()
    -- z is that above the origin: no orbit is near
    local p = S:prove_periodic{ stroboscope = 2*hm.pi/w, q = { x = 1.05, y = 0 }, v = { x = 0 }, bits = 64 }
    assert.is_false(p.proved)
    assert(not p.reason:find "period became" and p.reason:find "guess x = 1.05, y = 0, z = 0.58" and p.reason:find "the stroboscope stays as given", p.reason)
    assert(p.reason:find "S:periodic{ fixed_period = true, ... }", p.reason)
    local near = S:periodic{ fixed_period = true, period = 2*math.pi/4.3, q = { y = 0, z = -0.53 }, v = { z = 0 } }
    assert.is_true(S:prove_periodic{ stroboscope = 2*hm.pi/w, q = { y = 0, z = near.q.z }, v = { z = near.v.z }, bits = 64 }.proved)
  end)
end)

describe("the motion on a separatrix", function()
  it("is not called a family: it slows down and does not return", function()
    local S, a = body("pendulum", "a")
    S:potential_energy(-cos(a))
    for _, period in ipairs{ 10, 30, 40 } do
      local p = S:prove_periodic{ section = a, energy = 1, q = { a = 0 }, v = { a = 2 }, period = period }
      assert.is_false(p.proved)
      assert(p.reason:find "does not come back" and p.reason:find "almost at rest at a = 3.14" and not p.reason:find "famil", p.reason)
    end
    -- below it, the motion comes back though it is slow on its way
    local below = S:prove_periodic{ section = a, energy = "0.99", q = { a = 0 }, v = { a = 1.995 }, period = 4 }
    assert(below.proved or not below.reason:find "does not come back", below.reason)
  end)
end)

describe("hamel verify", function()
  it("says of cycles and orbits what is not proved of their periods, as the proofs do", function()
    local function map(x) return 3.84*x*(1 - x) end
    for point, words in pairs{ [0.74] = "its points are not proved to differ", [0.49] = false } do
      local p = hm.prove_fixed_point{ map = map, at = { point }, period = point == 0.74 and 2 or 3 }
      local said = verified(p, p)
      assert.equal(words ~= false, said:find("its points are not proved to differ", 1, true) ~= nil)
      assert.equal(words ~= false, tostring(p):find("its points are not proved to differ", 1, true) ~= nil)
    end
    local S, a = body("pendulum", "a")
    S:potential_energy(-cos(a))
    for times, words in pairs{ "the least one", "perhaps a multiple of the least one" } do
      local p = S:prove_periodic{ section = a, energy = 0, q = { a = 0 }, v = { a = 1.41 }, period = times*7.4163 }
      assert(verified(S, p):find(", " .. words, 1, true) and tostring(p):find(", " .. words, 1, true))
    end
  end)

  it("says for which parameters", function()
    local S, a = body("pendulum", "a")
    S:potential_energy(-S:positive "g=1"*cos(a))
    local p = S:prove_equilibrium{ q = { a = 0.1 }, parameters = { g = {"9/10", 1} } }
    assert(verified(S, p):find("for every g in {9/10, 1}", 1, true) and tostring(p):find("for every g in {9/10, 1}", 1, true))
  end)
end)

describe("an equilibrium whose derivatives vanish", function()
  local function refused(names, V, guess, ...)
    local S = hm.system "flat"
    local list = table.pack(S:coordinates(names))
    local speeds, q = 0, {}
    for i, x in ipairs(list) do speeds, q[S.coordinate_names[i]] = speeds + x.dot^2/2, guess[i] end
    S:kinetic_energy(speeds)
    S:potential_energy(V(table.unpack(list)))
    local p = S:prove_equilibrium{ q = q }
    assert.is_false(p.proved)
    for _, words in ipairs{ ... } do assert(p.reason:find(words, 1, true), p.reason) end
    return S
  end

  it("is called degenerate, and the direction is named", function()
    refused("x", function(x) return x^4 end, { 0.1 }, "a degenerate equilibrium lies at or near x = 0,", "along x", "at least one eigenvalue is zero")
    refused("x y", function(x, y) return x^2 + y^4 end, { 0.1, 0.2 }, "degenerate equilibrium", "vanish there along y,")
    refused("x y", function(x, y) return (x^2 + y^2)^2 end, { 0.1, 0.2 }, "degenerate equilibrium", "along y and along x", "at least 2 eigenvalues")
    refused("a", function(a) return cos(a) + a^2/2 end, { 0.2 }, "degenerate equilibrium", "a = 0")
  end)

  it("is not called one where there is none", function()
    for _, V in ipairs{ function(x) return x^3/3 + hm.number "1e-9"*x end, function(x) return hm.exp(x) end } do
      local S, x = body("slope", "x")
      S:potential_energy(V(x))
      check.raises({ "did not converge" }, S.prove_equilibrium, S, { q = { x = 0.1 } })
    end
  end)

  it("is one of a family beside which others lie, and the advice proves it", function()
    local S = refused("x y", function(x, y) return (x^2 + y^2 - 1)^2 end, { 0.8, 0.5 }, "is not isolated", "along (x, y) = (0.53, -0.848)", "momentum")
    local x, y = table.unpack(S:coordinate_list())
    local p = S:prove_equilibrium{ q = { x = 0.8, y = 0.5 }, v = { x = 0, y = 0 }, keep = { "y" }, integrals = { x*y.dot - y*x.dot } }
    assert(p.proved and p.q.x:contains(hm.sqrt(hm.number(3))/2) and p.family == 1, p.reason)
  end)

  it("is a fixed point with a multiplier 1", function()
    local p = hm.prove_fixed_point{ map = function(x) return x - x^3 end, at = { 0.1 } }
    assert(p.reason:find("a degenerate fixed point lies at or near x = 0", 1, true), p.reason)
    p = hm.prove_fixed_point{ map = function(x, y) return y, x end, at = { 0.1, 0.3 } }
    assert(p.reason:find("is not isolated", 1, true) and p.reason:find("(x1, x2) = (0.707, 0.707)", 1, true), p.reason)
  end)
end)

describe("reasons of proofs", function()
  it("say once that nothing is proved", function()
    local S, a = body("pendulum", "a")
    S:potential_energy(-cos(a))
    local p = S:prove_periodic{ section = a, energy = -1, q = { a = 0 }, v = { a = 0 }, period = 6.28 }
    assert.is_nil(tostring(p):find "not proved.*not proved")
    assert.is_nil(tostring(S:prove_equilibrium{ q = { a = 3 }, iterations = 0, radius = 1e-3 }):find "not proved.*not proved")
  end)
end)

-- x x' = 0 holds at x = 0 with any velocity, but x moves on where x' = 1, which x'' = x' - x'^2 keeps
describe("integrals of value zero", function()
  it("count where the velocities that they determine are determined", function()
    local S, x, y = body("drifting pendulum", "x y")
    S:potential_energy(-cos(y))
    S:force(x, x.dot*(1 - x.dot))
    local energy = y.dot^2/2 - cos(y)
    local p = S:prove_periodic{ section = y, integrals = { { energy, 0 }, { x*x.dot, 0 } }, q = { x = 0, y = 0 }, v = { x = 1, y = 1.414 }, period = 7.416 }
    assert(p.proved == false and p.reason:find("of value zero do not determine", 1, true), p.reason)
  end)
end)
