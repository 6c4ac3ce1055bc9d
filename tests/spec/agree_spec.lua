-- two sets of equations of motion: equal, different with a witness, undecided, what is refused
local hm, check = require "hamel", require "check"
local sqrt = hm.sqrt

local function particle(name, f)
  local S = hm.system(name)
  local x, y, z = S:coordinates "x y z"
  local g = S:positive "g=9.81"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:potential_energy(g*z)
  S:constraint("f", f(x, y, z))
  return S, x, y
end

describe("agreement of equations", function()
  it("is proved for every form of one motion", function()
    local S, _, _, theta = check.sleigh(hm)
    for _, form in ipairs{ "nielsen", "chaplygin", "voronets", "hamel", "volterra", "maggi", "kane", "appell", "canonical" } do
      local a = hm.agree(S:equations(), S:equations(form, { dependent = { "y" } }))
      assert.is_true(a.equal, form .. ": " .. tostring(a))
    end
    local a = hm.agree(S:equations("maggi", { dependent = { "x" } }), S:equations("maggi", { dependent = { "y" } }))
    assert.is_true(a.equal)
    assert.are.equal(2, #a.where)                                      -- sin and cos: where the forms are singular
    assert.truthy(tostring(a):find("sin(theta) ~= 0", 1, true))
    assert.is_true(hm.agree(theta, theta).equal)                       -- formulas as before
  end)

  it("of acatastatic, rheonomic and nonlinear constraints", function()
    local S = hm.system "belt"
    local x, y, theta = S:coordinates "x y theta"
    S:kinetic_energy(x.dot^2 + y.dot^2 + theta.dot^2/3 + x.dot*theta.dot*hm.cos(theta)/4)
    S:force(x, x.dot*theta)
    S:constraint("blade", (x.dot - hm.sin(hm.t))*hm.sin(theta) - (y.dot - x)*hm.cos(theta))
    for _, form in ipairs{ "voronets", "hamel", "volterra", "maggi", "canonical" } do
      assert.is_true(hm.agree(S:equations(), S:equations(form)).equal, form)
    end
    local C = particle("cone", function(u, v, w) return w.dot - sqrt(u.dot^2 + v.dot^2) end)
    assert.is_true(hm.agree(C:equations(), C:equations "nielsen").equal)
  end)

  it("fails with a witness and says what differs", function()
    local S = particle("Heisenberg particle", function(x, y, z) return y.dot - z*x.dot end)
    local a = hm.agree(S:equations(), S:equations("lindelof", { dependent = { "y" } }))
    assert.is_false(a.equal)
    assert.are.equal("different", a.verdict)
    assert.are.same({ "x''", "y''", "z''" }, a.what)
    -- arbiter: the accelerations of both at the witness
    local q, v, parameters = { x = 0, y = 0, z = 0 }, { x = 0, z = 0 }, {}
    for _, pair in ipairs(a.witness) do
      local name = tostring(pair[1])
      if name == "g" then parameters.g = pair[2]
      elseif name:find("'", 1, true) then v[name:sub(1, -2)] = pair[2] else q[name] = pair[2] end
    end
    local want = S:accelerations{ q = q, v = v, parameters = parameters }
    local other = S:accelerations{ q = q, v = v, parameters = parameters, form = "lindelof", dependent = { "y" } }
    check.near(a.difference, want.a.x - other.a.x, 1e-9)
    assert.truthy(tostring(a):find("different: x'', y'', z'', by", 1, true))
    assert.is_false(hm.agree(S:equations(), S:equations "vakonomic").equal)
  end)

  it("compares two systems", function()
    local A = particle("A", function(x, y) return x*x.dot + y*y.dot end)
    local B = particle("B", function(x, y) return (x*x.dot + y*y.dot)*(1 + x^2) end)
    assert.is_true(hm.agree(A:equations(), B:equations()).equal)
    local C = particle("C", function(x, y) return x*x.dot - y*y.dot end)
    local a = hm.agree(A:equations(), C:equations())
    assert.is_false(a.equal)
    assert.are.equal("the constraint 'f' of C", a.what[1])
    local D = particle("D", function(x, y) return x^2 + y^2 - 4 end)
    local E = particle("E", function(x, y) return x^2 + y^2 - 1 end)
    local b = hm.agree(D:equations(), E:equations())
    assert.is_false(b.equal)
    assert.are.same({ "the constraint 'f' of E" }, b.what)
  end)

  it("says on which level a constraint on velocities agrees with one on positions", function()
    local A = particle("A", function(x, y) return x^2 + y^2 - 4 end)
    local B = particle("B", function(x, y) return x*x.dot + y*y.dot end)
    for _, pair in ipairs{ { A, B }, { B, A } } do
      local a = hm.agree(pair[1]:equations(), pair[2]:equations())
      assert.equal("equal where x^2 + y^2 ~= 0, x^2 + y^2 - 4 = 0", tostring(a))
      assert.equal("=", a.domain[1][2])
    end
    assert.equal("equal where x^2 + y^2 ~= 0", tostring(hm.agree(B:equations(), particle("C", function(x, y) return x*x.dot + y*y.dot end):equations())))
    local branches = particle("D", function(x, y) return (x^2 + y^2 - 4)*(x - y) end)
    for _, pair in ipairs{ { A, branches }, { branches, A } } do
      local a = hm.agree(pair[1]:equations(), pair[2]:equations())
      assert.is_false(a.equal)
      assert.equal("the constraint 'f' of A", a.what[1])
    end
  end)

  it("is proved where it rests on the surface alone: by division", function()
    local S, x, y = particle("cylinder", function(x, y) return x^2 + y^2 - (hm.t + 1)^2 end)
    local r = sqrt(x^2 + y^2)
    local M = S:linear_mapping{ names = "p h s", time = 3, b = { { -y, 0, x/r }, { x, 0, y/r }, { 0, 1, 0 } } }
    assert.is_true(hm.agree(S:equations(), S:equations("mapping", { mapping = M })).equal)
    local C = particle("speed", function(u, w) return u.dot^2 + w.dot^2 - 4 end)
    local a = hm.agree(C:equations(), C:equations "maggi")
    assert.is_true(a.equal)
    assert.truthy(tostring(a):find("equal where", 1, true))
  end)

  it("is undecided where the surface is not algebraic", function()
    local function surface(x, y) return hm.sin(x) + x + hm.exp(y) + y end
    local D = particle("D", surface)
    local E = particle("E", function(x, y) return hm.exp(surface(x, y)) - 1 end)
    local a = hm.agree(D:equations(), E:equations())
    assert.are.equal("undecided", a.verdict)
    assert.is_nil(a.equal)
    assert.truthy(tostring(a):find("undecided: the constraint 'f' of E", 1, true))
  end)

  it("refuses what cannot be compared", function()
    local S = check.sleigh(hm)
    local P = check.pendulum(hm)
    check.raises({ "agree", "different coordinates", "x, y, theta", "x, y" }, hm.agree, S:equations(), P:equations())
    check.raises({ "equations of motion and something else" }, hm.agree, S:equations(), S:symbol "x")
  end)
end)
