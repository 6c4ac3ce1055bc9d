-- Steps of one size in vector lanes: rk4 and the methods of Gauss in S:sweep, S:chart, and the derivatives of their steps
local hm, check, lanes, mechanics = require "hamel", require "check", require "lanes", require "mechanics"
local near, sweep, compare = check.near, lanes.sweep, lanes.compare

local GAUSS = { "gauss4", "gauss6", "gauss8" }

-- Sums and products only, so that all executors return the same bits
local henon = mechanics.henon_heiles

local function pendulum()
  local S = hm.system "pendulum"
  local phi = S:coordinates "phi"
  local c, g = S:positive "c=0.1 g=9.81"
  S:kinetic_energy(phi.dot^2/2)
  S:potential_energy(-g*hm.cos(phi))
  S:force(phi, -c*phi.dot + hm.cos(hm.t))
  return S
end

-- A single run evaluates x' once more at its start
local function in_lanes(one, other) return other.evaluations == one.evaluations - 1 end

local function values_near(one, other, names, tolerance)
  lanes.at_times(one, other, function(row, beside)
    for _, name in ipairs(names) do
      if tolerance == 0 then assert.equal(row[name], beside[name]) else near(beside[name], row[name], tolerance) end
    end
  end)
end

local function start_of_henon(more)
  local o = { over = { { "x", hm.range(0.01, 0.2, 19) } }, q = { y = 0.1 }, v = { x = 0.1, y = 0.1 }, keep = { "x", "y", "x'" } }
  for k, value in pairs(more) do o[k] = value end
  return o
end

describe("steps of one size in lanes", function()
  -- arbiter: single runs
  it("give the bits of single runs by rk4, at its points, between them, and backward", function()
    local S = henon()
    local spans = { { t = 30, step = 0.05 }, { times = { 0, 0.013, 1, 1, 2.005, 9.99 }, step = 0.03 }, { t = { 2, -7 }, step = 0.1 }, { t = 1, step = 3e-2 } }
    for _, span in ipairs(spans) do
      span.method = "rk4"
      compare(S, start_of_henon(span), function(one, other)
        assert.equal("OK", other.status)
        assert.equal(one.steps, other.steps)
        assert.truthy(in_lanes(one, other))
        values_near(one, other, { "x", "y", "x'" }, 0)
      end)
    end
  end)

  it("give the numbers of single runs by the methods of Gauss", function()
    local S = henon()
    for _, method in ipairs(GAUSS) do
      for _, span in ipairs{ { t = 20, step = 0.05 }, { times = { 0.013, 1, 2.005, 9.99 }, step = 0.03 }, { t = { 2, -7 }, step = 0.1 } } do
        span.method = method
        compare(S, start_of_henon(span), function(one, other)
          assert.equal("OK", other.status)
          assert.equal(one.steps, other.steps)
          values_near(one, other, { "x", "y", "x'" }, 2e-14)
        end)
      end
    end
  end)

  it("give the same bits for 4 and 8 lanes, for any number of threads, and beside any neighbours", function()
    local S = pendulum()
    for _, method in ipairs{ "rk4", "gauss6" } do
      local function run(values, count, threads)
        return sweep(S, { over = { { "phi", values } }, v = { phi = 0.3 }, t = 10, step = 0.02, method = method }, count, threads)
      end
      local values = hm.range(-1, 1, 21)
      local first = run(values, 4, 1)
      for _, count in ipairs{ 4, 8 } do
        for threads = 1, 3 do
          for i, row in ipairs(run(values, count, threads)) do
            assert.equal("OK", row.status)
            assert.equal(first[i].phi, row.phi)
          end
        end
      end
      -- one that the lanes lose, and one alone
      assert.equal(first[21].phi, run({ 1e3, 1, 2, 3 }, 4, 1)[2].phi)
      assert.equal(first[21].phi, run({ 1 }, 8, 1)[1].phi)
    end
  end)

  it("keep the constraints, by projection", function()
    local S = hm.system "pendulum in the plane"
    local x, y = S:coordinates "x y"
    local g = S:positive "g=9.81"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(g*y)
    S:constraint("rod", x^2 + y^2 - 1)
    for _, method in ipairs{ "rk4", "gauss6" } do
      for _, project in ipairs{ true, false } do
        local given = { over = { { "v.x", hm.range(0.5, 2, 9) } }, q = { x = 0, y = -1 }, v = { y = 0 }, t = 3, step = 0.01, method = method, project = project,
          keep = { "x", "y", length = x^2 + y^2 }, form = "lagrange" }
        compare(S, given, function(one, other)
          assert.equal(one.status, other.status)
          assert.equal("OK", one.status)
          values_near(one, other, { "x", "y" }, 1e-11)
          near(other.length, 1, project and 1e-8 or 1e-5)
        end)
      end
    end
  end)

  it("leave to the general route what is no clear case, with its verdict and words", function()
    local S = henon()
    local cases = {
      { S, start_of_henon{ t = 20, step = 0.7, method = "rk4" }, "INACCURATE" },                       -- steps too long
      { S, { over = { { "x", { 0.1, 3, 0.2, 5, 0.15 } } }, q = { y = 0.1 }, v = { x = 0.1, y = 0.1 }, t = 30, step = 0.01, method = "rk4" } },   -- runs away
      { S, start_of_henon{ t = 20, step = 0.05, max_steps = 100, method = "gauss6" }, "TOO_MANY_STEPS" },
      { S, start_of_henon{ t = { 1e6, 1e6 + 1e-8 }, step = 1e-12, method = "rk4" } },                   -- the time hardly changes
    }
    local P, x = mechanics.body("stiff", "x")
    P:force(x, -1e6*x - x.dot)
    cases[#cases + 1] = { P, { over = { { "x", hm.range(0.5, 1, 9) } }, v = { x = 0 }, t = 1, step = 0.1, method = "gauss6" }, "STEP_COLLAPSED" }
    -- a drive that is the same at all stages of all steps, and a narrow trough that they pass over
    local D, z = mechanics.body("driven", "z")
    D:force(z, hm.cos(40*hm.pi*hm.t) - z)
    cases[#cases + 1] = { D, { over = { { "z", hm.range(0.5, 1, 9) } }, v = { z = 0 }, t = 10, step = 0.1, method = "rk4" }, "INACCURATE" }
    local N, w = mechanics.body("trough", "w")
    N:force(w, -20/(1 + 1e6*(w - hm.rational(1, 3))^2))
    cases[#cases + 1] = { N, { over = { { "w'", hm.range(1, 2, 9) } }, q = { w = 0 }, t = 1, step = 0.05, method = "rk4" } }
    for _, case in ipairs(cases) do
      local system, given, status = table.unpack(case)
      local list = compare(system, given, function(one, other)
        assert.equal(one.status, other.status)
        assert.equal(one.reason, other.reason)
        assert.equal(one.t, other.t)
      end)
      if status then assert.equal(status, list[1].status) end
    end
  end)

  it("do not step over singular places", function()
    local S = hm.system "mass that vanishes"
    local x = S:coordinates "x"
    S:kinetic_energy((1 - x)*x.dot^2/2)
    local P = hm.system "pole"
    local r = P:coordinates "r"
    P:kinetic_energy(r.dot^2/2)
    P:potential_energy(-1/r)
    for _, method in ipairs{ "rk4", "gauss4" } do
      compare(S, { over = { { "v.x", { 0.1, 0.3, 1, 0.2, -0.5 } } }, q = { x = 0 }, t = 2, step = 0.05, method = method }, function(one, other)
        assert.equal(one.status, other.status)
        assert.equal(one.v_x == nil, other.v_x == nil)
        if one.status == "OK" then near(other.x, one.x, 1e-12) else near(other.t, one.t, 1e-9) end
      end)
      compare(P, { over = { { "v.r", { -0.5, 0.3, 2, -3 } } }, q = { r = 1 }, t = 2, step = 0.03, method = method }, function(one, other)
        assert.equal(one.status, other.status)
        if one.status == "OK" then near(other.r, one.r, 1e-12) end
      end)
    end
  end)
end)

describe("derivatives of steps of one size", function()
  -- arbiter: M^T J M = J of a symplectic map
  it("are symplectic where the method is", function()
    local S = henon()
    local J = { { 0, 0, 1, 0 }, { 0, 0, 0, 1 }, { -1, 0, 0, 0 }, { 0, -1, 0, 0 } }
    local function defect(method)
      local M = S:variations{ q = { x = 0.1, y = 0.1 }, v = { x = 0.3, y = 0.1 }, t = 10, method = method, step = 0.25 }:matrix(10)
      local worst = 0
      for a = 1, 4 do
        for b = 1, 4 do
          local sum = 0
          for i = 1, 4 do for j = 1, 4 do sum = sum + M[i][a]*J[i][j]*M[j][b] end end
          worst = math.max(worst, math.abs(sum - J[a][b]))
        end
      end
      return worst
    end
    for _, method in ipairs(GAUSS) do assert.truthy(defect(method) < 1e-13) end
    assert.truthy(defect "rk4" > 1e-6)                                    -- the test sees the difference
  end)

  -- arbiter: S:lyapunov of one motion, which runs one after the other
  it("give the exponents of S:lyapunov in charts", function()
    local S = henon()
    local starts = { 0.1, 0.12, 0.15, 0.05, 0.11, 0.02, 0.2, 0.18, 0.1 }
    for k, method in ipairs{ "rk4", "gauss4", "gauss6", "gauss8" } do
      -- a whole number of steps, but for rounding, and none
      local skip = k % 2 == 0 and 5 or 5.03
      for _, count in ipairs{ 4, 8 } do
        local C = S:chart{ over = { { "x", starts } }, q = { y = 0.1 }, v = { x = 0.3, y = 0.1 }, t = 40, skip = skip, of = "exponents", method = method,
          step = 0.1, lanes = count, progress = false }
        for _, i in ipairs{ 1, 5, 9 } do
          local L = S:lyapunov{ q = { x = starts[i], y = 0.1 }, v = { x = 0.3, y = 0.1 }, t = 40, skip = skip, method = method, step = 0.1 }
          assert.equal("OK", C[i].status)
          for e = 1, 4 do near(C[i].exponents[e], L.exponents[e], 1e-13) end
        end
        assert.equal(C[1].exponents[1], C[9].exponents[1])
      end
    end
  end)

  -- arbiter: dop853
  it("come near the exponents of the motion for short steps, and are refused for long ones", function()
    local S = henon()
    local start = { q = { x = 0.1, y = 0.1 }, v = { x = 0.3, y = 0.1 }, t = 40 }
    local function exponents(method, step)
      local L = S:lyapunov{ q = start.q, v = start.v, t = start.t, method = method, step = step, rtol = 1e-10 }
      return L.exponents[1]
    end
    near(exponents("gauss8", 0.1), exponents("dop853"), 1e-9)
    near(exponents("rk4", 0.02), exponents("dop853"), 1e-6)
    check.raises({ "lyapunov", "the steps of 1.2", "smaller step" }, exponents, "rk4", 1.2)
    check.raises({ "lyapunov", "'rk4' makes steps of one size", "give step" }, exponents, "rk4")
    local C = S:chart{ over = { { "x", { 0.1, 0.2 } } }, q = { y = 0.1 }, v = { x = 0.3, y = 0.1 }, t = 40, of = "exponents", method = "rk4", step = 1.2,
      progress = false }
    assert.equal("NO_EXPONENTS", C[1].status)
    assert.truthy(C[1].reason:find("the steps of 1.2", 1, true))
  end)
end)
