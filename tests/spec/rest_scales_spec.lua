-- Curves of special points of states of rest do not depend on the units of lengths, times, masses and parameters. Arbiters: the cusp of x^3 = a x + b at
-- a = b = 0, the double zero of x'' = a + b x + x^2 + x x' at a = b = 0, and the roots of a given polynomial. So do branches: x'' = (p - 3/10) x' - x - x^2 x'
-- has a Hopf point at p = 3/10, and y^2 = 7/10 - p a fold at p = 7/10.
local check = require "check"
local hm = require "hamel"

local function number(value) return hm.number(("%.17g"):format(value)) end

-- x'' = f(x, x', a, b) in units: of x, of the time, of the mass, of a and of b
local function system_in(u, f, a, b)
  local S = hm.system "scaled"
  local x, A, B = S:coordinates "x", S:parameters(("A=%.17g B=%.17g"):format(a*u.a, b*u.b))
  S:kinetic_energy(number(u.m)*x.dot^2/2)
  S:force(x, number(u.m*u.x/u.t^2)*f(x/number(u.x), x.dot*number(u.t/u.x), A/number(u.a), B/number(u.b)))
  return S
end

local function units(changed)
  local u = { a = 1, b = 1, x = 1, t = 1, m = 1 }
  for name, value in pairs(changed) do u[name] = value end
  return u
end

local function cusp_of(u)
  local S = system_in(u, function(x, v, a, b) return b + a*x - x^3 - v/2 end, 1.5, 0)
  local B = S:continue{ equilibrium = { q = { x = 1.2*u.x } }, along = "B", from = -2*u.b, to = 2*u.b, stop = { "fold", 1 } }
  local C = S:continue{ fold = B.special[1], along = { "A", "B" }, from = { -2*u.a, -2*u.b }, to = { 2*u.a, 2*u.b } }
  assert.equal(1, #C.special)
  assert.equal("cusp", C.special[1].kind)
  check.near(C.special[1].value/u.a, 0, 1e-7)
  check.near(C.special[1].beside/u.b, 0, 1e-7)
end

local function double_zero_of(u)
  local S = system_in(u, function(x, v, a, b) return a + b*x + x^2 + x*v end, -0.1, -1)
  local B = S:continue{ equilibrium = { q = { x = -0.09*u.x } }, along = "A", from = -0.3*u.a, to = 0.2*u.a }
  local start
  for _, special in ipairs(B.special) do if special.kind == "hopf" then start = special end end
  check.near(start.value/u.a, 0, 1e-7)
  local C = S:continue{ hopf = start, along = { "A", "B" }, from = { -u.a, -2*u.b }, to = { u.a, 2*u.b } }
  assert.equal(1, #C.special)
  assert.equal("double-zero", C.special[1].kind)
  check.near(C.special[1].value/u.a, 0, 1e-7)
  check.near(C.special[1].beside/u.b, 0, 1e-7)
  for _, point in ipairs(C.points) do assert.is_true(point.beside <= 1e-7*u.b, "beyond the double zero are saddles") end
end

-- The cusp without ends, from b = 0
local function free_cusp_of(u)
  local S = system_in(u, function(x, v, a, b) return b + a*x - x^3 - v/2 end, 1.5, 0)
  local B = S:continue{ equilibrium = { q = { x = 1.2*u.x } }, along = "B", points = 100, stop = { "fold", 1 } }
  check.near(B.special[1].value/u.b, -math.sqrt(0.5), 1e-9)
  local C = S:continue{ fold = B.special[1], along = { "A", "B" }, points = 30 }
  assert.equal(1, #C.special)
  assert.equal("cusp", C.special[1].kind)
  check.near(C.special[1].value/u.a, 0, 1e-7)
  check.near(C.special[1].beside/u.b, 0, 1e-7)
end

-- A Hopf point at p = 3/10 and a fold at p = 7/10, in units of p, on the branch from p = start; ended: between two ends?
local function demand_both(unit, start, ended)
  local S = hm.system "two"
  local x, y = S:coordinates "x y"
  local P = S:parameters(("P=%.17g"):format(start*unit))
  local p = P/number(unit)
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(x, (p - number(0.3))*x.dot - x - x^2*x.dot)
  S:force(y, -y.dot + number(0.7) - p - y^2)
  local B = S:continue{ equilibrium = { q = { x = 0, y = math.sqrt(0.7 - start) } }, along = "P", from = ended and start*unit or nil,
    to = ended and unit or nil, points = 100 }
  local kinds = {}
  for i, special in ipairs(B.special) do
    kinds[i] = special.kind
    assert.is_nil(special.doubtful)
    check.near(special.value/unit, special.kind == "hopf" and 0.3 or 0.7, 1e-10)
  end
  assert.equal("hopf fold hopf", table.concat(kinds, " "))
end

-- A Hopf curve a = 0 beside a mode whose rest changes at b = r and b = r + gap
local function pair_of(gap)
  local S = hm.system "pair"
  local x, y = S:coordinates "x y"
  local A, B = S:parameters "A=-0.2 B=0.3"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  local off = B + number(0.4)
  S:force(x, A*x.dot - x - x^2*x.dot)
  S:force(y, -y.dot + off*(off + number(gap))*y - y^3)
  local branch = S:continue{ equilibrium = { q = { x = 0, y = 0 } }, along = "A", from = -0.5, to = 0.5 }
  local C = S:continue{ hopf = branch.special[1], along = { "A", "B" }, from = { -1, -1 }, to = { 1, 1 } }
  local list = {}
  for _, special in ipairs(C.special) do if special.kind == "zero-Hopf" then list[#list + 1] = special end end
  return list
end

describe("curves of special points", function()
  it("have the same cusp in any unit", function()
    for _, changed in ipairs{ { a = 1e6 }, { b = 1e-6 }, { x = 1e-6 }, { a = 1e-3, x = 1e3, t = 1e-3, m = 1e6 } } do cusp_of(units(changed)) end
  end)

  it("have the same cusp in any unit where neither end is given, and a parameter starts at zero", function()
    for _, changed in ipairs{ { b = 1e-6 }, { b = 1e6, a = 1e-6 }, { b = 1e-8, a = 1e8 }, { x = 1e-6, b = 1e-6 } } do free_cusp_of(units(changed)) end
  end)

  it("have the same double zero in any unit", function()
    for _, changed in ipairs{ { a = 1e6 }, { a = 1e-6, b = 1e3 }, { x = 1e-6 }, { x = 1e6 }, { t = 1e-3 }, { b = 1e-6, t = 1e3, m = 1e-6 } } do
      double_zero_of(units(changed))
    end
  end)

  it("show both of two points nearer to each other than a step, or say that they are not told apart", function()
    local two = pair_of(1e-5)
    assert.equal(2, #two)
    table.sort(two, function(p, q) return p.beside > q.beside end)
    check.near(two[1].beside, -0.4, 1e-9)
    check.near(two[2].beside, -0.4 - 1e-5, 1e-9)
    local one = pair_of(1e-9)
    assert.equal(1, #one)
    assert.is_true(one[1].apart >= 1e-9 and one[1].apart < 1e-5)
    check.near(one[1].beside, -0.4, 1e-7)
  end)

  it("over parameters that do not change their condition are refused", function()
    local S = hm.system "idle"
    local x, c = S:coordinates "x", S:parameters "c=0"
    local A, B = S:parameters "A=1 B=0"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, c*x.dot - A*x + B - x^2*x.dot + B*(x - B/A)*x.dot)
    local branch = S:continue{ equilibrium = { q = { x = 0 } }, along = "c", from = -0.5, to = 0.5 }
    check.raises({ "no curve starts from this hopf", "'A' and 'B'" }, S.continue, S, { hopf = branch.special[1], along = { "A", "B" } })
  end)
end)

describe("branches of states of rest", function()
  it("take as many steps in any unit: x'' = mu - (x^3 - 2.2 x) - x' has folds where 3 x^2 = 2.2", function()
    local fold = 2*(2.2/3)^1.5
    for _, u in ipairs{ units{}, units{ x = 100, a = 1/100 }, units{ x = 1e4, a = 1e-4 }, units{ a = 1/100 }, units{ x = 1e-3 } } do
      local S = system_in(u, function(x, v, a) return a - x^3 + 2.2*x - v end, -1.99^3 + 2.2*1.99, 0)
      local B = S:continue{ equilibrium = { q = { x = -1.99*u.x } }, along = "A", from = -3.6*u.a, to = 3.6*u.a }
      assert.equal(2, #B.special)
      for i, side in ipairs{ 1, -1 } do check.near(B.special[i].value/u.a, side*fold, 1e-8) end
      check.near(B.points[#B.points].value/u.a, 3.6, 1e-9)
      assert.is_true(#B.points < 100, #B.points .. " points")
    end
  end)

  it("have their special points at the same places in any unit of the parameter", function()
    for _, unit in ipairs{ 1e-8, 1e-6, 1, 1e8 } do
      demand_both(unit, -0.2, true)
      demand_both(unit, -0.2, false)
      demand_both(unit, 0, false)
    end
  end)
end)

describe("a curve of folds", function()
  -- arbiter: y^3 - b y + a = 0 has a double root where 27 a^2 = 4 b^3
  -- a towed wheel: Hopf points at the speeds (49 -+ sqrt 2201)/10 in units of length and time, from Hurwitz' determinant
  it("count a length and an angle that are both zero by what couples them", function()
    for _, L in ipairs{ 1e-6, 1e6 } do
      local S, l = hm.system "towed wheel", number(L)
      local q, psi = S:coordinates "q psi"
      local v = S:parameters(("v=%.17g"):format(0.1*L))
      S:kinetic_energy((v + l*hm.sin(psi)*psi.dot/2)^2/2 + (q.dot - l*hm.cos(psi)*psi.dot/2)^2/2 + hm.rational(3, 8)*l^2*psi.dot^2)
      S:potential_energy(q^2/2)
      S:force(q, -q.dot/10)
      S:constraint("no slip", q.dot*hm.cos(psi) - v*hm.sin(psi) - l*psi.dot)
      local B = S:continue{ equilibrium = { q = { q = 0, psi = 0 } }, along = "v", from = 0.1*L, to = 12*L }
      assert.equal(2, #B.special)
      for i, sign in ipairs{ -1, 1 } do check.near(B.special[i].value/L, (49 + sign*math.sqrt(2201))/10, 1e-10) end
    end
  end)

  it("starts at a fold where all eigenvalues vanish, of one degree of freedom without damping", function()
    local S = hm.system "d"
    local y = S:coordinates "y"
    local a, b = S:parameters "a=1/2 b=1"
    S:kinetic_energy(y.dot^2/2)
    S:potential_energy(y^4/4 - b*y^2/2 + a*y)
    local B = S:continue{ equilibrium = { q = { y = -1.4 } }, along = "a", from = -1, to = 1 }
    assert.equal(2, #B.special)
    local C = S:continue{ fold = B.special[1], along = { "a", "b" }, points = 40 }
    for _, point in ipairs(C.points) do check.near(27*point.value^2, 4*point.beside^3, 1e-8*(1 + 27*point.value^2)) end
    assert.equal(1, #C.special)
    assert.equal("cusp", C.special[1].kind)
    check.near(C.special[1].value, 0, 1e-10)
  end)
end)
