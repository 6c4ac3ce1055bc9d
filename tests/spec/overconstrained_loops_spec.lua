-- Loops with more constraints than their rank, which are redundant only where all of them hold: a run uses the rank that they have there, whichever rows
-- carry it, and stops only where this rank falls.
local hm, check = require "hamel", require "check"
local core = require "hamel.core"
local near, raises = check.near, check.raises
local cos, sin = hm.cos, hm.sin

-- Equal unit vectors: each of the two rows vanishes twice a turn, where the other one does not
local function equal_angles()
  local S = hm.system "equal angles"
  local a, p = S:coordinates "a p"
  S:kinetic_energy(a.dot^2/2 + p.dot^2/2)
  S:constraint("c1", sin(p) - sin(a))
  S:constraint("c2", cos(p) - cos(a))
  return S
end

-- A point that two wheels carry: four constraints of rank three everywhere
local function gear()
  local S = hm.system "gear"
  local x, y, a, b = S:coordinates "x y a b"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2 + a.dot^2/2 + b.dot^2/2)
  S:potential_energy(y)
  S:constraint("x1", x - cos(a))
  S:constraint("y1", y - sin(a))
  S:constraint("x2", x - cos(b))
  S:constraint("y2", y - sin(b))
  return S
end

-- The same motion with one angle: 3 a'' = -cos a
local function wheel()
  local S = hm.system "wheel"
  local a = S:coordinates "a"
  S:kinetic_energy(3*a.dot^2/2)
  S:potential_energy(sin(a))
  return S
end

local function bennett()
  local S = hm.system "bennett"
  local N = S:frame "N"
  local t1, t2, t3 = S:coordinates "t1 t2 t3"
  local A, B, alpha, beta = hm.number(1), hm.sqrt(3), hm.pi/6, hm.pi/3
  local p, F, last = S.origin, N, nil
  for i, link in ipairs{ { t1, A, alpha }, { t2, B, beta }, { t3, A, alpha } } do
    F = F:rotate("z", link[1])
    last = S:body("b" .. i, { at = p + link[2]/2*F.x, frame = F, mass = i, inertia = { 0.1, 0.2, 0.3 } })
    p = p + link[2]*F.x
    F = F:rotate("x", link[3])
  end
  S:gravity(-9.81*N.y)
  S:joint("end", "revolute", last:point(hm.number(1)/2, 0, 0), S.origin - B*N.x, { axis = { F.z, N:rotate("x", -beta).z } })
  return S
end

-- A parallelogram with a third crank: the rank falls where all bars lie on one line
local function parallelogram()
  local S = hm.system "parallelogram"
  local a, b, c, d = S:coordinates "a b c d"
  S:kinetic_energy((a.dot^2 + b.dot^2 + c.dot^2 + d.dot^2)/2)
  S:constraint("x1", cos(a) + 2*cos(b) - 2 - cos(c))
  S:constraint("y1", sin(a) + 2*sin(b) - sin(c))
  S:constraint("x2", cos(a) + cos(b) - 1 - cos(d))
  S:constraint("y2", sin(a) + sin(b) - sin(d))
  return S
end

local eliminations = { "dense", "graph", "refined" }

describe("an overconstrained loop of constant rank", function()
  it("turns through the places where one of its rows vanishes, at every tolerance", function()
    local S = equal_angles()
    for _, elimination in ipairs(eliminations) do
      for _, rtol in ipairs{ 1e-6, 1e-9, 1e-12 } do
        local run = S:simulate{ q = { a = 0.7, p = 0.7 }, v = { a = 1 }, t = 10, rtol = rtol, atol = rtol/100, elimination = elimination }
        assert.are.equal("OK", run.status)
        near(run:at(10).q.a, 10.7, 1e-9)     -- arbiter: a = a0 + t
        near(run:at(10).q.p, 10.7, 1e-9)
      end
    end
  end)

  it("starts where one of its rows vanishes", function()
    for _, a0 in ipairs{ 0, math.pi/2, math.pi, -math.pi/2, 2*math.pi } do
      local run = equal_angles():simulate{ q = { a = a0, p = a0 }, v = { a = 1 }, t = 3 }
      assert.are.equal("OK", run.status)
      near(run:at(3).q.p, a0 + 3, 1e-9)
    end
  end)

  it("moves as the same machine with one coordinate does, by all methods that project", function()
    local exact = wheel():simulate{ q = { a = 0.7 }, v = { a = 3 }, t = 10, rtol = 1e-13, atol = 1e-13 }:at(10).q.a
    near(exact, 31.386428919893, 1e-10)
    for _, elimination in ipairs(eliminations) do
      for _, rtol in ipairs{ 1e-8, 1e-10, 1e-12 } do
        local run = gear():simulate{ q = { a = 0.7, b = 0.7 }, v = { a = 3 }, t = 10, rtol = rtol, atol = rtol/10, elimination = elimination }
        assert.are.equal("OK", run.status)
        near(run:at(10).q.a, exact, 100*rtol + 1e-10)
        near(run:at(10).q.b, exact, 100*rtol + 1e-10)
      end
    end
    for _, method in ipairs{ "gauss6", "rk4" } do
      local run = gear():simulate{ q = { a = 0.7, b = 0.7 }, v = { a = 3 }, t = 10, method = method, step = 0.01 }
      assert.are.equal("OK", run.status)
      near(run:at(10).q.a, exact, 1e-6)
    end
  end)

  it("is swept with and without lanes", function()
    for _, lanes in ipairs{ 1, 8 } do
      local rows = gear():sweep{ over = { { "v.a", { 3, 3, 1, 5, 3, 3, 1, 5 } } }, q = { a = 0.7, b = 0.7 }, t = 10, rtol = 1e-10, atol = 1e-12,
        lanes = lanes, keep = { "a" } }
      for _, row in ipairs{ rows[1], rows[2], rows[5], rows[6] } do near(row.a, 31.386428919893, 1e-8) end
      for i = 1, 8 do assert.are.equal("OK", rows[i].status) end
    end
  end)

  it("carries the sensitivity of the motion to its start", function()
    local exponents = gear():lyapunov{ q = { a = 0.7, b = 0.7 }, v = { a = 3 }, t = 100, n = 2 }.exponents
    local one = wheel():lyapunov{ q = { a = 0.7 }, v = { a = 3 }, t = 100, n = 2 }.exponents
    for i = 1, 2 do near(exponents[i], one[i], 0.02) end         -- both go to zero as log(t)/t
  end)

  it("counts the degrees of freedom that it has where the constraints hold", function()
    assert.are.equal(1, bennett().degrees_of_freedom)
    assert.are.equal(3, #bennett().redundant_constraints)
    assert.are.equal(1, gear().degrees_of_freedom)
    assert.are.equal(1, equal_angles().degrees_of_freedom)
  end)

  it("passes the regular places of a Bennett linkage", function()
    local ratio = math.sin(math.pi/4)/math.sin(math.pi/12)
    local t1 = 0.9
    local t2 = 2*math.atan(ratio/math.tan(t1/2))
    for _, elimination in ipairs{ "dense", "graph" } do
      for _, rtol in ipairs{ 1e-8, 1e-11 } do
        local run = bennett():simulate{ q = { t1 = t1, t2 = t2, t3 = -t1 }, v = { t1 = 0.5 }, t = 1, rtol = rtol, atol = rtol/100, elimination = elimination }
        assert.are.equal("OK", run.status)
        -- arbiter: the equation of one degree of freedom with t2(t1) in closed form, by mpmath
        near(run:at(1).q.t1, -0.34038264, 1e-8 + 10*rtol)
        near(run:at(1).v.t1, -4.21084858, 1e-7)
      end
    end
  end)

  it("is refused without projection, since its rows hold it only on the constraints", function()
    raises({ "'y2'", "remove project = false" }, function() gear():simulate{ q = { a = 0.7, b = 0.7 }, v = { a = 3 }, t = 1, project = false } end)
  end)

  it("is exported as C by a form that leaves its redundant constraints out, and refused with its reason by others", function()
    local folder = assert(core.host.private_folder())
    raises({ "'y2' is redundant only where the other constraints hold", "form = \"maggi\"" }, function() gear():export_c(folder .. "/gear.c") end)
    local text = gear():export_c(folder .. "/gear.c", { form = "maggi" }).text
    assert.truthy(text:find("Left out, since the other constraints imply it: 'y2'", 1, true))
    local status = core.host.spawn({ os.getenv "CC" or "cc", "-O2", "-DHAMEL_MAIN", folder .. "/gear.c", "-lm", "-o", folder .. "/try" }, "", 60)
    assert.are.equal(0, status)
    local function rates(a)
      local c, s = math.cos(a), math.sin(a)
      local state, list = { 0, c, s, a, a, 3 }, { folder .. "/try" }
      for _, value in ipairs(state) do list[#list + 1] = ("%.17g"):format(value) end
      local failed, out = core.host.spawn(list, "", 60)
      local numbers = {}
      for number in out:gmatch "%S+" do numbers[#numbers + 1] = tonumber(number) end
      return failed, numbers
    end
    local failed, f = rates(0.7)
    assert.are.equal(0, failed)
    for i, value in ipairs{ -3*math.sin(0.7), 3*math.cos(0.7), 3, 3, -math.cos(0.7)/3 } do near(f[i], value, 1e-13) end
    -- x = cos b says nothing about b' where sin b = 0
    assert.are.equal(1, (rates(0.0)))
    for _, name in ipairs{ "gear.c", "try" } do os.remove(folder .. "/" .. name) end
    os.remove(folder)
  end)

  it("has no Taylor series, and the message says what to take", function()
    raises({ "dop853" }, function() gear():simulate{ q = { a = 0.7, b = 0.7 }, v = { a = 3 }, t = 1, method = "taylor" } end)
  end)
end)

describe("an overconstrained loop whose rank falls", function()
  it("stops there and names the constraints", function()
    for _, elimination in ipairs(eliminations) do
      for _, rtol in ipairs{ 1e-6, 1e-9, 1e-12 } do
        local run = parallelogram():simulate{ q = { a = 0.7, b = 0, c = 0.7, d = 0.7 }, v = { a = 1 }, t = 5, rtol = rtol, atol = rtol/10,
          elimination = elimination }
        assert.are.equal("DEPENDENT_CONSTRAINTS", run.status)
        near(run.t[#run.t], math.pi - 0.7, 0.1)
      end
    end
  end)
end)

describe("a joint between bodies that move in a plane", function()
  local function four_bar(kind)
    local S = hm.system "four bar"
    local N = S:frame "N"
    local a, b, c = S:coordinates "a b c"
    local F1, F2, F3 = N:rotate("z", a), N:rotate("z", b), N:rotate("z", c)
    local inertia = { 0.1, 0.1, 0.1 }
    S:body("1", { at = S.origin + F1.x/2, frame = F1, mass = 1, inertia = inertia })
    local second = S:body("2", { at = S.origin + F1.x + 3*F2.x/2, frame = F2, mass = 1, inertia = inertia })
    local third = S:body("3", { at = S.origin + 3*N.x + hm.number(5)/4*F3.x, frame = F3, mass = 1, inertia = inertia })
    S:joint("pin", kind, second:point(hm.number(3)/2, 0, 0), third:point(hm.number(5)/4, 0, 0), kind == "revolute" and { axis = { F2.z, F3.z } } or nil)
    return S
  end

  it("closes their loop by what is left of its conditions in the plane", function()
    for _, kind in ipairs{ "revolute", "spherical" } do
      local S = four_bar(kind)
      assert.are.equal(2, #S.constraints)
      assert.are.equal(1, S.degrees_of_freedom)
      local run = S:simulate{ q = { a = 1 }, v = { a = 1 }, t = 1 }
      local q = run:at(1).q
      near(math.cos(q.a) + 3*math.cos(q.b), 3 + 2.5*math.cos(q.c), 1e-8)
      near(math.sin(q.a) + 3*math.sin(q.b), 2.5*math.sin(q.c), 1e-8)
    end
  end)

  it("is refused where nothing is left of them, as a constraint that is zero is", function()
    local S = four_bar "revolute"
    raises({ "'again'", "leave it out" }, S.joint, S, "again", "spherical", S.origin, S.origin)
    raises({ "contains no coordinate" }, S.constraint, S, "nothing", hm.number(0))
  end)
end)
