-- time stepping of Moreau and Jean against located impacts, closed solutions and enumeration
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

local function ball(e)
  local S, h = mechanics.body("ball", "h")
  S:force(h, -9.81)
  S:unilateral("floor", h, { law = hm.newton(e) })
  return S
end

describe("time stepping", function()
  it("comes to the located impacts as the step goes to zero, and rests on the floor", function()
    local S = ball(0.8)
    local start = { q = { h = 1 }, v = { h = 0 }, t = 6, rtol = 1e-11, atol = 1e-12 }
    local located = S:simulate(start)
    local last
    start.method = "moreau"
    for _, step in ipairs{ 4e-3, 1e-3, 2.5e-4 } do
      start.step = step
      local run = S:simulate(start)
      local worst = 0
      for t = 0.1, 3, 0.1 do worst = math.max(worst, math.abs(run:at(t).h - located:at(t).h)) end
      if last then assert(worst < last/2, ("step %g: %g after %g"):format(step, worst, last)) end
      last = worst
      check.near(run:at(5.9).lambda.floor, 9.81, 1e-9)
      check.near(run:at(5.9).h, 0, 0.05)
      assert(run.energy_drift < 1e-11)
      assert.truthy(tostring(run):find("gaps went down to", 1, true))
    end
    assert(last < 2e-3)
  end)

  it("is of order two while nothing strikes", function()
    local S = hm.system "above the floor"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2*(1 + y^2) + y.dot^2)/2)
    S:potential_energy(x^2 + (y - 3)^2/2)
    S:unilateral("floor", y, { law = hm.newton(1) })
    local start = { q = { x = 1, y = 3 }, v = { x = 0.4, y = 0.2 }, t = 2, rtol = 1e-12, atol = 1e-13 }
    local exact = S:simulate(start):at(2)
    local errors = {}
    start.method = "moreau"
    for i, step in ipairs{ 0.02, 0.01, 0.005 } do
      start.step = step
      errors[i] = math.abs(S:simulate(start):at(2).x - exact.x)
    end
    for i = 1, 2 do
      local order = math.log(errors[i]/errors[i + 1])/math.log(2)
      assert(order > 1.9 and order < 2.1, "order " .. order)
    end
  end)

  it("stops a sliding block where the closed solution does", function()
    local B = hm.system "block"
    local s, y = B:coordinates "s y"
    B:kinetic_energy((s.dot^2 + y.dot^2)/2)
    B:force(y, -9.81)
    B:unilateral("table", y, { law = hm.moreau(0) })
    B:friction("rub", { slip = s.dot, normal = "table", coefficient = 0.25 })
    local run = B:simulate{ method = "moreau", step = 1e-3, q = { s = 0, y = 0 }, v = { s = 2, y = 0 }, t = 2 }
    check.near(run:at(2).s, 4/(2*0.25*9.81), 1e-6)
    check.near(run:at(0.5).friction.rub, -0.25*9.81, 1e-9)
    check.near(run:at(1.9).friction.rub, 0, 1e-9)
    assert.are.equal(0, #run.impacts)
    assert(run.energy_drift < 1e-10)
  end)

  it("sticks by the static coefficient", function()
    -- a force between the two: at rest it holds; on a belt with a spring it sticks and slips as the located motion does
    local S = hm.system "held"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, 0.4)
    S:friction("rub", { slip = x.dot, normal = 1, coefficient = 0.3, static = 0.5 })
    local held = S:simulate{ method = "moreau", step = 0.01, q = { x = 0 }, v = { x = 0 }, t = 3 }
    check.near(held:at(3).x, 0, 1e-12)
    check.near(held:at(2).friction.rub, -0.4, 1e-12)
    local B = hm.system "belt"
    local u = B:coordinates "u"
    B:kinetic_energy(u.dot^2/2)
    B:potential_energy(u^2/2)
    B:friction("rub", { slip = u.dot - 0.2, normal = 1, coefficient = 0.3, static = 0.5 })
    local start = { q = { u = 0 }, v = { u = 0.2 }, t = 20 }
    local located = B:simulate(start)
    start.method, start.step = "moreau", 1e-3
    local run = B:simulate(start)
    assert.equal("OK", run.status)
    for t = 0.5, 20, 0.5 do check.near(run:at(t).u, located:at(t).u, 2e-3) end
    assert.is_nil(tostring(run):find("static", 1, true))
  end)

  it("comes to rolling in two directions: 5/7 of the speed", function()
    local S = hm.system "bowling ball"
    local x, y, z, a, b = S:coordinates "x y z a b"                      -- a, b: turning about y and -x, radius one
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2 + (a.dot^2 + b.dot^2)/5)
    S:force(z, -9.81)
    S:unilateral("lane", z, { law = hm.moreau(0) })
    S:friction("rub", { slip = { x.dot - a.dot, y.dot - b.dot }, normal = "lane", coefficient = 0.2 })
    local run = S:simulate{ method = "moreau", step = 1e-3, q = { x = 0, y = 0, z = 0, a = 0, b = 0 }, v = { x = 3, y = 4, z = 0, a = 0, b = 0 }, t = 2 }
    local s = run:at(2)
    check.near(s.v.x, 15/7, 1e-9)
    check.near(s.v.y, 20/7, 1e-9)
    check.near(s.v.a, 15/7, 1e-9)
  end)

  it("carries a stack of twenty, each on the one below", function()
    local n = 20
    local S, names, T = hm.system "stack", {}, hm.number(0)
    for i = 1, n do names[i] = "h" .. i end
    local h = { S:coordinates(table.concat(names, " ")) }
    for i = 1, n do T = T + h[i].dot^2/2 end
    S:kinetic_energy(T)
    local q, v = {}, {}
    for i = 1, n do
      S:force(h[i], -1)
      S:unilateral("c" .. i, i == 1 and h[1] or h[i] - h[i - 1] - 1, { law = hm.newton(0.3) })
      q["h" .. i], v["h" .. i] = i - 1, 0
    end
    local run = S:simulate{ method = "moreau", step = 0.01, q = q, v = v, t = 0.2 }
    for i = 1, n do check.near(run:at(0.2).lambda["c" .. i], n + 1 - i, 1e-9) end
    check.near(run:at(0.2)["h" .. n], n - 1, 1e-3)
    assert.is_nil(tostring(run):find("did not converge", 1, true))
  end)

  it("keeps two-sided constraints: a pendulum against a wall, its rod's force included", function()
    local S = hm.system "pendulum and wall"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(9.81*y)
    S:constraint("rod", x^2 + y^2 - 1)
    S:unilateral("wall", x + hm.rational(1, 5), { law = hm.newton(0.5) })
    local start = { q = { x = 0.8, y = -0.6 }, v = {}, t = 1.2, rtol = 1e-11, atol = 1e-12 }
    start.v = { x = 0, y = 0 }
    local located = S:simulate(start)
    start.method, start.step = "moreau", 1e-4
    local run = S:simulate(start)
    assert.are.equal(#located.impacts, #run.impacts)
    check.near(run.impacts[1].t, located.impacts[1].t, 2e-4)
    check.near(run:at(1.1).x, located:at(1.1).x, 2e-3)
    check.near(run:at(0.3).lambda.rod, located:at(0.3).lambda.rod, 2e-3)
    assert(run.constraint_drift < 1e-9)
  end)

  it("solves a step as the enumeration of all contact states does", function()
    -- three beads on a line between walls, struck at once: the located run enumerates, the step sweeps
    local random = check.generator(11)
    for _ = 1, 20 do
      local S = hm.system "beads"
      local a, b, c = S:coordinates "a b c"
      local m = { 1 + random(0, 3), 1 + random(0, 3), 1 + random(0, 3) }
      S:kinetic_energy((m[1]*a.dot^2 + m[2]*b.dot^2 + m[3]*c.dot^2)/2 + a.dot*b.dot*random(-0.4, 0.4))
      local e = random(0, 1)
      S:unilateral("left", a, { law = hm.newton(e) })
      S:unilateral("middle", b - a, { law = hm.newton(e) })
      S:unilateral("right", c - b, { law = hm.newton(e) })
      local v = { a = random(-1, 0.5), b = random(-1, 0.5), c = random(-1, 0.5) }
      local start = { q = { a = 0, b = 0, c = 0 }, v = v, t = 1e-7, rtol = 1e-11, atol = 1e-13 }
      local located = S:simulate(start)
      start.method, start.step = "moreau", 1e-7
      local run = S:simulate(start)
      -- further impacts follow at once in the located run: the first one is the step's
      local first = located.impacts[1]
      for name in pairs(v) do check.near(run:at(1e-7).v[name], first and first.after.v[name] or v[name], 1e-9, name) end
    end
  end)

  it("obeys the law that hm.moreau(e) declares for events too, where Newton's differs", function()
    -- a rod of mass 1 and length 2 falls on its end: u_n = y' - cos a a', u_t = x' + sin a a'
    local a, e, mu = 0.9, 0.4, 0.3
    local nn, nt, tt = 1 + 3*math.cos(a)^2, -3*math.sin(a)*math.cos(a), 1 + 3*math.sin(a)^2
    local function rod(law)
      local S = hm.system "rod"
      local x, y, phi = S:coordinates "x y phi"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2 + phi.dot^2/6)
      S:unilateral("end", y - hm.sin(phi), { law = law })
      S:friction("rub", { slip = x.dot + hm.sin(phi)*phi.dot, normal = "end", coefficient = mu })
      return S
    end
    for _, speed in ipairs{ 2, 0.1, -0.5 } do
      -- slip after the impact with |P_t| = mu P_n against it, or stick
      local pn, pt
      for _, s in ipairs{ 1, -1 } do
        local p = (1 + e)/(nn - s*mu*nt)
        if s*(speed + (nt - s*mu*tt)*p) > 0 then pn, pt = p, -s*mu*p end
      end
      if not pn then
        local d = nn*tt - nt^2
        pn, pt = ((1 + e)*tt + nt*speed)/d, (-nn*speed - nt*(1 + e))/d
      end
      local start = { q = { x = 0, y = math.sin(a), phi = a }, v = { x = speed, y = -1, phi = 0 }, t = 1e-9 }
      local located = rod(hm.moreau(e)):simulate(start)
      local impulses = located.impacts[1].impulses
      check.near(impulses["end"], pn, 1e-11, "normal impulse")
      check.near(impulses.rub, pt, 1e-11, "friction impulse")
      start.method, start.step = "moreau", 1e-9
      local stepped = rod(hm.moreau(e)):simulate(start)
      for _, name in ipairs{ "x", "y", "phi" } do check.near(stepped:at(1e-9).v[name], located:at(1e-9).v[name], 1e-7, name) end
      check.raises({ "hm.moreau(0.4)" }, rod(hm.newton(e)).simulate, rod(hm.newton(e)), start)
    end
  end)

  it("says what it needs and what it does not do", function()
    local S = ball(0.5)
    local start = { q = { h = 1 }, v = { h = 0 }, t = 1, method = "moreau" }
    check.raises({ "fixed steps", "step = 0.001" }, S.simulate, S, start)
    start.step = -1
    check.raises({ "'step' = -1" }, S.simulate, S, start)
    start.step, start.events = 0.01, { { name = "e", when = hm.t - 1 } }
    check.raises({ "locates no events" }, S.simulate, S, start)
    start.events, start.q = nil, { h = -1 }
    check.raises({ "'floor' is -1", "must not be negative" }, S.simulate, S, start)
    start.q, start.method = { h = 1 }, "dop853"
    check.raises({ "'dop853' chooses its steps" }, S.simulate, S, start)
    local P = check.pendulum(hm)
    check.raises({ "one-sided constraints and friction" }, P.simulate, P, { q = { x = 0, y = -1 }, v = { x = 0, y = 0 }, t = 1, method = "moreau", step = 0.1 })
    local W, z = mechanics.body("poisson", "z")
    W:unilateral("net", z, { law = hm.poisson(0.5) })
    check.raises({ "hm.moreau(e)", "'net'" }, W.simulate, W, { q = { z = 1 }, v = { z = 0 }, t = 1, method = "moreau", step = 0.1 })
    start.method, start.step = "moreau", 1e-300
    check.raises({ "a step of 1e-300", "larger one" }, S.simulate, S, start)
    start.method, start.step, start.max_steps = "moreau", 1e-3, 10
    local run = S:simulate(start)
    assert.are.equal("TOO_MANY_STEPS", run.status)
    assert.are.equal(11, #run.t)
  end)
end)
