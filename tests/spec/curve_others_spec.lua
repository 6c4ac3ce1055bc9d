-- curves of folds, flips and torus points of periodic motions, on which another multiplier passes the unit circle: these points are located and named
local hm, branches, check = require "hamel", require "branches", require "check"
local near, first, of_kind = check.near, branches.first, branches.of_kind

-- Beside a driven y the state x = 0 of x'' = -c x' - a x - x^3 has the multipliers exp((-c/2 +- i sqrt(a)) 2 pi), and z = 0, of a second equation, others
local function system(second)
  local S = hm.system "two states of rest beside a drive"
  local x, y, z = S:coordinates "x y z"
  local c, b, d = S:parameters "c=1/10 b=1/2 d=1/2"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:force(x, -c*x.dot - x/20 - x^3)
  S:force(y, -y.dot - y + hm.cos(hm.t))
  S:force(z, second(z, b, d))
  return S, { q = { x = 0, y = 0, z = 0 }, v = { x = 0, y = 0.5, z = 0 }, period = 2*hm.pi }
end

describe("a curve of torus points", function()
  it("tells where a multiplier passes 1 and another pair the circle: at b = 0 and d = 0 of z'' = -d z' - b z - z^3", function()
    local S, guess = system(function(z, b, d) return -d*z.dot - b*z - z^3 end)
    local torus = first(S:continue{ periodic = guess, along = "c", from = -0.2, to = 0.2 }, "torus")
    near(torus.value, 0, 1e-9)
    local C = S:continue{ torus = torus, along = { "b", "c" }, from = { -0.1, -0.1 }, to = { 0.55, 0.1 }, largest = 0.2 }
    local found = of_kind(C, "fold-torus")
    assert.equal(1, #found, tostring(C))
    near(found[1].value, 0, 1e-8)
    near(found[1].beside, 0, 1e-8)
    assert(not found[1].doubtful)
    assert.equal(0, #of_kind(C, "flip-torus") + #of_kind(C, "torus-torus"), tostring(C))
    C = S:continue{ torus = torus, along = { "d", "c" }, from = { -0.1, -0.1 }, to = { 0.55, 0.1 }, largest = 0.2 }
    found = of_kind(C, "torus-torus")
    assert.equal(1, #found, tostring(C))
    near(found[1].value, 0, 1e-8)
    assert.equal(0, #of_kind(C, "flip-torus") + #of_kind(C, "fold-torus"), tostring(C))
  end)

  it("tells where a multiplier passes -1: as the branch of that equation alone", function()
    local function mathieu(z, b, d) return -d*z.dot - (hm.rational(1, 4) + b*hm.cos(hm.t))*z - z^3 end
    local alone = hm.system "alone"
    local z = alone:coordinates "z"
    local b, d = alone:parameters "b=1/100 d=1/5"
    alone:kinetic_energy(z.dot^2/2)
    alone:force(z, mathieu(z, b, d))
    local B = alone:continue{ periodic = { q = { z = 0 }, v = { z = 0 }, period = 2*hm.pi }, along = "b", from = 0, to = 0.3 }
    local wanted = first(B, "flip").value
    local S, guess = system(mathieu)
    guess.parameters = { b = 0.01, d = 0.2 }
    local torus = first(S:continue{ periodic = guess, along = "c", from = -0.2, to = 0.2 }, "torus")
    local C = S:continue{ torus = torus, along = { "b", "c" }, from = { 0, -0.1 }, to = { 0.3, 0.1 }, largest = 0.1 }
    local found = of_kind(C, "flip-torus")
    assert.equal(1, #found, tostring(C))
    near(found[1].value, wanted, 1e-8)
    -- and from the other side: on the curve of flips the pair passes the circle at c = 0
    guess.parameters.c = 0.05
    local flips = S:continue{ flip = first(S:continue{ periodic = guess, along = "b", from = 0, to = 0.3 }, "flip"), along = { "c", "b" },
      from = { -0.02, 0 }, to = { 0.2, 0.5 }, largest = 0.1 }
    found = of_kind(flips, "flip-torus")
    assert.equal(1, #found, tostring(flips))
    near(found[1].value, 0, 1e-8)
    near(found[1].beside, wanted, 1e-8)
  end)
end)
