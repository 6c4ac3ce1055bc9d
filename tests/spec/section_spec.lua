-- Poincare sections, and runs that keep only what happened
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

local function oscillator()
  local S = hm.system "oscillator"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy((x^2 + 4*y^2)/2)
  return S, x, y
end
local start = { q = { x = 0, y = 0.3 }, v = { x = 1, y = 0 }, t = 40, rtol = 1e-12, atol = 1e-13 }
local function with(more)
  for key, value in pairs(start) do if more[key] == nil then more[key] = value end end
  return more
end

describe("a section", function()
  it("finds the crossings of a closed solution to the last digits", function()
    local S, x, y = oscillator()
    local section, run = S:section(with{ when = x, direction = "falling", of = { "y", y.dot, x.dot } })
    -- x = sin t falls through zero at (2k - 1) pi; y = 0.3 cos 2t, y' = -0.6 sin 2t
    assert.are.equal(6, #section)
    for k, row in ipairs(section) do
      check.near(row.t, (2*k - 1)*math.pi, 2e-11)
      check.near(row[1], 0.3, 1e-10)
      check.near(row[2], 0, 1e-9)
      check.near(row[3], -1, 1e-10)
    end
    assert.are.equal(2, #run)
    assert.are.same({ "y", "y'", "x'" }, section.names)
    check.near(section:column "y"[3], 0.3, 1e-10)
    assert.truthy(tostring(section):find("section at x = 0, falling, 6 points", 1, true))
    check.raises({ "no column 'z'" }, section.column, section, "z")
  end)

  it("is read off a finished run", function()
    local S, x = oscillator()
    local run = S:simulate(with{})
    local section = run:section(x, { direction = "both" })
    assert.are.equal(12, #section)                       -- the start on the root does not count
    for k, row in ipairs(section) do check.near(row.t, k*math.pi, 1e-9) end
    assert.are.same({ "x", "y", "x'", "y'" }, section.names)
    assert.are.equal(6, #run:section(x))
    assert.are.equal(0, #run:section(x - 2))
  end)

  it("keeps the energy of Henon and Heiles over a thousand units", function()
    local S, x = mechanics.henon_heiles()
    local v = math.sqrt(2*(1/8 - 0.005 + 0.001/3))
    local section = S:section{ when = x, of = { "energy", "x" }, q = { x = 0, y = 0.1 }, v = { x = v, y = 0 }, t = 1000, rtol = 1e-11, atol = 1e-12 }
    assert(#section > 150)
    for _, row in ipairs(section) do
      check.near(row[1], 1/8, 1e-9)
      check.near(row[2], 0, 1e-12)
    end
  end)

  it("says what is wrong", function()
    local S, x = oscillator()
    check.raises({ "the surface is missing" }, S.section, S, with{})
    check.raises({ "'rising', 'falling' or 'both', not 'up'" }, S.section, S, with{ when = x, direction = "up" })
    check.raises({ "of is a list" }, S.section, S, with{ when = x, of = {} })
    check.raises({ "events belong to S:simulate" }, S.section, S, with{ when = x, events = {} })
    check.raises({ "no dense output" }, S:simulate(with{ dense = false }).section, S:simulate(with{ dense = false }), x)
  end)
end)

describe("what a run keeps", function()
  local function box()
    local S = hm.system "box"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(y)
    for name, gap in pairs{ left = x, right = 1 - x, floor = y, top = 1 - y } do S:unilateral(name, gap, { law = hm.newton(1) }) end
    return S
  end
  local toss = { q = { x = 0.3, y = 0.4 }, v = { x = 1.23, y = 1.71 }, t = 100, rtol = 1e-11, atol = 1e-12 }

  it("is every step, what happened, or the ends", function()
    local S = box()
    local all = S:simulate(toss)
    toss.record = "impacts"
    local jumps = S:simulate(toss)
    toss.record = "ends"
    local ends = S:simulate(toss)
    toss.record = nil
    assert.are.equal(#all.impacts, #jumps.impacts)
    assert.are.equal(#all.impacts, ends.outcome.impacts)
    assert.are.equal(0, #ends.impacts)
    for _, run in ipairs{ jumps, ends } do
      assert.are.equal(2, #run)
      assert.are.equal(all:at(100).x, run:at(100).x)
      check.raises({ "record = \"", "there is nothing at t = 50" }, run.at, run, 50)
      assert.truthy(tostring(run):find(#all.impacts .. " impacts", 1, true))
    end
    for k, impact in ipairs(jumps.impacts) do
      assert.are.equal(all.impacts[k].t, impact.t)
      assert.are.equal(all.impacts[k].after.v.y, impact.after.v.y)
    end
    check.raises({ "'lambda' needs the steps" }, function() return jumps:before(1).lambda end)
    check.raises({ "record is 'steps'" }, S.simulate, S, { q = toss.q, v = toss.v, t = 1, record = "all" })
  end)

  it("costs no memory at a hundred thousand impacts: elastic, no tunnelling", function()
    local S = box()
    local T = 36000
    local function peak()
      local status = io.open "/proc/self/status"
      if not status then return 0 end
      local kilobytes = tonumber(status:read "a":match "VmHWM:%s*(%d+)")
      status:close()
      return kilobytes
    end
    collectgarbage()
    local before = peak()
    local run = S:simulate{ q = toss.q, v = toss.v, t = T, rtol = 1e-11, atol = 1e-12, record = "ends" }
    assert(run.outcome.impacts > 100000)
    assert(run.energy_drift < 1e-10, run.energy_drift)
    local s = run:at(T)
    assert(s.x >= 0 and s.x <= 1 and s.y >= 0 and s.y <= 1)
    -- sanitizers keep freed memory back
    local sanitized = os.getenv "SANITIZE"
    if not sanitized or sanitized == "" or sanitized == "OFF" then assert(peak() - before < 4000, peak() - before) end
  end)
end)

describe("a section on which the motion stays", function()
  it("is told from one that it never meets", function()
    local S = hm.system "two springs"
    local u, w = S:coordinates "u w"
    S:kinetic_energy((u.dot^2 + w.dot^2)/2)
    S:potential_energy(u^2/2 + w^2)
    local still = { q = { u = 0, w = 1 }, v = { u = 0, w = 0 }, t = 10 }
    local function words(when, at)
      local o = { when = when, q = at.q, v = at.v, t = at.t }
      return tostring((S:section(o)))
    end
    for _, when in ipairs{ u, "u", u.dot } do
      assert.truthy(words(when, still):find("the motion crosses it nowhere: it stays on it from t = 0 to 10", 1, true))
      assert.truthy(tostring(S:simulate(still):section(when)):find("it stays on it", 1, true))
    end
    -- on it at the start, or at the end alone
    assert.truthy(words(u - 2, still):find("never meets it", 1, true))
    assert.truthy(words(u, { q = { u = 0, w = 1 }, v = { u = -1, w = 0 }, t = 1 }):find("never meets it", 1, true))
  end)
end)
