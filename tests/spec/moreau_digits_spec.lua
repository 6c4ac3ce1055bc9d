-- Time stepping is never OK where rounding costs the velocities their digits, and rests where bodies rest. Arbiter of the chains: the same scheme in
-- mpmath at 50 digits, from the same doubles.
local hm = require "hamel"
local check = require "check"

-- Links from the origin, with masses at their ends, over a floor
local function chain(given)
  local S, names = hm.system "chain", {}
  for i = 1, #given.l do names[i] = "q" .. i end
  local vx, vy, y, T, V, q, v = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0), {}, {}
  local tip = S:parameters "tip"
  for i, a in ipairs{ S:coordinates(table.concat(names, " ")) } do
    local m, l = i == #given.l and tip or given.m[i], given.l[i]
    vx, vy, y = vx + l*hm.cos(a)*a.dot, vy + l*hm.sin(a)*a.dot, y - l*hm.cos(a)
    T, V = T + m*(vx^2 + vy^2)/2, V + m*hm.number "9.81"*y
    q[names[i]], v[names[i]] = given.q[i], given.v[i]
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  S:unilateral("floor", y - given.floor, { law = hm.moreau(given.e) })
  return S, { q = q, v = v, t = 0.006, method = "moreau", step = 2e-5, parameters = { tip = given.tip } }, names
end

local three = { l = { 1, 1.25, 0.75 }, m = { 1, 1.5 }, q = { 0.25, -0.5, 0.75 }, v = { -0.5, 0.25, -0.75 }, floor = -2.61662, e = 0.25 }

local function with(base, more) return setmetatable(more, { __index = base }) end

describe("time stepping of a chain with a heavy tip", function()
  local RIGHT = { [1] = { -0.467759257192, -0.033279844195, 0.4646747380339 }, [1e4] = { -0.414407871265, -0.276292988112, 0.1512796562078 } }

  it("is right, or says how uncertain rounding leaves its velocities", function()
    local verdicts = {}
    for k, tip in ipairs{ 1, 1e4, 1e11, 1e12 } do
      local S, o, names = chain(with(three, { tip = tip }))
      local run = S:simulate(o)
      assert(run.status == "OK" or run.status == "LOST_DIGITS", run.reason)
      verdicts[k] = run.status
      if run.status == "OK" then
        assert.is_true(#run.impacts > 0)
        for i, name in ipairs(names) do assert.is_true(math.abs(run[#run].v[name] - RIGHT[tip][i]) < 1e-11) end
      else
        assert.truthy(run.reason:find("rounding leaves the velocities after the steps", 1, true))
      end
    end
    assert.equal("OK OK LOST_DIGITS LOST_DIGITS", table.concat(verdicts, " "))
  end)

  it("has the same verdict as a row of a sweep", function()
    local S, o = chain(with(three, { tip = 1 }))
    local tips = { 1, 1e4, 1e11 }
    local sweep = S:sweep{ q = o.q, v = o.v, t = o.t, method = "moreau", step = o.step, over = { { "tip", tips } }, keep = { "q1" } }
    for i, tip in ipairs(tips) do
      o.parameters.tip = tip
      local run = S:simulate(o)
      assert.equal(run.status, sweep[i].status)
      assert.equal(run.reason, sweep[i].reason)
    end
  end)
end)

-- Rounding left such gaps open by the last bit: the body fell for a step and bounced
describe("a body at rest", function()
  local function at_rest(S, q, v, h, steps)
    local run = S:simulate{ q = q, v = v, t = steps*h, method = "moreau", step = h }
    assert.equal("OK", run.status)
    for i = 1, #run do
      for name, at in pairs(q) do check.near(run[i][name], at + v[name]*run[i].t, 1e-12) end
    end
  end

  it("stays so over any number of steps of any size", function()
    for _, e in ipairs{ 0, 0.5 } do
      for _, h in ipairs{ 0.1, 0.0379, 1e-3, 0.00031 } do
        local S = hm.system "stack"
        local a, b, c = S:coordinates "a b c"
        S:kinetic_energy((3*a.dot^2 + 0.7*b.dot^2 + 11*c.dot^2)/2)
        S:potential_energy(9.81*(3*a + 0.7*b + 11*c))
        S:unilateral("first", a, { law = hm.moreau(e) })
        S:unilateral("second", b - a - 1, { law = hm.moreau(e) })
        S:unilateral("third", c - b - 1, { law = hm.moreau(e) })
        at_rest(S, { a = 0, b = 1, c = 2 }, { a = 0, b = 0, c = 0 }, h, 250)
        for _, belt in ipairs{ 0, 1.3 } do
          local B = hm.system "block"
          local x, y = B:coordinates "x y"
          B:kinetic_energy(0.3*(x.dot^2 + y.dot^2)/2)
          B:potential_energy(0.3*9.81*(math.sin(0.2)*x + math.cos(0.2)*y))
          B:unilateral("slope", y, { law = hm.moreau(e) })
          B:friction("rub", { slip = x.dot - belt, normal = "slope", coefficient = 0.4 })
          at_rest(B, { x = 0.3, y = 0 }, { x = belt, y = 0 }, h, 250)
        end
      end
    end
  end)
end)
