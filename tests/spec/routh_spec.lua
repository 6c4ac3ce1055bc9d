-- S:routh: cyclic coordinates eliminated by their momenta; judged by runs of the whole system and by closed solutions
local hm, check = require "hamel", require "check"
local sin, cos, near = hm.sin, hm.cos, check.near

local function spherical_pendulum()
  local S = hm.system "spherical pendulum"
  local theta, phi = S:coordinates "theta phi"
  local m, l, g = S:positive "m=1 l=2 g=10"
  S:kinetic_energy(m*l^2/2*(theta.dot^2 + sin(theta)^2*phi.dot^2))
  S:potential_energy(-m*g*l*cos(theta))
  return S, theta, phi
end

local function heavy_top()
  local S = hm.system "top"
  local psi, theta, phi = S:coordinates "psi theta phi"
  local A, C, w = S:positive "A=2 C=1 w=3"
  S:kinetic_energy(A/2*(theta.dot^2 + psi.dot^2*sin(theta)^2) + C/2*(phi.dot + psi.dot*cos(theta))^2)
  S:potential_energy(w*cos(theta))
  return S, psi, theta, phi
end

-- two shapes and two cyclic coordinates, all coupled, with time, a gyroscopic term, friction and a drive
local function coupled()
  local S = hm.system "coupled"
  local x, y, a, b = S:coordinates "x y a b"
  S:kinetic_energy((2 + cos(x))/2*a.dot^2 + (3 + y^2)/2*b.dot^2 + sin(x)*a.dot*b.dot/2 + y*x.dot*a.dot + x.dot^2 + y.dot^2 + cos(y)*y.dot*b.dot
    + sin(hm.t)*a.dot + x*b.dot)
  S:potential_energy(x^2 + y^4/2 + x*y*cos(hm.t))
  S:force(x, -x.dot/5 + b.dot/7)
  S:force(y, cos(2*hm.t))
  return S, x, y, a, b
end

local tight = { rtol = 1e-12, atol = 1e-13, t = 3 }

-- Runs both from one start and compares every coordinate and velocity at several times
local function compare(S, q, v, names)
  local whole = S:simulate{ q = q, v = v, t = tight.t, rtol = tight.rtol, atol = tight.atol }
  local R = S:routh(names)
  local parameters, reduced_q, reduced_v, angles = {}, {}, {}, {}
  for name in pairs(R.eliminated.momenta) do
    parameters["p_" .. name], angles[name] = whole:at(0, R.eliminated.momenta[name]), q[name]
  end
  for _, name in ipairs(R.coordinate_names) do reduced_q[name], reduced_v[name] = q[name], v[name] end
  local part = R:simulate{ q = reduced_q, v = reduced_v, t = tight.t, rtol = tight.rtol, atol = tight.atol, parameters = parameters }
  local lifted = R:lift(part, angles)
  for _, t in ipairs{ 0, 0.7, 1.9, 3 } do
    local want, got = whole:at(t), lifted:at(t)
    for _, name in ipairs(S.coordinate_names) do
      near(got.q[name], want.q[name], 1e-9, name)
      near(got.v[name], want.v[name], 1e-9, name .. "'")
    end
  end
  return R, part, lifted, whole
end

describe("S:routh", function()
  it("leaves the Lagrangian of the books for the spherical pendulum", function()
    local S = spherical_pendulum()
    local R = S:routh{ "phi" }
    local m, l, g, p, theta = R:symbol "m", R:symbol "l", R:symbol "g", R:symbol "p_phi", R:symbol "theta"
    assert(hm.agree(R:potential_energy(), p^2/(2*m*l^2*sin(theta)^2) - m*g*l*cos(theta)).equal)
    assert(hm.agree(R:kinetic_energy(), m*l^2/2*theta.dot^2).equal)
    compare(S, { theta = 1, phi = 0.4 }, { theta = 0.2, phi = 0.5 }, { "phi" })
  end)

  it("agrees with runs of the whole system, energy included", function()
    local S = heavy_top()
    local _, part, lifted, whole = compare(S, { psi = 0.3, theta = 0.8, phi = -1 }, { psi = 0.5, theta = 0.1, phi = 4 })
    near(part:at(2).energy, whole:at(2).energy, 1e-10, "energy")
    local psi, phi = S:symbol "psi", S:symbol "phi"
    local times, values = lifted:series(psi.dot + phi, "psi")
    near(values[#times], whole:at(3, psi.dot + phi), 1e-9, "series")
    near(lifted:at(1.5, hm.sin(psi)*phi.dot), whole:at(1.5, hm.sin(psi)*phi.dot), 1e-9, "expression")
  end)

  it("keeps coupling, gyroscopic terms, time and forces", function()
    local S = coupled()
    compare(S, { x = 0.3, y = -0.2, a = 1, b = 2 }, { x = 0.1, y = 0.4, a = -0.3, b = 0.6 })
    compare(S, { x = 0.3, y = -0.2, a = 1, b = 2 }, { x = 0.1, y = 0.4, a = -0.3, b = 0.6 }, { "b" })
  end)

  it("turns steady motions into equilibria: the conical pendulum", function()
    local R = spherical_pendulum():routh()
    -- p = l^2 sin^2 w with w^2 = g/(l cos); small oscillations: w sqrt(1 + 3 cos^2)
    local theta = 0.7
    local w = math.sqrt(10/(2*math.cos(theta)))
    local p = 4*math.sin(theta)^2*w
    local L = R:linearize{ q = { theta = theta }, v = { theta = 0 }, parameters = { p_phi = p } }
    near(math.abs(L.eigenvalues[1].im), w*math.sqrt(1 + 3*math.cos(theta)^2), 1e-9, "frequency")
  end)

  it("refuses what is not cyclic, with the reason", function()
    local S, theta, phi = spherical_pendulum()
    check.raises({ "'theta' is not cyclic", "L depends on it" }, S.routh, S, { "theta" })
    check.raises({ "'fi' is not a coordinate" }, S.routh, S, { "fi" })
    check.raises({ "no option 'q'" }, S.routh, S, { q = "phi" })
    S:force(phi, -phi.dot)
    check.raises({ "'phi' is not cyclic", "the force on it is -phi'" }, S.routh, S, { "phi" })
    check.raises({ "no cyclic coordinate" }, S.routh, S)
    local T = spherical_pendulum()
    T:force(theta, cos(phi))
    check.raises({ "the force on 'theta' depends on it" }, T.routh, T, { "phi" })
    local U = spherical_pendulum()
    U:force(U:symbol "theta", function() return 1 end)
    check.raises({ "Lua function" }, U.routh, U, { "phi" })
  end)

  it("refuses constraints, contacts, momenta that determine nothing", function()
    local S, theta, phi = spherical_pendulum()
    S:constraint("turn", phi.dot - 2*theta.dot)
    check.raises({ "has constraints, 'turn'" }, S.routh, S)
    local T, angle = spherical_pendulum()
    T:unilateral("stop", 2 - angle, { law = hm.plastic() })
    check.raises({ "one-sided" }, T.routh, T)
    local U = hm.system "idle"
    local x, a, b = U:coordinates "x a b"
    U:kinetic_energy(x.dot^2 + (a.dot + b.dot)^2)
    U:potential_energy(x^2)
    check.raises({ "do not determine", "'a' and 'b'" }, U.routh, U)
    U:kinetic_energy(x.dot^2 + a.dot^4 + b.dot^2, { replace = true })
    check.raises({ "'a' is not linear" }, U.routh, U)
    local F = hm.system "free"
    F:kinetic_energy(F:coordinates "u".dot^2/2)
    check.raises({ "all coordinates of free are cyclic" }, F.routh, F)
  end)

  it("belongs to reduced systems and their runs", function()
    local S = spherical_pendulum()
    local R = S:routh()
    local run = S:simulate{ q = { theta = 1, phi = 0 }, v = { theta = 0, phi = 1 }, t = 1 }
    check.raises({ "lift belongs to systems that S:routh reduced" }, S.lift, S, run)
    check.raises({ "lift takes a run of spherical pendulum (reduced)" }, R.lift, R, run)
    local part = R:simulate{ q = { theta = 1 }, v = { theta = 0 }, t = 1, parameters = { p_phi = 1 } }
    check.raises({ "'theta' is not one of the coordinates that were eliminated" }, R.lift, R, part, { theta = 1 })
    check.raises({ "p_phi" }, R.simulate, R, { q = { theta = 1 }, v = { theta = 0 }, t = 1 })
    -- a name that is taken
    local P = hm.system "taken"
    local x, phi = P:coordinates "x phi"
    local p = P:parameters "p_phi=3"
    P:kinetic_energy(x.dot^2/2 + x^2*phi.dot^2/2)
    P:potential_energy(p*x)
    assert.equal("p_phi P_phi", table.concat(P:routh().parameter_names, " "))
  end)

  it("runs backward in time", function()
    local S = spherical_pendulum()
    local R = S:routh()
    local whole = S:simulate{ q = { theta = 1, phi = 0.2 }, v = { theta = 0.3, phi = 0.5 }, t = { 2, 0 }, rtol = 1e-12, atol = 1e-13 }
    local part = R:simulate{ q = { theta = 1 }, v = { theta = 0.3 }, t = { 2, 0 }, rtol = 1e-12, atol = 1e-13,
                             parameters = { p_phi = whole:at(2, R.eliminated.momenta.phi) } }
    near(R:lift(part, { phi = 0.2 }):at(0.5).phi, whole:at(0.5).phi, 1e-10, "backward")
  end)

  it("refuses rotations by unit quaternions, which would lose their unit length", function()
    local S = hm.system "top on a cart"
    local x = S:coordinates "x"
    local p, q, r = S:rotation("R", { rates = "p q r" }):rates()
    S:kinetic_energy(x.dot^2/2 + p^2 + q^2 + r^2/2 + x.dot*p/3)
    check.raises({ "the rotation 'R'", "by angles" }, S.routh, S, { "x" })
    local B = hm.system "ball"
    B:body("b", { frame = B:rotation "Q", mass = 1, inertia = { 1, 2, 3 } })
    check.raises({ "the rotation 'Q'" }, B.routh, B)
  end)
end)
