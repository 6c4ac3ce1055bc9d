-- bodies between contacts that leave them no room, and bounds that contradict a law of impact: the run stops with the names of the contacts
local hm, check = require "hamel", require "check"

local function squeezed(law, wall, method)
  local S = hm.system "squeezed"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:unilateral("left", x, { law = law })
  S:unilateral("right", wall - x, { law = law })
  return S:simulate{ q = { x = 0.5 }, v = { x = 0.1 }, t = 2, method = method }
end

describe("a body between two contacts", function()
  it("without room stops the run at the instant when the walls meet, by name", function()
    for _, law in ipairs{ hm.plastic(), hm.newton(0.5), hm.newton(1), hm.moreau(0.3) } do
      for method in pairs{ dop853 = true, radau5 = true } do
        for k, wall in ipairs{ 1 - hm.t, 1 - hm.t^2/2 } do
          local run = squeezed(law, wall, method)
          assert.are_not.equal("OK", run.status)
          check.near(run.outcome.t, k == 1 and 1 or math.sqrt(2), 1e-3)
          assert.truthy(run.reason:find("'left' and 'right'", 1, true) and run.reason:find("no room", 1, true), run.reason)
        end
      end
    end
  end)

  it("that the second one throws back runs on", function()
    local S = hm.system "two"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + 10*y.dot^2)/2)
    S:force(y, -5)
    S:unilateral("left", x, { law = hm.newton(0.5) })
    S:unilateral("right", y - x - 0.1, { law = hm.newton(0.5) })
    local run = S:simulate{ q = { x = 0.5, y = 1 }, v = { x = 0, y = -1 }, t = 4 }
    assert.equal("OK", run.status)
    check.near(run:at(4).x, 0, 1e-8)
    check.near(run:at(4).y, 0.1, 1e-8)
  end)
end)

describe("a bound on a velocity", function()
  it("that forbids what a law of impact demands is named with its contact", function()
    local S = hm.system "governed"
    local y = S:coordinates "y"
    S:kinetic_energy(y.dot^2/2)
    S:force(y, -1)
    S:unilateral("floor", y, { law = hm.newton(0.5) })
    S:unilateral("governor", 0.5 - y.dot)
    local run = S:simulate{ q = { y = 1 }, v = { y = 0 }, t = 5 }
    assert.equal("NO_CONTACT_MODE", run.status)
    assert.truthy(run.reason:find("'floor' and 'governor'", 1, true) and run.reason:find("bound", 1, true), run.reason)
  end)
end)
