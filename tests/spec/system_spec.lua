-- systems: declaration, classification, printing, messages for bad input
local hm, check = require "hamel", require "check"

describe("a system", function()
  it("classifies its constraints", function()
    local S = hm.system "s"
    local x, y, z = S:coordinates "x y z"
    local c = S:constraint("sphere", x^2 + y^2 + z^2 - (1 + hm.t)^2)
    assert.equal("holonomic", c.kind)
    assert.is_false(c.scleronomic)
    assert.is_false(c.catastatic)
    c = S:constraint("linear", x.dot + z*y.dot)
    assert.equal("linear nonholonomic", c.kind)
    assert.is_true(c.catastatic and c.scleronomic)
    c = S:constraint("moving", x.dot - hm.sin(hm.t))
    assert.is_false(c.catastatic or c.scleronomic)
    c = S:constraint("nonlinear", x.dot^2 + y.dot^2 - 1)
    assert.equal("nonlinear nonholonomic", c.kind)
    -- linear although it does not look like it
    c = S:constraint("hidden", (x.dot + y.dot)^2 - (x.dot - y.dot)^2 - 4*x.dot*y.dot + z.dot)
    assert.equal("linear integrable", c.kind)
    check.raises({ "5 constraints on 3 velocities" }, function() return S.degrees_of_freedom end)
    -- integrable by itself: closed, with an integrating factor, in time; or only with the others
    assert.equal("linear integrable", S:constraint("closed", y*x.dot + x*y.dot + hm.t).kind)
    assert.equal("linear integrable", S:constraint("factor", y*x.dot - x*y.dot).kind)
    assert.equal("linear nonholonomic", S:constraint("with time", x.dot - y).kind)
    assert.equal("linear nonholonomic", S:constraint("skate", x.dot*hm.sin(z) - y.dot*hm.cos(z)).kind)
  end)

  it("has a default form for studies", function()
    local S = hm.system "s"
    local x, y, z = S:coordinates "x y z"
    assert.equal("lagrange", S:default_form())
    S:constraint("sphere", x^2 + y^2 + z^2 - 1)
    assert.equal("lagrange", S:default_form())
    S:constraint("blade", x.dot - z*y.dot)
    assert.equal("maggi", S:default_form())
  end)

  it("prints what was declared", function()
    local text = tostring((check.sleigh(hm)))
    for _, part in ipairs{ "Chaplygin sleigh", "x, y, theta", "J = 0.5", "blade", "linear nonholonomic", "degrees of freedom" } do
      assert.truthy(text:find(part, 1, true), part)
    end
  end)

  it("keeps the order of coordinates", function()
    local S = hm.system "s"
    S:coordinates "zeta alpha x10 x2"
    assert.same({ "zeta", "alpha", "x10", "x2" }, S.coordinate_names)
  end)

  it("accepts names of any alphabet", function()
    local S = hm.system "s"
    local phi = S:coordinates "φ"
    assert.equal("φ'", tostring(phi.dot))
  end)

  it("gives the mass matrix, Christoffel symbols, multipliers", function()
    local S = hm.system "s"
    local r, phi = S:coordinates "r phi"
    local m = S:positive "m"
    S:kinetic_energy(m/2*(r.dot^2 + r^2*phi.dot^2))
    local M, C = S:mass_matrix(), S:christoffel()
    assert.equal("m", tostring(M[1][1]))
    assert.equal("m*r^2", tostring(M[2][2]))
    assert.equal("m*r", tostring(C[1][2][2]))
    assert.equal("-m*r", tostring(C[2][2][1]))
  end)

  local function fresh()
    local S = hm.system "s"
    return S, S:coordinates "x y"
  end

  for _, case in ipairs{
    { "unknown coordinate in T", { "kinetic energy", "'z' is not a coordinate", "known: x, y" }, function(S)
        local other = hm.system "o"
        S:kinetic_energy(other:coordinates "z".dot^2)
      end },
    { "near name", { "did you mean 'theta'" }, function()
        local S, O = hm.system "s", hm.system "o"
        S:coordinates "theta psi"
        S:kinetic_energy(O:coordinates "thete".dot^2)
      end },
    { "unknown parameter", { "'k' is not a parameter" }, function(S, x) S:potential_energy(hm.system "o":parameters "k"*x) end },
    { "velocity in V", { "potential energy", "x'" }, function(S, x) S:potential_energy(x.dot) end },
    { "acceleration in T", { "accelerations" }, function(S, x) S:kinetic_energy(x.ddot^2) end },
    { "constraint without unknowns", { "constraint 'c'", "no coordinate and no velocity" }, function(S)
        S:constraint("c", S:parameters "k=1" - 2)
      end },
    { "the same constraint twice", { "already a constraint 'c'" }, function(S, x) S:constraint("c", x.dot) S:constraint("c", x.dot) end },
    { "constraint without a name", { "name" }, function(S, x) S:constraint(x.dot) end },
    { "positive parameter of negative value", { "declared positive", "-1" }, function(S) S:positive "m=-1" end },
    { "a value that is no number", { "'abc' is not a number of" }, function(S) S:parameters "m=abc" end },
    { "coordinate and parameter of one name", { "'x' is already a coordinate" }, function(S) S:parameters "x=1" end },
    { "time as a name", { "'t' is the time" }, function(S) S:coordinates "t" end },
    { "twice in one text", { "'u' occurs twice" }, function(S) S:coordinates "u v u" end },
    { "force on what is no coordinate", { "not a coordinate" }, function(S, x) S:force(x.dot, 1) end },
    { "field that does not exist", { "no field 'simulat'", "simulate" }, function(S) return S.simulat end },
    { "bad name", { "cannot name a symbol" }, function(S) S:coordinates "2x" end },
    { "no kinetic energy", { "no kinetic energy" }, function(S) S:equations() end },
    { "unknown form", { "no form 'lagrnge'", "lagrange" }, function(S, x) S:kinetic_energy(x.dot^2) S:equations "lagrnge" end },
    { "an equation as a text", { "constraint 'c'", "write a - b" }, function(S) S:constraint("c", "x' = 0") end },
  } do
    it("answers " .. case[1] .. " with one message", function()
      local S, x, y = fresh()
      check.raises(case[2], case[3], S, x, y)
    end)
  end
end)
