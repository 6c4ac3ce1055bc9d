-- Forces and torques on the bodies of long trees: generalised forces by one sweep back through the recursion. They are those of the definition,
-- sum F_i.dv_i/dw_s + M_i.dw_i/dw_s, and of virtual work by differences of places and attitudes, and a joint takes the same number of operations however
-- many stand behind it.
local hm, check = require "hamel", require "check"
local compile, core = require "hamel.model.compile", require "hamel.core"
local number = hm.number

local axes = { "z", "y", "x", "y" }

local function names(n)
  local list = {}
  for i = 1, n do list[i] = "q" .. i end
  return table.concat(list, " ")
end

-- Bodies joined one behind the other, or each behind the one of half its number
local function tree(n, parent)
  local S = hm.system "tree"
  local N, q, frames, ends, bodies = S:frame "N", { S:coordinates(names(n)) }, {}, {}, {}
  for i = 1, n do
    local before = parent(i)
    frames[i] = (frames[before] or N):rotate(axes[(i - 1) % #axes + 1], q[i])
    local joint = ends[before] or S.origin
    ends[i] = joint + frames[i]:vector(number "0.3", number "-0.1", number "0.2")
    bodies[i] = S:body("b" .. i, { at = joint + frames[i]:vector(number "0.15", number "0.02", number "0.1"), frame = frames[i], mass = 1,
                                   inertia = { number "0.02", number "0.025", number "0.017" } })
  end
  return S, N, bodies, q
end

local function chain(i) return i - 1 end
local function branching(i) return i // 2 end

-- A load by its kind: { force or torque, point of the force }
local function load_of(kind, S, N, b)
  if kind == "weight" then return { F = number "0.7"*N.x - 2*N.z, P = b.at } end
  if kind == "drag" then return { F = -number "0.4"*b:velocity(), P = b.at } end
  if kind == "quadratic" then return { F = -number "0.4"*b:velocity():norm()*b:velocity(), P = b.at } end
  if kind == "wind" then
    local v = b:velocity() - 3*N.x
    return { F = -number "0.4"*v:norm()*v, P = b.at }
  end
  if kind == "thrust" then return { F = hm.cos(S:symbol "q1")*b.frame.x, P = b:point(number "0.1", 0, number "0.2") } end
  if kind == "torque" then return { M = number "0.3"*N.x + b.frame.y } end
  return { M = -number "0.2"*b:angular_velocity() }
end

local kinds = { "weight", "drag", "quadratic", "wind", "thrust", "torque", "spin" }

local function declare(S, load, b)
  if load.F then S:force(b, load.F, load.P) else S:torque(b, load.M) end
end

-- Angles and velocities, the s-th angle moved by `shift`
local function at_state(S, s, shift)
  local from, to = {}, {}
  for i, q in ipairs(S:coordinate_list()) do
    from[2*i - 1], to[2*i - 1] = q, 0.3*i - 0.02*i^2 + (i == s and shift or 0)
    from[2*i], to[2*i] = q.dot, 0.4 - 0.1*i
  end
  return function(e) return core.value(e, from, to) end
end

local function components(v, frame, value)
  local a, b, c = v:components(frame)
  return { value(a), value(b), value(c) }
end

local function product(a, b) return a[1]*b[1] + a[2]*b[2] + a[3]*b[3] end

-- The small turn of a frame between two states, along the axes of N: the antisymmetric part of C_2 C_1^T
local function turn(C, one, two)
  local function entry(i, j)
    local sum = 0
    for k = 1, 3 do sum = sum + two(C[i][k])*one(C[j][k]) end
    return sum
  end
  return { (entry(3, 2) - entry(2, 3))/2, (entry(1, 3) - entry(3, 1))/2, (entry(2, 1) - entry(1, 2))/2 }
end

local STEP = 1e-4                      -- the error of central differences goes with its square

-- Work of a load for a small angle s, over that angle
local function work(S, N, b, load, s)
  local here, one, two = at_state(S), at_state(S, s, -STEP), at_state(S, s, STEP)
  if load.M then
    return product(components(load.M, N, here), turn(b.frame:matrix(), one, two))/(2*STEP)
  end
  local x, y, F = components(load.P.place, N, one), components(load.P.place, N, two), components(load.F, N, here)
  return product(F, { y[1] - x[1], y[2] - x[2], y[3] - x[3] })/(2*STEP)
end

-- The generalised force by the definition: products of vectors term by term
local function defined(b, load, w)
  local along = load.F and load.P:velocity() or b.frame:angular_velocity()
  return (load.F or load.M):dot(along:_map(function(c) return core.diff(c, w) end))
end

local function operations(n, kind, parent)
  local S, N, bodies = tree(n, parent)
  for _, b in ipairs(kind and bodies or {}) do declare(S, load_of(kind, S, N, b), b) end
  local model = compile.model(S:equations "lagrange")
  assert.is_true(model:by_graph())
  return model:operations()
end

describe("forces and torques on the bodies of long trees", function()
  it("are those of the definition and of virtual work", function()
    for _, parent in ipairs{ chain, branching } do
      local S, N, bodies, q = tree(7, parent)
      local list, here = {}, at_state(S)
      for i, b in ipairs(bodies) do
        list[i] = load_of(kinds[i % #kinds + 1], S, N, b)
        declare(S, list[i], b)
      end
      local Q = S:generalised_forces()
      for s, x in ipairs(q) do
        local by_definition, by_work = 0, 0
        for i, b in ipairs(bodies) do
          by_definition, by_work = by_definition + here(defined(b, list[i], x.dot)), by_work + work(S, N, b, list[i], s)
        end
        check.near(here(Q[s]), by_definition, 1e-13, "by the definition")
        check.near(here(Q[s]), by_work, 1e-8, "by virtual work")
      end
    end
  end)

  it("take the same number of operations for every further joint", function()
    local bare = {}
    for i, n in ipairs{ 12, 24, 48 } do bare[i] = operations(n, nil, chain) end
    for _, kind in ipairs(kinds) do
      local counts = {}
      for i, n in ipairs{ 12, 24, 48 } do counts[i] = operations(n, kind, chain) end
      local first, second = (counts[2] - counts[1])/12, (counts[3] - counts[2])/24
      check.near(second/first, 1, 0.03, kind .. ": operations of a further joint")
      assert.is_true(second - (bare[3] - bare[2])/24 < 100, kind)
    end
  end)

  it("add to forces on coordinates in any order, and are replaced with these", function()
    local S, N, bodies, q = tree(5, chain)
    S:force(bodies[5], N.x)
    S:force(q[1], 2)
    local text = core.text(S:generalised_forces()[1])
    local T, M, others, p = tree(5, chain)
    T:force(p[1], 2)
    T:force(others[5], M.x)
    assert.are.equal(text, core.text(T:generalised_forces()[1]))
    S:force(q[1], 3, { replace = true })
    assert.are.equal("3", core.text(S:generalised_forces()[1]))
    S:force(bodies[5], N.x)
    S:force(bodies[4], -N.x)
    local other = at_state(S)(defined(bodies[4], { F = -N.x, P = bodies[4].at }, q[1].dot))
    check.near(at_state(S)(S:generalised_forces()[1]), 3 + at_state(T)(T:generalised_forces()[1]) - 2 + other, 1e-13)
  end)

  it("hold inputs, and refuse accelerations", function()
    local S, N, bodies, q = tree(5, chain)
    local u = S:input "u"
    S:force(bodies[3], u*N.x)
    S:input("u", -3*q[1].dot)
    local Q = core.substitute(S:generalised_forces()[2], { u }, { 0 })
    check.near(at_state(S)(Q), at_state(S)(defined(bodies[3], { F = -3*q[1].dot*N.x, P = bodies[3].at }, q[2].dot)), 1e-13)
    check.raises({ "force on body 'b3' contains q1'': accelerations may not stand here" }, S.force, S, bodies[3], q[1].ddot*N.x)
  end)
end)
