-- Branches of states of rest beside stiffnesses of very different size: x^3 - 1.3 x = mu with the stiffness k1, y = x^2/5 + 2 x/5 with k2, coupled by c and d.
-- Arbiter: folds at x = -+(1.3/3)^(1/2), whatever the stiffnesses and couplings are, since both brackets vanish at rest.
local hm = require "hamel"
local check = require "check"
local near = check.near

local function branch_of(k1, k2, c, d, damping)
  local S = hm.system "stiffnesses"
  local x, y = S:coordinates "x y"
  local mu = S:parameters "mu=0"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  local one, other = x^3 - 1.3*x - mu, y - 0.2*x^2 - 0.4*x
  S:force(x, -k1*one - c*other - damping*x.dot)
  S:force(y, -k2*other + d*one - damping*y.dot)
  return S:continue{ equilibrium = { q = { x = -1.99, y = 0.2*1.99^2 - 0.4*1.99 } }, along = "mu", from = -5.4, to = 5.4,
    parameters = { mu = -1.99^3 + 1.3*1.99 } }
end

describe("branches of states of rest beside stiffnesses of very different size", function()
  local fold = (1.3/3)^(1/2)*(1.3 - 1.3/3)

  it("are followed to their ends, over their folds", function()
    for _, case in ipairs{ { 1e8, 1e-6, 0, 0, 1 }, { 1e8, 1e-6, 8e-4, 8e-4, 1 }, { 1e8, 1e-6, 8e-4, 0, 1 }, { 1, 1e-14, 0, 0, 1e-4 } } do
      local B = branch_of(table.unpack(case))
      assert.equal("mu reaches -5.4 mu reaches 5.4", table.concat(B.ended, " "))
      local found = {}
      for _, special in ipairs(B.special) do if special.kind == "fold" then found[#found + 1] = special.value end end
      assert.equal(2, #found)
      near(found[1], fold, 1e-9)
      near(found[2], -fold, 1e-9)
      for _, point in ipairs(B.points) do
        near(point.q.x^3 - 1.3*point.q.x, point.value, 1e-8)
        near(point.q.y, 0.2*point.q.x^2 + 0.4*point.q.x, 1e-6)
      end
    end
  end)

  it("are refused for the orders of magnitude where doubles do not hold them, and not for a bad guess", function()
    check.raises({ "span so many orders of magnitude" }, branch_of, 1e8, 1e-8, 0, 0, 1)
    -- rounding of the first force moves y by more than its size
    check.raises({ "span so many orders of magnitude" }, branch_of, 5e3, 1e-9, 0, -8e6, 1)
  end)

  it("tell how exactly a branch point is known where eigenvalues span 25 orders of magnitude", function()
    local function number(text) return hm.number(text) end
    local S = hm.system "modes"
    local x, z = S:coordinates "x z"
    local p = S:parameters "p=0"
    S:kinetic_energy(x.dot^2/2 + (x.dot + z.dot)^2/2)
    -- the stiffness of one mode vanishes at p = 0.218018960906
    local k = number "7.87e-11"
    S:potential_energy(k*(number "0.218018960906" - p)*x^2/2 + k*x^4/4 + number "1.41"*(x + z)^2/2)
    local c, d = number "8208.54", number "4.30466e10"
    S:force(x, -c*x.dot - d*(x.dot + z.dot))
    S:force(z, -d*(x.dot + z.dot))
    local B = S:continue{ equilibrium = { q = { x = 0, z = 0 } }, along = "p", from = 0, to = 1 }
    assert.equal(1, #B.special, tostring(B))
    local special = B.special[1]
    assert.equal("branch", special.kind)
    near(special.value, 0.218018960906, math.max(1e-9, special.accuracy or 0), tostring(B))
    assert(not special.accuracy or special.accuracy < 1e-3, tostring(B))
  end)
end)
