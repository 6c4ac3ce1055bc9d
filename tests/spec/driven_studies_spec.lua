-- studies of motions whose equations depend on time: periods they do not have, verdicts that do not follow
local hm, check = require "hamel", require "check"
local cos, sin = hm.cos, hm.sin

local function system(potential, force) return check.oscillator(hm, potential, force) end

local function spring(x) return x^2/2 end

describe("a periodic motion of driven equations", function()
  local start = { q = { x = 0.1 }, v = { x = 0 } }
  local function periodic(S, period, more)
    local o = { q = start.q, v = start.v, period = period }
    for key, value in pairs(more or {}) do o[key] = value end
    return S:periodic(o)
  end

  it("has a period of the equations", function()
    local drives = {
      [math.pi] = function(_, v) return -v/10 + cos(2*hm.t)/2 end,
      [2*math.pi] = function(x, v) return -v/10 + cos(hm.t)*x/10 + sin(2*hm.t)/3 end,
      [2] = function(_, v) return -v/10 + cos(hm.pi*hm.t)/1000 end,
    }
    for period, force in pairs(drives) do
      local S = system(spring, force)
      check.near(periodic(S, period).period, period, 0)
      periodic(S, 3*period)
      for _, wrong in ipairs{ 1, 3, 5, period*1.0001 } do
        check.raises({ "do not repeat", "period" }, periodic, S, wrong)
        check.raises({ "do not repeat" }, periodic, S, wrong, { fixed_period = true, t = 0.7 })
      end
    end
  end)

  it("has its period as an expression in parameters, by which its branch follows the frequency", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    local w, c = S:parameters "w=2 c=1/10"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force("x", cos(w*hm.t) - c*x.dot)
    -- the amplitude of the only periodic motion
    local function amplitude(at) return 1/math.sqrt((1 - at^2)^2 + (at/10)^2) end
    local orbit = S:periodic{ q = start.q, v = start.v, period = 2*hm.pi/w, parameters = { w = 1.5 } }
    check.near(orbit.period, 2*math.pi/1.5, 1e-15)
    assert.equals("2*pi/w", orbit.drive)
    local B = S:continue{ periodic = orbit, along = "w", from = 1.2, to = 3, keep = { top = hm.highest(x) } }
    for _, point in ipairs(B.points) do
      check.near(point.period, 2*math.pi/point.parameters.w, 1e-14)
      check.near(point.top, amplitude(point.parameters.w), 1e-8)
    end
    check.near(B.points[1].parameters.w, 1.2, 0)
    check.near(B.points[#B.points].parameters.w, 3, 0)
    check.raises({ "period = 2*pi/x depends on x" }, S.periodic, S, { q = start.q, v = start.v, period = 2*hm.pi/x })
    check.raises({ "period = -2*pi/w is", "w = 2", "above 0" }, S.periodic, S, { q = start.q, v = start.v, period = -2*hm.pi/w })
  end)

  it("takes an expression as a mere guess where the period is free", function()
    local S = hm.system "pendulum"
    local theta = S:coordinates "theta"
    local g = S:parameters "g=4"
    S:kinetic_energy(theta.dot^2/2)
    S:potential_energy(-g*cos(theta))
    local orbit = S:periodic{ q = { theta = 0.5 }, v = { theta = 0 }, period = 2*hm.pi/hm.sqrt(g), fixed_period = false }
    assert.is_true(orbit.period > math.pi and orbit.period < 1.05*math.pi)
    assert.is_nil(rawget(orbit, "drive"))
  end)

  it("exists for no ramp, and not where a moving constraint does not return", function()
    local ramp = system(spring, function(_, v) return hm.t - v end)
    check.raises({ "do not repeat" }, periodic, ramp, 3)
    local S = hm.system "cart"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(x^2/2)
    S:force(x, -x.dot/3)
    S:constraint("drive", y - sin(hm.t)/2 - x/3)
    local o = { q = { x = 0.1 }, v = { x = 0 }, period = 3 }
    check.raises({ "do not repeat" }, S.periodic, S, o)
    o.period = 2*math.pi
    assert.equal(o.period, S:periodic(o).period)
  end)
end)

describe("a first approximation of driven equations", function()
  local rest = { q = { x = 0 }, v = { x = 0 } }

  it("has no verdict on stability", function()
    for _, force in ipairs{
      function(_, v) return -v*(3*cos(hm.t)/10 - hm.rational(1, 10)) end,       -- grows: the mean of the damping is negative
      function(_, v) return hm.t - v end,                                       -- no rest after t = 0
      function(x, v) return -v - x*sin(hm.t) end,
    } do
      local L = system(spring, force):linearize(rest)
      assert.truthy(L.verdict:find "^no verdict", L.verdict)
      assert.truthy(tostring(L):find("frozen at t = 0", 1, true))
    end
    -- time that cancels is none
    local still = system(spring, function(_, v) return -v*(sin(hm.t)^2 + cos(hm.t)^2) - v end)
    assert.equal("asymptotically stable", still:linearize(rest).verdict)
  end)

  it("is refused where a constraint turns", function()
    local S = hm.system "turning"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy((x^2 + y^2)/2)
    S:constraint("arm", y - sin(hm.t)*x)
    check.raises({ "'arm'", "turns with time" }, S.linearize, S, { q = { x = 0, y = 0 }, v = { x = 0, y = 0 } })
  end)
end)
