-- branches that are crossed by another one: they stay on their own curve, and the branch point is where the polynomials say
local hm, check = require "hamel", require "check"
local near = check.near

-- The branch points of a branch are these; it has no other special points
local function demand_branch_points(B, values, within)
  assert.equal(#values, #B.special, tostring(B))
  local found = {}
  for i, special in ipairs(B.special) do
    assert(special.kind == "branch" and not special.doubtful and not special.several, tostring(B))
    found[i] = special.value
  end
  table.sort(found)
  for i, value in ipairs(values) do near(found[i], value, within) end
end

-- x'' = x ((a - low) (high - a) - x^2) - x'; high = nil: x (a - low - x^2)
local function bubble(low, high)
  local S = hm.system "bubble"
  local x = S:coordinates "x"
  local a = S:parameters "a=-1/2"
  S:kinetic_energy(x.dot^2/2)
  S:force(x, x*((a - low)*(high and high - a or 1) - x^2) - x.dot)
  return S
end

describe("a branch that another one crosses", function()
  it("passes a pitchfork, whose vertex is no fold, to its mirror image", function()
    local B = bubble(0):continue{ equilibrium = { q = { x = 1 } }, along = "a", from = -1, to = 2, parameters = { a = 1 } }
    demand_branch_points(B, { 0 }, 1e-9)
    for _, point in ipairs(B.points) do near(point.value, point.q.x^2, 1e-9) end
  end)

  it("runs from one pitchfork to the other and back, from either of them", function()
    local B = bubble(0, 1):continue{ equilibrium = { q = { x = 0 } }, along = "a", from = -1, to = 2 }
    demand_branch_points(B, { 0, 1 }, 1e-9)
    for k = 1, 2 do
      local Z = B:switch(B.special[k])
      demand_branch_points(Z, { 0, 1 }, 1e-9)
      for _, point in ipairs(Z.points) do near(point.value*(1 - point.value), point.q.x^2, 1e-9) end
    end
  end)

  it("does not go over to motions with the symmetry that it has broken", function()
    local S = hm.system "Duffing"
    local x = S:coordinates "x"
    local F = S:parameters "F=1/5"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2 + x^4/4)
    S:force(x, -x.dot/5 + F*hm.cos(hm.t))
    local B = S:continue{ periodic = { q = { x = 0 }, v = { x = 0 }, period = 2*math.pi }, along = "F", from = 0.1, to = 14 }
    local one, other = B.special[1], B.special[2]
    -- by shooting with scipy
    near(one.value, 2.715798483, 1e-8)
    near(other.value, 10.98677098, 1e-8)
    for k, largest in ipairs{ 1, 0.1 } do
      local Z = B:switch(B.special[k], { largest = largest, keep = { high = hm.highest(x), low = hm.lowest(x) } })
      demand_branch_points(Z, { one.value, other.value }, 1e-8)
      -- at half a period, where x and x' change their signs, the symmetric motions only are the same
      for _, point in ipairs(Z.points) do assert(math.abs(point.high + point.low) > 1e-4, point.value) end
    end
  end)
end)
