-- special points of periodic motions beside which the damping and the stiffness vanish together, or almost: each is listed once
local hm = require "hamel"

-- A cycle u = cos t, beside which w has the damping mu - damped and the stiffness mu - stiff: a branch point at `stiff`, and a torus point at `damped` where
-- the stiffness is positive there
local function beside_cycle(damped, stiff)
  local S = hm.system "double zero"
  local x, y = S:coordinates "x y"
  local mu = S:parameters "mu=0"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  local c, s = hm.rational(3, 5), hm.rational(4, 5)
  local u, w = c*x + s*y, -s*x + c*y
  local du, dw = c*x.dot + s*y.dot, -s*x.dot + c*y.dot
  local along, beside = -u - (u^2 + du^2 - 1)*du/2, -(mu - damped)*dw - (mu - stiff)*w - w^3
  S:force(x, c*along - s*beside)
  S:force(y, s*along + c*beside)
  local B = S:continue{ periodic = { q = { x = 0.6, y = 0.8 }, v = { x = 0, y = 0 }, period = 6.28 }, along = "mu", from = -1.5, to = 1.5 }
  local certain, doubtful = {}, {}
  for _, item in ipairs(B.special) do
    local list = item.doubtful and doubtful or certain
    list[#list + 1] = item
  end
  return certain, doubtful
end

describe("S:continue of periodic motions", function()
  it("lists a branch point, and beside it one doubtful torus point, where the damping and the stiffness beside the motion vanish together", function()
    local certain, doubtful = beside_cycle(0.123, 0.123)
    assert.equal(1, #certain)
    assert.equal("branch", certain[1].kind)
    assert(math.abs(certain[1].value - 0.123) < 1e-9)
    assert(#doubtful <= 1, #doubtful .. " doubtful special points")
    for _, item in ipairs(doubtful) do assert(item.kind == "torus" and math.abs(item.value - 0.123) < math.max(item.accuracy, 1e-9)) end
  end)

  it("lists none in doubt where they vanish 1e-4 apart", function()
    for _, off in ipairs{ 1e-4, -1e-4 } do
      local certain, doubtful = beside_cycle(0.123 + off, 0.123)
      assert.equal(0, #doubtful)
      assert.equal(off > 0 and 2 or 1, #certain)
      for _, item in ipairs(certain) do assert(math.abs(item.value - (item.kind == "branch" and 0.123 or 0.123 + off)) < math.max(item.accuracy or 0, 1e-9)) end
    end
  end)
end)
