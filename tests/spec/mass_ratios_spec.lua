-- masses that differ by many orders of magnitude: small pivots that are no singular places, constants with all digits of a double, checks of passages
local hm, mechanics = require "hamel", require "mechanics"

local gravity = hm.number "9.81"

-- Pendulums of length 1 on each other, with their angles from the vertical
local function chain(masses)
  local S, names = hm.system "chain", {}
  for i = 1, #masses do names[i] = "q" .. i end
  local x, y, T, V = 0, 0, 0, 0
  for i, q in ipairs{ S:coordinates(table.concat(names, " ")) } do
    x, y = x + hm.sin(q), y - hm.cos(q)
    T, V = T + masses[i]*(hm.dt(x)^2 + hm.dt(y)^2)/2, V + masses[i]*gravity*y
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  return S
end

describe("a motion through a state at which little inertia is left", function()
  local heavy = hm.number "1e10"
  local start = { q = { q1 = 0.2, q2 = 0.4 }, v = { q1 = -0.2, q2 = -0.1 }, t = 0.06, rtol = 1e-9, atol = 1e-9 }

  it("is made again by a row of a sweep that stops there", function()
    local S = chain{ 1, hm.number "1e9" }
    local o = { q = { q1 = 0.2, q2 = 0.4 }, v = { q1 = 0, q2 = 0 }, t = 0.3 }
    local run = S:simulate(o)
    local row = S:sweep{ over = { { "q1", { 0.2 } } }, q = { q2 = 0.4 }, v = o.v, t = 0.3, keep = { "q1", "q2" } }[1]
    assert.equal("OK", run.status)
    assert.equal("OK", row.status)
    for _, name in ipairs{ "q1", "q2" } do assert.near(run:at(0.3).q[name], row[name], 1e-12) end
  end)

  -- both links are in line at t = 0.047: the last pivot is 1e-10, and nothing near has less
  it("is followed with refined accelerations, and by a reference", function()
    local S = chain{ 1, heavy }
    local run = S:simulate(start)
    assert.equal("OK", run.status)
    assert.is_true(run.model:is_refined())
    local exact = S:reference{ q = start.q, v = start.v, t = 0.06, digits = 12, prove = false }
    for _, name in ipairs{ "q1", "q2" } do assert.near(tonumber(exact.q[name]), run:at(0.06).q[name], 1e-8) end
    local row = S:sweep{ q = start.q, v = { q2 = -0.1 }, t = 0.06, rtol = 1e-9, atol = 1e-9, over = { { "v.q1", { -0.2 } } }, keep = { "q1" },
                         progress = false }[1]
    assert.equal("OK", row.status)
    assert.equal(run:at(0.06).q.q1, row.q1)
  end)

  it("is stopped for its digits, not for want of inertia, in doubles", function()
    local o = { elimination = "dense" }
    for name, value in pairs(start) do o[name] = value end
    local run = chain{ 1, heavy }:simulate(o)
    assert.not_equal("SINGULAR_MASS", run.status)
    assert.not_equal("OK", run.status)
    assert.truthy((run.reason .. run.outcome.advice):find("elimination = \"refined\"", 1, true))
  end)

  it("is not confused with one through a place without inertia", function()
    local S = hm.system "lost"
    local x, y = S:coordinates "x y"
    S:kinetic_energy(x.dot^2/2 + hm.number "1e-10"*(1 - hm.sin(x))*y.dot^2/2)
    local run = S:simulate{ q = { x = 0, y = 0 }, v = { x = 1, y = 0 }, t = 2 }
    assert.equal("SINGULAR_MASS", run.status)
    assert.near(math.pi/2, run.outcome.t, 1e-6)
  end)
end)

-- Arbiter: the same pendulums by their angles
describe("a light elbow between rods, in Cartesian coordinates, that becomes nearly straight", function()
  local a, b = 0.56886245100086708, 0.080299019831607615

  local function rods(more)
    local S = hm.system "rods"
    local x, y, u, w = S:coordinates "x y u w"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2 + hm.number "1e6"*(u.dot^2 + w.dot^2)/2)
    S:potential_energy(gravity*(y + hm.number "1e6"*w))
    S:constraint("upper", x^2 + y^2 - 1)
    S:constraint("lower", (u - x)^2 + (w - y)^2 - 1)
    local o = { q = { x = math.sin(a), y = -math.cos(a), u = math.sin(a) + math.sin(b), w = -math.cos(a) - math.cos(b) },
      v = { x = 0, y = 0, u = 0, w = 0 }, t = 0.3, rtol = 1e-13, atol = 1e-13 }
    for name, value in pairs(more or {}) do o[name] = value end
    return S, o
  end

  it("loses digits in doubles and has no dependent constraints, in runs and rows", function()
    local S, o = rods{ elimination = "dense" }
    local run = S:simulate(o)
    assert.equal("LOST_DIGITS", run.status)
    assert.truthy((run.reason .. run.outcome.advice):find("elimination = \"refined\"", 1, true))
    o.over, o.keep = { { "v.x", { 0 } } }, { "x" }
    assert.equal("LOST_DIGITS", S:sweep(o)[1].status)
  end)

  it("names the elimination that helps where only the passage is in doubt, and it helps", function()
    local S, o = rods{ elimination = "dense", rtol = 1e-11, atol = 1e-11 }
    local run = S:simulate(o)
    assert.equal("INACCURATE", run.status)
    assert.truthy(run.reason:find("take elimination = \"refined\"", 1, true), run.reason)
    local _, refined = rods{ elimination = "refined", rtol = 1e-11, atol = 1e-11 }
    run = S:simulate(refined)
    assert.equal("OK", run.status)
    local by_angles = chain{ 1, hm.number "1e6" }:simulate{ q = { q1 = a, q2 = b }, v = { q1 = 0, q2 = 0 }, t = 0.3, rtol = 1e-12, atol = 1e-12,
      elimination = "refined" }
    assert.near(math.sin(by_angles:at(0.3).q.q1), run:at(0.3).x, 1e-9)
    o.over, o.keep = { { "v.x", { 0 } } }, { "x" }
    local row = S:sweep(o)[1]
    assert.equal("INACCURATE", row.status)
    assert.truthy(row.reason:find("take elimination = \"refined\"", 1, true), row.reason)
  end)

  it("is followed where the elimination is not chosen", function()
    local by_angles = chain{ 1, hm.number "1e6" }:simulate{ q = { q1 = a, q2 = b }, v = { q1 = 0, q2 = 0 }, t = 0.3, rtol = 1e-12, atol = 1e-12,
      elimination = "refined" }
    local S, o = rods()
    local run = S:simulate(o)
    assert.equal("OK", run.status)
    assert.is_true(run.model:is_refined())
    assert.near(math.sin(by_angles:at(0.3).q.q1), run:at(0.3).x, 1e-9)
  end)

  it("is not confused with a parallelogram that becomes flat, or a row that vanishes, beside other masses", function()
    for _, mass in ipairs{ 1e-8, 1e8 } do
      local run = mechanics.parallelogram(1, 1.5, mass):simulate{ q = { a = 1, b = 0, c = 1 }, v = { a = -1 }, t = 1.6, max_step = 0.2 }
      assert.equal("DEPENDENT_CONSTRAINTS", run.status)
      assert.near(1, run.outcome.t, 1e-3)
      local S = hm.system "row"
      local x, y = S:coordinates "x y"
      S:kinetic_energy(x.dot^2 + mass*y.dot^2)
      S:force(x, 0.5)
      S:constraint("row", x.dot*(y - hm.rational(1, 2)))
      run = S:simulate{ q = { x = 0, y = 0 }, v = { x = 0, y = 1 }, t = 0.8 }
      assert.equal("DEPENDENT_CONSTRAINTS", run.status)
      assert.near(0.5, run.outcome.t, 1e-6)
    end
  end)
end)

-- The end of the rod has no mass, and the slider and the two angles move it in two directions: M is singular at every state, by its form
describe("a rod without mass between a slider and a light body", function()
  it("has no inertia along some direction, whatever rounding of constants leaves of it", function()
    local S = hm.system "massless"
    local a, s, b, u, c = S:coordinates "a s b u c"
    local l, m = hm.number "1.38", hm.number "1.89e-3"
    local vx = s.dot*hm.cos(a) - s*a.dot*hm.sin(a) - l*b.dot*hm.sin(b) + u.dot*hm.cos(c) - u*c.dot*hm.sin(c)
    local vy = s.dot*hm.sin(a) + s*a.dot*hm.cos(a) + l*b.dot*hm.cos(b) + u.dot*hm.sin(c) + u*c.dot*hm.cos(c)
    S:kinetic_energy(hm.number "5960.7"*a.dot^2/2 + m*(vx^2 + vy^2)/2 + hm.number "1.4874e-4"*c.dot^2/2)
    local ok, why = pcall(S.simulate, S, { q = { a = 0.585, s = 1.36, b = -0.219, u = 0.717, c = 0.726 },
      v = { a = 0.767, s = 0, b = 0, u = 0, c = 0 }, t = 0.1, elimination = "dense" })
    assert.falsy(ok)
    assert.truthy(tostring(why):find("no inertia along", 1, true), tostring(why))
  end)
end)

-- Arbiter: the equations of the angles solved to 60 digits
describe("refined accelerations beside a tip that is 1e10 to 1e13 times as heavy", function()
  it("have all digits of a double where no constant is a double", function()
    local right = {
      ["1.3e10"] = { 1.0634294609019476, -14.223993848649215, 5.402909640779166 },
      ["1.3e12"] = { 1.0634294609001606, -14.223993848712686, 5.4029096407770349 },
      ["1.3e13"] = { 1.0634294609001444, -14.223993848713263, 5.4029096407770155 },
    }
    for tip, a in pairs(right) do
      local S = hm.system "tip"
      local x, y, T, V, length, masses = 0, 0, 0, 0, hm.number "0.7", { hm.number "1.1", hm.number "1.2", hm.number(tip) }
      for i, q in ipairs{ S:coordinates "q1 q2 q3" } do
        x, y = x + length*hm.sin(q), y - length*hm.cos(q)
        T, V = T + masses[i]*(hm.dt(x)^2 + hm.dt(y)^2)/2, V + masses[i]*gravity*y
      end
      S:kinetic_energy(T)
      S:potential_energy(V)
      local start = S:simulate{ q = { q1 = 0.25, q2 = 1.125, q3 = -0.5 }, v = { q1 = 0.5, q2 = -0.25, q3 = 1 }, t = 1e-4, elimination = "refined" }:at(0)
      for i = 1, 3 do assert.near(a[i], start.a["q" .. i], 4e-16*math.abs(a[2])) end
    end
  end)
end)

describe("a passage that is checked", function()
  it("is found right where rounding of the states of a heavy tip keeps steps from the tightest tolerance", function()
    local o = { q = {}, v = {}, t = 0.18, rtol = 1e-8, atol = 1e-8 }
    for i = 1, 4 do o.q["q" .. i], o.v["q" .. i] = hm.number(i)/5, hm.number(i)/10 - hm.number "0.3" end
    assert.equal("OK", chain{ 1, 1, 1, hm.number "1e10" }:simulate(o).status)
  end)
end)

-- Rows are made in lanes, which keep few states; a run is looked at at its ends
describe("a row of a sweep of few steps beside a heavy tip", function()
  it("has the verdict of its run", function()
    local S = chain{ hm.number "1.1", hm.number "1.2", hm.number "1.3e8" }
    local starts, o = {}, { t = 0.01, elimination = "dense", rtol = 1e-9, atol = 1e-10 }
    for k = 1, 20 do
      starts[k] = { q = { q1 = 0.3 + 0.1*math.sin(k), q2 = 0.3 + 0.1*math.sin(2*k), q3 = 0.3 + 0.2*math.sin(3*k) },
        v = { q1 = 3*math.cos(k), q2 = -2*math.sin(k), q3 = 1 } }
    end
    local rows = S:sweep{ n = #starts, each = function(k) return starts[k] end, t = o.t, elimination = o.elimination, rtol = o.rtol, atol = o.atol,
      keep = { "q1" }, progress = false }
    local inaccurate = 0
    for k, start in ipairs(starts) do
      o.q, o.v, o.dense = start.q, start.v, false
      local run = S:simulate(o)
      assert.equal(run.status, rows[k].status)
      if run.status == "INACCURATE" then inaccurate = inaccurate + 1 end
    end
    assert.is_true(inaccurate > 5)
  end)
end)

describe("a row of a sweep that is corrected in quadruple precision", function()
  -- with s = p + q the heavy mass holds s at 1.5, to 1/M: the rest is a motion of q alone, q'' = s - q + sin(q), which has no digits to lose
  it("has the measures of its own run", function()
    local S, R = hm.system "heavy", hm.system "reduced"
    local p, q = S:coordinates "p q"
    local M, x = S:positive "M=1", R:coordinates "x"
    S:kinetic_energy(M*(p.dot + q.dot)^2/2 + q.dot^2/2)
    S:potential_energy(p^2/2 + hm.cos(q))
    R:kinetic_energy(x.dot^2/2)
    R:potential_energy((hm.rational(3, 2) - x)^2/2 + hm.cos(x))
    local reduced = R:simulate{ q = { x = 0.5 }, v = { x = 0 }, t = 10 }:keep{ "max x", "min x", "mean x", n = hm.count(x - hm.rational(3, 2)) }
    local o = { over = { { "M", { 1e12 } } }, q = { p = 1, q = 0.5 }, v = { p = 0, q = 0 }, t = 10, keep = { "p", "max p", "min p", "mean p", "count p" } }
    local row = S:sweep(o)[1]
    assert.equal("OK", row.status)
    for name, value in pairs{ ["max p"] = 1.5 - reduced["min x"], ["min p"] = 1.5 - reduced["max x"], ["mean p"] = 1.5 - reduced["mean x"] } do
      assert.near(value, row[name], 1e-6)
    end
    assert.equal(reduced.n, row["count p"])
    -- the points of charts are measures, too: the reduced motion is periodic
    o.keep, o.of, o.section, o.t, o.close = nil, "period", { when = p, direction = "rising" }, 100, 1e-4
    local found = S:chart(o)[1]
    assert.truthy(found.status == "OK" and found.period == 1, tostring(found.reason))
  end)
end)

describe("a run whose accelerations are noise from the start", function()
  it("stops after some steps and says so", function()
    local masses, o = {}, { q = {}, v = {}, t = 1, elimination = "dense", rtol = 1e-9, atol = 1e-9 }
    for i = 1, 4 do masses[i], o.q["q" .. i], o.v["q" .. i] = hm.number "1e6"^i, i/5, i/10 - 0.3 end
    local run = chain(masses):simulate(o)
    assert.equal("TOO_MANY_STEPS", run.status)
    assert.truthy(run.reason:find("the accelerations are off by", 1, true) and run.reason:find("right for ratios up to about 1e12", 1, true))
  end)
end)

describe("numbers with all digits of a double", function()
  -- sums, products and powers of such numbers, against the same doubles as exact fractions
  local function end_of(number)
    local S = hm.system "spring"
    local x = S:coordinates "x"
    S:kinetic_energy(number(math.exp(1.1))*number(math.sqrt(7.7))*x.dot^2/2 + number(math.sin(0.3))*x.dot^2)
    S:potential_energy(number(math.pi^1.3)*number(math.log(5.5))^3*x^2/2)
    return S:reference{ q = { x = 1 }, v = { x = 0 }, t = 1, digits = 28, prove = false }.q.x
  end

  it("keep what their sums and products have beyond a double", function()
    local exact = end_of(function(x) return hm.number(("%.80g"):format(x)) end)
    assert.equal(exact:sub(1, 28), end_of(hm.number):sub(1, 28))
  end)
end)
