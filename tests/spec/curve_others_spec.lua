-- curves of folds, flips and torus points of periodic motions, on which another multiplier passes the unit circle: these points are located and named
local hm, branches, check = require "hamel", require "branches", require "check"
local near, first, of_kind = check.near, branches.first, branches.of_kind

-- Of x'' = -c x' - x/20 - x^3 + x^2 cos t the state x = 0 has the multipliers exp((-c/2 +- i sqrt(1/20 - c^2/4)) 2 pi), and z = 0, of a second equation, others
local function system(second)
  local S = hm.system "two states of rest under a drive"
  local x, z = S:coordinates "x z"
  local c, b, d = S:parameters "c=1/10 b=1/2 d=1/2"
  S:kinetic_energy((x.dot^2 + z.dot^2)/2)
  S:force(x, -c*x.dot - x/20 - x^3 + x^2*hm.cos(hm.t))
  S:force(z, second(z, b, d))
  return S, { q = { x = 0, z = 0 }, v = { x = 0, z = 0 }, period = 2*hm.pi }
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

-- Den Hartog's motion, which slides without a stop, beside a state of rest z = 0 with the damping c: torus points at c = 0. The branch of the motion alone,
-- whose touch is located by its test, arbitrates
describe("a limit of friction that is touched on a curve of torus points", function()
  it("is located as exactly as on a branch, and once", function()
    local function sliding(z_too)
      local S = hm.system "sliding"
      local x = S:coordinates "x"
      local z = z_too and S:coordinates "z"
      local f, w, c = S:parameters "f=13/20 w=4/5 c=1/20"
      S:kinetic_energy(z and (x.dot^2 + z.dot^2)/2 or x.dot^2/2)
      S:force(x, -x + hm.cos(w*hm.t))
      if z then S:force(z, -c*z.dot - z/20 - z^3) end
      S:friction("rub", { slip = x.dot, normal = 1, coefficient = f })
      return S, 2*hm.pi/w
    end
    local S, period = sliding(false)
    local alone = S:continue{ periodic = { q = { x = 1.5 }, v = { x = 0 }, t = 0.9, period = period }, along = "f", from = 0.6, to = 0.85 }
    local wanted = first(alone, "touch").value
    S, period = sliding(true)
    local B = S:continue{ periodic = { q = { x = 1.5, z = 0 }, v = { x = 0, z = 0 }, t = 0.9, period = period }, along = "c", from = -0.05, to = 0.1 }
    local C = S:continue{ torus = first(B, "torus"), along = { "f", "c" }, from = { 0.64, -0.1 }, to = { 0.83, 0.1 } }
    local found = of_kind(C, "touch")
    assert.equal(1, #found, tostring(C))
    near(found[1].value, wanted, 1e-10)
    near(found[1].beside, 0, 1e-10)
    assert.equal("rub", found[1].name)
    for _, point in ipairs(C.points) do if math.abs(point.value - wanted) > 1e-8 then assert.equal(point.value < wanted, point.admissible) end end
  end)
end)
