-- slips of several numbers near rest: how they begin under growing forces and how they fade. Arbiters: other methods and tolerances, and
-- closed forms where there are some
local hm, check = require "hamel", require "check"
local near = check.near

-- A disc on a table, drawn by forces and a torque that grow
local function drawn_disc(pressure, pull)
  local S = hm.system "drawn disc"
  local x, y, w = S:coordinates "x y w"
  S:kinetic_energy((x.dot^2 + y.dot^2 + w.dot^2/2)/2)
  S:force(x, pull[1]*hm.t)
  S:force(y, pull[2]*hm.t - pull[4]*hm.t^2)
  S:force(w, pull[3]*hm.t)
  S:friction("rub", { slip = { x.dot, y.dot }, spin = w.dot, radius = 1, pressure = pressure, normal = 10, coefficient = 0.3 })
  return S
end

describe("a slip in two directions with spin", function()
  for _, pressure in ipairs{ "uniform", "hertz" } do
    it("begins under growing forces along its limit direction, " .. pressure, function()
      for _, pull in ipairs{ { 1, 1, 1, 0 }, { 1, 0.5, 0.2, 0.1 }, { 0.1, 0.1, 3, 0 }, { 1, 1, 1e-3, 0.2 } } do
        local ends = {}
        for _, method in ipairs{ "dop853", "radau5", "auto" } do
          local r = drawn_disc(pressure, pull):simulate{ q = { x = 0, y = 0, w = 0 }, v = { x = 0, y = 0, w = 0 }, t = 6, method = method }
          assert.equal("OK", r.status, r.reason)
          assert.is_true(#r < 1000)
          ends[#ends + 1] = r[#r]
        end
        for k = 2, #ends do
          for _, name in ipairs{ "x", "y", "w" } do near(ends[k][name], ends[1][name], 1e-7*(1 + math.abs(ends[1][name]))) end
        end
      end
    end)
  end

  it("begins straight where force and torque keep their ratio: friction takes a share that does not change", function()
    local r = drawn_disc("uniform", { 1, 1, 1, 0 }):simulate{ q = { x = 0, y = 0, w = 0 }, v = { x = 0, y = 0, w = 0 }, t = 1.4, rtol = 1e-11, atol = 1e-12 }
    local t0, s = r.switches[1].t, r[#r]
    near(s.v.x, s.v.y, 1e-12)
    -- the accelerations of the first instant are zero, then they grow in proportion to the time: a cubic way along the limit direction
    near(s.w/s.v.w, (1.4 - t0)/3, 2e-3*(1.4 - t0))
  end)
end)

describe("a slip that fades", function()
  -- the two slips of one friction nearly depend on each other: along one of them the body is much heavier
  local function run(case, method)
    local eps, fx, fy, vx, vy, coupling = table.unpack(case)
    local S = hm.system "nearly dependent slips"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2 + coupling*x.dot*y.dot)
    S:force(x, fx)
    S:force(y, fy)
    S:friction("rub", { slip = { x.dot - y.dot, x.dot - (1 + eps)*y.dot }, normal = 4, coefficient = 0.2 })
    return S:simulate{ q = { x = 0, y = 0 }, v = { x = vx, y = vy }, t = 5, rtol = 1e-10, atol = 1e-11, method = method }
  end

  it("reaches its end although its direction is drawn much faster to its limit", function()
    for _, case in ipairs{ { 0.119, -0.517, 0.299, 0.713, -0.176, 0.891 }, { 0.0497, 0.66, 0.245, -0.906, 0.197, 0.763 },
                           { 0.029, -0.143, 0.746, -0.569, 0.405, 0.709 }, { 0.00102, -0.323, 0.407, 0.805, -0.967, 0.279 } } do
      local one, other = run(case, "dop853"), run(case, "radau5")
      assert.equal("OK", one.status, one.reason)
      assert.equal("OK", other.status, other.reason)
      for _, name in ipairs{ "x", "y" } do near(one[#one][name], other[#other][name], 1e-7) end
    end
  end)
end)

describe("the end of a slip in two directions", function()
  -- unit mass, force 1 along x, friction 2: t_stop = (2 |s| + s_x)/(2^2 - 1)
  local function puck(method, step)
    local S = hm.system "puck"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:force(x, 1)
    S:friction("rub", { slip = { x.dot, y.dot }, normal = 2, coefficient = 1 })
    return S:simulate{ q = { x = 0, y = 0 }, v = { x = 0.6, y = 0.8 }, t = 3, method = method, step = step }
  end

  it("is met by methods with steps of one size, which are shortened there", function()
    for method, tolerances in pairs{ rk4 = { 1e-7, 1e-10 }, gauss4 = { 1e-6, 1e-8 }, gauss6 = { 1e-8, 1e-10 }, gauss8 = { 1e-9, 1e-10 } } do
      for i, step in ipairs{ 1e-2, 1e-3 } do
        local run = puck(method, step)
        assert.equal("OK", run.status, method)
        assert.equal(1, #run.switches, method)
        near(run.switches[1].t, 2.6/3, tolerances[i], method)
        local rest = run:at(3)
        near(rest.v.x, 0, 0)
        near(rest.v.y, 0, 0)
        near(rest.friction.rub[1], -1, 1e-12)
      end
    end
  end)
end)
