-- How many times a periodic motion repeats itself within the period that is given, with equations that depend on time and without
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

local function system(force)
  local S, x = mechanics.body("periodic", "x")
  S:force(x, force(x, x.dot, hm.t))
  return S
end

local function repeats(S, o)
  local orbit = S:periodic(o)
  return orbit.repeats, orbit
end

local duffing = function(x, v, t) return 0.3*hm.cos(t) - 2*x - x^3 - v end

describe("a periodic motion", function()
  it("of driven equations repeats itself as often as the period holds that of the drive", function()
    for _, k in ipairs{ 1, 2, 3, 7, 13, 24 } do
      local n, orbit = repeats(system(duffing), { q = {x = 0.5}, v = {x = 0}, period = 2*math.pi*k })
      assert.are.equal(k, n)
      assert.are.equal(k > 1, tostring(orbit):find(("%d times the shortest period"):format(k), 1, true) ~= nil)
    end
  end)

  it("of twice the period of the drive does not repeat itself", function()
    -- x = cos(t/2) satisfies x'' = -x/4 + (x^2 + 4 v^2 - 1) f for any f
    local S = system(function(x, v, t) return -x/4 + (x^2 + 4*v^2 - 1)*(0.2 - 0.5*v + 0.1*v*hm.cos(t)) end)
    local n, orbit = repeats(S, { q = {x = 1.001}, v = {x = 0.001}, period = 4*math.pi })
    assert.are.equal(1, n)
    check.near(orbit.q.x^2 + 4*orbit.v.x^2, 1, 1e-8)
    assert.are.equal(3, (repeats(S, { q = {x = 1.001}, v = {x = 0.001}, period = 12*math.pi })))
  end)

  it("may repeat itself more often than its equations", function()
    local S = system(function(x, v, t) return -x + (x^2 + v^2 - 1)*(0.1*hm.cos(t/3) - 0.5*v) end)
    local n, orbit = repeats(S, { q = {x = 1.001}, v = {x = 0}, period = 6*math.pi })
    check.near(orbit.q.x^2 + orbit.v.x^2, 1, 1e-8)
    assert.are.equal(3, n)
  end)

  it("that only meets its start again on the way does not repeat itself", function()
    -- x and x' vanish at t = 0 and at t = pi
    local function x_of(t) return hm.sin(t)^2*(1 + hm.cos(t)/2) end
    local S, x = mechanics.body("forced", "x")
    S:force(x, hm.diff(hm.diff(x_of(hm.t), hm.t), hm.t) - (x - x_of(hm.t)) - (x.dot - hm.diff(x_of(hm.t), hm.t)))
    local n, orbit = repeats(S, { q = {x = 0.1}, v = {x = 0}, period = 2*math.pi })
    check.near(orbit.q.x, 0, 1e-8)
    assert.are.equal(1, n)
    assert.are.equal(2, (repeats(S, { q = {x = 0.1}, v = {x = 0}, period = 4*math.pi })))
  end)
end)
