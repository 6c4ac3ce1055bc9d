-- numbers of a model that may be parameters: they are swept, printed, and give what the same numbers give
local hm, check = require "hamel", require "check"

-- A ball that falls obliquely onto a rough floor
local function ball(law)
  local S = hm.system "ball"
  local x, y = S:coordinates "x y"
  local e = S:parameters "e=1/2"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(10*y)
  S:unilateral("floor", y, { law = law(e), rough = { x.dot } })
  return S, e
end

local fall = { q = { x = 0, y = 5 }, v = { x = 1, y = 0 } }

local function block(o)
  local S = hm.system "block"
  local x = S:coordinates "x"
  local p = { S:positive "mu=1/2 v0=1/100 vs=1/5 l=2" }
  S:kinetic_energy(x.dot^2/2)
  local given = o(table.unpack(p))
  given.slip, given.normal = x.dot, 9.81
  S:friction("slip", given)
  return S
end

local function position(S, parameters)
  return S:simulate{ q = { x = 0 }, v = { x = 5 }, t = 1, parameters = parameters }:at(1).x
end

describe("numbers of a model", function()
  it("may be parameters: both coefficients of restitution", function()
    local S, e = ball(function(e) return hm.newton(e, { tangential = e/2 }) end)
    assert.equal("newton(restitution = e, tangential = e/2)", tostring(S.gaps.floor.law))
    local W = S:sweep{ over = { { e, { 0.25, 0.5, 1 } } }, q = fall.q, v = fall.v, t = 1.2, keep = { "x'", "y" } }
    for i, value in ipairs{ 0.25, 0.5, 1 } do
      local N = ball(function() return hm.newton(value, { tangential = value/2 }) end)
      local last = N:simulate{ q = fall.q, v = fall.v, t = 1.2 }:at(1.2)
      assert.equal("OK", W[i].status)
      check.near(W[i]["x'"], last.v.x, 1e-13)
      check.near(W[i]["x'"], -value/2, 1e-12)                              -- f+ = -e_t f-
      check.near(W[i].y, last.y, 1e-13)
    end
    check.raises({ "coefficient of restitution is 2" }, S.simulate, S, { q = fall.q, v = fall.v, t = 1.2, parameters = { e = 2 } })
  end)

  it("may be parameters: coefficients of friction and lengths", function()
    local S = block(function(mu, _, _, l) return { coefficient = mu/l, static = mu } end)
    for _, mu in ipairs{ 0.2, 0.8 } do
      check.near(position(S, { mu = mu }), 5 - 9.81*mu/4, 1e-12)           -- slides for the whole time
    end
    check.raises({ "coefficient is -1" }, function()
      local N = hm.system "n"
      local x = N:coordinates "x"
      local mu = N:parameters "mu=-1"
      N:kinetic_energy(x.dot^2/2)
      N:friction("slip", { slip = x.dot, normal = 1, coefficient = mu })
      position(N)
    end)
  end)

  it("may be parameters: the speeds of regularised laws", function()
    local S = block(function(mu, v0, vs) return { coefficient = mu, static = 2*mu, regularised = "stribeck", velocity = v0, stribeck = vs } end)
    local N = block(function(mu) return { coefficient = mu, static = 2*mu, regularised = "stribeck", velocity = 0.02, stribeck = 0.3 } end)
    check.near(position(S, { v0 = 0.02, vs = 0.3 }), position(N), 1e-9)
    assert.truthy(tostring(S:equations()):find("tanh", 1, true))
    assert.truthy(tostring(S:equations()):find("x'/v0", 1, true))
    check.raises({ "slip' velocity: -v0 may be zero or negative", "S:positive" }, block, function(mu, v0)
      return { coefficient = mu, regularised = "tanh", velocity = -v0 }
    end)
    check.raises({ "velocity", "'w' is not a parameter" }, block, function(mu)
      return { coefficient = mu, regularised = "tanh", velocity = hm.positive "w" }
    end)
  end)
end)
