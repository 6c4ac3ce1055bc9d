-- S:derivation: the numbered steps lead to the equations; lua/hamel/analysis/derivation.lua.
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local sin, cos = hm.sin, hm.cos

local function sleigh() return check.offset_sleigh(hm) end

local function disc()
  local S, _, _, phi, _, psi = mechanics.disc()
  S:force(phi, psi.dot)
  return S
end

-- The step whose title contains the words
local function step(D, words)
  for _, one in ipairs(D) do if one.title:find(words, 1, true) then return one end end
  error("no step '" .. words .. "' in\n" .. tostring(D))
end

describe("a derivation", function()
  it("ends in Lagrange's equations: rates minus drives minus reactions", function()
    local D = disc():derivation()
    local rates, drives, reactions, E = step(D, "Their rates"), step(D, "What drives"), step(D, "Reactions"), D.equations
    for s = 1, 5 do assert.truthy((rates[s].value - drives[s].value - reactions[s].value - E[s]):is_zero()) end
    assert.equal(2, #step(D, "differentiated"))
    assert.truthy(tostring(D):find("^rolling disc: Lagrange equations with multipliers, step by step\n1%. Kinetic"))
  end)

  it("ends in Maggi's equations: the inertia terms along the admissible directions", function()
    local S = sleigh()
    local D, theta = S:derivation "maggi", S:coordinate_list()[3]
    local E = step(D, "E_r")
    assert.truthy((E[1].value*cos(theta) + E[2].value*sin(theta) - D.equations[1]):is_zero())
    assert.truthy((E[3].value - D.equations[2]):is_zero())
    assert.equal("(cos(theta), sin(theta), 0)", step(D, "admissible")[1].value)
  end)

  it("ends in Appell's equations: derivatives of the energy of accelerations", function()
    local D = disc():derivation("appell", { dependent = { "x", "y" } })
    local slopes, E = step(D, "Its derivatives"), D.equations
    local u3 = hm.functions_of_time "u3"                               -- psi', the force on phi
    for s = 1, 3 do assert.truthy((slopes[s].value - E[s] - (s == 1 and u3 or 0)):is_zero()) end
  end)

  it("shows Hamel's symbols and the derivatives behind the equations", function()
    local D = sleigh():derivation "hamel"
    local gamma = step(D, "Hamel's symbols")
    assert.equal("gamma^u_omega,u_3", gamma[1].text)
    assert.equal("1", tostring(gamma[1].value))
    assert.equal(2, #gamma)
    -- m u' - gamma^u_3_u,omega omega dL*/du_3 and I* omega' - ... by hand from the steps shown
    local p = step(D, "Derivatives of L*")
    local m, I, a = hm.positive "m I a"
    local u, omega = hm.functions_of_time "u omega"
    assert.truthy((p[1].value - m*u):is_zero() and (p[2].value - (I + m*a^2)*omega):is_zero() and (p[3].value + m*a*omega):is_zero())
    assert.truthy((D.equations[1] - (hm.dt(p[1].value) + gamma[2].value*omega*p[3].value)):is_zero())
    assert.truthy((D.equations[2] - (hm.dt(p[2].value) - gamma[2].value*u*p[3].value)):is_zero())
  end)

  it("shows what insertion would lose in Chaplygin's equations", function()
    local S, o = disc(), { dependent = { "x", "y" } }
    local lost = step(S:derivation("chaplygin", o), "insertion")
    local right, wrong = S:equations("chaplygin", o), S:equations("lindelof", o)
    for i = 1, 3 do assert.truthy((wrong[i] - right[i] - lost[i].value):is_zero()) end
  end)

  it("is written as LaTeX and refuses what it has no steps for", function()
    local S = sleigh()
    local latex = S:derivation("hamel"):latex()
    assert.truthy(latex:find("\\gamma^{u_{3}}_{u \\omega} &= 1", 1, true))
    assert.equal(select(2, latex:gsub("\\begin{align%*}", "")), select(2, latex:gsub("\\end{align%*}", "")))
    check.raises({ "steps are written down for", "vakonomic" }, S.derivation, S, "vakonomic")
    check.raises({ "unknown option 'dependant'" }, S.derivation, S, "hamel", { dependant = {} })
    local N = hm.system "Appell-Hamel"
    local x, y, z = N:coordinates "x y z"
    N:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    N:constraint("cone", x.dot^2 + y.dot^2 - z.dot^2)
    assert.truthy(#N:derivation() > 5)
    check.raises({ "linear in the velocities" }, N.derivation, N, "hamel")
  end)

  it("shows why a function is conserved, or what its rate is", function()
    local S = hm.system "top"
    local psi, theta, phi = S:coordinates "psi theta phi"
    local A, C = S:positive "A=2 C=1"
    S:kinetic_energy(A/2*(theta.dot^2 + psi.dot^2*hm.sin(theta)^2) + C/2*(phi.dot + psi.dot*hm.cos(theta))^2)
    S:potential_energy(hm.cos(theta))
    local D = S:derivation(phi.dot + psi.dot*hm.cos(theta))
    assert.equal("Its rate vanishes identically: F is constant along every motion", D[#D].title)
    assert(tostring(D):find("Z = 1/C d/dphi", 1, true))
    -- the energy, by the accelerations
    local E = S:derivation(A/2*(theta.dot^2 + psi.dot^2*hm.sin(theta)^2) + C/2*(phi.dot + psi.dot*hm.cos(theta))^2 + hm.cos(theta))
    assert.equal("Its rate vanishes identically: F is constant along every motion", E[#E].title)
    local N = S:derivation(theta.dot^2)
    assert.equal("Its rate does not vanish: F is not conserved", N[#N].title)
    local _, rate = S:is_conserved(theta.dot^2)
    assert(hm.agree(N[#N][1].value, rate).equal)
    assert(D:latex():find "enumerate")
    check.raises({ "there are no options" }, S.derivation, S, psi.dot, { dependent = { "psi" } })
  end)

  -- A cone of velocities: the energy is kept on it alone
  local function cone()
    local S = hm.system "cone of velocities"
    local x, y, z = S:coordinates "x y z"
    local g = S:positive "g=10"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:potential_energy(g*z)
    S:constraint("cone", z.dot^2 - x.dot^2 - y.dot^2)
    return S, x, y, z, g
  end

  it("compares the rate where nonlinear constraints hold, as is_conserved does", function()
    local S, x, y, z, g = cone()
    local words = { [true] = "F is constant along every motion", [false] = "F is not conserved", none = "is not decided" }
    for _, F in ipairs{ (x.dot^2 + y.dot^2 + z.dot^2)/2 + g*z, z.dot^2 - x.dot^2 - y.dot^2, z.dot + g*hm.t/2, y.dot/x.dot, x.dot } do
      local D, known = S:derivation(F), S:is_conserved(F)
      assert(D[#D].title:find(words[known == nil and "none" or known], 1, true), D[#D].title)
    end
    local D = S:derivation((x.dot^2 + y.dot^2 + z.dot^2)/2 + g*z)
    assert(D[#D].title:find("on the constraints: F is constant along every motion", 1, true), D[#D].title)
  end)

  it("says that inputs are zero", function()
    local S = hm.system "driven"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, S:input "u")
    local D, N = S:derivation(x.dot), S:derivation(x)
    assert.equal("Its rate vanishes identically: F is constant along every motion, with the input 'u' zero", D[#D].title)
    assert.equal("Its rate does not vanish: F is not conserved, with the input 'u' zero", N[#N].title)
  end)

  it("takes functions with a velocity in the denominator", function()
    local S = hm.system "plane"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    local D = S:derivation(x - x.dot*y/y.dot)
    assert.equal("Its rate vanishes identically: F is constant along every motion", D[#D].title)
  end)
end)
