-- States of rest beside very strong damping, and beside stiffnesses of very different size. In modes y_i = l_i x with integers l_i the equations are
-- y_i'' + c_i y_i' + k_i y_i = 0 (+ y^3), so that closed forms arbitrate: a branch point where k_1 = 0, a Hopf point where c_2 = 0
local hm, check, core = require "hamel", require "check", require "hamel.core"
local near = check.near

local function number(value) return hm.number(("%.17g"):format(value)) end

local function pitchfork(c)
  local S = hm.system "pitchfork"
  local y, p = S:coordinates "y", S:parameters "p=-1"
  S:kinetic_energy(y.dot^2/2)
  S:force(y, -number(c)*y.dot + p*y - y^3)
  return S:continue{ equilibrium = { q = { y = 0 } }, along = "p", from = -1, to = 1 }
end

-- x1 = y1 and x2 = y2 + y1 with stiffnesses k and damping c of the modes: the first stiffness is k[1] (2/5 - p), the second damping c[2] (4/5 - p)
local function modes(k, c, time, length)
  local S = hm.system "modes"
  local x1, x2 = S:coordinates "x1 x2"
  local p = S:parameters "p=0"
  local w, d = x2 - x1, x2.dot - x1.dot
  local one, two = number(c[1]/time), number(c[2]/time)*(number(0.8) - p)
  S:kinetic_energy((x1.dot^2 + d^2)/2)
  S:potential_energy(number(k[1]/time^2)*((number(0.4) - p)*x1^2/2 + x1^4/(4*number(length)^2)) + number(k[2]/time^2)*w^2/2)
  S:force(x1, -one*x1.dot + two*d)
  S:force(x2, -two*d)
  return S:continue{ equilibrium = { q = { x1 = 0, x2 = 0 } }, along = "p", from = 0, to = 1 }
end

describe("states of rest", function()
  it("are alone, and no family, however strong the damping is", function()
    for _, c in ipairs{ 1e4, 1e6, 1e8, 1e12 } do
      local B = pitchfork(c)
      assert.equal(1, #B.special, tostring(B))
      assert.equal("branch", B.special[1].kind)
      near(B.special[1].value, 0, 1e-9 + (B.special[1].accuracy or 0))
      for _, point in ipairs(B.points) do
        -- in a build without quadruple precision the slow eigenvalue may not be decided
        assert(point.stable == nil or point.stable == (point.value < 0), tostring(B))
      end
      local other = B:switch(B.special[1])
      assert(not other.family, tostring(other))
      for _, point in ipairs(other.points) do near(point.q.y^2, point.value, 1e-8) end
    end
  end)

  it("have their branch and Hopf points along modes of very different damping, stiffness and units", function()
    for _, case in ipairs{
      { k = { 1e-3, 0.05 }, c = { 2e6, 3e-4 } }, { k = { 0.3, 1e-8 }, c = { 2e-7, 3e7 }, time = 4, length = 0.02 },
      { k = { 6e5, 6e-7 }, c = { 1, 7e4 }, time = 10, length = 1e-4 }, { k = { 6e3, 1e-3 }, c = { 1e-3, 1e-3 }, time = 1e-4, length = 1e4 },
    } do
      local B = modes(case.k, case.c, case.time or 1, case.length or 1)
      local counts = { branch = 0, hopf = 0 }
      for _, special in ipairs(B.special) do
        local place = special.kind == "branch" and 0.4 or 0.8
        counts[special.kind] = counts[special.kind] + 1
        near(special.value, place, 1e-8 + (special.accuracy or 0))
      end
      assert(counts.branch == 1 and counts.hopf == 1, tostring(B))
      assert(math.min(B.points[1].value, B.points[#B.points].value) == 0 and math.max(B.points[1].value, B.points[#B.points].value) == 1, tostring(B))
    end
  end)

  -- the eigenvalues -c and -k/c of the second mode meet so near to c = 0 that no number p lies between
  it("have Hopf points, and no branch points, where a large damping changes its sign beside a small stiffness", function()
    if not core.has_arb then return end
    for _, case in ipairs{ { k = { 0.16, 1.6e-12 }, c = { 1e-10, 1.4e11 }, time = 4, length = 0.02 }, { k = { 0.0057, 2e-11 }, c = { 8.6, 1.3e9 } } } do
      local B = modes(case.k, case.c, case.time or 1, case.length or 1)
      local hopf
      for _, special in ipairs(B.special) do
        if special.kind == "hopf" then hopf = special else near(special.value, 0.4, 1e-8 + (special.accuracy or 0)) end
      end
      assert(#B.special == 2 and hopf and not hopf.doubtful, tostring(B))
      near(hopf.value, 0.8, 1e-8 + (hopf.accuracy or 0))
      near(hopf.frequency*(case.time or 1)/math.sqrt(case.k[2]), 1, 1e-5)
    end
  end)

  -- the pair of the first mode comes nearer to zero than the slow eigenvalue -k/c of the second one
  it("have the branch point of an undamped mode beside a damped one", function()
    local S = hm.system "undamped"
    local x1, x2, x3 = S:coordinates "x1 x2 x3"
    local p = S:parameters "p=0"
    local d = x2.dot - x1.dot
    S:kinetic_energy((x1.dot^2 + d^2 + (x3.dot - x2.dot)^2)/2)
    S:potential_energy(number(8.8e-8)*((number(0.4) - p)*x1^2/2 + x1^4/4) + number(3.4e-5)*(x2 - x1)^2/2 + number(0.012)*(x3 - x2)^2/2)
    S:force(x1, number(1.5e5)*d)
    S:force(x2, -number(1.5e5)*d)
    local B = S:continue{ equilibrium = { q = { x1 = 0, x2 = 0, x3 = 0 } }, along = "p", from = 0, to = 1 }
    assert(#B.special == 1 and B.special[1].kind == "branch" and not B.special[1].doubtful, tostring(B))
    near(B.special[1].value, 0.4, 1e-8 + (B.special[1].accuracy or 0))
  end)

  -- p u - u^3 + e = 0 with u = y - 1: the sheet from below ends at u = 1 + e/2, and no branch crosses it
  it("of an imperfect pitchfork are followed, or its branch point is doubtful, down to imperfections of a hundredth of the tolerance", function()
    for _, e in ipairs{ 1e-10, 1e-11, 1e-12 } do
      local S = hm.system "imperfect"
      local y, p = S:coordinates "y", S:parameters "p=-1"
      local u = y - 1
      S:kinetic_energy(y.dot^2/2)
      S:force(y, number(e) - number(0.2)*y.dot + p*u - u^3)
      local B = S:continue{ equilibrium = { q = { y = 1 } }, along = "p", from = -1, to = 1 }
      for _, special in ipairs(B.special) do assert(special.kind == "branch" and special.doubtful, tostring(B)) end
      if #B.special == 0 then near(B.points[#B.points].q.y, 2 + e/2, 1e-9) end
    end
  end)

  it("of an imperfect pitchfork are followed from a start beside zero, to the end of the range", function()
    for _, e in ipairs{ 1e-9, 1e-11, 1e-14 } do
      local S = hm.system "imperfect"
      local y, p = S:coordinates "y", S:parameters "p=-1"
      S:kinetic_energy(y.dot^2/2)
      S:force(y, number(e) - number(0.2)*y.dot + p*y - y^3)
      local B = S:continue{ equilibrium = { q = { y = e } }, along = "p", from = -1, to = 1 }
      local last = B.points[#B.points]
      assert(#B.special == 0 and last.value == 1, tostring(B))
      near(last.q.y, 1 + e/2, 1e-12)
    end
  end)

  it("are refused where stiffnesses differ too much, in place of a branch of one point", function()
    check.raises({ "span so many orders of magnitude", "stiffnesses of very different size" }, modes, { 1e-8, 1e11 }, { 1, 1 }, 1, 1)
  end)
end)
