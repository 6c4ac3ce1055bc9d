-- jumps of momenta, of the energy and of prescribed velocities take impulses: runs find them and stop
local hm, check = require "hamel", require "check"

local function system(names, declare)
  local S = hm.system "impulses"
  declare(S, S:coordinates(names))
  return S
end

local function lagrangian(names, L) return system(names, function(S, ...) S:lagrangian(L(...)) end) end

local function in_turning_frame(angle)
  local S = hm.system "frames"
  local N, x, y = S:frame "N", S:coordinates "x y"
  local B = N:rotate("z", angle)
  S:body("b", { at = S:point(x*B.x + y*B.y), mass = 1 })
  return S
end

local function free(x, y) return (x.dot^2 + y.dot^2)/2 end
local function constrained(f) return system("x y", function(S, x, y) S:kinetic_energy(free(x, y)) S:constraint("c", f(x, y)) end) end

local t, half = hm.t, hm.number "0.5"

-- ---- what takes an impulse: system, positions, velocities, time of the jump, words

local impulsive = {
  { "a frame that starts to turn", in_turning_frame(hm.ramp(t, 1, 2)), { x = 1, y = 0 }, { x = 0, y = 1 }, 1, "momentum of" },
  { "a support that turns back", lagrangian("x", function(x) return hm.dt(x + hm.abs(t - 1)/2)^2/2 - x^2/2 end), { x = 0 }, { x = 0 }, 1, "momentum of 'x'" },
  { "a mass that doubles", lagrangian("x", function(x) return hm.where(t:lt(1), 1, 2)*x.dot^2/2 - x^2/2 end), { x = -1 }, { x = 1 }, 1, "momentum of 'x'" },
  { "data of a support", lagrangian("x", function(x) return hm.dt(x + hm.data{ x = { 0, 1, 2, 3 }, y = { 0, 0, 1, 1 }, kind = "linear" }(t))^2/2 - x^2/2 end),
    { x = 0 }, { x = 0 }, 1, "momentum of 'x'" },
  { "a field in time", lagrangian("x y", function(x, y) return free(x, y) + hm.step(t - 1)*y.dot end), { x = -1, y = 0 }, { x = 1, y = 0 }, 1, "momentum of" },
  { "a field in place", lagrangian("x y", function(x, y) return free(x, y) + hm.step(x)*y.dot end), { x = -1, y = 0 }, { x = 1, y = 0 }, 1, "momentum of" },
  { "an inertia in place", lagrangian("x", function(x) return hm.where(x:lt(0), 1, 2)*x.dot^2/2 end), { x = -1 }, { x = 1 }, 1, "jumps by" },
  { "a step of potential", lagrangian("x", function(x) return x.dot^2/2 - hm.step(x) end), { x = -2 }, { x = 2 }, 1, "the energy" },
  { "a tiny step of potential", lagrangian("x", function(x) return x.dot^2/2 - hm.step(x)*hm.number "1e-6" end), { x = -2 }, { x = 2 }, 1, "the energy" },
  { "a cut of an angle", lagrangian("x", function(x) return x.dot^2/2 - hm.atan2(x, -1 - x^2)/10 end), { x = -2 }, { x = 2 }, false, "the energy" },
  { "a driven support", constrained(function(x) return x - hm.ramp(t, 1, 2) end), { y = 0 }, { y = 0 }, 1, "condition of 'c'" },
  { "a driven speed", constrained(function(x) return x.dot - hm.where(t:lt(1), 1, 2) end), { x = 0, y = 0 }, { y = 0 }, 1, "condition of 'c'" },
  { "a bent wire", constrained(function(x, y) return y - hm.abs(x) end), { x = -1 }, { x = 1 }, 1, "condition of 'c'" },
}

describe("a jump that takes an impulse", function()
  it("ends a run, with its place and what jumps", function()
    for _, case in ipairs(impulsive) do
      local name, S, q, v, at, words = table.unpack(case)
      local run = S:simulate{ q = q, v = v, t = 3 }
      assert.same("IMPULSE", run.status, name)
      if at then check.near(run.outcome.t, at, 1e-7, name) else check.near(run:at(run.outcome.t).x, 0, 1e-12, name) end
      assert(run.reason:find(words, 1, true), ("%s: %s"):format(name, run.reason))
    end
  end)

  it("by every method", function()
    local _, S, q, v = table.unpack(impulsive[2])
    for _, method in ipairs{ "dop853", "rkf45", "rk8pd", "msadams", "msbdf", "radau5", "auto", "taylor", "gauss8", "rk4" } do
      local step = (method == "gauss8" or method == "rk4") and 0.013 or nil
      local run = S:simulate{ q = q, v = v, t = 3, method = method, step = step }
      assert.same("IMPULSE", run.status, method)
      check.near(run.outcome.t, 1, 1e-9, method)
    end
  end)

  it("in every form whose states are velocities", function()
    local _, S, q, v = table.unpack(impulsive[3])
    for _, form in ipairs{ "lagrange", "hamel", "appell", "nielsen", "maggi", "kane", "volterra" } do
      assert.same("IMPULSE", S:simulate{ q = q, v = v, t = 3, form = form }.status, form)
    end
  end)

  it("with a value that does jump, not one that differs by rounding", function()
    local S = constrained(function(x, y) return y - hm.where(x:lt(0), -x, x/2) end)
    -- y' = -1 before and x'/2 behind: the residual of the velocities jumps by -3/2
    for _, form in ipairs{ "lagrange", "nielsen", "maggi", "hamel", "kane", "chaplygin", "voronets", "volterra", "appell" } do
      local run = S:simulate{ q = { x = -1 }, v = { x = 1 }, t = 2, form = form, rtol = 1e-10, atol = 1e-12 }
      assert.same("IMPULSE", run.status, form)
      check.near(tonumber(run.reason:match("jumps by ([^ ]+)")), -1.5, 1e-5, form)
    end
  end)

  it("with advice that can be followed", function()
    local S = system("x y", function(S, x, y)
      S:kinetic_energy(free(x, y))
      S:constraint("c", y.dot - hm.step(x)*x.dot)
    end)
    local run = S:simulate{ q = { x = -1, y = 0 }, v = { x = 1 }, t = 2 }
    assert(run.reason:find("start another run a little beyond this corner", 1, true), run.reason)
    -- the impulse along (-1, 1) leaves the part of (1, 0) along (1, 1)
    local on = S:simulate{ q = { x = 1e-9, y = 0 }, v = { x = half, y = half }, t = { 1, 2 } }
    assert.same("OK", on.status)
    check.near(on:at(2).y, 0.5, 1e-9)
    -- in time it goes on at the jump itself
    local _, doubled, q, v = table.unpack(impulsive[3])
    local before = doubled:simulate{ q = q, v = v, t = 3 }
    assert(before.reason:find("start another run here", 1, true), before.reason)
    local at = before:at(before.outcome.t)
    local behind = doubled:simulate{ q = { x = at.x }, v = { x = at.v.x/2 }, t = { 1, 3 } }
    assert.same("OK", behind.status)
    check.near(behind:at(3).x, 1.0120732, 1e-7)                          -- as by momenta
  end)

  it("but momenta as states are continuous", function()
    local doubled = lagrangian("x", function(x) return hm.where(t:lt(1), 1, 2)*x.dot^2/2 - x^2/2 end)
    local run = doubled:simulate{ q = { x = -1 }, v = { x = 1 }, t = 3, form = "canonical" }
    check.near(run:at(3).x, 1.0120732, 1e-7)
    local turning = in_turning_frame(hm.ramp(t, 1, 2)):simulate{ q = { x = 1, y = 0 }, v = { x = 0, y = 1 }, t = 3, form = "canonical" }
    assert.same("OK", turning.status)
    check.near(turning:at(3).x, math.cos(1) + 3*math.sin(1), 1e-8)
    local _, S, q, v = table.unpack(impulsive[6])
    assert.same("IMPULSE", S:simulate{ q = q, v = v, t = 3, form = "canonical" }.status)
  end)

  it("at the instant of an unrelated corner", function()
    local jumps = {
      mass_in_time = function(of) of.mass = hm.where(t:lt(1), 1, 2) end,
      mass_in_place = function(of, x) of.mass = hm.where(x:lt(0), 1, 2) end,
      field = function(of, x, y) of.field = hm.step(x)*y.dot end,
      potential = function(of, x) of.field = -hm.step(x) end,
      constraint_in_time = function(of, _, y) of.constraint = y.dot - hm.where(t:lt(1), 1, 2) end,
      constraint_in_place = function(of, x, y) of.constraint = y.dot - hm.where(x:lt(0), 1, 2)*x.dot end,
      mass_by_another_switch = function(of, x) of.mass = 1 + hm.step(x + 2 - 2*hm.step(t - 1) - half) end,   -- falls at t = 1
    }
    -- all at t = 1, where x = z = 0, and without a force before
    local corners = {
      force_in_time = function(of) of.force = hm.step(t - 1) end,
      force_in_place = function(of, x) of.force = hm.step(x) end,
      force_elsewhere = function(of, _, z) of.force = hm.step(z) end,
      corner_in_place = function(of, _, z) of.force = hm.abs(z) + z end,
      corner_of_speed = function(of, _, z) of.force = hm.abs(z.dot - t) - z.dot + t end,
      wall = function(of, _, z) of.wall = -z end,
      event = function(of, _, z) of.event = z end,
      two = function(of, x, z) of.force = hm.step(z) + hm.step(x)*hm.abs(t - 1) + 1 - hm.step(1 - t) end,
    }
    for what, jump in pairs(jumps) do
      local messages = {}
      for with, corner in pairs(corners) do
        local of, name = { mass = hm.number "1" }, what .. " with " .. with
        local S = system("x y z", function(S, x, y, z)
          jump(of, x, y)
          corner(of, x, z)
          S:lagrangian(of.mass*x.dot^2/2 + (y.dot^2 + z.dot^2)/2 + (of.field or 0*t))
          if of.force then S:force(y, of.force) end
          if of.constraint then S:constraint("c", of.constraint) end
          if of.wall then S:unilateral("wall", of.wall, { law = hm.newton(0.5) }) end
        end)
        local run = S:simulate{ q = { x = -1, y = 0, z = -1 }, v = { x = 1, y = not of.constraint and 0 or nil, z = 1 }, t = 3,
          events = of.event and { { name = "passed", when = of.event } } }
        assert.same("IMPULSE", run.status, name)
        check.near(run.outcome.t, 1, 1e-9, name)
        messages[run.reason:match("at the corner (.- jumps by)")] = true
      end
      -- each names the corner that jumps, whatever is met with it
      local first = next(messages)
      assert.same(nil, next(messages, first), what)
    end
  end)

  it("in sweeps, wherever values are kept", function()
    local S = hm.system "sweep"
    local x, a = S:coordinates "x", S:parameters "a=1"
    S:kinetic_energy(hm.dt(x + a*hm.abs(t - 1)/2)^2/2)
    S:potential_energy(x^2/2)
    for _, times in ipairs{ { 3 }, { 0.5, 1, 1.5, 3 }, { 1 - 1e-9, 1 + 1e-9, 3 } } do
      for _, lanes in ipairs{ 0, 1, 4 } do
        local W = S:sweep{ over = { { "a", { 0, 1, 2 } } }, q = { x = 0 }, v = { x = 0 }, times = times, lanes = lanes }
        assert.same({ "OK", "IMPULSE", "IMPULSE" }, { W[1].status, W[2].status, W[3].status })
      end
    end
  end)
end)

local forms = { "lagrange", "nielsen", "canonical", "maggi", "hamel", "chaplygin", "voronets", "volterra", "kane", "appell" }

-- Both branches have the same reduced mass where the slope of the way only changes its sign: neither the energy nor a momentum of these forms jumps
describe("a way with a sharp bend", function()
  local function data(last) return hm.data{ x = { -2, 0, 2 }, y = { 2, 0, last }, kind = "linear", name = "bend" } end
  local even, uneven = data(2), data(1)
  -- the slope of the way, or its height; the jump of the velocity condition for x' = 1; is it a condition on velocities?
  local ways = {
    { "a sign", function(x, y) return y.dot - hm.sign(x)*x.dot end, -2, true },
    { "two cases", function(x, y) return y.dot - hm.where(x:lt(0), -1, 1)*x.dot end, -2, true },
    { "two cases of other sizes", function(x, y) return y.dot - hm.where(x:lt(0), -1, half)*x.dot end, -1.5, true },
    { "a size", function(x, y) return y - hm.abs(x) end, -2 },
    { "even data", function(x, y) return y - even(x) end, -2 },
    { "uneven data", function(x, y) return y - uneven(x) end, -1.5 },
    { "two heights", function(x, y) return y - hm.where(x:lt(0), -x, half*x) end, -1.5 },
    { "a drive that turns back", function(x, y) return y.dot - hm.sign(t - 1)*x.dot end, -2, true },
  }

  it("ends a run in every form, at the same time with the same words", function()
    for _, way in ipairs(ways) do
      local name, f, jump, speed = table.unpack(way)
      for _, form in ipairs(forms) do
        local run = constrained(f):simulate{ q = { x = -1, y = speed and 0 or nil }, v = { x = 1 }, t = 2, form = form }
        local what = name .. ", " .. form
        assert.same("IMPULSE", run.status, what)
        check.near(run.outcome.t, 1, 1e-9, what)
        assert(run.reason:find(("the velocity condition of 'c' jumps by %g although"):format(jump), 1, true), what .. ": " .. run.reason)
      end
    end
  end)

  it("stops sweeps too", function()
    for _, form in ipairs{ "lagrange", "maggi", "hamel", "canonical" } do
      local W = constrained(ways[1][2]):sweep{ over = { { "x", { -1, 1 } } }, q = { y = 0 }, v = { x = 1 }, t = 2, form = form }
      assert.same({ "IMPULSE", "OK" }, { W[1].status, W[2].status }, form)
    end
  end)

  it("goes on where the slope is continuous", function()
    local rounded = constrained(function(x, y) return y.dot - hm.abs(x)*x.dot end)
    local flat = constrained(function(x, y) return y.dot - hm.max(x, 0)*x.dot end)
    -- slopes that differ by rounding alone
    local straight = hm.data{ x = { -1.7, -0.9, 0, 0.7, 1.9 }, y = { -0.17, -0.09, 0, 0.07, 0.19 }, kind = "linear", name = "straight" }
    local line = constrained(function(x, y) return y - straight(x) end)
    for _, form in ipairs(forms) do
      for _, S in ipairs{ rounded, flat } do
        local run = S:simulate{ q = { x = -1, y = 0 }, v = { x = 1 }, t = 2, form = form, rtol = 1e-10, atol = 1e-12 }
        assert.same("OK", run.status, form .. ": " .. tostring(run.reason))
        local x, y = run:at(2).x, run:at(2).y
        check.near(y, x^2/2 + (S == rounded and 1/2 or 0), 1e-8, form)
        check.near(run:at(2).v.x^2*(1 + x^2), S == rounded and 2 or 1, 1e-8, form)
      end
      local run = line:simulate{ q = { x = -1 }, v = { x = 1 }, t = 2, form = form }
      assert.same("OK", run.status, form .. ": " .. tostring(run.reason))
      check.near(run:at(2).y, 0.1, 1e-8, form)
    end
  end)
end)

describe("a jump of an impulse", function()
  local doubled = hm.where(t:lt(1), 1, 2)

  it("is found in velocities that quasi-velocities define", function()
    local S = system("x y", function(S, x, y)
      S:kinetic_energy(free(x, y))
      S:potential_energy(x^2/2)
      S:quasi_velocities("w u", { x.dot - hm.step(t - 1), y.dot })
    end)
    for _, form in ipairs{ "hamel", "kane", "maggi", "appell" } do
      assert.same("IMPULSE", S:simulate{ q = { x = 0, y = 0 }, v = { x = 1, y = 0 }, t = 3, form = form }.status, form)
    end
    for _, form in ipairs{ "lagrange", "canonical" } do
      local run = S:simulate{ q = { x = 0, y = 0 }, v = { x = 1, y = 0 }, t = 3, form = form }
      assert.same("OK", run.status, form)
      check.near(run:at(3).x, math.sin(3), 1e-8, form)
    end
    local R = system("x y", function(Q, x, y)
      Q:kinetic_energy(free(x, y))
      Q:quasi_velocities("w u", { x.dot - y.dot*hm.step(x), y.dot })     -- printed with abs(x)/x, which has no value at x = 0
    end)
    for _, form in ipairs{ "hamel", "canonical" } do
      assert.same("IMPULSE", R:simulate{ q = { x = -1, y = 0 }, v = { x = 1, y = 1 }, t = 3, form = form }.status, form)
    end
  end)

  it("is found in the place of a body", function()
    local function at(place, angle)
      local S = hm.system "body"
      local N, x = S:frame "N", S:coordinates "x"
      S:body("b", { at = S:point((x + place)*N:rotate("z", angle).x), mass = 1 })
      return S:simulate{ q = { x = 1 }, v = { x = 1 }, t = 3 }
    end
    for _, run in ipairs{ at(hm.step(t - 1), 0), at(0, hm.step(t - 1)) } do
      assert.same("IMPULSE", run.status)
      assert(run.reason:find("the position of 'b' jumps", 1, true), run.reason)
      assert(run.reason:find("nothing is at another place at once", 1, true), run.reason)
    end
    assert.same("OK", at(hm.number "0.1"*(t + hm.abs(t - 1)^3), 0).status)
  end)

  it("is told of the place of a wall", function()
    local S = system("x", function(S, x)
      S:kinetic_energy(x.dot^2/2)
      S:unilateral("wall", x - hm.step(t - 1), { law = hm.newton(0.5) })
    end)
    local run = S:simulate{ q = { x = half }, v = { x = 0 }, t = 3 }
    assert.same("UNSUPPORTED", run.status)
    check.near(run.outcome.t, 1, 1e-14)
    assert(run.reason:find("'wall' jumps from 0.5 to -0.5", 1, true), run.reason)
    assert.same("OK", S:simulate{ q = { x = 1.5 }, v = { x = 0 }, t = 3 }.status)
  end)

  it("is found in bounds on velocities, and in rough walls", function()
    local S = system("x", function(S, x)
      S:kinetic_energy(x.dot^2/2)
      S:unilateral("ratchet", x.dot - hm.step(t - 1)/2)
    end)
    local run = S:simulate{ q = { x = 0 }, v = { x = 0.2 }, t = 3 }
    assert.same("IMPULSE", run.status)
    check.near(run.outcome.t, 1, 1e-14)
    assert(run.reason:find("the bound 'ratchet' jumps from 0.2 to -0.3", 1, true), run.reason)
    assert.same("OK", S:simulate{ q = { x = 0 }, v = { x = 0.6 }, t = 3 }.status)
    local R = system("x y", function(Q, x, y)
      Q:kinetic_energy(free(x, y))
      Q:force(y, -1)
      Q:unilateral("floor", y, { law = hm.plastic(), rough = { x.dot - hm.step(t - 1) } })
    end)
    run = R:simulate{ q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, t = 3 }
    assert.same("IMPULSE", run.status)
    check.near(run.outcome.t, 1, 1e-14)
    assert(run.reason:find("the rough wall 'floor' jumps by -1", 1, true), run.reason)
  end)

  it("stops a run with contacts, and is refused where none looks for it", function()
    local S = system("x", function(S, x)
      S:kinetic_energy(doubled*x.dot^2/2)
      S:unilateral("wall", x, { law = hm.newton(0.5) })
    end)
    local run = S:simulate{ q = { x = 0.5 }, v = { x = -1 }, t = 3 }
    assert.same({ "IMPULSE", 1 }, { run.status, #run.impacts })
    check.raises({ "may jump", "moreau" }, S.simulate, S, { q = { x = 0.5 }, v = { x = -1 }, t = 3, method = "moreau", step = 0.01 })
    check.raises({ "may jump", "moreau" }, S.sweep, S, { over = { { "x", { 0.5, 1 } } }, v = { x = -1 }, t = 3, method = "moreau", step = 0.01 })
    check.raises({ "may jump", "whole course" }, S.simulate, S, { q = { x = 0.5 }, v = { x = -1 }, t = 3, form = "whole course" })
  end)

  it("may be the start or the end of a run", function()
    local S = lagrangian("x", function(x) return hm.dt(x + hm.abs(t - 1)/2)^2/2 - x^2/2 end)
    local behind = S:simulate{ q = { x = 0 }, v = { x = -1 }, t = { 1, 3 } }     -- the velocity after the impulse
    assert.same("OK", behind.status)
    check.near(behind:at(3).x, -math.sin(2), 1e-9)
    local ended = S:simulate{ q = { x = 0 }, v = { x = 0 }, t = 3, events = { { name = "one", when = t - 1, terminal = true } } }
    assert.same("EVENT", ended.status)
    local momenta = S:simulate{ q = { x = 0 }, v = { x = 0 }, t = 3, form = "canonical" }
    assert.same("OK", momenta.status)
    check.near(momenta:at(3).x, -math.sin(2), 1e-8)
    for _, run in ipairs{ behind, momenta, S:simulate{ q = { x = 0 }, v = { x = 0 }, t = 3 } } do assert(run.energy_drift < 1e-8, tostring(run)) end
  end)
end)

describe("studies by formulas", function()
  local moving = lagrangian("x", function(x) return hm.dt(x + hm.abs(t - 1)/2)^2/2 - x^2/2 end)
  local step = lagrangian("x", function(x) return x.dot^2/2 - hm.step(x)*hm.number "1e-6" end)

  it("are refused where an impulse may act that the equations do not show", function()
    for _, S in ipairs{ moving, step } do
      check.raises({ "may jump where", "= 0", "impulse" }, S.reference, S, { q = { x = -1 }, v = { x = 1 }, t = 3 })
      check.raises({ "may jump where", "= 0", "impulse" }, S.enclosure, S, { q = { x = -1 }, v = { x = 1 }, t = 3 })
    end
  end)

  it("by derivatives stop at the jump", function()
    for _, S in ipairs{ moving, step } do
      check.raises({ "momenta, the energy or constraints jump at t = 1" }, S.variations, S, { q = { x = -1 }, v = { x = S == step and 1 or 0 }, t = 3 })
      local V = S:variations{ q = { x = -1 }, v = { x = S == step and 1 or 0 }, t = half }
      check.near(V:matrix(0.5)[1][1], S == step and 1 or math.cos(0.5), 1e-8)
    end
  end)
end)

describe("variations of constraints with switches", function()
  local all_forms = { "lagrange", "nielsen", "chaplygin", "voronets", "maggi", "hamel", "kane", "appell", "volterra", "canonical" }
  local function bound(f) return system("x y z", function(S, x, y, z)
    S:kinetic_energy((x.dot^2 + 2*y.dot^2 + z.dot^2)/2)
    S:force(x, -0.7)
    S:constraint("c", f(x, y))
  end) end

  it("stop where these jump, in every form", function()
    for _, f in ipairs{ function(x, y) return y.dot - hm.where(t:lt(1), 1, 2)*x.dot end, function(_, y) return y.dot - hm.where(t:lt(1), 1, 2) end } do
      for _, form in ipairs(all_forms) do
        local S = bound(f)
        check.raises({ "momenta, the energy or constraints jump at t = 1, where t - 1 changes its sign" }, S.variations, S,
          { q = { x = 0, y = 0, z = 0 }, v = { x = 1, z = 0.5 }, t = 2, form = form })
        assert.has_no.errors(function() S:variations{ q = { x = 0, y = 0, z = 0 }, v = { x = 1, z = 0.5 }, t = 0.9, form = form } end)
      end
    end
  end)

  -- Arbiter: differences of runs
  it("go on where nothing jumps", function()
    local S = bound(function(x, y) return y.dot - hm.max(t, 1)*x.dot end)
    local function x_at_2(vx) return S:simulate{ q = { x = 0, y = 0, z = 0 }, v = { x = vx, z = 0.5 }, t = 2, rtol = 1e-12, atol = 1e-13 }:at(2).x end
    local slope = (x_at_2(1.01) - x_at_2(0.99))/0.02
    for _, form in ipairs{ "kane", "maggi", "chaplygin" } do
      local V = S:variations{ q = { x = 0, y = 0, z = 0 }, v = { x = 1, z = 0.5 }, t = 2, form = form, rtol = 1e-10 }
      check.near(V:matrix(2)[1][4], slope, 1e-7, form)
    end
  end)
end)

describe("the elimination on the graph of velocities", function()
  local function chain(T)
    return system("x y", function(S, x, y)
      S:kinetic_energy(T(x, y))
      S:potential_energy((x - y)^2/2)
    end)
  end
  local drive = hm.data{ x = { 0, 1, 2, 4 }, y = { 0, 0, 1, 0 }, kind = "linear", name = "drive" }

  it("holds the corners of kinetic energies in time and place", function()
    local cases = {
      { chain(function(x, y) return (hm.dt(x + hm.abs(t - 1))^2 + y.dot^2)/2 end), "IMPULSE" },
      { chain(function(x, y) return (hm.dt(x + drive(t))^2 + y.dot^2)/2 end), "IMPULSE" },
      { chain(function(x, y) return (hm.where(t:lt(1), 1, 2)*x.dot^2 + y.dot^2)/2 end), "IMPULSE" },
      { chain(function(x, y) return (hm.step(x - 1)*x.dot^2 + x.dot^2 + y.dot^2)/2 end), "IMPULSE" },
      { chain(function(x, y) return ((1 + hm.abs(x - 1))*x.dot^2 + x.dot*y.dot + y.dot^2)/2 end), "OK" },
      { chain(function(x, y) return (x.dot^2 + hm.max(t, 1)*y.dot^2)/2 end), "OK" },
    }
    for i, case in ipairs(cases) do
      local S, status = table.unpack(case)
      local run = {}
      for _, way in ipairs{ "dense", "graph" } do
        run[way] = S:simulate{ q = { x = 0.5, y = 0 }, v = { x = 1, y = 0.5 }, t = 3, elimination = way, rtol = 1e-11, atol = 1e-12 }
        assert.same(status, run[way].status, i .. way)
      end
      assert(run.graph.model:by_graph(), i)
      check.near(run.graph.outcome.t, run.dense.outcome.t, 1e-9, i)
      local e = run.dense.outcome.t
      check.near(run.graph:at(e).x, run.dense:at(e).x, 1e-9, i)
    end
    local fast = chain(function(x, y) return (x.dot^2 + y.dot^2)/2 + hm.abs(y.dot)^3 end)
    check.raises({ "corners in velocities" }, fast.simulate, fast, { q = { x = 0, y = 0 }, v = { x = 1, y = 1 }, t = 1, elimination = "graph" })
  end)
end)

-- ---- what goes on as it is

local fine = {
  { "a mass that grows from t = 1 on", lagrangian("x", function(x) return hm.where(t:lt(1), 1, t)*x.dot^2/2 end), { x = 0 }, { x = 1 }, "x", 1 + math.log(3) },
  { "a mass that depends on the distance", lagrangian("x", function(x) return (1 + hm.abs(x))*x.dot^2/2 end), { x = -1 }, { x = 1 } },
  { "a gauge in place", lagrangian("x y", function(x, y) return free(x, y) + hm.step(x)*x.dot end), { x = -1, y = 0 }, { x = 1, y = 1 }, "x", 2 },
  { "a switched force", lagrangian("x", function(x) return x.dot^2/2 + hm.step(t - 1)*x end), { x = 0 }, { x = 0 }, "x", 2 },
  { "a support driven by smooth data", lagrangian("x", function(x)
    return hm.dt(x + hm.data{ x = { 0, 1, 2, 3, 4 }, y = { 0, 0, 1, 1, 0 }, kind = "akima", name = "drive" }(t))^2/2 - x^2/2
  end), { x = 0 }, { x = 0 } },
  { "a wedge", lagrangian("x", function(x) return x.dot^2/2 - hm.abs(x) end), { x = -1 }, { x = 0 } },
  { "a ring that is met from inside", lagrangian("x y", function(x, y) return free(x, y) - hm.abs(hm.sqrt(x^2 + y^2) - 1) end),
    { x = half, y = 0 }, { x = 1, y = half } },
  { "a momentum that a constraint holds", system("x y", function(S, x, y)
    S:lagrangian(free(x, y) + hm.step(t - 1)*y.dot)
    S:constraint("c", y)
  end), { x = 0, y = 0 }, { x = 1, y = 0 }, "x", 3 },
  { "a mass that jumps by a parameter", system("x", function(S, x)
    local a = S:parameters "a=1"
    S:kinetic_energy(hm.where(a:lt(0), 1, 2)*x.dot^2/2)
  end), { x = 0 }, { x = 1 }, "x", 3 },
  { "a mass whose factors change together", lagrangian("x", function(x) return hm.where(t:lt(1), 1, 2)*hm.where((2 - 2*t):gt(0), 2, 1)*x.dot^2/2 end),
    { x = 0 }, { x = 1 }, "x", 3 },
  { "gauges that are met together", lagrangian("x y", function(x, y) return free(x, y) + hm.step(x)*x.dot + 3*hm.step(y)*y.dot - hm.step(t - 1)*x end),
    { x = -1, y = -1 }, { x = 1, y = 1 }, "x", 0 },
  { "a switch that switches another one", system("x", function(S, x)
    S:kinetic_energy(x.dot^2/2)
    S:force(x, hm.step(x - hm.step(t - 1)))
  end), { x = half/2 }, { x = 0 }, "x", 1 + 1.75 + 1.75^2/2 },   -- 3/4 at t = 1, without a force up to x = 1
  { "dry friction", system("x", function(S, x) S:kinetic_energy(x.dot^2/2) S:force(x, -hm.sign(x.dot)) end), { x = 0 }, { x = 4 }, "x", 7.5 },
}

describe("no impulse", function()
  it("is found where formulas change without a jump, or by reactions alone", function()
    for _, case in ipairs(fine) do
      local name, S, q, v, of, value = table.unpack(case)
      local run = S:simulate{ q = q, v = v, t = 3 }
      assert.same("OK", run.status, ("%s: %s"):format(name, run.reason))
      if of then check.near(run:at(3)[of], value, 1e-7, name) end
    end
  end)
end)
