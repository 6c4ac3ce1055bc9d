-- Which motion of a family S:periodic finds. Arbiters: the period 4 K(1/2)/A of x'' = -x^3 with the amplitude A, and a search over the amplitude, written
-- here; the same system in other units.
local hm, check = require "hamel", require "check"

local drawn = check.drawn

local function number(value) return hm.number(("%.17g"):format(value)) end

local UNITS = { { 1, 1 }, { 1e-4, 1e2 }, { 10, 1 }, { 100, 1e-3 } }
local PERIOD = 7.4162987092054876

-- The amplitude, in units of the guess, of the swing that is nearest to it: least f on a fine grid around 1, refined
local function nearest_to(ratio)
  local function f(a) return (a - 1)^2 + (ratio/a - 1)^2 end
  local best, step = 1, 0.1
  while step > 1e-9 do
    for _, a in ipairs{ best - step, best + step } do if a > 0 and f(a) < f(best) then best = a end end
    step = f(best - step) >= f(best) and f(best + step) >= f(best) and step/2 or step
  end
  return best
end

describe("S:periodic in a family", function()
  it("finds the motion nearest to the guess in units of the motion, whatever the units of the system", function()
    local draw = drawn(4)
    for _ = 1, 12 do
      local amplitude, ratio = 10^(2*draw() - 1), 0.75 + 0.5*draw()
      for _, unit in ipairs(UNITS) do
        local L, T = table.unpack(unit)
        local S = hm.system "quartic"
        local x = S:coordinates "x"
        S:kinetic_energy(x.dot^2/2)
        S:potential_energy(number(L^-2*T^-2)*x^4/4)
        -- of the amplitude A = amplitude L the period is PERIOD T/amplitude: the guess is off by 1/ratio
        local orbit = S:periodic{ q = { x = amplitude*L }, v = { x = 0 }, period = PERIOD/amplitude*T/ratio }
        check.near(orbit.q.x/(amplitude*L), nearest_to(ratio), 2e-4)
      end
    end
  end)

  it("finds the same motion of two coupled oscillators in any units", function()
    for _, unit in ipairs(UNITS) do
      local L, T = table.unpack(unit)
      local S = hm.system "two"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      local u, w = x/number(L), y/number(L)
      S:potential_energy(number((L/T)^2)*((u^2 + number(1.68)*w^2)/2 + number(0.327)*u^3 + number(0.858)*u^2*w + number(0.9)*u*w^2 + u^4 + w^4))
      local orbit = S:periodic{ q = { x = 0.03*L, y = 0 }, v = { x = 0, y = 0 }, period = 2*math.pi*T }
      check.near(orbit.q.x/(0.03*L), 1, 0.05)
      check.near(orbit.period/T, 2*math.pi, 0.02)
    end
  end)
end)
