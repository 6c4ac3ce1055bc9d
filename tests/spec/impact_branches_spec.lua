-- branches of periodic motions with impacts: flips and the motions of twice the period, late starts, constraints beside the walls
local hm, branches, check = require "hamel", require "branches", require "check"
local sin, cos, near, of_kind = hm.sin, hm.cos, check.near, branches.of_kind

-- A ball on a table A sin t with e = 1/2; one impact a period at the phase where A cos(phase) = pi/3
local function ball()
  local S = hm.system "ball on a table"
  local h = S:coordinates "h"
  local A = S:parameters "A=13/10"
  S:kinetic_energy(h.dot^2/2)
  S:force(h, -1)
  S:unilateral("table", h - A*sin(hm.t), { law = hm.newton(0.5) })
  local phase = math.acos(math.pi/3/1.3)
  return S, { q = { h = 1.3*math.sin(phase) }, v = { h = math.pi }, t = phase, period = 2*math.pi }
end

describe("a flip of a motion with impacts", function()
  it("leads to motions of twice the period: the ball meets the table twice", function()
    local S, guess = ball()
    local B = S:continue{ periodic = guess, along = "A", from = 1.2, to = 1.6 }
    local D = B:switch(of_kind(B, "flip")[1], { to = 1.5468, largest = 0.05 })
    for _, point in ipairs(D.points) do
      assert(point.stable and point.admissible and #point.sequence == 2)
      near(point.period, 4*math.pi, 1e-12)
      -- both flights are parabolas from the table to the table, the velocities jump by the law
      local A, t, h, v = point.parameters.A, point.t, point.q.h, point.v.h
      for _, event in ipairs(point.sequence) do
        local tau = event.duration
        near(h, A*math.sin(t), 1e-9)
        t, h, v = t + tau, h + v*tau - tau^2/2, v - tau
        v = A*math.cos(t) - (v - A*math.cos(t))/2
      end
      near(v, point.v.h, 1e-9)
    end
    -- runs at A = 1.5468 have flights of 0.933 and 1.067 periods
    local last = D.points[#D.points]
    near(last.value, 1.5468, 1e-12)
    local flights = { last.sequence[1].duration/(2*math.pi), last.sequence[2].duration/(2*math.pi) }
    table.sort(flights)
    near(flights[1], 0.933, 6e-4)
    near(flights[2], 1.067, 6e-4)
  end)

  it("leads on to four impacts; the multipliers have the product e^2 for each of them", function()
    local S, guess = ball()
    local B = S:continue{ periodic = guess, along = "A", from = 1.2, to = 1.6 }
    local D = B:switch(of_kind(B, "flip")[1], { to = 1.7, largest = 0.1 })
    local second = of_kind(D, "flip")[1]
    near(second.point.multipliers[1].re*second.point.multipliers[2].re, 0.5^4, 1e-7)
    local F = D:switch(second, { to = 1.69, largest = 0.05, points = 12 })
    for _, point in ipairs(F.points) do
      assert(point.stable and #point.sequence == 4)
      near(point.period, 8*math.pi, 1e-12)
    end
    -- a point of it is a start, and a run from it closes
    local point = F.points[#F.points]
    local again = S:continue{ periodic = point, along = "A", to = point.value + 0.001 }
    near(again.points[1].t, point.sequence[1].duration + point.t, 1e-6)
    assert(#again.points[1].sequence == 4)
  end)
end)

describe("an oscillator that meets its wall at rest position, x'' + x'/10 + x = cos wt, x <= 0, e = 0.8", function()
  local flips = { { 1.039969514912, 1.614288666449 }, { 1.229735346587, 1.410176748934 }, { 2.658884546685, 0.440573954417 } }

  -- equation: of a two-sided constraint between s and r, or nil for one coordinate; late: periods before the start
  local function branch(equation, late)
    local S = hm.system "oscillator"
    local w = S:parameters "w=3/2"
    local s, r
    if equation then
      s, r = S:coordinates "s r"
      S:kinetic_energy((s.dot^2 + r.dot^2)/4)
      S:constraint("line", equation(s, r))
    else
      s = S:coordinates "s"
      S:kinetic_energy(s.dot^2/2)
    end
    S:potential_energy(s^2/2)
    S:force(s, -s.dot/10 + cos(w*hm.t))
    S:unilateral("wall", -s, { law = hm.newton(0.8) })
    local guess = { q = { s = -0.63, r = equation and -0.63 or nil }, v = { s = -0.45 }, t = 2*math.pi/1.5*(late or 0), period = 2*hm.pi/w }
    return S:continue{ periodic = guess, along = "w", from = 1.03, to = 2.7 }
  end

  local function judge(B)
    local found = of_kind(B, "flip")
    assert(#found == #flips)
    for i, want in ipairs(flips) do
      near(found[i].value, want[1], 1e-10)
      near(found[i].point.impacts[1].velocity, want[2], 1e-9)
    end
  end

  it("has flips at the numbers of the closed form", function() judge(branch()) end)
  it("also from a late start, in a few points", function()
    local late = branch(nil, 400)
    judge(late)
    assert(#late.points < 250)
  end)
  it("also with a second coordinate under a two-sided constraint", function()
    judge(branch(function(s, r) return s^3 + s - r^3 - r end))
  end)
end)

describe("a pendulum at a wall", function()
  it("has the same folds and flips in an angle as in two coordinates with a rod; the flip leads to two impacts", function()
    local function branch(name)
      local S = hm.system(name)
      local w = S:parameters "w=3/2"
      local guess
      if name == "angle" then
        local a = S:coordinates "a"
        S:kinetic_energy(a.dot^2/2)
        S:potential_energy(-cos(a))
        S:force(a, -a.dot/10 + cos(w*hm.t)*cos(a))
        S:unilateral("wall", -sin(a), { law = hm.newton(0.8) })
        guess = { q = { a = -0.9 }, v = { a = 0 } }
      else
        local x, y = S:coordinates "x y"
        S:kinetic_energy((x.dot^2 + y.dot^2)/2)
        S:potential_energy(y)
        S:force(x, -x.dot/10 + cos(w*hm.t))
        S:force(y, -y.dot/10)
        S:constraint("rod", x^2 + y^2 - 1)
        S:unilateral("wall", -x, { law = hm.newton(0.8) })
        guess = { q = { x = -math.sin(0.9), y = -math.cos(0.9) }, v = { x = 0 } }
      end
      local run = S:simulate{ q = guess.q, v = guess.v, t = 120*2*math.pi/1.5 }
      guess = run:at(110*2*math.pi/1.5)
      return S, S:continue{ periodic = { q = guess.q, v = guess.v, t = guess.t, period = 2*hm.pi/w }, along = "w", from = 1.3, to = 1.8 }
    end
    local _, A = branch "angle"
    local P, B = branch "plane"
    assert(#A.special == #B.special and #of_kind(A, "fold") == 2 and #of_kind(A, "flip") == 2)
    for i, special in ipairs(A.special) do
      assert(special.kind == B.special[i].kind)
      near(B.special[i].value, special.value, 1e-9)
    end
    local D = B:switch(of_kind(B, "flip")[2], { points = 10 })
    local point = D.points[#D.points]
    local run = P:simulate{ q = point.q, v = point.v, t = { point.t, point.t + point.period - 1e-8 }, parameters = point.parameters, rtol = 1e-12,
                            atol = 1e-12 }
    local before = run:at(point.t + point.period - 1e-8)
    near(before.q.x, point.q.x, 1e-7)
    near(before.v.x*-0.8, point.v.x, 1e-6)
    assert(point.stable and #point.sequence == 2)
  end)
end)

describe("curves over two parameters of motions with impacts", function()
  it("folds and flips of the ball on a table over A and e, in closed form", function()
    local S = hm.system "ball on a table"
    local h = S:coordinates "h"
    local A, e = S:parameters "A=13/10 e=1/2"
    S:kinetic_energy(h.dot^2/2)
    S:force(h, -1)
    S:unilateral("table", h - A*sin(hm.t), { law = hm.newton(e) })
    local phase = math.acos(math.pi/3/1.3)
    local guess = { q = { h = 1.3*math.sin(phase) }, v = { h = math.pi }, t = phase, period = 2*math.pi }
    local B = S:continue{ periodic = guess, along = "A", from = 1, to = 1.6 }
    local want = { fold = function(a) return math.pi*(1 - a)/(1 + a) end }
    function want.flip(a) return math.sqrt(want.fold(a)^2 + (2*(1 + a^2)/(1 + a)^2)^2) end
    for kind, value in pairs(want) do
      local C = S:continue{ [kind] = of_kind(B, kind)[1], along = { "A", "e" }, from = { 0.4, 0.3 }, to = { 3, 0.7 } }
      assert(#C.points > 5)
      for _, point in ipairs(C.points) do near(point.parameters.A, value(point.parameters.e), 1e-11) end
      near(math.abs(C.points[1].parameters.e - C.points[#C.points].parameters.e), 0.4, 1e-9)
    end
  end)

  it("grazing of x'' + c x' + x = cos wt at x = 1: w^2 = 2 - c^2; a grazing from a file is refused", function()
    local S = hm.system "oscillator at a wall"
    local s = S:coordinates "s"
    local w, c = S:parameters "w=3/2 c=1/5"
    S:kinetic_energy(s.dot^2/2)
    S:potential_energy(s^2/2)
    S:force(s, -c*s.dot + cos(w*hm.t))
    S:unilateral("wall", 1 - s, { law = hm.newton(0.8) })
    local guess = { q = { s = 1 }, v = { s = -0.8*2.735 }, t = 0.61, period = 2*hm.pi/w }
    local B = S:continue{ periodic = guess, along = "w", from = 1.3, to = 2, largest = 0.1 }
    local o = { grazing = of_kind(B, "grazing")[1], along = { "w", "c" }, from = { 1.2, 0.1 }, to = { 2, 0.4 } }
    local C = S:continue(o)
    for _, point in ipairs(C.points) do
      near(point.parameters.w^2, 2 - point.parameters.c^2, 1e-9)
      near(point.impacts[1].velocity, 0, 1e-8)
      assert(point.admissible)
    end
    local file = os.tmpname() .. ".branch"
    B:save(file)
    local again = hm.load(file, S)
    os.remove(file)
    o.grazing = of_kind(again, "grazing")[1]
    -- the curve starts from there, too
    local D = S:continue(o)
    assert(#D.points >= 3)
    for _, point in ipairs(D.points) do near(point.parameters.w^2, 2 - point.parameters.c^2, 1e-9) end
  end)
end)

describe("a conservative motion that grazes", function()
  -- x'' + k x = cos wt, x <= 1, e = 1: the motion with an impact at each period grazes at k - w^2 = 1, where m + 1/m passes infinity
  it("has no flip there under a drive", function()
    local S = hm.system "driven"
    local s = S:coordinates "s"
    local w, k = S:parameters "w=8/5 k=13/4"
    S:kinetic_energy(s.dot^2/2)
    S:potential_energy(k*s^2/2)
    S:force(s, hm.cos(w*hm.t))
    S:unilateral("wall", 1 - s, { law = hm.newton(1) })
    local frequency, half = math.sqrt(3.25), math.pi/1.6
    local amplitude = (1 - 1/(3.25 - 1.6^2))/math.cos(frequency*half)
    local guess = { q = { s = 1 }, v = { s = amplitude*frequency*math.sin(frequency*half) }, period = 2*hm.pi/w }
    local B = S:continue{ periodic = guess, along = "w", from = 1.4, to = 1.7 }
    assert.equal(1, #B.special, tostring(B))
    assert.equal("grazing", B.special[1].kind)
    near(B.special[1].value, 1.5, 1e-9)
  end)

  -- two springs and a wall: the flips and the fold from the trace of the matrix of a period as a function of the period, by another program
  it("has none along a family, and those beside it are found", function()
    local S = hm.system "two springs"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy((x^2 + 2*y^2 + (x - y)^2/2)/2)
    S:unilateral("wall", 1 - x, { law = hm.newton(1) })
    local guess = { q = { x = 1, y = 0.62028950672719 }, v = { x = -0.7251121365168, y = 0 }, period = 4.7 }
    local B = S:continue{ periodic = guess, along = "energy", from = 0.7, to = 1.2 }
    local found = {}
    for i, special in ipairs(B.special) do found[i] = special.kind .. (special.doubtful and " in doubt" or "") end
    assert.equal("flip flip fold grazing flip", table.concat(found, " "))
    for i, wanted in ipairs{ 0.8945807637, 0.7754818172, 0.7571625019, 0.7573593129, 0.8269819705 } do near(B.special[i].value, wanted, 2e-10) end
  end)
end)
