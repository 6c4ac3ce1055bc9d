-- Runs that keep their ends and events only: whatever stops them, they keep what a run that keeps its steps keeps up to there
local hm, check = require "hamel", require "check"

local function system(force, name)
  local S = hm.system(name or "kept")
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:force(x, force(x))
  return S, x
end

-- what stops them: a pole of the motion, the limit of steps, a terminal event, the end of measured data, an error in Lua
local pole = function(x) return 6*x^2 end
local spring = function(x) return -x end

local stops = {
  { "a pole", pole, { q = {x = 1}, v = {x = 2}, t = 10 }, { 5, 5000 } },
  { "a pole in backward time", pole, { q = {x = 1}, v = {x = -2}, t = -10 }, { 5, 5000 } },
  { "the limit of steps", spring, { q = {x = 1}, v = {x = 0}, t = 1000, max_steps = 150 }, { 0 } },
  { "a pole of the force", function(x) return 1/(2 - x) end, { q = {x = 0}, v = {x = 2}, t = 10 }, { 0.5, 1.5 } },
  { "a force that ends", function(x) return hm.sqrt(3 - hm.t) - x end, { q = {x = 1}, v = {x = 0}, t = 10 }, { 1.2 } },
}
local methods = { "dop853", "taylor", "auto", "radau5", "rkf45", "msadams" }

local function events_of(x, levels)
  local list = {}
  for i, level in ipairs(levels) do list[i] = { name = "e" .. i, when = x - level } end
  return list
end

describe("a run that stops early and keeps its", function()
  for _, record in ipairs{ "impacts", "ends" } do
    it(record .. " ends where one that keeps its steps does, with the same events", function()
      for _, stop in ipairs(stops) do
        for _, method in ipairs(methods) do
          local S, x = system(stop[2])
          local function run(kept)
            local o = { method = method, record = kept, events = events_of(x, stop[4]) }
            for key, value in pairs(stop[3]) do o[key] = value end
            return S:simulate(o)
          end
          local what = stop[1] .. ", " .. method
          local one, other = run "steps", run(record)
          assert(one.status ~= "OK", what)
          assert.are.equal(one.status, other.status)
          assert.are.equal(one.reason, other.reason)
          assert(#one.events > 0, what)
          assert.are.equal(record == "ends" and 0 or #one.events, #other.events)
          for i, event in ipairs(other.events) do
            assert.are.equal(one.events[i].t, event.t)
            assert.are.equal(one.events[i].state.x, event.state.x)
          end
          assert.are.equal(2, #other)
          assert.are.equal(one[#one].t, other[2].t)
          assert.are.equal(one[#one].x, other[2].x)
          assert.are.equal(one[1].x, other[1].x)
        end
      end
    end)
  end

  it("impacts keeps them however many steps lie between", function()
    -- many steps near the axis, where the way since the last clear point is long
    local S, x = system(function(x) return -1e-9/x^3 end)
    local run = S:simulate{ q = {x = 1}, v = {x = -1}, t = 5, record = "impacts", events = events_of(x, { 0.5, 0.01, 1e-4 }) }
    local steps = S:simulate{ q = {x = 1}, v = {x = -1}, t = 5, events = events_of(x, { 0.5, 0.01, 1e-4 }) }
    assert.are.equal(#steps.events, #run.events)
    assert.are.equal(steps[#steps].t, run[#run].t)
  end)
end)

describe("a section", function()
  it("of a run that stops has the crossings up to there and says why it ends", function()
    local S, x = system(pole)
    local section, run = S:section{ when = x - 5, q = {x = 1}, v = {x = 2}, t = 10 }
    assert.are.equal(1, #section)
    -- x = 1/(1 - t)^2
    check.near(section[1].t, 1 - 1/math.sqrt(5), 1e-7)
    assert.are.equal(run.status, section.status)
    assert.are.equal(run.reason, section.reason)
    assert.truthy(tostring(section):find("the run stopped before t = 10", 1, true))
    local read = S:simulate{ q = {x = 1}, v = {x = 2}, t = 10 }:section(x - 5)
    assert.are.equal(run.status, read.status)
    assert.truthy(tostring(read):find("the run stopped before t = 10", 1, true))
    local whole = S:section{ when = x - 1.1, q = {x = 1}, v = {x = 2}, t = 0.5 }
    assert.are.equal("OK", whole.status)
    assert.is_nil(whole.reason)
    assert.falsy(tostring(whole):find("stopped", 1, true))
  end)

  it("takes a surface written in Lua", function()
    local S = system(spring)
    local section = S:section{ when = function(_, q) return q.x end, direction = "falling", of = {"x'"}, q = {x = 1}, v = {x = 0}, t = 10 }
    assert.are.equal(2, #section)
    check.near(section[1].t, math.pi/2, 1e-8)
    check.near(section[1][1], -1, 1e-7)
    assert.truthy(tostring(section):find("section at f(t, q, v) = 0", 1, true))
  end)

  it("refuses a column that means nothing before it runs", function()
    local S, x = system(spring)
    check.raises({ "there is no 'y' here" }, S.section, S, { when = x, of = {"y"}, q = {x = 1}, v = {x = 0}, t = 10 })
    local run = hm.last_run()
    assert.are.equal(run.span[1], run.span[2])
  end)
end)
