-- curves and branches do not depend on where they start, in which direction they go, and on the order of the parameters
local hm, check = require "hamel", require "check"
local near = check.near

local function first(B, kind)
  for _, item in ipairs(B.special) do if item.kind == kind then return item end end
  error("no " .. kind .. ":\n" .. tostring(B), 2)
end

local function reloaded(B, S)
  local path = os.tmpname() .. ".branch"
  B:save(path)
  local again = hm.load(path, S)
  os.remove(path)
  return again
end

-- The kinds and values of special points of a branch, in order of their values
local function specials(B)
  local list = {}
  for i, item in ipairs(B.special) do list[i] = { item.kind, item.value } end
  table.sort(list, function(a, b) return a[2] < b[2] end)
  return list
end

-- Branches from points of a branch that was read from a file, both ends among them, have its special points
local function demand_same(S, B, o, kind, tolerance)
  local wanted, points = specials(B), reloaded(B, S).points
  for _, i in ipairs{ 1, (#points + 1)//2, #points } do
    o[kind] = points[i]
    local found = specials(S:continue(o))
    assert.equal(#wanted, #found)
    for k, item in ipairs(wanted) do
      assert.equal(item[1], found[k][1])
      near(found[k][2], item[2], tolerance)
    end
  end
end

describe("a branch", function()
  it("of a double pendulum goes on from its last point, whose energy is an end but for rounding", function()
    local S = hm.system "double pendulum"
    local a, b = S:coordinates "a b"
    S:kinetic_energy(a.dot^2 + b.dot^2/2 + a.dot*b.dot*hm.cos(a - b))
    S:potential_energy(-2*hm.cos(a) - hm.cos(b))
    local o = { periodic = { q = { a = 0.1, b = -0.1414 }, v = { a = 0, b = 0 }, period = 2*math.pi/math.sqrt(2 + math.sqrt(2)) }, along = "energy",
      from = -2.99, to = -1 }
    local B = S:continue(o)
    demand_same(S, B, o, "periodic", 1e-8)
    -- period and multipliers by scipy (DOP853, rtol = 1e-13), which closes the motion to 3e-13
    local last = B.points[#B.points]
    near(last.period, 6.7723875446207, 1e-8)
    near(last.multipliers[1].re, 6.80589976, 1e-6)
    near(last.multipliers[2].re, 0.14693134, 1e-7)
    check.raises("the guess has energy = -1, outside from = -2.9 to -1.5; give a guess inside", S.continue, S,
      { periodic = last, along = "energy", from = -2.9, to = -1.5 })
  end)

  it("begins with an orbit that S:periodic has found", function()
    local S = hm.system "Duffing"
    local x = S:coordinates "x"
    local g = S:parameters "g=1/4"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^4/4 - x^2/2)
    S:force(x, -hm.rational(3, 10)*x.dot + g*hm.cos(hm.rational(6, 5)*hm.t))
    local orbit = S:periodic{ q = { x = 0.4366 }, v = { x = 0.339 }, period = 2*math.pi/1.2 }
    local B = S:continue{ periodic = orbit, along = "g", from = 0.25, to = 0.27 }
    assert.equal("flip", B.special[1].kind)
    assert.is_true(math.abs(B.special[1].value - 0.26558178606) < 1e-9)
  end)

  it("of steady motions of a rolling disc has its thresholds from everywhere", function()
    local S = hm.system "rolling disc"
    local x, y, psi, th, phi = S:coordinates "x y psi th phi"
    local sin, cos = hm.sin, hm.cos
    local cx, cy, cz = x + sin(th)*sin(psi), y - sin(th)*cos(psi), cos(th)
    S:kinetic_energy((hm.dt(cx)^2 + hm.dt(cy)^2 + hm.dt(cz)^2)/2 + (th.dot^2 + (psi.dot*cos(th))^2)/8 + (phi.dot + psi.dot*sin(th))^2/4)
    S:potential_energy(cz)
    S:constraint("roll x", x.dot - cos(psi)*phi.dot)
    S:constraint("roll y", y.dot - sin(psi)*phi.dot)
    local rest = { x = 0, y = 0, psi = 0, th = 0, phi = 0 }
    -- rolling upright is neutral from phi'^2 = g/(3 r) on, turning upright from psi'^2 = 4 g/(5 r) on
    for name, wanted in pairs{ ["phi'"] = 1/3, ["psi'"] = 4/5 } do
      local v = { phi = name == "phi'" and 1 or 0, psi = name == "psi'" and 2 or 0, th = 0 }
      local o = { steady = S:steady{ q = rest, v = v, keep = { "phi'", "psi'" } }, along = name, from = 0.2, to = 3 }
      local B = S:continue(o)
      near(first(B, "neutral").value, math.sqrt(wanted), 1e-9)
      demand_same(S, B, o, "steady", 1e-8)
    end
    -- tilted by th with phi' = 3/2: turning with 5/4 sin th cos th psi'^2 + 9/4 cos th psi' + sin th = 0, which has a double root
    local tilted = S:steady{ q = { x = 0, y = 0, psi = 0, th = 0.3, phi = 0 }, v = { phi = 1.5, psi = 0.3, th = 0 }, keep = { "phi'", "th" } }
    local B = S:continue{ steady = tilted, along = "th", from = 0.1, to = 1.2, points = 60 }
    local cosine = (-(9/4)^2 + math.sqrt((9/4)^4 + 100))/10
    near(first(B, "fold").value, math.acos(cosine), 1e-9)
  end)

  it("of a rattleback that turns upright has its Hopf points from everywhere", function()
    local S = hm.system "rattleback"
    local N = S:frame "N"
    local psi, al, be = S:coordinates "psi al be"
    local R = N:rotate(N.z, psi)
    R = R:rotate(R.x, al)
    R = R:rotate(R.y, be)
    S:body("stone", { at = S:point "x y z", frame = R, mass = 1, inertia = { 8e-4, 1.6e-3, 1.7e-3, xy = -2e-5 },
      shape = { "ellipsoid", 0.2, 0.03, 0.02, centre = 0.012*R.z } })
    S:rolls("roll", S._bodies[1], N:plane())
    S:gravity(-9.81*N.z)
    local st = S:steady{ q = { psi = 0, al = 0, be = 0, x = 0, y = 0, z = 0.008 }, v = { psi = 20, al = 0, be = 0, x = 0, y = 0, z = 0 }, keep = { "psi'" } }
    local o = { steady = st, along = "psi'", from = 10, to = 60 }
    local B = S:continue(o)
    -- Euler's equations in the body, differentiated by complex steps (numpy), at a zero of Hurwitz's determinant
    near(first(B, "hopf").value, 44.15260172928941, 1e-8)
    near(first(B, "hopf").frequency, 44.15260173, 1e-7)
    demand_same(S, B, o, "steady", 1e-8)
  end)

  it("of a sleigh under a periodic torque closes up to a rotation, and not along what need not close", function()
    local S = hm.system "sleigh"
    local x, y, th = S:coordinates "x y th"
    local M, w = S:parameters "M=1/2 w=1"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2 + th.dot^2/4)
    S:constraint("blade", y.dot*hm.cos(th) - x.dot*hm.sin(th) - th.dot/5)
    S:force(th, M*hm.cos(w*hm.t) - th.dot/10)
    S:force(x, -x.dot/10)
    S:force(y, -y.dot/10)
    local state = S:simulate{ q = { x = 0, y = 0, th = 0 }, v = { x = 0.4, th = 0 }, t = 120*math.pi }:at(120*math.pi)
    local o = { periodic = { q = state.q, v = state.v, period = 2*hm.pi/w }, along = "M", from = 0.4, to = 0.6, symmetry = { { x = -y, y = x, th = 1 } } }
    local B = S:continue(o)
    for _, i in ipairs{ 1, #B.points } do
      local p = B.points[i]
      local run = S:simulate{ q = p.q, v = p.v, t = { p.t, p.t + p.period }, parameters = p.parameters, rtol = 1e-11 }
      local last, alpha = run:at(p.t + p.period), p.drift[1]
      near(last.q.th - p.q.th, alpha, 1e-8)
      near(last.v.x, p.v.x*math.cos(alpha) - p.v.y*math.sin(alpha), 1e-8)
      near(last.v.th, p.v.th, 1e-8)
      assert.equal(true, p.stable)
    end
    o.symmetry = { { x = -y, y = x, th = 1 }, { x = 1 } }
    check.raises("symmetry[2] moves only x, on which nothing depends, so that motions need not close there: leave it out", S.continue, S, o)
  end)
end)

describe("a curve over two parameters", function()
  it("of a bouncing ball is the same for both orders of the parameters", function()
    local S = hm.system "ball on a table"
    local h = S:coordinates "h"
    local A, e = S:parameters "A=13/10 e=1/2"
    S:kinetic_energy(h.dot^2/2)
    S:force(h, -1)
    S:unilateral("table", h - A*hm.sin(hm.t), { law = hm.newton(e) })
    local phase = math.acos(math.pi/3/1.3)
    local o = { periodic = { q = { h = 1.3*math.sin(phase) }, v = { h = math.pi }, t = phase, period = 2*math.pi }, along = "A", from = 1, to = 2 }
    local ball = S:continue(o)
    local function fold(r) return math.pi*(1 - r)/(1 + r) end
    local closed = { fold = fold, flip = function(r) return math.sqrt(fold(r)^2 + (2*(1 + r^2)/(1 + r)^2)^2) end }
    for kind, wanted in pairs(closed) do
      for _, names in ipairs{ { "A", "e" }, { "e", "A" } } do
        local ends = names[1] == "A" and { { 0.3, 0.2 }, { 3, 0.9 } } or { { 0.2, 0.3 }, { 0.9, 3 } }
        local C = S:continue{ [kind] = first(ball, kind), along = names, from = ends[1], to = ends[2] }
        assert(#C.points > 10)
        for _, point in ipairs(C.points) do
          near(point.parameters.A, wanted(point.parameters.e), 1e-9)
          assert.equal(nil, point.stable)
        end
      end
    end
  end)
end)

describe("a branch along whose solutions the value stays", function()
  -- A block on a belt: it sticks from x = 0.1 to 0.5, where static friction ends, and slips back on the circle about 0.3 through both places
  local function belt(force)
    local S = hm.system "belt"
    local x = S:coordinates "x"
    local vb = S:parameters "vb=1/5"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    if force then force(S, x) end
    S:friction("belt", { slip = x.dot - vb, normal = 1, coefficient = 3/10, static = 1/2 })
    return S, { q = { x = 0 }, v = { x = 0.2 }, period = 1.5*math.pi + 2 }
  end

  it("is refused where a drive of amplitude 0 leaves the instant of the start free", function()
    local S, guess = belt(function(S, x) S:force(x, S:parameters "A=0"*hm.cos(hm.t)) end)
    check.raises({ "vb is 0.2 for all solutions near the start", "differ in t", "amplitude 0", "leave the drive out" }, S.continue, S,
      { periodic = guess, along = "vb", from = 0.05, to = 1 })
    -- without the drive the period is an unknown
    local free = belt()
    for _, point in ipairs(free:continue{ periodic = guess, along = "vb", from = 0.15, to = 0.3 }.points) do
      local v = point.parameters.vb
      near(point.period, 0.4/v + 2*math.pi - 2*math.atan(0.2, v), 1e-9)
    end
  end)

  it("is refused where a kept value does not tell steady motions apart", function()
    local S = hm.system "sleigh with thrust"
    local x, y, th = S:coordinates "x y th"
    local F = S:parameters "F=1/10"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2 + th.dot^2/4)
    S:constraint("blade", x.dot*hm.sin(th) - y.dot*hm.cos(th))
    S:force(th, -th.dot/5)
    S:force(x, F*hm.cos(th) - x.dot/5)
    S:force(y, F*hm.sin(th) - y.dot/5)
    local o = { q = { x = 0, y = 0, th = 0 }, v = { x = 0.5, y = 0, th = 0 }, keep = { "th'" } }
    local st = S:steady(o)
    check.raises({ "th' is 0 for all solutions near the start", "differ in th", 'keep = { "th" }' }, S.continue, S,
      { steady = st, along = "th'", from = -1, to = 1 })
    check.raises({ "come in families", "\"th'\" follows from the other values", "leave keep out" }, S.continue, S,
      { steady = st, along = "F", from = 0.01, to = 1 })
    for _, keep in ipairs{ { "th" }, {} } do
      o.keep = keep
      local B = S:continue{ steady = S:steady(o), along = "F", from = 0.01, to = 1 }
      for _, point in ipairs(B.points) do near(point.v.x, 5*point.parameters.F, 1e-9) end
    end
  end)
end)

describe("parameters beside a start of a branch", function()
  local function oscillator()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    local w, e = S:parameters "w=2 e=0.8"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -x.dot/5 + hm.cos(w*hm.t))
    S:unilateral("wall", 1 - x, { law = hm.newton(e) })
    local period = 2*math.pi/1.3
    local state = S:simulate{ q = { x = 0 }, v = { x = 0 }, t = 100*period, parameters = { w = 1.3 }, rtol = 1e-11 }:at(99.6*period)
    local guess = { q = { x = state.x }, v = { x = state.v.x }, t = 0.6*period, period = 2*hm.pi/w, parameters = { w = 1.3 } }
    return S, guess
  end

  -- The folds of one impact a period are from the closed solution between the impacts, with 30 digits
  it("count in place of those of a point, which is then a guess; in a guess they must not contradict", function()
    local S, guess = oscillator()
    local B = S:continue{ periodic = guess, along = "w", from = 1.2, to = 2.5 }
    near(B.special[1].value, 1.6609918976882678, 1e-10)
    local A = S:continue{ periodic = B.points[2], along = "w", from = 1.2, to = 2.5, parameters = { e = 0.5 } }
    near(A.special[1].value, 1.567442431761973, 1e-10)
    for _, point in ipairs(A.points) do assert.equal(0.5, point.parameters.e) end
    guess.parameters.e = 0.8
    check.raises("the guess in periodic = { ... } has e = 0.8, and parameters has e = 0.5: give e in one of them", S.continue, S,
      { periodic = guess, along = "w", from = 1.2, to = 2.5, parameters = { e = 0.5 } })
    guess.parameters.e = nil
    local C = S:continue{ periodic = guess, along = "w", from = 1.2, to = 2.5, parameters = { e = 0.5 } }
    near(C.special[1].value, 1.567442431761973, 1e-10)
    check.raises("the fold has e = 0.8, and parameters has e = 0.5", S.continue, S, { fold = B.special[1], along = { "w", "e" }, parameters = { e = 0.5 } })
  end)
end)
