-- Branches of periodic motions do not depend on the units of time, length and mass. Arbiters: the period of a pendulum by the arithmetic-geometric mean, the
-- bouncing ball's fold at A = pi/3 (the smallest drive that gives back what an impact loses), the touch of a driven oscillator at the amplitude of its linear
-- response, and the same system in the units 1.
local branches, check = require "branches", require "check"
local hm = require "hamel"
local first, near = branches.first, check.near

local function number(value) return hm.number(("%.17g"):format(value)) end

local function parameter(S, name, value) return S:parameters(("%s=%.17g"):format(name, value)) end

-- Units of the time, of lengths and of masses
local UNITS = { { 1e-4, 1, 1 }, { 1e4, 1, 1 }, { 1e-2, 1, 1 }, { 1, 1e-4, 1 }, { 1, 1e4, 1e3 }, { 1e3, 1e-2, 1e-4 } }

local function in_units(f)
  for _, u in ipairs(UNITS) do f(table.unpack(u)) end
end

-- 4 K(k) with k = sin(angle/2), the period of a pendulum with g/l = 1
local function pendulum_period(angle)
  local a, b = 1.0, math.cos(angle/2)
  for _ = 1, 30 do a, b = (a + b)/2, math.sqrt(a*b) end
  return 2*math.pi/a
end

describe("in any units of time, length and mass", function()
  it("the swings of a pendulum have their period at each energy", function()
    in_units(function(ts, L, m)
      local S, unit = hm.system "pendulum", m*L^2/ts^2
      local x = S:coordinates "x"
      S:kinetic_energy(number(m*L^2)*x.dot^2/2)
      S:potential_energy(-number(unit)*hm.cos(x))
      local B = S:continue{ periodic = { q = { x = 0.5 }, v = { x = 0 }, period = 6.4*ts }, along = "energy", to = 0.9*unit }
      near(B.points[#B.points].value/unit, 0.9, 1e-9)
      for _, point in ipairs(B.points) do near(point.period/ts, pendulum_period(math.acos(-point.value/unit)), 1e-7) end
    end)
  end)

  it("van der Pol's cycle is followed between the same ends", function()
    local function cycle(ts, L, m)
      local S = hm.system "van der Pol"
      local x, g = S:coordinates "x", parameter(S, "g", m/ts)
      S:kinetic_energy(number(m)*x.dot^2/2)
      S:potential_energy(number(m/ts^2)*x^2/2)
      S:force(x, g*(1 - x^2/number(L^2))*x.dot)
      local B = S:continue{ periodic = { q = { x = 2.0086*L }, v = { x = 0 }, period = 6.66*ts }, along = "g", from = 0.5*m/ts, to = 2*m/ts }
      assert.equal(0, #B.special)
      near(B.points[1].value*ts/m, 0.5, 1e-9)
      near(B.points[#B.points].value*ts/m, 2, 1e-9)
      return B.points[#B.points].period/ts
    end
    local period = cycle(1, 1, 1)
    in_units(function(...) near(cycle(...), period, 1e-8) end)
  end)

  it("a driven oscillator has its folds", function()
    local function folds(ts, L, m)
      local S = hm.system "Duffing"
      local x, w = S:coordinates "x", parameter(S, "w", 0.5/ts)
      local k = number(m/ts^2)
      S:kinetic_energy(number(m)*x.dot^2/2)
      S:potential_energy(k*(x^2/2 + x^4/number(4*L^2)))
      S:force(x, k*number(L)*hm.cos(w*hm.t) - number(m/ts/5)*x.dot)
      local B = S:continue{ periodic = { q = { x = L }, v = { x = 0 }, period = 2*hm.pi/w }, along = "w", from = 0.5/ts, to = 3/ts }
      assert.equal(2, #B.special, tostring(B))
      assert(B.special[1].kind == "fold" and B.special[2].kind == "fold", tostring(B))
      return B.special[1].value*ts, B.special[2].value*ts
    end
    local one, other = folds(1, 1, 1)
    in_units(function(...)
      local a, b = folds(...)
      near(a, one, 1e-8)
      near(b, other, 1e-8)
    end)
  end)

  it("a ball bounces on a table beyond its fold", function()
    in_units(function(ts, L, m)
      local S = hm.system "ball"
      local h, A = S:coordinates "h", parameter(S, "A", 1.3*L)
      S:kinetic_energy(number(m)*h.dot^2/2)
      S:force(h, -number(m*L/ts^2))
      S:unilateral("table", h - A*hm.sin(hm.t/number(ts)), { law = hm.newton(hm.rational(1, 2)) })
      local phase = math.acos(math.pi/3/1.3)
      local guess = { q = { h = 1.3*L*math.sin(phase) }, v = { h = math.pi*L/ts }, t = phase*ts, period = 2*math.pi*ts }
      local B = S:continue{ periodic = guess, along = "A", from = L, to = 2*L }
      assert.equal(2, #B.special, tostring(B))
      near(first(B, "fold").value/L, math.pi/3, 1e-8)
      near(first(B, "flip").value/L, 1.5268237005, 1e-8)
    end)
  end)

  it("an oscillator touches a wall, and the motions with an impact branch off", function()
    in_units(function(ts, L, m)
      local S = hm.system "wall"
      local s, w = S:coordinates "s", parameter(S, "w", 2/ts)
      S:kinetic_energy(number(m)*s.dot^2/2)
      S:potential_energy(number(m/ts^2)*s^2/2)
      S:force(s, number(m*L/ts^2)*hm.cos(w*hm.t) - number(m/ts/5)*s.dot)
      S:unilateral("wall", number(L) - s, { law = hm.newton(hm.rational(4, 5)) })
      local B = S:continue{ periodic = { q = { s = 0 }, v = { s = 0 }, period = 2*hm.pi/w }, along = "w", from = 1.3/ts, to = 3/ts }
      -- (1 - w^2)^2 + w^2/25 = 1
      near(first(B, "touch").value*ts, 1.4, 1e-8)
      local C = B:switch(first(B, "touch"), { from = 1.3/ts, to = 2/ts })
      near(first(C, "fold").value*ts, 1.6609918977, 1e-8)
    end)
  end)

  -- it sticks from x = 0.1 to 0.5 units of length, and slips back on a circle: the period is 0.4/v + 2 pi - 2 atan(0.2/v)
  it("a block sticks on a belt and slips, where small lengths meet long times", function()
    local T, L, m = 1.4e6, 1.1e-7, 2e-7
    local S = hm.system "belt"
    local x, v = S:coordinates "x", parameter(S, "v", 0.2*L/T)
    S:kinetic_energy(number(m)*x.dot^2/2)
    S:potential_energy(number(m/T^2)*x^2/2)
    S:friction("belt", { slip = x.dot - v, normal = number(m*L/T^2), coefficient = 3/10, static = 1/2 })
    local guess = { q = { x = 0 }, v = { x = 0.2*L/T }, period = (1.5*math.pi + 2)*T }
    for _, point in ipairs(S:continue{ periodic = guess, along = "v", from = 0.15*L/T, to = 0.3*L/T }.points) do
      local speed = point.parameters.v*T/L
      near(point.period/T, 0.4/speed + 2*math.pi - 2*math.atan(0.2, speed), 1e-9)
    end
  end)

  it("steps may be shorter than the shortest one that would be taken if none were given", function()
    local S = hm.system "slow"
    local x, w = S:coordinates "x", parameter(S, "w", 0.5e-4)
    S:kinetic_energy(x.dot^2/2)
    S:force(x, number(1e-8)*(hm.cos(w*hm.t) - x) - number(1e-4)*x.dot)
    local guess = { q = { x = 1 }, v = { x = 0 }, period = 2*hm.pi/w }
    local B = S:continue{ periodic = guess, along = "w", from = 0.5e-4, to = 0.50001e-4, largest = 1e-10 }
    near(B.points[#B.points].value, 0.50001e-4, 1e-18)
    check.raises({ "least = 1e-09 is the shortest step" }, S.continue, S,
      { periodic = guess, along = "w", from = 0.5e-4, to = 0.50001e-4, largest = 1e-10, least = 1e-9 })
  end)
end)
