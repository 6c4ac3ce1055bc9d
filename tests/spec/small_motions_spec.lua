-- One motion in many units: of length, down to sizes far below the absolute tolerance, and of time. Arbiters: the same motion in units 1, as all equations here
-- scale exactly, and closed forms.
local hm, check = require "hamel", require "check"
local near = check.near

local T = 2*math.pi/1.2

-- x'' + 0.3 x' - x + b x^3 = g cos(1.2 t): with b = 1/X^2 and g ~ X the motion is X times that of X = 1
local function duffing()
  local S = hm.system "Duffing"
  local x = S:coordinates "x"
  local g, b = S:parameters "g b"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(b*x^4/4 - x^2/2)
  S:force(x, -0.3*x.dot + g*hm.cos(1.2*hm.t))
  return S
end

local function start(X, more)
  local o = { parameters = { b = 1/X^2 }, q = { x = 0.43*X }, v = { x = 0.33*X }, progress = false }
  for key, value in pairs(more) do o[key] = value end
  return o
end

local function chart_at(S, X, atol)
  return S:chart(start(X, { over = { { "g", { 0.288*X, 0.35*X } } }, of = { most = "max x", mean = "mean x" }, t = 20*T, atol = atol }))
end

local GIVEN = 1e-9                      -- the usual atol; where it is given nothing else is chosen

local function run_at(S, X, atol) return S:simulate(start(X, { parameters = { b = 1/X^2, g = 0.288*X }, t = 20*T, atol = atol })) end

describe("a motion far below atol", function()
  local SIZES = { 1e-8, 1e-9, 1e-12, 1e-13, 1e-15, 1e-18 }

  it("is right with an atol that is chosen, or one of its size, and refused with a larger one", function()
    local S = duffing()
    local known, run = chart_at(S, 1), run_at(S, 1)
    for _, X in ipairs(SIZES) do
      for i, row in ipairs(chart_at(S, X, GIVEN)) do assert.is_true(row.status ~= "OK", ("X = %g, row %d: %s"):format(X, i, row.status)) end
      local other = run_at(S, X, GIVEN)
      assert.is_true(other.status ~= "OK", ("X = %g"):format(X))
      assert.truthy(other.reason:find("smaller atol", 1, true), other.reason)
      for _, atol in ipairs{ 1e-9*X, false } do
        for i, row in ipairs(chart_at(S, X, atol or nil)) do
          assert.equal("OK", row.status)
          near(row.most/X, known[i].most, 1e-7)
          near(row.mean/X, known[i].mean, 1e-7)
        end
        local own = run_at(S, X, atol or nil)
        assert.equal("OK", own.status)
        near(own:at(20*T).x/X, run:at(20*T).x, 1e-7)
      end
    end
  end)

  -- cos(pi/2) is 6e-17. Energies of motions of 1e-200 are below the range of numbers, and those beside -cos(x) below its rounding
  it("is right over many periods, and where it grows slowly", function()
    local S = hm.system "pendulum"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(-hm.cos(x))
    for _, e in ipairs{ 1e-12, 1e-8, 9e-7, 3e-5 } do
      local run = S:simulate{ q = { x = e }, v = { x = 0 }, t = 1000, progress = false }
      assert.equal("OK", run.status)
      near(run:at(1000).x/e, math.cos(1000), 1e-4)
    end
    local W = S:sweep{ over = { { "x", { 1e-8, 1e-5 } } }, v = { x = 0 }, t = 1000, keep = { "mean x^2" }, progress = false }
    for _, row in ipairs(W) do near(row["mean x^2"]/row["q.x"]^2, 0.5 + math.sin(2000)/4000, 1e-4) end
    -- x'' = -sin x + (1/1000 - x^2) x': swings grow as exp(t/2000), until they are near 0.06
    S:force(x, (hm.rational(1, 1000) - x^2)*x.dot)
    local run = S:simulate{ q = { x = 1e-8 }, v = { x = 0 }, t = 2000, progress = false }
    local last = run:at(2000)
    near(math.sqrt(last.x^2 + last.v.x^2)/1e-8, math.exp(1), 2e-3)
  end)

  it("is right beside a rest, from starts that are zero but for rounding", function()
    for _, c in ipairs{ 0, 0.2 } do
      for _, flat in ipairs{ true, false } do
        local S = hm.system "pendulum"
        local x = S:coordinates "x"
        S:kinetic_energy(x.dot^2/2)
        S:potential_energy(flat and -hm.cos(x) or x^2/2 + x^4/4)
        S:force(x, -c*x.dot)
        local w, starts = math.sqrt(1 - c^2/4), { math.cos(math.pi/2), 0.01, 1e-12, 0, 1e-20, 1e-100, 1e-200 }
        local function known(t) return math.exp(-c/2*t)*(math.cos(w*t) + c/2/w*math.sin(w*t)) end
        local C = S:sweep{ over = { { "x", starts } }, v = { x = 0 }, t = 20, keep = { x = "x", most = "max x" }, progress = false }
        for i, X in ipairs(starts) do
          assert.equal("OK", C[i].status, C[i].reason)
          if X ~= 0 and X ~= 0.01 then
            near(C[i].x/X, known(20), 1e-7)
            near(C[i].most/X, 1, 1e-7)
            local run = S:simulate{ q = { x = X }, v = { x = 0 }, t = 20 }
            assert.equal("OK", run.status)
            near(run:at(20).x/X, known(20), 1e-7)
          end
        end
        for _, row in ipairs(S:chart{ over = { { "x", starts } }, v = { x = 0 }, t = 200, of = "basin", progress = false }) do
          assert.equal("OK", row.status, row.reason)
          assert.equal(c == 0 and "none" or "1", row.label)
        end
      end
    end
  end)

  it("is right or refused where it begins at rest and a small force drives it; rest is rest", function()
    local S = hm.system "driven"
    local x = S:coordinates "x"
    local g = S:parameters "g"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, g*hm.sin(hm.number "0.5"*hm.t))
    local function run(size, atol) return S:simulate{ parameters = { g = size }, q = { x = 0 }, v = { x = 0 }, t = 40, atol = atol } end
    for _, size in ipairs{ 1e-12, 1e-15 } do
      assert.equal("INACCURATE", run(size, GIVEN).status)
      -- x = g (sin t/2 - sin(t)/2)/(1 - 1/4)
      for _, atol in ipairs{ 1e-9*size, false } do near(run(size, atol or nil):at(40).x/size, (math.sin(20) - math.sin(40)/2)/0.75, 1e-6) end
    end
    assert.equal("OK", run(0).status)
  end)

  -- the errors drive it to frequencies a thousand times as high
  it("ends after few steps, which many periods do not change", function()
    local S = duffing()
    local function period(X, atol)
      return S:chart(start(X, { over = { { "g", { 0.2*X } } }, of = "period", stroboscope = T, t = 500*T, skip = 400*T, atol = atol }))[1]
    end
    local known = period(1).period
    for _, X in ipairs{ 1e-12, 1e-15 } do
      -- charts choose an atol by the size of the motion
      assert.equal(known, period(X).period)
      local row = period(X, 1e-11)
      assert.is_true(row.status ~= "OK")
      assert.is_true(row.steps <= 5000, row.steps)
      assert.truthy(row.reason:find("atol", 1, true), row.reason)
      local run = S:simulate(start(X, { parameters = { b = 1/X^2, g = 0.3*X }, t = 500*T, atol = GIVEN }))
      assert.is_true(run.status ~= "OK" and run.outcome.steps <= 5000, run.outcome.steps)
    end
  end)

  it("has its exponents: directions bound the steps", function()
    local S = duffing()
    local function exponent(X)
      local C = S:chart(start(X, { over = { { "g", { 0.2*X } } }, of = "exponents", t = 40*T }))
      assert.equal("OK", C[1].status)
      return C[1].exponent1
    end
    local known = exponent(1)
    for _, X in ipairs{ 1e-9, 1e-12, 1e-18 } do near(exponent(X), known, 1e-8) end
  end)
end)

describe("the regime of exponents", function()
  it("is the same in all units of time", function()
    for _, unit in ipairs{ 1e-6, 1e3, 1e9 } do
      local S = hm.system "Duffing"
      local x = S:coordinates "x"
      local g, w, c, a = S:parameters "g w c a"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(a*(x^4/4 - x^2/2))
      S:force(x, -c*x.dot + g*hm.cos(w*hm.t))
      local C = S:chart{ over = { { "g", { 0.2/unit^2, 0.5/unit^2 } } }, parameters = { w = 1.2/unit, c = 0.3/unit, a = 1/unit^2 }, q = { x = 0.43 },
        v = { x = 0.33/unit }, of = "exponents", t = 1500*T*unit, skip = 100*T*unit, progress = false, atol = 1e-9*math.min(1, 1/unit) }
      local words = tostring(C)
      assert.truthy(words:find("chaos (+ -)              1", 1, true), ("unit %g: %s"):format(unit, words))
      assert.truthy(words:find("driven cycle (- -)       1", 1, true), ("unit %g: %s"):format(unit, words))
    end
  end)

  -- x'' + 2 d x' + x = cos(1.3 t): both exponents are -d
  it("tells slow damping, whatever its rate", function()
    for _, d in ipairs{ 1e-2, 5e-5 } do
      local S = hm.system "driven"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(x^2/2)
      local k = S:parameters "k"
      S:force(x, -k*x.dot + hm.cos(hm.number "1.3"*hm.t))
      local C = S:chart{ over = { { "k", { 2*d } } }, q = { x = 0 }, v = { x = 0 }, of = "exponents", t = 4/d, skip = 1/d, progress = false }
      near(C[1].exponent1/d, -1, 1e-2)
      near(C[1].exponent2/d, -1, 1e-2)
      assert.truthy(tostring(C):find("(- -)", 1, true), tostring(C))
      assert.is_nil(tostring(C):find("torus (", 1, true))
    end
  end)
end)

describe("a start on a level", function()
  -- (x'^2 + y'^2)/2 + k (x^2 + y^2)/2 at x = 0, y = 1/2: x'^2 = 2 E - k/4, which rounding hides beside k where x' = 1
  it("takes velocities of any size", function()
    local S = hm.system "oscillator"
    local x, y = S:coordinates "x y"
    local k = S:parameters "k"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(k*(x^2 + y^2)/2)
    for _, w in ipairs{ 1e-12, 1e-6, 1, 1e6, 1e9, 1e15 } do
      local W = S:sweep{ over = { { "energy", { 0.5*w^2 } } }, parameters = { k = w^2 }, q = { x = 0, y = 0.5 }, v = { y = 0 }, t = 0, keep = { "x'" },
        progress = false }
      assert.equal("OK", W[1].status, W[1].reason)
      near(W[1]["x'"]/w, math.sqrt(0.75), 1e-12)
    end
  end)

  it("is refused where the level is not quadratic, in any units", function()
    local S = hm.system "rod"
    local x = S:coordinates "x"
    local c = S:parameters "c"
    S:kinetic_energy(x.dot^2/2)
    for _, w in ipairs{ 1e-6, 1, 1e6 } do
      local W = S:sweep{ over = { { x.dot^2 + x.dot^4/c^2, { 3*w^2 } } }, parameters = { c = w }, q = { x = 0 }, t = 1/w, keep = { "x" }, progress = false }
      assert.equal("START", W[1].status)
      assert.truthy(W[1].reason:find("not quadratic", 1, true), W[1].reason)
    end
  end)
end)

describe("a start at an angle of many turns", function()
  -- p'' = 1/2 - p'/10 - sin p settles in the well where sin p = 1/2
  it("is a run of the usual number of steps, or refused with its rounding", function()
    local S = hm.system "pendulum"
    local p = S:coordinates "p"
    S:kinetic_energy(p.dot^2/2)
    S:potential_energy(-hm.cos(p))
    S:force(p, hm.rational(1, 2) - p.dot/10)
    local function rows(turns)
      return S:sweep{ over = { { "p'", { 0, 1 } } }, q = { p = 2*math.pi*turns }, t = 400, keep = { s = hm.sin(p) }, progress = false }
    end
    for _, row in ipairs(rows(1e4)) do
      assert.equal("OK", row.status)
      near(row.s, 0.5, 1e-6)
    end
    for _, row in ipairs(rows(1e11)) do
      assert.equal("START", row.status)
      assert.truthy(row.reason:find("whole turns", 1, true), row.reason)
    end
    check.raises("whole turns", function() S:simulate{ q = { p = 2*math.pi*1e11 }, v = { p = 0 }, t = 400 } end)
  end)

  it("is no reason to refuse a large orbit, or a spring far from zero", function()
    local S = hm.system "orbit"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-hm.number "1.327e20"/hm.sqrt(x^2 + y^2))
    assert.equal("OK", S:simulate{ q = { x = 4.5e12, y = 0 }, v = { x = 0, y = 5400 }, t = 5e9 }.status)
    local B = hm.system "spring"
    local z = B:coordinates "z"
    B:kinetic_energy(z.dot^2/2)
    B:potential_energy(10000*(z - 10^6)^2/2)
    local run = B:simulate{ q = { z = 1e6 + 1 }, v = { z = 0 }, t = 10 }
    assert.equal("OK", run.status)
    near(run:at(10).z - 1e6, math.cos(1000), 1e-2)
  end)
end)
