-- Hopf points: supercritical or subcritical, by the first Lyapunov coefficient; generalised Hopf points, where it passes zero, and the curves of folds of
-- periodic motions that end at rest there
local hm, branches, check = require "hamel", require "branches", require "check"
local near, first, of_kind = check.near, branches.first, branches.of_kind

local lyapunov_coefficients = require "hamel.continuation.lyapunov_coefficients"

-- The coefficients that a call takes
local function coefficients_of(call)
  local of, list = lyapunov_coefficients.of, {}
  lyapunov_coefficients.of = function(...)
    local found = of(...)
    list[#list + 1] = found
    return found
  end
  local fine, why = pcall(call)
  lyapunov_coefficients.of = of
  assert(fine, why)
  return list
end

-- x'' = -x + b x' + F(x, x'), F of the second and the third order, in the unit `size` of lengths
local function swinging(size, F)
  local S = hm.system "swinging"
  local x = S:coordinates "x"
  local b = S:parameters "b=1/10"
  S:kinetic_energy(x.dot^2/2)
  S:force(x, -x + b*x.dot + size*F(x/size, x.dot/size))
  return S
end

local function along_b(S, q) return S:continue{ equilibrium = { q = q or { x = 0 } }, along = "b", from = -1, to = 1 } end

describe("the first Lyapunov coefficient of a Hopf point", function()
  -- Guckenheimer and Holmes, (3.4.11): 16 a = f_XXX + f_XYY + g_XXY + g_YYY + f_XY (f_XX + f_YY) - ..., with X = x', Y = x, X' = -Y + f, Y' = X. In the
  -- norm of l1, in which (x, x') = 2 Re z q has the amplitude sqrt(2) |z|, a is l1/2
  it("is that of another formula for one degree of freedom, in any unit of lengths", function()
    for _, c in ipairs{ { 0.3, 0.7, -0.2, 0.5, -0.4, 0.9, 0.25 }, { -0.8, 0.45, 0.6, -0.1, 0.35, -0.7, -0.15 } } do
      local a = (6*c[7] + 2*c[5] + c[2]*(2*c[3] + 2*c[1]))/16
      for _, size in ipairs{ 1, 1e-3, 1e4 } do
        local S = swinging(size, function(x, v)
          return c[1]*x^2 + c[2]*x*v + c[3]*v^2 + c[4]*x^3 + c[5]*x^2*v + c[6]*x*v^2 + c[7]*v^3
        end)
        local B
        local found = coefficients_of(function() B = along_b(S) end)[1]
        near(found.value/2*size^2, a, 1e-8)
        assert(found.off*size^2 < 1e-8)
        assert.equal(a < 0 and "supercritical" or "subcritical", first(B, "hopf").criticality)
      end
    end
  end)

  -- Motions of x'' = -x + ... near rest have the energy r^2/2, which Q changes alone: by the mean over a circle, r' = a r^3 with a = f''/16 for Q = f(x) x',
  -- and a = f''(0) 3/16 for Q = f(x') x', where f(0) = f'(0) = 0, whatever T and V are beyond the second order. The derivatives are those of series by hand
  local curved = {
    { "-x^2", function(x) return -x^2 end, -2 },
    { "cos x - 1", function(x) return hm.cos(x) - 1 end, -1 },
    { "x^2/5 - sin(x)^2", function(x) return x^2/5 - hm.sin(x)^2 end, -8/5 },
    { "1/(1 + x^2) - 1", function(x) return 1/(1 + x^2) - 1 end, -2 },
    { "-log(1 + x^2)", function(x) return -hm.log(1 + x^2) end, -2 },
    { "-atan(x)^2", function(x) return -hm.atan(x)^2 end, -2 },
    { "tanh(x)^2", function(x) return hm.tanh(x)^2 end, 2 },
    { "1 - (1 + x^2)^3", function(x) return 1 - (1 + x^2)^3 end, -6 },
    { "1 - exp(x^2)", function(x) return 1 - hm.exp(x^2) end, -2 },
    { "sqrt(1 + 2 x^2) - 1", function(x) return hm.sqrt(1 + 2*x^2) - 1 end, 2 },
    { "cosh(x) - exp(2 x) + 2 x", function(x) return hm.cosh(x) - hm.exp(2*x) + 2*x end, -3 },
  }
  -- T and V that agree in the second order
  local energies = {
    function(x, v) return v^2/2, x^2/2 end,
    function(x, v) return (1 + x)*v^2/2, hm.exp(x) - x end,
    function(x, v) return v^2/(2*(1 + x^2)), -hm.cos(x) end,
  }

  local function excited(T_and_V, f, of_velocity, size)
    local S = hm.system "excited"
    local x = S:coordinates "x"
    local b = S:parameters "b=1/10"
    local T, V = T_and_V(x/size, x.dot/size)
    S:kinetic_energy(size^2*T)
    S:potential_energy(size^2*V)
    S:force(x, (b + f((of_velocity and x.dot or x)/size))*x.dot)
    return S
  end

  it("is that of the mean over the motions of an energy, for functions of any kind, in any unit of lengths", function()
    for k, c in ipairs(curved) do
      local name, f, second = table.unpack(c)
      for _, of_velocity in ipairs{ false, true } do
        -- friction that depends on the velocity by its first order makes a second-order mean, where the energy has terms of the third order
        local T_and_V, size, wanted = energies[of_velocity and 1 or k % #energies + 1], ({ 1, 1e-3, 1e4 })[k % 3 + 1], second*(of_velocity and 3 or 1)/16
        local B
        local found = coefficients_of(function() B = along_b(excited(T_and_V, f, of_velocity, size)) end)[1]
        assert(found, name)
        near(found.value/2*size^2, wanted, 1e-8, name)
        assert(found.off*size^2 < 1e-7, name)
        assert.equal(wanted < 0 and "supercritical" or "subcritical", first(B, "hopf").criticality, name)
      end
    end
  end)

  it("does not depend on how far a branch is followed", function()
    for _, to in ipairs{ 0.5, 0.7, 30 } do
      local S = excited(energies[2], curved[1][2], false, 1)
      local B = S:continue{ equilibrium = { q = { x = 0 } }, along = "b", from = -0.5, to = to }
      assert.equal("supercritical", first(B, "hopf").criticality)
    end
  end)

  it("does not depend on how a constraint is written: an angle, or two coordinates on a circle", function()
    local S = hm.system "angle"
    local a = S:coordinates "a"
    local b = S:parameters "b=1/10"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(-hm.cos(a) + hm.sin(a)/2)
    S:force(a, b*a.dot - hm.sin(a)*a.dot^3)
    local wanted = coefficients_of(function() along_b(S, { a = -0.4 }) end)[1]
    local C = hm.system "circle"
    local x, y = C:coordinates "x y"
    b = C:parameters "b=1/10"
    C:kinetic_energy((x.dot^2 + y.dot^2)/2)
    C:potential_energy(-y + x/2)
    C:constraint("rod", x^2 + y^2 - 1)
    local rate = x.dot*y - y.dot*x
    local torque = b*rate - x*rate^3
    C:force(x, torque*y)
    C:force(y, -torque*x)
    near(coefficients_of(function() along_b(C, { x = -0.4, y = 0.9 }) end)[1].value, wanted.value, 1e-8)
  end)

  it("is that of a force of any kind, on whichever form of a constraint the equations are", function()
    local turn = 0.463647609000806      -- atan(1/2): the angle of rest is -turn
    local function damping(a, rate, b) return (b - hm.exp(a)*rate^2 - hm.sin(a + turn)^2)*rate end
    local function word(S, q, form)
      local B
      local found = coefficients_of(function() B = S:continue{ equilibrium = { q = q }, along = "b", from = -1, to = 1, form = form } end)[1]
      return found and found.value, first(B, "hopf").criticality
    end
    local S = hm.system "angle"
    local a = S:coordinates "a"
    local b = S:parameters "b=1/10"
    S:kinetic_energy(a.dot^2/2)
    S:potential_energy(-hm.cos(a) + hm.sin(a)/2)
    S:force(a, damping(a, a.dot, b))
    local wanted = word(S, { a = -0.4 })
    assert(wanted < 0)
    -- a circle, given twice
    local C = hm.system "circle"
    local x, y = C:coordinates "x y"
    b = C:parameters "b=1/10"
    C:kinetic_energy((x.dot^2 + y.dot^2)/2)
    C:potential_energy(-y + x/2)
    C:constraint("rod", x^2 + y^2 - 1)
    C:constraint("rod again", hm.sqrt(x^2 + y^2) - 1)
    local torque = damping(hm.atan2(x, y), x.dot*y - y.dot*x, b)
    C:force(x, torque*y)
    C:force(y, -torque*x)
    near(word(C, { x = -0.4, y = 0.9 }), wanted, 1e-8)
    -- a wheel that rolls, whose angle the forces do not depend on: with and without multipliers
    local W = hm.system "wheel"
    local c
    a, c = W:coordinates "a c"
    b = W:parameters "b=1/10"
    W:kinetic_energy(a.dot^2/4 + c.dot^2/16)
    W:potential_energy(-hm.cos(a) + hm.sin(a)/2)
    W:force(a, damping(a, a.dot, b))
    W:constraint("rolling", c.dot - 2*a.dot)
    near(word(W, { a = -0.4, c = 0 }, "maggi"), wanted, 1e-8)
    -- with c' = 2 a' among the states the vector of length 1 is another one
    local square = math.sqrt(5)/2
    near(word(W, { a = -0.4, c = 0 }, "lagrange"), wanted*(1 + square)/(1 + 5*square), 1e-8)
  end)

  it("is not told on a point of measured data, where the derivatives of their curve jump, but between two points", function()
    for _, c in ipairs{ { 0 }, { 0.05, "supercritical" } } do
      local places, values = {}, {}
      for i = -10, 10 do places[#places + 1], values[#values + 1] = i/5 + c[1], -(i/5 + c[1])^2 end
      local u = hm.data{ x = places, y = values, name = "u" }
      assert.equal(c[2], first(along_b(swinging(1, function(x, v) return u(x)*v end)), "hopf").criticality)
    end
  end)

  it("is not told where it is zero but for rounding, nor beside a corner of a force", function()
    assert.is_nil(first(along_b(swinging(1, function(x) return x^2 - x^3 end)), "hopf").criticality)
    assert.is_nil(first(along_b(swinging(1, function(_, v) return -hm.abs(v)*v end)), "hopf").criticality)
  end)

  it("is printed and kept in files", function()
    local S = swinging(1, function(x, v) return -x^2*v end)
    local B = along_b(S)
    assert.match("frequency 1   supercritical", tostring(B))
    local path = os.tmpname() .. ".branch"
    B:save(path)
    assert.equal("supercritical", hm.load(path, S).special[1].criticality)
    os.remove(path)
  end)
end)

-- Bautin's normal form: with u = x^2 + x'^2 the motions x'' + x = x' (b + c u - u^2) of the radius sqrt(u) are periodic where b + c u - u^2 = 0, and fold where
-- b = -c^2/4, u = c/2 > 0
describe("the normal form of a generalised Hopf point", function()
  local S = hm.system "Bautin"
  local x = S:coordinates "x"
  local b, c = S:parameters "b=1/10 c=1"
  local u = x^2 + x.dot^2
  S:kinetic_energy(x.dot^2/2)
  S:force(x, -x + x.dot*(b + c*u - u^2))
  local B = along_b(S)

  it("is subcritical for c > 0, and the motions that leave it are unstable", function()
    assert.equal("subcritical", first(B, "hopf").criticality)
    local motions = B:switch(first(B, "hopf"), { from = -0.2, to = 1 })
    assert.equal(false, motions.points[1].stable)
  end)

  it("has the point at b = c = 0 on its curve of Hopf points, over the parameters in either order", function()
    for _, names in ipairs{ { "b", "c" }, { "c", "b" } } do
      local C = S:continue{ hopf = first(B, "hopf"), along = names, from = { -1.5, -1.5 }, to = { 1.3, 1.3 } }
      assert.equal(1, #C.special, tostring(C))
      local found = first(C, "generalised Hopf")
      near(found.value, 0, 1e-10)
      near(found.beside, 0, 1e-10)
      assert.is_nil(found.doubtful)
    end
  end)

  it("is where its curve of folds ends at rest, and no cusp", function()
    local motions = B:switch(first(B, "hopf"), { from = -1, to = 1 })
    local F = S:continue{ fold = first(motions, "fold"), along = { "b", "c" }, from = { -0.5, -1 }, to = { 1, 2 } }
    assert.equal(1, #F.special, tostring(F))
    local last = first(F, "rest")
    near(last.value, 0, 1e-10)
    near(last.beside, 0, math.max(1e-10, last.accuracy_beside or 0))
    assert((last.accuracy_beside or 0) < 1e-8)
    assert.match("shrink to rest %(generalised Hopf point%)", tostring(F))
    for _, point in ipairs(F.points) do
      near(point.value, -point.beside^2/4, 1e-9)
      assert(point.beside > 0)
    end
  end)
end)

describe("a generalised Hopf point of forces that are no polynomials", function()
  -- l1 = 0 by the mean over the motions of an energy: see above
  local cases = {
    { "sin(x)^2", 1, function(x, b, e) return (b + e*x^2 - hm.sin(x)^2)*x.dot end },
    { "sin(x')", 1/6, function(x, b, e) return b*x.dot + e*x.dot^3 + hm.sin(x.dot) - x.dot end },
    { "cos(x)", 1/2, function(x, b, e) return (b + e*x^2 + hm.cos(x) - 1)*x.dot end },
  }
  it("is where the mean over motions puts it", function()
    for _, c in ipairs(cases) do
      local S = hm.system "no polynomial"
      local x = S:coordinates "x"
      local b, e = S:parameters "b=-1/2 e=1/10"
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(x^2/2)
      S:force(x, c[3](x, b, e))
      local B = S:continue{ equilibrium = { q = { x = 0 } }, along = "b", from = -0.5, to = 0.7 }
      assert.equal("supercritical", first(B, "hopf").criticality, c[1])
      local C = S:continue{ hopf = first(B, "hopf"), along = { "b", "e" }, from = { -0.5, -3.1 }, to = { 0.7, 2.3 } }
      assert.equal(1, #C.special, tostring(C))
      local found = first(C, "generalised Hopf")
      near(found.value, 0, 1e-10)
      near(found.beside, c[2], 1e-10)
      assert.is_nil(found.doubtful)
    end
  end)
end)

-- x'' = -x' + a x + b x^3 - x^5: states of rest beside x = 0 fold at a = -b^2/4, x^2 = b/2 > 0
describe("a curve of folds of asymmetric states of rest", function()
  it("ends where these come to the symmetric one, at a = b = 0, and is not followed through their images", function()
    local S = hm.system "fifth order"
    local x = S:coordinates "x"
    local a, b = S:parameters "a=-1/10 b=1"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, -x.dot + a*x + b*x^3 - x^5)
    local B = S:continue{ equilibrium = { q = { x = 1 } }, along = "a", from = -1, to = 1 }
    local F = S:continue{ fold = first(B, "fold"), along = { "a", "b" }, from = { -1, -1 }, to = { 1, 3 } }
    assert.equal(1, #F.special, tostring(F))
    local last = of_kind(F, "end")[1]
    near(last.value, 0, 1e-8)
    near(last.beside, 0, 1e-8)
    assert.match("symmetric", last.name)
    local sign = F.points[1].q.x > 0
    for _, point in ipairs(F.points) do assert.equal(sign, point.q.x > 0) end
  end)
end)
