-- branches of states of rest that come in continuous families, as on circles: one of each is followed
local hm, check = require "hamel", require "check"
local near = check.near

-- A point mass with the damping c and the potential of a function of its coordinates and of p
local function mass(names, c, potential)
  local S = hm.system "mass"
  local q = table.pack(S:coordinates(names))
  local p = S:parameters "p=-1/2"
  local T = 0
  for _, x in ipairs(q) do
    T = T + x.dot^2/2
    if c ~= 0 then S:force(x, -c*x.dot) end
  end
  S:kinetic_energy(T)
  S:potential_energy(potential(p, table.unpack(q)))
  return S, S:continue{ equilibrium = { q = {} }, along = "p", from = -1, to = 1 }
end

local function contains(result, words) assert(tostring(result):find(words, 1, true), tostring(result)) end

local function last(B) return B.points[#B.points] end

describe("a branch to a circle of states of rest", function()
  it("is one, with or without damping; of a sphere, too", function()
    for _, c in ipairs{ 0, 1 } do
      local _, B = mass("x y", c, function(p, x, y) return (x^2 + y^2)^2/4 - p*(x^2 + y^2)/2 end)
      assert.equal(2, B.special[1].several)
      local C = B:switch(B.special[1])
      assert.equal(1, C.family)
      assert.equal(0, #C.special, tostring(C))
      contains(C, "one of a continuous family at each value, as on a circle, with 1 dimension")
      assert(not tostring(C):find("which = 2", 1, true))
      for _, point in ipairs(C.points) do
        near(point.q.x^2 + point.q.y^2, point.value, 1e-9)
        -- the shortest steps do not go round
        near(point.q.x*last(C).q.y - point.q.y*last(C).q.x, 0, 1e-9)
      end
      near(last(C).value, 1, 1e-12)
      check.raises({ "which = 2, but 1 branch was found here" }, B.switch, B, B.special[1], { which = 2 })
    end
    local _, B = mass("x y z", 0, function(p, x, y, z) return (x^2 + y^2 + z^2)^2/4 - p*(x^2 + y^2 + z^2)/2 end)
    local C = B:switch(B.special[1])
    assert.equal(2, C.family)
    near(last(C).q.x^2 + last(C).q.y^2 + last(C).q.z^2, 1, 1e-9)
  end)

  it("is one of two, where there are two circles", function()
    local _, B = mass("x y z w", 1, function(p, x, y, z, w)
      local r, s = x^2 + y^2, z^2 + w^2
      return r^2/4 + s^2/4 + r*s - p*(r + s)/2
    end)
    local ends = {}
    for k = 1, 2 do
      local q = last(B:switch(B.special[1], { which = k })).q
      ends[k] = q.x^2 + q.y^2
      near(q.x^2 + q.y^2 + q.z^2 + q.w^2, 1, 1e-9)
    end
    near(math.min(ends[1], ends[2]), 0, 1e-9)
    near(math.max(ends[1], ends[2]), 1, 1e-9)
  end)

  it("has branches of its own, where it leaves its plane: r = (4 p - 1/2)/3, z^2 = (2 p - 1)/3", function()
    local _, B = mass("x y z", 1, function(p, x, y, z)
      local r = x^2 + y^2
      return r^2/4 - p*r/2 + z^4/4 + (hm.rational(1, 2) - r)*z^2/4
    end)
    local C = B:switch(B.special[1])
    assert.equal(1, #C.special, tostring(C))
    near(C.special[1].value, 0.5, 1e-9)
    local D = C:switch(C.special[1])
    assert.equal(1, D.family)
    near(last(D).q.x^2 + last(D).q.y^2, (4*last(D).value - 0.5)/3, 1e-9)
    near(last(D).q.z^2, (2*last(D).value - 1)/3, 1e-9)
    assert(last(D).value > 0.9)
  end)
end)
