-- runs in every form from one start, compared; models that are not the motion differ
local hm, check = require "hamel", require "check"

describe("compare", function()
  it("finds one motion behind all forms", function()
    local S = check.sleigh(hm)
    local c = S:compare{ forms = { "lagrange", "nielsen", "hamel", "voronets", "volterra", "maggi", "kane", "appell", "canonical", "chaplygin" },
      dependent = { "y" }, q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 4, rtol = 1e-11, atol = 1e-12 }
    for i = 2, #c.labels do assert.is_true(c:largest(c.labels[i]) < 1e-8, c.labels[i]) end
    assert.truthy(tostring(c):find("canonical", 1, true))
  end)

  it("tells other models apart", function()
    local S = hm.system "Heisenberg particle"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:constraint("f", y.dot - z*x.dot)
    local c = S:compare{ forms = { "lagrange", "lindelof", { form = "vakonomic", mu = { f = 0 } } }, dependent = { "y" },
      q = { x = 0, y = 0, z = 0 }, v = { x = 1, z = 1 }, t = 2 }
    assert.is_true(c:largest "vakonomic" > 1e-3)
    assert.is_true(c:largest "lindelof" > 1e-3)
    assert.is_false((S:holonomic()))
    local H = hm.system "holonomic in disguise"
    local a, b = H:coordinates "a b"
    H:kinetic_energy((a.dot^2 + b.dot^2)/2)
    H:constraint("rod", a*a.dot + b*b.dot)
    assert.is_not_false((H:holonomic()))
  end)

  it("carries forces, work and Lua functions into every form", function()
    local S = hm.system "pulled sleigh"
    local x, y, theta = S:coordinates "x y theta"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2 + theta.dot^2/4)
    S:force(x, function(t, q, v) return math.sin(t) - 0.1*v.x + 0*q.y end)
    S:force(theta, -theta.dot/5 + hm.cos(hm.t))
    S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
    local start = { q = { x = 0, y = 0, theta = 0.1 }, v = { x = 1, theta = 0.2 }, t = 1, rtol = 1e-10, atol = 1e-10, dependent = { "y" } }
    local want = S:simulate(start)
    assert.is_true(want.energy_drift < 1e-8)
    for _, form in ipairs{ "hamel", "voronets", "volterra", "maggi", "appell", "canonical", "nielsen" } do
      start.form = form
      local run = S:simulate(start)
      check.near(run:at(1).x, want:at(1).x, 1e-8, form)
      check.near(run:at(0.9).lambda.blade, want:at(0.9).lambda.blade, 1e-7, form)
      check.near(run:at(0.9).v.y, want:at(0.9).v.y, 1e-7, form)
      check.near(run:at(0.9).a.theta, want:at(0.9).a.theta, 1e-7, form)
      assert.is_true(run.energy_drift < 1e-8, form)
    end
  end)

  -- arbiter: E - E(0) minus the work of all forces, reactions among them by the lambda of the multiplier form
  local function balanced(S, start, forms, dependent)
    local want = S:simulate(start)
    assert.is_true(want.energy_drift < 1e-9)
    assert.is_true(math.abs(want:at(start.t).energy - want:at(0).energy) > 0.05)
    for _, form in ipairs(forms) do
      start.form, start.dependent = form, dependent
      local run = S:simulate(start)
      assert.is_true(run.energy_drift < 1e-9, ("%s: %g"):format(form, run.energy_drift))
      check.near(run:at(start.t).energy, want:at(start.t).energy, 1e-8, form)
    end
  end
  local all = { "voronets", "hamel", "volterra", "maggi", "kane", "appell", "canonical" }

  it("balances the energy where acatastatic constraints do work", function()
    local S = hm.system "skate on an unsteady belt"
    local x, y, theta = S:coordinates "x y theta"
    local m, J, W = S:positive "m=2 J=3/4 W=1/2"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
    S:force(x, function(_, _, v) return 1 - v.x/3 end)
    S:constraint("blade", (x.dot - W*(1 + hm.sin(hm.t)/2))*hm.sin(theta) - (y.dot - x/4)*hm.cos(theta))
    balanced(S, { q = { x = 0, y = 0, theta = 0.1 }, v = { x = 1, theta = 0.3 }, t = 2, rtol = 1e-11, atol = 1e-12 }, all, { "y" })
    local B = hm.system "ball on a turntable"
    local X, Y, a1, a2, a3 = B:coordinates "x y a1 a2 a3"
    local M, a, w = B:positive "m=1 a=1/10 W=2"
    B:kinetic_energy(M/2*(X.dot^2 + Y.dot^2) + M*a^2/5*(a1.dot^2 + a2.dot^2 + a3.dot^2))
    B:constraint("x", X.dot - a*a2.dot + w*Y)
    B:constraint("y", Y.dot + a*a1.dot - w*X)
    table.insert(all, "chaplygin")
    local turning = { q = { x = 1, y = 0, a1 = 0, a2 = 0, a3 = 0 }, v = { x = 0, y = 0.3, a3 = 1 }, t = 2, rtol = 1e-11, atol = 1e-12 }
    balanced(B, turning, all, { "a1", "a2" })
    -- a holonomic constraint that moves
    local H = hm.system "bead on a turning rod"
    local u, z = H:coordinates "u z"
    H:kinetic_energy((u.dot^2 + z.dot^2)/2)
    H:potential_energy(9.81*z)
    H:constraint("rod", u*hm.sin(hm.t) - z*hm.cos(hm.t))
    table.remove(all)
    balanced(H, { q = { u = 1, z = 0 }, v = { u = 0.4 }, t = 1, rtol = 1e-11, atol = 1e-12 }, all, { "z" })
    -- the constraints inserted are another motion, whose reactions are not known
    local L = B:simulate{ form = "lindelof", dependent = { "a1", "a2" }, q = turning.q, v = turning.v, t = 1 }
    assert.is_true(L.energy_drift ~= L.energy_drift)
  end)

  it("says what is wrong", function()
    local S = check.sleigh(hm)
    check.raises({ "forms = {" }, S.compare, S, { t = 1 })
    check.raises({ "no form 'hammel'", "hamel" }, S.compare, S, { forms = { "hammel" }, q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0 }, t = 1 })
    check.raises({ "'z' is not a coordinate" }, S.equations, S, "voronets", { dependent = { "z" } })
    check.raises({ "1 constraint, but 2 dependent" }, S.equations, S, "voronets", { dependent = { "x", "y" } })
    check.raises({ "mu = {blade = 0}" }, S.simulate, S, { form = "vakonomic", q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0 }, t = 1 })
    check.raises({ "mu belongs to the form 'vakonomic'" }, S.simulate, S,
      { mu = { blade = 0 }, q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0 }, t = 1 })
    local C = hm.system "cone"
    local x, y, z = C:coordinates "x y z"
    C:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    C:constraint("cone", z.dot - hm.sqrt(x.dot^2 + y.dot^2))
    check.raises({ "'canonical'", "cone has others" }, C.equations, C, "canonical")
    local D = hm.system "depends"
    local u, w = D:coordinates "u w"
    D:kinetic_energy((u.dot^2 + w.dot^2)/2)
    D:potential_energy(w^2)
    D:constraint("c", w.dot - u*u.dot)
    check.raises({ "no Chaplygin system", "'w'", "voronets" }, D.equations, D, "chaplygin", { dependent = { "w" } })
  end)
end)
