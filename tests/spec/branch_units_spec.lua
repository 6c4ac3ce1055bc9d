-- branches of periodic motions: short ranges of the parameter, motions of twice the period, parameters that do not matter
local hm, branches, check = require "hamel", require "branches", require "check"
local first, near, of_kind = branches.first, check.near, branches.of_kind

-- x'' + 0.3 x' - x + x^3 = g cos 1.2t with g = G/unit: flips at g = 0.26558178606 and 0.28669315782
local function duffing(unit)
  local S = hm.system "well"
  local x = S:coordinates "x"
  local G = S:parameters(("G=%.17g"):format(0.25*unit))
  S:kinetic_energy(x.dot^2/2)
  S:force(x, -hm.rational(3, 10)*x.dot + x - x^3 + G/hm.number(("%.17g"):format(unit))*hm.cos(hm.rational(6, 5)*hm.t))
  return S
end

describe("a branch of periodic motions", function()
  it("along a range of 1e-7 is the same as along one of 0.1, and locates its special points as exactly", function()
    local count
    for _, unit in ipairs{ 1, 1e-6 } do
      local S = duffing(unit)
      local B = S:continue{ periodic = { q = { x = 0.75 }, v = { x = 0.2 }, period = 2*math.pi/1.2 }, along = "G", from = 0.2*unit, to = 0.3*unit }
      near(first(B, "flip").value/unit, 0.26558178606, 1e-10)
      near(B.points[#B.points].value/unit, 0.3, 1e-12)
      count = count or #B.points
      assert.equal(count, #B.points)
    end
  end)

  it("of twice the period of the drive ends where its motions come to have the simple one, once found directly", function()
    local S = duffing(1)
    local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 60*2*math.pi/1.2, parameters = { G = 0.275 } }
    local last = run[#run]
    local guess = { q = { x = last.q.x }, v = { x = last.v.x }, period = 4*math.pi/1.2, parameters = { G = 0.275 } }
    local B = S:continue{ periodic = guess, along = "G", from = 0.25, to = 0.29 }
    assert.equal(2, #B.special)
    near(first(B, "halving").value, 0.26558178606, 1e-7)
    near(first(B, "flip").value, 0.28669315782, 1e-9)
    assert.equal(0, #of_kind(B, "branch"))
  end)

  it("is refused where the drive has the amplitude 0: the instant of the start is free", function()
    local S = hm.system "van der Pol"
    local x = S:coordinates "x"
    local g, c = S:parameters "g=0 c=1"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, c*(1 - x^2)*x.dot - x + g*hm.cos(hm.t))
    local guess = { q = { x = 2.00861986087 }, v = { x = 0 }, period = 6.66328685932 }
    check.raises("the instant of the start is free", S.continue, S, { periodic = guess, along = "c", from = 0.5, to = 1.5 })
  end)

  it("has no curve over two parameters on which it does not depend", function()
    local S = hm.system "Mathieu"
    local x = S:coordinates "x"
    local P, R, g = S:parameters "P=1 R=1 g=0"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, -x.dot/5 - (P + hm.cos(2*hm.t)/2)*x - R*x^3 - g*x^5)
    local B = S:continue{ periodic = { q = { x = 0 }, v = { x = 0 }, period = math.pi, parameters = { P = 0.5 } }, along = "P", from = 0.5, to = 1.5 }
    check.raises("neither 'R' nor 'g' changes the motion", S.continue, S, { flip = first(B, "flip"), along = { "R", "g" }, from = { 0, -1 }, to = { 2, 1 } })
  end)
end)
