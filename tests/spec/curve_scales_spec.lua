-- curves of special points of periodic motions in any units of their parameters, against closed forms
local hm, branches, check = require "hamel", require "branches", require "check"
local first, near = branches.first, check.near

local function number(value) return hm.number(("%.17g"):format(value)) end

-- P and Q of a system, that count p and q in the units a and b
local function parameters(S, p, q, a, b)
  local P, Q = S:parameters(("P=%.17g Q=%.17g"):format(p*a, q*b))
  return P/number(a), Q/number(b)
end

-- x'' = (p + q/10 - y/10) x' - q x - x^3 beside a driven y with the mean 0: torus points on p = - q/10, since the product of the multipliers is the exponential
-- of the integral of the damping
local function torus_curve(a, b)
  local S = hm.system "torus"
  local x, y = S:coordinates "x y"
  local p, q = parameters(S, -0.05, 0.16, a, b)
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(x, (p + q/10 - y/10)*x.dot - q*x - x^3)
  S:force(y, -y.dot - y + hm.cos(hm.t))
  local guess = { q = { x = 0, y = 0 }, v = { x = 0, y = 1 }, period = 2*math.pi, parameters = { P = -0.05*a } }
  local B = S:continue{ periodic = guess, along = "P", from = -0.05*a, to = 0.03*a, largest = 0.01*a }
  near(first(B, "torus").value/a, -0.016, 1e-9)
  return S:continue{ torus = first(B, "torus"), along = { "P", "Q" }, from = { -0.5*a, 0.02*b }, to = { 0.5*a, 0.23*b } }
end

-- The ball on the table p sin t with restitution q: flips with one impact a period
local function flip_curve(a, b, c, atol, mass)
  local S = hm.system "ball on a table"
  local h = S:coordinates "h"
  local p, q = parameters(S, 1.3, 0.5, a, b)
  local m = number(mass or 1)
  S:kinetic_energy(m*h.dot^2/2)
  S:force(h, -m*number(c))
  S:unilateral("table", h - number(c)*p*hm.sin(hm.t), { law = hm.newton(q) })
  local phase = math.acos(math.pi/3/1.3)
  local guess = { q = { h = 1.3*math.sin(phase)*c }, v = { h = math.pi*c }, t = phase, period = 2*math.pi }
  local B = S:continue{ periodic = guess, along = "P", from = 1.2*a, to = 1.6*a }
  return S:continue{ flip = first(B, "flip"), along = { "P", "Q" }, from = { 0.4*a, 0.3*b }, to = { 3*a, 0.7*b }, atol = atol }
end

describe("curves of points of periodic motions", function()
  it("are the same whatever the units of the parameters: torus points with their strong resonances", function()
    local wanted
    for _, unit in ipairs{ { 1, 1 }, { 1e-6, 1e4 }, { 1e4, 1e-6 } } do
      local a, b = unit[1], unit[2]
      local C = torus_curve(a, b)
      for _, point in ipairs(C.points) do near(point.value/a, -point.beside/b/10, 1e-9) end
      local list = {}
      for _, special in ipairs(C.special) do
        assert.is_nil(special.doubtful)
        list[#list + 1] = ("%s at %.7g, %.7g"):format(special.kind, special.value/a, special.beside/b)
      end
      assert.equal(3, #list)
      wanted = wanted or list
      assert.same(wanted, list)
    end
  end)

  it("are the same whatever the units of parameters and coordinates: flips of a ball on a table", function()
    for _, unit in ipairs{ { 1, 1, 1 }, { 1e-6, 1e4, 1 }, { 1e4, 1e-6, 1000 }, { 1, 1, 1e-6 }, { 1, 1, 1e-9 }, { 1, 1, 1, 1e20 }, { 1, 1, 100, 1e15 } } do
      local a, b, c, mass = table.unpack(unit)
      local C = flip_curve(a, b, c, nil, mass)
      assert.equal(0, #C.special)
      for _, point in ipairs(C.points) do
        local p, q = point.value/a, point.beside/b
        near(p, math.sqrt((math.pi*(1 - q)/(1 + q))^2 + (2*(1 + q^2)/(1 + q)^2)^2), 1e-9)
      end
      local one, other = C.points[1].beside/b, C.points[#C.points].beside/b
      near(math.min(one, other), 0.3, 1e-9)
      near(math.max(one, other), 0.7, 1e-9)
    end
  end)

  it("are refused where the motion is so small that the tolerance that was given spoils it", function()
    check.raises({ "the motion has the size", "give smaller atol" }, flip_curve, 1, 1, 1e-6, 1e-11)
  end)
end)

-- Rest at x = x0 + sqrt(a) under a drive that leaves it there: folds at a = 0, where both multipliers exp(-c 2 pi) and 1 are 1 at c = 0
describe("a curve of folds at which the motion rests", function()
  it("is the same whether this is at x = 0 or elsewhere", function()
    for _, x0 in ipairs{ 0, 1 } do
      local S = hm.system "fold at rest"
      local x = S:coordinates "x"
      local c, a = S:parameters "c=3/10 a=1"
      local u = x - x0
      S:kinetic_energy(x.dot^2/2)
      S:force(x, -c*x.dot + a - u^2 + u^2*hm.cos(hm.t)*(u^2 - a)/10 + x.dot^2*hm.sin(hm.t))
      local B = S:continue{ periodic = { q = { x = x0 + 1 }, v = { x = 0 }, period = 2*math.pi }, along = "a", from = -1, to = 1.2 }
      local F = S:continue{ fold = first(B, "fold"), along = { "c", "a" }, from = { -1, -1 }, to = { 1, 2 } }
      assert.equal(1, #F.special, tostring(F))
      local found = first(F, "strong resonance 1:1")
      near(found.value, 0, 1e-10)
      for _, point in ipairs(F.points) do near(point.beside, 0, 1e-10) end
    end
  end)
end)
