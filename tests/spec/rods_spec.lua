-- Chains of rods, written by a loop over positions, with the mass centres within the rods: x' takes the same number of operations for every further
-- rod. Arbiters: elimination = "dense", d'Alembert's principle, the energy.
local hm, check = require "hamel", require "check"
local number, sin, cos, dt = hm.number, hm.sin, hm.cos, hm.dt

-- A permutation of 1 .. n, the same in each run
local function shuffled(n)
  local list, seed = {}, 12345
  for i = 1, n do list[i] = i end
  for i = n, 2, -1 do
    seed = (seed*1103515245 + 12345) % 2^31
    local j = 1 + seed // 65536 % i
    list[i], list[j] = list[j], list[i]
  end
  return list
end

-- n rods; o.relative: angles to the rod before, o.part: where the mass centres are, o.values: lengths and masses are parameters, o.drag, o.quadratic: at
-- the mass centres, o.held: the end is fixed, o.blades: one at each centre of a free chain, o.names, o.terms: their order
local function rods(n, o)
  local S, names, q, v = hm.system "rods", {}, {}, {}
  for i = 1, n do names[i] = "q" .. (o.names and o.names[i] or i) end
  local x, y, angle = number "0", number "0", number "0"
  if o.blades then x, y = S:coordinates "x y" end
  local kinetic, potential = {}, {}
  for i, a in ipairs{ S:coordinates(table.concat(names, " ")) } do
    angle = o.relative and angle + a or a
    local l, m = number "1", number "1"
    if o.values then l, m = S:parameters(("l_%s=%g m_%s=%g"):format(names[i], 1 + 0.01*i, names[i], 1 + 0.02*i)) end
    local part = l*number(o.part or "1/2")
    local cx, cy = x + part*cos(angle), y + part*sin(angle)
    kinetic[i] = m*(dt(cx)^2 + dt(cy)^2)/2 + m*l^2*dt(angle)^2/24
    potential[i] = m*number "9.81"*cy
    if o.quadratic then S:dissipation((dt(cx)^2 + dt(cy)^2)^number "3/2"/30)
    elseif o.drag then S:dissipation((dt(cx)^2 + dt(cy)^2)/20) end
    if o.blades then S:constraint("blade" .. i, dt(cy)*cos(a) - dt(cx)*sin(a)) end
    x, y = x + l*cos(angle), y + l*sin(angle)
    q[names[i]] = 0.2*i
    if not o.blades and not (o.held and i <= 2) then v[names[i]] = 0.1*i end
  end
  if o.held then
    S:constraint("end x", dt(x))
    S:constraint("end y", dt(y))
  end
  if o.blades then q.x, q.y, v.x, v.q1 = 0, 0, 1, 0.4 end
  local T, V = number "0", number "0"
  for i = 1, n do
    local k = o.terms and o.terms[i] or i
    T, V = T + kinetic[k], V + potential[k]
  end
  S:kinetic_energy(T)
  if not o.blades then S:potential_energy(V) end
  return S, { q = q, v = v, t = 1e-6 }
end

local function run_of(n, o, elimination)
  local S, start = rods(n, o)
  start.elimination = elimination or "graph"
  return S:simulate(start)
end

local function operations(n, o) return run_of(n, o).model:operations() end

local ways = {                         -- operations of 16 and of 64 rods
  { name = "absolute angles", o = {}, few = 727, many = 3031 },
  { name = "mass centres elsewhere", o = { part = "0.3" }, few = 727, many = 3031 },
  { name = "lengths and masses as parameters", o = { values = true }, few = 918, many = 3798 },
  { name = "relative angles", o = { relative = true }, few = 957, many = 4027 },
  { name = "relative angles, parameters", o = { relative = true, values = true }, few = 1165, many = 4863 },
  { name = "drag", o = { drag = true }, few = 916, many = 3796, slow = true },
  { name = "quadratic drag", o = { quadratic = true }, few = 998, many = 4118, slow = true },
  { name = "closed", o = { held = true }, few = 811, many = 3107 },
  { name = "snake", o = { blades = true }, few = 1240, many = 4936, slow = true },
}

describe("a chain of rods", function()
  for _, way in ipairs(ways) do
    it("takes the same number of operations for every further rod: " .. way.name, function()
      local few, many = operations(16, way.o), operations(64, way.o)
      assert.are.same({ way.few, way.many }, { few, many })
      local other = way.slow and 32 or 128
      local further, there = (many - few)/48, (operations(other, way.o) - many)/(other - 64)
      assert.is_true(there <= 1.01*further, ("%g operations a rod from 16 to 64 rods, %g between 64 and %d"):format(further, there, other))
    end)
  end

  it("takes as many with other names and with the terms in another order", function()
    for _, values in ipairs{ false, true } do
      local want = operations(20, { values = values })
      for _, o in ipairs{ { names = shuffled(20) }, { terms = shuffled(20) }, { names = shuffled(20), terms = shuffled(20) } } do
        o.values = values
        assert.are.equal(want, operations(20, o))
      end
    end
  end)
end)

-- The accelerations by both eliminations; the tolerance is relative to the largest
local function same_accelerations(way, n, tolerance)
  local graph, dense, largest = run_of(n, way.o):at(0), run_of(n, way.o, "dense"):at(0), 0
  for _, a in pairs(dense.a) do largest = math.max(largest, math.abs(a)) end
  assert.is_true(largest > 0)
  for key, a in pairs(dense.a) do check.near(graph.a[key]/largest, a/largest, tolerance/2, ("%s, %d rods: %s"):format(way.name, n, key)) end
end

-- What the accelerations of n rods at absolute angles leave of d'Alembert's principle, sum F_i . dr_i/dq_j + J_j q_j'' = 0 with
-- F_i = m_i (r_i'' + g) + drag r_i', over the largest term. Motion from the base to the end, forces back
local function rest_of_equations(n, o)
  local now, part = run_of(n, o):at(0), tonumber(o.part) or 0.5
  local vx, vy, ax, ay, force = 0, 0, 0, 0, {}
  local function rod(i)
    local name = "q" .. i
    return o.values and 1 + 0.01*i or 1, o.values and 1 + 0.02*i or 1, math.cos(now[name]), math.sin(now[name]), now.v[name], now.a[name]
  end
  for i = 1, n do
    local l, m, c, s, w, a = rod(i)
    local wx, wy, bx, by = -l*s*w, l*c*w, l*(-s*a - c*w^2), l*(c*a - s*w^2)
    local drag = o.drag and 0.1 or 0
    force[i] = { m*(ax + part*bx) + drag*(vx + part*wx), m*(ay + part*by + 9.81) + drag*(vy + part*wy) }
    vx, vy, ax, ay = vx + wx, vy + wy, ax + bx, ay + by
  end
  local fx, fy, rest, largest = 0, 0, 0, 0
  for i = n, 1, -1 do
    local l, m, c, s, _, a = rod(i)
    local x, y, spin = l*(fx + part*force[i][1]), l*(fy + part*force[i][2]), m*l^2*a/12
    rest = math.max(rest, math.abs(c*y - s*x + spin))
    largest = math.max(largest, math.abs(c*y), math.abs(s*x), math.abs(spin))
    fx, fy = fx + force[i][1], fy + force[i][2]
  end
  return rest/largest
end

describe("the motion of a chain of rods", function()
  it("is that of the dense elimination", function()
    for _, way in ipairs(ways) do
      for _, n in ipairs{ 3, 8, 20 } do same_accelerations(way, n, 1e-12) end
    end
    for _, k in ipairs{ 1, 4, 8 } do same_accelerations(ways[k], 40, 1e-11) end
  end)

  it("satisfies the equations of motion", function()
    for _, case in ipairs{ { {}, 128, 256 }, { { part = "0.3" }, 3, 128 }, { { values = true }, 3, 128, 256 }, { { drag = true }, 3, 64 } } do
      for k = 2, #case do
        local rest = rest_of_equations(case[k], case[1])
        assert.is_true(rest <= 1e-12, ("%d rods: %g"):format(case[k], rest))
      end
    end
  end)

  it("keeps its energy", function()
    for _, o in ipairs{ {}, { relative = true, values = true }, { held = true } } do
      local S, start = rods(24, o)
      start.t, start.elimination, start.rtol, start.atol = 0.2, "graph", 1e-12, 1e-12
      local run = S:simulate(start)
      assert.are.equal("OK", run.status)
      assert.is_true(run.model:by_graph())
      check.near(run:at(0.2).energy, run:at(0).energy, 1e-10, "energy")
    end
  end)
end)
