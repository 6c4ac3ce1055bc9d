-- branches over parameters against closed forms, and against numbers found by other routes
local hm, branches, check, mechanics = require "hamel", require "branches", require "check", require "mechanics"
local core = require "hamel.core"
local sin, cos, near, first, K = hm.sin, hm.cos, check.near, branches.first, mechanics.K

describe("equilibria along a parameter", function()
  local function strip()
    local S = hm.system "bent strip"
    local y = S:coordinates "y"
    local p, load = S:parameters "p=1 load=-1"
    S:kinetic_energy(y.dot^2/2)
    S:potential_energy(y^4/4 - p*y^2/2 - load*y)
    S:force(y, -y.dot)
    return S
  end

  it("pass folds: y^3 - p y = load has them at load^2 = 4 p^3/27", function()
    local B = strip():continue{ equilibrium = { q = { y = -1.3 } }, along = "load", from = -1, to = 1 }
    near(first(B, "fold", 1).value, 2/math.sqrt(27), 1e-12)
    near(first(B, "fold", 2).value, -2/math.sqrt(27), 1e-12)
    for _, point in ipairs(B.points) do
      near(point.q.y^3 - point.q.y, point.parameters.load, 1e-9)
      assert(point.stable == (3*point.q.y^2 > 1), "stability at y = " .. point.q.y)
    end
  end)

  -- A chain of three with rods and masses of one and a heavy tip: the product of the squares of its frequencies is det K/det M = g^3 (M + 1) (M + 2)
  local function heavy_tip()
    local S = hm.system "heavy tip"
    local c, M = { S:coordinates "q1 q2 q3" }, S:parameters "M=1"
    local T, V, vx, vy, y = 0, 0, 0, 0, 0
    for i, a in ipairs(c) do
      local m = i == 3 and M or 1
      vx, vy, y = vx + cos(a)*a.dot, vy + sin(a)*a.dot, y - cos(a)
      T, V = T + m*(vx^2 + vy^2)/2, V + m*hm.number "9.81"*y
    end
    S:kinetic_energy(T)
    S:potential_energy(V)
    return S
  end

  it("keep their stability where masses come to differ by twelve orders of magnitude", function()
    if not core.has_arb then return end                                    -- the eigenvalues come from ball arithmetic
    for _, upside in ipairs{ 0, math.pi } do
      local S, q = heavy_tip(), { q1 = upside, q2 = upside, q3 = upside }
      local B = S:continue{ equilibrium = { q = q }, along = "M", from = 1, to = 1e12, points = 200 }
      near(B.points[#B.points].value, 1e12, 1)
      assert(#B.special == 0, "no eigenvalue reaches the axis")
      for _, point in ipairs(B.points) do
        local product = 1
        for _, e in ipairs(point.eigenvalues) do
          product = product*math.sqrt(e.re^2 + e.im^2)
          -- imaginary pairs, or opposite real numbers
          assert(math.abs(upside == 0 and e.re or e.im) <= 1e-10*math.sqrt(e.re^2 + e.im^2), "at M = " .. point.value)
        end
        near(product/(9.81^3*(point.value + 1)*(point.value + 2)), 1, 1e-9)
        if upside == 0 then assert(point.stable == nil) else assert(point.stable == false) end
      end
    end
  end)

  it("say that doubles do not hold them, where a branch starts at such masses", function()
    if not core.has_arb then return end
    check.raises({ "orders of magnitude, too many for its equations in doubles", "S:linearize gives the stability" }, heavy_tip().continue, heavy_tip(),
      { equilibrium = { q = { q1 = 0, q2 = 0, q3 = 0 }, parameters = { M = 1e12 } }, along = "M", from = 1, to = 1e12 })
  end)

  it("curves of folds over two parameters pass the cusp", function()
    local S = strip()
    local B = S:continue{ equilibrium = { q = { y = -1.3 } }, along = "load", from = -1, to = 1 }
    local C = S:continue{ fold = first(B, "fold"), along = { "load", "p" }, from = { -1, -0.5 }, to = { 1, 2 } }
    assert(#C.points > 10)
    for _, point in ipairs(C.points) do near(27*point.parameters.load^2, 4*point.parameters.p^3, 1e-9) end
    near(first(C, "cusp").point.parameters.p, 0, 1e-9)
    -- both parameters turn back there
    local count = 0
    for _, item in ipairs(C.special) do if item.kind == "cusp" then count = count + 1 end end
    assert.equal(1, count)
  end)

  it("folds of a conservative system decide nothing about stability, unless another eigenvalue does", function()
    local function folds(k)
      local S = hm.system "hoop"
      local th, z = S:coordinates "th z"
      local w, e = S:parameters "w=1/2 e=1/100"
      S:kinetic_energy((th.dot^2 + w^2*sin(th)^2 + z.dot^2)/2)
      S:potential_energy(e*th - cos(th) + k*z^2/2)
      local B = S:continue{ equilibrium = { q = { th = 1.3, z = 0 }, parameters = { w = 2 } }, along = "w", from = 0.5, to = 3 }
      local fold = first(B, "fold")
      return fold.point, S:continue{ fold = fold, along = { "w", "e" }, from = { 0.5, -0.5 }, to = { 3, 0.5 } }
    end
    local point, C = folds(4)
    assert.is_nil(point.stable)
    assert(#C.points > 10)
    for _, each in ipairs(C.points) do assert.is_nil(each.stable) end
    point, C = folds(-4)
    assert.is_false(point.stable)
    for _, each in ipairs(C.points) do assert.is_false(each.stable) end
  end)

  it("branch at the pitchfork of a bead on a turning hoop: w^2 cos th = 1", function()
    local S = hm.system "hoop"
    local th = S:coordinates "th"
    local w = S:parameters "w=1/2"
    S:kinetic_energy((th.dot^2 + w^2*sin(th)^2)/2)
    S:potential_energy(-cos(th))
    S:force(th, -th.dot/10)
    local down = S:continue{ equilibrium = { q = { th = 0 } }, along = "w", from = 0.5, to = 2 }
    near(first(down, "branch").value, 1, 1e-10)
    local bent = down:switch(first(down, "branch"))
    local sides = {}
    for _, point in ipairs(bent.points) do
      near(cos(point.q.th), 1/point.parameters.w^2, 1e-9)
      sides[point.q.th > 0] = true
    end
    assert(sides[true] and sides[false], "both sides of the fork")
  end)

  it("on constraints: a point on a circle under a load along x, y", function()
    local S = hm.system "circle"
    local x, y = S:coordinates "x y"
    local f = S:parameters "f=0"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("circle", x^2 + y^2 - 1)
    S:force(x, f - x.dot)
    S:force(y, -1 - y.dot)
    for _, form in ipairs{ "lagrange", "maggi" } do
      local B = S:continue{ equilibrium = { q = { x = 0, y = -1 } }, along = f, to = 3, form = form }
      for _, point in ipairs(B.points) do near(point.q.x, -point.parameters.f*point.q.y, 1e-9, form) end
      near(B.points[#B.points].parameters.f, 3, 1e-12)
    end
  end)

  it("lose their stability at Hopf points, where cycles are born: the towed wheel", function()
    local S = hm.system "towed wheel"
    local q, psi = S:coordinates "q psi"
    local b, v = S:parameters "b=1/10 v=1/10"
    S:kinetic_energy(((v + sin(psi)*psi.dot/2)^2 + (q.dot - cos(psi)*psi.dot/2)^2)/2 + hm.rational(3, 8)*psi.dot^2)
    S:potential_energy(q^2/2)
    S:force(q, -b*q.dot)
    S:constraint("no slip", q.dot*cos(psi) - v*sin(psi) - psi.dot)
    local straight = S:continue{ equilibrium = { q = { q = 0, psi = 0 } }, along = "v", from = 0.1, to = 12, largest = 0.5 }
    for i, sign in ipairs{ -1, 1 } do
      local hopf = first(straight, "hopf", i)
      near(hopf.value, (49 + sign*math.sqrt(2201))/10, 1e-11)
      near(hopf.frequency, math.sqrt(1 + hopf.value/10), 1e-10)
    end
    local line = S:continue{ hopf = first(straight, "hopf"), along = { "v", "b" }, from = { 0.1, 0 }, to = { 12, 1 } }
    near(first(line, "turn").point.parameters.v, math.sqrt(2), 1e-6)
    near(first(line, "turn").point.parameters.b, 1 - 1/math.sqrt(2), 1e-10)
    local cycles = straight:switch(first(straight, "hopf", 2), { to = 9.5 })
    local last = cycles.points[#cycles.points]
    near(last.parameters.v, 9.5, 1e-12)
    near(last.period, 4.49747057, 1e-7)
    near(last.multipliers[1].re, 0.99268222, 1e-6)
    assert(last.stable)
  end)
end)

describe("periodic motions along a parameter", function()
  it("double their period: Duffing's oscillator, towards Feigenbaum's number", function()
    local S = hm.system "Duffing"
    local x = S:coordinates "x"
    local g = S:parameters "g=1/4"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^4/4 - x^2/2)
    S:force(x, -hm.rational(3, 10)*x.dot + g*cos(hm.rational(6, 5)*hm.t))
    local drive = 2*math.pi/1.2
    local B = S:continue{ periodic = { q = { x = 0.4366 }, v = { x = 0.339 }, period = drive }, along = "g", to = 0.3, largest = 0.01 }
    for i, want in ipairs{ 0.26558178606, 0.28669315782, 0.29108990877 } do
      near(first(B, "flip").value, want, 1e-10)
      if i < 3 then
        B = B:switch(first(B, "flip"), { largest = 0.01/4^i })
        near(B.points[1].period, 2^i*drive, 1e-12)
      end
    end
  end)

  it("form families along the energy: the period of the pendulum", function()
    local S = hm.system "pendulum"
    local a = S:coordinates "a"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(-cos(a))
    local B = S:continue{ periodic = { q = { a = 0.5 }, v = { a = 0 }, period = 6.4 }, along = "energy", to = 0.9 }
    for _, point in ipairs(B.points) do near(point.period, 4*K(math.sqrt((point.energy + 1)/2)), 1e-9) end
    near(B.points[#B.points].energy, 0.9, 1e-12)
  end)

  it("branch in the potential of Henon and Heiles (Brack 2001: 0.96931, 0.98671 of the saddle's energy)", function()
    local S = hm.system "Henon-Heiles"
    local X, Y = S:coordinates "X Y"
    S:kinetic_energy((X.dot^2 + Y.dot^2)/2)
    S:potential_energy((X^2 + Y^2)/2 + X^2*Y - Y^3/3)
    local B = S:continue{ periodic = { q = { X = 0, Y = 0 }, v = { X = 0, Y = math.sqrt(0.95/3) }, period = 9.2 }, along = "energy", to = 0.165,
                          largest = 0.02 }
    near(6*first(B, "branch", 1).value, 0.969309090665, 1e-10)
    near(6*first(B, "branch", 2).value, 0.986709235318, 1e-10)
    near(first(B, "branch", 1).point.period, 9.5710482237, 1e-8)
    -- the motion that branches off: X no longer rests
    local other = B:switch(first(B, "branch", 1), { to = 0.163, points = 20 })
    local widest = 0
    for _, point in ipairs(other.points) do widest = math.max(widest, math.abs(point.q.X), math.abs(point.v.X)) end
    assert(widest > 1e-3, "a motion of its own")
  end)

  it("do so in any unit of length", function()
    local S = hm.system "Henon-Heiles in small units"
    local X, Y = S:coordinates "X Y"
    S:kinetic_energy((X.dot^2 + Y.dot^2)/2)
    S:potential_energy((X^2 + Y^2)/2 + (X^2*Y - Y^3/3)/100)
    local B = S:continue{ periodic = { q = { X = 0, Y = 0 }, v = { X = 0, Y = 100*math.sqrt(0.95/3) }, period = 9.2 }, along = "energy", to = 1650,
                          largest = 200 }
    near(6e-4*first(B, "branch", 1).value, 0.969309090665, 1e-9)
    near(6e-4*first(B, "branch", 2).value, 0.986709235318, 1e-9)
    near(B.points[#B.points].energy, 1650, 1e-8)
    for _, point in ipairs(B.points) do
      local one, other = table.unpack(point.multipliers)
      near(one.re*other.re - one.im*other.im, 1, 1e-7)
    end
  end)

  it("close up to a symmetry: the straight swing of a sleigh in a bowl", function()
    local S = hm.system "sleigh in a bowl"
    local bx, by, bt = S:coordinates "bx by bt"
    S:kinetic_energy((bx.dot^2 + by.dot^2 + bt.dot^2)/2)
    S:potential_energy((bx^2 + by^2)/2)
    S:constraint("blade", by.dot*cos(bt) - bx.dot*sin(bt) - bt.dot/2)
    local B = S:continue{ periodic = { q = { bx = 0.05, by = 0, bt = 0 }, v = { bx = 0, bt = 0 }, period = 2*math.pi }, along = "energy", to = 0.5,
                          symmetry = { { bx = -by, by = bx, bt = 1 } } }
    near(first(B, "flip").value, 0.164467842075^2/2, 1e-10)
    local m = B.points[#B.points].multipliers                                   -- amplitude 1
    table.sort(m, function(one, other) return one.re < other.re end)
    near(m[1].re, -5.88583363, 1e-7)
    near(m[2].re, -0.16989947, 1e-7)
  end)

  it("with a frequency as the parameter the period follows: x'' + x'/5 + x = cos(w t)", function()
    local S = hm.system "driven"
    local x = S:coordinates "x"
    local w = S:parameters "w=1/2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -x.dot/5 + cos(w*hm.t))
    local B = S:continue{ periodic = { q = { x = 1.3 }, v = { x = 0.1 }, period = 2*hm.pi/w }, along = "w", to = 2 }
    for _, point in ipairs(B.points) do
      local p = point.parameters.w
      near(point.period, 2*math.pi/p, 1e-12)
      near(point.q.x, (1 - p^2)/((1 - p^2)^2 + p^2/25), 1e-9)
      near(point.multipliers[1].re^2 + point.multipliers[1].im^2, math.exp(-0.2*point.period), 1e-9)
    end
  end)
end)

-- Characteristic values of Mathieu's equation x'' + (a - 2 q cos 2t) x = 0 by the determinants of its tridiagonal matrices (Abramowitz and Stegun 20.2)
local function characteristic(diagonal, corner, off, low, high, q)
  local function determinant(a)
    local before, now = 1, corner - a
    for k = 1, 12 do before, now = now, (diagonal(k) - a)*now - (k == 1 and off or q)^2*before end
    return now
  end
  local sign = determinant(low) > 0
  for _ = 1, 80 do
    local middle = (low + high)/2
    if (determinant(middle) > 0) == sign then low = middle else high = middle end
  end
  return low
end

describe("states of rest under a drive", function()
  local function mathieu()
    local S = hm.system "Mathieu"
    local x = S:coordinates "x"
    local a, q, k, c = S:parameters "a=1/2 q=1/5 k=1 c=0"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, -(a - 2*q*cos(2*hm.t))*x - k*x^3 - c*x.dot)
    return S
  end
  local rest = { q = { x = 0 }, v = { x = 0 }, period = hm.pi }

  it("are followed as motions of its period: the tongues of Mathieu's equation", function()
    local q = 0.2
    local function odd(k) return (2*k + 1)^2 end
    local function even(k) return 4*(k + 1)^2 end
    local B = mathieu():continue{ periodic = rest, along = "a", from = 0.2, to = 5, largest = 0.1 }
    near(first(B, "flip", 1).value, characteristic(odd, 1 - q, q, 0.5, 1, q), 1e-9)
    near(first(B, "flip", 2).value, characteristic(odd, 1 + q, q, 1, 1.5, q), 1e-9)
    near(first(B, "branch", 1).value, characteristic(even, 4, q, 3.9, 4.003, q), 1e-9)
    near(first(B, "branch", 2).value, characteristic(function(n) return 4*n^2 end, 0, math.sqrt(2)*q, 4.003, 4.5, q), 1e-9)
    for _, point in ipairs(B.points) do
      near(point.q.x, 0, 1e-14)
      local inside = point.value > first(B, "flip", 1).value and point.value < first(B, "flip", 2).value
        or point.value > first(B, "branch", 1).value and point.value < first(B, "branch", 2).value
      assert.equal(inside, point.stable == false)
    end
  end)

  it("give birth to motions of twice the period", function()
    local S = mathieu()
    local B = S:continue{ periodic = rest, parameters = { c = 0.1 }, along = "a", from = 0.5, to = 1.5, largest = 0.05 }
    local swing = B:switch(first(B, "flip", 2), { keep = { top = hm.highest(S:symbol "x") } })
    local widest = 0
    for _, point in ipairs(swing.points) do
      near(point.period, 2*math.pi, 1e-12)
      widest = math.max(widest, point.top)
    end
    assert(widest > 0.2)
  end)
end)

describe("measures along a branch", function()
  it("stay at points where one of them has no value, and the print says why", function()
    local S = hm.system "two wells"
    local x = S:coordinates "x"
    local g = S:parameters "g=1/5"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^4/4 - x^2/2)
    S:force(x, g*hm.cos(6*hm.t/5) - 3*x.dot/10)
    local start = { q = { x = 0.9 }, v = { x = 0.1 }, period = 2*math.pi/1.2 }
    -- the least x of a motion falls below 0.36 on the way
    local B = S:continue{ periodic = start, along = "g", to = 0.23, largest = 0.01,
                          keep = { low = hm.lowest(x), pole = hm.highest(1/(x - 0.36)), never = hm.first(x - 5) } }
    local with, without = 0, 0
    for _, point in ipairs(B.points) do
      assert(point.never == false and point.low)
      if point.low > 0.36 then
        with = with + 1
        near(point.pole, 1/(point.low - 0.36), 1e-5/(point.low - 0.36)^2)
      else
        without = without + 1
        assert(point.pole == false and point.refused.pole:find("x - 9/25 becomes zero there", 1, true), point.refused and point.refused.pole)
      end
    end
    assert(with > 0 and without > 0, ("%d, %d, %g ... %g"):format(with, without, B.points[1].low, B.points[#B.points].low))
    assert(tostring(B):find(("'pole' has no value at %d of %d points"):format(without, #B.points), 1, true), tostring(B))
  end)
end)

describe("angles that turn on", function()
  it("a pendulum that goes round: T = 2 k K(k), k^2 = 2/(E + 1)", function()
    local S = hm.system "pendulum"
    local a = S:coordinates "a"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(-cos(a))
    local B = S:continue{ periodic = { q = { a = 0 }, v = { a = 3 }, period = 2.5 }, advance = { a = 2*math.pi }, along = "energy", from = 1.01, to = 20 }
    for _, point in ipairs(B.points) do
      local k = math.sqrt(2/(point.energy + 1))
      near(point.period, 2*k*K(k), 1e-9)
    end
    near(B.points[1].energy, 1.01, 1e-12)
    -- with a torque; from a point, which has the advance with it
    local c, f = S:parameters "c=1/10 f=3/10"
    S:force(a, f - c*a.dot)
    local D = S:continue{ periodic = { q = { a = 0 }, v = { a = 3 }, period = 2.5, advance = { a = 2*math.pi } }, along = "f", from = 0.25, to = 0.5 }
    local E = S:continue{ periodic = D.points[2], along = "c", to = 0.12 }
    for _, point in ipairs(E.points) do
      assert(point.stable)
      near(point.multipliers[1].re, math.exp(-point.parameters.c*point.period), 1e-7)
    end
    check.raises({ "advance: 'b' is not a coordinate" }, S.continue, S, { periodic = D.points[2], advance = { b = 1 }, along = "c" })
  end)
end)

describe("motions that shrink to rest end their branch there", function()
  -- Along a parameter the energy is kept; at rest its gradient vanishes
  local function demand_rest(B, of_rest, least)
    local found
    for _, special in ipairs(B.special) do if special.kind == "rest" then found = special end end
    assert(found and table.concat(B.ended, " "):find "shrink to rest", tostring(B))
    near(found.value, of_rest(B.points[1].energy), 1e-9)
    near(found.point.energy, B.points[1].energy, 1e-9)
    assert(math.abs(B.points[#B.points].value - found.value) >= least or math.abs(B.points[1].value - found.value) >= least)
  end

  it("along a parameter, too: the pendulum, with the energy -g at rest", function()
    local P = hm.system "pendulum"
    local u = P:coordinates "u"
    local g = P:parameters "g=1"
    P:kinetic_energy(u.dot^2/2)
    P:potential_energy(-g*hm.cos(u))
    demand_rest(P:continue{ periodic = { q = { u = 0.5 }, v = { u = 0 }, period = 6.4 }, along = "g", from = 0.1, to = 2 }, function(E) return -E end, 1)
  end)

  it("the pendulum as a point on a rod", function()
    local P = hm.system "Cartesian pendulum"
    local x, y = P:coordinates "x y"
    local g = P:parameters "g=1"
    P:kinetic_energy((x.dot^2 + y.dot^2)/2)
    P:potential_energy(g*y)
    P:constraint("rod", x^2 + y^2 - 1)
    local guess = { q = { x = math.sin(0.5), y = -math.cos(0.5) }, v = { x = 0, y = 0 }, period = 6.4 }
    demand_rest(P:continue{ periodic = guess, along = "g", from = 0.1, to = 2, form = "lagrange" }, function(E) return -E end, 1)
  end)

  it("a mass that swings along its spring, with the energy -1 - 1/(2k) at rest", function()
    local P = hm.system "swinging spring"
    local x, y = P:coordinates "x y"
    local k = P:parameters "k=3"
    P:kinetic_energy((x.dot^2 + y.dot^2)/2)
    P:potential_energy(k*(hm.sqrt(x^2 + y^2) - 1)^2/2 + y)
    local guess = { q = { x = 0, y = -4/3 - 0.1 }, v = { x = 0, y = 0 }, period = 2*math.pi/math.sqrt(3) }
    demand_rest(P:continue{ periodic = guess, along = "k", from = 2.5, to = 6 }, function(E) return -1/(2*(E + 1)) end, 0.5)
  end)

  it("the pendulum at energy -1", function()
    local S = hm.system "pendulum"
    local a = S:coordinates "a"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(-cos(a))
    local B = S:continue{ periodic = { q = { a = 0.5 }, v = { a = 0 }, period = 6.4 }, along = "energy", from = -1.5, to = 0 }
    near(first(B, "rest").value, -1, 1e-10)
    for _, point in ipairs(B.points) do assert(point.energy > -1) end
    assert(B.ended[1]:find("shrink to rest", 1, true))
  end)

  it("at a value that is located, though no equation determines it: cycles without symmetry", function()
    local S = hm.system "self-excited"
    local x = S:coordinates "x"
    local m = S:parameters "m=1/2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2 + x^3/5)
    S:force(x, (m*(1 - m) + x/3 - x^2)*x.dot)
    local rest = S:continue{ equilibrium = { q = { x = 0 } }, along = "m", from = -1, to = 0.5 }
    for _, largest in ipairs{ 0.3, 0.1, 0.05 } do
      local last = first(rest:switch(first(rest, "hopf"), { to = 2, largest = largest }), "rest")
      near(last.value, 1, math.max(1e-11, (last.accuracy or 0)/2))
      assert((last.accuracy or 0) < 1e-9)
    end
  end)

  it("cycles between two Hopf points", function()
    local S = hm.system "self-excited"
    local x = S:coordinates "x"
    local m = S:parameters "m=1/2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, (m*(1 - m) - x^2)*x.dot)
    local rest = S:continue{ equilibrium = { q = { x = 0 } }, along = "m", from = -1, to = 0.5 }
    near(first(rest, "hopf").value, 0, 1e-12)
    local cycles = rest:switch(first(rest, "hopf"), { to = 2, keep = { top = hm.highest(x) } })
    near(first(cycles, "rest").value, 1, 1e-11)
    assert(#cycles.special == 1, tostring(cycles))
    for _, point in ipairs(cycles.points) do assert(point.value > 0 and point.value < 1 and point.stable) end
  end)
end)

describe("periodic motions with impacts and dry friction", function()
  it("a ball on a moving table: fold and flip in closed form", function()
    local S = hm.system "ball on a table"
    local h = S:coordinates "h"
    local A = S:parameters "A=13/10"
    S:kinetic_energy(h.dot^2/2)
    S:force(h, -1)
    S:unilateral("table", h - A*sin(hm.t), { law = hm.newton(0.5) })
    local phase = math.acos(math.pi/3/1.3)
    local B = S:continue{ periodic = { q = { h = 1.3*math.sin(phase) }, v = { h = math.pi }, t = phase, period = 2*math.pi }, along = "A", from = 1, to = 2 }
    near(first(B, "fold").value, math.pi/3, 1e-11)
    near(first(B, "flip").value, math.sqrt(math.pi^2/9 + (10/9)^2), 1e-11)
    for _, point in ipairs(B.points) do
      -- trace 1 + e^2 - (1 + e)^2 A sin(phase), determinant e^2, from the impact at the phase where A cos(phase) = pi/3
      local A1, sum, product = point.parameters.A, 0, 1
      local s = A1*math.sin(point.t)
      for _, m in ipairs(point.multipliers) do sum, product = sum + m.re, product*(m.re ~= 0 and m.im == 0 and m.re or 1) end
      near(sum, 1.25 - 2.25*s, 1e-7)
      if point.multipliers[1].im == 0 then near(product, 0.25, 1e-7) end
    end
  end)

  it("an oscillator at a wall: fold, and grazing at w = 7/5", function()
    local S = hm.system "oscillator at a wall"
    local s = S:coordinates "s"
    local w = S:parameters "w=3/2"
    S:kinetic_energy(s.dot^2/2)
    S:potential_energy(s^2/2)
    S:force(s, -s.dot/5 + cos(w*hm.t))
    S:unilateral("wall", 1 - s, { law = hm.newton(0.8) })
    local B = S:continue{ periodic = { q = { s = 1 }, v = { s = -0.8*2.73518698727 }, t = 0.915864343250/1.5, period = 2*hm.pi/w }, along = "w", from = 1.2,
                          to = 2, step = 0.02 }
    near(first(B, "fold").value, 1.66099189768828, 1e-11)
    near(first(B, "fold").point.impacts[1].velocity, 2.45949080228516, 1e-9)
    near(first(B, "grazing").value, 1.4, 1e-11)
    for _, point in ipairs(B.points) do
      local speed = point.impacts[1].velocity
      assert(point.admissible == (speed >= 0) or math.abs(speed) < 1e-6)
    end
  end)

  it("the wall is touched between its impacts: the least gap of the motion without a wall is zero there", function()
    local function oscillator(name)
      local S = hm.system(name)
      local s = S:coordinates "s"
      local w = S:parameters "w=3/2"
      S:kinetic_energy(s.dot^2/2)
      S:potential_energy(s^2/2)
      S:force(s, -s.dot/5 + cos(w*hm.t))
      return S, s, w
    end
    local S, s, w = oscillator "oscillator at a wall"
    S:unilateral("wall", 1 - s, { law = hm.newton(0.8) })
    local B = S:continue{ periodic = { q = { s = 1 }, v = { s = -0.8*2.73518698727 }, t = 0.915864343250/1.5, period = 2*hm.pi/w }, along = "w", from = 0.6,
                          to = 1.6, both = true, largest = 0.05 }
    local touch = first(B, "touch")
    assert.equal("wall", touch.name)
    local point = touch.point
    local free = oscillator "free":simulate{ q = point.q, v = point.v, t = { point.t, point.t + point.period }, parameters = point.parameters, rtol = 1e-12,
                                             atol = 1e-12 }
    local most, best = -math.huge, nil
    for i = 20, 980 do
      local t = point.t + point.period*i/1000
      if free:at(t).s > most then most, best = free:at(t).s, t end
    end
    -- where the velocity is zero beside the largest sample
    local low, high = best - point.period/1000, best + point.period/1000
    for _ = 1, 60 do
      local middle = (low + high)/2
      if free:at(middle).v.s > 0 then low = middle else high = middle end
    end
    near(free:at(low).s, 1, 1e-9)
    for _, each in ipairs(B.points) do
      if each.value < touch.value - 1e-9 and each.value > 0.6 then assert.is_false(each.admissible) end
    end
  end)

  it("stick and slip on a belt: the period in closed form, multipliers 1 and 0", function()
    local S = hm.system "block on a belt"
    local r = S:coordinates "r"
    local V = S:parameters "V=1/5"
    S:kinetic_energy(r.dot^2/2)
    S:potential_energy(r^2/2)
    S:friction("belt", { slip = r.dot - V, normal = 1, coefficient = 0.3, static = 0.5 })
    local B = S:continue{ periodic = { q = { r = 0.3 }, v = { r = 0.2 }, period = 1.5*math.pi + 2 }, along = "V", from = 0.1, to = 0.6 }
    for _, point in ipairs(B.points) do
      local V1 = point.parameters.V
      near(point.period, 2*math.pi - 2*math.atan(0.2/V1) + 0.4/V1, 1e-10)
      assert(point.stable and #point.sequence == 2)
      for _, m in ipairs(point.multipliers) do near(m.re, 0, 1e-6) end
    end
  end)
end)

describe("what is no branch is refused", function()
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  local k, idle = S:parameters "k=1 idle=1"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(k*x^2/2)
  S:force(x, -x.dot)

  it("with one sentence each", function()
    local rest = { q = { x = 0 } }
    check.raises({ "neither a parameter nor an integral", "'kk'" }, S.continue, S, { equilibrium = rest, along = "kk" })
    check.raises({ "nothing depends on 'idle'" }, S.continue, S, { equilibrium = rest, along = idle, to = 2 })
    check.raises({ "along what" }, S.continue, S, { equilibrium = rest })
    check.raises({ "from where" }, S.continue, S, { along = "k" })
    check.raises({ "one of them" }, S.continue, S, { equilibrium = rest, periodic = rest, along = "k" })
    check.raises({ "period is missing" }, S.continue, S, { periodic = rest, along = "k" })
    local still = { q = { x = 0 }, v = { x = 0 }, period = 6 }
    check.raises({ "with the period 6 ", "not a periodic one", "a better period" }, S.continue, S, { periodic = still, along = "k" })
    local B = S:continue{ equilibrium = rest, along = "k", to = 2 }
    check.raises({ "which point" }, B.switch, B, B.special[1])
    check.raises({ "two parameters" }, S.continue, S, { fold = { kind = "fold", point = {} }, along = "k" })
    local twice = { fold = { kind = "fold", point = {} }, along = { "k", "k" } }
    check.raises({ "two different parameters, not 'k' twice" }, S.continue, S, twice)
    check.raises({ "is a flip, not a fold" }, S.continue, S, { fold = { kind = "flip", point = {} }, along = { "k", "idle" } })
  end)
  it("impacts without derivatives: laws in Lua, accumulations, two walls at once", function()
    local function ball(law, walls)
      local B = hm.system "ball"
      local g, energy, last = B:parameters "g=1", 0, nil
      for _, name in ipairs(walls) do
        local h = B:coordinates(name)
        -- impacts at walls whose masses are not coupled do not act on each other
        energy = energy + h.dot^2/2 + (h.dot*(last or 0))/10
        last = h.dot
        B:force(h, -g)
        B:unilateral("below " .. name, h, { law = law })
      end
      B:kinetic_energy(energy)
      return B
    end
    local fall = { q = { h = 1, k = 1 }, v = { h = 0, k = 0 }, period = 2*math.sqrt(2) }
    local B = ball(hm.newton(1), { "h", "k" })
    check.raises({ "'below h' and 'below k' change at once", "no derivative" }, B.continue, B, { periodic = fall, along = "g", to = 2 })
    fall = { q = { h = 1 }, v = { h = 0 }, period = 3 }
    B = ball(hm.newton(0.5), { "h" })
    check.raises({ "impacts accumulate at 'below h' at t = 4.24264", "a guess whose impacts stay apart", "hm.newton(0)" }, B.continue, B,
      { periodic = fall, along = "g", to = 2 })
    B = ball(function(state) return state end, { "h" })
    check.raises({ "the law of 'below h' is a Lua function" }, B.continue, B, { periodic = fall, along = "g", to = 2 })
  end)

  it("families whose integrals are not known", function()
    local I = hm.system "isotropic"
    local u, v = I:coordinates "u v"
    local c = I:parameters "c=1"
    I:kinetic_energy((u.dot^2 + v.dot^2)/2)
    I:potential_energy(c*(u^2 + v^2)/2)
    local swing = { q = { u = 1, v = 0 }, v = { u = 0, v = 0.5 }, period = 2*math.pi }
    check.raises({ "families", "name the integrals" }, I.continue, I, { periodic = swing, along = "energy", to = 2 })
    check.raises({ "families" }, I.continue, I, { periodic = swing, along = "c", to = 2 })
  end)

  it("a period that does not follow the drive", function()
    local D = hm.system "driven"
    local s = D:coordinates "s"
    local w = D:parameters "w=1/2"
    D:kinetic_energy(s.dot^2/2)
    D:potential_energy(s^2/2)
    D:force(s, -s.dot/5 + cos(w*hm.t))
    local guess = { q = { s = 1.3 }, v = { s = 0.1 }, period = 4*math.pi }
    check.raises({ "do not repeat after the period", "2*hm.pi/w" }, D.continue, D, { periodic = guess, along = "w", to = 2 })
    D:unilateral("wall", 1 - s, { law = hm.newton(0.8) })
    local hit = { q = { s = 1 }, v = { s = -0.8*2.73518698727 }, t = 0.915864343250/1.5, period = 2*math.pi/1.5 }
    check.raises({ "do not repeat after the period", "2*hm.pi/w" }, D.continue, D, { periodic = hit, parameters = { w = 1.5 }, along = "w", to = 2 })
  end)
end)

describe("special points", function()
  local function hoop()
    local S = hm.system "hoop"
    local th = S:coordinates "th"
    local w = S:parameters "w=1/2"
    S:kinetic_energy((th.dot^2 + w^2*sin(th)^2)/2)
    S:potential_energy(-cos(th))
    S:force(th, -th.dot/10)
    return S
  end

  it("that a step meets exactly are found, once", function()
    for _, step in ipairs{ 0.05, 0.1, 0.25, 0.5 } do
      local B = hoop():continue{ equilibrium = { q = { th = 0 } }, along = "w", from = 0.5, to = 2, step = step, largest = step }
      assert.equal(1, #B.special)
      near(B.special[1].value, 1, 1e-9)
    end
  end)

  it("at which several eigenvalues pass at once are found", function()
    local function plane(V, friction)
      local S = hm.system "plane"
      local x, y = S:coordinates "x y"
      local m = S:parameters "m=-1"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:potential_energy(V(x, y, m))
      S:force(x, friction(x, m))
      S:force(y, friction(y, m))
      return S:continue{ equilibrium = { q = { x = 0, y = 0 } }, along = "m", from = -1, to = 1 }
    end
    local fork = plane(function(x, y, m) return (x^2 + y^2)^2/4 - m*(x^2 + y^2)/2 end, function(x) return -x.dot end)
    near(first(fork, "branch").value, 0, 1e-9)
    assert.equal(2, first(fork, "branch").several)
    local swing = plane(function(x, y) return x^2/2 + 2*y^2 end, function(x, m) return (m - x^2)*x.dot end)
    near(first(swing, "hopf").value, 0, 1e-9)
    local close = plane(function(x, y, m) return x^4/4 + y^4/4 - (m - 3/10)*x^2/2 - (m - hm.number "0.3005")*y^2/2 end, function(x) return -x.dot end)
    near(first(close, "branch", 1).value, 0.3, 1e-9)
    near(first(close, "branch", 2).value, 0.3005, 1e-9)
  end)

  it("are looked for between ends that hold the guess, or refused", function()
    check.raises({ "outside from = 1.2 to 2" }, hoop().continue, hoop(), { equilibrium = { q = { th = 0 } }, along = "w", from = 1.2, to = 2 })
    check.raises({ "above to" }, hoop().continue, hoop(), { equilibrium = { q = { th = 0 } }, along = "w", from = 2, to = 1 })
    check.raises({ "finite" }, hoop().continue, hoop(), { equilibrium = { q = { th = 0 } }, along = "w", to = math.huge })
  end)
end)
