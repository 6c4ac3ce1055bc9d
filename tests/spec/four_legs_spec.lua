-- a table on four legs, and pads of one body: more reactions than the motion determines. It begins to slide, and comes to rest, on all together
local hm, check = require "hamel", require "check"
local near = check.near

local places = { { -0.5, -0.5 }, { -0.5, 0.5 }, { 0.5, -0.5 }, { 0.5, 0.5 } }

-- Pressed by gaps that depend on each other: 12 rows at rest on 6 freedoms
local function standing(force, speed)
  local S = hm.system "table"
  local x, y, z, pitch, roll, yaw = S:coordinates "x y z pitch roll yaw"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2 + (pitch.dot^2 + roll.dot^2 + yaw.dot^2)/3)/2)
  S:potential_energy(10*z)
  S:force(x, force)
  for n, p in ipairs(places) do
    S:unilateral("foot" .. n, z + p[1]*pitch + p[2]*roll, { law = hm.plastic() })
    S:friction("leg" .. n, { slip = { x.dot - yaw.dot*p[2], y.dot + yaw.dot*p[1] }, normal = "foot" .. n, coefficient = 0.3 })
  end
  local zero = { x = 0, y = 0, z = 0, pitch = 0, roll = 0, yaw = 0 }
  local v = { x = speed or 0, y = 0, z = 0, pitch = 0, roll = 0, yaw = 0 }
  return S:simulate{ q = zero, v = v, t = 3 }
end

-- Pressed by given forces: 8 rows at rest on 3 freedoms
local function braked(vx, vy)
  local S = hm.system "table"
  local x, y, a = S:coordinates "x y a"
  S:kinetic_energy((x.dot^2 + y.dot^2 + a.dot^2/3)/2)
  S:potential_energy(0)
  local c, s = hm.cos(a), hm.sin(a)
  for n, p in ipairs(places) do
    local rx, ry = p[1]*c - p[2]*s, p[1]*s + p[2]*c
    S:friction("leg" .. n, { slip = { x.dot - a.dot*ry, y.dot + a.dot*rx }, normal = 2.5, coefficient = 0.3 })
  end
  return S:simulate{ q = { x = 0, y = 0, a = 0 }, v = { x = vx, y = vy, a = 0 }, t = 3 }
end

describe("a table on four legs", function()
  it("rests as long as friction holds it, and slides from there on", function()
    near(standing(1):at(3).x, 0, 1e-12)
    near(standing(5):at(3).x, 9, 1e-9)
    -- pushed by 2 t: slides from t = 1.5 on with 2 t - 3
    local r = standing(2*hm.t)
    assert.equal("OK", r.status)
    near(r:at(3).x, 1.5^3/3, 1e-8)
    assert.equal(4, #r.switches)
    near(standing(0, 1):at(3).x, 1/6, 1e-9)
  end)

  it("comes to rest on all of them at once, in any direction", function()
    for _, vy in ipairs{ 0, 0.123, 0.2, 0.3, 0.7 } do
      local r = braked(1, vy)
      assert.equal("OK", r.status)
      local speed = math.sqrt(1 + vy^2)
      near(r:at(3).x, speed/6, 1e-7)
      near(r:at(3).y, vy*speed/6, 1e-7)
    end
  end)
end)

describe("frictions that hold the same slip", function()
  -- unit mass, force t - 4 along x; rooms 0.5*2 and 0.3*5: it gives way where |t - 4| > 2.5, at 6.5, whatever share of the load each one has
  it("give way together when their rooms are used up", function()
    local S = hm.system "two pads"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, hm.t - 4)
    S:friction("one", { slip = -0.6*x.dot, normal = 2/0.6, coefficient = 0.5 })
    S:friction("other", { slip = 17*x.dot, normal = 5/17, coefficient = 0.3 })
    for _, method in ipairs{ "dop853", "radau5", "rkf45", "auto" } do
      for _, rtol in ipairs{ 1e-6, 1e-8, 1e-11 } do
        local run = S:simulate{ q = { x = 0 }, v = { x = -1 }, t = 8, method = method, rtol = rtol, atol = rtol/10 }
        assert(run.status == "OK", ("%s, rtol %g: %s"):format(method, rtol, tostring(run.reason)))
        -- v = -1 + t^2/2 - 1.5 t vanishes at 1.5 + sqrt 4.25, where the force is -0.438: it rests until 6.5
        local slips = {}
        for _, s in ipairs(run.switches) do slips[#slips + 1] = ("%s %s"):format(s.name, s.to) end
        assert.are.equal("one stick, other stick, one slip, other slip", table.concat(slips, ", "))
        check.near(run.switches[1].t, 1.5 + math.sqrt(4.25), 10*rtol, method)
        check.near(run.switches[3].t, 6.5, math.max(10*rtol, 1e-8), method)
        check.near(run:at(8).v.x, 1.5^2/2, math.max(10*rtol, 1e-8), method)
      end
    end
  end)
end)
