-- Families of periodic motions that close up to a symmetry, and those that end at relative equilibria.
local hm = require "hamel"
local check = require "check"
local near = check.near

describe("a symmetry up to which motions close", function()
  it("is one of the equations: a shift along a washboard is refused", function()
    local S = hm.system "washboard"
    local x, z = S:coordinates "x z"
    local k, c = S:parameters "k=1 c=1"
    S:kinetic_energy((x.dot^2 + z.dot^2/100)/2)
    S:potential_energy(k*x^2/2)
    S:force(x, (1 - x^2)*x.dot)
    S:force(z, -z.dot/10 + c*hm.cos(z)/50 + hm.rational(1, 10))
    local o = { periodic = { q = { x = 2, z = 0.3 }, v = { x = 0, z = 1 }, period = 6.66 }, symmetry = { { z = 1 } }, along = "k", from = 0.9, to = 1.1 }
    check.raises("symmetry[1] = { z = 1 } is no symmetry of the equations: along it z''", S.continue, S, o)
    -- it holds at c = 0 alone
    o.parameters, o.along, o.from, o.to = { c = 0 }, "c", 0, 0.5
    check.raises("is no symmetry of the equations where c has another value", S.continue, S, o)
    -- without the waves it is one: a run repeats itself but for z
    o.along, o.from, o.to = "k", 0.9, 1.1
    for _, p in ipairs(S:continue(o).points) do
      local run = S:simulate{ q = p.q, v = p.v, t = 3*p.period, parameters = p.parameters, rtol = 1e-11, atol = 1e-11 }
      local last = run:at(3*p.period)
      near(last.x, p.q.x, 1e-7)
      near(last.v.z, p.v.z, 1e-7)
      near(last.z - p.q.z, 3*p.drift[1], 1e-7)
    end
  end)

  it("needs no closed guess: motions under a central force keep the momentum along the turn", function()
    local S = hm.system "central"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy((x^2 + y^2)/2 + (x^2 + y^2)^2/4)
    local L = x*y.dot - y*x.dot
    local g = { q = { x = 0.5, y = 0 }, v = { x = 0, y = 0.35 }, period = 2.7930380697 }
    local ways = { {}, { integrals = { L = L } }, { integrals = { L = L }, fixed = { L = 0.175 } }, { fixed = { I1 = -0.175 } }, { fixed = { p_1 = 0.175 } } }
    for _, o in ipairs(ways) do
      o.periodic, o.symmetry, o.along, o.from, o.to = g, { { x = -y, y = x } }, "energy", 0.185, 0.5
      local B = S:continue(o)
      assert(#B.points > 3)
      for _, p in ipairs(B.points) do
        near(p.q.x*p.v.y - p.q.y*p.v.x, 0.175, 1e-9)
        -- a run arbitrates
        local last = S:simulate{ q = p.q, v = p.v, t = p.period, rtol = 1e-11, atol = 1e-12 }:at(p.period)
        local s, c = math.sin(p.drift[1]), math.cos(p.drift[1])
        near(last.q.x, c*p.q.x - s*p.q.y, 1e-7)
        near(last.v.y, s*p.v.x + c*p.v.y, 1e-7)
      end
    end
  end)
end)

describe("a family along the energy", function()
  it("ends at the conical motion of a spherical pendulum", function()
    local S = hm.system "spherical pendulum"
    local theta, phi = S:coordinates "theta phi"
    S:kinetic_energy((theta.dot^2 + phi.dot^2*hm.sin(theta)^2)/2)
    S:potential_energy(-hm.cos(theta))
    local guess = { q = { theta = 1, phi = 0 }, v = { theta = 0, phi = 1 }, period = 3.3765690392749 }
    local B = S:continue{ periodic = guess, along = "energy", from = -0.99, to = 0 }
    -- sin(a)^4 = h^2 cos(a) with h = sin(1)^2; E = h^2/(2 sin(a)^2) - cos(a), by mpmath
    assert.equal("rest", B.special[1].kind)
    near(B.special[1].value, -0.215958891343684, 1e-9)
  end)

  -- in x and y, where the circular motion is no state of rest. V = r^2/2 + r^4/4 with the momentum p^2 = 2, V = -1/r with p = 1: circular for r = 1, with the
  -- energy p^2/2 + V(1); motions beside it have the period 2 pi/sqrt(3 p^2 + V''(1))
  it("ends at the circular motion under a central force", function()
    for _, case in ipairs{ { function(r) return r^2/2 + r^4/4 end, 2, 1.75, 10 }, { function(r) return -1/r end, 1, -0.5, 1 } } do
      local S = hm.system "central"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:potential_energy(case[1](hm.sqrt(x^2 + y^2)))
      local guess = { q = { x = 0.9, y = 0 }, v = { x = 0, y = math.sqrt(case[2])/0.9 }, period = 2*math.pi/math.sqrt(case[4]) }
      local B = S:continue{ periodic = guess, along = "energy", symmetry = { { x = -y, y = x } }, to = case[3] + 0.2, both = true, largest = 0.05 }
      assert.equal(1, #B.special, tostring(B))
      assert.equal("rest", B.special[1].kind)
      near(B.special[1].value, case[3], 1e-9)
      near(B.special[1].point.period, 2*math.pi/math.sqrt(case[4]), 1e-4)
      assert(tostring(B):find("shrink to one along the symmetry", 1, true), tostring(B))
    end
  end)

  -- with the momentum p = 1.2 at the energy -1/(2 p^2), where it moves with the speed 1/p
  it("ends at a circular motion of Kepler that is slow", function()
    local S = hm.system "Kepler"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-1/hm.sqrt(x^2 + y^2))
    local guess = { q = { x = 1, y = 0 }, v = { x = 0, y = 1.2 }, period = 15 }
    local B = S:continue{ periodic = guess, along = "energy", from = -0.6, to = -0.25, symmetry = { { x = -y, y = x } } }
    near(B.special[1].value, -1/2.88, 1e-8)
    assert(tostring(B):find("shrink to one along the symmetry", 1, true), tostring(B))
  end)

  -- half an ellipse of Kepler, from the nearest to the farthest point, keeps energy and momentum and does not close
  it("closes in the distance from the centre, too", function()
    local S = hm.system "Kepler"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-1/hm.sqrt(x^2 + y^2))
    local o = { periodic = { q = { x = 0.9, y = 0 }, v = { x = 0, y = 1/0.9 }, period = 4 }, along = "energy", symmetry = { { x = -y, y = x } }, to = -0.3 }
    check.raises({ "does not close", "a better period" }, S.continue, S, o)
    o.periodic.period = 6.2
    for _, p in ipairs(S:continue(o).points) do near(p.period, 2*math.pi*(-2*p.energy)^-1.5, 1e-6*p.period) end
  end)

  it("does not start from a circular motion, which closes up to the symmetry after any time", function()
    local S = hm.system "central"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-(x^2 + y^2)^(-3/4))
    local w = math.sqrt(1.5)
    local function branch(period)
      return S:continue{ periodic = { q = { x = 0.9, y = 0 }, v = { x = 0, y = w/0.9 }, period = period }, along = "energy", symmetry = { { x = -y, y = x } },
        to = -0.2 }
    end
    check.raises({ "closes up to it after any time", "a better period" }, branch, 4)
    -- the radial period is 2 pi/sqrt(3/4)
    assert.is_true(#branch(7.25).points > 10)
  end)

  it("starts where the period of a linear oscillator is slightly off", function()
    local S = hm.system "linear"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    local B = S:continue{ periodic = { q = { x = 0.5 }, v = { x = 0 }, period = 6.28 }, along = "energy", from = 0.1, to = 1 }
    for _, p in ipairs(B.points) do
      near(p.period, 2*math.pi, 1e-9)
      near((p.q.x^2 + p.v.x^2)/2, p.energy, 1e-9)
    end
  end)
end)
