-- one-sided constraints, impacts, friction and events against closed solutions
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near

local function ball(law, options)
  local S = hm.system "bouncing ball"
  local y = S:coordinates "y"
  local m, g = S:positive "m=2 g=10"
  S:kinetic_energy(m*y.dot^2/2)
  S:potential_energy(m*g*y)
  options = options or {}
  options.law = law
  S:unilateral("floor", y, options)
  return S, y
end

describe("an impact", function()
  it("follows Newton's law, at times known in closed form", function()
    local S = ball(hm.newton(0.5))
    local run = S:simulate{ q = { y = 5 }, v = { y = 0 }, t = 2.9, rtol = 1e-11, atol = 1e-12 }
    assert.are.equal("OK", run.status)
    -- t = 1, then flights of 2 e^k seconds
    local t, u = 1, 10
    for k = 1, 4 do
      near(run.impacts[k].t, t, 1e-11, "time")
      near(run.impacts[k].before.v.y, -u, 1e-10, "speed before")
      near(run.impacts[k].after.v.y, u/2, 1e-10, "speed after")
      near(run.impacts[k].impulse, 2*1.5*u, 1e-9, "impulse")
      near(run.impacts[k].energy_change, -0.75*u*u, 1e-8, "energy")
      u = u/2
      t = t + 2*u/10
    end
    assert.is_true(run.energy_drift < 1e-10)
    near(run:before(1).v.y, -10, 1e-10)
    near(run:after(1).v.y, 5, 1e-10)
  end)

  it("keeps the energy when elastic, over many bounces", function()
    local S = ball(hm.newton(1))
    local run = S:simulate{ q = { y = 5 }, v = { y = 0 }, t = 100, rtol = 1e-11, atol = 1e-12 }
    assert.are.equal(50, #run.impacts)
    near(run.impacts[50].t, 99, 1e-8)
  end)

  it("accumulates to a resting contact, with its reaction", function()
    local S = ball(hm.newton(0.5))
    local run = S:simulate{ q = { y = 5 }, v = { y = 0 }, t = 5, rtol = 1e-10, atol = 1e-10 }
    assert.are.equal("OK", run.status)
    near(run:at(4).y, 0, 1e-9)
    near(run:at(4).lambda.floor, 20, 1e-9)
    assert.truthy(run.notes[1].text:find("accumulate", 1, true))
    near(run.notes[1].t, 3, 1e-4)       -- 1 + 2 (1/2 + 1/4 + ...)
    assert.truthy(run.switches[#run.switches].to == "contact")
    assert.truthy(tostring(run):find("impacts"))
  end)

  it("ends at the capture velocity where the user wants it", function()
    local S = ball(hm.newton(0.5), { capture = 2 })
    local run = S:simulate{ q = { y = 5 }, v = { y = 0 }, t = 4 }
    assert.are.equal(3, #run.impacts)                    -- 5, 2.5, 1.25 < 2
    near(run:at(4).y, 0, 1e-12)
  end)

  it("takes a law by a Lua function, and passes its errors on", function()
    local S = ball(function(impact) return { normal = -impact.normal/4 } end)
    near(S:simulate{ q = { y = 5 }, v = { y = 0 }, t = 1.2 }.impacts[1].after.v.y, 2.5, 1e-8)
    S:set_law("floor", function() return 3 end)
    check.raises({ "the law of 'floor' returned number" }, S.simulate, S, { q = { y = 5 }, v = { y = 0 }, t = 1.2 })
    S:set_law("floor", function() error("no law today") end)
    check.raises({ "no law today" }, S.simulate, S, { q = { y = 5 }, v = { y = 0 }, t = 1.2 })
    S:set_law("floor", function() return { normal = 30 } end)
    local run = S:simulate{ q = { y = 5 }, v = { y = 0 }, t = 1.2 }
    assert.is_true(run.impacts[1].energy_change > 0)
    assert.truthy(tostring(run):find("energy is created", 1, true))
  end)

  it("with a moving wall is seen from the wall", function()
    local S, x = mechanics.body("racket", "x")
    S:unilateral("racket", x - hm.t, { law = hm.newton(1) })
    local run = S:simulate{ q = { x = 2 }, v = { x = -1 }, t = 3 }
    near(run.impacts[1].t, 1, 1e-10)
    near(run.impacts[1].after.v.x, 3, 1e-10)
  end)

  it("keeps two-sided constraints: a rod falls on its end", function()
    local S = hm.system "rod"
    local x, y, phi = S:coordinates "x y phi"
    S:positive "m=1 l=1"
    local m, l = S:symbol "m", S:symbol "l"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + m*l^2/6*phi.dot^2)
    S:unilateral("end", y - l*hm.sin(phi), { law = hm.newton(0) })
    S:constraint("guide", x.dot)
    local run = S:simulate{ q = { x = 0, y = 1, phi = 0.5 }, v = { y = -1, phi = 0 }, t = 0.9 }
    -- P (1/m + (l cos phi)^2 3/(m l^2)) = 1
    near(run.impacts[1].impulse, 1/(1 + 3*math.cos(0.5)^2), 1e-9)
    near(run.impacts[1].after.v.x, 0, 1e-14)
  end)

  it("of several contacts at once obeys Moreau's law", function()
    -- Newton's cradle of two equal balls against a wall: b hits the wall while a rests on b
    local S = hm.system "wedge"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:unilateral("left", x, { law = hm.newton(1) })
    S:unilateral("floor", y, { law = hm.newton(0.5) })
    local run = S:simulate{ q = { x = 1, y = 1 }, v = { x = -1, y = -1 }, t = 1.5 }
    near(run.impacts[#run.impacts].after.v.x, 1, 1e-9)
    near(run.impacts[#run.impacts].after.v.y, 0.5, 1e-9)
  end)
end)

describe("a tangential law", function()
  -- a disc of mass 1, radius 1, J = 1/2 with slip s = x' + phi' strikes the floor with x' = 1, y' = -1
  local function disc(law, mu)
    local S = hm.system "disc"
    local x, y, phi = S:coordinates "x y phi"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2 + phi.dot^2/4)
    S:unilateral("floor", y, { law = law })
    S:friction("slip", { slip = x.dot + phi.dot, normal = "floor", coefficient = mu })
    return S:simulate{ q = { x = 0, y = 1, phi = 0 }, v = { x = 1, y = -1, phi = 0 }, t = 1.5, rtol = 1e-11, atol = 1e-12 }
  end

  it("of Coulomb slips to the end where friction is small", function()
    local run = disc(hm.newton(0.5), 0.1)
    near(run.impacts[1].impulse, 1.5, 1e-9)
    near(run.impacts[1].impulses.slip, -0.15, 1e-9)
    near(run.impacts[1].after.v.x, 0.85, 1e-9)
    near(run.impacts[1].after.v.phi, -0.3, 1e-9)
  end)

  it("sticks where it is large: slip zero, the same for all three restitutions", function()
    for _, law in ipairs{ hm.newton(0.5), hm.poisson(0.5), hm.stronge(0.5) } do
      local run = disc(law, 2)
      near(run.impacts[1].after.v.x + run.impacts[1].after.v.phi, 0, 1e-12)
      near(run.impacts[1].impulses.slip, -1/3, 1e-9)
      near(run.impacts[1].after.v.y, 0.5, 1e-9)
    end
  end)

  -- an oblique rod couples normal and slip: Newton, Poisson and Stronge differ, and Stronge loses energy by (1 - e^2) of the normal work
  it("distinguishes Newton, Poisson and Stronge on a rod", function()
    local result = {}
    for _, name in ipairs{ "newton", "poisson", "stronge" } do
      local S = hm.system "rod"
      local x, y, phi = S:coordinates "x y phi"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2 + phi.dot^2/6)
      S:unilateral("end", y - hm.sin(phi), { law = hm[name](0.5) })
      S:friction("slip", { slip = x.dot + hm.sin(phi)*phi.dot, normal = "end", coefficient = 0.7 })
      local run = S:simulate{ q = { x = 0, y = 1.2, phi = math.pi/4 }, v = { x = -0.1, y = -1, phi = 0 }, t = 0.55, rtol = 1e-11, atol = 1e-12 }
      result[name] = run.impacts[1]
      assert.is_true(run.impacts[1].energy_change < 0)
    end
    near(result.newton.after.v.y - math.cos(math.pi/4)*result.newton.after.v.phi, 0.5, 1e-9)
    assert.is_true(math.abs(result.newton.impulse - result.poisson.impulse) > 1e-3)
    assert.is_true(math.abs(result.stronge.impulse - result.poisson.impulse) > 1e-4)
    -- independent: the increments integrated with small steps
    local c, mu = math.cos(math.pi/4), 0.7
    local function march(ends)
      local vx, vy, w, p, compression, work, restored, h = -0.1, -1, 0, 0, nil, 0, 0, 1e-6
      while true do
        local s, u = vx + c*w, vy - c*w
        local f = -mu*(s > 1e-6 and 1 or s < -1e-6 and -1 or 0)
        if math.abs(s) <= 1e-6 then
          -- stick ratio from d slip = 0
          f = -(-3*c*c)/(1 + 3*c*c)
          if math.abs(f) > mu then f = mu*(f > 0 and 1 or -1) end
        end
        vx, vy, w, p = vx + f*h, vy + h, w + 3*(-c + c*f)*h, p + h
        if not compression then
          work = work - u*h
          if vy - c*w >= 0 then compression = p end
        else
          restored = restored + u*h
          if ends(p, compression, vy - c*w, work, restored) then return p end
        end
      end
    end
    near(result.poisson.impulse, march(function(p, pc) return p >= 1.5*pc end), 1e-4)
    near(result.stronge.impulse, march(function(_, _, _, work, restored) return restored >= 0.25*work end), 1e-4)
    near(result.newton.impulse, march(function(_, _, u) return u >= 0.5 end), 1e-4)
  end)
end)

describe("dry friction", function()
  local function block(mu, static)
    local S = hm.system "block"
    local x = S:coordinates "x"
    S:positive "m=2 g=10"
    S:kinetic_energy(S:symbol "m"*x.dot^2/2)
    S:friction("floor", { slip = x.dot, normal = S:symbol "m"*S:symbol "g", coefficient = mu, static = static })
    return S, x
  end

  it("stops a block in the time v/(mu g), and holds it", function()
    local S = block(0.25)
    local run = S:simulate{ q = { x = 0 }, v = { x = 3 }, t = 2, rtol = 1e-10, atol = 1e-11 }
    near(run.switches[1].t, 1.2, 1e-10)
    assert.are.equal("stick", run.switches[1].to)
    near(run:at(2).x, 1.8, 1e-10)
    near(run:at(2).v.x, 0, 1e-13)
    near(run:at(0.5).friction.floor, -5, 1e-12)
    assert.is_true(run.energy_drift < 1e-9)
  end)

  it("lets go at the static coefficient and slips with the kinetic one", function()
    local S, x = block(0.2, 0.3)
    S:force(x, 3*hm.t)
    local run = S:simulate{ q = { x = 0 }, v = { x = 0 }, t = 3, rtol = 1e-11, atol = 1e-12 }
    -- static 6 N at t = 2, then a = (3 t - 4)/2
    assert.are.equal("slip", run.switches[1].to)
    near(run.switches[1].t, 2, 1e-9)
    near(run:at(3).v.x, (1.5*9 - 4*3 - (1.5*4 - 4*2))/2, 1e-9)
    near(run:at(1).friction.floor, -3, 1e-10)
  end)

  it("sticks and slips on a belt with the period of the closed solution", function()
    local S, x = mechanics.body("stick-slip", "x")
    S:potential_energy(x^2/2)
    S:friction("belt", { slip = x.dot - hm.rational(1, 5), normal = 1, coefficient = 0.5, static = 1 })
    local run = S:simulate{ q = { x = 0 }, v = { x = 0.2 }, t = 40, rtol = 1e-11, atol = 1e-12 }
    local slips = {}
    for _, s in ipairs(run.switches) do if s.from == "stick" and s.to == "slip" then slips[#slips + 1] = s.t end end
    -- from x = 1, v = 1/5 about 1/2: slip lasts 2 (pi - atan((1/2)/v)), stick carries it from 0 to 1 at speed 1/5
    local slip_time = 2*(math.pi - math.atan(0.5/0.2))
    near(slips[1], 5, 1e-9)
    near(slips[2] - slips[1], slip_time + 5, 1e-9)
    near(slips[3] - slips[2], slip_time + 5, 1e-9)
  end)

  it("in two directions stops on a straight line", function()
    local S = hm.system "puck"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:friction("ice", { slip = { x.dot, y.dot }, normal = 10, coefficient = 0.1 })
    local run = S:simulate{ q = { x = 0, y = 0 }, v = { x = 3, y = 4 }, t = 6, rtol = 1e-10, atol = 1e-11 }
    assert.are.equal("OK", run.status)
    near(run:at(6).x, 3*2.5, 1e-7)
    near(run:at(6).y, 4*2.5, 1e-7)
    near(run.switches[1].t, 5, 1e-6)
    near(run:at(1).friction.ice[1], -0.6, 1e-9)
  end)

  it("pressed by a contact ends with it", function()
    -- a block on a table whose load is lifted: N = 1 - t
    local S = hm.system "lifted"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(y, hm.t - 1)
    S:unilateral("table", y, { law = hm.plastic() })
    S:friction("rub", { slip = x.dot, normal = "table", coefficient = 0.5 })
    local run = S:simulate{ q = { x = 0, y = 0 }, v = { x = 2, y = 0 }, t = 2, rtol = 1e-11, atol = 1e-12 }
    near(run:at(0.5).lambda.table, 0.5, 1e-11)
    near(run:at(0.5).friction.rub, -0.25, 1e-11)
    near(run:at(1).v.x, 2 - 0.25, 1e-9)
    near(run:at(2).v.x, 1.75, 1e-9)
    near(run:at(2).y, 1/6, 1e-9)
    assert.are.equal("open", run.switches[1].to)
  end)

  it("that jams is told: Painleve's rod", function()
    local S = hm.system "Painleve"
    local x, y, phi = S:coordinates "x y phi"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2 + phi.dot^2/6)
    S:force(y, -1)
    S:unilateral("end", y - hm.sin(phi), { law = hm.plastic() })
    S:friction("slip", { slip = x.dot + hm.sin(phi)*phi.dot, normal = "end", coefficient = 3 })
    -- 1 + 3 cos^2 - 3 mu sin cos < 0 while it slips towards its slope
    local q = { x = 0, phi = 1 }
    q.y = math.sin(1)
    local fine, run = pcall(S.simulate, S, { q = q, v = { x = -1, y = 0, phi = 0 }, t = 1 })
    local said = not fine and tostring(run) or run.status .. " " .. tostring(run.reason) .. (run.notes[1] and run.notes[1].text or "")
    assert.truthy(said:find("possible") or said:find("several"), said)
  end)

  it("regularised is a force", function()
    local S, x = mechanics.body("creep", "x")
    S:friction("f", { slip = x.dot, normal = 10, coefficient = 0.1, regularised = "tanh", velocity = 0.01 })
    local run = S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 0.5 }
    near(run:at(0.5).v.x, 0.5, 1e-6)
  end)
end)

describe("events", function()
  local function pendulum()
    local S, phi = mechanics.body("pendulum", "phi")
    S:potential_energy(-hm.cos(phi))
    return S, phi
  end

  it("are located, in order, without changing the run", function()
    local S, phi = pendulum()
    local start = { q = { phi = 1 }, v = { phi = 0 }, t = 20, rtol = 1e-11, atol = 1e-12 }
    local plain = S:simulate(start)
    start.events = { { name = "bottom", when = phi, direction = "falling" }, { name = "turn", when = phi.dot } }
    local run = S:simulate(start)
    assert.are.equal(#plain, #run)
    assert.are.equal(plain:at(20).phi, run:at(20).phi)
    -- period 4 K(sin(1/2)) by the mean of Gauss
    local a, b = 1, math.cos(0.5)
    for _ = 1, 8 do a, b = (a + b)/2, math.sqrt(a*b) end
    local period = 2*math.pi/a
    local bottoms, turns = {}, {}
    for _, e in ipairs(run.events) do table.insert(e.name == "bottom" and bottoms or turns, e.t) end
    for k, t in ipairs(bottoms) do near(t, period*(k - 0.75), 1e-9) end
    for k, t in ipairs(turns) do near(t, period*k/2, 1e-8) end
    assert.are.equal(3, #bottoms)
    assert.are.equal(5, #turns)
    near(run.events[1].state.phi, 0, 1e-12)
  end)

  it("end a run where they are terminal, and may be functions or reactions", function()
    local S = pendulum()
    local run = S:simulate{ q = { phi = 1 }, v = { phi = 0 }, t = 20,
      events = { { name = "low", when = function(_, q) return q.phi - 0.5 end, terminal = true } } }
    assert.are.equal("EVENT", run.status)
    near(run[#run].phi, 0.5, 1e-9)
    assert.truthy(run.reason:find("low", 1, true))
    local C = hm.system "rod"
    local x, y = C:coordinates "x y"
    C:kinetic_energy((x.dot^2 + y.dot^2)/2)
    C:potential_energy(y)
    C:constraint("rod", (x^2 + y^2 - 1)/2)
    run = C:simulate{ q = { x = 0, y = 1 }, v = { x = 0.1 }, t = 10, rtol = 1e-11, atol = 1e-12,
                      events = { leaves = { when = "lambda.rod", direction = "falling", terminal = true } } }
    -- push turns to pull at y = (2 + v0^2)/3
    near(math.abs(run[#run].y), (2 + 0.01)/3, 1e-9)
  end)

  it("met by a graze and a near miss", function()
    local S, x = mechanics.body("parabola", "x")
    S:force(x, 2)
    local function met(depth)
      return #S:simulate{ q = { x = 1 - depth }, v = { x = -2 }, t = 3, events = { { name = "zero", when = x } } }.events
    end
    assert.are.equal(2, met(1e-6))
    assert.are.equal(0, met(-1e-6))
  end)

  it("say what is wrong with them", function()
    local S, phi = pendulum()
    local function run(events) return S:simulate{ q = { phi = 1 }, v = { phi = 0 }, t = 1, events = events } end
    check.raises({ "not 'down'" }, run, { { name = "a", when = phi, direction = "down" } })
    check.raises({ "no name" }, run, { { when = phi } })
    check.raises({ "two events 'a'" }, run, { { name = "a", when = phi }, { name = "a", when = phi } })
    check.raises({ "event 'a' returned nil" }, run, { { name = "a", when = function() end } })
  end)
end)

describe("the whole-course description", function()
  local function thrown(law, rough)
    local S = hm.system "ball and wall"
    local q, z, w = S:coordinates "q z w"
    S:kinetic_energy((q.dot^2 + z.dot^2)/2 + w.dot^2/5)
    S:force(q, -1)
    S:force(z, -hm.rational(1, 2)*z)
    S:unilateral("wall", q, { law = law, rough = rough and { z.dot - w.dot } or nil })
    return S
  end
  local start = { q = { q = 0.5, z = 0, w = 0 }, v = { q = 0, z = 0.7, w = 0.3 }, t = 9, rtol = 1e-11, atol = 1e-12 }
  local function compare(S, tolerance)
    start.method = nil
    local piece = S:simulate(start)
    start.method = "whole course"
    local whole = S:simulate(start)
    assert.are.equal("OK", whole.status)
    assert.are.equal(0, #whole.impacts)
    for t = 0.55, start.t, 0.7 do
      for _, name in ipairs{ "q", "z", "w" } do
        near(whole:at(t).q[name], piece:at(t).q[name], tolerance, name)
        near(whole:at(t).v[name], piece:at(t).v[name], tolerance, name .. "'")
        near(whole:at(t).a[name], piece:at(t).a[name], tolerance, name .. "\'\'")
      end
      near(whole:at(t, "q"), piece:at(t).q.q, tolerance)
    end
    return whole, piece
  end

  it("gives the motion of the piecewise one, smooth and rough", function()
    local whole = compare(thrown(hm.newton(1)), 1e-9)
    assert.is_true(whole.energy_drift < 1e-10)
    whole = compare(thrown(hm.newton(1), true), 1e-8)
    assert.is_true(whole.energy_drift < 1e-10)
    assert.are.equal(0, #whole.notes)
  end)

  it("with restitution, by Ivanov's factor", function()
    start.t = 5
    compare(thrown(hm.newton(0.8)), 1e-8)
    start.t = 9
  end)

  it("is printed like any set of equations", function()
    local text = tostring(thrown(hm.newton(1)):equations "whole course")
    assert.truthy(text:find("q = |q_star|", 1, true))
    assert.truthy(text:find("q_star' = w1", 1, true))
  end)

  it("says where it does not apply", function()
    local S = ball(hm.newton(0))
    check.raises({ "restitution above 0" }, S.equations, S, "whole course")
    S = hm.system "slope"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:unilateral("plane", y - x, { law = hm.newton(1) })
    check.raises({ "a coordinate as its gap" }, S.equations, S, "whole course")
    check.raises({ "one one-sided constraint" }, check.sleigh(hm).equations, check.sleigh(hm), "whole course")
  end)
end)

describe("impacts at one instant", function()
  it("that throw each other back without end come to rest together, with a note", function()
    -- a particle in the corner of a narrow wedge; each wall throws it on the other, a little weaker every time
    local S = hm.system "wedge"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(y, -1)
    S:unilateral("left", y/14 + x, { law = hm.newton(0.1) })
    S:unilateral("right", y/14 - x, { law = hm.newton(0.1) })
    local run = S:simulate{ q = { x = 0, y = 0 }, v = { x = -0.5, y = -7 }, t = 1, rtol = 1e-10, atol = 1e-12 }
    assert.are.equal("OK", run.status)
    assert.are.equal(201, #run.impacts)
    assert.truthy(tostring(run):find("accumulate at that instant", 1, true))
    local before = run.impacts[1].before.energy
    for _, impact in ipairs(run.impacts) do
      assert(impact.after.energy <= before + 1e-15)
      before = impact.after.energy
    end
    -- it rests in the corner, carried by both walls: 2 N/14 = 1
    local s = run:at(1)
    check.near(s.y, 0, 1e-9)
    check.near(s.lambda.left, 7, 1e-6)
    check.near(s.lambda.right, 7, 1e-6)
  end)
end)

describe("friction pressed by a two-sided constraint", function()
  it("has its impulse when that constraint has one", function()
    local S = hm.system "bead on a wire"
    local x, y = S:coordinates "x y"
    S:kinetic_energy(x.dot^2 + y.dot^2)
    S:constraint("wire", y)
    S:unilateral("wall", x + y/2, { law = hm.newton(0.5) })
    S:friction("rub", { slip = x.dot, normal = "wire", coefficient = 0.4 })
    local impact = S:simulate{ q = { x = 1, y = 0 }, v = { x = -3, y = 0 }, t = 0.5 }.impacts[1]
    -- the wire takes P/2, friction 0.4 of it, against the slip after: P (1 - 0.2) = (1 + e) m |u|
    check.near(impact.impulse, 1.5*2*3/0.8, 1e-10)
    check.near(impact.impulses.rub, -0.2*impact.impulse, 1e-10)
    check.near(impact.after.v.x, 1.5, 1e-12)
    -- without the slope the wire is not struck
    local F = hm.system "straight"
    local p, q = F:coordinates "p q"
    F:kinetic_energy(p.dot^2 + q.dot^2)
    F:constraint("wire", q)
    F:unilateral("wall", p, { law = hm.newton(0.5) })
    F:friction("rub", { slip = p.dot, normal = "wire", coefficient = 0.4 })
    impact = F:simulate{ q = { p = 1, q = 0 }, v = { p = -3, q = 0 }, t = 0.5 }.impacts[1]
    check.near(impact.impulse, 9, 1e-12)
    check.near(impact.impulses.rub, 0, 1e-12)
  end)
end)

describe("a declaration", function()
  it("is checked", function()
    local S, y = ball(hm.newton(1))
    check.raises({ "already a one-sided constraint 'floor'" }, S.unilateral, S, "floor", y, { law = hm.newton(1) })
    check.raises({ "law is a law of impact" }, S.unilateral, S, "roof", 9 - y, {})
    check.raises({ "contains no coordinate" }, S.unilateral, S, "odd", hm.t, { law = hm.newton(1) })
    check.raises({ "coefficient of restitution" }, hm.newton, 1.5)
    check.raises({ "no one-sided constraint 'flor'", "did you mean 'floor'" }, S.set_law, S, "flor", hm.newton(1))
    check.raises({ "must not be negative" }, S.simulate, S, { q = { y = -1 }, v = { y = 0 }, t = 1 })
    check.raises({ "'floor'", "form = \"lagrange\" or \"nielsen\"" }, S.simulate, S, { q = { y = 1 }, v = { y = 0 }, t = 1, form = "maggi" })
    S:friction("f", { slip = y.dot, normal = "wal", coefficient = 1 })
    check.raises({ "normal = \"wal\" is no constraint" }, S.simulate, S, { q = { y = 1 }, v = { y = 0 }, t = 1 })
  end)

  it("is answered at the start where a coefficient or a normal force is negative", function()
    local function block(given)
      local S = hm.system "block"
      local s = S:coordinates "s"
      S:parameters "k=-1"
      S:kinetic_energy(s.dot^2/2)
      given.slip = s.dot
      S:friction("rub", given)
      return S:simulate{ q = { s = 0 }, v = { s = 1 }, t = 1 }
    end
    local k = hm.symbols "k"
    check.raises({ "friction 'rub'", "coefficient = -0.2 is negative" }, block, { normal = 1, coefficient = -0.2 })
    check.raises({ "friction 'rub'", "coefficient is -1 at t = 0" }, block, { normal = 1, coefficient = k })
    check.raises({ "normal force of friction 'rub' is -1" }, block, { normal = k, coefficient = 0.2 })
    -- a normal force that fades and turns round presses no longer
    local run = block{ normal = 1 - 2*hm.t, coefficient = 0.2 }
    check.near(run:at(1).v.s, 1 - 0.2*0.25, 1e-9)
    -- a coefficient that becomes negative stops the run
    run = block{ normal = 1, coefficient = 0.2 - hm.t }
    assert.are_not.equal("OK", run.status)
    assert.truthy(run.reason:find("must not be negative", 1, true))
  end)

  it("is printed", function()
    local S = ball(hm.newton(1))
    assert.truthy(tostring(S):find("floor: y >= 0   (law newton(restitution = 1))", 1, true))
  end)
end)
