-- Bounds on velocities where blows throw the motion off them, and in the whole course
local hm, check = require "hamel", require "check"
local near = check.near

-- A body above a floor, its velocity x' bounded; kind: how bound and floor belong together
local function bounded(kind)
  local S = hm.system "bounded"
  local x, q1, w = S:coordinates "x q1 w"
  S:parameters "pull=1"
  S:kinetic_energy((x.dot^2 + q1.dot^2 + w.dot^2)/2 + (kind == "thrown off" and 1 or kind == "thrown on" and -1 or 0)*x.dot*q1.dot/4)
  S:force(q1, -S:symbol "pull")
  S:force(x, 2 - hm.t/2)
  S:unilateral("wall", q1, { law = hm.newton(0.9) })
  S:unilateral("governor", 3 - x.dot - (kind == "two velocities" and w.dot or 0) - (kind == "of the wall" and q1.dot or 0))
  S:friction("rub", { slip = w.dot, normal = 1, coefficient = 0.1 })
  return S
end

local function start(method)
  return { q = { x = 0, q1 = 1, w = 0 }, v = { x = 1, q1 = 0.3, w = 0.4 }, t = 8, method = method }
end

describe("a bound on a velocity", function()
  it("opens where a blow throws the motion off it", function()
    for _, method in ipairs{ "dop853", "radau5" } do
      local run = bounded("thrown off"):simulate(start(method))
      assert.equal("OK", run.status)
      local impact = run.impacts[1]
      -- u+ = u- + P M^-1 (0, 1): x' falls by P/4 / (1 - 1/16), and the bound has no impulse
      near(impact.impulses.governor, 0, 0)
      local change = -impact.impulses.wall/4/(1 - 1/16)
      near(run:at(impact.t + 1e-9).v.x, 3 + change, 1e-7)
      assert(run.switches[2].t == impact.t and change < -0.1)
    end
  end)

  it("holds where a blow throws the motion onto it", function()
    local run = bounded("thrown on"):simulate(start "dop853")
    assert.equal("OK", run.status)
    assert(run.impacts[1].impulses.governor > 0.1)
    near(run:at(run.impacts[1].t + 1e-6).v.x, 3, 1e-12)
  end)

  it("goes with the whole course", function()
    for _, kind in ipairs{ "apart", "two velocities", "thrown off" } do
      local piecewise, whole = bounded(kind):simulate(start "dop853"), bounded(kind):simulate(start "whole course")
      assert.equal("OK", whole.status, kind)
      assert.equal(#piecewise.switches, #whole.switches, kind)
      for i = 1, 79 do
        local a, b = piecewise:at(i/10 + 0.05), whole:at(i/10 + 0.05)
        for _, name in ipairs{ "x", "q1", "w" } do
          near(b.q[name], a.q[name], 1e-10)
          near(b.v[name], a.v[name], 1e-10)
        end
        near(b.lambda.governor, a.lambda.governor, 1e-9)
        near(b.friction.rub, a.friction.rub, 1e-9)
      end
    end
  end)

  it("ends a whole course whose passage would leave it", function()
    for _, kind in ipairs{ "of the wall", "thrown on" } do
      local run = bounded(kind):simulate(start "whole course")
      assert.equal("NO_CONTACT_MODE", run.status)
      assert.truthy(run.reason:find("the impact leaves 'governor' at -", 1, true))
      assert.truthy(run.reason:find("take a piecewise run, such as method = \"dop853\"", 1, true))
      assert.equal("OK", bounded(kind):simulate(start "dop853").status)
    end
  end)

  it("goes with sweeps of the whole course", function()
    local o = { over = { { "pull", { 0.8, 1 } } }, keep = { "x", "x'" } }
    for name, value in pairs(start "dop853") do o[name] = value end
    o.form = "whole course"
    local whole = bounded("thrown off"):sweep(o)
    o.form = nil
    assert.falsy(tostring(whole):find("one after the other", 1, true))
    local piecewise = bounded("thrown off"):sweep(o)
    for i = 1, 2 do
      near(whole[i].x, piecewise[i].x, 1e-9)
      near(whole[i]["x'"], piecewise[i]["x'"], 1e-9)
    end
  end)
end)
