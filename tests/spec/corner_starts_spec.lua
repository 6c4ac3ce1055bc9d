-- a start on a corner of a constraint: the point on the ridge of a roof may slide down either side
local hm, check = require "hamel", require "check"

local function point(constraint)
  local S = hm.system "point"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(9.81*y)
  S:constraint("roof", y + constraint(x))
  return S
end

describe("a start on a corner of a constraint", function()
  it("is refused, since the motion is not unique", function()
    for _, roof in ipairs{ hm.abs, function(x) return hm.max(0, x) end } do
      for _, method in ipairs{ "dop853", "taylor", "radau5", "gauss4" } do
        local S, step = point(roof), method == "gauss4" and 0.01 or nil
        check.raises({ "cannot start", "'roof' has a corner where x = 0", "start beside the corner" }, S.simulate, S,
          { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, t = 1, method = method, step = step, progress = false })
      end
    end
  end)

  -- Arbiter: the incline of 45 degrees, along which the acceleration is g/sqrt 2
  it("beside it is not", function()
    for _, side in ipairs{ -1, 1 } do
      local r = point(hm.abs):simulate{ q = { x = side, y = -1 }, v = { x = 0, y = 0 }, t = 1, progress = false }
      assert.equal("OK", r.status)
      check.near(r:at(1).x, side*(1 + 9.81/4), 1e-8)
    end
  end)

  it("met on the way stops the run in these words", function()
    local r = point(hm.abs):simulate{ q = { x = -1, y = -1 }, v = { x = 6 }, t = 1, progress = false }
    assert.equal("SINGULAR", r.status)
    assert.truthy(r.reason:find("'roof' has a corner where x = 0", 1, true), r.reason)
  end)
end)
