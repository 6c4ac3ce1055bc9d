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

  -- An elastic pendulum has a length and an angle, which are no more alike than their units: in lengths of 1e-9 every length is small beside every angle
  it("finds the same motion of an elastic pendulum from rough guesses in any units", function()
    local draw = drawn(7)
    local function between(a, b) return a + (b - a)*draw() end
    for _ = 1, 8 do
      local stiffness, period = between(3, 15), between(2, 9)
      local r0, p0, u0, w0 = between(0.9, 1.5), between(-0.8, 0.8), between(-0.4, 0.4), between(-0.4, 0.4)
      local function found(L, T, m)
        local S = hm.system "elastic pendulum"
        local r, p = S:coordinates "r p"
        local length = r/number(L)
        S:kinetic_energy(number(m)*(r.dot^2 + r^2*p.dot^2)/2)
        S:potential_energy(number(m*(L/T)^2)*(number(stiffness)*(length - 1)^2/2 - length*hm.cos(p)))
        local orbit = S:periodic{ q = { r = r0*L, p = p0 }, v = { r = u0*L/T, p = w0/T }, period = period*T }
        return { orbit.q.r/L, orbit.q.p, orbit.v.r*T/L, orbit.v.p*T, orbit.period/T }
      end
      local wanted = found(1, 1, 1)
      for _, unit in ipairs{ { 1e-6, 1, 1 }, { 1, 1e6, 1 }, { 1e4, 1e-3, 1e-3 }, { 1e-9, 1e5, 1e20 } } do
        for i, value in ipairs(found(table.unpack(unit))) do check.near(value, wanted[i], 1e-3) end
      end
    end
  end)
end)
