-- S:hamiltonian: Legendre's transformation and brackets, judged by the equations of motion that other forms derive
local hm, check = require "hamel", require "check"
local sin, cos = hm.sin, hm.cos

local function top()
  local S = hm.system "top"
  local psi, theta, phi = S:coordinates "psi theta phi"
  local A, C, w = S:positive "A=2 C=1 w=3"
  S:kinetic_energy(A/2*(theta.dot^2 + psi.dot^2*sin(theta)^2) + C/2*(phi.dot + psi.dot*cos(theta))^2)
  S:potential_energy(w*cos(theta))
  return S, psi, theta, phi
end

local function sleigh()
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, a = S:positive "m=2 J=1/3 a=3/5"
  S:kinetic_energy(m/2*(hm.dt(x + a*cos(theta))^2 + hm.dt(y + a*sin(theta))^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
  S:quasi_velocities("u omega", { x.dot*cos(theta) + y.dot*sin(theta), theta.dot })
  return S, x, y, theta
end

-- Rates by the bracket against rates by the accelerations, both along a run of another form
local function same_rates(S, H, start, list)
  start.t, start.rtol, start.atol, start.form = 2, 1e-11, 1e-12, "lagrange"
  local run, h = S:simulate(start), 1e-3
  for _, f in ipairs(list) do
    local rate, value = H:rate(f), f
    for name, p in pairs(H.p) do
      rate = rate:subs{ [p] = H.momenta[name] }
      value = type(value) == "string" and value or value:subs{ [p] = H.momenta[name] }
    end
    for _, t in ipairs{ 0.4, 1.5 } do
      local slope = (8*(run:at(t + h, value) - run:at(t - h, value)) - run:at(t + 2*h, value) + run:at(t - 2*h, value))/(12*h)
      check.near(slope, run:at(t, rate), 1e-7, tostring(f))
    end
  end
end

describe("S:hamiltonian", function()
  it("is that of the books for a top", function()
    local S, psi, theta = top()
    local H = S:hamiltonian()
    local p, A, C, w = H.p, S:symbol "A", S:symbol "C", S:symbol "w"
    assert(hm.agree(H.H, p.theta^2/(2*A) + (p.psi - p.phi*cos(theta))^2/(2*A*sin(theta)^2) + p.phi^2/(2*C) + w*cos(theta)).equal)
    assert.equal("1", tostring(H:bracket("theta", "p_theta")))
    assert.equal("0", tostring(H:bracket(p.psi, H.H)))
    assert(hm.agree(H:bracket(psi.dot, p.theta), hm.diff(H.velocities.psi, theta)).equal)
    assert.equal(true, H:jacobi())
    same_rates(S, H, { q = { psi = 0, theta = 0.7, phi = 0 }, v = { psi = 0.4, theta = 0.2, phi = 2 } }, { p.theta, sin(theta)*p.psi, "theta" })
    assert(tostring(H):find("p_psi' = 0", 1, true))
  end)

  it("has the bracket of constrained systems, which fails Jacobi's identity", function()
    local S, x, y, theta = sleigh()
    local H = S:hamiltonian()
    local m, J, a = S:symbol "m", S:symbol "J", S:symbol "a"
    assert(hm.agree(H.H, H.p.u^2/(2*m) + H.p.omega^2/(2*(J + m*a^2))).equal)
    -- {p_u, p_omega} = m a omega: from the accelerations of the sleigh
    assert(hm.agree(H:bracket("p_u", "p_omega"), m*a*H.p.omega/(J + m*a^2)).equal)
    assert.equal("0", tostring(H:bracket("x", "y")))
    local answer, triple = H:jacobi()
    assert(answer == false and triple.sum:is_zero() == false)
    same_rates(S, H, { q = { x = 0, y = 0, theta = 0.3 }, v = { u = 1, omega = 0.5 } }, { H.p.u, H.p.omega, x*H.p.u + theta, x.dot*y })
  end)

  it("satisfies Jacobi's identity where the constraint is integrable", function()
    local S = hm.system "integrable"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:constraint("c", z.dot - 2*x*x.dot*y - x^2*y.dot)
    assert.equal(true, S:hamiltonian():jacobi())
  end)

  it("carries forces without potential, gyroscopic terms and time", function()
    local S, x, y, theta = sleigh()
    S:force(x, -x.dot/4 + cos(theta))
    S:potential_energy(y*sin(hm.t))
    local H = S:hamiltonian()
    same_rates(S, H, { q = { x = 0, y = 0, theta = 0.3 }, v = { u = 1, omega = 0.5 } }, { H.p.u, H.p.omega, H.H, y*H.p.u*hm.t })
    local G = hm.system "charge"
    local u, v = G:coordinates "u v"
    G:lagrangian((u.dot^2 + v.dot^2)/2 + u^2*v.dot - u^4*v^2)
    local K = G:hamiltonian()
    assert(hm.agree(K.H, K.p.u^2/2 + (K.p.v - u^2)^2/2 + u^4*v^2).equal)
    same_rates(G, K, { q = { u = 0.3, v = 0.2 }, v = { u = 0.1, v = 0.4 } }, { K.p.u, K.p.v, v*K.p.u })
  end)

  it("refuses what has none", function()
    local S = hm.system "free"
    local x, y = S:coordinates "x y"
    S:kinetic_energy(x.dot^2/2)
    check.raises({ "no inertia" }, S.hamiltonian, S)
    S:kinetic_energy(x.dot^4 + y.dot^2, { replace = true })
    check.raises({ "not linear in the velocities" }, S.hamiltonian, S)
    local M = hm.system "moved"
    local u, v = M:coordinates "u v"
    M:kinetic_energy((u.dot^2 + v.dot^2)/2)
    M:constraint("c", u.dot - v.dot - 1)
    check.raises({ "the constraints of moved move" }, M.hamiltonian, M)
    local H = top():hamiltonian()
    check.raises({ "'zz'", "no name of top" }, H.bracket, H, "zz", "theta")
  end)
end)
