-- strong resonances on curves of flips, folds and torus points, against closed forms
local hm, branches, check = require "hamel", require "branches", require "check"
local near, first, of_kind = check.near, branches.first, branches.of_kind

-- Mathieu's equation x'' + c x' + (a - 2 q cos 2t) x = 0, q = 3/10: over the period pi the multipliers have the product exp(-c pi), so that both are -1 where
-- c = 0 and a is a characteristic value of period 2 pi, the eigenvalue of Hill's matrix below (mpmath)
describe("a curve of flips", function()
  it("has its strong resonances 1:2 where both multipliers are -1, to all digits, though each multiplier changes like a root there", function()
    local S = hm.system "Mathieu"
    local x = S:coordinates "x"
    local c, a = S:parameters "c=1/20 a=1"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, -c*x.dot - (a - hm.rational(6, 10)*hm.cos(2*hm.t))*x - x^3)
    local B = S:continue{ periodic = { q = { x = 0 }, v = { x = 0 }, period = hm.pi }, along = "a", from = 0, to = 1 }
    local C = S:continue{ flip = first(B, "flip"), along = { "c", "a" }, from = { -0.1, 0.5 }, to = { 0.1, 0.9 } }
    local found = of_kind(C, "strong resonance 1:2")
    assert.equal(1, #found, tostring(C))
    near(found[1].value, 0, 1e-11)
    near(found[1].beside, 0.689165935613862, 1e-11)
    assert.is_nil(found[1].accuracy)
    -- the multiplier -1 of the curve itself hides nothing
    assert.falsy(tostring(C):find("hide on which side", 1, true))
    for _, point in ipairs(C.points) do
      if math.abs(point.value) > 1e-4 then assert.is_nil(point.unsided) end
    end
  end)
end)

-- At rest x'' = -c x' - k x + ... with a drive of the frequency w has the multipliers exp((-c/2 +- i sqrt(k - c^2/4)) 2 pi/w): along c = 0 the pair goes
-- round the unit circle, through -1 at sqrt(k) = w/2 and through 1 at sqrt(k) = w, and stays on it
describe("a curve of torus points whose pair goes round the circle", function()
  it("tells of all strong resonances, also those at which the pair only touches 1 or -1", function()
    local w = 1.3
    local S = hm.system "driven at rest"
    local x = S:coordinates "x"
    local c, k = S:parameters "c=1/10 k=0.7"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, -c*x.dot - k*x + x^2*hm.cos(w*hm.t) + x.dot^2*hm.sin(w*hm.t))
    local B = S:continue{ periodic = { q = { x = 0 }, v = { x = 0 }, period = 2*math.pi/w }, along = "c", from = -0.3, to = 0.3 }
    local C = S:continue{ torus = first(B, "torus"), along = { "c", "k" }, from = { -0.2, 0.02 }, to = { 0.3, 2 } }
    local found = {}
    for _, special in ipairs(C.special) do
      found[#found + 1] = { special.kind:match "^strong resonance 1:(%d)$", math.sqrt(special.beside)/w }
      near(special.value, 0, 1e-10)
    end
    table.sort(found, function(one, other) return one[2] < other[2] end)
    local wanted = { { "4", 1/4 }, { "3", 1/3 }, { "2", 1/2 }, { "3", 2/3 }, { "4", 3/4 }, { "1", 1 } }
    assert.equal(#wanted, #found, tostring(C))
    for i, item in ipairs(wanted) do
      assert.equal(item[1], found[i][1])
      near(found[i][2], item[2], 1e-8)
    end
    assert.truthy(first(C, "strong resonance 1:2").apart)
    -- c stays at 0 along the curve, and its rounding is printed as no range
    assert.match("c = 0 %.%.%. 0", tostring(C))
  end)
end)
