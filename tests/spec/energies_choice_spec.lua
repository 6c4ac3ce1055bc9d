-- elimination = "cheapest", the default: which way is taken, and that both ways agree where the energies are unusual; arbiter: elimination = "dense"
local hm, check = require "hamel", require "check"
local near, raises = check.near, check.raises
local sin, cos = hm.sin, hm.cos

-- Planar pendulums on each other: their energies, starts, coordinates, and the velocity and height of the last end
local function chain(S, letter, n)
  local names, q, v = {}, {}, {}
  for i = 1, n do names[i], q[letter .. i], v[letter .. i] = letter .. i, 0.3*i, 0.1*i end
  local list = { S:coordinates(table.concat(names, " ")) }
  local vx, vy, y, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
  for _, a in ipairs(list) do
    vx, vy, y = vx + cos(a)*a.dot, vy + sin(a)*a.dot, y - cos(a)
    T, V = T + (vx^2 + vy^2)/2, V + 9*y
  end
  return { T = T, V = V, q = q, v = v, list = list, vx = vx, y = y }
end

local function system(c, S, T, V)
  S:kinetic_energy(T or c.T)
  S:potential_energy(V or c.V)
  return S, { q = c.q, v = c.v, t = 0.5, rtol = 1e-11, atol = 1e-11 }
end

local function run_of(S, o, elimination)
  o.elimination = elimination
  return S:simulate(o)
end

-- Runs of all ways end in the same state
local function agree(tolerance, S, o)
  local dense = run_of(S, o, "dense")
  assert.equal("OK", dense.status)
  for _, way in ipairs{ "graph", "cheapest" } do
    local run = run_of(S, o, way)
    assert.equal("OK", run.status)
    for _, name in ipairs(run.names) do
      near(run:at(o.t).q[name], dense:at(o.t).q[name], tolerance, name)
      near(run:at(o.t).v[name], dense:at(o.t).v[name], tolerance, name .. "'")
    end
  end
  return dense, run_of(S, o, "cheapest")
end

describe("the elimination that is chosen", function()
  it("agrees with the dense one where a kinetic energy is expanded, not quadratic, or linear in part", function()
    local S = hm.system "expanded"
    local c = chain(S, "q", 6)
    agree(1e-9, system(c, S, c.T:expand()))
    S = hm.system "root"
    c = chain(S, "q", 4)
    agree(1e-9, system(c, S, c.T + hm.sqrt(1 + 2*c.T)))
    S = hm.system "linear"
    c = chain(S, "q", 6)
    agree(1e-9, system(c, S, c.T + sin(c.list[1])*c.list[2].dot + hm.t*c.list[3].dot))
  end)

  it("agrees under constraints that move with time, and holds coordinates without inertia", function()
    local S = hm.system "shaken"
    local c = chain(S, "q", 6)
    S:constraint("end", c.vx - sin(3*hm.t)/2)
    c.v.q1 = nil
    agree(1e-8, system(c, S))
    S = hm.system "lifted"
    c = chain(S, "q", 6)
    local height = 0
    for i = 1, 6 do height = height - math.cos(0.3*i) end
    S:constraint("end", c.y - height - sin(2*hm.t)/10)
    c.v.q1 = nil
    agree(1e-8, system(c, S))
    S = hm.system "follower"
    c = chain(S, "q", 6)
    local z = S:coordinates "z"
    c.q.z = 0
    S:constraint("follow", z.dot - c.vx)
    agree(1e-9, system(c, S))
  end)

  it("agrees for two mechanisms side by side and a cyclic coordinate", function()
    local S = hm.system "pair"
    local c, d = chain(S, "q", 6), chain(S, "p", 6)
    local z = S:coordinates "z"
    for name, value in pairs(d.q) do c.q[name], c.v[name] = value + 0.1, d.v[name] end
    c.q.z, c.v.z = 0, 1
    local dense, chosen = agree(1e-9, system(c, S, c.T + 3*d.T + z.dot^2/2, c.V + d.V))
    assert.is_true(chosen.model:by_graph())
    assert.truthy(chosen.model:operations() < dense.model:operations())
  end)

  it("refuses a coordinate without inertia as the dense one does", function()
    local S = hm.system "idle"
    local c = chain(S, "q", 6)
    S:coordinates "z"
    c.q.z, c.v.z = 0, 0
    local T, o = system(c, S)
    for _, way in ipairs{ "dense", "cheapest" } do raises({ "no inertia along 'z'" }, run_of, T, o, way) end
    raises({ "since a velocity has no inertia" }, run_of, T, o, "graph")
  end)

  -- closed loops: four-bar linkages on each other
  it("is the one with fewer operations on closed loops", function()
    local function linkages(n)
      local S, names = hm.system "linkages", {}
      for i = 1, n do for _, letter in ipairs{ "a", "b", "c" } do names[#names + 1] = letter .. i end end
      local list, T, vx, vy, q, v = { S:coordinates(table.concat(names, " ")) }, hm.number(0), hm.number(0), hm.number(0), {}, {}
      local function bar(a, l, x, y)
        local rx, ry = -sin(a)*a.dot*l, cos(a)*a.dot*l
        T = T + ((x + rx/2)^2 + (y + ry/2)^2)/2 + l^2*a.dot^2/24
        return x + rx, y + ry
      end
      for i = 1, n do
        local a, b, c = list[3*i - 2], list[3*i - 1], list[3*i]
        local ax, ay = bar(a, 1, vx, vy)
        local bx, by = bar(b, 2, ax, ay)
        local cx, cy = bar(c, 1, vx, vy)
        S:constraint("x" .. i, bx - cx)
        S:constraint("y" .. i, by - cy)
        vx, vy = ax - sin(b)*b.dot, ay + cos(b)*b.dot
        q["a" .. i], q["b" .. i], q["c" .. i], v["a" .. i] = 1 + 0.1*i, 0, 1 + 0.1*i, 0.3/i
      end
      S:kinetic_energy(T)
      return S, { q = q, v = v, t = 0.1 }
    end
    for n, graph in pairs{ [1] = false, [4] = true } do
      local S, o = linkages(n)
      local dense, chosen, other = run_of(S, o, "dense"), run_of(S, o, "cheapest"), run_of(S, o, "graph")
      assert.equal(graph, chosen.model:by_graph())
      assert.equal(math.min((dense.model:operations()), (other.model:operations())), (chosen.model:operations()))
      for _, name in ipairs(chosen.names) do near(chosen:at(0.1).q[name], dense:at(0.1).q[name], 1e-8, name) end
    end
  end)

  it("takes inertia with corners", function()
    local S = hm.system "spreading"
    local c = chain(S, "q", 5)
    local T, o = system(c, S, c.T + hm.abs(c.list[1])*c.list[1].dot^2/5)
    local dense, graph = run_of(T, o, "dense"), run_of(T, o, "graph")
    assert.is_true(graph.model:by_graph())
    for _, name in ipairs(dense.names) do near(graph:at(0.1).q[name], dense:at(0.1).q[name], 1e-8, name) end
  end)

  it("is dense for forces that depend on reactions, and print(run) gives the reason", function()
    local S = hm.system "braked"
    local c = chain(S, "q", 8)
    S:constraint("end", c.vx)
    c.v.q1 = nil
    S:force(c.list[1], -S.lambda["end"]*c.list[1].dot/5)
    local T, o = system(c, S)
    local run = run_of(T, o, "cheapest")
    assert.is_false(run.model:by_graph())
    assert.truthy(tostring(run):find("the graph of velocities does not take forces that depend on reactions)", 1, true))
    raises({ "forces depend on the reactions" }, run_of, T, o, "graph")
    assert.is_nil(tostring(run_of(T, o, "dense")):find("graph", 1, true))
  end)
end)
