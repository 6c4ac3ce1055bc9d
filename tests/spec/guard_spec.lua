-- Pivots of the elimination on the graph of velocities: a run compares them with floors that it evaluates once a step. Where a pivot vanishes at a lawful
-- state, every method goes on by the general solve; arbiter: elimination = "dense"
local hm, check = require "hamel", require "check"
local core = require "hamel.core"
local sin, cos = hm.sin, hm.cos

-- Planar pendulums on each other whose end stays level: with sin(q) = 0 in a link its velocity leaves the row
local function level(n)
  local S, names = hm.system "level", {}
  for i = 1, n do names[i] = "q" .. i end
  local vx, vy, y, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
  for _, a in ipairs{ S:coordinates(table.concat(names, " ")) } do
    vx, vy, y = vx + cos(a)*a.dot, vy + sin(a)*a.dot, y - cos(a)
    T, V = T + (vx^2 + vy^2)/2, V + hm.number "9.81"*y
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  S:constraint("level", y)
  local q, v = { q1 = 1.2, q2 = 1.9 }, { q1 = 0 }
  for i = 3, n - 1 do q["q" .. i] = hm.pi/2 end
  for i = 2, n - 1 do v["q" .. i] = 0 end
  return S, q, v
end

local function ends_of(run, t)
  local list, at = {}, run:at(t)
  for _, name in ipairs(run.names) do list[#list + 1], list[#list + 2] = at.q[name], at.v[name] end
  return list
end

local function near(one, two, tolerance)
  assert.equal(#one, #two)
  for i = 1, #one do check.near(one[i], two[i], tolerance) end
end

describe("a pivot that vanishes in a run on the graph of velocities", function()
  local methods = { { "dop853", 1e-8 }, { "rk8pd", 1e-8 }, { "radau5", 1e-7 }, { "msbdf", 1e-3, 1e-7 }, { "taylor", 1e-8 }, { "rk4", 1e-9 },
                    { "gauss6", 1e-9 } }
  for _, row in ipairs(methods) do
    local method, tolerance = row[1], row[2]
    it("leaves the motion of " .. method .. " as it is", function()
      local S, q, v = level(8)
      local o = { q = q, v = v, t = 1, method = method }
      if method == "rk4" or method == "gauss6" then o.step = 2e-3 else o.rtol, o.atol = row[3] or 1e-9, row[3] or 1e-9 end
      local function run_by(way)
        o.elimination = way
        return S:simulate(o)
      end
      local dense, graph = run_by "dense", run_by "graph"
      assert.equal("OK", dense.status)
      assert.equal("OK", graph.status)
      assert.equal(0, dense.outcome.handed_over)
      -- steps of taylor are long: only looks between them meet the pivot
      assert.is_true(graph.outcome.handed_over > 0 or method == "taylor" and graph.workspace:looked() > 0)
      near(ends_of(graph, 1), ends_of(dense, 1), tolerance)
    end)
  end

  it("is met at any tolerance", function()
    local S, q, v = level(8)
    for _, tolerance in ipairs{ 1e-3, 1e-6, 1e-12 } do
      local ends = {}
      for _, way in ipairs{ "dense", "graph" } do
        local run = S:simulate{ q = q, v = v, t = 1, rtol = tolerance, atol = tolerance, elimination = way }
        assert.equal("OK", run.status)
        ends[way] = ends_of(run, 1)
      end
      near(ends.graph, ends.dense, 200*tolerance)
    end
  end)

  it("leaves jobs of a sweep alone: lanes, threads and the jobs before change nothing", function()
    local S, q, v = level(8)
    local function sweep(lanes, threads, from, to)
      return S:sweep{ q = q, v = v, t = 0.5, rtol = 1e-10, atol = 1e-10, elimination = "graph", keep = S.coordinate_names, progress = false, lanes = lanes,
                      threads = threads, over = { { "v.q3", hm.range(from, to, 9) } } }
    end
    local alone, wide, threads, backwards = sweep(1, 1, -0.4, 0.4), sweep(8, 1, -0.4, 0.4), sweep(1, 2, -0.4, 0.4), sweep(1, 1, 0.4, -0.4)
    assert.equal(9, #alone)
    for i = 1, 9 do
      for _, row in ipairs{ alone[i], wide[i], threads[i] } do assert.equal("OK", row.status) end
      for _, name in ipairs(S.coordinate_names) do
        assert.equal(alone[i][name], threads[i][name])
        check.near(wide[i][name], alone[i][name], 1e-8)
        if math.abs(alone[i]["v.q3"] - backwards[10 - i]["v.q3"]) == 0 then assert.equal(alone[i][name], backwards[10 - i][name]) end
      end
    end
  end)

  it("leaves what is read off a sweep alone: four and eight lanes and threads give the same bits", function()
    local S, names, v = hm.system "chain", {}, {}
    for i = 1, 6 do names[i] = "q" .. i end
    local vx, vy, y, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
    local q = { S:coordinates(table.concat(names, " ")) }
    for _, a in ipairs(q) do
      vx, vy, y = vx + cos(a)*a.dot, vy + sin(a)*a.dot, y - cos(a)
      T, V = T + (vx^2 + vy^2)/2, V + hm.number "9.81"*y
    end
    S:kinetic_energy(T)
    S:potential_energy(V)
    local given = {}
    for i = 1, 6 do given[names[i]], v[names[i]] = i > 1 and 0.1*i or nil, 0 end
    local function sweep(lanes, threads)
      return S:sweep{ q = given, v = v, t = 2, rtol = 1e-9, atol = 1e-9, elimination = "graph", progress = false, lanes = lanes, threads = threads,
                      over = { { "q1", hm.range(0.1, 1.5, 19) } }, keep = { first = hm.first(q[3], "falling"), hits = hm.count(q[1]), top = hm.highest(q[2]) } }
    end
    local alone, four, eight, threads = sweep(1, 1), sweep(4, 1), sweep(8, 1), sweep(8, 2)
    assert.equal(19, #alone)
    for i, row in ipairs(alone) do
      assert.is_true(row.hits > 0)
      for _, name in ipairs{ "first", "hits", "top" } do
        assert.equal(four[i][name], eight[i][name])
        assert.equal(eight[i][name], threads[i][name])
        check.near(eight[i][name], row[name], 1e-6)
      end
    end
  end)
end)

-- Pendulums on each other, the last with the mass m, and u: its inertia u^2 is lost where u = 0
local function heavy(n)
  local S, names, q, v = hm.system "heavy", {}, { u = 1 }, { u = 0 }
  for i = 1, n do names[i], q["q" .. i], v["q" .. i] = "q" .. i, 0.3 + 0.1*i, 0 end
  local m, u = S:parameters "m=1", S:coordinates "u"
  local vx, vy, y, T, V = hm.number(0), hm.number(0), hm.number(0), (u*u.dot)^2/2, hm.number(0)
  for i, a in ipairs{ S:coordinates(table.concat(names, " ")) } do
    vx, vy, y = vx + cos(a)*a.dot, vy + sin(a)*a.dot, y - cos(a)
    local mass = i == n and m or 1
    T, V = T + mass*(vx^2 + vy^2)/2, V + mass*y
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  return S, q, v
end

describe("pivots that are small throughout", function()
  for _, n in ipairs{ 3, 6 } do
    it("are examined when they fall, not at every step, with " .. n .. " links", function()
      local S, q, v = heavy(n)
      S:simulate{ q = q, v = v, t = 1e-8 }                                    -- the model is made with other parameters
      local ends = {}
      for _, way in ipairs{ "dense", "graph" } do
        local run = S:simulate{ q = q, v = v, t = 3e-5, elimination = way, method = "dop853", parameters = { m = 1e12 } }
        assert.equal("INACCURATE", run.status)                                   -- both ways lose digits of the accelerations; "refined" does not
        ends[way] = ends_of(run, 3e-5)
        if way == "graph" then
          assert.is_true(run.outcome.handed_over > run.outcome.evaluations/2)
          assert.is_true(run.outcome.steps > 50)
          local looked = run.workspace:looked()
          assert.is_true(run.outcome.handed_over <= run.outcome.evaluations)
          assert.is_true(looked > 0 and looked/run.outcome.steps < 250)            -- a fine run takes about 1500
        end
      end
      near(ends.graph, ends.dense, 1e-8)
    end)

    it("do not hide a singular place, with " .. n .. " links", function()
      local S, q, v = heavy(n)
      v.u = -5e4                                                              -- u^2 = 1 - 1e5 t
      S:simulate{ q = q, v = v, t = 1e-8 }
      for _, way in ipairs{ "dense", "graph" } do
        local run = S:simulate{ q = q, v = v, t = 1e-4, elimination = way, parameters = { m = 1e12 } }
        assert.not_equal("OK", run.status)
        check.near(run.outcome.t, 1e-5, 1e-7)
      end
    end)
  end
end)

-- A row of which one entry vanishes at z = 21/2, and pendulums that swing beside it: the order made for states in (-pi, pi) fails at all states of a run
local function guide(z)
  local S, names, v = hm.system "guide", { "x", "y", "z" }, { y = 1, z = 0, x = z == 10.5 and 0 or nil }
  for i = 1, 8 do names[3 + i] = "q" .. i end
  if z ~= 10.5 then v.x, v.y = 1, nil end
  local list = { S:coordinates(table.concat(names, " ")) }
  local x, y, height = list[1], list[2], list[3]
  local T, V, vx, vy = (x.dot^2 + y.dot^2 + height.dot^2)/2, x - 2*y, hm.number(0), hm.number(0)
  for i = 4, #list do
    vx, vy = vx + cos(list[i])*list[i].dot, vy + sin(list[i])*list[i].dot
    T = T + (vx^2 + vy^2)/2
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  S:constraint("guide", (height - 10)*x.dot + (height - hm.number "10.5")*y.dot)
  local q = { x = 0, y = 0, z = z }
  for i = 1, 8 do q["q" .. i], v["q" .. i] = 0.3*i, 0.2*i end
  return S, q, v
end

describe("an order of elimination", function()
  local function run_of(way, z, method)
    local S, q, v = guide(z)
    return S:simulate{ q = q, v = v, t = 3, rtol = 1e-10, atol = 1e-10, elimination = way, method = method }
  end

  it("is chosen anew where it fails throughout, and print(run) says so", function()
    for _, method in ipairs{ "dop853", "radau5" } do
      local handed = 0
      for _, z in ipairs{ 10, 10.5 } do
        local dense, graph = run_of("dense", z, method), run_of("graph", z, method)
        assert.equal("OK", graph.status)
        near(ends_of(graph, 3), ends_of(dense, 3), 1e-8)
        local o = graph.outcome
        if o.handed_over > 0 and method == "dop853" then
          assert.is_true(o.reordered > 500 and o.handed_over < 800)
          assert.truthy(tostring(graph):find(("a pivot was too small at %d states; another order of elimination took over at %d of them, the solve with "
            .. "complete pivoting at %d"):format(o.handed_over + o.reordered, o.reordered, o.handed_over), 1, true))
          local path = os.tmpname() .. ".hamel"
          graph:save(path)
          assert.equal(tostring(graph), tostring(hm.load(path, graph.system)))
          os.remove(path)
        end
        handed = handed + o.handed_over
      end
      assert.is_true(handed > 0)
    end
  end)

  it("belongs to the job of a sweep that made it", function()
    local S, q, v = guide(10.5)
    local function sweep(threads, from, to)
      return S:sweep{ q = q, v = v, t = 3, rtol = 1e-10, atol = 1e-10, elimination = "graph", keep = S.coordinate_names, progress = false, lanes = 1,
                      threads = threads, over = { { "v.q3", hm.range(from, to, 5) } } }
    end
    local alone, threads, backwards = sweep(1, 0.25, 1.25), sweep(2, 0.25, 1.25), sweep(1, 1.25, 0.25)
    for i = 1, 5 do
      assert.equal("OK", alone[i].status)
      for _, name in ipairs(S.coordinate_names) do
        assert.equal(alone[i][name], threads[i][name])
        assert.equal(alone[i][name], backwards[6 - i][name])
      end
    end
  end)
end)

describe("the Jacobian of x'", function()
  it("by the graph is that of the dense solve, also where a pivot fails", function()
    local S, q, v = level(8)
    local runs, handed = {}, 0
    for _, way in ipairs{ "dense", "graph" } do runs[way] = S:simulate{ q = q, v = v, t = 1, elimination = way } end
    for _, time in ipairs{ 0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97, 0.975, 0.98, 1.0 } do
      local list, x = {}, {}
      local at = runs.dense:at(time)
      for _, name in ipairs(S.coordinate_names) do x[#x + 1] = at.q[name] end
      for _, name in ipairs(S.coordinate_names) do x[#x + 1] = at.v[name] end
      for way, run in pairs(runs) do
        local w = core.workspace(run.model)
        for i = #x + 1, run.model:state_size() do x[i] = 0.0 end
        w:set_state(time, x)
        local before = w:handed_over()
        w:rate()
        list[way] = w:jacobian()
        handed = handed + w:handed_over() - before
      end
      local largest = 1
      for _, entry in ipairs(list.dense) do largest = math.max(largest, math.abs(entry)) end
      near(list.graph, list.dense, 1e-8*largest)
    end
    assert.is_true(handed > 0)
  end)
end)
