-- starts: what is computed from the constraints is a root of them, and determined by more than rounding
local hm, check = require "hamel", require "check"

local function plane(make, what)
  local S = hm.system(what or "plane")
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:constraint("c", make(x, y))
  return S
end

local function position(make, x) return plane(make):simulate{ q = { x = x }, v = { x = 0 }, t = 1e-3 }[1].q.y end
local function velocity(make, x) return plane(make):velocities{ q = { x = 0, y = 0 }, v = { x = x } }.y end

describe("a completed start", function()
  -- y(x) of constraints g(y) = x whose derivative becomes small or large with x
  local inverse = {
    { "1/y", function(y) return 1/y end, function(x) return 1/x end, { 1, 1e-3, 1e-6, 1e-8, 1e-9, 1e-12 } },
    { "exp y", function(y) return hm.exp(y) end, math.log, { 1e-12, 1e-10, 1e-3, 1, 1e3 } },
    { "exp y + y", function(y) return hm.exp(y) + y end, function() return 0 end, { 1 } },
    { "y^3 + y", function(y) return y^3 + y end, function(x) return x == 0 and 0 or 1 end, { 0, 2 } },
    { "1e-9 y", function(y) return y/1000000000 end, function(x) return 1e9*x end, { 1, 1e-20, 1e20 } },
  }
  for _, case in ipairs(inverse) do
    it("solves its constraint to rounding: " .. case[1], function()
      for _, x in ipairs(case[4]) do
        local right = case[3](x)
        local near = 1e-9*math.abs(right) + 1e-12
        check.near(position(function(a, b) return case[2](b) - a end, x), right, near, case[1] .. " = " .. x)
        check.near(velocity(function(a, b) return case[2](b.dot) - a.dot end, x), right, near, case[1] .. "' = " .. x)
      end
    end)
  end

  -- residuals that fall below every tolerance without a root
  local without = {
    ["exp y = 0"] = { function(y) return hm.exp(y) end, 0 }, ["1/y = 0"] = { function(y) return 1/y end, 0 },
    ["tanh y = 1"] = { function(y) return hm.tanh(y) end, 1 }, ["exp(-y^2) = 0"] = { function(y) return hm.exp(-y^2) end, 0 },
    ["1/(1 + y^2) = 0"] = { function(y) return 1/(1 + y^2) end, 0 }, ["sqrt(1 + y^2) - y = 0"] = { function(y) return hm.sqrt(1 + y^2) - y end, 0 },
  }
  for name, case in pairs(without) do
    it("is refused where there is none: " .. name, function()
      check.raises({ "start: " }, position, function(a, b) return case[1](b) - a end, case[2])
      check.raises({ "start: " }, velocity, function(a, b) return case[1](b.dot) - a.dot end, case[2])
      check.raises({ "start: " }, function()
        return plane(function(a, b) return case[1](b) - a end):reference{ q = { x = case[2] }, v = { x = 0 }, t = 1 }
      end)
    end)
  end

  it("takes digits beyond doubles", function()
    local S = plane(function(x, y) return 1/y - x end)
    local y = S:reference{ q = { x = hm.number "1e-12" }, v = { x = 0 }, t = 1e-3 }.q.y
    check.near(tonumber(y), 1e12, 1e-3)
  end)
end)

describe("a coefficient that is rounding", function()
  local function sleigh(turn)
    local S = hm.system "sleigh"
    local x, y, th = S:coordinates "x y th"
    S:kinetic_energy((x.dot^2 + y.dot^2 + th.dot^2)/2)
    S:constraint("blade", x.dot*hm.sin(turn(th)) - y.dot*hm.cos(turn(th)))
    return S
  end
  local turns = {
    { "half of pi", function(th) return th end, hm.pi/2 }, { "25 pi/2", function(th) return th end, 25*hm.pi/2 },
    { "turned", function(th) return th + 1 end, hm.pi/2 - 1 }, { "doubled", function(th) return 2*th end, hm.pi/4 },
  }
  for _, case in ipairs(turns) do
    it("determines nothing: " .. case[1], function()
      local S, q = sleigh(case[2]), { x = 0, y = 0, th = case[3] }
      for _, v in ipairs{ { x = 0, th = 1 }, { th = 1 }, { x = 0, th = 0 } } do
        check.raises({ "do not determine y'; give it" }, S.velocities, S, { q = q, v = v })
      end
      for _, v in ipairs{ { x = 1, th = 0 }, { x = 1e-6, th = 1 }, { x = 1, y = 1, th = 1 } } do
        check.raises({ "'blade' is violated" }, S.velocities, S, { q = q, v = v })
      end
      check.near(S:velocities{ q = q, v = { y = 2, th = 1 } }.x, 0, 1e-12)
    end)
  end
  it("is told from one that is small", function()
    local S, q = sleigh(function(th) return th end), { x = 0, y = 0, th = math.pi/2 + 1e-9 }
    check.near(S:velocities{ q = q, v = { x = 1e-6, th = 1 } }.y, -1e3, 1e-3)
  end)
end)

describe("a constraint of a steep function", function()
  it("does not vanish", function()
    for _, x in ipairs{ 1, 1e2, 1e4, 1e5, 1e6, 1e9 } do
      local y = math.log(x)
      local S, P = plane(function(a, b) return hm.exp(b.dot) - a.dot end), plane(function(a, b) return hm.exp(b) - a end)
      for _, given in ipairs{ { x = x }, { x = x, y = y } } do
        assert.equal("OK", S:simulate{ q = { x = 0, y = 0 }, v = given, t = 1e-3 }.status)
        assert.equal("OK", P:simulate{ q = given, v = { x = 0 }, t = 1e-3 }.status)
      end
    end
  end)
  it("vanishes with its square, however large the other coordinates are", function()
    for _, size in ipairs{ 1e-6, 1, 1e3, 1e6 } do
      local S = plane(function(x, y) return (y - x/1000)^2 end)
      check.raises({ "the derivative of 'c' vanishes" }, S.simulate, S, { q = { x = size, y = size/1000 }, v = { x = 0, y = 0 }, t = 1 })
    end
  end)
end)

describe("a linkage started flat", function()
  local function linkage()
    local S = hm.system "parallelogram"
    local a, b, c = S:coordinates "a b c"
    S:kinetic_energy((a.dot^2 + b.dot^2 + c.dot^2)/2)
    S:constraint("lx", hm.cos(a) + 2*hm.cos(b) - hm.cos(c) - 2)
    S:constraint("ly", hm.sin(a) + 2*hm.sin(b) - hm.sin(c))
    return S
  end
  it("is singular, not inconsistent by rounding", function()
    local S = linkage()
    for _, angle in ipairs{ 0, hm.pi, math.pi, 2*math.pi, -3*math.pi } do
      local sign = angle ~= 0 and angle ~= 2*math.pi and -1 or 1
      for _, v in ipairs{ { a = 1, b = 0, c = 1 }, { a = 1, b = -sign, c = -1 } } do
        check.raises({ "singular" }, S.simulate, S, { q = { a = angle, b = 0, c = angle }, v = v, t = 0.1 })
      end
    end
  end)
end)

describe("constraints that touch at one place", function()
  local pairs_of = {
    ["line and parabola"] = { function(x, y) return y, y - x^2 end, { x = 0, y = 0 } },
    ["circles"] = { function(x, y) return x^2 + y^2 - 1, (x - 2)^2 + y^2 - 1 end, { x = 1, y = 0 } },
  }
  for name, case in pairs(pairs_of) do
    it("are not redundant there: " .. name, function()
      local S = hm.system "touching"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:force(x, 1)
      local d, e = case[1](x, y)
      S:constraint("d", d)
      S:constraint("e", e)
      check.raises({ "stopped at t = 0: model 'touching': 'd' and 'e' depend on each other" }, S.simulate, S, { q = case[2], v = { x = 0, y = 0 }, t = 1 })
    end)
  end
end)

describe("S:holonomic", function()
  it("leaves out redundant constraints", function()
    for _, sign in ipairs{ 1, 0 } do
      local S = hm.system "twice"
      local x, y, z = S:coordinates "x y z"
      S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
      S:constraint("e", sign == 1 and x.dot - z*y.dot or x.dot - 2*y.dot)
      S:constraint("f", sign == 1 and 2*x.dot - 2*z*y.dot or 2*x.dot - 4*y.dot)
      assert.equal(sign == 0, (S:holonomic()))
    end
  end)
end)

describe("a positive parameter below the range of numbers", function()
  it("is refused", function()
    local S = hm.system "small"
    check.raises({ "'m' is declared positive" }, S.positive, S, "m=1e-400")
    S:positive "k=1e-300"
  end)
end)

describe("an inertia that is rounding", function()
  it("is no inertia: a start at the pole given by the double nearest to pi", function()
    local S = hm.system "spherical pendulum"
    local th, ph = S:coordinates "th ph"
    S:kinetic_energy((th.dot^2 + hm.sin(th)^2*ph.dot^2)/2)
    S:potential_energy(-hm.cos(th))
    for _, place in ipairs{ hm.pi, math.pi, -math.pi, 2*math.pi } do
      local start = { q = { th = place, ph = 0 }, v = { th = 1, ph = 0.5 } }
      check.raises({ "the start is singular", "'ph'", "th" }, S.accelerations, S, start)
      check.raises({ "the start is singular", "'ph'" }, S.linearize, S, start)
      start.t = 1
      check.raises({ "the start is singular", "'ph'" }, S.simulate, S, start)
    end
    -- beside it, and for inertias that are small, nothing is refused. Arbiter: p = sin(th)^2 ph' is kept
    local run = S:simulate{ q = { th = math.pi - 1e-3, ph = 0 }, v = { th = 0, ph = 0.5 }, t = 1 }
    assert(run.status == "OK")
    check.near(math.sin(run:at(1).th)^2*run:at(1).v.ph, math.sin(1e-3)^2*0.5, 1e-12)
  end)
end)
