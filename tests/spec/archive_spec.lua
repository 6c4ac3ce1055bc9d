-- run:save "x.hamel" and hm.load
-- luacheck: globals power strength
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

local function sleigh()
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J = S:positive "m=1 J=1/2"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
  return S, x, theta
end
local function run_of(S, more)
  local o = { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 5, parameters = { J = 0.75 } }
  for k, value in pairs(more or {}) do o[k] = value end
  return S:simulate(o)
end
local contents = check.content
local write = check.write

describe("a run in a file", function()
  local path = os.tmpname() .. ".hamel"

  it("comes back bit for bit, with everything a run has", function()
    for _, form in ipairs{ "lagrange", "chaplygin" } do
      local S, x = sleigh()
      local run = run_of(S, { form = form, dependent = form == "chaplygin" and { "y" } or nil })
      assert.equal(#contents((run:save(path) and path)), #contents(path))
      local T = sleigh()
      local back = hm.load(path, T)
      for i = 0, 50 do
        local a, b = run:at(i/10), back:at(i/10)
        for _, name in ipairs{ "x", "y", "theta" } do
          assert.equal(a[name], b[name])
          assert.equal(a.v[name], b.v[name])
        end
        assert.equal(a.lambda.blade, b.lambda.blade)
      end
      assert.equal(run:at(2.2, x.dot^2), back:at(2.2, T:symbol("x").dot^2))
      assert.equal(tostring(run), tostring(back))
      assert.equal(run.energy_drift, back.energy_drift)
    end
  end)

  it("comes back with its events", function()
    local S, x = sleigh()
    local run = run_of(S, { events = { { name = "one", when = x - 1 }, { name = "end", when = function(t) return t - 4.5 end, terminal = true } } })
    run:save(path)
    local back = hm.load(path, (sleigh()))
    assert.equal(2, #back.events)
    for i, event in ipairs(run.events) do
      assert.equal(tostring(event), tostring(back.events[i]))
      assert.equal(event.state.y, back.events[i].state.y)
    end
    assert.equal("EVENT", back.status)
    assert.equal(tostring(run), tostring(back))
    assert.equal(run:at(2.5).lambda.blade, back:at(2.5).lambda.blade)
  end)

  it("is readable without the system", function()
    local run = run_of((sleigh()))
    run:save(path)
    local r = hm.load(path)
    assert.equal(run:at(3.3).theta, r:at(3.3).theta)
    assert.equal(run:at(3.3).v.x, r:at(3.3)["x'"])
    assert.equal(0.75, r.parameters.J)
    assert.truthy(tostring(r):find("recording", 1, true))
    for _, name in ipairs{ "plot", "series", "animate", "energy_drift" } do
      check.raises({ "Recording has no field '" .. name .. "'", "hm.load(file, S)" }, function() return r[name] end)
    end
    check.raises({ "'a' is no run and no section, but a Recording", "hm.load(file, S)" }, hm.plot, { a = r }, "x")
  end)

  it("is refused when it is cut, damaged, foreign, newer, or of another system", function()
    run_of((sleigh())):save(path)
    local whole = contents(path)
    for _, keep in ipairs{ 0, 5, 30, 200, #whole//2, #whole - 1 } do
      write(path, whole:sub(1, keep))
      local ok, message = pcall(hm.load, path)
      assert.falsy(ok)
      assert.truthy(message:find("cut off", 1, true) or message:find("not a file of a run", 1, true) or message:find("newer", 1, true))
    end
    for _, place in ipairs{ 60, #whole//2, #whole - 3 } do
      write(path, whole:sub(1, place - 1) .. string.char((whole:byte(place) + 1) % 256) .. whole:sub(place + 1))
      assert.falsy(pcall(hm.load, path))
    end
    write(path, (whole:gsub("^hamel run 1", "hamel run 7")))
    check.raises({ "newer version", "hamel run 7" }, hm.load, path)
    write(path, whole)
    local other = hm.system "other"
    local x, y, theta = other:coordinates "x y theta"
    other:positive "m=1 J=1"
    other:kinetic_energy(x.dot^2 + y.dot^2 + theta.dot^2)
    check.raises({ "other equations" }, hm.load, path, other)
    check.raises({ "hm.load" }, hm.load, "/nonexistent.hamel")
    -- a script is not run
    write(path, "os.exit(1)")
    check.raises({ "not a file of a run" }, hm.load, path)
    local empty = os.tmpname() .. ".branch"
    assert(io.open(empty, "w")):close()
    check.raises({ "not a file of a branch", "it is empty" }, hm.load, empty)
    os.remove(empty)
    os.remove(path)
  end)

  it("is not made of what it cannot keep", function()
    local S, x = sleigh()
    local run = run_of(S, { events = { { name = "one", when = x - 1 } }, record = "impacts" })
    check.raises({ "events with record = 'impacts'", ".csv" }, run.save, run, path)
    check.raises({ ".csv, .json, .npz (NumPy), .mat (MATLAB) or .hamel" }, run.save, run, "run.txt")
    check.raises({ "cannot write" }, run_of(S).save, run_of(S), "/nonexistent/run.hamel")
  end)
end)

describe("a run with checkpoints", function()
  local path = os.tmpname() .. ".hamel"

  local function long(S, file, more)
    local o = { checkpoint = file, every = 0.7, t = 20, rtol = 1e-10 }
    for k, value in pairs(more or {}) do o[k] = value end
    return run_of(S, o)
  end
  local function same(a, b)
    assert.equal(#a, #b)
    for i = 1, #a do
      assert.equal(a[i].t, b[i].t)
      assert.equal(a[i].theta, b[i].theta)
      assert.equal(a[i].v.x, b[i].v.x)
    end
    for t = 0, 20 do assert.equal(a:at(t).y, b:at(t).y) end
    for _, name in ipairs{ "steps", "rejected", "evaluations", "message", "status" } do assert.equal(a.outcome[name], b.outcome[name]) end
  end

  -- arbiter: the run that was never stopped
  it("goes on from the file, bit for bit, whatever the method", function()
    for _, method in ipairs{ "dop853", "taylor", "radau5", "msadams", "gauss4" } do
      local more = { method = method, step = method == "gauss4" and 0.01 or nil }
      local whole = long(sleigh(), path, more)
      assert.equal("OK", whole.status)
      os.remove(path)
      local first = long(sleigh(), path, more)
      same(whole, first)
      same(whole, long(sleigh(), path, more))                          -- finished: read
      os.remove(path)
    end
  end)

  it("that is doubtful says so after hm.load", function()
    local S, x = mechanics.body("bump", "x")
    S:potential_energy(hm.exp(-x^2))
    for _, every in ipairs{ 6, 30 } do
      os.remove(path)
      local function run()
        return S:simulate{ q = { x = -10 }, v = { x = 1 }, t = 30, method = "rk4", step = 3, checkpoint = path, every = every, progress = false }
      end
      local first = run()
      assert.equal("INACCURATE", first.status)
      assert.equal("INACCURATE", hm.load(path).status)
      local loaded = hm.load(path, S)
      assert.equal("INACCURATE", loaded.status)
      assert.equal(first.reason, loaded.reason)
      local again = run()                                              -- finished: read
      assert.equal("INACCURATE", again.status)
      assert.equal(first.reason, again.reason)
    end
    os.remove(path)
  end)

  it("that was interrupted keeps its last checkpoint and ends as the other", function()
    local function forced(limit)
      local S, _, theta = sleigh()
      -- a counter behind a metatable is no part of the force
      power = setmetatable({ left = limit }, {})
      S:force(theta, function(t)
        power.left = power.left - 1
        if power.left < 0 then error("the power fails", 0) end
        return 0.1*math.sin(t)
      end)
      return S
    end
    local whole = long(forced(math.huge), path)
    os.remove(path)
    local ok, message = pcall(long, forced(200), path)
    assert.is_false(ok)
    assert.truthy(tostring(message):find("the power fails", 1, true))
    local part = hm.load(path)
    assert.truthy(part.t[#part.t] > 0 and part.t[#part.t] < 20)
    same(whole, long(forced(math.huge), path))
    -- another run does not go on from it
    check.raises({ "another run", "option rtol" }, long, forced(math.huge), path, { rtol = 1e-8 })
    check.raises({ "another run", "parameter J" }, long, forced(math.huge), path, { parameters = { J = 0.8 } })
    check.raises({ "another run", "the span of time" }, long, forced(math.huge), path, { t = 21 })
    check.raises({ "another run", "the start" }, long, forced(math.huge), path, { v = { x = 2, theta = 0.3 } })
    check.raises({ "ends in .hamel" }, long, forced(math.huge), "run.csv")
    os.remove(path)
  end)

  -- arbiter: the run that was never stopped
  it("counts max_steps over the whole run, and goes on with a larger limit", function()
    os.remove(path)
    local whole = long(sleigh(), path)
    for _, limits in ipairs{ { 3, 5, 1e6 }, { whole.outcome.steps//2, 0 }, { whole.outcome.steps - 1, whole.outcome.steps } } do
      os.remove(path)
      for i, limit in ipairs(limits) do
        if i == #limits then break end
        for _ = 1, 2 do                                                -- the same limit: the same stop
          local part = long(sleigh(), path, { max_steps = limit })
          assert.equal("TOO_MANY_STEPS", part.status)
          assert.equal(limit, part.outcome.steps)
          assert.truthy(part.reason:find(limit .. " steps were made, the end is t = 20", 1, true))
          for k = 1, #part do assert.equal(whole[k].theta, part[k].theta) end
        end
      end
      same(whole, long(sleigh(), path, { max_steps = limits[#limits] }))
    end
    -- a limit below what the file holds
    os.remove(path)
    long(sleigh(), path)
    assert.equal("OK", long(sleigh(), path, { max_steps = 3 }).status)
    os.remove(path)
  end)

  -- arbiter: the same run without a file
  it("is of another run when a force in Lua is another: its code, what it holds, the globals it names", function()
    local function pushed(f)
      local S, _, theta = sleigh()
      S:force(theta, f)
      return S
    end
    local function constant(n) return function() return n end end
    local function of_global() return strength end
    local function other_code() return 1 + 1 end
    strength = 1
    for _, pair in ipairs{ { constant(1), constant(2) }, { constant(1), other_code }, { of_global, of_global, 2 },
                           { function() return constant(0.5)() end, of_global, 2 } } do
      strength = 1
      os.remove(path)
      local first = long(pushed(pair[1]), path)
      same(first, long(pushed(pair[1]), path))
      assert.equal(first:at(3).a.theta, hm.load(path, pushed(pair[1])):at(3).a.theta)
      strength = pair[3]
      check.raises({ "another run", "force in Lua" }, long, pushed(pair[2]), path)
      check.raises({ "other forces in Lua" }, hm.load, path, pushed(pair[2]))
    end
    -- measured data that a force holds
    local function by_data(y) local u = hm.data{ x = { 0, 10, 20 }, y = y, name = "u" } return function(t) return u(t) end end
    os.remove(path)
    long(pushed(by_data{ 0, 0.1, 0 }), path)
    check.raises({ "another run", "force in Lua" }, long, pushed(by_data{ 0, 0.2, 0 }), path)
    os.remove(path)
    strength = nil
  end)
end)

describe("a run with contacts", function()
  -- bounces that accumulate, then sticks and slips under a force that swings
  local function block()
    local S = hm.system "block"
    local x, z = S:coordinates "x z"
    S:kinetic_energy((x.dot^2 + z.dot^2)/2 - x.dot*z.dot/5)
    S:force(z, -10)
    S:force(x, 4*hm.sin(3*hm.t))
    S:unilateral("floor", z, { law = hm.newton(0.6) })
    S:friction("rub", { slip = x.dot, normal = "floor", coefficient = 0.2, static = 0.3 })
    return S
  end
  local function run_until(t, more)
    local o = { q = { x = 0, z = 0.5 }, v = { x = 1, z = 0 }, t = t, rtol = 1e-11, atol = 1e-12 }
    for name, value in pairs(more or {}) do o[name] = value end
    return block():simulate(o)
  end

  it("is refused by files and checkpoints where they cannot hold it", function()
    local function stepped(file)
      local S = block()
      S:set_law("floor", hm.moreau(0.6))
      return S:simulate{ q = { x = 0, z = 0.5 }, v = { x = 1, z = 0 }, t = 0.1, method = "moreau", step = 0.01, checkpoint = file }
    end
    check.raises({ "simulate: the file of a checkpoint cannot hold impacts and friction by method 'moreau'", "remove checkpoint" }, stepped, "x.hamel")
    check.raises({ "run:save: a .hamel file cannot hold impacts and friction by method 'moreau'", ".csv" }, function() stepped():save "x.hamel" end)
    check.raises({ "cannot hold impacts and friction with record = 'ends'" }, function() run_until(0.1, { record = "ends" }):save "x.hamel" end)
    local S, x = mechanics.body("course", "x")
    S:unilateral("wall", x, { law = hm.newton(0.5) })
    check.raises({ "cannot hold a run of the whole course of course" }, S.simulate, S,
      { q = { x = 1 }, v = { x = -1 }, t = 2, form = "whole course", checkpoint = "x.hamel" })
  end)

  it("goes on from its last state as the message says: the motion of the whole run", function()
    local whole = run_until(6)
    for _, t in ipairs{ 0.2, 0.5, 1.2, 1.9, 2.6, 3, 3.3, 4, 4.7, 5.5 } do           -- in flight, in slip and in stick
      local run = run_until(t)
      local e = run[#run]
      local on = block():simulate{ q = e.q, v = e.v, t = { e.t, 6 }, rtol = 1e-11, atol = 1e-12 }
      assert.equal("OK", on.status)
      check.near(on:at(6).x, whole:at(6).x, 2e-12)
      check.near(on:at(6).v.x, whole:at(6).v.x, 2e-12)
    end
  end)

  it("goes on in stick where rounding has left the gap on either side of zero", function()
    local run, sticks = run_until(5.5), run_until(6)
    local e = run[#run]
    for _, z in ipairs{ -1e-18, 0, 1e-18, 3e-16 } do
      local on = block():simulate{ q = { x = e.q.x, z = z }, v = { x = e.v.x, z = 0 }, t = { 5.5, 6 }, rtol = 1e-11, atol = 1e-12 }
      check.near(on:at(6).x, sticks:at(6).x, 2e-12)
    end
  end)
end)

describe("a run with contacts and checkpoints", function()
  local path = os.tmpname() .. ".hamel"
  local stop = setmetatable({}, { at = math.huge })

  -- fails from the time where it is told to; behind a metatable that is no part of the force
  local function force(of)
    return function(t)
      if t > getmetatable(stop).at then error("the power fails", 0) end
      return of(t)
    end
  end

  local function block()
    local S = hm.system "block"
    local x, z = S:coordinates "x z"
    S:kinetic_energy((x.dot^2 + z.dot^2)/2 - x.dot*z.dot/5)
    S:force(z, -10)
    S:force(x, force(function(t) return 4*math.sin(3*t) end))
    S:unilateral("floor", z, { law = hm.newton(0.6) })
    S:friction("rub", { slip = x.dot, normal = "floor", coefficient = 0.2, static = 0.3 })
    return S, { q = { x = 0, z = 0.5 }, v = { x = 1, z = 0 }, t = 6, rtol = 1e-10, atol = 1e-12 }
  end

  -- slip in two directions that ends, sticks, and begins again along its limit direction
  local function puck()
    local S = hm.system "puck"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:force(z, -10)
    S:force(x, force(function(t) return 5*math.sin(2*t) end))
    S:force(y, hm.cos(hm.t)/2)
    S:unilateral("floor", z, { law = hm.newton(0.5) })
    S:friction("rub", { slip = { x.dot, y.dot }, normal = "floor", coefficient = 0.4 })
    return S, { q = { x = 0, y = 0, z = 0.2 }, v = { x = 1, y = -0.5, z = 0 }, t = 5, rtol = 1e-10, atol = 1e-12 }
  end

  -- two walls, one rough, a law by a function, a force given by an expression that presses, and an event
  local function box()
    local S = hm.system "box"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:force(x, force(function(t) return -2 + 3*math.cos(t) end))
    S:force(y, -3)
    S:force(z, 0.12*hm.sin(5*hm.t))
    S:unilateral("left", x, { law = function(s) return { normal = -0.5*s.normal } end })
    S:unilateral("floor", y, { law = hm.newton(0.3), rough = { x.dot + y.dot/10 } })
    S:friction("guide", { slip = z.dot, normal = 1 + hm.sin(hm.t)/4, coefficient = 0.1 })
    return S, { q = { x = 1, y = 1, z = 0 }, v = { x = 0, y = 0, z = 0.01 }, t = 5, rtol = 1e-10, atol = 1e-12, events = { high = y - 0.7 } }
  end

  local function motion_of(system, every, more)
    local S, o = system()
    o.checkpoint, o.every = every and path, every
    for name, value in pairs(more or {}) do o[name] = value end
    return S:simulate(o)
  end

  local function same(a, b)
    assert.equal(#a, #b)
    for i = 1, #a do
      assert.equal(a[i].t, b[i].t)
      for name in pairs(a[i].q) do
        assert.equal(a[i].q[name], b[i].q[name])
        assert.equal(a[i].v[name], b[i].v[name])
      end
    end
    for _, list in ipairs{ "impacts", "switches", "accumulations", "events", "notes" } do
      assert.equal(#a[list], #b[list])
      for i, item in ipairs(a[list]) do assert.equal(tostring(item), tostring(b[list][i])) end
    end
    for _, gap in ipairs(a.system.gaps) do
      for t = 0.25, a.span[2], 0.25 do assert.equal(a:at(t).lambda[gap.name], b:at(t).lambda[gap.name]) end
    end
    for _, name in ipairs{ "steps", "evaluations", "impacts", "switches", "message", "status" } do assert.equal(a.outcome[name], b.outcome[name]) end
  end

  -- arbiters: the run that was never stopped, bit for bit; the run without checkpoints, to its tolerance
  local function check_stops(system, places)
    local plain = motion_of(system)
    assert.equal("OK", plain.status)
    for _, every in ipairs(places) do
      os.remove(path)
      local whole = motion_of(system, every)
      assert.equal(plain.status, whole.status)
      for _, list in ipairs{ "impacts", "switches", "accumulations", "events" } do assert.equal(#plain[list], #whole[list]) end
      for i, item in ipairs(plain.accumulations) do assert.equal(item.impacts, whole.accumulations[i].impacts) end
      for name, value in pairs(plain:at(plain.span[2]).q) do check.near(whole:at(plain.span[2]).q[name], value, 1e-9) end
      local loaded = hm.load(path, (system()))
      same(whole, loaded)
      os.remove(path)
      getmetatable(stop).at = 1.5*every
      check.raises({ "the power fails" }, motion_of, system, every)
      getmetatable(stop).at = math.huge
      assert.equal(every, hm.load(path).t[#hm.load(path).t])
      same(whole, motion_of(system, every))
      same(whole, motion_of(system, every))                               -- finished: read
    end
    os.remove(path)
  end

  it("goes on in flight, among impacts that accumulate, in slip and in stick", function()
    check_stops(block, { 0.7, 1.26, 2.6 })
  end)

  it("goes on at the very instant of an impact, and right before and after it", function()
    local t = motion_of(block).impacts[3].t
    check_stops(block, { t, t + 1e-15 })
  end)

  it("goes on in slip in two directions", function()
    check_stops(puck, { 1.3, 2.4 })
  end)

  it("goes on with rough walls, laws by functions, given normal forces and events", function()
    check_stops(box, { 0.9, 2.4 })
  end)

  it("is of another run when a contact, a law, an event or the choice among motions is another", function()
    local function floor(e, mu, more)
      local S = hm.system "floor"
      local x, z = S:coordinates "x z"
      S:kinetic_energy((x.dot^2 + z.dot^2)/2)
      S:force(z, -10)
      S:unilateral("floor", z, { law = e })
      S:friction("rub", { slip = x.dot, normal = "floor", coefficient = mu })
      local o = { q = { x = 0, z = 1 }, v = { x = 1, z = 0 }, t = 1, checkpoint = path }
      for name, value in pairs(more or {}) do o[name] = value end
      return S:simulate(o), S
    end
    os.remove(path)
    local half = function(s) return { normal = -0.5*s.normal } end
    floor(hm.newton(0.5), 0.2)
    for _, other in ipairs{ { hm.newton(0.6), 0.2 }, { hm.poisson(0.5), 0.2 }, { half, 0.2 }, { hm.newton(0.5), 0.3 } } do
      check.raises({ "another run", "a contact or its law" }, floor, other[1], other[2])
    end
    local plain = hm.system "floor"
    local x, z = plain:coordinates "x z"
    plain:kinetic_energy((x.dot^2 + z.dot^2)/2)
    plain:force(z, -10)
    check.raises({ "another run", "a contact, an event or the form" }, plain.simulate, plain,
      { q = { x = 0, z = 1 }, v = { x = 1, z = 0 }, t = 1, checkpoint = path })
    local _, S = floor(hm.newton(0.5), 0.2)
    S:unilateral("ceiling", 3 - S:symbol "z", { law = hm.newton(1) })
    check.raises({ "other contacts, frictions or laws" }, hm.load, path, S)
    check.raises({ "another run", "several" }, floor, hm.newton(0.5), 0.2, { several = "refuse" })
    check.raises({ "another run", "the events" }, floor, hm.newton(0.5), 0.2, { events = { top = hm.t - 0.5 } })
    os.remove(path)
  end)

  it("is refused where the file is damaged, also with a checksum that fits", function()
    local core = require "hamel.core"
    os.remove(path)
    motion_of(block, 1)
    local whole = contents(path)
    local function load_of(bytes)
      write(path, bytes)
      return hm.load(path, (block()))
    end
    check.raises({ "is cut off" }, load_of, whole:sub(1, -9))
    check.raises({ "checksum" }, load_of, whole:sub(1, -9) .. ("x"):rep(8))
    local head, block_of = whole:match("^(.-\n\n)%d+ %x+\n(.*)$")
    local size = tonumber(head:match "records: (%d+)")
    local function signed(header, bytes) return header .. ("%d %s\n"):format(#bytes, core.checksum(header .. bytes)) .. bytes end
    assert.equal(whole, signed(head, block_of))
    check.raises({ "damaged" }, load_of, signed(head:gsub("records: %d+", "records: " .. size - 8), block_of))
    check.raises({ "damaged" }, load_of, signed(head:gsub("records: %d+\n", ""), block_of))
    check.raises({ "damaged", "contacts" }, load_of, signed(head:gsub("records: %d+", "records: " .. size - 8), block_of:sub(1, -9)))
    -- ones in any place of the records: refused, or a run that can be read
    local refused, read = 0, 0
    for at = #block_of - size + 1, #block_of - 8, size//50 do
      local bytes = block_of:sub(1, at - 1) .. ("\255"):rep(8) .. block_of:sub(at + 8)
      local fine, run = pcall(load_of, signed(head, bytes))
            if fine then
        read = read + 1
        assert.truthy(#tostring(run) > 0)
      else
        refused = refused + 1
      end
    end
    assert.truthy(refused > 2*read)
    os.remove(path)
  end)
end)

describe("the time of a recording", function()
  it("is a number, an exact one too", function()
    local path = os.tmpname() .. ".hamel"
    local S = sleigh()
    local run = run_of(S)
    run:save(path)
    local recording = hm.load(path)
    assert.are.equal(recording:at(math.pi/10).x, recording:at(hm.pi/10).x)
    for _, given in ipairs{ "x", {}, true, hm.symbols "a" } do
      check.raises({ "the time of a recording is a number of seconds" }, recording.at, recording, given)
    end
    check.raises({ "the time of a recording is a number of seconds" }, recording.at, recording)
    os.remove(path)
  end)
end)
