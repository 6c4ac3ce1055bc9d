-- How well S:periodic knows a motion beside which others close nearly as well: x'' + c x' + x = cos nt with the period 2 pi, in which free swings nearly do.
-- Arbiter: the closed solution, (1 - n^2) cos nt/d + c n sin nt/d with d = (1 - n^2)^2 + (c n)^2.
local hm, check = require "hamel", require "check"

local function number(value) return hm.number(("%.17g"):format(value)) end

local function found(n, c, L, T)
  local S = hm.system "resonance"
  local x = S:coordinates "x"
  local t = hm.t/number(T)
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(number(T^-2)*x^2/2)
  S:force(x, number(L*T^-2)*hm.cos(n*t) - number(c/T)*x.dot)
  local orbit = S:periodic{ q = { x = -0.2*L }, v = { x = 0.1*L/T }, period = 2*math.pi*T }
  local d = (1 - n^2)^2 + (c*n)^2
  local size, speed = 1/math.sqrt(d), n/math.sqrt(d)
  local off = math.max(math.abs(orbit.q.x/L - (1 - n^2)/d)/size, math.abs(orbit.v.x*T/L - c*n^2/d)/speed)
  return orbit, off
end

describe("S:periodic beside motions that close nearly as well", function()
  it("says how well the motion is known, in any units", function()
    local draw = check.drawn(11)
    for _ = 1, 12 do
      local n, c = 2 + math.floor(4*draw()), 10^(-5 - 4*draw())
      local L, T = 10^(12*draw() - 6), 10^(8*draw() - 4)
      local orbit, off = found(n, c, L, T)
      assert(off <= 4*orbit.accuracy, ("n = %d, c = %.2g: off by %.2g, accuracy %.2g"):format(n, c, off, orbit.accuracy))
      -- errors of runs with rtol = 1e-13 over what the damping leaves open
      assert(orbit.accuracy <= 1e-12/c, ("c = %.2g: accuracy %.2g"):format(c, orbit.accuracy))
    end
  end)

  it("prints it where it is far from the tolerance", function()
    assert.truthy(tostring((found(3, 1e-9, 1, 1))):find "known to %S+ of its size: motions beside it close nearly as well")
    local good = found(3, 1e-3, 1, 1)
    assert(good.accuracy < 1e-9 and not tostring(good):find "known to")
  end)
end)
