-- the derived flag: how far constraints are from integrable, and the part of them that is
local hm, check = require "hamel", require "check"
local sin, cos = hm.sin, hm.cos

local function system(names, constraints)
  local S = hm.system "constraints"
  local q = { S:coordinates(names) }
  for k, f in ipairs{ constraints(table.unpack(q)) } do S:constraint("c" .. k, f) end
  return S, q
end

local function dimensions(S) return table.concat(S:derived_flag().dimensions, " ") end

-- F is constant on every possible motion: dF/dt vanishes where the constraints hold
local function conserved(S, F)
  local K = require "hamel.equations.kinematics".solved(S, nil, "test")
  return hm.dt(F):subs((function()
    local map = {}
    for s, q in ipairs(S:coordinate_list()) do map[q.dot] = K.v[s] end
    return map
  end)()):is_zero()
end

describe("the derived flag", function()
  it("is empty at once for a skate, and full for integrable constraints", function()
    assert.are.equal("1 0", dimensions(system("x y theta", function(x, y, theta) return x.dot*sin(theta) - y.dot*cos(theta) end)))
    local S = system("x y z", function(x, y, z) return y.dot - z.dot*x - z*x.dot, z^2 + x^2 - 1 end)
    local flag = S:derived_flag()
    assert.are.equal("2 2", table.concat(flag.dimensions, " "))
    for _, F in ipairs(flag.integrals) do assert.is_true(conserved(S, F)) end
  end)

  it("falls by one at a time for Engel's and Goursat's systems", function()
    -- the car: z' = u y', u' = w y' ...; chained form of n coordinates
    assert.are.equal("2 1 0", dimensions(system("a b c d", function(a, b, c, d) return b.dot - c*a.dot, c.dot - d*a.dot end)))
    assert.are.equal("3 2 1 0", dimensions(system("a b c d e", function(a, b, c, d, e)
      return b.dot - c*a.dot, c.dot - d*a.dot, d.dot - e*a.dot end)))
  end)

  it("finds the heading of a carriage from its wheels", function()
    local S, q = system("x y theta phi1 phi2", function(x, y, theta, phi1, phi2)
      local ahead = x.dot*cos(theta) + y.dot*sin(theta)
      return y.dot*cos(theta) - x.dot*sin(theta), ahead + 3*theta.dot - 2*phi1.dot, ahead - 3*theta.dot - 2*phi2.dot
    end)
    local flag = S:derived_flag()
    assert.are.equal("3 2 1 1", table.concat(flag.dimensions, " "))
    assert.is_true(conserved(S, flag.integrals[1]))
    -- up to a factor 6 theta - 2 phi1 + 2 phi2
    local F = 6*q[3] - 2*q[4] + 2*q[5]
    assert.is_true((hm.diff(F, q[3])*hm.diff(flag.integrals[1], q[4]) - hm.diff(F, q[4])*hm.diff(flag.integrals[1], q[3])):is_zero())
    assert.truthy(tostring(flag):find("is constant", 1, true))
    check.raises({ "not integrable", "derived_flag" }, S.constraint_integrals, S)
  end)

  it("counts time: a moving constraint", function()
    -- (y - t x)' - t^2 is integrable, z' = y x' is not: together only the first
    local S = system("x y z", function(x, y, z) return y.dot - hm.t*x.dot - x - hm.t^2, z.dot - y*x.dot end)
    local flag = S:derived_flag()
    assert.are.equal("2 1 1", table.concat(flag.dimensions, " "))
    assert.is_true(conserved(S, flag.integrals[1]))
  end)

  it("refuses nonlinear constraints", function()
    check.raises({ "'c1' is not linear", "S:holonomic()" }, hm.system("s").derived_flag,
      (system("x y", function(x, y) return x.dot^2 - y.dot end)))
  end)
end)
