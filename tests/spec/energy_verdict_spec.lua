-- The verdict on the energy balance of a run: each step that breaks it is found, and accurate runs pass.
local hm = require "hamel"

local function point()
  local S = hm.system "point"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  return S, x
end

describe("a step that passes over a narrow force", function()
  local S, x = point()
  S:potential_energy(-hm.exp(-((x - 4.339)*1e5)^2))

  -- far from the well the speed is that of the start
  local function speed_error(options)
    options.q, options.v, options.t, options.progress, options.atol = { x = 0 }, { x = 1 }, 10, false, options.rtol
    local run = S:simulate(options)
    return math.abs(run:at(10).v.x - 1), run
  end

  it("is found at every tolerance, where there is one", function()
    for _, method in ipairs{ "radau5", "auto", "dop853", "rkf45", "taylor" } do
      for power = 6, 11 do
        local off, run = speed_error{ method = method, rtol = 10^-power }
        if run.status == "INACCURATE" then
          assert.truthy(run.reason:find("energy balance", 1, true), run.reason)
        elseif run.status == "OK" then
          assert.is_true(off < 1000*run.options.rtol, ("%s at %g: %g"):format(method, run.options.rtol, off))
        end
      end
    end
  end)

  it("is none of radau5, whose matrix is that of the present step", function()
    for power = 6, 11 do
      local off, run = speed_error{ method = "radau5", rtol = 10^-power }
      assert.equal("OK", run.status)
      assert.is_true(off < 100*run.options.rtol, ("%g: %g"):format(run.options.rtol, off))
    end
  end)
end)

local function wall()
  local S, x = point()
  S:potential_energy(hm.tanh((x - 4.3)*1e4)/3)
  return S
end

local function against_wall(given)
  local all = { q = { x = 0 }, v = { x = 1 }, t = 10, method = "msbdf", rtol = 10^-5.25, atol = 10^-5.25, progress = false }
  for k, value in pairs(given) do all[k] = value end
  return all
end

describe("a step that breaks the energy balance", function()
  it("is mended as the message says", function()
    local run = wall():simulate(against_wall{})
    assert.is_true(math.abs(run:at(10).v.x + 1) > 1e-2)
    assert.equal("INACCURATE", run.status)
    assert.truthy(run.reason:find("energy balance", 1, true), run.reason)
    assert.equal("OK", wall():simulate(against_wall{ rtol = 1e-9, atol = 1e-9 }).status)
  end)
end)

describe("a run that keeps only its ends", function()
  local period = 2*math.pi

  local function oscillator()
    local S, x = point()
    S:force(x, -x)
    return S
  end

  local function ball()
    local S = hm.system "ball"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, -9.81)
    S:unilateral("floor", x, { law = hm.newton(0.5) })
    return S
  end

  local function raised()
    local S, x = point()
    S:potential_energy((x^2 - 1)/2)
    return S
  end

  -- speeds and forces are zero at both ends
  local function pushed()
    local S, x = point()
    S:force(x, hm.sin(hm.t))
    return S
  end

  local cases = { { "an oscillator without potential", oscillator(), 1, period, 1 }, { "a large one", oscillator(), 1000, period, 1000 },
                  { "one whose energy is zero", raised(), 1, period, 1 }, { "a ball that comes to rest", ball(), 1, 4, 0 },
                  { "a point under a force that ends", pushed(), 0, period, period } }

  for _, case in ipairs(cases) do
    local title, S, x, t, last = table.unpack(case)
    it(("is accurate where it is at rest there: %s"):format(title), function()
      for _, method in ipairs{ "dop853", "rk4" } do
        local step = method == "rk4" and 0.01 or nil
        local run = S:simulate{ q = { x = x }, v = { x = 0 }, t = t, method = method, step = step, record = "ends", progress = false }
        assert.equal("OK", run.status, run.reason)
        assert.equal(0, #run.impacts)
        local W = S:sweep{ over = { { "x", { x, 1.5*x } } }, q = { x = x }, v = { x = 0 }, t = t, method = method, step = step, progress = false }
        for k = 1, #W do assert.equal("OK", W[k].status, W[k].reason) end
        assert.near(last, W[1].x, 1e-5*(1 + last))
      end
    end)
  end

  it("is off where a step breaks the energy balance", function()
    assert.equal("INACCURATE", wall():simulate(against_wall{ record = "ends" }).status)
    assert.equal("INACCURATE", wall():sweep(against_wall{ over = { { "x", { 0 } } } })[1].status)
  end)
end)

describe("the verdict on a run", function()
  -- the statuses of the same run that stores its steps, and its ends
  local function both(S, options)
    local statuses, reasons = {}, {}
    for k, record in ipairs{ "steps", "ends" } do
      options.record = record
      local run = S:simulate(options)
      statuses[k], reasons[k] = run.status, run.reason
    end
    return statuses, reasons
  end

  it("does not depend on what is stored: a step that breaks the balance", function()
    local found = 0
    for tenth = 40, 80, 2 do
      local tolerance = 10^(-tenth/10)
      local statuses, reasons = both(wall(), against_wall{ rtol = tolerance, atol = tolerance })
      assert.same({ statuses[1], reasons[1] }, { statuses[2], reasons[2] })
      if statuses[1] == "INACCURATE" then found = found + 1 end
    end
    assert.is_true(found > 2)
  end)

  it("does not depend on what is stored: errors that are large on the way and small at the end", function()
    local S = hm.system "planet"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-1/hm.sqrt(x^2 + y^2))
    local found = 0
    for t = 4, 40 do
      local statuses = both(S, { q = { x = 1, y = 0 }, v = { x = 0, y = 0.6 }, t = t/2, method = "rk4", step = 0.025, progress = false })
      assert.equal(statuses[1], statuses[2], ("t = %g"):format(t/2))
      if statuses[1] == "INACCURATE" then found = found + 1 end
    end
    assert.is_true(found > 5 and found < 35)
  end)
end)

describe("a potential that time switches", function()
  local S, x = point()
  S:potential_energy((1 + 3*hm.step(hm.t - 1))*x^2/2)
  -- of rate 1 up to t = 1, of rate 2 from there on
  local exact = math.cos(1)*math.cos(4) - math.sin(1)/2*math.sin(4)

  it("does its work at the switch, which breaks no balance", function()
    for _, method in ipairs{ "dop853", "auto", "radau5", "taylor", "rkf45", "rk8pd" } do
      for _, record in ipairs{ "steps", "ends" } do
        local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 3, method = method, record = record, progress = false }
        assert.equal("OK", run.status, run.reason)
        assert.near(exact, run:at(3).x, 1e-8)
      end
    end
  end)
end)

describe("steps of one size that no second run can be compared with", function()
  it("say so in a note", function()
    local S = hm.system "fast"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(x^2/2 + 1e6*y^2/2)
    local run = S:simulate{ q = { x = 1, y = 1 }, v = { x = 0, y = 0 }, t = 50, method = "gauss4", step = 0.001, progress = false }
    assert.is_true(run.outcome.not_compared)
    assert.truthy(tostring(run):find("were not measured", 1, true))
    local kept = run:keep{ open = hm.count(x), clear = hm.count(x - 1000) }
    assert.equal(0, kept.clear)
    local fine, why = pcall(function() return kept.open end)
    assert.is_false(fine)
    assert.truthy(tostring(why):find("comes to zero within the error of the run", 1, true))
  end)
end)

describe("errors of many steps, each within loose tolerances,", function()
  local function bounced(width, tolerance)
    local S, x = point()
    S:potential_energy(1.86*(1 + hm.tanh((x - hm.number "0.476")/width))/2 + 0.6*x^2)
    local o = { q = { x = -0.5 }, v = { x = 1 }, t = 7.7, rtol = tolerance, atol = tolerance, progress = false }
    return function(method)
      o.method = method
      return S:simulate(o)
    end
  end

  -- Arbiter: DOP853 at 1e-12
  it("are no longer within them where they have added up, as in a wall that is met again and again", function()
    for _, width in ipairs{ 0.032, 0.01, 0.001 } do
      local exact = bounced(width, 1e-12)("dop853")
      for _, tolerance in ipairs{ 1e-3, 2e-4, 3e-5 } do
        for _, method in ipairs{ "rkf45", "dop853", "radau5", "msbdf" } do
          local run = bounced(width, tolerance)(method)
          local off = 0
          for k = 1, 77 do off = math.max(off, math.abs(run:at(k/10).x - exact:at(k/10).x)) end
          local what = ("%s at %g, width %g: %s, off by %.3g"):format(method, tolerance, width, run.status, off)
          if run.status == "OK" then assert.is_true(off < 150*tolerance, what) end
          if run.status == "INACCURATE" then assert.is_true(run.energy_drift > 1e-3 and off > tolerance, what) end
        end
      end
    end
  end)

  it("are found over many periods", function()
    local S, x = point()
    S:potential_energy(x^2/2)
    for _, method in ipairs{ "dop853", "rkf45", "radau5", "taylor", "msbdf" } do
      for _, tolerance in ipairs{ 1e-3, 1e-4, 1e-6 } do
        local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 600, rtol = tolerance, atol = tolerance, method = method, progress = false }
        local most = math.max(1e-2, 20*tolerance)
        if run.energy_drift > most + 50*tolerance then assert.equal("INACCURATE", run.status, method) end
        if run.energy_drift < most then assert.equal("OK", run.status, method) end
      end
    end
  end)
end)
