-- what a short time, or a place beside a cut, does not allow to say
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

describe("S:lyapunov", function()
  it("gives the largest exponent first, however short the time is", function()
    local S, x = mechanics.body("hyperbolic", "x")
    S:force(x, x)
    for _, t in ipairs{ 1, 5, 50 } do
      local l = S:lyapunov{ q = { x = 0 }, v = { x = 0 }, t = t }
      assert.is_true(l.exponents[1] > 0 and l.exponents[1] <= 1 + 1e-9)
      assert.near(0, l.exponents[1] + l.exponents[2], 1e-9)
      assert.is_true(l.history[#l.history][1] == l.exponents[1])
    end
    -- from a direction that no eigenvector is near to, the exponent is short of 1 by less than 1/t
    assert.near(1, S:lyapunov{ q = { x = 0 }, v = { x = 0 }, t = 50, n = 1 }.exponents[1], 0.02)
  end)
end)

describe("series", function()
  it("refuses the cut of atan2, and takes the rest of it", function()
    local x, p = hm.symbols "x", hm.positive "p"
    for _, b in ipairs{ hm.number(-1), x - 1, -1 - x^2, hm.number(0) } do
      check.raises({ "no Taylor series", "atan2" }, function() return hm.atan2(x, b):series(x, 3) end)
    end
    assert.equal("x/p", tostring(hm.atan2(x, p):series(x, 2)))
    local e = hm.atan2(x + 1, -1)
    check.near(e:series(x, 6):eval{ [x] = 0.01 }, e:eval{ [x] = 0.01 }, 1e-13)
  end)
end)
