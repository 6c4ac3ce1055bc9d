-- what a form says when it does not apply, when the dependent velocities are chosen wrongly, and where it is singular
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local forms = require "hamel.forms"

local reduced = { "chaplygin", "voronets", "hamel", "volterra", "maggi", "kane", "appell", "canonical", "lindelof" }

describe("the heading of equations", function()
  it("names multipliers where there are some", function()
    for constrained, heading in pairs{ [true] = "s: Lagrange equations with multipliers\n", [false] = "s: Lagrange equations\n" } do
      local S = hm.system "s"
      local x, y = S:coordinates "x y"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      if constrained then S:constraint("c", x.dot - y) end
      assert.equal(heading, tostring(S:equations()):sub(1, #heading))
    end
  end)
end)

describe("a form that does not apply", function()
  it("is named with the nearest one", function()
    local S = check.sleigh(hm)
    check.raises({ "no form 'chaplygyn'", "did you mean 'chaplygin'" }, S.equations, S, "chaplygyn")
  end)

  it("is the canonical one, for kinetic energies whose momenta are not linear", function()
    local S = hm.system "quartic"
    local x, y = S:coordinates "x y"
    S:kinetic_energy(x.dot^2/2 + y.dot^4/4)
    check.raises({ "'canonical'", "momenta linear in the velocities", "quartic", "'hamel'" }, S.equations, S, "canonical")
    local R = hm.system "relativistic"
    local z = R:coordinates "z"
    R:kinetic_energy(-hm.sqrt(1 - z.dot^2))
    check.raises({ "momenta linear in the velocities" }, R.equations, R, "canonical")
  end)

  it("is the canonical one, for constraints or quasi-velocities that are not linear", function()
    local S = hm.system "cone"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    local free, q = mechanics.body("free", "q")
    free:quasi_velocities("w", { q.dot^3 })
    check.raises({ "'canonical'", "linear in the velocities", "'hamel'" }, free.equations, free, "canonical")
    S:constraint("cone", z.dot - hm.sqrt(x.dot^2 + y.dot^2))
    check.raises({ "'canonical'", "linear in the velocities", "'hamel'" }, S.equations, S, "canonical")
    for _, form in ipairs(reduced) do if form ~= "canonical" then assert.is_true(#S:equations(form) == 2, form) end end
    for _, form in ipairs{ "lagrange", "nielsen", "vakonomic" } do assert.is_true(#S:equations(form) > 0, form) end
  end)

  it("takes a constraint that is linear after cancellation", function()
    local S = hm.system "disguise"
    local u, w = S:coordinates "u w"
    S:kinetic_energy((u.dot^2 + w.dot^2)/2)
    S:constraint("c", (w.dot + 1)^2 - w.dot^2 - 1 - 2*u*u.dot)
    assert.are.equal("linear integrable", S.constraints.c.kind)
    local state = { q = { u = 0.4, w = 0 }, v = { u = 0.7 } }
    local want = S:accelerations(state)
    check.near(want.v.w, 0.28, 1e-12)
    check.near(want.a.u, -0.4*0.49/1.16, 1e-12)
    state.form = "maggi"
    check.near(S:accelerations(state).a.u, want.a.u, 1e-12)
  end)

  it("says which quantity of a non-Chaplygin system depends on which coordinate", function()
    local function system(change)
      local S = hm.system "no Chaplygin system"
      local x, y, z = S:coordinates "x y z"
      S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2 + (change.T and z^2*x.dot^2 or 0))
      if change.V then S:potential_energy(z^2) end
      if change.Q then S:force(x, -z) end
      S:constraint("f", z.dot - (change.c and z or y)*x.dot - (change.c0 and z or 0))
      return S
    end
    local dependent = { dependent = { "z" } }
    for change, words in pairs{ T = { "T - V" }, V = { "T - V" }, Q = { "the force on 'x'" }, c = { "the coefficient of x' in z'" } } do
      local S = system{ [change] = true }
      check.raises({ "no Chaplygin system", words[1], "depends on 'z'", "voronets" }, S.equations, S, "chaplygin", dependent)
      check.raises({ "'lindelof' does not apply", words[1] }, S.equations, S, "lindelof", dependent)
      assert.is_true(#S:equations("voronets", dependent) == 2)
    end
    assert.is_true(#system{}:equations("chaplygin", dependent) == 2)
    -- in the part free of velocities it does no harm
    local S = system{ c0 = true }
    local state = { q = { x = 0.1, y = 0.4, z = 0.3 }, v = { x = 0.7, y = -0.2 }, dependent = dependent.dependent }
    local want = S:accelerations(state)
    state.form = "chaplygin"
    for name, a in pairs(S:accelerations(state).a) do check.near(a, want.a[name], 1e-12, name) end
  end)

  it("has no place for forces in the vakonomic model", function()
    local S, x = check.sleigh(hm)
    S:force(x, 1)
    check.raises({ "vakonomic", "force on 'x'" }, S.equations, S, "vakonomic")
  end)
end)

describe("dependent velocities", function()
  it("are checked by name and number", function()
    local S = check.sleigh(hm)
    for _, form in ipairs(reduced) do
      check.raises({ "'Y' is not a coordinate of Chaplygin sleigh", "did you mean 'y'" }, S.equations, S, form, { dependent = { "Y" } })
      check.raises({ form, "1 constraint, but 2 dependent velocities" }, S.equations, S, form, { dependent = { "x", "y" } })
      check.raises({ form, "1 constraint, but 0 dependent velocities" }, S.equations, S, form, { dependent = {} })
    end
    check.raises({ "option 'dependent' is a table, not string" }, S.equations, S, "maggi", { dependent = "y" })
    check.raises({ "unknown option 'dependant'", "did you mean 'dependent'" }, S.equations, S, "maggi", { dependant = { "y" } })
  end)

  it("may not stand twice", function()
    local S = hm.system "two constraints"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:constraint("one", y.dot - x*z.dot)
    S:constraint("two", x.dot - y*z.dot)
    check.raises({ "'y' occurs twice" }, S.equations, S, "maggi", { dependent = { "y", "y" } })
  end)

  it("that no constraint contains cannot be eliminated", function()
    local S = check.sleigh(hm)
    for _, form in ipairs(reduced) do check.raises({ "singular" }, S.equations, S, form, { dependent = { "theta" } }) end
  end)

  it("are found without constraints that the others imply", function()
    local S = hm.system "twice the same"
    local p, q, s = S:coordinates "p q s"
    S:kinetic_energy((p.dot^2 + q.dot^2 + s.dot^2)/2)
    S:force(p, 1)
    S:constraint("one", p.dot - q.dot)
    S:constraint("two", 2*p.dot - 2*q.dot)
    for _, form in ipairs(reduced) do
      assert.equal(2, #S:equations(form), form)
      check.near(S:accelerations{ q = { p = 0, q = 0, s = 0 }, v = { p = 1, s = 0 }, form = form }.a.p, 0.5, 1e-14, form)
    end
  end)
end)

describe("quasi-velocities", function()
  it("are checked for number and names", function()
    local S, x, _, theta = check.sleigh(hm)
    check.raises({ "3 names need a list of as many" }, S.quasi_velocities, S, "u w z", { x.dot, theta.dot })
    check.raises({ "'u' occurs twice" }, S.quasi_velocities, S, "u u", { x.dot, theta.dot })
    check.raises({ "quasi_velocities: 1 for 2 degrees of freedom" }, S.quasi_velocities, S, "u", { x.dot })
    S:quasi_velocities("u w", { x.dot, theta.dot })
    S:constraint("turn", theta.dot - hm.t)
    check.raises({ "2 quasi-velocities for 1 degrees of freedom" }, S.equations, S, "hamel")
  end)

  it("may not be made of one another or of the constraints", function()
    local S, x, y, theta = check.sleigh(hm)
    S:quasi_velocities("u w", { x.dot, 2*x.dot })
    check.raises({ "singular" }, S.equations, S, "hamel")
    S:quasi_velocities("u w", { x.dot*hm.sin(theta) - y.dot*hm.cos(theta), theta.dot })
    check.raises({ "singular" }, S.equations, S, "hamel")
  end)
end)

describe("a singular start", function()
  -- x' = y' cos(theta)/sin(theta) has no value at theta = 0, though the sleigh runs there as anywhere
  it("is refused where a division has no value", function()
    local S = check.sleigh(hm)
    local start = { q = { x = 0, y = 0, theta = 0 }, v = { x = 0.7, theta = 0.3 }, dependent = { "x" } }
    for _, form in ipairs{ "chaplygin", "voronets", "hamel", "volterra", "maggi", "kane", "appell" } do
      start.form, start.t = form, nil
      check.raises({ "'" .. form .. "' is singular at the start", "sin(theta) is 0", 'dependent = {"y"}' }, S.accelerations, S, start)
      start.t = 1
      check.raises({ "'" .. form .. "' is singular at the start", "sin(theta) is 0" }, S.simulate, S, start)
    end
    start.form = "canonical"
    check.raises({ "'canonical' is singular at the start", 'dependent = {"y"}' }, S.simulate, S, start)
  end)

  it("is found where the pivot is only nearly zero, and on the way", function()
    local S = check.sleigh(hm)
    local start = { q = { x = 0, y = 0, theta = math.pi/2 }, v = { y = 0.7, theta = 0.3 }, dependent = { "y" } }
    for _, form in ipairs{ "chaplygin", "voronets", "hamel", "volterra", "maggi", "kane", "appell", "canonical" } do
      start.form, start.t, start.q.theta, start.v = form, nil, math.pi/2, { y = 0.7, theta = 0.3 }
      check.raises({ "singular at the start", "cos(theta)" }, S.accelerations, S, start)
      start.q.theta, start.t, start.v = 1.5, 2, { x = 0.01, theta = 0.3 }
      local run = S:simulate(start)
      assert.are_not.equal("OK", run.status)
      check.near(run.outcome.t, (math.pi/2 - 1.5)/0.3, 1e-6, form)
    end
  end)

  it("is not met where constraints are dependent without looking so", function()
    local S = hm.system "hidden"
    local p, q, s = S:coordinates "p q s"
    S:kinetic_energy((p.dot^2 + q.dot^2 + s.dot^2)/2)
    S:constraint("one", p.dot*hm.sin(s)^2 - q.dot)
    S:constraint("two", p.dot*(1 - hm.cos(2*s))/2 - q.dot)
    check.near(S:accelerations{ q = { p = 0, q = 0, s = 0.4 }, v = { p = 1, s = 1 }, form = "voronets" }.a.q,
      S:accelerations{ q = { p = 0, q = 0, s = 0.4 }, v = { p = 1, s = 1 } }.a.q, 1e-13)
  end)

  it("is passed over by the others", function()
    local S = check.sleigh(hm)
    local start = { q = { x = 0, y = 0, theta = 0 }, v = { x = 0.7, theta = 0.3 } }
    start.form = "lagrange"
    check.near(S:accelerations(start).lambda.blade, -0.21, 1e-12)
  end)

  it("is none for other dependent velocities or quasi-velocities", function()
    local S, x, y, theta = check.sleigh(hm)
    local start = { q = { x = 0, y = 0, theta = 0 }, v = { x = 0.7, theta = 0.3 } }
    local want = S:accelerations(start)
    check.near(want.lambda.blade, -0.21, 1e-12)
    start.dependent = { "y" }
    for _, form in ipairs(reduced) do
      if not forms[form].another_motion then
        start.form = form
        check.near(S:accelerations(start).lambda.blade, -0.21, 1e-12, form)
      end
    end
    -- forward speed and turning rate have no singular place
    S:quasi_velocities("u w", { x.dot*hm.cos(theta) + y.dot*hm.sin(theta), theta.dot })
    for _, form in ipairs{ "hamel", "volterra", "maggi", "kane", "appell", "canonical" } do
      local run = S:simulate{ form = form, q = { x = 0, y = 0, theta = math.pi/2 }, v = { y = 0.7, theta = 0.3 }, t = 12, rtol = 1e-11, atol = 1e-12 }
      check.near(run:at(12).x, 0.7/0.3*(math.cos(3.6) - 1), 1e-8, form)
      check.near(run:at(12).y, 0.7/0.3*math.sin(3.6), 1e-8, form)
    end
  end)
end)
