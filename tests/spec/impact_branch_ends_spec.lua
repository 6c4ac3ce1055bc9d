-- branches of motions with impacts and friction: where they end, friction that a constraint presses, and guesses that are refused
local hm, branches, check = require "hamel", require "branches", require "check"
local near, raises, of_kind = check.near, check.raises, branches.of_kind

-- x'' + x'/5 + x = cos wt at the wall x = 1 + shift, for each coordinate of a list; the motion that is stable at w = 3/2, e = 4/5
local function oscillators(names, shift)
  local S = hm.system "oscillators"
  local w, e, d = S:parameters("w=3/2 e=4/5" .. (shift and " d=1/10" or ""))
  local guess, energy, potential = { q = {}, v = {}, t = 0.915864343250/1.5, period = 2*hm.pi/w }, hm.number(0), hm.number(0)
  for i, name in ipairs(names) do
    local s = S:coordinates(name)
    energy, potential = energy + s.dot^2/2, potential + s^2/2
    S:force(s, -s.dot/5 + hm.cos(w*hm.t))
    S:unilateral("wall of " .. name, 1 + (i > 1 and shift and d or 0) - s, { law = hm.newton(e) })
    guess.q[name], guess.v[name] = 1, -0.8*2.73518698727
  end
  S:kinetic_energy(energy)
  S:potential_energy(potential)
  return S, guess
end

describe("a branch of motions with impacts ends", function()
  -- a block on a belt: the time of sticking is 2 (ms - 3/10)/v. At its end the equations are singular: motions that never stick hold for any ms
  it("where the time of sticking comes to zero, whether or not that is the end that is asked for", function()
    local S = hm.system "belt"
    local x = S:coordinates "x"
    local v, ms = S:parameters "v=1/5 ms=1/2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:friction("belt", { slip = x.dot - v, normal = 1, coefficient = 0.3, static = ms })
    for _, from in ipairs{ 0.3, 0.2 } do
      local B = S:continue{ periodic = { q = { x = 0.5 }, v = { x = 0.2 }, period = 6.7 }, along = "ms", from = from, to = 0.51 }
      for _, point in ipairs(B.points) do
        local away = point.parameters.ms - 0.3
        near(point.period, 10*away + 2*math.pi - 2*math.atan(5*away), 1e-9)
      end
      assert.equal(1, #B.special, tostring(B))
      local last = of_kind(B, "end")[1]
      near(last.value, 0.3, 1e-10)
      assert(last.name:find("no time is left before the next switch at 'belt'", 1, true), last.name)
    end
  end)

  -- a ball that does not bounce leaves a table A sin t at sin t = 1/A and flies for 4 sqrt(A^2 - 1), to first order: the gap has a triple zero at A = 1
  it("where the time of flight comes to zero, extrapolated from longer ones", function()
    local S = hm.system "ball"
    local h = S:coordinates "h"
    local A = S:parameters "A=3/2"
    S:kinetic_energy(h.dot^2/2)
    S:force(h, -1)
    S:unilateral("table", h - A*hm.sin(hm.t), { law = hm.newton(0) })
    local t = math.asin(1/1.5) - 0.3
    local guess = { q = { h = 1.5*math.sin(t) }, v = { h = 1.5*math.cos(t) }, t = t, period = 2*math.pi }
    for _, from in ipairs{ 1, 0.5 } do
      local B = S:continue{ periodic = guess, along = "A", from = from, to = 1.52 }
      local last = of_kind(B, "end")[1]
      near(last.value, 1, last.accuracy or 1e-10)
      assert((last.accuracy or 0) < 1e-8, last.accuracy)
      assert(last.name:find("no time is left between the switch at 'table' and the impact at 'table'", 1, true), last.name)
      assert.equal(1, #B.special, tostring(B))
    end
  end)

  -- with damping the velocity of the block only reaches that of the belt at v = 0.33227756..., from the closed solution between two rests; a plastic wall is
  -- met twice a period until the flight between has no time, at d = 0.1883..., where the drive is cos wt = d at the first impact
  it("or turns back where a switch would only touch; an impact without velocity at an end is no grazing", function()
    local S = hm.system "damped belt"
    local x = S:coordinates "x"
    local v = S:parameters "v=1/5"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -x.dot/20)
    S:friction("belt", { slip = x.dot - v, normal = 1, coefficient = 0.3, static = 0.5 })
    local B = S:continue{ periodic = { q = { x = 0.4 }, v = { x = 0.2 }, period = 6.5 }, along = "v", from = 0.15, to = 1 }
    assert.equal("touch", B.special[1] and B.special[1].kind, tostring(B))
    assert.equal(1, #B.special, tostring(B))
    near(B.special[1].value, 0.33227756, 1e-8)
    for i = 1, B.special[1].after do assert(B.points[i].admissible) end
    for i = B.special[1].after + 1, #B.points do assert(not B.points[i].admissible) end

    S = hm.system "plastic wall"
    x = S:coordinates "x"
    local d, w = S:parameters "d=1/2 w=1/2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -x.dot/5 + hm.cos(w*hm.t))
    S:unilateral("wall", d - x, { law = hm.newton(0) })
    local T = 4*math.pi
    local state = S:simulate{ q = { x = 0 }, v = { x = 0 }, t = 12*T }:at(10.5*T)
    B = S:continue{ periodic = { q = state.q, v = state.v, t = state.t, period = 2*hm.pi/w }, along = "d", from = 0, to = 0.6 }
    assert.equal(1, #B.special, tostring(B))
    assert.equal("end", B.special[1].kind)
    near(B.special[1].value, 0.18830850291810, 1e-10)
  end)

  it("where the coefficient of restitution leaves 0 to 1", function()
    local S, guess = oscillators { "s" }
    local B = S:continue{ periodic = guess, along = "e", from = -0.5, to = 1.5 }
    local ends = of_kind(B, "end")
    assert.equal(2, #ends)
    for _, special in ipairs(ends) do
      near(special.value, 1, 1e-12)
      assert(special.name:find("'wall of s' would leave the range from 0 to 1", 1, true))
    end
    for _, point in ipairs(B.points) do assert(point.value <= 1 and point.admissible) end
  end)

  it("where two walls are struck at once", function()
    local S, guess = oscillators({ "x", "y" }, true)
    local run = S:simulate{ q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, t = 100*2*math.pi/1.5 }
    local state = run:at(90.1*2*math.pi/1.5)
    local B = S:continue{ periodic = { q = state.q, v = state.v, t = state.t, period = guess.period }, along = "d", from = -0.2, to = 0.2 }
    local last = of_kind(B, "end")[1]
    near(last.value, 0, 1e-9)
    assert(last.name:find("no time is left between the impact at", 1, true), last.name)
    local at_end = B.points[#B.points]
    assert(at_end.stable == true and at_end.admissible ~= false)
  end)

  -- x'' + x = f cos wt with friction 1, and a motion that rests
  local function rubbed()
    local S = hm.system "rub"
    local x = S:coordinates "x"
    local f, w = S:parameters "f=2 w=2/5"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, f*hm.cos(w*hm.t))
    S:friction("rub", { slip = x.dot, normal = 1, coefficient = 1 })
    local state = S:simulate{ q = { x = 0 }, v = { x = 0.5 }, t = 20*2*math.pi/0.4 }:at(18.3*2*math.pi/0.4)
    return S, { q = state.q, v = state.v, t = state.t, period = 2*hm.pi/w }
  end

  -- x'' + x = f cos wt with friction 1 sticks for good where f <= 1
  it("where the friction never slips", function()
    local S, guess = rubbed()
    local B = S:continue{ periodic = guess, along = "f", from = 0.9, to = 2.2 }
    near(of_kind(B, "end")[1].value, 1, 1e-9)
    assert(B.ended[1]:find("no time is left before the next switch at 'rub'", 1, true), B.ended[1])
  end)

  -- the same block beyond: of motions that rest twice a period, from the closed solutions between the turning points by another program. A rest begins while
  -- the drive is beyond the friction at f = 5.52..., its end would only touch the friction at f = 7.48..., and it has no time at f = 5.65... and w = 0.58...
  it("where the block no longer rests; limits at the start of a rest are touches, and a limit that is only touched makes no fold", function()
    local S, guess = rubbed()
    local B = S:continue{ periodic = guess, along = "f", from = 1.5, to = 20 }
    local found = {}
    for i, special in ipairs(B.special) do found[i] = special.kind end
    assert.equal("touch touch touch end", table.concat(found, " "))
    for i, wanted in ipairs{ 5.520176677250903, 5.520176677250903, 7.486592191, 5.65442305 } do
      near(B.special[i].value, wanted, math.max(B.special[i].accuracy or 0, 2e-9))
    end
    for _, point in ipairs(B.points) do
      if point.period and #point.sequence == 4 and point.sequence[2].duration > 1 then assert.equal(point.value < 5.5201766, point.admissible) end
    end
    near(of_kind(S:continue{ periodic = guess, along = "w", from = 0.3, to = 0.9 }, "end")[1].value, 0.58497494, 1e-8)
  end)
end)

describe("a motion that reverses its slip without rest", function()
  -- x'' + x'/10 + x = cos(7 t/10) with friction mu: where the slip is reversed, elasticity and drive exceed the friction, |x - cos(7 t/10)| > mu. The value of
  -- mu is that of a shooting over half a period by another program
  it("touches the limit exactly where rest would begin", function()
    local S = hm.system "rub"
    local x = S:coordinates "x"
    local mu = S:parameters "mu=3/10"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, hm.cos(0.7*hm.t) - x.dot/10)
    S:friction("rub", { slip = x.dot, normal = 1, coefficient = mu })
    local B = S:continue{ periodic = { q = { x = 1.73 }, v = { x = 0.47 }, period = 2*math.pi/0.7 }, along = "mu", from = 0.3, to = 0.7 }
    assert.equal(1, #B.special, tostring(B))
    local touch = B.special[1]
    assert.equal("touch", touch.kind)
    near(touch.value, 0.637763256, 1e-8)
    near(math.abs(touch.point.q.x - math.cos(0.7*touch.point.t)), touch.value, 1e-8)
    for _, point in ipairs(B.points) do assert.equal(point.value < touch.value, point.admissible) end
  end)
end)

describe("a branch of stick and slip", function()
  it("takes friction that a constraint presses; runs close", function()
    local S = hm.system "bead on a belt"
    local x, y = S:coordinates "x y"
    local U = S:parameters "U=1/5"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(x^2/2 + y)
    S:constraint("floor", y - x^2/10)
    S:friction("belt", { slip = x.dot - U, normal = "floor", coefficient = 0.3, static = 0.5 })
    local B = S:continue{ periodic = { q = { x = 0.3, y = 0.009 }, v = { x = 0.2 }, period = 6.025 }, along = "U", from = 0.1, to = 0.4 }
    for i = 1, #B.points, 20 do
      local point = B.points[i]
      assert(point.stable and point.admissible and #point.sequence == 2)
      local t = point.t + 0.3*point.sequence[1].duration
      local function at(from, q, v, to)
        return S:simulate{ q = q, v = v, t = { from, to }, parameters = point.parameters, rtol = 1e-12, atol = 1e-12 }:at(to)
      end
      local one = at(point.t, point.q, point.v, t)
      local other = at(t, one.q, one.v, t + point.period)
      near(other.q.x, one.q.x, 1e-10)
      near(other.v.x, one.v.x, 1e-10)
    end
  end)
end)

describe("a guess of a motion with impacts", function()
  it("is refused with one sentence where it is none, or has what its motions do not take", function()
    local S = hm.system "ball"
    local h = S:coordinates "h"
    local g = S:parameters "g=1"
    S:kinetic_energy(h.dot^2/2)
    S:potential_energy(g*h)
    S:unilateral("floor", h, { law = hm.newton(1) })
    local function refused(words, guess, o)
      local given = { periodic = { q = { h = 1 }, v = { h = 0 }, period = 2*math.sqrt(2) }, along = "g", to = 2 }
      for name, value in pairs(guess) do given.periodic[name] = value end
      for name, value in pairs(o or {}) do given[name] = value end
      raises(words, S.continue, S, given)
    end
    refused({ "not along 'period'", "unless all of them keep it" }, {}, { along = "period", to = 4 })
    refused({ "fixed: 'p_h' is no integral" }, {}, { fixed = { p_h = 1 } })
    for _, name in ipairs{ "integrals", "symmetry" } do
      refused({ name .. " is for motions without impacts and switches" }, {}, { [name] = name == "symmetry" and { { h = 1 } } or { energy = 1 } })
    end
    for _, period in ipairs{ -1, 0/0, math.huge, "T" } do refused({ "the period of the guess is", "a positive number" }, { period = period }) end
    refused({ "states along the motion" }, { segments = 3 })
    refused({ "number 1 lacks t or q" }, { segments = { { t = 1 } } })
    refused({ "the time 5 of number 1 is not between" }, { segments = { { t = 5, q = { h = 1 }, v = { h = 0 } } } })
    refused({ "the run from segments, number 1 fails", "v is missing for h" }, { segments = { { t = 1, q = { h = 1 } } } })
  end)
end)

describe("a branch of motions with impacts and without a drive ends at rest", function()
  -- x'' - c x' + x = 0 at x <= d: all lengths are multiples of d. In lengths L and times T
  it("where all motions are alike", function()
    for _, unit in ipairs{ { 1, 1 }, { 1e-9, 1 }, { 1e3, 1e-6 } } do
      local L, T = table.unpack(unit)
      local S = hm.system "growing"
      local x = S:coordinates "x"
      local d = S:parameters(("d=%.17g"):format(L))
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(x^2/(2*T^2))
      S:force(x, 0.3/T*x.dot)
      S:unilateral("wall", d - x, { law = hm.newton(0.3) })
      local run = S:simulate{ q = { x = 0 }, v = { x = 0.3*L/T }, t = 100*T, rtol = 1e-12, atol = 1e-13*L*math.min(1, 1/T) }
      local last = run.impacts[#run.impacts - 1].t
      local period = run.impacts[#run.impacts].t - last
      local state = run:at(last + period/2)
      local B = S:continue{ periodic = { q = { x = state.x }, v = { x = state.v.x }, period = period }, along = "d", from = -2*L, to = 2*L }
      assert.equal(1, #B.special, tostring(B))
      assert.equal("rest", B.special[1].kind)
      near(B.special[1].value/L, 0, 1e-11)
      assert(B.ended[1]:find("the motions shrink to rest", 1, true), B.ended[1])
      for _, point in ipairs(B.points) do
        assert(point.value > 0 and point.stable and point.admissible)
        near(point.period/period, 1, 1e-9)
        near(point.multipliers[1].re, B.points[1].multipliers[1].re, 1e-8)
      end
      raises({ "nothing branches off here (rest)" }, B.switch, B, B.special[1])
    end
  end)

  it("where van der Pol's oscillator meets a wall at its position of rest", function()
    local S = hm.system "van der Pol"
    local x = S:coordinates "x"
    local d = S:parameters "d=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, (1 - x^2)*x.dot)
    S:unilateral("wall", d - x, { law = hm.newton(0.7) })
    local run = S:simulate{ q = { x = -1 }, v = { x = 0 }, t = 100, rtol = 1e-11 }
    local last = run.impacts[#run.impacts - 1].t
    local period = run.impacts[#run.impacts].t - last
    local state = run:at(last + period/2)
    local B = S:continue{ periodic = { q = { x = state.x }, v = { x = state.v.x }, period = period }, along = "d", from = -1, to = 1.5 }
    local rest = of_kind(B, "rest")[1]
    near(rest.value, 0, math.max(rest.accuracy or 0, 1e-10))
    assert.equal(0, #of_kind(B, "branch"))
    assert.equal(0, #of_kind(B, "grazing"))
  end)
end)

describe("a closed curve of driven motions with impacts", function()
  -- x'' + 2x'/5 + x = cos wt at x <= s, e = 3/10, with the period of two drives. Along the curve the first impact comes earlier and earlier in the drive, until
  -- the motion is the same one a period of the drive later. The equations hold with -x, -s and t + pi/w, too, so that s and -s have the same folds and flips
  it("is followed once where its start moves through whole periods of the drive", function()
    local S = hm.system "closed"
    local x = S:coordinates "x"
    local s = S:parameters "s=-0.03041649052570672"
    local w = 3.7937514463646673
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -0.4*x.dot + hm.cos(w*hm.t))
    S:unilateral("wall", s - x, { law = hm.newton(0.3) })
    local guess = { q = { x = -0.10209641172626956 }, v = { x = 0.22338563021421534 }, period = 4*math.pi/w }
    local B = S:continue{ periodic = guess, along = "s", from = -0.73, to = 0.67 }
    assert.equal("the curve is closed", B.ended[1])
    local seen = {}
    for _, special in ipairs(B.special) do
      local key = ("%s %.7f"):format(special.kind, special.value)
      assert(not seen[key], key)
      seen[key] = true
    end
    for _, kind in ipairs{ "fold", "flip", "grazing" } do
      local pair = of_kind(B, kind)
      assert.equal(2, #pair)
      near(pair[1].value, -pair[2].value, 1e-10)
    end
    local first, last = B.points[1], B.points[#B.points]
    assert(math.abs(last.t - first.t) > 0.8*2*math.pi/w and math.abs(last.t - first.t) < 1.2*2*math.pi/w)
  end)
end)

-- x'' - mu (1 - x^2) x' + x = 0 at x <= e. Small motions are those of x'' - mu x' + x = 0, which are as large as e: they shrink to rest at e = 0, and their
-- multiplier is (restitution)^2 exp(mu T) at the time T between two impacts
describe("motions of van der Pol's oscillator at a wall", function()
  local MU, RESTITUTION = 5, 0.9

  -- T: the flight of the linear oscillator from the wall x = -1 back to it, with the velocities v and -v/restitution
  local function linear_time()
    local mean, root = MU/2, math.sqrt(MU^2/4 - 1)
    local one, other = mean + root, mean - root
    local function off(T)
      local a, b = math.exp(one*T), math.exp(other*T)
      -- x = p exp(one t) + (-1 - p) exp(other t) is -1 at T
      local p = (b - 1)/(a - b)
      local first, last = p*one - (1 + p)*other, p*one*a - (1 + p)*other*b
      return RESTITUTION*last + first
    end
    local low, high = 1e-3, 0.5
    assert(off(low)*off(high) < 0)
    for _ = 1, 60 do
      local middle = (low + high)/2
      if off(middle)*off(low) > 0 then low = middle else high = middle end
    end
    return low
  end

  it("shrink to rest with the wall at the place of rest, also where they jerk", function()
    local S = hm.system "van der Pol"
    local x, e = S:coordinates "x", S:parameters "e=0.5"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, MU*(1 - x^2)*x.dot)
    S:unilateral("wall", e - x, { law = hm.newton(RESTITUTION) })
    local run = S:simulate{ q = { x = -1 }, v = { x = 0 }, t = 300, rtol = 1e-11, atol = 1e-12 }
    local hits = run.impacts
    local period = hits[#hits].t - hits[#hits - 1].t
    local state = run:at(hits[#hits].t - period/2)
    local B = S:continue{ periodic = { q = { x = state.x }, v = { x = state.v.x }, period = period }, along = "e", from = -1, to = 0.6 }
    local rest = branches.first(B, "rest")
    near(rest.value, 0, 1e-7)
    assert(rest.accuracy < 1e-4 and math.abs(rest.value) <= rest.accuracy, tostring(B))
    assert.equal("the motions shrink to rest at e = 0", B.ended[1])
    near(rest.point.multipliers[1].re, RESTITUTION^2*math.exp(MU*linear_time()), 1e-3)
  end)
end)
