-- Every root of a guard is met, however long the steps: events, sections, gaps; roots that are not simple, or not alone
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near

-- x = 2 t, y = t - t^2/2, by any method in steps as long as it likes
local function body()
  local S = hm.system "body"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(y, -1)
  return S, x, y
end
local function events_of(S, events, more)
  local o = { q = { x = 0, y = 0 }, v = { x = 2, y = 1 }, t = 10, events = events }
  for key, value in pairs(more or {}) do o[key] = value end
  local run = S:simulate(o)
  return run.events, run
end
local function times_of(events)
  local list = {}
  for i, e in ipairs(events) do list[i] = e.t end
  return list
end
local function check_times(wanted, got, tolerance)
  assert.are.equal(#wanted, #got)
  for k, t in ipairs(wanted) do near(got[k], t, tolerance or 1e-12) end
end
local function times(n, f)
  local list = {}
  for k = 1, n do list[k] = f(k) end
  return list
end

describe("guards between long steps", function()
  it("lose no root of a wave", function()
    local S, x = body()
    check_times(times(6, function(k) return k*math.pi/2 end), times_of(events_of(S, { { name = "e", when = hm.sin(x) } })))
    check_times(times(31, function(k) return k*math.pi/10 end), times_of(events_of(S, { { name = "e", when = hm.sin(5*x) } })))
    check_times(times(318, function(k) return k*math.pi/2 end), times_of(events_of(S, { { name = "e", when = hm.sin(x) } }, { t = 500 })))
    check_times(times(3183, function(k) return k*math.pi/1000 end), times_of(events_of(S, { { name = "e", when = hm.sin(1000*hm.t) } })))
    assert.are.equal(63, #events_of(S, { { name = "e", when = hm.sin(20*hm.t) } }, { v = { x = 0, y = 0 } }))
  end)

  it("see bumps that steps fly over", function()
    local S, x = body()
    local half = math.sqrt(math.log(2))
    for _, width in ipairs{ 1, 1e-2, 1e-5 } do
      local events = events_of(S, { { name = "e", when = hm.exp(-((x - 9)/width)^2) - hm.rational(1, 2) } })
      check_times({ (9 - half*width)/2, (9 + half*width)/2 }, times_of(events))
    end
  end)

  it("are met as Lua functions, by samples that follow them", function()
    local S = body()
    local function wave(_, q) return math.sin(q.x) end
    check_times(times(31, function(k) return k*math.pi/2 end), times_of(events_of(S, { { name = "e", when = wave } }, { t = 50 })), 1e-10)
    local step = function(_, q) return q.x < 3 and -1 or 2 end
    check_times({ 1.5 }, times_of(events_of(S, { { name = "e", when = step } })), 1e-10)
    local pair = function(_, q) return (q.x - 3)*(q.x - 3.01) end
    check_times({ 1.5, 1.505 }, times_of(events_of(S, { { name = "e", when = pair } })), 1e-10)
    local none = function(_, q) return (q.x - 3)^2 + 1e-6 end
    assert.are.equal(0, #events_of(S, { { name = "e", when = none } }))
  end)

  it("contain measured data, corners, roots and powers", function()
    local S, x, y = body()
    local d = hm.data{ name = "humps", x = { 0, 4, 5, 6, 12, 13, 14, 30 }, y = { -1, -1, 1, -1, -1, 1, -1, -1 }, kind = "linear" }
    check_times({ 4.5/2, 5.5/2, 12.5/2, 13.5/2 }, times_of(events_of(S, { { name = "e", when = d(x) } })))
    check_times({ 0.75, 1.25 }, times_of(events_of(S, { { name = "e", when = hm.abs(x - 2) - hm.rational(1, 2) } })))
    check_times({ 1, 1.5 }, times_of(events_of(S, { { name = "e", when = hm.max(2 - x, x - 3) } })))
    check_times({ 2 }, times_of(events_of(S, { { name = "e", when = hm.sqrt(x + 1) - hm.sqrt(5) } })))
    check_times({ 1.5 }, times_of(events_of(S, { { name = "e", when = hm.atan2(y - x*(1 - x/4)/2, x) + x^hm.rational(3, 2)/100 - hm.sqrt(27)/100 } })), 1e-10)
    check.raises({ "event 'e' is not finite", "t = 2" }, function()
      local _, run = events_of(S, { { name = "e", when = hm.sqrt(4 - x) + 1 } })
      error(run.reason, 0)
    end)
  end)

  it("know directions, ends and ways back", function()
    local S, x = body()
    local wave = hm.sin(x)
    check_times({ math.pi, 2*math.pi, 3*math.pi }, times_of(events_of(S, { { name = "e", when = wave, direction = "rising" } })))
    check_times({ math.pi/2, 3*math.pi/2, 5*math.pi/2 }, times_of(events_of(S, { { name = "e", when = wave, direction = "falling" } })))
    -- in the direction of the run; the root at its end counts, the one at its start does not
    local back = { q = { x = 20, y = -40 }, v = { x = 2, y = -9 }, t = { 10, 0 } }
    local list = times_of(events_of(S, { { name = "e", when = wave } }, back))
    near(list[#list], 0, 1e-12)
    check_times({ 6*math.pi/2, 5*math.pi/2, 4*math.pi/2, 3*math.pi/2, math.pi, math.pi/2, list[#list] }, list, 1e-11)
    local events, run = events_of(S, { { name = "e", when = wave }, { name = "stop", when = x - 10, terminal = true } })
    check_times({ math.pi/2, math.pi, 3*math.pi/2, 5 }, times_of(events))
    assert.are.equal("EVENT", run.status)
    near(run[#run].x, 10, 1e-12)
    check_times({ 10 }, times_of(events_of(S, { { name = "e", when = x - 20 } })))
  end)

  it("lie within the run, wherever it ends", function()
    local O, x = mechanics.body("oscillator", "x")
    O:potential_energy(x^2/2)
    for amplitude = 1, 4 do
      for _, span in ipairs{ 20, -20 } do
        local run = O:simulate{ q = { x = amplitude }, v = { x = 0 }, t = span, events = { { name = "e", when = hm.sqrt(x) - hm.rational(1, 2) } } }
        assert.are.equal("NOT_FINITE", run.status)
        for _, e in ipairs(run.events) do near(run:at(e.t).x, 0.25, 1e-6) end
      end
    end
  end)

  it("are met at one instant together, each once", function()
    local S, x, y = body()
    local events = events_of(S, { a = { when = x - 2 },
      b = { when = 2*(x - 2)*(x + 7) }, c = { when = y - hm.rational(1, 2) + 3*(x - 2) }, d = { when = hm.t - 1 } })
    check_times({ 1, 1, 1, 1 }, times_of(events))
    events = events_of(S, { { name = "a", when = x - 2 }, { name = "b", when = hm.t - 1 }, { name = "stop", when = 3*x - 6, terminal = true } })
    check_times({ 1, 1, 1 }, times_of(events))
    -- more than the time resolves, less than its roots are worth
    events = events_of(S, { { name = "a", when = hm.t - 1 }, { name = "b", when = hm.t - 1 - hm.rational(1, 10^12) } })
    assert.are.equal(2, #events)
  end)

  it("at poles are no roots, at jumps they are", function()
    local S, x = body()
    check_times(times(6, function(k) return k*math.pi/2 end), times_of(events_of(S, { { name = "e", when = hm.tan(x) } })))
    assert.are.equal(0, #events_of(S, { { name = "e", when = 1/(x - 3) } }))
    check_times(times(6, function(k) return k*math.pi/2 end), times_of(events_of(S, { { name = "e", when = hm.sign(hm.sin(x)) } })))
  end)
end)

describe("roots that are not simple", function()
  it("are touches: once, and for both directions only", function()
    local S, x = body()
    for _, e in ipairs{ 1 - hm.cos(x), hm.cos(x) - 1 } do
      check_times({ math.pi, 2*math.pi, 3*math.pi }, times_of(events_of(S, { { name = "e", when = e } })), 1e-6)
      assert.are.equal(0, #events_of(S, { { name = "e", when = e, direction = "falling" } }))
      assert.are.equal(0, #events_of(S, { { name = "e", when = e, direction = "rising" } }))
    end
    check_times({ 1.5 }, times_of(events_of(S, { { name = "e", when = (x - 3)^2 } })), 1e-7)
    check_times({ 1.5 }, times_of(events_of(S, { { name = "e", when = (x - 3)^4 } })), 1e-3)
    check_times({ 1.5 }, times_of(events_of(S, { { name = "e", when = hm.abs(x - 3) } })), 1e-12)
    assert.are.equal(0, #events_of(S, { { name = "e", when = (x - 3)^2 + hm.rational(1, 10^12) } }))
    assert.are.equal(2, #events_of(S, { { name = "e", when = (x - 3)^2 - hm.rational(1, 10^12) } }))
  end)

  it("are touches wherever steps and numbers put them", function()
    local S, x, y = body()
    local squares, corners = 0, 0
    for k = 1, 40 do
      local at = hm.rational(7*k, 31)
      squares = squares + #events_of(S, { { name = "e", when = (x - at)^2 } })
      corners = corners + #events_of(S, { { name = "e", when = hm.abs(x - at) } })
    end
    assert.are.equal(40, squares)
    assert.are.equal(40, corners)
    local r = 2*x - 3                    -- zero at t = 3/4, where y = 15/32
    local z = y - hm.rational(15, 32)
    for _, e in ipairs{ r^2, -r^2, r^4, r^6, hm.abs(r)^hm.rational(1, 10), hm.abs(r)^hm.rational(5, 2), hm.sqrt(r^2 + z^2), r^2 + hm.abs(z),
                        hm.sqrt(hm.abs(r)), r*hm.sign(r), hm.log(1 + r^2), hm.exp(r^2) - 1, hm.cosh(r) - 1, hm.sin(r/7)^2 } do
      check_times({ 0.75 }, times_of(events_of(S, { { name = "e", when = e } }, { t = 3 })), 1e-6)
      for _, direction in ipairs{ "rising", "falling" } do
        assert.are.equal(0, #events_of(S, { { name = "e", when = e, direction = direction } }, { t = 3 }))
      end
      local _, run = events_of(S, { { name = "stop", when = e, terminal = true } }, { t = 3 })
      assert.are.equal("EVENT", run.status)
      local whole = S:simulate{ q = { x = 0, y = 0 }, v = { x = 2, y = 1 }, t = 3 }
      assert.are.equal(1, #whole:roots(e))
      assert.are.equal(1, #whole:section(e, { direction = "both" }))
    end
    check_times({ 0.75, 2 }, times_of(events_of(S, { { name = "e", when = r^2*(x - 4) } })), 1e-12)
    check_times({ 0.75, 2 }, times_of(events_of(S, { { name = "e", when = hm.min(hm.abs(r), (x - 4)^2) } })), 1e-12)
    -- rounding errors of the guard come and go around its root: still one touch
    check_times({ 0.75 }, times_of(events_of(S, { { name = "e", when = hm.acos(hm.cos(r)) } }, { t = 1.5 })), 1e-7)
    for _, e in ipairs{ hm.sign(r)^2, 1/r^2, r^2 + hm.rational(1, 10^15), hm.abs(r) + hm.rational(1, 10^9) } do
      assert.are.equal(0, #events_of(S, { { name = "e", when = e } }, { t = 3 }))
    end
  end)

  it("along computed motions are touches with every method", function()
    local O, u = mechanics.body("oscillator", "u")
    O:potential_energy(u^2/2)
    for _, method in ipairs{ "dop853", "auto", "radau5", "taylor", "rk8pd", "msadams" } do
      for e, count in pairs{ [u^2] = 6, [hm.abs(u)] = 6, [u.dot^2] = 6, [u^2*u.dot^2] = 12 } do
        assert.are.equal(count, #O:simulate{ q = { u = 1 }, v = { u = 0 }, t = 20, events = { { name = "e", when = e } }, method = method }.events)
      end
    end
  end)

  it("are crossings where the sign changes", function()
    local S, x = body()
    check_times({ 1.5 }, times_of(events_of(S, { { name = "e", when = (x - 3)^3 } })), 1e-4)
    assert.are.equal(1, #events_of(S, { { name = "e", when = (x - 3)^5, direction = "rising" } }))
    assert.are.equal(0, #events_of(S, { { name = "e", when = (x - 3)^3, direction = "falling" } }))
  end)

  it("that last are met once, with a note", function()
    local S, x, y = body()
    for _, e in ipairs{ x - 2*hm.t, 0*x + hm.max(0, -1 - x), function() return 0 end } do
      local events, run = events_of(S, { { name = "zero", when = e } }, { max_step = 0.5 })
      assert.are.equal(1, #events)
      assert.are.equal(1, #run.notes)
      assert.truthy(tostring(run.notes[1]):find("event 'zero' is zero to rounding from t = 0 on", 1, true))
    end
    -- falls to zero at t = 1, stays there, leaves at t = 3
    local late = hm.max(2 - x, 0) - hm.max(x - 6, 0)
    local events, run = events_of(S, { { name = "zero", when = late } }, { max_step = 0.7 })
    check_times({ 1 }, times_of(events), 1e-12)
    assert.are.equal(1, #run.notes)
    -- a body at rest
    assert.are.equal(1, #events_of(S, { { name = "e", when = x - 1 } }, { q = { x = 1, y = 0 }, v = { x = 0, y = 1 } }))
    check_times({ 2 }, times_of(events_of(S, { { name = "e", when = y } })))
  end)
end)

describe("sections", function()
  it("of new and of finished runs have all their points", function()
    local S, x, y = body()
    local start = { q = { x = 0, y = 0 }, v = { x = 1, y = 1 }, t = 100 }
    local run, wanted = S:simulate(start), times(15, function(k) return 2*k*math.pi end)
    start.when = hm.sin(x)
    local function column(section) return times(#section, function(k) return section[k].t end) end
    check_times(wanted, column((S:section(start))))
    check_times(wanted, column(run:section(hm.sin(x))), 1e-9)
    start.when, start.direction, start.t = hm.sin(100*x), "both", 100
    assert.are.equal(3183, #S:section(start))
    assert.are.equal(3183, #run:section(hm.sin(100*x), { direction = "both" }))
    assert.are.equal(3, #run:section(y.ddot + x/20 + hm.rational(1, 3) - hm.cos(x/40), { direction = "both" }) + 2)
    check.raises({ "whose roots are looked for", "t = 4" }, run.section, run, hm.sqrt(4 - x))
  end)

  it("of runs with impacts begin anew at each", function()
    local S, h = mechanics.body("ball", "h")
    S:force(h, -2)
    S:unilateral("floor", h, { law = hm.newton(1) })
    local run = S:simulate{ q = { h = 1 }, v = { h = 0 }, t = 9 }
    -- h = 1 - t^2, period 2; the velocity jumps at odd times, and passes zero at even ones
    check_times({ 2, 4, 6, 8 }, times_of(run:section(h.dot, { direction = "both" })), 1e-9)
    assert.are.equal(5, #run:section(h - hm.rational(1, 2), { direction = "falling" }))
  end)
end)

describe("gaps", function()
  local function thrown(gap, wall)
    local S = hm.system "projectile"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(hm.rational(981, 100)*y)
    S:unilateral("ground", gap(x, y), { law = hm.newton(wall or 0.5) })
    return S
  end

  it("are not flown over", function()
    local S = thrown(function(x, y) return y - 3*hm.exp(-((x - 20)/2)^2) end)
    local start = { q = { x = 0, y = 1 }, v = { x = 20, y = 6 }, t = 1.2 }
    for _, method in ipairs{ "dop853", "auto", "radau5", "rk8pd" } do
      start.method = method
      local run = S:simulate(start)
      assert.are.equal(1, #run.impacts)
      near(run:at(1.2).x, 18.936448854541, 1e-7)            -- arbiter: max_step = 0.05
    end
    local W = hm.system "wide hill"
    local x, y = W:coordinates "x y"
    W:kinetic_energy((x.dot^2 + y.dot^2)/2)
    W:unilateral("hill", y - hm.exp(-((x - 50)/10)^2), { law = hm.newton(1) })
    local slow = W:simulate{ q = { x = 0, y = 0.1 }, v = { x = 10, y = 0 }, t = 10 }
    assert.are.equal(2, #slow.impacts)
    near(slow:at(10).y, W:simulate{ q = { x = 0, y = 0.1 }, v = { x = 10, y = 0 }, t = 10, max_step = 0.1 }:at(10).y, 1e-9)
  end)

  it("of bumpy ground are those that short steps find", function()
    local S = thrown(function(x, y) return y - hm.sin(3*x)/4 end, 0.9)
    local start = { q = { x = 0, y = 2 }, v = { x = 3, y = 0 }, t = 3, rtol = 1e-11, atol = 1e-11 }
    local long = S:simulate(start)
    start.max_step = 0.01
    local short = S:simulate(start)
    assert(#long.impacts > 3)
    check_times(times_of(short.impacts), times_of(long.impacts), 1e-6)
  end)

  it("of moving walls stay closed to the body", function()
    local S, x = mechanics.body("wall", "x")
    local gap = 1 + hm.cos(2*hm.t)/2 - x
    S:unilateral("wall", gap, { law = hm.newton(1) })
    S:unilateral("other", x + 3, { law = hm.newton(1) })
    local run = S:simulate{ q = { x = 0 }, v = { x = 0.3 }, t = 200 }
    assert(#run.impacts > 20)
    local _, list = run:series(gap, { n = 20001 })
    for _, value in ipairs(list) do assert(value > -1e-9, value) end
  end)

  it("met together with an event or another gap lose neither", function()
    local S = hm.system "corner"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:unilateral("right", 1 - x, { law = hm.newton(1) })
    S:unilateral("top", 1 - y, { law = hm.newton(1) })
    local run = S:simulate{ q = { x = 0.3, y = 0.3 }, v = { x = 0.7, y = 0.7 }, t = 3, events = { { name = "e", when = hm.t - 1 } } }
    near(run:at(3).x, -0.4 - 0.7 + 0.4 + 0.3, 1e-12)
    near(run:at(3).y, run:at(3).x, 1e-12)
    assert.are.equal(1, #run.events)
  end)
end)

describe("events that accumulate", function()
  it("end the run with the event, the time and what to do", function()
    for _, when in ipairs{
      function(x) return x*hm.sin(1/x) end,
      function(x) return hm.sin(1/x) end,
      function() return (hm.t - 1)^2*hm.sin(1/(hm.t - 1)) end,
    } do
      local S = hm.system "oscillator"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      S:force(x, -x)
      local e = when(x)
      for _, method in ipairs{ "dop853", "taylor", "rk4" } do
        local o = { q = { x = 1 }, v = { x = 0 }, t = 3, method = method, step = method == "rk4" and 0.01 or nil, progress = false,
          events = { { name = "zeros", when = e } } }
        local r = S:simulate(o)
        assert.equal("SINGULAR", r.status)
        assert.truthy(r.reason:find("'zeros' accumulates", 1, true))
        assert.truthy(math.abs(r.outcome.t - math.pi/2) < 1e-3 or math.abs(r.outcome.t - 1) < 1e-3)
        o.t = 0.9*r.outcome.t
        assert.equal("OK", S:simulate(o).status)
      end
    end
  end)

  it("are not those that are many", function()
    local S = check.oscillator(hm, function(x) return x^2/2 end)
    local r = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 1, events = { { name = "ticks", when = hm.sin(2e4*hm.t) } }, progress = false }
    assert.equal("OK", r.status)
    assert.equal(6366, #r.events)
  end)
end)

describe("events at impacts", function()
  -- A ball that falls from 1 bounces at these times; x moves on with the speed 1
  local function bounces(law, when, direction, by_function)
    local S = hm.system "ball"
    local h, x = S:coordinates "h x"
    S:kinetic_energy((h.dot^2 + x.dot^2)/2)
    S:potential_energy(hm.rational(981, 100)*h)
    S:unilateral("floor", h, { law = law })
    local e = { name = "e", when = by_function or when(h, x), direction = direction }
    local run = S:simulate{ q = { h = 1, x = 0 }, v = { h = 0, x = 1 }, t = 1.2, events = { e } }
    return times_of(run.events), run
  end
  local T = math.sqrt(2/9.81)
  local impacts, tops = { T, 2*T, 2.5*T }, { 1.5*T, 2.25*T, 2.625*T }
  local both = { T, 1.5*T, 2*T, 2.25*T, 2.5*T, 2.625*T }
  local newton = hm.newton(0.5)

  it("count once where the gap or another quantity comes to zero", function()
    local function gap(h) return h end
    check_times(impacts, (bounces(newton, gap)))
    check_times(impacts, (bounces(newton, gap, "falling")))
    check_times({}, (bounces(newton, gap, "rising")))                       -- it is never negative
    check_times(impacts, (bounces(newton, nil, nil, function(_, q) return q.h end)))
    check_times(impacts, (bounces(newton, function(h) return -3*h end)))
    check_times(impacts, (bounces(newton, function(h) return h^2 end)))     -- a touch
    check_times({}, (bounces(newton, function(h) return h^2 end, "falling")))
    check_times({ T }, (bounces(hm.plastic(), gap)))
  end)

  it("count where a quantity jumps through zero, or to it", function()
    local function speed(h) return h.dot end
    check_times(both, (bounces(newton, speed)))
    check_times(impacts, (bounces(newton, speed, "rising")))
    check_times(tops, (bounces(newton, speed, "falling")))
    check_times(both, (bounces(newton, nil, nil, function(_, _, v) return v.h end)))
    check_times({ T }, (bounces(hm.plastic(), speed)))
    check_times({ T, 2*T }, (bounces(newton, function(h, x) return h.dot - x.dot end, "rising")))   -- the third speed, 0.55, is below 1
  end)

  it("end the run where they are terminal", function()
    local S, h = mechanics.body("ball", "h")
    S:force(h, -2)
    S:unilateral("floor", h, { law = newton })
    local run = S:simulate{ q = { h = 1 }, v = { h = 0 }, t = 9, events = { { name = "turns", when = h.dot, direction = "rising", terminal = true } } }
    assert.equal("EVENT", run.status)
    near(run.t[#run.t], 1, 1e-9)
  end)
end)

describe("roots of odd multiplicity", function()
  it("are one event with every method", function()
    local S = hm.system "uniform"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(y, -y)
    for method in pairs{ dop853 = 1, rk8pd = 1, rkf45 = 1, rk4 = 1, gauss4 = 1, radau5 = 1, taylor = 1 } do
      for _, n in ipairs{ 1, 3, 5 } do
        local step = (method == "rk4" or method == "gauss4") and 0.01 or nil
        local r = S:simulate{ q = { x = 0, y = 1 }, v = { x = 1, y = 0 }, t = 10, method = method, step = step,
                              events = { { name = "e", when = (x - hm.number "3.123456")^n } } }
        assert.equal(1, #r.events, method .. " " .. n)
        assert(math.abs(r.events[1].t - 3.123456) < 1e-9)
      end
    end
  end)
end)
