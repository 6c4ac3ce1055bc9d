-- S:is_conserved and S:conserved: the integrals of nonholonomic systems that are in the literature, and what is refused
local hm, check, systems = require "hamel", require "check", require "nonholonomic"
local sin, cos, sqrt, tan = hm.sin, hm.cos, hm.sqrt, hm.tan

local function mentions(text, words) assert(text and text:find(words, 1, true), tostring(text)) end

-- Pendulums of unit mass and length, one below the other
local function chain(n)
  local S, names = hm.system "chain", {}
  for i = 1, n do names[i] = "a" .. i end
  local q = { S:coordinates(table.concat(names, " ")) }
  local T, V, height, vx, vy = 0, 0, 0, 0, 0
  for i = 1, n do
    vx, vy, height = vx + hm.cos(q[i])*q[i].dot, vy + hm.sin(q[i])*q[i].dot, height - hm.cos(q[i])
    T, V = T + (vx^2 + vy^2)/2, V + hm.number "9.81"*height
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  return S, q
end

local function sum(a, b)
  local s = 0
  for i = 1, #a do s = s + a[i]*b[i] end
  return s
end

-- options; count of integrals listed; functions that must be among them; complete: are the searches of all degrees complete?
local known = {
  particle = { make = systems.particle, options = { power = 2 }, contains = function(k)
    return { k.y.dot, k.x.dot*sqrt(1 + k.y^2), k.y.dot*k.z - k.x.dot*(1 + k.y^2) }, { k.x.dot, k.z.dot }
  end },
  ["balanced sleigh"] = { make = systems.sleigh, options = { angle = 1, power = 1 }, contains = function(k)
    return { k.u, k.theta.dot, k.theta.dot*k.y + k.u*cos(k.theta), k.theta.dot*k.x - k.u*sin(k.theta) }, { k.x.dot }
  end },
  ["sleigh with an offset"] = { make = systems.sleigh, argument = true, options = { angle = 2, power = 1 }, count = 1, contains = function(k)
    return { k.m*k.u^2 + (k.J + k.m*k.a^2)*k.theta.dot^2 }, { k.u, k.theta.dot }
  end },
  ["Suslov, principal axis"] = { make = systems.suslov, argument = 0,
    options = { angle = { psi = 1, theta = 1, phi = 1 }, degree = 1, parameters = "declared" },
    contains = function(k)
      return { k.w1, k.w2, k.theta.dot*cos(k.psi) + k.phi.dot*sin(k.theta)*sin(k.psi) }, {}
    end },
  ["Suslov, another axis"] = { make = systems.suslov, argument = 1, options = { angle = 1 }, count = 1, contains = function(k)
    return {}, { k.w1, k.w2 }
  end },
  ["upright disc"] = { make = systems.upright_disc, options = { angle = 1, power = 1 }, contains = function(k)
    return { k.theta.dot, k.phi.dot, k.theta.dot*k.y + k.r*k.phi.dot*cos(k.theta), k.theta.dot*k.x - k.r*k.phi.dot*sin(k.theta) }, { k.x.dot }
  end },
  ["rolling disc"] = { make = systems.rolling_disc, options = { degree = 1 }, count = 1, contains = function(k) return {}, { k.phi.dot } end },
  snakeboard = { make = systems.snakeboard, options = {}, contains = function(k)
    return { k.theta.dot + k.psi.dot, k.phi.dot, k.u*sqrt(k.m*k.l^2 + (k.J + 2*k.W)*tan(k.phi)^2),
      k.m*(k.x.dot^2 + k.y.dot^2) + (k.J + 2*k.W)*k.theta.dot^2 }, { k.u, k.psi.dot }
  end },
  ["roller racer"] = { make = systems.roller_racer, options = { degree = 1, angle = 2 }, count = 1, contains = function(k) return {}, { k.phi.dot } end },
  turntable = { make = systems.turntable, options = { power = 2 }, contains = function(k)
    return { k.x.dot + 2*k.W*k.y/7, k.y.dot - 2*k.W*k.x/7, k.a3.dot, k.T - k.W*(k.x*k.y.dot - k.y*k.x.dot),
      k.x*k.y.dot - k.y*k.x.dot - k.W*(k.x^2 + k.y^2)/7 }, { k.T }
  end },
}

local function searched(S, options)
  local C = S:conserved(options)
  for _, I in ipairs(C) do
    assert(I.proof == true, I.name)
    if I.parameters == "any" then assert(S:is_conserved(I.of) == true, I.name) end
  end
  for d, s in ipairs(C.search) do assert(s.complete == true and s.degree == d, tostring(s.reason)) end
  return C
end

describe("integrals in the literature:", function()
  for name, case in pairs(known) do
    it(name, function()
      local S, k = case.make(case.argument)
      local C = searched(S, case.options)
      local kept, lost = case.contains(k)
      for i, F in ipairs(kept) do assert(C:contains(F), ("%s: integral %d\n%s"):format(name, i, C)) end
      for _, F in ipairs(lost) do assert(not C:contains(F) and S:is_conserved(F) == false, tostring(F)) end
      if case.count then assert.are.equal(case.count, #C) end
      assert.are.equal(name ~= "turntable", C.energy ~= nil)
    end)
  end

  it("Veselova's problem, over direction cosines", function()
    local S, k = systems.veselova()
    local C = searched(S, { over = k.gamma, products = 2, velocities = k.w })
    local M = { k.I[1]*k.w[1], k.I[2]*k.w[2], k.I[3]*k.w[3] }
    assert.are.equal(2, #C)
    assert.are.equal("any", C[2].parameters)
    assert.is_true(C:contains(sum(M, M) - sum(M, k.gamma)^2))
  end)

  it("a ball in a cylinder, with sin(kappa phi) among the functions", function()
    local S, k = systems.cylinder()
    local C = searched(S, { angle = 0, power = { z = 1 }, functions = { sin(k.kappa*k.phi)/k.kappa, cos(k.kappa*k.phi) } })
    local s, c, w = sin(k.kappa*k.phi), cos(k.kappa*k.phi), k.phi.dot
    assert.is_true(C:contains(w) and C:contains(k.n - w*k.z/k.a))
    assert.is_true(C:contains(w*k.z.dot*c + (k.kappa*k.a*k.n*w + k.g/((1 + k.k)*k.kappa))*s))
  end)

  it("Chaplygin's sphere: the momentum about the contact keeps three components", function()
    local S, k = systems.sphere()
    local over = table.move(k.gamma, 1, 3, 4, { table.unpack(k.alpha) })
    local C = searched(S, { over = over, products = 2, degree = 1 })
    local M = { k.I[1]*k.w[1], k.I[2]*k.w[2], k.I[3]*k.w[3] }
    assert.are.equal(3, C.search[1].solutions)
    assert.is_true(C:contains(sum(M, k.gamma)) and C:contains(sum(M, k.alpha) - k.m*k.a*k.y.dot))
    assert.is_false(C:contains(k.w[1]))
  end)
end)

describe("S:is_conserved", function()
  it("gives the rate as the witness", function()
    local S, k = systems.particle()
    local answer, rate = S:is_conserved(k.x.dot)
    assert.is_false(answer)
    assert.is_true((rate + k.x.dot*k.y.dot*k.y/(1 + k.y^2)):is_zero())
  end)

  it("holds with time and with forces", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    local m, c = S:positive "m=1 c=2"
    S:kinetic_energy(m/2*x.dot^2)
    S:potential_energy(c/2*x^2)
    local w = sqrt(c/m)
    assert.is_true(S:is_conserved(x.dot*cos(w*hm.t) + w*x*sin(w*hm.t)))
    S:force(x, -m*x.dot)
    assert.is_false((S:is_conserved(m/2*x.dot^2 + c/2*x^2)))
  end)

  it("decides on holonomic constraints", function()
    local S = hm.system "spherical pendulum"
    local x, y, z = S:coordinates "x y z"
    local m, l, g = S:positive "m l g"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2 + z.dot^2))
    S:potential_energy(m*g*z)
    S:constraint("rod", x^2 + y^2 + z^2 - l^2)
    assert.is_true(S:is_conserved(x*y.dot - y*x.dot))
    assert.is_true(S:is_conserved(m/2*(x.dot^2 + y.dot^2 + z.dot^2) + m*g*z))
    -- on the sphere alone: d/dt of (x^2 + y^2 + z^2 - l^2) z'
    assert.is_true(S:is_conserved((x^2 + y^2 + z^2 - l^2)*z.dot))
    assert.is_false((S:is_conserved(z.dot)))
  end)

  it("says why it does not decide", function()
    local S = hm.system "ball"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:unilateral("floor", x, { law = hm.newton(1) })
    local answer, reason = S:is_conserved(x.dot)
    assert.is_nil(answer)
    mentions(reason, "one-sided")
    local F = hm.system "forced"
    local z = F:coordinates "z"
    F:kinetic_energy(z.dot^2/2)
    F:force(z, function() return 0 end)
    answer, reason = F:is_conserved(z.dot)
    assert.is_nil(answer)
    mentions(reason, "force on 'z' is a Lua function")
    check.raises({ "Lua function" }, F.invariant_measure, F)
  end)
end)

describe("S:conserved", function()
  it("says why the energy and cyclic momenta are not conserved", function()
    local C = systems.turntable():conserved{ search = false }
    mentions(C.not_conserved.energy.why, "acatastatic")
    mentions(systems.particle():conserved{ search = false }.not_conserved.p_x.why, "reaction of 'c'")
    assert.are.equal(0, #C.search)
  end)

  it("says of one moving constraint that its reaction has power", function()
    local S = hm.system "moving"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("c", y.dot - x*x.dot - sin(hm.t))
    mentions(S:conserved{ search = false }.not_conserved.energy.why, "the constraint 'c' moves (it is acatastatic): its reaction has power")
  end)

  it("lists momenta of cyclic coordinates beside the energy they determine", function()
    local S = hm.system "free"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    local C = S:conserved{ search = false }
    assert.are.equal(3, #C)
    assert.are.equal("cyclic", C[3].kind)
  end)

  it("marks what is lost for other values of the parameters alone", function()
    local S = hm.system "special"
    local x, y, z = S:coordinates "x y z"
    local e = S:parameters "e=0"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:constraint("c", z.dot - e*y*x.dot)
    local C = S:conserved{ degree = 1, power = 1 }
    assert.is_true(C.not_conserved.p_x.declared and C:contains(x.dot))
    mentions(tostring(C), "not conserved for other values: p_x")
    assert.is_false(S:is_conserved(x.dot))
    assert.is_nil(systems.particle():conserved{ search = false }.not_conserved.p_x.declared)
  end)

  it("takes inputs for zero, but for their functions, as S:symmetry does; S:routh refuses them", function()
    local S = hm.system "driven"
    local x, y = S:coordinates "x y"
    local u = S:input "u"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, u)
    local C = S:conserved{ search = false }
    assert.is_true(C:contains(x.dot) and S:is_conserved(x.dot))
    mentions(C.notes[1], "with the input 'u' zero")
    local G = S:symmetry()
    assert.are.equal(2, #G.horizontal)
    mentions(tostring(G), "with 'u' zero")
    check.raises({ "'x' is not cyclic: the force on it is u" }, S.routh, S, { "x" })
    S:input("u", -x.dot)
    assert.is_false((S:is_conserved(x.dot)))
    assert.are.equal(1, #S:symmetry{ { y = 1 } }.horizontal)
    assert.are.equal(0, #S:symmetry{ { x = 1 } }.horizontal)
  end)

  it("finds the energy in a moving frame where the energy is not conserved", function()
    local S, k = systems.turntable()
    local C = S:conserved{ degree = 1 }
    local moving = C:of_kind("moving energy")[1]
    assert.is_true(moving.proof and S:is_conserved(moving.of) == true and C.energy == nil)
    -- the energy and a function of lower degree
    assert.is_true(moving.of:diff(k.a3.dot):diff(k.a3.dot):is_zero() == false)
  end)

  it("takes fields, whose momenta and moving energy need no search", function()
    local S, k = systems.turntable()
    local C = S:conserved{ search = false, symmetry = { { x = -k.y, y = k.x } } }
    local moving = C:of_kind("moving energy")[1]
    assert.is_true(moving.proof and C:contains(k.T - k.W*(k.x*k.y.dot - k.y*k.x.dot)))
    assert.is_true((moving.generator.x + k.W*k.y):is_zero())
    -- not a symmetry of the constraints, which is said
    mentions(C.notes[1], "changes the constraint 'x'")
    assert.is_nil(C:of_kind("horizontal")[1])
  end)

  it("takes what S:symmetry returned, gauge functions and time in it", function()
    local S = hm.system "fall"
    local x, y = S:coordinates "x y"
    local m, g = S:positive "m g"
    S:kinetic_energy(m*(x.dot^2 + y.dot^2)/2)
    S:potential_energy(m*g*y)
    local C = S:conserved{ search = false, symmetry = S:symmetry{ { x = hm.t }, { y = hm.t }, { y = 1 } } }
    assert.is_true(C:contains(x - hm.t*x.dot) and C:contains(y.dot + g*hm.t) and C:contains(y - hm.t*y.dot - g*hm.t^2/2))
    for _, I in ipairs(C) do assert.is_true(I.proof and S:is_conserved(I.of)) end
    check.raises({ "symmetry of fall, not of particle" }, function() return systems.particle():conserved{ symmetry = S:symmetry() } end)
  end)

  it("finds integrals that contain the time", function()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    local C = searched(S, { power = 1, degree = 1, functions = { sin(hm.t), cos(hm.t) } })
    assert.is_true(C:contains(x.dot*cos(hm.t) + x*sin(hm.t)))
    local F = hm.system "fall"
    local z = F:coordinates "z"
    local g, m = F:positive "g m"
    F:kinetic_energy(m*z.dot^2/2)
    F:force(z, -m*g)
    local D = searched(F, { time = 2, power = 1, degree = 1 })
    assert.is_true(D:contains(z.dot + g*hm.t) and D:contains(z - z.dot*hm.t - g*hm.t^2/2))
    mentions(D.not_conserved.energy.why, "forces")
  end)

  it("takes as many primes as long declared values need", function()
    local S = hm.system "two masses"
    local x, y = S:coordinates "x y"
    local m1, m2 = S:positive "m1=1234567.890123 m2=9876543.210987"
    S:kinetic_energy(m1/2*x.dot^2 + m2/2*y.dot^2)
    S:potential_energy((x - y)^4)
    local C = searched(S, { power = 1, degree = 1, parameters = "declared" })
    assert.are.equal("declared", C[2].parameters)
    assert.is_true(C:contains(m1*x.dot + m2*y.dot))
    -- the residue of the long number alone is that of a wrong fraction with shorter terms, too
    local P = hm.system "particle"
    local u, v, w = P:coordinates "u v w"
    local m = P:positive "m=1234567.890123"
    P:kinetic_energy((m*u.dot^2 + v.dot^2 + w.dot^2)/2)
    P:constraint("c", w.dot - v*u.dot)
    local D = searched(P, { power = 1, degree = 1, parameters = "declared" })
    assert.is_true(D:contains(m*u.dot + v*w.dot - v.dot*w))
  end)

  it("finds the gauge momentum of a linear integral", function()
    local S, k = systems.particle()
    local C = S:conserved{ power = 2, degree = 1 }
    local Z = C[3].generator
    -- Z is horizontal, and Z . dL/dq' is the integral on the constraint
    assert.is_true((Z.z - k.y*Z.x):is_zero())
    assert.is_true((Z.x*k.x.dot + Z.y*k.y.dot + Z.z*k.z.dot - C[3].of):subs{ [k.z.dot] = k.y*k.x.dot }:is_zero())
  end)

  it("writes coefficients with the parameters, and says when an integral holds for the declared values alone", function()
    local C = systems.suslov(0):conserved{ angle = 1, degree = 1 }
    assert.are.equal("declared", C[2].parameters)
    assert.are.equal("any", systems.sleigh(true):conserved{ angle = 1 }[1].parameters)
  end)

  it("finds integrals of the declared values besides those of all values", function()
    local S = hm.system "oscillators"
    local x, y = S:coordinates "x y"
    local k1, k2, m = S:positive "k1=1 k2=1 m=3"
    S:kinetic_energy(m*(x.dot^2 + y.dot^2)/2)
    S:potential_energy(k1*x^2/2 + k2*y^2/2)
    local C, by = searched(S), {}
    for _, I in ipairs(C) do by[I.parameters] = (by[I.parameters] or 0) + 1 end
    assert.are.equal(2, by.any)
    assert.are.equal(1, by.declared)
    assert.is_true(C:contains(x*y.dot - y*x.dot) and C:contains(m*x.dot^2 + k1*x^2) and C:contains(m*x.dot*y.dot + k1*x*y))
    local answer, rate = S:is_conserved(x*y.dot - y*x.dot)
    assert.is_true(answer == false and (rate - x*y*(k1 - k2)/m):is_zero())
  end)

  it("searches degree 1 where the unknowns of degree 2 are too many", function()
    local C = systems.snakeboard():conserved{ unknowns = 200 }
    assert.are.equal(1, #C.search)
    assert.is_true(C.search[1].complete)
    mentions(C.notes[1], "525 unknowns are more than 200")
  end)

  it("leaves out a search of too many unknowns, and names what makes it smaller", function()
    local S, q = chain(9)
    local C = S:conserved()
    assert.are.equal(0, #C.search)
    assert.are.equal(1, #C)
    assert.is_true(C.energy.proof)
    for _, words in ipairs{ "the search was left out: 19531250 unknowns are more than 2000", "angle = 0 (10 unknowns)", "search = false" } do
      mentions(C.notes[1], words)
    end
    mentions(tostring(C), "the search was left out")
    local list, rest = { hm.cos(q[1] - q[2]), hm.sin(q[1] - q[2]) }, S:conserved{ angle = 0 }
    assert.are.same({ 10, 55 }, { rest.search[1].unknowns, rest.search[2].unknowns })
    assert.are.equal(30, S:conserved{ angle = 0, power = 0, over = list, degree = 1 }.search[1].unknowns)
    assert.are.equal(0, #S:conserved{ search = false }.notes)
    check.raises({ "unknowns are more than 2000", "angle = 0 (10 unknowns)", "search = false" }, S.conserved, S, { angle = 1 })
    check.raises({ "unknowns are more than 2000", "angle = 0 (55 unknowns)" }, S.conserved, S, { degree = 2 })
    local four = chain(4)
    mentions(four:conserved().notes[1], "3125 unknowns are more than 2000: fewer are left by angle = 1 (405 unknowns)")
    assert.are.equal(405, four:conserved{ angle = 1, degree = 1 }.search[1].unknowns)
    check.raises({ "symmetry", "unknowns are more than" }, S.symmetry, S, { find = true, angle = 2 })
  end)

  it("reports a search that ran out of time, and calls nothing complete", function()
    local C = systems.snakeboard():conserved{ seconds = 1e-6 }
    assert.are.equal(0, #C.search)
    mentions(table.concat(C.notes, "; "), "degree 1 was not searched")
    -- what is called complete is: two linear integrals; these, their three products and the energy
    for _, seconds in ipairs{ 0.01, 0.1, 20 } do
      C = systems.snakeboard():conserved{ seconds = seconds }
      for d, solutions in ipairs{ 2, 6 } do
        local s = C.search[d]
        if s and s.complete then assert.are.equal(solutions, s.solutions) else assert.is_true(s and s.reason ~= nil or #C.notes > 0) end
      end
    end
    assert.is_true(C.search[2].complete)
  end)

  it("keeps what it found along runs", function()
    local S = systems.particle()
    local C = S:conserved{ power = 2 }
    local run = S:simulate{ q = {x = 0, y = 0.3, z = 0.2}, v = {x = 0.7, y = 0.4}, t = 5, rtol = 1e-12, atol = 1e-13 }
    local count = 0
    for name, drift in pairs(C:drift(run)) do
      assert(drift < 1e-9, name)
      count = count + 1
    end
    assert.are.equal(#C, count)
  end)

  it("knows functions by name alone, and works for any of them", function()
    local S = hm.system "central force"
    local x, y = S:coordinates "x y"
    local m = S:positive "m=1"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2))
    S:potential_energy(hm.func("V", sqrt(x^2 + y^2)))
    local C = S:conserved{ power = 1, degree = 1 }
    assert.is_true(C:contains(x*y.dot - y*x.dot))
    assert.are.equal(2, #C)
  end)

  it("refuses what it cannot prove anything about", function()
    local S = systems.snakeboard()
    check.raises({ "unknowns are more than 100", "over" }, S.conserved, S, { unknowns = 100, degree = 1 })
    check.raises({ "parameters" }, S.conserved, S, { parameters = "all" })
    check.raises({ "psy", "psi" }, S.conserved, S, { angle = { psy = 1 } })
    local B = hm.system "corner"
    local x = B:coordinates "x"
    B:kinetic_energy(x.dot^2/2)
    B:potential_energy(hm.abs(x))
    local C = B:conserved()
    assert.are.equal(1, #C)
    mentions(tostring(C), "abs(x)")
  end)
end)

describe("the root of a quadratic integral", function()
  it("is real where the quadratic form is negative, and none where its rank is two", function()
    local candidates, surface_flow = require "hamel.geometry.candidates", require "hamel.geometry.surface_flow"
    local S, k = systems.particle()
    local flow = surface_flow.of(S)
    for _, c in ipairs{ 3, -2 } do
      local root = flow:off(candidates.root(flow, flow:on(c*(1 + k.y^2)*k.x.dot^2)))
      assert.is_true((root^2 - math.abs(c)*(1 + k.y^2)*k.x.dot^2):is_zero())
    end
    assert.is_nil(candidates.root(flow, flow:on(k.x.dot^2 + k.y.dot^2)))
  end)
end)

describe("integrals along one coordinate", function()
  it("are those of the rolling disc: the equation of the literature, kept along a run", function()
    local S, k = systems.rolling_disc()
    local C = S:conserved{ along = "theta", search = false }
    assert.are.equal(2, #C:of_kind "by a linear equation")
    local s, c = sin(k.theta), cos(k.theta)
    -- d/dtheta (psi', phi') of a uniform disc
    for i, row in ipairs{ { hm.number(0), -2/s }, { -5*s/3, -2*c/s } } do
      for j, wanted in ipairs(row) do
        assert.is_true((C.along.matrix[i][j] - wanted):subs{ [k.m] = 1, [k.A] = hm.rational(1, 4), [k.C] = hm.rational(1, 2), [k.r] = 1 }:is_zero())
      end
    end
    local run = S:simulate{ q = {x = 0, y = 0, psi = 0, theta = 1.2, phi = 0}, v = {psi = 0.9, theta = 0.3, phi = 2}, t = 3, rtol = 1e-12, atol = 1e-13 }
    local drift = C:drift(run)
    assert(drift.I1 < 1e-10 and drift.I2 < 1e-10, drift.I1)
    -- with other values of the parameters the same formulas hold
    local other = S:simulate{ q = {x = 0, y = 0, psi = 0, theta = 1.2, phi = 0}, v = {psi = 0.9, theta = 0.3, phi = 2}, t = 3, rtol = 1e-12, atol = 1e-13,
      parameters = { C = 0.3, m = 2 } }
    assert(C:drift(other).I1 < 1e-10)
  end)

  it("is refused where the motion has not this structure", function()
    local S = systems.rolling_disc()
    check.raises({ "along = 'psi'" }, S.conserved, S, { along = "psi", search = false })
    check.raises({ "thet", "theta" }, S.conserved, S, { along = "thet", search = false })
  end)
end)

describe("run:plot", function()
  it("draws integrals under their names", function()
    check.needs("gnuplot --version", "gnuplot")
    local S = systems.particle()
    local C = S:conserved{ power = 2 }
    local run = S:simulate{ q = {x = 0, y = 0.3, z = 0.2}, v = {x = 0.7, y = 0.4}, t = 2 }
    local whole, part = tostring(run:plot("t", C)), tostring(run:plot("t", C:only("I1", "energy")))
    for _, I in ipairs(C) do mentions(whole, I.name) end
    mentions(part, "I1")
    assert.is_nil(part:find("p_y", 1, true))
    check.raises({ "no integral 'I7'", "I1" }, C.only, C, "I7")
    -- those by a linear equation have a drift and no formula
    local D = systems.rolling_disc()
    local E = D:conserved{ along = "theta", search = false }
    local rolled = D:simulate{ q = {x = 0, y = 0, psi = 0, theta = 1.2, phi = 0}, v = {psi = 0.9, theta = 0.3, phi = 2}, t = 1 }
    mentions(tostring(rolled:plot_drift(E)), "I2")
  end)
end)

describe("run:plot_drift", function()
  it("draws the changes of integrals under their names", function()
    local S = hm.system "particle"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:constraint("c", z.dot - y*x.dot)
    local C = S:conserved{ power = 2 }
    local run = S:simulate{ q = { x = 0, y = 0.3, z = 0.2 }, v = { x = 0.7, y = 0.4 }, t = 5 }
    check.needs("gnuplot --version", "gnuplot")
    local path = os.tmpname() .. ".svg"
    run:plot_drift(C, path)
    local text = check.content(path)
    os.remove(path)
    for _, name in ipairs{ "energy", "p_y", "I1", "I2", "change of integrals" } do assert(text:find(name, 1, true), name) end
    check.raises({ "plot_drift" }, run.plot_drift, run, C, path, "x")
  end)

  it("answers for many coordinates", function()
    local S, names = hm.system "springs", {}
    for i = 1, 40 do names[i] = "x" .. i end
    local q, T, V = { S:coordinates(table.concat(names, " ")) }, hm.number(0), hm.number(0)
    for i, x in ipairs(q) do T, V = T + x.dot^2/2, V + (x - (q[i - 1] or 0))^4/4 end
    S:kinetic_energy(T)
    S:potential_energy(V)
    local C = S:conserved{ search = false }
    assert.equal(1, #C)
    assert.is_true((C.energy.of - T - V):is_zero())
    assert.is_true(C.energy.proof)
  end)

  -- constraints that determine all velocities: a system of first order
  it("decides where no velocity is free", function()
    local S = hm.system "circle"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("x", x.dot - y)
    S:constraint("y", y.dot + x)
    assert.is_true(S:is_conserved(x^2 + y^2))
    local answer, rate = S:is_conserved(x)
    assert.is_false(answer)
    assert.is_true((rate - y):is_zero())
    assert.is_true(S:conserved():contains(x^2 + y^2))
  end)
end)
