-- generalised reactions: closed form, at a state, what is refused
local certified, hm, check, mechanics = require "certified", require "hamel", require "check", require "mechanics"

describe("reactions", function()
  it("of the sleigh point across the blade", function()
    local S, _, _, theta = check.sleigh(hm)
    local R = S:reactions()
    -- arbiter: the blade runs on a circle, R = m u w across it
    local u, w = 1.3, 0.4
    local at = { theta = 0.3, ["x'"] = u*math.cos(0.3), ["y'"] = u*math.sin(0.3), ["theta'"] = w, m = 2 }
    check.near(R.x:eval(at), -2*u*w*math.sin(0.3), 1e-14)
    check.near(R[2]:eval(at), 2*u*w*math.cos(0.3), 1e-14)
    assert.is_true(R.theta:is_zero())
    -- reduced: the dependent velocity is gone
    local y_dot = S:symbol "y".dot
    for _, e in ipairs(S:reactions{ reduce = true, dependent = { "y" } }) do
      for _, s in ipairs(e:symbols()) do assert.is_true(s ~= y_dot) end
    end
    assert.is_true((S:reactions{ reduce = true, dependent = { "y" } }[1] + S:symbol "m"*S:symbol "x".dot*theta.dot*hm.tan(theta)):is_zero())
    assert.truthy(tostring(R):find("  theta:     0", 1, true))
    assert.truthy(R:latex():find("R_{x} &=", 1, true))
  end)

  it("at a state are M a - Q of that state, in every form", function()
    local S = check.sleigh(hm)
    S:force(S:symbol "x", function(t, _, v) return t - v.x/3 end)
    local state = { q = { x = 0, y = 0, theta = 0.4 }, v = { x = 1, theta = 0.3 }, t = 0.5, parameters = { m = 3 } }
    for _, form in ipairs{ "lagrange", "hamel", "voronets", "canonical" } do
      state.form = form
      local R, a = S:reactions(state), S:accelerations(state).a
      check.near(R.x, 3*a.x - (0.5 - 1/3), 1e-12, form)
      check.near(R.y, 3*a.y, 1e-12, form)
      check.near(R.theta, 0, 1e-12, form)
    end
    assert.is_true(math.abs(S:reactions(state).y) > 0.1)
  end)

  it("of holonomic and nonlinear constraints agree with Newton", function()
    local P = check.pendulum(hm)
    local R = P:reactions{ q = { x = 0.6, y = -0.8 }, v = { x = 0.4 } }
    -- arbiter: along the rod, m (v^2/l + g cos) towards the pivot
    local force = 2*(0.4^2 + 0.3^2 + 9.81*0.8)
    check.near(R.x, -force*0.6, 1e-12)
    check.near(R.y, force*0.8, 1e-12)
    local C = hm.system "Appell-Hamel"
    local x, y, z = C:coordinates "x y z"
    C:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    C:potential_energy(9.81*z)
    C:constraint("cone", z.dot - hm.sqrt(x.dot^2 + y.dot^2))
    -- arbiter: M a - Q with the closed form, and its value g/2 along the normal (1, -cos, -sin)
    local r = C:reactions()
    local at = { ["x'"] = 0.6, ["y'"] = 0.8, ["z'"] = 1 }
    local function value(e)
      local point = {}
      for _, s in ipairs(e:symbols()) do point[tostring(s)] = at[tostring(s)] end
      return e:eval(point)
    end
    check.near(value(r.x), -9.81/2*0.6, 1e-12)
    check.near(value(r.y), -9.81/2*0.8, 1e-12)
    check.near(value(r.z), 9.81/2, 1e-12)
  end)

  it("of rotations belong to the body rates", function()
    local S, start = certified.rattleback_body()
    local R, at = S:reactions{ q = start.q, v = start.v }, S:accelerations{ q = start.q, v = start.v }
    -- arbiter: Newton's law of the mass centre; Euler's, of inertia {A, D; D, B} and C about the body's axes
    for _, name in ipairs{ "x", "y" } do check.near(R[name], at.a[name], 1e-12) end
    check.near(R.z, at.a.z + 9.81, 1e-12)
    local A, B, C, D, w, u = 2e-4, 1.6e-3, 1.7e-3, -2e-5, {}, {}
    for i = 1, 3 do w[i], u[i] = at.v["omega" .. i], at.a["omega" .. i] end
    local L = { A*w[1] + D*w[2], D*w[1] + B*w[2], C*w[3] }
    check.near(R.omega1, A*u[1] + D*u[2] + w[2]*L[3] - w[3]*L[2], 1e-12)
    check.near(R.omega2, D*u[1] + B*u[2] + w[3]*L[1] - w[1]*L[3], 1e-12)
    check.near(R.omega3, C*u[3] + w[1]*L[2] - w[2]*L[1], 1e-12)
  end)

  it("say what is wrong", function()
    local S = check.sleigh(hm)
    local state = { q = { x = 0, y = 0, theta = 0.4 }, v = { x = 1, theta = 0.3 } }
    check.raises({ "reactions", "unknown option 'redoce'", "'reduce'" }, S.reactions, S, { redoce = true })
    check.raises({ "'reduce' is for the closed form" }, S.reactions, S, { reduce = true, q = state.q, v = state.v })
    check.raises({ "'form' is for the numbers at a state", "give q and v" }, S.reactions, S, { form = "hamel" })
    state.form = "lindelof"
    check.raises({ "'lindelof' is another motion" }, S.reactions, S, state)
    state.form = "hammel"
    check.raises({ "no form 'hammel'" }, S.reactions, S, state)
    local free = mechanics.body("free", "x")
    assert.is_true(free:reactions().x:is_zero())
  end)
end)
