-- Lawful states at which an order of elimination may fail: loops stretched and folded, masses that differ by 1e6 and 1e12, blades at their joints, quaternions
-- with entries that are zero. The accelerations are right there, whoever finds them, and the states handed over are counted; arbiter: elimination = "dense"
local hm = require "hamel"
local core = require "hamel.core"
local sin, cos = hm.sin, hm.cos

-- A chain with masses alternately 1 and `heavy`; the end held by two rows where `held`
local function chain(n, held, heavy)
  local S, names = hm.system "chain", {}
  for i = 1, n do names[i] = "q" .. i end
  local x, y, vx, vy, height, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
  for i, a in ipairs{ S:coordinates(table.concat(names, " ")) } do
    x, y = x + sin(a), y - cos(a)
    vx, vy, height = vx + cos(a)*a.dot, vy + sin(a)*a.dot, height - cos(a)
    local mass = i % 2 == 0 and heavy or 1
    T, V = T + mass*(vx^2 + vy^2)/2, V + hm.number "9.81"*mass*height
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  if held then
    S:constraint("end x", vx)
    S:constraint("end y", vy)
  end
  return S
end

-- Rods of length 1 with blades at the distance d from their front joints, at which the row of a blade has no entry of its own rod
local function snake(n, d)
  local S, names = hm.system "snake", { "x", "y" }
  for i = 1, n do names[i + 2] = "q" .. i end
  local q = { S:coordinates(table.concat(names, " ")) }
  local vx, vy, T = q[1].dot, q[2].dot, hm.number(0)
  for i = 1, n do
    local a = q[i + 2]
    local cx, cy = vx - sin(a)*a.dot/2, vy + cos(a)*a.dot/2
    T = T + (cx^2 + cy^2)/2 + a.dot^2/24
    S:constraint("blade " .. i, (vy + d*cos(a)*a.dot)*cos(a) - (vx - d*sin(a)*a.dot)*sin(a))
    vx, vy = vx - sin(a)*a.dot, vy + cos(a)*a.dot
  end
  S:kinetic_energy(T)
  return S
end

-- Two bodies by unit quaternions on one axis of springs; the mass matrix has rank 6 of 8
local function quaternions()
  local S = hm.system "tumbling"
  local q = { S:coordinates "a b c d e f g h" }
  local T, V = hm.number(0), hm.number(0)
  for i = 0, 1 do
    local e, f, g, h = table.unpack(q, 4*i + 1, 4*i + 4)
    local w = { 2*(e*f.dot - f*e.dot - g*h.dot + h*g.dot), 2*(e*g.dot - g*e.dot - h*f.dot + f*h.dot), 2*(e*h.dot - h*e.dot - f*g.dot + g*f.dot) }
    for k = 1, 3 do T = T + k*w[k]^2/2 end
    V = V + e^2 - f*q[8 - 3*i]
    S:constraint("unit " .. i, e*e.dot + f*f.dot + g*g.dot + h*h.dot)
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  return S
end

-- The models of both ways, made at a regular state
local function models(S, given)
  local q, v, list = {}, {}, {}
  for i, name in ipairs(S.coordinate_names) do q[name], v[name] = given and given[i] or 0.3*i, 0 end
  for _, way in ipairs{ "dense", "graph" } do list[way] = S:simulate{ q = q, v = v, t = 1e-9, elimination = way }.model end
  return list
end

-- x' by both at a state, the largest difference relative to the largest acceleration and how many states the graph handed over; where neither has one nil,
-- and both say why
local function compared(list, x, n)
  local rates, why, handed = {}, {}, 0
  for way, model in pairs(list) do
    local w, state = core.workspace(model), table.move(x, 1, #x, 1, {})
    for i = #x + 1, model:state_size() do state[i] = 0.0 end
    w:set_state(0.0, state)
    local fine, rate = pcall(w.rate, w)
    if way == "graph" then handed = w:handed_over() end
    rates[way], why[way] = fine and rate or nil, not fine and tostring(rate) or nil
  end
  if not rates.dense or not rates.graph then
    assert.equal(why.dense, why.graph)
    return nil, handed
  end
  local largest, off = 0, 0
  for i = n + 1, 2*n do
    largest = math.max(largest, math.abs(rates.dense[i]))
    off = math.max(off, math.abs(rates.dense[i] - rates.graph[i]))
  end
  return off/largest, handed
end

local function velocities(x, n)
  for i = 1, n do x[n + i] = math.sin(2.3*i) end
  return x
end

describe("the accelerations by the graph", function()
  it("are right in loops that are stretched or folded", function()
    local handed, refused = 0, 0
    for n = 4, 8, 4 do
      local list = models(chain(n, true, 1))
      for _, fold in ipairs{ 0.0, math.pi } do
        for _, off in ipairs{ 0.5, 1e-1, 1e-2, 1e-3, 1e-5, 0.0 } do
          local x = {}
          for i = 1, n do x[i] = 0.4 + (i % 2 == 0 and fold or 0) + off*math.sin(3.7*i) end
          local difference, more = compared(list, velocities(x, n), n)
          if difference then assert.is_true(difference < 1e-11/math.max(off, 1e-5)^2) else refused = refused + 1 end
          handed = handed + more
        end
      end
    end
    assert.equal(4, refused)                                              -- the two rows are one where all links lie on a line
    assert.is_true(handed > 0)
  end)

  it("are right for masses of 1 and 1e6 or 1e12", function()
    for _, heavy in ipairs{ 1000000, 1000000000000 } do
      for _, held in ipairs{ false, true } do
        local list = models(chain(8, held, heavy))
        for k = 1, 5 do
          local x = {}
          for i = 1, 8 do x[i] = 0.3*i*math.sin(k + i) end
          assert.is_true(compared(list, velocities(x, 8), 8) < 1e-9)
        end
      end
    end
  end)

  it("are right for blades at their joints and behind them", function()
    for _, d in ipairs{ hm.number(0), hm.number "1/1000000", hm.number "1/1000", hm.number "1/2", hm.number(1) } do
      local list = models(snake(5, d))
      for k = 1, 5 do
        local x = { 0.1, 0.2 }
        for i = 1, 5 do x[2 + i] = k == 1 and 0.3 or k == 2 and 0.3 + (i % 2)*math.pi/2 or 0.5*i*math.sin(k) end
        local difference, handed = compared(list, velocities(x, 7), 7)
        assert.is_true(difference < 1e-13)
        assert.equal(0, handed)
      end
    end
  end)

  it("are right where entries of quaternions are zero", function()
    local list = models(quaternions(), { 0.5, 0.5, 0.5, 0.5, 0.6, 0, 0.8, 0 })
    for _, one in ipairs{ { 1.0, 0, 0, 0 }, { 0.0, 1, 0, 0 }, { 0.0, 0, 0.6, 0.8 }, { 0.0, 0, 0, 1 }, { 1e-8, 1, 0, 0 } } do
      for _, other in ipairs{ { 0.0, 1, 0, 0 }, { 0.0, 0, 1, 0 }, { 0.5, 0.5, 0.5, 0.5 } } do
        local x = {}
        for i = 1, 4 do x[i], x[4 + i] = one[i] + 0.0, other[i] + 0.0 end
        local difference, handed = compared(list, velocities(x, 8), 8)
        assert.is_true(difference < 1e-12)
        assert.equal(0, handed)
      end
    end
  end)
end)

describe("the elimination on the graph where a constraint is implied by others", function()
  it("leaves it out, in runs, sweeps and files", function()
    local S, q, v = chain(6, true, 1), {}, {}
    S:constraint("again", S.constraints[1].f + S.constraints[2].f)
    for i, name in ipairs(S.coordinate_names) do q[name], v[name] = 0.3*i, i > 2 and 0.5 or nil end
    local o, last = { q = q, v = v, t = 0.2, rtol = 1e-11, atol = 1e-11 }, {}
    for _, way in ipairs{ "dense", "graph" } do
      o.elimination = way
      local run = S:simulate(o)
      assert.equal("OK", run.status)
      assert.equal(way == "graph", run.model:by_graph())
      last[way] = run:at(0.2).q.q6
      local name = os.tmpname()
      run:save(name .. ".hamel")
      assert.equal(last[way], hm.load(name .. ".hamel", S):at(0.2).q.q6)
      os.remove(name)
      os.remove(name .. ".hamel")
      local sweep = S:sweep{ q = q, v = v, t = 0.2, rtol = 1e-11, atol = 1e-11, elimination = way, over = { { "v.q5", { 0.4, 0.5 } } }, keep = { "q6" } }
      assert.is_true(math.abs(sweep[2].q6 - last[way]) < 1e-13)
    end
    assert.is_true(math.abs(last.dense - last.graph) < 1e-9)
  end)
end)

describe("a run of ten thousand steps", function()
  it("drifts no more by the graph than by the dense elimination", function()
    local S, q, v = chain(10, false, 1), {}, {}
    for i, name in ipairs(S.coordinate_names) do q[name], v[name] = 0.2*i, 0 end
    local drift = {}
    for _, way in ipairs{ "dense", "graph" } do
      local run = S:simulate{ q = q, v = v, t = 10, method = "gauss4", step = 1e-3, elimination = way, record = "ends", dense = false }
      assert.equal("OK", run.status)
      assert.equal(10000, run.outcome.steps)
      assert.equal(way == "graph", run.model:by_graph())
      drift[way] = math.abs(run.energy_drift)
    end
    assert.is_true(drift.graph < 2*drift.dense + 1e-12 and drift.graph < 1e-6)
  end)
end)
