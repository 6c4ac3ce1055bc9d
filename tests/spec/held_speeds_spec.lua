-- drag that is a power of a speed: bodies that constraints hold at rest, and motions that pass a speed of zero closely
local hm = require "hamel"

-- A closed loop of n point masses on links of length 1, its end held at (reach, 0), with drag |v|^3 on the first `last` of them; coupled: with springs,
-- steps of torque and dampers in the joints
local function loop(n, reach, last, coupled)
  local S, names, o = hm.system "loop", {}, { q = {}, v = {}, t = 1 }
  for i = 1, n do
    names[i] = "q" .. i
    if i <= n - 2 then o.q["q" .. i], o.v["q" .. i] = 0.9*math.cos(math.pi*i/(n + 1)), 0.1*i/n end
  end
  local x, y, T, V, R, before = 0, 0, 0, 0, 0, nil
  for i, q in ipairs{ S:coordinates(table.concat(names, " ")) } do
    x, y = x + hm.cos(q), y + hm.sin(q)
    local square = hm.dt(x)^2 + hm.dt(y)^2
    T, V = T + square/2 + q.dot^2/20, V + hm.number "9.81"*y
    if i <= last then R = R + square^hm.number "1.5"/30 end
    if coupled and before then
      V, R = V + (q - before)^2/2 + hm.abs(q - before), R + (q.dot - before.dot)^4/40
    end
    before = q
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  S:dissipation(R)
  S:constraint("x", x - reach)
  S:constraint("y", y)
  return S, o
end

describe("drag on a body that constraints hold at rest", function()
  it("changes nothing, and no steps are made for its speed", function()
    local ends = {}
    for _, last in ipairs{ 3, 4 } do
      local S, o = loop(4, 3, last)
      o.rtol, o.atol = 1e-9, 1e-9
      local run = S:simulate(o)
      assert.equal("OK", run.status)
      assert.is_true(run.outcome.steps < 4000)
      ends[last] = run:at(1).q.q1
    end
    assert.near(ends[3], ends[4], 1e-8)
  end)
end)

describe("a speed that passes zero closely", function()
  -- errors were up to 800 times the tolerance, in runs that were OK
  it("costs no accuracy", function()
    local S, o = loop(12, 9, 11, true)
    local function at_end(tolerance, method)
      o.rtol, o.atol, o.method = tolerance, tolerance, method
      local run = S:simulate(o)
      assert.equal("OK", run.status)
      return run:at(1).q
    end
    local exact = at_end(1e-12, "taylor")
    for _, tolerance in ipairs{ 1e-6, 1e-8, 1e-10, 1e-11 } do
      local q = at_end(tolerance, "dop853")
      for i = 1, 12 do assert.near(exact["q" .. i], q["q" .. i], 40*tolerance) end
    end
  end)
end)
