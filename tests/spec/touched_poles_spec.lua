-- highest, lowest and mean values near poles and jumps that a motion touches: arbiter is x = -cos t, which touches 1 at t = pi and 3 pi
local hm, check = require "hamel", require "check"
local near = check.near

local METHODS = { { "dop853" }, { "taylor" }, { "rk4", 0.01 }, { "gauss6", 0.05 } }

local function oscillator()
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  return S, x
end

-- By all methods, in single runs and lanes: each(values, reasons, where)
local function all_ways(S, x0, t, list, each)
  for _, method in ipairs(METHODS) do
    local o = { q = { x = x0 }, v = { x = 0 }, t = t, method = method[1], step = method[2], progress = false }
    local kept, values, reasons = S:simulate(o):keep(list), {}, {}
    for name in pairs(list) do
      local fine, value = pcall(function() return kept[name] end)
      values[name], reasons[name] = fine and value or nil, not fine and value or nil
    end
    each(values, reasons, method[1])
    values, reasons = {}, {}
    for name, measure in pairs(list) do
      o.over, o.q, o.keep, o.lanes = { { "q.x", { x0, x0 } } }, nil, { [name] = measure }, 4
      local row = S:sweep(o)[1]
      values[name], reasons[name] = row[name], row.status ~= "OK" and row.reason or nil
      if reasons[name] then assert.equal("UNDECIDED", row.status) end
    end
    each(values, reasons, method[1] .. " in lanes")
  end
end

describe("values at poles and jumps that a motion touches", function()
  it("are undecided, with the expression, the time and the divisor", function()
    local S, x = oscillator()
    for _, d in ipairs{ 0, 1e-17, 1e-13, -1e-13, 1e-10 } do
      local g = 1 + d - x
      local list = { pole = hm.highest(1/g), square = hm.highest(1/g^2), odd = hm.lowest(1/g), log = hm.lowest(hm.log(g)), root = hm.highest(1/hm.sqrt(g)),
                     mean = hm.mean(1/g), mean_log = hm.mean(hm.log(g)), mean_root = hm.mean(1/hm.sqrt(g)), angle = hm.lowest(hm.atan2(g, -1)),
                     sign = hm.lowest(hm.sign(g)), centre = hm.highest(1/(x.dot^2 + g^2)), tan = hm.highest(hm.tan(hm.pi*x/2)) }
      all_ways(S, -1, 5, list, function(values, reasons, where)
        for name in pairs(list) do
          assert.is_nil(values[name], name .. " by " .. where)
          assert.truthy(reasons[name]:find("is not decided: it has a pole or a jump within the error of the run near t = 3.14", 1, true), reasons[name])
        end
        assert.truthy(reasons.pole:find("comes near zero there", 1, true), reasons.pole)
      end)
    end
  end)

  it("are numbers where the motion misses the pole clearly, passes through a jump or a hole with limits, or where the pole does not matter", function()
    local S, x = oscillator()
    local d = 1e-3
    local g = 1 + d - x
    -- over a whole period: the means of 1/g and log g are 1/sqrt(l^2 - 1) and log((l + sqrt(l^2 - 1))/2), l = 1 + d
    local root = math.sqrt(d*(2 + d))
    local list = { pole = hm.highest(1/g), log = hm.lowest(hm.log(g)), mean = hm.mean(1/g), mean_log = hm.mean(hm.log(g)), angle = hm.lowest(hm.atan2(g, -1)),
                   jump = hm.highest(hm.sign(x)), limit = hm.lowest(hm.sin(x)/x), touched = hm.highest(hm.sin(1 - x)/(1 - x)), least = hm.lowest(1/(1 - x)^2) }
    local exact = { pole = 1/d, log = math.log(d), mean = 1/root, mean_log = math.log((1 + d + root)/2), angle = math.atan(2 + d, -1), jump = 1,
                    limit = math.sin(1), touched = 1, least = 1/4 }
    all_ways(S, -1, 2*math.pi, list, function(values, reasons, where)
      for name, value in pairs(exact) do
        assert.is_nil(reasons[name], name .. " by " .. where)
        near(values[name]/value, 1, 1e-4)
      end
    end)
  end)

  it("are undecided where the argument of a sign is zero for a while", function()
    local S = hm.system "while"
    local y = S:coordinates "y"
    S:kinetic_energy(y.dot^2/2)
    S:potential_energy(y^2/2)
    local list = { top = hm.highest(hm.sign(y - hm.abs(y))), mean = hm.mean(hm.sign(y - hm.abs(y))) }
    local kept = S:simulate{ q = { y = 1 }, v = { y = 0 }, t = 5 }:keep(list)
    for name in pairs(list) do
      check.raises({ "is not decided: it has a pole or a jump" }, function() return kept[name] end)
      local row = S:sweep{ over = { { "y", { 1 } } }, v = { y = 0 }, t = 5, keep = { [name] = list[name] }, progress = false }[1]
      assert.equal("UNDECIDED", row.status)
    end
  end)

  it("are refused for a ball at rest on a wall", function()
    local S = hm.system "ball"
    local y = S:coordinates "y"
    S:kinetic_energy(y.dot^2/2)
    S:potential_energy(9.81*y)
    S:unilateral("floor", y, { law = hm.newton(0) })
    local kept = S:simulate{ q = { y = 1 }, v = { y = 0 }, t = 2 }:keep{ top = hm.highest(1/y), safe = hm.highest(1/(1 + y)) }
    check.raises({ "1/y", "y becomes zero there" }, function() return kept.top end)
    near(kept.safe, 1, 1e-9)
  end)
end)
