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
