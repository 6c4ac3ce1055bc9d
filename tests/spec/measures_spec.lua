-- numbers of a whole run: against closed solutions, in single runs and sweeps
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near

local function oscillator()
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  local k = S:positive "k=1"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(k*x^2/2)
  return S, x, k
end

describe("run:keep", function()
  local S, x = oscillator()
  local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 10, rtol = 1e-11 }     -- x = cos t

  it("gives the extremes between the steps", function()
    local k = run:keep{ "max x", "min x", "max x'", hm.lowest(x.dot), top = hm.highest(x*x.dot), force = hm.highest(x.ddot), product = hm.lowest(x*x.ddot) }
    near(k["max x"], 1, 1e-9)
    near(k["min x"], -1, 1e-9)
    near(k["max x'"], 1, 1e-9)
    near(k["min x'"], -1, 1e-9)
    near(k.top, 0.5, 1e-9)
    near(k.force, 1, 1e-9)
    near(k.product, -1, 1e-9)
  end)

  it("gives means, of functions with corners too", function()
    local k = run:keep{ "mean x", "mean energy", square = hm.mean(x^2), size = hm.mean(hm.abs(x)), jump = hm.mean(hm.step(x)) }
    near(k["mean x"], math.sin(10)/10, 1e-9)
    near(k["mean energy"], 0.5, 1e-9)
    near(k.square, (10 + math.sin(20)/2)/20, 1e-9)
    near(k.size, (6 - math.sin(10))/10, 1e-9)                              -- 1 + 2 + 2 + (1 - sin 10)
    near(run:keep{ m = hm.mean(hm.where(x:gt(0.999), 1, 0)) }.m, 3*math.acos(0.999)/10, 1e-7)       -- narrower than a step
    near(run:keep{ m = hm.highest(hm.where(x:lt(-0.999), 3 + x, 0)) }.m, 2.001, 1e-8)
    near(k.jump, (math.pi/2 + math.pi)/10, 1e-9)                           -- x > 0 up to pi/2 and between 3 pi/2 and 5 pi/2
  end)

  it("gives first times and counts of roots after the start", function()
    local k = run:keep{ "first x", "count x", rising = hm.first(x, 1), turns = hm.count(x.dot), never = hm.first(x - 2), "x" }
    near(k["first x"], math.pi/2, 1e-9)
    assert.equal(3, k["count x"])
    near(k.rising, 3*math.pi/2, 1e-9)
    assert.equal(3, k.turns)                                               -- x' = 0 at 0, which does not count
    assert.is_false(k.never)
    near(k.x, math.cos(10), 1e-9)
    assert.truthy(tostring(k):find("never = none", 1, true))
  end)

  it("counts no impacts that accumulate, nor those of steps that locate none", function()
    local B, y, z = mechanics.body("ball", "y z")
    B:potential_energy(10*y)
    B:unilateral("floor", y, { law = hm.moreau(0.5) })
    local o = { q = { y = 5, z = 0 }, v = { y = 0, z = 1 } }
    o.events = { { name = "top", when = y.dot, direction = "falling" }, { name = "passes", when = z - 2.9 } }
    -- flights of 1, 1, 1/2, 1/4, ... end at t = 1 + 2 = 3; before t = 2.9 impacts at 1, 2, 2.5, 2.75, 2.875
    local list = { "count impact", "count floor", "count top", "count event", "count passes", "first impact" }
    o.t = 2.9 - 1e-6
    local before = B:simulate(o):keep(list)
    assert.equal(5, before["count impact"])
    assert.equal(4, before["count top"])
    o.t = 3.5
    local whole = B:simulate(o)
    local k = whole:keep(list)
    near(whole.accumulations[1].t, 3, 1e-9)
    for i = 1, 4 do check.raises({ "there are infinitely many: the impacts at 'floor' accumulate at t = 3" }, function() return k[list[i]] end) end
    assert.equal(1, k["count passes"])
    near(k["first impact"], 1, 1e-9)
    o.keep, o.over, o.q, o.events = { "count floor", "first floor" }, { { "y", { 5 } } }, { z = 0 }, nil
    local row = B:sweep(o)[1]
    assert.equal("NOT_FINITE", row.status)
    assert(row["count floor"] == nil and row["first floor"])
    -- the same motion in steps that locate no impact
    o.method, o.step, o.t = "moreau", 0.001, 2.4
    row = B:sweep(o)[1]
    assert(row.status == "UNDECIDED" and row["count floor"] == nil and row.reason:find("'moreau' does not locate impacts", 1, true), row.reason)
    near(row["first floor"], 1, 0.0011)
  end)

  it("counts events and impacts by name", function()
    local B, y = mechanics.body("ball", "y")
    B:potential_energy(10*y)
    B:unilateral("floor", y, { law = hm.newton(0.5) })
    local fall = B:simulate{ q = { y = 5 }, v = { y = 0 }, t = 2.5, events = { { name = "half", when = y - 2.5 } } }
    -- floor at t = 1 with speed 10, then up with 5: at 2 again
    local k = fall:keep{ "first impact", "count floor", "first event", "count half", "max y", "first half", "max energy", "min energy" }
    near(k["first impact"], 1, 1e-9)
    assert.equal(2, k["count floor"])
    near(k["first half"], math.sqrt(0.5), 1e-9)
    assert.equal(k["first event"], k["first half"])
    assert.equal(1, k["count half"])
    near(k["max y"], 5, 1e-12)
    near(k["max energy"], 50, 1e-9)
    near(k["min energy"], 2.5^2/2, 1e-9)
  end)

  it("answers mistakes", function()
    check.raises({ "hm.highest takes an expression", "table" }, hm.highest, {})
    check.raises({ "direction is 1" }, hm.first, x, 2)
    check.raises({ "there is no 'y'" }, run.keep, run, { "max y" })
    check.raises({ "run:keep has 'max x' twice" }, run.keep, run, { "max x", "max x" })
    check.raises({ "keep is empty" }, run.keep, run, {})
    check.raises({ "no field 'maxx'" }, function() return run:keep{ "x" }.maxx end)
    local ends = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 1, record = "ends" }
    check.raises({ "needs its steps", "record" }, ends.keep, ends, { "max x" })
  end)
end)

describe("keep of a run", function()
  local S = hm.system "kept"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(2*x^2)
  local start = { q = { x = 1 }, v = { x = 0 }, t = 3, events = { { name = "half", when = x - 0.5 } } }
  local function with(more)
    local given = {}
    for _, t in ipairs{ start, more } do for key, value in pairs(t) do given[key] = value end end
    return given
  end

  it("gives run.kept, which print(run) shows", function()
    local list = { "max x", "mean energy", "first event", "count half", "x", rising = hm.first(x, 1) }
    local run = S:simulate(with{ keep = list })
    local same = run:keep(list)
    for _, name in ipairs{ "max x", "mean energy", "first event", "count half", "x", "rising" } do assert.are.equal(same[name], run.kept[name]) end
    near(run.kept["first event"], math.acos(0.5)/2, 1e-8)
    assert.is_truthy(tostring(run):find("\n  first event = 0.5235987", 1, true))
    assert.is_nil(S:simulate(start).kept)
  end)

  it("is refused before the run begins", function()
    local before = S:simulate(start)
    check.raises({ "there is no 'y'" }, S.simulate, S, with{ keep = { "max y" } })
    check.raises({ "keep is empty" }, S.simulate, S, with{ keep = {} })
    check.raises({ "'max x' of a whole run needs its steps", "record" }, S.simulate, S, with{ keep = { "max x" }, record = "ends" })
    assert.are.equal(before, hm.last_run())
  end)
end)

describe("keep of a sweep", function()
  it("gives numbers of whole runs in the rows", function()
    local S, x, k = oscillator()
    local W = S:sweep{ over = { { k, { 1, 4 } } }, q = { x = 0 }, v = { x = 1 }, t = 3,
                       keep = { "max x", "first x", "x", none = hm.first(x - 5), mean = hm.mean(hm.abs(x)) } }
    assert.equal("OK", W[1].status)
    near(W[1]["max x"], 1, 1e-8)
    near(W[2]["max x"], 0.5, 1e-8)
    near(W[2]["first x"], math.pi/2, 1e-8)
    assert.is_nil(W[1]["first x"])
    assert.is_nil(W[1].none)
    near(W[1].mean, (1 - math.cos(3))/3, 1e-8)
    near(W[1].x, math.sin(3), 1e-8)
    assert.is_nil(tostring(W):find("whole run", 1, true))
    local A = S:sweep{ over = { { k, { 1, 4 } } }, q = { x = 0 }, v = { x = 1 }, t = 3, keep = { top = hm.highest(x.ddot) } }
    near(A[2].top, 2, 1e-8)                                              -- x = sin(2 t)/2, x'' = -2 sin(2 t)
    assert.is_nil(tostring(A):find("whole run", 1, true))
    A = S:sweep{ over = { { k, { 1, 4 } } }, q = { x = 0 }, v = { x = 1 }, t = 3, keep = { top = hm.highest(x.ddot) }, events = { far = x - 5 } }
    near(A[2].top, 2, 1e-8)
    assert.truthy(tostring(A):find("is read off the whole run", 1, true))
    local T = S:sweep{ over = { { k, { 4 } } }, q = { x = 0 }, v = { x = 1 }, times = { 1, 2, 3 }, keep = { "max x", "x" } }
    near(T[1]["max x"], 0.5, 1e-8)
    assert.is_nil(T[1].series[1]["max x"])
    near(T[1].series[2].x, math.sin(4)/2, 1e-8)
  end)

  it("is read off runs in lanes, with the numbers of single runs", function()
    local S, x, k = oscillator()
    local keep = { top = hm.highest(x), low = hm.lowest(x), first = hm.first(x, -1), count = hm.count(x), at = hm.at(x.dot, x, -1), "x",
                   bump = hm.count(hm.exp(-1e4*(x - 0.3)^2) - 0.5), wave = hm.count(hm.sin(40*x)),
                   mean = hm.mean(x), square = hm.mean(x.dot^2), hill = hm.mean(hm.exp(-1e4*(x - 0.3)^2)), late = hm.mean(hm.t*x), work = "mean energy" }
    local given = { q = { x = 0.1 }, v = { x = 1 }, t = 20, rtol = 1e-8 }
    local function sweep(more)
      local o = { over = { { k, hm.range(0.5, 4, 11) } }, keep = keep, progress = false }
      for _, list in ipairs{ given, more } do for name, value in pairs(list) do o[name] = value end end
      return S:sweep(o)
    end
    local wide, narrow, threads = sweep{ threads = 1 }, sweep{ lanes = 1 }, sweep{ threads = 3 }
    assert.is_nil(tostring(wide):find("whole run", 1, true))
    for i, row in ipairs(wide) do
      given.parameters = { k = row.k }
      local single = S:simulate(given):keep(keep)
      for name in pairs(keep) do
        local key = name == 1 and "x" or name
        near(row[key], single[key], 1e-8)
        near(narrow[i][key], single[key], 1e-8)
        assert.equal(row[key], threads[i][key])
      end
      assert.truthy(row.bump > 0 and row.bump % 1 == 0)
    end
  end)

  it("gives means of runs that end at an event, go backwards, stand still, or have no mean", function()
    local S, x, k = oscillator()
    local function sweep(keep, more)
      local o = { over = { { k, hm.range(0.5, 4, 9) } }, q = { x = 1 }, v = { x = 0 }, t = 20, keep = keep, progress = false }
      for name, value in pairs(more) do o[name] = value end
      local W = S:sweep(o)
      assert.is_nil(tostring(W):find("whole run", 1, true))
      return W
    end
    local function square(w, t) return 0.5 + math.sin(2*w*t)/(4*w*t) end
    local keep = { m = hm.mean(x^2) }
    for _, row in ipairs(sweep(keep, { events = { back = { when = x.dot, direction = "falling", terminal = true } } })) do
      assert.equal("EVENT", row.status)
      near(row.m, 0.5, 1e-8)
    end
    for _, method in ipairs{ "dop853", "taylor", "radau5" } do
      for _, row in ipairs(sweep(keep, { t = { 3, -4 }, method = method, rtol = 1e-9 })) do near(row.m, square(math.sqrt(row.k), 7), 1e-8) end
    end
    for _, row in ipairs(sweep(keep, { t = { 1, 1 } })) do near(row.m, 1, 1e-15) end
    for _, row in ipairs(sweep({ m = hm.mean(hm.log(x)) }, {})) do assert.equal("NOT_FINITE", row.status) end
    local small = x^2 + x.dot^2/k - 1                                    -- zero: nothing but rounding errors
    for _, row in ipairs(sweep({ m = hm.mean(small) }, { rtol = 1e-13, atol = 1e-13 })) do near(row.m, 0, 1e-11) end
    for _, row in ipairs(sweep({ m = hm.mean(hm.sin(1e9*x)), x = x }, {})) do
      assert.equal("LIMIT", row.status)
      assert.truthy(row.reason:find("its integral does not settle near t = 0.0", 1, true), row.reason)
      assert.truthy(row.m == nil and row.x)
    end
  end)

  it("refuses what has no value, in single runs, threads and lanes, and keeps the rest of the row", function()
    local S, x, k = oscillator()
    local refused = { top = hm.highest(1/(x - 0.5)), low = hm.lowest(1/(x - 0.5)), square = hm.highest(1/(x - 0.5)^2), touch = hm.lowest(1/(x^2 - 1)),
                      tan = hm.highest(hm.tan(2*x)), mean = hm.mean(1/x), even = hm.mean(1/(x - 0.3)^2), log = hm.lowest(hm.log(hm.abs(x))),
                      at = hm.at(1/x, x), root = hm.highest(hm.sqrt(x)), wave = hm.highest(hm.sin(1/x)) }
    local kept = { least = hm.lowest(1/hm.abs(x - 0.5)), round = hm.highest(hm.sin(x)/x), limit = hm.highest(hm.atan(1/x)), sign = hm.mean(x/hm.abs(x)),
                   none = hm.count(1/x), never = hm.first(1/x), peak = hm.mean(1/(1e-6 + (x - 0.3)^2)), at = hm.at(1/x, x - 0.5), safe = hm.highest(1/(2 + x)),
                   angle = hm.highest(hm.atan2(x, x - 0.5)) }
    local exact = { least = 1/1.5, round = 1, limit = math.pi/2, none = 0, at = 2, safe = 1, angle = math.pi }
    local single = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 10, rtol = 1e-11, atol = 1e-11 }
    local numbers = single:keep(kept)
    for name, value in pairs(exact) do near(numbers[name], value, 1e-8) end
    assert.is_false(numbers.never)
    -- arbiter: x = cos t, the trapezoidal rule with 4e7 points; x < 0 from pi/2 to 3 pi/2 and from 5 pi/2 on
    near(numbers.peak, 988.02171648, 1e-5)
    near(numbers.sign, (math.pi/2 - math.pi + math.pi - (10 - 5*math.pi/2))/10, 1e-8)
    local names, values = {}, single:keep(refused)
    for name in pairs(refused) do
      names[#names + 1] = name
      check.raises({ "keep: '" .. name .. "'" }, function() return values[name] end)
    end
    check.raises({ "1/(x - 1/2) has no largest value", "at t = 1.0471975", "x - 1/2 becomes zero there" }, function() return values.top end)
    check.raises({ "1/x is unbounded, or has no value, at t = 1.57079633: the mean of such an expression is not computed", "x becomes zero" },
      function() return values.mean end)
    check.raises({ "1/x has no value at t = 1.57079633" }, function() return values.at end)
    check.raises({ "sqrt(x) has no largest value", "has no value, at t = 1.5707963" }, function() return values.root end)
    assert.truthy(tostring(values):find("tan = no value: tan(2*x) has no largest value", 1, true))
    for _, name in ipairs(names) do
      local keep, reason = { x = "x", bad = refused[name], round = kept.round, peak = kept.peak }, nil
      for i, lanes in ipairs{ 1, 4, 8 } do
        local W = S:sweep{ over = { { k, { 1, 1.0001 } } }, q = { x = 1 }, v = { x = 0 }, t = 10, keep = keep, lanes = lanes, threads = i, rtol = 1e-11,
                           atol = 1e-11, progress = false }
        local row = W[1]
        assert.equal("NOT_FINITE", row.status, name)
        assert.is_nil(row.bad)
        assert.truthy(row.reason:find("keep: 'bad': ", 1, true) and row.reason:find("becomes zero there", 1, true), row.reason)
        reason = reason or row.reason:sub(1, 60)
        assert.equal(reason, row.reason:sub(1, 60))
        near(row.x, math.cos(10), 1e-8)
        near(row.round, 1, 1e-8)
        near(row.peak, 988.02171648, 1e-4)
      end
    end
  end)

  it("means of accelerations have the accuracy of the motion, in sweeps too, whose runs stay in lanes", function()
    local S, x = oscillator()
    local T, size = 7, 2                                                   -- x = 2 cos t
    local squares = size^2*(T/2 + math.sin(2*T)/4)/T                       -- mean of x^2
    local exact = { [x.ddot] = -size*math.sin(T)/T, [x*x.ddot] = -squares, [x.dot*x.ddot] = (size*math.sin(T))^2/2/T, [x.ddot + x] = 0,
                    [hm.t*x.ddot + 1] = 1 - size*(T*math.sin(T) + math.cos(T) - 1)/T, [x.ddot^2] = squares,
                    [x.dot^2*x.ddot] = -(size*math.sin(T))^3/3/T, [x*x.dot*x.ddot] = size^3*(1 - math.cos(T)^3)/3/T }
    local options = { q = {}, v = { x = 0 }, t = T, rtol = 1e-11, atol = 1e-11 }
    for e, mean in pairs(exact) do
      options.q.x, options.keep, options.over = size, { m = hm.mean(e) }, nil
      near(S:simulate(options).kept.m, mean, 1e-9)
      options.q.x, options.over = nil, { { "x", { 1, size, 3, 4, 5 } } }
      local W = S:sweep(options)
      near(W[2].m, mean, 1e-9)
      assert.is_nil(W._alone)
    end
  end)

  it("refuses poles of accelerations, and finds peaks of velocities between samples", function()
    local S, x = oscillator()
    local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 10, rtol = 1e-11, atol = 1e-11 }
    local k = run:keep{ a = hm.highest(1/x.ddot), m = hm.mean(1/x.ddot), at = hm.at(1/x.ddot, x), narrow = hm.highest(x.dot + 2*hm.exp(-1e9*(x - 0.3)^2)),
                        corner = hm.lowest(hm.abs(x.dot - 0.25)), energy = hm.highest "energy" }
    for name, what in pairs{ a = "1/x'' has no largest value", m = "1/x'' is unbounded, or has no value", at = "1/x'' has no value" } do
      check.raises({ what }, function() return k[name] end)
    end
    near(k.narrow, 2 + math.sqrt(1 - 0.09), 1e-7)
    near(k.corner, 0, 1e-10)
    near(k.energy, 0.5, 1e-9)
  end)

  it("of a name that nothing has names events and contacts", function()
    local S = hm.system "ball"
    local z = S:coordinates "z"
    S:kinetic_energy(z.dot^2/2)
    S:unilateral("floor", z, { law = hm.newton(0.5) })
    local start = { q = { z = 1 }, v = { z = -2 }, t = 1 }
    local function with(keep, over) return { q = start.q, v = start.v, t = 1, keep = keep, over = over } end
    local message = { "\"count flor\": there is no event, contact or quantity 'flor' (did you mean 'floor'?)" }
    check.raises(message, S.simulate, S, with{ "count flor" })
    check.raises(message, S.sweep, S, with({ "count flor" }, { ["q.z"] = { 1, 2 } }))
    local run = S:simulate(start)
    check.raises(message, run.keep, run, { "count flor" })
    assert.equal(1, run:keep{ "count floor" }["count floor"])
  end)
end)
