-- motions that graze a wall: branches with an impact fewer and an impact more start there
local hm, branches, check = require "hamel", require "branches", require "check"
local near, first = check.near, branches.first

-- x'' + x'/5 + x = cos wt, x <= 1, e = 4/5: the motion without impacts has the amplitude 1 at w = 7/5
local function oscillator(left)
  local S = hm.system "oscillator at a wall"
  local s = S:coordinates "s"
  local w = S:parameters "w=3/2"
  S:kinetic_energy(s.dot^2/2)
  S:potential_energy(s^2/2)
  S:force(s, -s.dot/5 + hm.cos(w*hm.t))
  S:unilateral("right", 1 - s, { law = hm.newton(0.8) })
  if left then S:unilateral("left", s + left, { law = hm.newton(0.8) }) end
  return S, 2*hm.pi/w
end

local function amplitude(w) return 1/math.sqrt((1 - w^2)^2 + w^2/25) end

local function impacting(S, period)
  return S:continue{ periodic = { q = { s = 1 }, v = { s = -0.8*2.73518698727 }, t = 0.915864343250/1.5, period = period }, along = "w", from = 1.2, to = 2,
                     step = 0.02 }
end

-- Whether a run from a point closes, with the impacts of its sequence
local function closes(S, point)
  -- begun after the first impact of the point, in flight
  local t = point.t + 1e-3*point.period
  local begin = S:simulate{ q = point.q, v = point.v, t = { point.t, t }, parameters = point.parameters, rtol = 1e-12 }:at(t)
  local run = S:simulate{ q = begin.q, v = begin.v, t = { t, t + point.period }, parameters = point.parameters, rtol = 1e-12, atol = 1e-12 }
  near(run:at(t + point.period).q.s, begin.q.s, 1e-8)
  assert.equal(#point.sequence, #run.impacts)
end

describe("a grazing", function()
  it("leads to the motions without the impact: a linear oscillation", function()
    local S, period = oscillator()
    local free = impacting(S, period):switch(first(impacting(S, period), "grazing"))
    near(first(free, "touch").value, 1.4, 1e-10)
    assert(#free.points > 20)
    for _, point in ipairs(free.points) do
      local w = point.parameters.w
      local wanted = amplitude(w)
      -- amplitude from position and velocity, both of w
      near(point.q.s^2 + (point.v.s/w)^2, wanted^2, 1e-9)
      near(point.period, 2*math.pi/w, 1e-12)
      if math.abs(w - 1.4) > 1e-6 then assert.equal(wanted < 1, point.admissible) end
      assert.equal(0, #point.sequence)
      if not point.admissible then assert.equal("right", point.offender) end
    end
  end)

  it("has points behind it that are no motions, from which no branch starts", function()
    local S, period = oscillator()
    local B = impacting(S, period)
    local free = B:switch(first(B, "grazing"))
    local refused, started
    for _, point in ipairs(free.points) do
      if point.admissible then started = started or point else refused = refused or point end
    end
    check.raises({ "is no real motion, as 'right' is violated on its way; start from a point with admissible = true" }, S.continue, S,
      { periodic = refused, along = "w", points = 2 })
    -- as the advice says
    local again, passed = S:continue{ periodic = started, along = "w", from = math.min(started.value, refused.value) - 0.01,
      to = math.max(started.value, refused.value) + 0.01 }, false
    for _, point in ipairs(again.points) do passed = passed or not point.admissible and #point.sequence == 0 end
    assert.is_true(passed)
  end)

  it("is told from a fold, at which nothing branches off", function()
    local S, period = oscillator()
    local B = impacting(S, period)
    local fine, message = pcall(B.switch, B, first(B, "fold"))
    assert(not fine and message:find("nothing branches off here (fold)", 1, true), message)
  end)
end)

describe("motions that meet no wall", function()
  it("are followed until they touch it, and lead to motions with one impact", function()
    local S, period = oscillator()
    local free = S:continue{ periodic = { q = { s = 0 }, v = { s = 0 }, period = period, parameters = { w = 2 } }, along = "w", from = 1.2, to = 3 }
    local touch = first(free, "touch")
    near(touch.value, 1.4, 1e-10)
    assert.equal("right", touch.name)
    local B = free:switch(touch)
    near(B.points[1].impacts[1].velocity, 0.01, 1e-9)
    near(first(B, "fold").value, 1.66099189768828, 1e-9)
    for k = 1, #B.points, 10 do if B.points[k].stable then closes(S, B.points[k]) end end
  end)

  it("are families along the energy, up to that of the wall", function()
    local S = hm.system "oscillator beside a wall"
    local s = S:coordinates "s"
    S:kinetic_energy(s.dot^2/2)
    S:potential_energy(s^2/2)
    S:unilateral("wall", 1 - s, { law = hm.newton(0.8) })
    local B = S:continue{ periodic = { q = { s = 0.5 }, v = { s = 0 }, period = 2*math.pi }, along = "energy", to = 1 }
    near(first(B, "touch").value, 0.5, 1e-9)
    for _, point in ipairs(B.points) do if math.abs(point.energy - 0.5) > 1e-6 then assert.equal(point.energy < 0.5, point.admissible) end end
    check.raises({ "motions with impacts and switches are followed along a parameter, not along 'energy'" }, S.continue, S,
      { periodic = { q = { s = 0.5 }, v = { s = 1.5 }, period = 2*math.pi }, along = "energy", to = 1 })
  end)

  it("are refused where the wall moves and the motions have periods of their own", function()
    local S = hm.system "oscillator beside a moving wall"
    local s = S:coordinates "s"
    S:kinetic_energy(s.dot^2/2)
    S:potential_energy(s^2/2 + s^4/4)
    S:unilateral("wall", 2 + hm.sin(3*hm.t)/2 - s, { law = hm.newton(0.8) })
    check.raises({ "'wall' moves with time", "one period does not tell whether they meet it" }, S.continue, S,
      { periodic = { q = { s = 0.5 }, v = { s = 0 }, period = 6 }, along = "energy", to = 3 })
  end)

  -- a table A sin t, gravity 1: what rests on it is thrown off from A = 1 on
  it("rest on a wall until it falls away from them", function()
    local S = hm.system "ball on a table"
    local h = S:coordinates "h"
    local A = S:parameters "A=1/2"
    S:kinetic_energy(h.dot^2/2)
    S:force(h, -1)
    S:unilateral("table", h - A*hm.sin(hm.t), { law = hm.newton(0.5) })
    local B = S:continue{ periodic = { q = { h = 0 }, v = { h = 0.5 }, period = 2*math.pi }, along = "A", from = 0.1, to = 1.5 }
    local touch = first(B, "touch")
    near(touch.value, 1, 1e-9)
    check.raises({ "at 'table' a limit of contact or friction is reached" }, B.switch, B, touch)
  end)

  it("go on from a file", function()
    local S, period = oscillator()
    local free = S:continue{ periodic = { q = { s = 0 }, v = { s = 0 }, period = period, parameters = { w = 2 } }, along = "w", from = 1.8, to = 2.2 }
    local path = os.tmpname() .. ".branch"
    free:save(path)
    local again = hm.load(path, S)
    os.remove(path)
    local B = S:continue{ periodic = again.points[1], along = "w", from = 1.5, to = 2 }
    near(B.points[1].q.s^2 + (B.points[1].v.s/B.points[1].value)^2, amplitude(B.points[1].value)^2, 1e-9)
  end)
end)

describe("a wall that is touched on the way", function()
  it("leads to motions with a second impact, and from their grazing back", function()
    local S, period = oscillator(hm.rational(9, 4))
    local alone, alone_period = oscillator()
    local start
    for _, point in ipairs(impacting(alone, alone_period).points) do
      if point.stable and point.value < 1.35 then start = point end
    end
    local guess = { q = start.q, v = start.v, t = start.t, period = period, parameters = start.parameters }
    local B = S:continue{ periodic = guess, along = "w", from = 1.2, to = 2, step = 0.02 }
    local touch = first(B, "touch")
    assert.equal("left", touch.name)
    local two = B:switch(touch, { largest = 0.05 })
    assert.equal(2, #two.points[1].sequence)
    near(math.min(two.points[1].impacts[1].velocity, two.points[1].impacts[2].velocity), 0.01, 1e-9)
    local count = 0
    for k, point in ipairs(two.points) do
      assert(point.admissible)
      if point.stable and k % 3 == 0 then
        closes(S, point)
        count = count + 1
      end
    end
    assert(count > 0)
    -- the branch goes on through its start to the grazing
    local down = S:continue{ periodic = two.points[1], along = "w", from = 1.3, to = 1.45 }
    local grazing = first(down, "grazing")
    near(grazing.value, touch.value, 1e-8)
    assert.equal("left", grazing.name)
    local one = down:switch(grazing, { from = 1.3, to = 1.45 })
    assert.equal(1, #one.points[1].sequence)
    near(first(one, "touch").value, touch.value, 1e-8)
  end)

  it("lead from a touch to the curve of grazings, with the impact or without it", function()
    local S = hm.system "oscillator at a wall"
    local s = S:coordinates "s"
    local w, d = S:parameters "w=2 d=1/5"
    S:kinetic_energy(s.dot^2/2)
    S:potential_energy(s^2/2)
    S:force(s, -d*s.dot + hm.cos(w*hm.t))
    S:unilateral("right", 1 - s, { law = hm.newton(0.8) })
    local free = S:continue{ periodic = { q = { s = 0 }, v = { s = 0 }, period = 2*hm.pi/w }, along = "w", from = 1.3, to = 2 }
    local o = { grazing = first(free, "touch"), along = { "w", "d" }, from = { 1, 0.1 }, to = { 2, 0.3 }, points = 5 }
    local without = S:continue(o)
    assert.equal("curve of touch points", without.kind)
    local hits = free:switch(o.grazing, { from = 1.3, to = 1.5 })
    o.grazing = first(S:continue{ periodic = hits.points[1], along = "w", from = 1.3, to = 1.5, points = 20 }, "grazing")
    for _, curve in ipairs{ without, (S:continue(o)) } do
      assert(#curve.points > 5)
      for _, point in ipairs(curve.points) do
        local p = point.parameters
        near((1 - p.w^2)^2 + (p.d*p.w)^2, 1, 1e-7)
      end
    end
  end)
end)

describe("a parameter that only the conditions of a contact contain", function()
  local function driven(name, parameters)
    local S = hm.system(name)
    local s = S:coordinates "s"
    local p = table.pack(S:parameters(parameters))
    S:kinetic_energy(s.dot^2/2)
    S:potential_energy(s^2/2)
    S:force(s, -s.dot/5 + hm.cos(p[1]*hm.t))
    return S, s, table.unpack(p)
  end
  local function along(S, name, to, more)
    local start = { q = { s = 0 }, v = { s = 0 }, period = math.pi }
    for key, value in pairs(more or {}) do start.q[key], start.v[key] = value, value end
    return S:continue{ periodic = start, along = name, from = 0.1, to = to }
  end

  it("is the place of a wall: curves of touches, and branches along it", function()
    local S, s, w, d, e = driven("oscillator before a wall", "w=2 d=1 e=4/5")
    S:unilateral("wall", d - s, { law = hm.newton(e) })
    local free = S:continue{ periodic = { q = { s = 0 }, v = { s = 0 }, period = 2*hm.pi/w }, along = "w", from = 1.3, to = 2 }
    for kind, points in pairs{ touch = 3, grazing = 1 } do
      local C = S:continue{ [kind] = first(free, "touch"), along = { "w", "d" }, from = { 1, 0.1 }, to = { 2, 3 }, points = points }
      assert(#C.points > points)
      for _, point in ipairs(C.points) do near(point.parameters.d, amplitude(point.parameters.w), 1e-9) end
    end
    local B = along(S, "d", 3)
    assert.equal(1, #B.special, tostring(B))
    near(first(B, "touch").value, amplitude(2), 1e-9)
    for _, point in ipairs(B.points) do assert.equal(point.value > amplitude(2), point.admissible) end
    -- without impacts their coefficient says nothing
    check.raises("nothing depends on 'e'", along, S, "e", 0.9)
  end)

  it("is the velocity of a belt, or the friction of a load that does not slide", function()
    local S, s, _, u = driven("mass on a belt", "w=2 u=2")
    S:friction("belt", { slip = s.dot - u, normal = 1, coefficient = 0.1 })
    near(first(along(S, "u", 3), "touch").value, 2*amplitude(2), 1e-9)
    -- both masses move as one, and the friction gives the load the acceleration 4 s
    local L, y, _, mu = driven("load on a mass", "w=2 mu=1")
    local x = L:coordinates "x"
    L:kinetic_energy(L:kinetic_energy() + x.dot^2/2, { replace = true })
    L:friction("load", { slip = x.dot - y.dot, normal = 1, coefficient = mu })
    local B = along(L, "mu", 2, { x = 0 })
    -- the start of the period is no end of the rest
    assert.equal(1, #B.special, tostring(B))
    near(first(B, "touch").value, 4/math.sqrt(7^2 + 0.4^2), 1e-9)
  end)
end)

-- x'' + 2x'/5 + x = cos wt at x <= s, e = 3/10, one impact in three periods of the drive: where the impact comes to graze, the motion is that of the free
-- oscillator, and touches the wall in the other periods, too, at the amplitude s = 1/|1 - w^2 + 2iw/5|
describe("a touch beside a grazing", function()
  it("is located as exactly as others", function()
    local w = 3.9789852048176244
    local S = hm.system "rare impacts"
    local x = S:coordinates "x"
    local s = S:parameters "s=0.1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -0.4*x.dot + hm.cos(w*hm.t))
    S:unilateral("wall", s - x, { law = hm.newton(0.3) })
    local guess = { q = { x = -0.27493224976967684 }, v = { x = -0.0903391632979525 }, period = 6*math.pi/w }
    local B = S:continue{ periodic = guess, along = "s", from = 0.05, to = 0.15 }
    local touched, found = 1/math.sqrt((1 - w^2)^2 + (0.4*w)^2), 0
    for _, special in ipairs(B.special) do
      if math.abs(special.value - touched) < 1e-6 then
        near(special.value, touched, 1e-11)
        found = found + 1
      end
    end
    assert.equal(2, found)
  end)
end)
