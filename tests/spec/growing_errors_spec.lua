-- steps of one size on motions along which small errors grow: the verdict is that on the states, not on single steps or on the energy
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

local methods = { "rk4", "gauss4", "gauss6", "gauss8", "dla" }

-- Arbiter: Kepler's equation. Motion from the far end of the orbit, x = 1, with speed v across
local function on_orbit(v, t)
  local a, e = 1/(2 - v^2), 1 - v^2
  local M = t/a^1.5 + math.pi
  local E = M
  for _ = 1, 60 do E = E - (E - e*math.sin(E) - M)/(1 - e*math.cos(E)) end
  return -a*(math.cos(E) - e), -a*math.sqrt(1 - e^2)*math.sin(E)
end

local function off_orbit(r, v)
  local off = 0
  for i = #r.t, 1, -math.ceil(#r.t/100) do
    local x, y = on_orbit(v, r.t[i])
    off = math.max(off, math.abs(r[i].x - x), math.abs(r[i].y - y))
  end
  return off
end

describe("steps of one size", function()
  it("past a close pass are OK only where the orbit is right", function()
    local S, v, seen = mechanics.kepler(), 0.3, {}
    for _, method in ipairs(methods) do
      for _, step in ipairs{ 0.02, 0.005, 0.002, 0.0005 } do
        local r = S:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = v }, t = 12, method = method, step = step, progress = false }
        seen[r.status] = true
        if r.status == "OK" then assert.is_true(off_orbit(r, v) < 0.02, ("%s with steps of %g: %g"):format(method, step, off_orbit(r, v))) end
        if r.status == "INACCURATE" then assert.is_true(off_orbit(r, v) > 1e-3, ("%s with steps of %g: %g"):format(method, step, off_orbit(r, v))) end
      end
    end
    assert.is_true(seen.OK and seen.INACCURATE)
  end)

  it("are judged alike when only the ends are kept, backward, past events, in a file and in a sweep", function()
    local S, x, y = mechanics.kepler()
    local o = { q = { x = 1, y = 0 }, v = { x = 0, y = 0.3 }, t = 12, method = "gauss4", step = 0.005, progress = false }
    local function verdict(with)
      local copy = {}
      for k, value in pairs(o) do copy[k] = value end
      for k, value in pairs(with) do copy[k] = value end
      return S:simulate(copy).status
    end
    assert.equal("INACCURATE", verdict{})
    assert.equal("INACCURATE", verdict{ record = "ends" })
    assert.equal("INACCURATE", verdict{ t = { 0, -12 } })
    assert.equal("INACCURATE", verdict{ events = { { name = "axis", when = y } } })
    local file = os.tmpname() .. ".hamel"
    assert.equal("INACCURATE", verdict{ checkpoint = file, every = 1 })
    os.remove(file)
    local W = S:sweep{ q = { x = 1, y = 0 }, v = { x = 0 }, t = 12, method = "gauss4", step = 0.005, progress = false, over = { { "v.y", { 0.3, 0.8 } } } }
    assert.equal("INACCURATE", W[1].status)
    assert.equal("OK", W[2].status)
    assert(x ~= y)
  end)

  it("of which a smaller one is advised are OK with that one", function()
    local S, advised = mechanics.kepler(), 0
    for _, method in ipairs{ "rk4", "gauss4", "dla" } do
      for _, step in ipairs{ 0.16, 0.12, 0.09, 0.06, 0.03, 0.02, 0.01 } do
        local o = { q = { x = 1, y = 0 }, v = { x = 0, y = 0.8 }, t = 30, method = method, step = step, progress = false }
        local r = S:simulate(o)
        local smaller = r.status == "INACCURATE" and r.reason:match "take a step of ([%d.e+-]+)"
        if smaller then
          o.step, advised = tonumber(smaller), advised + 1
          assert.equal("OK", S:simulate(o).status)
        end
      end
    end
    assert.is_true(advised > 1)
  end)

  -- Arbiter: the separatrix theta = 4 atan(exp t) - pi
  it("up to the top of a pendulum are OK only on the way there", function()
    local S = hm.system "pendulum"
    local theta = S:coordinates "theta"
    S:kinetic_energy(theta.dot^2/2)
    S:potential_energy(-hm.cos(theta))
    for _, method in ipairs(methods) do
      for _, t in ipairs{ 5, 15, 45 } do
        local r = S:simulate{ q = { theta = 0 }, v = { theta = 2 }, t = t, method = method, step = 0.05, progress = false }
        local off = math.abs(r[#r].theta - (4*math.atan(math.exp(t)) - math.pi))
        assert.is_true(r.status ~= "OK" or off < 0.05, ("%s to t = %g: %g"):format(method, t, off))
        if t == 45 then assert.equal("INACCURATE", r.status) end
      end
    end
  end)

  it("of a chaotic motion are told that no run in doubles follows it", function()
    local S = hm.system "double pendulum"
    local a, b = S:coordinates "a b"
    S:kinetic_energy(a.dot^2 + b.dot^2/2 + a.dot*b.dot*hm.cos(a - b))
    S:potential_energy(-2*hm.cos(a) - hm.cos(b))
    for _, method in ipairs(methods) do
      local o = { q = { a = 2, b = 2.5 }, v = { a = 0, b = 0 }, t = 100, method = method, step = 0.01, progress = false }
      local r = S:simulate(o)
      assert.equal("INACCURATE", r.status)
      assert.truthy(r.reason:find("beyond what doubles can follow", 1, true), r.reason)
      o.t, o.step = 2, 0.001
      assert.equal("OK", S:simulate(o).status)
    end
  end)

  it("are judged up to an event that ends the run, in sweeps too", function()
    local S = mechanics.kepler()
    local o = { q = { x = 1, y = 0 }, v = { x = 0, y = 0.3 }, t = 12, method = "rk4", step = 0.02, progress = false,
                events = { out = { when = hm.t - 11, terminal = true } } }
    local r = S:simulate(o)
    assert.equal("INACCURATE", r.status)
    assert.truthy(r.reason:find("ended by an event at t = 11", 1, true), r.reason)
    o.v, o.over = { x = 0 }, { { "v.y", { 0.3, 1 } } }
    local W = S:sweep(o)
    assert.equal("INACCURATE", W[1].status)
    assert.equal("EVENT", W[2].status)
  end)

  it("between impacts are judged with them", function()
    local S = hm.system "ball"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(9.81*y + 50*x^2)
    S:unilateral("floor", y, { law = hm.newton(1) })
    local o = { q = { x = 1, y = 1 }, v = { x = 0, y = 0 }, t = 20, method = "gauss4", progress = false }
    o.step = 0.1
    assert.equal("INACCURATE", S:simulate(o).status)
    o.step = 0.005
    assert.equal("OK", S:simulate(o).status)
    check.near(S:simulate(o):at(20).x, math.cos(200), 1e-2)
  end)
end)
