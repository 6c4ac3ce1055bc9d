-- curves of special points of steady motions, and periodic motions from them, against closed forms
local hm, check = require "hamel", require "check"
local near = check.near

local function special_of(B, kind)
  for _, item in ipairs(B.special) do if item.kind == kind then return item end end
  error("no " .. kind .. " in\n" .. tostring(B))
end

-- A rotor with damping in the shaft, ci, and outside, ce: it whirls beyond psi' = k^(1/2) (ce + ci)/ci, with the frequency k^(1/2)
local function rotor()
  local S = hm.system "rotor"
  local psi, x, y = S:coordinates "psi x y"
  local k, ce, ci = S:parameters "k=4 ce=1/5 ci=1/10"
  S:kinetic_energy((psi.dot^2 + x.dot^2 + y.dot^2)/2)
  S:potential_energy(k*(x^2 + y^2)/2)
  S:force(x, -(ce + ci)*x.dot - ci*psi.dot*y)
  S:force(y, -(ce + ci)*y.dot + ci*psi.dot*x)
  return S
end

local function limit(point)
  local p = point.parameters
  local k, ce, ci = p.k or 4, p.ce or 0.2, p.ci or 0.1
  return math.sqrt(k)*(ce + ci)/ci
end

describe("curves of Hopf points of steady motions", function()
  local S = rotor()
  local function motions(along, from, to)
    return S:continue{ steady = { q = { psi = 0, x = 0, y = 0 }, v = { psi = 5, x = 0, y = 0 }, keep = { "psi'" } }, along = along, from = from, to = to }
  end

  it("keep what the branch keeps: the whirling of a rotor over two parameters", function()
    local hopf = special_of(motions("ci", 0.05, 0.3), "hopf")
    near(hopf.value, 2*0.2/(5 - 2), 1e-10)
    local H = S:continue{ hopf = hopf, along = { "ce", "k" }, from = { 0.05, 1 }, to = { 0.6, 9 } }
    assert(#H.points > 10)
    for _, point in ipairs(H.points) do
      near(point.v.psi, 5, 1e-12)
      near(limit(point), 5, 1e-7)
    end
  end)

  it("lie also over a value that is kept, in either place of the two", function()
    local hopf = special_of(motions("psi'", 1, 9), "hopf")
    near(hopf.value, 6, 1e-10)
    for place, along in ipairs{ { "psi'", "ci" }, { "ci", "psi'" } } do
      local from, to = { 2.5, 0.02 }, { 12, 0.9 }
      if place == 2 then from, to = { from[2], from[1] }, { to[2], to[1] } end
      local H = S:continue{ hopf = hopf, along = along, from = from, to = to }
      for _, point in ipairs(H.points) do
        near(point.v.psi, limit(point), 1e-7)
        near(place == 1 and point.value or point.beside, point.v.psi, 1e-12)
      end
      local file = os.tmpname() .. ".branch"
      H:save(file)
      local read = hm.load(file, S)
      os.remove(file)
      assert.equal(tostring(H), tostring(read))
      assert.same({ "psi'" }, read.points[2].keep)
    end
    check.raises({ "'x' is no parameter of rotor, nor a value in keep" }, S.continue, S, { hopf = hopf, along = { "x", "ci" } })
    check.raises({ "'psi' is no parameter", "did you mean 'psi''" }, S.continue, S, { hopf = hopf, along = { "psi", "ci" } })
  end)

  it("follow the pair that passes, beside one that stays on the axis", function()
    local T = hm.system "two oscillators"
    local psi, x, y = T:coordinates "psi x y"
    local c, k = T:parameters "c=1 k=2"
    T:kinetic_energy((psi.dot^2 + x.dot^2 + y.dot^2)/2)
    T:potential_energy(k*x^2/2 + y^2/2)
    T:force(x, (psi.dot^2 - c)*x.dot)
    local B = T:continue{ steady = { q = { psi = 0, x = 0, y = 0 }, v = { psi = 1.5, x = 0, y = 0 }, keep = { "psi'" } }, along = "c", from = 0.5, to = 4 }
    local H = T:continue{ hopf = special_of(B, "hopf"), along = { "c", "k" }, from = { -3, 0.5 }, to = { 4, 5 } }
    near(H.points[1].parameters.k, 0.5, 1e-12)
    near(H.points[#H.points].parameters.k, 5, 1e-12)
    for _, point in ipairs(H.points) do near(point.parameters.c, 2.25, 1e-9) end
  end)
end)

describe("curves of torus points beside pairs that stay on the circle", function()
  it("follow the pair that passes", function()
    local S = hm.system "driven"
    local x, y = S:coordinates "x y"
    local c, k = S:parameters "c=1/10 k=2"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(k*x^2/2 + y^2/2*3)
    S:force(x, -c*x.dot + hm.cos(3*hm.t)/10)
    local B = S:continue{ periodic = { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, period = 2*hm.pi/3 }, along = "c", from = -0.2, to = 0.3 }
    local torus = special_of(B, "torus")
    near(torus.value, 0, 1e-9)
    local H = S:continue{ torus = torus, along = { "c", "k" }, from = { -1, 1.5 }, to = { 1, 2.2 } }
    assert(#H.points > 3)
    for _, point in ipairs(H.points) do near(point.parameters.c, 0, 1e-8) end
  end)
end)

describe("curves of folds of steady motions", function()
  it("where the kept value is an integral: load = 2 (k/3)^(3/2) - psi'^2/10", function()
    local S = hm.system "spin and strip"
    local psi, y = S:coordinates "psi y"
    local load, k = S:parameters "load=-1 k=1"
    S:kinetic_energy(psi.dot^2/2 + y.dot^2/2)
    S:potential_energy(y^4/4 - k*y^2/2 - load*y)
    S:force(y, -y.dot + psi.dot^2/10)
    local B = S:continue{ steady = { q = { psi = 0, y = -1.3 }, v = { psi = 1, y = 0 }, keep = { "psi'" } }, along = "load", from = -1, to = 1 }
    local fold = special_of(B, "fold")
    local H = S:continue{ fold = fold, along = { "load", "k" }, from = { -2, 0.1 }, to = { 2, 5 } }
    assert(#H.points > 10)
    for _, point in ipairs(H.points) do
      near(point.v.psi, 1, 1e-12)
      near(point.parameters.load, 2*(point.parameters.k/3)^1.5 - 0.1, 1e-8)
    end
    H = S:continue{ fold = fold, along = { "psi'", "load" }, from = { 0.2, -2 }, to = { 3, 1 } }
    for _, point in ipairs(H.points) do near(point.beside, 2/math.sqrt(27) - point.value^2/10, 1e-8) end
  end)

  -- at psi' kept: load = y^3 + (k - psi'^2) y, which turns back where 3 y^2 = psi'^2 - k; the momentum is kept by the motions, and no eigenvalue is zero
  it("where it is none, up to the cusp at k = psi'^2", function()
    local S = hm.system "spinning arm"
    local psi, y = S:coordinates "psi y"
    local load, k = S:parameters "load=-2 k=1"
    S:kinetic_energy((1 + y^2)*psi.dot^2/2 + y.dot^2/2)
    S:potential_energy(k*y^2/2 + y^4/4 - load*y)
    S:force(y, -y.dot)
    local B = S:continue{ steady = { q = { psi = 0, y = -1.6 }, v = { psi = 1.5, y = 0 }, keep = { "psi'" } }, along = "load", from = -2, to = 2 }
    local fold = special_of(B, "fold")
    near(fold.value^2, 4*(1.25/3)^3, 1e-10)
    for _, e in ipairs(fold.point.eigenvalues) do assert(e.re^2 + e.im^2 > 0.1) end
    assert.is_true(fold.point.stable)
    local H = S:continue{ fold = fold, along = { "load", "k" }, from = { -2, 0 }, to = { 2, 3 } }
    for _, point in ipairs(H.points) do
      near(point.v.psi, 1.5, 1e-12)
      near(point.parameters.load^2, 4*((2.25 - point.parameters.k)/3)^3, 1e-8)
      assert.is_true(point.stable)
    end
    local cusp = special_of(H, "cusp")
    near(cusp.value, 0, 1e-6)
    near(cusp.beside, 2.25, 1e-6)
  end)
end)

describe("curves of motions that close up to a symmetry", function()
  -- Duffing's oscillator, and a point that runs round a circle at a rate that it sets
  local function duffing(is_turning)
    local S = hm.system "duffing"
    local z = S:coordinates "z"
    local f, d = S:parameters "f=1/5 d=1/10"
    local T, sym = z.dot^2/2, nil
    if is_turning then
      local u, v = S:coordinates "u v"
      local r, w = 1 - u^2 - v^2, 3/hm.number "10" + z^2/10
      T, sym = T + (u.dot^2 + v.dot^2)/2, { { u = -v, v = u } }
      S:force(u, -5*(u.dot - r*u + w*v))
      S:force(v, -5*(v.dot - r*v - w*u))
    end
    S:kinetic_energy(T)
    S:potential_energy(z^2/2 + z^4/4)
    S:force(z, -d*z.dot + f*hm.cos(7*hm.t/5))
    local guess = { q = { z = -0.2 }, v = { z = 0 }, period = 10*math.pi/7 }
    if is_turning then guess.q.u, guess.q.v, guess.v.u, guess.v.v = 1, 0, 0, 0.3 end
    return S, S:continue{ periodic = guess, along = "f", to = 0.8, largest = 0.1, both = false, symmetry = sym, rtol = 1e-9, atol = 1e-9,
                            tolerance = 1e-7, stop = { "fold", 1 } }
  end

  it("keep the symmetry of the branch, also from a file; from one of its points it is asked for", function()
    local _, alone = duffing(false)
    local S, B = duffing(true)
    local fold = special_of(B, "fold")
    near(fold.value, special_of(alone, "fold").value, 1e-6)
    local H = S:continue{ fold = fold, along = { "d", "f" }, both = false, points = 1, rtol = 1e-9, atol = 1e-9, tolerance = 1e-7 }
    for _, point in ipairs(H.points) do
      near(point.drift[1], fold.point.drift[1], 0.1)
      local run = S:simulate{ q = point.q, v = point.v, t = { point.t, point.t + point.period }, parameters = point.parameters }
      near(run:at(point.t + point.period).z, point.q.z, 1e-5)
    end
    local file = os.tmpname() .. ".branch"
    B:save(file)
    local read = hm.load(file, S)
    os.remove(file)
    check.raises({ "closes up to 1 symmetry", "give symmetry =" }, S.continue, S, { periodic = read.points[2], along = "d" })
    -- special points have the options of the branch, which the file holds
    local again = S:continue{ fold = special_of(read, "fold"), along = { "d", "f" }, both = false, points = 1, rtol = 1e-9, atol = 1e-9, tolerance = 1e-7 }
    near(again.points[1].parameters.f, H.points[1].parameters.f, 1e-6)
    near(again.points[1].drift[1], H.points[1].drift[1], 1e-6)
  end)
end)

describe("B:switch at a Hopf point of steady motions", function()
  -- van der Pol's oscillator whose damping falls with the spin; J(x) = 1 + g x^2
  local function spinning(g)
    local S = hm.system "spin and oscillator"
    local psi, x = S:coordinates "psi x"
    local c = S:parameters "c=1"
    S:kinetic_energy((1 + g*x^2)*psi.dot^2/2 + x.dot^2/2)
    S:potential_energy(x^2 + g*x^4)
    S:force(x, (psi.dot^2 - c - x^2)*x.dot)
    return S
  end
  local function at(S, along, from, to)
    local B = S:continue{ steady = { q = { psi = 0, x = 0 }, v = { psi = 1.5, x = 0 }, keep = { "psi'" } }, along = along, from = from, to = to }
    return B, special_of(B, "hopf")
  end

  it("follows periodic motions with the value of the integral, along a parameter", function()
    for _, g in ipairs{ 0, 0.25 } do
      local S = spinning(hm.number(g == 0 and "0" or "1/4"))
      local B, hopf = at(S, "c", 0.8, 3)
      near(hopf.value, 2.25, 1e-10)
      local P = B:switch(hopf)
      assert.equal("periodic motions", P.kind)
      for i = 1, #P.points, 6 do
        local point = P.points[i]
        near((1 + g*point.q.x^2)*point.v.psi, 1.5, 1e-9)
        local run = S:simulate{ q = point.q, v = point.v, t = point.period, parameters = point.parameters, rtol = 1e-11, atol = 1e-12 }
        near(run:at(point.period).x, point.q.x, 1e-8)
        near(run:at(point.period).v.x, point.v.x, 1e-8)
      end
      -- it starts as an oscillation with the amplitude 2 (1.5^2 - c)^(1/2)
      local first = P.points[1]
      if g == 0 then near((first.v.x^2 + 2*first.q.x^2)/2/(4*(2.25 - first.parameters.c)), 1, 1e-3) end
    end
  end)

  it("and along the kept value where this is an integral; else it is refused with what to do", function()
    local B, hopf = at(spinning(hm.number(0)), "psi'", 0.5, 2)
    local P = B:switch(hopf)
    assert.equal("psi'", P.along)
    near(P.points[#P.points].v.psi, 2, 1e-9)
    B, hopf = at(spinning(hm.number(1)/4), "psi'", 0.5, 2)
    check.raises({ "along psi', which is not conserved", "along a parameter" }, B.switch, B, hopf)
  end)
end)
