-- fit_spec.lua: S:fit: values that are known, standard errors against the closed formula and against repeated draws, data that leave values open.
local check = require "check"
local hm = require "hamel"
local near = check.near

-- x' = v exp(-c t): the closed solution of a point that is braked
local function braked()
  local S = hm.system "braked"
  local x = S:coordinates "x"
  local c = S:positive "c=1/2"
  S:kinetic_energy(x.dot^2/2)
  S:force(x, -c*x.dot)
  return S, x, c
end

local function closed(c, v, times, noise)
  local data = { t = times, ["x'"] = {}, x = {} }
  for i, t in ipairs(times) do
    data["x'"][i] = v*math.exp(-c*t) + (noise and noise(i) or 0)
    data.x[i] = v/c*(1 - math.exp(-c*t))
  end
  return data
end

local function gauss() return math.sqrt(-2*math.log(1 - math.random()))*math.cos(2*math.pi*math.random()) end

describe("S:fit", function()
  it("finds the values of exact data, far from the guesses", function()
    local S = braked()
    local F = S:fit{ data = closed(0.3, 2, hm.range(0, 5, 26)), vary = { "c", "x'" }, q = { x = 0 }, v = { x = 1 } }
    assert.equal("OK", F.status)
    near(F.values.c, 0.3, 1e-9)
    near(F.values["x'"], 2, 1e-9)
    assert(F.errors.c < 1e-8 and F.rms < 1e-9)
    assert.equal(50, F.freedom)
    near(F.run:at(5).x, 2/0.3*(1 - math.exp(-1.5)), 1e-8)
    assert.truthy(tostring(F):find("fit of braked: 2 values from 52 numbers of x, x'", 1, true), tostring(F))
  end)

  it("has standard errors and covariances as the closed formula", function()
    local S = braked()
    local times, noise = hm.range(0, 4, 41), {}
    math.randomseed(11)
    for i = 1, 41 do noise[i] = 0.02*gauss() end
    local data = closed(0.4, 1.5, times, function(i) return noise[i] end)
    data.x = nil
    local F = S:fit{ data = data, vary = { "c", "x'" }, q = { x = 0 }, v = { x = 1 }, sigma = 0.02 }
    -- (J^T J)^-1 sigma^2 with the derivatives of v exp(-c t)
    local c, v, a, b, d = F.values.c, F.values["x'"], 0, 0, 0
    for _, t in ipairs(times) do
      local by_c, by_v = -v*t*math.exp(-c*t), math.exp(-c*t)
      a, b, d = a + by_c^2, b + by_c*by_v, d + by_v^2
    end
    local det = a*d - b^2
    near(F.covariance.c.c, 0.02^2*d/det, 1e-5*0.02^2*d/det)
    near(F.covariance["x'"]["x'"], 0.02^2*a/det, 1e-5*0.02^2*a/det)
    near(F.covariance.c["x'"], -0.02^2*b/det, 1e-5*0.02^2*math.abs(b/det))
    near(F.errors.c, math.sqrt(F.covariance.c.c), 1e-12)
    -- without sigma the residuals tell it
    local G = S:fit{ data = data, vary = { "c", "x'" }, q = { x = 0 }, v = { x = 1 } }
    near(G.values.c, c, 1e-7)
    near(G.errors.c/F.errors.c, math.sqrt(F.chi2/F.freedom), 1e-4)
  end)

  it("is off by its standard errors when the draw is repeated", function()
    local S, count, sum, chi2 = braked(), 60, 0, 0
    math.randomseed(5)
    for _ = 1, count do
      local data = closed(0.4, 1.5, hm.range(0, 4, 21), function() return 0.03*gauss() end)
      data.x = nil
      local F = S:fit{ data = data, vary = { "c", "x'" }, q = { x = 0 }, v = { x = 1 }, sigma = 0.03, rtol = 1e-9 }
      sum, chi2 = sum + ((F.values.c - 0.4)/F.errors.c)^2, chi2 + F.chi2
    end
    assert(sum/count > 0.55 and sum/count < 1.6, "mean square of the errors " .. sum/count)
    near(chi2/count, 19, 4)
  end)

  it("takes runs as data, expressions, columns with gaps, other names of the time", function()
    local S, x, c = braked()
    local run = S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 4, parameters = { c = 0.25 }, rtol = 1e-11, atol = 1e-12 }
    near(S:fit{ data = run, vary = { "c" }, q = { x = 0 }, v = { x = 1 } }.values.c, 0.25, 1e-8)
    local data = { seconds = {}, power = {} }
    for i = 1, 20 do
      data.seconds[i] = i/5
      data.power[i] = i % 7 == 0 and 0/0 or 0.25*math.exp(-0.5*i/5)
    end
    local F = S:fit{ data = data, time = "seconds", of = { power = c*x.dot^2 }, vary = { c }, t = 0, q = { x = 0 }, v = { x = 1 } }
    near(F.values.c, 0.25, 1e-8)
    assert.equal(17, F.freedom)
  end)

  it("fits the restitution of a ball that bounces", function()
    local S = hm.system "ball"
    local z = S:coordinates "z"
    local e = S:parameters "e=7/10"
    S:kinetic_energy(z.dot^2/2)
    S:potential_energy(10*z)
    S:unilateral("floor", z, { law = hm.newton(e) })
    local truth = S:simulate{ q = { z = 1 }, v = { z = 0 }, t = 1.9, parameters = { e = 0.8 }, rtol = 1e-11, atol = 1e-12 }
    local data = { t = hm.range(0, 1.9, 39), z = {} }
    for i, t in ipairs(data.t) do data.z[i] = truth:at(t).z end
    local F = S:fit{ data = data, vary = { "e" }, q = { z = 1 }, v = { z = 0 }, parameters = { e = 0.78 } }
    near(F.values.e, 0.8, 1e-7)
  end)

  it("says which values the data leave open", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    local m, k = S:positive "m=1 k=2 b=1"
    S:kinetic_energy(m*x.dot^2/2)
    S:potential_energy(k*x^2/2)
    local data = { t = hm.range(0, 6, 61), x = {} }
    for i, t in ipairs(data.t) do data.x[i] = math.cos(2*t) end
    local function fit(vary) return S:fit{ data = data, vary = vary, q = { x = 1 }, v = { x = 0 } } end
    local F = fit{ "m", "k" }
    assert.same({ "UNDETERMINED", "the data do not tell m and k apart" }, { F.status, F.reason })
    near(F.values.k/F.values.m, 4, 1e-6)
    assert.equal(math.huge, F.errors.k)
    F = fit{ "k", "b" }
    assert.same({ "UNDETERMINED", "nothing that is compared depends on b" }, { F.status, F.reason })
    assert.equal("OK", fit{ "k" }.status)
  end)

  it("refuses what it cannot use", function()
    local S = braked()
    local data, start = closed(0.3, 2, hm.range(0, 5, 26)), { q = { x = 0 }, v = { x = 1 } }
    local function given(more)
      local o = { data = data, vary = { "c" }, q = start.q, v = start.v }
      for key, value in pairs(more) do o[key] = value ~= "nothing" and value or nil end
      return o
    end
    for words, more in pairs{
      ["the data are missing"] = { data = "nothing" }, ["vary what"] = { vary = "nothing" }, ["no column 'time'; they have t, x, x'"] = { time = "time" },
      ["neither a parameter nor a coordinate"] = { vary = { "k" } }, ["vary names 'c' twice"] = { vary = { "c", "c" } },
      ["a guess of x' is missing"] = { vary = { "x'" }, v = {} }, ["before the start t = 1"] = { t = 1 },
      ["has 2 values for 26 times"] = { data = { t = data.t, x = { 1, 2 } } },
      ["value 1 is no number"] = { data = { t = { "a" }, x = { 1 } } }, ["no column has the name of a coordinate"] = { data = { t = data.t, y = data.x } },
      ["sigma of the column 'x' is missing"] = { sigma = { ["x'"] = 1 } }, ["all data are at the time of the start"] = { data = { t = { 0 }, x = { 1 } } },
      ["1 numbers cannot determine 2 values"] = { data = { t = { 1 }, x = { 1 } }, vary = { "c", "x'" } },
    } do check.raises({ words }, S.fit, S, given(more)) end
    -- a run that ends at the guess
    local R = hm.system "root"
    local s = R:coordinates "s"
    local a = R:parameters "a=1"
    R:kinetic_energy(s.dot^2/2)
    R:force(s, a*hm.sqrt(1 - s))
    check.raises({ "fit: the run at the guess fails" }, R.fit, R, { data = { t = { 0, 5 }, s = { 0, 3 } }, vary = { "a" }, q = { s = 0 }, v = { s = 1 } })
  end)
end)
