-- runs: against closed solutions, drift, starts, forces in Lua, what stops a run, messages
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near

local sleigh_start = { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 20 }
local function with(base, more)
  local o = {}
  for k, v in pairs(base) do o[k] = v end
  for k, v in pairs(more) do o[k] = v end
  return o
end

describe("a run", function()
  it("of the sleigh follows its circle with every method", function()        -- arbiter: closed solution
    local S = check.sleigh(hm)
    for method, tolerance in pairs{ dop853 = 1e-8, rkf45 = 1e-6, rk8pd = 1e-7, msadams = 1e-5, msbdf = 1e-4 } do
      local run = S:simulate(with(sleigh_start, { method = method, rtol = 1e-9, atol = 1e-9 }))
      assert.equal("OK", run.status)
      for _, t in ipairs{ 0, 3.21, 11.7, 20 } do
        near(run:at(t).x, math.sin(0.3*t)/0.3, tolerance, method)
        near(run:at(t).lambda.blade, -0.3, tolerance, method)
      end
      assert.is_true(run.energy_drift < tolerance and run.constraint_drift < 1e-8, method)
    end
  end)

  it("of a pendulum in Cartesian coordinates keeps length and energy", function()
    local S = check.pendulum(hm)
    local run = S:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = 0 }, t = 20, rtol = 1e-10, atol = 1e-10 }
    assert.is_true(run.constraint_drift < 1e-9)
    assert.is_true(run.energy_drift < 1e-8)
    -- arbiter: the same pendulum in its angle
    local A = hm.system "pendulum"
    local phi = A:coordinates "phi"
    A:kinetic_energy(phi.dot^2)
    A:potential_energy(-2*9.81*hm.cos(phi))
    local angle = A:simulate{ q = { phi = math.pi/2 }, v = { phi = 0 }, t = 20, rtol = 1e-12, atol = 1e-12 }
    near(run:at(20).x, math.sin(angle:at(20).phi), 1e-6)
    -- tension by Newton: m (v^2/l - g cos phi ...), rod reaction is lambda df/dq = 2 lambda (x, y)
    local s = run:at(7.7)
    near(2*s.lambda.rod, -2*(s.v.x^2 + s.v.y^2 - 9.81*s.y), 1e-7)
  end)

  it("drifts without projection and not with it", function()
    local S = check.pendulum(hm)
    local start = { q = { x = 1, y = 0 }, v = { x = 0, y = 0 }, t = 50, rtol = 1e-6, atol = 1e-6 }
    local free = S:simulate(with(start, { project = false }))
    local held = S:simulate(start)
    assert.is_true(free.constraint_drift > 100*held.constraint_drift)
  end)

  it("runs backward to where it came from", function()
    local S = check.sleigh(hm)
    local s = S:simulate(sleigh_start):at(20)
    local back = S:simulate{ q = s.q, v = s.v, t = { 20, 0 } }
    near(back:at(0).x, 0, 1e-7)
    near(back:at(0).theta, 0, 1e-7)
  end)

  it("balances the work of forces", function()
    local S, x = mechanics.body("damped oscillator", "x")
    S:potential_energy(2*x^2)
    S:force(x, hm.sin(hm.t))
    S:dissipation(x.dot^2/10)
    local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 10 }
    assert.is_true(run.energy_drift < 1e-7)
    -- a lagrangian gives the same motion
    local L = hm.system "the same"
    local y = L:coordinates "y"
    L:lagrangian(y.dot^2/2 - 2*y^2 + y*hm.sin(hm.t))
    L:dissipation(y.dot^2/10)
    near(L:simulate{ q = { y = 1 }, v = { y = 0 }, t = 10 }:at(10).y, run:at(10).x, 1e-7)
  end)

  it("takes forces as Lua functions", function()
    local S = hm.system "oscillator"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, function(_, q) return -4*q.x end)
    S:force(y, function(t, _, v) return hm.cos(t) - v.y end)
    local run = S:simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = 0 }, t = 5, rtol = 1e-10, atol = 1e-10 }
    near(run:at(5).x, math.cos(10), 1e-8)
    near(run:at(5).v.y, (math.sin(5) + math.cos(5))/2 - math.exp(-5)/2, 1e-8)
    near(run:at(5).a.x, -4*math.cos(10), 1e-7)
    assert.is_true(run.energy_drift < 1e-7)
  end)

  it("keeps the message, the line and the object of an error inside a force", function()
    local S, x = mechanics.body("s", "x")
    S:force(x, function(t) if t > 0.5 then error "my own mistake" end return 0 end)
    local message = check.message(S.simulate, S, { q = { x = 0 }, v = { x = 1 }, t = 2 })
    assert.truthy(message:find("simulate_spec.lua:%d+: my own mistake"))
    assert.is_true(#hm.last_run() >= 1)                                      -- what was done is kept
    local R, y = mechanics.body("r", "y")
    local object = { "an object" }
    R:force(y, function() error(object) end)
    local fine, raised = pcall(R.simulate, R, { q = { y = 0 }, v = { y = 1 }, t = 2 })
    assert.is_false(fine)
    assert.equal(object, raised)
    local N, z = mechanics.body("n", "z")
    N:force(z, function() return nil end)
    check.raises({ "force on 'z'", "nil", "number is needed" }, N.simulate, N, { q = { z = 0 }, v = { z = 1 }, t = 2 })
  end)

  it("answers any expression, series and iteration", function()
    local S, x, y = check.sleigh(hm)
    local run = S:simulate(sleigh_start)
    local speed, reaction = run:at(5, hm.sqrt(x.dot^2 + y.dot^2), "lambda.blade")
    near(speed, 1, 1e-8)
    near(reaction, -0.3, 1e-8)
    near(run:at(5, x.ddot), run:at(5).a.x, 1e-12)
    local t, xs, e = run:series("x", "energy", { n = 11 })
    assert.equal(11, #t)
    near(xs[6], run:at(10).x, 1e-12)
    near(e[11], e[1], 1e-8)
    local count = 0
    for time, s in run:steps() do
      count = count + 1
      assert.equal(time, s.t)
    end
    assert.equal(#run, count)
    assert.equal(#run, #run.lambda.blade)
    assert.equal(run[3].x, run.q.x[3])
  end)

  it("is saved as CSV with its provenance", function()
    local S = check.sleigh(hm)
    local run = S:simulate(sleigh_start)
    local path = os.tmpname() .. ".csv"
    local saved = run:save(path, { n = 5 })
    assert.equal(5, saved.rows)
    assert.is_truthy(tostring(saved):find("^wrote .*: 5 rows of "), tostring(saved))
    local lines = {}
    for line in io.lines(path) do lines[#lines + 1] = line end
    os.remove(path)
    local text = table.concat(lines, "\n")
    for _, part in ipairs{ "# program: hamel", "# system: Chaplygin sleigh", "m = 1", "dop853", "rtol = 1e-09", "t,x,y,theta,x',y',theta',lambda.blade" } do
      assert.truthy(text:find(part, 1, true), part)
    end
    local fields = {}
    for field in lines[#lines]:gmatch("[^,]+") do fields[#fields + 1] = tonumber(field) end
    assert.equal(20, fields[1])
    assert.equal(run:at(20).x, fields[2])
    assert.equal(8, #fields)
    check.raises({ "cannot write" }, run.save, run, "/nonexistent/x.csv")
    check.raises({ ".csv" }, run.save, run, "x.txt")
  end)

  it("completes a start and refuses an inconsistent one", function()
    local S = check.sleigh(hm)
    local v = S:velocities{ q = { x = 0, y = 0, theta = 0.5 }, v = { x = 2, theta = 0 } }
    near(v.y, 2*math.tan(0.5), 1e-12)
    local x = S:symbol "x"
    v = S:velocities{ q = { x = 0, y = 0, theta = 0.5 }, v = { theta = 0 }, where = { { x.dot, 3 } } }
    near(v.x, 3, 1e-12)
    local P = check.pendulum(hm)
    local state = P:accelerations{ q = { x = 0.6 }, v = { x = 0 } }
    near(math.abs(state.q.y), 0.8, 1e-10)
  end)

  it("gives accelerations and multipliers at a state", function()
    local S = check.sleigh(hm)
    local r = S:accelerations{ q = { x = 0, y = 0, theta = 0.4 }, v = { x = math.cos(0.4), theta = 0.7 } }
    near(r.lambda.blade, -0.7, 1e-12)
    near(r.a.x, -0.7*math.sin(0.4), 1e-12)
    near(r.a.theta, 0, 1e-12)
  end)

  it("uses other parameter values for one run", function()
    local S = check.sleigh(hm)
    near(S:simulate(with(sleigh_start, { parameters = { m = 3 } })):at(1).lambda.blade, -0.9, 1e-8)
    near(S:simulate(sleigh_start):at(1).lambda.blade, -0.3, 1e-8)
  end)

  it("stops at a singularity, keeps what it has and says why", function()
    local S, x = mechanics.body("blow up", "x")
    S:force(x, 6*x^2)                                                        -- x = 1/(1 - t)^2
    local run = S:simulate{ q = { x = 1 }, v = { x = 2 }, t = 3 }
    assert.are_not.equal("OK", run.status)
    near(run.outcome.t, 1, 1e-2)
    near(run:at(0.5).x, 4, 1e-6)
    check.raises({ "no values at t = 2", "it stopped at t = 1" }, run.at, run, 2)
    assert.truthy(tostring(run):find("stopped before t = 3", 1, true))
    check.raises({ "outside" }, run.at, run, -1)
  end)

  it("says when constraints become dependent on the way", function()
    local S = hm.system "two guides that meet"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("first", y.dot)
    S:constraint("second", (1 - hm.t)*x.dot + hm.t*y.dot - 1)                -- at t = 1 both hold y' alone: x' = 1/(1 - t)
    local run = S:simulate{ q = { x = 0, y = 0 }, v = {}, t = 2 }
    assert.are_not.equal("OK", run.status)
    near(run.outcome.t, 1, 1e-3)
    near(run:at(0.5).x, math.log(2), 1e-7)
    assert.truthy(run.reason:find("stopped at t = ", 1, true))
  end)

  it("that slides along a discontinuity is stopped", function()
    local S, x = mechanics.body("slide", "x")
    S:force(x, -3*hm.sign(x.dot) - x)                                        -- dry friction: sticks at t = pi
    local run = S:simulate{ q = { x = 4 }, v = { x = 0 }, t = 20 }
    assert.equal("SINGULAR", run.status)
    near(run.outcome.t, math.pi, 1e-8)
    assert.truthy(run.reason:find("back to x' = 0 from both sides", 1, true))
  end)

  for _, case in ipairs{
    { "unknown option", { "unknown option 'rtoll'", "rtol" }, { rtoll = 1 } },
    { "unknown method", { "no method 'dop835'", "dop853" }, { method = "dop835" } },
    { "unknown form", { "no form", "lagrange" }, { form = "lagrang" } },
    { "start of an unknown coordinate", { "q.z", "not a coordinate" }, { q = { x = 0, y = 0, z = 0 } } },
    { "missing coordinate", { "q is missing for theta" }, { q = { x = 0, y = 0 } } },
    { "undetermined velocity", { "theta'" }, { v = { x = 1 } } },
    { "inconsistent start", { "blade", "violated by 1 " }, { v = { x = 1, y = 1, theta = 0 } } },
    { "nan in q", { "q.x", "nan" }, { q = { x = 0/0, y = 0, theta = 0 } } },
    { "infinity in v", { "v.x", "inf" }, { v = { x = math.huge, theta = 0 } } },
    { "text in v", { "v.x", "string" }, { v = { x = "fast", theta = 0 } } },
    { "negative tolerance", { "rtol" }, { rtol = -1 } },
    { "no tolerance", { "tol" }, { rtol = 0, atol = 0 } },
    { "tolerance of the wrong type", { "rtol", "number" }, { rtol = "small" } },
    { "infinite end", { "t" }, { t = math.huge } },
    { "unknown parameter", { "no parameter 'M'" }, { parameters = { M = 1 } } },
    { "parameter that is nan", { "'m'", "nan" }, { parameters = { m = 0/0 } } },
  } do
    it("answers " .. case[1] .. " with one message, and goes on", function()
      local S = check.sleigh(hm)
      check.raises(case[2], S.simulate, S, with(sleigh_start, case[3]))
      assert.equal("OK", S:simulate(sleigh_start).status)
    end)
  end

  it("answers systems that cannot move", function()
    local S = hm.system "massless"
    local x = S:coordinates "x y"
    S:kinetic_energy(x.dot^2/2)
    check.raises({ "inertia", "y" }, S.simulate, S, { q = { x = 0, y = 0 }, v = { x = 1, y = 0 }, t = 1 })
    local D = hm.system "twice"
    local u, w = D:coordinates "u w"
    D:kinetic_energy((u.dot^2 + w.dot^2)/2)
    D:constraint("one", u.dot - w.dot)
    D:constraint("two", 2*u.dot - 2*w.dot)
    assert.equal("OK", D:simulate{ q = { u = 0, w = 0 }, v = { u = 1, w = 1 }, t = 1 }.status)
    local C = hm.system "contradiction"
    local p, q = C:coordinates "p q"
    C:kinetic_energy((p.dot^2 + q.dot^2)/2)
    C:constraint("first", p.dot - 1)
    check.raises({ "second", "contradicts 'first'" }, C.constraint, C, "second", p.dot - 2)
    local V = hm.system "no value"
    local k = V:parameters "k"
    local z = V:coordinates "z"
    V:kinetic_energy(z.dot^2/2)
    V:potential_energy(k*z^2)
    check.raises({ "parameter k without value", "S:parameters \"k=" }, V.simulate, V, { q = { z = 0 }, v = { z = 1 }, t = 1 })
    assert.equal("OK", V:simulate{ q = { z = 0 }, v = { z = 1 }, t = 1, parameters = { k = 2 } }.status)
  end)
end)

describe("a finished run", function()
  it("stays what it was when its system is changed", function()
    local S = hm.system "changing"
    local x = S:coordinates "x"
    local k = S:positive "k=4"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(k/2*x^2)
    local run = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 3 }
    S:positive "k=9"
    S:coordinates "y"
    S:force(x, -100)
    near(run:at(2).x, math.cos(4), 1e-7)
    near(run:at(2).a.x, -4*math.cos(4), 1e-7)
    near(run:at(2, k*x^2), 4*math.cos(4)^2, 1e-7)
    local path = os.tmpname() .. ".csv"
    run:save(path, { n = 3 })
    local file = io.open(path)
    local text = file:read "a"
    file:close()
    os.remove(path)
    assert.truthy(text:find("k = 4", 1, true))
    assert.truthy(text:find("\nt,x,x'\n", 1, true))
  end)

  it("takes coordinates named like fields of a state", function()
    local S = hm.system "names"
    local v, a = S:coordinates "v a"
    S:kinetic_energy((v.dot^2 + a.dot^2)/2)
    local s = S:simulate{ q = { v = 1, a = 2 }, v = { v = 3, a = 4 }, t = 1 }:at(1)
    near(s.q.v, 4, 1e-9)
    near(s.q.a, 6, 1e-9)
  end)

  it("may be started inside a force", function()
    local inner = check.sleigh(hm)
    local S, x = mechanics.body("outer", "x")
    S:force(x, function()
      return inner:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 1 }:at(1).lambda.blade
    end)
    near(S:simulate{ q = { x = 0 }, v = { x = 0 }, t = 2 }:at(2).x, -0.6, 1e-7)
  end)

  it("costs no memory once it is forgotten", function()
    local S = check.sleigh(hm)
    local function many(n)
      for _ = 1, n do S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 1 } end
      collectgarbage()
      collectgarbage()
      return collectgarbage "count"
    end
    local before = many(200)
    assert.is_true(many(2000) < before + 200)                                -- kilobytes
  end)

  it("takes and gives quasi-velocities by name", function()
    local S = check.offset_sleigh(hm, "m=1 I=0.5 a=0.3")
    local start = { q = { x = 0, y = 0, theta = 0 }, v = { u = 1, omega = 2 }, t = 20, rtol = 1e-11, atol = 1e-12 }
    for _, form in ipairs{ "lagrange", "hamel" } do
      start.form = form
      local run = S:simulate(start)
      -- u^2 + (I + m a^2) omega^2/m stays, omega goes to zero
      near(run:at(20).u, math.sqrt(1 + 0.59*4), 1e-9)
      near(run:at(20, "u^2 + (I + m*a^2)/m*omega^2"), 1 + 0.59*4, 1e-9)
      near(run:at(1, "u'"), 0.3*run:at(1).omega^2, 1e-9)
      near(run:at(0).v.x, 1, 1e-15)
    end
    start.v = { u = 1, omeg = 2 }
    check.raises({ "v.omeg", "neither a coordinate nor a quasi-velocity", "omega" }, S.simulate, S, start)
    start.v = { u = 1, omega = "fast" }
    check.raises({ "v.omega is a string" }, S.simulate, S, start)
    start.v = { u = 1, omega = 2, x = 3 }
    check.raises({ "inconsistent" }, S.simulate, S, start)
  end)
end)
