-- S:prove_periodic, hm.check_certificate, hamel verify. Arbiters: closed solutions; the same orbit with other bits and sections
local hm, check, core = require "hamel", require "check", require "hamel.core"
local forged = require "forged"

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

local function van_der_pol()
  local S = hm.system "van der Pol"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  S:force(x, (1 - x^2)*x.dot)
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
    local S, x = van_der_pol()
    local p = S:prove_periodic{ section = x, q = {}, v = { x = 2.2 }, period = 6.6 }
    assert.is_true(p.proved, p.reason)
    assert.is_true(p.period:meets(hm.ball("6.6632868593231301896996820305", "1e-27")), tostring(p.period))    -- the period in the literature
    check.raises({ "energy", "no integral" }, S.prove_periodic, S, { section = x, v = { x = 2.2 }, period = 6.6, energy = 1 })
  end)

  it("keeps to constraints", function()
    local S, x = held()
    local p = S:prove_periodic{ section = x, energy = 1, q = { z = 0 }, v = { x = 1, z = 1 }, period = 6.3 }
    assert.is_true(p.proved, p.reason)
    assert.is_true(p.period:contains(2*hm.pi) and p.q.z:contains(0))                        -- 2 x'' = -2 x
  end)

  it("says why there is none", function()
    local S, x = duffing(1)
    local p = S:prove_periodic{ section = x, energy = 1, v = { x = 1.4 }, period = 2, iterations = 0 }
    assert.is_false(p.proved)
    assert.matches("not proved: ", p.reason)
    assert.matches("not proved", tostring(p))
    check.raises({ "nothing was proved" }, p.save, p, "orbit.cert")
    check.raises({ "energy is missing" }, S.prove_periodic, S, { section = x, v = { x = 1.4 }, period = 5 })
    check.raises({ "section is missing" }, S.prove_periodic, S, { energy = 1, v = { x = 1.4 }, period = 5 })
    check.raises({ "period is missing" }, S.prove_periodic, S, { section = x, energy = 1, v = { x = 1.4 } })
    local driven, y = duffing(0)
    driven:force(y, hm.cos(hm.t))
    check.raises({ "depend on the time" }, driven.prove_periodic, driven, { section = y, v = { x = 1 }, period = 6 })
  end)
end)

describe("a body with a rotation", function()
  it("is refused: a quaternion may come back with the other sign", function()
    local S = hm.system "free body"
    local R = S:rotation("R", { rates = "p q r" })
    S:body("body", { at = S.origin, frame = R, mass = 1, inertia = {1, 2, 2.5}, about = S.origin })
    local p = R:rates()
    check.raises({ "free body has rotations", "up to the sign", "by angles" }, S.prove_periodic, S,
      { section = p, q = { R = {1, 0, 0, 0} }, v = { R = {0, 0.1, 1} }, period = 6.28, energy = 1.26 })
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
    check.raises({ "lines are missing" }, changed, "radius [^\n]*\n", "")
    check.raises({ "cannot read" }, hm.check_certificate, S, path .. ".none")
    os.remove(path)
  end)
end)
