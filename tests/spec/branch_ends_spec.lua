-- branches of equilibria and steady motions end where the equations have no value: the place is named, and no step leads across
local hm, branches, check = require "hamel", require "branches", require "check"
local sin, cos, sqrt, near = hm.sin, hm.cos, hm.sqrt, check.near

-- A point mass on a line with the force f(x, p) and some damping
local function on_a_line(f, x0, o)
  local S = hm.system "line"
  local x = S:coordinates "x"
  local p = S:parameters "p=1/5"
  S:kinetic_energy(x.dot^2/2)
  S:force(x, f(x, p) - x.dot)
  return S, S:continue{ equilibrium = { q = { x = x0 } }, along = "p", from = o and o.from, to = o and o.to or 2, largest = o and o.largest }
end

-- The branch has one end, at a value of p, with these words, and no point beyond
local function demand_end(B, value, words, tolerance)
  local last = B.special[#B.special]
  assert(last.kind == "end", tostring(B))
  near(last.value, value, tolerance or 1e-9)
  assert(not last.doubtful and last.name:find(words, 1, true), last.name)
  assert(tostring(B):find(words .. ", at p = ", 1, true), tostring(B))
  for _, point in ipairs(B.points) do assert(point.value < value) end
end

describe("a branch of states of rest that begins beside zero", function()
  -- arbiter: u^3 - b u = e, by Newton's method from sqrt(b)
  it("arrives where the states are larger by many orders of magnitude", function()
    -- at = 3: the curve turns sharply beside the other one, which longer steps come to
    for _, case in ipairs{ { 1e-2, 0 }, { 1e-3, 0 }, { 1e-5, 0 }, { 1e-4, 3 }, { 1e-8, 3 } } do
      local e, at = case[1], case[2]
      local S = hm.system "imperfect pitchfork"
      local x, b = S:coordinates "u", S:parameters "b=-1"
      local u = x - at
      S:kinetic_energy(x.dot^2/2)
      S:potential_energy(u^4/4 - b*u^2/2 - hm.number(e)*u)
      S:force(x, -x.dot)
      local B = S:continue{ equilibrium = { q = { u = at } }, along = "b", from = -1, to = 1 }
      assert.same({ "b reaches 1" }, B.ended)
      assert.equal(0, #B.special)
      local root = 1
      for _ = 1, 50 do root = root - (root^3 - root - e)/(3*root^2 - 1) end
      assert.near(root, B.points[#B.points].q.u - at, 1e-9)
    end
  end)
end)

describe("a branch of equilibria ends", function()
  -- x (p - 3) = 1: x = 1/(p - 3), and the equations have values everywhere
  it("where the states leave all bounds while the parameter comes to a value, and says so", function()
    local _, B = on_a_line(function(x, p) return 1 - x*(p - 3) end, -1/2.8, { to = 5 })
    local last = B.points[#B.points]
    near(last.q.x*(last.value - 3), 1, 1e-5)
    near(B.special[1].value, 3, 4e-10)
    assert.equal("x grows without bound, at p = 3", B.ended[1])
    assert(#B.points < 200)
  end)

  -- x (1 - p^2)^n = 3: the larger n, the larger is x where p is as near to 1
  it("so on both sides, for poles of any order, in any unit of lengths", function()
    for _, case in ipairs{ { 1, 1 }, { 1, 1e-7 }, { 2, 1e5 } } do
      local order, unit = case[1], hm.number(("%.17g"):format(case[2]))
      local S = hm.system "pole"
      local x, p = S:coordinates "x", S:parameters "p=0"
      S:kinetic_energy(x.dot^2/2)
      S:force(x, 3*unit - x*(1 - p^2)^order - x.dot)
      local B = S:continue{ equilibrium = { q = { x = 3*case[2] } }, along = "p", from = -2, to = 2, points = 1000 }
      assert.equal(2, #B.special, tostring(B))
      for k, item in ipairs(B.special) do
        assert.equal("x grows without bound", item.name)
        near(item.value, 2*k - 3, 4e-10)
      end
    end
  end)

  it("not where they grow and the parameter goes on", function()
    local _, B = on_a_line(function(x, p) return p^5 - x end, 0.2^5, { to = 20 })
    assert.equal("p reaches 20", B.ended[1])
  end)

  it("at a pole, which steps of any length do not cross", function()
    local root = math.sqrt(0.2)
    for _, largest in ipairs{ 0.01, 0.1, 0.5 } do
      local o = { to = 2, largest = largest }
      demand_end(select(2, on_a_line(function(x, p) return (x^2 - p)/(x - 1) end, root, o)), 1, "no value where x - 1 = 0")
      demand_end(select(2, on_a_line(function(x, p) return (x^2 - p)/(x - 1)^2 end, root, o)), 1, "no value where x - 1 = 0")
      demand_end(select(2, on_a_line(function(x, p) return hm.tan(x)*(x - p) end, 0.2, o)), math.pi/2, "no value where cos(x) = 0")
      demand_end(select(2, on_a_line(function(x, p) return (x - p)/(p - 1) end, 0.2, o)), 1, "no value where p - 1 = 0")
    end
  end)

  it("where a root or a logarithm ends, after special points on the way", function()
    local _, B = on_a_line(function(x, p) return (x - p)*hm.log(2 - x) end, 0.2, { to = 3 })
    demand_end(B, 2, "no value where 2 - x = 0")
    assert(#B.special == 2 and B.special[1].kind == "branch")
    near(B.special[1].value, 1, 1e-9)
    -- x + sqrt(1 - x) = p: the branch leaves the edge with a square root
    demand_end(select(2, on_a_line(function(x, p) return p - 2*x + sqrt(1 - x) end, 0.4774, { to = 5 })), 2, "no real value beyond 1 - x = 0")
  end)

  it("towards the edge of a logarithm that it never reaches: the edge is named where rounding stops it", function()
    -- x = e^p - 1
    local _, B = on_a_line(function(x, p) return p - hm.log(1 + x) end, 0.2, { from = -50 })
    assert(tostring(B):find("the equations have no value where x + 1 = 0, and the branch is within", 1, true), tostring(B))
    for _, point in ipairs(B.points) do near(point.q.x, math.exp(point.value) - 1, 1e-9) end
  end)

  it("where the mass m - x vanishes, and is simple before it", function()
    local S = hm.system "mass"
    local x = S:coordinates "x"
    local m, F = S:parameters "m=2 F=0"
    S:kinetic_energy((m - x)*x.dot^2/2)
    S:potential_energy(x^2/2 - F*x)
    S:force(x, -x.dot)
    for along, value in pairs{ F = 2, m = 0 } do
      local B = S:continue{ equilibrium = { q = { x = 0 } }, along = along, from = -1, to = 3 }
      assert.equal(1, #B.special, tostring(B))
      assert.equal("end", B.special[1].kind)
      near(B.special[1].value, value, 1e-9)
    end
  end)

  it("where the inertia vanishes", function()
    for power = 1, 2 do
      local S = hm.system "line"
      local x = S:coordinates "x"
      local p = S:parameters "p=1/5"
      S:kinetic_energy((1 - x)^power*x.dot^2/2)
      S:potential_energy((x - p)^2/2)
      S:force(x, -x.dot)
      demand_end(S:continue{ equilibrium = { q = { x = 0.2 } }, along = "p", to = 2 }, 1, "where x - 1 = 0")
    end
    -- of many coordinates the determinant is a number: here (1 - c)(1 + c)
    local S = hm.system "five"
    local a, b, c, d, e = S:coordinates "a b c d e"
    local p = S:parameters "p=1/2"
    S:kinetic_energy((a.dot^2 + b.dot^2 + c.dot^2 + d.dot^2 + e.dot^2)/2 + c*a.dot*b.dot)
    S:potential_energy((a^2 + b^2 + c^2 + d^2 + e^2)/2 - p*c)
    demand_end(S:continue{ equilibrium = { q = { c = 0.5 } }, along = "p", to = 3 }, 1, "a determinant of masses and constraints vanishes")
  end)

  it("where constraints become dependent: two bars of length 1 whose ends are drawn apart", function()
    local S = hm.system "two bars"
    local x, y = S:coordinates "x y"
    local p = S:parameters "p=1/2"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(y)
    S:force(x, -x.dot)
    S:constraint("one", x^2 + y^2 - 1)
    S:constraint("other", (x - p)^2 + y^2 - 1)
    demand_end(S:continue{ equilibrium = { q = { x = 0.25, y = -0.96 } }, along = "p", to = 3 }, 2, "not determined where y = 0")
  end)

  it("at a point that it meets without a change of sign, and not at one that it passes", function()
    local function spring(f, g)
      local S = hm.system "plane"
      local x, y = S:coordinates "x y"
      local p = S:parameters "p=-1/2"
      S:kinetic_energy((x.dot^2 + y.dot^2)/2)
      S:force(x, f(x, y, p) - x.dot)
      S:force(y, g(x, y, p) - y.dot)
      return S:continue{ equilibrium = { q = { x = -0.5, y = 0.01 } }, along = "p", to = 1 }
    end
    demand_end(spring(function(x, y, p) return (p - x)/(x^2 + y^2) end, function(_, y) return -y end), 0, "no value where x^2 + y^2 = 0")
    demand_end(spring(function(x, y, p) return 10*(p - x) - x/sqrt(x^2 + y^2) end, function(_, y) return -y end), -0.1, "no value where x^2 + y^2 = 0")
    local past = spring(function(x, y, p) return (p - x)/(x^2 + y^2) end, function(_, y) return hm.rational(1, 100) - y end)
    assert(#past.special == 0 and past.points[#past.points].value == 1)
  end)

  it("not where the values asked for end before, and in both directions", function()
    local _, B = on_a_line(function(x, p) return (p - x)/(x - 1) end, 0.2, { to = 0.999 })
    assert(#B.special == 0)
    near(B.points[#B.points].value, 0.999, 1e-12)
    local S
    S, B = on_a_line(function(x, p) return (p - x)/(x^2 - 1) end, 0.2, { from = -3, to = 3 })
    assert(#B.special == 2)
    near(B.special[1].value, -1, 1e-9)
    near(B.special[2].value, 1, 1e-9)
    assert(tostring(B):find("for p in (-1, 1)", 1, true))
    -- in a file, too
    local file = os.tmpname() .. ".branch"
    B:save(file)
    local again = hm.load(file, S)
    os.remove(file)
    assert(again.special[2].kind == "end" and again.special[2].value == B.special[2].value and again.special[2].name == B.special[2].name)
    B = S:continue{ equilibrium = { q = { x = 0.2 } }, along = "p", from = -3, to = 3, stop = { "end", 1 } }
    assert(B.special[1].kind == "end")
  end)
end)

describe("a curve of folds over two parameters ends", function()
  it("at a pole, without special points in which only the rounding of the zero eigenvalue changes its sign", function()
    local S = hm.system "strip"
    local y = S:coordinates "y"
    local p, q = S:parameters "p=1 q=-1"
    S:kinetic_energy(y.dot^2/2)
    S:force(y, (q + p*y - y^3)/(2*p - 1) - y.dot)
    local B = S:continue{ equilibrium = { q = { y = -1.3 } }, along = "q", from = -1, to = 1 }
    local C = S:continue{ fold = B.special[1], along = { "q", "p" }, from = { -1, -1 }, to = { 1, 2 } }
    assert(#C.special == 1 and C.special[1].kind == "end", tostring(C))
    near(C.special[1].value, math.sqrt(4/27*0.5^3), 1e-9)
    for _, point in ipairs(C.points) do near(27*point.parameters.q^2, 4*point.parameters.p^3, 1e-8) end
  end)
end)

describe("a branch of motions of twice the period ends", function()
  it("where they have the simple period again, at the other flip of the simple motions", function()
    local S = hm.system "oscillator"
    local y = S:coordinates "y"
    local w = S:parameters "w=3/2"
    S:kinetic_energy(y.dot^2/2)
    S:force(y, -y - y^2/3 - y^3/5 - y.dot/20 + hm.rational(6, 5)*cos(w*hm.t))
    local B = S:continue{ periodic = { q = { y = -1.6 }, v = { y = -0.6 }, period = 2*hm.pi/w }, along = "w", from = 1.8, to = 2.3,
                          parameters = { w = 2.2 } }
    local flips = {}
    for _, special in ipairs(B.special) do if special.kind == "flip" then flips[#flips + 1] = special end end
    assert(#flips == 2, tostring(B))
    for k = 1, 2 do
      local D = B:switch(flips[k], { from = 1, to = 3 })
      local last = D.special[#D.special]
      assert(last.kind == "halving" and tostring(D):find("the motions have the simple period again at w = ", 1, true), tostring(D))
      near(last.value, flips[3 - k].value, 1e-8)
      for _, point in ipairs(D.points) do near(point.period, 4*math.pi/point.value, 1e-9) end
    end
  end)
end)

describe("a start at such a place", function()
  it("is refused with the place", function()
    local S = hm.system "line"
    local x = S:coordinates "x"
    local p = S:parameters "p=1"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, (p - x)/(x - 1) - x.dot)
    local words = { "the force along 'x' has no value at the guess", "it needs x - 1 ~= 0" }
    check.raises(words, S.equilibrium, S, { q = { x = 1 } })
    check.raises(words, S.continue, S, { equilibrium = { q = { x = 1 } }, along = "p", to = 2 })
  end)
end)

describe("a branch of steady motions ends", function()
  it("where the angle of a conical pendulum is not determined: phi'^2 = 1", function()
    local S = hm.system "conical pendulum"
    local theta, phi = S:coordinates "theta phi"
    S:kinetic_energy((theta.dot^2 + phi.dot^2*sin(theta)^2)/2)
    S:potential_energy(-cos(theta))
    local steady = S:steady{ q = { theta = 1, phi = 0 }, v = { theta = 0, phi = 1.5 }, keep = { "phi'" } }
    local B = S:continue{ steady = steady, along = "phi'", from = 0.5, to = 3 }
    assert(B.special[1].kind == "end" and B.special[1].name:find("sin(theta) = 0", 1, true))
    near(B.special[1].value, 1, 1e-9)
  end)
end)

describe("cycles near a Bogdanov-Takens point", function()
  -- x'' = p + r x' + x^2 + x x': Hopf points at r^2 = -p. Arbiter of the homoclinic orbit at p = -1: the stable and the unstable manifold of the saddle by
  -- scipy's DOP853 (rtol 1e-13), whose first returns to x' = 0 agree at this r
  local HOMOCLINIC = 0.7434442663177

  local function cycles(p0)
    local S = hm.system "Bogdanov and Takens"
    local x = S:coordinates "x"
    local p, r = S:parameters "p=-1 r=0"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, p + r*x.dot + x^2 + x*x.dot)
    local w = math.sqrt(-p0)
    local B = S:continue{ equilibrium = { q = { x = -w } }, along = "r", from = -1, to = 3, parameters = { p = p0, r = -0.5 } }
    check.near(branches.first(B, "hopf").value, w, 1e-10)
    return B, branches.first(B, "hopf")
  end

  it("end where the period grows without bound", function()
    for _, p0 in ipairs{ -1, -1e-6 } do
      local B, hopf = cycles(p0)
      local C = B:switch(hopf)
      local last = branches.first(C, "end")
      assert(last.name:find("the period grows without bound", 1, true), tostring(C))
      assert(#C.points < 200, tostring(C))
      if p0 == -1 then check.near(last.value, HOMOCLINIC, 1e-9) end
    end
  end)

  -- near the point the orbits are at r = 5/7 sqrt(-p) + O(p), by Melnikov's integral along the homoclinic orbit of x'' = p + x^2
  it("however small they are", function()
    for _, p0 in ipairs{ -1e-10, -1e-16 } do
      local B, hopf = cycles(p0)
      local w = math.sqrt(-p0)
      check.near(branches.first(B:switch(hopf), "end").value/w, 5/7, 0.1*w)
    end
  end)
end)

describe("the end of a branch at a power", function()
  -- a = x^p + c x^r: the branch ends at a = 0, where x^p has no real value beyond, or no derivative
  local function ending(p, r, c)
    local S = hm.system "power"
    local x = S:coordinates "x"
    local a = S:parameters "a=1"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, a - x^p - c*x^r - x.dot)
    local B = S:continue{ equilibrium = { q = { x = 1 } }, along = "a", from = -1, to = 2, parameters = { a = 1 + tonumber(tostring(c)) } }
    for _, special in ipairs(B.special) do if special.kind == "end" then return special end end
    error(tostring(B))
  end

  it("is found for any power, with the accuracy that it says", function()
    for _, powers in ipairs{ { hm.rational(1, 3), 1 }, { hm.rational(1, 4), 1 }, { hm.rational(2, 3), 1 }, { hm.rational(3, 4), hm.rational(3, 2) },
      { hm.rational(1, 2), 1 }, { hm.rational(1, 3), hm.rational(1, 2) } } do
      for _, c in ipairs{ 0, 1 } do
        local last = ending(powers[1], powers[2], c)
        local known = last.accuracy or 1e-9
        assert(math.abs(last.value) <= known and known < 1e-2, ("%s: %.3g, known to %.3g"):format(powers[1], last.value, known))
        if c == 0 then assert(known <= 1e-9, known) end
      end
    end
  end)
end)

describe("a branch that turns back shortly before it ends at a root", function()
  -- a = x + c sqrt(1 - x): the fold at sqrt(1 - x) = c/2, a = 1 + c^2/4, the end at x = a = 1
  it("has one fold", function()
    for _, c in ipairs{ hm.rational(1, 2), hm.rational(1, 4) } do
      local S = hm.system "root"
      local x = S:coordinates "x"
      local a = S:parameters "a=1"
      S:kinetic_energy(x.dot^2/2)
      S:force(x, a - x - c*hm.sqrt(1 - x) - x.dot)
      local value = c == hm.rational(1, 2) and 0.5 or 0.25
      local B = S:continue{ equilibrium = { q = { x = 0 } }, along = "a", from = -1, to = 2, parameters = { a = value } }
      assert.equal(2, #B.special, tostring(B))
      assert(B.special[1].kind == "fold" and B.special[2].kind == "end", tostring(B))
      assert(math.abs(B.special[1].value - 1 - value^2/4) < 1e-9 and math.abs(B.special[2].value - 1) < 1e-9, tostring(B))
    end
  end)
end)

describe("a branch between two branch points of an inverse function", function()
  it("has its ends, and no doubtful point before them", function()
    local S = hm.system "arc"
    local x = S:coordinates "x"
    local a = S:parameters "a=1"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, a - hm.acos(x) - x.dot)
    local B = S:continue{ equilibrium = { q = { x = 0.5 } }, along = "a", from = -1, to = 30, parameters = { a = math.pi/3 } }
    assert.equal(2, #B.special, tostring(B))
    for i, value in ipairs{ 0, math.pi } do
      assert.equal("end", B.special[i].kind)
      near(B.special[i].value, value, 1e-9)
    end
  end)
end)
