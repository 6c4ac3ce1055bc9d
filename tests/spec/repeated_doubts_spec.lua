-- Doubtful special points of branches of periodic motions: each is listed once.
local hm = require "hamel"

describe("S:continue of periodic motions", function()
  it("lists no doubtful special point twice where the damping and the stiffness beside the motion vanish together", function()
    local S = hm.system "double zero"
    local x, y = S:coordinates "x y"
    local mu = S:parameters "mu=0"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    local c, s = hm.rational(3, 5), hm.rational(4, 5)
    local u, w = c*x + s*y, -s*x + c*y
    local du, dw = c*x.dot + s*y.dot, -s*x.dot + c*y.dot
    -- a cycle u = cos t, beside which w has the damping and the stiffness mu - 0.123
    local along, beside = -u - (u^2 + du^2 - 1)*du/2, -(mu - 0.123)*(dw + w) - w^3
    S:force(x, c*along - s*beside)
    S:force(y, s*along + c*beside)
    local B = S:continue{ periodic = { q = { x = 0.6, y = 0.8 }, v = { x = 0, y = 0 }, period = 6.28 }, along = "mu", from = -1.5, to = 1.5 }
    local branches = 0
    for i, item in ipairs(B.special) do
      if item.kind == "branch" and not item.doubtful and math.abs(item.value - 0.123) < 1e-6 then branches = branches + 1 end
      for k = 1, i - 1 do
        local other = B.special[k]
        local near = math.max(item.accuracy or 0, other.accuracy or 0, 1e-12)
        local again = item.doubtful and other.doubtful and item.kind == other.kind and math.abs(item.value - other.value) <= near
        assert.is_true(not again)
      end
    end
    assert.equal(1, branches)
  end)
end)
