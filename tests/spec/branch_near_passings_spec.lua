-- Eigenvalues of states of rest that pass the axis near to each other, within one step of a branch.
-- Arbiter: branch points and folds are where det K = 0, a quadratic polynomial of the parameter, or p'(x) = 0; Hopf points are where the determinant of Hurwitz
-- vanishes, by halving.
local hm, check = require "hamel", require "check"
local near = check.near

-- The branch of q = 0 with M q'' + D q' + K q + q^3 = 0 for K = [[a mu, -b], [-c, d mu + e]] and D = [[d1, -d3], [0, d2 - g mu]], and the roots of det K
local function two_stiffnesses(k, start)
  local S = hm.system "two stiffnesses"
  local x, z = S:coordinates "x z"
  local mu = S:parameters "mu = 0"
  S:kinetic_energy(k.m1/2*x.dot^2 + k.m2/2*z.dot^2)
  S:force(x, -k.a*mu*x - k.d1*x.dot + k.b*z + k.d3*z.dot - x^3)
  S:force(z, k.c*x - (k.d*mu + k.e)*z - (k.d2 - k.g*mu)*z.dot - z^3)
  local branch = S:continue{ equilibrium = { q = { x = 0, z = 0 } }, along = "mu", from = -2, to = 2, parameters = { mu = start } }
  -- a d mu^2 + a e mu - b c = 0
  local sum, product = -k.e/k.d, -k.b*k.c/(k.a*k.d)
  local square = sum^2/4 - product
  if square < 0 then return branch, {} end
  local larger = sum/2 + (sum < 0 and -1 or 1)*math.sqrt(square)
  local roots = { larger, product/larger }
  table.sort(roots)
  return branch, roots
end

local function demand_branch_points(branch, roots)
  local found = {}
  for _, special in ipairs(branch.special) do
    if special.kind == "branch" then
      assert(not special.doubtful and not special.several and not special.apart, tostring(branch))
      found[#found + 1] = special.value
    end
  end
  table.sort(found)
  assert.equal(#roots, #found, tostring(branch))
  for i, root in ipairs(roots) do near(found[i], root, 1e-10, "a root of det K") end
end

local CASES = {
  { a = 0.38, d = 15, b = 0.11, c = 8.84e-05, e = 0.000542, d1 = 7.8, d2 = 4.8, d3 = 0.81, g = 0, m1 = 2.7, m2 = 0.045 },
  { a = 94, d = 0.61, b = 140.0, c = 6.72e-07, e = 0.000209, d1 = 0.65, d2 = 18, d3 = 49, g = 7.2, m1 = 0.017, m2 = 5.7 },
  { a = 0.0025, d = 24, b = 0.0012, c = 2.91e-05, e = -0.000526, d1 = 540.0, d2 = 5.9, d3 = 91, g = 2.36, m1 = 290.0, m2 = 0.053 },
}

describe("two eigenvalues that pass zero near to each other", function()
  it("are told apart, each at its place, from any start", function()
    for _, case in ipairs(CASES) do
      for _, start in ipairs{ -1.648367480874, -0.72745484012706, 0.31, 1.7419751825452 } do demand_branch_points(two_stiffnesses(case, start)) end
    end
  end)

  it("are told apart where they are nearer and nearer, down to 1e-6", function()
    for _, part in ipairs{ 1e-1, 1e-2, 1e-3, 1e-6 } do
      local case = { a = 1, d = 1, b = part, c = part, e = 0, d1 = 3, d2 = 2, d3 = 0, g = 0, m1 = 1, m2 = 1 }
      local branch, roots = two_stiffnesses(case, -1.23)
      near(roots[2], part, 1e-12*part, "the root")
      demand_branch_points(branch, roots)
    end
  end)

  it("are counted on both sides of each branch point by the states beside it", function()
    for _, case in ipairs(CASES) do
      local branch, roots = two_stiffnesses(case, 1.7419751825452)
      demand_branch_points(branch, roots)
      -- det K < 0 between the roots, and there an odd number of eigenvalues is right of the axis
      for _, point in ipairs(branch.points) do
        local count = 0
        for _, e in ipairs(point.eigenvalues) do if e.re > 0 then count = count + 1 end end
        local value = point.parameters.mu
        assert.equal(value > roots[1] and value < roots[2], count % 2 == 1)
      end
    end
  end)

  it("that seem to exchange their places in passing, in opposite directions, do so only where det K vanishes", function()
    for _, sign in ipairs{ 1, -1 } do
      -- det K = -mu^2 - sign b^2: no zero, or two
      for _, b in ipairs{ 1e-2, 1e-3, 1e-4 } do
        local case = { a = 1, d = -1, b = b, c = sign*b, e = 0, d1 = 2, d2 = 5, d3 = 0, g = 0, m1 = 1, m2 = 1 }
        local branch, roots = two_stiffnesses(case, -1.37)
        assert.equal(sign > 0 and 0 or 2, #roots)
        demand_branch_points(branch, roots)
      end
    end
  end)
end)

-- ---- Hopf points near folds

local A, C = { 7100.0, 0.07 }, { k1 = -0.098, k2 = 0.81, c12 = -9300.0, c21 = 13.0 }

local function p(x) return x^3 - 2*x end
local function g(x) return 0.7*x^2 - 1.7*x end
local function damping(x) return { { 62*x + 920, 0.0072 }, { 0.78, 6.2*x + 0.0034 } } end

-- The coefficients of det(M s^2 + D s + K) at a state of rest, from s^3 down, over that of s^4
local function characteristic(x)
  local dp, dg, D = 3*x^2 - 2, 1.4*x - 1.7, damping(x)
  local K = { { C.k1*dp + C.c12*dg, -C.c12 }, { -C.k2*dg - C.c21*dp, C.k2 } }
  local m = A[1]*A[2]
  return (A[1]*D[2][2] + A[2]*D[1][1])/m,
    (A[1]*K[2][2] + A[2]*K[1][1] + D[1][1]*D[2][2] - D[1][2]*D[2][1])/m,
    (D[1][1]*K[2][2] + K[1][1]*D[2][2] - D[1][2]*K[2][1] - K[1][2]*D[2][1])/m,
    (K[1][1]*K[2][2] - K[1][2]*K[2][1])/m
end

-- The zero of the determinant of Hurwitz between two states, and the frequency there
local function hopf_between(low, high)
  local function hurwitz(x)
    local a3, a2, a1, a0 = characteristic(x)
    return a1*a2*a3 - a1^2 - a3^2*a0
  end
  local rising = hurwitz(high) > 0
  assert((hurwitz(low) > 0) ~= rising)
  for _ = 1, 60 do
    local middle = (low + high)/2
    if (hurwitz(middle) > 0) == rising then high = middle else low = middle end
  end
  local a3, _, a1 = characteristic(high)
  return high, math.sqrt(a1/a3)
end

describe("a Hopf point near a fold", function()
  it("is found beside it, each at its place", function()
    local S = hm.system "Hopf point near a fold"
    local x, z = S:coordinates "x z"
    local mu = S:parameters "mu = 0"
    S:kinetic_energy(A[1]/2*x.dot^2 + A[2]/2*z.dot^2)
    local D = damping(x)
    S:force(x, -C.k1*(p(x) - mu) + C.c12*(z - g(x)) - D[1][1]*x.dot - D[1][2]*z.dot)
    S:force(z, -C.k2*(z - g(x)) + C.c21*(p(x) - mu) - D[2][1]*x.dot - D[2][2]*z.dot)
    local branch = S:continue{ equilibrium = { q = { x = -1.99, z = g(-1.99) } }, along = "mu", from = -4, to = 4, parameters = { mu = p(-1.99) } }
    local fold, list = math.sqrt(2/3), {}
    for i, part in ipairs{ { -0.83, -0.8166 }, { -0.1, 0.0 }, { 0.8166, 0.83 } } do
      local place, frequency = hopf_between(part[1], part[2])
      list[i] = { kind = "hopf", x = place, frequency = frequency }
    end
    table.insert(list, 2, { kind = "fold", x = -fold })
    table.insert(list, 4, { kind = "fold", x = fold })
    assert.equal(#list, #branch.special, tostring(branch))
    for i, special in ipairs(branch.special) do
      local want = list[i]
      assert.equal(want.kind, special.kind)
      assert(not special.doubtful and not special.apart and not special.several, tostring(branch))
      near(special.value, p(want.x), 1e-9, want.kind)
      if want.frequency then near(special.frequency, want.frequency, 1e-6*want.frequency, "frequency") end
    end
  end)
end)

describe("a pair along very weak damping", function()
  it("passes no axis where its real part is rounding at a point of the branch alone", function()
    -- x'' + c x' + k x = 0: the first k passes zero at 0.3015..., the second c at 0.7326...
    local S = hm.system "three oscillators"
    local names, k, c = { S:coordinates "x y z" }, { 2.2e11, 1.8e8, 13 }, { 8.3e-11, 1.2e3, 1.6e-4 }
    local mu, place, hopf = S:parameters "mu = 0", 0.30151172254106, 0.73269500262278
    local factors = { { place - mu, 1 }, { 1, hopf - mu }, { 1, 1 } }
    local kinetic = 0
    for i, x in ipairs(names) do
      kinetic = kinetic + x.dot^2/2
      S:force(x, -k[i]*factors[i][1]*x - c[i]*factors[i][2]*x.dot - (i == 1 and k[1]*x^3 or 0))
    end
    S:kinetic_energy(kinetic)
    local branch = S:continue{ equilibrium = { q = { x = 0, y = 0, z = 0 } }, along = "mu", from = 0, to = 1 }
    assert.equal(2, #branch.special, tostring(branch))
    assert.equal("branch", branch.special[1].kind)
    near(branch.special[1].value, place, 1e-9)
    assert.equal("hopf", branch.special[2].kind)
    near(branch.special[2].value, hopf, 1e-9)
    near(branch.special[2].frequency, math.sqrt(k[2]), 1e-6*math.sqrt(k[2]))
  end)
end)

describe("a pair and a real eigenvalue that pass the axis at one value in opposite directions, 1e-9 beside another pair", function()
  -- Modes u'' = d(p) u' - w^2 u - u^2 u' and u'' = s(p) u - u' - u^3. Arbiter: the roots of d and s
  local SHARED, BESIDE = -0.13720951673199164, -0.13720951773199164
  local MODES = {
    { kind = "hopf", factor = 1.0460074640197341, w = 1.8106715701044016, roots = { BESIDE, 0.65089094949831949, 0.69344312830208943 } },
    { kind = "hopf", factor = 1.4559207643931587, w = 2.4713601110118084, roots = { SHARED, 0.23262074692751544, 0.65089094949831949 } },
    { kind = "branch", factor = 1.273977294444107, roots = { SHARED, -0.10515548150715151 } },
  }

  it("are a Hopf point and a branch point, and the other pair is a Hopf point, from steps of any length", function()
    local S = hm.system "modes"
    local names, q, wanted, kinetic = { S:coordinates "x y z" }, S:parameters "q = -1", {}, 0
    for k, mode in ipairs(MODES) do
      local u, polynomial = names[k], mode.factor
      kinetic = kinetic + u.dot^2/2
      for _, root in ipairs(mode.roots) do
        polynomial = polynomial*(q - root)
        wanted[#wanted + 1] = { kind = mode.kind, value = root, frequency = mode.w }
      end
      S:force(u, mode.kind == "hopf" and polynomial*u.dot - mode.w^2*u - u^2*u.dot or polynomial*u - u.dot - u^3)
    end
    S:kinetic_energy(kinetic)
    for _, step in ipairs{ 0.36352105136830587, 0.5, 0.2 } do
      local B = S:continue{ equilibrium = { q = { x = 0, y = 0, z = 0 } }, along = "q", from = -1, to = 1, largest = 0.5, step = step }
      assert.equal(#wanted, #B.special, tostring(B))
      for _, want in ipairs(wanted) do
        local count = 0
        for _, special in ipairs(B.special) do
          local off = math.abs(special.value - want.value)
          local same = special.kind == want.kind and off <= 1e-10
          if same and (not want.frequency or math.abs(special.frequency - want.frequency) <= 1e-9) then count = count + 1 end
        end
        assert.equal(1, count, ("%s at %.12g:\n%s"):format(want.kind, want.value, tostring(B)))
      end
    end
  end)
end)
