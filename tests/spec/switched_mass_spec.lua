-- a mass that is switched in time: velocities jump, momenta do not
local hm, check = require "hamel", require "check"

describe("a mass that is switched in time", function()
  local function system()
    local S = hm.system "switched"
    local x = S:coordinates "x"
    S:kinetic_energy((1 + hm.step(hm.sin(hm.t)))*x.dot^2/2)
    S:potential_energy(x^2)
    S:force(x, -x.dot/5 + hm.cos(hm.t))
    return S
  end

  it("has periodic motions with the momenta as states", function()
    local S = system()
    local P = S:periodic{ q = { x = 0.5 }, v = { x = 0 }, period = 2*hm.pi, form = "canonical" }
    -- the product of the multipliers is exp of the integral of the divergence -1/(5 m), m = 2 and 1 for half a period each (Liouville)
    local one, two = P.multipliers[1], P.multipliers[2]
    check.near(one.re*two.re - one.im*two.im, math.exp(-0.2*math.pi*1.5), 1e-8)
    -- and a plain run returns
    local run = S:simulate{ q = P.q, v = P.v, t = 2*math.pi, form = "canonical", rtol = 1e-11, atol = 1e-12 }
    check.near(run:at(2*math.pi).x, P.q.x, 1e-8)
  end)

  it("has none with the velocities as states, whose jump takes an impulse", function()
    local fine, message = pcall(function() return system():periodic{ q = { x = 0.5 }, v = { x = 0 }, period = 2*hm.pi, form = "lagrange" } end)
    assert.same(false, fine)
    assert(tostring(message):find("momenta, the energy or constraints jump", 1, true), tostring(message))
  end)
end)
