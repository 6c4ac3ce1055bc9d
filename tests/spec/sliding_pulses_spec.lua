-- friction that begins, ends or changes for a moment while a body slides. More of it: tests/property/sliding_pulses.lua
local hm, check = require "hamel", require "check"
local near = check.near

local function block(friction, start)
  local S = hm.system "block"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(y)
  S:unilateral("floor", y, { law = hm.plastic() })
  local given = friction(x)
  S:friction("rub", { slip = x.dot, normal = given.normal or "floor", coefficient = given.coefficient })
  if given.push then S:force(x, given.push) end
  start.q, start.v = { x = 0, y = 0 }, { x = start.speed, y = 0 }
  start.speed = nil
  return S:simulate(start)
end

describe("friction while a body slides", function()
  it("is felt where its normal force acts for a moment", function()
    for _, width in ipairs{ 1e-1, 1e-2, 1e-3 } do
      local bell = hm.exp(-((hm.t - 5)/width)^2)/width
      for _, method in ipairs{ "dop853", "radau5", "auto", "rkf45" } do
        local r = block(function() return { normal = bell, coefficient = 0.3 } end, { speed = 3, t = 10, method = method })
        assert.equal("OK", r.status)
        near(r:at(10).v.x, 3 - 0.3*math.sqrt(math.pi), 1e-6)
      end
    end
  end)

  it("is felt within a narrow place, and where the place is a window", function()
    for _, width in ipairs{ 1e-1, 1e-2, 1e-3 } do
      local r = block(function(x) return { coefficient = 0.3*hm.exp(-((x - 15)/width)^2)/width } end, { speed = 3, t = 10 })
      near(r:at(10).v.x, math.sqrt(9 - 0.6*math.sqrt(math.pi)), 1e-7)
      r = block(function(x) return { coefficient = 0.3*hm.max(0, 1 - ((x - 15)/width)^2)/width } end, { speed = 3, t = 10 })
      near(r:at(10).v.x, math.sqrt(9 - 0.6*4/3), 1e-7)
      r = block(function() return { normal = hm.max(0, 1 - ((hm.t - 5)/width)^2)/width, coefficient = 0.3 } end, { speed = 3, t = 10 })
      near(r:at(10).v.x, 3 - 0.4, 1e-7)
    end
  end)

  it("is felt over a narrow bump of a rail that holds the body from below", function()
    -- N = h'' v^2 + 1 pushes where the rail curves up: a dip of the floor
    local S, width = hm.system "dip", 1e-2
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(1e6*y)
    local floor = -1e-4*hm.exp(-((x - 15)/width)^2)
    S:unilateral("floor", y - floor, { law = hm.plastic() })
    local fine = S:simulate{ q = { x = 0, y = 0 }, v = { x = 3, y = 0 }, t = 10, max_step = 1e-4, rtol = 1e-10, atol = 1e-10, method = "dop853" }
    local r = S:simulate{ q = { x = 0, y = 0 }, v = { x = 3, y = 0 }, t = 10 }
    assert.equal("OK", r.status)
    near(r:at(10).x, fine:at(10).x, 1e-6)
    assert.is_true(math.abs(fine:at(10).x - 30) > 1e-5)
  end)

  it("begins on ground that was smooth where the slip or the rest began", function()
    for _, normal in ipairs{ "floor", 1 } do
      local function ice(x) return { normal = normal, coefficient = hm.max(0, hm.min(0.3, x - 1)) } end
      near(block(ice, { speed = 3, t = 12 }):at(12).x, 16.15, 1e-6)
      local function pushed(x) local f = ice(x) f.push = 0.2 return f end
      local r = block(pushed, { speed = 0, t = 12 })
      near(r:at(12).x, 3.45, 1e-6)
      near(r:at(12).v.x, 0, 1e-12)
      local function bump(x) return { normal = normal, coefficient = 0.3*hm.exp(-((x - 3)/0.05)^2) } end
      near(block(bump, { speed = 3, t = 4 }):at(4).v.x, math.sqrt(9 - 0.6*0.05*math.sqrt(math.pi)), 1e-7)
    end
  end)

  it("stops the run where its coefficient becomes negative, and only there", function()
    local function worn(x) return { normal = 1, coefficient = 1 - x/10 } end
    near(block(worn, { speed = math.sqrt(7.5), t = 12 }):at(12).x, 5, 1e-6)
    local r = block(worn, { speed = 4, t = 12 })
    assert.are_not.equal("OK", r.status)
    assert.truthy(r.reason:find("must not be negative", 1, true))
    near(r[#r].x, 10, 1e-6)
  end)

  it("is not disturbed at rest by corners of what presses", function()
    local S = hm.system "held twice"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2 + x.dot*y.dot/3)/2)
    S:potential_energy(x^2/50)
    S:force(y, -y)
    S:friction("rub", { slip = x.dot, normal = 10 + 5*hm.max(0, 1 - ((hm.t - 5)/0.1)^2) + 3*hm.abs(hm.sin(3*hm.t)), coefficient = 0.3 })
    S:friction("pair", { slip = { x.dot, y.dot }, normal = 2 + hm.abs(hm.sin(2*hm.t)), coefficient = 0.3 })
    local r = S:simulate{ q = { x = 1, y = 0.1 }, v = { x = 2, y = 0 }, t = 20 }
    assert.equal(2, #r.switches)
    near(r:at(20).x, r:at(1).x, 1e-9)
    near(r:at(20).y, r:at(1).y, 1e-9)
  end)

  it("may depend on the size of the slip", function()
    local r = block(function(x) return { coefficient = 0.1 + 0.2*hm.exp(-hm.abs(x.dot)) } end, { speed = 2, t = 20 })
    local smooth = block(function(x) return { coefficient = 0.1 + 0.2*hm.exp(-x.dot) } end, { speed = 2, t = 20 })
    assert.equal("OK", r.status)
    assert.equal(1, #r.switches)
    near(r:at(20).x, smooth:at(20).x, 1e-7)
  end)

  it("makes steps of one size doubtful that pass over it", function()
    local bell = hm.exp(-((hm.t - 5)/1e-3)^2)/1e-3
    local r = block(function() return { normal = bell, coefficient = 0.3 } end, { speed = 3, t = 10, method = "rk4", step = 0.1 })
    assert.equal("INACCURATE", r.status)
  end)
end)
