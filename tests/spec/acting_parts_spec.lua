-- Coordinates that act on each other by forces without power, beside one that takes no part: they are one part of the motion, and only the other is judged by
-- itself. Arbiters: the helix in closed form, and the same motion with the forces as terms of the Lagrange function that are linear in the velocities.
local hm = require "hamel"

local function number(random, from, to) return from + (to - from)*random() end

local function generator(seed)
  local state = seed
  return function()
    state = (state*1103515245 + 12345) % 2147483648
    return state/2147483648
  end
end

-- Terms A1 x' + A2 y' in L, of x, y, alone; the same as forces B y' on x and -B x' on y, B = dA2/dx - dA1/dy
local function draw(random)
  local g, a, k, l, w = number(random, 1, 6), number(random, -1, 1), number(random, 0, 3), number(random, 0, 3), number(random, 0, 3)
  return {
    A = function(x, y) return -g*y, a*x^2/2 end,
    B = function(x) return g + a*x end,
    V = function(x, y, z) return k*x^2/2 + l*y^2/2 + w*z^2/2 end,
    q = { x = number(random, -1, 1), y = number(random, -1, 1), z = number(random, -1, 1) },
    v = { x = number(random, -1, 1), y = number(random, -1, 1), z = number(random, -1, 1) },
  }
end

local function system(one, way)
  local S = hm.system(way)
  local x, y, z = S:coordinates "x y z"
  local T = (x.dot^2 + y.dot^2 + z.dot^2)/2
  if way == "potential" then
    local A1, A2 = one.A(x, y)
    S:lagrangian(T - one.V(x, y, z) + A1*x.dot + A2*y.dot)
    return S
  end
  S:kinetic_energy(T)
  S:potential_energy(one.V(x, y, z))
  if way == "force" then
    S:force(x, one.B(x)*y.dot)
    S:force(y, -one.B(x)*x.dot)
  else
    S:force(x, function(_, q, v) return one.B(q.x)*v.y end)
    S:force(y, function(_, q, v) return -one.B(q.x)*v.x end)
  end
  return S
end

describe("coordinates that act on each other without power", function()
  it("are one part: a charge on a helix is right at every tolerance, in runs and in rows", function()
    local S = hm.system "charge"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:force(x, 5*y.dot)
    S:force(y, -5*x.dot)
    local o = { q = { x = 0, y = 0, z = 0 }, v = { x = 1, y = 0.5, z = 1 }, t = 20, progress = false }
    for _, method in ipairs{ "dop853", "taylor", "radau5" } do
      for _, tolerance in ipairs{ 1e-6, 1e-9 } do
        o.method, o.rtol, o.atol = method, tolerance, tolerance
        local run = S:simulate(o)
        assert.equal("OK", run.status, run.reason)
        assert.near(0.1 - 0.1*math.cos(100) + math.sin(100)/5, run:at(20).x, 200*tolerance)
      end
    end
    local W = S:sweep{ over = { z = { 0, 1 } }, q = { x = 0, y = 0 }, v = o.v, t = 20, progress = false }
    assert.equal("OK", W[1].status, W[1].reason)
    assert.equal("OK", W[2].status, W[2].reason)
  end)

  it("are one part in drawn systems, however the forces are written", function()
    local random = generator(7)
    for k = 1, 12 do
      local one, ends = draw(random), {}
      for _, way in ipairs{ "potential", "force", "Lua" } do
        local run = system(one, way):simulate{ q = one.q, v = one.v, t = 10, rtol = 1e-9, atol = 1e-9, progress = false }
        assert.equal("OK", run.status, ("draw %d, %s: %s"):format(k, way, tostring(run.reason)))
        ends[way] = run:at(10)
      end
      for _, name in ipairs{ "x", "y", "z" } do
        assert.near(ends.potential.q[name], ends.force.q[name], 1e-6)
        assert.near(ends.potential.q[name], ends.Lua.q[name], 1e-6)
      end
    end
  end)

  it("leave the other its own balance", function()
    local one = draw(generator(3))
    one.B = function() return 0.5 end
    one.V, one.q, one.v = function(x, y, z) return x^2/2 + y^2/2 + 9*z^2/2 end, { x = 1, y = 0, z = 0.011 }, { x = 0, y = 0, z = 0 }
    local run = system(one, "force"):simulate{ q = one.q, v = one.v, t = 50, rtol = 1e-2, atol = 1e-2, progress = false }
    assert.equal("INACCURATE", run.status)
    assert.truthy(run.reason:find("the energy balance of z, on which nothing else acts,", 1, true), run.reason)
  end)

  -- x x' and y y' are constants: x gains what y loses, though neither force depends on the other coordinate
  it("exchange energy by forces that have no power together", function()
    local S = hm.system "exchange"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, 1/x.dot)
    S:force(y, -1/y.dot)
    local run = S:simulate{ q = { x = 0, y = 0 }, v = { x = 1, y = 3 }, t = 4, progress = false }
    assert.equal("OK", run.status, run.reason)
    assert.near(3, run:at(4).v.x, 1e-6)
    assert.near(1, run:at(4).v.y, 1e-6)
  end)
end)
