-- Forces that depend on multipliers: against closed solutions, hand elimination and differences; what has no unique solution is reported.
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near

-- A bead on a horizontal ring with dry friction: m v' = -mu |N| with N = m v^2/r, so that v = v0/(1 + mu v0 t/r)
local function bead()
  local S = hm.system "bead on a ring"
  local x, y = S:coordinates "x y"
  local m, mu = S:positive "m=2 mu=3/10"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2))
  local friction = -mu*hm.abs(S.lambda.ring)/hm.sqrt(x.dot^2 + y.dot^2)
  S:force(x, friction*x.dot)
  S:force(y, friction*y.dot)
  S:constraint("ring", (x^2 + y^2 - 1)/2)
  return S
end
local bead_start = { q = { x = 1, y = 0 }, v = { x = 0, y = 1 }, t = 5, rtol = 1e-11, atol = 1e-11 }

-- w is held at zero against the force F + g |lambda|: lambda = -F - g |lambda|
local function held(F, g)
  local S = hm.system "held"
  local w, u = S:coordinates "w u"
  S:kinetic_energy((w.dot^2 + u.dot^2)/2)
  S:constraint("hold", w)
  S:force(w, F + g*hm.abs(S.lambda.hold))
  return S
end

describe("a force with a multiplier", function()
  it("slows the bead as dry friction does, with every method that takes equations by their values", function()
    local S = bead()
    for _, method in ipairs{ "dop853", "auto", "rkf45", "rk8pd", "radau5", "rk4", "gauss4", "gauss6" } do
      local o = { q = bead_start.q, v = bead_start.v, t = 5, rtol = 1e-11, atol = 1e-11, method = method }
      if method == "rk4" or method:find "gauss" then o.step = 0.005 end
      local run = S:simulate(o)
      assert.equal("OK", run.status)
      local s, angle = run:at(5), math.log(2.5)/0.3
      near(math.sqrt(s.v.x^2 + s.v.y^2), 0.4, 1e-9, method)
      near(s.x, math.cos(angle), 1e-9, method)
      near(s.lambda.ring, -2*0.4^2, 1e-9, method)
      -- work of friction included: E falls from 1 to 0.16
      assert(run.energy_drift < 1e-8, method)
    end
  end)

  it("is solved without iteration where it is linear", function()
    -- arbiter: elimination by hand. x'' = c lambda, y'' = lambda - g, the constraint x'' + y'' = 0: lambda = g/(1 + c)
    local S = hm.system "linear"
    local x, y = S:coordinates "x y"
    local c, g = S:parameters "c=3/4 g=9.81"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(y, -g)
    S:force(x, (c - 1)*S.lambda.tie)
    S:constraint("tie", x + y)
    for _, value in ipairs{ 0.75, -3, 1e6 } do
      local state = S:accelerations{ q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, parameters = { c = value } }
      near(state.lambda.tie, 9.81/(1 + value), 1e-14)
      near(state.a.x, value*9.81/(1 + value), 1e-14)
    end
    check.raises({ "no values of the multipliers", "'tie'" }, S.accelerations, S,
      { q = { x = 0, y = 0 }, v = { x = 0, y = 0 }, parameters = { c = -1 } })
  end)

  it("enters the first approximation exactly", function()
    -- arbiter: differences of the accelerations. A pendulum with friction c lambda theta' in its pivot, in Cartesian coordinates
    local S = hm.system "pendulum"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(9*y)
    S:constraint("rod", (x^2 + y^2 - 1)/2)
    S:force(x, x.dot*S.lambda.rod/10*(1 + S.lambda.rod/100))
    local L = S:linearize{ q = { x = 0, y = -1 }, v = { x = 0, y = 0 } }
    -- the rod holds lambda = -9 at rest: x'' = -9 x - 0.9 (1 - 0.09) x'
    local damping = 0.9*0.91
    near(L.eigenvalues[1].re, -damping/2, 1e-9)
    near(L.eigenvalues[1].im^2, 9 - damping^2/4, 1e-9)
  end)

  it("works in sweeps and in Nielsen's form", function()
    local S = bead()
    local W = S:sweep{ over = { { "mu", { 0.1, 0.2, 0.3 } } }, q = bead_start.q, v = bead_start.v, t = 5, rtol = 1e-10, keep = { "x" } }
    for _, row in ipairs(W) do near(row.x, math.cos(math.log(1 + 5*row.mu)/row.mu), 1e-7) end
    near(S:accelerations{ q = bead_start.q, v = bead_start.v, form = "nielsen" }.lambda.ring, -2, 1e-12)
  end)
end)

describe("forces without a unique solution", function()
  it("are reported with the values, or as having none", function()
    -- arbiter: the four cases of lambda = -F - g |lambda| by hand
    local start = { q = { w = 0, u = 0 }, v = { w = 0, u = 0 } }
    near(held(-2, 0.5):accelerations(start).lambda.hold, 2/1.5, 1e-13)
    near(held(2, 0.5):accelerations(start).lambda.hold, -2/0.5, 1e-13)
    local several, none = held(-2, 1.5), held(2, 1.5)
    check.raises({ "several motions", "'hold'", "0.8", "-4" }, several.accelerations, several, start)
    check.raises({ "no values of the multipliers", "'hold'" }, none.accelerations, none, start)
  end)

  it("end a run where other solutions begin, in every method", function()
    -- arbiter: lambda^3 - 2 lambda = t has one root for t > sqrt(32/27), three below
    local S = hm.system "cubic"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("c", y - x)
    S:force(y, -hm.t)
    S:force(x, 4*S.lambda.c - S.lambda.c^3)
    for _, method in ipairs{ "dop853", "radau5", "rk8pd", "msadams", "auto" } do
      local run = S:simulate{ q = { x = 0 }, v = { x = 0 }, t = { 2, 1 }, method = method }
      assert.equal("NO_UNIQUE_REACTION", run.status)
      near(run.outcome.t, math.sqrt(32/27), 1e-6, method)
      near(run:at(1.5).lambda.c^3 - 2*run:at(1.5).lambda.c, 1.5, 1e-8)
    end
    -- a second solution far away
    for _, c in ipairs{ 5, 50, 500 } do
      local P = hm.system "bump"
      local u, v = P:coordinates "u v"
      P:kinetic_energy((u.dot^2 + v.dot^2)/2)
      P:constraint("c", v - u)
      P:force(v, -1)
      P:force(u, 3*c*hm.exp(-(P.lambda.c - c)^2))
      check.raises({ "several motions", "'c'" }, P.accelerations, P, { q = { u = 0 }, v = { u = 0 } })
    end
  end)

  it("end a run where they lose it", function()
    -- g grows with u = t: the second solution appears at g = 1
    local S = hm.system "held"
    local w, u = S:coordinates "w u"
    S:kinetic_energy((w.dot^2 + u.dot^2)/2)
    S:constraint("hold", w)
    S:force(w, 2 + u*hm.abs(S.lambda.hold))
    local run = S:simulate{ q = { w = 0, u = 0 }, v = { w = 0, u = 1 }, t = 3 }
    assert.equal("NO_UNIQUE_REACTION", run.status)
    near(run.span[1], 0, 0)
    near(run:at(0.5).lambda.hold, -2/0.5, 1e-9)
    assert(run.outcome.t <= 1 + 1e-9 and run.outcome.t > 0.9, run.outcome.t)
  end)
end)

describe("a multiplier as a symbol", function()
  it("is refused where it cannot stand", function()
    local S = bead()
    check.raises({ "kinetic energy", "'ring'", "S:force and S:torque only" }, S.kinetic_energy, S, S.lambda.ring)
    check.raises({ "'ring'", "S:force and S:torque only" }, S.constraint, S, "other", S.lambda.ring)
    check.raises({ "'lagrange'", "'ring'" }, S.equations, S, "maggi")
    check.raises({ "'ring'" }, S.reference, S, { q = bead_start.q, v = bead_start.v, t = 1 })
    check.raises({ "'ring'", "no closed form" }, S.multipliers, S)
    check.raises({ "'ring'", "no closed form" }, S.reactions, S)
    local T, z = mechanics.body("other", "z")
    check.raises({ "no multiplier of other" }, T.force, T, z, S.lambda.ring)
    T:force(z, T.lambda.rin)
    T:constraint("ring", z)
    check.raises({ "'rin'", "did you mean 'ring'" }, T.equations, T)
  end)

  it("does not go with one-sided constraints", function()
    local S = bead()
    S:unilateral("wall", S:coordinate_list()[1] + 2, { law = hm.newton(1) })
    check.raises({ "'ring'", "one-sided" }, S.simulate, S, bead_start)
  end)
end)

describe("what is asked of such systems in closed form", function()
  it("is right where forces are linear in the multipliers, and refused else", function()
    local S = hm.system "linear"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(y, -9)
    S:constraint("tie", x + y)
    local plain = S:equations()
    S:force(x, S.lambda.tie/2)
    assert.equal("equal", tostring(hm.agree(S:equations(), S:equations "nielsen")))
    -- arbiter: by hand, x'' = 3/2 lambda, y'' = lambda - 9, so that lambda = 18/5 in place of 9/2
    assert(tostring(hm.agree(S:equations(), plain)):find "different")
    -- a free motion has no reactions, and no forces by them
    assert.equal("-9", tostring(S:free_motion()[1]))
    local B = bead()
    check.raises({ "not linear in the multipliers" }, hm.agree, B:equations(), B:equations "nielsen")
  end)
end)
