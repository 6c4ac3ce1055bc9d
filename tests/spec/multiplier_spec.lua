-- S:chaplygin_multiplier: reducing multipliers, proved by the equations of both times and seen on runs in both
local hm, check = require "hamel", require "check"
local sin, cos, sqrt, near = hm.sin, hm.cos, hm.sqrt, check.near

local function particle()
  local S = hm.system "particle"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:potential_energy(x*y + y^4)
  S:constraint("c", z.dot - y*x.dot)
  return S, x, y
end

local function veselova()
  local S = hm.system "Veselova"
  local psi, theta, phi = S:coordinates "psi theta phi"
  local I1, I2, I3 = S:positive "I1=1 I2=2 I3=3"
  S:kinetic_energy((I1*(theta.dot*cos(phi) + psi.dot*sin(theta)*sin(phi))^2 + I2*(psi.dot*sin(theta)*cos(phi) - theta.dot*sin(phi))^2
    + I3*(phi.dot + psi.dot*cos(theta))^2)/2)
  S:constraint("no spin", psi.dot + cos(theta)*phi.dot)
  return S, theta, phi, sqrt((sin(theta)*sin(phi))^2/I1 + (sin(theta)*cos(phi))^2/I2 + cos(theta)^2/I3)
end

local function sleigh(offset)
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, a = S:positive "m=2 J=1/3 a=3/5"
  if not offset then a = 0 end
  S:kinetic_energy(m/2*(hm.dt(x + a*cos(theta))^2 + hm.dt(y + a*sin(theta))^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
  return S, x, y, theta
end

-- A run in t and one in tau, which passes over the same states when tau is the integral of N
local function same_path(S, M, q, v, t)
  local whole = S:simulate{ q = q, v = v, t = t, rtol = 1e-12, atol = 1e-13, keep = { mean = hm.mean(M.multiplier) } }
  local N, rates, places = whole:at(0, M.multiplier), {}, {}
  for _, name in ipairs(M.system.coordinate_names) do places[name], rates[name] = q[name], v[name]/N end
  local tau = t*whole.kept.mean
  local changed = M.system:simulate{ q = places, v = rates, t = tau, rtol = 1e-12, atol = 1e-13 }
  for _, name in ipairs(M.system.coordinate_names) do
    near(changed:at(tau).q[name], whole:at(t).q[name], 1e-9, name)
    near(changed:at(tau).v[name]*whole:at(t, M.multiplier), whole:at(t).v[name], 1e-9, name .. "'")
  end
  near(changed:at(tau).energy, whole:at(t).energy, 1e-10, "energy")
end

describe("S:chaplygin_multiplier", function()
  it("finds the particle's, with a potential", function()
    local S, _, y = particle()
    local M = S:chaplygin_multiplier{ shape = { "x", "y" } }
    assert(M.proof and M.why == nil)
    assert.equal(true, (M.multiplier*sqrt(1 + y^2) - 1):is_zero())
    assert(hm.agree(M:back(), S:equations("chaplygin", { dependent = { "z" } })).equal)
    same_path(S, M, { x = 0.2, y = 0.3, z = 0 }, { x = 0.7, y = 0.4 }, 3)
    assert(tostring(M):find "dtau = N dt")
  end)

  it("finds Veselova's", function()
    local S, theta, phi, root = veselova()
    local M = S:chaplygin_multiplier{ shape = { "theta", "phi" } }
    local ratio = (M.multiplier*root)^2
    assert(ratio:diff(theta):is_zero() and ratio:diff(phi):is_zero())
    assert(hm.agree(M:back(), S:equations("chaplygin", { dependent = { "psi" } })).equal)
    same_path(S, M, { psi = 0, theta = 1, phi = 0.3 }, { theta = 0.4, phi = 0.9 }, 4)
  end)

  it("finds the balanced sleigh's, and proves that there is none off the centre", function()
    local S, _, _, theta = sleigh(false)
    local M = S:chaplygin_multiplier{ shape = { "x", "theta" } }
    assert.equal(true, (M.multiplier/cos(theta)):diff(theta):is_zero())
    same_path(S, M, { x = 0, y = 0, theta = 0.3 }, { x = 0.8, theta = 0.5 }, 1.5)
    local none = sleigh(true):chaplygin_multiplier{ shape = { "x", "theta" } }
    assert(none.multiplier == nil and none.system == nil and none.proof == true and none.why:find "no gradient")
    check.raises({ "there is no multiplier" }, none.back, none)
  end)

  it("proves that Chaplygin's sphere has none before its reduction", function()
    local S = hm.system "sphere"
    local x, y, psi, theta, phi = S:coordinates "x y psi theta phi"
    local m, a, I1, I2, I3 = S:positive "m=2 a=1/2 I1=1/10 I2=3/20 I3=1/5"
    S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + I1/2*(theta.dot*cos(phi) + psi.dot*sin(theta)*sin(phi))^2
      + I2/2*(psi.dot*sin(theta)*cos(phi) - theta.dot*sin(phi))^2 + I3/2*(phi.dot + psi.dot*cos(theta))^2)
    S:constraint("roll x", x.dot - a*(theta.dot*sin(psi) - phi.dot*sin(theta)*cos(psi)))
    S:constraint("roll y", y.dot + a*(theta.dot*cos(psi) + phi.dot*sin(theta)*sin(psi)))
    local M = S:chaplygin_multiplier{ shape = { "psi", "theta", "phi" } }
    assert(M.multiplier == nil and M.proof == true and M.why:find "contradict")
  end)

  it("is 1 for one velocity, and for the rolling disc", function()
    local S = hm.system "disc"
    local x, y, theta, phi = S:coordinates "x y theta phi"
    S:kinetic_energy((x.dot^2 + y.dot^2 + theta.dot^2 + phi.dot^2)/2)
    S:constraint("a", x.dot - cos(theta)*phi.dot)
    S:constraint("b", y.dot - sin(theta)*phi.dot)
    local M = S:chaplygin_multiplier{ shape = { theta, phi } }
    assert.equal("1", tostring(M.multiplier))
    local T = hm.system "track"
    local u, v = T:coordinates "u v"
    T:kinetic_energy((u.dot^2 + v.dot^2)/2)
    T:constraint("c", v.dot - sin(u)*u.dot)
    assert.equal("1", tostring(T:chaplygin_multiplier{ shape = { "u" } }.multiplier))
  end)

  it("says why a system is not of this kind", function()
    local S, x = particle()
    check.raises({ "'w' is not a coordinate" }, S.chaplygin_multiplier, S, { shape = { "x", "w" } })
    check.raises({ "shape has 1 coordinates, but 1 constraints leave 2" }, S.chaplygin_multiplier, S, { shape = { "x" } })
    local V = hm.system "climbing"
    local r, z = V:coordinates "r z"
    V:kinetic_energy((r.dot^2 + z.dot^2)/2)
    V:constraint("c", z.dot - z*r.dot)
    check.raises({ "'z' is not in shape, but", "depends on it" }, V.chaplygin_multiplier, V, { shape = { "r" } })
    S:force(x, -x.dot)
    check.raises({ "a force without potential acts on 'x'" }, S.chaplygin_multiplier, S, { shape = { "x", "y" } })
    local T = sleigh(false)
    check.raises({ "do not determine the velocities of 'theta'" }, T.chaplygin_multiplier, T, { shape = { "x", "y" } })
    local U = hm.system "moved"
    local a, b = U:coordinates "a b"
    U:kinetic_energy((a.dot^2 + b.dot^2)/2)
    U:constraint("c", b.dot - hm.t)
    check.raises({ "'b' moves without the others" }, U.chaplygin_multiplier, U, { shape = { "a" } })
    local H = hm.system "held"
    local u, v = H:coordinates "u v"
    H:kinetic_energy((u.dot^2 + v.dot^2)/2)
    H:constraint("c", u - v)
    check.raises({ "'c' is holonomic" }, H.chaplygin_multiplier, H)
  end)
end)
