-- one-sided constraints in any units of their gap, and gaps that have no gradient where they close
local hm, check = require "hamel", require "check"

local function ball(gap, start)
  local S = hm.system "ball"
  local y = S:coordinates "y"
  S:kinetic_energy(y.dot^2/2)
  S:potential_energy(10*y)
  S:unilateral("floor", gap(y), { law = hm.newton(0.5) })
  return S:simulate{ q = { y = start or 1 }, v = { y = 0 }, t = 1 }
end

describe("a gap", function()
  it("may be declared in any unit: the motion and its impacts are the same", function()
    local impacts
    for _, unit in ipairs{ 1, 1e-12, 1e-6, 1e6, 1e12, 1e15 } do
      local r = ball(function(y) return unit*y end)
      assert.equal("OK", r.status)
      -- falls for sqrt(0.2), is thrown up with half the speed twice as long, and so on
      local first = math.sqrt(0.2)
      check.near(r:at(1).y, math.sqrt(20)/2*(1 - first) - 5*(1 - first)^2 > 0 and math.sqrt(20)/2*(1 - first) - 5*(1 - first)^2
        or math.sqrt(20)/4*(1 - 2*first) - 5*(1 - 2*first)^2, 1e-7)
      impacts = impacts or #r.impacts
      assert.equal(impacts, #r.impacts)
    end
  end)

  it("that is a power is refused where it is declared", function()
    for _, gap in ipairs{ function(y) return y^3 end, function(y) return hm.sqrt(y) end, function(y) return 2*y^2 end, function(y) return y*hm.abs(y) end,
                          function(y) return hm.sign(y)*hm.abs(y)^hm.rational(1, 3) end } do
      check.raises({ "'floor'", "gradient", "declare y" }, ball, gap)
    end
  end)

  it("without a gradient stops the run where it closes, or at the start", function()
    local flat = function(y) return y*hm.max(0, y) + y*hm.max(0, -y) end
    local steep = function(y) return y*(y^2 + 1e-40)^hm.rational(-1, 3) end
    local r = ball(steep)
    assert.equal("UNSUPPORTED", r.status)
    assert.truthy(r.reason:find("is infinite where it closes", 1, true))
    for _, start in ipairs{ 1, 0.7, 2.3 } do
      r = ball(flat, start)
      assert.equal("UNSUPPORTED", r.status)
      assert.truthy(r.reason:find("vanishes where it closes", 1, true))
    end
    check.raises({ "gradient of 'floor' vanishes" }, ball, flat, 0)
  end)
end)
