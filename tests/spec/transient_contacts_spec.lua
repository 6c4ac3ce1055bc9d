-- Lyapunov exponents of motions in whose transient contact or stick takes directions away that the attractor has
local hm, check = require "hamel", require "check"
local near = check.near

-- A ball on a table that moves as 2 sin t
local function ball(law)
  local S = hm.system "ball"
  local h = S:coordinates "h"
  S:kinetic_energy(h.dot^2/2)
  S:force(h, -1)
  S:unilateral("table", h - 2*hm.sin(hm.t), { law = law })
  return S
end

local function impacts_after(run, t)
  local count = 0
  for _, impact in ipairs(run.impacts) do if impact.t > t then count = count + 1 end end
  return count
end

describe("Lyapunov exponents after a contact in the transient", function()
  it("are those of the bouncing ball, at rest on the table at first or not", function()
    local S = ball(hm.newton(hm.rational(4, 5)))
    local given = { q = { h = 0 }, v = { h = 2 }, t = 1000, skip = 100 }
    local run = S:simulate{ q = given.q, v = given.v, t = 1000 }
    -- an impact multiplies areas by the square of the restitution
    local L = S:lyapunov(given)
    near(L.exponents[1] + L.exponents[2], 2*impacts_after(run, 100)*math.log(0.8)/900, 1e-9)
    assert(L.began == 100 and L.open == 0)
    -- own variational equations from the lift-off on, t = 4000: 0.112 -0.155
    near(L.exponents[1], 0.112, 0.03)
    local C = S:chart{ over = { { "h", { 0, 1 } } }, v = { h = 2 }, of = "exponents", t = 1000, skip = 100 }
    assert.truthy(tostring(C):find("chaos (+ -)       2", 1, true), tostring(C))
    -- nothing is skipped: the average begins after the lift-off at asin(1/2)
    given.skip = nil
    L = S:lyapunov(given)
    assert(L.began > math.asin(0.5) and L.began <= 2, L.began)
    near(L.exponents[1] + L.exponents[2], 2*impacts_after(run, L.began)*math.log(0.8)/(1000 - L.began), 1e-9)
    C = S:chart{ over = { { "h", { 0, 1 } } }, v = { h = 2 }, of = "exponents", t = 1000 }
    assert.truthy(tostring(C):find("chaos (+ -)       2", 1, true), tostring(C))
    assert.equal(1, #S:lyapunov{ q = { h = 0 }, v = { h = 2 }, t = 100, n = 1 }.exponents)
  end)

  it("are those of slip where a driven block sticks at first only", function()
    local S = hm.system "Den Hartog's oscillator"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, hm.cos(hm.rational(7, 10)*hm.t))
    S:friction("rub", { slip = x.dot, normal = 1, coefficient = 0.5 })
    local given = { q = { x = 0.3 }, v = { x = 0.1 }, t = 900, rtol = 1e-11, atol = 1e-12 }
    local run = S:simulate(given)
    -- where the slip turns areas change as the acceleration does
    local sum, sticks = 0, 0
    for _, switch in ipairs(run.switches) do
      if switch.to == "stick" then sticks = switch.t end
      if switch.t > 100 then
        local force = math.cos(0.7*switch.t) - run:at(switch.t).q.x
        sum = sum + math.log(math.abs((force - 0.5*switch.directions.to[1])/(force + 0.5*switch.directions.to[1])))
      end
    end
    assert(sticks > 1 and sticks < 3)
    given.skip = 100
    local L = S:lyapunov(given)
    near(L.exponents[1] + L.exponents[2], sum/800, 1e-6)
    -- a complex pair of multipliers
    near(L.exponents[1], L.exponents[2], 2e-3)
  end)

  it("are minus infinity where contact or stick takes a direction away again and again", function()
    local S = ball(hm.newton(0))
    local L = S:lyapunov{ q = { h = 1 }, v = { h = 2 }, t = 400, skip = 100 }
    assert(L.exponents[1] == -math.huge and L.exponents[2] == -math.huge and L.open == 0)
    local C = S:chart{ over = { { "h", { 0, 1 } } }, v = { h = 2 }, of = "exponents", t = 400, skip = 100 }
    assert.truthy(tostring(C):find("driven cycle (- -)       2", 1, true), tostring(C))
    local B = hm.system "block on a belt"
    local r = B:coordinates "r"
    B:kinetic_energy(r.dot^2/2)
    B:potential_energy(r^2/2)
    B:friction("belt", { slip = r.dot - 0.2, normal = 1, coefficient = 0.3, static = 0.5 })
    L = B:lyapunov{ q = { r = 0 }, v = { r = 0.2 }, t = 600, skip = 20 }
    near(L.exponents[1], 0, 2e-3)
    assert(L.exponents[2] == -math.huge and L.open == 0)
  end)

  it("have not settled where a direction is taken away in the second half only", function()
    local S = hm.system "block"
    local x = S:coordinates "x"
    local mu = S:parameters "mu=1/10"
    S:kinetic_energy(x.dot^2/2)
    S:friction("rub", { slip = x.dot, normal = 1, coefficient = mu })
    S:force(x, hm.cos(hm.t)/1000)
    local L = S:lyapunov{ q = { x = 0 }, v = { x = 0.7 }, t = 10 }
    assert(L.exponents[#L.exponents] == -math.huge and L.open == 1)
    assert.truthy(tostring(L):find("-inf has not settled", 1, true), tostring(L))
    -- as long again at rest
    L = S:lyapunov{ q = { x = 0 }, v = { x = 0.7 }, t = 20 }
    assert(L.exponents[#L.exponents] == -math.huge and L.open == 0)
  end)
end)
