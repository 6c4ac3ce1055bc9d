-- a table on four legs: more reactions than the motion determines. It begins to slide, and comes to rest, on all legs together
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
