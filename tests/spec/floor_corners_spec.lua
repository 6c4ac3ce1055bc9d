-- bodies that slide over corners of their floor: kinks, which strike or throw them off, and narrow bumps with a continuous slope
local hm, check = require "hamel", require "check"

local methods = { dop853 = 1e-7, radau5 = 1e-7, rkf45 = 1e-6, auto = 1e-7 }

local function slide(floor, o)
  local S = hm.system "slider"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(y, -1)
  S:unilateral("floor", y - floor(x), { law = o.law or hm.plastic() })
  if o.coefficient then S:friction("rub", { slip = x.dot, normal = "floor", coefficient = o.coefficient }) end
  return S:simulate{ q = { x = o.x or 0, y = o.y or 0 }, v = { x = o.vx or 3, y = 0 }, t = o.t or 3, method = o.method }
end

local function is_ok(run, text) assert(run.status == "OK", ("%s: %s: %s"):format(text, run.status, tostring(run.reason))) end

describe("a floor", function()
  it("that begins to rise strikes the body, by the law of its impact", function()
    -- slope 1/2: of 3 the part 3 sin a into the ramp, which comes back times e
    for method, tolerance in pairs(methods) do
      for _, e in ipairs{ 0, 0.5 } do
        local run = slide(function(x) return hm.max(0, (x - 5)/2) end, { method = method, law = hm.newton(e) })
        is_ok(run, method)
        assert.equal(1, #run.impacts)
        check.near(run.impacts[1].t, 5/3, tolerance)
        check.near(run.impacts[1].energy_change, -0.5*9/5*(1 - e^2), tolerance)
      end
    end
  end)

  it("that begins to fall is left", function()
    for method, tolerance in pairs(methods) do
      local run = slide(function(x) return -hm.max(0, (x - 5)/2) end, { method = method })
      is_ok(run, method)
      assert.equal(0, #run.impacts)
      check.near(run:at(3).y, -(3 - 5/3)^2/2, tolerance)
      check.near(run:at(3).x, 9, tolerance)
    end
  end)

  it("with a narrow bump of continuous slope carries the body over it", function()
    for _, width in ipairs{ 0.1, 1e-2, 1e-3 } do
      local first
      for method in pairs(methods) do
        local run = slide(function(x) return hm.max(0, 0.3 - 0.3*((x - 5)/width)^2)^2 end, { method = method })
        is_ok(run, method)
        local s = run:at(3)
        check.near((s.v.x^2 + s.v.y^2)/2 + s.y, 4.5, 1e-6, method)
        first = first or s.x
        check.near(s.x, first, 1e-5, method)
        assert(s.x < 8.9, "the bump is passed over")
        for t = 1.6, 1.8, 1e-3 do
          local at = run:at(t)
          assert(at.y - math.max(0, 0.3 - 0.3*((at.x - 5)/width)^2)^2 > -1e-6, ("%s is inside the bump of width %g"):format(method, width))
        end
      end
    end
  end)

  it("with a steep roof strikes the body, which slides back down to the floor", function()
    for method in pairs(methods) do
      local run = slide(function(x) return hm.max(0, 0.3 - 30*hm.abs(x - 5)) end, { method = method })
      is_ok(run, method)
      assert.equal(2, #run.impacts)
      check.near(run.impacts[1].t, 4.99/3, 1e-8)
      check.near(run:at(3).y, 0, 1e-9)
    end
  end)

  it("of two slopes holds a body in its valley, after impacts that accumulate or after one", function()
    for _, e in ipairs{ 0, 0.5 } do
      for method in pairs(methods) do
        local run = slide(hm.abs, { method = method, law = hm.newton(e), x = -1, y = 1, vx = 0, t = 6 })
        is_ok(run, method)
        check.near(run:at(6).y, 0, 1e-7)
        check.near(run:at(6).v.x, 0, 1e-7)
      end
    end
  end)

  it("of measured data, linear between its points, is a floor with kinks", function()
    local x, y = {}, {}
    for i = 1, 9 do x[i], y[i] = i - 2, 0.02*(i - 2)*(i % 2 == 0 and 1 or -1) end
    local hills, first = hm.data{ x = x, y = y, kind = "linear", name = "hills" }, nil
    for method in pairs(methods) do
      local run = slide(function(s) return hills(s) end, { method = method, vx = 2, t = 2.5 })
      is_ok(run, method)
      assert(#run.impacts > 0)
      first = first or run:at(2.5).x
      check.near(run:at(2.5).x, first, 1e-5, method)
    end
  end)

  it("with a step is refused under a contact, by name", function()
    for method in pairs(methods) do
      local run = slide(function(x) return (hm.sign(x - 5) + 1)/2 end, { method = method })
      assert.equal("UNSUPPORTED", run.status)
      assert.truthy(run.reason:find("'floor' jumps by -1", 1, true), run.reason)
    end
  end)

  it("is smooth between its corners: no impact is recorded where only the curvature jumps", function()
    for method in pairs(methods) do
      for _, coefficient in ipairs{ 0, 0.05 } do
        local run = slide(function(x) return hm.max(0, 1 - (x - 5)^2)^2/5 end, { method = method, coefficient = coefficient > 0 and coefficient or nil })
        is_ok(run, method)
        assert.equal(0, #run.impacts)
      end
    end
  end)
end)

-- A body at rest on a floor that begins to rise with the velocity 1 at t = c: it is thrown up with 1 + e, and rests on the floor again before c + 1/2
local rising = {
  data = function(t, c) return hm.data{ x = { 0, c, c + 1, c + 2 }, y = { 0, 0, 1, 1 }, kind = "linear" }(t) end,
  ["data above zero"] = function(t, c) return hm.data{ x = { 0, c, c + 1, c + 2 }, y = { 0.3, 0.3, 1.3, 1.3 }, kind = "linear" }(t) - 0.3 end,
  max = function(t, c) return hm.max(0, t - c) end,
  ramp = function(t, c) return hm.ramp(t, c, c + 1) end,
  where = function(t, c) return hm.where(t:lt(c), 0, t - c) end,
}

describe("a floor that begins to rise", function()
  local function lift(place, e, duration, o)
    local S = hm.system "lift"
    local y = S:coordinates "y"
    S:kinetic_energy(y.dot^2/2)
    S:force(y, -10)
    S:unilateral("floor", y - place, { law = hm.newton(e) })
    return S:simulate{ q = { y = 0 }, v = { y = 0 }, t = { o and o.from or 0, duration }, rtol = 1e-11, atol = 1e-12, method = o and o.method }
  end

  for name, place in pairs(rising) do
    it(("throws what rests on it, at any time: %s"):format(name), function()
      for i = 1, 60 do
        local c = 0.3 + 0.0371*i
        for _, e in ipairs{ 0, 0.5 } do
          local text, run = ("c = %.4f, e = %g"):format(c, e), lift(place(hm.t, c), e, c + 0.5)
          is_ok(run, text)
          check.near(run:at(c + 0.05).y, e == 0 and 0.05 or 1.5*0.05 - 5*0.05^2, 1e-9, text)
          check.near(run:at(c + 0.5).y, 0.5, 1e-9, text)
        end
      end
    end)
  end

  it("by every method", function()
    for method in pairs(methods) do
      for i = 1, 10 do
        local c = 0.3 + 0.0371*i
        local run = lift(rising.data(hm.t, c), 0, c + 0.5, { method = method })
        is_ok(run, method)
        check.near(run:at(c + 0.5).y, 0.5, 1e-9, method)
      end
    end
  end)

  it("at t = 0, of which an instant has no rounding of its own", function()
    for method in pairs(methods) do
      for i = 1, 20 do
        local run = lift(rising.max(hm.t, 0), 0, 0.5, { method = method, from = -0.3 - 0.0371*i })
        is_ok(run, method)
        check.near(run:at(0.5).y, 0.5, 1e-9, method)
      end
    end
  end)

  it("at once is refused, by however little", function()
    for _, by in ipairs{ 1, 1e-6, 1e-9, 1e-12 } do
      local run = lift(by*hm.step(hm.t - 0.4113), 0, 1)
      assert.same("UNSUPPORTED", run.status)
      assert(run.reason:find(("'floor' jumps by %.6g"):format(-by), 1, true), run.reason)
    end
  end)
end)

-- A point that falls from (0, 1) at rest, or starts at rest on the gap
local function fall(gap, method, o)
  local S = hm.system "falling"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(y, -1)
  gap(S, x, y)
  local options = { q = { x = o.x or 0, y = o.y or 1 }, v = { x = 0, y = 0 }, t = 3, method = method, step = method == "moreau" and 1e-3 or nil }
  local ok, run = pcall(S.simulate, S, options)
  return { status = ok and run.status or "refused", reason = ok and run.reason or run, run = ok and run }
end

local function single(expression) return function(S, x, y) S:unilateral("floor", expression(x, y), { law = hm.newton(0.5) }) end end

describe("a body that meets the corner of a gap", function()
  local every = { "dop853", "radau5", "rkf45", "moreau" }
  local function is_told(given, word, text)
    assert(given.status == "SINGULAR" or given.status == "refused", text .. ": " .. given.status)
    assert(given.reason:find(word, 1, true), text .. ": " .. given.reason)
  end

  local edges = {
    roof = function(x, y) return y + hm.abs(x) end,
    edge = function(x, y) return y + hm.max(0, x) end,
    box = function(x, y) return hm.abs(x) + hm.abs(y + 1) - 1 end,
    wedge = function(x, y) return hm.max(y + 2*x, y - x/3) end,
  }
  local corners = {
    ramp = function(x, y) return y - hm.max(0, x) end,
    valley = function(x, y) return hm.min(y - x, y + 3*x) end,
  }

  it("from outside is not unique, and refused", function()
    for name, edge in pairs(edges) do
      for _, method in ipairs(every) do
        is_told(fall(single(edge), method, {}), "not unique", name .. " by " .. method)
        is_told(fall(single(edge), method, { y = 0 }), "not unique", name .. " from rest by " .. method)
        -- beside it: one side
        assert(fall(single(edge), method, { x = 0.01 }).status ~= "SINGULAR", name)
      end
    end
  end)

  it("from inside strikes both sides at once: refused for one gap, done for two", function()
    for name, corner in pairs(corners) do
      for _, method in ipairs(every) do is_told(fall(single(corner), method, {}), "gaps of their own", name .. " by " .. method) end
    end
    local function ramp(S, x, y)
      S:unilateral("floor", y, { law = hm.newton(0.5) })
      S:unilateral("ramp", y - x, { law = hm.newton(0.5) })
    end
    for _, method in ipairs(every) do
      local given = fall(ramp, method, {})
      assert.equal("OK", given.status, given.reason)
      check.near(given.run.impacts[1].after.v.y, math.sqrt(2)/2, 2e-3, method)
      check.near(given.run.impacts[1].after.v.x, 0, 1e-12, method)
    end
  end)
end)

-- arbiter: straight lines. A gap that is a product opens on both sides of the corner where its gradient vanishes
describe("a gap whose gradient vanishes in a corner", function()
  local gaps = {
    product = function(x, y) return x*y end, difference = function(x, y) return x^2 - y^2/9 end, distance = function(x, y) return x^2 + y^2 end,
  }

  local function cross(gap, from, method)
    local S = hm.system "crossing"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:unilateral("gap", gap(x, y), { law = hm.newton(0.5) })
    return S:simulate{ q = { x = 1, y = from }, v = { x = -1, y = -2 }, t = 3, method = method, progress = false }
  end

  it("is refused where the motion leads through it, and strikes beside it", function()
    for name, gap in pairs(gaps) do
      for _, method in ipairs{ "dop853", "radau5" } do
        local run = cross(gap, 2, method)
        assert.equal("UNSUPPORTED", run.status, name .. " by " .. method)
        assert.truthy(run.reason:find("t = 1: the motion passes through a place where 'gap' is zero and its gradient vanishes", 1, true), run.reason)
        local beside = cross(gap, 2.1, method)
        assert.equal("OK", beside.status)
        assert.is_true(name == "distance" or #beside.impacts > 0, name)
      end
    end
  end)

  it("is touched elsewhere without a word", function()
    for _, method in ipairs{ "dop853", "radau5" } do
      -- the line passes at a distance of sqrt(1/5)
      local run = cross(function(x, y) return (x^2 + y^2 - hm.rational(1, 5))/2 end, 1, method)
      assert.equal("OK", run.status, run.reason)
    end
  end)

  it("that is a box refuses a fall along its side", function()
    local S = hm.system "box"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(y, -10)
    S:unilateral("box", hm.max(hm.abs(x) - 1, y), { law = hm.newton(0.5) })
    local function drop(from) return S:simulate{ q = { x = from, y = 1 }, v = { x = 0, y = 0 }, t = 1, progress = false } end
    local along = drop(1)
    assert.equal("SINGULAR", along.status)
    assert.truthy(along.reason:find("what follows is not unique", 1, true), along.reason)
    check.near(drop(1 + 1e-6):at(1).y, -4, 1e-9)
    assert.is_true(#drop(1 - 1e-6).impacts > 0)
  end)
end)
