-- numbers of options, times and lists: as numbers, as texts such as "1/3", as expressions without symbols
local hm, check = require "hamel", require "check"

local function oscillator()
  local S = hm.system "oscillator"
  local x, y = S:coordinates "x y"
  local k = S:parameters "k=1"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(k*x^2/2)
  return S
end

local function start(more)
  local o = { q = { x = 1, y = 0 }, v = { x = 0, y = 0 } }
  for key, value in pairs(more) do o[key] = value end
  return o
end

describe("a time", function()
  local S = oscillator()

  it("is a number, a text or an expression, everywhere", function()
    for _, t in ipairs{ hm.pi/3, "7/5", { "1/3", hm.pi }, { hm.pi, 4 } } do
      for _, what in ipairs{ "simulate", "variations", "lyapunov", "reference", "sweep" } do
        S[what](S, start{ t = t, over = what == "sweep" and { { "k", { 1 } } } or nil })
      end
    end
    check.near(S:simulate(start{ t = hm.pi }):at(math.pi).x, -1, 1e-8)
    check.near(S:periodic(start{ period = 2*hm.pi, fixed_period = true }).period, 2*math.pi, 1e-15)
  end)

  it("counts as it is written in a reference", function()
    assert.equal("-1", S:reference(start{ t = hm.pi }).q.x:match "^%-1")
    assert.truthy(math.abs(tonumber(S:reference(start{ t = hm.pi }).v.x)) < 1e-28)      -- of the double next to pi 1.2e-16
    local list = S:reference(start{ times = { "1/3", hm.pi/2 } })
    check.near(tonumber(list[1].q.x), math.cos(1/3), 1e-15)
    check.near(list[2].t, math.pi/2, 0)
    assert.truthy(math.abs(tonumber(list[2].q.x)) < 1e-28)
    check.near(tonumber(S:reference(start{ t = { hm.pi/2, hm.pi } }).q.x), 0, 1e-28)
  end)

  it("is refused where it is none", function()
    for _, t in ipairs{ "z", { "z", 1 }, { 1, "z" }, { 1 }, {} } do
      for _, what in ipairs{ "simulate", "variations", "lyapunov", "reference" } do
        check.raises({ what, "end time" }, S[what], S, start{ t = t })
      end
    end
    for _, what in ipairs{ "simulate", "variations", "lyapunov", "reference" } do check.raises({ what, "end" }, S[what], S, start{}) end
    check.raises({ "times[2] = z" }, S.reference, S, start{ times = { "1/3", "z" } })
    check.raises({ "times[2] = z" }, S.reference, S, start{ times = { "1/3", "z", 1 } })
  end)
end)

describe("lists of numbers", function()
  it("of a sweep may hold texts and expressions", function()
    local S = oscillator()
    local rows = S:sweep(start{ t = 1, over = { { "k", { "1/3", hm.pi, 2 } } } })
    for i, k in ipairs{ 1/3, math.pi, 2 } do check.near(rows[i].x, math.cos(math.sqrt(k)), 1e-8) end
    check.raises({ "value 2", "not a number" }, S.sweep, S, start{ t = 1, over = { { "k", { 1, "one" } } } })
  end)

  it("of conditions may stand with texts for expressions", function()
    local S = oscillator()
    local v = S:velocities{ q = { x = 0, y = 0 }, where = { { "y' - x'", 0 }, { "x' + y'", "2/3" } } }
    check.near(v.x, 1/3, 1e-15)
    check.near(v.y, 1/3, 1e-15)
    check.raises({ "where[1]" }, S.velocities, S, { q = { x = 0, y = 0 }, where = { { "z'", 0 } } })
  end)
end)
