-- integrals and symmetries with jumps, with time in the constraints, with nonlinear constraints: what holds on either side only is not proved
local hm, check = require "hamel", require "check"
local abs, sign, t = hm.abs, hm.sign, hm.t

local function free(name)
  local S = hm.system(name or "free")
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  return S, x, y
end

describe("functions with jumps", function()
  it("are not called conserved because their derivative vanishes on either side", function()
    local S, x, y = free()
    for _, e in ipairs{ sign(x), abs(x)/x, hm.max(sign(x), 0), sign(t - 1), x.dot*sign(x), hm.where(x:lt(0), 1, 2), hm.where(t:lt(1), x.dot, 0),
                        hm.atan(x) + hm.atan(1/x), hm.atan2(y, x) - hm.atan(y/x), hm.atan2(hm.sin(x), hm.cos(x)) - x } do
      local answer, reason = S:is_conserved(e)
      assert(answer == nil and reason:find("may jump", 1, true), tostring(e))
    end
    for _, e in ipairs{ x.dot, x.dot*y - y.dot*x, abs(x.dot), hm.sqrt(x.dot^2 + y.dot^2), y.dot*(x.dot + abs(x.dot)) } do
      assert.equal(true, (S:is_conserved(e)))
    end
    assert.equal(false, (S:is_conserved(x*sign(x))))
    assert.equal(false, S:conserved{ power = 1 }:contains(sign(x)))
    -- dry friction: constant between the turns, not across them
    local P = hm.system "friction"
    local q = P:coordinates "q"
    P:kinetic_energy(q.dot^2/2)
    P:potential_energy(q^2/2)
    P:force(q, -sign(q.dot)/20)
    assert.is_nil((P:is_conserved(q.dot^2/2 + q^2/2 + q*sign(q.dot)/20)))
  end)

  it("leave what is continuous alone: the energy in a potential with a corner", function()
    local S, _, y = free()
    S:potential_energy(abs(y))
    local C = S:conserved{ search = false }
    assert(C.energy.proof == true and #C == 2)
    local G = S:symmetry{ { y = 1 } }
    assert(G.invariant == nil and G.proof == nil and #G.horizontal == 0)
  end)

  it("in the energies or the constraints make all proofs those of one side", function()
    local S, x = free()
    S:potential_energy(sign(x))
    for _, I in ipairs(S:conserved{ degree = 1 }) do assert.is_nil(I.proof) end
    assert.is_nil(S:symmetry().proof)
    local T = hm.system "two masses"
    local u, v = T:coordinates "u v"
    T:kinetic_energy((1 + sign(u)/2)*(u.dot^2 + v.dot^2)/2)
    for _, I in ipairs(T:conserved{ search = false }) do assert(I.proof == nil and I.name ~= "p_u") end
    check.raises({ "'u' is not cyclic", "L depends on it" }, T.routh, T, { "u" })
  end)
end)

describe("time in constraints and quasi-velocities", function()
  it("counts in the rates of momenta", function()
    local S, x, y = free()
    S:constraint("c", y.dot - t*x.dot)
    local H = S:hamiltonian()
    local run = S:simulate{ q = { x = 0, y = 0 }, v = { x = 1 }, t = 2, rtol = 1e-11, atol = 1e-12 }
    check.near(run:at(2, H.momenta.x), math.sqrt(5), 1e-9)
    assert.equal(true, (H:rate(H.H)):is_zero())
    assert(hm.agree(H:rate(H.p.x), H.p.x*t/(1 + t^2)).equal)
    local Q, u = free()
    Q:quasi_velocities("a b", { (1 + t^2)*u.dot, Q:symbol "y".dot })
    local K = Q:hamiltonian()
    assert(hm.agree(K:rate(K.p.a), -2*K.p.a*t/(1 + t^2)).equal)
    -- at a fixed time there is one direction, though the constraint is not integrable
    assert(tostring(S:growth_vector()):find("at a fixed time", 1, true))
    check.raises({ "depends on time" }, S.controllability, S, { inputs = { "x" } })
  end)

  it("and terms linear in the velocities are refused by S:controllability", function()
    local S = hm.system "charge"
    local x, y = S:coordinates "x y"
    S:lagrangian((x.dot^2 + y.dot^2)/2 + 3*x*y.dot)
    check.raises({ "terms linear in the velocities" }, S.controllability, S, { inputs = { "x" } })
    local F = free()
    check.raises({ "direction of the input", "depends on time" }, F.controllability, F, { inputs = { { x = hm.cos(t), y = hm.sin(t) } } })
  end)
end)

describe("nonlinear constraints", function()
  it("are decided where the rate vanishes, and never refuted off the constraint", function()
    local S = hm.system "Appell and Hamel"
    local x, y, z = S:coordinates "x y z"
    local a, g = S:positive "a=2 g=10"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:potential_energy(g*z)
    S:constraint("c", z.dot^2 - a^2*(x.dot^2 + y.dot^2))
    assert((S:is_conserved((x.dot^2 + y.dot^2 + z.dot^2)/2 + g*z)) ~= false)
    assert.is_nil(S:conserved().not_conserved.energy)
    for _, f in ipairs{ z.dot - x.dot^2, z.dot - 2*hm.sqrt(x.dot^2 + y.dot^2), x.dot*y.dot - z.dot^2 } do
      local T = hm.system "bent"
      local u, v, w = T:coordinates "x y z"
      T:kinetic_energy((u.dot^2 + v.dot^2 + w.dot^2)/2)
      T:constraint("c", f)
      assert((T:is_conserved((u.dot^2 + v.dot^2 + w.dot^2)/2)) ~= false)
      T:conserved()
      check.raises({ "linear in the velocities" }, T.growth_vector, T)
      check.raises({ "linear in the velocities" }, T.hamiltonian, T)
    end
  end)
end)

describe("S:chaplygin_multiplier", function()
  it("finds multipliers of special values of the parameters", function()
    local S = hm.system "three"
    local x, y, z = S:coordinates "x y z"
    local a = S:parameters "a=0"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:constraint("c", z.dot - y*x.dot - a*x*y^4*y.dot)
    local M = S:chaplygin_multiplier{ shape = { "x", "y" } }
    assert.equal("declared", M.parameters)
    assert.equal(true, (M.multiplier*hm.sqrt(1 + y^2) - 1):is_zero())
    S:parameters "a=1"
    assert.is_nil(S:chaplygin_multiplier{ shape = { "x", "y" } }.multiplier)
  end)
end)
