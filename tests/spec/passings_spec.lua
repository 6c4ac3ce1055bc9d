-- eigenvalues and multipliers that pass the border of stability within one step of a branch: several, in both directions, there and back
local hm, branches, check = require "hamel", require "branches", require "check"
local near, of_kind, number = check.near, branches.of_kind, hm.number

-- x'' = a(p) x' - x - x^2 x', y'' = b(p) y' - 3 y - y^2 y': pairs pass the axis where a and b are zero. drive: beside a driven coordinate
local function pair(a, b, o, drive)
  local S = hm.system "two modes"
  local x, y, z = S:coordinates "x y z"
  local p = S:parameters "p=-1"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:potential_energy((x^2 + (o.stiffness or 3)*y^2 + z^2)/2)
  S:force(x, a(p)*x.dot - x^2*x.dot)
  S:force(y, b(p)*y.dot - y^2*y.dot)
  S:force(z, (drive and hm.cos(hm.t) or 0) - z.dot)
  local start = drive and { periodic = { q = { x = 0, y = 0, z = 0 }, v = { x = 0, y = 0, z = 1 }, period = 2*hm.pi } }
    or { equilibrium = { q = { x = 0, y = 0, z = 0 } } }
  start.parameters = { p = o.from or -1 }
  start.along, start.from, start.to, start.step, start.largest = "p", o.from or -1, o.to or 1, o.step, o.largest
  return S:continue(start)
end

local function demand_values(list, wanted, kind, tolerance)
  assert.equal(#wanted, #list)
  for i, value in ipairs(wanted) do
    assert.equal(kind, list[i].kind)
    near(list[i].value, value, tolerance or 1e-10)
  end
end

local function says(B, ...)
  for _, text in ipairs{ ... } do assert(tostring(B):find(text, 1, true), tostring(B)) end
end

describe("Hopf points that share a step", function()
  it("in opposite directions leave a stable window", function()
    local B = pair(function(p) return p - number "0.03" end, function(p) return -p end, {})
    demand_values(B.special, { 0, 0.03 }, "hopf")
    near(B.special[1].frequency, math.sqrt(3), 1e-9)
    near(B.special[2].frequency, 1, 1e-9)
    says(B, "unstable for p in (-1, 0)", "stable for p in (0, 0.03)", "unstable for p in (0.03, 1)")
    assert(B.special[2].after > B.special[1].after)
    for i, point in ipairs(B.points) do assert(i == 1 or point.value > B.points[i - 1].value) end
  end)

  it("in the same direction are found once each, for steps of any length", function()
    for _, step in ipairs{ 0.5, 0.35, 0.1, 0.02 } do
      local B = pair(function(p) return p - number "0.3" end, function(p) return p - number "0.35" end, { step = step, largest = step })
      demand_values(B.special, { 0.3, 0.35 }, "hopf")
      B = pair(function(p) return p - number "0.01" end, function(p) return p - number "0.02" end, { step = step, largest = step })
      demand_values(B.special, { 0.01, 0.02 }, "hopf")
    end
  end)

  it("of one pair that comes back leave a window, too", function()
    for _, width in ipairs{ 0.03, 1e-3, 1e-5 } do
      local w = number(("%.17g"):format(width))
      local B = pair(function(p) return (p - number "0.52")*(p - number "0.52" - w) end, function() return -1 end, { largest = 0.1 })
      demand_values(B.special, { 0.52, 0.52 + width }, "hopf", 1e-9)
      -- beside a narrow window the eigenvalues are near the axis
      if width > 1e-3 then says(B, ("stable for p in (0.52, %.6g)"):format(0.52 + width)) end
    end
  end)

  it("at one value are named so", function()
    for _, sign in ipairs{ 1, -1 } do
      local B = pair(function(p) return p end, function(p) return sign*p end, {})
      demand_values(B.special, { 0, 0 }, "hopf")
      for _, special in ipairs(B.special) do assert.equal(4, special.several) end
      says(B, "4 eigenvalues at once", sign > 0 and "stable for p in (-1, " or "unstable for p in (-1, 1)")
    end
    -- with one frequency they are one row
    local B = pair(function(p) return p end, function(p) return p end, { stiffness = 1 })
    demand_values(B.special, { 0 }, "hopf")
    assert.equal(4, B.special[1].several)
    local path = os.tmpname() .. ".branch"
    B:save(path)
    local again = hm.load(path, B._system)
    os.remove(path)
    assert.equal(tostring(B), tostring(again))
  end)

  it("are told apart down to how exactly they are located, and touches say how near", function()
    local B = pair(function(p) return p end, function(p) return p - number "1e-9" end, {})
    demand_values(B.special, { 0, 1e-9 }, "hopf")
    B = pair(function(p) return -p^2 end, function() return -1 end, {})
    assert.equal(1, #B.special)
    assert(B.special[1].apart > 0 and B.special[1].apart < 1e-4 and math.abs(B.special[1].value) <= B.special[1].apart, tostring(B))
    says(B, "are not told apart here")
    assert.equal(0, #pair(function(p) return -p^2 - number "1e-8" end, function() return -1 end, {}).special)
  end)
end)

-- Where the value of the parameter stands still, places on the branch are told apart that have one value but for rounding
describe("special points beside an inflection of the branch", function()
  -- p = x^3 - 3 e^2 x, with folds at x = -+e; driven: x follows a driven coordinate z
  local function folds(e, drag, driven)
    local S = hm.system "two folds"
    local x, z = S:coordinates "x z"
    local p, d = S:parameters("p=-1 d=" .. e)
    S:kinetic_energy((x.dot^2 + z.dot^2)/2)
    local u = driven and x - z or x
    local drive = driven and hm.cos(hm.t) - z - z.dot or -z
    S:force(x, p - u^3 + 3*d^2*u - drag*(driven and x.dot - z.dot or x.dot) + (driven and drive or 0))
    S:force(z, drive)
    local o = { along = "p", from = -1, to = 1, parameters = { p = -1 } }
    if driven then o.periodic = { q = { x = -1, z = 0 }, v = { x = 1, z = 1 }, period = 2*hm.pi }
    else o.equilibrium = { q = { x = -1, z = 0 } } end
    return S:continue(o)
  end

  local function demand_folds(B, e, tolerance)
    assert.equal(2, #B.special, tostring(B))
    for k, sign in ipairs{ -1, 1 } do
      assert.equal("fold", B.special[k].kind)
      near(B.special[k].point.q.x, sign*e, tolerance)
    end
    -- the piece between them is a point of the branch, and not stable
    local between = B.points[B.special[2].after]
    assert(B.special[2].after == B.special[1].after + 1 and math.abs(between.q.x) < e and between.stable ~= true, tostring(B))
  end

  it("are both folds", function()
    for _, e in ipairs{ 1e-3, 1e-4, 1e-5, 1e-6, 1e-7 } do
      for drag = 0, 1 do demand_folds(folds(e, drag), e, 0.3*e) end
    end
  end)

  it("are both folds of periodic motions, or one with how near to each other two may be", function()
    demand_folds(folds(1e-4, 1, true), 1e-4, 1e-5)
    local B = folds(1e-6, 1, true)
    assert.equal(1, #B.special, tostring(B))
    assert(B.special[1].kind == "fold" and B.special[1].apart > 1e-18, tostring(B))
  end)

  it("are one fold, with how near to each other two may be, where the eigenvalue is rounding", function()
    for _, e in ipairs{ 3e-9, 1e-9 } do
      local B = folds(e, 1)
      assert.equal(1, #B.special, tostring(B))
      assert(B.special[1].kind == "fold" and B.special[1].apart > 2*e^3 and B.special[1].apart < 1e-6, tostring(B))
    end
  end)

  -- y'' = (e^2 - x^2) y' - y beside p = x^3
  it("are both Hopf points of one pair, not two pairs at once", function()
    for _, e in ipairs{ 1e-3, 1e-4, 1e-5 } do
      local S = hm.system "hopf"
      local x, y = S:coordinates "x y"
      local p, d = S:parameters("p=-1 d=" .. e)
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:force(x, p - x^3 - x.dot)
      S:force(y, (d^2 - x^2)*y.dot - y)
      local list = of_kind(S:continue{ equilibrium = { q = { x = -1, y = 0 } }, along = "p", from = -1, to = 1 }, "hopf")
      assert.equal(2, #list)
      for k, sign in ipairs{ -1, 1 } do
        near(list[k].point.q.x, sign*e, 1e-2*e)
        assert.is_nil(list[k].several)
      end
    end
  end)
end)

describe("torus points that share a step", function()
  it("are found, with what is between them", function()
    local o = { from = -0.3, to = 0.3, largest = 0.1, step = 0.1 }
    local B = pair(function(p) return p - number "0.03" end, function(p) return -p end, o, true)
    demand_values(of_kind(B, "torus"), { 0, 0.03 }, "torus", 1e-9)
    says(B, "unstable for p in (-0.3, ", "\n  stable for p in (", "unstable for p in (0.03, 0.3)")
    B = pair(function(p) return (p - number "0.12")*(p - number "0.15") end, function() return -1 end, o, true)
    demand_values(of_kind(B, "torus"), { 0.12, 0.15 }, "torus", 1e-9)
    says(B, "\n  stable for p in (0.12, 0.15)")
  end)
end)

-- x'' = a x' - 2 x - x^2 x' beside z'' = cos t - 3 z - c z'; the rest x = 0 has multipliers of the modulus exp(pi a)
describe("torus points along damping that is weak throughout", function()
  local function branch(range, c)
    local S = hm.system "weak"
    local x, z = S:coordinates "x z"
    local a, d = S:parameters("a=0 d=" .. c)
    S:kinetic_energy((x.dot^2 + z.dot^2)/2)
    S:force(x, a*x.dot - 2*x - x^2*x.dot)
    S:force(z, hm.cos(hm.t) - 3*z - d*z.dot)
    local guess = { q = { x = 0, z = c == 0 and 1/2 or 2/5 }, v = { x = 0, z = c == 0 and 0 or 1/5 }, period = 2*hm.pi }
    return S:continue{ periodic = guess, parameters = { a = -range }, along = "a", from = -range, to = range }
  end

  it("are found, and no other ones", function()
    for _, range in ipairs{ 1e-5, 1e-6, 1e-7, 3e-8 } do
      for c = 0, 1 do
        local B = branch(range, c)
        demand_values(B.special, { 0 }, "torus", 1e-10)
        near(B.special[1].frequency, math.sqrt(2) - 1, 1e-8)
      end
    end
  end)
end)

describe("families of a Hamiltonian system", function()
  it("show no torus points", function()
    local S = hm.system "Henon-Heiles"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy((x^2 + y^2)/2 + x^2*y - y^3/3)
    local B = S:continue{ periodic = { q = { x = 0, y = -0.1 }, v = { x = 0, y = 0 }, period = 6.3 }, along = "energy", to = 0.15 }
    assert.equal(0, #of_kind(B, "torus"), tostring(B))
    S = hm.system "pendulums"
    local a, b = S:coordinates "a b"
    local F = S:parameters "F=0"
    S:kinetic_energy((2*a.dot^2 + b.dot^2)/2 + a.dot*b.dot*hm.cos(a - b))
    S:potential_energy(-2*hm.cos(a) - hm.cos(b))
    S:force(a, F*hm.cos(3*hm.t))
    B = S:continue{ periodic = { q = { a = 0, b = 0 }, v = { a = 0, b = 0 }, period = 2*hm.pi/3 }, along = "F", from = 0, to = 2, largest = 0.1 }
    assert.equal(0, #B.special, tostring(B))
  end)
end)

describe("pitchforks that share a step", function()
  -- x'' = a(p) x - x^3 - c x', y'' = b(p) y - y^3 - c y'
  local function forks(a, b, c)
    local S = hm.system "two forks"
    local x, y = S:coordinates "x y"
    local p = S:parameters "p=-1"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, a(p)*x - x^3 - (c or 1)*x.dot)
    S:force(y, b(p)*y - y^3 - (c or 1)*y.dot)
    return S:continue{ equilibrium = { q = { x = 0, y = 0 } }, along = "p", from = -1, to = 1 }
  end

  it("are told apart, or named double", function()
    for _, gap in ipairs{ 1e-2, 1e-4, 1e-6, 1e-8 } do
      local w = number(("%.17g"):format(gap))
      demand_values(forks(function(p) return p end, function(p) return p - w end).special, { 0, gap }, "branch")
      demand_values(forks(function(p) return p end, function(p) return w - p end).special, { 0, gap }, "branch")
    end
    local B = forks(function(p) return p end, function(p) return p end)
    demand_values(B.special, { 0 }, "branch")
    assert.equal(2, B.special[1].several)
    says(B, "2 eigenvalues at once")
  end)

  it("also without damping, where the eigenvalues come with their opposites", function()
    local w = number "0.03"
    local B = forks(function(p) return p - w end, function(p) return -p end, 0)
    demand_values(B.special, { 0, 0.03 }, "branch")
    -- zero but for rounding, which spans do not show
    says(B, "unstable for p in (-1, 0)", "not decided for p in (0, 0.03)", "unstable for p in (0.03, 1)")
    demand_values(forks(function(p) return p - w end, function(p) return p end, 0).special, { 0, 0.03 }, "branch")
    for _, sign in ipairs{ 1, -1 } do
      B = forks(function(p) return p end, function(p) return sign*p end, 0)
      demand_values(B.special, { 0 }, "branch")
      says(B, sign > 0 and "not decided for p in (-1, 0)" or "unstable for p in (-1, 1)")
    end
  end)
end)

describe("a branch that starts at a special point", function()
  local function one(force, o)
    local S = hm.system "one"
    local x = S:coordinates "x"
    local p, r = S:parameters "p=0 r=1"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, force(x, p, r))
    o.equilibrium, o.along, o.from, o.to = { q = { x = o.x or 0 } }, "p", o.from or -1, o.to or 1
    o.x = nil
    return S, S:continue(o)
  end

  it("names it: a fold, a pitchfork, a transcritical point, a Hopf point", function()
    local cases = { { "fold", function(x, p) return p - x^2 - x.dot end }, { "branch", function(x, p) return p*x - x^3 - x.dot end },
      { "branch", function(x, p) return p*x - x^2 - x.dot end }, { "hopf", function(x, p) return p*x.dot - x - x^2*x.dot end } }
    for _, case in ipairs(cases) do
      local _, B = one(case[2], {})
      demand_values(B.special, { 0 }, case[1])
      assert(#B.points > 10, tostring(B))
      for _, point in ipairs(B.points) do
        if case[1] == "hopf" or case[1] == "branch" then assert(math.abs(point.value) < 1e-9 or point.stable == (point.value < 0), tostring(B)) end
        if case[1] == "fold" then assert(math.abs(point.q.x) < 1e-9 or point.stable == (point.q.x > 0), tostring(B)) end
      end
    end
  end)

  -- two folds, and none for e = 0: doubles do not tell these from each other where e^2 is rounding
  it("and where the value stands still and goes on, as p = x^3, there may be two folds, nearer to each other than is known", function()
    for _, centre in ipairs{ number(3)/10, number(2)/7, number(0) } do
      local _, B = one(function(x, p) return p - (x - centre)^3 - x.dot end, { x = -0.7, parameters = { p = -1 } })
      demand_values(B.special, { 0 }, "fold")
      assert(B.special[1].apart < 1e-6, tostring(B))
      says(B, "are not told apart here")
    end
    local _, B = one(function(x, p) return p - x^3 - x.dot end, {})
    demand_values(B.special, { 0 }, "fold")
    assert(B.special[1].apart > 0 and B.special[1].apart < 1e-6, tostring(B))
  end)

  it("and the curve of folds starts where the value of one is zero", function()
    local S, B = one(function(x, p, r) return p + x^2 - r*x.dot end, { x = -1, parameters = { p = -1 }, from = -2 })
    local C = S:continue{ fold = branches.first(B, "fold"), along = { "p", "r" }, from = { -1, 0.1 }, to = { 1, 2 } }
    for _, point in ipairs(C.points) do near(point.parameters.p, 0, 1e-12) end
    near(C.points[1].parameters.r, 0.1, 1e-12)
    near(C.points[#C.points].parameters.r, 2, 1e-12)
  end)

  it("but families are refused still", function()
    check.raises({ "families" }, one, function(x, p) return p*x.dot*(x^2 + 1) - x.dot end, {})
  end)
end)

describe("two meetings within a step", function()
  -- x'' = -5 x + y, y'' = D x/4 - 5 y has the squares -5 +- sqrt(D)/2: pairs meet where D = 0, and between the zeros of a narrow dip the rest is unstable
  it("are found where a parabola through three points does not show them, also beside the start", function()
    for _, from in ipairs{ -2, -1, 0 } do
      for _, step in ipairs{ 1, 0.7, 0.5 } do
        local S = hm.system "follower"
        local x, y = S:coordinates "x y"
        local p = S:parameters("p=" .. from)
        local cos = hm.cos
        local D = 0.7*cos(1.9*p + 4.3) - 0.1*cos(1.3*p + 4.4) + 1.2*cos(0.3*p + 2.3) + 1.24
        S:kinetic_energy((x.dot^2 + y.dot^2)/2)
        S:force(x, y - 5*x)
        S:force(y, D*x/4 - 5*y)
        local B = S:continue{ equilibrium = { q = { x = 0, y = 0 } }, along = "p", from = -2.5, to = 1.5, step = step, largest = step }
        demand_values(B.special, { -0.5925557085, -0.3195864945 }, "neutral", 1e-9)
        says(B, "unstable for p in (-0.592556, -0.319586)")
      end
    end
  end)
end)

describe("a flip and a fold at one value", function()
  -- near the pole x = 2 the branch turns back, and its multipliers, with the product exp(-2 pi/5), go from 1 to -1 within 1e-9 of the value
  it("have points of their own, each with its multiplier", function()
    local S = hm.system "pole"
    local x = S:coordinates "x"
    local a = S:parameters "a=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(3*x^2/2)
    S:force(x, a*hm.cos(hm.t)/(2 - x) - x.dot/5)
    local B = S:continue{ periodic = { q = { x = 0 }, v = { x = 0 }, period = 2*math.pi }, along = "a", from = -1, to = 20 }
    local flips, folds, product = of_kind(B, "flip"), of_kind(B, "fold"), math.exp(-2*math.pi/5)
    assert(#flips == 1 and #folds == 2, tostring(B))
    near(flips[1].value, folds[2].value, 1e-8)
    for _, item in ipairs{ { flips[1], -1 }, { folds[2], 1 } } do
      local list, border = item[1].point.multipliers, item[2]
      local one, other = list[1].re, list[2].re
      if math.abs(other - border) < math.abs(one - border) then one, other = other, one end
      near(one, border, 1e-4)
      near(other, border*product, 1e-4)
      assert.equal(nil, item[1].several)
    end
  end)
end)
