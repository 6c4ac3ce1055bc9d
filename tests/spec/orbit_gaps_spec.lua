-- How well the motions close that S:periodic returns. Arbiter: the closed solution of a damped oscillator, which loses the part pi e in a period.
local hm = require "hamel"

local drawn = require "check".drawn

-- x'' = -w^2 x - e w x' with the amplitude L: it has no periodic motion
local function found(L, w, e, tolerance)
  local S = hm.system "damped"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:force(x, -hm.number(("%.17g"):format(w^2))*x - hm.number(("%.17g"):format(e*w))*x.dot)
  return pcall(S.periodic, S, { q = { x = L }, v = { x = 0 }, period = 2*math.pi/w, tolerance = tolerance })
end

describe("S:periodic", function()
  it("returns no motion that misses its start by more than the tolerance, in any units", function()
    local draw, taken = drawn(3), 0
    for _, unit in ipairs{ { 1, 1 }, { 1e-6, 1e3 }, { 1e5, 1e-4 } } do
      for _ = 1, 15 do
        local tolerance = 10^(-10 + 2*draw())
        -- gaps from a third of the tolerance to thirty times as much
        local gap = tolerance*10^(2*draw() - 0.5)
        local fine, orbit = found(unit[1]*(1 + draw()), unit[2], gap/math.pi, tolerance)
        if fine then
          taken = taken + 1
          assert.is_true(orbit.gap <= tolerance)
          assert.is_true(gap <= 3*tolerance)
        end
      end
    end
    assert.is_true(taken > 0)
  end)
end)
