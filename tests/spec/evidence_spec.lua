-- S:reference without a proof: digits of evidence in quadruple precision are right as far as they are printed. Arbiters: the proof in balls, mpmath.
local core, hm = require "hamel.core", require "hamel"

-- Digits of a text without sign, point and leading zeros
local function digits_of(text) return (text:gsub("e.*$", ""):gsub("[-.]", ""):gsub("^0+", "")) end

-- All digits of a but the last one are those of b
local function agree(a, b)
  local one, other = digits_of(a), digits_of(b)
  assert.equal(other:sub(1, #one - 1), one:sub(1, #one - 1))
end

describe("evidence in quadruple precision", function()
  it("does not step over forces that are flat on both sides", function()
    if not core.has_arb then return end
    local forces = {
      function(x, y) return hm.tanh(300*hm.log(x^2 + y^2)) end,
      function(x, y) return 1 + hm.exp(-900*hm.atan2(x, y + 1)^2) end,
      function(x, y) return 1 + hm.exp(-900*(1/(x^2 + y^2) - 1)^2) end,
    }
    for _, force in ipairs(forces) do
      local S = hm.system "flat"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:force(y, force(x, y))
      local start = { q = { x = -2, y = "1/4" }, v = { x = 1, y = "-1/2" }, t = 4, prove = false }
      local evidence = S:reference(start)
      start.prove = true
      agree(evidence.q.y, S:reference(start).q.y)
    end
  end)

  it("keeps all digits where terms are small beside others", function()
    local S = hm.system "small"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, hm.tanh(1000*hm.log((hm.t - 1)^2 + hm.rational(399, 400))))
    agree(S:reference{ q = { x = 0 }, v = { x = 0 }, t = 3, prove = false }.q.x, "4.10791040383854386893078804910")
  end)

  it("prints of a value near zero what rounding of the state leaves", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    local r = S:reference{ q = { x = 1 }, v = { x = 0 }, t = math.pi/2, prove = false }
    assert.is_true(r.digits < 20)
    agree(r.q.x, "6.12323399573676588613032966137e-17")
    assert.equal("-1", r.v.x)
    -- below all digits that were asked for
    r = S:reference{ q = { x = 1 }, v = { x = 0 }, t = "1.57079632679489661923132169163975144209858", prove = false, digits = 20 }
    assert.equal("0", r.q.x)
    assert.equal(20, r.digits)
  end)

  it("has as many digits as the start satisfies the constraints", function()
    local S = hm.system "rod"
    local u, v = S:coordinates "u v"
    S:kinetic_energy((u.dot^2 + v.dot^2)/2)
    S:potential_energy(v)
    S:constraint("rod", u^2 + v^2 - 1)
    local function from(a, b) return S:reference{ q = { u = a, v = b }, v = { u = 0, v = 0 }, t = 1, prove = false } end
    local exact, off = from("3/5", "-4/5"), from("3/5", "-0.8000000001")
    assert.equal(30, exact.digits)
    assert.equal(9, off.digits)
    assert.truthy(off.reason:find("violates 'rod'", 1, true), off.reason)
    agree(off.q.u, exact.q.u)
    local doubles = from(math.sin(1), -math.cos(1))
    assert.is_true(doubles.digits >= 15 and doubles.digits <= 17)
  end)
end)
