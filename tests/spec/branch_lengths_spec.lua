-- branches whose points are used up: the reason says what held them
local hm = require "hamel"

describe("a branch that has no more points", function()
  -- a nonlinear normal mode of two masses: it begins at rest, where velocities are rounding, and its period changes with the energy
  local S = hm.system "masses"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy((x^2 + y^2 + (x - y)^2)/2 + x^4/8)
  local orbit = S:periodic{ q = { x = 0.1, y = 0.1 }, v = { x = 0, y = 0 }, period = 2*math.pi }
  local function ended(largest, from)
    local B = S:continue{ periodic = orbit, along = "energy", from = from, to = 1e4, points = 20, largest = largest, both = false }
    assert.are.equal(21, #B.points)
    return B.ended[1]
  end

  it("names the longest step where that was given and held it", function()
    assert(ended(0.3):find("20 points, in steps as long as `largest` allows", 1, true), ended(0.3))
  end)

  it("says nothing of velocities that were rounding at its start", function()
    assert.are.equal("20 points", ended())
  end)
end)
