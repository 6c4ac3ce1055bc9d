-- starts: states of runs are starts, choices are the user's, advice works, positive parameters stay positive
local hm, check = require "hamel", require "check"

-- name -> system, coordinates, velocities of a start, whether the constraints are linear in the velocities
local systems = {
  isokinetic = function()
    local S = hm.system "isokinetic"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(x^2*y)
    S:constraint("speed", x.dot^2 + y.dot^2 - 4)
    return S, { x = 0.3, y = 0 }, { x = 1.2, y = 1.6 }
  end,
  sleigh = function() return check.offset_sleigh(hm), { x = 0, y = 0, theta = 0.3 }, { x = 1, theta = 0.5 }, true end,
  pendulum = function() return (check.pendulum(hm)), { x = 1, y = 0 }, { x = 0, y = 0 } end,
  ["small pendulum"] = function() return (check.pendulum(hm)), { x = 1e-3, y = -math.sqrt(1 - 1e-6) }, { x = 0, y = 0 }, true end,
  ["four bars"] = function()
    local S = hm.system "four bars"
    local a, b, c = S:coordinates "a b c"
    S:kinetic_energy((a.dot^2 + b.dot^2 + c.dot^2)/2)
    S:constraint("along", hm.cos(a) + 3*hm.cos(b) - 5/2*hm.cos(c) - 2)
    S:constraint("across", hm.sin(a) + 3*hm.sin(b) - 5/2*hm.sin(c))
    return S, { a = 0.9 }, { a = 1 }, true
  end,
  ["moving skate"] = function()
    local S = hm.system "moving skate"
    local x, y, theta = S:coordinates "x y theta"
    S:kinetic_energy((x.dot^2 + y.dot^2 + theta.dot^2)/2)
    S:constraint("blade", (x.dot - hm.sin(hm.t))*hm.sin(theta) - y.dot*hm.cos(theta))
    return S, { x = 0, y = 0, theta = 0.2 }, { x = 1, theta = 0.4 }, true
  end,
}

describe("a state of a run", function()
  local function copy(values)
    local result = {}
    for name, value in pairs(values) do result[name] = value end
    return result
  end
  local function accepted(S, run, s, what, copied)
    local q, v = s.q, s.v
    if copied then q, v = copy(q), copy(v) end
    local at = { q = q, v = v, t = s.t }
    for _, method in ipairs{ "accelerations", "reactions" } do
      local fine, message = pcall(S[method], S, at)
      if not fine then error(("%s, %s at t = %.9g: %s"):format(what, method, s.t, message), 0) end
    end
    local fine, message = pcall(S.simulate, S, { q = q, v = v, t = { s.t, s.t + 1e-3 }, form = run.equations.form })
    if not fine then error(("%s, simulate at t = %.9g: %s"):format(what, s.t, message), 0) end
  end
  for name, make in pairs(systems) do
    it("is a start: " .. name, function()
      local S, q, v, linear = make()
      for _, form in ipairs{ "lagrange", linear and "maggi" or nil } do
        for _, tolerance in ipairs{ 1e-6, 1e-9, 1e-12 } do
          for _, project in ipairs{ true, false } do
            local run = S:simulate{ q = q, v = v, t = 2, form = form, rtol = tolerance, atol = tolerance, project = project }
            -- a chart may end before; what is kept ends with the last point
            local last = run[#run].t
            local what = ("%s, %s, tolerance %g, project %s"):format(name, form, tolerance, tostring(project))
            local n = form == "lagrange" and project and 99 or 24
            for i = 0, n do accepted(S, run, run:at(last*(i/n)), what, project) end
            for i = 1, math.min(#run, 20) do accepted(S, run, run[i], what .. ", stored", project) end
          end
        end
      end
    end)
  end
  it("keeps its table's tolerance to itself", function()
    local S, q, v = systems.pendulum()
    local s = S:simulate{ q = q, v = v, t = 2, project = false, method = "rk4", step = 0.05 }:at(1.7)
    assert(S:accelerations{ q = s.q, v = s.v })
    check.raises({ "'rod' is violated", "by the given x and y" }, S.accelerations, S, { q = copy(s.q), v = copy(s.v) })
    s.q.x = s.q.x + 0.1
    check.raises({ "'rod' is violated" }, S.accelerations, S, { q = s.q, v = s.v })
  end)
end)

describe("a start", function()
  it("with several possible velocities is the user's choice", function()
    local S = systems.isokinetic()
    for _, method in ipairs{ "simulate", "accelerations", "velocities" } do
      local at = { q = { x = 0, y = 0 }, v = { x = 1.2 }, t = method == "simulate" and 1 or nil }
      check.raises({ "y' = 1.6 or -1.6", "give v.y" }, S[method], S, at)
    end
    check.near(S:velocities{ q = { x = 0, y = 0 }, v = { x = 1.2, y = -1.6 } }.y, -1.6)
    -- one root, though the constraint is not linear
    local C = hm.system "cone"
    local x, y, z = C:coordinates "x y z"
    C:kinetic_energy(x.dot^2 + y.dot^2 + z.dot^2)
    C:constraint("cone", z.dot - hm.sqrt(x.dot^2 + y.dot^2))
    check.near(C:velocities{ q = { x = 0, y = 0, z = 0 }, v = { x = 3, y = 4 } }.z, 5)
    check.raises({ "y' = 4 or -4" }, C.velocities, C, { q = { x = 0, y = 0, z = 0 }, v = { x = 3, z = 5 } })
    -- a double root is one
    local D = hm.system "double"
    local a, b = D:coordinates "a b"
    D:kinetic_energy(a.dot^2 + b.dot^2)
    D:constraint("cubic", b.dot^3 + b.dot - a.dot)
    check.near(D:velocities{ q = { a = 0, b = 0 }, v = { a = 2 } }.b, 1)
  end)

  -- what a message says can be removed, is computed when it is removed
  it("is told what can be removed", function()
    for name, make in pairs(systems) do
      local S, q, v = make()
      local full = S:accelerations{ q = q, v = v }
      for _, level in ipairs{ "q", "v" } do
        for wrong in pairs(full[level]) do
          local at = { q = {}, v = {} }
          for _, k in ipairs(S.coordinate_names) do at.q[k], at.v[k] = full.q[k], full.v[k] end
          at[level][wrong] = at[level][wrong] + 0.05
          local fine, message = pcall(S.accelerations, S, at)
          if not fine and message:find "remove" then
            for removed in message:match("remove (.-), which"):gmatch "[qv]%.(%w+)" do
              local kept = at[level][removed]
              at[level][removed] = nil
              -- velocities may have to follow positions
              local ok, again = pcall(S.accelerations, S, at)
              if not ok and (again:find("give v.", 1, true) or again:find("by the given " .. removed, 1, true) or level == "v") then
                error(("%s: %s: without %s: %s"):format(name, message, removed, again))
              end
              at[level][removed] = kept
            end
          elseif not fine then
            assert.truthy(message:find("give other values", 1, true), message)
          end
        end
      end
    end
  end)

  it("takes coordinates and velocities as keys", function()
    local S, x, y, theta = check.sleigh(hm)
    local m = S:symbol "m"
    local run = S:simulate{ q = { [x] = 0, y = 0, [theta] = 0.1 }, v = { [x.dot] = 1, [theta] = 0.2 }, t = 1, parameters = { [m] = 2 } }
    assert.equal("OK", run.status)
    check.raises({ "'x' is given twice" }, S.simulate, S, { q = { [x] = 0, x = 1, y = 0, theta = 0 }, v = { x = 1, theta = 0 }, t = 1 })
    check.raises({ "'x + y' is not a coordinate" }, S.simulate, S, { q = { [x + y] = 0 }, v = {}, t = 1 })
  end)
end)

describe("a positive parameter", function()
  local function system()
    local S = hm.system "oscillator"
    local x = S:coordinates "x"
    local m, k = S:positive "m=1 k=2"
    S:kinetic_energy(m/2*x.dot^2)
    S:potential_energy(hm.sqrt(k^2)*x^2/2)
    return S
  end
  local at = { q = { x = 1 }, v = { x = 0 } }
  local ways = {
    parameters = function(S, value) S:parameters("m=" .. value) end,
    positive = function(S, value) S:positive("m=" .. value) end,
    simulate = function(S, value) S:simulate{ q = at.q, v = at.v, t = 1, parameters = { m = value } } end,
    accelerations = function(S, value) S:accelerations{ q = at.q, v = at.v, parameters = { m = value } } end,
    velocities = function(S, value) S:velocities{ q = at.q, v = at.v, parameters = { m = value } } end,
    reference = function(S, value) S:reference{ q = at.q, v = at.v, t = 1, parameters = { m = value } } end,
    linearize = function(S, value) S:linearize{ q = { x = 0 }, v = at.v, parameters = { m = value } } end,
    equilibrium = function(S, value) S:equilibrium{ q = { x = 0.1 }, parameters = { m = value } } end,
    periodic = function(S, value) S:periodic{ q = at.q, v = at.v, period = 7.7, parameters = { m = value } } end,
    lyapunov = function(S, value) S:lyapunov{ q = at.q, v = at.v, t = 1, parameters = { m = value } } end,
    variations = function(S, value) S:variations{ q = at.q, v = at.v, t = 1, parameters = { m = value } } end,
    compare = function(S, value) S:compare{ forms = { "lagrange", "nielsen" }, q = at.q, v = at.v, t = 1, parameters = { m = value } } end,
    ["sweep over"] = function(S, value) S:sweep{ q = at.q, v = at.v, t = 1, over = { { "m", { 1, value } } } } end,
    ["sweep with"] = function(S, value) S:sweep{ q = at.q, v = at.v, t = 1, over = { { "k", { 1, 2 } } }, parameters = { m = value } } end,
    ["sweep each"] = function(S, value)
      local W = S:sweep{ q = at.q, v = at.v, t = 1, n = 2, each = function(i) return { parameters = { m = i == 1 and 1 or value } } end }
      assert.are.equal("OK", W[1].status)
      if W[2].status ~= "OK" then error(W[2].reason, 0) end
    end,
  }
  for name, way in pairs(ways) do
    it("stays positive in S:" .. name, function()
      for _, value in ipairs{ 0, -1 } do check.raises({ "'m' is declared positive: it cannot be " .. value }, way, system(), value) end
      local fine, message = pcall(way, system(), 3)
      assert.truthy(fine or not message:find "positive", message)
    end)
  end
  it("is finite", function()
    check.raises({ "'m' = inf is not finite" }, ways.simulate, system(), math.huge)
    check.raises({ "is not a number" }, ways.simulate, system(), 0/0)
  end)
end)

-- Velocities in a row, each tied to the next by one constraint: one of them is open
describe("a row of velocities", function()
  for _, n in ipairs{ 12, 40, 60 } do
    it("of " .. n .. " is not determined by one constraint fewer", function()
      local S = hm.system "row"
      local names, q = {}, {}
      for i = 1, n do names[i], q["x" .. i] = "x" .. i, 0.1*i end
      local x, T = { S:coordinates(table.concat(names, " ")) }, hm.number(0)
      for i = 1, n do T = T + x[i].dot^2/2 end
      S:kinetic_energy(T)
      for i = 1, n - 1 do S:constraint("c" .. i, (10 + hm.sin(x[i]))*x[i].dot - 9*x[i + 1].dot*hm.cos(x[i]/50)) end
      check.raises({ "the constraints do not determine x1', x2'", "give 1 of them" }, S.simulate, S, { q = q, v = {}, t = 0.01 })
      local run = S:simulate{ q = q, v = { x1 = 0.1 }, t = 0 }
      check.near(run[1].v.x2, (10 + math.sin(0.1))*0.1/(9*math.cos(0.1/50)), 1e-12)
    end)
  end
end)
