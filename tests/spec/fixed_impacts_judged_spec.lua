-- Runs with steps of one size and impacts, judged by a run at tight tolerances whose impacts are a little earlier or later.
local hm = require "hamel"

local function point(name)
  local S = hm.system "point"
  local q = S:coordinates(name)
  S:kinetic_energy(q.dot^2/2)
  return S, q
end

describe("steps of one size, compared with a run at tight tolerances,", function()
  local function pendulum_at_a_wall(restitution)
    local S, th = point "th"
    S:potential_energy(-9.81*hm.cos(th))
    S:unilateral("wall", 0.5 - th, { law = hm.newton(restitution) })
    return S
  end

  local function runs(S, start, t, method, step)
    local q, v = { [start[1]] = start[2] }, { [start[1]] = 0 }
    return S:simulate{ q = q, v = v, t = t, method = method, step = step, progress = false },
      S:simulate{ q = q, v = v, t = t, rtol = 1e-12, atol = 1e-12, progress = false }
  end

  local function apart(one, other, name, t)
    local most = 0
    for k = 1, 300 do most = math.max(most, math.abs(one:at(k/300*t)[name] - other:at(k/300*t)[name])) end
    return most
  end

  it("are accurate though their impacts are a little earlier or later", function()
    local S = pendulum_at_a_wall(0.5)
    for _, method in ipairs{ "gauss4", "gauss6", "gauss8", "rk4" } do
      local run, exact = runs(S, { "th", -1 }, 3, method, 0.02)
      assert.is_true(apart(run, exact, "th", 3) < 1e-4)
      assert.equal("OK", run.status, run.reason)
    end
  end)

  it("are accurate where a plastic impact on a moving floor is a little earlier or later", function()
    local S, y = point "y"
    S:potential_energy(9.81*y)
    S:unilateral("floor", y - hm.sin(12*hm.t)/10, { law = hm.newton(0) })
    for _, step in ipairs{ 0.01, 0.005 } do
      local run, exact = runs(S, { "y", 1 }, 3, "rk4", step)
      assert.is_true(apart(run, exact, "y", 3) < 1e-4)
      assert.equal("OK", run.status, run.reason)
    end
  end)

  it("are off where the errors grow from impact to impact", function()
    local run, exact = runs(pendulum_at_a_wall(1), { "th", -1 }, 30, "rk4", 0.15)
    assert.is_true(apart(run, exact, "th", 30) > 0.05)
    assert.equal("INACCURATE", run.status)
    assert.truthy(run.reason:find("take a step of", 1, true), run.reason)
  end)
end)

-- arbiter: (t - 1)^(p + 2)/((p + 1)(p + 2)), what a force (t - 1)^p moves from rest at t = 1
describe("steps of one size leave", function()
  local methods = { { "rk4", 0.01 }, { "rk4", 0.1 }, { "gauss4", 0.05 }, { "gauss6", 0.01 }, { "gauss8", 0.02 } }

  local function follow(S, p)
    for _, how in ipairs(methods) do
      local run = S:simulate{ q = { q = 0 }, v = { q = 0 }, t = 3, method = how[1], step = how[2], progress = false }
      local name = ("p = %d, %s, %g"):format(p, how[1], how[2])
      assert.equal("OK", run.status, name)
      assert.equal(1, #run.switches, name)
      assert.equal(0, #run.impacts, name)
      local way = 2^(p + 2)/(p + 1)/(p + 2)
      assert.is_true(math.abs(run:at(3).q - way) < (how[2] == 0.1 and 1e-4 or 1e-5)*way, name)
    end
  end

  it("a floor in a force that grows slowly at first", function()
    for _, p in ipairs{ 1, 3, 5, 7, 11 } do
      local S, q = point "q"
      S:force(q, (hm.t - 1)^p)
      S:unilateral("floor", q, { law = hm.newton(0) })
      follow(S, p)
    end
  end)

  it("a place where friction holds, likewise", function()
    for _, p in ipairs{ 1, 3, 5, 7 } do
      local S, q = point "q"
      S:force(q, 1 + (hm.t - 1)^p)
      S:friction("rub", { slip = q.dot, normal = 1, coefficient = 1 })
      follow(S, p)
    end
  end)
end)
