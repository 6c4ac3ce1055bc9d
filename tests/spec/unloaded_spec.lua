-- unloaded_spec.lua: contacts that nothing presses and frictions exactly at their limit, until a force grows that opens them or makes them slip.
local hm = require "hamel"
local mechanics = require "mechanics"

local methods = {"dop853", "auto", "radau5"}

local function near(want, got, tolerance)
  assert(math.abs(got - want) <= (tolerance or 1e-7) * math.max(1, math.abs(want)), ("%.12g, not %.12g"):format(got, want))
end

-- A mass of 1 under a force
local function mass(force)
  local S, y = mechanics.body("mass", "y")
  S:force(y, force)
  return S, y
end

local function on_ground(force)
  local S, y = mass(force)
  S:unilateral("ground", y, {law = hm.newton(0.5)})
  return S
end

local function rubbing(force)
  local S, y = mass(force)
  S:friction("rub", {slip = y.dot, normal = 1, coefficient = 1})
  return S
end

local function from_rest(S, t, method)
  local run = S:simulate{q = {y = 0}, v = {y = 0}, t = t, method = method, max_steps = 20000}
  assert.equal("OK", run.status)
  return run
end

local function ends(S, t, y, v)
  for _, method in ipairs(methods) do
    local last = from_rest(S, t, method):at(t)
    near(y, last.y)
    near(v, last.v.y)
  end
end

describe("a contact that nothing presses", function()
  it("opens at a corner of the force", function()
    ends(on_ground(hm.max(0, hm.t - 5)), 6, 1/6, 1/2)
    ends(on_ground(hm.t - 5 + hm.abs(hm.t - 5)), 6, 1/3, 1)
    local last = from_rest(on_ground(hm.max(0, hm.sin(hm.t) - 0.5)), 2):at(2)
    local from, t = math.pi/6, 2
    near(math.cos(from) - math.cos(t) - 0.5*(t - from), last.v.y)
  end)

  it("opens once under a pulse", function()
    for _, w in ipairs{0.1, 0.02} do
      local run = from_rest(on_ground(hm.exp(-((hm.t - 5)/w)^2)), 10)
      near(w*math.sqrt(math.pi), run:at(10).v.y)
      near(5*w*math.sqrt(math.pi), run:at(10).y)
      assert.equal(1, #run.switches)
    end
  end)

  it("opens at once where the force grows from zero", function()
    ends(on_ground(hm.t^2), 1, 1/12, 1/3)
    ends(on_ground(hm.t^3), 1, 1/20, 1/4)
  end)

  it("stays closed where the force grows downward, or not at all", function()
    for _, force in ipairs{-(1 - hm.cos(hm.t)), -hm.t^3, -hm.max(0, hm.t - 0.5), 0*hm.t, hm.sin(hm.t)^2 + hm.cos(hm.t)^2 - 1} do
      local run = from_rest(on_ground(force), 1)
      assert.equal(0, #run.switches)
      assert.equal(0, run:at(1).y)
    end
  end)

  it("opens between two masses", function()
    local S = hm.system "two masses"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(y, hm.max(0, hm.t - 5))
    S:unilateral("touch", y - x, {law = hm.newton(0.5)})
    local run = S:simulate{q = {x = 0, y = 0}, v = {x = 0, y = 0}, t = 6}
    assert.equal("OK", run.status)
    near(1/6, run:at(6).y)
    near(0, run:at(6).x)
  end)

  it("leaves a bound of a velocity", function()
    local S, x = mechanics.body("bound", "x")
    S:force(x, -hm.max(0, hm.t - 5))
    S:unilateral("limit", 1 - x.dot)
    local run = S:simulate{q = {x = 0}, v = {x = 1}, t = 6}
    assert.equal("OK", run.status)
    near(1/2, run:at(6).v.x)
  end)
end)

describe("a friction at its limit", function()
  it("slips at a corner of the force", function()
    ends(rubbing(hm.max(1, hm.t - 4)), 10, 125/6, 25/2)
    ends(rubbing(-hm.max(1, hm.t - 4)), 10, -125/6, -25/2)
  end)

  it("slips under a pulse", function()
    local run = from_rest(rubbing(1 + hm.exp(-((hm.t - 5)/0.1)^2)), 10)
    near(0.1*math.sqrt(math.pi), run:at(10).v.y)
  end)

  it("sticks while the force is that of the limit", function()
    for _, force in ipairs{1 + 0*hm.t, hm.sin(hm.t)^2 + hm.cos(hm.t)^2, hm.min(1, hm.t)} do
      local run = from_rest(rubbing(force), 10)
      near(0, run:at(10).y, 1e-9)
    end
  end)
end)
