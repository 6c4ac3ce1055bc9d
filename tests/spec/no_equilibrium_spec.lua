-- a small residual is no equilibrium where the equations have none near
local hm, check, driven = require "hamel", require "check", require "mechanics".driven

describe("S:equilibrium", function()
  it("refuses forces that nearly vanish and do not", function()
    for _, least in ipairs{ "1e-8", "1e-10", "1e-12", "1e-16" } do
      check.raises({ "did not converge" }, function() driven(function(x) return x^2 + hm.number(least) end):equilibrium{ q = { x = 0.5 } } end)
    end
    for _, excess in ipairs{ "1e-9", "1e-11", "1e-12" } do
      check.raises({ "did not converge" }, function() driven(function(x) return 1 + hm.number(excess) - hm.sin(x) end):equilibrium{ q = { x = 1 } } end)
    end
  end)

  it("finds simple and double zeros in any units", function()
    for _, unit in ipairs{ "1e-16", "1e-6", "1", "1e12" } do
      check.near(driven(function(x) return -hm.number(unit)*(x - 3) end):equilibrium{ q = { x = 1 } }.q.x, 3, 1e-12)
      check.near(driven(function(x) return hm.number(unit)*x^2 end):equilibrium{ q = { x = 0.5 } }.q.x, 0, 1e-6)
      check.near(driven(function(x) return hm.number(unit)*(1 - hm.sin(x)) end):equilibrium{ q = { x = 1 } }.q.x, math.pi/2, 1e-6)
    end
  end)
end)
