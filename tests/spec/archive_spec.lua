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

  it("is readable without the system", function()
    local run = run_of((sleigh()))
    run:save(path)
    local r = hm.load(path)
    assert.equal(run:at(3.3).theta, r:at(3.3).theta)
    assert.equal(run:at(3.3).v.x, r:at(3.3)["x'"])
    assert.equal(0.75, r.parameters.J)
    assert.truthy(tostring(r):find("recording", 1, true))
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
    os.remove(path)
  end)

  it("is not made of what it cannot keep", function()
    local S, x = sleigh()
    local run = run_of(S, { events = { { name = "one", when = x - 1 } } })
    check.raises({ "events", ".csv" }, run.save, run, path)
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

  it("is refused by files and checkpoints, which name the contacts", function()
    local held = "impacts and friction (block has the one-sided constraint 'floor' and the friction 'rub')"
    local run = run_until(0.1)
    check.raises({ "run:save: a .hamel file cannot hold " .. held, ".csv" }, run.save, run, "x.hamel")
    check.raises({ "simulate: checkpoints", "cannot hold " .. held, "remove checkpoint" }, run_until, 0.1, { checkpoint = "x.hamel" })
    check.raises({ "cannot hold events" }, function()
      local S = sleigh()
      run_of(S, { checkpoint = "x.hamel", events = { { name = "e", when = hm.t - 1 } } })
    end)
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
end)
