-- What a system keeps between calls, as models, series and machine code, never answers for another system: after a change a repeated call gives the bits
-- of a system that was declared so from the beginning
local hm = require "hamel"

local q0, v0 = { x = 0, y = 0, theta = 0 }, { x = 1, theta = 0.3 }

local function sleigh(inertia)
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J = S:parameters(("m=1 J=%s k"):format(inertia or "0.5"))
  S:kinetic_energy(m*(x.dot^2 + y.dot^2)/2 + J*theta.dot^2/2)
  S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
  S:force(theta, S:symbol "k"*hm.cos(theta))
  return S
end

local function options(more)
  local o = { q = q0, v = v0, t = 4, rtol = 1e-9, atol = 1e-9, parameters = { k = 0.2 } }
  for key, value in pairs(more or {}) do o[key] = value end
  return o
end

-- The numbers of a run, or of the rows of a sweep
local function run(S, more)
  local r = S:simulate(options(more))
  return { #r, r[#r].x, r[#r].y, r[#r].theta, r.outcome.evaluations }
end

local function swept(S, more)
  local o = options(more)
  o.over, o.keep, o.progress = { { "v.theta", { 0.1, 0.3, 0.5, 0.7, 0.9 } } }, { "x", "y", "theta" }, false
  local list = {}
  for _, row in ipairs(S:sweep(o)) do
    assert.equal("OK", row.status)
    for _, name in ipairs{ "x", "y", "theta", "steps" } do list[#list + 1] = row[name] end
  end
  return list
end

local ways = { { "a run", run, {} }, { "a run by Taylor series", run, { method = "taylor" } }, { "a sweep", swept, {} },
               { "a sweep by Taylor series", swept, { method = "taylor" } } }

local function with(a, b)
  local all = {}
  for _, part in ipairs{ a, b or {} } do for key, value in pairs(part) do all[key] = value end end
  return all
end

describe("a repeated call", function()
  for _, way in ipairs(ways) do
    local what, call, how = way[1], way[2], way[3]

    it("sees what was declared since: " .. what, function()
      local S = sleigh()
      local first = call(S, how)
      assert.same(first, call(S, how))
      S:parameters "J=0.7"                                             -- a value that is declared anew
      local other = call(S, how)
      assert.same(call(sleigh "0.7", how), other)
      assert.not_same(first, other)
      S:force("x", S:symbol "k")
      local fresh = sleigh "0.7"
      fresh:force("x", fresh:symbol "k")
      local pushed = call(S, how)
      assert.same(call(fresh, how), pushed)
      assert.not_same(other, pushed)
    end)

    it("sees its options: " .. what, function()
      local S = sleigh()
      local first = call(S, how)
      local moving = { { parameters = { k = 0.4 } }, { parameters = { k = 0.2, J = 0.9 } }, { t = 3 }, { v = { x = 2, theta = 0.3 } }, { max_step = 0.1 } }
      local others = { { rtol = 1e-6 }, { project = false }, { form = "nielsen" }, { elimination = "dense" }, { executor = "interpreter" } }
      for k, more in ipairs(table.move(others, 1, #others, #moving + 1, table.move(moving, 1, #moving, 1, {}))) do
        local changed = call(S, with(how, more))
        assert.same(call(sleigh(), with(how, more)), changed)
        if k <= #moving then assert.not_same(first, changed) end
        assert.same(first, call(S, how))                               -- and nothing of them is left
      end
    end)
  end

  it("of a sweep does not depend on the runs before it", function()
    local S, fresh = sleigh(), sleigh()
    run(S, { parameters = { k = 5, J = 30, m = 1e-3 } })
    run(S, { parameters = { k = 5, J = 30, m = 1e-3 }, method = "taylor" })
    assert.same(swept(fresh, { method = "taylor" }), swept(S, { method = "taylor" }))
    assert.same(swept(fresh), swept(S))
  end)

  it("sees forces in Lua, also one that is declared behind runs without", function()
    local S = sleigh()
    local before = run(S)
    local size = 0.3
    S:force("theta", function() return size end)
    local pushed = run(S)
    assert.not_same(before, pushed)
    size = 0.6
    assert.not_same(pushed, run(S))
  end)

  it("leaves the options that were given as they are", function()
    local S = sleigh()
    local times = { 0, 4 }
    local o = options{ t = times, events = {}, dense = false }
    local r = S:simulate(o)
    assert.equal(times, o.t)
    assert.is_nil(o.method)
    assert.is_nil(o.progress)
    assert.equal("dop853", r.options.method)
    assert.truthy(tostring(r.options.q):find("theta = 0", 1, true))
    assert.truthy(tostring(r.options):find("rtol = 1e-09", 1, true))
    assert.truthy(tostring(r.outcome):find("status", 1, true))
    -- names that are no options are told first
    assert.error_matches(function() S:simulate(options{ tt = 4, rtol = "many", method = 7 }) end, "unknown option 'tt'")
  end)
end)
