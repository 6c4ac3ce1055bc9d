-- Constraints that hold wherever the others do are accepted everywhere and named; those that contradict each other, and those whose
-- derivative vanishes where they hold, are refused with their reason.
local hm, check = require "hamel", require "check"
local near, raises = check.near, check.raises
local cos, sin = hm.cos, hm.sin

local function pendulum(twice)
  local S = hm.system(twice and "pendulum twice" or "pendulum once")
  local x, y = S:coordinates "x y"
  local m, g, l = S:positive "m=1 g=9.81 l=1"
  S:kinetic_energy(m*(x.dot^2 + y.dot^2)/2)
  S:potential_energy(m*g*y)
  S:constraint("rod", x^2 + y^2 - l^2)
  if twice then S:constraint("again", 2*x^2 + 2*y^2 - 2*l^2) end
  return S
end

-- A sleigh whose blade is told twice and whose height over a parabola once by position, once by velocity
local function sleigh(doubly)
  local S = hm.system(doubly and "sleigh told twice" or "sleigh told once")
  local x, y, th, z = S:coordinates "x y theta z"
  local m, J = S:positive "m=1.3 J=0.7"
  S:kinetic_energy(m*(x.dot^2 + y.dot^2 + z.dot^2)/2 + J*th.dot^2/2)
  S:potential_energy(3*z + x)
  S:constraint("blade", cos(th)*y.dot - sin(th)*x.dot)
  if doubly then S:constraint("blade too", 3*sin(th)*x.dot - 3*cos(th)*y.dot) end
  S:constraint("height", z - x^2)
  if doubly then S:constraint("climb", z.dot - 2*x*x.dot) end
  return S
end

-- Bennett's way to be mobile: the third constraint depends on the others where all hold, and nowhere else
local function only_on_the_constraints()
  local S = hm.system "dependent where it holds"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:potential_energy(x + y*z)
  S:constraint("ball", x^2 + y^2 + z^2 - 1)
  S:constraint("plane", z - x/2)
  S:constraint("both", (z - x/2)*(1 + y^2) + (x^2 + y^2 + z^2 - 1)*(z - x/2 + 2) + (z - x/2)^2*y)
  return S
end

local start = { q = { x = 0.6, y = -0.8 }, v = { x = 0.4 } }
local sleigh_start = { q = { x = 0.3, y = 0.2, theta = 0.4 }, v = { x = 0.5, theta = 1.1 } }

local function with(o, more)
  local all = {}
  for _, list in ipairs{ o, more } do for key, value in pairs(list) do all[key] = value end end
  return all
end

describe("a redundant constraint", function()
  it("changes no acceleration, and its multipliers have the least sum of squares", function()
    local one, two = pendulum():accelerations(start), pendulum(true):accelerations(start)
    near(two.a.x, one.a.x, 1e-14)
    near(two.a.y, one.a.y, 1e-14)
    -- arbiter: l1 + 2 l2 = l, l1^2 + l2^2 least
    near(two.lambda.rod, one.lambda.rod/5, 1e-13)
    near(two.lambda.again, 2*one.lambda.rod/5, 1e-13)
  end)

  it("is left out by every method, in lanes and in thirty digits, and named in a note", function()
    local once, twice = pendulum(), pendulum(true)
    local more = { t = 2, rtol = 1e-11, atol = 1e-11 }
    local exact = tonumber(once:reference(with(start, { t = 2 })).q.x)
    near(tonumber(twice:reference(with(start, { t = 2 })).q.x), exact, 1e-15)
    for _, method in ipairs{ "dop853", "taylor", "auto", "radau5", "rk8pd", "gauss6", "rk4" } do
      local fixed = method == "rk4" or method == "gauss6"
      local run = twice:simulate(with(with(start, more), { method = method, step = fixed and 1e-3 or nil }))
      assert.equal("OK", run.status)
      near(run:at(2).x, exact, 1e-9)
      assert.equal(1, #run.notes)
      assert.truthy(tostring(run):find("'again' holds wherever the other constraints do: redundant", 1, true))
      near(run:at(1).lambda.again, 2*run:at(1).lambda.rod, 1e-12)
    end
    for _, method in ipairs{ "dop853", "taylor" } do
      local o = with(start, { t = 2, rtol = 1e-11, atol = 1e-11, method = method, keep = { "x", "lambda.again" }, progress = false,
                              over = { { "v.x", hm.range(0.2, 0.4, 9) } } })
      local one, two = once:sweep(with(o, { keep = { "x", "lambda.rod" } })), twice:sweep(o)
      for i = 1, 9 do
        near(two[i].x, one[i].x, 1e-9)
        near(two[i]["lambda.again"], one[i]["lambda.rod"]*2/5, 1e-8)
      end
    end
  end)

  it("is accepted by every form, with the same multipliers", function()
    local once, twice = sleigh(), sleigh(true)
    assert.equal(2, once.degrees_of_freedom)
    assert.equal(2, twice.degrees_of_freedom)
    local A = once:accelerations(sleigh_start)
    for _, form in ipairs{ "lagrange", "nielsen", "maggi", "kane", "hamel", "appell", "volterra", "voronets", "canonical" } do
      local B = twice:accelerations(with(sleigh_start, { form = form }))
      for name, value in pairs(A.a) do near(B.a[name], value, 1e-12) end
      -- rows a and -3 a, c and c
      near(B.lambda.blade, A.lambda.blade/10, 1e-12)
      near(B.lambda["blade too"], -3*A.lambda.blade/10, 1e-12)
      near(B.lambda.height, A.lambda.height/2, 1e-12)
      near(B.lambda.climb, A.lambda.height/2, 1e-12)
      local o = with(sleigh_start, { t = 0.8, form = form })
      local run = twice:simulate(o)
      near(run:at(0.8).x, once:simulate(o):at(0.8).x, 1e-8)
      assert.truthy(run.notes[1].text:find("'blade too' and 'climb' hold wherever", 1, true))
    end
    local at = { q = { x = 0, y = -1 }, v = { x = 0, y = 0 } }
    for i, value in ipairs(pendulum():linearize(at).eigenvalues) do
      local other = pendulum(true):linearize(at).eigenvalues[i]
      near(other.re, value.re, 1e-10)
      near(other.im, value.im, 1e-10)
    end
  end)

  it("may depend on the others only where all of them hold", function()
    local S = only_on_the_constraints()
    assert.equal(1, S.degrees_of_freedom)
    local run = S:simulate{ q = { x = 0.4 , y = math.sqrt(1 - 1.25*0.16), z = 0.2 }, v = { x = 0.3 }, t = 3 }
    assert.equal("OK", run.status)
    assert.equal(1, #run.notes)
    assert.truthy(run.energy_drift < 1e-7 and run.constraint_drift < 1e-8)
  end)

  it("is kept in a file", function()
    local path = os.tmpname()
    local name = path .. ".hamel"
    local S = pendulum(true)
    local run = S:simulate(with(start, { t = 1 }))
    run:save(name)
    local again = hm.load(name, S)
    near(again:at(1).lambda.again, run:at(1).lambda.again, 1e-12)
    os.remove(name)
    os.remove(path)
  end)

  it("is refused where a law needs its multiplier", function()
    local S = pendulum(true)
    S:friction("rub", { slip = S:symbol "x".dot, normal = "rod", coefficient = 0.1 })
    raises({ "'again'", "redundant", "'rod'", "is not determined" }, S.simulate, S, with(start, { t = 1 }))
  end)

  it("is refused where a force needs a multiplier it leaves open, and not where that is determined", function()
    for name, open in pairs{ blade = true, ["blade too"] = true, height = false } do
      local once, twice = sleigh(), hm.system "blade told twice"
      local x, y, th, z = twice:coordinates "x y theta z"
      local m, J = twice:positive "m=1.3 J=0.7"
      twice:kinetic_energy(m*(x.dot^2 + y.dot^2 + z.dot^2)/2 + J*th.dot^2/2)
      twice:potential_energy(3*z + x)
      twice:constraint("blade", cos(th)*y.dot - sin(th)*x.dot)
      twice:constraint("blade too", 3*sin(th)*x.dot - 3*cos(th)*y.dot)
      twice:constraint("height", z - x^2)
      for _, S in ipairs{ once, twice } do
        if S.constraints[name] then S:force(S:symbol "theta", S.lambda[name]/10) end
      end
      if open then
        raises({ "'blade too' is redundant", "the multiplier of '" .. name .. "', on which a force depends, is not determined; drop it" },
          twice.accelerations, twice, sleigh_start)
      else
        local A, B = once:accelerations(sleigh_start), twice:accelerations(sleigh_start)
        for coordinate, value in pairs(A.a) do near(B.a[coordinate], value, 1e-13) end
        near(B.lambda.height, A.lambda.height, 1e-13)
        near(twice:simulate(with(sleigh_start, { t = 1 })):at(1).theta, once:simulate(with(sleigh_start, { t = 1 })):at(1).theta, 1e-8)
      end
    end
  end)
end)

describe("rows that lose their rank at one place", function()
  it("are not redundant: that place is singular", function()
    local S = hm.system "parallelogram"
    local a, b, c = S:coordinates "a b c"
    S:kinetic_energy((a.dot^2 + b.dot^2 + c.dot^2)/2)
    S:constraint("cx", cos(a) + 2*cos(b) - cos(c) - 2*cos(0.3))
    S:constraint("cy", sin(a) + 2*sin(b) - sin(c) - 2*sin(0.3))
    assert.equal(1, S.degrees_of_freedom)
    raises({ "'cx' and 'cy' depend on each other" }, S.simulate, S, { q = { a = 0.3, b = 0.3, c = 0.3 }, v = { a = -1, b = 0, c = -1 }, t = 1 })
  end)
end)

describe("constraints that contradict each other", function()
  it("are refused where they are declared", function()
    local S = hm.system "two walls"
    local x, y = S:coordinates "x y"
    S:constraint("here", x - 1)
    raises({ "constraint 'there' contradicts 'here'", "cannot both hold" }, S.constraint, S, "there", x - 2)
    raises({ "constraint 'fast' contradicts 'here'" }, S.constraint, S, "fast", x.dot - 1)
    raises({ "contradicts 'here'" }, S.constraint, S, "half", x/2 - 1)
    S:constraint("tie", x.dot - y.dot)
    raises({ "contradicts 'tie'" }, S.constraint, S, "slide", 3*x.dot - 3*y.dot - 1)
    S:constraint("the same", 3*x - 3)
    assert.equal(0, S.degrees_of_freedom)
  end)

  it("stop a run that begins where both still hold", function()
    local S = hm.system "apart later"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("rest", x.dot)
    S:constraint("move", x.dot - hm.t^2)
    local run = S:simulate{ q = { x = 0, y = 0 }, v = { y = 1 }, t = 1 }
    assert.equals("CONTRADICTION", run.status)
    assert.truthy(run.reason:find("'rest' and 'move' contradict each other", 1, true), run.reason)
  end)

  it("are named where their second derivatives contradict", function()
    local S = hm.system "apart at once"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("rest", x.dot)
    S:constraint("move", x.dot - hm.t)
    raises({ "'rest' and 'move' contradict each other" }, S.simulate, S, { q = { x = 0, y = 0 }, v = { y = 1 }, t = 1 })
  end)
end)

describe("a constraint whose derivative vanishes where it holds", function()
  it("is said to be no square where a loop is stretched out", function()
    for _, n in ipairs{ 2, 3, 8 } do
      local S, names, q, v, x, y, T = hm.system "stretched", {}, {}, {}, 0, 0, 0
      for i = 1, n do names[i] = "a" .. i end
      for i, a in ipairs{ S:coordinates(table.concat(names, " ")) } do
        x, y, q[names[i]], v[names[i]] = x + hm.cos(a), y + hm.sin(a), 0, 0
        T = T + (hm.dt(x)^2 + hm.dt(y)^2 + a.dot^2)/2
      end
      S:kinetic_energy(T)
      S:constraint("x", x - n)
      S:constraint("y", y)
      local fine, words = pcall(S.simulate, S, { q = q, v = v, t = 0.1 })
      assert.is_false(fine)
      assert.truthy(words:find("the derivative of 'x' vanishes", 1, true) and words:find("a loop that is not stretched out", 1, true), words)
      assert.is_nil(words:find("square", 1, true))
    end
  end)

  it("is refused by every form", function()
    local S = hm.system "square"
    local x, y, z = S:coordinates "x y z"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2)
    S:constraint("sq", (y.dot - z*x.dot)^2)
    for _, form in ipairs{ "lagrange", "nielsen", "maggi", "kane", "hamel" } do
      raises({ "the derivative of 'sq' vanishes", "declare the root" }, S.simulate, S,
        { q = { x = 0, y = 0, z = 0.3 }, v = { x = 0.9, z = 0.6 }, t = 3, form = form })
    end
    raises({ "the derivative of 'sq' vanishes" }, S.accelerations, S, { q = { x = 0, y = 0, z = 0.3 }, v = { x = 0.9, z = 0.6, y = 0.27 } })
    local R = hm.system "square of places"
    local p, q = R:coordinates "p q"
    R:kinetic_energy((p.dot^2 + q.dot^2)/2)
    R:constraint("sq", p^2 - 2*p*q + q^2)
    raises({ "'sq'" }, R.simulate, R, { q = { p = 0.5, q = 0.5 }, v = { p = 1, q = 1 }, t = 1 })
  end)
end)

describe("the declaration of a constraint", function()
  it("says that it is redundant, and the system counts it", function()
    local S = sleigh(true)
    assert.truthy(tostring(S.constraints["blade too"]):find("; redundant: it holds wherever the others do)", 1, true))
    assert.is_nil(tostring(S.constraints.blade):find("redundant", 1, true))
    assert.are.same({ "blade too", "climb" }, S.redundant_constraints)
    assert.truthy(tostring(S):find("degrees of freedom  2", 1, true))
    assert.are.same({}, sleigh(false).redundant_constraints)
  end)

  it("never leaves a negative number of degrees of freedom", function()
    local S = hm.system "apart"
    local x, y = S:coordinates "x y"
    S:constraint("a", x - 1)
    S:constraint("b", x + y - 2)
    S:constraint("c", y - 2)
    assert.truthy(tostring(S):find("degrees of freedom  not determined: no state that fulfils all constraints was found", 1, true))
    raises({ "3 constraints on 2 velocities", "contradict each other" }, function() return S.degrees_of_freedom end)
  end)
end)
