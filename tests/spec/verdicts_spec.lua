-- the same verdict by S:simulate, by rows of S:sweep and by S:reference
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

describe("a row of a sweep", function()
  it("is INACCURATE where the run alone is", function()
    local S, speeds = mechanics.kepler(), { 0.05, 0.1, 0.9 }
    local o = { q = { x = 1, y = 0 }, v = { x = 0 }, t = 7, method = "rk4", step = 0.02, progress = false, over = { { "v.y", speeds } } }
    local W, seen = S:sweep(o), {}
    for i, speed in ipairs(speeds) do
      local run = S:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = speed }, t = 7, method = "rk4", step = 0.02, progress = false }
      assert.equal(run.status, W[i].status)
      seen[run.status] = true
      if run.status ~= "OK" then assert.truthy(W[i].reason:find("take a smaller step", 1, true)) end
    end
    assert.truthy(seen.OK and seen.INACCURATE)
    o.method, o.step = "dop853", nil
    for _, row in ipairs(S:sweep(o)) do assert.equal("OK", row.status) end
  end)
end)

describe("a constraint whose whole row vanishes", function()
  local function cone()
    local S = hm.system "cone"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:potential_energy(z)
    S:constraint("cone", x.dot^2 + y.dot^2 - z.dot^2)
    return S
  end
  local start = { q = { x = 0, y = 0, z = 0 }, v = { x = 3, y = 4, z = 5 } }

  -- arbiter: z'' = -1/2 along a generator
  it("stops every method at its time", function()
    local S = cone()
    for method, step in pairs{ dop853 = 0, taylor = 0, auto = 0, radau5 = 0, rk8pd = 0, rkf45 = 0, msadams = 0, msbdf = 0, rk4 = 0.01, gauss4 = 0.01,
                               gauss8 = 0.01, dla = 0.01 } do
      local run = S:simulate{ q = start.q, v = start.v, t = 15, method = method, step = step > 0 and step or nil, progress = false }
      assert.equal("DEPENDENT_CONSTRAINTS", run.status, method .. ": " .. tostring(run.reason))
      check.near(run.outcome.t, 10, 1e-6, method)
      assert.truthy(run.reason:find("'cone' restrains no acceleration", 1, true), method)
    end
  end)

  it("stops rows of sweeps and S:reference", function()
    local S = cone()
    for _, method in ipairs{ "dop853", "taylor" } do
      for _, row in ipairs(S:sweep{ over = { { "q.x", hm.range(0, 1, 9) } }, q = { y = 0, z = 0 }, v = start.v, t = 15, method = method, progress = false }) do
        assert.equal("DEPENDENT_CONSTRAINTS", row.status, method)
      end
    end
    check.raises({ "restrains no acceleration" }, S.reference, S, { q = start.q, v = start.v, t = 15 })
    local at = check.message(S.reference, S, { q = start.q, v = start.v, t = 15 }):match "stopped at t = ([%d.]+):"
    check.near(tonumber(at), 10, 1e-4, "the instant")
  end)
end)

describe("one step far beyond a flat position", function()
  it("is not made, by any method at any tolerance", function()
    local S = hm.system "parallelogram"
    local a, b, c = S:coordinates "a b c"
    S:kinetic_energy((a.dot^2 + b.dot^2 + c.dot^2)/2)
    S:constraint("along", hm.cos(a) + 2*hm.cos(b) - hm.cos(c) - 2)
    S:constraint("across", hm.sin(a) + 2*hm.sin(b) - hm.sin(c))
    for rate, time in pairs{ [-1] = 1, [1] = math.pi - 1 } do
      for _, method in ipairs{ "dop853", "taylor", "auto", "radau5", "rk8pd", "rkf45", "msadams", "msbdf" } do
        for _, tolerance in ipairs{ 1e-3, 1e-6, 1e-9, 1e-12 } do
          local run = S:simulate{ q = { a = 1, b = 0, c = 1 }, v = { a = rate }, t = 4, method = method, rtol = tolerance, atol = tolerance, progress = false }
          assert.equal("DEPENDENT_CONSTRAINTS", run.status, ("%s at %g"):format(method, tolerance))
          check.near(run.outcome.t, time, 1e-6, method)
        end
      end
      check.raises({ "restrains no acceleration" }, S.reference, S, { q = { a = 1, b = 0, c = 1 }, v = { a = rate }, t = 4 })
    end
  end)
end)

describe("rows of sweeps and runs alone", function()
  local function same(S, o, over)
    o.progress = false
    local alone = S:simulate(o)
    o.over = over
    local row = S:sweep(o)[1]
    assert.equal(alone.status, row.status, ("%s: %s for %s"):format(o.method, tostring(row.reason), tostring(alone.reason)))
    return row
  end

  it("say the same of constraints that drift without projection", function()
    local S = hm.system "pendulum"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(hm.number "9.81"*y)
    S:constraint("rod", x^2 + y^2 - 1)
    local seen = {}
    for _, method in ipairs{ "dop853", "taylor", "rkf45" } do
      for _, tolerance in ipairs{ 1e-4, 1e-6 } do
        for _, t in ipairs{ 10, 60, 150 } do
          local row = same(S, { q = { x = 1, y = 0 }, v = { y = 0 }, t = t, rtol = tolerance, atol = tolerance, method = method, project = false },
            { { "v.y", { 0 } } })
          seen[row.status] = true
        end
      end
    end
    assert.is_true(seen.OK and seen.INACCURATE)
  end)

  it("say the same of energies that fixed steps keep on the way only", function()
    for _, case in ipairs{ { "rk4", 0.05, 0.5 }, { "gauss4", 0.01, 0.3 }, { "rk4", 0.02, 0.1 } } do
      same(mechanics.kepler(), { q = { x = 1, y = 0 }, v = { x = 0, y = case[3] }, t = 7, method = case[1], step = case[2] }, { { "v.y", { case[3] } } })
    end
  end)

  it("say the same of corners of constraints", function()
    local S = hm.system "corner"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("corner", hm.abs(x) - hm.abs(y))
    for _, method in ipairs{ "dop853", "radau5", "rk4" } do
      for _, project in ipairs{ true, false } do
        local row = same(S, { q = { x = -1, y = 1 }, v = { x = 1, y = -1 }, t = 2, method = method, step = method == "rk4" and 0.01 or nil, project = project },
          { { "v.x", { 1 } } })
        assert.equal("SINGULAR", row.status)
        assert.is_nil(row.x)
        check.near(row.t, 1, 0.05)
      end
    end
  end)
end)

describe("a state of a run", function()
  it("serves S:accelerations and S:velocities as it serves S:simulate", function()
    local S = hm.system "pendulum"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(hm.number "9.81"*y)
    S:constraint("rod", x^2 + y^2 - 1)
    S:quasi_velocities("w", { x*y.dot - y*x.dot })
    local run = S:simulate{ q = { x = 1, y = 0 }, v = { y = 0 }, t = 5, rtol = 1e-5, atol = 1e-5, progress = false }
    for k = 1, 40 do
      local s = run:at(k/8)
      local a = S:accelerations(s)
      assert.equal(s.t, a.t)
      check.near(a.a.x, s.a.x, 1e-6)
      check.near(a.lambda.rod, s.lambda.rod, 1e-6)
      check.near(S:velocities(s).y, s.v.y, 1e-9)
      check.near(S:accelerations{ q = s.q, v = s.v }.a.y, s.a.y, 1e-6)
      S:simulate{ q = s.q, v = s.v, t = 0.1, progress = false }
    end
    -- names of quasi-velocities
    local named = { q = { x = 1, y = 0 }, v = { w = 1 } }
    check.near(S:velocities(named).y, 1, 1e-12)
    check.near(S:accelerations(named).a.x, -1, 1e-12)
  end)
end)

describe("a constraint with high powers", function()
  local function system(power, level)
    local S = hm.system "power"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("c", y^power - hm.number(level))
    return S
  end

  it("is not off by the rounding of its terms", function()
    for _, case in ipairs{ { 9, 1e30 }, { 8, 1e30 }, { 9, 1e35 }, { 3, 1e30 } } do
      local run = system(case[1], case[2]):simulate{ q = { x = 0 }, v = { x = 1 }, t = 1, progress = false }
      assert.equal("OK", run.status, tostring(run.reason))
      check.near(run:at(1).y/case[2]^(1/case[1]), 1, 1e-12)
    end
  end)

  it("whose root is not found is not said to have none", function()
    check.raises({ "'c' is violated by 1e+300", "no value of y was found that satisfies it; give it" }, system(9, 1e300).simulate, system(9, 1e300),
      { q = { x = 0 }, v = { x = 1 }, t = 1 })
    -- the advice works
    assert.equal("OK", system(9, 1e300):simulate{ q = { x = 0, y = 1e300^(1/9) }, v = { x = 1 }, t = 1, progress = false }.status)
  end)
end)

describe("a motion as small as atol", function()
  local S, x = mechanics.body("oscillator", "x")
  S:potential_energy(x^2/2)

  it("is inaccurate where its energy is lost, by every method and in sweeps", function()
    for _, method in ipairs{ "dop853", "taylor", "auto", "radau5" } do
      local run = S:simulate{ q = { x = 1e-12 }, v = { x = 0 }, t = 20, method = method, atol = 1e-9 }
      assert.equal("INACCURATE", run.status)
      assert.truthy(run.reason:find("smaller atol", 1, true))
    end
    local W = S:sweep{ over = { { "x", { 1e-12, 1 } } }, v = { x = 0 }, t = 20, keep = { "x" }, atol = 1e-9 }
    assert.equal("INACCURATE", W[1].status)
    assert.equal("OK", W[2].status)
  end)

  it("is right where no atol is given, which is then of its size", function()
    for _, method in ipairs{ "dop853", "taylor", "auto", "radau5" } do
      local run = S:simulate{ q = { x = 1e-12 }, v = { x = 0 }, t = 20, method = method }
      assert.equal("OK", run.status)
      assert.near(math.cos(20), run:at(20).x/1e-12, 1e-5)
    end
    local W = S:sweep{ over = { { "x", { 1e-12, 1 } } }, v = { x = 0 }, t = 20, keep = { "x" } }
    for _, row in ipairs(W) do
      assert.equal("OK", row.status)
      assert.near(math.cos(20), row.x/row["q.x"], 1e-5)
    end
  end)

  it("is right with a smaller atol, and rest is rest", function()
    local run = S:simulate{ q = { x = 1e-12 }, v = { x = 0 }, t = 20, atol = 1e-22 }
    assert.equal("OK", run.status)
    assert.near(math.cos(20), run:at(20).x/1e-12, 1e-7)
    assert.equal("OK", S:simulate{ q = { x = 0 }, v = { x = 0 }, t = 20 }.status)
  end)
end)
