-- Motions that pass an unstable state of rest: their errors are larger by a power of ten for each power by which they come nearer.
local hm = require "hamel"

local function pendulum()
  local S = hm.system "pendulum"
  local a = S:coordinates "a"
  S:kinetic_energy(a.dot^2/2)
  S:potential_energy(-hm.cos(a))
  return S, a
end

-- From the lower rest with v > 2 to the upright one: K(2/v) 2/v, by the arithmetic-geometric mean; it is half of the time of a turn
local function time_up(v)
  local p, q = 1, math.sqrt((v - 2)*(v + 2))/v
  for _ = 1, 60 do p, q = (p + q)/2, math.sqrt(p*q) end
  return math.pi/(v*p)
end

local WORDS = "an unstable state of rest or the far end of an orbit, and errors of the run decide"

describe("a run that passes an unstable state of rest", function()
  it("is inaccurate where its errors decide when it leaves, by all methods that choose their steps", function()
    local S = pendulum()
    for _, method in ipairs{ "dop853", "taylor", "radau5" } do
      local run = S:simulate{ q = { a = 0 }, v = { a = 2 + 1e-12 }, t = 500, method = method }
      assert.equal("INACCURATE", run.status)
      assert.truthy(run.reason:find(WORDS, 1, true), run.reason)
    end
  end)

  it("is right where it ends near it, starts near it, or passes at a distance", function()
    local S = pendulum()
    local function at_end(a, v, t, o)
      o = o or {}
      o.q, o.v, o.t = { a = a }, { a = v }, t
      local run = S:simulate(o)
      assert.equal("OK", run.status)
      return run:at(t).q.a
    end
    assert.near(math.pi, at_end(0, 2 + 1e-12, time_up(2 + 1e-12)), 1e-2)
    -- four turns: as far as pi for each half
    assert.near(8*math.pi, at_end(0, 2 + 1e-4, 8*time_up(2 + 1e-4)), 1e-3)
    -- with the tolerance that the message asks for
    assert.near(4*math.pi, at_end(0, 2 + 1e-8, 4*time_up(2 + 1e-8), { rtol = 1e-13, atol = 1e-13 }), 0.03)
    -- near the saddle, x'' = x: a = pi - 1e-6 cosh t
    assert.near(1e-6*(math.exp(8) + math.exp(-8))/2, math.pi - at_end(math.pi - 1e-6, 0, 8), 1e-7)
  end)

  it("has one verdict in rows and by itself, by loose tolerances and series too", function()
    local S = pendulum()
    for _, method in ipairs{ "dop853", "taylor", "rk8pd" } do
      local o = { q = { a = 0 }, t = 60, method = method, rtol = 1e-6, atol = 1e-6 }
      local rows = S:sweep{ over = { { "v.a", { 1.999999, 1.9, 2.5, 1.99999 } } }, q = o.q, t = 60, method = method, rtol = 1e-6, atol = 1e-6, keep = { "a" } }
      for i, v in ipairs{ 1.999999, 1.9, 2.5, 1.99999 } do
        o.v = { a = v }
        local expected = (i == 2 or i == 3) and "OK" or "INACCURATE"
        assert.same({ expected, expected }, { S:simulate(o).status, rows[i].status }, method .. " from " .. v)
      end
    end
  end)

  -- the driven oscillator has no state of rest: at g = 0.339, 0.34 and 0.344 all its rates are small for two steps by chance
  it("is one of rest at all times: rates that vanish at an instant, where forces depend on time, are not judged", function()
    local D = hm.system "Duffing"
    local x, g = D:coordinates "x", D:parameters "g=1/4"
    D:kinetic_energy(x.dot^2/2)
    D:potential_energy(x^4/4 - x^2/2)
    D:force(x, -hm.rational(3, 10)*x.dot + g*hm.cos(hm.rational(6, 5)*hm.t))
    local over = { { "g", { 0.338, 0.339, 0.34, 0.344, 0.345 } } }
    for _, method in ipairs{ "dop853", "taylor" } do
      local rows = D:sweep{ over = over, q = { x = 0.43 }, v = { x = 0.33 }, t = 350*math.pi, method = method, keep = { "x" } }
      for i, value in ipairs(over[1][2]) do assert.equal("OK", rows[i].status, ("%s at g = %g: %s"):format(method, value, rows[i].reason)) end
    end
    -- x = 0 is one, whatever the force that grows with x: from a start beside it the motion comes back after some turns of the homoclinic orbit
    local P = hm.system "parametric"
    local y = P:coordinates "y"
    P:kinetic_energy(y.dot^2/2)
    P:potential_energy((y^4/4 - y^2/2)*(1 + hm.sin(hm.t)/1000000))
    local run = P:simulate{ q = { y = 1e-7 }, v = { y = 1e-7 }, t = 300, rtol = 1e-9, atol = 1e-9 }
    assert.equal("INACCURATE", run.status)
    assert.truthy(run.reason:find(WORDS, 1, true), run.reason)
  end)

  -- arbiter: a quarter of the period is K(v/2), by the arithmetic-geometric mean
  it("has counts that are right, or is inaccurate, where loose errors add up over many passages", function()
    local S, a = pendulum()
    for _, method in ipairs{ "dop853", "taylor" } do
      local over = { { "v.a", { 1.5, 1.9, 1.999, 1.9999 } } }
      local rows = S:sweep{ over = over, q = { a = 0 }, t = 1000, method = method, rtol = 1e-6, atol = 1e-6, keep = { n = hm.count(a.dot) } }
      for i, v in ipairs(over[1][2]) do
        local p, q = 1, math.sqrt((2 - v)*(2 + v))/2
        for _ = 1, 60 do p, q = (p + q)/2, math.sqrt(p*q) end
        local quarter = math.pi/(2*p)
        if rows[i].status == "OK" then assert.equal(math.floor((1000/quarter + 1)/2), rows[i].n, method .. " from " .. v) end
      end
      assert.equal("OK", rows[1].status)
      assert.equal("INACCURATE", rows[4].status)
    end
  end)

  it("is inaccurate in rows: measures, rotation numbers, exponents, basins", function()
    local S, a = pendulum()
    local over, q = { { "v.a", { 2 + 1e-12, 2.5 } } }, { a = 0 }
    for _, of in ipairs{ { "mean a'", "max a" }, "exponents", "rotation", "basin" } do
      local C = S:chart{ over = over, of = of, angle = of == "rotation" and "a" or nil, stroboscope = of == "basin" and 3 or nil, q = q, t = 500 }
      assert.equal("INACCURATE", C[1].status)
      assert.truthy(C[1].reason:find(WORDS, 1, true), C[1].reason)
      assert.equal("OK", C[2].status)
    end
    assert.near(math.pi/time_up(2.5), S:chart{ over = over, of = "rotation", angle = "a", q = q, t = 500 }[2].rotation, 1e-6)
    local rows = S:sweep{ over = over, keep = { a, m = hm.mean(a.dot) }, q = q, t = 500 }
    assert.same({ "INACCURATE", "OK" }, { rows[1].status, rows[2].status })
    local given = S:chart{ over = over, of = "basin", attractors = { low = { a = 0 } }, q = q, t = 500 }
    assert.same({ "INACCURATE", "OK" }, { given[1].status, given[2].status })
  end)

  -- x = 0 with y' = 1 is steady and unstable; from x = 1, x' = 0, y' = 1/2 the momentum is 1 and the energy that of the steady motion
  it("is inaccurate beside a steady motion, in which a coordinate that nothing depends on goes on", function()
    local S = hm.system "turning"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + (1 + x^2)*y.dot^2)/2)
    S:potential_energy(x^4/4)
    local run = S:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = 0.5 }, t = 300 }
    assert.equal("INACCURATE", run.status)
    assert.truthy(run.reason:find(WORDS, 1, true), run.reason)
    assert.equal("OK", S:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = 0.6 }, t = 300 }.status)
  end)

  it("is not looked for where a motion is slow for other reasons", function()
    local S = hm.system "damped"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -x.dot)
    local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 200 }
    assert.equal("OK", run.status)
    -- at rest until a force sets in, which is compared and found right: x'' + x = t - 50
    local P = hm.system "pushed"
    local z = P:coordinates "z"
    P:kinetic_energy(z.dot^2/2)
    P:potential_energy(z^2/2)
    P:force(z, hm.max(0, hm.t - 50))
    local pushed = P:simulate{ q = { z = 0 }, v = { z = 0 }, t = 60 }
    assert.equal("OK", pushed.status)
    assert.near(10 - math.sin(10), pushed:at(60).q.z, 1e-7)
  end)
end)

describe("an orbit that is slow at its far end", function()
  -- arbiter: after a period the motion is where it began
  it("passes no state of rest, and the words on its errors are true", function()
    local S = hm.system "planet"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-1/hm.sqrt(x^2 + y^2))
    local v, said = 0.1, 0
    local period = 2*math.pi*(1/(2 - v^2))^1.5
    for _, method in ipairs{ "dop853", "taylor" } do
      local run = S:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = v }, t = 5*period, rtol = 1e-3, atol = 1e-3, method = method, progress = false }
      assert.equal("INACCURATE", run.status)
      said = said + (run.reason:find("is slow, as where it passes an unstable state of rest or the far end of an orbit", 1, true) and 1 or 0)
      local off, named = 0, tonumber(run.reason:match "off by up to ([%d.e+-]+) of")
      for k = 1, 5 do off = math.max(off, math.abs(run:at(k*period).x - 1)) end
      assert.is_true(off > 0.01, off)
      assert.is_true(not named or named >= off, named)
    end
    assert.is_true(said >= 1)
  end)
end)
