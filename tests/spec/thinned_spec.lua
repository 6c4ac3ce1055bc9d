-- the points of curves: round between stored states, few where a run has more than a picture shows
local hm, check = require "hamel", require "check"
local thinned = require "hamel.show.thinned"

describe("a long run", function()
  -- an oscillator x = cos t for 4000 periods; arbiter: the formula
  local function oscillator(t)
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    return S:simulate{ q = { x = 1 }, v = { x = 0 }, t = t, rtol = 1e-12, atol = 1e-12 }
  end

  local function rows_of(run, list, from, to)
    return thinned.points(run, list, from or run.t[1], to or run.t[#run.t], 0)
  end

  it("keeps the extreme values over time, and few rows", function()
    local run = oscillator(25000)
    assert(#run.t > 40000)
    local rows = rows_of(run, { "t", "x", "x'" })
    assert(#rows < 20000)
    local highest, last = {}, -1
    for _, row in ipairs(rows) do
      check.near(row[2], math.cos(row[1]), 1e-4)
      check.near(row[3], -math.sin(row[1]), 1e-4)
      assert(row[1] >= last)
      last = row[1]
      local part = row[1]//25
      highest[part] = math.max(highest[part] or -1, row[2])
    end
    assert.equal(25000, last)
    -- four periods in each part, of which each has a maximum near a point
    for part = 0, 999 do assert(highest[part] > 0.99, part) end
  end)

  it("is a closed curve in the plane, of lines as short as all of them", function()
    local run = oscillator(25000)
    local rows = rows_of(run, { "x", "x'" })
    assert(#rows < 60000)
    local sectors, before = {}, nil
    for _, row in ipairs(rows) do
      if row then
        check.near(row[1]^2 + row[2]^2, 1, 1e-4)
        sectors[math.floor(math.atan(row[2], row[1])/math.pi*180)] = true
        if before then assert((row[1] - before[1])^2 + (row[2] - before[2])^2 < 0.6) end
      end
      before = row
    end
    for angle = -180, 179 do assert(sectors[angle], angle) end
  end)

  it("has no gaps within a part of the plane that holds many points", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    -- once around, in short steps: some thirty points in each part of the axes
    local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 6.28, max_step = 1e-3 }
    assert(#run.t > 6000)
    local rows, length = rows_of(run, { "x", "x'" }), 0
    for k, row in ipairs(rows) do
      assert(row, "a gap")
      if k > 1 then length = length + math.sqrt((row[1] - rows[k - 1][1])^2 + (row[2] - rows[k - 1][2])^2) end
    end
    check.near(length, 6.28, 1e-3)
  end)

  it("is round between the states of a short one, and keeps to the times asked for", function()
    local run = oscillator(50)
    local rows = rows_of(run, { "t", "x" }, 10.1, 12.3)
    check.near(rows[1][1], 10.1, 1e-12)
    check.near(rows[#rows][1], 12.3, 1e-12)
    for k, row in ipairs(rows) do
      check.near(row[2], math.cos(row[1]), 1e-8)
      if k > 1 then assert(row[1] - rows[k - 1][1] < 0.2) end
    end
  end)

  it("has a gap at each of few jumps, and a line across many", function()
    local S = hm.system "ball"
    local y = S:coordinates "y"
    local g = S:positive "g=10"
    S:kinetic_energy(y.dot^2/2)
    S:potential_energy(g*y)
    S:unilateral("floor", y, { law = hm.newton(1) })
    local function velocities(t)
      local run = S:simulate{ q = { y = 1 }, v = { y = 0 }, t = t }
      return run, rows_of(run, { "t", "y'" })
    end
    local run, rows = velocities(10)
    local gaps = 0
    for _, row in ipairs(rows) do if not row then gaps = gaps + 1 end end
    assert.equal(#run.impacts, gaps)
    run, rows = velocities(12000)
    assert(#run.impacts > 10000 and #rows < 20000)
    local low, high = 0, 0
    for _, row in ipairs(rows) do if row then low, high = math.min(low, row[2]), math.max(high, row[2]) end end
    check.near(high, math.sqrt(20), 1e-6)
    check.near(low, -math.sqrt(20), 1e-6)
  end)

  it("has what is not a number in one of its curves only", function()
    local run = oscillator(25000)
    local rows = rows_of(run, { "t", "x", run.system:symbol "x"*0 + hm.log(run.system:symbol "x") })
    local numbers, others = 0, 0
    for _, row in ipairs(rows) do
      if row then
        assert(row[2] == row[2])
        if row[3] == row[3] then numbers = numbers + 1 else others = others + 1 end
      end
    end
    assert(numbers > 1000 and others > 1000)
  end)
end)
