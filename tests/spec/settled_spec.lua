-- singular places of models whose pivots are clear of zero everywhere for some parameters, sides of a corner or times, and vanish for others
local hm, check = require "hamel", require "check"
local sin = hm.sin

-- y without inertia where w = a; x goes at a constant speed while y rests
local function slider(w)
  local S = hm.system "slider"
  local x, y = S:coordinates "x y"
  local a = S:parameters "a=2"
  S:kinetic_energy(x.dot^2/2 + (a - w(x))*y.dot^2/2)
  return S
end
local start = { q = { x = 0, y = 0 }, v = { x = 1, y = 0 }, t = 2, progress = false }
local function run_of(S, a, method, more)
  local o = { method = method, parameters = { a = a }, step = (method == "rk4" or method == "gauss4") and 0.01 or nil }
  for key, value in pairs(start) do o[key] = value end
  for key, value in pairs(more or {}) do o[key] = value end
  return S:simulate(o)
end

describe("a mass matrix that is regular everywhere or not", function()
  it("counts with the parameters of each run of the same model", function()
    local S = slider(function(x) return sin(x) end)
    for _, method in ipairs{ "dop853", "taylor", "auto", "rk8pd", "radau5", "rk4", "gauss4" } do
      for _, a in ipairs{ 2, 0.5, 2, 1.01, 0.8, 3 } do
        local run, label = run_of(S, a, method), ("%s, a = %g"):format(method, a)
        assert.are.equal(a < 1 and "SINGULAR_MASS" or "OK", run.status, label)
        check.near(run.outcome.t, a < 1 and math.asin(a) or 2, 1e-6, label)
      end
    end
  end)

  it("counts with the parameters of each row of a sweep, alone and in lanes", function()
    local S = slider(function(x) return sin(x) end)
    for _, method in ipairs{ "dop853", "taylor" } do
      for _, lanes in ipairs{ 1, 4 } do
        local o = { over = { { "parameters.a", { 2, 0.5, 3, 1.5, 0.9, 2.5, 0.7, 2 } } }, method = method, lanes = lanes, keep = { "x" } }
        for key, value in pairs(start) do o[key] = value end
        local sweep = S:sweep(o)
        for i, row in ipairs(sweep) do
          assert.are.equal(row.a < 1 and "SINGULAR_MASS" or "OK", row.status, ("%s, %d lanes, row %d"):format(method, lanes, i))
        end
      end
    end
  end)

  it("counts with the parameters that all rows share", function()
    local S = slider(function(x) return sin(x) end)
    for _, a in ipairs{ 0.5, 2, 0.8 } do
      for _, lanes in ipairs{ 1, 4, 8 } do
        for i, row in ipairs(S:sweep{ q = start.q, v = { y = 0 }, t = 2, over = { { "v.x", hm.range(0.5, 3, 11) } }, parameters = { a = a }, method = "taylor",
                                      lanes = lanes, keep = { "x" }, progress = false }) do
          local meets = a < 1 and math.asin(a) < 2*(0.5 + 0.25*(i - 1))
          assert.are.equal(meets and "SINGULAR_MASS" or "OK", row.status, ("a = %g, %d lanes, row %d"):format(a, lanes, i))
        end
      end
    end
  end)

  it("counts with the side of a corner that holds", function()
    -- 1 for x < 0, whichever state, and 1 - sin(x) beyond
    local S = slider(function(x) return (sin(x) + hm.abs(sin(x)))/2 end)
    for _, method in ipairs{ "dop853", "auto", "rk8pd", "radau5", "rk4", "gauss4" } do
      local run = run_of(S, 1, method, { q = { x = -0.5, y = 0 }, t = 4 })
      assert.are.equal("SINGULAR_MASS", run.status, method)
      check.near(run.outcome.t, math.pi/2 + 0.5, 1e-6, method)
      assert.are.equal("OK", run_of(S, 1.5, method, { q = { x = -0.5, y = 0 }, t = 4 }).status, method)
    end
  end)

  it("counts with the time", function()
    local S = slider(function() return sin(hm.t) end)
    for _, method in ipairs{ "dop853", "taylor", "auto", "rk8pd", "rk4" } do
      for _, a in ipairs{ 2, 0.5, 1.2 } do
        local run = run_of(S, a, method)
        assert.are.equal(a < 1 and "SINGULAR_MASS" or "OK", run.status, method)
        check.near(run.outcome.t, a < 1 and math.asin(a) or 2, 1e-6, method)
      end
    end
  end)

  it("does not hide a pole of the forces", function()
    -- M = 1 everywhere; the potential has a pole where d <= 1
    local S = hm.system "well"
    local x = S:coordinates "x"
    local d = S:parameters "d=2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(-1/(d - sin(x))/2)
    for _, method in ipairs{ "dop853", "taylor", "auto", "rk4" } do
      for _, value in ipairs{ 2, 0.5, 2 } do
        local run = S:simulate{ q = { x = 0 }, v = { x = 0.5 }, t = 3, parameters = { d = value }, method = method,
                                step = method == "rk4" and 0.002 or nil, progress = false }
        assert.are.equal(value == 2 and "OK" or "SINGULAR", run.status, ("%s, d = %g: %s"):format(method, value, tostring(run.reason)))
      end
    end
  end)

  it("refuses parameters that are no numbers", function()
    local S = slider(function(x) return sin(x) end)
    for _, a in ipairs{ math.huge, -math.huge, 0/0 } do
      check.raises({ "a" }, run_of, S, a, "dop853")
      assert.are.equal("OK", run_of(S, 2, "dop853").status)
    end
  end)
end)
