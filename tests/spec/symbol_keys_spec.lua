-- values by symbol, { [x] = 1 }, and by name, { x = 1 }, are the same wherever a state is given; coordinates may be called as fields of a state
local hm, check = require "hamel", require "check"

describe("values by symbol", function()
  local S = hm.system "pair"
  local x, y = S:coordinates "x y"
  local m, k = S:positive "m=2 k=3"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2))
  S:potential_energy(k/2*(x^2 + y^2))
  local named = { q = { x = 0.1, y = 0 }, v = { x = 0, y = 0.2 }, parameters = { k = 5 } }
  local keyed = { q = { [x] = 0.1, [y] = 0 }, v = { [x.dot] = 0, [y] = 0.2 }, parameters = { [k] = 5 } }

  -- what each study gives, as a list of numbers
  local studies = {
    simulate = function(o) o.t = 2 return S:simulate(o):values_at(2, { x, y }) end,
    accelerations = function(o) return { S:accelerations(o).a.x } end,
    reactions = function(o) return { S:accelerations(o).a.y } end,
    linearize = function(o)
      o.q, o.v = o.q.x and { x = 0, y = 0 } or { [x] = 0, [y] = 0 }, o.v.x and { x = 0, y = 0 } or { [x] = 0, [y] = 0 }
      return { S:linearize(o).eigenvalues[1].im }
    end,
    variations = function(o) o.t = 2 return S:variations(o):matrix(2)[1] end,
    periodic = function(o) o.period = 2*math.pi/math.sqrt(5/2) return { S:periodic(o).period } end,
    sweep = function(o) o.t, o.over = 2, { { "m", { 1, 2 } } } return S:sweep(o):column "x" end,
    each = function(o)
      return S:sweep{ n = 2, each = function() return o end, t = 2 }:column "y"
    end,
  }
  for name, study in pairs(studies) do
    it("are those by name in " .. name, function()
      local function copied(o)
        local c = {}
        for key, value in pairs(o) do c[key] = value end
        return c
      end
      assert.same(study(copied(named)), study(copied(keyed)))
    end)
  end

  it("name what varies in a sweep", function()
    local o = { q = keyed.q, v = keyed.v, t = 1, over = { { k, { 1, 2 } }, { x, { 0.1, 0.2 } }, { y.dot, { 0, 1 } } } }
    local named_over = { { "k", { 1, 2 } }, { "x", { 0.1, 0.2 } }, { "y'", { 0, 1 } } }
    local sweep = S:sweep(o)
    assert.same({ "k", "q.x", "v.y" }, sweep.varied)
    assert.same(S:sweep{ q = named.q, v = named.v, t = 1, over = named_over }:column "y", sweep:column "y")
    check.raises({ "over[1]" }, S.sweep, S, { q = named.q, v = named.v, t = 1, over = { { k*x, { 1 } } } })
  end)

  it("may not stand twice", function()
    check.raises({ "q: 'x' is given twice" }, S.simulate, S, { q = { x = 1, [x] = 1, y = 0 }, v = named.v, t = 1 })
    check.raises({ "q: 'x' is given twice" }, S.sweep, S, { q = { x = 1, [x] = 1, y = 0 }, v = named.v, t = 1, over = { { k, { 1 } } } })
  end)

  it("reach coordinates that are called as a field of a state", function()
    local R = hm.system "names"
    local q, v = R:coordinates "q v"
    R:kinetic_energy((q.dot^2 + v.dot^2)/2)
    local run = R:simulate{ q = { [q] = 1, [v] = 2 }, v = { [q] = 3, [v] = 4 }, t = 1 }
    local s = run:at(1)
    check.near(s.q.q, 4)
    check.near(s.v.v, 4)
    check.near(s.q + s.v, 10)
    for _, names in ipairs{ { q, v }, { "q", "v" } } do
      local a, b = run:at(1, table.unpack(names))
      check.near(a, 4)
      check.near(b, 6)
    end
  end)
end)
