-- Lists with an entry that is nil, as {1, nil, 2}: refused by every function and method, since Lua would drop the rest without a word.
local hm, check = require "hamel", require "check"
local holes = require "hamel.base.holes"
local raises = check.raises

local function oscillator()
  local S = hm.system "oscillator"
  local x, y = S:coordinates "x y"
  local a, b = S:positive "a=1 b=2"
  S:kinetic_energy(a*x.dot^2/2 + y.dot^2/2)
  S:potential_energy(b*x^2/2)
  return S, x, y
end

local function start(more)
  local o = { q = { x = 1, y = 0 }, v = { x = 0, y = 1 }, t = 1 }
  for key, value in pairs(more or {}) do o[key] = value end
  return o
end

describe("a list with a hole", function()
  it("is found at any depth, and objects and lists without holes are none", function()
    assert.equal("[2]", holes.place{ 1, nil, 2 })
    assert.equal("[1]", holes.place{ nil, 2 })
    assert.equal(".over[1][2][3]", holes.place{ t = 1, over = { { "a", { 1, 2, nil, 3, 4 } } } })
    assert.equal(".a[1]", holes.place{ b = { nil, 1 }, a = { nil, 1 } })
    for _, none in ipairs{ {}, { 1, 2, 3 }, { x = 1, 2 }, { q = { x = 1 } }, { { 1 }, { 2, { 3 } } }, { [0] = 1, [-4] = 2 }, setmetatable({ [2] = 1 }, {}) } do
      assert.is_nil(holes.place(none))
    end
    assert.is_nil(holes.place(7))
    local cycle = { 1 }
    cycle[2] = cycle
    assert.is_nil(holes.place(cycle))
  end)

  it("is looked for in the core, which agrees with the search for its place", function()
    local core = require "hamel.core"
    local state = 7
    local function random(n)
      state = (state*1103515245 + 12345) % 2^31
      return state // 65536 % n
    end
    local function tree(depth)
      local t = {}
      for i = 1, random(4) do if random(12) > 0 then t[i] = depth > 0 and random(2) == 0 and tree(depth - 1) or i end end
      if random(3) == 0 then t.name = depth > 0 and tree(depth - 1) or 1 end
      return random(8) == 0 and setmetatable(t, {}) or t
    end
    local found = 0
    for _ = 1, 2000 do
      local t = tree(8)
      local place = holes.place(t)
      assert.equal(place ~= nil, core.has_hole(t))
      assert.equal(place ~= nil, core.has_hole(1, "x", {}, t))
      found = found + (place and 1 or 0)
    end
    assert.truthy(found > 100 and found < 1900)
  end)

  it("is refused in options: values of sweeps and charts, names, conditions, measures", function()
    local S, x, y = oscillator()
    local two = { { "a", { 1, 2 } } }
    raises({ "sweep: over[1][2][2] is nil" }, S.sweep, S, start{ over = { { "a", { 1, nil, 2 } } } })
    raises({ "sweep: over[1][2][3] is nil" }, S.sweep, S, start{ over = { { "a", { 1, 2, nil, 3, 4 } } } })
    raises({ "sweep: over.a[2] is nil" }, S.sweep, S, start{ over = { a = { 1, nil, 2 } } })
    raises({ "sweep: over[2] is nil" }, S.sweep, S, start{ over = { { "a", { 1, 2 } }, nil, { "b", { 1 } } } })
    raises({ "sweep: keep[2] is nil" }, S.sweep, S, start{ over = two, keep = { "x", nil, "energy" } })
    raises({ "sweep: times[2] is nil" }, S.sweep, S, start{ over = two, times = { 0, nil, 1 } })
    raises({ "chart: over[2][2][2] is nil" }, S.chart, S, start{ over = { { "a", { 1, 2 } }, { "b", { 1, nil, 2 } } }, of = "max x" })
    raises({ "simulate: keep[2] is nil", "misspelt" }, S.simulate, S, start{ keep = { "x", nil, "energy" } })
    raises({ "simulate: events[2] is nil" }, S.simulate, S, start{ events = { { when = x }, nil, { when = y } } })
    raises({ "velocities: where[2] is nil" }, S.velocities, S, { q = { x = 1, y = 0 }, where = { { x.dot, 1 }, nil, { y.dot, 1 } } })
    raises({ "equations: dependent[2] is nil" }, S.equations, S, "maggi", { dependent = { "x", nil, "y" } })
    raises({ "compare: forms[2] is nil" }, S.compare, S, start{ forms = { "lagrange", nil, "canonical" } })
    raises({ "fit: data.t[3] is nil" }, S.fit, S, { data = { t = { 0, 1, nil, 2 }, x = { 1, 2, 3, 4 } }, vary = { "a" } })
  end)

  it("is refused in lists that are arguments", function()
    local S, x, y = oscillator()
    local run = S:simulate(start())
    raises({ "hm.matrix: entry [1][2] of argument 1 is nil" }, hm.matrix, { { 1, nil, 2 }, { 1, 2, 3 } })
    raises({ "hm.data: x[3] is nil" }, hm.data, { x = { 1, 2, nil, 3 }, y = { 1, 2, 3, 4 } })
    raises({ "hm.solve: entry [2] of argument 1 is nil" }, hm.solve, { x, nil, y }, { x, y })
    raises({ "hm.gradient: entry [2] of argument 2 is nil" }, hm.gradient, x*y, { x, nil, y })
    raises({ "keep: entry [2] of argument 1 is nil" }, run.keep, run, { "max x", nil, "energy" })
    raises({ "quasi_velocities: entry [2] of argument 2 is nil" }, S.quasi_velocities, S, "u w", { x.dot, nil, y.dot })
    local state = run:at(0)
    raises({ "values: entry [2] of argument 1 is nil" }, state.values, state, { "x", nil, "y" })
  end)

  it("is refused among names that are arguments", function()
    local S = oscillator()
    local run = S:simulate(start())
    raises({ "at: argument 3 is nil" }, run.at, run, 0, "x", nil, "y")
    raises({ "series: argument 2 is nil" }, run.series, run, "x", nil, "y")
    raises({ "plot: argument 2 is nil" }, run.plot, run, "x", nil, "y")
    raises({ "coordinates takes all names in one text" }, S.coordinates, S, "z", nil, "w")
    assert.equal(2, select("#", run:at(0, "x", "y")))
  end)
end)
