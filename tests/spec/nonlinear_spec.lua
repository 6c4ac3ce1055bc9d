-- quasi-velocities and constraints that are not linear in the velocities
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local sin, cos, sqrt = hm.sin, hm.cos, hm.sqrt

local forms = { "hamel", "appell", "kane", "maggi", "volterra" }

local function zero(e, what) assert(hm.number(e):is_zero() == true, (what or "") .. " is not zero: " .. tostring(e)) end

-- A particle that keeps its speed (Appell's or Benenti's kind of constraint): x'^2 + y'^2 = c^2 under gravity
local function constant_speed(written)
  local S = hm.system "constant speed"
  local x, y = S:coordinates "x y"
  local c, g = S:positive "c=2 g=9.81"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(g*y)
  S:constraint("speed", written(x, y, c))
  return S, x, y
end

describe("nonlinear constraints by Chetaev's rule", function()
  it("keep a speed: the direction turns as the closed solution says", function()
    -- phi' = -(g/c) cos(phi), x' = c cos(phi): sin(phi) = tanh(a - g t/c); where y' = 0 the forms in x' alone would be singular
    local a = -0.4
    local start = { x = 2*math.sqrt(1 - hm.tanh(a)^2), y = 2*hm.tanh(a) }
    local S = constant_speed(function(x, y, c) return x.dot^2 + y.dot^2 - c^2 end)
    for _, form in ipairs{ "lagrange", "hamel", "maggi", "kane", "appell", "volterra" } do
      local run = S:simulate{ form = form, q = { x = 0, y = 0 }, v = start, t = 0.5, rtol = 1e-11, atol = 1e-12 }
      assert.are.equal("OK", run.status, form)
      check.near(run:at(0.5).v.y, 2*hm.tanh(a - 9.81*0.5/2), 1e-8, form)
      -- the reaction -lambda 2 v balances gravity along the path
      local s = run:at(0.5)
      check.near(2*s.lambda.speed*4, 9.81*s.v.y, 1e-7, form .. " reaction")
    end
  end)

  it("agree as equations, whatever form and states", function()
    local S = constant_speed(function(x, y, c) return x.dot^2 + y.dot^2 - c^2 end)
    local verdict = hm.agree(S:equations(), S:equations "maggi")
    assert.are_not.equal(false, verdict.equal)
    assert.is_nil(tostring(verdict):find("different", 1, true))
  end)

  it("are eliminated where they are solved for a velocity: Voronets and Chaplygin", function()
    local S = hm.system "cone"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + 2*z.dot^2)/2 + sin(x)*x.dot*z.dot/2)
    S:potential_energy(x*y + hm.t*y)
    S:force(z, -z.dot)
    S:constraint("cone", z.dot - sqrt(x.dot^2 + y.dot^2)*(2 + cos(x)))
    local state = { q = { x = 0.3, y = -0.2, z = 0.1 }, v = { x = 0.6, y = -0.7 }, t = 0.4 }
    local want = S:accelerations(state)
    state.dependent = { "z" }
    for _, form in ipairs{ "voronets", "chaplygin", "hamel", "appell", "kane", "maggi", "volterra" } do
      state.form = form
      local got = S:accelerations(state)
      for name, a in pairs(want.a) do check.near(got.a[name], a, 1e-11, form .. " " .. name) end
      check.near(got.lambda.cone, want.lambda.cone, 1e-11, form)
    end
    -- homogeneous of degree one: the reaction does no work, and every form accounts for the energy
    for _, form in ipairs{ "lagrange", "voronets", "maggi" } do
      local run = S:simulate{ form = form, q = state.q, v = state.v, t = { 0.4, 1.4 }, rtol = 1e-10, atol = 1e-12 }
      assert(run.energy_drift < 1e-8, form)
    end
  end)
end)

describe("nonlinear quasi-velocities", function()
  local function oscillator()
    local S = hm.system "plane"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2*(2 + x^2))/2)
    S:potential_energy(x^2/2 + x*y)
    S:force(y, -y.dot/4)
    return S, x, y
  end
  local state = { q = { x = 0.3, y = -0.2 }, v = { x = 0.6, y = -0.7 }, t = 0.3 }

  it("are inverted in closed form where elimination does it", function()
    local S, x, y = oscillator()
    -- y' = w2 - x', then x' from w1: each linear in one velocity after a step
    S:quasi_velocities("w1 w2", { x.dot*(1 + x^2) + (x.dot + y.dot)^3 + sin(hm.t), x.dot + y.dot })
    local E = S:equations "hamel"
    assert.are.equal("w1", tostring(E.dyn[1]))
    zero(E.k[1] - (E.dyn[1] - E.dyn[2]^3 - sin(hm.t))/(1 + x^2))
    local want = S:accelerations(state)
    for _, form in ipairs(forms) do
      state.form = form
      local got = S:accelerations(state)
      for name, a in pairs(want.a) do check.near(got.a[name], a, 1e-11, form .. " " .. name) end
    end
    state.form = nil
    local run = S:simulate{ form = "hamel", q = state.q, v = state.v, t = 3, rtol = 1e-10, atol = 1e-12 }
    local other = S:simulate{ q = state.q, v = state.v, t = 3, rtol = 1e-10, atol = 1e-12 }
    check.near(run:at(3).y, other:at(3).y, 1e-8)
    assert.are.equal("equal", tostring(hm.agree(S:equations "hamel", S:equations "appell")):match("^equal"))
  end)

  it("need no inverse otherwise: the velocities stay the states", function()
    local S, x, y = oscillator()
    S:quasi_velocities("w1 w2", { x.dot + x.dot^3 + y*y.dot, y.dot + hm.sinh(y.dot) - sin(x) })
    local E = S:equations "hamel"
    assert.are.equal(x.dot, E.dyn[1])
    assert.are.equal("w1", E.rows[1].name)
    local want = S:accelerations(state)
    for _, form in ipairs(forms) do
      state.form = form
      local got = S:accelerations(state)
      for name, a in pairs(want.a) do check.near(got.a[name], a, 1e-11, form .. " " .. name) end
      local run = S:simulate{ form = form, q = state.q, v = state.v, t = 3, rtol = 1e-10, atol = 1e-12 }
      local other = S:simulate{ q = state.q, v = state.v, t = 3, rtol = 1e-10, atol = 1e-12 }
      check.near(run:at(3).y, other:at(3).y, 1e-8, form)
      check.near(run:at(1.5, y.ddot), other:at(1.5, y.ddot), 1e-7, form)
      assert(run.energy_drift < 1e-8, form)
    end
    state.form = nil
  end)

  it("have a general bracket that is Hamel's for linear ones", function()
    local S, x, y = oscillator()
    S:quasi_velocities("w1 w2", { x.dot*cos(y) + y.dot*sin(x) + hm.t*x, y.dot*(2 + x) - sin(y) })
    local T = S:transposition()
    local w = S:equations "hamel".dyn
    local nonlinear = require "hamel.equations.nonlinear"
    local K = nonlinear.frame(S, nil, "test")
    local bracket = nonlinear.transposition(K)
    for k = 1, 2 do
      for s = 1, 2 do zero(bracket[k][s] - T.gamma[k][s][1]*w[1] - T.gamma[k][s][2]*w[2] - T.gamma0[k][s], k .. s) end
    end
    S:quasi_velocities("w1 w2", { x.dot + x.dot^3, y.dot })
    T = S:transposition()
    assert.is_nil(T.gamma)
    -- a_11 = 1 + 3 x'^2: d/dt a_11 / a_11
    zero(T.bracket[1][1] - 6*x.dot*x.ddot/(1 + 3*x.dot^2))
    zero(T.bracket[2][1])
  end)

  it("that do not determine the velocities stop a run with the reason", function()
    local S, x = mechanics.body("square", "x")
    S:force(x, -1)
    S:quasi_velocities("w", { x.dot^2 })
    check.raises({ "'hamel' is singular at the start", "x'" }, S.simulate, S, { form = "hamel", q = { x = 0 }, v = { x = 0 }, t = 1 })
    local run = S:simulate{ form = "hamel", q = { x = 0 }, v = { x = 1 }, t = 2 }
    assert.are_not.equal("OK", run.status)
    check.near(run.t[#run.t], 1, 1e-6)
    assert.truthy(run.reason:find("singular where", 1, true))
    S:quasi_velocities("w", { hm.t + 3 + x })
    check.raises({ "singular" }, S.equations, S, "hamel")
  end)
end)
