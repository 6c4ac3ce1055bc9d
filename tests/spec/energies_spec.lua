-- elimination = "graph": the accelerations from the energies; arbiter: the dense elimination of the derived equations
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near, raises = check.near, check.raises
local sin, cos = hm.sin, hm.cos

-- Planar pendulums on each other, damped at the first joint; held: the end of the last one stays where it is
local function chain(n, held)
  local S, names, q, v = hm.system "chain", {}, {}, {}
  for i = 1, n do names[i], q["q" .. i], v["q" .. i] = "q" .. i, 0.3*i, 0.1*i end
  local angle, m, l, g = { S:coordinates(table.concat(names, " ")) }, S:parameters "m=1.3 l=0.8 g=9.81"
  local vx, vy, x, y, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
  local held_x, held_y = 0, 0
  for i, a in ipairs(angle) do
    x, y = x + l*sin(a), y - l*cos(a)
    vx, vy = vx + l*cos(a)*a.dot, vy + l*sin(a)*a.dot
    T, V = T + m*(vx^2 + vy^2)/2, V + m*g*y
    held_x, held_y = held_x + 0.8*math.sin(0.3*i), held_y - 0.8*math.cos(0.3*i)
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  S:force(angle[1], -angle[1].dot/5)
  if held then
    S:constraint("end x", x - held_x)
    S:constraint("end y", y - held_y)
    v = { q1 = 0, q2 = 0 }
    for i = 3, n - 2 do v["q" .. i] = 0.1*i end
  end
  return S, { q = q, v = v, t = 1 }
end

-- Rods in a plane, a blade under the middle of each
local function snake(n)
  local S, names, q = hm.system "snake", { "x", "y" }, { x = 0, y = 0 }
  for i = 1, n do names[i + 2], q["q" .. i] = "q" .. i, 0.2*i end
  local list = { S:coordinates(table.concat(names, " ")) }
  local vx, vy, T = list[1].dot, list[2].dot, hm.number(0)
  for i = 1, n do
    local a = list[i + 2]
    local cx, cy = vx - sin(a)*a.dot/2, vy + cos(a)*a.dot/2
    T = T + (cx^2 + cy^2)/2 + a.dot^2/24
    S:constraint("blade " .. i, cy*cos(a) - cx*sin(a))
    vx, vy = vx - sin(a)*a.dot, vy + cos(a)*a.dot
  end
  S:kinetic_energy(T)
  return S, { q = q, v = { x = 1, q1 = 0.4 }, t = 1 }
end

-- The chain of S:body: rods that turn about the axes in turn
local function rods(n, axes)
  local S, names, o = hm.system "rods", {}, { q = {}, v = {}, t = 1 }
  for i = 1, n do names[i], o.q["q" .. i], o.v["q" .. i] = "q" .. i, 0.3*i, 0.1*i end
  local frame, knee = S:frame "N", S.origin
  local angles = { S:coordinates(table.concat(names, " ")) }
  for i, angle in ipairs(angles) do
    frame = frame:rotate(axes[(i - 1) % #axes + 1], angle)
    S:body("rod " .. i, { at = knee + frame.z/2, frame = frame, mass = 1 + 0.1*i, inertia = { 0.1, 0.12, 0.02 } })
    knee = knee + frame.z
  end
  S:gravity(-9.81*S:frame().z)
  return S, o, knee, angles
end

local function with(o, more)
  local list = {}
  for _, from in ipairs{ o, more } do for k, value in pairs(from) do list[k] = value end end
  return list
end

-- Runs by both; their states agree, and the multipliers of the graph's run are those of the dense equations
local function both(S, o, tolerance)
  local dense, graph = S:simulate(with(o, { elimination = "dense" })), S:simulate(with(o, { elimination = "graph" }))
  assert.is_true(graph.model:by_graph())
  assert.is_false(dense.model:by_graph())
  for k = 0, 10 do
    local a, b = dense:at(k*o.t/10), graph:at(k*o.t/10)
    for _, name in ipairs(dense.names) do
      near(b.q[name], a.q[name], tolerance, name)
      near(b.v[name], a.v[name], tolerance, name .. "'")
    end
  end
  return dense, graph
end

describe("elimination on the graph of velocities", function()
  it("gives the motion of the dense elimination", function()
    for _, n in ipairs{ 1, 3, 10 } do
      local S, o = chain(n)
      both(S, with(o, { rtol = 1e-12, atol = 1e-12 }), 1e-9)
    end
    both(select(1, snake(4)), with(select(2, snake(4)), { rtol = 1e-12, atol = 1e-12 }), 1e-9)
    local S, o = chain(6, true)
    both(S, with(o, { rtol = 1e-12, atol = 1e-12 }), 1e-8)
    local disc = { q = { x = 0, y = 0, phi = 0.1, theta = 0.2, psi = 0 }, v = { phi = 1, theta = 0.3, psi = 4 }, t = 2, rtol = 1e-12, atol = 1e-12 }
    both(mechanics.disc(), disc, 1e-9)
  end)

  it("takes parameters, times, other methods, executors and sweeps", function()
    local S, o = chain(4)
    both(S, with(o, { parameters = { m = 1e-6, l = 20 } }), 1e-7)
    for _, method in ipairs{ "taylor", "radau5", "auto" } do both(S, with(o, { method = method, rtol = 1e-11, atol = 1e-11 }), 1e-8) end
    local graph = with(o, { elimination = "graph" })
    local native, interpreted = S:simulate(graph), S:simulate(with(graph, { executor = "interpreter" }))
    for _, name in ipairs(native.names) do assert.equal(native:at(1)[name], interpreted:at(1)[name]) end
    local rows = S:sweep(with(graph, { over = { { "m", { 1, 2, 3 } } }, keep = { "q4" } }))
    for i = 1, 3 do near(rows[i].q4, S:simulate(with(o, { parameters = { m = i } })):at(1).q4, 1e-7) end
  end)

  it("costs operations in proportion to the number of bodies, and print(run) shows them", function()
    local function operations(n)
      local S, o = chain(n)
      local run = S:simulate(with(o, { t = 0.01, elimination = "graph" }))
      assert.truthy(tostring(run):find((" of %d operations by elimination on the graph of velocities,"):format(run.model:operations()), 1, true))
      return run.model:operations()
    end
    local ten, forty = operations(10), operations(40)
    assert.truthy(forty < 4.5*ten)
    local S, o = chain(2)
    local run = S:simulate(o)
    assert.truthy(tostring(run):find((" evaluations of %d operations by dense elimination,"):format(run.model:operations()), 1, true))
  end)

  it("is chosen by cost where it is possible", function()
    for n, graph in pairs{ [2] = false, [12] = true } do
      local S, o = chain(n)
      local a, b = S:simulate(with(o, { t = 0.1, elimination = "dense" })), S:simulate(with(o, { t = 0.1 }))
      assert.equal(graph, b.model:by_graph())
      assert.truthy(b.model:operations() <= a.model:operations())
      for i = 1, n do near(b:at(0.1)["q" .. i], a:at(0.1)["q" .. i], 1e-9) end
    end
    local T = mechanics.driven(function(x) return -hm.sign(x.dot) end)
    assert.is_false(T:simulate{ q = { x = 0 }, v = { x = 1 }, t = 0.5 }.model:by_graph())
    local S, o = chain(3)
    assert.is_false(S:simulate(with(o, { form = "hamel", elimination = "cheapest" })).model:by_graph())
  end)

  -- arbiter: the integral of a Gaussian pulse. Of so long a program of x' the functions of the energies and forces are watched
  it("sees a force that acts within a step", function()
    local S, names, q, v = hm.system "struck", { "z" }, { z = 0 }, { z = 0 }
    for i = 1, 32 do names[i + 1], q["q" .. i], v["q" .. i] = "q" .. i, 0, 0 end
    local list = { S:coordinates(table.concat(names, " ")) }
    local vx, vy, T = hm.number(0), hm.number(0), list[1].dot^2/2
    for i = 2, #list do
      vx, vy = vx + cos(list[i])*list[i].dot, vy + sin(list[i])*list[i].dot
      T = T + (vx^2 + vy^2)/2
    end
    S:kinetic_energy(T)
    S:force(list[1], hm.exp(-(1000*(hm.t - 5))^2))
    local run = S:simulate{ q = q, v = v, t = 10 }
    assert.is_true(run.model:by_graph())
    assert.truthy(run.model:operations() > 1000)
    near(run:at(10).v.z, math.sqrt(math.pi)/1000, 1e-9)
  end)

  it("is kept by saved runs", function()
    local S, o = chain(3)
    local path = os.tmpname() .. ".hamel"
    for _, way in ipairs{ "graph", "dense", "cheapest" } do
      local run = S:simulate(with(o, { elimination = way }))
      run:save(path)
      local back = hm.load(path, S)
      assert.equal(run.model:by_graph(), back.model:by_graph())
      assert.equal(tostring(run), tostring(back))
    end
    os.remove(path)
  end)

  -- one entry of a row vanishes, the row does not; more: pendulums that swing beside it
  local function guide(more)
    local S, names = hm.system "guide", { "x", "y", "z" }
    for i = 1, more do names[3 + i] = "q" .. i end
    local list = { S:coordinates(table.concat(names, " ")) }
    local x, y, z = table.unpack(list)
    local T, V, vx, vy = (x.dot^2 + y.dot^2 + z.dot^2)/2, x - 2*y, hm.number(0), hm.number(0)
    for i = 4, #list do
      vx, vy = vx + cos(list[i])*list[i].dot, vy + sin(list[i])*list[i].dot
      T = T + (vx^2 + vy^2)/2
    end
    S:kinetic_energy(T)
    S:potential_energy(V)
    S:constraint("guide", (z - 10)*x.dot + (z - hm.number "10.5")*y.dot)
    return S
  end

  it("hands over where a pivot is too small, and reports it", function()
    local o = { q = { x = 0, y = 0, z = 9.5 }, v = { x = 1, z = 1 }, t = 1.5, rtol = 1e-11, atol = 1e-11 }
    local _, graph = both(guide(0), o, 1e-8)
    local handed = graph.outcome.handed_over
    assert.truthy(handed > 0)
    assert.truthy(tostring(graph):find(("a pivot was too small at %d states"):format(handed), 1, true))
  end)

  it("has variations where a pivot vanishes", function()
    local small = { q = { x = 0, y = 0, z = 10.5 }, v = { x = 0, y = 1, z = 0 }, t = 0.5, rtol = 1e-11, atol = 1e-11 }
    local large = with(small, { q = with(small.q, {}), v = with(small.v, {}) })
    for i = 1, 8 do large.q["q" .. i], large.v["q" .. i] = 0.3*i, 0 end
    local S = guide(8)
    assert.is_true(S:simulate(large).model:by_graph())
    local few, many = guide(0):variations(small):matrix(0.5), S:variations(large):matrix(0.5)
    for i = 1, 3 do
      for j = 1, 3 do
        near(many[i][j], few[i][j], 1e-8)
        near(many[11 + i][11 + j], few[3 + i][3 + j], 1e-8)
      end
    end
  end)

  -- the mass matrix has rank 3 of 4, and any entry of the quaternion may be zero
  it("solves for the entries of quaternions at every attitude", function()
    local S = hm.system "tumbling"
    local a, b, c, d = S:coordinates "a b c d"
    local w1, w2, w3 = 2*(a*b.dot - b*a.dot - c*d.dot + d*c.dot), 2*(a*c.dot - c*a.dot - d*b.dot + b*d.dot), 2*(a*d.dot - d*a.dot - b*c.dot + c*b.dot)
    S:kinetic_energy((w1^2 + 2*w2^2 + 3*w3^2)/2)
    S:constraint("unit", a*a.dot + b*b.dot + c*c.dot + d*d.dot)
    for _, q in ipairs{ { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 }, { 0, 0.6, 0.8, 0 }, { 0.5, 0.5, 0.5, 0.5 } } do
      local e, f, g, h = table.unpack(q)
      local o = { q = { a = e, b = f, c = g, d = h }, v = { a = (-f - 2*g - 3*h)/2, b = (e - 3*g + 2*h)/2, c = (2*e + 3*f - h)/2, d = (3*e - 2*f + g)/2 },
                  t = 2, rtol = 1e-11, atol = 1e-11 }
      local _, graph = both(S, o, 1e-8)
      assert.equal(0, graph.outcome.handed_over)
    end
  end)

  it("stops where the dense one does", function()
    local S = mechanics.top(1)                                              -- Euler's angles lock where theta = 0
    local o = { q = { phi = 0, theta = 1, psi = 0 }, v = { phi = 0, theta = -1, psi = 0 }, t = 3 }
    local dense, graph = S:simulate(with(o, { elimination = "dense" })), S:simulate(with(o, { elimination = "graph" }))
    assert.equal(dense.status, graph.status)
    near(graph.outcome.t, dense.outcome.t, 1e-6)
  end)

  it("takes systems of bodies, with constraints and energies by hand", function()
    local S, o, _, angles = rods(4, { "x", "y" })
    S:kinetic_energy(angles[1].dot^2/5)
    S:potential_energy(angles[2]^2)
    S:force(angles[1], -angles[1].dot/5)
    both(S, with(o, { rtol = 1e-13, atol = 1e-13 }), 1e-11)
    local led, start, tip, turns = rods(4, { "x" })
    local place = -math.sin(0.3) - math.sin(0.9) - math.sin(1.8) - math.sin(3)
    local height, sum = hm.number(0), hm.number(0)
    for _, angle in ipairs(turns) do
      sum = sum + angle
      height = height - sin(sum)
    end
    led:constraint("wall", height - place)
    led:constraint("blade", tip:velocity():dot(led:frame().z) + turns[1].dot/2)
    start.v = { q1 = 0.1, q2 = 0.2 }
    both(led, with(start, { rtol = 1e-13, atol = 1e-13 }), 1e-11)
  end)

  it("is the choice for long systems of bodies", function()
    local S, o = rods(17, { "y" })
    local run = S:simulate(with(o, { t = 0.1 }))
    local other = S:simulate(with(o, { t = 0.1, form = "nielsen" }))
    assert.is_true(run.model:by_graph())
    assert.equal(other.model:operations(), run.model:operations())
    for name, value in pairs(other:at(0.1).q) do near(run:at(0.1).q[name], value, 1e-12) end
  end)

  it("keeps the equations of bodies as they were declared", function()
    local S, o, tip, angles = rods(2, { "x", "y" })
    local before = rods(2, { "x", "y" }):equations()
    local E = S:equations()
    S:body("load", { at = tip, mass = 5 })
    S:kinetic_energy(angles[1].dot^2)
    assert.equal(tostring(before), tostring(E))
    assert.equal(tostring(before.M[1][1]), tostring(E.M[1][1]))
    assert.is_true(S:simulate(o).status == "OK")
  end)

  it("names quaternions where they are the obstacle, without advice that does not help", function()
    local S = hm.system "top"
    local frame = S:rotation "R"
    S:body("top", { at = S.origin + frame.z, frame = frame, mass = 1, inertia = { 1, 1, 2 } })
    local _, message = pcall(S.simulate, S, { t = 1, elimination = "graph" })
    assert.is_truthy(tostring(message):find("quaternions", 1, true))
    assert.is_nil(tostring(message):find("form =", 1, true))
  end)

  it("is refused where there are no energies in coordinates and velocities", function()
    local S, o = chain(2)
    raises({ "elimination = 'graph'", "'lagrange'" }, S.simulate, S, with(o, { elimination = "graph", form = "hamel" }))
    raises({ "elimination", "'cheapest'" }, S.simulate, S, with(o, { elimination = "sparse" }))
    local U, x, y = mechanics.body("massless", "x y")
    U:kinetic_energy((x.dot + y.dot)^2/2, { replace = true })
    local fine = pcall(U.simulate, U, { q = { x = 0, y = 0 }, v = { x = 1, y = 0 }, t = 1, elimination = "graph" })
    assert.is_false(fine)
  end)

  -- the model of a sweep is made at its first start, when the constraints are known that the others imply
  it("is refused by a sweep for all its rows, where a run is refused", function()
    local S = hm.system "convex"
    local x, y, z = S:coordinates "x y z"
    local k = S:positive "k"
    S:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2)/2 + hm.exp(x.dot))
    S:potential_energy(k*y^2)
    S:constraint("a", x.dot - y*z.dot)
    S:constraint("b", y.dot - x*z.dot)
    local start = { q = { x = 1, y = 2, z = 0 }, v = { z = 1 }, t = 0.1 }
    local words = { "graph of velocities is not possible", "a function of velocities other than" }
    raises(words, S.simulate, S, with(start, { elimination = "graph", parameters = { k = 1 } }))
    raises(words, S.sweep, S, with(start, { elimination = "graph", over = { { "k", { 1, 2, 3 } } } }))
    raises(words, S.sweep, S, { t = 0.1, n = 3, elimination = "graph", each = function(i) return { q = start.q, v = start.v, parameters = { k = i } } end })
    local other = S:sweep(with(start, { over = { { "k", { 1, 2, 3 } } } }))
    for _, row in ipairs(other) do assert.equal("OK", row.status) end
  end)

  -- the pivot of a light link is then a small part of what it is the difference of; arbiter: the dense elimination
  it("takes chains with a heavy link in their middle, and many links in relative angles, with held ends", function()
    for _, case in ipairs{ { links = 16, heavy = 1000 }, { links = 15, heavy = 1, relative = true } } do
      local S, names, q, v = hm.system "held", {}, {}, {}
      for i = 1, case.links do names[i], q["q" .. i] = "q" .. i, 0.4*(-1)^i end
      for i = 1, case.links - 2 do v["q" .. i] = 0.1*i % 0.7 end
      if case.relative then q.q1 = -0.6 end
      local x, y, angle, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
      for i, a in ipairs{ S:coordinates(table.concat(names, " ")) } do
        angle = case.relative and angle + a or a
        x, y = x + hm.cos(angle), y + hm.sin(angle)
        local mass = i == case.links//2 and case.heavy or 1
        T, V = T + mass*(x.dot^2 + y.dot^2)/2, V + 9*mass*y
      end
      S:kinetic_energy(T)
      S:potential_energy(V)
      S:constraint("x", x.dot)
      S:constraint("y", y.dot)
      local o = { q = q, v = v, t = 0.05, rtol = 1e-11, atol = 1e-11, progress = false }
      local a = S:simulate(with(o, { elimination = "dense" })):at(0).a
      local run = S:simulate(with(o, { elimination = "graph" }))
      assert.equal("OK", run.status)
      assert.is_true(run.model:by_graph())
      local size = 0
      for _, name in ipairs(names) do size = math.max(size, math.abs(a[name])) end
      for _, name in ipairs(names) do near(run:at(0).a[name], a[name], 1e-9*size, name) end
    end
  end)
end)
