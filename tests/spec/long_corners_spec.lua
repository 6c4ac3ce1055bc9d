-- Long chains whose forces or potentials have corners: dry friction and quadratic drag in joints, drag on bodies, springs that only push. They go by the
-- graph of velocities, with the same number of operations for every further link. Arbiters: elimination = "dense", the energy.
local hm, check = require "hamel", require "check"
local number, sin, cos = hm.number, hm.sin, hm.cos

-- Planar pendulums on each other: rates of the joints, places and velocities of the ends
local function chain(n)
  local S, names = hm.system "chain", {}
  for i = 1, n do names[i] = "q" .. i end
  local c = { n = n, q = { S:coordinates(table.concat(names, " ")) }, joint = {}, x = {}, y = {}, vx = {}, vy = {} }
  local x, y, vx, vy, T, V = number "0", number "0", number "0", number "0", number "0", number "0"
  for i, a in ipairs(c.q) do
    x, y, vx, vy = x + cos(a), y + sin(a), vx - sin(a)*a.dot, vy + cos(a)*a.dot
    T, V = T + (vx^2 + vy^2)/2, V + number "9.81"*y
    c.joint[i] = i > 1 and a.dot - c.q[i - 1].dot or a.dot
    c.x[i], c.y[i], c.vx[i], c.vy[i] = x, y, vx, vy
  end
  S:kinetic_energy(T)
  return S, c, V
end

-- Moments M(w) in all joints
local function moments(S, c, M)
  for i, w in ipairs(c.joint) do
    S:force(c.q[i], M(w))
    if i > 1 then S:force(c.q[i - 1], -M(w)) end
  end
end

-- Bodies joined one behind the other about axes in turn, with quadratic drag: the speed of the first is an absolute value
local function bodies(n)
  local S, names, axes = hm.system "bodies", {}, { "z", "y", "x", "y" }
  for i = 1, n do names[i] = "q" .. i end
  local N, q = S:frame "N", { S:coordinates(table.concat(names, " ")) }
  local frame, joint = N, S.origin
  for i = 1, n do
    frame = frame:rotate(axes[(i - 1) % 4 + 1], q[i])
    local b = S:body("b" .. i, { at = joint + frame:vector(number "0.15", number "0.02", number "0.1"), frame = frame, mass = 1,
                                 inertia = { number "0.02", number "0.025", number "0.017" } })
    joint = joint + frame:vector(number "0.3", number "-0.1", number "0.2")
    local v = b:velocity()
    S:force(b, -number "0.1"*v:norm()*v, b.at)
  end
  S:gravity(-number "9.81"*N.z)
  return S
end

local ways = {                         -- operations of 16 and of 64 links
  { name = "dry friction in the joints", make = function(n)
      local S, c, V = chain(n)
      S:potential_energy(V)
      moments(S, c, function(w) return -hm.sign(w)/10 end)
      return S
    end, few = 579, many = 2403 },
  { name = "quadratic drag in the joints", make = function(n)
      local S, c, V = chain(n)
      S:potential_energy(V)
      moments(S, c, function(w) return -hm.abs(w)*w/10 end)
      return S
    end, few = 658, many = 2722, moves = true },
  { name = "springs that only push", make = function(n)
      local S, c, V = chain(n)
      for i = 1, n do V = V + 50*hm.max(-number "0.5" - c.y[i], 0)^2 end
      S:potential_energy(V)
      return S
    end, few = 616, many = 2563, moves = true },
  { name = "drag on bodies", make = bodies, few = 6352, many = 27977 },
}

-- The start moves every joint, so that no friction sticks
local function run_of(way, n, o)
  o = o or {}
  local start = { q = {}, v = {}, t = o.t or 1e-6, rtol = 1e-10, atol = 1e-10, elimination = o.elimination }
  for i = 1, n do start.q["q" .. i], start.v["q" .. i] = 0.2*i, 0.1*i*(i % 2 == 0 and -1 or 1) end
  return way.make(n):simulate(start)
end

describe("a long chain with corners in its forces", function()
  for _, way in ipairs(ways) do
    it("takes the same number of operations for every further link: " .. way.name, function()
      local few, many = run_of(way, 16).model, run_of(way, 64).model
      assert.is_true(few:by_graph() and many:by_graph())
      assert.are.same({ way.few, way.many }, { (few:operations()), (many:operations()) })
      local further, there = (way.many - way.few)/48, (run_of(way, 96).model:operations() - way.many)/32
      assert.is_true(there <= 1.02*further, ("%g operations a link from 16 to 64 links, %g behind"):format(further, there))
    end)

    it("moves as by the dense elimination: " .. way.name, function()
      for _, n in ipairs{ 4, 12, 17 } do
        local graph, dense, largest = run_of(way, n, { elimination = "graph" }):at(0), run_of(way, n, { elimination = "dense" }):at(0), 0
        for _, a in pairs(dense.a) do largest = math.max(largest, math.abs(a)) end
        for key, a in pairs(dense.a) do check.near(graph.a[key]/largest, a/largest, 5e-13, ("%d links: %s"):format(n, key)) end
        check.near(graph.energy, dense.energy, 1e-12*math.abs(dense.energy), "energy")
      end
    end)
  end
end)

describe("the motion of a long chain over corners", function()
  for _, way in ipairs(ways) do
    if way.moves then
      it("is that of the dense elimination: " .. way.name, function()
        local t = 0.2
        for _, n in ipairs{ 5, 17 } do
          local graph, dense = run_of(way, n, { t = t, elimination = "graph" }), run_of(way, n, { t = t, elimination = "dense" })
          assert.are.same({ "OK", "OK" }, { graph.status, dense.status })
          local one, two = graph:at(t), dense:at(t)
          for i = 1, n do check.near(one.q["q" .. i], two.q["q" .. i], 1e-8, ("%d links: q%d"):format(n, i)) end
          check.near(one.energy, two.energy, 1e-8, "energy")
        end
      end)
    end
  end

  it("keeps the energy of springs that only push", function()
    local way = ways[3]
    local run = run_of(way, 17, { t = 0.5 })
    assert.is_true(run.model:by_graph())
    check.near(run:at(0.5).energy, run:at(0).energy, 1e-7, "energy")
  end)
end)
