-- points at which linear data bend in place: corners of forces and floors, with the words and the states that hm.abs, hm.min, hm.max and hm.where have there
local hm, check = require "hamel", require "check"

local methods = { { "dop853" }, { "radau5" }, { "taylor" }, { "rk4", 1e-3 }, { "gauss6", 1e-2 } }
local fixed = { rk4 = true, gauss6 = true }

local function data(x, y) return hm.data{ x = x, y = y, kind = "linear", name = "profile" } end

-- The same profiles by data, and by a function with a corner, which bends at x = c
local function peaks(c)
  local table_of = data({ c - 2, c, c + 2 }, { 0, 2, 0 })
  return { data = table_of, abs = function(x) return 2 - hm.abs(x - c) end, min = function(x) return hm.min(2 + x - c, 2 - x + c) end,
           where = function(x) return hm.where(x:lt(c), 2 + x - c, 2 - x + c) end }
end

local function valleys(c)
  local table_of = data({ c - 2, c, c + 2 }, { 2, 0, 2 })
  return { data = table_of, abs = function(x) return hm.abs(x - c) end, max = function(x) return hm.max(c - x, x - c) end,
           where = function(x) return hm.where(x:lt(c), c - x, x - c) end }
end

local function particle(V)
  local S = hm.system "particle"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(V(x))
  return S
end

-- A body over a floor under gravity 10
local function ball(floor, law)
  local S = hm.system "ball"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(y, -10)
  S:unilateral("floor", y - floor(x), { law = law or hm.plastic() })
  return S
end

-- Status and reason, be it of a run that cannot start
local function outcome(S, o)
  local fine, run = pcall(S.simulate, S, o)
  if not fine then return "REFUSED", tostring(run) end
  return run.status, run.reason or "", run
end

local function each_method(visit)
  for _, m in ipairs(methods) do visit(m[1], m[2]) end
end

local function expect(status, words, label, got, reason)
  assert(got == status, ("%s: %s in place of %s: %s"):format(label, got, status, reason))
  assert(not words or reason:find(words, 1, true), ("%s: '%s' is not in: %s"):format(label, words or "", reason))
end

describe("a peak of a potential", function()
  it("that a motion climbs to exactly leaves open what follows", function()
    for _, c in ipairs{ 0, 1 } do
      for kind, V in pairs(peaks(c)) do
        each_method(function(method, step)
          local status, reason, run = outcome(particle(V), { q = { x = c - 0.5 }, v = { x = 1 }, t = 1.5, method = method, step = step })
          expect("SINGULAR", "is not unique", kind .. " " .. method, status, reason)
          assert(math.abs(run.t[#run.t] - 1) < (fixed[method] and 1e-6 or 1e-9), "it climbs for one unit of time")
          if kind == "data" then expect("SINGULAR", ("at x = %d,"):format(c), method, status, reason) end
        end)
      end
    end
  end)

  it("is no start at rest", function()
    for kind, V in pairs(peaks(0)) do
      each_method(function(method, step)
        expect("REFUSED", "is not unique", kind .. " " .. method, outcome(particle(V), { q = { x = 0 }, v = { x = 0 }, t = 1, method = method, step = step }))
      end)
    end
  end)

  it("is passed with the speed that the energy leaves", function()
    -- from -1/2 with v = 1.25 up to v^2 = 1.5625 - 1 = 0.75^2 after 1/2, then down again
    for kind, V in pairs(peaks(0)) do
      each_method(function(method, step)
        local status, reason, run = outcome(particle(V), { q = { x = -0.5 }, v = { x = 1.25 }, t = 1, method = method, step = step })
        expect("OK", nil, kind .. " " .. method, status, reason)
        assert(math.abs(run:at(1).x - (0.75*0.5 + 0.125)) < 1e-7, method)
      end)
    end
  end)

  it("may be left from with a velocity, forwards and backwards in time", function()
    for _, direction in ipairs{ 1, -1 } do
      for _, v in ipairs{ 1, -1 } do
        local run = particle(peaks(0).data):simulate{ q = { x = 0 }, v = { x = v }, t = { 0, direction*0.5 } }
        expect("OK", nil, "start", run.status, run.reason or "")
        assert(math.abs(run:at(direction*0.5).x - v*direction*0.625) < 1e-9)
      end
    end
  end)

  it("of two sets of data that bend together is one", function()
    local one, other = data({ -2, 0, 2 }, { 0, 2, 0 }), data({ -3, 0, 3 }, { 0, 1, 0 })
    local V = function(x) return one(x) + other(x) end
    expect("REFUSED", "is not unique", "rest", outcome(particle(V), { q = { x = 0 }, v = { x = 0 }, t = 1 }))
    expect("OK", nil, "valley", outcome(particle(function(x) return -V(x) end), { q = { x = 0 }, v = { x = 0 }, t = 1 }))
  end)
end)

describe("a slope beside level data", function()
  it("down leaves open whether a body at rest leaves", function()
    expect("REFUSED", "is not unique", "down", outcome(particle(data({ -2, 0, 2 }, { 0, 0, -2 })), { q = { x = 0 }, v = { x = 0 }, t = 1 }))
  end)

  it("up lets it rest", function()
    local status, reason, run = outcome(particle(data({ -2, 0, 2 }, { 0, 0, 2 })), { q = { x = 0 }, v = { x = 0 }, t = 1 })
    expect("OK", nil, "up", status, reason)
    assert.equal(0, run:at(1).x)
  end)
end)

describe("a valley of a potential", function()
  it("holds a body at rest", function()
    for kind, V in pairs{ data = valleys(1).data, abs = valleys(1).abs } do
      each_method(function(method, step)
        local status, reason, run = outcome(particle(V), { q = { x = 1 }, v = { x = 0 }, t = 1, method = method, step = step })
        expect("OK", nil, kind .. " " .. method, status, reason)
        assert.equal(1, run:at(1).x)
      end)
    end
  end)
end)

describe("a force that bends as its data do", function()
  it("takes a body at rest to the side to which another force pushes it", function()
    -- x'' = -k x + s^2 with s = t - 0.3: x = s^2/k - (2/k^2)(1 - cos(sqrt(k) s)); k = 3 above zero, 1 below
    local spring = data({ -2, 0, 2 }, { 2, 0, -6 })
    for way, k in pairs{ [1] = 3, [-1] = 1 } do
      for _, m in ipairs{ { "radau5" }, { "taylor" }, { "rk4", 1e-3 }, { "gauss6", 1e-2 } } do
        local S = hm.system "driven"
        local x = S:coordinates "x"
        S:kinetic_energy(x.dot^2/2)
        S:force(x, spring(x) + way*hm.max(0, hm.t - 0.3)^2)
        local status, reason, run = outcome(S, { q = { x = 0 }, v = { x = 0 }, t = 1.2, method = m[1], step = m[2] })
        expect("OK", nil, m[1], status, reason)
        assert(math.abs(run:at(1.2).x - way*(0.81/k - 2/k^2*(1 - math.cos(math.sqrt(k)*0.9)))) < 1e-8, m[1])
      end
    end
  end)
end)

describe("a floor of linear data", function()
  it("that is met on its peak throws to either side", function()
    for kind, floor in pairs(peaks(0)) do
      for _, law in ipairs{ hm.newton(0.5), hm.plastic() } do
        for _, m in ipairs{ { "dop853" }, { "radau5" }, { "rk4", 1e-3 }, { "moreau", 1e-3 } } do
          local run = { q = { x = 0, y = 2.5 }, v = { x = 0, y = 0 }, t = 0.6, method = m[1], step = m[2] }
          expect("SINGULAR", "on its edge", kind .. " " .. m[1], outcome(ball(floor, law), run))
        end
      end
    end
  end)

  it("strikes on both sides at its lowest point", function()
    for kind, floor in pairs(valleys(0)) do
      for _, law in ipairs{ hm.newton(0.5), hm.plastic() } do
        for _, m in ipairs{ { "dop853" }, { "radau5" }, { "rk4", 1e-3 }, { "moreau", 1e-3 } } do
          local run = { q = { x = 0, y = 1 }, v = { x = 0, y = 0 }, t = 0.6, method = m[1], step = m[2] }
          expect("SINGULAR", "in its inner corner", kind .. " " .. m[1], outcome(ball(floor, law), run))
        end
      end
    end
  end)

  it("carries a body at rest in a valley, and none on a peak", function()
    for _, kind in ipairs{ "data", "abs" } do
      local status, reason, run = outcome(ball(valleys(0)[kind]), { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, t = 0.3 })
      expect("OK", nil, kind, status, reason)
      assert.equal(0, run:at(0.3).x)
      for _, v in ipairs{ 0, -1 } do
        expect("REFUSED", "is not unique", kind, outcome(ball(peaks(0)[kind]), { q = { x = 0, y = 2 }, v = { x = 0, y = v }, t = 0.3 }))
      end
    end
  end)
end)

describe("a body at rest on a corner of its potential", function()
  local D = hm.data{ x = { -3, 0, 3 }, y = { 3, 0, 3 }, kind = "linear", name = "even_valley" }
  local flat = hm.data{ x = { -3, -1, 1, 3 }, y = { 2, 0, 0, 2 }, kind = "linear", name = "flat_valley" }

  local function pushed(V, from, F, T)
    local S = hm.system "pushed"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(V(x))
    S:force(x, F)
    return S:simulate{ q = { x = from }, v = { x = 0 }, t = T, progress = false }
  end

  -- Arbiter: x'' = F - V' on the side to which F leads
  it("leaves it where a push that is switched on is stronger than the slope", function()
    local later = hm.step(hm.t - 1)
    local cases = {
      { hm.abs, 0, 2*later, 0.5 }, { hm.abs, 0, -2*later, -0.5 }, { D, 0, 2*later, 0.5 }, { D, 0, -2*later, -0.5 },
      { flat, 1, 4*later, 2.5 }, { flat, 1, -later/2, 0.75 }, { function(x) return hm.abs(x)*(1 + hm.t) end, 0, 4*later, 1 - 1/6 },
    }
    for i, case in ipairs(cases) do
      local run = pushed(case[1], case[2], case[3], 2)
      assert.equal("OK", run.status, i)
      check.near(run:at(2).x, case[4], 1e-8, i)
      -- from the moment of the push
      if i < #cases then check.near(pushed(case[1], case[2], case[3]:subs{ [hm.t] = hm.t + 1 }, 1):at(1).x, case[4], 1e-8, i) end
    end
  end)

  it("stops there with the reason where it is weaker: the forces have no value that holds it", function()
    for _, V in ipairs{ hm.abs, D } do
      local run = pushed(V, 0, hm.step(hm.t - 1)/2, 2)
      assert.equal("SINGULAR", run.status)
      check.near(run.outcome.t, 1, 1e-9)
      assert.truthy(run.reason:find("drive the motion back to x = 0 from both sides", 1, true), run.reason)
      check.raises({ "drive the motion back to x = 0 from both sides", "hm.sqrt(u^2 + d^2)" }, pushed, V, 0, hm.rational(1, 2), 1)
    end
    -- the advice
    local run = pushed(function(x) return hm.sqrt(x^2 + hm.number "1e-6") end, 0, hm.step(hm.t - 1)/2, 2)
    assert.equal("OK", run.status)
    assert.truthy(math.abs(run:at(2).x) < 0.01)
  end)
end)
