-- what S:periodic is told and says: gains of coordinates on which nothing depends, the form, the stability
local hm, check = require "hamel", require "check"
local sin, cos = hm.sin, hm.cos

-- A skate on a slope: its motions turn on and drift across the slope
local function skate()
  local S = hm.system "skate"
  local x, y, th = S:coordinates "x y th"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2 + th.dot^2/4)
  S:potential_energy(-x)
  S:constraint("blade", x.dot*sin(th) - y.dot*cos(th))
  return S
end

local function orbit_of(S, advance, form)
  return S:periodic{ q = { x = 0, y = 0, th = 0.1 }, v = { x = 0.1, th = 1.1 }, period = 5.5, advance = advance, form = form }
end

describe("a periodic motion of a skate", function()
  it("is found though it leaves the states of one choice of dependent velocities", function()
    local orbit = orbit_of(skate(), { th = 2*math.pi })
    assert.equal("lagrange", orbit.form)
    assert.truthy(tostring(orbit):find("lagrange", 1, true))
    check.near(orbit.period, 2*math.pi/orbit.v.th, 1e-9)                    -- it turns at a constant rate
    check.raises({ "singular", "cos(th)" }, orbit_of, skate(), { th = 2*math.pi }, "maggi")
  end)

  it("gains what `advance` says also where nothing depends on it", function()
    local S = skate()
    local orbit = orbit_of(S, { th = 2*math.pi })
    local run = S:simulate{ q = orbit.q, v = orbit.v, t = orbit.period, rtol = 1e-12, atol = 1e-12 }
    local gain = run:at(orbit.period).y - orbit.q.y
    check.near(orbit_of(S, { th = 2*math.pi, y = gain, x = 0 }).period, orbit.period, 1e-9)
    check.raises({ "nothing depends on x", "advance.x = 1" }, orbit_of, S, { th = 2*math.pi, x = 1 })
    check.raises({ "nothing depends on y", "advance.y = 0" }, orbit_of, S, { th = 2*math.pi, y = 0 })
  end)

  it("has the fields that its help names", function()
    local orbit = orbit_of(skate(), { th = 2*math.pi })
    for _, field in ipairs{ "period", "q", "v", "multipliers", "stability", "gap", "iterations", "repeats", "uncertainty", "form" } do
      assert.truthy(orbit[field] ~= nil, field)
    end
  end)
end)
