-- the vakonomic forms against one another and closed solutions, where they are not regular, two-field functionals, laws of reactions
local hm, check = require "hamel", require "check"
local near = check.near

local function particle()
  local S = hm.system "particle"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  return S, x, y, z
end

local function isokinetic()
  local S = hm.system "isokinetic particle"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(y)
  S:constraint("speed", (x.dot^2 + y.dot^2 - 1)/2)
  return S, x, y
end

-- two constraints, nonlinear, rheonomic, each with the other's velocity
local function coupled()
  local S = hm.system "two nonlinear constraints"
  local x, y, z, u = S:coordinates "x y z u"
  S:kinetic_energy((x.dot^2*(1 + y^2/4) + y.dot^2 + z.dot^2 + u.dot^2)/2 + hm.sin(hm.t)*x.dot/3)
  S:potential_energy(x*y/2 + hm.cos(u))
  S:constraint("one", y.dot - z*x.dot^2/2 - u/3 - hm.t/5)
  S:constraint("two", u.dot - y.dot*x/2 - hm.sin(z)*z.dot)
  return S
end

describe("vakonomic equations with explicit constraints", function()
  it("give the motion of the implicit form, mu_d = -sum mu_k df_k/dq_d'", function()
    local S = coupled()
    local start = { q = { x = 0.3, y = -0.2, z = 0.4, u = 0.1 }, v = { x = 0.8, z = 0.5 }, t = 2, rtol = 1e-12, atol = 1e-13 }
    start.form, start.mu = "vakonomic", { one = 0.4, two = -0.3 }
    local implicit = S:simulate(start)
    -- df/dy' = (1, -x/2), df/du' = (0, 1)
    start.form, start.dependent, start.mu = "vakonomic_explicit", { "y", "u" }, { y = -(0.4 + 0.3*0.3/2), u = 0.3 }
    local run = S:simulate(start)
    for _, t in ipairs{ 0, 0.7, 2 } do
      local want, got = implicit:at(t), run:at(t)
      for _, name in ipairs(S.coordinate_names) do
        near(got[name], want[name], 1e-10, name)
        near(got.v[name], want.v[name], 1e-10, name .. "'")
        near(got.a[name], want.a[name], 1e-9, name .. "''")
        near(got.p[name], want.p[name], 1e-10, "p." .. name)
      end
      near(got.energy, want.energy, 1e-10)
      near(got.mu.u, -want.mu.two, 1e-10)
    end
    assert.is_true(run.energy_drift < 1e-10 and run.constraint_drift == 0)
    assert.is_true(implicit.energy_drift < 1e-10)
  end)

  it("keep cyclic momenta", function()
    local S, x, y, z = particle()
    S:constraint("f", y.dot - z*x.dot)
    local start = { q = { x = 0, y = 0, z = 0 }, v = { x = 1, z = 1 }, t = 5, rtol = 1e-8, atol = 1e-8 }
    start.form, start.mu, start.dependent = "vakonomic_explicit", { y = 0.3 }, { "y" }
    local run = S:simulate(start)
    local _, px, py, energy = run:series("p.x", "p.y", "energy")
    for i = 1, #px do
      -- x' + mu z = 1, y' - mu = -0.3: no force along x and y
      near(px[i], 1, 1e-7)
      near(py[i], -0.3, 1e-12)
      near(energy[i], 1, 1e-7)
    end
    near(run:at(3, "mu.y"), run:at(3, y.dot) + 0.3, 1e-12)
    near(run:at(3).p.x, run:at(3, x.dot) + run:at(3, "mu.y")*run:at(3).z, 1e-12)
  end)

  it("say what cannot be solved or is unknown", function()
    local S = isokinetic()
    check.raises({ "vakonomic_explicit", "'speed' is not linear", "y.dot - phi" }, S.equations, S, "vakonomic_explicit")
    local C = coupled()
    check.raises({ "'one' is not linear" }, C.equations, C, "vakonomic_explicit", { dependent = { "x", "z" } })
    check.raises({ "'w' is not a coordinate" }, C.equations, C, "vakonomic_explicit", { dependent = { "w", "y" } })
    check.raises({ "2 constraints, but 1 dependent velocity" }, C.equations, C, "vakonomic_explicit", { dependent = { "y" } })
    check.raises({ "'y' occurs twice" }, C.equations, C, "vakonomic_explicit", { dependent = { "y", "y" } })
    local start = { form = "vakonomic_explicit", dependent = { "y", "u" }, q = { x = 0, y = 0, z = 0, u = 0 }, v = { x = 1, z = 0 }, t = 1 }
    check.raises({ "mu = {y = 0}" }, C.simulate, C, start)
    start.mu = { y = 0, u = 0, x = 0 }
    check.raises({ "no constraint 'x'", "known: y, u" }, C.simulate, C, start)
    start.mu.x = nil
    local run = C:simulate(start)
    check.raises({ "there is no 'one'" }, run.at, run, 0, "mu.one")
    start.form, start.mu, start.dependent = "lagrange", nil, nil
    local plain = C:simulate(start)
    check.raises({ "'vakonomic'", "'lagrange'" }, plain.at, plain, 0, "p.x")
    check.raises({ "'vakonomic'" }, function() return plain:at(0).mu end)
    C:force(C:symbol "x", 1)
    check.raises({ "no place for forces", "'x'" }, C.equations, C, "vakonomic_explicit")
  end)
end)

describe("regularity of the vakonomic equations", function()
  -- closed solution: p_x = (1 + mu) x' is constant, p_y = (1 + mu) y' falls at rate one, |1 + mu| = |p|
  it("is demanded at the start", function()
    local S = isokinetic()
    local start = { form = "vakonomic", q = { x = 0, y = 0 }, v = { x = 0.6, y = 0.8 }, t = 1, mu = { speed = -1 } }
    check.raises({ "not regular at the start", "mu.speed = -1", "another mu" }, S.simulate, S, start)
    start.t = nil
    check.raises({ "not regular at the start" }, S.accelerations, S, start)
    start.t, start.mu = 1, { speed = -0.5 }
    local run = S:simulate(start)
    assert.are.equal("OK", run.status)
    local px, py = 0.3, 0.4 - 1
    near(run:at(1).mu.speed, math.sqrt(px^2 + py^2) - 1, 1e-8)
    near(run:at(1).v.x, px/math.sqrt(px^2 + py^2), 1e-8)
  end)

  it("ends a run where it is lost", function()
    local S = isokinetic()
    local run = S:simulate{ form = "vakonomic", q = { x = 0, y = 0 }, v = { x = 0, y = 1 }, t = 3, mu = { speed = 0.5 } }
    assert.are.equal("SINGULAR_MASS", run.status)
    near(run.outcome.t, 1.5, 1e-9)
    assert.truthy(run.reason:find("not regular after t = 1.5", 1, true))
    near(run:at(1).mu.speed, -0.5, 1e-9)
    check.raises({ "stopped at t = 1.5" }, run.at, run, 2)
    local coarse = S:simulate{ form = "vakonomic", q = { x = 0, y = 0 }, v = { x = 0, y = 1 }, t = 3, mu = { speed = 0.5 }, dense = false,
                               max_step = 0.4 }
    assert.are.equal("SINGULAR_MASS", coarse.status)
    assert.is_true(coarse.outcome.t <= 1.5 and coarse.outcome.t > 1)
  end)

  it("is that of the reduced matrix in the explicit form: here 1 + 2 mu", function()
    local S, x, y = particle()
    S:constraint("f", y.dot - x.dot^2)
    -- L* = x'^2/2 + y'^2/2 + mu (x'^2 - y'): d2/dx'dx' on the constraint is 1 + 4 x'^2 + 2 mu, constant along the motion without forces
    local start = { form = "vakonomic_explicit", dependent = { "y" }, q = { x = 0, y = 0, z = 0 }, v = { x = 0.5, z = 0 }, t = 1 }
    start.mu = { y = -1 }
    check.raises({ "not regular at the start", "mu.y = -1" }, S.simulate, S, start)
    S:potential_energy(-2*y)
    -- at x' = 0: p_y = y' - mu grows at rate 2, y' = 0, so mu = mu0 - 2 t reaches -1/2 at t = 3/4 from mu0 = 1
    start.v.x, start.mu.y = 0, 1
    local run = S:simulate(start)
    assert.are.equal("SINGULAR_MASS", run.status)
    near(run.outcome.t, 0.75, 1e-9)
  end)
end)

describe("a functional with two fields", function()
  it("gives the equations of both models", function()
    local S = coupled()
    local q = S:coordinate_list()
    local model = S:two_field "vakonomic"
    local e, on = S:equations "vakonomic", {}
    for s = 1, 4 do on[model.nu[s]], on[model.nu[s].dot] = q[s].dot, q[s].ddot end
    for s = 1, 4 do
      assert.is_true((model.q[s]:subs(on) - e[s]):is_zero())
      assert.is_true(model.by_nu[s]:subs(on):is_zero())
      -- away from nu = q' the variation along nu does not vanish: it says something
      assert.is_false(model.by_nu[s]:is_zero())
    end
    for k = 1, 2 do assert.is_true((model.by_mu[k]:subs(on) + S.constraints[k].f):is_zero()) end
    local chetaev, l = S:two_field "chetaev", S:equations "lagrange"
    local bound = {}
    for s = 1, 4 do bound[chetaev.nu[s]], bound[chetaev.nu[s].dot] = q[s].dot, q[s].ddot end
    for k = 1, 2 do bound[chetaev.lambda[k]] = l.multipliers[k] end
    for s = 1, 4 do assert.is_true((chetaev.q[s]:subs(bound) - l[s]):is_zero()) end
    assert.is_false((model.q[1]:subs(on) - chetaev.q[1]:subs(bound)):is_zero())
    check.raises({ "\"vakonomic\" or \"chetaev\"" }, S.two_field, S, "hoelder")
  end)
end)

describe("the newtonian form", function()
  local function disc()
    local S = hm.system "vertical disc"
    local x, y, phi, theta = S:coordinates "x y phi theta"
    S:kinetic_energy((x.dot^2 + y.dot^2 + phi.dot^2/2 + theta.dot^2)/2)
    S:force(theta, hm.rational(3, 10))
    S:constraint("side", x.dot*hm.sin(phi) - y.dot*hm.cos(phi))
    S:constraint("roll", x.dot*hm.cos(phi) + y.dot*hm.sin(phi) - theta.dot)
    return S, x, y, phi
  end
  local start = { form = "newtonian", q = { x = 0, y = 0, phi = 0, theta = 0 }, v = { x = 1, y = 0, phi = 0.3, theta = 1 }, t = 3, rtol = 1e-11, atol = 1e-12 }
  local function with(more)
    local o = {}
    for _, list in ipairs{ start, more } do for k, value in pairs(list) do o[k] = value end end
    return o
  end

  it("runs with the law given and reports what is left of the constraints", function()
    local S, x, y, phi = disc()
    local f = (x.dot*hm.cos(phi) + y.dot*hm.sin(phi))*phi.dot
    local run = S:simulate(with{ reactions = { x = -f*hm.sin(phi), y = f*hm.cos(phi) } })
    -- the speed stays 1 on a circle, theta' grows at 3/10
    near(run:at(3).x, math.sin(0.9)/0.3, 1e-8)
    near(run.constraint_residual.side, 0, 1e-9)
    near(run.constraint_residual.roll, 0.9, 1e-9)
    assert.truthy(tostring(run):find("'roll' is left by 0.9 at most", 1, true))
    assert.truthy(tostring(S:equations("newtonian", { reactions = {} })):find("(watched)", 1, true))
    -- another law in the same system, and a start off the constraints, which no law has to meet
    local free = S:simulate(with{ reactions = {}, v = { x = 1, y = 1, phi = 0, theta = 0 } })
    near(free.constraint_residual.side, 1, 1e-12)
    near(free:at(3).y, 3, 1e-9)
  end)

  it("agrees with the multiplier form under the law the multipliers give", function()
    local S, x, y, phi = disc()
    local chetaev = S:simulate(with{ form = "lagrange" })
    local f = (x.dot*hm.cos(phi) + y.dot*hm.sin(phi))*phi.dot
    -- rolling force: 3/10 - K = K, both inertias one
    local K = hm.rational(3, 20)
    local run = S:simulate(with{ reactions = { x = -f*hm.sin(phi) + K*hm.cos(phi), y = f*hm.cos(phi) + K*hm.sin(phi), theta = -K } })
    near(run:at(3).x, chetaev:at(3).x, 1e-8)
    near(run:at(3).theta, chetaev:at(3).theta, 1e-8)
    near(run.constraint_residual.roll, 0, 1e-9)
  end)

  it("needs a law", function()
    local S, x = disc()
    check.raises({ "reactions = {x = expression" }, S.simulate, S, start)
    check.raises({ "'X' is not a coordinate", "did you mean 'x'" }, S.simulate, S, with{ reactions = { X = 1 } })
    check.raises({ "the reaction on x", "accelerations may not stand here" }, S.simulate, S, with{ reactions = { x = x.ddot } })
    check.raises({ "v is missing for theta" }, S.simulate, S, with{ reactions = {}, v = { x = 1, y = 0, phi = 0 } })
  end)
end)

describe("momenta of a vakonomic run", function()
  it("are kept to rounding where a coordinate is cyclic, however coarse the steps", function()
    local S = hm.system "cyclic"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:constraint("f", z.dot - (x*y.dot - y*x.dot)*(1 + x.dot^2))
    local run = S:simulate{ form = "vakonomic", mu = { f = 0.7 }, q = { x = 0.3, y = 0.1, z = 0 }, v = { x = 0.2, y = 0.3 }, t = 50,
                            rtol = 1e-4, atol = 1e-4 }
    assert.are.equal("OK", run.status)
    assert(run.constraint_drift > 1e-9)
    for _, t in ipairs(run.t) do check.near(run:at(t, "p.z"), run:at(0, "p.z"), 1e-14) end
  end)
end)
