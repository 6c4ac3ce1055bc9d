-- studies by derivatives where the right-hand side jumps or has a kink
local hm, check = require "hamel", require "check"

local function system(potential, force) return check.oscillator(hm, potential, force) end

local function spring(x) return x^2/2 end
local zero = { q = { x = 0 }, v = { x = 0 } }

local function study(name, S, q, v, t)
  local o = { q = { x = q }, v = { x = v } }
  o[name == "periodic" and "period" or "t"] = t
  return S[name](S, o)
end

describe("where the right-hand side jumps along a motion", function()
  local jumping = {
    valley = system(function(x) return hm.abs(x) end),
    rubbing = system(spring, function(_, v) return -hm.sign(v)/100 end),
    stop = system(spring, function(x, v) return -(1 + hm.sign(x))/2*(v + 1) end),
    driven = system(spring, function(x, v) return hm.sign(hm.sin(hm.t) - x) - v end),
  }

  it("variational equations are refused", function()
    for name, S in pairs(jumping) do
      for _, what in ipairs{ "variations", "lyapunov", "periodic" } do
        check.raises({ what, "jumps", "changes its sign" }, study, what, S, name == "stop" and -1 or 1, 0, 2*math.pi)
      end
    end
  end)

  it("but not where none is on the way", function()
    local V = study("variations", jumping.valley, 1, 0, 1.4):matrix(1.4)     -- x falls from 1 to 1 - t^2/2
    check.near(V[1][1], 1, 1e-9)
    check.near(V[1][2], 1.4, 1e-9)
  end)

  it("and a kink is no jump: what differences of runs tend to", function()
    local drag = system(spring, function(_, v) return -v*hm.abs(v)/3 end)
    local spring_with_kink = system(function(x) return x^2/2 + x^4/4 + hm.max(x, 0)^2 end)
    for _, S in ipairs{ drag, spring_with_kink } do
      local M, h = study("variations", S, 1, 0, 9):matrix(9), 1e-5
      local function at(q) return S:simulate{ q = { x = q }, v = { x = 0 }, t = 9, rtol = 1e-12, atol = 1e-12 }:at(9).x end
      check.near(M[1][1], (at(1 + h) - at(1 - h))/(2*h), 1e-5)
    end
    study("lyapunov", drag, 1, 0, 20)
    local orbit = study("periodic", spring_with_kink, 1, 0, 4)
    local run = spring_with_kink:simulate{ q = orbit.q, v = orbit.v, t = orbit.period, rtol = 1e-12, atol = 1e-12 }
    check.near(run:at(orbit.period).x, orbit.q.x, 1e-8)
    assert.equal(1, orbit.repeats)
  end)
end)

describe("a coordinate in a sign", function()
  it("is not left out as one on which nothing depends", function()
    local S = hm.system "valley"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(hm.abs(x))
    local L = S:linearize{ q = { x = 1, y = 0 }, v = { x = 0, y = 0 }, form = "lagrange", tolerance = 2 }
    assert.same({ "y" }, L.ignorable)
  end)
end)

describe("a first approximation at a corner", function()
  it("is refused where there is none", function()
    for _, S in ipairs{
      system(function(x) return hm.abs(x) end),
      system(spring, function(x) return -hm.abs(x)/2 end),
      system(spring, function(x, v) return -v*hm.max(0, x + 1) - hm.min(x, 3*x) end),
      system(spring, function(_, v) return -hm.sign(v)/10 end),
    } do
      check.raises({ "linearize", "not smooth" }, S.linearize, S, zero)
    end
  end)

  it("exists where the corner is smooth, or elsewhere", function()
    local S = system(spring, function(x, v) return -v*hm.abs(v) - v - x*hm.max(x, -5) end)
    assert.equal("asymptotically stable", S:linearize(zero).verdict)
  end)
end)

-- atan2(y, x) jumps by 2 pi where y changes its sign and x is negative. Arbiter: differences of runs
describe("variational equations with an arc of two arguments", function()
  local function oscillator(force)
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, force(x))
    return S
  end

  it("are refused where it jumps", function()
    local S = oscillator(function(x) return 0.1*hm.atan2(x.dot, x) end)
    local o = { q = { x = 1 }, v = { x = 0 }, t = 5 }
    check.raises({ "jumps at t = 3.33085", "x' changes its sign" }, S.variations, S, o)
    o.t = 3
    assert.truthy(S:variations(o))
  end)

  it("hold where the jump has no effect, or x is positive", function()
    for _, force in ipairs{ function(x) return 0.1*hm.sin(hm.atan2(x.dot, x)) end, function(x) return 0.1*hm.atan2(x, x.dot + 5) end,
                            function(x) return 0.1*hm.atan2(x.dot, x)^2 end } do
      local S = oscillator(force)
      local function stop(x) return S:simulate{ q = { x = x }, v = { x = 0 }, t = 5, rtol = 1e-12, atol = 1e-12, progress = false }:at(5).x end
      assert.near((stop(1 + 1e-5) - stop(1 - 1e-5))/2e-5, S:variations{ q = { x = 1 }, v = { x = 0 }, t = 5 }:matrix(5)[1][1], 1e-6)
    end
  end)
end)
