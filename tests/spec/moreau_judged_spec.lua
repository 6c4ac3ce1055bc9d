-- time stepping is never OK for a wrong motion: obstacles, forces and poles that are narrower than a step
local hm, check = require "hamel", require "check"

local PLACE = 5.03

-- A point that slides on the plane y = 0, or flies over it, with x' = 3
local function point(force, floor, given)
  local S = hm.system "point"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(y, -1)
  if force then S:force(x, force(x)) end
  S:unilateral("floor", floor and y - floor(x) or y, { law = hm.moreau(0) })
  if given.coefficient then S:friction("rub", { slip = x.dot, normal = "floor", coefficient = given.coefficient(x) }) end
  return S:simulate{ q = { x = 0, y = given.y or 0 }, v = { x = 3, y = given.vy or 0 }, t = 3, method = "moreau", step = given.step or 0.1 }
end

local function is_told(run, text)
  assert(run.status == "INACCURATE" or run.status == "PENETRATION" or run.status == "SINGULAR", text .. ": " .. run.status)
  assert(#run.reason > 40, text)
end

describe("time stepping", function()
  it("reports obstacles that a step passes over", function()
    local shapes = { function(u) return hm.max(0, 1 - u^2)^2 end, function(u) return hm.max(0, 1 - hm.abs(u)) end, function(u) return hm.exp(-u^2) end }
    for i, shape in ipairs(shapes) do
      for _, width in ipairs{ 0.1, 1e-2, 1e-3, 1e-4 } do
        for _, vy in ipairs{ 0, 0.3 } do
          is_told(point(nil, function(x) return shape((x - PLACE)/width) end, { vy = vy, step = 0.05 }), ("shape %d, width %g, vy %g"):format(i, width, vy))
        end
      end
    end
    local run = point(nil, function(x) return hm.exp(-((x - PLACE)/1e-3)^2) end, { step = 0.05 })
    assert.equal("PENETRATION", run.status)
    assert.truthy(run.reason:find("'floor'", 1, true) and run.reason:find("narrower", 1, true))
  end)

  it("reports forces that come and go within a step", function()
    for _, width in ipairs{ 1e-2, 1e-3, 1e-4 } do
      is_told(point(function() return 1/width*hm.exp(-((hm.t - 1.03)/width)^2) end, nil, {}), "pulse " .. width)
      is_told(point(function() return 1/width*hm.max(0, 1 - ((hm.t - 1.03)/width)^2) end, nil, {}), "pulse with corners " .. width)
      is_told(point(function(x) return -10/width*hm.exp(-((x - PLACE)/width)^2) end, nil, {}), "wall " .. width)
      is_told(point(nil, nil, { coefficient = function(x) return 0.01 + 1/width*hm.exp(-((x - PLACE)/width)^2) end }), "coefficient " .. width)
    end
    local drive = hm.data{ x = { 0, 1, 1.001, 1.002, 10 }, y = { 0, 0, 2000, 0, 0 }, kind = "linear", name = "drive" }
    is_told(point(function() return drive(hm.t) end, nil, {}), "data")
  end)

  -- denominators that ranges resolve slowly, peaks on an end of a step, corners on both sides of one: each hid from both runs
  it("reports rational obstacles and pulses, however they are written", function()
    local shapes = {
      function(u) return 1/(1 + u^2) end, function(u) return 1/(1 + u^2)^3 end, function(u) return (1 + u)^2/(1 + u^4) end,
      function(u) return hm.max(0, 1 - u^2) end, function(u) return hm.atan(u + 1) - hm.atan(u - 1) end,
    }
    local function written(c, w)
      local list = { function(x) return w^2/(x^2 - 2*c*x + (c^2 + w^2)) end }
      for _, shape in ipairs(shapes) do list[#list + 1] = function(x) return shape((x - c)/w) end end
      return list
    end
    for _, c in ipairs{ 5, 5.03, 4.2779297742533, 4.5, 3.96 } do
      for _, w in ipairs{ 3.1e-4, 1.8e-5, 1e-6 } do
        for i, shape in ipairs(written(c, w)) do
          local where = ("shape %d, place %s, width %g"):format(i, c, w)
          is_told(point(nil, function(x) return 10*shape(x) end, { step = 0.1, y = 0.2 }), "floor, " .. where)
          is_told(point(function() return 3/w*shape(3*hm.t) end, nil, { step = 0.05 }), "time, " .. where)
          is_told(point(function(x) return -3/w*shape(x) end, nil, { step = 0.05 }), "force, " .. where)
          -- the work of the pulse is more than the energy
          local stopped = point(nil, nil, { step = 0.05, coefficient = function(x) return 0.01 + 10/w*shape(x) end })
          if stopped.status ~= "OK" or math.abs(stopped:at(3).x - c) > 0.05 then is_told(stopped, "coefficient, " .. where) end
        end
      end
    end
  end)

  it("stops at poles", function()
    for _, step in ipairs{ 0.1, 0.01 } do
      local run = point(function(x) return 1/(x - PLACE)^2 end, nil, { step = step })
      assert.equal("SINGULAR", run.status)
      assert.truthy(run.reason:find("x - 5.03 = 0", 1, true), run.reason)
      assert.equal("SINGULAR", point(function(x) return -hm.rational(1, 10)/(x - PLACE) end, nil, { step = step }).status)
    end
  end)

  it("gives the size of its errors, and is OK where they are small", function()
    local S = hm.system "ball"
    local y = S:coordinates "y"
    S:kinetic_energy(y.dot^2/2)
    S:force(y, -9.81)
    S:unilateral("floor", y, { law = hm.newton(0.8) })
    local exact = S:simulate{ q = { y = 1 }, v = { y = 0 }, t = 6 }
    local verdicts = {}
    for i, step in ipairs{ 4e-3, 1e-3, 2.5e-4 } do
      local run = S:simulate{ q = { y = 1 }, v = { y = 0 }, t = 6, method = "moreau", step = step }
      local off = 0
      for t = 0.05, 5.95, 0.05 do off = math.max(off, math.abs(run:at(t).y - exact:at(t).y)) end
      assert(run.outcome.step_errors > 0.3*off and run.outcome.step_errors < 10*off, ("%g for %g"):format(run.outcome.step_errors, off))
      verdicts[i] = run.status
    end
    assert.same({ "INACCURATE", "INACCURATE", "OK" }, verdicts)
    -- at rest, and at rest but for rounding
    for _, height in ipairs{ 0, 1e-12, 1e-5 } do
      assert.equal("OK", S:simulate{ q = { y = height }, v = { y = 0 }, t = 1, method = "moreau", step = 0.01 }.status)
    end
  end)

  it("with far too long steps is not OK", function()
    local S = hm.system "ball"
    local y = S:coordinates "y"
    S:kinetic_energy(y.dot^2/2)
    S:force(y, -9.81)
    S:unilateral("floor", y, { law = hm.newton(0.5) })
    for _, step in ipairs{ 1, 0.3, 0.1 } do
      local run = S:simulate{ q = { y = 1 }, v = { y = 0 }, t = 3, method = "moreau", step = step }
      assert.equal("INACCURATE", run.status)
      assert.truthy(run.reason:find("smaller step", 1, true))
    end
    check.near(#S:simulate{ q = { y = 1 }, v = { y = 0 }, t = 3, method = "moreau", step = 1 }.t, 4, 0)
  end)
end)
