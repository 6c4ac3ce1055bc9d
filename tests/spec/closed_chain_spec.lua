-- Closed chains in relative angles: the inertia that is left along one angle, when others are free, is a small part of what it is alone, so that pivots of
-- the mass matrix are small although the equations are regular everywhere
local hm, check = require "hamel", require "check"

-- A chain of rods between two pins, by the angle of each rod against the one before
local function chain(lengths, angles)
  local S, n = hm.system "chain", #lengths
  local q, x, y, a = {}, hm.number(0), hm.number(0), hm.number(0)
  local T, V, u, w, turn = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
  local at, ends = 0, { 0, 0 }
  for i, l in ipairs(lengths) do
    q[i] = S:coordinates("q" .. i)
    a, turn = a + q[i], turn + q[i].dot
    local du, dw = hm.cos(a)*turn, hm.sin(a)*turn
    T = T + ((u + l/2*du)^2 + (w + l/2*dw)^2)/2 + l^2*turn^2/24
    V = V + hm.number "9.81"*(y - l/2*hm.cos(a))
    x, y, u, w = x + l*hm.sin(a), y - l*hm.cos(a), u + l*du, w + l*dw
    at = at + angles[i]
    ends = { ends[1] + l*math.sin(at), ends[2] - l*math.cos(at) }
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  S:constraint("right", x - ends[1])
  S:constraint("down", y - ends[2])
  local start = { q = {}, v = {} }
  for i, value in ipairs(angles) do
    start.q["q" .. i] = value
    if i <= n - 2 then start.v["q" .. i] = i % 2 == 0 and 0.5 or -0.4 end
  end
  return S, start
end

local function run_of(S, start, elimination, rtol)
  return S:simulate{ q = start.q, v = start.v, t = 1.5, rtol = rtol, atol = rtol, elimination = elimination }
end

describe("a closed chain in relative angles", function()
  local angles = { 0.9, -0.4, 0.5, -0.3, 0.35, 0.2, -0.6 }

  -- Arbiter: the elimination in quadruple precision, at tight tolerances
  local function demand_right(S, start, run, rtol)
    assert.equal("OK", run.status, run.reason)
    local exact = run_of(S, start, "refined", 1e-11)
    assert.equal("OK", exact.status, exact.reason)
    for i = 1, #angles do check.near(run:at(1.5).q["q" .. i], exact:at(1.5).q["q" .. i], 1e3*rtol) end
    -- no step is shorter than the tolerances ask for
    local graph = run_of(S, start, "graph", rtol)
    assert(run.outcome.steps < 1.2*graph.outcome.steps, run.outcome.steps .. " steps, " .. graph.outcome.steps .. " on the graph")
  end

  it("is solved by the dense elimination without complete pivoting", function()
    local S, start = chain({ 0.5, 1.1, 0.7, 0.9, 0.6, 0.7, 0.5 }, angles)
    local run = run_of(S, start, "dense", 1e-9)
    demand_right(S, start, run, 1e-9)
    assert.is_false(run.model:by_graph())
    assert.equal(0, run.outcome.handed_over)
  end)

  it("is right, in no more steps, where most states need complete pivoting", function()
    local S, start = chain({ 0.12, 1.1, 0.7, 0.9, 0.6, 0.7, 0.5 }, angles)
    for _, rtol in ipairs{ 1e-4, 1e-6, 1e-9 } do
      local run = run_of(S, start, "dense", rtol)
      demand_right(S, start, run, rtol)
      assert(run.outcome.handed_over > run.outcome.evaluations/2, run.outcome.handed_over)
    end
  end)
end)
