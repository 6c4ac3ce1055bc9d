-- method = "dla": the discrete Lagrange-d'Alembert principle
local hm, check = require "hamel", require "check"
local near = check.near

-- Nonholonomic oscillator: z' = y x', potential (x^2 + y^2)/2
local function oscillator()
  local S = hm.system "nonholonomic oscillator"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:potential_energy((x^2 + y^2)/2)
  S:constraint("slide", z.dot - y*x.dot)
  return S
end
local start = { q = { x = 1, y = 0.4, z = 0 }, v = { x = 0.3, y = 1 } }
local function run(S, more)
  local o = { q = start.q, v = start.v, t = 4, method = "dla", step = 0.01 }
  for k, value in pairs(more or {}) do o[k] = value end
  return S:simulate(o)
end

describe("the discrete Lagrange-d'Alembert method", function()
  it("is of order two and keeps the constraint to rounding", function()
    local S = oscillator()
    local exact, errors = run(S, { method = "dop853", step = 0, rtol = 1e-13, atol = 1e-13 }):at(4), {}
    for i, step in ipairs{ 0.02, 0.01 } do
      local r = run(S, { step = step })
      local s = r:at(4)
      errors[i] = math.sqrt((s.x - exact.x)^2 + (s.y - exact.y)^2 + (s.z - exact.z)^2)
      assert.truthy(r.constraint_drift < 1e-13)
      assert.equal(math.floor(4/step + 0.5), r.outcome.steps)
    end
    near(math.log(errors[1]/errors[2])/math.log(2), 2, 0.1)
  end)

  it("is reversible, to rounding", function()
    local S = oscillator()
    local s = run(S, { t = 20, step = 0.05 }):at(20)
    local back = run(S, { q = { x = s.x, y = s.y, z = s.z }, v = { x = -s.v.x, y = -s.v.y, z = -s.v.z }, t = 20, step = 0.05 }):at(20)
    near(back.x, 1, 1e-11)
    near(back.y, 0.4, 1e-11)
    near(back.z, 0, 1e-11)
    near(back.v.y, -1, 1e-11)
  end)

  it("keeps the energy bounded over long times, where a method of order four drifts", function()
    local S = oscillator()
    local function drift(r)
      local first, last = 0, 0
      for t = 0, 40 do first = math.max(first, math.abs(r:at(t).energy - r:at(0).energy)) end
      for t = 1960, 2000 do last = math.max(last, math.abs(r:at(t).energy - r:at(0).energy)) end
      return first, last
    end
    local first, last = drift(run(S, { t = 2000, step = 0.2 }))
    assert(last < 3*first, ("the error of the energy grew from %.2g to %.2g"):format(first, last))
    local rk_first, rk_last = drift(run(S, { t = 2000, step = 0.2, method = "rk4" }))
    assert.truthy(rk_last > 10*rk_first)
  end)

  it("keeps momentum maps and holonomic constraints to rounding", function()
    local S = hm.system "spherical pendulum"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:potential_energy(hm.number "9.81"*z)
    S:constraint("rod", x^2 + y^2 + z^2 - 1)
    local r = S:simulate{ q = { x = 0.6, y = 0, z = -0.8 }, v = { x = 0, y = 1.2, z = 0 }, t = 50, method = "dla", step = 0.02 }
    local worst = 0
    for _, s in r:steps() do worst = math.max(worst, math.abs(s.x*s.v.y - s.y*s.v.x - 0.72)) end
    assert(worst < 1e-11, worst)
    assert.truthy(r.constraint_drift < 1e-12)
    assert.truthy(r.energy_drift < 1e-3)
  end)

  it("takes forces, moving constraints and the work they do", function()
    local S = hm.system "driven"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, -x.dot/2)
    S:constraint("drive", y.dot - hm.sin(hm.t)*(1 + x.dot))
    local o = { q = { x = 0, y = 0 }, v = { x = 1 }, t = 3, rtol = 1e-12, atol = 1e-12 }
    local exact = S:simulate(o):at(3)
    local d = S:simulate{ q = o.q, v = o.v, t = 3, method = "dla", step = 0.002 }
    near(d:at(3).x, exact.x, 1e-5)
    near(d:at(3).y, exact.y, 1e-5)
    assert.truthy(d.energy_drift < 1e-4)
  end)

  it("says what it cannot do", function()
    local S = oscillator()
    check.raises({ "step" }, run, S, { step = 0 })
    check.raises({ "events" }, run, S, { events = { { name = "a", when = S:symbol "x" } } })
    check.raises({ "remove form" }, run, S, { form = "hamel" })
    S:force(S:symbol "x", function() return 0 end)
    check.raises({ "expressions" }, run, S)
  end)
end)

describe("dla beside other methods", function()
  local function pendulum(again)
    local S = hm.system "pendulum"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(9.81*y)
    S:constraint("rod", x^2 + y^2 - 1)
    if again then S:constraint("again", 2*x^2 + 2*y^2 - 2) end
    return S
  end
  local o = { q = { x = 1, y = 0 }, v = { y = 0 }, t = 0.5, method = "dla", step = 0.01, progress = false }

  it("names a redundant constraint", function()
    check.raises({ "'dla'", "'again' is redundant", "leave it out" }, function() return pendulum(true):simulate(o) end)
  end)

  it("makes the rows of a sweep", function()
    local S, speeds = pendulum(), { 0, 1, 2 }
    local W = S:sweep{ over = { { "v.y", speeds } }, q = o.q, t = 0.5, method = "dla", step = 0.01, keep = { "x" }, progress = false }
    for i, speed in ipairs(speeds) do
      assert.equal("OK", W[i].status)
      assert.equal(S:simulate{ q = o.q, v = { y = speed }, t = 0.5, method = "dla", step = 0.01, progress = false }:at(0.5).x, W[i].x)
    end
  end)
end)
