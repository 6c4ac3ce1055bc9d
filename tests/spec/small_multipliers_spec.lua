-- multipliers of motions that are very stable, and branches towards a homoclinic orbit
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near

describe("small multipliers", function()
  -- the exponential of the integral of the divergence m - x^2 over a period, by scipy's DOP853 with rtol = 3e-14
  local known = { { 2.5, 3.197621134427073, 8.224713656758416, 6.08849215597e-12 }, { 4.0, 4.04592500193762, 10.20352369099364, 1.27547405278e-25 } }

  it("are right far below the errors of a run", function()
    for _, row in ipairs(known) do
      local m, top, period, small = table.unpack(row)
      local B = mechanics.growing_cycle():continue{ periodic = { q = { x = top }, v = { x = 0 }, period = period, parameters = { m = m } },
        along = "m", both = false, points = 1 }
      local point = B.points[1]
      near(point.parameters.m, m, 1e-12)
      near(point.period, period, 1e-9)
      assert.equal(1, #point.multipliers)
      near(point.multipliers[1].re/small, 1, 1e-6)
    end
  end)

  it("stand behind the large ones", function()
    local S = hm.system "driven"
    local x, y = S:coordinates "x y"
    local a = S:parameters "a=1"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy((x^2 - a*y^2)/2)
    S:force(x, -8*x.dot + hm.cos(2*hm.t))
    local B = S:continue{ periodic = { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, period = hm.pi }, along = "a", from = 0.5, to = 2 }
    for _, point in ipairs(B.points) do
      local exponents = { math.sqrt(point.parameters.a), math.sqrt(15) - 4, -math.sqrt(point.parameters.a), -math.sqrt(15) - 4 }
      table.sort(exponents, function(one, other) return one > other end)
      assert.equal(4, #point.multipliers)
      for k, e in ipairs(exponents) do near(point.multipliers[k].re/math.exp(e*math.pi), 1, 1e-6) end
    end
  end)
end)

describe("a branch towards a homoclinic orbit", function()
  it("ends where the parameter stands still", function()
    local S = hm.system "homoclinic"
    local x = S:coordinates "x"
    local b = S:parameters "b=-1"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, b - x + x^2 + x*x.dot)
    local B = S:continue{ equilibrium = { q = { x = -0.6 } }, along = "b", from = -2, to = 2 }
    local P = B:switch(B.special[1], { from = -2, to = 2, points = 400 })
    local last = P.points[#P.points]
    assert(#P.points < 150 and last.period > 30)
    assert(tostring(P):find("ended: the period grows without bound, as near a homoclinic orbit, at b = -0.213602198", 1, true))
  end)
end)

describe("one period in one run", function()
  it("prints no digits of multipliers that it does not determine", function()
    local S = mechanics.growing_cycle()
    local orbit = S:periodic{ q = { x = 3.98096 }, v = { x = 0 }, period = 10.027, parameters = { m = 3.8720607017783 } }
    -- exp of the mean of m - x^2 is 3e-24
    assert(orbit.uncertainty > 1e-24 and math.abs(orbit.multipliers[2].re) <= orbit.uncertainty)
    assert.matches("\n  not determined: %d[%d.]*e%-%d+ or less", tostring(orbit))
    orbit = S:periodic{ q = { x = 2 }, v = { x = 0 }, period = 6.66 }
    assert.matches("\n  0.0008596950", tostring(orbit))
  end)
end)
