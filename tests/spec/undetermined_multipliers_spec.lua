-- multipliers of points of branches: how well they are known, those that are not determined, and what decides about stability at special points
local hm, check = require "hamel", require "check"
local floquet = require "hamel.continuation.floquet"
local products = require "hamel.continuation.products"
local states = require "hamel.continuation.states"
local near = check.near

local function contains(result, words) assert(tostring(result):find(words, 1, true), tostring(result)) end

-- x'' + K d(t) x' + x/4 = cos t, d a burst of the area I0(s) exp(-s) sqrt(2 pi s), which is 1 + 1/(8 s) nearly: the product of the multipliers is the
-- exponential of -K times that
local SHARP = 20000

local function burst(from, to)
  local S = hm.system "burst"
  local x = S:coordinates "x"
  local K = S:parameters "K=1"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/8)
  S:force(x, hm.cos(hm.t) - K*hm.exp(SHARP*(hm.cos(hm.t) - 1))*math.sqrt(SHARP/(2*math.pi))*x.dot)
  return S, S:continue{ periodic = { q = { x = 0.4 }, v = { x = 0 }, period = 2*hm.pi, parameters = { K = from } }, along = "K", from = from, to = to,
    largest = 20 }
end

describe("multipliers", function()
  it("are known as exactly as their uncertainty says, and are marked where they have no digits", function()
    local S, B = burst(1, 80)
    for _, point in ipairs(B.points) do
      local large, small = point.multipliers[1], point.multipliers[2]
      local wanted = math.exp(-point.value*(1 + 1/(8*SHARP) + 9/(128*SHARP^2)))/large.re
      assert(math.abs(small.re - wanted) <= small.uncertainty + 1e-9*math.abs(wanted), ("%g %g %g"):format(small.re, wanted, small.uncertainty))
      assert(large.uncertainty < 1e-9)
      assert.equal(math.abs(small.re) <= small.uncertainty and 1 or nil, point.undetermined)
      assert.equal(true, point.stable)
    end
    local first, last = B.points[1], B.points[#B.points]
    assert(first.undetermined == nil and first.multipliers[2].uncertainty < 1e-9 and last.undetermined == 1)
    contains(B, "  multipliers that are not determined at ")
    local path = os.tmpname() .. ".branch"
    B:save(path)
    local again = hm.load(path, S)
    os.remove(path)
    assert.equal(1, again.points[#again.points].undetermined)
    assert.equal(last.multipliers[2].uncertainty, again.points[#again.points].multipliers[2].uncertainty)
    local _, mild = burst(1, 3)
    assert(not tostring(mild):find("not determined at", 1, true))
  end)

  it("of products have the errors of the factors, of a defective matrix their root", function()
    local list = products.eigenvalues({ { { 2, 1 }, { 0, 1e-4 } }, { { 3, 1 }, { 0, 1e-5 } } }, { 1e-10, 1e-10 })
    near(list[1].re, 6, 1e-12)
    assert(list[1].uncertainty < 1e-8 and list[2].uncertainty > 1e-15 and list[2].uncertainty < 1e-9)
    local double = states.bounded_eigenvalues({ { 0.5, 1 }, { 0, 0.5 } }, 1e-12)
    assert(double[1].uncertainty > 1e-7 and double[1].uncertainty < 1e-4)
    assert.equal(true, states.is_stable(double))
  end)
end)

describe("stability at a special point", function()
  local function decided(kind, list)
    for _, m in ipairs(list) do m.im = m.im or 0 end
    return floquet.stable_at({ tolerance = 1e-10 }, kind, { multipliers = list, stable = "as it is" }, {})
  end

  it("is decided by the multipliers that are not on the circle by definition", function()
    for _, off in ipairs{ -2e-6, 0, 2e-6 } do
      assert.equal(nil, decided("fold", { { re = 1 + off }, { re = 0.5 } }))
      assert.equal(false, decided("fold", { { re = 2 }, { re = 1 + off } }))
      assert.equal(nil, decided("flip", { { re = -1 + off }, { re = 0.5 } }))
      assert.equal(false, decided("flip", { { re = -1 + off }, { re = -3 } }))
      -- with their inverses two are on the circle
      assert.equal(nil, decided("fold", { { re = 1, im = off }, { re = 1, im = -off }, { re = 0.6, im = 0.8 }, { re = 0.6, im = -0.8 } }))
      assert.equal(false, decided("fold", { { re = 1 + off }, { re = 1/(1 + off) }, { re = 2 }, { re = 0.5 } }))
      assert.equal(nil, decided("torus", { { re = 0.6*(1 + off), im = 0.8 }, { re = 0.6*(1 + off), im = -0.8 }, { re = 0.3 } }))
      assert.equal(false, decided("torus", { { re = 0.6*(1 + off), im = 0.8 }, { re = 0.6*(1 + off), im = -0.8 }, { re = 1.3 } }))
    end
    assert.equal("as it is", decided("touch", { { re = 0.5 } }))
    assert.equal(nil, states.is_stable{ { re = 1.001, im = 0, uncertainty = 0.01 }, { re = 0.5, im = 0 } })
    assert.equal(false, states.is_stable{ { re = 1.1, im = 0, uncertainty = 0.01 }, { re = 0.999, im = 0, uncertainty = 0.1 } })
  end)

  -- a torsion spring about a hinge that is shaken: folds of a driven oscillator, and a pair of conservative ones
  it("does not flicker along curves of folds", function()
    local S = hm.system "Duffing"
    local x = S:coordinates "x"
    local w, F = S:parameters "w=9/5 F=1/2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2 + x^4/4)
    S:force(x, F*hm.cos(w*hm.t) - x.dot/10)
    local B = S:continue{ periodic = { q = { x = -0.25 }, v = { x = 0 }, period = 2*hm.pi/w }, along = "w", from = 1, to = 2.5 }
    local folds = {}
    for _, item in ipairs(B.special) do if item.kind == "fold" then folds[#folds + 1] = item end end
    assert.equal(2, #folds, tostring(B))
    for _, item in ipairs(folds) do assert.equal(nil, item.point.stable) end
    local C = S:continue{ fold = folds[1], along = { "w", "F" }, from = { 1, 0.3 }, to = { 2.5, 0.7 } }
    assert(#C.points > 3)
    for _, point in ipairs(C.points) do assert.equal(nil, point.stable) end
    contains(C, "  not decided for w in (")
    assert(not tostring(C):find("stable for", 1, true), tostring(C))
  end)
end)
