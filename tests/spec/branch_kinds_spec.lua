-- kinds of special points and of ends, and what branches say of themselves
local hm, branches, check, mechanics = require "hamel", require "branches", require "check", require "mechanics"
local sin, cos, near, of_kind, K = hm.sin, hm.cos, check.near, branches.of_kind, mechanics.K

local function says(what, text) assert(tostring(what):find(text, 1, true), tostring(what)) end

local function pendulum()
  local S = hm.system "pendulum"
  local q = S:coordinates "q"
  local g = S:parameters "g=1"
  S:kinetic_energy(q.dot^2/2)
  S:potential_energy(-g*cos(q))
  return S
end

describe("curves over two parameters", function()
  -- x'' = m + x^2 + (n + x) x': Hopf points x = - sqrt(-m), m = - n^2; folds m = 0; both zero at m = n = 0 (Takens 1974, Bogdanov 1975)
  local function system()
    local S = hm.system "Takens and Bogdanov"
    local x = S:coordinates "x"
    local m, n = S:parameters "m=-1 n=1/2"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, m + x^2 + (n + x)*x.dot)
    return S
  end

  local function curve(along, kind, from, to)
    local S = system()
    local B = S:continue{ equilibrium = { q = { x = -1 } }, along = along, from = -2, to = 3 }
    return S:continue{ [kind] = of_kind(B, kind)[1], along = { "m", "n" }, from = from, to = to }
  end

  it("of Hopf points and of folds meet where two eigenvalues are zero", function()
    local hopf = curve("n", "hopf", { -2, -2 }, { 1, 2 })
    for _, point in ipairs(hopf.points) do near(point.parameters.m, -point.parameters.n^2, 1e-9) end
    local fold = curve("m", "fold", { -2, -2 }, { 1, 2 })
    for _, C in ipairs{ hopf, fold } do
      local list = of_kind(C, "double-zero")
      assert.equal(1, #list)
      near(list[1].point.parameters.m, 0, 1e-10)
      near(list[1].point.parameters.n, 0, 1e-10)
    end
    -- m keeps its value along the folds: no turn
    assert.equal(0, #of_kind(fold, "turn"))
    says(fold, "along m and n")
    says(fold, "n = -2 ... 2")
  end)

  -- x'' = (m - x^2) x' - k x, beside y'' = (k - 1) y - y' - y^3: frequency sqrt(k), and an eigenvalue of y is zero at k = 1
  it("of Hopf points end where the frequency is zero, and pass zeros of other eigenvalues", function()
    local S = hm.system "two"
    local x, y = S:coordinates "x y"
    local m, k = S:parameters "m=-1 k=1/2"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, (m - x^2)*x.dot - k*x)
    S:force(y, (k - 1)*y - y.dot - y^3)
    local B = S:continue{ equilibrium = { q = { x = 0, y = 0 } }, along = "m", from = -1, to = 1 }
    local C = S:continue{ hopf = of_kind(B, "hopf")[1], along = { "m", "k" }, from = { -1, -1 }, to = { 1, 2 } }
    local least, most = math.huge, -math.huge
    assert.equal(2, #C.special)
    local zero, both = branches.first(C, "double-zero"), branches.first(C, "zero-Hopf")
    near(zero.beside, 0, 1e-10)
    near(both.beside, 1, 1e-10)
    near(both.frequency, 1, 1e-9)
    for _, point in ipairs(C.points) do least, most = math.min(least, point.parameters.k), math.max(most, point.parameters.k) end
    assert(least > -1e-9, tostring(C))
    near(most, 2, 1e-9)
    says(C, "the frequency comes to zero")
  end)

  -- P = 41/28 + d^2/2; the condition grows much steeper along the curve
  it("of Hopf points of Ziegler's column go on from little damping", function()
    local S = hm.system "Ziegler"
    local a, b = S:coordinates "a b"
    local P, d = S:parameters "P=1 d=1/100"
    S:kinetic_energy((3*a.dot^2 + b.dot^2 + 2*a.dot*b.dot*cos(a - b))/2)
    S:potential_energy((a^2 + (b - a)^2)/2)
    S:force(a, P*sin(a - b) - d*a.dot - d*(a.dot - b.dot))
    S:force(b, -d*(b.dot - a.dot))
    local B = S:continue{ equilibrium = { q = { a = 0, b = 0 } }, along = "P", from = 0, to = 4 }
    local C = S:continue{ hopf = B.special[1], along = { "P", "d" }, from = { 0, 0.005 }, to = { 4, 2 } }
    for _, point in ipairs(C.points) do near(point.parameters.P, 41/28 + point.parameters.d^2/2, 1e-9) end
    local one, other = C.points[1].parameters.d, C.points[#C.points].parameters.d
    near(math.min(one, other), 0.005, 1e-9)
    near(math.max(one, other), 2, 1e-9)
  end)

  -- Mathieu: both multipliers are -1 on the whole curve
  it("of flips of a conservative system have no strong resonances", function()
    local S = hm.system "Mathieu"
    local x = S:coordinates "x"
    local a, q = S:parameters "a=1/2 q=1/2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy((a - 2*q*cos(2*hm.t))*x^2/2)
    local B = S:continue{ periodic = { q = { x = 0 }, v = { x = 0 }, period = math.pi }, along = "a", from = 0, to = 2, largest = 0.1 }
    local flips = of_kind(B, "flip")
    assert.equal(2, #flips)
    for _, flip in ipairs(flips) do
      local C = S:continue{ flip = flip, along = { "a", "q" }, from = { -3, 0 }, to = { 10, 1 } }
      assert(#C.points > 5)
      assert.equal(0, #C.special, tostring(C))
    end
  end)

  -- beside a driven coordinate the rest x = 0 has the multipliers exp((- c/2 +- i sqrt(a)) 2 pi)
  it("of torus points pass strong resonances: a = 1/9 and a = 1/16", function()
    local S = hm.system "resonances"
    local x, y = S:coordinates "x y"
    local c, a = S:parameters "c=1/10 a=1/20"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, -c*x.dot - a*x - x^3)
    S:force(y, -y.dot - y + cos(hm.t))
    local guess = { q = { x = 0, y = 0 }, v = { x = 0, y = 0.5 }, period = 2*math.pi }
    local B = S:continue{ periodic = guess, along = "c", from = -0.2, to = 0.2 }
    local C = S:continue{ torus = of_kind(B, "torus")[1], along = { "c", "a" }, from = { -0.5, 0.01 }, to = { 0.5, 0.2 } }
    for n, wanted in pairs{ [3] = 1/9, [4] = 1/16 } do
      local list = of_kind(C, "strong resonance 1:" .. n)
      assert.equal(1, #list)
      near(list[1].point.parameters.a, wanted, 1e-9)
      near(list[1].point.parameters.c, 0, 1e-9)
    end
    local path = os.tmpname() .. ".branch"
    C:save(path)
    local again = hm.load(path, S)
    os.remove(path)
    assert.equal(tostring(C), tostring(again))
  end)
end)

describe("branches say", function()
  it("when they are closed: x^2 + a^2 = 1", function()
    local S = hm.system "isola"
    local x = S:coordinates "x"
    local a = S:parameters "a=0"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, 1 - x^2 - a^2 - x.dot)
    local B = S:continue{ equilibrium = { q = { x = 1 } }, along = "a", from = -3, to = 3 }
    says(B, "ended: the curve is closed")
    assert.equal(2, #of_kind(B, "fold"))
    for _, fold in ipairs(of_kind(B, "fold")) do near(math.abs(fold.value), 1, 1e-10) end
    local stopped = S:continue{ equilibrium = { q = { x = 1 } }, along = "a", from = -3, to = 3, stop = { "fold", 1 }, both = false }
    assert.equal(1, #of_kind(stopped, "fold"))
  end)

  it("that integrals are fixed while a parameter moves: the period of a pendulum at one energy", function()
    local B = pendulum():continue{ periodic = { q = { q = 0.5 }, v = { q = 0 }, period = 6.4 }, along = "g", to = 2, fixed = { energy = -0.7 } }
    for _, point in ipairs(B.points) do
      near(point.energy, -0.7, 1e-9)
      near(point.period, 4*K(math.sqrt((1 - 0.7/point.value)/2))/math.sqrt(point.value), 1e-8)
    end
    near(B.points[#B.points].value, 2, 1e-12)
  end)

  it("how many directions of solutions there are too many", function()
    local S = hm.system "bowl"
    local p, q = S:coordinates "p q"
    local k = S:parameters "k=1"
    S:kinetic_energy((p.dot^2 + q.dot^2)/2)
    S:potential_energy(k*(p^2 + q^2)/2)
    check.raises({ "solutions come in families here (2 directions too many): name the integrals", "values at the start that are kept", "keep = {" },
      S.continue, S,
      { periodic = { q = { p = 1, q = 0 }, v = { p = 0, q = 0.3 }, period = 2*math.pi }, along = "k", to = 2 })
  end)

  it("that equilibria on a circle are not isolated; a value kept chooses one", function()
    local S = hm.system "hat"
    local x, y = S:coordinates "x y"
    local a = S:parameters "a=1"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(-a*(x^2 + y^2)/2 + (x^2 + y^2)^2/4)
    S:force(x, -x.dot)
    S:force(y, -y.dot)
    local o = { equilibrium = { q = { x = 1, y = 0 } }, along = "a", from = 0.2, to = 2 }
    check.raises({ "families here (1 direction too many): states of rest are not isolated",
      "equilibrium = { q = { ... }, keep = { \"y\" } }" }, S.continue, S, o)
    o.equilibrium.keep = { "y" }
    for _, point in ipairs(S:continue(o).points) do near(point.q.x, math.sqrt(point.value), 1e-9) end
  end)

  it("at which function with a corner a branch of equilibria stops", function()
    local S = hm.system "corner"
    local x = S:coordinates "x"
    local a = S:parameters "a=2"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(hm.abs(x) + x^2/2 - a*x)
    S:force(x, -x.dot)
    local B = S:continue{ equilibrium = { q = { x = 1 } }, along = "a", from = -3, to = 4 }
    near(B.points[1].value, 1, 1e-8)
    assert(B.ended[1]:find("sign(x) is not smooth where x = 0", 1, true), B.ended[1])
  end)

  it("where the search for the start leads to the end of a domain", function()
    local S = hm.system "root"
    local x = S:coordinates "x"
    local a = S:parameters "a=1"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, a - x - 3*hm.sqrt(1 - x) - x.dot)
    check.raises({ "the force along 'x' has no value or no derivative at x = 1", "it needs 1 - x >= 0" }, S.continue, S,
      { equilibrium = { q = { x = 0 } }, along = "a", from = -1, to = 2 })
  end)

  it("at which value of a parameter periodic motions have no equations", function()
    local S = hm.system "root"
    local x = S:coordinates "x"
    local k = S:parameters "k=1"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, -hm.sqrt(k)*x - x.dot + cos(hm.t))
    local B = S:continue{ periodic = { q = { x = 1 }, v = { x = 0 }, period = 2*math.pi }, along = "k", from = -1, to = 2 }
    local last = of_kind(B, "end")
    assert.equal(1, #last)
    near(last[1].value, 0, 1e-8)
    says(B, "the equations have no real value beyond k = 0")
  end)

  it("where in the motion the equations are singular", function()
    local S = hm.system "logarithm"
    local x = S:coordinates "x"
    local k = S:parameters "k=1/10"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, hm.log(1 - x) - x - x.dot + k*cos(hm.t))
    local B = S:continue{ periodic = { q = { x = 0 }, v = { x = 0 }, period = 2*math.pi }, along = "k", to = 20 }
    says(B, "singular where 1 - x = 0")
    says(B, "stopped at k = 1.8")
  end)

  it("on which side they are born, and that both halves are alike", function()
    local S = hm.system "hoop"
    local th = S:coordinates "th"
    local w = S:parameters "w=1/2"
    S:kinetic_energy((th.dot^2 + w^2*sin(th)^2)/2)
    S:potential_energy(-cos(th))
    S:force(th, -th.dot/10)
    local down = S:continue{ equilibrium = { q = { th = 0 } }, along = "w", from = 0.5, to = 2 }
    assert.equal(false, down.born)
    local bent = down:switch(of_kind(down, "branch")[1])
    assert.equal("unstable", bent.born.side)
    assert(bent.partners)
    says(bent, "born at the branch w = 1, on the side where the motions that it leaves are unstable")
    says(bent, "both halves are alike")
    local file = os.tmpname() .. ".svg"
    hm.plot({ down, bent }, "th", file)
    local picture = assert(io.open(file)):read "a"
    os.remove(file)
    for _, word in ipairs{ "stable", "unstable", "branch" } do says(picture, word) end
    check.raises({ "is no branch" }, hm.plot, { down, S:simulate{ q = { th = 1 }, v = { th = 0 }, t = 1 } })
    check.raises({ "options stand in a table of their own" }, hm.plot, { down, bent, file = file })
  end)

  -- x'' = a x - r^2 y - x', y'' = a y + r^2 x - y': times x and y they give a r^2 = 0 at rest, so that nothing branches off where both eigenvalues pass
  it("where no second branch starts, though the stability changes", function()
    local S = hm.system "spiral"
    local x, y = S:coordinates "x y"
    local a = S:parameters "a=-1/2"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, a*x - (x^2 + y^2)*y - x.dot)
    S:force(y, a*y + (x^2 + y^2)*x - y.dot)
    local B = S:continue{ equilibrium = { q = { x = 0, y = 0 } }, along = "a", from = -0.5, to = 0.5 }
    local list = of_kind(B, "branch")
    assert.equal(1, #list)
    assert.equal(2, list[1].several)
    near(list[1].value, 0, 1e-10)
    check.raises({ "switch: no second branch within amplitude 0.04" }, B.switch, B, list[1])
  end)

  -- x'' = a x + x^3 - x^5 - x': the pitchfork at a = 0 goes back to a < 0, where x = 0 is stable; it is not symmetric with a term x^2
  it("that they are born on the stable side, and that halves differ", function()
    local function side(b)
      local S = hm.system "subcritical"
      local x = S:coordinates "x"
      local a = S:parameters "a=-1"
      S:kinetic_energy(x.dot^2/2)
      S:force(x, a*x + b*x^2 + x^3 - x^5 - x.dot)
      local B = S:continue{ equilibrium = { q = { x = 0 } }, along = "a", from = -1, to = 1 }
      return B:switch(of_kind(B, "branch")[1], { from = -0.2, to = 1 })
    end
    local even, odd = side(0), side(hm.rational(1, 2))
    assert.equal("stable", even.born.side)
    assert(even.partners and not odd.partners)
  end)

  -- x'' + x + e y cos wt = 0, y'' + k y + e x cos wt = 0: to first order pairs meet at w = 1 + sqrt k +- e/(2 k^(1/4)). The resonances were found from the
  -- trace and the second coefficient of the matrix of a period by another program
  it("of torus points at which pairs of a conservative system meet pass strong resonances, too", function()
    local S = hm.system "coupled Mathieu"
    local x, y = S:coordinates "x y"
    local w, e, k = S:parameters "w=5/2 e=1/5 k=2"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy((x^2 + k*y^2)/2 + e*x*y*cos(w*hm.t))
    local guess = { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, period = 2*hm.pi/w }
    local points = of_kind(S:continue{ periodic = guess, along = "w", from = 2.2, to = 2.6, largest = 0.05 }, "torus")
    assert.equal(2, #points)
    for i, wanted in ipairs{ { w = 2.893385795, k = 3.861699568 }, { w = 3.105379659, k = 4.144152852 } } do
      local special = points[1].value < points[2].value and points[i] or points[3 - i]
      local C = S:continue{ torus = special, along = { "w", "k" }, from = { 2, 1.5 }, to = { 4, 5 } }
      local list = of_kind(C, "strong resonance 1:3")
      assert.equal(1, #list, tostring(C))
      near(list[1].point.parameters.w, wanted.w, 1e-8)
      near(list[1].point.parameters.k, wanted.k, 1e-8)
      C = S:continue{ torus = special, along = { "e", "w" }, from = { 0.002, 1 }, to = { 0.25, 4 } }
      local first = C.points[1].value < 0.01 and C.points[1] or C.points[#C.points]
      near(first.parameters.w, 1 + math.sqrt(2) + (2*i - 3)*0.002/(2*2^0.25), 1e-6)
    end
  end)
end)
