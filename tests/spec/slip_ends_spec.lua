-- the end of slips in two directions by methods whose errors are as large as the slip itself: no crawl, and the same motion
local hm, check = require "hamel", require "check"

-- System number `last` of a sequence of random ones: coupled masses, forces in time, one or two frictions
local function draw(seed, last)
  local random = check.generator(seed)
  for _ = 1, 10 do random(0, 1) end
  local function whole(a, b) return a + math.floor(random(0, (b - a + 1)*0.999999)) end
  local S, o
  for number = 1, last do
    local n, names, T = whole(3, 4), {}, hm.number(0)
    S, o = hm.system("slips " .. number), { q = {}, v = {}, t = 5 }
    for i = 1, n do names[i] = "q" .. i end
    local q = { S:coordinates(table.concat(names, " ")) }
    for i = 1, n do
      T = T + random(1, 3)*q[i].dot^2/2
      for j = 1, i - 1 do T = T + random(-0.4, 0.4)*q[i].dot*q[j].dot end
      S:force(q[i], random(-1, 1) + random(-1, 1)*hm.sin(random(1, 4)*hm.t))
    end
    S:kinetic_energy(T)
    for k = 1, n == 3 and 1 or whole(1, 2) do
      local s = {}
      for a = 1, 2 do s[a] = q[2*k - 2 + a].dot + (whole(1, 2) == 1 and random(-0.4, 0.4)*q[whole(1, n)].dot or 0) end
      local normal = random(0.5, 3)
      S:friction("rub" .. k, { slip = s, normal = normal, coefficient = whole(1, 3) == 1 and { random(0.1, 0.5), random(0.1, 0.5) } or random(0.1, 0.5) })
    end
    for i = 1, n do o.q["q" .. i], o.v["q" .. i] = 0, random(-1, 1) end
  end
  return S, o
end

describe("a slip in two directions", function()
  it("ends by every method in a number of steps that does not depend on the rounding of its last part", function()
    for _, system in ipairs{ { 23, 12 }, { 25, 36 } } do
      local S, o = draw(table.unpack(system))
      local first
      for _, method in ipairs{ "dop853", "rkf45", "radau5", "auto" } do
        o.method = method
        local run = S:simulate(o)
        assert(run.status == "OK", ("%s, seed %d: %s"):format(method, system[1], tostring(run.reason)))
        first = first or run
        assert(run.outcome.steps < 50*first.outcome.steps, method)
        for name in pairs(o.q) do check.near(run:at(5)[name], first:at(5)[name], 1e-6, method) end
      end
    end
  end)
end)

describe("the end of a slip in two directions", function()
  -- unit mass pulled by 0.3 along x, friction 0.5: closed, by integrals over tan(phi/2); errors fall with the order of the method
  it("is met by methods with fixed steps, which are shortened there", function()
    local S = hm.system "puck"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, 0.3)
    S:friction("rub", { slip = { x.dot, y.dot }, normal = 1, coefficient = 0.5 })
    for method, most in pairs{ rk4 = 1e-5, gauss4 = 1e-6, gauss6 = 1e-8, gauss8 = 1e-9 } do
      local run = S:simulate{ q = { x = 0, y = 0 }, v = { x = 1, y = 0.5 }, t = 6, method = method, step = 0.02 }
      assert(run.status == "OK", ("%s: %s"):format(method, tostring(run.reason)))
      check.near(run.switches[1].t, 5.368856214843, most, method)
      check.near(run:at(6).x, 2.801615607422, most, method)
      check.near(run:at(6).y, 0.7791395542582, most, method)
      assert(run.outcome.steps > 300 and run.outcome.steps < 3000, method)
    end
  end)

  -- friction that holds across far more than along turns the slip faster than the stages of a step of this size can follow
  it("and a slip that turns fast leave the stages of Gauss's methods a solution", function()
    local S = hm.system "narrow"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, -0.2)
    S:friction("rub", { slip = { x.dot, y.dot }, normal = 1, coefficient = { 0.05, 0.5 } })
    local start = { q = { x = 0, y = 0 }, v = { x = 0.5, y = 0.3 }, t = 3 }
    local function run_of(method, step)
      start.method, start.step = method, step
      local run = S:simulate(start)
      assert(run.status == "OK", ("%s: %s"):format(method, tostring(run.reason)))
      return run:at(3)
    end
    start.rtol, start.atol = 1e-11, 1e-12
    local exact = run_of("dop853")
    start.rtol, start.atol = nil, nil
    for method, most in pairs{ gauss4 = 1e-4, gauss6 = 1e-5, gauss8 = 1e-6 } do
      local s = run_of(method, 0.02)
      check.near(s.x, exact.x, most, method)
      check.near(s.y, exact.y, most, method)
      check.near(s.v.x, exact.v.x, most, method)
    end
  end)
end)

-- A body thrown onto a floor comes to rest by impacts that accumulate; what is left of its slip is small, and ends at once
local function thrown(random)
  local S = hm.system "thrown"
  local x, y, z = S:coordinates "x y z"
  S:kinetic_energy((x.dot^2 + random(0.5, 2)*y.dot^2 + random(0.5, 2)*z.dot^2)/2 + random(-0.3, 0.3)*x.dot*y.dot + random(-0.2, 0.2)*x.dot*z.dot)
  S:force(z, -random(5, 10))
  S:force(x, random(-3, 3)*hm.sin(random(0.5, 4)*hm.t))
  S:force(y, random(-3, 3)*hm.cos(random(0.5, 4)*hm.t))
  S:unilateral("floor", z, { law = hm.moreau(random(0, 0.6)) })
  S:friction("rub", { slip = { x.dot, y.dot }, normal = "floor", coefficient = random(0.1, 0.5) })
  return S, { q = { x = 0, y = 0, z = random(0, 0.5) }, v = { x = random(-2, 2), y = random(-2, 2), z = 0 }, t = 3 }
end

describe("a small slip in two directions", function()
  -- arbiter: each other
  it("ends for implicit methods as for explicit ones, in about as many steps", function()
    local random = check.generator(3)
    for number = 1, 40 do
      local S, o = thrown(random)
      local first = S:simulate(o)
      for _, method in ipairs{ "radau5", "rkf45" } do
        o.method = method
        local run = S:simulate(o)
        assert(run.status == "OK", ("system %d by %s: %s"):format(number, method, tostring(run.reason)))
        assert(run.outcome.steps < 20*first.outcome.steps, ("system %d: %d steps by %s"):format(number, run.outcome.steps, method))
        check.near(run:at(3).x, first:at(3).x, 1e-5, "system " .. number)
        check.near(run:at(3).y, first:at(3).y, 1e-5, "system " .. number)
      end
    end
  end)
end)
