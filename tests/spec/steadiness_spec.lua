-- whether a state is steady does not depend on the units
local hm, check = require "hamel", require "check"

-- two atoms about their equilibrium distance u, in units of time that are 1/s of the natural one
local function pair(u, s)
  local S = hm.system "pair"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2*s^2/u^2)
  S:potential_energy((u/x)^12 - 2*(u/x)^6)
  return S
end

local function pendulum(u, s)
  local S = hm.system "pendulum"
  local phi = S:coordinates "phi"
  S:kinetic_energy(u^2*s^2*phi.dot^2/2)
  S:potential_energy(-u^2*hm.cos(phi))
  return S
end

describe("S:linearize in units of any size", function()
  local sizes, times = { 1e-12, 1e-6, 1, 1e8 }, { 1e-15, 1e-3, 1, 1e12 }

  it("takes what is steady but for rounding", function()
    for _, u in ipairs(sizes) do
      for _, s in ipairs(times) do
        local L = pair(u, s):linearize{ q = { x = u*(1 + 1e-13) }, v = { x = 0 } }
        assert.near(math.sqrt(72), L.eigenvalues[1].im*s, 1e-9)
        assert.equal("unstable", pendulum(u, s):linearize{ q = { phi = math.pi }, v = { phi = 0 } }.verdict)
        assert.near(1, pendulum(u, s):linearize{ q = { phi = 1e-13 }, v = { phi = 0 } }.eigenvalues[1].im*s, 1e-9)
      end
    end
  end)

  it("and refuses what moves", function()
    for _, u in ipairs(sizes) do
      for _, s in ipairs(times) do
        local S, P = pair(u, s), pendulum(u, s)
        check.raises({ "not steady", "rate of x'" }, S.linearize, S, { q = { x = 1.001*u }, v = { x = 0 } })
        check.raises({ "not steady", "rate of phi'" }, P.linearize, P, { q = { phi = 1e-3 }, v = { phi = 0 } })
        check.raises({ "not steady", "rate of phi" }, P.linearize, P, { q = { phi = 0 }, v = { phi = 1e-3/s } })
      end
    end
  end)

  it("takes rates up to a tolerance that is given", function()
    local P = pendulum(1, 1)
    local o = { q = { phi = 1e-3 }, v = { phi = 0 }, tolerance = 1e-2 }
    assert.near(1, P:linearize(o).eigenvalues[1].im, 1e-5)
    o.tolerance = 1e-4
    check.raises({ "not steady" }, P.linearize, P, o)
  end)
end)

describe("forces that balance by rounding only", function()
  it("are steady, with constraints too", function()
    local S = hm.system "bead"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, 0.1 + 0.2*(1 + y^2) - 0.3*hm.cos(x))     -- 5.6e-17 at rest
    S:potential_energy(1e6*y)
    S:constraint("line", y - x^2)
    assert.equal(0, S:linearize{ q = { x = 0, y = 0 }, v = { x = 0, y = 0 } }.eigenvalues[1].re)
  end)
end)
