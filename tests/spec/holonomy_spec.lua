-- commutation of d and delta, integrability and integrals of constraints
local hm, check = require "hamel", require "check"
local sin, cos = hm.sin, hm.cos

local function system(f)
  local S = hm.system "constraints"
  local x, y, z, u = S:coordinates "x y z u"
  local a = S:positive "a"
  for k, e in ipairs{ f(x, y, z, u, a) } do S:constraint("c" .. k, e) end
  return S
end

local function zero(e, what) assert(hm.number(e):is_zero() == true, (what or "") .. " is not zero: " .. tostring(e)) end

describe("the defect of d and delta", function()
  it("mixes several constraints and contains accelerations where they are nonlinear", function()
    local S = system(function(x, y, z, u) return y.dot - z*x.dot^2 - u, u.dot - y.dot*x*z.dot end)
    local x, y, z, u = table.unpack(S:coordinate_list())
    -- by hand: phi_y = z x'^2 + u, phi_u = x z' phi_y
    local D = S:commutation{ dependent = { "u", "y" } }
    local phi = z*x.dot^2 + u
    zero(D.c1[x] - (2*z.dot*x.dot + 2*z*x.ddot - 2*x*z.dot*z*x.dot), "y, x")
    zero(D.c1[z] - (-x.dot^2 - x*phi), "y, z")
    zero(D.c2[x] - (2*x.dot*z.dot*z*x.dot + 2*x*z.ddot*z*x.dot + 2*x*z.dot*z.dot*x.dot + 2*x*z.dot*z*x.ddot - z.dot*phi
      - x*z.dot*2*x*z.dot*z*x.dot), "u, x")
    -- d/dt(x phi) - x z' x'^2 - x z' x phi with phi' = z' x'^2 + 2 z x' x'' + phi_u
    zero(D.c2[z] - (x.dot*phi + x*(z.dot*x.dot^2 + 2*z*x.dot*x.ddot + x*z.dot*phi) - x*z.dot*x.dot^2 - x*z.dot*x*phi), "u, z")
    assert.are.equal(y, D.c1.coordinate)
    assert.are.equal(u, D.c2.coordinate)
  end)

  it("takes the dependent velocity asked for", function()
    local S = system(function(x, y, z) return y.dot - z*x.dot end)
    local x, _, z = table.unpack(S:coordinate_list())
    local y = S:symbol "y"
    local D = S:commutation{ dependent = { "x" } }.c1
    -- x' = y'/z
    assert.are.equal(x, D.coordinate)
    zero(D[y] + z.dot/z^2)
    zero(D[z] - y.dot/z^2)
    check.raises({ "'c1' is not linear", "(z)" }, S.commutation, S, { dependent = { "z" } })
    check.raises({ "unknown option 'dependant'" }, S.commutation, S, { dependant = { "x" } })
  end)

  it("in Hoelder's view is delta f", function()
    local S = system(function(x, y, z, u) return y.dot^2 - z*x.dot + hm.t*y, x*y - u end)
    local x, y, z = table.unpack(S:coordinate_list())
    local row = S:constraint_variation().c1
    zero(row[x] - z.dot)
    zero(row[y] - (hm.t - 2*y.ddot))
    zero(row[z] + x.dot)
    local h = system(function(p, q) return p*q^2 - hm.t end):constraint_variation().c1
    for _, e in pairs(h) do zero(e, "holonomic") end
  end)
end)

describe("holonomy", function()
  local function answer(f) return (system(f):holonomic()) end

  it("of linear constraints is Frobenius' condition, taken together", function()
    assert.is_true(answer(function(x, y) return x*y.dot - y*x.dot end))
    assert.is_false(answer(function(x, y, z) return y.dot - z*x.dot end))
    assert.is_true(answer(function(x, y, z) return y.dot - z*x.dot, z.dot end))
    assert.is_false(answer(function(x, y, z, u) return y.dot - z*x.dot, u.dot - x*z.dot end))
    assert.is_false(answer(function(x, y) return y.dot - hm.t*x.dot end))
  end)

  it("of nonlinear ones is Chen's condition on every possible motion", function()
    local nonlinear, witnesses = system(function(x, y) return y.dot - x.dot^2 end):holonomic()
    assert.is_false(nonlinear)
    local x = hm.functions_of_time "x"
    zero(witnesses[1] - 2*x.ddot)
    assert.is_true(answer(function(x_, y, z) return (y.dot - z*x_.dot - x_*z.dot)*(1 + x_.dot^2) end))
    -- linear in no velocity: a possible motion refutes, an identity proves
    assert.is_false(answer(function(x_, y) return x_.dot^2 + y.dot^2 - 1 end))
    assert.is_false(answer(function(x_, y, z) return z.dot^2 - x_.dot^2 - y.dot^2 - 1, x_.dot*y.dot*z.dot - 1/10 end))
    assert.is_true(answer(function(x_, y) return hm.exp(y.dot - 2*x_*x_.dot) - 1 end))
    assert.is_true(answer(function(x_, y) return hm.exp(x_*x_.dot + y*y.dot) - 1 end))
  end)

  -- arbiter: functions F(l) of a linear l vanish where l is constant; l is closed, or not integrable
  it("and the kind of a constraint agree", function()
    local shapes = {
      function(l) return hm.exp(l) - 1 end, function(l) return hm.sin(l) end, function(l) return l + l^3 end,
      function(l, v) return l*(1 + v^2) end, function(l, v) return l*(2 + hm.cos(v)) end, function(l) return l end,
    }
    local ones = {
      { true, function(x, y) return x*x.dot + y*y.dot end }, { true, function(x, y, z) return y.dot - z*x.dot - x*z.dot end },
      { true, function(x, y) return y.dot - hm.cos(x)*x.dot end }, { false, function(x, y, z) return y.dot - z*x.dot end },
      { false, function(x, y, z) return x.dot*hm.sin(z) - y.dot*hm.cos(z) end },
    }
    for i, one in ipairs(ones) do
      for k, shape in ipairs(shapes) do
        local S = system(function(x, y, z) return shape(one[2](x, y, z), x.dot) end)
        local what = ("%d, %d: %s"):format(i, k, tostring(S.constraints.c1))
        assert.equal(one[1], (S:holonomic()), what)
        assert.equal((k < #shapes and "nonlinear " or "linear ") .. (one[1] and "integrable" or "nonholonomic"), S.constraints.c1.kind, what)
      end
    end
  end)
end)

describe("the former name of constraint_integrals", function()
  it("says where the integrals of constraints and those of the motion are", function()
    local S = system(function(x, y) return x*x.dot + y*y.dot end)
    check.raises({ "constraint_integrals", "conserved" }, S.integrals, S)
  end)
end)

describe("integrals", function()
  local function integral(f, name) return system(f):constraint_integrals()[name or "c1"] end

  -- arbiter: dF/dt vanishes where the constraints hold; here it is the factor times the constraint
  local function verify(S, name)
    local record = S:constraint_integrals()[name]
    zero(hm.dt(record.integral) - record.factor*S.constraints[name].f, name)
    return record
  end

  it("are found for exact forms and by simple factors", function()
    zero(verify(system(function(x, y, z) return 2*x*y*x.dot + x^2*y.dot + cos(z)*z.dot - hm.t end), "c1").factor - 1)
    verify(system(function(x, y) return x*y.dot - y*x.dot end), "c1")
    verify(system(function(x, y) return x.dot*(1 + x^2)*sin(y) + y.dot*x*cos(y) end), "c1")
    verify(system(function(x, y, _, _, a) return x.dot*hm.exp(a*x)*x^2 + a*y.dot*sin(3*y)*y end), "c1")
    verify(system(function(x, y) return x.dot*hm.tan(x) + y.dot/y end), "c1")
    local S = system(function(x, y, z, u) return y.dot - z*x.dot - x*z.dot, u.dot - u*z.dot end)
    verify(S, "c1")
    verify(S, "c2")
  end)

  it("take coordinates as constants that another constraint keeps", function()
    local S = system(function(x, y, z) return y.dot - z*x.dot, z.dot end)
    local x, y, z = table.unpack(S:coordinate_list())
    local found = S:constraint_integrals()
    zero(found.c1.integral - (y - x*z))
    zero(found.c2.integral - z)
  end)

  it("of solved nonlinear constraints", function()
    local record = integral(function(x, y, z) return (y.dot - z*x.dot - x*z.dot)*(1 + x.dot^2) end)
    local x, y, z = hm.functions_of_time "x y z"
    zero(record.integral - (y - x*z))
  end)

  it("are not invented", function()
    local record = integral(function(x, y) return x.dot*hm.exp(sin(x*y)) + y.dot*(1 + x^4*y^2) end)
    assert.is_nil(record.integral)
    assert.are.equal("integrable, integral not found", record.text)
    local S = system(function(x, y, z) return y.dot - z*x.dot end)
    check.raises({ "not integrable" }, S.constraint_integrals, S)
    local N = system(function(x, y) return hm.exp(y.dot - 2*x*x.dot) - 1 end)
    assert.are.equal("integrable, integral not found", N:constraint_integrals().c1.text)
  end)
end)
