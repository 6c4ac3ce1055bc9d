-- basins of bodies with S:rotation: attractors named by body rates, entries of rotation matrices and expressions; turns that no equation sees
local hm, check = require "hamel", require "check"

-- A damped body about a fixed point, with a potential of its attitude
local function body(potential)
  local S = hm.system "body"
  local N = S:frame "N"
  local R = S:rotation("R", { rates = "p q r" })
  local p, q, r = R:rates()
  S:kinetic_energy((p^2 + hm.rational(6, 5)*q^2 + r^2/2)/2)
  S:potential_energy(potential(N, R))
  S:dissipation((p^2 + q^2 + r^2)/4)
  return S, N, R
end

local function hanging(N, R) return -5*N.z:dot(R.z) end

-- The labels of a chart over starts with several rates
local function labels(S, given)
  given.over, given.q, given.v, given.of, given.t = { { "v.p", { -1, 2 } }, { "v.q", { 0, 3 } } }, given.q or { R = { 1, 0, 0, 0 } }, { r = 1 }, "basin", 60
  local C, list = S:chart(given), {}
  for i = 1, #C do list[i] = ("%s"):format(C[i].label or C[i].reason) end
  return table.concat(list, " "), C
end

describe("basins of bodies with a rotation", function()
  it("rest that is free to turn about the vertical is one attractor", function()
    assert.equal("1 1 1 1", (labels(body(hanging), {})))
  end)

  it("so is rest that nothing holds at all", function()
    local S = body(function() return 0 end)
    assert.equal("1 1 1 1", (labels(S, {})))
  end)

  it("what equations see tells attractors apart: two attitudes of the vertical, and directions", function()
    -- (R.z)_z = 1 and -1 are both stable, and every start ends at one of them
    local S = body(function(N, R) return -5*N.z:dot(R.z)^2 end)
    local given = { q = { R = { axis = { 1, 0, 0 }, angle = 1 } }, attractors = { up = { Rzz = 1 }, down = { Rzz = -1 } } }
    local C = S:chart{ over = { { "v.p", { -4, 0, 4, 6 } } }, q = given.q, v = { q = 0, r = 0 }, of = "basin", t = 60, attractors = given.attractors }
    local found = S:chart{ over = { { "v.p", { -4, 0, 4, 6 } } }, q = given.q, v = { q = 0, r = 0 }, of = "basin", t = 60 }
    local number_of, seen = {}, {}
    for i = 1, #C do
      assert(C[i].label == "up" or C[i].label == "down", tostring(C[i].label))
      number_of[C[i].label] = number_of[C[i].label] or found[i].label
      seen[C[i].label] = true
      assert.equal(number_of[C[i].label], found[i].label)
    end
    assert(seen.up and seen.down and number_of.up ~= number_of.down)
    -- a second field that holds the heading: (R.x)_x = 1 and -1
    local held = body(function(N, R) return -5*N.z:dot(R.z) - 3*N.x:dot(R.x)^2 end)
    local by_heading = held:chart{ over = { { "v.r", { 0, 6, 9 } } }, q = { R = { axis = { 0, 0, 1 }, angle = 0.3 } }, v = { p = 0, q = 0 }, of = "basin",
      t = 60, attractors = { ahead = { Rxx = 1 }, back = { Rxx = -1 } } }
    local numbers = held:chart{ over = { { "v.r", { 0, 6, 9 } } }, q = { R = { axis = { 0, 0, 1 }, angle = 0.3 } }, v = { p = 0, q = 0 }, of = "basin", t = 60 }
    local both = {}
    for i = 1, #numbers do
      both[by_heading[i].label] = both[by_heading[i].label] or numbers[i].label
      assert.equal(both[by_heading[i].label], numbers[i].label)
    end
    assert(both.ahead and both.back and both.ahead ~= both.back)
  end)

  it("given attractors have body rates, entries of the rotation matrix and expressions", function()
    local S, N, R = body(hanging)
    local p, q, r = R:rates()
    for _, values in ipairs{ { p = 0, q = 0 }, { Rzz = 1, r = 0 }, { [N.z:dot(R.z)] = 1 }, { [p^2 + q^2 + r^2] = 0, R1 = 0 } } do
      assert.equal("down down down down", (labels(S, { attractors = { down = values } })))
    end
    assert.equal("none none none none", (labels(S, { attractors = { up = { Rzz = -1 } } })))
    assert.equal("down down down down", (labels(S, { attractors = { down = { Rzz = 1 } }, stroboscope = 1 })))
    check.raises({ "'foo' is none of", "Rzz", "expressions" }, labels, S, { attractors = { down = { foo = 1 } } })
  end)

  it("given attractors are compared up to the sign of the quaternion", function()
    local S = body(function(N, R) return -5*N.z:dot(R.z) - 3*N.x:dot(R.x) end)
    for _, sign in ipairs{ 1, -1 } do
      assert.equal("down down down down", (labels(S, { q = { R = { sign, 0, 0, 0 } }, attractors = { down = { R0 = 1 } } })))
    end
    check.raises({ "'one' and 'two' are not apart", "signs of quaternions" }, labels, S, { attractors = { one = { R0 = 1 }, two = { R0 = -1 } } })
  end)
end)
