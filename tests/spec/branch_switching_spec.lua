-- From special points to the branches that start there: within the range asked for, and each of several, against closed forms
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near

-- A bead on a hoop that turns: cos(th) = 1/w^2 leaves th = 0 at w = 1
local function hoop()
  local S = hm.system "hoop"
  local th = S:coordinates "th"
  local w = S:parameters "w=1/2"
  S:kinetic_energy((th.dot^2 + w^2*hm.sin(th)^2)/2)
  S:potential_energy(-hm.cos(th))
  S:force(th, -th.dot/10)
  return S, S:continue{ equilibrium = { q = { th = 0 } }, along = "w", from = 0.5, to = 2 }
end

-- Rest at 0 with a second branch x = a - 1
local function transcritical()
  local S = hm.system "transcritical"
  local x = S:coordinates "x"
  local a = S:parameters "a=1/2"
  S:kinetic_energy(x.dot^2/2)
  S:force(x, x*(a - 1) - x^2 - x.dot)
  return S:continue{ equilibrium = { q = { x = 0 } }, along = "a", from = 0, to = 2 }
end

-- Rest at 0 in a plane, where two eigenvalues pass zero at a = 0
local function plane(potential)
  local S = hm.system "plane"
  local x, y = S:coordinates "x y"
  local a = S:parameters "a=-1"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(-a*(x^2 + y^2)/2 + potential(x, y))
  S:force(x, -x.dot)
  S:force(y, -y.dot)
  return S:continue{ equilibrium = { q = { x = 0, y = 0 } }, along = "a", from = -1, to = 2 }
end

describe("a switched branch", function()
  it("lies between from and to, or is refused", function()
    local _, B = hoop()
    local at = B.special[1]
    near(at.value, 1, 1e-10)
    for _, o in ipairs{ { from = 0, to = 0.9 }, { from = 3, to = 4 }, { to = 0.9 }, { from = 0.5, to = 1 } } do
      check.raises({ "switch: the branch starts at w = 1.0000", "outside from = " }, B.switch, B, at, o)
    end
    check.raises({ "from = 3 is not below to = 2" }, B.switch, B, at, { from = 3 })
    for _, o in ipairs{ { from = 1, to = 3 }, { to = 1.2 }, { from = 0.9, to = 1.00001 } } do
      local Z = B:switch(at, o)
      for _, point in ipairs(Z.points) do
        near(math.cos(point.q.th), 1/point.value^2, 1e-9)
        assert(point.value >= (o.from or 0.5) - 1e-9 and point.value <= o.to + 1e-9, point.value)
      end
      near(Z.points[1].value, o.to, 1e-9)
    end
  end)

  it("is the half that lies between them", function()
    local B = transcritical()
    for _, o in ipairs{ { from = 1, to = 3 }, { from = 0, to = 1 }, { from = 0, to = 2 } } do
      local Z = B:switch(B.special[1], o)
      local least, most = math.huge, -math.huge
      for _, point in ipairs(Z.points) do
        near(point.q.x, point.value - 1, 1e-9)
        least, most = math.min(least, point.value), math.max(most, point.value)
      end
      assert(least >= o.from - 1e-9 and most <= o.to + 1e-9, tostring(Z))
      near(math.max(1 - least, most - 1), math.max(1 - o.from, o.to - 1), 1e-9)
    end
    check.raises({ "outside from = 2 to 3" }, B.switch, B, B.special[1], { from = 2, to = 3 })
  end)

  it("takes the options of S:continue but those that it knows already", function()
    local _, B = hoop()
    check.raises({ "switch: unknown option 'too' (did you mean 'to'?)" }, B.switch, B, B.special[1], { too = 3 })
    check.raises({ "switch: option 'to'" }, B.switch, B, B.special[1], { to = "far" })
    check.raises({ "which = 2", "one branch starts" }, B.switch, B, B.special[1], { which = 2 })
  end)

  it("and a curve of special points: it starts within its ends", function()
    local S = hm.system "cusp"
    local x = S:coordinates "x"
    local a, b = S:parameters "a=0 b=3"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, a + b*x - x^3 - x.dot)
    local B = S:continue{ equilibrium = { q = { x = 2 } }, along = "a", from = -4, to = 4 }
    local fold = B.special[1]
    near(math.abs(fold.value), 2, 1e-9)
    check.raises({ "the fold has b = 3, outside from = 4 to 5" }, S.continue, S, { fold = fold, along = { "a", "b" }, from = { -4, 4 }, to = { 4, 5 } })
    for _, point in ipairs(S:continue{ fold = fold, along = { "a", "b" }, from = { -4, 1 }, to = { 4, 4 } }.points) do
      near(27*point.parameters.a^2, 4*point.parameters.b^3, 1e-7)
    end
  end)

  it("of motions from Hopf points obeys the range, too", function()
    local S = mechanics.growing_cycle()
    local B = S:continue{ equilibrium = { q = { x = 0 }, parameters = { m = -0.5 } }, along = "m", from = -1, to = 1 }
    assert.equal("hopf", B.special[1].kind)
    check.raises({ "outside from = -1 to -0.5" }, B.switch, B, B.special[1], { to = -0.5 })
    check.raises({ "one branch starts at a hopf" }, B.switch, B, B.special[1], { which = 2 })
    assert(#B:switch(B.special[1], { to = 0.1 }).points > 2)
  end)
end)

-- The Hopf point m = 0 of x'' = -x + damping(x, x', m), and its branch up to the value `to` of m
local function weakly_damped(damping, to, given)
  local S = hm.system "weak damping"
  local x = S:coordinates "x"
  local m = S:parameters(("m=%.17g"):format(-to))
  S:kinetic_energy(x.dot^2/2)
  S:force(x, -x + damping(x, x.dot, m))
  local B = S:continue{ equilibrium = { q = { x = 0 } }, along = "m", to = to }
  assert.equal("hopf", B.special[1].kind)
  return B, B:switch(B.special[1], given), B.special[1]
end

-- The motions of x'' = -x + e (m - x^2) x' have the amplitude 2 sqrt(m) for small e, by averaging: m = (x^2 + x'^2)/4
local function by_averaging(C, error)
  for _, point in ipairs(C.points) do near(point.value, (point.q.x^2 + point.v.x^2)/4, error) end
end

describe("the branch from a Hopf point beside weak damping", function()
  it("begins within a step of it, and ends where it is asked to", function()
    for _, case in ipairs{ { 1e-2, 1 }, { 1e-3, 1 }, { 1e-5, 1 }, { 1e-7, 1 }, { 1e-3, 1e-4 }, { 1e-8, 100 } } do
      local e, to = case[1], case[2]
      local _, C = weakly_damped(function(x, v, m) return hm.number(("%.17g"):format(e))*(m - x^2)*v end, to)
      local first, last = C.points[1].value, C.points[#C.points].value
      assert(first > 0 and first <= to/100, tostring(C))
      assert.equal(false, C.missing)
      near(last, to, 1e-9*to)
      -- the next order of averaging, and the errors of runs beside such damping
      by_averaging(C, (e*to)^2*to + 1e-12/e)
    end
  end)

  it("begins within the step that is asked for", function()
    local _, C = weakly_damped(function(x, v, m) return hm.rational(1, 1000)*(m - x^2)*v end, 1, { step = 1e-6, points = 10 })
    assert(C.points[1].value > 0 and C.points[1].value <= 1e-6, tostring(C))
    by_averaging(C, 1e-9)
  end)

  it("begins on its own side, where motions of another amplitude are on the other one", function()
    -- by averaging m = - A^2/4 + A^4/8, with a fold at A = 1, m = -1/8
    local _, C = weakly_damped(function(x, v, m) return hm.rational(1, 10^8)*(m + x^2 - x^4)*v end, 1)
    local first = C.points[1]
    local square = first.q.x^2 + first.v.x^2
    assert(first.value < 0 and first.value > -1/8 and square < 1, tostring(C))
    near(first.value, -square/4 + square^2/8, 1e-3)
  end)

  it("says what is missing where runs are not exact enough, and never starts outside the range", function()
    local _, C, hopf = weakly_damped(function(x, v, m) return hm.rational(1, 10^9)*(m - x^2)*v end, 1)
    local first = C.points[1].value
    assert(first > 0.01 and first < 1, tostring(C))
    assert.equal(hopf.value, C.missing.from)
    assert.equal(first, C.missing.to)
    assert.truthy(tostring(C):find(("from m = %.10g to %.10g the branch is missing"):format(hopf.value, first), 1, true), tostring(C))
    by_averaging(C, 1e-3)
    local path = os.tmpname()
    os.remove(path)
    path = path .. ".branch"
    C:save(path)
    local again = hm.load(path)
    os.remove(path)
    assert.equal(tostring(C), tostring(again))
    local B = weakly_damped(function(x, v, m) return hm.rational(1, 100)*(m - x^2)*v end, 1e-4)
    check.raises({ "outside from = -0.0001 to -1e-05" }, B.switch, B, B.special[1], { from = -1e-4, to = -1e-5 })
    check.raises({ "no periodic motion was found between the Hopf point m =", "take a wider range" }, weakly_damped, function(x, v, m)
      return hm.rational(1, 100)*(m - x^2)*v
    end, 1e-8)
  end)

  it("is found where all motions have the value of the Hopf point", function()
    local _, C = weakly_damped(function(x, v, m) return m*v - x^3 end, 1, { points = 10 })
    for _, point in ipairs(C.points) do near(point.value, 0, 1e-9) end
    assert(#C.points == 11)
    assert.equal(false, C.missing)
  end)
end)

describe("several branches at one point", function()
  local function all_of(B, count)
    local list = {}
    for k = 1, count do list[k] = B:switch(B.special[1], { which = k, to = 0.5, from = -0.5 }) end
    check.raises({ ("which = %d, but %d branches were found"):format(count + 1, count) }, B.switch, B, B.special[1], { which = count + 1 })
    return list
  end

  it("are found where the equations of the directions are apart", function()
    -- x^2 = a or x = 0, y^2 = a or y = 0
    local B = plane(function(x, y) return x^4/4 + y^4/4 end)
    assert.equal(2, B.special[1].several)
    local seen = {}
    for _, Z in ipairs(all_of(B, 4)) do
      for _, point in ipairs(Z.points) do
        local x, y, a = point.q.x, point.q.y, point.value
        near(x*(a - x^2), 0, 1e-9)
        near(y*(a - y^2), 0, 1e-9)
      end
      local last = Z.points[#Z.points]
      near(last.value, 0.5, 1e-9)
      seen[("%d %d"):format(math.floor(math.abs(last.q.x/math.sqrt(0.5)) + 0.5), math.floor(2*last.q.x*last.q.y + 0.5))] = true
      assert.truthy(tostring(Z):find("which = 2 follows another branch", 1, true))
    end
    for _, key in ipairs{ "1 0", "0 0", "1 1", "1 -1" } do assert(seen[key], key) end
    assert(#B:switch(B.special[1]).points > 2)
  end)

  it("and where three cross", function()
    -- a x = x^2 - y^2, a y = -2 x y: (a, 0) and (-a/2, +-sqrt(3) a/2)
    local B = plane(function(x, y) return x^3/3 - x*y^2 end)
    local seen = {}
    for _, Z in ipairs(all_of(B, 3)) do
      for _, point in ipairs(Z.points) do
        local x, y, a = point.q.x, point.q.y, point.value
        near(a*x - x^2 + y^2, 0, 1e-9)
        near(a*y + 2*x*y, 0, 1e-9)
      end
      local last = Z.points[#Z.points]
      seen[("%.4f %.4f"):format(last.q.x/last.value, math.abs(last.q.y/last.value))] = true
    end
    assert(seen["1.0000 0.0000"] and seen["-0.5000 0.8660"])
  end)
end)
