-- highest, lowest and mean values of functions with corners, and of such that are zero: arbiters are the closed solutions x = cos t, y = sin t
local hm, check = require "hamel", require "check"
local near = check.near

describe("measures of functions with corners", function()
  local S = hm.system "plane oscillator"
  local x, y = S:coordinates "x y"
  local a = S:parameters "a=1"
  S:kinetic_energy(x.dot^2/2 + y.dot^2/2)
  S:potential_energy(x^2/2 + y^2/2)

  -- over two periods, with a = 0.9 and 1, alone and in lanes: each(row of a = 0.9, row of a = 1)
  local function measured(e, each)
    for _, lanes in ipairs{ 1, 4 } do
      local rows = S:sweep{ over = { { a, { 0.9, 1 } } }, q = { x = 1, y = 0 }, v = { x = 0, y = 1 }, t = 4*math.pi, lanes = lanes, threads = 1,
                            progress = false, keep = { high = hm.highest(e), low = hm.lowest(e), mean = hm.mean(e) } }
      for _, row in ipairs(rows) do assert.equal("OK", row.status, row.reason) end
      each(rows[1], rows[2])
    end
  end

  local function agrees(row, high, low, mean)
    near(row.high, high, 1e-8)
    near(row.low, low, 1e-8)
    near(row.mean, mean, 1e-8)
  end

  it("are found where both branches are equal all the time", function()
    measured(hm.max(a*x, x), function(less, same)
      agrees(less, 1, -0.9, 0.1/math.pi)
      agrees(same, 1, -1, 0)
    end)
  end)

  it("are found where an argument is the difference of what is nearly equal, or equal", function()
    measured(hm.abs(a*x - x), function(less, same)
      agrees(less, 0.1, 0, 0.2/math.pi)
      agrees(same, 0, 0, 0)
    end)
    measured(hm.abs(a*x^2 + y^2 - 1), function(less, same)
      agrees(less, 0.1, 0, 0.05)
      agrees(same, 0, 0, 0)
    end)
  end)

  it("are found where a zero is touched at a corner, and where the function is zero for a while", function()
    -- abs(sin t) - sin t cos t: highest at 120 degrees
    measured(hm.abs(x.dot) + x.dot*x, function(row) agrees(row, 3*math.sqrt(3)/4, 0, 2/math.pi) end)
    measured(hm.abs(x.dot)^3 + x.dot^3, function(row) agrees(row, 2, 0, 4/(3*math.pi)) end)
  end)

  it("are found where the formulas of several corners change in one step", function()
    measured(hm.abs(hm.abs(x) - hm.abs(y)), function(row) agrees(row, 1, 0, 4*(math.sqrt(2) - 1)/math.pi) end)
    measured(hm.max(hm.max(x, y), 0), function(row) agrees(row, 1, 0, (2 + math.sqrt(2))/(2*math.pi)) end)
    measured(1 - hm.abs(x)^hm.rational(2, 3), function(row)
      near(row.high, 1, 1e-8)
      near(row.low, 0, 1e-8)
    end)
  end)

  it("say what to do where a step has too many waves, and that helps", function()
    local function kept(max_step)
      local run = S:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = 1 }, t = 1, max_step = max_step }
      return run:keep{ wave = hm.mean(hm.sin(3e5*x)) }
    end
    local before = kept()
    check.raises({ "its integral does not settle near t = ", "max_step" }, function() return before.wave end)
    -- stationary phase at t = 0
    near(kept(0.01).wave, math.sqrt(math.pi/6e5)*math.sin(3e5 - math.pi/4), 1e-5)
  end)
end)
