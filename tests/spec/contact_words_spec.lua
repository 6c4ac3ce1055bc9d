-- What contacts, friction and the whole course say about bad input, and that the advice works
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near

-- The text holds every one of the words, and none of those behind "~"
local function says(text, ...)
  for _, word in ipairs{ ... } do
    local absent = word:match "^~(.*)$"
    if absent and text:find(absent, 1, true) then error(("'%s' stands in: %s"):format(absent, text), 2) end
    if not absent and not text:find(word, 1, true) then error(("'%s' is missing in: %s"):format(word, text), 2) end
  end
end

local function raises(words, f, ...)
  local message = check.message(f, ...)
  says(message, table.unpack(words))
  says(message, "~\n")
end

-- A block at y = 0 on a floor, with a turn w beside it, free of each other
local function block(law)
  local S, x, y, w = mechanics.body("block", "x y w")
  S:force(y, -10)
  S:unilateral("floor", y, { law = law or hm.plastic() })
  return S, x, y, w
end

local function start(more)
  local o = { q = { x = 0, y = 0, w = 0 }, v = { x = 1, y = 0, w = 0 }, t = 1 }
  for name, value in pairs(more or {}) do o[name] = value end
  return o
end

describe("a friction", function()
  local S, x, y, w = block()
  local function friction(more)
    local given = { slip = x.dot, normal = "floor", coefficient = 0.3 }
    for name, value in pairs(more) do given[name] = value end
    return function() S:friction("rub", given) end
  end

  it("refuses negative coefficients, as numbers and as values of parameters", function()
    raises({ "friction 'rub'", "coefficient = -1 is negative" }, friction{ coefficient = -1 })
    raises({ "friction 'rub'", "static = -0.1 is negative" }, friction{ static = -0.1 })
    raises({ "friction 'rub'", "coefficient = -0.2 is negative" }, friction{ slip = { x.dot, w.dot }, coefficient = { 0.1, -0.2 } })
    local P, px = block()
    P:parameters "mu=-0.2"
    P:friction("rub", { slip = px.dot, normal = "floor", coefficient = P:symbol "mu" })
    raises({ "friction 'rub'", "-0.2 at t = 0", "must not be negative" }, P.simulate, P, start())
    assert.equal("OK", P:simulate(start{ parameters = { mu = 0.2 } }).status)
  end)

  it("refuses a static coefficient below that of slip, as a number, as a parameter and along a run", function()
    raises({ "friction 'rub': static = 0.1 is below coefficient = 0.3", "leave it out" }, friction{ static = 0.1 })
    raises({ "static = 0.1 is below coefficient = 0.2" }, friction{ slip = { x.dot, w.dot }, coefficient = { 0.3, 0.2 }, static = { 0.4, 0.1 } })
    raises({ "static = 0.2 is below coefficient = 0.3" }, friction{ slip = { x.dot, w.dot }, coefficient = { 0.1, 0.3 }, static = 0.2 })
    raises({ "static = 0.1 is below coefficient = 0.3" },
      friction{ regularised = "stribeck", velocity = 1, stribeck = 1, normal = 1, static = 0.1 })
    local P, px = block()
    P:parameters "mu_s=0.1"
    P:friction("rub", { slip = px.dot, normal = "floor", coefficient = 0.3, static = P:symbol "mu_s" })
    raises({ "friction 'rub'", "static coefficient is below that of slip at t = 0 (0.1 and 0.3)" }, P.simulate, P, start())
    assert.equal("OK", P:simulate(start{ parameters = { mu_s = 0.3 } }).status)
  end)

  it("whose coefficient leaves its range along a run stops the run there, not where a step that was tried ends", function()
    for method, tolerance in pairs{ dop853 = 1e-12, radau5 = 1e-12, rkf45 = 1e-12, moreau = 1.1e-2 } do
      local function stop(given, when, ...)
        local P, px = block(hm.moreau(0))
        given.slip, given.normal = px.dot, "floor"
        P:friction("rub", given)
        local run = P:simulate(start{ v = { x = 6, y = 0, w = 0 }, method = method, step = method == "moreau" and 0.01 or nil })
        assert.equal("NO_CONTACT_MODE", run.status)
        near(run.outcome.t, when, tolerance)
        says(run.reason, ...)
      end
      stop({ coefficient = 0.3 - 0.5*hm.t }, 0.6, "friction 'rub'", "must not be negative")
      stop({ coefficient = 0.3, static = 0.4 - 0.5*hm.t }, 0.2, "friction 'rub'", "static coefficient is below that of slip")
    end
  end)

  it("refuses an ellipse with one coefficient zero", function()
    raises({ "friction 'rub'", "one direction without friction", "both positive" }, friction{ slip = { x.dot, w.dot }, coefficient = { 0.3, 0 } })
    local P, px, _, pw = block()
    P:parameters "mu=0"
    P:friction("rub", { slip = { px.dot, pw.dot }, normal = "floor", coefficient = { 0.3, P:symbol "mu" } })
    raises({ "friction 'rub'", "one of its two coefficients is 0", "both positive" }, P.simulate, P, start())
    assert.equal("OK", P:simulate(start{ parameters = { mu = 0.1 } }).status)
  end)

  it("refuses slips that depend on each other", function()
    for _, slips in ipairs{ { x.dot, 2*x.dot }, { x.dot*hm.cos(w), x.dot*hm.sin(w) }, { x.dot + w.dot, 3*w.dot + 3*x.dot } } do
      raises({ "friction 'rub'", "are parallel", "give one of them" }, friction{ slip = slips })
    end
    raises({ "slips and its spin depend on each other" }, friction{ spin = x.dot, radius = 1, pressure = "hertz" })
    raises({ "slip[1] = x contains no velocity" }, friction{ slip = x })
  end)

  it("refuses a slip that two-sided constraints determine", function()
    local P, px, _, pw = block()
    P:constraint("roll", px.dot - pw.dot)
    P:friction("rub", { slip = 2*px.dot - 2*pw.dot, normal = "floor", coefficient = 0.3 })
    raises({ "friction 'rub'", "'roll' determines its slip", "remove the friction" }, P.simulate, P, start{ v = { x = 1, y = 0, w = 1 } })
    local G, gx, _, gw = block()
    G:constraint("groove", gx - gw)
    G:friction("rub", { slip = { gx.dot, gw.dot }, normal = "floor", coefficient = 0.3 })
    raises({ "'groove' determines a combination of its slips x', w'" }, G.simulate, G, start{ v = { x = 1, y = 0, w = 1 } })
    local D, dx = block()
    D:constraint("drive", dx.dot - hm.cos(hm.t))
    D:friction("rub", { slip = dx.dot, normal = "floor", coefficient = 0.3 })
    raises({ "'drive' determines its slip x'" }, D.simulate, D, start())
    -- beside a constraint, and where one is parallel to the slip at the start alone, friction acts
    local R, rx, ry = block()
    R:constraint("slot", ry - rx^2)
    R:friction("rub", { slip = rx.dot, normal = 1, coefficient = 0.25 })
    near(R:simulate(start{ v = { x = 1, y = 0, w = 0 }, t = 1e-3 }):at(0).friction.rub, -0.25, 1e-9)
  end)

  it("with a spot needs spin, radius and pressure together, and one spin", function()
    for _, more in ipairs{ { spin = w.dot }, { radius = 1 }, { pressure = "hertz" }, { spin = w.dot, radius = 1 } } do
      raises({ "friction 'rub': spin needs radius = ... and pressure = \"uniform\" or \"hertz\"" }, friction(more))
    end
    raises({ "pressure is 'uniform' or 'hertz', not 'round'" }, friction{ spin = w.dot, radius = 1, pressure = "round" })
    raises({ "spin is one angular velocity, not 2" }, friction{ spin = { w.dot, y.dot }, radius = 1, pressure = "hertz" })
    raises({ "radius = -1 is not positive" }, friction{ spin = w.dot, radius = -1, pressure = "hertz" })
  end)

  it("refuses options of another law", function()
    raises({ "velocity belongs to a regularised law" }, friction{ velocity = 1 })
    raises({ "stribeck belongs to a regularised law" }, friction{ stribeck = 1 })
    raises({ "does not use static" }, friction{ regularised = "tanh", velocity = 1, static = 0.4, normal = 1 })
    raises({ "has no cone" }, friction{ regularised = "tanh", velocity = 1, cone = { "roll" }, normal = 1 })
  end)

  it("names the constraint that fills its cone, at the start and later, and no wall", function()
    local function slider(push)
      local P, px, py, q1 = mechanics.body("slider", "x y q1")
      P:constraint("roll y", py.dot)
      P:force(py, push)
      P:unilateral("wall", q1, { law = hm.newton(1) })
      P:friction("slip x", { slip = px.dot, normal = 1, coefficient = 0.08, cone = { "roll y" } })
      return P
    end
    local o = { q = { x = 0, y = 0, q1 = 1 }, v = { x = 1, y = 0, q1 = 0 }, t = 1 }
    local P = slider(0.103)
    raises({ "'roll y' needs 0.103 of the cone of friction 'slip x', which has 0.08", "~Painleve", "~wall" }, P.simulate, P, o)
    -- 0.05 + 0.1 t fills the cone at t = 0.3, in slip and in stick
    for _, speed in ipairs{ 1, 0 } do
      o.v.x = speed
      local run = slider(0.05 + 0.1*hm.t):simulate(o)
      assert.equal("NO_CONTACT_MODE", run.status)
      near(run.outcome.t, 0.3, 1e-9)
      says(run.reason, "'roll y' needs 0.08 of the cone of friction 'slip x'", "~Painleve", "~wall")
    end
    -- force on what slips: 0.08^2 - 0.05^2 = 0.0624499^2
    o.v.x = 1
    near(slider(0.05):simulate(o):at(0.5).friction["slip x"], -math.sqrt(0.08^2 - 0.05^2), 1e-12)
  end)
end)

describe("a one-sided constraint", function()
  it("on velocities has no options of a gap", function()
    local S, x = block()
    raises({ "'governor' bounds a velocity: it has no law of impact; leave law out" }, S.unilateral, S, "governor", 3 - x.dot, { law = hm.newton(1) })
    raises({ "'governor' bounds a velocity", "no option rough" }, S.unilateral, S, "governor", 3 - x.dot, { rough = { x.dot } })
    raises({ "'governor' bounds a velocity", "no option capture" }, S.unilateral, S, "governor", 3 - x.dot, { capture = 1 })
    S:unilateral("governor", 3 - x.dot)
    raises({ "'governor' bounds a velocity: it has no law of impact" }, S.set_law, S, "governor", hm.newton(1))
    raises({ "'governor' is -1 at t = 0", "change the start of x in v" }, S.simulate, S, start{ v = { x = 4, y = 0, w = 0 } })
    assert.equal("OK", S:simulate(start{ v = { x = 3, y = 0, w = 0 } }).status)
  end)

  it("names the coordinates to change where a start lies behind it", function()
    local S, x, y = block()
    S:unilateral("hill", y + x/2 + 1, { law = hm.plastic() })
    raises({ "'floor' is -0.1 at t = 0", "change the start of y in q", "~leave" }, S.simulate, S, start{ q = { x = 0, y = -0.1, w = 0 } })
    raises({ "'hill' is -1 at t = 0", "change the start of x and y in q" }, S.simulate, S, start{ q = { x = -4, y = 0, w = 0 } })
  end)

  it("lists the laws there are", function()
    local S, x = block()
    raises({ "hm.moreau(e), hm.newton(e), hm.plastic(), hm.poisson(e), hm.stronge(e)", "function(impact)" }, S.unilateral, S, "g", x, { law = 3 })
  end)

  it("asks time stepping for Moreau's law where friction acts at it", function()
    local S, x = block(hm.newton(0.5))
    local o = start{ method = "moreau", step = 1e-2 }
    assert.equal("OK", S:simulate(o).status)
    S:friction("rub", { slip = x.dot, normal = "floor", coefficient = 0.1 })
    raises({ "'floor' has the law newton(restitution = 0.5)", "S:set_law(\"floor\", hm.moreau(0.5))" }, S.simulate, S, o)
    S:set_law("floor", hm.moreau(0.5))
    assert.equal("OK", S:simulate(o).status)
    S:set_law("floor", hm.plastic())
    raises({ "'floor' has the law plastic()", "S:set_law(\"floor\", hm.moreau(0))" }, S.simulate, S, o)
    S:set_law("floor", hm.stronge(0.5))
    raises({ "hm.moreau(e)", "'floor'" }, S.simulate, S, o)
  end)
end)

describe("several motions", function()
  -- a rod of length two that slides on its end, with so much friction that it may stay or lift off
  local function rod()
    local S, x, y, a = mechanics.body("rod", "x y a", { a = "1/3" })
    S:force(y, -1)
    S:unilateral("end", y - hm.sin(a), { law = hm.plastic() })
    S:friction("rub", { slip = x.dot + hm.sin(a)*a.dot, normal = "end", coefficient = 2 })
    return S
  end
  local function rods_start(several)
    return { q = { x = 0, y = math.sin(1.1), a = 1.1 }, v = { x = -10, y = 1.5*math.cos(1.1), a = 1.5 }, t = 0.01, several = several }
  end

  it("are taken with a note, or refused", function()
    local S = rod()
    local run = S:simulate(rods_start())
    assert.equal("OK", run.status)
    says(run.notes[1].text, "two motions are possible at t = 0", "'end' closed", "'end' open", "sticks most was taken")
    assert.equal(1, #S:simulate(rods_start "take").notes)
    raises({ "two motions are possible at t = 0", "several = \"take\"", "~was taken" }, S.simulate, S, rods_start "refuse")
    raises({ "several is 'take' or 'refuse', not 'some'" }, S.simulate, S, rods_start "some")
  end)

  it("are for contacts only", function()
    local P = check.pendulum(hm)
    raises({ "several = 'refuse' is for one-sided constraints" }, P.simulate, P, { q = { x = 0, y = -1 }, v = { x = 0, y = 0 }, t = 1, several = "refuse" })
  end)
end)

describe("the whole course", function()
  local function bead(law)
    local S = hm.system "bead"
    local q1, s = S:coordinates "q1 s"
    S:parameters "e=0.8"
    S:kinetic_energy((q1.dot^2 + s.dot^2)/2)
    S:force(q1, -1)
    S:unilateral("wall", q1, { law = law and law(S) or hm.newton(S:symbol "e") })
    return S
  end
  local function beads_start(q1, v1) return { q = { q1 = q1, s = 0 }, v = { q1 = v1, s = 1 }, t = 5, rtol = 1e-11, atol = 1e-12, method = "whole course" } end

  it("takes a restitution that is a parameter, agrees with piecewise and balances the energy", function()
    local S = bead()
    for _, e in ipairs{ 0.5, 0.8, 1 } do
      for _, from in ipairs{ { 1, 0 }, { 0, -1 }, { 0, 1 }, { 0.5, -2 } } do
        local o = beads_start(table.unpack(from))
        o.parameters, o.t = { e = e }, 1.9
        local whole = S:simulate(o)
        o.method = "dop853"
        local piecewise = S:simulate(o)
        for t = 0.17, 1.9, 0.3 do
          local a, b = whole:at(t), piecewise:at(t)
          near(a.q1, b.q1, 1e-9, ("q1 at %g, e = %g"):format(t, e))
          near(a.v.q1, b.v.q1, 1e-9, ("q1' at %g, e = %g"):format(t, e))
          near(a.energy, b.energy, 1e-9, "energy")
        end
        assert(whole.energy_drift < 1e-12, whole.energy_drift)
        assert(piecewise.energy_drift < 1e-12, piecewise.energy_drift)
      end
    end
    raises({ "'wall'", "restitution is 0", "above 0" }, S.simulate, S, (function()
      local o = beads_start(1, 0)
      o.parameters = { e = 0 }
      return o
    end)())
  end)

  it("ends where its impacts accumulate", function()
    for _, e in ipairs{ 0.3, 0.8 } do
      for _, record in ipairs{ "steps", "ends" } do
        local S = bead()
        local o = beads_start(1, 0)
        o.parameters, o.t, o.record = { e = e }, 30, record
        local run = S:simulate(o)
        assert.equal("SINGULAR", run.status)
        near(run.outcome.t, math.sqrt(2)*(1 + e)/(1 - e), 1e-8)
        says(run.reason, "the impacts at 'wall' accumulate", "method = \"dop853\"")
        o.method = "dop853"
        assert.equal("OK", S:simulate(o).status)
      end
    end
  end)

  it("shows its own coordinate", function()
    local S = bead()
    local o = beads_start(1, 0)
    o.t = 2
    local run = S:simulate(o)
    local state = run:at(2)
    assert(state.q1_star < 0)                            -- behind the wall since t = sqrt(2)
    near(state.q1, -state.q1_star, 0)
    near(run:at(2, "q1_star"), state.q1_star, 0)
    local _, series = run:series("q1_star", { n = 5 })
    near(series[5], state.q1_star, 1e-15)
    assert.equal(1, #run:roots("q1_star"))
    near(run:roots("q1_star")[1], math.sqrt(2), 1e-11)
    assert.truthy(tostring(run:at(2)):find("q1 = 0", 1, true))
    -- its rate: q1' times the side
    near(run:at(2, "q1_star'"), -run:at(2).v.q1, 1e-12)
  end)

  it("refuses a start behind its wall, as piecewise runs do", function()
    local S = bead()
    local o = beads_start(-0.1, 0)
    raises({ "'wall' is -0.1 at t = 0", "must not be negative", "q.q1" }, S.simulate, S, o)
    o.method = "dop853"
    raises({ "'wall' is -0.1 at t = 0", "must not be negative" }, S.simulate, S, o)
  end)

  it("says that energy is not kept where that is so on the constraints", function()
    -- T couples s to q1: reversed alone, q1' changes the energy by s' q1', unless s is held
    local function coupled(hold)
      local S = hm.system "coupled"
      local q1, s = S:coordinates "q1 s"
      S:kinetic_energy((q1.dot^2 + s.dot^2)/2 + q1.dot*s.dot/2)
      if hold then S:constraint("held", s.dot) end
      S:unilateral("wall", q1, { law = hm.newton(1), continuous = not hold and { s.dot } or nil })
      return S:simulate{ method = "whole course", q = { q1 = 1, s = 0 }, v = { q1 = -1, s = hold and 0 or 1 }, t = 2 }
    end
    local free = coupled(false)
    says(free.notes[1].text, "kinetic energy is not continuous", "w1*w2")
    near(free:at(2).energy - free:at(0).energy, 1, 1e-9)
    assert.equal(0, #coupled(true).notes)
  end)
end)

describe("an impact at the start", function()
  it("counts in the energy", function()
    for _, e in ipairs{ 0, 0.5, 1 } do
      local S = block(hm.newton(e))
      local run = S:simulate(start{ v = { x = 0.1, y = -1, w = 0 }, t = 0.05 })
      near(run.impacts[1].t, 0, 0)
      near(run.impacts[1].energy_change, -(1 - e^2)/2, 1e-12)
      assert(run.energy_drift < 1e-12, run.energy_drift)
      says(tostring(run), "1 impact", "~1 impacts", "~created")
      says(tostring(S:simulate(start{ v = { x = 0.1, y = -1, w = 0 }, t = 0.05, record = "ends" })), "~created")
    end
  end)

  it("creates energy by more than rounding of its own kinetic energy", function()
    -- the zero of the potential makes the energy vanish, or drown the gain
    for _, level in ipairs{ -0.5, 1e9 } do
      local S, z = mechanics.body("net", "z")
      S:potential_energy(hm.number(level) + 0*z)
      S:unilateral("net", z, { law = function(impact) return { normal = -1.001*impact.normal } end })
      says(tostring(S:simulate{ q = { z = 0 }, v = { z = -1 }, t = 1 }), "energy is created by 1 impact")
      S:set_law("net", hm.newton(1))
      says(tostring(S:simulate{ q = { z = 0 }, v = { z = -1 }, t = 1 }), "~created")
    end
  end)
end)

describe("what is printed and saved of contacts", function()
  local function disc()
    local S, x, y, z, w = mechanics.body("disc", "x y z w", { w = "1/2" })
    S:force(z, -10)
    S:constraint("rail", y.dot - z.dot)
    S:unilateral("table", z, { law = hm.plastic(), rough = { w.dot } })
    S:unilateral("brake", 2 - x.dot)
    S:friction("rub", { slip = x.dot, spin = w.dot, radius = 0.5, pressure = "uniform", normal = 2, coefficient = 0.2, static = 0.3 })
    return S, x, y, z, w
  end
  local function disc_run(S, more)
    local o = { q = { x = 0, y = 0.5, z = 0.5, w = 0 }, v = { x = 1, y = 0, z = 0, w = 1 }, t = 0.6 }
    for name, value in pairs(more or {}) do o[name] = value end
    return S:simulate(o)
  end

  it("shows laws, spots, bounds and cones of a system", function()
    local S, x, y = disc()
    S:friction("rim", { slip = { x.dot, y.dot }, normal = "brake", coefficient = { 0.1, 0.2 } })
    S:friction("edge", { slip = x.dot, normal = 1, coefficient = 0.5, cone = { "rail" } })
    says(tostring(S), "table: z >= 0   (law plastic(), rough)", "brake: 2 - x' >= 0   (on velocities)",
      "rub: against x', spin w' on a spot of radius 1/2 (uniform), pressed by 2, coefficient 1/5, in stick 3/10",
      "rim: against x' and y', pressed by 'brake', coefficient {1/10, 1/5}", "coefficient 1/2, cone shared with 'rail'")
  end)

  it("names the impulses of constraints, gaps, frictions and rough rows", function()
    local run = disc_run((disc()))
    local impact = run.impacts[1]
    -- at sqrt(2 0.5/5) with speed -5 t, of y and z together; half of it is the rail's
    local u = 5*math.sqrt(0.2)
    near(impact.impulses.table, 2*u, 1e-9)
    near(impact.impulses.rail, u, 1e-9)
    says(tostring(impact.impulses), "table  ", "rail  ", "brake  0", "rub  ", "rough.table  ")
    for line in tostring(impact.impulses):gmatch "[^\n]+" do assert(#line < 100, line) end
    says(tostring(impact), "impact at 'table'")
    says(tostring(run), "1 impact")
  end)

  it("saves a column for every reaction, and knows them by name", function()
    local run = disc_run((disc()))
    local path = os.tmpname() .. ".csv"
    run:save(path)
    local file = assert(io.open(path))
    local text = file:read "a"
    file:close()
    os.remove(path)
    says(text, "lambda.rail,lambda.table,lambda.brake,friction.rub,friction.rub.spin,rough.table[1]\n")
    local state = run:at(0.1)
    near(run:at(0.1, "friction.rub"), state.friction.rub[1], 0)
    near(run:at(0.1, "friction.rub.spin"), state.friction.rub.spin, 0)
    assert.equal(#run.t, #run.friction["rub.spin"])
    assert.equal(#run.t, #run.rough["table[1]"])
    raises({ "no series 'rub[2]'", "rub.spin" }, function() return run.friction["rub[2]"] end)
    raises({ "no friction 'rub.spn'", "rub.spin" }, run.at, run, 0.1, "friction.rub.spn")
    local kept = os.tmpname() .. ".hamel"
    run:save(kept)
    local again = hm.load(kept, run.system)
    os.remove(kept)
    near(again:at(0.1, "friction.rub"), state.friction.rub[1], 0)
  end)

  it("sweeps rows with reactions, and rows that cannot start say why", function()
    local S, x = block(hm.newton(0.5))
    S:parameters "mu=0.1"
    S:friction("rub", { slip = x.dot, normal = "floor", coefficient = S:symbol "mu" })
    local rows = S:sweep{ q = { x = 0, y = 0, w = 0 }, v = { x = 3, y = 0, w = 0 }, t = 1, over = { { "mu", { 0.1, -1 } } },
                          keep = { "x'", "lambda.floor", "friction.rub" } }
    near(rows[1]["x'"], 2, 1e-9)
    near(rows[1]["lambda.floor"], 10, 1e-9)
    near(rows[1]["friction.rub"], -1, 1e-9)
    says(rows[2].reason, "friction 'rub': its coefficient is -1")
  end)
end)

describe("a friction pressed by name", function()
  local function notes(factor, mass, two_sided)
    local S = hm.system "block"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + mass*y.dot^2)/2)
    S:force(y, -9.81)
    if two_sided then S:constraint("table", factor*y) else S:unilateral("table", factor*y, { law = hm.plastic() }) end
    S:friction("rub", { slip = x.dot, normal = "table", coefficient = 0.25 })
    return S:simulate{ q = { x = 0, y = 0 }, v = { x = 2, y = 0 }, t = 0.1 }.notes
  end

  it("remarks where the multiplier is not the normal force", function()
    for _, two_sided in ipairs{ false, true } do
      local list = notes(2, 1, two_sided)
      assert.are.equal(1, #list)
      says(list[1].text, "'rub'", "'table'", "the length 2 at the start", "declare 'table' as a distance")
      assert.are.equal(0, #notes(1, 1, two_sided))
    end
    assert.are.equal(0, #notes(2, 3))                                   -- y need not be a length
  end)
end)

-- Arbiter: a point mass. Its Cartesian velocities show the angle; those of a body that turns do not
describe("two slips of a friction", function()
  local function point(slips)
    local S, x, y = mechanics.body("puck", "x y")
    local a = S:parameters "a=0"
    S:friction("rub", { slip = slips(x, y, a), normal = 1, coefficient = 0.1 })
    return S, { q = { x = 0, y = 0 }, v = { x = 1, y = 0 }, t = 0.5 }
  end
  local function rotated(x, y) return { (x.dot + y.dot)/hm.sqrt(2), (x.dot - y.dot)/hm.sqrt(2) } end
  local function oblique(x, y) return { x.dot, x.dot + y.dot } end
  local function turning(x, y) return { x.dot, y.dot + x*x.dot } end
  local function by_parameter(x, y, a) return { x.dot, y.dot + a*x.dot } end

  it("are refused where they are not at right angles", function()
    local S, o = point(rotated)
    near(S:simulate(o):at(0.5).x, 0.5 - 0.1*0.125, 1e-12)
    S, o = point(oblique)
    raises({ "'rub'", "x' and x' + y'", "45 degrees at t = 0", "two directions at right angles" }, S.simulate, S, o)
    S, o = point(by_parameter)
    assert.are.equal("OK", S:simulate(o).status)
    o.over = { { "a", { 0, 1 } } }
    local rows = S:sweep(o)
    assert.are.equal("OK", rows[1].status)
    assert.are.equal("START", rows[2].status)
    says(rows[2].reason, "45 degrees at t = 0")
  end)

  it("make the run INACCURATE where it leads them away from right angles", function()
    local S, o = point(turning)
    local run = S:simulate(o)
    assert.are.equal("INACCURATE", run.status)
    says(run.reason, "reached t = 0.5, but friction 'rub'", "degrees at t =")
    o.over = { { "v.x", { 1, 2 } } }
    for _, row in ipairs(S:sweep(o)) do says(row.reason, "but friction 'rub'") end
  end)

  it("are taken as they are in other coordinates", function()
    local S, x, y, w = mechanics.body("rod", "x y w")
    S:friction("rub", { slip = { x.dot - hm.sin(w)*w.dot, y.dot + hm.cos(w)*w.dot }, normal = 1, coefficient = 0.1 })
    assert.are.equal("OK", S:simulate{ q = { x = 0, y = 0, w = 0.4 }, v = { x = 1, y = 0, w = 1 }, t = 0.2 }.status)
  end)
end)

describe("the reason why a run stopped", function()
  it("says its time once", function()
    local S = hm.system "wall that jumps"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:unilateral("wall", 2 - 3*hm.step(hm.t - 1) - x, { law = hm.plastic() })
    for _, method in ipairs{ "dop853", "rk4" } do
      local run = S:simulate{ q = { x = 0 }, v = { x = 0.1 }, t = 2, method = method, step = method == "rk4" and 0.01 or nil }
      assert.truthy(run.reason:find("^stopped at t = 1: 'wall' jumps from"), run.reason)
    end
  end)
end)
