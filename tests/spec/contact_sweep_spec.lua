-- S:sweep with contacts, friction and events: in threads, to the numbers of S:simulate
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

-- A ball that bounces and rubs on a floor
local function ball(law)
  local S = hm.system "ball"
  local x, y = S:coordinates "x y"
  local e, mu, g = S:parameters "e=1/2 mu=3/10 g=10"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(y, -g)
  S:unilateral("floor", y, { law = law or hm.newton(e) })
  S:friction("rub", { slip = x.dot, normal = "floor", coefficient = mu })
  return S, { over = { { "e", { 0, 0.3, 0.7, 1 } }, { "mu", { 0.1, 0.4 } }, { "v.x", { -2, 0.5 } } }, q = { x = 0, y = 1 }, v = { y = 0 }, t = 3,
    keep = { "x", "y", "x'", N = "lambda.floor", T = "friction.rub", energy = "energy" } }, x, y
end

-- A block on a rough plane, pushed round in both directions
local function puck()
  local S = hm.system "puck"
  local x, y = S:coordinates "x y"
  local F = S:parameters "F=2"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(x, F*hm.cos(hm.t))
  S:force(y, F*hm.sin(2*hm.t))
  S:friction("plane", { slip = { x.dot, y.dot }, normal = 10, coefficient = 0.12 })
  return S, { over = { { "F", { 0.5, 2, 3 } }, { "v.x", { 0, 1, -0.4 } } }, q = { x = 0, y = 0 }, v = { y = 0.3 }, t = 4,
    keep = { "x", "y", "x'", T = "friction.plane", U = "friction.plane[2]" } }
end

-- A pendulum in Cartesian coordinates at a wall: the states lie on a constraint
local function pendulum()
  local S = hm.system "pendulum"
  local x, y = S:coordinates "x y"
  local e = S:parameters "e=1/2"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(y, -9.81)
  S:constraint("rod", x^2 + y^2 - 1)
  S:unilateral("wall", x + hm.rational(1, 5), { law = hm.newton(e) })
  return S, { over = { { "e", { 0.2, 0.8, 1 } }, { "v.x", { -1, -2.5 } } }, q = { x = 0, y = -1 }, t = 2,
    keep = { "x", "y", "y'", N = "lambda.rod", W = "lambda.wall" } }
end

-- A ball on a line between a wall and a governor that bounds its other velocity, with friction there
local function carriage()
  local S = hm.system "carriage"
  local x, s = S:coordinates "x s"
  local e, mu, k = S:parameters "e=1/2 mu=1/10 k=3"
  S:kinetic_energy((x.dot^2 + s.dot^2)/2)
  S:potential_energy(k*x^2/2 + x*hm.cos(s)/2)
  S:force(s, hm.rational(1, 2))
  S:unilateral("wall", x, { law = hm.newton(e) })
  S:unilateral("governor", 1 - s.dot)
  S:friction("rub", { slip = s.dot, normal = 1, coefficient = mu })
  return S, { over = { { "e", { 0.4, 0.9, 1 } }, { "mu", { 0.1, 0.6 } }, { "v.x", { -2, 0.5 } } }, q = { x = 1, s = 0 }, v = { s = 0.3 }, t = 2.6,
    method = "whole course",
    keep = { "x", "x_star", "s", "x'", "s''", T = "friction.rub", G = "lambda.governor", energy = "energy" } }
end

local function with(o, more)
  local result = {}
  for k, value in pairs(o) do result[k] = value end
  for k, value in pairs(more or {}) do result[k] = value end
  return result
end

local function same(a, b, what)
  assert.equal(type(a), type(b), what)
  if type(a) ~= "table" then
    if a ~= b and (a == a or b == b) then error(("%s: %s, %s"):format(what, tostring(a), tostring(b)), 2) end
    return
  end
  for k, value in pairs(a) do same(value, b[k], what .. "." .. tostring(k)) end
  for k in pairs(b) do assert.truthy(a[k] ~= nil, what .. "." .. tostring(k)) end
end

-- The run of a row by S:simulate
local function single(S, o, row)
  local q, v, parameters = with(o.q), with(o.v or {}), {}
  for _, axis in ipairs(o.over) do
    local kind, name = axis[1]:match "^([qv])%.(.+)$"
    local into = kind == "q" and q or kind == "v" and v or parameters
    into[name or axis[1]] = row[axis[1]]
  end
  return S:simulate{ q = q, v = v, parameters = parameters, t = o.t, method = o.method, step = o.step, events = o.events }
end

-- Every kept value, bit for bit
local function agree_with_simulate(S, o, rows)
  local impacts, switches = 0, 0
  for _, row in ipairs(rows) do
    local run = single(S, o, row)
    assert.equal(run.outcome.status, row.status)
    assert.equal(run.outcome.steps, row.steps)
    assert.equal(#run.impacts, row.impacts)
    assert.equal(#run.switches, row.switches)
    impacts, switches = impacts + row.impacts, switches + row.switches
    for m, t in ipairs(o.times or { o.t }) do
      local from = o.times and row.series[m] or row
      for name, what in pairs(o.keep) do
        name = type(name) == "string" and name or what
        if t > run.outcome.t then same(nil, from and from[name], name)
        else same((run:at(t, what)), from[name], ("row %d, t = %g, %s"):format(row.index, t, name)) end
      end
    end
  end
  return impacts, switches
end

describe("S:sweep with contacts", function()
  -- arbiter: S:simulate
  it("gives the numbers of single runs, at the end and on the way, for any number of threads", function()
    for name, make in pairs{ ball = ball, puck = puck, pendulum = pendulum } do
      local S, o = make()
      for _, times in ipairs{ false, { 0.4, o.t/2, o.t } } do
        o.times = times or nil
        local one = S:sweep(with(o, { threads = 1 }))
        local impacts, switches = agree_with_simulate(S, o, one)
        assert.truthy((name == "puck" or impacts > 5) and (name == "pendulum" or switches > 2), name)
        for _, threads in ipairs{ 2, 4 } do
          for i, row in ipairs(S:sweep(with(o, { threads = threads }))) do same(one[i], row, ("%s, %d threads, row %d"):format(name, threads, i)) end
        end
      end
    end
  end)

  it("runs the whole course in threads, with the signs of each run", function()
    local S, o = carriage()
    for _, times in ipairs{ false, { 0.4, 1.7, 2.6 } } do
      o.times = times or nil
      local one = S:sweep(with(o, { threads = 1 }))
      assert.falsy(tostring(one):find("one after the other", 1, true))
      assert.equal(0, #one:failed())
      local _, switches = agree_with_simulate(S, o, one)
      local passages, positive, held = 0, 0, 0
      for _, row in ipairs(one) do
        if row.x_star < 0 then passages = passages + 1 else positive = positive + 1 end
        assert.equal(math.abs(row.x_star), row.x)
        if row.G ~= 0 then held = held + 1 end
      end
      assert.truthy(switches > 3 and passages > 1 and positive > 1 and held > 1)
      for _, threads in ipairs{ 2, 4 } do
        for i, row in ipairs(S:sweep(with(o, { threads = threads }))) do same(one[i], row, ("%d threads, row %d"):format(threads, i)) end
      end
    end
    o.times = nil
    for _, row in ipairs(S:sweep(with(o, { over = { { "q.x", { -1, 1 } }, { "e", { 0, 0.5, 1.1 } } }, v = { x = 1, s = 0 } }))) do
      local fine, message = pcall(single, S, with(o, { over = { { "q.x" }, { "e" } }, v = { x = 1, s = 0 } }), row)
      assert.equal(fine and "OK" or "START", row.status)
      assert.truthy(fine or tostring(message):find(row.reason, 1, true), row.reason)
      assert.equal(fine, row["q.x"] == 1 and row.e == 0.5)
    end
  end)

  it("runs every method, time stepping too", function()
    for _, more in ipairs{ { method = "radau5" }, { method = "auto" }, { method = "rk4", step = 1/512 } } do
      local S, o = pendulum()
      o = with(o, more)
      agree_with_simulate(S, o, S:sweep(with(o, { threads = 3 })))
    end
    local S, o = ball(hm.moreau(0.4))
    o = with(o, { over = { { "mu", { 0.1, 0.2, 0.4 } }, { "v.x", { -2, 0.5 } } }, method = "moreau", step = 0.01 })
    agree_with_simulate(S, o, S:sweep(with(o, { threads = 2 })))
  end)

  it("keeps runs that cannot start as rows, with what S:simulate says", function()
    local S, o = ball()
    local rows = S:sweep(with(o, { over = { { "q.y", { -1, 0, 1 } }, { "e", { -1, 0.5 } } }, v = { x = 1, y = 0 } }))
    for i, row in ipairs(rows) do
      local fine = row["q.y"] >= 0 and row.e >= 0
      assert.equal(fine and "OK" or "START", row.status)
      if not fine then
        local _, message = pcall(S.simulate, S, { q = { x = 0, y = row["q.y"] }, v = { x = 1, y = 0 }, parameters = { e = row.e }, t = 3 })
        assert.truthy(tostring(message):find(row.reason, 1, true), ("row %d: %s"):format(i, row.reason))
        assert.truthy(row.x == nil and row.t == 0 and row.steps == 0)
      end
    end
    check.raises({ "lagrange", "hamel" }, S.sweep, S, with(o, { form = "hamel" }))
  end)

  it("takes starts in quasi-velocities as S:simulate does", function()
    local S, o, x, y = ball()
    S:quasi_velocities("s d", { x.dot + y.dot, x.dot - y.dot })
    local row = S:sweep(with(o, { over = { { "e", { 0.3 } } }, v = { s = 1, d = 2 } }))[1]
    same((S:simulate{ q = o.q, v = { s = 1, d = 2 }, parameters = { e = 0.3 }, t = 3 }:at(3, "x")), row.x, "x")
  end)

  it("says why runs go one after the other", function()
    local S, o = ball(function(c) return { normal = -c.normal/2 } end)
    o = with(o, { over = { { "v.x", { 1, 2 } } } })
    local text = tostring(S:sweep(o))
    assert.truthy(text:find("runs one after the other: the law of 'floor' is a Lua function", 1, true), text)
    local B, given = ball()
    assert.falsy(tostring(B:sweep(given)):find("one after the other", 1, true))
    given.events = { { name = "low", when = function(_, q) return q.y - 0.5 end } }
    text = tostring(B:sweep(given))
    assert.truthy(text:find("runs one after the other: the event 'low' is a Lua function", 1, true), text)
  end)
end)

describe("S:sweep with events", function()
  -- arbiter: free fall in closed form
  it("ends runs at terminal events, with the values there", function()
    local S = hm.system "stone"
    local y = S:coordinates "y"
    local g = S:parameters "g=10"
    S:kinetic_energy(y.dot^2/2)
    S:force(y, -g)
    local o = { over = { { "g", { 0.1, 5, 10 } }, { "y", { 1, 2 } } }, v = { y = 0 }, t = 2, keep = { "y", speed = y.dot },
      events = { { name = "ground", when = y, terminal = true } } }
    local one = S:sweep(with(o, { threads = 1 }))
    for i, row in ipairs(one) do
      local height, fall = row["q.y"], math.sqrt(2*row["q.y"]/row.g)
      assert.equal(fall < 2 and "EVENT" or "OK", row.status)
      check.near(row.t, math.min(fall, 2), 1e-9)
      check.near(row.y, math.max(0, height - row.g*4/2), 1e-9)
      check.near(row.speed, -row.g*math.min(fall, 2), 1e-8)
      for _, threads in ipairs{ 2, 4 } do same(row, S:sweep(with(o, { threads = threads }))[i], "row " .. i) end
    end
    assert.equal(0, #one:failed())
    assert.truthy(tostring(one):find("none failed, 4 ended by an event", 1, true), tostring(one))
    local series = S:sweep(with(o, { times = { 0.3, 2 } }))
    assert.truthy(series[6].series[1] and not series[6].series[2])
    check.near(series[6].y, 0, 1e-9)
  end)

  it("counts events by name, as single runs report them", function()
    local S, x = mechanics.body("oscillator", "x")
    S:potential_energy(x^2/2)
    for _, zero in ipairs{ x, function(_, q) return q.x end } do
      local events = { { name = "top", when = x.dot, direction = "falling" }, { name = "zero", when = zero },
                       { name = "late", when = hm.t - 15 + x/10, terminal = true } }
      local sweep = S:sweep{ over = { { "q.x", { 1, 2, -1 } } }, v = { x = 0.1 }, t = 20, keep = { "x" }, events = events }
      for _, row in ipairs(sweep) do
        local counts = { top = 0, zero = 0, late = 0 }
        for _, event in ipairs(S:simulate{ q = { x = row["q.x"] }, v = { x = 0.1 }, t = 20, events = events }.events) do
          counts[event.name] = counts[event.name] + 1
        end
        same(counts, row.events, "events")
        assert.equal(1, row.events.late)
        assert.is_true(row.events.zero > 3)
      end
    end
  end)
end)

describe("a run with contacts that keeps its ends", function()
  it("is judged by its gaps on the way as one that keeps its steps", function()
    local S = hm.system "billiard"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:unilateral("circle", 1 - x^2 - y^2, { law = hm.newton(1) })
    local W = S:sweep{ over = { { "v.x", hm.range(0.1, 1, 20) } }, q = { x = 0.3, y = 0 }, v = { y = 0.8 }, t = 20, keep = { "x" } }
    for _, row in ipairs(W) do
      assert.equal("OK", row.status)
      for _, record in ipairs{ "impacts", "ends" } do
        local r = S:simulate{ q = { x = 0.3, y = 0 }, v = { x = row["v.x"], y = 0.8 }, t = 20, record = record }
        assert.equal("OK", r.status)
      end
    end
  end)
end)
