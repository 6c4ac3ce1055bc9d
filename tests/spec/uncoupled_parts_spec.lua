-- Motions of parts that do not act on each other: each part is judged by its own energy. Arbiters: closed forms, and the part simulated alone.
local hm = require "hamel"

local function pair(coupling)
  local S = hm.system "pair"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(x^2/2 + 9*y^2/2 + (coupling and coupling(x, y) or 0))
  return S
end

local function run(S, small, tolerance, method, record)
  return S:simulate{ q = { x = 1, y = small }, v = { x = 0, y = 0 }, t = 50, rtol = tolerance, atol = tolerance, method = method, record = record,
    progress = false }
end

describe("a small part of a motion on which nothing else acts", function()
  it("is not lost with the status OK, with all steps, the ends alone, and in sweeps", function()
    local S, lost, kept = pair(), 0, 0
    for _, method in ipairs{ "dop853", "taylor", "rkf45" } do
      for _, tolerance in ipairs{ 1e-2, 1e-3, 1e-4, 1e-6, 1e-9 } do
        local r = run(S, 0.01 + tolerance, tolerance, method)
        local off = math.abs(r:at(50).y/(0.01 + tolerance) - math.cos(150))
        local what = ("%s at %g: off by %g, %s"):format(method, tolerance, off, tostring(r.reason))
        assert.is_true(r.status ~= "OK" or off < 0.2, what)
        assert.is_true(r.status == "OK" or off > 1e-3, what)
        assert.equal(r.status, run(S, 0.01 + tolerance, tolerance, method, "ends").status)
        if r.status == "OK" then kept = kept + 1 else
          lost = lost + 1
          assert.truthy(r.reason:find("the energy balance of y, on which nothing else acts,", 1, true), r.reason)
        end
      end
      local W = S:sweep{ over = { { "x", { 1, 1 } } }, q = { y = 0.01 }, v = { x = 0, y = 0 }, t = 50, rtol = 1e-2, atol = 1e-2, method = method,
        progress = false }
      assert.equal("INACCURATE", W[1].status)
    end
    assert.is_true(lost >= 6 and kept >= 7, ("%d lost, %d kept"):format(lost, kept))
  end)

  it("is right where tolerances are of its size, and noise where it stays within atol", function()
    local S = pair()
    local r = S:simulate{ q = { x = 1, y = 0.01 }, v = { x = 0, y = 0 }, t = 50, rtol = 1e-5, atol = 1e-8, progress = false }
    assert.equal("OK", r.status, r.reason)
    assert.near(math.cos(150), r:at(50).y/0.01, 1e-2)
    assert.equal("OK", run(S, 6e-17, 1e-3, "dop853").status)
  end)

  -- the range of a force may be so short that no look at the motion finds it: the balance of a part says nothing where another one acts on it at all
  it("is no part where another one acts on it, however shortly", function()
    local S = hm.system "collision"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(hm.exp(-((x - y)*100)^2))
    local r = S:simulate{ q = { x = -1, y = 1 }, v = { x = 1.1, y = 0 }, t = 4, rtol = 1e-8, atol = 1e-8, progress = false }
    assert.equal("OK", r.status, r.reason)
    assert.near(1.1, r:at(4).v.y, 1e-5)
    local G = pair(function(a, b) return a*b*1e-6 end)
    assert.equal("OK", run(G, 1e-5, 1e-8, "dop853").status)
  end)

  it("is found in every form, and no part where quasi-velocities mix the velocities", function()
    for _, form in ipairs{ "lagrange", "canonical", "kane", "hamel", "appell" } do
      local o = { q = { x = 1, y = 0.01 }, v = { x = 0, y = 0 }, t = 50, rtol = 1e-2, atol = 1e-2, form = form, progress = false }
      assert.equal("INACCURATE", pair():simulate(o).status, form)
      o.rtol, o.atol = 1e-9, 1e-9
      assert.equal("OK", pair():simulate(o).status, form)
    end
    for _, form in ipairs{ "kane", "hamel" } do
      local S = hm.system "mixed"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:potential_energy(x^2/2 + 9*y^2/2)
      S:quasi_velocities("u w", { x.dot + y.dot, x.dot - y.dot })
      assert.equal("OK", run(S, 0.01, 1e-9).status)
      assert.equal("OK", S:simulate{ q = { x = 1, y = 0.01 }, v = { x = 0, y = 0 }, t = 50, form = form, progress = false }.status)
    end
  end)

  it("may move far, as a fast one beside a pendulum", function()
    local S = hm.system "fast"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-hm.cos(x))
    local alone = hm.system "alone"
    local a = alone:coordinates "a"
    alone:kinetic_energy(a.dot^2/2)
    alone:potential_energy(-hm.cos(a))
    local off = 0
    for _, tolerance in ipairs{ 1e-3, 1e-4, 1e-6, 1e-9 } do
      local o = { t = 200, method = "rkf45", rtol = tolerance, atol = tolerance, progress = false }
      o.q, o.v = { a = 1 }, { a = 0 }
      local known = alone:simulate(o).status
      o.q, o.v = { x = 1, y = 0 }, { x = 0, y = 1000 }
      assert.equal(known, S:simulate(o).status, ("at %g"):format(tolerance))
      off = off + (known == "INACCURATE" and 1 or 0)
    end
    assert.is_true(off >= 1)
  end)
end)
