-- S:invariant_measure: densities in the literature, proofs that there is none, and what is refused
local hm, check, systems = require "hamel", require "check", require "nonholonomic"
local sin, cos, sqrt = hm.sin, hm.cos, hm.sqrt

-- Densities are fixed up to a constant factor; squares, in which roots cancel
local function same(S, a, b)
  for _, q in ipairs(S:coordinate_list()) do assert(((a/b)^2):diff(q):is_zero() ~= false, tostring(a)) end
end

-- density for dq times the named velocities; none: the bracket of the obstruction
local known = {
  particle = { make = systems.particle, variables = "x y z x' y'", density = function(k) return sqrt(1 + k.y^2) end },
  ["balanced sleigh"] = { make = systems.sleigh, variables = "x y theta u omega", density = function() return hm.number(1) end },
  ["sleigh with an offset"] = { make = systems.sleigh, arguments = { true }, none = "[omega, [u, omega]]" },
  ["Suslov, principal axis"] = { make = systems.suslov, arguments = { 0 }, options = { parameters = "declared" }, variables = "psi theta phi a b",
    density = function(k) return sin(k.theta) end },
  ["Suslov, another axis"] = { make = systems.suslov, arguments = { 1 }, none = "[a, [a, b]]" },
  ["upright disc"] = { make = systems.upright_disc, variables = "x y theta phi theta' phi'", density = function() return hm.number(1) end },
  ["rolling disc"] = { make = systems.rolling_disc, variables = "x y psi theta phi psi' theta' phi'", density = function(k) return sin(k.theta)^2 end },
  -- for theta'/sin(phi) the root alone (x' is that times l cos(phi) cos(theta))
  snakeboard = { make = systems.snakeboard, variables = "x y theta psi phi x' psi' phi'", density = function(k)
    return sqrt(k.m*k.l^2*cos(k.phi)^2 + (k.J + 2*k.W)*sin(k.phi)^2)/(cos(k.phi)*cos(k.theta))
  end },
  ["roller racer"] = { make = systems.roller_racer, none = true },
  Veselova = { make = systems.veselova, variables = "psi theta phi theta' phi'", density = function(k)
    return sin(k.theta)^2*sqrt(k.gamma[1]^2/k.I[1] + k.gamma[2]^2/k.I[2] + k.gamma[3]^2/k.I[3])
  end },
  ["Chaplygin's sphere"] = { make = systems.sphere, variables = "x y psi theta phi p q r", density = function(k)
    local D, g = k.m*k.a^2, k.gamma
    return sin(k.theta)*sqrt(1 - D*(g[1]^2/(k.I[1] + D) + g[2]^2/(k.I[2] + D) + g[3]^2/(k.I[3] + D)))
  end },
  turntable = { make = systems.turntable, variables = "x y a1 a2 a3 x' y' a3'", density = function() return hm.number(1) end },
  ["ball in a cylinder"] = { make = systems.cylinder, variables = "phi z a1 a2 a3 n w v", density = function() return hm.number(1) end },
  ellipsoid = { make = systems.ellipsoid, arguments = { 3, 2, 1 }, none = true },
}

describe("invariant measures in the literature:", function()
  for name, case in pairs(known) do
    it(name, function()
      local S, k = case.make(table.unpack(case.arguments or {}))
      local M = S:invariant_measure(case.options)
      assert.is_true(M.proof)
      assert.are.equal(not case.none, M.exists)
      if case.none then
        assert.is_nil(M.density)
        assert(M.obstruction.name == case.none or case.none == true, M.obstruction.name)
      else
        assert.are.equal(case.variables, table.concat(M.variables, " "))
        assert.is_true(M.single_valued)
        same(S, M.density, case.density(k))
      end
    end)
  end

  it("an ellipsoid with two equal axes has one", function()
    local S = systems.ellipsoid(3, 3, 1)
    assert.is_true(S:invariant_measure().proof)
  end)
end)

describe("S:invariant_measure", function()
  local function pendulum(f)
    local S = hm.system "pendulum"
    local theta = S:coordinates "theta"
    local c = S:positive "c=2"
    S:kinetic_energy(theta.dot^2/2)
    S:potential_energy(-cos(theta))
    S:force(theta, f(c, theta.dot))
    return S, theta, c
  end

  it("is det M for systems without constraints", function()
    local S = hm.system "spherical pendulum"
    local theta = S:coordinates "theta phi"
    local _, phi = table.unpack(S:coordinate_list())
    S:kinetic_energy((theta.dot^2 + sin(theta)^2*phi.dot^2)/2)
    S:potential_energy(-cos(theta))
    same(S, S:invariant_measure().density, sin(theta)^2)
    assert.is_true((S:invariant_measure().momentum_density):is_zero() == false)
  end)

  it("is lost by damping that is linear in the velocity", function()
    local M = pendulum(function(c, rate) return -c*rate end):invariant_measure()
    assert.is_false(M.exists)
    assert.are.equal("rest", M.obstruction.name)
  end)

  it("may exist on the covering space only", function()
    local S, theta, c = pendulum(function(c, rate) return -c*rate^2 end)
    local M = S:invariant_measure{ parameters = "declared" }
    -- theta'' = -2 theta'^2 - sin(theta): divergence -4 theta'
    assert.is_true(M.exists and M.proof)
    same(S, M.density, hm.exp(4*theta))
    assert.is_false(M.single_valued)
    assert(c and M.why:find("covering", 1, true))
  end)

  it("refuses constraints that are not linear in the velocities", function()
    local S = hm.system "Appell"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:constraint("c", z.dot^2 - x.dot^2 - y.dot^2)
    check.raises({ "'c'", "not linear" }, S.invariant_measure, S)
    check.raises({ "psy", "theta" }, function() pendulum(function() return 0 end):invariant_measure{ angles = { "psy" } } end)
  end)

  -- Chaplygin's sphere, its attitude by a unit quaternion
  local function sphere()
    local S = hm.system "sphere"
    local x, y = S:coordinates "x y"
    local p, q, r = S:rotation("R", { rates = "p q r" }):rates()
    local function row(i) return S:admit("R" .. i .. "x")*p + S:admit("R" .. i .. "y")*q + S:admit("R" .. i .. "z")*r end
    S:kinetic_energy((x.dot^2 + y.dot^2)/2 + (p^2 + 2*q^2 + 3*r^2)/2)
    S:constraint("a", x.dot - row "y")
    S:constraint("b", y.dot + row "x")
    return S, S:admit "Rzx", S:admit "Rzy", S:admit "Rzz"
  end

  it("have a real and positive density, whatever the sign of a candidate", function()
    local S, zx, zy, zz = sphere()
    local g = 1 - zx^2/2 - zy^2/3 - zz^2/4
    for _, candidate in ipairs{ g, -g } do
      local M = S:invariant_measure{ candidates = { candidate } }
      assert.is_true(M.proof)
      assert.is_nil(M.positive_where)
      for _, e in ipairs{ M.density, M.momentum_density } do
        assert(e:eval{ Rzy = 0.6, Rzz = 0.6 } > 0, tostring(e))
      end
    end
  end)

  -- arbiter: equal moments keep p and q constant, and Rzz' is Rzz times the divergence of the attitude
  it("keep a direction cosine whose sign changes", function()
    local S = hm.system "no turning about the vertical"
    local R = S:rotation("R", { rates = "p q r" })
    S:body("body", { frame = R, inertia = {1, 1, 1} })
    S:constraint("c", R:angular_velocity():dot(S:frame "N".z))
    local M = S:invariant_measure()
    assert.equal("1/Rzz", tostring(M.density))
    assert.equal("Rzz > 0", M.positive_where)
  end)

  it("say where their density is positive", function()
    local S = hm.system "sleigh"
    local x, y, theta = S:coordinates "x y theta"
    S:kinetic_energy((x.dot^2 + y.dot^2 + theta.dot^2)/2)
    S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
    local M = S:invariant_measure()
    assert.equal("1/cos(theta)", tostring(M.density))
    assert.equal("cos(theta) > 0", M.positive_where)
    assert(tostring(M):find("positive where cos(theta) > 0", 1, true))
    local P = hm.system "outside a circle"
    local a, b = P:coordinates "a b"
    local f = a^2 + b^2 - 1
    P:kinetic_energy((a.dot^2 + b.dot^2)/2)
    for _, q in ipairs{ a, b } do P:force(q, -q.dot*(a*a.dot + b*b.dot)/f) end
    for _, given in ipairs{ {}, { candidates = { f } }, { candidates = { -f } } } do
      M = P:invariant_measure(given)
      assert.equal("(a^2 + b^2 - 1)^(3/2)", tostring(M.density))
      assert.equal("a^2 + b^2 - 1 > 0", M.positive_where)
    end
    -- on a sphere every coordinate takes both signs
    local H = hm.system "on a sphere"
    local u, v, w = H:coordinates "u v w"
    H:kinetic_energy((u.dot^2 + v.dot^2 + w.dot^2)/2)
    H:constraint("sphere", u^2 + v^2 + w^2 - 1)
    M = H:invariant_measure()
    assert(M.proof and M.positive_where and M.positive_where:find(" > 0", 1, true), tostring(M))
  end)
end)
