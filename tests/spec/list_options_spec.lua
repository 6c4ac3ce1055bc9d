-- Options that are lists: an entry by name, or behind a hole, is refused and not dropped
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local options = require "hamel.base.options"

local function oscillator()
  local S = hm.system "oscillator"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy((x^2 + y^2)/2)
  return S, x, y
end

describe("an option that is a list", function()
  it("is refused with entries that are no part of it, wherever one is taken", function()
    local seen = 0
    for _, what in ipairs{ "simulate", "sweep", "section", "series", "reference", "velocities", "data", "steady", "equations", "derivation", "unilateral" } do
      local schema = options.of(what) or {}
      for name, row in pairs(schema) do
        if row.list then
          seen = seen + 1
          for _, list in ipairs{ { 1, 2, speed = 3 }, { [2.5] = 1 }, { [0] = 1 }, { name = 1 } } do
            check.raises({ what .. ": option '" .. name .. "' is a list", "means nothing in it" }, options.check, what, schema, { [name] = list })
          end
        end
      end
    end
    assert(seen > 10, seen)
  end)

  it("loses no entry of a call", function()
    local S, x, y = oscillator()
    local start = { q = {x = 1, y = 0}, v = {x = 0, y = 1}, t = 10 }
    local function with(more)
      for key, value in pairs(start) do if more[key] == nil then more[key] = value end end
      return more
    end
    check.raises({ "'of' is a list: 'speed' means nothing" }, S.section, S, with{ when = y, of = { "x", speed = x.dot } })
    check.raises({ "'times' is a list: 'last' means nothing" }, S.sweep, S, with{ over = { { "x", { 1 } } }, times = { 1, last = 10 } })
    check.raises({ "'over' is a list: 'x' means nothing" }, S.sweep, S, with{ over = { { "y", { 1 } }, x = { 1, 2 } } })
    check.raises({ "'t' is a list: 'to' means nothing" }, S.simulate, S, with{ t = { 0, to = 3 } })
    local run = S:simulate(with{})
    check.raises({ "'of' is a list: 'speed' means nothing" }, run.section, run, y, { of = { "x", speed = x.dot } })
    check.raises({ "'times' is a list: 'n' means nothing" }, run.series, run, "x", { times = { 1, n = 10 } })
    check.raises({ "'y' is a list: 'b' means nothing" }, hm.data, { x = {0, 1, 2}, y = { 0, 1, 2, b = 3 } })
  end)
end)

describe("a law of impact written in Lua", function()
  it("returns nothing that is dropped", function()
    local S, y = mechanics.body("ball", "y")
    S:potential_energy(10*y)
    local answer = {}
    S:unilateral("floor", y, { law = function(impact)
      answer.normal = -0.5*impact.normal
      return answer
    end })
    local start = { q = {y = 1}, v = {y = 0}, t = 0.6 }
    assert.are.equal("OK", S:simulate(start).status)
    answer.tangential = 0.3
    check.raises({ "the law of 'floor' returned 'tangential'", "{ normal = number, rough = {...} }" }, S.simulate, S, start)
  end)
end)
