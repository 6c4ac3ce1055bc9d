-- branches of equilibria and steady motions end where the equations have no value: the place is named, and no step leads across
local hm, check = require "hamel", require "check"
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

describe("a branch of equilibria ends", function()
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
