-- Integrals and invariant measures where the coordinates obey conditions: holonomic constraints, rotations by unit quaternions
local hm, check = require "hamel", require "check"
local systems = require "nonholonomic"

-- Everything listed is proved and conserved, and nothing else of the form is
local function searched(S, options)
  local C = S:conserved(options)
  for _, I in ipairs(C) do assert(I.proof == true and S:is_conserved(I.of) == true, tostring(C)) end
  for _, s in ipairs(C.search) do assert(s.complete == true, tostring(s.reason)) end
  return C
end

local function top(name, moments, height, shift)
  local S = hm.system(name)
  local R = S:rotation("R", { rates = "p q r" })
  local k = { gamma = {} }
  k.p, k.q, k.r = R:rates()
  for i, letter in ipairs{ "x", "y", "z" } do k.gamma[i] = S:admit("Rz" .. letter) end
  k.I = moments(S)
  S:kinetic_energy((k.I[1]*k.p^2 + k.I[2]*k.q^2 + k.I[3]*k.r^2)/2)
  if height then S:potential_energy((shift or 0)*k.gamma[1] + height*k.gamma[3]) end
  k.M = { k.I[1]*k.p, k.I[2]*k.q, k.I[3]*k.r }
  k.vertical = k.M[1]*k.gamma[1] + k.M[2]*k.gamma[2] + k.M[3]*k.gamma[3]
  return S, k
end

local function different(S) return { S:positive "I1=2 I2=3 I3=4" } end
local function symmetric(S)
  local I1, I3 = S:positive "I1=2 I3=1"
  return { I1, I1, I3 }
end
local function numbers(...)
  local list = { ... }
  return function() return list end
end

describe("integrals on holonomic constraints:", function()
  it("a pendulum in x and y has its energy alone", function()
    local S = hm.system "pendulum"
    local x, y = S:coordinates "x y"
    local m, l, g = S:positive "m=1 l=2 g=9.81"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2))
    S:potential_energy(m*g*y)
    S:constraint("rod", x^2 + y^2 - l^2)
    local C = searched(S)
    assert.are.equal(1, #C)
    assert.is_true(C:contains(C.energy.of) and not C:contains(x.dot))
    local M = S:invariant_measure()
    assert.is_true(M.exists and M.proof)
  end)

  it("a spherical pendulum has its momentum about the vertical, kept along a run", function()
    local S = hm.system "spherical pendulum"
    local x, y, z = S:coordinates "x y z"
    local m, l, g = S:positive "m=1 l=1 g=9.81"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2 + z.dot^2))
    S:potential_energy(m*g*z)
    S:constraint("rod", x^2 + y^2 + z^2 - l^2)
    local C = searched(S)
    assert.are.equal(2, #C)
    assert.is_true(C:contains(x*y.dot - y*x.dot))
    local run = S:simulate{ q = { x = 0.6, y = 0, z = -0.8 }, v = { y = 1, z = 0 }, t = 3, rtol = 1e-11, atol = 1e-12 }
    for name, drift in pairs(C:drift(run)) do assert(drift < 1e-8, name) end
  end)

  it("a free particle on a sphere keeps its whole momentum about the centre, and no more", function()
    local S = hm.system "sphere"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:constraint("sphere", x^2 + y^2 + z^2 - 1)
    local C = searched(S, { power = 1 })
    for _, F in ipairs{ x*y.dot - y*x.dot, y*z.dot - z*y.dot, z*x.dot - x*z.dot } do assert(C:contains(F), tostring(C)) end
    assert.is_false((S:is_conserved(x.dot)))
  end)

  it("two points on a rod in the plane keep their momenta", function()
    local S = hm.system "dumb-bell"
    local x, y, u, v = S:coordinates "x y u v"
    local m, k = S:positive "m=1 k=3"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + k/2*(u.dot^2 + v.dot^2))
    S:constraint("rod", (x - u)^2 + (y - v)^2 - 1)
    local C = searched(S, { power = 1, degree = 1 })
    assert.is_true(C:contains(m*x.dot + k*u.dot) and C:contains(m*y.dot + k*v.dot))
    assert.is_true(C:contains(m*(x*y.dot - y*x.dot) + k*(u*v.dot - v*u.dot)))
    assert.is_false((S:is_conserved(x.dot)))
  end)

  it("a bead on a rotating circle keeps Jacobi's integral, which contains the time", function()
    local S = hm.system "bead"
    local x, y = S:coordinates "x y"
    local W = S:positive "W=2"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("line", y*hm.cos(W*hm.t) - x*hm.sin(W*hm.t))
    local rate = (x.dot^2 + y.dot^2)/2 - W*(x*y.dot - y*x.dot)
    assert.is_true(S:is_conserved(rate))
    assert.is_false((S:is_conserved((x.dot^2 + y.dot^2)/2)))
  end)

  it("two pendulums on each other keep their momentum about the point of suspension", function()
    local S = hm.system "double pendulum"
    local x, y, u, v = S:coordinates "x y u v"
    S:kinetic_energy((x.dot^2 + y.dot^2 + u.dot^2 + v.dot^2)/2)
    S:constraint("first", x^2 + y^2 - 1)
    S:constraint("second", (x - u)^2 + (y - v)^2 - 1)
    local C = searched(S, { power = 1 })
    assert.are.equal(2, #C)
    assert.is_true(C:contains(x*y.dot - y*x.dot + u*v.dot - v*u.dot))
    assert.is_false((S:is_conserved(x*y.dot - y*x.dot)))
  end)

  it("a bead on a turning hoop: the moving energy is found where a constraint contains the time", function()
    local S = hm.system "hoop"
    local x, y, z = S:coordinates "x y z"
    local W = S:positive "W=2"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:potential_energy(10*z)
    S:constraint("sphere", x^2 + y^2 + z^2 - 1)
    S:constraint("plane", x*hm.sin(W*hm.t) - y*hm.cos(W*hm.t))
    local jacobi = (x.dot^2 + y.dot^2 + z.dot^2)/2 + 10*z - W*(x*y.dot - y*x.dot)
    assert.is_true(S:is_conserved(jacobi))
    assert.is_false((S:is_conserved(jacobi + z)))
    assert.is_true(S:conserved{ degree = 1, power = 1 }:contains(jacobi))
  end)

  it("decides on nonlinear constraints where they hold", function()
    local S = hm.system "Appell and Hamel"
    local x, y, z = S:coordinates "x y z"
    local g = S:positive "g"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:potential_energy(g*z)
    S:constraint("c", x.dot^2 + y.dot^2 - 4*z.dot^2)
    assert.is_true(S:is_conserved((x.dot^2 + y.dot^2 + z.dot^2)/2 + g*z) and S:is_conserved(x.dot/y.dot))
    assert.is_nil((S:is_conserved(z.dot)))
  end)

  it("does not decide on a product, whose factors vanish on surfaces of their own", function()
    local S = hm.system "branches"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:constraint("c", (x - 1)*(x^2 + y^2 + z^2 - 4))
    local answer, reason = S:is_conserved(z.dot)
    assert(answer == nil and reason:find("holds in branches", 1, true), reason)
    local P = hm.system "axes"
    local u, v = P:coordinates "u v"
    P:kinetic_energy((u.dot^2 + v.dot^2)/2)
    P:constraint("c", u*v)
    assert.is_nil((P:is_conserved(u)))
  end)

  it("says that it did not search where a constraint is solved for no coordinate", function()
    local S = hm.system "angles"
    local a, b = S:coordinates "a b"
    S:kinetic_energy(a.dot^2 + b.dot^2)
    S:constraint("loop", hm.cos(a) + hm.cos(b) - 1)
    local C = S:conserved{ angle = 1, degree = 1 }
    assert(tostring(C):find("linear or quadratic in no coordinate", 1, true), tostring(C))
    assert.are.equal(0, #C.search)
    assert.are.equal(1, #C)
    assert.is_true(S:is_conserved(a.dot^2 + b.dot^2))
  end)
end)

describe("integrals of rotations by quaternions:", function()
  it("a free body keeps its momentum in space, and its square", function()
    local S, k = top("free body", different)
    local C = searched(S)
    assert.are.equal(4, #C)
    assert.is_true(C:contains(k.vertical) and C:contains(k.M[1]^2 + k.M[2]^2 + k.M[3]^2))
    assert.is_false(C:contains(k.p))
    -- e.e = 1 and the length of a row of cosines are no news
    assert.are.equal(4, #S:conserved{ degree = 1, angle = 2 })
  end)

  it("a top of three moments keeps its momentum about the vertical, Lagrange's top its spin, too", function()
    local S, k = top("heavy top", different, 2, 1)
    assert.are.equal(2, #searched(S))
    assert.is_true(searched(S):contains(k.vertical))
    local L, l = top("Lagrange's top", symmetric, 2)
    local C = searched(L)
    assert.are.equal(3, #C)
    assert.is_true(C:contains(l.r) and C:contains(l.vertical))
    local run = L:simulate{ q = { R = { axis = { 1, 0, 0 }, angle = 0.5 } }, v = { R = { 0.1, 0.2, 3 } }, t = 2, rtol = 1e-11, atol = 1e-12 }
    for name, drift in pairs(C:drift(run)) do assert(drift < 1e-8, name) end
  end)

  it("Kovalevskaya's integral is decided", function()
    local S, k = top("Kovalevskaya's top", numbers(2, 2, 1), 0, 1)
    local function integral(mu) return (k.p^2 - k.q^2 + mu*k.gamma[1])^2 + (2*k.p*k.q + mu*k.gamma[2])^2 end
    assert.is_true(S:is_conserved(integral(-1)))
    local answer, rate = S:is_conserved(integral(1))
    assert.is_true(answer == false and rate ~= nil)
  end)

  it("the integral of Goryachev and Chaplygin holds on its level alone", function()
    local S, k = top("Goryachev-Chaplygin top", numbers(4, 4, 1), 0, 1)
    local function integral(mu) return k.r*(k.p^2 + k.q^2) + mu*k.p*k.gamma[3] end
    assert.is_false((S:is_conserved(integral(-1))))
    assert.is_true(S:is_conserved(integral(-1), { level = { k.vertical } }))
    assert.is_false((S:is_conserved(integral(1), { level = { k.vertical } })))
    local answer, reason = S:is_conserved(k.q, { level = { k.p } })
    assert(answer == nil and reason:find("stay where p vanishes", 1, true), reason)
  end)

  it("Suslov's problem agrees with its description by angles", function()
    for product, wanted in pairs{ [0] = 5, [1] = 1 } do
      local S, k = top("Suslov", numbers(2, 3, 4))
      S:kinetic_energy((2*k.p^2 + 3*k.q^2 + 4*k.r^2)/2 + product*k.p*k.r, { replace = true })
      S:constraint("no turn", k.r)
      local C, M, A = searched(S), S:invariant_measure(), systems.suslov(product):invariant_measure{ parameters = "declared" }
      assert.are.equal(wanted, #C)
      assert.is_true(M.proof and M.exists == A.exists and M.exists == (product == 0))
      assert(M.exists == C:contains(k.p), tostring(C))
    end
  end)

  local function sphere()
    local S = hm.system "Chaplygin's sphere"
    local x, y = S:coordinates "x y"
    local R = S:rotation("R", { rates = "p q r" })
    local p, q, r = R:rates()
    local m, a, I1, I2, I3 = S:positive "m=2 a=1/2 I1=1/10 I2=3/20 I3=1/5"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + (I1*p^2 + I2*q^2 + I3*r^2)/2)
    local function along(axis, list)
      local c = {}
      for i, letter in ipairs{ "x", "y", "z" } do c[i] = S:admit("R" .. axis .. letter)*list[i] end
      return c[1] + c[2] + c[3]
    end
    S:constraint("roll x", x.dot - a*along("y", { p, q, r }))
    S:constraint("roll y", y.dot + a*along("x", { p, q, r }))
    return S, function(axis) return along(axis, { I1*p, I2*q, I3*r }) end, { R = R, x = x, y = y, m = m, a = a, I = { I1, I2, I3 } }
  end

  it("Chaplygin's sphere keeps the momentum about its contact", function()
    local S, M, k = sphere()
    local C = searched(S, { degree = 1 })
    assert.are.equal(4, #C)
    assert.is_true(C:contains(M "z") and C:contains(M "x" - k.m*k.a*k.y.dot) and C:contains(M "y" + k.m*k.a*k.x.dot))
    assert.is_false(C:contains(k.x.dot))
  end)

  it("Chaplygin's sphere has its measure, in direction cosines where these are given", function()
    local S, _, k = sphere()
    local D, sum = k.m*k.a^2, 0
    for i, letter in ipairs{ "x", "y", "z" } do sum = sum + S:admit("Rz" .. letter)^2/(k.I[i] + D) end
    local density = 1 - D*sum
    local M = S:invariant_measure{ candidates = { density } }
    assert.is_true(M.exists and M.proof)
    assert.are.same({ "x", "y", "R", "p", "q", "r" }, M.variables)
    -- a constant times the root
    local ratio = M.density^2/density
    local upright, e = {}, table.pack(k.R:quaternion())
    for i = 1, 4 do upright[e[i]] = i == 1 and 1 or 0 end
    local first = S:plain(ratio):subs(upright)
    assert.is_true((ratio - first):is_zero())
    -- found by itself it is written in the cosines of the vertical
    local own = S:invariant_measure().density
    assert(#tostring(own) < 300 and tostring(own):find("Rzz", 1, true), tostring(own))
    local quotient = own^2/density
    assert.is_true((quotient - S:plain(quotient):subs(upright)):is_zero())
  end)

  it("damping has no measure, and takes the integrals it acts on", function()
    local S, k = top("damped body", different)
    S:force(k.p, -k.p)
    local M = S:invariant_measure()
    assert.is_true(M.exists == false and M.proof)
    local C = searched(S, { degree = 1 })
    assert.are.equal(0, #C)
    assert.is_false((S:is_conserved(k.vertical)))
    assert(C.not_conserved.energy.why:find("applied forces", 1, true))
  end)

  it("two bodies that attract each other keep their common momentum", function()
    local S = hm.system "two bodies"
    local A, B = S:rotation("A", { rates = "p q r" }), S:rotation("B", { rates = "u v w" })
    local p, q, r = A:rates()
    local u, v, w = B:rates()
    S:kinetic_energy((p^2 + 2*q^2 + 3*r^2 + 2*u^2 + 3*v^2 + 4*w^2)/2)
    S:potential_energy(S:admit "Axx*Bxx + Ayx*Byx + Azx*Bzx")
    local C = searched(S, { degree = 1 })
    assert.are.equal(4, #C)
    assert.is_true(C:contains(S:admit "Azx*p + 2*Azy*q + 3*Azz*r + 2*Bzx*u + 3*Bzy*v + 4*Bzz*w"))
    assert.is_false((S:is_conserved(S:admit "Azx*p + 2*Azy*q + 3*Azz*r")))
  end)

  it("turns that are symmetries have their momenta", function()
    local L, l = top("Lagrange's top", symmetric, 2)
    local G = L:symmetry()
    assert.is_true(G.invariant and G.proof)
    assert.are.equal(2, #G.horizontal)
    for _, item in ipairs(G.horizontal) do assert.is_true(L:is_conserved(item.momentum)) end
    local C = L:conserved{ search = false, symmetry = G }
    assert.are.equal(3, #C)
    assert.is_true(C:contains(l.r) and C:contains(l.vertical))
    -- a turn about an axis between both
    assert.is_true(L:symmetry{ { R = { 0, 0, 1 } }, { R = { own = { 0, 0, 1 } } } }.invariant)
    local no = L:symmetry{ { R = { 1, 0, 0 } } }
    assert.is_true(no.invariant == false and no.proof and no.why:find("changes the Lagrangian", 1, true) ~= nil)
    assert.are.equal(3, #top("free body", different):symmetry().horizontal)
    check.raises({ "'T' is neither a coordinate nor a rotation" }, L.symmetry, L, { { T = { 0, 0, 1 } } })
    check.raises({ "list of three" }, L.symmetry, L, { { R = 1 } })
  end)

  it("turns carry constraints and forces along", function()
    local S = (sphere())
    local x, y = S:symbol "x", S:symbol "y"
    assert.is_true(S:symmetry{ { R = { 0, 0, 1 }, x = -y, y = x } }.invariant)
    assert.is_false(S:symmetry{ { R = { 0, 0, 1 } } }.invariant)
    -- a torque about the vertical turns with the body and has power; one about the spin axis has none on the vertical
    local B, k = top("driven body", symmetric)
    for i, w in ipairs{ k.p, k.q, k.r } do B:force(w, 3*k.gamma[i]) end
    local G = B:symmetry{ { R = { 0, 0, 1 } } }
    assert.is_true(G.invariant)
    assert.are.equal(0, #G.horizontal)
    assert.is_false(B:symmetry{ { R = { 1, 0, 0 } } }.invariant)
  end)

  it("what does not cover rotations says so", function()
    local S = top("free body", different)
    for _, method in ipairs{ "growth_vector", "hamiltonian" } do check.raises({ "rotations", "angles" }, S[method], S) end
  end)

  it("speaks of levels in the words of whoever gave them", function()
    local S = hm.system "plane"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    local function reason(F, level)
      local answer, why = S:is_conserved(F, { level = { level } })
      assert.is_nil(answer)
      return why
    end
    assert.equal("the level x'*y' = 0 is a product and holds in branches, y' = 0 or x' = 0: give the one that is meant", reason(x, x.dot*y.dot))
    assert.equal("the level x^2 + 1 = 0 holds nowhere", reason(y, x^2 + 1))
    assert.equal("the level x^2 + x + 1 = 0 holds nowhere", reason(y, x^2 + x + 1))
    assert.equal("the level 1/x' = 0 holds nowhere", reason(x, 1/x.dot))
    assert.equal("the level 1 = 0 holds nowhere", reason(x, hm.number(1)))
    assert.equal("the level sin(x') = 0 is linear or quadratic in no coordinate or velocity: give it in another form", reason(x, hm.sin(x.dot)))
    assert.equal("the motion is not proved to stay where x - 3 vanishes", reason(x, x - 3))
    assert.is_true((S:is_conserved(x, { level = { x.dot } })))
  end)
end)
